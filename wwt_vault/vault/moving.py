"""A note goes to another folder or gets another name: its id stays, and the links to it follow.

The file is renamed first, never over another, then the links in all other files are changed, each by its target alone.
Killed in between, some links still have the old target; ``follow_renames`` finds them by what the saves of the note say
of where it lay. It does the same for a note that somebody renamed outside of Obsidian, which follows its own renames.
"""

from __future__ import annotations

import re
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from wwt_vault import markdown
from wwt_vault.errors import BadArgument, EventConflict, PathEscapes, StaleRevision, WwtError
from wwt_vault.markdown.relink import relinked
from wwt_vault.model.conversation import DocumentId
from wwt_vault.vault import files, layout, listing, lookup, ondisk, places, refusals, revisions, rewriting
from wwt_vault.vault.rewriting import Why

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime
    from pathlib import Path

    from wwt_vault.markdown.relink import New
    from wwt_vault.vault import Vault
    from wwt_vault.vault.ondisk import OnDisk

__all__ = ["Moved", "follow_renames", "move_note", "renamed_notes"]

_LOCK_SECONDS = 10.0
_TRIES = 5  # of a change to a file that a person happens to be typing in
_ENCODED = re.compile(r"\]\(<?[^)\s]*%[0-9a-f]{2}")  # a Markdown link whose target may be the name in disguise
_FOR_ALL = (*lookup.CURATED_TYPES, lookup.SOURCE)


class Moved(NamedTuple):
    """What a move did."""

    path: DocumentId
    was: DocumentId
    links: tuple[DocumentId, ...]
    """Files whose links were changed."""
    left: tuple[DocumentId, ...]
    """Files that have links to the note and were left alone: locked, session notes, in conflict, not UTF-8."""


class _Names(NamedTuple):
    """All notes by name, before and after."""

    before: Mapping[str, list[DocumentId]]
    after: Mapping[str, list[DocumentId]]


def move_note(vault: Vault, ref: str, to: str | None = None, *, written_by: str, at: datetime, locks: Path) -> Moved:
    """Move a curated note or a source at a person's wish.

    ``to`` is a folder of the vault (it is there, or ends in ``/``), a path, or a title for a note that stays in its
    folder; without it the note goes to the folder of its type. Nothing happens when it lies there already.

    Raises ``NoteExists`` for a name that is taken anywhere in the vault, ``Locked``, ``HumanConflict`` for what is
    neither a curated note nor a source or has to be mended first, ``BadName``, ``PathEscapes``, ``NotFound``,
    ``Ambiguous``, ``LockTimeout``, ``VaultError``.
    """
    with files.lock(locks / "notes", _LOCK_SECONDS):
        known = lookup.names(vault)
        there = ondisk.load(vault, lookup.find_note(vault, ref, known))
        refusals.check_unlocked(there)
        refusals.check_changeable(there, _FOR_ALL)
        target = _target(vault, there, to)
        if target == there.path:
            return Moved(target, target, (), ())
        name = target.rpartition("/")[2][:-3]
        taken = [path for path in known.get(layout.name_key(name), ()) if path != there.path]
        if taken:
            raise refusals.exists(vault, taken[0], name)
        try:
            files.move(there.file, layout.inside(vault.root, target))
        except EventConflict as error:
            raise refusals.exists(vault, target, name) from error
        why = Why(written_by, at, f"moved from {there.path}")
        return _follow(vault, there.path, target, why)


def renamed_notes(vault: Vault) -> dict[DocumentId, DocumentId]:
    """Return where notes lie now that lay elsewhere when they were last saved, by the old path.

    Reads the properties of all notes and one record of each: for repairs, not for every day.
    """
    found: dict[DocumentId, DocumentId] = {}
    for head in lookup.list_notes(vault):
        last = revisions.last(vault, head.id) if head.id else None
        was = DocumentId(last.path) if last and last.path else head.path
        with suppress(WwtError):  # a path in a record that leads out of the vault
            if was != head.path and not layout.inside(vault.root, was).exists():
                found[was] = head.path
    return found


def follow_renames(vault: Vault, *, written_by: str, at: datetime, locks: Path) -> list[Moved]:
    """Change the links to notes that were renamed outside of Obsidian, or whose move was cut off."""
    with files.lock(locks / "notes", _LOCK_SECONDS):
        moved = []
        for was, path in renamed_notes(vault).items():
            why = Why(written_by, at, f"moved from {was}")
            moved.append(_follow(vault, was, path, why))
        return moved


