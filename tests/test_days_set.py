"""The days with a subject are what their README says: else every figure measured on them means something else."""

from __future__ import annotations

from collections import Counter
from datetime import UTC

from tests.bench.sets import days
from wwt_vault.index.analysis import language_of
from wwt_vault.search.when import read

DOCUMENTS, CASES, _ = days()
ASKED_AT = max(document.time for document in DOCUMENTS.values() if document.time)


def test_there_are_as_many_as_the_page_says() -> None:
    """Eight subjects in eight months, half in Korean; 40 questions, half of them held out by subject."""
    assert len(DOCUMENTS) == 64
    assert Counter(name.partition("-")[0] for name in DOCUMENTS).most_common()[-1][1] == 8
    assert Counter(language_of(document.turns[0].text) for document in DOCUMENTS.values()) == {0: 32, 1: 32}
    assert Counter(case.part for case in CASES) == {"dev": 20, "held-out": 20}
    parts = {(min(case.gold).partition("-")[0], case.part) for case in CASES}
    assert len(parts) == 8


def test_what_answers_is_all_that_was_said_on_the_subject_in_those_days() -> None:
    """And nothing else of it: the days tell it from the other months."""
    for case in CASES:
        when = read(case.question, ASKED_AT, UTC)
        subject = min(case.gold).partition("-")[0]
        assert case.gold == {
            name for name, document in DOCUMENTS.items() if name.startswith(f"{subject}-") and when.holds(document.time)
        }, case.question
