"""Events move into a visible folder and back: whatever stops the move, each of them is there and is read."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import unicodedata
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wwt_vault.errors import BadArgument, FormatTooNew
from wwt_vault.model.conversation import EventId, Message, Problem, Session
from wwt_vault.vault import Vault, check, events, files, forgetting, open_vault, relocating, sessions
from wwt_vault.vault.creation import create_vault
from wwt_vault.vault.layout import check_events_folder, event_path

AT = datetime(2026, 11, 30, 1, 58, 1, tzinfo=UTC)
SAID = Session(host="claude-code", session_id="42edc39d-0000-4000-8000-000000000000", cwd="/code/shop")
VISIBLE = "90_Events"


def fill(vault: Vault, count: int = 6) -> list[EventId]:
    """Store messages of several days; return their ids."""
    note = sessions.find_session_note(vault, SAID.host, SAID.session_id)
    note = note or sessions.create_session_note(vault, SAID, "shop", "laptop", AT)
    found = []
    for number in range(count):
        message = Message(session=SAID, role="user", text=f"word{number}", time=AT + timedelta(hours=9 * number))
        event = events.event_of(message, 1)
        events.write_event(vault, event)
        sessions.append_event(vault, note, event)
        found.append(event.id)
    return found


def ids(vault: Vault) -> list[EventId | Problem]:
    """Return what lies among the events."""
    return list(events.event_ids(vault))


def relocated(vault: Vault, folder: str) -> tuple[Vault, int]:
    """Move the events."""
    return relocating.relocate(vault, folder, vault.root.parent / "locks")


def test_events_move_into_a_visible_folder_byte_for_byte(vault: Vault) -> None:
    """Every file is there under its name, none is left, and all that reads events reads them there."""
    said = fill(vault)
    before = {event: (vault.root / event_path(event)).read_bytes() for event in said}
    vault, moved = relocated(vault, VISIBLE)

    assert (moved, vault.settings.events_folder, open_vault(vault.root)) == (6, VISIBLE, vault)
    assert {event: (vault.root / event_path(event, VISIBLE)).read_bytes() for event in said} == before
    assert not (vault.root / ".wwt" / "events").exists()
    assert ids(vault) == said
    assert ids(vault)[-2:] == list(events.event_ids(vault, since=events.time_of(said[-2])))
    assert [event.id for event in events.events_of_session(vault, SAID.host, SAID.session_id)] == said
    assert [event.id for event in events.events_near(vault, AT)] == said[:1]
    assert check.check_vault(vault).problems == ()


def test_new_events_go_there(vault: Vault) -> None:
    """Also where no event was before; what is known already is not written again."""
    vault, moved = relocated(vault, VISIBLE)
    said = fill(vault, 2)

    assert moved == 0
    assert [path.name for path in sorted((vault.root / VISIBLE).rglob("*.json"))] == [f"{event}.json" for event in said]
    assert not events.write_event(vault, events.read_event(vault, said[0]))


def test_events_come_back(vault: Vault) -> None:
    """Into the program's own folder, or by way of it into another visible one."""
    said = fill(vault)
    for folder in (VISIBLE, "기록", ".wwt/events", "Raw"):
        vault, moved = relocated(vault, folder)
        assert (moved, vault.settings.events_folder, ids(vault)) == (6, folder, said)
        assert [path for path in vault.root.rglob("*Z-*.json") if not path.is_relative_to(vault.root / folder)] == []


@given(st.integers(1, 400), st.sampled_from([VISIBLE, ".wwt/events"]))
def test_a_move_that_is_killed_hides_no_event(tmp_path_factory: pytest.TempPathFactory, when: int, to: str) -> None:
    """At any line of it: on the way there each event can be read at once; the next call moves the rest, either way."""
    folder = tmp_path_factory.mktemp("killed")
    vault = create_vault(folder / "vault")
    said = fill(vault, 4)
    if to != VISIBLE:
        vault, _ = relocated(vault, VISIBLE)
    kill_in(lambda: relocated(vault, to), when)

    after = open_vault(vault.root)
    assert ids(after) == said
    assert [events.read_event(after, event).text for event in said] == [f"word{number}" for number in range(4)]
    after, _ = relocated(after, to)
    assert (ids(after), list(relocating.strays(after))) == (said, [])
    assert check.check_vault(after).problems == ()


