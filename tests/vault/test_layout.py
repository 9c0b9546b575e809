"""Names are good everywhere, and no path leads out of the vault."""

from __future__ import annotations

import re
import unicodedata
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wwt_vault.errors import BadArgument, BadName, PathEscapes
from wwt_vault.model.conversation import Session
from wwt_vault.vault import layout
from wwt_vault.vault.layout import find_name, inside, name_key, project_of, safe_name, short_session_id

UUID4 = "42edc39d-1111-4222-8333-444455556666"
UUID7 = "01938f2a-7b3c-7def-8123-4567abcd9876"


# -- names ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("feat: add x/y", "feat add x y"),
        ('Why? *this* <b> "quoted" a|b', "Why this b quoted a b"),
        ("C:\\temp\\file", "C temp file"),
        ("[[link]] #tag ^block", "link tag block"),
        ("100%% sure 50%", "100% sure 50%"),
        ("..hidden. ", "hidden"),
        (" trailing dots...", "trailing dots"),
        ("a\nb\tc\x00d\x07", "a b c d"),
        ("CON", "CON_"),
        ("con.txt", "con_.txt"),
        ("COM¹", "COM¹_"),
        ("LPT0.tar.gz", "LPT0_.tar.gz"),
        ("CONSOLE", "CONSOLE"),
        ("a\u202egnp.exe", "agnp.exe"),
        ("zero\u200bwidth\ufeff\u2060\u00ad", "zerowidth"),
        ("\u3164\u115f\u034ffiller", "filler"),
        ("\ud800lone", "lone"),
        ("\u2028line", "line"),
        (unicodedata.normalize("NFD", "한글 é"), "한글 é"),
        ("...", ""),
        ("", ""),
    ],
)
def test_a_name_holds_what_every_platform_can(text: str, name: str) -> None:
    """Obsidian's link breakers, Windows' characters and names, invisible characters: none is left."""
    assert safe_name(text) == name


@given(st.text(max_size=300), st.sampled_from([20, 200]))
def test_every_text_gives_a_safe_name_that_stays_itself(text: str, limit: int) -> None:
    """Whatever an agent calls a note, the name obeys all rules at once, and naming it again changes nothing."""
    name = safe_name(text, limit)
    assert len(name.encode()) <= limit + 1
    assert unicodedata.normalize("NFC", name) == name
    assert not re.search(r'[#^\[\]|:\\/*?"<>\x00-\x1f\x7f]|%%', name)
    assert not any(unicodedata.category(letter) in ("Cc", "Cf", "Cs", "Cn", "Zl", "Zp") for letter in name)
    assert name == name.strip(" .")
    assert name.split(".")[0].strip().upper() not in {"CON", "PRN", "AUX", "NUL", "COM1", "LPT9", "COM²"}
    assert safe_name(name, limit + 1) == name


@pytest.mark.parametrize(
    ("text", "limit", "name"),
    [
        ("가" * 90, 200, "가" * 66),
        ("ab가나", 7, "ab가"),
        ("가나다", 8, "가나"),
        ("x" + "q\u0308" * 3, 6, "xq\u0308"),  # the mark would not fit: its letter goes too
        ("\u0301" * 300, 200, "\u0301" * 100),
        ("end. of", 5, "end"),
    ],
)
def test_a_long_name_is_cut_before_a_letter(text: str, limit: int, name: str) -> None:
    """Never inside a character, never between a letter and its marks, never at a dot or space."""
    assert safe_name(text, limit) == name


def test_names_that_some_system_takes_for_one_have_one_key() -> None:
    """Case, Unicode form and both at once make no difference."""
    assert name_key("한글 Über") == name_key(unicodedata.normalize("NFD", "한글 über"))
    assert name_key("STRASSE") == name_key("straße")
    assert name_key("a") != name_key("b")


def test_an_existing_name_is_found_under_any_form(tmp_path: Path) -> None:
    """The exact name comes first, then one that differs by case or NFC alone."""
    decomposed = unicodedata.normalize("NFD", "결정 Café.md")
    (tmp_path / decomposed).touch()
    (tmp_path / "other.md").touch()
    assert find_name(tmp_path, "결정 café.md") == decomposed
    assert find_name(tmp_path, "other.md") == "other.md"
    assert find_name(tmp_path, "Other.md") == "other.md"
    assert find_name(tmp_path, "third.md") is None
    assert find_name(tmp_path / "none", "x") is None


# -- paths ------------------------------------------------------------------------------------------------------------

