"""Codex CLI: what its hooks send and what its rollouts mean.

Payloads: developers.openai.com/codex/hooks. A rollout is JSONL, ``{"timestamp", "type", "payload"}`` a line, maybe
compressed; read here: early 2025 (bare items, no envelope) to 0.171. Most of what is said stands there twice: as the
item that goes to the model (``response_item``) and as the event that a program shows (``event_msg``). The two are
paired by their words, and the first of a pair is the message; an event needs no pair, it is always what was said.
"""

from __future__ import annotations

import re
from binascii import crc32
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from wwt_vault.capture import jsonl
from wwt_vault.capture.codex_words import answered, answers, is_insertion, picture, typed, typed_parts
from wwt_vault.capture.following import Place, before, follow, resume
from wwt_vault.capture.hosts import Head
from wwt_vault.capture.messages import call_of, message_of, text_field, time_of
from wwt_vault.model.conversation import Checkpoint, HookCall, HookKind, Message, Role, Session, Skipped

if TYPE_CHECKING:
    from wwt_vault.capture.prompt_history import History

__all__ = ["parse_hook", "read", "wrote"]

HOST = "codex"

_KINDS: dict[str, HookKind] = {
    "SessionStart": "start",
    "UserPromptSubmit": "prompt",
    "Stop": "answer",
    "SessionEnd": "end",
}

_TYPES = {
    "session_meta", "response_item", "event_msg", "turn_context", "compacted", "world_state", "token_usage_record",
    "inter_agent_communication", "inter_agent_communication_metadata",
}  # fmt: skip

_UNPAIRED = 32
"""How many messages may lie between the two records of one."""


def parse_hook(payload: Mapping[str, Any], now: datetime) -> HookCall:
    """Read the payload of any hook event, or what the older ``notify`` program is given."""
    if payload.get("type") == "agent-turn-complete":
        from wwt_vault.capture.codex_notify import notified  # noqa: PLC0415 - newer versions have hooks

        return notified(payload, now)
    event = text_field(payload, "hook_event_name") or ""
    kind = _KINDS.get(event, "other")
    session = Session(host=HOST, session_id=text_field(payload, "session_id") or "", cwd=text_field(payload, "cwd"))
    words = None
    if kind == "prompt":
        words = typed(text_field(payload, "prompt") or "")
    elif kind == "answer":
        words = text_field(payload, "last_assistant_message")
    call = call_of(payload, kind, session, now, words=words, turn=text_field(payload, "turn_id"))
    return call._replace(subagent=True) if event in ("SubagentStart", "SubagentStop") else call


def wrote(head: Head) -> bool:
    """Tell whether a file that begins so is a rollout of Codex."""
    records = head.records
    if any(text_field(record, "type") in _TYPES and isinstance(record.get("payload"), dict) for record in records):
        return True
    first = records[0] if records else {}
    if {"session_id", "ts", "text"} <= first.keys():
        return True  # ``history.jsonl``: what was typed at the prompt
    return {"id", "timestamp", "instructions"} <= first.keys() or any("record_type" in record for record in records)


def read(
    path: jsonl.File,
    start: Checkpoint | None = None,
    parent_keys: Callable[[str], frozenset[str]] | None = None,
) -> Iterator[Message | Skipped | Checkpoint]:
    """Yield what was said, in the order of the file, from ``start`` on; offsets are those of the uncompressed text.

    A fork begins with what its parent said, which is left out: the turns that ``parent_keys`` knows, else those in the
    parent's own rollout beside it, else those older than the fork itself. A rollout may have been compressed since it
    was named: both names are tried. Raises ``OSError``.
    """
    file, begin = resume(_present(path), start)
    with file:
        reader = _Rollout(path, _State.of_json(begin.state), parent_keys)
        yield from follow(reader, path, jsonl.lines(file, begin.offset, begin.line), begin)


