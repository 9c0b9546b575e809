"""Latin words, numbers and identifiers: the terms by which each is indexed, and how one stands in a text.

An identifier is indexed whole, joined and in parts (``user_id`` as itself, ``userid``, ``user``, ``id``). Its parts
find what is like it. To be the same thing they must stand together, its numbers with them: ``KSK-ERR-12`` is no
``KSK-ERR-13``, and a text that speaks of a store and says no somewhere else holds no ``no-store``. A commit is found by
any beginning of seven digits or more.
"""

from __future__ import annotations

import re
import threading
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any, Final, NamedTuple

from wwt_vault.index.korean import HANGUL

__all__ = ["CJK", "Identifier", "fold", "holds_word", "identifier", "parts_of", "stem", "terms_of"]

CJK: Final = "\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"

_LONGEST_TERM: Final = 128
"""Characters. A SHA-512 in hex is a term, a base64 image is not."""
_MOST_PARTS: Final = 24
"""Parts taken from one identifier: a URL of a thousand parameters is not a thousand words."""
_PART: Final = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+|[^\W\d_A-Za-z]+")
_VERSION: Final = re.compile(r"\d+(?:\.\d+)+")
_SEGMENT: Final = re.compile(r"[/#@&~]+|::")
_FOLDER: Final = re.compile(r"/+|::")
_SHORT_HASH: Final = 7
_LONGEST_SHORT: Final = 12
_WHOLE_HASH: Final = 20
"""Hex digits from which it is no part number: of MD5 there are 32, of a commit 40; logs cut them."""
_HASH: Final = re.compile(f"[0-9a-f]{{{_SHORT_HASH},{_LONGEST_TERM}}}")
_LETTER: Final = rf"[^\W_{HANGUL}{CJK}]"
_HASHES: Final = re.compile(rf"(?<!{_LETTER}){_HASH.pattern}(?!{_LETTER})")
_JOINTS: Final = r"[._/\\:@~#&+-]"


class Identifier(NamedTuple):
    """One word, number or identifier."""

    whole: tuple[str, ...]
    """The terms that are the word itself: as it is written, joined, a version without its ``v``."""
    others: tuple[str, ...]
    """Terms of its parts."""
    pieces: tuple[str, ...]
    """The parts that must stand together in a text that holds it, case-folded, in order; none of what has no parts."""
    ends: tuple[tuple[str, ...], ...] = ()
    """Of a path, what is at least half of it, from its end: a text that names no other folder may mean it by that."""

    @property
    def needed(self) -> tuple[frozenset[str], ...]:
        """What terms a text has that may hold it in its parts, one set or another.

        Those of the letters among the parts, of the numbers where there are none; of a hash, that of its beginning.
        """
        longer = [piece for piece in (self.ends or (self.pieces,))[-1] if len(piece) > 1]
        terms = [stem(piece) for piece in longer if not piece.isdigit()] or longer
        return tuple(frozenset(its) for its in (terms, *((term,) for term in self.begins)) if its)

    @property
    def begins(self) -> tuple[str, ...]:
        """What finds a hash besides, of which a question and a text may each have all or the beginning."""
        if not _is_hash(self.whole[0]):
            return ()
        whole = self.whole[0]
        if len(whole) < _WHOLE_HASH:
            return (_hash_term(whole),)
        return tuple(whole[:length] for length in range(_SHORT_HASH, _LONGEST_SHORT + 1))

    def stands_in(self, text: str) -> bool:
        """Say whether its parts stand next to one another in a text, which is case-folded.

        Between two there may be a space, up to three of the marks that join identifiers, or nothing; around them no
        letter. Of a hash, one of the two may be the beginning of the other.
        """
        if _is_hash(self.whole[0]) and any(_are_one_hash(self.whole[0], found) for found in _HASHES.findall(text)):
            return True
        if not self.pieces:
            return False
        ends = (re.search(rf"(?<![/\\]){_together(end)}", text) for end in self.ends)
        return re.search(_together(self.pieces), text) is not None or any(ends)


@lru_cache(maxsize=1 << 16)
def terms_of(text: str) -> tuple[str, ...]:
    """Return the terms of one word or identifier, itself first, without repetition."""
    its = identifier(text)
    return its.whole + its.others


