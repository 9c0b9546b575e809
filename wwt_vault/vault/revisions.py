"""What a curated note said before, who changed it and why.

In ``.wwt/revisions/<note id>/`` lie, each written once:

- ``<revision>.md``: every revision that was replaced, and every one that this program wrote. So what it wrote last is
  known even while the note itself has been edited since: the basis of a merge.
- ``<number>-<UTC second>-<12 hex of the revision>.json``: one record per save, numbered from 1 in five or more digits,
  with ``revision``, ``base`` (the revision it replaced), ``time``, ``written_by``, ``reason``, ``path``; with
  ``base_time``, when that revision was a person's: when its file was last written. A revision without a record is a
  person's.

The numbers say what came after what, whatever the clock did. Two machines may give one number twice.
"""

from __future__ import annotations

import json
import re
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from wwt_vault.errors import WwtError
from wwt_vault.model.conversation import Revision, format_time, parse_time
from wwt_vault.vault import files, layout

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from wwt_vault.vault import Vault

__all__ = [
    "Record",
    "history",
    "keep",
    "kept",
    "last",
    "owner",
    "read_records",
    "record",
    "record_file",
    "rename",
    "revisions_kept",
    "written_last",
]

_RECORD = re.compile(r"(\d{5,})-(\d{8}T\d{6}Z)-[0-9a-f]{12}\.json")
_REVISION = re.compile(r"([0-9a-f]{64})\.md")


class Record(NamedTuple):
    """One save of one note, or what is known of a revision that no save made."""

    revision: Revision
    base: Revision | None
    """The revision before it; ``None`` for the first."""
    time: datetime | None
    """When it was saved; of a person's revision when its file was last written, ``None`` where nobody looked."""
    written_by: str | None = None
    """``None``, as all that follows, for a revision that a person wrote or that came from another program."""
    reason: str | None = None
    path: str | None = None


def keep(vault: Vault, note_id: str, data: bytes) -> Revision:
    """Keep the bytes of a revision for good. Raises as ``files.create_once`` does."""
    revision = files.revision_of(data)
    files.create_once(_path(vault, note_id, revision), data)
    return revision


def kept(vault: Vault, note_id: str, revision: str) -> bytes | None:
    """Return the bytes of a revision by its full hash or 12 or more of its first digits; ``None`` if not kept."""
    full = [other for other in revisions_kept(vault, note_id) if len(revision) >= 12 and other.startswith(revision)]
    return files.read(_path(vault, note_id, full[0])) if len(full) == 1 else None


def record(
    vault: Vault,
    note_id: str,
    *,
    revision: Revision,
    base: Revision | None,
    time: datetime,
    written_by: str,
    reason: str | None,
    path: str,
    base_time: datetime | None = None,
) -> None:
    """Write down a save, as the one after all that are there. The caller keeps other savers out."""
    number = max((int(found[1]) for found in _records(vault, note_id)), default=0) + 1
    entry = Record(revision, base, time, written_by, reason, path)
    name, data = record_file(number, entry, base_time)
    files.create_once(_path(vault, note_id, revision).with_name(name), data)


def record_file(number: int, entry: Record, base_time: datetime | None = None) -> tuple[str, bytes]:
    """Return the name and the bytes of the record of a save, the ``number``-th of its note; it has a ``time``."""
    assert entry.time is not None  # noqa: S101 - every save has one
    name = f"{number:05}-{entry.time.astimezone(UTC):%Y%m%dT%H%M%SZ}-{entry.revision[:12]}.json"
    content = {"schema": 1, **entry._asdict(), "time": format_time(entry.time)}
    if base_time:
        content["base_time"] = format_time(base_time)
    return name, json.dumps(content, ensure_ascii=False, sort_keys=True, indent=1).encode() + b"\n"


def read_records(vault: Vault, note_id: str) -> list[Record]:
    """Return the saves of a note, oldest first; a record that cannot be read is left out (see ``check``)."""
    return [entry for entry, _ in _read_all(vault, note_id)]


def written_last(vault: Vault, note_id: str) -> Revision | None:
    """Return the revision that this program wrote last, whatever a person made of it; ``None`` if it wrote none."""
    found = last(vault, note_id)
    return found.revision if found else None


def last(vault: Vault, note_id: str) -> Record | None:
    """Return the last save of a note."""
    return next((entry for entry, _ in _read_all(vault, note_id, newest_first=True)), None)


