"""Claude Code: what its hooks send and what its transcripts mean.

Payloads: code.claude.com/docs/en/hooks. Transcripts are JSONL, one record a line, in a form that Anthropic calls
internal and changes between versions; read here: 1.0 to 2.1. A record is no message: one answer is spread over several
records of one ``message.id``, and of the records of type ``user`` less than a tenth are what a person typed.
"""

from __future__ import annotations

import re
from binascii import crc32
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from wwt_vault.capture import jsonl
from wwt_vault.capture.following import Place, before, follow, resume
from wwt_vault.capture.hosts import Head
from wwt_vault.capture.messages import call_of, image_note, message_of, text_field, time_of
from wwt_vault.capture.text import canonical
from wwt_vault.model.conversation import Checkpoint, HookCall, HookKind, Message, Session, Skipped

if TYPE_CHECKING:
    from wwt_vault.capture.prompt_history import History

__all__ = ["parse_hook", "read", "wrote"]

HOST = "claude-code"

_KINDS: dict[str, HookKind] = {
    "SessionStart": "start",
    "UserPromptSubmit": "prompt",
    "Stop": "answer",  # StopFailure is none: its text is the error's
    "SessionEnd": "end",
}

_NOISE = (
    "<local-command-",
    "Caveat: The messages below",
    "<bash-",
    "[Request interrupted by user",
    "This session is being continued from a previous conversation",
    "<task-notification>",
    "<teammate-message",
    "Stop hook feedback:",
    "<session-start-hook>",
    "<tick>",
    "<goal>",
    "Base directory for this skill:",
)
"""How texts begin that Claude Code itself puts into the person's mouth."""

_NOT_TYPED = (
    "isMeta",
    "isVirtual",
    "isCompactSummary",
    "isVisibleInTranscriptOnly",
    "toolUseResult",
    "sourceToolAssistantUUID",
)
"""What marks a record of type ``user`` that no person typed."""

_MACHINES = ("auto-continuation", "coordinator", "peer", "system", "task-notification")
"""Who else queues a prompt."""

_QUIET = {
    "agent-name", "agent-setting", "ai-title", "atis-latch", "attachment", "bridge-session", "content-replacement",
    "custom-title", "file-history-delta", "file-history-snapshot", "frame-link", "last-prompt", "mode",
    "permission-mode", "pr-link", "progress", "queue-operation", "relocated", "result", "started", "summary", "system",
    "tag", "worktree-state",
}  # fmt: skip
"""Types of records that hold no message of the conversation."""

_SESSIONS, _RECENT = 8, 64
"""Sessions and messages remembered of one file: to know a session's start, and a record that is written twice."""


def parse_hook(payload: Mapping[str, Any], now: datetime) -> HookCall:
    """Read the payload of any hook event; those that say nothing new are of kind ``other``."""
    event = text_field(payload, "hook_event_name") or ""
    kind = _KINDS.get(event, "other")
    session = Session(host=HOST, session_id=text_field(payload, "session_id") or "", cwd=text_field(payload, "cwd"))
    words = None
    if kind == "prompt":
        words = _typed(text_field(payload, "prompt") or "")
    elif kind == "answer":
        words = text_field(payload, "last_assistant_message")
    call = call_of(payload, kind, session, now, words=words, turn=text_field(payload, "prompt_id"))
    return call._replace(subagent=True) if event in ("SubagentStart", "SubagentStop") else call


def wrote(head: Head) -> bool:
    """Tell whether a file that begins so is a transcript of Claude Code."""
    for record in head.records:
        kind = text_field(record, "type")
        if kind in ("user", "assistant"):
            message = record.get("message")
            if isinstance(message, dict) and ("content" in message or "role" in message):
                return True
        elif kind in _QUIET and any(name in record for name in ("sessionId", "uuid", "leafUuid", "messageId")):
            return True
        elif kind is None and isinstance(record.get("display"), str) and "timestamp" in record:
            return True  # what was typed at the prompt
    return False


def read(
    path: jsonl.File,
    start: Checkpoint | None = None,
    parent_keys: Callable[[str], frozenset[str]] | None = None,
) -> Iterator[Message | Skipped | Checkpoint]:
    """Yield what was said, in the order of the file, from ``start`` on; or what was typed, of ``history.jsonl``.

    A message belongs to the session that its record names: the file of a resumed session may begin with records of an
    earlier one. Forks keep the ids of what they repeat; ``parent_keys`` tells which sessions of a history are known.
    Raises ``OSError``.
    """
    file, begin = resume(path, start)
    with file:
        reader = _Transcript(path, _State.of_json(begin.state), parent_keys)
        yield from follow(reader, path, jsonl.lines(file, begin.offset, begin.line), begin)


