"""Two histories of a vault in one: for every file what it is to be, worked out from what both sides changed.

Nothing is written here. Files are matched by path, and where one side moved a note, by what it is (its bytes, its id,
its session) or by a name that differs by case or form alone. A file that one side changed and the other deleted stays.
What the other side has and no vault of ours may hold (links, programs, files that are too big) stays in git and is
never written.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import NamedTuple

from wwt_vault.errors import FormatTooNew, SyncRefused, WwtError
from wwt_vault.sync import belonging, contents, linking, recording
from wwt_vault.sync.local import MACHINE, Withheld, lies_elsewhere
from wwt_vault.sync.objects import Blobs, Change, blob_id, differences, empty_tree, sizes
from wwt_vault.sync.renames import renames
from wwt_vault.sync.repository import Entry, Repository
from wwt_vault.sync.spelling import Spelling, one_spelling
from wwt_vault.vault import FORMAT, Vault, copies, files, layout

__all__ = ["Conflict", "Joined", "Target", "join", "settle"]


class Target(NamedTuple):
    """What becomes of one file of the vault."""

    before: str | None
    """Id of the blob that this side's commit has; ``None`` when it has no such file."""
    data: bytes | None = None
    """Bytes that are to be there, unless ``oid`` has them."""
    oid: str | None = None
    """Id of their blob, when the other side has it. Neither: the file goes."""


class Conflict(NamedTuple):
    """A file that both sides changed, and that cannot be one."""

    path: str
    copy: str
    """Where the other side's version lies."""


class Joined(NamedTuple):
    """What both histories come to."""

    targets: Mapping[str, Target]
    """Every file that is to change in the vault of this side."""
    carried: Mapping[str, Entry | None]
    """What changes in git alone."""
    theirs: frozenset[str]
    """Every path that the other side changed."""
    as_theirs: bool
    """Whether the result is just what the other side has."""
    conflicts: tuple[Conflict, ...] = ()
    withheld: tuple[Withheld, ...] = ()
    notes: tuple[str, ...] = ()
    """For the person: what was decided against one side."""


class _Versions(NamedTuple):
    """A file that both sides have."""

    base: Entry | None
    mine: Entry | None
    theirs: Entry | None
    before: Entry | None
    """What this side's commit has at the place where the file is to be."""
    name: str
    """Its path on the other side."""


class _Work:
    """A join on its way."""

    def __init__(
        self, vault: Vault, repository: Repository, blobs: Blobs, *, theirs: str, at: datetime, base: str
    ) -> None:
        self.vault, self.repository, self.blobs, self.theirs, self.at = vault, repository, blobs, theirs, at
        head = repository.head
        self.there = differences(repository.git, base, theirs)
        self.here: Mapping[str, Change] = differences(repository.git, base, head) if head and head != base else {}
        self.added = {path.rpartition("/")[0] for path, change in self.there.items() if change.after}
        found = (belonging.event_of_path(path) for path, change in self.there.items() if change.after)
        self.events = {event for event in found if event is not None}
        self.targets: dict[str, Target] = {}
        self.carried: dict[str, Entry | None] = {}
        self.conflicts: list[Conflict] = []
        self.withheld: list[Withheld] = []
        self.notes: list[str] = []
        self.spelling = Spelling(vault.root)
        self.done: set[str] = set()
        places = {} if self.here else one_spelling(_files(repository, theirs))
        self.verbatim = not self.here and all(place == belonging.logical(path) for path, place in places.items())
        """Whether all that the other side has is taken with its names: this side has nothing to say to them."""

    def bytes_of(self, entry: Entry | None) -> bytes | None:
        return self.blobs.read(entry.oid) if entry is not None and entry.is_file else None


