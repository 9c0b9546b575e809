"""What in the vault has changed since it was last asked, without looking at every file.

The operating system's notifications are collected by watchfiles in a thread of its own. They come in order, so a file
of our own that is touched tells when all earlier ones have come (watchman's "cookie"): within milliseconds, or the
answer is that something may have changed. Where notifications are not to be had (no watches left, some network file
systems) every answer looks at all files; every few seconds it does so in any case.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final

from wwt_vault.vault.beneath import make_folder

if TYPE_CHECKING:
    from watchfiles._rust_notify import RustNotify

__all__ = ["Watch"]

_EVERY: Final = 0.3
"""Seconds between two looks of the background."""
_PATIENCE: Final = 0.03
"""Seconds within which the own file's notification must come: it takes one or two milliseconds, looking at 5,000 files
thirty."""

_LEFT_SECONDS: Final = 24 * 3600.0


class Watch:
    """Notifications of changes below ``root``. ``changes`` may be called from any thread."""

    def __init__(self, root: Path, own_folder: Path, wake: Callable[[], None]) -> None:
        """Watch ``root``; ``wake`` is called, from a thread, soon after something changed there.

        ``own_folder`` lies outside of it, is made if need be, and holds the file that is touched.
        """
        self._wake = wake
        self._root = root
        self._own = own_folder / f"{os.getpid()}-{id(self):x}"
        self._closed = threading.Event()
        self._lock = threading.Lock()
        self._changes: RustNotify | None = None
        self._watched = _identity(root)
        self._unseen: set[str] = set()
        threading.Thread(target=self._run, name="wwt-watch", daemon=True).start()

    def changes(self) -> frozenset[str] | None:
        """Return the absolute paths of what changed since the last call; ``None`` when that cannot be known."""
        if self._watched is None or _identity(self._root) != self._watched:
            return None  # another folder has taken its place
        with self._lock:
            if self._changes is None:
                return None  # not watched: not yet, or no more
            found = frozenset(self._unseen) if self._is_complete(self._changes) else None
            self._unseen.clear()
        return found

    def close(self) -> None:
        """Stop watching."""
        self._closed.set()
        self._own.unlink(missing_ok=True)

    def _run(self) -> None:
        from watchfiles._rust_notify import RustNotify  # noqa: PLC0415 - 20 ms that a server's start does not owe

        try:
            make_folder(self._own.parent, private=True)
            self._sweep()
            self._own.touch(mode=0o600)
            changes = RustNotify([str(self._root), str(self._own.parent)], False, False, 300, True, True)
        except (OSError, RuntimeError):
            return  # every answer looks for itself
        self._changes = changes
        while not self._closed.wait(_EVERY):
            with self._lock:
                self._look(changes)
                unseen = bool(self._unseen)
            if unseen:
                self._wake()
        with self._lock:
            self._changes = None
        changes.close()

    def _sweep(self) -> None:
        """Delete what killed servers left. One that lives touches its file at every call, or makes it again."""
        for left in self._own.parent.iterdir():
            if time.time() - left.stat().st_mtime > _LEFT_SECONDS:
                left.unlink(missing_ok=True)

    def _is_complete(self, changes: RustNotify) -> bool:
        """Take everything that happened until now; return whether that is sure. The lock must be held."""
        deadline = time.monotonic() + _PATIENCE
        try:
            os.close(os.open(self._own, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600))
        except OSError:
            return False
        while not self._look(changes):
            if time.monotonic() > deadline:
                return False
        return True

    def _look(self, changes: RustNotify) -> bool:
        """Take what was collected; return whether the own file was among it. The lock must be held."""
        found = changes.watch(1, 1, 2, None)
        if isinstance(found, str):
            return False
        # macOS names a folder by its real path. The last two parts are enough: the vault's id is in them.
        own = self._own.parent.parts[-2:]
        self._unseen |= {path for _, path in found if Path(path).parent.parts[-2:] != own}
        return any(Path(path).name == self._own.name for _, path in found)


def _identity(folder: Path) -> tuple[int, int] | None:
    """Return which folder this is, whatever its name; ``None`` when it is not there."""
    try:
        found = folder.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
