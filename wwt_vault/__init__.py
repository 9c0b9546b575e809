"""The long-term memory of AI coding agents, kept as an Obsidian vault that a person owns.

    host ──stdin──► capture ──Message──► ingest ──Event──► vault/events ──► vault/sessions     no index, milliseconds
                                                              ▲ cited by
                                                          vault/notes ◄── saves that name the revision they read
    ───────────────────────────────────── truth above / derived below ─────────────────────────────────────
    vault/documents ──► index.refresh ──► search ──► context ──► operations ──► cli │ mcp_server

``capture``, ``vault`` and ``index`` never import one another; they speak ``model``. ``docs/architecture.md`` says where
each thing lies. Importing this package loads nothing else: a hook pays for what it uses only.
"""

from __future__ import annotations

__version__ = "0.1.0"
__all__ = ["__version__"]