def owner(vault: Vault, revision: str) -> str | None:
    """Return the id of the note that has this revision among those kept, by 12 or more of its digits."""
    if len(revision) < 12 or not re.fullmatch("[0-9a-f]+", revision):
        return None
    for note_id in sorted(files.names_in(layout.inside(vault.root, layout.REVISIONS, hidden=True))):
        with suppress(WwtError):  # not a note's id, a link
            if any(other.startswith(revision) for other in revisions_kept(vault, note_id)):
                return note_id
    return None


def _records(vault: Vault, note_id: str) -> list[re.Match[str]]:
    return [match for name in _names(vault, note_id) if (match := _RECORD.fullmatch(name))]


def _read_all(vault: Vault, note_id: str, *, newest_first: bool = False) -> Iterator[tuple[Record, datetime | None]]:
    """Yield the records one by one, each with the time of a base that no save made."""
    for _, entry, base_time in _numbered(vault, note_id, newest_first=newest_first):
        yield entry, base_time


def _numbered(
    vault: Vault, note_id: str, *, newest_first: bool = False
) -> Iterator[tuple[int, Record, datetime | None]]:
    for found in sorted(_records(vault, note_id), key=lambda match: (int(match[1]), match[0]), reverse=newest_first):
        with suppress(ValueError, KeyError, TypeError, RecursionError):
            entry = json.loads(files.read(_folder(vault, note_id) / found[0]) or b"")
            fields = {field: entry[field] for field in Record._fields}
            base_time = parse_time(entry["base_time"]) if entry.get("base_time") else None
            yield int(found[1]), Record(**{**fields, "time": parse_time(entry["time"])}), base_time


def history(vault: Vault, note_id: str, current: Revision, current_time: datetime | None = None) -> list[Record]:
    """Return every revision of a note that is known to have been in its place, oldest first, ``current`` last.

    Saves of two machines that have one number follow one another, though both replaced the same revision.
    ``current_time`` is when its file was last written: the time of a revision that no save made.
    """
    found: list[Record] = []
    of_number: dict[int, set[Revision]] = {}
    for number, entry, base_time in _numbered(vault, note_id):
        elsewhere = entry.base in of_number.get(number - 1, ())
        if entry.base and (not found or found[-1].revision != entry.base) and not elsewhere:
            found.append(Record(entry.base, found[-1].revision if found else None, base_time))
        found.append(entry)
        of_number.setdefault(number, set()).add(entry.revision)
    if not found or found[-1].revision != current:
        found.append(Record(current, found[-1].revision if found else None, current_time))
    return found


def rename(vault: Vault, note_id: str, changed: Mapping[str, bytes], said: Callable[[str], str]) -> list[str]:
    """Put other bytes in the place of revisions, for words that have to be forgotten; return the files concerned.

    Records then name the new revisions, and give as reason what ``said`` leaves of it. New files are there before old
    ones go, so that this can be done again.
    """
    names = {old: keep(vault, note_id, data) for old, data in changed.items()}
    concerned = [layout.revision_path(note_id, revision) for pair in names.items() for revision in pair]
    for found in _records(vault, note_id):
        path = _folder(vault, note_id) / found[0]
        try:
            entry: Any = json.loads(files.read(path) or b"")
            new = {**entry, **{key: names.get(entry[key], entry[key]) for key in ("revision", "base")}}
            new["reason"] = said(entry["reason"]) if entry["reason"] else entry["reason"]
        except (ValueError, KeyError, TypeError, RecursionError):
            continue
        if new != entry:
            name = f"{found[1]}-{found[2]}-{new['revision'][:12]}.json"
            data = json.dumps(new, ensure_ascii=False, sort_keys=True, indent=1).encode() + b"\n"
            if name == found[0]:
                files.overwrite(path, data)
            else:
                files.create_once(path.with_name(name), data)
                files.remove(path)
            concerned += (f"{layout.REVISIONS}/{note_id}/{one}" for one in (found[0], name))
    for old, new_name in names.items():
        if old != new_name:
            files.remove(_path(vault, note_id, Revision(old)))
    return concerned


def revisions_kept(vault: Vault, note_id: str) -> list[Revision]:
    """Return which revisions of a note can be read, in no particular order."""
    return [Revision(match[1]) for name in _names(vault, note_id) if (match := _REVISION.fullmatch(name))]


def _names(vault: Vault, note_id: str) -> list[str]:
    try:
        return [entry.name for entry in _folder(vault, note_id).iterdir()]
    except (FileNotFoundError, NotADirectoryError):
        return []


def _folder(vault: Vault, note_id: str) -> Path:
    return _path(vault, note_id, Revision("0" * 64)).parent


def _path(vault: Vault, note_id: str, revision: Revision) -> Path:
    return layout.inside(vault.root, layout.revision_path(note_id, revision), hidden=True)
