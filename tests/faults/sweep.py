"""Kills each write at each of its system calls, and lets each of them fail; prints how often, and what was lost.

Run: ``python -m tests.faults.sweep [--every N] [--thin N] [--json] [OPERATION]…``. ``--every 1`` tries each call that
only reads as well; by default every 5th of them is. ``--thin N`` tries every N-th of all faults: for those in a hurry.
Needs ``strace`` (Linux) and the right to trace one's own processes.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from tests.faults.injection import CHANGES, Fault, calls_of, faults_for, run
from tests.faults.operations import OPERATIONS

__all__ = ["Swept", "sweep"]


class Swept(NamedTuple):
    """What came of one operation."""

    operation: str
    calls: int
    """System calls on files that it makes."""
    changing: int
    """Those of them that change something: all of these are tried."""
    kills: int
    """Runs that were killed."""
    failures: int
    """Runs in which a call failed."""
    survived: int
    """Those of them that reported success all the same: the call did not matter."""
    problems: list[str]
    """What was lost, doubled or half made, and exceptions that nobody expects."""
    seconds: float


def sweep(operation: str, every: int = 5, thin: int = 1) -> Swept:
    """Try every fault on one operation, each in a fresh folder."""
    began = time.monotonic()
    top = Path(tempfile.mkdtemp(dir="/dev/shm" if Path("/dev/shm").is_dir() else None))
    try:
        first = OPERATIONS[operation](_fresh(top))
        outcome = run(first.act, top / "log")
        assert outcome.done, f"{operation} fails without a fault: {outcome}"
        calls = calls_of(top / "log")
        counts = {"kills": 0, "failures": 0, "survived": 0}
        problems: list[str] = []
        for fault in list(faults_for(calls, every=every))[::thin]:
            problems += _try(operation, fault, top, counts)
        changing = sum(count for call, count in calls.items() if call in CHANGES)
        took = time.monotonic() - began
        return Swept(operation, sum(calls.values()), changing, **counts, problems=problems, seconds=round(took, 1))
    finally:
        shutil.rmtree(top, ignore_errors=True)


def _fresh(top: Path) -> Path:
    folder = top / "run"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    return folder


def _try(operation: str, fault: Fault, top: Path, counts: dict[str, int]) -> list[str]:
    attempt = OPERATIONS[operation](_fresh(top))
    outcome = run(attempt.act, top / "log", fault)
    counts["failures" if fault.error else "kills"] += 1
    counts["survived"] += outcome.done and bool(fault.error)
    found = [*attempt.holds(done=outcome.done), *attempt.ends()]
    if outcome.trace:
        found.append(outcome.trace)
    return [f"{operation}, {fault.error or 'killed'} at {fault.call} {fault.when}: {problem}" for problem in found]


def main() -> None:
    """Sweep and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("operation", nargs="*", help=", ".join(OPERATIONS))
    parser.add_argument("--every", type=int, default=5)
    parser.add_argument("--thin", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    swept = [sweep(operation, options.every, options.thin) for operation in options.operation or OPERATIONS]
    if options.json:
        sys.stdout.write(json.dumps([one._asdict() for one in swept]))
    else:
        for one in swept:
            facts = f"{one.calls} calls on files, {one.changing} of them changing; killed {one.kills} times, "
            facts += f"{one.failures} errors injected, {one.survived} without effect"
            sys.stdout.write(f"{one.operation}: {facts}; wrong {len(one.problems)} ({one.seconds} s)\n")
            sys.stdout.writelines(f"  {problem}\n" for problem in one.problems)
        kills, failures = sum(one.kills for one in swept), sum(one.failures for one in swept)
        wrong = sum(len(one.problems) for one in swept)
        sys.stdout.write(
            f"in all: {kills} kill points, {failures} errors injected, lost or doubled or half made: {wrong}\n"
        )
    sys.exit(any(one.problems for one in swept))


if __name__ == "__main__":
    main()
