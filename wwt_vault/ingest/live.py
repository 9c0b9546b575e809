"""One call of a hook: the transcript is brought up to date, then the payload's message recorded.

The call is in the queue before anything else happens and leaves it when the message is in the vault.
"""

from __future__ import annotations

import os
import time
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from wwt_vault.config import load_user_settings, vault_variable
from wwt_vault.errors import TranscriptError, WwtError
from wwt_vault.ingest import queue
from wwt_vault.ingest.excluded import is_excluded
from wwt_vault.ingest.opening import open_for_hook
from wwt_vault.ingest.project import place_of
from wwt_vault.ingest.recorder import Recorder
from wwt_vault.ingest.remembered import ends_with
from wwt_vault.ingest.transcripts import read_on
from wwt_vault.model.conversation import HookCall, Message
from wwt_vault.state import State, state_for
from wwt_vault.vault import Vault

__all__ = ["handle_call", "is_lost", "record_call", "retry"]

_LOST = "the queue could not take it either"

_SECONDS = {"prompt": 1.0, "answer": 3.0, "start": 3.0, "end": 0.7}
"""Longest time for reading the transcript, by kind of call: a prompt waits for us, an ending session cuts us off."""

_PATIENCE = {"prompt": 2.0, "answer": 5.0, "start": 2.0, "end": 0.5}
"""Longest wait for another hook of the same session."""

_FLUSH = 1.0
"""Longest time given to a host that is writing its transcript, in seconds.

Claude Code takes 0 to 0.05; on a machine with ten processes for two cores more than 0.15 was seen.
"""
_NOW = 2.0
"""Seconds for which a call, or the last change of a transcript, counts as of this moment."""


def handle_call(call: HookCall, now: datetime, *, drain_limit: int = 20) -> None:
    """Record what ``call`` brings, then some of what waits in the queue.

    Raises ``VaultError``, ``OSError`` and others when it could not be recorded; the call is then in the queue, with the
    reason, unless the queue itself could not be written.
    """
    if call.subagent or call.kind == "other" or is_excluded(call.session.cwd):
        return
    waiting = _enqueue(call)
    try:
        vault = open_for_hook(now)
        state = state_for(vault)
        record_call(vault, state, call)
    except Exception as error:
        if waiting is not None:
            with suppress(WwtError, OSError):  # it waits without a reason then
                queue.set_reason(waiting, f"{type(error).__name__}: {error}", now)
        elif call.message is not None:
            error.add_note(_LOST)
        raise
    if waiting is not None:
        queue.done(waiting)
    if call.kind in ("answer", "start"):
        _drain(vault, state, now, limit=drain_limit)


def is_lost(error: BaseException) -> bool:
    """Tell whether ``handle_call`` raised this for a message that is not in the queue."""
    return _LOST in getattr(error, "__notes__", ())


def record_call(vault: Vault, state: State, call: HookCall) -> None:
    """Bring the call's session up to date: its transcript first, then the message of the payload.

    A call that waited since before its folder was excluded is dropped.
    """
    if is_excluded(call.session.cwd):
        return
    if not call.session.session_id:
        raise WwtError(f"the {call.event_name} payload names no session")
    session, said = call.session, call.message
    with Recorder(vault, state, session, timeout=_PATIENCE.get(call.kind, 2.0), live=call.time) as recorder:
        read = bool(call.transcript_path) and _read_transcript(vault, state, recorder, call)
        answered = read and recorder.last is not None and recorder.last.role == "assistant"
        if said is not None and not (call.transcript_first and answered):
            for message in (*call.earlier, said):
                branch = message.git_branch or place_of(session.cwd).git_branch
                recorder.from_payload(message._replace(git_branch=branch))


def _read_transcript(vault: Vault, state: State, recorder: Recorder, call: HookCall) -> bool:
    """Read the transcript on; return whether there was one. At a turn's end the host gets a moment to finish writing.

    Without, a payload's answer would stand in the session note before what was said on the way to it.
    """
    path, patience = Path(call.transcript_path or ""), time.monotonic() + _FLUSH
    while True:
        try:
            seconds, written = _SECONDS.get(call.kind, 1.0), max(path.stat().st_mtime, call.time.timestamp())
            read_on(
                vault, state, recorder, path, call.session.host, seconds=seconds, is_whole=lambda m: _is_whole(call, m)
            )
        except (TranscriptError, OSError):
            return False  # not written yet, or not readable: the payload has the words, a later call reads the rest
        answered = call.message is None or (recorder.last is not None and recorder.last.says(call.message.text))
        being_written = abs(time.time() - written) < _NOW and time.monotonic() < patience
        if call.kind != "answer" or call.transcript_first or answered or not being_written:
            return True
        time.sleep(0.01)


def _is_whole(call: HookCall, last: Message) -> bool:
    """Whether the transcript's last message can be taken for complete at this call."""
    if call.kind in ("start", "end") or call.transcript_first or last.role == "user":
        return True
    # While a turn goes on, an answer may lack its last blocks; at its end, the payload tells how it ends.
    said = call.message
    if said is None or call.kind != "answer" or (said.turn and last.turn and said.turn != last.turn):
        return False
    return ends_with(last.text, said.text)


def retry(vault: Vault, state: State, now: datetime, limit: int | None = None) -> queue.DrainReport:
    """Try everything that waits for this vault, whatever its pause, and what was set apart as well."""
    return _drain(vault, state, now, everything=True, limit=limit)


def _drain(
    vault: Vault, state: State, now: datetime, *, limit: int | None, everything: bool = False
) -> queue.DrainReport:
    def belongs(name: str) -> bool:
        """Tell whether what was said while ``WWT_VAULT`` was ``name`` goes here: another vault is another business."""
        meant = name or str(load_user_settings().get("vault") or "")
        there = os.path.abspath(Path(meant).expanduser())  # noqa: PTH100 - as open_vault does
        return meant in ("", vault_variable()) or there == str(vault.root)

    def record(call: HookCall) -> None:
        record_call(vault, state, call)

    return queue.drain(record, now, belongs=belongs, everything=everything, limit=limit)


def _enqueue(call: HookCall) -> Path | None:
    """Only a payload's message can be lost: what a transcript holds is read again at the next call."""
    if call.message is None:
        return None
    try:
        return queue.add(call, vault_variable())
    except (WwtError, OSError):
        return None  # the vault may still be writable
