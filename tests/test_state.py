"""One vault has one state on a machine, whatever way its path is written; two copies have two."""

from __future__ import annotations

import os
import shutil
import unicodedata
from pathlib import Path

import pytest

from wwt_vault.config import user_folders
from wwt_vault.state import state_for, vault_key
from wwt_vault.vault import Vault, open_vault
from wwt_vault.vault.creation import create_vault


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    """Return an empty vault."""
    return create_vault(tmp_path / "Vault 볼트")


def test_every_way_to_write_a_path_is_one_state(vault: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A link, a relative path, dots and a slash at the end lead to the same locks, queue and cursors."""
    (tmp_path / "link").symlink_to(vault.root)
    monkeypatch.chdir(tmp_path)
    ways = [
        tmp_path / "link",
        Path(vault.root.name),
        vault.root / ".." / vault.root.name,
        Path(f"{vault.root}{os.sep}"),
    ]
    assert {state_for(open_vault(way)) for way in ways} == {state_for(vault)}


def test_a_copy_of_a_vault_has_a_state_of_its_own(vault: Vault, tmp_path: Path) -> None:
    """The same id at another place: neither takes the other's cursors for its own."""
    shutil.copytree(vault.root, tmp_path / "copy")
    copy = open_vault(tmp_path / "copy")
    assert copy.id == vault.id
    assert state_for(copy).root != state_for(vault).root


def test_the_state_lies_in_the_users_folder_under_the_vaults_id_and_nothing_is_made(vault: Vault) -> None:
    """Asking for it writes nothing, neither there nor in the vault."""
    state = state_for(vault)
    assert state.root.parent == user_folders().state
    assert state.root.name.startswith(f"{vault.id}-")
    assert not user_folders().state.exists()
    places = [state.cursors, state.locks]
    assert len(set(places)) == 2
    assert all(place.parent == state.root for place in places)


def test_where_file_systems_fold_names_so_does_the_key(vault: Vault) -> None:
    """On macOS and Windows case and Unicode form of the path do not make another vault; on Linux they do."""
    other = vault._replace(root=Path(unicodedata.normalize("NFD", str(vault.root).replace("Vault", "VAULT"))))
    for platform in ("darwin", "win32"):
        assert vault_key(other, platform) == vault_key(vault, platform)
    assert vault_key(other, "linux") != vault_key(vault, "linux")
