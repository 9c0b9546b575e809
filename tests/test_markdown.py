"""``wwt_vault.markdown``: reading loses nothing, a splice changes one key, code never counts, all is bounded."""

from __future__ import annotations

import multiprocessing
from datetime import date, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from wwt_vault import markdown

ID = "20261130T015801Z-9f2c4e1ab07d"
OTHER = "20261130T015802Z-0123456789ab"

lines = st.sampled_from(
    [
        "---",
        "--- ",
        "----",
        "a: 1",
        "b: [x, y]",
        "- x",
        "# H",
        "",
        "\tx",
        "a: {",
        "...",
        "%%",
        "```",
        "안녕: 네",
        "c: |",
        "  z",
    ]
)
texts = st.builds(
    lambda bom, rows, ends: bom + "".join(row + end for row, end in zip(rows, ends, strict=False)),
    st.sampled_from(["", "\ufeff"]),
    st.lists(lines, max_size=12),
    st.lists(st.sampled_from(["\n", "\r\n", "\r", "", "\u2028"]), min_size=12, max_size=12),
)


class TestSplit:
    """Frontmatter is cut off and put back."""

    @given(st.one_of(st.text(), texts, st.binary().map(lambda data: data.decode("utf-8", "surrogateescape"))))
    @example("---\r\na: 1\r\n---")
    @example("\ufeff---\n---\n")
    @example("---\na: [\n---\nx")
    @example("---\na: 1\n")
    def test_joining_a_split_text_gives_the_text(self, text: str) -> None:
        """Whatever a file holds, cutting it at its frontmatter loses and changes nothing, and reading never raises."""
        parts = markdown.split(text)

        assert parts.join() == text
        markdown.read_frontmatter(parts, "x.md")

    @pytest.mark.parametrize(
        ("text", "block", "body"),
        [
            ("---\na: 1\n---\nB", "a: 1\n", "B"),
            ("\ufeff---\r\na: 1\r\n--- \r\nB", "a: 1\r\n", "B"),
            ("---\n---\nB", "", "B"),
            ("---\na: 1\n---", "a: 1\n", ""),
            ("\n---\na: 1\n---\nB", "", "\n---\na: 1\n---\nB"),
            ("----\na: 1\n----\nB", "", "----\na: 1\n----\nB"),
            ("---\na: 1\n----\nB", "", "---\na: 1\n----\nB"),
        ],
    )
    def test_frontmatter_stands_between_two_lines_of_three_hyphens_at_the_very_top(
        self, text: str, block: str, body: str
    ) -> None:
        """A rule further down, four hyphens, or an unclosed block is body, as in Obsidian."""
        parts = markdown.split(text)

        assert (block, body) == (parts.block, parts.body)


def read(block: str) -> markdown.Frontmatter:
    """Read one block of YAML."""
    return markdown.read_frontmatter(markdown.split(f"---\n{block}\n---\n"), "n.md")


