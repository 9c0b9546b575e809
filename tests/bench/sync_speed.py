"""What a sync of one new session costs, beside what git alone takes: ``python tests/bench/sync_speed.py``.

Two clones of one vault of 100,000 events and 5,000 notes, each with a bare repository of its own. In turns, the same
new session (12 messages and their note) is sent from the one by ``git status && git add -A && git commit && git push``
and from the other by what ``wwt sync`` does. The processor time of all programs that either starts counts, and the time
on the clock; a fetch, which git alone is spared here, is counted for sync.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from contextlib import nullcontext
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from wwt_vault import sync as syncing
from wwt_vault.model.conversation import Message, Session
from wwt_vault.sync import Machine
from wwt_vault.vault import Vault, creation, events, layout, open_vault, sessions

BEGAN = datetime(2026, 1, 1, tzinfo=UTC)
ENVIRON = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}


class Cost(NamedTuple):
    """Seconds."""

    processor: float
    clock: float


def measured(call: Callable[[], object]) -> Cost:
    """Return what a call and all that it starts cost."""
    before, began = _processor(), time.perf_counter()
    call()
    return Cost(_processor() - before, time.perf_counter() - began)


def _processor() -> float:
    found = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in found)


def git(folder: Path, *arguments: str) -> None:
    """Run git as a person does."""
    who = ("-c", "user.name=Minji", "-c", "user.email=minji@example.org")
    subprocess.run(["git", *who, *arguments], cwd=folder, env=ENVIRON, check=True, capture_output=True)


def say(vault: Vault, number: int, messages: int) -> None:
    """Record a session of its own."""
    session = Session(host="claude-code", session_id=f"{number:08x}-0000-4000-8000-000000000000", cwd="/src/shop")
    begun = BEGAN + timedelta(minutes=20 * number)
    note = sessions.create_session_note(vault, session, "shop", "laptop", begun)
    found = []
    for turn in range(messages):
        text = f"Turn {turn} of session {number}: what shall we do about the order of things? {number * 7919 % 9973}"
        message = Message(session=session, role="user", text=text, time=begun + timedelta(seconds=turn))
        found.append(events.event_of(message, 1))
        events.write_event(vault, found[-1])
    sessions.append_events(vault, note, found)


def make(root: Path, count: int, notes: int) -> Vault:
    """Write a vault quickly: files as the program writes them, without waiting for a disk."""
    vault = creation.create_vault(root, timezone="Asia/Seoul")
    each = 20
    for number in range(count // each):
        session = Session(host="claude-code", session_id=f"{number:08x}-1111-4000-8000-000000000000", cwd="/src/shop")
        begun = BEGAN + timedelta(minutes=20 * number)
        blocks = []
        for turn in range(each):
            text = f"Turn {turn} of {number}: {number * 7919 % 9973} {turn * 104729 % 7919}"
            event = events.event_of(Message(session=session, role="user", text=text, time=begun), 1)
            place = root / layout.event_path(event.id)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(events.to_json(event))
            blocks.append(sessions.render_event(event, vault.zone, begun.date()))
        path = sessions.create_session_note(vault, session, "shop", "laptop", begun)
        with path.open("ab") as file:
            file.write(b"".join(blocks))
    for number in range(notes):
        place = root / layout.KNOWLEDGE / f"{number % 50:02}" / f"Note {number}.md"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(f"---\nid: n-{number}\ntype: topic\n---\n\n## Facts\n\n- {number}\n" + "Some text.\n" * 40)
    return vault


def begin(folder: Path, name: str, made: Path) -> tuple[Path, Path]:
    """Return a copy of the vault and the repository that it was pushed to."""
    root, remote = folder / name, folder / f"{name}.git"
    shutil.copytree(made, root)
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", str(remote)], check=True, env=ENVIRON)
    git(root, "init", "-q", "-b", "main")
    git(root, "remote", "add", "origin", str(remote))
    for place in (root, remote):
        git(place, "config", "gc.auto", "0")
        git(place, "config", "maintenance.auto", "false")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "begin")
    git(root, "push", "-qu", "origin", "main")
    git(root, "gc", "-q")
    return root, remote


def alone(root: Path) -> None:
    """Send what changed by git alone."""
    git(root, "status", "--porcelain")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "one session")
    git(root, "push", "-q")


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, default=100_000)
    parser.add_argument("--notes", type=int, default=5_000)
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--folder", type=Path, help="where the vaults are made")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        folder = Path(name)
        make(folder / "made", options.events, options.notes)
        by_git, _ = begin(folder, "by-git", folder / "made")
        by_sync, _ = begin(folder, "by-sync", folder / "made")
        vaults = open_vault(by_git), open_vault(by_sync)
        machine = Machine(name="laptop", environ=ENVIRON, locks=folder / "locks", hold=lambda *_: nullcontext())
        ways: dict[str, Callable[[], object]] = {
            "git status, add, commit, push": lambda: alone(by_git),
            "wwt sync": lambda: syncing.sync(vaults[1], machine, datetime.now(UTC)),
        }
        costs: dict[str, list[Cost]] = {way: [] for way in (*ways, "wwt sync, nothing new")}
        for run in range(options.runs + 1):
            for vault in vaults:
                say(vault, 1_000_000 + run, 12)
            for way, call in ways.items():
                costs[way].append(measured(call))
            costs["wwt sync, nothing new"].append(measured(ways["wwt sync"]))
        print(f"{options.events} events, {options.notes} notes, {options.runs} runs (the first one not counted)\n")
        print("| | processor, median | clock, median |\n| --- | --- | --- |")
        medians = {}
        for way, found in costs.items():
            medians[way] = Cost(*(statistics.median(values) for values in zip(*found[1:], strict=True)))
            print(f"| {way} | {medians[way].processor:.2f} s | {medians[way].clock:.2f} s |")
        one, other = medians["wwt sync"], medians["git status, add, commit, push"]
        print(f"\nratio: {one.processor / other.processor:.2f} (processor), {one.clock / other.clock:.2f} (clock)")


if __name__ == "__main__":
    main()
