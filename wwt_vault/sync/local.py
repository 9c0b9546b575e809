"""What changed in the vault since the last commit, and the commit of it.

What git calls changed is looked at by its bytes; those very bytes are checked for secrets and committed. A file that
must not leave this machine is withheld: the commit keeps what it had, the file stays as it is, the person is told.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Final, NamedTuple

from wwt_vault import markdown
from wwt_vault.capture.redact import find_secrets
from wwt_vault.errors import SyncRefused, VaultError, WwtError
from wwt_vault.sync import belonging, contents, session_notes
from wwt_vault.sync.objects import Blobs, Importer, blob_id, sizes
from wwt_vault.sync.repository import Entry, Repository, move_head, update_index
from wwt_vault.vault import Vault, event_places, files, layout
from wwt_vault.wording import carried

__all__ = ["MACHINE", "Local", "Withheld", "brought", "commit", "lies_elsewhere", "look"]

MACHINE: Final = "Wwt-Machine"
"""Trailer of a commit's message: where its changes were made (git-interpret-trailers(1))."""
_CLOCK_STEP: Final = 2.0
"""Seconds by which the time of a file may lag behind (FAT counts in twos)."""
_MANY: Final = 20
"""Files below which no share of the vault being gone looks like a disk that is not mounted."""


class Withheld(NamedTuple):
    """A file that sync did not send, or did not write."""

    path: str
    reason: str
    """``secret``, ``conflict_markers``, ``too_big``, ``lfs``, ``link``, ``name``, ``unreadable``, ``not_a_vaults``."""
    message: str


class Local(NamedTuple):
    """What the vault has otherwise than the commit that is checked out."""

    changes: Mapping[str, Entry | None]
    """What is to be committed, by path; its blobs are written. ``None`` for a file that was deleted."""
    restore: Mapping[str, str]
    """Events, and what notes said before, that are gone or damaged: the ids of their blobs."""
    withheld: tuple[Withheld, ...]
    settled: Mapping[str, Entry | None]
    """Paths of which git's index says something else, though vault and commit agree."""
    others: int
    """Files without git that are none of a vault's."""


class _Listed(NamedTuple):
    tracked: dict[str, Entry | None]
    """What the commit has at each path that git calls changed."""
    new: list[str]


def look(
    vault: Vault, repository: Repository, importer: Importer, *, allowed: Iterable[str] = (), shrink: bool = False
) -> Local:
    """Compare the vault with the commit that is checked out; what changed is written as blobs by ``importer``.

    No more than one file is held in memory. ``allowed`` paths are sent with what looks like secrets.

    Raises ``SyncRefused`` (``gone``) when most of the vault's files are missing, unless ``shrink``.
    """
    begun = time.time() - _CLOCK_STEP
    listed = _listed(repository)
    changes: dict[str, Entry | None] = {}
    mentioned: set[str] = set()
    withheld: list[Withheld] = []
    settled: dict[str, Entry | None] = {}
    gone: dict[str, Entry] = {}
    damaged: dict[str, str] = {}
    known = {belonging.logical(path): path for path in listed.tracked}
    new = dict.fromkeys(known.get(belonging.logical(name), belonging.logical(name)) for name in listed.new)
    with Blobs(repository.git) as blobs:
        for path, entry in {**new, **listed.tracked}.items():
            if not belonging.belongs(path):
                continue
            data, problem = _read(vault, path)
            if problem:
                withheld.append(problem)
            elif entry is not None and not entry.is_file:
                withheld.append(Withheld(path, "link", f"{path} is a link or a module in git: sync leaves it alone."))
            elif data is None:
                if entry is not None:
                    gone[path] = entry
            elif entry is not None and blob_id(data, repository.hash_name) == entry.oid:
                settled[path] = entry
            elif entry is not None and _is_damaged(path, data, entry, blobs):
                damaged[path] = entry.oid
            elif problem := _withheld(path, data, entry, blobs, path in allowed):
                withheld.append(problem)
            else:
                changes[path] = Entry("100644", importer.blob(data))
                if belonging.is_note(path):
                    mentioned.update(re.findall(layout.EVENT_ID, data.decode("utf-8", "replace")))
    lost = sizes(repository.git, (entry.oid for entry in gone.values()))
    gone = {path: entry for path, entry in gone.items() if lost.get(entry.oid, 0) <= belonging.MAX_BYTES}
    added = {path.rpartition("/")[0] for path in changes}
    moved = {path for path in gone if lies_elsewhere(vault, path)}
    restore = {
        path: entry.oid for path, entry in gone.items() if belonging.is_protected(path, added) and path not in moved
    }
    taken = [path for path in gone if path not in restore]
    restore |= damaged
    missing = len(taken) + len(restore) - len(moved)
    if not shrink and missing >= _MANY:
        _refuse_if_most_is_gone(repository, missing)
    changes |= dict.fromkeys(taken)
    places = (event_places.path_of(vault, event) for event in sorted(mentioned))
    late = (path for path in places if path not in listed.tracked | changes)
    changes |= {path: Entry("100644", importer.blob(data)) for path, data in _written_since(vault, late, begun)}
    return Local(changes, restore, tuple(withheld), settled, sum(not belonging.belongs(path) for path in new))


