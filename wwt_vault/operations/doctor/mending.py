"""What ``--fix`` does: things that are derived are made again, nothing else is touched."""

from __future__ import annotations

from collections.abc import Callable, Collection
from datetime import datetime
from typing import TYPE_CHECKING, Final

from wwt_vault import setup
from wwt_vault.errors import WwtError
from wwt_vault.ingest import live
from wwt_vault.ingest.recorder import Recorder, machine_name
from wwt_vault.model.conversation import Session
from wwt_vault.operations import freshness
from wwt_vault.operations.doctor.in_vault import untold
from wwt_vault.operations.doctor.kinds import KINDS, Finding, Mend
from wwt_vault.operations.doctor.on_machine import damaged_records, open_to_others
from wwt_vault.vault import check, events, files, sessions

if TYPE_CHECKING:
    from wwt_vault.operations.workspace import Workspace
    from wwt_vault.setup import Machine, Programs

__all__ = ["mend"]

_PATIENCE: Final = 10.0
"""Seconds to wait for a hook of the same session."""


def mend(
    found: Collection[Finding], workspace: Workspace | None, machine: Machine, programs: Programs, now: datetime
) -> list[str]:
    """Mend what can be mended; return what could not, a sentence each. What is left is seen by looking again."""
    wanted = {KINDS.get(finding.kind, "") for finding in found}
    failures: list[str] = []
    without_vault: list[tuple[Mend, Callable[[], None]]] = [
        ("modes", _close),
        ("hosts", lambda: _register(machine, programs)),
    ]
    with_vault: list[tuple[Mend, Callable[[Workspace], None]]] = [
        ("records", _drop_records),
        ("queue", lambda it: _retry(it, now)),
        ("session notes", _tell),
        ("temporary files", lambda it: _sweep(it, found)),
        ("index", _index),
    ]
    steps = [(name, step) for name, step in without_vault]
    if workspace is not None:
        steps += [(name, lambda step=step: step(workspace)) for name, step in with_vault]  # type: ignore[misc]
    for name, step in steps:
        if name in wanted:
            try:
                step()
            except (WwtError, OSError) as error:
                failures.append(f"{name}: {error}")
    return failures


def _close() -> None:
    for path in open_to_others():
        path.chmod(0o700 if path.is_dir() else 0o600)


def _register(machine: Machine, programs: Programs) -> None:
    """Bring up to date what is registered. What is not there the person may have taken out: setup registers it."""
    for plan in setup.connect(setup.detect(machine), machine, programs):
        if "updated" in (plan.hooks, plan.mcp) and "added" not in (plan.hooks, plan.mcp):
            setup.carry_out(plan, machine)


def _drop_records(workspace: Workspace) -> None:
    for path in damaged_records(workspace):
        path.unlink(missing_ok=True)


def _retry(workspace: Workspace, now: datetime) -> None:
    live.retry(workspace.vault, workspace.state, now)


def _tell(workspace: Workspace) -> None:
    """Put events that no session note tells into the notes of their sessions, made anew where they are gone."""
    vault = workspace.vault
    for (host, session_id), lost in untold(vault, list(check.check_vault(vault).problems)).items():
        session = Session(host=host, session_id=session_id)
        with Recorder(vault, workspace.state, session, timeout=_PATIENCE):
            note = sessions.find_session_note(vault, host, session_id)
            if note is None:
                everything = [event.id for event in events.events_of_session(vault, host, session_id)]
                sessions.remake_session_note(vault, session, everything, machine_name())
            else:
                sessions.append_events(vault, note, [events.read_event(vault, event) for event in lost])


def _sweep(workspace: Workspace, found: Collection[Finding]) -> None:
    for finding in found:
        if finding.kind == "temporary_file":
            files.remove(workspace.vault.root / finding.path)


def _index(workspace: Workspace) -> None:
    """Refresh; a damaged one was marked as such when it was examined, and is built anew by that."""
    freshness.refresh(workspace, seconds=None)
