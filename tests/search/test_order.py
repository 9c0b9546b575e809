"""What holds now before what was replaced, and no more than that."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from wwt_vault.model.conversation import DocumentId
from wwt_vault.model.knowledge import Passage
from wwt_vault.search.candidates import Candidate
from wwt_vault.search.order import in_order, one_of_each
from wwt_vault.search.when import When

FIRST = datetime(2026, 3, 1, tzinfo=UTC)
SAID = "we keep the backups of the orders for fourteen days and then delete them without asking anyone"


def hits(*texts: str) -> list[Candidate]:
    """Return one hit per text, best first, each a day younger than the one before it."""
    return [
        Candidate(
            passage=Passage(
                id=f"{at:016x}",
                document=DocumentId(f"{at}.md"),
                heading="",
                block=None,
                line=1,
                text=text,
                title="",
                events=(),
                time=FIRST + timedelta(days=at),
                layer="session",
            ),
            score=1 - at / 100,
            plain=1 - at / 100,
        )
        for at, text in enumerate(texts)
    ]


def alike(usual: float, **pairs: float) -> Sequence[Sequence[float]]:
    """Return how near eight texts are to one another: ``usual``, and what ``_1_3`` and the like say of a pair."""
    near = [[1.0 if one == other else usual + 0.01 * ((one + other) % 3) for other in range(8)] for one in range(8)]
    for name, value in pairs.items():
        one, other = map(int, name.strip("_").split("_"))
        near[one][other] = near[other][one] = value
    return near


def order(near: Sequence[Sequence[float]], when: When) -> list[int]:
    """Return the places that eight hits had before, the second saying that something changed."""
    texts = ["We send letters on Monday.", "We moved the letters to Friday.", *(f"Talk {at}." for at in range(6))]
    ids = {candidate.passage.id: at for at, candidate in enumerate(hits(*texts))}
    ranked = in_order(hits(*texts), when, lambda asked: [[near[ids[a]][ids[b]] for b in asked] for a in asked])
    return [ids[candidate.passage.id] for candidate in ranked]


def test_a_decision_comes_after_the_one_that_replaced_it() -> None:
    """Two texts that are much more alike than the hits around them are about one matter."""
    assert order(alike(0.1, _0_1=0.5), When())[:2] == [1, 0]


def test_sessions_that_are_all_alike_are_not_sorted_by_date() -> None:
    """Months of talk about one project: each is somewhat like each, and a newer one replaces nothing."""
    assert order(alike(0.4), When()) == list(range(8))


def test_a_question_about_now_needs_less() -> None:
    """It asks for the newer one itself."""
    assert order(alike(0.4), When(about="now"))[0] > 0


def test_what_happened_is_not_sorted_by_date() -> None:
    """Why something failed in spring is not answered by what was changed about it in summer."""
    near = alike(0.1, _0_1=0.9)

    assert order(near, When())[:2] == [1, 0]
    assert order(near, When(past=True))[:2] == [0, 1]


@pytest.mark.parametrize(("likeness", "first"), [(0.25, 2), (0.5, 3)])
def test_a_newer_statement_needs_no_word_of_change(likeness: float, first: int) -> None:
    """``Three replicas`` in February and ``nine replicas`` in November: the two must only be more alike for that."""
    near = alike(0.1, _2_3=likeness)
    assert next(at for at in order(near, When()) if at in (2, 3)) == first


@pytest.mark.parametrize("seed", range(20))
def test_a_short_list_is_the_beginning_of_a_long_one(seed: int) -> None:
    """However many windows of few sessions overlap and repeat one another."""
    chance = random.Random(seed)
    said = SAID.split()
    ranked = hits(*(" ".join(said[chance.randrange(4) : chance.randrange(8, 17)]) for _ in range(40)))
    for candidate in ranked:
        name = DocumentId(f"{chance.randrange(12)}.md")
        text = f"{candidate.passage.text} in room {chance.randrange(5)} of house {chance.randrange(9)}"
        candidate.passage = replace(candidate.passage, document=name, text=text)
    whole = one_of_each(ranked, len(ranked))
    assert 6 < len(whole) <= 24
    for limit in range(1, len(whole)):
        assert one_of_each(ranked, limit) == whole[:limit]
