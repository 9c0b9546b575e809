"""What the index, search and context hand to one another, on top of what was said.

Frozen, no behaviour. Times are aware datetimes in UTC. Empty is ``()``, absent is ``None``. Paths inside the vault are
POSIX, relative to its root and in NFC.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from wwt_vault.model.conversation import DocumentId, EventId, Layer, Problem, Revision, Turn

__all__ = [
    "ContextItem",
    "ContextPack",
    "Document",
    "Filters",
    "Hit",
    "Note",
    "Passage",
    "SavedNote",
    "Section",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """A curated note as it lies on disk."""

    path: DocumentId
    id: str | None
    """The note's own id from its frontmatter; ``None`` for a page of the person's that has none."""
    revision: Revision
    text: str
    """The whole file, decoded; frontmatter included."""
    title: str
    evidence: tuple[EventId, ...]
    """Every event it cites, in order of first citation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedNote(Note):
    """A note as a save left it, and what the save did besides what was proposed."""

    kept: tuple[str, ...] = ()
    """Lines that a person wrote and the proposal did not have: they are in the note."""
    left_out: tuple[str, ...] = ()
    """Lines that the proposal had and a person had taken out: they are not."""
    also_changed: tuple[DocumentId, ...] = ()
    """Other notes: superseded by this one, contradicted by it, or no longer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A heading and the text under it, up to the next heading."""

    heading: str
    """The path of headings, joined by `` > ``; empty before the first heading."""
    line: int
    """Line of the first line of ``text`` in the file, counted from 1."""
    text: str
    events: tuple[EventId, ...] = ()
    """Events cited in the text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """One Markdown file as the index sees it: sections for notes and pages, turns for session notes."""

    id: DocumentId
    revision: Revision
    """Of the file; for a session with a gist or questions of both, since a change of either is one of the document."""
    layer: Layer
    title: str
    time: datetime | None
    """When it last meant something: ``updated``, else ``created`` or the session's start, else the file's date."""
    sections: tuple[Section, ...] = ()
    turns: tuple[Turn, ...] = ()
    aliases: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    """How a person may later ask for this note or session; searched like the title."""
    gist: str | None = None
    """A session in one line, by the agent that curated it."""
    note_id: str | None = None
    type: str | None = None
    status: str | None = None
    pinned: bool = False
    """A person wants it at the head of its project's context."""
    project: str | None = None
    host: str | None = None
    session_id: str | None = None
    git_branch: str | None = None
    cwd: str | None = None
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """The unit that is searched: a stretch of one document, small enough for the embedding model."""

    id: str
    """16 hex: stable while document, place and text stay, so an unchanged passage is never embedded again."""
    document: DocumentId
    heading: str
    block: str | None
    """Obsidian block id to link to, where there is one."""
    line: int
    text: str
    """What the passage says; the words a hit shows."""
    title: str
    """Title context: searched and embedded with the text, not shown as part of it."""
    events: tuple[EventId, ...]
    """For a session: the events said here, in order. For a note: the events cited here."""
    time: datetime | None
    layer: Layer
    unanswered: bool = False
    """A session's last prompt while it has no answer: perhaps the very question that is being asked."""
    tags: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    type: str | None = None
    status: str | None = None
    project: str | None = None
    host: str | None = None
    git_branch: str | None = None
    cwd: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """What a search is limited to. ``None`` means no limit; the time range is half open: since ≤ time < until."""

    project: str | None = None
    host: str | None = None
    git_branch: str | None = None
    cwd: str | None = None
    """A folder: sessions that ran in it or below."""
    since: datetime | None = None
    until: datetime | None = None
    layer: Layer | None = None
    type: str | None = None
    tag: str | None = None
    status: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One passage that answers a query."""

    passage: Passage
    score: float
    """0..1, comparable within one result only."""
    keyword_score: float
    """BM25F, unbounded."""
    meaning_score: float | None
    """Cosine, -1..1; ``None`` when the passage has no vector yet or no model is there."""
    why: str
    """For people: which words matched, and how near the meaning is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextItem:
    """One piece of a context: what it says and where that can be read."""

    kind: Literal["pinned", "note", "related", "newer_evidence", "conversation", "recent", "uncurated"]
    path: str
    text: str
    revision: Revision | None = None
    time: datetime | None = None
    events: tuple[EventId, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextPack:
    """The answer to ``get_context``: never over budget, the same for the same vault and question."""

    query: str
    found: bool
    budget_tokens: int
    used_tokens: int
    items: tuple[ContextItem, ...]
    text: str
    """The items rendered for an agent, fenced as data."""
