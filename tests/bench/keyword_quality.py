"""How good the keyword side ranks by itself with other constants, each changed alone, on the dev parts.

    python tests/bench/keyword_quality.py [locomo autorag-ko korquad bilingual-more] [--part held-out] [--most 300]

nDCG@10 and MRR of documents, by their best passage, for ``ranking.DEFAULT`` and for each change of it. What the sets
cannot tell is left out: none of them has headings, tags or many titles.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import Final

import numpy as np
from retrieval import measures
from sets import SETS

from wwt_vault.index import Index
from wwt_vault.index.analysis import ask
from wwt_vault.index.ranking import DEFAULT, best, candidates, score

SETS_ASKED: Final = ("locomo", "autorag-ko", "korquad", "bilingual-more")
CHANGES: Final[dict[str, tuple[float, ...]]] = {
    "k1": (0.8, 1.0, 1.5, 2.0),
    "length": (0.4, 0.5, 0.75, 0.9),
    "short_length": (0.0, 0.6),
    "title": (0.0, 0.5, 2.0),
    "document": (0.0, 0.5, 1.5),
    "grams": (0.0, 0.08, 0.3, 0.5),
    "variants": (0.25, 0.75, 1.0),
    "also": (0.4, 1.0),
}


def measured(name: str, part: str, most: int) -> tuple[int, dict[tuple[str, float], tuple[float, float]]]:
    """Return how many questions of a set were asked, and nDCG@10 and MRR by what was changed to what."""
    chosen = SETS[name]()
    documents = chosen.documents
    cases = [case for case in chosen.cases if case.part == part and case.gold]
    cases = cases[:: max(1, len(cases) // most)]
    found: dict[tuple[str, float], tuple[float, float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        index = Index(Path(folder), lambda: None)
        index.refresh(dict.fromkeys(documents, "1 1 1 1"), documents.__getitem__)
        searcher = index._current()
        assert searcher is not None
        reader, rows = searcher.generation.lexical, searcher.generation.rows
        everything = candidates(reader, rows, (), None, None)
        asked = [searcher._synonyms.expanded(ask(case.question), case.question) for case in cases]
        for key, value in (("", 0.0), *((key, value) for key, values in CHANGES.items() for value in values)):
            parameters = DEFAULT._replace(**{key: value}) if key else DEFAULT
            ranks = []
            for case, question in zip(cases, asked, strict=True):
                scores = score(reader, rows, question, parameters).scores
                at = best(scores, rows, everything & (scores > 0), 100)
                names = list(dict.fromkeys(chosen.original(searcher.passage(int(row)).document) for row in at))
                ranks.append(dict(measures(case, names)))
            found[key, value] = tuple(float(np.mean([rank[name] for rank in ranks])) for name in ("nDCG@10", "MRR"))
        index.close()
    return len(cases), found


def main() -> None:
    """Print a row per change."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", default=list(SETS_ASKED), help=f"default: {' '.join(SETS_ASKED)}")
    parser.add_argument("--part", choices=("dev", "held-out"), default="dev")
    parser.add_argument("--most", type=int, default=300, help="questions of each set")
    arguments = parser.parse_args()
    columns = {name: measured(name, arguments.part, arguments.most) for name in arguments.sets}
    print(f"| constant | {' | '.join(f'{name}, {count}' for name, (count, _) in columns.items())} |")
    print(f"|{' --- |' * (1 + len(columns))}")
    for key, value in next(iter(columns.values()))[1]:
        name = f"`{key}` {value} ({getattr(DEFAULT, key)})" if key else "as they are"
        cells = [" / ".join(f"{number:.3f}" for number in found[key, value]) for _, found in columns.values()]
        print(f"| {name} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
