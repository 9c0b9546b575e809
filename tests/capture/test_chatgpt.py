"""ChatGPT's export: the shown branch is the conversation, and what no person saw is not in it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wwt_vault.capture import chatgpt, recognise
from wwt_vault.capture.chatgpt import without_citations
from wwt_vault.model.conversation import Checkpoint, Message, Skipped

Write = Callable[[Any], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Return a function that writes an export."""

    def write(export: Any) -> Path:
        path = tmp_path / "conversations.json"
        path.write_text(export if isinstance(export, str) else json.dumps(export), "utf-8")
        return path

    return write


def node(name: str, parent: str | None, role: str = "user", text: Any = None, **more: Any) -> dict[str, Any]:
    """Return one node of a mapping with a message in it."""
    content = {"content_type": "text", "parts": [text if text is not None else f"words of {name}"]}
    author = {"role": role, "name": None, "metadata": {}}
    message = {"id": f"m-{name}", "author": author, "create_time": 1_704_067_200.0 + ord(name[0]), "content": content}
    message |= {"status": "finished_successfully", "weight": 1.0, "metadata": {}, "recipient": "all"} | more
    return {"id": name, "parent": parent, "children": [], "message": message}


def conversation(*nodes: dict[str, Any], current: str | None = None, **fields: Any) -> dict[str, Any]:
    """Return a conversation of these nodes below an empty root."""
    root = {"id": "root", "parent": None, "children": [], "message": None}
    mapping = {entry["id"]: entry for entry in (root, *nodes)}
    named = {"title": "Shop", "create_time": 1_704_067_200.0, "mapping": mapping, "conversation_id": "c-1"}
    return {**named, **({"current_node": current} if current else {}), **fields}


def messages(path: Path, start: Checkpoint | None = None) -> list[Message]:
    """Return the messages alone."""
    return [item for item in chatgpt.read(path, start) if isinstance(item, Message)]


def said(path: Path) -> list[tuple[str, str, str]]:
    """Return in which session who said what."""
    return [(message.session.session_id, message.role, message.text) for message in messages(path)]


def reasons(path: Path) -> list[str]:
    """Return why something was passed over."""
    return [item.reason for item in chatgpt.read(path) if isinstance(item, Skipped)]


# -- a conversation -------------------------------------------------------------------------------------------------


def test_a_conversation_says_what_was_said(write: Write) -> None:
    """With ids, times, model, title, custom GPT and project of its own."""
    answer = node("b", "a", "assistant", "PostgreSQL.", metadata={"model_slug": "gpt-5", "gizmo_id": "g-shop"})
    path = write([conversation(node("a", "root", text="어떤 DB로?"), answer, current="b", gizmo_id="g-p-1234")])
    question, reply = messages(path)
    assert (question.role, question.text, question.key) == ("user", "어떤 DB로?", "m-a")
    assert (reply.role, reply.text, reply.model) == ("assistant", "PostgreSQL.", "gpt-5")
    assert question.time.isoformat() == "2024-01-01T00:01:37+00:00"
    session = question.session
    assert (session.host, session.session_id, session.title) == ("chatgpt", "c-1", "Shop")
    assert (session.folder, session.assistant) == ("g-p-1234", "g-shop")
    assert session.started is not None and session.started.isoformat() == "2024-01-01T00:00:00+00:00"


def test_the_shown_branch_is_the_conversation_and_others_are_sessions_of_their_own(write: Write) -> None:
    """An edited prompt, and within it an answer that was asked for again."""
    nodes = [
        node("a", "root"), node("b", "a", "assistant"), node("c", "b"), node("d", "c", "assistant"),
        node("e", "b"), node("f", "e", "assistant"), node("g", "e", "assistant"),
    ]  # fmt: skip
    path = write([conversation(*nodes, current="d")])
    sessions = {message.session.session_id: message.session for message in messages(path)}
    assert [(name, text) for name, _, text in said(path)] == [
        ("c-1", "words of a"), ("c-1", "words of b"), ("c-1", "words of c"), ("c-1", "words of d"),
        ("c-1~e", "words of e"), ("c-1~e", "words of g"), ("c-1~f", "words of f"),
    ]  # fmt: skip
    assert sessions["c-1~e"].forked_from == sessions["c-1~f"].forked_from == "c-1"
    assert sessions["c-1~e"].title == "Shop (another branch)"


