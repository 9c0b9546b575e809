"""What setup leaves to the person: approvals, settings that stand in the way, files that the host will not read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from wwt_vault.errors import WwtError
from wwt_vault.setup import jsonc, toml
from wwt_vault.setup.files import decoded, read
from wwt_vault.setup.hosts import CONNECTIONS, HookFile
from wwt_vault.setup.places import Machine, file_of

__all__ = ["left_to_do", "unread"]


def left_to_do(host: str, hooks: str | None, mcp: str, machine: Machine) -> Iterator[str]:
    """Yield a sentence for everything that keeps ``host`` from calling us, given what became of hooks and server."""
    row = CONNECTIONS[host]
    changed = hooks in ("added", "updated")
    if row.hooks and row.hooks.todo and (changed or (hooks == "present" and not _approved(host, row.hooks, machine))):
        yield row.hooks.todo
    if row.mcp.todo and mcp in ("added", "updated"):
        yield row.mcp.todo
    if mcp == "foreign":
        path = file_of(host, row.mcp.file, machine)
        yield f"{path} has another MCP server named wwt; it was left alone. Rename it there, then run this again."
    for switch in row.switches:
        if _setting(host, switch.file, switch.path, machine) is switch.value:
            setting = f"{'.'.join(switch.path)} = {json.dumps(switch.value)}"
            yield f"{row.title} runs no hooks while {file_of(host, switch.file, machine)} has {setting}."


def unread(host: str, path: Path, text: str) -> Iterator[str]:
    """Yield why the host does not read a JSON file that we can read."""
    row, title = CONNECTIONS[host], CONNECTIONS[host].title
    if text.startswith("\ufeff") and not row.byte_order_mark:
        yield f"{title} does not read {path}, which begins with a byte order mark: save it as UTF-8 without one."
    if row.comments:
        return
    try:
        json.loads(text.removeprefix("\ufeff"))
    except json.JSONDecodeError as error:
        yield f"{title} ignores all of {path} because of the comment in line {error.lineno}: take the comments out."


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
