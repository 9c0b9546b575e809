"""One vault on many machines, by a git repository that all of them reach.

Git keeps and carries objects; our own code decides what goes in, how two changes become one, and writes the files:

``local`` commits what changed → ``repository`` fetches → ``joining`` works out what both sides come to (``contents``
for one file, ``session_notes`` for a session's) → ``applying`` writes it → the branch moves → ``repository`` pushes.

Whatever stops this on its way, nothing is lost: the next sync goes on from what lies in the vault and in the branch.
Nothing of a repository is ever run, no link followed, no file written that is none of a vault's.
"""

from __future__ import annotations

import random
import re
import time
from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Final, NamedTuple

from wwt_vault.errors import BadArgument, SyncFailed, SyncRefused, Unreachable, VaultMissing
from wwt_vault.sync import applying, driver, local
from wwt_vault.sync.applying import Hold
from wwt_vault.sync.git import Patience, find_git
from wwt_vault.sync.joining import Conflict, Joined, join, settle
from wwt_vault.sync.local import MACHINE, Withheld, brought
from wwt_vault.sync.objects import Blobs, Importer, read_path
from wwt_vault.sync.repository import (
    Entry,
    Repository,
    add_remote,
    create_repository,
    fetch,
    has_repository,
    is_ancestor,
    merge_base,
    move_head,
    open_repository,
    push,
    remote_branch,
    update_index,
)
from wwt_vault.vault import Vault, files, layout, open_vault, relocating

__all__ = ["Conflict", "Hold", "Machine", "Patience", "Synced", "Withheld", "begin", "sync"]

_ROUNDS: Final = 12
"""How often somebody else may be quicker before sync gives up until later."""
_LOCK_SECONDS: Final = 120.0


class Machine(NamedTuple):
    """This machine, as far as sync has to know it."""

    name: str
    environ: Mapping[str, str]
    locks: Path
    """The folder of lock files of this vault."""
    hold: Hold
    grace: float | None = None
    """How long an editor that has a file open is waited for, in seconds."""
    patience: Patience = Patience()


class Synced(NamedTuple):
    """What a sync did."""

    sent: Mapping[str, int]
    """What was committed here, as ``local.brought`` counts."""
    received: Mapping[str, Mapping[str, int]]
    """What came, by the machine that it came from."""
    conflicts: tuple[Conflict, ...]
    withheld: tuple[Withheld, ...]
    notes: tuple[str, ...]
    paths: tuple[str, ...]
    """Files of this vault that sync wrote or deleted."""
    pushed: bool
    remote: str
    """Where to, for people; empty without a remote."""
    offline: str
    """Why the other side was not reached; empty when it was, or there is none."""
    others: int
    """Files in the vault's folder that are none of a vault's, and stay on this machine."""


def begin(vault: Vault, machine: Machine, remote: str | None, *, fresh: bool = False) -> bool:
    """Put the vault under git if it is not, and remember ``remote``; return whether a repository was made.

    A ``fresh`` one waits for the other side's files.

    Nothing is sent or merged yet: :func:`sync` does that. Raises ``SyncFailed``, ``SyncRefused``, ``BadArgument``.
    """
    git = find_git(vault.root, machine.environ)
    created = not has_repository(git)
    branch = None
    if remote is not None:
        branch = remote_branch(git, _absolute(remote))
    if created:
        create_repository(vault.root, machine.environ, branch or "main")
    repository = open_repository(vault.root, machine.environ)
    for place in (layout.VAULT_FILE, layout.event_path(_ANY_EVENT, vault.settings.events_folder)):
        if repository.git.status("check-ignore", "-q", "--no-index", place, ok=(0, 1))[0] == 0:
            ignored = vault.root / ".gitignore"
            folder = layout.DATA if place.startswith(".") else vault.settings.events_folder
            message = f"{ignored} leaves out {folder}, where the messages lie: take that line out."
            raise SyncRefused(message, reason="ignored", path=str(ignored))
    for name, data in () if fresh else _DEFAULTS.items():
        path = layout.inside(vault.root, name, hidden=True)
        if files.read(path) is None:
            files.create_once(path, data)
    if not fresh:
        driver.install(vault, repository.git)
    if remote is not None:
        add_remote(repository.git, _absolute(remote), repository.branch, branch or repository.branch)
    return created


