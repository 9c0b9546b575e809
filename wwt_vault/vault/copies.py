"""Copies that a sync leaves beside a note when both sides changed it: recognised by their names.

=================  =====================================================================
this program       ``Note (conflict laptop 2026-11-30).md``
Obsidian Sync      ``Note (Conflicted copy laptop 202611301058).md``
Dropbox, Nextcloud ``Note (Minji's conflicted copy 2026-11-30).md``, ``(Case Conflict).md``
Google Drive       ``Note [Conflict].md``
Syncthing          ``Note.sync-conflict-20261130-105801-ABCDEF7.md``
iCloud and others  ``Note 2.md``, ``Note (1).md``: only where both are one note by their id
=================  =====================================================================

Such a copy is neither a note of its own nor indexed: what it says beside its note waits for a person.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable
from contextlib import suppress
from pathlib import Path as Place
from typing import Final, NamedTuple, TypeVar

from wwt_vault.vault.beneath import scanned
from wwt_vault.vault.layout import safe_name

__all__ = ["Copy", "copies_among", "copy_name", "find_copies", "numbered_original", "original_of"]

Path = TypeVar("Path", bound=str)

_DATE: Final = r"\d{4}-\d\d-\d\d"
_FORMS: Final = (
    rf"(?P<stem>.+?) \(conflict (?P<by>[^()]* )?{_DATE}(?: \d+)?\)",
    r"(?P<stem>.+?) \((?P<by>[^()]*\b)?(?i:conflicted copy)(?: [^()]*(?:\([^()]*\))?)?\)",
    r"(?P<stem>.+?) \((?i:(?:selective sync |case )conflict)[^()]*\)",
    r"(?P<stem>.+?) ?\[(?i:conflict(?:ed)?)\b[^\]]*\]",
    r"(?P<stem>.+?) \([^()]*충돌[^()]*사본[^()]*\)",
    r"(?P<stem>.+?)\.sync-conflict-\d{8}-\d{6}(?:-[A-Z0-9]{7})?",
)
_NUMBERED: Final = r"(.+?)(?: [2-9]| \([1-9]\))"


def original_of(path: str) -> str | None:
    """Return the path of the file that this one is a copy of by its name; ``None`` for any other name."""
    if "(" not in path and "[" not in path and ".sync-conflict-" not in path:
        return None  # nearly all
    folder, slash, name = path.rpartition("/")
    stem, dot, extension = name.rpartition(".")
    if not dot or not stem:
        return None
    stem = unicodedata.normalize("NFC", stem)
    found = next((match for form in _FORMS if (match := re.fullmatch(form, stem))), None)
    return f"{folder}{slash}{found['stem']}.{extension}" if found else None


def numbered_original(path: str) -> str | None:
    """Return the path that ``Note 2.md`` or ``Note (1).md`` may be a copy of: whether it is, only its id can tell."""
    folder, slash, name = path.rpartition("/")
    stem, dot, extension = name.rpartition(".")
    found = re.fullmatch(_NUMBERED, stem) if dot else None
    return f"{folder}{slash}{found[1]}.{extension}" if found else None


def copies_among(paths: Collection[Path]) -> dict[Path, str]:
    """Return those of ``paths`` that are copies of another one of them: the copy's path to the original's."""
    return {path: original for path in paths if (original := original_of(path)) is not None and original in paths}


def copy_name(path: str, machine: str, date: str, taken: Iterable[str]) -> str:
    """Return the path of a new copy, ``Note (conflict laptop 2026-11-30).md``, numbered where that is ``taken``."""
    folder, slash, name = path.rpartition("/")
    stem, dot, extension = name.rpartition(".")
    if not dot:
        stem, extension = name, ""
    by = safe_name(machine, 40).replace("(", "").replace(")", "").strip() or "elsewhere"
    used = set(taken)
    for number in range(1, 1000):
        mark = f" (conflict {by} {date}{f' {number}' if number > 1 else ''})"
        plain = safe_name(stem, 200 - len(mark.encode())) or "Note"
        candidate = f"{folder}{slash}{plain}{mark}{dot}{extension}"
        if candidate not in used:
            return candidate
    raise AssertionError("a thousand copies of one day")  # pragma: no cover - each has other bytes


class Copy(NamedTuple):
    """A copy, and what it is a copy of. Paths from the vault's root, in NFC."""

    path: str
    original: str


def find_copies(root: Place) -> list[Copy]:
    """Return all copies in a vault, by path: notes and any other files, those that are known by their names alone.

    Dot folders and links are left out. A folder that cannot be read counts as empty.
    """
    found: list[Copy] = []
    waiting = [("", str(root))]
    while waiting:
        above, folder = waiting.pop()
        names: dict[str, None] = {}
        with suppress(OSError), scanned(folder) as entries:
            for entry in entries:
                if entry.name.startswith(".") or entry.is_symlink():
                    continue
                path = f"{above}{unicodedata.normalize('NFC', entry.name)}"
                if entry.is_dir(follow_symlinks=False):
                    waiting.append((f"{path}/", f"{folder}/{entry.name}"))
                else:
                    names[path] = None
        found += (Copy(path, original) for path, original in copies_among(names).items())
    return sorted(found)
