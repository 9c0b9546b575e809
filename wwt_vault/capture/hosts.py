"""The table of hosts: which module reads what each says, where its files lie, and how to tell its payloads. Data only.

A new host is one module in this package and one row here. How hooks and an MCP server are registered with it is the
business of ``setup``: a hook need not know.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

__all__ = ["HOSTS", "Head", "HostSpec"]


class Head(NamedTuple):
    """The beginning of a file of which the host is to be told: every host's module looks at it in ``wrote``."""

    path: Path
    data: bytes
    """The first 64 KB."""
    records: list[dict[str, Any]]
    """The JSON objects of its first lines, as far as there are any."""


class HostSpec(NamedTuple):
    """What is particular to one host, beside its module."""

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


HOSTS: dict[str, HostSpec] = {
    # code.claude.com/docs/en/hooks, /sessions, /env-vars
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
        own_path="/.claude/projects/",
    ),
    # developers.openai.com/codex/hooks; codex-rs/rollout
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
    ),
    # github.com/google-gemini/gemini-cli docs/hooks/reference.md, packages/core/src/config/storage.ts
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
    ),
}
