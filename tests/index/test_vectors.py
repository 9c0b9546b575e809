"""Vectors on disk."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.index.hash_embedder import HashEmbedder
from wwt_vault.index import vectors as module
from wwt_vault.index.vectors import VectorStore, prune_all

MODEL = HashEmbedder()


def store(folder: Path, model: str = "m") -> VectorStore:
    """Open a store of the test model's dimension."""
    return VectorStore(folder, model, MODEL.dimension)


def keys(*numbers: int) -> NDArray[np.uint64]:
    """Return keys as they are searched."""
    return np.array(numbers, dtype=np.uint64)


def fill(target: VectorStore, *numbers: int) -> None:
    """Append a vector for each number."""
    target.append(numbers, MODEL.passages([f"text {number}" for number in numbers]))


def test_a_vector_is_found_by_its_key(tmp_path: Path) -> None:
    """The cosine is that of the model's own vectors up to float16; an unknown key is NaN."""
    opened = store(tmp_path)
    fill(opened, 3, 2**64 - 1)
    query = MODEL.query("text 3")
    found = opened.cosines(keys(2**64 - 1, 3, 4), query)
    assert found[1] == pytest.approx(1, abs=2e-3)
    assert found[0] == pytest.approx(float(MODEL.query(f"text {2**64 - 1}") @ query), abs=2e-3)
    assert np.isnan(found[2])


def test_an_empty_store_knows_nothing_and_writes_nothing(tmp_path: Path) -> None:
    """Asking makes no files."""
    opened = store(tmp_path / "none")
    assert np.isnan(opened.cosines(keys(1, 2), MODEL.query("x"))).all()
    assert not (tmp_path / "none").exists()


def test_vectors_survive_the_process(tmp_path: Path) -> None:
    """A second store of the same model has them; one of another model or dimension has not."""
    fill(store(tmp_path), 1)
    assert store(tmp_path).slots(keys(1)).tolist() == [0]
    assert store(tmp_path, "other").slots(keys(1)).tolist() == [-1]
    assert VectorStore(tmp_path, "m", 32).slots(keys(1)).tolist() == [-1]


def test_what_another_process_appends_is_seen(tmp_path: Path) -> None:
    """Without opening anew."""
    reader, writer = store(tmp_path), store(tmp_path)
    fill(writer, 1)
    assert reader.slots(keys(1)).tolist() == [0]
    fill(writer, 2, 3)
    assert reader.slots(keys(1, 2, 3)).tolist() == [0, 1, 2]


def test_writers_take_turns(tmp_path: Path) -> None:
    """Eight at once lose nothing."""
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: fill(store(tmp_path), *range(n * 10, n * 10 + 10)), range(8)))
    assert (store(tmp_path).slots(keys(*range(80))) >= 0).all()


@pytest.mark.parametrize("cut", [1, 60, 135])
def test_a_torn_record_is_unseen_and_overwritten(tmp_path: Path, cut: int) -> None:
    """A crash in the middle of a write costs that vector and no other."""
    fill(store(tmp_path), 1, 2)
    path = store(tmp_path).path
    path.write_bytes(path.read_bytes()[:-cut])
    torn = store(tmp_path)
    assert torn.slots(keys(1, 2)).tolist() == [0, -1]
    fill(torn, 3)
    assert store(tmp_path).slots(keys(1, 2, 3)).tolist() == [0, -1, 1]


def test_a_record_that_is_no_unit_vector_is_as_if_it_were_not_there(tmp_path: Path) -> None:
    """Zeros after a power failure, flipped exponents: the text is embedded again and then found."""
    opened = store(tmp_path)
    fill(opened, 1, 2)
    data = bytearray(opened.path.read_bytes())
    data[512 + 8 : 512 + 8 + 128] = bytes(128)
    opened.path.write_bytes(data)
    damaged = store(tmp_path)
    assert damaged.slots(keys(1, 2)).tolist() == [-1, 1]
    fill(damaged, 1)
    assert damaged.cosines(keys(1), MODEL.query("text 1"))[0] == pytest.approx(1, abs=2e-3)


@pytest.mark.parametrize("content", [b"", b"{", b"x" * 5000, b"\n" * 512])
def test_a_file_that_is_none_of_ours_is_begun_anew(tmp_path: Path, content: bytes) -> None:
    """Damage to the header loses the vectors and nothing else."""
    opened = store(tmp_path)
    opened.path.parent.mkdir(exist_ok=True)
    opened.path.write_bytes(content)
    assert opened.slots(keys(1)).tolist() == [-1]
    fill(opened, 1)
    assert opened.slots(keys(1)).tolist() == [0]
    assert store(tmp_path).slots(keys(1)).tolist() == [0]


def test_a_file_that_cannot_be_read_holds_nothing_and_says_so_when_it_is_written(tmp_path: Path) -> None:
    """Something else in its place, or another user's file: words are searched all the same."""
    opened = store(tmp_path)
    fill(opened, 1)
    opened.slots(keys(1))
    opened.path.unlink()
    opened.path.mkdir()
    for one in (opened, store(tmp_path)):
        assert one.slots(keys(1)).tolist() == [-1]
        assert np.isnan(one.cosines(keys(1), MODEL.query("text 1"))).all()
        with pytest.raises(OSError, match=re.escape(opened.path.name)):
            fill(one, 1)


def test_a_large_store_is_searched_piece_by_piece_with_the_same_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Beyond the memory limit the cosines are the same."""
    fill(store(tmp_path), *range(50))
    query, wanted = MODEL.query("text 7"), keys(*range(50))
    small = store(tmp_path).cosines(wanted, query)
    monkeypatch.setattr(module, "_IN_MEMORY", 100)
    monkeypatch.setattr(module, "_BLOCK", 8)
    assert np.allclose(store(tmp_path).cosines(wanted, query), small, atol=1e-6)


def test_pruning_drops_what_is_not_kept(tmp_path: Path) -> None:
    """Of every model; a store that is open goes on with what is left."""
    opened = store(tmp_path)
    fill(opened, 1, 2, 3)
    fill(store(tmp_path, "other"), 1, 2)
    opened.slots(keys(1))
    size = opened.path.stat().st_size
    (tmp_path / "damaged.vectors").write_bytes(b"?")
    prune_all(tmp_path, keys(2))
    assert (opened.slots(keys(1, 2, 3)) >= 0).tolist() == [False, True, False]
    assert (store(tmp_path, "other").slots(keys(1, 2)) >= 0).tolist() == [False, True]
    assert opened.path.stat().st_size < size
    assert not (tmp_path / "damaged.vectors").exists()