def _target(vault: Vault, there: OnDisk, to: str | None) -> DocumentId:
    name = there.path.rpartition("/")[2]
    if to is None:
        kind = markdown.string(there.properties.values, "type") or "topic"
        return DocumentId(f"{places.FOLDERS[kind]}/{name}")
    wanted = to.strip()
    if not wanted.strip("/ "):
        raise BadArgument("give a folder of the vault, a path or a title to move the note to", argument="to")
    if wanted.endswith("/") or (not wanted.lower().endswith(".md") and _is_folder(vault, wanted)):
        wanted = f"{wanted.strip('/')}/{name}"
    elif "/" not in wanted:
        wanted = "/".join([*there.path.split("/")[:-1], wanted])
    return places.checked_path(vault, wanted)


def _is_folder(vault: Vault, wanted: str) -> bool:
    try:
        return layout.inside(vault.root, wanted).is_dir()
    except PathEscapes:
        return False  # the path is looked at, and refused, as a whole


def _follow(vault: Vault, was: DocumentId, now: DocumentId, why: Why) -> Moved:
    names = _names(vault, was, now)
    following = why._replace(reason=f"{was} is {now} now")
    changed: list[DocumentId] = []
    left: list[DocumentId] = []
    needles = [path[:-3].rpartition("/")[2].casefold() for path in (was, now)]
    # The note itself comes last: until it is recorded under its new path, the links are known to be unfinished.
    for path, *_ in sorted(listing.markdown_files(vault.root), key=lambda found: (found[0] == now, found[0])):
        if path != now and not _mentions(layout.inside(vault.root, path), needles):
            continue
        for _ in range(_TRIES):
            there = ondisk.load(vault, path)
            own = was if path == now else path
            after = relinked(
                there.parts.join(),
                own.rpartition("/")[0],
                _new_target(names, was, now, own, path),
                folder_after=path.rpartition("/")[0],
            )
            if after is not None and after.encode() == there.data:
                break
            if after is None or not rewriting.may_change(there):
                left.append(path)
                break
            with suppress(StaleRevision):  # a person typed something in this moment: look again
                rewriting.rewrite(vault, there, after.encode(), following)
                changed.append(path)
                break
        else:
            left.append(path)
    there = ondisk.load(vault, now)
    if rewriting.is_as_written(vault, there):
        rewriting.record(vault, there, there.revision, why)
    return Moved(now, was, tuple(changed), tuple(left))


def _names(vault: Vault, was: DocumentId, now: DocumentId) -> _Names:
    """Return all notes by name, before and after one of them moved."""
    after = lookup.names(vault)
    old, new = (layout.name_key(path[:-3].rpartition("/")[2]) for path in (was, now))
    changed = {key: [path for path in after.get(key, ()) if path != now] for key in (old, new)}
    changed[old] = sorted([*changed[old], was])
    before = {key: found for key in after if (found := after.get(key))}
    return _Names({**before, **changed}, after)


def _mentions(file: Path, needles: list[str]) -> bool:
    """Return whether a file has one of the names: to look for it costs a hundredth of looking for links."""
    text = (files.read(file) or b"").decode("utf-8", "replace").casefold()
    return any(needle in text for needle in needles) or bool(_ENCODED.search(text))


def _new_target(names: _Names, was: DocumentId, now: DocumentId, own: DocumentId, path: DocumentId) -> New:
    """Return what a link in a file becomes, which lay at ``own`` and lies at ``path``."""
    keys = {layout.name_key(note[:-3].rpartition("/")[2]) for note in (was, now)}

    def new(target: str, is_wikilink: bool) -> str | None:
        key = layout.name_key(target.rpartition("/")[2].removesuffix(".md"))
        if not is_wikilink:
            if layout.name_key(target) == layout.name_key(was):
                return now
            return target if own != path and target in names.before.get(key, ()) else None
        if key not in keys and own == path:
            return None
        led = lookup.resolve_link(f"[[{target}]]", own, names.before)
        wanted = now if led == was else led
        if wanted is None or lookup.resolve_link(f"[[{target}]]", path, names.after) == wanted:
            return None
        return lookup.link_to(wanted, names.after)[2:-2]

    return new
