"""Cursor's databases: ``state.vscdb`` of the editor, both generations of it, and ``store.db`` of its command line.

SQLite, often being written while we read: a copy is read, together with what lies beside it (the write-ahead log or the
journal), in a folder of our own. The original is only ever opened for reading, as any file, and nothing is left there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from wwt_vault.capture import jsonl
from wwt_vault.capture.cursor_chats import chat
from wwt_vault.capture.cursor_editor import composers, panel
from wwt_vault.capture.cursor_rows import beside, text_of
from wwt_vault.capture.exports import Left
from wwt_vault.capture.hosts import Head
from wwt_vault.errors import TranscriptError
from wwt_vault.model.conversation import Checkpoint, Message, Skipped

__all__ = ["MAGIC", "read", "wrote"]

MAGIC = b"SQLite format 3\x00"
_SIDES = ("-wal", "-journal")


def wrote(head: Head) -> bool:
    """Tell whether a file that begins so is a database of Cursor's: by its tables, which stand on its first page."""
    if not head.data.startswith(MAGIC):
        return False
    if b"cursorDiskKV" in head.data:
        return True
    if re.search(rb"CREATE TABLE blobs\b", head.data) and re.search(rb"CREATE TABLE meta\b", head.data):
        return True
    # The editor's oldest databases have the table that all of its kin have.
    return b"ItemTable" in head.data and "cursor" in str(head.path).lower().replace("\\", "/").split("/")


def read(path: jsonl.File) -> Iterator[Message | Skipped | Checkpoint]:
    """Yield what was said, conversation by conversation.

    Raises ``OSError``, and ``TranscriptError`` for a database that is damaged or cannot be copied whole.
    """
    import sqlite3  # noqa: PLC0415 - only for those who read one

    yield Checkpoint(offset=0, line=0, state={})
    left = Left()
    try:
        with _copy(path) as copy, closing(sqlite3.connect(copy, isolation_level=None)) as database:
            database.text_factory = bytes  # a text may be no UTF-8
            database.execute("PRAGMA trusted_schema = OFF")
            tables = {
                text_of(name) for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            }
            if "blobs" in tables and "meta" in tables:
                yield from chat(database, path, left)
            if "cursorDiskKV" in tables:
                yield from composers(database, path, left)
            if "ItemTable" in tables:
                yield from panel(database, path, left)
    except sqlite3.DatabaseError as error:
        message = f"{path} is damaged, or was being written all the time ({error}). Quit Cursor and try again."
        raise TranscriptError(message, path=str(path)) from error
    yield from left.skipped(path)


@contextmanager
def _copy(path: jsonl.File) -> Iterator[Path]:
    """Copy a database with what SQLite keeps beside it to a folder that only we can read, for a while."""
    from shutil import copyfileobj  # noqa: PLC0415
    from tempfile import TemporaryDirectory  # noqa: PLC0415

    with TemporaryDirectory(prefix="wwt-") as folder:
        copy = Path(folder) / "copy.db"
        for _ in range(3):
            before = _state(path)
            for side in ("", *_SIDES):
                source = beside(path, path.name + side)
                target = copy.with_name(copy.name + side)
                target.unlink(missing_ok=True)
                if not side or source.exists():
                    with jsonl.open_stream(source) as file, target.open("wb") as into:
                        copyfileobj(file, into, 1 << 20)
            if _state(path) == before:
                break
        yield copy


def _state(path: jsonl.File) -> list[tuple[int, int]]:
    if not isinstance(path, Path):
        return []
    stats = []
    for side in ("", *_SIDES):
        try:
            stat = path.with_name(path.name + side).stat()
            stats.append((stat.st_size, stat.st_mtime_ns))
        except OSError:
            stats.append((0, 0))
    return stats
