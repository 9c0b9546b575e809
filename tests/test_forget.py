"""``wwt forget`` on all that a machine has: vault, state and cache are searched byte by byte afterwards."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from wwt_vault.cli import main
from wwt_vault.hook import run as hook
from wwt_vault.vault import Vault

WORD = "xyzzyplugh42"
SECRET = f"The alarm code of the office door is {WORD}, do not write it down."
SESSION = "42edc39d-1111-4222-8333-444455556666"
START = datetime(2026, 11, 29, 1, tzinfo=UTC)

Run = Callable[..., Any]


@pytest.fixture
def wwt(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Return a function that runs a command with --json and returns what it prints."""

    def run(*arguments: str, stdin: str = "", expect: int = 0) -> Any:
        monkeypatch.setattr("sys.stdin", io.StringIO(stdin))
        with pytest.raises(SystemExit) as stop:
            main([*arguments, "--json"])
        out, err = capsys.readouterr()
        assert int(stop.value.code or 0) == expect, (out, err)
        return json.loads(out)

    return run


def holding(*roots: Path, word: str = WORD) -> list[str]:
    """Return every file below these folders that has the word in its name, its bytes, or what is packed in it."""
    found = []
    for path in sorted(part for root in roots for part in root.rglob("*") if part.is_file()):
        data = path.read_bytes()
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive:
                data += b"".join(archive.read(name) for name in archive.namelist())
        texts = (data, data.decode("utf-16-le", "ignore").encode(), str(path).encode())
        if any(word.encode() in text.lower() for text in texts):
            found.append(str(path))
    return found


def keys_of_vectors(folder: Path) -> set[int]:
    """Return by what every vector below a folder is known."""
    found: set[int] = set()
    for path in folder.rglob("*.vectors"):
        dimension = json.loads(path.read_bytes()[:512])["dimension"]
        record = np.dtype([("key", "<u8"), ("vector", "<f2", (dimension,))])
        found.update(np.fromfile(path, record, offset=512)["key"].tolist())
    return found


def transcript(folder: Path, *turns: tuple[str, str]) -> Path:
    """Write what the host itself keeps of the session."""
    lines = []
    for number, (role, text) in enumerate(turns):
        record = {
            "type": role, "uuid": f"u-{number}", "sessionId": SESSION, "cwd": "/src/shop",
            "timestamp": (START + timedelta(minutes=number)).isoformat().replace("+00:00", "Z"),
            "message": {"role": role, "content": text},
        }  # fmt: skip
        lines.append(json.dumps(record, ensure_ascii=False) + "\n")
    path = folder / f"{SESSION}.jsonl"
    path.write_text("".join(lines), "utf-8")
    return path


@pytest.fixture
def told(wwt: Run, vault: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, Path]:
    """Say the secret in a session, and let it get everywhere; return its event and the host's transcript."""
    turns = [
        ("user", "Where were we?"),
        ("assistant", "At the office door."),
        ("user", SECRET),
        ("assistant", "Noted."),
    ]
    path = transcript(tmp_path, *turns)
    payload = {"session_id": SESSION, "cwd": "/src/shop", "transcript_path": str(path), "hook_event_name": "Stop"}
    hook("claude-code", json.dumps(payload).encode(), START + timedelta(minutes=5))
    wwt("ingest", str(path))
    events = wwt("uncurated")["sessions"][0]["events"]
    assert len(events) == 4
    body = f"The office.\n\n## Facts\n\n- The code is {WORD} [^{events[2]}]\n- There is a door [^{events[1]}]\n"
    saved = wwt(
        "note", "save", "-", "--note", "Office", "--type", "topic", "--reason", f"he said: {SECRET}", stdin=body
    )
    there = (vault.root / saved["path"]).read_text("utf-8")
    (vault.root / saved["path"]).write_text(there.replace("- There is", "- mine\n- There is"), "utf-8")
    read = wwt("note", "read", "Office")
    wwt("note", "save", "-", "--note", "Office", "--revision", read["revision"],
        stdin=read["text"].partition("---\n\n")[2].replace("The office.", "Our office."))  # fmt: skip
    wwt("index", "refresh")
    wwt("note", "related", "Office")
    monkeypatch.setenv("WWT_VAULT", str(tmp_path / "not mounted"))
    prompt = {**payload, "hook_event_name": "UserPromptSubmit", "prompt": SECRET}
    hook("claude-code", json.dumps(prompt).encode(), START + timedelta(minutes=6))
    monkeypatch.setenv("WWT_VAULT", str(vault.root))
    return events[2], path


