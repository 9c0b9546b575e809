"""Curated notes: no change without the revision, no byte changed that was not meant, nobody's words lost."""

from __future__ import annotations

import multiprocessing
import unicodedata
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tests.vault.curating import AT, at, files_of, save, say
from wwt_vault import markdown
from wwt_vault.errors import (
    BadArgument,
    BadName,
    HumanConflict,
    Locked,
    NoteExists,
    NotFound,
    PathEscapes,
    StaleRevision,
)
from wwt_vault.vault import Vault, creation, files, notes, revisions


class TestCreate:
    """Without a revision the note must not exist yet."""

    def test_a_new_note_has_its_properties_its_text_and_a_footnote_to_the_words(self, vault: Vault) -> None:
        """The whole file, byte for byte: what Obsidian shows and what a person edits."""
        event = say(vault, "We retry three times.")
        note = save(
            vault,
            "Retry policy",
            f"## Facts\n\n- Three tries [^{event}]",
            type="knowledge",
            tags=["#retry", "api/http"],
            questions=["재시도는 몇 번?"],
            project="shop",
        )

        assert note.path == "30_Knowledge/Retry policy.md"
        assert note.evidence == (event,)
        assert note.id is not None
        assert at(vault, note).read_text("utf-8") == (
            f'---\nid: "{note.id}"\ntype: knowledge\nstatus: current\naliases: []\ntags:\n  - retry\n  - api/http\n'
            "created: 2026-11-30T10:58:01\nupdated: 2026-11-30T10:58:01\nwritten_by: claude-code\nreviewed: false\n"
            'questions:\n  - "재시도는 몇 번?"\nproject: shop\n---\n\n'
            f"## Facts\n\n- Three tries [^{event}]\n\n"
            f"[^{event}]: [[50_Conversations/2026/2026-11-30 claude-code shop 42edc39d#^{event}"
            "|claude-code 2026-11-30 10:58]]\n"
        )
        assert note.revision == files.revision_of(at(vault, note).read_bytes())

    @pytest.mark.parametrize(
        ("kind", "status", "folder"),
        [
            ("project", None, "10_Projects"),
            ("area", None, "20_Areas"),
            ("knowledge", None, "30_Knowledge"),
            ("topic", None, "30_Knowledge"),
            ("decision", "current", "40_Decisions"),
            ("decision", "draft", "00_Inbox"),
            (None, None, "00_Inbox"),
        ],
    )
    def test_a_title_goes_to_the_folder_of_its_type(
        self, vault: Vault, kind: str | None, status: str | None, folder: str
    ) -> None:
        """A draft, and what has no type, waits in the inbox."""
        note = save(vault, "T", f"x [^{say(vault, 'x')}]", type=kind, status=status)

        assert note.path == f"{folder}/T.md"

    @pytest.mark.parametrize(
        ("given_path", "path", "kind"),
        [
            ("40_Decisions/Use SQLite", "40_Decisions/Use SQLite.md", "decision"),
            ("10_Projects/shop/Plan.md", "10_Projects/shop/Plan.md", "project"),
            ("10_projects/Plan", "10_Projects/Plan.md", "project"),
        ],
    )
    def test_a_path_wins_over_the_type(self, vault: Vault, given_path: str, path: str, kind: str) -> None:
        """Its folder says the type if nothing else does; a folder is not made twice for its case."""
        note = save(vault, given_path, f"x [^{say(vault, 'x')}]")

        assert note.path == path
        assert markdown.string(markdown.read_frontmatter(markdown.split(note.text), "").values, "type") == kind

    @pytest.mark.parametrize(
        ("title", "name"),
        [
            ("TCP/IP: why?", "TCP IP why"),
            ("결정 [초안] #1", "결정 초안 1"),
            ("a|b", "a b"),
            ("C: the language", "C the language"),
            ("CON", "CON_"),
            ("가" * 90, "가" * 66),
        ],
    )
    def test_a_title_no_file_can_have_stays_as_an_alias(self, vault: Vault, title: str, name: str) -> None:
        """The name is made safe, and the note is still found by what it was called."""
        note = save(vault, title, f"x [^{say(vault, 'x')}]", type="topic")

        assert note.path == f"30_Knowledge/{name}.md"
        assert notes.read_note(vault, title).path == note.path
        assert [head.aliases for head in notes.list_notes(vault)] == [(title,)]

    def test_a_title_is_kept_in_nfc(self, vault: Vault) -> None:
        """A Mac's NFD makes no second spelling."""
        note = save(vault, unicodedata.normalize("NFD", "재시도"), f"x [^{say(vault, 'x')}]", type="topic")

        assert note.path == "30_Knowledge/재시도.md"

    @pytest.mark.parametrize("title", ["", "  ", "///", "###", "\u200b\u202e", "..."])
    def test_a_title_of_nothing_is_refused(self, vault: Vault, title: str) -> None:
        """With what to do, and nothing written."""
        event = say(vault, "x")
        before = files_of(vault)
        with pytest.raises((BadName, PathEscapes)) as refused:
            save(vault, title, f"x [^{event}]")

        assert refused.value.exit_code == 3
        assert files_of(vault) == before

    def test_a_path_with_an_impossible_name_is_refused_with_a_better_one(self, vault: Vault) -> None:
        """A path is taken literally, so it is not mended behind the caller's back."""
        event = say(vault, "x")
        with pytest.raises(BadName) as refused:
            save(vault, "30_Knowledge/a: b", f"x [^{event}]")

        assert refused.value.data["suggestion"] == "30_Knowledge/a b"

    @pytest.mark.parametrize(
        "path",
        [
            "../out",
            "30_Knowledge/../../out",
            "/etc/passwd",
            "~/x",
            "..\\..\\x",
            "C:\\x",
            "C:/x",
            "\\\\server\\share\\x",
            ".obsidian/x",
            ".wwt/x.md",
            "30_Knowledge/.hidden",
            "a/../b",
            "link/x",
            "50_Conversations/2026/x",
            "AI_CONTEXT/Rules2",
            "ai_context/Rules2",
        ],
    )
    def test_no_path_leaves_the_folders_for_notes(self, vault: Vault, path: str, tmp_path: Path) -> None:
        """Not out of the vault, through a link, into dot folders, among the sessions, or into the agents' own rules."""
        outside = tmp_path / "outside"
        outside.mkdir()
        (vault.root / "link").symlink_to(outside)
        event = say(vault, "x")
        before = files_of(vault)
        with pytest.raises((PathEscapes, BadName)):
            save(vault, path, f"x [^{event}]")

        assert files_of(vault) == before
        assert list(outside.iterdir()) == []

    @pytest.mark.parametrize(
        "title", ["retry policy", "RETRY POLICY", "Retry policy", "20_Areas/Retry policy", "Retry  policy"]
    )
    def test_a_name_that_is_taken_is_refused_naming_the_note(self, vault: Vault, title: str) -> None:
        """Anywhere in the vault, by case or Unicode form alone: a second one would change what links mean."""
        event = say(vault, "x")
        first = save(vault, "Retry policy", f"x [^{event}]", type="topic")
        before = files_of(vault)
        with pytest.raises(NoteExists) as refused:
            save(vault, title, f"y [^{event}]", type="decision")

        assert refused.value.data == {"path": first.path, "id": first.id, "revision": first.revision}
        assert files_of(vault) == before

    def test_a_name_in_nfd_on_disk_is_taken_too(self, vault: Vault) -> None:
        """A page that a Mac brought keeps its bytes and its name."""
        (vault.root / unicodedata.normalize("NFD", "회의.md")).write_text("x")
        with pytest.raises(NoteExists) as refused:
            save(vault, "회의", f"x [^{say(vault, 'x')}]")

        assert refused.value.data["path"] == "회의.md"


