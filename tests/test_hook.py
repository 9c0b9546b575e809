"""`wwt-hook` as a host runs it: a process with a payload on stdin, exit 0 always, stdout empty or one JSON object."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.ingest.conversation import stored
from wwt_vault.ingest import hooklog, queue

if TYPE_CHECKING:
    from wwt_vault.vault import Vault

START = {
    "claude-code": {"hook_event_name": "SessionStart", "source": "startup", "session_id": "a-1", "cwd": "/src/shop"},
    "codex": {
        "hook_event_name": "SessionStart", "source": "startup", "session_id": "b-1", "cwd": "/src/shop", "model": "m",
    },
    "gemini": {
        "hook_event_name": "SessionStart", "source": "startup", "session_id": "c-1", "cwd": "/src/shop",
        "timestamp": "2026-11-30T01:58:01.000Z", "transcript_path": "",
    },
}  # fmt: skip
PROMPT = {
    "claude-code": {
        **START["claude-code"],
        "hook_event_name": "UserPromptSubmit",
        "prompt": "안녕?",
        "prompt_id": "p-1",
    },
    "codex": {**START["codex"], "hook_event_name": "UserPromptSubmit", "prompt": "안녕?", "turn_id": "t-1"},
    "gemini": {**START["gemini"], "hook_event_name": "BeforeAgent", "prompt": "안녕?"},
}


def hook(host: str, payload: Any, **environ: str) -> subprocess.CompletedProcess[bytes]:
    """Run the hook's module in a process of its own."""
    data = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
    return subprocess.run(
        [sys.executable, "-m", "wwt_vault.hook", host], input=data, capture_output=True, check=False,
        env={**os.environ, **environ}, cwd=Path(__file__).parents[1],
    )  # fmt: skip


@pytest.mark.parametrize("host", PROMPT)
def test_a_prompt_becomes_an_event_silently(host: str, vault: Vault) -> None:
    """The prompt is in the vault when the hook ends; nothing is printed."""
    run = hook(host, PROMPT[host])

    assert (run.returncode, run.stdout, run.stderr) == (0, b"", b"")
    assert stored(vault) == [("user", "안녕?")]


@pytest.mark.parametrize("host", ["claude-code", "codex"])
def test_a_session_start_is_told_of_the_memory(host: str, vault: Vault) -> None:
    """At a start the output is one JSON object with the rule to call wiki_get_context and what was said last here."""
    hook(host, {**PROMPT[host], "session_id": "earlier", "prompt": "Use Tailscale for SSH."})
    run = hook(host, START[host])
    output = json.loads(run.stdout)["hookSpecificOutput"]

    assert run.returncode == 0
    assert output["hookEventName"] == "SessionStart"
    assert "wiki_get_context" in output["additionalContext"]
    assert "Use Tailscale for SSH." in output["additionalContext"]
    assert len(output["additionalContext"]) <= 6000


CURSOR = {"conversation_id": "d-1", "generation_id": "g-1", "cursor_version": "3.7.1", "workspace_roots": ["/src/shop"]}


def test_cursor_gets_an_object_at_every_call_and_each_message_is_kept(vault: Vault) -> None:
    """As its documentation asks: a prompt may go on, an answer and the end say nothing, the start adds context."""
    said = [
        ({"hook_event_name": "sessionStart", "session_id": "d-1", "composer_mode": "agent"}, None),
        ({"hook_event_name": "beforeSubmitPrompt", "prompt": "안녕?", "attachments": []}, {"continue": True}),
        ({"hook_event_name": "afterAgentResponse", "text": "Hello 🙂"}, {}),
        ({"hook_event_name": "stop", "status": "completed", "loop_count": 0}, {}),
        ({"hook_event_name": "sessionEnd", "session_id": "d-1", "reason": "completed"}, {}),
    ]
    for payload, expected in said:
        run = hook("cursor", {**CURSOR, "transcript_path": None, "user_email": "me@example.com", **payload})
        assert (run.returncode, run.stderr) == (0, b"")
        output = json.loads(run.stdout)
        if expected is None:
            assert list(output) == ["additional_context"]
            assert "wiki_get_context" in output["additional_context"]
        else:
            assert output == expected
    assert sorted(stored(vault)) == [("assistant", "Hello 🙂"), ("user", "안녕?")]


def test_cursor_running_the_hooks_of_claude_code_gets_their_form(vault: Vault) -> None:
    """Cursor finds them in Claude Code's settings, if the person lets it; one message stays one event."""
    prompt = {**CURSOR, "hook_event_name": "UserPromptSubmit", "prompt": "안녕?"}
    start = hook("claude-code", {**CURSOR, "hook_event_name": "SessionStart"})
    assert "additionalContext" in json.loads(start.stdout)["hookSpecificOutput"]
    assert hook("claude-code", prompt).stdout == b""
    hook("cursor", {**prompt, "hook_event_name": "beforeSubmitPrompt"})
    assert stored(vault) == [("user", "안녕?")]