class TestReadFrontmatter:
    """Values are text, problems are values."""

    def test_values_stay_the_text_they_are(self) -> None:
        """YAML 1.1 would make 690, False, a date and an error of these; a person meant the words."""
        values = read(
            "title: 12:30\naliases: [no, 0123]\ncreated: 2026-11-30\ndue: 2026-13-45\nx: null\ny: ~\nz:"
        ).values

        assert values == {
            "title": "12:30",
            "aliases": ["no", "0123"],
            "created": "2026-11-30",
            "due": "2026-13-45",
            "x": None,
            "y": None,
            "z": None,
        }

    def test_names_know_no_case_and_no_normal_form(self) -> None:
        """`Tags` and `tags` are one property, and so is a name typed in NFD on a Mac."""
        values = read("Tags: a\n\u1112\u1161\u11ab: b").values

        assert values == {"tags": "a", "한": "b"}

    def test_a_template_placeholder_is_text(self) -> None:
        """`{{date}}`, to YAML a map in a map, is what every Obsidian template has there."""
        found = read("created: {{date}}\ntags:\n  - t")

        assert (found.problems, found.values) == ((), {"created": "{{date}}", "tags": ["t"]})

    @pytest.mark.parametrize(
        ("block", "line"),
        [
            ("a: 1\nb: [x", 4),
            ("a: 1\n\tb: 2", 3),
            ("a: b: c", 2),
            ("just words", 1),
            ("- a\n- b", 1),
            ("a: !!python/object/apply:os.system [x]\nb: *nowhere", 3),
            ("a: \x00", 1),
            ("a: 1\n--- \n", None),
            ("[" * 60_000, 2),
            ("{a: " * 15_000, 2),
            ("- " * 30_000, 2),
            ("a: " + "x" * 70_000, 1),
        ],
    )
    def test_broken_yaml_is_a_problem_with_its_line(self, block: str, line: int | None) -> None:
        """The text is then read as text; nothing raises, nothing recurses without end, nothing is constructed."""
        found = read(block)
        if line is None:
            assert not found.broken
            return

        assert found.broken
        assert (found.values, len(found.problems)) == ({}, 1)
        assert (found.problems[0].code, found.problems[0].path) == ("broken_frontmatter", "n.md")
        assert abs(found.problems[0].line - line) <= 1

    def test_a_bomb_of_aliases_is_refused_at_once(self) -> None:
        """Nine levels of ten aliases would be a billion values."""
        levels = zip("abcdefgh", "bcdefghi", strict=True)
        bomb = "a: &a [x]\n" + "\n".join(f"{b}: &{b} [{', '.join([f'*{a}'] * 10)}]" for a, b in levels)

        assert read(bomb).broken

    def test_few_aliases_are_a_persons_and_are_read(self) -> None:
        """Anchors are YAML; a handful is no bomb."""
        assert markdown.strings(read("a: &x [p, q]\nb: *x").values, "b") == ("p", "q")

    def test_a_list_within_itself_is_broken(self) -> None:
        """An alias of the list it stands in has no end."""
        assert read("a: &x [*x]").broken

    def test_a_doubled_key_is_noticed_and_the_last_counts(self) -> None:
        """A merge of two machines leaves such; the line is told."""
        found = read("id: one\ntype: topic\nID: two")

        assert (found.values["id"], found.broken) == ("two", False)
        assert [(p.code, p.line) for p in found.problems] == [("duplicate_key", 4)]

    def test_frontmatter_without_its_second_line_is_a_problem_and_not_a_rule(self) -> None:
        """`---` and a key without an end is a mistake; `---` and prose is a horizontal rule."""
        assert markdown.read_frontmatter(markdown.split("---\na: 1\n\ntext"), "n.md").problems[0].line == 1
        assert markdown.read_frontmatter(markdown.split("---\nprose\n"), "n.md").problems == ()

    def test_access_is_by_kind(self) -> None:
        """One text, a list of texts, a tick: whatever form the person chose."""
        values = read("a: x\nb: [x, '', y]\nc: [[Shop]]\nd: yes\ne: 'true'\nf: false\ng: {h: i}").values

        assert markdown.strings(values, "a") == ("x",)
        assert markdown.strings(values, "b") == ("x", "y")
        assert markdown.string(values, "c") == "Shop"
        assert (markdown.string(values, "g"), markdown.string(values, "missing")) == (None, None)
        assert [markdown.flag(values, key) for key in ("d", "e", "f", "missing")] == [True, True, False, False]


words = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
values_written = st.one_of(words, st.booleans(), st.integers(-9, 9), st.dates(), st.lists(words, max_size=3))


