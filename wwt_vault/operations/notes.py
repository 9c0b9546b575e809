"""The verbs about curated notes: list, read, save, and what they said before."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from datetime import datetime, tzinfo
from typing import Any, Final

from wwt_vault import markdown
from wwt_vault.capture.redact import redact
from wwt_vault.errors import BadArgument, NotFound
from wwt_vault.model.knowledge import Note
from wwt_vault.operations.workspace import Workspace
from wwt_vault.vault import lookup, notes
from wwt_vault.vault.revisions import Record

__all__ = ["diff", "history", "list_notes", "read_note", "save_note"]

Json = dict[str, Any]

_HEADINGS: Final = 40
"""Headings named of a note that is too long for one answer."""


def list_notes(workspace: Workspace, *, type: str | None = None, status: str | None = None) -> Json:  # noqa: A002 - the property's name
    """Return ``{notes: [{path, id, title, type, status, project, updated, …}]}``, changed last first."""
    heads = [
        head
        for head in lookup.list_notes(workspace.vault)
        if (type is None or head.type == type) and (status is None or head.status == status)
    ]
    heads.sort(key=lambda head: head.path)
    heads.sort(key=lambda head: head.updated or "", reverse=True)
    return {
        "notes": [{**head._asdict(), "aliases": list(head.aliases), "tags": list(head.tags)} for head in heads],
    }


def read_note(
    workspace: Workspace, note: str, *, section: str | None = None, max_characters: int | None = None
) -> Json:
    """Return a note, or one section of it, with the revision that saving needs.

    ``note`` is a path, id, title or alias. Returns ``{path, id, revision, title, section, line, text, events,
    truncated, sections}``: ``truncated`` tells that ``text`` was cut to ``max_characters``; then ``sections`` names the
    headings.
    Raises ``NotFound``, ``Ambiguous``, ``PathEscapes``.
    """
    found = notes.read_note(workspace.vault, note)
    text, line, events, heading = found.text, 1, found.evidence, None
    if section:
        part = notes.note_section(found, section)
        text, line, events, heading = part.text, part.line, part.events, part.heading
    truncated = max_characters is not None and len(text) > max_characters
    return {
        "path": found.path,
        "id": found.id,
        "revision": found.revision,
        "title": found.title,
        "section": heading,
        "line": line,
        "text": text[:max_characters] if truncated else text,
        "events": list(events),
        "truncated": truncated,
        "sections": _headings(found) if truncated else [],
    }


def save_note(
    workspace: Workspace,
    note: str,
    *,
    body: str | None = None,
    sections: Mapping[str, str] | None = None,
    revision: str | None = None,
    type: str | None = None,  # noqa: A002 - the property's name
    relations: Mapping[str, Sequence[str]] | None = None,
    reason: str | None = None,
    written_by: str,
    now: datetime,
) -> Json:
    """Create a curated note, or change one whose ``revision`` was read; ``body`` whole, or named ``sections`` of it.

    Secrets are taken out before anything is written. Returns ``{path, id, revision, created, title, events,
    redactions}``. Nothing is written when it is refused: see ``vault.notes.save_note`` for what is.
    """
    if (body is None) == (sections is None):
        raise BadArgument("Give either body or sections.", argument="body")
    if sections is not None:
        body = _with_sections(workspace, note, sections, revision)
    body, redactions = redact(body or "")
    saved = notes.save_note(
        workspace.vault,
        note=note,
        body=body,
        revision=revision,
        written_by=written_by,
        at=now,
        locks=workspace.state.locks,
        type=type,
        relations=relations or None,
        reason=redact(reason)[0] if reason else None,
    )
    return {
        "path": saved.path,
        "id": saved.id,
        "revision": saved.revision,
        "created": not revision,
        "title": saved.title,
        "events": list(saved.evidence),
        "redactions": [{"kind": kind, "count": count} for kind, count in redactions],
    }


def history(workspace: Workspace, note: str) -> Json:
    """Return ``{path, id, revision, revisions}``, newest first; a revision without a writer is a person's."""
    found = notes.read_note(workspace.vault, note)
    zone = workspace.vault.zone
    records = [_record(record, zone) for record in reversed(notes.history(workspace.vault, note))]
    return {"path": found.path, "id": found.id, "revision": found.revision, "revisions": records}


def diff(workspace: Workspace, note: str, *, old: str | None = None, new: str | None = None) -> Json:
    """Return ``{path, id, revision, old, new, diff}``: from the revision before the newest to the newest by default.

    Raises ``NotFound`` for a revision that is not kept.
    """
    found = notes.read_note(workspace.vault, note)
    records = notes.history(workspace.vault, note)
    new = new or found.revision
    if old is None:
        bases = [record.base for record in records if record.revision.startswith(new) and record.base]
        if not bases:
            raise NotFound(f"{found.path} has no earlier revision to compare with.", path=found.path, revision=new)
        old = bases[-1]
    before, after = (notes.read_revision(workspace.vault, note, revision).splitlines() for revision in (old, new))
    lines = difflib.unified_diff(before, after, old[:12], new[:12], lineterm="")
    return {
        "path": found.path,
        "id": found.id,
        "revision": found.revision,
        "old": old,
        "new": new,
        "diff": "\n".join(lines),
    }


def _with_sections(workspace: Workspace, note: str, sections: Mapping[str, str], revision: str | None) -> str:
    """Return a note's body with the text under each heading replaced; for a new note, one made of the sections."""
    if revision:
        return notes.with_sections(notes.read_note(workspace.vault, note), sections)
    return "\n\n".join(f"## {heading.strip()}\n\n{text.strip()}" for heading, text in sections.items()) + "\n"


def _headings(note: Note) -> list[str]:
    structure = markdown.parse(markdown.split(note.text).body)
    return [" > ".join(heading.path) for heading in structure.headings[:_HEADINGS]]


def _record(record: Record, zone: tzinfo) -> Json:
    time = record.time.astimezone(zone).isoformat(timespec="seconds") if record.time else None
    return {**record._asdict(), "time": time}
