"""Parts of a curated note: a section to read, sections to replace or to add to, a line for its history.

Values in, values out: what comes out is a body for ``save_note``, which keeps the bytes of all that is not meant.
"""

from __future__ import annotations

import re
from datetime import date
from typing import TYPE_CHECKING, Literal, NamedTuple

from wwt_vault import markdown
from wwt_vault.errors import Ambiguous, BadArgument, NotFound
from wwt_vault.model.knowledge import Note, Section
from wwt_vault.vault import evidence, headings, layout

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["Edit", "note_section", "with_edits", "with_history", "with_sections"]

_ITEM = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")


class Edit(NamedTuple):
    """What is to happen to one section."""

    how: Literal["replace", "append", "history"]
    """``replace`` what stands under the heading, deeper headings included; ``append`` to what stands directly under it;
    or add an entry to the note's ``history``, which is begun if there is none."""
    text: str
    heading: str = ""
    """As for :func:`note_section`; not for ``history``."""


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
    """Return the body of a note with the text under each of these headings replaced. Raises as :func:`with_edits`."""
    return with_edits(note, [Edit("replace", text, heading) for heading, text in sections.items()])


def with_edits(note: Note, edits: Sequence[Edit], *, day: date | None = None, language: str = "en") -> str:
    """Return the body of a note with all of these edits made: what :func:`save_note` takes.

    ``day`` is the local date that a history entry gets when it does not begin with one; ``language`` that of a heading
    which has to be made. Raises ``NotFound`` with the ``headings`` there are, ``Ambiguous`` with ``candidates``, and
    ``BadArgument`` for two edits of which one would change what the other does.
    """
    structure = _structure(note)
    body, done = structure.text, structure.first_line + len(structure.starts)
    named = [(_heading(note, structure, edit.heading), edit) for edit in edits if edit.how != "history"]
    for heading, edit in sorted(named, key=lambda place: place[0].line, reverse=True):
        whole = edit.how == "replace"
        end = _end(structure, heading) if whole else _own_end(structure, heading)
        if end > done:
            raise BadArgument(f"{edit.heading[:200]!r} holds another section that is to change", argument="sections")
        own = structure.text[structure.offset_of(heading.end) : structure.offset_of(end)]
        new = f"\n{edit.text.strip()}\n\n" if whole else _appended(own, edit.text)
        body = body[: structure.offset_of(heading.end)].rstrip("\r\n") + "\n" + new + body[structure.offset_of(end) :]
        done = heading.line
    for edit in edits:
        if edit.how == "history":
            entry = _history_entry(edit.text, day)
            body = "\n".join(with_history(re.split(r"\r\n|\n|\r", body), entry, language))
    return body


def with_history(lines: Sequence[str], entry: str, language: str) -> list[str]:
    """Return the lines of a body with an entry in its history, at the end where the newest come first or last.

    Without a history, one is begun below all else, before the definitions of footnotes.
    """
    structure = markdown.parse("\n".join(lines))
    heading = headings.find(structure, headings.HISTORY)
    if heading is None:
        at = min(_notes_at_the_end(structure) - 1, len(lines))
        while at and not lines[at - 1].strip():
            at -= 1
        level = min((other.level for other in structure.headings), default=2)
        title = f"{'#' * level} {headings.history_title(language)}"
        return [*lines[:at], "", title, "", entry, *([] if at == len(lines) else [""]), *lines[at:]]
    first, behind = heading.end - 1, _own_end(structure, heading) - 1
    items = [n for n in range(first, behind) if _ITEM.match(lines[n]) and not lines[n][0].isspace()]
    days = [found[0] for n in items if (found := _DAY.search(lines[n]))]
    if items and not (len(days) > 1 and days[0] < days[-1]):
        return [*lines[: items[0]], entry, *lines[items[0] :]]
    at = behind
    while at > first and not lines[at - 1].strip():
        at -= 1
    if items:
        return [*lines[:at], entry, *lines[at:]]
    return [*lines[:at], "", entry, *lines[at:]]


def _appended(own: str, text: str) -> str:
    """Return what stands directly under a heading with a text behind it, in the list if both are items of one."""
    kept, text = own.rstrip(), text.strip("\r\n").rstrip()
    last = kept.splitlines()[-1] if kept else ""
    in_list = bool(_ITEM.match(text)) and bool(_ITEM.match(last) or (last[:1].isspace() and _ITEM.search(kept)))
    return kept + ("\n" if in_list else "\n\n") + text + "\n\n" if kept.strip() else f"\n{text}\n\n"


def _history_entry(text: str, day: date | None) -> str:
    text = " ".join(text.split())
    text = re.sub(r"^[-*+] ", "", text)
    if not text:
        raise BadArgument("an entry of the history has to say something", argument="sections")
    return f"- {text}" if _DAY.match(text) or day is None else f"- {day.isoformat()}: {text}"


def _structure(note: Note) -> markdown.Structure:
    parts = markdown.split(note.text)
    return markdown.parse(parts.body, 1 + parts.head.count("\n"))


def _end(structure: markdown.Structure, heading: markdown.Heading) -> int:
    """Return the first line behind a section; footnotes at the end of the note are not the last section's."""
    return max(heading.end, min(markdown.section_lines(structure, heading)[1], _notes_at_the_end(structure)))


def _own_end(structure: markdown.Structure, heading: markdown.Heading) -> int:
    """Return the first line behind what stands directly under a heading."""
    below = (other.line for other in structure.headings if other.line > heading.line)
    return next(below, max(heading.end, _notes_at_the_end(structure)))


def _notes_at_the_end(structure: markdown.Structure) -> int:
    """Return the line at which the footnotes at the end begin; the first one behind the text without any."""
    at = structure.first_line + len(structure.starts)
    for footnote in reversed(list(markdown.footnotes(structure))):
        if structure.text[structure.offset_of(footnote.end) : structure.offset_of(at)].strip():
            break
        at = footnote.line
    return at


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
