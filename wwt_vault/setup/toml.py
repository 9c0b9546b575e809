"""Edits TOML as text: adds and takes out whole lines, and checks that nothing else has changed by that.

A line at the top and a table at the end can be added to any TOML file without reading its layout; whether that was
right is checked by parsing what came out.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from typing import Any

from wwt_vault.errors import UnparsableSettings

__all__ = ["add_table", "delete_line", "delete_table", "parse", "put_line"]

Table = dict[str, Any]  # as tomllib returns it

_AT_LINE = re.compile(r"at line (\d+)")
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_HEADER = re.compile(r"[ \t]*\[")


def parse(text: str, name: str) -> Table:
    """Return the table in a TOML text. Raises ``UnparsableSettings`` with ``path`` (``name``) and ``line``."""
    try:
        return tomllib.loads(text.removeprefix("\ufeff"))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        found = _AT_LINE.search(str(error))
        line = int(found[1]) if found else text.count("\n") + 1
        message = f"{name}, line {line}: {error}. The file was left as it is: mend it, then run this again."
        raise UnparsableSettings(message, path=name, line=line) from None


def put_line(text: str, key: str, value: str | int, note: str, name: str) -> str:
    """Return the text with ``key = value  # note`` at the top level, in place of a line for this key if there is one.

    Raises ``UnparsableSettings`` when the text does not parse, or when the key stands there in a form that this cannot
    change line by line.
    """
    expected = {**parse(text, name), key: value}
    if parse(text, name) == expected:
        return text
    line = f"{key} = {_literal(value)}" + (f"  # {note}" if note else "")
    old = re.compile(rf"^[ \t]*{re.escape(key)}[ \t]*=[^\r\n]*", re.MULTILINE)
    body = text.removeprefix("\ufeff")
    mark = text[: len(text) - len(body)]
    after = mark + (old.sub(lambda _: line, body, count=1) if old.search(body) else line + _new_line(text) + body)
    return _checked(after, expected, f"{key} = …", name)


def delete_line(text: str, key: str, note: str, name: str) -> str:
    """Return the text without the line that :func:`put_line` wrote; one with another note is the person's and stays."""
    ours = re.compile(rf"^{re.escape(key)} = [^\r\n]*  # {re.escape(note)}\r?\n?", re.MULTILINE)
    after = ours.sub("", text, count=1)
    expected = parse(text, name)
    if after != text:
        expected.pop(key, None)
    return _checked(after, expected, f"{key} = …", name)


def add_table(text: str, path: tuple[str, ...], values: dict[str, str | int | list[str]], name: str) -> str:
    """Return the text with the table ``[path]`` at its end; the table must not be there.

    Raises ``UnparsableSettings`` when the text does not parse or the table cannot be added at the end, because a table
    above it was written as one value (``mcp_servers = {…}``).
    """
    expected = parse(text, name)
    inner = expected
    for key in path[:-1]:
        inner = inner.setdefault(key, {})
        if not isinstance(inner, dict):
            raise _by_hand(f"[{'.'.join(path)}]", name)
    inner[path[-1]] = values
    new_line = _new_line(text)
    lines = [f"[{'.'.join(path)}]", *(f"{key} = {_literal(one)}" for key, one in values.items())]
    end = new_line if text.removeprefix("\ufeff") and not text.endswith("\n") else ""
    gap = new_line if text.removeprefix("\ufeff").strip() else ""
    return _checked(text + end + gap + new_line.join(lines) + new_line, expected, lines[0], name)


def delete_table(text: str, path: tuple[str, ...], name: str) -> str:
    """Return the text without the table ``[path]`` and the tables in it, and without the blank line before.

    Raises ``UnparsableSettings`` when the table is written in another way than with a header of its own.
    """
    expected = parse(text, name)
    inner = expected
    for key in path[:-1]:
        inner = inner.get(key, {})
    if path[-1] not in inner:
        return text
    del inner[path[-1]]
    if not inner and len(path) > 1 and not re.search(rf"(?m)^[ \t]*\[[ \t]*{re.escape(path[0])}[ \t]*\]", text):
        del expected[path[0]]  # it was there only through ours
    quoted = [rf"[ \t]*(?:{re.escape(key)}|\"{re.escape(key)}\"|'{re.escape(key)}')[ \t]*" for key in path]
    ours = re.compile(r"[ \t]*\[{1,2}" + r"\.".join(quoted) + r"[.\]]")
    kept: list[str] = []
    dropped: list[str] = []
    for is_header, line in _lines(text):
        if is_header and dropped and not ours.match(line):
            _close_gap(kept, dropped)
            dropped = []
        (dropped if dropped or (is_header and ours.match(line)) else kept).append(line)
    _close_gap(kept, dropped)
    return _checked("".join(kept), expected, f"[{'.'.join(path)}]", name)


def _lines(text: str) -> Iterator[tuple[bool, str]]:
    """Yield each line and whether it is a table's header; one inside a string of several lines is not."""
    quotes = ""
    for line in _LINE.findall(text):
        yield not quotes and bool(_HEADER.match(line)), line
        for kind in (quotes,) if quotes else ('"""', "'''"):
            if line.count(kind) % 2:
                quotes = "" if quotes else kind


def _close_gap(kept: list[str], dropped: list[str]) -> None:
    """Take out the blank line before what was dropped, unless one behind it went along."""
    if dropped and dropped[-1].strip() and kept and not kept[-1].strip():
        kept.pop()


def _checked(after: str, expected: Table, what: str, name: str) -> str:
    try:
        if parse(after, name) == expected:
            return after
    except UnparsableSettings:
        pass
    raise _by_hand(what, name)


def _by_hand(what: str, name: str) -> UnparsableSettings:
    message = f"{name}: {what} cannot be changed without touching other lines; change it by hand, then run this again."
    return UnparsableSettings(message, path=name, line=0)


def _literal(value: str | int | list[str]) -> str:
    """Return a value as TOML; JSON differs in one character only."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _new_line(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"
