"""Session notes: one note a conversation, appended to, found again, and made again from the events."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from wwt_vault.errors import NotFound, VaultError
from wwt_vault.model.conversation import Event, Message, Session
from wwt_vault.vault import Vault, events, sessions

START = datetime(2026, 11, 29, 16, 58, 1, 500_000, tzinfo=UTC)
"""The 30th in Seoul."""
SESSION = Session(host="claude-code", session_id="42edc39d-1111-4222-8333-444455556666", cwd="/home/me/shop")


def create(vault: Vault, session: Session = SESSION, project: str | None = "shop", **changes: Any) -> Path:
    """Make the session's note."""
    values = {"machine": "laptop", "started": START, **changes}
    return sessions.create_session_note(vault, session, project, **values)


def say(vault: Vault, text: str, session: Session = SESSION, seconds: int = 0) -> Event:
    """Store a message as an event."""
    said = Message(session=session, role="user", text=text, time=START + timedelta(seconds=seconds))
    event = events.event_of(said, 1)
    events.write_event(vault, event)
    return event


def properties(note: bytes) -> dict[str, Any]:
    """Return the frontmatter as PyYAML reads it."""
    head, _ = note.removeprefix(b"---\n").split(b"\n---\n", 1)
    values = yaml.safe_load(head.decode())
    assert isinstance(values, dict)
    return values


def test_a_note_is_named_and_headed_as_the_design_shows(vault: Vault) -> None:
    """The date is the local one; the frontmatter says what this session is, and where and when it began."""
    note = create(vault, SESSION._replace(git_branch="main"))
    assert note.relative_to(vault.root).as_posix() == "50_Conversations/2026/2026-11-30 claude-code shop 42edc39d.md"
    assert properties(note.read_bytes()) == {
        "type": "session",
        "host": "claude-code",
        "session_id": SESSION.session_id,
        "project": "shop",
        "cwd": "/home/me/shop",
        "git_branch": "main",
        "machine": "laptop",
        "started": START.replace(microsecond=0),
    }
    assert b"started: 2026-11-30T01:58:01+09:00\n" in note.read_bytes()


hostile = st.one_of(
    st.text(max_size=30),
    st.text(st.characters(blacklist_categories=()), max_size=30),
    st.sampled_from(
        [
            *(
                "yes",
                "No",
                "null",
                "~",
                "1e5",
                "2026-11-30",
                "0x1f",
                "a: b",
                "a #b",
                "- a",
                "? a",
                "'",
                '"',
                "\\",
                "---",
            ),
            *(
                "*a",
                "&a",
                "!a",
                "@a",
                "%a",
                "`a",
                "{a",
                "[a",
                "a\nb: c",
                "\u2028",
                "\x85",
                "\ufeff",
                "\x00",
                "C:\\x\\u0041",
            ),
        ]
    ),
)


@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cwd=hostile, branch=hostile, project=hostile, session_id=hostile, machine=hostile)
def test_every_value_is_a_text_to_yaml_whatever_it_says(
    vault: Vault, *, cwd: str, branch: str, project: str, session_id: str, machine: str
) -> None:
    """No branch or folder name becomes a number, a date, nothing, another key, or the end of the frontmatter."""
    session = Session(host="codex", session_id=session_id, cwd=cwd, git_branch=branch)
    note = create(vault, session, project, machine=machine)
    try:
        values = properties(note.read_bytes())
        head = sessions.read_head(note.read_bytes())
        for key, value in (("session_id", session_id), ("cwd", cwd), ("git_branch", branch), ("machine", machine)):
            assert values.get(key, "") == events.storable(value)
            assert head.get(key, "") == events.storable(value)
        assert sessions.find_session_note(vault, "codex", session_id) == note
    finally:
        note.unlink()


