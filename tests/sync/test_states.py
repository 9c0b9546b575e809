"""A repository in a state that nobody wanted: a clear message that says what to do, and nothing is changed."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.sync.machines import ENVIRON, Box, files_of, first, git, join, remote_in, say
from wwt_vault import sync as syncing
from wwt_vault.errors import SyncFailed, SyncRefused, VaultMissing


@pytest.fixture
def box(tmp_path: Path) -> Box:
    """Return a machine in sync with a repository beside it, and something new to send."""
    made = first(tmp_path, remote_in(tmp_path))
    say(made, "hello")
    return made


def detach(box: Box) -> None:
    """Check out a commit instead of a branch."""
    box.git("checkout", "-q", "--detach")


def begin_merge(box: Box) -> None:
    """Leave a merge half done."""
    (box.root / ".git/MERGE_HEAD").write_text(box.git("rev-parse", "HEAD"))


def begin_rebase(box: Box) -> None:
    """Leave a rebase half done."""
    (box.root / ".git/rebase-merge").mkdir()


def begin_bisect(box: Box) -> None:
    """Look for a commit."""
    (box.root / ".git/BISECT_LOG").write_text("")


def make_shallow(box: Box) -> None:
    """Cut the history off."""
    (box.root / ".git/shallow").write_text(box.git("rev-parse", "HEAD"))


def lose_repository(box: Box) -> None:
    """Leave something that git cannot read."""
    (box.root / ".git/HEAD").unlink()


@pytest.mark.parametrize(
    ("spoil", "reason", "says"),
    [
        (detach, "detached", "git switch"),
        (begin_merge, "in_progress", "A merge is going on"),
        (begin_rebase, "in_progress", "A rebase is going on"),
        (begin_bisect, "in_progress", "A bisection is going on"),
        (make_shallow, "shallow", "git fetch --unshallow"),
        (lose_repository, "no_repository", "Move it away"),
    ],
)
def test_a_repository_that_is_in_the_middle_of_something_waits_for_the_person(
    box: Box, spoil: Callable[[Box], None], reason: str, says: str
) -> None:
    """The message names the state and the command that ends it; no file, branch or index is touched."""
    spoil(box)
    before, head = files_of(box), _refs(box)

    with pytest.raises(SyncRefused, match=re.escape(says)) as refusal:
        box.sync()

    assert refusal.value.data["reason"] == reason
    assert files_of(box) == before
    assert _refs(box) == head


def _refs(box: Box) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in (box.root / ".git/refs").rglob("*") if path.is_file()}


def test_a_lock_of_a_git_that_lives_is_waited_for_and_then_named(box: Box) -> None:
    """It is not removed: somebody may be writing."""
    box = box._replace(machine=box.machine._replace(patience=syncing.Patience(lock=0.2)))
    lock = box.root / ".git/index.lock"
    lock.touch()

    with pytest.raises(SyncFailed, match="delete that file") as failure:
        box.sync()
    assert failure.value.data["reason"] == "locked"
    assert lock.exists()

    lock.unlink()
    assert box.sync().pushed


@pytest.mark.skipif(not Path("/proc/self/comm").exists(), reason="only Linux says which git works where")
def test_a_lock_that_a_dead_git_left_is_removed(box: Box) -> None:
    """Old, and no git works in the vault: sync goes on."""
    box = box._replace(machine=box.machine._replace(patience=syncing.Patience(lock=0.2)))
    lock = box.root / ".git/index.lock"
    lock.touch()
    old = time.time() - 3600
    os.utime(lock, (old, old))

    assert box.sync().pushed
    assert not lock.exists()


def test_git_that_is_not_installed_is_named(box: Box, tmp_path: Path) -> None:
    """With where to get it; the vault works without."""
    without = box._replace(machine=box.machine._replace(environ={**ENVIRON, "PATH": str(tmp_path)}))

    with pytest.raises(SyncFailed, match="git is not installed") as failure:
        without.sync()
    assert failure.value.data["reason"] == "no_git"


def test_a_vault_without_a_repository_is_told_how_to_get_one(tmp_path: Path) -> None:
    """Not an error of git's."""
    box = first(tmp_path, None)
    (box.root / ".git").rename(tmp_path / "gone")

    with pytest.raises(SyncRefused, match="wwt sync init"):
        box.sync()


