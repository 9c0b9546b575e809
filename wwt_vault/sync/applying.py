"""Writes what a join came to into the vault, beside people and programs that write there at the same time.

A file is only replaced when it is still what this side's commit has. If it was changed meanwhile (an editor, a hook),
the change and what came are merged as two sides are, and what cannot be merged becomes a copy beside it. Whatever stops
this half way: the vault then has some files of the other side, the branch has not moved, and the next sync takes what
is there for changes of this side, which they are equal to.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, ExitStack, suppress
from datetime import datetime
from pathlib import Path
from typing import Final, NamedTuple

from wwt_vault.errors import EventConflict, StaleRevision, SyncFailed, VaultError, WwtError
from wwt_vault.sync import belonging, contents, linking, session_notes
from wwt_vault.sync.joining import Conflict, Target
from wwt_vault.sync.local import Withheld
from wwt_vault.sync.objects import Blobs
from wwt_vault.vault import Vault, copies, files, layout

__all__ = ["Applied", "Hold", "apply"]

Hold = Callable[[str, str], AbstractContextManager[None]]
"""Gives the lock of a session, by host and session id: it keeps recorders out."""

_TRIES: Final = 20
_GRACE: Final = 0.05
_MANY: Final = 200
"""Replaced files beyond which none is waited for an editor that has it open: a first sync would take minutes."""


class Applied(NamedTuple):
    """What was done beyond the plan."""

    conflicts: tuple[Conflict, ...] = ()
    withheld: tuple[Withheld, ...] = ()


class _Place(NamedTuple):
    vault: Vault
    hold: Hold
    machine: str
    at: datetime
    grace: float


def apply(
    vault: Vault,
    targets: Mapping[str, Target],
    blobs: Blobs,
    *,
    hold: Hold,
    locks: Path,
    machine: str,
    at: datetime,
    grace: float | None = None,
) -> Applied:
    """Make each file what its target says. ``locks`` is the folder of this machine's locks; savers are kept out.

    ``grace`` is how long an editor that has a file open is waited for, in seconds. Raises ``LockTimeout``,
    ``VaultReadOnly``, ``VaultError``, ``SyncFailed`` (``busy``, ``damaged``).
    """
    replaced = sum(target.before is not None for target in targets.values())
    place = _Place(vault, hold, machine, at, grace if grace is not None else _GRACE if replaced <= _MANY else 0.0)
    conflicts: list[Conflict] = []
    withheld: list[Withheld] = []
    with files.lock(locks / "notes", 10.0):
        writes = [path for path, target in targets.items() if target.data is not None or target.oid is not None]
        for path in sorted(writes, key=belonging.order_of_writing):
            target = targets[path]
            before = blobs.read(target.before) if target.before else None
            data = target.data if target.data is not None else blobs.read(target.oid or "")
            try:
                there = layout.inside(vault.root, path, hidden=True)
            except WwtError as error:
                withheld.append(Withheld(path, "link", str(error)))
                continue
            conflicts += _write(place, path, there, before, data)
        for path in sorted((path for path in targets if path not in writes), reverse=True):
            _delete(place, path, blobs.read(targets[path].before or ""), writes)
    return Applied(tuple(conflicts), tuple(withheld))


def _write(place: _Place, path: str, there: Path, before: bytes | None, data: bytes) -> list[Conflict]:
    conflicts: list[Conflict] = []
    for _ in range(_TRIES):
        with suppress(StaleRevision, EventConflict), ExitStack() as stack:
            now = files.read(there)
            identity = _session(path, now or data)
            if identity is not None:
                stack.enter_context(place.hold(*identity))
                now = files.read(there)
            if now == data:
                return conflicts
            if now is None:  # new, or deleted meanwhile and changed on the other side
                files.create_once(there, data)
                return conflicts
            wanted = data
            if now != before:
                merged = contents.merge(path, before, now, data)
                wanted = merged.data
                if merged.copy:
                    copy = _copy(place, path, data)
                    wanted = linking.with_copy(path, wanted, copy)
                    conflicts = [Conflict(path, copy)]
                if wanted == now:
                    return conflicts
            own = path.startswith(f"{layout.DATA}/") or belonging.event_of_path(path) is not None
            if own and path != layout.CONFIG_FILE:
                files.overwrite(there, wanted)
            else:
                files.replace(there, wanted, files.revision_of(now), _keep_nothing, grace=place.grace)
            return conflicts
    raise SyncFailed(f"{path} is being written all the time: try again later.", reason="busy", path=path)


def _keep_nothing(_: bytes) -> None:
    """What leaves its place is in git: it was committed, or is merged in the next try."""


def _session(path: str, data: bytes) -> tuple[str, str] | None:
    if not path.startswith(f"{layout.CONVERSATIONS}/") or not belonging.is_note(path):
        return None
    return session_notes.identity(data[:200_000].decode("utf-8", "replace"))


def _copy(place: _Place, path: str, data: bytes) -> str:
    """Keep what came beside a file that a person changed in this very moment; return where."""
    folder = layout.inside(place.vault.root, path, hidden=True).parent
    rel = path.rpartition("/")[0]
    near = {f"{rel}/{name}" if rel else name for name in files.names_in(folder)}
    date = place.at.astimezone(place.vault.zone).date().isoformat()
    for name in sorted(near):
        if copies.original_of(name) == path and files.read(place.vault.root / name) == data:
            return name
    name = copies.copy_name(path, place.machine, date, near)
    files.create_once(layout.inside(place.vault.root, name, hidden=True), data)
    return name


def _delete(place: _Place, path: str, before: bytes, written: list[str]) -> None:
    """Delete a file that the other side deleted, if it is still what both knew. A name that only changed its spelling
    is given the new one.
    """
    try:
        there = layout.inside(place.vault.root, path, hidden=True)
    except WwtError:
        return
    if not there.exists():
        return
    key = layout.name_key(path)
    for other in written:
        if layout.name_key(other) == key:
            new = place.vault.root / other
            with suppress(OSError, VaultError):
                if new.samefile(there):
                    files.respell(there, new)
                    return
    if files.discard(there, files.revision_of(before)):
        folder = there.parent
        while folder != place.vault.root and files.remove_empty(folder):
            folder = folder.parent