def lies_elsewhere(vault: Vault, path: str) -> bool:
    """Return whether an event lies elsewhere in the vault too: where events belong, when ``path`` is not that."""
    event = belonging.event_of_path(path)
    if event is None:
        return False
    place = layout.event_path(event, vault.settings.events_folder)
    return place != path and layout.inside(vault.root, place, hidden=True).is_file()


def _listed(repository: Repository) -> _Listed:
    """Ask git what differs. Its index is only a help: what counts is the commit (git-status(1), porcelain v2)."""
    options = ("--porcelain=v2", "-z", "--untracked-files=all", "--no-renames", "--ignore-submodules=all")
    tracked: dict[str, Entry | None] = {}
    new: list[str] = []
    for line in repository.git.run("status", *options).decode("utf-8", "surrogateescape").split("\0"):
        kind = line[:1]
        if kind == "?":
            new.append(line[2:])
        elif kind == "1":
            _, _, _, mode, _, _, oid, _, path = line.split(" ", 8)
            tracked[path] = Entry(mode, oid) if mode != "000000" else None
        elif kind == "u":  # of a stash that did not fit, say: the commit's own is asked for
            path = line.split(" ", 10)[10]
            found = repository.git.run("ls-tree", "-z", "HEAD", "--", path).decode("utf-8", "surrogateescape")
            words = found.partition("\t")[0].split(" ")
            tracked[path] = Entry(words[0], words[2]) if len(words) == 3 else None
    return _Listed(tracked, new)


def _read(vault: Vault, path: str) -> tuple[bytes | None, Withheld | None]:
    try:
        place = layout.inside(vault.root, path, hidden=True)
        size = place.lstat().st_size if place.exists() else 0
        if size > belonging.MAX_BYTES:
            message = f"{path} has {size >> 20} MB; files over {belonging.MAX_BYTES >> 20} MB are not synced."
            return None, Withheld(path, "too_big", message)
        return files.read(place), None
    except VaultError as error:
        return None, Withheld(path, "unreadable", str(error))
    except WwtError as error:
        return None, Withheld(path, "name" if "\\" in path else "link", str(error))


def _is_damaged(path: str, data: bytes, entry: Entry, blobs: Blobs) -> bool:
    """Return whether an event has other bytes than the commit, and the commit's are right: it never changes."""
    if belonging.event_of_path(path) is None:
        return False
    before = blobs.read(entry.oid)
    return contents.of_event(path, before, before, data) == before


