"""A message's block: nothing breaks out of it, and the words come back."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from tests.hanging import ends
from wwt_vault.model.conversation import Event, Message, Session
from wwt_vault.vault.blocks import ids_in, read_turns, render_event, shown
from wwt_vault.vault.events import event_of

TIME = datetime(2026, 11, 29, 16, 58, 1, tzinfo=UTC)
SEOUL = timezone(timedelta(hours=9))
ID = "20261130T015801Z-9f2c4e1ab07d"


def said(text: str, role: str = "user", time: datetime = TIME) -> Event:
    """Return the event of a message."""
    message = Message(session=Session(host="codex", session_id="s"), role="user", text=text, time=time)
    return event_of(message, 1)._replace(role="user" if role == "user" else "assistant")


def test_a_block_is_a_callout_with_every_line_quoted_and_the_id_under_it() -> None:
    """As the design shows it: local time, empty lines quoted too, a blank line before and after the id."""
    event = said("one\n\ntwo", "assistant")
    assert render_event(event, SEOUL).decode() == f"> [!assistant] 01:58\n> one\n>\n> two\n\n^{event.id}\n\n"


def test_the_date_stands_before_the_time_when_it_is_not_the_notes() -> None:
    """A session that runs past midnight, in the reader's zone."""
    event = said("x")
    assert b"[!user] 01:58\n" in render_event(event, SEOUL, date(2026, 11, 30))
    assert b"[!user] 2026-11-30 01:58\n" in render_event(event, SEOUL, date(2026, 11, 29))
    assert b"[!user] 16:58\n" in render_event(event, UTC, date(2026, 11, 29))


pieces = st.sampled_from(
    [
        *(
            "\n",
            " ",
            "^",
            "^abc",
            f"^{ID}",
            "\\",
            "%",
            "%%",
            "> ",
            ">",
            "```",
            "[!user] 01:58",
            "> [!user] 01:58",
            "a",
            "가",
        ),
        *(
            "\r",
            "\r\n",
            "\x0b",
            "\x0c",
            "\x00",
            "\x1b[31m",
            "\x85",
            "\u2028",
            "\t",
            "---",
            "$$",
            "<!--",
            "[a]: b",
            "\ufeff",
        ),
    ]
)
texts = st.text() | st.lists(pieces).map("".join)


@given(st.lists(st.tuples(texts, st.sampled_from(["user", "assistant"]), st.integers(0, 10**6)), max_size=5))
@example([(f"ends like an id ^{ID}", "user", 0), (f"\\^{ID} \n\\\\^{ID}", "user", 1), ("%\\%%\\\\%", "assistant", 2)])
@example([(">^a", "user", 0), (">\\^a", "user", 1), ("x^2", "user", 2), ("x\\^2", "user", 3), ("\t^a\t", "user", 4)])
def test_any_conversation_comes_back_from_its_note(messages: list[tuple[str, str, int]]) -> None:
    """Text, role, order and second of every message, whatever it says; control characters as their pictures."""
    events = [said(text, role, TIME + timedelta(seconds=offset)) for text, role, offset in messages]
    note = "---\ntype: session\n---\n\n" + b"".join(render_event(event, SEOUL) for event in events).decode()
    turns = read_turns(note)
    assert [(t.event, t.role, t.text) for t in turns] == [(e.id, e.role, shown(e.text)) for e in events]
    assert [turn.time for turn in turns] == [event.time for event in events]
    lines = note.split("\n")
    assert all(lines[turn.line - 1].startswith(f"> [!{turn.role}] ") for turn in turns)
    assert ids_in(note.encode()) == [event.id for event in events]
    assert read_turns(note.replace("\n", "\r\n")) == turns
    assert ids_in(note.replace("\n", "\r\n").encode()) == [event.id for event in events]


@given(texts)
@example(">^a")
@example("- ^a\n%%\n```\n> [!user] 01:58")
def test_no_text_forges_an_id_hides_the_rest_or_leaves_the_quote(text: str) -> None:
    """Read as Obsidian reads it: one quote, one paragraph with our id after it, no block id and no comment inside."""
    event = said(text)
    block = render_event(event, SEOUL).decode()
    quoted = block.split("\n")[:-4]
    assert all(line.startswith(">") for line in quoted)
    assert not [line for line in quoted if re.search(r"(^|[\s>])\^[A-Za-z0-9-]+\s*$", line)]
    assert "%%" not in block
    tokens = MarkdownIt().parse(block)
    top = ["blockquote_open", "blockquote_close", "paragraph_open", "paragraph_close"]
    assert [token.type for token in tokens if token.level == 0] == top
    assert tokens[-2].content == f"^{event.id}"


def test_control_characters_are_shown_and_nothing_else_is_changed() -> None:
    """A terminal's escape or a carriage return is visible as such and cannot act; tab and all letters stay."""
    assert shown("a\x00\x1b[0m\r\x7f\x85\tb\u2028\u200b가😀\n") == "a␀␛[0m␍␡\ufffd\tb\u2028\u200b가😀\n"


def test_what_is_no_whole_block_is_passed_over() -> None:
    """A person's words and quotes, a callout of theirs, a block that was cut off, an id without a block."""
    event = said("kept")
    note = f"""# A person's heading

> [!user] 01:58
> cut off

> [!note] mine
> a person's callout

^{ID}

> a person's quote

^my-own-id

{render_event(event, UTC).decode()}a person's last words ^{ID}
> ^{ID}
"""
    assert [turn.text for turn in read_turns(note)] == ["kept"]
    assert ids_in(note.encode()) == [ID, event.id]


def test_the_end_of_a_note_is_read_like_a_note() -> None:
    """Whoever needs the last messages only reads from any block on; line numbers count from there."""
    first, second = said("first"), said("second", "assistant")
    tail = render_event(second, UTC).decode()
    assert [(turn.event, turn.line) for turn in read_turns(tail)] == [(second.id, 1)]
    assert [turn.event for turn in read_turns(render_event(first, UTC).decode() + tail)] == [first.id, second.id]


def test_a_person_who_folds_a_callout_or_adds_blank_lines_keeps_the_message() -> None:
    """Small edits in Obsidian do not lose a message for the index."""
    block = render_event(said("text"), UTC).decode().replace("[!user]", "[!USER]-").replace("\n\n^", "\n\n\n^")
    assert [turn.text for turn in read_turns(block)] == ["text"]


@pytest.mark.parametrize(
    "text",
    [
        "^" * 200_000,
        " ^a" * 100_000,
        "%\\" * 100_000,
        "%" * 200_000,
        "> " * 100_000 + "^x",
        " ^" + "a" * 200_000 + "!",
        "\n" * 200_000,
    ],
)
def test_a_hostile_text_costs_no_more_than_its_length(text: str) -> None:
    """200,000 characters made to trip the escaping: were it quadratic, this would take minutes."""
    with ends():
        note = render_event(said(text), UTC)
        assert read_turns(note.decode())[0].text == text
