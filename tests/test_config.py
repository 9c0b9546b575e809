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
    odd_settings,
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


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("[search]\nmeaning_wieght = 0.3", 2, "[search] meaning_wieght: unknown; did you mean meaning_weight?"),
        ("\n[serach]\nmeaning_weight = 0.3", 2, "[serach]: unknown; did you mean [search]?"),
        ("meaning_weight = 0.3", 1, "meaning_weight: unknown; did you mean meaning_weight under [search]?"),
        ("[search]\ntimezone = 'UTC'", 2, "[search] timezone: unknown; did you mean timezone under [vault]?"),
        ("[search]\nfrobnicate = 1", 2, "[search] frobnicate: unknown; there are embedder, meaning_weight"),
        ("[search]\n'tie breaker' = 1", 2, "[search] tie breaker: unknown; there are embedder, meaning_weight"),
    ],
)
def test_a_key_that_nothing_reads_is_named_with_the_nearest(tmp_path: Path, text: str, line: int, message: str) -> None:
    """Of the same table, or of the one where it belongs."""
    (tmp_path / "config.toml").write_text(text)
    [odd] = odd_settings(tmp_path / "config.toml")
    assert (odd.path, odd.line, odd.message) == (tmp_path / "config.toml", line, message)


def test_a_strangers_vault_does_not_keep_commands_waiting(tmp_path: Path) -> None:
    """Its settings are looked through by every command; lines of blanks and thousands of keys are soon read."""
    keys = "".join(f"key{at} = 1\n" for at in range(3000))
    (tmp_path / "config.toml").write_text(" " * 100_000 + "\n" + keys)
    odd = odd_settings(tmp_path / "config.toml")
    assert [its.line for its in odd] == [*range(2, 12), 0]
    assert odd[-1].message == "and 2990 more"


@pytest.mark.parametrize(
    ("key", "shown"),
    [
        (r"\u001b[2Jnice", r'"\x1b[2Jnice"'),
        (r"two\nlines", r'"two\nlines"'),
        (r"\u202Eback", r'"\u202eback"'),
        ("", '""'),
        ("k" * 500, '"' + "k" * 60 + '…"'),
        ("이름", "이름"),
    ],
)
def test_a_strangers_keys_say_nothing_to_the_terminal(tmp_path: Path, key: str, shown: str) -> None:
    """Escape sequences, line ends and marks of direction are shown, and not obeyed."""
    (tmp_path / "config.toml").write_text(f'"{key}" = 1\n[search]\n"{key}" = 1\n["{key}x"]\n', "utf-8")
    names = [its.message.partition(": unknown")[0] for its in odd_settings(tmp_path / "config.toml")]
    assert names[:2] == [shown, f"[search] {shown}"]
    assert all(name.isprintable() for name in names)


@pytest.mark.parametrize("text", ["x = " + "[" * 3000 + "]" * 3000, "x = " + "9" * 5000, "x = " + "{y=" * 3000])
def test_settings_that_no_parser_takes_are_settings_that_do_not_parse(tmp_path: Path, text: str) -> None:
    """Whatever the parser stumbles over, the file is named, and other commands do not stumble."""
    (tmp_path / "config.toml").write_text(text)
    with pytest.raises(UnparsableSettings, match="is not valid TOML"):
        load_vault_settings(tmp_path / "config.toml")
    assert odd_settings(tmp_path / "config.toml") == []


def test_every_key_that_is_read_is_known(tmp_path: Path) -> None:
    """Also where there is no file, or one that does not parse: that is another fault."""
    (tmp_path / "config.toml").write_text(
        "[vault]\ntimezone = 'UTC'\nlanguage = 'en'\nevents_folder = '.wwt/events'\n"
        "[search]\nembedder = 'none'\nmeaning_weight = 0.3\n"
    )
    own = user_folders().config / "config.toml"
    own.parent.mkdir(parents=True)
    own.write_text(
        "vault = '/v'\ncompat = true\n[sync]\nauto = true\nquiet = 30\nevery = 300\n"
        "[embedding]\nembedder = 'none'\nmodel = 'x'\nurl = 'x'\nkey_variable = 'x'\nconsent = 'x'\n"
        "query_prefix = 'x'\npassage_prefix = 'x'\n"
    )
    assert odd_settings(tmp_path / "config.toml") == []
    own.write_text("[sync")
    assert odd_settings(tmp_path / "none.toml") == []


@pytest.mark.parametrize(("text", "name"), [("search = 3", "search"), ('vault = "/home/me/vault"', "vault")])
def test_a_value_in_place_of_a_table_is_named_and_not_obeyed(tmp_path: Path, text: str, name: str) -> None:
    """A vault that came from someone else stays searchable."""
    path = tmp_path / "config.toml"
    path.write_text(text)
    assert load_vault_settings(path) == Settings()
    assert [odd.message.startswith(f"{name}: not read, since it is a table") for odd in odd_settings(path)] == [True]


def test_the_users_own_settings_are_looked_through_as_well(tmp_path: Path) -> None:
    """Also a switch that is no switch: it would be off without a word."""
    own = user_folders().config / "config.toml"
    own.parent.mkdir(parents=True)
    own.write_text("valut = '/v'\ncompat = 'yes'\nsync = true\n[embeding]\nmodel = 'x'\n")
    assert [odd.message for odd in odd_settings(tmp_path / "none.toml")] == [
        "valut: unknown; did you mean vault?",
        "sync: not read, since it is a table, [sync], with auto, quiet, every",
        "[embeding]: unknown; did you mean [embedding]?",
        "compat: true or false, without quotes, not 'yes'",
    ]


def test_a_vault_that_is_named_by_something_else_than_a_path_is_refused() -> None:
    """A number would be a folder of that name, here."""
    own = user_folders().config / "config.toml"
    own.parent.mkdir(parents=True)
    own.write_text("vault = 3")
    with pytest.raises(BadArgument, match=r"config\.toml: vault is the path"):
        named_vault()
