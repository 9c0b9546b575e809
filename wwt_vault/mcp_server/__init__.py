"""``wwt serve``: the memory for agents, by the Model Context Protocol over stdin and stdout, or over HTTP.

``tools`` says what hosts see, ``handlers`` call the operations, ``session`` holds the vault between calls, ``server``
joins them to the SDK, ``render`` writes the texts, ``http`` guards the way in from other programs and machines.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

__all__ = ["serve", "serve_http"]


def serve(vault: str | None = None) -> None:
    """Serve until stdin ends or the parent process is gone. ``vault`` as ``wwt --vault``; it is opened at the first
    call."""
    from wwt_vault.mcp_server.session import Session, exit_with_parent  # noqa: PLC0415 - only this command needs it

    exit_with_parent()  # first of all: the parent may be gone before the SDK is loaded
    from wwt_vault.mcp_server.server import WwtServer  # noqa: PLC0415 - a second that no other command pays

    session = Session(vault)
    try:
        WwtServer(session).run("stdio")
    finally:
        session.close()
    sys.stderr.flush()
    # A thread may be inside the model's native code: waiting for it, or tearing the interpreter down under it, helps
    # no one.
    os._exit(0)


def serve_http(
    vault: str | None = None,
    *,
    host: str = "127.0.0.1",
    port: int = 7633,
    hosts: Sequence[str] = (),
    origins: Sequence[str] = (),
) -> None:
    """Serve over HTTP until the process is told to end. Arguments as of ``http.Listening``.

    Raises ``BadArgument``, ``VaultMissing``, ``OSError``.
    """
    from wwt_vault.mcp_server import http  # noqa: PLC0415 - as above
    from wwt_vault.mcp_server.session import Session  # noqa: PLC0415

    listening = http.checked(host, port, hosts, origins)
    session = Session(vault)
    try:
        http.serve_http(session, listening)
    finally:
        session.close()
    sys.stderr.flush()
    os._exit(0)  # as above
