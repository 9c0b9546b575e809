"""What one machine keeps about one vault outside of it: cursors, locks, what was worked out of it.

It lies in the user's state folder, under the vault's id and its real path: two copies of a vault on one machine have
two states, two ways to write the path of one vault have one. Losing it costs time, never a message that is in the
vault.
"""

from __future__ import annotations

import os
import sys
import unicodedata
from pathlib import Path
from typing import NamedTuple

from wwt_vault.config import user_folders
from wwt_vault.hashing import sha256
from wwt_vault.vault import Vault

__all__ = ["State", "state_for", "vault_key"]


class State(NamedTuple):
    """The folders of one vault's state. They are made when something is first written: 0700, files 0600."""

    root: Path

    @property
    def cursors(self) -> Path:
        """How far each transcript has been read."""
        return self.root / "cursors"

    @property
    def locks(self) -> Path:
        """Lock files; never deleted while the program may run."""
        return self.root / "locks"


def state_for(vault: Vault) -> State:
    """Return the state of this vault on this machine. Creates nothing."""
    return State(root=user_folders().state / vault_key(vault))


def vault_key(vault: Vault, platform: str = sys.platform) -> str:
    """Return the folder name that stands for this copy of the vault on this machine: ``<vault id>-<8 hex>``.

    The hex digits are of the real path, so that links, ``..`` and relative paths make no difference; nor do case and
    Unicode form where file systems take them for the same.
    """
    path = os.path.realpath(vault.root)
    if platform in ("darwin", "win32"):
        path = unicodedata.normalize("NFC", path).casefold()
    return f"{vault.id}-{sha256(os.fsencode(path)).hexdigest()[:8]}"
