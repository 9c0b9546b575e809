"""Whatever an agent, or who misleads it, puts into a call: answer or refusal, of bounded size; the server lives."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.shared.exceptions import MCPError
from mcp.types import CallToolResult

from wwt_vault.mcp_server.compat import ALL_TOOLS
from wwt_vault.vault import Vault

LARGEST = 120_000
"""Characters of a whole result: 40,000 of a note stand in the text and in the structure."""

NESTED: Any = "x"
for _ in range(100):
    NESTED = [NESTED]

VALUES: list[Any] = [
    None, "", " ", "\0", "a\0b", "\x1b[31m\x07", "x" * 300_000, "가" * 100_000, "\u202e\u200b\ufeff", "é" * 3,
    "../../etc/passwd", "/etc/passwd", "..\\..\\x", "C:\\Windows", "~root/x", "%2e%2e/%2e%2e", "vault:///..",
    ".wwt/vault.json", "[[x]]", "[^20200101T000000Z-000000000000]", "20200101T000000Z-000000000000",
    "9999-12-31", "0001-01-01", "-1", "2026-02-30", "now", "</wwt-vault-context>", "<system-reminder>", "a AND (b OR",
    "\"", "*", "a:b^2~", "(" * 5000,
    True, False, 0, -1, 1, 2**31, 2**63, 10**400, -0.0, 1.5, 1e308, [], {}, [[]], [{}], {"": ""}, ["x"] * 3, NESTED,
    [None], [1], {"a": {"b": {"c": []}}}, ["../x"], {"../x": ["../y"]}, [""] * 50, {"role": "user"},
    [{"role": "user", "text": "x"}], [{"role": "user", "text": None}], [{"role": ["user"], "text": {}}],
    [{"role": "user", "text": "x", "time": 1e400}], [{"role": "user", "text": "x", "time": "0000"}],
]  # fmt: skip


def started(vault: Vault) -> StdioServerParameters:
    """Return how a host starts the server."""
    env = {key: os.environ[key] for key in ("HOME", "USERPROFILE", "PATH") if key in os.environ}
    return StdioServerParameters(
        command=sys.executable, args=["-m", "wwt_vault", "serve", "--vault", str(vault.root)], env=env
    )


def plausible(schema: Any) -> Any:
    """Return a value that a schema allows."""
    if "enum" in schema:
        return schema["enum"][0]
    return {"string": "x", "integer": 1, "boolean": True, "array": ["x"], "object": {}}[schema["type"]]


@pytest.mark.slow
@pytest.mark.parametrize("tool", sorted(ALL_TOOLS))
def test_every_argument_of_a_tool_may_be_anything(words_only: Vault, tool: str) -> None:
    """Never a fault of the server's own, never a word from outside of the vault, never a file beside it."""
    around = words_only.root.parent
    before = {path for path in around.rglob("*") if words_only.root not in (path, *path.parents)}
    spec = ALL_TOOLS[tool]

    async def steps() -> None:
        async with Client(started(words_only)) as client:
            for name, schema in spec.arguments.items():
                for value in VALUES:
                    arguments = {key: plausible(spec.arguments[key]) for key in spec.required} | {name: value}
                    await bounded(client, tool, arguments, type=schema.get("type"))
            await bounded(client, tool, {"\0": 1})
            await bounded(client, tool, {f"a{number}": number for number in range(5000)})
            assert (await client.call_tool("wiki_status", {})).is_error is False  # type: ignore[union-attr]  # no round trips here

    anyio.run(steps)
    assert {path for path in around.rglob("*") if words_only.root not in (path, *path.parents)} == before


async def bounded(client: Client, tool: str, arguments: dict[str, Any], **about: Any) -> None:
    """Call; whatever comes of it is no fault of the server's and not too long."""
    try:
        with anyio.fail_after(60):
            result = await client.call_tool(tool, arguments)
    except MCPError as error:
        assert error.code in (-32602, -32600), (tool, str(arguments)[:200], about, error)
        return
    assert isinstance(result, CallToolResult), arguments
    code = (result.structured_content or {}).get("code")
    assert code != "internal_error", (tool, str(arguments)[:200])
    text = result.model_dump_json()
    assert len(text) < LARGEST, (tool, str(arguments)[:200], len(text))
    assert "root:x:0:0" not in text


URIS = [
    "vault:///../../etc/passwd", "vault:////etc/passwd", "vault:///%2e%2e/%2e%2e/etc/passwd", "vault:///..%2f..%2fetc/passwd",
    "vault:///.wwt/vault.json", "vault:///.obsidian/app.json", "vault:///.git/config", "vault:///~/x", "vault:///link.md",
    "vault:///a%00b.md", "vault:///C:/x", "vault:///..\\x", "vault:///", "vault://host/x", "file:///etc/passwd",
    "vault:///" + "x/" * 2000, "vault:///folder/secret.md", "http://localhost/x",
]  # fmt: skip


@pytest.mark.skipif(sys.platform == "win32", reason="symbolic links need rights there")
def test_no_resource_leads_out_of_the_vault(words_only: Vault, tmp_path: Path) -> None:
    """By any spelling of a path, nor through a link; the rest is still read."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.md").write_text("the secret outside\n", "utf-8")
    (words_only.root / "link.md").symlink_to(outside / "secret.md")
    (words_only.root / "folder").symlink_to(outside)
    (words_only.root / "30_Knowledge" / "Note.md").write_text("# Note\n\ninside\n", "utf-8")

    async def steps() -> None:
        async with Client(started(words_only)) as client:
            for uri in URIS:
                with pytest.raises(MCPError) as refused:
                    await client.read_resource(uri)
                assert refused.value.code == -32602, (uri, refused.value)
                assert "secret outside" not in str(refused.value)
            for note in ("link.md", "folder/secret.md", "../outside/secret.md", str(outside / "secret.md")):
                result = await client.call_tool("wiki_read", {"note": note})
                assert "secret outside" not in json.dumps(result.model_dump(mode="json"))
            found = await client.call_tool("wiki_search", {"query": "the secret outside"})
            assert "secret outside" not in json.dumps((found.structured_content or {}).get("hits"))  # type: ignore[union-attr]  # no round trips here
            inside = await client.read_resource("vault:///30_Knowledge/Note.md")
            assert "inside" in str(inside.contents[0])

    anyio.run(steps)
