"""The verbs that look after things: index, queue, state of it all, and whether every claim still leads to its words."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from wwt_vault.errors import WwtError
from wwt_vault.ingest import live, queue
from wwt_vault.operations.freshness import refresh
from wwt_vault.operations.pending import leave_counts, pending
from wwt_vault.operations.workspace import Workspace
from wwt_vault.vault import check, documents

__all__ = ["index_status", "queue_list", "queue_retry", "status", "verify"]

Json = dict[str, Any]


def index_status(workspace: Workspace) -> Json:
    """Return ``{documents, passages, embedded, generation, model, fresh}``; ``fresh`` compares with the vault now."""
    found = workspace.index.status(documents.catalog(workspace.vault))
    return {
        "documents": found.documents,
        "passages": found.passages,
        "embedded": found.embedded,
        "generation": found.generation,
        "model": found.model,
        "fresh": found.fresh,
    }


def verify(workspace: Workspace, only: Sequence[str] = ()) -> Json:
    """Recompute hashes and follow citations. Returns ``{events, notes, citations, problems}``."""
    report = check.check_vault(workspace.vault, list(only) or None)
    return {
        "events": report.events,
        "notes": report.notes,
        "citations": report.citations,
        "problems": [problem._asdict() for problem in report.problems],
    }


def queue_list() -> Json:
    """Return ``{items}``: captures that could not be recorded yet, oldest first, those set apart last."""
    items = [
        {
            "file": str(item.path),
            "host": item.call.session.host if item.call else None,
            "session_id": item.call.session.session_id if item.call else None,
            "time": item.first_time.isoformat(timespec="seconds") if item.first_time else None,
            "attempts": item.attempts,
            "next_try": item.next_try.isoformat(timespec="seconds") if item.next_try else None,
            "quarantined": item.quarantined,
            "reason": item.reason,
        }
        for item in queue.list_items()
    ]
    return {"items": items}


def queue_retry(workspace: Workspace, *, now: datetime) -> Json:
    """Try every waiting capture now. Returns ``{done, waiting, failed}``."""
    report = live.retry(workspace.vault, workspace.state, now)
    return {"done": report.done, "waiting": report.waiting, "failed": report.failed}


def status(workspace: Workspace, *, now: datetime) -> Json:
    """Return where the vault lies, what it holds, how fresh the index is, what waits, and what is wrong."""
    problems: list[str] = []
    try:
        refresh(workspace)
    except (WwtError, OSError) as error:
        problems.append(f"The index could not be brought up to date: {error}")
    found = pending(workspace)
    leave_counts(workspace, found, now)
    waiting = found.waiting(None)
    items = queue.list_items()
    failed = [item for item in items if item.quarantined]
    problems += sorted({f"A capture failed: {item.reason}" for item in items if item.reason})[:5]
    return {
        "vault": str(workspace.vault.root),
        "vault_id": workspace.vault.id,
        "events": found.events,
        "sessions": found.session_notes,
        "notes": found.notes,
        "index": index_status(workspace),
        "queue": {"waiting": len(items) - len(failed), "failed": len(failed)},
        "uncurated": {"sessions": waiting.sessions, "messages": waiting.messages},
        "problems": problems,
    }
