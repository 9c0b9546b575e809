"""Copies that some sync left beside a note: recognised whoever made them, merged or chosen, and no line lost."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path

import pytest

from tests.sync.machines import AT, Box, first, say
from wwt_vault.errors import BadArgument, HumanConflict, NotFound
from wwt_vault.sync import settling
from wwt_vault.vault import copies, documents, files, lookup, notes, revisions

NAMES = [
    "Plan (conflict laptop 2026-11-30).md",
    "Plan (conflict laptop 2026-11-30 2).md",
    "Plan (Conflicted copy laptop 202611301058).md",
    "Plan (Minji's conflicted copy 2026-11-30).md",
    "Plan (conflicted copy 2026-11-30 105801).md",
    "Plan (laptop's conflicted copy 2026-11-30 (1)).md",
    "Plan (민지의 충돌된 사본 2026-11-30).md",
    "Plan.sync-conflict-20261130-105801-ABCDEF7.md",
    "Plan.sync-conflict-20261130-105801.md",
    "Plan (Case Conflict).md",
    "Plan (Selective Sync Conflict 1).md",
    "Plan [Conflict].md",
]
OTHERS = [
    "Plan (draft).md",
    "Plan (conflict of interest).md",
    "Plan (conflict).md",
    "Conflicted copy.md",
    "Plan sync-conflict.md",
    "Plan 2.md",
    "Plan (1).md",
]


@pytest.fixture
def box(tmp_path: Path) -> Box:
    """Return a machine with a vault of its own."""
    return first(tmp_path, None)


def merge(box: Box, copy: str) -> str:
    """Merge as the command does."""
    return settling.merge(box.vault, copy, locks=box.machine.locks, hold=lambda *_: nullcontext(), at=AT)


def keep(box: Box, path: str) -> str:
    """Choose as the command does."""
    return settling.keep(box.vault, path, locks=box.machine.locks, hold=lambda *_: nullcontext(), at=AT)


@pytest.mark.parametrize("name", NAMES)
def test_the_copies_of_every_tool_are_known(box: Box, name: str) -> None:
    """They are listed beside their note, and not indexed."""
    box.write("Plan.md", "a\n")
    box.write(name, "b\n")

    assert [(found.path, found.original) for found in settling.find(box.vault)] == [(name, "Plan.md")]
    assert name not in documents.catalog(box.vault)
    assert "Plan.md" in documents.catalog(box.vault)


@pytest.mark.parametrize("name", OTHERS)
def test_a_note_that_only_sounds_like_one_is_a_note(box: Box, name: str) -> None:
    """It is indexed like any other."""
    box.write("Plan.md", "a\n")
    box.write(name, "b\n")

    assert settling.find(box.vault) == []
    assert name in documents.catalog(box.vault)


@pytest.mark.parametrize("name", NAMES)
def test_without_its_note_a_copy_is_a_note(box: Box, name: str) -> None:
    """Its words would be found nowhere else."""
    box.write(name, "b\n")

    assert settling.find(box.vault) == []
    assert name in documents.catalog(box.vault)


def test_our_own_names_are_recognised() -> None:
    """What sync writes it also reads, however long the note's name or odd the machine's."""
    for machine in ("laptop", "Minji's Mac (2)", "", "노트북", "x" * 300):
        name = copies.copy_name("A/" + "긴 이름 " * 20 + "x.md", machine, "2026-11-30", ["A/x.md"])
        original = copies.original_of(name)
        assert original is not None
        assert original.startswith("A/긴 이름")
        assert len(name.rpartition("/")[2].encode()) <= 210


@pytest.mark.parametrize("name", ["Retries 2.md", "Retries (1).md"])
def test_a_numbered_copy_is_one_when_it_has_the_id_of_its_note(box: Box, name: str) -> None:
    """ICloud and Google Drive number copies; so do people."""
    box.write("Retries.md", "---\nid: r-1\ntype: topic\n---\n\na\n")
    box.write(name, "---\nid: r-1\ntype: topic\n---\n\na\nb\n")

    assert [found.path for found in settling.find(box.vault)] == [name]
    box.write(name, "---\nid: r-2\ntype: topic\n---\n\na\nb\n")
    assert settling.find(box.vault) == []


def test_what_only_the_copy_says_comes_into_the_note(box: Box) -> None:
    """Lines and tags of both; the copy lies in the trash, and the note no longer links to it."""
    link = 'conflicts:\n  - "[[Plan (conflict desk 2026-11-30)]]"\n'
    box.write("Plan.md", f"---\ntags:\n  - a\n  - b\n{link}---\n\n## One\n\n- a\n- mine\n\n## Two\n")
    box.write(
        "Plan (conflict desk 2026-11-30).md", "---\ntags:\n  - a\n  - c\n---\n\n## One\n\n- a\n\n## Two\n\nTheirs.\n"
    )
    found = settling.find(box.vault)[0]
    assert (found.mergeable, found.same) == (True, False)
    assert "- mine" in found.only_original
    assert "Theirs." in found.only_copy

    assert merge(box, "Plan (conflict desk 2026-11-30)") == "Plan.md"
    assert box.read("Plan.md") == (
        "---\ntags:\n  - a\n  - b\n  - c\n---\n\n## One\n\n- a\n- mine\n\n## Two\n\nTheirs.\n"
    )
    assert not (box.root / "Plan (conflict desk 2026-11-30).md").exists()
    assert [path.read_text() for path in (box.root / ".trash").iterdir()] == [
        "---\ntags:\n  - a\n  - c\n---\n\n## One\n\n- a\n\n## Two\n\nTheirs.\n"
    ]


def test_two_versions_of_one_line_are_not_merged(box: Box) -> None:
    """The lines of both sides are shown; nothing is changed."""
    box.write("Plan.md", "We go east.\n")
    box.write("Plan (conflict desk 2026-11-30).md", "We go west.\n")

    with pytest.raises(HumanConflict) as refusal:
        merge(box, "Plan (conflict desk 2026-11-30).md")
    assert any("We go east." in line for line in refusal.value.data["lines"])
    assert any("We go west." in line for line in refusal.value.data["lines"])
    assert box.read("Plan.md") == "We go east.\n"
    assert box.read("Plan (conflict desk 2026-11-30).md") == "We go west.\n"


def test_a_person_chooses(box: Box) -> None:
    """Either version, by its path; the other can be found in the trash."""
    for chosen, text, lost in (
        ("Plan.md", "We go east.\n", "We go west.\n"),
        ("Plan (conflict desk 2026-11-30).md", "We go west.\n", "We go east.\n"),
    ):
        box.write("Plan.md", "We go east.\n")
        box.write("Plan (conflict desk 2026-11-30).md", "We go west.\n")

        assert keep(box, chosen) == "Plan.md"
        assert box.read("Plan.md") == text
        assert lost in [path.read_text() for path in (box.root / ".trash").iterdir()]
        assert settling.find(box.vault) == []


def test_one_of_several_copies_is_named(box: Box) -> None:
    """Choosing the note while it has two copies would drop two versions at once."""
    box.write("Plan.md", "a\n")
    box.write("Plan (conflict desk 2026-11-30).md", "b\n")
    box.write("Plan (conflict desk 2026-11-30 2).md", "c\n")

    with pytest.raises(BadArgument, match="2 copies"):
        keep(box, "Plan.md")
    with pytest.raises(NotFound, match="no copy"):
        merge(box, "Home.md")


def test_a_copy_has_no_identity(box: Box) -> None:
    """A curated note with a copy beside it can be saved; the copy's version becomes one of its revisions."""
    event = say(box, "PostgreSQL")
    values = {"written_by": "claude-code", "at": AT, "locks": box.machine.locks}
    saved = notes.save_note(
        box.vault, note="DB", body=f"## Facts\n\n- PG [^{event}]\n", revision=None, type="decision", **values
    )  # fmt: skip
    assert saved.id is not None
    name = saved.path.replace(".md", ".sync-conflict-20261130-105801-ABCDEF7.md")
    theirs = box.read(saved.path).replace("- PG", f"- MySQL is out [^{event}]\n- PG")
    box.write(name, theirs)

    assert [head.path for head in lookup.list_notes(box.vault)] == [saved.path]
    body = f"## Facts\n\n- PG [^{event}]\n- Since May [^{event}]\n"
    notes.save_note(box.vault, note=saved.path, body=body, revision=saved.revision, **values)  # type: ignore[arg-type]  # as above
    merge(box, name)
    text = box.read(saved.path)
    assert "MySQL is out" in text
    assert "Since May" in text
    assert revisions.kept(box.vault, saved.id, files.revision_of(theirs.encode()))


def test_session_notes_of_two_machines_are_merged_by_their_messages(box: Box) -> None:
    """A copy of a session note is no choice for a person."""
    say(box, "one", 0)
    note = next((box.root / "50_Conversations").glob("*/*.md"))
    path = note.relative_to(box.root).as_posix()
    before = box.read(path)
    say(box, "two", 1)
    both = box.read(path)
    say(box, "three", 2)
    box.write(path.replace(".md", " (conflict desk 2026-11-30).md"), both)
    box.write(path, before + box.read(path).removeprefix(both))
    assert "> two" not in box.read(path)
    merge(box, path.replace(".md", " (conflict desk 2026-11-30).md"))
    text = box.read(path)

    assert text.index("> one") < text.index("> two") < text.index("> three")