def as_read(value: object) -> object:
    """Return what reading gives for a written value."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return list(value) if isinstance(value, list) else value.isoformat() if isinstance(value, date) else str(value)


class TestWriteFrontmatter:
    """Writing is rendering a new block, or splicing one key into an old one."""

    @given(st.dictionaries(st.sampled_from(["id", "type", "aliases", "x_y", "한글"]), values_written))
    @example({"a": "yes", "b": "12:30", "c": "- x", "d": "\u2028\x85\ufeff\x7f", "e": ["[[A|b]]", "#x", "'\""]})
    def test_what_is_rendered_is_read_back(self, values: dict[str, object]) -> None:
        """Any text survives, by our reader and by YAML's own."""
        text = markdown.render_frontmatter(values)
        found = markdown.read_frontmatter(markdown.split(text), "n.md")

        assert found.problems == ()
        assert found.values == {key: as_read(value) for key, value in values.items()}
        plain = yaml.load(markdown.split(text).block, Loader=yaml.BaseLoader) or {}
        assert plain == found.values

    def test_dates_stand_bare_as_obsidian_wants_them(self) -> None:
        """Obsidian's date, date-and-time and checkbox properties are unquoted; links are quoted."""
        text = markdown.render_frontmatter(
            {
                "created": datetime(2026, 11, 30, 10, 58, 1, 5, ZoneInfo("Asia/Seoul")),
                "day": date(2026, 11, 30),
                "ok": False,
                "part_of": ["[[A]]"],
            }
        )

        assert text == '---\ncreated: 2026-11-30T10:58:01\nday: 2026-11-30\nok: false\npart_of:\n  - "[[A]]"\n---\n'

    @pytest.mark.parametrize(
        ("before", "after"),
        [
            ("---\na: 1\nk: old # why\nb: 2\n---\nB", "---\na: 1\nk: new # why\nb: 2\n---\nB"),
            ("---\na: 1 # x\n# end\n---\nB", "---\na: 1 # x\n# end\nk: new\n---\nB"),
            ("---\r\na: 1\r\n---\r\nB", "---\r\na: 1\r\nk: new\r\n---\r\nB"),
            ("\ufeff---\nk: 'old'\n---\n", "\ufeff---\nk: new\n---\n"),
            ("---\nk:\nb: 2\n---\n", "---\nk: new\nb: 2\n---\n"),
            ("---\nK:   old\n---\n", "---\nK:   new\n---\n"),
            ("---\nk: |\n  old\n  older\n\n# c\nb: 2\n---\n", "---\nk: new\n\n# c\nb: 2\n---\n"),
            ("---\nk:\n  - x\n  - y # z\n# c\nb: 2\n---\n", "---\nk: new # z\n# c\nb: 2\n---\n"),
            ("---\nk: 1\nk: 2\n---\n", "---\nk: 1\nk: new\n---\n"),
            ("---\n{a: 1, k: 2}\n---\n", "---\n{a: 1, k: new}\n---\n"),
            ("---\n---\nB", "---\nk: new\n---\nB"),
            ("B\r\nC", "---\r\nk: new\r\n---\r\nB\r\nC"),
            ("\ufeffB", "\ufeff---\nk: new\n---\nB"),
            ("", "---\nk: new\n---\n"),
        ],
    )
    def test_setting_a_key_changes_nothing_else(self, before: str, after: str) -> None:
        """Order, comments, line ends, BOM and odd forms stay as the person left them."""
        assert markdown.set_keys(before, {"k": "new"}) == after

    @pytest.mark.parametrize(
        ("before", "after"),
        [
            ("---\nk: [a, b] # c\n---\n", '---\nk: ["x y", "[[Z]]"] # c\n---\n'),
            ("---\nk:\n- a\n# c\nb: 2\n---\n", '---\nk:\n- x y\n- "[[Z]]"\n# c\nb: 2\n---\n'),
            ("---\nk:\n    - a\n    - b\n---\n", '---\nk:\n    - x y\n    - "[[Z]]"\n---\n'),
            ("---\nb: 1\n---\n", '---\nb: 1\nk:\n  - x y\n  - "[[Z]]"\n---\n'),
            ("---\nk: a\n---\n", '---\nk: ["x y", "[[Z]]"]\n---\n'),
        ],
    )
    def test_a_list_keeps_the_form_it_had(self, before: str, after: str) -> None:
        """One line stays one line, dashes stay dashes at their column."""
        assert markdown.set_keys(before, {"k": ["x y", "[[Z]]"]}) == after

    @given(texts, st.sampled_from(["a", "b", "new", "안녕"]), values_written)
    @settings(max_examples=300)
    def test_a_splice_is_exact_or_refused(self, text: str, key: str, value: object) -> None:
        """For any text: the key has the value, every other key its own, the body every byte; else ``ValueError``."""
        before = markdown.split(text)
        try:
            after = markdown.split(markdown.set_keys(text, {key: value}))
        except ValueError:
            return
        was, now = (markdown.read_frontmatter(parts, "n.md").values for parts in (before, after))

        assert now == {**was, key: as_read(value)}
        assert (before.bom, before.body) == (after.bom, after.body)

    @pytest.mark.parametrize("block", ["a: [", "k: &x old\nb: *x", "{a: 1}", "words"])
    def test_what_cannot_be_spliced_is_refused(self, block: str) -> None:
        """Broken YAML, an anchor others refer to, one-line JSON without the key: a person has to mend that."""
        with pytest.raises(ValueError, match=r"."):
            markdown.set_keys(f"---\n{block}\n---\n", {"k": "new"})