def test_a_vault_inside_a_larger_repository_is_not_synced(tmp_path: Path) -> None:
    """Its other files are not ours to commit; a repository of its own inside it is fine."""
    from tests.sync.machines import machine
    from wwt_vault.vault import creation

    git(tmp_path, "init", "-q", "-b", "main")
    vault = creation.create_vault(tmp_path / "vault")
    box = Box(machine("laptop", tmp_path), vault)
    with pytest.raises(SyncRefused, match="not under git yet"):
        box.sync()

    assert syncing.begin(vault, box.machine, None)
    box.sync()
    assert git(tmp_path, "ls-files") == ""


def test_what_a_person_has_staged_stays_staged(box: Box) -> None:
    """A dirty tree is the usual one: what is none of a vault's is left in it as it is."""
    box.write("script.py", "x")
    box.write("Staged.md", "one\n")
    box.git("add", "script.py", "Staged.md")
    box.write("Staged.md", "two\n")
    box.sync()

    assert box.git("status", "--porcelain") == "A  script.py\n"
    assert box.git("show", "HEAD:Staged.md") == "two\n"


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("git@example.org: Permission denied (publickey).", "denied"),
        ("Host key verification failed.\r", "host_key"),
        ("ERROR: Repository not found.", "no_repository"),
        ("ssh: Could not resolve hostname example.org: Name or service not known", None),
        ("ssh: connect to host example.org port 22: Connection refused", None),
        ("Connection closed by 192.0.2.1 port 22", None),
    ],
)
def test_what_ssh_says_is_told_apart(box: Box, tmp_path: Path, said: str, reason: str | None) -> None:
    """Wrong credentials are an error with what to do; no network is none. Nothing is ever asked on the terminal."""
    ssh = tmp_path / "ssh"
    ssh.write_text(f"#!/bin/sh\necho '{said}' >&2\nexit 255\n")
    ssh.chmod(0o755)
    box.git("remote", "set-url", "origin", "git@example.org:minji/memory.git")
    there = box._replace(machine=box.machine._replace(environ={**ENVIRON, "GIT_SSH_COMMAND": str(ssh)}))

    if reason is None:
        done = there.sync()
        assert "waits for the next sync" in done.offline
        assert done.sent["messages"] == 1
    else:
        with pytest.raises(SyncFailed) as failure:
            there.sync()
        assert failure.value.data["reason"] == reason
        assert box.git("status", "--porcelain") == ""  # committed all the same


def test_a_password_in_an_address_is_never_shown(box: Box, tmp_path: Path) -> None:
    """Neither in a message nor in what is kept of the last sync."""
    box.git("remote", "set-url", "origin", "https://minji:s3cret@127.0.0.1:1/memory.git")
    done = box.sync()

    assert done.offline
    assert "s3cret" not in repr(done)


def test_a_repository_that_is_not_there_is_named(tmp_path: Path) -> None:
    """On an address that answers; a folder that is not there may be a disk that is not plugged in."""
    box = first(tmp_path, None)
    (tmp_path / "empty").mkdir()

    with pytest.raises(SyncFailed, match="no repository at"):
        syncing.begin(box.vault, box.machine, str(tmp_path / "empty"))
    assert "remote" not in box.git("remote")


