"""The check finds each planted fault, names it, and finds nothing where nothing is wrong."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path

import pytest

from wwt_vault.errors import NotFound
from wwt_vault.model.conversation import EventId, Message, Session
from wwt_vault.vault import Vault, check, events, layout, notes, sessions

AT = datetime(2026, 11, 30, 1, 58, 1, tzinfo=UTC)
UNKNOWN = "20261130T015801Z-000000000000"


@pytest.fixture
def ids(vault: Vault) -> list[EventId]:
    """Fill the vault: one session of three messages, two notes that cite the first two. Return the ids."""
    session = Session(host="gemini", session_id="aa11bb22-0000-4000-8000-000000000000", cwd="/code/shop")
    note = sessions.create_session_note(vault, session, "shop", "box", AT)
    found = []
    for at, text in enumerate(["We take SQLite.", "Agreed.\n> quoted ^abc\n%%\x07", "안녕"]):
        role = "assistant" if at % 2 else "user"
        event = events.event_of(Message(session=session, role=role, text=text, time=AT + timedelta(minutes=at)), 1)
        events.write_event(vault, event)
        sessions.append_event(vault, note, event)
        found.append(event.id)
    for title, event in (("Storage", found[0]), ("Agreement", found[1])):
        body = f"## Facts\n- so it was said [^{event}]"
        more = {"written_by": "gemini", "at": AT, "locks": vault.root.parent / "locks"}
        notes.save_note(vault, note=title, body=body, revision=None, type="topic", **more)
    return found


def found(vault: Vault) -> list[tuple[str, str, int]]:
    """Check everything; return what is wrong."""
    return [(problem.code, problem.path, problem.line) for problem in check.check_vault(vault).problems]


def event_file(vault: Vault, event: EventId) -> Path:
    """Return an event's file, made writable."""
    path = vault.root / layout.event_path(event)
    path.chmod(0o644)
    return path


def edit(path: Path, change: Callable[[str], str]) -> None:
    """Change a file as an editor does."""
    path.write_text(change(path.read_text("utf-8")), "utf-8")


def test_a_sound_vault_has_no_problem(vault: Vault, ids: list[EventId]) -> None:
    """The template, a session with awkward words and two notes: counted, and nothing found; nothing is written."""
    before = {path: path.read_bytes() for path in vault.root.rglob("*") if path.is_file()}
    report = check.check_vault(vault)

    assert (report.events, report.notes, report.citations, report.problems) == (3, 2, 2, ())
    assert {path: path.read_bytes() for path in vault.root.rglob("*") if path.is_file()} == before


class TestEvents:
    """Every hash is computed again."""

    def test_an_event_that_is_no_json(self, vault: Vault, ids: list[EventId]) -> None:
        """It is named, and the words in its session note stay."""
        event_file(vault, ids[2]).write_text("{", "utf-8")

        assert found(vault) == [("damaged_event", layout.event_path(ids[2]), 0)]

    def test_words_that_were_changed(self, vault: Vault, ids: list[EventId]) -> None:
        """The hash in the event gives it away, and the session note differs."""
        edit(event_file(vault, ids[0]), lambda text: text.replace("SQLite", "Postgres"))

        assert ("event_changed", layout.event_path(ids[0]), 0) in found(vault)
        assert "block_changed" in [code for code, _, _ in found(vault)]

    def test_words_and_hash_that_were_changed(self, vault: Vault, ids: list[EventId]) -> None:
        """The id is made of the words, so it gives even that away."""
        path = event_file(vault, ids[0])
        table = json.loads(path.read_text("utf-8"))
        table["text"] = "We take Postgres."
        table["content_sha256"] = sha256(table["text"].encode()).hexdigest()
        path.write_text(json.dumps(table), "utf-8")

        assert ("event_identity", layout.event_path(ids[0]), 0) in found(vault)

    def test_an_event_under_another_name(self, vault: Vault, ids: list[EventId]) -> None:
        """The path follows from the id, and nothing else lies among the events."""
        path = event_file(vault, ids[2])
        path.with_name(f"{UNKNOWN}.json").write_bytes(path.read_bytes())
        path.with_name("notes.txt").write_text("x")
        problems = found(vault)

        assert ("event_misplaced", layout.event_path(UNKNOWN), 0) in problems
        assert ("foreign_file", ".wwt/events/2026/11/30/notes.txt", 0) in problems

    def test_an_event_that_is_a_link(self, vault: Vault, ids: list[EventId], tmp_path: Path) -> None:
        """A vault from elsewhere may hold such; it is not followed."""
        path = event_file(vault, ids[2])
        (tmp_path / "outside.json").write_bytes(path.read_bytes())
        path.unlink()
        path.symlink_to(tmp_path / "outside.json")

        assert ("unreadable", layout.event_path(ids[2]), 0) in found(vault)


