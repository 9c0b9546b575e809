"""How well the right sessions are found in LongMemEval's haystacks, each haystack a vault of its own.

    python tests/bench/longmemeval.py longmemeval_s.json
    LONGMEMEVAL=longmemeval_s.json python tests/bench/longmemeval.py --most 50 --turns user

Of Wu et al., "LongMemEval: Benchmarking Chat Assistants on Long-Term Interactive Memory" (2024). Its file is not part
of this project. Every session is a session note of its date, every question is asked on its own date. Ranked are
sessions, by their best passage. Each haystack is indexed twice: with the user's turns only, as the paper does, and with
all turns. Questions of abstention (``_abs``) have no answer and no recall: of them counts how many find something.

Measures are those of upstream's ``src/retrieval/eval_utils.py``: whether any of the sessions with evidence, or all of
them, are among the first k, and NDCG@k, whose discount leaves ranks 1 and 2 alike:

    dcg = rel[0] + sum(rel[i] / log2(i + 1) for i from 1 to k - 1)
    NDCG@k = dcg of the first k / dcg of the best order

``all`` has every question but those of abstention; ``user's evidence`` only those with evidence in a turn of the
user's, with the sessions of such turns alone, as upstream averages (``src/retrieval/run_retrieval.py``).
Vectors are kept by their text under ``--cache``, for all haystacks together: the first run of a file embeds it.

    words      the keyword side alone
    meaning    the meaning side alone
    fused      what ``search`` answers
"""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import numpy as np
from retrieval import Figures, Kept, ask, evenly, fill, sides, table
from sets import Case, session

from wwt_vault.config import Settings, user_folders
from wwt_vault.index import Index
from wwt_vault.index.embedder import load_embedder
from wwt_vault.model.conversation import DocumentId
from wwt_vault.model.knowledge import Document

MISSING: Final = """\
LongMemEval is not here: {}.
Get longmemeval_s.json from its authors (https://github.com/xiaowu0162/LongMemEval, under Data) and name it as the
argument or in the environment variable LONGMEMEVAL."""
TURNS: Final = {"user": ("user",), "all": ("user", "assistant")}
SHOWN: Final = tuple(f"{name}@{k}" for name in ("recall_any", "recall_all", "NDCG") for k in (5, 10))
Question = dict[str, Any]
"""A row of the file, checked."""


def read(path: Path) -> list[Question]:
    """Return the questions of a file. Ends the program, saying what to do, if it is not there or of another shape."""
    other = f"{path} is not LongMemEval's file, or not whole; what is read is longmemeval_s.json as its authors have it"
    try:
        rows = json.loads(path.read_text("utf-8"))
    except OSError as error:
        sys.exit(MISSING.format(f"{path} cannot be read ({error.strerror})"))
    except ValueError as error:
        sys.exit(f"{other}: it is no JSON ({error}).")
    if not isinstance(rows, list) or not rows:
        sys.exit(f"{other}: it is no list of questions.")
    for at, row in enumerate(rows, 1):
        try:
            check(row)
        except KeyError as error:
            sys.exit(f"{other}: question {at} has no {error}.")
        except (TypeError, ValueError, AttributeError) as error:
            sys.exit(f"{other}: question {at} has other fields ({error}).")
    return rows


def check(row: Question) -> None:
    """Raise ``KeyError``, ``TypeError``, ``ValueError`` or ``AttributeError`` unless ``row`` is a question."""
    names = row["haystack_session_ids"]
    if not len(names) == len(row["haystack_dates"]) == len(row["haystack_sessions"]):
        raise ValueError("sessions, their ids and their dates are not as many")
    for date in (row["question_date"], *row["haystack_dates"]):
        moment(date)
    for turn in (turn for turns in row["haystack_sessions"] for turn in turns):
        if turn["role"] not in TURNS["all"] or not isinstance(turn["content"], str):
            raise ValueError(f"a turn of {turn['role']!r}, or without text")
    if not all(isinstance(row[name], str) for name in ("question_id", "question_type", "question")):
        raise TypeError("its id, type or question is no text")
    if not abstention(row) and not set(row["answer_session_ids"]) & set(names):
        raise ValueError("none of answer_session_ids is in the haystack")


def abstention(question: Question) -> bool:
    """Return whether nothing in the haystack answers it."""
    return bool(question["question_id"].endswith("_abs"))


def moment(date: str) -> datetime:
    """Read a date like ``2023/05/30 (Tue) 23:40``. Raises ``ValueError``."""
    return datetime.strptime(date, "%Y/%m/%d (%a) %H:%M").replace(tzinfo=UTC)


