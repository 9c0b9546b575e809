"""One session, open for recording: decides which messages are new, and writes those.

A message reaches us by several ways: the hook's payload (no id, the hook's clock), the host's transcript (its own id
and time), an import of the same transcript later or on another machine. Each way has to arrive at the same event
once:

* An event's 12 hex follow from host, session, role, text and *which occurrence of that text* this is. Transcripts are
  read in order, so occurrences are counted; the counts are kept with the place up to which the transcript was read.
* A payload is the next occurrence after all that are known, unless the transcript already ends with this very
  message, or the same payload was recorded a moment ago (a hook registered twice, a queue item tried again).
* A transcript may spell a message a little differently from the payload (blank lines): compared by their words.
* The head of a forked session repeats its parent's messages, with the parent's ids: they are recognised and left out.

What is known comes from the session note in the vault; the record in the state folder only makes it quick and keeps
what a payload cannot tell. Losing the record costs a second reading, never a message.
"""

from __future__ import annotations

import contextlib
import json
import os
from datetime import datetime, timedelta
from hashlib import sha256
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple

from wwt_vault.errors import EventConflict, WwtError
from wwt_vault.ingest.cursors import write_private
from wwt_vault.ingest.project import place_of
from wwt_vault.model.conversation import EventId, Message, Session
from wwt_vault.state import State
from wwt_vault.vault import Vault, events, sessions
from wwt_vault.vault.files import lock
from wwt_vault.vault.layout import safe_name

__all__ = ["Recorder", "machine_name"]

_SAME_MOMENT = timedelta(seconds=2)
_CLOCKS_APART = timedelta(seconds=5)
_PAYLOADS_KEPT = 200
_END = 4000
"""Letters of the transcript's last message that are kept to compare a payload with."""


class _Payload(NamedTuple):
    """A message that a payload brought: remembered until the transcript shows it too."""

    role: str
    words: str
    """Digest of the words, see :func:`_words`."""
    length: int
    turn: str | None
    time: str
    event: EventId
    digest: str
    seen: bool


class Tally(NamedTuple):
    """How often each text of a session has been accounted for in the course of one transcript."""

    counts: dict[str, int]
    """By digest of role and text."""
    recent: list[str]
    """The digests counted since the last checkpoint."""

    def of(self, digest: str) -> int:
        """Return how often the text was accounted for so far."""
        return self.counts.get(digest, 0)

    def add(self, digest: str) -> None:
        """Account for the text once more."""
        self.counts[digest] = self.counts.get(digest, 0) + 1
        self.recent.append(digest)

    def before_recent(self) -> dict[str, int]:
        """Return the counts as they were at the last checkpoint."""
        counts = dict(self.counts)
        for digest in self.recent:
            counts[digest] -= 1
        return {digest: count for digest, count in counts.items() if count}


