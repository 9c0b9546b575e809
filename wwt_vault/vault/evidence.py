"""Whether what a note claims leads back to words that were said, and the footnotes that lead there.

The rules: a note cites at least one event; every event it cites exists and was not forgotten; every bullet under Facts
cites one itself, since a citation of the bullet above or below proves nothing about this one. A source (a document from
outside, see ``sources``) may be cited beside events and never instead of one: nobody said it here.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from wwt_vault import markdown
from wwt_vault.errors import BadArgument, BadEvidence, DamagedEvent, Forgotten, FormatTooNew, NotFound
from wwt_vault.vault import events, fitting, headings, lookup, sessions

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from wwt_vault.model.conversation import DocumentId, Event, EventId
    from wwt_vault.vault import Vault

__all__ = [
    "Evidence",
    "Standing",
    "check_evidence",
    "cited",
    "definitions_for",
    "find_evidence",
    "leads_the_same_way",
    "link_in",
    "no_evidence",
    "says_something",
    "standing_facts",
    "uncited_facts",
]

_MARKER = re.compile(r"^[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]*(?:\[.\][ \t]*)?")
_LINK = re.compile(r"\[\[[^\[\]]+\]\]")
_SAYS = {
    "no_evidence": "the note cites no event; cite at least one as [^event id]",
    "unknown_event": "these ids are no events of this vault",
    "forgotten_event": "these events were forgotten, so nothing can rest on them",
    "unknown_source": "these are no sources of this vault",
    "uncited_fact": "these bullets under Facts cite no event themselves",
}


class Evidence(NamedTuple):
    """What a text cites and what is there, each once, in the order of first citation."""

    events: Mapping[EventId, Event]
    sources: Mapping[str, Source]
    """By the source's id."""


class Source(NamedTuple):
    """A note of type source, as far as a citation shows it."""

    path: DocumentId
    values: Mapping[str, Any]  # its properties


class Standing(NamedTuple):
    """What stands in a note and is not the writer's to answer for."""

    lines: frozenset[str] = frozenset()
    """Lines that a person wrote since this program wrote last."""
    facts: frozenset[str] = frozenset()
    """Bullets under Facts that cite nothing: a person's words too, or what is left of a forgotten event."""


def cited(structure: markdown.Structure) -> tuple[EventId, ...]:
    """Return the ids a text cites, each once, in the order of first citation."""
    return tuple(dict.fromkeys(citation.event for citation in markdown.citations(structure) if citation.well_formed))


def find_evidence(vault: Vault, structure: markdown.Structure) -> Evidence:
    """Return the events and sources a text cites, as far as they are there."""
    found: dict[EventId, Event] = {}
    for event in cited(structure):
        read = _read(vault, event)
        if not isinstance(read, str):
            found[event] = read
    sources: dict[str, Source] = {}
    for label, _ in markdown.references(structure):
        named = fitting.SOURCE.fullmatch(label)
        if named and named[1] not in sources and (source := _source(vault, named[1])):
            sources[named[1]] = source
    return Evidence(found, sources)


def check_evidence(vault: Vault, structure: markdown.Structure, standing: Standing = Standing()) -> None:  # noqa: B008 - a value
    """Raise ``BadEvidence`` when a proposed body breaks the rules, but for what is ``standing``.

    Its ``reason`` is ``unknown_event``, ``forgotten_event``, ``unknown_source`` or ``uncited_fact``; its ``faults``
    name every line at fault, not only those of the first kind. Whether anything is cited at all is seen when the whole
    note is known: :func:`no_evidence`.
    """
    faults: list[dict[str, Any]] = []
    known: dict[str, str] = {}
    for event, line, well_formed in markdown.citations(structure):
        if event not in known:
            read = _read(vault, event) if well_formed else "unknown_event"
            known[event] = read if isinstance(read, str) else ""
        if known[event]:
            faults.append({"code": known[event], "line": line, "event": event})
    for label, line in markdown.references(structure):
        named = fitting.SOURCE.fullmatch(label)
        if named and label not in known:
            known[label] = "" if _source(vault, named[1]) else "unknown_source"
        if named and known[label]:
            faults.append({"code": known[label], "line": line, "source": named[1]})
    for line, text in uncited_facts(structure):
        if text not in standing.facts:
            faults.append({"code": "uncited_fact", "line": line})
    faults = [fault for fault in faults if _line(structure, fault["line"]) not in standing.lines]
    if faults:
        raise _refusal(faults)


def no_evidence(line: int) -> BadEvidence:
    """Return the refusal of a note that cites no event at all."""
    return _refusal([{"code": "no_evidence", "line": line}])


