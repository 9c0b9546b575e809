"""The six writes whose faults are tried, and the hook that makes of them: what each does, and what must hold after it.

``act`` is run in a process that is killed, or in which a system call fails. ``holds`` is asked at once: nothing that
was there before may be gone, nothing half made may be seen. Then the same is tried again without a fault, and ``ends``
is asked: what was to be written is there, once.
"""

from __future__ import annotations

import os
import shutil
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tests.ingest.conversation import Conversation, shown, stored
from wwt_vault.config import Settings
from wwt_vault.errors import IndexUnavailable
from wwt_vault.index import Index
from wwt_vault.ingest import live, queue
from wwt_vault.ingest.cursors import Cursor, keep_cursor, load_cursor
from wwt_vault.model.conversation import Checkpoint, Event, Message, Session
from wwt_vault.state import state_for
from wwt_vault.vault import Vault, documents, events, notes, sessions
from wwt_vault.vault.check import check_vault
from wwt_vault.vault.creation import create_vault

__all__ = ["OPERATIONS", "Operation"]

AT = datetime(2026, 11, 30, 1, 58, 1, tzinfo=UTC)
SESSION = Session(host="claude-code", session_id="42edc39d-0000-4000-8000-000000000000", cwd="/code/shop")


class Operation(ABC):
    """One write, in a folder of its own that holds a small vault and a home folder."""

    vault: Vault

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        os.environ["HOME"] = str(folder / "home")
        for name in ("XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"):
            os.environ.pop(name, None)
        os.environ["WWT_VAULT"] = str(folder / "vault")
        (folder / "home").mkdir()
        self.vault = create_vault(folder / "vault", timezone="Asia/Seoul")
        for path in self.vault.root.iterdir():
            if path.name != ".wwt":  # the template is not what is tried here
                shutil.rmtree(path) if path.is_dir() else path.unlink()
        self.prepare()

    def prepare(self) -> None:  # noqa: B027 - there may be nothing to make
        """Make what is there before."""

    @abstractmethod
    def act(self) -> None:
        """Do it."""

    @abstractmethod
    def holds(self, *, done: bool) -> Iterator[str]:
        """Yield what is wrong after a fault; ``done``: the process had reported success."""

    @abstractmethod
    def ends(self) -> Iterator[str]:
        """Try again, then yield what is wrong."""


def said(number: int) -> Event:
    """Return the event of a message."""
    message = Message(session=SESSION, role="user", text=f"말 {number} " * 40, time=AT + timedelta(minutes=number))
    return events.event_of(message, 1)


class EventWrite(Operation):
    """An event: one file that is whole or absent."""

    def prepare(self) -> None:
        events.write_event(self.vault, said(1))

    def act(self) -> None:
        events.write_event(self.vault, said(2))

    def holds(self, *, done: bool) -> Iterator[str]:
        found = list(events.iter_events(self.vault))
        if [event for event in found if not isinstance(event, Event)]:
            yield "an event that is not whole"
        if said(1) not in found:
            yield "lost: the event that was there"
        if done and said(2) not in found:
            yield "lost: an event that was reported as written"

    def ends(self) -> Iterator[str]:
        self.act()
        if list(events.iter_events(self.vault)) != [said(1), said(2)]:
            yield "not both events once"


class Append(Operation):
    """A block of a session note."""

    def prepare(self) -> None:
        for number in (1, 2):
            events.write_event(self.vault, said(number))
        self.note = sessions.create_session_note(self.vault, SESSION, "shop", "box", AT)
        sessions.append_event(self.vault, self.note, said(1))
        self.before = self.note.read_bytes()

    def act(self) -> None:
        sessions.append_event(self.vault, self.note, said(2))

    def holds(self, *, done: bool) -> Iterator[str]:
        if not self.note.read_bytes().startswith(self.before):
            yield "lost: what stood in the note"
        if done and said(2).id not in sessions.known_events(self.note):
            yield "lost: a block that was reported as written"

    def ends(self) -> Iterator[str]:
        self.act()
        turns = sessions.read_turns(self.note.read_text("utf-8"))
        if [turn.event for turn in turns] != [said(1).id, said(2).id] or check_vault(self.vault).problems:
            yield "not both blocks once"


class Save(Operation):
    """A curated note, changed by an agent that had read its revision."""

    def prepare(self) -> None:
        for number in (1, 2):
            events.write_event(self.vault, said(number))
        note = sessions.create_session_note(self.vault, SESSION, "shop", "box", AT)
        sessions.append_events(self.vault, note, [said(1), said(2)])
        self.first = self._save(1, None)
        self.path = self.vault.root / self.first.path
        self.before = self.path.read_bytes()

    def _save(self, number: int, revision: str | None) -> notes.SavedNote:
        return notes.save_note(
            self.vault,
            note="Storage",
            body=f"## Facts\n- fact {number} [^{said(number).id}]",
            revision=revision,
            written_by="claude-code",
            at=AT,
            type="topic",
            locks=self.folder / "locks",
        )

    def act(self) -> None:
        self._save(2, self.first.revision)

    def holds(self, *, done: bool) -> Iterator[str]:
        text = self.path.read_bytes() if self.path.exists() else b""
        if text != self.before and b"- fact 2" not in text:
            yield "lost: the note is neither what it was nor what it was to be"
        if done and b"- fact 2" not in text:
            yield "lost: a save that was reported as done"

    def ends(self) -> Iterator[str]:
        now = notes.read_note(self.vault, "Storage")
        if "- fact 2" not in now.text:
            self._save(2, now.revision)
        kept = [path.read_bytes() for path in (self.vault.root / ".wwt" / "revisions").rglob("*.md")]
        if self.before not in kept:
            yield "lost: the revision that was replaced"
        if check_vault(self.vault).problems:
            yield f"problems: {check_vault(self.vault).problems}"


