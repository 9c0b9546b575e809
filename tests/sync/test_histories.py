"""Three machines, agents and people on each, random syncs, kills and lost pushes: nothing is ever lost."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.sync import histories

SHARES = 10
EACH = 50


@pytest.fixture(scope="module")
def begin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the beginning of every history."""
    return histories.seeds(tmp_path_factory.mktemp("histories"))


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="kills are done to a forked process")
@pytest.mark.parametrize("share", range(SHARES))
def test_all_machines_end_with_the_same_vault_and_everything_in_it(begin: Path, share: int) -> None:
    """500 histories: the three vaults are byte-identical, each message and each line is there, no citation dangles."""

    run(share, begin, moving=False)


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="kills are done to a forked process")
def test_messages_that_move_between_folders_are_lost_on_no_machine(begin: Path) -> None:
    """50 histories in which each machine may move the messages, or die while it does; the last folder has them all."""
    run(SHARES, begin, moving=True)


def run(share: int, start: Path, *, moving: bool) -> None:
    """Run histories with the seed ``share``."""

    @seed(share)
    class Machines(histories.Histories):
        pass

    Machines.begin, Machines.moving = start, moving
    run_state_machine_as_test(
        Machines,
        settings=settings(
            max_examples=EACH,
            stateful_step_count=14,
            deadline=None,
            database=None,
            suppress_health_check=list(HealthCheck),
            phases=[Phase.generate],  # a failure tells its steps by itself: to shrink it takes minutes
            print_blob=True,
        ),
    )