def _read(vault: Vault, event: EventId) -> Event | str:
    try:
        return events.read_event(vault, event)
    except Forgotten:
        return "forgotten_event"
    except (NotFound, DamagedEvent, FormatTooNew, BadArgument):  # the last for a date that is none, like the 99th
        return "unknown_event"


def _source(vault: Vault, source_id: str) -> Source | None:
    path = lookup.find_source(vault, source_id)
    return Source(path, lookup.properties_of(vault, path)) if path else None


def uncited_facts(structure: markdown.Structure) -> Iterator[tuple[int, str]]:
    """Yield line and text of every bullet under a heading of facts that says something and cites no event itself."""
    citing = {citation.line for citation in markdown.citations(structure)}
    for item, text in headings.facts(structure):
        lines = (line for a, b in item.own for line in range(a, b))
        if says_something(text) and not any(line in citing for line in lines):
            yield item.line, " ".join(text.split())


def says_something(bullet: str) -> bool:
    """Return whether a bullet has text of its own behind its marker and checkbox."""
    return bool(_MARKER.sub("", bullet).strip())


def standing_facts(structure: markdown.Structure) -> frozenset[str]:
    """Return the texts of the bullets that :func:`uncited_facts` finds."""
    return frozenset(text for _, text in uncited_facts(structure))


def definitions_for(vault: Vault, found: Evidence) -> dict[str, str]:
    """Return the definition of each citation, by label.

    An event's is a link to the words in their session note, with host and local time; a source's a link to its note,
    with origin, date and how far it was checked.
    """
    notes: dict[tuple[str, str], str | None] = {}
    lines = {}
    for event in found.events.values():
        session = (event.host, event.session_id)
        if session not in notes:
            path = sessions.find_session_note(vault, *session)
            notes[session] = path.relative_to(vault.root).with_suffix("").as_posix() if path else None
        label = f"{event.host} {event.time.astimezone(vault.zone):%Y-%m-%d %H:%M}"
        # A session note that is missing can be made again; until then there is nothing to link to.
        link = f"[[{notes[session]}#^{event.id}|{label}]]" if notes[session] else label
        lines[str(event.id)] = f"[^{event.id}]: {link}"
    for source_id, source in found.sources.items():
        lines[f"source-{source_id}"] = f"[^source-{source_id}]: {_source_text(source)}"
    return lines


def _source_text(source: Source) -> str:
    values = source.values
    title = re.sub(r"[\[\]|]", " ", lookup.title_of(source.path, values))
    state = markdown.string(values, "verification") or "unverified"
    by, at = (markdown.string(values, key) for key in ("verified_by", "verified_at"))
    if state != "unverified":
        state += (f" by {by}" if by else "") + (f" {at[:10]}" if at else "")
    retrieved = (markdown.string(values, "retrieved") or "")[:10]
    facts = [markdown.string(values, "origin") or "", f"retrieved {retrieved}" if retrieved else "", state]
    said = re.sub(r"[\[\]\s]+", " ", "; ".join(fact for fact in facts if fact))
    return f"[[{source.path[:-3]}|{title}]] ({said})"


def leads_the_same_way(there: str, wanted: str) -> bool:
    """Return whether a definition that is there leads where it should, whatever a person made of its words.

    What it says of a source has to be what the source says now.
    """
    found, needed = link_in(there), link_in(wanted)
    if found is None or needed is None:
        return found is not None
    return needed.block is not None and (found.target, found.block) == (needed.target, needed.block)


def link_in(definition: str) -> markdown.Link | None:
    """Return the link of a footnote."""
    found = _LINK.search(definition)
    return markdown.read_link(found[0]) if found else None


def _line(structure: markdown.Structure, line: int) -> str:
    return structure.text[structure.offset_of(line) : structure.offset_of(line + 1)].rstrip("\r\n")


def _refusal(faults: list[dict[str, Any]]) -> BadEvidence:
    sentences = []
    for code, sentence in _SAYS.items():
        those = [fault for fault in faults if fault["code"] == code]
        named = [fault.get("event") or fault.get("source") or "" for fault in those[:20]]
        places = [f"line {fault['line']} {name}".rstrip() for fault, name in zip(those, named, strict=False)]
        more = [f"and {len(those) - 20} more"] if len(those) > 20 else []
        if those:
            sentences.append(sentence if code == "no_evidence" else f"{sentence}: {', '.join(places + more)}")
    code = next(code for code in _SAYS if any(fault["code"] == code for fault in faults))
    message = "; ".join(sentences) + ". Lines are counted in the body. Nothing was written."
    return BadEvidence(code, message, faults=faults)
