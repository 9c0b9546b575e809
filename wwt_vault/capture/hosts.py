"""The table of hosts: where each keeps its files, and how its hooks and its MCP server are registered. Data only.

A new host is one module in this package and one row here.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal, NamedTuple

__all__ = ["HOSTS", "Head", "HookEvent", "HostSpec", "McpCommands", "Registration"]


class Head(NamedTuple):
    """The beginning of a file of which the host is to be told: every host's module looks at it in ``wrote``."""

    path: Path
    data: bytes
    """The first 64 KB."""
    records: list[dict[str, Any]]
    """The JSON objects of its first lines, as far as there are any."""


class HookEvent(NamedTuple):
    """One event of the host at which it calls us."""

    name: str
    matcher: str | None
    """Limits the event; ``None`` where the host takes no matcher."""
    timeout: int
    """In the host's own unit."""


class Registration(NamedTuple):
    """How hooks are registered: a group per event in a JSON file, ``{"hooks": {event: [{"hooks": [handler]}]}}``."""

    settings: str
    """The file, relative to the host's folder. It may hold anything else of the person's."""
    events: tuple[HookEvent, ...]
    timeout_unit: Literal["s", "ms"]
    named: bool = False
    """Whether every handler carries a ``name``."""
    approval: str | None = None
    """What the person must still do before the hooks run."""


class McpCommands(NamedTuple):
    """Arguments of the host's own program; ``{name}`` is the server's name, ``{command}`` all words of its command."""

    add: tuple[str, ...]
    remove: tuple[str, ...]


class HostSpec(NamedTuple):
    """All that is particular to one host, beside its module."""

    title: str
    """Its name for people."""
    module: str
    """The module of this package that has ``parse_hook``, ``read`` and ``wrote``; imported when it is needed."""
    program: str
    """The command that starts the host."""
    folder: str
    """The host's own folder, relative to the home folder."""
    folder_variable: str | None
    """Environment variable that names another folder instead."""
    home_variable: str | None
    """Environment variable that names another home folder for this host alone."""
    transcripts: tuple[str, ...]
    """Glob patterns below the host's folder. A compressed file gives way to a plain one of the same name."""
    subagents: tuple[str, ...]
    """Patterns of file names among them that hold what a subagent said: nothing of the person's conversation."""
    own_events: tuple[str, ...]
    """Hook events that only this host has."""
    own_fields: tuple[str, ...]
    """Fields of a payload that only this host sends."""
    own_path: str
    """What only this host's transcript paths contain, with ``/`` between folders."""
    registration: Registration | None
    """``None`` for a host without hooks."""
    mcp: McpCommands | None
    """``None`` where there is no command for it."""


HOSTS: dict[str, HostSpec] = {
    # code.claude.com/docs/en/hooks, /sessions, /mcp; timeouts in seconds.
    "claude-code": HostSpec(
        title="Claude Code",
        module="claude_code",
        program="claude",
        folder=".claude",
        folder_variable="CLAUDE_CONFIG_DIR",
        home_variable=None,
        transcripts=("projects/*/*.jsonl",),
        subagents=("agent-*",),
        own_events=("StopFailure", "UserPromptExpansion", "TaskCompleted", "TeammateIdle"),
        own_fields=("prompt_id", "background_tasks", "session_crons"),
        own_path="/projects/",
        registration=Registration(
            settings="settings.json",
            events=(
                HookEvent("SessionStart", None, 10),
                HookEvent("UserPromptSubmit", None, 5),
                HookEvent("Stop", None, 10),
                HookEvent("SessionEnd", None, 10),
            ),
            timeout_unit="s",
        ),
        mcp=McpCommands(
            add=("mcp", "add", "--scope", "user", "{name}", "--", "{command}"),
            remove=("mcp", "remove", "--scope", "user", "{name}"),
        ),
    ),
    # developers.openai.com/codex/hooks, /mcp; timeouts in seconds.
    "codex": HostSpec(
        title="Codex CLI",
        module="codex",
        program="codex",
        folder=".codex",
        folder_variable="CODEX_HOME",
        home_variable=None,
        transcripts=(
            "sessions/*/*/*/rollout-*.jsonl",
            "archived_sessions/rollout-*.jsonl",
            "sessions/*/*/*/rollout-*.jsonl.zst",
            "archived_sessions/rollout-*.jsonl.zst",
        ),
        subagents=(),
        own_events=("Interrupt",),
        own_fields=("turn_id", "turn-id"),
        own_path="/rollout-",
        registration=Registration(
            settings="hooks.json",
            events=(
                HookEvent("SessionStart", None, 10),
                HookEvent("UserPromptSubmit", None, 10),
                HookEvent("Stop", None, 10),
                HookEvent("SessionEnd", None, 3),
            ),
            timeout_unit="s",
            approval="start codex, type /hooks and approve the hooks of wwt-hook",
        ),
        mcp=McpCommands(add=("mcp", "add", "{name}", "--", "{command}"), remove=("mcp", "remove", "{name}")),
    ),
    # github.com/google-gemini/gemini-cli docs/hooks/reference.md, docs/tools/mcp-server.md; timeouts in milliseconds.
    "gemini": HostSpec(
        title="Gemini CLI",
        module="gemini",
        program="gemini",
        folder=".gemini",
        folder_variable=None,
        home_variable="GEMINI_CLI_HOME",
        transcripts=("tmp/*/chats/session-*.jsonl", "tmp/*/chats/session-*.json"),
        subagents=(),
        own_events=(
            "AfterAgent",
            "AfterModel",
            "AfterTool",
            "BeforeAgent",
            "BeforeModel",
            "BeforeTool",
            "BeforeToolSelection",
            "PreCompress",
        ),
        own_fields=("timestamp",),
        own_path="/chats/session-",
        registration=Registration(
            settings="settings.json",
            events=(
                HookEvent("SessionStart", None, 10_000),
                HookEvent("BeforeAgent", None, 5_000),
                HookEvent("AfterAgent", None, 10_000),
                HookEvent("SessionEnd", None, 5_000),
            ),
            timeout_unit="ms",
            named=True,
        ),
        mcp=McpCommands(
            add=("mcp", "add", "--scope", "user", "{name}", "{command}"),
            remove=("mcp", "remove", "--scope", "user", "{name}"),
        ),
    ),
}
