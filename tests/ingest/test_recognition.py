"""Each message is one event, whichever way it comes, however late, how often, and whatever was lost meanwhile."""

from __future__ import annotations

import os
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.ingest.conversation import Conversation, shown, stored
from wwt_vault.ingest.transcripts import ingest_transcript
from wwt_vault.state import state_for
from wwt_vault.vault import Vault, events

WORDS = st.sampled_from(["continue", "계속해", "ok", "Use PostgreSQL, not MySQL."])
TURN = st.fixed_dictionaries({
    "prompt": WORDS,
    "before_tool": st.one_of(st.none(), WORDS),
    "answer": st.lists(WORDS, min_size=1, max_size=2, unique=True),
    "prompt_hooks": st.integers(0, 2),
    "stop_hooks": st.integers(0, 2),
    "unflushed_at_stop": st.integers(0, 4),
    "forget_record": st.booleans(),
})  # fmt: skip


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(turns=st.lists(TURN, min_size=1, max_size=6))
def test_every_message_becomes_one_event(turns: list[dict[str, Any]], fresh_vault: Any) -> None:
    """Hooks missing or fired twice, a transcript that lags behind or does not exist, a lost record: nothing doubles."""
    vault: Vault = fresh_vault()
    talk = Conversation(vault.root.parent)
    flushed = 0
    for turn in turns:
        prompt_id = talk.ask(turn["prompt"])
        for _ in range(turn["prompt_hooks"]):
            talk.hook("UserPromptSubmit", prompt=turn["prompt"], prompt_id=prompt_id)
        if turn["before_tool"]:
            talk.answer(turn["before_tool"])
        talk.answer(*turn["answer"])
        talk.flush(max(flushed, len(talk.lines) - turn["unflushed_at_stop"]))
        flushed = max(flushed, len(talk.lines) - turn["unflushed_at_stop"])
        if talk.path.exists():
            os.utime(talk.path, (0, 0))  # no hook waits for what does not come
        for _ in range(turn["stop_hooks"]):
            talk.hook("Stop", last_assistant_message=turn["answer"][-1], prompt_id=prompt_id)
    talk.flush()
    talk.hook("SessionEnd", reason="other")
    if turns[-1]["forget_record"]:
        shutil.rmtree(state_for(vault).cursors, ignore_errors=True)
    ingest_transcript(vault, state_for(vault), talk.path)

    everything = list(events.iter_events(vault))
    superseded = {event.supersedes for event in everything}
    current = [(event.role, event.text) for event in everything if event.id not in superseded]

    assert Counter(current) == Counter(talk.said)


def test_the_same_words_three_times_are_three_messages(vault: Vault) -> None:
    """ "continue" said three times is three events, in order, in the session note."""
    talk = Conversation(vault.root.parent)
    for answer in ("one", "two", "three"):
        prompt_id = talk.ask("continue")
        talk.hook("UserPromptSubmit", prompt="continue", prompt_id=prompt_id)
        talk.answer(answer)
        talk.flush()
        talk.hook("Stop", last_assistant_message=answer, prompt_id=prompt_id)

    assert shown(vault, talk.session_id) == talk.said
    assert stored(vault) == talk.said


def test_a_fork_repeats_nothing(vault: Vault) -> None:
    """A forked session's file begins with its parent's records; only what is new in it becomes events."""
    parent = Conversation(vault.root.parent)
    parent.ask("Which queue?")
    parent.answer("RabbitMQ.")
    parent.flush()
    ingest_transcript(vault, state_for(vault), parent.path)
    fork = Conversation(vault.root.parent, session_id="99999999-1111-4222-8333-444455556666")
    fork.lines = [line.replace(parent.session_id.encode(), fork.session_id.encode()) for line in parent.lines]
    fork.now, fork.number = parent.now, 100
    fork.ask("And if it must be Kafka?")
    fork.answer("Then Redpanda.")
    fork.flush()
    report = ingest_transcript(vault, state_for(vault), fork.path)

    assert (report.events_added, report.events_known) == (2, 2)
    assert shown(vault, fork.session_id) == fork.said


