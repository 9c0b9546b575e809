"""Where one side of a join moved what the other changed, moved or deleted, told by what the files are."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from wwt_vault import markdown
from wwt_vault.sync import belonging, session_notes
from wwt_vault.sync.objects import Change, blob_id
from wwt_vault.sync.repository import Entry
from wwt_vault.vault import copies, layout, lookup

__all__ = ["renames"]


def renames(
    side: Mapping[str, Change],
    other: Mapping[str, Change],
    bytes_of: Callable[[Entry | None], bytes | None],
    hash_name: str,
) -> dict[str, str]:
    """Return where ``side`` moved files that ``other`` changed, moved or deleted: old path to new."""
    gone = [path for path, change in side.items() if change.before and not change.after and path in other]
    if not gone:
        return {}
    added = [path for path, change in side.items() if change.after and not change.before and change.after.is_file]
    by_oid: dict[str, str] = {}
    nothing = blob_id(b"", hash_name)  # all empty files are alike
    by_name: dict[object, str] = {}
    by_spelling: dict[str, str] = {}
    for path in sorted(added):
        entry = side[path].after
        by_spelling.setdefault(layout.name_key(path), path)
        if entry is not None and entry.oid != nothing:
            by_oid.setdefault(entry.oid, path)
        if belonging.is_note(path):
            name = _identity(bytes_of(entry))
            if name:
                by_name.setdefault(name, path)
    found: dict[str, str] = {}
    for path in sorted(gone):
        before = side[path].before
        new = by_oid.get(before.oid if before else "")
        if new is None and belonging.is_note(path):
            name = _identity(bytes_of(before))
            new = by_name.get(name) if name else None
        if new is None:  # also an edited page without an id: some disks know no difference between the two names
            new = by_spelling.get(layout.name_key(path))
        if new is not None and new not in found.values() and copies.original_of(new) is None:
            found[path] = new
    return found


def _identity(data: bytes | None) -> object:
    text = (data or b"").decode("utf-8", "replace")
    return session_notes.identity(text) or lookup.note_id(markdown.read_frontmatter(markdown.split(text), "").values)
