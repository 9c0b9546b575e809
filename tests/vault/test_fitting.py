"""What a save does not mean to change keeps every byte, whatever the person's file looks like."""

from __future__ import annotations

import shutil
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.hanging import ends
from tests.vault.curating import AT, save, say
from wwt_vault import markdown
from wwt_vault.markdown.merge import split_lines
from wwt_vault.vault import Vault, fitting, notes
from wwt_vault.vault.notes import Edit

BLOCKS = [
    "plain words",
    "tail blanks  \nhard break\\\nnext",
    "\tindented by a tab",
    "- a\n  - b\n\t- c\n    1. d\n\n      para in d\n- [ ] todo\n- [x] done",
    "* star\n+ plus\n1) one\n10. ten",
    "| a | b |\n| --- | :-: |\n| [[Note\\|x]] | `|` |",
    "```python\n# not a heading\n- not an item [^20200101T000000Z-000000000000]\n```",
    "~~~~\n```\n~~~~",
    "> [!warning]- Folded\n> > [!note]\n> > inner\n> words",
    "> quote\n> - item",
    "%% a comment\nover lines %%",
    "<!-- html\ncomment --> <b>x</b>",
    "![[image.png|640x480]] ![[Note#^block]]",
    "```dataview\nTABLE file.ctime\nFROM #tag\nWHERE !completed\n```",
    "`= this.file.name` and `$= dv.pages().length`",
    '<% tp.date.now("YYYY-MM-DD") %>\n<%* if (true) { %>x<%* } %>',
    "{{title}} {{date:YYYY}}",
    "key:: value\n[inline:: field]",
    "$$\n\\sum_{i=1}^n x_i\n$$",
    "Setext\n---\nunder it",
    "* * *",
    "line with ^block-id",
    "[^1]: my own footnote\n    continued",
    "text with [^1] and [^my-note]",
    "#tag #nested/tag 한글 태그 #태그",
    "안녕하세요, 가나다 ﾊﾝｶｸ é é 👩‍👩‍👧",
    "\u200bzero width and\u00a0nbsp",
    "   \n \t \n",
    "",
]
HEADS = [
    "",
    "# comment\nmine: {a: 1, b: [x]} # flow\n",
    "aliases: [A, 'B''s', \"C\"]\n\n\ncssclasses:\n- x\n- y\n",
    "Tags:   [a,\n  b]   # odd\nnumber: 012\nyes: no\n",
    "text: |\n  literal\n   block\nfolded: >-\n  a\n  b\n",
    "키: '값'\ndate: 2026-01-01\n\"quoted key\": x\n",
]


@st.composite
def files_of_people(draw: st.DrawFn) -> tuple[str, int]:
    """Return a note as somebody may have written it, with a free choice of everything, and how many sections it has."""
    ends = draw(st.sampled_from([["\n"], ["\r\n"], ["\n", "\n", "\r\n"], ["\r\n", "\r\n", "\n"]]))
    count = draw(st.integers(1, 4))
    body = draw(st.sampled_from(["", "\n", "\n\n\n", " \n"])) + "intro [^{event}]\n"
    for number in range(count):
        heading = draw(st.sampled_from(["## S{}", "# S{}", "### S{} #", "S{}\n==="])).format(number)
        gap, below = draw(st.sampled_from(["", "\n", "\n\n"])), draw(st.sampled_from(["", "\n"]))
        text = "\n\n".join(draw(st.lists(st.sampled_from(BLOCKS), min_size=1, max_size=3)))
        body += f"{gap}\n{heading}\n{below}{text}\n"
    if draw(st.booleans()):
        body = body.rstrip("\n")
    head = f"---\n{draw(st.sampled_from(HEADS))}id: {{id}}\ntype: topic # c\n{draw(st.sampled_from(HEADS[:2]))}---\n"
    lines = split_lines(head + body)
    text = "".join(line + (draw(st.sampled_from(ends)) if end else "") for line, end in lines)
    return draw(st.sampled_from(["", "\ufeff"])) + text, count


