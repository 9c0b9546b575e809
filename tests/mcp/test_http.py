"""`wwt serve --http` as the network sees it: a real socket, the SDK's client, and requests no client would send."""

from __future__ import annotations

import json
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import anyio
import httpx2
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp.types import CallToolResult
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send

from tests.mcp.conftest import Serve, Serving
from wwt_vault.config import is_this_machine, user_folders
from wwt_vault.mcp_server.http import BURST, MAX_BODY, Gate, Listening, security
from wwt_vault.mcp_server.tools import TOOLS
from wwt_vault.operations.tokens import Tokens, new_token, revoke_token
from wwt_vault.vault import Vault, events
from wwt_vault.vault.creation import create_vault

ERAS = ["legacy", "auto"]
VERSIONS = {"legacy": "2025-11-25", "auto": "2026-07-28"}
WRITING = sorted(name for name, tool in TOOLS.items() if not tool.read_only)

SAID = [
    {"role": "user", "text": "How do we log in to the servers?", "time": "2026-11-29T01:00:00Z"},
    {"role": "assistant", "text": "Decided: ssh with ed25519 keys only, no passwords.", "time": "2026-11-29T01:01:00Z"},
]


async def call(client: Client, tool: str, /, **arguments: Any) -> dict[str, Any]:
    """Call a tool; return its structure, of a refusal too."""
    result = await client.call_tool(tool, arguments)
    assert isinstance(result, CallToolResult)
    return dict(result.structured_content or {})


def request(tool: str, **arguments: Any) -> dict[str, Any]:
    """Return a call as the newer era sends it: one request that holds everything."""
    meta = {
        "io.modelcontextprotocol/protocolVersion": VERSIONS["auto"],
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "raw", "version": "1"},
    }
    params = {"name": tool, "arguments": arguments, "_meta": meta}
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}


def headers(tool: str) -> dict[str, str]:
    """Return what has to stand in the headers of such a call."""
    return {"mcp_protocol_version": VERSIONS["auto"], "mcp_method": "tools/call", "mcp_name": tool}


def token(vault: Vault, name: str, scope: str = "write") -> str:
    """Make a token."""
    return str(new_token(vault, name, scope=scope, now=datetime.now(UTC))["token"])


def event_files(vault: Vault) -> list[str]:
    """Return the ids of all events."""
    return [str(event) for event in events.event_ids(vault)]


@pytest.mark.parametrize("mode", ERAS)
def test_the_memory_works_over_http_in_either_era(serve: Serve, mode: str) -> None:
    """Words go in, become a note, come back; the note says which client wrote it."""
    serving = serve()

    async def steps() -> None:
        async with serving.client(mode, name="phone app") as client:
            assert client.protocol_version == VERSIONS[mode]
            assert [tool.name for tool in (await client.list_tools()).tools] == list(TOOLS)
            kept = await call(client, "wiki_record", host="chat", session_id="s1", messages=SAID)
            assert len(kept["added"]) == 2
            body = f"## Facts\n- ssh with ed25519 keys only [^{kept['added'][1]}]\n"
            saved = await call(client, "wiki_save_note", note="SSH login", body=body, type="decision")
            assert saved["created"]
            assert "written_by: phone app" in (serving.vault.root / saved["path"]).read_text("utf-8")
            assert "ed25519" in (await call(client, "wiki_get_context", query="ssh login"))["text"]
            resource = await client.read_resource("vault:///40_Decisions/SSH%20login.md")
            assert "ed25519" in str(resource.contents[0])

    anyio.run(steps)


