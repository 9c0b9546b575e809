"""Typed links between notes, and what one end of a link means for the note at the other end.

A relation is a property with a list of quoted wikilinks. Two kinds concern both notes:

* ``updates``: the note at the other end is superseded. Its ``status`` says so, ``superseded_by`` points forward, and
  its history says when, why and by which events. A draft supersedes nothing yet.
* ``contradicts``: the note at the other end contradicts this one.

When such a link is taken out, the other end is taken back. Pages, which are the person's, are never changed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from wwt_vault import markdown
from wwt_vault.errors import BadArgument, NotFound
from wwt_vault.markdown.merge import Conflict
from wwt_vault.vault import layout, lookup, merging, ondisk, refusals

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import date

    from wwt_vault.model.conversation import DocumentId, EventId
    from wwt_vault.vault import Vault
    from wwt_vault.vault.ondisk import OnDisk

__all__ = [
    "FORWARD",
    "Effect",
    "applied",
    "concern_others",
    "effects",
    "history_entry",
    "links_for",
    "mentions",
    "plan",
]

FORWARD = "superseded_by"
"""The property that points from a superseded note to those that replaced it."""


class Effect(NamedTuple):
    """What a save means for another note."""

    path: DocumentId
    kind: Literal["superseded", "reinstated", "contradicted", "reconciled"]
    fresh: bool
    """Whether this save brings it about; otherwise the other end should have been that way already."""


_SAYS = {
    "en": {
        "superseded": "superseded by {}",
        "reinstated": "no longer superseded by {}",
        "replaces": "replaces {}",
    },
    "ko": {
        "superseded": "{}(으)로 대체됨",
        "reinstated": "{}(으)로 대체된 것을 되돌림",
        "replaces": "{}을(를) 대체함",
    },
}


def links_for(
    vault: Vault,
    relations: Mapping[str, Sequence[str]] | None,
    known: Mapping[str, list[DocumentId]],
    own: OnDisk | None,
) -> dict[str, tuple[str, ...]]:
    """Return each relation as the links that go into its property, every target having been found.

    A link that the note has already keeps its spelling. Raises ``BadArgument`` for an unknown kind or a relation of a
    note to itself, ``NotFound`` with ``relation``, ``Ambiguous``.
    """
    links: dict[str, tuple[str, ...]] = {}
    for kind, targets in (relations or {}).items():
        if kind not in lookup.RELATIONS:
            there = ", ".join(lookup.RELATIONS)
            raise BadArgument(f"there is no relation {kind[:50]!r}; there are {there}", argument="relations")
        spelled = _by_target(markdown.strings(own.properties.values, kind), own.path, known) if own else {}
        found = []
        for target in [targets] if isinstance(targets, str) else targets:
            try:
                path = lookup.find_note(vault, target, known)
            except NotFound as error:
                raise NotFound(f"{kind}: {error}. Save that note first.", relation=kind, **error.data) from error
            if own and path == own.path:
                raise BadArgument(f"{kind}: a note has no relation to itself", argument="relations", relation=kind)
            found.append(spelled.get(path) or lookup.link_to(path, known))
        links[kind] = tuple(dict.fromkeys(found))
    return links


def _by_target(links: Iterable[str], own: DocumentId, known: Mapping[str, list[DocumentId]]) -> dict[DocumentId, str]:
    found = ((lookup.resolve_link(link, own, known), link) for link in links)
    return {path: link for path, link in found if path is not None}


def concern_others(*properties: Mapping[str, Any]) -> bool:
    """Return whether any of these properties (of one note, before and after a save) may concern another note."""
    return any(markdown.strings(values, kind) for values in properties for kind in ("updates", "contradicts"))


def effects(
    own: DocumentId, before: Mapping[str, Any], after: Mapping[str, Any], known: Mapping[str, list[DocumentId]]
) -> list[Effect]:
    """Return what the properties of the note ``own`` mean for others, and what they no longer mean."""
    found: list[Effect] = []

    def targets(values: Mapping[str, Any], kind: str) -> list[DocumentId]:
        if kind == "updates" and (markdown.string(values, "status") or "current") == "draft":
            return []
        return list(_by_target(markdown.strings(values, kind), own, known))

    kinds: tuple[tuple[str, Any, Any], ...] = (
        ("updates", "superseded", "reinstated"),
        ("contradicts", "contradicted", "reconciled"),
    )
    for kind, then, no_longer in kinds:
        was, now = targets(before, kind), targets(after, kind)
        found += (Effect(path, then, path not in was) for path in now if path != own)
        found += (Effect(path, no_longer, True) for path in was if path not in now and path != own)
    return found


def plan(
    vault: Vault, wanted: Iterable[Effect], own: DocumentId, known: Mapping[str, list[DocumentId]]
) -> list[Effect]:
    """Return the effects that need a note to be changed, each one having been found possible.

    Raises ``Locked`` and ``HumanConflict`` for another note that has to change and cannot, ``BadArgument`` for two
    notes that would replace each other.
    """
    planned = []
    for effect in wanted:
        there = ondisk.load(vault, effect.path)
        values = there.properties.values
        if markdown.string(values, "type") not in lookup.CURATED_TYPES and not there.properties.broken:
            continue
        if effect.kind == "superseded" and own in _by_target(markdown.strings(values, "updates"), there.path, known):
            if effect.fresh:
                message = f"{there.path} says that it replaces {own}: two notes cannot replace each other"
                raise BadArgument(message, argument="relations", relation="updates", **there.identity)
            continue
        if not applied(effect, there, own, known):
            continue
        if effect.kind == "superseded" and _taken_back(vault, there):
            if effect.fresh:
                said = f"status: {markdown.string(values, 'status')}"
                clash = Conflict("status", 1, (said,), 0, ("status: superseded",))
                raise refusals.person_changed(there, [clash])
            continue  # a person's word against an older link; ``check`` names it
        if not effect.fresh and markdown.flag(values, "locked"):
            continue
        refusals.check_unlocked(there)
        refusals.check_changeable(there)
        planned.append(effect)
    return planned


def _taken_back(vault: Vault, there: OnDisk) -> bool:
    """Return whether a person made a note current again that this program had marked as superseded."""
    basis = merging.basis_of(vault, there)
    was = markdown.string(basis.values, "status") if basis else None
    return was == "superseded" and markdown.string(there.properties.values, "status") != was


def applied(effect: Effect, there: OnDisk, own: DocumentId, known: Mapping[str, list[DocumentId]]) -> dict[str, Any]:
    """Return the properties that have to be set in the other note; none when it says all that already."""
    values = there.properties.values
    key = FORWARD if effect.kind in ("superseded", "reinstated") else "contradicts"
    links = markdown.strings(values, key)
    linked = _by_target(links, there.path, known)
    status = markdown.string(values, "status")
    properties: dict[str, Any] = {}
    if effect.kind in ("superseded", "contradicted"):
        if own not in linked:
            properties[key] = (*links, lookup.link_to(own, known))
        if effect.kind == "superseded" and status != "superseded":
            properties["status"] = "superseded"
    elif own in linked:
        properties[key] = tuple(link for link in links if link != linked[own])
        if effect.kind == "reinstated" and not properties[key] and status == "superseded":
            properties["status"] = "current"
    return properties


def history_entry(
    kind: Literal["superseded", "reinstated", "replaces"],
    link: str,
    *,
    day: date,
    reason: str | None,
    events: Sequence[EventId],
    language: str,
) -> str:
    """Return a line for the history of a note: ``- 2026-12-01: superseded by [[New]]: reason [^event]``."""
    says = _SAYS.get(language, _SAYS["en"])[kind].format(link)
    why = f": {reason.replace('[^', '(^')}" if reason else ""
    return f"- {day.isoformat()}: {says}{why}" + "".join(f" [^{event}]" for event in events)


def mentions(text: str, path: DocumentId) -> bool:
    """Return whether a text has a wikilink to a note, by its name."""
    name = layout.name_key(path[:-3].rpartition("/")[2])
    found = markdown.links(markdown.parse(text))
    return any(layout.name_key(link.target.rpartition("/")[2].removesuffix(".md")) == name for link in found)
