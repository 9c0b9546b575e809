"""What is registered in a host's settings right now, whoever put it there. Reads only."""

from __future__ import annotations

from contextlib import suppress
from typing import Any, NamedTuple

from wwt_vault.errors import WwtError
from wwt_vault.setup import entries
from wwt_vault.setup.files import decoded, read
from wwt_vault.setup.hosts import CONNECTIONS, Shell
from wwt_vault.setup.places import Machine, file_of

__all__ = ["Registered", "registered"]


class Registered(NamedTuple):
    """Our entries in one host's settings."""

    hooks: dict[str, str]
    """By event, the command line; empty when there is none or the file cannot be read."""
    server: dict[str, Any]
    """The MCP server's entry of our name, if it is ours."""
    hooks_file: str
    """Empty for a host that has none."""
    mcp_file: str
    windows_shell: Shell


def registered(host: str, machine: Machine) -> Registered:
    """Return our entries in the settings of ``host``; what cannot be parsed counts as none."""
    row = CONNECTIONS[host]
    hooks = file_of(host, row.hooks.file, machine) if row.hooks else None
    server = file_of(host, row.mcp.file, machine)
    commands: dict[str, str] = {}
    entry: dict[str, Any] = {}
    with suppress(WwtError):
        commands = entries.hook_commands(decoded(read(hooks), str(hooks)), str(hooks)) if hooks else {}
    with suppress(WwtError):
        entry = entries.own_server(decoded(read(server), str(server)), row.mcp, str(server)) or {}
    shell = row.hooks.windows_shell if row.hooks else "cmd"
    return Registered(commands, entry, str(hooks or ""), str(server), shell)
