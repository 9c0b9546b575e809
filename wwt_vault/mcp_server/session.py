"""What one server process holds between calls: the opened vault, and a thread that keeps the index up to date.

Opening waits for the first call, so that ``initialize`` is answered before whoosh, numpy or a model is imported, and a
vault that is missing is an answer, not a server that does not start. The model loads in the thread; until it is there,
tools answer by words and say so.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import replace
from datetime import UTC, datetime
from math import inf
from typing import TYPE_CHECKING, Final

from wwt_vault.errors import BadArgument, IndexUnavailable, UnparsableSettings, VaultMissing, WwtError
from wwt_vault.mcp_server.watching import Watch

if TYPE_CHECKING:
    from wwt_vault.operations.workspace import Workspace
    from wwt_vault.vault import Vault

__all__ = ["CLIENT", "PROGRESS", "Session", "exit_with_parent"]

CLIENT: ContextVar[str] = ContextVar("client", default="an agent")
"""What the host at the other end of the present call is called: who writes notes."""

PROGRESS: ContextVar[Callable[[int, int], None]] = ContextVar("progress", default=lambda *_: None)
"""Takes what the present call has done and has to do. Raises, and so ends the call, once it was cancelled."""

_SLICE_SECONDS: Final = 2.0
_TURN_SECONDS: Final = 0.01
"""Between two slices: whoever waits gets the lock."""
_QUIET_SECONDS: Final = 0.3
"""After a change in the vault: an editor or an agent often writes several files at once."""
_REST_SECONDS: Final = 5.0
"""Without a change, before what the notes owe is looked for: nobody waits for that."""
_SCAN_SECONDS: Final = 5.0
"""For so long the system's word is taken that nothing changed; then the files are looked at again."""
_MANY: Final = 500
"""Places that were touched, from which on a look at all files is no slower."""
_VECTOR_SECONDS: Final = 1.0
"""An answer waits this long for the vectors of what is new, if that is little: without them it may find nothing."""
_LITTLE: Final = 48
"""Passages; the small model makes vectors of about as many in that time."""

_log = logging.getLogger(__name__)


