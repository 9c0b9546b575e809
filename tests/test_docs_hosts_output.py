"""What the pages of the hosts show of ``wwt`` is what it prints: each command is run, in the order of the page."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGES = ROOT / "docs" / "hosts"
SCRIPTS = Path(sysconfig.get_path("scripts"))

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the pages show Linux")

FOLDERS = {
    "claude-code": ".claude",
    "codex": ".codex",
    "gemini": ".gemini",
    "cursor": ".cursor",
    "claude-desktop": ".config/Claude",
    "vscode": ".config/Code/User",
}
SESSION = {"session_id": "6b4d2f30-5a1e-4c77-9d2b-1f0e8c7a9b3d", "cwd": "/home/me/shop", "transcript_path": ""}
CURSOR = {"conversation_id": SESSION["session_id"], "workspace_roots": ["/home/me/shop"], "cursor_version": "3.7.1"}
ASKED, ANSWERED = "Which database did we choose?", "PostgreSQL 16."
SAID: dict[str, list[dict[str, Any]]] = {
    "claude-code": [
        {**SESSION, "hook_event_name": "UserPromptSubmit", "prompt": ASKED, "prompt_id": "p"},
        {**SESSION, "hook_event_name": "Stop", "last_assistant_message": ANSWERED, "prompt_id": "p"},
    ],
    "codex": [
        {**SESSION, "hook_event_name": "UserPromptSubmit", "prompt": ASKED, "turn_id": "t"},
        {**SESSION, "hook_event_name": "Stop", "last_assistant_message": ANSWERED, "turn_id": "t"},
    ],
    "gemini": [
        {**SESSION, "hook_event_name": "BeforeAgent", "prompt": ASKED, "timestamp": "2026-11-30T01:58:01.000Z"},
        {
            **SESSION, "hook_event_name": "AfterAgent", "prompt": ASKED, "prompt_response": ANSWERED,
            "timestamp": "2026-11-30T01:58:09.000Z",
        },
    ],
    "cursor": [
        {**CURSOR, "hook_event_name": "beforeSubmitPrompt", "prompt": ASKED, "generation_id": "g"},
        {**CURSOR, "hook_event_name": "afterAgentResponse", "text": ANSWERED, "generation_id": "g"},
    ],
}  # fmt: skip


def environ(home: Path) -> dict[str, str]:
    """Return an environment with nothing but the home folder and this project's programs."""
    return {"HOME": str(home), "PATH": f"{SCRIPTS}:/usr/bin:/bin", "LANG": "C.UTF-8", "TZ": "UTC"}


def run(home: Path, command: str) -> str:
    """Run a command as it stands on the page; return all that a terminal would show, as the pages have it."""
    done = subprocess.run(
        shlex.split(command), env=environ(home), cwd=home, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True, encoding="utf-8", check=False,
    )  # fmt: skip
    shown = done.stdout.replace(str(SCRIPTS), "/home/me/.local/bin").replace(str(home), "/home/me")
    return timeless(shown)


def timeless(text: str) -> str:
    """Return the text with every date and time replaced by the ones on the pages, and without blanks at line ends."""
    text = re.sub(r"\d{4}-\d\d-\d\d", "2026-11-30", text)
    text = re.sub(r"(2026-11-30[ T])\d\d:\d\d(:\d\d)?", r"\g<1>01:58", text)
    return "".join(line.rstrip() + "\n" for line in text.splitlines())


def speak(home: Path, host: str) -> None:
    """Say something in the host, as far as its hooks know."""
    for payload in SAID.get(host, ()):
        subprocess.run(
            [SCRIPTS / "wwt-hook", host], input=json.dumps(payload).encode(), env=environ(home), check=True,
            stdout=subprocess.DEVNULL,
        )  # fmt: skip


def commands_of(page: str) -> list[tuple[str, list[str]]]:
    """Return the commands in the page's consoles with the lines shown below each; one without any is not run."""
    found: list[tuple[str, list[str]]] = []
    for block in re.findall(r"```console\n(.*?)```", page, re.DOTALL):
        for line in block.splitlines():
            if line.startswith("$ "):
                found.append((line.removeprefix("$ "), []))
            else:
                found[-1][1].append(line)
    return [(command, lines) for command, lines in found if lines]


def pattern_of(lines: list[str]) -> str:
    """Return what fits the lines and nothing else; "…" stands for any number of them, none included."""
    shown = [r"(?:.*\n)*" if line == "…" else re.escape(timeless(line)) for line in lines]
    return "".join(shown)


@pytest.mark.parametrize("host", FOLDERS)
def test_what_a_hosts_page_shows_is_what_is_printed(host: str, tmp_path: Path) -> None:
    """Set up on a machine where the host was just installed, then a first conversation, then looked at."""
    home = tmp_path / "home"
    (home / FOLDERS[host]).mkdir(parents=True)
    shown = commands_of((PAGES / f"{host}.md").read_text("utf-8"))
    assert any("setup" in command for command, _ in shown)
    for command, lines in shown:
        assert re.fullmatch(pattern_of(lines), run(home, command)), (command, run(home, command))
        if command.startswith("wwt setup --host") and "--remove" not in command:
            speak(home, host)
    left = [path for path in (home / FOLDERS[host]).rglob("*") if path.is_file()]
    assert left == [], "the page ends with taking it all out"


def test_no_page_of_a_host_is_forgotten() -> None:
    """Every host that setup knows has a page that is tried here."""
    from wwt_vault.setup.hosts import CONNECTIONS

    assert set(FOLDERS) == set(CONNECTIONS)
    assert os.access(SCRIPTS / "wwt-hook", os.X_OK)


def test_the_form_of_ones_own_is_taken_in_as_its_page_shows(tmp_path: Path) -> None:
    """The Markdown of the page is what its last command imports."""
    page = (PAGES / "generic.md").read_text("utf-8")
    (form,) = re.findall(r"```markdown\n(.*?)```", page, re.DOTALL)
    (tmp_path / "talk.md").write_text(form, "utf-8")
    run(tmp_path, "wwt init vault")
    ((command, lines),) = commands_of(page)

    assert command == "wwt ingest talk.md --json"
    assert run(tmp_path, command) == timeless("\n".join(lines))
