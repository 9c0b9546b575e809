"""Whether what a note claims leads back to words that were said, and the footnotes that lead there.

The rules: a note cites at least one event; every event it cites exists; every bullet under Facts cites one itself,
since a citation of the bullet above or below proves nothing about this one.
"""

from __future__ import annotations

import re
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from wwt_vault import markdown
from wwt_vault.errors import BadArgument, BadEvidence, DamagedEvent, NotFound
from wwt_vault.vault import events, sessions

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wwt_vault.model.conversation import Event, EventId
    from wwt_vault.vault import Vault

__all__ = ["check_evidence", "cited", "footnotes_for", "uncited_facts", "without_footnotes"]

# "Facts", "Key facts", "Facts (as of May)", 사실, 확인된 사실: one word of the heading is enough.
_FACTS = re.compile(r"\bfacts?\b|(?<!\w)사실(?:들)?(?!\w)", re.IGNORECASE)
_MARKER = re.compile(r"^[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]*(?:\[.\][ \t]*)?")


def cited(structure: markdown.Structure) -> tuple[EventId, ...]:
    """Return the ids a text cites, each once, in the order of first citation."""
    return tuple(dict.fromkeys(citation.event for citation in markdown.citations(structure) if citation.well_formed))


def check_evidence(vault: Vault, structure: markdown.Structure) -> dict[EventId, Event]:
    """Return the events a body cites, in the order of first citation.

    Raises ``BadEvidence`` (``no_evidence``, ``unknown_event``, ``uncited_fact``); its ``faults`` name every line at
    fault, not only those of the first kind.
    """
    found: dict[EventId, Event] = {}
    faults: list[dict[str, Any]] = []
    unknown: set[EventId] = set()
    for event, line, well_formed in markdown.citations(structure):
        if well_formed and event not in found and event not in unknown:
            with suppress(NotFound, DamagedEvent, BadArgument):  # a date that is none, like the 99th
                found[event] = events.read_event(vault, event)
        if event not in found:
            unknown.add(event)
            faults.append({"code": "unknown_event", "line": line, "event": event})
    faults += ({"code": "uncited_fact", "line": line} for line in uncited_facts(structure))
    if not found and not unknown:
        faults.insert(0, {"code": "no_evidence", "line": structure.first_line})
    if faults:
        raise _refusal(faults)
    return found


def uncited_facts(structure: markdown.Structure) -> Iterator[int]:
    """Yield the line of every bullet under a heading of facts that has text of its own and cites nothing itself."""
    facts = [
        markdown.section_lines(structure, heading) for heading in structure.headings if _FACTS.search(heading.text)
    ]
    citing = {citation.line for citation in markdown.citations(structure)}
    for item in structure.items:
        if any(start <= item.line < end for start, end in facts):
            own = "".join(structure.text[structure.offset_of(a) : structure.offset_of(b)] for a, b in item.own)
            lines = (line for a, b in item.own for line in range(a, b))
            if _MARKER.sub("", own).strip() and not any(line in citing for line in lines):
                yield item.line


def footnotes_for(vault: Vault, found: dict[EventId, Event]) -> list[str]:
    """Return the definition of each citation: a link to the words in their session note, with host and local time."""
    notes: dict[tuple[str, str], str | None] = {}
    lines = []
    for event in found.values():
        session = (event.host, event.session_id)
        if session not in notes:
            path = sessions.find_session_note(vault, *session)
            notes[session] = path.relative_to(vault.root).with_suffix("").as_posix() if path else None
        label = f"{event.host} {event.time.astimezone(vault.zone):%Y-%m-%d %H:%M}"
        # A session note that is missing can be made again; until then there is nothing to link to.
        lines.append(f"[^{event.id}]: " + (f"[[{notes[session]}#^{event.id}|{label}]]" if notes[session] else label))
    return lines


def without_footnotes(structure: markdown.Structure) -> str:
    """Return the text without the definitions of citations; a person's own footnotes stay."""
    kept, done = [], 0
    for footnote in markdown.footnotes(structure):
        if markdown.EVENT_ID.fullmatch(footnote.label):
            kept.append(structure.text[done : structure.offset_of(footnote.line)])
            done = structure.offset_of(footnote.end)
    return "".join([*kept, structure.text[done:]])


def _refusal(faults: list[dict[str, Any]]) -> BadEvidence:
    says = {
        "no_evidence": "the note cites no event; cite at least one as [^event id]",
        "unknown_event": "these ids are no events of this vault",
        "uncited_fact": "these bullets under Facts cite no event themselves",
    }
    sentences = []
    for code, sentence in says.items():
        those = [fault for fault in faults if fault["code"] == code]
        places = [f"line {fault['line']} {fault.get('event', '')}".rstrip() for fault in those[:20]]
        more = [f"and {len(those) - 20} more"] if len(those) > 20 else []
        if those:
            sentences.append(sentence if code == "no_evidence" else f"{sentence}: {', '.join(places + more)}")
    code = next(code for code in says if any(fault["code"] == code for fault in faults))
    return BadEvidence(
        code, "; ".join(sentences) + ". Lines are counted in the body. Nothing was written.", faults=faults
    )
