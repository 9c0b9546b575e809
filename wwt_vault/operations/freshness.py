"""The index and the ledger follow the vault: every answer first looks at what changed, and never waits long for it."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from wwt_vault.errors import IndexUnavailable, VaultError
from wwt_vault.model.conversation import DocumentId
from wwt_vault.model.knowledge import Document
from wwt_vault.operations.workspace import Workspace
from wwt_vault.vault import documents, projects
from wwt_vault.vault.files import read
from wwt_vault.vault.layout import AI_CONTEXT, GLOSSARY

if TYPE_CHECKING:
    from wwt_vault.index import RefreshReport

__all__ = ["ANSWER_SECONDS", "catch_up", "embed", "follow_glossary", "refresh", "refresh_ledger"]

ANSWER_SECONDS: Final = 2.0
"""Seconds an answer spends on what changed; what is left then is indexed in the background or by the next call."""
_PATIENCE: Final = 2.0
"""Seconds an answer waits for another thread or process that is indexing: it does what would have to be done anyway."""

Progress = Callable[[int, int], None]


def refresh(
    workspace: Workspace,
    *,
    seconds: float | None = ANSWER_SECONDS,
    progress: Progress | None = None,
    rebuild: bool = False,
    allow_shrink: bool = False,
    touched: Collection[str] | None = None,
) -> RefreshReport:
    """Index by words what changed since last time, newest first, for ``seconds`` at most (``None``: all of it).

    ``touched`` are places (absolute paths) but for which nothing has changed since: then only these are looked at.
    Vectors follow with ``embed``. While another process writes the index this one answers from what is there. Raises
    ``IndexUnavailable`` when it cannot be written, ``VaultMissing``.
    """
    deadline = None if seconds is None else time.monotonic() + seconds
    some = None if touched is None or rebuild or allow_shrink else documents.catalog_of(workspace.vault, touched)
    catalog, of = some or (documents.catalog(workspace.vault), None)
    names = projects.read_names(workspace.vault)

    def load(name: DocumentId) -> Document:
        document = documents.load_document(workspace.vault, name, names)
        workspace.ledger.note(document, catalog[name])
        return document

    report = None
    if of is not None:
        report = workspace.index.refresh_some(
            catalog, of, load, progress=progress, budget_seconds=seconds, wait_seconds=_PATIENCE
        )
        if report is None:
            catalog, of = documents.catalog(workspace.vault), None
    if report is None:
        report = workspace.index.refresh(
            catalog,
            load,
            progress=progress,
            rebuild=rebuild,
            allow_shrink=allow_shrink,
            budget_seconds=seconds,
            wait_seconds=_PATIENCE,
        )
    if not report.withheld:
        workspace.ledger.update(
            catalog, lambda name: documents.load_document(workspace.vault, name, names), deadline, of
        )
    return report


def catch_up(
    workspace: Workspace,
    seconds: float = ANSWER_SECONDS,
    *,
    progress: Progress | None = None,
    touched: Collection[str] | None = None,
) -> list[str]:
    """Refresh before an answer; return, for people, what the answer may miss all the same: nothing when it is fresh.

    ``touched`` as for ``refresh``. Raises ``IndexUnavailable`` when there is no index and none can be made: "no record
    found" would not be true.
    """
    follow_glossary(workspace)
    try:
        report = refresh(workspace, seconds=seconds, progress=progress, touched=touched)
    except IndexUnavailable as error:
        if workspace.index.status().generation is None:
            raise
        return [str(error)]
    found = []
    if report.busy:
        found.append("Another process is indexing; this answer is from before.")
    elif report.pending:
        found.append(f"{report.pending} changed files are not indexed yet; more are with every call.")
    if report.withheld:
        found.append(
            f"{report.withheld} files are gone from the vault at once and were kept in the index. If that is meant: "
            "`wwt index refresh --yes`."
        )
    if report.repaired:
        found.append(f"The index was built anew: {report.repaired}")
    return found


def follow_glossary(workspace: Workspace) -> None:
    """Let questions be understood by the vault's glossary as it stands now. One that cannot be read is none."""
    from wwt_vault.index.synonyms import glossary_groups  # noqa: PLC0415 - only an answer needs it

    data = None
    with suppress(VaultError):
        data = read(workspace.vault.root / AI_CONTEXT / GLOSSARY)
    workspace.index.use_glossary(glossary_groups((data or b"").decode("utf-8", "replace")))


def refresh_ledger(workspace: Workspace) -> None:
    """Bring only the ledger up to date: for verbs that do not search."""
    catalog = documents.catalog(workspace.vault)
    names = projects.read_names(workspace.vault)
    workspace.ledger.update(catalog, lambda name: documents.load_document(workspace.vault, name, names), None)


def embed(
    workspace: Workspace,
    seconds: float | None = None,
    *,
    progress: Progress | None = None,
    stop: Callable[[], bool] = lambda: False,
) -> int:
    """Give vectors to texts that have none, for ``seconds`` at most or until ``stop()``; return how many got one."""
    return workspace.index.embed_pending(seconds, progress, stop=stop)
