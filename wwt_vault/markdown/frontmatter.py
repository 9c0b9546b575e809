"""Frontmatter: split without losing a byte, read within bounds, change single keys by splicing.

Obsidian's rule (help page "Properties"): YAML between two lines ``---``, the first of which is the first line of the
file. Values are read as text, not as YAML 1.1 types: ``12:30`` stays a time, ``no`` a word, ``2026-13-45`` no error.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Any, NamedTuple

import frontmatter
import yaml
from yaml.composer import Composer

from wwt_vault.model.conversation import Problem

__all__ = [
    "Frontmatter",
    "Split",
    "entries",
    "flag",
    "read_frontmatter",
    "render_frontmatter",
    "set_keys",
    "split",
    "string",
    "strings",
]

Value = str | bool | int | date | Sequence[str]
"""What can be written: a ``datetime`` as the wall clock it shows (Obsidian knows no zones), a sequence as a list."""

_MAX_BLOCK = 64 * 1024  # characters; a person's properties are a few hundred
_MAX_DEPTH = 30
_MAX_ALIASES = 16  # with so few, even the worst chain of aliases stays small when it is unrolled

_OPENING = re.compile(r"(\ufeff?)(---[ \t]*(?:\r\n|\n))")
_CLOSING = re.compile(r"^---[ \t]*(?:\r\n|\n|\Z)", re.MULTILINE)
_KEY_LINE = re.compile(r"[\w-]+[ \t]*:(?:\s|\Z)")
# What every YAML reader takes for the same text without quotes: words that begin with a letter, dates, times.
_PLAIN = re.compile(r"[^\W\d_][\w./-]*(?: [\w./-]+)*|\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\d)?")
_NOT_TEXT = frozenset({"true", "false", "yes", "no", "on", "off", "null", "y", "n"})
_UNPRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]")


class Split(NamedTuple):
    """A text cut at its frontmatter. The five parts joined are the text, whatever it holds."""

    bom: str
    opening: str
    """The first line, ``---`` and its line end; empty without frontmatter."""
    block: str
    """The YAML."""
    closing: str
    """The second ``---`` line."""
    body: str

    @property
    def head(self) -> str:
        """Return everything before the body."""
        return self.bom + self.opening + self.block + self.closing

    def join(self) -> str:
        """Return the text again."""
        return self.head + self.body


class Frontmatter(NamedTuple):
    """What the properties say."""

    values: dict[str, Any]  # YAML: None, str, list or dict, nested at most 30 deep
    """By key, in NFC and casefolded, since Obsidian's property names know no case."""
    problems: tuple[Problem, ...] = ()
    broken: bool = False
    """True when the block is not YAML of keys and values: it is to be read as text."""


def split(text: str) -> Split:
    r"""Cut ``text`` at its frontmatter.

    >>> split("---\r\na: 1\r\n---\r\nBody")
    Split(bom='', opening='---\r\n', block='a: 1\r\n', closing='---\r\n', body='Body')
    """
    opened = _OPENING.match(text)
    closed = _CLOSING.search(text, opened.end()) if opened else None
    if opened is None or closed is None:
        bom = text[:1] if text[:1] == "\ufeff" else ""
        return Split(bom, "", "", "", text[len(bom) :])
    return Split(
        opened[1],
        opened[2],
        text[opened.end() : closed.start()],
        text[closed.start() : closed.end()],
        text[closed.end() :],
    )


def read_frontmatter(parts: Split, path: str) -> Frontmatter:
    """Read the properties of a split text. Never raises: what is wrong with them comes back as problems of ``path``."""
    if not parts.opening:
        unclosed = _OPENING.match(parts.bom + parts.body)
        if unclosed and _KEY_LINE.match(parts.bom + parts.body, unclosed.end()):
            message = "the frontmatter is not closed by a second line ---"
            return Frontmatter({}, (Problem("broken_frontmatter", path, 1, message),))
        return Frontmatter({})
    try:
        root = _load(parts.block)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        line = 2 + mark.line if mark else 1
        reason = getattr(error, "problem", None) or str(error).splitlines()[0]
        problem = Problem("broken_frontmatter", path, line, f"the frontmatter is not valid YAML: {reason}")
        return Frontmatter({}, (problem,), broken=True)
    if root.value is not None and not isinstance(root.value, dict):
        message = "the frontmatter is not made of keys and values"
        return Frontmatter({}, (Problem("broken_frontmatter", path, 1, message),), broken=True)
    problems = tuple(
        Problem("duplicate_key", path, 2 + line, f"the property {key!r} stands twice; the last one counts")
        for key, line in root.doubled
    )
    return Frontmatter({_folded(key): value for key, value in (root.value or {}).items()}, problems)


