"""How words and meaning add up."""

from __future__ import annotations

import os
import subprocess
import sys
from math import log
from pathlib import Path
from random import Random

import pytest

from wwt_vault.model.conversation import DocumentId
from wwt_vault.model.knowledge import Passage
from wwt_vault.search.candidates import Candidate, brought, enough, familiar, score
from wwt_vault.search.when import When


def passage(at: int) -> Passage:
    """Return a passage of a page of its own."""
    return Passage(
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


def pair(coverage: float, *, is_foreign: bool) -> tuple[Candidate, Candidate]:
    """Return a hit by words, and one by meaning in the question's or another language."""
    by_words = Candidate(passage=passage(0), keyword=9.0, coverage=coverage, cosine=0.1)
    return by_words, Candidate(passage=passage(1), cosine=0.3, is_foreign=is_foreign)


@pytest.mark.parametrize(
    ("coverage", "is_foreign", "words_decide"),
    [(0.25, False, False), (0.5, False, False), (0.65, False, True), (0.5, True, False), (0.9, True, True)],
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
    limits = [enough(passages, True) for passages in (200, 400, 1500, 20_000, 1_000_000)]

    assert limits == sorted(limits)
    assert limits[0] == limits[1] < limits[2] < limits[3] == limits[4]
    assert enough(1, False) == enough(20_000, False)


def test_a_few_words_by_chance_take_nothing_from_the_nearest_passage() -> None:
    """It may say the same in other words; what is nearly as near and holds some of them does come before it."""
    by_chance, nearest = pair(0.5, is_foreign=False)
    nearly = Candidate(passage=passage(2), keyword=9.0, coverage=0.5, cosine=0.27)
    score([by_chance, nearest, nearly], 0.3, When())

    assert nearly.score > nearest.score > by_chance.score


def test_one_passage_that_comes_near_is_not_enough_where_others_could() -> None:
    """What is near by chance is alone, but in a small vault it may have to be."""
    found = [Candidate(passage=passage(at), cosine=0.2, evidence=0.45 if at == 0 else 0.2) for at in range(9)]

    assert brought(found, 1000) < enough(1000, True)
    assert brought(found, 10) > enough(10, True)
    found[1].evidence = found[2].evidence = 0.45
    assert brought(found, 400) > enough(400, True)


@pytest.mark.parametrize(("coverage", "cosine"), [(0.7, 0.2), (0.3, None)])
def test_one_passage_is_enough_where_it_holds_most_of_the_question(coverage: float, cosine: float | None) -> None:
    """Or where nothing is known of the meaning."""
    found = [Candidate(passage=passage(at), cosine=cosine, evidence=0.1) for at in range(9)]
    found[0].coverage, found[0].evidence = coverage, 1.1

    assert brought(found, 20_000) == 1.1


def test_words_that_nobody_used_are_a_sign_of_no_answer() -> None:
    """In a vault that speaks the question's language and is large enough to have a vocabulary, and only there."""
    found = list(pair(0.5, is_foreign=False))
    known, unknown = {"cache": 2.0, "ttl": 3.0}, {"cache": 2.0, "zebra": log(1 + 300)}

    assert familiar(known, found, 300) > 0 > familiar(unknown, found, 300)
    assert abs(familiar({"zebra": log(1 + 4)}, found, 4)) < 0.01
    assert familiar({}, found, 300) == 0
    for candidate in found:
        candidate.is_foreign = True
    assert familiar(unknown, found, 300) == 0


@pytest.mark.parametrize(
    ("coverage", "nearness", "is_foreign", "words_decide"),
    [
        (0.55, 0.0, False, False),
        (0.55, 0.25, False, True),
        (0.9, 0.0, True, False),
        (0.9, 0.25, True, True),
        (0.9, 0.0, False, True),
    ],
)
def test_words_are_believed_where_the_meaning_does_not_contradict(
    coverage: float, nearness: float, is_foreign: bool, words_decide: bool
) -> None:
    """Half of a question stands together by chance, nine tenths only where the nearest passage has no such words."""
    by_words, by_meaning = pair(coverage, is_foreign=is_foreign)
    by_words.cosine = nearness
    score([by_words, by_meaning], 0.3, When())

    assert (by_words.score > by_meaning.score) is words_decide


@pytest.mark.parametrize("seed", range(20))
def test_words_take_no_place_from_the_nearest_passage_in_another_language(seed: int) -> None:
    """It could not hold a word of the question: what holds three fifths of them is not put before it for that.

    Passages in another language keep the order that their meaning gives them.
    """
    random = Random(seed)
    found = [
        Candidate(
            passage=passage(at),
            keyword=random.choice((0.0, 9 * random.random())) if at % 2 else 0.0,
            coverage=0.6 * random.random(),
            cosine=random.uniform(-0.1, 0.5),
            is_foreign=at % 2 == 0,
        )
        for at in range(30)
    ]
    found[0].cosine = 0.51
    score(found, 0.3, When())

    assert max(found, key=lambda candidate: candidate.score) is found[0]
    foreign = [candidate for candidate in found if candidate.is_foreign]
    assert sorted(foreign, key=lambda candidate: candidate.score) == sorted(
        foreign, key=lambda candidate: candidate.cosine or 0.0
    )


def test_words_order_the_passages_in_the_language_of_the_question() -> None:
    """A nearer passage in another language takes nothing from the better of two in the question's own."""
    by_words, by_meaning = pair(0.55, is_foreign=False)
    by_words.cosine = 0.25
    foreign = Candidate(passage=passage(2), cosine=0.35, is_foreign=True)
    score([by_words, by_meaning, foreign], 0.3, When())

    assert foreign.score > by_words.score > by_meaning.score


@pytest.mark.parametrize(("term", "is_first"), [("pay-4092", True), ("1869", False), ("grafana", False)])
def test_a_code_comes_first_and_a_year_or_a_name_only_among_equals(term: str, is_first: bool) -> None:
    """A year or a product can stand in a question about something else; an error code does not."""
    by_words, holder = pair(1.0, is_foreign=False)
    holder.keyword, holder.exact = 4.0, frozenset({term})
    score([by_words, holder], 0.3, When())
    assert (holder.score > by_words.score) is is_first

    holder.keyword = 8.0
    score([by_words, holder], 0.3, When())
    assert holder.score > by_words.score


def test_a_code_within_a_longer_one_comes_behind_the_code_itself() -> None:
    """Both come before what does not hold it."""
    whole, inside = pair(1.0, is_foreign=False)
    neither = Candidate(passage=passage(2), keyword=9.0, coverage=1.0, cosine=0.3)
    whole.keyword = inside.keyword = 4.0
    whole.exact = inside.exact = inside.inside = frozenset({"err-12"})
    score([whole, inside, neither], 0.3, When())
    assert whole.score > inside.score > neither.score


SCORES = """
import sys, tempfile
from pathlib import Path
from tests.bench.sets import page
from wwt_vault.index import Index
from wwt_vault.model.knowledge import Filters
from wwt_vault.search.candidates import gather, score
from wwt_vault.search.when import When

said = "redis kafka nginx grafana E4011 PAY-4092 v2.3.1 /etc/hosts 1869 prometheus isOpen MAX_SIZE".split()
documents = {f"{at}.md": page(f"{at}.md", " ".join(said[at % 3 :: at + 1])) for at in range(6)}
index = Index(Path(tempfile.mkdtemp(dir=sys.argv[1])), lambda: None)
index.refresh(dict.fromkeys(documents, "1 1 1 1"), documents.__getitem__)
found, *_ = gather(index, " ".join(said), Filters())
score(found, 0.3, When())
print([(one.passage.document, one.coverage, one.score) for one in found])
"""


def test_scores_are_the_same_in_every_process(tmp_path: Path) -> None:
    """To the last digit: Python puts the words of a set in another order each time it is started."""
    said = {
        subprocess.run(
            [sys.executable, "-c", SCORES, str(tmp_path)],
            env=os.environ | {"PYTHONHASHSEED": str(seed)},
            check=True,
            capture_output=True,
            timeout=60,
        ).stdout
        for seed in range(1, 5)
    }

    assert len(said) == 1
