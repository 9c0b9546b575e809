"""One conversation by several ways, of hosts that show it in several places: every message is one event."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.ingest.conversation import stored
from wwt_vault.capture import parse_hook
from wwt_vault.errors import VaultError
from wwt_vault.ingest import live
from wwt_vault.ingest.transcripts import ingest_paths
from wwt_vault.state import state_for

if TYPE_CHECKING:
    from wwt_vault.vault import Vault

NOW = datetime(2026, 11, 30, 3, 0, tzinfo=UTC)
SAID = [
    ("user", "어떤 DB로?"),
    ("assistant", "I look."),
    ("assistant", "PostgreSQL."),
    ("user", "계속해"),
    ("user", "계속해"),
]


def cursor_hook(event: str, second: int, transcript: Path | None = None, **fields: Any) -> None:
    """Call the hook as Cursor does."""
    payload = {
        "conversation_id": "c-1", "generation_id": f"g-{second // 10}", "cursor_version": "3.2",
        "hook_event_name": event, "workspace_roots": ["/src/shop"], "user_email": "minji@example.com",
        "transcript_path": str(transcript) if transcript else None, **fields,
    }  # fmt: skip
    now = NOW + timedelta(seconds=second)
    live.handle_call(parse_hook("cursor", json.dumps(payload).encode(), now), now)


def cursor_transcript(folder: Path) -> Path:
    """Write the transcript of the agent."""
    path = folder / "agent-transcripts" / "c-1" / "c-1.jsonl"
    path.parent.mkdir(parents=True)
    lines = []
    for role, text in SAID:
        words = f"<user_query>\n{text}\n</user_query>" if role == "user" else text
        lines.append(json.dumps({"role": role, "message": {"content": [{"type": "text", "text": words}]}}))
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


def cursor_database(folder: Path) -> Path:
    """Write the editor's database."""
    path = folder / "state.vscdb"
    bubbles = [
        {"type": 1 if role == "user" else 2, "text": text, "bubbleId": f"b{n}"} for n, (role, text) in enumerate(SAID)
    ]
    head = {"fullConversationHeadersOnly": [{"bubbleId": bubble["bubbleId"]} for bubble in bubbles]}
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE cursorDiskKV (key TEXT, value BLOB)")
        rows = [("composerData:c-1", head), *((f"bubbleId:c-1:{b['bubbleId']}", b) for b in bubbles)]
        database.executemany("INSERT INTO cursorDiskKV VALUES (?, ?)", [(key, json.dumps(row)) for key, row in rows])
        database.commit()
    return path


def test_cursors_hooks_transcript_and_database_tell_one_conversation(vault: Vault, tmp_path: Path) -> None:
    """Whichever comes first; a hook that fires twice adds nothing. The mail address is nowhere."""
    transcript = cursor_transcript(tmp_path)
    cursor_hook("beforeSubmitPrompt", 0, prompt="어떤 DB로?")
    for _ in range(2):
        cursor_hook("afterAgentResponse", 3, text="PostgreSQL.")
    cursor_hook("stop", 4, status="completed")
    cursor_hook("beforeSubmitPrompt", 20, prompt="계속해")
    before = len(stored(vault))
    cursor_hook("stop", 24, transcript, status="completed")
    report = ingest_paths(vault, state_for(vault), [transcript, cursor_database(tmp_path)])
    assert before == 3 and report.events_added == 0
    assert sorted(stored(vault)) == sorted(SAID)
    for root in (vault.root, state_for(vault).root.parent):
        assert not [path for path in root.rglob("*") if path.is_file() and b"minji@" in path.read_bytes()]


def test_cursors_places_agree_without_hooks(vault: Vault, tmp_path: Path) -> None:
    """Imported in either order, one by one."""
    transcript, database = cursor_transcript(tmp_path), cursor_database(tmp_path)
    counts = [ingest_paths(vault, state_for(vault), [path]).events_added for path in (database, transcript, database)]
    assert counts == [5, 0, 0]
    assert sorted(stored(vault)) == sorted(SAID)


def notify(**fields: Any) -> Any:
    """Return the call of Codex's notify program."""
    payload = {
        "type": "agent-turn-complete", "thread-id": "0199a213-81c0-7800-8aa1-bbab2a035a53", "turn-id": "t-1",
        "cwd": "/src/shop", "input-messages": ["어떤 DB로?"], "last-assistant-message": "PostgreSQL.", **fields,
    }  # fmt: skip
    return parse_hook("codex", json.dumps(payload).encode(), NOW)


def test_codexs_notify_brings_prompt_and_answer_and_the_rollout_nothing_new(vault: Vault, tmp_path: Path) -> None:
    """Also when it had to wait for the vault."""
    away = vault.root.with_name("away")
    vault.root.rename(away)
    with pytest.raises(VaultError):
        live.handle_call(notify(), NOW)
    away.rename(vault.root)
    live.retry(vault, state_for(vault), NOW)
    assert stored(vault) == [("user", "어떤 DB로?"), ("assistant", "PostgreSQL.")]

    def line(second: int, of: str, **payload: Any) -> str:
        time = (NOW - timedelta(seconds=9 - second)).isoformat().replace("+00:00", "Z")
        return json.dumps({"timestamp": time, "type": of, "payload": payload}) + "\n"

    rollout = tmp_path / "rollout-2026-11-30T03-00-00-0199a213-81c0-7800-8aa1-bbab2a035a53.jsonl"
    rollout.write_text(
        line(0, "session_meta", id="0199a213-81c0-7800-8aa1-bbab2a035a53", cwd="/src/shop")
        + line(1, "turn_context", turn_id="t-1", model="gpt-5")
        + line(2, "event_msg", type="user_message", message="어떤 DB로?", kind="plain")
        + line(3, "event_msg", type="agent_message", message="PostgreSQL."),
        "utf-8",
    )
    report = ingest_paths(vault, state_for(vault), [rollout])
    assert (report.events_added, report.events_known, len(stored(vault))) == (0, 2, 2)
