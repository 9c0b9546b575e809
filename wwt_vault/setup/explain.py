"""Says what is about to be changed, before it is: a sentence per file."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from wwt_vault.setup.files import FileChange, copy_from_before
from wwt_vault.setup.hosts import CONNECTIONS
from wwt_vault.setup.places import Machine, file_of
from wwt_vault.setup.plan import HostPlan

__all__ = ["explain"]


def explain(plan: HostPlan, machine: Machine) -> Iterator[str]:
    """Yield a sentence for each file that the plan changes, and for each command of the host's that it runs."""
    title = CONNECTIONS[plan.host].title
    for change in plan.files:
        yield f"{title}: {_deed(change)} {change.path}: {', '.join(_parts(plan, change, machine))}.{_copy(change)}"
    for command in plan.commands:
        yield f"{title}: runs `{shlex.join(command.words)}`, which changes {command.file}: MCP server {plan.mcp}."


def _deed(change: FileChange) -> str:
    if change.after is None:
        return "deletes"
    return "makes" if change.before is None else "changes"


def _parts(plan: HostPlan, change: FileChange, machine: Machine) -> Iterator[str]:
    row = CONNECTIONS[plan.host]
    hooks = row.hooks if row.hooks and change.path == file_of(plan.host, row.hooks.file, machine) else None
    mcp = change.path == file_of(plan.host, row.mcp.file, machine)
    if hooks:
        yield f"hooks {plan.hooks} ({', '.join(hooks.timeouts)})"
    if mcp:
        yield f"MCP server {plan.mcp}"
    if not hooks and not mcp:
        yield f"memory rule {plan.rule}"


def _copy(change: FileChange) -> str:
    if change.keep_copy:
        return f" What it is now is kept as {copy_from_before(change.path).name}."
    return ""
