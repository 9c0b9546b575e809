"""``wwt ingest --watch``: what a host writes comes in while it is written, once, until somebody says stop."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.ingest.conversation import Conversation, stored
from wwt_vault.vault import Vault

ROOT = Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C is sent as POSIX has it")


class Following:
    """The command, running beside the test."""

    def __init__(self, vault: Vault, *paths: Path) -> None:
        words = ["ingest", "--json", "--vault", str(vault.root), "--watch", *map(str, paths)]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "wwt_vault", *words], cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, encoding="utf-8", env={**os.environ, "LANG": "C.UTF-8"},
        )  # fmt: skip
        self.said: list[str] = []

    def wait_for(self, words: str) -> str:
        """Read what it says on stderr until a line has ``words``; return that line."""
        assert self.process.stderr is not None
        patience = threading.Timer(60, self.process.kill)
        patience.start()
        try:
            for line in self.process.stderr:
                self.said.append(line)
                if words in line:
                    return line
        finally:
            patience.cancel()
        raise AssertionError(f"{words!r} was never said: {self.said}")

    def end(self, by: signal.Signals = signal.SIGINT) -> tuple[int, dict[str, Any]]:
        """Press Ctrl-C; return exit code and what was printed."""
        self.process.send_signal(by)
        out, err = self.process.communicate(timeout=60)
        assert "Traceback" not in err
        return self.process.returncode, json.loads(out)


@pytest.fixture
def follow(vault: Vault) -> Iterator[Callable[..., Following]]:
    """Return a function that starts the command; what still runs at the end is killed."""
    begun: list[Following] = []

    def start(*paths: Path) -> Following:
        begun.append(Following(vault, *paths))
        return begun[-1]

    yield start
    for one in begun:
        one.process.kill()
        one.process.communicate()


@pytest.mark.parametrize("by", [signal.SIGINT, signal.SIGTERM])
def test_what_is_added_comes_in_until_it_is_told_to_end(
    vault: Vault, tmp_path: Path, follow: Callable[..., Following], by: signal.Signals
) -> None:
    """A session that was there, one that is added to, one in a folder that is made later; then one sum, and exit 0."""
    old = Conversation(tmp_path, session_id="42edc39d-1111-4222-8333-444455556666")
    old.ask("first")
    old.flush()
    running = follow(tmp_path)
    running.wait_for("1 new message")
    old.answer("an answer")
    old.flush()
    running.wait_for("1 new message")
    later = tmp_path / "-src-later"
    later.mkdir()
    new = Conversation(later, session_id="7f0c1d2e-1111-4222-8333-444455556666")
    new.number = 100  # a message with the same id would be a fork's copy
    new.ask("second")
    new.flush()
    running.wait_for("1 new message")
    code, report = running.end(by)
    assert (code, report["events_added"], len(report["sessions"]), report["skipped"]) == (0, 3, 2, [])
    assert sorted(stored(vault)) == sorted([*old.said, *new.said])


def test_an_answer_that_is_being_written_is_read_when_it_is_done(
    vault: Vault, tmp_path: Path, follow: Callable[..., Following]
) -> None:
    """Block by block, a moment apart: one event, not one for every state that it was in."""
    talk = Conversation(tmp_path)
    running = follow(tmp_path)
    running.wait_for("0 new messages")
    talk.ask("tell me")
    talk.answer("Block A.", "Block B.", "Block C.")
    for lines in range(1, len(talk.lines) + 1):
        talk.flush(lines)
        time.sleep(0.4)
    running.wait_for("2 new messages")
    assert running.end()[0] == 0
    assert sorted(stored(vault)) == sorted(talk.said)


def test_what_is_no_conversation_is_not_spoken_of(
    vault: Vault, tmp_path: Path, follow: Callable[..., Following]
) -> None:
    """A folder holds all sorts of things; those that the person did not name are passed over."""
    running = follow(tmp_path)
    running.wait_for("0 new messages")
    (tmp_path / "notes.txt").write_text("no transcript")
    (tmp_path / "users.json").write_text('[{"email": "me@example.com"}]')
    talk = Conversation(tmp_path)
    talk.ask("hello")
    talk.flush()
    running.wait_for("1 new message")
    code, report = running.end()
    assert (code, report["skipped"]) == (0, [])


def test_a_database_is_followed_by_what_lies_beside_it(
    vault: Vault, tmp_path: Path, follow: Callable[..., Following]
) -> None:
    """Cursor writes into the write-ahead log first; the database itself may not change for hours."""
    path = tmp_path / "state.vscdb"
    database = sqlite3.connect(path)
    database.execute("CREATE TABLE cursorDiskKV (key TEXT UNIQUE, value BLOB)")
    database.commit()
    database.execute("PRAGMA journal_mode=WAL")
    database.execute("PRAGMA wal_autocheckpoint=0")
    running = follow(path)
    running.wait_for("0 new messages")
    composer = {
        "composerId": "c-1",
        "createdAt": 1764464281000,
        "fullConversationHeadersOnly": [{"bubbleId": "b-1", "type": 1}],
    }
    bubble = {"bubbleId": "b-1", "type": 1, "text": "hello from the editor"}
    rows = [("composerData:c-1", json.dumps(composer)), ("bubbleId:c-1:b-1", json.dumps(bubble))]
    database.executemany("INSERT INTO cursorDiskKV VALUES (?, ?)", rows)
    database.commit()
    running.wait_for("1 new message")
    database.close()
    assert running.end()[0] == 0
    assert stored(vault) == [("user", "hello from the editor")]


def test_what_is_not_there_cannot_be_followed(tmp_path: Path, follow: Callable[..., Following]) -> None:
    """Said at once, not waited for."""
    running = follow(tmp_path / "nothing")
    out, _ = running.process.communicate(timeout=60)
    assert running.process.returncode == 1
    assert json.loads(out)["error"]["code"] == "not_found"
