"""A repository that somebody made to do harm: nothing runs, nothing outside the vault changes, the person is told."""

from __future__ import annotations

import json
import subprocess
import unicodedata
from pathlib import Path

import pytest

from tests.sync.machines import ENVIRON, Box, files_of, first, git, join, remote_in, say
from wwt_vault import sync as syncing
from wwt_vault.errors import BadArgument, FormatTooNew, SyncRefused
from wwt_vault.sync import contents
from wwt_vault.vault.layout import CURATED_MARKS, VAULT_FILE


@pytest.fixture
def two(tmp_path: Path) -> tuple[Box, Path]:
    """Return a machine in sync, and the repository it trusts."""
    remote = remote_in(tmp_path)
    return first(tmp_path, remote), remote


def commit(remote: Path, *lines: str, blobs: tuple[bytes, ...] = ()) -> None:
    """Commit entries to the repository as no program would: ``mode type id<TAB>name`` of the top folder."""
    top = git(remote, "ls-tree", "main").splitlines()
    names = {line.partition("\t")[2] for line in lines}
    kept = [line for line in top if line.partition("\t")[2] not in names]
    tree = _tree(remote, *kept, *lines)
    new = git(remote, "commit-tree", tree, "-p", "main", "-m", "harmless").strip()
    git(remote, "update-ref", "refs/heads/main", new)


def blob(remote: Path, data: bytes) -> str:
    """Store bytes; return their id."""
    command = ["git", "hash-object", "-w", "--stdin"]
    return (
        subprocess.run(command, input=data, cwd=remote, env=ENVIRON, check=True, capture_output=True)
        .stdout.decode()
        .strip()
    )


def _tree(remote: Path, *lines: str) -> str:
    data = "".join(f"{line}\0" for line in lines).encode()
    command = ["git", "mktree", "-z", "--missing"]
    return (
        subprocess.run(command, input=data, cwd=remote, env=ENVIRON, check=True, capture_output=True)
        .stdout.decode()
        .strip()
    )


def entry(remote: Path, name: str, data: bytes = b"x\n", mode: str = "100644") -> str:
    """Return the line of a file."""
    return f"{mode} blob {blob(remote, data)}\t{name}"


def folder(remote: Path, name: str, *lines: str) -> str:
    """Return the line of a folder."""
    return f"040000 tree {_tree(remote, *lines)}\t{name}"


@pytest.mark.parametrize("name", ["..", ".git", ".GIT", "git~1", ".g\u200cit", ".git ", ".git::$INDEX_ALLOCATION"])
def test_a_path_out_of_the_tree_or_into_git_is_refused(two: tuple[Box, Path], tmp_path: Path, name: str) -> None:
    """The whole sync is refused before anything is written, also for names that only some file system resolves."""
    box, remote = two
    commit(remote, folder(remote, name, entry(remote, "config", b"[core]\n\tfsmonitor = touch /tmp/x\n")))
    before, config = files_of(box), (box.root / ".git/config").read_bytes()

    with pytest.raises(SyncRefused) as refusal:
        box.sync()

    assert refusal.value.data["reason"] == "hostile"
    assert "Nothing was changed" in str(refusal.value)
    assert files_of(box) == before
    assert (box.root / ".git/config").read_bytes() == config
    assert not (tmp_path / "config").exists()


def test_a_link_is_carried_and_never_made(two: tuple[Box, Path], tmp_path: Path) -> None:
    """Neither a link to a file, nor one in the place of a folder under which another file would lie."""
    box, remote = two
    outside = tmp_path / "outside"
    outside.mkdir()
    commit(
        remote,
        entry(remote, "Link.md", b"/etc/passwd", "120000"),
        entry(remote, "60_More", str(outside).encode(), "120000"),
        entry(remote, "Real.md"),
    )
    done = box.sync()

    assert {(found.path, found.reason) for found in done.withheld} == {("Link.md", "link"), ("60_More", "link")}
    assert not (box.root / "Link.md").is_symlink()
    assert not (box.root / "60_More").exists()
    assert (box.root / "Real.md").is_file()
    assert "120000" in box.git("ls-tree", "HEAD", "Link.md")
    assert box.sync().sent == {}  # and is not taken for a file that was deleted here


