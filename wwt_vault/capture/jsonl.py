"""JSON of any size as small Python values: a transcript is read line by line in bounded memory, from any byte offset.

A line of gigabytes is possible (a pasted picture, a tool's whole output). Of every JSON string only the first megabyte
is kept, the rest is read over and counted; of a binary in base64 nothing is kept but its size and hash.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

from wwt_vault.model.conversation import time_since_1970

if TYPE_CHECKING:
    from zipfile import Path as ZipPath

    File = Path | ZipPath
    """A file on the disk, or inside a zip archive."""

__all__ = [
    "Line",
    "binary",
    "elements",
    "file_time",
    "is_utf16",
    "lines",
    "open_stream",
    "records",
    "size_of",
    "skip_to",
]

_CHUNK = 1 << 20
_STRING = 950_000
"""Bytes kept of one JSON string: with the note on what was cut less than ``text.MAX_TEXT``, so that it is cut once."""
_BINARY = 1 << 16
"""A string longer than this in base64 is a binary."""
_LINE = 32 << 20
"""Bytes kept of one line; the rest would not fit in memory as Python values."""
_ELEMENT = 64 << 20

_ZSTANDARD = b"\x28\xb5\x2f\xfd"

_UTF16 = (b"\xff\xfe", b"\xfe\xff")

_BLOB = "\x00"
"""First character of the string that stands for a binary: no JSON writer puts it there, and base64 has none."""


class Line(NamedTuple):
    """One line of a file."""

    number: int
    """Counted from 1."""
    start: int
    end: int
    """Offsets in bytes: of its first byte and behind its line end."""
    data: bytes
    """Without what was too long in it; empty when the line as a whole is too long."""
    whole: bool
    """False for the last line of a file that does not end in a line end: it may still be being written."""
    fault: str | None = None


def open_stream(path: File) -> BinaryIO:
    """Open a file for :func:`lines`; one that is compressed, or in an archive, gives what is in it, forwards only.

    Raises ``OSError``, for damage in a compressed file while it is read.
    """
    if isinstance(path, Path):
        file: BinaryIO = io.BufferedReader(io.FileIO(path), _CHUNK)
    else:
        from wwt_vault.capture.archives import open_member  # noqa: PLC0415 - no hook reads archives

        file = open_member(path)
    if file.peek(4)[:4] != _ZSTANDARD:  # type: ignore[attr-defined] # both are buffered
        return file
    from wwt_vault.capture.compressed import unpacked  # noqa: PLC0415 - not in the way of other hosts' hooks

    return unpacked(file, _CHUNK)


def file_time(path: File) -> datetime:
    """Return when the file was last written: the time of messages that have none, in files that name none at all."""
    if isinstance(path, Path):
        return time_since_1970(int(path.stat().st_mtime)) or datetime.fromtimestamp(0, UTC)
    from wwt_vault.capture.archives import member_stat  # noqa: PLC0415

    return member_stat(path)[1]


def size_of(path: File) -> int:
    """Return the size of a file in bytes. Raises ``OSError``."""
    if isinstance(path, Path):
        return path.stat().st_size
    from wwt_vault.capture.archives import member_stat  # noqa: PLC0415

    return member_stat(path)[0]


def is_utf16(path: File) -> bool:
    """Return whether a file begins as UTF-16 does: what PowerShell's ``>`` writes. Raises ``OSError``."""
    with open_stream(path) as file:
        return file.read(2) in _UTF16


def skip_to(file: BinaryIO, offset: int) -> int:
    """Go to ``offset`` of a file that may only be readable forwards; return where it stands, less if it is shorter."""
    if file.seekable():
        return file.seek(min(offset, file.seek(0, io.SEEK_END)))
    done = 0
    while done < offset and (data := file.read(min(_CHUNK, offset - done))):
        done += len(data)
    return done


def lines(file: BinaryIO, offset: int = 0, number: int = 0) -> Iterator[Line]:
    """Yield the lines of ``file``, which stands at ``offset`` with ``number`` lines before it; blank ones too."""
    while data := file.readline(_CHUNK):
        number += 1
        start, offset = offset, offset + len(data)
        fault = None
        if len(data) == _CHUNK and not data.endswith(b"\n"):
            data, offset, fault = _shortened(file, data, offset)
        whole = data.endswith(b"\n")
        if number == 1 and data.startswith(_UTF16):
            fault = "the file is not UTF-8 (it looks like UTF-16); save it as UTF-8"
            yield Line(number=number, start=start, end=offset, data=data, whole=whole, fault=fault)
            return  # where its lines end cannot be told
        yield Line(number=number, start=start, end=offset, data=data, whole=whole, fault=fault)


