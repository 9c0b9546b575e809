"""The talks are what their README says: else every figure measured on them means something else."""

from __future__ import annotations

from collections import Counter
from datetime import datetime

from tests.bench.sets import considered
from wwt_vault.model.conversation import DocumentId

DOCUMENTS, CASES, _ = considered()


def time(name: str) -> datetime:
    """Return the day of a note or a conversation."""
    found = DOCUMENTS[DocumentId(name)].time
    assert found is not None
    return found


def matter(name: str) -> str:
    """Return what a text is about, as its name says."""
    return name.rpartition("-")[0]


def test_there_are_as_many_as_the_page_says() -> None:
    """Projects, matters, notes, and questions of each kind."""
    assert len({document.project for document in DOCUMENTS.values()}) == 15
    assert len({matter(name) for name in DOCUMENTS}) == 92
    assert Counter(name.rpartition("-")[2] for name in DOCUMENTS) == {"decided": 92, "considered": 92, "replaced": 29}
    assert sum(document.layer == "curated" for document in DOCUMENTS.values()) == 45
    assert Counter(case.kind for case in CASES) == {"stands": 126, "replaced": 58, "considered": 92}


def test_what_only_was_thought_of_is_newer_than_what_holds() -> None:
    """And what replaced a decision is newer than that."""
    for case in CASES:
        (gold,) = case.gold
        for other in case.avoid:
            assert matter(other) == matter(gold)
            if case.kind == "stands":
                assert time(other) > time(gold)
            elif case.kind == "replaced" and other.endswith("decided"):
                assert time(other) < time(gold)


def test_no_matter_is_in_both_parts() -> None:
    """What is chosen on one has seen nothing of the other."""
    parts: dict[str, set[str]] = {}
    for case in CASES:
        parts.setdefault(matter(min(case.gold)), set()).add(case.part)

    assert Counter(min(part) for part in parts.values()) == {"dev": 62, "held-out": 30}
    assert all(len(part) == 1 for part in parts.values())


def test_every_text_is_asked_about() -> None:
    """And no question is asked twice."""
    assert {name for case in CASES for name in case.gold | case.avoid} == set(DOCUMENTS)
    assert len({case.question for case in CASES}) == len(CASES)
