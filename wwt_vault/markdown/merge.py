"""Three-way merge of notes: text in, text or conflicts out. ``base`` is what both sides began with.

Properties are merged one by one, lists of them as sets; bodies by sections and lines, see ``threeway``. Lines of the
result have the ends they have in ``one``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from wwt_vault.markdown.frontmatter import Split, entries, read_frontmatter, set_keys, split, strings
from wwt_vault.markdown.structure import parse
from wwt_vault.markdown.threeway import Clash, Run, merge_lines, section_order

__all__ = ["Conflict", "Merged", "Rule", "merge_head", "merge_lists", "merge_notes", "merge_text", "split_lines"]

_LINES = re.compile(r"([^\r\n]*)(\r\n|\n|\r|\Z)")

Rule = Callable[[str, str], str | None]
"""Chooses between two values of one property, the first one's and the other's; ``None`` when it cannot."""


class Conflict(NamedTuple):
    """A place that both sides changed, each in its own way."""

    where: str
    """The headings from the top joined by `` > ``, or the property; empty before the first heading."""
    one_line: int
    """Line of ``one`` at which its lines begin, or would, counted from 1."""
    one: tuple[str, ...]
    other_line: int
    other: tuple[str, ...]


class Merged(NamedTuple):
    """What came of a merge."""

    text: str | None
    """``None`` with conflicts."""
    conflicts: tuple[Conflict, ...] = ()


def merge_notes(base: str, one: str, other: str, rules: Mapping[str, Rule] | None = None) -> Merged:
    """Merge three files. ``rules`` settle properties that both sides set to different values, by key.

    Lines of conflicts count in the files. BOM and line ends are those of ``one``, where it did not change them, those
    of ``other``.
    """
    parts = [split(text) for text in (base, one, other)]
    head = merge_head(*parts, rules=rules)
    body = merge_text(*(part.body for part in parts))
    if head.text is None or body.text is None:
        above, other_above = (part.head.count("\n") for part in parts[1:])
        placed = (
            conflict._replace(one_line=conflict.one_line + above, other_line=conflict.other_line + other_above)
            for conflict in body.conflicts
        )
        return Merged(None, (*head.conflicts, *placed))
    return Merged(head.text + body.text)


def split_lines(text: str) -> list[tuple[str, str]]:
    r"""Return lines and their ends (``\\n``, ``\\r\\n``, ``\\r``, empty for the last); joined they are the text."""
    return [(found[1], found[2]) for found in _LINES.finditer(text) if found[0]]


def merge_text(base: str, one: str, other: str) -> Merged:
    """Merge three bodies (without frontmatter)."""
    sides = {"one": split_lines(one), "other": split_lines(other)}
    ones, others = ([line for line, _ in sides[name]] for name in ("one", "other"))
    pieces = merge_lines([line for line, _ in split_lines(base)], ones, others)
    clashes = [piece for piece in pieces if isinstance(piece, Clash)]
    if clashes:
        return Merged(None, tuple(_conflict(clash, one, ones, others) for clash in clashes))
    usual = next((end for _, end in (*sides["one"], *sides["other"]) if end), "\n")
    lines: list[tuple[str, str]] = []
    for piece in pieces:
        if isinstance(piece, Run):
            lines += (
                (line, (end or usual) if piece.side == "one" else usual)
                for line, end in sides[piece.side][piece.start : piece.stop]
            )
        else:
            lines.append(("", usual))
    ends = [not text or text.endswith(("\n", "\r")) for text in (base, one, other)]
    if lines and not (ends[1] if ends[1] != ends[0] else ends[2]):
        lines[-1] = (lines[-1][0], "")
    return Merged("".join(line + end for line, end in lines))


def _conflict(clash: Clash, one: str, ones: Sequence[str], others: Sequence[str]) -> Conflict:
    line = clash.one[0] + 1
    above = [heading for heading in parse(one).headings if heading.line <= line]
    return Conflict(
        where=" > ".join(above[-1].path) if above else "",
        one_line=line,
        one=tuple(ones[slice(*clash.one)]),
        other_line=clash.other[0] + 1,
        other=tuple(others[slice(*clash.other)]),
    )


def merge_head(base: Split, one: Split, other: Split, *, rules: Mapping[str, Rule] | None = None) -> Merged:
    """Merge three frontmatters, each with its two lines ``---``; the result's text is everything before the body."""
    for mine, theirs in ((one, other), (other, one)):
        if theirs.head in (mine.head, base.head):
            return Merged(mine.head)
    sides = [_read(part) for part in (base, one, other)]
    if not all((one.opening, other.opening)) or any(side is None for side in sides):
        return Merged(None, (Conflict("frontmatter", 1, _lines(one.head), 1, _lines(other.head)),))
    was, ones, others = (side for side in sides if side is not None)
    end = "\r\n" if one.opening.endswith("\r\n") else "\n"
    blocks: list[str] = []
    spliced: dict[str, Any] = {}
    conflicts: list[Conflict] = []
    for key in section_order(list(was.texts), list(ones.texts), list(others.texts)):
        z, x, y = (side.texts.get(key, "") for side in (was, ones, others))
        zv, xv, yv = (side.values.get(key) for side in (was, ones, others))
        if _same(x, y) or (_same(y, z) and bool(y) == bool(z)) or (x and y and xv == yv):
            blocks.append(x)
        elif _same(x, z):
            blocks.append(y.replace("\r\n", "\n").replace("\n", end))
        elif x and y and z and xv == zv and isinstance(yv, (str, list)):  # a comment behind it, say, stays
            blocks.append(x)
            spliced[key] = _typed(yv)
        elif x and y and all(_is_list(value) for value in (xv, yv)) and list in (type(xv), type(yv)):
            blocks.append(x)
            spliced[key] = merge_lists(*(strings({key: value}, key) for value in (zv, xv, yv)))
        elif x and y and (chosen := _by_rule(rules, key, xv, yv)) is not None:
            blocks.append(x)
            spliced[key] = _typed(chosen)
        else:
            conflicts.append(Conflict(key, ones.line_of(key), _lines(x), others.line_of(key), _lines(y)))
    if conflicts:
        return Merged(None, tuple(conflicts))
    ended = (block if not block or block.endswith("\n") else block + end for block in blocks)
    merged = one._replace(block="".join(ended))
    try:
        text = set_keys(merged.head, spliced)
    except ValueError:
        text = ""
    wanted = {key for key, block in zip(section_order(*_keys(was, ones, others)), blocks, strict=True) if key and block}
    if not text or set(read_frontmatter(split(text), "").values) != wanted:
        return Merged(None, (Conflict("frontmatter", 1, _lines(one.head), 1, _lines(other.head)),))
    return Merged(text)


