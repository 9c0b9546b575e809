"""A note without the words of events that are to be forgotten, and without the evidence they were."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from wwt_vault import markdown
from wwt_vault.errors import WwtError
from wwt_vault.model.conversation import EventId
from wwt_vault.vault import claims, events, fitting, lookup, relations
from wwt_vault.vault.erasing import Words, erased

if TYPE_CHECKING:
    from wwt_vault.vault import Vault

__all__ = ["Gone", "cites", "head_without", "without_words"]

_UNSUPPORTED = {"en": "(unsupported)", "ko": "(근거 없음)"}
# Properties that hold no words of anybody's.
_OURS = {
    *("id", "type", "status", "created", "updated", "written_by", "reviewed", "locked", "pinned"),
    *("retrieved", "verification", "verified_by", "verified_at"),
    *(relations.FORWARD, *lookup.RELATIONS),
}


class Gone(NamedTuple):
    """What is to be forgotten."""

    events: frozenset[EventId]
    words: Words
    reason: str
    at: datetime


def cites(gone: Gone, text: str) -> bool:
    """Return whether a text cites one of the events."""
    return any(f"[^{event}]" in text for event in gone.events)


def without_words(vault: Vault, gone: Gone, data: bytes, *, near: bool) -> bytes:
    """Return a note's bytes without the words, and with its claims marked that rest on nothing then.

    A citation beside others goes. One that was the only evidence of its statement becomes a footnote of another kind,
    ``[^forgotten-<event id>]``, which says when and why, and the statement says that it is unsupported. ``near``: the
    note cites the events, now or in another revision. What is not UTF-8 stays as it is.
    """
    text = data.decode("utf-8", "surrogateescape")
    parts = markdown.split(text)
    body = fitting.read_body(markdown.parse(parts.body))
    before = "\n".join(body.texts)
    structure = markdown.parse(before)
    after = erased(before, gone.words, near=near, citing=_citing(structure, gone))
    after = _without_evidence(vault, gone, after)
    dead = {definition.label for definition in body.definitions if definition.label in gone.events}
    head = head_without(parts, gone, near=near)
    if after == before and not dead:
        return (head + parts.body).encode("utf-8", "surrogateescape")
    definitions = {one.label: one.lines[0].text for one in body.definitions if one.label not in dead}
    for label, _ in markdown.references(markdown.parse(after)):
        found = fitting.FORGOTTEN.fullmatch(label)
        if found and found[1] in gone.events:
            definitions[label] = f"[^{label}]: {gone.at.astimezone(UTC):%Y-%m-%d}: {gone.reason}"
    return (head + fitting.fitted(body, after.split("\n"), definitions)).encode("utf-8", "surrogateescape")


def _citing(structure: markdown.Structure, gone: Gone) -> list[tuple[int, int]]:
    """Return where the statements stand that cite one of the events."""
    return [
        (structure.offset_of(line), structure.offset_of(line + 1))
        for lines, _ in claims.statements(structure, _labels(structure, gone))
        for line in lines
    ]


def _labels(structure: markdown.Structure, gone: Gone) -> dict[int, list[str]]:
    found: dict[int, list[str]] = {}
    for label, line in markdown.references(structure):
        if label in gone.events:
            found.setdefault(line, []).append(label)
    return found


def _without_evidence(vault: Vault, gone: Gone, text: str) -> str:
    structure = markdown.parse(text)
    cited = _labels(structure, gone)
    marks: dict[int, bool] = {}
    for lines, _ in claims.statements(structure, cited):
        if not any(line in cited for line in lines):
            continue
        span = structure.prose[structure.offset_of(lines[0]) : structure.offset_of(lines[-1] + 1)]
        others = set(re.findall(rf"\[\^({markdown.EVENT_ID.pattern})\]", span)) - gone.events
        supported = any(_is_there(vault, other) for other in others)
        marks |= dict.fromkeys(lines, supported)
    word = _UNSUPPORTED.get(vault.settings.language, _UNSUPPORTED["en"])
    told: set[int] = set()
    pieces, done = [], 0
    for found in re.finditer(rf" ?\[\^({markdown.EVENT_ID.pattern})\](?!:)", structure.prose):
        if found[1] not in gone.events:
            continue
        line = structure.line_at(found.end() - 1)
        new = ""
        if not marks.get(line, False):
            new = f" [^forgotten-{found[1]}]" if line in told else f" {word} [^forgotten-{found[1]}]"
            told.add(line)
        pieces += [text[done : found.start()], new]
        done = found.end()
    return "".join([*pieces, text[done:]])


def _is_there(vault: Vault, event: str) -> bool:
    try:
        events.read_event(vault, event)
    except WwtError:
        return False
    return True


def head_without(parts: markdown.Split, gone: Gone, *, near: bool) -> str:
    """Return everything before the body, without the words in properties that are a person's or an agent's."""
    read = markdown.read_frontmatter(parts, "")
    if read.broken:
        return parts._replace(block=erased(parts.block, gone.words, near=near)).head
    changed: dict[str, Any] = {}
    for key, value in read.values.items():
        if key in _OURS:
            continue
        if isinstance(value, str):
            new: Any = erased(value, gone.words, near=near)
        elif isinstance(value, list) and all(isinstance(one, str) for one in value):
            new = [erased(one, gone.words, near=near) for one in value]
        else:
            continue
        if new != value:
            changed[key] = new
    try:
        return markdown.set_keys(parts.head, changed)
    except ValueError:  # a form that cannot be spliced: as text then, which may cost the form but not the words
        return parts._replace(block=erased(parts.block, gone.words, near=near)).head