def entries(parts: Split) -> list[tuple[str, str]] | None:
    r"""Return each property's key, as ``Frontmatter.values`` has it, and its lines; joined, the lines are the block.

    What stands before the first property has the key ``""``; a comment belongs to the property above it. ``None`` for a
    block that is not one property under the other, each once.

    >>> entries(split("---\n# mine\na: 1\nb:\n- x\n---\n"))
    [('', '# mine\n'), ('a', 'a: 1\n'), ('b', 'b:\n- x\n')]
    """
    try:
        root = _load(parts.block)
    except (yaml.YAMLError, ValueError, RecursionError):
        return None
    if root.node is None:
        return [("", parts.block)]
    if not isinstance(root.node, yaml.MappingNode) or root.node.flow_style or root.doubled:
        return None
    keys = [node for node, _ in root.node.value]
    if any(node.start_mark.column for node in keys):
        return None
    starts = [0, *(node.start_mark.index for node in keys), len(parts.block)]
    names = ["", *(_folded(_source(node, parts.block)) for node in keys)]
    return [
        (name, parts.block[a:b])
        for name, a, b in zip(names, starts[:-1], starts[1:], strict=True)
        if name or parts.block[a:b]
    ]


def string(values: Mapping[str, Any], key: str) -> str | None:
    """Return a property as one text: the first of a list, ``None`` when absent or empty."""
    return next(iter(strings(values, key)), None)


def strings(values: Mapping[str, Any], key: str) -> tuple[str, ...]:
    """Return a property as a list of texts; lists in it are flattened: ``[[x]]`` unquoted is a list in a list."""
    found: list[str] = []
    waiting = [values.get(key)]
    while waiting:
        value = waiting.pop()
        if isinstance(value, str) and value.strip():
            found.append(unicodedata.normalize("NFC", value.strip()))
        elif isinstance(value, list):
            waiting.extend(reversed(value))
    return tuple(found)


def flag(values: Mapping[str, Any], key: str) -> bool:
    """Return whether a checkbox property is ticked; ``yes``, ``on`` and ``1`` count, since a person meant it so."""
    return (string(values, key) or "").casefold() in {"true", "yes", "on", "1"}


def render_frontmatter(values: Mapping[str, Value]) -> str:
    r"""Return a whole frontmatter with ``\n`` line ends.

    >>> print(render_frontmatter({"type": "topic", "part_of": ["[[Shop]]"], "reviewed": False}), end="")
    ---
    type: topic
    part_of:
      - "[[Shop]]"
    reviewed: false
    ---
    """
    return f"---\n{''.join(_entry(key, value, chr(10)) for key, value in values.items())}---\n"


def set_keys(text: str, values: Mapping[str, Value]) -> str:
    """Return ``text`` with these properties set, every other character as it was.

    A key that is there keeps its place and the comment behind it; a new key goes to the end of the frontmatter; a text
    without frontmatter gets one. Raises ``ValueError`` when that cannot be done safely: the frontmatter is broken, or
    the value that is there has a form (an anchor others refer to, one-line JSON) in which a splice would change more.
    """
    for key, value in values.items():
        text = _set_key(text, key, value)
    return text


def _set_key(text: str, key: str, value: Value) -> str:
    before = split(text)
    end = _line_end(text)
    if not before.opening:
        return before.bom + f"---{end}{_entry(key, value, end)}---{end}" + before.body
    was = read_frontmatter(before, "")
    if was.broken:
        raise ValueError(was.problems[0].message)
    pairs = getattr(_load(before.block).node, "value", ())
    entry = next((pair for pair in reversed(pairs) if _folded(_source(pair[0], before.block)) == _folded(key)), None)
    if entry is None:
        block = before.block + _entry(key, value, end)
    else:
        start, stop, new = _splice(before.block, entry[0], entry[1], value, end)
        block = before.block[:start] + new + before.block[stop:]
    after = before._replace(block=block)
    # The last word: whatever form the YAML had, nothing but this key may have changed its meaning.
    now = read_frontmatter(after, "")
    wanted = {**was.values, _folded(key): list(value) if isinstance(value, (list, tuple)) else _bare(value)}
    if now.broken or split(after.join()) != after or now.values != wanted:
        raise ValueError(f"the property {key!r} cannot be set without changing others; write it on a line of its own")
    return after.join()


def _splice(block: str, key_node: yaml.Node, node: yaml.Node, value: Value, end: str) -> tuple[int, int, str]:
    """Return where in the block the new value goes, and its text."""
    start, stop = node.start_mark.index, _content_end(node, block)
    in_block = _is_block(node)
    if in_block and isinstance(node, yaml.SequenceNode) and isinstance(value, (list, tuple)) and value:
        indent = " " * node.start_mark.column
        return start, stop, f"{end}{indent}".join(f"- {_scalar(item)}" for item in value)
    if isinstance(value, (list, tuple)):
        new = "[" + ", ".join(_scalar(item, quote=True) for item in value) + "]"
    else:
        new = _scalar(value)
    if in_block or start == stop:
        start = block.index(":", key_node.end_mark.index) + 1
        stop = max(stop, start)
        new = " " + new
    return start, stop, new


def _is_block(node: yaml.Node) -> bool:
    if isinstance(node, yaml.CollectionNode):
        return not node.flow_style
    return isinstance(node, yaml.ScalarNode) and node.style in ("|", ">")


