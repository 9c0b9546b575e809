"""Two ends of a link say the same: what replaces what, what contradicts what, when, why and by which words."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.vault.curating import AT, at, files_of, save, say
from wwt_vault import markdown
from wwt_vault.errors import BadArgument, HumanConflict, Locked, NotFound
from wwt_vault.model.knowledge import Note
from wwt_vault.vault import Vault, check, files, notes, revisions
from wwt_vault.vault.creation import create_vault

LATER = {"at": AT + timedelta(days=1), "written_by": "codex"}


def values(note: Note) -> dict[str, Any]:
    """Return the properties of a note."""
    return markdown.read_frontmatter(markdown.split(note.text), note.path).values


def problems(vault: Vault) -> list[tuple[str, str]]:
    """Return what the check finds, by code and path."""
    return [(problem.code, problem.path) for problem in check.check_vault(vault).problems]


@pytest.fixture
def old(vault: Vault) -> Note:
    """Return a decision."""
    body = f"MySQL.\n\n## Facts\n\n- We take MySQL [^{say(vault, 'Let us take MySQL.')}]\n"
    return save(vault, "Use MySQL", body, type="decision", project="shop")


def reverse(vault: Vault, **more: Any) -> Note:
    """Save the decision that replaces it."""
    event = say(vault, "MySQL broke twice. PostgreSQL it is.", 9)
    body = f"PostgreSQL.\n\n## Facts\n\n- We take PostgreSQL [^{event}]\n\n## Rejected options\n\n- MySQL [^{event}]\n"
    more = {"reason": "replication broke twice", "relations": {"updates": ["Use MySQL"]}, **LATER, **more}
    return save(vault, "Use PostgreSQL", body, type="decision", **more)


class TestReversal:
    """A decision that names the one it replaces."""

    def test_the_old_one_is_superseded_and_points_forward(self, vault: Vault, old: Note) -> None:
        """Both files whole: what changed, when, why and by which words stands in the history of both."""
        new = reverse(vault)
        event = new.evidence[0]
        there = notes.read_note(vault, "Use MySQL")

        why, expected = f"{{}}: replication broke twice [^{event}]", old.text
        assert new.also_changed == (old.path,)
        for was, now in (
            ("status: current", "status: superseded"),
            (
                "updated: 2026-11-30T10:58:01\nwritten_by: claude-code",
                "updated: 2026-12-01T10:58:01\nwritten_by: codex",
            ),
            ("project: shop\n", 'project: shop\nsuperseded_by:\n  - "[[Use PostgreSQL]]"\n'),
            ("]\n\n[^", f"]\n\n## History\n\n- 2026-12-01: {why.format('superseded by [[Use PostgreSQL]]')}\n\n[^"),
        ):
            assert expected.count(was) == 1
            expected = expected.replace(was, now)
        note = "50_Conversations/2026/2026-11-30 claude-code shop 42edc39d"
        assert there.text == f"{expected}[^{event}]: [[{note}#^{event}|claude-code 2026-11-30 11:07]]\n"
        assert 'updates:\n  - "[[Use MySQL]]"\n' in new.text
        assert f"## History\n\n- 2026-12-01: {why.format('replaces [[Use MySQL]]')}\n" in new.text
        assert notes.history(vault, "Use MySQL")[-1].reason == "replication broke twice"
        assert problems(vault) == []

    def test_both_ways_in_korean(self, tmp_path: Path) -> None:
        """In a Korean vault headings and entries are Korean, and a heading that is there is used."""
        vault = create_vault(tmp_path / "vault", "ko", "Asia/Seoul")
        event = say(vault, "MySQL로 하자.")
        body = f"## 사실\n\n- MySQL [^{event}]\n\n## 이력\n\n- 2026-11-30: 시작 [^{event}]\n"
        save(vault, "MySQL 사용", body, type="decision")
        more = {"type": "decision", "relations": {"updates": ["MySQL 사용"]}, "reason": "복제가 깨졌다", **LATER}
        new = save(vault, "PostgreSQL 사용", f"## 사실\n\n- PG [^{say(vault, '안 되겠다', 3)}]\n", **more)

        assert "## 이력\n\n- 2026-12-01: [[MySQL 사용]]을(를) 대체함: 복제가 깨졌다 [^2026" in new.text
        assert (
            "## 이력\n\n- 2026-12-01: [[PostgreSQL 사용]](으)로 대체됨: 복제가 깨졌다 [^"
            in notes.read_note(vault, "MySQL 사용").text
        )

    def test_a_history_that_says_so_itself_is_left_as_it_is(self, vault: Vault, old: Note) -> None:
        """The agent's own words are better than ours."""
        event = old.evidence[0]
        body = f"x [^{event}]\n\n## History\n\n- Instead of [[Use MySQL]] [^{event}]\n"
        new = save(vault, "New", body, type="decision", relations={"updates": ["Use MySQL"]})

        assert new.text.count("[[Use MySQL]]") == 2  # there and in the property

    def test_a_draft_replaces_nothing_until_it_is_current(self, vault: Vault, old: Note) -> None:
        """An idea does not put a decision out of force."""
        draft = reverse(vault, status="draft")
        assert values(notes.read_note(vault, "Use MySQL"))["status"] == "current"
        current = save(vault, "Use PostgreSQL", draft.text, draft.revision, status="current", **LATER)

        assert current.also_changed == (old.path,)
        assert values(notes.read_note(vault, "Use MySQL"))["status"] == "superseded"

    def test_a_link_that_is_taken_out_is_taken_back(self, vault: Vault, old: Note) -> None:
        """A mistake can be undone: the old decision is current again, and its history tells both."""
        new = reverse(vault)
        more = {"relations": {"updates": []}, "reason": "a mix-up", **LATER}
        after = save(vault, "Use PostgreSQL", new.text, new.revision, **more)
        there = notes.read_note(vault, "Use MySQL")

        assert (values(there)["status"], values(there)["superseded_by"]) == ("current", [])
        assert "- 2026-12-01: no longer superseded by [[Use PostgreSQL]]: a mix-up" in there.text
        assert after.also_changed == (old.path,)
        assert problems(vault) == []

    def test_two_successors_are_both_named(self, vault: Vault, old: Note) -> None:
        """And while one of them stands, the old one stays superseded."""
        new = reverse(vault)
        save(vault, "Third", f"x [^{old.evidence[0]}]", relations={"updates": ["Use MySQL"]})
        save(vault, "Use PostgreSQL", new.text, new.revision, relations={"updates": []}, **LATER)
        there = values(notes.read_note(vault, "Use MySQL"))

        assert (there["status"], there["superseded_by"]) == ("superseded", ["[[Third]]"])

    def test_two_notes_cannot_replace_each_other(self, vault: Vault, old: Note) -> None:
        """Nothing is written."""
        reverse(vault)
        there = notes.read_note(vault, "Use MySQL")
        before = files_of(vault)
        with pytest.raises(BadArgument, match="replace each other"):
            more = {"relations": {"updates": ["Use PostgreSQL"]}, "status": "current"}
            save(vault, "Use MySQL", there.text, there.revision, **more)

        assert files_of(vault) == before

    def test_rejected_options_are_a_section_of_their_own(self, vault: Vault, old: Note) -> None:
        """In both languages, so that a question about what was dropped finds the decision."""
        from wwt_vault.vault import headings

        new = reverse(vault)
        found = headings.section_of(markdown.parse(new.text), headings.REJECTED)
        assert found.startswith("## Rejected options\n\n- MySQL")
        for title in ("버린 선택지", "기각한 대안", "Alternatives considered", "Rejected options", "Dropped"):
            assert headings.REJECTED.search(title), title
        for title in ("Facts", "사실", "History", "선택지", "Options"):
            assert not headings.REJECTED.search(title), title


