"""Which project and branch a folder belongs to, read from real repositories that git made."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from wwt_vault.ingest.project import Place, place_of


def git(*arguments: str, cwd: Path) -> None:
    """Run git with an identity of its own."""
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "init.defaultBranch=main"]
    subprocess.run(["git", *identity, *arguments], cwd=cwd, check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Return a repository named shop with one commit on main."""
    folder = tmp_path / "shop"
    (folder / "backend" / "api").mkdir(parents=True)
    git("init", "-b", "main", cwd=folder)
    git("commit", "--allow-empty", "-m", "first", cwd=folder)
    return folder


def test_a_folder_inside_belongs_to_its_repository(repository: Path) -> None:
    """Work in a subfolder is work on the repository, on the branch that is checked out."""
    assert place_of(str(repository / "backend" / "api")) == Place(project="shop", git_branch="main")


def test_a_worktree_is_the_same_project(repository: Path, tmp_path: Path) -> None:
    """A worktree beside the repository counts as the repository, with the worktree's own branch."""
    git("worktree", "add", "-b", "fix/결제", str(tmp_path / "elsewhere"), cwd=repository)

    assert place_of(str(tmp_path / "elsewhere")) == Place(project="shop", git_branch="fix/결제")


def test_a_worktree_of_a_bare_repository_is_named_for_it(repository: Path, tmp_path: Path) -> None:
    """A bare repository store.git gives the project store to each of its worktrees."""
    git("clone", "--bare", str(repository), str(tmp_path / "store.git"), cwd=tmp_path)
    git("worktree", "add", str(tmp_path / "work"), "main", cwd=tmp_path / "store.git")

    assert place_of(str(tmp_path / "work")) == Place(project="store", git_branch="main")


def test_a_detached_head_is_no_branch(repository: Path) -> None:
    """A checked-out commit is not taken for a branch."""
    git("checkout", "--detach", cwd=repository)

    assert place_of(str(repository)) == Place(project="shop", git_branch=None)


@pytest.mark.parametrize(
    ("cwd", "project"),
    [
        ("/nowhere/at/all/결제", "결제"),
        ("C:\\Users\\kim\\src\\shop", "shop"),
        ("", None),
        (None, None),
        ("/a\0b", None),
    ],
)
def test_a_folder_that_is_not_here_is_named_by_its_path(cwd: str | None, project: str | None) -> None:
    """Transcripts of other machines name folders that do not exist; nothing is raised for any text."""
    found = place_of(cwd)

    assert found.git_branch is None
    assert project is None or found.project == project
