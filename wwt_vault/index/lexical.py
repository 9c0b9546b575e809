"""The inverted index on disk: which passage holds which term how often. The only module that knows whoosh.

A passage is a row, numbered as whoosh numbers its documents. A writer works in a folder of its own: it links the
immutable segments of an earlier folder into it (nothing is copied and the earlier folder never changes), deletes and
adds rows there and commits. Terms come analysed, so whoosh neither tokenises nor parses anything.

Whoosh's own collector scores one posting at a time in Python. Here whole posting lists are handed out as arrays and
``ranking`` scores them, ten times faster, with statistics that do not depend on how rows lie in segments.

Whoosh unpickles what it reads, so these files are trusted like code: they lie in the user's cache folder, never in a
vault. Damaged files raise nearly anything; callers treat every exception of a reader as damage.
"""

from __future__ import annotations

import os
import shutil
import threading
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from whoosh import columns, fields, formats
from whoosh.codec.whoosh3 import W3Codec
from whoosh.filedb.filestore import FileStorage
from whoosh.index import FileIndex

__all__ = ["FIELDS", "Entry", "Reader", "Writer"]

FIELDS: Final = ("title", "heads", "body", "tags", "grams")
_FILTERS: Final = "filters"
_KEY: Final = "key"
_PAYLOAD: Final = "payload"
_MEMORY_MB: Final = 128
"""Postings kept in memory before they are sorted to disk."""
_BLOCK: Final = 4096
"""Postings that are packed together: whole lists are read, so nothing is ever skipped, which small blocks are for."""


class Entry(NamedTuple):
    """One passage as it is indexed."""

    key: int
    """64 bits, unsigned: says which passage a row is."""
    terms: Mapping[str, Sequence[str]]
    """Field of ``FIELDS`` to its terms, repeated as often as they occur."""
    filters: Sequence[str]
    payload: bytes


class _Terms(fields.FieldType):  # type: ignore[misc] # whoosh is not type-checked
    """A field whose values are analysed already; a posting's weight is how often the term occurs."""

    def __init__(self) -> None:
        self.format = formats.Existence()

    def index(self, value: Sequence[str], **_: object) -> Iterator[tuple[bytes, int, float, bytes]]:
        for term, count in Counter(value).items():
            yield term.encode("utf-8", "replace"), count, float(count), b""


def _schema() -> fields.Schema:
    # Handed over at every opening, so that whoosh never unpickles the stored one.
    return fields.Schema(
        **{name: _Terms() for name in (*FIELDS, _FILTERS)},
        **{
            _KEY: fields.COLUMN(columns.NumericColumn("Q")),
            _PAYLOAD: fields.COLUMN(columns.CompressedBytesColumn()),
        },
    )


class Writer:
    """Makes one folder of index files, from another or from nothing. Not for several threads."""

    def __init__(self, folder: Path, base: Path | None = None) -> None:
        """Begin in ``folder``, which must not exist, with the rows of ``base``."""
        folder.mkdir(parents=True)
        storage = FileStorage(str(folder))
        if base is None:
            index = FileIndex.create(storage, _schema())
        else:
            for path in base.iterdir():
                if not path.name.endswith("LOCK"):
                    _link(path, folder / path.name)
            index = FileIndex(storage, _schema())
        self._writer = index.writer(limitmb=_MEMORY_MB, codec=W3Codec(blocklimit=_BLOCK))

    def delete(self, rows: Iterable[int]) -> None:
        """Delete rows of ``base``, by their numbers there. Others keep theirs until ``commit``."""
        for row in rows:
            self._writer.delete_document(row)

    def add(self, entry: Entry) -> None:
        """Add a row."""
        values: dict[str, Any] = {name: terms for name, terms in entry.terms.items() if terms}
        if entry.filters:
            values[_FILTERS] = entry.filters
        self._writer.add_document(**{_KEY: entry.key, _PAYLOAD: entry.payload}, **values)

    def commit(self, *, compact: bool = False) -> None:
        """Write everything. Small segments are merged; ``compact`` merges all, which drops the deleted rows' data."""
        self._writer.commit(optimize=compact)

    def cancel(self) -> None:
        """Stop without writing; the folder is of no use any more."""
        self._writer.cancel()


