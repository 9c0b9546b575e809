"""What hosts say and what is stored of it: the values of the hook path.

Times are aware datetimes in UTC. Empty is ``()``, absent is ``None``. Built by keyword, never by position. They are
named tuples because frozen dataclasses with slots cost every hook a millisecond each, and their module nine more.
"""

from __future__ import annotations

from datetime import UTC, datetime, tzinfo
from typing import Any, Literal, NamedTuple, NewType

__all__ = [
    "Checkpoint",
    "DocumentId",
    "Event",
    "EventId",
    "HookCall",
    "HookKind",
    "Layer",
    "Message",
    "Problem",
    "Redaction",
    "Revision",
    "Role",
    "Session",
    "Skipped",
    "Source",
    "Turn",
    "format_time",
    "parse_time",
    "time_since_1970",
]

EventId = NewType("EventId", str)
"""``20261130T015801Z-9f2c4e1ab07d``: the message's UTC second and 12 hex of its identity. A legal Obsidian block id."""

Revision = NewType("Revision", str)
"""Lower-case hex SHA-256 of a file's bytes."""

DocumentId = NewType("DocumentId", str)
"""A Markdown file's path inside the vault."""

Role = Literal["user", "assistant"]
Layer = Literal["curated", "session", "page"]
"""``curated``: notes with evidence; ``session``: what was said; ``page``: any other Markdown of the person's."""

HookKind = Literal["start", "prompt", "answer", "end", "other"]


def format_time(time: datetime) -> str:
    """Return ``2026-11-30T01:58:01.123Z``: UTC with milliseconds, the form of every stored time."""
    return time.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def parse_time(text: str, zone: tzinfo = UTC) -> datetime:
    """Read an ISO 8601 time; one without a zone is taken as ``zone``'s.

    Raises ``ValueError``, also for the years 1 and 9999: they say that there is no time, and in some zones there are
    none of their days.
    """
    time = datetime.fromisoformat(text)
    if 1 < time.year < 9999:
        time = (time if time.tzinfo else time.replace(tzinfo=zone)).astimezone(UTC)
    if not 1 < time.year < 9999:  # in UTC it may be another year than where it was said
        raise ValueError(f"no time of this world: {text}")
    return time


def time_since_1970(seconds: float) -> datetime | None:
    """Return seconds since 1970 as a time in UTC; ``None`` for what ``parse_time`` refuses, and what is no time."""
    try:
        return parse_time(datetime.fromtimestamp(seconds, UTC).isoformat())
    except (ValueError, OverflowError, OSError):
        return None


class Redaction(NamedTuple):
    """How many secrets of one kind were taken out of a text."""

    kind: str
    occurrences: int


class Session(NamedTuple):
    """One conversation with one host, as far as the host tells."""

    host: str
    """``claude-code``, ``codex``, ``gemini``, …: the names of ``capture.HOSTS``."""
    session_id: str
    cwd: str | None = None
    git_branch: str | None = None
    started: datetime | None = None
    forked_from: str | None = None
    """Session id of the conversation whose history this one repeats at its head."""
    title: str | None = None
    """What the host calls the conversation: one line, redacted."""
    folder: str | None = None
    """The host's own folder or project in which the conversation lies, by name or id: none of this machine's."""
    assistant: str | None = None
    """The custom assistant that answered (a GPT), by the host's name or id of it."""


class Message(NamedTuple):
    """Something a person typed or an assistant answered: canonical text, redacted, without an id yet."""

    session: Session
    role: Role
    text: str
    time: datetime
    key: str | None = None
    """The host's own id of this message, unique within the session; ``None`` when a hook payload brought it."""
    turn: str | None = None
    """The host's id of the turn, where it has one: links a payload to the transcript's line."""
    model: str | None = None
    cwd: str | None = None
    git_branch: str | None = None
    redactions: tuple[Redaction, ...] = ()


class Skipped(NamedTuple):
    """Part of a transcript that was not understood, and why; the rest goes on."""

    path: str
    line: int
    """Counted from 1; 0 when the whole file is meant."""
    reason: str


class Source(NamedTuple):
    """A document that lies in an export and that nobody said: it becomes a note of type source."""

    host: str
    key: str
    """The host's own id of it."""
    title: str
    text: str
    """Markdown, canonical and redacted."""
    origin: str
    """Where it comes from, for people."""
    time: datetime
    """When it was last changed there."""


class Checkpoint(NamedTuple):
    """Where a transcript can be read on later: everything before ``offset`` has been yielded."""

    offset: int
    """Bytes, at the start of a line."""
    line: int
    """Lines before ``offset``."""
    state: dict[str, Any]  # JSON of the reader's own; nobody else looks inside


class HookCall(NamedTuple):
    """One call of a host's hook, parsed and redacted."""

    kind: HookKind
    session: Session
    event_name: str
    """The host's own name of the hook event."""
    time: datetime
    message: Message | None = None
    earlier: tuple[Message, ...] = ()
    """What the same payload says was said before ``message``, in the same turn."""
    transcript_path: str | None = None
    source: str | None = None
    """Why a session starts (``startup``, ``resume``, ``clear``, ``compact``, ``fork``)."""
    transcript_first: bool = False
    """True when the payload garbles the message: it counts only where the transcript cannot be read."""
    subagent: bool = False
    """True when the call comes from inside a subagent: nothing of it is the person's conversation."""


class Event(NamedTuple):
    """One message as it is stored for good. ``vault/events.py`` reads and writes its JSON."""

    id: EventId
    host: str
    session_id: str
    message_key: str | None
    role: Role
    time: datetime
    text: str
    content_sha256: str
    project: str | None
    cwd: str | None
    git_branch: str | None
    model: str | None
    supersedes: EventId | None
    redactions: tuple[Redaction, ...]


class Problem(NamedTuple):
    """Something wrong with what a person or another program wrote: reported, never fatal."""

    code: str
    path: str
    line: int
    """Counted from 1; 0 when the whole file is meant."""
    message: str


class Turn(NamedTuple):
    """One message as it stands in a session note."""

    event: EventId
    role: Role
    time: datetime
    line: int
    """Line of the callout's first line in the file, counted from 1."""
    text: str
