"""What setup would do to the hosts, worked out without doing it.

Every file is planned on its own: one that cannot be parsed is refused and named, the others go on.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from wwt_vault.errors import BadArgument, WwtError
from wwt_vault.setup import entries, jsonc
from wwt_vault.setup.files import FileChange, copy_from_before, decoded, read
from wwt_vault.setup.hosts import CONNECTIONS
from wwt_vault.setup.places import Machine, file_of, program_of
from wwt_vault.setup.programs import Programs, hook_command
from wwt_vault.setup.rule import plan_rule
from wwt_vault.setup.todo import Obstacle, left_to_do, unread

__all__ = ["Command", "HostPlan", "connect", "disconnect"]

Outcomes = dict[str, str]

_ONLY_VERSION = '{"version":1}'
"""What is left, blanks aside, of a file of Cursor's that setup made."""


class Command(NamedTuple):
    """A command of the host's own, for a file that the host keeps for itself: a running one rewrites it."""

    words: tuple[str, ...]
    file: Path


class HostPlan(NamedTuple):
    """What is to be done for one host, or what was done."""

    host: str
    hooks: str | None
    """``added``, ``updated``, ``present``, ``removed``, ``absent``, ``refused`` or ``failed``; ``None`` for a host that
    has no hooks."""
    mcp: str
    """The same, or ``foreign``: another server has the name."""
    rule: str | None = None
    """The same of the memory rule; ``None`` where the host reads no file that could hold it."""
    files: tuple[FileChange, ...] = ()
    commands: tuple[Command, ...] = ()
    todo: tuple[str, ...] = ()
    """What is left for the person, a sentence each."""
    obstacles: tuple[Obstacle, ...] = ()
    """Those of them that stand in the way whatever setup does."""
    refused: tuple[WwtError, ...] = ()
    """Why something was not done."""


class _Settings(NamedTuple):
    """One settings file of one host, as it is and as it was before setup first changed it."""

    host: str
    path: Path
    parts: tuple[str, ...]
    """Which of ``hooks`` and ``mcp`` belong into it."""
    data: bytes | None
    copy: bytes | None


def connect(hosts: Sequence[str], machine: Machine, programs: Programs, *, rule: bool | None = None) -> list[HostPlan]:
    """Plan to register hooks and MCP server in ``hosts``; what is there already is not planned again.

    The memory rule is written if ``rule`` is true, taken out if it is false, else only kept up to date. Raises
    ``BadArgument`` for a host that is not known.
    """
    plans: list[HostPlan] = []
    for host in _known(hosts):
        plan = _with_rule(_plan(host, machine, programs, remove=False), machine, rule, plans)
        plans.append(_hindered(plan, left_to_do(host, plan.hooks, plan.mcp, machine)))
    return plans


def disconnect(hosts: Sequence[str], machine: Machine, programs: Programs) -> list[HostPlan]:
    """Plan to take out of ``hosts`` what :func:`connect` put in.

    A file that nobody changed since gets the very bytes back that it had before; from any other, only our entries are
    taken out. Raises ``BadArgument`` for a host that is not known.
    """
    plans: list[HostPlan] = []
    for host in _known(hosts):
        plans.append(_with_rule(_plan(host, machine, programs, remove=True), machine, False, plans))
    return plans


def _known(hosts: Sequence[str]) -> Sequence[str]:
    for host in hosts:
        if host not in CONNECTIONS:
            raise BadArgument(f"no host is named {host!r}; known are {', '.join(CONNECTIONS)}", host=host)
    return hosts


def _plan(host: str, machine: Machine, programs: Programs, *, remove: bool) -> HostPlan:
    row = CONNECTIONS[host]
    names = ({"hooks": row.hooks.file} if row.hooks else {}) | {"mcp": row.mcp.file}
    outcomes = dict.fromkeys(names, "refused")
    plan = HostPlan(host, None, "")
    for path in dict.fromkeys(file_of(host, name, machine) for name in names.values()):
        parts = tuple(part for part, name in names.items() if file_of(host, name, machine) == path)
        try:
            file = _Settings(host, path, parts, read(path), read(copy_from_before(path)))
            program = program_of(host, machine)
            if not row.trailing_commas and path.suffix == ".json":
                jsonc.refuse_trailing_comma(decoded(file.data, str(path)), str(path))
            if parts == ("mcp",) and row.mcp.add and program:
                outcomes["mcp"], commands = _by_command(program, file, programs, remove=remove)
                plan = plan._replace(commands=(*plan.commands, *commands))
                continue
            after, done = _disconnected(file, machine, programs) if remove else _connected(file, machine, programs)
        except WwtError as error:
            plan = plan._replace(refused=(*plan.refused, error))
            continue
        outcomes |= done
        if after != file.data:
            plan = plan._replace(files=(*plan.files, _change(file, after, done, remove=remove)))
        if not remove and path.suffix == ".json":
            plan = _hindered(plan, unread(host, path, decoded(after, str(path))))
    return plan._replace(hooks=outcomes.get("hooks"), mcp=outcomes["mcp"])


