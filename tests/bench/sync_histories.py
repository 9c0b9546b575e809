"""Random histories of three machines, many of them: ``python tests/bench/sync_histories.py --histories 10000``.

The state machine of ``tests/sync/histories.py``, which tests run 500 times with fixed seeds, here with new ones: agents
and people on three clones, syncs, kills and lost pushes; at the end the three vaults have to be byte-identical, with
every message and every line in them. The first history that fails is made small and shown.
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

from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis.stateful import run_state_machine_as_test

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.sync import histories  # found by the line above


def main() -> None:
    """Run them in as many processes as asked for, and print how many, of what."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--histories", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    options = parser.parse_args()
    steps: Counter[str] = Counter()

    @seed(options.seed)
    class Machines(histories.Histories):
        def teardown(self) -> None:
            """Count, then compare."""
            steps["histories"] += 1
            steps["things written"] += self.count
            steps["syncs"] += len(self.heads) - 1 + 5
            super().teardown()

    with tempfile.TemporaryDirectory(dir=histories.MEMORY) as folder:
        os.environ.setdefault("GIT_CONFIG_GLOBAL", os.devnull)
        Machines.begin = histories.seeds(Path(folder))
        began = time.perf_counter()
        run_state_machine_as_test(
            Machines,
            settings=settings(
                max_examples=options.histories,
                stateful_step_count=14,
                deadline=None,
                database=None,
                suppress_health_check=list(HealthCheck),
                phases=[Phase.generate, Phase.shrink],
            ),
        )
        seconds = time.perf_counter() - began
    told = ", ".join(f"{count} {name}" for name, count in steps.items())
    print(f"seed {options.seed}: {told}, {seconds:.0f} s; nothing was lost")


if __name__ == "__main__":
    main()