class _State(NamedTuple):
    sessions: Mapping[str, tuple[str | None, ...]]
    """By id: folder, branch, start, parent."""
    turn: str | None
    time: str | None
    recent: tuple[str, ...]

    @staticmethod
    def of_json(kept: dict[str, Any]) -> _State:
        sessions = {name: tuple(facts) for name, facts in kept.get("sessions", {}).items()}
        return _State(sessions, kept.get("turn"), kept.get("time"), tuple(kept.get("recent", ())))


class _Answer(NamedTuple):
    """An answer of which more records may follow."""

    group: tuple[Any, ...]
    message: Message
    texts: tuple[str, ...]


class _Transcript:
    def __init__(self, path: jsonl.File, state: _State, known_keys: Callable[[str], frozenset[str]] | None) -> None:
        self.path, self.state, self._known_keys = path, state, known_keys
        self._history: History | None = None
        self.waiting: Place | None = None
        self._answer: _Answer | None = None

    patience = 0

    def as_json(self, state: _State) -> dict[str, Any]:
        sessions = {name: list(facts) for name, facts in state.sessions.items()}
        return {"sessions": sessions, "turn": state.turn, "time": state.time, "recent": list(state.recent)}

    def take(self, record: dict[str, Any], line: jsonl.Line) -> Iterator[Message | Skipped]:
        kind = text_field(record, "type")
        if record.get("isSidechain") or record.get("agentId") or record.get("teamName"):
            return  # what a subagent or a teammate was told and said
        if kind == "assistant":
            yield from self._assistant(record, line)
        elif kind == "user":
            yield from self._finished()
            yield from self._user(record, line)
        elif kind == "attachment":
            yield from self._attachment(record, line)
        elif kind is None and "display" in record:
            from wwt_vault.capture.prompt_history import History  # noqa: PLC0415 - no hook reads one

            self._history = self._history or History(HOST, _typed, self._known_keys)
            yield from self._history.messages(record)
        elif kind not in _QUIET and isinstance(record.get("message"), dict) and record["message"].get("content"):
            yield self._skipped(line, f"a record of unknown type {kind!r} with a message in it")

    def rest(self) -> Iterator[Message]:
        if self._answer is not None and self._mark(self._answer.message) not in self.state.recent:
            yield self._answer.message

    def _assistant(self, record: dict[str, Any], line: jsonl.Line) -> Iterator[Message | Skipped]:
        message = record.get("message")
        if not isinstance(message, dict):
            yield self._skipped(line, "an answer without content")
            return
        if record.get("isApiErrorMessage") or message.get("model") == "<synthetic>" or record.get("isMeta"):
            return  # the program's own words
        # Without an id every record is an answer of its own; and an id alone does not do, some proxies repeat it.
        group = (message.get("id") or line.start, record.get("requestId"), record.get("sessionId"))
        if self._answer is not None and self._answer.group != group:
            yield from self._finished()
        texts = tuple(_texts(message.get("content")))
        if self._answer is not None:
            texts = tuple(text for text in texts if text not in self._answer.texts)
            if texts:
                texts = (*self._answer.texts, *texts)
                grown = self._message(record, "assistant", "\n\n".join(texts), line)
                if grown is not None:
                    first = self._answer.message
                    grown = first._replace(text=grown.text, redactions=grown.redactions)
                    self._answer = _Answer(group, grown, texts)
        elif texts:
            opened = before(line, self.state)
            begun = self._message(record, "assistant", "\n\n".join(texts), line)
            if begun is not None:
                self._answer, self.waiting = _Answer(group, begun, texts), opened

    def _finished(self) -> Iterator[Message]:
        answer, self._answer, self.waiting = self._answer, None, None
        if answer is not None and self._is_new(answer.message):
            yield answer.message

    def _user(self, record: dict[str, Any], line: jsonl.Line) -> Iterator[Message | Skipped]:
        message = record.get("message")
        if not isinstance(message, dict) or "content" not in message:
            yield self._skipped(line, "a prompt without content")
            return
        if turn := text_field(record, "promptId"):
            self.state = self.state._replace(turn=turn)
        if any(record.get(flag) for flag in _NOT_TYPED) or record.get("promptSource") == "system":
            return
        words = _prompt(message["content"])
        if words is not None:
            self.state = self.state._replace(turn=turn)
            yield from self._prompted(record, words, line, turn)

    def _attachment(self, record: dict[str, Any], line: jsonl.Line) -> Iterator[Message]:
        """Of the attachments one kind is a prompt: it was typed while the assistant worked, and is nowhere else."""
        attachment = record.get("attachment")
        if not isinstance(attachment, dict) or attachment.get("type") != "queued_command":
            return
        origin = attachment.get("origin")
        if isinstance(origin, dict) and text_field(origin, "kind") in _MACHINES:
            return
        if attachment.get("commandMode") not in (None, "prompt") or record.get("isMeta") or attachment.get("isMeta"):
            return
        words = _prompt(attachment.get("prompt"))
        if words is not None:
            yield from self._finished()
            key = text_field(attachment, "source_uuid")
            yield from self._prompted({**record, "uuid": key} if key else record, words, line, None)

    def _prompted(self, record: dict[str, Any], words: str, line: jsonl.Line, turn: str | None) -> Iterator[Message]:
        message = self._message(record, "user", words, line)
        if message is not None and self._is_new(message):
            yield message._replace(turn=turn)

    def _message(self, record: dict[str, Any], role: Any, words: str, line: jsonl.Line) -> Message | None:
        time = time_of(record.get("timestamp")) or time_of(self.state.time) or jsonl.file_time(self.path)
        fork = record.get("forkedFrom")
        fork = fork if isinstance(fork, dict) else {}
        answer = record["message"] if role == "assistant" else {}
        cwd, branch = text_field(record, "cwd"), _branch(record)
        return message_of(
            self._session(record, fork, time),
            role,
            words,
            time,
            key=text_field(fork, "messageUuid") or text_field(record, "uuid") or f"L{line.number}",
            turn=self.state.turn,
            model=text_field(answer, "model"),
            cwd=cwd,
            git_branch=branch,
        )

    def _session(self, record: dict[str, Any], fork: dict[str, Any], time: datetime) -> Session:
        name = text_field(record, "sessionId", "session_id") or self.path.name.partition(".")[0]
        sessions = self.state.sessions
        if name not in sessions:
            facts = (text_field(record, "cwd"), _branch(record), time.isoformat(), text_field(fork, "sessionId"))
            sessions = {**dict(list(sessions.items())[1 - _SESSIONS :]), name: facts}
        self.state = self.state._replace(sessions=sessions, time=time.isoformat())
        cwd, branch, started, parent = sessions[name]
        return Session(
            host=HOST, session_id=name, cwd=cwd, git_branch=branch, started=time_of(started), forked_from=parent
        )

    def _is_new(self, message: Message) -> bool:
        mark = self._mark(message)
        if mark in self.state.recent:
            return False
        self.state = self.state._replace(recent=(*self.state.recent[1 - _RECENT :], mark))
        return True

    @staticmethod
    def _mark(message: Message) -> str:
        return f"{message.key} {crc32(message.text.encode()):08x}"

    def _skipped(self, line: jsonl.Line, reason: str) -> Skipped:
        return Skipped(path=str(self.path), line=line.number, reason=reason)


