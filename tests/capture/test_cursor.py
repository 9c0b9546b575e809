"""Cursor's hooks and its agent's transcripts, of both kinds."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wwt_vault.capture import parse_hook, read_transcript, recognise
from wwt_vault.capture.cursor_words import answered, time_in, typed
from wwt_vault.fence import fence
from wwt_vault.model.conversation import Checkpoint, HookCall, Message, Skipped

NOW = datetime(2026, 11, 30, 2, 0, tzinfo=UTC)
Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Return a function that writes a transcript where Cursor keeps them."""

    def write(*lines: dict[str, Any] | str, name: str = "c-1/c-1.jsonl") -> Path:
        path = tmp_path / ".cursor" / "projects" / "src-shop" / "agent-transcripts" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        texts = [line if isinstance(line, str) else json.dumps(line, ensure_ascii=False) for line in lines]
        path.write_text("".join(f"{text}\n" for text in texts), "utf-8")
        return path

    return write


def line(role: str, *blocks: Any) -> dict[str, Any]:
    """Return one line; blocks that are texts become text blocks."""
    content = [{"type": "text", "text": block} if isinstance(block, str) else block for block in blocks]
    return {"role": role, "message": {"content": content}}


def query(words: str, before: str = "") -> str:
    """Return a prompt as Cursor wraps it."""
    return f"{before}<user_query>\n{words}\n</user_query>"


def messages(path: Path, start: Checkpoint | None = None) -> list[Message]:
    """Return the messages alone."""
    return [item for item in read_transcript(path, "cursor", start) if isinstance(item, Message)]


def said(path: Path) -> list[tuple[str, str]]:
    """Return who said what."""
    return [(message.role, message.text) for message in messages(path)]


# -- hooks ----------------------------------------------------------------------------------------------------------

COMMON = {
    "conversation_id": "c-1", "generation_id": "g-1", "model": "claude-x", "cursor_version": "3.2",
    "workspace_roots": ["/src/shop"], "user_email": "minji@example.com",
}  # fmt: skip


def hook(event: str, **fields: Any) -> HookCall:
    """Parse a payload."""
    return parse_hook("cursor", json.dumps({**COMMON, "hook_event_name": event, **fields}).encode(), NOW)


def test_a_prompt_and_each_message_of_the_answer_come_by_hooks() -> None:
    """With the conversation, the turn and the folder; the mail address is not kept anywhere."""
    asked = hook("beforeSubmitPrompt", prompt="어떤 DB로?", attachments=[{"type": "file", "filePath": "/x"}])
    replied = hook("afterAgentResponse", text="PostgreSQL.\n\n[REDACTED]")
    assert (asked.kind, replied.kind) == ("prompt", "answer")
    assert asked.message is not None and replied.message is not None
    assert (asked.message.role, asked.message.text) == ("user", "어떤 DB로?")
    assert (replied.message.role, replied.message.text) == ("assistant", "PostgreSQL.")
    assert (replied.message.turn, replied.message.model, replied.message.cwd) == ("g-1", "claude-x", "/src/shop")
    assert (asked.session.host, asked.session.session_id) == ("cursor", "c-1")
    assert "minji@example.com" not in repr((asked, replied))


@pytest.mark.parametrize(
    ("event", "kind"),
    [
        ("stop", "end"), ("sessionEnd", "end"), ("sessionStart", "start"), ("afterAgentThought", "other"),
        ("preToolUse", "other"), ("subagentStop", "other"), ("Stop", "end"), ("", "other"),
    ],
)  # fmt: skip
def test_every_event_has_its_kind(event: str, kind: str) -> None:
    """Those that bring no words let the transcript be read, or nothing happen."""
    call = hook(
        event, transcript_path="/u/.cursor/projects/p/agent-transcripts/c-1/c-1.jsonl", text="thought", prompt="x"
    )
    assert call.kind == kind and call.message is None
    assert call.transcript_path is not None


def test_a_payload_from_claude_codes_settings_is_known_as_cursors() -> None:
    """Cursor also runs what it finds there: by its own fields it is told apart."""
    payload = {**COMMON, "hook_event_name": "UserPromptSubmit", "prompt": "hi"}
    call = parse_hook("claude-code", json.dumps(payload).encode(), NOW)
    assert call.session.host == "cursor" and call.message is not None and call.message.text == "hi"


