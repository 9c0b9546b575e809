"""Words out of a text: those of a message that is to be forgotten, as far as they can be recognised.

Texts are compared by their letters alone, whatever blanks, line breaks and quote marks lie between them. How much has
to agree depends on how near a text is to the message:

* ``near``, a note that cites it: any stretch that both have, of some words' length; whatever is quoted there and was
  said; the whole message, however short. In a line that cites it, also names, numbers and addresses that were said.
* elsewhere: whole lines and sentences of the message, of some words' length.

The marks of lists, quotes and headings stay, and so do short headings.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import NamedTuple

__all__ = ["GONE", "Words", "erased", "has_words", "words_of"]

GONE = "(forgotten)"
"""What stands in the place of words; safe in a property, too."""

_STRETCH = 16  # letters in a row, CJK ones counted twice: three words or four
_WINDOW = 8  # letters: a stretch of CJK ones
_PLACES = 16  # of a message at which a stretch is looked for; a text that repeats itself has thousands
_QUOTED = 4
_SENTENCE_END = re.compile(r"(?<=[.!?。！？])\s+|[\r\n]+")
_QUOTES = re.compile(
    r"\"([^\"\n]+)\"|“([^”\n]+)”|‘([^’\n]+)’|'([^'\n]+)'|`([^`\n]+)`|「([^」\n]+)」|『([^』\n]+)』|«([^»\n]+)»"
)
_TOKEN = re.compile(r"[^\s()\[\]{}<>\"'`“”‘’,;]+")
_MARKS = re.compile(r"[ \t>]*(?:#{1,6}[ \t]+|(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[.\][ \t]+)?)?")
_SKIPPED = re.compile(r"[\s>]+")


class Words(NamedTuple):
    """What to look for."""

    texts: tuple[str, ...]
    """The letters of each message."""
    sentences: tuple[str, ...]
    """Those of its lines and sentences that are long enough to be recognised anywhere."""
    stretches: frozenset[str]
    """Every run of ``_WINDOW`` letters."""
    tokens: frozenset[str]
    """Names with digits, numbers and addresses, as written."""
    hints: tuple[str, ...]
    """A word of each sentence: where it is missing, the sentence is."""


def words_of(texts: Iterable[str]) -> Words:
    """Return what to look for of these messages."""
    every = [unicodedata.normalize("NFC", text) for text in texts]
    letters = tuple(dict.fromkeys(_letters(text) for text in every if _letters(text)))
    parts = [part for text in every for part in (*_SENTENCE_END.split(text), *text.splitlines(), text)]
    sentences = {_letters(part): part for part in parts if _weight(_letters(part)) >= _STRETCH}
    return Words(
        texts=letters,
        sentences=tuple(sorted(sentences, key=lambda one: (-len(one), one))),
        stretches=frozenset(text[n : n + _WINDOW] for text in letters for n in range(len(text) - _WINDOW + 1)),
        tokens=frozenset(token for text in every for token in _tokens(text)),
        hints=tuple(dict.fromkeys(max(part.split(), key=len) for part in sentences.values())),
    )


def has_words(text: str, words: Words) -> bool:
    """Return whether a text has a whole line or sentence of the messages."""
    text = unicodedata.normalize("NFC", text)
    if not any(hint in text for hint in words.hints):
        return False
    letters = _letters(text)
    return any(sentence in letters for sentence in words.sentences)


def erased(text: str, words: Words, *, near: bool, citing: Sequence[tuple[int, int]] = ()) -> str:
    """Return ``text`` with the words taken out and everything else as it was.

    ``citing`` are the stretches of a ``near`` text that cite the messages, first and first behind, in characters.
    """
    spans = list(_whole(text, words))
    if near:
        spans += _common(text, words)
        spans += _quoted(text, words)
        spans += (
            (found.start(), found.start() + len(_token(found[0])))
            for start, stop in citing
            for found in _TOKEN.finditer(text, start, stop)
            if unicodedata.normalize("NFC", _token(found[0])) in words.tokens
        )
    pieces, done = [], 0
    for start, stop in _joined(part for span in spans for part in _by_line(text, span)):
        pieces += [text[done:start], GONE]
        done = stop
    return "".join([*pieces, text[done:]])


def _by_line(text: str, span: tuple[int, int]) -> Iterable[tuple[int, int]]:
    """Yield the parts of a stretch in each of its lines, behind the marks with which the line begins."""
    start, behind = span
    while start < behind:
        end = text.find("\n", start, behind)
        stop = behind if end < 0 else end
        begin = text.rfind("\n", 0, start) + 1
        marks = _MARKS.match(text, begin)
        first = max(start, marks.end() if marks else start)
        last = stop - (stop > first and text[stop - 1] == "\r")
        short = "#" in (marks[0] if marks else "") and _weight(_letters(text[first:last])) < _STRETCH
        if last > first and not short and _letters(text[first:last]):
            yield first, last
        start = stop + 1


def _whole(text: str, words: Words) -> Iterable[tuple[int, int]]:
    if any(hint in unicodedata.normalize("NFC", text) for hint in words.hints):
        letters, places = _placed(text)
        for sentence in words.sentences:
            yield from _found(letters, places, sentence)


def _common(text: str, words: Words) -> Iterable[tuple[int, int]]:
    """Yield the stretches that a text has in common with a message, and whole messages."""
    letters, places = _placed(text)
    for message in words.texts:
        if len(message) >= _QUOTED:
            yield from _found(letters, places, message)
    at = 0
    while at + _WINDOW <= len(letters):
        if letters[at : at + _WINDOW] not in words.stretches:
            at += 1
            continue
        longest = max(_agreeing(letters, at, message) for message in words.texts)
        if _weight(letters[at : at + longest]) >= _STRETCH:
            yield places[at][0], places[at + longest - 1][1]
            at += longest
        else:
            at += 1


def _agreeing(letters: str, at: int, message: str) -> int:
    """Return how many letters from ``at`` on stand in a message in a row."""
    best, start = 0, message.find(letters[at : at + _WINDOW])
    for _ in range(_PLACES):
        if start < 0:
            break
        size, step = _WINDOW, _WINDOW
        while step:  # the step doubles as long as all agrees, then halves until it is nothing
            if size + step <= len(letters) - at and message.startswith(
                letters[at + size : at + size + step], start + size
            ):
                size, step = size + step, step * 2
            else:
                step //= 2
        best = max(best, size)
        start = message.find(letters[at : at + _WINDOW], start + 1)
    return best


def _quoted(text: str, words: Words) -> Iterable[tuple[int, int]]:
    for found in _QUOTES.finditer(text):
        group = found.lastindex or 0
        said = _letters(unicodedata.normalize("NFC", found[group]))
        if _weight(said) >= _QUOTED and any(said in message for message in words.texts):
            yield found.span(group)


def _found(letters: str, places: Sequence[tuple[int, int]], needle: str) -> Iterable[tuple[int, int]]:
    at = letters.find(needle)
    while at >= 0:
        yield places[at][0], places[at + len(needle) - 1][1]
        at = letters.find(needle, at + len(needle))


def _joined(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    joined: list[tuple[int, int]] = []
    for start, stop in sorted(spans):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(stop, joined[-1][1]))
        else:
            joined.append((start, stop))
    return joined


def _letters(text: str) -> str:
    return _SKIPPED.sub("", text)


def _placed(text: str) -> tuple[str, list[tuple[int, int]]]:
    """Return the letters of a text in NFC, and where each of them begins and ends in it."""
    found = [(letter, place, place + 1) for place, letter in enumerate(text) if letter != ">" and not letter.isspace()]
    letters = "".join(letter for letter, _, _ in found)
    if unicodedata.is_normalized("NFC", letters):
        return letters, [(start, stop) for _, start, stop in found]
    pieces: list[tuple[str, int, int]] = []
    at = 0
    while at < len(found):
        behind = at + 1
        while behind < len(found) and _continues(found[behind][0]):
            behind += 1
        whole = unicodedata.normalize("NFC", "".join(letter for letter, _, _ in found[at:behind]))
        pieces += ((letter, found[at][1], found[behind - 1][2]) for letter in whole)
        at = behind
    return "".join(letter for letter, _, _ in pieces), [(start, stop) for _, start, stop in pieces]


def _continues(letter: str) -> bool:
    """Return whether a character belongs to the letter before it: a mark, or a vowel or final consonant of Hangul."""
    return unicodedata.combining(letter) > 0 or "\u1160" <= letter <= "\u11ff"


def _weight(letters: str) -> int:
    return sum(2 if letter >= "\u1100" else 1 for letter in letters)


def _tokens(text: str) -> Iterable[str]:
    for found in _TOKEN.finditer(text):
        token = _token(found[0])
        digits = sum(letter.isdigit() for letter in token)
        named = any(letter.isalpha() for letter in token)
        if len(token) >= _QUOTED and ((digits and named) or digits >= 6 or "@" in token):
            yield token


def _token(text: str) -> str:
    """Return a word without the punctuation, and without a Korean particle, behind it."""
    text = text.rstrip(".:!?)…")
    particle = re.fullmatch(r"(.*[!-~])[가-힣]{1,3}", text)
    return particle[1] if particle else text
