"""Runs the ``console`` blocks of a page, so that what a page shows is what the program prints.

A block has commands behind ``$ `` with what they print below. A command is one of ``wwt``, or ``sed -i``, which stands
for a person's editor; ``<<'END'`` gives it the lines up to ``END``. ``[exit 3]`` ends what a command prints that fails.
A comment ``<!-- at 2026-09-07T10:30 -->`` before a block says what time it is there, in Seoul.

    python -m tests.console

writes what the commands print into ``docs/curated-notes.md`` anew, and the vaults that come of it, English and Korean,
into ``tests/data/golden``: read the diff.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from datetime import datetime, tzinfo
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch
from zoneinfo import ZoneInfo

from wwt_vault.cli import main
from wwt_vault.demo import HOSTS
from wwt_vault.operations import conversations, freshness
from wwt_vault.operations.workspace import open_workspace
from wwt_vault.vault import Vault, layout
from wwt_vault.vault.creation import create_vault

__all__ = ["GOLDEN", "PAGE", "Block", "blocks", "demo_vault", "pages_of", "run"]

PAGE = Path(__file__).resolve().parents[1] / "docs" / "curated-notes.md"
GOLDEN = Path(__file__).resolve().parent / "data" / "golden"

SEOUL = ZoneInfo("Asia/Seoul")
CLOCKS = ("cli.notes", "cli.memory", "cli.upkeep", "cli.sources", "operations.recall")
_BLOCK = re.compile(r"(?:<!-- at ([\dT:-]+) -->\n)?```console\n(.*?)\n```", re.DOTALL)


class Block(NamedTuple):
    """One block of a page."""

    at: datetime
    text: str
    span: tuple[int, int]


def blocks(page: str) -> list[Block]:
    """Return the console blocks of a page, each with the time it is there."""
    found = []
    at = datetime(2026, 1, 1, tzinfo=SEOUL)
    for block in _BLOCK.finditer(page):
        if block[1]:
            at = datetime.fromisoformat(block[1]).replace(tzinfo=SEOUL)
        found.append(Block(at, block[2], block.span(2)))
    return found


def demo_vault(root: Path, lang: str = "en", *, with_model: bool = True) -> Vault:
    """Make the vault that ``wwt demo`` makes, without its answers; one without a model is searched by words."""
    vault = create_vault(root, lang=lang, timezone="Asia/Seoul")
    if not with_model:
        config = root / ".wwt" / "config.toml"
        config.write_text(config.read_text("utf-8").replace('# embedder = "auto"', 'embedder = "none"'), "utf-8")
    workspace = open_workspace(str(root))
    with resources.as_file(resources.files("wwt_vault") / "demo_data") as data:
        conversations.ingest(workspace, [data / host for host in HOSTS])
    freshness.refresh(workspace, seconds=None)
    freshness.embed(workspace)
    return vault


def run(block: Block, vault: Vault, set_to: Callable[[str, Any], None]) -> str:
    """Run a block's commands and return it with what they print; ``set_to`` sets an attribute by its dotted name."""
    lines = iter(block.text.splitlines())
    shown: list[str] = []
    for line in lines:
        if line.startswith("$ "):
            command, stdin = line.removeprefix("$ "), ""
            shown.append(line)
            if "<<'END'" in command:
                body = list(_until(lines, "END"))
                shown += [*body, "END"]
                command, stdin = command.replace(" <<'END'", ""), "\n".join(body) + "\n"
            shown += _told(shlex.split(command), stdin, vault, block.at, set_to)
    return "\n".join(shown)


def _until(lines: Iterator[str], end: str) -> Iterator[str]:
    for line in lines:
        if line == end:
            return
        yield line


def _told(words: list[str], stdin: str, vault: Vault, at: datetime, set_to: Callable[[str, Any], None]) -> list[str]:
    """Run one command at a time of the test's choice and return the lines it prints."""
    if words[0] == "sed":
        words = [word.replace("$WWT_VAULT", str(vault.root)) for word in words]
        subprocess.run(words, check=True)
        os.utime(words[-1], (at.timestamp(), at.timestamp()))
        return []

    class Frozen(datetime):
        """The clock of this command."""

        @classmethod
        def now(cls, tz: tzinfo | None = None) -> datetime:  # type: ignore[override]  # a plain datetime will do
            return at.astimezone(tz)

    for module in CLOCKS:
        set_to(f"wwt_vault.{module}.datetime", Frozen)
    set_to("sys.stdin", io.StringIO(stdin))
    out = io.StringIO()
    code: Any = 0
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        try:
            main(words[1:])
        except SystemExit as stop:
            code = stop.code or 0
    lines = [line.rstrip().replace(str(vault.root), "~/wwt-demo/vault") for line in out.getvalue().splitlines()]
    return [*lines, *([f"[exit {code}]"] if code else [])]


def pages_of(vault: Vault) -> dict[str, str]:
    """Return the notes and session notes of a vault by path, and the names of all revisions kept."""
    folders = (*layout.CURATED_FOLDERS, layout.CONVERSATIONS)
    paths = [path for folder in folders for path in sorted((vault.root / folder).rglob("*.md"))]
    found = {path.relative_to(vault.root).as_posix(): path.read_text("utf-8") for path in paths}
    found = {path: re.sub(r"(?m)^machine: .*$", "machine: here", text) for path, text in found.items()}
    kept = sorted(path.relative_to(vault.root).as_posix() for path in (vault.root / layout.REVISIONS).rglob("*.*"))
    return {**found, "revisions.txt": "\n".join([*kept, ""])}


def _write_anew() -> None:
    for lang in ("en", "ko"):
        home = tempfile.mkdtemp()
        os.environ.update({"HOME": home, "USERPROFILE": home, "WWT_VAULT": f"{home}/vault"})
        vault = demo_vault(Path(home) / "vault", lang, with_model=lang == "en")
        page = PAGE.read_text("utf-8")
        for block in blocks(page):
            with contextlib.ExitStack() as stack:
                ran = run(block, vault, lambda name, value: stack.enter_context(patch(name, value)))
            page = page.replace(block.text, ran, 1)
        if lang == "en":
            PAGE.write_text(page, "utf-8")
        shutil.rmtree(GOLDEN / lang, ignore_errors=True)
        for name, text in pages_of(vault).items():
            (GOLDEN / lang / name).parent.mkdir(parents=True, exist_ok=True)
            (GOLDEN / lang / name).write_text(text, "utf-8")


if __name__ == "__main__":
    _write_anew()
