"""Questions to one generation: by words and by meaning, over arrays of all its rows.

Scores of a question do not depend on the filters, so those of the last few questions are kept: asking for its terms,
its hits and its cosines computes once. Every method raises ``Damaged`` when the generation cannot be read.
"""

from __future__ import annotations

import re
import threading
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from wwt_vault.index import analysis, filters, passages
from wwt_vault.index.generations import Generation, reading
from wwt_vault.index.identifiers import holds_word
from wwt_vault.index.ranking import Scored, Weighed, best, candidates, score
from wwt_vault.index.results import KeywordHit, MeaningHit, QueryTerm
from wwt_vault.index.soundalikes import Heard, Soundalikes
from wwt_vault.index.synonyms import Group, Synonyms, also_written
from wwt_vault.model.knowledge import Filters, Passage

if TYPE_CHECKING:
    from wwt_vault.index.centring import Centring
    from wwt_vault.index.embedder import Embedder
    from wwt_vault.index.vectors import VectorStore

__all__ = ["Searcher"]

_ID: Final = re.compile("[0-9a-f]{16}")
_REMEMBERED: Final = 6
"""Questions of which all is kept: one in five wordings, and one more."""
_READ: Final = 30
"""Passages in which the parts of a code that is nowhere are looked for together."""
_VERIFIED: Final = 200
"""Best candidates in which a quoted phrase is looked for word by word."""


