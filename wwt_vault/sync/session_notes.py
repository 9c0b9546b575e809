"""Three-way merge of session notes: by the blocks of their events, never by lines.

Both sides' blocks are there afterwards, in the order of time; what a person wrote stays behind the block it was written
under. A message that was forgotten on one side is forgotten.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from wwt_vault import markdown
from wwt_vault.markdown.merge import merge_head, merge_text
from wwt_vault.vault.layout import EVENT_ID

__all__ = ["added_by_person", "identity", "merge_session_notes"]

_CALLOUT = re.compile(r"> \[!(user|assistant|forgotten)\]", re.IGNORECASE)
_FORGOTTEN = re.compile(r"> \[!forgotten\]", re.IGNORECASE)
_ID_LINE = re.compile(rf"\^({EVENT_ID})[ \t]*\r?")

_Key = tuple[str, int]
"""Event id, and which block of that id it is: a person may have copied one."""
_TOP: _Key = ("", 0)
"""In place of a block: the beginning of the body."""


class _Parsed(NamedTuple):
    head: markdown.Split
    blocks: dict[_Key, list[str]]
    """Each block's lines, from its callout to its id, in the order in which they stand there."""
    gaps: dict[_Key, list[str]]
    """The lines behind each block, up to the next."""


def identity(text: str) -> tuple[str, str] | None:
    """Return host and session id of a session note; ``None`` when it is none."""
    values = markdown.read_frontmatter(markdown.split(text), "").values
    host, session = markdown.string(values, "host"), markdown.string(values, "session_id")
    return (host, session) if markdown.string(values, "type") == "session" and host and session else None


def added_by_person(text: str) -> str:
    """Return what stands in a session note beside the blocks of its events."""
    parsed = _parse(text)
    return "\n".join([parsed.head.head, *(line for gap in parsed.gaps.values() for line in gap)])


def merge_session_notes(base: str, one: str, other: str) -> str | None:
    """Return both notes in one; ``None`` when a person wrote different things *into* the same block.

    ``base`` may be empty: two machines took in the same session.
    """
    if any("\r\n" in text for text in (base, one, other)):  # an editor's; blocks are compared without
        base, one, other = (text.replace("\r\n", "\n") for text in (base, one, other))
    was, mine, theirs = _parse(base), _parse(one), _parse(other)
    blocks = _merged_blocks(was, mine, theirs)
    if blocks is None:
        return None
    order = _merged_order(list(mine.blocks), list(theirs.blocks), blocks)
    gaps = _merged_gaps(was, mine, theirs, set(blocks))
    whole = ["\n".join(block).encode("utf-8", "surrogateescape") for block in blocks.values()]
    lines: list[str] = []
    for key in (_TOP, *order):
        lines += blocks.get(key, [])
        gap = _without_torn(gaps.get(key, [""]), whole)
        lines += gap if gap and not gap[-1].strip() else [*gap, ""]
    # The head says what was known when the note was made: any of two answers will do, whichever side asks.
    keys = {key for part in (mine.head, theirs.head) for key, _ in markdown.entries(part) or []}
    head = merge_head(was.head, mine.head, theirs.head, rules=dict.fromkeys(keys, min)).text
    return (mine.head.head if head is None else head) + "\n".join(lines) + "\n"


def _parse(text: str) -> _Parsed:
    parts = markdown.split(text)
    lines = parts.body.removesuffix("\n").split("\n") if parts.body else [""]
    blocks: dict[_Key, list[str]] = {}
    gaps: dict[_Key, list[str]] = {}
    key, gap, at = _TOP, [], 0
    while at < len(lines):
        end = _block_end(lines, at)
        if end is None:
            gap.append(lines[at])
            at += 1
            continue
        gaps[key] = gap
        found = _ID_LINE.fullmatch(lines[end - 1])
        name = found[1] if found else ""
        key, gap = (name, sum(other == name for other, _ in blocks)), []
        blocks[key] = lines[at:end]
        at = end
    gaps[key] = gap
    return _Parsed(parts, blocks, gaps)