def test_gemini_is_told_at_its_first_prompt(vault: Vault) -> None:
    """Gemini CLI's session start stays silent; the first prompt's hook adds the context, the second adds nothing."""
    start = hook("gemini", START["gemini"])
    first = hook("gemini", PROMPT["gemini"])
    second = hook("gemini", {**PROMPT["gemini"], "prompt": "and then?"})

    assert start.stdout == second.stdout == b""
    assert json.loads(first.stdout)["hookSpecificOutput"]["hookEventName"] == "BeforeAgent"
    assert "wiki_get_context" in first.stdout.decode()


@pytest.mark.parametrize(
    "payload",
    [
        b"",
        b"not json",
        b"[1, 2]",
        b'{"hook_event_name": ',
        b"\xff\xfe\x00",
        b"null",
        b'{"hook_event_name": "NewThing"}',
    ],
)
@pytest.mark.parametrize("host", ["claude-code", "codex", "gemini", "unheard-of", ""])
def test_garbage_makes_no_trouble(host: str, payload: bytes, vault: Vault) -> None:
    """Whatever comes, the host sees success and silence; nothing is half made; the log has a line for what failed."""
    run = hook(host, payload)

    assert (run.returncode, run.stdout, run.stderr) == (0, b"", b"")
    assert stored(vault) == []


@pytest.mark.parametrize("trouble", ["missing", "not a vault", "read-only", "too new"])
def test_a_vault_in_trouble_queues_the_message(trouble: str, vault: Vault) -> None:
    """Exit 0, the redacted message in the queue, and the next session start says what is wrong."""
    if trouble == "missing":
        vault.root.rename(vault.root.with_name("gone"))
    elif trouble == "not a vault":
        (vault.root / ".wwt" / "vault.json").unlink()
    elif trouble == "too new":
        (vault.root / ".wwt" / "vault.json").write_text('{"format": 99, "id": "x"}\n', "utf-8")
    else:
        # Root is stopped by no permission bits: a file where a folder belongs is.
        for name in ("events",):
            folder = vault.root / ".wwt" / name
            if folder.is_dir():
                folder.rename(folder.with_name("moved"))
            folder.write_text("", "utf-8")
    run = hook("claude-code", {**PROMPT["claude-code"], "prompt": "my password: Zx9!kkQ2 ok?"})
    start = hook("claude-code", START["claude-code"])
    (item,) = queue.list_items()

    assert (run.returncode, run.stdout, run.stderr) == (0, b"", b"")
    assert item.reason
    assert "Zx9!kkQ2" not in item.path.read_text("utf-8")
    assert "queue" in json.loads(start.stdout)["hookSpecificOutput"]["additionalContext"]


@pytest.mark.parametrize("name", ["queue", "hook.json", "news", "hook.log"])
def test_a_state_folder_in_trouble_costs_no_word(name: str, vault: Vault, own_user_folders: Path) -> None:
    """What only helps to be quick or safe may be unwritable: the vault is not, so the prompt is in it."""
    state = own_user_folders / ".local" / "state" / "wwt-vault"
    state.mkdir(parents=True)
    if name in ("queue", "news"):
        (state / name).write_text("a file where a folder belongs", "utf-8")
    else:
        (state / name).mkdir()
    for host, payload in PROMPT.items():
        assert hook(host, payload).returncode == 0

    assert stored(vault) == [("user", "안녕?")] * 3


@pytest.mark.parametrize("word", ["--help", "-h"])
def test_a_person_who_asks_is_told_what_it_is(word: str, vault: Vault) -> None:
    """On stderr, and that is no call of a host that went wrong."""
    run = hook(word, b"")

    assert (run.returncode, run.stdout) == (0, b"")
    assert run.stderr.startswith(b"wwt-hook HOST reads a JSON object")
    assert hooklog.recent(datetime.now(UTC)).sentence() == ""


def test_an_agent_that_we_start_is_not_recorded(vault: Vault) -> None:
    """WWT_HOOK=off makes the hook do nothing."""
    run = hook("claude-code", PROMPT["claude-code"], WWT_HOOK="off")

    assert (run.returncode, run.stdout) == (0, b"")
    assert stored(vault) == []


def test_a_subagent_is_not_the_person(vault: Vault) -> None:
    """Calls from inside a subagent bring nothing."""
    hook("claude-code", {**PROMPT["claude-code"], "agent_id": "sub-1", "agent_type": "Explore"})

    assert stored(vault) == []
