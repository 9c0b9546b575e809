"""Curated notes: read one, save one. Every claim has its evidence, every change names the revision it has read.

A save writes the body and the properties it means to change, nothing else: the frontmatter keeps its bytes, the file
its line ends, BOM and last line. In this order: revision and evidence are checked, old and new revision are kept
(``revisions``), the note is replaced by exchange and verify (``files.replace``), the save is recorded.
"""

from __future__ import annotations

import difflib
from datetime import UTC
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NamedTuple

from wwt_vault import markdown
from wwt_vault.errors import (
    BadArgument,
    EventConflict,
    HumanConflict,
    Locked,
    NoteExists,
    NotFound,
    StaleRevision,
)
from wwt_vault.model.conversation import DocumentId, Revision
from wwt_vault.model.knowledge import Note
from wwt_vault.vault import evidence, files, layout, lookup, proposal, revisions
from wwt_vault.vault.lookup import NoteHead, list_notes
from wwt_vault.vault.parts import note_section, with_sections
from wwt_vault.vault.proposal import MAX_BODY, RELATIONS, Proposal, check_proposal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime
    from pathlib import Path

    from wwt_vault.vault import Vault

__all__ = [
    "MAX_BODY",
    "RELATIONS",
    "NoteHead",
    "history",
    "list_notes",
    "note_section",
    "read_note",
    "read_revision",
    "save_note",
    "with_sections",
]

MAX_DIFF = 200
"""Lines of a diff in a refusal."""
_LOCK_SECONDS = 10.0
_PARSED = 5_000_000  # characters of a file of somebody else's that are looked at for citations: some seconds' work


class _OnDisk(NamedTuple):
    path: DocumentId
    file: Path
    data: bytes
    parts: markdown.Split
    properties: markdown.Frontmatter

    @property
    def revision(self) -> Revision:
        return files.revision_of(self.data)

    @property
    def id(self) -> str | None:
        return lookup.curated_id(self.properties.values)


def read_note(vault: Vault, ref: str) -> Note:
    """Return the note that ``ref`` means: a path, an id, a title or an alias. Any Markdown file can be read.

    Raises ``NotFound`` (nearest names in ``similar``), ``Ambiguous`` (``candidates``), ``PathEscapes``.
    """
    return _note(_load(vault, lookup.find_note(vault, ref)))


def history(vault: Vault, ref: str) -> list[revisions.Record]:
    """Return every revision of a curated note, oldest first, the present one last. Raises as :func:`read_note`."""
    note = read_note(vault, ref)
    return (
        revisions.history(vault, note.id, note.revision) if note.id else [revisions.Record(note.revision, None, None)]
    )


def read_revision(vault: Vault, ref: str, revision: str) -> str:
    """Return the text of a revision of a note, by 12 or more of its digits. Raises ``NotFound``."""
    note = _load(vault, lookup.find_note(vault, ref))
    if len(revision) >= 12 and note.revision.startswith(revision):
        return note.data.decode("utf-8", "replace")
    data = revisions.kept(vault, note.id, revision) if note.id else None
    if data is None:
        raise NotFound(f"{note.path} has no revision {revision[:64]!r}", path=note.path, revision=revision[:64])
    return data.decode("utf-8", "replace")


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
) -> Note:
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
        relations: Kind (``RELATIONS``) to the notes it links to, each a path, id or title.
        aliases: Other names. For this and what follows ``None`` leaves a property as it is.
        tags: With or without ``#``.
        questions: How a person may later ask for this note.
        project: The project it belongs to.
        reason: Why it changes, for the history.

    Nothing is written, and the note returned as it is, when nothing would change. A change unticks ``reviewed``, since
    the person has not seen this text, and names its writer in ``written_by`` where that names another.

    Raises ``NoteExists``, ``StaleRevision`` (with ``path, id, revision, diff``), ``BadEvidence`` (with ``faults``),
    ``Locked``, ``HumanConflict`` (broken frontmatter, git conflict, a page that is no curated note), ``BadName``,
    ``PathEscapes``, ``BadArgument``, ``NotFound``, ``Ambiguous``, ``LockTimeout``, ``VaultError``.
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
        # Names are listed only where they are needed: it is what a save costs in a large vault.
        known = lookup.names(vault) if relations or not revision else {}
        old = _load(vault, lookup.find_note(vault, note, known or None)) if revision else None
        wanted = wanted._replace(relations=_links(vault, relations, known, old.path if old else None))
        return _change(vault, old, revision or "", wanted) if old else _create(vault, note, wanted, known)


