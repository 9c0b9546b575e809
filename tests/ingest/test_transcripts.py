"""Imports: files, folders and archives of every host, once and again, whole, damaged and unknown."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
import zipfile
from collections.abc import Callable
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
import zstandard

import wwt_vault
from tests.ingest.conversation import Conversation, stored
from wwt_vault.ingest.transcripts import IngestReport, ingest_paths, ingest_transcript
from wwt_vault.model.conversation import Source
from wwt_vault.state import state_for
from wwt_vault.vault import Vault, events, sessions
from wwt_vault.vault.files import lock

DEMO = Path(wwt_vault.__file__).parent / "demo_data"
Ingest = Callable[..., IngestReport]


@pytest.fixture
def ingest(vault: Vault) -> Ingest:
    """Return a function that imports paths."""

    def ingest(*paths: Path, **more: Any) -> IngestReport:
        return ingest_paths(vault, state_for(vault), paths, **more)

    return ingest


def chat(
    name: str, *texts: str, at: int = 0, others: tuple[str, ...] = (), current: str | None = None
) -> dict[str, Any]:
    """Return a conversation of ChatGPT's: texts of both in turn, ``others`` as answers that hang on the first text."""
    mapping: dict[str, Any] = {}
    names = [f"{name}-{number}" for number in range(len(texts))]
    talk = [(n, names[k - 1] if k else None, "assistant" if k % 2 else "user", texts[k]) for k, n in enumerate(names)]
    talk += [(f"{name}-x{number}", names[0], "assistant", text) for number, text in enumerate(others)]
    for second, (node, parent, role, text) in enumerate(talk):
        content = {"content_type": "text", "parts": [text]}
        message = {"id": node, "author": {"role": role}, "content": content, "create_time": 1_704_067_200 + at + second}
        mapping[node] = {"id": node, "parent": parent, "children": [], "message": message}
    fields = {"title": f"About {name}", "create_time": 1_704_067_200 + at, "conversation_id": name}
    return {**fields, "mapping": mapping, "current_node": current or names[-1]}


def export(path: Path, *conversations: dict[str, Any], packed: bool = False) -> Path:
    """Write an export, in an archive as it is mailed if asked for."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(list(conversations))
    if packed:
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("user.json", '{"email": "minji@example.com"}')
            archive.writestr("chat.html", "<html>")
            archive.writestr("conversations.json", text)
    else:
        path.write_text(text, "utf-8")
    return path


def shown(vault: Vault, host: str, session_id: str) -> list[str]:
    """Return the texts of a session's note, in their order."""
    note = sessions.find_session_note(vault, host, session_id)
    assert note is not None
    return [turn.text for turn in sessions.read_turns(note.read_text("utf-8"))]


# -- what is read ---------------------------------------------------------------------------------------------------


def test_a_folder_is_read_with_all_below_and_only_once(ingest: Ingest, vault: Vault) -> None:
    """Every demo conversation of every host; a second time adds nothing."""
    first, second = ingest(DEMO), ingest(DEMO)
    assert first.events_added == len(stored(vault)) > 50 and first.skipped == ()
    assert (second.events_added, second.events_known) == (0, first.events_added)
    assert {name.split()[0] for name in second.sessions} == {"claude-code", "codex", "gemini"}


def test_an_archive_is_read_like_the_folder_it_holds(ingest: Ingest, vault: Vault, tmp_path: Path) -> None:
    """Also with compressed files in it; unpacked afterwards it adds nothing."""
    folder = tmp_path / "packed"
    shutil.copytree(DEMO, folder)
    for path in list(folder.glob("codex/*.jsonl"))[:1]:
        path.with_suffix(".jsonl.zst").write_bytes(zstandard.compress(path.read_bytes()))
        path.unlink()
    archive = Path(shutil.make_archive(str(tmp_path / "all"), "zip", folder))
    before = sorted(path.name for path in tmp_path.iterdir())
    first = ingest(archive)
    assert first.events_added == len(stored(vault)) > 50 and first.skipped == ()
    assert ingest(archive).events_added == ingest(folder).events_added == ingest(DEMO).events_added == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == before


