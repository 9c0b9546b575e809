"""The updates are what their README says: else every figure measured on them means something else."""

from __future__ import annotations

from collections import Counter

from tests.bench.sets import updates
from wwt_vault.model.conversation import DocumentId

DOCUMENTS, CASES, _ = updates()


def project(name: str) -> str:
    """Return the team of a fact."""
    return DOCUMENTS[DocumentId(name)].project or ""


def test_there_are_as_many_as_the_page_says() -> None:
    """Teams, facts, and questions of each kind."""
    assert len(DOCUMENTS) == 536
    assert len({document.project for document in DOCUMENTS.values()}) == 63
    pairs = {"now": 288, "then": 96, "other": 189, "both": 48}
    chains = {"chain now": 90, "chain then": 30, "chain other": 60, "chain both": 15}
    assert Counter(case.kind for case in CASES) == pairs | chains


def test_the_newer_answers_for_now_and_the_older_for_then() -> None:
    """By their dates: the texts need not say it."""
    for case in CASES:
        if case.avoid:
            (gold,) = case.gold
            for avoid in case.avoid:
                newer, older = (gold, avoid) if case.kind.endswith("now") else (avoid, gold)
                times = DOCUMENTS[DocumentId(newer)].time, DOCUMENTS[DocumentId(older)].time
                assert times[0] is not None
                assert times[1] is not None
                assert times[0] > times[1]


def test_no_team_is_in_both_parts() -> None:
    """What is chosen on one has seen nothing of the other."""
    parts: dict[str, set[str]] = {}
    for case in CASES:
        parts.setdefault(project(min(case.gold)), set()).add(case.part)

    assert len(parts) == 63
    assert Counter(min(part) for part in parts.values()) == {"dev": 42, "held-out": 21}
    assert all(len(part) == 1 for part in parts.values())


def test_every_fact_is_the_answer_to_something() -> None:
    """And no question is asked twice of one team."""
    asked = {name for case in CASES for name in case.gold | case.avoid}
    assert asked == set(DOCUMENTS)
    assert max(Counter((case.question, project(min(case.gold))) for case in CASES).values()) == 1
