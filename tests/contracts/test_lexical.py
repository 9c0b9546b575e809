"""What an inverted index must do for the rest of the program; a second backend would run the same suite."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wwt_vault.index import lexical

KEYS = (7, 2**63 + 11, 2**64 - 1)


def entry(key: int, body: str = "", filters: str = "", **fields: str) -> lexical.Entry:
    """Return a passage whose terms are words."""
    terms = {name: text.split() for name, text in {"body": body, **fields}.items()}
    return lexical.Entry(key, terms, filters.split(), f"payload {key}".encode())


class LexicalTests:
    """``writer`` and ``reader`` are the backend's classes."""

    writer: Any
    reader: Any

    def build(self, folder: Path, *entries: lexical.Entry, base: Path | None = None, drop: tuple[int, ...] = ()) -> Any:
        """Write entries on top of ``base`` and open the result."""
        writer = self.writer(folder, base)
        writer.delete(drop)
        for each in entries:
            writer.add(each)
        writer.commit()
        return self.reader(folder)

    def found(self, reader: Any, term: str, field: str = "body") -> dict[int, float]:
        """Return what holds a term: key to count, living rows only."""
        rows, counts = reader.postings(field, term)
        keys, deleted = reader.keys(), reader.deleted()
        return {int(keys[row]): float(n) for row, n in zip(rows, counts, strict=True) if not deleted[row]}

    def test_terms_are_found_in_their_field_with_their_count(self, tmp_path: Path) -> None:
        """A field is not the other, and a term that is nowhere is nowhere."""
        reader = self.build(tmp_path / "a", entry(KEYS[0], "redis cache redis"), entry(KEYS[1], "cache", title="redis"))
        assert self.found(reader, "redis") == {KEYS[0]: 2}
        assert self.found(reader, "redis", "title") == {KEYS[1]: 1}
        assert self.found(reader, "cache") == {KEYS[0]: 1, KEYS[1]: 1}
        assert self.found(reader, "memcached") == {}

    def test_rows_keep_key_and_payload(self, tmp_path: Path) -> None:
        """64-bit keys are exact; the payload comes back byte for byte."""
        reader = self.build(tmp_path / "a", *(entry(key, "x") for key in KEYS))
        assert reader.rows == 3
        assert sorted(reader.keys().tolist()) == sorted(KEYS)
        assert [reader.payload(row) for row in range(3)] == [
            f"payload {key}".encode() for key in reader.keys().tolist()
        ]
        with pytest.raises(IndexError):
            reader.payload(3)

    def test_an_empty_index_answers(self, tmp_path: Path) -> None:
        """A vault without notes is searched like any other."""
        reader = self.build(tmp_path / "a")
        assert (reader.rows, len(reader.keys()), len(reader.deleted())) == (0, 0, 0)
        assert self.found(reader, "x") == {}
        assert reader.filtered("layer=session").tolist() == []

    def test_filters_are_terms_of_their_own(self, tmp_path: Path) -> None:
        """A filter is exact and never matches the words of a passage."""
        reader = self.build(
            tmp_path / "a", entry(1, "project=shop", "project=shop layer=session"), entry(2, "project=shop")
        )
        keys = reader.keys()
        assert [int(keys[row]) for row in reader.filtered("project=shop")] == [1]
        assert reader.filtered("project=sho").tolist() == []

    def test_the_base_never_changes(self, tmp_path: Path) -> None:
        """An index is built on another by adding and deleting, and the other goes on answering as before."""
        old = self.build(tmp_path / "a", entry(1, "old kept"), entry(2, "old gone"))
        before = {path.name: path.read_bytes() for path in (tmp_path / "a").iterdir() if path.is_file()}
        gone = old.keys().tolist().index(2)
        new = self.build(tmp_path / "b", entry(3, "new"), base=tmp_path / "a", drop=(gone,))
        assert self.found(new, "old") == {1: 1}
        assert self.found(new, "new") == {3: 1}
        assert self.found(old, "old") == {1: 1, 2: 1}
        assert self.found(old, "new") == {}
        assert {path.name: path.read_bytes() for path in (tmp_path / "a").iterdir() if path.is_file()} == before

    def test_many_small_changes_add_up(self, tmp_path: Path) -> None:
        """Thirty generations of one change each, merged behind the scenes, are the same as one."""
        folder, expected = tmp_path / "0", {0: 1.0}
        reader = self.build(folder, entry(0, "word old0"))
        for n in range(1, 30):
            drop = []
            if n % 3 == 0:
                drop = [
                    row for row, key in enumerate(reader.keys().tolist()) if key == n - 1 and not reader.deleted()[row]
                ]
                del expected[n - 1]
            expected[n] = 1.0
            base, folder = folder, tmp_path / str(n)
            reader = self.build(folder, entry(n, f"word old{n}"), base=base, drop=tuple(drop))
        assert self.found(reader, "word") == expected
        assert [reader.payload(row) for row in range(reader.rows)] == [
            f"payload {k}".encode() for k in reader.keys().tolist()
        ]
        assert len(list(folder.iterdir())) < 40

    def test_compacting_drops_what_was_deleted(self, tmp_path: Path) -> None:
        """After it no file holds the deleted row's words."""
        old = self.build(tmp_path / "a", *(entry(key, f"w{key} common") for key in range(5)))
        writer = self.writer(tmp_path / "b", tmp_path / "a")
        writer.delete([old.keys().tolist().index(3)])
        writer.add(entry(9, "nine common"))
        writer.commit(compact=True)
        reader = self.reader(tmp_path / "b")
        assert reader.rows == 5
        assert set(self.found(reader, "common")) == {0, 1, 2, 4, 9}
        assert not any(b"payload 3" in path.read_bytes() for path in (tmp_path / "b").iterdir() if path.is_file())

    def test_cancelling_leaves_the_base_alone(self, tmp_path: Path) -> None:
        """A build that is given up changes nothing."""
        self.build(tmp_path / "a", entry(1, "x"))
        writer = self.writer(tmp_path / "b", tmp_path / "a")
        writer.add(entry(2, "x"))
        writer.cancel()
        assert self.found(self.reader(tmp_path / "a"), "x") == {1: 1}

    def test_threads_read_at_once(self, tmp_path: Path) -> None:
        """Searches of the server's threads do not disturb one another."""
        entries = [entry(n, " ".join(f"w{n % m}" for m in range(1, 40))) for n in range(400)]
        reader = self.build(tmp_path / "a", *entries)

        def look(n: int) -> tuple[dict[int, float], bytes]:
            return self.found(reader, f"w{n % 20}"), reader.payload(n % 400)

        alone = [look(n) for n in range(60)]
        with ThreadPoolExecutor(8) as pool:
            assert list(pool.map(look, range(60))) == alone

    def test_long_posting_lists_are_whole(self, tmp_path: Path) -> None:
        """Lists of several blocks, with counts that differ."""
        counts = {n: 1 + n % 5 for n in range(9000)}
        reader = self.build(tmp_path / "a", *(entry(n, " ".join(["w"] * count)) for n, count in counts.items()))
        assert self.found(reader, "w") == counts

    @given(st.lists(st.text(min_size=1, max_size=30), min_size=1, max_size=8))
    @settings(max_examples=25, deadline=None)
    def test_any_term_can_be_stored_and_found(self, tmp_path_factory: pytest.TempPathFactory, terms: list[str]) -> None:
        """Wildcards, quotes, NUL, emoji, query syntax: a term is a term."""
        folder = tmp_path_factory.mktemp("any") / "a"
        writer = self.writer(folder)
        writer.add(lexical.Entry(5, {"body": terms}, (), b""))
        writer.commit()
        reader = self.reader(folder)
        for term, count in Counter(terms).items():
            assert self.found(reader, term) == {5: count}


