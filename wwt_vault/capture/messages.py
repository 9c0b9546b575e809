"""How words that a host wrote down become a message: stored form, known fields only, never an empty one."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from wwt_vault.capture.jsonl import binary
from wwt_vault.capture.text import binary_note, stored
from wwt_vault.model.conversation import HookCall, HookKind, Message, Role, Session, parse_time

__all__ = ["call_of", "image_note", "message_of", "text_field", "time_of"]


def message_of(
    session: Session,
    role: Role,
    words: str,
    time: datetime,
    *,
    key: str | None = None,
    turn: str | None = None,
    model: str | None = None,
    cwd: str | None = None,
    git_branch: str | None = None,
) -> Message | None:
    """Return ``words`` as a message in the form that is stored, or ``None`` when nothing is left of them."""
    text, redactions = stored(words)
    if not text:
        return None
    return Message(
        session=session,
        role=role,
        text=text,
        time=time,
        key=key,
        turn=turn,
        model=model,
        cwd=cwd,
        git_branch=git_branch,
        redactions=redactions,
    )


def call_of(
    payload: Mapping[str, Any],
    kind: HookKind,
    session: Session,
    time: datetime,
    *,
    words: str | None = None,
    turn: str | None = None,
    transcript_first: bool = False,
) -> HookCall:
    """Return a hook's call; the fields that all hosts name alike are taken from ``payload``.

    ``words`` are what the person or, for ``answer``, the assistant said. Inside a subagent they are nobody's.
    """
    subagent = bool(payload.get("agent_id"))
    message = None
    if words and not subagent and kind in ("prompt", "answer"):
        role: Role = "user" if kind == "prompt" else "assistant"
        model = text_field(payload, "model") if kind == "answer" else None
        message = message_of(session, role, words, time, turn=turn, model=model, cwd=session.cwd)
    return HookCall(
        kind=kind,
        session=session,
        event_name=text_field(payload, "hook_event_name") or "",
        time=time,
        message=message,
        transcript_path=text_field(payload, "transcript_path"),
        source=text_field(payload, "source"),
        transcript_first=transcript_first,
        subagent=subagent,
    )


def text_field(record: Mapping[str, Any], *names: str) -> str | None:
    """Return the first of the fields that holds text; empty text counts as none."""
    for name in names:
        value = record.get(name)
        if isinstance(value, str) and value:
            return value
    return None


def time_of(value: Any) -> datetime | None:
    """Return an ISO 8601 time in UTC, or ``None`` for anything else."""
    if not isinstance(value, str) or not value:
        return None
    try:
        return parse_time(value)
    except (ValueError, OverflowError):
        return None


def image_note(kind: str, media_type: object, data: object) -> str:
    """Return the line that stands for a binary: ``data`` is base64, or no text where a transcript only names it."""
    if not isinstance(data, str) or not data:
        return f"[{kind}]"
    size, sha12 = binary(data)
    return binary_note(kind, media_type if isinstance(media_type, str) and media_type else "unknown type", size, sha12)
