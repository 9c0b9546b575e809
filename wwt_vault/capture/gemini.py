"""Gemini CLI: what its hooks send and what its session files mean.

Payloads: docs/hooks/reference.md of google-gemini/gemini-cli; files: its services/chatRecordingService.ts. Up to 0.38 a
session is one JSON object that is rewritten whole, since 0.39 it is JSONL: messages, of which the same id comes again
when it changes, and patches. A patch that replaces all messages takes back nothing that was said.
"""

from __future__ import annotations

import json
import re
from binascii import crc32
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from typing import Any, NamedTuple

from wwt_vault.capture import jsonl
from wwt_vault.capture.following import Place, before, follow, resume
from wwt_vault.capture.hosts import Head
from wwt_vault.capture.messages import call_of, image_note, message_of, text_field, time_of
from wwt_vault.capture.text import canonical
from wwt_vault.model.conversation import Checkpoint, HookCall, HookKind, Message, Session, Skipped

__all__ = ["parse_hook", "read", "wrote"]

HOST = "gemini"

_KINDS: dict[str, HookKind] = {
    "SessionStart": "start",
    "BeforeAgent": "prompt",
    "AfterAgent": "answer",
    "SessionEnd": "end",
}

_INJECTED = (
    "<session_context>",
    "<state_snapshot>",
    "System: Please continue.",
    "System: Potential loop detected.",
    "[System: You previously ",
)
"""How texts begin that Gemini CLI itself puts into the person's mouth."""

_PLACEHOLDERS = (
    "[no response text]",
    "[The previous response was interrupted before it completed.]",
    "Got it. Thanks for the additional context!",
)
"""Answers that no model gave; the last one follows the summary of a compressed conversation."""

_REFERENCED = re.compile(r"(?ms)^--- Content from referenced files ---$.*(?:^--- End of content ---|\Z)")
"""The files that a prompt names with ``@``, as Gemini CLI puts them behind it."""

_LIST = r'"messages"\s*:\s*\['
_SMALL = 16 << 20
"""Bytes of a file of the old kind that is read as a whole; of a larger one the messages one by one."""


def parse_hook(payload: Mapping[str, Any], now: datetime) -> HookCall:
    """Read the payload of any hook event. An answer's text is garbled as soon as it came in pieces."""
    kind = _KINDS.get(text_field(payload, "hook_event_name") or "", "other")
    session = Session(host=HOST, session_id=text_field(payload, "session_id") or "", cwd=text_field(payload, "cwd"))
    words = None
    if kind == "prompt":
        words = _typed(text_field(payload, "prompt") or "")
    elif kind == "answer":
        words = _untangled(text_field(payload, "prompt_response") or "")
        words = None if words.strip() in _PLACEHOLDERS else words
    time = time_of(payload.get("timestamp")) or now
    return call_of(payload, kind, session, time, words=words, transcript_first=kind == "answer")


def wrote(head: Head) -> bool:
    """Tell whether a file that begins so is a session of Gemini CLI."""
    if any({"sessionId", "projectHash"} <= record.keys() for record in head.records):
        return True
    if any(_is_message(record) or isinstance(record.get("$rewindTo"), str) for record in head.records):
        return True
    text = head.data.lstrip(b"\xef\xbb\xbf \t\r\n")
    return text.startswith(b"{") and all(b'"%s"' % name in text for name in (b"sessionId", b"projectHash", b"messages"))


def read(
    path: jsonl.File,
    start: Checkpoint | None = None,
    parent_keys: Callable[[str], frozenset[str]] | None = None,  # noqa: ARG001 - there are no forks here
) -> Iterator[Message | Skipped | Checkpoint]:
    """Yield what was said, in the order of the file, from ``start`` on. Raises ``OSError``.

    A file of the old kind, one JSON object, is read from its beginning each time: it was written anew.
    """
    if _is_one_object(path):
        yield from _read_object(path)
        return
    file, begin = resume(path, start)
    with file:
        reader = _Chat(path, begin.state)
        yield from follow(reader, path, jsonl.lines(file, begin.offset, begin.line), begin)


class _State(NamedTuple):
    session_id: str | None = None
    cwd: str | None = None
    started: str | None = None
    subagent: bool = False
    said: int = 0
    """How many messages were said; which is in the reader's own list."""


