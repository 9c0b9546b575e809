"""The properties of all notes, kept between calls and processes: a walk along relations reads no note twice.

Derived from the vault and machine-local: a file in the state folder. The catalog's stamps tell what changed since.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from wwt_vault.errors import VaultError
from wwt_vault.model.conversation import DocumentId
from wwt_vault.vault import Vault, related
from wwt_vault.vault.files import overwrite
from wwt_vault.vault.lookup import NoteHead
from wwt_vault.vault.related import Graph

__all__ = ["Heads"]

_SCHEMA: Final = 1
_WORTH_SAVING: Final = 64
"""Notes that changed since the file was written: fewer are read again sooner than the file is written."""


class Heads:
    """The properties of the notes of one vault, in memory and in ``path``, and the graph of who names whom."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._heads: dict[DocumentId, tuple[str, NoteHead]] | None = None
        self._unsaved = 0
        self._graph: tuple[list[DocumentId], Graph] | None = None
        self._lock = threading.Lock()  # a server's calls run in several threads

    def graph(self, vault: Vault, catalog: Mapping[DocumentId, str]) -> Graph:
        """Return the graph of the notes in ``catalog``, having read those that changed."""
        with self._lock:
            before = self._loaded() if self._heads is None else self._heads
            heads = dict(related.read_heads(vault, catalog, before))
            fresh = sum(before.get(path) is not head for path, head in heads.items())
            paths = list(catalog)
            if self._graph is None or fresh or self._graph[0] != paths:
                self._graph = paths, related.graph_of((head for _, head in heads.values()), catalog)
            self._heads = heads
            self._unsaved += fresh
            if self._unsaved >= _WORTH_SAVING:
                with suppress(VaultError):  # it is only quicker with it
                    self._save()
            return self._graph[1]

    def drop(self) -> None:
        """Keep nothing: words of it have to be forgotten."""
        with self._lock:
            self._heads, self._graph, self._unsaved = {}, None, 0
            self._path.unlink(missing_ok=True)

    def _save(self) -> None:
        rows = [[stamp, *head] for stamp, head in (self._heads or {}).values()]
        data = json.dumps({"schema": _SCHEMA, "fields": NoteHead._fields, "notes": rows}, ensure_ascii=False)
        overwrite(self._path, data.encode("utf-8", "replace"), private=True, durable=False)
        self._unsaved = 0

    def _loaded(self) -> dict[DocumentId, tuple[str, NoteHead]]:
        try:
            data: Any = json.loads(self._path.read_bytes())
            if data["schema"] != _SCHEMA or data["fields"] != list(NoteHead._fields):
                return {}
            return {row[1]: (row[0], _head(row[1:])) for row in data["notes"]}
        except (OSError, ValueError, KeyError, TypeError):
            return {}  # missing or damaged: it is made again from the vault


def _head(row: list[Any]) -> NoteHead:
    head = NoteHead(*row)
    return head._replace(
        aliases=tuple(head.aliases),
        tags=tuple(head.tags),
        superseded_by=tuple(head.superseded_by),
        relations=tuple((kind, tuple(links)) for kind, links in head.relations),
    )