def join(vault: Vault, repository: Repository, base: str | None, theirs: str, at: datetime) -> Joined:
    """Join ``theirs`` into the commit that is checked out; ``base`` is what both grew from, ``None`` for nothing.

    Raises ``SyncRefused`` (``hostile``, ``file_and_folder``), ``FormatTooNew``, ``SyncFailed``.
    """
    git = repository.git
    root = base or empty_tree(repository.hash_name)
    with Blobs(git) as blobs:
        work = _Work(vault, repository, blobs, theirs=theirs, at=at, base=root)
        _refuse_hostile(work.there, repository.url)
        _refuse_newer(work)
        there = work.there
        big = sizes(git, (change.after.oid for change in there.values() if change.after and change.after.is_file))
        sides, read = ((work.here, there), (there, work.here)), work.bytes_of
        moved = renames(*sides[0], read, repository.hash_name), renames(*sides[1], read, repository.hash_name)
        for path, change in sorted(there.items(), key=lambda item: (item[1].after is not None, item[0])):
            mine = work.here.get(path)
            if path in work.done:
                continue
            if not belonging.belongs(path) or any(entry and not entry.is_file for entry in change):
                _carry(work, path, change, mine)
            elif change.after is not None and big.get(change.after.oid, 0) > belonging.MAX_BYTES:
                message = f"{path} has over {belonging.MAX_BYTES >> 20} MB: it stays in git and is not written."
                work.withheld.append(Withheld(path, "too_big", message))
                _carry(work, path, change, mine, silent=True)
            elif change.after is not None and big.get(change.after.oid, 0) < 1024 and _is_pointer(work, path, change):
                message = f"{path} is kept by Git LFS: get it with `git lfs pull`."
                work.withheld.append(Withheld(path, "lfs", message))
                _carry(work, path, change, mine, silent=True)
            elif change.after is None:
                _gone_there(work, path, change, moved)
            elif mine is not None and mine.after is None and path in moved[0]:
                there_now = work.here[moved[0][path]].after
                _both(work, moved[0][path], _Versions(change.before, there_now, change.after, there_now, path))
            else:
                _come(work, path, change, mine)
    return Joined(
        targets=work.targets,
        carried=work.carried,
        theirs=frozenset(work.there),
        as_theirs=not work.here and _is_theirs(work),
        conflicts=tuple(work.conflicts),
        withheld=tuple(work.withheld),
        notes=tuple(work.notes),
    )


def settle(vault: Vault, repository: Repository, at: datetime) -> Joined | None:
    """Return what becomes of names in the commit that is checked out that some file systems take for one.

    They become one name (``spelling.one_spelling``): two files are merged as two sides are, or one becomes a copy.
    ``None`` where there are none. Files that are not now as the commit has them, if they are here at all, wait.
    """
    head = repository.head
    if head is None:
        return None
    entries = _files(repository, head)
    places = one_spelling(entries)
    groups: dict[str, list[str]] = {}
    for path, place in places.items():
        groups.setdefault(place, []).append(path)
    unlike = {
        place: paths
        for place, paths in groups.items()
        if paths != [place] and all(_at_rest(vault, repository, path, entries[path]) for path in paths)
    }
    if not unlike:
        return None
    with Blobs(repository.git) as blobs:
        work = _Work(vault, repository, blobs, theirs=head, at=at, base=head)
        for place, paths in sorted(unlike.items()):
            one, *others = sorted(paths, key=lambda path: (path != place, path))
            # also where it stays as it is: some disks hold both names as one file, and would delete it with the other
            work.targets[place] = Target(_oid(entries.get(place)), oid=entries[one].oid)
            for other in others:
                _both(work, place, _Versions(None, entries[one], entries[other], entries.get(place), other))
            for path in {*paths} - {place}:
                work.targets[path] = Target(entries[path].oid)
                work.notes.append(f"{path} differs from {place} by case or form alone: it is {place} now.")
    return Joined(work.targets, {}, frozenset(), False, tuple(work.conflicts), notes=tuple(sorted(work.notes)))


def _at_rest(vault: Vault, repository: Repository, path: str, entry: Entry) -> bool:
    try:
        data = files.read(layout.inside(vault.root, path))
    except WwtError:
        return False
    return data is not None and blob_id(data, repository.hash_name) == entry.oid


def _files(repository: Repository, commit: str) -> dict[str, Entry]:
    """Return the files of a commit that may get another name."""
    listed = repository.git.run("ls-tree", "-r", "-z", commit).decode("utf-8", "surrogateescape")
    found: dict[str, Entry] = {}
    for line in listed.split("\0")[:-1]:
        words, _, path = line.partition("\t")
        mode, _, oid = words.split(" ")
        entry = Entry(mode, oid)
        if not path.startswith(".") and entry.is_file and belonging.belongs(path):
            found[path] = entry
    return found


def _is_pointer(work: _Work, path: str, change: Change) -> bool:
    return not belonging.is_note(path) and belonging.is_pointer(work.bytes_of(change.after) or b"")


