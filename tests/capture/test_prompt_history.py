"""What was typed at the prompt, of sessions that are gone: nothing twice, and no command."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from wwt_vault.capture import read_transcript, recognise
from wwt_vault.model.conversation import Message


def history(tmp_path: Path, *entries: dict[str, Any]) -> Path:
    """Write a history."""
    path = tmp_path / "history.jsonl"
    path.write_text("".join(json.dumps(entry) + "\n" for entry in entries), "utf-8")
    return path


def claude(display: str, second: int = 0, **more: Any) -> dict[str, Any]:
    """Return an entry of Claude Code's."""
    stamp = 1_764_467_881_123 + second * 1000
    return {"display": display, "pastedContents": {}, "timestamp": stamp, "project": "/src/shop", **more}


def codex(text: str, **more: Any) -> dict[str, Any]:
    """Return an entry of Codex's."""
    return {"session_id": "s-1", "ts": 1_764_467_881, "text": text, **more}


def prompts(path: Path, known: frozenset[str] = frozenset()) -> list[Message]:
    """Return the prompts."""
    items = read_transcript(path, parent_keys=lambda _: known)
    return [item for item in items if isinstance(item, Message)]


@pytest.mark.parametrize(
    ("entry", "host", "cwd"),
    [(claude("왜 느려?", sessionId="s-1"), "claude-code", "/src/shop"), (codex("왜 느려?"), "codex", None)],
)
def test_a_prompt_is_the_persons_in_its_session(
    tmp_path: Path, entry: dict[str, Any], host: str, cwd: str | None
) -> None:
    """With its time, its folder, and no answer."""
    path = history(tmp_path, entry)
    assert recognise(path) == host
    [prompt] = prompts(path)
    assert (prompt.role, prompt.text, prompt.session.session_id, prompt.cwd) == ("user", "왜 느려?", "s-1", cwd)
    assert prompt.time.isoformat()[:19] == "2025-11-30T01:58:01"


def test_commands_are_no_prompts(tmp_path: Path) -> None:
    """Of the shell, or of the program alone; one with arguments is a request."""
    entries = [claude("!ls"), claude("/model"), claude(" "), claude("/review the diff"), claude("ok", timestamp="soon")]
    assert [prompt.text for prompt in prompts(history(tmp_path, *entries))] == ["/review the diff"]


def test_what_was_pasted_stands_in_its_place(tmp_path: Path) -> None:
    """As far as the history still has it."""
    pasted = {"1": {"id": 1, "type": "text", "content": "a\nb"}, "2": {"id": 2, "contentHash": "f00"}, "3": 7}
    text = "fix [Pasted text #1 +2 lines] and [Pasted text #2 +90 lines] [Pasted text #3]"
    [prompt] = prompts(history(tmp_path, claude(text, pastedContents=pasted)))
    assert prompt.text == "fix a\nb and [Pasted text #2 +90 lines] [Pasted text #3]"


def test_a_session_that_was_read_itself_is_left_out(tmp_path: Path) -> None:
    """Its history says nothing new, and says it in other words."""
    path = history(tmp_path, claude("fix [Pasted text #2]", sessionId="s-1"))
    assert prompts(path, frozenset({"6304b1db-a31f-4506-89be-bd37d62c61b0"})) == []
    [prompt] = prompts(path, frozenset())
    assert prompts(path, frozenset({prompt.key or ""})) == [prompt]


def test_old_entries_are_one_session_a_day_and_folder(tmp_path: Path) -> None:
    """They name none."""
    entries = [claude("a"), claude("b", 60), claude("c", 86_400), claude("d", project="/src/blog")]
    names = [prompt.session.session_id for prompt in prompts(history(tmp_path, *entries))]
    assert names[0] == names[1] and len(set(names)) == 3


def test_two_prompts_of_one_second_are_two(tmp_path: Path) -> None:
    """Codex tells the time to the second."""
    found = prompts(history(tmp_path, codex("a"), codex("b")))
    assert len({prompt.key for prompt in found}) == 2
