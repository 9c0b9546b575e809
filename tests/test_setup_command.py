"""``wwt setup`` as a person runs it: what it says before, what it changes, what it leaves to do."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from wwt_vault.setup.hosts import CONNECTIONS

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Return a home folder in which every host has a folder, and nothing is on PATH."""
    home = tmp_path / "home"
    for folder in (".claude", ".codex", ".gemini", ".cursor", ".config/Claude", ".config/Code/User"):
        (home / folder).mkdir(parents=True)
    return home


def wwt(home: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run the command in a process of its own, as on Linux, whatever this is."""
    return subprocess.run(
        [sys.executable, "-m", "wwt_vault", *words], capture_output=True, text=True, check=False, encoding="utf-8",
        env={"HOME": str(home), "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "PYTHONPATH": str(ROOT)}, cwd=home,
        stdin=subprocess.DEVNULL,
    )  # fmt: skip


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


def test_any_other_client_gets_the_server_as_json(home: Path) -> None:
    """The command is a full path that is there, and nothing is changed by asking."""
    run = wwt(home, "setup", "--print")
    server = json.loads(run.stdout)["mcpServers"]["wwt"]
    assert server["args"] == ["serve"]
    assert os.access(server["command"], os.X_OK)
    assert files(home) == {}
    assert not (home / "wwt-vault").exists()
