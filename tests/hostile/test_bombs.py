"""Files made to be too much: each is refused or read within bounds, and what lies beside it goes on."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from wwt_vault.operations import freshness, recall
from wwt_vault.operations.workspace import open_workspace
from wwt_vault.vault import check, documents

if TYPE_CHECKING:
    from wwt_vault.model.conversation import Turn
    from wwt_vault.vault import Vault

ROOT = Path(__file__).resolve().parents[2]
DEEP = 100_000
MEMORY = 900 << 20
"""Bytes of address space for a process that is given a bomb; numpy's libraries alone map a third of it."""

NOTES: dict[str, Callable[[], bytes]] = {
    "aliases of aliases": lambda: b"---\na0: &a0 [x]\n" + b"".join(
        f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]\n".encode() for n in range(1, 12)
    ) + b"---\n",
    "a deep list in the properties": lambda: b"---\na: " + b"[" * DEEP + b"\n---\n",
    "deep quotes": lambda: b"> " * DEEP + b"x\n",
    "deep lists": lambda: b"".join(b" " * n + b"- x\n" for n in range(3000)),
    "deep brackets": lambda: b"[" * DEEP + b"x" + b"]" * DEEP,
    "deep links": lambda: b"[[" * DEEP,
    "many stars": lambda: b"*_" * DEEP,
    "many backticks": lambda: b"`" * 100_000,
    "one line of a megabyte": lambda: b"word " * 200_000,
    "many headings": lambda: b"# h\n" * 60_000,
    "ten million lines": lambda: b"\n" * 10_000_000,
    "many footnotes": lambda: b"".join(f"[^{n}]: x\n".encode() for n in range(20_000)),
    "many tags": lambda: b"#a " * 100_000,
    "an endless fence": lambda: b"```\n" + b"x\n" * 100_000,
    "tables": lambda: b"|a" * 100_000 + b"\n" + b"|-" * 100_000 + b"\n",
    "html": lambda: b"<!--" * DEEP + b"<a " * DEEP,
    "nothing but NUL": lambda: b"\0" * 300_000,
}  # fmt: skip


@pytest.mark.slow
def test_a_note_made_to_be_too_much_hides_no_other(vault: Vault) -> None:
    """All at once in one vault: refresh, search and check end, in bounded memory, and the note beside is found."""
    config = vault.root / ".wwt" / "config.toml"
    config.write_text(config.read_text("utf-8").replace('# embedder = "auto"', 'embedder = "none"'), "utf-8")
    (vault.root / "Beside.md").write_text("# Beside\n\nWe deploy with Kamal.\n", "utf-8")
    for name, make in NOTES.items():
        (vault.root / f"{name}.md").write_bytes(make())
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    workspace = open_workspace()
    report = freshness.refresh(workspace, seconds=None)
    found = recall.search(workspace, "deploy with Kamal")
    problems = {problem.path for problem in check.check_vault(vault).problems}
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before

    assert report.pending == 0
    assert [hit["path"] for hit in found["hits"]][:1] == ["Beside.md"]
    assert {"aliases of aliases.md", "ten million lines.md"} <= problems
    assert grown < 1 << 20  # KB


PAYLOADS: dict[str, Callable[[], bytes]] = {
    "deep JSON": lambda: b'{"a":' * DEEP + b"1" + b"}" * DEEP,
    "a deep list": lambda: b"[" * DEEP,
    "a long number": lambda: b'{"prompt": ' + b"9" * 1_000_000 + b"}",
    "many keys": lambda: json.dumps({f"k{n}": n for n in range(200_000)}).encode(),
    "a prompt of twenty megabytes": lambda: json.dumps(
        {"session_id": "s", "hook_event_name": "UserPromptSubmit", "cwd": "/x", "prompt": "word " * 4_000_000}
    ).encode(),
    "lone surrogates": lambda: (
        b'{"session_id": "s", "hook_event_name": "UserPromptSubmit", "prompt": "' + b"\\ud800" * 1000 + b'"}'
    ),
    "a name that is everything": lambda: json.dumps(
        {"session_id": "../" * 5000, "hook_event_name": "UserPromptSubmit", "cwd": "/" * 9000, "prompt": "x"}
    ).encode(),
}


@pytest.mark.parametrize("name", PAYLOADS)
def test_a_payload_made_to_be_too_much_does_not_stop_the_hook(name: str, vault: Vault) -> None:
    """Exit 0 and silence; the next prompt is recorded."""

    def hook(payload: bytes) -> subprocess.CompletedProcess[bytes]:
        command = [sys.executable, "-m", "wwt_vault.hook", "claude-code"]
        return subprocess.run(command, input=payload, capture_output=True, check=False, cwd=ROOT, timeout=120)

    prompt = {"session_id": "next", "hook_event_name": "UserPromptSubmit", "cwd": "/src/shop", "prompt": "after it"}
    first, second = hook(PAYLOADS[name]()), hook(json.dumps(prompt).encode())

    assert [(run.returncode, run.stdout, run.stderr) for run in (first, second)] == [(0, b"", b"")] * 2
    notes = [documents.load_document(vault, path) for path in documents.catalog(vault) if path.startswith("50_")]
    assert any(turn.text == "after it" for note in notes for turn in note.turns)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has neither pipes nor devices that are files")
