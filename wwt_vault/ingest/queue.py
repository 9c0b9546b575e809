"""Hook calls that are not in the vault yet: kept in the state folder, tried again later, never dropped silently.

Every call is put here before anything else is tried, already redacted, and taken away when its message is in the
vault. So whatever goes wrong (a missing vault, a full disk, a killed process) the call is still here, with the
reason. Items are tried again with growing pauses; one that fails for good is set apart under ``quarantine`` with its
reason, and never keeps others waiting.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

from wwt_vault.capture.redact import without_secrets
from wwt_vault.config import user_folders
from wwt_vault.model.conversation import HookCall, Message, Redaction, Session, format_time, parse_time
from wwt_vault.vault.files import overwrite

__all__ = ["DrainReport", "Item", "add", "call_to_json", "done", "drain", "list_items", "queue_folder", "set_reason"]

_APART = "quarantine"
_ATTEMPTS = 12
_FIRST_PAUSE = timedelta(minutes=1)
_LONGEST_PAUSE = timedelta(days=1)
_IN_FLIGHT = timedelta(minutes=1)
"""A new item belongs to the hook that made it for this long."""


class Item(NamedTuple):
    """One waiting call."""

    path: Path
    call: HookCall | None
    """``None``: the file is damaged; ``reason`` says how."""
    vault: str
    """What ``WWT_VAULT`` named as the vault; empty: the one of the user's settings."""
    first_time: datetime | None
    attempts: int
    next_try: datetime | None
    reason: str
    quarantined: bool


class DrainReport(NamedTuple):
    """What trying again did: items recorded, still waiting, set apart, and meant for another vault."""

    done: int
    waiting: int
    failed: int
    elsewhere: int


def queue_folder() -> Path:
    """Return the queue's folder. It is the user's, not one vault's: the vault may be what is missing."""
    return user_folders().state / "queue"


def add(call: HookCall, vault: str = "") -> Path:
    """Put a call into the queue and return its file; ``vault`` as in ``Item``. Raises ``VaultError``."""
    stamp = call.time.strftime("%Y%m%dT%H%M%S.%fZ")
    path = queue_folder() / f"{stamp}-{os.getpid()}.json"
    _write(Item(path, call, vault, call.time, 0, None, "", quarantined=False))
    return path


def done(path: Path) -> None:
    """Take an item away: its message is in the vault."""
    path.unlink(missing_ok=True)


def set_reason(path: Path, reason: str, now: datetime) -> None:
    """Note why an item could not be recorded, and when to try it next; set it apart after the last attempt.

    Raises ``VaultError``, ``OSError``.
    """
    item = _read(path)
    if item is None:
        return
    attempts = item.attempts + 1
    pause = min(_FIRST_PAUSE * 2 ** (attempts - 1), _LONGEST_PAUSE)
    item = item._replace(attempts=attempts, next_try=now + pause, reason=reason)
    if item.call is None or attempts >= _ATTEMPTS:
        _quarantine(item)
    else:
        _write(item)


def list_items() -> list[Item]:
    """Return every item, oldest first, those set apart last."""
    return [item for item in map(_read, _paths()) if item is not None]


def _paths() -> list[Path]:
    folder = queue_folder()
    return [*sorted(folder.glob("*.json")), *sorted((folder / _APART).glob("*.json"))]


def drain(
    record: Callable[[HookCall], None],
    now: datetime,
    *,
    belongs: Callable[[str], bool],
    everything: bool = False,
    limit: int | None = None,
) -> DrainReport:
    """Try waiting items again, oldest first.

    ``record`` puts one call into the vault and raises when it cannot; ``belongs`` tells whether what was meant for a
    vault (see ``Item``) may go there. ``everything`` pays no heed to pauses and tries what was set apart as well. After
    ``limit`` items no more are read.
    """
    counts = {"done": 0, "waiting": 0, "failed": 0, "elsewhere": 0}
    tried = 0
    for path in _paths():
        apart = path.parent.name == _APART
        left = "failed" if apart else "waiting"
        if (apart and not everything) or tried == limit:
            counts[left] += 1
        elif (item := _read(path)) is None:
            continue  # recorded by another process meanwhile
        elif item.call is not None and not belongs(item.vault):
            counts["elsewhere"] += 1
        elif everything or _due(item, now):
            tried += 1
            counts[_try(item, record, now)] += 1
        else:
            counts[left] += 1
    return DrainReport(**counts)


