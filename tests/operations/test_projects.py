"""Projects that moved or have two names: found under one, with nothing written anew that was written."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wwt_vault.errors import BadArgument, NotFound
from wwt_vault.ingest.brief import brief
from wwt_vault.operations import conversations, curation, notes, projects, recall
from wwt_vault.operations.workspace import Workspace, open_workspace
from wwt_vault.sync.belonging import belongs
from wwt_vault.sync.contents import merge
from wwt_vault.vault import Vault
from wwt_vault.vault.projects import Meaning, ProjectNames, name_project, read_names

NOW = datetime(2026, 11, 30, 8, tzinfo=UTC)


@pytest.fixture
def workspace(fresh_vault: Callable[[], Vault]) -> Workspace:
    """Return a vault with three projects, searched by words."""
    opened = open_workspace(str(fresh_vault().root), embedder=lambda: None)
    for number, (project, text) in enumerate(
        (("shop", "orders live in PostgreSQL"), ("store", "the shop's folder has moved, PostgreSQL stays"),
         ("blog", "drafts live in PostgreSQL too"))
    ):  # fmt: skip
        say(opened, project, f"s{number}", text, NOW - timedelta(days=3 - number))
    return opened


def say(workspace: Workspace, project: str, session: str, text: str, when: datetime) -> str:
    """Record a question and its answer; return the answer's id."""
    messages = [{"role": role, "text": f"{text}{end}", "time": when.isoformat()} for role, end in
                (("user", "?"), ("assistant", "."))]  # fmt: skip
    return str(conversations.record(workspace, "chat", session, messages, project=project, now=when)["added"][1])


def found(workspace: Workspace, project: str) -> set[str]:
    """Return the sessions that a search in a project finds, by their questions."""
    hits = recall.search(workspace, "PostgreSQL", project=project)["hits"]
    assert {hit["project"] for hit in hits} <= {read_names(workspace.vault).now(project)}
    return {hit["path"].rpartition(" ")[2] for hit in hits}


def test_projects_are_listed_with_what_they_hold(workspace: Workspace) -> None:
    """The one spoken of last first."""
    rows = projects.list_projects(workspace)["projects"]
    assert [row["project"] for row in rows] == ["blog", "store", "shop"]
    assert rows[2] == {"project": "shop", "names": [], "sessions": 1, "messages": 2, "notes": 0,
                       "last": "2026-11-27T17:00:00+09:00"}  # fmt: skip


def test_a_merged_project_is_found_under_either_name(workspace: Workspace, own_user_folders: Path) -> None:
    """By search, context, what waits and the brief of a new session; no file of what was said changes."""
    before = {path: path.read_bytes() for path in workspace.vault.root.rglob("*") if path.is_file()}
    assert found(workspace, "shop") == {"s0.md"}

    assert projects.merge_projects(workspace, "shop", "store", now=NOW) == {"project": "store", "names": ["shop"]}

    assert found(workspace, "shop") == found(workspace, "store") == {"s0.md", "s1.md"}
    assert found(workspace, "blog") == {"s2.md"}
    for name in ("shop", "store", "Shop"):
        assert curation.uncurated(workspace, project=name, now=NOW)["total_messages"] == 4
        text = recall.context(workspace, "PostgreSQL", project=name)["text"]
        assert "orders live in PostgreSQL" in text
    rows = {row["project"]: row for row in projects.list_projects(workspace)["projects"]}
    assert set(rows) == {"store", "blog"}
    assert (rows["store"]["names"], rows["store"]["sessions"]) == (["shop"], 2)
    for folder in ("shop", "store"):
        told = brief(str(own_user_folders / "src" / folder), "another", NOW)
        assert "in project store" in told
        assert "orders live in PostgreSQL" in told
        assert "the shop's folder has moved" in told
        assert "drafts" not in told
        assert "4 messages" in told
    assert all(path.read_bytes() == data for path, data in before.items())
    added = {path for path in workspace.vault.root.rglob("*") if path.is_file()} - set(before)
    assert {path.parent.relative_to(workspace.vault.root).as_posix() for path in added} == {".wwt/projects"}


def test_a_moved_folder_keeps_its_past(workspace: Workspace) -> None:
    """Renamed before the first session in the new place; notes of the project go with it."""
    event = say(workspace, "shop", "s9", "PostgreSQL 16 it is", NOW)
    notes.save_note(workspace, "Order database", body=f"## Facts\n- PostgreSQL 16 [^{event}]\n", type="decision",
                    project="shop", written_by="test", now=NOW)  # fmt: skip
    projects.rename_project(workspace, "shop", "market", now=NOW)
    say(workspace, "market", "s10", "PostgreSQL here as well", NOW)

    assert {"s9.md", "s10.md", "s0.md"} <= found(workspace, "market") == found(workspace, "shop")
    row = next(row for row in projects.list_projects(workspace)["projects"] if row["project"] == "market")
    assert (row["names"], row["sessions"], row["notes"]) == (["shop"], 3, 1)


