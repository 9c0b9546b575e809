"""How near a passage is to a question, without what all questions and all texts of a language have in common.

A small multilingual model says first of a text in which language it is and that it is a question, and only then what it
is about: e5 gives unrelated texts a cosine of .8, and puts every passage in the question's own language before all
others. So the mean of the question's language is taken from the question's vector, and the mean of its own language
from each passage's ("language centroids": Libovický, Rosa and Fraser, "On the Language Neutrality of Pre-trained
Multilingual Representations", 2020). Unrelated texts then come out at about 0, whatever their languages, and passages
of all languages stand in one order. Measured: docs/benchmarks.md.

The mean of a language's passages is the vault's own, of at most ``_MOST`` of them, and leans on a few made-up passages
while the vault has few. Questions have only such samples. Their vectors are kept beside the vault's.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wwt_vault.index.analysis import language_of
from wwt_vault.index.passages import vector_key
from wwt_vault.index.samples import PASSAGES, QUESTIONS
from wwt_vault.index.vectors import VectorStore

if TYPE_CHECKING:
    from wwt_vault.index.embedder import Embedder

__all__ = ["Centring"]

_MOST: Final = 1000
"""Vectors of a language that its mean is taken of: those with the smallest keys, which stay while a vault grows."""
_PRIOR: Final = 10
"""Passages of the vault that weigh as much as the made-up ones."""


class _Centres(NamedTuple):
    """What is taken from vectors before they are compared."""

    means: NDArray[np.float32]
    """Shape (languages, dimension)."""
    lengths: NDArray[np.float32]
    """Shape (keys,): how far each key's vector lies from the mean of its language; arbitrary without a vector."""
    languages: NDArray[np.intp]
    """Shape (keys,)."""


