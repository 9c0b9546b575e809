"""The Markdown form of a conversation from anywhere, see docs/hosts/generic.md: a header, then turns under headings."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any, NamedTuple

from wwt_vault.capture import jsonl
from wwt_vault.capture.messages import time_of
from wwt_vault.capture.text import MAX_TEXT
from wwt_vault.model.conversation import Role

__all__ = ["HEADER_KEYS", "Turn", "header_of", "is_markdown", "turns"]

HEADER_KEYS = frozenset({"assistant", "cwd", "folder", "git_branch", "host", "model", "session", "started", "title"})
"""What a header may say, in every form; ``type`` besides."""

_TURN = re.compile(
    r"""\#\#[ \t]+(?:(?P<user>user|human|사용자|나)|assistant|ai|어시스턴트)[ \t]*
    (?:[·|,(–-]?[ \t]*(?P<time>\d{4}-\d\d-\d\d[T ][^)\s]+)\)?[ \t]*)?""",
    re.IGNORECASE | re.VERBOSE,
)
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")


class Turn(NamedTuple):
    """A part of the file: the header on line 0, a turn, or text that belongs to none."""

    role: Role | None
    time: datetime | None
    number: int
    """Line of its heading."""
    text: str
    header: Mapping[str, Any]


def is_markdown(data: bytes) -> bool:
    """Tell whether a file that begins so has frontmatter."""
    return re.match(rb"(?:\xef\xbb\xbf)?---[ \t]*\r?\n", data) is not None


def header_of(text: str) -> tuple[dict[str, str], int]:
    """Return the one-line properties of the frontmatter, and how many lines it has; none when it does not end."""
    lines = text.split("\n")
    header: dict[str, str] = {}
    if lines[0].rstrip() != "---":
        return header, 0
    for number, line in enumerate(lines[1:200], start=2):
        if line.rstrip() == "---":
            return header, number
        key, colon, value = line.partition(":")
        if colon and key.strip() == key:
            header[key] = _scalar(value.strip())
    return {}, 0


def _scalar(value: str) -> str:
    if value.startswith('"'):
        try:
            return str(json.loads(value))
        except ValueError:
            return value.strip('"')
    if len(value) > 1 and value[0] == value[-1] == "'":
        return value[1:-1].replace("''", "'")
    return re.sub(r"\s+#.*\Z", "", value)


def turns(path: jsonl.File) -> Iterator[Turn]:
    """Yield the header, if there is one, and the turns in their order, line by line. Raises ``OSError``."""
    with jsonl.open_stream(path) as file:
        header, skip = header_of(file.read(1 << 16).decode("utf-8-sig", "replace"))
    kept = {key: value for key, value in header.items() if key in HEADER_KEYS and value}
    yield Turn(None, None, 0, "", kept)
    current = Turn(None, None, skip + 1, "", {})
    lines: list[str] = []
    size, fence = 0, ""
    with jsonl.open_stream(path) as file:
        for line in jsonl.lines(file):
            if line.number <= skip:
                continue
            text = line.data.decode("utf-8-sig" if line.number == 1 else "utf-8", "replace").rstrip("\r\n")
            heading = None if fence else _TURN.fullmatch(text)
            time = time_of(heading["time"]) if heading and heading["time"] else None
            if heading is not None and (time is not None or not heading["time"]):
                yield from _ended(current, lines)
                current = Turn("user" if heading["user"] else "assistant", time, line.number, "", {})
                lines, size = [], 0
                continue
            fence = _fence(fence, text)
            size += len(text) + 1
            if size <= 2 * MAX_TEXT:  # more than is kept of a message
                lines.append(text[1:] if text.startswith("\\## ") and not fence else text)
    yield from _ended(current, lines)


def _ended(turn: Turn, lines: list[str]) -> Iterator[Turn]:
    text = "\n".join(lines).strip()
    if text:
        yield turn._replace(text=text)


def _fence(open_fence: str, line: str) -> str:
    """Return the fence of the code block that goes on behind ``line``; empty when none does (CommonMark 0.31, 4.5)."""
    found = _FENCE.match(line)
    if found is None:
        return open_fence
    if not open_fence:
        return found[1] if "`" not in found[2] or found[1][0] == "~" else ""
    closes = found[1][0] == open_fence[0] and len(found[1]) >= len(open_fence) and not found[2].strip()
    return "" if closes else open_fence
