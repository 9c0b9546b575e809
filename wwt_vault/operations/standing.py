"""What a note's relations add to a context: what holds now, what it replaced, its reason, what it was made against."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from wwt_vault.context import REPLACED
from wwt_vault.context.trim import worth
from wwt_vault.index.passages import drafts
from wwt_vault.markdown import links, parse, without_citations
from wwt_vault.model.conversation import DocumentId
from wwt_vault.model.knowledge import Hit, Section
from wwt_vault.operations.quoted import Quoted, Reader
from wwt_vault.operations.workspace import Workspace
from wwt_vault.vault import headings, lookup

__all__ = ["Standing", "with_current"]

_BRINGS: Final = ("contradicts", "derived_from", "depends_on")
"""Relations whose notes come along with a note that matches."""
_COMMENT: Final = re.compile("%%.*?%%", re.DOTALL)
"""Such as the hints of a note template."""
_STEPS: Final = 10
"""Notes in a row that replaced one another."""

Names = Mapping[str, list[DocumentId]]


class Standing:
    """Works out what the relations of notes mean, reading each note and the names of all once at most."""

    def __init__(self, workspace: Workspace, read: Reader) -> None:
        self._workspace, self._read = workspace, read
        self._known: Names | None = None

    @property
    def names(self) -> Names:
        """All notes by name."""
        if self._known is None:
            self._known = lookup.names(self._workspace.vault)
        return self._known

    def current(self, quoted: Quoted) -> Quoted | None:
        """Return the note that holds now in the place of a superseded one; ``None`` when that is not known."""
        seen = {quoted.document.id}
        for _ in range(_STEPS):
            links_ahead = quoted.head.superseded_by if quoted.head else ()
            ahead = [path for path in self._paths(quoted, links_ahead) if path not in seen]
            following = self._read(ahead[-1]) if ahead else None
            if following is None:
                return None
            if following.document.status != "superseded":
                return following
            seen.add(following.document.id)
            quoted = following
        return None

    def also(self, quoted: Quoted) -> tuple[Section, ...]:
        """Return what is told of a current note whatever was asked: a decision's reason, and what it replaced."""
        told: list[Section | None] = []
        if quoted.document.type == "decision":
            told += _sections(quoted, headings.REASON)
        told += [self._replaced(quoted, old) for old in self._related(quoted, "updates")]
        return tuple(section for section in told if section is not None)

    def rejected(self, quoted: Quoted) -> tuple[Section, ...]:
        """Return what a note, and the notes that it replaced, say of options that were not taken."""
        found = _sections(quoted, headings.REJECTED)
        if quoted.document.status != "superseded":
            for old in map(self._read, self._related(quoted, "updates")):
                parts = _sections(old, headings.REJECTED) if old else []
                title = old.document.title if old else ""
                found += (replace(part, heading=f"{part.heading} ({title})") for part in parts)
        return tuple(found)

    def brings(self, quoted: Quoted) -> tuple[tuple[str, DocumentId], ...]:
        """Return the notes that come along with it, each with its relation."""
        return tuple((kind, path) for kind in _BRINGS for path in self._related(quoted, kind))

    def _replaced(self, quoted: Quoted, old: DocumentId) -> Section | None:
        """Return the line of a history that says when and why a note was replaced: of this note, else of the old."""
        found = _line_about(quoted, old)
        if found is None and (there := self._read(old)) is not None:
            found = _line_about(there, quoted.document.id)
        return found

    def _related(self, quoted: Quoted, kind: str) -> list[DocumentId]:
        relations = dict(quoted.head.relations) if quoted.head else {}
        return self._paths(quoted, relations.get(kind, ()))

    def _paths(self, quoted: Quoted, targets: Sequence[str]) -> list[DocumentId]:
        found = (lookup.resolve_link(link, quoted.document.id, self.names) for link in targets)
        return [path for path in found if path is not None]


def with_current(
    workspace: Workspace, hits: Sequence[Hit], standing: Standing, terms: Mapping[str, float], read: Reader
) -> list[Hit]:
    """Put the note that holds now before each superseded one that was found, with as good a score."""
    left = list(hits)
    found: list[Hit] = []
    for hit in hits:
        if hit not in left:
            continue
        if hit.passage.status == "superseded" and (old := read(hit.passage.document)) is not None:
            ahead = standing.current(old)
            if ahead is not None and ahead.document.id not in {one.passage.document for one in found}:
                own = [one for one in left if one.passage.document == ahead.document.id]
                left = [one for one in left if one not in own]
                found += [
                    replace(one, score=max(one.score, hit.score)) for one in own or [_best(workspace, ahead, terms)]
                ]
        found.append(hit)
    return found


def _best(workspace: Workspace, quoted: Quoted, terms: Mapping[str, float]) -> Hit:
    """Return the passage of a note that has most to do with a question, as if it had been found."""
    passages = [draft.passage for draft in drafts(quoted.document, workspace.vault.zone)]
    best = max(passages, key=lambda passage: worth(f"{passage.heading} {passage.text}", terms))
    return Hit(passage=best, score=0.0, keyword_score=0.0, meaning_score=None, why="it replaces what was found")


def _sections(quoted: Quoted, form: re.Pattern[str]) -> list[Section]:
    """Return the sections under headings of a kind, those of deeper headings included, that say something."""
    found = [section for section in quoted.document.sections if form.search(section.heading)]
    return [section for section in found if _COMMENT.sub("", section.text).strip()]


def _line_about(quoted: Quoted, path: DocumentId) -> Section | None:
    name = path[:-3].rpartition("/")[2].casefold()
    for section in _sections(quoted, headings.HISTORY):
        for line in section.text.splitlines():
            targets = (link.target.rpartition("/")[2].removesuffix(".md") for link in links(parse(line)))
            if name in (target.casefold() for target in targets):
                events = tuple(event for event in section.events if event in line)
                text = without_citations(line).strip().removeprefix("- ")
                return Section(heading=REPLACED, line=section.line, text=text, events=events)
    return None
