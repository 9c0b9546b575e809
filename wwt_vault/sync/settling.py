"""Two versions of one file that lie beside one another become one again: merged, or one of them chosen.

Of a copy nobody knows what both versions grew from. Lines and properties that both have are taken for that, so a merge
never takes a line out that only one of them has. A version that gives way goes into Obsidian's trash, and that of a
note with an id among its revisions.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import datetime
from difflib import SequenceMatcher
from pathlib import Path
from typing import Final, NamedTuple

from wwt_vault import markdown
from wwt_vault.errors import BadArgument, HumanConflict, NotFound
from wwt_vault.markdown.merge import merge_notes
from wwt_vault.model.conversation import DocumentId
from wwt_vault.sync import contents, linking, session_notes
from wwt_vault.sync.applying import Hold
from wwt_vault.vault import Vault, copies, files, layout, listing, lookup, revisions

__all__ = ["Found", "find", "keep", "merge"]

_LOCK_SECONDS: Final = 10.0
_TRASH: Final = ".trash"
"""Where Obsidian puts what was deleted, if told to keep that in the vault; never indexed nor synced."""


class Found(NamedTuple):
    """A copy, its original, and what is to be said of the two."""

    path: str
    original: str
    same: bool
    """Whether both say the same."""
    mergeable: bool
    """Whether they can be merged without choosing between lines."""
    only_copy: tuple[str, ...]
    """Lines that only the copy has."""
    only_original: tuple[str, ...]


def find(vault: Vault) -> list[Found]:
    """Return every copy that some sync left, by path."""
    pairs = {copy.path: copy.original for copy in copies.find_copies(vault.root)}
    for path, original in _numbered(vault):
        pairs.setdefault(path, original)
    return [_compared(vault, path, original) for path, original in sorted(pairs.items())]


def _numbered(vault: Vault) -> Iterator[tuple[str, str]]:
    """Yield ``Note 2.md`` and ``Note (1).md`` beside ``Note.md`` where both are one note or session by their ids."""
    places: dict[str, str] = {path: place for path, place, _ in listing.markdown_files(vault.root)}
    for path in places:
        original = copies.numbered_original(path)
        if original in places:
            texts = [lookup.first_bytes(places[name]).decode("utf-8", "replace") for name in (path, original)]
            ids = [_identity(text) for text in texts]
            if ids[0] is not None and ids[0] == ids[1]:
                yield path, original


def _identity(text: str) -> object:
    values = markdown.read_frontmatter(markdown.split(text), "").values
    return session_notes.identity(text) or lookup.note_id(values)


def _compared(vault: Vault, path: str, original: str) -> Found:
    copy, there = (files.read(layout.inside(vault.root, name)) or b"" for name in (path, original))
    plain = linking.without_copy(original, there, path)
    merged = _merged(original, plain, copy)
    lines = [data.decode("utf-8", "replace").splitlines() for data in (copy, plain)]
    text = b"\0" not in copy + plain
    return Found(
        path=path,
        original=original,
        same=copy == plain,
        mergeable=merged is not None,
        only_copy=tuple(line for line in lines[0] if text and line.strip() and line not in lines[1]),
        only_original=tuple(line for line in lines[1] if text and line.strip() and line not in lines[0]),
    )


def merge(vault: Vault, copy: str, *, locks: Path, hold: Hold, at: datetime) -> str:
    """Put what only a copy says into its original, and the copy into the trash; return the original's path.

    Raises ``NotFound`` for what is no copy, ``HumanConflict`` with the lines where both say something else,
    ``StaleRevision`` when somebody wrote meanwhile, ``LockTimeout``, ``VaultReadOnly``, ``VaultError``.
    """
    found = _of(vault, copy)
    with files.lock(locks / "notes", _LOCK_SECONDS), ExitStack() as stack:
        there, data = _read_both(vault, found, hold, stack)
        plain = linking.without_copy(found.original, there, found.path)
        merged = _merged(found.original, plain, data)
        if merged is None:
            message = (
                f"{found.path} and {found.original} say something else in the same place. Bring them together by hand, "
                f"or choose one: `wwt conflicts keep`. Nothing was changed."
            )
            raise HumanConflict(
                message, path=found.original, copy=found.path, lines=_clashing(plain, data), id=None, revision=None
            )
        _settle(vault, found, there, merged, data, dropped=found.path, at=at)
    return found.original


def keep(vault: Vault, path: str, *, locks: Path, hold: Hold, at: datetime) -> str:
    """Choose a version by its path: a copy takes the place of its original, or the original stays. The other goes into
    the trash. Return the original's path. Raises as :func:`merge`, ``BadArgument`` for an original with several copies.
    """
    everything = find(vault)
    of_original = [entry for entry in everything if entry.original == unicodedata.normalize("NFC", path)]
    if len(of_original) > 1:
        named = ", ".join(entry.path for entry in of_original)
        message = f"{path} has {len(of_original)} copies; merge them, or keep one of them: {named}"
        raise BadArgument(message, argument="path")
    found = of_original[0] if of_original else _of(vault, path)
    with files.lock(locks / "notes", _LOCK_SECONDS), ExitStack() as stack:
        there, data = _read_both(vault, found, hold, stack)
        plain = linking.without_copy(found.original, there, found.path)
        chosen = plain if of_original else data
        _settle(vault, found, there, chosen, data, dropped=found.path if of_original else found.original, at=at)
    return found.original


def _of(vault: Vault, path: str) -> Found:
    wanted = unicodedata.normalize("NFC", path)
    everything = find(vault)
    for entry in everything:
        if wanted in (entry.path, entry.path.removesuffix(".md")):
            return entry
    named = ", ".join(entry.path for entry in everything[:20])
    raise NotFound(f"{path} is no copy of another file{f'; there are {named}' if named else ''}.", note=path)


def _read_both(vault: Vault, found: Found, hold: Hold, stack: ExitStack) -> tuple[bytes, bytes]:
    place = layout.inside(vault.root, found.original)
    there = files.read(place) or b""
    session = session_notes.identity(there[:200_000].decode("utf-8", "replace"))
    if session is not None:
        stack.enter_context(hold(*session))
        there = files.read(place) or b""
    return there, files.read(layout.inside(vault.root, found.path)) or b""


def _settle(
    vault: Vault, found: Found, there: bytes, wanted: bytes, copy: bytes, *, dropped: str, at: datetime
) -> None:
    """Write the original, then take the copy away; what gives way is kept first."""
    note_id = lookup.note_id(lookup.properties_of(vault, DocumentId(found.original)))
    gone = copy if dropped == found.path else there
    if note_id is not None and found.original.endswith(".md"):
        revisions.keep(vault, note_id, gone)
    if gone != wanted:
        _into_trash(vault, dropped, gone, at)
    place = layout.inside(vault.root, found.original)
    if wanted != there:
        files.replace(place, wanted, files.revision_of(there), lambda _: None)
    files.discard(layout.inside(vault.root, found.path), files.revision_of(copy))


def _into_trash(vault: Vault, path: str, data: bytes, at: datetime) -> None:
    name = path.rpartition("/")[2]
    stem, _, extension = name.rpartition(".")
    folder = layout.inside(vault.root, _TRASH, hidden=True)
    mark = at.astimezone(vault.zone).strftime("%Y-%m-%d %H%M%S")
    for number in range(1000):
        candidate = folder / (f"{stem} {mark}{f' {number}' if number else ''}.{extension}")
        if files.read(candidate) in (None, data):
            files.create_once(candidate, data)
            return


def _merged(path: str, one: bytes, other: bytes) -> bytes | None:
    """Merge two versions of one file, with what both have as their basis; ``None`` when that needs a choice."""
    if one == other:
        return one
    try:
        texts = [data.decode("utf-8") for data in (one, other)]
    except UnicodeDecodeError:
        return None
    found = contents.merge(path, _common(*texts).encode(), one, other)
    return None if found.copy or found.left else found.data


def _common(one: str, other: str) -> str:
    """Return the properties and lines that both texts have, in the order of the first."""
    if session_notes.identity(one) is not None:
        return ""  # their blocks are told apart by their ids
    mine, theirs = markdown.split(one), markdown.split(other)
    entries = markdown.entries(theirs) or []
    block = "".join(text for key, text in markdown.entries(mine) or [] if (key, text) in entries)
    lines, others = (part.body.splitlines(keepends=True) for part in (mine, theirs))
    same = SequenceMatcher(None, lines, others, autojunk=False).get_matching_blocks()
    body = "".join(line for start, _, size in same for line in lines[start : start + size])
    return (mine._replace(block=block).head if mine.opening and theirs.opening else "") + body


def _clashing(one: bytes, other: bytes) -> list[str]:
    mine, theirs = (data.decode("utf-8", "replace") for data in (one, other))
    shown: list[str] = []
    for conflict in merge_notes(_common(mine, theirs), mine, theirs, contents.RULES).conflicts[:20]:
        shown += [f"{conflict.where or 'the beginning'}:"]
        shown += [f"  original: {line}" for line in conflict.one if line.strip()]
        shown += [f"  copy:     {line}" for line in conflict.other if line.strip()]
    return shown