def kill_in(call: Any, when: int) -> None:
    """Run something in a process that dies at the ``when``-th line of the code that moves."""
    child = os.fork()
    if child:
        os.waitpid(child, 0)
        return
    left = when

    def step(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal left
        left -= event == "line"
        if left <= 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return step

    names = ("relocating.py", "settings.py", "files.py")
    try:
        sys.settrace(lambda frame, event, arg: step if frame.f_code.co_filename.endswith(names) else None)
        call()
    finally:
        os._exit(0)


if not hasattr(os, "fork"):
    test_a_move_that_is_killed_hides_no_event = pytest.mark.skip(reason="kills are done to a forked process")(
        test_a_move_that_is_killed_hides_no_event
    )


def test_an_event_that_comes_late_to_its_former_place_is_read_and_gathered(vault: Vault) -> None:
    """As a machine writes it that does not know of the move, or a hook that began before it."""
    former = vault
    fill(vault, 3)
    vault, _ = relocated(vault, VISIBLE)
    late = fill(former, 5)[3:]

    assert len(ids(vault)) == 5
    assert {events.read_event(vault, event).text for event in late} == {"word3", "word4"}
    assert relocating.gather(vault, vault.root.parent / "locks") == 5  # three of them were written again
    assert not (vault.root / ".wwt" / "events").exists()
    assert check.check_vault(vault).problems == ()


def test_a_folder_that_a_person_renamed_is_found_again(vault: Vault) -> None:
    """Its events are strays: named, and moved back by the same command; another file in it stays."""
    said = fill(vault)
    vault, _ = relocated(vault, VISIBLE)
    (vault.root / VISIBLE).rename(vault.root / "Raw")
    (vault.root / "Raw" / "Read me.md").write_text("mine", "utf-8")

    assert len(list(relocating.strays(vault))) == 6
    assert relocated(vault, VISIBLE)[1] == 6
    assert ids(vault) == said
    assert (vault.root / "Raw" / "Read me.md").read_text("utf-8") == "mine"


@pytest.mark.parametrize("forgotten_at", [VISIBLE, ".wwt/events"])
def test_of_two_files_of_one_event_the_tombstone_stays(vault: Vault, forgotten_at: str) -> None:
    """Whatever was said is forgotten, wherever a copy of it came from."""
    event = fill(vault, 1)[0]
    words = (vault.root / event_path(event)).read_bytes()
    stone = events.tombstone(events.read_event(vault, event), "private", AT)
    vault, _ = relocated(vault, VISIBLE)
    other = ".wwt/events" if forgotten_at == VISIBLE else VISIBLE
    files.overwrite(vault.root / event_path(event, forgotten_at), stone)
    files.overwrite(vault.root / event_path(event, other), words)

    relocating.gather(vault, vault.root.parent / "locks")
    assert (vault.root / event_path(event, VISIBLE)).read_bytes() == stone
    assert not (vault.root / event_path(event)).exists()


def test_of_two_files_that_say_different_things_both_stay(vault: Vault) -> None:
    """One of them is damaged: that is a person's to decide."""
    event = fill(vault, 1)[0]
    vault, _ = relocated(vault, VISIBLE)
    files.overwrite(vault.root / event_path(event), b"{}\n")
    relocating.gather(vault, vault.root.parent / "locks")

    assert list(relocating.strays(vault)) == [event_path(event)]
    assert events.read_event(vault, event).text == "word0"


def test_forgetting_reaches_both_places(vault: Vault) -> None:
    """Where a move was cut off an event may lie twice: no word of it stays."""
    event = fill(vault, 2)[0]
    words = (vault.root / event_path(event)).read_bytes()
    vault, _ = relocated(vault, VISIBLE)
    files.overwrite(vault.root / event_path(event), words)
    locks = vault.root.parent / "locks"
    done = forgetting.forget(vault, events=[event], reason="private", at=AT, locks=locks)

    assert [path for path in vault.root.rglob("*") if path.is_file() and b"word0" in path.read_bytes()] == []
    assert {event_path(event), event_path(event, VISIBLE)} <= {*done.paths}


@pytest.mark.skipif(shutil.which("git") is None or shutil.which("bash") is None, reason="needs git and bash")
def test_the_commands_for_git_take_the_words_out_of_every_folder_the_event_lay_in(vault: Vault) -> None:
    """Its history has the event where it was before it was moved, once or more often."""

    def git(*arguments: str) -> str:
        who = ("-c", "user.name=t", "-c", "user.email=t@example.org")
        return subprocess.run(["git", *who, *arguments], cwd=vault.root, check=True, capture_output=True).stdout.decode(
            errors="replace"
        )

    event = fill(vault, 2)[0]
    git("init", "-q", "-b", "main")
    for folder in (".wwt/events", VISIBLE, "Raw"):
        vault, _ = relocated(vault, folder)
        git("add", "-A")
        git("commit", "-q", "--allow-empty", "-m", folder)
    done = forgetting.forget(vault, events=[event], reason="private", at=AT, locks=vault.root.parent / "locks")
    script = "\n".join(["set -e", *forgetting.git_commands(vault.root, done.paths)[:-1]])
    names = {f"GIT_{who}_{what}": "t@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    env = {**os.environ, **names, "GIT_CONFIG_GLOBAL": os.devnull}
    subprocess.run(["bash", "-c", script], check=True, capture_output=True, cwd=vault.root, env=env)

    objects = git("cat-file", "--batch-all-objects", "--batch")
    assert ("word0" in objects, "word1" in objects) == (False, True)


def test_a_program_that_would_see_no_events_refuses_the_vault(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    """It has format 2, which those that know nothing of the folder do not read; it keeps its id and never goes back."""
    fill(vault, 1)
    assert json.loads((vault.root / ".wwt/vault.json").read_bytes()) == {"format": 1, "id": vault.id}
    relocated(vault, VISIBLE)
    assert json.loads((vault.root / ".wwt/vault.json").read_bytes()) == {"format": 2, "id": vault.id}
    monkeypatch.setattr("wwt_vault.vault.FORMAT", 1)
    with pytest.raises(FormatTooNew):
        open_vault(vault.root)


def test_the_setting_is_written_where_a_person_sees_it_and_nothing_else_changes(vault: Vault) -> None:
    """One line in ``[vault]``; git is told that a diff of events says nothing."""
    before = (vault.root / ".wwt/config.toml").read_text("utf-8")
    relocated(vault, VISIBLE)
    line = f'events_folder = "{VISIBLE}"\n'
    assert (vault.root / ".wwt/config.toml").read_text("utf-8") == before.replace("[vault]\n", f"[vault]\n{line}")
    assert f"{VISIBLE}/** -diff" in (vault.root / ".gitattributes").read_text("utf-8").splitlines()


@pytest.mark.parametrize(
    "name",
    ["", ".", ".hidden", "a/b", "../x", "/x", "50_Conversations", "50_conversations", "30_Knowledge", "a:b", " x"],
)
def test_events_lie_in_no_folder_that_has_another_use(vault: Vault, name: str) -> None:
    """Nor out of the vault, nor hidden, nor under a name that some system cannot hold. Nothing changes."""
    before = {path: path.read_bytes() for path in vault.root.rglob("*") if path.is_file()}
    with pytest.raises(BadArgument, match="such as 90_Events"):
        relocated(vault, name)
    (vault.root / ".wwt/config.toml").write_text(f"[vault]\nevents_folder = {json.dumps(name)}\n", "utf-8")
    with pytest.raises(BadArgument, match=r"config\.toml: events cannot lie"):
        open_vault(vault.root)
    (vault.root / ".wwt/config.toml").write_bytes(before[vault.root / ".wwt/config.toml"])
    assert {path: path.read_bytes() for path in vault.root.rglob("*") if path.is_file()} == before


def test_a_folder_with_other_things_in_it_is_not_taken(vault: Vault) -> None:
    """A journal by day looks much the same: its notes would be taken for damaged events."""
    page = vault.root / "Journal" / "2026" / "11" / "30" / "Today.md"
    page.parent.mkdir(parents=True)
    page.write_text("mine", "utf-8")
    with pytest.raises(BadArgument, match=r"Journal/2026/11/30/Today\.md is no message"):
        relocated(vault, "Journal")
    assert open_vault(vault.root).settings.events_folder == ".wwt/events"


def test_a_folder_under_another_form_of_its_name_is_the_same_folder(vault: Vault) -> None:
    """As macOS and zip files write it: its events are where they belong, and stay."""
    said = fill(vault)
    vault, _ = relocated(vault, "Événements")
    (vault.root / "Événements").rename(vault.root / unicodedata.normalize("NFD", "Événements"))

    assert list(relocating.strays(vault)) == []
    assert (relocated(vault, "Événements")[1], ids(vault)) == (0, said)
    assert check.check_vault(vault).problems == ()


def test_a_name_of_any_language_will_do() -> None:
    """As long as Obsidian and every system can hold it."""
    for name in ("90_Events", "기록", "Événements", "Raw messages"):
        check_events_folder(name)


def test_a_problem_names_the_file_where_it_lies(vault: Vault) -> None:
    """Problems name a file by its path from the vault's root, in the folder where it lies."""
    event = fill(vault, 1)[0]
    vault, _ = relocated(vault, VISIBLE)
    (vault.root / event_path(event, VISIBLE)).write_bytes(b"{}")
    found = [problem for problem in check.check_vault(vault).problems if problem.code == "damaged_event"]
    assert [problem.path for problem in found] == [event_path(event, VISIBLE)]
    assert Path(found[0].path).parts[0] == VISIBLE
