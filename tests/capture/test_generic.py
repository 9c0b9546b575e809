"""Conversations from anywhere: every form of docs/hosts/generic.md, as it is promised there."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wwt_vault.capture import read_transcript, recognise
from wwt_vault.capture.generic_markdown import HEADER_KEYS
from wwt_vault.model.conversation import Checkpoint, Message, Skipped

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "hosts" / "generic.md").read_text("utf-8")
Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Return a function that writes a file: text, or objects one a line."""

    def write(name: str, *content: Any) -> Path:
        path = tmp_path / name
        path.write_text("".join(c if isinstance(c, str) else json.dumps(c) + "\n" for c in content), "utf-8")
        return path

    return write


def messages(path: Path, start: Checkpoint | None = None) -> list[Message]:
    """Return the messages alone."""
    return [item for item in read_transcript(path, "generic", start) if isinstance(item, Message)]


def said(path: Path) -> list[tuple[str, str]]:
    """Return who said what."""
    return [(message.role, message.text) for message in messages(path)]


def skipped(path: Path) -> list[tuple[int, str]]:
    """Return what was passed over, and why."""
    return [(item.line, item.reason) for item in read_transcript(path, "generic") if isinstance(item, Skipped)]


# -- the page -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", ["jsonl", "json", "markdown"])
def test_the_examples_of_the_page_are_read(write: Write, language: str) -> None:
    """Recognised by what they say of themselves, whatever the file is called."""
    found = re.search(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    assert found
    path = write("talk.txt", found[1])
    assert recognise(path) == "generic"
    assert [message.role for message in messages(path)] == ["user", "assistant"]
    assert skipped(path) == []


def test_the_page_names_every_key_of_a_header() -> None:
    """And none that is not read."""
    table = PAGE[PAGE.index("A **header**") : PAGE.index("A message without a time")]
    named = {key for row in re.findall(r"(?m)^\| (.*?) \|", table) for key in re.findall(r"`(\w+)`", row)}
    assert named == HEADER_KEYS


# -- JSONL ----------------------------------------------------------------------------------------------------------


def test_what_header_and_messages_say_is_kept(write: Write) -> None:
    """Host, session, title, folder, times, ids, model."""
    header = {
        "type": "transcript", "host": "My Tool!", "session": "s-1", "title": "Shop", "folder": "web",
        "cwd": "/src/shop", "git_branch": "main", "started": "2026-11-30T10:58:01+09:00",
        "model": "m-1", "assistant": "Shopper",
    }  # fmt: skip
    path = write(
        "a.jsonl", header, {"role": "user", "text": "어떤 DB로?", "id": 7, "time": 1764467881},
        {"role": "ai", "content": ["Postgre", {"type": "text", "text": "SQL."}, {"type": "image"}]},
        {"role": "assistant", "text": "Done.", "model": "m-2"},
    )  # fmt: skip
    question, first, second = messages(path)
    session = question.session
    assert (session.host, session.session_id, session.title, session.folder) == ("my-tool", "s-1", "Shop", "web")
    assert (session.assistant, session.cwd, session.git_branch) == ("Shopper", "/src/shop", "main")
    assert session.started is not None and session.started.isoformat() == "2026-11-30T01:58:01+00:00"
    assert (question.key, question.time.isoformat()) == ("7", "2025-11-30T01:58:01+00:00")
    assert (first.text, first.model, second.model) == ("Postgre\n\nSQL.", "m-1", "m-2")
    assert question.time < first.time < second.time


@pytest.mark.parametrize(
    "time",
    ["0002-01-01T00:00:00+09:00", "9998-12-31T23:59:59-09:00", "9999-12-31", 253402300799000, 10**400, 1e300],
)
def test_a_time_of_no_year_of_this_world_counts_as_none(write: Write, time: Any) -> None:
    """Programs write such times for "never"; in UTC the first two are of the years 1 and 9999."""
    path = write("a.jsonl", {"type": "transcript", "started": time}, {"role": "user", "text": "Redis?", "time": time})
    (message,) = messages(path)

    assert message.time.year >= 2025


def test_headers_begin_conversations_and_messages_may_name_another(write: Write) -> None:
    """A file may hold many."""
    path = write(
        "a.jsonl", {"session": "s-1", "title": "One"}, {"role": "user", "text": "a"},
        {"session": "s-2"}, {"role": "user", "text": "b"}, {"role": "user", "text": "c", "session": "s-1"},
        {"session": "s-3", "messages": [{"role": "user", "text": "d"}, {"role": "system", "text": "e"}]},
    )  # fmt: skip
    assert [(item.session.session_id, item.text) for item in messages(path)] == [
        ("s-1", "a"), ("s-2", "b"), ("s-1", "c"), ("s-3", "d"),
    ]  # fmt: skip
    assert messages(path)[1].session.title is None


def test_without_a_session_the_id_is_made_of_name_and_first_words(write: Write) -> None:
    """It stays while the file grows, and is another for another conversation of the same name."""
    first = {"role": "user", "text": "hello"}
    one = {item.session.session_id for item in messages(write("chat.jsonl", first))}
    grown = {item.session.session_id for item in messages(write("chat.jsonl", first, {"role": "ai", "text": "hi"}))}
    other = {item.session.session_id for item in messages(write("chat.jsonl", {"role": "user", "text": "bye"}))}
    assert one == grown and len(one) == 1 and other.isdisjoint(one)


def test_a_line_that_is_no_message_is_named_and_the_rest_goes_on(write: Write) -> None:
    """Roles of neither are passed over in silence."""
    path = write(
        "a.jsonl", {"role": "user", "text": "a"}, "{broken\n", {"role": "critic", "text": "x"}, {"role": "user"},
        {"role": "tool", "text": "y"}, "7\n", {"role": "user", "text": "b"},
    )  # fmt: skip
    assert said(path) == [("user", "a"), ("user", "b")]
    assert [(line, reason[:21]) for line, reason in skipped(path)] == [
        (2, "not JSON: Expecting p"), (3, "no message: role is '"), (4, "a message without tex"),
        (6, "not a JSON object: in"),
    ]  # fmt: skip


def test_a_file_that_grows_is_read_on_from_any_checkpoint(write: Write) -> None:
    """Every reading gives the rest, as the whole would."""
    talk = [{"session": "s"}, *({"role": "user", "text": str(number)} for number in range(4)), {"session": "t"}]
    path = write("a.jsonl", *talk, {"role": "user", "text": "end", "time": "2026-11-30T10:58:01Z"})
    seen: list[Message] = []
    for item in read_transcript(path, "generic"):
        if isinstance(item, Message):
            seen.append(item)
        elif isinstance(item, Checkpoint):
            assert seen + messages(path, item) == messages(path)


# -- JSON -----------------------------------------------------------------------------------------------------------


def test_json_may_be_a_list_of_messages_or_of_conversations(write: Write) -> None:
    """Or one conversation, over many lines."""
    listed = json.dumps([{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}], indent=1)
    assert said(write("a.json", listed)) == [("user", "a"), ("assistant", "b")]
    talks = [{"session": name, "messages": [{"role": "user", "text": name}]} for name in ("s-1", "s-2")]
    for form in (json.dumps(talks, indent=1), json.dumps({"conversations": talks}), json.dumps(talks)):
        assert [(item.session.session_id, item.text) for item in messages(write("b.json", form))] == [
            ("s-1", "s-1"), ("s-2", "s-2"),
        ]  # fmt: skip


# -- Markdown -------------------------------------------------------------------------------------------------------

HEAD = "---\ntype: transcript\nhost: gemini-web\nsession: 'g-7'\ntitle: \"My: talk\"\n---\n"


def test_turns_stand_under_headings(write: Write) -> None:
    """English and Korean, in any case, with a time or without one."""
    path = write(
        "a.md", HEAD, "\n## User · 2026-11-30T10:58:01+09:00\n\n어떤 DB로?\n",
        "\n## ASSISTANT\n\n**Postgres**\n\n### Why\n\nfast\n",
        "## 사용자 (2026-11-30 11:00+09:00)\nok\n## 어시스턴트, 2026-11-30T02:30:00Z\n\nbye\n",
    )  # fmt: skip
    assert recognise(path) == "generic"
    found = messages(path)
    assert [(item.role, item.text) for item in found] == [
        ("user", "어떤 DB로?"), ("assistant", "**Postgres**\n\n### Why\n\nfast"), ("user", "ok"), ("assistant", "bye"),
    ]  # fmt: skip
    assert [item.time.isoformat()[11:19] for item in found] == ["01:58:01", "01:58:01", "02:00:00", "02:30:00"]
    session = found[0].session
    assert (session.host, session.session_id, session.title) == ("gemini-web", "g-7", "My: talk")


def test_a_heading_inside_a_message_begins_no_turn(write: Write) -> None:
    """In a code block, behind a backslash, with more words, of another level."""
    inside = "```md\n## User\n~~~\n```\n\n\\## User\n## User guide\n### User\n## User · soon\n"
    inside += "~~~~\n## Assistant\n~~~\n~~~~\nend"
    path = write("a.md", HEAD, f"## User\n{inside}\n## Assistant\nyes\n")
    assert said(path) == [("user", inside.replace("\\##", "##")), ("assistant", "yes")]


def test_text_before_the_first_turn_is_named(write: Write) -> None:
    """It belongs to nobody."""
    path = write("a.md", HEAD, "\nintro\n\n## User\nhi\n")
    assert said(path) == [("user", "hi")]
    assert [line for line, _ in skipped(path)] == [7]


def test_notes_of_all_kinds_are_not_taken_for_transcripts(write: Write) -> None:
    """A vault is full of Markdown."""
    for text in (
        "# Notes\n\n## User\n\nhi\n",
        "---\ntype: note\n---\n## User\nhi\n",
        "---\ntype: transcript\n## User\nhi",
    ):
        assert recognise(write("note.md", text)) is None
    assert said(write("note.md", "## User\nhi\n")) == [("user", "hi")]


# -- odd files ------------------------------------------------------------------------------------------------------

KEYS = [
    "role",
    "user",
    "assistant",
    "text",
    "content",
    "messages",
    "session",
    "host",
    "time",
    "id",
    "type",
    "transcript",
]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(KEYS) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=5),
    max_leaves=15,
)


@settings(max_examples=200)
@given(st.lists(JSON, max_size=4), st.sampled_from(["\n", " ", "\n\n", ","]))
def test_no_json_is_too_odd(tmp_path_factory: pytest.TempPathFactory, values: list[Any], between: str) -> None:
    """One a line, or not."""
    path = tmp_path_factory.mktemp("odd") / "chat.jsonl"
    path.write_text(between.join(json.dumps(value) for value in values), "utf-8")
    for item in read_transcript(path, "generic"):
        assert not isinstance(item, Message) or (item.text.strip() and item.session.session_id and item.session.host)


@settings(max_examples=200)
@given(st.text("-#user assistant:\n`~\\·2026", max_size=120), st.booleans())
def test_no_markdown_is_too_odd(tmp_path_factory: pytest.TempPathFactory, text: str, headed: bool) -> None:
    """Whatever its lines look like."""
    path = tmp_path_factory.mktemp("odd") / "chat.md"
    path.write_text((HEAD if headed else "") + text, "utf-8")
    assert all(isinstance(item, Message | Skipped | Checkpoint) for item in read_transcript(path, "generic"))
