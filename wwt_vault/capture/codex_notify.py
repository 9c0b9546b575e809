"""What Codex tells its older ``notify`` program at a turn's end: prompts and last message, and no transcript."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from wwt_vault.capture.codex_words import typed
from wwt_vault.capture.messages import message_of, text_field
from wwt_vault.model.conversation import HookCall, Message, Session

__all__ = ["notified"]


def notified(payload: Mapping[str, Any], now: datetime) -> HookCall:
    """Read the payload (codex-rs/hooks/src/legacy_notify.rs). The prompts of the turn were typed before ``now``."""
    cwd, turn = text_field(payload, "cwd"), text_field(payload, "turn-id")
    session = Session(host="codex", session_id=text_field(payload, "thread-id") or "", cwd=cwd)
    prompts = payload.get("input-messages")
    prompts = [prompt for prompt in prompts if isinstance(prompt, str)] if isinstance(prompts, list) else []
    said: list[Message] = []
    for number, prompt in enumerate(prompts):
        time = now - timedelta(milliseconds=len(prompts) - number)
        message = message_of(session, "user", typed(prompt) or "", time, turn=turn, cwd=cwd)
        said += [message] if message is not None else []
    words = text_field(payload, "last-assistant-message") or ""
    answer = message_of(session, "assistant", words, now, turn=turn, cwd=cwd)
    said += [answer] if answer is not None else []
    return HookCall(
        kind="answer",
        session=session,
        event_name="agent-turn-complete",
        time=now,
        message=said[-1] if said else None,
        earlier=tuple(said[:-1]),
    )
