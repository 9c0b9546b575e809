"""What people and editors do to files: every way ends with the same vault on both machines and nobody's line lost."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.sync.machines import Box, files_of, first, join, remote_in, say, session_note
from wwt_vault.vault import check, open_vault, sessions

Two = tuple[Box, Box]
NOTE = "---\nid: p-1\ntype: topic\n---\n\n## A\n\na\n\n## B\n\nb\n"


@pytest.fixture
def two(tmp_path: Path) -> Two:
    """Return two machines in sync, with a note and a session."""
    remote = remote_in(tmp_path)
    one = first(tmp_path, remote)
    one.write("30_Knowledge/Plan.md", NOTE)
    say(one, "hello")
    one.sync()
    return one, join(tmp_path, remote, "desktop")


def settle(*boxes: Box) -> dict[str, bytes]:
    """Sync until all have all; return the vault."""
    for box in (*boxes, *boxes):
        box.sync()
    assert all(files_of(box) == files_of(boxes[0]) for box in boxes)
    assert all(box.git("status", "--porcelain") == "" for box in boxes)
    return files_of(boxes[0])


def move(box: Box, old: str, new: str) -> None:
    """Move a file as Obsidian does."""
    (box.root / new).parent.mkdir(parents=True, exist_ok=True)
    (box.root / old).rename(box.root / new)


def change(box: Box, path: str, old: str, new: str) -> None:
    """Edit a file."""
    box.write(path, box.read(path).replace(old, new))


def plans(vault: dict[str, bytes]) -> list[str]:
    """Return the paths of what became of the note."""
    return sorted(path for path, data in vault.items() if b"id: p-1" in data and path.endswith(".md"))


def test_a_name_that_changes_its_case_here_and_is_edited_there(two: Two) -> None:
    """One note, with the new spelling and the edit."""
    one, other = two
    move(one, "30_Knowledge/Plan.md", "30_Knowledge/plan.md")
    change(other, "30_Knowledge/Plan.md", "b\n", "b, too\n")
    vault = settle(one, other)

    assert plans(vault) == ["30_Knowledge/plan.md"]
    assert b"b, too" in vault["30_Knowledge/plan.md"]


@pytest.mark.parametrize("mover", [0, 1])
def test_a_page_without_an_id_whose_name_changes_its_case_here_and_whose_line_changes_on_both(
    two: Two, tmp_path: Path, mover: int
) -> None:
    """It is one page with the new spelling and one copy on every machine, not two pages whose names some take for one.

    Found by tests/sync/histories.py: nothing but its name said that the new page was the old one, for its line had
    been changed before. Then one machine had both names, and others the first with a copy.
    """
    one, other = two[mover], two[1 - mover]
    third = join(tmp_path, tmp_path / "remote.git", "server")
    one.write("Page.md", "Begun.\n\n- a\n")
    settle(one, other, third)
    change(other, "Page.md", "Begun.", "We go east.")
    other.sync()
    third.sync()
    change(one, "Page.md", "Begun.", "We go west.")
    move(one, "Page.md", "page.md")
    vault = settle(one, third, other)

    copy = f"page (conflict {other.machine.name} 2026-11-30).md"
    assert sorted(path for path in vault if path.lower().startswith("page")) == sorted([copy, "page.md"])
    assert vault[copy] == b"We go east.\n\n- a\n"
    assert b"We go west.\n\n- a\n" in vault["page.md"]


@pytest.mark.parametrize("mover", [0, 1])
def test_a_page_without_an_id_whose_name_changes_its_case_is_merged_with_an_edit_of_another_line(
    two: Two, mover: int
) -> None:
    """Whichever machine merges: one page, no copy, both lines."""
    one, other = two[mover], two[1 - mover]
    one.write("Page.md", "## One\n\na\n\n## Two\n\nb\n")
    settle(*two)
    change(one, "Page.md", "\na\n", "\na, too\n")
    move(one, "Page.md", "page.md")
    change(other, "Page.md", "\nb\n", "\nb, too\n")
    vault = settle(*two)

    assert [path for path in vault if path.lower().startswith("page")] == ["page.md"]
    assert vault["page.md"] == b"## One\n\na, too\n\n## Two\n\nb, too\n"


def test_two_pages_whose_names_differ_by_case_alone_become_one_with_a_copy(two: Two) -> None:
    """Already where both were made, before they are sent: no other machine has anything to decide."""
    one, other = two
    one.write("Page.md", "East.\n")
    settle(*two)
    change(one, "Page.md", "East.", "North.")
    one.write("page.md", "West.\n")
    one.sync()
    vault = settle(other, one)

    assert len([path for path in vault if path.lower() == "page.md"]) == 1
    text = b"\n".join(data for path, data in vault.items() if path.lower().startswith("page"))
    assert b"North." in text
    assert b"West." in text


def test_a_folder_that_changes_its_case_here_while_its_note_is_edited_there(two: Two) -> None:
    """Nothing of it is lost, wherever it comes to lie."""
    one, other = two
    move(one, "30_Knowledge/Plan.md", "30_knowledge/Plan.md")
    change(other, "30_Knowledge/Plan.md", "\nb\n", "\nb, too\n")
    other.sync()
    vault = settle(one, other)

    assert len(plans(vault)) == 1
    assert b"b, too" in vault[plans(vault)[0]]


def test_two_folders_that_differ_by_case_alone_do_not_take_turns(two: Two) -> None:
    """A file and its conflict copy stay in the folder that they are in, however often the machines sync."""
    one, other = two
    move(one, "30_Knowledge/Plan.md", "30_knowledge/plan.md")
    change(one, "30_knowledge/plan.md", "id: p-1\ntype: topic", "x: 1")
    one.write("30_Knowledge/More.md", "x\n")
    change(other, "30_Knowledge/Plan.md", "---\nid: p-1\ntype: topic\n---\n", "First.\n")
    vault = settle(one, other)

    assert settle(other, one) == vault
    text = b"\n".join(data for path, data in vault.items() if path.endswith(".md"))
    assert b"First." in text
    assert b"x: 1" in text


def test_a_note_in_a_folder_of_another_case_goes_where_the_rest_of_the_folder_is(two: Two, tmp_path: Path) -> None:
    """On every machine, whether it has the note where it was or moved it: else they would not be the same at once."""
    one, other = two
    one.write("30_Knowledge/Rest.md", "x\n")
    settle(*two)
    third = join(tmp_path, tmp_path / "remote.git", "third")
    move(one, "30_Knowledge/Plan.md", "30_knowledge/plan.md")
    move(other, "30_Knowledge/Plan.md", "20_Areas/Plan.md")
    for box in (other, one, third):
        box.sync()
    for box in (other, one):
        assert not box.sync().pushed

    assert files_of(one) == files_of(other) == files_of(third)
    assert {"30_Knowledge/plan.md", "30_Knowledge/Rest.md"} <= files_of(one).keys()


def test_two_pages_in_folders_that_differ_by_case_alone_become_one_with_a_copy(two: Two) -> None:
    """Already where both were made, as with names of files."""
    one, other = two
    one.write("20_Areas/House.md", "East.\n")
    settle(*two)
    one.write("20_areas/house.md", "West.\n")
    change(one, "20_Areas/House.md", "East.", "North.")
    one.sync()
    vault = settle(other, one)

    assert len([path for path in vault if path.lower() == "20_areas/house.md"]) == 1
    text = b"\n".join(data for path, data in vault.items() if path.lower().startswith("20_areas/house"))
    assert b"North." in text
    assert b"West." in text


def once(*boxes: Box) -> dict[str, bytes]:
    """Sync each in turn, then those before the last, which must have nothing to send; return the vault."""
    for box in boxes:
        box.sync()
    for box in boxes[:-1]:
        later = box.sync()
        assert (later.pushed, dict(later.sent), later.conflicts) == (False, {}, ())
    assert all(files_of(box) == files_of(boxes[0]) for box in boxes)
    assert all(box.git("status", "--porcelain") == "" for box in boxes)
    return files_of(boxes[0])


def three_with_pages(two: Two, tmp_path: Path) -> tuple[Box, Box, Box]:
    """Return three machines that have two pages, one of them in a folder with another file."""
    one, other = two
    one.write("Plan.md", "Begun.\n\n## One\n\n- a\n\n## Two\n\n- b\n")
    one.write("20_Areas/House.md", "Begun.\n\n## One\n\n- a\n\n## Two\n\n- b\n")
    settle(*two)
    return one, other, join(tmp_path, tmp_path / "remote.git", "server")


def test_pages_whose_names_change_their_case_on_all_machines_are_the_same_after_one_sync_of_each(
    two: Two, tmp_path: Path
) -> None:
    """Found by tests/sync/histories.py (seed 7401): two spellings of a folder went round, a page after them."""
    laptop, desktop, server = three_with_pages(two, tmp_path)
    move(server, "Plan.md", "plan.md")
    change(server, "20_Areas/House.md", "## One\n", "## One\nof the server\n\n")
    change(laptop, "20_Areas/House.md", "Begun.\n", "Begun.\n- of the laptop\n")
    change(laptop, "Plan.md", "## Two\n", "## Two\n- of the laptop, too\n")
    move(laptop, "20_Areas/House.md", "20_areas/house.md")
    server.write("Plan.md", "New.\n\n## One\n\n## Two\n")
    move(server, "20_Areas/House.md", "20_areas/house.md")
    change(server, "Plan.md", "New.\n", "New.\nby the server\n")
    vault = once(laptop, desktop, server)

    assert [path for path in vault if path.lower() == "20_areas/house.md"] == ["20_Areas/house.md"]
    assert b"of the server" in vault["20_Areas/house.md"]
    assert b"- of the laptop\n" in vault["20_Areas/house.md"]
    assert [path for path in vault if path.lower() == "plan.md"] == ["Plan.md"]
    assert b"of the laptop, too" in vault["Plan.md"]
    assert b"by the server" in vault["Plan.md"]


def test_a_page_that_is_made_anew_beside_one_whose_name_changed_its_case_is_told_apart_before_it_is_sent(
    two: Two, tmp_path: Path
) -> None:
    """Found by tests/sync/histories.py (seed 7206): three machines agreed on both names, and `wwt verify` did not."""
    laptop, desktop, server = three_with_pages(two, tmp_path)
    for box in (laptop, desktop, server):
        move(box, "Plan.md", "plan.md")
        move(box, "20_Areas/House.md", "20_areas/house.md")
    laptop.write("Plan.md", "New.\n\n- of the laptop\n")
    vault = once(laptop, desktop, server)

    assert len({path.lower() for path in vault}) == len(vault)
    text = b"\n".join(data for path, data in vault.items() if path.lower().startswith("plan"))
    assert b"- of the laptop\n" in text
    assert b"- b\n" in text
    assert not [problem for problem in check.check_vault(laptop.vault).problems if problem.code == "name_clash"]


def test_a_new_page_in_a_folder_that_got_another_case_is_fetched_as_it_was_sent(two: Two) -> None:
    """The machine that fetches them has the old spelling and must not send it again."""
    one, other = two
    one.write("Areas/Old.md", "x\n")
    settle(*two)
    move(one, "Areas/Old.md", "areas/Old.md")
    one.write("areas/New.md", "y\n")
    one.sync()

    assert not other.sync().pushed
    assert files_of(other) == files_of(one)
    assert {"areas/Old.md", "areas/New.md"} <= files_of(other).keys()


def test_names_of_which_one_is_withheld_stay_apart_and_neither_is_lost(two: Two) -> None:
    """What must not leave this machine is not put into the other file, which would be sent."""
    one, other = two
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2
    one.write("Page.md", "East.\n")
    settle(*two)
    one.write("page.md", f"West: {secret[:40]}\n")

    assert [entry.path for entry in one.sync().withheld] == ["page.md"]
    assert other.sync().conflicts == ()
    assert (one.read("Page.md"), one.read("page.md")) == ("East.\n", f"West: {secret[:40]}\n")
    assert "page.md" not in files_of(other)


def test_a_name_that_changes_its_case_and_is_not_edited(two: Two) -> None:
    """Either machine may merge it."""
    one, other = two
    say(other, "meanwhile", 3)
    move(one, "30_Knowledge/Plan.md", "30_Knowledge/plan.md")

    assert plans(settle(one, other)) == ["30_Knowledge/plan.md"]


def test_a_note_that_both_moved_to_different_places(two: Two) -> None:
    """One place of the two, with both edits."""
    one, other = two
    move(one, "30_Knowledge/Plan.md", "20_Areas/Plan.md")
    change(one, "20_Areas/Plan.md", "\na\n", "\na, too\n")
    move(other, "30_Knowledge/Plan.md", "10_Projects/Plan.md")
    change(other, "10_Projects/Plan.md", "\nb\n", "\nb, too\n")
    vault = settle(one, other)

    assert len(plans(vault)) == 1
    assert b"a, too" in vault[plans(vault)[0]]
    assert b"b, too" in vault[plans(vault)[0]]


@pytest.mark.parametrize("mover", [0, 1])
def test_two_pages_that_were_moved_to_one_name_and_edited_lose_no_line(two: Two, mover: int) -> None:
    """Whichever machine merges. Found by tests/sync/histories.py: the second merge took the place of the first one."""
    one, other = two[mover], two[1 - mover]
    one.write("Plan.md", "Begun.\n\n## One\n\n- a\n")
    one.write("20_Areas/House.md", "Begun.\n\n## One\n\n- a\n")
    settle(*two)
    change(other, "20_Areas/House.md", "- a\n", "- a\n- of the house\n")
    move(other, "20_Areas/House.md", "30_Knowledge/Moved.md")
    change(other, "Plan.md", "## One\n", "## One\n\nof the plan\n")
    move(one, "Plan.md", "30_Knowledge/Moved.md")
    vault = settle(other, one)

    text = b"\n".join(data for path, data in vault.items() if path.endswith(".md"))
    assert b"- of the house\n" in text
    assert b"of the plan\n" in text


@pytest.mark.parametrize("mover", [0, 1])
def test_a_note_that_is_moved_to_where_another_one_was_made(two: Two, mover: int) -> None:
    """Both notes are there, with the edit that was made at the old place."""
    one, other = two[mover], two[1 - mover]
    move(one, "30_Knowledge/Plan.md", "20_Areas/Plan.md")
    other.write("20_Areas/Plan.md", "Quite another one.\n")
    change(other, "30_Knowledge/Plan.md", "\nb\n", "\nb, too\n")
    vault = settle(*two)

    assert any(data == b"Quite another one.\n" for data in vault.values())
    assert any(b"b, too" in vault[path] for path in plans(vault))


def test_an_empty_note_that_was_deleted_is_not_taken_for_another_empty_one(two: Two) -> None:
    """What is written into it elsewhere stays in it."""
    one, other = two
    one.write("A.md", "")
    settle(one, other)
    (one.root / "A.md").unlink()
    one.write("B.md", "")
    other.write("A.md", "mine\n")
    vault = settle(one, other)

    assert (vault["A.md"], vault["B.md"]) == (b"mine\n", b"")


def test_a_folder_that_was_renamed_here_while_its_notes_were_edited_there(two: Two) -> None:
    """Every note is in the new folder, the old one is gone on both."""
    one, other = two
    move(one, "30_Knowledge", "30_Wissen")
    change(other, "30_Knowledge/Plan.md", "\nb\n", "\nb, too\n")
    vault = settle(one, other)

    assert plans(vault) == ["30_Wissen/Plan.md"]
    assert b"b, too" in vault["30_Wissen/Plan.md"]
    assert not (other.root / "30_Knowledge").exists()


def test_a_session_note_that_was_renamed_here_and_appended_to_there(two: Two) -> None:
    """It is found by its session; the new message is in the renamed note."""
    one, other = two
    old = session_note(one).relative_to(one.root).as_posix()
    new = old.replace("claude-code shop", "About the shop")
    move(one, old, new)
    say(other, "more", 5)
    vault = settle(one, other)

    assert [path for path in vault if path.startswith("50_Conversations/2")] == [new]
    assert b"> more" in vault[new]
    found = sessions.find_session_note(open_vault(other.root), "claude-code", "42edc39d-0000-4000-8000-000000000000")
    assert found == other.root / new


@pytest.mark.parametrize("start", ["\ufeff", ""])
def test_line_ends_and_a_byte_order_mark_stay_what_they_were(two: Two, start: str) -> None:
    """An editor on Windows writes CRLF: the edit from elsewhere is merged into it, line by line."""
    one, other = two
    one.write("Win.md", start + "## A\r\n\r\na\r\n\r\n## B\r\n\r\nb\r\n")
    settle(one, other)
    change(one, "Win.md", "\r\na\r\n", "\r\na, too\r\n")
    change(other, "Win.md", "\r\nb\r\n", "\r\nb, too\r\n")
    vault = settle(one, other)

    assert vault["Win.md"].decode() == start + "## A\r\n\r\na, too\r\n\r\n## B\r\n\r\nb, too\r\n"


def test_bytes_that_are_no_text_are_kept_twice(two: Two) -> None:
    """A note in another encoding cannot be merged by lines."""
    one, other = two
    for box, data in ((one, b"\xff\xfe one"), (other, b"\xff\xfe other")):
        (box.root / "Latin.md").write_bytes(data)
    vault = settle(one, other)

    assert sorted(data for path, data in vault.items() if path.startswith("Latin")) == [
        b"\xff\xfe one",
        b"\xff\xfe other",
    ]


@pytest.mark.parametrize("name", ["-rf.md", 'it\'s "so".md', "😀 메모.md", ":colon.md", "100%.md", "[x] #y ^z.md"])
@pytest.mark.skipif(os.name != "posix", reason="Windows has no such names")
def test_any_name_that_a_person_can_give_is_synced(two: Two, name: str) -> None:
    """Also what git, a shell or Obsidian's links would take for something else."""
    one, other = two
    one.write(f"30_Knowledge/{name}", "x\n")

    assert settle(one, other)[f"30_Knowledge/{name}"] == b"x\n"


