"""Three-way merge of lines of Markdown: which lines of either side make the result. ``base`` is what both began with.

Between an agent and a person, ``one`` is the person's text and ``other`` the agent's; between two machines, the two
copies. Where both sides changed something, in this order:

* One side did all that the other did, and more: it wins. (An agent that kept a person's new line and wrote its own
  under it is no conflict.)
* Sections are matched by their headings, so a section that moved, or a new one on each side, is no conflict; of one
  that is new on both sides the lines that both have are the basis.
* Inside a section lines are merged by the library merge3. Items that both sides added to a list at one place are both
  kept, ``one``'s first; so are footnotes, and changes of two blocks (items, paragraphs) right beside one another.
* What is left are clashes.

Lines have no ends here.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import Any, Literal, NamedTuple

from merge3 import Merge3

from wwt_vault.markdown.structure import parse

__all__ = ["Clash", "Gap", "Piece", "Run", "merge_lines", "section_order"]

_ITEM = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])(?:[ \t]|\Z)")
_BLOCK = re.compile(r"\s*$|#{1,6}\s|[ \t]*(?:[-*+]|\d{1,9}[.)])(?:[ \t]|\Z)|>|\||\[\^")
"""What begins a block of its own."""
_FOOTNOTE = re.compile(r" {0,3}(\[\^[^\]\s\[]{1,200}\]):")
_ALIGNED = 2000
"""Lines of both texts from which on frequent lines are no anchors: aligning by them takes time with the square."""

Side = Literal["one", "other"]
Span = tuple[int, int]
"""Indices of lines: the first, and the first behind."""


class Run(NamedTuple):
    """Lines of the result that one side has."""

    side: Side
    start: int
    stop: int


class Clash(NamedTuple):
    """Lines of both sides, only one of which can stand there."""

    one: Span
    other: Span


class Gap(NamedTuple):
    """An empty line that neither side has: before a heading that would stand directly under another side's text."""


Piece = Run | Clash | Gap


def merge_lines(base: Sequence[str], one: Sequence[str], other: Sequence[str]) -> list[Piece]:
    """Merge three lists of lines; return where each line of the result comes from, clashes in their place."""
    settled = _settled(base, one, other)
    if settled:
        return [Run(settled, 0, len(one if settled == "one" else other))]
    by_section = _by_section(base, one, other)
    if _is_whole(by_section, base, one, other):
        return by_section
    # A heading that one side renamed or put in takes lines out of the other's sight; without sections they meet again.
    flat = _with_gaps(list(_flat(base, one, other, (0, len(one)), (0, len(other)))), one, other)
    if _is_whole(flat, base, one, other):
        return flat
    clashing = [pieces for pieces in (by_section, flat) if any(isinstance(piece, Clash) for piece in pieces)]
    return clashing[0] if clashing else [Clash((0, len(one)), (0, len(other)))]


def _is_whole(pieces: Sequence[Piece], base: Sequence[str], one: Sequence[str], other: Sequence[str]) -> bool:
    """Return whether a merge has no clash, every line that either side added, and none that either took out."""
    result: list[str] = []
    for piece in pieces:
        if isinstance(piece, Clash):
            return False
        if isinstance(piece, Run):
            result += (one if piece.side == "one" else other)[piece.start : piece.stop]
    return _adds_up(result, base, one, other)


def _adds_up(result: Sequence[str], base: Sequence[str], one: Sequence[str], other: Sequence[str]) -> bool:
    """Return whether each line is there as often as the changes of both sides say, taken as one or as two."""
    counts, was, ones, others = Counter(result), Counter(base), Counter(one), Counter(other)
    for line in was.keys() | ones.keys() | others.keys():
        x, y, z = ones[line], others[line], was[line]
        same = max(x, y) if x >= z <= y else min(x, y) if x <= z >= y else x + y - z
        if line.strip() and not min(same, x + y - z) <= counts[line] <= max(same, x + y - z):
            return False
    return True


def _settled(base: Sequence[str], one: Sequence[str], other: Sequence[str]) -> Side | None:
    """Return the side that did all that the other did; of two that say the same, ``one``."""
    if _has_done(one, base, other):
        return "one"
    return "other" if _has_done(other, base, one) else None


