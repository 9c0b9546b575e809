"""The command line ``wwt``: parse, call one operation, print its result.

Commands import their operation when they run, so that ``wwt --help`` and a wrong word cost nothing. The exit codes are
those of ``docs/cli.md``: 0 done, 1 failed, 2 wrong usage, 3 refused, 4 problems found.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Annotated, Final

import typer

from wwt_vault import __version__
from wwt_vault.cli import memory, notes, start, upkeep
from wwt_vault.cli.output import Common, as_error, emit_error
from wwt_vault.errors import WwtError

__all__ = ["app", "main"]

EPILOG: Final = "Every command also takes --vault PATH and --json (one JSON object on stdout)."

app = typer.Typer(
    name="wwt",
    help="The long-term memory of AI coding agents, kept as an Obsidian vault that you own.",
    epilog=EPILOG,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

# Usage errors, found through what typer exports: newer versions have their own copy of click.
_UsageError: Final[type[Exception]] = typer.BadParameter.__mro__[1]


@app.callback()
def _options(
    vault: Annotated[
        str | None, typer.Option(metavar="PATH", help="The vault; else WWT_VAULT, else the user's config.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout and nothing else.")] = False,
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False,
) -> None:
    # Taken out of the arguments before they come here, wherever they stand; declared for --help.
    del vault, as_json
    if version:
        typer.echo(f"wwt {__version__}")
        raise typer.Exit


for module in (start, memory, notes, upkeep):
    module.register(app, EPILOG)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one command and exit with its code."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            # A lone surrogate (of a file name that is not UTF-8) becomes \udcxx, which is its JSON form too.
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    common, rest = _common(sys.argv[1:] if arguments is None else arguments)
    sys.exit(_run(common, rest))


def _run(common: Common, arguments: list[str]) -> int:
    try:
        code = app(args=arguments, prog_name="wwt", standalone_mode=False, obj=common)
    except WwtError as error:
        emit_error(common, error.as_json())
        return error.exit_code
    except BrokenPipeError:
        return 1  # whoever read our output has seen enough
    except OSError as error:
        emit_error(common, as_error(error))
        return 1
    except (typer.Abort, KeyboardInterrupt):
        return 130
    except _UsageError as error:
        if common.as_json:
            emit_error(common, {"code": "usage", "message": error.format_message()})  # type: ignore[attr-defined]  # click's
        else:
            error.show()  # type: ignore[attr-defined]  # click's own rendering, with the usage line
        return 2
    return code if isinstance(code, int) else 0


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