def _block_end(lines: list[str], start: int) -> int | None:
    """Return the first line behind the block that begins at ``start``; ``None`` when none does."""
    if not _CALLOUT.match(lines[start]) or (start and lines[start - 1].startswith(">")):
        return None
    at = start
    while at < len(lines) and lines[at].startswith(">"):
        at += 1
    label = at
    while label < len(lines) and not lines[label].strip():
        label += 1
    return label + 1 if at < label < len(lines) and _ID_LINE.fullmatch(lines[label]) else None


def _merged_blocks(was: _Parsed, mine: _Parsed, theirs: _Parsed) -> dict[_Key, list[str]] | None:
    merged: dict[_Key, list[str]] = {}
    for key in (*mine.blocks, *(key for key in theirs.blocks if key not in mine.blocks)):
        x, y, z = mine.blocks.get(key), theirs.blocks.get(key), was.blocks.get(key)
        if x is None or y is None:
            there = x or y or []
            if z != there or _FORGOTTEN.match(there[0]):  # otherwise a person took it out on one side
                merged[key] = there
            continue
        forgotten = next((block for block in (x, y) if _FORGOTTEN.match(block[0])), None)
        if forgotten or y in (x, z):
            merged[key] = forgotten or x
        elif x == z:
            merged[key] = y
        else:
            text = merge_text(*("\n".join(block or []) for block in (z, x, y))).text
            if text is None:
                return None
            merged[key] = text.split("\n")
    return merged


def _merged_order(mine: list[_Key], theirs: list[_Key], kept: Mapping[_Key, object]) -> list[_Key]:
    """Put the other side's blocks among mine by their time, behind those that precede them on their side."""
    order = [key for key in mine if key in kept]
    there = set(order)
    at = 0
    for key in theirs:
        if key in there:
            at = max(at, order.index(key) + 1) if at else order.index(key) + 1
        elif key in kept:
            while at < len(order) and order[at][0][:16] <= key[0][:16]:
                at += 1
            order.insert(at, key)
            at += 1
    return order


def _merged_gaps(was: _Parsed, mine: _Parsed, theirs: _Parsed, kept: set[_Key]) -> dict[_Key, list[str]]:
    """Merge what stands behind each block; what stood behind one that is gone goes behind the one before it."""
    merged: dict[_Key, list[str]] = {}
    for side, other in ((mine, theirs), (theirs, mine)):
        last = _TOP
        for key, gap in side.gaps.items():
            if key == _TOP or key in kept:
                last = key
                if key not in merged:
                    merged[key] = _merged_gap(was.gaps.get(key), gap, other.gaps.get(key))
            elif any(line.strip() for line in gap) and gap != was.gaps.get(key):
                merged[last] = [*merged.get(last, []), *gap]
    return merged


def _merged_gap(base: list[str] | None, one: list[str], other: list[str] | None) -> list[str]:
    if other is None or other in (one, base):
        return one
    if one == base or not any(line.strip() for line in one):
        return other
    if not any(line.strip() for line in other):
        return one
    text = merge_text(*("\n".join(gap or []) for gap in (base, one, other))).text
    if text is not None:
        return text.split("\n")
    return [*one, *([] if one and not one[-1].strip() else [""]), *(line for line in other if line not in one)]


def _without_torn(gap: list[str], whole: Iterable[bytes]) -> list[str]:
    """Leave out the beginnings of blocks that were cut off while they were written, where the whole block is there."""
    kept: list[str] = []
    at = 0
    while at < len(gap):
        end = at
        while end < len(gap) and gap[end].startswith(">"):
            end += 1
        torn = "\n".join(gap[at:end]).encode("utf-8", "surrogateescape")
        if _CALLOUT.match(gap[at]) and any(block.startswith(torn) for block in whole):
            at = end
            continue
        kept.append(gap[at])
        at += 1
    return kept