class _Chat:
    def __init__(self, path: jsonl.File, kept: dict[str, Any]) -> None:
        self.path = path
        self.waiting: Place | None = None
        self._last: Message | None = None
        """An answer that may come again, longer."""
        self._log: list[list[str]] = [list(entry) for entry in kept.get("said", ())]
        """Id and digest of the words of every message that was said: each resumption writes all of them again."""
        self._said: dict[str, str] = dict(self._log)
        self._digests = set(self._said.values())
        self.state = _State()._replace(**{**kept, "said": len(self._log)})

    @property
    def patience(self) -> int:
        return len(self._log) // 64

    def as_json(self, state: _State) -> dict[str, Any]:
        return {**state._asdict(), "said": self._log[: state.said]}

    def rest(self) -> Iterator[Message]:
        if self._last is not None:
            yield self._last

    def take(self, record: dict[str, Any], line: jsonl.Line) -> Iterator[Message | Skipped]:
        if "sessionId" in record and "type" not in record:
            yield from self._header(record, line)
            if isinstance(record.get("messages"), list):  # a whole session of the old kind, on one line
                yield from self._replaced(record["messages"], line)
        elif isinstance(record.get("$set"), dict):
            if isinstance(messages := record["$set"].get("messages"), list):
                yield from self._replaced(messages, line)
        elif _is_message(record):
            yield from self._message(record, line)
        elif "$rewindTo" not in record and record.get("type") not in ("info", "error", "warning"):
            yield Skipped(path=str(self.path), line=line.number, reason="a record of unknown kind")

    def _header(self, record: dict[str, Any], line: jsonl.Line) -> Iterator[Skipped]:
        if self.state.session_id is not None:
            return  # a resumed session's header comes again
        folders = record.get("directories")
        cwd = folders[0] if isinstance(folders, list) and folders and isinstance(folders[0], str) else None
        subagent = record.get("kind") == "subagent"
        self.state = self.state._replace(
            session_id=text_field(record, "sessionId"),
            cwd=cwd or _project_folder(self.path),
            started=text_field(record, "startTime"),
            subagent=subagent,
        )
        if subagent:
            yield Skipped(path=str(self.path), line=line.number, reason="a subagent's session: not the person's words")

    def _replaced(self, messages: list[Any], line: jsonl.Line) -> Iterator[Message | Skipped]:
        """Take a patch that replaces all messages: what is known in it comes with new times, and maybe new ids."""
        for at, message in enumerate(messages):
            follower = messages[at + 1] if at + 1 < len(messages) else None
            if not isinstance(message, dict) or not _is_message(message):
                continue
            if isinstance(follower, dict) and _words(follower).strip() == _PLACEHOLDERS[-1]:
                continue  # the summary in place of a compressed conversation
            last = self._last
            if message["id"] in self._said or (last is not None and last.key == message["id"]):
                continue
            self._notice_folder(message)
            # Compressing gives what it keeps new ids.
            again = self._made(message, line)
            if (
                again is None
                or _digest(again) in self._digests
                or (last is not None and _digest(again) == _digest(last))
            ):
                continue
            yield from self._message(message, line)

    def _message(self, record: dict[str, Any], line: jsonl.Line) -> Iterator[Message | Skipped]:
        if self.state.subagent:
            return
        if self._last is not None and (record["type"] == "user" or record["id"] != self._last.key):
            last, self._last, self.waiting = self._last, None, None
            if self._is_new(last):
                yield last
        self._notice_folder(record)
        message = self._made(record, line)
        if message is None:
            return
        if message.role == "user":
            if self._is_new(message):
                yield message
        elif self._last is None:
            self._last, self.waiting = message, before(line, self.state)
        else:
            self._last = message._replace(time=self._last.time)

    def _notice_folder(self, record: dict[str, Any]) -> None:
        """The first thing that newer versions tell the model is where it works."""
        if self.state.cwd is None and record["type"] == "user":
            found = re.search(r"\*\*Workspace Directories:\*\*\s*- (.+)", _text(record.get("content"))[:20_000])
            if found:
                self.state = self.state._replace(cwd=found[1].strip())

    def _made(self, record: dict[str, Any], line: jsonl.Line) -> Message | None:
        words = _words(record)
        session = Session(
            host=HOST,
            session_id=self.state.session_id or self.path.name.partition(".")[0],
            cwd=self.state.cwd,
            started=time_of(self.state.started),
        )
        time = time_of(record.get("timestamp")) or session.started or jsonl.file_time(self.path)
        key = record["id"] or f"L{line.number}"
        if record["type"] == "user":
            parts = [_typed(words) or "", *_binaries(record.get("content"))]
            return message_of(session, "user", "\n\n".join(filter(None, parts)), time, key=key, cwd=session.cwd)
        if words.strip() in _PLACEHOLDERS:
            return None
        model = text_field(record, "model")
        return message_of(session, "assistant", words, time, key=key, model=model, cwd=session.cwd)

    def _is_new(self, message: Message) -> bool:
        name, digest = message.key or "", _digest(message)
        if self._said.get(name) == digest:
            return False
        self._said[name] = digest
        self._digests.add(digest)
        self._log.append([name, digest])
        self.state = self.state._replace(said=len(self._log))
        return True


def _digest(message: Message) -> str:
    return f"{crc32(f'{message.role} {message.text}'.encode()):08x}"


def _is_message(record: dict[str, Any]) -> bool:
    return (
        record.get("type") in ("user", "gemini")
        and isinstance(record.get("id"), str)
        and "timestamp" in record
        and ("content" in record or "toolCalls" in record)
    )


