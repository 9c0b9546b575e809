"""Many at once lose and double nothing. The whole of it is ``python -m tests.faults.load``; here it is a small one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked here")
def test_many_at_once_lose_and_double_nothing() -> None:
    """Eight agents in one session and in many; a queue; servers, hooks, a rebuild, an editor and an agent on one vault.

    Every search is answered, no edit and no save is lost, and no message of a lock or of a damaged index is seen.
    """
    command = [
        sys.executable,
        "-m",
        "tests.faults.load",
        "--json",
        "--processes",
        "8",
        "--events",
        "25",
        "--seconds",
        "10",
        "--waiting",
        "200",
    ]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=400)
    assert run.stdout, run.stderr
    found = json.loads(run.stdout)

    assert [(one["lost"], one["doubled"], one["problems"]) for one in found] == [(0, 0, [])] * 4
    assert [one["brought"] for one in found[:3]] == [200, 200, 200]
    assert found[3]["brought"] > 20


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked here")
def test_processes_stopped_with_their_locks_cost_nothing() -> None:
    """Recorder, saver and builder of the index asleep with their locks: others wait, queue or say so; none is lost.

    Here for some seconds; the minute is ``python -m tests.faults.pause``.
    """
    command = [sys.executable, "-m", "tests.faults.pause", "--json", "--seconds", "3"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=400)
    assert run.stdout, run.stderr
    found = json.loads(run.stdout)

    assert (found["lost"], found["doubled"], found["problems"]) == (0, 0, [])
    assert found["waited"] >= 1
    assert found["saves_refused"] >= 1
    assert found["answered"] == found["searches"] >= 1
