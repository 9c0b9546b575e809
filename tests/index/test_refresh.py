"""From the vault's documents to the next generation."""

from __future__ import annotations

import os
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from tests.index.library import Library, note, session
from wwt_vault.errors import IndexUnavailable, WwtError
from wwt_vault.index import Index, RefreshReport
from wwt_vault.index.generations import others
from wwt_vault.model.conversation import DocumentId
from wwt_vault.model.knowledge import Document, Filters


def word(number: int) -> str:
    """Return a word of letters, so that it has no part in common with another."""
    return f"w{chr(97 + number // 26)}{chr(97 + number % 26)}"


def words_only(folder: Path) -> Index:
    """Return an index without a model."""
    return Index(folder, lambda: None)


def refresh(index: Index, library: Library, **options: Any) -> RefreshReport:
    """Bring the index to the library's state; what was loaded before is forgotten."""
    library.loaded.clear()
    return index.refresh(library.stamps, library.load, **options)


def answers(index: Index, *queries: str) -> list[list[tuple[str, float, tuple[str, ...]]]]:
    """Return what an index answers, without object identities."""
    return [[(hit.passage.id, hit.score, hit.terms) for hit in index.keyword(query)] for query in queries]


def test_the_first_refresh_indexes_everything(tmp_path: Path) -> None:
    """And what is indexed is found."""
    library = Library(note("cache.md", "We use Redis."), session("s.md", ["Why Redis?", "It is fast."]))
    index = words_only(tmp_path)
    report = refresh(index, library)
    assert (report.added, report.documents, report.passages, report.generation) == (2, 2, 2, 1)
    assert (report.fresh, report.repaired) == (True, None)
    assert {hit.passage.document for hit in index.keyword("redis")} == {"cache.md", "s.md"}


def test_nothing_changed_reads_nothing(tmp_path: Path) -> None:
    """No document is loaded and no generation is made."""
    library = Library(*(note(f"{n}.md", f"text {n}") for n in range(50)))
    index = words_only(tmp_path)
    refresh(index, library)
    report = refresh(index, library)
    assert library.loaded == []
    assert (report.generation, report.documents, report.fresh) == (1, 50, True)


def test_only_what_changed_is_read(tmp_path: Path) -> None:
    """A change, an addition and a deletion are found or not found the next moment."""
    library = Library(*(note(f"{n}.md", f"{word(n)} common") for n in range(30)))
    index = words_only(tmp_path)
    refresh(index, library)
    library.put(note("3.md", "altered common"), note("new.md", "fresh common"))
    library.remove("4.md")
    report = refresh(index, library)
    assert sorted(library.loaded) == ["3.md", "new.md"]
    assert (report.added, report.updated, report.removed, report.documents) == (1, 1, 1, 30)
    assert [len(found) for found in answers(index, "altered", "fresh", word(3), word(4), word(5))] == [1, 1, 0, 0, 1]


def test_a_touched_document_is_read_once_and_not_written(tmp_path: Path) -> None:
    """Another stamp, the same content: the stamp is learnt, the generation stays."""
    library = Library(note("a.md", "text"), note("b.md", "text"))
    index = words_only(tmp_path)
    refresh(index, library)
    library.touch("a.md")
    report = refresh(index, library)
    assert (library.loaded, report.generation, report.updated) == (["a.md"], 1, 0)
    refresh(index, library)
    assert library.loaded == []


def test_a_document_read_too_soon_is_read_once_more(tmp_path: Path) -> None:
    """A second change within the same tick is not missed; then it rests."""
    now = 1_800_000_000_000_000_001
    library = Library(note("a.md", "first words"))
    library.touch("a.md", at=now)
    index = words_only(tmp_path)
    refresh(index, library, clock=lambda: now + 5)
    stamp = library.stamps[DocumentId("a.md")]
    library.put(note("a.md", "second words"))
    library.stamps[DocumentId("a.md")] = stamp
    refresh(index, library, clock=lambda: now + 10**9)
    assert [len(found) for found in answers(index, "first", "second")] == [0, 1]
    refresh(index, library, clock=lambda: now + 2 * 10**9)
    assert library.loaded == []


