"""One message as a block of a session note: a callout of which every line is quoted, and the event's id under it.

    > [!user] 01:58
    > What the person typed,
    >
    > line for line.

    ^20261130T015801Z-9f2c4e1ab07d

No content can break out of its block, forge the id of one, or hide the next, and the text can be read back. Three
things are written in another way than they were said, the first two undone on reading:

* a line that ends like a block id (`` ^name``) has a backslash before the ``^``;
* ``%%``, which would make a comment of all that follows, has one between the signs (``%\\%``);
* control characters but tab and line feed are shown by their pictures (U+2400 …), those from U+0080 on by U+FFFD. The
  event has them as they were.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, date, datetime, tzinfo

from wwt_vault.model.conversation import Event, EventId, Turn
from wwt_vault.vault.layout import EVENT_ID

__all__ = ["forgotten_lines", "ids_in", "read_turns", "render_event", "render_forgotten", "shown", "without_words"]

# Backslashes are counted, so that a text which has them already comes back as well: one is added, one is taken away.
_LIKE_BLOCK_ID = re.compile(r"((?:^|[\s>])\\*)(\^[A-Za-z0-9-]+\s*$)")
_ESCAPED_BLOCK_ID = re.compile(r"((?:^|[\s>])\\*)\\(\^[A-Za-z0-9-]+\s*$)")
_CALLOUT = re.compile(r"> \[!(user|assistant)\][+-]? ", re.IGNORECASE)
_FORGOTTEN = re.compile(r"> \[!forgotten\]", re.IGNORECASE)
_ID_LINE = re.compile(rf"({EVENT_ID})[ \t]*\r?(?:\n|\Z)")
_ID_BYTES = re.compile(_ID_LINE.pattern.encode())


def shown(text: str) -> str:
    """Return ``text`` with its control characters made visible: what a session note shows and gives back."""
    if text.isprintable():
        return text
    return re.sub("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]", _picture, text)


def _picture(found: re.Match[str]) -> str:
    code = ord(found[0])
    return chr(0x2400 + code) if code < 0x20 else "\u2421" if code == 0x7F else "\ufffd"


def render_event(event: Event, zone: tzinfo, day: date | None = None) -> bytes:
    """Return the event's block, ending in a blank line.

    The time is that of ``zone``, with the date before it when that is not ``day``, the local date of the note.
    """
    local = event.time.astimezone(zone)
    when = f"{local:%H:%M}" if local.date() == (day or local.date()) else f"{local.date().isoformat()} {local:%H:%M}"
    lines = [_quoted(line) for line in shown(event.text).split("\n")]
    return "\n".join([f"> [!{event.role}] {when}", *lines, "", f"^{event.id}", "", ""]).encode()


def render_forgotten(event: str, at: str, reason: str, zone: tzinfo, day: date | None = None) -> bytes:
    """Return the block in the place of an event that was forgotten: when (ISO 8601) and why, and its id.

    It is no message to any reader of turns, but its id keeps the message from being taken in again.
    """
    time = (_time_of(event) or datetime(1970, 1, 1, tzinfo=UTC)).astimezone(zone)
    when = f"{time:%H:%M}" if time.date() == (day or time.date()) else f"{time.date().isoformat()} {time:%H:%M}"
    said = _quoted(f"{at[:10]}: {shown(' '.join(reason.split()))}")
    return "\n".join([f"> [!forgotten] {when}", said, "", f"^{event}", "", ""]).encode()


def forgotten_lines(lines: list[str]) -> list[tuple[int, int]]:
    """Return the blocks of forgotten events among the lines of a note: the first line, and the first behind its id."""
    found = []
    for start, line in enumerate(lines):
        if _FORGOTTEN.match(line):
            behind = start
            while behind < len(lines) and lines[behind].startswith(">"):
                behind += 1
            while behind < len(lines) and not lines[behind].strip():
                behind += 1
            if behind < len(lines) and lines[behind].startswith("^") and _ID_LINE.match(lines[behind], 1):
                found.append((start, behind + 1))
    return found


def without_words(note: str, blocks: Mapping[str, bytes]) -> str:
    """Return a session note with other blocks for these ids; what stands around them stays to the byte.

    A block is the callout above its id. One whose callout a person broke up loses every quoted line above its id, up to
    the id before it.
    """
    lines = note.split("\n")
    for at in reversed(range(len(lines))):
        label = _ID_LINE.match(lines[at], 1) if lines[at].startswith("^") else None
        if label is None or label[1] not in blocks:
            continue
        new = blocks[label[1]].decode().rstrip("\n").split("\n")
        end = "\r" if lines[at].endswith("\r") else ""
        first = at
        while first and not lines[first - 1].strip():
            first -= 1
        while first and lines[first - 1].startswith(">"):
            first -= 1
        while first < at and not lines[first].startswith(">"):
            first += 1
        lines[first : at + 1] = [line + end for line in new]
    return "\n".join(lines)


def _quoted(line: str) -> str:
    if "^" in line:
        line = _LIKE_BLOCK_ID.sub(r"\1\\\2", line)
    if "%" in line:
        line = re.sub(r"%(?=\\*%)", r"%\\", line)
    return f"> {line}" if line else ">"


def _unquoted(line: str) -> str:
    line = line[2:] if line.startswith("> ") else line[1:]
    if "%\\" in line:
        line = re.sub(r"%\\(?=\\*%)", "%", line)
    if "\\^" in line:
        line = _ESCAPED_BLOCK_ID.sub(r"\1\2", line)
    return line


def ids_in(data: bytes) -> list[EventId]:
    """Return the event ids that stand alone on a line, unquoted, in order: the blocks of a session note."""
    matches = map(_ID_BYTES.match, (b"\n" + data).split(b"\n^")[1:])  # a hook reads 5 MB this way in a few ms
    return [EventId(match[1].decode()) for match in matches if match is not None]


def read_turns(text: str) -> tuple[Turn, ...]:
    """Return the messages of a session note, in the order in which they stand there; times to the second.

    What is not a whole block (a person's words, one that was cut off) is passed over, and ``\\r\\n`` read as ``\\n``.
    A part of a note will do, if it begins where a block begins; lines then count from there.
    """
    lines, turns = text.split("\n"), []
    at = 0
    while at < len(lines):
        start = at
        at += 1
        if not lines[start].startswith(">"):
            continue
        while at < len(lines) and lines[at].startswith(">"):
            at += 1
        title = _CALLOUT.match(lines[start])
        below = at
        while below < len(lines) and not lines[below].strip():
            below += 1
        label = _ID_LINE.match(lines[below], 1) if below < len(lines) and lines[below][0] == "^" else None
        if title is None or label is None or below == at:
            continue
        time = _time_of(label[1])
        if time is None:
            continue
        turns.append(
            Turn(
                event=EventId(label[1]),
                role="user" if title[1].lower() == "user" else "assistant",
                time=time,
                line=start + 1,
                text="\n".join(_unquoted(line.removesuffix("\r")) for line in lines[start + 1 : at]),
            )
        )
        at = below + 1
    return tuple(turns)


def _time_of(event: str) -> datetime | None:
    try:
        return datetime.fromisoformat(event[:15]).replace(tzinfo=UTC)
    except ValueError:
        return None
