"""Files compressed with Zstandard (RFC 8878), as Codex keeps old rollouts: a stream, as far as they are whole."""

from __future__ import annotations

import io
from typing import Any, BinaryIO

from zstandard import ZstdDecompressor, ZstdError

__all__ = ["unpacked"]

_PIECE = 1 << 8
"""Compressed bytes unpacked at once. A block of four bytes may unpack to 128 KB: these are 8 MB at most."""


def unpacked(packed: BinaryIO, buffer_size: int) -> BinaryIO:
    """Return what is in a compressed file, however many frames it has.

    All that stands before damage can be read, then comes an ``OSError``; also where the file ends in a frame's middle.
    """
    return io.BufferedReader(_Unpacked(packed), buffer_size)


class _Unpacked(io.RawIOBase):
    def __init__(self, packed: BinaryIO) -> None:
        self._packed = packed
        self._left = b""
        """Compressed bytes behind the end of a frame."""
        self._frame: Any = None
        """The decompressor of the frame that was begun."""
        self._ready = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._ready:
            data, self._left = self._left or self._packed.read(_PIECE), b""
            if not data:
                if self._frame is not None:
                    raise OSError("the compressed file ends in the middle")
                return 0
            if self._frame is None:
                self._frame = ZstdDecompressor().decompressobj()
            try:
                self._ready = memoryview(self._frame.decompress(data))
            except ZstdError as error:
                raise OSError(f"the compressed file is damaged: {error}") from error
            if self._frame.eof:
                self._left, self._frame = self._frame.unused_data, None
        size = min(len(buffer), len(self._ready))
        buffer[:size], self._ready = self._ready[:size], self._ready[size:]
        return size

    def close(self) -> None:
        self._packed.close()
        super().close()
