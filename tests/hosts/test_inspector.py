"""The MCP Inspector's command line (npm ``@modelcontextprotocol/inspector``): a client that is not Python's SDK."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.hosts.driver import base_environment
from wwt_vault.mcp_server.tools import TOOLS
from wwt_vault.vault import Vault

pytestmark = [pytest.mark.hosts, pytest.mark.slow]

SAID = "Decided: ssh with ed25519 keys only. 비밀번호 로그인은 끈다."

Inspect = Callable[..., dict[str, Any]]


@pytest.fixture
def inspect(vault: Vault, own_user_folders: Path) -> Inspect:
    """Return a function that starts the server through the Inspector, asks one thing and returns the result."""
    folder = Path(os.environ.get("WWT_HOSTS_BIN", ""))
    program = folder / "mcp-inspector"
    if not os.environ.get("WWT_HOSTS_BIN") or not program.exists() or sys.platform == "win32":
        message = (
            f"WWT_HOSTS_BIN={os.environ.get('WWT_HOSTS_BIN', '')} has no mcp-inspector: the server is not tested with "
            "the MCP Inspector. npm install --prefix DIR @modelcontextprotocol/inspector"
        )
        if os.environ.get("WWT_NO_SKIP"):
            pytest.fail(message)
        pytest.skip(message)

    def ask(method: str, *options: str) -> dict[str, Any]:
        server = [sys.executable, "-m", "wwt_vault", "serve", "--vault", str(vault.root)]
        # The project is named because the Inspector starts servers where it is itself.
        environ = base_environment(own_user_folders, folder) | {"PYTHONPATH": str(Path(__file__).parents[2])}
        done = subprocess.run(
            [program, "--cli", "-e", f"PYTHONPATH={environ['PYTHONPATH']}", *server, "--method", method, *options],
            env=environ,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        answer: dict[str, Any] = json.loads(done.stdout)
        return answer

    return ask


def call(inspect: Inspect, tool: str, **arguments: str) -> dict[str, Any]:
    """Call a tool; return the whole result."""
    options = [part for name, value in arguments.items() for part in ("--tool-arg", f"{name}={value}")]
    return inspect("tools/call", "--tool-name", tool, *options)


def test_it_lists_every_tool_with_schemas_and_annotations(inspect: Inspect) -> None:
    """All that the server has, as another client reads it."""
    tools = {tool["name"]: tool for tool in inspect("tools/list")["tools"]}
    assert set(tools) == set(TOOLS)
    for tool in tools.values():
        assert tool["inputSchema"]["type"] == tool["outputSchema"]["type"] == "object"
        assert set(tool["annotations"]) >= {"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"}


def test_what_is_recorded_comes_back(inspect: Inspect) -> None:
    """Each call starts a server of its own: what comes back was on the disk."""
    messages = json.dumps([{"role": "user", "text": SAID, "time": "2026-11-29T01:00:00Z"}])
    kept = call(inspect, "wiki_record", host="chat", session_id="s1", messages=messages)
    assert not kept.get("isError"), kept
    [event] = kept["structuredContent"]["added"]

    context = call(inspect, "wiki_get_context", query="비밀번호 로그인")
    assert context["structuredContent"]["found"]
    assert event in context["content"][0]["text"]
    assert SAID in context["content"][0]["text"]


def test_a_refusal_is_a_result_that_says_what_to_do(inspect: Inspect) -> None:
    """With its code; the connection holds."""
    refused = call(inspect, "wiki_read", note="no such note")
    assert refused["isError"]
    assert refused["structuredContent"]["code"] == "not_found"


def test_resources_and_the_prompt_are_listed(inspect: Inspect) -> None:
    """The other two things a server can offer."""
    assert all(found["uri"].startswith("vault://") for found in inspect("resources/list")["resources"])
    assert [prompt["name"] for prompt in inspect("prompts/list")["prompts"]] == ["curate"]