class TestBadBodies:
    """What no note should hold is refused by line."""

    @pytest.mark.parametrize(
        ("body", "line"),
        [
            ("a\n\x07", 2),
            ("a\n\nb\u202e", 3),
            ("\u2066x", 1),
            ("tag \U000e0041", 1),
            ("a\n<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> main\n", 2),
            ("---\ntype: topic\n---\nx", 1),
            ("\ud800", 1),
            ("x" * 1_000_001, None),
        ],
    )
    def test_bad_bodies_are_refused(self, vault: Vault, body: str, line: int | None) -> None:
        """Controls, bidi, hidden tags, git conflicts, a second frontmatter, a megabyte."""
        event = say(vault, "x")
        before = files_of(vault)
        with pytest.raises(BadArgument) as refused:
            save(vault, "T", f"{body}\n[^{event}]")

        assert refused.value.data.get("line") == line
        assert files_of(vault) == before

    @pytest.mark.parametrize(
        "more",
        [
            {"type": "idea"},
            {"status": "done"},
            {"tags": ["two words"]},
            {"tags": ["2026"]},
            {"aliases": [""]},
            {"questions": ["x" * 501]},
            {"questions": "one text"},
            {"reason": "a\u202eb"},
            {"relations": {"likes": ["T"]}},
        ],
    )
    def test_bad_properties_are_refused(self, vault: Vault, more: dict[str, Any]) -> None:
        """By name of the argument, before anything is written."""
        event = say(vault, "x")
        before = files_of(vault)
        with pytest.raises(BadArgument) as refused:
            save(vault, "T", f"x [^{event}]", **more)

        assert refused.value.data["argument"] in more
        assert files_of(vault) == before


