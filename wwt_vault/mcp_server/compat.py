"""The three tools of whatwasthat, for habits, prompts and scripts that were made for it.

They are the present tools under other names. Listed only when asked for, because every conversation pays for a listed
tool; a call by name is answered in any case. See ``docs/decisions/0011-whatwasthats-tools-are-not-listed.md``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from mcp.types import CallToolResult

from wwt_vault.mcp_server.session import PROGRESS, Session
from wwt_vault.mcp_server.tools import TOOLS, ToolSpec

__all__ = ["ALL_TOOLS", "COMPAT", "compat_handlers"]

_TEXT: Final = {"type": "string"}

_SOURCES: Final = {"gemini-cli": "gemini", "codex-cli": "codex"}
"""What whatwasthat called hosts, where that is not their name here."""

COMPAT: Final[Mapping[str, ToolSpec]] = {
    "search_memory": ToolSpec(
        title="Search memory in a project",
        description="wiki_search by project (or the project of cwd), source and branch.",
        arguments={
            "query": _TEXT,
            "project": _TEXT,
            "cwd": _TEXT,
            "source": {"type": "string", "description": "claude-code, gemini-cli or codex-cli"},
            "git_branch": _TEXT,
        },
        required=("query",),
        result={},
    ),
    "search_all": ToolSpec(
        title="Search all memory",
        description="wiki_search in every project.",
        arguments={"query": _TEXT},
        required=("query",),
        result={},
    ),
    "ingest_session": ToolSpec(
        title="Import a transcript",
        description="Import a host's transcript, or a folder of them, of this machine.",
        arguments={"path": _TEXT},
        required=("path",),
        result={},
        read_only=False,
    ),
}

ALL_TOOLS: Final[Mapping[str, ToolSpec]] = {**TOOLS, **COMPAT}


def compat_handlers(
    session: Session, search: Callable[..., CallToolResult], answer: Callable[[str, dict[str, Any]], CallToolResult]
) -> dict[str, Callable[..., CallToolResult]]:
    """Return the functions behind the tools; ``search`` is that of ``wiki_search``."""

    def search_memory(
        query: str,
        project: str | None = None,
        cwd: str | None = None,
        source: str | None = None,
        git_branch: str | None = None,
    ) -> CallToolResult:
        if not project and cwd:
            from wwt_vault.ingest.project import place_of  # noqa: PLC0415 - nothing heavy before the first call

            project = place_of(cwd).project
        host = _SOURCES.get(source, source) if source else None
        return search(query, project=project, host=host, git_branch=git_branch)

    def search_all(query: str) -> CallToolResult:
        return search(query)

    def ingest_session(path: str) -> CallToolResult:
        from wwt_vault.operations import conversations  # noqa: PLC0415

        done = conversations.ingest_transcripts(session.workspace(), path, progress=PROGRESS.get())
        text = (
            f"{done['events_added']} new messages, {done['events_known']} known, in {len(done['sessions'])} sessions."
        )
        return answer("\n".join([text, *(f"skipped: {part['reason']}" for part in done["skipped"][:20])]), done)

    return {"search_memory": search_memory, "search_all": search_all, "ingest_session": ingest_session}
