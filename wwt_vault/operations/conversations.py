"""The verbs about what was said: take it in, and read it word for word."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any, Final, get_args

from wwt_vault.capture import find_transcripts
from wwt_vault.capture.hosts import HOSTS
from wwt_vault.capture.redact import without_secrets
from wwt_vault.capture.text import stored
from wwt_vault.errors import BadArgument, DamagedEvent, FormatTooNew, NotFound, Refused, WwtError
from wwt_vault.fence import clean
from wwt_vault.ingest import handed_over, transcripts
from wwt_vault.ingest.excluded import is_excluded
from wwt_vault.model.conversation import Event, EventId, Message, Role, Session, parse_time
from wwt_vault.operations.imports import SourceKeeper
from wwt_vault.operations.workspace import Workspace
from wwt_vault.vault import events, sessions

__all__ = ["ingest", "ingest_transcripts", "read_events", "record", "report_of", "session_events"]

Json = dict[str, Any]

_MAX_MESSAGES: Final = 500
_MAX_EVENTS: Final = 500


def ingest(
    workspace: Workspace,
    paths: Sequence[Path],
    *,
    host: str | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Json:
    """Import transcripts and exports (files, archives, folders).

    Returns ``{events_added, events_known, sessions, sources, skipped, excluded}``; ``sources`` are notes that were
    written for documents in an export, ``excluded`` folders of which nothing was taken, as the person wished.

    ``progress`` gets bytes done and bytes in all. Raises ``NotFound`` for a path that is not there, ``BadArgument`` for
    a host that is not known; a file that no reader understands is in ``skipped``.
    """
    if host is not None and host not in HOSTS:
        raise BadArgument(f"no host is named {host!r}; known are {', '.join(HOSTS)}", argument="host")
    for path in paths:
        if not path.exists():
            raise NotFound(f"{path} does not exist.", path=str(path))
    keeper = SourceKeeper(workspace)
    report = transcripts.ingest_paths(
        workspace.vault, workspace.state, paths, host=host, progress=progress, keep_source=keeper.keep
    )
    return report_of(report, keeper.written)


def report_of(report: transcripts.IngestReport, sources: list[str]) -> Json:
    """Return what an import did, as :func:`ingest` does; ``sources`` are the notes written for documents."""
    return {
        "events_added": report.events_added,
        "events_known": report.events_known,
        "sessions": list(report.sessions),
        "sources": sources,
        "skipped": [{"path": part.path, "line": part.line, "reason": part.reason} for part in report.skipped],
        "excluded": list(report.excluded),
    }


def ingest_transcripts(workspace: Workspace, path: str, *, progress: Callable[[int, int], None] | None = None) -> Json:
    """Import a transcript that a host keeps on this machine, or all that lie in a folder. For callers who may name no
    other file. Returns as :func:`ingest`, raises ``NotFound`` where no host keeps one.
    """
    asked = Path(path).expanduser()
    found = []
    with suppress(OSError, ValueError):  # a path that is none
        real = asked.resolve()
        for host in HOSTS:
            transcripts_there = find_transcripts(host, Path.home(), os.environ)
            found += [file for file in transcripts_there if file.resolve().is_relative_to(real)]
    if not found:
        raise NotFound(
            f"No host keeps a transcript at {path}. Import other files by `wwt ingest` on the command line.", path=path
        )
    return ingest(workspace, found, progress=progress)


def record(
    workspace: Workspace,
    host: str,
    session_id: str,
    messages: Sequence[Mapping[str, Any]],
    *,
    project: str | None = None,
    said_in: str | None = None,
    now: datetime,
    progress: Callable[[int, int], None] | None = None,
) -> Json:
    """Keep messages of a host without hooks. Returns ``{added, known}``: new event ids, and how many were there.

    A message is ``{role, text, time?}``; without a time it is taken as said now. Secrets are taken out first.
    ``said_in`` is the folder in which an agent records by itself. ``progress`` gets messages done and messages in all.
    Raises ``BadArgument`` naming the message at fault; then none is kept. Raises ``Refused`` for a folder that is
    excluded from capture.
    """
    if is_excluded(said_in):
        reason = f"{said_in} is excluded from capture by the person; nothing was recorded, and nothing should be"
        raise Refused(reason, path=said_in)
    if not isinstance(messages, list | tuple):
        raise BadArgument("messages must be a list of {role, text, time?}", argument="messages")
    if not host.strip() or not session_id.strip():
        raise BadArgument("host and session_id must not be empty", argument="session_id")
    for name, value, longest in (("host", host, 100), ("session_id", session_id, 500)):
        if len(value) > longest or not value.strip().isprintable():
            raise BadArgument(f"{name} is one line of at most {longest} characters", argument=name)
    if len(messages) > _MAX_MESSAGES:
        raise BadArgument(f"at most {_MAX_MESSAGES} messages in one call, not {len(messages)}", argument="messages")
    if without_secrets(f"{host} {session_id}") != f"{host} {session_id}":
        raise BadArgument("host or session_id looks like a secret: give it another id", argument="session_id")
    cwd = without_secrets(project) if project else None
    session = Session(host=host.strip(), session_id=session_id.strip(), cwd=cwd)
    said = [message for at, entry in enumerate(messages) if (message := _message(session, at, entry, now))]
    report = handed_over.record_messages(
        workspace.vault, workspace.state, said, untimed=now, progress=progress or (lambda *_: None)
    )
    return {"added": list(report.added), "known": report.known}


def _message(session: Session, at: int, entry: Mapping[str, Any], now: datetime) -> Message | None:
    """Read one message; ``None`` for one of which nothing is left to keep (only injected context)."""
    if not isinstance(entry, dict):
        raise BadArgument(f"message {at}: not an object {{role, text, time?}}", argument="messages", number=at)
    role, text, time = str(entry.get("role")), entry.get("text"), entry.get("time")
    roles: dict[str, Role] = {role: role for role in get_args(Role)}
    if role not in roles:
        raise BadArgument(f"message {at}: role is user or assistant, not {role!r}", argument="messages", number=at)
    if not isinstance(text, str):
        raise BadArgument(f"message {at}: text must be a string", argument="messages", number=at)
    try:
        when = parse_time(time) if time else now
    except (TypeError, ValueError) as error:
        raise BadArgument(
            f"message {at}: time is no ISO 8601 time: {time!r}", argument="messages", number=at
        ) from error
    kept, redactions = stored(text)
    return Message(session=session, role=roles[role], text=kept, time=when, redactions=redactions) if kept else None


def read_events(
    workspace: Workspace, ids: Sequence[str], *, around: int = 0, max_characters: int | None = None
) -> Json:
    """Return messages word for word, in the order asked for, each with ``around`` neighbours of its session.

    Returns ``{events, missing, truncated}``; ``max_characters`` bounds the words in all. Ids that are malformed, that
    no event has, or whose file is damaged, are in ``missing``. When none can be read it raises ``NotFound``, or what is
    wrong with the first file: ``DamagedEvent``, ``FormatTooNew``.
    """
    if around < 0 or len(ids) * (2 * around + 1) > _MAX_EVENTS:
        message = f"around must be at least 0, and at most {_MAX_EVENTS} messages in all"
        raise BadArgument(message, argument="around")
    found: dict[EventId, Event] = {}
    missing: list[str] = []
    damaged: list[WwtError] = []
    notes: dict[tuple[str, str], tuple[str, list[EventId]]] = {}
    for name in ids:
        event = _event(workspace, name, damaged)
        if event is None:
            missing.append(name)
            continue
        key = (event.host, event.session_id)
        if key not in notes:
            notes[key] = session_events(workspace, *key)
        _, order = notes[key]
        at = order.index(event.id) if event.id in order else None
        near = [event.id] if at is None else order[max(0, at - around) : at + around + 1]
        for neighbour in near:
            other = event if neighbour == event.id else _event(workspace, neighbour, damaged)
            if other is not None:
                found.setdefault(other.id, other)
    if not found:
        if damaged:
            raise damaged[0]
        raise NotFound("None of these events is in the vault.", missing=missing)
    left = max_characters
    shown: list[Json] = []
    truncated = False
    for event in found.values():
        text = clean(event.text)
        if left is not None:
            if left <= 0:
                truncated = True
                break
            if len(text) > left:
                text, truncated = text[:left] + " …", True
            left -= len(text)
        shown.append(_shown(workspace, event, notes[event.host, event.session_id][0], text))
    return {"events": shown, "missing": missing, "truncated": truncated}


def _event(workspace: Workspace, name: str, damaged: list[WwtError]) -> Event | None:
    try:
        return events.read_event(workspace.vault, EventId(name.strip().removeprefix("[^").removesuffix("]")))
    except (NotFound, BadArgument):
        return None
    except (DamagedEvent, FormatTooNew) as error:  # one bad file does not hide the others
        damaged.append(error)
        return None


def session_events(workspace: Workspace, host: str, session_id: str) -> tuple[str, list[EventId]]:
    """Return the session note's path in the vault and its events in order; empty without a note."""
    note = sessions.find_session_note(workspace.vault, host, session_id)
    if note is None:
        return "", []
    return note.relative_to(workspace.vault.root).as_posix(), list(sessions.known_events(note))


def _shown(workspace: Workspace, event: Event, path: str, text: str) -> Json:
    return {
        "id": event.id,
        "time": event.time.astimezone(workspace.vault.zone).isoformat(timespec="seconds"),
        "role": event.role,
        "host": event.host,
        "session_id": event.session_id,
        "project": event.project,
        "cwd": event.cwd,
        "git_branch": event.git_branch,
        "model": event.model,
        "supersedes": event.supersedes,
        "path": path,
        "text": text,
    }
