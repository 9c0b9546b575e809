"""Nothing that a hook brought is lost: it waits with its reason until it can be recorded."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.ingest.conversation import Conversation, stored
from wwt_vault.errors import VaultError
from wwt_vault.ingest import live, queue
from wwt_vault.state import state_for

if TYPE_CHECKING:
    from wwt_vault.vault import Vault

NOW = datetime(2026, 11, 30, 3, 0, tzinfo=UTC)


def test_a_missing_vault_costs_no_word(vault: Vault, tmp_path: Path) -> None:
    """While the vault is gone, prompts and answers wait in the queue; when it is back, they become events."""
    talk = Conversation(tmp_path)
    away = vault.root.with_name("away")
    vault.root.rename(away)
    prompt_id = talk.ask("비밀번호: hunter2-Secret! 로 접속해줘")
    with pytest.raises(VaultError):
        talk.hook("UserPromptSubmit", prompt="비밀번호: hunter2-Secret! 로 접속해줘", prompt_id=prompt_id)
    items = queue.list_items()
    written = items[0].path.read_text("utf-8")
    away.rename(vault.root)
    report = live.retry(vault, state_for(vault), NOW)

    assert [item.attempts for item in items] == [1]
    assert "VaultMissing" in items[0].reason
    assert "hunter2" not in written
    assert (report.done, report.waiting, report.failed) == (1, 0, 0)
    assert [text for _, text in stored(vault)] == ["비밀번호: [REDACTED:password] 로 접속해줘"]
    assert queue.list_items() == []


def test_the_next_hook_drains_what_waits(vault: Vault, tmp_path: Path) -> None:
    """An answer's hook records what an earlier hook could not, once its pause is over."""
    talk = Conversation(tmp_path)
    talk.ask("first")
    path = queue.add(talk.call("UserPromptSubmit", prompt="first", prompt_id="p"))
    queue.set_reason(path, "OSError: no space", talk.now - timedelta(hours=1))
    other = Conversation(tmp_path, session_id="77777777-1111-4222-8333-444455556666")
    other.ask("second")
    other.answer("done")
    other.flush()
    other.hook("Stop", last_assistant_message="done", prompt_id="prompt-1")

    assert sorted(text for _, text in stored(vault)) == ["done", "first", "second"]


def test_a_retried_call_is_not_a_second_message(vault: Vault, tmp_path: Path) -> None:
    """A hook that was killed after it wrote the event leaves its item; trying that again adds nothing."""
    talk = Conversation(tmp_path)
    talk.ask("hello")
    call = talk.call("UserPromptSubmit", prompt="hello", prompt_id=None)
    live.record_call(vault, state_for(vault), call)
    queue.add(call)
    report = live.retry(vault, state_for(vault), NOW)

    assert report.done == 1
    assert stored(vault) == [("user", "hello")]


def test_a_retried_call_is_known_even_when_the_record_was_lost(vault: Vault, tmp_path: Path) -> None:
    """The same, after the state folder's record of the session was deleted: the event's own second tells."""
    talk = Conversation(tmp_path)
    talk.ask("hello")
    call = talk.call("UserPromptSubmit", prompt="hello", prompt_id="p")
    live.record_call(vault, state_for(vault), call)
    for record in state_for(vault).cursors.glob("*.json"):
        record.unlink()
    live.record_call(vault, state_for(vault), call)

    assert stored(vault) == [("user", "hello")]


