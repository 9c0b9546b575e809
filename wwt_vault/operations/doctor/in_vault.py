"""Faults of the vault: what ``vault.check`` finds, and what programs beside ours have left lying in it."""

from __future__ import annotations

import os
import re
import stat
import time
import unicodedata
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Final

from wwt_vault.errors import VaultError, WwtError
from wwt_vault.model.conversation import EventId
from wwt_vault.operations.doctor.kinds import Finding
from wwt_vault.vault import check, event_places, events, files, layout, marks, relocating, sessions

if TYPE_CHECKING:
    from wwt_vault.model.conversation import Problem
    from wwt_vault.vault import Vault

__all__ = ["TEMPORARY", "in_vault", "untold"]

TEMPORARY: Final = ".tmp-"
"""How a file begins that is being written. ``.tmp-swap-`` may hold a person's words, see ``vault.files``."""
_OLD: Final = 24 * 60 * 60
_LOCKED_LONG: Final = 10 * 60
"""Seconds after which nobody can still be writing a file, or git be at work."""
_AHEAD: Final = timedelta(days=1)

# What sync programs make of a file that changed in two places; docs.syncthing.net/users/syncing, help.obsidian.md
# (Troubleshoot Obsidian Sync), help.dropbox.com (conflicted copy), docs.nextcloud.com (conflict file).
_COPIES: Final = {
    "wwt sync": re.compile(r" \(conflict (.* )?\d{4}-\d\d-\d\d( \d+)?\)(?=\.|$)"),
    "Syncthing": re.compile(r"\.sync-conflict-\d{8}-\d{6}(-[A-Z0-9]{7})?(?=\.|$)"),
    "Obsidian Sync": re.compile(r" \(Conflicted copy .+ \d{12}\)(?=\.|$)"),
    "Dropbox or Nextcloud": re.compile(r" ?\(.*(conflicted copy|case conflict|충돌).*\)(?=\.|$)", re.IGNORECASE),
    "Google Drive": re.compile(r"\[Conflict(ed)?\b.*\](?=\.|$)", re.IGNORECASE),
}
_NUMBERED: Final = re.compile(r"(.+) ([2-9])(\.\w+)")
"""iCloud Drive numbers its copies, and so do people: it is one only when it has the other's words."""
_ICLOUD: Final = re.compile(r"\.(.+)\.icloud")


def in_vault(vault: Vault, now: datetime) -> Iterator[Finding]:
    """Yield everything that is wrong in the vault."""
    report = check.check_vault(vault)
    left = list(_left_behind(vault))
    copies = {finding.path for finding in left if finding.kind == "conflict_copy"}
    yield from left
    yield from _checked(vault, [problem for problem in report.problems if problem.path not in copies])
    yield from _marks(vault)
    yield from _ahead(vault, now)
    yield from _elsewhere(vault)
    yield from _git(vault.root)
    if not os.access(vault.root / layout.DATA, os.W_OK):
        yield Finding("vault_read_only", "", 0, f"{vault.root} cannot be written: what is said waits in the queue")


def untold(vault: Vault, problems: list[Problem]) -> dict[tuple[str, str], list[EventId]]:
    """Return the events that stand in no session note, by the host and id of their session."""
    found: dict[tuple[str, str], list[EventId]] = {}
    for problem in problems:
        if problem.code == "not_in_session_note":
            event = EventId(problem.path.rpartition("/")[2].removesuffix(".json"))
            try:
                said = events.read_event(vault, event)
            except WwtError:
                continue  # told as damaged
            found.setdefault((said.host, said.session_id), []).append(event)
    return found


def _checked(vault: Vault, problems: list[Problem]) -> Iterator[Finding]:
    gone: set[str] = set()
    for (host, session), lost in untold(vault, problems).items():
        if sessions.find_session_note(vault, host, session) is None:
            gone.update(event_places.path_of(vault, event) for event in lost)
            message = f"the note of session {session} of {host} is gone; its {len(lost)} events are there"
            yield Finding("session_note_missing", layout.CONVERSATIONS, 0, message)
    for problem in problems:
        if problem.code != "not_in_session_note" or problem.path not in gone:
            yield Finding(problem.code, problem.path, problem.line, problem.message)


