"""Generations on disk."""

from __future__ import annotations

import errno
import json
from pathlib import Path

import pytest

from wwt_vault.index.generations import (
    Damaged,
    Generation,
    Known,
    Manifests,
    current_generation,
    new_folder,
    others,
    point,
    publish,
    read_manifest,
    reading,
    sweep,
    write_about,
)
from wwt_vault.model.conversation import DocumentId, Revision

DOCUMENTS = {
    DocumentId("b.md"): Known("1 2 3 4", True, Revision("r1")),
    DocumentId("가 '\"\\.md"): Known("5 6 7 8", False, Revision("r2")),
}


def build(folder: Path) -> int:
    """Publish a generation of one file."""
    built = new_folder(folder)
    (built / "file").write_text("content")
    Manifests().write(built, DOCUMENTS)
    write_about(built, kiwi=None, documents=2, passages_count=0)
    return publish(folder, built)


def test_a_generation_is_published_whole(tmp_path: Path) -> None:
    """Numbers grow; the newest is current; its documents come back in their order."""
    assert current_generation(tmp_path) is None
    assert [build(tmp_path), build(tmp_path)] == [1, 2]
    assert current_generation(tmp_path) == 2
    generation = Generation(tmp_path, 2)
    assert (generation.about.documents, generation.about.passages) == (2, 0)
    assert list(generation.manifest().items()) == list(DOCUMENTS.items())


def test_what_a_killed_build_left_is_removed_by_the_next(tmp_path: Path) -> None:
    """It was never current."""
    left = new_folder(tmp_path)
    build(tmp_path)
    assert not left.exists()
    assert others(tmp_path, 1) == [1]


def test_old_generations_go(tmp_path: Path) -> None:
    """The one before stays for who is just opening it."""
    for _ in range(4):
        build(tmp_path)
    sweep(tmp_path, keep=1)
    assert others(tmp_path, 4) == [4, 3]
    point(tmp_path, 3, "next")
    sweep(tmp_path, keep=0)
    assert others(tmp_path, 4) == [4, 3]
    point(tmp_path, 3)
    sweep(tmp_path, keep=0)
    assert (others(tmp_path, None), current_generation(tmp_path, "next")) == ([3], None)


@pytest.mark.parametrize("content", ["", "x", "-1", "1.5", "①"])
def test_a_pointer_to_nothing_is_damage(tmp_path: Path, content: str) -> None:
    """``current`` holds a number or is damaged."""
    build(tmp_path)
    (tmp_path / "current").write_text(content, "utf-8")
    with pytest.raises(Damaged):
        current_generation(tmp_path)


def test_a_file_of_another_size_is_damage(tmp_path: Path) -> None:
    """Cut off by a power failure, for instance."""
    number = build(tmp_path)
    (tmp_path / "generations" / str(number) / "file").write_text("conten")
    with pytest.raises(Damaged, match="file is not 7 bytes"):
        Generation(tmp_path, number)


def test_a_generation_marked_damaged_is_damaged_for_everyone(tmp_path: Path) -> None:
    """Who finds out tells the other processes."""
    number = build(tmp_path)
    Generation(tmp_path, number).mark_damaged("a flipped bit")
    with pytest.raises(Damaged, match="a flipped bit"):
        Generation(tmp_path, number)


def test_no_byte_of_the_manifest_changes_unseen(tmp_path: Path) -> None:
    """A digit that is another digit would hide a changed document."""
    path = tmp_path / "manifest.json"
    Manifests().write(path.parent, DOCUMENTS)
    assert read_manifest(path) == DOCUMENTS
    data = path.read_bytes()
    for at in range(len(data)):
        path.write_bytes(data[:at] + bytes((data[at] ^ 1,)) + data[at + 1 :])
        try:
            assert read_manifest(path) == DOCUMENTS
        except Damaged:
            continue


def test_about_names_the_versions(tmp_path: Path) -> None:
    """So that another version of the program builds anew."""
    number = build(tmp_path)
    about = json.loads((tmp_path / "generations" / str(number) / "about.json").read_text())
    assert set(about["versions"]) == {"format", "analysis", "passages"}


def test_whatever_a_reader_raises_is_damage() -> None:
    """Unpickling flipped bytes calls anything with anything."""
    for error in (EOFError(), AttributeError("x"), ZeroDivisionError(), RecursionError(), OSError(5, "x")):
        with pytest.raises(Damaged), reading("a file"):
            raise error


def test_what_is_the_machines_fault_is_no_damage() -> None:
    """Too many open files or too little memory must not make anyone rebuild an index."""
    for error in (OSError(errno.EMFILE, "Too many open files"), MemoryError()):
        with pytest.raises(type(error)), reading("a file"):
            raise error
