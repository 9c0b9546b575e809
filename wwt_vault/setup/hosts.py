"""How each host takes hooks and an MCP server: a row of data per host. Beside ``capture.HOSTS``, which a hook loads.

Where the rows come from: the hosts' own documentation (cursor.com/docs/hooks and /mcp, modelcontextprotocol.io,
code.visualstudio.com/docs/agents/reference/mcp-configuration), and what was seen when the real programs were run
(Claude Code 2.1.197, Codex CLI 0.171.0, Gemini CLI 0.61.0). The other hosts have windows; no test here can run them.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

__all__ = ["CONNECTIONS", "SERVER", "Connection", "HookFile", "McpFile", "RuleFile", "Shell", "Switch"]

SERVER = "wwt"
"""The name under which the MCP server is registered."""

Shell = Literal["bash or powershell", "cmd", "powershell"]


class HookFile(NamedTuple):
    """The JSON file in which hooks stand: ``{"hooks": {event: [{"hooks": [handler]}]}}``, or without the groups."""

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
    grouped: bool = True
    """Whether handlers stand in groups (with a matcher); else an event's array holds them itself."""
    version: int | None = None
    """The ``version`` that the file must have."""


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
    todo: str | None = None
    """What the person must still do before a server that was just registered is used."""


class RuleFile(NamedTuple):
    """The file of instructions that a host reads at every session's start."""

    names: tuple[str, ...]
    """In the host's folder: the first that is there and not empty, else the last."""
    setting: tuple[str, tuple[str, ...]] | None = None
    """A setting of the person's (file and path) that gives the file other names."""
    project: bool = False
    """Whether it lies in the project's folder: the host has none for all projects."""
    head: str = ""
    """What a file of our own begins with."""


class Switch(NamedTuple):
    """A setting of the person's that turns hooks off."""

    file: str
    path: tuple[str, ...]
    value: bool


class Connection(NamedTuple):
    """All that setup knows of one host beside ``capture.HOSTS``."""

    title: str
    hooks: HookFile | None
    """``None``: the host has none; what is said there comes in by import, or as the agent records it."""
    mcp: McpFile
    comments: bool = False
    """Whether the host reads comments in its JSON files, or is at least not known to refuse them."""
    trailing_commas: bool = False
    """The same for a comma behind the last member."""
    byte_order_mark: bool = False
    """The same for a file that begins with one."""
    switches: tuple[Switch, ...] = ()
    folders: tuple[str, ...] = ()
    """For a host that ``capture.HOSTS`` does not name: its folder, the first of these that is there, else the last.
    ``{support}`` is where programs keep their own files on this platform, ``{local}`` the same for this machine alone
    (Windows); a ``*`` stands for anything."""
    writes_as: str = ""
    """The name in ``capture.HOSTS`` of the host in whose form its conversations lie, outside of that host's folder."""
    rule: RuleFile | None = None
    signs: tuple[str, ...] = ()
    """Further folders that show that the host is installed."""


CONNECTIONS: dict[str, Connection] = {
    "claude-code": Connection(
        title="Claude Code",
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
        byte_order_mark=True,
        switches=(Switch("settings.json", ("disableAllHooks",), value=True),),
        rule=RuleFile(("CLAUDE.md",)),
    ),
    "codex": Connection(
        title="Codex CLI",
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
            # Codex hands a server HOME and PATH, and of the rest what is named here; `codex mcp add` cannot name it.
            values={"env_vars": ["WWT_VAULT", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"]},
            # Codex lets the first turn begin without servers that are not there within a second, unless this says
            # otherwise; `required = true` would keep Codex from starting at all when our server is broken.
            line=("mcp_optional_startup_grace_ms", 10_000),
        ),
        switches=(Switch("config.toml", ("features", "hooks"), value=False),),
        rule=RuleFile(("AGENTS.override.md", "AGENTS.md")),  # Codex reads the first alone when both are there
    ),
    "gemini": Connection(
        title="Gemini CLI",
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
        switches=(Switch("settings.json", ("hooksConfig", "enabled"), value=False),),
        rule=RuleFile(("GEMINI.md",), setting=("settings.json", ("context", "fileName"))),
    ),
    "cursor": Connection(
        title="Cursor",
        hooks=HookFile(
            file="hooks.json",
            # Seconds.
            timeouts={
                "sessionStart": 10,
                "beforeSubmitPrompt": 10,
                "afterAgentResponse": 10,
                "stop": 10,
                "sessionEnd": 10,
            },
            windows_shell="powershell",
            extra={},
            todo=None,
            grouped=False,
            version=1,
        ),
        mcp=McpFile(
            file="mcp.json",
            table="mcpServers",
            values={},
            todo="Cursor uses a new MCP server once you switch it on: Cursor Settings, MCP, wwt.",
        ),
        comments=True,
        trailing_commas=True,
        byte_order_mark=True,
        # The rules for all projects lie in Cursor's database, where only Cursor can change them.
        rule=RuleFile(
            (".cursor/rules/wwt-memory.mdc",),
            project=True,
            head="---\ndescription: Memory of earlier sessions\nalwaysApply: true\n---\n",
        ),
        signs=("{support}/Cursor",),
    ),
    "claude-desktop": Connection(
        title="Claude Desktop",
        hooks=None,
        mcp=McpFile(
            file="claude_desktop_config.json",
            table="mcpServers",
            values={},
            todo="Claude Desktop reads its MCP servers when it starts: quit it and start it again.",
        ),
        # Installed from the Windows Store, it sees its own folder in place of the usual one.
        folders=("{local}/Packages/Claude_*/LocalCache/Roaming/Claude", "{support}/Claude"),
        writes_as="claude-code",  # its local agents are Claude Code
    ),
    "vscode": Connection(
        title="VS Code",
        hooks=None,
        # Not by `code --add-mcp`: there is no command that takes a server out again, and VS Code follows the file.
        mcp=McpFile(
            file="mcp.json",
            table="servers",
            values={"type": "stdio"},
            todo="VS Code asks whether you trust the server when it first starts it: say yes.",
        ),
        comments=True,
        trailing_commas=True,
        byte_order_mark=True,
        folders=("{support}/Code/User",),
    ),
}
