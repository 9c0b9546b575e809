"""Conversations from anywhere, written down in one of the forms of docs/hosts/generic.md: JSONL, JSON or Markdown."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import timedelta
from hashlib import sha256
from typing import Any, NamedTuple

from wwt_vault.capture import jsonl
from wwt_vault.capture.exports import Left, entries, moment, one_line
from wwt_vault.capture.following import Place, follow, resume
from wwt_vault.capture.generic_markdown import HEADER_KEYS, header_of, is_markdown, turns
from wwt_vault.capture.hosts import Head
from wwt_vault.capture.json_stream import JsonStream
from wwt_vault.capture.messages import message_of, text_field
from wwt_vault.model.conversation import Checkpoint, Message, Role, Session, Skipped

__all__ = ["read", "wrote"]

HOST = "generic"

_ROLES: dict[str, Role] = {
    "user": "user", "human": "user", "assistant": "assistant", "ai": "assistant", "model": "assistant",
}  # fmt: skip
_LISTS = ("messages", "conversations")
_OTHERS = ("developer", "function", "system", "tool")
"""Roles of what neither the person nor the assistant said."""


def wrote(head: Head) -> bool:
    """Tell whether a file that begins so says that it is a transcript, or begins with a message."""
    if is_markdown(head.data):
        return header_of(head.data.decode("utf-8-sig", "replace"))[0].get("type") == "transcript"
    first = head.records[0] if head.records else {}
    if first.get("type") == "transcript" or re.match(rb'[\s\[]*\{\s*"type"\s*:\s*"transcript"', _text(head)):
        return True
    return first.get("type") in (None, "message") and _role(first) is not None and _words(first) is not None


def read(
    path: jsonl.File,
    start: Checkpoint | None = None,
    parent_keys: Callable[[str], frozenset[str]] | None = None,  # noqa: ARG001 - forks are conversations of their own
) -> Iterator[Message | Skipped | Checkpoint]:
    """Yield what was said, in the order of the file; JSONL from ``start`` on, the other forms whole.

    Raises ``OSError``.
    """
    with jsonl.open_stream(path) as file:
        head = file.read(1 << 16)
    if is_markdown(head) or not head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith((b"{", b"[")):
        yield Checkpoint(offset=0, line=0, state={})
        yield from _read_markdown(path)
    elif _is_json(head):
        yield Checkpoint(offset=0, line=0, state={})
        yield from _read_json(path)
    else:
        file, begin = resume(path, start)
        with file:
            reader = _Lines(path, _State()._replace(**begin.state))
            yield from follow(reader, path, jsonl.lines(file, begin.offset, begin.line), begin)


class _State(NamedTuple):
    header: Mapping[str, Any] = {}
    session: str | None = None
    time: str | None = None
    """Of the last message."""
    started: str | None = None


class _Lines:
    """Makes messages of headers and messages that come one after the other."""

    patience = 0
    waiting: Place | None = None

    def __init__(self, path: jsonl.File, state: _State) -> None:
        self.path, self.state = path, state

    def as_json(self, state: _State) -> dict[str, Any]:
        return {**state._asdict(), "header": dict(state.header)}

    def rest(self) -> Iterator[Message]:
        return iter(())

    def take(self, record: Mapping[str, Any], line: jsonl.Line) -> Iterator[Message | Skipped]:
        if isinstance(talks := record.get("conversations"), list):
            for talk in talks:
                if isinstance(talk, dict) and "conversations" not in talk:
                    yield from self.take(talk, line)
        elif isinstance(record.get("messages"), list):
            self.begin(record)
            for message in record["messages"]:
                if isinstance(message, dict):
                    yield from self._message(message, line)
        elif record.get("type") == "transcript" or ("role" not in record and HEADER_KEYS & record.keys()):
            self.begin(record)
        else:
            yield from self._message(record, line)

    def begin(self, record: Mapping[str, Any]) -> None:
        """Begin another conversation, of which ``record`` is the header."""
        kept = {key: record[key] for key in HEADER_KEYS if isinstance(record.get(key), str | int | float)}
        self.state = _State(header=kept)

    def _message(self, record: Mapping[str, Any], line: jsonl.Line) -> Iterator[Message | Skipped]:
        role, words = _role(record), _words(record)
        if role is None or words is None:
            if record.get("role") not in _OTHERS:
                reason = f"no message: role is {record.get('role')!r:.60}" if role is None else "a message without text"
                yield Skipped(path=str(self.path), line=line.number, reason=reason)
            return
        said = self.made(role, words, record)
        if said is not None:
            yield said

    def made(self, role: Role, words: str, record: Mapping[str, Any]) -> Message | None:
        """Return a message, with what ``record`` says of it and else what the header does."""
        header = self.state.header
        last = moment(self.state.time)
        time = moment(record.get("time") or record.get("timestamp") or record.get("created_at"))
        time = time or (last + timedelta(milliseconds=1) if last else moment(header.get("started")))
        time = time or jsonl.file_time(self.path)
        name = _name(record.get("session")) or _name(header.get("session")) or self.state.session
        name = name or self._named_by(words)
        started = self.state.started if name == self.state.session else None
        self.state = self.state._replace(session=name, time=time.isoformat(), started=started or time.isoformat())
        model = text_field(record, "model") or text_field(header, "model")
        return message_of(
            self._session(name),
            role,
            words,
            time,
            key=_name(record.get("id")),
            model=model if role == "assistant" else None,
            cwd=text_field(header, "cwd"),
            git_branch=text_field(header, "git_branch"),
        )

    def _session(self, name: str) -> Session:
        header = self.state.header
        host = re.sub(r"[^a-z0-9._-]+", "-", str(header.get("host") or "").lower()).strip("-")[:40]
        return Session(
            host=host or HOST,
            session_id=name,
            cwd=text_field(header, "cwd"),
            git_branch=text_field(header, "git_branch"),
            started=moment(header.get("started")) or moment(self.state.started),
            title=one_line(header.get("title")),
            folder=one_line(header.get("folder")),
            assistant=one_line(header.get("assistant")),
        )

    def _named_by(self, words: str) -> str:
        """Return an id for a conversation that has none: the file's name, and a hash of how it begins."""
        stem = self.path.name.partition(".")[0]
        return f"{stem}-{sha256(words.strip().encode('utf-8', 'replace')).hexdigest()[:8]}"


