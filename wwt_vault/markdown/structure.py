"""The block structure of Markdown by line: headings, list items, tables, code. Parsing is markdown-it-py's (CommonMark
and tables); lines are counted in the text as it lies on disk, whatever its line ends.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

__all__ = ["Heading", "ListItem", "Part", "Structure", "blanked", "parse", "parts", "section_lines"]

# 40 lists in one another; what lies deeper stays text. CommonMark's own preset stops at 10, which real outlines pass.
_MAX_NESTING = 80
_LINE_END = re.compile(r"\r\n|\n|\r")
_NOT_LINE_END = re.compile(r"[^\r\n]")
_LEADING_BLANK = re.compile(r"(?:[^\S\r\n]*(?:\r\n|\n|\r))*")
_BACKTICKS = re.compile(r"`+")


class Heading(NamedTuple):
    """A heading outside quotes and lists."""

    level: int
    text: str
    line: int
    """Counted from 1."""
    end: int
    """First line behind it: two below for a heading that is underlined."""
    path: tuple[str, ...]
    """The headings above it and itself."""


class ListItem(NamedTuple):
    """A bullet or a numbered item, at any depth."""

    line: int
    own: tuple[tuple[int, int], ...]
    """Stretches of lines, first and first behind, that belong to it and to no item inside it."""


class Part(NamedTuple):
    """A heading and the text under it, up to the next heading of any level."""

    path: tuple[str, ...]
    line: int
    """First line of the text that is not empty, counted from 1."""
    text: str
    """Without empty lines at both ends."""
    start: int
    """Where ``text`` begins in ``Structure.text``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Structure:
    """A text and what stands in which of its lines."""

    text: str
    starts: tuple[int, ...]
    """Offset of each line; the first line's is 0."""
    first_line: int
    """Number of the text's first line in its file."""
    headings: tuple[Heading, ...]
    items: tuple[ListItem, ...]
    tables: tuple[tuple[int, int], ...]
    """First line and first line behind."""
    fences: tuple[tuple[int, int], ...]
    """The same, of fenced and indented code."""
    prose: str
    """The text with code and comments blanked out: what says something, at the same offsets."""

    def line_at(self, offset: int) -> int:
        """Return the number of the line in which ``offset`` lies."""
        return self.first_line + bisect_right(self.starts, offset) - 1

    def offset_of(self, line: int) -> int:
        """Return where a line begins; the end of the text for lines behind it."""
        index = line - self.first_line
        return self.starts[index] if index < len(self.starts) else len(self.text)


def parse(text: str, first_line: int = 1) -> Structure:
    """Read the structure of a body (frontmatter cut off) whose first line has the number ``first_line`` in its file."""
    starts = (0, *(found.end() for found in _LINE_END.finditer(text)))
    headings: list[Heading] = []
    above: list[tuple[int, str]] = []
    tables: list[tuple[int, int]] = []
    fences: list[tuple[int, int]] = []
    stretches: list[tuple[int, int]] = []

    def offsets(first: int, behind: int) -> tuple[int, int]:
        return starts[first], starts[behind] if behind < len(starts) else len(text)

    tokens = _parser().parse(text)
    for place, token in enumerate(tokens):
        first, behind = token.map or (0, 0)
        if token.type == "heading_open" and token.level == 0:
            level = int(token.tag[1:])
            title = tokens[place + 1].content.strip()
            above = [*((other, name) for other, name in above if other < level), (level, title)]
            path = tuple(name for _, name in above)
            headings.append(Heading(level, title, first_line + first, first_line + behind, path))
        elif token.type == "table_open":
            tables.append((first_line + first, first_line + behind))
        elif token.type in ("fence", "code_block"):
            fences.append((first_line + first, first_line + behind))
        elif token.type == "inline" and (not stretches or stretches[-1] != (first, behind)):
            stretches.append((first, behind))
    code = [offsets(first - first_line, behind - first_line) for first, behind in fences]
    code += [span for stretch in stretches for span in _code_spans(text, *offsets(*stretch))]
    prose = blanked(text, code)
    prose = blanked(prose, _between(prose, "<!--", "-->"))
    prose = blanked(prose, _between(prose, "%%", "%%"))
    return Structure(
        text=text,
        starts=starts,
        first_line=first_line,
        headings=tuple(headings),
        items=tuple(sorted(_items(tokens, first_line))),
        tables=tuple(tables),
        fences=tuple(fences),
        prose=prose,
    )


