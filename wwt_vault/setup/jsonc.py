"""Edits JSON as text: what is not meant to change keeps every byte, comments, key order and layout included.

JSON as RFC 8259 has it, and ``//`` and ``/* */`` comments and commas behind the last member besides. Hidden here: where
each value lies in the text, and how an added one is laid out so that it looks like what surrounds it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from wwt_vault.errors import UnparsableSettings

__all__ = ["append", "delete", "get", "parse", "put", "refuse_trailing_comma"]

Key = str | int
Path = Sequence[Key]

_BLANK_PART = re.compile(r"[ \t\r\n]+|//[^\r\n]*|/\*.*?\*/", re.DOTALL)
_BLANK = re.compile(rf"(?:{_BLANK_PART.pattern})*", re.DOTALL)
_SCALAR = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"|[-+.\w]+')
_COMMENTS_BEHIND = re.compile(r"(?:[ \t]*/\*[^\r\n]*?\*/)*(?:[ \t]*//[^\r\n]*)?(?=[ \t]*\r?\n)")
_LINE_END = re.compile(r"[ \t]*\r?\n")


class _Item(NamedTuple):
    """A member of an object or an element of an array, with its place in the text."""

    key: Key
    start: int
    node: _Node
    comma: int | None
    """Where the comma after it stands."""


class _Node(NamedTuple):
    """A value and its place: ``text[start:end]``."""

    start: int
    end: int
    value: Any
    items: tuple[_Item, ...]


def parse(text: str, name: str) -> Any:  # any JSON value
    """Return the value of a JSON text; blank text counts as ``{}``.

    ``name`` is the file's, for the message. Raises ``UnparsableSettings`` with ``path`` and ``line``.
    """
    return _root(text, name).value


def refuse_trailing_comma(text: str, name: str) -> None:
    """Raise ``UnparsableSettings`` for a comma behind a last member: many hosts do not read a file that has one."""
    nodes = [_root(text, name)]
    while nodes:
        node = nodes.pop()
        if node.items and node.items[-1].comma is not None:
            raise _unparsable(text, node.items[-1].comma, "a comma that nothing follows", name)
        nodes += [item.node for item in node.items]


def get(value: Any, path: Path) -> Any:
    """Return what lies at ``path`` in a parsed value, ``None`` when nothing does."""
    for key in path:
        if isinstance(value, dict) and isinstance(key, str):
            value = value.get(key)
        elif isinstance(value, list) and isinstance(key, int) and key < len(value):
            value = value[key]
        else:
            return None
    return value


def put(text: str, path: Path, value: Any, name: str) -> str:
    """Return the text with ``value`` at ``path``, making the objects on the way; the same text when it is there.

    Raises ``UnparsableSettings`` where the text does not parse or something else stands in the way.
    """
    root = _root(text, name)
    node, depth = _descend(root, path)
    if depth == len(path):
        if node.value == value:
            return text
        new = _dump(value, text, _indent_at(text, node.start), _spread(text, node))
        return text[: node.start] + new + text[node.end :]
    for key in reversed(path[depth + 1 :]):
        value = {key: value}
    _must_be(node, dict, path[:depth], text, name)
    return _insert(text, root, node, path[depth], value)


def append(text: str, path: Path, value: Any, name: str) -> str:
    """Return the text with ``value`` at the end of the array at ``path``, which is made when it is not there.

    Raises ``UnparsableSettings`` as :func:`put` does.
    """
    root = _root(text, name)
    node, depth = _descend(root, path)
    if depth < len(path):
        return put(text, path, [value], name)
    _must_be(node, list, path, text, name)
    return _insert(text, root, node, None, value)


def delete(text: str, path: Path, name: str) -> str:
    """Return the text without what lies at ``path``; the same text when nothing does."""
    root = _root(text, name)
    parent, depth = _descend(root, path[:-1])
    item = next((one for one in reversed(parent.items) if one.key == path[-1]), None)
    if depth < len(path) - 1 or item is None:
        return text
    at = parent.items.index(item)
    around = text[parent.start + 1 : item.start] + text[item.node.end : parent.end - 1]
    if len(parent.items) == 1 and not around.strip():
        return text[: parent.start + 1] + text[parent.end - 1 :]
    comma = parent.items[at - 1].comma if at else None
    blanks = list(_BLANK_PART.finditer(text, parent.start + 1 if comma is None else comma + 1, item.start))
    start = blanks[-1].start() if blanks and not blanks[-1][0].startswith("/") else item.start
    end = item.node.end if item.comma is None else item.comma + 1
    if len(blanks) > 1 and blanks[-2][0].startswith("//") and not _LINE_END.match(text, end):
        start = item.start  # what follows on this line must not become part of the comment
    if item.comma is not None or comma is None:
        return text[:start] + text[end:]
    return text[:comma] + text[comma + 1 : start] + text[end:]


def _root(text: str, name: str) -> _Node:
    body = text.removeprefix("\ufeff")
    offset = len(text) - len(body)
    if not body.strip():
        return _Node(len(text), len(text), {}, ())
    try:
        node, end = _value(text, _blank(text, offset))
        end = _blank(text, end)
    except RecursionError:
        raise UnparsableSettings(f"{name} is nested too deeply", path=name, line=1) from None
    except _NotJsonError as error:
        reason = str(error) if error.at < len(text) else "the file ends too early"
        raise _unparsable(text, error.at, reason, name) from None
    if end != len(text):
        raise _unparsable(text, end, "something follows the end of the JSON value", name)
    if not isinstance(node.value, dict):
        raise _unparsable(text, node.start, "the file holds no JSON object", name)
    return node


class _NotJsonError(Exception):
    def __init__(self, at: int, message: str) -> None:
        super().__init__(message)
        self.at = at


def _unparsable(text: str, at: int, reason: str, name: str) -> UnparsableSettings:
    line = text.count("\n", 0, at) + 1
    message = f"{name}, line {line}: {reason}. The file was left as it is: mend it, then run this again."
    return UnparsableSettings(message, path=name, line=line)


def _blank(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    return found.end() if found else at


def _value(text: str, at: int) -> tuple[_Node, int]:
    opening = text[at : at + 1]
    if opening in ("{", "["):
        return _container(text, at, "}" if opening == "{" else "]")
    scalar = _SCALAR.match(text, at)
    if not scalar:
        raise _NotJsonError(at, f"a value is expected, not {opening!r}")
    return _Node(at, scalar.end(), _scalar(scalar[0], at), ()), scalar.end()


def _scalar(word: str, at: int) -> Any:
    try:
        return json.loads(word, parse_constant=_no_constant)
    except ValueError:
        raise _NotJsonError(at, f"{word[:40]} is not a JSON value") from None


def _no_constant(word: str) -> None:
    raise ValueError(word)  # NaN and Infinity are Python's, not JSON's


def _container(text: str, start: int, closing: str) -> tuple[_Node, int]:
    items: list[_Item] = []
    at = _blank(text, start + 1)
    while text[at : at + 1] != closing:
        begin = at
        key, at = _name(text, at) if closing == "}" else (len(items), at)
        node, end = _value(text, at)
        at = _blank(text, end)
        comma = at if text[at : at + 1] == "," else None
        items.append(_Item(key, begin, node, comma))
        if comma is None:
            break
        at = _blank(text, at + 1)
        if text[at : at + 1] == closing:
            break
    if text[at : at + 1] != closing:
        raise _NotJsonError(at, f"a comma or {closing} is expected")
    value = {item.key: item.node.value for item in items} if closing == "}" else [item.node.value for item in items]
    return _Node(start, at + 1, value, tuple(items)), at + 1


def _name(text: str, at: int) -> tuple[Key, int]:
    """Read a member's name and the colon; return the name and where the value begins."""
    name = _SCALAR.match(text, at)
    if not name or not name[0].startswith('"'):
        raise _NotJsonError(at, "a name in double quotes is expected")
    at = _blank(text, name.end())
    if text[at : at + 1] != ":":
        raise _NotJsonError(at, "a colon is expected")
    return _scalar(name[0], at), _blank(text, at + 1)