class TestWhoosh(LexicalTests):
    """The backend in use."""

    writer = lexical.Writer
    reader = lexical.Reader

    def test_the_slow_way_of_reading_gives_the_same(self, tmp_path: Path) -> None:
        """Whole blocks are read through attributes whoosh calls private; without them postings are read one by one."""
        entries = (entry(n, f"one {'two two' if n % 2 else ''} {'some ' * (1 + n % 3)}") for n in range(4500))
        reader = self.build(tmp_path / "a", *entries)
        leaf, _ = reader._leaves[0]

        class Stepped:
            """Hides everything but whoosh's public interface."""

            def __init__(self, matcher: Any) -> None:
                self.is_active, self.id, self.weight, self.next = (
                    matcher.is_active, matcher.id, matcher.weight, matcher.next,
                )  # fmt: skip

        for term in (b"one", b"two", b"some"):
            fast = lexical._read(leaf.postings("body", term))
            slow = lexical._read(Stepped(leaf.postings("body", term)))
            assert [part.tolist() for part in fast] == [part.tolist() for part in slow]
            assert len(fast[0]) >= 2250

    def test_the_slow_way_of_reading_keys_gives_the_same(self, tmp_path: Path) -> None:
        """As for postings; keys of 0 at the end are not stored."""
        reader = self.build(tmp_path / "a", *(entry(key, "w") for key in (0, 5, 2**64 - 1, 0, 7, 0, 0)))
        leaf, _ = reader._leaves[0]
        expected = [0, 5, 2**64 - 1, 0, 7, 0, 0]
        assert lexical._column(leaf.column_reader("key"), 7).tolist() == expected
        assert lexical._column(iter(leaf.column_reader("key")), 7).tolist() == expected
        assert reader.keys().tolist() == expected

    def test_segments_are_linked_and_not_copied(self, tmp_path: Path) -> None:
        """A change of one passage costs no second copy of all others."""
        self.build(tmp_path / "a", *(entry(n, f"w{n}") for n in range(50)))
        self.build(tmp_path / "b", entry(99, "x"), base=tmp_path / "a")
        shared = [path for path in (tmp_path / "b").glob("*.seg") if path.stat().st_nlink > 1]
        assert len(shared) == 1