def test_nothing_is_written_through_a_link_that_a_person_has(two: tuple[Box, Path], tmp_path: Path) -> None:
    """A folder of the vault that is a link to another disk: what comes for it stays in git."""
    box, remote = two
    outside = tmp_path / "outside"
    outside.mkdir()
    (box.root / "60_More").symlink_to(outside)
    commit(remote, folder(remote, "60_More", entry(remote, "Note.md")))
    done = box.sync()

    assert [(found.path, found.reason) for found in done.withheld] == [("60_More/Note.md", "link")]
    assert list(outside.iterdir()) == []


def test_a_note_that_became_a_link_stays_the_note(two: tuple[Box, Path]) -> None:
    """A file of ours is not given up for a link of theirs."""
    box, remote = two
    box.write("Plan.md", "mine\n")
    box.sync()
    commit(remote, entry(remote, "Plan.md", b"/etc/passwd", "120000"))
    done = box.sync()

    assert box.read("Plan.md") == "mine\n"
    assert "stays the file that it was" in done.notes[0]


def test_a_submodule_is_neither_fetched_nor_checked_out(two: tuple[Box, Path], tmp_path: Path) -> None:
    """Its address, which may run anything, is never used."""
    box, remote = two
    canary = tmp_path / "ran"
    modules = f'[submodule "m"]\n\tpath = m\n\turl = ext::sh -c "touch% {canary}"\n'.encode()
    commit(remote, entry(remote, ".gitmodules", modules), f"160000 commit {'1' * 40}\tm")
    done = box.sync()

    assert {found.path for found in done.withheld} == {".gitmodules", "m"}
    assert not canary.exists()
    assert not (box.root / ".gitmodules").exists()
    assert not (box.root / "m").exists()


def test_no_hook_filter_or_monitor_runs(two: tuple[Box, Path], tmp_path: Path) -> None:
    """Neither those of a repository on a disk, nor those that this clone's settings name."""
    box, remote = two
    canary = tmp_path / "ran"
    script = tmp_path / "evil"
    script.write_text(f"#!/bin/sh\necho $0 >> {canary}\ncat\n")
    script.chmod(0o755)
    for place in (remote / "hooks", box.root / ".git/hooks"):
        place.mkdir(exist_ok=True)
        for hook in ("pre-receive", "update", "post-receive", "post-update", "pre-commit", "post-commit", "pre-push",
                     "post-merge", "post-checkout", "reference-transaction", "post-index-change"):  # fmt: skip
            (place / hook).write_bytes(script.read_bytes())
            (place / hook).chmod(0o755)
    for key in ("filter.evil.clean", "filter.evil.smudge", "filter.evil.process", "core.fsmonitor", "core.pager",
                "core.editor", "diff.external", "merge.evil.driver", "core.askPass", "credential.helper"):  # fmt: skip
        box.git("config", key, str(script))
    commit(remote, entry(remote, ".gitattributes", b"* filter=evil merge=evil diff=evil\n"), entry(remote, "A.md"))
    canary.unlink(missing_ok=True)  # of the lines above, which are the repository's owner's
    box.write("B.md", "b\n")
    box.sync()
    box.write("B.md", "bb\n")
    box.sync()

    assert not canary.exists(), canary.read_text()
    assert box.read("A.md") == "x\n"
    assert git(remote, "show", "main:B.md") == "bb\n"


@pytest.mark.parametrize(
    "address", ["ext::sh -c touch% /tmp/x", "-oProxyCommand=touch /tmp/x", "--upload-pack=touch", "fd::7"]
)
def test_an_address_that_would_run_something_is_refused(tmp_path: Path, address: str) -> None:
    """Before git sees it."""
    box = first(tmp_path, None)

    with pytest.raises(BadArgument):
        syncing.begin(box.vault, box.machine, address)


