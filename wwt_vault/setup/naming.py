"""Names the vault in the user's config file: hooks and MCP server find it there, so that no command line names it."""

from __future__ import annotations

from pathlib import Path

from wwt_vault.setup import toml
from wwt_vault.setup.files import FileChange, decoded, read, write

__all__ = ["name_vault"]


def name_vault(root: Path, config: Path) -> bool:
    """Set ``vault`` in ``config`` (``user_folders().config / "config.toml"``); return whether that changed anything.

    The rest of the file stays as it is. Raises ``UnparsableSettings``, ``VaultReadOnly``, ``VaultError``.
    """
    before = read(config)
    text = decoded(before, str(config))
    after = toml.put_line(text, "vault", str(root), "", str(config))
    if after != text:
        write(FileChange(config, before, after.encode(), keep_copy=False, drop_copy=False))
    return after != text
