"""The slow half of indexing: vectors for the texts that have none. Can be stopped at any moment and goes on later.

Newest passages come first: they are what people ask about. One process embeds at a time; others would only do the same
work twice.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from wwt_vault.index import privacy
from wwt_vault.index.embedder import Embedder
from wwt_vault.index.generations import Damaged
from wwt_vault.index.passages import embedded_texts, vector_key
from wwt_vault.index.refresh import Progress
from wwt_vault.index.searching import Searcher
from wwt_vault.index.vectors import VectorStore

__all__ = ["embed"]

_BATCH: Final = 8
"""Texts per call of the model: one or two seconds of work, the most that is lost by stopping."""
_MUCH_DEAD: Final = 2000
"""Vectors of texts that are gone from which the store is rewritten, if they are also the larger part."""


def embed(
    searcher: Searcher,
    embedder: Embedder,
    store: VectorStore,
    *,
    lock: Path,
    budget_seconds: float | None = None,
    stop: Callable[[], bool] = lambda: False,
    progress: Progress | None = None,
) -> int:
    """Embed what is pending until all is done, the time is up or ``stop`` says so; return how many texts were.

    Returns 0 at once while another process holds ``lock``. Raises ``Damaged``, and ``OSError`` when the vectors cannot
    be written; what was embedded before stays.
    """
    pending = searcher.pending(store)
    if not pending:
        return 0
    from filelock import FileLock, Timeout  # noqa: PLC0415 - 100 ms that only writing needs

    deadline = None if budget_seconds is None else time.monotonic() + budget_seconds
    privacy.make_folder(lock.parent)
    done = 0
    try:
        with FileLock(lock, timeout=0, mode=privacy.FILE_MODE):
            for start in range(0, len(pending), _BATCH):
                if stop() or (deadline is not None and time.monotonic() > deadline):
                    break
                if not searcher.generation.folder.exists():
                    # Its texts may be what somebody wants forgotten: whoever asks goes on with the one after it.
                    raise Damaged("it was swept away")
                if progress:
                    progress(done, len(pending))
                batch = dict(pending[start : start + _BATCH])
                texts = {
                    key: text
                    for row in set(batch.values())
                    for text in embedded_texts(searcher.passage(row))
                    if (key := vector_key(text)) in batch
                }
                store.append(list(texts), embedder.passages(list(texts.values())))
                done += len(texts)
    except Timeout:
        return done
    if progress:
        progress(done, len(pending))
    if done == len(pending):
        live = searcher.generation.rows.vector_key
        if len(store) > 2 * len(live) and len(store) - len(live) > _MUCH_DEAD:
            store.prune(live)
    return done
