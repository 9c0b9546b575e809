"""The index and the ledger follow the vault: every answer first looks at what changed, and never waits long for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wwt_vault.model.conversation import DocumentId
from wwt_vault.model.knowledge import Document
from wwt_vault.operations.workspace import Workspace
from wwt_vault.vault import documents

__all__ = ["embed", "refresh", "refresh_ledger"]

Progress = Callable[[int, int], None]


def refresh(
    workspace: Workspace,
    *,
    progress: Progress | None = None,
    rebuild: bool = False,
    allow_shrink: bool = False,
) -> dict[str, Any]:  # JSON
    """Index what changed since last time, by words; vectors follow with ``embed``. Returns ``{added, updated,
    removed}``.

    While another process writes the index this one answers from what is there.
    """
    catalog = documents.catalog(workspace.vault)

    def load(name: DocumentId) -> Document:
        document = documents.load_document(workspace.vault, name)
        workspace.ledger.note(document, catalog[name])
        return document

    report = workspace.index.refresh(catalog, load, progress=progress, rebuild=rebuild, allow_shrink=allow_shrink)
    workspace.ledger.update(catalog, lambda name: documents.load_document(workspace.vault, name))
    return {"added": report.added, "updated": report.updated, "removed": report.removed}


def refresh_ledger(workspace: Workspace) -> None:
    """Bring only the ledger up to date: for verbs that do not search."""
    catalog = documents.catalog(workspace.vault)
    workspace.ledger.update(catalog, lambda name: documents.load_document(workspace.vault, name))


def embed(workspace: Workspace, seconds: float | None, *, progress: Progress | None = None) -> int:
    """Give vectors to passages that have none, for ``seconds`` at most; return how many got one."""
    return workspace.index.embed_pending(seconds, progress=progress)
