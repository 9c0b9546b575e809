"""Codex CLI: an exchange that stands twice is said once, whatever the version; forks say only what is their own."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from wwt_vault.capture import codex, read_transcript
from wwt_vault.fence import fence
from wwt_vault.model.conversation import Checkpoint, HookCall, Message, Skipped

NOW = datetime(2026, 11, 30, 2, 0, tzinfo=UTC)
CHILD = "01a22a3d-26fa-71c2-a539-021a707c7508"
PARENT = "01a22a00-0000-7000-8000-000000000001"
Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Return a function that writes records as a rollout, a second apart."""

    def write(*records: dict[str, Any], name: str = f"rollout-2026-11-30T11-00-00-{CHILD}.jsonl") -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("w", encoding="utf-8") as file:
            for number, record in enumerate(records):
                time = (NOW + timedelta(seconds=number)).isoformat().replace("+00:00", "Z")
                file.write(json.dumps({"timestamp": time, **record}, ensure_ascii=False) + "\n")
        return path

    return write


def meta(session_id: str = CHILD, **more: Any) -> dict[str, Any]:
    """Return a rollout's first record."""
    facts = {"id": session_id, "timestamp": "2026-11-30T01:59:59Z", "cwd": "/src/shop", "source": "cli"}
    return {"type": "session_meta", "payload": {**facts, "git": {"branch": "main"}, **more}}


def event(kind: str, /, **more: Any) -> dict[str, Any]:
    """Return an event."""
    return {"type": "event_msg", "payload": {"type": kind, **more}}


def item(role: str, *texts: str, turn: str | None = None, **more: Any) -> dict[str, Any]:
    """Return an item of the model's conversation."""
    kind = "output_text" if role == "assistant" else "input_text"
    payload = {"type": "message", "role": role, "content": [{"type": kind, "text": text} for text in texts], **more}
    if turn:
        payload["internal_chat_message_metadata_passthrough"] = {"turn_id": turn}
    return {"type": "response_item", "payload": payload}


def completed(kind: str, text: str, turn: str = "t1", name: str = "i") -> dict[str, Any]:
    """Return an event of version 0.171."""
    content = [{"type": "Text" if kind == "AgentMessage" else "text", "text": text}]
    return event("item_completed", turn_id=turn, item={"type": kind, "id": name, "content": content})


def turn(name: str) -> dict[str, Any]:
    """Return what says which turn this is."""
    return {"type": "turn_context", "payload": {"turn_id": name, "model": "gpt-5", "cwd": "/src/shop"}}


def messages(path: Path, **more: Any) -> list[Message]:
    """Return the messages alone."""
    return [found for found in codex.read(path, **more) if isinstance(found, Message)]


def said(path: Path, **more: Any) -> list[tuple[str, str]]:
    """Return who said what."""
    return [(message.role, message.text) for message in messages(path, **more)]


EXCHANGE = [("user", "어떤 DB로?"), ("assistant", "PostgreSQL."), ("user", "왜?"), ("assistant", "복제 때문에.")]

