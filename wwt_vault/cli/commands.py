"""All commands of ``wwt``, as typer has them, and what becomes of their failures."""

from __future__ import annotations

import os
from copy import copy
from typing import Annotated, Final

import typer

from wwt_vault import __version__
from wwt_vault.cli import memory, notes, projects, secrets, sources, start, sync, tokens, upkeep
from wwt_vault.cli.output import Common, emit, emit_error, say
from wwt_vault.errors import WwtError

__all__ = ["app", "run"]

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


def _say_version(ctx: typer.Context, wanted: bool) -> None:
    if wanted:
        emit(ctx.obj, {"version": __version__}, lambda found: f"wwt {found['version']}")
        raise typer.Exit


@app.callback()
def _options(
    vault: Annotated[
        str | None, typer.Option(metavar="PATH", help="The vault; else WWT_VAULT, else the user's config.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout and nothing else.")] = False,
    version: Annotated[
        # Eager: it is asked for without a command.
        bool,
        typer.Option("--version", callback=_say_version, is_eager=True, help="Print the version and exit."),
    ] = False,
) -> None:
    # Taken out of the arguments before they come here, wherever they stand; declared for --help.
    del vault, as_json, version


for module in (start, memory, notes, projects, sources, upkeep, tokens, sync, secrets):
    module.register(app, EPILOG)


def _only(name: str) -> typer.Typer:
    """Return the app with one command alone, if it has it: typer takes 30 ms to prepare all of them."""
    its = [one for one in app.registered_commands if name in (one.name, getattr(one.callback, "__name__", None))]
    if not its:
        return app
    alone = copy(app)
    alone.registered_commands, alone.registered_groups = its, []
    return alone


def run(common: Common, arguments: list[str]) -> int:
    """Run one command and return its exit code."""
    try:
        code = _only(arguments[0] if arguments else "")(
            args=arguments, prog_name="wwt", standalone_mode=False, obj=common
        )
    except WwtError as error:
        emit_error(common, error.as_json())
        return error.exit_code
    except BrokenPipeError:
        return 1  # whoever read our output has seen enough
    except OSError as error:
        named = error.filename is not None and error.strerror
        message = f"{os.fsdecode(error.filename)}: {error.strerror}" if named else str(error)
        emit_error(common, {"code": "os_error", "message": message})
        return 1
    except (typer.Abort, KeyboardInterrupt):
        return 130
    except _UsageError as error:
        if common.as_json:
            emit_error(common, {"code": "usage", "message": error.format_message()})  # type: ignore[attr-defined]  # click's
        else:
            error.show()  # type: ignore[attr-defined]  # click's own rendering, with the usage line
            if "No such option" in error.format_message():  # type: ignore[attr-defined]
                say("What begins with a dash is taken for an option. Put -- before it if you mean the word.")
        return 2
    return code if isinstance(code, int) else 0