class TestSessionNotes:
    """What people read is held against what was stored."""

    def test_a_block_that_is_missing(self, vault: Vault, ids: list[EventId]) -> None:
        """The event is there, its session note does not tell it."""
        path = next((vault.root / "50_Conversations" / "2026").iterdir())
        edit(path, lambda text: text[: text.index("> [!user] 11:00")])

        assert found(vault) == [("not_in_session_note", layout.event_path(ids[2]), 0)]

    def test_a_block_that_was_changed(self, vault: Vault, ids: list[EventId]) -> None:
        """By its line; a person's own lines between the blocks are no change."""
        path = next((vault.root / "50_Conversations" / "2026").iterdir())
        edit(path, lambda text: text.replace("SQLite", "Postgres") + "\nmy own words\n")
        line = path.read_text("utf-8").split("\n").index("> [!user] 10:58") + 1

        assert found(vault) == [("block_changed", path.relative_to(vault.root).as_posix(), line)]

    def test_a_block_without_event(self, vault: Vault, ids: list[EventId]) -> None:
        """Words that nothing proves; the note that cites them has no evidence any more."""
        event_file(vault, ids[0]).unlink()
        problems = found(vault)

        assert [code for code, _, _ in problems] == ["dangling_citation", "block_without_event"]
        assert problems[0][1:] == ("30_Knowledge/Storage.md", 15)

    def test_a_block_of_another_session(self, vault: Vault, ids: list[EventId]) -> None:
        """A note whose frontmatter was changed tells the words of a session it is not."""
        path = next((vault.root / "50_Conversations" / "2026").iterdir())
        edit(path, lambda text: text.replace("host: gemini", "host: codex"))

        assert {code for code, _, _ in found(vault)} == {"block_misplaced"}


class TestNotes:
    """Every citation is followed."""

    @pytest.mark.parametrize("path", ["30_Knowledge/Storage.md", "Page.md", "Templates/Mine.md"])
    def test_a_dangling_citation_is_the_one_reported(self, vault: Vault, ids: list[EventId], path: str) -> None:
        """In a curated note as in any page, with its line; code cites nothing, a malformed id is told as such."""
        file = vault.root / path
        text = file.read_text("utf-8") if file.exists() else ""
        file.write_text(f"{text}\nx `[^{UNKNOWN}]`\n\ny [^{UNKNOWN}]\n\nz [^20261130T015801Z-9f]", "utf-8")
        line = text.count("\n") + 4

        assert found(vault) == [("dangling_citation", path, line), ("malformed_citation", path, line + 2)]

    @pytest.mark.parametrize(
        ("content", "code", "line"),
        [
            (b"---\na: [\n---\n", "broken_frontmatter", 3),
            (b"---\na: 1\na: 2\n---\n", "duplicate_key", 3),
            (b"x\n<<<<<<< a\n=======\n>>>>>>> b\n", "conflict_markers", 2),
            (b"\xff", "not_utf8", 1),
        ],
    )
    def test_a_page_that_is_broken(
        self, vault: Vault, ids: list[EventId], content: bytes, code: str, line: int
    ) -> None:
        """A document's own problems are problems of the vault."""
        (vault.root / "Page.md").write_bytes(content)

        assert found(vault) == [(code, "Page.md", line)]

    def test_two_notes_with_one_id(self, vault: Vault, ids: list[EventId]) -> None:
        """A copy made in Obsidian."""
        (vault.root / "Storage 1.md").write_bytes((vault.root / "30_Knowledge" / "Storage.md").read_bytes())

        assert found(vault) == [("duplicate_id", "Storage 1.md", 0)]

    def test_two_names_that_differ_by_case(self, vault: Vault, ids: list[EventId]) -> None:
        """Windows and macOS would hold only one of them."""
        (vault.root / "Page.md").write_text("x")
        (vault.root / "page.md").write_text("x")
        if len(list(vault.root.glob("[Pp]age.md"))) < 2:
            pytest.skip("this file system holds only one of them")

        assert found(vault) == [("name_clash", "page.md", 0)]

    def test_a_kept_revision_that_was_changed(self, vault: Vault, ids: list[EventId]) -> None:
        """Its name is its hash; what is no revision at all is named too."""
        revisions = vault.root / ".wwt" / "revisions"
        path = next(revisions.glob("*/*.md"))
        path.chmod(0o644)
        path.write_text("x")
        (revisions / "not an id").mkdir()

        assert sorted(found(vault)) == [
            ("damaged_revision", path.relative_to(vault.root).as_posix(), 0),
            ("foreign_file", ".wwt/revisions/not an id", 0),
        ]


def test_single_notes_are_checked_with_what_they_cite(vault: Vault, ids: list[EventId]) -> None:
    """By path, id or title; faults elsewhere do not matter, an unknown note is an error."""
    event_file(vault, ids[0]).write_text("{", "utf-8")
    event_file(vault, ids[2]).unlink()
    sound, broken = (
        check.check_vault(vault, ["agreement"]),
        check.check_vault(vault, ["30_Knowledge/Storage.md", "storage"]),
    )

    assert (sound.events, sound.notes, sound.citations, sound.problems) == (1, 1, 1, ())
    assert (broken.events, broken.notes, broken.citations) == (1, 1, 1)
    assert [problem.code for problem in broken.problems] == ["damaged_event"]
    with pytest.raises(NotFound):
        check.check_vault(vault, ["nowhere"])
