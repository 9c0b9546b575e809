"""The truth: a folder of Markdown and event files that a person owns. The only package that writes inside it.

``layout`` knows the names, ``files`` how to write so that nothing is lost, ``events`` and ``sessions`` what was said,
``notes`` what was made of it, ``documents`` how the index reads it all, ``check`` what is wrong with it.
"""

from __future__ import annotations

import json
import os
import re
from datetime import UTC, tzinfo
from pathlib import Path
from typing import Any, NamedTuple

from wwt_vault.config import Settings, load_vault_settings, named_vault
from wwt_vault.errors import BadArgument, FormatTooNew, UnparsableSettings, VaultMissing
from wwt_vault.vault import files
from wwt_vault.vault.beneath import confine
from wwt_vault.vault.layout import CONFIG_FILE, EVENTS, VAULT_FILE, check_events_folder

__all__ = ["FORMAT", "Vault", "find_vault", "format_of", "open_vault", "vault_id", "zone_named"]

FORMAT = 2
"""The latest version of ``docs/vault-format.md`` that this program knows."""


class Vault(NamedTuple):
    """An opened vault. Holds nothing open: any number of processes may have one."""

    root: Path
    """Absolute; a symbolic link is left as the person named it."""
    id: str
    """The same on every machine that has a copy of this vault."""
    settings: Settings
    nearby: tzinfo | None = None
    """The zone, where whoever opened the vault knows it already: a hook has no time to load time-zone data."""

    @property
    def zone(self) -> tzinfo:
        """The zone of dates in names and of times that people read. Raises ``BadArgument`` for an unknown one."""
        return self.nearby or zone_named(self.settings.timezone, self.root / CONFIG_FILE)


def find_vault(argument: str | None = None) -> Vault:
    """Open the vault named by ``argument``, else ``WWT_VAULT``, else the user's settings.

    Raises ``VaultMissing`` when none is named or there is none, and what :func:`open_vault` raises.
    """
    root = named_vault(argument)
    if root is None:
        raise VaultMissing(
            "no vault is named: make one with `wwt setup` (or `wwt init PATH`), or name one by --vault or WWT_VAULT"
        )
    return open_vault(root)


def open_vault(root: Path) -> Vault:
    """Open the vault at ``root``.

    Raises ``VaultMissing``, ``FormatTooNew`` for one written by a newer version, ``UnparsableSettings`` for a
    ``vault.json`` or ``config.toml`` that does not parse, ``BadArgument`` for a setting out of range.
    """
    root = Path(os.path.abspath(root))  # noqa: PTH100 - resolve() would follow links
    name, settings = vault_id(root), load_vault_settings(root / CONFIG_FILE, files.read)
    try:
        check_events_folder(settings.events_folder)
    except BadArgument as error:
        raise BadArgument(f"{root / CONFIG_FILE}: {error}", path=str(root / CONFIG_FILE), **error.data) from error
    return Vault(root=root, id=name, settings=settings)


def format_of(settings: Settings) -> int:
    """Return the version of the format that a program has to know to use a vault with these settings."""
    return 1 if settings.events_folder == EVENTS else 2


def vault_id(root: Path) -> str:
    """Return the id of the vault at ``root``. Raises as :func:`open_vault`."""
    confine(root)
    path = root / VAULT_FILE
    data = files.read(path)
    if data is None:
        raise VaultMissing(f"{root} holds no vault: make one there with `wwt init {root}`", path=str(root))
    try:
        table: Any = json.loads(data)
        version, name = table["format"], table["id"]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        message = (
            f'{path} should be JSON like {{"format": 1, "id": "…"}} ({error}). Mend it, or restore it from a copy.'
        )
        raise UnparsableSettings(message, path=str(path)) from error
    if not isinstance(version, int) or version < 1:
        raise UnparsableSettings(f"{path}: format must be a whole number from 1, not {version!r}", path=str(path))
    if version > FORMAT:
        message = f"{path} has format {version}; this program knows up to {FORMAT}. Update it: pip install -U wwt-vault"
        raise FormatTooNew(message, path=str(path), format=version)
    # The id becomes part of a folder's name on this machine, and a vault may come from someone else.
    if not isinstance(name, str) or re.fullmatch("[A-Za-z0-9][A-Za-z0-9-]{7,63}", name) is None:
        raise UnparsableSettings(f"{path}: id must be 8 to 64 letters, digits or -, not {name!r}", path=str(path))
    return name


def zone_named(name: str, path: Path | None = None) -> tzinfo:
    """Return the IANA time zone of this name. Raises ``BadArgument``; ``path`` is the file that named it."""
    if name == "UTC":
        return UTC
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError  # noqa: PLC0415 - 3 ms that a vault in UTC spares a hook

    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        where = f"{path}: " if path else ""
        message = f"{where}{name!r} is not a time zone this machine knows; write one like Asia/Seoul, or UTC"
        raise BadArgument(message, key="timezone", value=name, **({"path": str(path)} if path else {})) from error
