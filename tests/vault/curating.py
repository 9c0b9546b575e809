"""What the tests of curated notes share: words that were said, and an agent that saves."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from wwt_vault.model.conversation import EventId, Message, Session
from wwt_vault.model.knowledge import Note
from wwt_vault.vault import Vault, events, notes, sessions

AT = datetime(2026, 11, 30, 1, 58, 1, tzinfo=UTC)
UNKNOWN = "20261130T015801Z-000000000000"


def say(vault: Vault, text: str, minute: int = 0) -> EventId:
    """Store one message of one session and its block; return its id."""
    session = Session(host="claude-code", session_id="42edc39d-0000-4000-8000-000000000000", cwd="/code/shop")
    message = Message(session=session, role="user", text=text, time=AT + timedelta(minutes=minute))
    event = events.event_of(message, 1)
    events.write_event(vault, event)
    note = sessions.find_session_note(vault, session.host, session.session_id) or sessions.create_session_note(
        vault, session, "shop", "box", AT
    )
    sessions.append_event(vault, note, event)
    return event.id


def save(vault: Vault, note: str, body: str, revision: str | None = None, **more: Any) -> Note:
    """Save as an agent does."""
    more = {"written_by": "claude-code", "at": AT, "locks": vault.root.parent / "locks", **more}
    return notes.save_note(vault, note=note, body=body, revision=revision, **more)


def files_of(vault: Vault) -> dict[str, bytes]:
    """Return every file of the vault."""
    return {str(path.relative_to(vault.root)): path.read_bytes() for path in vault.root.rglob("*") if path.is_file()}


def at(vault: Vault, note: Note) -> Path:
    """Return where a note lies."""
    return vault.root / note.path
