"""Does what was planned, or shows it."""

from __future__ import annotations

import difflib
import shlex
import subprocess

from wwt_vault.errors import WwtError
from wwt_vault.setup.entries import server_entry
from wwt_vault.setup.files import decoded, read, write
from wwt_vault.setup.hosts import CONNECTIONS
from wwt_vault.setup.places import Machine, file_of
from wwt_vault.setup.plan import Command, HostPlan

__all__ = ["carry_out", "diff"]

_PATIENCE = 60.0
"""Seconds for a host's own command; one takes less than one, on a busy machine three."""


def carry_out(plan: HostPlan, machine: Machine) -> HostPlan:
    """Do what is planned and return what came of it; a failure is told in ``refused`` or ``todo`` and stops nothing."""
    row, done = CONNECTIONS[plan.host], plan
    for change in plan.files:
        try:
            write(change)
        except WwtError as error:
            done = done._replace(refused=(*done.refused, error))
            hooks = row.hooks is not None and change.path == file_of(plan.host, row.hooks.file, machine)
            mcp = change.path == file_of(plan.host, row.mcp.file, machine)
            done = done._replace(
                hooks="failed" if hooks else done.hooks,
                mcp="failed" if mcp else done.mcp,
                rule=done.rule if hooks or mcp else "failed",
            )
    for command in plan.commands:
        problem = _run(command, machine)
        if problem:
            sentence = f"`{shlex.join(command.words)}` failed ({problem}): run it yourself."
            return done._replace(mcp="failed", todo=(*done.todo, sentence))
    if plan.commands and _is_registered(plan.host, plan.commands[-1]) == (plan.mcp == "removed"):
        words, file = plan.commands[-1]
        sentence = f"`{shlex.join(words)}` changed nothing in {file}: can it be written?"
        return done._replace(mcp="failed", todo=(*done.todo, sentence))
    return done


def _is_registered(host: str, command: Command) -> bool:
    """Return whether the server stands in the host's file: Claude Code says "Added" also when it could not write it."""
    name = str(command.file)
    try:
        return server_entry(decoded(read(command.file), name), CONNECTIONS[host].mcp, name) is not None
    except WwtError:
        return False


def diff(plan: HostPlan) -> str:
    """Return what is planned as a unified diff, the host's own commands as comments in it; empty when nothing is."""
    parts: list[str] = []
    for change in plan.files:
        before, after = (
            (side or b"").decode("utf-8", "replace").splitlines(keepends=True) for side in (change.before, change.after)
        )
        old = "/dev/null" if change.before is None else str(change.path)
        new = "/dev/null" if change.after is None else str(change.path)
        lines = difflib.unified_diff(before, after, old, new)
        parts += [line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines]
    parts += [f"# changes {command.file}:\n# {shlex.join(command.words)}\n" for command in plan.commands]
    return "".join(parts)


def _run(command: Command, machine: Machine) -> str:
    """Run a host's command and return what went wrong, empty when nothing did."""
    try:
        done = subprocess.run(
            command.words,
            cwd=machine.home,
            env=dict(machine.environ),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_PATIENCE,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    said = (done.stderr or done.stdout).decode("utf-8", "replace").strip()
    return f"exit {done.returncode}: {said[-300:]}" if done.returncode else ""
