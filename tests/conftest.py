"""What tests share: the reference material beside the checkout, where there is any, and folders of the test's own."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from wwt_vault.vault import Vault

# How long one example takes says what else the machine is doing: what has to be quick has a test of its own.
# In CI a commit passes or fails the same way each time; elsewhere each run looks at other examples.
settings.register_profile("wwt", deadline=None, derandomize="WWT_NO_SKIP" in os.environ)
settings.load_profile("wwt")

SHARED = Path(__file__).resolve().parents[2] / "shared"


@pytest.fixture(autouse=True)
def own_user_folders(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No test sees or touches the settings, state or cache of the person who runs it."""
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))
    for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "LOCALAPPDATA", "WWT_VAULT"):
        monkeypatch.delenv(name, raising=False)
    return home


@pytest.fixture(scope="session")
def shared() -> Path:
    """Return the reference material beside the checkout; skip loudly without it, unless WWT_NO_SKIP forbids that."""
    if not SHARED.is_dir():
        message = f"no reference material at {SHARED}: real transcripts, secrets and benches are not tested"
        if os.environ.get("WWT_NO_SKIP"):
            pytest.fail(message)
        pytest.skip(message)
    return SHARED


@pytest.fixture
def fresh_vault(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Callable[[], Vault]:
    """Return a function that makes a new vault from the template and names it in the environment."""
    from wwt_vault.vault.creation import create_vault

    def make() -> Vault:
        root = tmp_path_factory.mktemp("vaults") / "vault"
        vault = create_vault(root, lang="en", timezone="Asia/Seoul")
        monkeypatch.setenv("WWT_VAULT", str(root))
        return vault

    return make


@pytest.fixture
def vault(fresh_vault: Callable[[], Vault]) -> Vault:
    """Return a new vault made from the template, in Seoul's time zone."""
    return fresh_vault()


@pytest.fixture
def words_only(vault: Vault) -> Vault:
    """Return the vault with settings that ask for no model: for tests of what stands around search."""
    from wwt_vault.vault import open_vault

    config = vault.root / ".wwt" / "config.toml"
    config.write_text(config.read_text("utf-8").replace('# embedder = "auto"', 'embedder = "none"'), "utf-8")
    opened = open_vault(vault.root)
    assert opened.settings.embedder == "none"
    return opened


@pytest.fixture
def strace() -> str:
    """Return the program that sees system calls; skip loudly without it, unless WWT_NO_SKIP forbids that."""
    program = shutil.which("strace")
    if program:
        return program
    message = "strace is not installed: what a fault at each system call does, and what is read at all, is not tested"
    if os.environ.get("WWT_NO_SKIP") and sys.platform == "linux":
        pytest.fail(message)
    pytest.skip(message)
