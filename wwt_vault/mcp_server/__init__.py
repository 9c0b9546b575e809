"""``wwt serve``: the memory for agents, by the Model Context Protocol over stdin and stdout.

``tools`` says what hosts see, ``handlers`` call the operations, ``session`` holds the vault between calls, ``server``
joins them to the SDK, ``render`` writes the texts.
"""

from __future__ import annotations

import os
import sys

__all__ = ["serve"]


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
