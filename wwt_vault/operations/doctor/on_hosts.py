"""Faults between the hosts and us, looked for by doing what a host does: the registered commands are run for real."""

from __future__ import annotations

import json
import os
import subprocess
import threading
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final

from wwt_vault import setup
from wwt_vault.capture import HOSTS, find_transcripts
from wwt_vault.errors import WwtError
from wwt_vault.ingest import hooklog
from wwt_vault.operations.doctor.kinds import Finding
from wwt_vault.setup.hosts import CONNECTIONS
from wwt_vault.setup.registered import Registered, registered

if TYPE_CHECKING:
    from wwt_vault.setup import HostPlan, Machine, Programs

__all__ = ["on_hosts"]

Json = dict[str, Any]

_PATIENCE: Final = 20.0
"""Seconds for a program that answers within one."""
_BEHIND: Final = timedelta(hours=1)
"""A host that has written its transcripts so long after the last event we have of it does not call us."""
_HELLO: Final = (
    {
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "wwt doctor", "version": "1"},
        },
    },
    {"method": "notifications/initialized"},
    {"id": 2, "method": "tools/list", "params": {}},
)
_OBSTACLES: Final = ("hooks_not_approved", "hooks_off", "settings_unread")
_OUTCOMES: Final[dict[tuple[str, str | None], tuple[str, str]]] = {
    ("hooks", "added"): ("hooks_missing", "its hooks are not registered: `wwt setup --host {host}`"),
    ("hooks", "updated"): ("hooks_outdated", "its hooks are not those that this installation registers"),
    ("mcp", "added"): ("mcp_missing", "the MCP server is not registered: `wwt setup --host {host}`"),
    ("mcp", "updated"): ("mcp_outdated", "the MCP server registered there is not this installation's"),
    ("mcp", "foreign"): ("mcp_foreign", "another MCP server has the name wwt: rename it, then `wwt setup`"),
}


def on_hosts(machine: Machine, programs: Programs, last: Mapping[str, datetime]) -> tuple[list[Finding], list[Json]]:
    """Look at every host on this machine; ``last`` says when the newest event of each was said.

    Returns the faults, and for each host ``{host, hooks, approved, hook_runs, mcp, mcp_answers, last_event}``: whether
    it is registered (``present``, ``added`` when it would have to be, …), whether what is registered runs; ``null``
    where that could not be tried.
    """
    found: list[Finding] = []
    table: list[Json] = []
    for plan in setup.connect(setup.detect(machine), machine, programs):
        there = registered(plan.host, machine)
        hook_runs = _each_runs(there, machine)
        answer = _server_answers(there, machine)
        found += _planned(plan, there)
        if hook_runs:
            found.append(
                Finding("hook_fails", there.hooks_file, 0, f"{CONNECTIONS[plan.host].title}'s hook {hook_runs}")
            )
        if answer:
            found.append(
                Finding("mcp_fails", there.mcp_file, 0, f"{CONNECTIONS[plan.host].title}'s MCP server {answer}")
            )
        found += _silent(plan, machine, last.get(plan.host))
        told = last.get(plan.host)
        table.append(
            {
                "host": plan.host,
                "hooks": plan.hooks,
                "approved": plan.hooks == "present" and all(kind != "hooks_not_approved" for kind, _ in plan.obstacles),
                "hook_runs": None if not there.hooks else not hook_runs,
                "mcp": plan.mcp,
                "mcp_answers": None if not there.server else not answer,
                "last_event": told.isoformat(timespec="seconds") if told else None,
            }
        )
    return found, table


def _planned(plan: HostPlan, there: Registered) -> Iterator[Finding]:
    """Turn what setup would do, and what it would leave to the person, into faults."""
    title = CONNECTIONS[plan.host].title
    for error in plan.refused:
        yield Finding("settings_refused", str(error.data.get("path", "")), int(error.data.get("line", 0)), str(error))
    for part, outcome in (("hooks", plan.hooks), ("mcp", plan.mcp)):
        if (part, outcome) in _OUTCOMES:
            kind, message = _OUTCOMES[part, outcome]
            path = there.hooks_file if part == "hooks" else there.mcp_file
            yield Finding(kind, path, 0, f"{title}: {message.format(host=plan.host)}")
    for kind, sentence in plan.obstacles:
        if kind in _OBSTACLES and not (kind == "hooks_not_approved" and plan.hooks == "added"):
            yield Finding(kind, there.hooks_file, 0, sentence)


