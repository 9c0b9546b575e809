"""What the tests of sync share: machines with a clone each, a bare repository between them, agents and people."""

from __future__ import annotations

import os
import subprocess
from contextlib import nullcontext
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from wwt_vault import sync as syncing
from wwt_vault.config import Settings
from wwt_vault.model.conversation import EventId, Message, Session
from wwt_vault.sync import Machine, Synced
from wwt_vault.vault import Vault, creation, events, layout, open_vault, sessions

AT = datetime(2026, 11, 30, 1, 58, 1, tzinfo=UTC)
ENVIRON = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}


class Box(NamedTuple):
    """A machine and its vault."""

    machine: Machine
    vault: Vault

    def sync(self, at: datetime = AT, **more: object) -> Synced:
        """Sync as ``wwt sync`` does."""
        return syncing.sync(self.vault, self.machine, at, **more)  # type: ignore[arg-type]  # the caller's

    @property
    def root(self) -> Path:
        """Where the vault lies."""
        return self.vault.root

    def write(self, path: str, text: str) -> None:
        """Write a file as an editor does."""
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(text.encode())

    def read(self, path: str) -> str:
        """Return the text of a file."""
        return (self.root / path).read_bytes().decode()

    def git(self, *arguments: str) -> str:
        """Run git as a person does."""
        return git(self.root, *arguments)


def git(folder: Path, *arguments: str) -> str:
    """Run git in a folder; its words must be those of success."""
    who = ("-c", "user.name=Minji", "-c", "user.email=minji@example.org")
    done = subprocess.run(
        ["git", *who, *arguments], cwd=folder, env=ENVIRON, check=True, capture_output=True, text=True
    )
    return done.stdout


def machine(name: str, folder: Path, **more: object) -> Machine:
    """Return a machine that has no state but under ``folder``."""
    values = {"grace": 0.0, "environ": ENVIRON, **more}
    return Machine(name=name, locks=folder / f"{name}-locks", hold=lambda *_: nullcontext(), **values)  # type: ignore[arg-type]  # the caller's


def remote_in(folder: Path) -> Path:
    """Make a bare repository."""
    path = folder / "remote.git"
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", str(path)], check=True, env=ENVIRON)
    return path


def first(folder: Path, remote: Path | None, name: str = "laptop") -> Box:
    """Make a vault on a machine and sync it with ``remote``."""
    vault = creation.create_vault(folder / name, lang="en", timezone="Asia/Seoul")
    box = Box(machine(name, folder), vault)
    syncing.begin(vault, box.machine, str(remote) if remote else None)
    box.sync()
    return box


def join(folder: Path, remote: Path, name: str) -> Box:
    """Take the vault from ``remote`` into an empty folder of another machine."""
    root = folder / name
    root.mkdir()
    empty = Vault(root=root, id="new", settings=Settings())
    box = Box(machine(name, folder), empty)
    syncing.begin(empty, box.machine, str(remote), fresh=True)
    box.sync(fresh=True)
    return box._replace(vault=open_vault(root))


def say(box: Box, text: str, minute: int = 0, session: str = "42edc39d-0000-4000-8000-000000000000") -> EventId:
    """Store a message and its block, as the recorder does."""
    said = Session(host="claude-code", session_id=session, cwd="/code/shop")
    message = Message(session=said, role="user", text=text, time=AT + timedelta(minutes=minute))
    event = events.event_of(message, 1)
    events.write_event(box.vault, event)
    note = sessions.find_session_note(box.vault, said.host, said.session_id) or sessions.create_session_note(
        box.vault, said, "shop", box.machine.name, AT
    )
    sessions.append_event(box.vault, note, event)
    return event.id


def files_of(box: Box) -> dict[str, bytes]:
    """Return every file of a vault but git's."""
    return {
        path.relative_to(box.root).as_posix(): path.read_bytes()
        for path in box.root.rglob("*")
        if path.is_file() and ".git" not in path.relative_to(box.root).parts
    }


def session_note(box: Box) -> Path:
    """Return the one session note."""
    return next((box.root / layout.CONVERSATIONS).glob("*/*.md"))
