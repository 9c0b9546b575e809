"""How well the right texts are found: by words, by meaning, and by both together as ``search`` joins them.

    python tests/bench/retrieval.py bilingual [locomo locomo-turns autorag-ko korquad jsquad xquad] [--part dev]

Prints a table per set: each measure with its 95 % bootstrap interval over questions, by part and by kind of question,
and the time of a question. Vectors are kept between runs under ``--cache`` (default: the user's cache folder), so that
only the first run of a set embeds it. Ranked are documents, by their best passage.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from sets import SETS, Case, Set

from wwt_vault.config import Settings, user_folders
from wwt_vault.index import Index
from wwt_vault.index.embedder import load_embedder
from wwt_vault.search import search

ROWS: Final = ("words", "meaning", "fused")
_DEPTH: Final = 100
_SAMPLES: Final = 1000


class Answer(NamedTuple):
    """What one way of searching answered."""

    documents: list[str]
    found: bool
    seconds: float


def open_set(name: str, cache: Path) -> tuple[Set, Index]:
    """Return a set and its index, embedded."""
    chosen = SETS[name]()
    embedder = load_embedder(Settings())
    index = Index(cache / name, lambda: embedder)
    index.refresh(
        dict.fromkeys(chosen.documents, "1 1 1 1"), chosen.documents.__getitem__, rebuild=True, allow_shrink=True
    )
    index.embed_pending(progress=lambda done, total: print(f"\r{name}: {done}/{total}", end="", file=sys.stderr))
    return chosen, index


def ways(index: Index, now: Any) -> dict[str, Callable[[Case], tuple[list[str], bool]]]:
    """Return each way of searching as a function from a question to documents and whether there is an answer."""

    def by_words(case: Case) -> tuple[list[str], bool]:
        return [hit.passage.document for hit in index.keyword(case.question, case.within, _DEPTH)], True

    def by_meaning(case: Case) -> tuple[list[str], bool]:
        return [hit.passage.document for hit in index.meaning(case.question, case.within, _DEPTH) or ()], True

    def fused(case: Case) -> tuple[list[str], bool]:
        result = search(index, case.question, case.within, limit=_DEPTH, now=now, nearest=True)
        return [hit.passage.document for hit in result.hits], result.found

    return {"words": by_words, "meaning": by_meaning, "fused": fused}


def ask(way: Callable[[Case], tuple[list[str], bool]], case: Case, drop: bool) -> Answer:
    """Ask one question; with ``drop`` what is to be avoided is left out of the ranking."""
    begun = time.perf_counter()
    documents, found = way(case)
    spent = time.perf_counter() - begun
    once = dict.fromkeys(name for name in documents if not (drop and name in case.avoid))
    return Answer(list(once), found, spent)


def measures(case: Case, documents: Sequence[str]) -> Iterator[tuple[str, float]]:
    """Yield every measure of one question."""
    places = [at for at, name in enumerate(documents) if name in case.gold]
    ideal = sum(1 / math.log2(at + 2) for at in range(min(10, len(case.gold))))
    yield "nDCG@10", sum(1 / math.log2(at + 2) for at in places if at < 10) / ideal
    yield "R@1", float(bool(places and places[0] < 1))
    yield "R@5", float(bool(places and places[0] < 5))
    yield "R@10", float(bool(places and places[0] < 10))
    for depth in (5, 10):
        share = len([at for at in places if at < depth]) / len(case.gold)
        yield f"frac@{depth}", share
        yield f"all@{depth}", float(share == 1)
    yield "MRR", 1 / (places[0] + 1) if places else 0.0
    if case.avoid:
        other = next((at for at, name in enumerate(documents) if name in case.avoid), len(documents))
        yield "before the other", float(bool(places and places[0] < other))


def interval(values: Sequence[float]) -> str:
    """Return a mean and its 95 % bootstrap interval."""
    array = np.array(values)
    picks = np.random.default_rng(0).integers(0, len(array), (_SAMPLES, len(array)))
    low, high = np.percentile(array[picks].mean(axis=1), (2.5, 97.5))
    return f"{array.mean():.3f} [{low:.3f}, {high:.3f}]"


SHOWN: Final = {
    "locomo": ("frac@5", "frac@10", "R@5", "R@10", "all@10", "MRR"),
    "locomo-turns": ("frac@5", "frac@10", "R@10", "all@10", "MRR"),
    "bilingual": ("R@1", "R@5", "MRR", "before the other"),
}


def run(name: str, cache: Path, parts: Sequence[str], rows: Sequence[str]) -> None:
    """Measure one set and print it."""
    chosen, index = open_set(name, cache)
    now = max((d.time for d in chosen.documents.values() if d.time), default=None)
    cases = [case for case in chosen.cases if case.part in parts]
    figures: dict[tuple[str, str, str], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    refused: dict[tuple[str, str], list[bool]] = defaultdict(list)
    for row, way in ways(index, now).items():
        if row not in rows:
            continue
        seconds = []
        for case in cases:
            answer = ask(way, case, drop=name == "xquad")
            seconds.append(answer.seconds)
            refused[case.part, "answer" if case.gold else "none"] += [not answer.found] if row == "fused" else []
            if case.gold:
                for measure, value in measures(case, answer.documents):
                    for kind in {case.kind, "all"}:
                        figures[case.part, kind, row][measure].append(value)
        p50, p95 = np.percentile(np.array(seconds) * 1000, (50, 95))
        print(f"{name}, {row}: {p50:.1f} ms median, {p95:.1f} ms p95", file=sys.stderr)
    shown = SHOWN.get(name, ("nDCG@10", "R@1", "R@5", "R@10", "MRR"))
    print(f"\n### {name}\n\n| part | kind | n | by | {' | '.join(shown)} |\n|{' --- |' * (len(shown) + 4)}")
    for (part, kind, row), values in sorted(figures.items(), key=lambda item: (*item[0][:2], ROWS.index(item[0][2]))):
        cells = [interval(values[measure]) if values.get(measure) else "" for measure in shown]
        print(f"| {part} | {kind} | {len(values['R@1'])} | {row} | {' | '.join(cells)} |")
    for part in parts:
        if refused[part, "none"]:
            wrong = 1 - np.mean(refused[part, "none"])
            missed = np.mean(refused[part, "answer"])
            print(
                f"\n{part}: found something for {wrong:.0%} of the questions without an answer; "
                f"nothing for {missed:.1%} of those with one"
            )


def main() -> None:
    """Measure the sets that are named."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("sets", nargs="+", choices=sorted(SETS))
    parser.add_argument("--part", choices=("dev", "held-out"), action="append")
    parser.add_argument("--row", choices=ROWS, action="append")
    parser.add_argument("--cache", type=Path, default=user_folders().cache / "bench")
    arguments = parser.parse_args()
    for name in arguments.sets:
        run(name, arguments.cache, arguments.part or ("dev", "held-out"), arguments.row or ROWS)


if __name__ == "__main__":
    main()