def test_missing_and_odd_fields_of_a_payload_are_no_hindrance() -> None:
    """Older versions send less, and anything may be null."""
    for odd in (None, 7, [], {}, [None], ""):
        call = hook("beforeSubmitPrompt", prompt=odd, workspace_roots=odd, model=odd, generation_id=odd)
        assert call.message is None and call.session.cwd is None


# -- transcripts ----------------------------------------------------------------------------------------------------


def test_a_transcript_says_what_was_said(write: Write) -> None:
    """Queries and texts; not calls of tools, what these gave, thinking, or the end of a turn."""
    path = write(
        line("user", "<user_info>\nOS Version: linux\nWorkspace Path: /src/shop\n</user_info>", query("어떤 DB로?")),
        line("assistant", {"type": "thinking", "thinking": "hm"}, "I look.", {"type": "tool_use", "name": "Read"}),
        line("user", {"type": "tool_result", "content": "file"}),
        line("assistant", "PostgreSQL.\n\n[REDACTED]"),
        line("assistant", "[REDACTED]"),
        {"type": "turn_ended", "status": "success"},
        line("user", "plain words"),
    )
    assert recognise(path) == "cursor"
    assert said(path) == [
        ("user", "어떤 DB로?"), ("assistant", "I look."), ("assistant", "PostgreSQL."), ("user", "plain words"),
    ]  # fmt: skip
    first = messages(path)[0]
    assert (first.session.session_id, first.session.folder, first.cwd) == ("c-1", "src-shop", "/src/shop")
    assert [message.key for message in messages(path)] == ["L1", "L2", "L4", "L7"]


@pytest.mark.parametrize(
    "context",
    [
        "<timestamp>x</timestamp>\n", "<attached_files>\n<code>a</code>\n</attached_files>\n\n",
        "<open_and_recently_viewed_files>\na\n</open_and_recently_viewed_files>",
        "<rules>\n<user_rule>r</user_rule></rules>",
    ],
)  # fmt: skip
def test_what_cursor_tells_the_model_is_not_the_persons(write: Write, context: str) -> None:
    """Before the query, or in a message of its own."""
    path = write(line("user", query("mine", context)), line("user", context), line("user", context, query("also mine")))
    assert said(path) == [("user", "mine"), ("user", "also mine")]


def test_only_what_is_marked_as_the_query_counts() -> None:
    """A person's own tags inside stay; without a mark, what is no block of Cursor's own."""
    assert typed(query("see <div>this</div>\n<rules>mine</rules>")) == "see <div>this</div>\n<rules>mine</rules>"
    assert typed("<div>this</div> is broken") == "<div>this</div> is broken"
    assert typed("<git_status>M a</git_status>\nfix it") == "fix it"
    assert typed(query(fence("recalled", "context") + "\nmine")) == "mine"
    assert typed("/clear") is None and typed(query("")) is None
    assert answered([{"type": "text", "text": "a"}, {"type": "reasoning", "text": "b"}, "c", 7]) == "a\n\nc"


def test_times_are_those_that_cursor_told_and_else_the_files(write: Write) -> None:
    """To the minute; the order is kept."""
    told = "<timestamp>Friday, Sep 4, 2026, 2:21 AM (UTC+8)</timestamp>\n"
    first, second, third = messages(
        write(line("user", query("a", told)), line("assistant", "b"), line("user", query("c")))
    )
    assert first.time == datetime(2026, 9, 3, 18, 21, tzinfo=UTC)
    assert first.time < second.time < third.time < first.time + timedelta(seconds=1)
    untold = messages(write(line("user", "a"), line("assistant", "b"), name="c-2.jsonl"))
    assert untold[0].time < untold[1].time and untold[0].time.year >= 2025


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        ("Wednesday, Jun 3, 2026, 7:30 PM (UTC-7)", "2026-06-04T02:30:00+00:00"),
        ("Tuesday, Jul 21, 2026, 12:05 AM (UTC+5:30)", "2026-07-20T18:35:00+00:00"),
        ("Sunday, Sep 27, 2026, 12:00 PM (UTC)", "2026-09-27T12:00:00+00:00"),
        ("Sunday, Sep 27, 2026, 9:00 AM", None),
        ("Sunday, Feb 31, 2026, 9:00 AM (UTC+9)", None),
        ("now", None),
    ],
)
def test_a_told_time_is_read_with_its_zone(told: str, expected: str | None) -> None:
    """Without one it says nothing."""
    time = time_in(f"<timestamp>{told}</timestamp>\nhi")
    assert (time.isoformat() if time else None) == expected


