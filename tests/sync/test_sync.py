"""One vault on two machines: what either side wrote is on both, and nothing else than files is touched."""

from __future__ import annotations

from pathlib import Path

from tests.sync.machines import AT, Box, files_of, first, git, join, remote_in, say, session_note
from wwt_vault.vault import forgetting


def two(folder: Path) -> tuple[Box, Box, Path]:
    """Return two machines in sync, and the repository between them."""
    remote = remote_in(folder)
    one = first(folder, remote)
    return one, join(folder, remote, "desktop"), remote


def test_an_empty_folder_becomes_the_vault_of_the_other_side(tmp_path: Path) -> None:
    """After joining, both machines have the same bytes in the same files."""
    one, other, _ = two(tmp_path)

    assert files_of(one) == files_of(other)
    assert one.vault.id == other.vault.id


def test_what_both_said_in_one_session_is_in_one_note_in_order_of_time(tmp_path: Path) -> None:
    """Blocks of both machines, and a person's line under one of them."""
    one, other, _ = two(tmp_path)
    say(one, "first", 0)
    one.sync()
    other.sync()
    say(one, "second", 1)
    say(other, "third", 2)
    note = session_note(one)
    note.write_text(note.read_text().replace("> first\n", "> first\n") + "\nMy remark.\n")
    one.sync()
    done = other.sync()
    one.sync()

    assert files_of(one) == files_of(other)
    text = session_note(one).read_text()
    assert text.index("> first") < text.index("> second") < text.index("My remark.") < text.index("> third")
    assert done.received == {"laptop": {"messages": 1, "sessions": 1, "notes": 0, "others": 0}}
    assert done.conflicts == ()


def test_sections_that_two_people_changed_are_both_there(tmp_path: Path) -> None:
    """A page is merged by its sections; nothing of it is a conflict."""
    one, other, _ = two(tmp_path)
    one.write("Plan.md", "# Plan\n\n## One\n\na\n\n## Two\n\nb\n")
    one.sync()
    other.sync()
    one.write("Plan.md", "# Plan\n\n## One\n\na1\n\n## Two\n\nb\n")
    other.write("Plan.md", "# Plan\n\n## One\n\na\n\n## Two\n\nb2\n")
    one.sync()
    other.sync()
    one.sync()

    assert one.read("Plan.md") == other.read("Plan.md") == "# Plan\n\n## One\n\na1\n\n## Two\n\nb2\n"


def test_what_cannot_be_merged_keeps_both_sides(tmp_path: Path) -> None:
    """The text stays on the side that merges, the other's becomes a copy that the note links to; no marker anywhere."""
    one, other, _ = two(tmp_path)
    one.write("Plan.md", "We go north.\n")
    one.sync()
    other.sync()
    one.write("Plan.md", "We go east.\n")
    other.write("Plan.md", "We go west.\n")
    one.sync()
    done = other.sync()
    one.sync()

    assert [tuple(conflict) for conflict in done.conflicts] == [("Plan.md", "Plan (conflict laptop 2026-11-30).md")]
    assert files_of(one) == files_of(other)
    assert one.read("Plan.md") == '---\nconflicts:\n  - "[[Plan (conflict laptop 2026-11-30)]]"\n---\nWe go west.\n'
    assert one.read("Plan (conflict laptop 2026-11-30).md") == "We go east.\n"
    assert not any(b"<<<<<<<" in data for data in files_of(one).values())


def test_a_note_that_one_side_moved_and_the_other_changed_is_one_note(tmp_path: Path) -> None:
    """Moved by a person in Obsidian, edited elsewhere: the edit is in the new place, and there is no second note."""
    one, other, _ = two(tmp_path)
    one.write("Plan.md", "---\nid: p-1\ntype: topic\n---\n\n## A\n\na\n\n## B\n\nb\n")
    one.sync()
    other.sync()
    (one.root / "Plan.md").unlink()
    one.write("20_Areas/The plan.md", "---\nid: p-1\ntype: topic\n---\n\n## A\n\na, too\n\n## B\n\nb\n")
    other.write("Plan.md", "---\nid: p-1\ntype: topic\n---\n\n## A\n\na\n\n## B\n\nb, too\n")
    one.sync()
    other.sync()
    one.sync()

    assert files_of(one) == files_of(other)
    assert not (one.root / "Plan.md").exists()
    assert "a, too" in one.read("20_Areas/The plan.md")
    assert "b, too" in one.read("20_Areas/The plan.md")


