"""Abbreviations that are spelt out: ``에이더블유에스`` is AWS, letter by letter, by the Korean names of the letters."""

from __future__ import annotations

from itertools import product
from typing import Final

__all__ = ["in_letters", "spelt_out"]

_TABLE: Final = """
a=에이 b=비 c=씨|시 d=디 e=이 f=에프 g=지|쥐 h=에이치|에치 i=아이 j=제이 k=케이 l=엘 m=엠 n=엔 o=오 p=피 q=큐
r=알|아르 s=에스 t=티 u=유 v=브이 w=더블유|더블류 x=엑스 y=와이 z=제트|지
"""
_NAMES: Final = {letter: names.split("|") for letter, _, names in (entry.partition("=") for entry in _TABLE.split())}
_LETTERS: Final = {name: letter for letter, names in reversed(_NAMES.items()) for name in names}
_MOST: Final = 6
"""Letters of an abbreviation that people spell out."""


def in_letters(hangul: str) -> tuple[str, ...]:
    """Return the abbreviations, a-z, whose letters ``hangul`` names; none for words that are as likely words.

    >>> in_letters("에이더블유에스"), in_letters("유지")
    (('aws',), ())
    """
    if len(hangul) < 3:
        return ()
    found: list[list[str]] = [[""], *([] for _ in hangul)]
    for at in range(len(hangul)):
        for name, letter in _LETTERS.items():
            if found[at] and hangul.startswith(name, at):
                found[at + len(name)] += [before + letter for before in found[at] if len(before) < _MOST]
    return tuple(sorted(word for word in found[-1] if len(word) > 1))


def spelt_out(latin: str) -> tuple[str, ...]:
    """Return how an abbreviation, a-z, is spelt out in Hangul; nothing for what is too long to be one.

    >>> spelt_out("gpu")
    ('지피유', '쥐피유')
    """
    if not 2 <= len(latin) <= _MOST or not latin.isascii() or not latin.isalpha():
        return ()
    words = map("".join, product(*(_NAMES[letter] for letter in latin.casefold())))
    return tuple(word for word in words if len(word) > 2)