def test_an_unmounted_vault_does_not_empty_the_index(tmp_path: Path) -> None:
    """It says so, goes on answering, takes in what is new, and obeys when told that it is meant."""
    library = Library(*(note(f"{n}.md", word(n)) for n in range(30)))
    index = words_only(tmp_path)
    refresh(index, library)
    library.remove(*(f"{n}.md" for n in range(30)))
    library.put(note("new.md", "fresh"))
    report = refresh(index, library)
    assert (report.withheld, report.removed, report.fresh) == (30, 0, False)
    assert [len(found) for found in answers(index, word(7), "fresh")] == [1, 1]
    report = refresh(index, library, rebuild=True)
    assert (report.withheld, report.documents) == (30, 31)
    report = refresh(index, library, allow_shrink=True)
    assert (report.withheld, report.removed, report.documents) == (0, 30, 1)
    assert [len(found) for found in answers(index, word(7), "fresh")] == [0, 1]


def test_a_document_that_cannot_be_read_hides_no_other(tmp_path: Path) -> None:
    """It is reported, stays as it was, and is tried again."""
    library = Library(note("bad.md", "old"), note("good.md", "good"))
    index = words_only(tmp_path)
    refresh(index, library)
    library.put(note("bad.md", "new"), note("good.md", "better"))

    def load(name: DocumentId) -> Document:
        if name == "bad.md":
            raise PermissionError(13, "Permission denied")
        return library.load(name)

    report = index.refresh(library.stamps, load)
    assert [(problem.code, problem.path) for problem in report.problems] == [("unreadable", "bad.md")]
    assert not report.fresh
    assert [len(found) for found in answers(index, "old", "better")] == [1, 1]
    assert refresh(index, library).updated == 1
    assert [len(found) for found in answers(index, "old", "new")] == [0, 1]


@pytest.mark.parametrize("error", [FileNotFoundError(2, "gone"), WwtError("gone")])
def test_a_document_that_is_gone_when_it_is_read_is_no_error(tmp_path: Path, error: Exception) -> None:
    """People delete files while programs look."""

    def load(name: DocumentId) -> Document:
        raise error

    report = words_only(tmp_path).refresh({DocumentId("a.md"): "1 2 3 4"}, load)
    assert report.documents == 0


def test_the_time_is_kept_and_the_rest_follows(tmp_path: Path) -> None:
    """A bounded refresh publishes what it has done, six documents at least; the next goes on."""
    library = Library(*(note(f"{n:02}.md", f"text{n}") for n in range(40)))
    index = words_only(tmp_path)
    for done in range(6, 40, 6):
        report = refresh(index, library, budget_seconds=-1)
        assert (report.documents, report.pending, report.fresh) == (done, 40 - done, False)
    assert refresh(index, library, budget_seconds=-1).fresh


def test_a_bounded_refresh_never_rebuilds_over_a_working_index(tmp_path: Path) -> None:
    """Half an index is worse than an old one."""
    library = Library(note("a.md", "text"))
    index = words_only(tmp_path)
    refresh(index, library)
    report = refresh(index, library, rebuild=True, budget_seconds=10)
    assert (report.generation, report.pending, library.loaded) == (1, 1, [])


def test_one_process_refreshes_at_a_time(tmp_path: Path) -> None:
    """Another waits a moment, then uses what is there and says so; nothing is lost."""
    library = Library(note("a.md", "text"))
    index = words_only(tmp_path)
    refresh(index, library)
    library.put(note("b.md", "later"))
    with FileLock(tmp_path / "refresh.lock"):
        report = refresh(index, library, wait_seconds=0.05)
        assert (report.busy, report.pending, report.fresh, report.documents) == (True, 1, False, 1)
        assert len(index.keyword("text")) == 1
    assert refresh(index, library).documents == 2


