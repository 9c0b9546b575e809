"""One session, open for recording: decides which messages are new, and writes those.

A message reaches us by several ways: the hook's payload (no id, the hook's clock), the host's transcript (its own id
and time), an import of the same transcript later or on another machine. Each way has to arrive at the same event
once:

* An event's 12 hex follow from host, session, role, text and *which occurrence of that text* this is. Transcripts are
  read in order, so occurrences are counted; the counts are kept with the place up to which the transcript was read.
* A payload is the next occurrence after all that are known, unless the transcript already ends with this very
  message or has gone past its turn (a queue item tried again), or the same payload was recorded a moment ago (a hook
  registered twice).
* A transcript may spell a message a little differently from the payload (blank lines): compared by their words.
* The head of a forked session repeats its parent's messages, with the parent's ids: they are recognised and left out.

What is known comes from the session note in the vault; the record in the state folder only makes it quick and keeps
what a payload cannot tell. Losing the record costs a second reading, never a message.
"""

from __future__ import annotations

import contextlib
import os
import re
from datetime import datetime, timedelta
from pathlib import Path
from types import TracebackType

from wwt_vault.capture import look_again
from wwt_vault.capture.hosts import HOSTS
from wwt_vault.errors import EventConflict, Forgotten, NotFound, VaultError, WwtError
from wwt_vault.ingest import remembered
from wwt_vault.ingest.project import place_of
from wwt_vault.ingest.remembered import Last, Payload, Tally, digest, squeezed, words
from wwt_vault.model.conversation import Event, EventId, Message, Session
from wwt_vault.state import State
from wwt_vault.vault import Vault, events, files, sessions

__all__ = ["Recorder", "machine_name"]

_SAME_MOMENT = timedelta(seconds=2)
_SAME_CALL = timedelta(milliseconds=2)
"""The queue keeps milliseconds of a call's time, the record microseconds."""
_CLOCKS_APART = timedelta(seconds=5)
_UUID = "[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}"


