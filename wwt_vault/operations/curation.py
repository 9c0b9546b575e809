"""The verbs of curating: which sessions wait for it, and that one is done."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

from wwt_vault.capture.redact import redact
from wwt_vault.curate.questions import wanting
from wwt_vault.errors import BadArgument, NotFound
from wwt_vault.model.conversation import EventId
from wwt_vault.operations.conversations import session_events
from wwt_vault.operations.freshness import refresh_ledger
from wwt_vault.operations.pending import leave_counts, pending
from wwt_vault.operations.workspace import Workspace
from wwt_vault.vault import marks, projects
from wwt_vault.vault.files import lock
from wwt_vault.vault.proposal import one_line, text_list

__all__ = ["mark_curated", "uncurated"]

Json = dict[str, Any]

_LOCK_SECONDS: Final = 10.0


def uncurated(workspace: Workspace, *, project: str | None = None, limit: int = 20, now: datetime) -> Json:
    """List sessions with messages that nothing covers. Returns ``{sessions, total_sessions, total_messages}``.

    Also leaves the counts per project in the state folder, where a hook finds them at the next session's start.
    """
    if not 1 <= limit <= 1000:
        raise BadArgument(f"limit must lie between 1 and 1000, not {limit}", argument="limit")
    refresh_ledger(workspace)
    found = pending(workspace)
    leave_counts(workspace, found, now)
    project = projects.read_names(workspace.vault).now(project)
    chosen = [session for session in found.sessions if project in (None, session.entry.project)]
    listed = [
        {
            "host": session.entry.host,
            "session_id": session.entry.session_id,
            "project": session.entry.project,
            "path": session.path,
            "started": session.entry.time.astimezone(workspace.vault.zone).isoformat(timespec="seconds")
            if session.entry.time
            else None,
            "messages": len(session.events),
            "of": len(session.entry.events),
            "events": list(session.events),
        }
        for session in chosen[:limit]
    ]
    total = found.waiting(project)
    return {"sessions": listed, "total_sessions": total.sessions, "total_messages": total.messages}


def mark_curated(
    workspace: Workspace,
    host: str,
    session_id: str,
    *,
    upto: str | None = None,
    gist: str | None = None,
    questions: Sequence[str] | None = None,
    now: datetime,
) -> Json:
    """Mark a session as curated up to an event, its last one without ``upto``.

    ``gist`` is the session in one line, ``questions`` are how a person may later ask for it; both are searched, and
    stay as they are when none are given. Returns ``{host, session_id, upto, gist, questions, wanted}``: ``wanted``
    says what of them is missing. Raises ``NotFound`` for a session that is not in the vault or an event that is not in
    the session, ``BadArgument`` for a gist or question that is no line of text.
    """
    given = text_list("questions", [redact(question)[0] for question in questions or ()]) or ()
    gist = one_line("gist", redact(gist)[0]) if gist else None
    _, order = session_events(workspace, host, session_id)
    if not order:
        raise NotFound(f"No session {session_id} of {host} is in the vault.", host=host, session_id=session_id)
    event = EventId(upto.strip().removeprefix("[^").removesuffix("]")) if upto else order[-1]
    if event not in order:
        raise NotFound(f"Event {event} is not in that session.", event=event, session_id=session_id)
    with lock(workspace.state.locks / "curated", _LOCK_SECONDS):
        mark = marks.mark_curated(workspace.vault, host, session_id, event, now, gist=gist, questions=given)
    leave_counts(workspace, pending(workspace), now)
    wanted = [] if mark.gist else ["a gist: the session in one line"]
    return {
        "host": host,
        "session_id": session_id,
        "upto": mark.upto,
        "gist": mark.gist,
        "questions": list(mark.questions),
        "wanted": [*wanted, *wanting(mark.questions, mark.gist or "")],
    }
