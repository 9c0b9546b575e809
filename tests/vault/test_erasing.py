"""Words go out of a text wherever they can be recognised, and nothing else does."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.hanging import ends
from wwt_vault.vault.erasing import GONE, erased, has_words, words_of

SAID = (
    "우리 집 주소는 서울시 강남구 테헤란로 1이야.\n"
    "We retry three times because the API flaps on Mondays. Call 010-1234-5678 (kim@x.kr)!"
)
WORDS = words_of([SAID])


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("a We retry three times because it rains", f"a {GONE} it rains"),
        ("> We retry\n> three times because the API\nnext", f"> {GONE}\n> {GONE}\nnext"),
        ("- [ ] We retry three times because the API", f"- [ ] {GONE}"),
        ("## Facts\n\n1. three times because the API\r\n", f"## Facts\n\n1. {GONE}\r\n"),
        ("## We retry three times because\n", f"## {GONE}\n"),
        ("서울시 강남구 테헤란로 1로 간다", f"{GONE}로 간다"),
        ("서울시강남구\n테헤란로 1", f"{GONE}\n{GONE}"),
        ('"flaps" “Mondays” `API flaps` 「강남구」 and flaps', f'"{GONE}" “{GONE}” `{GONE}` 「{GONE}」 and flaps'),
        ('"other" `x`', '"other" `x`'),
        ("three times a day, the API", "three times a day, the API"),
        ("retry retry", "retry retry"),
    ],
)
def test_near_texts_lose_what_they_have_in_common(text: str, left: str) -> None:
    """A stretch of some words over any line break, and what is quoted; marks of lists and quotes stay."""
    assert erased(text, WORDS, near=True) == left


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("a We retry three times because the API flaps on Mondays. b", f"a {GONE} b"),
        ("> 우리 집 주소는 서울시\n> 강남구 테헤란로 1이야.\n", f"> {GONE}\n> {GONE}\n"),
        ("We retry three times because it rains", "We retry three times because it rains"),
        ('"flaps"', '"flaps"'),
    ],
)
def test_other_texts_lose_whole_sentences(text: str, left: str) -> None:
    """A few words in common are no quotation."""
    assert erased(text, WORDS, near=False) == left
    assert has_words(text, WORDS) == (text != left)


def test_lines_that_cite_lose_names_numbers_and_addresses() -> None:
    """With a particle or punctuation behind them; plain words stay, and so does what lies outside of the line."""
    text = "- Kim's 010-1234-5678로, kim@x.kr. and API\n- 010-1234-5678"

    assert erased(text, WORDS, near=True, citing=[(0, 43)]) == f"- Kim's {GONE}로, {GONE}. and API\n- 010-1234-5678"


def test_a_short_message_is_recognised_whole() -> None:
    """What somebody forgets may be one word."""
    words = words_of(["hunter2"])

    assert erased("it is hunter2, say", words, near=True) == f"it is {GONE}, say"
    assert erased("it is hunter2, say", words, near=False) == "it is hunter2, say"
    assert erased("no", words_of(["ok"]), near=True) == "no"


def test_unicode_forms_make_no_difference() -> None:
    """A Mac's NFD says the same; what is not taken out keeps its form."""
    before, after = (unicodedata.normalize("NFD", text) for text in ("가나 ", " 다라"))
    text = before + unicodedata.normalize("NFD", "서울시 강남구 테헤란로 1이야") + after

    assert erased(text, WORDS, near=True) == before + GONE + after


@given(st.text(max_size=200), st.text(max_size=200))
@settings(max_examples=200, deadline=None)
def test_any_message_goes_out_of_any_text(before: str, after: str) -> None:
    """Whatever stands around it; done twice it changes nothing more."""
    text = f"{before}\n\n{SAID}\n\n{after}"
    left = erased(text, WORDS, near=True)

    assert "강남구 테헤란로" not in left
    assert "because the API flaps" not in left
    assert erased(left, WORDS, near=True) == left


PIECES = st.sampled_from(["a", "b ", "\n", "> ", "- ", "가", "나", "(", "1", "# "])


@given(st.lists(PIECES, max_size=60).map("".join), st.booleans())
@settings(max_examples=200, deadline=None)
def test_a_text_without_the_words_stays_as_it_is(text: str, near: bool) -> None:
    """To the byte."""
    assert erased(text, WORDS, near=near) == text


def test_long_texts_do_not_hang() -> None:
    """A megabyte of note against a message of a hundred kilobytes, all of it alike."""
    words = words_of(["lorem ipsum dolor sit amet " * 4000])
    with ends():
        left = erased("lorem ipsum dolor sit amet and so on\n" * 10_000, words, near=True)

    assert "dolor" not in left
