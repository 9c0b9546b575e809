"""Names that a question writes in one script and the vault in the other: found by their sound (``sounds``).

Only words that are nowhere in the vault as they are written are looked up, so other questions pay nothing. The
words of a vault are read from its index once. A name is read letter by letter, and only what begins like one of them is
read on. What is found is then looked for as it stands in the passages, since the index has stems and morphemes.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from collections.abc import Set as AbstractSet
from functools import cache, cached_property
from itertools import islice
from math import inf
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wwt_vault.index.acronyms import in_letters, spelt_out
from wwt_vault.index.analysis import Name, latin_words, phrase_of, plain
from wwt_vault.index.korean import ends_name, is_particle
from wwt_vault.index.lexical import FIELDS, Reader
from wwt_vault.index.rows import Rows
from wwt_vault.index.sounds import ENGLISH, MOST, ROMANISED, Rule, Rules, fits, is_romanised, rules, spoken, unlikeness
from wwt_vault.model.knowledge import Passage

__all__ = ["Heard", "Soundalikes"]

_RUN: Final = re.compile("[\uac00-\ud7a3]+")
_SHORTEST, _LONGEST = 4, 24
"""Letters of a Latin word that has a sound of its own."""
_MOST_NAMES: Final = 6
"""Unknown words of a question that are looked up: a text in the language that the vault has nothing of has many."""
_MOST_FOUND: Final = 3
_MOST_TRIED: Final = 8
_AS_GOOD: Final = 0.05
"""What is no more unlike than this, beside the best, may as well be meant."""
_JOINED: Final = 0.1
"""How unlike a name may be that the analyser has taken for two words."""
_IN_HANGUL: Final = {2: 0.05, 3: 0.05, 4: 0.2}
"""``MOST`` for Latin words: of a question in English nearly every word is one that some Korean word sounds like."""
_ROWS: Final = 30
"""Passages in which a word is looked for as it is written."""
_ENDINGS: Final = frozenset(
    "sx jx i v iQ riQ iN vN xN syvN eisyvN jvN ivN mvNtx vNtx vNsx eNsx aNsx nisx ri Lri ibx iti iK vL xL bxL isx vri"  # noqa: SIM905 - reads as words
    " tx dx cv iji eiji aijx aijv eitv eitx".split()
)
"""What the endings sound like that the stemmer takes off."""
_HALF: Final = ("", "t", "s", "d", "e", "ag")
"""Letters of a stem that belong to the sound of its ending: of ``migrat``, ``packag``."""


class Heard(NamedTuple):
    """A word of a question, and what in the vault sounds like it."""

    name: str
    terms: tuple[str, ...]
    """The words of the question that it is made of, as they are searched."""
    others: tuple[str, ...]


class Soundalikes:
    """What one generation of the index holds, by its sound. Any number of threads."""

    def __init__(self, lexical: Reader, rows: Rows, passage: Callable[[int], Passage]) -> None:
        """Search ``lexical``; ``passage`` returns that of a row."""
        self._lexical, self._rows, self._passage = lexical, rows, passage

    def of(self, names: Iterable[Name], nowhere: AbstractSet[str]) -> tuple[Heard, ...]:
        """Return what sounds like those of ``names`` that the vault does not hold as they are written.

        ``nowhere`` are the terms of the question that are in no passage. What nothing sounds like is left out.
        """
        unknown = islice((name for name in names if self._is_unknown(name, nowhere)), _MOST_NAMES)
        heard = ((name, *self._first(name.texts)) for name in unknown)
        return tuple(Heard(text, name.terms, others) for name, text, others in heard if others)

    def _is_unknown(self, name: Name, nowhere: AbstractSet[str]) -> bool:
        if name.terms:
            return not nowhere.isdisjoint(name.terms)
        return not any(_stands(word, text) for word in name.texts for text in self._texts(word))

    def _first(self, texts: Iterable[str]) -> tuple[str, tuple[str, ...]]:
        """Return the first of the texts of a name that something sounds like, and what does."""
        found = ((text, self._in_hangul(text) if text.isascii() else self._in_latin(text)) for text in texts)
        return next((its for its in found if its[1]), ("", ()))

    # --- Hangul, as Latin words ---------------------------------------------------------------------------------------

    def _in_latin(self, hangul: str) -> tuple[str, ...]:
        letters = ((word, phrase_of(word).words[0]) for word in in_letters(hangul))
        if spelt := [w for w, stem in letters if any(w in latin_words(text, stem) for text in self._texts(stem))]:
            return tuple(spelt[:_MOST_FOUND])
        found: dict[str, float] = {}
        tried = sorted((cost, stem) for stem, cost in self._stems(hangul).items())
        for least, stem in tried[:_MOST_TRIED]:
            if found and least > min(found.values()) + _AS_GOOD:
                break
            for text in self._texts(stem):
                costs = ((word, unlikeness(hangul, word)) for word in latin_words(text, stem))
                found |= {word: cost for word, cost in costs if cost is not None}
        return _best(found)

    def _stems(self, hangul: str) -> dict[str, float]:
        """Return the Latin words of the vault that begin to sound like ``hangul``, and how unlike they are so far."""
        sound = spoken(hangul)
        if sound is None or len(hangul) not in range(2, _LONGEST):
            return {}
        most, by_sound = MOST[min(len(hangul), max(MOST))], _by_sound(ROMANISED if is_romanised(hangul) else ENGLISH)
        known, stems = self._latin
        found: dict[str, float] = {}
        levels: list[dict[tuple[str, int, str], float]] = [{} for _ in range(_LONGEST + 1)]
        levels[0]["", 0, ""] = 0.0
        for letters, level in enumerate(levels):
            for (spelled, read, before), cost in level.items():
                unread = sound[read:]
                for half in _HALF if unread in _ENDINGS else ("",) if not unread else ():
                    if spelled + half in stems:
                        found[spelled + half] = min(cost, found.get(spelled + half, inf))
                for rule in by_sound.get(unread[:1], ()):
                    longer = spelled + rule.letters
                    total = cost + rule.cost
                    if (
                        total <= most
                        and unread.startswith(rule.sound)
                        and not (rule.is_first and letters)
                        and fits(before, rule.letters)
                        and len(longer) <= _LONGEST
                        and (at := bisect_left(known, longer)) < len(known)
                        and known[at].startswith(longer)
                    ):
                        key = (longer, read + len(rule.sound), rule.before)
                        if total < levels[len(longer)].get(key, inf):
                            levels[len(longer)][key] = total
        return found

    @cached_property
    def _latin(self) -> tuple[list[str], frozenset[str]]:
        """The Latin words of the vault, as they are indexed: in order, and as a set."""
        terms = {term for field in FIELDS[:-1] for term in self._lexical.terms(field) if term.isascii()}
        found = frozenset(term for term in terms if term.isalpha() and _SHORTEST <= len(term) <= _LONGEST)
        return sorted(found), found

    # --- A Latin word, in Hangul --------------------------------------------------------------------------------------

    def _in_hangul(self, latin: str) -> tuple[str, ...]:
        if spelt := [w for w in spelt_out(latin)[:_MOST_TRIED] if any(_stands(w, text) for text in self._texts(w))]:
            return tuple(spelt[:_MOST_FOUND])
        if not _SHORTEST <= len(latin) <= _LONGEST:
            return ()
        tried: set[tuple[bool, float, str]] = set()  # what the vault has as one word first
        for table in (ENGLISH, ROMANISED):
            for cost, first, last in self._readings(latin, rules(table)):
                words = (word for word in self._joined(first, last) if is_romanised(word) == (table == ROMANISED))
                tried |= {(bool(first), cost, word) for word in words}
        likely = ((word, unlikeness(word, latin, _IN_HANGUL)) for _, _, word in sorted(tried))
        found: dict[str, float] = {}
        for word, cost in islice(((word, cost) for word, cost in likely if cost is not None), _MOST_TRIED):
            if found and cost > min(found.values()) + _AS_GOOD:
                break
            if any(_stands(word, text) for text in self._texts(word)):
                found[word] = cost
        return _best(found)

    def _readings(self, latin: str, table: Rules) -> Iterator[tuple[float, str, str]]:
        """Yield what reading ``latin`` as one word of the vault costs, or as two, and their sounds.

        Two, because the analyser makes them of a name that it does not know.
        """
        known, words = self._hangul
        levels: list[dict[tuple[str, str], float]] = [{} for _ in range(len(latin) + 1)]
        levels[0]["", ""] = 0.0
        for at, level in enumerate(levels[:-1]):
            starts: dict[tuple[str, str], float] = {}
            for (first, sound), cost in level.items():
                if not first and cost <= _JOINED and len(words.get(sound, [""])[0]) > 1:
                    starts[sound, ""] = cost
            for (first, sound), cost in (level | starts).items():
                for rule in table.get(latin[at], ()):
                    to, longer, total = at + len(rule.letters), sound + rule.sound, cost + rule.cost
                    if (
                        total <= (_JOINED if first else _IN_HANGUL[max(_IN_HANGUL)])
                        and latin.startswith(rule.letters, at)
                        and not (rule.is_first and at)
                        and fits(rule.before, latin[to:])
                        and total < levels[to].get((first, longer), inf)
                        and (place := bisect_left(known, longer)) < len(known)
                        and known[place].startswith(longer)
                    ):
                        levels[to][first, longer] = total
        yield from ((cost, first, last) for (first, last), cost in levels[-1].items() if last in words)

    def _joined(self, first: str, last: str) -> Iterator[str]:
        """Yield the words of these sounds; ``first`` may be empty. What ends in a particle is no name."""
        words = self._hangul[1]
        for word in words[last]:
            if not first:
                yield word
            elif not is_particle(word):
                yield from (before + word for before in words[first])

    @cached_property
    def _hangul(self) -> tuple[list[str], dict[str, list[str]]]:
        """The sounds of the vault's Korean words, in order, and the words by their sounds."""
        found: dict[str, list[str]] = {}
        words = {term for field in FIELDS[:-1] for term in self._lexical.terms(field) if _RUN.fullmatch(term)}
        words |= {word[:-1] for word in words if len(word) > 2 and word[-1] == "이"}  # 지훈이, where it is 지훈
        for word in sorted(words):
            if sound := spoken(word):
                found.setdefault(sound, []).append(word)
        return sorted(found), found

    # --- What the vault says ------------------------------------------------------------------------------------------

    def _texts(self, word: str) -> Iterator[str]:
        """Yield the texts of some passages that hold a term, or all bigrams of a Korean word."""
        terms, fields = ([word], FIELDS[:-1]) if word.isascii() else (phrase_of(word).grams, FIELDS[-1:])
        has = self._rows.alive.copy()
        for term in terms:
            its = np.zeros(len(has), dtype=np.bool_)
            for field in fields:
                its[self._lexical.postings(field, term)[0]] = True
            has &= its
        at: NDArray[np.intp] = np.flatnonzero(has)
        for row in at[:_ROWS].tolist():
            passage = self._passage(row)
            yield "\n".join((passage.title, passage.heading, passage.text, *passage.questions, *passage.tags))


@cache
def _by_sound(table: str) -> dict[str, list[Rule]]:
    """Return the rules of a table by their first sound; those for silent letters belong to every one, and to none."""
    every = [rule for its in rules(table).values() for rule in its]
    first = {"", *(rule.sound[0] for rule in every if rule.sound)}
    return {sound: [rule for rule in every if rule.sound[:1] in ("", sound)] for sound in sorted(first)}


def _stands(word: str, text: str) -> bool:
    """Say whether a Korean word stands in a text by itself, or before a particle."""
    runs = (run for run in _RUN.findall(plain(text)) if run.startswith(word))
    return any(ends_name(run[len(word) :]) for run in runs)


def _best(found: dict[str, float]) -> tuple[str, ...]:
    """Return the least unlike of the words found, and those that are as good."""
    order = sorted((cost, word) for word, cost in found.items())
    return tuple(word for cost, word in order[:_MOST_FOUND] if cost <= order[0][0] + _AS_GOOD)
