"""How words and meaning add up."""

from __future__ import annotations

from math import log

import pytest

from wwt_vault.model.conversation import DocumentId
from wwt_vault.model.knowledge import Passage
from wwt_vault.search.candidates import Candidate, enough, familiar, score
from wwt_vault.search.when import When


def pair(coverage: float, *, is_foreign: bool) -> tuple[Candidate, Candidate]:
    """Return a hit by words, and one by meaning in the question's or another language."""
    passages = [
        Passage(
            id=f"{at:016x}",
            document=DocumentId(f"{at}.md"),
            heading="",
            block=None,
            line=1,
            text="",
            title="",
            events=(),
            time=None,
            layer="page",
        )
        for at in range(2)
    ]
    by_words = Candidate(passage=passages[0], keyword=9.0, coverage=coverage, cosine=0.1)
    return by_words, Candidate(passage=passages[1], cosine=0.3, is_foreign=is_foreign)


@pytest.mark.parametrize(
    ("coverage", "is_foreign", "words_decide"),
    [(0.25, False, False), (0.5, False, True), (0.5, True, False), (0.9, True, True)],
)
def test_words_decide_where_enough_of_the_question_stands_together(
    coverage: float, is_foreign: bool, words_decide: bool
) -> None:
    """More of it where the nearest passage is in another language, which could not share a word."""
    by_words, by_meaning = pair(coverage, is_foreign=is_foreign)
    score([by_words, by_meaning], 0.3, When())

    assert (by_words.score > by_meaning.score) is words_decide


def test_a_larger_vault_asks_for_more_evidence_up_to_a_limit() -> None:
    """The best of many passages fits better by chance."""
    limits = [enough(passages, True) for passages in (1, 400, 1500, 20_000, 1_000_000)]

    assert limits == sorted(limits)
    assert limits[0] == limits[1] < limits[2] < limits[3] == limits[4]
    assert enough(1, False) == enough(20_000, False)


def test_words_that_nobody_used_are_a_sign_of_no_answer() -> None:
    """In a vault that speaks the question's language and is large enough to have a vocabulary, and only there."""
    found = list(pair(0.5, is_foreign=False))
    known, unknown = {"cache": 2.0, "ttl": 3.0}, {"cache": 2.0, "zebra": log(1 + 300)}

    assert familiar("cache ttl", known, found, 300) > 0 > familiar("cache zebra", unknown, found, 300)
    assert familiar("캐시 zebra 얼룩말", unknown, found, 300) == 0
    assert abs(familiar("cache zebra", {"zebra": log(1 + 4)}, found, 4)) < 0.01
    assert familiar("", {}, found, 300) == 0


@pytest.mark.parametrize(("nearness", "words_decide"), [(0.0, False), (0.25, True)])
def test_words_are_believed_where_the_meaning_does_not_contradict(nearness: float, words_decide: bool) -> None:
    """A passage that holds nine tenths of the question and means something else holds them by chance."""
    by_words, by_meaning = pair(0.9, is_foreign=False)
    by_words.cosine = nearness
    score([by_words, by_meaning], 0.3, When())

    assert (by_words.score > by_meaning.score) is words_decide
