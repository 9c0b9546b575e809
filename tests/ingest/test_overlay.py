"""A conversation handed over without ids, late, twice, in parts: nothing is lost, nothing doubled."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wwt_vault.ingest.handed_over import record_messages
from wwt_vault.ingest.overlay import Said, new_ones
from wwt_vault.model.conversation import Message, Session
from wwt_vault.state import state_for
from wwt_vault.vault import Vault, events

START = datetime(2026, 11, 30, 1, tzinfo=UTC)
LONG = [f"{number}: what was said at length about the matter number {number}" for number in range(40)]


def said(*texts: str, minutes: list[int] | None = None) -> list[Said]:
    """Return messages, roles in turns; without ``minutes`` nobody said when."""
    return [
        Said("user" if place % 2 == 0 else "assistant", text, len(text),
             START + timedelta(minutes=minutes[place]) if minutes else None)
        for place, text in enumerate(texts)
    ]  # fmt: skip


def recorded(*calls: list[Said]) -> list[str]:
    """Return the words that are kept after these calls, in order; what has no time gets that of its call."""
    kept: list[Said] = []
    for number, call in enumerate(calls):
        now = START + timedelta(hours=1, minutes=number)
        kept += [call[place]._replace(time=call[place].time or now) for place in new_ones(kept, call)]
    return [message.words for message in kept]


def test_the_same_call_again_adds_nothing() -> None:
    """Whole, short, of one message, of words that repeat themselves."""
    for texts in (LONG, ["hi"], ["hi", "hello"], ["yes", "ok", "yes", "ok"], LONG[:1]):
        assert recorded(said(*texts), said(*texts), said(*texts)) == list(texts)


@pytest.mark.parametrize("first", [1, 2, 5, 39])
def test_a_longer_conversation_adds_what_is_new(first: int) -> None:
    """From the beginning, or from anywhere before the end of what is known."""
    assert recorded(said(*LONG[:first]), said(*LONG)) == LONG
    whole = said(*LONG)
    for start in range(first):
        assert recorded(whole[:first], whole[start:]) == LONG


def test_a_part_from_the_middle_adds_nothing() -> None:
    """A model that calls late, after it has called for what came later."""
    whole = said(*LONG)
    assert recorded(whole, whole[10:20]) == LONG
    assert recorded(whole, whole[10:12], whole[30:31], whole[:3]) == LONG


def test_a_message_left_out_or_spelled_anew_doubles_no_other() -> None:
    """What is spelled anew is kept as well: it may be what was really said."""
    whole = said(*LONG)
    assert recorded(whole, [*whole[:7], *whole[8:]]) == LONG
    anew = [*whole[:7], whole[7]._replace(words="otherwise, and no shorter than that"), *whole[8:]]
    assert recorded(whole, anew) == [*LONG, "otherwise, and no shorter than that"]
    # The one that was missing comes later.
    assert sorted(recorded([*whole[:7], *whole[8:]], whole)) == sorted(LONG)


def test_short_words_said_again_are_said_again() -> None:
    """A "yes" after something new is not the one of before."""
    assert recorded(said(*LONG[:4], "go on"), said("yes")) == [*LONG[:4], "go on", "yes"]
    assert recorded(said("hi", *LONG[:3]), said("hi")) == ["hi", *LONG[:3], "hi"]
    one = said("yes", LONG[1], LONG[2], LONG[3])
    two = [Said("user", "yes", 3, None), Said("assistant", LONG[5], 50, None)]
    assert recorded(one, two) == ["yes", *LONG[1:4], "yes", LONG[5]]


def test_a_time_tells_what_words_cannot() -> None:
    """The same message an hour later is another; the same at the same time is not, wherever it stands."""
    assert recorded(said("yes", minutes=[0]), said("yes", minutes=[60])) == ["yes", "yes"]
    assert recorded(said(LONG[0], minutes=[0]), said(LONG[0], minutes=[60])) == [LONG[0], LONG[0]]
    whole = said("a", "b", "a", "c", "a", "d", minutes=[0, 1, 2, 3, 4, 5])
    for place in range(6):
        assert recorded(whole, whole[place : place + 1]) == ["a", "b", "a", "c", "a", "d"]
    # Times that a model made up the second time do not double a conversation.
    assert recorded(said(*LONG[:6]), said(*LONG[:6], minutes=[90, 91, 92, 93, 94, 95])) == LONG[:6]


@given(st.data())
@settings(max_examples=200)
def test_any_cuts_of_a_conversation_make_the_whole(data: Any) -> None:
    """Sent in overlapping parts, each as often as one likes, the conversation is there once and in order."""
    short = data.draw(st.lists(st.sampled_from(["yes", "no", "go on", ""]), min_size=1, max_size=20))
    texts = [text or LONG[place] for place, text in enumerate(short)]
    whole = said(*texts, minutes=list(range(len(texts))))
    end, calls = 0, []
    while end < len(whole):
        start = data.draw(st.integers(0, end))
        end = data.draw(st.integers(end + 1, len(whole)))
        calls += [whole[start:end]] * data.draw(st.integers(1, 3))
    assert recorded(*calls) == texts


def test_events_are_there_once_with_one_id_each(vault: Vault) -> None:
    """Through the recorder, on the disk: ids and occurrences hold."""
    session = Session(host="chat", session_id="s1")
    texts = ["yes", LONG[1], "yes", LONG[3], "yes", LONG[5]]

    def record(places: list[int], now: datetime) -> tuple[int, int]:
        messages = [
            Message(session, "user" if place % 2 == 0 else "assistant", texts[place], now) for place in places
        ]  # fmt: skip
        report = record_messages(vault, state_for(vault), messages, untimed=now)
        return len(report.added), report.known

    now = START
    for places, added in (([0, 1], 2), ([0, 1], 0), ([0, 1, 2, 3], 2), ([0, 1, 3], 0), ([2, 3, 4, 5], 2),
                          ([0, 1, 2, 3, 4, 5], 0), ([1], 0), ([3, 5], 0)):  # fmt: skip
        now += timedelta(minutes=5)
        assert record(places, now) == (added, len(places) - added), places
    kept = [events.read_event(vault, event).text for event in events.event_ids(vault) if isinstance(event, str)]
    assert sorted(kept) == sorted(texts)


SPELLED_OTHERWISE = [
    "ends like a block\n^20261130T015801Z-c84f5053d18a",
    "%%comment%% and %%%",
    "a\x00b\x1b[31m",
    "> quoted\n> [!user] x",
    "```\ncode\n\n\n```",
    "   indented\n\ttab",
    "한국어 😀 ﷽",
    "[[link|x]] ![[y]]",
    "- [ ] a\n---\n# b",
    "\\^x ^y",
    "e\u0301",
]


@pytest.mark.parametrize("text", SPELLED_OTHERWISE)
def test_whatever_is_said_is_recognised(vault: Vault, text: str) -> None:
    """Words that a note spells otherwise are the same words when they come again."""
    session = Session(host="chat", session_id="s1")
    for number in range(3):
        now = START + timedelta(minutes=number)
        messages = [Message(session, role, f"{text} {role}", now) for role in ("user", "assistant")]
        report = record_messages(vault, state_for(vault), messages, untimed=now)
        assert (len(report.added), report.known) == ((2, 0) if number == 0 else (0, 2))