def test_without_a_valid_token_everything_is_401(serve: Serve, tmp_path: Path) -> None:
    """No token, a wrong one, another scheme, one for another vault: no word of the vault, and a challenge."""
    serving = serve()
    other = create_vault(tmp_path / "other")
    asked = request("wiki_status")
    for wrong in ("", "wwt_wrong", serving.token[:-1], serving.token + "x", "비밀".encode().decode("latin-1"),
                  token(other, "elsewhere")):  # fmt: skip
        answer = serving.post(asked, token=wrong, **headers("wiki_status"))
        assert answer.status_code == 401
        assert answer.headers["www-authenticate"].startswith("Bearer ")
        assert str(serving.vault.root) not in answer.text
    answer = serving.post(asked, token="", authorization=f"Basic {serving.token}", **headers("wiki_status"))
    assert answer.status_code == 401
    for method in ("GET", "DELETE", "OPTIONS", "PUT"):
        assert httpx2.request(method, serving.url).status_code == 401
    for path in ("/", "/mcp/", "/docs", "/.well-known/oauth-protected-resource", "//mcp"):
        assert httpx2.get(serving.url.removesuffix("/mcp") + path).status_code == 401
    assert serving.post(asked, **headers("wiki_status")).status_code == 200


def test_a_token_works_until_it_is_revoked_and_no_longer(serve: Serve) -> None:
    """Neither needs a restart; a session of the older era ends with its token."""
    serving = serve(with_token=False)
    assert any("wwt token new" in line for line in serving.said) or serving.process.poll() is None
    asked = request("wiki_status")
    assert serving.post(asked, token="wwt_guess", **headers("wiki_status")).status_code == 401
    made = token(serving.vault, "phone")
    assert serving.post(asked, token=made, **headers("wiki_status")).status_code == 200

    async def steps() -> None:
        async with serving.client("legacy", token=made) as client:
            assert "vault" in await call(client, "wiki_status")
            revoke_token(serving.vault, "phone")
            with pytest.raises(MCPError):
                await client.call_tool("wiki_status", {})

    anyio.run(steps)
    assert serving.post(asked, token=made, **headers("wiki_status")).status_code == 401


def test_a_token_that_may_only_read_is_told_so_with_403(serve: Serve) -> None:
    """Each tool that writes, in both eras and however the name is put; what only reads works."""
    serving = serve()
    reader = token(serving.vault, "reader", "read")
    for tool in WRITING:
        answer = serving.post(request(tool), token=reader, **headers(tool))
        assert answer.status_code == 403
        assert 'error="insufficient_scope"' in answer.headers["www-authenticate"]
    assert serving.post(request("wiki_status"), token=reader, **headers("wiki_status")).status_code == 200

    arguments = {"host": "chat", "session_id": "s1", "messages": SAID}
    twice = json.dumps(request("wiki_record", **arguments)).replace(
        '"name": "wiki_record"', '"name": "wiki_record", "name": "wiki_status"', 1
    )
    for body in (
        twice,
        twice.replace("wiki_status", "X").replace("wiki_record", "wiki_status").replace("X", "wiki_record"),
    ):
        for name in ("wiki_record", "wiki_status"):
            serving.post(body.encode(), token=reader, **headers(name))
    batch = [request("wiki_record", **arguments)]
    assert serving.post(json.dumps(batch).encode(), token=reader, **headers("wiki_record")).status_code == 403

    async def steps() -> None:
        async with serving.client("legacy", token=reader) as client:
            assert "vault" in await call(client, "wiki_status")
            with pytest.raises(MCPError):
                await client.call_tool("wiki_record", arguments)

    anyio.run(steps)
    assert event_files(serving.vault) == []


