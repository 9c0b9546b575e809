"""The index holds what was said, so its files are the user's alone: folders 0700, files 0600 (nothing on Windows)."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import IO

__all__ = ["FILE_MODE", "close_tree", "make_folder", "put", "write"]

FILE_MODE = 0o600


def make_folder(folder: Path) -> None:
    """Make a folder and those above it that are missing."""
    for missing in reversed([path for path in (folder, *folder.parents) if not path.exists()]):
        missing.mkdir(mode=0o700, exist_ok=True)


def write(path: Path, data: bytes) -> None:
    """Write a whole file, over what was there."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_BINARY", 0)
    with os.fdopen(os.open(path, flags, FILE_MODE), "wb") as file:
        file.write(data)


def put(path: Path, write_to: Callable[[IO[bytes]], object]) -> None:
    """Write a whole file beside its place, then put it there: readers see the one before or this one. Makes its folder.

    Raises ``OSError`` and whatever ``write_to`` does; nothing is left lying then.
    """
    import tempfile  # noqa: PLC0415 - only where something is made that is kept for long

    make_folder(path.parent)
    number, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.stem}-")
    try:
        with os.fdopen(number, "wb") as file:
            write_to(file)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def close_tree(folder: Path) -> None:
    """Close a folder and all below it that another library has written."""
    for place, _, names in os.walk(folder):
        Path(place).chmod(0o700)
        for name in names:
            Path(place, name).chmod(FILE_MODE)