def test_programs_and_plugins_are_not_written(two: tuple[Box, Path]) -> None:
    """What Obsidian or a shell would run stays in git, and is not taken for deleted here."""
    box, remote = two
    plugins = folder(remote, "plugins", folder(remote, "x", entry(remote, "main.js", b"evil()")))
    commit(remote, folder(remote, ".obsidian", plugins), entry(remote, "run.sh", b"x", "100755"))
    done = box.sync()

    assert {found.reason for found in done.withheld} == {"not_a_vaults"}
    assert not (box.root / ".obsidian/plugins").exists()
    assert not (box.root / "run.sh").exists()
    say(box, "hello")
    box.sync()
    assert "main.js" in git(remote, "ls-tree", "-r", "--name-only", "main")


def test_a_huge_file_is_not_written(two: tuple[Box, Path]) -> None:
    """It stays in git, the person is told, and it is not deleted for the others by the next sync."""
    box, remote = two
    commit(remote, entry(remote, "Film.mp4", b"\0" * (51 << 20)))
    done = box.sync()

    assert [(found.path, found.reason) for found in done.withheld] == [("Film.mp4", "too_big")]
    assert not (box.root / "Film.mp4").exists()
    box.git("update-index", "--no-skip-worktree", "Film.mp4")
    say(box, "hello")
    box.sync()
    assert "Film.mp4" in git(remote, "ls-tree", "--name-only", "main")


def test_a_file_of_git_lfs_is_left_to_git_lfs(two: tuple[Box, Path]) -> None:
    """Its pointer is not written as a picture, and the picture does not get into git in its place."""
    box, remote = two
    pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"a" * 64 + b"\nsize 9\n"
    commit(remote, entry(remote, "Picture.png", pointer))
    done = box.sync()
    assert [(found.path, found.reason) for found in done.withheld] == [("Picture.png", "lfs")]
    assert not (box.root / "Picture.png").exists()

    (box.root / "Picture.png").write_bytes(b"\x89PNG\0real")
    box.git("update-index", "--no-skip-worktree", "Picture.png")
    box.sync()
    assert git(remote, "show", "main:Picture.png").encode() == pointer
    assert (box.root / "Picture.png").read_bytes() == b"\x89PNG\0real"


def test_names_that_differ_by_case_alone_are_both_kept(two: tuple[Box, Path], tmp_path: Path) -> None:
    """On a disk that knows no case one would replace the other."""
    box, remote = two
    box.write("plan.md", "mine\n")
    box.sync()
    other = join(tmp_path, remote, "desktop")
    commit(
        remote,
        entry(remote, "Trip.md", b"one\n"),
        entry(remote, "TRIP.md", b"two\n"),
        entry(remote, "Plan.md", b"theirs\n"),
    )
    done = box.sync()
    other.sync()

    names = [path for path in files_of(box) if path.lower().startswith(("trip", "plan"))]
    assert len({name.lower() for name in names}) == len(names) == 4
    said = b"".join(files_of(box)[name] for name in names).decode()
    assert all(f"\n{words}\n" in f"\n{said}" for words in ("one", "two", "mine", "theirs"))
    assert any("but for case or form" in note for note in done.notes)
    assert files_of(box) == files_of(other)


def test_a_name_in_another_unicode_form_is_the_same_note(two: tuple[Box, Path], tmp_path: Path) -> None:
    """macOS writes a name decomposed: there is one note, and it has the name composed."""
    box, remote = two
    name = "회의록 é.md"
    box.write(name, "## A\n\na\n\n## B\n\nb\n")
    box.sync()
    other = join(tmp_path, remote, "mac")
    commit(remote, entry(remote, unicodedata.normalize("NFD", name), b"## A\n\na\n\n## B\n\nb\n"))
    box.sync()
    other.sync()

    assert [path for path in files_of(box) if unicodedata.normalize("NFC", path) == name] == [name]
    assert files_of(box) == files_of(other)


