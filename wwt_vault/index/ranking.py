"""BM25F: how well each passage answers a question by its words.

BM25F with one saturation over all fields of a passage: the weighted and length-normalised counts of a term in title,
headings, body and tags are summed first (Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and
Beyond", 2009, section 3.6). To this is added the BM25 of the whole document: the words of a question are often spread
over a conversation, and the window that holds most of them is the better one if the rest stands near it. Hangul bigrams
count a sixth: they find what the morphological analyser misses and break what it ties.

Statistics count living passages only, so an index that was changed step by step ranks exactly like one built at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wwt_vault.index.analysis import Concept, Phrase, Question
from wwt_vault.index.filters import NO_TIME
from wwt_vault.index.rows import Rows

if TYPE_CHECKING:
    from wwt_vault.index.lexical import Reader

__all__ = ["DEFAULT", "Parameters", "Scored", "Weighed", "best", "candidates", "score"]


class Parameters(NamedTuple):
    """Chosen on AutoRAG-ko, KorQuAD and LoCoMo; what each is worth: ``tests/bench/keyword_quality.py``."""

    k1: float = 1.2
    title: float = 1.0
    heads: float = 1.5
    tags: float = 1.0
    length: float = 0.65
    """b of the body and of the bigrams, 0..1."""
    short_length: float = 0.3
    """b of title, headings and tags."""
    document: float = 1.0
    """Share of the document's score beside the passage's."""
    grams: float = 0.15
    variants: float = 0.5
    """Weight of the parts of an identifier beside the whole."""
    also: float = 0.8
    """What another way of writing a word counts beside the one that was asked."""


DEFAULT: Final = Parameters()
_BODY: Final = 2
_GRAMS: Final = 4
_Fields = tuple[tuple[str, int, float], ...]
_GRAM_FIELDS: Final[_Fields] = (("grams", _GRAMS, 1.0),)


class Weighed(NamedTuple):
    """One word of a question."""

    surface: str
    idf: float
    """Of the rarest form of it that is in the index; ``log(1 + passages)`` when none is."""
    is_nowhere: bool
    """No form of it is in the index."""

    def nowhere(self, passages: int) -> Weighed:
        """Return it as one that none of so many passages holds."""
        return Weighed(self.surface, log(1 + passages), True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """How well every row answers a question, whatever is filtered afterwards."""

    scores: NDArray[np.float64]
    """Shape (rows,); 0 where no word of the question is."""
    matched: NDArray[np.bool_]
    """Shape (words, rows): whether a row holds a word, in the order of ``words``."""
    in_parts: NDArray[np.bool_]
    """Shape (words, rows): whether it may hold it, since it holds its parts, wherever they stand."""
    words: tuple[Weighed, ...]
    quoted: NDArray[np.bool_]
    """Shape (rows,): whether a row holds every term of every quoted phrase; true without phrases."""


def score(index: Reader, rows: Rows, question: Question, parameters: Parameters = DEFAULT) -> Scored:
    """Score every living row against the question."""
    scorer = _Scorer(index, rows, parameters)
    matched = np.zeros((len(question.concepts), len(rows)), dtype=np.bool_)
    in_parts = np.zeros_like(matched)
    words = tuple(scorer.add_concept(*each) for each in zip(question.concepts, matched, in_parts, strict=True))
    for gram in question.grams:
        scorer.add_gram(gram)
    found = scorer.passages > 0
    scores = np.where(found, scorer.passages + parameters.document * scorer.documents[rows.document], 0.0)
    quoted = np.ones(len(rows), dtype=np.bool_)
    for phrase in question.phrases:
        for fields, terms in ((("title", "heads", "body", "tags"), phrase.words), (("grams",), phrase.grams)):
            for term in terms:
                has = np.zeros(len(rows), dtype=np.bool_)
                for field in fields:
                    has[index.postings(field, term)[0]] = True
                quoted &= has
    # Rounded, so that the order in which numbers were added decides nothing.
    return Scored(scores=scores.round(6), matched=matched, in_parts=in_parts, words=words, quoted=quoted)


def candidates(
    index: Reader, rows: Rows, terms: tuple[str, ...], since: int | None, until: int | None
) -> NDArray[np.bool_]:
    """Return which rows are alive and pass the filters; times in milliseconds, ``since`` ≤ time < ``until``."""
    wanted = rows.alive.copy()
    for term in terms:
        has = np.zeros(len(rows), dtype=np.bool_)
        has[index.filtered(term)] = True
        wanted &= has
    if since is not None:
        wanted &= rows.time >= since
    if until is not None:
        # A passage without a time comes before every limit and yet must not pass as old.
        wanted &= (rows.time < until) & (rows.time > NO_TIME)
    return wanted


def best(
    scores: NDArray[np.floating | np.int64], rows: Rows, wanted: NDArray[np.bool_], limit: int
) -> NDArray[np.intp]:
    """Return at most ``limit`` wanted rows, highest score first, equal ones by key: the same on every machine."""
    found = np.flatnonzero(wanted)
    if limit < 1:
        return found[:0]
    if len(found) > 4 * limit:
        least = np.partition(scores[found], len(found) - limit)[len(found) - limit]
        found = found[scores[found] >= least]
    return found[np.lexsort((rows.key[found], -scores[found]))][:limit]


class _Scorer:
    """Adds up the score of every row and document, term by term."""

    def __init__(self, index: Reader, rows: Rows, parameters: Parameters) -> None:
        self._index = index
        self._rows = rows
        self._parameters = parameters
        self.passages = np.zeros(len(rows))
        self.documents = np.zeros(max(1, rows.documents))
        p = parameters
        self._fields = (("title", 0, p.title), ("heads", 1, p.heads), ("body", _BODY, 1.0), ("tags", 3, p.tags))

    def add_concept(self, concept: Concept, matched: NDArray[np.bool_], in_parts: NDArray[np.bool_]) -> Weighed:
        """Add a word's terms; say where it is matched by itself, and where its parts are."""
        idfs: list[float] = []
        its = concept.identifier
        needed = its.needed if its else ()
        may_hold = [np.ones_like(in_parts) for _ in needed]
        for at, term in enumerate(concept.terms):
            also = concept.also if at == 0 else ()
            holders, idf = self._add(term, self._fields, self._parameters.variants if at else 1.0, also)
            if len(holders):
                idfs.append(idf)
            has = np.zeros_like(in_parts)
            has[holders] = True
            if at == 0 or (its and term in its.whole):
                matched |= has
            for way, terms in enumerate(needed):
                if term in terms:
                    may_hold[way] &= has
        for rows in may_hold:
            in_parts |= rows
        return Weighed(concept.surface, max(idfs, default=log(1 + self._rows.passages)), not idfs)

    def add_gram(self, gram: str) -> None:
        """Add a Hangul bigram."""
        self._add(gram, _GRAM_FIELDS, self._parameters.grams)

    def _add(
        self, term: str, fields: _Fields, weight: float, also: Sequence[Phrase] = ()
    ) -> tuple[NDArray[np.intp], float]:
        """Add one term, other ways to write it being the same one; return the living rows that hold it and its idf."""
        rows, p = self._rows, self._parameters
        count, plain = self._count(term, fields)
        for phrase in also:
            parts = [self._count(word, self._fields) for word in phrase.words]
            parts += [self._count(gram, _GRAM_FIELDS) for gram in phrase.grams]
            if parts:  # all of it must be there
                count += p.also * np.minimum.reduce([part[0] for part in parts])
                plain += p.also * np.minimum.reduce([part[1] for part in parts])
        holders = np.flatnonzero(count)
        if not len(holders):
            return holders, 0.0
        idf = _idf(len(holders), rows.passages)
        saturated = count[holders] * (p.k1 + 1) / (p.k1 + count[holders])
        self.passages[holders] += weight * idf * saturated
        its = np.flatnonzero(plain)
        length = self._document_lengths(_GRAMS if fields[0][1] == _GRAMS else _BODY)
        norm = p.k1 * (1 - p.length + p.length * length[its])
        document_idf = _idf(len(its), rows.documents)
        self.documents[its] += weight * document_idf * plain[its] * (p.k1 + 1) / (plain[its] + norm)
        return holders, idf

    def _count(self, term: str, fields: _Fields) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return how often each living row holds a term, by the lengths of its fields, and how often each document."""
        rows, p = self._rows, self._parameters
        count = np.zeros(len(rows))
        plain = np.zeros(len(self.documents))
        for name, at, field_weight in fields:
            holders, counts = self._index.postings(name, term)
            living = rows.alive[holders]
            holders, counts = holders[living], counts[living]
            if not len(holders):
                continue
            b = p.length if at in (_BODY, _GRAMS) else p.short_length
            norm = 1 - b + b * rows.lengths[holders, at] / rows.mean_lengths[at]
            count[holders] += field_weight * counts / norm
            its_documents = rows.document[holders]
            if at not in (_BODY, _GRAMS):  # a session's title is said once, not once in each of its windows
                counts = counts / rows.passages_of_document[its_documents]
            plain += field_weight * np.bincount(its_documents, counts, minlength=len(plain))
        return count, plain

    def _document_lengths(self, field: int) -> NDArray[np.float64]:
        """Return each document's length relative to the mean, shape (documents,)."""
        rows = self._rows
        known = rows.document_lengths
        if field not in known:
            living = rows.alive
            total = np.bincount(rows.document[living], rows.lengths[living, field], minlength=len(self.documents))
            known[field] = total / max(1e-9, float(total.mean()))
        return known[field]


def _idf(holders: int, all_of_them: int) -> float:
    """The BM25 idf that is never negative."""
    return log(1 + (all_of_them - holders + 0.5) / (holders + 0.5))
