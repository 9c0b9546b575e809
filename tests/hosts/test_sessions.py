"""Sessions that do not simply go on: compacted, forked, interrupted, two at once in one folder. One event a message."""

from __future__ import annotations

import threading
from collections import Counter
from concurrent.futures import Future
from pathlib import Path

import pytest

from tests.hosts.driver import HOSTS
from tests.hosts.scripted import Call, Hang, say
from tests.hosts.story import TRANSCRIPTS, Story, Turn, begin, said, tell_all, text_of
from wwt_vault.setup import RULE

pytestmark = [pytest.mark.hosts, pytest.mark.slow]

FORKING = [host for host in HOSTS if host != "gemini"]
"""Gemini CLI has no fork."""
FORM = "Which form has the answer?"
CODE = "긴 답 🙂\n\n```py\nprint('</wwt-vault-context>')\n```\n\n- done"
LOOK = "Let me look."


@pytest.fixture(scope="module")
def stories(binaries: Path, folder: Path) -> dict[str, Future[Story]]:
    """Return what happened, by host."""
    return tell_all(lambda host: tell(begin(host, binaries, folder / f"sessions {host}")))


@pytest.fixture(params=list(HOSTS))
def story(request: pytest.FixtureRequest, stories: dict[str, Future[Story]]) -> Story:
    """Return one of them."""
    return stories[request.param].result()


@pytest.fixture(params=FORKING)
def forking(request: pytest.FixtureRequest, stories: dict[str, Future[Story]]) -> Story:
    """Return one of a host that can fork."""
    return stories[request.param].result()


def tell(story: Story) -> Story:
    """Go through all of it with one host."""
    story.reports["set up"] = story.wwt("--vault", str(story.vault), "setup", "--rule", "--host", story.host)
    story.turn("first", FORM, [say(CODE)])
    look = Call("wiki_get_context", {"query": "form"}, LOOK)
    story.turn("interrupted", "Look it up", [look, Hang()], go="resume")
    story.turn("taken up", "Go on", [say("I went on.")], go="resume")
    if story.host == "claude-code":
        story.turn("compacted", "/compact", [say("<summary>They talked about forms.</summary>")], go="resume")
        story.turn("after", "What did we talk about?", [say("Forms.")], go="resume")
    if story.host in FORKING:
        session = str(story.events["first"][0]["session_id"])
        story.turn("forked", "In the fork", [say("Forked.")], go="fork", words=(session,) * (story.host == "codex"))
    at_once = [
        threading.Thread(target=story.turn, args=(f"at once {name}", f"I am {name}", [say(f"Hello {name}.")]))
        for name in ("one", "two")
    ]
    for thread in at_once:
        thread.start()
    for thread in at_once:
        thread.join()
    story.look("end")
    story.reports["ingest"] = story.wwt("ingest", str(story.home / TRANSCRIPTS[story.host]))
    story.look("ingest")
    return story


def new(story: Story, step: str, before: str) -> list[Turn]:
    """Return what came into the vault between two steps."""
    return sorted((Counter(said(story.events[step])) - Counter(said(story.events[before]))).elements())


def test_an_interrupted_turn_keeps_what_was_said(story: Story) -> None:
    """The prompt, and the answer as far as it went; the same session goes on and repeats nothing."""
    assert story.missing_tools == []
    assert new(story, "taken up", "first") == [
        ("assistant", "I went on."),
        ("assistant", LOOK),
        ("user", "Go on"),
        ("user", "Look it up"),
    ]
    assert len({event["session_id"] for event in story.events["taken up"]}) == 1


def test_a_compacted_session_goes_on(stories: dict[str, Future[Story]]) -> None:
    """The summary is the host's and nobody said it; what is said after it comes in."""
    story = stories["claude-code"].result()
    assert new(story, "compacted", "taken up") == []
    assert "They talked about forms." in text_of(story.requests["after"][-1])
    assert new(story, "after", "compacted") == [("assistant", "Forms."), ("user", "What did we talk about?")]


def test_a_fork_adds_only_what_is_said_in_it(forking: Story) -> None:
    """Its host copies the parent's messages; they are the parent's."""
    before = "after" if "after" in forking.events else "taken up"
    assert new(forking, "forked", before) == [("assistant", "Forked."), ("user", "In the fork")]
    assert len({event["session_id"] for event in forking.events["forked"]}) == 2


def test_two_sessions_at_once_in_one_folder_stay_apart(story: Story) -> None:
    """Each has its own note, and each message is in one of them."""
    mine = {
        name: [event for event in story.events["end"] if event["text"] in (f"I am {name}", f"Hello {name}.")]
        for name in ("one", "two")
    }
    assert {name: sorted(event["role"] for event in events) for name, events in mine.items()} == {
        "one": ["assistant", "user"],
        "two": ["assistant", "user"],
    }
    sessions = {name: {event["session_id"] for event in events} for name, events in mine.items()}
    assert len(sessions["one"]) == len(sessions["two"]) == 1
    assert sessions["one"] != sessions["two"]


def test_each_message_is_exactly_one_event(story: Story) -> None:
    """Whatever was interrupted, compacted or forked between: no two events say the same."""
    counted = Counter(said(story.events["end"]))
    assert max(counted.values()) == 1
    assert counted[("user", FORM)] == counted[("assistant", CODE)] == 1


def test_the_hosts_own_files_add_nothing(story: Story) -> None:
    """All of it came by hooks; an import recognises every message."""
    report = story.reports["ingest"]
    assert (report["events_added"], report["skipped"]) == (0, [])
    assert story.events["ingest"] == story.events["end"]


def test_the_memory_rule_stands_before_the_model(story: Story) -> None:
    """Setup wrote it where the host reads its instructions: the host itself sends it along."""
    [host] = story.reports["set up"]["hosts"]
    assert host["rule"] == "added"
    promise = next(line for line in RULE.splitlines() if "search first" in line)
    assert promise.removeprefix("- ").replace('"', '\\"') in text_of(story.requests["first"][0])