class TestReplace:
    """With the revision that was read."""

    def test_a_replacement_keeps_both_revisions_and_says_why(self, vault: Vault) -> None:
        """The history knows each, who wrote it and the reason; every one can be read."""
        event = say(vault, "x")
        first = save(vault, "T", f"old [^{event}]", type="topic")
        second = save(
            vault,
            "T",
            f"new [^{event}]",
            first.revision,
            at=AT + timedelta(days=1),
            reason="It changed",
            written_by="codex",
        )
        found = notes.history(vault, "T")

        assert second.id == first.id
        assert [(entry.revision, entry.base, entry.written_by, entry.reason) for entry in found] == [
            (first.revision, None, "claude-code", None),
            (second.revision, first.revision, "codex", "It changed"),
        ]
        assert notes.read_revision(vault, "T", first.revision[:12]) == first.text
        assert notes.read_revision(vault, "T", second.revision) == second.text
        assert "updated: 2026-12-01T10:58:01" in second.text
        assert "created: 2026-11-30T10:58:01" in second.text

    @pytest.mark.parametrize("how", ["old", "upper", "short", "other", "word"])
    def test_a_stale_revision_is_refused_with_a_diff(self, vault: Vault, how: str) -> None:
        """Not the present one, in another case, too short, of another note: all stale, and nothing is written."""
        event = say(vault, "x")
        other = save(vault, "Other", f"x [^{event}]")
        first = save(vault, "T", f"one\ntwo [^{event}]", type="topic")
        second = save(vault, "T", f"one\n2 [^{event}]", first.revision)
        stale = {
            "old": first.revision,
            "upper": second.revision.upper(),
            "short": second.revision[:11],
            "other": other.revision,
            "word": "latest",
        }[how]
        before = files_of(vault)
        with pytest.raises(StaleRevision) as refused:
            save(vault, "T", f"three [^{event}]", stale)

        data = refused.value.data
        assert (data["path"], data["id"], data["revision"]) == (second.path, second.id, second.revision)
        expected = ["-two [^", "+2 [^"] if how == "old" else ["-one", "+three [^"]
        assert all(f"\n{line}" in data["diff"] for line in expected)
        assert files_of(vault) == before

    def test_twelve_digits_of_the_revision_are_enough(self, vault: Vault) -> None:
        """They are what people are shown."""
        event = say(vault, "x")
        first = save(vault, "T", f"a [^{event}]")

        assert save(vault, "T", f"b [^{event}]", first.revision[:12]).revision != first.revision

    def test_a_note_that_is_not_there_cannot_be_replaced(self, vault: Vault) -> None:
        """A revision says that it was read."""
        with pytest.raises(NotFound):
            save(vault, "Nowhere", "x", "0" * 64)

    @pytest.mark.parametrize("shape", [lambda text: text, lambda text: text.replace("\n", "\r\n"), str.strip])
    def test_the_text_that_is_there_writes_nothing(self, vault: Vault, shape: Any) -> None:
        """Read and saved back, with or without its frontmatter and definitions: same revision, no file touched."""
        event = say(vault, "x")
        first = save(vault, "T", f"## Facts\n- a [^{event}]\n", type="topic", tags=["t"])
        before = files_of(vault)
        for body in (first.text, markdown.split(first.text).body, f"## Facts\n- a [^{event}]"):
            again = save(vault, "T", shape(body), first.revision, at=AT + timedelta(days=1), tags=["t"], type="topic")
            assert again == first

        assert files_of(vault) == before

    def test_only_what_is_meant_changes_in_the_frontmatter(self, vault: Vault) -> None:
        """The person's order, comments, spelling and own properties stay; what was given and `updated` change."""
        event = say(vault, "x")
        path = vault.root / "30_Knowledge" / "Mine.md"
        head = (
            "---\nType: topic # keep\r\nmine: {a: 1}\n# c\nid: my-own_id\nupdated:   2020-01-01 # when\n"
            "Tags: [x, y]\n---\n"
        )
        path.write_bytes(f"\ufeff{head}\n\n\nold".encode())
        first = notes.read_note(vault, "Mine")
        save(vault, "Mine", f"new [^{event}]", first.revision, tags=["z"], status="draft")

        kept = head.replace("2020-01-01", "2026-11-30T10:58:01").replace("[x, y]", '["z"]').removesuffix("---\n")
        expected = f"\ufeff{kept}status: draft\n---\n\n\n\n"
        assert path.read_bytes().decode("utf-8").split("new")[0] == expected

    @pytest.mark.parametrize("end", ["\n", "\r\n"])
    @pytest.mark.parametrize("last", ["", "end"])
    @pytest.mark.parametrize("bom", ["", "\ufeff"])
    def test_line_ends_bom_and_last_line_stay(self, vault: Vault, end: str, last: str, bom: str) -> None:
        """A note written on Windows, or without a last line end, stays one."""
        event = say(vault, "x")
        text = f"{bom}---\nid: n1\ntype: topic\n---\n\nold [^{event}]\n{last}".replace("\n", end)
        path = vault.root / "N.md"
        path.write_bytes(text.encode())
        note = save(vault, "N", f"new [^{event}]\n\nmore\n", notes.read_note(vault, "N").revision)
        data = path.read_bytes().decode()

        assert data.startswith(bom + "---" + end)
        assert data.count("\n") == data.count(end)
        assert data.endswith("]]" if last else f"]]{end}")
        assert f"{end}{end}new [^{event}]{end}{end}more{end}{end}[^" in data
        assert note.revision == files.revision_of(path.read_bytes())

    def test_mixed_line_ends_stay_line_by_line(self, vault: Vault) -> None:
        """Lines that are not changed keep the end they had."""
        event = say(vault, "x")
        path = vault.root / "N.md"
        path.write_bytes(f"---\nid: n1\ntype: topic\n---\na\r\nb\nc\r\nd [^{event}]\r\n".encode())
        save(vault, "N", f"a\nb\nX\nd [^{event}]", notes.read_note(vault, "N").revision)

        assert path.read_bytes().split(b"---\n")[2].startswith(f"a\r\nb\nX\r\nd [^{event}]\r\n".encode())

    def test_a_change_names_its_writer_and_unticks_reviewed(self, vault: Vault) -> None:
        """A person has not seen the new text; ticking the box again is theirs."""
        event = say(vault, "x")
        note = save(vault, "T", f"a [^{event}]")
        path = at(vault, note)
        path.write_text(path.read_text("utf-8").replace("reviewed: false", "reviewed: true"), "utf-8")
        after = save(vault, "T", f"b [^{event}]", notes.read_note(vault, "T").revision, written_by="codex")

        assert "\nwritten_by: codex\nreviewed: false\n" in after.text

    def test_a_persons_edit_is_a_revision_of_its_own(self, vault: Vault) -> None:
        """The save that follows keeps it, and what the tool wrote last stays known."""
        event = say(vault, "x")
        first = save(vault, "T", f"a [^{event}]")
        path = at(vault, first)
        path.write_bytes(path.read_bytes() + b"\nby hand\n")
        edited = notes.read_note(vault, "T")

        assert revisions.written_last(vault, first.id or "") == first.revision
        assert [entry.written_by for entry in notes.history(vault, "T")] == ["claude-code", None]
        last = save(vault, "T", f"c [^{event}]", edited.revision, at=AT + timedelta(1))
        found = notes.history(vault, "T")
        assert [entry.revision for entry in found] == [first.revision, edited.revision, last.revision]
        assert [entry.written_by for entry in found] == ["claude-code", None, "claude-code"]
        assert notes.read_revision(vault, "T", edited.revision) == edited.text

    @pytest.mark.parametrize("locked", ["true", "yes", '"true"', "TRUE"])
    def test_a_locked_note_is_read_only(self, vault: Vault, locked: str) -> None:
        """Whatever the revision."""
        event = say(vault, "x")
        note = save(vault, "T", f"a [^{event}]")
        path = at(vault, note)
        path.write_text(path.read_text("utf-8").replace("---\n\n", f"locked: {locked}\n---\n\n"), "utf-8")
        with pytest.raises(Locked) as refused:
            save(vault, "T", f"b [^{event}]", notes.read_note(vault, "T").revision)

        assert refused.value.data["id"] == note.id

    @pytest.mark.parametrize(
        ("content", "says"),
        [
            (b"---\nid: n1\ntype: [\n---\nx", "line 4"),
            (b"---\nid: n1\ntype: topic\n---\n<<<<<<< a\nx\n=======\ny\n>>>>>>> b\n", "line 5"),
            (b"---\nid: n1\ntype: topic\n---\n\xb0\xa1", "UTF-8"),
            (b"---\n{id: n1, type: topic}\n---\nx", "line of its own"),
            (b"no frontmatter", "page of the person's"),
            (b"---\nid: ../../x\ntype: topic\n---\nx", "its id"),
            (b"---\ntype: book\n---\nx", "page of the person's"),
        ],
    )
    def test_what_only_a_person_can_mend_is_left_alone(self, vault: Vault, content: bytes, says: str) -> None:
        """Broken frontmatter, a conflict, another encoding, a page that is not the agents'."""
        event = say(vault, "x")
        path = vault.root / "N.md"
        path.write_bytes(content)
        with pytest.raises(HumanConflict, match=says):
            save(vault, "N", f"b [^{event}]", files.revision_of(content))

        assert path.read_bytes() == content

    def test_a_note_from_a_persons_template_gets_an_id(self, vault: Vault) -> None:
        """It has a type of ours and no id: the first save gives it one, and it is curated from then on."""
        event = say(vault, "x")
        (vault.root / "40_Decisions" / "Mine.md").write_text("---\ntype: decision\n---\nby hand", "utf-8")
        note = save(vault, "Mine", f"by hand\nand more [^{event}]", notes.read_note(vault, "Mine").revision)

        assert note.id
        assert [head.path for head in notes.list_notes(vault)] == ["40_Decisions/Mine.md"]
        assert notes.history(vault, "Mine")[0].written_by is None

    @given(
        text=st.text(st.characters(exclude_categories=["Cs", "Cc"], include_characters="\n\t"), max_size=80),
        head=st.sampled_from(["x: [a,\n  b] # c\n", "# only\n", "Ünï: 'q'\n", "", "l:\n- a\n\n# end\n"]),
        end=st.sampled_from(["\n", "\r\n"]),
    )
    @example(text=" ", head="", end="\n")
    @settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
    def test_frontmatter_survives_any_body(self, vault: Vault, text: str, head: str, end: str) -> None:
        """Whatever is saved, the frontmatter differs by the line of `updated` alone, and the body reads back."""
        event = say(vault, "x")
        path = vault.root / "N.md"
        note_id = f"n{len(list((vault.root / '.wwt' / 'revisions').glob('*')))}"  # a note that was never saved before
        block = f"---\nid: {note_id}\n{head}type: topic\nupdated: 2020-01-01\n---\n".replace("\n", end)
        path.write_bytes((block + "old").encode())
        body = f"{text}\n\nx [^{event}]"
        try:
            save(vault, "N", body, notes.read_note(vault, "N").revision)
        except BadArgument:
            return
        after = markdown.split(path.read_bytes().decode())

        assert after.head == block.replace("2020-01-01", "2026-11-30T10:58:01")
        said = body.split("\n")
        while not said[
            0
        ].strip():  # blank lines at the beginning, with spaces in them or not, are the note's own affair
            del said[0]
        assert after.body.replace("\r\n", "\n").startswith("\n".join(said) + "\n\n[^")


