"""Parts of a curated note: one section to read, named sections to replace. Values in, values out."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from wwt_vault import markdown
from wwt_vault.errors import Ambiguous, BadArgument, NotFound
from wwt_vault.model.knowledge import Note, Section
from wwt_vault.vault import evidence, layout

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["note_section", "with_sections"]


def note_section(note: Note, heading: str) -> Section:
    """Return what stands under a heading, deeper headings included.

    ``heading`` is its text, or the headings from the top joined by ``>`` or ``#`` as in Obsidian's links; case and
    Unicode form do not matter. Raises ``NotFound`` with the ``headings`` there are, ``Ambiguous`` with ``candidates``.
    """
    structure = _structure(note)
    found = _heading(note, structure, heading)
    text = structure.text[structure.offset_of(found.end) : structure.offset_of(_end(structure, found))]
    line = found.end + text[: len(text) - len(text.lstrip("\r\n"))].count("\n")
    text = text.strip("\r\n")
    return Section(
        heading=" > ".join(found.path), line=line, text=text, events=evidence.cited(markdown.parse(text, line))
    )


def with_sections(note: Note, sections: Mapping[str, str]) -> str:
    """Return the body of a note with the text under each of these headings replaced: what :func:`save_note` takes.

    Headings are named as for :func:`note_section`, and what it returns is what is replaced. Raises as it does, and
    ``BadArgument`` for two sections of which one holds the other.
    """
    structure = _structure(note)
    body, done = structure.text, structure.first_line + len(structure.starts)
    places = sorted(((_heading(note, structure, name), name) for name in sections), reverse=True, key=_line_of)
    for heading, name in places:
        end = _end(structure, heading)
        if end > done:
            raise BadArgument(f"{name[:200]!r} holds another section that is to change", argument="sections")
        new = f"\n{sections[name].strip()}\n\n"
        body = body[: structure.offset_of(heading.end)].rstrip("\r\n") + "\n" + new + body[structure.offset_of(end) :]
        done = heading.line
    return body


def _line_of(place: tuple[markdown.Heading, str]) -> int:
    return place[0].line


def _structure(note: Note) -> markdown.Structure:
    parts = markdown.split(note.text)
    return markdown.parse(parts.body, 1 + parts.head.count("\n"))


def _end(structure: markdown.Structure, heading: markdown.Heading) -> int:
    return markdown.section_lines(structure, heading)[1]


def _heading(note: Note, structure: markdown.Structure, name: str) -> markdown.Heading:
    exact = layout.name_key(name.strip())
    wanted = [layout.name_key(part.strip()) for part in re.split("[>#]+", name) if part.strip()]
    found = [
        candidate
        for candidate in structure.headings
        if layout.name_key(candidate.text) == exact
        or (wanted and [layout.name_key(part) for part in candidate.path[-len(wanted) :]] == wanted)
    ]
    if not found:
        there = [" > ".join(candidate.path) for candidate in structure.headings[:50]]
        message = f"{note.path} has no heading {name[:200]!r}; it has: {'; '.join(there) or 'none'}"
        raise NotFound(message, path=note.path, headings=there)
    if len(found) > 1:
        candidates = [f"{' > '.join(candidate.path)} (line {candidate.line})" for candidate in found]
        message = f"{name[:200]!r} fits {len(found)} headings of {note.path}; give the headings above it too"
        raise Ambiguous(message, path=note.path, candidates=candidates)
    return found[0]
