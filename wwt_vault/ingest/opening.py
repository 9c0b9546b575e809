"""Opens the vault for a hook, in a millisecond: TOML and time-zone data cost ten, at every prompt.

What they say is kept in the state folder, for as long as the files they stand in have not changed. The kept offset of
the zone holds for the days around now that have the same one; for other times the zone itself is asked.
"""

from __future__ import annotations

import contextlib
import json
from datetime import UTC, datetime, timedelta, tzinfo
from pathlib import Path
from typing import Any

from wwt_vault.config import Settings, user_folders, vault_variable
from wwt_vault.errors import VaultError
from wwt_vault.vault import Vault, find_vault, vault_id, zone_named
from wwt_vault.vault.files import overwrite
from wwt_vault.vault.layout import CONFIG_FILE

__all__ = ["open_for_hook"]

_DAYS = 400
"""How far around now the offset is looked at."""


def open_for_hook(now: datetime) -> Vault:
    """Return the vault that is named by ``WWT_VAULT`` or the user's settings. Raises what ``find_vault`` raises."""
    named = vault_variable()
    stamp = _stamp(user_folders().config / "config.toml")
    kept = _kept()
    try:
        if (kept["named"], kept["config"]) == (named, stamp):
            root = Path(kept["root"])
            zone = _NearbyZone(kept["timezone"], kept["since"], kept["until"], kept["offset"])
            if kept["settings"] == _stamp(root / CONFIG_FILE) and zone.covers(now):
                settings = Settings(timezone=kept["timezone"], events_folder=kept["events_folder"])
                return Vault(root=root, id=vault_id(root), settings=settings, nearby=zone)
    except (KeyError, TypeError, ValueError):
        pass  # nothing kept, or by another version
    vault = find_vault()
    with contextlib.suppress(VaultError, ValueError, OverflowError):
        _keep(vault, now, named, stamp)
    return vault


class _NearbyZone(tzinfo):
    """A time zone of which the offset around now is known, and the rest is asked for when needed."""

    def __init__(self, name: str, since: float, until: float, offset: float) -> None:
        self._name, self._since, self._until = name, float(since), float(until)
        self._offset = timedelta(seconds=offset)

    def covers(self, moment: datetime) -> bool:
        return self._since <= moment.timestamp() < self._until

    def fromutc(self, dt: datetime) -> datetime:
        moment = dt.replace(tzinfo=UTC)
        if self.covers(moment):
            return dt + self._offset
        return moment.astimezone(zone_named(self._name))

    def utcoffset(self, dt: datetime | None) -> timedelta:  # noqa: ARG002 - one offset, see fromutc
        return self._offset

    def dst(self, dt: datetime | None) -> None:  # noqa: ARG002 - not known
        return None

    def tzname(self, dt: datetime | None) -> str:  # noqa: ARG002 - one name
        return self._name


def _kept() -> dict[str, Any]:
    try:
        kept = json.loads(_path().read_bytes())
    except (OSError, ValueError):
        return {}
    return kept if isinstance(kept, dict) else {}


def _keep(vault: Vault, now: datetime, named: str, stamp: list[int]) -> None:
    zone = vault.zone
    offset = now.astimezone(zone).utcoffset() or timedelta()

    def last(step: timedelta) -> datetime:
        """Return the end of the days on one side that have the same offset."""
        moment = now
        for _ in range(_DAYS):
            if (moment + step).astimezone(zone).utcoffset() != offset:
                break
            moment += step
        return moment

    kept = {
        "named": named,
        "config": stamp,
        "root": str(vault.root),
        "settings": _stamp(vault.root / CONFIG_FILE),
        "timezone": vault.settings.timezone,
        "events_folder": vault.settings.events_folder,
        "since": last(-timedelta(days=1)).timestamp(),
        "until": last(timedelta(days=1)).timestamp(),
        "offset": offset.total_seconds(),
    }
    overwrite(_path(), json.dumps(kept).encode(), private=True, durable=False)


def _path() -> Path:
    return user_folders().state / "hook.json"


def _stamp(path: Path) -> list[int]:
    try:
        stat = path.stat()
    except OSError:
        return []
    return [stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns, stat.st_ino]