def _has_done(mine: Sequence[str], base: Sequence[str], theirs: Sequence[str]) -> bool:
    """Return whether the changes of ``theirs`` are among those of ``mine``: its new lines in order, its deletions.

    Empty lines say nothing.
    """
    if list(mine) == list(theirs) or list(theirs) == list(base):
        return True
    if list(mine) == list(base):
        return False
    their_removed, their_added = _changes(base, theirs)
    removed, added = _changes(base, mine)
    rest = iter(added)
    done = not Counter(their_removed) - Counter(removed) and all(line in rest for line in their_added)
    return done and _adds_up(mine, base, mine, theirs)  # a line that moved is none that was taken out


def _changes(base: Sequence[str], new: Sequence[str]) -> tuple[list[str], list[str]]:
    removed: list[str] = []
    added: list[str] = []
    for tag, a, b, c, d in _Matcher(None, base, new).get_opcodes():
        if tag != "equal":
            removed += (line for line in base[a:b] if line.strip())
            added += (line for line in new[c:d] if line.strip())
    return removed, added


def _by_section(base: Sequence[str], one: Sequence[str], other: Sequence[str]) -> list[Piece]:
    was, ones, others = _sections(base), _sections(one), _sections(other)
    pieces: list[Piece] = []
    for key in section_order(list(was), list(ones), list(others)):
        x, y = ones.get(key), others.get(key)
        z = was.get(key, (0, 0))
        before = base[slice(*z)]
        if x is None or y is None:
            kept: Side = "one" if x is not None else "other"
            span = x or y or (0, 0)
            if key not in was:
                pieces.append(Run(kept, *span))
            elif list((one if x else other)[slice(*span)]) != list(before):
                # Taken out by one side, changed by the other.
                at = _behind(key, was, ones if x is None else others)
                pieces.append(Clash(span, at) if x else Clash(at, span))
            continue
        settled = _settled(before, one[slice(*x)], other[slice(*y)])
        if settled:
            pieces.append(Run(settled, *(x if settled == "one" else y)))
        elif before:
            pieces += _flat(before, one, other, x, y)
        else:  # new on both sides: what both have is what they agree on
            pieces += _flat(_common(one[slice(*x)], other[slice(*y)]), one, other, x, y)
    return _with_gaps(pieces, one, other)


def _common(one: Sequence[str], other: Sequence[str]) -> list[str]:
    """Return the lines that both have, in their order."""
    same = _Matcher(None, one, other).get_matching_blocks()
    return [line for start, _, size in same for line in one[start : start + size]]


def _sections(lines: Sequence[str]) -> dict[tuple[Any, ...], Span]:
    """Return each section's lines by its headings and how many of these came before; the first has no heading."""
    seen: Counter[tuple[str, ...]] = Counter()
    found: dict[tuple[Any, ...], Span] = {}
    key: tuple[Any, ...] = ()
    start = 0
    for heading in parse("\n".join(lines)).headings:
        found[key] = (start, heading.line - 1)
        seen[heading.path] += 1
        key, start = (heading.path, seen[heading.path]), heading.line - 1
    found[key] = (start, len(lines))
    return found


def section_order(was: list[Any], one: list[Any], other: list[Any]) -> list[Any]:
    """Return the sections of both sides in the order of the side that changed it, else of ``one``."""
    common = set(was) & set(one) & set(other)
    orders = [[key for key in keys if key in common] for keys in (was, one, other)]
    leading, adding = (other, one) if orders[1] == orders[0] != orders[2] else (one, other)
    result = list(leading)
    there, known = set(leading), set(was)
    at = 0
    for key in adding:
        if key in there:
            at = result.index(key) + 1
            continue
        while at < len(result) and result[at] in set(leading) - known:
            at += 1  # what the leading side added at this place comes first
        result.insert(at, key)
        at += 1
    return result


def _behind(key: Any, was: dict[Any, Span], there: dict[Any, Span]) -> Span:
    """Return the empty span at which a section would stand that a side took out."""
    keys = list(was)
    before = next((there[other] for other in reversed(keys[: keys.index(key)]) if other in there), (0, 0))
    return before[1], before[1]


def _flat(base: Sequence[str], one: Sequence[str], other: Sequence[str], x: Span, y: Span) -> Iterator[Piece]:
    """Merge the lines ``x`` of ``one`` and ``y`` of ``other`` by merge3; ``base`` is what these two were."""
    same = 0
    shortest = min(len(base), x[1] - x[0], y[1] - y[0])
    while same < shortest and base[same] == one[x[0] + same] == other[y[0] + same]:
        same += 1
    if same:
        yield Run("one", x[0], x[0] + same)
    z, a, b = same, x[0] + same, y[0] + same
    merge = Merge3(base[z:], one[a : x[1]], other[b : y[1]], sequence_matcher=_Matcher)
    z_done = a_done = b_done = 0
    for z_match, z_end, a_match, a_end, b_match, b_end in merge.find_sync_regions():
        before = base[z + z_done : z + z_match]
        yield from _resolved(before, one, other, (a + a_done, a + a_match), (b + b_done, b + b_match))
        if a_end > a_match:
            yield Run("one", a + a_match, a + a_end)
        z_done, a_done, b_done = z_end, a_end, b_end


