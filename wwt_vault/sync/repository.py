"""The vault's git repository: what state it is in, and the few commands that change it.

What a person has checked out, staged or configured is left alone: sync moves the branch that is checked out from one
commit to the next, and brings the index in line with it for the files that it carries.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

from wwt_vault.errors import BadArgument, SyncFailed, SyncRefused
from wwt_vault.sync.failures import is_local, shown_url
from wwt_vault.sync.git import MINIMUM, PROTOCOLS, Git, Patience, find_git

__all__ = [
    "Entry",
    "Repository",
    "add_remote",
    "create_repository",
    "fetch",
    "has_repository",
    "is_ancestor",
    "merge_base",
    "move_head",
    "open_repository",
    "push",
    "remote_branch",
    "update_index",
]

_IN_PROGRESS: Final = {
    "MERGE_HEAD": "a merge",
    "CHERRY_PICK_HEAD": "a cherry-pick",
    "REVERT_HEAD": "a revert",
    "rebase-merge": "a rebase",
    "rebase-apply": "a rebase",
    "BISECT_LOG": "a bisection",
}
_NO_REMOTE: Final = "."
"""What git calls a branch's remote when it follows another branch of the same repository."""


class Entry(NamedTuple):
    """A file in a tree of git's."""

    mode: str
    """``100644``, ``100755``, ``120000`` (a symbolic link), ``160000`` (a submodule)."""
    oid: str

    @property
    def is_file(self) -> bool:
        """Return whether it is a file with bytes of its own."""
        return self.mode.startswith("100")


class Repository(NamedTuple):
    """A repository in a state in which it can be synced, as it was when it was opened."""

    git: Git
    folder: Path
    """Where git keeps its things."""
    settings: Mapping[str, str]
    """Git's settings, keys in lower case but for names in them; of those set twice, the last."""
    hash_name: str
    branch: str
    """The branch that is checked out, without ``refs/heads/``."""
    head: str | None
    """Its commit; ``None`` before the first."""
    remote: str | None = None
    """Name of the remote it is synced with."""
    url: str = ""
    """Where that is, for people: no password in it."""
    upstream: str = ""
    """The branch there."""

    @property
    def null(self) -> str:
        """Return the id that stands for no object."""
        return "0" * (64 if self.hash_name == "sha256" else 40)

    @property
    def tracking(self) -> str:
        """Return the reference that says where the remote's branch was when it was last seen."""
        return f"refs/remotes/{self.remote}/{self.upstream}"


def has_repository(git: Git) -> bool:
    """Return whether the folder itself is a repository; one above it does not count."""
    return (git.root / ".git").exists()


def open_repository(root: Path, environ: Mapping[str, str], patience: Patience = Patience()) -> Repository:  # noqa: B008 - a value
    """Open the repository of the vault at ``root`` and see whether it can be synced.

    Raises ``SyncFailed`` (``no_git``), ``SyncRefused`` with ``reason`` ``no_repository``, ``not_the_top``,
    ``in_progress``, ``detached``, ``shallow``, ``ownership``.
    """
    git = find_git(root, environ)._replace(patience=patience)
    if not has_repository(git):
        message = f"{root} is not under git yet: `wwt sync init [REMOTE]` begins that, or joins a vault that is there."
        raise SyncRefused(message, reason="no_repository", path=str(root))
    wanted = ("--show-toplevel", "--absolute-git-dir", "--is-shallow-repository", "--show-object-format")
    try:
        found = git.run("rev-parse", *wanted).decode("utf-8", "surrogateescape").split("\n")
    except SyncFailed as error:
        if "not a git repository" in str(error) or "work tree" in str(error):
            message = f"{root / '.git'} is no repository that git can read ({error}). Move it away and begin anew."
            raise SyncRefused(message, reason="no_repository", path=str(root)) from error
        raise
    top, folder, shallow, hash_name = found[0], Path(found[1]), found[2], found[3]
    if os.path.realpath(top) != os.path.realpath(root):
        message = f"The vault lies in the repository {top}, which has other things as well. Sync needs one of its own."
        raise SyncRefused(message, reason="not_the_top", path=top)
    for name, what in _IN_PROGRESS.items():
        if (folder / name).exists():
            message = f"{what.capitalize()} is going on in {root}. Finish it or take it back (`git status` says how)."
            raise SyncRefused(message, reason="in_progress", path=str(folder / name))
    settings = _settings(git)
    git = git.with_filters_off(settings)
    code, branch = git.status("symbolic-ref", "-q", "HEAD", ok=(0, 1))
    name = branch.decode("utf-8", "replace").strip().removeprefix("refs/heads/")
    if code or not name:
        message = "No branch is checked out (a detached HEAD). Go to one: `git switch main`, or `git switch -c NAME`."
        raise SyncRefused(message, reason="detached")
    if shallow == "true":
        message = "This clone is shallow: what both sides have in common is not in it. Run `git fetch --unshallow`."
        raise SyncRefused(message, reason="shallow")
    code, head = git.status("rev-parse", "-q", "--verify", "HEAD^{commit}", ok=(0, 1))
    repository = Repository(git, folder, settings, hash_name, name, head.decode().strip() if not code else None)
    return _with_remote(repository)


