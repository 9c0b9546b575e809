"""What an agent is told against what it costs: the comparison of waggle-mcp's own benchmark, 32 matters, 120 questions.

    python tests/bench/waggle.py [--plot docs/plots/support.svg]

Facts are notes with their label as title. *Hit*: one of the facts that support the answer is told; *exact*: all of them
are. Tokens are waggle's, characters / 4 rounded up. ``words``, ``meaning`` and ``search`` hand over the first k facts
as ``label: content``, ``close`` those of ``search`` that are not far behind the best; ``context`` is the text of
``wiki_get_context`` for a budget, fence, headings, dates and all, and a fact is told where its whole content stands in
it. The published figures of waggle-mcp and of chunks without any choice are for an earlier version with 66 of the
questions.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import numpy as np
from plot import Line, draw
from retrieval import Remembering, interval
from sets import SHARED, page

from wwt_vault import context
from wwt_vault.config import Settings, user_folders
from wwt_vault.index import Index
from wwt_vault.index.embedder import load_embedder
from wwt_vault.model.conversation import DocumentId, Revision
from wwt_vault.model.knowledge import Document
from wwt_vault.search import search

PUBLISHED: Final = (("waggle-mcp, published (66)", 36.9, 0.74), ("all chunks, published (66)", 152.8, 1.0))
CLOSE: Final = 0.4
"""Share of the best score, as ``wiki_get_context`` has it."""
BUDGETS: Final = (60, 80, 100, 150, 200, 300)


def facts() -> tuple[dict[DocumentId, Document], dict[str, str], list[dict[str, Any]]]:
    """Return the facts as notes, what each says, and the questions."""
    data = json.loads((SHARED / "waggle" / "v2" / "comparative_eval.json").read_text("utf-8"))
    documents, texts = {}, {}
    for scenario in data["scenarios"]:
        for fact in scenario["facts"]:
            texts[fact["id"]] = f"{fact['label']}: {fact['content']}"
            documents[DocumentId(fact["id"])] = page(
                fact["id"],
                fact["content"],
                layer="curated",
                title=fact["label"],
                time=datetime.fromisoformat(fact["timestamp"]),
                status="current",
            )
    return documents, texts, data["queries"]


def waggle_tokens(text: str) -> int:
    """Return what waggle counts."""
    return -(-len(text) // 4)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--plot", type=Path, metavar="SVG")
    parser.add_argument("--cache", type=Path, default=user_folders().cache / "bench")
    arguments = parser.parse_args()
    documents, texts, queries = facts()
    model = load_embedder(Settings(), in_bulk=True)
    if model is None:
        parser.error("no embedding model is installed")
    embedder = Remembering(model)
    index = Index(arguments.cache / "waggle", lambda: embedder)
    index.refresh(dict.fromkeys(documents, "1 1 1 1"), documents.__getitem__, rebuild=True, allow_shrink=True)
    index.embed_pending()
    now = max(document.time for document in documents.values() if document.time)
    sources = {
        name: context.Source(title=document.title, revision=Revision("0" * 64), updated=document.time)
        for name, document in documents.items()
    }

    def listed(names: Sequence[str]) -> tuple[set[str], str]:
        once = list(dict.fromkeys(names))
        return set(once), "\n".join(texts[name] for name in once)

    def searched(question: str, limit: int) -> tuple[set[str], str]:
        return listed(
            [hit.passage.document for hit in search(index, question, limit=limit, now=now, nearest=True).hits]
        )

    def close(question: str, limit: int) -> tuple[set[str], str]:
        hits = search(index, question, limit=limit, now=now, nearest=True).hits
        return listed([hit.passage.document for hit in hits if hit.score >= CLOSE * hits[0].score])

    def told(question: str, budget: int) -> tuple[set[str], str]:
        result = search(index, question, limit=16, now=now)
        pack = context.build(
            question,
            result.hits,
            terms=result.asked[0] if result.asked else {},
            sources=sources,
            curated=(),
            budget_tokens=budget,
            zone=UTC,
        )
        plain = " ".join(pack.text.replace("\n> ", " ").split())
        return {name for name, d in documents.items() if " ".join(d.sections[0].text.split()) in plain}, pack.text

    def by_words(question: str, limit: int) -> tuple[set[str], str]:
        return listed([hit.passage.document for hit in index.keyword(question, limit=limit)])

    def by_meaning(question: str, limit: int) -> tuple[set[str], str]:
        return listed([hit.passage.document for hit in index.meaning(question, limit=limit) or ()])

    ways: dict[str, tuple[Callable[[str, int], tuple[set[str], str]], Sequence[int]]] = {
        "words": (by_words, (1, 2, 3, 5)),
        "meaning": (by_meaning, (1, 2, 3, 5)),
        "search": (searched, (1, 2, 3, 5)),
        "close": (close, (2, 3, 4, 5)),
        "context": (told, BUDGETS),
    }
    lines = [Line(name, [(cost, support)], joined=False) for name, cost, support in PUBLISHED]
    print("| by | k or budget | hit | exact | tokens |\n| --- | --- | --- | --- | --- |")
    for name, (way, sizes) in ways.items():
        points = []
        for size in sizes:
            rows = []
            for query in queries:
                found, text = way(query["query"], size)
                gold = set(query["gold_support_ids"])
                rows.append((float(bool(gold & found)), float(gold <= found), waggle_tokens(text)))
            hit, exact, cost = zip(*rows, strict=True)
            print(f"| {name} | {size} | {interval(hit)} | {interval(exact)} | {np.mean(cost):.1f} |")
            points.append((float(np.mean(cost)), float(np.mean(exact))))
        lines.append(Line(name, points))
    if arguments.plot:
        draw(arguments.plot, lines, x="tokens (characters / 4)", y="exact support", ys=(0.0, 1.0))


if __name__ == "__main__":
    main()
