"""How long a warm search takes, beside each of its parts alone, all measured in one run.

    python tests/bench/search_speed.py [--passages 20000 100000] [--embedded 4000] [--times 200] [--cpu]
    python tests/bench/search_speed.py --passages 1000 20000 100000 --embedded 48 --plot docs/plots/latency.svg

A vault on disk, full of sessions in English and Korean, is indexed as always. The newest ``--embedded`` passages get
vectors of the real model, the rest made-up ones of the same shape: exact search takes as long over these, and making
real ones for all would take half an hour. Then, question by question in turns, so that all see the same machine:

    keyword       the word side alone: the question analysed, every passage scored, the best 100 read
    embedding     the question through the model, alone
    vectors       the meaning side with the question's vector at hand: every passage compared, the best 100 read
    fusion        ``search`` with the answers of both sides at hand: two lists become one, in order
    whoosh        one query of whoosh's own searcher for the question's terms, over the same lexical index
    search        the question as every face asks it
    with files    the same, and before it the look at every file of the vault, as ``wwt search`` does

Every question is new in every column: nothing is answered from what is kept of the one before. ``--keep FOLDER`` leaves
the vaults there for the next run.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import quantiles
from typing import Any, cast

import numpy as np
from index_speed import ENDINGS, KOREAN, words
from numpy.typing import NDArray
from plot import Line, draw

from wwt_vault.config import Settings, user_folders
from wwt_vault.index import Index, analysis
from wwt_vault.index.embedder import Embedder, load_embedder
from wwt_vault.model.conversation import Message, Session
from wwt_vault.model.knowledge import Filters
from wwt_vault.operations import freshness, recall
from wwt_vault.operations.workspace import Workspace, open_workspace
from wwt_vault.search import search
from wwt_vault.search.candidates import POOL
from wwt_vault.vault import Vault, events, sessions
from wwt_vault.vault.blocks import render_event
from wwt_vault.vault.creation import create_vault

TURNS = 40
"""Messages a session: about ten passages."""
START = datetime(2026, 1, 1, tzinfo=UTC)


class PartlyReal:
    """The real model for the first so many passages and for every question; made-up vectors for the rest."""

    def __init__(self, model: Embedder, real: int) -> None:
        self.name, self.dimension = model.name, model.dimension
        self._model, self._left = model, real
        self._chance = np.random.default_rng(1)

    def query(self, text: str) -> NDArray[np.float32]:
        """Return the model's vector."""
        return self._model.query(text)

    def passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the model's vectors, then those of chance."""
        if self._left > 0:
            self._left -= len(texts)
            return self._model.passages(texts)
        made = self._chance.standard_normal((len(texts), self.dimension), dtype=np.float32)
        return made / np.linalg.norm(made, axis=1, keepdims=True)


class AtHand(PartlyReal):
    """A model that has the question's vector ready."""

    def query(self, text: str) -> NDArray[np.float32]:
        """Return a vector of chance."""
        made = self._chance.standard_normal(self.dimension, dtype=np.float32)
        return np.asarray(made / np.linalg.norm(made), dtype=np.float32)


class Told:
    """An index whose answers are at hand once it was asked."""

    def __init__(self, index: Index) -> None:
        """Ask ``index`` what was not asked before."""
        self._index = index
        self._answers: dict[tuple[object, ...], Any] = {}

    def __getattr__(self, name: str) -> Callable[..., Any]:
        """Return the method of that name, of the index."""

        def answer(*arguments: object) -> Any:
            asked = (name, *(tuple(a) if isinstance(a, (list, tuple)) else a for a in arguments))
            if asked not in self._answers:
                self._answers[asked] = getattr(self._index, name)(*arguments)
            return self._answers[asked]

        return answer


def sentence(chance: random.Random, number: int) -> str:
    """Return something that is said, every fourth time in Korean."""
    if number % 4 == 0:
        return " ".join(f"{chance.choice(KOREAN)} {chance.choice(KOREAN)}{chance.choice(ENDINGS)}" for _ in range(5))
    return words(chance, 25)


def question(chance: random.Random, number: int) -> str:
    """Return a question of seven words, every second one in Korean, that nobody asked before."""
    if number % 2:
        return (
            f"{chance.choice(KOREAN)} {chance.choice(KOREAN)}을 {chance.choice(KOREAN)}로 바꾼 이유가 뭐였지? {number}"
        )
    return f"{words(chance, 7)} {number}"


