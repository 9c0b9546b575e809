"""Commands that look after the vault's machinery: index, queue, status, verify."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

import typer

from wwt_vault.cli import render
from wwt_vault.cli.output import Common, emit, progress
from wwt_vault.errors import BadArgument

__all__ = ["register"]

_FAILED, _PROBLEMS_FOUND = 1, 4

_Shrink = Annotated[bool, typer.Option("--yes", help="Go on even if most of the vault is gone.")]


def register(app: typer.Typer, epilog: str) -> None:
    """Add the commands to ``app``."""
    app.command(epilog=epilog)(status)
    app.command(epilog=epilog)(verify)
    app.command(epilog=epilog)(doctor)
    app.command(epilog=epilog)(bench)
    index = typer.Typer(help="The search index: may be deleted at any time.", no_args_is_help=True, epilog=epilog)
    for command in (refresh, rebuild):
        index.command(epilog=epilog)(command)
    index.command("status", epilog=epilog)(index_status)
    app.add_typer(index, name="index")
    queue = typer.Typer(help="Captures that could not be recorded yet; alone: list them.", epilog=epilog)
    queue.callback(invoke_without_command=True)(queue_list)
    queue.command("list", epilog=epilog)(queue_list)
    queue.command("retry", epilog=epilog)(queue_retry)
    app.add_typer(queue, name="queue")


def status(ctx: typer.Context) -> None:
    """Say where the vault lies, what it holds, and what waits."""
    from wwt_vault.operations import upkeep, workspace  # noqa: PLC0415 - see the package's docstring

    common: Common = ctx.obj
    emit(common, upkeep.status(workspace.open_workspace(common.vault), now=datetime.now(UTC)), render.status)


def verify(
    ctx: typer.Context,
    notes: Annotated[list[str] | None, typer.Argument(metavar="NOTE", help="Only these notes.")] = None,
    note: Annotated[
        str | None, typer.Option(help="Only this note: each claim, the events it cites, and the very words.")
    ] = None,
) -> None:
    """Recompute hashes, follow citations. Exit 4 when something is wrong."""
    from wwt_vault.operations import evidence, workspace  # noqa: PLC0415

    common: Common = ctx.obj
    if notes and note:
        raise BadArgument("Give notes, or --note and one of them.", argument="note")
    result = evidence.verify(workspace.open_workspace(common.vault), notes or [], note=note)
    emit(common, result, render.evidence if note else render.verify)
    if result["problems"]:
        raise typer.Exit(_PROBLEMS_FOUND)


def doctor(
    ctx: typer.Context,
    fix: Annotated[bool, typer.Option("--fix", help="Mend what is derived: index, queue, session notes, …")] = False,
) -> None:
    """Find what is wrong, by name. In the vault, on this machine, with every host; exit 4 when something is."""
    from wwt_vault.operations.doctor import doctor as examine  # noqa: PLC0415

    common: Common = ctx.obj
    result = examine(common.vault, now=datetime.now(UTC), fix=fix)
    emit(common, result, render.doctor)
    if result["findings"]:
        raise typer.Exit(_PROBLEMS_FOUND)


def bench(
    ctx: typer.Context,
    questions: Annotated[int, typer.Option(help="Ask so many of your own prompts at most.")] = 200,
    apply: Annotated[bool, typer.Option("--apply", help="Write a better weight into .wwt/config.toml.")] = False,
) -> None:
    """Measure search with what you once asked. Says whether another weight of the meaning is better than by chance."""
    from wwt_vault.operations import measuring, workspace  # noqa: PLC0415

    common: Common = ctx.obj
    opened = workspace.open_workspace(common.vault)
    with progress("Embedding") as step:
        result = measuring.measure(opened, questions=questions, progress=step)
    result["applied"] = apply and measuring.apply(opened, result)
    emit(common, result, render.bench)


def refresh(ctx: typer.Context, yes: _Shrink = False) -> None:
    """Index what changed, and give vectors to all that has none."""
    _indexed(ctx.obj, rebuild=False, allow_shrink=yes)


def rebuild(ctx: typer.Context, yes: _Shrink = False) -> None:
    """Build the index anew beside the old one. Then swap; vectors of unchanged passages are kept."""
    _indexed(ctx.obj, rebuild=True, allow_shrink=yes)


def _indexed(common: Common, *, rebuild: bool, allow_shrink: bool) -> None:
    from wwt_vault.operations import freshness, upkeep, workspace  # noqa: PLC0415

    opened = workspace.open_workspace(common.vault)
    with progress("Indexing") as step:
        report = freshness.refresh(opened, seconds=None, progress=step, rebuild=rebuild, allow_shrink=allow_shrink)
    with progress("Embedding") as step:
        freshness.embed(opened, None, progress=step)
    emit(common, upkeep.index_status(opened, report), render.index)


def index_status(ctx: typer.Context) -> None:
    """Say what the index holds and whether it is up to date."""
    from wwt_vault.operations import upkeep, workspace  # noqa: PLC0415

    common: Common = ctx.obj
    emit(common, upkeep.index_status(workspace.open_workspace(common.vault)), render.index)


def queue_list(ctx: typer.Context) -> None:
    """List captures that wait, with the reason."""
    if ctx.invoked_subcommand is not None:
        return  # called for the group, before the command of it that was named
    from wwt_vault.operations import upkeep  # noqa: PLC0415

    emit(ctx.obj, upkeep.queue_list(), render.queue)


def queue_retry(ctx: typer.Context) -> None:
    """Try every waiting capture again now. Exit 1 when one of this vault still waits."""
    from wwt_vault.operations import upkeep, workspace  # noqa: PLC0415

    common: Common = ctx.obj
    result = upkeep.queue_retry(workspace.open_workspace(common.vault), now=datetime.now(UTC))
    emit(common, result, render.retried)
    if result["waiting"] or result["failed"]:
        raise typer.Exit(_FAILED)
