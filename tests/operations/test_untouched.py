"""What a refresh reads of a vault in which nothing has changed: no content of any note, as the system itself tells."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from wwt_vault.operations import freshness
from wwt_vault.operations.workspace import open_workspace
from wwt_vault.vault import Vault

pytestmark = pytest.mark.slow

NOTES = 10_000
LONG_AGO = datetime(2026, 1, 1, tzinfo=UTC).timestamp()


def opened(strace: str, vault: Vault, log: Path) -> set[str]:
    """Run ``wwt index refresh`` and return every Markdown file of the vault that any of its threads opened."""
    command = [sys.executable, "-m", "wwt_vault", "index", "refresh", "--json", "--vault", str(vault.root)]
    subprocess.run(
        [strace, "-f", "-qq", "-e", "trace=open,openat,openat2", "-s", "4096", "-o", str(log), *command],
        check=True,
        capture_output=True,
        timeout=300,
    )
    paths = re.findall(r'open(?:at2?)?\([^"\n]*"([^"\n]+\.md)"', log.read_text("utf-8", "replace"))
    return {Path(path).name for path in paths}


def test_of_ten_thousand_unchanged_notes_none_is_opened(vault: Vault, strace: str, tmp_path: Path) -> None:
    """And one that has changed is, alone: so the test would see it."""
    folder = vault.root / "30_Knowledge"
    for number in range(NOTES):
        note = folder / f"note{number}.md"
        note.write_text(f"# Note {number}\n\nWhat is known of number {number}.\n", "utf-8")
        os.utime(note, (LONG_AGO, LONG_AGO))
    config = vault.root / ".wwt" / "config.toml"
    config.write_text(config.read_text("utf-8").replace('# embedder = "auto"', 'embedder = "none"'), "utf-8")
    report = freshness.refresh(open_workspace(str(vault.root)), seconds=None)
    assert report.documents > NOTES

    opened(strace, vault, tmp_path / "settling")  # what was written within the clock's last tick is read once more
    assert opened(strace, vault, tmp_path / "unchanged") == set()

    (folder / "note7.md").write_text("# Note 7\n\nSomething else.\n", "utf-8")
    assert opened(strace, vault, tmp_path / "changed") == {"note7.md"}
