"""Documents: every Markdown file becomes one, whatever it holds, and reading changes nothing."""

from __future__ import annotations

import json
import os
import shutil
import sys
import unicodedata
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from wwt_vault.errors import NotFound, PathEscapes, VaultMissing
from wwt_vault.model.conversation import DocumentId, EventId, Message, Session
from wwt_vault.model.knowledge import Document
from wwt_vault.vault import Vault, documents, events, files, notes, sessions

AT = datetime(2026, 11, 30, 1, 58, 1, tzinfo=UTC)
ID = "20261130T015801Z-9f2c4e1ab07d"
CURATED = "---\nid: n1\ntype: topic\n---\n"


def load(vault: Vault, content: str | bytes, path: str = "30_Knowledge/N.md") -> Document:
    """Write a file and load it."""
    file = vault.root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content.encode() if isinstance(content, str) else content)
    return documents.load_document(vault, DocumentId(path))


def talk(vault: Vault, *texts: str) -> tuple[str, list[EventId]]:
    """Store a session, user and assistant in turns; return its note's path and the ids."""
    session = Session(
        host="codex", session_id="aa11bb22-0000-4000-8000-000000000000", cwd="/code/shop", git_branch="main"
    )
    note = sessions.create_session_note(vault, session, "shop", "box", AT)
    ids = []
    for at, text in enumerate(texts):
        role = "assistant" if at % 2 else "user"
        event = events.event_of(Message(session=session, role=role, text=text, time=AT + timedelta(minutes=at)), 1)
        events.write_event(vault, event)
        sessions.append_event(vault, note, event)
        ids.append(event.id)
    return note.relative_to(vault.root).as_posix(), ids


DEEDS = (
    "write",
    "delete",
    "rename",
    "folder",
    "folder away",
    "link",
    "ignore",
    "copy",
    "image",
    "session",
    "git",
    "project",
)
NAMES = ("가.md", "b.md", "sub/c.md", "sub/b.md")


def do(root: Path, deed: str, one: str, other: str) -> set[str]:
    """Change something below ``root`` as a person, a program or git does; return what the system would name."""
    file, to = root / one, root / other
    match deed:
        case "write":
            file.parent.mkdir(exist_ok=True)
            file.write_text(f"{one} {other}")
        case "delete" | "link":
            file.unlink(missing_ok=True)
            if deed == "link" and file.parent.is_dir():
                file.symlink_to(root / "Home.md")
        case "rename" if file.exists() and to.parent.is_dir():
            file.rename(to)
        case "folder":
            to = root / "sub"
            to.mkdir(exist_ok=True)
        case "folder away":
            to = root / "sub"
            shutil.rmtree(to, ignore_errors=True)
        case "ignore":
            to = root / ".wwtignore"
            to.write_text(f"{one}\n")
        case "copy":
            to = root / f"{other[:-3]} (conflict box 2026-11-30).md"
            to.parent.mkdir(exist_ok=True)
            to.write_text("theirs")
        case "image":
            to = root / "a.png"
            to.write_bytes(b"x")
        case "git":
            to = root / ".git" / "index"
            to.parent.mkdir(exist_ok=True)
            to.write_bytes(os.urandom(4))
        case "project":
            to = root / ".wwt" / "projects" / "a 1.json"
            to.parent.mkdir(exist_ok=True)
            table = {"schema": 1, "name": "a", "now": other[0], "at": "2026-11-30T01:58:01Z"}
            to.write_text(json.dumps(table))
    return {str(file), str(to), str(file.parent), str(to.parent)} if "folder" in deed else {str(file), str(to)}


