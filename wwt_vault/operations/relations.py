"""The verb that walks along the relations between notes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from wwt_vault.operations.workspace import Workspace
from wwt_vault.vault import documents, lookup, notes
from wwt_vault.vault import related as walking

__all__ = ["related"]

Json = dict[str, Any]


def related(workspace: Workspace, note: str, *, depth: int = 1, kinds: Sequence[str] = ()) -> Json:
    """Return the notes up to ``depth`` links away, the nearest first, each with the relation that leads to it.

    ``kinds`` are the relations that are followed, all of them if none is named; links are followed both ways. Returns
    ``{path, id, revision, related: [{path, id, title, type, status, kind, direction, depth, via}]}``. Raises
    ``BadArgument`` for a depth outside 1..3 and for an unknown relation, ``NotFound``, ``Ambiguous``, ``PathEscapes``.
    """
    vault = workspace.vault
    catalog = documents.catalog(vault)
    there = notes.read_note(vault, lookup.find_note(vault, note))
    graph = workspace.heads.graph(vault, catalog)
    found = walking.related(graph, there.path, depth, list(kinds) or None)
    return {
        "path": there.path,
        "id": there.id,
        "revision": there.revision,
        "related": [step._asdict() for step in found],
    }
