"""All durability: the only module that writes inside the vault (and, for its privacy, in the state folder).

A reader sees a file as it was or as it is, never half of it. What is being written lies beside it under a name that
starts with ``.tmp-``; after a crash such a file may stay. One that starts with ``.tmp-swap-`` may hold a person's
words: nothing may delete it unread.
"""

from __future__ import annotations

import errno
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from wwt_vault.errors import EventConflict, LockTimeout, NotFound, StaleRevision, VaultError
from wwt_vault.hashing import sha256
from wwt_vault.model.conversation import Revision
from wwt_vault.vault.syscalls import (
    PLAIN,
    aside,
    clear_errors,
    create,
    drop,
    exchange,
    link,
    make_folder,
    patiently,
    read_file,
    read_from,
    rename_exclusively,
    sync_folder,
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
    "replace",
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
        return read_file(path)


def names_in(folder: Path) -> list[str]:
    """Return the names in a folder, in no order; none when there is no folder. Raises ``VaultError``."""
    with clear_errors(folder, reading=True):
        try:
            return os.listdir(folder)  # noqa: PTH208 - names are wanted, and there may be 100,000
        except (FileNotFoundError, NotADirectoryError):
            return []


def create_once(path: Path, data: bytes, *, private: bool = False) -> bool:
    """Write a new file that will never change; return whether it was written, ``False`` when it was there already.

    The file appears whole or not at all, and once this returns it is on the disk (as far as fsync is honest). Folders
    are made as needed; ``private`` makes file and folders the user's alone (0600, 0700).

    Raises ``EventConflict`` when the file is there with other bytes, ``VaultReadOnly``, ``VaultError`` (disk full, …).
    """
    with clear_errors(path):
        while (there := read_file(path)) is None:
            make_folder(path.parent, private=private)
            if create(path, data, 0o600 if private else 0o666):
                return True
        if there == data:
            sync_folder(path.parent)  # the process that wrote it may not have come so far
            return False
    message = f"{path} is there already and says something else. Nothing was overwritten; see `wwt verify`."
    raise EventConflict(message, path=str(path), expected=revision_of(data), actual=revision_of(there))


def overwrite(path: Path, data: bytes, *, private: bool = False, durable: bool = True) -> None:
    """Write a file of the program's own as a whole, whatever was there: the last writer wins. Never for a note.

    Without ``durable`` a power failure may lose it (a killed process does not): for what can be made again.

    Raises ``VaultReadOnly``, ``VaultError`` (disk full, …); the file is then as it was.
    """
    with clear_errors(path):
        make_folder(path.parent, private=private)
        temporary = aside(path.parent)
        write_aside(temporary, data, 0o600 if private else 0o666, durable=durable)
        try:
            patiently(os.replace, temporary, path)
        finally:
            drop(temporary)  # it is gone if all went well
        if durable:
            sync_folder(path.parent)


def append(path: Path, block: bytes) -> bool:
    """Put ``block`` at the end of a file, one blank line after what stands there; return whether anything was written.

    ``block`` begins with a line of its own kind and ends in a blank line. If the file ends with the beginning of this
    very block, at least its first line, an earlier try was cut off, and only the rest is written; if it ends with the
    whole block, nothing. Should the write fail, the file is as it was. The caller holds the lock on it.

    Raises ``NotFound`` when there is no such file, ``VaultReadOnly``, ``VaultError`` (disk full, …).
    """
    with clear_errors(path):
        try:
            handle = os.open(path, os.O_RDWR | os.O_APPEND | PLAIN)
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
        there = read_file(path)
        if there is None or revision_of(there) != expected:
            raise _stale(path, expected, there)
        if there == data:
            return expected
        keep(there)
        spare = aside(path.parent, ".tmp-swap-")
        try:
            write_aside(spare, data, 0o600, like=path)
            exchanged = exchange(spare, path)
        except FileNotFoundError as error:
            drop(spare)
            raise _stale(path, expected, None) from error
        except OSError:
            drop(spare)
            raise
        if exchanged:
            _verify_exchanged(path, spare, revision_of(data), expected=expected, keep=keep, grace=grace)
        else:
            _replace_if_same(path, spare, expected)
        sync_folder(path.parent)
    return revision_of(data)


def _verify_exchanged(path: Path, spare: Path, ours: Revision, *, expected: Revision, keep: Keep, grace: float) -> None:
    """See whether the exchange brought out what it should, and undo it if not.

    Whatever comes out of the place and is not what was put there before is newer than all else: it goes back in. That
    exchange has to bring out what the one before had put in, or somebody has written again. What went back is kept as
    well: an editor that read our text in between will save over it. ``spare`` is deleted only when its bytes are known
    and kept; an error on the way leaves it lying.
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
            exchange(spare, path)
        except FileNotFoundError:  # deleted in this very moment
            break
        placed, awaited = revision_of(came_out), placed
    if not theirs:
        drop(spare)
        return
    sync_folder(path.parent)
    for words in filter(None, theirs):
        keep(words)
    drop(spare)
    raise _stale(path, expected, read_file(path))


def _replace_if_same(path: Path, spare: Path, expected: Revision) -> None:
    """The last resort, where nothing of the old file can be held: look once more, then replace it."""
    there = read_file(path)
    try:
        if there is None or revision_of(there) != expected:
            raise _stale(path, expected, there)
        patiently(os.replace, spare, path)
    finally:
        drop(spare)  # it is gone if all went well


def remove(path: Path) -> None:
    """Delete a file of the program's own for good; one that is gone is no error. Never a note.

    Raises ``VaultReadOnly``, ``VaultError``.
    """
    with clear_errors(path):
        with suppress(FileNotFoundError):
            patiently(os.unlink, path)
        sync_folder(path.parent)


def discard(path: Path, expected: Revision) -> bool:
    """Delete a file that is still at the revision ``expected``; ``False``, and all is as it was, when it is not.

    It is taken out of its place first and looked at there, so that nobody's edit is deleted unseen. Raises
    ``VaultReadOnly``, ``VaultError``.
    """
    with clear_errors(path):
        there = read_file(path)
        if there is None or revision_of(there) != expected:
            return there is None
        spare = aside(path.parent, ".tmp-swap-")
        try:
            patiently(os.rename, path, spare)
        except FileNotFoundError:
            return True
        if revision_of(read_file(spare) or b"") != expected:
            with suppress(FileExistsError):  # an editor has written it anew: then both stay
                if rename_exclusively(spare, path) or link(spare, path):
                    drop(spare)
            return False
        drop(spare)
        sync_folder(path.parent)
    return True


def move(old: Path, new: Path) -> None:
    """Give a file another name, never one that is taken; folders are made as needed.

    Raises ``NotFound`` when there is no such file, ``EventConflict`` when there is one of the new name,
    ``VaultReadOnly``, ``VaultError``.
    """
    with clear_errors(new):
        make_folder(new.parent)
        try:
            if not rename_exclusively(old, new):
                if not link(old, new):
                    message = f"{old} was not moved: this file system can neither rename safely nor link."
                    raise VaultError(message, path=str(old))
                patiently(os.unlink, old)
        except FileExistsError as error:
            raise EventConflict(f"{new} is there already. Nothing was moved.", path=str(new)) from error
        except FileNotFoundError as error:
            raise NotFound(f"{old} is not there", path=str(old)) from error
        sync_folder(new.parent)
        sync_folder(old.parent)


def _stale(path: Path, expected: Revision, there: bytes | None) -> StaleRevision:
    actual = None if there is None else revision_of(there)
    now = "is gone" if actual is None else f"is at revision {actual[:12]} now"
    message = f"{path} {now}, not at {expected[:12]}. Nothing was overwritten: read it again and repeat the change."
    return StaleRevision(message, path=str(path), expected=expected, actual=actual)


@contextmanager
def lock(path: Path, timeout: float) -> Iterator[None]:
    """Hold the lock file ``path`` exclusively, waiting at most ``timeout`` seconds (0: one try).

    It is the lock that the library filelock takes on the same file (``flock``; on Windows the first byte), so both keep
    each other out. The kernel frees it when the process dies. The file stays: deleting it would let two in.

    Raises ``LockTimeout``, and ``VaultError`` where the file system has no locks.
    """
    with clear_errors(path):
        make_folder(path.parent, private=True)
        deadline, pause = time.monotonic() + timeout, 0.001
        while (handle := _try_lock(path)) is None:
            left = deadline - time.monotonic()
            if left <= 0:
                message = f"{path} is held by another process for more than {timeout:g} s. Try again in a moment."
                raise LockTimeout(message, path=str(path), seconds=timeout)
            time.sleep(min(pause, left))
            pause = min(pause * 2, 0.05)
    try:
        yield
    finally:
        try:
            _flip_lock(handle, take=False)  # closing is not enough: a forked child may hold the handle too
        finally:
            os.close(handle)


def _try_lock(path: Path) -> int | None:
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | PLAIN, 0o600)
    except PermissionError:
        if sys.platform == "win32" and path.exists():  # just being deleted by filelock
            return None
        raise
    held = False
    try:
        # A lock on a file that was deleted meanwhile keeps nobody out.
        held = _flip_lock(handle, take=True) and os.path.samestat(os.fstat(handle), path.stat())
    except FileNotFoundError:
        pass
    finally:
        if not held:
            os.close(handle)
    return handle if held else None


def _flip_lock(handle: int, *, take: bool) -> bool:
    """Take or free the lock on an open file; ``False`` when another process has it."""
    try:
        if sys.platform == "win32":
            import msvcrt  # noqa: PLC0415 - Windows only

            msvcrt.locking(handle, msvcrt.LK_NBLCK if take else msvcrt.LK_UNLCK, 1)  # from the file's position, 0
        else:
            import fcntl  # noqa: PLC0415 - not on Windows

            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB if take else fcntl.LOCK_UN)
    except OSError as error:
        if take and error.errno in (errno.EACCES, errno.EAGAIN, errno.EDEADLK):
            return False
        raise
    return True