def merge_lists(base: tuple[str, ...], one: tuple[str, ...], other: tuple[str, ...]) -> list[str]:
    """Return what both lists hold, what either added, and nothing that either took out; in the order of ``one``.

    >>> merge_lists(("a", "b"), ("b", "a", "c"), ("a", "d"))
    ['a', 'c', 'd']
    """
    kept = [item for item in one if item in other or item not in base]
    return kept + [item for item in other if item not in one and item not in base]


class _Side(NamedTuple):
    texts: dict[str, str]
    values: Mapping[str, Any]

    def line_of(self, key: str) -> int:
        before = list(self.texts).index(key) if key in self.texts else len(self.texts)
        return 2 + sum(text.count("\n") for text in list(self.texts.values())[:before])


def _read(part: Split) -> _Side | None:
    found = entries(part)
    return None if found is None else _Side(dict(found), read_frontmatter(part, "").values)


def _keys(*sides: _Side) -> list[list[str]]:
    return [list(side.texts) for side in sides]


def _same(one: str, other: str) -> bool:
    return _lines(one) == _lines(other)


def _lines(text: str) -> tuple[str, ...]:
    return tuple(text.replace("\r\n", "\n").split("\n"))[: -1 if text.endswith("\n") else None]


def _typed(value: str | list[str]) -> str | list[str] | bool:
    """A checkbox stays one: everything else is written as text."""
    return value == "true" if value in ("true", "false") else value


def _is_list(value: Any) -> bool:
    return value is None or isinstance(value, str) or (isinstance(value, list) and all(map(_is_text, value)))


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _by_rule(rules: Mapping[str, Rule] | None, key: str, one: Any, other: Any) -> str | None:
    rule = (rules or {}).get(key)
    return rule(one, other) if rule and isinstance(one, str) and isinstance(other, str) else None
