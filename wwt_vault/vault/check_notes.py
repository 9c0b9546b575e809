"""What is wrong with single notes and with the links between them: part of ``check``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from wwt_vault import markdown
from wwt_vault.errors import WwtError
from wwt_vault.model.conversation import Problem
from wwt_vault.vault import evidence, fitting, layout, lookup, ondisk, relations, sessions

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from wwt_vault.model.conversation import DocumentId, EventId
    from wwt_vault.vault import Vault

__all__ = ["CuratedNote", "claims_without_evidence", "footnote_problems", "read_curated", "relation_problems"]


class CuratedNote(NamedTuple):
    """A curated note as far as it is checked."""

    path: DocumentId
    values: Mapping[str, Any]
    structure: markdown.Structure
    lines: Mapping[str, int]
    """The line of each property."""


def read_curated(vault: Vault, path: DocumentId) -> CuratedNote:
    """Read a note. Raises as ``ondisk.load`` does."""
    there = ondisk.load(vault, path)
    lines, at = {}, 2
    for key, text in markdown.entries(there.parts) or []:
        lines[key] = at
        at += text.count("\n")
    return CuratedNote(path, there.properties.values, markdown.parse(there.parts.body, there.first_line), lines)


def claims_without_evidence(note: CuratedNote) -> Iterator[Problem]:
    """Yield ``uncited_fact`` for every bullet under Facts that cites nothing: a person's, or of a forgotten event."""
    for line, text in evidence.uncited_facts(note.structure):
        forgotten = fitting.FORGOTTEN.search(text)
        why = "its evidence was forgotten" if forgotten else "it cites no event"
        yield Problem("uncited_fact", note.path, line, f"nothing proves this fact: {why}")


def footnote_problems(
    vault: Vault, note: CuratedNote, there: frozenset[EventId], told: dict[str, frozenset[EventId]]
) -> Iterator[Problem]:
    """Yield ``footnote_missing`` and ``footnote_broken``: a citation that does not open at the message.

    ``told`` keeps the events of each session note between calls, by the target of a link.
    """
    defined = {footnote.label: footnote for footnote in markdown.footnotes(note.structure)}
    cited = {citation.event: citation.line for citation in markdown.citations(note.structure) if citation.well_formed}
    for event, line in cited.items():
        if event not in there:
            continue
        footnote = defined.get(event)
        if footnote is None:
            message = f"{event} has no footnote that leads to the message; the next save writes it"
            yield Problem("footnote_missing", note.path, line, message)
            continue
        link = evidence.link_in(footnote.text)
        if link is None:
            continue  # its session note was gone when it was written
        if link.target not in told:
            told[link.target] = _told(vault, note.path, link.target)
        if link.block != event or event not in told[link.target]:
            message = f"the footnote of {event} leads to no such message; the next save mends it"
            yield Problem("footnote_broken", note.path, footnote.line, message)


def _told(vault: Vault, source: DocumentId, target: str) -> frozenset[EventId]:
    try:
        file = layout.inside(vault.root, f"{target}.md")
        if not file.is_file():
            found = lookup.resolve_link(f"[[{target}]]", source, lookup.names(vault))
            file = layout.inside(vault.root, found) if found else file
        return frozenset(sessions.known_events(file))
    except WwtError:
        return frozenset()


def relation_problems(
    vault: Vault, notes: Iterable[CuratedNote], known: Mapping[str, list[DocumentId]]
) -> Iterator[Problem]:
    """Yield ``broken_relation`` for a link to no note, ``one_sided_relation`` where the other end does not agree."""
    notes = list(notes)
    read = {note.path: note.values for note in notes}
    lines = {note.path: note.lines for note in notes}

    def other(path: DocumentId) -> Mapping[str, Any]:
        if path not in read:
            read[path] = lookup.properties_of(vault, path)
        return read[path]

    for path in list(lines):
        values = read[path]
        for kind in (*lookup.RELATIONS, relations.FORWARD):
            for link in markdown.strings(values, kind):
                if markdown.read_link(link) and lookup.resolve_link(link, path, known) is None:
                    message = f"{kind}: {link} leads to no note; was it renamed outside of Obsidian?"
                    yield Problem("broken_relation", path, lines[path].get(kind, 0), message)
        for effect in relations.effects(path, {}, values, known):
            if not _agrees(effect, other(effect.path), path, known):
                kind = "updates" if effect.kind == "superseded" else "contradicts"
                message = f"{kind}: {effect.path} does not say so; saving this note again tells it"
                yield Problem("one_sided_relation", path, lines[path].get(kind, 0), message)
        for link in markdown.strings(values, relations.FORWARD):
            target = lookup.resolve_link(link, path, known)
            if target and not any(e.path == path for e in relations.effects(target, {}, other(target), known)):
                message = f"{relations.FORWARD}: {link} does not say that it updates this note"
                yield Problem("one_sided_relation", path, lines[path].get(relations.FORWARD, 0), message)


def _agrees(
    effect: relations.Effect, values: Mapping[str, Any], own: DocumentId, known: Mapping[str, list[DocumentId]]
) -> bool:
    if markdown.string(values, "type") not in lookup.CURATED_TYPES:
        return True
    key = relations.FORWARD if effect.kind == "superseded" else "contradicts"
    back = [lookup.resolve_link(link, effect.path, known) for link in markdown.strings(values, key)]
    return own in back and (effect.kind != "superseded" or markdown.string(values, "status") == "superseded")