def test_two_processes_share_one_index(tmp_path: Path) -> None:
    """What one refreshed the other finds, without reading it again."""
    library = Library(note("a.md", "alpha"))
    one, other = words_only(tmp_path), words_only(tmp_path)
    refresh(one, library)
    assert len(other.keyword("alpha")) == 1
    library.put(note("b.md", "beta"))
    refresh(other, library)
    assert len(one.keyword("beta")) == 1
    refresh(one, library)
    assert library.loaded == []


def test_progress_is_told(tmp_path: Path) -> None:
    """From nothing to all of it."""
    seen: list[tuple[int, int]] = []
    refresh(
        words_only(tmp_path), Library(*(note(f"{n}.md", "x") for n in range(3))), progress=lambda *at: seen.append(at)
    )
    assert seen == [(0, 3), (1, 3), (2, 3), (3, 3)]


def test_a_refresh_that_fails_publishes_nothing(tmp_path: Path) -> None:
    """An error of the vault in the middle leaves the old generation and no rubbish."""
    library = Library(note("a.md", "alpha"))
    index = words_only(tmp_path)
    refresh(index, library)

    def load(name: DocumentId) -> Document:
        raise KeyboardInterrupt

    library.put(note("b.md", "beta"))
    with pytest.raises(KeyboardInterrupt):
        index.refresh(library.stamps, load)
    assert [path.name for path in (tmp_path / "generations").iterdir()] == ["1"]
    assert refresh(index, library).documents == 2


@pytest.mark.skipif(os.name == "nt", reason="no unwritable folders: the error of a full disk is not tried")
def test_a_folder_that_cannot_be_written_is_a_clear_error(tmp_path: Path) -> None:
    """It says where, and that search goes on."""
    (tmp_path / "index").write_text("a file where the folder should be")
    with pytest.raises(IndexUnavailable, match="still searched"):
        refresh(words_only(tmp_path / "index"), Library(note("a.md", "x")))


def test_old_generations_do_not_pile_up(tmp_path: Path) -> None:
    """Two at most."""
    library = Library(note("a.md", "text"))
    index = words_only(tmp_path)
    for n in range(6):
        library.put(note("a.md", f"text {n}"))
        refresh(index, library)
    assert others(tmp_path, None) == [6, 5]


@pytest.mark.parametrize("change", ["tags", "status", "project", "title", "aliases"])
def test_changed_properties_reach_the_index(tmp_path: Path, change: str) -> None:
    """Though the text and so the passage's id stay."""
    library = Library(note("a.md", "text"), note("b.md", "text"))
    index = words_only(tmp_path)
    refresh(index, library)
    value: Any = ("zebra",) if change in {"tags", "aliases"} else "zebra"
    library.put(note("a.md", "text", **{change: value}))
    refresh(index, library)
    limit: Callable[[], Filters] = {
        "tags": lambda: Filters(tag="zebra"),
        "status": lambda: Filters(status="zebra"),
        "project": lambda: Filters(project="zebra"),
    }.get(change, Filters)
    query = "zebra" if change in {"title", "aliases"} else "text"
    assert [hit.passage.document for hit in index.keyword(query, limit())] == ["a.md"]


STEPS = {
    "open",
    "os.link",
    "os.rename",
    "os.remove",
    "os.mkdir",
    "os.rmdir",
    "shutil.rmtree",
    "os.scandir",
    "os.listdir",
}
WORDS = ("redis", "cache", "서버", "배포", "user_id", "logs", "decision", "결정", "postgres", "3.11")


