"""The verbs of keeping one vault on many machines: begin it, do it, and what the last one did."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from wwt_vault import setup as connections
from wwt_vault import sync as syncing
from wwt_vault.config import Settings, named_vault, user_folders
from wwt_vault.errors import SyncRefused, VaultMissing, WwtError
from wwt_vault.ingest.recorder import machine_name
from wwt_vault.ingest.remembered import hold
from wwt_vault.state import State, state_for
from wwt_vault.sync import driver
from wwt_vault.vault import Vault, creation, find_vault, open_vault
from wwt_vault.vault.files import overwrite, read

__all__ = ["last_sync", "merge_file", "sync", "sync_init"]

Json = dict[str, Any]

_RECORD: Final = "sync.json"
_HOLD_SECONDS: Final = 10.0
_FOLDER: Final = "wwt-vault"


def sync_init(argument: str | None, remote: str | None, *, now: datetime) -> Json:
    """Put the vault under git and sync it with ``remote``, a URL or a folder; where there is no vault, take that one.

    Returns what :func:`sync` returns, and ``created``: whether a repository was made. Raises what it raises, and
    ``VaultMissing`` where there is no vault on either side.
    """
    try:
        vault = find_vault(argument)
        fresh = False
    except VaultMissing:
        if remote is None:
            raise
        root = Path(os.path.abspath(named_vault(argument) or Path.home() / _FOLDER))  # noqa: PTH100 - links stay
        creation.refuse_inside_a_vault(root)
        root.mkdir(parents=True, exist_ok=True)
        vault, fresh = Vault(root=root, id="new", settings=Settings()), True
    machine = _machine(state_for(vault))
    created = syncing.begin(vault, machine, remote, fresh=fresh)
    result = _synced(vault, machine, now, fresh=fresh)
    if fresh:
        syncing.begin(open_vault(vault.root), machine, None)
    if fresh and named_vault() is None:
        connections.name_vault(vault.root, user_folders().config / "config.toml")
    return {"created": created, **result}


def sync(argument: str | None = None, *, now: datetime, allowed: Sequence[str] = (), shrink: bool = False) -> Json:
    """Commit, fetch, merge and push. Returns ``{vault, machine, at, sent, received, changed, conflicts, withheld,
    notes, pushed, remote, offline, others}``.

    ``sent`` and the values of ``received`` (by machine) count ``{messages, sessions, notes, others}``. Raises
    ``SyncFailed``, ``SyncRefused``, ``FormatTooNew``, ``LockTimeout``, ``VaultReadOnly``, ``VaultError``.
    """
    vault = find_vault(argument)
    return _synced(vault, _machine(state_for(vault)), now, allowed=allowed, shrink=shrink)


def _machine(state: State) -> syncing.Machine:
    return syncing.Machine(
        name=machine_name(),
        environ=os.environ,
        locks=state.locks,
        hold=lambda host, session: hold(state, host, session, _HOLD_SECONDS),
    )


def _synced(
    vault: Vault,
    machine: syncing.Machine,
    now: datetime,
    *,
    allowed: Sequence[str] = (),
    shrink: bool = False,
    fresh: bool = False,
) -> Json:
    paths = [_relative(vault, path) for path in allowed]
    try:
        done = syncing.sync(vault, machine, now, allowed=paths, shrink=shrink, fresh=fresh)
    except WwtError as error:
        if not fresh:
            before = last_sync(vault) or {}
            _write(vault, {**before, "failed": {"at": _local(vault, now), "message": str(error)}})
        raise
    vault = open_vault(vault.root)  # two vaults that became one have one id
    result: Json = {
        "vault": str(vault.root),
        "machine": machine.name,
        "at": _local(vault, now),
        "sent": dict(done.sent),
        "received": {name: dict(counts) for name, counts in done.received.items()},
        "changed": len(done.paths),
        "conflicts": [conflict._asdict() for conflict in done.conflicts],
        "withheld": [entry._asdict() for entry in done.withheld],
        "notes": list(done.notes),
        "pushed": done.pushed,
        "remote": done.remote or None,
        "offline": done.offline or None,
        "others": done.others,
    }
    _write(vault, {**_machines(vault, result), **result, "failed": None})
    return result


def _local(vault: Vault, now: datetime) -> str:
    return now.astimezone(vault.zone).isoformat(timespec="seconds")


def _machines(vault: Vault, result: Json) -> Json:
    """Return what each machine brought so far, and when last."""
    machines = dict((last_sync(vault) or {}).get("machines", {}))
    for name, counts in result["received"].items():
        before = machines.get(name, {})
        total = {key: before.get(key, 0) + count for key, count in counts.items()}
        machines[name] = {**total, "last": result["at"]}
    return {"machines": machines}


def merge_file(base: Path, ours: Path, theirs: Path, path: str, *, now: datetime) -> Json:
    """Do what git asks of a merge driver, in the vault that is the current folder. Returns ``{path, copy}``."""
    conflict = driver.merge_file(open_vault(Path.cwd()), base, ours, theirs, path, at=now)
    return {"path": path, "copy": conflict.copy if conflict else None}


def last_sync(vault: Vault) -> Json | None:
    """Return what the last sync on this machine did, ``failed`` when one after it did not work; ``None`` before any.

    As :func:`sync` returns it, with ``machines``: what each other machine brought in all, and ``last``, when.
    """
    with suppress(ValueError, WwtError):
        table = json.loads(read(state_for(vault).root / _RECORD) or b"null")
        return table if isinstance(table, dict) else None
    return None


def _write(vault: Vault, table: Json) -> None:
    data = json.dumps(table, ensure_ascii=False).encode("utf-8", "replace") + b"\n"
    overwrite(state_for(vault).root / _RECORD, data, private=True)


def _relative(vault: Vault, name: str) -> str:
    """Return the path of a file of the vault from its root, however a person named it."""
    path = Path(name).expanduser()
    if not path.is_absolute() and (vault.root / path).exists():
        return path.as_posix()
    with suppress(ValueError):
        return path.absolute().relative_to(vault.root).as_posix()
    message = f"{name} is not in the vault {vault.root}"
    raise SyncRefused(message, reason="not_in_vault", path=name)
