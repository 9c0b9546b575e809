"""A note goes elsewhere: its id and its history stay, every link follows, and nothing is written over."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.vault.curating import AT, at, files_of, save, say
from wwt_vault.errors import BadArgument, BadName, HumanConflict, Locked, NoteExists, NotFound, PathEscapes
from wwt_vault.vault import Vault, check, files, moving, notes, sessions


def move(vault: Vault, ref: str, to: str | None = None) -> moving.Moved:
    """Move as a person's command does."""
    later = AT + timedelta(days=1)
    return moving.move_note(vault, ref, to, written_by="wwt", at=later, locks=vault.root.parent / "locks")


def write(vault: Vault, path: str, text: str) -> Path:
    """Write a page of the person's."""
    file = vault.root / path
    file.parent.mkdir(exist_ok=True, parents=True)
    file.write_bytes(text.encode())
    return file


class TestPlaces:
    """Where it goes."""

    @pytest.mark.parametrize(
        ("kind", "to", "path"),
        [
            ("decision", None, "40_Decisions/T.md"),
            ("topic", None, "30_Knowledge/T.md"),
            ("decision", "20_Areas", "20_Areas/T.md"),
            ("decision", "20_areas/", "20_Areas/T.md"),
            ("decision", "New folder/", "New folder/T.md"),
            ("decision", "New name", "00_Inbox/New name.md"),
            ("decision", "10_Projects/shop/새 이름.md", "10_Projects/shop/새 이름.md"),
            ("decision", "t", "00_Inbox/t.md"),
        ],
    )
    def test_to_the_folder_of_its_type_to_a_folder_or_under_a_name(
        self, vault: Vault, kind: str, to: str | None, path: str
    ) -> None:
        """The id, every byte and the history stay."""
        note = save(vault, "T", f"x [^{say(vault, 'x')}]", type=kind, status="draft")
        moved = move(vault, "T", to)
        there = notes.read_note(vault, note.id or "")

        assert (moved.path, moved.was, there.path) == (path, "00_Inbox/T.md", path)
        assert (there.revision, there.text) == (note.revision, note.text)
        assert sorted(file.name for file in (vault.root / path).parent.glob(".tmp*")) == []
        assert [(entry.path, entry.reason) for entry in notes.history(vault, there.path)] == [
            ("00_Inbox/T.md", None),
            (path, "moved from 00_Inbox/T.md"),
        ]

    def test_where_it_lies_already_nothing_happens(self, vault: Vault) -> None:
        """Twice is as good as once."""
        save(vault, "T", f"x [^{say(vault, 'x')}]", type="decision")
        before = files_of(vault)

        assert move(vault, "T").links == ()
        assert files_of(vault) == before

    @pytest.mark.parametrize(
        ("to", "error"),
        [
            ("Other", NoteExists),
            ("20_Areas/OTHER", NoteExists),
            ("20_Areas/a: b", BadName),
            ("../out/T", PathEscapes),
            ("50_Conversations/T", PathEscapes),
            (".obsidian/T", PathEscapes),
            ("/etc/T", PathEscapes),
            (" / ", BadArgument),
            ("", BadArgument),
        ],
    )
    def test_a_place_that_cannot_be_is_refused(self, vault: Vault, to: str, error: type[Exception]) -> None:
        """Taken anywhere in the vault, impossible, outside; nothing has moved."""
        event = say(vault, "x")
        save(vault, "Other", f"x [^{event}]", type="decision")
        save(vault, "T", f"x [^{event}]")
        before = files_of(vault)
        with pytest.raises(error):
            move(vault, "T", to)

        assert files_of(vault) == before

    @pytest.mark.parametrize(
        ("text", "error"),
        [
            ("---\nid: a\ntype: topic\nlocked: true\n---\nx", Locked),
            ("a page", HumanConflict),
            ("---\ntype: session\n---\nx", HumanConflict),
            ("---\ntype: [\n---\nx", HumanConflict),
        ],
    )
    def test_what_is_not_ours_to_move_stays(self, vault: Vault, text: str, error: type[Exception]) -> None:
        """Locked notes, pages, broken ones."""
        write(vault, "M.md", text)
        with pytest.raises(error):
            move(vault, "M", "20_Areas")
        with pytest.raises(NotFound):
            move(vault, "Nothing", "20_Areas")

        assert (vault.root / "M.md").is_file()