def _try(item: Item, record: Callable[[HookCall], None], now: datetime) -> str:
    if item.call is None:
        if not item.quarantined:
            _quarantine(item)
        return "failed"
    try:
        record(item.call)
    except Exception as error:  # noqa: BLE001 - whatever it is, this item waits on and the others get their turn
        set_reason(item.path, f"{type(error).__name__}: {error}", now)
        return "failed" if item.quarantined or item.attempts + 1 >= _ATTEMPTS else "waiting"
    done(item.path)
    return "done"


def _due(item: Item, now: datetime) -> bool:
    if item.next_try is not None:
        return item.next_try <= now
    # Two clocks are compared here when the machine's was set back; then the item is simply tried.
    return item.first_time is None or not timedelta(0) <= now - item.first_time < _IN_FLIGHT


def _quarantine(item: Item) -> None:
    target = item.path if item.quarantined else item.path.parent / _APART / item.path.name
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if item.call is None:
        item.path.replace(target)  # damaged bytes are kept as they are
        return
    _write(item._replace(path=target, quarantined=True))
    if target != item.path:
        item.path.unlink(missing_ok=True)


def _write(item: Item) -> None:
    data = {
        "schema": 1,
        "vault": item.vault,
        "first_time": format_time(item.first_time) if item.first_time else None,
        "attempts": item.attempts,
        "next_try": format_time(item.next_try) if item.next_try else None,
        "reason": without_secrets(item.reason),
        "call": call_to_json(item.call) if item.call else None,
    }
    overwrite(
        item.path,
        json.dumps(data, ensure_ascii=False).encode("utf-8", "replace"),
        private=True,
        durable=item.attempts > 0,
    )


def _read(path: Path) -> Item | None:
    quarantined = path.parent.name == _APART
    try:
        data = json.loads(path.read_bytes())
        return Item(
            path=path,
            call=_call_from_json(data["call"]),
            vault=str(data["vault"] or ""),
            first_time=parse_time(data["first_time"]) if data["first_time"] else None,
            attempts=int(data["attempts"]),
            next_try=parse_time(data["next_try"]) if data["next_try"] else None,
            reason=str(data["reason"]),
            quarantined=quarantined,
        )
    except FileNotFoundError:
        return None  # recorded by another process meanwhile
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        reason = f"the item is damaged: {type(error).__name__}: {error}"
        return Item(path, None, "", None, 0, None, reason, quarantined)


def call_to_json(call: HookCall) -> dict[str, Any]:
    """Return a call as a JSON value, as it is kept."""
    path = call.transcript_path
    return {
        **call._asdict(),
        # The words are here; a path with a secret in it is not kept, and a later call reads what else it leads to.
        "transcript_path": path if path and without_secrets(path) == path else None,
        "time": format_time(call.time),
        "session": _session_to_json(call.session),
        "message": _message_to_json(call.message) if call.message is not None else None,
        "earlier": [_message_to_json(message) for message in call.earlier],
    }


def _call_from_json(data: dict[str, Any]) -> HookCall:
    call = {
        **data,
        "message": _message_from_json(data["message"]) if data["message"] is not None else None,
        "earlier": tuple(_message_from_json(message) for message in data.get("earlier", ())),
        "session": _session_from_json(data["session"]),
        "time": parse_time(data["time"]),
    }
    return HookCall(**call)


def _message_to_json(message: Message) -> dict[str, Any]:
    return {
        **message._asdict(),
        "session": _session_to_json(message.session),
        "time": format_time(message.time),
        "redactions": [list(redaction) for redaction in message.redactions],
    }


def _message_from_json(data: dict[str, Any]) -> Message:
    redactions = tuple(Redaction(kind, count) for kind, count in data["redactions"])
    session, time = _session_from_json(data["session"]), parse_time(data["time"])
    return Message(**{**data, "session": session, "time": time, "redactions": redactions})


def _session_to_json(session: Session) -> dict[str, Any]:
    return {**session._asdict(), "started": format_time(session.started) if session.started else None}


def _session_from_json(data: dict[str, Any]) -> Session:
    return Session(**{**data, "started": parse_time(data["started"]) if data["started"] else None})
