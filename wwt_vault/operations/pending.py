"""What is curated and what is not, worked out from the ledger and the marks in the vault."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from wwt_vault.context import Flow, Waiting
from wwt_vault.errors import VaultError, WwtError
from wwt_vault.model.conversation import DocumentId, EventId, format_time
from wwt_vault.operations.ledger import Entry
from wwt_vault.operations.workspace import Workspace
from wwt_vault.vault import documents, layout, marks
from wwt_vault.vault.files import overwrite

__all__ = ["OpenSession", "Pending", "flow", "leave_counts", "pending", "pinned"]


_FIRST: Final = 3
"""Sessions that wait longest, named to a new session."""
_TICK: Final = 3_000_000_000
"""Nanoseconds: longer than any file system's clock stands still."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenSession:
    """A session with events that no note cites and no mark covers."""

    path: DocumentId
    entry: Entry
    events: tuple[EventId, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pending:
    """What is curated and what is not, as the vault stands."""

    curated: frozenset[EventId]
    sessions: tuple[OpenSession, ...]
    """Oldest first, of the same day the largest first."""
    notes: int
    """Curated notes, session notes and events that the session notes hold."""
    session_notes: int
    events: int

    def waiting(self, project: str | None) -> Waiting:
        """Return how much of ``project`` waits, or of all projects with ``None``."""
        chosen = [session for session in self.sessions if project in (None, session.entry.project)]
        messages = sum(len(session.events) for session in chosen)
        return Waiting(sessions=len(chosen), messages=messages, oldest=chosen[0].path if chosen else "")


def pending(workspace: Workspace) -> Pending:
    """Work out what is curated, from the ledger (as the last refresh left it) and the marks in the vault.

    What came of it is kept as long as neither changes.
    """
    ledger = workspace.ledger
    marked = _marks_changed(workspace)
    state = (ledger.version, marked)
    if ledger.pending is not None and ledger.pending[0] == state:
        known: Pending = ledger.pending[1]
        return known
    found = _worked_out(ledger.snapshot(), marks.read_curated_marks(workspace.vault))
    # Two changes within one tick of the file system's clock look like one.
    ledger.pending = (state, found) if time.time_ns() - marked > _TICK else None
    return found


def _marks_changed(workspace: Workspace) -> int:
    """Return when a mark was last added or replaced, in ns since 1970; 0 without any."""
    try:
        return layout.inside(workspace.vault.root, layout.CURATED_MARKS, hidden=True).stat().st_mtime_ns
    except OSError:
        return 0


def _worked_out(entries: Mapping[DocumentId, Entry], covered: Mapping[tuple[str, str], marks.CuratedMark]) -> Pending:
    notes = [entry for entry in entries.values() if entry.layer == "curated"]
    curated = {event for entry in notes for event in entry.events}
    told = {path: entry for path, entry in entries.items() if entry.layer == "session"}
    waiting: list[OpenSession] = []
    for path, entry in told.items():
        mark = covered.get((entry.host, entry.session_id))
        if mark is not None:
            curated.update(entry.events[: _place_behind(mark.upto, entry.events)])
        left = tuple(event for event in entry.events if event not in curated)
        if left:
            waiting.append(OpenSession(path=path, entry=entry, events=left))
    # Days, not seconds: among what was said on one day the largest comes first.
    waiting.sort(key=lambda session: (session.events[0][:8], -len(session.events), session.path))
    return Pending(
        curated=frozenset(curated),
        sessions=tuple(waiting),
        notes=len(notes),
        session_notes=len(told),
        events=sum(len(entry.events) for entry in told.values()),
    )


def _place_behind(upto: EventId, events: tuple[EventId, ...]) -> int:
    """Return how many of a session's events a mark covers; one that is not in the note counts by its time."""
    if upto in events:
        return events.index(upto) + 1
    return sum(event[:16] <= upto[:16] for event in events)


def leave_counts(workspace: Workspace, found: Pending, now: datetime) -> None:
    """Write ``brief.json`` of the state folder: per project, how many sessions and messages wait, which of them come
    first, and when that was counted."""
    as_of = now.astimezone(workspace.vault.zone).strftime("%Y-%m-%d %H:%M")
    projects: dict[str, dict[str, Any]] = {}
    for session in found.sessions:
        counts = projects.setdefault(
            session.entry.project or "", {"sessions": 0, "messages": 0, "as_of": as_of, "first": []}
        )
        counts["sessions"] += 1
        counts["messages"] += len(session.events)
        if len(counts["first"]) < _FIRST:
            counts["first"].append([session.path, len(session.events)])
    data = json.dumps({"as_of": format_time(now), "projects": projects}, ensure_ascii=False)
    with suppress(VaultError):  # a session's start then tells older counts
        overwrite(workspace.state.root / "brief.json", data.encode("utf-8", "replace"), private=True, durable=False)


def pinned(workspace: Workspace, project: str, until: datetime | None) -> list[DocumentId]:
    """Return the project's pinned notes in the order of their paths; ``until`` leaves out those that changed since."""
    return sorted(
        path
        for path, entry in workspace.ledger.snapshot().items()
        if entry.pinned
        and entry.layer != "session"
        and entry.project == project
        and entry.status != "superseded"
        and (until is None or entry.time is None or entry.time < until)
    )


def flow(workspace: Workspace, project: str, until: datetime | None, count: int = 3) -> list[Flow]:
    """Return the project's last sessions, newest first, each with what it began with."""
    entries = workspace.ledger.snapshot()
    own = [
        (entry.time, path)
        for path, entry in entries.items()
        if entry.layer == "session"
        and entry.project == project
        and entry.time
        and entry.events
        and (until is None or entry.time < until)
    ]
    found: list[Flow] = []
    for started, path in sorted(own, reverse=True)[:count]:
        try:
            document = documents.load_document(workspace.vault, path)
        except (WwtError, OSError):
            continue
        if document.turns:
            opening = next((turn for turn in document.turns if turn.role == "user"), document.turns[0])
            found.append(
                Flow(path=path, host=document.host, started=started, opening=opening, messages=len(document.turns))
            )
    return found
