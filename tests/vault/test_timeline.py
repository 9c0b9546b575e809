"""A note in time: every revision can be seen, compared and gone back to, and a day can be asked for."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta

import pytest

from tests.vault.curating import AT, at, files_of, save, say
from wwt_vault import markdown
from wwt_vault.errors import Locked, NotFound, StaleRevision
from wwt_vault.model.knowledge import Note
from wwt_vault.vault import Vault, check, layout, notes, timeline

DAY = timedelta(days=1)


@pytest.fixture
def three(vault: Vault) -> list[Note]:
    """Return the revisions of a note: two saves, a person's edit on day 3, a save on day 5."""
    event = say(vault, "x")
    first = save(vault, "T", f"one [^{event}]\n", type="topic", tags=["a"], status="draft")
    second = save(vault, "T", f"two [^{event}]\n", first.revision, at=AT + DAY, tags=["b"], status="current")
    path = at(vault, first)
    path.write_text(path.read_text("utf-8").replace("\n\n[^", "\n\n- mine\n\n[^"), "utf-8")
    edited = (AT + 3 * DAY).timestamp()
    os.utime(path, (edited, edited))
    third = notes.read_note(vault, "T")
    fourth = save(vault, "T", f"four [^{event}]\n\n- mine\n", third.revision, at=AT + 5 * DAY)
    return [first, second, third, fourth]


def back(vault: Vault, to: str, revision: str, when: datetime = AT + 9 * DAY) -> Note:
    """Restore as a person's command does."""
    locks = vault.root.parent / "locks"
    return timeline.restore(vault, "T", to=to, revision=revision, written_by="wwt", at=when, locks=locks)


class TestAsOf:
    """What it said on a day."""

    @pytest.mark.parametrize(("day", "index"), [(0, 0), (0.5, 0), (1, 1), (2.9, 1), (3, 2), (4.9, 2), (5, 3), (99, 3)])
    def test_the_revision_of_that_time(self, vault: Vault, three: list[Note], day: float, index: int) -> None:
        """A person's by when they saved it, the program's by its record."""
        there = timeline.as_of(vault, "T", AT + day * DAY)

        assert there is not None
        assert (there.record.revision, there.text) == (three[index].revision, three[index].text)
        assert there.record.written_by == (None if index == 2 else "claude-code")

    def test_before_it_was_there_is_nothing(self, vault: Vault, three: list[Note]) -> None:
        """Not an error: it was not known then."""
        assert timeline.as_of(vault, "T", AT - DAY) is None

    def test_an_edit_that_is_in_the_note_now_counts_from_its_files_time(self, vault: Vault, three: list[Note]) -> None:
        """Until a save has looked at it, the file is the only witness; a page has no other."""
        path = at(vault, three[0])
        path.write_text(path.read_text("utf-8") + "\nlast\n", "utf-8")
        when = (AT + 7 * DAY).timestamp()
        os.utime(path, (when, when))
        late, early = (timeline.as_of(vault, "T", AT + day * DAY) for day in (8, 6))

        assert late is not None
        assert early is not None
        assert late.text.endswith("last\n")
        assert early.text == three[3].text
        page = vault.root / "Page.md"
        page.write_text("x")
        os.utime(page, (when, when))
        assert timeline.as_of(vault, "Page", AT + 6 * DAY) is None
        assert timeline.as_of(vault, "Page", AT + 8 * DAY) is not None

    def test_the_title_is_that_of_then(self, vault: Vault) -> None:
        """Where the note gives itself one."""
        event = say(vault, "x")
        path = vault.root / "M.md"
        path.write_text(f"---\nid: m1\ntype: topic\ntitle: Old\n---\na [^{event}]", "utf-8")
        note = save(vault, "M", f"b [^{event}]", notes.read_note(vault, "M").revision)
        path.write_text(note.text.replace("title: Old", "title: New"), "utf-8")
        there = timeline.as_of(vault, "M", datetime.now(UTC) + DAY)

        assert there is not None
        assert there.title == "New"