class Recorder:
    """The session's note, events and record, held under the session's lock from ``__enter__`` to ``__exit__``.

    Raises ``LockTimeout`` when another process records the same session for longer than ``timeout`` seconds. With
    ``now``, only messages more than ``older_than`` seconds before it are looked for in other sessions.
    """

    def __init__(
        self,
        vault: Vault,
        state: State,
        session: Session,
        *,
        timeout: float,
        now: datetime | None = None,
        older_than: float = 0.0,
    ) -> None:
        self.vault, self.session = vault, session
        name = f"{session.host} {safe_name(session.session_id, max_bytes=80)}"
        if session.session_id not in name:
            name += " " + _digest(session.session_id)[:12]
        self._record_path = state.cursors / f"{name}.json"
        self._lock = lock(state.locks / f"{name}.lock", timeout)
        self._twins_before = now - timedelta(seconds=older_than) if now is not None else None
        self.tally = Tally({}, [])
        self.added: list[EventId] = []
        self.known_messages = 0

    def __enter__(self) -> Recorder:
        self._lock.__enter__()
        try:
            self._load()
        except BaseException:
            self._lock.__exit__(None, None, None)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if self._dirty:
                self._save()
        finally:
            self._lock.__exit__(kind, error, trace)

    # -- what a transcript says -------------------------------------------------------------------------------------

    def from_transcript(self, message: Message) -> EventId | None:
        """Take the transcript's next message; return the id of a new event, or ``None`` when it was known."""
        self._last = {
            "role": message.role,
            "turn": message.turn,
            "time": message.time.isoformat(),
            "words": _words(message.text),
            "end": _squeezed(message.text)[-_END:],
        }
        self._dirty = True
        digest = _digest(message.role, message.text)
        occurrence = self.tally.of(digest) + 1
        known = self._known.get(self._hex(message, occurrence))
        if known is not None:
            return self._account(message, digest, known)
        earlier = self._keys.get(message.key) if message.key else None
        if earlier is not None:
            return self._changed(message, digest, occurrence, earlier)
        payload = self._payload_like(message)
        if payload is not None and (payload.words == _words(message.text) or message.role == "user"):
            return self._account(message, payload.digest, payload.event)
        if payload is not None:
            self._see(payload.event)
            return self._changed(message, digest, occurrence, payload.event)
        if (twin := self._twin(message)) is not None:
            if twin.session_id != message.session.session_id:
                self.known_messages += 1
                return None
            self._known.setdefault(twin.id[17:], twin.id)
            if _words(twin.text) == _words(message.text):
                return self._account(message, digest, twin.id)
            return self._changed(message, digest, occurrence, twin.id)
        self.tally.add(digest)
        return self._write(message, occurrence, None)

    def _account(self, message: Message, digest: str, event: EventId) -> None:
        self.tally.add(digest)
        if message.key:
            self._keys[message.key] = event
        self._see(event)
        self.known_messages += 1

    def _see(self, event: EventId) -> None:
        self._payloads = [p._replace(seen=True) if p.event == event else p for p in self._payloads]

    def _changed(self, message: Message, digest: str, occurrence: int, earlier: EventId) -> EventId | None:
        """The host's own id is known, with other words: the message grew, or the redaction rules did."""
        from wwt_vault.capture.redact import redact  # noqa: PLC0415 - rare, and the rules are not small

        try:
            old = events.read_event(self.vault, earlier)
        except WwtError:
            old = None
        if old is not None and _words(redact(old.text)[0]) == _words(message.text):
            return self._account(message, _digest(old.role, old.text), earlier)
        if old is not None:
            # The shorter text stays an event of its own; a later message that says just that is its next occurrence.
            self.tally.add(_digest(old.role, old.text))
        self.tally.add(digest)
        return self._write(message, occurrence, earlier)

    def _payload_like(self, message: Message) -> _Payload | None:
        words = _words(message.text)
        for payload in self._payloads:
            if payload.seen or payload.role != message.role:
                continue
            same_turn = payload.turn is not None and payload.turn == message.turn
            if payload.words == words and (same_turn or payload.turn is None or message.turn is None):
                return payload
            if same_turn and message.role == "user":
                return (
                    payload  # the host spells the prompt differently in its transcript (an expanded command, a paste)
                )
            if same_turn and _words(message.text, payload.length) == payload.words:
                return payload  # Claude Code's payload has the last block of an answer of several
        return None

    def _twin(self, message: Message) -> Any:
        """Find this message among the events of that moment: in a parent session, or recorded before a record was lost.

        A day's folder is listed for this; a hook does so only for messages that are older than ``older_than``.
        """
        if self._twins_before is not None and message.time > self._twins_before:
            return None
        for offset in (0, -1, 1, -2, 2):
            for event in events.events_of_second(self.vault, message.time + timedelta(seconds=offset)):
                if event.host != message.session.host or event.role != message.role:
                    continue
                mine = event.session_id == message.session.session_id
                if offset == 0 and message.key and event.message_key == message.key:
                    return event
                if mine and event.id not in self._known.values() and _words(event.text) == _words(message.text):
                    return event
                parent = message.session.forked_from
                if parent and event.session_id == parent and _words(event.text) == _words(message.text):
                    return event
        return None

    def unsaid(self, conversation: list[Message]) -> list[Message]:
        """Return what the session's note does not end with yet, ready for :meth:`from_transcript`.

        For callers that hand over messages without ids, the whole conversation or its end, once or again: it is laid
        over what was said so that as much as possible agrees.
        """
        text = self._note.read_text("utf-8", "replace") if self._note is not None else ""
        before = [(turn.role, _words(turn.text)) for turn in sessions.read_turns(text)]
        given = [(message.role, _words(message.text)) for message in conversation]
        whole = len(given) if before[: len(given)] == given else 0
        overlap = next((n for n in range(min(len(before), len(given)), 0, -1) if before[-n:] == given[:n]), whole)
        self.tally = Tally({}, [])
        for turn in sessions.read_turns(text):
            self.tally.add(_digest(turn.role, turn.text))
        return conversation[overlap:]

    @property
    def transcript_ends_with_answer(self) -> bool:
        """Whether the transcript's last message is an answer: the turn that just ended is all there."""
        return self._last.get("role") == "assistant"

    # -- what a payload says ----------------------------------------------------------------------------------------

    def from_payload(self, message: Message) -> EventId | None:
        """Take the message of a hook call; return the id of a new event, or ``None`` when it was known."""
        words, digest = _words(message.text), _digest(message.role, message.text)
        if self._transcript_ends_with(message) or self._fired_before(message, words):
            self.known_messages += 1
            return None
        occurrence = self.tally.of(digest)
        while (known := self._known.get(self._hex(message, occurrence + 1))) is not None:
            if known[:16] == events.event_id(message.time, "")[:16]:
                self.known_messages += 1  # tried again after the record was lost: same second, same words
                return None
            occurrence += 1
        event = self._write(message, occurrence + 1, None)
        time, length = message.time.isoformat(), len(_squeezed(message.text))
        remembered = _Payload(message.role, words, length, message.turn, time, event, digest, seen=False)
        self._payloads = [*self._payloads[-_PAYLOADS_KEPT:], remembered]
        return event

    def _transcript_ends_with(self, message: Message) -> bool:
        last = self._last
        if last.get("role") != message.role:
            return False
        if message.turn is not None and last["turn"] is not None and message.turn != last["turn"]:
            return False
        said = _squeezed(message.text)
        if last["words"] != _digest(said) and not (said and len(said) <= _END and last["end"].endswith(said)):
            return False
        # Without ids: an answer at the end of the transcript is the one that was just given; a prompt there was typed
        # before, unless it is so young that the host wrote it first and called the hook then.
        same_turn = message.turn is not None and last["turn"] is not None
        young = message.time - datetime.fromisoformat(last["time"]) <= _CLOCKS_APART
        return same_turn or message.role == "assistant" or young

    def _fired_before(self, message: Message, words: str) -> bool:
        for payload in reversed(self._payloads):
            if payload.role != message.role:
                return False
            if payload.words != words:
                continue
            if payload.turn is not None and message.turn is not None:
                return payload.turn == message.turn
            return abs(datetime.fromisoformat(payload.time) - message.time) <= _SAME_MOMENT
        return False

    # -- writing ----------------------------------------------------------------------------------------------------

    def _write(self, message: Message, occurrence: int, supersedes: EventId | None) -> EventId:
        event = events.event_of(message, occurrence, supersedes)
        with contextlib.suppress(
            EventConflict
        ):  # same words in other circumstances, from another machine: they are there
            events.write_event(self.vault, event)
        sessions.append_event(self.vault, self._note_path(message), event)
        self._known[event.id[17:]] = event.id
        if message.key:
            self._keys[message.key] = event.id
        self.added.append(event.id)
        self._dirty = True
        return event.id

    def _note_path(self, message: Message) -> Path:
        if self._note is None:
            session = self.session
            cwd = session.cwd or message.cwd
            place = place_of(cwd)
            session = session._replace(
                cwd=cwd,
                git_branch=session.git_branch or message.git_branch or place.git_branch,
                started=session.started or message.time,
            )
            self._note = sessions.create_session_note(
                self.vault,
                session,
                project=place.project,
                machine=machine_name(),
                started=session.started or message.time,
            )
        return self._note

    def _hex(self, message: Message, occurrence: int) -> str:
        session = message.session
        return events.fingerprint(session.host, session.session_id, message.role, message.text, occurrence)

    # -- the record -------------------------------------------------------------------------------------------------

    def _load(self) -> None:
        self._dirty = False
        try:
            record = json.loads(self._record_path.read_bytes())
            self._keys: dict[str, EventId] = dict(record["keys"])
            self._payloads = [_Payload(*fields) for fields in record["payloads"]]
            self._last: dict[str, Any] = dict(record["last"])
            kept_note = str(record["note"])
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            self._keys, self._payloads, self._last, kept_note = {}, [], {}, ""
        self._note: Path | None = self.vault.root / kept_note if kept_note else None
        if self._note is None or not self._note.is_file():
            self._note = sessions.find_session_note(self.vault, self.session.host, self.session.session_id)
        known = sessions.known_events(self._note) if self._note is not None else []
        self._known = {event[17:]: event for event in known}
        if self._note is None and (self._keys or self._payloads):
            self._remake_note()

    def _remake_note(self) -> None:
        """The note is gone while the events are there: it is made again from them."""
        listed = {*self._keys.values(), *(payload.event for payload in self._payloads)}
        self._known = {event[17:]: event for event in listed}
        self._note = sessions.remake_session_note(self.vault, self.session, sorted(listed), machine=machine_name())

    def _save(self) -> None:
        record = {
            "keys": self._keys,
            "payloads": self._payloads,
            "last": self._last,
            "note": self._note.relative_to(self.vault.root).as_posix() if self._note else "",
        }
        write_private(self._record_path, json.dumps(record, ensure_ascii=False).encode("utf-8", "replace"))


def machine_name() -> str:
    """Return this machine's host name, as session notes carry it."""
    if hasattr(os, "uname"):
        return os.uname().nodename
    import socket  # noqa: PLC0415 - Windows only

    return socket.gethostname()


def _squeezed(text: str) -> str:
    """The letters alone: payload and transcript may differ in blanks and lines."""
    return "".join(text.split())


def _words(text: str, last: int = 0) -> str:
    """A digest of the letters alone, of the ``last`` ones if given."""
    return _digest(_squeezed(text)[-last:])


def _digest(*parts: str) -> str:
    return sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()[:16]
