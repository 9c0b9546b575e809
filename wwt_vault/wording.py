"""How numbers of things and times are said."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["carried", "counted", "minute"]


def counted(number: int, noun: str) -> str:
    """Return ``1 session`` or ``2 sessions``.

    >>> counted(1, "new message"), counted(0, "new message")
    ('1 new message', '0 new messages')
    """
    return f"{number} {noun}{'' if number == 1 else 's'}"


def carried(counts: Mapping[str, int]) -> str:
    """Return what a sync carried, from counts of ``messages, sessions, notes, others``.

    >>> carried({"messages": 3, "sessions": 1, "notes": 0, "others": 0}), carried({})
    ('3 messages, 1 session', 'history of notes')
    """
    nouns = {"messages": "message", "sessions": "session", "notes": "note", "others": "other file"}
    return ", ".join(counted(counts[key], noun) for key, noun in nouns.items() if counts.get(key)) or "history of notes"


def minute(time: str | None) -> str:
    """Return an ISO 8601 time as people read it, to the minute; nothing for none.

    >>> minute("2026-11-30T01:58:01+09:00")
    '2026-11-30 01:58'
    """
    return time[:16].replace("T", " ") if time else ""