def _is_theirs(work: _Work) -> bool:
    """Return whether what was worked out is their tree, byte for byte."""
    if work.targets.keys() | work.carried.keys() != work.there.keys():
        return False
    return all(
        (work.carried[path] == change.after)
        if path in work.carried
        else _becomes(work, work.targets[path]) == _oid(change.after)
        for path, change in work.there.items()
    )


def _becomes(work: _Work, target: Target) -> str | None:
    """Return the id of the blob that a target's file becomes; ``None`` when it goes."""
    return target.oid if target.data is None else blob_id(target.data, work.repository.hash_name)


def _refuse_hostile(there: Mapping[str, Change], url: str) -> None:
    bad = sorted(path for path, change in there.items() if change.after and belonging.is_hostile(path))
    if bad:
        shown = ascii(bad[0])
        message = (
            f"The other side ({url}) has a file at {shown}, which no program would put there: it may have been made to "
            f"break out of the vault. Nothing was changed."
        )
        raise SyncRefused(message, reason="hostile", path=shown)


def _refuse_newer(work: _Work) -> None:
    change = work.there.get(layout.VAULT_FILE)
    data = work.bytes_of(change.after) if change else None
    try:
        version = int(json.loads(data or b"{}").get("format", 0))
    except (ValueError, TypeError, AttributeError, OverflowError, RecursionError):
        return
    if version > FORMAT:
        message = f"The vault on the other side has format {version}; this program knows up to {FORMAT}. Update it."
        raise FormatTooNew(message, format=version)


def _carry(work: _Work, path: str, change: Change, mine: Change | None, *, silent: bool = False) -> None:
    """Take a change into git and not into the vault."""
    if mine is not None and mine.after != change.after:
        if not silent:
            work.notes.append(f"{path} differs on both sides and is none of a vault's: merge it with git.")
        return
    if change.before is not None and change.before.is_file and belonging.belongs(path) and change.after is not None:
        work.notes.append(f"{path} is something else than a file on the other side: it stays the file that it was.")
        return
    work.carried[path] = change.after
    if change.after is None or silent:
        return
    what = {"120000": "a symbolic link", "160000": "another repository"}.get(
        change.after.mode, "none of a vault's files"
    )
    reason = "not_a_vaults" if change.after.is_file else "link"
    work.withheld.append(Withheld(path, reason, f"{path} is {what}: it stays in git and is not written."))


def _gone_there(work: _Work, path: str, change: Change, moved: tuple[Mapping[str, str], Mapping[str, str]]) -> None:
    """The other side deleted or moved a file; ``moved`` is where this side and the other moved files."""
    mine = work.here.get(path)
    if mine is None:
        moved_event = belonging.event_of_path(path) in work.events or lies_elsewhere(work.vault, path)
        if not belonging.is_protected(path, work.added) or moved_event:
            work.targets[path] = Target(_oid(change.before))
        return
    ours, new = (side.get(path) for side in moved)
    if mine.after is None:
        if ours is not None and new is not None and ours != new:  # both moved it, each to another place
            work.done.add(new)
            there_now = work.here[ours].after
            _both(work, ours, _Versions(change.before, there_now, work.there[new].after, there_now, new))
    elif new is not None:
        work.done.add(new)
        place = work.spelling.place(new)
        if place == path:  # only its spelling changed
            place = belonging.logical(new)
        before = work.here[place].after if place in work.here else _there_now(work, place)
        if before is None:
            work.targets[path] = Target(_oid(mine.after))
        else:  # another file of this side has that name: the one that was moved there stays where it is
            place, before = path, mine.after
        versions = _Versions(change.before, mine.after, work.there[new].after, before, new)
        _both(work, place, versions, moved=place != path)
    else:
        work.notes.append(f"{path} was deleted on one side and changed on the other: it stays.")


def _come(work: _Work, path: str, change: Change, mine: Change | None) -> None:
    """The other side added or changed a file."""
    place = work.spelling.place(path) if change.before is None and not work.verbatim else path
    taken = work.targets.get(place)
    if taken is not None and change.before is None:
        if taken.data is None and taken.oid is None:  # it got another spelling there
            place = work.spelling.respelled(path, lambda folder: _stays(work, folder))
        else:  # two of theirs that some file systems take for one
            used = {*work.targets, *work.spelling.near(place)}
            place = copies.copy_name(place, *_machine_of(work, path), used)
            work.notes.append(f"{path} has the name of another file but for case or form: it became {place}.")
    elif place != path:
        mine = Change(None, _there_now(work, place))
    if mine is None and change.before is not None and belonging.event_of_path(path):
        _both(work, path, _Versions(change.before, change.before, change.after, change.before, path))
    elif mine is None or mine.after is None:
        if mine is not None and change.before is not None:
            work.notes.append(f"{path} was deleted on one side and changed on the other: it stays.")
        before = _oid(change.before) if mine is None and place == path else None
        work.targets[place] = Target(before, oid=_oid(change.after))
    elif mine.after.oid != _oid(change.after):
        _both(work, place, _Versions(change.before, mine.after, change.after, mine.after, path))