class Centring:
    """The means of one model's vectors. Any number of threads."""

    def __init__(self, folder: Path, embedder: Embedder, store: VectorStore) -> None:
        """Compare questions with the vectors in ``store``; the samples' vectors are kept in ``folder``."""
        self._embedder = embedder
        self._store = store
        # By a suffix of their own: what is forgotten takes nothing of them, since they are nobody's words.
        self._samples = VectorStore(folder, f"{embedder.name}, samples", embedder.dimension, ".samples")
        self._means: dict[tuple[str, int], NDArray[np.float32]] = {}
        self._lock = threading.RLock()
        self._known: tuple[object, object, _Centres] | None = None

    def identity(self) -> tuple[int, int]:
        """Return what changes whenever the cosines may."""
        return self._store.identity()

    def cosines(self, keys: NDArray[np.uint64], question: str, vector: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the centred cosine of each key's text with a question and its vector; NaN where there is no vector."""
        with self._lock:
            direction = vector - self._sample("question", language_of(question))
            return self._compared(keys, direction, self._of_passages(keys))

    def nearness(self, keys: NDArray[np.uint64], text: str, vector: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the centred cosine of each key's text with a text and its vector as a passage; NaN without a vector.

        Both are taken for statements, and centred by what the model gives every statement of their languages: of a few
        notes on one subject the vault's own mean would take away the very subject.
        """
        with self._lock:
            languages = _languages(keys)
            means = np.zeros((len(PASSAGES), self._store.dimension), dtype=np.float32)
            lengths = np.ones(len(keys), dtype=np.float32)
            for language in np.unique(languages).tolist():
                means[language] = self._sample("statement", language)
                of_it = languages == language
                lengths[of_it] = _distances(self._store.cosines(keys[of_it], means[language]), means[language])
            direction = vector - self._sample("statement", language_of(text))
            return self._compared(keys, direction, _Centres(means, lengths, languages))

    def likeness(self, keys: NDArray[np.uint64], everything: NDArray[np.uint64]) -> NDArray[np.float32]:
        """Return the centred cosines of a few texts with one another, 0 where one has no vector.

        ``everything`` are the keys that the means are taken of, as in ``cosines``.
        """
        with self._lock:
            means = self._of_passages(everything).means
            slots = self._store.slots(keys)
            vectors = np.zeros((len(keys), self._store.dimension), dtype=np.float32)
            known = slots >= 0
            vectors[known] = self._store.vectors(slots[known]) - means[_languages(keys[known])]
            vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-6)
            return vectors @ vectors.T

    def _compared(
        self, keys: NDArray[np.uint64], direction: NDArray[np.float32], centres: _Centres
    ) -> NDArray[np.float32]:
        """Return the cosine of each key's vector, the mean of its language taken from it, with ``direction``."""
        direction = np.asarray(direction / max(float(np.linalg.norm(direction)), 1e-6), dtype=np.float32)
        found = self._store.cosines(keys, direction) - (centres.means @ direction)[centres.languages]
        return np.asarray(found / centres.lengths, dtype=np.float32)

    def _of_passages(self, keys: NDArray[np.uint64]) -> _Centres:
        identity = self._store.identity()
        if self._known is None or self._known[0] is not keys or self._known[1] != identity:
            languages = _languages(keys)
            slots = self._store.slots(keys)
            known = np.flatnonzero(slots >= 0)
            known = known[np.unique(keys[known], return_index=True)[1]]  # each text once, smallest keys first
            slots = slots[known]
            means = np.zeros((len(PASSAGES), self._store.dimension), dtype=np.float32)
            lengths = np.ones(len(keys), dtype=np.float32)
            own_languages = languages[known]
            for language in np.unique(own_languages).tolist():
                own = self._store.vectors(slots[own_languages == language][:_MOST])
                prior = self._sample("passage", language)
                means[language] = (own.sum(axis=0) + _PRIOR * prior) / (len(own) + _PRIOR)
                of_it = languages == language
                lengths[of_it] = _distances(self._store.cosines(keys, means[language])[of_it], means[language])
            self._known = (keys, identity, _Centres(means, lengths, languages))
        return self._known[2]

    def _sample(self, kind: str, language: int) -> NDArray[np.float32]:
        """Return the mean of the made-up questions, passages or statements of a language."""
        if (kind, language) not in self._means:
            if kind == "question":
                texts = QUESTIONS[language]
                found = self._vectors(kind, texts, lambda new: np.stack([self._embedder.query(text) for text in new]))
            elif kind == "statement":
                # In the shape of a short note: a title, a heading, and what it says.
                texts = tuple(f"{text[: len(text) // 3]} > Facts\n- {text}" for text in PASSAGES[language])
                found = self._vectors(kind, texts, self._embedder.passages)
            else:
                # In the shape in which conversations are embedded: the mean is of that shape as well.
                said = PASSAGES[language]
                texts = tuple(f"2026-03-01 claude-code\nuser: {text}\nassistant: {text}" for text in said)
                found = self._vectors(kind, texts, self._embedder.passages)
            self._means[kind, language] = found.mean(axis=0)
        return self._means[kind, language]

    def _vectors(
        self, kind: str, texts: Sequence[str], embed: Callable[[Sequence[str]], NDArray[np.float32]]
    ) -> NDArray[np.float32]:
        keys = np.array([vector_key(f"{kind}\0{text}") for text in texts], dtype=np.uint64)
        slots = self._samples.slots(keys)
        if (slots < 0).any():
            vectors = embed(texts)
            with suppress(OSError):  # a folder that cannot be written: they are made again next time
                self._samples.append(keys.tolist(), vectors)
            return vectors.astype(np.float16).astype(np.float32)  # as they will be read
        return self._samples.vectors(slots)


def _distances(products: NDArray[np.float32], mean: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return how far unit vectors lie from a mean, by their dot products with it; never 0, to be divided by."""
    squares = 1 - 2 * products + float(mean @ mean)
    return np.asarray(np.sqrt(np.maximum(squares, 1e-4)), dtype=np.float32)


def _languages(keys: NDArray[np.uint64]) -> NDArray[np.intp]:
    """Return the language of each key's text, see ``vector_key``."""
    return (keys & np.uint64(3)).astype(np.intp)
