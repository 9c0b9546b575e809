"""The names of all notes of a vault, listed as cheaply as a system lists them: in a large one, most of a save's time.

A folder's names are kept as one text, in which a name is found by the interpreter's own search. Only names that are not
ASCII have their case and Unicode form evened out one by one. A process that stays lists a folder again when its stamp
says that something came or went.
"""

from __future__ import annotations

import os
import stat
import time
import unicodedata
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from wwt_vault.errors import VaultMissing
from wwt_vault.model.conversation import DocumentId
from wwt_vault.vault import layout
from wwt_vault.vault.beneath import names_in

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["EXTENSIONS", "Names"]

EXTENSIONS = (".md", ".MD", ".Md", ".mD")
_TICK = 3_000_000_000
"""Nanoseconds: longer than any file system's clock stands still. What changed since may change once more unseen."""
_JUNCTION = 0xA0000003  # IO_REPARSE_TAG_MOUNT_POINT: Windows' other symbolic link


class _Folder(NamedTuple):
    place: str
    """On the disk."""
    path: str
    """From the vault's root, in NFC, with ``/`` at its end; empty for the root."""
    listed: str
    """The names in ASCII, each between line feeds."""
    folded: str
    """The same in lower case."""
    others: tuple[str, ...] = ()
    """The names that are not."""
    keys: str = ""
    """The keys of these, each between line feeds."""


class Names(Mapping[str, list[DocumentId]]):
    """Notes by ``layout.name_key`` of their name without extension; each list is sorted.

    Left out is what ``listing.markdown_files`` leaves out: dot files and folders, symbolic links.
    """

    def __init__(self, root: Path) -> None:
        """List the names below ``root``. Raises ``VaultMissing`` without a root."""
        self._folders: list[_Folder] = []
        self._added: dict[str, list[DocumentId]] = {}
        waiting = [(str(root), "")]
        while waiting:
            place, path = waiting.pop()
            try:
                folder, below = _folder_at(place, path)
            except OSError as error:
                if not path:
                    raise VaultMissing(f"{root} cannot be read: {error.strerror}", path=str(root)) from error
                continue
            self._folders.append(folder)
            waiting += ((f"{place}/{name}", f"{path}{unicodedata.normalize('NFC', name)}/") for name in below)

    def add(self, path: DocumentId) -> None:
        """Add a note that is about to be written."""
        self._added.setdefault(_key(path.rpartition("/")[2][:-3]), []).append(path)

    def __getitem__(self, key: str) -> list[DocumentId]:
        """Return the notes that have this name. Raises ``KeyError`` when there are none."""
        found = list(self._added.get(key, ()))
        for folder in self._folders:
            names = [name for name in _named(folder, key) if _is_file(f"{folder.place}/{name}")]
            found += (DocumentId(folder.path + unicodedata.normalize("NFC", name)) for name in names)
        if not found:
            raise KeyError(key)
        return sorted(set(found))

    def __iter__(self) -> Iterator[str]:
        """Yield every name's key, once; of a link or a folder that is called like a note, too, and that has none."""
        keys = set(self._added)
        for folder in self._folders:
            keys.update(name[:-3] for name in folder.folded.split("\n") if name)
            keys.update(key for key in folder.keys.split("\n") if key)
        yield from keys

    def __len__(self) -> int:
        """Return how many different names there are."""
        return sum(1 for _ in self)


def _folder_at(place: str, path: str) -> tuple[_Folder, list[str]]:
    """List a folder, unless a server has done so before and nothing came or went since. Raises ``OSError``."""
    found = os.stat(place)  # noqa: PTH116 - as below
    if time.time_ns() - found.st_mtime_ns < _TICK:
        return _listed(place, path)
    return _listed_once(place, path, (found.st_ino, found.st_mtime_ns, found.st_ctime_ns))


@lru_cache(256)
def _listed_once(place: str, path: str, stamp: tuple[int, ...]) -> tuple[_Folder, list[str]]:  # noqa: ARG001 - the key
    return _listed(place, path)


def _listed(place: str, path: str) -> tuple[_Folder, list[str]]:
    """Return a folder and the folders in it."""
    names = names_in(place)
    listed = "\n".join(["", *names, ""])
    if listed.isascii() and listed.count(".md\n") == len(names) and "\n." not in listed:  # as it is mostly
        return _Folder(place, path, listed, listed.lower()), []
    names = [name for name in names if name[0] != "." and "\n" not in name]
    notes = [name for name in names if name[-3:] in EXTENSIONS]
    below: list[str] = []
    if len(notes) < len(names):
        there = set(notes)
        below = [name for name in names if name not in there and _is_folder(f"{place}/{name}")]
    listed = "\n".join(["", *(name for name in notes if name.isascii()), ""])
    others = tuple(name for name in notes if not name.isascii())
    keys = "\n".join(["", *(_key(name[:-3]) for name in others), ""])
    return _Folder(place, path, listed, listed.lower(), others, keys), below


def _named(folder: _Folder, key: str) -> Iterator[str]:
    needle = f"\n{key}.md\n"
    at = folder.folded.find(needle)
    while at >= 0:
        yield folder.listed[at + 1 : at + len(needle) - 1]
        at = folder.folded.find(needle, at + 1)
    needle = f"\n{key}\n"
    at = folder.keys.find(needle)
    while at >= 0:
        yield folder.others[folder.keys.count("\n", 0, at)]
        at = folder.keys.find(needle, at + 1)


@lru_cache(1 << 16)
def _key(name: str) -> str:
    """Half of the cost of listing a large vault of Korean names, and the same every time."""
    return layout.name_key(name)


def _is_folder(place: str) -> bool:
    try:
        found = os.lstat(place)
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and getattr(found, "st_reparse_tag", 0) != _JUNCTION


def _is_file(place: str) -> bool:
    try:
        return stat.S_ISREG(os.lstat(place).st_mode)
    except OSError:
        return False
