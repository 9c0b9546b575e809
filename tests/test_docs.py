"""The reference pages name everything there is: no verb, option, tool, setting or error without its line."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import typer.main

from wwt_vault import errors
from wwt_vault.cli.commands import app
from wwt_vault.config import Settings
from wwt_vault.mcp_server.tools import TOOLS

DOCS = Path(__file__).resolve().parents[1] / "docs"
CLI = (DOCS / "cli.md").read_text("utf-8")
MCP = (DOCS / "mcp.md").read_text("utf-8")
BENCHMARKS = (DOCS / "benchmarks.md").read_text("utf-8")
BENCHED = re.findall(r"`python (tests/bench/\w+\.py)([^`]*)`", BENCHMARKS)


def commands(command: Any = None, path: str = "wwt") -> list[tuple[str, Any]]:
    """Return every command with its words; groups are walked, not returned."""
    command = command or typer.main.get_command(app)
    children = getattr(command, "commands", None)
    if children is None:
        return [(path, command)]
    return [found for name, child in children.items() for found in commands(child, f"{path} {name}")]


COMMANDS = commands()


@pytest.mark.parametrize(("words", "command"), COMMANDS, ids=[words for words, _ in COMMANDS])
def test_every_command_is_documented(words: str, command: Any) -> None:
    """By its words in docs/cli.md, with each of its options, and has a help text with all its arguments."""
    assert f"`{words}" in CLI
    assert command.help
    for parameter in command.params:
        names = [name for name in parameter.opts if name.startswith("--")]
        assert names == [] or any(f"`{name}" in CLI for name in names), parameter.opts
        assert parameter.name == "help" or getattr(parameter, "help", ""), parameter.name


def test_the_common_options_are_documented() -> None:
    """Those that every command takes."""
    for option in ("--vault", "--json", "--version", "--help"):
        assert f"`{option}" in CLI


@pytest.mark.parametrize("name", TOOLS)
def test_every_tool_is_documented(name: str) -> None:
    """In a section of its own in docs/mcp.md, with each argument and each field of its result."""
    section = MCP.partition(f"### {name}\n")[2].partition("\n#")[0]

    assert section
    for argument in TOOLS[name].arguments:
        assert re.search(rf"\b{argument}\b", section), argument
    for field in TOOLS[name].result:
        assert re.search(rf"\b{field}\b", section) or name == "wiki_status", field


def all_codes() -> set[str]:
    """Return the codes of every error there is."""
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, errors.WwtError)]
    others = {"no_evidence", "unknown_event", "uncited_fact", "usage", "os_error"}
    return {kind.code for kind in kinds} - {"error"} | others


@pytest.mark.parametrize("code", sorted(all_codes()))
def test_every_error_code_is_documented(code: str) -> None:
    """With its exit code."""
    assert re.search(rf"^\| `{code}` \| .+ \| [1-4] \|$", CLI, re.MULTILINE)


def test_documented_exit_codes_are_the_real_ones() -> None:
    """What the table of errors promises is what the exception carries."""
    table = dict(re.findall(r"^\| `(\w+)` \| .+ \| ([1-4]) \|$", CLI, re.MULTILINE))
    kinds = {kind.code: kind for kind in vars(errors).values() if isinstance(kind, type) and hasattr(kind, "exit_code")}

    assert {code: int(number) for code, number in table.items() if code in kinds} == {
        code: kinds[code].exit_code for code in table if code in kinds
    }


@pytest.mark.parametrize("key", [*Settings._fields, "vault"])
def test_every_setting_is_documented(key: str) -> None:
    """In docs/cli.md, under Settings."""
    assert f"`{key}`" in CLI.partition("## Settings")[2].partition("\n## ")[0]


@pytest.mark.parametrize(("program", "arguments"), BENCHED, ids=[program for program, _ in BENCHED])
def test_every_figure_has_a_program_that_measures_it(program: str, arguments: str) -> None:
    """It is there, takes the options that the page gives it, and prints."""
    source = (DOCS.parent / program).read_text("utf-8")
    assert 'if __name__ == "__main__":' in source
    for option in re.findall(r"--[\w-]+", arguments):
        assert f'"{option}"' in source, option


@pytest.mark.parametrize("program", ["hook_speed", "mcp_start", "note_speed", "search_speed"])
def test_what_was_promised_of_speed_has_its_figures(program: str) -> None:
    """In a section with its command, beside what was promised; the page says on which machine and when."""
    [section] = [part for part in BENCHMARKS.split("\n## ") if f"tests/bench/{program}.py" in part]
    assert "Promised: " in section
    assert "2 cores, shared" in BENCHMARKS and re.search(r"\b20\d\d\b", BENCHMARKS)