ESCAPES = [
    "/etc/passwd",
    "//server/share/x.md",
    "\\\\server\\share\\x.md",
    "..",
    "../x.md",
    "a/../../x.md",
    "a/..",
    "a/.. /x.md",
    "a/.../x.md",
    "~",
    "~/x.md",
    "~root/x.md",
    "a\0.md",
    "C:x.md",
    "c:/x.md",
    "a\\..\\..\\x.md",
    "..\\x.md",
    ".git/config",
    ".obsidian/app.json",
    ".wwt/events/x.json",
    "a/.hidden/x.md",
    ".GIT/hooks/post-checkout",
    "./.git/config",
    "",
    ".",
    "/",
]


@pytest.mark.parametrize("rel", ESCAPES)
def test_a_path_that_leads_elsewhere_is_refused(tmp_path: Path, rel: str) -> None:
    """Absolute, upwards, home, drive, UNC, backslashes, NUL, dot folders, nothing at all."""
    with pytest.raises(PathEscapes):
        inside(tmp_path, rel)


@pytest.mark.parametrize(
    "rel", ["%2e%2e/x.md", "a..b.md", "~draft.md", "10:30 talk.md", "가/나.md", "．．/x.md", "a/b/c.md"]
)
def test_a_path_that_only_looks_odd_is_a_path(tmp_path: Path, rel: str) -> None:
    """Percent signs are not decoded, and dots and tildes inside a name are letters."""
    assert inside(tmp_path, rel) == tmp_path / rel


def test_dot_folders_are_for_the_program_only(tmp_path: Path) -> None:
    """``hidden`` opens them and nothing else."""
    assert inside(tmp_path, ".wwt/vault.json", hidden=True) == tmp_path / ".wwt" / "vault.json"
    with pytest.raises(PathEscapes):
        inside(tmp_path, ".wwt/../../x", hidden=True)


def test_no_link_is_followed_at_any_place_of_a_path(tmp_path: Path) -> None:
    """A vault may come from someone else's git, which checks out links: as a folder, as a file, under a new file."""
    root, outside = tmp_path / "vault", tmp_path / "outside"
    root.mkdir()
    outside.mkdir()
    (outside / "secret.md").write_text("secret")
    (root / "folder").symlink_to(outside)
    (root / "file.md").symlink_to(outside / "secret.md")
    (root / "dangling.md").symlink_to(outside / "new.md")
    (root / ".wwt").symlink_to(outside)
    for rel in ("folder/secret.md", "folder/new.md", "folder", "file.md", "dangling.md"):
        with pytest.raises(PathEscapes, match="symbolic link"):
            inside(root, rel)
    with pytest.raises(PathEscapes, match="symbolic link"):
        inside(root, ".wwt/events/x.json", hidden=True)


def test_the_vault_itself_may_be_behind_a_link(tmp_path: Path) -> None:
    """Where the person keeps the vault is theirs to say; only what lies in it is looked at."""
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert inside(tmp_path / "link", "a.md") == tmp_path / "link" / "a.md"


def test_a_path_is_nfc_but_finds_what_lies_there_in_nfd(tmp_path: Path) -> None:
    """New names are NFC; a file that macOS brought in NFD is the same note, not a second one."""
    decomposed = unicodedata.normalize("NFD", "한글 노트.md")
    assert inside(tmp_path, decomposed).name == "한글 노트.md"
    folder = tmp_path / unicodedata.normalize("NFD", "폴더")
    folder.mkdir()
    (folder / decomposed).write_text("x")
    assert inside(tmp_path, "폴더/한글 노트.md").read_text() == "x"
    assert inside(tmp_path, "폴더/새 노트.md") == folder / "새 노트.md"


def test_a_name_too_long_for_the_disk_is_named(tmp_path: Path) -> None:
    """Not a crash but a refusal; likewise a file where a folder should be."""
    with pytest.raises(BadName):
        inside(tmp_path, "x" * 300 + ".md")
    (tmp_path / "file.md").touch()
    with pytest.raises(BadName):
        inside(tmp_path, "file.md/below.md")


@given(st.text(max_size=60))
def test_no_text_at_all_leads_out(text: str) -> None:
    """Either a refusal or a path below the root without upward parts."""
    root = Path("/nowhere/vault")
    try:
        path = inside(root, text)
    except (PathEscapes, BadName):
        return
    assert path.is_relative_to(root)
    assert ".." not in path.parts
    assert not any(part.startswith(".") for part in path.relative_to(root).parts)


# -- what is where ----------------------------------------------------------------------------------------------------


def test_an_events_path_follows_from_its_id() -> None:
    """Year, month and day of the id are its folders; what is no id is refused."""
    assert layout.event_path("20261130T015801Z-9f2c4e1ab07d") == (
        ".wwt/events/2026/11/30/20261130T015801Z-9f2c4e1ab07d.json"
    )
    for wrong in ("", "../../x", "20261130T015801Z-9F2C4E1AB07D", "20261130T015801Z-9f2c4e1ab07d\n", "٢" * 8 + "T"):
        with pytest.raises(BadArgument):
            layout.event_path(wrong)


