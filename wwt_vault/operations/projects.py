"""The verbs about projects: which there are, and what they are called now."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final

from wwt_vault.errors import BadArgument, NotFound
from wwt_vault.operations.freshness import refresh_ledger
from wwt_vault.operations.workspace import Workspace
from wwt_vault.vault import projects
from wwt_vault.vault.files import lock
from wwt_vault.vault.layout import name_key

__all__ = ["list_projects", "merge_projects", "rename_project"]

Json = dict[str, Any]

_LOCK_SECONDS: Final = 10.0


def list_projects(workspace: Workspace) -> Json:
    """Return ``{projects: [{project, names, sessions, messages, notes, last}]}``, the one spoken of last first.

    ``names`` are the other names it has or had, ``notes`` the curated ones of the project, ``last`` when its last
    session began.
    """
    refresh_ledger(workspace)
    names = projects.read_names(workspace.vault)
    found: dict[str, Json] = {}
    last: dict[str, datetime] = {}
    for entry in workspace.ledger.snapshot().values():
        if entry.project is None or entry.layer == "page":
            continue
        row = found.setdefault(
            entry.project,
            {
                "project": entry.project,
                "names": list(names.all_of(entry.project)[1:]),
                "sessions": 0,
                "messages": 0,
                "notes": 0,
                "last": None,
            },
        )
        if entry.layer != "session":
            row["notes"] += 1
            continue
        row["sessions"] += 1
        row["messages"] += len(entry.events)
        if entry.time and (entry.project not in last or entry.time > last[entry.project]):
            last[entry.project] = entry.time
            row["last"] = entry.time.astimezone(workspace.vault.zone).isoformat(timespec="seconds")
    rows = sorted(found.values(), key=lambda row: str(row["project"]))
    return {"projects": sorted(rows, key=lambda row: str(row["last"] or ""), reverse=True)}


def rename_project(workspace: Workspace, old: str, new: str, *, now: datetime) -> Json:
    """Let the project ``old`` be called ``new``, a name that no other project has: its folder moved, or will.

    Nothing that was written changes. Returns ``{project, names}``. Raises ``NotFound`` when there is no such project,
    ``BadArgument`` when ``new`` is another one, or no name.
    """
    return _call(workspace, old, new, now=now, known=False)


def merge_projects(workspace: Workspace, name: str, into: str, *, now: datetime) -> Json:
    """Let the project ``name`` be part of the project ``into``. Else as :func:`rename_project`.

    Raises ``NotFound`` when either is not there, ``BadArgument`` when they are one already.
    """
    return _call(workspace, name, into, now=now, known=True)


def _call(workspace: Workspace, name: str, new: str, *, now: datetime, known: bool) -> Json:
    new = new.strip()
    if not new or len(new) > 200 or not new.isprintable():
        raise BadArgument("a project's name is one line of at most 200 characters", argument="new")
    with lock(workspace.state.locks / "projects", _LOCK_SECONDS):
        there = {name_key(row["project"]): row["project"] for row in list_projects(workspace)["projects"]}
        names = projects.read_names(workspace.vault)
        was = there.get(name_key(names.now(name) or name))
        if was is None:
            raise NotFound(f"There is no project {name!r}: `wwt project list`.", name=name)
        back = name_key(new) in map(name_key, names.all_of(was))
        if known:
            target = there.get(name_key(names.now(new) or new))
            if target is None:
                raise NotFound(
                    f"There is no project {new!r}. To give {was!r} this name: `wwt project rename`.", name=new
                )
            if target == was:
                raise BadArgument(f"{name!r} and {new!r} are one project already", argument="into")
            new = target
        elif name_key(new) in there and not back:
            message = f"{new!r} is another project: `wwt project merge` makes the two one"
            raise BadArgument(message, argument="new")
        if new == was:
            raise BadArgument(f"it is called {new!r} already", argument="new")
        # The new name first: it may have meant this project until now.
        projects.name_project(workspace.vault, new, new, now)
        if name_key(new) != name_key(was):
            projects.name_project(workspace.vault, was, new, now)
    return {"project": new, "names": list(projects.read_names(workspace.vault).all_of(new)[1:])}