LINKS = """---
part_of: "[[{old}]]"
other: ['[[{old}|x]]', "[[Else]]"]
---
[[{old}]] [[{old}#Facts|the facts]] ![[{old}#^b1]] [[{old}.md]] | [[{old}\\|x]] |\r
`[[{old}]]` %%[[{old}]]%%

```
[[{old}]]
```
[[Elsewhere]] [a](Else.md)"""


class TestLinks:
    """They follow."""

    def test_links_by_name_follow_a_new_name(self, vault: Vault) -> None:
        """In properties and text, with heading, block and words; not in code or comments; no other byte changes."""
        event = say(vault, "x")
        save(vault, "Old name", f"x [^{event}]")
        page = write(vault, "Pages/P.md", LINKS.format(old="Old name"))
        moved = move(vault, "Old name", "New")

        text = page.read_bytes().decode()
        head, _, code = LINKS.partition("`")
        assert text == head.format(old="New").replace("[[New.md]]", "[[New]]") + ("`" + code).format(old="Old name")
        assert moved.links == ("Pages/P.md",)

    def test_links_by_name_stay_when_only_the_folder_changes(self, vault: Vault) -> None:
        """A short link is right as it is; one by path gets the new path, short where the name is the only one."""
        event = say(vault, "x")
        save(vault, "T", f"x [^{event}]")
        write(vault, "P.md", "[[T]] [[00_Inbox/T]] [[00_Inbox/T|x]]")
        write(vault, "A/Twin.md", "x")
        move(vault, "T", "20_Areas")

        assert (vault.root / "P.md").read_text() == "[[T]] [[T]] [[T|x]]"

    def test_links_between_notes_of_one_name_keep_their_meaning(self, vault: Vault) -> None:
        """Obsidian takes the one in the same folder; after the move that is another."""
        event = say(vault, "x")
        write(vault, "A/Twin.md", f"---\nid: twin1\ntype: topic\n---\nx [^{event}]")
        write(vault, "B/Twin.md", "x")
        write(vault, "A/P.md", "[[Twin]]")
        write(vault, "B/P2.md", "[[Twin]]")
        move(vault, "A/Twin.md", "C/Lonely")

        assert (vault.root / "A/P.md").read_text() == "[[Lonely]]"
        assert (vault.root / "B/P2.md").read_text() == "[[Twin]]"

    def test_markdown_links_follow_in_their_own_form(self, vault: Vault) -> None:
        """Relative, from the root, encoded, in angle brackets; those of the note itself to others too."""
        event = say(vault, "x")
        note = save(vault, "My note", f"x [^{event}] [o](../20_Areas/O.md) [w](https://x.y/a.md)")
        write(
            vault,
            "20_Areas/O.md",
            "[a](../00_Inbox/My%20note.md#x) [b](<../00_Inbox/My note.md>) "
            "[c](/00_Inbox/My%20note.md) [d](00_Inbox/My%20note.md)",
        )
        move(vault, note.path, "10_Projects/shop/My note")

        assert (vault.root / "20_Areas/O.md").read_text() == (
            "[a](../10_Projects/shop/My%20note.md#x) [b](<../10_Projects/shop/My note.md>) "
            "[c](/10_Projects/shop/My%20note.md) [d](10_Projects/shop/My%20note.md)"
        )
        assert "[o](../../20_Areas/O.md) [w](https://x.y/a.md)" in notes.read_note(vault, "My note").text

    def test_relations_of_other_notes_follow_and_their_history_says_why(self, vault: Vault) -> None:
        """A change of the program's own: kept and recorded like a save."""
        event = say(vault, "x")
        save(vault, "Old", f"x [^{event}]", type="project")
        other = save(vault, "N", f"x [^{event}]", relations={"part_of": ["Old"]})
        move(vault, "Old", "New")
        after = notes.read_note(vault, "N")

        assert 'part_of:\n  - "[[New]]"' in after.text
        assert after.text.replace("[[New]]", "[[Old]]") == other.text
        assert notes.history(vault, "N")[-1].reason == "10_Projects/Old.md is 10_Projects/New.md now"
        assert check.check_vault(vault).problems == ()

    def test_a_persons_unsaved_edit_stays_theirs(self, vault: Vault) -> None:
        """A link that follows does not make the program the author of the line above it."""
        event = say(vault, "x")
        save(vault, "Old", f"x [^{event}]", type="project")
        other = save(vault, "N", f"x [^{event}]\n\n[[Old]]\n")
        path = at(vault, other)
        path.write_text(path.read_text("utf-8").replace("[[Old]]\n", "[[Old]]\n- mine\n"), "utf-8")
        move(vault, "Old", "New")
        there = notes.read_note(vault, "N")
        saved = save(vault, "N", f"y [^{event}]\n\n[[New]]\n", there.revision)

        assert saved.kept == ("- mine",)

    def test_what_may_not_be_changed_is_left_and_named(self, vault: Vault) -> None:
        """Locked notes, session notes, conflicts: the person learns where the old link still stands."""
        event = say(vault, "x")
        save(vault, "Old", f"x [^{event}]")
        locked = write(vault, "L.md", "---\nlocked: true\n---\n[[Old]]")
        conflict = write(vault, "C.md", "<<<<<<< a\n[[Old]]\n=======\n>>>>>>> b\n")
        session = sessions.find_session_note(vault, "claude-code", "42edc39d-0000-4000-8000-000000000000")
        assert session is not None
        session.write_text(session.read_text("utf-8") + "mine: [[Old]]\n", "utf-8")
        moved = move(vault, "Old", "New")

        assert set(moved.left) == {"L.md", "C.md", session.relative_to(vault.root).as_posix()}
        assert "[[Old]]" in locked.read_text() + conflict.read_text()


