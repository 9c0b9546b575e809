"""The verbs that begin something: a vault, and the connection to the hosts on this machine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from wwt_vault.vault import creation

__all__ = ["init", "setup"]

Json = dict[str, Any]


def init(path: Path, *, lang: str = "en") -> Json:
    """Make a vault from the template at ``path`` if there is none. Returns ``{vault, created}``.

    Nothing of the person's is overwritten. Raises ``BadArgument``, ``VaultReadOnly``.
    """
    created = not (path / ".wwt" / "vault.json").is_file()
    vault = creation.create_vault(path, lang=lang)
    return {"vault": str(vault.root), "created": created}