def _create(vault: Vault, note: str, wanted: Proposal, known: Mapping[str, list[DocumentId]]) -> Note:
    path, kind, title = lookup.place_for(vault, note, wanted.type, wanted.status)
    name = path.rpartition("/")[2][:-3]
    clashing = known.get(layout.name_key(name))
    if clashing:
        raise _exists(vault, clashing[0], name)
    body = proposal.body_of(wanted.body, None)
    footnotes = evidence.footnotes_for(vault, evidence.check_evidence(vault, body))
    digest = sha256("\0".join((title, wanted.written_by, str(wanted.at), wanted.body)).encode()).hexdigest()
    note_id = f"{wanted.at.astimezone(UTC):%Y%m%d}-{digest[:12]}"
    properties = proposal.first_properties(wanted, note_id=note_id, kind=kind, title=title, name=name, zone=vault.zone)
    data = (markdown.render_frontmatter(properties) + "\n" + proposal.compose(body, footnotes, "")).encode()
    written = revisions.keep(vault, note_id, data)
    try:
        files.create_once(layout.inside(vault.root, path), data)
    except EventConflict as error:
        raise _exists(vault, path, name) from error
    _record(vault, note_id, wanted, revision=written, base=None, path=path)
    return read_note(vault, path)


def _change(vault: Vault, old: _OnDisk, revision: str, wanted: Proposal) -> Note:
    if markdown.flag(old.properties.values, "locked"):
        raise Locked(f"{old.path} is locked: only a person changes it. Nothing was written.", **_identity(old))
    if revision != old.revision and not (len(revision) >= 12 and old.revision.startswith(revision)):
        raise _stale(vault, old, revision, wanted.body)
    _check_changeable(old)
    body = proposal.body_of(wanted.body, old.parts)
    changed = proposal.changed_properties(wanted, old.properties.values)
    text = old.parts.body
    if changed or not proposal.same_text(body.text, text):
        footnotes = evidence.footnotes_for(vault, evidence.check_evidence(vault, body))
        if not proposal.same_text(body.text, text):
            text = proposal.compose(body, footnotes, text)
    if not changed and text == old.parts.body:
        return _note(old)
    note_id = old.id or f"{wanted.at.astimezone(UTC):%Y%m%d}-{old.revision[:12]}"
    properties = proposal.later_properties(wanted, changed, note_id, old.properties.values, vault.zone)
    try:
        data = (markdown.set_keys(old.parts.head, properties) + text).encode()
    except ValueError as error:
        raise HumanConflict(f"{old.path}: {error}", **_identity(old)) from error
    revisions.keep(vault, note_id, data)
    try:
        written = files.replace(old.file, data, old.revision, lambda kept: _keep(vault, note_id, kept))
    except StaleRevision as error:
        raise _stale(vault, _load(vault, old.path), revision, wanted.body) from error
    _record(vault, note_id, wanted, revision=written, base=old.revision, path=old.path)
    return read_note(vault, old.path)


def _check_changeable(old: _OnDisk) -> None:
    """Refuse what only a person can put right."""
    reason = ""
    if old.properties.broken:
        reason = f"line {old.properties.problems[0].line}: {old.properties.problems[0].message}"
    elif old.parts.join().encode() != old.data:
        reason = "it is not UTF-8"
    elif (line := markdown.conflict_line(markdown.parse(old.parts.body, 1 + old.parts.head.count("\n")))) is not None:
        reason = f"an unresolved git conflict begins in line {line}"
    elif markdown.string(old.properties.values, "type") not in lookup.CURATED_TYPES:
        reason = "it is a page of the person's, not a curated note; a property `type: topic` would make it one"
    elif old.id is None and markdown.string(old.properties.values, "id"):
        reason = "its id may have letters, digits, - and _ only, at most 100 of them"
    if reason:
        raise HumanConflict(
            f"{old.path} has to be mended by a person first: {reason}. Nothing was written.", **_identity(old)
        )


