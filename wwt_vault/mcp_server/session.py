"""What one server process holds between calls: the opened vault, and a thread that keeps the index up to date.

Opening waits for the first call, so that ``initialize`` is answered before whoosh, numpy or a model is imported, and a
vault that is missing is an answer, not a server that does not start. The model loads in the thread; until it is there,
tools answer by words and say so.
"""

from __future__ import annotations

import contextlib
import logging
import os
import threading
import time
from typing import TYPE_CHECKING, Final

from wwt_vault.errors import WwtError

if TYPE_CHECKING:
    from wwt_vault.operations.workspace import Workspace

__all__ = ["Session", "exit_with_parent"]

_SLICE_SECONDS: Final = 2.0
_QUIET_SECONDS: Final = 0.3
"""After a change in the vault: an editor or an agent often writes several files at once."""

_log = logging.getLogger(__name__)


class Session:
    """The open vault of this process. Its methods may be called from any thread."""

    def __init__(self, vault: str | None = None) -> None:
        self._argument = vault
        self._opening = threading.Lock()
        self._workspace: Workspace | None = None
        self._work = threading.Event()
        self._closed = threading.Event()

    def workspace(self) -> Workspace:
        """Return the vault with its index, opened at the first call. Raises what ``open_workspace`` raises."""
        with self._opening:
            if self._workspace is None:
                from wwt_vault.operations.workspace import open_workspace  # noqa: PLC0415 - see the module's docstring

                opened = open_workspace(self._argument, wait_for_model=False)
                self._workspace = opened
                for work in (self._keep_fresh, self._watch):
                    threading.Thread(target=work, args=(opened,), name=f"wwt-{work.__name__}", daemon=True).start()
            return self._workspace

    def wake(self) -> None:
        """Let the thread look for something to do."""
        self._work.set()

    def close(self) -> None:
        """Stop the threads at their next step."""
        self._closed.set()
        self._work.set()

    def _keep_fresh(self, workspace: Workspace) -> None:
        """Index what changed, then give vectors to what has none; what changes meanwhile is indexed first."""
        from wwt_vault.operations.freshness import embed, refresh  # noqa: PLC0415

        while not self._closed.is_set():
            self._work.wait()
            self._work.clear()
            try:
                # In slices: a call that comes meanwhile gets its turn, and what is newest is found first.
                left, before = refresh(workspace, seconds=_SLICE_SECONDS).pending, 0
                while left not in (0, before) and not self._closed.is_set():
                    left, before = refresh(workspace, seconds=_SLICE_SECONDS).pending, left
                embed(workspace, stop=self._work.is_set)
            except (WwtError, OSError) as error:
                # Calls report the same trouble to the person; the thread tries again at the next change.
                _log.warning("the index could not be brought up to date: %s", error)

    def _watch(self, workspace: Workspace) -> None:
        """Wake the thread when files of the vault change: a person's edit is indexed before anybody asks."""
        import watchfiles  # noqa: PLC0415

        changes = watchfiles.watch(
            workspace.vault.root,
            stop_event=self._closed,
            step=200,
            raise_interrupt=False,
            ignore_permission_denied=True,
        )
        # No watches left, or an unmounted folder: every call looks for changes anyway.
        with contextlib.suppress(OSError, RuntimeError):
            for _ in changes:
                time.sleep(_QUIET_SECONDS)
                self._work.set()


def exit_with_parent(seconds: float = 2.0) -> None:
    """End this process once its parent is gone, even if another process still holds the other end of stdin."""
    parent = os.getppid()

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(seconds)
        os._exit(0)

    threading.Thread(target=watch, name="wwt-parent", daemon=True).start()