def _resolved(base: Sequence[str], one: Sequence[str], other: Sequence[str], x: Span, y: Span) -> Iterator[Piece]:
    """Decide on a stretch between two places at which all three agree."""
    ones, others = one[slice(*x)], other[slice(*y)]
    settled = _settled(base, ones, others)
    if settled:
        chosen = x if settled == "one" else y
        if chosen[1] > chosen[0]:
            yield Run(settled, *chosen)
    elif not any(line.strip() for line in base):
        both = _can_both_stand(ones, others)
        yield from (Run("one", *x), Run("other", *y)) if both else (Clash(x, y),)
    else:
        yield from _beside(base, one, other, x, y) or [Clash(x, y)]


def _beside(base: Sequence[str], one: Sequence[str], other: Sequence[str], x: Span, y: Span) -> list[Piece]:
    """Return both where one side changed only the head of a stretch and the other only its tail.

    They have to meet between two blocks (items, paragraphs, a heading), or one side wrote something new above or below
    the whole stretch: two halves of one paragraph are no sentence of anybody's.
    """
    sides: tuple[tuple[Side, Span, Side, Span], ...] = (("one", x, "other", y), ("other", y, "one", x))
    for head, head_span, tail, tail_span in sides:
        changing_head = (one if head == "one" else other)[slice(*head_span)]
        changing_tail = (one if tail == "one" else other)[slice(*tail_span)]
        last = _same_at_start(base, changing_tail)
        first = len(base) - _same_at_start(base[::-1], changing_head[::-1])
        for place in range(first, last + 1):
            if place in (0, len(base)) or not base[place - 1].strip() or _BLOCK.match(base[place]):
                stop = head_span[1] - (len(base) - place)
                return [Run(head, head_span[0], stop), Run(tail, tail_span[0] + place, tail_span[1])]
    return []


def _same_at_start(one: Sequence[str], other: Sequence[str]) -> int:
    shortest = min(len(one), len(other))
    return next((n for n in range(shortest) if one[n] != other[n]), shortest)


def _can_both_stand(ones: Sequence[str], others: Sequence[str]) -> bool:
    """Return whether both are whole items of a list, or both footnotes with labels of their own."""
    if _are(_ITEM, ones) and _are(_ITEM, others):
        return True
    labels, other_labels = (
        {found[1] for line in lines if (found := _FOOTNOTE.match(line))} for lines in (ones, others)
    )
    return _are(_FOOTNOTE, ones) and _are(_FOOTNOTE, others) and not labels & other_labels


def _are(form: re.Pattern[str], lines: Sequence[str]) -> bool:
    said = [line for line in lines if line.strip()]
    return bool(said) and form.match(said[0]) is not None and all(form.match(line) or line[0] in " \t" for line in said)


def _with_gaps(pieces: Sequence[Piece], one: Sequence[str], other: Sequence[str]) -> list[Piece]:
    """Put an empty line before a heading that comes to stand directly under a line of the other side's.

    As far as it had one where it comes from, or would become another thing without: a title that is underlined.
    """
    result: list[Piece] = []
    last: tuple[Side, int] | None = None
    for piece in pieces:
        if isinstance(piece, Run) and piece.start < piece.stop:
            lines = one if piece.side == "one" else other
            above = (one if last[0] == "one" else other)[last[1]] if last else ""
            if last != (piece.side, piece.start - 1) and above.strip() and _stands_apart(lines, piece.start):
                result.append(Gap())
            last = (piece.side, piece.stop - 1)
        result.append(piece)
    return result


def _stands_apart(lines: Sequence[str], at: int) -> bool:
    found = parse("\n".join(lines[at : at + 2])).headings
    if not found or found[0].line != 1:
        return False
    return found[0].end > 2 or (at > 0 and not lines[at - 1].strip())


class _Matcher(SequenceMatcher[str]):
    """Compares every line, but in long texts."""

    def __init__(self, isjunk: None = None, a: Sequence[str] = "", b: Sequence[str] = "") -> None:
        super().__init__(isjunk, a, b, autojunk=len(a) + len(b) > _ALIGNED)
