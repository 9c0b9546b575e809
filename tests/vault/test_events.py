"""Events: the bytes follow from the message, are written once, and say when they were tampered with."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import UTC, datetime, timedelta, timezone
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wwt_vault.errors import BadArgument, DamagedEvent, EventConflict, FormatTooNew, NotFound, PathEscapes
from wwt_vault.model.conversation import Event, EventId, Message, Problem, Redaction, Session
from wwt_vault.vault import Vault, events
from wwt_vault.vault.layout import event_path

TIME = datetime(2026, 11, 30, 1, 58, 1, 123987, tzinfo=UTC)
SESSION = Session(host="claude-code", session_id="42edc39d", cwd="/home/me/shop", git_branch="main")


def message(text: str = "안녕", **changes: Any) -> Message:
    """Return a message of the session above."""
    return Message(session=SESSION, role="user", text=text, time=TIME)._replace(**changes)


def write(vault: Vault, text: str = "안녕", occurrence: int = 1, **changes: Any) -> Event:
    """Store a message and return its event."""
    event = events.event_of(message(text, **changes), occurrence)
    assert events.write_event(vault, event)
    return event


def at(vault: Vault, event: str) -> Path:
    """Return the file of an event."""
    return vault.root / event_path(event)


def test_the_file_is_the_documented_json(vault: Vault) -> None:
    """One line of UTF-8, keys sorted and all there, a newline, milliseconds and Z, nothing of this machine."""
    event = write(vault, model="opus", redactions=(Redaction(kind="aws-key", occurrences=2),), key="uuid-1")
    identity = '["claude-code","42edc39d","user","안녕",1]'
    assert event.id == "20261130T015801Z-" + sha256(identity.encode()).hexdigest()[:12]
    assert at(vault, event.id).read_bytes().decode() == (
        f'{{"content_sha256": "{sha256("안녕".encode()).hexdigest()}", "cwd": "/home/me/shop", "git_branch": "main", '
        f'"host": "claude-code", "id": "{event.id}", "message_key": "uuid-1", "model": "opus", "project": "shop", '
        '"redactions": [{"count": 2, "kind": "aws-key"}], "role": "user", "schema": 1, "session_id": "42edc39d", '
        '"supersedes": null, "text": "안녕", "time": "2026-11-30T01:58:01.123Z"}\n'
    )
    assert events.read_event(vault, event.id) == event


def test_every_part_of_the_identity_makes_another_event() -> None:
    """Host, session, role, text, occurrence: none can stand for another. Clock and circumstances do not count."""
    one = events.fingerprint("codex", "s", "user", "text", 1)
    others = [
        ("gemini", "s", "user", "text", 1),
        ("codex", "t", "user", "text", 1),
        ("codex", "s", "assistant", "text", 1),
    ]
    others += [("codex", "s", "user", "tex", 1), ("codex", "s", "user", "text", 2), ("codexs", "", "user", "text", 1)]
    assert len({one, *(events.fingerprint(*other) for other in others)}) == 7
    later = message(time=TIME + timedelta(days=1), cwd="/elsewhere", model="x", key="k", git_branch="b")
    assert events.event_of(later, 1).id[17:] == events.event_of(message(), 1).id[17:]


def test_the_zone_of_a_time_changes_nothing() -> None:
    """The same moment told in Seoul's time is the same bytes."""
    seoul = message(time=TIME.astimezone(timezone(timedelta(hours=9))))
    assert events.to_json(events.event_of(seoul, 1)) == events.to_json(events.event_of(message(), 1))


def test_what_the_message_says_of_its_place_wins_over_the_session() -> None:
    """An agent that changed folder or branch is recorded where it was; else the session's place holds."""
    moved = events.event_of(message(cwd="/home/me/api/.claude/worktrees/x", git_branch="fix"), 1)
    assert (moved.cwd, moved.project, moved.git_branch) == ("/home/me/api/.claude/worktrees/x", "api", "fix")
    stayed = events.event_of(message(), 1)
    assert (stayed.cwd, stayed.project, stayed.git_branch) == ("/home/me/shop", "shop", "main")