class TestDiff:
    """What changed."""

    def test_between_any_two_and_by_default_the_last_two(self, vault: Vault, three: list[Note]) -> None:
        """By 12 digits; a person's revision counts."""
        whole = timeline.diff(vault, "T", three[0].revision[:12], three[3].revision)

        assert "-one [^" in whole
        assert "+four [^" in whole
        assert "+- mine" in whole
        assert "mine" not in "".join(line for line in timeline.diff(vault, "T").splitlines() if line[0] in "+-")
        assert "+- mine" in timeline.diff(vault, "T", new=three[2].revision)
        assert timeline.diff(vault, "T", limit=2).endswith("more lines)")

    def test_what_is_not_kept_is_said(self, vault: Vault, three: list[Note]) -> None:
        """An unknown revision; the first has none before it."""
        with pytest.raises(NotFound):
            timeline.diff(vault, "T", "0" * 64)
        with pytest.raises(NotFound, match="no revision before"):
            timeline.diff(vault, "T", new=three[0].revision)


class TestRestore:
    """Back to an earlier one."""

    def test_text_and_properties_are_those_of_then_and_the_history_grows(self, vault: Vault, three: list[Note]) -> None:
        """Also over a person's edit, which is kept; what only the person has set stays."""
        path = at(vault, three[0])
        path.write_text(path.read_text("utf-8").replace("type: topic", "type: topic\nown: 1 # c"), "utf-8")
        there = notes.read_note(vault, "T")
        after = back(vault, three[0].revision[:12], there.revision)
        values = markdown.read_frontmatter(markdown.split(after.text), "").values

        assert markdown.split(after.text).body == markdown.split(three[0].text).body
        assert (values["tags"], values["status"], values["own"]) == (["a"], "draft", "1")
        assert notes.history(vault, "T")[-1].reason == f"restored revision {three[0].revision[:12]}"
        assert notes.read_revision(vault, "T", there.revision) == there.text
        assert len(notes.history(vault, "T")) == 6

    def test_a_persons_edit_can_be_undone(self, vault: Vault, three: list[Note]) -> None:
        """Restoring is the one save that may take their lines out: they asked for it."""
        path = at(vault, three[0])
        path.write_text(path.read_text("utf-8") + "\noops\n", "utf-8")
        after = back(vault, three[3].revision, notes.read_note(vault, "T").revision)

        assert markdown.split(after.text).body == markdown.split(three[3].text).body

    def test_it_is_refused_like_any_save(self, vault: Vault, three: list[Note]) -> None:
        """Stale, locked, an unknown revision; nothing is written."""
        before = files_of(vault)
        with pytest.raises(StaleRevision):
            back(vault, three[0].revision, three[1].revision)
        with pytest.raises(NotFound):
            back(vault, "0" * 64, three[3].revision)
        assert files_of(vault) == before
        path = at(vault, three[0])
        path.write_text(path.read_text("utf-8").replace("type: topic", "type: topic\nlocked: true"), "utf-8")
        with pytest.raises(Locked):
            back(vault, three[0].revision, notes.read_note(vault, "T").revision)

    def test_what_cites_nothing_is_the_persons_to_answer_for(self, vault: Vault, three: list[Note]) -> None:
        """Their own words come back as they were, a fact without evidence too; checking the vault names it."""
        path = at(vault, three[0])
        path.write_text("---" + three[3].text.split("---")[1] + "---\n\n## Facts\n\n- I just know\n", "utf-8")
        mine = notes.read_note(vault, "T")
        after = save(vault, "T", f"## Facts\n\n- I just know\n- so [^{three[0].evidence[0]}]\n", mine.revision)
        restored = back(vault, mine.revision, after.revision)

        assert markdown.split(restored.text).body.strip() == "## Facts\n\n- I just know"
        assert [problem.code for problem in check.check_vault(vault).problems] == ["uncited_fact"]

    def test_so_is_what_cites_an_event_that_is_gone(self, vault: Vault, three: list[Note]) -> None:
        """It comes back as it was, and checking the vault names the citation."""
        (vault.root / layout.event_path(three[0].evidence[0])).unlink()
        restored = back(vault, three[0].revision, three[3].revision)

        assert f"[^{three[0].evidence[0]}]" in restored.text
        assert "dangling_citation" in {problem.code for problem in check.check_vault(vault).problems}

    def test_a_note_that_was_replaced_stays_superseded(self, vault: Vault, three: list[Note]) -> None:
        """The decision that replaced it still does."""
        save(vault, "New", f"x [^{three[0].evidence[0]}]", relations={"updates": ["T"]})
        after = back(vault, three[3].revision, notes.read_note(vault, "T").revision)

        assert "status: superseded" in after.text
        assert 'superseded_by:\n  - "[[New]]"' in after.text