def fill(vault: Vault, passages: int) -> None:
    """Write session notes as hooks do, without waiting for the disk at every message."""
    chance = random.Random(1)
    for number in range(passages * 4 // TURNS):
        session = Session(host="claude-code", session_id=f"{number:08x}-bench", cwd=f"/src/project{number % 7}")
        began = START + timedelta(hours=number)
        note = sessions.create_session_note(vault, session, f"project{number % 7}", "bench", began)
        blocks = []
        for turn in range(TURNS):
            message = Message(
                session=session,
                role="assistant" if turn % 2 else "user",
                text=sentence(chance, number),
                time=began + timedelta(seconds=turn),
            )
            blocks.append(render_event(events.event_of(message, 1), vault.zone))
        with note.open("ab") as file:
            file.write(b"".join(blocks))


def whoosh_searcher(index: Index) -> Callable[[str], object]:
    """Return whoosh's own search for the terms of a question, in all four fields, over the index that is measured."""
    from whoosh import query
    from whoosh.filedb.filestore import FileStorage
    from whoosh.index import FileIndex

    from wwt_vault.index.lexical import _schema

    generation = (index.folder / "current").read_text().strip()
    storage = FileStorage(str(index.folder / "generations" / generation / "lexical"))
    searcher = FileIndex(storage, _schema()).searcher()

    def ask(text: str) -> object:
        terms = [term for concept in analysis.ask(text).concepts for term in concept.terms]
        return searcher.search(
            query.Or([query.Term(field, term) for term in terms for field in ("title", "heads", "body", "tags")]),
            limit=50,
        )

    return ask


def measure(work: Callable[[str], object], text: str, clock: Callable[[], float]) -> float:
    """Return the milliseconds that one call takes."""
    began = clock()
    work(text)
    return (clock() - began) * 1e3


def build(folder: Path, passages: int, embedded: int, model: Embedder) -> Workspace:
    """Make the vault and index all of it, or open it if it is there."""
    if not (folder / "vault").exists():
        fill(create_vault(folder / "vault", timezone="Asia/Seoul"), passages)
    embedder = PartlyReal(model, embedded)
    folders = user_folders({"HOME": str(folder), "USERPROFILE": str(folder)})
    workspace = open_workspace(str(folder / "vault"), embedder=lambda: embedder, folders=folders)
    began = time.perf_counter(), time.process_time()
    freshness.refresh(workspace, seconds=None)
    spent = time.perf_counter() - began[0], time.process_time() - began[1]
    freshness.embed(workspace)
    status = workspace.index.status()
    print(
        f"{status.passages:,} passages, {status.embedded:,} with a vector, at most {embedded:,} of them by the model; "
        f"brought up to date in {spent[0]:.0f} s, {spent[1]:.0f} s of processor time"
    )
    return workspace


def works_of(workspace: Workspace, model: Embedder) -> Mapping[str, Callable[[str], Callable[[str], object]]]:
    """Return what is measured: from a question to the call that is timed, with what it needs at hand."""
    index = workspace.index
    at_hand = AtHand(model, 0)
    vectors = Index(index.folder, lambda: at_hand)
    whoosh = whoosh_searcher(index)

    def asked(text: str, of: Index) -> object:
        return search(of, text, now=datetime.now(UTC), zone=workspace.vault.zone)

    def fusion(text: str) -> Callable[[str], object]:
        told = cast("Index", Told(index))
        asked(text, told)
        return lambda text: asked(text, told)

    return {
        "keyword": lambda _: lambda text: index.keyword(text, Filters(), POOL),
        "embedding": lambda _: model.query,
        "vectors": lambda _: lambda text: vectors.meaning(text, Filters(), POOL),
        "fusion": fusion,
        "whoosh": lambda _: whoosh,
        "search": lambda _: lambda text: asked(text, index),
        "with files": lambda _: lambda text: recall.search(workspace, text),
    }


PARTS = ("keyword", "embedding", "vectors", "fusion")


def run(workspace: Workspace, model: Embedder, times: int, clock: Callable[[], float]) -> dict[str, list[float]]:
    """Measure everything in turns, print it, and return the milliseconds."""
    chance = random.Random(2)
    spent: dict[str, list[float]] = defaultdict(list)
    works = works_of(workspace, model)
    for number in range(-10, times):
        for name, prepare in works.items():
            text = question(chance, number)
            found = measure(prepare(text), text, clock)
            if number >= 0:
                spent[name].append(found)
    spent["the four parts"] = [sum(parts) for parts in zip(*(spent[name] for name in PARTS), strict=True)]
    print("| milliseconds | median | p95 | most |\n| --- | --- | --- | --- |")
    for name, its in spent.items():
        print(f"| {name} | {middle(its):.1f} | {tail(its):.1f} | {max(its):.1f} |")
    for name, of in (("median", middle), ("p95", tail)):
        parts, two = sum(of(spent[part]) for part in PARTS), of(spent["embedding"]) + of(spent["whoosh"])
        print(
            f"{name} of search: {of(spent['search']) / parts:.2f} of the sum of the four parts' {name}, "
            f"{of(spent['search']) / two:.2f} of that of embedding and whoosh"
        )
    return spent


def middle(times: Sequence[float]) -> float:
    """Return the median."""
    return quantiles(times, n=20)[9]


def tail(times: Sequence[float]) -> float:
    """Return the 95th percentile."""
    return quantiles(times, n=20)[18]


def main() -> None:
    """Build, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--passages", type=int, nargs="+", default=[20_000])
    parser.add_argument("--embedded", type=int, default=4_000)
    parser.add_argument("--times", type=int, default=200)
    parser.add_argument("--cpu", action="store_true", help="processor time, for a machine that does other work as well")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="where the vaults are left for the next run")
    parser.add_argument("--plot", type=Path, metavar="SVG", help="draw the medians against the number of passages")
    options = parser.parse_args()
    clock = time.process_time if options.cpu else time.perf_counter
    model = load_embedder(Settings())
    assert model is not None
    medians: dict[str, list[tuple[float, float]]] = defaultdict(list)
    with tempfile.TemporaryDirectory() as temporary:
        for passages in options.passages:
            folder = (options.keep or Path(temporary)) / str(passages)
            folder.mkdir(parents=True, exist_ok=True)
            workspace = build(folder, passages, options.embedded, model)
            for name, times in run(workspace, model, options.times, clock).items():
                medians[name].append((passages / 1000, middle(times)))
            workspace.index.close()
    if options.plot:
        shown = [name for name in medians if name != "the four parts"]
        which = "of processor time" if options.cpu else "on the clock"
        draw(
            options.plot,
            [Line(name, medians[name]) for name in shown],
            x="thousand passages",
            y=f"milliseconds {which}, median",
        )


if __name__ == "__main__":
    main()
