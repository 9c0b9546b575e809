"""The verbs that look after things: index, queue, state of it all."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from wwt_vault.ingest import hooklog, live, queue
from wwt_vault.operations.debt import survey
from wwt_vault.operations.freshness import refresh
from wwt_vault.operations.pending import leave_counts, pending
from wwt_vault.operations.syncing import last_sync
from wwt_vault.operations.workspace import Workspace
from wwt_vault.vault import copies

if TYPE_CHECKING:
    from wwt_vault.index import RefreshReport

__all__ = ["index_status", "queue_list", "queue_retry", "status"]

Json = dict[str, Any]

_SURVEY_SECONDS: Final = 0.5
"""A status looks for so long at what notes owe; the server's thread, and the next status, go on."""


def index_status(workspace: Workspace, report: RefreshReport | None = None) -> Json:
    """Return what the index holds, after a refresh whose ``report`` may be given; else one is done, of bounded time.

    Returns ``{documents, passages, embedded, added, updated, removed, generation, model, fresh, problems}``.
    """
    report = report or refresh(workspace)
    found = workspace.index.status()
    problems = [f"{problem.path}:{problem.line}: {problem.message}" for problem in report.problems]
    return {
        "documents": found.documents,
        "passages": found.passages,
        "embedded": found.embedded,
        "added": report.added,
        "updated": report.updated,
        "removed": report.removed,
        "generation": found.generation,
        "model": found.model,
        "fresh": report.fresh,
        "problems": [*([found.problem] if found.problem else []), *problems],
    }


def queue_list() -> Json:
    """Return ``{items}``: captures that could not be recorded yet, oldest first, those set apart last.

    ``vault`` of an item is what ``WWT_VAULT`` named when it came, ``None`` where the settings name the vault.
    """
    items = [
        {
            "file": str(item.path),
            "vault": item.vault or None,
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
    """Try every capture that waits for this vault now. Returns ``{done, waiting, failed, elsewhere}``."""
    return live.retry(workspace.vault, workspace.state, now)._asdict()


def status(workspace: Workspace, *, now: datetime) -> Json:
    """Return where the vault lies, what it holds, how fresh the index is, what waits, and what is wrong."""
    index = index_status(workspace)
    found = pending(workspace)
    leave_counts(workspace, found, now)
    waiting = found.waiting(None)
    items = queue.list_items()
    failed = [item for item in items if item.quarantined]
    lost = hooklog.recent(now).sentence()
    problems = [*index["problems"], *sorted({f"A capture failed: {item.reason}" for item in items if item.reason})[:5]]
    problems += [lost] if lost else []
    synced = last_sync(workspace.vault)
    if synced and synced.get("failed"):
        problems.append(f"The last sync failed: {synced['failed']['message']}")
    conflicts = [copy._asdict() for copy in copies.find_copies(workspace.vault.root)]
    return {
        "vault": str(workspace.vault.root),
        "vault_id": workspace.vault.id,
        "events": found.events,
        "sessions": found.session_notes,
        "notes": found.notes,
        "index": index,
        "queue": {"waiting": len(items) - len(failed), "failed": len(failed)},
        "uncurated": {"sessions": waiting.sessions, "messages": waiting.messages},
        "debt": survey(workspace, _SURVEY_SECONDS),
        "sync": synced,
        "conflicts": conflicts,
        "problems": problems,
    }
