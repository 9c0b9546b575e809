"""How new files are spelled: in NFC, and as what lies there is, where a file system would take the two for one."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from wwt_vault.errors import SyncRefused
from wwt_vault.sync import belonging
from wwt_vault.vault import layout

__all__ = ["Spelling", "one_spelling"]


def one_spelling(paths: Iterable[str]) -> dict[str, str]:
    """Return for each path of a tree the one under which it is to lie, so that no file system takes two for one.

    A folder or file that is spelled in several ways gets the spelling that most files have, the first of equals. It
    depends on the tree alone, so that every machine decides alike. What begins with a dot stays as it is, and so do
    messages, which lie where the settings say.
    """
    paths = [path for path in paths if not path.startswith(".")]
    folders = {path.rpartition("/")[0] for path in paths}
    folders |= {folder[: match.start()] for folder in folders for match in re.finditer("/", folder)}
    keys = {name: _key(name) for name in (*paths, *(f"{folder}/" for folder in folders))}
    if len({*keys.values()}) == len(keys):  # as nearly always
        return {path: path for path in paths}
    spelled: dict[str, Counter[str]] = {}
    for path in paths:
        for name, part in _prefixes(path):
            spelled.setdefault(keys[name], Counter())[part] += 1
    chosen = {key: min(found, key=lambda name: (-found[name], name)) for key, found in spelled.items()}
    return {
        path: path if belonging.event_of_path(path) else "/".join(chosen[keys[name]] for name, _ in _prefixes(path))
        for path in paths
    }


def _prefixes(path: str) -> Iterator[tuple[str, str]]:
    """Yield each folder of a path, with a slash after it, and the path itself, each with its last part."""
    parts = path.split("/")
    for depth, part in enumerate(parts, 1):
        yield "/".join(parts[:depth]) + ("/" if depth < len(parts) else ""), part


def _key(name: str) -> str:
    return name.lower() if name.isascii() else layout.name_key(name)


class Spelling:
    """The names in the folders of a vault, each listed once, and those that are to come."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._listed: dict[str, dict[str, list[str]]] = {}

    def near(self, path: str) -> list[str]:
        """Return the paths of all that lies, or will lie, beside a file."""
        folder, slash, name = path.rpartition("/")
        self._alike(folder, name)
        return [f"{folder}{slash}{name}" for alike in self._listed[folder].values() for name in alike]

    def place(self, path: str) -> str:
        """Return the path under which a new file is written.

        Raises ``SyncRefused`` where one side has a file and the other a folder.
        """
        path = belonging.logical(path)
        if path.startswith("."):
            return path
        folder = ""
        *folders, last = path.split("/")
        taken = self._taken_for(folders, last)
        if taken and path not in taken:
            *folders, last = taken[0].split("/")
        for part in folders:
            folder = f"{folder}{'/' if folder else ''}{self._spelled(folder, part)}"
            _refuse_unlike(folder, (self._root / folder).is_file())
        name = self._spelled(folder, last)
        place = f"{folder}/{name}" if folder else name
        _refuse_unlike(place, (self._root / place).is_dir())
        return place

    def respelled(self, path: str, stays: Callable[[str], bool]) -> str:
        """Return the path under which a file is written that got another spelling: of it, not of folders that stay."""
        *folders, last = belonging.logical(path).split("/")
        folder = ""
        for part in folders:
            above = f"{folder}/" if folder else ""
            there = above + self._spelled(folder, part)
            folder = there if there != above + part and stays(there) else above + part
        return f"{folder}/{last}" if folder else last

    def _spelled(self, folder: str, name: str) -> str:
        """Return a name as it is in a folder: by itself, else by one that is taken for it."""
        alike = self._alike(folder, name)
        if not alike:
            alike.append(name)
        return name if name in alike else alike[0]

    def _taken_for(self, folders: list[str], name: str) -> list[str]:
        """Return the paths of all that is taken for a file, in whatever spelling of its folders it lies."""
        places = [""]
        for part in (*folders, name):
            places = [f"{place}/{found}" for place in places for found in self._alike(place[1:], part)]
        return [place[1:] for place in places]

    def _alike(self, folder: str, name: str) -> list[str]:
        """Return the names in a folder that some file system takes for a name; what is added to them is to come."""
        if folder not in self._listed:
            try:
                names = sorted(entry.name for entry in (self._root / folder).iterdir())
            except OSError:
                names = []
            listed: dict[str, list[str]] = {}
            for found in dict.fromkeys(unicodedata.normalize("NFC", each) for each in names):
                listed.setdefault(layout.name_key(found), []).append(found)
            self._listed[folder] = listed
        return self._listed[folder].setdefault(layout.name_key(name), [])


def _refuse_unlike(path: str, unlike: bool) -> None:
    if unlike:
        message = f"{path} is a file on one side and a folder on the other: rename one of them. Nothing was changed."
        raise SyncRefused(message, reason="file_and_folder", path=path)
