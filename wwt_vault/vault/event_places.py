"""Where the files of events lie: below the folder that the vault's settings name or, not moved there yet, in ours.

Both are read, so that whatever stops a move, or brings events to their former place (a machine that does not know of it
yet), hides none.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from wwt_vault.errors import PathEscapes
from wwt_vault.vault import Vault, files
from wwt_vault.vault.layout import EVENTS, event_path, inside

__all__ = ["days", "folders", "path_of", "paths_of"]


def folders(vault: Vault) -> tuple[str, ...]:
    """Return the folders that hold events, that of new ones first."""
    named = vault.settings.events_folder
    return (named,) if named == EVENTS or not (vault.root / EVENTS).is_dir() else (named, EVENTS)


def path_of(vault: Vault, event: str) -> str:
    """Return where an event lies, from the vault's root; where it is to lie, when it is nowhere.

    Raises ``BadArgument`` for a text that is no event id.
    """
    return paths_of(vault, event)[0]


def paths_of(vault: Vault, event: str) -> list[str]:
    """Return every place where an event lies: two, where a move was cut off. Else as :func:`path_of`."""
    wanted, former = event_path(event, vault.settings.events_folder), event_path(event)
    if wanted == former:
        return [wanted]
    return [path for path in (wanted, former) if _is_there(vault.root, path)] or [wanted]


def _is_there(root: Path, path: str) -> bool:
    try:
        return os.path.lexists(inside(root, path, hidden=True))
    except PathEscapes:  # a link on the way: whoever reads it is told
        return True


def days(root: Path, folder: str, first: str = "") -> Iterator[tuple[str, list[str]]]:
    """Yield every folder of a tree of events and what it holds, sorted; days before ``first`` (``YYYYMMDD``) left out.

    Those of days are three below ``folder``. Of the others only what is no folder on the way to a day is yielded.
    """

    def below(rel: str, digits: str, depth: int) -> Iterator[tuple[str, list[str]]]:
        try:
            names = sorted(files.names_in(inside(root, rel, hidden=True)))
        except PathEscapes:  # a link planted among the folders
            parent, _, name = rel.rpartition("/")
            yield parent, [name]
            return
        if depth == 3:
            yield rel, names
            return
        on_the_way = [name for name in names if re.fullmatch("[0-9]{2}|[0-9]{4}", name)]
        yield rel, [name for name in names if name not in on_the_way]
        for name in on_the_way:
            if digits + name >= first[: len(digits + name)]:
                yield from below(f"{rel}/{name}", digits + name, depth + 1)

    yield from below(folder, "", 0)
