"""The verb that forgets: words go out of the vault and of all that this machine derived from it or keeps beside it.

First what lies beside the vault, then the vault, in which the events come last, because they alone know the words; then
the index is built anew, and what it was before is thrown away. Killed in between, forgetting again completes it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, Final

from wwt_vault.errors import Ambiguous, BadArgument, LockTimeout, NotFound
from wwt_vault.fence import single_line
from wwt_vault.ingest import forgetting as beside
from wwt_vault.ingest import remembered
from wwt_vault.model.conversation import Event, EventId
from wwt_vault.operations import freshness
from wwt_vault.operations.moments import shown
from wwt_vault.operations.workspace import Workspace
from wwt_vault.vault import erasing, forgetting
from wwt_vault.vault import events as stored

__all__ = ["forget", "preview"]

Json = dict[str, Any]

_SHORTEST: Final = 8
"""Characters of a session's id that may stand for it."""
_TRIES: Final = 15
"""Times that the index is waited for, two seconds each."""
_BEGINNING: Final = 80
"""Characters shown of a message that is about to be forgotten."""


def preview(workspace: Workspace, events: Sequence[str] = (), *, session: str | None = None) -> Json:
    """Return ``{events: [{id, role, time, host, session_id, text}]}``: what would be forgotten, how each begins.

    Raises as ``forget``.
    """
    _, chosen = _chosen(workspace, events, session)
    zone = workspace.vault.zone
    return {
        "events": [
            {
                "id": event.id,
                "role": event.role,
                "time": shown(event.time, zone),
                "host": event.host,
                "session_id": event.session_id,
                "text": single_line(event.text, _BEGINNING),
            }
            for event in chosen.values()
        ]
    }


def forget(
    workspace: Workspace,
    events: Sequence[str] = (),
    *,
    session: str | None = None,
    reason: str,
    now: datetime,
    progress: Callable[[int, int], None] | None = None,
) -> Json:
    """Forget messages by their ids, or all of a session, by its id or the first 8 and more characters of it.

    ``progress`` is that of the index, which is built anew. Returns ``{events, notes, unsupported: [{path, line, text}],
    also_said, left, waiting, transcripts, git, files}``: claims that rest on nothing now; other events that say the
    same; files of the person's that have the words; calls that waited; transcripts of the hosts, which have the words;
    the commands that take them out of git's history; every file that had them, for backups. Nothing is forgotten when
    one of the ids is unknown.

    Raises ``BadArgument``, ``NotFound``, ``Ambiguous``, ``LockTimeout``, ``VaultReadOnly``, ``VaultError``,
    ``IndexUnavailable``.
    """
    vault, state = workspace.vault, workspace.state
    whole, chosen = _chosen(workspace, events, session)
    sessions = sorted({(event.host, event.session_id) for event in chosen.values()} | ({whole} if whole else set()))
    words = erasing.words_of(event.text for event in chosen.values())
    transcripts = beside.transcripts_of(state, sessions)
    waiting = beside.forget_here(state, chosen.keys(), words, sessions, whole=whole is not None)
    done = forgetting.forget(
        vault,
        events=[str(event) for event in chosen] if whole is None else [],
        session=whole,
        reason=reason,
        at=now,
        locks=state.locks,
        hold=lambda host, session_id: remembered.hold(state, host, session_id, beside.LOCK_SECONDS),
    )
    workspace.heads.drop()
    _index_anew(workspace, progress)
    return {
        "events": list(done.events),
        "notes": list(done.notes),
        "unsupported": [{"path": path, "line": line, "text": text} for path, line, text in done.unsupported],
        "also_said": list(done.also_said),
        "left": list(done.left),
        "waiting": waiting,
        "transcripts": transcripts,
        "git": forgetting.git_commands(vault.root, done.paths),
        "files": list(done.paths),
    }


def _index_anew(workspace: Workspace, progress: Callable[[int, int], None] | None) -> None:
    """Build the index without the words, and throw away what it was. Raises ``LockTimeout``, ``IndexUnavailable``."""
    for _ in range(_TRIES):
        report = freshness.refresh(workspace, seconds=None, rebuild=True, allow_shrink=True, progress=progress)
        if not report.busy:
            workspace.index.purge()
            return
    message = (
        "The words are out of the vault, and still in the index: another process is indexing. Forget them again when it"
        " is done."
    )
    raise LockTimeout(message)


def _chosen(
    workspace: Workspace, events: Sequence[str], session: str | None
) -> tuple[tuple[str, str] | None, dict[EventId, Event]]:
    if bool(events) == bool(session):
        raise BadArgument("Give event ids, or a session.", argument="events")
    ids = [name.strip().removeprefix("[^").removesuffix("]") for name in events]
    whole = _session(workspace, session) if session else None
    return whole, forgetting.chosen(workspace.vault, ids, whole)


def _session(workspace: Workspace, name: str) -> tuple[str, str]:
    """Return host and id of the session that is meant."""
    freshness.refresh_ledger(workspace)
    told = {
        (entry.host, entry.session_id) for entry in workspace.ledger.snapshot().values() if entry.layer == "session"
    }
    found = _meant(name, told)
    if not found:  # its note is gone: the events know
        found = _meant(
            name, {(one.host, one.session_id) for one in stored.iter_events(workspace.vault) if isinstance(one, Event)}
        )
    if len(found) > 1:
        candidates = [f"{host} {session_id}" for host, session_id in found]
        raise Ambiguous(f"{name!r} fits {len(found)} sessions; give all of its id", candidates=candidates)
    if not found:
        raise NotFound(f"there is no session {name!r} in the vault. Nothing was forgotten.", session_id=name)
    return found[0]


def _meant(name: str, sessions: set[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return the sessions that a name fits: an id, its beginning or its end, a host before it or not."""
    host, _, rest = name.rpartition(" ")
    there = sorted(session for session in sessions if host in ("", session[0]))
    exact = [session for session in there if session[1] == rest]
    if exact or len(rest) < _SHORTEST:
        return exact
    return [session for session in there if session[1].startswith(rest) or session[1].endswith(rest)]