class TestRenames:
    """Made outside of this program."""

    def test_a_rename_outside_of_obsidian_is_followed(self, vault: Vault) -> None:
        """By the id: what the saves say of where the note lay leads from the old name to the new one."""
        event = say(vault, "x")
        note = save(vault, "Old", f"x [^{event}]", type="project")
        save(vault, "N", f"x [^{event}]", relations={"part_of": ["Old"]})
        at(vault, note).rename(vault.root / "20_Areas" / "New.md")
        assert moving.renamed_notes(vault) == {"10_Projects/Old.md": "20_Areas/New.md"}
        moved = moving.follow_renames(vault, written_by="wwt", at=AT, locks=vault.root.parent / "locks")

        assert [(one.was, one.path, one.links) for one in moved] == [
            ("10_Projects/Old.md", "20_Areas/New.md", ("00_Inbox/N.md",))
        ]
        assert '"[[New]]"' in notes.read_note(vault, "N").text
        assert moving.follow_renames(vault, written_by="wwt", at=AT, locks=vault.root.parent / "locks") == []

    def test_a_move_that_was_cut_off_is_completed(self, vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
        """The file has its new name, a link its old one: found and mended."""
        event = say(vault, "x")
        save(vault, "Old", f"x [^{event}]")
        save(vault, "N", f"x [^{event}]", relations={"part_of": ["Old"]})

        def killed(*_: Any, **__: Any) -> None:
            raise KeyboardInterrupt

        monkeypatch.setattr(files, "replace", killed)
        with pytest.raises(KeyboardInterrupt):
            move(vault, "Old", "New")
        monkeypatch.undo()
        assert ("broken_relation", "00_Inbox/N.md") in [(p.code, p.path) for p in check.check_vault(vault).problems]
        moving.follow_renames(vault, written_by="wwt", at=AT, locks=vault.root.parent / "locks")

        assert check.check_vault(vault).problems == ()