def test_a_revisions_path_cannot_be_steered() -> None:
    """The id of a note stands in a file that anybody may write: it never becomes a path."""
    assert layout.revision_path("n-1", "a" * 64) == f".wwt/revisions/n-1/{'a' * 64}.md"
    for note_id, revision in (("../x", "a" * 64), ("", "a" * 64), ("x", "../y"), ("x/y", "a" * 64), ("x", "A" * 64)):
        with pytest.raises(BadArgument):
            layout.revision_path(note_id, revision)


@pytest.mark.parametrize(
    ("session_id", "short"),
    [
        (UUID4, "42edc39d"),
        (UUID7, "abcd9876"),
        (UUID7.upper(), "abcd9876"),
        ("abc", "abc"),
        ("../../etc", "etc"),
        ("chat/2026:1", "chat-202"),
    ],
)
def test_the_short_id_tells_sessions_apart(session_id: str, short: str) -> None:
    """The head of an id, but the tail of one whose head is the clock; letters that a name can hold."""
    assert short_session_id(session_id) == short


def test_a_session_notes_name_is_date_host_project_and_id() -> None:
    """As the design shows it; without a project it has three parts; after a clash the id is written out."""
    session, day = Session(host="claude-code", session_id=UUID4), date(2026, 11, 30)
    assert layout.session_note_name(session, day, "shop") == "2026-11-30 claude-code shop 42edc39d.md"
    assert layout.session_note_name(session, day, None) == "2026-11-30 claude-code 42edc39d.md"
    assert layout.session_note_name(session, day, "shop", 1) == f"2026-11-30 claude-code shop {UUID4}.md"


@given(
    host=st.text(max_size=60),
    session_id=st.text(max_size=300),
    project=st.text(max_size=300) | st.none(),
    clash=st.integers(0, 2),
)
def test_hostile_ids_and_projects_give_a_name_and_nothing_else(
    host: str, session_id: str, project: str | None, clash: int
) -> None:
    """One file's name, within 200 bytes, without a way out, ending with a form of the id that is looked for."""
    session = Session(host=host, session_id=session_id)
    name = layout.session_note_name(session, date(2026, 1, 2), project, clash)
    assert len(name.removesuffix(".md").encode()) <= 200
    assert inside(Path("/nowhere"), name) == Path("/nowhere") / name
    assert name.removesuffix(".md") == safe_name(name.removesuffix(".md"))
    assert name.endswith(f" {layout.session_id_names(session_id)[clash]}.md")
    mark = layout.curated_mark_path(host, session_id)
    assert inside(Path("/nowhere"), mark, hidden=True) == Path("/nowhere") / mark


def test_ids_that_differ_only_in_what_a_name_cannot_hold_stay_apart() -> None:
    """A hash of the id is added where letters were lost."""
    fulls = {layout.session_id_names(session_id)[1] for session_id in ("a/b", "a b", "a-b", "a:b", "a-b-")}
    assert len(fulls) == 5
    assert "a-b" in fulls


# -- projects ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cwd", "project"),
    [
        ("/home/me/shop", "shop"),
        ("/home/me/shop/", "shop"),
        ("/home/me/가게", "가게"),
        ("/home/me/" + unicodedata.normalize("NFD", "가게"), "가게"),
        ("C:\\Users\\me\\shop", "shop"),
        ("C:/Users/me/shop", "shop"),
        ("\\\\server\\share\\shop", "shop"),
        ("/home/me/back\\slash", "back\\slash"),
        ("/home/me/shop/.claude/worktrees/fix-login", "shop"),
        ("/home/me/shop/.claude/worktrees/fix-login/src", "shop"),
        ("C:\\code\\shop\\.claude\\worktrees\\fix", "shop"),
        ("/home/me/shop/.gemini/worktrees/x", "shop"),
        ("/home/me/shop/.worktrees/feature", "shop"),
        ("/home/me/.codex/worktrees/883f/shop", "shop"),
        ("/home/me/.cursor/worktrees/shop/ab12", "shop"),
        ("/home/me/worktrees", "worktrees"),
        ("/home/me/worktrees/shop", "shop"),
        ("/home/me/shop/../bar", "bar"),
        ("/", None),
        ("C:\\", None),
        ("~", None),
        ("", None),
        (None, None),
    ],
)
def test_the_project_follows_from_the_folders_text(cwd: str | None, project: str | None) -> None:
    """The last part of the path; the repository for the worktrees that agents make; the same on every machine."""
    assert project_of(cwd) == project


@given(st.text())
def test_every_folder_has_a_project_or_none(cwd: str) -> None:
    """No path makes it fail or give what UTF-8 cannot hold."""
    project = project_of(cwd)
    assert project is None or project.encode()
