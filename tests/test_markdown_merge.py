"""Three-way merge: nobody's line is lost, nothing taken out comes back, and what cannot be both is a conflict."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.hanging import ends
from wwt_vault.markdown.merge import merge_lists, merge_notes, merge_text, split_lines

LINES = [
    "# A",
    "## B",
    "## C",
    "- one",
    "- two",
    "- three",
    "  inner",
    "words",
    "more words",
    "",
    "",
    "[^1]: mine",
    "```",
]


def edited(draw: st.DrawFn, base: list[str], mark: str) -> list[str]:
    """Return ``base`` with some lines deleted, changed, added or moved, each new one marked."""
    lines = list(base)
    for step in range(draw(st.integers(0, 4))):
        at = draw(st.integers(0, len(lines)))
        kind = draw(st.sampled_from(["add", "add", "delete", "change", "move"]))
        if kind == "add":
            lines.insert(at, draw(st.sampled_from(["- {}", "{}", "## {}", "  {}"])).format(f"{mark}{step}"))
        elif lines and kind == "delete":
            del lines[at - 1]
        elif lines and kind == "change":
            lines[at - 1] = f"{lines[at - 1]}{mark}{step}"
        elif lines:
            lines.insert(draw(st.integers(0, len(lines) - 1)), lines.pop(at - 1))
    return lines


@st.composite
def histories(draw: st.DrawFn) -> tuple[list[str], list[str], list[str]]:
    """Return a text and what two people made of it; now and then both did the same first."""
    base = draw(st.lists(st.sampled_from(LINES), max_size=14))
    both = edited(draw, base, "both") if draw(st.booleans()) else base
    return base, edited(draw, both, "p"), edited(draw, both, "a")


def text(lines: list[str], end: str = "\n") -> str:
    """Join lines."""
    return "".join(line + end for line in lines)


class TestLines:
    """Bodies."""

    @given(histories())
    @settings(max_examples=300, deadline=None)
    def test_every_new_line_of_both_is_in_a_clean_merge(self, history: tuple[list[str], ...]) -> None:
        """As often as the side that has it more often added it; and a line that is nowhere on either side is not."""
        base, one, other = history
        merged = merge_text(text(base), text(one), text(other))
        if merged.text is None:
            assert merged.conflicts
            return
        result = Counter(line for line, _ in split_lines(merged.text) if line.strip())
        for side in (one, other):
            added = Counter(line for line in side if line.strip()) - Counter(base)
            assert not added - result, (added - result, merged.text)
        assert set(result) <= set(one) | set(other)

    @given(histories())
    @settings(max_examples=200, deadline=None)
    def test_what_either_side_took_out_stays_out(self, history: tuple[list[str], ...]) -> None:
        """Unless the other side wrote it once more."""
        base, one, other = history
        merged = merge_text(text(base), text(one), text(other))
        if merged.text is None:
            return
        result = {line for line, _ in split_lines(merged.text) if line.strip()}
        gone = {line for line in base if line not in one or line not in other}
        wrote = {line for side in (one, other) for line in Counter(side) - Counter(base)}

        assert not (gone - wrote) & result

    @given(histories(), st.sampled_from(["\n", "\r\n"]), st.booleans())
    @settings(max_examples=200, deadline=None)
    def test_a_change_on_one_side_alone_is_that_side(
        self, history: tuple[list[str], ...], end: str, ended: bool
    ) -> None:
        """Byte for byte, line ends and a missing last one included; two equal changes are one."""
        base, new, _ = (text(lines, end) if ended else text(lines, end)[: -len(end)] for lines in history)

        assert merge_text(base, new, base).text == new
        assert merge_text(base, new, new).text == new
        assert merge_text(base, base, new).text == new

    @given(histories())
    @settings(max_examples=200, deadline=None)
    def test_conflicts_name_the_lines_of_both_sides(self, history: tuple[list[str], ...]) -> None:
        """By number and by text: an agent reads what stands against what."""
        base, one, other = history
        for conflict in merge_text(text(base), text(one), text(other)).conflicts:
            for side, line, lines in (
                (one, conflict.one_line, conflict.one),
                (other, conflict.other_line, conflict.other),
            ):
                assert side[line - 1 : line - 1 + len(lines)] == list(lines)
            assert conflict.one != conflict.other

    @pytest.mark.parametrize(
        ("base", "one", "other", "result"),
        [
            ("a\n\nb\n", "A\n\nb\n", "a\n\nB\n", "A\n\nB\n"),
            ("- a\n", "- a\n- p\n", "- a\n- n\n", "- a\n- p\n- n\n"),
            ("- a\n", "- a\n- p\n", "- a\n- p\n- n\n", "- a\n- p\n- n\n"),
            ("- a\n", "- a\n- p\n", "- A\n- p\n- n\n", "- A\n- p\n- n\n"),
            ("- a\n", "- a\n- p\n", "- A\n", "- A\n- p\n"),
            ("a\n", "A\n", "n\n\na\n", "n\n\nA\n"),
            ("- a\n- b\n", "- A\n- b\n", "- a\n- B\n", "- A\n- B\n"),
            ("- a\n- b\n", "- a\n- B\n", "- b\n", "- B\n"),
            ("a\n\nb\n\nc\n", "a\n\nc\n", "a\n\nb\n\nC\n", "a\n\nC\n"),
            ("- a\n", "- a\n  - p\n", "- a\n1. n\n", "- a\n  - p\n1. n\n"),
            ("# A\nx\n# B\ny\n", "# B\ny\n# A\nx\n", "# A\nx\n# B\nY\n", "# B\nY\n# A\nx\n"),
            ("# A\nx\n# B\ny\n", "# A\nx\n# B\nY\n", "# B\ny\n# A\nx\n", "# B\nY\n# A\nx\n"),
            ("# A\n", "# A\n\n# P\n\np\n", "# A\n\n# N\n\nn\n", "# A\n\n# P\n\np\n\n# N\n\nn\n"),
            ("# A\nx", "# A\nx\n# P\np", "# A\nx\n# N\nn", "# A\nx\n# P\np\n# N\nn"),
            ("x", "x\n\nP\n===\np", "x\n\nN\n===\nn", "x\n\nP\n===\np\n\nN\n===\nn"),
            ("# A\n\nx\n\n# B\n\ny\n", "# A\n\nx\n\n# B2\n\ny\n", "# A\n\nx\n\n# B\n\nY\n", "# A\n\nx\n\n# B2\n\nY\n"),
            (
                "x\n\n[^a]: 1\n",
                "x\n\n[^a]: 1\n[^b]: 2\n",
                "x\n\n[^a]: 1\n[^c]: 3\n",
                "x\n\n[^a]: 1\n[^b]: 2\n[^c]: 3\n",
            ),
            ("- l\n- k\n\n# B\n", "- k\n\n# B\n- l\n", "- l\n- k\n- n\n\n# B\n", "- k\n- n\n\n# B\n- l\n"),
            ("", "a\n", "", "a\n"),
        ],
    )
    def test_changes_that_can_stand_together_do(self, base: str, one: str, other: str, result: str) -> None:
        """Apart, as list items at one place, in sections that moved, that are new or that were renamed."""
        assert merge_text(base, one, other).text == result

    @pytest.mark.parametrize(
        ("base", "one", "other", "where", "lines"),
        [
            ("x\n", "y\n", "z\n", "", ("y", "z")),
            ("a\nb\n", "A\nb\n", "a\nB\n", "", ("A\nb", "a\nB")),
            ("# A\n\n- x\n", "# A\n\n- y\n", "# A\n\n- z\n", "A", ("- y", "- z")),
            ("# A\n\nx\n", "# A\n\nx\n\np\n", "# A\n\nx\n\nn\n", "A", ("\np", "\nn")),
            ("# A\n\nx\n# B\ny\n", "# A\n\nx\n", "# A\n\nx\n# B\nY\n", "A", ("", "# B\nY")),
            ("[^a]: 1\n", "[^a]: 1\n[^b]: 2\n", "[^a]: 1\n[^b]: 3\n", "", ("[^b]: 2", "[^b]: 3")),
        ],
    )
    def test_changes_that_exclude_each_other_are_conflicts(
        self, base: str, one: str, other: str, where: str, lines: tuple[str, str]
    ) -> None:
        """The same line in two ways, two paragraphs at one place, a section deleted here and changed there."""
        merged = merge_text(base, one, other)

        assert merged.text is None
        assert [(found.where, "\n".join(found.one), "\n".join(found.other)) for found in merged.conflicts] == [
            (where, *lines)
        ]

    def test_line_ends_are_those_of_the_first(self) -> None:
        """A person's file from Windows does not get the agent's line ends, nor a mixed one others where it has them."""
        assert merge_text("a\n\nb\n", "a\r\n\r\nb\r\nc\r\n", "A\n\nb\n").text == "A\r\n\r\nb\r\nc\r\n"
        assert merge_text("a\nb\n\nc\n\ne\n", "a\r\nb\n\nc\n\nE\n", "a\nb\n\nC\n\ne\n").text == "a\r\nb\n\nC\r\n\nE\n"

    @pytest.mark.parametrize("size", [500, 1900, 20_000])
    @pytest.mark.parametrize("kinds", [5, 1_000_000])
    def test_long_texts_merge_in_seconds(self, size: int, kinds: int) -> None:
        """Every second line is empty, the others equal to many or to none: what makes diffs slow."""
        base = [f"- {n % kinds}" if n % 2 else "" for n in range(size)]
        one, other = ["p", *base, "p"], [*base[: size // 2], "n", *base[size // 2 :]]
        with ends():
            merged = merge_text(text(base), text(one), text(other))

        assert merged.text == text(["p", *other, "p"]) or (kinds == 5 and size > 1000 and merged.conflicts)


HEAD = "---\nid: n\ntags:\n  - a\n  - b\nstatus: draft # s\nupdated: 2026-01-01\n---\n"
TAGS, END = "tags:\n  - a\n  - b\n", "status: draft # s\nupdated: 2026-01-01\n"


class TestNotes:
    """Whole files."""

    @pytest.mark.parametrize(
        ("one", "other", "result"),
        [
            (("  - b", "  - b\n  - p"), ("  - a\n", ""), ("  - a\n  - b", "  - b\n  - p")),
            (("  - b", "  - b\n  - p"), ("  - b", "  - q\n  - b"), ("  - b", "  - b\n  - p\n  - q")),
            (("draft", "current"), ("01-01", "01-02"), (END, "status: current # s\nupdated: 2026-01-02\n")),
            (("# s", "# mine"), ("draft", "current"), ("draft # s", "current # mine")),
            (("id: n\n", "m: {}\nid: n\n"), ("  - a\n", ""), ("id: n\n" + TAGS, "m: {}\nid: n\ntags:\n  - b\n")),
            (("draft # s", "true # s\nx: 1"), ("draft", "false"), ("draft # s", "false # s\nx: 1")),
            (("id: n\n", "id: n\np: 1\n"), ("id: n\n", "id: n\no: 1\n"), ("id: n\n", "id: n\np: 1\no: 1\n")),
            ((TAGS, "tags: [b, a]\n"), ("  - b", "  - b\n  - q"), (TAGS, 'tags: ["b", "a", "q"]\n')),
        ],
    )  # fmt: skip
    def test_properties_merge_one_by_one(
        self, one: tuple[str, str], other: tuple[str, str], result: tuple[str, str]
    ) -> None:
        """Lists as sets, everything else by who changed it; order, comments and form are the first one's."""
        rules = {"status": lambda *values: min(values)}
        merged = merge_notes(HEAD, HEAD.replace(*one, 1), HEAD.replace(*other, 1), rules)

        assert merged.text == HEAD.replace(*result, 1)

    def test_a_property_set_in_two_ways_is_a_conflict_unless_a_rule_knows_better(self) -> None:
        """The conflict has the property's name and its lines; a rule is asked with both values."""
        one, other = HEAD.replace("draft", "current").replace("01-01", "01-03"), HEAD.replace("draft", "superseded")
        other = other.replace("01-01", "01-02")
        found = merge_notes(HEAD, one, other, {"updated": max}).conflicts

        assert [(conflict.where, conflict.one_line, conflict.one, conflict.other) for conflict in found] == [
            ("status", 6, ("status: current # s",), ("status: superseded # s",))
        ]
        rules = {"updated": max, "status": lambda *values: "superseded" if "superseded" in values else None}
        assert merge_notes(HEAD, one, other, rules).text == one.replace("current", "superseded")

    def test_a_property_deleted_here_and_changed_there_is_a_conflict(self) -> None:
        """Neither is taken for the truth."""
        one, other = HEAD.replace("status: draft # s\n", ""), HEAD.replace("draft", "current")

        assert [conflict.where for conflict in merge_notes(HEAD, one, other).conflicts] == ["status"]

    def test_broken_frontmatter_is_taken_whole_or_not_at_all(self) -> None:
        """What does not parse is not picked apart."""
        broken = HEAD.replace("  - a", "  - [a")

        assert merge_notes(HEAD, broken, HEAD + "x\n").text == broken + "x\n"
        assert [found.where for found in merge_notes(HEAD, broken, HEAD.replace("draft", "x")).conflicts] == [
            "frontmatter"
        ]

    def test_bom_and_windows_line_ends_stay(self) -> None:
        """Properties that come from the other side get them too."""
        one = "\ufeff" + (HEAD + "\na\n\nb\n").replace("\n", "\r\n")
        merged = merge_notes(HEAD + "\na\n\nb\n", one, HEAD.replace("  - b", "  - b\n  - q") + "\na\n\nB\n")

        assert merged.text == one.replace("  - b", "  - b\r\n  - q").replace("\r\nb\r\n", "\r\nB\r\n")

    def test_conflicts_in_the_body_count_lines_in_the_file(self) -> None:
        """Where an editor shows them."""
        found = merge_notes(HEAD + "a\nx\n", HEAD + "a\ny\n", "---\nid: n\n---\na\nz\n").conflicts

        assert [(conflict.one_line, conflict.other_line) for conflict in found if not conflict.where] == [(10, 5)]

    def test_lists_keep_what_both_hold_and_what_either_added(self) -> None:
        """And nothing that either took out."""
        assert merge_lists(("a", "b", "c"), ("c", "a", "p"), ("a", "b", "n")) == ["a", "p", "n"]