def _each_runs(there: Registered, machine: Machine) -> str:
    """Call each registered hook as the host does, with an event that nobody has; return what went wrong, or nothing."""
    call = json.dumps({"hook_event_name": "WwtDoctor", "session_id": "", "cwd": str(machine.home)}).encode()
    for command in dict.fromkeys(there.hooks.values()):
        before = _log_size()
        try:
            done = subprocess.run(
                _shell(command, there, machine),
                input=call,
                capture_output=True,
                timeout=_PATIENCE,
                check=False,
                cwd=machine.home,
                env=_environment(machine),
            )
        except subprocess.TimeoutExpired:
            return f"did not end within {_PATIENCE:.0f} seconds: {command}"
        except OSError as error:
            return f"cannot be started ({error.strerror}): {command}"
        said = (done.stderr or done.stdout).decode("utf-8", "replace").strip()
        if done.returncode or said:
            return f"fails (exit {done.returncode}: {said[-200:]}): {command}"
        if _log_size() != before:
            return f"fails, see {hooklog.log_path()}: {command}"
    return ""


def _log_size() -> int:
    try:
        return hooklog.log_path().stat().st_size
    except OSError:
        return 0


def _shell(command: str, there: Registered, machine: Machine) -> list[str]:
    if machine.platform != "win32":
        return ["/bin/sh", "-c", command]
    return ["cmd", "/d", "/c", command] if there.windows_shell == "cmd" else ["powershell", "-NoProfile", "-c", command]


def _environment(machine: Machine) -> dict[str, str]:
    """What a host that was not started from this shell's Python environment has."""
    own = ("PYTHON", "VIRTUAL_ENV", "WWT_HOOK")
    return {key: value for key, value in machine.environ.items() if not key.startswith(own)}


def _server_answers(there: Registered, machine: Machine) -> str:
    """Start the registered MCP server as the host does, ask for its tools; return what went wrong, or nothing."""
    if not there.server:
        return ""
    named = there.server.get("env_vars")
    env = _environment(machine)
    if isinstance(named, list):  # Codex hands over these, and what a program cannot do without
        kept = {
            "HOME",
            "PATH",
            "USERPROFILE",
            "SYSTEMROOT",
            "LOCALAPPDATA",
            "APPDATA",
            "TEMP",
            "LANG",
            *map(str, named),
        }
        env = {key: value for key, value in env.items() if key in kept}
    more = there.server.get("env")
    if isinstance(more, dict):
        env |= {str(key): str(value) for key, value in more.items()}
    arguments = there.server.get("args")
    command = [str(there.server.get("command", "")), *map(str, arguments if isinstance(arguments, list) else ())]
    try:
        with subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=machine.home, env=env
        ) as process:
            alarm = threading.Timer(_PATIENCE, process.kill)
            alarm.start()
            try:
                tools = _ask_for_tools(process.stdin, process.stdout)
            finally:
                alarm.cancel()
                process.kill()
    except OSError as error:
        return f"cannot be started ({error.strerror or error}): {' '.join(command)}"
    if "wiki_get_context" not in tools:
        return f"does not answer: {' '.join(command)}"
    return ""


def _ask_for_tools(asking: IO[bytes] | None, answering: IO[bytes] | None) -> list[str]:
    if asking is None or answering is None:
        return []
    try:
        for message in _HELLO:
            asking.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        asking.flush()
        for line in answering:
            answer = json.loads(line)
            if answer.get("id") == 2:
                return [tool["name"] for tool in answer["result"]["tools"]]
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        pass  # it ended, or is another program
    return []


def _silent(plan: HostPlan, machine: Machine, last: datetime | None) -> Iterator[Finding]:
    """Hold the host's newest transcript against the newest event."""
    if plan.hooks != "present":
        return
    newest = max((_changed(path) for path in _conversations(plan.host, machine)), default=0.0)
    if not newest:
        return
    written = datetime.fromtimestamp(newest, UTC)
    if last is None or written - last > _BEHIND:
        told = f"the last message of it in the vault is from {last:%Y-%m-%d %H:%M}Z" if last else "the vault has none"
        message = (
            f"{CONNECTIONS[plan.host].title} wrote a conversation at {written:%Y-%m-%d %H:%M}Z, but {told}: "
            "`wwt setup` imports what is missing"
        )
        yield Finding("host_silent", "", 0, message)


def _conversations(host: str, machine: Machine) -> list[Path]:
    if host not in HOSTS:
        return []
    try:
        return [path for path in find_transcripts(host, machine.home, machine.environ) if path.name != "history.jsonl"]
    except (OSError, WwtError):
        return []


def _changed(path: Path) -> float:
    try:
        return os.stat(path).st_mtime  # noqa: PTH116 - thousands of them
    except OSError:
        return 0.0
