"""Why a save is refused, with what the writer needs to do better: identity, revision, diff, the lines of both sides."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from wwt_vault import markdown
from wwt_vault.errors import HumanConflict, Locked, NoteExists, NotFound, StaleRevision, WwtError
from wwt_vault.model.conversation import DocumentId
from wwt_vault.vault import lookup, ondisk, revisions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wwt_vault.markdown.merge import Conflict
    from wwt_vault.vault import Vault
    from wwt_vault.vault.ondisk import OnDisk

__all__ = [
    "check_changeable",
    "check_revision",
    "check_single",
    "check_unlocked",
    "diff",
    "exists",
    "moved",
    "person_changed",
    "stale",
]

MAX_DIFF = 200
"""Lines of a diff in a refusal."""
_COMPARED = 4000  # lines: difflib takes time with the square of that


def check_unlocked(there: OnDisk) -> None:
    """Raise ``Locked`` for a note that only a person changes."""
    if markdown.flag(there.properties.values, "locked"):
        raise Locked(f"{there.path} is locked: only a person changes it. Nothing was written.", **there.identity)


def check_revision(vault: Vault, there: OnDisk, revision: str, proposed: str) -> None:
    """Raise ``StaleRevision`` unless ``revision``, whole or 12 and more digits of it, is the one that is there."""
    if revision != there.revision and not (len(revision) >= 12 and there.revision.startswith(revision)):
        raise stale(vault, there, revision, proposed)


def check_single(vault: Vault, there: OnDisk) -> None:
    """Raise ``HumanConflict`` for a copy of a note, which has its id: one history cannot be that of two notes."""
    last = revisions.last(vault, there.id) if there.id else None
    if last is None or last.path in (None, there.path):
        return
    try:
        other = ondisk.load(vault, DocumentId(last.path))
    except (WwtError, OSError):
        return  # moved, and this is it
    if other.id == there.id:
        message = (
            f"{there.path} and {other.path} have the same id {there.id}: one is a copy. A person has to delete the "
            f"line `id:` in the copy, which then gets an id of its own, or the copy. Nothing was written."
        )
        raise HumanConflict(message, **there.identity, candidates=[there.path, other.path])


def check_changeable(there: OnDisk, types: Sequence[str] = lookup.CURATED_TYPES) -> None:
    """Raise ``HumanConflict`` for what only a person can put right, or a note of none of ``types``."""
    reason = ""
    if there.properties.broken:
        reason = f"line {there.properties.problems[0].line}: {there.properties.problems[0].message}"
    elif there.parts.join().encode() != there.data:
        reason = "it is not UTF-8"
    elif (line := markdown.conflict_line(markdown.parse(there.parts.body, there.first_line))) is not None:
        reason = f"an unresolved git conflict begins in line {line}"
    elif (kind := markdown.string(there.properties.values, "type")) not in types:
        reason = "it is a page of the person's, not a curated note; a property `type: topic` would make it one"
        if lookup.SOURCE in (kind, *types):
            reason = f"its type is {kind}, not {' or '.join(types)}"
    elif there.id is None and markdown.string(there.properties.values, "id"):
        reason = "its id may have letters, digits, - and _ only, at most 100 of them"
    if reason:
        message = f"{there.path} has to be mended by a person first: {reason}. Nothing was written."
        raise HumanConflict(message, **there.identity)


def exists(vault: Vault, path: DocumentId, name: str) -> NoteExists:
    """Return the refusal of a new note whose name is taken by the one at ``path``."""
    there = ondisk.load(vault, path)
    message = (
        f"{path} has this name already (case and Unicode form do not tell names apart): read it and save with its "
        f"revision {there.revision[:12]}, or choose another title than {name!r}. Nothing was written."
    )
    return NoteExists(message, **there.identity)


def moved(vault: Vault, note: str, revision: str) -> NotFound | None:
    """Return the refusal of a change to a note that is no longer called so, naming it as it is now called."""
    owner = revisions.owner(vault, revision)
    now = lookup.with_id(vault, owner) if owner else []
    if len(now) != 1:
        return None
    there = ondisk.load(vault, now[0])
    message = (
        f"there is no note {note[:200]!r}: the one with revision {revision[:12]} is {there.path} now. Save that one, "
        f"with its revision {there.revision[:12]}. Nothing was written."
    )
    return NotFound(message, **there.identity, note=note[:200], similar=[there.path])


def stale(vault: Vault, there: OnDisk, revision: str, proposed: str) -> StaleRevision:
    """Show what has changed since the revision that was read or, if that is not kept, what the proposal changes."""
    kept = revisions.kept(vault, there.id, revision) if there.id else None
    owner = revisions.owner(vault, revision) if kept is None else None
    others = lookup.with_id(vault, owner) if owner and owner != there.id else []
    before = kept.decode("utf-8", "replace") if kept is not None else there.parts.join()
    after = there.parts.join() if kept is not None else there.parts.head + proposed
    names = (f"{revision[:12]} (read)", f"{there.revision[:12]} (now)")
    if kept is None:
        names = (f"{there.revision[:12]} (now)", "proposed")
    message = (
        f"{there.path} is at revision {there.revision[:12]} now, not at {revision[:12]!r}: read it again, bring both "
        f"together, save with the new revision. Nothing was written."
    )
    data: dict[str, str | None] = {**there.identity, "diff": diff(before, after, *names)}
    if others:
        message = (
            f"{revision[:12]!r} is a revision of {others[0]}, not of {there.path}: read the note you mean to change "
            f"and save with its own revision. Nothing was written."
        )
        data["revision_of"] = others[0]
    return StaleRevision(message, **data)


def person_changed(there: OnDisk, conflicts: Sequence[Conflict]) -> HumanConflict:
    """Return the refusal of a text that changes what a person wrote since this program wrote last.

    ``conflicts`` have the person's side as the first, lines counted in the file, the proposal's as the other.
    """
    shown = []
    for conflict in conflicts[:10]:
        where = f" ({conflict.where})" if conflict.where else ""
        theirs = " / ".join(line for line in conflict.one if line.strip())[:300] or "(deleted)"
        yours = " / ".join(line for line in conflict.other if line.strip())[:300] or "(left out)"
        shown.append(f"line {conflict.one_line}{where}: theirs {theirs!r}, yours {yours!r}")
    more = f"; and {len(conflicts) - 10} more" if len(conflicts) > 10 else ""
    message = (
        f"A person changed {there.path} since it was last saved, and this would undo it: {'; '.join(shown)}{more}. "
        f"Keep their lines as they are and put yours beside them, or ask the person. Nothing was written."
    )
    data = [
        {
            "where": conflict.where,
            "person": {"line": conflict.one_line, "lines": list(conflict.one)},
            "proposed": {"line": conflict.other_line, "lines": list(conflict.other)},
        }
        for conflict in conflicts
    ]
    return HumanConflict(message, **there.identity, conflicts=data)


def diff(before: str, after: str, old_name: str, new_name: str, limit: int | None = MAX_DIFF) -> str:
    """Return the unified diff of two texts, at most ``limit`` lines of it."""
    olds, news = before.splitlines(), after.splitlines()
    if limit and len(olds) + len(news) > _COMPARED:
        return "(too long to compare)"
    lines = list(difflib.unified_diff(olds, news, old_name, new_name, lineterm=""))
    more = [f"({len(lines) - limit} more lines)"] if limit and len(lines) > limit else []
    return "\n".join(lines[:limit] + more)