GENERATIONS = {
    "bare items of early 2025": [
        {"id": CHILD, "timestamp": "2026-11-30T01:59:59Z", "instructions": None, "git": {"branch": "main"}},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "어떤 DB로?"}]},
        {"record_type": "state"},
        {"type": "reasoning", "summary": []},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "PostgreSQL."}]},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "왜?"}]},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "복제 때문에."}]},
    ],
    "items in envelopes": [
        meta(), item("user", "어떤 DB로?"), item("assistant", "PostgreSQL."),
        item("user", "왜?"), item("assistant", "복제 때문에."),
    ],
    "items before events": [
        meta(), item("user", "<environment_context>\n<cwd>/src</cwd>\n</environment_context>"),
        item("user", "어떤 DB로?"),
        event("user_message", message="어떤 DB로?", kind="plain"), turn("t1"),
        event("agent_message", message="PostgreSQL."), event("token_count", info=None),
        item("assistant", "PostgreSQL."),
        item("user", "왜?"), event("user_message", message="왜?", images=[]), turn("t2"),
        item("assistant", "복제 때문에."), event("agent_message", message="복제 때문에."),
    ],
    "events only": [
        meta(), event("user_message", message="어떤 DB로?"), event("agent_message", message="PostgreSQL."),
        event("user_message", message="왜?"), event("agent_message", message="복제 때문에."),
    ],
    "prompts as events, answers as items": [
        meta(), turn("t1"), event("task_started", turn_id="t1"), event("user_message", message="어떤 DB로?"),
        item("assistant", "PostgreSQL.", phase="final_answer"), event("task_complete", turn_id="t1"),
        event("task_started", turn_id="t2"), completed("UserMessage", "왜?", "t2"),
        item("assistant", "복제 때문에.", turn="t2"),
    ],
    "items completed": [
        meta(), event("task_started", turn_id="t1"), turn("t1"), item("user", "어떤 DB로?", turn="t1"),
        completed("UserMessage", "어떤 DB로?"), completed("AgentMessage", "PostgreSQL."),
        item("assistant", "PostgreSQL.", turn="t1"),
        event("task_complete", turn_id="t1", last_agent_message="PostgreSQL."), event("task_started", turn_id="t2"),
        item("user", "왜?", turn="t2"), completed("UserMessage", "왜?", "t2"),
        completed("AgentMessage", "복제 때문에.", "t2"), item("assistant", "복제 때문에.", turn="t2"),
        event("task_complete", turn_id="t2"),
    ],
}  # fmt: skip


@pytest.mark.parametrize("records", GENERATIONS.values(), ids=GENERATIONS)
def test_every_generation_says_each_message_once(records: list[dict[str, Any]], write: Write) -> None:
    """Twice, once, as item or as event: the conversation is the same, and its keys are unique."""
    found = messages(write(*records))

    assert [(message.role, message.text) for message in found] == EXCHANGE
    assert len({message.key for message in found}) == 4
    assert {message.session.session_id for message in found} == {CHILD}
    assert {message.session.git_branch for message in found} == {"main"}
    assert [message.time for message in found] == sorted({message.time for message in found})


@pytest.mark.parametrize("records", GENERATIONS.values(), ids=GENERATIONS)
def test_a_message_keeps_its_key_wherever_the_file_is_cut(records: list[dict[str, Any]], write: Write) -> None:
    """Between the two records of one message a hook may read: the second is still known for what it is."""
    whole = {message.key: message.text for message in messages(write(*records))}
    for number in range(len(records) + 1):
        first = list(codex.read(write(*records[:number])))
        checkpoint = [found for found in first if isinstance(found, Checkpoint)][-1]
        rest = messages(write(*records), start=checkpoint)
        assert {m.key: m.text for m in [*(f for f in first if isinstance(f, Message)), *rest]} == whole, number


NO_PROMPTS = {
    "environment": "<environment_context>\n  <cwd>/src</cwd>\n</environment_context>",
    "instructions": "<user_instructions>\nbe brief\n</user_instructions>",
    "agents": "# AGENTS.md instructions for /src\n\n<INSTRUCTIONS>\nbe brief\n</INSTRUCTIONS>",
    "agents and more": "# AGENTS.md instructions\n<INSTRUCTIONS>x</INSTRUCTIONS>\n<goal_context>y</goal_context>",
    "bare instructions": "<INSTRUCTIONS>\nbe brief\n</INSTRUCTIONS>",
    "aborted": "<turn_aborted>\nThe user interrupted the previous turn on purpose.\n</turn_aborted>",
    "skill": "<skill>\n<name>plan</name>\n</skill>",
    "subagent": '<subagent_notification>\n{"agent_id": "a"}\n</subagent_notification>',
    "goal": '<codex_internal_context source="goal">\nContinue.\n</codex_internal_context>',
    "shell": "<user_shell_command>\n<command>ls</command>\n</user_shell_command>",
    "hook": '<hook_prompt hook_run_id="stop:1">run the tests</hook_prompt>',
    "cut off": "<environment_context>\n  <cwd>/src",
    "ide alone": "# Context from my IDE setup:\n\n## Open tabs:\n- a.ts",
    "our own fence": fence("we chose PostgreSQL", "session-start"),
    "bare command": "/compact",
    "blank": " \n",
}  # fmt: skip


