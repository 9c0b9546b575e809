"""Whatever is typed or pasted is a text to look for: it finds what it names, or says why it finds nothing."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from tests.bench.sets import page
from wwt_vault.config import Settings
from wwt_vault.errors import BadArgument
from wwt_vault.index import Index
from wwt_vault.index.embedder import load_embedder
from wwt_vault.model.conversation import DocumentId
from wwt_vault.model.knowledge import Filters
from wwt_vault.search import MAX_QUERY, search

TEXTS = {
    "printer": "The zebra printer at the harbour jams on humid days; we dry the paper first.",
    "cow": "소 한 마리 값을 장부에 적기로 했다.",
    "stripes": "얼룩말 인쇄기는 습한 날에 종이가 걸려서 먼저 말리기로 했다.",
    "flag": "Start it with --no-cache and C++ 20, else error E4011 comes back.",
    "lunch": "Lunch is at noon in the small kitchen.",
    "chairs": "새 의자는 다음 달에 들어온다.",
}


@pytest.fixture(scope="module", params=[True, False], ids=["words and meaning", "words alone"])
def index(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    """Return an index of the texts, with the real model or with none."""
    model = load_embedder(Settings()) if request.param else None
    documents = {
        DocumentId(name): replace(page(name, text), time=datetime(2026, 11, 1, tzinfo=UTC))
        for name, text in TEXTS.items()
    }
    made = Index(tmp_path_factory.mktemp("index"), lambda: model)
    made.refresh(dict.fromkeys(documents, "1 1 1 1"), documents.__getitem__)
    made.embed_pending()
    yield made
    made.close()


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("소", "cow"),
        ("zebra", "printer"),
        ("😀 zebra printer 🎉🎉", "printer"),
        ("ｚｅｂｒａ　ｐｒｉｎｔｅｒ", "printer"),
        ("title:zebra AND (printer OR", "printer"),
        ('zebra~2 +printer -humid "unclosed', "printer"),
        ("zebra* printer? [a TO b]", "printer"),
        ("zebra\0printer\ud800", "printer"),
        (unicodedata.normalize("NFD", "얼룩말 인쇄기"), "stripes"),
        ("얼룩말은 인쇄기를", "stripes"),
        ("얼룩말인쇄기", "stripes"),
        ("zebra프린터printer는", "printer"),
        ("E4011에서", "flag"),
        ("--no-cache", "flag"),
        ("C++", "flag"),
        ("zebra printer humid " + "\n\tat com.example.Main.run(Main.java:17)" * 3000, "printer"),
    ],
    ids=lambda value: ascii(value)[:24],
)
def test_what_it_names_is_found(index: Index, question: str, name: str) -> None:
    """One letter, emoji, full width, query syntax, broken and decomposed characters, two scripts in one word, a log."""
    result = search(index, question)

    assert result.found
    assert result.hits[0].passage.document == name


@pytest.mark.parametrize(
    "question", ["", " \n\t", "?", "…!?", "😀🎉", "\0\0", "\ud800", "``` ```", '""', "🇰🇷", "\u200b\ufeff"]
)
def test_nothing_to_look_for_is_said(index: Index, question: str) -> None:
    """No hit, and a sentence that tells why."""
    result = search(index, question)

    assert not result.found
    assert not result.hits
    assert "no word" in result.notes[-1]


@pytest.mark.parametrize("question", ["은 는 이 가", "그리고 그런데", "the of and", "what is it?", "그게 뭐였지?"])
def test_particles_and_stop_words_alone_find_nothing(index: Index, question: str) -> None:
    """They are in every text and say nothing of any."""
    assert not search(index, question).found


def test_a_pasted_text_is_searched_by_its_beginning_and_says_so(index: Index) -> None:
    """A megabyte is no more work than its first characters."""
    result = search(index, "zebra printer " * 80_000)

    assert result.hits[0].passage.document == "printer"
    assert any(f"first {MAX_QUERY} characters" in note for note in result.notes)


def test_a_filter_that_lets_nothing_through_is_told_from_a_question_without_answer(index: Index) -> None:
    """The first can be put right by the person who asks."""
    assert search(index, "zebra printer", Filters(project="none")).notes[-1].endswith("passes these filters.")
    assert not search(index, "quarterly dividend of the shipyard").found


@pytest.mark.parametrize("weight", [-0.01, 1.01, float("nan"), float("inf"), -float("inf")])
def test_a_weight_that_is_no_share_is_refused(index: Index, weight: float) -> None:
    """There is one weight, that of the meaning; the words have the rest, so the two always add up to 1."""
    with pytest.raises(BadArgument, match="between 0 and 1"):
        search(index, "zebra", meaning_weight=weight)
