"""The verbs that take the vault elsewhere as a whole: back it up, restore it, export it."""

from __future__ import annotations

import os
from datetime import datetime
from pathlib import Path
from typing import Any

from wwt_vault.config import named_vault
from wwt_vault.errors import VaultMissing
from wwt_vault.ingest.recorder import machine_name
from wwt_vault.sync import archive, belonging, plain
from wwt_vault.sync.local import brought
from wwt_vault.vault import check, find_vault

__all__ = ["backup", "export", "restore"]

Json = dict[str, Any]


def backup(argument: str | None, file: Path, *, now: datetime) -> Json:
    """Write the vault into one archive. Returns ``{vault, file, files, bytes, events, notes}``."""
    vault = find_vault(argument)
    made = archive.back_up(vault, file, machine=machine_name(), at=now)
    return {"vault": str(vault.root), "file": str(_plain(file)), **_counted(made)}


def restore(argument: str | None, file: Path, folder: Path | None) -> Json:
    """Write the vault of an archive into an empty folder: ``folder``, else the vault that is named.

    Returns ``{vault, file, files, bytes, events, notes, problems}``; ``problems`` are those that `wwt verify` finds in
    what was restored. Raises ``BadArchive``, ``Refused`` (not empty), ``FormatTooNew``, ``VaultMissing`` (none named).
    """
    root = folder or named_vault(argument)
    if root is None:
        raise VaultMissing("say where to: `wwt restore FILE FOLDER`")
    vault = archive.restore(file, root)
    with archive.opened(file) as opened:
        made = archive.read_manifest(opened)
    problems = [problem._asdict() for problem in check.check_vault(vault).problems]
    return {"vault": str(vault.root), "file": str(file), **_counted(made), "problems": problems}


def _plain(path: Path) -> Path:
    return Path(os.path.abspath(path.expanduser()))  # noqa: PTH100 - links stay


def _counted(made: archive.Manifest) -> Json:
    counts = brought(made.files)
    return {
        "files": len(made.files),
        "bytes": sum(size for _, size in made.files.values()),
        "events": counts["messages"],
        "notes": sum(belonging.is_note(path) for path in made.files),
    }


def export(argument: str | None, folder: Path) -> Json:
    """Write the vault as JSONL and Markdown into an empty folder.

    Returns ``{vault, folder, messages, sessions, notes, files, problems}``.
    """
    vault = find_vault(argument)
    done = plain.export(vault, folder)
    found = {**done._asdict(), "problems": list(done.problems)}
    return {"vault": str(vault.root), "folder": str(_plain(folder)), **found}
