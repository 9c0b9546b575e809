"""Processes that are stopped while they hold a lock (a laptop that sleeps, a debugger): prints what the others did.

Run: ``python -m tests.faults.pause [--seconds 60] [--json]``. Three processes work: one records prompts of a session,
one saves a note again and again, one builds the index. Each is stopped (``SIGSTOP``) at a moment in which it holds its
lock: the session's, that of the notes, the index's. For so many seconds others go on: prompts of that session and of
another, saves, searches. Then the three are woken, and what was said is counted.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, NamedTuple

from filelock import FileLock, Timeout

from tests.faults.load import counted, fresh_vault, prompt
from wwt_vault.errors import LockTimeout, WwtError
from wwt_vault.ingest import live, queue, remembered
from wwt_vault.operations import freshness, recall
from wwt_vault.operations.workspace import open_workspace
from wwt_vault.state import state_for
from wwt_vault.vault import Vault, events, files, notes

__all__ = ["Paused", "paused"]

START = datetime(2026, 11, 30, 1, 0, tzinfo=UTC)
_HELD = "held"


class Paused(NamedTuple):
    """What came of it."""

    seconds: float
    """For how long three processes were stopped, each with its lock."""
    prompts: int
    waited: int
    """Prompts that went into the queue meanwhile, each with its reason."""
    slowest_prompt: float
    """Seconds."""
    saves_refused: int
    """Each said who holds the lock and that it can be tried again."""
    searches: int
    answered: int
    lost: int
    doubled: int
    problems: list[str]


@dataclass
class _Meanwhile:
    """What the others did."""

    rounds: int = 0
    slowest: float = 0.0
    refused: int = 0
    searches: int = 0
    answered: int = 0
    problems: list[str] = field(default_factory=list)


def _recording(until: Any, told: Any) -> None:
    number = 0
    while not until.is_set():
        prompt(_HELD, f"holder says {number}", START + timedelta(seconds=number))
        number += 1
    told.put(("prompts", number))


def _saving(vault: Vault, locks: Path, event: str, until: Any, told: Any) -> None:
    number, revision = 0, None
    while not until.is_set():
        body = f"## Facts\n- fact {number} [^{event}]"
        saved = notes.save_note(
            vault, note="Held", body=body, revision=revision, written_by="x", at=START, type="topic", locks=locks
        )
        number, revision = number + 1, saved.revision
    told.put(("saves", number))


def _building(until: Any, told: Any) -> None:
    number, workspace = 0, open_workspace()
    while not until.is_set():
        freshness.refresh(workspace, seconds=None, rebuild=True)
        number += 1
    told.put(("rebuilds", number))


def _stopped_with(process: BaseProcess, lock: Callable[[], AbstractContextManager[object]]) -> None:
    """Stop the process at a moment in which it holds the lock."""
    assert process.pid is not None
    dice = random.Random(process.pid)
    for _ in range(10_000):
        os.kill(process.pid, signal.SIGSTOP)
        try:
            with lock():
                pass
        except (LockTimeout, Timeout):
            return
        os.kill(process.pid, signal.SIGCONT)
        time.sleep(dice.uniform(0, 0.02))
    raise RuntimeError("it was never met with its lock")


def paused(seconds: float) -> Paused:
    """Stop three holders for so long, and count."""
    with tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as folder:
        vault = fresh_vault(Path(folder))
        state = state_for(vault)
        prompt("first", "We deploy with Kamal.", START)
        [event] = [str(event) for event in events.event_ids(vault)]
        workspace = open_workspace()
        recall.search(workspace, "Kamal")
        context = multiprocessing.get_context("fork")
        until, told = context.Event(), context.Queue()
        recording = context.Process(target=_recording, args=(until, told))
        saving = context.Process(target=_saving, args=(vault, state.locks, event, until, told))
        building = context.Process(target=_building, args=(until, told))
        running = (recording, saving, building)
        for process in running:
            process.start()
        time.sleep(0.5)  # they have begun
        try:
            _stopped_with(recording, lambda: remembered.hold(state, "claude-code", _HELD, 0))
            _stopped_with(saving, lambda: files.lock(state.locks / "notes", 0))
            _stopped_with(building, lambda: FileLock(workspace.index.folder / "refresh.lock", timeout=0))
            began = time.monotonic()
            did = _meanwhile(vault, state.locks, seconds)
            slept = time.monotonic() - began
        finally:
            until.set()
            for process in running:
                os.kill(process.pid or 0, signal.SIGCONT)
        counts = dict(told.get(timeout=120) for _ in running)
        for process in running:
            process.join()
        reasons = [item.reason for item in queue.list_items()]
        problems = [f"waits without a reason: {reason!r}" for reason in reasons if "LockTimeout" not in reason]
        live.retry(vault, state, datetime.now(UTC) + timedelta(days=9))
        wanted = Counter({"We deploy with Kamal.": 1})
        wanted.update(f"holder says {at}" for at in range(counts["prompts"]))
        wanted.update(f"{session} is told {at}" for session in (_HELD, "free") for at in range(did.rounds))
        found = counted("paused", vault, wanted, len(reasons), problems)
        if f"- fact {counts['saves'] - 1} " not in notes.read_note(vault, "Held").text:
            problems.append("the last save is not in its note")
        if not recall.search(open_workspace(), f"holder says {counts['prompts'] - 1}")["found"]:
            problems.append("what was said last is not found")
        return Paused(
            seconds=round(slept, 1),
            prompts=sum(wanted.values()),
            waited=len(reasons),
            slowest_prompt=round(did.slowest, 2),
            saves_refused=did.refused,
            searches=did.searches,
            answered=did.answered,
            lost=found.lost,
            doubled=found.doubled,
            problems=found.problems + did.problems,
        )


def _meanwhile(vault: Vault, locks: Path, seconds: float) -> _Meanwhile:
    """Go on with the same vault while the three are stopped: prompts, saves and searches side by side."""
    ends, did = time.monotonic() + seconds, _Meanwhile()

    def say() -> None:
        while time.monotonic() < ends:
            for session in (_HELD, "free"):
                began = time.monotonic()
                prompt(session, f"{session} is told {did.rounds}", datetime.now(UTC))
                did.slowest = max(did.slowest, time.monotonic() - began)
            did.rounds += 1

    def save() -> None:
        while time.monotonic() < ends:
            try:
                notes.save_note(vault, note="Other", body="- x", revision=None, written_by="y", at=START, locks=locks)
                did.problems.append("a save went past a lock that is held")
            except LockTimeout as error:
                did.refused += "Try again" in str(error)
            except WwtError as error:
                did.problems.append(f"save: {error}")

    def search() -> None:
        while time.monotonic() < ends:
            did.answered += bool(recall.search(open_workspace(), "Kamal")["found"])
            did.searches += 1

    with ThreadPoolExecutor() as threads:
        for done in [threads.submit(act) for act in (say, save, search)]:
            done.result()
    return did


def main() -> None:
    """Pause and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    found = paused(options.seconds)
    if options.json:
        sys.stdout.write(json.dumps(found._asdict()))
    else:
        sys.stdout.writelines(f"{name}: {value}\n" for name, value in found._asdict().items())
    sys.exit(bool(found.lost or found.doubled or found.problems or found.answered < found.searches))


if __name__ == "__main__":
    main()