def _left_behind(vault: Vault) -> Iterator[Finding]:
    """Walk the whole folder, links not followed, Obsidian's and git's own folders left out."""
    known = {name for name in vars(layout).values() if isinstance(name, str) and name.startswith(f"{layout.DATA}/")}
    for place, folders, names in os.walk(vault.root):
        rel = Path(place).relative_to(vault.root).as_posix()
        folders[:] = [name for name in folders if name not in (".git", ".obsidian", ".trash")]
        for name in (*folders, *names):
            path = name if rel == "." else f"{rel}/{name}"
            is_file = name in names
            if os.path.islink(os.path.join(place, name)):  # noqa: PTH114, PTH118 - a hundred thousand of them
                message = "a symbolic link is never followed: put the file itself here"
                yield Finding("symbolic_link", path, 0, message)
            elif is_file and name.startswith(TEMPORARY):
                yield from _temporary(Path(place, name), path)
            elif is_file and (program := _copy_by(Path(place), name, names)):
                message = f"a copy that {program} made of a file that changed in two places: `wwt conflicts`"
                yield Finding("conflict_copy", path, 0, message)
            elif is_file and (hidden := _ICLOUD.fullmatch(name)):
                message = f"iCloud keeps {hidden[1]} elsewhere: let it download, or it cannot be found or checked"
                yield Finding("not_downloaded", path, 0, message)
            elif rel == layout.DATA and path not in known and name != ".gitignore":
                yield Finding("foreign_data", path, 0, "not ours, and nothing of ours reads it: move it out of here")
            if not name.isascii() and name != unicodedata.normalize("NFC", name):
                message = "its name is not in NFC: other systems may take it for another file; rename it in Obsidian"
                yield Finding("name_not_nfc", unicodedata.normalize("NFC", path), 0, message)


def _temporary(file: Path, path: str) -> Iterator[Finding]:
    try:
        found = file.lstat()
    except OSError:
        return  # it has its name by now
    if time.time() - found.st_mtime < _OLD or not stat.S_ISREG(found.st_mode):
        return
    if file.name.startswith(f"{TEMPORARY}swap-"):
        message = "left by a save that was cut off; it may hold words of yours: look, take them over, delete it"
        yield Finding("words_set_aside", path, 0, message)
    else:
        yield Finding("temporary_file", path, 0, "left by a write that was cut off, which was done again since")


def _copy_by(folder: Path, name: str, names: list[str]) -> str:
    """Return which program made this copy of another file, empty when it is none."""
    name = unicodedata.normalize("NFC", name)
    for program, pattern in _COPIES.items():
        if pattern.search(name):
            return program
    numbered = _NUMBERED.fullmatch(name)
    if numbered and (original := numbered[1] + numbered[3]) in names and _alike(folder / name, folder / original):
        return "iCloud Drive"
    return ""


def _alike(one: Path, other: Path) -> bool:
    """Tell whether most lines of the shorter file stand in the longer one."""
    try:
        lines = [
            {line.strip() for line in (files.read(path) or b"").splitlines() if line.strip(b"- \t")}
            for path in (one, other)
        ]
    except VaultError:
        return False
    return 2 * len(lines[0] & lines[1]) > min(map(len, lines))


def _marks(vault: Vault) -> Iterator[Finding]:
    folder = layout.inside(vault.root, layout.CURATED_MARKS, hidden=True)
    for name in sorted(files.names_in(folder)):
        if name.startswith(TEMPORARY):
            continue
        try:
            sound = name.endswith(".json") and marks.is_mark(files.read(folder / name) or b"")
        except VaultError:
            sound = False
        if not sound:
            message = "not a mark: the session counts as not curated until it is marked again; delete it"
            yield Finding("damaged_mark", f"{layout.CURATED_MARKS}/{name}", 0, message)


def _ahead(vault: Vault, now: datetime) -> Iterator[Finding]:
    """Yield events of a clock that went wrong: this machine's now, or another's then."""
    limit = now + _AHEAD
    for found in events.event_ids(vault, since=limit):
        if isinstance(found, str) and events.time_of(found) > limit:
            message = (
                f"it was said in the future, which is {events.time_of(found):%Y-%m-%d}: was a clock wrong, is this?"
            )
            yield Finding("event_in_future", event_places.path_of(vault, found), 0, message)


def _elsewhere(vault: Vault) -> Iterator[Finding]:
    """Yield the folders in which events lie and do not belong, once each."""
    folders = {path.split("/20")[0] for path in relocating.strays(vault)}
    for folder in sorted(folders):
        wanted = vault.settings.events_folder
        message = (
            f"events lie here, and belong into {wanted}: `wwt init {vault.root} --events-folder {wanted}` moves them"
        )
        yield Finding("events_elsewhere", folder, 0, message)


def _git(root: Path) -> Iterator[Finding]:
    """Look at git's files; git itself is not run: a repository may tell it to run anything."""
    folder = root / ".git"
    try:
        if folder.is_file():  # of a worktree or submodule
            folder = root / folder.read_text("utf-8", "replace").partition("gitdir:")[2].strip()
        age = time.time() - (folder / "index.lock").stat().st_mtime
    except OSError:
        age = 0.0
    if age > _LOCKED_LONG:
        since = datetime.now(UTC) - timedelta(seconds=age)
        message = f"git has been locked since {since:%Y-%m-%d %H:%M}Z: if no git runs here, delete this file"
        yield Finding("git_lock", ".git/index.lock", 0, message)
    for name in ("MERGE_HEAD", "rebase-merge", "rebase-apply", "CHERRY_PICK_HEAD", "REVERT_HEAD"):
        if (folder / name).exists():
            message = "a merge was begun and not ended: resolve what conflicts, then `git commit`, or take it back"
            yield Finding("git_unmerged", f".git/{name}", 0, message)