def identifier(text: str) -> Identifier:
    """Return what a word, a number or an identifier is made of."""
    folded = fold(text.casefold())
    if text.isalpha() and (text.islower() or text[1:].islower() or text.isupper() or re.fullmatch("[A-Z]{2,}s", text)):
        return Identifier((stem(folded),), (), ())
    if text.isdigit():
        return Identifier((folded[:_LONGEST_TERM],), (), ())
    written = folded.replace("\\", "/")
    whole = [stem(written)] if len(written) <= _LONGEST_TERM else []
    parts = [fold(part.casefold()) for part in parts_of(text)[:_MOST_PARTS]]
    if not any(map(str.isalpha, text)):
        # A date, a time, an address: its small numbers alone say nothing.
        numbers = [part for part in (*re.split("[:/]", written)[:_MOST_PARTS], *parts) if len(part) >= 4]
        numbers += _VERSION.findall(written)[:_MOST_PARTS]
        return Identifier(*_made(whole or [written[:_LONGEST_TERM]], numbers), ())
    if re.fullmatch(r"v\d[\w.+-]*", written):
        whole.append(written[1:])
    if 2 <= len(parts) <= 3:
        whole.append(stem("".join(parts)))
    segments = [bare for segment in _SEGMENT.split(written)[:_MOST_PARTS] if (bare := segment.strip(":"))]
    others = [stem(segment) for segment in segments if len(segments) > 1 and len(segment) <= _LONGEST_TERM]
    others += [stem(part) for part in parts if 1 < len(part) <= _LONGEST_TERM]
    others += _VERSION.findall(written)[:_MOST_PARTS]
    if _is_hash(written) and len(written) >= _WHOLE_HASH:
        others.append(_hash_term(written))
    made = _made(whole or (others or [written])[:1], others)
    return Identifier(*made, tuple(parts), tuple(_ends(text, parts)))


def _made(whole: Sequence[str], others: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    whole = tuple(dict.fromkeys(term[:_LONGEST_TERM] for term in whole))
    return whole, tuple(term for term in dict.fromkeys(others) if term not in whole)


def _ends(text: str, parts: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Yield the ends of a path that are at least half of its parts, all numbers among them, longest first."""
    folders = [parts_of(folder) for folder in _FOLDER.split(text.replace("\\", "/"))]
    for first in range(1, len(folders)):
        at = sum(map(len, folders[:first]))
        if at > 0 and len(parts) - at >= max(2, at) and not any(map(str.isdigit, parts[:at])):
            yield tuple(parts[at:])


def parts_of(text: str) -> list[str]:
    """Return the parts of an identifier, as they are written: runs of letters, of one word each, and of digits."""
    return _PART.findall(text)


def holds_word(text: str, word: str) -> bool:
    """Say whether a word or a number is a word of its own in a text, both case-folded: ``db`` is none in ``indexeddb``.

    A Latin word stands in any of its forms, one in Hangul before any particle.
    """
    if not word.isascii() or " " in word:
        return word in text
    if not word.isalpha():
        return re.search(rf"(?<!{_LETTER})(?<!\d[.,]){re.escape(word)}(?!{_LETTER}|[.,]\d)", text) is not None
    # The stemmer changes the last letter, if any before those that it takes off.
    begins = re.escape(stem(word)[:-1])
    return any(stem(found[0]) == stem(word) for found in _runs(text, begins))


def _runs(text: str, begins: str) -> Iterator[re.Match[str]]:
    return re.finditer(rf"(?<!{_LETTER}){begins}{_LETTER}*", text)


@lru_cache(maxsize=256)
def _together(pieces: tuple[str, ...]) -> str:
    pattern = rf"(?<!{_LETTER})" + (r"(?<!\d[.,])" if pieces[0].isdigit() else "") + re.escape(pieces[0])
    for before, piece in pairwise(pieces):
        both_digits = before.isdigit() and piece.isdigit()
        pattern += (rf"{_JOINTS}{{1,3}}" if both_digits else rf"(?:{_JOINTS}{{0,3}}|\s#?)") + re.escape(piece)
    if pieces[-1].isdigit():
        return rf"{pattern}(?![.,]\d)(?!{_LETTER})"
    return rf"{pattern}(?:e?s)?(?!(?!\d){_LETTER})"  # MyBatis3 is a MyBatis


def _is_hash(text: str) -> bool:
    """Say whether it looks like a commit, a digest or the beginning of one."""
    return _HASH.fullmatch(text) is not None and not text.isdigit() and not text.isalpha()


def _hash_term(text: str) -> str:
    return f"{text[:_SHORT_HASH]}…"


def _are_one_hash(one: str, other: str) -> bool:
    """Say whether two are one hash: the longer one is whole, or both are, and begins with the other."""
    short, long = sorted((one, other), key=len)
    return long.startswith(short) and (short == long or len(long) >= _WHOLE_HASH)


def fold(text: str) -> str:
    """Take the accents off Latin letters, so that ``cafe`` finds ``café``."""
    if text.isascii():
        return text
    bare = (character for character in unicodedata.normalize("NFKD", text) if not unicodedata.combining(character))
    folded = "".join(bare)
    return folded if folded.isascii() else text


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """Return the Snowball English stem of an alphabetic ASCII word; anything else is exact."""
    if len(word) > 2 and word.isascii() and word.isalpha():
        # The library keeps the word in the stemmer while it works, so each thread has its own.
        return str(_stemmer().stemWord(word))
    return word


_threads = threading.local()


def _stemmer() -> Any:  # the library has no types
    if not hasattr(_threads, "stemmer"):
        import snowballstemmer  # noqa: PLC0415 - 10 ms that only a text with words needs

        _threads.stemmer = snowballstemmer.stemmer("english")
    return _threads.stemmer
