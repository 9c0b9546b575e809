"""Brings the events into the folder where they belong: a visible one that a person chose, or the program's own again.

The setting goes first and the files follow, day by day. Until all have come, both places are read (``event_places``),
so a move may be cut off anywhere, and the next one goes on. Machines that do not know of it yet bring events to their
former place: sync gathers those as well.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from wwt_vault.errors import BadArgument, EventConflict, Forgotten, NotFound, PathEscapes, VaultError, WwtError
from wwt_vault.vault import Vault, event_places, events, files, format_of, open_vault, settings
from wwt_vault.vault.layout import DATA, EVENT_ID, EVENTS, VAULT_FILE, check_events_folder, event_path, inside

__all__ = ["gather", "relocate", "strays"]

_LOCK_SECONDS: Final = 10.0
_ATTRIBUTES: Final = ".gitattributes"


def relocate(vault: Vault, folder: str, locks: Path) -> tuple[Vault, int]:
    """Let the events lie in ``folder``; return the vault as it is then, and how many were moved.

    A vault whose events lie in a visible folder has format 2: programs that would take none to be there refuse it.

    Raises ``BadArgument`` for a folder that events may not lie in, or that has other things in it, ``LockTimeout``,
    ``VaultReadOnly``, ``VaultError``, ``StaleRevision`` when somebody wrote the settings in the same moment. What was
    moved until then is read; the same call goes on.
    """
    check_events_folder(folder)
    moved = 0
    with files.lock(locks / "notes", _LOCK_SECONDS):
        vault = open_vault(vault.root)
        if folder not in (EVENTS, vault.settings.events_folder):
            _refuse_other_things(vault.root, folder)
        if vault.settings.events_folder not in (EVENTS, folder):
            moved = _gather(_with_folder(vault, EVENTS))  # that one is always read
            vault = _set(vault, EVENTS)
        if vault.settings.events_folder != folder:
            vault = _set(vault, folder)
        return vault, max(moved, _gather(vault))


def _with_folder(vault: Vault, folder: str) -> Vault:
    return vault._replace(settings=vault.settings._replace(events_folder=folder))


def _set(vault: Vault, folder: str) -> Vault:
    _raise_format(vault.root, format_of(_with_folder(vault, folder).settings))
    settings.set_events_folder(vault, folder)
    _tell_git(vault.root, folder)
    return open_vault(vault.root)


def _refuse_other_things(root: Path, folder: str) -> None:
    for day, names in event_places.days(root, folder):
        for name in names:
            if not name.startswith(".") and not re.fullmatch(rf"{EVENT_ID}\.json", name):
                message = f"{day}/{name} is no message: choose a folder that holds nothing else, such as 90_Events"
                raise BadArgument(message, key="events_folder", path=f"{day}/{name}")


def _raise_format(root: Path, version: int) -> None:
    path = root / VAULT_FILE
    data = files.read(path) or b""
    table = json.loads(data)
    if table["format"] < version:
        files.replace(path, json.dumps({**table, "format": version}).encode() + b"\n", files.revision_of(data), _keep)


def _keep(_: bytes) -> None:
    """Nothing of a person's leaves its place."""


def _tell_git(root: Path, folder: str) -> None:
    """Say that a diff of events says nothing, where that was said of the former folder."""
    path = root / _ATTRIBUTES
    data = files.read(path) or b""
    line = f"{folder}/** -diff\n".encode()
    if f"{EVENTS}/** -diff".encode() in data and line not in data:
        files.replace(path, data + (b"" if data.endswith(b"\n") else b"\n") + line, files.revision_of(data), _keep)


def strays(vault: Vault) -> Iterator[str]:
    """Yield the paths of events that lie in another folder than where the settings want them."""
    for day, found in _stray_days(vault):
        yield from (f"{day}/{name}" for name in found)


def _stray_days(vault: Vault) -> Iterator[tuple[str, list[str]]]:
    """Yield the folders of days in which stray events lie, and the names of these."""
    named = vault.settings.events_folder
    tops = sorted(name for name in files.names_in(vault.root) if name[0] != ".")
    try:
        place = inside(vault.root, named, hidden=True)
    except PathEscapes:  # a link: whoever reads events is told
        return
    for top in (EVENTS, *tops):
        folder = vault.root / top
        # The same folder under a name of another case or form: its events must not be moved onto themselves.
        if folder.is_symlink() or not folder.is_dir() or (place.is_dir() and place.samefile(folder)):
            continue
        for day, names in event_places.days(vault.root, top):
            found = [
                name
                for name in names
                if re.fullmatch(rf"{EVENT_ID}\.json", name) and event_path(name[:-5], top) == f"{day}/{name}"
            ]
            if found:
                yield day, found


def gather(vault: Vault, locks: Path) -> int:
    """Move every stray event to where it belongs; return how many there were.

    Where it lies in both places, one stays: its tombstone if one of the two is that. Of two that say different things
    none is touched. Raises ``LockTimeout``, ``VaultReadOnly``, ``VaultError``.
    """
    if next(_stray_days(vault), None) is None:
        return 0
    with files.lock(locks / "notes", _LOCK_SECONDS):  # whoever forgets an event must find it where it was
        return _gather(open_vault(vault.root))  # the settings may be others by now


def _gather(vault: Vault) -> int:
    count = 0
    for day, names in list(_stray_days(vault)):
        source = inside(vault.root, day, hidden=True)
        place = event_path(names[0][:-5], vault.settings.events_folder).rpartition("/")[0]
        target = inside(vault.root, place, hidden=True)
        if len(files.names_in(source)) > len(names) or not _move_whole(source, target):
            for name in names:
                _move_one(source / name, target / name)
        _remove_empty(vault.root, day)
        count += len(names)
    return count


def _move_whole(source: Path, target: Path) -> bool:
    """Move a folder in one step, which is quick; ``False`` where that cannot be done."""
    try:
        files.move(source, target)
    except (EventConflict, NotFound, VaultError):
        return False
    return True


def _move_one(source: Path, target: Path) -> None:
    data = files.read(source)
    if data is None or (target.exists() and target.samefile(source)):  # somebody else has moved it
        return
    try:
        files.create_once(target, data)
    except EventConflict:
        there = files.read(target) or b""
        if _is_tombstone(data):
            files.overwrite(target, data)
        elif not _is_tombstone(there):
            return
    files.discard(source, files.revision_of(data))


def _is_tombstone(data: bytes) -> bool:
    try:
        events.from_json(data)
    except Forgotten:
        return True
    except WwtError:
        pass
    return False


def _remove_empty(root: Path, folder: str) -> None:
    """Remove a folder and those above it as far as nothing is in them, but for the program's own."""
    while folder and folder != DATA:
        if (root / folder).exists() and not files.remove_empty(root / folder):
            return
        folder = folder.rpartition("/")[0]