@pytest.mark.parametrize(
    "hidden",
    [
        node("x", "a", "system"),
        node("x", "a", "assistant", weight=0),
        node("x", "a", "user", metadata={"is_visually_hidden_from_conversation": True}),
        node("x", "a", "user", metadata={"is_user_system_message": True}),
        node("x", "a", "assistant", recipient="python"),
        node("x", "a", "assistant", channel="analysis"),
        node("x", "a", "tool"),
        node("x", "a", "critic"),
        *(
            node("x", "a", role, content={"content_type": kind, "parts": ["secret plan"], "text": "secret plan"})
            for role, kind in [
                ("assistant", "thoughts"),
                ("assistant", "reasoning_recap"),
                ("assistant", "code"),
                ("user", "user_editable_context"),
                ("assistant", "model_editable_context"),
                ("tool", "tether_quote"),
                ("tool", "tether_browsing_display"),
                ("tool", "sonic_webpage"),
                ("tool", "execution_output"),
                ("assistant", "system_error"),
            ]
        ),
    ],
    ids=lambda entry: f"{entry['message']['author']['role']}-{entry['message']['content']['content_type']}",
)
def test_what_no_person_saw_is_left_out(write: Write, hidden: dict[str, Any]) -> None:
    """Hidden, system, tool, reasoning and memory nodes; what comes behind them is in its place."""
    path = write([conversation(node("a", "root"), hidden, node("z", "x", "assistant"), current="z")])
    assert [text for _, _, text in said(path)] == ["words of a", "words of z"]


def test_a_picture_that_was_made_counts_as_the_answer(write: Write) -> None:
    """One line stands for it, and for each file that was sent along; the words of the tool are not in it."""
    image = {"content_type": "image_asset_pointer", "asset_pointer": "sediment://file_1", "size_bytes": 48_029}
    drawn = node("b", "a", "tool", content={"content_type": "multimodal_text", "parts": ["DALL-E returned", image]})
    attached = [
        {"id": "file_1", "name": "plan.png", "mime_type": "image/png"},
        {"id": "2", "name": "a.txt", "size": 42},
    ]
    asked = node(
        "a", "root", content={"content_type": "multimodal_text", "parts": [image, "Draw this"]},
        metadata={"attachments": attached},
    )  # fmt: skip
    assert said(write([conversation(asked, drawn, current="b")])) == [
        ("c-1", "user", "[image: plan.png, 48,029 bytes]\n\nDraw this\n\n[file: a.txt, 42 bytes]"),
        ("c-1", "assistant", "[image: 48,029 bytes]"),
    ]


def test_spoken_words_are_words(write: Write) -> None:
    """The sound behind them is not told as well; without words it is."""
    sound = {"content_type": "audio_asset_pointer", "asset_pointer": "sediment://file_9", "size_bytes": 9}
    spoken = {
        "content_type": "multimodal_text",
        "parts": [{"content_type": "audio_transcription", "text": "안녕"}, sound],
    }
    silent = {"content_type": "multimodal_text", "parts": [sound]}
    path = write([conversation(node("a", "root", content=spoken), node("b", "a", content=silent), current="b")])
    assert [text for _, _, text in said(path)] == ["안녕", "[audio: 9 bytes]"]


def test_an_unknown_kind_of_message_is_read_by_its_text_or_named(write: Write) -> None:
    """ChatGPT gets new ones every few months."""
    known = node("a", "root", content={"content_type": "poem", "parts": ["roses"]})
    dark = node("b", "a", "assistant", content={"content_type": "hologram", "beams": []})
    path = write([conversation(known, dark, current="b")])
    assert [text for _, _, text in said(path)] == ["roses"]
    assert reasons(path) == ["a message of unknown type 'hologram' without text"]


# -- what may be missing --------------------------------------------------------------------------------------------


def test_missing_titles_times_and_leaves_are_no_hindrance(write: Write) -> None:
    """Order is kept: a message without a time stands behind the one before it."""
    nodes = [node("a", "root", create_time=None), node("b", "a", "assistant", create_time=None), node("c", "b")]
    path = write([conversation(*nodes, title=None, current="nowhere")])
    first, second, third = messages(path)
    assert first.session.title is None
    assert [message.text for message in (first, second, third)] == ["words of a", "words of b", "words of c"]
    assert first.time < second.time < third.time


def test_a_conversation_without_any_time_is_said_when_the_file_was_written(write: Write) -> None:
    """And without an id it has one that its first node gives."""
    export = conversation(node("a", "root", create_time=None), create_time=None)
    del export["conversation_id"]
    [message] = messages(write([export]))
    assert message.time.year >= 2025
    assert message.session.session_id.startswith("conversation-")


def test_conversations_without_messages_are_counted(write: Write) -> None:
    """No mapping, an empty one, one of hidden nodes only, entries that are none."""
    empty: list[Any] = [
        {"conversation_id": "x", "title": "no mapping"}, conversation(), conversation(node("a", "root", "system")),
        {"conversation_id": "y", "mapping": None, "title": None}, 7, None, [],
    ]  # fmt: skip
    path = write([*empty, conversation(node("a", "root"))])
    assert len(messages(path)) == 1
    assert reasons(path) == ["a conversation without messages (4 times)", "an entry that is no conversation (3 times)"]


def test_parents_may_be_told_by_children_alone_or_go_in_circles(write: Write) -> None:
    """Nothing is said twice, nothing is lost."""
    by_children = conversation(node("a", None), node("b", None, "assistant"))
    by_children["mapping"]["a"]["children"] = ["b"]
    circle = conversation(node("a", "b"), node("b", "a", "assistant"), current="b", conversation_id="c-2")
    assert [(name, text) for name, _, text in said(write([by_children, circle]))] == [
        ("c-1", "words of a"), ("c-1", "words of b"), ("c-2", "words of a"), ("c-2", "words of b"),
    ]  # fmt: skip


