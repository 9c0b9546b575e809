"""Where the real hosts are, and one conversation with each that the tests then look at from all sides."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.hosts.driver import HOSTS


@pytest.fixture(scope="session")
def binaries() -> Path:
    """Return the folder that WWT_HOSTS_BIN names; skip loudly without it, unless WWT_NO_SKIP forbids that."""
    folder = os.environ.get("WWT_HOSTS_BIN")
    missing = [name for name, _ in HOSTS.values() if not folder or not (Path(folder) / name).exists()]
    if not missing and sys.platform != "win32":
        return Path(str(folder))
    message = (
        f"WWT_HOSTS_BIN={folder or ''} has no {', '.join(missing)}: nothing is tested against the real hosts. "
        "npm install --prefix DIR @anthropic-ai/claude-code @openai/codex @google/gemini-cli, then "
        "WWT_HOSTS_BIN=DIR/node_modules/.bin"
    )
    if os.environ.get("WWT_NO_SKIP"):
        pytest.fail(message)
    pytest.skip(message)


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    """Return a folder that does not lie in the one for temporary files: Codex distrusts that place."""
    path = Path(tempfile.mkdtemp(prefix="wwt-hosts-", dir="/var/tmp"))
    yield path
    shutil.rmtree(path, ignore_errors=True)
