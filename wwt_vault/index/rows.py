"""What is known of every row of a generation besides its terms: small arrays, read whole when a search begins.

Row numbers are those of ``lexical``. A deleted row keeps its place and is not alive. The file is an uncompressed
``npz`` without pickles; its zip checksums find a damaged one.
"""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["LANGUAGES", "Row", "Rows", "language_of", "load_rows", "save_rows"]

LANGUAGES: Final = ("other", "ko", "ja", "zh")


class Row(NamedTuple):
    """One passage, as ``save_rows`` takes it."""

    key: int
    document: int
    """Number of its document, from 0 without gaps."""
    time: int
    """Milliseconds, ``filters.NO_TIME`` for none."""
    language: int
    """Index into ``LANGUAGES``."""
    lengths: tuple[int, ...]
    """Terms in each of ``lexical.FIELDS``."""
    vectors: tuple[int, ...]
    """``passages.vector_key`` of each text whose vector stands for the passage."""


class Rows:
    """The arrays of one generation; not to be changed."""

    def __init__(self, arrays: dict[str, NDArray[Any]]) -> None:
        self.key: NDArray[np.uint64] = arrays["key"]
        self.alive: NDArray[np.bool_] = arrays["alive"]
        self.document: NDArray[np.int32] = arrays["document"]
        self.time: NDArray[np.int64] = arrays["time"]
        self.language: NDArray[np.uint8] = arrays["language"]
        self.lengths: NDArray[np.int32] = arrays["lengths"]
        """Shape (rows, fields)."""
        self.vector_key: NDArray[np.uint64] = arrays["vector_key"]
        """Shape (vectors,): a passage has one or more."""
        self.vector_row: NDArray[np.int32] = arrays["vector_row"]
        """Shape (vectors,), ascending: whose vector it is."""
        self.document_lengths: dict[int, NDArray[np.float64]] = {}
        """Worked out by ``ranking`` when first needed: field to the relative length of each document."""
        rows = len(self.key)
        columns = (self.alive, self.document, self.time, self.language, self.lengths)
        if any(len(column) != rows for column in columns) or len(self.vector_key) != len(self.vector_row):
            raise ValueError("the row arrays differ in length")

    def __len__(self) -> int:
        return len(self.key)

    @cached_property
    def passages(self) -> int:
        """Rows that are alive."""
        return int(self.alive.sum())

    @cached_property
    def documents(self) -> int:
        """Documents that have a passage."""
        return int(self.document.max(initial=-1)) + 1

    @cached_property
    def mean_lengths(self) -> NDArray[np.float64]:
        """Mean terms per passage in each field, shape (fields,); never 0, to be divided by."""
        mean: NDArray[np.float64] = self.lengths[self.alive].sum(axis=0) / max(1, self.passages)
        return np.maximum(mean, 1e-9)

    @cached_property
    def passages_of_document(self) -> NDArray[np.float64]:
        """Shape (documents,)."""
        return np.bincount(self.document[self.alive], minlength=self.documents).astype(np.float64)

    @cached_property
    def place(self) -> dict[int, int]:
        """The row of every living passage by its key."""
        living = np.flatnonzero(self.alive)
        return dict(zip(self.key[living].tolist(), living.tolist(), strict=True))

    def row(self, at: int) -> Row:
        """Return one row as a value, its document number of no meaning elsewhere."""
        first, last = np.searchsorted(self.vector_row, (at, at + 1))
        return Row(
            key=int(self.key[at]),
            document=int(self.document[at]),
            time=int(self.time[at]),
            language=int(self.language[at]),
            lengths=tuple(self.lengths[at].tolist()),
            vectors=tuple(self.vector_key[first:last].tolist()),
        )


def save_rows(path: Path, rows: list[Row | None], fields: int) -> None:
    """Write the rows in their order; ``None`` is a deleted one. ``fields`` is the number of lengths a row has."""
    nobody = Row(key=0, document=0, time=0, language=0, lengths=(0,) * fields, vectors=())
    kept = [row or nobody for row in rows]
    with path.open("xb") as file:
        np.savez(
            file,
            key=np.array([row.key for row in kept], dtype=np.uint64),
            alive=np.array([row is not None for row in rows], dtype=np.bool_),
            document=np.array([row.document for row in kept], dtype=np.int32),
            time=np.array([row.time for row in kept], dtype=np.int64),
            language=np.array([row.language for row in kept], dtype=np.uint8),
            lengths=np.array([row.lengths for row in kept], dtype=np.int32).reshape(len(kept), fields),
            vector_key=np.array([key for row in kept for key in row.vectors], dtype=np.uint64),
            vector_row=np.array([at for at, row in enumerate(kept) for _ in row.vectors], dtype=np.int32),
        )


def load_rows(path: Path) -> Rows:
    """Read the arrays. A damaged file raises whatever numpy and zipfile raise."""
    with np.load(path, allow_pickle=False) as file:
        return Rows({name: file[name] for name in file.files})


def language_of(text: str) -> int:
    """Return the language of a text by its letters, as an index into ``LANGUAGES``: a fifth of them decides."""
    if text.isascii():
        return 0
    hangul = sum("\uac00" <= character <= "\ud7a3" for character in text)
    kana = sum("\u3040" <= character <= "\u30ff" for character in text)
    han = sum("\u4e00" <= character <= "\u9fff" for character in text)
    least = max(1, sum(map(str.isalpha, text)) // 5)
    if hangul >= least:
        return 1
    if kana + han >= least:
        return 2 if kana * 10 >= han else 3
    return 0
