"""Calls that take long: they say how far they are, end when they are cancelled, and lose or double nothing by it."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anyio
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.types import CallToolResult

from tests.mcp.conftest import Serve
from wwt_vault.vault import Vault, events

MANY = 150
MESSAGES = [
    {"role": "user" if number % 2 == 0 else "assistant", "text": f"message {number}: " + "said at length " * 20}
    for number in range(MANY)
]
CALL = {"host": "chat", "session_id": "long", "messages": MESSAGES}


@asynccontextmanager
async def connected(way: str, mode: str, vault: Vault, serve: Serve) -> AsyncIterator[Client]:
    """Connect by a pipe or a socket."""
    if way == "http":
        async with serve().client(mode) as client:
            yield client
        return
    env = {key: os.environ[key] for key in ("HOME", "USERPROFILE", "PATH") if key in os.environ}
    server = StdioServerParameters(
        command=sys.executable, args=["-m", "wwt_vault", "serve", "--vault", str(vault.root)], env=env
    )
    async with Client(server, mode=mode) as client:
        yield client


@pytest.mark.parametrize("mode", ["legacy", "auto"])
@pytest.mark.parametrize("way", ["stdio", "http"])
def test_a_long_call_says_how_far_it_is_and_can_be_cancelled(
    words_only: Vault, serve: Serve, way: str, mode: str
) -> None:
    """What it has done stays; the same call again does the rest, each message once. Others are answered meanwhile."""
    reports: list[tuple[float, float | None]] = []

    async def steps() -> None:
        async with connected(way, mode, words_only, serve) as client:
            with anyio.CancelScope() as giving_up:

                async def told(done: float, total: float | None, message: str | None) -> None:
                    del message
                    reports.append((done, total))
                    giving_up.cancel()

                await client.call_tool("wiki_record", CALL, progress_callback=told)
            assert giving_up.cancelled_caught
            status = await client.call_tool("wiki_status", {})
            assert isinstance(status, CallToolResult)
            assert not status.is_error
            await anyio.sleep(1)
            done = sum(1 for _ in events.event_ids(words_only))
            assert done < MANY  # it did not go on for nobody
            await anyio.sleep(1)
            assert sum(1 for _ in events.event_ids(words_only)) == done

            again: Any = await client.call_tool("wiki_record", CALL, progress_callback=keep)
            assert again.structured_content["known"] == done
            assert len(again.structured_content["added"]) == MANY - done

    async def keep(done: float, total: float | None, message: str | None) -> None:
        del message
        reports.append((done, total))

    anyio.run(steps)
    assert len(set(events.event_ids(words_only))) == MANY
    assert reports
    assert all(total and done <= total for done, total in reports)