class TestOtherNote:
    """A note that has to change with another one."""

    @pytest.mark.parametrize(
        ("change", "error"),
        [
            (("status: current", "status: current\nlocked: true"), Locked),
            (("aliases: []", "aliases: ["), HumanConflict),
            (("MySQL.\n", "<<<<<<< a\n=======\n>>>>>>> b\n"), HumanConflict),
        ],
    )
    def test_one_that_cannot_change_stops_the_save(
        self, vault: Vault, old: Note, change: tuple[str, str], error: type[Exception]
    ) -> None:
        """Rather than a new decision beside an old one that still counts; nothing is written."""
        path = at(vault, old)
        path.write_text(path.read_text("utf-8").replace(*change), "utf-8")
        say(vault, "MySQL broke twice. PostgreSQL it is.", 9)
        before = files_of(vault)
        with pytest.raises(error, match="Use MySQL"):
            reverse(vault)

        assert files_of(vault) == before

    def test_a_locked_note_that_says_it_already_stops_nothing(self, vault: Vault, old: Note) -> None:
        """The person did it by hand."""
        path = at(vault, old)
        by_hand = 'status: superseded\nlocked: true\nsuperseded_by: "[[Use PostgreSQL]]"'
        text = path.read_text("utf-8").replace("status: current", by_hand)
        path.write_text(text, "utf-8")

        assert reverse(vault).also_changed == ()
        assert path.read_text("utf-8") == text

    def test_what_a_person_typed_in_it_stays(self, vault: Vault, old: Note) -> None:
        """Lines, order of properties, line ends: only status, pointer and history are ours."""
        path = at(vault, old)
        path.write_bytes(path.read_bytes().replace(b"MySQL.\n", b"MySQL.\nmine\n").replace(b"\n", b"\r\n"))
        reverse(vault)
        text = path.read_bytes().decode()

        assert text.count("\n") == text.count("\r\n")
        assert "\r\nMySQL.\r\nmine\r\n" in text
        assert "superseded by [[Use PostgreSQL]]" in text

    def test_a_person_who_made_it_current_again_is_not_overruled(self, vault: Vault, old: Note) -> None:
        """The next save of the new decision leaves it; the check names that both claim to be in force."""
        new = reverse(vault)
        path = at(vault, old)
        text = path.read_text("utf-8").replace("status: superseded", "status: current")
        path.write_text(text, "utf-8")
        saved = save(vault, "Use PostgreSQL", new.text.replace("PostgreSQL.", "PostgreSQL 16."), new.revision, **LATER)

        assert saved.also_changed == ()
        assert path.read_text("utf-8") == text
        assert ("one_sided_relation", new.path) in problems(vault)

    def test_a_page_is_never_changed(self, vault: Vault) -> None:
        """It is the person's; the link stands on one side."""
        page = vault.root / "Page.md"
        page.write_text("mine", "utf-8")
        note = save(vault, "T", f"x [^{say(vault, 'x')}]", relations={"updates": ["Page"], "contradicts": ["Page"]})

        assert (page.read_text("utf-8"), note.also_changed) == ("mine", ())
        assert problems(vault) == []

    @pytest.mark.parametrize("step", ["before the old note", "before the record"])
    def test_a_save_that_was_killed_in_between_is_completed_by_the_next(
        self, vault: Vault, old: Note, step: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The new decision is there and the old one still current: the check says so, and saving again mends it."""

        def killed(*_: Any, **__: Any) -> None:
            raise KeyboardInterrupt

        target = (files, "replace") if step == "before the old note" else (revisions, "record")
        monkeypatch.setattr(*target, killed)
        with pytest.raises(KeyboardInterrupt):
            reverse(vault)
        monkeypatch.undo()
        new = notes.read_note(vault, "Use PostgreSQL")
        assert ("one_sided_relation", new.path) in problems(vault)
        saved = save(vault, "Use PostgreSQL", new.text, new.revision, reason="replication broke twice", **LATER)

        assert (saved.revision, saved.also_changed) == (new.revision, (old.path,))
        assert problems(vault) == []
        assert values(notes.read_note(vault, "Use MySQL"))["superseded_by"] == ["[[Use PostgreSQL]]"]


class TestContradiction:
    """Two notes that cannot both be right."""

    def test_it_stands_on_both_sides_and_neither_is_superseded(self, vault: Vault, old: Note) -> None:
        """Which one holds is not for the program to say."""
        other = save(vault, "T", f"x [^{old.evidence[0]}]", relations={"contradicts": ["Use MySQL"]})
        there = notes.read_note(vault, "Use MySQL")

        assert values(there)["contradicts"] == ["[[T]]"]
        assert (values(there)["status"], values(other)["status"]) == ("current", "current")
        assert problems(vault) == []
        save(vault, "T", other.text, other.revision, relations={"contradicts": []})
        assert values(notes.read_note(vault, "Use MySQL"))["contradicts"] == []

    def test_one_side_alone_is_named_and_completed(self, vault: Vault, old: Note) -> None:
        """A person added it in Obsidian, on one note: the next save of that note tells the other."""
        note = save(vault, "T", f"x [^{old.evidence[0]}]")
        path = at(vault, note)
        text = path.read_text("utf-8").replace("aliases: []", 'contradicts: ["[[Use MySQL]]"]\naliases: []')
        path.write_text(text, "utf-8")
        assert problems(vault) == [("one_sided_relation", note.path)]
        there = notes.read_note(vault, "T")
        saved = save(vault, "T", there.text, there.revision)

        assert (saved.revision, saved.also_changed) == (there.revision, (old.path,))
        assert problems(vault) == []

    def test_a_link_to_nothing_is_named(self, vault: Vault, old: Note) -> None:
        """With its line."""
        path = at(vault, old)
        path.write_text(path.read_text("utf-8").replace("aliases: []", 'part_of: "[[Nowhere]]"\naliases: []'), "utf-8")
        found = check.check_vault(vault).problems

        assert [(p.code, p.path, p.line) for p in found] == [("broken_relation", old.path, 5)]

    def test_a_relation_to_a_missing_note_is_refused(self, vault: Vault, old: Note) -> None:
        """Whatever the kind; nothing is written."""
        before = files_of(vault)
        for kind in notes.RELATIONS:
            with pytest.raises(NotFound, match="Save that note first"):
                save(vault, "T", f"x [^{old.evidence[0]}]", relations={kind: ["Use MySQL", "Nowhere"]})

        assert files_of(vault) == before
