"""Which Markdown files there are in a vault: all of them, or those at places that were touched. None is opened."""

from __future__ import annotations

import os
import re
import stat
import unicodedata
from contextlib import ExitStack
from fnmatch import translate
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from wwt_vault.errors import VaultError, VaultMissing
from wwt_vault.model.conversation import DocumentId
from wwt_vault.vault import files, layout
from wwt_vault.vault.beneath import in_folder, scanned
from wwt_vault.vault.names import EXTENSIONS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["files_at", "markdown_files"]

_IGNORE_FILE = ".wwtignore"
_MOST, _LONGEST = 16 << 10, 1000
"""Bytes of it that are read, characters of a line: more would keep every search waiting."""
_TELLING = (layout.CURATED_MARKS, layout.PROJECT_NAMES, layout.CONFIG_FILE, layout.VAULT_FILE)
"""What of our own data says something of documents."""


def markdown_files(
    root: Path, *, all_of_them: bool = True, without: str = ""
) -> Iterator[tuple[DocumentId, str, os.DirEntry[str]]]:
    """Yield every Markdown file of a vault in no particular order: its path in NFC, its place on the disk, its entry.

    The entry can be asked for as long as no other has been yielded.

    Dot files and folders (Obsidian's settings, its trash, our own data) and symbolic links are left out and, unless
    ``all_of_them`` are asked for, what ``.wwtignore`` names; so is the folder ``without``. A folder below the root that
    cannot be read counts as empty. Raises ``VaultMissing`` without a root.
    """
    ignored = None if all_of_them else _ignored(root)
    waiting = [("", str(root))]
    while waiting:
        above, folder = waiting.pop()
        with ExitStack() as stack:
            try:
                entries = stack.enter_context(scanned(folder))
            except OSError as error:
                if not above:
                    raise VaultMissing(f"{root} cannot be read: {error.strerror}", path=str(root)) from error
                continue
            for entry in entries:
                name = entry.name
                if name[0] == ".":
                    continue
                # Neither is true of a symbolic link.
                is_file = name[-3:] in EXTENSIONS and entry.is_file(follow_symlinks=False)
                is_folder = not is_file and entry.is_dir(follow_symlinks=False)
                if not is_file and (not is_folder or getattr(entry, "is_junction", bool)()):
                    continue
                path = above + (name if name.isascii() else unicodedata.normalize("NFC", name))
                if ignored is not None and ignored.names(path, is_folder=is_folder):
                    continue
                if is_folder and path == without:
                    continue
                if is_folder:
                    waiting.append((f"{path}/", f"{folder}/{name}"))
                else:
                    yield DocumentId(path), f"{folder}/{name}", entry


def files_at(root: Path, places: Iterable[str]) -> dict[DocumentId, os.stat_result | None] | None:
    """Return the Markdown files at ``places`` (absolute paths) that ``markdown_files`` would yield but for
    ``.wwtignore``'s, by path; with ``None`` what is none, or none any more.

    ``None`` when what lies at a place may have changed what other files are: a folder, or what ``.wwt`` says of them.
    """
    ignored = _ignored(root)
    found: dict[DocumentId, os.stat_result | None] = {}
    for place in places:
        try:
            parts = Path(place).relative_to(root).parts
        except ValueError:
            return None  # the root by another name
        if parts in ((), (layout.DATA,), (_IGNORE_FILE,)) or "/".join(parts[:2]) in _TELLING:
            return None
        if any(part[0] == "." for part in parts):
            continue
        there = _plain(root.joinpath(*parts))
        is_file = there is not None and stat.S_ISREG(there.st_mode)
        if parts[-1][-3:] not in EXTENSIONS:
            if not is_file:
                return None  # a folder, or what may have been one
            continue
        if there is not None and not is_file:
            return None
        path = DocumentId(unicodedata.normalize("NFC", "/".join(parts)))
        above = ["/".join(path.split("/")[:depth]) for depth in range(1, len(parts))]
        if ignored is None or not (
            ignored.names(path, is_folder=False) or any(ignored.names(each, is_folder=True) for each in above)
        ):
            found[path] = there
    return found


def _plain(place: Path) -> os.stat_result | None:
    """Return what lies at a path that is reached through folders alone; ``None`` when nothing does."""
    try:
        with in_folder(place) as at:
            return os.stat(at.name, dir_fd=at.folder, follow_symlinks=False)
    except OSError:
        return None


class _Ignored(NamedTuple):
    """What ``.wwtignore`` names, as patterns for names and for paths: ``None`` where nothing is of that kind."""

    files: tuple[re.Pattern[str] | None, re.Pattern[str] | None]
    folders: tuple[re.Pattern[str] | None, re.Pattern[str] | None]

    def names(self, path: str, *, is_folder: bool) -> bool:
        """Tell whether it names a file or a folder."""
        by_name, by_path = self.folders if is_folder else self.files
        return bool((by_name and by_name.match(path.rpartition("/")[2])) or (by_path and by_path.match(path)))


def _ignored(root: Path) -> _Ignored | None:
    """Read ``.wwtignore``: a glob a line; one without ``/`` fits a name anywhere, one that ends in ``/`` a folder."""
    try:
        text = (files.read(root / _IGNORE_FILE) or b"")[:_MOST].decode("utf-8-sig", "replace")
    except VaultError:  # a link, which may lead to anything without an end
        return None
    globs = [
        layout.quick_glob(glob)
        for line in text.splitlines()
        if (glob := unicodedata.normalize("NFC", line).strip()) and not glob.startswith("#") and len(glob) <= _LONGEST
    ]

    def pattern(*, anchored: bool, folders: bool) -> re.Pattern[str] | None:
        chosen = [
            translate(glob.strip("/"))
            for glob in globs
            if ("/" in glob.rstrip("/")) == anchored and (folders or not glob.endswith("/"))
        ]
        return re.compile("|".join(chosen)) if chosen else None

    both = [(pattern(anchored=False, folders=of), pattern(anchored=True, folders=of)) for of in (False, True)]
    return _Ignored(*both) if any(map(any, both)) else None
