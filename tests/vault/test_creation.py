"""A vault is made from the template, in an empty folder or around what a person has, and is opened again."""

from __future__ import annotations

import json
import tomllib
import unicodedata
from datetime import UTC, datetime
from pathlib import Path

import pytest

from wwt_vault.errors import BadArgument, FormatTooNew, UnparsableSettings, VaultError, VaultMissing
from wwt_vault.vault import Vault, find_vault, open_vault
from wwt_vault.vault.creation import create_vault, template_folder


def files(root: Path) -> dict[str, bytes]:
    """Return every file below a folder with its bytes."""
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()}


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_a_new_vault_is_the_template_with_its_own_id_and_settings(tmp_path: Path, lang: str) -> None:
    """Every file of the template, unchanged but for zone and language; the id is its own."""
    vault = create_vault(tmp_path / "new" / "vault", lang, "Asia/Seoul")
    template, made = files(template_folder() / lang), files(vault.root)
    assert set(made) == {*template, ".wwt/vault.json", ".wwt/config.toml"}
    assert {name for name in template if made[name] != template[name]} == {".wwt/config.toml"}
    assert tomllib.loads(made[".wwt/config.toml"].decode())["vault"] == {"timezone": "Asia/Seoul", "language": lang}
    assert json.loads(made[".wwt/vault.json"]) == {"format": 1, "id": vault.id}
    assert (vault.settings.timezone, vault.settings.language) == ("Asia/Seoul", lang)
    assert create_vault(tmp_path / "other").id != vault.id
    assert open_vault(vault.root) == vault


def test_making_a_vault_again_changes_nothing(vault: Vault) -> None:
    """Not even a file that the person has deleted comes back; the id stays."""
    (vault.root / "Home.md").unlink()
    (vault.root / "AI_CONTEXT" / "Rules.md").write_text("mine")
    before = files(vault.root)
    assert create_vault(vault.root, "ko", "Europe/Berlin") == vault
    assert files(vault.root) == before


def test_an_obsidian_vault_that_is_there_keeps_every_byte(tmp_path: Path) -> None:
    """Notes, settings and folders of the person's stay, also those whose names differ by case or Unicode form only."""
    mine = {
        "home.md": b"my home",
        ".obsidian/app.json": b'{"vimMode": true}',
        ".gitignore": b"mine",
        "ai_context/rules.md": b"my rules",
        unicodedata.normalize("NFD", "한글.md"): b"note",
    }
    for name, data in mine.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(data)
    vault = create_vault(tmp_path)
    made = files(tmp_path)
    assert {name: made[name] for name in mine} == mine
    assert "Home.md" not in made
    assert not (tmp_path / "AI_CONTEXT").exists() or (tmp_path / "AI_CONTEXT").samefile(tmp_path / "ai_context")
    assert "ai_context/Glossary.md" in made
    assert open_vault(tmp_path) == vault


def test_what_was_interrupted_is_finished(tmp_path: Path, vault: Vault) -> None:
    """Without its last file the folder is no vault yet; making it again completes it."""
    for name in (".wwt/vault.json", "Home.md"):
        (vault.root / name).unlink()
    with pytest.raises(VaultMissing):
        open_vault(vault.root)
    create_vault(vault.root)
    assert (vault.root / "Home.md").is_file()
    assert open_vault(vault.root).settings.timezone == "Asia/Seoul"  # the person's settings were there already


def test_a_template_without_settings_gets_some(tmp_path: Path) -> None:
    """Any tree per language will do as a template."""
    (tmp_path / "template" / "fr").mkdir(parents=True)
    (tmp_path / "template" / "fr" / "Accueil.md").write_text("bonjour")
    vault = create_vault(tmp_path / "vault", "fr", template=tmp_path / "template")
    assert (vault.settings.language, vault.settings.timezone) == ("fr", "UTC")
    assert (vault.root / "Accueil.md").read_text() == "bonjour"


