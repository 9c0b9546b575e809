"""docs/hosts/apps.md: the proxy's settings work as they stand there, and the page promises what the server does."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import time
from pathlib import Path

import anyio
import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from tests.mcp.conftest import Serve
from wwt_vault.mcp_server.http import BODY_SECONDS, BURST, MAX_BODY, PER_SECOND, Listening

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "hosts" / "apps.md").read_text("utf-8")


def test_the_page_has_the_servers_own_limits() -> None:
    """A limit that changes changes there too."""
    for line in (
        f"more than {BURST} requests at once, or {PER_SECOND:g} a second",
        f"a request of more than {MAX_BODY // 2**20} MiB",
        f"has not arrived within {BODY_SECONDS:g} seconds",
        f"http://127.0.0.1:{Listening().port}/mcp",
    ):
        assert line in PAGE


@pytest.mark.slow
def test_an_app_that_cannot_send_a_token_comes_in_through_caddy_and_nobody_else(serve: Serve, tmp_path: Path) -> None:
    """The settings of the page, with this test's addresses in place of the example's."""
    caddy = shutil.which("caddy")
    if caddy is None:
        if os.environ.get("WWT_NO_SKIP"):
            pytest.fail("no caddy: the proxy's settings are not tested")
        pytest.skip("no caddy: the proxy's settings in docs/hosts/apps.md are not tested")
    serving = serve("--allow-host", "memory.example.org")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    [settings] = re.findall(r"```caddyfile\n(.*?)```", PAGE, re.DOTALL)
    settings = settings.replace("memory.example.org {", f"http://memory.example.org:{port} {{")
    settings = settings.replace("127.0.0.1:7633", serving.url.split("/")[2]).replace(
        "REPLACE-WITH-A-LONG-RANDOM-PART", "s3cret"
    )
    version = subprocess.run([caddy, "version"], capture_output=True, text=True, check=True).stdout
    if tuple(map(int, re.findall(r"\d+", version)[:3])) < (2, 6, 4):
        assert "Caddy before 2.6.4, as Debian 12 has it, calls it\n`buffer_requests`" in PAGE
        assert "request_buffers 4MiB\n" in settings
        settings = settings.replace("request_buffers 4MiB\n", "buffer_requests\n")
    file = tmp_path / "Caddyfile"
    file.write_text("{\n\tadmin off\n}\n" + settings, "utf-8")
    env = {**os.environ, "WWT_TOKEN": serving.token, "XDG_DATA_HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path)}
    proxy = subprocess.Popen(
        [caddy, "run", "--config", file, "--adapter", "caddyfile"], env=env, stderr=subprocess.PIPE
    )
    try:
        for _ in range(100):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.1)
        named = {"host": f"memory.example.org:{port}"}
        base = f"http://127.0.0.1:{port}"
        assert httpx2.get(f"{base}/mcp", headers=named).status_code == 404
        assert httpx2.get(f"{base}/guess/mcp", headers=named).status_code == 404

        async def steps() -> None:
            for mode in ("legacy", "auto"):
                async with httpx2.AsyncClient(headers=named) as http:
                    transport = streamable_http_client(f"{base}/s3cret/mcp", http_client=http)
                    async with Client(transport, mode=mode) as client:
                        result = await client.call_tool("wiki_status", {})
                        assert (result.structured_content or {})["vault"] == str(serving.vault.root)  # type: ignore[union-attr]  # no round trips here

        anyio.run(steps)
    finally:
        proxy.terminate()
        proxy.communicate(timeout=20)