class TestCatalog:
    """Which files there are, and whether they changed, without opening one."""

    @given(
        before=st.lists(st.tuples(st.sampled_from(DEEDS), st.sampled_from(NAMES), st.sampled_from(NAMES)), max_size=4),
        then=st.lists(st.tuples(st.sampled_from(DEEDS), st.sampled_from(NAMES), st.sampled_from(NAMES)), max_size=3),
    )
    @example(before=[("copy", "b.md", "b.md")], then=[("write", "b.md", "b.md")])
    @example(before=[("write", "b.md", "b.md"), ("copy", "b.md", "b.md")], then=[("delete", "b.md", "b.md")])
    @settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
    def test_of_what_was_touched_it_says_what_a_look_at_all_files_says(
        self, fresh_vault: Callable[[], Vault], before: list[tuple[str, str, str]], then: list[tuple[str, str, str]]
    ) -> None:
        """Or nothing, when only such a look can tell."""
        vault = fresh_vault()
        for deed in before:
            do(vault.root, *deed)
        known = documents.catalog(vault)
        touched: set[str] = set()
        for deed in then:
            touched |= do(vault.root, *deed)
        some = documents.catalog_of(vault, touched)
        if some is not None:
            catalog, of = some
            there = {path: stamp for path, stamp in known.items() if path not in of} | catalog
            assert there == documents.catalog(vault)

    def test_a_changed_note_needs_no_look_at_all_files(self, vault: Vault) -> None:
        """Nor does what git, Obsidian and the events write meanwhile."""
        note, gone = vault.root / "30_Knowledge" / "a.md", vault.root / "30_Knowledge" / "b.md"
        note.write_text("a")
        others = (".git/index", ".obsidian/workspace.json", ".wwt/events/2026/11/30/x.json", "30_Knowledge/.tmp-1-a")
        touched = [str(note), str(gone), *(str(vault.root / name) for name in others)]
        found = documents.catalog_of(vault, touched)
        assert found is not None
        catalog, of = found
        assert catalog == {"30_Knowledge/a.md": documents.catalog(vault)[DocumentId("30_Knowledge/a.md")]}
        assert of == {"30_Knowledge/a.md", "30_Knowledge/b.md"}

    def test_it_lists_markdown_and_nothing_hidden(self, vault: Vault, tmp_path: Path) -> None:
        """No dot folders, no trash, no links, no other kinds; names in NFC."""
        before = set(documents.catalog(vault))
        outside = tmp_path / "outside"
        outside.mkdir()
        (outside / "x.md").write_text("x")
        for path in (
            ".trash/x.md",
            ".git/x.md",
            ".hidden.md",
            "x.txt",
            "x.markdown",
            "deep/er/X.MD",
            "AI_CONTEXT/Mine.md",
        ):
            (vault.root / path).parent.mkdir(parents=True, exist_ok=True)
            (vault.root / path).write_text("x")
        (vault.root / "linked").symlink_to(outside)
        (vault.root / "linked.md").symlink_to(outside / "x.md")
        (vault.root / "folder.md").mkdir()
        if sys.platform != "win32":
            os.mkfifo(vault.root / "pipe.md")
        (vault.root / unicodedata.normalize("NFD", "회의.md")).write_text("x")

        assert set(documents.catalog(vault)) - before == {"deep/er/X.MD", "AI_CONTEXT/Mine.md", "회의.md"}

    @pytest.mark.parametrize(
        ("lines", "left"),
        [
            ("Drafts/\n", {"a.md", "x/a.md", "x/b.md"}),
            ("a.md\n", {"Drafts/c.md", "x/b.md"}),
            ("/a.md\n", {"Drafts/c.md", "x/a.md", "x/b.md"}),
            ("\ufeffx/*\r\n# b\r\n\r\n", {"a.md", "Drafts/c.md"}),
            ("x/a.md\nDr*\n", {"a.md", "x/b.md"}),
            ("a.md/\n", {"a.md", "Drafts/c.md", "x/a.md", "x/b.md"}),
        ],
    )
    def test_wwtignore_leaves_files_out(self, vault: Vault, lines: str, left: set[str]) -> None:
        """Globs by name anywhere, by path from the root, or for folders; comments and empty lines say nothing."""
        shutil.rmtree(vault.root)
        for path in ("a.md", "Drafts/c.md", "x/a.md", "x/b.md"):
            (vault.root / path).parent.mkdir(parents=True, exist_ok=True)
            (vault.root / path).write_text("x")
        (vault.root / ".wwtignore").write_text(lines, "utf-8")

        assert set(documents.catalog(vault)) == left

    def test_every_kind_of_edit_changes_the_stamp(self, vault: Vault) -> None:
        """Also one that keeps size and modification time, in place or by another file."""
        path = vault.root / "N.md"
        path.write_text("one")
        stat = path.stat()
        stamps = [documents.catalog(vault)[DocumentId("N.md")]]
        for aside in (path, vault.root / ".N"):
            aside.write_text("two")
            os.utime(aside, ns=(stat.st_atime_ns, stat.st_mtime_ns))
            aside.replace(path)
            stamps.append(documents.catalog(vault)[DocumentId("N.md")])

        assert len(set(stamps)) == 3
        assert documents.catalog(vault)[DocumentId("N.md")] == stamps[-1]

    def test_a_vault_that_is_gone_is_no_empty_vault(self, vault: Vault) -> None:
        """An unmounted disk must not empty the index."""
        vault.root.rename(vault.root.with_name("gone"))
        with pytest.raises(VaultMissing):
            documents.catalog(vault)

    def test_what_is_listed_can_be_loaded(self, vault: Vault) -> None:
        """The whole template, and names in NFD."""
        (vault.root / unicodedata.normalize("NFD", "회의.md")).write_text("안녕")
        for name in documents.catalog(vault):
            assert documents.load_document(vault, name).id == name

        assert documents.load_document(vault, DocumentId("회의.md")).sections[0].text == "안녕"