def test_a_session_belongs_to_the_token_that_began_it(serve: Serve) -> None:
    """Its id is not enough to use it: for another token there is no such session."""
    serving = serve()
    hello = {"protocolVersion": VERSIONS["legacy"], "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    began = serving.post({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello})
    session = began.headers["mcp-session-id"]
    asked: dict[str, object] = {"jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {}}
    assert serving.post(asked, mcp_session_id=session).status_code == 200
    stranger = token(serving.vault, "stranger")
    assert serving.post(asked, token=stranger, mcp_session_id=session).status_code == 404


def test_a_request_that_is_too_long_is_413(serve: Serve) -> None:
    """Whether it says how long it is or not; the server goes on."""
    serving = serve()
    long = json.dumps(request("wiki_search", query="x" * MAX_BODY)).encode()
    assert serving.post(long, **headers("wiki_search")).status_code == 413

    def chunks() -> Any:
        for start in range(0, len(long), 65536):
            yield long[start : start + 65536]

    sent = {"authorization": f"Bearer {serving.token}", "content-type": "application/json"}
    assert httpx2.post(serving.url, content=chunks(), headers=sent, timeout=60).status_code == 413
    # Whoever may not come in at all is told that without the body being read.
    assert serving.post(long, token="wrong", **headers("wiki_search")).status_code == 401
    assert serving.post(request("wiki_status"), **headers("wiki_status")).status_code == 200


def test_a_wrong_host_is_421_and_a_foreign_page_403(serve: Serve) -> None:
    """What DNS rebinding needs; names that were allowed by option pass, and nothing that only resembles them."""
    serving = serve("--allow-host", "memory.example.org", "--allow-origin", "https://pages.example.org")
    port = urlsplit(serving.url).port
    asked, named = request("wiki_status"), headers("wiki_status")
    for host in ("evil.example", f"evil.example:{port}", "127.0.0.1.evil.example", "localhost.evil.example",
                 "memory.example.org.evil.example", "xmemory.example.org", "0.0.0.0", "169.254.169.254"):  # fmt: skip
        assert serving.post(asked, host=host, **named).status_code == 421, host
    for host in ("localhost", f"127.0.0.1:{port}", f"[::1]:{port}", "memory.example.org", "memory.example.org:443"):
        assert serving.post(asked, host=host, **named).status_code == 200, host
    for origin in ("https://evil.example", "null", "http://memory.example.org", "https://memory.example.org.evil.example",
                   "http://127.0.0.1.evil.example", "file://"):  # fmt: skip
        assert serving.post(asked, origin=origin, **named).status_code == 403, origin
    for origin in ("http://localhost:6274", "https://memory.example.org", "https://pages.example.org"):
        assert serving.post(asked, origin=origin, **named).status_code == 200, origin
    # Before the token is looked at: a page learns nothing by trying.
    assert serving.post(asked, token="", host="evil.example", **named).status_code == 421


def through_the_gate(vault: Vault, token: str, receive: Receive, *, body_seconds: float = 5) -> Callable[[], int]:
    """Return a function that sends a request through a gate behind which everything is 200; it returns the status."""

    async def behind(scope: Scope, receive: Receive, send: Send) -> None:
        await PlainTextResponse("came through")(scope, receive, send)

    gate = Gate(behind, Tokens(vault.id), security(Listening()), body_seconds=body_seconds)
    named = [(b"host", b"localhost"), (b"authorization", f"Bearer {token}".encode())]
    scope = {"type": "http", "method": "POST", "path": "/mcp", "headers": named}

    def ask() -> int:
        sent: list[Any] = []

        async def send(message: Any) -> None:
            sent.append(message)

        async def steps() -> None:
            with anyio.fail_after(20):
                await gate(scope, receive, send)

        anyio.run(steps)
        return int(sent[0]["status"])

    return ask


def test_more_requests_than_agreed_are_429_until_some_time_has_passed(words_only: Vault) -> None:
    """So many at once, then so many a second."""

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"{}", "more_body": False}

    ask = through_the_gate(words_only, token(words_only, "busy"), receive)
    statuses = [ask() for _ in range(BURST)]
    assert set(statuses) == {200}
    while (status := ask()) == 200:
        statuses.append(status)
        assert len(statuses) < 5 * BURST
    assert status == 429
    time.sleep(1.5)
    assert ask() == 200


def test_a_request_that_does_not_arrive_is_408(words_only: Vault) -> None:
    """One that trickles in holds nothing up for ever."""

    async def receive() -> dict[str, Any]:
        await anyio.sleep(0.1)
        return {"type": "http.request", "body": b" ", "more_body": True}

    ask = through_the_gate(words_only, token(words_only, "slow"), receive, body_seconds=0.5)
    assert ask() == 408


@pytest.mark.parametrize("mode", ERAS)
def test_of_two_clients_that_write_one_note_one_is_told_that_it_changed(serve: Serve, mode: str) -> None:
    """Neither text is lost: the second writer gets the revision and the difference, and saves again."""
    serving = serve()

    async def steps() -> None:
        async with serving.client(mode, name="first") as one, serving.client(mode, name="second") as two:
            kept = await call(one, "wiki_record", host="chat", session_id="s1", messages=SAID)
            cite = f"[^{kept['added'][1]}]"
            base = await call(one, "wiki_save_note", note="SSH", body=f"## Facts\n- keys {cite}\n", type="topic")
            for turn in range(5):
                answers: dict[str, dict[str, Any]] = {}

                async def save(
                    client: Client, name: str, turn: int = turn, base: Any = base, into: Any = answers
                ) -> None:
                    text = (await call(client, "wiki_read", note="SSH"))["text"]
                    assert f"{turn - 1} {cite}" in text or f"turn {turn} {cite}" in text or turn == 0
                    body = f"## Facts\n- {name} in turn {turn} {cite}\n"
                    into[name] = await call(client, "wiki_save_note", note="SSH", body=body, revision=base["revision"])

                async with anyio.create_task_group() as both:
                    both.start_soon(save, one, "first")
                    both.start_soon(save, two, "second")
                won = [name for name, answer in answers.items() if "revision" in answer and "code" not in answer]
                assert len(won) == 1, answers
                [lost] = set(answers) - set(won)
                assert answers[lost]["code"] == "stale_revision"
                note = (serving.vault.root / answers[won[0]]["path"]).read_text("utf-8")
                assert f"written_by: {won[0]}" in note
                assert f"{won[0]} in turn {turn}" in note
                body = f"## Facts\n- keys again, {turn} {cite}\n"
                base = await call(two, "wiki_save_note", note="SSH", body=body, revision=answers[lost]["revision"])
                assert "code" not in base

    anyio.run(steps)


def vanish(serving: Serving, body: dict[str, Any], named: dict[str, str], after: float) -> None:
    """Send a request and close the connection ``after`` seconds, whatever became of it."""
    url = urlsplit(serving.url)
    data = json.dumps(body).encode()
    lines = [
        "POST /mcp HTTP/1.1",
        f"Host: {url.netloc}",
        f"Authorization: Bearer {serving.token}",
        "Content-Type: application/json",
        "Accept: application/json, text/event-stream",
        f"Content-Length: {len(data)}",
        *(f"{key.replace('_', '-')}: {value}" for key, value in named.items()),
    ]
    with socket.create_connection((url.hostname or "", url.port or 0)) as connection:
        connection.sendall("\r\n".join(lines).encode() + b"\r\n\r\n" + data)
        time.sleep(after)


def test_a_client_that_vanishes_leaves_nothing_half_done(serve: Serve) -> None:
    """At any moment of a call: what it sends again is there once, and others are answered meanwhile."""
    serving = serve()
    messages = [
        {"role": "user" if number % 2 == 0 else "assistant", "text": f"message {number} of a long talk",
         "time": f"2026-11-29T0{number // 60}:{number % 60:02}:00Z"}
        for number in range(120)
    ]  # fmt: skip
    for number, after in enumerate((0.0, 0.01, 0.05, 0.1, 0.3)):
        arguments = {"host": "chat", "session_id": f"gone{number}", "messages": messages}
        vanish(serving, request("wiki_record", **arguments), headers("wiki_record"), after)
        assert serving.post(request("wiki_status"), **headers("wiki_status")).status_code == 200

    async def steps() -> None:
        async with serving.client() as client:
            for number in range(5):
                again = {"host": "chat", "session_id": f"gone{number}", "messages": messages}
                kept = await call(client, "wiki_record", **again)
                assert len(kept["added"]) + kept["known"] == 120
            assert (await call(client, "wiki_search", query="message 7"))["found"]

    anyio.run(steps)
    assert len(event_files(serving.vault)) == 5 * 120
    assert serving.process.poll() is None


@pytest.mark.parametrize("mode", ERAS)
def test_two_hundred_calls_in_flight_are_all_answered(serve: Serve, mode: str) -> None:
    """Reads and writes at once; no message is lost or doubled, none is refused."""
    serving = serve()

    async def steps() -> None:
        async with serving.client(mode) as client:
            answers: list[dict[str, Any]] = []

            async def ask(number: int) -> None:
                if number % 4:
                    answers.append(await call(client, "wiki_search", query=f"number {number}"))
                else:
                    said = [{"role": "user", "text": f"number {number}", "time": "2026-11-29T01:00:00Z"}]
                    arguments = {"host": "chat", "session_id": f"s{number % 16}", "messages": said}
                    answers.append(await call(client, "wiki_record", **arguments))

            async with anyio.create_task_group() as all_at_once:
                for number in range(200):
                    all_at_once.start_soon(ask, number)
            assert len(answers) == 200
            assert [answer for answer in answers if "code" in answer] == []

    anyio.run(steps)
    assert len(set(event_files(serving.vault))) == 50


def test_no_token_no_address_that_others_can_reach(words_only: Vault) -> None:
    """Refused before anything is listened on; with a token it starts."""
    command = [sys.executable, "-m", "wwt_vault", "serve", "--http", "--port", "0", "--vault", str(words_only.root)]
    for host in ("0.0.0.0", "some.name"):
        done = subprocess.run([*command, "--host", host], capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 2
        assert "wwt token new" in done.stderr


def test_with_a_token_it_listens_where_it_is_told(serve: Serve) -> None:
    """And still answers to no name but its own and those that were allowed."""
    serving = serve("--host", "0.0.0.0")
    asked, named = request("wiki_status"), headers("wiki_status")
    assert serving.post(asked, **named).status_code == 200
    assert serving.post(asked, token="", **named).status_code == 401
    assert serving.post(asked, host="192.0.2.7", **named).status_code == 421


@pytest.mark.parametrize(
    ("host", "own"),
    [("127.0.0.1", True), ("::1", True), ("localhost", True), ("127.8.9.1", True), ("0.0.0.0", False), ("::", False),
     ("10.0.0.5", False), ("fe80::1", False), ("localhost.example", False), ("", False), ("127.0.0.1.example", False)],
)  # fmt: skip
def test_only_an_address_of_this_machine_alone_counts_as_loopback(host: str, own: bool) -> None:
    """A name may lead anywhere, so it does not."""
    assert is_this_machine(host) == own


@pytest.mark.skipif(sys.platform == "win32", reason="Windows ends a process without telling it")
def test_it_ends_when_told_to_also_with_a_client_connected(serve: Serve) -> None:
    """Within seconds, and the port is free again."""
    serving = serve()

    async def steps() -> None:
        async with serving.client("legacy") as client:
            await client.call_tool("wiki_status", {})
            serving.process.terminate()
            with anyio.fail_after(20):
                while serving.process.poll() is None:
                    await anyio.sleep(0.1)

    anyio.run(steps)
    assert serving.process.poll() == 0
    url = urlsplit(serving.url)
    with socket.create_server((url.hostname or "", url.port or 0)):
        pass


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such permissions")
def test_tokens_are_kept_as_hashes_for_the_user_alone(serve: Serve) -> None:
    """Nobody who reads the folders learns one; nor does the log say it."""
    serving = serve()
    file = user_folders().config / "tokens.json"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    serving.post(request("wiki_status"), **headers("wiki_status"))
    for folder in (*user_folders(), serving.vault.root):
        for path in folder.rglob("*"):
            assert not path.is_file() or serving.token.encode() not in path.read_bytes()
    assert serving.token not in "".join(serving.said)
