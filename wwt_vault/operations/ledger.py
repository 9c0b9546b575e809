"""Which events each document tells or cites, kept by document, so that "what is not curated yet?" costs no second
reading.

Derived from the vault and machine-local: a file in the state folder, brought up to date with every refresh of the index
(which loads the same documents), read again only for documents that changed.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from datetime import datetime
from math import inf
from pathlib import Path
from typing import Any, Final, NamedTuple

from wwt_vault.errors import VaultError, WwtError
from wwt_vault.model.conversation import DocumentId, EventId, format_time, parse_time
from wwt_vault.model.knowledge import Document
from wwt_vault.vault.files import overwrite

__all__ = ["Entry", "Ledger"]

_SCHEMA: Final = 2
_SAVED_SECONDS: Final = 10.0
"""Between two saves of one process. What a killed one had not saved is read again by the next."""


class Entry(NamedTuple):
    """What one document says about events."""

    stamp: str
    """Of the catalog: tells whether the document changed."""
    layer: str
    events: tuple[EventId, ...]
    """For a session: those said in it, in its order. For a note: those it cites."""
    host: str = ""
    session_id: str = ""
    project: str | None = None
    status: str | None = None
    pinned: bool = False
    time: datetime | None = None


class Ledger:
    """The entries of one vault, in memory and in ``path``."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._entries: dict[DocumentId, Entry] = {}
        self._written: dict[DocumentId, tuple[Entry, str]] = {}
        """Entries as they stand in the file."""
        self.version = 0
        """Grows with every change: what was worked out from the entries holds as long as it stays."""
        self.pending: tuple[tuple[int, int], Any] | None = None
        """Kept for ``pending``: what it worked out last, and from which state."""
        self._saved, self._saved_at = 0, -inf
        self._lock = threading.RLock()  # a server's thread and its calls share one ledger
        self._load()

    def note(self, document: Document, stamp: str) -> None:
        """Take over what a document that was just loaded says."""
        events: Iterable[EventId]
        if document.layer == "session":
            events = (turn.event for turn in document.turns)
        else:
            events = (event for section in document.sections for event in section.events)
        entry = Entry(
            stamp=stamp,
            layer=document.layer,
            events=tuple(dict.fromkeys(events)),
            host=document.host or "",
            session_id=document.session_id or "",
            project=document.project,
            status=document.status,
            pinned=document.pinned,
            time=document.time,
        )
        with self._lock:
            if self._entries.get(document.id) != entry:
                self._entries[document.id] = entry
                self.version += 1

    def update(
        self,
        catalog: Mapping[DocumentId, str],
        load: Callable[[DocumentId], Document],
        deadline: float | None,
        of: Collection[DocumentId] | None = None,
    ) -> None:
        """Bring the entries in line with ``catalog``: forget what is gone, load what is new or changed, save.

        ``of`` are the documents that the catalog speaks of; without, all. No document is loaded after ``deadline``
        (``time.monotonic``); the rest is left for the next time.
        """
        with self._lock:
            for gone in (self._entries.keys() if of is None else self._entries.keys() & of) - catalog.keys():
                del self._entries[gone]
                self.version += 1
            for name, stamp in catalog.items():
                entry = self._entries.get(name)
                if entry is None or entry.stamp != stamp:
                    if deadline is not None and time.monotonic() > deadline:
                        break
                    try:
                        self.note(load(name), stamp)
                    except (WwtError, OSError):
                        continue  # gone meanwhile, or unreadable: the next catalog knows more
            if self.version != self._saved and time.monotonic() - self._saved_at >= _SAVED_SECONDS:
                with suppress(VaultError):  # it is only quicker with it
                    self._save()

    def snapshot(self) -> dict[DocumentId, Entry]:
        """Return the entries, in a copy that no other thread changes."""
        with self._lock:
            return dict(self._entries)

    def _save(self) -> None:
        before = self._written
        self._written = {
            name: row if (row := before.get(name)) and row[0] is entry else (entry, _as_json(name, entry))
            for name, entry in self._entries.items()
        }
        rows = ",\n".join(row for _, row in self._written.values())
        data = f'{{"schema": {_SCHEMA}, "documents": [\n{rows}\n]}}\n'
        overwrite(self._path, data.encode("utf-8", "replace"), private=True, durable=False)
        self._saved, self._saved_at = self.version, time.monotonic()

    def _load(self) -> None:
        try:
            data: Any = json.loads(self._path.read_bytes())
            if data["schema"] != _SCHEMA:
                return
            for name, stamp, layer, events, *facts, moment in data["documents"]:
                when = parse_time(moment) if moment else None
                self._entries[name] = Entry._make((stamp, layer, tuple(events), *facts, when))
        except (OSError, ValueError, KeyError, TypeError):
            self._entries.clear()  # missing or damaged: it is made again from the vault


def _as_json(name: DocumentId, entry: Entry) -> str:
    return json.dumps([name, *entry[:-1], format_time(entry.time) if entry.time else None], ensure_ascii=False)
