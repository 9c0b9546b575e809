"""Claude.ai's export: text blocks, what attachments say, branches where there are any, and projects as sources."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wwt_vault.capture import claude_ai, recognise
from wwt_vault.model.conversation import Checkpoint, Message, Skipped, Source

Write = Callable[..., Path]
ROOT = "00000000-0000-4000-8000-000000000000"


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Return a function that writes a file of an export."""

    def write(export: Any, name: str = "conversations.json") -> Path:
        path = tmp_path / name
        path.write_text(export if isinstance(export, str) else json.dumps(export), "utf-8")
        return path

    return write


def message(name: str, sender: str = "human", *blocks: Any, **more: Any) -> dict[str, Any]:
    """Return one message; blocks that are texts become text blocks."""
    content = [{"type": "text", "text": block} if isinstance(block, str) else block for block in blocks]
    envelope = {"uuid": name, "sender": sender, "text": "thinking and text, mixed", "content": content}
    times = {"created_at": f"2026-11-30T02:00:{ord(name[0]) - 90:02}.123456Z", "updated_at": "2026-11-30T03:00:00Z"}
    return {**envelope, **times, "attachments": [], "files": [], **more}


def conversation(*messages: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """Return a conversation."""
    named = {"uuid": "c-1", "name": "Shop", "created_at": "2026-11-30T02:00:00.5Z", "account": {"uuid": "me"}}
    return {**named, "summary": "model's own", "chat_messages": list(messages), **fields}


def messages(path: Path) -> list[Message]:
    """Return the messages alone."""
    return [item for item in claude_ai.read(path) if isinstance(item, Message)]


def said(path: Path) -> list[tuple[str, str, str]]:
    """Return in which session who said what."""
    return [(item.session.session_id, item.role, item.text) for item in messages(path)]


def reasons(path: Path) -> list[str]:
    """Return why something was passed over."""
    return [item.reason for item in claude_ai.read(path) if isinstance(item, Skipped)]


def test_text_blocks_are_the_words(write: Write) -> None:
    """Not the top-level text, which mixes in what was thought; nor thinking, calls of tools and what these gave."""
    thought, call = {"type": "thinking", "thinking": "hm"}, {"type": "tool_use", "name": "artifacts", "input": {}}
    result, budget = {"type": "tool_result", "content": [{"type": "text", "text": "x"}]}, {"type": "token_budget"}
    answer = message("b", "assistant", thought, " Sure.", call, result, "Done.", budget)
    path = write([conversation(message("a", "human", "어떤 DB로?"), answer, project={"uuid": "p", "name": "Web"})])
    question, reply = messages(path)
    assert [(item.role, item.text, item.key) for item in (question, reply)] == [
        ("user", "어떤 DB로?", "a"),
        ("assistant", "Sure.\n\nDone.", "b"),
    ]
    assert question.time.isoformat() == "2026-11-30T02:00:07.123456+00:00"
    session = reply.session
    assert (session.host, session.session_id, session.title, session.folder) == ("claude-ai", "c-1", "Shop", "Web")


def test_the_top_level_text_is_read_where_there_is_nothing_else(write: Write) -> None:
    """Old exports have no blocks, but a note in place of what is no text."""
    note = "```\nThis block is not supported on your current device yet.\n```"
    old = {"sender": "assistant", "text": f"First.\n\n{note}\n\nLast.", "uuid": "a", "created_at": None}
    assert [text for _, _, text in said(write([conversation(old)]))] == ["First.\n\nLast."]
    only_thought = message("a", "assistant", {"type": "thinking", "thinking": "hm"})
    assert said(write([conversation(only_thought)])) == []


def test_what_was_thought_inside_a_text_is_left_out(write: Write) -> None:
    """As exports of 2024 have it; what was made stays."""
    text = 'I make one.\n\n<antThinking>worth an artifact</antThinking>\n\n<antArtifact title="a">x</antArtifact>'
    [(_, _, kept)] = said(write([conversation(message("a", "assistant", text))]))
    assert "worth" not in kept and kept.startswith("I make one.") and '<antArtifact title="a">x' in kept


def test_what_attachments_say_belongs_to_the_message(write: Write) -> None:
    """A long paste is nowhere else; other files are told in a line, once each."""
    attachments = [
        {"file_name": "", "extracted_content": "pasted\nlines", "file_size": 12},
        {"file_name": "log.txt", "extracted_content": "line 1"},
        {"file_name": "a.bin", "extracted_content": "", "file_size": 9},
    ]
    files = [{"file_name": "log.txt"}, {"file_name": "plan.PNG"}, {"file_uuid": "f", "file_kind": "image"}]
    path = write([conversation(message("a", "human", "See:", attachments=attachments, files=files, files_v2=files))])
    [(_, _, kept)] = said(path)
    assert kept.split("\n\n") == [
        "See:", "[attachment]\npasted\nlines", "[attachment: log.txt]\nline 1", "[file: a.bin, 9 bytes]",
        "[image: plan.PNG]", "[image]",
    ]  # fmt: skip


def test_branches_are_known_where_parents_are_told(write: Write) -> None:
    """Copies made through the pages' interface have them; without a leaf the newest is shown."""
    talk = [
        message("a", "human", "q", parent_message_uuid=ROOT),
        message("b", "assistant", "one", parent_message_uuid="a"),
        message("c", "assistant", "two", parent_message_uuid="a"),
    ]
    shown = conversation(*talk, current_leaf_message_uuid="b", model="claude-x")
    assert [(name, text) for name, _, text in said(write(shown))] == [("c-1", "q"), ("c-1", "one"), ("c-1~c", "two")]
    assert [item.model for item in messages(write(shown))] == [None, "claude-x", "claude-x"]
    newest = conversation(*talk)
    assert [(name, text) for name, _, text in said(write(newest))] == [("c-1", "q"), ("c-1", "two"), ("c-1~b", "one")]


def test_a_list_without_parents_is_taken_as_it_stands(write: Write) -> None:
    """Also when an id comes twice."""
    path = write([conversation(message("a", "human", "1"), message("a", "human", "2"), message("b", "assistant", "3"))])
    assert [text for _, _, text in said(path)] == ["1", "2", "3"]
    assert len({item.key for item in messages(path)}) == 3


def test_missing_names_times_and_messages_are_no_hindrance(write: Write) -> None:
    """Nothing is invented but an order; what holds nothing is counted."""
    bare = {"chat_messages": [{"sender": "human", "content": [{"type": "text", "text": "hi"}]}, 7, {"sender": "robot"}]}
    path = write([conversation(uuid="x"), bare, None, {"chat_messages": None}])
    [only] = messages(path)
    assert (only.text, only.session.title) == ("hi", None)
    assert reasons(path) == [
        "a conversation without messages (2 times)", "a message that cannot be read",
        "a message of unknown sender 'robot'", "an entry that is no conversation",
    ]  # fmt: skip


def test_an_empty_name_is_no_title(write: Write) -> None:
    """Claude.ai names a conversation late, or never."""
    [only] = messages(write([conversation(message("a", "human", "hi"), name="")]))
    assert only.session.title is None


# -- projects -------------------------------------------------------------------------------------------------------


def test_projects_are_sources_and_nobody_said_them(write: Write) -> None:
    """Description and instructions, and each document; who made them is not in it."""
    documents = [
        {"uuid": "d1", "filename": "style.md", "content": "# Style\n\nShort.", "created_at": "2026-01-01T00:00:00Z"},
        {"uuid": "d2", "filename": "run.py", "content": "print('```')"},
        {"uuid": "d3", "filename": "empty.md", "content": ""},
    ]
    project = {"uuid": "p1", "name": "Web shop", "description": "The shop.", "is_private": True, "docs": documents}
    project |= {"prompt_template": "password=Tr0ub4dor&3x", "creator": {"full_name": "Kim Minji"}, "created_at": None}
    starter = {**project, "uuid": "p2", "is_starter_project": True}
    path = write(
        [project, starter, {"uuid": "p3", "name": "Empty", "prompt_template": "", "docs": []}], "projects.json"
    )
    assert recognise(path) == "claude-ai"
    sources = [item for item in claude_ai.read(path) if isinstance(item, Source)]
    assert [(source.key, source.title) for source in sources] == [
        ("p1", "Web shop"), ("d1", "Web shop - style"), ("d2", "Web shop - run.py"),
    ]  # fmt: skip
    assert sources[0].text.startswith("The shop.\n\n## Instructions\n\n") and "Tr0ub4dor" not in sources[0].text
    assert sources[1].text == "# Style\n\nShort." and sources[2].text == "````\nprint('```')\n````"
    assert not any("Kim" in " ".join(source) for source in ((s.text, s.title, s.origin) for s in sources))
    assert messages(path) == []


def test_the_accounts_own_file_is_not_taken_for_an_export(write: Write) -> None:
    """It is never opened by an import; and if it were, it says nothing."""
    users = [{"uuid": "u", "full_name": "Kim Minji", "email_address": "m@example.com", "verified_phone_number": None}]
    assert recognise(write(users, "users.json")) is None


# -- odd files ------------------------------------------------------------------------------------------------------

KEYS = [
    "chat_messages", "content", "text", "type", "sender", "human", "assistant", "uuid", "parent_message_uuid", "docs",
    "attachments", "extracted_content", "files", "file_name", "created_at", "prompt_template", "name", "project",
]  # fmt: skip
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(KEYS) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=5),
    max_leaves=30,
)


@settings(max_examples=200)
@given(JSON)
def test_no_export_is_too_odd(tmp_path_factory: pytest.TempPathFactory, export: Any) -> None:
    """Anything may stand anywhere: messages come out whole, or a reason does."""
    path = tmp_path_factory.mktemp("odd") / "conversations.json"
    path.write_text(json.dumps(export), "utf-8")
    for item in claude_ai.read(path):
        assert isinstance(item, Message | Skipped | Checkpoint | Source)
        assert not isinstance(item, Message) or (item.text.strip() and item.session.session_id and item.key)