def _read_json(path: jsonl.File) -> Iterator[Message | Skipped]:
    """Read messages that are not on lines of their own: a list of them, or objects with a list."""
    left = Left()
    lines = _Lines(path, _State())
    line = jsonl.Line(number=0, start=0, end=0, data=b"", whole=True)
    with jsonl.open_stream(path) as file:
        stream = JsonStream(file)

        def entry(depth: int) -> Iterator[Message | Skipped]:
            record: dict[str, Any] = {}
            has_list = False
            for name in stream.members():
                if name in _LISTS and stream.kind() == "[":
                    has_list = True
                    lines.begin(record)
                    yield from entries(stream, entry, left, depth + 1)
                else:
                    record[name] = stream.value()
            if not has_list:
                yield from lines.take(record, line)

        try:
            yield from entries(stream, entry, left)
        except ValueError as error:
            yield Skipped(path=str(path), line=0, reason=str(error))
    yield from left.skipped(path)


def _read_markdown(path: jsonl.File) -> Iterator[Message | Skipped]:
    lines = _Lines(path, _State())
    for turn in turns(path):
        if turn.role is None:
            if turn.number == 0:
                lines.state = _State(header=turn.header)
            else:
                reason = "text before the first turn: a turn begins with a line like `## User`"
                yield Skipped(path=str(path), line=turn.number, reason=reason)
            continue
        said = lines.made(turn.role, turn.text, {"time": turn.time.isoformat() if turn.time else None})
        if said is not None:
            yield said


def _role(record: Mapping[str, Any]) -> Role | None:
    role = record.get("role")
    return _ROLES.get(role.lower()) if isinstance(role, str) else None


def _words(record: Mapping[str, Any]) -> str | None:
    value = record["text"] if "text" in record else record.get("content")
    if isinstance(value, str):
        return value
    if not isinstance(value, list):
        return None
    texts = [part if isinstance(part, str) else _part(part) for part in value]
    return "\n\n".join(text for text in texts if text)


def _part(part: Any) -> str | None:
    is_text = isinstance(part, dict) and part.get("type") in (None, "text", "input_text", "output_text")
    return text_field(part, "text") if is_text else None


def _name(value: Any) -> str | None:
    return str(value)[:200] if isinstance(value, str | int) and not isinstance(value, bool) and value != "" else None


def _text(head: Head) -> bytes:
    return head.data.lstrip(b"\xef\xbb\xbf \t\r\n")


def _is_json(head: bytes) -> bool:
    """Tell JSON that is spread over lines, or a list, from JSONL: there the first line is a whole object."""
    text = head.lstrip(b"\xef\xbb\xbf \t\r\n")
    return text.startswith(b"[") or not text.partition(b"\n")[0].rstrip().endswith(b"}")
