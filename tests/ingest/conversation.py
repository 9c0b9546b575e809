"""A conversation with Claude Code as its hooks and its transcript show it, for tests of what is recognised."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

from wwt_vault.capture import parse_hook
from wwt_vault.ingest.live import handle_call
from wwt_vault.vault import Vault, events, sessions

START = datetime(2026, 11, 30, 1, 58, 1, tzinfo=UTC)


class Conversation:
    """Says things turn by turn; the transcript is written to the disk only as far as a test lets it."""

    def __init__(
        self, folder: Path, session_id: str = "42edc39d-1111-4222-8333-444455556666", cwd: str = "/src/shop"
    ) -> None:
        self.session_id, self.cwd = session_id, cwd
        self.path = folder / f"{session_id}.jsonl"
        self.lines: list[bytes] = []
        self.said: list[tuple[str, str]] = []
        self.now = START
        self.number = 0

    def ask(self, text: str) -> str:
        """The person types; return the prompt's id. Nothing reaches the disk or a hook yet."""
        self.now += timedelta(seconds=20)
        prompt_id = f"prompt-{self._next()}"
        self._line(type="user", promptId=prompt_id, message={"role": "user", "content": text})
        self.said.append(("user", text))
        return prompt_id

    def answer(self, *blocks: str) -> None:
        """The assistant answers in one message of one or more text blocks, each a record of its own."""
        self.now += timedelta(seconds=3)
        message_id = f"msg_{self._next()}"
        for block in blocks:
            content = [{"type": "text", "text": block}]
            message = {"id": message_id, "role": "assistant", "model": "m", "content": content}
            self._line(type="assistant", requestId=f"req_{message_id}", message=message)
        self.said.append(("assistant", "\n\n".join(blocks)))

    def flush(self, lines: int | None = None) -> None:
        """Write the transcript's first ``lines`` lines to the disk, all by default."""
        shown = self.lines if lines is None else self.lines[:lines]
        if shown:
            self.path.write_bytes(b"".join(shown))

    def hook(self, event: str, **fields: Any) -> None:
        """Call the hook as Claude Code does."""
        handle_call(self.call(event, **fields), self.now)

    def call(self, event: str, **fields: Any) -> Any:
        """Return the parsed call of a hook."""
        common = {"session_id": self.session_id, "transcript_path": str(self.path), "cwd": self.cwd}
        payload = json.dumps({**common, "hook_event_name": event, **fields}).encode()
        return parse_hook("claude-code", payload, self.now + timedelta(milliseconds=40))

    def _line(self, **record: Any) -> None:
        envelope = {
            "uuid": str(UUID(int=self._next())),
            "sessionId": self.session_id,
            "timestamp": self.now.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "cwd": self.cwd,
            "gitBranch": "main",
            "version": "2.1.197",
            "isSidechain": False,
            "parentUuid": None,
        }
        self.lines.append(json.dumps({**envelope, **record}, ensure_ascii=False).encode() + b"\n")

    def _next(self) -> int:
        self.number += 1
        return self.number


def stored(vault: Vault) -> list[tuple[str, str]]:
    """Return role and text of every event of the vault, in the order of time."""
    return [(event.role, event.text) for event in events.iter_events(vault)]


def shown(vault: Vault, session_id: str) -> list[tuple[str, str]]:
    """Return role and text of every turn in the session's note, in the order of the note."""
    note = sessions.find_session_note(vault, "claude-code", session_id)
    assert note is not None
    return [(turn.role, turn.text) for turn in sessions.read_turns(note.read_text("utf-8"))]
