"""A server in a process of its own, listening on a real socket, and the SDK's client for it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.types import Implementation

from wwt_vault.operations.tokens import new_token
from wwt_vault.vault import Vault, open_vault


class Serving(NamedTuple):
    """A server that runs, the vault it serves, and a token that may write."""

    url: str
    vault: Vault
    token: str
    process: subprocess.Popen[str]
    said: list[str]
    """Lines of its stderr so far."""

    @asynccontextmanager
    async def client(self, mode: str = "auto", token: str = "", name: str = "test") -> AsyncIterator[Client]:
        """Connect the SDK's client."""
        headers = {"authorization": f"Bearer {token or self.token}"}
        limits = httpx2.Limits(max_connections=300)
        async with httpx2.AsyncClient(headers=headers, timeout=120, limits=limits) as http:
            transport = streamable_http_client(self.url, http_client=http)
            info = Implementation(name=name, version="1")
            async with Client(transport, mode=mode, client_info=info) as client:
                yield client

    def post(self, body: bytes | dict[str, object], token: str | None = None, **headers: str) -> httpx2.Response:
        """Send one request with nothing between it and the test."""
        token = self.token if token is None else token
        sent = {
            "accept": "application/json, text/event-stream",
            "content-type": "application/json",
            **({"authorization": f"Bearer {token}"} if token else {}),
            **{key.replace("_", "-"): value for key, value in headers.items()},
        }
        raw = {key: value.encode("latin-1") for key, value in sent.items()}
        with httpx2.Client(timeout=60) as http:
            if isinstance(body, bytes):
                return http.post(self.url, content=body, headers=raw)
            return http.post(self.url, json=body, headers=raw)


Serve = Callable[..., Serving]


@pytest.fixture
def serve(words_only: Vault) -> Iterator[Serve]:
    """Return a function that starts ``wwt serve --http`` with more options."""
    processes: list[subprocess.Popen[str]] = []

    def start(*options: str, with_token: bool = True, root: Path | None = None) -> Serving:
        vault = open_vault(root) if root is not None else words_only
        token = ""
        if with_token:
            token = str(new_token(vault, f"test {len(processes)}", now=datetime.now(UTC))["token"])
        env = {key: os.environ[key] for key in ("HOME", "USERPROFILE", "PATH") if key in os.environ}
        command = [sys.executable, "-m", "wwt_vault", "serve", "--http", "--port", "0", "--vault", str(vault.root)]
        process = subprocess.Popen(
            [*command, *options], env=env, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        )
        processes.append(process)
        assert process.stderr
        said: list[str] = []
        for line in process.stderr:
            said.append(line)
            if found := re.search(r"at (http://\S+)", line):
                url = found[1].replace("0.0.0.0", "127.0.0.1")
                break
        else:
            pytest.fail("the server did not start: " + "".join(said))
        threading.Thread(target=said.extend, args=(process.stderr,), daemon=True).start()
        return Serving(url, vault, token, process, said)

    yield start
    for process in processes:
        process.terminate()
        process.wait(timeout=20)