class TestRelations:
    """Typed links to notes that are there."""

    def test_relations_are_quoted_links_by_name(self, vault: Vault) -> None:
        """By path, id, title or link given; by path written only where the name would be ambiguous."""
        event = say(vault, "x")
        shop = save(vault, "Shop", f"x [^{event}]", type="project")
        for folder in ("A", "B"):
            (vault.root / folder).mkdir()
            (vault.root / folder / "Twin.md").write_text("x")
        note = save(
            vault,
            "T",
            f"x [^{event}]",
            relations={"part_of": ["shop"], "relates_to": [shop.id, "[[Shop|the shop]]", "A/Twin"]},
        )

        assert 'part_of:\n  - "[[Shop]]"\nrelates_to:\n  - "[[Shop]]"\n  - "[[A/Twin]]"\n' in note.text
        assert [head.project for head in notes.list_notes(vault)] == ["Shop", "Shop"]

    def test_a_relation_to_nothing_is_refused(self, vault: Vault) -> None:
        """With the relation's name; ambiguous targets likewise, and a note's own self."""
        event = say(vault, "x")
        note = save(vault, "T", f"x [^{event}]")
        before = files_of(vault)
        with pytest.raises(NotFound) as missing:
            save(vault, "U", f"x [^{event}]", relations={"updates": ["Nowhere"]})
        with pytest.raises(BadArgument):
            save(vault, "T", f"x [^{event}]", note.revision, relations={"updates": ["T"]})

        assert missing.value.data["relation"] == "updates"
        assert files_of(vault) == before


