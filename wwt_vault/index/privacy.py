"""The index holds what was said, so its files are the user's alone: folders 0700, files 0600 (nothing on Windows)."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["FILE_MODE", "close_tree", "make_folder", "write"]

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


def close_tree(folder: Path) -> None:
    """Close a folder and all below it that another library has written."""
    for place, _, names in os.walk(folder):
        Path(place).chmod(0o700)
        for name in names:
            Path(place, name).chmod(FILE_MODE)