def _with_rule(plan: HostPlan, machine: Machine, wanted: bool | None, before: Sequence[HostPlan]) -> HostPlan:
    """Add what is to become of the rule. Hosts may share a file by a link: it is changed once."""
    rule = plan_rule(plan.host, machine, wanted)
    planned = {change.path.resolve() for other in before for change in other.files}
    files = (*plan.files, *(change for change in rule.files if change.path.resolve() not in planned))
    todo, refused = (*plan.todo, *rule.todo), (*plan.refused, *rule.refused)
    return plan._replace(rule=rule.outcome, files=files, todo=todo, refused=refused)


def _hindered(plan: HostPlan, obstacles: Iterable[Obstacle]) -> HostPlan:
    found = tuple(obstacles)
    todo = (*plan.todo, *(obstacle.sentence for obstacle in found))
    return plan._replace(todo=todo, obstacles=(*plan.obstacles, *found))


def _connected(file: _Settings, machine: Machine, programs: Programs) -> tuple[bytes | None, Outcomes]:
    row, name = CONNECTIONS[file.host], str(file.path)
    before = text = decoded(file.data, name)
    done: Outcomes = {}
    if row.hooks and "hooks" in file.parts:
        command = hook_command(programs.hook, file.host, row.hooks.windows_shell, machine.platform, machine.shorten)
        text, done["hooks"] = entries.add_hooks(text, row.hooks, command, name)
    if "mcp" in file.parts:
        text, done["mcp"] = entries.add_server(text, row.mcp, programs.server, name)
    return (file.data if text == before else text.encode()), done


def _disconnected(file: _Settings, machine: Machine, programs: Programs) -> tuple[bytes | None, Outcomes]:
    row, name = CONNECTIONS[file.host], str(file.path)
    before = text = decoded(file.data, name)
    copy = decoded(file.copy, str(copy_from_before(file.path)))
    done: Outcomes = {}
    if "hooks" in file.parts:
        text, done["hooks"] = entries.remove_hooks(text, copy, name)
    if "mcp" in file.parts:
        text, done["mcp"] = entries.remove_server(text, row.mcp, copy, name)
    if text == before:
        return file.data, done
    if _untouched(file, machine, programs):
        return file.copy, done
    nothing_left = "".join(text.removeprefix("\ufeff").split()) in ("", "{}", _ONLY_VERSION)
    return (None if nothing_left and file.copy is None else text.encode()), done


def _untouched(file: _Settings, machine: Machine, programs: Programs) -> bool:
    """Return whether the file is what setup made of the copy, and nothing else."""
    try:
        data, done = _connected(file._replace(data=file.copy), machine, programs)
    except WwtError:
        return False
    return data == file.data and set(done.values()) == {"added"}


def _change(file: _Settings, after: bytes | None, done: Outcomes, *, remove: bool) -> FileChange:
    first = not remove and not {"present", "updated"} & set(done.values())
    drop = file.copy is not None and (remove or (first and file.data is None))
    return FileChange(file.path, file.data, after, keep_copy=first and file.data is not None, drop_copy=drop)


def _by_command(program: str, file: _Settings, programs: Programs, *, remove: bool) -> tuple[str, tuple[Command, ...]]:
    row, name = CONNECTIONS[file.host].mcp, str(file.path)
    text = decoded(file.data, name)
    taking_out = Command((program, *row.remove), file.path)
    if remove:
        outcome = entries.remove_server(text, row, "", name).outcome
        return outcome, (taking_out,) if outcome == "removed" else ()
    outcome = entries.add_server(text, row, programs.server, name).outcome
    entry = json.dumps(entries.new_entry(row, programs.server), ensure_ascii=False)
    adding = Command((program, *row.add, entry), file.path)
    return outcome, {"added": (adding,), "updated": (taking_out, adding)}.get(outcome, ())
