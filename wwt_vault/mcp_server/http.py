"""``wwt serve --http``: streamable HTTP, in both protocol eras, for clients that cannot start a program.

The protocol is the SDK's. In front of it stands a gate that looks at every request, cheapest first: Host and Origin
(DNS rebinding), the bearer token, how many requests it has made, how long the body is, whether the token may write.
There is no TLS here: what leaves this machine goes through the person's own tunnel or proxy (``docs/hosts/apps.md``).
"""

from __future__ import annotations

import json
import logging
import math
import signal
import socket
import sys
import time
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import anyio
import uvicorn
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.server.transport_security import (
    RequestBodyLimitMiddleware,
    TransportSecurityMiddleware,
    TransportSecuritySettings,
)
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from wwt_vault.config import is_this_machine
from wwt_vault.errors import BadArgument, WwtError
from wwt_vault.mcp_server.compat import ALL_TOOLS
from wwt_vault.mcp_server.server import WwtServer
from wwt_vault.mcp_server.session import Session
from wwt_vault.operations.tokens import Token, Tokens

__all__ = ["Gate", "Listening", "checked", "http_app", "security", "serve_http"]

MAX_BODY: Final = 4 * 1024 * 1024
"""Bytes of a request: a conversation of 500 messages, far more than any note."""
BODY_SECONDS: Final = 30.0
"""Within which a request must have arrived whole."""
BURST: Final = 400
"""Requests that a token may make at once; then ``PER_SECOND`` more in every second."""
PER_SECOND: Final = 10.0
CONNECTIONS: Final = 1000
SESSIONS: Final = 1000
"""Of the older protocol era, which holds one per connected client; unused ones end after half an hour."""

_LOOPBACK: Final = ("127.0.0.1", "localhost", "[::1]")

_log = logging.getLogger(__name__)


class Listening(NamedTuple):
    """Where the server listens, and under which names it may be asked."""

    host: str = "127.0.0.1"
    port: int = 7633
    """0 takes a free one."""
    hosts: tuple[str, ...] = ()
    """Names in the Host header besides this machine's own: those of a tunnel or a proxy."""
    origins: tuple[str, ...] = ()
    """Web pages, as ``https://name``, that may call the server from a browser besides this machine's and ``hosts``."""


def serve_http(session: Session, listening: Listening, *, compat: bool = False) -> None:
    """Serve until the process is told to end. Says on stderr where. ``compat`` as of ``WwtServer``.

    Raises ``BadArgument`` for an address off this machine while the vault has no token, ``OSError`` when it cannot be
    listened on, and what opening the vault raises.
    """
    vault = session.workspace().vault
    tokens = Tokens(vault.id)
    if not is_this_machine(listening.host) and not tokens.any():
        raise BadArgument(
            f"{listening.host} can be reached from other machines, and this vault has no token. "
            "Make one with `wwt token new NAME` first.",
            argument="host",
        )
    family = socket.AF_INET6 if ":" in listening.host else socket.AF_INET
    with socket.create_server((listening.host, listening.port), family=family, backlog=128) as listener:
        port = listener.getsockname()[1]
        name = f"[{listening.host}]" if family == socket.AF_INET6 else listening.host
        notes = [f"wwt: serving {vault.root} at http://{name}:{port}/mcp"]
        if not tokens.any():
            notes.append("wwt: nobody can use it yet: make a token with `wwt token new NAME`")
        sys.stderr.write("\n".join(notes) + "\n")
        sys.stderr.flush()
        config = uvicorn.Config(
            http_app(session, tokens, listening, compat=compat),
            log_level="warning",
            access_log=False,  # it would be a diary of what the person asks
            server_header=False,
            proxy_headers=False,  # nothing here depends on where a request says that it comes from
            limit_concurrency=CONNECTIONS,
            timeout_graceful_shutdown=5,
        )
        # uvicorn ends in good order and then passes the signal on, which would end the process before its threads.
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
        uvicorn.Server(config).run(sockets=[listener])


def http_app(session: Session, tokens: Tokens, listening: Listening, *, compat: bool = False) -> ASGIApp:
    """Return the whole application: the gate and the SDK behind it."""
    allowed = security(listening)
    inner = WwtServer(session, compat=compat).streamable_http_app(
        host=listening.host, transport_security=allowed, max_request_body_size=MAX_BODY, max_sessions=SESSIONS
    )
    return Gate(inner, tokens, allowed)


def security(listening: Listening) -> TransportSecuritySettings:
    """Return which Host and Origin headers are taken: this machine's, and those that were named."""
    hosts = [*_LOOPBACK, *listening.hosts]
    if listening.host not in ("0.0.0.0", "::"):  # noqa: S104 - compared, not bound
        hosts.append(f"[{listening.host}]" if ":" in listening.host else listening.host)
    local = [f"{scheme}://{name}{port}" for name in _LOOPBACK for scheme in ("http", "https") for port in ("", ":*")]
    public = [f"https://{name}" for name in listening.hosts]
    return TransportSecuritySettings(
        allowed_hosts=[name for host in hosts for name in (host, f"{host}:*")],
        allowed_origins=[*local, *public, *listening.origins],
    )


