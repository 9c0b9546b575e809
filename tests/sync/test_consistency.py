"""After a merge the vault is one: its history, its relations, and what search says of it on either machine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.sync.machines import AT, Box, files_of, first, join, remote_in, say
from wwt_vault import markdown
from wwt_vault.index import Index
from wwt_vault.model.knowledge import SavedNote
from wwt_vault.vault import check, documents, notes, revisions

Two = tuple[Box, Box]


@pytest.fixture
def two(tmp_path: Path) -> Two:
    """Return two machines in sync that have a decision with one fact."""
    remote = remote_in(tmp_path)
    one = first(tmp_path, remote)
    save(one, "DB", f"## Facts\n\n- PG [^{say(one, 'PG')}]\n")
    one.sync()
    return one, join(tmp_path, remote, "desktop")


def save(box: Box, note: str, body: str, **more: Any) -> SavedNote:
    """Save as an agent does."""
    values: dict[str, Any] = {"revision": None, "type": "decision", **more}
    return notes.save_note(
        box.vault, note=note, body=body, written_by="claude-code", at=AT, locks=box.machine.locks, **values
    )


def add(box: Box, fact: str, minute: int) -> None:
    """Add a fact to the decision."""
    note = notes.read_note(box.vault, "DB")
    edit = notes.Edit(how="append", text=f"- {fact} [^{say(box, fact, minute)}]", heading="Facts")
    save(box, "DB", notes.with_edits(note, [edit], day=AT.date(), language="en"), revision=note.revision)


def everyone(*boxes: Box) -> None:
    """Sync until all have all."""
    for box in (*boxes, *boxes):
        box.sync()
    assert all(files_of(box) == files_of(boxes[0]) for box in boxes)


def test_two_saves_on_two_machines_are_one_note_with_one_history(two: Two) -> None:
    """Both facts and both citations; every revision is kept, and what both came to is the last save."""
    one, other = two
    add(one, "Since May", 1)
    add(other, "On port 5432", 2)
    everyone(one, other)

    note = notes.read_note(one.vault, "DB")
    assert "Since May" in note.text
    assert "On port 5432" in note.text
    assert check.check_vault(one.vault).problems == ()
    assert note.id is not None
    history = revisions.history(one.vault, note.id, note.revision)
    assert [entry.written_by for entry in history] == ["claude-code", "claude-code", "claude-code", "wwt"]
    assert history[-1].revision == note.revision == revisions.written_last(one.vault, note.id)
    assert all(revisions.kept(one.vault, note.id, entry.revision) for entry in history)


def test_an_agent_may_take_out_what_another_agent_said_elsewhere(two: Two) -> None:
    """What came by a merge is no edit of a person's, which a save could not drop."""
    one, other = two
    add(one, "Since May", 1)
    add(other, "On port 5432", 2)
    everyone(one, other)
    note = notes.read_note(other.vault, "DB")
    body = "".join(
        line for line in markdown.split(note.text).body.splitlines(keepends=True) if "- Since May" not in line
    )
    saved = save(other, "DB", body, revision=note.revision)

    assert saved.kept == ()
    assert "- Since May" not in saved.text


def test_what_a_person_wrote_elsewhere_is_still_the_persons(two: Two) -> None:
    """After the merge a save that does not know their line keeps it."""
    one, other = two
    path = other.root / "40_Decisions/DB.md"
    path.write_text(path.read_text().replace("- PG", "- Ask Minji first\n- PG"))
    add(one, "Since May", 1)
    everyone(one, other)
    note = notes.read_note(one.vault, "DB")
    body = "".join(line for line in markdown.split(note.text).body.splitlines(keepends=True) if "Minji" not in line)
    saved = save(one, "DB", body, revision=note.revision)

    assert "- Ask Minji first" in saved.text


def test_a_decision_that_two_machines_replaced_is_replaced_by_both(two: Two) -> None:
    """Links forward and back agree, and no relation is one-sided."""
    one, other = two
    save(one, "New one", f"## Facts\n\n- A [^{say(one, 'A', 1)}]\n", relations={"updates": ["DB"]})
    save(other, "New two", f"## Facts\n\n- B [^{say(other, 'B', 2)}]\n", relations={"updates": ["DB"]})
    everyone(one, other)

    text = one.read("40_Decisions/DB.md")
    assert "status: superseded" in text
    assert "[[New one]]" in text
    assert "[[New two]]" in text
    assert check.check_vault(one.vault).problems == ()


def test_both_indexes_give_the_same_answers_and_only_what_changed_is_read_again(two: Two, tmp_path: Path) -> None:
    """The index follows by the stamps of files: one merged note and one session note, not the vault."""
    one, other = two
    indexes = {box.machine.name: Index(tmp_path / f"index-{box.machine.name}", lambda: None) for box in two}

    def refresh(box: Box) -> Any:
        return indexes[box.machine.name].refresh(
            documents.catalog(box.vault), lambda name: documents.load_document(box.vault, name)
        )

    for box in two:
        refresh(box)
    add(one, "Since May", 1)
    add(other, "On port 5432", 2)
    everyone(one, other)
    for box in two:
        report = refresh(box)
        assert (report.added, report.updated, report.removed) == (0, 2, 0)
    for question in ("port 5432", "May", "PG"):
        found = [
            [(hit.passage, round(hit.score, 6)) for hit in indexes[box.machine.name].keyword(question)] for box in two
        ]
        assert found[0] == found[1] != []
    for index in indexes.values():
        index.close()


def test_what_each_machine_brought_is_told(two: Two) -> None:
    """By the name of the machine on which it was said, also when a third one had merged it."""
    one, other = two
    say(one, "a", 1)
    say(one, "b", 2)
    one.sync()
    third = join(one.root.parent, one.root.parent / "remote.git", "server")
    say(third, "c", 3)
    third.sync()
    done = other.sync()

    assert {name: counts["messages"] for name, counts in done.received.items()} == {"laptop": 2, "server": 1}