def records(line: Line) -> Iterator[dict[str, Any] | str]:
    """Yield the JSON objects of a line, usually one, or what is wrong with it as text.

    Two objects glued on one line (a crash between two writes) are two. An unfinished last line is silently none.
    """
    if line.fault is not None:
        yield line.fault
        return
    try:
        text = line.data.decode("utf-8-sig" if line.number == 1 else "utf-8")
    except UnicodeDecodeError:
        if line.whole:
            yield "bytes that are not UTF-8 were replaced"
        text = line.data.decode("utf-8", "replace")
    if text.startswith("\x00"):
        text = text.lstrip("\x00")  # what a crash leaves in a file that was being extended
    at = 0
    while (at := _SPACE.match(text, at).end()) < len(text):  # type: ignore[union-attr] # it matches the empty string
        try:
            value, at = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError) as error:
            if line.whole:
                yield f"not JSON: {getattr(error, 'msg', error)}"
            return
        if isinstance(value, dict):
            yield value
        else:
            yield f"not a JSON object: {type(value).__name__}"


def elements(file: BinaryIO, opening: str) -> Iterator[tuple[int, Any]]:
    """Yield the elements of the one array of a JSON file that begins after the regular expression ``opening``.

    Each comes with its number, counted from 0. The file is read as a stream: what is held is one element. Raises
    ``ValueError`` where the text is not JSON or ends in the middle, after all elements before that.
    """
    decode = _incremental(file)
    text = next(decode)
    while (match := re.search(opening, text)) is None:
        more = next(decode, "")
        if not more or len(text) > _ELEMENT:
            raise ValueError("the list of messages was not found")
        text += more
    text = text[match.end() :]
    number = 0
    wanted = _CHUNK
    while True:
        text = text.lstrip(" \t\r\n,")
        if text.startswith("]"):
            return
        try:
            value, end = _DECODER.raw_decode(text)
            if end == len(text) and not text.endswith(("}", "]", '"')):
                raise ValueError("a number or word may go on")
        except ValueError:
            # More is asked for in doubling amounts, so that a large element costs no more than twice its size.
            if len(text) > _ELEMENT or not (more := "".join(_at_least(decode, wanted))):
                raise ValueError(f"message {number + 1} is not JSON, or the file ends in it") from None
            text += more
            wanted *= 2
            continue
        yield number, value
        number += 1
        text, wanted = text[end:], _CHUNK


def binary(data: str) -> tuple[int, str]:
    """Return size in bytes and the first 12 hex of the SHA-256 of a binary given in base64 (or as a ``data:`` URL)."""
    if data.startswith(_BLOB):
        size, _, sha12 = data[1:].partition(":")
        return int(size), sha12
    digest = _Blob()
    digest.update(data.encode("ascii", "ignore"))
    return digest.size(), digest.sha12()


_DECODER = json.JSONDecoder()
_SPACE = re.compile(r"\s*")


def _incremental(file: BinaryIO) -> Iterator[str]:
    from codecs import getincrementaldecoder  # noqa: PLC0415 - only for files of the old kind

    decoder = getincrementaldecoder("utf-8-sig")("replace")
    while data := file.read(_CHUNK):
        yield decoder.decode(data)
    yield decoder.decode(b"", final=True)


def _at_least(parts: Iterator[str], size: int) -> Iterator[str]:
    for part in parts:
        yield part
        size -= len(part)
        if size <= 0:
            return


def _shortened(file: BinaryIO, head: bytes, offset: int) -> tuple[bytes, int, str | None]:
    """Read the rest of a long line; return it without what is too long in it, its end offset, and what is wrong."""
    short = _Shortener()
    data = head
    while True:
        ends = data.endswith(b"\n")
        short.feed(data)
        if ends or not (data := file.readline(_CHUNK)):
            break
        offset += len(data)
    if short.size > _LINE:
        return (b"\n" if ends else b""), offset, f"a line of more than {_LINE:,} bytes was passed over"
    return short.result(), offset, None


