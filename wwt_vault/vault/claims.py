"""From a claim to the words: what a note says, the events it cites, and what was said, letter for letter."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from wwt_vault import markdown
from wwt_vault.errors import BadArgument, DamagedEvent, Forgotten, FormatTooNew, NotFound
from wwt_vault.model.conversation import DocumentId, EventId
from wwt_vault.vault import events, evidence, fitting, headings, lookup, ondisk, sessions

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from wwt_vault.model.conversation import Role
    from wwt_vault.vault import Vault

__all__ = ["CitedSource", "Claim", "Said", "claims", "statements"]


_OTHER_LABELS = re.compile(rf"\[\^(?:{fitting.SOURCE.pattern}|{fitting.FORGOTTEN.pattern})\]")


class Said(NamedTuple):
    """The words behind a citation, or why there are none."""

    event: EventId
    role: Role | None
    host: str | None
    time: datetime | None
    text: str | None
    """The very words, as they are stored."""
    path: DocumentId | None
    """The session note in which they stand, under the block id ``event``."""
    problem: str | None
    """A code of ``check`` (``dangling_citation``, ``malformed_citation``, ``forgotten_citation``, ``event_changed``, …)
    when the words are not there, or are not those that were said."""


class CitedSource(NamedTuple):
    """A document from outside that a claim cites."""

    id: str
    path: DocumentId | None
    title: str
    origin: str | None
    retrieved: str | None
    verification: str
    """``unverified``, ``checked`` or ``disputed``; ``missing`` when there is no such source."""
    verified_by: str | None
    verified_at: str | None


class Claim(NamedTuple):
    """One statement of a note: a bullet under Facts, or any other block that cites something."""

    heading: str
    """The headings it stands under, joined by `` > ``."""
    line: int
    """In the file, counted from 1."""
    text: str
    """Without its citations."""
    is_fact: bool
    said: tuple[Said, ...]
    sources: tuple[CitedSource, ...]

    @property
    def supported(self) -> bool:
        """Whether at least one event that it cites is there, word for word."""
        return any(said.problem is None for said in self.said)


def claims(vault: Vault, ref: str) -> list[Claim]:
    """Return every claim of a note with its evidence, in the order of the note.

    Raises ``NotFound``, ``Ambiguous``, ``PathEscapes`` as ``read_note`` does.
    """
    there = ondisk.load(vault, lookup.find_note(vault, ref))
    structure = markdown.parse(there.parts.body, there.first_line)
    cited: dict[int, list[str]] = {}
    for label, line in markdown.references(structure):
        if fitting.is_ours(label):
            forgotten = fitting.FORGOTTEN.fullmatch(label)
            cited.setdefault(line, []).append(forgotten[1] if forgotten else label)
    for citation in markdown.citations(structure):
        if not citation.well_formed:
            cited.setdefault(citation.line, []).append(citation.event)
    known: dict[str, Said] = {}
    notes: dict[tuple[str, str], DocumentId | None] = {}
    found = []
    for lines, is_fact in statements(structure, cited):
        labels = list(dict.fromkeys(label for line in lines for label in cited.get(line, ())))
        text = "\n".join(_line(structure, line) for line in lines).strip("\n")
        above = [heading for heading in structure.headings if heading.line <= lines[0]]
        sources = [named[1] for label in labels if (named := fitting.SOURCE.fullmatch(label))]
        said = [label for label in labels if not fitting.SOURCE.fullmatch(label)]
        for label in said:
            if label not in known:
                known[label] = _said(vault, label, notes)
        found.append(
            Claim(
                heading=" > ".join(above[-1].path) if above else "",
                line=lines[0],
                text=_plain(text),
                is_fact=is_fact,
                said=tuple(known[label] for label in said),
                sources=tuple(_source(vault, source) for source in sources),
            )
        )
    return found


def statements(structure: markdown.Structure, cited: dict[int, list[str]]) -> Iterator[tuple[list[int], bool]]:
    """Yield the lines of each statement, and whether it is a fact: facts, other bullets and paragraphs that cite.

    ``cited`` are the labels that count, by line.
    """
    facts = {item.line for item, text in headings.facts(structure) if evidence.says_something(text)}
    ours = [(note.line, note.end) for note in markdown.footnotes(structure) if fitting.is_ours(note.label)]
    items = {}
    for item in structure.items:
        lines = [line for a, b in item.own for line in range(a, b)]
        if item.line in facts or any(line in cited for line in lines):
            items[item.line] = lines
    taken = {line for lines in items.values() for line in lines}
    for line in sorted(cited):
        if line not in taken and not any(a <= line < b for a, b in ours):
            lines = _paragraph(structure, line)
            items[lines[0]] = lines
            taken.update(lines)
    for first in sorted(items):
        yield items[first], first in facts


def _paragraph(structure: markdown.Structure, line: int) -> list[int]:
    last = structure.first_line + len(structure.starts) - 1
    first = line
    headings_here = {heading.line for heading in structure.headings}
    while first > structure.first_line and _line(structure, first - 1).strip() and first - 1 not in headings_here:
        first -= 1
    end = line
    while end < last and _line(structure, end + 1).strip() and end + 1 not in headings_here:
        end += 1
    return list(range(first, end + 1))


def _line(structure: markdown.Structure, line: int) -> str:
    return structure.text[structure.offset_of(line) : structure.offset_of(line + 1)].rstrip("\r\n")


def _plain(text: str) -> str:
    text = _OTHER_LABELS.sub("", markdown.without_citations(text))
    return "\n".join(line.rstrip() for line in text.split("\n")).strip()


def _said(vault: Vault, event: str, notes: dict[tuple[str, str], DocumentId | None]) -> Said:
    nothing = Said(event=EventId(event), role=None, host=None, time=None, text=None, path=None, problem=None)
    if not markdown.EVENT_ID.fullmatch(event):
        return nothing._replace(problem="malformed_citation")
    try:
        found = events.read_event(vault, event)
    except Forgotten as error:
        return nothing._replace(problem="forgotten_citation", host=error.data.get("host"), role=error.data.get("role"))
    except (NotFound, BadArgument):
        return nothing._replace(problem="dangling_citation")
    except (DamagedEvent, FormatTooNew) as error:
        return nothing._replace(problem=error.code)
    session = (found.host, found.session_id)
    if session not in notes:
        path = sessions.find_session_note(vault, *session)
        notes[session] = DocumentId(path.relative_to(vault.root).as_posix()) if path else None
    problems = events.verify_event(vault, event)
    return Said(
        event=found.id,
        role=found.role,
        host=found.host,
        time=found.time,
        text=found.text,
        path=notes[session],
        problem=problems[0].code if problems else None,
    )


def _source(vault: Vault, source_id: str) -> CitedSource:
    path = lookup.find_source(vault, source_id)
    values = lookup.properties_of(vault, path) if path else {}
    return CitedSource(
        id=source_id,
        path=path,
        title=lookup.title_of(path, values) if path else source_id,
        origin=markdown.string(values, "origin"),
        retrieved=markdown.string(values, "retrieved"),
        verification=(markdown.string(values, "verification") or "unverified") if path else "missing",
        verified_by=markdown.string(values, "verified_by"),
        verified_at=markdown.string(values, "verified_at"),
    )
