"""The user's list of folders in which nothing is captured: folders put on it and taken off, nothing else changed."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from wwt_vault.errors import BadArgument
from wwt_vault.setup.files import FileChange, decoded, read, write

__all__ = ["change_exclusions"]


def change_exclusions(
    path: Path, *, exclude: Iterable[Path] = (), include: Iterable[Path] = (), dry_run: bool = False
) -> list[str]:
    """Put folders on the list at ``path`` and take others off; return the list as it is then (``dry_run``: would be).

    Comments and the order of lines stay. Raises ``BadArgument`` for a folder to take off that is not on the list,
    ``UnparsableSettings`` for a list that is not text, ``VaultError``.
    """
    before = read(path)
    lines = decoded(before, str(path)).splitlines()
    for name in map(_absolute, include):
        kept = [line for line in lines if not _is(line, name)]
        if kept == lines:
            raise BadArgument(f"{name} is not excluded; {path} lists the folders that are", path=name)
        lines = kept
    for name in map(_absolute, exclude):
        if not any(_is(line, name) for line in lines):
            lines.append(name)
    after = "".join(f"{line}\n" for line in lines).encode()
    if after != (before or b"") and not dry_run:
        write(FileChange(path, before, after if lines else None, keep_copy=False, drop_copy=False))
    return [line.strip() for line in lines if line.strip() and not line.strip().startswith("#")]


def _absolute(folder: Path) -> str:
    return os.path.abspath(folder.expanduser())  # noqa: PTH100 - links are left as the person names them


def _is(line: str, name: str) -> bool:
    return os.path.normcase(os.path.normpath(line.strip() or "#")) == os.path.normcase(name)
