"""Two changes of one file in one, by what the file is; or the word that they cannot be.

Nothing that either side says is lost: what cannot be merged stays as it is on this side, and the other side's bytes
become a copy beside it.
"""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Callable
from datetime import datetime
from typing import Any, Final, NamedTuple

from wwt_vault import markdown
from wwt_vault.errors import Forgotten, FormatTooNew, WwtError
from wwt_vault.markdown.merge import Rule, merge_notes, merge_text
from wwt_vault.model.conversation import parse_time
from wwt_vault.sync import belonging, session_notes
from wwt_vault.vault import FORMAT, events, lookup, projects, settings
from wwt_vault.vault.layout import CONFIG_FILE, CURATED_MARKS, PROJECT_NAMES, REVISIONS, VAULT_FILE

__all__ = ["Merge", "merge", "of_event"]


class Merge(NamedTuple):
    """What came of two changes."""

    data: bytes
    copy: bool = False
    """Whether the other side's bytes have to be kept beside it."""
    left: bool = False
    """Whether something the other side set is not in it: of settings, which need no copy."""


def merge(path: str, base: bytes | None, one: bytes, other: bytes) -> Merge:
    """Merge ``one`` (this side) and ``other``, which grew from ``base`` (``None``: both are new).

    Raises ``FormatTooNew`` for a vault of a newer version.
    """
    if belonging.event_of_path(path):
        return Merge(of_event(path, base, one, other))
    if other in (one, base):
        return Merge(one)
    if one == base:
        return Merge(other)
    if path == VAULT_FILE:
        return _of_vault(base, one, other)
    if path.startswith(f"{CURATED_MARKS}/"):
        return Merge(_later_mark(one, other))
    if path.startswith(f"{PROJECT_NAMES}/"):
        return Merge(projects.later(one, other))
    if path.startswith(f"{REVISIONS}/"):  # written once: another file of the name is damaged
        return Merge(one, left=True)
    texts = [_text(data) for data in (base or b"", one, other)]
    if any(text is None for text in texts):
        return Merge(one, copy=not path.startswith("."), left=path.startswith("."))
    was, mine, theirs = (text or "" for text in texts)
    if belonging.is_note(path):
        merged = _of_note(was, mine, theirs)
    else:
        merged = merge_text(was, mine, theirs).text
        if merged is None and path in belonging.IGNORE_FILES:
            merged = _both_lines(mine, theirs)
        if merged is not None and not _parses(path, merged):
            merged = None
    if merged is not None:
        return Merge(merged.encode("utf-8"))
    if path == CONFIG_FILE:
        return Merge(settings.with_their_events_folder(was, mine, theirs).encode("utf-8"), left=True)
    return Merge(one, copy=not path.startswith("."), left=path.startswith("."))


def _text(data: bytes) -> str | None:
    if b"\0" in data:
        return None
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return None


def _parses(path: str, text: str) -> bool:
    """Return whether a merged text still is what its name says, as far as that is known."""
    reader = {"json": json.loads, "canvas": json.loads, "toml": tomllib.loads}.get(path.rpartition(".")[2].lower())
    try:
        if reader:
            reader(text)
    except (ValueError, RecursionError):
        return False
    return True


def _of_note(base: str, one: str, other: str) -> str | None:
    sessions = session_notes.identity(one), session_notes.identity(other)
    if sessions[0] is not None and sessions[0] == sessions[1]:
        return session_notes.merge_session_notes(base, one, other)
    ids = [_note_id(text) for text in (one, other)]
    if sessions[0] != sessions[1] or ids[0] != ids[1]:
        return None  # two notes that happen to have one name
    merged = merge_notes(base, one, other, RULES).text
    if merged is None or _has_marker(merged) > max(map(_has_marker, (one, other))):
        return None
    return merged


def _note_id(text: str) -> str | None:
    return lookup.note_id(markdown.read_frontmatter(markdown.split(text), "").values)


def _has_marker(text: str) -> bool:
    return "<<<<<<<" in text and markdown.conflict_line(markdown.parse(markdown.split(text).body)) is not None


def _first(order: tuple[str, ...]) -> Rule:
    return lambda one, other: next((value for value in order if value in (one, other)), None)


RULES: Final[dict[str, Callable[[str, str], str | None]]] = {
    # What supersedes a note stands in another one, which is there too; what a person has seen is no longer this text.
    "status": _first(("superseded", "current", "draft")),
    "reviewed": lambda _one, _other: "false",
    "locked": lambda _one, _other: "true",
    "created": min,
    "updated": max,
    "written_by": max,
}
"""How properties are settled that both sides set to different values."""


def _both_lines(one: str, other: str) -> str:
    there = set(one.splitlines())
    more = [line for line in other.splitlines() if line not in there]
    return "\n".join([*one.splitlines(), *more]) + "\n"


def of_event(path: str, base: bytes | None, one: bytes, other: bytes) -> bytes:
    """Choose between files of one event. An event never changes: only its tombstone may take its place.

    What holds what its name promises goes before what does not, what was there before goes before what came.
    """
    ranked = [(_rank(path, data), number, data) for number, data in enumerate(sorted((one, other)), 1)]
    if base is not None:
        ranked.append((_rank(path, base), 0, base))
    return min(ranked)[2]


def _rank(path: str, data: bytes) -> int:
    """Return 0 for a tombstone, 1 for an event whose words are those of its hash, 2 for anything else."""
    event = belonging.event_of_path(path)
    try:
        found = events.from_json(data)
        words = hashlib.sha256(events.storable(found.text).encode()).hexdigest()
        return 1 if found.id == event and words == found.content_sha256 else 2
    except Forgotten as error:
        return 0 if error.data["event"] == event else 2
    except WwtError:
        return 2


def _later_mark(one: bytes, other: bytes) -> bytes:
    def key(data: bytes) -> tuple[str, datetime, bytes]:
        table: Any = json.loads(data)
        return str(table["upto"])[:16], parse_time(table["at"]), data

    found = []
    for data in (one, other):
        try:
            found.append(key(data))
        except (ValueError, KeyError, TypeError, RecursionError):
            continue
    return max(found)[2] if found else one


def _of_vault(base: bytes | None, one: bytes, other: bytes) -> Merge:
    """Of two vaults that become one, the other's id: there it is in use. Raises ``FormatTooNew``."""
    try:
        mine, theirs = json.loads(one), json.loads(other)
        newer = max(int(mine["format"]), int(theirs["format"]))
        if newer > FORMAT:
            message = f"the vault on the other side has format {newer}; this program knows up to {FORMAT}. Update it."
            raise FormatTooNew(message, format=newer)
        chosen = theirs if base is None else mine
        return Merge(json.dumps({**chosen, "format": newer}).encode() + b"\n")
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
        return Merge(one, left=True)
