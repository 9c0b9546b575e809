"""``wwt doctor``: finds what is wrong by name, in the vault, on this machine and between the hosts and us.

``kinds`` is the table of everything it knows; ``in_vault``, ``on_machine`` and ``on_hosts`` look for it, ``mending``
mends what is derived.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wwt_vault.errors import WwtError
from wwt_vault.operations.doctor import in_vault, mending, on_hosts, on_machine
from wwt_vault.operations.doctor.kinds import KINDS, Finding
from wwt_vault.operations.freshness import refresh_ledger
from wwt_vault.operations.workspace import Workspace, open_workspace
from wwt_vault.setup import Machine, find_programs
from wwt_vault.vault.events import time_of

if TYPE_CHECKING:
    from wwt_vault.index.embedder import Embedder
    from wwt_vault.setup import Programs

__all__ = ["KINDS", "doctor"]

Json = dict[str, Any]


def doctor(
    argument: str | None = None,
    *,
    now: datetime,
    fix: bool = False,
    machine: Machine | None = None,
    program: str | None = None,
    embedder: Callable[[], Embedder | None] | None = None,
) -> Json:
    """Look for every fault of ``KINDS``; with ``fix`` mend those that can be mended, then look again.

    ``argument`` names the vault as in ``open_workspace``; a vault that cannot be opened is a finding, not an error.
    ``machine`` and ``program`` (how this program was called) are this machine's unless given. The hosts' registered
    commands are run for real, without effect on the vault. Returns ``{vault, findings, mended, failures, hosts}``:
    findings are ``{kind, path, line, message, mendable}``, the mended ones are those that are gone after the mending.
    """
    machine = machine or Machine(home=Path.home(), environ=os.environ)
    programs = find_programs(program or sys.argv[0])
    workspace, found, hosts = _look(argument, machine, programs, now, embedder)
    mended: list[Finding] = []
    failures: list[str] = []
    if fix and any(KINDS.get(finding.kind) for finding in found):
        failures = mending.mend(found, workspace, machine, programs, now)
        before = found
        workspace, found, hosts = _look(argument, machine, programs, now, embedder)
        kinds_left = {(finding.kind, finding.path) for finding in found}
        mended = [finding for finding in before if (finding.kind, finding.path) not in kinds_left]
    return {
        "vault": str(workspace.vault.root) if workspace else None,
        "findings": [_as_json(finding) for finding in found],
        "mended": [_as_json(finding) for finding in mended],
        "failures": failures,
        "hosts": hosts,
    }


def _look(
    argument: str | None,
    machine: Machine,
    programs: Programs,
    now: datetime,
    embedder: Callable[[], Embedder | None] | None,
) -> tuple[Workspace | None, list[Finding], list[Json]]:
    found: list[Finding] = []
    workspace, last = None, dict[str, datetime]()
    try:
        workspace = open_workspace(argument, embedder=embedder, warn=False)
        _ = workspace.vault.zone
    except WwtError as error:
        found.append(Finding(error.code, str(error.data.get("path", "")), 0, str(error)))
    if workspace is not None:
        found += in_vault.in_vault(workspace.vault, now)
        found += on_machine.in_workspace(workspace)
        last = _last_events(workspace)
    found += on_machine.on_machine(now)
    between, hosts = on_hosts.on_hosts(machine, programs, last)
    return workspace, [*dict.fromkeys([*found, *between])], hosts


def _last_events(workspace: Workspace) -> dict[str, datetime]:
    """Return when the newest event of each host was said, as the session notes tell."""
    refresh_ledger(workspace)
    last: dict[str, datetime] = {}
    for entry in workspace.ledger.snapshot().values():
        if entry.layer == "session" and entry.events:
            said = time_of(max(entry.events))
            last[entry.host] = max(last.get(entry.host, said), said)
    return last


def _as_json(finding: Finding) -> Json:
    return {**finding._asdict(), "mendable": bool(KINDS.get(finding.kind))}
