"""What belongs in a vault: the list by which sync decides what it sends and what it lets in.

A file that is on the list is synced. One that is not is neither committed nor written by sync, wherever it comes from:
no program, no settings of a tool that runs things, no link. Where a person has put such a file under git, sync carries
what they commit, and checking it out is theirs.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection
from typing import Final

from wwt_vault.vault.layout import (
    CONFIG_FILE,
    CURATED_MARKS,
    EVENT_ID,
    EVENTS,
    PROJECT_NAMES,
    REVISIONS,
    VAULT_FILE,
    event_path,
)

__all__ = [
    "ATTACHMENTS",
    "IGNORE_FILES",
    "MAX_BYTES",
    "belongs",
    "event_of_path",
    "is_hostile",
    "is_note",
    "is_pointer",
    "is_protected",
    "logical",
    "order_of_writing",
]

ATTACHMENTS: Final = frozenset(
    "avif bmp gif jpeg jpg png svg webp flac m4a mp3 ogg wav webm 3gp mkv mov mp4 ogv pdf".split()  # noqa: SIM905 - a list to be read
)
"""What Obsidian shows beside notes (its help page "Accepted file formats")."""
_OWN: Final = frozenset(("md", "canvas", "base"))
IGNORE_FILES: Final = frozenset((".gitignore", ".gitattributes", ".wwtignore"))
"""Lists whose lines stand for themselves."""
_BELOW_DATA: Final = re.compile(
    rf"{re.escape(VAULT_FILE)}|{re.escape(CONFIG_FILE)}"
    rf"|{re.escape(REVISIONS)}/[A-Za-z0-9][A-Za-z0-9_-]{{0,99}}/"
    r"(?:[0-9a-f]{64}\.md|\d{5,}-\d{8}T\d{6}Z-[0-9a-f]{12}\.json)"
    rf"|(?:{re.escape(CURATED_MARKS)}|{re.escape(PROJECT_NAMES)})/[^/.][^/]*\.json"
)
_EVENT: Final = re.compile(rf"({re.escape(EVENTS)}|[^./][^/]*)/\d{{4}}/\d\d/\d\d/({EVENT_ID})\.json")
"""Whichever folder a vault's settings name: two sides may differ in that."""
_OBSIDIAN: Final = re.compile(r"\.obsidian/(?!workspace)[^/.][^/]*\.json|\.obsidian/snippets/[^/.][^/]*\.css")
MAX_BYTES: Final = 50 << 20
"""Size from which a file is not synced: hosts of git repositories refuse 100 MB, and warn of half of it."""


def belongs(path: str) -> bool:
    """Return whether a file of this path, from the vault's root, is one of a vault's."""
    if is_hostile(path) or any(unicodedata.category(letter) in ("Cc", "Cs") for letter in path):
        return False
    if path.startswith("."):
        return (
            path in IGNORE_FILES
            or event_of_path(path) is not None
            or _BELOW_DATA.fullmatch(path) is not None
            or _OBSIDIAN.fullmatch(path) is not None
        )
    if any(part.startswith(".") for part in path.split("/")):
        return False
    name, dot, extension = path.rpartition("/")[2].rpartition(".")
    return (bool(name and dot) and extension.lower() in _OWN | ATTACHMENTS) or event_of_path(path) is not None


def is_note(path: str) -> bool:
    """Return whether a path is that of a Markdown file that a person sees."""
    return path[-3:].lower() == ".md" and not path.startswith(".")


def is_pointer(data: bytes) -> bool:
    """Return whether a blob only says where Git LFS keeps the file (git-lfs, docs/spec.md)."""
    return len(data) < 1024 and data.startswith(b"version https://git-lfs.github.com/spec/")


def event_of_path(path: str) -> str | None:
    """Return the id of the event that lies at a path; ``None`` for any other."""
    found = _EVENT.fullmatch(path)
    return found[2] if found is not None and event_path(found[2], found[1]) == path else None


def is_protected(path: str, added: Collection[str]) -> bool:
    """Return whether a file stays although it is gone on one side; ``added`` are the folders that have new files there.

    Events are never deleted, nor is what a note said before, unless other bytes take its place: a message in it was
    forgotten.
    """
    if path.startswith(f"{REVISIONS}/"):
        return path.rpartition("/")[0] not in added
    return path == VAULT_FILE or event_of_path(path) is not None


def is_hostile(path: str) -> bool:
    """Return whether no file system and no git should ever see such a path: out of the tree, into a ``.git``.

    Such paths come only from trees that were made by hand. ``.git`` is meant in every form that some file system takes
    for it: in any case, with characters that HFS+ ignores, as NTFS' short name.
    """
    if not path or path.startswith("/") or "\0" in path or "\n" in path:
        return True
    for part in path.split("/"):
        if part in ("", ".", ".."):
            return True
        plain = "".join(letter for letter in part if unicodedata.category(letter) != "Cf").casefold()
        head = plain.split(":")[0].split("\\")[0].rstrip(". ")
        if head == ".git" or re.fullmatch(r"git~\d+", head) or plain.startswith(("..\\", ".git\\")) or plain == "..":
            return True
    return False


def logical(path: str) -> str:
    """Return the path under which a file is kept: that of its name in NFC."""
    return unicodedata.normalize("NFC", path)


def order_of_writing(path: str) -> tuple[int, str]:
    """Return the place of a path in the order of writing: what is referred to comes before what refers to it."""
    if event_of_path(path):
        rank = 0
    elif path.startswith("50_Conversations/"):
        rank = 1
    elif path.startswith(REVISIONS):
        rank = 2
    else:
        rank = 4 if path == VAULT_FILE else 3
    return rank, path
