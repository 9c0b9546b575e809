"""What was typed at the prompt, as Claude Code and Codex remember it in ``history.jsonl`` when sessions are long gone.

Prompts only, without answers. Where the session itself was read, its history says nothing new, and says it in other
words (a paste is a mark): such sessions are left out.
"""

from __future__ import annotations

import re
from binascii import crc32
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from hashlib import sha256
from typing import Any

from wwt_vault.capture.messages import message_of, text_field
from wwt_vault.model.conversation import Message, Session, time_since_1970

__all__ = ["History"]

_KEY = "history:"
"""How the keys of messages begin that come from a history."""

_PASTE = re.compile(r"\[Pasted text #(\d+)(?: \+\d+ lines)?\]")


class History:
    """Makes messages of the entries of a history.

    ``typed`` returns what of a text the person typed, ``known_keys`` the keys of the known messages of a session.
    """

    def __init__(
        self, host: str, typed: Callable[[str], str | None], known_keys: Callable[[str], frozenset[str]] | None
    ) -> None:
        self._host, self._typed, self._known_keys = host, typed, known_keys
        self._told: dict[str, bool] = {}

    def messages(self, record: Mapping[str, Any]) -> Iterator[Message]:
        """Yield the prompt of an entry, unless it is a command, or its session is known from its own transcript.

        Old entries name no session: those of a folder and day are taken for one.
        """
        stamp = record.get("timestamp", record.get("ts"))
        time = _time(stamp, 1000 if "timestamp" in record else 1)
        words = _unfolded(text_field(record, "display", "text") or "", record.get("pastedContents"))
        typed = None if words.lstrip().startswith("!") else self._typed(words)
        if time is None or typed is None:
            return
        cwd = text_field(record, "project")
        place = sha256((cwd or "").encode("utf-8", "replace")).hexdigest()[:8]
        name = text_field(record, "sessionId", "session_id") or f"{time:%Y%m%d}-{place}"
        session = Session(host=self._host, session_id=name, cwd=cwd)
        key = f"{_KEY}{stamp}-{crc32(typed.encode('utf-8', 'replace')):08x}"  # Codex tells the time to the second
        message = message_of(session, "user", typed, time, key=key, cwd=cwd)
        if message is not None and not self._is_told(name):
            yield message

    def _is_told(self, session_id: str) -> bool:
        if session_id not in self._told:
            keys = self._known_keys(session_id) if self._known_keys is not None else frozenset[str]()
            self._told[session_id] = any(not key.startswith(_KEY) for key in keys)
        return self._told[session_id]


def _time(stamp: Any, second: int) -> datetime | None:
    if isinstance(stamp, bool) or not isinstance(stamp, int | float):
        return None
    try:
        return time_since_1970(stamp / second)
    except OverflowError:  # an integer that no float holds
        return None


def _unfolded(text: str, pasted: Any) -> str:
    """Put what was pasted in the place of its mark, where it is still there."""
    pasted = pasted if isinstance(pasted, dict) else {}

    def content(found: re.Match[str]) -> str:
        entry = pasted.get(found[1])
        return (text_field(entry, "content") if isinstance(entry, dict) else None) or found[0]

    return _PASTE.sub(content, text)