BODY = f"""intro `code [^{ID}]` [^{ID}]

# One

text #tag #한글/하위 #123 #1a x#no `#code`
- outer
  - inner [^{OTHER}]

    more of inner
  1. numbered
- [[Note#H1#H2|alias]] and ![[pic.png|640x480]] and [[#^blk]] %%[[hidden]]%% <!-- [^{ID}] -->

## Two ##
```python
# not a heading [^{ID}] [[no]] #no
```

    indented [[no]]

| a | b |
|---|---|
| [[x\\|y]] | `|` |

Under
=====
last line ^blk-1

[^{ID}]: [[Session#^{ID}|claude-code]]
[^note]: first
    second

> # quoted heading
> - quoted item
"""


class TestStructure:
    """Blocks and their lines."""

    def test_headings_have_levels_paths_and_lines(self) -> None:
        """Closing marks are cut, underlined headings count, code and quotes hold none."""
        found = [(h.level, h.line, " > ".join(h.path)) for h in markdown.parse(BODY).headings]

        assert found == [(1, 3, "One"), (2, 13, "One > Two"), (1, 24, "Under")]

    def test_lines_are_counted_in_the_file(self) -> None:
        """Whatever ends them, and behind frontmatter: the number an editor shows."""
        assert [h.line for h in markdown.parse("a\r\n\r\n# H\rx\n## I\u2028y", first_line=5).headings] == [7, 9]

    def test_parts_cover_everything_but_headings(self) -> None:
        """Each part knows its headings, its first line and where it begins; empty ones are left out."""
        structure = markdown.parse("\n \nintro\n\n# A\n## B\n\n\nunder b\n\n# C\n")
        found = list(markdown.parts(structure))

        assert [(p.path, p.line, p.text) for p in found] == [((), 3, "intro"), (("A", "B"), 9, "under b")]
        assert all(structure.text.startswith(p.text, p.start) for p in found)

    def test_a_section_reaches_over_its_deeper_headings(self) -> None:
        """To the next heading of its level or a higher one, or the end."""
        structure = markdown.parse("# A\n## B\nx\n### C\n## D\n# E\nend")
        found = {h.text: markdown.section_lines(structure, h) for h in structure.headings}

        assert found == {"A": (1, 6), "B": (2, 5), "C": (4, 5), "D": (5, 6), "E": (6, 8)}

    def test_items_own_the_lines_that_no_inner_item_owns(self) -> None:
        """An outer bullet does not own the citation of an inner one."""
        found = {item.line: item.own for item in markdown.parse(BODY).items}

        assert found[6] == ((6, 7),)
        assert found[7][0] == (7, 10)
        assert {10, 11, 33} <= found.keys()

    def test_code_and_tables_are_found(self) -> None:
        """By first line and first line behind."""
        structure = markdown.parse(BODY)

        assert structure.fences == ((14, 17), (18, 19))
        assert structure.tables == ((20, 23),)

    @given(st.text(alphabet="`\\ a\n>-", max_size=60))
    def test_prose_has_the_length_and_lines_of_the_text(self, text: str) -> None:
        """Blanking keeps every offset and every line end."""
        prose = markdown.parse(text).prose

        assert len(prose) == len(text)
        assert [i for i, c in enumerate(prose) if c == "\n"] == [i for i, c in enumerate(text) if c == "\n"]

    @pytest.mark.parametrize(
        ("text", "prose"),
        [
            ("a `b` c", "a     c"),
            ("a ``b ` c`` d", "a           d"),
            (r"a \`b` c", r"a \`b` c"),
            ("a `b", "a `b"),
            ("a `b\nc` d", "a   \n   d"),
            ("`a\n\nb`", "`a\n\nb`"),
            ("- `a`\n- `b", "-    \n- `b"),
            ("a %%b%% c", "a       c"),
            ("`%%` a %%", "     a %%"),
            ("~~~\nx\n~~~\ny", "   \n \n   \ny"),
        ],
    )
    def test_code_spans_follow_commonmark(self, text: str, prose: str) -> None:
        """Runs of equal length pair up inside one block; an escaped backtick opens nothing."""
        assert markdown.parse(text).prose == prose


