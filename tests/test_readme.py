"""What the READMEs show is what the program prints, and every command and page they name is there."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
READMES = [ROOT / "README.md", ROOT / "docs" / "ko" / "README.md"]


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return what `wwt demo` prints, run as a person runs it."""
    home = tmp_path_factory.mktemp("home")
    run = subprocess.run(
        [sys.executable, "-m", "wwt_vault", "demo"], capture_output=True, text=True, check=True, cwd=ROOT,
        env={"HOME": str(home), "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "TMPDIR": str(home)}, encoding="utf-8",
    )  # fmt: skip
    return run.stdout


@pytest.mark.parametrize("readme", READMES, ids=["en", "ko"])
def test_the_answer_shown_is_the_answer_given(readme: Path, demo: str) -> None:
    """The block that shows a question answered is printed by the demo as it stands, with no line more or less."""
    (block,) = [found for found in _blocks(readme, "text") if found.startswith("? ")]

    assert "[^2026" in block
    assert f"\n{block}\n" in demo


@pytest.mark.parametrize("readme", READMES, ids=["en", "ko"])
def test_every_command_named_is_there(readme: Path) -> None:
    """Each `wwt …` in the text names a command of the command line, with options that it has."""
    text = readme.read_text("utf-8")
    named = set(re.findall(r"wwt ([a-z-]+)((?: --[a-z-]+)*)", text))
    helped = {name: _help(name) for name, _ in named}

    assert named
    for name, options in named:
        for option in options.split():
            assert option in helped[name], (name, option)


@pytest.mark.parametrize("readme", READMES, ids=["en", "ko"])
def test_every_page_linked_is_there(readme: Path) -> None:
    """No link of a README leads to nothing."""
    links = re.findall(r"\]\((?!https?:)([^)#]+)", readme.read_text("utf-8"))

    assert links
    assert [link for link in links if not (readme.parent / link).exists()] == []


def test_both_readmes_begin_with_the_same_line() -> None:
    """The line that installs and runs is the same in English and Korean."""
    (english, _), (korean, *_) = (_blocks(readme, "bash") for readme in READMES)

    assert english == korean


def _blocks(readme: Path, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)\n```", readme.read_text("utf-8"), re.DOTALL)


def _help(command: str) -> str:
    run = subprocess.run(
        [sys.executable, "-m", "wwt_vault", command, "--help"], capture_output=True, text=True, check=False, cwd=ROOT
    )
    assert run.returncode == 0, (command, run.stderr)
    return run.stdout