def test_deleted_here_and_changed_there_stays(tmp_path: Path) -> None:
    """A change is words, a deletion is not."""
    one, other, _ = two(tmp_path)
    one.write("Plan.md", "a\n")
    one.sync()
    other.sync()
    (one.root / "Plan.md").unlink()
    other.write("Plan.md", "b\n")
    one.sync()
    other.sync()
    one.sync()

    assert one.read("Plan.md") == other.read("Plan.md") == "b\n"


def test_deleted_on_one_side_is_deleted_on_both(tmp_path: Path) -> None:
    """What nobody changed meanwhile goes; its empty folder as well."""
    one, other, _ = two(tmp_path)
    one.write("Trip/Plan.md", "a\n")
    one.sync()
    other.sync()
    (one.root / "Trip/Plan.md").unlink()
    one.sync()
    other.sync()

    assert not (other.root / "Trip").exists()


def test_an_event_that_was_deleted_comes_back(tmp_path: Path) -> None:
    """Words are forgotten by `wwt forget` alone; whatever deleted the file, both machines still have it."""
    one, other, _ = two(tmp_path)
    event = say(one, "kept")
    one.sync()
    other.sync()
    path = next((other.root / ".wwt/events").rglob(f"{event}.json"))
    data = path.read_bytes()
    path.unlink()
    done = other.sync()
    assert path.read_bytes() == data
    assert "has been put back" in done.notes[0]

    path.write_bytes(data.replace(b"kept", b"lost"))
    other.sync()
    assert path.read_bytes() == data


def test_what_was_forgotten_on_one_machine_is_forgotten_on_the_other(tmp_path: Path) -> None:
    """Also where the other machine has added to the same session meanwhile; what was not forgotten stays."""
    one, other, _ = two(tmp_path)
    event = say(one, "my bank is Hanbit")
    one.sync()
    other.sync()
    say(other, "another thing", 1)
    forgetting.forget(one.vault, events=[event], reason="private", at=AT, locks=one.machine.locks)
    one.sync()
    other.sync()
    one.sync()

    assert files_of(one) == files_of(other)
    found = b"".join(files_of(other).values())
    assert b"Hanbit" not in found
    assert b"another thing" in found


def test_what_is_only_taken_in_makes_no_commit(tmp_path: Path) -> None:
    """Not of a message that was forgotten elsewhere either: the other side's history is this side's then."""
    one, other, remote = two(tmp_path)
    event = say(one, "my phone is 010-1234-5678")
    one.sync()
    other.sync()
    forgetting.forget(one.vault, events=[event], reason="private", at=AT, locks=one.machine.locks)
    assert one.sync().pushed
    head = git(remote, "rev-parse", "main")

    taken = other.sync()
    assert (taken.pushed, dict(taken.sent), git(remote, "rev-parse", "main")) == (False, {}, head)
    assert other.git("rev-parse", "HEAD") == head
    assert files_of(one) == files_of(other)


def test_a_secret_stays_on_the_machine_until_it_is_allowed(tmp_path: Path) -> None:
    """The note that has it is not committed, the person is told where it stands; all else is sent."""
    one, other, _ = two(tmp_path)
    one.write("Server.md", "Login\n\npassword: Xk9#mQ2v!pL7wZ\n")
    one.write("Other.md", "x\n")
    done = one.sync()
    other.sync()

    assert [(entry.path, entry.reason) for entry in done.withheld] == [("Server.md", "secret")]
    assert "Server.md:3" in done.withheld[0].message
    assert "Xk9#" not in git(one.root, "log", "-p", "--all")
    assert not (other.root / "Server.md").exists()
    assert (other.root / "Other.md").exists()

    one.sync(allowed=["Server.md"])
    one.write("Server.md", one.read("Server.md") + "more\n")
    assert one.sync().withheld == ()
    other.sync()
    assert other.read("Server.md").endswith("more\n")