class Edits(RuleBasedStateMachine):
    """Any sequence of edits: refreshing step by step answers exactly like an index built at once."""

    @initialize(where=st.uuids())
    def begin(self, where: object) -> None:
        """Start with an empty vault."""
        self.folder = self.base / str(where)
        self.library = Library()
        self.index = words_only(self.folder / "steps")

    @rule(
        name=st.sampled_from("abcdefgh"),
        texts=st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=8).map(" ".join), max_size=9),
        is_session=st.booleans(),
        tag=st.sampled_from(WORDS),
    )
    def edit(self, name: str, texts: list[str], is_session: bool, tag: str) -> None:
        """Write a document."""
        make = session if is_session else lambda n, t, **values: note(n, *t, **values)
        self.library.put(make(name, texts, tags=(tag,)))

    @rule(name=st.sampled_from("abcdefgh"))
    def delete(self, name: str) -> None:
        """Delete a document, if it is there."""
        if name in self.library.documents:
            self.library.remove(name)

    @rule()
    def reopen(self) -> None:
        """Another process takes over."""
        self.index = words_only(self.folder / "steps")

    @rule(file=st.sampled_from(["current", "about.json", "manifest.json", "rows.npz", "seg"]), keep=st.floats(0, 0.99))
    def crash(self, file: str, keep: float) -> None:
        """Cut a file of the index off."""
        found = [path for path in (self.folder / "steps").rglob("*") if path.name.endswith(file)]
        for path in found[:1]:
            data = path.read_bytes()
            path.write_bytes(data[: int(len(data) * keep)])

    @invariant()
    def answers_like_a_rebuild(self) -> None:
        """Hits, scores, matched words and weights of words."""
        if not hasattr(self, "index"):
            return
        assert refresh(self.index, self.library).fresh
        fresh = words_only(self.folder / "built" / os.urandom(8).hex())
        refresh(fresh, self.library)
        queries = ("redis cache", "서버를 배포한 결정", "user_id 3.11", '"redis cache"', "logs")
        assert answers(self.index, *queries) == answers(fresh, *queries)
        assert [self.index.query_terms(query) for query in queries] == [fresh.query_terms(query) for query in queries]
        assert self.index.status().passages == fresh.status().passages


@pytest.mark.slow
def test_refreshing_step_by_step_is_building_at_once(tmp_path: Path) -> None:
    """See ``Edits``."""
    Edits.base = tmp_path  # type: ignore[attr-defined]
    checked = settings(
        max_examples=15, stateful_step_count=12, deadline=None, suppress_health_check=[HealthCheck.too_slow]
    )
    Edits.TestCase.settings = checked
    Edits.TestCase("runTest").runTest()


def killed_at(step: int, folder: Path, library: Library) -> bool:
    """Refresh in a child that kills itself at its n-th operation on a file of the index; say whether it got there."""
    child = os.fork()
    if child:
        return not os.WIFEXITED(os.waitpid(child, 0)[1])
    left = step

    def die(event: str, arguments: tuple[object, ...]) -> None:
        nonlocal left
        if event in STEPS and str(folder) in str(arguments[0]):
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(die)
    refresh(words_only(folder), library)
    os._exit(0)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork: a refresh that is killed at each step is not tried")
def test_a_refresh_killed_at_any_step_harms_nothing(tmp_path: Path) -> None:
    """At every opening, linking, renaming and deleting of a file: old or new answers, the next refresh completes."""
    before, after = Library(note("a.md", "alpha"), note("b.md", "beta")), Library(note("a.md", "alpha"))
    refresh(words_only(tmp_path / "base"), before)
    after.stamps[DocumentId("a.md")] = before.stamps[DocumentId("a.md")]
    after.put(note("c.md", "gamma"))
    step, killed = 0, True
    while killed:
        step += 1
        folder = tmp_path / str(step)
        shutil.copytree(tmp_path / "base", folder)
        killed = killed_at(step, folder, after)
        index = words_only(folder)
        found = [len(those) for those in answers(index, "alpha", "beta", "gamma")]
        assert found in ([1, 1, 0], [1, 0, 1]), step
        report = refresh(index, after)
        assert (report.documents, report.fresh, report.repaired) == (2, True, None), step
        assert [len(those) for those in answers(index, "alpha", "beta", "gamma")] == [1, 0, 1], step
    assert step > 20
