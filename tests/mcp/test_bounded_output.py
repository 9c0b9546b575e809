"""However large a vault's files are, no result of a tool is: hosts cut long ones in the middle, or refuse them."""

from __future__ import annotations

from typing import Any

import anyio
import pytest
from mcp import Client
from mcp.types import CallToolResult

from tests.mcp.test_hostile_arguments import LARGEST, started
from wwt_vault.vault import Vault

pytestmark = pytest.mark.slow

MANY = 6_000
LONG = "word " * 4000


def event(number: int) -> str:
    """Return the id of an event."""
    return f"20261129T{number // 3600 % 24:02}{number // 60 % 60:02}{number % 60:02}Z-{number:012x}"


def make_large(vault: Vault) -> None:
    """Write a session of many messages, a note of many headings, citations, links, aliases, a line of a megabyte."""
    blocks = "".join(f"> [!user] 10:00\n> message {n} zebra\n\n^{event(n)}\n\n" for n in range(MANY))
    head = (
        '---\ntype: session\nhost: chat\nsession_id: "s1"\nproject: shop\nstarted: 2026-11-29T10:00:00+09:00\n---\n\n'
    )
    folder = vault.root / "50_Conversations" / "2026"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "2026-11-29 chat shop s1.md").write_text(f"{head}\n{blocks}", "utf-8")
    names = "".join(f'  - "alias {n} {LONG[:200]}"\n' for n in range(1000))
    links = "".join(f'  - "[[Other {n}]]"\n' for n in range(1000))
    parts = "".join(f"\n## Zebra part {n} {LONG[:100]}\n- fact [^{event(n)}]\n" for n in range(MANY))
    tags = ", ".join(f"t{n}" for n in range(1000))
    head = f"type: topic\nstatus: current\naliases:\n{names}relates_to:\n{links}tags: [{tags}]\nproject: shop"
    for number, title in enumerate(("Large", "Larger", "x" * 150)):
        (vault.root / "30_Knowledge" / f"{title}.md").write_text(
            f'---\nid: "20261129-00000000000{number}"\n{head}\n---\n\n{LONG * 50}\n{parts}', "utf-8"
        )
    head = 'type: topic\nstatus: current\nrelates_to: ["[[Large]]"]'
    for n in range(300):
        (vault.root / "30_Knowledge" / f"Other {n}.md").write_text(
            f'---\nid: "20261129-1{n:011}"\n{head}\n---\n\nzebra {n}\n', "utf-8"
        )


CALLS: list[tuple[str, dict[str, Any]]] = [
    ("wiki_uncurated", {"limit": 100}),
    ("wiki_read", {"note": "Large"}),
    ("wiki_read", {"note": "Large", "section": f"Zebra part 3 {LONG[:100].strip()}"}),
    ("wiki_related", {"note": "Large"}),
    ("wiki_history", {"note": "Large"}),
    ("wiki_status", {}),
    ("wiki_search", {"query": "zebra", "limit": 50}),
    ("wiki_get_context", {"query": "zebra", "budget_tokens": 20000, "project": "shop"}),
    ("wiki_mark_curated", {"host": "chat", "session_id": "s1"}),
]


def test_no_result_is_longer_than_a_host_takes(words_only: Vault) -> None:
    """Text and structure together, of every tool that lists or reads."""
    make_large(words_only)
    sizes: dict[str, int] = {}

    async def steps() -> None:
        async with Client(started(words_only)) as client:
            for tool, arguments in CALLS:
                with anyio.fail_after(120):
                    result = await client.call_tool(tool, arguments)
                assert isinstance(result, CallToolResult)
                sizes[f"{tool} {arguments}"[:60]] = len(result.model_dump_json())
            listed = await client.list_resources()
            sizes["resources"] = len(listed.model_dump_json())

    anyio.run(steps)
    assert {call: size for call, size in sizes.items() if size > LARGEST} == {}
