"""Codex's config and our own are edited line by line: everything else in them stays, and every edit is checked."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wwt_vault.errors import UnparsableSettings
from wwt_vault.setup import toml

SERVER = ("mcp_servers", "wwt")
VALUES: dict[str, str | int | list[str]] = {"command": 'C:\\한 글\\wwt.exe "x"', "args": ["serve"]}

LINES = st.sampled_from(
    [
        "# a comment [mcp_servers.wwt]\n",
        'model = "gpt-5"  # mine\n',
        'notify = [\n  "a",\n  "[mcp_servers.wwt]",\n]\n',
        'text = """\n[mcp_servers.wwt]\ncommand = 1\n"""\n',
        "\n",
    ]
)
TABLES = st.sampled_from(
    [
        '[tui]\ntheme = "dark"\n',
        '[mcp_servers.other]\ncommand = "npx"\n\n',
        "[mcp_servers.other.env]\nA = 'b'\n",
        '[projects."/home/me"]\ntrust_level = "trusted"\n',
        "[[hooks.Stop]]\nmatcher = ''\n",
        "  [profiles . fast]\nmodel = 'x'\n",
    ]
)


@st.composite
def configs(draw: st.DrawFn) -> str:
    """Draw a TOML file with comments, multi-line values and tables, with either line end."""
    parts = [*draw(st.lists(LINES, unique=True)), *draw(st.lists(TABLES, unique=True))]
    text = "".join(parts)
    if draw(st.booleans()):
        text = text.rstrip("\n")
    return text.replace("\n", "\r\n") if draw(st.booleans()) else text


@given(configs())
def test_a_table_is_added_at_the_end_and_taken_out_again(text: str) -> None:
    """All that was there stays as it is, byte for byte, but for a line end that was missing at the end."""
    after = toml.add_table(text, SERVER, VALUES, "f")
    assert after.startswith(text)
    assert tomllib.loads(after)["mcp_servers"]["wwt"] == VALUES
    back = toml.delete_table(after, SERVER, "f")
    assert back.rstrip("\r\n") == text.rstrip("\r\n")
    assert tomllib.loads(back) == tomllib.loads(text)


@given(configs(), st.text(max_size=5))
def test_a_line_is_put_once_and_taken_out_again(text: str, value: str) -> None:
    """The line comes first, where it belongs to no table; a second time changes nothing."""
    after = toml.put_line(text, "vault", value, "ours", "f")
    assert after.endswith(text)
    assert tomllib.loads(after) == {**tomllib.loads(text), "vault": value}
    assert toml.put_line(after, "vault", value, "ours", "f") == after
    assert toml.delete_line(after, "vault", "ours", "f") == text


def test_a_line_that_is_there_is_changed_in_its_place() -> None:
    """Only that line differs."""
    text = '# mine\nvault = "/old"  # moved\nx = 1\n'
    assert toml.put_line(text, "vault", "/new", "", "f") == '# mine\nvault = "/new"\nx = 1\n'


def test_tables_inside_ours_go_with_it() -> None:
    """Codex itself writes such tables, for a tool that the person approved."""
    text = '[a]\nb = 1\n\n[mcp_servers.wwt]\ncommand = "x"\n\n[mcp_servers."wwt".tools.y]\nz = 1\n\n[c]\nd = 2\n'
    assert toml.delete_table(text, SERVER, "f") == "[a]\nb = 1\n\n[c]\nd = 2\n"


def test_the_persons_line_of_the_same_name_stays() -> None:
    """Without our note it is not ours to take out."""
    text = "mcp_optional_startup_grace_ms = 100\n"
    assert toml.delete_line(text, "mcp_optional_startup_grace_ms", "ours", "f") == text


@pytest.mark.parametrize("text", ["mcp_servers = {}\n", "mcp_servers = {x = {command = 'y'}}\n", "mcp_servers = 3\n"])
def test_a_table_in_one_value_is_refused(text: str) -> None:
    """TOML does not let a header add to such a table, and rewriting the person's line is not ours to do."""
    with pytest.raises(UnparsableSettings, match="by hand"):
        toml.add_table(text, SERVER, VALUES, "f")


def test_a_server_in_one_value_is_not_half_taken_out() -> None:
    """What cannot be taken out as lines is refused as a whole."""
    with pytest.raises(UnparsableSettings, match="by hand"):
        toml.delete_table('[mcp_servers]\nwwt = {command = "x"}\n', SERVER, "f")


def test_what_is_not_toml_is_refused_with_its_line() -> None:
    """The message names file and line."""
    with pytest.raises(UnparsableSettings, match=r"/c\.toml, line 2") as caught:
        toml.parse("a = 1\nb = = 2\n", "/c.toml")
    assert caught.value.data["line"] == 2
