"""Our entries in a host's settings: put in, brought up to date, recognised, taken out. Text in, text out; no files.

An entry is ours when it calls ``wwt-hook``, or is named ``wwt`` and starts ``wwt``: whichever installation wrote it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from wwt_vault.setup import jsonc, toml
from wwt_vault.setup.hosts import SERVER, HookFile, McpFile
from wwt_vault.setup.programs import HOOK, PROGRAM

__all__ = [
    "Edited",
    "add_hooks",
    "add_server",
    "any_client",
    "hook_commands",
    "new_entry",
    "own_server",
    "remove_hooks",
    "remove_server",
    "server_entry",
]

Json = dict[str, Any]
Place = tuple[str | int, ...]
"""Where a handler stands: the keys that lead to it."""

_HOOK_CALL = re.compile(rf"(?:^|[\\/\"'\s]){HOOK}(?:\.exe)?(?:[\"'\s]|$)", re.IGNORECASE)
_NOTE = "set by wwt setup: Codex waits this long for MCP servers before the first turn"


class Edited(NamedTuple):
    """A settings file's text after an edit, and what became of our entries in it."""

    text: str
    outcome: str
    """``added``, ``updated``, ``present``, ``foreign`` (another's entry has our name); ``removed``, ``absent``."""


def add_hooks(text: str, hooks: HookFile, command: str, name: str) -> Edited:
    """Put a handler for each event into the text, behind the person's; bring handlers of ours up to date.

    Raises ``UnparsableSettings``.
    """
    before = text
    if hooks.version is not None and jsonc.get(jsonc.parse(text, name), ["version"]) is None:
        text = jsonc.put(text, ["version"], hooks.version, name)
    found = _handlers(text, name)
    for event, timeout in hooks.timeouts.items():
        handler: Json = {**hooks.extra, **({"type": "command"} if hooks.grouped else {})}
        handler |= {"command": command, "timeout": timeout}
        places = [place for place in found if place[1] == event]
        if not places:
            text = jsonc.append(text, ["hooks", event], {"hooks": [handler]} if hooks.grouped else handler, name)
        for key, value in handler.items() if places else ():
            text = jsonc.put(text, [*places[0], key], value, name)
    extra = [place for event in {place[1] for place in found} for place in _surplus(found, event, hooks)]
    for place in reversed(found):  # from the end, so that the places before stay what they are
        text = _delete_handler(text, place, {}, name) if place in extra else text
    return Edited(text, "present" if text == before else "updated" if found else "added")


def remove_hooks(text: str, copy: str, name: str) -> Edited:
    """Take our handlers out, and the groups, arrays and objects that are empty by that unless ``copy`` has them."""
    found = _handlers(text, name)
    kept = jsonc.parse(copy, name)
    for place in reversed(found):
        text = _delete_handler(text, place, kept, name)
    return Edited(text, "removed" if found else "absent")


def server_entry(text: str, mcp: McpFile, name: str) -> Json | None:
    """Return the entry that has our server's name, whoever made it."""
    table = toml.parse(text, name) if mcp.file.endswith(".toml") else jsonc.parse(text, name)
    found = jsonc.get(table, [mcp.table, SERVER])
    return found if found is None or isinstance(found, dict) else {}


def hook_commands(text: str, name: str) -> dict[str, str]:
    """Return the command line of our handler for each event that has one. Raises ``UnparsableSettings``."""
    table = jsonc.parse(text, name)
    return {str(place[1]): str(jsonc.get(table, [*place, "command"])) for place in reversed(_handlers(text, name))}


def own_server(text: str, mcp: McpFile, name: str) -> Json | None:
    """Return the entry of our server, ``None`` without one or when another has the name."""
    entry = server_entry(text, mcp, name)
    return entry if entry is not None and _is_ours(entry) else None


def new_entry(mcp: McpFile, program: str) -> Json:
    """Return the entry of our server as it is registered."""
    return {"command": program, "args": ["serve"], **mcp.values}


def any_client(program: str) -> Json:
    """Return what the documentation of MCP clients asks for: servers by name, with command and arguments."""
    return {"mcpServers": {SERVER: {"command": program, "args": ["serve"]}}}


