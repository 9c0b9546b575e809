"""How good the keyword side ranks by itself, on the public sets beside the checkout.

    python tests/bench/keyword_quality.py [autorag] [korquad] [locomo] [locomo-each]

AutoRAG-ko: a page is a note. KorQuAD: a paragraph is a note; the first 1,000 questions, two per paragraph at most.
LoCoMo: a session is a session note, all 272 in one vault, then each question within its conversation. Ranked are
documents, by their best passage.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import sys
import tempfile
import time
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

from wwt_vault.index import Index
from wwt_vault.model.conversation import DocumentId, EventId, Revision, Turn
from wwt_vault.model.knowledge import Document, Filters, Section

SHARED = Path(__file__).resolve().parents[3] / "shared" / "bench"


class Case(NamedTuple):
    """A question and the documents that answer it."""

    question: str
    gold: frozenset[str]
    within: Filters = Filters()


class Set(NamedTuple):
    """Documents and questions about them."""

    documents: dict[DocumentId, Document]
    cases: list[Case]


def page(name: str, text: str) -> Document:
    """Return a page without headings, its title of no help."""
    return Document(
        id=DocumentId(name), revision=Revision(name), layer="page", title="", time=None,
        sections=(Section(heading="", line=1, text=text),),
    )  # fmt: skip


def autorag() -> Set:
    """Korean business documents."""
    folder = SHARED / "autorag-ko"
    rows = [json.loads(line) for line in (folder / "ocr_corpus_v3.jsonl").read_text("utf-8").splitlines()]
    questions = [json.loads(line) for line in (folder / "qa_v4.jsonl").read_text("utf-8").splitlines()]
    return Set(
        {DocumentId(row["doc_id"]): page(row["doc_id"], row["contents"]) for row in rows},
        [Case(row["query"], frozenset(row["retrieval_gt"][0])) for row in questions],
    )


def korquad(most: int = 1000) -> Set:
    """Korean Wikipedia."""
    documents: dict[DocumentId, Document] = {}
    cases: list[Case] = []
    for article in json.loads((SHARED / "korquad" / "KorQuAD_v1.0_dev.json").read_text("utf-8"))["data"]:
        for paragraph in article["paragraphs"]:
            name = f"p{len(documents)}"
            documents[DocumentId(name)] = page(name, paragraph["context"])
            cases += [Case(row["question"], frozenset((name,))) for row in paragraph["qas"][:2]]
    return Set(documents, cases[:most])


def locomo() -> Set:
    """English conversations of weeks."""
    documents: dict[DocumentId, Document] = {}
    cases: list[Case] = []
    for number, talk in enumerate(json.loads((SHARED / "locomo" / "locomo10.json").read_text("utf-8"))):
        for key, said in talk["conversation"].items():
            if re.fullmatch(r"session_\d+", key) and said:
                name = DocumentId(f"{number}-{key}")
                documents[name] = session(name, talk["conversation"][f"{key}_date_time"], said)
        for row in talk["qa"]:
            sessions = {f"{number}-session_{n}" for e in row.get("evidence", ()) for n in re.findall(r"D(\d+):", e)}
            if gold := frozenset(sessions & documents.keys()):
                cases.append(Case(row["question"], gold))
    return Set(documents, cases)


def session(name: DocumentId, date: str, said: list[dict[str, Any]]) -> Document:
    """Return one LoCoMo session as a session note; a picture is its caption."""
    start = datetime(2026, 1, 1, tzinfo=UTC)
    turns = []
    for at, row in enumerate(said):
        caption = f" [image: {row['blip_caption']}]" if row.get("blip_caption") else ""
        turns.append(
            Turn(
                event=EventId(f"20260101T000000Z-{at:012x}"),
                role="assistant" if at % 2 else "user",
                time=start + timedelta(seconds=at),
                line=10 + 3 * at,
                text=f"{row['speaker']}: {row.get('text', '')}{caption}",
            )
        )
    return Document(
        id=name,
        revision=Revision(name),
        layer="session",
        title=f"{date} 2026-01-01",
        time=start,
        turns=tuple(turns),
        project=name.split("-")[0],
    )


def locomo_each() -> Set:
    """LoCoMo with every question asked within its own conversation."""
    documents, cases = locomo()
    return Set(documents, [case._replace(within=Filters(project=min(case.gold).split("-")[0])) for case in cases])


def ranked(index: Index, case: Case) -> list[str]:
    """Return the documents, best first."""
    return list(dict.fromkeys(hit.passage.document for hit in index.keyword(case.question, case.within, 200)))


def measure(index: Index, cases: list[Case]) -> dict[str, float]:
    """Return nDCG@10, R@1 and R@5 (any), the mean share of gold found in 5 and 10, MRR and the median time."""
    sums: Counter[str] = Counter()
    times = []
    for case in cases:
        begun = time.perf_counter()
        places = ranked(index, case)
        times.append(time.perf_counter() - begun)
        found = [at for at, name in enumerate(places) if name in case.gold]
        ideal = sum(1 / math.log2(at + 2) for at in range(min(10, len(case.gold))))
        sums["nDCG@10"] += sum(1 / math.log2(at + 2) for at in found if at < 10) / ideal
        sums["R@1"] += bool(found and found[0] < 1)
        sums["R@5"] += bool(found and found[0] < 5)
        sums["frac@5"] += len([at for at in found if at < 5]) / len(case.gold)
        sums["frac@10"] += len([at for at in found if at < 10]) / len(case.gold)
        sums["MRR"] += 1 / (found[0] + 1) if found else 0
    result = {name: round(value / len(cases), 4) for name, value in sums.items()}
    return {**result, "median ms": round(sorted(times)[len(times) // 2] * 1000, 1)}


SETS = {"autorag": autorag, "korquad": korquad, "locomo": locomo, "locomo-each": locomo_each}


def main() -> None:
    """Build each set and measure it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="*", default=list(SETS), help="default: all")
    for name in parser.parse_args().sets:
        chosen = SETS[name]()
        with tempfile.TemporaryDirectory() as folder:
            index = Index(Path(folder) / "index", lambda: None)
            begun = time.perf_counter()
            report = index.refresh(dict.fromkeys(chosen.documents, "1 1 1 1"), chosen.documents.__getitem__)
            spent = time.perf_counter() - begun
            figures = measure(index, chosen.cases)
        sys.stdout.write(
            f"{name}: {report.documents} documents, {report.passages} passages indexed in {spent:.1f} s,"
            f" {len(chosen.cases)} questions: {figures}\n"
        )


if __name__ == "__main__":
    main()