def test_events_are_appended_in_order_once(vault: Vault) -> None:
    """Each block stands there once, whether its event comes again alone or among others; both ways say what was new."""
    note = create(vault)
    first, second, third = (say(vault, text, seconds=n) for n, text in enumerate(("one", "two ^x", "three\n%%")))
    assert sessions.append_event(vault, note, first) is True
    assert sessions.append_event(vault, note, first) is False
    assert sessions.append_events(vault, note, [first, second, third, second]) == 2
    assert sessions.known_events(note) == [first.id, second.id, third.id]
    turns = sessions.read_turns(note.read_text())
    assert [turn.text for turn in turns] == ["one", "two ^x", "three\n%%"]


def test_a_persons_additions_stay_where_they_are(vault: Vault) -> None:
    """Words before, between and after the blocks, a changed frontmatter, quotes of an id: appending touches none."""
    note = create(vault)
    first, second = say(vault, "one"), say(vault, "two", seconds=70_000)
    sessions.append_event(vault, note, first)
    edited = note.read_bytes().replace(b"type: session\n", b"type: session\ntags: [mine]\n")
    edited += b"My remark, see\n> ^" + second.id.encode() + b"\nno newline at the end"
    note.write_bytes(edited)
    assert sessions.append_event(vault, note, second) is True
    assert note.read_bytes().startswith(edited)
    assert sessions.known_events(note) == [first.id, second.id]
    assert note.read_bytes().endswith(b"\n\n> [!user] 21:24\n> two\n\n^" + second.id.encode() + b"\n\n")


def test_a_block_cut_off_by_a_crash_is_completed_wherever_it_was_cut(vault: Vault) -> None:
    """Killed at any byte of an append, and tried again alone or with what follows: every event is there once."""
    note = create(vault)
    first, second = say(vault, "one\n한글"), say(vault, "two", seconds=5)
    head = note.read_bytes()
    sessions.append_events(vault, note, [first, second])
    whole = note.read_bytes()
    for cut in range(len(head), len(whole)):
        note.write_bytes(whole[:cut])
        sessions.append_events(vault, note, [first, second])
        turns = sessions.read_turns(note.read_text("utf-8", "replace"))
        assert [turn.text for turn in turns] == ["one\n한글", "two"], cut


def test_appending_to_a_deleted_note_says_so(vault: Vault) -> None:
    """The caller makes it again; nothing headless appears."""
    note = create(vault)
    note.unlink()
    with pytest.raises(NotFound):
        sessions.append_event(vault, note, say(vault, "one"))
    assert sessions.known_events(note) == []
    assert not note.exists()


def test_a_note_is_found_by_the_id_in_its_name_and_proved_by_its_head(vault: Vault) -> None:
    """Another session with the same short id gets a name with the full one, and both are told apart."""
    twin = SESSION._replace(session_id="42edc39d-9999-4222-8333-444455556666")
    third = SESSION._replace(host="codex")
    notes = [create(vault, session) for session in (SESSION, twin, third)]
    assert len(set(notes)) == 3
    assert notes[1].name.endswith(f" {twin.session_id}.md")
    for session, note in zip((SESSION, twin, third), notes, strict=True):
        assert sessions.find_session_note(vault, session.host, session.session_id) == note
    assert sessions.find_session_note(vault, "gemini", SESSION.session_id) is None
    assert sessions.find_session_note(vault, "codex", "none") is None


def test_a_note_that_a_person_moved_or_renamed_is_still_found(vault: Vault) -> None:
    """Anywhere below 50_Conversations, as long as the id ends its name; also when Obsidian has rewritten its head."""
    note = create(vault)
    moved = vault.root / "50_Conversations" / "shop" / "The login talk 42edc39d.md"
    moved.parent.mkdir()
    note.rename(moved)
    text = (
        moved.read_text().replace(f'"{SESSION.session_id}"', SESSION.session_id).replace("claude-code", "'claude-code'")
    )
    moved.write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    assert sessions.find_session_note(vault, SESSION.host, SESSION.session_id) == moved


