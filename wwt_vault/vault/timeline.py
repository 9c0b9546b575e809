"""A note in time: what changed between two revisions, what it said on a day, and back to an earlier one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from wwt_vault import markdown
from wwt_vault.errors import BadArgument, NotFound
from wwt_vault.vault import lookup, notes, ondisk, refusals, relations

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

    from wwt_vault.model.conversation import DocumentId, Revision
    from wwt_vault.model.knowledge import SavedNote
    from wwt_vault.vault import Vault
    from wwt_vault.vault.revisions import Record

__all__ = ["AsOf", "as_of", "diff", "restore", "revision_before"]


class AsOf(NamedTuple):
    """A note as it was at some time."""

    path: DocumentId
    """Where it lies now."""
    title: str
    text: str
    record: Record
    """The save that wrote it; ``written_by`` is ``None`` for a revision of a person's."""


def diff(vault: Vault, ref: str, old: str | None = None, new: str | None = None, *, limit: int | None = None) -> str:
    """Return the unified diff of two revisions of a note, by 12 or more of their digits, ``limit`` lines at most.

    By default from the revision before ``new`` to ``new``, and to the present one. Raises ``NotFound`` for a revision
    that is not kept, or when there is none before, and as ``read_note`` does.
    """
    there = ondisk.load(vault, lookup.find_note(vault, ref))
    new = new or there.revision
    old = old or revision_before(vault, there.path, new)
    before, after = (notes.read_revision(vault, there.path, revision) for revision in (old, new))
    return refusals.diff(before, after, old[:12], new[:12], limit)


def revision_before(vault: Vault, ref: str, revision: str) -> Revision:
    """Return the revision of a note before this one. Raises ``NotFound`` for the first, and as ``read_note`` does."""
    there = ondisk.load(vault, lookup.find_note(vault, ref))
    records = notes.history(vault, there.path)
    bases = [record.base for record in records if record.revision.startswith(revision) and record.base]
    bases = [base for base in bases if not base.startswith(revision)]  # a move changes no byte
    if not bases:
        raise NotFound(f"{there.path} has no revision before {revision[:12]}", path=there.path, revision=revision[:64])
    return bases[-1]


def as_of(vault: Vault, ref: str, when: datetime) -> AsOf | None:
    """Return the revision of a note that was the current one at ``when``; ``None`` when there was none yet.

    Saves are placed by their time, a person's revisions by when their file was last written, as far as somebody looked;
    else they count from the save before them. Raises ``NotFound`` when the revision is not kept, and as ``read_note``
    does.
    """
    there = ondisk.load(vault, lookup.find_note(vault, ref))
    chosen = None
    for record in notes.history(vault, there.path):
        # Whatever the clocks say, what came later in the history was not there before what came earlier.
        if record.time is not None and record.time > when:
            break
        if record.time is not None or chosen is not None:
            chosen = record
    if chosen is None:
        return None
    text = notes.read_revision(vault, there.path, chosen.revision)
    values = markdown.read_frontmatter(markdown.split(text), there.path).values
    return AsOf(there.path, lookup.title_of(there.path, values), text, chosen)


def restore(
    vault: Vault,
    ref: str,
    *,
    to: str,
    revision: str,
    written_by: str,
    at: datetime,
    locks: Path,
    reason: str | None = None,
) -> SavedNote:
    """Make an earlier revision of a note the present one: a save like any other, for a person, over their own edits.

    ``to`` is the revision to go back to, ``revision`` the present one, each by 12 or more digits. Body, type, status,
    relations, aliases, tags, questions and project become what they were, but a note that was replaced stays
    superseded; other properties stay as they are, and the history grows. Raises as ``save_note`` does, ``NotFound`` for
    a revision that is not kept.
    """
    there = ondisk.load(vault, lookup.find_note(vault, ref))
    parts = markdown.split(notes.read_revision(vault, there.path, to))
    was = markdown.read_frontmatter(parts, there.path)
    if was.broken:
        message = f"the properties of revision {to[:12]} do not parse: take over by hand what is needed"
        raise BadArgument(message, argument="to", path=there.path)
    single: dict[str, Any] = {key: markdown.string(was.values, key) for key in ("type", "status", "project")}
    if markdown.strings(there.properties.values, relations.FORWARD):
        single.pop("status")  # what replaced it still does
    return notes.save_note(
        vault,
        note=there.path,
        body=parts.body,
        revision=revision,
        written_by=written_by,
        at=at,
        locks=locks,
        reason=reason or f"restored revision {to[:12]}",
        relations={kind: _targets(vault, was.values, kind, there.path) for kind in _kinds(was.values, there)},
        aliases=markdown.strings(was.values, "aliases"),
        tags=lookup.tags_of(was.values),
        questions=markdown.strings(was.values, "questions"),
        as_given=True,
        **{key: value for key, value in single.items() if value},
    )


def _kinds(values: dict[str, Any], there: ondisk.OnDisk) -> list[str]:
    """Return the relations that either revision has."""
    now = there.properties.values
    return [kind for kind in lookup.RELATIONS if markdown.strings(values, kind) or markdown.strings(now, kind)]


def _targets(vault: Vault, values: dict[str, Any], kind: str, own: DocumentId) -> list[str]:
    """Return the notes that a relation led to and that are still there."""
    known = lookup.names(vault)
    found = (lookup.resolve_link(link, own, known) for link in markdown.strings(values, kind))
    return [path for path in found if path is not None]
