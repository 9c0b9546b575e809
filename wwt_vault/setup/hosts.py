"""How each host takes hooks and an MCP server: a row of data per host. Beside ``capture.HOSTS``, which a hook loads.

Where the rows come from: the hosts' own documentation, and what was seen when the real programs were run (Claude Code
2.1.197, Codex CLI 0.171.0, Gemini CLI 0.61.0).
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

__all__ = ["CONNECTIONS", "SERVER", "Connection", "HookFile", "McpFile", "Shell", "Switch"]

SERVER = "wwt"
"""The name under which the MCP server is registered."""

Shell = Literal["bash or powershell", "cmd", "powershell"]


class HookFile(NamedTuple):
    """The JSON file in which hooks stand: ``{"hooks": {event: [{"hooks": [handler]}]}}``."""

    file: str
    """Relative to the host's folder."""
    timeouts: dict[str, int]
    """For each event at which the host calls us, the longest it waits, in the host's own unit."""
    windows_shell: Shell
    """What runs the command on Windows; elsewhere it is a POSIX shell."""
    extra: dict[str, str]
    """Further members of a handler."""
    todo: str | None
    """What the person must still do before the hooks run."""


class McpFile(NamedTuple):
    """The file in which MCP servers stand."""

    file: str
    """Relative to the host's folder; ``{home}/`` in front: to the folder above, unless a variable names the folder."""
    table: str
    """The name of the object or table that holds a server per name."""
    values: dict[str, Any]
    """Members of the server's entry beside ``command`` and ``args``."""
    add: tuple[str, ...] = ()
    """The host's own command for it, without the entry, where the file is the host's: a running one rewrites it."""
    remove: tuple[str, ...] = ()
    line: tuple[str, int] | None = None
    """A setting at the file's top level that the person may not have made otherwise."""


class Switch(NamedTuple):
    """A setting of the person's that turns hooks off."""

    file: str
    path: tuple[str, ...]
    value: bool


class Connection(NamedTuple):
    """All that setup knows of one host beside ``capture.HOSTS``."""

    hooks: HookFile
    mcp: McpFile
    comments: bool
    """Whether the host reads comments in its JSON files."""
    byte_order_mark: bool
    """Whether it reads a file that begins with one."""
    switches: tuple[Switch, ...]


CONNECTIONS: dict[str, Connection] = {
    "claude-code": Connection(
        hooks=HookFile(
            file="settings.json",
            # Seconds. An ending session waits 1.5 s in all unless a hook asks for more.
            timeouts={"SessionStart": 10, "UserPromptSubmit": 10, "Stop": 10, "SessionEnd": 10},
            windows_shell="bash or powershell",
            extra={},
            todo=None,
        ),
        mcp=McpFile(
            file="{home}/.claude.json",
            table="mcpServers",
            # Without `alwaysLoad` the first turn may begin before the server is there, and its tools may wait behind a
            # tool search that the model does not think of. With it Claude Code waits, five seconds at most.
            values={"type": "stdio", "env": {}, "alwaysLoad": True},
            add=("mcp", "add-json", "--scope", "user", SERVER),
            remove=("mcp", "remove", "--scope", "user", SERVER),
        ),
        comments=False,
        byte_order_mark=True,
        switches=(Switch("settings.json", ("disableAllHooks",), value=True),),
    ),
    "codex": Connection(
        hooks=HookFile(
            file="hooks.json",
            # Seconds; Codex waits 3 at most when a session ends.
            timeouts={"SessionStart": 10, "UserPromptSubmit": 10, "Stop": 10, "SessionEnd": 3},
            windows_shell="cmd",
            extra={},
            todo="Codex runs no hook before you approve it: start `codex`, type /hooks, approve those of wwt-hook.",
        ),
        mcp=McpFile(
            file="config.toml",
            table="mcp_servers",
            # Codex hands a server HOME and PATH, and of the rest only what is named here.
            values={"env_vars": ["WWT_VAULT", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"]},
            # Codex lets the first turn begin without servers that are not there within a second, unless this says
            # otherwise; `required = true` would keep Codex from starting at all when our server is broken.
            line=("mcp_optional_startup_grace_ms", 10_000),
        ),
        comments=False,
        byte_order_mark=False,
        switches=(Switch("config.toml", ("features", "hooks"), value=False),),
    ),
    "gemini": Connection(
        hooks=HookFile(
            file="settings.json",
            # Milliseconds.
            timeouts={"SessionStart": 10_000, "BeforeAgent": 10_000, "AfterAgent": 10_000, "SessionEnd": 10_000},
            windows_shell="powershell",
            extra={"name": "wwt"},
            todo=None,
        ),
        # Not by `gemini mcp add`: it lays the person's whole settings file out anew.
        mcp=McpFile(file="settings.json", table="mcpServers", values={}),
        comments=True,
        byte_order_mark=False,
        switches=(Switch("settings.json", ("hooksConfig", "enabled"), value=False),),
    ),
}