_ANY_EVENT: Final = "20261130T015801Z-000000000000"
_DEFAULTS: Final = {
    ".gitignore": b".obsidian/workspace*.json\n.trash/\n.DS_Store\n.tmp-*\n",
    ".gitattributes": b"* -text\n.wwt/events/** -diff\n.wwt/revisions/** -diff\n",
}
"""For a vault that was not made from the template. Line ends stay as they are: hashes are taken over bytes."""


def _absolute(remote: str) -> str:
    """Return a remote as git has to be told it: a folder's path does not depend on where one stands."""
    if re.match(r"[A-Za-z][A-Za-z0-9+.-]*://|[^/\\]{2,}:", remote) or remote.startswith("-") or "::" in remote:
        return remote
    if not remote.strip():
        raise BadArgument("name a remote: a URL, HOST:PATH, or a folder", argument="remote")
    return str(Path(remote).expanduser().absolute())


def sync(
    vault: Vault,
    machine: Machine,
    at: datetime,
    *,
    allowed: Iterable[str] = (),
    shrink: bool = False,
    fresh: bool = False,
) -> Synced:
    """Commit what changed, take in what others did, and send both.

    ``allowed`` files are sent although they seem to hold secrets; ``shrink`` goes on when most of the vault is gone.
    An unreachable remote is no error, unless the vault is ``fresh``: an empty folder that waits for the other side's.
    Raises ``VaultMissing`` where that has none, ``SyncFailed``, ``SyncRefused``, ``FormatTooNew``, ``LockTimeout``,
    ``VaultReadOnly``, ``VaultError``; what was done until then is whole, and the next call goes on.
    """
    with files.lock(machine.locks / "sync", _LOCK_SECONDS):
        return _Sync(vault, machine, at, fresh=fresh).run(frozenset(allowed), shrink)