def _words(record: dict[str, Any]) -> str:
    """Return the text of a message; of a prompt what was shown, which has no files and instructions in it."""
    text = _text(record.get("content"))
    shown = _text(record.get("displayContent"))
    if record.get("type") != "user" or not shown:
        return text
    # Gemini CLI goes on by itself in the person's name, and shows their last prompt for it.
    said = canonical(text)
    return text if said.startswith(_INJECTED) else "" if said == "Please continue." != canonical(shown) else shown


def _text(content: Any) -> str:
    parts = content if isinstance(content, list) else [content]
    texts = [part if isinstance(part, str) else "" for part in parts]
    for at, part in enumerate(parts):
        if isinstance(part, dict) and not part.get("thought"):
            text = text_field(part, "text") or ""
            whole = text.startswith("<hook_context>") and text.endswith("</hook_context>")
            texts[at] = "" if whole else text
    return "".join(texts)


def _typed(text: str) -> str | None:
    """Return what of ``text`` a person typed, or ``None``."""
    text = canonical(_REFERENCED.sub("", canonical(text)))
    if text.startswith(_INJECTED) or (text.startswith("<scratchpad>") and "<state_snapshot>" in text):
        return None
    return None if text in ("", "?") or re.fullmatch(r"/[\w:.-]+", text) else text


def _binaries(content: Any) -> Iterator[str]:
    parts = content if isinstance(content, list) else []
    if any(isinstance(part, dict) and "functionResponse" in part for part in parts):
        return  # what a tool gave
    for part in parts:
        for name, data in (("inlineData", "data"), ("fileData", "")):
            if isinstance(part, dict) and isinstance(binary := part.get(name), dict):
                media_type = text_field(binary, "mimeType") or "unknown type"
                kind = media_type.partition("/")[0]
                kind = kind if kind in ("image", "audio", "video") else "document"
                yield image_note(kind, media_type, binary.get(data))


def _untangled(text: str) -> str:
    """Mend an answer that came in pieces: the hook is given all of it, and then all pieces but the first again."""
    letters = "".join(text.split())
    ending = letters[-16:]
    end = len(letters) - 16
    while len(ending) == 16 and (end := letters.rfind(ending, len(letters) // 2 - 16, end + 15)) >= 0:
        whole = end + 16  # letters of the answer, if what follows is its own end
        rest = len(letters) - whole
        if whole > rest and letters.endswith(letters[whole - rest : whole]):
            seen = 0
            for at, letter in enumerate(text):
                seen += not letter.isspace()
                if seen == whole:
                    return text[: at + 1]
    return text


def _is_one_object(path: jsonl.File) -> bool:
    with jsonl.open_stream(path) as file:
        first, second = file.readline(1 << 16), file.readline(1 << 16)
    if re.search(_LIST.encode(), first) and b'"$set"' not in first:
        return True
    return not any(_is_object(line) for line in (first, second))


def _is_object(line: bytes) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return len(line) == 1 << 16  # too long to be read here: no line of an indented object is


def _read_object(path: jsonl.File) -> Iterator[Message | Skipped | Checkpoint]:
    yield Checkpoint(offset=0, line=0, state={})
    chat = _Chat(path, {})
    line = jsonl.Line(number=0, start=0, end=0, data=b"", whole=True)
    for record in _object(path):
        if isinstance(record, str):
            yield Skipped(path=str(path), line=0, reason=record)
        elif "sessionId" in record and "type" not in record:
            yield from chat.take({**record, "messages": None}, line)
        elif _is_message(record):
            yield from chat.take(record, line)
    yield from chat.rest()


def _object(path: jsonl.File) -> Iterator[dict[str, Any] | str]:
    """Yield the session's own fields, then its messages one by one, or what is wrong with the file."""
    if jsonl.size_of(path) <= _SMALL:
        try:
            session = json.loads(path.read_bytes().decode("utf-8-sig", "replace"))
        except (ValueError, RecursionError):
            session = None
        if isinstance(session, dict):
            messages = session.get("messages")
            yield session
            yield from (message for message in messages or () if isinstance(message, dict))
            return
    with jsonl.open_stream(path) as file:
        head = re.split(_LIST, file.read(1 << 20).decode("utf-8-sig", "replace"), maxsplit=1)[0]
        fields = re.findall(r'"(sessionId|startTime|kind)"\s*:\s*"([^"\\]*)"', head)
        yield dict(fields)
        jsonl.skip_to(file, 0)
        try:
            for _, message in jsonl.elements(file, _LIST):
                if isinstance(message, dict):
                    yield message
        except (ValueError, RecursionError) as error:
            yield str(error)


def _project_folder(path: Any) -> str | None:
    """Return the folder that a session belongs to, as Gemini CLI notes it beside its sessions, or ``None``."""
    home = path.parent.parent
    try:
        return (home / ".project_root").read_text("utf-8").strip() or None
    except (OSError, ValueError):
        pass
    try:
        projects = json.loads((home.parent.parent / "projects.json").read_bytes())["projects"]
        return next((folder for folder, name in projects.items() if name == home.name), None)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
