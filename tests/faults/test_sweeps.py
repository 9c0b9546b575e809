"""Killed, or refused by the system, at any of its system calls: no write loses, doubles or half makes anything.

The whole of it is ``python -m tests.faults.sweep --every 1``; here some of the longer ones' faults are left out.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
THIN = {
    "event write": 1,
    "session-note append": 1,
    "queue write": 1,
    "cursor write": 1,
    "note save": 7,
    "index publish": 17,
    "hook of a prompt": 8,
    "hook of an answer": 7,
}
"""Of each, every n-th fault is tried here."""


@pytest.mark.parametrize("operation", THIN)
def test_a_fault_at_any_system_call_loses_and_doubles_nothing(operation: str, strace: str) -> None:
    """What was there stays, what is half made is not seen, and tried again it is there once."""
    command = [sys.executable, "-m", "tests.faults.sweep", "--json", "--thin", str(THIN[operation]), operation]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=300)
    assert run.stdout, run.stderr
    [swept] = json.loads(run.stdout)

    assert swept["problems"] == []
    assert swept["kills"] >= 5
    assert swept["failures"] >= 15
    assert swept["changing"] >= 7
