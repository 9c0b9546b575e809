"""What was stored before a rule existed is found by it later: by place and kind, never by its words."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from wwt_vault.model.conversation import EventId, Message, Session
from wwt_vault.operations.scanning import scan
from wwt_vault.operations.workspace import open_workspace
from wwt_vault.vault import events, layout, sessions

if TYPE_CHECKING:
    from wwt_vault.vault import Vault

ROOT = Path(__file__).resolve().parents[2]
AT = datetime(2026, 11, 30, 1, 58, 1, tzinfo=UTC)
TOKEN = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
SESSION = Session(host="gemini", session_id="aa11bb22-0000-4000-8000-000000000000", cwd="/code/shop")


def stored_before(vault: Vault, text: str) -> EventId:
    """Store a message as a version without rules would have."""
    event = events.event_of(Message(session=SESSION, role="user", text=text, time=AT), 1)
    events.write_event(vault, event)
    found = sessions.find_session_note(vault, SESSION.host, SESSION.session_id)
    note = found or sessions.create_session_note(vault, SESSION, "shop", "box", AT)
    sessions.append_event(vault, note, event)
    return event.id


def test_what_is_stored_is_looked_through(vault: Vault) -> None:
    """A message once, though its session note tells it; a page by its line; what a person added to a session note."""
    event = stored_before(vault, f"use {TOKEN} for it")
    stored_before(vault, "nothing here")
    (vault.root / "Page.md").write_text(f"# Page\n\n비밀번호: Hunter2-Secret!\n{TOKEN}\n", "utf-8")
    note = sessions.find_session_note(vault, SESSION.host, SESSION.session_id)
    assert note is not None
    with note.open("a", encoding="utf-8") as file:
        file.write(f"my own: {TOKEN}\n")
    found = scan(open_workspace(embedder=lambda: None))

    assert found["events"] == [{"id": event, "path": layout.event_path(event), "kinds": ["github-token"]}]
    places = [(page["path"], page["line"], page["kind"]) for page in found["pages"]]
    lines = note.read_text("utf-8").splitlines()
    rel = note.relative_to(vault.root).as_posix()
    assert places == [
        (rel, lines.index(f"my own: {TOKEN}") + 1, "github-token"),
        ("Page.md", 3, "password"),
        ("Page.md", 4, "github-token"),
    ]
    assert TOKEN not in json.dumps(found)


@pytest.mark.parametrize("field", ["cwd", "git_branch", "model", "key"])
def test_what_is_said_of_a_message_is_looked_through_as_well(vault: Vault, field: str) -> None:
    """A folder, a branch, a model, the host's id of it."""
    message = Message(session=SESSION, role="user", text="nothing here", time=AT)._replace(**{field: f"x {TOKEN}"})
    event = events.event_of(message, 1)
    events.write_event(vault, event)
    found = scan(open_workspace(embedder=lambda: None))

    assert [(hit["id"], hit["kinds"]) for hit in found["events"]] == [(event.id, ["github-token"])]


def test_nothing_is_found_where_nothing_is(vault: Vault) -> None:
    """Neither in the template nor in what is redacted already."""
    stored_before(vault, "use [REDACTED:github-token] for it")
    found = scan(open_workspace(embedder=lambda: None))

    assert (found["events"], found["pages"]) == ([], [])
    assert found["scanned"]["events"] == 1


def test_the_command_finds_and_forgets(vault: Vault) -> None:
    """Exit 4 with places; nothing is forgotten without --yes; then the words are gone everywhere and it exits 0."""
    stored_before(vault, f"use {TOKEN} for it")
    config = vault.root / ".wwt" / "config.toml"
    config.write_text(config.read_text("utf-8").replace('# embedder = "auto"', 'embedder = "none"'), "utf-8")

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "wwt_vault", "redact", *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT, input="")

    seen, asked, done, after = run("--scan"), run("--forget"), run("--forget", "--yes", "--json"), run()

    assert (seen.returncode, asked.returncode, done.returncode, after.returncode) == (4, 2, 0, 0), done.stderr
    assert "github-token" in seen.stdout
    assert len(json.loads(done.stdout)["forgotten"]) == 1
    assert "No secret found." in after.stdout
    assert TOKEN not in seen.stdout + asked.stdout + asked.stderr + done.stdout + after.stdout
    for path in vault.root.rglob("*"):
        assert not path.is_file() or TOKEN.encode() not in path.read_bytes(), path
