"""The bilingual set is what its README says: else every figure measured on it means something else."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from tests.bench.sets import BILINGUAL, Case, bilingual
from wwt_vault.curate.questions import wanting
from wwt_vault.index.analysis import analyse_all, ask
from wwt_vault.model.knowledge import Document

DOCUMENTS, CASES, _ = bilingual()


def words(document: Document) -> frozenset[str]:
    """Return the terms of a document."""
    return frozenset(analyse_all(("\n".join((document.title, text(document))),))[0].words)


def text(document: Document) -> str:
    """Return what a document says."""
    return "\n".join(part.text for part in document.turns or document.sections)


def of_kind(*kinds: str) -> list[Case]:
    """Return the questions of these kinds."""
    return [case for case in CASES if case.kind in kinds]


def test_it_is_large_enough_and_both_halves_have_every_kind() -> None:
    """At least 200 texts in about equal parts, 200 questions, and nothing is judged by one or two questions."""
    kinds = Counter((case.part, case.kind) for case in CASES)

    assert len(DOCUMENTS) >= 200
    assert len(CASES) >= 200
    for part in ("dev", "held-out"):
        assert all(kinds[part, kind] >= 15 for kind in ("ko-ko", "en-en", "ko-en", "en-ko", "exact-ko", "none"))
        assert kinds[part, "now"] >= 8


def test_no_subject_is_in_both_halves() -> None:
    """What is chosen on one half has seen nothing of the other."""
    names = [{path.name for path in (BILINGUAL / part).glob("*.jsonl")} for part in ("dev", "held-out")]
    parts = {
        json.loads(line).get("id", "").split("-")[0]: path.parent.name
        for path in sorted(BILINGUAL.rglob("*.jsonl"))
        for line in path.read_text("utf-8").splitlines()
    }

    assert not names[0] & names[1]
    assert all({parts[name.split("-")[0]] for name in case.gold | case.avoid} <= {case.part} for case in CASES)


def test_the_questions_that_stand_with_texts_are_as_an_agent_is_asked_for_them() -> None:
    """Each text of their subjects has some, in both languages and enough of them; none of them is asked of the set."""
    rows = [
        json.loads(line) for line in BILINGUAL.with_name("bilingual-questions.jsonl").read_text("utf-8").splitlines()
    ]
    subjects = {row["id"].partition("-")[0] for row in rows}

    assert [row["id"] for row in rows if wanting(row["questions"], text(DOCUMENTS[row["id"]]))] == []
    assert {row["id"] for row in rows} == {name for name in DOCUMENTS if name.partition("-")[0] in subjects}
    assert not {question for row in rows for question in row["questions"]} & {case.question for case in CASES}


def test_every_answer_is_there() -> None:
    """Gold and avoided texts exist; only questions without an answer have none."""
    assert all(case.gold | case.avoid <= DOCUMENTS.keys() for case in CASES)
    assert all(bool(case.gold) == (case.kind != "none") for case in CASES)


@pytest.mark.parametrize("case", of_kind("ko-ko", "en-en"), ids=lambda case: case.question)
def test_a_paraphrase_shares_next_to_no_word(case: Case) -> None:
    """At most two, and at most a third of its words."""
    asked = [concept.terms[0] for concept in ask(case.question).concepts]
    shared = [word for word in asked if word in words(DOCUMENTS[min(case.gold)])]

    assert len(shared) <= min(2, len(asked) / 3), shared


@pytest.mark.parametrize("case", of_kind("ko-en", "en-ko"), ids=lambda case: case.question)
def test_a_cross_lingual_question_is_in_the_other_language(case: Case) -> None:
    """Of question and answer exactly one is Korean."""
    korean = [
        any("가" <= letter <= "힣" for letter in part) for part in (case.question, text(DOCUMENTS[min(case.gold)]))
    ]

    assert korean[0] is not korean[1]


@pytest.mark.parametrize("case", of_kind("now", "then"), ids=lambda case: case.question)
def test_of_two_decisions_the_dates_tell_which_is_later(case: Case) -> None:
    """And only they, where neither has a status."""
    gold, other = (DOCUMENTS[min(names)].time for names in (case.gold, case.avoid))

    assert gold and other
    assert gold > other if case.kind == "now" else gold < other