@pytest.mark.parametrize("text", NO_PROMPTS.values(), ids=NO_PROMPTS)
def test_what_codex_tells_the_model_is_no_prompt(text: str, write: Write) -> None:
    """In files of every age: before and after the first event that shows a prompt."""
    assert said(write(meta(), item("user", text), item("user", "go"))) == [("user", "go")]
    assert said(write(meta(), event("user_message", message="go"), item("user", text))) == [("user", "go")]
    assert said(write(meta(), event("user_message", message=text), event("user_message", message="go"))) == [
        ("user", "go")
    ]


def test_an_insertion_of_tomorrow_is_no_prompt_unless_an_event_shows_it(write: Write) -> None:
    """Only a block with a name of several words that is all of an item: what a person typed has an event as well."""
    text = "<weather_report>\nsunny\n</weather_report>"
    assert said(write(meta(), item("user", text), item("user", "<b>go</b>"))) == [("user", "<b>go</b>")]
    assert said(write(meta(), item("user", text), event("user_message", message=text))) == [("user", text)]


def test_only_what_the_rollout_says_is_the_persons_is_a_prompt(write: Write) -> None:
    """Newer items name the kind of each part; roles and kinds of old events are heeded too."""
    parts = item("user", "from a plugin", "어떤 DB로?")
    parts["payload"]["internal_chat_message_metadata_passthrough"] = {
        "content_item_kinds": ["plugins.note", "user.text"]
    }
    inherited = {**item("user", "from the parent"), "metadata": {"inherited_user_message": True}}
    path = write(
        meta(), item("developer", "be brief"), item("system", "be brief"), parts, inherited,
        event("user_message", message="<environment_context>", kind="environment_context"),
    )  # fmt: skip
    assert said(path) == [("user", "어떤 DB로?")]


@pytest.mark.parametrize("heading", ["## My request for Codex:", "## my request for codex:"])
def test_of_an_editors_wrapper_the_request_is_kept(heading: str, write: Write) -> None:
    """Open files and tabs are not the person's words."""
    text = (
        f"# Context from my IDE setup:\n\n## Active file: a.ts\n\n## Open tabs:\n- a.ts\n\n{heading}\nFix the spacing\n"
    )
    assert said(write(meta(), item("user", text), event("user_message", message=text))) == [("user", "Fix the spacing")]


def test_words_behind_an_insertion_are_kept(write: Write) -> None:
    """In one text, or in parts of one message."""
    one = item("user", "<environment_context>x</environment_context>\n<skill>y</skill>\nFix it")
    other = item("user", "<environment_context>x</environment_context>", "And that")
    assert said(write(meta(), one, other)) == [("user", "Fix it"), ("user", "And that")]


def test_pictures_are_lines_in_both_records(write: Write) -> None:
    """Their data stands in the item, in the event, or in neither; the message is one all the same."""
    url = "data:image/png;base64," + base64.b64encode(b"picture").decode()
    both = item("user", '<image name="a">', "</image>", "look at this")
    both["payload"]["content"].insert(1, {"type": "input_image", "image_url": url})
    assert said(write(meta(), both, event("user_message", message="look at this", images=[url]))) == [
        ("user", f"look at this\n\n[image: image/png, 7 bytes, sha256 {sha256(b'picture').hexdigest()[:12]}]")
    ]
    only = event("user_message", message="", local_images=["/tmp/a.png"])
    assert said(write(meta(), only)) == [("user", "[image]")]


def test_commentary_and_answer_are_messages_of_their_own(write: Write) -> None:
    """What was said before a tool ran, and what was said last."""
    path = write(
        meta(), event("user_message", message="go"),
        event("agent_message", message="Looking.", phase="commentary"),
        item("assistant", "Looking.", phase="commentary"),
        {"type": "response_item", "payload": {"type": "function_call", "name": "shell", "arguments": "{}"}},
        {"type": "response_item", "payload": {"type": "function_call_output", "output": "a.txt"}},
        event("agent_message", message="One file."), item("assistant", "One file."),
    )  # fmt: skip
    assert said(path) == [("user", "go"), ("assistant", "Looking."), ("assistant", "One file.")]