def test_an_event_is_written_once_and_never_changed(vault: Vault) -> None:
    """The same again is known; the same id with other circumstances is refused and the first bytes stay."""
    event = write(vault)
    before = at(vault, event.id).read_bytes()
    assert events.write_event(vault, event) is False
    with pytest.raises(EventConflict):
        events.write_event(vault, event._replace(git_branch="other"))
    assert at(vault, event.id).read_bytes() == before


WRITER = """
from datetime import datetime, timedelta, UTC
from pathlib import Path
from wwt_vault.model.conversation import Message, Session
from wwt_vault.vault import events, open_vault
vault, me = open_vault(Path(sys.argv[1])), sys.argv[2]
time = datetime(2026, 11, 30, tzinfo=UTC)
both, own = Session(host="codex", session_id="both"), Session(host="codex", session_id=me)
for n in range(20):
    for session in (both, own):
        said = Message(session=session, role="user", text=f"message {n}", time=time + timedelta(seconds=n))
        events.write_event(vault, events.event_of(said, 1))
"""


def test_sixteen_processes_in_one_session_and_in_many_lose_nothing(vault: Vault) -> None:
    """Every event is there once, whole and true, whoever wrote it."""
    code = f"import sys; sys.path.insert(0, {str(Path(__file__).resolve().parents[2])!r})\n{WRITER}"
    command = [sys.executable, "-c", code, str(vault.root)]
    writers = [subprocess.Popen([*command, f"session {n}"]) for n in range(16)]
    assert [writer.wait(60) for writer in writers] == [0] * 16
    found = list(events.event_ids(vault))
    assert len(found) == len(set(found)) == 20 + 16 * 20
    assert [problem for event in found for problem in events.verify_event(vault, str(event))] == []


text = st.text(st.characters(blacklist_categories=()), max_size=80)  # lone surrogates and all


@given(
    text=text,
    key=text | st.none(),
    cwd=text | st.none(),
    branch=text | st.none(),
    session_id=text,
    time=st.datetimes(datetime(2, 1, 1), datetime(9998, 12, 31), timezones=st.just(UTC)),  # noqa: DTZ001 - given there
    occurrence=st.integers(1, 5),
)
def test_any_message_survives_the_round_trip(
    *, text: str, key: str | None, cwd: str | None, branch: str | None, session_id: str, time: datetime, occurrence: int
) -> None:
    """NUL, surrogates, line separators, anything: the file is valid UTF-8 JSON of one line and reads back the same."""
    session = Session(host="codex", session_id=session_id, cwd=cwd)
    said = Message(session=session, role="assistant", text=text, time=time, key=key, git_branch=branch)
    event = events.event_of(said, occurrence)
    data = events.to_json(event)
    assert data.count(b"\n") == 1
    assert data.endswith(b"\n")
    assert events.from_json(data) == event
    assert json.loads(data)["text"] == text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    assert events.time_of(event.id) == time.replace(microsecond=0)


def test_a_damaged_event_names_everything_that_is_wrong(vault: Vault) -> None:
    """All issues come at once, with the path, and the file is left as it is."""
    event = write(vault)
    table = json.loads(at(vault, event.id).read_bytes())
    table |= {"role": "system", "time": "yesterday", "text": 7, "redactions": [{"kind": 1}], "schema": "1", "model": []}
    at(vault, event.id).write_bytes(json.dumps(table).encode())
    with pytest.raises(DamagedEvent) as caught:
        events.read_event(vault, event.id)
    issues = " ".join(caught.value.data["issues"])
    assert all(key in issues for key in ("role", "time", "text", "redactions", "schema", "model"))
    assert caught.value.data["path"] == event_path(event.id)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"null",
        b"[]",
        b"\xff\xfe",
        b"{}",
        b'{"schema": 1}',
        b"[" * 100_000,
        b'{"schema": 1' + b"0" * 5000 + b"}",
    ],
)
def test_garbage_is_a_damaged_event_not_a_crash(data: bytes) -> None:
    """Empty, cut off, not UTF-8, too deep, another JSON."""
    with pytest.raises((DamagedEvent, FormatTooNew)):
        events.from_json(data, "x.json")