def _stays(work: _Work, folder: str) -> bool:
    """Return whether a folder of this side still holds something when the other side's deletions are done."""
    listed = work.repository.git.run("ls-tree", "-r", "-z", "--name-only", "HEAD", "--", f"{folder}/")
    there = (work.there.get(path) for path in listed.decode("utf-8", "surrogateescape").split("\0") if path)
    return any(change is None or change.after is not None for change in there)


def _both(work: _Work, path: str, versions: _Versions, *, moved: bool = False) -> None:
    """Both sides have a file, each its own: merge them into ``path``, to which this side's is ``moved``."""
    one, other = work.bytes_of(versions.mine), work.bytes_of(versions.theirs)
    earlier = work.targets.get(path)
    if earlier is not None and earlier.data is not None:  # two of their files come together in this one
        one = earlier.data
    if one is None or other is None:  # a link in the place of a file: what this side has stays
        return
    merged = contents.merge(path, work.bytes_of(versions.base), one, other)
    data = merged.data
    if merged.copy:
        machine, date = _machine_of(work, versions.name)
        copy = _existing_copy(work, path, other)
        if copy is None:
            copy = copies.copy_name(path, machine, date, {*work.targets, *work.spelling.near(path)})
            work.targets[copy] = Target(None, data=other)
        work.conflicts.append(Conflict(path, copy))
        data = linking.with_copy(path, data, copy)
    if merged.left:
        work.notes.append(f"{path} is set otherwise on the other side ({work.theirs[:12]}): this side's stays.")
    elif data not in (one, other):
        record = recording.merged_save(path, (one, other, data), _revision_names(work, one), work.at)
        work.targets |= {place: Target(None, data=written) for place, written in record.items()}
    if data != one or moved or versions.before != versions.mine:
        work.targets[path] = Target(_oid(versions.before), data=data)


def _revision_names(work: _Work, note: bytes) -> list[str]:
    """Return the names of all files that are kept of a note's revisions, on either side."""
    folder = recording.folder_of(note)
    if folder is None:
        return []
    place = layout.inside(work.vault.root, folder, hidden=True)
    theirs = [
        path.rpartition("/")[2] for path, change in work.there.items() if path.startswith(f"{folder}/") and change.after
    ]
    return [*files.names_in(place), *theirs]


def _existing_copy(work: _Work, path: str, data: bytes) -> str | None:
    """Return the copy of an earlier, interrupted join that has these bytes."""
    for name in work.spelling.near(path):
        if copies.original_of(name) == path and files.read(work.vault.root / name) == data:
            return name
    return next((name for name, found in work.targets.items() if found.data == data and copies.original_of(name)), None)


def _machine_of(work: _Work, path: str) -> tuple[str, str]:
    """Return the machine and the local date of the other side's last change of a file."""
    form = f"%(trailers:key={MACHINE},valueonly,separator=)%x00%an%x00%cI"
    found = work.repository.git.run("log", "-1", f"--format={form}", work.theirs, "--", path)
    parts = found.decode("utf-8", "replace").strip("\n").split("\0")
    if len(parts) != 3:
        return "elsewhere", work.at.astimezone(work.vault.zone).date().isoformat()
    date = datetime.fromisoformat(parts[2]).astimezone(work.vault.zone).date()
    return parts[0].strip() or parts[1].strip() or "elsewhere", date.isoformat()


def _there_now(work: _Work, place: str) -> Entry | None:
    """Return what this side's commit has at a path that the other side spells otherwise."""
    if work.repository.head is None:
        return None
    found = work.repository.git.run("ls-tree", "-z", "HEAD", "--", place).decode("utf-8", "surrogateescape")
    words = found.partition("\t")[0].split(" ")
    return Entry(words[0], words[2]) if len(words) == 3 else None


def _oid(entry: Entry | None) -> str | None:
    return entry.oid if entry is not None else None
