"""A real vault in a folder of the test's own."""

from __future__ import annotations

from pathlib import Path

import pytest

from wwt_vault.vault import Vault
from wwt_vault.vault.creation import create_vault


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    """Return an empty vault in Seoul."""
    return create_vault(tmp_path / "vault", timezone="Asia/Seoul")