def test_a_secret_that_a_person_added_to_a_session_note_stays_and_the_line_is_named(tmp_path: Path) -> None:
    """What was said there was redacted before it was written: only what was added is looked through."""
    one, _, _ = two(tmp_path)
    say(one, "hello")
    note = session_note(one)
    note.write_text(note.read_text() + "password: Xk9#mQ2v!pL7wZ\n")
    line = note.read_text().splitlines().index("password: Xk9#mQ2v!pL7wZ") + 1
    done = one.sync()

    assert [entry.reason for entry in done.withheld] == ["secret"]
    assert f"{note.name}:{line} " in done.withheld[0].message


def test_what_is_none_of_a_vaults_is_not_sent(tmp_path: Path) -> None:
    """Programs, plugins and other files in the folder stay where they are."""
    one, other, _ = two(tmp_path)
    one.write("run.sh", "x")
    one.write(".obsidian/plugins/x/main.js", "x")
    done = one.sync()
    other.sync()

    assert done.others == 2
    assert not (other.root / "run.sh").exists()
    assert not (other.root / ".obsidian/plugins").exists()


def test_two_vaults_become_one(tmp_path: Path) -> None:
    """Made on each machine before anybody thought of sync: nothing of either is lost, and they have one id."""
    remote = remote_in(tmp_path)
    one = first(tmp_path, remote)
    say(one, "on the laptop")
    one.write("Mine.md", "laptop\n")
    one.sync()
    other = first(tmp_path, None, "desktop")
    say(other, "on the desktop", 5, "77777777-0000-4000-8000-000000000000")
    other.write("Mine.md", "desktop\n")
    from wwt_vault import sync as syncing

    syncing.begin(other.vault, other.machine, str(remote))
    other.sync()
    one.sync()

    assert files_of(one) == files_of(other)
    found = b"".join(files_of(one).values()).decode()
    assert all(words in found for words in ("on the laptop", "on the desktop", "laptop\n", "desktop\n"))


def test_offline_is_no_error_and_nothing_waits_forever(tmp_path: Path) -> None:
    """What was committed without a network goes with the next sync."""
    one, other, remote = two(tmp_path)
    away = remote.rename(tmp_path / "unplugged.git")
    say(one, "offline")
    done = one.sync()
    assert "is not there now" in done.offline
    assert done.sent["messages"] == 1

    away.rename(remote)
    assert one.sync().pushed
    other.sync()
    assert files_of(one) == files_of(other)


def test_a_person_uses_git_beside_it(tmp_path: Path) -> None:
    """Commits of obsidian-git or of a person are synced like our own, and git sees a clean tree afterwards."""
    one, other, _ = two(tmp_path)
    one.write("Hand.md", "by hand\n")
    one.git("add", "-A")
    one.git("commit", "-qm", "vault backup")
    one.sync()
    say(other, "hello")
    other.sync()
    one.git("pull", "-q", "--no-rebase")

    assert one.git("status", "--porcelain") == other.git("status", "--porcelain") == ""
    assert files_of(one) == files_of(other)
    assert other.read("Hand.md") == "by hand\n"


def test_git_itself_merges_notes_as_sync_does(tmp_path: Path) -> None:
    """A `git pull` of two changes: sections are merged, what cannot be is kept twice, and no marker is written."""
    one, other, _ = two(tmp_path)
    for path in ("Plan.md", "Line.md"):
        one.write(path, "## One\n\n- a\n\n## Two\n\nb\n")
    one.sync()
    other.sync()
    one.write("Plan.md", "## One\n\n- a\n- mine\n\n## Two\n\nb\n")
    other.write("Plan.md", "## One\n\n- a\n- theirs\n\n## Two\n\nb\n")
    one.write("Line.md", "## One\n\n- a\n\n## Two\n\nc\n")
    other.write("Line.md", "## One\n\n- a\n\n## Two\n\nd\n")
    other.sync()
    one.git("commit", "-qam", "vault backup")
    one.git("pull", "-q", "--no-rebase", "--no-edit")

    assert "- mine\n- theirs\n" in one.read("Plan.md")
    assert one.read("Line.md").endswith("\nc\n")
    copy = next(path for path in files_of(one) if path.startswith("Line (conflict elsewhere "))
    assert one.read(copy).endswith("\nd\n")
    assert f"[[{copy.removesuffix('.md')}]]" in one.read("Line.md")
    one.sync()
    other.sync()
    assert files_of(one) == files_of(other)