def test_a_plan_is_said_once(write: Write) -> None:
    """It is part of the item, and an item of its own among the events."""
    raw = item(
        "assistant",
        "Here it is.\n<proposed_plan>\n1. Move orders\n</proposed_plan>\n<oai-mem-citation>x</oai-mem-citation>",
    )
    plan = event("item_completed", turn_id="t1", item={"type": "Plan", "id": "p", "text": "1. Move orders"})
    answers = [("assistant", "Here it is."), ("assistant", "1. Move orders")]
    assert said(write(meta(), completed("AgentMessage", "Here it is."), plan, raw)) == answers
    assert said(write(meta(), raw)) == answers


def test_the_same_words_said_three_times_are_three_messages(write: Write) -> None:
    """Each pair is one, not all of them."""
    pair = [
        item("user", "continue"),
        event("user_message", message="continue"),
        event("agent_message", message="ok"),
        item("assistant", "ok"),
    ]
    assert said(write(meta(), *pair * 3)) == [("user", "continue"), ("assistant", "ok")] * 3


def test_what_was_rolled_back_or_compacted_was_said(write: Write) -> None:
    """Nothing is taken back, and no summary becomes a message."""
    path = write(
        meta(), event("user_message", message="a"), event("agent_message", message="A."),
        event("thread_rolled_back", num_turns=1), {"type": "compacted", "payload": {"message": "We chose…"}},
        event("context_compacted"), event("user_message", message="b"),
    )  # fmt: skip
    assert said(path) == [("user", "a"), ("assistant", "A."), ("user", "b")]


def test_the_first_prompt_repeated_after_an_abort_is_left_out_once(write: Write) -> None:
    """Codex writes it again to go on; typed again by the person in a new turn it is a message."""
    aborted = item("user", "<turn_aborted>\nx\n</turn_aborted>")
    replayed = write(
        meta(), item("user", "go"), item("assistant", "A."), aborted, item("user", "go"), item("user", "go")
    )
    assert said(replayed) == [("user", "go"), ("assistant", "A."), ("user", "go")]
    typed = [event("task_started", turn_id="t1"), item("user", "go"), event("user_message", message="go")]
    again = [event("turn_aborted", turn_id="t1"), aborted, event("task_started", turn_id="t2"), *typed[1:]]
    assert said(write(meta(), *typed, *again)) == [("user", "go"), ("user", "go")]


def test_turns_models_and_folders_are_those_of_the_moment(write: Write) -> None:
    """The turn links a hook's payload to the rollout."""
    moved = {"type": "turn_context", "payload": {"turn_id": "t2", "model": "gpt-6", "cwd": "/src/other"}}
    path = write(
        meta(), event("task_started", turn_id="t1"), turn("t1"), event("user_message", message="a"),
        event("agent_message", message="A."), event("task_complete", turn_id="t1"),
        event("task_started", turn_id="t2"), moved, event("user_message", message="b"),
        event("agent_message", message="B."),
    )  # fmt: skip
    found = messages(path)
    assert [(m.turn, m.model, m.cwd) for m in found] == [
        ("t1", None, "/src/shop"), ("t1", "gpt-5", "/src/shop"),
        ("t2", None, "/src/other"), ("t2", "gpt-6", "/src/other"),
    ]  # fmt: skip
    assert {m.session.cwd for m in found} == {"/src/shop"}
    assert [m.key for m in found] == ["t1:L4", "t1:L5", "t2:L9", "t2:L10"]


def test_without_times_the_order_is_kept(tmp_path: Path) -> None:
    """Lines without a time follow one another by a millisecond."""
    path = tmp_path / "rollout.jsonl"
    records = [meta(), event("user_message", message="a"), event("agent_message", message="A.")]
    path.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
    first, second = messages(path)

    assert first.time - datetime(2026, 11, 30, 1, 59, 59, tzinfo=UTC) == timedelta(milliseconds=2)
    assert second.time - first.time == timedelta(milliseconds=1)