def heading_lines(text: str) -> list[int]:
    """Return the lines of the generated headings."""
    parts = markdown.split(text)
    first = 1 + parts.head.count("\n")
    found = markdown.parse(parts.body, first).headings
    return [heading.line for heading in found if heading.text.startswith("S") and heading.text[1:].isdigit()]


def without_footnotes(text: str) -> str:
    """Cut a file at the definitions of our citations, which stand at its end."""
    return text.partition("\n[^2026")[0].rstrip("\r\n")


@pytest.fixture
def event(vault: Vault) -> str:
    """Say something to cite."""
    return say(vault, "x")


def put(vault: Vault, event: str, text: str) -> Path:
    """Write the person's note, without any history of the one before it."""
    shutil.rmtree(vault.root / ".wwt" / "revisions", ignore_errors=True)
    path = vault.root / "N.md"
    path.write_bytes(text.replace("{event}", event).replace("{id}", "n1").encode())
    return path


LATER = {"at": AT + timedelta(days=1)}
HOW = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@given(files_of_people(), st.data())
@HOW
def test_a_whole_body_changes_the_section_it_means_and_no_other_byte(
    vault: Vault, event: str, made: tuple[str, int], data: st.DataObject
) -> None:
    """An agent sends the whole body back, with the line ends and last lines that its client made of it."""
    path = put(vault, event, made[0])
    before = path.read_bytes().decode()
    starts = heading_lines(before)
    if not starts:
        return
    chosen = data.draw(st.integers(0, len(starts) - 1))
    lines = split_lines(before)
    behind = starts[chosen + 1] - 1 if chosen + 1 < len(starts) else len(lines)
    first = markdown.split(before).head.count("\n")
    sent = [line for line, _ in lines[first : starts[chosen] - 1]]
    sent += ["## Changed", "", f"new words [^{event}]", "", *(line for line, _ in lines[behind:])]
    body = "\n".join(sent).strip("\n")
    save(vault, "N", body, notes.read_note(vault, "N").revision)
    after = path.read_bytes().decode()

    head, tail = markdown.split(after), "".join(line + end for line, end in lines[behind:])
    was = markdown.split(before)
    kept = "".join(line + end for line, end in lines[first : starts[chosen] - 1])
    assert head.bom == was.bom
    assert head.block.startswith(was.block)
    assert head.body.startswith(kept.rstrip("\r\n"))
    if behind < len(lines):
        assert tail.rstrip("\r\n") in head.body
    assert after.endswith("\n") == before.endswith("\n")
    assert "new words" in after


@given(files_of_people(), st.data())
@HOW
def test_a_part_edit_changes_its_section_and_no_other_byte(
    vault: Vault, event: str, made: tuple[str, int], data: st.DataObject
) -> None:
    """Replaced, added to, or an entry for the history: what stands above and below is the same to the byte."""
    path = put(vault, event, made[0])
    before = path.read_bytes().decode()
    starts = heading_lines(before)
    names = [f"S{number}" for number in range(made[1]) if before.count(f"S{number}") == 1]
    if len(starts) != made[1] or not names:
        return
    name = data.draw(st.sampled_from(names))
    how = data.draw(st.sampled_from(["replace", "append", "history"]))
    there = notes.read_note(vault, "N")
    edit = Edit(how, f"- new words [^{event}]", name)
    save(vault, "N", notes.with_edits(there, [edit], day=AT.date()), there.revision, **LATER)
    after = path.read_bytes().decode()

    lines, was, now = split_lines(before), markdown.split(before), markdown.split(after)
    first = was.head.count("\n")
    at = starts[int(name[1:])] - 1
    place = next(place for place in markdown.parse(was.body, first + 1).headings if place.line == at + 1)
    _, behind = markdown.section_lines(markdown.parse(was.body, first + 1), place)
    assert now.bom == was.bom
    assert now.block.startswith(was.block)
    assert "new words" in now.body
    if how == "replace":
        assert now.body.startswith("".join(line + end for line, end in lines[first : place.end - 1]).rstrip("\r\n"))
        assert "".join(line + end for line, end in lines[behind - 1 :]).rstrip("\r\n") in now.body
        return
    # Something was put in between: all that was there is there, in order, with its blanks and line ends.
    rest = iter(split_lines(now.body))
    for text, end in lines[first:]:
        if text.strip():
            assert any(found == text and (found_end == end or not end) for found, found_end in rest), text


