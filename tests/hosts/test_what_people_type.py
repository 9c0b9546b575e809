"""Odd messages through the real hosts: each comes by payload and by transcript, in two forms, and is one event."""

from __future__ import annotations

from concurrent.futures import Future
from pathlib import Path

import pytest

from tests.hosts.driver import HOSTS
from tests.hosts.scripted import Call, Step, say
from tests.hosts.story import PROJECT, TRANSCRIPTS, Story, Turn, begin, tell_all, turns_of

pytestmark = [pytest.mark.hosts, pytest.mark.slow]

LONG = (
    "긴 글 🙂\n```py\nx = '</system-reminder>'\n```\n> quoted\n> [!user] 01:58\n^20261130T051345Z-c8baa7a5e0d0\n"
    + "가나다라 lorem ipsum\n" * 2500
)
PUNCTUATION = "$HOME `x` \\ \"q\" 'p' & <b>bold</b> %PATH% {{args}} 100 %"

Exchange = tuple[str, list[Step], list[Turn]]
"""Prompt, what the model does, and the messages that were said by that."""


def exchanges(host: str) -> dict[str, Exchange]:
    """Return the story's turns by name; hosts differ in what they take for one message."""
    blocks = {"codex": ["Block A.", "Block B."], "gemini": ["Block A.Block B."]}.get(host, ["Block A.\n\nBlock B."])
    look = [Call("wiki_get_context", {"query": "lorem"}, f"{word}.") for word in ("First", "Second")]
    return {
        "long": (LONG, [say("Read.")], [("user", LONG.strip()), ("assistant", "Read.")]),
        "blanks": (
            "  two\r\nlines\t\n\n",
            [say("  in\n\nout  \n\n")],
            [("user", "two\nlines"), ("assistant", "in\n\nout")],
        ),
        "file": (
            "Read @notes.txt please",
            [say("Read.")],
            [("user", "Read @notes.txt please"), ("assistant", "Read.")],
        ),
        "blocks": (
            "Say two blocks",
            [say("Block A.", "Block B.")],
            [("user", "Say two blocks"), *(("assistant", block) for block in blocks)],
        ),
        "tools": (
            "Look twice",
            [*look, say("Third.")],
            [("user", "Look twice"), *(("assistant", word) for word in ("First.", "Second.", "Third."))],
        ),
        "punctuation": (
            PUNCTUATION,
            [say("a <b>tag</b> & more")],
            [("user", PUNCTUATION), ("assistant", "a <b>tag</b> & more")],
        ),
        "secret": (
            "my password is hunter2-Xy99! ok?",
            [say("비밀번호는 hunter2-Xy99! 입니다")],
            [
                ("user", "my password is [REDACTED:password] ok?"),
                ("assistant", "비밀번호는 [REDACTED:password] 입니다"),
            ],
        ),
    }


@pytest.fixture(scope="module")
def stories(binaries: Path, folder: Path) -> dict[str, Future[Story]]:
    """Return a session in which all of it was said, by host."""
    return tell_all(lambda host: say_all(begin(host, binaries, folder / host)))


@pytest.fixture(params=list(HOSTS))
def story(request: pytest.FixtureRequest, stories: dict[str, Future[Story]]) -> Story:
    """Return one of them."""
    return stories[request.param].result()


def say_all(story: Story) -> Story:
    """Say one thing after another in one session."""
    (story.home / PROJECT / "notes.txt").write_text("THE FILE'S OWN WORDS\n", encoding="utf-8")
    story.wwt("--vault", str(story.vault), "setup", "--host", story.host)
    for number, (name, (prompt, steps, _)) in enumerate(exchanges(story.host).items()):
        story.turn(name, prompt, steps, go="resume" if number else "new")
    return story


def test_odd_messages_are_recorded_as_they_were_said(story: Story) -> None:
    """In order, once each, without what host or files put in, secrets taken out."""
    [note] = story.notes["secret"].values()
    expected = [turn for _, _, turns in exchanges(story.host).values() for turn in turns]
    # A line that is a block id gets a backslash in the note, so that Obsidian does not take it for ours.
    assert [(role, text.replace("\\^2026", "^2026")) for role, text in turns_of(note)] == expected


def test_odd_messages_are_recognised_in_the_transcript(story: Story) -> None:
    """Importing the host's own file adds nothing, redacted messages included."""
    report = story.wwt("ingest", str(story.home / TRANSCRIPTS[story.host]))
    assert (report["events_added"], report["skipped"]) == (0, [])


def test_nothing_secret_is_left_in_the_home_folder_by_us(story: Story) -> None:
    """Neither in the vault nor in state, queue, log or index."""
    ours = [story.vault, *(story.home / name for name in (".config", ".local", ".cache"))]
    files = [path for folder in ours for path in folder.rglob("*") if path.is_file()]
    assert len(files) > 20
    assert [path for path in files if b"hunter2-Xy99" in path.read_bytes()] == []


COMMANDS = {
    "claude-code": (".claude/commands/sum.md", "Please summarise this topic: $ARGUMENTS\n"),
    "gemini": (".gemini/commands/sum.toml", 'prompt = "Please summarise this topic: {{args}}"\n'),
}


@pytest.mark.parametrize("host", COMMANDS)
def test_a_command_of_the_persons_with_arguments_is_one_message(binaries: Path, folder: Path, host: str) -> None:
    """The command works as before, and the request is kept once: as it was typed, or as the host spelled it out."""
    story = begin(host, binaries, folder / f"command {host}")
    name, text = COMMANDS[host]
    path = story.home / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    story.wwt("--vault", str(story.vault), "setup", "--host", host)
    story.turn("command", "/sum the database choice", [say("Summary.")])
    typed, spelled_out = "/sum the database choice", "Please summarise this topic: the database choice"
    assert spelled_out in str(story.requests["command"])
    [note] = story.notes["command"].values()
    [request, answer] = turns_of(note)
    assert request in [("user", typed)] + [("user", spelled_out)] * (host == "gemini")
    assert answer == ("assistant", "Summary.")
