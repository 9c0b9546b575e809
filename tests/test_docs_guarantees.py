"""``docs/guarantees.md`` promises nothing that no test tries."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "docs" / "guarantees.md").read_text("utf-8")
NAMED = sorted(set(re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", PAGE)))


@pytest.mark.parametrize(("file", "name"), NAMED, ids=[name for _, name in NAMED])
def test_a_named_test_is_there(file: str, name: str) -> None:
    """In the file that the page names, and it asserts something."""
    tree = ast.parse((ROOT / file).read_text("utf-8"))
    found = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name == name]

    assert found, f"{file} has no {name}"
    assert any(isinstance(node, ast.Assert | ast.With | ast.Call) for node in ast.walk(found[0]))


@pytest.mark.parametrize("number", range(1, 23))
def test_every_guarantee_has_its_row_and_its_test(number: int) -> None:
    """G1 to G22, each once, each with a test."""
    [row] = [line for line in PAGE.splitlines() if line.startswith(f"| G{number} |")]
    assert re.search(r"`tests/[\w/]+\.py::\w+`", row)


@pytest.mark.parametrize("command", sorted(set(re.findall(r"`python (-m )?([\w./]+)([^`]*)` ?[:(]", PAGE))))
def test_a_command_that_gives_numbers_is_there(command: tuple[str, str, str]) -> None:
    """Its file exists, runs as a program and takes the options that the page gives it."""
    _, program, arguments = command
    path = ROOT / (program if program.endswith(".py") else program.replace(".", "/") + ".py")
    source = path.read_text("utf-8")

    assert 'if __name__ == "__main__":' in source
    for option in re.findall(r"--[\w-]+", arguments):
        assert f'"{option}"' in source, option