def _descend(root: _Node, path: Path) -> tuple[_Node, int]:
    """Return the deepest value on ``path`` that is there and how many keys lead to it; of two same names the last."""
    node = root
    for depth, key in enumerate(path):
        if node.items and not isinstance(node.value, list if isinstance(key, int) else dict):
            return node, depth
        item = next((one for one in reversed(node.items) if one.key == key), None)
        if item is None:
            return node, depth
        node = item.node
    return node, len(path)


def _must_be(node: _Node, kind: type, path: Path, text: str, name: str) -> None:
    if not isinstance(node.value, kind):
        where = ".".join(str(key) for key in path) or "the file"
        wanted = "an object" if kind is dict else "an array"
        raise _unparsable(text, node.start, f"{where} should be {wanted}", name)


def _insert(text: str, root: _Node, node: _Node, key: Key | None, value: Any) -> str:
    """Return the text with a member or an element added at the end of a container."""
    if node.start == node.end:  # a blank file
        body = text.removeprefix("\ufeff")
        mark = text[: len(text) - len(body)]
        return mark + "{\n" + _entry(key, value, text, "  ", spread=True) + "\n}\n"
    new_line = "\r\n" if "\r\n" in text else "\n"
    if not node.items:
        inner = text[node.start + 1 : node.end - 1].rstrip()
        if _one_line(text, root) and root.items:
            return text[: node.start + 1] + inner + _entry(key, value, text, None, spread=False) + text[node.end - 1 :]
        outer = _indent_at(text, node.start)
        indent = outer + _unit(text)
        entry = _entry(key, value, text, indent, spread=True)
        return text[: node.start + 1] + inner + new_line + entry + new_line + outer + text[node.end - 1 :]
    comma = node.items[-1].comma
    last, trailing = (node.items[-1].node.end, "") if comma is None else (comma + 1, ",")
    if _one_line(text, node):
        added = _entry(key, value, text, None, spread=False) + trailing
        return text[:last] + (" " if trailing else ", ") + added + text[last:]
    first = node.items[0].start
    own_line = not text[text.rfind("\n", 0, first) + 1 : first].strip()
    indent = _indent_at(text, first) if own_line else _indent_at(text, node.start) + _unit(text)
    comments = _COMMENTS_BEHIND.match(text, last)
    behind = comments.end() if comments else last
    entry = _entry(key, value, text, indent, spread=True) + trailing
    return text[:last] + ("" if trailing else ",") + text[last:behind] + new_line + entry + text[behind:]


def _entry(key: Key | None, value: Any, text: str, indent: str | None, *, spread: bool) -> str:
    name = f"{json.dumps(key, ensure_ascii=False)}: " if isinstance(key, str) else ""
    return (indent or "") + name + _dump(value, text, indent or "", spread)


def _dump(value: Any, text: str, indent: str, spread: bool) -> str:
    if not spread:
        return json.dumps(value, ensure_ascii=False)
    lines = json.dumps(value, ensure_ascii=False, indent=_unit(text)).split("\n")
    return (("\r\n" if "\r\n" in text else "\n") + indent).join(lines)


def _one_line(text: str, node: _Node) -> bool:
    return "\n" not in text[node.start : node.end]


def _spread(text: str, node: _Node) -> bool:
    return not _one_line(text, node) or not node.items


def _indent_at(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _unit(text: str) -> str:
    """Return one step of indentation as the file has it: the first indented line's, else two blanks."""
    found = re.search(r"(?m)^([ \t]+)\S", text)
    return found[1] if found else "  "