def _content_end(node: yaml.Node, block: str) -> int:
    """Return where a node's own text ends: YAML's end mark of a block lies behind the comments that follow it."""
    while isinstance(node, yaml.CollectionNode) and not node.flow_style and node.value:
        last = node.value[-1]
        node = last[1] if isinstance(last, tuple) else last
    stop: int = node.end_mark.index
    if isinstance(node, yaml.ScalarNode) and node.style in ("|", ">"):
        stop = len(block[:stop].rstrip())
    return stop


def _entry(key: str, value: Value, end: str) -> str:
    if isinstance(value, (list, tuple)):
        return f"{key}:{end}" + "".join(f"  - {_scalar(item)}{end}" for item in value) if value else f"{key}: []{end}"
    return f"{key}: {_scalar(value)}{end}"


def _bare(value: Any) -> str:  # one of Value's scalars
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime):
        return value.replace(tzinfo=None).isoformat(timespec="seconds")
    return value.isoformat() if isinstance(value, date) else str(value)


def _scalar(value: Any, quote: bool = False) -> str:  # one of Value's scalars
    text = _bare(value)
    if not isinstance(value, str):
        return text
    if not quote and _PLAIN.fullmatch(text) and text.casefold() not in _NOT_TEXT:
        return text
    # JSON's quoted form is YAML's double-quoted one, but for characters that YAML does not let stand bare.
    return _UNPRINTABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(text, ensure_ascii=False))


def _line_end(text: str) -> str:
    found = re.search(r"\r\n|\n", text)
    return found[0] if found else "\n"


def _folded(key: str) -> str:
    return unicodedata.normalize("NFC", key).casefold()


class _Root(NamedTuple):
    """What a block of YAML holds."""

    node: yaml.Node | None
    value: Any  # None, str, list or dict
    doubled: list[tuple[str, int]]


class _TooMuch(yaml.YAMLError):
    """YAML beyond the bounds of this module."""


class _Bounds(Composer):
    """Composes nodes in Python over whatever parser stands behind, within the bounds above."""

    def __init__(self, stream: str) -> None:
        super(Composer, self).__init__(stream)  # type: ignore[call-arg]  # the parser's, which comes next in line
        self.anchors: dict[str, yaml.Node] = {}
        self.source = stream
        self.depth = self.aliases = 0

    def compose_node(self, parent: Any, index: Any) -> Any:  # PyYAML's own signature
        """Compose one node, counting depth and aliases."""
        self.aliases += self.check_event(yaml.AliasEvent)  # type: ignore[attr-defined]  # the parser's
        self.depth += 1
        if self.depth > _MAX_DEPTH or self.aliases > _MAX_ALIASES:
            raise _TooMuch(f"nested deeper than {_MAX_DEPTH} or more than {_MAX_ALIASES} aliases")
        node = super().compose_node(parent, index)
        self.depth -= 1
        return node


class _Loader(_Bounds, getattr(yaml, "CBaseLoader", yaml.BaseLoader)):  # type: ignore[misc]  # libyaml where it is built in
    """Every scalar is text, so no value can raise; empty and ``null`` are ``None``."""

    def construct_object(self, node: Any, deep: bool = False) -> Any:  # noqa: ARG002 - PyYAML's signature
        """Return text, list or dict; ``{{date}}`` of a template, a map with a map for key, stays the text it is."""
        if isinstance(node, yaml.ScalarNode):
            return None if not node.style and node.value.casefold() in {"", "~", "null"} else node.value
        if isinstance(node, yaml.MappingNode) and node.flow_style and node.value and not _plain_keys(node):
            return self.source[node.start_mark.index : node.end_mark.index]
        return super().construct_object(node, deep=True)

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[str, Any]:  # noqa: ARG002 - the same
        """Return a dict with text for keys."""
        return {_source(key, self.source): self.construct_object(value, deep=True) for key, value in node.value}

    def get_single_data(self) -> _Root:
        """Return the one document there is, with its node and the keys that stand twice at its top."""
        node = self.get_single_node()
        if node is None:
            return _Root(None, None, [])
        seen: set[str] = set()
        doubled = []
        for key_node, _ in node.value if isinstance(node, yaml.MappingNode) else ():
            key = _source(key_node, self.source)
            if _folded(key) in seen:
                doubled.append((key, key_node.start_mark.line))
            seen.add(_folded(key))
        return _Root(node, self.construct_document(node), doubled)


def _plain_keys(node: yaml.MappingNode) -> bool:
    return all(isinstance(key, yaml.ScalarNode) for key, _ in node.value)


def _source(node: yaml.Node, block: str) -> str:
    return node.value if isinstance(node, yaml.ScalarNode) else block[node.start_mark.index : node.end_mark.index]


def _load(block: str) -> _Root:
    if len(block) > _MAX_BLOCK:
        raise _TooMuch(f"it is longer than {_MAX_BLOCK} characters")
    root: _Root = frontmatter.YAMLHandler().load(block, Loader=_Loader)
    return root
