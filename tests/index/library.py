"""Documents as the vault would hand them over, made and changed by tests."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from itertools import count
from typing import Any

from wwt_vault.model.conversation import DocumentId, EventId, Revision, Turn
from wwt_vault.model.knowledge import Document, Section

__all__ = ["START", "Library", "note", "session"]

START = datetime(2026, 11, 30, 1, 58, tzinfo=UTC)
_OLD = 1_700_000_000_123_456_789


def note(name: str, *texts: str, **values: Any) -> Document:
    """Return a curated note; each text is a section, headed where it begins with ``# ``."""
    sections = []
    for at, text in enumerate(texts):
        heading, _, body = text[2:].partition("\n") if text.startswith("# ") else ("", "", text)
        sections.append(Section(heading=heading, line=10 + 20 * at, text=body))
    revision = sha256(repr((texts, sorted(values.items()))).encode()).hexdigest()
    return Document(
        **{
            "id": DocumentId(name),
            "revision": Revision(revision),
            "layer": "curated",
            "title": name.removesuffix(".md"),
            "time": START,
            "sections": tuple(sections),
            **values,
        }
    )


def session(name: str, texts: Iterable[str], **values: Any) -> Document:
    """Return a session note: user and assistant in turn, a minute apart."""
    texts = tuple(texts)
    turns = tuple(
        Turn(
            event=EventId(f"20261130T{at:06d}Z-{sha256(name.encode()).hexdigest()[:12]}"),
            role="assistant" if at % 2 else "user",
            time=START + timedelta(minutes=at),
            line=12 + 4 * at,
            text=text,
        )
        for at, text in enumerate(texts)
    )
    revision = sha256(repr((texts, sorted(values.items()))).encode()).hexdigest()
    return Document(
        **{
            "id": DocumentId(name),
            "revision": Revision(revision),
            "layer": "session",
            "title": name.removesuffix(".md"),
            "time": START,
            "turns": turns,
            "type": "session",
            "host": "claude-code",
            **values,
        }
    )


class Library:
    """A vault in memory: stamps change when a document does, and every load is counted."""

    def __init__(self, *documents: Document) -> None:
        self.documents: dict[DocumentId, Document] = {}
        self.stamps: dict[DocumentId, str] = {}
        self.loaded: list[str] = []
        self._clock = count(_OLD, 1000)
        self.put(*documents)

    def put(self, *documents: Document) -> None:
        """Add or replace documents."""
        for document in documents:
            self.documents[document.id] = document
            self.touch(document.id)

    def touch(self, name: str, at: int | None = None) -> None:
        """Give a document a new stamp without changing it."""
        tick = next(self._clock) if at is None else at
        self.stamps[DocumentId(name)] = f"1 {tick} {tick} 7"

    def remove(self, *names: str) -> None:
        """Delete documents."""
        for name in names:
            del self.documents[DocumentId(name)], self.stamps[DocumentId(name)]

    def load(self, name: DocumentId) -> Document:
        """Return a document as the vault would."""
        self.loaded.append(name)
        return self.documents[name]
