"""What is known of every row of a generation besides its terms: small arrays, read whole when a search begins.

Row numbers are those of ``lexical``. A deleted row keeps its place and is not alive. The file is an uncompressed
``npz`` without pickles; its zip checksums find a damaged one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Row", "Rows", "load_rows", "merged_rows", "save_rows"]

_COLUMNS: Final = {
    "key": np.uint64,
    "fingerprint": np.uint64,
    "document": np.int32,
    "time": np.int64,
}


class Row(NamedTuple):
    """One passage."""

    key: int
    """The passage's id as a number."""
    fingerprint: int
    """Of everything that is kept of it, see ``passages.Draft``."""
    document: int
    """Number of its document: its place in the manifest."""
    time: int
    """Milliseconds, ``filters.NO_TIME`` for none."""
    lengths: tuple[int, ...]
    """Terms in each of ``lexical.FIELDS``."""
    vectors: tuple[int, ...]
    """``passages.vector_key`` of each text whose vector stands for the passage."""


class Rows:
    """The arrays of one generation; not to be changed."""

    def __init__(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        self.arrays = arrays
        self.alive: NDArray[np.bool_] = arrays["alive"]
        self.key: NDArray[np.uint64] = arrays["key"]
        self.fingerprint: NDArray[np.uint64] = arrays["fingerprint"]
        self.document: NDArray[np.int32] = arrays["document"]
        self.time: NDArray[np.int64] = arrays["time"]
        self.lengths: NDArray[np.int32] = arrays["lengths"]
        """Shape (rows, fields)."""
        self.vector_key: NDArray[np.uint64] = arrays["vector_key"]
        """Shape (vectors,): a passage has one or more."""
        self.vector_row: NDArray[np.int32] = arrays["vector_row"]
        """Shape (vectors,): whose vector it is."""
        self.document_lengths: dict[int, NDArray[np.float64]] = {}
        """Worked out by ``ranking`` when first needed: field to the relative length of each document."""
        if any(len(arrays[name]) != len(self.alive) for name in (*_COLUMNS, "lengths")):
            raise ValueError("the row arrays differ in length")
        if len(self.vector_key) != len(self.vector_row):
            raise ValueError("the vector arrays differ in length")

    def __len__(self) -> int:
        return len(self.alive)

    @cached_property
    def passages(self) -> int:
        """Rows that are alive."""
        return int(self.alive.sum())

    @cached_property
    def documents(self) -> int:
        """One more than the highest document number."""
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
    def _by_key(self) -> tuple[NDArray[np.uint64], NDArray[np.intp]]:
        living = np.flatnonzero(self.alive)
        order = living[np.argsort(self.key[living], kind="stable")]
        return self.key[order], order

    @cached_property
    def _by_document(self) -> tuple[NDArray[np.int32], NDArray[np.intp]]:
        living = np.flatnonzero(self.alive)
        order = living[np.argsort(self.document[living], kind="stable")]
        return self.document[order], order

    def places(self, keys: NDArray[np.uint64]) -> NDArray[np.intp]:
        """Return the living row of each key, -1 where there is none."""
        ordered, rows = self._by_key
        if not len(ordered):
            return np.full(len(keys), -1, dtype=np.intp)
        at = np.minimum(np.searchsorted(ordered, keys), len(ordered) - 1)
        return np.where(ordered[at] == keys, rows[at], -1)

    def of_document(self, number: int) -> NDArray[np.intp]:
        """Return the living rows of a document."""
        ordered, rows = self._by_document
        first, last = np.searchsorted(ordered, (number, number + 1))
        return rows[first:last]


def merged_rows(
    keys: NDArray[np.uint64],
    deleted: NDArray[np.bool_],
    added: Iterable[Row],
    old: Rows | None,
    renumbered: NDArray[np.int32],
) -> Rows:
    """Return the rows of a new generation in the order of ``keys``: those that were added, else those of ``old``.

    ``renumbered`` gives each document number of ``old`` its new one. Raises ``KeyError`` for a key that is neither.
    """
    new = list(added)
    source = _arrays(new) if old is None else _joined(_arrays(new), old, renumbered)
    everything = Rows({**source, "alive": np.ones(len(source["key"]), dtype=np.bool_)})
    # What was added comes first and so wins over a row of the same key in ``old``.
    at = everything.places(keys)
    alive = ~deleted
    if (at[alive] < 0).any():
        raise KeyError("a row is of no known passage")
    at = np.where(alive, at, 0)
    arrays: dict[str, NDArray[Any]] = {"alive": alive}
    for name in (*_COLUMNS, "lengths"):
        column = source[name][at] if len(source[name]) else np.zeros((len(at), *source[name].shape[1:]))
        column[deleted] = 0
        arrays[name] = column.astype(source[name].dtype)
    new_row = np.full(len(source["key"]), -1, dtype=np.int32)
    new_row[at[alive]] = np.flatnonzero(alive)
    vector_row = new_row[source["vector_row"]]
    kept = vector_row >= 0
    return Rows({**arrays, "vector_key": source["vector_key"][kept], "vector_row": vector_row[kept]})


def _arrays(rows: list[Row]) -> dict[str, NDArray[Any]]:
    found: dict[str, NDArray[Any]] = {
        name: np.array([getattr(row, name) for row in rows], dtype=kind) for name, kind in _COLUMNS.items()
    }
    fields = len(rows[0].lengths) if rows else 0
    found["lengths"] = np.array([row.lengths for row in rows], dtype=np.int32).reshape(len(rows), fields)
    found["vector_key"] = np.array([key for row in rows for key in row.vectors], dtype=np.uint64)
    found["vector_row"] = np.array([at for at, row in enumerate(rows) for _ in row.vectors], dtype=np.int32)
    return found


def _joined(new: dict[str, NDArray[Any]], old: Rows, renumbered: NDArray[np.int32]) -> dict[str, NDArray[Any]]:
    """Return the new rows and after them the living ones of ``old`` that are not among them."""
    count = len(new["key"])
    kept = np.flatnonzero(old.alive & ~np.isin(old.key, new["key"]))
    found = {name: np.concatenate((new[name], old.arrays[name][kept])) for name in _COLUMNS}
    found["document"] = np.concatenate((new["document"], renumbered[old.document[kept]]))
    # Without a row an array does not know how many fields a row has.
    found["lengths"] = np.concatenate(
        [part for part in (new["lengths"], old.lengths[kept]) if len(part)] or [old.lengths]
    )
    place = np.full(len(old), -1, dtype=np.int32)
    place[kept] = count + np.arange(len(kept))
    vector_row = place[old.vector_row]
    whose = vector_row >= 0
    found["vector_key"] = np.concatenate((new["vector_key"], old.vector_key[whose]))
    found["vector_row"] = np.concatenate((new["vector_row"], vector_row[whose]))
    return found


def save_rows(path: Path, rows: Rows) -> None:
    """Write the arrays into a new file."""
    with path.open("xb") as file:
        np.savez(file, allow_pickle=False, **rows.arrays)


def load_rows(path: Path) -> Rows:
    """Read the arrays. A damaged file raises whatever numpy and zipfile raise."""
    with np.load(path, allow_pickle=False) as file:
        return Rows({name: file[name] for name in file.files})
