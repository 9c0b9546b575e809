"""A merge of two saves is a save: it is kept and recorded among the note's revisions, like every other.

Only where both sides were written by programs. What a person wrote has no record, so that no later save drops it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime

from wwt_vault import markdown
from wwt_vault.errors import BadArgument
from wwt_vault.vault import files, layout, lookup, revisions

__all__ = ["folder_of", "merged_save"]

_WRITTEN_BY = "wwt"
_REASON = "two machines changed it"
_RECORD = re.compile(r"(\d{5,})-\d{8}T\d{6}Z-([0-9a-f]{12})\.json")


def folder_of(note: bytes) -> str | None:
    """Return the folder of a note's revisions, from the vault's root; ``None`` for a file without an id."""
    note_id = lookup.note_id(markdown.read_frontmatter(markdown.split(note.decode("utf-8", "replace")), "").values)
    try:
        return layout.revision_path(note_id, "0" * 64).rpartition("/")[0] if note_id else None
    except BadArgument:
        return None


def merged_save(path: str, texts: tuple[bytes, bytes, bytes], names: Sequence[str], at: datetime) -> dict[str, bytes]:
    """Return the files that record a merge: this side's text, the other side's and what both came to.

    ``names`` are those of the files kept of the note's revisions. None when one side is not a program's.
    """
    folder = folder_of(texts[2])
    records = [found for name in names if (found := _RECORD.fullmatch(name))]
    saved = {found[2] for found in records}
    one, other, merged = (files.revision_of(text) for text in texts)
    if folder is None or not {one[:12], other[:12]} <= saved:
        return {}
    number = max(int(found[1]) for found in records) + 1
    entry = revisions.Record(merged, one, at, _WRITTEN_BY, _REASON, path)
    name, data = revisions.record_file(number, entry)
    return {f"{folder}/{merged}.md": texts[2], f"{folder}/{name}": data}