class Reader:
    """Reads one folder of index files, from any thread: whoosh's files have one position each, so calls queue up."""

    def __init__(self, folder: Path) -> None:
        """Open ``folder``; reads little more than the list of segments."""
        self._reader = FileIndex(FileStorage(str(folder)), _schema()).reader()
        self._leaves = self._reader.leaf_readers()
        self._payloads: dict[int, Any] = {}
        self._lock = threading.Lock()
        self.rows: int = self._reader.doc_count_all()
        """Rows, deleted ones among them: row numbers lie below."""

    def keys(self) -> NDArray[np.uint64]:
        """Return the key of every row; of a deleted row, what it once was."""
        found: list[NDArray[np.uint64]] = [np.empty(0, dtype=np.uint64)]
        with self._lock:
            for leaf, _ in self._leaves:
                if leaf.has_column(_KEY):
                    found.append(_column(leaf.column_reader(_KEY), leaf.doc_count_all()))
                else:  # all of them 0
                    found.append(np.zeros(leaf.doc_count_all(), dtype=np.uint64))
        return np.concatenate(found)

    def deleted(self) -> NDArray[np.bool_]:
        """Return for every row whether it was deleted."""
        found = np.zeros(self.rows, dtype=np.bool_)
        with self._lock:
            for leaf, offset in self._leaves:
                if leaf.has_deletions():
                    # Private, but ten times faster than asking for every row.
                    gone = getattr(leaf, "deleted_docs_set", None)
                    if gone is None:
                        gone = [row for row in range(leaf.doc_count_all()) if leaf.is_deleted(row)]
                    found[[offset + row for row in gone]] = True
        return found

    def postings(self, field: str, term: str) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        """Return the rows that hold ``term`` in ``field``, ascending, and how often each does; deleted ones too."""
        rows: list[NDArray[np.intp]] = []
        weights: list[NDArray[np.float64]] = []
        key = (field, term.encode("utf-8", "replace"))
        with self._lock:
            for leaf, offset in self._leaves:
                if key in leaf:
                    its_rows, its_weights = _read(leaf.postings(*key))
                    rows.append(its_rows + offset)
                    weights.append(its_weights)
        if not rows:
            return np.empty(0, dtype=np.intp), np.empty(0, dtype=np.float64)
        return np.concatenate(rows), np.concatenate(weights)

    def terms(self, field: str) -> list[str]:
        """Return every term of a field, in order; those of deleted rows may be among them."""
        with self._lock:
            return [term.decode("utf-8", "replace") for term in self._reader.lexicon(field)]

    def filtered(self, term: str) -> NDArray[np.intp]:
        """Return the rows that have a filter term. Deleted rows may be in."""
        return self.postings(_FILTERS, term)[0]

    def payload(self, row: int) -> bytes:
        """Return what was stored with a row."""
        with self._lock:
            for at, (leaf, offset) in enumerate(self._leaves):
                if row < offset + leaf.doc_count_all():
                    if at not in self._payloads:
                        self._payloads[at] = leaf.column_reader(_PAYLOAD)
                    return bytes(self._payloads[at][row - offset])
        raise IndexError(f"row {row} of {self.rows}")

    def close(self) -> None:
        """Let go of the files; needed before they can be deleted on Windows."""
        with self._lock:
            self._payloads.clear()
            self._reader.close()


def _read(matcher: Any) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Return a whole posting list. Block by block where whoosh has blocks, else posting by posting."""
    while hasattr(matcher, "child"):  # the wrapper that hides deleted rows, which the caller does better
        matcher = matcher.child
    if all(hasattr(matcher, name) for name in ("_next_block", "_read_data", "_data")):
        return _blocks(matcher)
    rows: list[int] = []
    weights: list[float] = []
    while matcher.is_active():
        rows.append(matcher.id())
        weights.append(matcher.weight())
        matcher.next()
    return np.array(rows, dtype=np.intp), np.array(weights, dtype=np.float64)


def _blocks(matcher: Any) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    rows = [np.empty(0, dtype=np.intp)]  # there is no block where the wrapper has found nothing but deleted rows
    weights = [np.empty(0, dtype=np.float64)]
    while matcher.is_active():
        matcher._read_data()
        # Distances between rows, from 0; one weight for all where they are the same, none where they are 1.
        steps, its_weights, _ = matcher._data
        rows.append(np.cumsum(np.array(steps, dtype=np.intp)))
        its_weights = 1.0 if its_weights is None else its_weights
        weights.append(np.broadcast_to(np.array(its_weights, dtype=np.float64), len(steps)))
        matcher._next_block()
    return np.concatenate(rows), np.concatenate(weights)


def _column(column: Any, rows: int) -> NDArray[np.uint64]:
    """Return a column of 64-bit numbers. From its bytes where whoosh lets us, else one by one."""
    raw = column.raw_column() if hasattr(column, "raw_column") else column
    if not (hasattr(raw, "_dbfile") and hasattr(raw, "_basepos") and hasattr(raw, "_count")):
        return np.array(list(column), dtype=np.uint64)
    found = np.zeros(rows, dtype=np.uint64)
    # Rows after the last that is not 0 are not stored.
    stored = min(rows, raw._count)
    found[:stored] = np.frombuffer(raw._dbfile.get(raw._basepos, 8 * stored), dtype=">u8")
    return found


def _link(source: Path, target: Path) -> None:
    try:
        os.link(source, target)
    except OSError:  # a file system without hard links
        shutil.copyfile(source, target)
