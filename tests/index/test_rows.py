"""The arrays of a generation."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wwt_vault.index.rows import Row, Rows, load_rows, merged_rows, save_rows


def row(key: int, document: int = 0, vectors: tuple[int, ...] = ()) -> Row:
    """Return a row that is recognised by its key."""
    return Row(
        key=key, fingerprint=key * 3, document=document, time=key * 7,
        lengths=(key, 1, 2, 3, 4), vectors=vectors or (key * 11,),
    )  # fmt: skip


def rows(*given: Row) -> Rows:
    """Return rows in this order, all alive."""
    keys = np.array([each.key for each in given], dtype=np.uint64)
    return merged_rows(keys, np.zeros(len(given), dtype=np.bool_), given, None, np.empty(0, dtype=np.int32))


def as_rows(found: Rows) -> list[Row | None]:
    """Return the arrays as values, ``None`` for a deleted row."""
    values: list[Row | None] = []
    for at in range(len(found)):
        vectors = tuple(found.vector_key[found.vector_row == at].tolist())
        value = Row(
            key=int(found.key[at]), fingerprint=int(found.fingerprint[at]), document=int(found.document[at]),
            time=int(found.time[at]),
            lengths=tuple(found.lengths[at].tolist()), vectors=vectors,
        )  # fmt: skip
        values.append(value if found.alive[at] else None)
    return values


def test_rows_survive_being_saved(tmp_path: Path) -> None:
    """Keys of 64 bits included."""
    saved = rows(row(5), row(2**64 - 1, vectors=(1, 2, 3))._replace(time=9, fingerprint=1, lengths=(1, 1, 1, 1, 1)))
    save_rows(tmp_path / "rows.npz", saved)
    assert as_rows(load_rows(tmp_path / "rows.npz")) == as_rows(saved)


def test_no_rows_survive_being_saved(tmp_path: Path) -> None:
    """An empty vault has an index too."""
    save_rows(tmp_path / "rows.npz", rows())
    found = load_rows(tmp_path / "rows.npz")
    assert (len(found), found.passages, found.documents) == (0, 0, 0)
    assert found.places(np.array([1], dtype=np.uint64)).tolist() == [-1]
    assert found.of_document(0).tolist() == []


@given(
    st.dictionaries(st.integers(1, 40), st.integers(0, 3), max_size=20),
    st.dictionaries(st.integers(1, 60), st.integers(0, 3), max_size=20),
    st.sets(st.integers(1, 40)),
    st.randoms(use_true_random=False),
)
@settings(deadline=None)
def test_a_change_gives_the_rows_that_building_anew_gives(
    old: dict[int, int], new: dict[int, int], gone: set[int], chance: object
) -> None:
    """Whatever is added, replaced and deleted, in whatever order the rows then lie."""
    before = rows(*(row(key, document) for key, document in old.items()))
    kept = {key: document for key, document in old.items() if key not in new and key not in gone}
    living = [row(key, document + 1) for key, document in {**kept, **new}.items()]
    chance.shuffle(living)  # type: ignore[attr-defined]
    dead = [key for key in old if key not in kept]
    order = [each.key for each in living] + dead
    chance.shuffle(order)  # type: ignore[attr-defined]
    # A replaced passage is there twice: its old row deleted, its new one not.
    seen: set[int] = set()
    deleted = []
    for key in order:
        deleted.append((key in dead and key not in new) or key in seen)
        seen.add(key)
    after = merged_rows(
        np.array(order, dtype=np.uint64),
        np.array(deleted, dtype=np.bool_),
        [row(key, document + 1) for key, document in new.items()],
        before,
        np.array([1, 2, 3, 4], dtype=np.int32),
    )
    found = [value for value in as_rows(after) if value is not None]
    assert sorted(found) == sorted(living)
    assert after.passages == len(living)
    for value in living:
        at = int(after.places(np.array([value.key], dtype=np.uint64))[0])
        assert at in after.of_document(value.document)


def test_a_row_of_no_known_passage_is_damage() -> None:
    """What whoosh has and nobody added cannot be ranked."""
    with pytest.raises(KeyError):
        merged_rows(
            np.array([1, 2], dtype=np.uint64), np.zeros(2, dtype=np.bool_), [row(1)], None, np.empty(0, dtype=np.int32)
        )
