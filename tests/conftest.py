"""What tests share: the reference material beside the checkout, where there is any, and folders of the test's own."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

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
