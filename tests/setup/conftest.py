"""A machine of the test's own: an empty home folder, an empty PATH, and programs that need not be there."""

from __future__ import annotations

from pathlib import Path

import pytest

from wwt_vault.setup import Machine, Programs


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """Return a Linux machine whose home lies in a folder with a blank and Korean in its name."""
    home = tmp_path / "내 home"
    home.mkdir()
    return Machine(home, {"HOME": str(home), "PATH": str(tmp_path / "bin")}, platform="linux")


@pytest.fixture
def programs() -> Programs:
    """Return where the programs are said to lie."""
    return Programs("/opt/wwt/bin/wwt-hook", "/opt/wwt/bin/wwt")