class TestLayers:
    """Place and frontmatter say what a file is."""

    @pytest.mark.parametrize(
        ("path", "head", "layer"),
        [
            ("30_Knowledge/N.md", "id: n1\ntype: topic", "curated"),
            ("anywhere/N.md", "id: n1\ntype: decision", "curated"),
            ("30_Knowledge/N.md", "type: topic", "page"),
            ("30_Knowledge/N.md", "id: n1\ntype: book", "page"),
            ("30_Knowledge/N.md", "id: a b\ntype: topic", "page"),
            ("30_Knowledge/N.md", "type: session", "page"),
            ("50_Conversations/2026/N.md", "type: session", "session"),
            ("50_Conversations/2026/N.md", "x: y", "page"),
        ],
    )
    def test_layer(self, vault: Vault, path: str, head: str, layer: str) -> None:
        """Curated wants an id and a type of ours; a session lies among the sessions."""
        assert load(vault, f"---\n{head}\n---\nx", path).layer == layer

    @pytest.mark.parametrize(
        ("path", "head", "project"),
        [
            ("30_Knowledge/N.md", "project: shop", "shop"),
            ("30_Knowledge/N.md", 'project: "[[10_Projects/Shop|x]]"', "Shop"),
            ("30_Knowledge/N.md", 'part_of:\n  - "[[Shop]]"', "Shop"),
            ("30_Knowledge/N.md", "part_of: [[Shop]]", "Shop"),
            ("10_Projects/shop/deep/N.md", "x: y", "shop"),
            ("10_Projects/Shop.md", "type: project", "Shop"),
            ("10_Projects/Shop.md", "type: topic", None),
            ("30_Knowledge/N.md", "x: y", None),
        ],
    )
    def test_project(self, vault: Vault, path: str, head: str, project: str | None) -> None:
        """Named, else what it is part of, else its folder."""
        assert load(vault, f"---\n{head}\n---\nx", path).project == project