def test_what_was_said_to_one_vault_waits_for_that_one(
    vault: Vault, tmp_path: Path, fresh_vault: Callable[[], Vault], monkeypatch: pytest.MonkeyPatch
) -> None:
    """While the vault that WWT_VAULT names is away, its messages go into no other, however it is retried."""
    talk = Conversation(tmp_path)
    talk.ask("at work")
    away = vault.root.with_name("away")
    vault.root.rename(away)
    with pytest.raises(VaultError):
        talk.hook("UserPromptSubmit", prompt="at work", prompt_id="p")
    other = fresh_vault()
    private = Conversation(tmp_path, session_id="77777777-1111-4222-8333-444455556666")
    private.now += timedelta(hours=1)
    private.answer("at home")
    private.hook("Stop", last_assistant_message="at home", prompt_id="q")
    refused = live.retry(other, state_for(other), NOW)
    away.rename(vault.root)
    report = live.retry(vault, state_for(vault), NOW)

    assert stored(other) == [("assistant", "at home")]
    assert (refused.done, refused.waiting, refused.elsewhere) == (0, 0, 1)
    assert report.done == 1
    assert stored(vault) == [("user", "at work")]


def test_only_what_is_tried_is_read(vault: Vault, tmp_path: Path) -> None:
    """A hook that drains two of many items looks into no others: ten thousand must not cost every answer a second."""
    for number in range(5):
        talk = Conversation(tmp_path, session_id=f"{number}2edc39d-1111-4222-8333-444455556666")
        talk.now += timedelta(seconds=number)
        queue.add(talk.call("UserPromptSubmit", prompt=f"number {number}", prompt_id="p"))
    for path in sorted(queue.queue_folder().glob("*.json"))[2:]:
        path.write_text("never looked at", "utf-8")
    report = live.retry(vault, state_for(vault), NOW, limit=2)

    assert (report.done, report.waiting, report.failed) == (2, 3, 0)
    assert [text for _, text in stored(vault)] == ["number 0", "number 1"]


def test_a_damaged_item_keeps_no_other_waiting(vault: Vault, tmp_path: Path) -> None:
    """Half a JSON, binary, another schema, a folder: set apart with the reason, the good ones are recorded."""
    talk = Conversation(tmp_path)
    talk.ask("good")
    folder = queue.add(talk.call("UserPromptSubmit", prompt="good", prompt_id="p")).parent
    (folder / "20200101T000000.000000Z-1.json").write_text('{"call": {"ses', "utf-8")
    (folder / "20200101T000000.000000Z-2.json").write_bytes(os.urandom(300))
    (folder / "20200101T000000.000000Z-3.json").write_text('{"schema": 99}', "utf-8")
    (folder / "20200101T000000.000000Z-4.json").mkdir()
    report = live.retry(vault, state_for(vault), NOW)

    assert report.done == 1
    assert [text for _, text in stored(vault)] == ["good"]
    assert {item.quarantined for item in queue.list_items()} == {True}
    assert all("damaged" in item.reason for item in queue.list_items())
    assert len(queue.list_items()) == 4


def test_pauses_grow_and_the_last_failure_sets_apart(tmp_path: Path) -> None:
    """Each failed try doubles the pause, up to a day; after twelve the item is set apart and still readable."""
    talk = Conversation(tmp_path)
    talk.ask("hello")
    path = queue.add(talk.call("UserPromptSubmit", prompt="hello", prompt_id="p"))
    pauses = []
    now = NOW
    for _ in range(11):
        queue.set_reason(path, "OSError: full", now)
        item = queue.list_items()[0]
        assert item.next_try is not None
        pauses.append(item.next_try - now)
        now = item.next_try
    queue.set_reason(path, "OSError: full", now)
    (item,) = queue.list_items()

    assert pauses[:3] == [timedelta(minutes=1), timedelta(minutes=2), timedelta(minutes=4)]
    assert max(pauses) <= timedelta(days=1)
    assert item.quarantined
    assert item.call is not None
    assert item.call.message is not None
    assert item.call.message.text == "hello"


def test_a_call_survives_the_queue_unchanged(tmp_path: Path) -> None:
    """Everything of a call is read back from its item: session, times, turn, redactions."""
    talk = Conversation(tmp_path)
    talk.ask("x")
    call = talk.call("UserPromptSubmit", prompt="token: ghp_16C7e42F292c6912E7710c838347Ae178B4a", prompt_id="p")
    queue.add(call)
    (item,) = queue.list_items()

    assert item.call == call
    assert call.message is not None
    assert call.message.redactions