class _Shortener:
    """Takes JSON text in pieces and keeps it, but of each string only what :class:`_Text` keeps."""

    def __init__(self) -> None:
        self.size = 0
        self._kept: list[bytes] = []
        self._string: _Text | None = None
        self._left = b""
        self._inside = re.compile(rb'(?:[^"\\]++|\\.)*+', re.DOTALL)
        """The inside of a JSON string up to its end, or up to the end of the piece."""

    def feed(self, data: bytes) -> None:
        data, self._left = self._left + data, b""
        at = 0
        while at < len(data):
            if self._string is None:
                end = data.find(b'"', at)
                end = len(data) if end < 0 else end + 1
                self._keep(data[at:end])
                at = end
                if data[end - 1 : end] == b'"':
                    self._string = _Text()
                continue
            match = self._inside.match(data, at)
            assert match is not None  # noqa: S101 - it matches the empty string
            self._string.add(data[at : match.end()])
            at = match.end()
            if data[at : at + 1] == b'"':
                self._keep(self._string.result())
                self._string = None  # its closing mark is kept with what follows
                self._keep(b'"')
                at += 1
            elif at < len(data):
                self._left = data[at:]  # a backslash whose other half is in the next piece
                return

    def result(self) -> bytes:
        if self._string is not None:
            self._keep(self._string.result())
        return b"".join(self._kept) + self._left

    def _keep(self, data: bytes) -> None:
        self.size += len(data)
        if self.size <= _LINE:
            self._kept.append(data)


class _Text:
    """The inside of one JSON string, still escaped: the first megabyte of a text, size and hash of a binary."""

    def __init__(self) -> None:
        self._kept: list[bytes] = []
        self._size = 0
        self._blob: _Blob | None = None

    def add(self, data: bytes) -> None:
        size, self._size = self._size, self._size + len(data)
        if self._blob is not None:
            self._blob.update(data)
        elif size <= _STRING:
            self._kept.append(data)
            if size <= _BINARY < self._size and re.match(_BASE64, b"".join(self._kept)[:4096]):
                self._blob = _Blob()
                self._blob.update(b"".join(self._kept))
            elif self._size > _STRING:
                self._kept = [_whole_characters(b"".join(self._kept)[:_STRING])]

    def result(self) -> bytes:
        if self._blob is not None:
            return f"\\u0000{self._blob.size()}:{self._blob.sha12()}".encode()
        kept = b"".join(self._kept)
        if self._size > len(kept):
            kept += rf"\n\n[\u2026 {self._size - len(kept):,} more bytes were not kept]".encode()
        return kept


_BASE64 = rb"(?:data:[\w/+.;=-]{0,200},)?(?:[A-Za-z0-9+/=]|\\/|\\n|\\r){1000,}\Z"


def _whole_characters(data: bytes) -> bytes:
    """Cut an escape or a character of several bytes that is not whole at the end."""
    data = re.sub(rb"(?<!\\)((?:\\\\)*)\\(?:u[0-9A-Fa-f]{0,3})?\Z", rb"\1", data)
    return data.decode("utf-8", "ignore").encode()


class _Blob:
    """Size and SHA-256 of a binary that comes as base64 in pieces."""

    def __init__(self) -> None:
        from hashlib import sha256  # noqa: PLC0415 - few hooks meet a picture

        self._hash, self._size, self._left, self._begun = sha256(), 0, b"", False

    def update(self, data: bytes) -> None:
        from binascii import Error, a2b_base64  # noqa: PLC0415

        if not self._begun:
            self._begun = True
            data = re.sub(rb"\Adata:[^,]{0,200},", b"", data)
        if b"\\" in data:
            data = data.replace(rb"\/", b"/").replace(rb"\n", b"").replace(rb"\r", b"")
        data = self._left + data.translate(None, b" \t\r\n")
        whole = len(data) - len(data) % 4
        self._left = data[whole:]
        try:
            decoded = a2b_base64(data[:whole])
        except Error:
            decoded = data[:whole]  # no base64 after all: some hash of it will do
        self._hash.update(decoded)
        self._size += len(decoded)

    def size(self) -> int:
        return self._size

    def sha12(self) -> str:
        return self._hash.hexdigest()[:12]
