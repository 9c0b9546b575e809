"""How numbers of things are said."""

from __future__ import annotations

__all__ = ["counted"]


def counted(number: int, noun: str) -> str:
    """Return ``1 session`` or ``2 sessions``.

    >>> counted(1, "new message"), counted(0, "new message")
    ('1 new message', '0 new messages')
    """
    return f"{number} {noun}{'' if number == 1 else 's'}"
