"""Whether the index is sound, read through to the end: for whoever looks for faults. Changes nothing."""

from __future__ import annotations

import zlib
from pathlib import Path
from typing import Literal, NamedTuple

from wwt_vault.index.comparison import Catalog, compare
from wwt_vault.index.generations import Damaged, Generation, current_generation, reading, versions
from wwt_vault.index.korean import kiwi_version

__all__ = ["Examined", "examine"]


class Examined(NamedTuple):
    """What an index is like."""

    state: Literal["damaged", "behind", "missing", "outdated", "shrunk", "sound"]
    about: str
    """What is wrong, for a person; empty when nothing is."""


def examine(folder: Path, catalog: Catalog) -> Examined:
    """Read the published generation of the index in ``folder``, every byte of it, and hold it against ``catalog``.

    A damaged one is marked as such, so that the next refresh builds it anew.
    """
    generation = None
    try:
        number = current_generation(folder)
        if number is None:
            return Examined("missing", "there is no index yet; the next search builds it")
        generation = Generation(folder, number)
        known = generation.manifest()
        with reading("its files"):
            _compare_sums(generation)
        if len(generation.rows) != generation.lexical.rows:
            raise Damaged(f"{len(generation.rows)} rows, {generation.lexical.rows} in the inverted index")
    except Damaged as damage:
        if generation is not None:
            generation.mark_damaged(str(damage))
        return Examined("damaged", f"the index is damaged ({damage})")
    finally:
        if generation is not None:
            generation.close()
    kiwi = kiwi_version()
    if dict(generation.about.versions) != versions() or (kiwi and generation.about.kiwi not in (None, kiwi)):
        return Examined("outdated", "the index was made by another version of this program or of the Korean analyser")
    change = compare(catalog, known, allow_shrink=False)
    if change.withheld:
        about = f"{len(change.withheld)} of {len(known)} files are gone from the vault at once; the index keeps them"
        return Examined("shrunk", f"{about}. Is the vault mounted? If they are gone: `wwt index refresh --yes`")
    changed = len(change.removed) + sum(known[name].settled for name in change.read if name in known)
    changed += sum(name not in known for name in change.read)
    if changed:
        return Examined("behind", f"the index does not know the last state of {changed} files")
    return Examined("sound", "")


def _compare_sums(generation: Generation) -> None:
    for name, crc in generation.about.sums.items():
        if zlib.crc32((generation.folder / name).read_bytes()) != crc:
            raise Damaged(f"{name} is not what was written")
