"""Conversations that are handed over as messages, by an agent or on stdin: no file stands behind them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import NamedTuple

from wwt_vault.ingest.recorder import Recorder
from wwt_vault.model.conversation import EventId, Message
from wwt_vault.state import State
from wwt_vault.vault import Vault

__all__ = ["RecordReport", "record_messages"]

_PATIENCE = 30.0
"""Seconds to wait for a hook of the same session."""


class RecordReport(NamedTuple):
    """What :func:`record_messages` did."""

    added: tuple[EventId, ...]
    known: int


def record_messages(
    vault: Vault,
    state: State,
    messages: Iterable[Message],
    *,
    untimed: datetime | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> RecordReport:
    """Record a conversation that was handed over as messages, whole or from some point on, once or again.

    What the session's note has is not recorded twice: the messages are laid over it where they fit. ``untimed`` is the
    time of those of which nobody said when; ``progress`` gets messages done and messages in all.
    """
    said: dict[str, list[Message]] = {}
    for message in messages:
        said.setdefault(f"{message.session.host} {message.session.session_id}", []).append(message)
    added: list[EventId] = []
    known = 0
    for conversation in said.values():
        with Recorder(vault, state, conversation[0].session, timeout=_PATIENCE) as recorder:
            new = recorder.unsaid(conversation, untimed)
            for done, message in enumerate(new):
                if progress is not None:
                    progress(done, len(new))
                recorder.from_transcript(message)
        added += recorder.added
        known += len(conversation) - len(recorder.added)
    return RecordReport(added=tuple(added), known=known)
