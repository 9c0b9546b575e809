"""A vault whose events lie in a visible folder: every command and every machine works as with any other."""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.sync.machines import AT, Box, files_of, first, join, remote_in, say
from wwt_vault.cli import main
from wwt_vault.errors import FormatTooNew
from wwt_vault.mcp_server.session import Session as Server
from wwt_vault.sync import contents
from wwt_vault.vault import check, events, forgetting, layout, notes, open_vault, relocating
from wwt_vault.vault.creation import create_vault

VISIBLE = "90_Events"
SAID = [
    {"role": "user", "text": "Where do the backups go?", "time": "2026-11-29T01:00:00Z"},
    {"role": "assistant", "text": "Decided: to the NAS, every night.", "time": "2026-11-29T01:01:00Z"},
]
Run = Callable[..., Any]


def moved(box: Box, folder: str = VISIBLE) -> Box:
    """Move the events of a machine's vault."""
    return box._replace(vault=relocating.relocate(box.vault, folder, box.machine.locks)[0])


def again(box: Box) -> Box:
    """Open the vault anew, as every command does."""
    return box._replace(vault=open_vault(box.root))


@pytest.fixture
def wwt(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Return a function that runs a command in a new vault with a visible folder and returns what it says as JSON."""
    monkeypatch.setenv("WWT_VAULT", str(tmp_path / "vault"))

    def run(*arguments: str, stdin: str = "", code: int = 0) -> Any:
        monkeypatch.setattr("sys.stdin", io.StringIO(stdin))
        with pytest.raises(SystemExit) as stop:
            main([*arguments, "--json"])
        out, err = capsys.readouterr()
        assert int(stop.value.code or 0) == code, (arguments, out, err)
        return json.loads(out) if out else None

    done = run("init", str(tmp_path / "vault"), "--events-folder", VISIBLE, "--timezone", "UTC")
    assert (done["created"], done["events_folder"], done["moved"]) == (True, VISIBLE, 0)
    config = tmp_path / "vault" / ".wwt" / "config.toml"
    config.write_text(config.read_text("utf-8").replace('# embedder = "auto"', 'embedder = "none"'), "utf-8")
    return run


def test_every_command_works_with_a_visible_folder(wwt: Run, tmp_path: Path) -> None:
    """From the first message to a restored backup: kept, found, cited, checked, forgotten; all of it lies there."""
    root = tmp_path / "vault"
    said = wwt("record", "chat", "s1", "--project", "shop", stdin=json.dumps(SAID))["added"]
    assert sorted(path.name for path in (root / VISIBLE).rglob("*.json")) == sorted(f"{event}.json" for event in said)
    assert not (root / ".wwt" / "events").exists()

    assert wwt("record", "chat", "s1", "--project", "shop", stdin=json.dumps(SAID))["added"] == []
    hits = wwt("search", "backups NAS")["hits"]
    assert any(said[1] in json.dumps(hit) for hit in hits)
    body = f"## Facts\n\n- Backups go to the NAS. [^{said[1]}]\n"
    wwt("note", "save", "-", "--note", "Backups", "--type", "decision", stdin=body)
    assert "every night" in json.dumps(wwt("verify", "--note", "Backups"))
    assert wwt("verify")["problems"] == []
    assert [found["kind"] for found in wwt("doctor", code=4)["findings"] if "event" in found["kind"]] == []
    assert wwt("redact", "--scan")["scanned"]["events"] == 2
    assert wwt("status")["events"] == 2

    wwt("backup", str(tmp_path / "memory.zip"))
    wwt("restore", str(tmp_path / "memory.zip"), str(tmp_path / "restored"))
    restored = open_vault(tmp_path / "restored")
    assert (restored.settings.events_folder, list(events.event_ids(restored))) == (VISIBLE, said)
    assert check.check_vault(restored).problems == ()
    wwt("export", str(tmp_path / "plain"))
    assert "every night" in (tmp_path / "plain" / "conversations.jsonl").read_text("utf-8")

    wwt("forget", said[1], "--reason", "private", "--yes")
    left = [path for path in root.rglob("*") if path.is_file() and b"every night" in path.read_bytes()]
    assert left == []
    assert "forgotten" in (root / layout.event_path(said[1], VISIBLE)).read_text("utf-8")


def test_a_hook_writes_there_at_once_and_after_its_settings_are_kept(wwt: Run, tmp_path: Path) -> None:
    """The second hook reads no TOML: what it keeps of the settings names the folder too. So does a move meanwhile."""
    root = tmp_path / "vault"

    def prompt(text: str) -> None:
        payload = {"hook_event_name": "UserPromptSubmit", "session_id": "a-1", "cwd": "/src/shop", "prompt": text}
        done = subprocess.run(
            [sys.executable, "-m", "wwt_vault.hook", "claude-code"], input=json.dumps(payload).encode(),
            capture_output=True, check=False, env=dict(os.environ), cwd=Path(__file__).parents[2],
        )  # fmt: skip
        assert (done.returncode, done.stdout) == (0, b"")

    prompt("one")
    prompt("two")
    assert len(list((root / VISIBLE).rglob("*.json"))) == 2
    relocating.relocate(open_vault(root), "Raw", tmp_path / "locks")
    prompt("three")
    assert len(list((root / "Raw").rglob("*.json"))) == 3
    assert check.check_vault(open_vault(root)).problems == ()


def test_a_server_that_runs_sees_the_move(tmp_path: Path) -> None:
    """It opened the vault before; its next answer reads and writes where events lie now."""
    vault = create_vault(tmp_path / "vault")
    server = Server(str(vault.root))
    try:
        assert server.workspace().vault.settings.events_folder == ".wwt/events"
        relocating.relocate(vault, VISIBLE, tmp_path / "locks")
        assert server.workspace().vault.settings.events_folder == VISIBLE
        (vault.root / ".wwt/config.toml").write_text("[vault\n", "utf-8")  # a person is about to change it
        assert server.workspace().vault.settings.events_folder == VISIBLE
    finally:
        server.close()


def test_init_moves_the_messages_of_a_vault_and_doctor_names_those_that_lie_elsewhere(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """In words for people; the command that doctor names moves them."""
    box = first(tmp_path, None)
    monkeypatch.setenv("WWT_VAULT", str(box.root))
    event = say(box, "before the move")

    def run(*arguments: str) -> str:
        with pytest.raises(SystemExit):
            main(arguments)
        return capsys.readouterr().out

    assert f"Moved 1 message to {VISIBLE}." in run("init", str(box.root), "--events-folder", VISIBLE)
    assert "Moved" not in run("init", str(box.root), "--events-folder", VISIBLE)
    say(box, "by a machine that does not know", 1)
    assert f"`wwt init {box.root} --events-folder {VISIBLE}` moves them" in run("doctor")
    assert f"Moved 1 message to {VISIBLE}." in run("init", str(box.root), "--events-folder", VISIBLE)
    assert "moves them" not in run("doctor")
    assert events.read_event(open_vault(box.root), event).text == "before the move"


def test_the_move_comes_to_the_other_machines(tmp_path: Path) -> None:
    """What they said meanwhile, in the former place, and what they forgot, ends in the new one; nothing comes back."""
    remote = remote_in(tmp_path)
    laptop = first(tmp_path, remote)
    said = [say(laptop, f"word{number}", number) for number in range(30)]  # most of the vault's files
    laptop.sync()
    desktop, server = join(tmp_path, remote, "desktop"), join(tmp_path, remote, "server")

    laptop = moved(laptop)
    assert laptop.sync().notes == ()
    late = say(desktop, "said on the desktop before it knew", 40)
    forgetting.forget(server.vault, events=[said[3]], reason="private", at=AT, locks=server.machine.locks)
    for box in (desktop, server, laptop, desktop, server, laptop, desktop, server):
        again(box).sync()

    boxes = [again(box) for box in (laptop, desktop, server)]
    assert files_of(boxes[0]) == files_of(boxes[1]) == files_of(boxes[2])
    assert not (boxes[0].root / ".wwt" / "events").exists()
    assert {*events.event_ids(boxes[2].vault)} == {*said, late}
    assert not any(b"word3" in data.split() for data in files_of(boxes[0]).values())
    assert [problem.code for problem in check.check_vault(boxes[0].vault).problems] == []
    assert again(laptop).sync().sent == {}


def test_a_message_forgotten_where_it_was_moved_is_forgotten_everywhere(tmp_path: Path) -> None:
    """The other side still has the words in the former place."""
    remote = remote_in(tmp_path)
    laptop = first(tmp_path, remote)
    event = say(laptop, "secretword")
    laptop.sync()
    desktop = join(tmp_path, remote, "desktop")
    laptop = moved(laptop)
    forgetting.forget(laptop.vault, events=[event], reason="private", at=AT, locks=laptop.machine.locks)
    say(desktop, "meanwhile", 3)
    for box in (laptop, desktop, laptop, desktop, laptop):
        again(box).sync()
    assert files_of(laptop) == files_of(desktop)
    assert not any(b"secretword" in data for data in files_of(laptop).values())


def test_both_machines_move_at_once_to_different_folders(tmp_path: Path) -> None:
    """One name wins on both, with all events in it."""
    remote = remote_in(tmp_path)
    laptop = first(tmp_path, remote)
    event = say(laptop, "one")
    laptop.sync()
    desktop = join(tmp_path, remote, "desktop")
    laptop, desktop = moved(laptop), moved(desktop, "Raw")
    more = say(laptop, "two", 1), say(desktop, "three", 2)
    for box in (laptop, desktop, laptop, desktop, laptop, desktop):
        again(box).sync()
    assert files_of(laptop) == files_of(desktop)
    vault = open_vault(laptop.root)
    assert {*events.event_ids(vault)} == {event, *more}
    assert list(relocating.strays(vault)) == []


def test_an_event_that_a_person_deletes_comes_back_in_its_folder(tmp_path: Path) -> None:
    """As it does in the program's own: `wwt forget` deletes words. JSON of other kinds does not travel."""
    remote = remote_in(tmp_path)
    laptop = moved(first(tmp_path, remote))
    event = say(laptop, "kept")
    laptop.write(f"{VISIBLE}/other.json", "{}")
    laptop.sync()
    (laptop.root / layout.event_path(event, VISIBLE)).unlink()

    assert any("has been put back" in note for note in laptop.sync().notes)
    desktop = join(tmp_path, remote, "desktop")
    assert events.read_event(desktop.vault, event).text == "kept"
    assert not (desktop.root / VISIBLE / "other.json").exists()


def test_an_older_program_refuses_to_take_the_move(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It says so and its vault stays as it is: it would take no event to be there."""
    remote = remote_in(tmp_path)
    laptop = first(tmp_path, remote)
    say(laptop, "one")
    laptop.sync()
    desktop = join(tmp_path, remote, "desktop")
    moved(laptop).sync()
    before = files_of(desktop)
    monkeypatch.setattr("wwt_vault.sync.joining.FORMAT", 1)
    with pytest.raises(FormatTooNew):
        desktop.sync()
    assert files_of(desktop) == before


@pytest.mark.parametrize("mine", ['timezone = "Asia/Seoul"\n', '\ntimezone = "Europe/Berlin" # home\n'])
def test_the_setting_survives_a_merge_of_settings(mine: str) -> None:
    """Both sides changed the same lines: this side's stay, but where events lie is the other's."""
    base = '[vault]\ntimezone = "UTC"\n'
    theirs = '[vault]\nevents_folder = "90_Events"\ntimezone = "Asia/Tokyo"\n'
    one = f"[vault]\n{mine}"
    merged = contents.merge(".wwt/config.toml", base.encode(), one.encode(), theirs.encode()).data.decode()
    assert 'events_folder = "90_Events"' in merged
    assert mine.strip() in merged


def test_two_computers_with_obsidian_sync_share_messages_and_notes(tmp_path: Path) -> None:
    """It carries all but dot folders: the other computer makes its own, reads and cites the messages, saves notes."""
    laptop = first(tmp_path, None)
    laptop = moved(laptop)
    event = say(laptop, "Backups go to the NAS.")
    values: dict[str, Any] = {"written_by": "claude-code", "at": AT}
    body = f"## Facts\n\n- To the NAS. [^{event}]\n"
    saved = notes.save_note(
        laptop.vault, note="Backups", body=body, revision=None, type="decision", locks=laptop.machine.locks, **values
    )

    def carry(source: Path, target: Path) -> None:
        shutil.copytree(source, target, ignore=lambda _, names: [n for n in names if n[0] == "."], dirs_exist_ok=True)

    desktop = tmp_path / "desktop"
    carry(laptop.root, desktop)
    vault = relocating.relocate(create_vault(desktop), VISIBLE, tmp_path / "locks")[0]
    assert check.check_vault(vault).problems == ()
    assert events.read_event(vault, event).text == "Backups go to the NAS."
    more = say(Box(laptop.machine, vault), "And every night.", 5)
    note = notes.read_note(vault, saved.path)
    edit = notes.Edit(how="append", text=f"- Every night. [^{more}]", heading="Facts")
    new = notes.with_edits(note, [edit], day=datetime(2026, 11, 30, tzinfo=UTC).date(), language="en")
    notes.save_note(vault, note=saved.path, body=new, revision=note.revision, locks=tmp_path / "locks", **values)

    carry(desktop, laptop.root)
    assert "Every night." in notes.read_note(laptop.vault, saved.path).text
    assert [problem.code for problem in check.check_vault(laptop.vault).problems] == []
    assert events.read_event(laptop.vault, more).text == "And every night."
