"""Folders are where the platform has them, and settings are read or refused, never guessed."""

from __future__ import annotations

from pathlib import Path

import pytest
from platformdirs.macos import MacOS
from platformdirs.unix import Unix
from platformdirs.windows import Windows

from wwt_vault.config import (
    APP,
    Settings,
    load_user_settings,
    load_vault_settings,
    named_vault,
    user_folders,
)
from wwt_vault.errors import BadArgument, UnparsableSettings

XDG = {"XDG_CONFIG_HOME": "/x/config", "XDG_STATE_HOME": "/x/state", "XDG_CACHE_HOME": "/x/cache"}


@pytest.mark.parametrize(
    ("platform", "library"), [("linux", Unix), ("darwin", MacOS), ("win32", Windows)], ids=["linux", "macos", "windows"]
)
@pytest.mark.parametrize(
    "variables",
    [{}, XDG, dict.fromkeys(XDG, ""), dict.fromkeys(XDG, "relative/path")],
    ids=["default", "xdg", "empty", "relative"],
)
def test_the_folders_are_those_that_platformdirs_names(
    platform: str,
    library: type[Unix | MacOS | Windows],
    variables: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The hook works them out by itself; every other program of the user's would look in the same places."""
    local = "C:\\Users\\me\\AppData\\Local"  # the second variable makes platformdirs work as on Windows elsewhere
    own = {"HOME": "/home/me", "LOCALAPPDATA": local, "WIN_PD_OVERRIDE_LOCAL_APPDATA": local}
    for name, value in {**own, **variables}.items():
        monkeypatch.setenv(name, value)
    expected = library(APP, appauthor=False)
    folders = user_folders(platform=platform)
    assert folders.config == Path(expected.user_config_dir)
    assert folders.state == Path(expected.user_state_dir)
    assert folders.cache == Path(expected.user_cache_dir)


def settings(root: Path, text: str | bytes) -> Settings:
    """Return what a vault's config.toml with this content says."""
    (root / ".wwt").mkdir(exist_ok=True)
    (root / ".wwt" / "config.toml").write_bytes(text if isinstance(text, bytes) else text.encode())
    return load_vault_settings(root / ".wwt" / "config.toml")


def test_a_vault_without_settings_has_the_defaults(tmp_path: Path) -> None:
    """No file, an empty one, one with other tables: all the same."""
    assert load_vault_settings(tmp_path / "config.toml") == Settings()
    assert settings(tmp_path, "") == Settings()
    assert settings(tmp_path, "[later]\nversion = 9\n[search]\nunknown = true\n") == Settings()


def test_settings_are_read_as_written(tmp_path: Path) -> None:
    """Also with the byte order mark that Windows' editor puts in front."""
    text = '[vault]\ntimezone = "Asia/Seoul"\nlanguage = "ko"\n'
    text += '[search]\nembedder = "none"\nmeaning_weight = 1\n'
    expected = Settings(timezone="Asia/Seoul", language="ko", embedder="none", meaning_weight=1)
    assert settings(tmp_path, text) == expected
    assert settings(tmp_path, b"\xef\xbb\xbf" + text.encode()) == expected


@pytest.mark.parametrize("data", [b"[vault", b"timezone = Asia", b"\xff\xfe", b"a = 1\na = 2", b"<<<<<<< HEAD\n"])
def test_settings_that_do_not_parse_are_refused_by_name(tmp_path: Path, data: bytes) -> None:
    """The person's file is named and left as it is, the line is in the message."""
    with pytest.raises(UnparsableSettings, match=r"config\.toml"):
        settings(tmp_path, data)
    assert (tmp_path / ".wwt" / "config.toml").read_bytes() == data


@pytest.mark.parametrize(
    "text",
    [
        "[search]\nmeaning_weight = 1.01",
        "[search]\nmeaning_weight = -0.01",
        "[search]\nmeaning_weight = nan",
        '[search]\nmeaning_weight = "0.3"',
        "[search]\nmeaning_weight = true",
        "[search]\nembedder = 3",
        "[vault]\ntimezone = 9",
        '[vault]\nlanguage = ["ko"]',
    ],
)
def test_values_out_of_range_or_of_the_wrong_kind_are_refused_by_name(tmp_path: Path, text: str) -> None:
    """The message names file and key."""
    with pytest.raises(BadArgument, match=r"config\.toml") as caught:
        settings(tmp_path, text)
    assert caught.value.data["key"] in text


@pytest.mark.parametrize("weight", ["0", "0.0", "1", "1.0", "0.35"])
def test_both_ends_of_the_range_are_allowed(tmp_path: Path, weight: str) -> None:
    """Keywords alone and meaning alone are choices too."""
    assert settings(tmp_path, f"[search]\nmeaning_weight = {weight}").meaning_weight == float(weight)


def test_the_vault_is_named_by_argument_environment_or_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """In this order; ``~`` is the user's home; nothing named is nothing."""
    assert named_vault() is None
    file = user_folders().config / "config.toml"
    file.parent.mkdir(parents=True)
    file.write_text('vault = "~/from settings"')
    assert named_vault() == Path.home() / "from settings"
    monkeypatch.setenv("WWT_VAULT", "~/from environment")
    assert named_vault() == Path.home() / "from environment"
    assert named_vault("/from/argument") == Path("/from/argument")


def test_user_settings_that_do_not_parse_are_refused() -> None:
    """They name the vault: guessing would write into another one."""
    file = user_folders().config / "config.toml"
    file.parent.mkdir(parents=True)
    assert load_user_settings() == {}
    file.write_text("vault = ")
    with pytest.raises(UnparsableSettings, match=r"config\.toml"):
        named_vault()
