r"""What stands inside the lines: Obsidian's links, tags and block ids, footnotes, and citations of events.

Everything here looks at ``Structure.prose``, so code and comments never count. The forms are those of Obsidian's help
pages "Internal links", "Tags" and "Basic formatting syntax".
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, NamedTuple

from wwt_vault.model.conversation import EventId

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wwt_vault.markdown.structure import Structure

__all__ = [
    "EVENT_ID",
    "Citation",
    "Footnote",
    "Link",
    "block_ids",
    "citations",
    "conflict_line",
    "footnotes",
    "is_tag",
    "links",
    "read_link",
    "references",
    "tags",
    "without_citations",
]

EVENT_ID = re.compile(r"\d{8}T\d{6}Z-[0-9a-f]{12}")
"""The form of an event's id: UTC second, hyphen, 12 hex."""

_CITATION = re.compile(r"\[\^(\d{8}T[^\]\s\[]{0,60})\](?!:)")
_REFERENCE = re.compile(r"\[\^([^\]\s\[]{1,200})\](?!:)")
_FOOTNOTE = re.compile(r"^ {0,3}\[\^([^\]\s\[]{1,200})\]:[ \t]*(.*)$", re.MULTILINE)
_CONTINUED = re.compile(r"(?: {4}|\t)[ \t]*[^\s]")
_LINK = re.compile(r"(!?)\[\[([^\[\]\r\n]{1,1000})\]\]")
# Obsidian's own class of what ends a tag: space, most ASCII punctuation, general and supplemental punctuation.
_TAG = re.compile(r"(?:^|(?<=\s))#([^\u2000-\u206f\u2e00-\u2e7f'!\"#$%&()*+,.:;<=>?@^`{|}~\[\]\\\s]+)", re.MULTILINE)
_BLOCK_ID = re.compile(r"(?:^|(?<=[ \t]))\^([A-Za-z0-9-]+)[ \t]*\r?$", re.MULTILINE)
_CONFLICT = re.compile(r"^(<{7}|={7}|>{7})(?: .*)?\r?$", re.MULTILINE)


class Link(NamedTuple):
    """A wikilink or embed, ``![[target#heading|alias]]``."""

    target: str
    """Note name or path, in NFC; empty for a link inside the same note."""
    heading: str | None
    """Headings from the top, joined by ``#``."""
    block: str | None
    alias: str | None
    embed: bool
    line: int


class Citation(NamedTuple):
    """A footnote reference whose label is an event's id, or would be one."""

    event: EventId
    line: int
    well_formed: bool
    """False for a label that begins like an event id and is none."""


class Footnote(NamedTuple):
    """A footnote definition."""

    label: str
    line: int
    end: int
    """First line behind it."""
    text: str


def read_link(text: str, line: int = 0) -> Link | None:
    """Read one wikilink as it stands in a property; ``None`` when the text is none.

    >>> read_link("[[Shop#Facts|the shop]]").target
    'Shop'
    """
    found = _LINK.fullmatch(text.strip())
    return _link(found, line) if found else None


def links(structure: Structure) -> Iterator[Link]:
    """Yield wikilinks and embeds in order."""
    for found in _LINK.finditer(structure.prose):
        yield _link(found, structure.line_at(found.start()))


def _link(found: re.Match[str], line: int) -> Link:
    # In a table the bar is written \| (help page "Internal links").
    place, bar, alias = found[2].replace("\\|", "|").partition("|")
    target, _, inside = place.partition("#")
    block = inside[1:].strip() if inside.startswith("^") else None
    return Link(
        target=unicodedata.normalize("NFC", target.strip()),
        heading=inside.strip() if inside and block is None else None,
        block=block,
        alias=alias.strip() if bar else None,
        embed=bool(found[1]),
        line=line,
    )


def tags(structure: Structure) -> tuple[str, ...]:
    """Return the inline tags without ``#``, each once, as first written; a tag of digits alone is none."""
    text = _LINK.sub(lambda found: " " * len(found[0]), structure.prose)
    found: dict[str, str] = {}
    for match in _TAG.finditer(text):
        tag = unicodedata.normalize("NFC", match[1])
        if not tag.isdigit():
            found.setdefault(tag.casefold(), tag)
    return tuple(found.values())


def is_tag(text: str) -> bool:
    """Return whether ``text``, without ``#``, is a tag to Obsidian."""
    found = _TAG.fullmatch(f"#{text}")
    return found is not None and not text.isdigit()


def citations(structure: Structure) -> Iterator[Citation]:
    """Yield every citation in order, malformed ones too: whoever checks evidence has to name them."""
    for found in _CITATION.finditer(structure.prose):
        well_formed = EVENT_ID.fullmatch(found[1]) is not None
        yield Citation(EventId(found[1]), structure.line_at(found.start()), well_formed)


def references(structure: Structure) -> Iterator[tuple[str, int]]:
    """Yield the label of every footnote reference in order, citations included, with its line."""
    for found in _REFERENCE.finditer(structure.prose):
        yield found[1], structure.line_at(found.start())


def without_citations(text: str) -> str:
    """Return ``text`` without its well-formed citations: what there is to read and to search."""
    return _CITATION.sub(lambda found: "" if EVENT_ID.fullmatch(found[1]) else found[0], text)


def footnotes(structure: Structure) -> Iterator[Footnote]:
    """Yield the footnote definitions in order, lines that continue one by indentation included."""
    for found in _FOOTNOTE.finditer(structure.prose):
        line = structure.line_at(found.start())
        end = line + 1
        while _CONTINUED.match(structure.text, structure.offset_of(end)):
            end += 1
        yield Footnote(found[1], line, end, structure.text[found.start(2) : found.end(2)].strip())


def block_ids(structure: Structure) -> Iterator[tuple[str, int]]:
    """Yield the block ids, ``^abc`` at the end of a line or alone on it, with their lines."""
    for found in _BLOCK_ID.finditer(structure.prose):
        yield found[1], structure.line_at(found.start())


def conflict_line(structure: Structure) -> int | None:
    """Return the line where an unresolved git conflict begins, ``None`` when there is none.

    A conflict is the three markers in order. One that lies wholly inside one code block is an example of a conflict.
    """
    opened = middle = None
    for found in _CONFLICT.finditer(structure.text):
        line = structure.line_at(found.start())
        mark = found[1][0]
        if mark == "<":
            opened, middle = line, None
        elif mark == "=" and opened:
            middle = line
        elif mark == ">" and opened and middle:
            if not any(start <= opened and line < end for start, end in structure.fences):
                return opened
            opened = middle = None
    return None
