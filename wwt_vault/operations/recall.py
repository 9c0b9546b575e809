"""The verbs that answer: search, and the context an agent is given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, tzinfo
from typing import Any, Final, get_args

from wwt_vault import context as contexts
from wwt_vault import search as searching
from wwt_vault.errors import BadArgument
from wwt_vault.fence import clean
from wwt_vault.model.conversation import DocumentId, Layer
from wwt_vault.model.knowledge import Filters, Hit
from wwt_vault.operations.freshness import catch_up
from wwt_vault.operations.moments import moment, shown
from wwt_vault.operations.pending import flow, pending, pinned
from wwt_vault.operations.quoted import Quoted, Reader, quoted_now, quoted_then, then_hits
from wwt_vault.operations.standing import Standing, with_current
from wwt_vault.operations.workspace import Workspace
from wwt_vault.vault import projects

__all__ = ["context", "search"]

Json = dict[str, Any]

_CONTEXT_HITS: Final = 16
"""Hits from which a context is made: more than fit into any usual budget."""
_SAY_AGAIN: Final = "Said again in the other language and in other words, as `rephrased`, the question may find it."


def search(
    workspace: Workspace,
    query: str,
    *,
    rephrased: Sequence[str] = (),
    project: str | None = None,
    host: str | None = None,
    git_branch: str | None = None,
    cwd: str | None = None,
    since: str | None = None,
    until: str | None = None,
    layer: str | None = None,
    type: str | None = None,  # noqa: A002 - the property's name in the vault
    tag: str | None = None,
    status: str | None = None,
    limit: int = 10,
    nearest: bool = False,
    missing: Sequence[str] | None = None,
    open_since: datetime | None = None,
) -> Json:
    """Search the vault. ``rephrased`` is the same question in other words, see ``search.search``; ``since`` and
    ``until`` are ISO 8601 in the person's zone; a date as ``until`` includes its
    day. With ``nearest`` the best candidates are returned even if ``found`` is false: they are no answer.

    ``missing`` is what ``catch_up`` returned to a caller that has called it, ``open_since`` as in ``search.search``.
    Returns ``{query, found, hits, notes}``,
    each hit as in ``docs/cli.md``. Raises ``BadArgument``.
    """
    stale = catch_up(workspace) if missing is None else missing
    zone = workspace.vault.zone
    filters = Filters(
        project=projects.read_names(workspace.vault).now(project or None),
        host=host or None,
        git_branch=git_branch or None,
        cwd=cwd or None,
        since=moment(since, zone, "since") if since else None,
        until=moment(until, zone, "until", whole_day=True) if until else None,
        layer=_layer(layer) if layer else None,
        type=type or None,
        tag=tag or None,
        status=status or None,
    )
    weight = workspace.vault.settings.meaning_weight
    result = searching.search(
        workspace.index,
        query,
        filters,
        rephrased=rephrased,
        limit=limit,
        meaning_weight=weight,
        open_since=open_since,
        now=datetime.now(UTC),
        zone=zone,
        nearest=nearest,
    )
    return {
        "query": query,
        "found": result.found,
        "hits": [_hit(hit, zone) for hit in result.hits],
        "notes": [*stale, *result.notes, *([_SAY_AGAIN] if result.may_say_again else [])],
    }


def context(
    workspace: Workspace,
    query: str,
    *,
    rephrased: Sequence[str] = (),
    project: str | None = None,
    budget_tokens: int = 1500,
    as_of: str | None = None,
    missing: Sequence[str] | None = None,
    open_since: datetime | None = None,
) -> Json:
    """Return what is known that bears on ``query``, in at most ``budget_tokens``, ready for an agent.

    ``rephrased`` is the same question in other words; ``project`` puts its pinned notes first and adds its recent flow;
    ``as_of`` answers from notes as they were at the end of that day and from what was said until then; ``missing`` and
    ``open_since`` as for ``search``. Returns ``{query, found, budget_tokens, used_tokens, items, text, notes}``. Raises
    ``BadArgument``.
    """
    stale = catch_up(workspace) if missing is None else missing
    vault = workspace.vault
    project = projects.read_names(vault).now(project or None)
    until = moment(as_of, vault.zone, "as_of", whole_day=True) if as_of else None
    weight = vault.settings.meaning_weight

    def find(filters: Filters) -> searching.SearchResult:
        return searching.search(
            workspace.index,
            query,
            filters,
            rephrased=rephrased,
            limit=_CONTEXT_HITS,
            meaning_weight=weight,
            open_since=open_since,
            now=until or datetime.now(UTC),
            zone=vault.zone,
        )

    result = find(Filters(until=until))
    kept: dict[DocumentId, Quoted | None] = {}

    def read(name: DocumentId) -> Quoted | None:
        if name not in kept:
            kept[name] = quoted_then(workspace, name, until) if until else quoted_now(workspace, name)
        return kept[name]

    limits: list[str] = []
    hits = _own_project_first(result.hits, project)
    if until:
        hits = then_hits(
            workspace, [*hits, *find(Filters(layer="curated", since=until)).hits], result.asked, until, read
        )
        limits = [f"As of {as_of}: what came later is left out."]
    standing = Standing(workspace, read)
    if not result.about_then:
        hits = with_current(workspace, hits, standing, result.words, read)
    open_sessions = pending(workspace)
    leading = pinned(workspace, project, until) if project else []
    pack = contexts.build(
        query,
        hits,
        terms=result.words,
        sources=_sources([*leading, *(hit.passage.document for hit in hits)], standing, read),
        pinned=leading,
        about_then=result.about_then,
        curated=open_sessions.curated,
        flow=flow(workspace, project, until) if project else (),
        project=project,
        waiting=None if until else open_sessions.waiting(project),
        missing=[*limits, *([_SAY_AGAIN] if result.may_say_again and not hits else []), *stale],
        budget_tokens=budget_tokens,
        zone=vault.zone,
    )
    items = [
        {
            "kind": item.kind,
            "path": item.path,
            "revision": item.revision,
            "time": shown(item.time, vault.zone),
            "events": list(item.events),
            "text": item.text,
        }
        for item in pack.items
    ]
    return {
        "query": query,
        "found": pack.found,
        "budget_tokens": pack.budget_tokens,
        "used_tokens": pack.used_tokens,
        "items": items,
        "text": pack.text,
        "notes": [*stale, *result.notes],
    }


def _own_project_first(hits: tuple[Hit, ...], project: str | None) -> list[Hit]:
    """Within notes and within conversations, those of the project asked about come first; the order else stays."""
    if not project:
        return list(hits)
    return sorted(hits, key=lambda hit: hit.passage.layer == "session" and hit.passage.project != project)


def _sources(names: Sequence[DocumentId], standing: Standing, read: Reader) -> dict[DocumentId, contexts.Source]:
    """Return what hits lie in, and the notes that come along with these. What is gone meanwhile is left out."""
    sources: dict[DocumentId, contexts.Source] = {}
    brought: list[DocumentId] = []
    for name in dict.fromkeys(names):
        quoted = read(name)
        if quoted is not None:
            is_current = quoted.head is not None and quoted.document.status != "superseded"
            brings = standing.brings(quoted) if is_current else ()
            brought += (path for _, path in brings)
            sources[name] = replace(
                _source(quoted),
                also=standing.also(quoted) if is_current else (),
                rejected=standing.rejected(quoted),
                brings=brings,
            )
    for name in brought:
        if name not in sources and (quoted := read(name)) is not None:
            sources[name] = _source(quoted)
    return sources


def _source(quoted: Quoted) -> contexts.Source:
    document, head = quoted
    return contexts.Source(
        title=document.title,
        revision=document.revision,
        updated=document.time,
        written_by=head.written_by if head else None,
        reviewed=bool(head and head.reviewed),
        evidence=frozenset(event for section in document.sections for event in section.events),
        turns=document.turns,
        sections=document.sections,
    )


def _hit(hit: Hit, zone: tzinfo) -> Json:
    passage = hit.passage
    return {
        "path": passage.document,
        "title": clean(passage.title),
        "heading": clean(passage.heading),
        "block": passage.block,
        "line": passage.line,
        "layer": passage.layer,
        "type": passage.type,
        "status": passage.status,
        "host": passage.host,
        "project": passage.project,
        "git_branch": passage.git_branch,
        "time": shown(passage.time, zone),
        "events": list(passage.events),
        "score": hit.score,
        "keyword_score": hit.keyword_score,
        "meaning_score": hit.meaning_score,
        "why": clean(hit.why),
        "text": clean(passage.text),
    }


def _layer(text: str) -> Layer:
    layers: dict[str, Layer] = {layer: layer for layer in get_args(Layer)}
    if text not in layers:
        raise BadArgument(f"layer is one of {', '.join(layers)}, not {text!r}", argument="layer")
    return layers[text]
