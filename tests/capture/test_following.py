"""Reading on: whatever a file is cut at, two readings give what one gives, and a checkpoint never hides a message."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

import wwt_vault
from wwt_vault.capture import read_transcript
from wwt_vault.model.conversation import Checkpoint, Message, Skipped

DEMO = Path(wwt_vault.__file__).parent / "demo_data"
FOLDERS = {"claude_code": "claude-code", "codex": "codex", "gemini": "gemini"}


def conversation(items: list[Message]) -> dict[tuple[str, str | None], tuple[str, str]]:
    """Return role and text by session and key, in the order in which the keys came; of one key the last text."""
    return {(message.session.session_id, message.key): (message.role, message.text) for message in items}


def messages(path: Path, host: str, start: Checkpoint | None = None) -> list[Message]:
    """Return the messages alone."""
    return [item for item in read_transcript(path, host, start) if isinstance(item, Message)]


def cuts(data: bytes, number: int) -> Iterator[int]:
    """Yield places to cut at: every line's start, its neighbours, and places inside lines, at most ``number``."""
    lines = [at + 1 for at, byte in enumerate(data) if byte == 10]
    places = {0, 1, len(data), *lines, *(at - 1 for at in lines), *(at + 1 for at in lines)}
    chance = random.Random(20261130)
    places |= {chance.randrange(len(data) + 1) for _ in range(number)}
    yield from sorted(chance.sample(sorted(places), min(number, len(places))))


def read_in_two_goes(path: Path, host: str, data: bytes, cut: int) -> list[Message]:
    """Read a file when it has ``cut`` bytes, then the rest of it."""
    path.write_bytes(data[:cut])
    items = list(read_transcript(path, host))
    last = [item for item in items if isinstance(item, Checkpoint)][-1]
    kept = last._replace(state=json.loads(json.dumps(last.state)))  # as it is after its stay in a file
    path.write_bytes(data)
    return [item for item in items if isinstance(item, Message)] + messages(path, host, kept)


@pytest.mark.parametrize("path", sorted(DEMO.glob("*/*.jsonl")), ids=lambda path: path.name[:40])
def test_two_readings_of_a_growing_file_say_what_one_says(path: Path, tmp_path: Path) -> None:
    """A hook reads a transcript at any moment of its growth; nothing is lost, doubled or shortened by that."""
    host, data, growing = path.parent.name, path.read_bytes(), tmp_path / path.name
    whole = conversation(messages(path, host))
    assert len(whole) >= 6
    for cut in cuts(data, 60):
        assert conversation(read_in_two_goes(growing, host, data, cut)) == whole, f"cut at byte {cut}"


@pytest.mark.shared
@pytest.mark.parametrize("folder", [*FOLDERS, "scripted"])
def test_two_readings_of_every_real_transcript_say_what_one_says(shared: Path, tmp_path: Path, folder: str) -> None:
    """The same for real files of every version at hand."""
    for path in sorted((shared / "transcripts" / folder).glob("*.json*")):
        host = FOLDERS.get(folder) or next(host for host in FOLDERS.values() if path.name.startswith(host))
        data, growing = path.read_bytes(), tmp_path / path.name
        whole = conversation(messages(path, host))
        for cut in cuts(data, 4 if len(data) > 100_000 else 30):
            assert conversation(read_in_two_goes(growing, host, data, cut)) == whole, f"{path.name} cut at byte {cut}"


@pytest.mark.parametrize("path", sorted(DEMO.glob("*/*.jsonl")), ids=lambda path: path.name[:40])
def test_from_every_checkpoint_exactly_the_rest_is_read(path: Path) -> None:
    """What came before a checkpoint does not come again behind it, and nothing between is missing."""
    host = path.parent.name
    items = list(read_transcript(path, host))
    for at, item in enumerate(items):
        if isinstance(item, Checkpoint):
            state = json.loads(json.dumps(item.state))
            rest = [later for later in items[at + 1 :] if isinstance(later, Message)]
            assert messages(path, host, item._replace(state=state)) == rest