class TestSections:
    """Headings, lines and evidence."""

    def test_sections_know_their_headings_lines_and_events(self, vault: Vault) -> None:
        """Citations stay where they stand; their definitions, which say nothing, are no text."""
        other = "20261130T015802Z-0123456789ab"
        text = (
            f"{CURATED}\nintro #a\n\n# One\n\n- x [^{ID}]\n\n## Two\ny [^{other}] [^{ID}] `[^{ID}]`\n\n"
            f"[^{ID}]: [[S#^{ID}|codex]]\n[^{other}]: [[S#^{other}|codex]]\n"
        )
        document = load(vault, text)

        assert [(part.heading, part.line, part.text, part.events) for part in document.sections] == [
            ("", 6, "intro #a", ()),
            ("One", 10, f"- x [^{ID}]", (ID,)),
            ("One > Two", 13, f"y [^{other}] [^{ID}] `[^{ID}]`", (other, ID)),
        ]
        lines = text.split("\n")
        assert all(lines[part.line - 1] == part.text.split("\n")[0] for part in document.sections)
        assert document.revision == files.revision_of(text.encode())

    def test_properties_come_along(self, vault: Vault) -> None:
        """Title, aliases, tags from both places, questions, status, time in the vault's zone."""
        document = load(
            vault,
            "---\ntitle: T\nAliases: A\ntags: '#b, c'\nquestions: [q1?, q2?]\nid: n1\ntype: topic\nstatus: draft\n"
            "created: 2026-01-01\nupdated: 2026-11-30T10:58:01\n---\n#B #d",
        )

        assert (document.title, document.aliases, document.questions) == ("T", ("A",), ("q1?", "q2?"))
        assert sorted(tag.casefold() for tag in document.tags) == ["b", "c", "d"]
        assert (document.note_id, document.type, document.status) == ("n1", "topic", "draft")
        assert document.time == AT

    @pytest.mark.parametrize(
        "when",
        [
            *("", "soon", "0001-01-01", "9999-12-31T23:59:59", "{{date}}"),
            *("0002-01-01T00:00:00+09:00", "9998-12-31T23:59:59-09:00"),  # in UTC they are of the years 1 and 9999
        ],
    )
    def test_a_time_that_is_none_falls_back_to_the_files(self, vault: Vault, when: str) -> None:
        """Whatever a person or a template has there."""
        document = load(vault, f"---\nupdated: {when}\n---\nx")

        assert document.time is not None
        assert document.time.year == datetime.now(UTC).year

    @pytest.mark.parametrize("seconds", [300_000_000_000, 253_402_214_400, -62_135_596_800])
    def test_a_file_of_no_year_of_this_world_is_read(self, vault: Vault, seconds: int) -> None:
        """An archive, or another system, may have set its time to the years 11476, 9999 or 1."""
        load(vault, "x", "30_Knowledge/old.md")
        path = vault.root / "30_Knowledge" / "old.md"
        os.utime(path, (seconds, seconds))

        document = documents.load_document(vault, DocumentId("30_Knowledge/old.md"))
        assert document.time is not None
        # Not every file system holds such a time.
        assert document.time.year == (1970 if path.stat().st_mtime == seconds else document.time.year)

    def test_a_title_is_the_files_name_if_nothing_else(self, vault: Vault) -> None:
        """In NFC."""
        assert load(vault, "x", "30_Knowledge/재시도.md").title == "재시도"