def test_a_lone_surrogate_smuggled_in_by_an_escape_is_damage(vault: Vault) -> None:
    """JSON can spell what UTF-8 cannot hold; it would break whoever writes it out."""
    event = events.event_of(message(), 1)
    data = events.to_json(event).replace("안녕".encode(), b"\\ud800")
    with pytest.raises(DamagedEvent, match="text"):
        events.from_json(data)


def test_keys_of_a_later_version_are_left_alone_and_a_later_schema_is_refused() -> None:
    """Additions do not break this version; a new schema says to update."""
    table = json.loads(events.to_json(events.event_of(message(), 1)))
    assert events.from_json(json.dumps(table | {"mood": "good"}).encode()).text == "안녕"
    with pytest.raises(FormatTooNew, match="pip install"):
        events.from_json(json.dumps(table | {"schema": 2}).encode())


def test_an_event_that_is_not_there_and_an_id_that_is_none_differ(vault: Vault) -> None:
    """One can be looked for elsewhere, the other is a mistake."""
    with pytest.raises(NotFound):
        events.read_event(vault, "20261130T015801Z-000000000000")
    for wrong in ("../../../etc/passwd", "", "20261130T015801Z-9f2c4e1ab07d/../x"):
        with pytest.raises(BadArgument):
            events.read_event(vault, wrong)
    with pytest.raises(BadArgument):
        events.time_of("20269930T015801Z-000000000000")


def test_events_come_in_order_of_time_and_problems_do_not_stop_them(vault: Vault) -> None:
    """Damaged, foreign and misplaced files are reported where they lie; the rest goes on."""
    days = [write(vault, f"day {n}", time=TIME + timedelta(days=40 * n)) for n in (2, 0, 1)]
    bad = write(vault, "bad", time=TIME + timedelta(days=1))
    at(vault, bad.id).write_bytes(b"{")
    at(vault, days[0].id).with_name("notes.txt").write_text("a person's")
    at(vault, days[0].id).with_name(".tmp-1-abc").write_text("being written")
    misplaced = at(vault, days[0].id).with_name("20200101T000000Z-000000000000.json")
    misplaced.write_text("{}")
    (vault.root / ".wwt/events/2026/12/31").symlink_to(vault.root)
    found = list(events.iter_events(vault))
    assert [event.text for event in found if isinstance(event, Event)] == ["day 0", "day 1", "day 2"]
    problems = {problem.path.rpartition("/")[2]: problem.code for problem in found if isinstance(problem, Problem)}
    assert problems == {
        f"{bad.id}.json": "damaged_event",
        "notes.txt": "foreign_file",
        misplaced.name: "foreign_file",
        "31": "foreign_file",
    }


def test_since_leaves_out_what_was_before(vault: Vault) -> None:
    """To the second, and older days are not even listed."""
    for n in range(4):
        write(vault, f"second {n}", time=TIME.replace(microsecond=0) + timedelta(seconds=n))
    write(vault, "next year", time=TIME + timedelta(days=365))
    (vault.root / ".wwt/events/2026/10").mkdir()
    (vault.root / ".wwt/events/2026/10/01").symlink_to(vault.root)  # would be reported if it were looked at
    found = list(events.iter_events(vault, since=TIME + timedelta(seconds=2)))
    assert [event.text for event in found if isinstance(event, Event)] == ["second 2", "second 3", "next year"]
    assert len(found) == 3