def _add_line(root: str, line: str) -> None:
    """Read, add a line, save; again while another was faster."""
    vault = creation.create_vault(Path(root))
    while True:
        note = notes.read_note(vault, "T")
        body = markdown.split(note.text).body
        try:
            save(vault, "T", f"{line}\n\n{body}", note.revision)
        except StaleRevision:
            continue
        return


class TestTogether:
    """Several agents at once."""

    def test_no_agents_line_is_lost(self, vault: Vault) -> None:
        """Six processes each add a line by its revision; all six are there, and the history has seven revisions."""
        event = say(vault, "x")
        save(vault, "T", f"x [^{event}]")
        context = multiprocessing.get_context("spawn")
        workers = [context.Process(target=_add_line, args=(str(vault.root), f"line {n}")) for n in range(6)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join(120)
        text = notes.read_note(vault, "T").text

        assert all(f"line {n}\n" in text for n in range(6))
        assert len({entry.revision for entry in notes.history(vault, "T")}) == 7

    def test_of_two_creations_one_wins(self, vault: Vault) -> None:
        """The other is told of the note that is there."""
        event = say(vault, "x")
        first = save(vault, "T", f"x [^{event}]")
        with pytest.raises(NoteExists) as refused:
            save(vault, "T", f"x [^{event}]")

        assert refused.value.data["revision"] == first.revision
