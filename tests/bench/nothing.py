"""Does search know when there is nothing? Each vault is asked its own questions and those of other sets.

    python tests/bench/nothing.py [updates bilingual …] [--part dev] [--most 120]

Of each vault: how many of its own questions are refused, and for how many of each other set something is found, with
the limit as it is and with one that refuses a twentieth of the vault's own; AUC is how often the evidence for one of
its own is more than for one of the others. Questions of sets of one kind are the hard ones: the bilingual set,
``updates`` and the paraphrases are all of developers, and some of their questions could as well be another's.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray
from retrieval import open_set
from sets import SETS

from wwt_vault.config import user_folders
from wwt_vault.index import Index
from wwt_vault.model.knowledge import Filters
from wwt_vault.search.candidates import gather, surplus, weigh_evidence

VAULTS: Final = ("updates", "bilingual", "paraphrases", "locomo", "korquad", "autorag-ko")


def questions(name: str, part: str, most: int) -> list[str]:
    """Return questions of a set that have an answer in it, picked at random but always the same."""
    asked = [case.question for case in SETS[name]().cases if case.part == part and case.gold]
    random.Random(3).shuffle(asked)
    return asked[:most]


def surpluses(index: Index, asked: Sequence[str]) -> NDArray[np.float64]:
    """Return for each question by how much the evidence is more than what an answer needs."""
    passages, found = index.status().passages, []
    for question in asked:
        candidates, terms, has_meaning = gather(index, question, Filters())
        weigh_evidence(candidates)
        found.append(surplus(candidates, terms, passages, has_meaning))
    return np.array(found)


def main() -> None:
    """Ask and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("vaults", nargs="*", default=VAULTS, metavar="vault", help=f"default: {' '.join(VAULTS)}")
    parser.add_argument("--part", choices=("dev", "held-out"), default="dev")
    parser.add_argument("--most", type=int, default=120)
    parser.add_argument("--cache", type=Path, default=user_folders().cache / "bench")
    options = parser.parse_args()
    print("| vault | passages | own refused | asked of it | found something | if .05 were refused | AUC |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for vault in options.vaults:
        _, index, _ = open_set(vault, options.cache)
        own = surpluses(index, questions(vault, options.part, 300))
        limit = float(np.quantile(own, 0.05))
        for other in VAULTS:
            if other == vault or not (asked := questions(other, options.part, options.most)):
                continue
            theirs = surpluses(index, asked)
            more = (own[:, None] > theirs) + 0.5 * (own[:, None] == theirs)
            cells = (index.status().passages, f"{np.mean(own < 0):.3f}", other)
            shares = f"{np.mean(theirs >= 0):.2f} | {np.mean(theirs >= limit):.2f} | {more.mean():.3f}"
            print(f"| {vault} | {' | '.join(map(str, cells))} | {shares} |", flush=True)


if __name__ == "__main__":
    main()