class Searcher:
    """One generation, open for searching. Any number of threads."""

    def __init__(self, generation: Generation, glossary: Iterable[Group] = ()) -> None:
        """Search ``generation``; opens its files at the first question."""
        self.generation = generation
        self.use_glossary(glossary)
        self._lock = threading.Lock()
        self._known: OrderedDict[tuple[object, ...], Any] = OrderedDict()

    def terms(self, question: str) -> tuple[QueryTerm, ...]:
        """Return the words that are searched for."""
        return tuple(QueryTerm(word.surface, word.idf) for word in self._scored(question)[1].words)

    def use_glossary(self, groups: Iterable[Group]) -> None:
        """From now on take the words of each group for one word, as loanwords are."""
        self._synonyms = Synonyms(groups)

    def also(self, question: str) -> dict[str, Group]:
        """Return what in a question is also written in other ways, and how."""
        return self._synonyms.of(question)

    def by_sound(self, question: str) -> dict[str, Group]:
        """Return what in a question is nowhere as it is written, and what in the other script sounds like it."""
        return {name: others for name, _, others in self._scored(question)[2]}

    def keyword(self, question: str, limit_to: Filters, limit: int) -> list[KeywordHit]:
        """Return the best passages by their words."""
        asked, scored, _ = self._scored(question)
        if asked.is_empty:
            return []
        with reading("searching by words"):
            rows = self.generation.rows
            wanted = self._wanted(limit_to) & (scored.scores > 0)
            if asked.only_quoted or (wanted & scored.quoted).any():
                wanted &= scored.quoted
            found = best(scored.scores, rows, wanted, max(limit, _VERIFIED) if asked.phrases else limit)
            hits = [(int(row), self._passage(int(row))) for row in found]
        if asked.phrases:
            literal = [hit for hit in hits if _says(hit[1], asked.phrases)]
            hits = (literal or hits)[:limit]
        names = analysis.exact_terms(question) | self._synonyms.names(question)
        return [self._hit(row, passage, asked, scored, names) for row, passage in hits]

    def newest(self, limit_to: Filters, limit: int) -> list[Passage]:
        """Return the newest passages, those without a time left out."""
        with reading("the newest passages"):
            rows = self.generation.rows
            wanted = self._wanted(limit_to) & (rows.time > filters.NO_TIME)
            return [self._passage(int(row)) for row in best(rows.time, rows, wanted, limit)]

    def keyword_scores(self, question: str, ids: Iterable[str]) -> dict[str, float]:
        """Return the score of given passages: 0 where no word is; passages of other generations are left out."""
        scores = self._scored(question)[1].scores
        return {passage: float(scores[row]) for passage, row in self._places(ids)}

    def meaning(
        self, question: str, limit_to: Filters, limit: int, *, embedder: Embedder, centring: Centring
    ) -> list[MeaningHit] | None:
        """Return the passages nearest in meaning; ``None`` when no passage has a vector yet."""
        cosines = self._cosines(question, embedder, centring)
        if cosines is None:
            return None
        with reading("searching by meaning"):
            wanted = self._wanted(limit_to) & np.isfinite(cosines)
            found = best(cosines, self.generation.rows, wanted, limit)
            return [MeaningHit(self._passage(int(row)), float(cosines[row])) for row in found]

    def nearest(
        self, text: str, limit_to: Filters, limit: int, *, embedder: Embedder, centring: Centring
    ) -> list[MeaningHit]:
        """Return the passages that say most nearly what ``text`` says; the questions they answer do not count."""
        rows = self.generation.rows
        with reading("searching for like statements"):
            own = np.flatnonzero(self._wanted(limit_to)[rows.vector_row])
            # The first vector of a row is its text's, others are of the questions it answers.
            places, first = np.unique(rows.vector_row[own], return_index=True)
            if not len(places):
                return []
            vector = self._once(("passage", text, embedder.name), lambda: embedder.passages([text])[0])
            cosines = np.full(len(rows), np.nan, dtype=np.float32)
            cosines[places] = centring.nearness(rows.vector_key[own[first]], text, vector)
            found = best(cosines, rows, np.isfinite(cosines), limit)
            return [MeaningHit(self._passage(int(row)), float(cosines[row])) for row in found]

    def cosines(
        self, question: str, ids: Iterable[str], *, embedder: Embedder, centring: Centring
    ) -> dict[str, float] | None:
        """Return the cosine of given passages, those without a vector left out; ``None`` when there is no vector."""
        cosines = self._cosines(question, embedder, centring)
        if cosines is None:
            return None
        return {passage: float(cosines[row]) for passage, row in self._places(ids) if np.isfinite(cosines[row])}

    def likeness(self, ids: Sequence[str], centring: Centring) -> list[list[float]]:
        """Return the centred cosine of each passage's text with each other one's, 0 where a vector is missing."""
        rows = self.generation.rows
        at = dict(self._places(ids))
        keys = np.zeros(len(ids), dtype=np.uint64)
        for place, passage in enumerate(ids):
            if passage in at:
                # The first vector of a row is its text's, others are of the questions it answers.
                keys[place] = rows.vector_key[int(np.argmax(rows.vector_row == at[passage]))]
        found: list[list[float]] = centring.likeness(keys, rows.vector_key).tolist()
        return found

    def embedded(self, store: VectorStore) -> int:
        """Return how many passages have all their vectors."""
        rows = self.generation.rows
        missing = rows.vector_row[store.slots(rows.vector_key) < 0]
        return rows.passages - len(np.unique(missing[rows.alive[missing]]))

    def pending(self, store: VectorStore) -> list[tuple[int, int]]:
        """Return ``(vector key, row)`` of every text that has no vector, newest passages first, each key once."""
        rows = self.generation.rows
        at = np.flatnonzero((store.slots(rows.vector_key) < 0) & rows.alive[rows.vector_row])
        at = at[np.argsort(-rows.time[rows.vector_row[at]], kind="stable")]
        by_key: dict[int, int] = {}
        for row, key in zip(rows.vector_row[at].tolist(), rows.vector_key[at].tolist(), strict=True):
            by_key.setdefault(key, row)
        return list(by_key.items())

    def passage(self, row: int) -> Passage:
        """Return the passage of a row."""
        with reading("a passage"):
            return self._passage(row)

    def passages(self, ids: Iterable[str]) -> dict[str, Passage]:
        """Return the passages of these ids that are in this generation."""
        return {passage: self.passage(row) for passage, row in self._places(ids)}

    def _passage(self, row: int) -> Passage:
        return passages.from_payload(self.generation.lexical.payload(row))

    def _hit(
        self, row: int, passage: Passage, asked: analysis.Question, scored: Scored, names: AbstractSet[str]
    ) -> KeywordHit:
        """Return a passage with the words that it holds; ``names`` are those of the question that name one thing."""
        terms, exact, inside = [], set(), set()
        said = ""
        for at, concept in enumerate(asked.concepts):
            is_name, is_matched = concept.surface in names, bool(scored.matched[at, row])
            if not is_matched and not scored.in_parts[at, row]:
                continue
            if is_name or not is_matched:
                said = said or _said(passage)
            if not is_matched and not _stands_together(concept, said):
                continue
            terms.append(concept.surface)
            if is_name and is_matched and _stands_alone(concept, said):
                exact.add(concept.surface)
            elif is_name:
                inside.add(concept.surface)
        return KeywordHit(passage, float(scored.scores[row]), tuple(terms), frozenset(exact), frozenset(inside))

    def _places(self, ids: Iterable[str]) -> list[tuple[str, int]]:
        ids = [passage for passage in ids if _ID.fullmatch(passage)]
        rows = self.generation.rows.places(np.array([int(passage, 16) for passage in ids], dtype=np.uint64))
        return [(passage, row) for passage, row in zip(ids, rows.tolist(), strict=True) if row >= 0]

    def _wanted(self, limit_to: Filters) -> NDArray[np.bool_]:
        since = None if limit_to.since is None else filters.milliseconds(limit_to.since)
        until = None if limit_to.until is None else filters.milliseconds(limit_to.until)
        terms = filters.terms_wanted(limit_to)
        return candidates(self.generation.lexical, self.generation.rows, terms, since, until)

    def _scored(self, question: str) -> tuple[analysis.Question, Scored, tuple[Heard, ...]]:
        synonyms = self._synonyms

        def work() -> tuple[analysis.Question, Scored, tuple[Heard, ...]]:
            asked = synonyms.expanded(analysis.ask(question), question)
            with reading("searching by words"):
                scored = score(self.generation.lexical, self.generation.rows, asked)
                scored = replace(scored, words=tuple(self._weighed(asked, scored)))
            words = zip(asked.concepts, scored.words, strict=True)
            nowhere = {concept.terms[0] for concept, word in words if word.is_nowhere}
            known = synonyms.of(question).keys()
            names = [name for name in analysis.names(question) if known.isdisjoint(name.texts)]
            with reading("words that sound alike"):
                heard = self._soundalikes.of(names, nowhere)
                if heard:
                    asked = also_written(asked, heard)
                    scored = score(self.generation.lexical, self.generation.rows, asked)
                    scored = replace(scored, words=tuple(self._weighed(asked, scored)))
            return asked, scored, heard

        found: tuple[analysis.Question, Scored, tuple[Heard, ...]] = self._once(("words", question, synonyms), work)
        return found

    def _weighed(self, asked: analysis.Question, scored: Scored) -> Iterator[Weighed]:
        """Yield the words, those codes as being nowhere of which there are only parts, here and there."""
        rows = self.generation.rows
        said = cache(lambda row: _said(self._passage(row)))
        for concept, word, matched, in_parts in zip(
            asked.concepts, scored.words, scored.matched, scored.in_parts, strict=True
        ):
            is_code = concept.identifier is not None and any(map(str.isdigit, "".join(concept.identifier.pieces)))
            if is_code and not matched.any():
                likely = best(scored.scores, rows, in_parts, _READ)
                if not any(_stands_together(concept, said(row)) for row in likely.tolist()):
                    yield word.nowhere(rows.passages)
                    continue
            yield word

    @cached_property
    def _soundalikes(self) -> Soundalikes:
        return Soundalikes(self.generation.lexical, self.generation.rows, self._passage)

    def _cosines(self, question: str, embedder: Embedder, centring: Centring) -> NDArray[np.float32] | None:
        """Return the centred cosine of every row, of its nearest text; NaN where there is no vector."""
        rows = self.generation.rows
        vector = self._once(("vector", question, embedder.name), lambda: embedder.query(question))

        def work() -> NDArray[np.float32] | None:
            each = centring.cosines(rows.vector_key, question, vector)
            if len(each) and np.isnan(each).all():
                return None
            nearest = np.full(len(rows), np.nan, dtype=np.float32)
            np.fmax.at(nearest, rows.vector_row, each)
            return nearest

        found: NDArray[np.float32] | None
        found = self._once(("cosines", question, embedder.name, centring.identity()), work)
        return found

    def _once(self, what: tuple[object, ...], work: Callable[[], Any]) -> Any:
        with self._lock:
            if what in self._known:
                self._known.move_to_end(what)
                return self._known[what]
        # Outside the lock: a question that loads the Korean analyser must not hold up all others.
        result = work()
        with self._lock:
            self._known[what] = result
            while len(self._known) > 3 * _REMEMBERED:
                self._known.popitem(last=False)
        return result


def _says(passage: Passage, phrases: Collection[analysis.Phrase]) -> bool:
    """Say whether a passage holds every phrase literally."""
    text = _said(passage)
    return all(phrase.text in text for phrase in phrases)


def _said(passage: Passage) -> str:
    """Return all that a passage is found by, as quoted phrases are compared."""
    return analysis.plain("\n".join((passage.title, passage.heading, passage.text, *passage.questions, *passage.tags)))


def _stands_together(concept: analysis.Concept, text: str) -> bool:
    """Say whether a text that holds the parts of an identifier holds the identifier."""
    return concept.identifier is not None and concept.identifier.stands_in(text)


def _stands_alone(concept: analysis.Concept, text: str) -> bool:
    """Say whether a name that a text holds, in any way of writing it, is a word of its own there and no part of one."""
    if concept.identifier is not None and concept.identifier.others:
        return True  # it is made of parts itself, and so it is there as it is written
    return any(holds_word(text, word) for word in (concept.surface, *(phrase.text for phrase in concept.also)))