class QueueWrite(Operation):
    """A hook's call, before anything else is tried with it."""

    def prepare(self) -> None:
        self.talk = Conversation(self.folder)
        self.call = self.talk.call("UserPromptSubmit", prompt="hello", prompt_id=self.talk.ask("hello"))

    def act(self) -> None:
        queue.add(self.call)

    def holds(self, *, done: bool) -> Iterator[str]:
        items = queue.list_items()
        if [item for item in items if item.call != self.call]:
            yield "an item that is not whole"
        if done and not items:
            yield "lost: a call that was reported as queued"

    def ends(self) -> Iterator[str]:
        self.act()
        live.retry(self.vault, state_for(self.vault), AT + timedelta(days=1))
        if stored(self.vault) != [("user", "hello")] or queue.list_items():
            yield "the call did not become one event"


class CursorWrite(Operation):
    """How far a transcript was read."""

    def prepare(self) -> None:
        self.transcript = self.folder / "transcript.jsonl"
        self.transcript.write_bytes(b'{"type": "user"}\n' * 100)
        self.state = state_for(self.vault)
        self._keep(17)

    def _keep(self, offset: int) -> None:
        cursor = Cursor(Checkpoint(offset=offset, line=offset // 17, state={}), {}, 1, ("claude-code x",))
        keep_cursor(self.state, self.transcript, cursor, finished=None, messages=1)

    def act(self) -> None:
        self._keep(34)

    def _offset(self) -> int | None:
        cursor = load_cursor(self.state, self.transcript)
        return cursor.checkpoint.offset if cursor.checkpoint else None

    def holds(self, *, done: bool) -> Iterator[str]:
        if self._offset() not in ((34,) if done else (17, 34)):
            yield f"the cursor is at {self._offset()}"

    def ends(self) -> Iterator[str]:
        self.act()
        if self._offset() != 34:
            yield "the cursor did not move"


class IndexPublish(Operation):
    """The next generation of the index."""

    def prepare(self) -> None:
        for number in range(4):
            (self.vault.root / f"Page {number}.md").write_text(f"# Page {number}\n\nold words here\n", "utf-8")
        self._refresh()
        (self.vault.root / "Page 1.md").write_text("# Page 1\n\nfresh words there\n", "utf-8")

    def _index(self) -> Index:
        return Index(self.folder / "index", lambda: None, Settings())

    def _refresh(self) -> None:
        catalog = documents.catalog(self.vault)
        report = self._index().refresh(catalog, lambda name: documents.load_document(self.vault, name))
        if report.pending:  # it says itself that it is not up to date
            raise IndexUnavailable(f"{report.problems}")

    def act(self) -> None:
        self._refresh()

    def holds(self, *, done: bool) -> Iterator[str]:
        index = self._index()
        if not index.keyword("words"):
            yield "search finds nothing while the generation before is there"
        if done and not index.keyword("fresh"):
            yield "lost: a generation that was reported as published"

    def ends(self) -> Iterator[str]:
        self._refresh()
        index = self._index()
        if len(index.keyword("fresh")) != 1 or len(index.keyword("old")) != 3 or index.status().problem:
            yield "the index does not know the vault"


class Hook(Operation):
    """A whole call of a hook; the session goes on after it, as sessions do."""

    kind = "prompt"

    def prepare(self) -> None:
        self.talk = Conversation(self.folder)
        self.prompt_id = self.talk.ask("first")
        self.call = self.talk.call("UserPromptSubmit", prompt="first", prompt_id=self.prompt_id)
        if self.kind == "answer":
            live.handle_call(self.call, self.talk.now)
            self.talk.answer("and so it is")
            self.talk.flush()
            self.call = self.talk.call("Stop", last_assistant_message="and so it is", prompt_id=self.prompt_id)

    def act(self) -> None:
        live.handle_call(self.call, self.talk.now)

    def holds(self, *, done: bool) -> Iterator[str]:
        found = list(events.iter_events(self.vault))
        if [event for event in found if not isinstance(event, Event)]:
            yield "an event that is not whole"
        waits = [item for item in queue.list_items() if item.call == self.call]
        if done and not waits and self.talk.said[-1] not in stored(self.vault):
            yield "lost: a message that was reported as recorded"

    def ends(self) -> Iterator[str]:
        if self.kind == "prompt":
            self.talk.answer("and so it is")
        second = self.talk.ask("second")
        self.talk.flush()
        self.talk.hook("UserPromptSubmit", prompt="second", prompt_id=second)
        live.retry(self.vault, state_for(self.vault), self.talk.now + timedelta(days=1))
        if Counter(stored(self.vault)) != Counter(self.talk.said):
            yield f"lost or doubled: {stored(self.vault)}"
        elif Counter(shown(self.vault, self.talk.session_id)) != Counter(self.talk.said):
            yield f"lost or doubled in the session note: {shown(self.vault, self.talk.session_id)}"
        if check_vault(self.vault).problems or queue.list_items():
            yield f"problems: {check_vault(self.vault).problems} {queue.list_items()}"


class HookAnswer(Hook):
    """The same at a turn's end, with a transcript to read."""

    kind = "answer"


OPERATIONS: dict[str, type[Operation]] = {
    "event write": EventWrite,
    "session-note append": Append,
    "note save": Save,
    "queue write": QueueWrite,
    "cursor write": CursorWrite,
    "index publish": IndexPublish,
    "hook of a prompt": Hook,
    "hook of an answer": HookAnswer,
}
