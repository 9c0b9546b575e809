"""Gemini CLI: both generations of session files, what patches mean, and payloads that are not what they seem."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wwt_vault.capture import gemini, read_transcript
from wwt_vault.fence import fence
from wwt_vault.model.conversation import Checkpoint, HookCall, Message, Skipped

NOW = datetime(2026, 11, 30, 2, 0, tzinfo=UTC)
HEADER = {"sessionId": "s-1", "projectHash": "e828", "startTime": "2026-11-30T02:00:00.000Z", "kind": "main"}
CONTEXT = "<session_context>\nThis is the Gemini CLI.\n- **Workspace Directories:**\n  - /src/shop\n</session_context>"
Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Return a function that writes records as a session file of the newer kind."""

    def write(*records: dict[str, Any], header: dict[str, Any] = HEADER) -> Path:
        path = tmp_path / "tmp" / "shop" / "chats" / "session-2026-11-30T02-00-s1.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(
            "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in (header, *records)), "utf-8"
        )
        return path

    return write


def record(kind: str, name: str, content: Any, second: int = 0, **more: Any) -> dict[str, Any]:
    """Return one message."""
    time = (NOW + timedelta(seconds=second)).isoformat().replace("+00:00", ".000Z")
    return {"id": name, "timestamp": time, "type": kind, "content": content, **more}


def user(name: str, *texts: str, second: int = 0, **more: Any) -> dict[str, Any]:
    """Return a message of type user."""
    return record("user", name, [{"text": text} for text in texts], second, **more)


def answer(name: str, text: str, second: int = 0, **more: Any) -> dict[str, Any]:
    """Return a message of type gemini."""
    return record("gemini", name, text, second, model="gemini-2.5-pro", **more)


def replaced(*messages: dict[str, Any]) -> dict[str, Any]:
    """Return the patch that replaces all messages."""
    return {"$set": {"messages": list(messages), "lastUpdated": "2026-11-30T02:00:09.000Z"}}


def messages(path: Path, start: Checkpoint | None = None) -> list[Message]:
    """Return the messages alone."""
    return [item for item in gemini.read(path, start) if isinstance(item, Message)]


def said(path: Path) -> list[tuple[str, str]]:
    """Return who said what."""
    return [(message.role, message.text) for message in messages(path)]


# -- the newer kind -------------------------------------------------------------------------------------------------


def test_a_session_says_what_was_said(write: Write) -> None:
    """Ids, times, model and the folder that the program told the model."""
    path = write(
        replaced(user("ctx", CONTEXT)), user("u1", "어떤 DB로?", second=1), answer("g1", "PostgreSQL.", second=2)
    )
    first, second = messages(path)

    assert (first.role, first.text, first.key, first.time) == ("user", "어떤 DB로?", "u1", NOW + timedelta(seconds=1))
    assert (second.role, second.text, second.key, second.model) == ("assistant", "PostgreSQL.", "g1", "gemini-2.5-pro")
    assert first.session == second.session
    assert (first.session.host, first.session.session_id, first.cwd, first.turn) == ("gemini", "s-1", "/src/shop", None)
    assert first.session.started == NOW


def test_of_one_id_the_last_text_counts(write: Write) -> None:
    """A message is appended again each time it changes; its time and place stay those of the first."""
    tool = [{"id": "t", "name": "ls", "result": [{"functionResponse": {"response": {"output": "README.md"}}}]}]
    path = write(
        user("u1", "go"), answer("g1", ""), answer("g1", "", toolCalls=tool), answer("g2", "One", second=5),
        answer("g2", "One file.", second=6), answer("g2", "One file.", second=7, toolCalls=tool), user("u2", "thanks"),
    )  # fmt: skip
    assert said(path) == [("user", "go"), ("assistant", "One file."), ("user", "thanks")]
    assert messages(path)[1].time == NOW + timedelta(seconds=5)


def test_an_answer_that_changes_later_comes_again_under_its_key(write: Write) -> None:
    """After others came between it is a change of what was said."""
    path = write(answer("g1", "One"), user("u1", "and?"), answer("g1", "One file."))
    assert [(message.key, message.text) for message in messages(path)] == [
        ("g1", "One"),
        ("u1", "and?"),
        ("g1", "One file."),
    ]


