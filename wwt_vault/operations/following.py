"""The verb that keeps importing: folders are followed, and what hosts add to them comes into the vault."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from wwt_vault.ingest import transcripts
from wwt_vault.operations import conversations
from wwt_vault.operations.imports import SourceKeeper
from wwt_vault.operations.workspace import Workspace

__all__ = ["follow"]

Json = dict[str, Any]

_LOOK: Final = 500
"""Milliseconds between two looks."""
_QUIET: Final = 2.0
"""Seconds for which a file must not have changed before it is read: an answer that is being written is read once."""
_LATEST: Final = 30.0
"""Seconds after which it is read all the same."""
_POLL: Final = 5000
"""Milliseconds between two looks at every file, where the system does not tell of changes."""
_BESIDE: Final = ("-wal", "-journal", "-shm")
"""What SQLite writes beside a database in place of the database."""


def follow(
    workspace: Workspace,
    paths: Sequence[Path],
    *,
    host: str | None = None,
    stop: threading.Event,
    tell: Callable[[Json], None],
    progress: Callable[[int, int], None] | None = None,
) -> Json:
    """Import what is there, then whatever is written into ``paths``, until ``stop`` is set.

    ``tell`` gets what each round brought, as :func:`conversations.ingest` returns it; rounds without news are not told.
    Returns the sum of all. Arguments and errors are those of :func:`conversations.ingest`.
    """
    total: Json | None = None
    for changed in _changes(paths, stop):
        if total is None:  # the watch has begun: what is written from here on is not missed
            total = conversations.ingest(workspace, paths, host=host, progress=progress)
            tell(total)
        elif changed:
            keeper = SourceKeeper(workspace)
            report = transcripts.ingest_paths(
                workspace.vault, workspace.state, changed, host=host, named=False, keep_source=keeper.keep
            )
            found = conversations.report_of(report, keeper.written)
            news = [part for part in found["skipped"] if part not in total["skipped"]]
            if found["events_added"] or found["sources"] or news:
                tell({**found, "skipped": news})
            total = _sum(total, found)
    return total if total is not None else conversations.ingest(workspace, paths, host=host, progress=progress)


def _sum(total: Json, found: Json) -> Json:
    lists = {
        key: total[key] + [one for one in found[key] if one not in total[key]]
        for key in ("sessions", "sources", "skipped", "excluded")
    }
    return {**total, "events_added": total["events_added"] + found["events_added"], **lists}


def _changes(paths: Sequence[Path], stop: threading.Event) -> Iterator[list[Path]]:
    """Yield the files that have changed and are quiet again, often an empty list; first one when the watch begins."""
    changed_at: dict[str, tuple[float, float]] = {}
    for names in _names(paths, stop):
        now = time.monotonic()
        for name in names:
            first, _ = changed_at.get(name, (now, now))
            changed_at[name] = (first, now)
        ready = [name for name, (first, last) in changed_at.items() if now - last >= _QUIET or now - first >= _LATEST]
        for name in ready:
            del changed_at[name]
        yield [Path(name) for name in ready if os.path.isfile(name)]  # noqa: PTH113 - strings until here


def _names(paths: Sequence[Path], stop: threading.Event) -> Iterator[set[str]]:
    """Yield the names of files that were written since the last time, at least every ``_LOOK``."""
    from watchfiles import Change, watch  # noqa: PLC0415 - other commands follow nothing

    # A file may be replaced, so its folder is watched. Some systems name what changed by its real path.
    real = [path.resolve() for path in paths]
    folders = {path if path.is_dir() else path.parent for path in real}
    for polling in (False, True):
        try:
            for changes in watch(
                *folders,
                watch_filter=None,
                debounce=_LOOK,
                rust_timeout=_LOOK,
                yield_on_timeout=True,
                stop_event=stop,
                raise_interrupt=False,
                force_polling=polling,
                poll_delay_ms=_POLL,
            ):
                written = (name for change, name in changes if change != Change.deleted)
                names = {_database(file) for name in written for file in _files(name)}
                yield {name for name in names if any(Path(name).is_relative_to(path) for path in real)}
        except (OSError, RuntimeError):
            if polling:
                raise
            continue  # no watches left, or a file system that has none
        return


def _files(name: str) -> Iterator[str]:
    """Yield the file, or all files of a new folder: those in it before it was watched are not told of."""
    if not os.path.isdir(name):  # noqa: PTH112 - strings, as above
        yield name
        return
    for top, _, names in os.walk(name):
        yield from (os.path.join(top, one) for one in names)  # noqa: PTH118 - as above


def _database(name: str) -> str:
    for ending in _BESIDE:
        if name.endswith(ending) and os.path.exists(name.removesuffix(ending)):  # noqa: PTH110 - as above
            return name.removesuffix(ending)
    return name
