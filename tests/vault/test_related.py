"""Walks along relations: both directions, each note once, the same list every time, quick in a large vault."""

from __future__ import annotations

import random
import unicodedata

import pytest

from tests.hanging import ends
from tests.vault.curating import save, say
from wwt_vault.errors import BadArgument, NotFound
from wwt_vault.vault import Vault, documents, lookup, related
from wwt_vault.vault.lookup import head_from


def graph(notes: dict[str, dict[str, list[str]]], *others: str) -> related.Graph:
    """Return the graph of notes given by path and relations."""
    heads = [head_from(path, {"type": "topic", "id": path[-4:-3], **relations}) for path, relations in notes.items()]  # type: ignore[arg-type]
    return related.graph_of(heads, [*notes, *others])  # type: ignore[list-item]


def walk(there: related.Graph, start: str, depth: int = 1, *kinds: str) -> list[tuple[str, str, str, int, str]]:
    """Walk; return what matters of each step."""
    found = related.related(there, start, depth, kinds or None)  # type: ignore[arg-type]
    return [(one.path, one.kind, one.direction, one.depth, one.via) for one in found]


CHAIN = graph(
    {
        "a.md": {"updates": ["[[b]]"], "part_of": ["[[p]]"]},
        "x/b.md": {"depends_on": ["[[c|see]]"]},
        "c.md": {"relates_to": ["[[d#Facts]]", "[[nowhere]]", "no link"]},
        "d.md": {"relates_to": ["[[e]]", "[[a]]"]},
        "e.md": {},
        "p.md": {},
        "q.md": {"part_of": ["[[p]]"], "contradicts": ["[[a]]"]},
    },
    "50_Conversations/2026/s.md",
)


class TestWalk:
    """What is reached."""

    def test_one_step_goes_both_ways(self) -> None:
        """What a note names and what names it, by the order of the kinds."""
        assert walk(CHAIN, "a.md") == [
            ("d.md", "relates_to", "in", 1, "a.md"),
            ("q.md", "contradicts", "in", 1, "a.md"),
            ("p.md", "part_of", "out", 1, "a.md"),
            ("x/b.md", "updates", "out", 1, "a.md"),
        ]

    def test_every_note_comes_once_at_its_nearest(self) -> None:
        """Circles end, links to nothing lead nowhere."""
        found = walk(CHAIN, "a.md", 3)

        assert [(path, depth) for path, _, _, depth, _ in found] == [
            ("d.md", 1), ("q.md", 1), ("p.md", 1), ("x/b.md", 1), ("e.md", 2), ("c.md", 2),
        ]  # fmt: skip
        assert found[-1] == ("c.md", "relates_to", "in", 2, "d.md")

    def test_kinds_limit_what_is_followed(self) -> None:
        """At every step."""
        assert walk(CHAIN, "a.md", 3, "updates", "depends_on") == [
            ("x/b.md", "updates", "out", 1, "a.md"),
            ("c.md", "depends_on", "out", 2, "x/b.md"),
        ]

    def test_depth_and_kinds_are_checked(self) -> None:
        """With what there is."""
        for depth in (0, 4, -1):
            with pytest.raises(BadArgument, match="between 1 and 3"):
                related.related(CHAIN, "a.md", depth)  # type: ignore[arg-type]
        with pytest.raises(BadArgument, match="there are relates_to"):
            related.related(CHAIN, "a.md", 1, ["likes"])  # type: ignore[arg-type]
        with pytest.raises(NotFound):
            related.related(CHAIN, "nowhere.md", 1)  # type: ignore[arg-type]

    def test_notes_of_one_name_are_told_apart_as_obsidian_does(self) -> None:
        """By path, by folder, then the shortest path."""
        there = graph(
            {
                "A/n.md": {},
                "B/n.md": {},
                "A/x.md": {"part_of": ["[[n]]"]},
                "C/y.md": {"part_of": ["[[B/n]]"]},
                "z.md": {"part_of": ["[[N]]"]},
            }
        )

        assert [path for path, *_ in walk(there, "A/n.md")] == ["A/x.md", "z.md"]
        assert [path for path, *_ in walk(there, "B/n.md")] == ["C/y.md"]

    def test_names_in_nfd_and_another_case_are_found(self) -> None:
        """A Mac writes them so."""
        there = graph(
            {
                "재시도.md": {},
                "x.md": {"part_of": [f"[[{unicodedata.normalize('NFD', '재시도')}]]"]},
                "Up.md": {},
                "y.md": {"part_of": ["[[uP]]"]},
            }
        )

        assert [path for path, *_ in walk(there, "재시도.md")] == ["x.md"]
        assert [path for path, *_ in walk(there, "Up.md")] == ["y.md"]

    def test_the_list_does_not_depend_on_the_order_of_the_files(self) -> None:
        """Whatever order a disk gives."""
        draw = random.Random(7)
        notes = {
            f"{n}.md": {
                kind: [f"[[{draw.randrange(60)}]]" for _ in range(3)] for kind in draw.sample(lookup.RELATIONS, 3)
            }
            for n in range(60)
        }
        first = walk(graph(notes), "0.md", 3)
        shuffled = list(notes.items())
        draw.shuffle(shuffled)

        assert walk(graph(dict(shuffled)), "0.md", 3) == first
        assert len(first) == len({path for path, *_ in first}) > 20


class TestReading:
    """The properties behind it."""

    def test_only_what_changed_is_read_again(self, vault: Vault) -> None:
        """By the stamps of the catalog; what is gone is gone."""
        event = say(vault, "x")
        save(vault, "A", f"x [^{event}]", type="topic")
        note = save(vault, "B", f"x [^{event}]", type="topic", relations={"part_of": ["A"]})
        (vault.root / "Mine.md").write_text("x", "utf-8")
        first = related.read_heads(vault, documents.catalog(vault))
        save(vault, "B", f"y [^{event}]", note.revision, relations={"part_of": []})
        (vault.root / "30_Knowledge" / "A.md").unlink()
        second = related.read_heads(vault, documents.catalog(vault), first)

        assert first["30_Knowledge/B.md"][1].relations == (("part_of", ("[[A]]",)),)  # type: ignore[index]
        assert second["30_Knowledge/B.md"][1].relations == ()  # type: ignore[index]
        assert "30_Knowledge/A.md" not in second
        assert second["Mine.md"] is first["Mine.md"]  # type: ignore[index]
        assert not [path for path in second if path.startswith("50_")]

    def test_ten_thousand_notes_are_walked_in_a_moment(self) -> None:
        """Three steps, every note naming three others."""
        draw = random.Random(1)
        notes = {
            f"f/{n}.md": {"relates_to": [f"[[{draw.randrange(10_000)}]]" for _ in range(3)]} for n in range(10_000)
        }
        with ends():
            found = related.related(graph(notes), "f/1.md", 3)  # type: ignore[arg-type]

        assert len(found) > 50
