"""What a curated note said before, who changed it and why.

In ``.wwt/revisions/<note id>/`` lie, each written once:

- ``<revision>.md``: every revision that was replaced, and every one that this program wrote. So what it wrote last is
  known even while the note itself has been edited since: the basis of a merge.
- ``<UTC second>-<12 hex of the revision>.json``: one record per save, with ``revision``, ``base`` (the revision it
  replaced), ``time``, ``written_by``, ``reason``, ``path``. A revision without a record is a person's.
"""

from __future__ import annotations

import json
import re
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from wwt_vault.errors import EventConflict
from wwt_vault.model.conversation import Revision, format_time, parse_time
from wwt_vault.vault import files, layout

if TYPE_CHECKING:
    from pathlib import Path

    from wwt_vault.vault import Vault

__all__ = ["Record", "history", "keep", "kept", "read_records", "record", "revisions_kept", "written_last"]

_RECORD = re.compile(r"\d{8}T\d{6}Z-[0-9a-f]{12}\.json")
_REVISION = re.compile(r"([0-9a-f]{64})\.md")


class Record(NamedTuple):
    """One save of one note, or what is known of a revision that no save made."""

    revision: Revision
    base: Revision | None
    """The revision before it; ``None`` for the first."""
    time: datetime | None
    """``None``, as all that follows, for a revision that a person wrote or that came from another program."""
    written_by: str | None = None
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
) -> None:
    """Write down a save. The same revision saved twice within a second is one save."""
    entry = Record(revision, base, time, written_by, reason, path)
    target = _path(vault, note_id, revision).with_name(f"{time.astimezone(UTC):%Y%m%dT%H%M%SZ}-{revision[:12]}.json")
    content = {"schema": 1, **entry._asdict(), "time": format_time(time)}
    with suppress(EventConflict):
        files.create_once(target, json.dumps(content, ensure_ascii=False, sort_keys=True, indent=1).encode() + b"\n")


def read_records(vault: Vault, note_id: str) -> list[Record]:
    """Return the saves of a note, oldest first; a record that cannot be read is left out (see ``check``)."""
    found = []
    for name in _names(vault, note_id):
        if _RECORD.fullmatch(name):
            with suppress(ValueError, KeyError, TypeError):
                entry = json.loads(files.read(_folder(vault, note_id) / name) or b"")
                fields = {field: entry[field] for field in Record._fields}
                found.append(Record(**{**fields, "time": parse_time(entry["time"])}))
    return sorted(found, key=lambda entry: (entry.time, entry.revision))


def written_last(vault: Vault, note_id: str) -> Revision | None:
    """Return the revision that this program wrote last, whatever a person made of it; ``None`` if it wrote none."""
    records = read_records(vault, note_id)
    return records[-1].revision if records else None


def history(vault: Vault, note_id: str, current: Revision) -> list[Record]:
    """Return every revision of a note that is known to have been in its place, oldest first, ``current`` last."""
    found: list[Record] = []
    for entry in read_records(vault, note_id):
        if entry.base and (not found or found[-1].revision != entry.base):
            found.append(Record(entry.base, found[-1].revision if found else None, None))
        found.append(entry)
    if not found or found[-1].revision != current:
        found.append(Record(current, found[-1].revision if found else None, None))
    return found


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
