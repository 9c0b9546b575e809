"""Whoever comes from whatwasthat: its three tools, by its names and its words for hosts."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.types import CallToolResult, TextContent

from wwt_vault.config import user_folders
from wwt_vault.mcp_server.compat import COMPAT
from wwt_vault.mcp_server.tools import INSTRUCTIONS, TOOLS
from wwt_vault.vault import Vault


def drive(vault: Vault, steps: Callable[[Client], Awaitable[None]], *options: str) -> None:
    """Run ``steps`` against a server that was started with ``options``."""
    env = {key: os.environ[key] for key in ("HOME", "USERPROFILE", "PATH") if key in os.environ}
    arguments = ["-m", "wwt_vault", "serve", *options, "--vault", str(vault.root)]

    async def run() -> None:
        async with Client(StdioServerParameters(command=sys.executable, args=arguments, env=env)) as client:
            await steps(client)

    anyio.run(run)


async def call(client: Client, tool: str, /, **arguments: Any) -> tuple[dict[str, Any], str]:
    """Call a tool; return its structure and its text."""
    result = await client.call_tool(tool, arguments)
    assert isinstance(result, CallToolResult)
    return dict(result.structured_content or {}), "".join(p.text for p in result.content if isinstance(p, TextContent))


def transcript(folder: Path, session: str, cwd: str, branch: str, text: str) -> Path:
    """Write a transcript of Claude Code."""
    lines = [
        {"type": kind, "uuid": f"{session}-{kind}", "parentUuid": None, "sessionId": session, "cwd": cwd,
         "gitBranch": branch, "timestamp": f"2026-11-29T01:0{minute}:00.000Z", "version": "2.0.0", "isSidechain": False,
         "userType": "external", "message": {"role": kind, "content": said}}
        for minute, (kind, said) in enumerate((("user", f"{text}?"), ("assistant", f"Decided: {text}.")))
    ]  # fmt: skip
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{session}.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    return file


def test_they_are_listed_when_asked_for_and_answered_in_any_case(words_only: Vault) -> None:
    """By option or by the user's setting; each conversation pays for what is listed."""

    def lists(expected: list[str]) -> Callable[[Client], Awaitable[None]]:
        async def steps(client: Client) -> None:
            tools = (await client.list_tools()).tools
            assert [tool.name for tool in tools] == expected
            listed = json.dumps([tool.model_dump(by_alias=True, mode="json", exclude_none=True) for tool in tools])
            assert len(listed) + len(INSTRUCTIONS) < 12_000 + (1500 if len(expected) > len(TOOLS) else 0)
            assert (await call(client, "search_all", query="anything"))[1].startswith("no record found")

        return steps

    drive(words_only, lists(list(TOOLS)))
    drive(words_only, lists([*TOOLS, *COMPAT]), "--compat")
    config = user_folders().config / "config.toml"
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text("compat = true\n", "utf-8")
    drive(words_only, lists([*TOOLS, *COMPAT]))


def test_a_session_is_imported_and_found_by_each_filter(words_only: Vault, own_user_folders: Path) -> None:
    """Project, source by either name, branch, the project of a folder; without a filter, everywhere."""
    projects = own_user_folders / ".claude" / "projects"
    shop = transcript(projects / "-src-shop", "11111111-1111-4111-8111-111111111111", "/src/shop", "main",
                      "orders live in PostgreSQL")  # fmt: skip
    transcript(projects / "-src-blog", "22222222-2222-4222-8222-222222222222", "/src/blog", "draft",
               "drafts live in PostgreSQL too")  # fmt: skip

    async def steps(client: Client) -> None:
        async def found(**filters: str) -> set[str]:
            return {
                hit["project"]
                for hit in (await call(client, "search_memory", query="PostgreSQL", **filters))[0]["hits"]
            }

        done, text = await call(client, "ingest_session", path=str(shop))
        assert (done["events_added"], done["skipped"]) == (2, [])
        assert text.startswith("2 new messages")
        assert (await call(client, "ingest_session", path="~/.claude/projects"))[0]["events_added"] == 2
        assert (await call(client, "ingest_session", path=str(projects)))[0]["events_added"] == 0

        assert await found() == {"shop", "blog"}
        assert await found(project="shop") == {"shop"}
        assert await found(cwd="/src/blog/") == {"blog"}
        assert await found(project="shop", cwd="/src/blog") == {"shop"}
        assert await found(source="claude-code") == {"shop", "blog"}
        assert await found(source="gemini-cli") == set()
        assert await found(git_branch="draft") == {"blog"}
        everywhere = (await call(client, "search_all", query="PostgreSQL"))[0]["hits"]
        assert {hit["project"] for hit in everywhere} == {"shop", "blog"}

    drive(words_only, steps)


def test_no_other_file_is_imported(words_only: Vault, own_user_folders: Path, tmp_path: Path) -> None:
    """Whatever an agent was told to import; above the hosts' folders, only what is in them."""
    secret = transcript(tmp_path / "private", "33333333-3333-4333-8333-333333333333", "/x", "main", "a private matter")
    own_user_folders.joinpath("link.jsonl").symlink_to(secret)

    async def steps(client: Client) -> None:
        for path in ("", "/", "~", "/etc/passwd", "..", "\0", str(secret), "x" * 5000, "~/link.jsonl", "~nobody/x"):
            done, _ = await call(client, "ingest_session", path=path)
            assert done["code"] == "not_found", path
            assert "wwt ingest" in done["message"]

    drive(words_only, steps)