class TestInline:
    """Links, tags, citations and the rest."""

    def test_links_have_target_place_and_alias(self) -> None:
        """Embeds, headings, blocks, table bars; none from code or comments."""
        found = [(ln.target, ln.heading, ln.block, ln.alias, ln.embed) for ln in markdown.links(markdown.parse(BODY))]

        assert found == [
            ("Note", "H1#H2", None, "alias", False),
            ("pic.png", None, None, "640x480", True),
            ("", None, "blk", None, False),
            ("x", None, None, "y", False),
            ("Session", None, ID, "claude-code", False),
        ]

    def test_a_property_holds_one_link(self) -> None:
        """Spaces around are trimmed; words beside a link make it no link."""
        assert markdown.read_link(" [[ A b ]] ").target == "A b"
        assert markdown.read_link("see [[A]]") is None
        assert markdown.read_link("A") is None

    def test_tags_follow_obsidian(self) -> None:
        """Letters of any script, `/`, at least one that is no digit, after space; each once."""
        assert markdown.tags(markdown.parse(BODY + "\n#Tag again #one-two_3, (x) #🌲 [[a #no]] http://x/#no")) == (
            "tag",
            "한글/하위",
            "1a",
            "one-two_3",
            "🌲",
        )

    def test_citations_are_references_outside_code(self) -> None:
        """Definitions, code spans, code blocks and comments cite nothing; a malformed id is told as such."""
        found = list(markdown.citations(markdown.parse(BODY + "\n\nx [^20261130T015801Z-9f2c] [^1]")))

        assert [(c.event, c.line, c.well_formed) for c in found] == [
            (ID, 1, True),
            (OTHER, 7, True),
            ("20261130T015801Z-9f2c", 36, False),
        ]

    def test_text_without_citations_keeps_other_footnotes(self) -> None:
        """Only event ids go: they say nothing to read or to search."""
        assert markdown.without_citations(f"a[^{ID}] b[^1] c [^{OTHER}].") == "a b[^1] c ."

    def test_footnote_definitions_reach_over_their_indented_lines(self) -> None:
        """Label, first line, first line behind, first line's text."""
        found = [(f.label, f.line, f.end, f.text) for f in markdown.footnotes(markdown.parse(BODY))]

        assert found == [(ID, 28, 29, f"[[Session#^{ID}|claude-code]]"), ("note", 29, 31, "first")]

    def test_block_ids_stand_at_the_end_of_a_line(self) -> None:
        """Alone or after space, and nowhere else."""
        found = list(markdown.block_ids(markdown.parse(f"a ^one\r\n\r\n^{ID}\nb^no ^no x\n`x ^no`\n")))

        assert found == [("one", 1), (ID, 3)]

    @pytest.mark.parametrize(
        ("text", "line"),
        [
            ("a\n<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> main\n", 2),
            ("<<<<<<< HEAD\r\nb\r\n||||||| base\r\nx\r\n=======\r\nc\r\n>>>>>>> main\r\n", 1),
            ("<<<<<<< HEAD\n```\n=======\n>>>>>>> main\ncode\n", 1),
            ("```\n<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> main\n```\n", None),
            ("Title\n=======\n\n>>>>>>> deep quote\n", None),
            ("<<<<<<< HEAD\nb\n", None),
            (" <<<<<<< HEAD\n=======\n>>>>>>> main\n", None),
        ],
    )
    def test_an_unresolved_conflict_is_seen(self, text: str, line: int | None) -> None:
        """All three markers in order at the start of lines; an example inside one code block is none."""
        assert markdown.conflict_line(markdown.parse(text)) == line