class Gate:
    """ASGI middleware: lets through what has a right to be there, and says to the rest, by its status, why not.

    421 wrong Host, 403 wrong Origin or a token that may not write, 401 no token, 429 too many requests, 413 too long,
    408 too slow.
    """

    def __init__(
        self,
        app: ASGIApp,
        tokens: Tokens,
        allowed: TransportSecuritySettings,
        *,
        body_seconds: float = BODY_SECONDS,
    ) -> None:
        self._app = app
        self._tokens = tokens
        self._names = TransportSecurityMiddleware(allowed)
        self._bounded = RequestBodyLimitMiddleware(self._permitted, MAX_BODY)
        self._rates: dict[str, _Bucket] = {}
        self._body_seconds = body_seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer it here."""
        if scope["type"] != "http":  # "lifespan"; there are no web sockets
            await self._app(scope, receive, send)
            return
        request = Request(scope)
        refused = await self._names.validate_request(request)
        if refused is not None:
            await refused(scope, receive, send)
            return
        token = self._token(request.headers.get("authorization", ""))
        if token is None:
            refused = _refusal(401, "invalid_token", "A bearer token is needed: wwt token new", challenge=True)
            await refused(scope, receive, send)
            return
        bucket = self._rates.setdefault(token.sha256, _Bucket(BURST, time.monotonic()))
        if (wait := bucket.take(time.monotonic())) > 0:
            refused = _refusal(429, "rate_limited", f"Too many requests: again in {wait} s")
            refused.headers["retry-after"] = str(wait)
            await refused(scope, receive, send)
            return
        # As the SDK's own middleware would say it: it ties sessions of the older era to who began them.
        scopes = ["read", "write"] if token.scope == "write" else ["read"]
        user = AuthenticatedUser(AccessToken(token="", client_id=token.name, scopes=scopes, subject=token.sha256))
        try:
            await self._bounded({**scope, "user": user}, _within(self._body_seconds, receive), send)
        except _TooSlow:
            await _refusal(408, "too_slow", "The request did not arrive whole in time")(scope, receive, send)

    def _token(self, header: str) -> Token | None:
        scheme, _, presented = header.partition(" ")
        if scheme.lower() != "bearer":
            return None
        try:
            return self._tokens.find(presented.strip())
        except WwtError as error:
            _log.error("tokens cannot be read: %s", error)
            return None

    async def _permitted(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse a call that would write by a token that may only read. The body is there, whole and bounded.

        The server looks again at what it has parsed itself; here is where the refusal has a status.
        """
        first = await receive()
        if "write" not in scope["user"].scopes and _writes(first.get("body", b"")):
            refused = _refusal(403, "insufficient_scope", "This token may only read", challenge=True)
            await refused(scope, receive, send)
            return
        again: list[Message] = [first]

        async def replay() -> Message:
            return again.pop() if again else await receive()

        await self._app(scope, replay, send)


class _Bucket:
    """A token bucket: full at first, filled again at ``PER_SECOND``."""

    def __init__(self, level: float, now: float) -> None:
        self._level, self._at = level, now

    def take(self, now: float) -> int:
        """Take one; return 0, or in how many whole seconds there will be one."""
        self._level = min(BURST, self._level + (now - self._at) * PER_SECOND)
        self._at = now
        if self._level < 1:
            return math.ceil((1 - self._level) / PER_SECOND)
        self._level -= 1
        return 0


def _writes(body: bytes) -> bool:
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        return False  # the SDK says what is wrong with it
    return any(_is_writing_call(part) for part in (found if isinstance(found, list) else [found]))


def _is_writing_call(call: Any) -> bool:  # JSON
    if not isinstance(call, dict) or call.get("method") != "tools/call":
        return False
    params = call.get("params")
    name = params.get("name") if isinstance(params, dict) else None
    tool = ALL_TOOLS.get(name) if isinstance(name, str) else None
    return tool is not None and not tool.read_only


class _TooSlow(Exception):
    """The body did not arrive in time."""


def _within(seconds: float, receive: Receive) -> Receive:
    """Return ``receive`` with a deadline for the request's body; what comes after it (a disconnect) has none."""
    deadline = anyio.current_time() + seconds
    complete = False

    async def bounded() -> Message:
        nonlocal complete
        if complete:
            return await receive()
        with anyio.CancelScope(deadline=deadline):
            message = await receive()
            complete = message["type"] != "http.request" or not message.get("more_body", False)
            return message
        raise _TooSlow

    return bounded


def _refusal(status: int, error: str, detail: str, *, challenge: bool = False) -> Response:
    """Return an answer with this status; ``challenge`` adds the header of RFC 6750."""
    answer = JSONResponse({"error": error, "error_description": detail}, status)
    if challenge:
        answer.headers["www-authenticate"] = f'Bearer error="{error}", error_description="{detail}"'
    return answer


def checked(host: str, port: int, hosts: Sequence[str], origins: Sequence[str]) -> Listening:
    """Return where to listen. Raises ``BadArgument`` for what is no port, name or origin."""
    if not 0 <= port <= 65535:
        raise BadArgument(f"a port is 0 to 65535, not {port}", argument="port")
    for name in hosts:
        if not name or any(letter in name for letter in "/:*@ ") or name != name.strip():
            raise BadArgument(f"a host is a name such as memory.example.org, not {name!r}", argument="allow_host")
    for origin in origins:
        scheme, _, rest = origin.partition("://")
        if scheme not in ("http", "https") or not rest or any(letter in rest for letter in "/*@ "):
            raise BadArgument(f"an origin is https:// and a name, not {origin!r}", argument="allow_origin")
    return Listening(host, port, tuple(name.lower() for name in hosts), tuple(origins))
