"""The projects are what their README says: else every figure measured on them means something else."""

from __future__ import annotations

from collections import Counter

from tests.bench.sets import projects
from wwt_vault.model.conversation import DocumentId

DOCUMENTS, CASES, _ = projects()


def test_there_are_as_many_as_the_page_says() -> None:
    """Texts of each layer and questions of each kind."""
    assert Counter(document.layer for document in DOCUMENTS.values()) == {"session": 168, "curated": 72}
    assert len({document.project for document in DOCUMENTS.values()}) == 12
    kinds = {"ko-ko": 46, "en-en": 45, "ko-en": 37, "en-ko": 42, "exact": 54, "current": 44, "first": 22, "date": 32}
    assert Counter(case.kind for case in CASES) == kinds | {"names": 34, "near": 36, "far": 32}


def test_what_answers_is_there_and_what_does_not_is_not() -> None:
    """Only ``near`` and ``far`` have no answer, and only of pairs one must come before the other."""
    for case in CASES:
        assert case.gold | case.avoid <= DOCUMENTS.keys()
        assert bool(case.gold) == (case.kind not in {"near", "far"})
        assert bool(case.avoid) == (case.kind in {"current", "first"})


def test_of_a_pair_the_newer_holds_now_and_the_older_at_first() -> None:
    """By their dates: the texts need not say it."""
    for case in CASES:
        gold, avoid = ([DOCUMENTS[DocumentId(name)].time for name in names] for names in (case.gold, case.avoid))
        newer, older = (avoid, gold) if case.kind == "first" else (gold, avoid)
        assert all(one and other and one > other for one in newer for other in older)
