"""Every command in docs/sync.md, run in its order on two machines: what it prints is what the page shows."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from wwt_vault.ingest.recorder import machine_name

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "sync.md").read_text("utf-8")
REMOTE = "git@example.org:minji/memory.git"


def commands() -> list[tuple[str, str, str]]:
    """Return machine, command and output of every line with a prompt."""
    blocks = re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL)
    return re.findall(r"(?m)^(laptop|desktop)\$ (.*)\n((?:(?!laptop\$|desktop\$).*\n)*)", "".join(blocks))


def test_the_page_shows_what_the_commands_print(tmp_path: Path) -> None:
    """Both machines start as the page says: one with a vault, the other with none."""
    remote = tmp_path / "memory.git"
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", str(remote)], check=True)
    tools = tmp_path / "bin"
    tools.mkdir()
    (tools / "wwt").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m wwt_vault "$@"\n')
    (tools / "wwt").chmod(0o755)
    assert commands()
    for name, command, shown in commands():
        home = tmp_path / name
        vault = home / "wwt-vault"
        env = {
            "HOME": str(home), "PATH": f"{tools}:{os.environ['PATH']}", "WWT_VAULT": str(vault), "LC_ALL": "C.UTF-8",
            "PYTHONPATH": str(Path(__file__).resolve().parents[2]), "TZ": "UTC",
        }  # fmt: skip
        if not home.exists():
            home.mkdir()
            if name == "laptop":
                subprocess.run(["wwt", "init", str(vault)], env=env, check=True, stdout=subprocess.DEVNULL)
        run = subprocess.run(
            ["sh", "-c", command.replace(REMOTE, str(remote)).replace(*copy_in(vault))],
            cwd=vault if vault.exists() else home, env=env, capture_output=True, text=True, check=False,
        )  # fmt: skip
        said = run.stdout.replace(machine_name(), "laptop").replace(str(home), "/home/minji")
        said = re.sub(r"(\d{4}-\d\d-\d\d) \d\d:\d\d", r"\1 HH:MM", said)
        assert re.sub(r"\d{4}-\d\d-\d\d", "2026-11-30", said) == shown, (command, run.stderr)


def copy_in(vault: Path) -> tuple[str, str]:
    """Return the page's name of the copy, and the real one, with this machine's name and today's date."""
    shown = "Plan (conflict laptop 2026-11-30).md"
    return shown, next((path.name for path in vault.glob("Plan (conflict *).md")), shown)


def test_git_is_there() -> None:
    """Sync has nothing to test without."""
    assert shutil.which("git")
