"""Whether anything in the vault has changed since it was last asked, without looking at every file.

The operating system's notifications are collected by watchfiles in a thread of its own; asking takes two
milliseconds. They are a short cut, not the truth: where they are not to be had (too many folders, a network's file
system) every answer looks at all files, and it does so every few seconds in any case.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from watchfiles._rust_notify import RustNotify

__all__ = ["Watch"]

_EVERY: Final = 0.3
"""Seconds between two looks of the background."""
_LATENCY: Final = 4
"""Milliseconds that a notification takes at most from the change to us, with a margin: measured below one."""


class Watch:
    """Notifications of changes below ``root``. ``changed`` may be called from any thread."""

    def __init__(self, root: Path, wake: Callable[[], None]) -> None:
        """Watch ``root``; ``wake`` is called, from a thread, soon after something changed there."""
        self._wake = wake
        self._closed = threading.Event()
        self._lock = threading.Lock()
        self._changes: RustNotify | None = None
        self._unseen = False
        threading.Thread(target=self._run, args=(root,), name="wwt-watch", daemon=True).start()

    def changed(self) -> bool:
        """Return whether something changed since the last call; ``True`` as long as that cannot be known."""
        if self._changes is None:
            return True
        with self._lock:
            found = self._look(self._changes) or self._unseen
            self._unseen = False
        return found

    def close(self) -> None:
        """Stop watching."""
        self._closed.set()

    def _run(self, root: Path) -> None:
        from watchfiles._rust_notify import RustNotify  # noqa: PLC0415 - 20 ms that a server's start does not owe

        try:
            changes = RustNotify([str(root)], False, False, 300, True, True)
        except (OSError, RuntimeError):
            return  # no watches left, or a folder that is not there: every answer looks for itself
        self._changes = changes
        while not self._closed.wait(_EVERY):
            with self._lock:
                found = self._look(changes)
                self._unseen = self._unseen or found
            if found:
                self._wake()
        changes.close()

    def _look(self, changes: RustNotify) -> bool:
        """Take what was collected; the lock must be held, so that nobody else takes it meanwhile."""
        return changes.watch(1, 1, _LATENCY, None) != "timeout"
