"""Sync that happens by itself: when the vault has been quiet for a while, and now and then to see what others did.

``wwt sync --watch`` does it in a terminal; a server does it in a thread, when the user's settings have ``[sync] auto``.
Never a hook. Of several servers on one machine one does it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, NamedTuple

from wwt_vault.config import load_user_settings
from wwt_vault.errors import BadArgument, LockTimeout, UnparsableSettings, VaultMissing, WwtError
from wwt_vault.operations.syncing import sync
from wwt_vault.state import state_for
from wwt_vault.vault import find_vault
from wwt_vault.vault.files import lock

__all__ = ["Pace", "follow", "in_background", "pace_set_by_user"]

Json = dict[str, Any]

_LOOK: Final = 250
"""Milliseconds between two looks."""
_TURN: Final = 30.0
"""Seconds after which a server looks whether another one still does the work."""


class Pace(NamedTuple):
    """When to sync. In seconds."""

    quiet: float = 30.0
    """After the last change."""
    latest: float = 300.0
    """After the first change, however busy it goes on."""
    every: float = 300.0
    """Without any: what others did comes in."""


def pace_set_by_user() -> Pace | None:
    """Return the pace of the user's settings (``[sync]``: ``auto``, ``quiet``, ``every``); ``None`` without ``auto``.

    Raises ``UnparsableSettings``, ``BadArgument`` for a value of the wrong kind.
    """
    table = load_user_settings().get("sync")
    if not isinstance(table, dict) or table.get("auto") is not True:
        return None
    values: dict[str, float] = {}
    for key in ("quiet", "every"):
        value = table.get(key, Pace._field_defaults[key])
        if not isinstance(value, (int, float)) or isinstance(value, bool) or not 0 < value <= 86_400:
            raise BadArgument(f"[sync] {key} must be seconds from 0 to 86400, not {value!r}", key=key)
        values[key] = float(value)
    return Pace(quiet=values["quiet"], latest=max(values["quiet"], Pace().latest), every=values["every"])


def follow(
    argument: str | None, *, pace: Pace, stop: threading.Event, tell: Callable[[Json | WwtError | OSError], None]
) -> None:
    """Sync at once, then after every change and now and then, until ``stop`` is set.

    ``tell`` gets what each sync returned, or why it failed; the next one is tried all the same. Raises ``VaultMissing``
    and what else opening the vault raises.
    """
    root = find_vault(argument).root
    now = time.monotonic()
    due, first = now, None
    for changed in _changes(root, stop):
        now = time.monotonic()
        if changed:
            first = first or now
            due = min(now + pace.quiet, first + pace.latest)
        if now >= due:
            try:
                tell(sync(argument, now=datetime.now(UTC)))
            except (WwtError, OSError) as error:
                tell(error)
            due, first = time.monotonic() + pace.every, None


def _changes(root: Path, stop: threading.Event) -> Iterator[bool]:
    """Yield, several times a second, whether something of the vault changed; always ``False`` where nobody tells."""
    from watchfiles import watch  # noqa: PLC0415 - 20 ms that a server's start does not owe

    depth = len(root.resolve().parts)

    def belongs(_kind: object, path: str) -> bool:
        parts = Path(path).parts[depth:]
        return ".git" not in parts and not (parts and parts[-1].startswith(".tmp-"))

    while not stop.is_set():
        try:
            for changes in watch(
                root, watch_filter=belongs, step=50, debounce=200, rust_timeout=_LOOK, yield_on_timeout=True,
                stop_event=stop, raise_interrupt=False,
            ):  # fmt: skip
                yield bool(changes)
            return
        except (OSError, RuntimeError):  # no watches left, the folder is gone: every so often is what remains
            yield False
            stop.wait(_LOOK / 1000 * 4)


def in_background(argument: str | None, *, pace: Pace, stop: threading.Event) -> None:
    """Sync a vault that is under git until ``stop`` is set, unless another process of this machine does that.

    Nothing is printed; what went wrong is kept for ``wwt status``.
    """
    while not stop.is_set():
        try:
            vault = find_vault(argument)
            if (vault.root / ".git").exists():
                with lock(state_for(vault).locks / "autosync", 0):
                    follow(argument, pace=pace, stop=stop, tell=lambda _: None)
        except (LockTimeout, VaultMissing, UnparsableSettings, OSError):
            pass  # another one does it, or there is nothing to be done now
        stop.wait(_TURN)