def _withheld(path: str, data: bytes, entry: Entry | None, blobs: Blobs, allowed: bool) -> Withheld | None:
    """Say why a file must not be committed."""
    if entry is not None and belonging.is_pointer(blobs.read(entry.oid)):
        message = f"{path} is kept by Git LFS: commit it with git, sync would put the file itself in git."
        return Withheld(path, "lfs", message)
    if b"\0" in data[:8000] or belonging.event_of_path(path):  # no text; redacted before it was written
        return None
    text = data.decode("utf-8", "replace")
    said = session_notes.added_by_person(text) if session_notes.identity(text) else text  # messages were redacted
    if belonging.is_note(path) and b"<<<<<<<" in data:
        parts = markdown.split(text)
        line = markdown.conflict_line(markdown.parse(parts.body, 1 + parts.head.count("\n")))
        if line is not None:
            message = f"{path}:{line} begins an unresolved git conflict: bring both sides together, then sync."
            return Withheld(path, "conflict_markers", message)
    finds = [] if allowed else find_secrets(said)
    if finds:
        before = blobs.read(entry.oid).decode("utf-8", "replace") if entry else ""
        fresh = [find for find in finds if said[find.start : find.end] not in before]
        if fresh:
            line = text.count("\n", 0, text.find(said[fresh[0].start : fresh[0].end])) + 1
            message = (
                f"{path}:{line} has what looks like a secret ({fresh[0].kind}). The file stays on this machine until "
                f"you take that out, or say `wwt sync --allow '{path}'`."
            )
            return Withheld(path, "secret", message)
    return None


def _refuse_if_most_is_gone(repository: Repository, gone: int) -> None:
    """Raise ``SyncRefused`` when half of the commit's files are missing: a disk that is not mounted looks like that."""
    there = repository.git.run("ls-tree", "-r", "-z", "--name-only", "HEAD").count(b"\0")
    if gone * 2 > there:
        message = (
            f"{gone} of {there} files are gone from the vault. If that is meant: `wwt sync --yes`. Nothing was changed."
        )
        raise SyncRefused(message, reason="gone", missing=gone)


def _written_since(vault: Vault, events: Iterable[str], begun: float) -> Iterator[tuple[str, bytes]]:
    """Yield events that were written while git looked, and that notes which were read later mention."""
    for path in events:
        place = vault.root / path
        if place.is_file() and place.stat().st_mtime >= begun:
            data = _read(vault, path)[0]
            if data is not None:
                yield path, data


def commit(
    repository: Repository, importer: Importer, changes: Mapping[str, Entry | None], *, machine: str, at: datetime
) -> Repository | None:
    """Commit these changes; return the repository as it is then, ``None`` when somebody else moved the branch."""
    new = importer.commit(
        changes,
        parents=[repository.head] if repository.head else [],
        message=f"{machine}: {carried(brought(changes))}\n\n{MACHINE}: {machine}\n",
        identity=identity(repository, machine),
        at=at,
    )
    if not move_head(repository, new, "wwt sync: commit"):
        return None
    update_index(repository.git, changes)
    return repository._replace(head=new)


def identity(repository: Repository, machine: str) -> str:
    """Return who commits: the person that git knows, else this machine."""
    name = repository.settings.get("user.name") or machine
    mail = repository.settings.get("user.email") or f"wwt@{machine}"
    plain = [re.sub(r"[<>\x00-\x1f]+", " ", text).strip() for text in (name, mail)]
    return f"{plain[0] or 'wwt'} <{plain[1]}>"


def brought(paths: Iterable[str]) -> dict[str, int]:
    """Count what files are: ``messages``, ``sessions`` (their notes), ``notes`` (all other Markdown), ``others``."""
    counts = {"messages": 0, "sessions": 0, "notes": 0, "others": 0}
    messages: set[str] = set()
    for path in paths:
        if event := belonging.event_of_path(path):
            messages.add(event)  # one that was moved has two paths
        elif re.match(rf"{layout.CONVERSATIONS}/\d{{4}}/", path) and belonging.is_note(path):
            counts["sessions"] += 1
        elif belonging.is_note(path):
            counts["notes"] += 1
        elif not path.startswith(f"{layout.REVISIONS}/"):
            counts["others"] += 1
    return counts | {"messages": len(messages)}