def test_a_file_that_was_cut_off_is_read_as_far_as_it_goes(ingest: Ingest, vault: Vault, tmp_path: Path) -> None:
    """What was taken in counts and stays, what is wrong is said each time, and the whole file adds only the rest."""
    said = [{"role": "user", "text": sha256(b"%d" % n).hexdigest() * 20} for n in range(200)]
    lines = [{"type": "transcript", "session": "s-1"}, *said]
    packed = zstandard.compress("".join(json.dumps(line) + "\n" for line in lines).encode())
    path = tmp_path / "talk.jsonl.zst"
    path.write_bytes(packed[: len(packed) // 2])
    first, again = ingest(path), ingest(path)

    (skipped,) = first.skipped
    assert (skipped.path, again.skipped) == (str(path), first.skipped)
    assert skipped.reason == (
        "cannot be read to its end: the compressed file ends in the middle. What stands before that was taken in"
    )
    assert 20 < first.events_added < 200
    assert (again.events_added, again.events_known) == (0, first.events_added)
    path.write_bytes(packed)
    whole = ingest(path)
    assert (whole.events_added, whole.skipped) == (200 - first.events_added, ())
    assert len(stored(vault)) == 200


def test_an_export_is_read_in_each_of_its_forms(ingest: Ingest, vault: Vault, tmp_path: Path) -> None:
    """The zip as it was mailed, the folder, the file, its parts, batches that overlap."""
    talks = [chat(name, "q", "a", "q", at=1000 * number) for number, name in enumerate(["c-1", "c-2", "c-3"])]
    assert ingest(export(tmp_path / "mailed.zip", *talks[:2], packed=True)).events_added == 6
    assert ingest(export(tmp_path / "unpacked" / "conversations.json", *talks[:2]).parent).events_added == 0
    parts = export(tmp_path / "parts" / "conversations-000.json", talks[1]).parent
    export(parts / "conversations-001.json", talks[2])
    report = ingest(parts)
    assert (report.events_added, report.events_known, len(report.sessions)) == (3, 3, 2)
    for name in ("c-1", "c-2", "c-3"):
        assert shown(vault, "chatgpt", name) == ["q", "a", "q"]


def test_the_same_conversation_twice_in_one_file_is_taken_in_once(ingest: Ingest, vault: Vault, tmp_path: Path) -> None:
    """Exports repeat themselves; "continue" said twice stays twice."""
    talk = chat("c-1", "continue", "one", "continue", "two")
    ingest(export(tmp_path / "conversations.json", talk, chat("c-2", "x"), talk))
    assert shown(vault, "chatgpt", "c-1") == ["continue", "one", "continue", "two"]


def test_a_later_export_adds_what_was_said_since(ingest: Ingest, vault: Vault, tmp_path: Path) -> None:
    """An answer that was still being given is superseded by what it became."""
    first = chat("c-1", "q", "It is")
    grown = chat("c-1", "q", "It is PostgreSQL.", "thanks")
    ingest(export(tmp_path / "a" / "conversations.json", first))
    assert ingest(export(tmp_path / "b" / "conversations.json", grown)).events_added == 2
    assert shown(vault, "chatgpt", "c-1") == ["q", "It is", "It is PostgreSQL.", "thanks"]
    by_text = {event.text: event for event in events.iter_events(vault) if not hasattr(event, "code")}
    assert by_text["It is PostgreSQL."].supersedes == by_text["It is"].id


def test_a_branch_is_a_session_of_its_own_and_stays_when_another_is_shown(
    ingest: Ingest, vault: Vault, tmp_path: Path
) -> None:
    """Whichever branch an export shows, every message is in the vault once."""
    first = chat("c-1", "q", "one", "more", others=("two",))
    assert ingest(export(tmp_path / "a" / "conversations.json", first)).events_added == 4
    assert shown(vault, "chatgpt", "c-1") == ["q", "one", "more"]
    assert shown(vault, "chatgpt", "c-1~c-1-x0") == ["two"]
    turned = chat("c-1", "q", "one", "more", others=("two",), current="c-1-x0")
    assert ingest(export(tmp_path / "b" / "conversations.json", turned)).events_added == 0
    assert sorted(text for _, text in stored(vault)) == ["more", "one", "q", "two"]


def test_ids_that_are_not_unique_mean_nothing_in_another_conversation(
    ingest: Ingest, vault: Vault, tmp_path: Path
) -> None:
    """Line numbers, and what a tool put into an export: the same second, the same id, other words or the same."""
    for name in ("c-1", "c-2"):
        path = tmp_path / "agent-transcripts" / f"{name}.jsonl"
        path.parent.mkdir(exist_ok=True)
        lines = [{"role": "user", "message": {"content": text}} for text in ("hi", f"I am {name}")]
        path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
        os.utime(path, (1_764_467_881, 1_764_467_881))
    copied = [{**chat("x", "hi", "hello"), "conversation_id": name} for name in ("d-1", "d-2")]
    named = [{"session": name, "messages": [{"role": "user", "text": "hi", "id": 1, "time": 5e8}]} for name in "ef"]
    (tmp_path / "talks.jsonl").write_text("".join(json.dumps(line) + "\n" for line in named), "utf-8")
    report = ingest(tmp_path / "agent-transcripts", export(tmp_path / "conversations.json", *copied))
    report_of_any = ingest(tmp_path / "talks.jsonl", host="generic")
    assert (report.events_added, report_of_any.events_added) == (8, 2)


def test_title_and_folder_stand_in_the_sessions_note(ingest: Ingest, vault: Vault, tmp_path: Path) -> None:
    """Obsidian shows them; the times are those of the conversation."""
    talk = {**chat("c-1", "q"), "title": "Shop: \"orders\"", "gizmo_id": "g-p-77"}  # fmt: skip
    ingest(export(tmp_path / "conversations.json", talk))
    note = sessions.find_session_note(vault, "chatgpt", "c-1")
    assert note is not None and note.name == "2024-01-01 chatgpt c-1.md"
    head = sessions.read_head(note.read_bytes())
    assert (head["title"], head["folder"]) == ('Shop: "orders"', "g-p-77")
    assert head["started"] == "2024-01-01T09:00:00+09:00"


def test_a_database_is_read_again_when_only_its_log_has_grown(ingest: Ingest, vault: Vault, tmp_path: Path) -> None:
    """The database itself stays as it was while Cursor runs."""
    path = tmp_path / "state.vscdb"
    with closing(sqlite3.connect(path)) as running:
        running.execute("CREATE TABLE cursorDiskKV (key TEXT, value BLOB)")
        running.execute("PRAGMA journal_mode = WAL")
        running.execute("PRAGMA wal_autocheckpoint = 0")
        row = ("composerData:c-1", '{"createdAt": 1764467881123}')
        running.execute("INSERT INTO cursorDiskKV VALUES (?, ?)", row)
        for text in ("one", "two"):
            row = (f"bubbleId:c-1:{text}", json.dumps({"type": 1, "text": text}))
            running.execute("INSERT INTO cursorDiskKV VALUES (?, ?)", row)
            running.commit()
            assert ingest(path, host="cursor").events_added == 1
            assert ingest(path, host="cursor").events_added == 0
    assert shown(vault, "cursor", "c-1") == ["one", "two"]


def test_a_history_adds_only_sessions_that_are_gone(ingest: Ingest, vault: Vault, tmp_path: Path) -> None:
    """What a transcript tells is not told again in the history's words."""
    talk = Conversation(tmp_path)
    talk.ask("fix a\nb")
    talk.answer("ok")
    talk.flush()
    entries = [
        {"display": "fix [Pasted text #1]", "timestamp": 1_764_467_881_123, "project": "/src/shop", "sessionId": name}
        for name in (talk.session_id, "gone")
    ]
    history = tmp_path / "history.jsonl"
    history.write_text("".join(json.dumps(entry) + "\n" for entry in entries), "utf-8")
    os.utime(history, (4_000_000_000, 4_000_000_000))
    ingest(tmp_path)
    assert shown(vault, "claude-code", talk.session_id) == ["fix a\nb", "ok"]
    assert shown(vault, "claude-code", "gone") == ["fix [Pasted text #1]"]
    assert ingest(history).events_added == 0


def test_documents_in_an_export_are_handed_over_and_are_no_messages(
    ingest: Ingest, vault: Vault, tmp_path: Path
) -> None:
    """Once for each import: who keeps them knows which are there."""
    project = {"uuid": "p", "name": "Shop", "description": "", "prompt_template": "Be brief.", "docs": []}
    path = tmp_path / "projects.json"
    path.write_text(json.dumps([project]), "utf-8")
    kept: list[Source] = []
    report = ingest(path, keep_source=kept.append)
    assert [source.title for source in kept] == ["Shop"]
    assert (report.events_added, report.skipped) == (0, ())


# -- what is not read -----------------------------------------------------------------------------------------------


def test_files_of_other_kinds_are_passed_over_in_a_folder_and_named_when_asked_for(
    ingest: Ingest, tmp_path: Path
) -> None:
    """Nobody wants to hear of every picture; who names a file wants to know."""
    for name in ("notes.md", "data.json", "empty.jsonl", "photo.png"):
        (tmp_path / name).write_text("{}" if name == "data.json" else "")
    with zipfile.ZipFile(tmp_path / "other.zip", "w") as archive:
        archive.writestr("inner.zip", "x")
        archive.writestr("notes.txt", "x")
    assert ingest(tmp_path).skipped == ()
    report = ingest(tmp_path / "notes.md", tmp_path / "photo.png")
    assert [part.path for part in report.skipped] == [str(tmp_path / name) for name in ("notes.md", "photo.png")]
    assert all("is not a transcript of any host known here" in part.reason for part in report.skipped)


def test_a_file_in_utf_16_is_named_as_such(ingest: Ingest, tmp_path: Path) -> None:
    """PowerShell's ``>`` writes it; that no host wrote the file would send the person looking elsewhere."""
    (tmp_path / "out.jsonl").write_text('{"type": "user"}\n', "utf-16")
    [skipped] = ingest(tmp_path / "out.jsonl").skipped
    assert skipped.reason.endswith("is not a transcript of any host known here: it looks like UTF-16; save it as UTF-8")


def test_the_accounts_own_files_are_never_opened(ingest: Ingest, vault: Vault, tmp_path: Path) -> None:
    """Not in a folder, not in an archive, and not when they are named."""
    opened: list[str] = []
    watching = True

    def watch(event: str, arguments: tuple[Any, ...]) -> None:
        if watching and event == "open":
            opened.append(str(arguments[0]))

    folder = export(tmp_path / "export" / "conversations.json", chat("c-1", "q")).parent
    for name in ("user.json", "users.json"):
        (folder / name).write_text(json.dumps([chat("c-2", "my mail is minji@example.com")]), "utf-8")
    archive = export(tmp_path / "mailed.zip", chat("c-3", "q"), packed=True)
    sys.addaudithook(watch)
    report = ingest(folder, archive, folder / "user.json")
    watching = False
    assert any(name.endswith("conversations.json") for name in opened)
    assert not [name for name in opened if Path(name).name in ("user.json", "users.json")]
    assert [text for _, text in stored(vault)] == ["q", "q"]
    assert [part.path for part in report.skipped] == [str(folder / "user.json")]


def test_one_bad_file_does_not_hide_the_others(ingest: Ingest, vault: Vault, tmp_path: Path) -> None:
    """Cut off, encrypted, not permitted, gone, unknown: each is named, with its reason."""
    good = export(tmp_path / "a.json", chat("c-1", "q"))
    cut = export(tmp_path / "b.zip", chat("c-2", "q"), packed=True)
    cut.write_bytes(cut.read_bytes()[:-30])
    half = tmp_path / "c.json"
    half.write_text(json.dumps([chat("c-3", "q"), chat("c-4", "q")])[:-40], "utf-8")
    empty = tmp_path / "d.zip"
    with zipfile.ZipFile(empty, "w") as archive:
        archive.writestr("notes.txt", "hi")
    report = ingest(good, cut, half, empty, tmp_path / "gone.json")
    told = {Path(part.path).name: part.reason for part in report.skipped}
    assert told.keys() == {"b.zip", "c.json", "d.zip", "gone.json"}
    assert "not a whole zip archive" in told["b.zip"] and "ends in the middle" in told["c.json"]
    assert "no conversation of a host known here" in told["d.zip"] and "cannot be read" in told["gone.json"]
    assert sorted(report.sessions) == ["chatgpt c-1", "chatgpt c-3"] and len(stored(vault)) == 2


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="everything may be read here")
def test_a_file_that_may_not_be_read_is_named(ingest: Ingest, tmp_path: Path) -> None:
    """Also in a folder: it may be what was looked for."""
    export(tmp_path / "a.json", chat("c-1", "q")).chmod(0)
    [part] = ingest(tmp_path).skipped
    assert part.path.endswith("a.json") and "Permission denied" in part.reason


def test_a_session_that_another_program_holds_is_named_and_the_others_go_on(
    ingest: Ingest, vault: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A hook that hangs must not stop an import of years."""
    monkeypatch.setattr("wwt_vault.ingest.transcripts._PATIENCE", 0.05)
    held = export(tmp_path / "a" / "conversations.json", chat("c-1", "q"))
    free = export(tmp_path / "b" / "conversations.json", chat("c-2", "q"))
    with lock(state_for(vault).locks / "chatgpt c-1.lock", 1.0):
        report = ingest(held, free)
    assert report.sessions == ("chatgpt c-2",)
    [part] = report.skipped
    assert part.path == str(held) and part.reason.endswith("Import it again later.")
    assert ingest(held).events_added == 1


# -- progress and size ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("packed", [False, True])
def test_progress_goes_by_bytes_to_the_end(ingest: Ingest, tmp_path: Path, packed: bool) -> None:
    """Also within one large file, and in an archive by what is in it; never backwards, never beyond."""
    talks = [chat(f"c-{number}", "word " * 40_000) for number in range(20)]
    path = export(tmp_path / ("a.zip" if packed else "a.json"), *talks, packed=packed)
    other = export(tmp_path / "b.json", chat("d-1", "q"))
    steps: list[tuple[int, int]] = []
    ingest(path, other, progress=lambda done, total: steps.append((done, total)))
    done, totals = [step[0] for step in steps], {step[1] for step in steps}
    assert totals == {len(json.dumps(talks)) + other.stat().st_size} or packed
    assert len(totals) == 1 and done == sorted(done) and done[-1] == totals.pop()
    assert len(set(done)) > 4


def test_an_import_that_is_broken_off_goes_on_from_there(ingest: Ingest, vault: Vault, tmp_path: Path) -> None:
    """Every conversation is recorded before the next is read."""
    path = export(tmp_path / "conversations.json", *(chat(f"c-{number}", "q") for number in range(5)))
    steps = 0

    def broken(done: int, total: int) -> None:
        nonlocal steps
        steps += 1
        if steps == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ingest(path, progress=broken)
    assert len(stored(vault)) == 3
    assert ingest(path).events_added == 2


_MEASURED = """
import re, sys
from pathlib import Path
from wwt_vault.ingest.transcripts import ingest_paths
from wwt_vault.state import state_for
from wwt_vault.vault import find_vault
vault = find_vault()
report = ingest_paths(vault, state_for(vault), [Path(sys.argv[1])])
peak = re.search(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1]
print(report.events_added, int(peak) * 1024)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="getrusage would count what the test runner needed before the fork")
@pytest.mark.parametrize("packed", [False, True])
def test_an_export_of_any_size_needs_little_memory(vault: Vault, tmp_path: Path, packed: bool) -> None:
    """120 MB in large conversations, most of it what tools gave: less than 100 MB, interpreter and all."""
    path = tmp_path / "conversations.json"
    with path.open("w", encoding="utf-8") as file:
        for number in range(30):
            talk = chat(f"c-{number}", "q", "a", "q", "a")
            for node in list(talk["mapping"].values())[1:]:
                gave = {"author": {"role": "tool"}, "content": {"content_type": "text", "parts": ["text " * 260_000]}}
                talk["mapping"][f"{node['id']}-t"] = {**node, "id": f"{node['id']}-t", "message": gave}
            file.write(("," if number else "[") + json.dumps(talk))
        file.write("]")
    assert path.stat().st_size > 115_000_000
    if packed:
        with zipfile.ZipFile(tmp_path / "a.zip", "w", zipfile.ZIP_DEFLATED) as archive:
            archive.write(path, "conversations.json")
        path = tmp_path / "a.zip"
    code = [sys.executable, "-c", _MEASURED, str(path)]
    run = subprocess.run(code, capture_output=True, text=True, check=True, env={**os.environ})
    added, peak = map(int, run.stdout.split())
    assert (added, len(stored(vault))) == (120, 120)
    assert peak < 100_000_000


def test_a_long_conversation_without_times_reads_none_of_its_messages_again(
    vault: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All its messages fall into one second or two: each was once compared with all before it."""
    lines = (json.dumps({"role": "user" if n % 2 else "assistant", "text": f"message {n}"}) for n in range(300))
    (tmp_path / "long.jsonl").write_text("\n".join(lines), "utf-8")
    reads: list[str] = []
    real = events.read_event

    def counting(vault: Vault, event: str) -> Any:
        reads.append(event)
        return real(vault, event)

    monkeypatch.setattr("wwt_vault.vault.events.read_event", counting)
    report = ingest_transcript(vault, state_for(vault), tmp_path / "long.jsonl")

    assert report.events_added == 300
    assert len(reads) < 600