def _with_remote(repository: Repository) -> Repository:
    settings, branch = repository.settings, repository.branch
    names = sorted({key[7:].rpartition(".")[0] for key in settings if re.fullmatch(r"remote\..+\.url", key)})
    named = settings.get(f"branch.{branch}.remote", "")
    candidates = [named] if named in names else [name for name in names if name == "origin" or len(names) == 1]
    if not candidates or named == _NO_REMOTE:
        return repository
    remote = candidates[0]
    merge = settings.get(f"branch.{branch}.merge", "") if named == remote else ""
    upstream = merge.removeprefix("refs/heads/") or branch
    return repository._replace(remote=remote, url=shown_url(settings[f"remote.{remote}.url"]), upstream=upstream)


def _settings(git: Git) -> dict[str, str]:
    listed = git.run("config", "-z", "--list").decode("utf-8", "surrogateescape")
    pairs = (entry.partition("\n") for entry in listed.split("\0") if entry)
    return {key: value for key, _, value in pairs}


def create_repository(root: Path, environ: Mapping[str, str], branch: str = "main") -> None:
    """Make a repository in ``root``, without any template's hooks. Raises ``SyncFailed`` (``no_git``, ``old_git``)."""
    git = find_git(root, environ)
    version = re.search(r"(\d+)\.(\d+)", git.run("version").decode("utf-8", "replace"))
    if version is None or (int(version[1]), int(version[2])) < MINIMUM:
        message = f"git {version[0] if version else '?'} is too old; sync needs {MINIMUM[0]}.{MINIMUM[1]} or newer."
        raise SyncFailed(message, reason="old_git")
    git.run("init", "--quiet", "--template=", str(root))
    git.run("symbolic-ref", "HEAD", f"refs/heads/{branch}")


def remote_branch(git: Git, url: str) -> str | None:
    """Return the branch that a repository elsewhere shows by default; ``None`` when it is empty.

    Raises what a transfer raises, ``BadArgument`` for what is no address of a repository.
    """
    if url.startswith("-") or "::" in url.partition("/")[0] or "\n" in url:
        raise BadArgument(f"{url[:200]!r} is not an address that sync uses", argument="remote")
    scheme = re.match(r"([A-Za-z][A-Za-z0-9+.-]*)://", url)
    if scheme is not None and scheme[1].lower() not in PROTOCOLS:
        message = f"{shown_url(url)}: sync speaks {', '.join(PROTOCOLS)} only"
        raise BadArgument(message, argument="remote")
    said = git.transfer("ls-remote", "--symref", *_there(git, url, "upload-pack"), "--", url, remote=shown_url(url))
    text = said.decode("utf-8", "replace")
    shown = re.search(r"(?m)^ref: refs/heads/(\S+)\tHEAD$", text)
    branches = re.findall(r"(?m)^[0-9a-f]+\trefs/heads/(\S+)$", text)
    if shown is not None and shown[1] in branches:
        return shown[1]
    return "main" if "main" in branches else next(iter(branches), None)


