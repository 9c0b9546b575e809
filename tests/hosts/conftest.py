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
from tests.hosts.story import Story, tell


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


@pytest.fixture(scope="session", params=list(HOSTS))
def story(request: pytest.FixtureRequest, binaries: Path) -> Iterator[Story]:
    """Return what happened when a person set up one host, talked to it, and took us out again.

    The home folder does not lie in the folder for temporary files: Codex distrusts that place.
    """
    folder = Path(tempfile.mkdtemp(prefix="wwt-hosts-", dir="/var/tmp"))
    try:
        yield tell(request.param, binaries, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