@pytest.mark.parametrize("wrap", ["list", "object", "one", "lines", "nested"])
def test_every_form_of_the_file_is_read(write: Write, wrap: str) -> None:
    """A list, an object with a list, one conversation alone, one a line."""
    first = conversation(node("a", "root"))
    second = conversation(node("b", "root"), conversation_id="c-2")
    forms = {
        "list": [first, second],
        "object": {"conversations": [first, second]},
        "one": json.dumps(first) + json.dumps(second),
        "lines": f"{json.dumps(first)}\n{json.dumps(second)}\n",
        "nested": [{"conversations": [first]}, {"items": [second]}],
    }
    path = write(forms[wrap])
    assert [name for name, _, _ in said(path)] == ["c-1", "c-2"]
    assert recognise(path) == "chatgpt"


def test_a_file_that_was_cut_off_gives_what_is_whole_and_says_so(write: Write) -> None:
    """Downloads break."""
    text = json.dumps([conversation(node("a", "root")), conversation(node("b", "root"), conversation_id="c-2")])
    path = write(text[:-80])
    assert [name for name, _, _ in said(path)] == ["c-1"]
    [reason] = reasons(path)
    assert reason.startswith("the file ends in the middle") and reason.endswith("conversations read before that: 1")


def test_reading_goes_on_from_a_checkpoint(write: Write) -> None:
    """With the next conversation."""
    path = write([conversation(node(name, "root"), conversation_id=name) for name in "abc"])
    points = [item for item in chatgpt.read(path) if isinstance(item, Checkpoint)]
    assert [point.line for point in points] == [1, 2, 3]
    assert [message.session.session_id for message in messages(path, points[0])] == ["b", "c"]


# -- citations ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("marked", "plain"),
    [
        ("Use 16.【3†source】 Fast.", "Use 16. Fast."),
        ("Use 16【12:3†plan.pdf】.", "Use 16."),
        ("Use 16【7†sou", "Use 16"),
        ("Fast. \ue200cite\ue202turn0search1\ue202turn0news3\ue201", "Fast."),
        ("Fast \ue200filecite\ue202turn3file14\ue202L180-L293\ue201, yes", "Fast, yes"),
        ("Fast. \ue200cite\ue202turn0sea", "Fast."),
        ('No \ue200entity\ue202["place","Antigo Egito",0]\ue201 here', "No Antigo Egito here"),
        ("See \ue200url\ue202the docs\ue202https://example.com/a\ue201.", "See [the docs](https://example.com/a)."),
        ("See \ue200url\ue202the docs\ue202turn0search0\ue201.", "See the docs."),
        ("\ue203marked words\ue204 stay", "marked words stay"),
        ('Text:chatgpt-content-reference{index="0"}', "Text"),
        ("【중요】 stays", "【중요】 stays"),
        ("a † b stays", "a † b stays"),
    ],
)
def test_marks_of_citations_are_taken_out(marked: str, plain: str) -> None:
    """Also broken ones; words inside a mark and brackets that mark nothing stay."""
    assert without_citations(marked) == plain


def test_a_persons_own_marks_stay(write: Write) -> None:
    """What was typed is kept as it was typed."""
    path = write(
        [conversation(node("a", "root", text="what is 【3†source】?"), node("b", "a", "assistant", "A【3†source】"))]
    )
    assert [text for _, _, text in said(path)] == ["what is 【3†source】?", "A"]


# -- odd files ------------------------------------------------------------------------------------------------------

KEYS = [
    "mapping", "message", "author", "role", "content", "parts", "content_type", "parent", "children", "current_node",
    "create_time", "metadata", "attachments", "conversations", "title", "conversation_id", "user", "assistant", "text",
]  # fmt: skip
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(KEYS) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=5),
    max_leaves=30,
)


@settings(max_examples=150)
@given(JSON)
def test_no_export_is_too_odd(tmp_path_factory: pytest.TempPathFactory, export: Any) -> None:
    """Anything may stand anywhere: messages come out whole, or a reason does."""
    path = tmp_path_factory.mktemp("odd") / "conversations.json"
    path.write_text(json.dumps(export), "utf-8")
    for item in chatgpt.read(path):
        assert not isinstance(item, Message) or (item.text.strip() and item.session.session_id and item.key)


@settings(max_examples=100)
@given(st.integers(0, 2000), st.binary(max_size=8))
def test_no_damage_is_too_odd(tmp_path_factory: pytest.TempPathFactory, at: int, junk: bytes) -> None:
    """Bytes in the middle of a good file."""
    good = json.dumps([conversation(node("a", "root"), node("b", "a", "assistant"), current="b")] * 2).encode()
    path = tmp_path_factory.mktemp("damaged") / "conversations.json"
    path.write_bytes(good[:at] + junk + good[at + len(junk) + 1 :])
    assert all(isinstance(item, Message | Skipped | Checkpoint) for item in chatgpt.read(path))
