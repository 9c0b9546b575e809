"""A note as it lies in its file: read once, cut at its frontmatter, with the revision of its bytes."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from wwt_vault import markdown
from wwt_vault.errors import NotFound
from wwt_vault.model.conversation import time_since_1970
from wwt_vault.model.knowledge import Note, SavedNote
from wwt_vault.vault import evidence, files, layout, lookup

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from wwt_vault.model.conversation import DocumentId, Revision
    from wwt_vault.vault import Vault

__all__ = ["OnDisk", "as_note", "load", "saved", "written_at"]

_PARSED = 5_000_000  # characters of a file of somebody else's that are looked at for citations: some seconds' work


class OnDisk(NamedTuple):
    """A file and what was read of it."""

    path: DocumentId
    file: Path
    data: bytes
    parts: markdown.Split
    properties: markdown.Frontmatter
    revision: Revision

    @property
    def id(self) -> str | None:
        """The id of a curated note or a source."""
        return lookup.note_id(self.properties.values)

    @property
    def first_line(self) -> int:
        """The line in which the body begins."""
        return 1 + self.parts.head.count("\n")

    @property
    def identity(self) -> dict[str, str | None]:
        """What a refusal says of the note."""
        return {"path": self.path, "id": self.id, "revision": self.revision}


def load(vault: Vault, path: DocumentId) -> OnDisk:
    """Read a note. Raises ``NotFound`` when it is gone, ``PathEscapes``, ``VaultError``."""
    file = layout.inside(vault.root, path)
    data = files.read(file)
    if data is None:
        raise NotFound(f"{path} is gone", path=path)
    parts = markdown.split(data.decode("utf-8", "replace"))
    return OnDisk(path, file, data, parts, markdown.read_frontmatter(parts, path), files.revision_of(data))


def as_note(there: OnDisk) -> Note:
    """Return what callers get to see of it."""
    body = markdown.parse(there.parts.body[:_PARSED], there.first_line)
    return Note(
        path=there.path,
        id=there.id,
        revision=there.revision,
        text=there.parts.join(),
        title=lookup.title_of(there.path, there.properties.values),
        evidence=evidence.cited(body),
    )


def saved(
    vault: Vault,
    path: DocumentId,
    also_changed: Iterable[DocumentId] = (),
    kept: tuple[str, ...] = (),
    left_out: tuple[str, ...] = (),
) -> SavedNote:
    """Return a note as a save left it, read anew; raises as :func:`load` does."""
    note = as_note(load(vault, path))
    return SavedNote(
        path=note.path,
        id=note.id,
        revision=note.revision,
        text=note.text,
        title=note.title,
        evidence=note.evidence,
        kept=kept,
        left_out=left_out,
        also_changed=tuple(also_changed),
    )


def written_at(there: OnDisk) -> datetime | None:
    """Return when the file was last written, by its own account: the only one there is of a person's edit."""
    try:
        return time_since_1970(there.file.lstat().st_mtime)
    except OSError:
        return None