@pytest.mark.skipif(os.name != "posix", reason="Windows has no such names")
def test_a_name_with_a_backslash_stays_where_it_is(two: Two) -> None:
    """On Windows it would be a path: the person is told."""
    one, _ = two
    one.write("30_Knowledge/a\\b.md", "x\n")

    assert [(entry.path, entry.reason) for entry in one.sync().withheld] == [("30_Knowledge/a\\b.md", "name")]


def test_an_emptied_file_and_an_edit(two: Two) -> None:
    """To empty a note is to take its lines out: what was added elsewhere is not lost."""
    one, other = two
    one.write("30_Knowledge/Plan.md", "")
    change(other, "30_Knowledge/Plan.md", "\nb\n", "\nb\n\nnew\n")
    vault = settle(one, other)

    assert b"new" in b"".join(vault.values())


def test_a_copy_that_is_settled_here_while_the_note_is_edited_there(two: Two) -> None:
    """The copy stays away, the link as well, and the edit is there."""
    one, other = two
    change(one, "30_Knowledge/Plan.md", "\na\n", "\na1\n")
    change(other, "30_Knowledge/Plan.md", "\na\n", "\na2\n")
    vault = settle(one, other)
    copy = next(path for path in vault if "(conflict " in path)
    (one.root / copy).unlink()
    text = one.read("30_Knowledge/Plan.md")
    start, end = text.index("conflicts:"), text.index("---\n", 4)
    one.write("30_Knowledge/Plan.md", text[:start] + text[end:])
    change(other, "30_Knowledge/Plan.md", "\nb\n", "\nb, too\n")
    vault = settle(one, other)

    assert not [path for path in vault if "(conflict " in path]
    assert b"b, too" in vault["30_Knowledge/Plan.md"]
    assert b"conflicts" not in vault["30_Knowledge/Plan.md"]


def test_variables_of_a_git_that_calls_us_lead_nowhere_else(two: Two, tmp_path: Path) -> None:
    """Called from a hook of another repository, sync still works in the vault's own."""
    one, other = two
    leads_away = {"GIT_DIR": str(tmp_path / "x.git"), "GIT_WORK_TREE": str(tmp_path), "GIT_INDEX_FILE": "/dev/null"}
    caught = one._replace(machine=one.machine._replace(environ={**one.machine.environ, **leads_away}))
    say(one, "from a hook", 3)
    assert caught.sync().pushed
    assert settle(one, other)
