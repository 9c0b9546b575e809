"""Cursor's databases: both generations of the editor's, that of its command line, and what must not happen to them."""

from __future__ import annotations

import json
import shutil
import sqlite3
import zipfile
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wwt_vault.capture import read_transcript, recognise
from wwt_vault.errors import TranscriptError
from wwt_vault.model.conversation import Checkpoint, Message, Skipped

Row = tuple[str, Any]
CREATED = 1_764_467_881_123


def editor(path: Path, *rows: Row, items: tuple[Row, ...] = ()) -> Path:
    """Write a database of the editor; values that are no texts or bytes become JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE ItemTable (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)")
        database.execute("CREATE TABLE cursorDiskKV (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)")
        for table, entries in (("cursorDiskKV", rows), ("ItemTable", items)):
            for key, value in entries:
                kept = value if value is None or isinstance(value, str | bytes) else json.dumps(value)
                database.execute(f"INSERT INTO {table} VALUES (?, ?)", (key, kept))
        database.commit()
    return path


def bubble(name: str, kind: int, text: str, **more: Any) -> Row:
    """Return the row of one message."""
    return f"bubbleId:c-1:{name}", {"type": kind, "bubbleId": name, "text": text, **more}


def composer(*headers: str, **more: Any) -> Row:
    """Return the row of a conversation."""
    named = [{"bubbleId": name} for name in headers]
    return "composerData:c-1", {"createdAt": CREATED, "name": "Shop", "fullConversationHeadersOnly": named, **more}


def messages(path: Path) -> list[Message]:
    """Return the messages alone."""
    return [item for item in read_transcript(path, "cursor") if isinstance(item, Message)]


def said(path: Path) -> list[tuple[str, str, str]]:
    """Return in which session who said what."""
    return [(message.session.session_id, message.role, message.text) for message in messages(path)]


def reasons(path: Path) -> list[str]:
    """Return why something was passed over."""
    return [item.reason for item in read_transcript(path, "cursor") if isinstance(item, Skipped)]


# -- the editor, since 2024 -----------------------------------------------------------------------------------------


def test_a_conversation_is_in_the_order_of_its_headers(tmp_path: Path) -> None:
    """Not in that of the rows; with times, model, title and folder as far as they are there."""
    path = editor(
        tmp_path / "state.vscdb",
        composer("b1", "b2", "b3", "gone", workspaceIdentifier={"uri": {"fsPath": "/src/shop"}}),
        bubble("b3", 2, "Done.", modelInfo={"modelName": "claude-x"}),
        bubble("b2", 2, "", toolFormerData={"name": "read_file", "result": "x"}, codeBlocks=[{"content": "x"}]),
        bubble("b1", 1, "어떤 DB로?", createdAt="2026-11-30T02:00:00.000Z"),
    )
    assert recognise(path) == "cursor"
    question, reply = messages(path)
    assert (question.role, question.text, question.key) == ("user", "어떤 DB로?", "b1")
    assert (reply.role, reply.text, reply.model) == ("assistant", "Done.", "claude-x")
    assert question.time.isoformat() == "2026-11-30T02:00:00+00:00" and reply.time > question.time
    session = question.session
    assert (session.session_id, session.title, session.cwd) == ("c-1", "Shop", "/src/shop")
    assert session.started is not None and session.started.isoformat().startswith("2025-11-30T01:58:01.123")


def test_a_header_names_a_row_or_a_messages_own_id(tmp_path: Path) -> None:
    """Empty rows and ids that are empty come up too; each message is said once."""
    path = editor(
        tmp_path / "state.vscdb",
        composer("own-1", "row-2", "row-3", ""),
        ("bubbleId:c-1:row-1", {"type": 1, "bubbleId": "own-1", "text": "a"}),
        ("bubbleId:c-1:row-2", {"type": 2, "text": "b"}),
        ("bubbleId:c-1:row-3", None),
        ("bubbleId:c-1:row-4", {"type": 1, "bubbleId": "", "text": "c"}),
        ("bubbleId:c-10:row-5", {"type": 1, "text": "another conversation's"}),
    )
    assert said(path) == [("c-1", "user", "a"), ("c-1", "assistant", "b"), ("c-1", "user", "c")]


def test_messages_that_are_not_shown_any_more_are_another_branch(tmp_path: Path) -> None:
    """The person went back and asked otherwise."""
    path = editor(
        tmp_path / "state.vscdb", composer("b1", "b4"), bubble("b1", 1, "a"), bubble("b2", 2, "old"),
        bubble("b3", 1, "older"), bubble("b4", 2, "new"),
    )  # fmt: skip
    assert said(path) == [
        ("c-1", "user", "a"), ("c-1", "assistant", "new"), ("c-1~b2", "assistant", "old"), ("c-1~b2", "user", "older"),
    ]  # fmt: skip


def test_messages_may_stand_in_the_conversations_own_row(tmp_path: Path) -> None:
    """As in 2024; or in a map of it; or without any order but that of the rows."""
    inline = {
        "conversation": [{"type": 1, "text": "a"}, {"type": 2, "text": "b", "bubbleId": "x"}],
        "createdAt": CREATED,
    }
    mapped = {"conversationMap": {"m": {"type": 1, "text": "c"}}, "fullConversationHeadersOnly": [{"bubbleId": "m"}]}
    path = editor(
        tmp_path / "state.vscdb", ("composerData:c-2", inline), ("composerData:c-3", mapped),
        ("composerData:c-1", {"createdAt": None}), bubble("b1", 1, "d"), bubble("b2", 2, "e"),
    )  # fmt: skip
    assert said(path) == [
        ("c-2", "user", "a"), ("c-2", "assistant", "b"), ("c-3", "user", "c"),
        ("c-1", "user", "d"), ("c-1", "assistant", "e"),
    ]  # fmt: skip


def test_a_prompt_may_be_in_the_editors_own_form_and_an_answer_be_all_code(tmp_path: Path) -> None:
    """The text field is empty then."""
    rich = {"root": {"children": [{"type": "paragraph", "children": [{"text": "fix "}, {"text": "this"}]}]}}
    path = editor(
        tmp_path / "state.vscdb", composer("b1", "b2"), bubble("b1", 1, "", richText=json.dumps(rich), images=[{}]),
        bubble("b2", 2, "", codeBlocks=[{"languageId": "py", "content": "x = 1"}]),
    )  # fmt: skip
    assert said(path) == [("c-1", "user", "fix this\n\n[image]"), ("c-1", "assistant", "```py\nx = 1\n```")]


def test_what_is_no_json_is_counted_and_the_rest_goes_on(tmp_path: Path) -> None:
    """Also bytes that are no text."""
    path = editor(
        tmp_path / "state.vscdb", composer("b1", "b2", "b3"), ("bubbleId:c-1:b1", "{broken"),
        ("bubbleId:c-1:b2", b"\xff\xfe"), ("composerData:c-5", "[]"), bubble("b3", 1, "a"),
    )  # fmt: skip
    assert said(path) == [("c-1", "user", "a")]
    assert reasons(path) == ["a value that is not JSON (2 times)"]


# -- the chat panel, before 2024 ------------------------------------------------------------------------------------


def test_tabs_of_the_chat_panel_are_conversations_of_their_folder(tmp_path: Path) -> None:
    """Which stands beside the database."""
    tab = {
        "tabId": "t-1", "chatTitle": "Shop", "lastSendTime": CREATED,
        "bubbles": [{"type": "user", "text": "a"}, {"type": "ai", "rawText": "b", "modelType": "gpt-4"}],
    }  # fmt: skip
    old = {"allComposers": [{"composerId": "c-7", "conversation": [{"type": 1, "text": "c"}]}, {"composerId": "c-8"}]}
    items = (("workbench.panel.aichat.view.aichat.chatdata", {"tabs": [tab, 7]}), ("composer.composerData", old))
    path = editor(tmp_path / "Cursor" / "ws" / "state.vscdb", items=items)
    (path.parent / "workspace.json").write_text('{"folder": "file:///src/my%20shop"}')
    assert said(path) == [("t-1", "user", "a"), ("t-1", "assistant", "b"), ("c-7", "user", "c")]
    assert {message.session.cwd for message in messages(path)} == {"/src/my shop"}


# -- the command line -----------------------------------------------------------------------------------------------


def store(path: Path, *leaves: dict[str, Any], root: bool = True, wrong: bytes = b"", **meta: Any) -> Path:
    """Write a database of the command line: the messages as blobs, and a tree of two levels over them."""
    path.parent.mkdir(parents=True, exist_ok=True)
    blobs: dict[str, bytes] = {}

    def put(data: bytes) -> bytes:
        digest = sha256(data).digest()
        blobs[digest.hex()] = data
        return digest

    digests = [put(json.dumps(leaf).encode()) for leaf in leaves]
    below = put(b"".join(b"\x0a\x20" + digest for digest in digests[1:]) + b"\x1a\x03abc")
    top = put(b"".join(b"\x0a\x20" + digest for digest in digests[:1]) + b"\x12\x20" + below + b"\x28\x05" + wrong)
    described = {"agentId": "a-1", "name": "Shop", "createdAt": CREATED, "lastUsedModel": "claude-x", **meta}
    described["latestRootBlobId"] = top.hex() if root else "deadbeef"
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE blobs (id TEXT PRIMARY KEY, data BLOB)")
        database.execute("CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT)")
        database.executemany("INSERT INTO blobs VALUES (?, ?)", list(blobs.items()))
        database.execute("INSERT INTO meta VALUES ('0', ?)", (json.dumps(described).encode().hex(),))
        database.commit()
    return path


CONTEXT = {"role": "user", "content": "<user_info>\nWorkspace Path: /src/shop\n</user_info>"}
ASKED = {"role": "user", "content": [{"type": "text", "text": "<user_query>\n계속해\n</user_query>"}]}
REPLIED = {
    "id": "1",
    "role": "assistant",
    "content": [{"type": "reasoning", "text": "hm"}, {"type": "text", "text": "ok"}],
}
RESULT = {"role": "tool", "content": [{"type": "tool-result", "result": "file"}]}
SYSTEM = {"role": "system", "content": "You are an agent."}


@pytest.mark.parametrize("root", [True, False])
def test_the_tree_puts_the_messages_in_order(tmp_path: Path, root: bool) -> None:
    """Without its root they are taken as they were written."""
    path = store(tmp_path / "chats" / "h" / "a-1" / "store.db", SYSTEM, CONTEXT, ASKED, REPLIED, RESULT, root=root)
    assert recognise(path) == "cursor"
    assert said(path) == [("a-1", "user", "계속해"), ("a-1", "assistant", "ok")]
    assert [message.model for message in messages(path)] == [None, "claude-x"]
    assert {message.session.cwd for message in messages(path)} == {"/src/shop"}


def test_the_same_words_twice_are_two_messages(tmp_path: Path) -> None:
    """Although they are one blob."""
    path = store(tmp_path / "store.db", CONTEXT, ASKED, REPLIED, ASKED, REPLIED)
    assert [text for _, _, text in said(path)] == ["계속해", "ok", "계속해", "ok"]
    assert len({message.key for message in messages(path)}) == 4


def test_a_form_that_is_not_known_is_named(tmp_path: Path) -> None:
    """Instead of nothing at all."""
    path = tmp_path / "store.db"
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE blobs (id TEXT PRIMARY KEY, data BLOB)")
        database.execute("CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT)")
        database.execute("INSERT INTO blobs VALUES ('ab', X'0A0568656C6C6F')")
        database.execute("INSERT INTO meta VALUES ('0', 'zz')")
        database.commit()
    assert reasons(path) == [
        "a description of the conversation that cannot be read", "a conversation in a form that is not known",
    ]  # fmt: skip


# -- what must not happen -------------------------------------------------------------------------------------------


def test_what_is_only_in_the_write_ahead_log_is_read_and_nothing_is_touched(tmp_path: Path) -> None:
    """Cursor is running: its database stays as it is, to the byte, and nothing new lies beside it."""
    path = editor(tmp_path / "state.vscdb", composer("b1", "b2"), bubble("b1", 1, "a"))
    with closing(sqlite3.connect(path)) as running:
        running.execute("PRAGMA journal_mode = WAL")
        running.execute("PRAGMA wal_autocheckpoint = 0")
        running.execute("INSERT INTO cursorDiskKV VALUES (?, ?)", ("bubbleId:c-1:b2", '{"type": 2, "text": "late"}'))
        running.commit()
        before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
        assert len(before["state.vscdb-wal"]) > 0
        assert [text for _, _, text in said(path)] == ["a", "late"]
        assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before


def test_a_database_in_a_folder_that_cannot_be_written_is_read(tmp_path: Path) -> None:
    """A backup on a medium of its own."""
    folder = tmp_path / "backup"
    path = editor(folder / "state.vscdb", composer("b1"), bubble("b1", 1, "a"))
    path.chmod(0o400)
    folder.chmod(0o500)
    try:
        assert [text for _, _, text in said(path)] == ["a"]
    finally:
        folder.chmod(0o700)


def test_a_database_in_an_archive_is_read_with_its_log(tmp_path: Path) -> None:
    """Somebody packed the folder as it was."""
    path = editor(tmp_path / "User" / "state.vscdb", composer("b1", "b2"), bubble("b1", 1, "a"))
    with closing(sqlite3.connect(path)) as running:
        running.execute("PRAGMA journal_mode = WAL")
        running.execute("PRAGMA wal_autocheckpoint = 0")
        running.execute("INSERT INTO cursorDiskKV VALUES (?, ?)", ("bubbleId:c-1:b2", '{"type": 2, "text": "late"}'))
        running.commit()
        archive = Path(shutil.make_archive(str(tmp_path / "packed"), "zip", tmp_path / "User"))
    with zipfile.ZipFile(archive) as opened:
        member: Any = zipfile.Path(opened, "state.vscdb")
        assert [text for _, _, text in said(member)] == ["a", "late"]


@pytest.mark.parametrize("cut", [100, 5000, 9000])
def test_a_damaged_database_is_an_error_that_says_what_to_do(tmp_path: Path, cut: int) -> None:
    """Whether it was cut off, or written over."""
    path = editor(tmp_path / "state.vscdb", composer("b1"), *(bubble(f"b{n}", 1, "a" * 300) for n in range(60)))
    path.write_bytes(path.read_bytes()[:cut])
    with pytest.raises(TranscriptError, match="Quit Cursor and try again"):
        messages(path)


def test_other_programs_databases_are_not_cursors(tmp_path: Path) -> None:
    """VS Code's has the same table; a view in place of a table is not read."""
    path = tmp_path / "Code" / "state.vscdb"
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE ItemTable (key TEXT, value BLOB)")
        database.commit()
    assert recognise(path) is None
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE VIEW cursorDiskKV AS SELECT 'composerData:x' AS key, '{}' AS value")
        database.commit()
    assert messages(path) == []


