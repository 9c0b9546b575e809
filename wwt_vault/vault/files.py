"""All durability: the only module that writes inside the vault (and, for its privacy, in the state folder).

A reader sees a file as it was or as it is, never half of it. No link is followed below a vault's root, whatever is
swapped on the way meanwhile (``beneath``). What is being written lies beside it under a name that
starts with ``.tmp-``; after a crash such a file may stay. One that starts with ``.tmp-swap-`` may hold a person's
words: nothing may delete it unread.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from wwt_vault.errors import EventConflict, NotFound, StaleRevision, VaultError
from wwt_vault.hashing import sha256
from wwt_vault.model.conversation import Revision
from wwt_vault.vault import beneath
from wwt_vault.vault.beneath import PLAIN, Place, in_folder, sync_folder
from wwt_vault.vault.locking import lock
from wwt_vault.vault.syscalls import (
    aside,
    clear_errors,
    create,
    drop,
    exchange,
    link,
    read_file,
    read_from,
    rename_exclusively,
    rename_over,
    unlink,
    write_all,
    write_aside,
)

__all__ = [
    "append",
    "create_once",
    "discard",
    "lock",
    "move",
    "names_in",
    "overwrite",
    "read",
    "remove",
    "remove_empty",
    "replace",
    "respell",
    "revision_of",
]

Keep = Callable[[bytes], None]


def revision_of(data: bytes) -> Revision:
    """Return the revision of a file with these bytes: their SHA-256 in lower-case hex."""
    return Revision(sha256(data).hexdigest())


def read(path: Path) -> bytes | None:
    """Return the bytes of a file, ``None`` when there is none. A symbolic link is not followed but is an error.

    Raises ``VaultError`` for what cannot be read.
    """
    with clear_errors(path, reading=True):
        try:
            with in_folder(path) as place:
                return read_file(place)
        except (FileNotFoundError, NotADirectoryError):
            return None


def names_in(folder: Path) -> list[str]:
    """Return the names in a folder, in no order; none when there is no folder. Raises ``VaultError``."""
    with clear_errors(folder, reading=True):
        try:
            return beneath.names_in(folder)
        except (FileNotFoundError, NotADirectoryError):
            return []


def create_once(path: Path, data: bytes, *, private: bool = False) -> bool:
    """Write a new file that will never change; return whether it was written, ``False`` when it was there already.

    The file appears whole or not at all, and once this returns it is on the disk (as far as fsync is honest). Folders
    are made as needed; ``private`` makes file and folders the user's alone (0600, 0700).

    Raises ``EventConflict`` when the file is there with other bytes, ``VaultReadOnly``, ``VaultError`` (disk full, …).
    """
    with clear_errors(path), in_folder(path, make=True, private=private) as place:
        while (there := read_file(place)) is None:
            if create(place, data, 0o600 if private else 0o666):
                return True
        if there == data:
            sync_folder(place)  # the process that wrote it may not have come so far
            return False
    message = f"{path} is there already and says something else. Nothing was overwritten; see `wwt verify`."
    raise EventConflict(message, path=str(path), expected=revision_of(data), actual=revision_of(there))


def overwrite(path: Path, data: bytes, *, private: bool = False, durable: bool = True) -> None:
    """Write a file of the program's own as a whole, whatever was there: the last writer wins. Never for a note.

    Without ``durable`` a power failure may lose it (a killed process does not): for what can be made again.

    Raises ``VaultReadOnly``, ``VaultError`` (disk full, …); the file is then as it was.
    """
    with clear_errors(path), in_folder(path, make=True, private=private) as place:
        temporary = aside(place)
        write_aside(temporary, data, 0o600 if private else 0o666, durable=durable)
        try:
            rename_over(temporary, place)
        finally:
            drop(temporary)  # it is gone if all went well
        if durable:
            sync_folder(place)


def append(path: Path, block: bytes) -> bool:
    """Put ``block`` at the end of a file, one blank line after what stands there; return whether anything was written.

    ``block`` begins with a line of its own kind and ends in a blank line. If the file ends with the beginning of this
    very block, at least its first line, an earlier try was cut off, and only the rest is written; if it ends with the
    whole block, nothing. Should the write fail, the file is as it was. The caller holds the lock on it.

    Raises ``NotFound`` when there is no such file, ``VaultReadOnly``, ``VaultError`` (disk full, …).
    """
    with clear_errors(path):
        try:
            with in_folder(path) as place:
                handle = os.open(place.name, os.O_RDWR | os.O_APPEND | PLAIN, dir_fd=place.folder)
        except FileNotFoundError as error:
            raise NotFound(f"{path} is not there", path=str(path)) from error
        try:
            size = os.fstat(handle).st_size
            start = max(0, size - len(block) - 4)
            rest = _missing(read_from(handle, start), block, whole=start == 0)
            if rest:
                try:
                    write_all(handle, rest)
                    os.fsync(handle)
                except OSError:
                    _take_back(handle, size, rest)
                    raise
        finally:
            os.close(handle)
    return bool(rest)


def _missing(tail: bytes, block: bytes, *, whole: bool) -> bytes:
    """Return what has to follow ``tail``, the end of a file, so that it ends with ``block``."""
    if tail.endswith(block):
        return b""
    first_line = block[: block.index(b"\n") + 1]
    at = tail.find(first_line)
    while at != -1:
        starts_line = tail[at - 1] == 0x0A if at else whole
        if starts_line and block.startswith(tail[at:]):
            return block[len(tail) - at :]
        at = tail.find(first_line, at + 1)
    if not tail or tail.endswith((b"\n\n", b"\n\r\n")):
        return block
    return (b"\n" if tail.endswith(b"\n") else b"\n\n") + block


def _take_back(handle: int, size: int, rest: bytes) -> None:
    """Cut off what a failed append wrote, unless somebody else wrote after it."""
    with suppress(OSError):
        written = read_from(handle, size)
        if written and rest.startswith(written):
            os.ftruncate(handle, size)


def replace(path: Path, data: bytes, expected: Revision, keep: Keep, *, grace: float = 0.05) -> Revision:
    """Put ``data`` in the place of the revision that the writer has read; return the new revision.

    A person's editor takes no lock of ours, so looking first and renaming then would lose edits. The two files are
    exchanged in one step (Linux ``renameat2``, macOS ``renamex_np``), and what came out is looked at, once more after
    ``grace`` seconds, for an editor that had the old file open and wrote into it. If it is not the revision that was
    read, it goes back to its place. Where there is no exchange, a second link to the old file is held while it is
    replaced, and looked at likewise; there an editor that replaces the file within the same few microseconds can
    still be lost, and where there are no links either, one that writes into it.

    ``keep`` is called with bytes that leave their place: before the exchange with the expected revision, whose error
    stops the replacement, and after a conflict with the person's version, once more if that changed meanwhile. The
    file's mode stays. Other programs that use this function have to be kept out by the caller's lock.

    Raises ``StaleRevision`` with ``expected`` and ``actual`` (``None`` when the file is gone), the person's version
    then being in place; ``VaultReadOnly``; ``VaultError``.
    """
    with clear_errors(path):
        try:
            with in_folder(path) as place:
                return _replaced(path, place, data, expected, keep=keep, grace=grace)
        except FileNotFoundError as error:  # its folder is gone
            raise _stale(path, expected, None) from error


def _replaced(path: Path, place: Place, data: bytes, expected: Revision, *, keep: Keep, grace: float) -> Revision:
    there = read_file(place)
    if there is None or revision_of(there) != expected:
        raise _stale(path, expected, there)
    if there == data:
        return expected
    keep(there)
    spare = aside(place, ".tmp-swap-")
    try:
        write_aside(spare, data, 0o600, like=place)
        exchanged = exchange(spare, place)
    except FileNotFoundError as error:
        drop(spare)
        raise _stale(path, expected, None) from error
    except OSError:
        drop(spare)
        raise
    try:
        if exchanged:
            _verify_exchanged(place, spare, revision_of(data), expected=expected, keep=keep, grace=grace)
        else:
            _replace_if_same(place, spare, expected)
    except _Other as other:
        raise _stale(path, expected, other.there) from None
    sync_folder(place)
    return revision_of(data)


class _Other(Exception):
    """Something else was in the place than what was to be replaced."""

    def __init__(self, there: bytes | None) -> None:
        super().__init__()
        self.there = there


def _verify_exchanged(
    place: Place, spare: Place, ours: Revision, *, expected: Revision, keep: Keep, grace: float
) -> None:
    """See whether the exchange brought out what it should, and undo it if not.

    Whatever comes out of the place and is not what was put there before is newer than all else: it goes back in. That
    exchange has to bring out what the one before had put in, or somebody has written again. What went back is kept as
    well: an editor that read our text in between will save over it. ``spare`` is deleted only when its bytes are known
    and kept; an error on the way leaves it lying. Raises ``_Other``.
    """
    placed, awaited = ours, expected
    theirs: list[bytes] = []
    while True:
        came_out = read_file(spare) or b""
        if revision_of(came_out) == awaited:
            time.sleep(grace)
            came_out = read_file(spare) or b""
        if revision_of(came_out) == awaited:
            break
        theirs.append(came_out)
        try:
            exchange(spare, place)
        except FileNotFoundError:  # deleted in this very moment
            break
        placed, awaited = revision_of(came_out), placed
    if not theirs:
        drop(spare)
        return
    sync_folder(place)
    for words in filter(None, theirs):
        keep(words)
    drop(spare)
    raise _Other(read_file(place))


def _replace_if_same(place: Place, spare: Place, expected: Revision) -> None:
    """The last resort, where nothing of the old file can be held: look again, then replace it. Raises ``_Other``."""
    there = read_file(place)
    try:
        if there is None or revision_of(there) != expected:
            raise _Other(there)
        rename_over(spare, place)
    finally:
        drop(spare)  # it is gone if all went well


def remove(path: Path) -> None:
    """Delete a file of the program's own for good; one that is gone is no error. Never a note.

    Raises ``VaultReadOnly``, ``VaultError``.
    """
    with clear_errors(path), suppress(FileNotFoundError), in_folder(path) as place:
        with suppress(FileNotFoundError):
            unlink(place)
        sync_folder(place)


def discard(path: Path, expected: Revision) -> bool:
    """Delete a file that is still at the revision ``expected``; ``False``, and all is as it was, when it is not.

    It is taken out of its place first and looked at there, so that nobody's edit is deleted unseen. Raises
    ``VaultReadOnly``, ``VaultError``.
    """
    with clear_errors(path), suppress(FileNotFoundError), in_folder(path) as place:
        there = read_file(place)
        if there is None or revision_of(there) != expected:
            return there is None
        spare = aside(place, ".tmp-swap-")
        rename_over(place, spare)
        if revision_of(read_file(spare) or b"") != expected:
            with suppress(FileExistsError):  # an editor has written it anew: then both stay
                if rename_exclusively(spare, place) or link(spare, place):
                    drop(spare)
            return False
        drop(spare)
        sync_folder(place)
    return True


def move(old: Path, new: Path) -> None:
    """Give a file another name, never one that is taken; folders are made as needed.

    Raises ``NotFound`` when there is no such file, ``EventConflict`` when there is one of the new name,
    ``VaultReadOnly``, ``VaultError``.
    """
    with clear_errors(new):
        try:
            with in_folder(new, make=True) as target, in_folder(old) as source:
                if not rename_exclusively(source, target):
                    if not link(source, target):
                        message = f"{old} was not moved: this file system can neither rename safely nor link."
                        raise VaultError(message, path=str(old))
                    unlink(source)
                sync_folder(target)
                sync_folder(source)
        except FileExistsError as error:
            raise EventConflict(f"{new} is there already. Nothing was moved.", path=str(new)) from error
        except FileNotFoundError as error:
            raise NotFound(f"{old} is not there", path=str(old)) from error


def respell(old: Path, new: Path) -> None:
    """Give a file the name that differs from its own only in spelling, as the file system sees it.

    Raises ``VaultReadOnly``, ``VaultError``.
    """
    with clear_errors(new), in_folder(old) as source, in_folder(new) as target:
        rename_over(source, target)


def remove_empty(folder: Path) -> bool:
    """Delete a folder with nothing in it; return whether it is gone. One that holds anything, or is none, stays."""
    try:
        beneath.remove_folder(folder)
    except OSError:
        return False
    return True


def _stale(path: Path, expected: Revision, there: bytes | None) -> StaleRevision:
    actual = None if there is None else revision_of(there)
    now = "is gone" if actual is None else f"is at revision {actual[:12]} now"
    message = f"{path} {now}, not at {expected[:12]}. Nothing was overwritten: read it again and repeat the change."
    return StaleRevision(message, path=str(path), expected=expected, actual=actual)