def parts(structure: Structure) -> Iterator[Part]:
    """Yield the text before the first heading and under each; a heading with nothing under it yields nothing."""
    path: tuple[str, ...] = ()
    start = 0
    for heading in (*structure.headings, None):
        behind = structure.offset_of(heading.line) if heading else len(structure.text)
        text = structure.text[start:behind]
        if text.strip():
            start += _LEADING_BLANK.match(text).end()  # type: ignore[union-attr]  # matches the empty text, too
            yield Part(path, structure.line_at(start), structure.text[start:behind].rstrip(), start)
        if heading:
            path, start = heading.path, structure.offset_of(heading.end)


def section_lines(structure: Structure, heading: Heading) -> tuple[int, int]:
    """Return the lines of a heading and all under it, deeper headings included: the first, and the first behind."""
    later = structure.headings[structure.headings.index(heading) + 1 :]
    last = structure.first_line + len(structure.starts)
    return heading.line, next((other.line for other in later if other.level <= heading.level), last)


def blanked(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """Return the text with spaces for every character of ``spans`` but line ends: offsets and lines stay."""
    pieces = []
    done = 0
    for start, stop in sorted(spans):
        if stop > done:
            pieces += [text[done:start], _NOT_LINE_END.sub(" ", text[max(start, done) : stop])]
            done = stop
    return "".join([*pieces, text[done:]])


def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt  # noqa: PLC0415 - 30 ms that a search of what is indexed does not need

    # Blocks only: what stands inside a line is read by ``inline``, in Obsidian's dialect. Without ``reference``, which
    # would take a footnote's definition for a link's and its second line for code.
    parser = MarkdownIt("commonmark", {"maxNesting": _MAX_NESTING}).enable("table")
    return parser.disable(["inline", "text_join", "reference"])


def _items(tokens: list[Token], first_line: int) -> Iterator[ListItem]:
    open_items: list[tuple[int, int, list[tuple[int, int]]]] = []
    for token in tokens:
        if token.type == "list_item_open":
            first, behind = token.map or (0, 0)
            open_items.append((first_line + first, first_line + behind, []))
        elif token.type == "list_item_close":
            first, behind, inside = open_items.pop()
            edges = [first, *(edge for span in inside for edge in span), behind]
            own = tuple((a, b) for a, b in zip(edges[::2], edges[1::2], strict=True) if a < b)
            yield ListItem(first, own)
            if open_items:
                open_items[-1][2].append((first, behind))


def _code_spans(text: str, start: int, stop: int) -> Iterator[tuple[int, int]]:
    """Find code spans by CommonMark's rule (0.31, 6.1): a run of backticks up to the next run of the same length."""
    runs = [(found.start(), len(found[0])) for found in _BACKTICKS.finditer(text, start, stop)]
    by_length: dict[int, list[int]] = {}
    for at, length in runs:
        by_length.setdefault(length, []).append(at)
    done = start
    for at, length in runs:
        if at < done:
            continue
        before = at
        while before > start and text[before - 1] == "\\":
            before -= 1
        escaped = (at - before) % 2
        opening = length - escaped
        closings = by_length.get(opening, [])
        index = bisect_right(closings, at)
        if opening and index < len(closings):
            done = closings[index] + opening
            yield at + escaped, done


def _between(text: str, opening: str, closing: str) -> Iterator[tuple[int, int]]:
    stop = 0
    while (start := text.find(opening, stop)) >= 0 and (end := text.find(closing, start + len(opening))) >= 0:
        stop = end + len(closing)
        yield start, stop