@pytest.mark.parametrize("path", sorted(DEMO.glob("*/*.jsonl")), ids=lambda path: path.name[:40])
def test_a_checkpoint_stands_at_the_start_of_a_line(path: Path) -> None:
    """Its offset and its number of lines agree, and they never go back."""
    data = path.read_bytes()
    places = [item for item in read_transcript(path) if isinstance(item, Checkpoint)]
    for place in places:
        assert data[: place.offset].count(b"\n") == place.line
        assert place.offset == 0 or data[place.offset - 1 : place.offset] == b"\n"
    assert [place.offset for place in places] == sorted(place.offset for place in places)


def test_an_answer_that_may_still_grow_lies_behind_the_last_checkpoint(tmp_path: Path) -> None:
    """The next reading yields it again, whole, under the same key."""
    path = tmp_path / "s.jsonl"
    records = [
        {"type": "user", "uuid": "u1", "sessionId": "s", "timestamp": "2026-11-30T01:00:00Z",
         "message": {"content": "go"}},
        {"type": "assistant", "uuid": "a1", "sessionId": "s", "timestamp": "2026-11-30T01:00:01Z",
         "message": {"id": "m", "content": [{"type": "text", "text": "First part."}]}},
        {"type": "assistant", "uuid": "a2", "sessionId": "s", "timestamp": "2026-11-30T01:00:02Z",
         "message": {"id": "m", "content": [{"type": "text", "text": "Second part."}]}},
    ]  # fmt: skip
    lines = [json.dumps(record) + "\n" for record in records]
    path.write_text("".join(lines[:2]), "utf-8")
    *_, checkpoint, begun = read_transcript(path, "claude-code")
    path.write_text("".join(lines), "utf-8")
    [grown] = messages(path, "claude-code", checkpoint)

    assert (begun.text, begun.key) == ("First part.", "a1")
    assert (grown.text, grown.key, grown.time) == ("First part.\n\nSecond part.", "a1", begun.time)


def test_an_unfinished_last_line_is_read_again_when_it_is_finished(tmp_path: Path) -> None:
    """Half a line is no message and no loss: it is said, and the checkpoint stays before it."""
    path = tmp_path / "s.jsonl"
    line = json.dumps({"type": "user", "uuid": "u", "sessionId": "s", "message": {"content": "안녕"}}).encode() + b"\n"
    path.write_bytes(line[:-20])
    checkpoint, skipped = read_transcript(path, "claude-code")
    path.write_bytes(line)

    assert checkpoint == Checkpoint(offset=0, line=0, state=checkpoint.state)
    assert skipped == Skipped(path=str(path), line=1, reason="the last line is not finished")
    assert [message.text for message in messages(path, "claude-code", checkpoint)] == ["안녕"]


def test_a_last_line_without_a_line_end_is_not_lost(tmp_path: Path) -> None:
    """Editors and exports leave the last line end out; the message counts, and the checkpoint stays before it."""
    path = tmp_path / "s.jsonl"
    path.write_text(
        json.dumps({"type": "user", "uuid": "u", "sessionId": "s", "message": {"content": "last"}}), "utf-8"
    )
    checkpoint, message = read_transcript(path, "claude-code")

    assert (checkpoint.offset, message.text) == (0, "last")


def test_a_file_that_shrank_is_read_from_its_start(tmp_path: Path) -> None:
    """A checkpoint behind the end belongs to another file: nothing of this one is passed over."""
    path = tmp_path / "s.jsonl"
    path.write_text(json.dumps({"type": "user", "uuid": "u", "sessionId": "s", "message": {"content": "new"}}) + "\n")
    beyond = Checkpoint(offset=10_000, line=99, state={"sessions": {}, "turn": None, "time": None, "recent": []})

    assert [message.text for message in messages(path, "claude-code", beyond)] == ["new"]


@pytest.mark.parametrize("host", FOLDERS.values())
def test_an_empty_file_says_nothing(host: str, tmp_path: Path) -> None:
    """A host creates its file before it writes to it."""
    path = tmp_path / "empty.jsonl"
    path.touch()

    assert messages(path, host) == []
