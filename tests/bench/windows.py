"""What the cut of conversations into passages is worth: other windows, overlaps, sizes, no title, on LoCoMo's dev part.

    python tests/bench/windows.py [--set locomo-told] [--cache FOLDER] ["overlap 0" …]

Of each choice: how many tokens are embedded beside those of the conversations themselves, and what of the gold is
among the first five and ten, by words, by meaning and by both; of ``locomo-told`` turns instead of sessions. Vectors
are kept under ``--cache`` between runs.
"""

from __future__ import annotations

import argparse
from datetime import UTC
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from retrieval import Remembering, its_document, measures, turns_told
from sets import SETS, Case

from wwt_vault.config import Settings, user_folders
from wwt_vault.index import Index, embedding, passages
from wwt_vault.index.embedder import load_embedder
from wwt_vault.model.knowledge import Passage
from wwt_vault.search import search

SHOWN: Final = ("frac@5", "frac@10", "MRR")


class Choice(NamedTuple):
    """How conversations are cut."""

    turns: int = passages._WINDOW_TURNS
    overlap: int = passages._OVERLAP_TURNS
    tokens: int = passages.PASSAGE_TOKENS
    has_title: bool = True


CHOICES: Final = {
    "as it is: 6 turns, overlap 2, 330 tokens": Choice(),
    "overlap 0": Choice(overlap=0),
    "overlap 3": Choice(overlap=3),
    "3 turns, overlap 1": Choice(turns=3, overlap=1),
    "12 turns": Choice(turns=12),
    "160 tokens": Choice(tokens=160),
    "240 tokens": Choice(tokens=240),
    "no title, no date": Choice(has_title=False),
}

_with_title = passages.embedded_texts


def _without_title(passage: Passage) -> tuple[str, ...]:
    return passages._FOOTNOTE.sub("", passage.text), *passage.questions


def main() -> None:
    """Print a row per choice."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("choices", nargs="*", default=list(CHOICES), help="of the first column; default: all")
    parser.add_argument("--set", default="locomo", choices=sorted(SETS))
    parser.add_argument("--cache", type=Path, default=user_folders().cache / "bench")
    arguments = parser.parse_args()
    model = load_embedder(Settings(), in_bulk=True)
    if model is None:
        parser.error("no embedding model is installed")
    remembering = Remembering(model)
    chosen = SETS[arguments.set]()
    documents = chosen.documents
    cases = [case for case in chosen.cases if case.part == "dev" and case.gold]
    now = max((document.time for document in documents.values() if document.time), default=None)
    said = sum(passages.estimate_tokens(turn.text) for document in documents.values() for turn in document.turns)
    print(f"| cut | passages | tokens embedded | {' | '.join(f'{by}: {name}' for by in BY for name in SHOWN)} |")
    print(f"|{' --- |' * (3 + len(BY) * len(SHOWN))}")
    for name in arguments.choices:
        choice = CHOICES[name]
        passages._WINDOW_TURNS, passages._OVERLAP_TURNS = choice.turns, choice.overlap  # type: ignore[misc]
        passages.PASSAGE_TOKENS = choice.tokens  # type: ignore[misc]
        passages.embedded_texts = embedding.embedded_texts = _with_title if choice.has_title else _without_title
        made = [draft.passage for document in documents.values() for draft in passages.drafts(document, UTC)]
        tokens = sum(passages.estimate_tokens(text) for one in made for text in passages.embedded_texts(one))
        index = Index(arguments.cache / "windows-locomo", lambda: remembering)
        index.refresh(dict.fromkeys(documents, "1 1 1 1"), documents.__getitem__, rebuild=True, allow_shrink=True)
        index.embed_pending()
        told = turns_told(chosen, index) if arguments.set == "locomo-told" else its_document(chosen)
        rows: dict[str, list[dict[str, float]]] = {by: [] for by in BY}
        for case in cases:
            for by, found in _answers(index, case, now).items():
                names = (name for one in found for name in told(one, case.question))
                rows[by].append(dict(measures(case, list(dict.fromkeys(names)))))
        index.close()
        cells = [f"{np.mean([row[measure] for row in rows[by]]):.3f}" for by in BY for measure in SHOWN]
        print(f"| {name} | {len(made)} | {tokens / said:.2f} | {' | '.join(cells)} |", flush=True)


BY: Final = ("words", "meaning", "both")


def _answers(index: Index, case: Case, now: Any) -> dict[str, list[Passage]]:
    question, within = case.question, case.within
    return {
        "words": [hit.passage for hit in index.keyword(question, within, 100)],
        "meaning": [hit.passage for hit in index.meaning(question, within, 100) or ()],
        "both": [hit.passage for hit in search(index, question, within, limit=100, now=now, nearest=True).hits],
    }


if __name__ == "__main__":
    main()