def test_no_byte_of_vault_state_or_cache_has_the_words(
    wwt: Run, vault: Vault, told: tuple[str, Path], own_user_folders: Path
) -> None:
    """Session note, note, quotes, revisions, records, queue, index, vectors; what rested on them says so."""
    event, path = told
    before = holding(vault.root, own_user_folders)
    assert {"events", "50_Conversations", "revisions", "30_Knowledge", "queue", "generations"} <= {
        part for name in before for part in Path(name).parts
    }
    wwt("index", "refresh")
    keys = keys_of_vectors(own_user_folders)
    done = wwt("forget", event, "--reason", "a door code", "--yes")

    assert done["events"] == [event]
    assert holding(vault.root, own_user_folders) == []
    left = keys_of_vectors(own_user_folders)
    assert keys - left
    assert left - keys == set()
    assert (done["waiting"], done["transcripts"]) == (1, [str(path)])
    assert [claim["path"] for claim in done["unsupported"]] == ["30_Knowledge/Office.md"]
    text = wwt("note", "read", "Office")["text"]
    assert "- The code is (forgotten) (unsupported)" in text
    assert "- mine\n- There is a door" in text
    assert [problem["code"] for problem in wwt("verify", expect=4)["problems"]] == [
        "uncited_fact"
    ] * 2  # "mine" is the other
    assert WORD not in json.dumps(wwt("search", "the alarm code of the office door")["hits"])


def test_what_is_forgotten_does_not_come_back_with_the_transcript(
    wwt: Run, vault: Vault, told: tuple[str, Path], own_user_folders: Path
) -> None:
    """Read again from its start, by an import or by the next hook, it adds what is new and nothing else."""
    event, path = told
    wwt("forget", event, "--yes")
    with path.open("a", encoding="utf-8") as file:
        file.write(path.read_text("utf-8").splitlines()[1].replace("u-1", "u-9").replace("At the", "Behind the") + "\n")
    payload = {"session_id": SESSION, "cwd": "/src/shop", "transcript_path": str(path), "hook_event_name": "Stop"}
    hook("claude-code", json.dumps(payload).encode(), START + timedelta(minutes=9))
    again = wwt("ingest", str(path))

    assert again["events_added"] == 1
    assert wwt("ingest", str(path))["events_added"] == 0
    assert wwt("status")["events"] == 4
    assert holding(vault.root, own_user_folders) == []


def test_a_prompt_forgotten_before_the_transcript_shows_it_stays_forgotten(
    wwt: Run, vault: Vault, tmp_path: Path, own_user_folders: Path
) -> None:
    """Also where the host spells it differently there, and where an answer has grown meanwhile."""
    payload = {"session_id": SESSION, "cwd": "/src/shop", "prompt_id": "p1"}
    calls = (
        {"hook_event_name": "UserPromptSubmit", "prompt": SECRET},
        {"hook_event_name": "Stop", "last_assistant_message": f"Noted: {SECRET}"},
    )
    for minute, call in enumerate(calls):
        hook("claude-code", json.dumps({**payload, **call}).encode(), START + timedelta(minutes=minute))
    assert wwt("status")["events"] == 2
    wwt("forget", "--session", SESSION[:8], "--yes")
    spelled = SECRET.replace("door is", "door\n\nis")
    path = transcript(tmp_path, ("user", spelled), ("assistant", f"Let me see.\n\nNoted: {SECRET}"))
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    path.write_text("".join(json.dumps({**line, "promptId": "p1"}) + "\n" for line in lines), "utf-8")
    wwt("ingest", str(path))

    assert wwt("status")["events"] == 0
    assert holding(vault.root, own_user_folders) == []


def test_a_whole_session_goes_by_the_beginning_of_its_id(
    wwt: Run, vault: Vault, told: tuple[str, Path], own_user_folders: Path
) -> None:
    """With all that waited of it; a second time there is nothing to do, and a beginning that is too short is no id."""
    assert wwt("forget", "--session", "42ed", "--yes", expect=1)["error"]["code"] == "not_found"
    done = wwt("forget", "--session", SESSION[:8], "--yes")

    assert (len(done["events"]), done["waiting"]) == (4, 1)
    assert holding(vault.root, own_user_folders) == []
    assert holding(vault.root, own_user_folders, word="where were we") == []
    again = wwt("forget", "--session", SESSION, "--yes")
    assert (again["events"], again["waiting"]) == ([], 0)


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ((), ("bad_argument", 2)),
        (("EVENT", "--session", SESSION), ("bad_argument", 2)),
        (("EVENT", "20200101T000000Z-000000000000"), ("not_found", 1)),
        (("nonsense",), ("bad_argument", 2)),
        (("--session", "ffffffff-0000"), ("not_found", 1)),
        (("EVENT", "--reason", " "), ("bad_argument", 2)),
    ],
)
def test_nothing_is_forgotten_by_mistake(
    wwt: Run, vault: Vault, told: tuple[str, Path], arguments: tuple[str, ...], error: tuple[str, int]
) -> None:
    """One unknown id and all of them stay; without --yes a script forgets nothing."""
    code, exit_code = error
    files = {path: path.read_bytes() for path in vault.root.rglob("*") if path.is_file()}
    given = [told[0] if word == "EVENT" else word for word in arguments]

    assert wwt("forget", *given, "--yes", expect=exit_code)["error"]["code"] == code
    assert wwt("forget", told[0], expect=2)["error"]["code"] == "bad_argument"
    assert {path: path.read_bytes() for path in vault.root.rglob("*") if path.is_file()} == files
