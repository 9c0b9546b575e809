"""Files inside zip archives, read where they are: nothing is unpacked, so nothing can be written anywhere by a name.

A member is a ``zipfile.Path``: it has a name, a parent and neighbours like any path. What no transcript can be is left
out by name; what cannot be read is told with the reason.
"""

from __future__ import annotations

import io
import lzma
import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO, NamedTuple
from zipfile import BadZipFile, ZipFile, ZipInfo
from zipfile import Path as ZipPath

from wwt_vault.errors import TranscriptError
from wwt_vault.model.conversation import Skipped

__all__ = ["PRIVATE_NAMES", "Member", "is_archive", "is_media", "member_stat", "members", "open_archive", "open_member"]

PRIVATE_NAMES = frozenset({"user.json", "users.json"})
"""Files of exports that hold the person's name, mail and telephone, and nothing that was said: never opened."""

_MEDIA = frozenset(
    f".{name}"
    for kind in (
        "bmp gif heic ico jpeg jpg png svg tif tiff webp",
        "aac flac m4a mp3 oga ogg opus wav",
        "avi mkv mov mp4 mpeg webm",
        "css htm html js otf ttf woff woff2",
        "dat dll doc docx dylib exe jar pdf pptx pyc so wasm xlsx",
    )
    for name in kind.split()
)
_BOMB_SIZE, _BOMB_RATIO = 4 << 30, 200
"""Bytes, and how many of them may come of one packed byte: of a text ten do, and Deflate can do a thousand."""
_DEFLATE_RATIO = 1100
_LONGEST_NAME, _DEEPEST = 1000, 50


class Member(NamedTuple):
    """A file in an archive that can be read."""

    path: ZipPath
    size: int
    """Bytes, unpacked."""


def is_archive(path: Path) -> bool:
    """Tell whether a file begins as a zip archive does. Raises ``OSError``."""
    with path.open("rb") as file:
        return file.read(4) in (b"PK\x03\x04", b"PK\x05\x06")


def is_media(name: str) -> bool:
    """Tell by its extension that a file is a picture, a sound, a page or a program: not worth a look inside."""
    return PurePosixPath(name).suffix.lower() in _MEDIA


@contextmanager
def open_archive(path: Path) -> Iterator[ZipFile]:
    """Open an archive. Raises ``TranscriptError`` for one that is damaged or cut off, ``OSError``."""
    try:
        archive = ZipFile(path)
    except (BadZipFile, NotImplementedError, ValueError, UnicodeDecodeError) as error:
        message = f"{path} is not a whole zip archive ({error}). Was it cut off on its way? Fetch it again."
        raise TranscriptError(message, path=str(path)) from error
    with archive:
        yield archive


def members(archive: ZipFile) -> Iterator[Member | Skipped]:
    """Yield the files of an archive in the order of their names, and what is not read of it, each reason once."""
    left: dict[str, list[str]] = {}
    listed = sorted(archive.infolist(), key=lambda info: info.filename)
    # zipfile.Path lists the folders above every name: of a long one they fill the memory, and above two slashes it
    # never comes to an end (CVE-2024-8088).
    archive.filelist = [info for info in listed if _fault_of_name(info) is None]
    for info in listed:
        name = PurePosixPath(info.filename.replace("\\", "/"))
        if not name.parts or info.is_dir() or is_media(info.filename) or name.name in PRIVATE_NAMES:
            continue
        if name.parts[:1] == ("__MACOSX",) or name.name.startswith("._"):
            continue
        reason = _unreadable(info, name)
        if reason is None:
            yield Member(ZipPath(archive, info.filename), info.file_size)
        else:
            left.setdefault(reason, []).append(info.filename)
    for reason, names in left.items():
        more = f" (and {len(names) - 1} more)" if len(names) > 1 else ""
        yield Skipped(path=f"{archive.filename}/{names[0][:300]}", line=0, reason=reason + more)


def _fault_of_name(info: ZipInfo) -> str | None:
    path = PurePosixPath(info.filename.replace("\\", "/"))
    if path.is_absolute() or ".." in path.parts or "\0" in info.orig_filename or re.match("[A-Za-z]:", info.filename):
        return "its name leads out of the archive; it was not read"
    if len(info.filename) > _LONGEST_NAME or len(path.parts) > _DEEPEST:
        return f"its name has more than {_LONGEST_NAME:,} letters or {_DEEPEST} folders; it was not read"
    return None


def _unreadable(info: ZipInfo, name: PurePosixPath) -> str | None:
    if reason := _fault_of_name(info):
        return reason
    if info.flag_bits & 1:
        return "it is encrypted; unpack the archive with its password and import the folder"
    if name.suffix.lower() == ".zip":
        return "an archive inside an archive is not opened; unpack it and import what is in it"
    ratio = info.file_size / max(info.compress_size, 1)
    if (info.file_size > 64 << 20 and ratio > _DEFLATE_RATIO) or (info.file_size > _BOMB_SIZE and ratio > _BOMB_RATIO):
        return f"it claims to unpack to {info.file_size:,} bytes, {ratio:,.0f} times its size; it was not read"
    return None


def open_member(path: ZipPath) -> BinaryIO:
    """Open a file of an archive, forwards only. Raises ``OSError``, for damage while it is read."""
    try:
        return io.BufferedReader(_Unpacked(path.open("rb")), 1 << 20)
    except _FAULTS as error:
        raise OSError(f"it cannot be unpacked: {error}") from error


def member_stat(path: ZipPath) -> tuple[int, datetime]:
    """Return size in bytes and time of a file in an archive; archives keep local times."""
    info = path.root.getinfo(path.at)
    try:
        return info.file_size, datetime(*info.date_time).astimezone(UTC)
    except (ValueError, OverflowError, OSError):
        return info.file_size, datetime(1980, 1, 1, tzinfo=UTC)


_FAULTS = (BadZipFile, EOFError, KeyError, NotImplementedError, RuntimeError, ValueError, lzma.LZMAError, zlib.error)
"""What ``zipfile`` raises, beside ``OSError``, for a damaged, encrypted or unknown kind of member."""


class _Unpacked(io.RawIOBase):
    def __init__(self, packed: Any) -> None:
        self._packed = packed

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            data = self._packed.read(len(buffer))
        except _FAULTS as error:
            raise OSError(f"it cannot be unpacked: {error}") from error
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        self._packed.close()
        super().close()