def test_a_link_among_the_conversations_is_not_followed(vault: Vault, tmp_path: Path) -> None:
    """A planted link neither serves as a note nor as a folder of notes."""
    note = create(vault)
    outside = tmp_path / "outside"
    outside.mkdir()
    note.rename(outside / note.name)
    (vault.root / "50_Conversations" / "linked").symlink_to(outside)
    assert sessions.find_session_note(vault, SESSION.host, SESSION.session_id) is None
    note.symlink_to(outside / note.name)
    with pytest.raises(VaultError, match="symbolic link"):
        sessions.find_session_note(vault, SESSION.host, SESSION.session_id)


def test_making_a_note_twice_gives_the_one_note(vault: Vault) -> None:
    """Two processes that both found none end up with the same note, also when it has words already."""
    note = create(vault)
    assert create(vault) == note
    sessions.append_event(vault, note, say(vault, "one"))
    before = note.read_bytes()
    assert create(vault, machine="desktop") == note
    assert note.read_bytes() == before


def test_ids_that_a_name_cannot_hold_have_their_own_notes(vault: Vault) -> None:
    """Slashes, dots, emptiness, 5,000 characters: each session has one note in the folder of its year, and is found."""
    ids = ["../../../etc/passwd", "a/b", "a b", "a-b", "", "x" * 5000, "CON", ".", "세션", "\ud800", "a\0b"]
    notes = [create(vault, Session(host="host/../x", session_id=session_id)) for session_id in ids]
    assert len(set(notes)) == len(ids)
    assert {note.parent for note in notes} == {vault.root / "50_Conversations" / "2026"}
    for session_id, note in zip(ids, notes, strict=True):
        assert sessions.find_session_note(vault, "host/../x", session_id) == note


def test_the_latest_notes_of_a_project_come_newest_first(vault: Vault) -> None:
    """By date, on one day by when they were last written to; other projects, other files and links stay out."""
    made = {}
    for n, (day, project) in enumerate([(0, "shop"), (2, "shop"), (2, "my shop"), (1, None), (2, "shop"), (3, "a b")]):
        session = Session(host="codex", session_id=f"id{n}")
        made[n] = create(vault, session, project, started=START + timedelta(days=day))
        os.utime(made[n], (n, n))
    os.utime(made[1], (99, 99))
    (vault.root / "50_Conversations" / "2026" / "9999-01-01 my own.md").touch()
    assert sessions.latest_session_notes(vault, "shop", 2) == [made[1], made[4]]
    assert sessions.latest_session_notes(vault, "shop", 9) == [made[1], made[4], made[0]]
    assert sessions.latest_session_notes(vault, "my shop", 9) == [made[2]]
    assert sessions.latest_session_notes(vault, "a b", 9) == [made[5]]
    assert sessions.latest_session_notes(vault, "none", 9) == []
    assert made[5] in sessions.latest_session_notes(vault, None, 2)


def test_a_lost_note_is_made_again_from_the_events_alone(vault: Vault) -> None:
    """Byte for byte what it was, head included, though nothing is known but whose session it is and its events."""
    session = SESSION._replace(git_branch="main")
    note = create(vault, session)
    said = [say(vault, text, session, seconds=n * 40_000) for n, text in enumerate(("one", "two", "three"))]
    sessions.append_events(vault, note, said)
    was = note.read_bytes()
    note.unlink()
    bare = Session(host=session.host, session_id=session.session_id)
    assert sessions.remake_session_note(vault, bare, [event.id for event in said], machine="laptop") == note
    assert note.read_bytes() == was


def test_a_note_is_remade_from_the_events_that_are_known(vault: Vault) -> None:
    """In order of time, without those that are gone; with none at all there is no note."""
    later, first = say(vault, "later", seconds=60), say(vault, "first")
    gone = say(vault, "gone")
    (vault.root / ".wwt/events/2026/11/29" / f"{gone.id}.json").unlink()
    note = sessions.remake_session_note(vault, SESSION, [later.id, gone.id, first.id], machine="laptop")
    assert sessions.known_events(note) == [first.id, later.id]
    assert properties(note.read_bytes())["project"] == "shop"
    with pytest.raises(NotFound):
        sessions.remake_session_note(vault, SESSION._replace(session_id="x"), [gone.id], machine="laptop")