class Recorder:
    """The session's note, events and record, held under the session's lock from ``__enter__`` to ``__exit__``.

    ``live`` is the time of the hook call that is being handled; without it, a transcript is imported. Raises
    ``LockTimeout`` when another process records the same session for longer than ``timeout`` seconds.
    """

    def __init__(
        self,
        vault: Vault,
        state: State,
        session: Session,
        *,
        timeout: float,
        live: datetime | None = None,
    ) -> None:
        self.vault, self.session = vault, session
        self.tally = Tally({}, [])
        """What the transcript being read was counted to say; its reader sets it."""
        self.added: list[EventId] = []
        self.known_messages = 0
        self._state = state
        self._record_path = remembered.record_path(state, session.host, session.session_id)
        self._lock = remembered.hold(state, session.host, session.session_id, timeout)
        self._live = live
        self._record = self._kept = remembered.Remembered(keys={})
        self._known: dict[str, EventId] = {}
        self._keyed: set[EventId] = set()
        """Events of this session whose host's id is known: none of them is met again under that id."""
        self._note: Path | None = None
        self._shown: EventId | None = None
        """The event of the last message that the transcript showed."""

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
            with contextlib.suppress(VaultError, OSError):  # what it says is worked out again from vault and transcript
                self._save()
        finally:
            self._lock.__exit__(kind, error, trace)

    # -- what a transcript says ----------------------------------------------------------------------------------

    def from_transcript(self, message: Message) -> EventId | None:
        """Take the transcript's next message; return the id of a new event, or ``None`` when it was known."""
        message = look_again(message)
        self._record, self._shown = self._record._replace(last=Last.of(message)), None
        if message.turn:
            self._record = self._record.showing(message.turn, message.role)
        text = digest(message.role, message.text)
        occurrence = self.tally.of(text) + 1
        known = self._known.get(self._hex(message, occurrence))
        if known is not None:
            self._account(message, text, known)
            return None
        earlier = self._record.keys.get(message.key) if message.key else None
        if earlier is not None:
            return self._changed(message, occurrence, earlier)
        payload = self._payload_like(message)
        if payload is not None and (payload.words == words(message.text) or message.role == "user"):
            self._account(message, payload.digest, payload.event)
            return None
        if payload is not None:
            self._see(payload.event)
            return self._changed(message, occurrence, payload.event)
        twin = self._twin(message)
        if twin is not None and twin.session_id != message.session.session_id:
            self.known_messages += 1
            return None
        if twin is not None:
            # Whoever wrote it may not have come so far.
            sessions.append_event(self.vault, self._note_path(message), twin)
            self._known[twin.id[17:]] = twin.id
            if words(twin.text) == words(message.text):
                self._account(message, text, twin.id)
                return None
            return self._changed(message, occurrence, twin.id)
        self.tally.add(text)
        return self._write(message, occurrence, None)

    @property
    def last(self) -> Last | None:
        """The last message that the transcript showed."""
        return self._record.last

    def unsaid(self, conversation: list[Message], untimed: datetime | None = None) -> list[Message]:
        """Return what the session's note lacks, ready for :meth:`from_transcript`.

        For callers that hand over messages without ids, the whole conversation or a part of it, once or again.
        ``untimed`` is the time of those of which nobody said when.
        """
        from wwt_vault.ingest.overlay import Said, new_ones  # noqa: PLC0415 - no hook comes here

        note = files.read(self._note) if self._note is not None else None
        turns = sessions.read_turns((note or b"").decode("utf-8", "replace"))
        known = [Said(turn.role, words(turn.text), len(squeezed(turn.text)), turn.time) for turn in turns]
        given = [
            Said(said.role, words(said.text), len(squeezed(said.text)), None if said.time == untimed else said.time)
            for said in conversation
        ]
        self.tally = Tally({}, [])
        for turn in turns:
            self.tally.add(digest(turn.role, turn.text))
        return [conversation[place] for place in new_ones(known, given)]

    def _account(self, message: Message, text: str, event: EventId) -> None:
        """The message is known as ``event``: count it, and remember the host's id of it."""
        self.tally.add(text)
        if message.key:
            self._record.keys[message.key] = event
            self._keyed.add(event)
        self._see(event)
        self.known_messages += 1
        self._shown = event

    def _see(self, event: EventId) -> None:
        payloads = tuple(p._replace(seen=True) if p.event == event else p for p in self._record.payloads)
        self._record = self._record._replace(payloads=payloads)

    def _changed(self, message: Message, occurrence: int, earlier: EventId) -> EventId | None:
        """The host's own id is known, with other words: the message grew, or the redaction rules did."""
        from wwt_vault.capture.redact import redact  # noqa: PLC0415 - rare, and the rules are not small

        try:
            old = events.read_event(self.vault, earlier)
        except Forgotten:  # whatever became of it since: the person wants none of it
            self._account(message, digest(message.role, message.text), earlier)
            return None
        except WwtError:
            old = None
        if old is not None and words(redact(old.text)[0]) == words(message.text):
            self._account(message, digest(old.role, old.text), earlier)
            return None
        if old is not None:
            # The shorter text stays an event of its own; a later message that says just that is its next occurrence.
            self.tally.add(digest(old.role, old.text))
        self.tally.add(digest(message.role, message.text))
        return self._write(message, occurrence, earlier)

    def _payload_like(self, message: Message) -> Payload | None:
        letters = words(message.text)
        unseen = [p for p in self._record.payloads if not p.seen and p.role == message.role]
        for payload in unseen:
            same_turn = payload.turn is not None and payload.turn == message.turn
            if payload.words == letters and (same_turn or payload.turn is None or message.turn is None):
                return payload
            if same_turn and (message.role == "user" or not payload.words):  # the latter was forgotten
                return payload  # the host spells the prompt differently in its transcript: an expanded command, a paste
            if same_turn and words(message.text, payload.length) == payload.words:
                return payload  # Claude Code's payload has the last block of an answer of several
        # Gemini CLI has no ids of turns, and its payload has a command expanded where the transcript has it as typed.
        timed = (p for p in unseen if message.role == "user" and p.turn is None and message.turn is None)
        return next((p for p in timed if abs(datetime.fromisoformat(p.time) - message.time) <= _CLOCKS_APART), None)

    def _twin(self, message: Message) -> Event | None:
        """Find this message among the events of that moment: in a parent session, or recorded before a record was lost.

        A day's folder is listed for this; a hook does so only for messages that are older than the session itself.
        """
        begun = self._record.begun if self._live is not None else None
        if begun is not None and message.time >= datetime.fromisoformat(begun):
            return None
        second = events.event_id(message.time, "")
        for event in events.events_near(self.vault, message.time, seconds=2, without=self._keyed):
            if event.host != message.session.host or event.role != message.role:
                continue
            key = message.key if _says_the_same(message, event.session_id) else None
            if event.id.startswith(second) and key and event.message_key == key:
                return event
            if words(event.text) != words(message.text):
                continue
            if event.session_id == message.session.session_id:
                if event.id[17:] not in self._known:
                    return event
            elif event.session_id == message.session.forked_from or self._is_of(event, key, message.turn):
                return event
        return None

    def _is_of(self, event: Event, key: str | None, turn: str | None) -> bool:
        """Whether another session's event, brought by a payload, has the host's id ``key``, or was said in ``turn``."""
        record = remembered.load(remembered.record_path(self._state, event.host, event.session_id))
        if key and record.keys.get(key) == event.id:
            return True
        return turn is not None and any(p.event == event.id and p.turn == turn for p in record.payloads)

    # -- what a payload says -------------------------------------------------------------------------------------

    def from_payload(self, message: Message) -> EventId | None:
        """Take the message of a hook call; return the id of a new event, or ``None`` when it was known."""
        message = look_again(message)
        letters, text = words(message.text), digest(message.role, message.text)
        shown = self._transcript_ends_with(message) or self._transcript_went_past(message)
        if shown or self._fired_before(message, letters):
            self.known_messages += 1
            return None
        counted, occurrence = self.tally.of(text), 1
        while (known := self._known.get(self._hex(message, occurrence))) is not None or occurrence <= counted:
            if known is not None and self._may_be(known, message.time):
                self.known_messages += 1
                return None
            occurrence += 1
        time, length = message.time.isoformat(), len(squeezed(message.text))
        event = events.event_of(message, occurrence).id
        payload = Payload(message.role, letters, length, message.turn, time, event, text, seen=False)
        self._record = self._record._replace(payloads=(*self._record.payloads, payload))
        # Remembered before it is written: were we killed in between, the transcript's spelling of it, with another
        # second, would become a second event.
        with contextlib.suppress(WwtError, OSError):
            self._save()
        return self._write(message, occurrence, None)

    def _may_be(self, known: EventId, time: datetime) -> bool:
        """Whether an event with a payload's words is the payload's: of the same moment, and of no other payload.

        So it is when the call waited in the queue until the transcript had brought the message, or the record is lost.
        """
        apart = abs(events.time_of(known) - time.replace(microsecond=0))
        return apart <= _SAME_MOMENT and all(payload.event != known for payload in self._record.payloads)

    def _transcript_ends_with(self, message: Message) -> bool:
        last = self._record.last
        if last is None or last.role != message.role or not last.says(message.text):
            return False
        if message.turn is not None and last.turn is not None:
            return message.turn == last.turn
        # Without ids: an answer at the end of the transcript is the one that was just given; a prompt there was typed
        # before, unless it is so young that the host wrote it first and called the hook then.
        return message.role == "assistant" or message.time - datetime.fromisoformat(last.time) <= _CLOCKS_APART

    def _transcript_went_past(self, message: Message) -> bool:
        """Whether the transcript has shown the message: this call waited in the queue while it was read on."""
        roles = dict(self._record.turns).get(message.turn or "", "")
        if message.role == "user" or message.role not in roles:
            return message.role in roles
        return self._record.turns[-1][0] != message.turn  # else the answer may still be on its way to it

    def _fired_before(self, message: Message, letters: str) -> bool:
        same = [p for p in self._record.payloads if p.role == message.role and p.words == letters]
        if any(p.turn is not None and p.turn == message.turn for p in same):
            return True
        answered_since = bool(self._record.payloads) and self._record.payloads[-1].role != message.role
        apart = _SAME_CALL if answered_since else _SAME_MOMENT
        untold = (p for p in same if p.turn is None or message.turn is None)
        return any(abs(datetime.fromisoformat(p.time) - message.time) <= apart for p in untold)

    # -- writing -------------------------------------------------------------------------------------------------

    def _write(self, message: Message, occurrence: int, supersedes: EventId | None) -> EventId:
        event = events.event_of(message, occurrence, supersedes)
        with contextlib.suppress(EventConflict):  # the same words, circumstances from another machine: they are there
            events.write_event(self.vault, event)
        sessions.append_event(self.vault, self._note_path(message), event)
        self._known[event.id[17:]] = event.id
        if message.key:
            self._record.keys[message.key] = event.id
        self._keyed.add(event.id)
        self.added.append(event.id)
        return event.id

    def _note_path(self, message: Message) -> Path:
        if self._note is None:
            cwd = self.session.cwd or message.cwd
            place, started = place_of(cwd), self.session.started or message.time
            branch = self.session.git_branch or message.git_branch or place.git_branch
            session = self.session._replace(cwd=cwd, git_branch=branch, started=started)
            self._note = sessions.create_session_note(
                self.vault, session, project=place.project, machine=machine_name(), started=started
            )
        return self._note

    def _hex(self, message: Message, occurrence: int) -> str:
        session = message.session
        return events.fingerprint(session.host, session.session_id, message.role, message.text, occurrence)

    # -- the record ----------------------------------------------------------------------------------------------

    def _load(self) -> None:
        self._record = self._kept = remembered.load(self._record_path)
        # The kept one shares its keys with the one in use; it only tells whether anything else changed.
        self._record = self._record._replace(keys=dict(self._kept.keys))
        self._keyed = set(self._kept.keys.values())
        if self._live is not None and self._record.begun is None:
            self._record = self._record._replace(begun=self._live.isoformat())
        note = self.vault.root / self._record.note if self._record.note else None
        if note is None or not note.is_file():
            note = sessions.find_session_note(self.vault, self.session.host, self.session.session_id)
        if note is None and (listed := {*self._record.keys.values(), *(p.event for p in self._record.payloads)}):
            # The note is gone while the events are there, if they are: it is made again from them.
            with contextlib.suppress(NotFound):
                note = sessions.remake_session_note(self.vault, self.session, sorted(listed), machine=machine_name())
        self._note = note
        self._known = {event[17:]: event for event in sessions.known_events(note)} if note is not None else {}
        if self._record.payloads and (last := self._record.payloads[-1].event)[17:] not in self._known:
            self._complete(last)

    def _complete(self, begun: EventId) -> None:
        """Finish what a killed process had begun, or forget that it had: its call is tried again."""
        try:
            event = events.read_event(self.vault, begun)
        except WwtError:
            self._record = self._record._replace(payloads=self._record.payloads[:-1])
            return
        if self._note is not None:
            sessions.append_event(self.vault, self._note, event)
            self._known[begun[17:]] = begun

    def _save(self) -> None:
        note = self._note.relative_to(self.vault.root).as_posix() if self._note is not None else ""
        self._record = self._record._replace(note=note)
        if self._shown is not None and self._is_forgotten(self._shown):
            self._record = self._record._replace(last=None)
        if self._record != self._kept:
            remembered.save(self._record_path, self._record)

    def _is_forgotten(self, event: EventId) -> bool:
        try:
            events.read_event(self.vault, event)
        except Forgotten:
            return True
        except WwtError:
            return False
        return False


def _says_the_same(message: Message, session_id: str) -> bool:
    """Whether the host's id of ``message`` would mean the same message in another session.

    In that session's own family (a conversation and its branches) it would. Elsewhere only an id that is made to be
    unique: the number of a line is not, and what stands in an export may have been made by anything.
    """
    if message.session.session_id.partition("~")[0] == session_id.partition("~")[0]:
        return True
    spec = HOSTS.get(message.session.host)
    return spec is not None and not spec.export and re.search(_UUID, message.key or "") is not None


def machine_name() -> str:
    """Return this machine's host name, as session notes carry it."""
    if hasattr(os, "uname"):
        return os.uname().nodename
    import socket  # noqa: PLC0415 - Windows only

    return socket.gethostname()
