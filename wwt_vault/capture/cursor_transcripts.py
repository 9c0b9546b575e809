"""Cursor's transcripts of its agent: ``~/.cursor/projects/<folder>/agent-transcripts/``, JSONL, before 2026 plain text.

A line has a role and the parts of a message, and no id; newer ones tell the time of a prompt, to the minute. A message
is therefore known by its line, and said when the last time that was told was, or the file was written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from wwt_vault.capture import jsonl
from wwt_vault.capture.cursor_words import answered, asked, blocks, folder_in, time_in, typed
from wwt_vault.capture.following import Place, follow, resume
from wwt_vault.capture.hosts import Head
from wwt_vault.capture.messages import message_of, text_field, time_of
from wwt_vault.model.conversation import Checkpoint, Message, Role, Session, Skipped

__all__ = ["read", "wrote"]

_TURN = re.compile(r"(user|assistant):")
_MARK = re.compile(r"\[(?:Thinking|Tool call|Tool result)\]")
"""How the line begins that says what follows, indented, in an answer of the older kind."""


def wrote(head: Head) -> bool:
    """Tell whether a file that begins so is a transcript of Cursor's agent."""
    for record in head.records:
        message = record.get("message")
        if record.get("role") in ("user", "assistant") and "type" not in record and isinstance(message, dict):
            return "content" in message
    text = head.data.lstrip(b"\xef\xbb\xbf \t\r\n")
    is_old = re.match(rb"(?:user|assistant):[ \t]*\r?\n", text) is not None
    return is_old and (b"<user_query>" in text or "agent-transcripts" in str(head.path))


def read(path: jsonl.File, start: Checkpoint | None) -> Iterator[Message | Skipped | Checkpoint]:
    """Yield what was said, from ``start`` on; a text of the older kind is read whole each time. Raises ``OSError``."""
    if "subagents" in str(path).replace("\\", "/").split("/"):
        yield Skipped(path=str(path), line=0, reason="a subagent's transcript: not the person's words")
        return
    with jsonl.open_stream(path) as file:
        is_old = _TURN.match(file.read(1 << 12).decode("utf-8-sig", "replace").lstrip()) is not None
    if is_old:
        yield Checkpoint(offset=0, line=0, state={})
        yield from _read_text(path)
        return
    file, begin = resume(path, start)
    with file:
        reader = _Transcript(path, _State()._replace(**begin.state))
        yield from follow(reader, path, jsonl.lines(file, begin.offset, begin.line), begin)


class _State(NamedTuple):
    time: str | None = None
    """Of the last message, in a transcript that tells times."""
    started: str | None = None
    cwd: str | None = None


class _Transcript:
    patience = 0
    waiting: Place | None = None

    def __init__(self, path: jsonl.File, state: _State) -> None:
        self.path, self.state = path, state

    def as_json(self, state: _State) -> dict[str, Any]:
        return state._asdict()

    def rest(self) -> Iterator[Message]:
        return iter(())

    def take(self, record: dict[str, Any], line: jsonl.Line) -> Iterator[Message | Skipped]:
        role, message = record.get("role"), record.get("message")
        content = message.get("content") if isinstance(message, dict) else record.get("content")
        if role not in ("user", "assistant"):
            if content and role != "system" and record.get("type") not in ("error", "turn_ended"):
                yield Skipped(path=str(self.path), line=line.number, reason=f"a record of unknown role {role!r}")
            return
        if record.get("isSidechain"):
            return
        if role == "user":
            for block in blocks(content):
                self._notice(text_field(block, "text") or "")
        words = asked(content) if role == "user" else answered(content)
        said = _message(self.path, self.state, role, words or "", time=self._time(line.number), key=f"L{line.number}")
        if said is not None:
            time = said.time.isoformat()
            self.state = self.state._replace(time=time if self.state.time else None, started=self.state.started or time)
            yield said

    def _notice(self, text: str) -> None:
        self.state = self.state._replace(cwd=self.state.cwd or folder_in(text))
        told, last = time_in(text), time_of(self.state.time)
        if told is not None and (last is None or told > last):
            self.state = self.state._replace(time=(told - timedelta(milliseconds=1)).isoformat())

    def _time(self, line: int) -> datetime:
        last = time_of(self.state.time)
        return last + timedelta(milliseconds=1) if last else jsonl.file_time(self.path) + timedelta(milliseconds=line)


def _message(path: jsonl.File, state: _State, role: Role, words: str, *, time: datetime, key: str) -> Message | None:
    parts = str(path).replace("\\", "/").split("/")
    at = parts.index("agent-transcripts") if "agent-transcripts" in parts else 0
    session = Session(
        host="cursor",
        session_id=path.name.partition(".")[0],
        cwd=state.cwd,
        started=time_of(state.started) or time,
        folder=parts[at - 1] if at else None,
    )
    return message_of(session, role, words, time, key=key, cwd=state.cwd)


def _read_text(path: jsonl.File) -> Iterator[Message]:
    """Read a transcript of the older kind: a role and a colon on a line of their own, and what was said below."""
    written = jsonl.file_time(path)
    state = _State(started=written.isoformat())
    for role, number, lines in _turns(path):
        text = "\n".join(lines)
        words = typed(text) if role == "user" else "\n".join(_prose(lines))
        said = _message(path, state, role, words or "", time=written + timedelta(milliseconds=number), key=f"T{number}")
        if said is not None:
            yield said


def _turns(path: jsonl.File) -> Iterator[tuple[Role, int, list[str]]]:
    """Yield who spoke, on which line that stands, and the lines below; a marker inside a query is the person's own."""
    role: Role | None = None
    number, lines, quoted = 0, list[str](), False
    with jsonl.open_stream(path) as file:
        for line in jsonl.lines(file):
            text = line.data.decode("utf-8-sig" if line.number == 1 else "utf-8", "replace").rstrip("\r\n")
            found = _TURN.fullmatch(text.strip())
            if found is not None and not quoted:
                if role is not None:
                    yield role, number, lines
                role, number, lines = "user" if found[1] == "user" else "assistant", line.number, []
                continue
            lines.append(text)
            opened, closed = text.rfind("<user_query>"), text.rfind("</user_query>")
            quoted = opened > closed if opened >= 0 or closed >= 0 else quoted
    if role is not None:
        yield role, number, lines


def _prose(lines: list[str]) -> Iterator[str]:
    """Yield the lines of an answer but those of its reasoning and tools, which are indented below a mark."""
    below_mark = False
    for line in lines:
        if _MARK.match(line.strip()):
            below_mark = True
        elif line.strip() and not line[0].isspace():
            below_mark = False
        if not below_mark:
            yield line
