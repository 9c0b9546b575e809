"""``wwt serve``: the memory for agents, by the Model Context Protocol over stdin and stdout, or over HTTP.

``tools`` says what hosts see, ``handlers`` call the operations, ``session`` holds the vault between calls, ``server``
joins them to the SDK, ``render`` writes the texts, ``http`` guards the way in from other programs and machines,
``compat`` has the tools of whatwasthat.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

__all__ = ["serve", "serve_http"]


def serve(vault: str | None = None, *, compat: bool = False) -> None:
    """Serve until stdin ends or the parent process is gone. ``vault`` as ``wwt --vault``; it is opened at the first
    call. ``compat`` lists the tools of whatwasthat too, as does ``compat = true`` in the user's settings."""
    from wwt_vault.mcp_server.session import Session, exit_with_parent  # noqa: PLC0415 - only this command needs it

    exit_with_parent()  # first of all: the parent may be gone before the SDK is loaded
    from wwt_vault.mcp_server.server import WwtServer  # noqa: PLC0415 - a second that no other command pays

    session = Session(vault, folder=_here())
    try:
        WwtServer(session, compat=compat or _set_by_user()).run("stdio")
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
    compat: bool = False,
) -> None:
    """Serve over HTTP until the process is told to end. Arguments as of ``http.Listening`` and ``serve``.

    Raises ``BadArgument``, ``VaultMissing``, ``OSError``.
    """
    from wwt_vault.mcp_server import http  # noqa: PLC0415 - as above
    from wwt_vault.mcp_server.session import Session  # noqa: PLC0415

    listening = http.checked(host, port, hosts, origins)
    session = Session(vault)
    try:
        http.serve_http(session, listening, compat=compat or _set_by_user())
    finally:
        session.close()
    sys.stderr.flush()
    os._exit(0)  # as above


def _here() -> str | None:
    try:
        return os.getcwd()  # noqa: PTH109 - a string is asked for
    except OSError:
        return None  # the folder is gone


def _set_by_user() -> bool:
    from wwt_vault.config import load_user_settings  # noqa: PLC0415 - as above
    from wwt_vault.errors import UnparsableSettings  # noqa: PLC0415

    try:
        return load_user_settings().get("compat") is True
    except UnparsableSettings:
        return False  # the first call says so
