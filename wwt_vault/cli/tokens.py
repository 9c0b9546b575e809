"""Commands about bearer tokens: who may use the memory over HTTP."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

import typer

from wwt_vault.cli import render
from wwt_vault.cli.output import Common, emit, say

__all__ = ["register"]


def register(app: typer.Typer, epilog: str) -> None:
    """Add the commands to ``app``."""
    group = typer.Typer(
        help="Who may use this vault over HTTP (wwt serve --http).", no_args_is_help=True, epilog=epilog
    )
    group.command("new", epilog=epilog)(new)
    group.command("list", epilog=epilog)(list_all)
    group.command("revoke", epilog=epilog)(revoke)
    app.add_typer(group, name="token")


def new(
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="What it is for, such as phone.")],
    scope: Annotated[str, typer.Option(help="read, or write (which may read too).")] = "write",
) -> None:
    """Make a token and show it, this once; only a hash of it is kept."""
    from wwt_vault.operations import tokens  # noqa: PLC0415 - see the package's docstring
    from wwt_vault.vault import find_vault  # noqa: PLC0415

    common: Common = ctx.obj
    made = tokens.new_token(find_vault(common.vault), name, scope=scope, now=datetime.now(UTC))
    emit(common, made, lambda found: str(found["token"]))
    what = "may read and write" if scope == "write" else "may read"
    say(f"This is {name}, which {what}. It is shown this once: keep it like a password.")


def list_all(ctx: typer.Context) -> None:
    """List the tokens of this vault."""
    from wwt_vault.operations import tokens  # noqa: PLC0415
    from wwt_vault.vault import find_vault  # noqa: PLC0415

    common: Common = ctx.obj
    emit(common, tokens.list_tokens(find_vault(common.vault)), render.tokens)


def revoke(
    ctx: typer.Context, name: Annotated[str, typer.Argument(metavar="NAME", help="The name of the token.")]
) -> None:
    """Take a token back. A running server refuses it from the next request on."""
    from wwt_vault.operations import tokens  # noqa: PLC0415
    from wwt_vault.vault import find_vault  # noqa: PLC0415

    common: Common = ctx.obj
    done = tokens.revoke_token(find_vault(common.vault), name)
    emit(common, done, lambda found: f"{found['name']} is revoked.")
