"""Where a new note goes: the folder of its type, under a name that Obsidian links and every system can hold."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from wwt_vault.errors import BadName, PathEscapes
from wwt_vault.model.conversation import DocumentId
from wwt_vault.vault import layout

if TYPE_CHECKING:
    from wwt_vault.vault import Vault

__all__ = ["FOLDERS", "checked_path", "place_for"]

FOLDERS = {
    "project": layout.PROJECTS,
    "area": layout.AREAS,
    "topic": layout.KNOWLEDGE,
    "knowledge": layout.KNOWLEDGE,
    "decision": layout.DECISIONS,
    "source": layout.SOURCES,
}
_TYPES = {
    layout.PROJECTS: "project",
    layout.AREAS: "area",
    layout.KNOWLEDGE: "knowledge",
    layout.DECISIONS: "decision",
}
_ODD_PATH = re.compile(r"[/\\]|[A-Za-z]:[/\\]|~[/\\]")


def place_for(vault: Vault, note: str, kind: str | None, status: str | None) -> tuple[DocumentId, str, str]:
    """Return where a new note goes, its type and its title.

    ``note`` is a path when it has a ``/`` behind a folder that is there (or leads somewhere it must not); else it is a
    title, goes to the folder of its type, and what no name holds is taken out of its name.

    Raises ``BadName`` with a ``suggestion``, ``PathEscapes`` also for the folders of sessions and of the agents' rules.
    """
    note = unicodedata.normalize("NFC", note).strip()
    stem = note[:-3] if note[-3:].lower() == ".md" else note
    folders = re.split(r"[/\\]", stem)
    if _ODD_PATH.match(stem) or not {".", ".."}.isdisjoint(folders):
        layout.inside(vault.root, f"{stem}.md")
    elif "/" in stem and (folders[0] in layout.CURATED_FOLDERS or layout.find_name(vault.root, folders[0])):
        path = checked_path(vault, stem)
        return path, kind or _TYPES.get(path.split("/")[0], "topic"), stem.rpartition("/")[2]
    name = layout.safe_name(stem)
    if not name:
        message = f"{note[:200]!r} leaves nothing for a file's name; give a title with letters or digits"
        raise BadName(message, note=note[:200], suggestion="Untitled")
    folder = layout.INBOX if kind is None or status == "draft" else FOLDERS[kind]
    return DocumentId(f"{folder}/{name}.md"), kind or "topic", stem


def checked_path(vault: Vault, note: str) -> DocumentId:
    """Return a path whose folders are written as they are there and whose new names are sound.

    Raises ``BadName`` with a ``suggestion``, ``PathEscapes``.
    """
    note = unicodedata.normalize("NFC", note).strip()
    layout.inside(vault.root, note)
    parts = (note[:-3] if note[-3:].lower() == ".md" else note).split("/")
    folder = vault.root
    names_there: list[str] = []
    for place, part in enumerate(parts):
        is_folder = place < len(parts) - 1
        there = layout.find_name(folder, part) if is_folder else None
        if there is None and (layout.safe_name(part) != part or not part):
            suggestion = "/".join([*names_there, layout.safe_name(part) or "Untitled", *parts[place + 1 :]])
            message = f"{part[:200]!r} is no name that Obsidian links and every system can hold; try {suggestion!r}"
            raise BadName(message, note="/".join(parts)[:200], suggestion=suggestion)
        names_there.append(unicodedata.normalize("NFC", there or part))
        folder = folder / names_there[-1]
    if names_there[0] in (layout.CONVERSATIONS, layout.AI_CONTEXT, vault.settings.events_folder):
        message = f"{names_there[0]} is not for curated notes; give a title, or a path in one of the other folders"
        raise PathEscapes(message, path="/".join(parts)[:200])
    path = DocumentId("/".join(names_there) + ".md")
    layout.inside(vault.root, path)
    return path