class _State(NamedTuple):
    session: Mapping[str, str | None] | None = None
    """The fields of ``Session`` but its host."""
    subagent: bool = False
    turn: str | None = None
    turns_told: bool = False
    """Whether the file says when a turn begins and ends: else a prompt's turn is not known before its answer."""
    model: str | None = None
    cwd: str | None = None
    time: str | None = None
    prompts_told: bool = False
    """Whether the file has shown a prompt as an event: then items of the role ``user`` alone are none."""
    first_prompt: str | None = None
    """Digest of its words."""
    aborted: bool = False
    """Whether a turn was broken off and none has begun since: Codex may then repeat the first prompt."""
    unpaired: tuple[str, ...] = ()
    """Records whose other half is to come: channel, role and digest of the words."""
    ancestors: tuple[str, ...] | None = None
    """Sessions whose turns a fork repeats at its head; ``None`` once it says something of its own."""

    @staticmethod
    def of_json(kept: dict[str, Any]) -> _State:
        lists = {name: tuple(value) for name, value in kept.items() if isinstance(value, list)}
        return _State()._replace(**{**kept, **lists})


class _Rollout:
    def __init__(self, path: jsonl.File, state: _State, parent_keys: Callable[[str], frozenset[str]] | None) -> None:
        self.path, self.state, self._parent_keys = path, state, parent_keys
        self.waiting: Place | None = None
        self._held: list[Message] = []
        """Messages of a fork's head whose turn is not known yet."""
        self._turns: dict[str, set[str]] = {}
        self._history: History | None = None
        self._now: datetime | None = None
        """The time of the record in hand."""

    patience = 0

    def as_json(self, state: _State) -> dict[str, Any]:
        return state._asdict()

    def rest(self) -> Iterator[Message]:
        yield from self._held

    def take(self, record: dict[str, Any], line: jsonl.Line) -> Iterator[Message | Skipped]:
        kind, payload = text_field(record, "type"), record.get("payload")
        if not isinstance(payload, dict):
            kind, payload = self._bare(record)
        if kind is None and "ts" in record:
            from wwt_vault.capture.prompt_history import History  # noqa: PLC0415 - no hook reads one

            self._history = self._history or History(HOST, typed, self._parent_keys)
            yield from self._history.messages(record)
            return
        self._now = time_of(record.get("timestamp"))
        if self._now is not None:
            self.state = self.state._replace(time=record["timestamp"])
        if kind == "session_meta":
            yield from self._meta(payload, line)
        elif kind == "turn_context":
            self._turn(payload)
            yield from self._let_go(text_field(payload, "turn_id"))
        elif kind == "event_msg":
            yield from self._event(payload, line, record)
        elif kind == "response_item":
            yield from self._item(payload, line, record)
        elif kind not in _TYPES and payload.get("content"):
            yield Skipped(path=str(self.path), line=line.number, reason=f"a record of unknown type {kind!r}")

    def _bare(self, record: dict[str, Any]) -> tuple[str | None, dict[str, Any]]:
        """Give a record of early 2025 the envelope that later ones have."""
        if "type" not in record and "id" in record and "timestamp" in record:
            return "session_meta", record
        if record.get("type") in ("message", "reasoning", "function_call", "function_call_output", "local_shell_call"):
            return "response_item", record
        return text_field(record, "type"), {}

    def _meta(self, payload: dict[str, Any], line: jsonl.Line) -> Iterator[Skipped]:
        parent = text_field(payload, "forked_from_id", "parent_thread_id")
        if self.state.session is not None:
            # A fork repeats its parent's first line too, and through it that of the parent's parent.
            if self.state.ancestors is not None:
                names = (text_field(payload, "id", "session_id"), parent)
                more = tuple(name for name in names if name and name not in self.state.ancestors)
                self.state = self.state._replace(ancestors=self.state.ancestors + more)
            return
        git = payload.get("git")
        started = text_field(payload, "timestamp") if time_of(payload.get("timestamp")) else self.state.time
        source = payload.get("source")
        subagent = payload.get("thread_source") == "subagent" or (isinstance(source, dict) and "subagent" in source)
        self.state = self.state._replace(
            session={
                "session_id": text_field(payload, "id", "session_id") or _id_in_name(self.path),
                "cwd": text_field(payload, "cwd"),
                "git_branch": text_field(git, "branch") if isinstance(git, dict) else None,
                "started": started,
                "forked_from": parent,
            },
            subagent=subagent,
            cwd=text_field(payload, "cwd"),
            time=self.state.time or started,
            ancestors=(parent,) if parent else None,
        )
        if subagent:
            yield Skipped(path=str(self.path), line=line.number, reason="a subagent's rollout: not the person's words")

    def _turn(self, payload: dict[str, Any]) -> None:
        self.state = self.state._replace(
            turn=text_field(payload, "turn_id") or self.state.turn,
            model=text_field(payload, "model") or self.state.model,
            cwd=text_field(payload, "cwd") or self.state.cwd,
        )

    def _event(self, payload: dict[str, Any], line: jsonl.Line, record: dict[str, Any]) -> Iterator[Message]:
        kind = payload.get("type")
        if kind in ("task_started", "turn_started"):
            self._turn(payload)
            self.state = self.state._replace(turns_told=True, aborted=False)
            yield from self._let_go(text_field(payload, "turn_id"))
        elif kind == "user_message":
            if payload.get("kind") in (None, "plain"):
                images = [*_listed(payload, "images"), *_listed(payload, "local_images")]
                words = typed(text_field(payload, "message") or "") or ""
                yield from self._said("event", "user", words, line, record, images=[picture(image) for image in images])
        elif kind == "agent_message":
            yield from self._said("event", "assistant", text_field(payload, "message") or "", line, record)
        elif kind == "item_completed" and isinstance(item := payload.get("item"), dict):
            turn = text_field(payload, "turn_id")
            if item.get("type") == "UserMessage":
                words, images = typed_parts(item.get("content"))
                yield from self._said("event", "user", words, line, record, turn=turn, images=images)
            elif item.get("type") == "AgentMessage":
                words = answered(item.get("content"))
                yield from self._said("event", "assistant", words, line, record, turn=turn)
            elif item.get("type") == "Plan":
                yield from self._said("event", "assistant", text_field(item, "text") or "", line, record, turn=turn)
        elif kind in ("task_complete", "turn_complete", "turn_aborted"):
            self.state = self.state._replace(turn=None)

    def _item(self, payload: dict[str, Any], line: jsonl.Line, record: dict[str, Any]) -> Iterator[Message]:
        if payload.get("type") != "message":
            return
        passed = payload.get("internal_chat_message_metadata_passthrough")
        passed = passed if isinstance(passed, dict) else {}
        turn = text_field(passed, "turn_id")
        if payload.get("role") == "assistant":
            for words in answers(answered(payload.get("content"))):
                yield from self._said("item", "assistant", words, line, record, turn=turn)
        elif payload.get("role") == "user":
            metadata = record.get("metadata")
            if isinstance(metadata, dict) and metadata.get("inherited_user_message"):
                return
            if "<turn_aborted>" in answered(payload.get("content")):
                self.state = self.state._replace(aborted=True)
            words, images = typed_parts(payload.get("content"), passed.get("content_item_kinds"))
            yield from self._said("item", "user", words, line, record, turn=turn, images=images)

    def _said(
        self,
        channel: str,
        role: Role,
        words: str,
        line: jsonl.Line,
        record: dict[str, Any],
        *,
        turn: str | None = None,
        images: list[str] | None = None,
    ) -> Iterator[Message]:
        """Yield the message unless it is the second half of a pair, a subagent's, or a fork's repetition."""
        if self.state.subagent or not (words.strip() or images):
            return
        if channel == "event" and role == "user":
            self.state = self.state._replace(prompts_told=True)
        opened = before(line, self.state)
        digest = f"{crc32(''.join(words.split()).encode('utf-8', 'replace')):08x}"
        other = f"{'item' if channel == 'event' else 'event'} {role} {digest}"
        unpaired = self.state.unpaired
        if other in unpaired:
            at = unpaired.index(other)
            self.state = self.state._replace(unpaired=unpaired[:at] + unpaired[at + 1 :])
            return
        if channel == "item" and role == "user" and (self.state.prompts_told or is_insertion(words)):
            return  # its event comes, if a person said it
        # The two records of one have none of the other side between them: older ones stay single.
        unpaired = tuple(entry for entry in unpaired if f" {role} " in entry)[1 - _UNPAIRED :]
        self.state = self.state._replace(unpaired=(*unpaired, f"{channel} {role} {digest}"))
        if role == "user" and self._is_replay(digest):
            return
        if self.state.turns_told or role == "assistant":
            turn = turn or self.state.turn
        text = "\n\n".join((words, *(images or ())) if words.strip() else images or ())
        name = record["ordinal"] if isinstance(record.get("ordinal"), int) else f"L{line.number}"
        message = message_of(
            self._session(),
            role,
            text,
            self._time(line),
            key=f"{turn}:{name}" if turn else str(name),
            turn=turn,
            model=self.state.model if role == "assistant" else None,
            cwd=self.state.cwd,
            git_branch=self._session().git_branch,
        )
        if message is None:
            return
        if self.state.ancestors is None:
            yield message
            return
        self._held.append(message)
        if self.waiting is None:
            self.waiting = opened
        yield from self._let_go(turn)

    def _is_replay(self, digest: str) -> bool:
        aborted, first = self.state.aborted, self.state.first_prompt
        self.state = self.state._replace(aborted=False, first_prompt=first or digest)
        return aborted and first == digest

    def _let_go(self, turn: str | None = None) -> Iterator[Message]:
        """At a fork's head: drop what was held when its turn is an ancestor's, else say it and all that follows."""
        if self.state.ancestors is None or turn is None:
            return
        held, self._held, self.waiting = self._held, [], None
        if not self._repeats(turn):
            self.state = self.state._replace(ancestors=None)
            yield from held

    def _repeats(self, turn: str) -> bool:
        known = False
        for ancestor in self.state.ancestors or ():
            if ancestor not in self._turns:
                keys = self._parent_keys(ancestor) if self._parent_keys else frozenset[str]()
                turns = {key.partition(":")[0] for key in keys if ":" in key}
                self._turns[ancestor] = turns if turn in turns else turns | _turns_of(ancestor, self.path)
            if turn in self._turns[ancestor]:
                return True
            known = known or bool(self._turns[ancestor])
        born, began = _milliseconds(self._session().session_id), _milliseconds(turn)
        return not known and born is not None and began is not None and began < born

    def _session(self) -> Session:
        facts = self.state.session or {"session_id": _id_in_name(self.path)}
        return Session(
            host=HOST,
            session_id=facts["session_id"] or "",
            cwd=facts.get("cwd"),
            git_branch=facts.get("git_branch"),
            started=time_of(facts.get("started")),
            forked_from=facts.get("forked_from"),
        )

    def _time(self, line: jsonl.Line) -> datetime:
        """Return the record's time; without one the last that was named, and a millisecond a line to keep the order."""
        if self._now is not None:
            return self._now
        time = time_of(self.state.time) or self._session().started or jsonl.file_time(self.path)
        return time + timedelta(milliseconds=line.number)