def vault(question: Question, turns: str) -> dict[DocumentId, Document]:
    """Return the haystack's sessions as notes, by their place: their own ids tell which ones have the answer."""
    notes = {}
    for at, (date, talk) in enumerate(zip(question["haystack_dates"], question["haystack_sessions"], strict=True)):
        kept = [turn for turn in talk if turn["role"] in TURNS[turns]]
        said, roles = ([turn[field] for turn in kept] for field in ("content", "role"))
        notes[DocumentId(str(at))] = session(str(at), date, moment(date), said, roles)
    return notes


def golds(question: Question) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield each kind that a question counts among, and the sessions that answer it there."""
    if not abstention(question):
        gold = frozenset(question["answer_session_ids"])
        yield question["question_type"], gold
        yield "all", gold
        talks = zip(question["haystack_session_ids"], question["haystack_sessions"], strict=True)
        said = {name for name, talk in talks for turn in talk if turn["role"] == "user" and turn.get("has_answer")}
        if gold & said:
            yield "user's evidence", gold & said


def dcg(gains: Sequence[float]) -> float:
    """Return the discounted gain as upstream has it (see above)."""
    return sum(gain / math.log2(max(2, at + 1)) for at, gain in enumerate(gains))


def measures(gold: frozenset[str], sessions: Sequence[str]) -> Iterator[tuple[str, float]]:
    """Yield every measure of one question, for the ids of sessions in order, each once."""
    for k in (5, 10):
        gains = [float(name in gold) for name in sessions[:k]]
        yield f"recall_any@{k}", float(any(gains))
        yield f"recall_all@{k}", float(sum(gains) == len(gold))
        yield f"NDCG@{k}", dcg(gains) / dcg([1.0] * min(k, len(gold)))


def run(questions: Sequence[Question], turns: str, index: Index, figures: Figures) -> None:
    """Ask all questions with these turns indexed, add to ``figures`` and print the rest."""
    seconds: dict[str, list[float]] = defaultdict(list)
    found: dict[bool, list[bool]] = {False: [], True: []}
    for number, question in enumerate(questions, 1):
        fill(index, vault(question, turns), f"{turns} turns, question {number}/{len(questions)}")
        index.purge()  # else every search would go through the vectors of earlier haystacks
        for row, way in sides(index, moment(question["question_date"])).items():
            index.close()  # it remembers what it worked out for the row before
            way(Case("server", frozenset()))  # what is loaded once is loaded now
            answer = ask(way, Case(question["question"], frozenset()), lambda passage, _: [passage.document])
            seconds[row].append(answer.seconds * 1000)
            if row == "fused":
                found[abstention(question)].append(answer.found)
            sessions = list(dict.fromkeys(question["haystack_session_ids"][int(at)] for at in answer.documents))
            for kind, gold in golds(question):
                for measure, value in measures(gold, sessions):
                    figures[turns, kind, row][measure].append(value)
    for row, spent in seconds.items():
        p50, p95 = np.percentile(spent, (50, 95))
        print(f"{turns} turns, {row}: {p50:.1f} ms median, {p95:.1f} ms p95, the question's embedding among them")
    some, missed = sum(found[True]), found[False].count(False)
    print(
        f"{turns} turns: found something for {some} of {len(found[True])} questions of abstention; nothing for", end=" "
    )
    print(f"{missed} of {len(found[False])} with an answer", flush=True)


def main() -> None:
    """Measure a file of LongMemEval."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("file", nargs="?", default=os.environ.get("LONGMEMEVAL"), help="default: $LONGMEMEVAL")
    parser.add_argument("--turns", choices=tuple(TURNS), action="append", help="what is indexed; default: each")
    parser.add_argument("--cache", type=Path, default=user_folders().cache / "bench")
    parser.add_argument("--most", type=int, help="ask so many questions, evenly picked")
    arguments = parser.parse_args()
    if not arguments.file:
        sys.exit(MISSING.format("no file was named"))
    questions = evenly(read(Path(arguments.file)), arguments.most)
    model = load_embedder(Settings(), in_bulk=True)
    if model is None:
        sys.exit("no embedding model is installed")
    kept = Kept(model, arguments.cache / "longmemeval" / "kept")
    figures: Figures = defaultdict(lambda: defaultdict(list))
    for turns in arguments.turns or TURNS:
        run(questions, turns, Index(arguments.cache / "longmemeval", lambda: kept), figures)
    print(f"\n{table(figures, 'turns', SHOWN)}")


if __name__ == "__main__":
    main()