class Session:
    """The open vault of this process. Its methods may be called from any thread."""

    def __init__(self, vault: str | None = None, folder: str | None = None) -> None:
        """``vault`` names it; ``folder`` is where the agent works, for a server that its host starts there."""
        self._argument = vault
        self.folder = folder
        self._opening = threading.Lock()
        self._workspace: Workspace | None = None
        self._watch: Watch | None = None
        self._seen_all_at = -inf
        self._looking = threading.Lock()
        self._work = threading.Event()
        self._closed = threading.Event()

    def workspace(self) -> Workspace:
        """Return the vault with its index, opened at the first call. Raises what ``open_workspace`` raises.

        A vault that was moved or unmounted since is ``VaultMissing``: what is written in its place would be lost.
        """
        with self._opening:
            if self._workspace is not None:
                self._workspace = replace(self._workspace, vault=_as_it_is_now(self._workspace.vault))
            else:
                from wwt_vault.operations.workspace import open_workspace  # noqa: PLC0415 - see the module's docstring

                opened = open_workspace(self._argument, wait_for_model=False)
                self._workspace = opened
                self._watch = Watch(opened.vault.root, opened.state.root / "watching", self.wake)
                threading.Thread(target=self._keep_fresh, args=(opened,), name="wwt-index", daemon=True).start()
                threading.Thread(target=self._keep_synced, name="wwt-sync", daemon=True).start()
            return self._workspace

    def catch_up(self) -> list[str]:
        """Bring the index up to date before an answer; return what the answer may miss all the same, for people.

        Files are looked at unless that was done a moment ago and the system tells of no change since.
        """
        from wwt_vault.operations import freshness  # noqa: PLC0415 - as above

        workspace = self.workspace()
        with self._touched() as touched:
            if touched == frozenset():
                return []
            missing = freshness.catch_up(workspace, progress=PROGRESS.get(), touched=touched)
            if missing:
                self._seen_all_at = -inf
        status = workspace.index.status()
        if 0 < status.passages - status.embedded <= _LITTLE:
            with suppress(IndexUnavailable):  # searched by words then, which the answer says
                freshness.embed(workspace, _VECTOR_SECONDS)
        return missing

    @contextmanager
    def _touched(self) -> Iterator[frozenset[str] | None]:
        """Give what changed since it was last asked to one at a time; ``None`` when it is time to look at all files.

        Whoever gets it must have indexed it before the next one asks, or set ``_seen_all_at`` back.
        """
        with self._looking:
            began = time.monotonic()
            touched = self._watch.changes() if self._watch is not None else None
            if touched is None or len(touched) > _MANY or began - self._seen_all_at >= _SCAN_SECONDS:
                self._seen_all_at, touched = began, None
            try:
                yield touched
            except BaseException:
                self._seen_all_at = -inf
                raise

    def wake(self) -> None:
        """Let the thread look for something to do."""
        self._work.set()

    def close(self) -> None:
        """Stop the threads at their next step."""
        if self._watch is not None:
            self._watch.close()
        self._closed.set()
        self._work.set()

    def _keep_synced(self) -> None:
        """Sync the vault with other machines, if the user's settings say so."""
        from wwt_vault.operations import autosync  # noqa: PLC0415 - as above

        try:
            pace = autosync.pace_set_by_user()
            if pace is not None:
                autosync.in_background(self._argument, pace=pace, stop=self._closed)
        except (WwtError, OSError) as error:
            _log.warning("the vault is not synced: %s", error)

    def _keep_fresh(self, workspace: Workspace) -> None:
        """Index what changed, then give vectors to what has none; what changes meanwhile is indexed first."""
        from wwt_vault.operations.debt import survey  # noqa: PLC0415 - as above
        from wwt_vault.operations.freshness import embed  # noqa: PLC0415
        from wwt_vault.operations.pending import leave_counts, pending  # noqa: PLC0415

        while not self._closed.is_set():
            self._work.wait()
            time.sleep(_QUIET_SECONDS)
            if self._closed.is_set():
                break
            self._work.clear()
            try:
                # In slices: a call that comes meanwhile gets its turn, and what is newest is found first.
                left, before = self._index(workspace), 0
                while left not in (0, before) and not self._closed.is_set():
                    time.sleep(_TURN_SECONDS)
                    left, before = self._index(workspace), left
                leave_counts(workspace, pending(workspace), datetime.now(UTC))
                embed(workspace, stop=self._work.is_set)
                if not self._work.wait(_REST_SECONDS):
                    survey(workspace, _SLICE_SECONDS, stop=self._work.is_set)
            except (WwtError, OSError) as error:
                # Calls report the same trouble to the person; the thread tries again at the next change.
                _log.warning("the index could not be brought up to date: %s", error)

    def _index(self, workspace: Workspace) -> int:
        """Index what changed, for as long as a slice takes; return how many documents are left."""
        from wwt_vault.operations.freshness import refresh  # noqa: PLC0415 - as above

        with self._touched() as touched:
            if touched == frozenset():
                return 0
            report = refresh(workspace, seconds=_SLICE_SECONDS, touched=touched)
            if report.pending or report.busy or report.withheld:
                self._seen_all_at = -inf
        return report.pending


def _as_it_is_now(vault: Vault) -> Vault:
    """Return the vault with the settings that it has by now: its events may have been moved."""
    from wwt_vault.vault import open_vault, vault_id  # noqa: PLC0415 - as above

    with suppress(VaultMissing):
        if vault_id(vault.root) == vault.id:
            with suppress(UnparsableSettings, BadArgument):  # a person is about to change them
                return open_vault(vault.root)
            return vault
    raise VaultMissing(
        f"{vault.root} is not the vault any more that this server opened: was it moved, or its disk taken away? Put it"
        " back, or name its new place (`wwt setup --vault PATH`) and start a new session.",
        path=str(vault.root),
    )


def exit_with_parent(seconds: float = 2.0) -> None:
    """End this process once its parent is gone, even if another process still holds the other end of stdin."""
    parent = os.getppid()

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(seconds)
        os._exit(0)

    threading.Thread(target=watch, name="wwt-parent", daemon=True).start()
