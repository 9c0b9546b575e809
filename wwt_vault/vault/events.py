"""Events: what was said, one immutable file a message. Written once, never changed, read by everything else.

The file is one line of JSON, its keys sorted, and follows from the message alone: two machines that read the same
transcript write the same bytes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Container, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any, get_args

from wwt_vault.errors import BadArgument, DamagedEvent, Forgotten, FormatTooNew, NotFound
from wwt_vault.hashing import sha256
from wwt_vault.model.conversation import (
    Event,
    EventId,
    Message,
    Problem,
    Redaction,
    Role,
    format_time,
    parse_time,
)
from wwt_vault.vault import Vault, files
from wwt_vault.vault.event_places import days, folders, path_of
from wwt_vault.vault.layout import EVENT_ID, event_path, inside, project_of

__all__ = [
    "event_id",
    "event_ids",
    "event_of",
    "events_near",
    "events_of_session",
    "fingerprint",
    "from_json",
    "iter_events",
    "read_event",
    "storable",
    "time_of",
    "to_json",
    "tombstone",
    "verify_event",
    "write_event",
]

_SCHEMA = 1
_ROLES = get_args(Role)
_TRIED_OCCURRENCES = 1000


def fingerprint(host: str, session_id: str, role: str, text: str, occurrence: int) -> str:
    """Return the 12 hex digits that say which message this is, whichever way it comes and whatever clock it had.

    The beginning of the SHA-256 of ``[host, session_id, role, text, occurrence]`` as JSON without spaces, in UTF-8.
    ``text`` is the stored one: a hash of a secret would be a way to guess it. ``occurrence`` counts from 1 how often
    the session has this text in this role.
    """
    identity = [host, session_id, role, text, occurrence]
    data = json.dumps(identity, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
    return sha256(data).hexdigest()[:12]


def event_id(time: datetime, hexdigits: str) -> EventId:
    """Return ``20261130T015801Z-9f2c4e1ab07d`` for a time and a fingerprint."""
    utc = time.astimezone(UTC)
    return EventId(f"{utc.year:04}{utc.month:02}{utc.day:02}T{utc.hour:02}{utc.minute:02}{utc.second:02}Z-{hexdigits}")


def time_of(event: str) -> datetime:
    """Return the UTC second in an event's id. Raises ``BadArgument`` for what is no id."""
    if re.fullmatch(EVENT_ID, event) is not None:
        try:
            return parse_time(event[:16])
        except ValueError:
            pass
    raise BadArgument(f"{event[:80]!r} is not an event id", event=event[:80])


def event_of(message: Message, occurrence: int, supersedes: EventId | None = None) -> Event:
    """Return the event that stores ``message``, the ``occurrence``-th (from 1) of this text in its session.

    Times are cut to the millisecond. What no UTF-8 file can hold (a lone surrogate) becomes U+FFFD.
    """
    session = message.session
    host, session_id, text = storable(session.host), storable(session.session_id), storable(message.text)
    cwd = message.cwd if message.cwd is not None else session.cwd
    branch = message.git_branch if message.git_branch is not None else session.git_branch
    return Event(
        id=event_id(message.time, fingerprint(host, session_id, message.role, text, occurrence)),
        host=host,
        session_id=session_id,
        message_key=_storable_or_none(message.key),
        role=message.role,
        time=parse_time(format_time(message.time)),
        text=text,
        content_sha256=_text_hash(text),
        project=project_of(cwd),
        cwd=_storable_or_none(cwd),
        git_branch=_storable_or_none(branch),
        model=_storable_or_none(message.model),
        supersedes=supersedes,
        redactions=message.redactions,
    )


def storable(text: str) -> str:
    """Return ``text`` with U+FFFD for every lone surrogate, which UTF-8 cannot hold."""
    return text if text.isascii() else re.sub("[\ud800-\udfff]", "\ufffd", text)


