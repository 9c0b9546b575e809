"""Curated notes: read one, save one. Every claim has its evidence, every change names the revision it has read.

A save (``saving``) writes the lines and the properties it means to change, nothing else: all other bytes stay. In this
order: revision and evidence are checked, a person's edits since the last save are merged in (``merging``), old and new
revision are kept (``revisions``), the note is replaced by exchange and verify (``files.replace``), the save is
recorded, and the notes that it supersedes or contradicts are told (``relations``). Killed before the last step, the
next save of the note makes up for it, and ``check`` names what is missing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wwt_vault.errors import NotFound
from wwt_vault.vault import files, lookup, ondisk, places, revisions
from wwt_vault.vault.lookup import NoteHead, list_notes
from wwt_vault.vault.parts import Edit, note_section, with_edits, with_sections
from wwt_vault.vault.proposal import MAX_BODY, RELATIONS, check_proposal
from wwt_vault.vault.saving import Saving, new_body

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime
    from pathlib import Path
    from typing import Any

    from wwt_vault.model.knowledge import Note, SavedNote
    from wwt_vault.vault import Vault

__all__ = [
    "MAX_BODY",
    "RELATIONS",
    "Edit",
    "NoteHead",
    "check_new_note",
    "history",
    "list_notes",
    "note_section",
    "read_note",
    "read_revision",
    "save_note",
    "with_edits",
    "with_sections",
]

_LOCK_SECONDS = 10.0


def read_note(vault: Vault, ref: str) -> Note:
    """Return the note that ``ref`` means: a path, an id, a title or an alias. Any Markdown file can be read.

    Raises ``NotFound`` (nearest names in ``similar``), ``Ambiguous`` (``candidates``), ``PathEscapes``.
    """
    return ondisk.as_note(ondisk.load(vault, lookup.find_note(vault, ref)))


def history(vault: Vault, ref: str) -> list[revisions.Record]:
    """Return every revision of a curated note, oldest first, the present one last. Raises as :func:`read_note`."""
    there = ondisk.load(vault, lookup.find_note(vault, ref))
    if not there.id:
        return [revisions.Record(there.revision, None, ondisk.written_at(there))]
    return revisions.history(vault, there.id, there.revision, ondisk.written_at(there))


def read_revision(vault: Vault, ref: str, revision: str) -> str:
    """Return the text of a revision of a note, by 12 or more of its digits. Raises ``NotFound``."""
    there = ondisk.load(vault, lookup.find_note(vault, ref))
    if len(revision) >= 12 and there.revision.startswith(revision):
        return there.data.decode("utf-8", "replace")
    data = revisions.kept(vault, there.id, revision) if there.id else None
    if data is None:
        raise NotFound(f"{there.path} has no revision {revision[:64]!r}", path=there.path, revision=revision[:64])
    return data.decode("utf-8", "replace")


def check_new_note(vault: Vault, *, note: str, body: str, **properties: Any) -> None:  # those of check_proposal
    """Raise what :func:`save_note` raises for a new note, as far as its name, its text and its evidence tell.

    For a caller that asks something of the writer first: a note that would be refused anyway is refused before.
    """
    wanted = check_proposal(body=body, **properties)
    places.place_for(vault, note, wanted.type, wanted.status)
    new_body(vault, wanted)


def save_note(
    vault: Vault,
    *,
    note: str,
    body: str,
    revision: str | None,
    written_by: str,
    at: datetime,
    locks: Path,
    type: str | None = None,  # noqa: A002 - the property's name
    status: str | None = None,
    relations: Mapping[str, Sequence[str]] | None = None,
    aliases: Sequence[str] | None = None,
    tags: Sequence[str] | None = None,
    questions: Sequence[str] | None = None,
    project: str | None = None,
    reason: str | None = None,
    as_given: bool = False,
) -> SavedNote:
    """Create a curated note, or replace the body of one; return it as it now is.

    Args:
        vault: Where.
        note: Title or path of a new note; path, id or title of one that is there. A title goes to the folder of its
            type, a draft or a note without type to the inbox.
        body: Markdown without frontmatter. Definitions of citations in it are replaced by ours.
        revision: The revision that was read, whole or 12 and more of its digits; ``None``: the note must not exist yet.
        written_by: Host or program that writes.
        at: Now, aware.
        locks: The folder of this machine's lock files: savers keep each other out.
        type: project, area, knowledge, decision or topic.
        status: current, superseded or draft.
        relations: Kind (``RELATIONS``) to the notes it links to, each a path, id or title. ``updates`` supersedes
            them, ``contradicts`` is written down on both sides.
        aliases: Other names. For this and what follows ``None`` leaves a property as it is.
        tags: With or without ``#``.
        questions: How a person may later ask for this note.
        project: The project it belongs to.
        reason: Why it changes, for the history.
        as_given: A person asked for exactly this text, over their own edits too: nothing is merged, and what cites
            nothing is theirs to answer for.

    What a person changed since this program wrote last is merged in; ``kept`` and ``left_out`` of the note returned
    say how it differs from the proposal, ``also_changed`` which other notes were changed with it. Nothing is written,
    and the note returned as it is, when nothing would change. A change unticks ``reviewed``, since the person has not
    seen this text, and names its writer in ``written_by`` where that names another.

    Raises ``NoteExists``, ``StaleRevision`` (with ``path, id, revision, diff``), ``BadEvidence`` (with ``faults``),
    ``Locked``, ``HumanConflict`` (a person's edit of the same lines, with ``conflicts``; broken frontmatter; a git
    conflict; two notes with one id; a page that is no curated note), ``BadName``, ``PathEscapes``, ``BadArgument``,
    ``NotFound``, ``Ambiguous``, ``LockTimeout``, ``VaultError``.
    """
    wanted = check_proposal(
        body=body,
        written_by=written_by,
        at=at,
        reason=reason,
        type=type,
        status=status,
        project=project,
        aliases=aliases,
        tags=tags,
        questions=questions,
    )
    with files.lock(locks / "notes", _LOCK_SECONDS):
        saving = Saving(vault, wanted, as_given=as_given)
        return saving.change(note, revision, relations) if revision else saving.create(note, relations)