def test_a_resumed_session_repeats_nothing(write: Write) -> None:
    """Header, context and the whole history come again, with new times and sometimes without the prompts."""
    history = [user("u1", "a", second=1), answer("g1", "A.", second=2)]
    again = [user("u1", "a", second=60), record("gemini", "g1", [{"text": "A."}], 60)]
    path = write(
        replaced(user("ctx", CONTEXT)), *history, HEADER, replaced(user("ctx", CONTEXT)),
        {"$set": {"sessionId": "s-1"}},
        replaced(user("ctx", CONTEXT), *again), user("u2", "b", second=61), replaced(again[1]),
    )  # fmt: skip
    assert [(m.key, m.text, (m.time - NOW).seconds) for m in messages(path)] == [
        ("u1", "a", 1), ("g1", "A.", 2), ("u2", "b", 61),
    ]  # fmt: skip


def test_a_patch_brings_what_was_not_known(write: Write) -> None:
    """A history that was loaded from elsewhere stands in the patch alone."""
    path = write(replaced(user("u1", "a"), answer("g1", "A."), user("u2", "b")))
    assert said(path) == [("user", "a"), ("assistant", "A."), ("user", "b")]


def test_compressing_takes_nothing_back_and_adds_nothing(write: Write) -> None:
    """The summary is no prompt, its acknowledgement no answer, and what is kept comes with new ids."""
    path = write(
        user("u1", "a"), answer("g1", "A."), user("u2", "b"), answer("g2", "B."),
        replaced(user("n1", "We chose PostgreSQL."), answer("n2", "Got it. Thanks for the additional context!"),
                 user("n3", "b"), answer("n4", "B.")),
        user("u3", "b"),
    )  # fmt: skip
    assert said(path) == [("user", "a"), ("assistant", "A."), ("user", "b"), ("assistant", "B."), ("user", "b")]


def test_what_was_rewound_was_said(write: Write) -> None:
    """The record of it is no message either."""
    path = write(user("u1", "a"), answer("g1", "A."), {"$rewindTo": "u1"}, user("u2", "b"))
    assert said(path) == [("user", "a"), ("assistant", "A."), ("user", "b")]
    assert not [item for item in gemini.read(path) if isinstance(item, Skipped)]


NO_PROMPTS = {
    "context": user("x", CONTEXT),
    "hook context alone": user("x", "<hook_context>we chose PostgreSQL</hook_context>"),
    "our own fence": user("x", fence("we chose PostgreSQL", "session-start")),
    "snapshot": user("x", "<state_snapshot>\n<overall_goal>x</overall_goal>\n</state_snapshot>"),
    "scratchpad and snapshot": user("x", "<scratchpad>hm</scratchpad>\n<state_snapshot>x</state_snapshot>"),
    "continue": user("x", "System: Please continue."),
    "continue, shown as the prompt": user("x", "System: Please continue.", displayContent=[{"text": "go"}]),
    "next speaker": user("x", "Please continue.", displayContent=[{"text": "go"}]),
    "loop": user("x", "System: Potential loop detected. Details: x", displayContent=[{"text": "go"}]),
    "nudge": user("x", "[System: You previously generated thoughts but failed to answer.]"),
    "tool result": record("user", "x", [{"functionResponse": {"name": "ls", "response": {"output": "a"}}}]),
    "tool result with a picture": record("user", "x", [{"functionResponse": {}}, {"inlineData": {"data": "QQ=="}}]),
    "bare command": user("x", "/help"),
    "bare command shown": user("x", "You are an agent. Analyse the folder.", displayContent=[{"text": "/init"}]),
    "shortcuts": user("x", "?"),
    "blank": user("x", " \n"),
    "no content": record("user", "x", None),
    "note": record("info", "x", "Update available"),
    "error": record("error", "x", "quota"),
    "warning": record("warning", "x", "slow"),
}  # fmt: skip


@pytest.mark.parametrize("noise", NO_PROMPTS.values(), ids=NO_PROMPTS)
def test_what_the_program_says_is_no_prompt(noise: dict[str, Any], write: Write) -> None:
    """Also where it stands under the person's name."""
    assert said(write(user("u1", "a"), noise, user("u2", "b"))) == [("user", "a"), ("user", "b")]


