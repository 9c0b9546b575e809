"""``wwt setup`` as a person runs it: what it says before, what it changes, what it leaves to do."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from wwt_vault.setup import RULE
from wwt_vault.setup.hosts import CONNECTIONS

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Return a home folder in which every host has a folder, and nothing is on PATH."""
    home = tmp_path / "home"
    for folder in (".claude", ".codex", ".gemini", ".cursor", ".config/Claude", ".config/Code/User"):
        (home / folder).mkdir(parents=True)
    return home


def environ(home: Path) -> dict[str, str]:
    """Return an environment that shows nothing but the home folder."""
    return {"HOME": str(home), "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "PYTHONPATH": str(ROOT)}


def wwt(home: Path, *words: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run the command in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "wwt_vault", *words], capture_output=True, text=True, check=False, encoding="utf-8",
        env=environ(home), cwd=cwd or home, stdin=subprocess.DEVNULL,
    )  # fmt: skip


def at_a_terminal(home: Path, answer: str, *words: str) -> str:
    """Run the command as someone who sits before a terminal and gives one answer; return all that is shown."""
    ours, theirs = os.openpty()
    run = subprocess.Popen(
        [sys.executable, "-m", "wwt_vault", *words], stdin=theirs, stdout=theirs, stderr=theirs, env=environ(home),
        cwd=home, start_new_session=True,
    )  # fmt: skip
    os.close(theirs)
    os.write(ours, answer.encode())
    shown = b""
    with contextlib.suppress(OSError):  # the terminal is gone when the program is
        while part := os.read(ours, 4096):
            shown += part
    os.close(ours)
    assert run.wait(timeout=60) == 0, shown
    return shown.decode()


def files(home: Path) -> dict[str, bytes]:
    """Return every file of the hosts."""
    folders = (".claude", ".codex", ".gemini", ".cursor", ".config/Claude", ".config/Code")
    paths = [path for folder in folders for path in (home / folder).rglob("*") if path.is_file()]
    paths += home.glob(".claude.json*")
    return {path.relative_to(home).as_posix(): path.read_bytes() for path in paths}


pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the folders are those of Linux")


def test_every_change_is_said_before_it_is_made(home: Path) -> None:
    """A line on stderr for each file, with what comes into it and where the copy from before is."""
    (home / ".cursor" / "mcp.json").write_text('{"mcpServers": {}}')
    run = wwt(home, "setup", "--json")
    assert run.returncode == 0, run.stderr
    assert {entry["host"] for entry in json.loads(run.stdout)["hosts"]} == set(CONNECTIONS)
    changed = {name for name in files(home) if not name.endswith(".before-wwt")}
    for name in changed:
        assert str(home / name) in run.stderr, name
    line = next(line for line in run.stderr.splitlines() if "mcp.json" in line and "Cursor" in line)
    assert line == (
        f"Cursor: changes {home}/.cursor/mcp.json: MCP server added. What it is now is kept as mcp.json.before-wwt."
    )
    assert "hooks added (sessionStart, beforeSubmitPrompt, afterAgentResponse, stop, sessionEnd)" in run.stderr


def test_the_vault_is_indexed_when_setup_ends(home: Path) -> None:
    """The first question need not wait for it, and nothing is left for `wwt doctor` to find but what a person does."""
    wwt(home, "setup")
    found = json.loads(wwt(home, "doctor", "--json").stdout)["findings"]
    assert found
    assert "index_missing" not in {finding["kind"] for finding in found}


def test_a_second_run_says_and_changes_nothing(home: Path) -> None:
    """No change is announced where none is made, and removal brings everything back."""
    before = files(home)
    wwt(home, "setup")
    after = files(home)
    again = wwt(home, "setup")
    assert again.stderr == ""
    assert "cursor: hooks present, MCP present" in again.stdout
    assert "vscode: MCP present" in again.stdout
    assert files(home) == after
    removed = wwt(home, "setup", "--remove")
    assert f"VS Code: deletes {home}/.config/Code/User/mcp.json: MCP server removed." in removed.stderr
    assert files(home) == before


