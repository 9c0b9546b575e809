"""Calls of hooks against a transcript that is being written: order, forks, and what a host garbles."""

from __future__ import annotations

import threading
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from tests.ingest.conversation import Conversation, shown, stored
from wwt_vault.ingest.cursors import load_cursor
from wwt_vault.state import state_for

if TYPE_CHECKING:
    from wwt_vault.vault import Vault


def test_a_turn_with_tools_stands_in_order(vault: Vault, tmp_path: Path) -> None:
    """The hook at a turn's end waits a moment for a transcript that is still being written."""
    talk = Conversation(tmp_path)
    prompt_id = talk.ask("look and tell")
    talk.hook("UserPromptSubmit", prompt="look and tell", prompt_id=prompt_id)
    talk.answer("First I look.")
    talk.flush()
    talk.answer("Then again.")
    talk.answer("The end.")

    def late() -> None:
        time.sleep(0.3)  # a busy machine
        talk.flush()

    writer = threading.Thread(target=late)
    writer.start()
    talk.hook("Stop", last_assistant_message="The end.", prompt_id=prompt_id)
    writer.join()
    talk.hook("SessionEnd", reason="other")

    assert shown(vault, talk.session_id) == talk.said
    assert stored(vault) == talk.said


def test_a_fork_made_at_once_repeats_nothing(vault: Vault, tmp_path: Path) -> None:
    """A fork whose parent is seconds old: its copied head is known by the host's own ids."""
    parent = Conversation(tmp_path)
    parent.hook("SessionStart", source="startup")
    prompt_id = parent.ask("Which queue?")
    parent.hook("UserPromptSubmit", prompt="Which queue?", prompt_id=prompt_id)
    parent.answer("RabbitMQ.")
    parent.flush()
    parent.hook("Stop", last_assistant_message="RabbitMQ.", prompt_id=prompt_id)
    fork = Conversation(tmp_path, session_id="99999999-1111-4222-8333-444455556666")
    fork.lines = [line.replace(parent.session_id.encode(), fork.session_id.encode()) for line in parent.lines]
    fork.now, fork.number = parent.now, 100
    fork.hook("SessionStart", source="fork")
    prompt_id = fork.ask("And Kafka?")
    fork.hook("UserPromptSubmit", prompt="And Kafka?", prompt_id=prompt_id)
    fork.answer("Redpanda.")
    fork.flush()
    fork.hook("Stop", last_assistant_message="Redpanda.", prompt_id=prompt_id)

    assert shown(vault, fork.session_id) == fork.said
    assert len(stored(vault)) == 4


def test_a_fork_knows_what_only_a_payload_brought_to_its_parent(vault: Vault, tmp_path: Path) -> None:
    """The parent's last answer was not in its transcript yet when its hook ran; the fork copies it all the same."""
    parent = Conversation(tmp_path)
    prompt_id = parent.ask("Which queue?")
    parent.hook("UserPromptSubmit", prompt="Which queue?", prompt_id=prompt_id)
    parent.answer("RabbitMQ.")
    parent.hook("Stop", last_assistant_message="RabbitMQ.", prompt_id=prompt_id)
    fork = Conversation(tmp_path, session_id="99999999-1111-4222-8333-444455556666")
    fork.lines = [line.replace(parent.session_id.encode(), fork.session_id.encode()) for line in parent.lines]
    fork.now, fork.number = parent.now, 100
    fork.flush()
    fork.hook("SessionStart", source="fork")

    assert stored(vault) == parent.said


def test_an_unreadable_transcript_does_not_cost_the_answer(vault: Vault, tmp_path: Path) -> None:
    """The payload is recorded whatever stands at the transcript's path: nothing, a folder, binary."""
    talk = Conversation(tmp_path)
    talk.path.mkdir()
    prompt_id = talk.ask("hello")
    talk.hook("UserPromptSubmit", prompt="hello", prompt_id=prompt_id)
    talk.path.rmdir()
    talk.path.write_bytes(bytes(range(256)) * 40)
    talk.answer("hi")
    talk.hook("Stop", last_assistant_message="hi", prompt_id=prompt_id)

    assert stored(vault) == talk.said


def test_a_prompt_waits_for_no_large_transcript(vault: Vault, tmp_path: Path) -> None:
    """A hook reads of a transcript what its time allows; the next one goes on from there, and nothing is there twice.

    Twenty thousand messages, with a line of 20 MB among the first, take minutes to record.
    """
    talk = Conversation(tmp_path)
    for number in range(20):
        talk.ask(f"earlier {number}")
    talk.lines.insert(10, b'{"type": "attachment", "data": "' + b"x" * 20_000_000 + b'"}\n')
    for number in range(20, 20_000):
        talk.ask(f"earlier {number}")
    talk.flush()
    state, offsets = state_for(vault), []
    for number in range(3):
        talk.hook("UserPromptSubmit", prompt=f"now {number}", prompt_id=f"now-{number}")
        checkpoint = load_cursor(state, talk.path).checkpoint
        assert checkpoint is not None
        offsets.append(checkpoint.offset)
        assert ("user", f"now {number}") in stored(vault)
    size = talk.path.stat().st_size

    assert 20_000_000 < offsets[0] < offsets[1] < offsets[2] < size
    counts = Counter(stored(vault))
    assert set(counts.values()) == {1}
    assert 3 + 20 < len(counts) < 20_000