def _links(
    vault: Vault,
    relations: Mapping[str, Sequence[str]] | None,
    known: Mapping[str, list[DocumentId]],
    own: DocumentId | None,
) -> dict[str, tuple[str, ...]]:
    """Return each relation as the links that go into its property, every target having been found."""
    links: dict[str, tuple[str, ...]] = {}
    for kind, targets in (relations or {}).items():
        if kind not in RELATIONS:
            raise BadArgument(
                f"there is no relation {kind[:50]!r}; there are {', '.join(RELATIONS)}", argument="relations"
            )
        found = []
        for target in [targets] if isinstance(targets, str) else targets:
            try:
                path = lookup.find_note(vault, target, known)
            except NotFound as error:
                raise NotFound(f"{kind}: {error}. Save that note first.", relation=kind, **error.data) from error
            if path == own:
                raise BadArgument(f"{kind}: a note has no relation to itself", argument="relations", relation=kind)
            found.append(lookup.link_to(path, known))
        links[kind] = tuple(dict.fromkeys(found))
    return links


def _exists(vault: Vault, path: DocumentId, name: str) -> NoteExists:
    there = _load(vault, path)
    message = (
        f"{path} has this name already (case and Unicode form do not tell names apart): read it and save with its "
        f"revision {there.revision[:12]}, or choose another title than {name!r}. Nothing was written."
    )
    return NoteExists(message, **_identity(there))


def _stale(vault: Vault, there: _OnDisk, revision: str, proposed: str) -> StaleRevision:
    """Show what has changed since the revision that was read or, if that is not kept, what the proposal changes."""
    kept = revisions.kept(vault, there.id, revision) if there.id else None
    before = kept.decode("utf-8", "replace") if kept is not None else there.parts.join()
    after = there.parts.join() if kept is not None else there.parts.head + proposed
    names = (f"{revision[:12]} (read)", f"{there.revision[:12]} (now)")
    if kept is None:
        names = (f"{there.revision[:12]} (now)", "proposed")
    message = (
        f"{there.path} is at revision {there.revision[:12]} now, not at {revision[:12]!r}: read it again, bring both "
        f"together, save with the new revision. Nothing was written."
    )
    return StaleRevision(message, **_identity(there), diff=_diff(before, after, *names))


def _diff(before: str, after: str, old_name: str, new_name: str) -> str:
    olds, news = before.splitlines(), after.splitlines()
    if len(olds) + len(news) > 4000:  # difflib takes time with the square of that
        return "(too long to compare)"
    lines = list(difflib.unified_diff(olds, news, old_name, new_name, lineterm=""))
    more = [f"({len(lines) - MAX_DIFF} more lines)"] if len(lines) > MAX_DIFF else []
    return "\n".join(lines[:MAX_DIFF] + more)


def _identity(there: _OnDisk) -> dict[str, str | None]:
    return {"path": there.path, "id": there.id, "revision": there.revision}


def _keep(vault: Vault, note_id: str, data: bytes) -> None:
    revisions.keep(vault, note_id, data)


def _record(vault: Vault, note_id: str, wanted: Proposal, **saved: Any) -> None:  # path, revision, base
    revisions.record(vault, note_id, time=wanted.at, written_by=wanted.written_by, reason=wanted.reason, **saved)


def _load(vault: Vault, path: DocumentId) -> _OnDisk:
    file = layout.inside(vault.root, path)
    data = files.read(file)
    if data is None:
        raise NotFound(f"{path} is gone", path=path)
    parts = markdown.split(data.decode("utf-8", "replace"))
    return _OnDisk(path, file, data, parts, markdown.read_frontmatter(parts, path))


def _note(there: _OnDisk) -> Note:
    body = markdown.parse(there.parts.body[:_PARSED], 1 + there.parts.head.count("\n"))
    return Note(
        path=there.path,
        id=there.id,
        revision=there.revision,
        text=there.parts.join(),
        title=lookup.title_of(there.path, there.properties.values),
        evidence=evidence.cited(body),
    )