class _Sync:
    """One sync on its way."""

    def __init__(self, vault: Vault, machine: Machine, at: datetime, *, fresh: bool) -> None:
        self.vault, self.machine, self.at, self.fresh = vault, machine, at, fresh
        self.sent: dict[str, int] = {}
        self.received: dict[str, dict[str, int]] = {}
        self.conflicts: list[Conflict] = []
        self.withheld: dict[str, Withheld] = {}
        self.notes: list[str] = []
        self.paths: set[str] = set()
        self.others = 0

    def run(self, allowed: frozenset[str], shrink: bool) -> Synced:
        pushed, offline, url = False, "", ""
        for attempt in range(_ROUNDS):
            repository = self._commit(allowed, shrink)
            if repository is None:
                continue
            url = repository.url
            if repository.remote is None:
                break
            try:
                theirs = fetch(repository)
                if self.fresh and (theirs is None or read_path(repository.git, theirs, layout.VAULT_FILE) is None):
                    message = f"{url} holds no vault. Make one here first: `wwt init PATH`, then `wwt sync init {url}`."
                    raise VaultMissing(message, remote=url)
                if theirs is not None:
                    joined = self._join(repository, theirs)
                    if joined is None:
                        continue
                    repository = joined
                if repository.head is None or repository.head == theirs:
                    break
                pushed = push(repository, repository.head)
            except Unreachable as error:
                if self.fresh:
                    raise
                offline = str(error)
                break
            if pushed:
                break
            time.sleep(random.uniform(0, 0.1 * attempt))  # noqa: S311 - so that two machines do not keep step
        else:
            message = f"Others were quicker {_ROUNDS} times: what is to be sent waits for the next sync."
            raise SyncFailed(message, reason="busy")
        return Synced(
            sent=self.sent,
            received=self.received,
            conflicts=tuple(self.conflicts),
            withheld=tuple(self.withheld.values()),
            notes=tuple(self.notes),
            paths=tuple(sorted(self.paths)),
            pushed=pushed,
            remote=url,
            offline=offline,
            others=self.others,
        )

    def _commit(self, allowed: frozenset[str], shrink: bool) -> Repository | None:
        """Commit what changed; return the repository, ``None`` when somebody else moved the branch meanwhile."""
        repository = open_repository(self.vault.root, self.machine.environ, self.machine.patience)
        if not self.fresh:
            self.vault = open_vault(self.vault.root)  # what came in the round before may have changed its settings
            relocating.gather(self.vault, self.machine.locks)
        with Importer(repository.git, repository.hash_name) as importer:
            found = local.look(self.vault, repository, importer, allowed=allowed, shrink=shrink)
            committed = repository
            if found.changes:
                ours = local.commit(repository, importer, found.changes, machine=self.machine.name, at=self.at)
                if ours is None:
                    return None
                committed = ours
        for key, count in brought(found.changes).items() if found.changes else ():
            self.sent[key] = self.sent.get(key, 0) + count
        self.withheld |= {entry.path: entry for entry in found.withheld}
        self.others = found.others
        with Blobs(repository.git) as blobs:
            for path, oid in found.restore.items():
                files.overwrite(layout.inside(self.vault.root, path, hidden=True), blobs.read(oid))
                self.paths.add(path)
                self.notes.append(f"{path} was gone or damaged and has been put back: `wwt forget` deletes words.")
        if found.settled:
            update_index(repository.git, found.settled)
        return self._settle(committed) if committed.remote is not None and not self.fresh else committed

    def _settle(self, repository: Repository) -> Repository | None:
        """Make one of names that some disks take for one, before they are sent; as :meth:`_join` otherwise."""
        settled = settle(self.vault, repository, self.at)
        return self._apply(repository, settled, None) if settled is not None else repository

    def _join(self, repository: Repository, theirs: str) -> Repository | None:
        """Take in the other side's commit; return the repository then, ``None`` when the branch was moved meanwhile."""
        git, head = repository.git, repository.head
        if head is not None and is_ancestor(git, theirs, head):
            return repository
        base = merge_base(git, head, theirs) if head is not None else None
        joined = join(self.vault, repository, base, theirs, self.at)
        received = _received(repository, theirs)
        merged = self._apply(repository, joined, theirs)
        if merged is None:
            return None
        for name, counts in received.items():
            total = self.received.setdefault(name, {})
            for key, count in counts.items():
                total[key] = total.get(key, 0) + count
        return self._settle(merged)

    def _apply(self, repository: Repository, joined: Joined, theirs: str | None) -> Repository | None:
        """Write what was worked out into the vault and the branch, with the other side's commit if it is a join."""
        git = repository.git
        with Blobs(git) as blobs:
            applied = applying.apply(
                self.vault,
                joined.targets,
                blobs,
                hold=self.machine.hold,
                locks=self.machine.locks,
                machine=self.machine.name,
                at=self.at,
                grace=self.machine.grace,
            )
        new, entries = self._merge_commit(repository, joined, theirs)
        if not move_head(repository, new, "wwt sync: merge"):
            return None
        written = {path: entry for path, entry in entries.items() if path in joined.targets}
        absent = [path for path, entry in joined.carried.items() if entry and not (self.vault.root / path).exists()]
        update_index(git, entries, absent)
        self.paths |= written.keys()
        self.conflicts += [*joined.conflicts, *applied.conflicts]
        self.withheld |= {entry.path: entry for entry in (*joined.withheld, *applied.withheld)}
        self.notes += joined.notes
        return repository._replace(head=new)

    def _merge_commit(
        self, repository: Repository, joined: Joined, theirs: str | None
    ) -> tuple[str, Mapping[str, Entry | None]]:
        """Return the commit that holds both sides, and what in it differs from this side's."""
        entries: dict[str, Entry | None] = dict(joined.carried)
        with Importer(repository.git, repository.hash_name) as importer:
            for path, target in joined.targets.items():
                oid = target.oid if target.data is None else importer.blob(target.data)
                entries[path] = Entry("100644", oid) if oid is not None else None
            if joined.as_theirs and theirs is not None:
                return theirs, entries
            known = entries if repository.head else {**dict.fromkeys(joined.theirs), **entries}
            new = importer.commit(
                known,
                parents=[commit for commit in (repository.head, theirs) if commit],
                message=f"{self.machine.name}: {'merge' if theirs else 'names'}\n\n{MACHINE}: {self.machine.name}\n",
                identity=local.identity(repository, self.machine.name),
                at=self.at,
            )
        return new, entries


def _received(repository: Repository, theirs: str) -> dict[str, dict[str, int]]:
    """Return what the commits that only the other side has brought, by the machines they were made on."""
    form = f"%x01%(trailers:key={MACHINE},valueonly,separator=)%x00%an%x00"
    options = ("--no-merges", "--no-renames", "--no-ext-diff", "--name-only", "-z", f"--format={form}")
    known = [f"^{repository.head}"] if repository.head else []
    said = repository.git.run("log", *options, theirs, *known, "--").decode("utf-8", "surrogateescape")
    found: dict[str, set[str]] = {}
    for entry in said.split("\x01")[1:]:
        machine, author, *paths = entry.split("\0")
        found.setdefault(machine.strip() or author.strip() or "elsewhere", set()).update(
            path.lstrip("\n") for path in paths if path.strip("\n")
        )
    return {name: brought(paths) for name, paths in found.items()}
