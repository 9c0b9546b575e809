"""What differs between the vault and the index, told from stamps alone.

A stamp is the numbers ``size mtime_ns ctime_ns inode`` of a file, in this order, as text. A file changed twice within
one tick of the file system's clock can have one stamp for two contents, so a document that was read that soon after its
change is read once more (git calls such entries racy).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final

from wwt_vault.index.generations import Known
from wwt_vault.model.conversation import DocumentId

__all__ = ["Catalog", "Change", "compare", "is_settled"]

Catalog = Mapping[DocumentId, str]
"""Every document of the vault and the stamp of its file."""

_SHRINK_FROM: Final = 20
"""Documents from which losing more than half is taken for an unmounted vault."""
_COARSE: Final = 2_000_000_000
_FINE: Final = 50_000_000
"""Nanoseconds: the tick of FAT's clock, and a generous one for clocks that count below the second."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """How the catalog differs from what is indexed."""

    read: tuple[DocumentId, ...]
    """To be loaded, newest first."""
    removed: tuple[DocumentId, ...]
    withheld: tuple[DocumentId, ...]
    """Gone from the catalog, but so many at once that they stay indexed."""

    def __bool__(self) -> bool:
        return bool(self.read or self.removed)


def compare(
    catalog: Catalog,
    known: Mapping[DocumentId, Known],
    *,
    allow_shrink: bool,
    of: Collection[DocumentId] | None = None,
) -> Change:
    """Say what has to be read and removed. More than half of 20 documents or more are only removed if allowed to.

    ``of`` are the documents that the catalog speaks of; without, all.
    """
    read = [
        document
        for document, stamp in catalog.items()
        if (entry := known.get(document)) is None or entry.stamp != stamp or not entry.settled
    ]
    read.sort(key=lambda document: (-_changed_at(catalog[document])[0], document))
    gone = tuple(
        document for document in (known if of is None else of) if document not in catalog and document in known
    )
    shrinks = len(known) >= _SHRINK_FROM and len(gone) * 2 > len(known) and not allow_shrink
    return Change(read=tuple(read), removed=() if shrinks else gone, withheld=gone if shrinks else ())


def is_settled(stamp: str, read_at: int, before: Known | None = None) -> bool:
    """Say whether a file read at ``read_at`` (ns) cannot have changed since without changing its stamp.

    A time in the future (another machine's clock) never settles by itself: it is read again once, ``before`` being what
    was known then, and then believed.
    """
    changed_at, tick = _changed_at(stamp)
    if changed_at > read_at:
        return before is not None and before.stamp == stamp
    return read_at - changed_at >= tick


def _changed_at(stamp: str) -> tuple[int, int]:
    """Return when the file of a stamp last changed and the tick of its clock, in nanoseconds."""
    numbers = [int(number) for number in re.findall(r"\d+", stamp)]
    if len(numbers) < 2:
        return 0, 0
    changed_at = max(numbers[1:3])
    return changed_at, _FINE if changed_at % 1_000_000_000 else _COARSE
