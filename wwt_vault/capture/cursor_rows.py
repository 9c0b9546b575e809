"""Rows of Cursor's databases as values, and the files that lie beside a database."""

from __future__ import annotations

import json
import posixpath
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zipfile import Path as ZipPath

from wwt_vault.capture.exports import Left

if TYPE_CHECKING:
    import sqlite3

    from wwt_vault.capture.jsonl import File

__all__ = ["LARGEST", "beside", "json_of", "text_of", "value_of"]

LARGEST = 32 << 20
"""Bytes of one value that is still read as JSON."""


def beside(path: File, name: str) -> File:
    """Return the file ``name`` in the folder of ``path``, whether it is there or not."""
    if isinstance(path, Path):
        return path.with_name(name)
    return ZipPath(path.root, posixpath.join(posixpath.dirname(path.at), name))


def value_of(database: sqlite3.Connection, table: str, rowid: int, left: Left) -> Any:
    """Return the JSON in the column ``value`` of a row, or ``None``."""
    (size,) = database.execute(f"SELECT length(value) FROM {table} WHERE rowid = ?", (rowid,)).fetchone()  # noqa: S608
    if size is None:
        return None
    if size > LARGEST:
        left.add(f"a value of more than {LARGEST:,} bytes")
        return None
    (data,) = database.execute(f"SELECT value FROM {table} WHERE rowid = ?", (rowid,)).fetchone()  # noqa: S608
    value = json_of(data)
    if value is None and data not in (b"", b"null"):
        left.add("a value that is not JSON")
    return value


def json_of(data: Any) -> Any:
    """Return the JSON in a value, or ``None``."""
    try:
        return json.loads(text_of(data), strict=False)
    except (ValueError, RecursionError):
        return None


def text_of(value: Any) -> str:
    """Return a value as text."""
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