def test_names_can_be_changed_again_and_back(workspace: Workspace) -> None:
    """A chain leads to its end, the old name may return, and a merge is taken back by renaming."""
    projects.rename_project(workspace, "shop", "market", now=NOW)
    projects.rename_project(workspace, "market", "bazaar", now=NOW + timedelta(1))
    assert read_names(workspace.vault).all_of("shop") == ("bazaar", "market", "shop")
    assert found(workspace, "shop") == {"s0.md"}
    projects.rename_project(workspace, "bazaar", "shop", now=NOW + timedelta(2))
    assert {name: read_names(workspace.vault).now(name) for name in ("shop", "market", "bazaar")} == {
        "shop": "shop", "market": "shop", "bazaar": "shop"}  # fmt: skip
    assert found(workspace, "market") == {"s0.md"}


def test_what_would_join_or_lose_projects_unasked_is_refused(workspace: Workspace) -> None:
    """Each with what to do; nothing is written."""
    for act, error, match in (
        (lambda: projects.rename_project(workspace, "shop", "store", now=NOW), BadArgument, "project merge"),
        (lambda: projects.rename_project(workspace, "shop", "Blog", now=NOW), BadArgument, "project merge"),
        (lambda: projects.rename_project(workspace, "none", "new", now=NOW), NotFound, "project list"),
        (lambda: projects.rename_project(workspace, "shop", "shop", now=NOW), BadArgument, "already"),
        (lambda: projects.rename_project(workspace, "shop", " ", now=NOW), BadArgument, "one line"),
        (lambda: projects.rename_project(workspace, "shop", "a\nb", now=NOW), BadArgument, "one line"),
        (lambda: projects.merge_projects(workspace, "shop", "none", now=NOW), NotFound, "project rename"),
        (lambda: projects.merge_projects(workspace, "none", "shop", now=NOW), NotFound, "project list"),
        (lambda: projects.merge_projects(workspace, "shop", "shop", now=NOW), BadArgument, "one project already"),
    ):
        with pytest.raises(error, match=match):
            act()
    assert not (workspace.vault.root / ".wwt" / "projects").exists()


@pytest.mark.parametrize("name", ["a/b", "..", "con", "한글 프로젝트", "x" * 200, "#^[]|", "\u202eevil", ".git"])
def test_any_name_a_project_has_can_mean_another(workspace: Workspace, name: str) -> None:
    """Whatever a file may not be called; two names never share a file."""
    name_project(workspace.vault, name, "store", NOW)
    name_project(workspace.vault, f"{name}!", "blog", NOW)
    names = read_names(workspace.vault)
    assert (names.now(name), names.now(f"{name}!")) == ("store", "blog")
    files = [
        path.relative_to(workspace.vault.root).as_posix() for path in (workspace.vault.root / ".wwt/projects").iterdir()
    ]
    assert len(files) == 2
    assert all(map(belongs, files))  # so that it is synced


DAMAGED = [
    b"",
    b"{",
    b"[]",
    b'{"schema": 2}',
    b'{"schema": 1, "name": "shop", "now": 1, "at": ""}',
    b'{"schema": 1, "name": "shop", "now": "x", "at": "noon"}',
    b"[" * 100_000,
]


@pytest.mark.parametrize("data", DAMAGED)
def test_a_damaged_file_means_nothing(workspace: Workspace, data: bytes) -> None:
    """The project has the name that stands in its notes; what works goes on."""
    name_project(workspace.vault, "blog", "store", NOW)
    [file] = (workspace.vault.root / ".wwt/projects").iterdir()
    file.with_name("shop 00000000.json").write_bytes(data)
    assert read_names(workspace.vault).now("shop") == "shop"
    assert found(workspace, "blog") == {"s1.md", "s2.md"}


def test_two_machines_that_said_otherwise_agree_after_a_sync(workspace: Workspace) -> None:
    """What was said later counts, on both."""
    base, one, other = (
        json.dumps({"schema": 1, "name": "shop", "now": now, "at": f"2026-11-30T0{hour}:00:00Z"}).encode()
        for hour, now in enumerate(("store", "market", "bazaar"), 1)
    )
    path = ".wwt/projects/shop 12345678.json"
    assert merge(path, base, one, other).data == merge(path, base, other, one).data == other
    assert merge(path, None, b"broken", one).data == merge(path, None, one, b"broken").data == one


@given(st.lists(st.tuples(st.sampled_from("abcdA"), st.sampled_from("abcdA"), st.integers(0, 5)), max_size=12))
def test_names_never_go_round_in_a_circle(said: list[tuple[str, str, int]]) -> None:
    """Whatever came together from several machines: one name in the end, the same in any order, and it is its own."""
    meanings = [Meaning(name, now, NOW + timedelta(minutes=at)) for name, now, at in said]
    names, again = ProjectNames(meanings), ProjectNames(meanings[::-1])
    for name in "abcd":
        now = names.now(name)
        assert now == again.now(name)
        assert names.now(now) == now
        assert now is not None
        assert name in map(str.casefold, names.all_of(now))
    assert names.stamp == again.stamp