def test_two_sessions_that_say_the_same_at_once_are_both_kept(vault: Vault) -> None:
    """Equal words in the same second in two sessions are not a fork."""
    for session_id in ("aaaaaaaa-1111-4222-8333-444455556666", "bbbbbbbb-1111-4222-8333-444455556666"):
        talk = Conversation(vault.root.parent, session_id=session_id)
        talk.number = int(session_id[0] == "b") * 50
        talk.ask("hello")
        talk.answer("hi")
        talk.flush()
        ingest_transcript(vault, state_for(vault), talk.path)

    assert Counter(stored(vault)) == Counter({("user", "hello"): 2, ("assistant", "hi"): 2})


def test_a_second_import_adds_nothing_and_knows_all(vault: Vault) -> None:
    """Importing again reports every message as known; so does an import after the state was lost."""
    talk = Conversation(vault.root.parent)
    for number in range(5):
        talk.ask(f"question {number}")
        talk.answer("ok")
    talk.flush()
    reports = [ingest_transcript(vault, state_for(vault), talk.path) for _ in range(2)]
    shutil.rmtree(state_for(vault).cursors)
    reports.append(ingest_transcript(vault, state_for(vault), talk.path))

    assert [(report.events_added, report.events_known) for report in reports] == [(10, 0), (0, 10), (0, 10)]


def test_growth_is_read_from_where_the_last_reading_ended(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    """After an import, appended turns are found; the lines before are not read again."""
    talk = Conversation(vault.root.parent)
    talk.ask("first " + "x" * 2_000_000)
    talk.answer("done")
    talk.ask("second")
    talk.answer("done")
    talk.flush()
    ingest_transcript(vault, state_for(vault), talk.path)
    talk.ask("third")
    talk.answer("done")
    talk.flush()
    read = _count_bytes_read(monkeypatch, talk.path)
    report = ingest_transcript(vault, state_for(vault), talk.path)

    assert report.events_added == 2
    assert report.events_known == 4
    assert sum(read) < 200_000


def test_a_rewritten_transcript_is_read_again(vault: Vault) -> None:
    """A file that is shorter, or says something else before the kept place, is read from its start."""
    talk = Conversation(vault.root.parent)
    for number in range(4):
        talk.ask(f"question {number}")
        talk.answer(f"answer {number}")
    talk.flush()
    ingest_transcript(vault, state_for(vault), talk.path)
    talk.flush(3)
    report = ingest_transcript(vault, state_for(vault), talk.path)

    assert report.events_added == 0
    assert stored(vault) == talk.said


def test_a_deleted_session_note_is_made_again(vault: Vault) -> None:
    """The note is gone, the events are there: the next message brings it back whole."""
    talk = Conversation(vault.root.parent)
    talk.ask("first")
    talk.answer("one")
    talk.flush()
    talk.hook("SessionEnd", reason="other")
    for note in (vault.root / "50_Conversations").rglob("*42edc39d.md"):
        note.unlink()
    talk.ask("second")
    talk.answer("two")
    talk.flush()
    talk.hook("SessionEnd", reason="other")

    assert shown(vault, talk.session_id) == talk.said
    assert stored(vault) == talk.said


def _count_bytes_read(monkeypatch: pytest.MonkeyPatch, path: Path) -> list[int]:
    """Count what is read from ``path`` from now on, through whatever opens it."""
    import io

    read: list[int] = []
    real_open = io.open

    def counting(file: Any, *args: Any, **kwargs: Any) -> Any:
        handle = real_open(file, *args, **kwargs)
        if str(file) == str(path) and hasattr(handle, "raw"):
            real = handle.raw.readinto

            class Raw(io.RawIOBase):
                def readable(self) -> bool:
                    return True

                def seekable(self) -> bool:
                    return True

                def seek(self, *where: int) -> int:
                    return handle.raw.seek(*where)

                def tell(self) -> int:
                    return handle.raw.tell()

                def readinto(self, buffer: Any) -> int:
                    count = real(buffer)
                    read.append(count or 0)
                    return count

                def fileno(self) -> int:
                    return handle.raw.fileno()

            return io.BufferedReader(Raw())
        return handle

    monkeypatch.setattr("builtins.open", counting)
    monkeypatch.setattr("io.open", counting)
    monkeypatch.setattr("pathlib.io.open", counting, raising=False)
    return read
