"""The verbs for copies that a sync left beside a note: list them, merge one, choose one."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final

from wwt_vault.ingest.remembered import hold
from wwt_vault.state import state_for
from wwt_vault.sync import settling
from wwt_vault.vault import find_vault

__all__ = ["conflicts_keep", "conflicts_list", "conflicts_merge"]

Json = dict[str, Any]

_HOLD_SECONDS: Final = 10.0


def conflicts_list(argument: str | None = None) -> Json:
    """Return ``{conflicts: [{path, original, same, mergeable, only_copy, only_original}]}``, by path.

    ``only_copy`` and ``only_original`` are the lines that one of the two has and the other has not.
    """
    return {"conflicts": [found._asdict() for found in settling.find(find_vault(argument))]}


def conflicts_merge(argument: str | None, copies: list[str], *, now: datetime) -> Json:
    """Merge copies into their originals, without ``copies`` all that can be. Returns ``{settled, left}``: paths.

    Raises ``NotFound``, ``HumanConflict`` for a copy that was named and cannot be merged, ``StaleRevision``.
    """
    vault = find_vault(argument)
    state = state_for(vault)
    chosen = copies or [found.path for found in settling.find(vault) if found.mergeable]
    settled = [
        settling.merge(
            vault, copy, locks=state.locks, hold=lambda host, session: hold(state, host, session, _HOLD_SECONDS), at=now
        )
        for copy in chosen
    ]
    return {"settled": settled, "left": [found.path for found in settling.find(vault)]}


def conflicts_keep(argument: str | None, path: str, *, now: datetime) -> Json:
    """Choose a version by its path, the copy's or the original's. Returns ``{settled, left}``: paths."""
    vault = find_vault(argument)
    state = state_for(vault)
    settled = settling.keep(
        vault, path, locks=state.locks, hold=lambda host, session: hold(state, host, session, _HOLD_SECONDS), at=now
    )
    return {"settled": [settled], "left": [found.path for found in settling.find(vault)]}
