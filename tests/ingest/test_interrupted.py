"""A hook that is killed, or whose call has to wait: tried again, nothing is lost and nothing is said twice."""

from __future__ import annotations

import os
import shutil
import signal
import time
from collections import Counter
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.ingest.conversation import Conversation, shown, stored
from wwt_vault.ingest import live, queue
from wwt_vault.ingest.transcripts import ingest_transcript
from wwt_vault.state import state_for
from wwt_vault.vault.check import check_vault

if TYPE_CHECKING:
    from wwt_vault.vault import Vault

JUST_BEFORE_THE_SECOND = timedelta(milliseconds=980)
"""The hook's clock then reads another second than the transcript's."""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked here")
@pytest.mark.parametrize("imported_first", [False, True])
def test_a_hook_killed_at_any_moment_loses_and_doubles_nothing(
    vault: Vault, tmp_path: Path, *, imported_first: bool
) -> None:
    """Half of the hooks are killed, each a little later than the one before; then the queue is tried again."""
    talk = Conversation(tmp_path)
    talk.now += JUST_BEFORE_THE_SECOND
    for number in range(24):
        prompt_id = talk.ask(f"question {number // 3}")
        _call_and_kill(talk, number, "UserPromptSubmit", prompt=f"question {number // 3}", prompt_id=prompt_id)
        talk.answer(f"answer {number // 2}")
        talk.flush()
        _call_and_kill(talk, number, "Stop", last_assistant_message=f"answer {number // 2}", prompt_id=prompt_id)
    if imported_first:
        ingest_transcript(vault, state_for(vault), talk.path)
    live.retry(vault, state_for(vault), talk.now)
    ingest_transcript(vault, state_for(vault), talk.path)

    assert Counter(stored(vault)) == Counter(talk.said)
    assert Counter(shown(vault, talk.session_id)) == Counter(talk.said)
    assert check_vault(vault).problems == ()
    assert queue.list_items() == []


def _call_and_kill(talk: Conversation, number: int, event: str, **fields: str) -> None:
    """Call the hook in a process of its own and kill that after a while, or let every other one come to its end."""
    child = os.fork()
    if child == 0:
        try:
            talk.hook(event, **fields)
        finally:
            os._exit(0)
    if (number + len(event)) % 2:
        time.sleep(number * 0.0008)
        os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


def test_a_call_that_waited_is_known_from_the_transcript(vault: Vault, tmp_path: Path) -> None:
    """The vault was away for two turns; the transcript brings them, and then the queue adds nothing to them."""
    talk = Conversation(tmp_path)
    talk.now += JUST_BEFORE_THE_SECOND
    for words in ("First block.", "Last block."):
        prompt_id = talk.ask("continue")
        queue.add(talk.call("UserPromptSubmit", prompt="continue", prompt_id=prompt_id))
        talk.answer(words, "The end.")
        queue.add(talk.call("Stop", last_assistant_message="The end.", prompt_id=prompt_id))
    talk.ask("more")
    talk.flush()
    ingest_transcript(vault, state_for(vault), talk.path)
    report = live.retry(vault, state_for(vault), talk.now)

    assert report.done == 4
    assert stored(vault) == talk.said


def test_a_session_goes_on_when_all_of_it_was_taken_out(vault: Vault, tmp_path: Path) -> None:
    """Note and events of a session are gone, the record of them is not: what is said next is kept."""
    talk = Conversation(tmp_path)
    talk.hook("UserPromptSubmit", prompt="first", prompt_id=talk.ask("first"))
    shutil.rmtree(vault.root / "50_Conversations")
    shutil.rmtree(vault.root / ".wwt" / "events")
    talk.hook("UserPromptSubmit", prompt="second", prompt_id=talk.ask("second"))

    assert stored(vault) == [("user", "second")]


@pytest.mark.parametrize(("one", "other"), [("abc", " abc"), ("CON", "CON_"), ("a/b", "a b")])
def test_sessions_with_ids_almost_alike_are_two(vault: Vault, tmp_path: Path, one: str, other: str) -> None:
    """An id that no file can be named for keeps its own record: equal words in both are two messages."""
    for session_id in (one, other):
        talk = Conversation(tmp_path, session_id=session_id)
        talk.path = tmp_path / "none.jsonl"
        talk.hook("UserPromptSubmit", prompt="hello", prompt_id=talk.ask("hello"))

    assert stored(vault) == [("user", "hello"), ("user", "hello")]
