"""The verbs about curated notes: list, read, save, move, what they said before and back to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

from wwt_vault import markdown
from wwt_vault.capture.redact import redact, without_secrets
from wwt_vault.curate.questions import wanting
from wwt_vault.errors import BadArgument, NotFound
from wwt_vault.model.conversation import Revision
from wwt_vault.model.knowledge import Note
from wwt_vault.operations.debt import debt_of
from wwt_vault.operations.moments import moment, shown
from wwt_vault.operations.signals import ask_before_change, ask_first
from wwt_vault.operations.workspace import Workspace
from wwt_vault.vault import evidence, lookup, moving, notes, timeline
from wwt_vault.vault.notes import Edit
from wwt_vault.vault.proposal import STATUSES

__all__ = ["diff", "history", "list_notes", "move_note", "read_note", "relink", "restore", "save_note"]

Json = dict[str, Any]

_HEADINGS: Final = 40
"""Headings named of a note that is too long for one answer."""


def list_notes(workspace: Workspace, *, type: str | None = None, status: str | None = None) -> Json:  # noqa: A002 - the property's name
    """Return ``{notes: [{path, id, title, type, status, project, updated, …}]}``, changed last first.

    Sources are listed when their type is asked for. Raises ``BadArgument`` for a type or status that no note has.
    """
    types = (*lookup.CURATED_TYPES, lookup.SOURCE)
    if type is not None and type not in types:
        raise BadArgument(f"type must be one of {', '.join(types)}, not {type[:50]!r}", argument="type")
    if status is not None and status not in STATUSES:
        raise BadArgument(f"status must be one of {', '.join(STATUSES)}, not {status[:50]!r}", argument="status")
    heads = lookup.list_notes(workspace.vault, [type] if type else lookup.CURATED_TYPES)
    heads = [head for head in heads if status is None or head.status == status]
    heads.sort(key=lambda head: head.path)
    heads.sort(key=lambda head: head.updated or "", reverse=True)
    return {
        "notes": [{**head._asdict(), "aliases": list(head.aliases), "tags": list(head.tags)} for head in heads],
    }


def read_note(
    workspace: Workspace,
    note: str,
    *,
    section: str | None = None,
    revision: str | None = None,
    as_of: str | None = None,
    max_characters: int | None = None,
    newer: bool = False,
) -> Json:
    """Return a note, or one section of it, with the revision that saving needs; as it was in an earlier ``revision``,
    or at the end of a day.

    ``note`` is a path, id, title or alias. Returns ``{path, id, revision, title, section, line, text, events,
    truncated, sections}``: ``truncated`` tells that ``text`` was cut to ``max_characters``; then ``sections`` names the
    headings. With ``newer`` also ``newer``: ids of later events on its subject that it does not cite.
    Raises ``NotFound``, ``Ambiguous``, ``PathEscapes``.
    """
    found = _then(workspace, note, revision, as_of) if revision or as_of else notes.read_note(workspace.vault, note)
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
        **({"newer": debt_of(workspace, found.path)} if newer else {}),
    }


def save_note(
    workspace: Workspace,
    note: str,
    *,
    body: str | None = None,
    sections: Mapping[str, str] | None = None,
    append: Mapping[str, str] | None = None,
    history: str | None = None,
    revision: str | None = None,
    type: str | None = None,  # noqa: A002 - the property's name
    status: str | None = None,
    relations: Mapping[str, Sequence[str]] | None = None,
    aliases: Sequence[str] | None = None,
    tags: Sequence[str] | None = None,
    project: str | None = None,
    questions: Sequence[str] | None = None,
    reason: str | None = None,
    missing: Sequence[str] | None = None,
    written_by: str,
    now: datetime,
) -> Json:
    """Create a curated note, or change one whose ``revision`` was read: its whole ``body``, parts of it, or only what
    stands in its properties.

    Parts are ``sections`` (heading to its new text), ``append`` (heading to what is added to its section) and
    ``history`` (a sentence, which gets today's date). Secrets are taken out before anything is written. Returns
    ``{path, id, revision, created, title, events, redactions, kept, left_out, also_changed, wanted}``: the lines of a
    person's that the proposal did not have and that are kept, those of the proposal that a person had taken out, the
    other notes that were changed, and what is missing of the questions by which the note is found. Nothing is written
    when it is refused: see ``vault.notes.save_note`` for what is; and a new note that is close to others, or a change
    that contradicts one, is until its writer answers (``SimilarNotes``, see ``signals``), but first for what is wrong
    with its name, its text or its evidence. ``missing`` is what
    ``catch_up`` returned to a caller that has called it.
    """
    parts = [
        *(Edit("replace", text, heading) for heading, text in (sections or {}).items()),
        *(Edit("append", text, heading) for heading, text in (append or {}).items()),
        *([Edit("history", history)] if history else []),
    ]
    if body is not None and parts:
        raise BadArgument("Give either body, or sections, append and history.", argument="body")
    if body is None and not parts:
        if not revision or all(given is None for given in (type, status, relations, aliases, tags, project, questions)):
            raise BadArgument("Give body, or sections, append and history.", argument="body")
        body = markdown.split(notes.read_note(workspace.vault, note).text).body
    if body is None:
        body = _with_parts(workspace, note, parts, revision, now)
    body, redactions = redact(body)
    properties: dict[str, Any] = {
        "written_by": written_by,
        "at": now,
        "type": type,
        "status": status,
        "aliases": None if aliases is None else _clean(aliases),
        "tags": None if tags is None else _clean(tags),
        "project": None if project is None else without_secrets(project),
        "questions": None if questions is None else [redact(question)[0] for question in questions],
        "reason": redact(reason)[0] if reason else None,
    }
    if revision:
        ask_before_change(workspace, note, body, revision=revision, relations=relations, reason=reason, missing=missing)
    else:
        note = without_secrets(note)  # the name of a new note; an old one is found by the name that it has
        notes.check_new_note(workspace.vault, note=note, body=body, **properties)
        ask_first(workspace, note, body, relations=relations, reason=reason, missing=missing)
    saved = notes.save_note(
        workspace.vault,
        note=note,
        body=body,
        revision=revision,
        locks=workspace.state.locks,
        relations=relations or None,
        **properties,
    )
    split = markdown.split(saved.text)
    asked = markdown.strings(markdown.read_frontmatter(split, saved.path).values, "questions")
    return {
        "path": saved.path,
        "id": saved.id,
        "revision": saved.revision,
        "created": not revision,
        "title": saved.title,
        "events": list(saved.evidence),
        "redactions": [{"kind": kind, "count": count} for kind, count in redactions],
        "kept": list(saved.kept),
        "left_out": list(saved.left_out),
        "also_changed": list(saved.also_changed),
        "wanted": list(wanting(asked, f"{saved.title}\n{split.body}")),
    }


def history(workspace: Workspace, note: str) -> Json:
    """Return ``{path, id, revision, revisions}``, newest first; a revision without a writer is a person's."""
    found = notes.read_note(workspace.vault, note)
    zone = workspace.vault.zone
    records = [
        {**record._asdict(), "time": shown(record.time, zone)}
        for record in reversed(notes.history(workspace.vault, found.path))
    ]
    return {"path": found.path, "id": found.id, "revision": found.revision, "revisions": records}


def diff(
    workspace: Workspace, note: str, *, old: str | None = None, new: str | None = None, max_lines: int | None = None
) -> Json:
    """Return ``{path, id, revision, old, new, diff}``: from the revision before the newest to the newest by default.

    Raises ``NotFound`` for a revision that is not kept.
    """
    found = notes.read_note(workspace.vault, note)
    new = new or found.revision
    old = old or timeline.revision_before(workspace.vault, found.path, new)
    return {
        "path": found.path,
        "id": found.id,
        "revision": found.revision,
        "old": old,
        "new": new,
        "diff": timeline.diff(workspace.vault, found.path, old, new, limit=max_lines),
    }


def restore(
    workspace: Workspace,
    note: str,
    *,
    to: str,
    revision: str | None = None,
    reason: str | None = None,
    written_by: str,
    now: datetime,
) -> Json:
    """Make an earlier revision of a note the present one, at a person's wish: over their own edits too.

    Returns ``{path, id, revision, restored, also_changed}``. ``revision`` is the one that they looked at; without it
    the present one. Raises ``NotFound`` for a revision that is not kept, and as ``save_note``.
    """
    there = notes.read_note(workspace.vault, note)
    saved = timeline.restore(
        workspace.vault,
        there.path,
        to=to,
        revision=revision or there.revision,
        written_by=written_by,
        at=now,
        locks=workspace.state.locks,
        reason=reason,
    )
    return {
        "path": saved.path,
        "id": saved.id,
        "revision": saved.revision,
        "restored": to,
        "also_changed": list(saved.also_changed),
    }


def move_note(workspace: Workspace, note: str, *, to: str | None = None, written_by: str, now: datetime) -> Json:
    """Move a note to another folder or give it another name, at a person's wish; links to it follow.

    Without ``to`` it goes to the folder of its type. Returns ``{path, id, revision, was, links, left}``: the files
    whose links were changed, and those whose links were left alone. Raises as ``vault.moving.move_note``.
    """
    moved = moving.move_note(workspace.vault, note, to, written_by=written_by, at=now, locks=workspace.state.locks)
    there = notes.read_note(workspace.vault, moved.path)
    return {
        "path": there.path,
        "id": there.id,
        "revision": there.revision,
        "was": moved.was,
        "links": list(moved.links),
        "left": list(moved.left),
    }


def relink(workspace: Workspace, *, written_by: str, now: datetime) -> Json:
    """Make links follow notes that were renamed outside of Obsidian, or whose move was cut off.

    Returns ``{moved: [{path, was, links, left}]}``, the fields as those of ``move_note``.
    """
    moved = moving.follow_renames(workspace.vault, written_by=written_by, at=now, locks=workspace.state.locks)
    return {"moved": [{**one._asdict(), "links": list(one.links), "left": list(one.left)} for one in moved]}


def _then(workspace: Workspace, note: str, revision: str | None, as_of: str | None) -> Note:
    """Return a note as it was in an earlier revision, or on a day."""
    there = notes.read_note(workspace.vault, note)
    if revision and as_of:
        raise BadArgument("Give a revision or a date, not both.", argument="as_of")
    if as_of:
        found = timeline.as_of(
            workspace.vault, there.path, moment(as_of, workspace.vault.zone, "as_of", whole_day=True)
        )
        if found is None:
            raise NotFound(f"{there.path} was not there yet on {as_of}.", path=there.path)
        revision, text = found.record.revision, found.text
    else:
        text = notes.read_revision(workspace.vault, there.path, revision or "")
        records = notes.history(workspace.vault, there.path)
        revision = next((one.revision for one in records if one.revision.startswith(revision or "")), revision)
    body = markdown.parse(markdown.split(text).body)
    return replace(there, text=text, revision=Revision(revision or there.revision), evidence=evidence.cited(body))


def _with_parts(workspace: Workspace, note: str, parts: Sequence[Edit], revision: str | None, now: datetime) -> str:
    """Return a note's body with its parts changed; for a new note, one made of its sections."""
    vault = workspace.vault
    if revision:
        day = now.astimezone(vault.zone).date()
        return notes.with_edits(notes.read_note(vault, note), parts, day=day, language=vault.settings.language)
    if any(part.how != "replace" for part in parts):
        raise BadArgument(
            "A new note is made of a body or of sections; append and history change one.", argument="append"
        )
    return "\n\n".join(f"## {part.heading.strip()}\n\n{part.text.strip()}" for part in parts) + "\n"


def _headings(note: Note) -> list[str]:
    structure = markdown.parse(markdown.split(note.text).body)
    return [" > ".join(heading.path) for heading in structure.headings[:_HEADINGS]]


def _clean(names: Sequence[str]) -> list[str]:
    """Take secrets out of names; what is no text is refused by the save."""
    return [without_secrets(name) if isinstance(name, str) else name for name in names]
