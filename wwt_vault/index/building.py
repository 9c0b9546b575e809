"""One generation in the making: passages in and out, then commit, check and publish.

It is built in a folder of its own on top of the segments of the generation before, or from nothing, and becomes visible
in one step at the end or not at all.
"""

from __future__ import annotations

import errno
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from wwt_vault.index import analysis, filters, passages
from wwt_vault.index.generations import (
    Damaged,
    Generation,
    Known,
    new_folder,
    publish,
    reading,
    sweep,
    write_about,
    write_manifest,
)
from wwt_vault.model.conversation import DocumentId

if TYPE_CHECKING:
    from wwt_vault.index.lexical import Reader, Writer
    from wwt_vault.index.rows import Row, Rows

__all__ = ["Builder"]

_BATCH: Final = 256
"""Passages analysed at once: enough to keep every processor busy with Korean."""
_REFUSALS: Final = frozenset(
    (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM, errno.EIO, errno.EMFILE, errno.EFBIG)
)


class Builder:
    """Writes one generation aside. Opens nothing before the first change. Not for several threads.

    Every method raises ``Damaged`` when the base cannot be read, and ``OSError`` when the disk cannot be written.
    """

    def __init__(self, folder: Path, base: Generation | None) -> None:
        """Begin a generation of the index in ``folder`` with the passages of ``base``, or with none."""
        self._folder = folder
        self._base = base
        self._built: Path | None = None
        self._writer: Writer | None = None
        self._waiting: list[passages.Draft] = []
        self._added: dict[int, Row] = {}
        self._dropped = 0
        self.changed = base is None
        """Whether there is anything to publish."""

    def drop(self, ids: Iterable[str]) -> None:
        """Leave passages of the base out."""
        for passage in ids:
            self.changed = True
            with self._guarded():
                writer, _ = self._open()
                place = self._base.rows.place if self._base else {}
                writer.delete([place[int(passage, 16)]])
                self._dropped += 1

    def add(self, drafts: Iterable[passages.Draft]) -> None:
        """Take passages in; they are analysed in batches."""
        for draft in drafts:
            self.changed = True
            self._waiting.append(draft)
            if len(self._waiting) >= _BATCH:
                self.flush()

    def flush(self) -> None:
        """Analyse and write what waits."""
        if not self._waiting:
            return
        from wwt_vault.index.lexical import FIELDS, Entry  # noqa: PLC0415 - whoosh, only when something changed
        from wwt_vault.index.rows import Row, language_of  # noqa: PLC0415 - numpy, as well

        writer, _ = self._open()
        for draft, terms in zip(self._waiting, _analysed(self._waiting), strict=True):
            key = int(draft.passage.id, 16)
            writer.add(Entry(key, terms, draft.filters, draft.payload))
            self._added[key] = Row(
                key=key,
                document=0,
                time=filters.milliseconds(draft.passage.time),
                language=language_of(draft.body),
                lengths=tuple(len(terms[name]) for name in FIELDS),
                vectors=tuple(passages.vector_key(text) for text in passages.embedded_texts(draft.passage)),
            )
        self._waiting.clear()

    def finish(self, documents: Mapping[DocumentId, Known], keep: int) -> int:
        """Commit, check, publish; return the generation's number. ``keep`` earlier ones stay."""
        with self._guarded():
            built = self._commit(documents)
        number = publish(self._folder, built)
        self._built = None
        sweep(self._folder, number, keep)
        return number

    def _commit(self, documents: Mapping[DocumentId, Known]) -> Path:
        from wwt_vault.index.lexical import FIELDS, Reader  # noqa: PLC0415 - as above
        from wwt_vault.index.rows import load_rows, save_rows  # noqa: PLC0415 - as above

        writer, built = self._open()
        old = self._base.rows if self._base else None
        living = sum(len(known.passages) for known in documents.values())
        wasted = 0 if old is None else len(old) - old.passages + self._dropped
        self._writer = None
        # whoosh merges small segments as they come; what mostly holds deleted rows is merged into one.
        writer.commit(compact=wasted > max(1000, living))
        reader = Reader(built / "lexical")
        try:
            rows = self._rows(reader, old, documents)
        finally:
            reader.close()
        save_rows(built / "rows.npz", rows, len(FIELDS))
        write_manifest(built / "manifest.json", documents)
        kiwi = analysis.kiwi_version() or (self._base.about.kiwi if self._base else None)
        write_about(built, kiwi=kiwi, documents=len(documents), passages_count=living)
        if (found := load_rows(built / "rows.npz").passages) != living:
            raise Damaged(f"{found} passages written, {living} expected")
        return built

    def cancel(self) -> None:
        """Remove what was begun."""
        if self._writer is not None:
            with suppress(Exception):  # the folder goes, whatever state whoosh is in
                self._writer.cancel()
            self._writer = None
        if self._built is not None:
            shutil.rmtree(self._built, ignore_errors=True)
            self._built = None

    def _rows(self, reader: Reader, old: Rows | None, documents: Mapping[DocumentId, Known]) -> list[Row | None]:
        """Return every row as whoosh now numbers them."""
        numbers = {
            int(passage, 16): number for number, known in enumerate(documents.values()) for passage, _ in known.passages
        }
        rows: list[Row | None] = []
        for key, deleted in zip(reader.keys().tolist(), reader.deleted().tolist(), strict=True):
            if deleted or key not in numbers:
                rows.append(None)
            elif key in self._added:
                rows.append(self._added[key]._replace(document=numbers[key]))
            elif old is not None and key in old.place:
                rows.append(old.row(old.place[key])._replace(document=numbers[key]))
            else:
                raise Damaged(f"row {len(rows)} is of no known passage")
        return rows

    def _open(self) -> tuple[Writer, Path]:
        if self._writer is None or self._built is None:
            from wwt_vault.index.lexical import Writer  # noqa: PLC0415 - as above

            self._built = new_folder(self._folder)
            self._writer = Writer(self._built / "lexical", self._base.folder / "lexical" if self._base else None)
        return self._writer, self._built

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        """Take what goes wrong for damage of the base, unless it is the disk that refuses to be written."""
        if self._base is None:
            yield
            return
        refusals: list[OSError] = []
        with reading(f"building on generation {self._base.number}"):
            try:
                yield
            except OSError as error:
                if error.errno not in _REFUSALS:
                    raise
                refusals.append(error)
        if refusals:
            raise refusals[0]


def _analysed(drafts: Sequence[passages.Draft]) -> Iterator[dict[str, list[str]]]:
    """Yield the terms of each draft by field. Titles and headings that repeat are analysed once."""
    texts = dict.fromkeys(text for draft in drafts for text in (draft.title, draft.heads, draft.body, draft.tags))
    terms = dict(zip(texts, analysis.analyse_all(tuple(texts)), strict=True))
    for draft in drafts:
        found = {name: terms[getattr(draft, name)].words for name in ("title", "heads", "body", "tags")}
        found["grams"] = [
            gram for name in ("title", "heads", "body", "tags") for gram in terms[getattr(draft, name)].grams
        ]
        yield found
