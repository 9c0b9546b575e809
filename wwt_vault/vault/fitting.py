"""New lines into an old file: what a save does not mean to change keeps every byte.

The definitions of citations are this program's. They are set apart before texts are compared, stay where they stand as
long as they are needed, and new ones follow the last of them, at the end of a note that has none yet.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from wwt_vault import markdown
from wwt_vault.markdown.merge import split_lines

__all__ = ["Body", "Definition", "Line", "fitted", "is_ours", "left_of_forgotten", "read_body"]

SOURCE = re.compile(r"source-([A-Za-z0-9][A-Za-z0-9_-]{0,99})")
"""Label of a footnote that cites a note of type source, by its id."""
FORGOTTEN = re.compile(rf"forgotten-({markdown.EVENT_ID.pattern})")
"""Label of a footnote in the place of a citation whose event was forgotten."""

_ALIGNED = 4000  # lines that are neither at the head nor at the end of both texts: beyond, aligning takes seconds


class Line(NamedTuple):
    """A line and where it stands."""

    text: str
    end: str
    number: int


class Definition(NamedTuple):
    """One of our footnotes."""

    label: str
    at: int
    """How many lines of the body stand before it."""
    lines: tuple[Line, ...]


class Body(NamedTuple):
    """A body without our footnotes, and these."""

    lines: tuple[Line, ...]
    definitions: tuple[Definition, ...]

    @property
    def texts(self) -> list[str]:
        """The lines without their ends, but for empty ones before and behind them all."""
        head, tail = _blank_ends([line.text for line in self.lines])
        return [line.text for line in self.lines[head : len(self.lines) - tail]]

    def number_of(self, index: int) -> int:
        """Return the line, counted in the file, in which ``texts[index]`` stands, or would."""
        head, _ = _blank_ends([line.text for line in self.lines])
        index += head
        if index < len(self.lines):
            return self.lines[index].number
        return self.lines[-1].number + 1 if self.lines else 1


def is_ours(label: str) -> bool:
    """Return whether a footnote with this label is written by this program."""
    return any(form.fullmatch(label) for form in (markdown.EVENT_ID, SOURCE, FORGOTTEN))


def read_body(structure: markdown.Structure) -> Body:
    """Set our footnotes apart from the lines of a body."""
    lines: list[Line] = []
    definitions: list[Definition] = []
    every = [Line(text, end, structure.first_line + n) for n, (text, end) in enumerate(split_lines(structure.text))]
    done = 0
    for footnote in markdown.footnotes(structure):
        if is_ours(footnote.label):
            first, behind = (line - structure.first_line for line in (footnote.line, footnote.end))
            lines += every[done:first]
            definitions.append(Definition(footnote.label, len(lines), tuple(every[first:behind])))
            done = behind
    return Body((*lines, *every[done:]), tuple(definitions))


def left_of_forgotten(old: Body, text: str) -> dict[str, str]:
    """Return the definitions, by label, that stand for forgotten events and to which a text still refers."""
    gone = (one for one in old.definitions if FORGOTTEN.fullmatch(one.label))
    return {one.label: one.lines[0].text for one in gone if f"[^{one.label}]" in text}


def fitted(
    old: Body, new: Sequence[str], definitions: Mapping[str, str], holds: Callable[[str, str], bool] | None = None
) -> str:
    """Return the text of a body whose lines become ``new`` and whose footnotes become ``definitions``, by label.

    A line that stays keeps its end, and an empty one its blanks; a new one gets the end that is usual in the file.
    Empty lines before and behind all others stay, and so does a missing end of the last line. ``holds`` tells of a
    definition that is there, and of the one it should be, whether it may stay as it is.
    """
    usual = _usual_end(old)
    ended = (not old.lines and not old.definitions) or bool(_last_line(old).end)
    head, tail = _blank_ends([line.text for line in old.lines])
    behind = len(old.lines) - tail
    new_head, new_tail = _blank_ends(new)
    new = new[new_head : len(new) - new_tail]
    result = [(line.text, line.end or usual) for line in old.lines[:head]]
    place = dict(enumerate(range(1, head + 1)))  # behind how many lines of the result an old line ends
    matched = {b: a for a, b in _aligned([line.text for line in old.lines[head:behind]], new)}
    for index, text in enumerate(new):
        if index in matched:
            line = old.lines[head + matched[index]]
            result.append((line.text, line.end or usual))
            place[head + matched[index]] = len(result)
        else:
            result.append((text, usual))
    for index in range(behind, len(old.lines)):
        result.append((old.lines[index].text, old.lines[index].end or usual))
        place[index] = len(result)
    kept = _placed(old, place, dict(definitions), holds or str.__eq__)
    if None in kept:  # new ones, and none that is there to follow
        if result and result[-1][0].strip():
            result.append(("", usual))
        kept[len(result)] = kept.pop(None)
    result = [
        line
        for index in range(len(result) + 1)
        for line in (*((text, end or usual) for text, end in kept.get(index, ())), *result[index : index + 1])
    ]
    if result and not ended:
        result[-1] = (result[-1][0], "")
    return "".join(text + end for text, end in result)


def _placed(
    old: Body, place: Mapping[int, int], wanted: dict[str, str], holds: Callable[[str, str], bool]
) -> dict[int | None, list[tuple[str, str]]]:
    """Return the lines of our footnotes by how many lines of the result stand before them."""
    placed: dict[int | None, list[tuple[str, str]]] = {}
    last: int | None = None
    for definition in old.definitions:
        text = wanted.pop(definition.label, None)
        if text is None:
            continue
        before = next((place[index] for index in range(definition.at - 1, -1, -1) if index in place), 0)
        there = [(line.text, line.end) for line in definition.lines]
        stays = there[0][0] == text or holds(there[0][0], text)
        above = definition.at - 1
        if above >= 0 and above not in place and not old.lines[above].text.strip() and before and before not in placed:
            placed[before] = [("", "")]  # the empty line that set it apart went with the text above
        placed.setdefault(before, []).extend(there if stays else [(text, there[0][1])])
        last = before if last is None else max(last, before)
    if wanted:
        placed.setdefault(last, []).extend((text, "") for text in wanted.values())
    return placed


def _aligned(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int]]:
    """Return the pairs of lines that are the same; blanks make no difference between empty lines."""
    olds, news = ([line if line.strip() else "" for line in lines] for lines in (old, new))
    shortest = min(len(olds), len(news))
    head = next((n for n in range(shortest) if olds[n] != news[n]), shortest)
    tail = next((n for n in range(shortest - head) if olds[-1 - n] != news[-1 - n]), shortest - head)
    pairs = [(n, n) for n in range(head)]
    middle, new_middle = olds[head : len(olds) - tail], news[head : len(news) - tail]
    if len(middle) + len(new_middle) <= _ALIGNED:
        matcher = SequenceMatcher(None, middle, new_middle, autojunk=False)
        for a, b, size in matcher.get_matching_blocks():
            pairs += ((head + a + n, head + b + n) for n in range(size))
    return pairs + [(len(olds) - n, len(news) - n) for n in range(tail, 0, -1)]


def _blank_ends(lines: Sequence[str]) -> tuple[int, int]:
    """Return how many empty lines stand before all others, and how many behind them."""
    head = next((n for n, line in enumerate(lines) if line.strip()), len(lines))
    return head, next((n for n, line in enumerate(reversed(lines[head:])) if line.strip()), 0)


def _usual_end(old: Body) -> str:
    every = (*old.lines, *(line for definition in old.definitions for line in definition.lines))
    ends = Counter(line.end for line in every if line.end)
    return ends.most_common(1)[0][0] if ends else "\n"


def _last_line(old: Body) -> Line:
    last = [definition.lines[-1] for definition in old.definitions[-1:]] + list(old.lines[-1:])
    return max(last, key=lambda line: line.number)
