"""The vault is named in one place, which the person may have written in as well."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from wwt_vault.errors import UnparsableSettings
from wwt_vault.setup import name_vault


def test_the_vault_is_named_and_named_anew(tmp_path: Path) -> None:
    """The file is made with its folder; another vault takes the place of the first; the rest stays."""
    config = tmp_path / "wwt-vault" / "config.toml"
    assert name_vault(Path("/vaults/내 금고"), config)
    assert not name_vault(Path("/vaults/내 금고"), config)
    config.write_text("# mine\n" + config.read_text() + "other = 1\n")
    assert name_vault(Path("/vaults/b"), config)
    assert config.read_text() == '# mine\nvault = "/vaults/b"\nother = 1\n'
    assert tomllib.loads(config.read_text())["vault"] == "/vaults/b"


def test_a_config_that_does_not_parse_is_left_as_it_is(tmp_path: Path) -> None:
    """It is refused with its line."""
    config = tmp_path / "config.toml"
    config.write_text("vault = \n")
    with pytest.raises(UnparsableSettings, match="line 1"):
        name_vault(Path("/v"), config)
    assert config.read_text() == "vault = \n"
