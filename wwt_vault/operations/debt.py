"""Evidence debt: what was said on a note's subject since the note was last changed, and that it does not cite.

Only words that wait to be curated count: what another note cites, or a mark covers, an agent has seen. What answers a
prompt that is older than the note is part of the talk in which the note was written.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC
from pathlib import Path
from typing import Any, Final

from wwt_vault.curate.similar import claims_of
from wwt_vault.errors import VaultError, WwtError
from wwt_vault.model.conversation import DocumentId, EventId
from wwt_vault.model.knowledge import Document, Filters, Passage
from wwt_vault.operations.pending import pending
from wwt_vault.operations.workspace import Workspace
from wwt_vault.vault import documents
from wwt_vault.vault.files import overwrite

__all__ = ["debt_of", "survey"]

Json = dict[str, Any]

_POOL: Final = 12
_MOST: Final = 20
"""Events named of one note: an agent reads on from there."""
_WORST: Final = 5
_COVERED: Final = 0.75
"""Share of the title's words, weighed by rarity, that a stretch of talk must hold to be on the subject."""
_NOT_FAR: Final = 0.15
"""Centred cosine that it must reach then, where that is known: the same words are used of other matters."""
_NEAR: Final = 0.45
"""The same from which it is on the subject whatever its words."""


def debt_of(workspace: Workspace, path: DocumentId) -> list[EventId]:
    """Return the newer events on a note's subject that it does not cite, oldest first; at most twenty.

    The index is taken as it is. A note that is superseded, and a page that is no note, owe nothing.
    """
    try:
        document = documents.load_document(workspace.vault, path)
    except (WwtError, OSError):
        return []
    return _debt(workspace, document)


def survey(workspace: Workspace, seconds: float, *, stop: Callable[[], bool] = lambda: False) -> Json:
    """Return ``{notes, events, checked, of, worst}``: how many notes owe how much, of those ``checked`` so far.

    What is found is kept in the state folder until the note or what waits changes; one call looks for ``seconds`` at
    most, changed last first, and the next one goes on. ``worst`` is ``[{path, events}]``, the most events first.
    """
    file = workspace.state.root / "debt.json"
    state = _state(workspace)
    known = _read(file, state)
    entries = workspace.ledger.snapshot()
    current = {
        path: entry for path, entry in entries.items() if entry.layer == "curated" and entry.status != "superseded"
    }
    deadline = time.monotonic() + seconds
    found = {path: known[path] for path, entry in current.items() if path in known and known[path][0] == entry.stamp}
    newest = sorted(current, key=lambda path: str(current[path].time or ""), reverse=True)
    for path in newest:
        if path in found:
            continue
        if stop() or time.monotonic() > deadline:
            break
        found[path] = (current[path].stamp, len(debt_of(workspace, path)))
    if found != known:
        data = json.dumps({"state": state, "notes": found}, ensure_ascii=False).encode("utf-8", "replace")
        with suppress(VaultError):  # it is only quicker with it
            overwrite(file, data, private=True, durable=False)
    owing = sorted(((count, path) for path, (_, count) in found.items() if count), key=lambda one: (-one[0], one[1]))
    return {
        "notes": len(owing),
        "events": sum(count for count, _ in owing),
        "checked": len(found),
        "of": len(current),
        "worst": [{"path": path, "events": count} for count, path in owing[:_WORST]],
    }


def _debt(workspace: Workspace, document: Document) -> list[EventId]:
    if document.layer != "curated" or document.status == "superseded" or document.time is None:
        return []
    second = f"{document.time.astimezone(UTC):%Y%m%dT%H%M%SZ}"
    cited = {event for section in document.sections for event in section.events}
    waiting = {
        event: session.path
        for session in pending(workspace).sessions
        for event in session.events
        if event[:16] > second
    }
    if not waiting.keys() - cited:
        return []
    found: dict[DocumentId, list[EventId]] = {}
    for passage in _on_subject(workspace, document):
        found.setdefault(passage.document, []).extend(passage.events)
    owed = [
        event
        for name, events in found.items()
        for event in _asked_since(workspace, name, second)
        if event in events and event in waiting and event not in cited
    ]
    return sorted(dict.fromkeys(owed))[:_MOST]


def _on_subject(workspace: Workspace, document: Document) -> list[Passage]:
    """Return stretches of talk since the note was changed that are about what it is about."""
    index, limit_to = workspace.index, Filters(layer="session", since=document.time)
    claims = [claim for section in document.sections for claim in claims_of(section.text)]
    subject = "\n".join([document.title, *claims[:1]])[:400]
    weights = dict(index.query_terms(document.title))
    total = sum(weights.values())
    near = {hit.passage.id: hit for hit in index.meaning(subject, limit_to, _POOL) or ()}
    found = [hit.passage for hit in near.values() if hit.cosine >= _NEAR]
    hits = index.keyword(document.title, limit_to, _POOL)
    far = index.cosines(subject, [hit.passage.id for hit in hits]) or {}
    for hit in hits:
        covered = sum(weights.get(term, 0.0) for term in hit.terms) / total if total else 0.0
        if covered >= _COVERED and far.get(hit.passage.id, _NOT_FAR) >= _NOT_FAR:
            found.append(hit.passage)
    return list({passage.id: passage for passage in found}.values())


def _asked_since(workspace: Workspace, path: DocumentId, second: str) -> list[EventId]:
    """Return a session's events from the first prompt on that is younger than ``second``."""
    try:
        turns = documents.load_document(workspace.vault, path).turns
    except (WwtError, OSError):
        return []
    first = next((at for at, turn in enumerate(turns) if turn.role == "user" and turn.event[:16] > second), len(turns))
    return [turn.event for turn in turns[first:]]


def _state(workspace: Workspace) -> str:
    """Return what changes whenever what waits does."""
    sessions = pending(workspace).sessions
    newest = max((session.events[-1] for session in sessions), default="")
    return f"{newest} {sum(len(session.events) for session in sessions)}"


def _read(file: Path, state: str) -> dict[DocumentId, tuple[str, int]]:
    try:
        table: Any = json.loads(file.read_bytes())
        if table["state"] != state:
            return {}
        return {DocumentId(path): (str(stamp), int(count)) for path, (stamp, count) in table["notes"].items()}
    except (OSError, ValueError, KeyError, TypeError):
        return {}
