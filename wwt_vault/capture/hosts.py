"""The table of hosts: which module reads what each says, where its files lie, and how to tell its payloads. Data only.

A new host is one module in this package and one row here. How hooks and an MCP server are registered with it is the
business of ``setup``: a hook need not know. One without own events has no hooks: what it says comes by import only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from wwt_vault.capture.jsonl import File

__all__ = ["HOSTS", "Head", "HostSpec"]


class Head(NamedTuple):
    """The beginning of a file of which the host is to be told: every host's module looks at it in ``wrote``."""

    path: File
    data: bytes
    """The first 64 KB."""
    records: list[dict[str, Any]]
    """The JSON objects of its first lines, as far as there are any."""


class HostSpec(NamedTuple):
    """What is particular to one host, beside its module."""

    title: str
    """Its name for people."""
    module: str
    """The module of this package that has ``read``, ``wrote`` and, for hooks, ``parse_hook``; imported when needed."""
    program: str = ""
    """The command that starts the host."""
    folder: str = ""
    """The host's own folder, relative to the home folder."""
    folder_variable: str | None = None
    """Environment variable that names another folder instead."""
    home_variable: str | None = None
    """Environment variable that names another home folder for this host alone."""
    transcripts: tuple[str, ...] = ()
    """Glob patterns below the host's folder. A compressed file gives way to a plain one of the same name."""
    subagents: tuple[str, ...] = ()
    """Patterns of file names among them that hold what a subagent said: nothing of the person's conversation."""
    own_events: tuple[str, ...] = ()
    """Hook events that only this host has."""
    own_fields: tuple[str, ...] = ()
    """Fields of a payload that only this host sends."""
    own_path: str = ""
    """What only this host's transcript paths contain, with ``/`` between folders; empty when no hook names one."""
    elsewhere: tuple[str, ...] = ()
    """Patterns of transcripts below the home folder, outside the host's own: of every platform, for none is in the
    way of another."""
    export: bool = False
    """Whether its files hold whole conversations, one after the other, and are never added to."""


_SUPPORT = ("Library/Application Support", ".config", "AppData/Roaming")
"""Where programs keep their own files on macOS, Linux and Windows, from the home folder."""

HOSTS: dict[str, HostSpec] = {
    # code.claude.com/docs/en/hooks, /sessions, /env-vars
    "claude-code": HostSpec(
        title="Claude Code",
        module="claude_code",
        program="claude",
        folder=".claude",
        folder_variable="CLAUDE_CONFIG_DIR",
        home_variable=None,
        transcripts=("projects/*/*.jsonl", "history.jsonl"),
        subagents=("agent-*",),
        own_events=("StopFailure", "UserPromptExpansion", "TaskCompleted", "TeammateIdle"),
        own_fields=("prompt_id", "background_tasks", "session_crons"),
        own_path="/.claude/projects/",
        # Claude Desktop's local agents write the same records, each below a folder of its own.
        elsewhere=tuple(
            f"{support}/Claude/local-agent-mode-sessions/*/*/local_*/.claude/projects/*/*.jsonl" for support in _SUPPORT
        ),
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
            "history.jsonl",
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
    # cursor.com/docs/agent/hooks; read: 0.40 (2024) to 3.x
    "cursor": HostSpec(
        title="Cursor",
        module="cursor",
        program="cursor",
        folder=".cursor",
        folder_variable=None,
        home_variable=None,
        transcripts=(
            "projects/*/agent-transcripts/*.txt",
            "projects/*/agent-transcripts/*.jsonl",
            "projects/*/agent-transcripts/*/*.jsonl",
            "chats/*/*/store.db",
        ),
        subagents=(),
        own_events=(
            "afterAgentResponse",
            "afterAgentThought",
            "beforeSubmitPrompt",
            "sessionEnd",
            "sessionStart",
            "stop",
        ),
        own_fields=("cursor_version", "generation_id", "conversation_id"),
        own_path="/agent-transcripts/",
        elsewhere=tuple(
            f"{support}/Cursor/User/{place}/state.vscdb"
            for support in _SUPPORT
            for place in ("globalStorage", "workspaceStorage/*")
        ),
    ),
    "chatgpt": HostSpec(title="ChatGPT", module="chatgpt", export=True),
    "claude-ai": HostSpec(title="Claude.ai", module="claude_ai", export=True),
    # docs/hosts/generic.md
    "generic": HostSpec(title="Other conversations", module="generic"),
}
