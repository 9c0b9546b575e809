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
    Manifests,
    Pointer,
    new_folder,
    publish,
    reading,
    sweep,
    write_about,
)
from wwt_vault.index.korean import kiwi_version
from wwt_vault.model.conversation import DocumentId

if TYPE_CHECKING:
    from wwt_vault.index.lexical import Writer
    from wwt_vault.index.rows import Row

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

    def __init__(
        self, folder: Path, base: Generation | None, documents: Sequence[DocumentId], manifests: Manifests
    ) -> None:
        """Begin a generation of the index in ``folder`` with the passages of ``base``, or with none.

        ``documents`` are those of ``base`` in the order of their numbers; ``manifests`` writes the next one's.
        """
        self._manifests = manifests
        self._folder = folder
        self._base = base
        self._numbers = {name: number for number, name in enumerate(documents)}
        self._built: Path | None = None
        self._writer: Writer | None = None
        self._waiting: list[tuple[DocumentId, passages.Draft]] = []
        self._added: list[tuple[DocumentId, Row]] = []
        self._dropped = 0
        self.changed = base is None
        """Whether there is anything to publish."""

    def put(self, name: DocumentId, drafts: Sequence[passages.Draft]) -> None:
        """Make ``drafts`` the passages of a document; those it has already are not written again."""
        with self._guarded():
            has = self._passages(name)
            wanted = {draft.key: draft for draft in drafts}
            same = {
                key for key, (fingerprint, _) in has.items() if key in wanted and wanted[key].fingerprint == fingerprint
            }
            self._delete(row for key, (_, row) in has.items() if key not in same)
        for draft in wanted.values():
            if draft.key not in same:
                self.changed = True
                self._waiting.append((name, draft))
        if len(self._waiting) >= _BATCH:
            self.flush()

    def drop(self, name: DocumentId) -> None:
        """Leave a document out."""
        with self._guarded():
            self.changed = True
            self._delete(row for _, row in self._passages(name).values())

    def _passages(self, name: DocumentId) -> dict[int, tuple[int, int]]:
        """Return the passages the base has of a document: key to fingerprint and row."""
        if self._base is None or name not in self._numbers:
            return {}
        rows = self._base.rows
        at = rows.of_document(self._numbers[name])
        return dict(
            zip(rows.key[at].tolist(), zip(rows.fingerprint[at].tolist(), at.tolist(), strict=True), strict=True)
        )

    def _delete(self, rows: Iterable[int]) -> None:
        if dropped := list(rows):
            self.changed = True
            self._open()[0].delete(dropped)
            self._dropped += len(dropped)

    def flush(self) -> None:
        """Analyse and write what waits."""
        if not self._waiting:
            return
        from wwt_vault.index.lexical import FIELDS, Entry  # noqa: PLC0415 - whoosh, only when something changed
        from wwt_vault.index.rows import Row  # noqa: PLC0415 - numpy, as well

        with self._guarded():
            writer, _ = self._open()
        for (name, draft), terms in zip(self._waiting, _analysed([draft for _, draft in self._waiting]), strict=True):
            writer.add(Entry(draft.key, terms, draft.filters, draft.payload))
            row = Row(
                key=draft.key,
                fingerprint=draft.fingerprint,
                document=-1,
                time=filters.milliseconds(draft.passage.time),
                lengths=tuple(len(terms[field]) for field in FIELDS),
                vectors=tuple(passages.vector_key(text) for text in passages.embedded_texts(draft.passage)),
            )
            self._added.append((name, row))
        self._waiting.clear()

    def finish(self, documents: Mapping[DocumentId, Known], pointer: Pointer) -> int:
        """Commit, check, publish; return the generation's number. The one before stays for who is opening it."""
        with self._guarded():
            built = self._commit(documents)
        number = publish(self._folder, built, pointer)
        self._built = None
        sweep(self._folder, keep=1)
        return number

    def _commit(self, documents: Mapping[DocumentId, Known]) -> Path:
        import numpy as np  # noqa: PLC0415 - as above

        from wwt_vault.index.lexical import Reader  # noqa: PLC0415 - as above
        from wwt_vault.index.rows import load_rows, merged_rows, save_rows  # noqa: PLC0415 - as above

        writer, built = self._open()
        old = self._base.rows if self._base else None
        living = self.living
        wasted = len(old) - old.passages + self._dropped if old else 0
        self._writer = None
        # whoosh merges small segments as they come; what mostly holds deleted rows is merged into one.
        writer.commit(compact=wasted > max(1000, living))
        numbers = {name: number for number, name in enumerate(documents)}
        reader = Reader(built / "lexical")
        try:
            rows = merged_rows(
                reader.keys(),
                reader.deleted(),
                (row._replace(document=numbers[name]) for name, row in self._added),
                old,
                np.array([numbers.get(name, 0) for name in self._numbers], dtype=np.int32),
            )
        finally:
            reader.close()
        save_rows(built / "rows.npz", rows)
        self._manifests.write(built, documents)
        kiwi = kiwi_version() or (self._base.about.kiwi if self._base else None)
        write_about(built, kiwi=kiwi, documents=len(documents), passages_count=living, base=self._base)
        if (found := load_rows(built / "rows.npz").passages) != living:
            raise Damaged(f"{found} passages written, {living} expected")
        return built

    @property
    def living(self) -> int:
        """Passages that the generation has."""
        return (self._base.about.passages if self._base else 0) - self._dropped + len(self._added)

    def cancel(self) -> None:
        """Remove what was begun."""
        if self._writer is not None:
            with suppress(Exception):  # the folder goes, whatever state whoosh is in
                self._writer.cancel()
            self._writer = None
        if self._built is not None:
            shutil.rmtree(self._built, ignore_errors=True)
            self._built = None

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
