"""What setup leaves to the person: approvals, settings that stand in the way, files that the host will not read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from wwt_vault.errors import WwtError
from wwt_vault.setup import jsonc, toml
from wwt_vault.setup.files import decoded, read
from wwt_vault.setup.hosts import CONNECTIONS, HookFile
from wwt_vault.setup.places import Machine, file_of

__all__ = ["Obstacle", "left_to_do", "unread"]


class Obstacle(NamedTuple):
    """Something that keeps a host from calling us, which only the person can change."""

    kind: str
    """``hooks_not_approved``, ``mcp_not_approved``, ``mcp_foreign``, ``hooks_off`` or ``settings_unread``."""
    sentence: str


def left_to_do(host: str, hooks: str | None, mcp: str, machine: Machine) -> Iterator[Obstacle]:
    """Yield everything that keeps ``host`` from calling us, given what became of hooks and server."""
    row = CONNECTIONS[host]
    changed = hooks in ("added", "updated")
    if row.hooks and row.hooks.todo and (changed or (hooks == "present" and not _approved(host, row.hooks, machine))):
        yield Obstacle("hooks_not_approved", row.hooks.todo)
    if row.mcp.todo and mcp in ("added", "updated"):
        yield Obstacle("mcp_not_approved", row.mcp.todo)
    if mcp == "foreign":
        path = file_of(host, row.mcp.file, machine)
        sentence = f"{path} has another MCP server named wwt; it was left alone. Rename it there, then run this again."
        yield Obstacle("mcp_foreign", sentence)
    for switch in row.switches:
        if _setting(host, switch.file, switch.path, machine) is switch.value:
            setting = f"{'.'.join(switch.path)} = {json.dumps(switch.value)}"
            sentence = f"{row.title} runs no hooks while {file_of(host, switch.file, machine)} has {setting}."
            yield Obstacle("hooks_off", sentence)


def unread(host: str, path: Path, text: str) -> Iterator[Obstacle]:
    """Yield why the host does not read a JSON file that we can read."""
    row, title = CONNECTIONS[host], CONNECTIONS[host].title
    if text.startswith("\ufeff") and not row.byte_order_mark:
        sentence = f"{title} does not read {path}, which begins with a byte order mark: save it as UTF-8 without one."
        yield Obstacle("settings_unread", sentence)
    if row.comments:
        return
    try:
        json.loads(text.removeprefix("\ufeff"))
    except json.JSONDecodeError as error:
        sentence = (
            f"{title} ignores all of {path} because of the comment in line {error.lineno}: take the comments out."
        )
        yield Obstacle("settings_unread", sentence)


def _approved(host: str, file: HookFile, machine: Machine) -> bool:
    """Return whether Codex has noted an approval for hooks of our file (``hooks.state."<file>:<event>:…"``)."""
    hooks = str(file_of(host, file.file, machine))
    state = _setting(host, CONNECTIONS[host].mcp.file, ("hooks", "state"), machine)
    return isinstance(state, dict) and any(str(key).startswith(hooks + ":") for key in state)


def _setting(host: str, file: str, keys: tuple[str, ...], machine: Machine) -> object:
    path = file_of(host, file, machine)
    try:
        text = decoded(read(path), str(path))
        return jsonc.get((toml if path.suffix == ".toml" else jsonc).parse(text, str(path)), keys)
    except WwtError:
        return None  # that the file cannot be read is told where it is changed
