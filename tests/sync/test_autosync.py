"""Sync that happens by itself: after quiet time, in a terminal or in a server, and never in two at once."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.sync.machines import Box, first, git, remote_in
from wwt_vault.config import user_folders
from wwt_vault.errors import BadArgument
from wwt_vault.mcp_server.session import Session
from wwt_vault.operations import autosync, syncing
from wwt_vault.state import state_for
from wwt_vault.vault.files import lock

PACE = autosync.Pace(quiet=0.3, latest=5, every=60)
SECONDS = 60


@pytest.fixture
def box(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Box:
    """Return a machine in sync, whose vault is the one that is named."""
    made = first(tmp_path, remote_in(tmp_path))
    monkeypatch.setenv("WWT_VAULT", str(made.root))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    return made


def until(true: Callable[[], bool]) -> bool:
    """Wait for something."""
    deadline = time.monotonic() + SECONDS
    while not true() and time.monotonic() < deadline:
        time.sleep(0.05)
    return true()


def sent(box: Box, name: str) -> bool:
    """Return whether the repository has a file."""
    return name in git(box.root.parent / "remote.git", "ls-tree", "--name-only", "main").split("\n")


def settings(text: str) -> None:
    """Write the user's settings."""
    folder = user_folders().config
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.toml").write_text(text)


def test_what_is_written_is_sent_when_it_has_been_quiet(box: Box) -> None:
    """One sync at the beginning, one after the change; its own writing of git's files is no change."""
    told: list[Any] = []
    stop = threading.Event()
    thread = threading.Thread(
        target=autosync.follow, args=(None,), kwargs={"pace": PACE, "stop": stop, "tell": told.append}
    )
    thread.start()
    try:
        assert until(lambda: len(told) == 1)
        box.write("Plan.md", "a\n")
        assert until(lambda: sent(box, "Plan.md"))
        time.sleep(1.5)
        assert len(told) == 2
    finally:
        stop.set()
        thread.join(SECONDS)
    assert not thread.is_alive()


def test_a_failure_is_told_and_tried_again(box: Box) -> None:
    """A rebase that goes on does not end the watch; when it is over, the next change is sent."""
    told: list[Any] = []
    stop = threading.Event()
    (box.root / ".git/rebase-merge").mkdir()
    thread = threading.Thread(
        target=autosync.follow, args=(None,), kwargs={"pace": PACE, "stop": stop, "tell": told.append}
    )
    thread.start()
    try:
        assert until(lambda: len(told) == 1)
        assert "rebase" in str(told[0])
        found = syncing.last_sync(box.vault)
        assert found is not None
        assert "rebase" in found["failed"]["message"]
        (box.root / ".git/rebase-merge").rmdir()
        box.write("Plan.md", "a\n")
        assert until(lambda: sent(box, "Plan.md"))
    finally:
        stop.set()
        thread.join(SECONDS)


@pytest.mark.parametrize(("text", "syncs"), [("[sync]\nauto = true\nquiet = 0.3\n", True), ("", False)])
def test_a_server_syncs_if_the_user_says_so(box: Box, text: str, syncs: bool) -> None:
    """Only then, and for as long as it runs."""
    settings(text)
    session = Session(str(box.root))
    try:
        session.workspace()
        box.write("Plan.md", "a\n")
        assert until(lambda: sent(box, "Plan.md")) if syncs else not _within(2, lambda: sent(box, "Plan.md"))
    finally:
        session.close()


def _within(seconds: float, true: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if true():
            return True
        time.sleep(0.1)
    return False


def test_one_of_several_servers_does_it(box: Box) -> None:
    """While another process has the task, this one leaves it alone."""
    stop = threading.Event()
    with lock(state_for(box.vault).locks / "autosync", 0):
        thread = threading.Thread(target=autosync.in_background, args=(None,), kwargs={"pace": PACE, "stop": stop})
        thread.start()
        box.write("Plan.md", "a\n")
        assert not _within(2, lambda: sent(box, "Plan.md"))
        stop.set()
        thread.join(SECONDS)
    assert not thread.is_alive()


@pytest.mark.parametrize("text", ["[sync]\nauto = true\nquiet = 'soon'\n", "[sync]\nauto = true\nevery = 0\n"])
def test_a_pace_that_is_none_is_named(text: str) -> None:
    """Like every other setting."""
    settings(text)
    with pytest.raises(BadArgument):
        autosync.pace_set_by_user()


@pytest.mark.skipif(os.name != "posix", reason="sends SIGINT")
def test_watching_in_a_terminal_ends_with_ctrl_c(box: Box) -> None:
    """One JSON object a line, exit code 0."""
    command = [sys.executable, "-m", "wwt_vault", "sync", "--watch", "--quiet", "0.3", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True) as process:
        assert process.stdout is not None
        assert json.loads(process.stdout.readline())["offline"] is None
        box.write("Plan.md", "a\n")
        assert json.loads(process.stdout.readline())["sent"]["notes"] == 1
        process.send_signal(signal.SIGINT)
        assert process.wait(SECONDS) == 0
    assert sent(box, "Plan.md")