def test_what_cannot_be_made_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    """An unknown language or zone, a file in the place of the folder."""
    for lang, zone in (("tlh", None), ("..", None), ("en", "Mars/Olympus"), ("en", "../../etc/passwd"), ("en", "")):
        with pytest.raises(BadArgument):
            create_vault(tmp_path / "vault", lang, zone)
    assert not (tmp_path / "vault").exists()
    (tmp_path / "file").touch()
    with pytest.raises(BadArgument):
        create_vault(tmp_path / "file")


def test_nothing_is_made_through_a_link(tmp_path: Path) -> None:
    """A folder of the vault that leads elsewhere is refused, and nothing appears there."""
    (tmp_path / "outside").mkdir()
    (tmp_path / "vault").mkdir()
    (tmp_path / "vault" / ".wwt").symlink_to(tmp_path / "outside")
    with pytest.raises(VaultError, match="symbolic link"):
        create_vault(tmp_path / "vault")
    assert list((tmp_path / "outside").iterdir()) == []


@pytest.mark.parametrize(
    "data",
    [
        *(b"", b"{", b"[]", b"null", b"\xff", b'{"format": 1}', b'{"format": "1", "id": "abcdefgh"}'),
        *(b'{"format": 0, "id": "abcdefgh"}', b'{"format": 1, "id": "../../../x"}', b'{"format": 1, "id": 7}'),
    ],
)
def test_a_damaged_vault_file_is_named_and_left(vault: Vault, data: bytes) -> None:
    """An id that could steer a path, broken JSON, wrong kinds: refused with the file's name, never mended silently."""
    file = vault.root / ".wwt" / "vault.json"
    file.write_bytes(data)
    with pytest.raises(UnparsableSettings, match=r"vault\.json"):
        open_vault(vault.root)
    with pytest.raises(UnparsableSettings):
        create_vault(vault.root)
    assert file.read_bytes() == data


def test_a_vault_of_a_newer_version_is_not_touched(vault: Vault) -> None:
    """The message says how to update."""
    (vault.root / ".wwt" / "vault.json").write_text('{"format": 3, "id": "abcdefgh"}')
    with pytest.raises(FormatTooNew, match="pip install"):
        open_vault(vault.root)


def test_the_vault_is_found_by_argument_then_environment_then_settings(
    vault: Vault, tmp_path: Path, own_user_folders: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As the command line documents it; without any, the message names the commands that make one."""
    with pytest.raises(VaultMissing, match="wwt setup"):
        find_vault()
    other, third = create_vault(tmp_path / "other"), create_vault(tmp_path / "third")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(own_user_folders / "config"))
    settings = own_user_folders / "config" / "wwt-vault" / "config.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text(f"vault = {json.dumps(str(third.root))}")
    assert find_vault() == third
    monkeypatch.setenv("WWT_VAULT", str(other.root))
    assert find_vault() == other
    assert find_vault(str(vault.root)) == vault
    with pytest.raises(VaultMissing):
        find_vault(str(tmp_path / "nowhere"))


def test_a_relative_path_stays_the_same_vault_when_the_folder_changes(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The root is made absolute at once."""
    monkeypatch.chdir(vault.root.parent)
    opened = open_vault(Path(vault.root.name))
    monkeypatch.chdir("/")
    assert opened == vault
    assert opened.root.is_absolute()


def test_the_zone_is_the_one_the_settings_name(vault: Vault, tmp_path: Path) -> None:
    """An unknown one is an error that names the file and the setting, when a date is needed."""
    assert datetime(2026, 11, 30, tzinfo=UTC).astimezone(vault.zone).isoformat() == "2026-11-30T09:00:00+09:00"
    assert create_vault(tmp_path / "utc").zone is UTC
    (vault.root / ".wwt" / "config.toml").write_text('[vault]\ntimezone = "Asia/Soul"')
    with pytest.raises(BadArgument, match=r"config\.toml.*Asia/Soul"):
        _ = open_vault(vault.root).zone
