"""Files as the system has them: written whole, linked, exchanged; and what to do where a call is not there.

Only ``files`` uses this. Errors leave as ``OSError``; :func:`clear_errors` turns them into what a person can act on.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from wwt_vault.errors import VaultError, VaultReadOnly, WwtError
from wwt_vault.vault.beneath import PLAIN, Place, sync_folder

__all__ = [
    "aside",
    "clear_errors",
    "create",
    "drop",
    "exchange",
    "link",
    "patiently",
    "read_file",
    "read_from",
    "rename_exclusively",
    "rename_over",
    "unlink",
    "write_all",
    "write_aside",
]

# What link() and renameat2() say where the file system cannot do it: FAT and exFAT, some network and FUSE mounts,
# Android. Where such a number means that nothing may be written at all, the call that is tried next says so again.
_UNSUPPORTED = frozenset(
    (errno.EPERM, errno.EACCES, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EINVAL, errno.EMLINK)
)
_READ_ONLY = frozenset((errno.EROFS, errno.EACCES, errno.EPERM))
_FULL = frozenset((errno.ENOSPC, errno.EDQUOT, errno.EFBIG))
_SHARING = frozenset((5, 32, 33))
"""Windows: access denied, sharing violation, lock violation. Obsidian or a virus scanner has the file open."""


def read_file(place: Place) -> bytes | None:
    """Return all bytes of a file, ``None`` when there is none."""
    try:
        handle = os.open(place.name, os.O_RDONLY | PLAIN, dir_fd=place.folder)
    except (FileNotFoundError, NotADirectoryError):
        return None
    try:
        return read_from(handle, 0)
    finally:
        os.close(handle)


def read_from(handle: int, offset: int) -> bytes:
    """Return the bytes of an open file from ``offset`` to its end."""
    os.lseek(handle, offset, os.SEEK_SET)
    pieces = []
    while piece := os.read(handle, max(os.fstat(handle).st_size - offset, 0) + 1):
        pieces.append(piece)
        offset += len(piece)
    return b"".join(pieces)


def write_all(handle: int, data: bytes) -> None:
    """Write every byte; a disk that fills up takes a part and then says so."""
    view = memoryview(data)
    while view:
        written = os.write(handle, view)
        if not written:
            raise OSError(errno.EIO, "nothing was written")
        view = view[written:]


def aside(place: Place, prefix: str = ".tmp-") -> Place:
    """Return a name beside ``place`` that nobody else uses."""
    return place.beside(f"{prefix}{os.getpid()}-{os.urandom(6).hex()}")


def write_aside(temporary: Place, data: bytes, mode: int, *, like: Place | None = None, durable: bool = True) -> None:
    """Write a new file, on the disk when this returns; its mode is that of ``like``, else ``mode`` less the umask."""
    handle = os.open(temporary.name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | PLAIN, mode, dir_fd=temporary.folder)
    whole = False
    try:
        write_all(handle, data)
        if like is not None and hasattr(os, "fchmod"):
            os.fchmod(handle, stat.S_IMODE(os.stat(like.name, dir_fd=like.folder, follow_symlinks=False).st_mode))
        if durable:
            os.fsync(handle)
        whole = True
    finally:
        os.close(handle)
        if not whole:
            drop(temporary)


def create(place: Place, data: bytes, mode: int) -> bool:
    """Publish a new file in one step; ``False`` when there is one.

    By a link, which never overwrites; else by a rename that does not; else, where there is neither, by writing in
    place, which overwrites nothing either but can leave half a file when the power goes.
    """
    temporary = aside(place)
    write_aside(temporary, data, mode)
    try:
        if not link(temporary, place) and not rename_exclusively(temporary, place):
            write_aside(place, data, mode)
    except FileExistsError:
        return False
    finally:
        drop(temporary)
    sync_folder(place)
    return True


def drop(place: Place) -> None:
    """Delete a temporary file; what cannot be deleted stays and does no harm."""
    with suppress(OSError):
        unlink(place)


def unlink(place: Place) -> None:
    """Delete a file."""
    patiently(lambda: os.unlink(place.name, dir_fd=place.folder))


def rename_over(source: Place, target: Place) -> None:
    """Rename a file, whatever has the other name."""
    patiently(lambda: os.replace(source.name, target.name, src_dir_fd=source.folder, dst_dir_fd=target.folder))


def patiently(call: Callable[[], object]) -> None:
    """Call ``os.replace`` or the like, for up to half a second while another program on Windows has the file open."""
    pause = 0.02
    while True:
        try:
            call()
        except PermissionError as error:
            if getattr(error, "winerror", None) not in _SHARING or pause > 0.3:
                raise
            time.sleep(pause)
            pause *= 2
        else:
            return


def link(source: Place, target: Place) -> bool:
    """Give a file a second name; ``False`` where the file system has no links. Raises ``FileExistsError``."""
    try:
        if source.folder is None and target.folder is None:
            os.link(source.name, target.name)
        else:
            os.link(
                source.name,
                target.name,
                src_dir_fd=source.folder,
                dst_dir_fd=target.folder,
                follow_symlinks=False,
            )
    except OSError as error:
        if error.errno not in _UNSUPPORTED:
            raise
        return False
    return True


def exchange(one: Place, other: Place) -> bool:
    """Let two files of one folder change places; ``False`` where nothing like that can be done.

    In one step where the system can. Else the file at ``other`` gets a second name, is replaced by ``one``, and takes
    its name: a file that somebody else put there between these steps is lost.
    """
    if _rename_with(2, one, other):  # RENAME_EXCHANGE, RENAME_SWAP
        return True
    held = aside(other, ".tmp-swap-")
    if not link(other, held):
        return False
    try:
        rename_over(one, other)
    except OSError:
        drop(held)
        raise
    rename_over(held, one)
    return True


def rename_exclusively(source: Place, target: Place) -> bool:
    """Rename a file to a name that nobody has; ``False`` where that cannot be done in one step.

    Raises ``FileExistsError``.
    """
    if sys.platform == "win32":
        patiently(lambda: Path(source.name).rename(target.name))  # there it does not overwrite
        return True
    else:  # noqa: RET505 - mypy knows the platform by branches
        return _rename_with(4 if sys.platform == "darwin" else 1, source, target)  # RENAME_EXCL, RENAME_NOREPLACE


def _rename_with(flag: int, source: Place, target: Place) -> bool:
    """Call renameat2(2) of Linux or renameatx_np(2) of macOS; ``False`` where system or disk do not know the flag."""
    if os.name != "posix":
        return False
    import ctypes  # noqa: PLC0415 - notes are replaced, and a hook replaces none

    library = ctypes.CDLL(None, use_errno=True)
    call = getattr(library, "renameat2", None) or getattr(library, "renameatx_np", None)
    if call is None:
        return False
    here = -2 if sys.platform == "darwin" else -100  # AT_FDCWD
    arguments: list[object] = []
    for place in (source, target):
        folder = ctypes.c_int(here if place.folder is None else place.folder)
        arguments += [folder, os.fsencode(place.name)]
    if not call(*arguments, ctypes.c_uint(flag)):
        return True
    code = ctypes.get_errno()
    if code in _UNSUPPORTED:
        return False
    raise OSError(code, os.strerror(code), source.name, None, target.name)


@contextmanager
def clear_errors(path: Path, *, reading: bool = False) -> Iterator[None]:
    """Raise what a failed system call means for the person: ``VaultReadOnly`` (not when reading) or ``VaultError``."""
    try:
        yield
    except OSError as error:
        raise _meaning(path, error, reading) from error


def _meaning(path: Path, error: OSError, reading: bool) -> WwtError:
    about = {"path": str(path), "errno": errno.errorcode.get(error.errno or 0, "unknown")}
    if reading and error.errno != errno.ELOOP:
        return VaultError(f"{path} cannot be read: {error.strerror}.", **about)
    if error.errno in _READ_ONLY:
        return VaultReadOnly(f"{path} cannot be written: {error.strerror}. Check its owner, mode and mount.", **about)
    if error.errno in _FULL:
        return VaultError(f"{path} was not written: {error.strerror}. Make room and try again.", **about)
    if error.errno == errno.ELOOP:
        on_the_way = str(path).startswith(f"{error.filename}/")
        link = error.filename if on_the_way else path
        what_to_do = "Put a real file or folder in its place."
        return VaultError(f"{link} is a symbolic link, which is not followed. {what_to_do}", **about)
    return VaultError(f"{path} was not read or written: {error.strerror}. What was there is unchanged.", **about)
