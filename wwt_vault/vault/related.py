"""Walks along the relations between notes, in both directions.

The walk is a pure function over the notes' properties. Reading these is what costs, so a caller that stays keeps them
between calls (``read_heads``): only notes whose stamp in the catalog has changed are read again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

from wwt_vault import markdown
from wwt_vault.errors import BadArgument, NotFound
from wwt_vault.vault import layout, lookup

if TYPE_CHECKING:
    from wwt_vault.model.conversation import DocumentId
    from wwt_vault.vault import Vault
    from wwt_vault.vault.lookup import NoteHead

__all__ = ["MAX_DEPTH", "Graph", "Related", "graph_of", "read_heads", "related"]

MAX_DEPTH = 3

Heads = Mapping["DocumentId", tuple[str, "NoteHead"]]
"""By path: the stamp under which a note's properties were read, and these."""


class Related(NamedTuple):
    """A note that a walk came to."""

    path: DocumentId
    id: str | None
    title: str
    type: str | None
    status: str | None
    kind: str
    """Of the relation by which it was reached first."""
    direction: Literal["out", "in"]
    """``out``: the note before it names it; ``in``: it names the note before it."""
    depth: int
    """How many links away it is."""
    via: DocumentId
    """The note before it."""


class Graph(NamedTuple):
    """Who names whom."""

    heads: Mapping[DocumentId, NoteHead]
    names: Mapping[str, list[DocumentId]]
    """All notes by name, session notes included."""
    naming: Mapping[str, list[tuple[DocumentId, str, str]]]
    """By the name a link has: the note it stands in, the kind of relation, the link."""


def read_heads(vault: Vault, catalog: Mapping[DocumentId, str], before: Heads | None = None) -> Heads:
    """Return the properties of every note of the catalog but session notes; those that are known are not read again."""
    known = before or {}
    heads = {}
    for path, stamp in catalog.items():
        if path.startswith(f"{layout.CONVERSATIONS}/"):
            continue
        there = known.get(path)
        if there is None or there[0] != stamp:
            data = lookup.first_bytes(f"{vault.root}/{path}")
            if not data:  # a name that lies there in another Unicode form
                data = lookup.first_bytes(str(layout.inside(vault.root, path)))
            there = (stamp, lookup.read_head(path, data))
        heads[path] = there
    return heads


def graph_of(heads: Iterable[NoteHead], paths: Iterable[DocumentId]) -> Graph:
    """Return the graph of these notes. ``paths`` are those of all notes of the vault, which links may lead to."""
    names: dict[str, list[DocumentId]] = {}
    for path in paths:
        names.setdefault(_key(path.rpartition("/")[2][:-3]), []).append(path)
    naming: dict[str, list[tuple[DocumentId, str, str]]] = {}
    there = {head.path: head for head in heads}
    for head in there.values():
        for kind, links in head.relations:
            for link in links:
                read = markdown.read_link(link)
                if read and read.target:
                    target = read.target.rpartition("/")[2].removesuffix(".md")
                    naming.setdefault(_key(target), []).append((head.path, kind, link))
    return Graph(there, names, naming)


def related(graph: Graph, start: DocumentId, depth: int = 1, kinds: Sequence[str] | None = None) -> list[Related]:
    """Return the notes up to ``depth`` links away from ``start``, each once, the nearest first.

    Of one depth, those come first whose relation stands first in ``RELATIONS``, then those that are named, then by
    path: the same vault gives the same list. ``kinds`` limits the relations that are followed.

    Raises ``BadArgument`` for a depth beyond 1 to ``MAX_DEPTH`` and for an unknown kind, ``NotFound`` for a note that
    is not in the graph.
    """
    if not 1 <= depth <= MAX_DEPTH:
        raise BadArgument(f"depth must lie between 1 and {MAX_DEPTH}, not {depth}", argument="depth")
    unknown = [kind for kind in kinds or () if kind not in lookup.RELATIONS]
    if unknown:
        there = ", ".join(lookup.RELATIONS)
        raise BadArgument(f"there is no relation {unknown[0][:50]!r}; there are {there}", argument="kinds")
    if start not in graph.heads and start not in graph.names.get(_key(start.rpartition("/")[2][:-3]), ()):
        raise NotFound(f"there is no note {start}", path=start)
    followed = [kind for kind in lookup.RELATIONS if kinds is None or kind in kinds]
    seen = {start}
    found: list[Related] = []
    edge = [start]
    for distance in range(1, depth + 1):
        steps = sorted(step for path in edge for step in _steps(graph, path, followed))
        edge = []
        for order, direction, path, via in steps:
            if path not in seen:
                seen.add(path)
                edge.append(path)
                head = graph.heads.get(path)
                found.append(
                    Related(
                        path=path,
                        id=head.id if head else None,
                        title=head.title if head else path.rpartition("/")[2][:-3],
                        type=head.type if head else None,
                        status=head.status if head else None,
                        kind=followed[order],
                        direction="in" if direction else "out",
                        depth=distance,
                        via=via,
                    )
                )
    return found


def _steps(graph: Graph, path: DocumentId, kinds: Sequence[str]) -> Iterable[tuple[int, int, DocumentId, DocumentId]]:
    """Yield the notes that a note names (0) and that name it (1), each with its relation's place in ``kinds``."""
    places = {kind: place for place, kind in enumerate(kinds)}
    head = graph.heads.get(path)
    for kind, links in head.relations if head else ():
        if kind in places:
            for link in links:
                target = lookup.resolve_link(link, path, graph.names)
                if target is not None:
                    yield places[kind], 0, target, path
    for source, kind, link in graph.naming.get(_key(path.rpartition("/")[2][:-3]), ()):
        if kind in places and lookup.resolve_link(link, source, graph.names) == path:
            yield places[kind], 1, source, path


def _key(name: str) -> str:
    return name.lower() if name.isascii() else layout.name_key(name)
