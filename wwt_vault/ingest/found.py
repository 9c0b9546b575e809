"""Which files an import reads: those that were named, what lies in folders and zip archives, oldest first."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from wwt_vault.errors import TranscriptError
from wwt_vault.model.conversation import Skipped

if TYPE_CHECKING:
    from wwt_vault.capture.jsonl import File

__all__ = ["Found", "Part", "find", "parts"]


class Found(NamedTuple):
    """A file on the disk."""

    modified: float
    path: Path
    size: int
    """Bytes to be read: of an archive what is in it."""
    named: bool
    """Whether the person named this very file."""
    archive: bool


class Part(NamedTuple):
    """A file to be read: one on the disk, or one in an archive."""

    path: File
    size: int


def find(paths: Iterable[Path], *, named: bool = True) -> tuple[list[Found], list[Skipped]]:
    """Return the files to read, those that were written first before the others, and what is not read of them.

    ``named`` says whether the person named ``paths``; else files among them count as found in a folder.

    In folders, pictures and the like are passed over; files with the account's data are never opened.
    """
    from wwt_vault.capture.archives import PRIVATE_NAMES, is_media  # noqa: PLC0415 - no hook imports files

    found: dict[str, Found] = {}
    left: list[Skipped] = []
    for path in paths:
        inside = [path] if not path.is_dir() else (Path(top, name) for top, _, names in os.walk(path) for name in names)
        for file in inside:
            by_name = named and file == path
            if file.name in PRIVATE_NAMES:
                if by_name:
                    reason = "it holds the account's data and nothing that was said; it is never opened"
                    left.append(Skipped(path=str(file), line=0, reason=reason))
            elif by_name or not is_media(file.name):
                entry = _looked_at(file, named=by_name)
                if entry is not None:
                    found[str(file)] = entry
    return sorted(found.values()), left


def _looked_at(file: Path, *, named: bool) -> Found | None:
    from wwt_vault.capture import archives  # noqa: PLC0415

    try:
        stat = file.stat()
        archive = (named or file.suffix.lower() == ".zip") and file.is_file() and archives.is_archive(file)
    except OSError:
        return Found(0.0, file, 0, named=True, archive=False) if named else None
    size = stat.st_size
    if archive:
        try:
            with archives.open_archive(file) as opened:
                size = sum(part.size for part in archives.members(opened) if isinstance(part, archives.Member))
        except (TranscriptError, OSError):
            pass  # told when it is its turn to be read
    return Found(stat.st_mtime, file, size, named=named, archive=archive)


def parts(found: Found) -> Iterator[Part | Skipped]:
    """Yield the file itself, or what is in the archive, which stays open meanwhile.

    Raises ``TranscriptError`` for a damaged archive, ``OSError``.
    """
    if not found.archive:
        yield Part(found.path, found.size)
        return
    from wwt_vault.capture import archives  # noqa: PLC0415

    with archives.open_archive(found.path) as opened:
        for member in archives.members(opened):
            yield member if isinstance(member, Skipped) else Part(member.path, member.size)
