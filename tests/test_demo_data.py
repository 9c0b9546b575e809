"""The demo's conversations: every host's own format, whole, and able to answer the questions that come with them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import wwt_vault

DEMO = Path(wwt_vault.__file__).parent / "demo_data"
MESSAGES = {"claude-code": [6, 6, 8], "codex": [6, 6, 6], "gemini": [6, 6, 8]}
"""How many messages the sessions of each host hold, fewest first."""


def messages(host: str) -> Iterator[list[Any]]:
    """Read each session of a host with the program's own reader."""
    from wwt_vault.capture import read_transcript
    from wwt_vault.model.conversation import Message, Skipped

    for path in sorted((DEMO / host).iterdir()):
        items = list(read_transcript(path))
        assert not [item for item in items if isinstance(item, Skipped)], path.name
        yield [item for item in items if isinstance(item, Message)]


@pytest.mark.parametrize("host", MESSAGES)
def test_every_message_and_nothing_else_is_read(host: str) -> None:
    """What was said comes out in turns; tool calls, thinking and what the host put in do not."""
    from wwt_vault.capture import recognise

    sessions = list(messages(host))
    assert all(recognise(path) == host for path in (DEMO / host).iterdir())
    assert sorted(len(session) for session in sessions) == MESSAGES[host]
    for session in sessions:
        assert [message.role for message in session] == ["user", "assistant"] * (len(session) // 2)
        assert [message.time for message in session] == sorted(message.time for message in session)
        assert len({message.session.session_id for message in session}) == 1
        for message in session:
            assert not any(
                mark in message.text for mark in ("<environment_context>", "<session_context>", "tool_result")
            )
            assert (message.cwd or message.session.cwd or "").startswith("/home/minji/bookshop-")


def test_every_answer_is_said_in_the_session_that_the_question_names() -> None:
    """The questions stay true when somebody edits a conversation."""
    said = {session[0].session.session_id: session for host in MESSAGES for session in messages(host)}
    questions = json.loads((DEMO / "questions.json").read_text("utf-8"))
    for question in questions:
        if question["session_id"] is None:
            assert not question["says"], question["question"]
            continue
        session = said[question["session_id"]]
        assert session[0].session.host == question["host"]
        for words in question["says"]:
            assert any(words in message.text for message in session), f"{question['question']}: {words}"
    asked = [(row["language"], row["session_id"] is not None) for row in questions if row["use"] == "demo"]
    assert asked == [("ko", True), ("en", True), ("en", False)]


def test_the_pasted_password_is_taken_out() -> None:
    """One prompt holds a password, so that the demo shows what becomes of it."""
    everything = "\n".join(message.text for host in MESSAGES for session in messages(host) for message in session)
    raw = "".join(path.read_text("utf-8") for path in DEMO.rglob("*.jsonl"))
    assert "mango-Tree-4821" in raw
    assert "mango-Tree-4821" not in everything
    assert "[REDACTED:" in everything


def test_the_later_decision_is_in_another_host() -> None:
    """The decision on SSH of one host is reversed in another: one memory for all of them."""
    chosen = {m.session.host: m.time for h in MESSAGES for s in messages(h) for m in s if "ProxyJump" in m.text}
    reversed_ = {
        m.session.host: m.time for h in MESSAGES for s in messages(h) for m in s if "Tailscale SSH만" in m.text
    }
    assert set(chosen) == {"claude-code"} and set(reversed_) == {"codex"}
    assert max(chosen.values()) < min(reversed_.values())
