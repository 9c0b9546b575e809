"""What projects are called now: a folder that moved, or two names for one project.

Which project a session belonged to stands in its note and its events, and stays there. What such a name means today
stands beside them, in a small file per name: ``.wwt/projects/<name> <8 hex>.json``. Readers put the one for the other.
See ``docs/vault-format.md`` and ``docs/decisions/0012-a-projects-other-names.md``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime
from typing import Any, NamedTuple

from wwt_vault.errors import WwtError
from wwt_vault.hashing import sha256
from wwt_vault.model.conversation import format_time, parse_time
from wwt_vault.vault import Vault, files
from wwt_vault.vault.layout import PROJECT_NAMES, inside, name_key, safe_name

__all__ = ["Meaning", "ProjectNames", "later", "name_project", "read_names"]

_SCHEMA = 1


class Meaning(NamedTuple):
    """What one name of a project means."""

    name: str
    now: str
    """What the project is called now: ``name`` itself when it is no longer another's."""
    at: datetime
    """When that was said."""


class ProjectNames:
    """The names of the projects of one vault, as they were read. Names are compared as file names are, case aside."""

    def __init__(self, meanings: Iterator[Meaning] | list[Meaning] | tuple[Meaning, ...] = ()) -> None:
        self._now: dict[str, str] = {}
        self._spelled: dict[str, str] = {}
        # The newest first: two machines may each have said the opposite, and names must not go round in a circle.
        for said in sorted(meanings, key=lambda said: (said.at, said.name, said.now), reverse=True):
            key = name_key(said.name)
            if key not in self._now and (said.now == said.name or name_key(self.now(said.now) or "") != key):
                self._now[key] = said.now
                self._spelled[key] = said.name
        self._now = {key: now for key, now in self._now.items() if name_key(now) != key}

    def now(self, project: str | None) -> str | None:
        """Return what a project of this name is called now: ``project`` itself when nothing else was said."""
        while project is not None and (next_name := self._now.get(name_key(project))) is not None:
            if name_key(next_name) == name_key(project):
                break
            project = next_name
        return project

    def all_of(self, project: str) -> tuple[str, ...]:
        """Return every name of the project that is called ``project`` now, that one first."""
        now = self.now(project) or project
        others = [name for key, name in self._spelled.items() if key in self._now and self.now(name) == now]
        return (now, *sorted(others))

    @property
    def stamp(self) -> str:
        """What tells that a name means something else than before; empty when every name means itself."""
        if not self._now:
            return ""
        return sha256(json.dumps(sorted(self._now.items())).encode("utf-8", "replace")).hexdigest()[:8]


def read_names(vault: Vault) -> ProjectNames:
    """Return what the names of projects mean in this vault. A damaged file counts as none."""
    return ProjectNames(list(_meanings(vault)))


def name_project(vault: Vault, name: str, now: str, at: datetime) -> None:
    """Keep that the project ``name`` is called ``now``; the same name twice means that it is itself again.

    The caller keeps others out. Raises ``VaultReadOnly``, ``VaultError``.
    """
    table = {"schema": _SCHEMA, "name": name, "now": now, "at": format_time(at)}
    data = json.dumps(table, ensure_ascii=False, sort_keys=True).encode("utf-8", "replace") + b"\n"
    key = sha256(name_key(name).encode("utf-8", "replace")).hexdigest()[:8]
    file = f"{PROJECT_NAMES}/{f'{safe_name(name, 80)} {key}'.strip()}.json"
    files.overwrite(inside(vault.root, file, hidden=True), data)


def later(one: bytes, other: bytes) -> bytes:
    """Return what was said later of two files of one name; ``one`` when neither says anything."""
    found = [(said.at, data) for data in (one, other) if (said := _read(data)) is not None]
    return max(found)[1] if found else one


def _meanings(vault: Vault) -> Iterator[Meaning]:
    try:
        folder = inside(vault.root, PROJECT_NAMES, hidden=True)
        names = sorted(files.names_in(folder))
    except WwtError:
        return
    for name in names:
        if name.endswith(".json") and not name.startswith("."):
            try:
                said = _read(files.read(folder / name) or b"")
            except WwtError:
                continue
            if said is not None:
                yield said


def _read(data: bytes) -> Meaning | None:
    try:
        table: Any = json.loads(data)
        if table["schema"] != _SCHEMA or not all(isinstance(table[key], str) and table[key] for key in ("name", "now")):
            return None
        return Meaning(table["name"], table["now"], parse_time(table["at"]))
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
