"""Vectors by the text they stand for: made once per model, kept through every rebuild, searched exactly.

One file per model, only ever appended to (under a lock of its own): a header of 512 bytes, then records of an unsigned
64-bit key (``passages.vector_key``) and a unit vector in float16, little-endian. A record that was torn by a crash is
cut off by the next writer and unseen by readers; one that does not hold a unit vector is as if it were not there, so
its text is embedded again. Generations refer to records by key alone: publishing vectors changes no generation, and
another model has another file.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from wwt_vault.index import privacy

__all__ = ["VectorStore", "prune_all"]

_HEADER: Final = 512
_FORMAT: Final = 1
_IN_MEMORY: Final = 192 << 20
"""Bytes of float32 that are kept in memory for fast searches; a larger store is converted piece by piece each time."""
_FEW: Final = 64
_BLOCK: Final = 512
"""Vectors taken at once: as many as the processor's own cache holds. Converting 4,096 takes three times as long."""
_UNIT: Final = 0.02
"""How far the length of a sound record's vector may be from 1."""
_LOCK_SECONDS: Final = 30.0


class VectorStore:
    """The vectors of one model. Any number of threads and processes may read and append."""

    def __init__(self, folder: Path, model: str, dimension: int, suffix: str = ".vectors") -> None:
        """Open or begin the store of ``model`` in ``folder``; nothing is written before the first ``append``.

        ``prune_all`` looks at files of the usual ``suffix`` alone.
        """
        self.model = model
        self.dimension = dimension
        name = blake2b(f"{model}\0{dimension}".encode(), digest_size=8).hexdigest()
        self.path = folder / f"{name}{suffix}"
        self._record = np.dtype([("key", "<u8"), ("vector", "<f2", (dimension,))])
        self._header = json.dumps({"format": _FORMAT, "model": model, "dimension": dimension}).encode()
        self._header = self._header[: _HEADER - 1].ljust(_HEADER - 1) + b"\n"
        self._lock = threading.RLock()
        self._placed: tuple[NDArray[np.uint64] | None, tuple[int, int], NDArray[np.intp]]
        self._placed = (None, (0, 0), np.empty(0, dtype=np.intp))
        self._forget()

    def _forget(self) -> None:
        self._identity: tuple[int, int] = (0, 0)
        self._keys: NDArray[np.uint64] = np.empty(0, dtype=np.uint64)
        self._order: NDArray[np.intp] = np.empty(0, dtype=np.intp)
        self._matrix: NDArray[np.float32] | None = np.empty((0, self.dimension), dtype=np.float32)

    def __len__(self) -> int:
        """Return how many vectors it holds, as last read."""
        return len(self._keys)

    def identity(self) -> tuple[int, int]:
        """Return what changes whenever a vector is added or dropped, by whomever."""
        with self._lock:
            self._refresh()
            return self._identity

    def slots(self, keys: NDArray[np.uint64]) -> NDArray[np.intp]:
        """Return the place of each key among the records, -1 where there is no vector. Sees what others appended.

        The places of the last large array of keys are kept: a generation asks for its own again and again.
        """
        with self._lock:
            self._refresh()
            asked, identity, found = self._placed
            if asked is not keys or identity != self._identity:
                found = self._search(keys)
                if len(keys) > _FEW:
                    self._placed = (keys, self._identity, found)
            return found

    def _search(self, keys: NDArray[np.uint64]) -> NDArray[np.intp]:
        if not len(self._order):
            return np.full(len(keys), -1, dtype=np.intp)
        ordered = self._keys[self._order]
        at = np.minimum(np.searchsorted(ordered, keys), len(ordered) - 1)
        return np.where(ordered[at] == keys, self._order[at], -1)

    def cosines(self, keys: NDArray[np.uint64], query: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the cosine of each key's vector with a unit vector, NaN where there is no vector."""
        with self._lock:
            slots = self.slots(keys)
            found = np.full(len(keys), np.nan, dtype=np.float32)
            known = slots >= 0
            if known.any():
                found[known] = self._products(query.astype(np.float32, copy=False))[slots[known]]
            return found

    def vectors(self, slots: NDArray[np.intp]) -> NDArray[np.float32]:
        """Return the vectors at these places, none of them -1, shape (places, dimension)."""
        with self._lock:
            if self._matrix is not None:
                return self._matrix[slots]
            return np.asarray(self._mapped()["vector"][slots], dtype=np.float32)

    def append(self, keys: Sequence[int], vectors: NDArray[np.float32]) -> None:
        """Add vectors of shape (keys, dimension). Raises ``filelock.Timeout`` or ``OSError``; nothing is half known."""
        from filelock import FileLock  # noqa: PLC0415 - 100 ms that a search does not need

        records = np.empty(len(keys), dtype=self._record)
        records["key"] = np.array(keys, dtype=np.uint64)
        records["vector"] = vectors
        privacy.make_folder(self.path.parent)
        with FileLock(self.path.with_suffix(".lock"), timeout=_LOCK_SECONDS, mode=privacy.FILE_MODE):
            if not self._is_ours():
                # Begun anew beside it: a reader may have the damaged file mapped.
                privacy.write(self.path.with_suffix(".new"), self._header)
                self.path.with_suffix(".new").replace(self.path)
            with self.path.open("r+b") as file:
                size = file.seek(0, os.SEEK_END)
                whole = size - (size - _HEADER) % self._record.itemsize
                file.truncate(whole)
                file.seek(whole)
                file.write(records.tobytes())

    def prune(self, keep: NDArray[np.uint64]) -> int:
        """Drop every record whose key is not in ``keep``; return how many were dropped."""
        from filelock import FileLock  # noqa: PLC0415 - as above

        if not self.path.exists():
            return 0
        with FileLock(self.path.with_suffix(".lock"), timeout=_LOCK_SECONDS, mode=privacy.FILE_MODE), self._lock:
            self._refresh()
            wanted = self._order[np.isin(self._keys[self._order], keep)]
            dropped = len(self._keys) - len(wanted)
            if dropped:
                aside = self.path.with_suffix(".new")
                privacy.write(aside, self._header + self._mapped()[np.sort(wanted)].tobytes())
                self._forget()
                aside.replace(self.path)
            return dropped

    def _is_ours(self) -> bool:
        try:
            with self.path.open("rb") as file:
                return file.read(_HEADER) == self._header
        except OSError:
            return False

    def _mapped(self) -> NDArray[Any]:
        return np.memmap(self.path, dtype=self._record, mode="r", offset=_HEADER, shape=(len(self._keys),))

    def _refresh(self) -> None:
        """Read what was appended since; start over when the file was replaced.

        A file that may not be read (another user's, a folder in its place) holds nothing; ``append`` says so.
        """
        try:
            status = self.path.stat()
        except OSError:
            self._forget()
            return
        count = max(0, status.st_size - _HEADER) // self._record.itemsize
        if (status.st_ino, count) == self._identity:
            return
        if status.st_ino != self._identity[0] or count < len(self._keys):
            self._forget()
            if not self._is_ours():
                return
        known = len(self._keys)
        try:
            added = np.fromfile(self.path, self._record, count - known, offset=_HEADER + known * self._record.itemsize)
        except OSError:  # replaced since, under the same number
            self._forget()
            return
        count = known + len(added)
        matrix: NDArray[np.float32] | None = None
        if self._matrix is not None and count * self.dimension * 4 <= _IN_MEMORY:
            matrix = np.empty((count, self.dimension), dtype=np.float32)
            matrix[:known] = self._matrix
        squares = np.empty(len(added), dtype=np.float32)
        for start, block in _converted(added["vector"], None if matrix is None else matrix[known:]):
            squares[start : start + len(block)] = np.einsum("ij,ij->i", block, block)
        sound = known + np.flatnonzero(np.abs(np.sqrt(squares) - 1) < _UNIT)  # false for what is not a number
        self._keys = np.concatenate((self._keys, added["key"].astype(np.uint64)))
        places = np.concatenate((self._order, sound))
        self._order = places[np.argsort(self._keys[places], kind="stable")]
        self._matrix = matrix
        self._identity = (status.st_ino, count)

    def _products(self, query: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the dot product of every record with the query.

        Piece by piece: for more at once BLAS takes several threads, which wait for one another in a busy loop: that
        gains a millisecond on an idle machine and loses hundreds on one that does other work.
        """
        found = np.empty(len(self._keys), dtype=np.float32)
        matrix = self._matrix
        if matrix is None:
            for start, block in _converted(self._mapped()["vector"]):
                np.dot(block, query, out=found[start : start + len(block)])
        else:
            for start in range(0, len(found), _BLOCK):
                np.dot(matrix[start : start + _BLOCK], query, out=found[start : start + _BLOCK])
        return found


def _converted(
    vectors: NDArray[np.float16], into: NDArray[np.float32] | None = None
) -> Iterator[tuple[int, NDArray[np.float32]]]:
    """Yield vectors as float32, some at a time, and where they begin; ``into`` keeps them."""
    piece = np.empty((_BLOCK, vectors.shape[1]), dtype=np.float32)
    for start in range(0, len(vectors), _BLOCK):
        part = vectors[start : start + _BLOCK]
        block = piece[: len(part)] if into is None else into[start : start + len(part)]
        block[...] = part
        yield start, block


def prune_all(folder: Path, keep: NDArray[np.uint64]) -> None:
    """Drop from every model's vectors in ``folder`` those whose key is not in ``keep``; a damaged file goes whole."""
    for path in sorted(folder.glob("*.vectors")):
        try:
            with path.open("rb") as file:
                header = json.loads(file.read(_HEADER))
            VectorStore(folder, header["model"], header["dimension"]).prune(keep)
        except (ValueError, KeyError, TypeError):
            path.unlink(missing_ok=True)