def test_files_that_never_end_or_never_begin_stop_nobody(vault: Vault, tmp_path: Path) -> None:
    """Links to devices and pipes in the place of files, in a vault and in a project's folder: nobody waits for them.

    A git checkout can bring such links, and an archive pipes.
    """
    (vault.root / "Beside.md").write_text("# Beside\n\nWe deploy with Kamal.\n", "utf-8")
    for name in ("30_Knowledge/a.md", "50_Conversations/2026/b.md", "00_Inbox/c (1).md", ".wwtignore"):
        path = vault.root / name
        path.parent.mkdir(exist_ok=True)
        path.unlink(missing_ok=True)
        path.symlink_to("/dev/zero")
    for name in ("30_Knowledge/pipe.md", "pipe.md", ".wwt/curated/claude-code x.json"):
        (vault.root / name).parent.mkdir(exist_ok=True)
        os.mkfifo(vault.root / name)
    project = tmp_path / "project"
    (project / ".git").mkdir(parents=True)
    os.mkfifo(project / ".wwtignore")
    os.mkfifo(project / ".git" / "HEAD")
    payload = {"session_id": "s", "hook_event_name": "UserPromptSubmit", "cwd": str(project), "prompt": "after it"}
    commands = {
        "hook": [sys.executable, "-m", "wwt_vault.hook", "claude-code"],
        "search": [sys.executable, "-m", "wwt_vault", "search", "--json", "deploy with Kamal"],
        "doctor": [sys.executable, "-m", "wwt_vault", "doctor", "--json"],
        "verify": [sys.executable, "-m", "wwt_vault", "verify", "--json"],
    }
    config = vault.root / ".wwt" / "config.toml"
    config.write_text(config.read_text("utf-8").replace('# embedder = "auto"', 'embedder = "none"'), "utf-8")
    said = {}
    for name, command in commands.items():
        run = subprocess.run(
            command, input=json.dumps(payload).encode(), capture_output=True, check=False, cwd=ROOT, timeout=120
        )
        assert b"Traceback" not in run.stderr, run.stderr
        said[name] = run.stdout

    assert said["hook"] == b""
    assert [turn.text for turn in turns_of(vault)] == ["after it"]
    assert [hit["path"] for hit in json.loads(said["search"])["hits"]][:1] == ["Beside.md"]
    config.unlink()
    config.symlink_to("/dev/zero")  # settings that cannot be read stop whoever needs them, at once and by name
    run = subprocess.run(commands["search"], capture_output=True, check=False, cwd=ROOT, timeout=120)
    assert b"config.toml is a symbolic link" in run.stdout + run.stderr


def turns_of(vault: Vault) -> list[Turn]:
    """Return what all session notes show."""
    notes = [documents.load_document(vault, path) for path in documents.catalog(vault) if path.startswith("50_")]
    return [turn for note in notes for turn in note.turns]


FILES: dict[str, Callable[[Path], Path]] = {}


def _zip(path: Path, name: str, data: bytes) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, data)
    return path


def _written(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


FILES = {
    "a zip of names that never end": lambda folder: _zip(folder / "x.zip", "//a/conversations.json", b"[]"),
    "a zip of deep names": lambda folder: _zip(folder / "x.zip", "a/" * 32_000 + "conversations.json", b"[]"),
    "a zip of zeros": lambda folder: _zip(folder / "x.zip", "conversations.json", b"0" * 300_000_000),
    "a zip of brackets": lambda folder: _zip(folder / "x.zip", "conversations.json", b"[" * 50_000_000),
    "deep JSON lines": lambda folder: _written(folder / "x.jsonl", (b'{"type":' * 50_000 + b"\n") * 20),
    "a line of fifty megabytes": lambda folder: _written(
        folder / "x.jsonl", b'{"type": "user", "sessionId": "s", "x": "' + b"y" * 50_000_000 + b'"}\n'
    ),
    "deep JSON": lambda folder: _written(folder / "conversations.json", b'[{"mapping":' * 50_000),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
def test_an_export_made_to_be_too_much_is_named(name: str, vault: Vault, tmp_path: Path) -> None:
    """Imported in bounded memory: the command ends and says what it did not read, or takes nothing from it."""
    path = FILES[name](tmp_path)
    code = (
        f"import resource, sys; resource.setrlimit(resource.RLIMIT_AS, ({MEMORY}, {MEMORY}))\n"
        "from wwt_vault.cli import main; main(sys.argv[1:])"
    )
    command = [sys.executable, "-c", code, "ingest", str(path), "--json", "--vault", str(vault.root)]
    run = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT, timeout=300)

    assert run.returncode in (0, 1), run.stderr
    assert "Traceback" not in run.stderr
    assert json.loads(run.stdout).get("events_added", 0) == 0