def test_a_remote_that_refuses_is_quoted(tmp_path: Path) -> None:
    """A repository with a checked-out branch takes no push."""
    other = tmp_path / "checked-out"
    git(tmp_path, "init", "-q", "-b", "main", str(other))
    git(other, "commit", "-q", "--allow-empty", "-m", "x")
    box = first(tmp_path, None)
    syncing.begin(box.vault, box.machine, str(other))

    with pytest.raises(SyncFailed, match="refused the push") as failure:
        box.sync()
    assert failure.value.data["reason"] == "refused_there"


def test_an_empty_folder_does_not_become_a_vault_of_nothing(tmp_path: Path) -> None:
    """The remote holds no vault: the person is told to make one."""
    remote = remote_in(tmp_path)

    with pytest.raises(VaultMissing, match="wwt init"):
        join(tmp_path, remote, "desktop")
    assert list((tmp_path / "desktop").glob("[!.]*")) == []


def test_a_vault_whose_messages_git_ignores_is_not_begun(tmp_path: Path) -> None:
    """The other machines would have notes whose citations lead nowhere."""
    box = first(tmp_path, None)
    box.write(".gitignore", ".wwt/\n")

    with pytest.raises(SyncRefused, match="take that line out"):
        syncing.begin(box.vault, box.machine, None)


def test_another_origin_is_not_replaced(box: Box, tmp_path: Path) -> None:
    """A second remote would be guessed at: the person says which."""
    (tmp_path / "more").mkdir()
    with pytest.raises(SyncRefused, match="git remote set-url origin"):
        syncing.begin(box.vault, box.machine, str(remote_in(tmp_path / "more")))


def test_most_of_the_vault_missing_looks_like_a_disk_that_is_not_mounted(box: Box) -> None:
    """Nothing is deleted elsewhere until the person says that it is meant."""
    box.sync()
    for path in [path for path in box.root.rglob("*.md") if ".git" not in path.parts]:
        path.unlink()
    for path in box.root.glob("*.base"):
        path.unlink()
    for path in (box.root / ".obsidian").glob("*.json"):
        path.unlink()

    with pytest.raises(SyncRefused, match="--yes") as refusal:
        box.sync()
    assert refusal.value.data["reason"] == "gone"
    assert box.sync(shrink=True).pushed


def test_a_note_with_conflict_markers_of_another_tool_is_neither_sent_nor_indexed(box: Box) -> None:
    """The last good version stays elsewhere; the document has its problem, and no text."""
    from wwt_vault.vault import documents

    box.write("Plan.md", "We go north.\n")
    box.sync()
    box.write("Plan.md", "<<<<<<< HEAD\nWe go east.\n=======\nWe go west.\n>>>>>>> theirs\n")
    done = box.sync()

    assert [(entry.path, entry.reason) for entry in done.withheld] == [("Plan.md", "conflict_markers")]
    assert box.git("show", "HEAD:Plan.md") == "We go north.\n"
    document = documents.load_document(
        box.vault, next(path for path in documents.catalog(box.vault) if path == "Plan.md")
    )
    assert document.sections == ()


def test_a_withheld_file_still_takes_in_what_others_did(box: Box, tmp_path: Path) -> None:
    """It is merged where it lies, and sends neither its secret nor a reversal of theirs."""
    box.write("Plan.md", "## A\n\na\n\n## B\n\nb\n")
    box.sync()
    other = join(tmp_path, tmp_path / "remote.git", "desktop")
    box.write("Plan.md", "## A\n\na\n\npassword: Xk9#mQ2v!pL7wZ\n\n## B\n\nb\n")
    other.write("Plan.md", "## A\n\na\n\n## B\n\nb, too\n")
    other.sync()
    box.sync()
    assert box.read("Plan.md") == "## A\n\na\n\npassword: Xk9#mQ2v!pL7wZ\n\n## B\n\nb, too\n"

    box.write("Plan.md", box.read("Plan.md").replace("password: Xk9#mQ2v!pL7wZ\n\n", ""))
    box.sync()
    other.sync()
    assert other.read("Plan.md") == "## A\n\na\n\n## B\n\nb, too\n"
