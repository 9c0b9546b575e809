"""A vault in one file and back: all of it, byte for byte, or nothing; and plain files for other programs."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import stat
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.sync.machines import AT, Box, files_of, first, say
from wwt_vault.errors import BadArchive, BadArgument, FormatTooNew, Refused
from wwt_vault.ingest import transcripts
from wwt_vault.state import state_for
from wwt_vault.sync import archive, plain
from wwt_vault.vault import check, creation, events, notes


@pytest.fixture
def box(tmp_path: Path) -> Box:
    """Return a vault with a conversation, a curated note with a revision, a page and a picture."""
    made = first(tmp_path, None)
    event = say(made, "PostgreSQL for the orders")
    say(made, "두 번째", 1, "77777777-0000-4000-8000-000000000000")
    values: dict[str, Any] = {"written_by": "claude-code", "at": AT, "locks": made.machine.locks}
    body = f"## Facts\n\n- PG [^{event}]\n"
    saved = notes.save_note(made.vault, note="DB", body=body, revision=None, type="decision", **values)
    notes.save_note(
        made.vault, note=saved.path, body=body + f"- Since May [^{event}]\n", revision=saved.revision, **values
    )
    made.write("회의록.md", "a\n")
    (made.root / "Picture.png").write_bytes(b"\x89PNG\0")
    made.write("run.sh", "x")
    return made


def back_up(box: Box, folder: Path) -> Path:
    """Back up as the command does."""
    archive.back_up(box.vault, folder / "memory.zip", machine="laptop", at=AT)
    return folder / "memory.zip"


def test_what_comes_back_is_what_went_in(box: Box, tmp_path: Path) -> None:
    """Every file of the vault, byte for byte; not git's, nor what is none of a vault's. It verifies."""
    file = back_up(box, tmp_path)
    restored = archive.restore(file, tmp_path / "restored")

    there = files_of(box)
    del there["run.sh"]
    assert files_of(Box(box.machine, restored)) == there
    assert restored.id == box.vault.id
    assert check.check_vault(restored).problems == check.check_vault(box.vault).problems
    assert check.check_vault(restored).events == 2


@pytest.mark.skipif(os.name != "posix", reason="modes are POSIX's")
def test_an_archive_is_its_owners_alone(box: Box, tmp_path: Path) -> None:
    """It holds every conversation. Nothing else is left beside it."""
    before = set(tmp_path.iterdir())
    file = back_up(box, tmp_path)

    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert set(tmp_path.iterdir()) - before == {file}


def test_the_manifest_can_be_checked_without_us(box: Box, tmp_path: Path) -> None:
    """With unzip and sha256sum: names, sizes and hashes of every file."""
    with zipfile.ZipFile(back_up(box, tmp_path)) as opened:
        manifest = json.loads(opened.read("manifest.json"))
        for path, found in manifest["files"].items():
            data = opened.read(path)
            assert (hashlib.sha256(data).hexdigest(), len(data)) == (found["sha256"], found["size"])
        assert sorted([*manifest["files"], "manifest.json"]) == sorted(opened.namelist())
    assert {key: manifest[key] for key in ("archive", "vault_id", "vault_format", "machine")} == {
        "archive": 1, "vault_id": box.vault.id, "vault_format": 1, "machine": "laptop",
    }  # fmt: skip


def test_nothing_is_overwritten(box: Box, tmp_path: Path) -> None:
    """Neither a file of that name nor a folder with something in it, nor is one vault put into another."""
    file = back_up(box, tmp_path)
    data = file.read_bytes()
    with pytest.raises(BadArgument, match="already"):
        back_up(box, tmp_path)
    with pytest.raises(BadArgument, match="lies in the vault"):
        archive.back_up(box.vault, box.root / "memory.zip", machine="laptop", at=AT)
    with pytest.raises(Refused, match="not empty"):
        archive.restore(file, box.root)
    with pytest.raises(Refused, match="holds no other one"):
        archive.restore(file, box.root / "inside")
    assert not (box.root / "inside").exists()
    assert file.read_bytes() == data


def rewritten(change: Callable[[dict[str, bytes]], None], file: Path) -> Path:
    """Write an archive anew with other entries."""
    with zipfile.ZipFile(file) as opened:
        entries = {name: opened.read(name) for name in opened.namelist()}
    change(entries)
    with zipfile.ZipFile(file, "w") as new:
        for name, data in entries.items():
            new.writestr(name, data)
    return file


def add(entries: dict[str, bytes], path: str, data: bytes = b"x") -> None:
    """Put a file into an archive and its manifest."""
    manifest = json.loads(entries["manifest.json"])
    manifest["files"][path] = {"sha256": hashlib.sha256(data).hexdigest(), "size": len(data)}
    entries["manifest.json"] = json.dumps(manifest).encode()
    entries[path] = data


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda entries: entries.update({"Home.md": b"other"}), "Home.md is damaged"),
        (lambda entries: entries.pop("Home.md"), "manifest and its files differ"),
        (lambda entries: entries.update({"More.md": b"x"}), "manifest and its files differ"),
        (lambda entries: entries.pop("manifest.json"), "not one of `wwt backup`"),
        (lambda entries: entries.update({"manifest.json": b"{"}), "cannot be read"),
        (lambda entries: add(entries, "../outside.md"), "none of a vault's files"),
        (lambda entries: add(entries, "/tmp/outside.md"), "none of a vault's files"),
        (lambda entries: add(entries, ".git/hooks/post-checkout"), "none of a vault's files"),
        (lambda entries: add(entries, ".obsidian/plugins/x/main.js"), "none of a vault's files"),
        (lambda entries: add(entries, "home.md"), "differ by case alone"),
    ],
)  # fmt: skip
def test_an_archive_that_is_not_what_it_says_is_refused(
    box: Box, tmp_path: Path, change: Callable[[dict[str, bytes]], None], says: str
) -> None:
    """Before a single file is written."""
    file = rewritten(change, back_up(box, tmp_path))

    with pytest.raises(BadArchive) as refusal:
        archive.restore(file, tmp_path / "restored")
    assert says in str(refusal.value)
    assert not (tmp_path / "restored").exists()
    assert not (tmp_path / "outside.md").exists()


def test_a_cut_off_or_flipped_archive_is_refused(box: Box, tmp_path: Path) -> None:
    """Wherever it was cut; a flipped bit in the words of a file as well."""
    data = back_up(box, tmp_path).read_bytes()
    for number, broken in enumerate(
        (data[: len(data) // 2], data[:-10], b"", data.replace(b"PK\x03\x04", b"PK\x03\x05", 1))
    ):
        file = tmp_path / f"broken-{number}.zip"
        file.write_bytes(broken)
        with pytest.raises(BadArchive):
            archive.restore(file, tmp_path / "restored")
    with pytest.raises(BadArgument, match="no file"):
        archive.restore(tmp_path / "none.zip", tmp_path / "restored")


def test_odd_bytes_anywhere_are_refused_or_change_nothing(box: Box, tmp_path: Path) -> None:
    """In the packed words, the names at both places, sizes, methods: the vault comes back whole or not at all."""
    file = back_up(box, tmp_path)
    data = file.read_bytes()
    whole = files_of(Box(box.machine, archive.restore(file, tmp_path / "whole")))
    places = range(0, len(data), max(1, len(data) // 60))
    refused = 0
    for at in places:
        for junk in (b"\xff", b"\0\0\0\0", b"\xeb\xb6\xf0"):
            file.write_bytes(data[:at] + junk + data[at + len(junk) :])
            folder = tmp_path / "restored"
            try:
                restored = archive.restore(file, folder)
            except (BadArchive, BadArgument, FormatTooNew):
                refused += 1
                assert not folder.exists() or not any(folder.iterdir())
            else:
                assert files_of(Box(box.machine, restored)) == whole
            shutil.rmtree(folder, ignore_errors=True)
    assert refused > 60


def test_an_archive_of_a_newer_program_is_left_alone(box: Box, tmp_path: Path) -> None:
    """Nothing is guessed."""

    def newer(entries: dict[str, bytes]) -> None:
        entries["manifest.json"] = entries["manifest.json"].replace(b'"archive": 1', b'"archive": 2')

    with pytest.raises(FormatTooNew):
        archive.restore(rewritten(newer, back_up(box, tmp_path)), tmp_path / "restored")


def test_an_export_can_be_taken_in_again(box: Box, tmp_path: Path) -> None:
    """The conversations become the very same events in another vault; notes are there as JSON and as Markdown."""
    done = plain.export(box.vault, tmp_path / "plain")
    assert (done.messages, done.sessions, done.notes, done.problems) == (2, 2, 1, ())

    other = creation.create_vault(tmp_path / "other", timezone="Asia/Seoul")
    transcripts.ingest_paths(other, state_for(other), [tmp_path / "plain" / "conversations.jsonl"])
    assert sorted(events.event_ids(other)) == sorted(events.event_ids(box.vault))  # type: ignore[type-var]  # no problems
    note = json.loads((tmp_path / "plain" / "notes.jsonl").read_text("utf-8"))
    assert note["title"] == "DB"
    assert (tmp_path / "plain" / "markdown" / note["path"]).read_text("utf-8") == note["text"] == box.read(note["path"])
    assert (tmp_path / "plain" / "markdown" / "회의록.md").is_file()

    with pytest.raises(Refused, match="not empty"):
        plain.export(box.vault, tmp_path / "plain")
    with pytest.raises(BadArgument, match="lies in the vault"):
        plain.export(box.vault, box.root / "plain")
