"""Abbreviations that are spelt out by the Korean names of their letters."""

from __future__ import annotations

import pytest

from wwt_vault.index.acronyms import in_letters, spelt_out


@pytest.mark.parametrize(
    ("hangul", "latin"),
    [
        ("에이더블유에스", "aws"),
        ("에스에스에이치", "ssh"),
        ("에이치티티피", "http"),
        ("쥐피유", "gpu"),
        ("씨아이", "ci"),
    ],
)
def test_an_abbreviation_is_read_by_its_letters(hangul: str, latin: str) -> None:
    """As it is said aloud, in either direction."""
    assert latin in in_letters(hangul)


@pytest.mark.parametrize("latin", ["aws", "ssh", "gpu", "qa", "CI"])
def test_what_is_spelt_out_is_read_back(latin: str) -> None:
    """Every way of spelling it out names the same letters."""
    assert spelt_out(latin)
    assert all(latin.casefold() in in_letters(hangul) for hangul in spelt_out(latin))


@pytest.mark.parametrize("hangul", ["유지", "이유", "아이", "오이", "제이슨", "서버", "", "ㅇㅇㅇ", "에이" * 40])
def test_a_word_is_no_abbreviation(hangul: str) -> None:
    """Short words are made of the names of letters by chance, and no abbreviation has forty."""
    assert in_letters(hangul) == ()


@pytest.mark.parametrize("latin", ["", "x", "pt", "kubernetes", "a1", "日本"])
def test_what_is_no_abbreviation_is_not_spelt_out(latin: str) -> None:
    """One letter, many, digits; and what would be two syllables of Hangul."""
    assert spelt_out(latin) == ()