# -- forks and subagents --------------------------------------------------------------------------------------------


def fork(parent_turn: str, own_turn: str, told: bool, session_id: str = CHILD) -> list[dict[str, Any]]:
    """Return a fork's rollout: the parent's lines with new times, then one exchange of its own."""
    records = [meta(session_id, forked_from_id="parent-1"), meta("parent-1")]
    for name, prompt, answer in ((parent_turn, "old", "Old."), (own_turn, "new", "New.")):
        pair = [item("user", prompt), event("user_message", message=prompt)]
        context = [event("task_started", turn_id=name), turn(name)] if told else []
        records += [
            *context,
            *pair,
            *([] if told else [turn(name)]),
            event("agent_message", message=answer),
            item("assistant", answer),
        ]
    return records


@pytest.mark.parametrize("told", [True, False], ids=["turns told", "turns after the prompt"])
def test_what_the_vault_knows_of_the_parent_is_not_said_again(told: bool, write: Write) -> None:
    """By the turns in the keys of its messages, even where a prompt's turn is known only after it."""
    path = write(*fork("p-1", "c-1", told))
    keys = {"parent-1": frozenset({"p-1:L4", "p-1:L7"})}
    found = messages(path, parent_keys=lambda name: keys.get(name, frozenset()))

    assert [(m.role, m.text) for m in found] == [("user", "new"), ("assistant", "New.")]
    assert {m.session.forked_from for m in found} == {"parent-1"}


@pytest.mark.parametrize("told", [True, False], ids=["turns told", "turns after the prompt"])
@pytest.mark.parametrize("folder", ["sessions/2026/11/29", "archived_sessions"])
def test_the_parents_rollout_beside_it_serves_as_well(told: bool, folder: str, write: Write, tmp_path: Path) -> None:
    """An import on another machine has no events of the parent yet."""
    write(
        meta("parent-1"), turn("p-1"), event("user_message", message="old"), name=f"{folder}/rollout-x-parent-1.jsonl"
    )
    path = write(*fork("p-1", "c-1", told), name=f"sessions/2026/11/30/rollout-y-{CHILD}.jsonl")
    assert said(path) == [("user", "new"), ("assistant", "New.")]


def test_without_the_parent_the_age_of_a_turn_tells(write: Write) -> None:
    """Ids are UUIDv7: a turn that is older than the fork was not begun in it."""
    assert said(write(*fork(PARENT, "01a22a40-0000-7000-8000-000000000002", told=True))) == [
        ("user", "new"),
        ("assistant", "New."),
    ]


def test_where_nothing_tells_a_fork_is_kept_whole(write: Write) -> None:
    """Rather twice than never."""
    assert len(said(write(*fork("p-1", "c-1", told=True, session_id="child-1")))) == 4


def test_a_fork_of_a_fork_leaves_out_both(write: Write) -> None:
    """The grandparent's first line comes with the parent's."""
    records = fork("p-1", "c-1", told=True)
    records[1:2] = [
        meta("parent-1", forked_from_id="grand-1"),
        meta("grand-1"),
        event("task_started", turn_id="g-1"),
        item("user", "oldest"),
    ]
    keys = {"parent-1": frozenset({"p-1:L1"}), "grand-1": frozenset({"g-1:L1"})}
    assert said(write(*records), parent_keys=lambda name: keys[name]) == [("user", "new"), ("assistant", "New.")]


def test_a_fork_that_only_names_its_parents_history_says_its_own(write: Write) -> None:
    """Since 0.171 nothing is repeated: the first line says where the history lies."""
    own = [
        event("task_started", turn_id="c-1"),
        item("user", "new", turn="c-1"),
        completed("UserMessage", "new", "c-1"),
    ]
    path = write(meta(forked_from_id="parent-1", history_base={"thread_id": "parent-1"}), *own)
    assert said(path, parent_keys=lambda name: frozenset({"p-1:L4"})) == [("user", "new")]