def test_what_is_left_for_the_person_is_said(home: Path) -> None:
    """Approvals and restarts that no file can stand for."""
    said = wwt(home, "setup").stdout
    assert "to do: Codex runs no hook before you approve it" in said
    assert "to do: Cursor uses a new MCP server once you switch it on" in said
    assert "to do: Claude Desktop reads its MCP servers when it starts" in said
    assert "to do: VS Code asks whether you trust the server" in said


def test_a_hosts_command_that_does_nothing_is_a_failure(home: Path) -> None:
    """Claude Code says "Added" also where it cannot write: the exit code does not, and the other parts are done."""
    claude = home / ".local" / "bin" / "claude"
    claude.parent.mkdir(parents=True)
    claude.write_text("#!/bin/sh\necho Added\n")
    claude.chmod(0o755)
    run = subprocess.run(
        [sys.executable, "-m", "wwt_vault", "setup", "--host", "claude-code"], capture_output=True, text=True,
        check=False, env=environ(home) | {"PATH": f"{claude.parent}:/usr/bin:/bin"}, cwd=home, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert run.returncode == 1, run.stderr
    assert "claude-code: hooks added, MCP failed" in run.stdout
    assert f"changed nothing in {home / '.claude.json'}" in run.stdout


def test_any_other_client_gets_the_server_as_json(home: Path) -> None:
    """The command is a full path that is there, and nothing is changed by asking."""
    run = wwt(home, "setup", "--print")
    server = json.loads(run.stdout)["mcpServers"]["wwt"]
    assert server["args"] == ["serve"]
    assert os.access(server["command"], os.X_OK)
    assert files(home) == {}
    assert not (home / "wwt-vault").exists()


RULED = {".claude/CLAUDE.md", ".codex/AGENTS.md", ".gemini/GEMINI.md"}


def ruled(home: Path) -> set[str]:
    """Return the files in which the memory rule stands."""
    return {name for name, data in files(home).items() if RULE.encode() in data.replace(b"\r\n", b"\n")}


def test_nobody_there_to_be_asked_no_rule_is_written(home: Path) -> None:
    """Instructions to the agents are the person's: a script adds nothing to them unless it is told to."""
    (home / ".claude" / "CLAUDE.md").write_text("Be brief.\n")
    wwt(home, "setup")
    assert ruled(home) == set()
    assert (home / ".claude" / "CLAUDE.md").read_text() == "Be brief.\n"


@pytest.mark.parametrize(("answer", "expected"), [("y\n", RULED), ("n\n", set())])
def test_at_a_terminal_the_person_is_asked(home: Path, answer: str, expected: set[str]) -> None:
    """The rule's words and the files are shown first; without a yes nothing is written."""
    shown = at_a_terminal(home, answer, "setup")
    assert "Write it? [y/n]" in shown
    assert "search first: call `wiki_get_context`" in shown
    assert all(str(home / name) in shown for name in RULED)
    assert ruled(home) == expected


def test_one_who_declined_is_not_asked_again(home: Path) -> None:
    """Until the person asks for the rule."""
    at_a_terminal(home, "n\n", "setup")
    assert "Write it?" not in at_a_terminal(home, "", "setup")
    wwt(home, "setup", "--rule")
    wwt(home, "setup", "--no-rule")
    assert "Write it?" in at_a_terminal(home, "n\n", "setup")


def test_a_no_for_one_host_takes_nothing_out_of_another(home: Path) -> None:
    """What the person agreed to stands until it is asked out."""
    wwt(home, "setup", "--rule", "--host", "claude-code")
    at_a_terminal(home, "n\n", "setup")
    assert ruled(home) == {".claude/CLAUDE.md"}


def test_one_who_agreed_is_not_asked_again(home: Path) -> None:
    """And a run without a terminal keeps what is there."""
    wwt(home, "setup", "--rule")
    assert "Write it?" not in at_a_terminal(home, "", "setup")
    assert "claude-code: hooks present, MCP present, rule present" in wwt(home, "setup").stdout
    assert ruled(home) == RULED


@pytest.mark.parametrize("words", [("--remove",), ("--no-rule",)])
def test_the_rule_is_taken_out_exactly(home: Path, words: tuple[str, ...]) -> None:
    """Every byte of the person's instructions is as it was, and files that were not there are gone again."""
    (home / ".claude" / "CLAUDE.md").write_bytes("# 내 규칙\r\n\r\nBe brief.".encode())
    (home / ".gemini" / "GEMINI.md").write_bytes(b"")
    before = {name: data for name, data in files(home).items() if name.endswith(".md")}
    wwt(home, "setup", "--rule")
    assert ruled(home) == RULED
    wwt(home, "setup", *words)
    assert {name: data for name, data in files(home).items() if name.endswith(".md")} == before


def test_cursors_rule_goes_into_the_project_and_is_taken_out_from_anywhere(home: Path) -> None:
    """Cursor keeps the rules for all projects where only Cursor can write; said so where there is no project."""
    project = home / "src" / "가게"
    (project / ".git").mkdir(parents=True)
    (project / "deep").mkdir()
    rule = project / ".cursor" / "rules" / "wwt-memory.mdc"
    assert "run `wwt setup --host cursor --rule` in a project's folder" in wwt(home, "setup", "--rule").stdout
    wwt(home, "setup", "--host", "cursor", "--rule", cwd=project / "deep")
    assert rule.read_text().startswith("---\ndescription: Memory of earlier sessions\nalwaysApply: true\n---\n")
    assert RULE in rule.read_text()
    wwt(home, "setup", cwd=project)
    assert rule.exists()
    wwt(home, "setup", "--remove")
    assert not rule.exists()


def test_sessions_of_claude_desktops_local_agents_come_in_with_it(home: Path) -> None:
    """They are Claude Code's; an empty one of a session that was never used is nothing to speak of."""
    below = home / ".config/Claude/local-agent-mode-sessions/a/b/local_c/.claude/projects/-x"
    below.mkdir(parents=True)
    line = {
        "type": "user", "uuid": "u-1", "sessionId": "6b4d2f30-1111-4222-8333-444455556666", "cwd": "/x",
        "timestamp": "2026-11-29T01:00:00.000Z", "message": {"role": "user", "content": "from the desktop"},
    }  # fmt: skip
    (below / "6b4d2f30-1111-4222-8333-444455556666.jsonl").write_text(json.dumps(line) + "\n")
    empty = {"type": "file-history-snapshot", "messageId": "m", "snapshot": {}, "isSnapshotUpdate": False}
    (below / "7b4d2f30-1111-4222-8333-444455556666.jsonl").write_text(json.dumps(empty) + "\n")
    [entry] = json.loads(wwt(home, "setup", "--host", "claude-desktop", "--json").stdout)["hosts"]
    assert (entry["transcripts"], entry["imported"]) == (2, 1)
    assert all("not understood" not in sentence for sentence in entry["todo"])


def test_an_excluded_folder_is_not_even_imported(home: Path) -> None:
    """The list is written before the hosts' conversations are taken in; nothing of a dry run is kept."""
    transcript = home / ".claude" / "projects" / "-x" / "6b4d2f30-1111-4222-8333-444455556666.jsonl"
    transcript.parent.mkdir(parents=True)
    line = {
        "type": "user", "uuid": "u-1", "sessionId": transcript.stem, "timestamp": "2026-11-29T01:00:00.000Z",
        "cwd": str(home / "secret"), "message": {"role": "user", "content": "hush"},
    }  # fmt: skip
    transcript.write_text(json.dumps(line) + "\n")
    shown = wwt(home, "setup", "--exclude", "secret", "--dry-run").stdout
    assert f"Nothing is captured in {home}/secret" in shown
    assert not (home / ".config" / "wwt-vault").exists()
    first = json.loads(wwt(home, "setup", "--exclude", "secret", "--json").stdout)
    assert first["excluded"] == [str(home / "secret")]
    assert sum(entry["imported"] for entry in first["hosts"]) == 0
    ingested = wwt(home, "ingest", str(transcript)).stdout
    assert f"left out, for it is excluded: {home}/secret" in ingested
    after = json.loads(wwt(home, "setup", "--include", "secret", "--json").stdout)
    assert after["excluded"] == []
    assert sum(entry["imported"] for entry in after["hosts"]) == 1
