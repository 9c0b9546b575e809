"""Reaches files below a vault's root without following a link, whatever is swapped on the way meanwhile.

To look at a path first and use it then leaves a moment in which a folder can become a link that leads elsewhere: a
vault may be shared, synced or checked out while it is written. So each folder is opened in the one above it, and what
is done with a file is done in the folder that is held open (``openat(2)`` and its kin). The root itself may lie behind
links: where the vault is, the person has said.

Windows has no such calls. There, and outside of any vault, a path is used as it stands, its last part not followed.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

__all__ = [
    "PLAIN", "Place", "confine", "in_folder", "make_folder", "names_in", "open_file", "plain", "remove_folder",
    "scanned", "sync_folder",
]  # fmt: skip

PLAIN = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
"""For ``os.open``: no symbolic link is followed, no pipe is waited for, no line end is changed."""

_POSSIBLE = os.open in os.supports_dir_fd and hasattr(os, "O_NOFOLLOW")
_LISTED = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0)
# With O_PATH a folder that may not be listed can be gone through, as it can by its path.
_THROUGH = getattr(os, "O_PATH", os.O_RDONLY) | getattr(os, "O_DIRECTORY", 0)

_roots: set[str] = set()
"""The vaults that this process has to do with. It only grows, and nothing hangs on it but care."""


class Place(NamedTuple):
    """Where a file is, or is to be."""

    folder: int | None
    """Handle of the folder; ``None``: ``name`` is a path."""
    name: str

    def beside(self, name: str) -> Place:
        """Return the place of another name in the same folder."""
        if self.folder is not None:
            return Place(self.folder, name)
        return plain(Path(self.name).with_name(name))


def plain(path: Path) -> Place:
    """Return the place of a file that lies in no vault: its path."""
    return Place(None, str(path))


def confine(root: Path) -> None:
    """From now on follow no link below ``root``, an absolute path, whoever asks for what lies there."""
    if _POSSIBLE:
        _roots.add(str(root))


@contextmanager
def in_folder(path: Path, *, make: bool = False, private: bool = False) -> Iterator[Place]:
    """Hold the folder of ``path`` open for as long as something is done there; see :func:`make_folder` for ``make``.

    Raises ``OSError``: ``ELOOP`` with its path when a link lies on the way, ``FileNotFoundError``, ….
    """
    mode = (0o700 if private else 0o777) if make else None
    handle = _opened(str(path.parent), _THROUGH, mode)
    if handle is None:
        if mode is not None:
            _make(path.parent, mode)
        yield plain(path)
        return
    try:
        yield Place(handle, path.name)
    finally:
        os.close(handle)


def open_file(path: Path | str) -> int:
    """Open a file for reading and return its handle. Raises ``OSError`` as :func:`in_folder` does."""
    above, _, name = str(path).rpartition("/")
    handle = _opened(above, _THROUGH)
    try:
        return os.open(path if handle is None else name, os.O_RDONLY | PLAIN, dir_fd=handle)
    finally:
        if handle is not None:
            os.close(handle)


def names_in(folder: Path | str) -> list[str]:
    """Return the names in a folder. Raises ``OSError`` as :func:`in_folder` does."""
    handle = _opened(str(folder), _LISTED)
    try:
        return os.listdir(folder if handle is None else handle)  # noqa: PTH208 - names, of 100,000 files
    finally:
        if handle is not None:
            os.close(handle)


@contextmanager
def scanned(folder: Path | str) -> Iterator[Iterator[os.DirEntry[str]]]:
    """List a folder; its entries have no use outside of the ``with``. Raises ``OSError`` as :func:`in_folder` does."""
    handle = _opened(str(folder), _LISTED)
    try:
        with os.scandir(folder if handle is None else handle) as entries:
            yield entries
    finally:
        if handle is not None:
            os.close(handle)


def make_folder(folder: Path, *, private: bool = False) -> None:
    """Make a folder and those above it, as needed, so that a power cut does not take them away again.

    ``private`` makes them the user's alone (0700).
    """
    handle = _opened(str(folder), _THROUGH, 0o700 if private else 0o777)
    if handle is not None:
        os.close(handle)
        return
    _make(folder, 0o700 if private else 0o777)


def _make(folder: Path, mode: int) -> None:
    try:
        try:
            folder.mkdir(mode)
        except FileNotFoundError:
            if folder.parent == folder:  # a drive that is not there
                raise
            _make(folder.parent, mode)
            folder.mkdir(mode)  # not found again: a place like /proc, where nothing can be made
    except FileExistsError:
        return
    _to_disk(str(folder.parent), None)


def remove_folder(folder: Path) -> None:
    """Delete an empty folder. Raises ``OSError``, also when it is not empty."""
    with in_folder(folder) as place:
        os.rmdir(place.name, dir_fd=place.folder)


def sync_folder(place: Place) -> None:
    """Bring the names in the folder of ``place`` to the disk."""
    _to_disk(str(Path(place.name).parent) if place.folder is None else ".", place.folder)


def _to_disk(folder: str, above: int | None) -> None:
    """Windows cannot open a folder for that; NTFS journals its names."""
    if sys.platform != "win32":
        handle = os.open(folder, _LISTED, dir_fd=above)
        try:
            os.fsync(handle)
        except OSError as error:
            if error.errno not in (errno.EINVAL, errno.ENOTSUP):  # some network file systems have no such thing
                raise
        finally:
            os.close(handle)


def _opened(folder: str, flags: int, make: int | None = None) -> int | None:
    """Return a handle of a folder in a vault, opened with ``flags``; ``None`` when it lies in none.

    ``make`` is the mode of folders that are not there; ``None``: they are not made.
    """
    root = folder
    while root not in _roots:
        root = root.rpartition("/")[0]
        if not root:
            return None
    parts = [part for part in folder[len(root) :].split("/") if part]
    try:
        handle = os.open(root, _THROUGH if parts else flags)
    except FileNotFoundError:
        if make is None:
            raise
        _make(Path(root), make)
        handle = os.open(root, _THROUGH if parts else flags)
    for number, part in enumerate(parts, 1):
        try:
            below = _opened_below(handle, part, flags if number == len(parts) else _THROUGH, make)
        except OSError as error:
            is_link = error.errno == errno.ENOTDIR and _is_link(handle, part)  # as Linux says it of a link to a folder
            code = errno.ELOOP if is_link else error.errno
            raise OSError(code, os.strerror(code or 0), "/".join([root, *parts[:number]])) from error
        finally:
            os.close(handle)
        handle = below
    return handle


def _opened_below(above: int, name: str, flags: int, make: int | None) -> int:
    if name == "..":
        raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))  # as openat2(2) says it with RESOLVE_BENEATH
    flags |= os.O_NOFOLLOW
    try:
        return os.open(name, flags, dir_fd=above)
    except FileNotFoundError:
        if make is None:
            raise
    try:
        os.mkdir(name, make, dir_fd=above)
    except FileExistsError:
        pass  # made by another process, just now
    else:
        _to_disk(".", above)
    return os.open(name, flags, dir_fd=above)


def _is_link(folder: int, name: str) -> bool:
    try:
        return stat.S_ISLNK(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)
    except OSError:
        return False
