"""The verb for hosts without hooks: a turn is kept word for word, and what of it may be worth a note is named."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

from wwt_vault.capture.text import stored
from wwt_vault.curate.facts import candidates
from wwt_vault.errors import BadArgument
from wwt_vault.operations import conversations
from wwt_vault.operations.freshness import catch_up
from wwt_vault.operations.signals import similar_notes
from wwt_vault.operations.workspace import Workspace
from wwt_vault.vault import files, sessions

__all__ = ["observe"]

Json = dict[str, Any]

_LAST: Final = 400
"""Turns at the end of a session among which a message that was known is looked for."""


def observe(
    workspace: Workspace,
    user_message: str,
    assistant_response: str,
    *,
    host: str = "chat",
    session_id: str | None = None,
    project: str | None = None,
    missing: Sequence[str] | None = None,
    now: datetime,
) -> Json:
    """Keep a turn as events, once however often it is handed over, and return what of it may be worth a note.

    Without ``session_id`` it goes to this host's session of the day. Secrets are taken out before anything is written
    or returned. Returns ``{host, session_id, events: {user, assistant}, added, known, candidates}``; a candidate is
    ``{kind, text, role, event, similar, contradictions}``, kinds as in ``curate.facts``, the last two as
    ``signals.similar_notes`` returns them. Nothing becomes a note: that is the agent's to decide. ``missing`` is what
    ``catch_up`` returned to a caller that has called it. Raises ``BadArgument`` when nothing was said.
    """
    said = {role: stored(text)[0] for role, text in (("user", user_message), ("assistant", assistant_response))}
    if not any(said.values()):
        raise BadArgument("user_message and assistant_response are both empty", argument="user_message")
    session = session_id or f"observed {now.astimezone(workspace.vault.zone):%Y-%m-%d}"
    messages = [{"role": role, "text": text} for role, text in said.items() if text]
    kept = conversations.record(workspace, host, session, messages, project=project, now=now)
    events = _events_of(workspace, host, session, said)
    chosen = candidates(said["user"], said["assistant"])
    if chosen and missing is None:
        catch_up(workspace)
    found: list[Json] = []
    for one in chosen:
        near = similar_notes(workspace, "", [one.text], missing=())
        found.append(
            {
                **one._asdict(),
                "event": events.get(one.role),
                "similar": [note for note in near if note["kind"] != "contradiction"],
                "contradictions": [note for note in near if note["kind"] == "contradiction"],
            }
        )
    return {
        "host": host,
        "session_id": session,
        "events": {"user": events.get("user"), "assistant": events.get("assistant")},
        "added": kept["added"],
        "known": kept["known"],
        "candidates": found,
    }


def _events_of(workspace: Workspace, host: str, session_id: str, said: dict[str, str]) -> dict[str, str]:
    """Return the last event of each role that says this."""
    note = sessions.find_session_note(workspace.vault, host, session_id)
    if note is None:
        return {}
    found: dict[str, str] = {}
    for turn in sessions.read_turns((files.read(note) or b"").decode("utf-8", "replace"))[-_LAST:]:
        if " ".join(turn.text.split()) == " ".join(said.get(turn.role, "").split()):
            found[turn.role] = turn.event
    return found