@given(files_of_people())
@HOW
def test_properties_alone_leave_the_whole_body(vault: Vault, event: str, made: tuple[str, int]) -> None:
    """But for the footnotes that it did not have."""
    path = put(vault, event, made[0])
    before = path.read_bytes().decode()
    there = notes.read_note(vault, "N")
    save(vault, "N", there.text, there.revision, status="draft", **LATER)
    after = path.read_bytes().decode()

    body = markdown.split(before).body
    assert markdown.split(after).body.startswith(body.rstrip("\r\n"))
    assert without_footnotes(after).count("\n") >= before.rstrip("\r\n").count("\n")
    again = notes.read_note(vault, "N")
    assert save(vault, "N", again.text.replace("\r\n", "\n"), again.revision).revision == again.revision


class TestFootnotes:
    """Definitions of citations stand where they stand."""

    def body(self, text: str) -> fitting.Body:
        """Read a body."""
        return fitting.read_body(markdown.parse(text))

    A, B, C = ("20261130T015801Z-00000000000a", "20261130T015801Z-00000000000b", "20261130T015801Z-00000000000c")

    def test_they_stay_in_their_places_and_new_ones_follow(self) -> None:
        """In the middle of a note too; one that is no longer cited goes, and nothing else."""
        old = f"x\n\n[^{self.A}]: a\n[^{self.B}]: b\n\ny\n\n[^1]: mine\n"
        new = fitting.fitted(
            self.body(old), ["x", "", "", "y", "", "[^1]: mine"], {self.A: f"[^{self.A}]: a", self.C: f"[^{self.C}]: c"}
        )

        assert new == f"x\n\n[^{self.A}]: a\n[^{self.C}]: c\n\ny\n\n[^1]: mine\n"

    def test_a_definition_that_leads_elsewhere_is_written_anew(self) -> None:
        """In its place; one that a person gave other words stays as it is."""
        old = f"x\n\n[^{self.A}]: [[S#^{self.A}|my words]]\n[^{self.B}]: [[Gone#^{self.B}|b]]\n"
        wanted = {label: f"[^{label}]: [[S#^{label}|label]]" for label in (self.A, self.B)}
        from wwt_vault.vault.evidence import leads_the_same_way

        new = fitting.fitted(self.body(old), ["x"], wanted, leads_the_same_way)
        assert new == f"x\n\n[^{self.A}]: [[S#^{self.A}|my words]]\n[^{self.B}]: [[S#^{self.B}|label]]\n"

    @pytest.mark.parametrize("old", ["", "x", "x\n", "x\n\n\n", "\r\nx\r\n", f"x\n[^{A}]: a"])
    def test_the_first_ones_stand_apart(self, old: str) -> None:
        """One empty line below the text, with the file's line ends and without a last one if it has none."""
        new = fitting.fitted(self.body(old), ["x"], {self.A: f"[^{self.A}]: a"})
        end = "\r\n" if "\r\n" in old else "\n"

        assert new.strip("\r\n") in (
            f"x{end}{end}[^{self.A}]: a",
            f"x{end}{end}{end}[^{self.A}]: a",
            f"x{end}[^{self.A}]: a",
        )
        assert new.endswith("\n") == (old == "" or old.endswith("\n"))

    def test_a_long_note_does_not_hang(self) -> None:
        """Twenty thousand equal lines, changed at both ends."""
        lines = ["- same"] * 20_000
        with ends():
            new = fitting.fitted(self.body("\r\n".join(lines)), ["first", *lines[1:-1], "last"], {})

        assert new.startswith("first\r\n- same\r\n")
        assert new.endswith("\r\nlast")
