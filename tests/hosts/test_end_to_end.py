"""The whole path through the real hosts: they fire the hooks, start the server and write the transcripts themselves.

Only the model's words are scripted; nothing leaves loopback.
"""

from __future__ import annotations

from concurrent.futures import Future
from pathlib import Path

import pytest

from tests.hosts.driver import HOSTS
from tests.hosts.story import (
    ANSWER,
    CHOICE,
    FIRST,
    LOOK,
    QUESTION,
    Story,
    count,
    said,
    servers,
    tell,
    tell_all,
    text_of,
    turns_of,
)

pytestmark = [pytest.mark.hosts, pytest.mark.slow]

FIRST_TURNS = [("user", FIRST.strip()), ("assistant", CHOICE)]
TOOL_TURNS = [("user", "continue"), ("assistant", LOOK), ("assistant", "Done.")]
AGAIN_TURNS = [("user", "continue"), ("assistant", "Done.")]
NEW_TURNS = [("user", QUESTION), ("assistant", ANSWER)]


@pytest.fixture(scope="module")
def stories(binaries: Path, folder: Path) -> dict[str, Future[Story]]:
    """Return what happened when a person set up a host, talked to it, and took us out again, by host."""
    return tell_all(lambda host: tell(host, binaries, folder / host))


@pytest.fixture(params=list(HOSTS))
def story(request: pytest.FixtureRequest, stories: dict[str, Future[Story]]) -> Story:
    """Return one of them."""
    return stories[request.param].result()


def test_setup_connects_the_host(story: Story) -> None:
    """Hooks and server are reported as added; Codex's approval is left to the person and said so."""
    [host] = story.reports["set up"]["hosts"]
    assert (host["host"], host["hooks"], host["mcp"], host["imported"]) == (story.host, "added", "added", 0)
    assert bool(host["todo"]) == (story.host == "codex")
    assert story.reports["set up"]["vault"] == str(story.vault)


def test_setup_twice_is_setup_once(story: Story) -> None:
    """The second run finds everything and changes no byte."""
    [host] = story.reports["again"]["hosts"]
    assert (host["hooks"], host["mcp"]) == ("present", "present")
    assert story.settings_set_up == story.settings_again
    assert story.settings_set_up != story.settings_before


def test_each_message_is_exactly_one_event(story: Story) -> None:
    """What the person typed and what the model said, once each and nothing else, after the first turn already."""
    assert count(said(story.events["first"])) == count(FIRST_TURNS)
    assert {event["host"] for event in story.events["first"]} == {story.host}


def test_a_resumed_session_adds_and_never_repeats(story: Story) -> None:
    """The same words said again are another message; what was said before is not."""
    assert count(said(story.events["again"])) == count(FIRST_TURNS + TOOL_TURNS + AGAIN_TURNS)
    assert len({event["session_id"] for event in story.events["again"]}) == 1
    kept = {event["id"]: event for event in story.events["again"]}
    assert all(kept[event["id"]] == event for step in ("first", "tool") for event in story.events[step])


def test_the_session_note_holds_the_conversation_in_order(story: Story) -> None:
    """One note for the session, however often it was resumed; the later note only grew."""
    [path] = story.notes["again"]
    assert turns_of(story.notes["again"][path]) == FIRST_TURNS + TOOL_TURNS + AGAIN_TURNS
    assert story.notes["again"][path].startswith(story.notes["first"][path])
    assert all(f"^{event['id']}" in story.notes["again"][path] for event in story.events["again"])


def test_a_new_session_is_told_of_the_memory(story: Story) -> None:
    """Before the first answer the model reads the rule to ask, and what was said last in this project."""
    shown = text_of(story.requests["new"][0])
    assert "wiki_get_context(query, rephrased)" in shown
    assert any(event["id"] in shown for event in story.events["again"])


def test_the_model_gets_the_earlier_words_when_it_asks(story: Story) -> None:
    """The host offers the tool in the first turn, and its result has what was said in the other session."""
    assert story.missing_tools == []
    before, after = (text_of(request) for request in story.requests["new"][:2])
    [decision] = [event for event in story.events["first"] if event["role"] == "assistant"]
    for words in ("JSONB와 부분 인덱스가 필요합니다", decision["id"]):
        assert words not in before
        assert words in after


def test_what_was_recalled_is_not_recorded_again(story: Story) -> None:
    """The new session holds its own question and answer alone, in a note of its own."""
    first_session = story.events["first"][0]["session_id"]
    new = [event for event in story.events["new"] if event["session_id"] != first_session]
    assert count(said(new)) == count(NEW_TURNS)
    assert len(story.notes["new"]) == 2
    assert NEW_TURNS in [turns_of(note) for note in story.notes["new"].values()]


def test_importing_the_transcripts_afterwards_adds_nothing(story: Story) -> None:
    """What came by hook is recognised in the host's own file."""
    report = story.reports["ingest"]
    assert (report["events_added"], report["skipped"]) == (0, [])
    # Gemini CLI itself removes the transcript of a session that was resumed in a later minute; others keep theirs.
    there = [e for e in story.events["new"] if f"{e['host']} {e['session_id']}" in report["sessions"]]
    assert there == story.events["new"] or (story.host == "gemini" and there)
    assert report["events_known"] == len(there)
    assert story.events["ingest"] == story.events["new"]
    assert story.notes["ingest"] == story.notes["new"]


def test_removal_restores_the_settings(story: Story) -> None:
    """Byte for byte, the server is gone from the host's list, and the next conversation is not recorded."""
    [host] = story.reports["removed"]["hosts"]
    assert (host["hooks"], host["mcp"]) == ("removed", "removed")
    assert story.settings_removed == story.settings_before
    assert "wwt" not in servers(story)
    assert story.events["after"] == story.events["ingest"]