def add_server(text: str, mcp: McpFile, program: str, name: str) -> Edited:
    """Register the MCP server, or bring its command up to date; what the person added to the entry stays.

    An entry of our name that is not ours is left alone. Raises ``UnparsableSettings``.
    """
    entry = server_entry(text, mcp, name)
    wanted: Json = {"command": program, "args": ["serve"]}  # the rest the person may have changed
    if entry is not None and not _is_ours(entry):
        return Edited(text, "foreign")
    if entry is not None and all(entry.get(key) == value for key, value in wanted.items()):
        return Edited(text, "present")
    outcome = "added" if entry is None else "updated"
    if not mcp.file.endswith(".toml"):
        if entry is None:
            return Edited(jsonc.put(text, [mcp.table, SERVER], new_entry(mcp, program), name), outcome)
        for key, value in wanted.items():
            text = jsonc.put(text, [mcp.table, SERVER, key], value, name)
        return Edited(text, outcome)
    path = (mcp.table, SERVER)
    text = toml.delete_table(text, path, name)
    if mcp.line and mcp.line[0] not in toml.parse(text, name):
        text = toml.put_line(text, *mcp.line, _NOTE, name)
    return Edited(toml.add_table(text, path, new_entry(mcp, program), name), outcome)


def remove_server(text: str, mcp: McpFile, copy: str, name: str) -> Edited:
    """Take the MCP server's entry out, if it is ours, and its table if that is empty and ``copy`` has none."""
    entry = server_entry(text, mcp, name)
    if entry is None or not _is_ours(entry):
        return Edited(text, "absent" if entry is None else "foreign")
    if mcp.file.endswith(".toml"):
        text = toml.delete_table(text, (mcp.table, SERVER), name)
        return Edited(toml.delete_line(text, mcp.line[0], _NOTE, name) if mcp.line else text, "removed")
    text = jsonc.delete(text, [mcp.table, SERVER], name)
    return Edited(_prune(text, [mcp.table], jsonc.parse(copy, name), name), "removed")


def _handlers(text: str, name: str) -> list[Place]:
    """Return the places of our handlers in the order of the file: ``("hooks", event, group, "hooks", number)``.

    Where a host has no groups it is ``("hooks", event, number)``.
    """
    events = jsonc.get(jsonc.parse(text, name), ["hooks"])
    found: list[Place] = []
    for event, entries in events.items() if isinstance(events, dict) else ():
        for at, entry in enumerate(entries if isinstance(entries, list) else ()):
            found += [("hooks", event, at)] if _calls_us(entry) else []
            found += [
                ("hooks", event, at, "hooks", number)
                for number, handler in enumerate(_list(entry, "hooks"))
                if _calls_us(handler)
            ]
    return found


def _calls_us(handler: Any) -> bool:
    return isinstance(handler, dict) and bool(_HOOK_CALL.search(str(handler.get("command", ""))))


def _list(value: Any, key: str) -> list[Any]:
    found = value.get(key) if isinstance(value, dict) else None
    return found if isinstance(found, list) else []


def _surplus(found: list[Place], event: str | int, hooks: HookFile) -> list[Place]:
    """Handlers of ours that an earlier version registered, or that stand there twice."""
    places = [place for place in found if place[1] == event]
    return places[1:] if event in hooks.timeouts else places


def _delete_handler(text: str, place: Place, kept: Json, name: str) -> str:
    text = jsonc.delete(text, place, name)
    if len(place) > 3:
        group = place[:3]
        text = _prune(text, place[:4], {}, name)
        if not jsonc.get(jsonc.parse(text, name), place[:4]):
            text = jsonc.delete(text, group, name)
    return _prune(_prune(text, place[:2], kept, name), place[:1], kept, name)


def _prune(text: str, path: Sequence[str | int], kept: Json, name: str) -> str:
    empty = jsonc.get(jsonc.parse(text, name), path) in ({}, [])
    return jsonc.delete(text, path, name) if empty and jsonc.get(kept, path) is None else text


def _is_ours(entry: Json) -> bool:
    program = re.split(r"[\\/]", str(entry.get("command", "")))[-1].lower()
    return program.removesuffix(".exe") == PROGRAM or "wwt_vault" in str(entry.get("args", ""))