def add_remote(git: Git, url: str, branch: str, upstream: str) -> None:
    """Remember a remote under the name ``origin``, and that ``branch`` is synced with the branch ``upstream`` there.

    Raises ``SyncRefused`` (``other_remote``) when ``origin`` is another one.
    """
    settings = _settings(git)
    there = settings.get("remote.origin.url")
    if there is not None and there != url:
        message = f"origin is {shown_url(there)} already. To sync with another: `git remote set-url origin URL`."
        raise SyncRefused(message, reason="other_remote")
    if there is None:
        git.run("remote", "add", "origin", url)
    git.run("config", f"branch.{branch}.remote", "origin")
    git.run("config", f"branch.{branch}.merge", f"refs/heads/{upstream}")


def fetch(repository: Repository) -> str | None:
    """Get what is new on the remote; return its commit, ``None`` when its branch is not there yet.

    Raises what a transfer raises: ``Unreachable``, ``SyncFailed``.
    """
    git, remote = repository.git, repository.remote
    wanted = f"+refs/heads/{repository.upstream}:{repository.tracking}"
    options = ("--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", "--progress")
    there = _there(git, repository.settings.get(f"remote.{remote}.url", ""), "upload-pack")
    try:
        git.transfer("fetch", *options, *there, "--", str(remote), wanted, remote=repository.url)
    except SyncFailed as error:
        if "couldn't find remote ref" in str(error):
            return None
        raise
    return git.run("rev-parse", "--verify", f"{repository.tracking}^{{commit}}").decode().strip()


def push(repository: Repository, commit: str) -> bool:
    """Send a commit to the remote's branch; ``False`` when somebody was quicker, and it has to be merged first.

    Raises what a transfer raises: ``Unreachable``, ``SyncFailed``.
    """
    git, remote = repository.git, repository.remote
    there = _there(git, repository.settings.get(f"remote.{remote}.url", ""), "receive-pack")
    target = f"{commit}:refs/heads/{repository.upstream}"
    try:
        git.transfer("push", "--porcelain", "--progress", *there, "--", str(remote), target, remote=repository.url)
    except SyncFailed as error:
        if error.data.get("reason") == "rejected":
            return False
        raise
    return True


def _there(git: Git, url: str, service: str) -> tuple[str, ...]:
    """Return the option by which the hooks of a repository on a disk, which would run as this user, do not."""
    if not is_local(url):
        return ()
    return (f"--{service}={shlex.quote(git.program)} -c core.hooksPath={os.devnull} {service}",)


def merge_base(git: Git, one: str, other: str) -> str | None:
    """Return the latest commit that both descend from; ``None`` when they have nothing in common."""
    found = git.status("merge-base", one, other, ok=(0, 1))[1].decode().split()
    return found[0] if found else None


def is_ancestor(git: Git, older: str, newer: str) -> bool:
    """Return whether ``newer`` contains all of ``older``; not when that commit is gone."""
    return older == newer or not git.status("merge-base", "--is-ancestor", older, newer, ok=(0, 1, 128))[0]


def move_head(repository: Repository, commit: str, why: str) -> bool:
    """Move the branch to a commit; ``False`` when somebody else has moved it since the repository was opened."""
    old = repository.head or repository.null
    try:
        repository.git.run("update-ref", "-m", why, "HEAD", commit, old)
    except SyncFailed as error:
        if re.search("cannot lock ref.*(is at|reference already exists|but expected)", str(error)):
            return False
        raise
    return True


def update_index(git: Git, entries: Mapping[str, Entry | None], held: Iterable[str] = ()) -> None:
    """Bring the index in line with a commit for these files; ``held`` are not in the vault, and git shall not mind.

    Raises ``SyncFailed`` (``locked``).
    """
    if entries:
        lines = []
        for path, entry in entries.items():
            mode, oid = entry or ("0", "0" * 40)
            lines.append(f"{mode} {oid}\t{path}\0".encode("utf-8", "surrogateescape"))
        git.run("update-index", "-z", "--index-info", data=b"".join(lines))
    listed = "\0".join(held).encode("utf-8", "surrogateescape")
    if listed:
        with suppress(SyncFailed):  # only a courtesy
            git.run("update-index", "-z", "--skip-worktree", "--stdin", data=listed)
