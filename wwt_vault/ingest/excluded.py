"""Folders in which nothing is captured, because the person said so.

Two ways to say it: the user's own list (a folder a line, written by ``wwt setup --exclude``), and a file ``.wwtignore``
in a folder or above it that names it: ``*`` is everything in the folder of that file, a glob without ``/`` a name
anywhere below, one with ``/`` a path from there. Asked at every prompt: a few files that are not there, no more.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from wwt_vault.config import user_folders
from wwt_vault.vault.layout import quick_glob

__all__ = ["IGNORE_FILE", "exclusion_list", "is_excluded", "listed"]

IGNORE_FILE = ".wwtignore"

_MOST, _MOST_OF_ANYBODYS = 64 << 10, 16 << 10
"""Bytes read of the user's list, and of an ignore file: somebody's folder must not keep a prompt waiting."""
_LONGEST = 1000
"""Characters of a pattern; a longer line is none."""


def is_excluded(cwd: str | None) -> bool:
    """Return whether nothing that is said in the folder ``cwd`` may be captured. Never raises."""
    if not cwd or not os.path.isabs(cwd):  # noqa: PTH117 - another system's path is not one of ours
        return False
    listed_folders = [_comparable(folder) for folder in listed()]
    if listed_folders:
        real = os.path.realpath(cwd)
        if any(_is_below(_comparable(name), folder) for name in (cwd, real) for folder in listed_folders):
            return True
    return _is_ignored(cwd)


def exclusion_list() -> str:
    """Return the path of the user's own list."""
    return os.fspath(user_folders().config / "exclude")


def listed() -> list[str]:
    """Return the folders in the user's list, as they stand there; ``#`` begins a comment."""
    return [line for line in _lines(exclusion_list()) if os.path.isabs(line)]  # noqa: PTH117 - strings all through


def _is_below(name: str, folder: str) -> bool:
    return name == folder or name.startswith(folder.rstrip(os.sep) + os.sep)


def _comparable(folder: str) -> str:
    return os.path.normcase(os.path.normpath(folder))


def _is_ignored(cwd: str) -> bool:
    parts: list[str] = []
    folder = os.path.normpath(cwd)
    while True:
        patterns = _lines(os.path.join(folder, IGNORE_FILE), _MOST_OF_ANYBODYS)  # noqa: PTH118 - fast
        if any(_names(pattern, parts) for pattern in patterns if len(pattern) <= _LONGEST):
            return True
        above, name = os.path.split(folder)
        if above == folder:
            return False
        parts.insert(0, name)
        folder = above


def _names(pattern: str, parts: list[str]) -> bool:
    """Return whether a line of an ignore file names its own folder, or one of ``parts``, the way down from there."""
    pattern = pattern.rstrip("/")
    if pattern in ("*", "**", "", "."):
        return True
    if not parts:
        return False
    from fnmatch import fnmatchcase  # noqa: PLC0415 - most hooks find no ignore file

    pattern = quick_glob(pattern)
    if "/" not in pattern:
        return any(fnmatchcase(part, pattern) for part in parts)
    ways = ("/".join(parts[:length]) for length in range(1, len(parts) + 1))
    return any(fnmatchcase(way, pattern.removeprefix("/").removesuffix("/**")) for way in ways)


def _lines(path: str, most: int = _MOST) -> Iterator[str]:
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))  # somebody's folder: it may be a pipe
        try:
            text = os.read(handle, most).decode("utf-8-sig", "replace")
        finally:
            os.close(handle)
    except (OSError, ValueError):
        return
    for line in text.splitlines():
        if (words := line.strip()) and not words.startswith("#"):
            yield words
