"""Runs the real hosts, headless, in a home folder of the test's own, against the scripted model.

A host is a row of data: how to run a prompt, how to go on with the latest conversation, and the settings without
which its first run would ask a question.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path
from threading import Event
from typing import Literal, NamedTuple

TIMEOUT = 120.0
"""Seconds for one headless turn; a turn takes two to ten."""


class Run(NamedTuple):
    """How one turn of a host ended."""

    code: int
    stdout: str
    stderr: str


def base_environment(home: Path, binaries: Path) -> dict[str, str]:
    """Return an environment that shows nothing of the person who runs the test but PATH."""
    environ = {
        "HOME": str(home),
        "PATH": os.pathsep.join([str(binaries), os.environ["PATH"]]),
        "LANG": "C.UTF-8",
        "TERM": "xterm-256color",
    }
    if "VIRTUAL_ENV" in os.environ:
        environ["VIRTUAL_ENV"] = os.environ["VIRTUAL_ENV"]
    return environ


def prepare(host: str, home: Path) -> None:
    """Answer what a host asks a new user, so that a headless run can start; call before ``wwt setup``."""
    if host == "gemini":
        settings = {
            "security": {"auth": {"selectedType": "gemini-api-key"}},
            "privacy": {"usageStatisticsEnabled": False},
            "general": {"enableAutoUpdate": False},
        }
        path = home / ".gemini" / "settings.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(settings, indent=2), encoding="utf-8")
    elif host == "codex":
        path = home / ".codex" / "config.toml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text('# the person\'s own settings\nfile_opener = "none"\n', encoding="utf-8")


Go = Literal["new", "resume", "fork"]
"""Begin a conversation, go on with the latest one in the folder, or go on with a copy of it."""


def _claude(binary: str, url: str, go: Go) -> tuple[list[str], dict[str, str]]:
    environ = {
        "ANTHROPIC_API_KEY": "scripted",
        "ANTHROPIC_BASE_URL": url,
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
        "DISABLE_ERROR_REPORTING": "1",
        "DISABLE_TELEMETRY": "1",
    }
    way = {"new": [], "resume": ["--continue"], "fork": ["--continue", "--fork-session"]}[go]
    return [binary, *way, "--allowedTools", "mcp__wwt", "--print"], environ


def _codex(binary: str, url: str, go: Go) -> tuple[list[str], dict[str, str]]:
    overrides = {
        "analytics.enabled": "false",
        "model": '"gpt-5"',
        "model_provider": '"scripted"',
        "model_providers.scripted.base_url": f'"{url}/v1"',
        "model_providers.scripted.env_key": '"SCRIPTED_KEY"',
        "model_providers.scripted.name": '"scripted"',
        "model_providers.scripted.wire_api": '"responses"',
    }
    arguments = [binary, "exec", *{"new": [], "resume": ["resume", "--last"], "fork": ["fork"]}[go]]
    arguments += ["--dangerously-bypass-hook-trust", "--dangerously-bypass-approvals-and-sandbox"]
    arguments += ["--skip-git-repo-check"]
    for key, value in overrides.items():
        arguments += ["-c", f"{key}={value}"]
    return arguments, {"SCRIPTED_KEY": "scripted"}


def _gemini(binary: str, url: str, go: Go) -> tuple[list[str], dict[str, str]]:
    environ = {
        "GEMINI_API_KEY": "scripted",
        "GEMINI_CLI_TRUST_WORKSPACE": "true",
        "GOOGLE_GEMINI_BASE_URL": url,
    }
    arguments = [binary, "--skip-trust", "--yolo", "--model", "gemini-2.5-flash"]
    return [*arguments, *(["--resume", "latest"] if go == "resume" else []), "--prompt"], environ


HOSTS = {"claude-code": ("claude", _claude), "codex": ("codex", _codex), "gemini": ("gemini", _gemini)}


class Place(NamedTuple):
    """Where a host runs, and the model it talks to."""

    binaries: Path
    home: Path
    cwd: Path
    url: str


def run_turn(host: str, place: Place, *words: str, go: Go = "new", interrupt: Event | None = None) -> Run:
    """Send one prompt (the last of ``words``) through the real host and wait for its end.

    ``interrupt`` presses Ctrl-C once it is set.
    """
    name, build = HOSTS[host]
    arguments, extra = build(str(place.binaries / name), place.url, go)
    place.cwd.mkdir(parents=True, exist_ok=True)
    process = subprocess.Popen(
        [*arguments, *words],
        cwd=place.cwd,
        env=base_environment(place.home, place.binaries) | extra,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,  # Ctrl-C reaches all that the host has started
    )
    if interrupt is not None and interrupt.wait(TIMEOUT):
        os.killpg(process.pid, signal.SIGINT)
    try:
        out, err = process.communicate(timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        raise
    return Run(process.returncode, out, err)