def test_a_fork_read_before_its_own_first_turn_says_nothing_and_loses_nothing(write: Write) -> None:
    """The checkpoint stays before what is not decided yet."""
    records = fork("p-1", "c-1", told=False)
    keys = {"parent_keys": lambda name: frozenset({"p-1:L4"})}
    for cut in range(1, len(records)):
        first = list(codex.read(write(*records[:cut]), **keys))
        checkpoint = [found for found in first if isinstance(found, Checkpoint)][-1]
        rest = messages(write(*records), start=checkpoint, **keys)
        assert {m.text for m in rest} | {m.text for m in first if isinstance(m, Message)} >= {"new", "New."}, cut
        assert "Old." not in {m.text for m in rest}, cut


@pytest.mark.parametrize(
    "facts",
    [{"source": {"subagent": {"thread_spawn": {"parent_thread_id": "p"}}}}, {"thread_source": "subagent"}],
)
def test_a_subagents_rollout_is_nobodys_conversation(facts: dict[str, Any], write: Write) -> None:
    """It says so itself; the reason is given."""
    found = list(
        codex.read(write(meta(**facts), event("user_message", message="explore"), event("agent_message", message="ok")))
    )
    assert [type(each) for each in found] == [Skipped, Checkpoint]


# -- files ----------------------------------------------------------------------------------------------------------


def test_a_compressed_rollout_reads_like_a_plain_one(write: Write) -> None:
    """Also under the name that it had before it was compressed, and after it was unpacked again."""
    path = write(*GENERATIONS["items completed"])
    packed = path.with_name(path.name + ".zst")
    packed.write_bytes(zstandard.compress(path.read_bytes()))
    plain = list(codex.read(path))

    assert list(codex.read(packed)) == [
        found._replace(path=str(packed)) if isinstance(found, Skipped) else found for found in plain
    ]
    checkpoint = next(found for found in plain if isinstance(found, Checkpoint))
    assert said(packed, start=checkpoint) == said(path, start=checkpoint)
    path.unlink()
    assert said(path) == EXCHANGE
    write(*GENERATIONS["items completed"])
    packed.unlink()
    assert said(packed) == EXCHANGE


def test_a_rollout_without_a_first_line_is_named_by_its_file(write: Write) -> None:
    """The id stands in the name."""
    [message] = messages(write(event("user_message", message="go")))
    assert message.session.session_id == CHILD


def test_what_is_not_understood_is_named_with_its_line(write: Write) -> None:
    """Unknown types are passed over, in silence when nothing is said in them."""
    path = write(
        meta(),
        {"type": "poem", "payload": {"content": "x"}},
        {"type": "quiet", "payload": {}},
        event("user_message", message="go"),
    )
    found = list(codex.read(path))
    assert [(each.line, each.reason) for each in found if isinstance(each, Skipped)] == [
        (2, "a record of unknown type 'poem'")
    ]
    assert [each.text for each in found if isinstance(each, Message)] == ["go"]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)
PAYLOADS = st.fixed_dictionaries(
    {"type": st.sampled_from(["message", "user_message", "agent_message", "item_completed"]) | JSON},
    optional=dict.fromkeys(
        ("role", "message", "content", "item", "turn_id", "id", "images", "git", "source", "timestamp",
         "forked_from_id", "internal_chat_message_metadata_passthrough", "cwd"),
        JSON,
    ),
)  # fmt: skip
KINDS = st.sampled_from(["session_meta", "response_item", "event_msg", "turn_context", "message", "compacted"])
ODD = st.fixed_dictionaries(
    {}, optional={"type": KINDS | JSON, "payload": PAYLOADS | JSON, "timestamp": JSON, "ordinal": JSON, "id": JSON}
)


@settings(max_examples=150)
@given(st.lists(ODD, max_size=8))
def test_no_record_is_too_odd(tmp_path_factory: pytest.TempPathFactory, records: list[dict[str, Any]]) -> None:
    """Whatever stands in the fields: a message has words, a key and a time, and nothing is raised."""
    path = tmp_path_factory.mktemp("odd") / "rollout.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
    for found in read_transcript(path, "codex"):
        if isinstance(found, Message):
            assert found.text.strip() and found.key and found.time.tzinfo is UTC
        elif isinstance(found, Checkpoint):
            json.dumps(found.state)