def test_a_transcript_is_read_on_from_any_checkpoint(write: Write) -> None:
    """Every reading gives the rest, whatever was told before."""
    told = "<timestamp>Friday, Sep 4, 2026, 2:21 AM (UTC+8)</timestamp>\n"
    path = write(
        line("user", query("a", told)), line("assistant", "b"), line("user", query("c")), line("assistant", "d")
    )
    seen: list[Message] = []
    for item in read_transcript(path, "cursor"):
        if isinstance(item, Message):
            seen.append(item)
        elif isinstance(item, Checkpoint):
            assert seen + messages(path, item) == messages(path)


def test_a_subagents_transcript_is_not_the_persons(write: Write) -> None:
    """It is named, with the reason."""
    path = write(line("user", query("look")), name="c-1/subagents/s-1.jsonl")
    [item] = read_transcript(path, "cursor")
    assert isinstance(item, Skipped) and "subagent" in item.reason


def test_the_older_kind_is_plain_text(write: Write) -> None:
    """Roles on lines of their own; a role inside a query is the person's own word."""
    text = [
        "user:", "<user_query>", "why does it say", "assistant:", "on a line?", "</user_query>", "", "assistant:",
        "[Thinking] hm", "  more", "I look.", "[Tool call] Read", "  path=a", "", "[Tool result] Read", "  content",
        "It is a role.", "  Indented too.", "user:", "thanks",
    ]  # fmt: skip
    path = write(*text, name="c-9.txt")
    assert recognise(path) == "cursor"
    assert said(path) == [
        ("user", "why does it say\nassistant:\non a line?"),
        ("assistant", "I look.\nIt is a role.\n  Indented too."),
        ("user", "thanks"),
    ]
    assert [message.key for message in messages(path)] == ["T1", "T8", "T19"]
    assert messages(path)[0].session.session_id == "c-9"


def test_lines_that_are_none_are_named(write: Write) -> None:
    """The rest goes on."""
    path = write(line("user", "a"), "{broken", {"role": "critic", "message": {"content": "x"}}, line("assistant", "b"))
    items = list(read_transcript(path, "cursor"))
    assert [(item.line, item.reason[:20]) for item in items if isinstance(item, Skipped)] == [
        (2, "not JSON: Expecting "), (3, "a record of unknown "),
    ]  # fmt: skip
    assert said(path) == [("user", "a"), ("assistant", "b")]


KEYS = ["role", "user", "assistant", "message", "content", "type", "text", "isSidechain", "tool_use", "source", "image"]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from(KEYS) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=5),
    max_leaves=15,
)


@settings(max_examples=150)
@given(st.lists(JSON | st.dictionaries(st.sampled_from(KEYS), JSON), max_size=5), st.binary(max_size=20))
def test_no_transcript_is_too_odd(tmp_path_factory: pytest.TempPathFactory, records: list[Any], junk: bytes) -> None:
    """Anything may stand anywhere."""
    path = tmp_path_factory.mktemp("odd") / "c-1.jsonl"
    path.write_bytes(b"\n".join(json.dumps(record).encode() for record in records) + b"\n" + junk)
    for item in read_transcript(path, "cursor"):
        assert not isinstance(item, Message) or (item.text.strip() and item.key)


@settings(max_examples=100)
@given(st.text("user:assistant\n<query>/[Thinking] ", max_size=80))
def test_no_text_is_too_odd(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    """Of the older kind, whatever it looks like."""
    path = tmp_path_factory.mktemp("odd") / "c-1.txt"
    path.write_text(f"user:\n{text}", "utf-8")
    assert all(isinstance(item, Message | Skipped | Checkpoint) for item in read_transcript(path, "cursor"))