def test_a_file_in_the_place_of_a_folder_is_refused(two: tuple[Box, Path]) -> None:
    """And the other way round: a person renames one of them."""
    box, remote = two
    box.write("Trip/Plan.md", "x\n")
    commit(remote, entry(remote, "trip"), folder(remote, "Trip.md", entry(remote, "x.md")))
    box.write("Trip.md", "x\n")

    with pytest.raises(SyncRefused, match="file on one side and a folder on the other"):
        box.sync()
    assert box.read("Trip.md") == box.read("Trip/Plan.md") == "x\n"


def test_an_event_is_not_replaced_by_other_words(two: tuple[Box, Path]) -> None:
    """A file that claims the id of a message of ours and is none is put right by ours."""
    box, remote = two
    event = say(box, "what I said")
    box.sync()
    path = next((box.root / ".wwt/events").rglob("*.json"))
    mine = path.read_bytes()
    forged = json.dumps({**json.loads(mine), "text": "what I never said"}).encode()
    clone = box.root.parent / "clone"
    git(box.root.parent, "clone", "-q", str(remote), str(clone))
    (clone / path.relative_to(box.root)).write_bytes(forged)
    git(clone, "commit", "-qam", "forged")
    git(clone, "push", "-q")
    box.sync()

    assert path.read_bytes() == mine
    assert event in path.name
    assert git(remote, "show", f"main:{path.relative_to(box.root).as_posix()}").encode() == mine


def test_a_vault_of_a_newer_program_is_left_alone(two: tuple[Box, Path]) -> None:
    """Its files may mean something that this program does not know."""
    box, remote = two
    data = json.dumps({"format": 99, "id": box.vault.id}).encode()
    data_folder = git(remote, "ls-tree", "main:.wwt").splitlines()
    kept = [line for line in data_folder if not line.endswith("\tvault.json")]
    commit(remote, folder(remote, ".wwt", *kept, entry(remote, "vault.json", data)))
    before = files_of(box)

    with pytest.raises(FormatTooNew):
        box.sync()
    assert files_of(box) == before


@pytest.mark.parametrize(
    "there", [b"[" * 100_000, b'{"format": 1e999, "id": "x"}', b'{"format": ' + b"9" * 5000 + b"}"]
)
def test_a_vault_file_that_no_parser_takes_is_not_taken_over(two: tuple[Box, Path], there: bytes) -> None:
    """This side's stays, and the sync goes on."""
    box, remote = two
    kept = [line for line in git(remote, "ls-tree", "main:.wwt").splitlines() if not line.endswith("\tvault.json")]
    commit(remote, folder(remote, ".wwt", *kept, entry(remote, "vault.json", there)))
    mine = (box.root / VAULT_FILE).read_bytes()
    assert contents.merge(VAULT_FILE, None, mine, there) == contents.Merge(mine, left=True)
    mark = f"{CURATED_MARKS}/x.json"
    assert contents.merge(mark, None, there, b'{"upto": "1", "at": "2026-01-01T00:00:00Z"}').data != there
    assert contents.merge("a.canvas", b"[\n", b"[\n", there).data == there
    box.sync()


@pytest.mark.parametrize("name", ["a\nb.md", "a\tb.md", "a\x1bb.md"])
def test_a_name_with_control_characters_is_not_written(two: tuple[Box, Path], name: str) -> None:
    """It could forge what a terminal or a log shows."""
    box, remote = two
    commit(remote, entry(remote, name))
    try:
        done = box.sync()
        assert done.withheld[0].reason == "not_a_vaults"
    except SyncRefused as refusal:
        assert refusal.data["reason"] == "hostile"
    assert not [path for path in files_of(box) if "b.md" in path]