def _listed(payload: dict[str, Any], name: str) -> list[Any]:
    value = payload.get(name)
    return value if isinstance(value, list) else []


def _present(path: jsonl.File) -> jsonl.File:
    """Return the name under which the rollout is there now: Codex compresses old ones, and unpacks them on resume."""
    if not isinstance(path, Path) or path.exists():
        return path
    other = path.with_suffix("") if path.suffix == ".zst" else path.with_name(path.name + ".zst")
    return other if other.exists() else path


def _id_in_name(path: jsonl.File) -> str:
    found = re.search(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", path.name)
    return found[0] if found else path.name.partition(".")[0]


def _milliseconds(name: str) -> int | None:
    """Return the time in a UUIDv7 (RFC 9562, section 5.7), in milliseconds since 1970; ``None`` for any other id."""
    found = re.fullmatch(r"([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", name)
    return int(found[1] + found[2], 16) if found else None


def _turns_of(session_id: str, child: jsonl.File) -> set[str]:
    """Return the turns in the rollout of ``session_id``, looked for where ``child`` lies; none when it is not there."""
    above = child.parents if isinstance(child, Path) else ()
    root = next((parent.parent for parent in above if parent.name in ("sessions", "archived_sessions")), None)
    if root is None or not re.fullmatch(r"[\w-]{8,64}", session_id):
        return set()
    patterns = (f"sessions/*/*/*/rollout-*{session_id}.jsonl*", f"archived_sessions/rollout-*{session_id}.jsonl*")
    turns: set[str] = set()
    for path in (path for pattern in patterns for path in root.glob(pattern)):
        with jsonl.open_stream(path) as file:
            for line in jsonl.lines(file):
                turns.update(found.decode() for found in re.findall(rb'"turn_id"\s*:\s*"([\w-]+)"', line.data))
    return turns