FILES = """
--- Content from referenced files ---
Content from @a.txt:
--- End of content ---
body
--- End of content ---"""
PROMPTS = {
    "plain text": (record("user", "x", "어떤 DB로?"), "어떤 DB로?"),
    "parts": (user("x", "첫째 ", "둘째"), "첫째 둘째"),
    "behind hook context": (user("x", "<hook_context>&lt;b&gt;told&lt;/b&gt;</hook_context>\n\n첫 질문"), "첫 질문"),
    "before hook context": (user("x", "첫 질문", "<hook_context>told</hook_context>"), "첫 질문"),
    "before referenced files": (user("x", "Read @a.txt please", FILES), "Read @a.txt please"),
    "as it was shown": (user("x", "Review: a.txt", displayContent=[{"text": "/review a.txt"}]), "/review a.txt"),
    "a command with arguments": (user("x", "/memory add we use MySQL"), "/memory add we use MySQL"),
    "a path": (user("x", "/etc/hosts 보여줘"), "/etc/hosts 보여줘"),
    "typed by the person": (user("x", "Please continue."), "Please continue."),
}  # fmt: skip


@pytest.mark.parametrize(("prompt", "words"), PROMPTS.values(), ids=PROMPTS)
def test_what_a_person_typed_is_kept(prompt: dict[str, Any], words: str, write: Write) -> None:
    """Without what the program, its hooks and the files named in it put around it."""
    assert said(write(prompt)) == [("user", words)]


@pytest.mark.parametrize(
    "content",
    ["[The previous response was interrupted before it completed.]", "Got it. Thanks for the additional context!", " ",
     [{"text": "Binary content received.", "thought": True}], [{"functionCall": {"name": "ls"}}]],
)  # fmt: skip
def test_what_no_model_answered_is_no_answer(content: Any, write: Write) -> None:
    """Placeholders, thoughts and calls of tools."""
    assert said(write(user("u1", "a"), record("gemini", "g1", content))) == [("user", "a")]


def test_binaries_are_lines(write: Write) -> None:
    """A picture with size and hash, a file that is only named with its type."""
    data = b"picture" * 9
    inline = {"inlineData": {"mimeType": "image/png", "data": base64.b64encode(data).decode()}}
    path = write(
        record("user", "x", [{"text": "봐"}, inline, {"fileData": {"mimeType": "application/pdf", "fileUri": "x"}}])
    )
    assert said(path) == [
        ("user", f"봐\n\n[image: image/png, 63 bytes, sha256 {sha256(data).hexdigest()[:12]}]\n\n[document]")
    ]


def test_a_subagents_session_is_nobodys_conversation(write: Write) -> None:
    """It says so in its header."""
    found = list(gemini.read(write(user("u1", "explore"), header={**HEADER, "kind": "subagent"})))
    assert [type(item) for item in found] == [Skipped, Checkpoint]


@pytest.mark.parametrize("where", ["header", "root file", "projects file", "nowhere"])
def test_the_folder_of_a_session_is_found_where_the_program_notes_it(where: str, write: Write) -> None:
    """The path of the file itself has only a short name or a hash of it."""
    path = write(user("u1", "a"), header={**HEADER, "directories": ["/src/shop"]} if where == "header" else HEADER)
    project = path.parent.parent
    if where == "root file":
        (project / ".project_root").write_text("/src/shop\n", "utf-8")
    if where == "projects file":
        (project.parent.parent / "projects.json").write_text(
            '{"projects": {"/src/shop": "shop", "/src/other": "o"}}', "utf-8"
        )
    assert messages(path)[0].cwd == (None if where == "nowhere" else "/src/shop")