# -- hooks ----------------------------------------------------------------------------------------------------------


def call(**payload: Any) -> HookCall:
    """Parse a payload with what every payload has."""
    usual = {
        "session_id": CHILD,
        "transcript_path": "/home/u/.codex/sessions/2026/11/30/rollout-x.jsonl",
        "cwd": "/src/shop",
    }
    return codex.parse_hook({**usual, "model": "gpt-5", "permission_mode": "default", **payload}, NOW)


def test_a_prompts_and_a_stops_hook_bring_message_and_turn() -> None:
    """The editor's wrapper is taken off, as in the rollout."""
    wrapped = "# Context from my IDE setup:\n\n## Open tabs:\n- a.ts\n\n## My request for Codex:\n어떤 DB로?"
    prompt = call(hook_event_name="UserPromptSubmit", turn_id="t1", prompt=wrapped).message
    answer = call(
        hook_event_name="Stop", turn_id="t1", last_assistant_message="PostgreSQL.  \n", stop_hook_active=False
    ).message

    assert prompt is not None and answer is not None
    assert (prompt.role, prompt.text, prompt.turn, prompt.model) == ("user", "어떤 DB로?", "t1", None)
    assert (answer.role, answer.text, answer.turn, answer.model) == ("assistant", "PostgreSQL.", "t1", "gpt-5")


@pytest.mark.parametrize(
    ("payload", "kind"),
    [
        ({"hook_event_name": "SessionStart", "source": "startup"}, "start"),
        ({"hook_event_name": "SessionEnd", "reason": "other"}, "end"),
        ({"hook_event_name": "Stop", "last_assistant_message": None}, "answer"),
        ({"hook_event_name": "Interrupt"}, "other"),
        ({"hook_event_name": "PreCompact", "trigger": "auto"}, "other"),
        ({"hook_event_name": "PermissionRequest", "tool_name": "shell"}, "other"),
        ({"hook_event_name": "PostToolUse", "tool_response": {"output": "x"}}, "other"),
        ({"hook_event_name": "New", "prompt": "x"}, "other"),
    ],
)
def test_other_hooks_bring_no_message(payload: dict[str, Any], kind: str) -> None:
    """A path that is null, as in runs that keep no rollout, is no fault."""
    got = call(**payload, transcript_path=None)
    assert (got.kind, got.message, got.transcript_path, got.source) == (kind, None, None, payload.get("source"))


def test_a_subagents_hooks_are_nobodys_conversation() -> None:
    """They carry the session of the person's own."""
    got = call(hook_event_name="SubagentStop", agent_id="a", last_assistant_message="found")
    assert got.subagent and got.message is None
    assert call(hook_event_name="UserPromptSubmit", agent_id="a", prompt="explore").message is None


def test_the_older_notify_brings_the_turns_prompts_and_its_answer() -> None:
    """Its fields are spelled with hyphens; what Codex puts into the person's mouth is not theirs here either."""
    payload = {
        "type": "agent-turn-complete", "thread-id": CHILD, "turn-id": "t1", "cwd": "/src/shop",
        "input-messages": ["<environment_context>x</environment_context>", "어떤 DB로?"],
        "last-assistant-message": "PostgreSQL.",
    }  # fmt: skip
    got = codex.parse_hook(payload, NOW)
    assert got.message is not None
    [prompt] = got.earlier
    assert (prompt.role, prompt.text, prompt.turn, prompt.time < NOW) == ("user", "어떤 DB로?", "t1", True)
    assert (got.kind, got.event_name, got.session.session_id, got.message.text, got.message.turn) == (
        "answer", "agent-turn-complete", CHILD, "PostgreSQL.", "t1",
    )  # fmt: skip
    broken_off = codex.parse_hook({**payload, "last-assistant-message": None}, NOW)
    assert (broken_off.message, broken_off.earlier) == (prompt, ())
    nothing = codex.parse_hook({"type": "agent-turn-complete", "input-messages": [7, ""]}, NOW)
    assert (nothing.message, nothing.earlier) == (None, ())
