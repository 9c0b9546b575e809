"""What no queue holds is told as well: payloads that nobody understood, messages that could be kept nowhere."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from tests.test_hook import PROMPT, START, hook
from wwt_vault.ingest import hooklog
from wwt_vault.ingest.brief import brief
from wwt_vault.operations import upkeep
from wwt_vault.operations.workspace import open_workspace

if TYPE_CHECKING:
    from wwt_vault.vault import Vault

NOW = datetime(2026, 11, 30, 3, 0, tzinfo=UTC)


def test_a_payload_that_is_no_json_is_told_of(vault: Vault) -> None:
    """The next session's start and `wwt status` say how many, when and why; never with words of it."""
    hook("claude-code", b'{"prompt": "my secret plan')
    start = hook("claude-code", START["claude-code"])
    told = json.loads(start.stdout)["hookSpecificOutput"]["additionalContext"]
    problems = upkeep.status(open_workspace(embedder=lambda: None), now=datetime.now(UTC))["problems"]

    for text in (told, "\n".join(problems)):
        assert "1 hook call of the last 7 days could not be recorded" in text
        assert "claude-code: TranscriptError: the payload is not JSON" in text
        assert "secret plan" not in text


def test_a_message_that_no_queue_could_take_is_told_of(vault: Vault, own_user_folders: Path) -> None:
    """Vault and queue are both away: the log is what is left, and it has no word of the message."""
    state = own_user_folders / ".local" / "state" / "wwt-vault"
    state.mkdir(parents=True)
    (state / "queue").write_text("a file where a folder belongs", "utf-8")
    away = vault.root.with_name("away")
    vault.root.rename(away)
    hook("claude-code", PROMPT["claude-code"])
    away.rename(vault.root)
    lost = hooklog.recent(datetime.now(UTC))

    assert lost.calls == 1
    assert "VaultMissing" in lost.reasons[0]
    assert "안녕" not in hooklog.log_path().read_text("utf-8")


def test_what_waits_in_the_queue_is_not_called_lost(vault: Vault) -> None:
    """The queue tells of it itself."""
    vault.root.rename(vault.root.with_name("away"))
    hook("claude-code", PROMPT["claude-code"])

    assert "waits: claude-code UserPromptSubmit: VaultMissing" in hooklog.log_path().read_text("utf-8")
    assert hooklog.recent(datetime.now(UTC)).calls == 0


def test_after_a_week_it_is_not_told_again(vault: Vault) -> None:
    """Nor are lines of an earlier version, or half a line, taken for one."""
    hooklog.note(NOW - timedelta(days=8), "codex", hooklog.LOST, "old")
    with hooklog.log_path().open("ab") as file:
        file.write(b"2026-11-30T02:00:00+00:00 codex: an earlier form\n\xff\xfe 2026\n")
    assert "hook call" not in brief("/src/shop", "new", NOW)

    hooklog.note(NOW - timedelta(days=2), "codex", hooklog.LOST, "first\nline")
    hooklog.note(NOW - timedelta(days=1), "gemini", hooklog.LOST, "second")

    assert hooklog.recent(NOW) == hooklog.Lost(2, NOW - timedelta(days=1), ("gemini: second", "codex: first line"))
    assert "2 hook calls of the last 7 days" in brief("/src/shop", "new", NOW)


def test_the_log_does_not_grow_without_end(vault: Vault) -> None:
    """Above a megabyte it begins anew; the one before is kept, and all of it is the user's alone."""
    hooklog.note(NOW, "codex", hooklog.LOST, "x" * (1 << 20))
    hooklog.note(NOW, "codex", hooklog.LOST, "y")

    assert hooklog.log_path().stat().st_size < 200
    assert hooklog.log_path().with_suffix(".log.1").stat().st_size > 1 << 20
