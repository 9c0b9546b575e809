"""Ways to write one word: loanwords in Hangul and Latin letters, and the names in a vault's own glossary.

A question that holds one of a group finds texts that hold another. Documents are not expanded, so that a group can come
and go without a new index: all the ways of writing a word count as one word (the synonym operator of Turtle and Croft's
inference networks, 1991). In documents Hangul is compared by its bigrams: the analyser is not loaded for an English
question, and what it takes apart differently is found all the same.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import Final

from wwt_vault.index.analysis import MAX_QUESTION, Concept, Question, ask, phrase_of, plain
from wwt_vault.index.korean import is_particle
from wwt_vault.index.loanwords import loanwords, ordinary

__all__ = ["Group", "Synonyms", "also_written", "glossary_groups"]

Group = tuple[str, ...]
"""Ways to write one word, or names of one thing."""

_LINE: Final = re.compile(r"^\s*[-*+]\s+(\S.*=.*\S)\s*$", re.MULTILINE)
_CODE: Final = re.compile(r"^(`{3,}|~{3,}).*?^\1", re.MULTILINE | re.DOTALL)
_REST: Final = re.compile(r"[a-z0-9_]+|[\uac00-\ud7a3]+")
_MOST_GROUPS: Final = 2000
_LONGEST: Final = 80
_BEGINS: Final = re.compile(r"(?<![^\W\d_])[^\W_]|(?<=[a-z0-9])[\uac00-\ud7a3]|(?<=[\uac00-\ud7a3])[a-z0-9]")
"""Where a word begins: behind what is no letter, or where the script changes."""


class Synonyms:
    """Groups of words that mean the same. Does not change after it was made."""

    def __init__(self, groups: Iterable[Group] = ()) -> None:
        """Know the loanwords, and ``groups`` besides."""
        self._groups: dict[str, list[Group]] = {}
        groups = tuple(groups)
        self._own = frozenset(plain(word) for group in groups for word in group)
        for group in (*groups, *loanwords()):
            members = tuple(dict.fromkeys(plain(word) for word in group))
            for member in members:
                self._groups.setdefault(member, []).append(members)
        self._lengths = sorted(set(map(len, self._groups)), reverse=True)

    def expanded(self, question: Question, text: str) -> Question:
        """Return ``question``, the analysis of ``text``, with what else its words are written as."""
        concepts = {concept.terms[0]: concept for concept in question.concepts}
        for member, others in self.of(text).items():
            also = tuple(phrase_of(other) for other in others)
            own = [member] if member in concepts else [concept.terms[0] for concept in ask(member).concepts]
            if not own or not all(term in concepts for term in own):
                # A Korean word that the analyser takes apart another way alone than with its particle.
                own, also = [member], (phrase_of(member), *also)
            for term in own:
                concept = concepts.get(term) or Concept(member, (member,))
                concepts[term] = concept._replace(also=concept.also + also)
        return question._replace(concepts=tuple(concepts.values()))

    def names(self, text: str) -> set[str]:
        """Return what in a question is in a group and names one thing: the vault's own names, and no ordinary words."""
        return {member for member in self.of(text) if member in self._own or member not in ordinary()}

    def of(self, text: str) -> dict[str, Group]:
        """Return what in a question is in a group, and what else its groups hold: the longest at each place."""
        text = plain(text[:MAX_QUESTION])
        found: dict[str, Group] = {}
        for start in (match.start() for match in _BEGINS.finditer(text)):
            for length in self._lengths:
                member = text[start : start + length]
                if len(member) == length and member in self._groups and _ends(text, start + length):
                    others = dict.fromkeys(word for group in self._groups[member] for word in group if word != member)
                    found[member] = tuple(others)
                    break
        return found


def also_written(question: Question, written: Iterable[tuple[str, Collection[str], Group]]) -> Question:
    """Return ``question`` with what else some of its words are written as: a word, its terms, and the other ways.

    A word that is made of none of the question's concepts becomes one.
    """
    concepts = {concept.terms[0]: concept for concept in question.concepts}
    for word, terms, others in written:
        for term in [term for term in terms if term in concepts] or [word]:
            concept = concepts.get(term) or Concept(word, (word,))
            concepts[term] = concept._replace(also=(*concept.also, *map(phrase_of, others)))
    return question._replace(concepts=tuple(concepts.values()))


def _ends(text: str, at: int) -> bool:
    """Say whether a word ends here: a Latin one before what is no Latin letter, a Korean one before a particle too."""
    before, rest = text[at - 1], _REST.match(text, at)
    if rest is None:
        return True
    if before.isascii():
        return not rest[0][0].isascii()
    return rest[0][0].isascii() or is_particle(rest[0])


def glossary_groups(text: str) -> tuple[Group, ...]:
    """Return the groups of a glossary: its list items of the form ``- A = B = C``. All else is for people.

    >>> glossary_groups("Our words.\\n- 결제 모듈 = payment module = `pm`\\n- no group")
    (('결제 모듈', 'payment module', 'pm'),)
    """
    found = []
    for line in _LINE.findall(_CODE.sub("", text)):
        parts = (part.strip().strip("`*_\"'").strip().removeprefix("[[").removesuffix("]]") for part in line.split("="))
        group = tuple(dict.fromkeys(part for part in parts if 1 < len(part) <= _LONGEST))
        if len(group) > 1:
            found.append(group)
    return tuple(found[:_MOST_GROUPS])
