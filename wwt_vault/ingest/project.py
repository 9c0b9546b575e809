"""Which project a folder belongs to, and its git branch, read from the files of git: no process is started.

Worktrees of one repository are one project: a worktree's ``.git`` file names its git folder, whose ``commondir``
names the repository's. See gitrepository-layout(5).
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from wwt_vault.capture.redact import without_secrets
from wwt_vault.vault.layout import project_of

__all__ = ["Place", "place_of"]

_SHORTEST_SECRET = 8
"""Characters: what is shorter is not looked at, for a prompt waits."""


class Place(NamedTuple):
    """What a working folder says about the work done in it."""

    project: str | None
    git_branch: str | None


def place_of(cwd: str | None) -> Place:
    """Return the project (name of the repository's main folder, else of ``cwd``) and the branch checked out there.

    A folder that is not on this machine gives the last part of its path and no branch. Secrets are taken out of both.
    Never raises.
    """
    if not cwd:
        return Place(project=None, git_branch=None)
    place = _place(cwd)
    return Place(*(without_secrets(name) if name and len(name) >= _SHORTEST_SECRET else name for name in place))


def _place(cwd: str) -> Place:
    folder = Path(cwd)
    try:
        # Another system's path is a relative one here, and would be looked for below our own folder.
        for parent in (folder, *folder.parents) if folder.is_absolute() else ():
            git = parent / ".git"
            if git.is_dir():
                return Place(project=parent.name or project_of(cwd), git_branch=_branch(git))
            if git.is_file():
                return _linked(git, parent, cwd)
    except (OSError, ValueError):
        pass
    return Place(project=project_of(cwd), git_branch=None)


def _linked(git_file: Path, parent: Path, cwd: str) -> Place:
    """A worktree or a submodule: only a worktree has a ``commondir``."""
    text = _first_line(git_file)
    git = (parent / text.removeprefix("gitdir:").strip()).resolve()
    common = _first_line(git / "commondir")
    if not common:
        return Place(project=parent.name or project_of(cwd), git_branch=_branch(git))
    repository = (git / common).resolve()
    # A bare repository has no folder around it that would name the project better than it does itself.
    named = repository.parent if repository.name == ".git" else repository
    return Place(project=named.name.removesuffix(".git") or project_of(cwd), git_branch=_branch(git))


def _branch(git: Path) -> str | None:
    head = _first_line(git / "HEAD")
    return head.removeprefix("ref: refs/heads/") if head.startswith("ref: refs/heads/") else None


def _first_line(path: Path) -> str:
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))  # somebody's folder: it may be a pipe
        try:
            return os.read(handle, 4096).partition(b"\n")[0].decode("utf-8", "replace").strip()
        finally:
            os.close(handle)
    except OSError:
        return ""