def everything(text: str) -> None:
    """Read all there is to read."""
    parts = markdown.split(text)
    markdown.read_frontmatter(parts, "x.md")
    structure = markdown.parse(parts.body)
    for reader in (markdown.links, markdown.citations, markdown.footnotes, markdown.block_ids, markdown.parts):
        list(reader(structure))
    markdown.tags(structure)
    markdown.conflict_line(structure)


PATHOLOGICAL = {
    "quotes in quotes": lambda n: ">" * n,
    "lists in lists": lambda n: "- " * n,
    "deeper and deeper": lambda n: "".join("  " * min(i, 300) + "- a\n" for i in range(n // 300)),
    "open brackets": lambda n: "[[" * n,
    "half citations": lambda n: "[^20261130T" * (n // 10),
    "backticks": lambda n: "".join("`" * (i % 500) + " " for i in range(n // 250)),
    "escaped backticks": lambda n: "\\`" * n,
    "open comments": lambda n: "<!-- " * n,
    "percent": lambda n: "%" * n,
    "fences": lambda n: "```\n" * (n // 4),
    "conflict halves": lambda n: "<<<<<<< a\n=======\n" * (n // 18),
    "one line": lambda n: "x" * n * 50,
    "empty lines": lambda n: "\n" * n,
    "spaces": lambda n: (" " * 1000 + "\n") * (n // 1000),
    "footnotes": lambda n: "[^a]: b\n" * (n // 8),
    "hashes": lambda n: "#" * n + " " + "#a" * n,
    "carets": lambda n: " ^a" * n,
    "open frontmatter": lambda n: "---\n" + "a: b\n" * (n // 5),
    "hyphens": lambda n: "---\n" * (n // 4),
}


class TestBounds:
    """No text takes time out of proportion to its length."""

    @pytest.mark.parametrize("name", PATHOLOGICAL)
    def test_no_text_hangs_a_reader(self, name: str) -> None:
        """A step that looks at every pair of letters would be at this for hours; it is ended after two minutes."""
        text = PATHOLOGICAL[name](200_000)
        reader = multiprocessing.get_context("spawn").Process(target=everything, args=(text,))
        reader.start()
        reader.join(120)
        hangs = reader.is_alive()
        reader.kill()

        assert not hangs
        assert reader.exitcode == 0

    def test_nesting_of_a_hundred_thousand_is_read(self) -> None:
        """No recursion error, in the body or in the frontmatter."""
        for text in (">" * 100_000, "- " * 100_000, "---\na: " + "[" * 60_000 + "\n---\n" + "> - " * 100_000):
            everything(text)


@pytest.mark.shared
def test_every_note_of_a_real_vault_is_read_whole(shared: Path) -> None:
    """Templates with placeholders included: each splits and joins to its bytes, and none has broken frontmatter."""
    notes = sorted((shared / "vaults" / "kepano").rglob("*.md"))
    assert len(notes) > 100

    for note in notes:
        text = note.read_bytes().decode("utf-8")
        parts = markdown.split(text)
        assert parts.join() == text
        assert markdown.read_frontmatter(parts, note.name).problems == ()
        everything(text)
        assert markdown.split(markdown.set_keys(text, {"zz_key": "v"})).body == parts.body
