"""The last look for secrets, at what is about to be written, and at the bytes that are."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings

from tests.capture.test_redact import texts
from tests.ingest.conversation import Conversation
from wwt_vault.capture import look_again
from wwt_vault.capture.redact import find_secrets
from wwt_vault.capture.text import stored
from wwt_vault.ingest import live, queue
from wwt_vault.model.conversation import HookCall, Message, Redaction, Session
from wwt_vault.state import state_for
from wwt_vault.vault import events
from wwt_vault.vault.blocks import render_event
from wwt_vault.vault.creation import create_vault

AT = datetime(2026, 11, 30, 1, 58, 1, tzinfo=UTC)
SESSION = Session(host="claude-code", session_id="42edc39d-0000-4000-8000-000000000000", cwd="/code/shop")
TOKEN = "ghp_" + "a1B2c3D4e5F6" * 3
PASSWORD = "Hunter2!kor"


def strings(value: Any) -> Iterator[str]:
    """Yield every text in a JSON value, names included."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield name
            yield from strings(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from strings(inner)


@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(texts)
def test_the_bytes_hold_no_secret_that_the_words_did_not(words: str) -> None:
    """Escapes of JSON, quoted lines and block ids lay nothing open: event, queue item and session note, as written."""
    text, redactions = stored(words)
    if not text:
        return
    message = Message(SESSION, "user", text, AT, cwd="/code/shop", git_branch="main", redactions=redactions)
    event = events.event_of(message, 1)
    call = HookCall("prompt", SESSION, "UserPromptSubmit", AT, message=message)
    for data in (events.to_json(event), json.dumps(queue.call_to_json(call), ensure_ascii=False).encode()):
        assert [found for value in strings(json.loads(data)) for found in find_secrets(value)] == []
    assert find_secrets(render_event(event, UTC).decode()) == []


def test_what_waited_since_fewer_kinds_were_known_is_looked_at_again(tmp_path: Path) -> None:
    """A queue item is of another version, or was written by hand: its secrets do not reach the vault."""
    vault, talk = create_vault(tmp_path / "vault", timezone="UTC"), Conversation(tmp_path)
    call = talk.call("UserPromptSubmit", prompt="hello", prompt_id=talk.ask("hello"))
    assert call.message is not None
    message = call.message._replace(text=f"use {TOKEN}\npassword: {PASSWORD}", cwd=f"/src/{TOKEN}")
    queue.add(call._replace(message=message, transcript_path=None))
    live.retry(vault, state_for(vault), AT + timedelta(days=1))
    [event] = events.iter_events(vault)
    assert event.text == "use [REDACTED:github-token]\npassword: [REDACTED:password]"  # type: ignore[union-attr]
    kept = [path.read_bytes() for path in vault.root.rglob("*") if path.is_file()]
    assert not [data for data in kept if TOKEN.encode() in data or PASSWORD.encode() in data]


def test_what_was_taken_out_before_stays_counted() -> None:
    """The counts of both looks are one."""
    first, redactions = stored(f"password: {PASSWORD}")
    message = Message(SESSION, "user", f"{first} and {TOKEN}", AT, redactions=redactions)
    assert look_again(message).redactions == (Redaction("github-token", 1), Redaction("password", 1))
    assert look_again(look_again(message)) == look_again(message)