class TestSessions:
    """A session note is its turns, and what a person wrote between them."""

    def test_turns_have_the_words_and_lines_of_the_note(self, vault: Vault) -> None:
        """In order, by event; the title is the first line of the first prompt."""
        path, ids = talk(vault, "첫 질문 #nottag\n[[no]]\nmore", "# Not a heading\n```\n[^x]\n```", "third")
        document = documents.load_document(vault, DocumentId(path))
        lines = (vault.root / path).read_text("utf-8").split("\n")

        assert (document.layer, document.title, document.project) == ("session", "첫 질문 #nottag", "shop")
        assert (document.host, document.git_branch, document.cwd) == ("codex", "main", "/code/shop")
        assert document.session_id == "aa11bb22-0000-4000-8000-000000000000"
        assert [turn.event for turn in document.turns] == ids
        assert [lines[turn.line - 1][:7] for turn in document.turns] == ["> [!use", "> [!ass", "> [!use"]
        assert document.turns[1].text == "# Not a heading\n```\n[^x]\n```"
        assert (document.sections, document.tags, document.time) == ((), (), AT)

    def test_a_persons_additions_are_sections(self, vault: Vault) -> None:
        """Between and below the blocks, with their lines; the turns are as they were."""
        path, ids = talk(vault, "one", "two")
        file = vault.root / path
        text = file.read_text("utf-8").replace(
            "\n> [!assistant]", "\n> my own quote #mine\n\nmy words\n\n> [!assistant]"
        )
        file.write_text(f"{text}\n# Mine\nlast words\n", "utf-8")
        document = documents.load_document(vault, DocumentId(path))
        lines = file.read_text("utf-8").split("\n")

        assert [turn.event for turn in document.turns] == ids
        assert [(part.heading, part.text.split("\n")) for part in document.sections] == [
            ("", ["> my own quote #mine", "", "my words"]),
            ("Mine", ["last words"]),
        ]
        assert all(lines[part.line - 1] == part.text.split("\n")[0] for part in document.sections)
        assert document.tags == ("mine",)

    def test_a_long_prompt_makes_a_short_title(self, vault: Vault) -> None:
        """One line of at most 120 characters."""
        path, _ = talk(vault, "\n\n" + "word " * 100 + "\nsecond line")
        title = documents.load_document(vault, DocumentId(path)).title

        assert len(title) <= 120
        assert title.startswith("word word")
        assert title.endswith("…")

    def test_a_session_without_prompt_is_named_by_its_file(self, vault: Vault) -> None:
        """There is always something to show."""
        path, _ = talk(vault)

        assert documents.load_document(vault, DocumentId(path)).title == "2026-11-30 codex shop aa11bb22"


