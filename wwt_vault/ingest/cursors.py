"""How far each transcript has been read, kept in the state folder: one small file a transcript.

A place is a byte offset with fingerprints of what lies before it. A file that shrank, or says something else there, is
read from its start again: that adds nothing that is known. Losing a cursor costs a second reading.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from wwt_vault.capture.redact import without_secrets
from wwt_vault.hashing import sha256
from wwt_vault.model.conversation import Checkpoint
from wwt_vault.state import State
from wwt_vault.vault.files import overwrite

if TYPE_CHECKING:
    from wwt_vault.capture.jsonl import File

__all__ = ["Cursor", "keep_cursor", "load_cursor", "stamp_of"]

_HEAD, _TAIL = 4096, 1024


class Cursor(NamedTuple):
    """The place up to which a transcript was read, and what was counted before it."""

    checkpoint: Checkpoint | None
    """``None``: to be read from its start."""
    counts: dict[str, dict[str, int]]
    """By session id: how often each text was accounted for before the checkpoint."""
    messages: int
    """Messages before the checkpoint; all of them when ``unchanged``."""
    sessions: tuple[str, ...]
    """``<host> <session id>`` of all of them."""
    unchanged: bool = False
    """The file is as it was when it had been read to its end: nothing to do."""


_NOTHING = Cursor(checkpoint=None, counts={}, messages=0, sessions=())


def load_cursor(state: State, path: File) -> Cursor:
    """Return the kept place of ``path``, or one that says to begin at the start. Raises ``OSError`` for ``path``."""
    stamp = stamp_of(path)
    try:
        kept: dict[str, Any] = json.loads(_file(state, path).read_bytes())
        cursor = Cursor(
            checkpoint=Checkpoint(offset=kept["offset"], line=kept["line"], state=kept["state"]),
            counts=kept["counts"],
            messages=kept["messages"],
            sessions=tuple(kept["sessions"]),
        )
        if kept["end"] == stamp:
            return cursor._replace(unchanged=True, messages=kept["all"])
        offset = kept["offset"]
        if not offset or not _goes_on(path) or stamp[0] < offset or kept["prints"] != _prints(path, offset):
            return _NOTHING
    except (OSError, ValueError, KeyError, TypeError):
        return _NOTHING
    return cursor


def stamp_of(path: File) -> list[int]:
    """Return what changes when a file does: size and time, also of what SQLite keeps beside a database.

    Raises ``OSError``.
    """
    if not isinstance(path, Path):
        from wwt_vault.capture.archives import member_stat  # noqa: PLC0415 - no hook reads archives

        size, time = member_stat(path)
        return [size, int(time.timestamp()) * 10**9]
    stat = path.stat()
    stamp = [stat.st_size, stat.st_mtime_ns]
    if path.suffix in (".db", ".vscdb"):
        try:
            stat = path.with_name(path.name + "-wal").stat()
            stamp += [stat.st_size, stat.st_mtime_ns]
        except OSError:
            pass
    return stamp


def _goes_on(path: File) -> bool:
    """Whether a file can be read on from a place in it: bytes of a compressed one are not those of its text."""
    return isinstance(path, Path) and path.suffix != ".zst"


def keep_cursor(state: State, path: File, cursor: Cursor, *, finished: list[int] | None, messages: int) -> None:
    """Keep ``cursor`` for the transcript at ``path``.

    ``finished`` is the file's stamp before a reading that came to its end, ``messages`` the number of all in it.
    """
    checkpoint = cursor.checkpoint or Checkpoint(offset=0, line=0, state={})
    kept = {
        "path": without_secrets(str(path)),
        "offset": checkpoint.offset,
        "line": checkpoint.line,
        "state": checkpoint.state,
        "counts": cursor.counts,
        "messages": cursor.messages,
        "sessions": cursor.sessions,
        "all": messages,
        "prints": _prints(path, checkpoint.offset) if _goes_on(path) else [],
        "end": finished,
    }
    overwrite(
        _file(state, path), json.dumps(kept, ensure_ascii=False).encode("utf-8", "replace"), private=True, durable=False
    )


def _file(state: State, path: File) -> Path:
    known = without_secrets(os.path.realpath(str(path)))  # not even a hash of a secret is kept
    return state.cursors / "transcripts" / (sha256(os.fsencode(known)).hexdigest()[:32] + ".json")


def _prints(path: File, offset: int) -> list[str]:
    with Path(str(path)).open("rb") as file:
        head = file.read(min(offset, _HEAD))
        file.seek(max(0, offset - _TAIL))
        tail = file.read(min(offset, _TAIL))
    return [sha256(head).hexdigest()[:16], sha256(tail).hexdigest()[:16]]