KEYS = [
    "type", "text", "bubbleId", "createdAt", "fullConversationHeadersOnly", "conversation", "conversationMap", "name",
    "richText", "timingInfo", "workspaceIdentifier", "uri", "codeBlocks", "toolFormerData", "images", "modelInfo",
]  # fmt: skip
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from([*KEYS, 1, 2]) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=5),
    max_leaves=15,
)


@settings(max_examples=60, deadline=None)
@given(JSON, st.lists(JSON, max_size=3), JSON, st.binary(max_size=40))
def test_no_database_is_too_odd(
    tmp_path_factory: pytest.TempPathFactory, head: Any, rows: list[Any], tabs: Any, wrong: bytes
) -> None:
    """Anything may stand in any row."""
    folder = tmp_path_factory.mktemp("odd")
    named = [("composerData:c-1", head), *((f"bubbleId:c-1:b{n}", row) for n, row in enumerate(rows))]
    items = (("workbench.panel.aichat.view.aichat.chatdata", {"tabs": tabs}), ("composer.composerData", head))
    leaves = [{"role": "user", "content": row} for row in rows]
    for path in (editor(folder / "state.vscdb", *named, items=items), store(folder / "store.db", *leaves, wrong=wrong)):
        for item in read_transcript(path, "cursor"):
            assert isinstance(item, Message | Skipped | Checkpoint)
            assert not isinstance(item, Message) or (item.text.strip() and item.key)