class TestBrokenFiles:
    """What is wrong is a problem; the rest is read."""

    def test_broken_frontmatter_is_text(self, vault: Vault) -> None:
        """It can be found by its words, and is reported with its line."""
        document = load(vault, "---\ntype: topic\nid: [\n---\n# H\nbody")

        assert [(p.code, p.path) for p in document.problems] == [("broken_frontmatter", "30_Knowledge/N.md")]
        assert [(part.heading, part.line, part.text) for part in document.sections] == [
            ("", 2, "type: topic\nid: ["),
            ("H", 6, "body"),
        ]
        assert document.layer == "page"

    def test_another_encoding_is_read_as_far_as_it_goes(self, vault: Vault) -> None:
        """A note in CP949, with the line of its first bad byte."""
        document = load(vault, b"fine\nkorean: \xb0\xa1\n# H\nok")

        assert [(p.code, p.line) for p in document.problems] == [("not_utf8", 2)]
        assert [part.text for part in document.sections] == ["fine\nkorean: \ufffd\ufffd", "ok"]

    def test_an_outline_of_headings_is_its_own_text(self, vault: Vault) -> None:
        """Else a note that is only begun would be found by its file's name alone."""
        document = load(vault, f"{CURATED}\n# 봄 행사\n\n## Call Kim\n\n[^20261130T015801Z-9f2c4e1ab07d]: x\n")

        assert [(part.heading, part.line, part.text) for part in document.sections] == [("", 6, "봄 행사\nCall Kim")]

    def test_a_note_with_a_git_conflict_is_not_truth(self, vault: Vault) -> None:
        """No section until it is resolved, and the line where it begins."""
        document = load(vault, f"{CURATED}# H\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> main\n")

        assert document.sections == ()
        assert [(p.code, p.line) for p in document.problems] == [("conflict_markers", 6)]

    def test_a_session_with_a_git_conflict_keeps_its_turns(self, vault: Vault) -> None:
        """Both sides are whole blocks with events of their own."""
        path, ids = talk(vault, "one", "two")
        file = vault.root / path
        text = file.read_text("utf-8")
        at = text.index("> [!assistant]")
        file.write_text(f"{text[:at]}<<<<<<< HEAD\n{text[at:]}=======\n>>>>>>> main\n", "utf-8")
        document = documents.load_document(vault, DocumentId(path))

        assert [turn.event for turn in document.turns] == ids
        assert [p.code for p in document.problems] == ["conflict_markers"]
        assert document.sections == ()

    def test_a_huge_note_is_read_to_a_bound(self, vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
        """Whole lines up to the bound, the revision of the whole file, and a problem that says so."""
        monkeypatch.setattr(documents, "MAX_BYTES", 1000)
        text = "".join(f"줄 {n}\n" for n in range(500))
        document = load(vault, text)

        assert [p.code for p in document.problems] == ["too_long"]
        assert text.startswith(document.sections[0].text + "\n")
        assert 900 < len(document.sections[0].text.encode()) <= 1000
        assert document.revision == files.revision_of(text.encode())

    @pytest.mark.parametrize(
        "content", [b"", b"\xef\xbb\xbf", b"---\n", b"---\n---\n", b"\x00\x01", b"\r", b"\n" * 50, b"\xff\xfea\x00"]
    )
    def test_nearly_nothing_is_a_document(self, vault: Vault, content: bytes) -> None:
        """An empty note is still found by its name."""
        assert load(vault, content).title == "N"

    @given(
        st.one_of(
            st.binary(max_size=200),
            st.lists(
                st.sampled_from(
                    [
                        "---",
                        "type: session",
                        "id: n1",
                        "> [!user] 01:58",
                        "> x",
                        "",
                        f"^{ID}",
                        "# H",
                        "- x",
                        "<<<<<<< a",
                    ]
                ),
                max_size=15,
            ).map(lambda lines: "\n".join(lines).encode()),
        )
    )
    @settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
    def test_any_bytes_are_a_document(self, vault: Vault, content: bytes) -> None:
        """As a note and as a session note: nothing raises, and every line is one of the file."""
        for path in ("30_Knowledge/N.md", "50_Conversations/2026/N.md"):
            document = load(vault, content, path)
            last = content.count(b"\n") + content.count(b"\r") + 1
            assert all(1 <= part.line <= last for part in document.sections)
            assert all(1 <= turn.line <= last for turn in document.turns)

    def test_what_is_gone_is_not_found(self, vault: Vault) -> None:
        """Deleted between listing and reading; and no path out of the vault is read."""
        with pytest.raises(NotFound):
            documents.load_document(vault, DocumentId("30_Knowledge/gone.md"))
        with pytest.raises(PathEscapes):
            documents.load_document(vault, DocumentId("../x.md"))


@pytest.mark.shared
def test_a_real_vault_is_read_and_written_beside_without_changing_a_byte(vault: Vault, shared: Path) -> None:
    """kepano's vault: 103 notes load without a problem; a note saved beside them changes none, nor their settings."""
    shutil.copytree(shared / "vaults" / "kepano", vault.root, dirs_exist_ok=True)
    (vault.root / ".wwtignore").unlink(missing_ok=True)  # the vault's templates are read too
    _, (event, *_) = talk(vault, "What is Evergreen?")
    before = {path: path.read_bytes() for path in vault.root.rglob("*") if path.is_file()}
    stamps = documents.catalog(vault)
    loaded = [documents.load_document(vault, name) for name in stamps]
    note = notes.save_note(
        vault,
        note="Evergreen notes of mine",
        body=f"## Facts\n- asked [^{event}]",
        revision=None,
        type="topic",
        relations={"relates_to": ["Evergreen Template"]},
        written_by="codex",
        at=AT,
        locks=vault.root.parent / "locks",
    )
    after = {path: path.read_bytes() for path in vault.root.rglob("*") if path.is_file()}

    assert len(stamps) > 100
    assert [document.problems for document in loaded if document.problems] == []
    assert {path: after[path] for path in before} == before
    assert '"[[Evergreen Template]]"' in note.text
    unchanged = documents.catalog(vault)
    assert {name: unchanged[name] for name in stamps} == stamps
