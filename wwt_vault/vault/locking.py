"""Keeps programs out of one another's way: a lock file that the kernel frees when its holder dies."""

from __future__ import annotations

import errno
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from wwt_vault.errors import LockTimeout
from wwt_vault.vault.beneath import PLAIN, make_folder
from wwt_vault.vault.syscalls import clear_errors

__all__ = ["lock"]


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