def _branch(record: dict[str, Any]) -> str | None:
    branch = text_field(record, "gitBranch")
    return None if branch == "HEAD" else branch  # no branch: a detached head, or no repository


def _texts(content: Any) -> Iterator[str]:
    """The texts of an answer: thinking and calls of tools are none."""
    if isinstance(content, str):
        content = [{"type": "text", "text": content}]
    for block in content if isinstance(content, list) else ():
        if isinstance(block, dict) and block.get("type") == "text" and (text := text_field(block, "text")):
            if text.strip():
                yield text.strip()
        elif isinstance(block, dict) and block.get("type") in ("image", "document"):
            yield _binary(block)


def _prompt(content: Any) -> str | None:
    """Return what the person said in the content of a record of type ``user``, or ``None`` when it is not theirs."""
    if isinstance(content, str):
        return _typed(content)
    parts: list[str] = []
    for block in content if isinstance(content, list) else ():
        if isinstance(block, str) and (text := _typed(block)):
            parts.append(text)
        if not isinstance(block, dict):
            continue
        if block.get("type") == "tool_result":
            return None
        if block.get("type") == "text" and (text := _typed(text_field(block, "text") or "")):
            parts.append(text)
        elif block.get("type") in ("image", "document"):
            parts.append(_binary(block))
    return "\n\n".join(parts) or None


def _typed(text: str) -> str | None:
    """Return what of ``text`` a person typed: ``/name args`` for a command, ``None`` for the program's own words."""
    text = canonical(text)
    text = re.sub(r"\A(?:<(ide_\w+)>.*?</\1>\s*)+", "", text, flags=re.DOTALL)
    if text.startswith(("<command-name>", "<command-message>")):
        name = re.search(r"<command-name>(.*?)</command-name>", text, re.DOTALL)
        args = re.search(r"<command-args>(.*?)</command-args>", text, re.DOTALL)
        if name is None or args is None or not args[1].strip():
            return None
        return f"/{name[1].strip().lstrip('/')} {args[1].strip()}"
    if not text or text.startswith(_NOISE) or re.fullmatch(r"/[\w:.-]+", text):
        return None
    return text


def _binary(block: dict[str, Any]) -> str:
    source = block.get("source")
    source = source if isinstance(source, dict) else {}
    if source.get("type") == "text":
        return image_note(str(block["type"]), None, None)
    return image_note(str(block["type"]), source.get("media_type"), source.get("data"))
