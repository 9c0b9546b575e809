"""The command line that a host's settings hold reaches ``wwt-hook`` through the host's shell, whatever the folder."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from wwt_vault.errors import BadArgument, NotFound
from wwt_vault.setup.programs import Programs, find_programs, hook_command


def no_short_name(_path: str) -> str | None:
    """Stand for a volume without short names."""
    return None


@pytest.mark.skipif(sys.platform == "win32", reason="a POSIX shell is needed")
@pytest.mark.parametrize("folder", ["plain", "내 폴더", 'it\'s (mine) & $HOME `x` "y" \\z', "-dash"])
def test_a_posix_shell_finds_the_program_in_any_folder(tmp_path: Path, folder: str) -> None:
    """The shell passes exactly one argument, the host's name."""
    program = tmp_path / folder / "wwt-hook"
    program.parent.mkdir()
    program.write_text('#!/bin/sh\nprintf "%s." "$#" "$@"\n')
    program.chmod(0o755)
    line = hook_command(str(program), "codex", "cmd", "linux", no_short_name)
    said = subprocess.run(["/bin/sh", "-c", line], capture_output=True, text=True, check=True).stdout
    assert said == "1.codex."


@pytest.mark.parametrize(
    ("shell", "expected"),
    [
        ("cmd", r"C:\Users\홍길동\wwt\Scripts\wwt-hook.exe codex"),
        ("powershell", r"C:\Users\홍길동\wwt\Scripts\wwt-hook.exe codex"),
        ("bash or powershell", "C:/Users/홍길동/wwt/Scripts/wwt-hook.exe codex"),
    ],
)
def test_on_windows_nothing_needs_quotes(shell: str, expected: str) -> None:
    """cmd and PowerShell take backslashes, Git Bash takes slashes; Hangul is no problem for any."""
    program = r"C:\Users\홍길동\wwt\Scripts\wwt-hook.exe"
    assert hook_command(program, "codex", shell, "win32", no_short_name) == expected  # type: ignore[arg-type]


def test_a_blank_on_windows_is_avoided_by_the_short_name() -> None:
    """The three shells quote differently, so that no quoting fits all."""
    line = hook_command(
        r"C:\My Tools\wwt-hook.exe", "gemini", "powershell", "win32", lambda _path: r"C:\MYTOOL~1\wwt-hook.exe"
    )
    assert line == r"C:\MYTOOL~1\wwt-hook.exe gemini"


def test_a_blank_on_windows_without_short_names_is_refused() -> None:
    """A command that some shell would take apart is not written."""
    with pytest.raises(BadArgument, match="another folder"):
        hook_command(r"C:\My Tools\wwt-hook.exe", "gemini", "powershell", "win32", no_short_name)


def test_programs_are_found_beside_the_one_that_runs(tmp_path: Path) -> None:
    """Where an installer made links, the links are named: they stay when what they lead to moves."""
    real, links = tmp_path / "venv", tmp_path / "local bin"
    for folder in (real, links):
        folder.mkdir()
    for name in ("wwt", "wwt-hook"):
        (real / name).write_text("")
        (links / name).symlink_to(real / name)
    found = find_programs(str(links / "wwt"), platform="linux")
    assert found == Programs(hook=str(links / "wwt-hook"), server=str(links / "wwt"))


def test_the_installed_programs_are_found_wherever_python_runs_from() -> None:
    """``python -m wwt_vault setup`` registers the same programs as ``wwt setup``."""
    found = find_programs("/somewhere/else/__main__.py")
    assert Path(found.hook).is_absolute()
    assert Path(found.hook).is_file()
    assert Path(found.server).is_file()


def test_missing_programs_are_said_to_be_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is registered that could not run."""
    monkeypatch.setattr("sysconfig.get_path", lambda *_: str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(NotFound, match="install wwt-vault again"):
        find_programs(str(tmp_path / "wwt"))