def test_the_events_of_one_second_are_found_by_name(vault: Vault) -> None:
    """Both of that second, none of the next; a damaged one is left out; a day without events has none."""
    same = {write(vault, text, time=TIME.replace(microsecond=n)).id for n, text in enumerate(("a", "b"))}
    write(vault, "c", time=TIME + timedelta(seconds=1))
    at(vault, write(vault, "d").id).write_bytes(b"{")
    assert {event.id for event in events.events_near(vault, TIME)} == same
    assert list(events.events_near(vault, TIME + timedelta(days=9), seconds=2)) == []


def test_the_nearest_seconds_come_first_across_midnight(vault: Vault) -> None:
    """The clocks of a payload and of a transcript differ by a second or two, also around the end of a day."""
    midnight = datetime(2026, 12, 1, tzinfo=UTC)
    for offset in (-3, -2, -1, 0, 1, 2, 3):
        write(vault, f"{offset}", time=midnight + timedelta(seconds=offset))

    assert [event.text for event in events.events_near(vault, midnight, seconds=2)] == ["0", "-1", "1", "-2", "2"]


def test_the_events_of_a_session_are_its_own_in_order_of_time(vault: Vault) -> None:
    """Another session that quotes the id, or another host with the same id, is not taken for it."""
    second = write(vault, "second", time=TIME + timedelta(milliseconds=800))
    first = write(vault, "first", time=TIME)
    write(vault, 'quotes "42edc39d"', session=SESSION._replace(session_id="other"))
    write(vault, "same id", session=SESSION._replace(host="codex"))
    assert events.events_of_session(vault, "claude-code", "42edc39d") == [first, second]


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"text": "안녕!"}, "event_changed"),
        ({"content_sha256": "0" * 64}, "event_changed"),
        ({"text": "other", "content_sha256": sha256(b"other").hexdigest()}, "event_identity"),
        ({"session_id": "another"}, "event_identity"),
        ({"role": "assistant"}, "event_identity"),
        ({"time": "2026-11-30T01:58:02.000Z"}, "event_time"),
        ({"id": "20261130T015801Z-000000000000"}, "event_misplaced"),
        ({"text": None}, "damaged_event"),
    ],
)
def test_tampering_is_found_and_named(vault: Vault, change: dict[str, Any], code: str) -> None:
    """Whatever is changed in an event file afterwards, one of its hashes, its id or its name disagrees."""
    event = write(vault)
    assert events.verify_event(vault, event.id) == ()
    table = json.loads(at(vault, event.id).read_bytes()) | change
    at(vault, event.id).write_bytes(json.dumps(table).encode())
    assert code in [problem.code for problem in events.verify_event(vault, event.id)]


def test_a_missing_event_and_a_frequent_one_verify_as_what_they_are(vault: Vault) -> None:
    """A citation may name an event that is gone; "continue" for the 200th time is no fault."""
    assert [p.code for p in events.verify_event(vault, "20261130T015801Z-000000000000")] == ["event_missing"]
    assert events.verify_event(vault, write(vault, "continue", 200).id) == ()


def test_nothing_is_written_through_a_link_in_the_data_folder(vault: Vault, tmp_path: Path) -> None:
    """A hostile vault cannot make the program write elsewhere."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (vault.root / ".wwt" / "events").symlink_to(outside)
    with pytest.raises(PathEscapes):
        events.write_event(vault, events.event_of(message(), 1))
    assert list(outside.iterdir()) == []


def test_superseding_names_the_earlier_event(vault: Vault) -> None:
    """An answer that grew points back at its shorter self, and both stay."""
    first = write(vault, "short")
    grown = events.event_of(message("short, and more"), 1, supersedes=EventId(first.id))
    events.write_event(vault, grown)
    assert events.read_event(vault, grown.id).supersedes == first.id
    assert events.read_event(vault, first.id).text == "short"
