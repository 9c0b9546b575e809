"""Random histories of three machines, many of them: ``python tests/bench/sync_histories.py --histories 10000``.

The state machine of ``tests/sync/histories.py``, which tests run 500 times with fixed seeds, here with new ones: agents
and people on three clones, syncs, kills and lost pushes; at the end the three vaults have to be byte-identical, with
every message and every line in them. They run in groups, each with a seed of its own, counted up from ``--seed``; what
happened in a group is printed when it is done. The steps of the first history that fails are shown.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import ClassVar

from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis.stateful import run_state_machine_as_test

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.sync import histories  # found by the line above


def main() -> None:
    """Run group after group, and print how many histories, of what."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--histories", type=int, default=10_000)
    parser.add_argument("--group", type=int, default=500, help="histories with one seed")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    options = parser.parse_args()
    total: Counter[str] = Counter()
    with tempfile.TemporaryDirectory(dir=histories.MEMORY) as folder:
        os.environ.setdefault("GIT_CONFIG_GLOBAL", os.devnull)
        begin = histories.seeds(Path(folder))
        for number, done in enumerate(range(0, options.histories, options.group)):
            began = time.perf_counter()
            tally = run(begin, options.seed + number, min(options.group, options.histories - done))
            tell(f"seed {options.seed + number}", tally, time.perf_counter() - began)
            total += tally
        tell("in all", total, time.process_time() + sum(os.times()[2:4]))


def run(folder: Path, number: int, count: int) -> Counter[str]:
    """Run ``count`` histories with the seed ``number``; return what happened in them."""

    @seed(number)
    class Machines(histories.Histories):
        begin = folder
        tally: ClassVar[Counter[str]] = Counter()

    run_state_machine_as_test(
        Machines,
        settings=settings(
            max_examples=count,
            stateful_step_count=14,
            deadline=None,
            database=None,
            suppress_health_check=list(HealthCheck),
            phases=[Phase.generate],  # a failure tells its steps by itself: to shrink it takes minutes
            print_blob=True,
        ),
    )
    return Machines.tally


def tell(what: str, tally: Counter[str], seconds: float) -> None:
    """Print a line."""
    counts = ", ".join(f"{tally[name]} {name}" for name in sorted(tally))
    print(f"{what}: {counts}; {seconds:.0f} s; nothing was lost", flush=True)


if __name__ == "__main__":
    main()