def test_a_long_session_sets_fewer_checkpoints_and_loses_nothing(write: Write) -> None:
    """What a checkpoint keeps grows with the session; setting one at every message would take quadratic time."""
    path = write(*(record("user" if n % 2 else "gemini", f"m{n}", f"text {n}") for n in range(2_000)))
    items = list(gemini.read(path))
    checkpoints = [item for item in items if isinstance(item, Checkpoint)]

    assert len([item for item in items if isinstance(item, Message)]) == 2_000
    assert 50 < len(checkpoints) < 500
    middle = checkpoints[len(checkpoints) // 2]
    rest = [item for item in items[items.index(middle) :] if isinstance(item, Message)]
    assert messages(path, middle._replace(state=json.loads(json.dumps(middle.state)))) == rest


def test_what_is_not_understood_is_named_with_its_line(write: Write) -> None:
    """And the rest goes on."""
    path = write(user("u1", "a"), {"poem": 1}, {"id": 5, "type": "user"}, user("u2", "b"))
    found = list(gemini.read(path))
    assert [(item.line, item.reason) for item in found if isinstance(item, Skipped)] == [
        (3, "a record of unknown kind"), (4, "a record of unknown kind"),
    ]  # fmt: skip
    assert [item.text for item in found if isinstance(item, Message)] == ["a", "b"]


# -- the older kind -------------------------------------------------------------------------------------------------


SESSION = {
    **HEADER,
    "lastUpdated": "2026-11-30T02:00:09.000Z",
    "messages": [
        record("user", "u1", "continue", 1),
        record("gemini", "g1", "", 2, toolCalls=[{"id": "t"}]),
        record("gemini", "g2", "A.", 3),
        record("info", "i1", "Update available", 4),
        record("user", "u2", "continue", 5),
        record("gemini", "g3", "A.", 6),
    ],
}
OLD = [("user", "continue"), ("assistant", "A."), ("user", "continue"), ("assistant", "A.")]


@pytest.mark.parametrize("indent", [None, 2], ids=["one line", "indented"])
@pytest.mark.parametrize("end", ["", "\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_a_session_that_is_one_object_is_read(indent: int | None, end: str, mark: str, tmp_path: Path) -> None:
    """However it is laid out, and whatever its name ends in."""
    for name in ("session.json", "session.jsonl"):
        path = tmp_path / name
        path.write_text(mark + json.dumps(SESSION, indent=indent) + end, "utf-8")
        assert said(path) == OLD
        assert {m.session.session_id for m in messages(path)} == {"s-1"}


def test_a_session_that_is_one_object_is_read_anew_each_time(tmp_path: Path) -> None:
    """It was written anew: no place in it can be kept."""
    path = tmp_path / "session.json"
    path.write_text(json.dumps(SESSION), "utf-8")
    checkpoint, *rest = gemini.read(path)
    assert checkpoint == Checkpoint(offset=0, line=0, state={})
    assert list(gemini.read(path, checkpoint)) == [checkpoint, *rest]


def test_of_a_broken_object_the_whole_messages_are_read(tmp_path: Path) -> None:
    """A session whose writing was interrupted."""
    path = tmp_path / "session.json"
    text = json.dumps(SESSION, indent=2)
    path.write_text(text[: text.index('"u2"')], "utf-8")
    found = list(gemini.read(path))
    assert [(item.role, item.text) for item in found if isinstance(item, Message)] == OLD[:2]
    assert [item.reason for item in found if isinstance(item, Skipped)] == [
        "message 5 is not JSON, or the file ends in it"
    ]


def test_a_large_object_is_read_in_little_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Message by message, with the session's facts from before them."""
    monkeypatch.setattr(gemini, "_SMALL", 100)
    path = tmp_path / "session.json"
    path.write_text(json.dumps(SESSION, indent=2), "utf-8")
    assert said(path) == OLD
    assert {(m.session.session_id, m.session.started) for m in messages(path)} == {("s-1", NOW)}


@pytest.mark.parametrize(
    "data",
    [b"{", b"", b"{}", b"[]", b'{"messages": 5}', b'{"messages": [', b'{"messages": [1, null, {}]}', b"\x00\xff"],
)
def test_no_file_is_too_odd(data: bytes, tmp_path: Path) -> None:
    """Nothing is said, nothing raised."""
    path = tmp_path / "session.json"
    path.write_bytes(data)
    assert said(path) == []


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)
FIELDS = (
    "id",
    "timestamp",
    "content",
    "displayContent",
    "toolCalls",
    "sessionId",
    "directories",
    "kind",
    "$rewindTo",
    "messages",
)
ODD = st.fixed_dictionaries(
    {},
    optional={
        **dict.fromkeys(FIELDS, JSON),
        "type": st.sampled_from(["user", "gemini"]) | JSON,
        "content": st.lists(st.fixed_dictionaries({}, optional=dict.fromkeys(("text", "inlineData", "thought"), JSON)))
        | JSON,
        "$set": st.fixed_dictionaries({"messages": st.lists(JSON) | JSON}) | JSON,
    },
)


@settings(max_examples=150)
@given(st.lists(ODD, max_size=8))
def test_no_record_is_too_odd(tmp_path_factory: pytest.TempPathFactory, records: list[dict[str, Any]]) -> None:
    """Whatever stands in the fields: a message has words, a key and a time, and nothing is raised."""
    path = tmp_path_factory.mktemp("odd") / "session.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in (HEADER, *records)), "utf-8")
    for item in read_transcript(path, "gemini"):
        if isinstance(item, Message):
            assert item.text.strip() and item.key and item.time.tzinfo is UTC
        elif isinstance(item, Checkpoint):
            json.dumps(item.state)


# -- hooks ----------------------------------------------------------------------------------------------------------


def call(**payload: Any) -> HookCall:
    """Parse a payload with what every payload has."""
    usual = {"session_id": "s-1", "transcript_path": "", "cwd": "/src/shop", "timestamp": "2026-11-30T01:59:58.187Z"}
    return gemini.parse_hook({**usual, **payload}, NOW)


def test_a_prompts_hook_brings_the_words_and_the_hosts_own_time() -> None:
    """Without what hooks told before, and without the files that the prompt names."""
    escaped = fence("we chose PostgreSQL", "session-start").replace("<", "&lt;").replace(">", "&gt;")
    got = call(
        hook_event_name="BeforeAgent", prompt=f"<hook_context>{escaped}</hook_context>\n\nRead @a.txt please{FILES}"
    )
    assert got.message is not None
    assert (got.kind, got.message.role, got.message.text, got.transcript_path) == (
        "prompt",
        "user",
        "Read @a.txt please",
        None,
    )
    assert got.time == got.message.time == datetime(2026, 11, 30, 1, 59, 58, 187000, tzinfo=UTC)


def test_an_answers_hook_gives_way_to_the_transcript() -> None:
    """Its text is not the answer once the answer came in pieces: the transcript is believed first."""
    got = call(hook_event_name="AfterAgent", prompt="go", prompt_response="PostgreSQL.", stop_hook_active=False)
    assert got.message is not None
    assert (got.kind, got.message.text, got.transcript_first) == ("answer", "PostgreSQL.", True)


@pytest.mark.parametrize(
    "pieces",
    [
        ["PostgreSQL로 ", "정했습니다. ", "복제 설정이 ", "계속 문제였습니다."],
        ["The answer is long enough ", "to be told apart from words ", "that repeat themselves."],
        ["One piece that is the whole of the answer."],
        ["So be it, so be it, so be it."],
        ["ok"],
    ],
)
def test_an_answer_in_pieces_is_put_together(pieces: list[str]) -> None:
    """The hook is given all of it, then all pieces but the first again, joined by blanks."""
    whole = "".join(pieces)
    got = call(hook_event_name="AfterAgent", prompt="go", prompt_response=" ".join([whole, *pieces[1:]]))
    assert got.message is not None and got.message.text == whole


@pytest.mark.parametrize(
    ("payload", "kind"),
    [
        ({"hook_event_name": "SessionStart", "source": "resume"}, "start"),
        ({"hook_event_name": "SessionEnd", "reason": "exit"}, "end"),
        ({"hook_event_name": "AfterAgent", "prompt_response": "[no response text]"}, "answer"),
        ({"hook_event_name": "AfterAgent"}, "answer"),
        ({"hook_event_name": "BeforeAgent", "prompt": "/help"}, "prompt"),
        ({"hook_event_name": "PreCompress", "trigger": "auto"}, "other"),
        ({"hook_event_name": "BeforeTool", "tool_name": "ls"}, "other"),
        ({"hook_event_name": "AfterModel", "llm_response": {}}, "other"),
        ({"hook_event_name": "Notification", "message": "x"}, "other"),
    ],
)
def test_other_hooks_bring_no_message(payload: dict[str, Any], kind: str) -> None:
    """A time that cannot be read is ours."""
    got = call(**payload, timestamp="soon")
    assert (got.kind, got.message, got.time, got.source) == (kind, None, NOW, payload.get("source"))
