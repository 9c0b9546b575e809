"""Latin words, numbers and identifiers: the terms by which each is indexed, and how one stands in a text.

An identifier is indexed whole, joined and in parts (``user_id`` as itself, ``userid``, ``user``, ``id``). Its parts
find what is like it. To be the same thing they must stand together, its numbers with them: ``KSK-ERR-12`` is no
``KSK-ERR-13``, and a text that speaks of a store and says no somewhere else holds no ``no-store``.
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

__all__ = ["CJK", "Identifier", "fold", "holds_together", "holds_word", "identifier", "parts_of", "stem", "terms_of"]

CJK: Final = "\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"

_LONGEST_TERM: Final = 128
"""Characters. A SHA-512 in hex is a term, a base64 image is not."""
_MOST_PARTS: Final = 24
"""Parts taken from one identifier: a URL of a thousand parameters is not a thousand words."""
_PART: Final = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+|[^\W\d_A-Za-z]+")
_SEGMENT: Final = re.compile(r"[/#@&~]+|::")
_FOLDER: Final = re.compile(r"/+|::")
_LETTER: Final = rf"[^\W_{HANGUL}{CJK}]"
_JOINTS: Final = r"[._/\\:@~#&+-]"


class Identifier(NamedTuple):
    """One word, number or identifier."""

    whole: tuple[str, ...]
    """The terms that are the word itself: as it is written, joined, a version without its ``v``."""
    others: tuple[str, ...]
    """Terms of its parts."""
    pieces: tuple[str, ...]
    """The parts that must stand together in a text that holds it, case-folded, in order; none of what has no parts.
    Of a path, those of its end that are at least half of all."""

    @property
    def needed(self) -> tuple[str, ...]:
        """The terms of a text that may hold the pieces together: of the letters among them, else of the numbers."""
        longer = [piece for piece in self.pieces if len(piece) > 1]
        return tuple(stem(piece) for piece in longer if not piece.isdigit()) or tuple(longer)


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
        return _made(whole or [written[:_LONGEST_TERM]], [part for part in parts if len(part) >= 4], ())
    if re.fullmatch(r"v\d[\w.+-]*", written):
        whole.append(written[1:])
    if 2 <= len(parts) <= 3:
        whole.append(stem("".join(parts)))
    segments = [bare for segment in _SEGMENT.split(written)[:_MOST_PARTS] if (bare := segment.strip(":"))]
    others = [stem(segment) for segment in segments if len(segments) > 1 and len(segment) <= _LONGEST_TERM]
    others += [stem(part) for part in parts if 1 < len(part) <= _LONGEST_TERM]
    return _made(whole or (others or [written])[:1], others, _end(text, parts))


def _made(whole: Sequence[str], others: Sequence[str], pieces: Sequence[str]) -> Identifier:
    whole = tuple(dict.fromkeys(term[:_LONGEST_TERM] for term in whole))
    return Identifier(whole, tuple(term for term in dict.fromkeys(others) if term not in whole), tuple(pieces))


def _end(text: str, parts: Sequence[str]) -> Sequence[str]:
    """Return the parts of the end of a path that is at least half of it, all numbers among them; else all parts."""
    folders = [parts_of(folder) for folder in _FOLDER.split(text.replace("\\", "/"))]
    for last in range(len(folders) - 1, 0, -1):
        end = parts[-sum(map(len, folders[last:])) :]
        before = parts[: len(parts) - len(end)]
        if len(end) >= max(2, len(before)) and not any(map(str.isdigit, before)):
            return end
    return parts


def parts_of(text: str) -> list[str]:
    """Return the parts of an identifier, as they are written: runs of letters, of one word each, and of digits."""
    return _PART.findall(text)


def holds_together(text: str, pieces: tuple[str, ...]) -> bool:
    """Say whether the parts of an identifier stand next to one another in a text, which is case-folded.

    Between two there may be a space, up to three of the marks that join identifiers, or nothing; around them no letter.
    """
    return bool(pieces) and _together(pieces).search(text) is not None


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
def _together(pieces: tuple[str, ...]) -> re.Pattern[str]:
    pattern = rf"(?<!{_LETTER})" + (r"(?<!\d[.,])" if pieces[0].isdigit() else "") + re.escape(pieces[0])
    for before, piece in pairwise(pieces):
        both_digits = before.isdigit() and piece.isdigit()
        pattern += (rf"{_JOINTS}{{1,3}}" if both_digits else rf"(?:{_JOINTS}{{0,3}}|\s)") + re.escape(piece)
    return re.compile(pattern + (r"(?![.,]\d)" if pieces[-1].isdigit() else "(?:e?s)?") + rf"(?!{_LETTER})")


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