def _storable_or_none(text: str | None) -> str | None:
    return None if text is None else storable(text)


def _text_hash(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def to_json(event: Event) -> bytes:
    """Return the event's file: one line of JSON in UTF-8, keys sorted, every key there."""
    table = event._asdict() | {
        "schema": _SCHEMA,
        "time": format_time(event.time),
        "redactions": [{"kind": kind, "count": count} for kind, count in event.redactions],
    }
    return json.dumps(table, ensure_ascii=False, sort_keys=True).encode() + b"\n"


def from_json(data: bytes, path: str = "") -> Event:
    """Read an event's file; keys that are not known are left alone. ``path`` is for the message only.

    Raises ``DamagedEvent`` with every issue at once, ``FormatTooNew`` for a schema of a newer version, ``Forgotten``
    for the tombstone of an event, with what it says as ``data``.
    """
    try:
        table: Any = json.loads(data.decode())
    except (ValueError, RecursionError) as error:
        raise _damaged(path, [f"not JSON in UTF-8: {error}"]) from error
    if not isinstance(table, dict):
        raise _damaged(path, ["not a JSON object"])
    schema = table.get("schema")
    if isinstance(schema, int) and schema > _SCHEMA:
        message = f"{path or 'event'} has schema {schema}; this program knows up to {_SCHEMA}: pip install -U wwt-vault"
        raise FormatTooNew(message, path=path, schema=schema)
    if "forgotten" in table:
        raise _forgotten(table, path)
    issues = [] if schema == _SCHEMA else [f"schema is {schema!r}, not {_SCHEMA}"]
    issues += [f"{key} is not a text" for key in _TEXTS if not _is_text(table.get(key))]
    issues += [
        f"{key} is neither a text nor null"
        for key in _OPTIONAL
        if table.get(key) is not None and not _is_text(table[key])
    ]
    if not _is(EVENT_ID, table.get("id")):
        issues.append(f"id is {table.get('id')!r}, not an event id")
    if table.get("supersedes") is not None and not _is(EVENT_ID, table["supersedes"]):
        issues.append(f"supersedes is {table['supersedes']!r}, not an event id")
    if table.get("role") not in _ROLES:
        issues.append(f"role is {table.get('role')!r}, not one of {', '.join(_ROLES)}")
    if not _is("[0-9a-f]{64}", table.get("content_sha256")):
        issues.append("content_sha256 is not 64 hex digits")
    time = _time(table.get("time"), issues)
    redactions = _redactions(table.get("redactions"), issues)
    if issues or time is None:
        raise _damaged(path, issues)
    return Event(
        id=EventId(table["id"]),
        host=table["host"],
        session_id=table["session_id"],
        message_key=table.get("message_key"),
        role=table["role"],
        time=time,
        text=table["text"],
        content_sha256=table["content_sha256"],
        project=table.get("project"),
        cwd=table.get("cwd"),
        git_branch=table.get("git_branch"),
        model=table.get("model"),
        supersedes=table.get("supersedes"),
        redactions=redactions,
    )


def tombstone(event: Event, reason: str, at: datetime) -> bytes:
    """Return what stands in the place of an event that was forgotten: whose it was, when and why, and none of it."""
    table = {"schema": _SCHEMA, "id": event.id, "host": event.host, "session_id": event.session_id, "role": event.role}
    table |= {"forgotten": format_time(at), "reason": reason}
    return json.dumps(table, ensure_ascii=False, sort_keys=True).encode() + b"\n"


def _forgotten(table: dict[str, Any], path: str) -> Forgotten | DamagedEvent:
    data = {key: table.get(key) for key in ("id", "host", "session_id", "role", "forgotten", "reason")}
    issues = [f"{key} is not a text" for key, value in data.items() if not _is_text(value)]
    if _time(data["forgotten"], issues) is None or issues or not _is(EVENT_ID, data["id"]):
        return _damaged(path, issues or ["id is not an event id"])
    at = str(data.pop("forgotten"))
    message = f"event {data['id']} was forgotten on {at[:10]}: {data['reason']}"
    return Forgotten(message, event=data.pop("id"), at=at, **data)


_TEXTS = ("host", "session_id", "text")
_OPTIONAL = ("message_key", "project", "cwd", "git_branch", "model", "supersedes")


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and value == storable(value)


def _is(pattern: str, value: Any) -> bool:
    return isinstance(value, str) and re.fullmatch(pattern, value) is not None


def _time(value: Any, issues: list[str]) -> datetime | None:
    try:
        return parse_time(value)
    except (TypeError, ValueError, OverflowError):
        issues.append(f"time is {value!r}, not like 2026-11-30T01:58:01.123Z")
        return None


def _redactions(value: Any, issues: list[str]) -> tuple[Redaction, ...]:
    try:
        found = tuple(Redaction(kind=entry["kind"], occurrences=entry["count"]) for entry in value or ())
    except (TypeError, KeyError):
        found = (Redaction(kind="", occurrences=-1),)
    if any(not isinstance(kind, str) or type(count) is not int or count < 0 for kind, count in found):
        issues.append('redactions is not a list of {"kind": …, "count": …}')
    return found


def _damaged(path: str, issues: list[str]) -> DamagedEvent:
    message = f"{path or 'event'} does not hold an event: {'; '.join(issues)}. Restore it from a copy or from git."
    return DamagedEvent(message, path=path, issues=issues)


def write_event(vault: Vault, event: Event) -> bool:
    """Write the event for good; ``False`` when its file was there already, with the same bytes.

    Raises ``EventConflict`` when the file says something else, ``VaultReadOnly``, ``VaultError``.
    """
    return files.create_once(inside(vault.root, path_of(vault, event.id), hidden=True), to_json(event))


def read_event(vault: Vault, event: str) -> Event:
    """Return an event.

    Raises ``BadArgument`` (not an id), ``NotFound`` (also ``Forgotten``), ``DamagedEvent``, ``FormatTooNew``.
    """
    path = path_of(vault, event)
    data = files.read(inside(vault.root, path, hidden=True))
    if data is None:
        raise NotFound(f"there is no event {event}", event=event, path=path)
    return from_json(data, path)


def event_ids(vault: Vault, since: datetime | None = None) -> Iterator[EventId | Problem]:
    """Yield the id of every event from ``since`` on, in order of time, from the names alone.

    What lies among the events and is none is yielded as a ``Problem`` (``foreign_file``), but for files being written.
    """
    first = event_id(since, "") if since is not None else ""
    places = folders(vault)
    found = (entry for folder in places for entry in _ids_below(vault, folder, first))
    if len(places) == 1:
        yield from found
    else:  # they are being moved
        everything = list(found)
        yield from (entry for entry in everything if isinstance(entry, Problem))
        yield from sorted({entry for entry in everything if not isinstance(entry, Problem)})


def _ids_below(vault: Vault, top: str, first: str) -> Iterator[EventId | Problem]:
    for folder, names in days(vault.root, top, first[:8]):
        for name in names:
            event = name.removesuffix(".json")
            if name.endswith(".json") and _is(EVENT_ID, event) and event_path(event, top) == f"{folder}/{name}":
                if event >= first:
                    yield EventId(event)
            elif not name.startswith(".tmp-"):
                yield Problem("foreign_file", f"{folder}/{name}", 0, "not an event, or not in the folder of its day")


def iter_events(vault: Vault, since: datetime | None = None) -> Iterator[Event | Problem]:
    """Yield every event from ``since`` on, in order of time; for one that cannot be read, a ``Problem``."""
    for found in event_ids(vault, since):
        if isinstance(found, Problem):
            yield found
            continue
        try:
            yield read_event(vault, found)
        except (DamagedEvent, FormatTooNew) as error:
            yield Problem(error.code, path_of(vault, found), 0, str(error))
        except NotFound:  # forgotten or moved since the names were read
            pass


def events_near(
    vault: Vault, when: datetime, seconds: int = 0, *, without: Container[str] = frozenset()
) -> Iterator[Event]:
    """Yield the events of a UTC second and of so many before and after it, the nearest seconds first, then by id.

    That is how a message is recognised that another session has too. Reads the names of that day once; what is damaged
    is left out, and so are the ids in ``without``, unread.
    """
    offsets = sorted(range(-seconds, seconds + 1), key=lambda offset: (abs(offset), offset))
    order: dict[str, int] = {
        event_id(when + timedelta(seconds=offset), ""): rank for rank, offset in enumerate(offsets)
    }
    near_days = {
        event_path(second + "0" * 12, folder).rpartition("/")[0] for second in order for folder in folders(vault)
    }
    names = (name for day in near_days for name in files.names_in(inside(vault.root, day, hidden=True)))
    near = {(order[name[:17]], name) for name in names if name[:17] in order}
    for _, name in sorted(near):
        event = name.removesuffix(".json")
        if event in without:
            continue
        try:
            yield read_event(vault, event)
        except (BadArgument, DamagedEvent, FormatTooNew, NotFound):
            continue


def events_of_session(
    vault: Vault, host: str, session_id: str, forgotten: list[Forgotten] | None = None
) -> list[Event]:
    """Return all events of a session in order of time; its tombstones are added to ``forgotten``.

    Reads every event file: for repairs, not for every day.
    """
    needle = json.dumps(session_id, ensure_ascii=False).encode("utf-8", "replace")
    found = []
    for event in event_ids(vault):
        if isinstance(event, Problem):
            continue
        path = path_of(vault, event)
        data = files.read(inside(vault.root, path, hidden=True)) or b""
        if needle not in data:
            continue
        try:
            candidate = from_json(data, path)
        except Forgotten as error:
            if forgotten is not None and (error.data["host"], error.data["session_id"]) == (host, session_id):
                forgotten.append(error)
            continue
        except (DamagedEvent, FormatTooNew):
            continue
        if (candidate.host, candidate.session_id) == (host, session_id):
            found.append(candidate)
    return sorted(found, key=lambda event: (event.time, event.id))


def verify_event(vault: Vault, event: str) -> tuple[Problem, ...]:
    """Recompute all that an event file says of itself; return what does not agree, nothing when all does.

    Codes: ``event_missing``, ``damaged_event``, ``event_misplaced`` (another id than its name), ``event_time`` (another
    second than its id), ``event_changed`` (text and hash disagree), ``event_identity`` (host, session, role or text are
    not those its id was made of).
    """
    path = path_of(vault, event)
    try:
        found = read_event(vault, event)
    except Forgotten as error:
        misplaced = Problem("event_misplaced", path, 0, f"the file says it is {error.data['event']}")
        return () if error.data["event"] == event else (misplaced,)
    except NotFound as error:
        return (Problem("event_missing", path, 0, str(error)),)
    except (DamagedEvent, FormatTooNew) as error:
        return (Problem(error.code, path, 0, str(error)),)
    problems = []
    if found.id != event:
        problems.append(Problem("event_misplaced", path, 0, f"the file says it is {found.id}"))
    if event_id(found.time, "") != found.id[:17]:
        problems.append(Problem("event_time", path, 0, f"its time {format_time(found.time)} is not that of its id"))
    if _text_hash(storable(found.text)) != found.content_sha256:
        problems.append(Problem("event_changed", path, 0, "its text is not the one that was stored"))
    elif not any(
        fingerprint(found.host, found.session_id, found.role, found.text, occurrence) == found.id[17:]
        for occurrence in range(1, _TRIED_OCCURRENCES + 1)
    ):
        problems.append(Problem("event_identity", path, 0, "its id was made of another host, session, role or text"))
    return tuple(problems)
