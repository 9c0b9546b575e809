"""The command line ``wwt``: parse, call one operation, print its result.

Commands import their operation when they run, so that ``wwt --help`` and a wrong word cost nothing. The exit codes are
those of ``docs/cli.md``: 0 done, 1 failed, 2 wrong usage, 3 refused, 4 problems found.
"""

from __future__ import annotations

import atexit
import gc
import os
import sys
from collections.abc import Sequence

from wwt_vault.cli.output import Common
from wwt_vault.encoding import go_on_in_utf8

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one command and exit with its code."""
    if arguments is None:
        go_on_in_utf8()
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # closed by whoever started us
            setattr(sys, name, open(os.devnull, mode))  # noqa: PTH123, SIM115 - open until the process ends
    for stream, errors in ((sys.stdin, "strict"), (sys.stdout, "backslashreplace"), (sys.stderr, "backslashreplace")):
        if hasattr(stream, "reconfigure"):
            # A lone surrogate (of a file name that is not UTF-8) becomes \udcxx, which is its JSON form too.
            stream.reconfigure(encoding="utf-8", errors=errors)
    common, rest = _common(sys.argv[1:] if arguments is None else arguments)
    if rest == ["serve"]:
        from wwt_vault.mcp_server import serve  # noqa: PLC0415 - hosts wait for it: not even typer is loaded

        serve(common.vault)
    if rest[:1] in (["search"], ["context"]) or rest[:2] == ["note", "related"]:
        # It answers and ends: looking for garbage, then and at the end, takes a tenth of its time and finds nothing.
        gc.disable()
        atexit.register(gc.freeze)
    from wwt_vault.cli.commands import run  # noqa: PLC0415 - as above

    try:
        sys.exit(run(common, rest))
    finally:
        gc.enable()


def _common(arguments: Sequence[str]) -> tuple[Common, list[str]]:
    """Take ``--vault`` and ``--json`` out of the arguments, before or after the command; not behind ``--``."""
    vault: str | None = None
    as_json = False
    rest: list[str] = []
    words = list(arguments)
    while words:
        word = words.pop(0)
        if word == "--":
            return Common(vault, as_json), [*rest, word, *words]
        if word == "--json":
            as_json = True
        elif word == "--vault" and words and not words[0].startswith("-"):
            vault = words.pop(0)
        elif word.startswith("--vault=") and word != "--vault=":
            vault = word.removeprefix("--vault=")
        else:
            rest.append(word)  # the parser says what is wrong with a --vault that names nothing
    return Common(vault, as_json), rest
