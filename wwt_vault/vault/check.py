"""Whether everything in the vault is what it was, and every claim leads to its words: a list of small checks.

What a check finds is a ``Problem``, whatever the files hold; none of it stops the rest, and nothing is written.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from wwt_vault import markdown
from wwt_vault.errors import Forgotten, WwtError
from wwt_vault.model.conversation import DocumentId, EventId, Problem
from wwt_vault.vault import (
    blocks,
    check_notes,
    copies,
    documents,
    event_places,
    events,
    files,
    layout,
    listing,
    lookup,
    revisions,
)

if TYPE_CHECKING:
    from wwt_vault.model.knowledge import Document
    from wwt_vault.vault import Vault

__all__ = ["CheckReport", "check_vault"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckReport:
    """How much was checked, and what is wrong with it."""

    events: int
    notes: int
    """Curated notes."""
    citations: int
    """Every place where a file cites an event."""
    problems: tuple[Problem, ...]
    forgotten: int = 0
    """Tombstones; not among the events."""


def check_vault(vault: Vault, notes: Sequence[str] | None = None) -> CheckReport:
    """Check the whole vault, or only ``notes`` (paths, ids or titles) and the events they cite.

    Codes: those of ``events.verify_event``; ``foreign_file`` among the events; those of a document's own problems
    (``broken_frontmatter``, ``duplicate_key``, ``conflict_markers``, ``not_utf8``, ``too_long``); ``unreadable``;
    ``malformed_citation``, ``dangling_citation``, ``forgotten_citation``; in curated notes ``uncited_fact``,
    ``footnote_missing``, ``footnote_broken`` (a citation does not open at the message), ``broken_relation``,
    ``one_sided_relation``; ``duplicate_id``, ``name_clash``; ``damaged_revision``; ``not_in_session_note`` (an event is
    there, its block is not), ``block_without_event``, ``block_misplaced``, ``block_changed`` (a session note has other
    words than the event), ``forgotten_words`` (or still those of a forgotten one).

    Raises ``NotFound`` or ``Ambiguous`` for one of ``notes`` only.
    """
    known = lookup.names(vault)
    if notes is None:
        there_are = {path for path, *_ in listing.markdown_files(vault.root)}
        paths = sorted(there_are - copies.copies_among(there_are).keys())
        found = list(events.event_ids(vault))
    else:
        paths = sorted({lookup.find_note(vault, note, known) for note in notes})
        found = []
    problems = [entry for entry in found if isinstance(entry, Problem)]
    there = [entry for entry in found if not isinstance(entry, Problem)]
    cited: list[tuple[DocumentId, EventId, int]] = []
    told: set[EventId] = set()
    ids: dict[str, list[DocumentId]] = {}
    curated: list[check_notes.CuratedNote] = []
    for path in paths:
        try:
            document = documents.load_document(vault, path)
            citations = _citations(vault, document)
            problems += _changed_blocks(vault, document)
            if document.layer == "curated":
                curated.append(check_notes.read_curated(vault, path))
        except (WwtError, OSError) as error:
            problems.append(Problem("unreadable", path, 0, str(error)))
            continue
        problems += document.problems
        problems += _malformed(path, citations)
        cited += ((path, citation.event, citation.line) for citation in citations if citation.well_formed)
        told.update(turn.event for turn in document.turns)
        if document.layer == "curated" and document.note_id:
            ids.setdefault(document.note_id, []).append(path)
    if notes is not None:
        there = sorted({event for _, event, _ in cited if _exists(vault, event)})
    forgotten = frozenset(event for event in there if _is_forgotten(vault, event))
    kept = frozenset(there) - forgotten
    if notes is None:
        problems += _not_told(vault, kept, told)
        problems += _clashing_names(paths)
        problems += _damaged_revisions(vault)
    problems += (problem for event in there for problem in _verified(vault, event))
    problems += _dangling(cited, kept, forgotten)
    problems += _duplicate_ids(ids)
    leads: dict[str, frozenset[EventId]] = {}
    for note in curated:
        problems += check_notes.claims_without_evidence(note)
        problems += check_notes.footnote_problems(vault, note, kept, leads)
    problems += check_notes.relation_problems(vault, curated, known)
    return CheckReport(
        events=len(kept),
        notes=sum(map(len, ids.values())),
        citations=len(cited),
        problems=tuple(sorted(problems, key=lambda problem: (problem.path, problem.line, problem.code))),
        forgotten=len(forgotten),
    )


def _is_forgotten(vault: Vault, event: EventId) -> bool:
    try:
        data = files.read(layout.inside(vault.root, event_places.path_of(vault, event), hidden=True)) or b""
        if b'"forgotten": ' in data:  # every event is read once more for this, so it is parsed only if need be
            events.from_json(data)
    except Forgotten:
        return True
    except WwtError:
        pass
    return False


def _verified(vault: Vault, event: EventId) -> Iterable[Problem]:
    try:
        return events.verify_event(vault, event)
    except WwtError as error:  # a link, or not to be read
        return [Problem("unreadable", event_places.path_of(vault, event), 0, str(error))]


def _malformed(path: DocumentId, citations: Iterable[markdown.Citation]) -> Iterator[Problem]:
    for citation in citations:
        if not citation.well_formed:
            message = f"{citation.event} is no event id; one looks like 20261130T015801Z-9f2c4e1ab07d"
            yield Problem("malformed_citation", path, citation.line, message)


def _citations(vault: Vault, document: Document) -> list[markdown.Citation]:
    if document.layer == "session":
        return []
    data = files.read(layout.inside(vault.root, document.id)) or b""
    parts = markdown.split(data[: documents.MAX_BYTES].decode("utf-8", "replace"))
    return list(markdown.citations(markdown.parse(parts.body, 1 + parts.head.count("\n"))))


def _exists(vault: Vault, event: EventId) -> bool:
    return layout.inside(vault.root, event_places.path_of(vault, event), hidden=True).is_file()


def _dangling(
    cited: Iterable[tuple[DocumentId, EventId, int]], there: frozenset[EventId], forgotten: frozenset[EventId]
) -> Iterator[Problem]:
    for path, event, line in cited:
        if event in forgotten:
            message = f"event {event} was forgotten: this claim has no evidence"
            yield Problem("forgotten_citation", path, line, message)
        elif event not in there:
            yield Problem("dangling_citation", path, line, f"there is no event {event}: this claim has no evidence")


def _duplicate_ids(ids: dict[str, list[DocumentId]]) -> Iterator[Problem]:
    for note_id, paths in ids.items():
        for path in paths[1:]:
            message = f"{paths[0]} has the id {note_id} too; give the copy a new one, or delete its id to get one"
            yield Problem("duplicate_id", path, 0, message)


def _clashing_names(paths: Sequence[DocumentId]) -> Iterator[Problem]:
    seen: dict[str, DocumentId] = {}
    for path in paths:
        other = seen.setdefault(layout.name_key(path), path)
        if other != path:
            yield Problem(
                "name_clash", path, 0, f"differs from {other} by case alone: other systems hold only one of them"
            )


def _changed_blocks(vault: Vault, document: Document) -> Iterator[Problem]:
    """Hold the words of a session note against its events."""
    for turn in document.turns:
        try:
            event = events.read_event(vault, turn.event)
        except Forgotten as error:
            yield Problem("forgotten_words", document.id, turn.line, f"{error}; forget it again")
            continue
        except WwtError:
            if not _exists(vault, turn.event):
                message = f"there is no event {turn.event}: these words have no proof"
                yield Problem("block_without_event", document.id, turn.line, message)
            continue
        if (event.host, event.session_id) != (document.host, document.session_id):
            message = f"event {turn.event} belongs to session {event.session_id} of {event.host}"
            yield Problem("block_misplaced", document.id, turn.line, message)
        elif (turn.role, turn.text) != (event.role, blocks.shown(event.text)):
            message = f"not the words of event {turn.event}: `wwt events {turn.event}` shows them"
            yield Problem("block_changed", document.id, turn.line, message)


def _not_told(vault: Vault, there: Iterable[EventId], told: set[EventId]) -> Iterator[Problem]:
    for event in there:
        if event not in told:
            message = f"event {event} is not in the note of its session"
            yield Problem("not_in_session_note", event_places.path_of(vault, event), 0, message)


def _damaged_revisions(vault: Vault) -> Iterator[Problem]:
    """Recompute the hash of every kept revision: its name."""
    for note_id in files.names_in(layout.inside(vault.root, layout.REVISIONS, hidden=True)):
        try:
            for revision in revisions.revisions_kept(vault, note_id):
                path = layout.revision_path(note_id, revision)
                data = files.read(layout.inside(vault.root, path, hidden=True))
                if data is not None and files.revision_of(data) != revision:
                    yield Problem("damaged_revision", path, 0, "its bytes are not those its name says")
        except WwtError as error:  # not a note's id, a link, not to be read
            yield Problem("foreign_file", f"{layout.REVISIONS}/{note_id}", 0, str(error))
