"""Commands that keep one vault on many machines: sync, and what it could not merge."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import typer

from wwt_vault.cli import render_sync
from wwt_vault.cli.output import Common, emit, say, stopped_by_signal

__all__ = ["register"]


def register(app: typer.Typer, epilog: str) -> None:
    """Add the commands to ``app``."""
    group = typer.Typer(help="Send and take in what changed, by git; alone: do it now.", epilog=epilog)
    group.callback(invoke_without_command=True)(sync)
    group.command("init", epilog=epilog)(sync_init)
    group.command("now", epilog=epilog)(sync)
    group.command("merge-file", epilog=epilog)(merge_file)
    app.add_typer(group, name="sync")
    conflicts = typer.Typer(help="Copies that a sync left beside a note; alone: list them.", epilog=epilog)
    conflicts.callback(invoke_without_command=True)(conflicts_list)
    for name, command in (("list", conflicts_list), ("merge", conflicts_merge), ("keep", conflicts_keep)):
        conflicts.command(name, epilog=epilog)(command)
    app.add_typer(conflicts, name="conflicts")
    for whole in (backup, restore, export):
        app.command(epilog=epilog)(whole)


_Allow = Annotated[
    list[str] | None,
    typer.Option(metavar="NOTE", help="Send this file although it seems to hold a secret; repeatable."),
]
_Yes = Annotated[bool, typer.Option("--yes", help="Go on even if most of the vault is gone.")]


_Watch = Annotated[bool, typer.Option("--watch", help="Go on whenever the vault has been quiet, until Ctrl-C.")]
_Quiet = Annotated[float, typer.Option(metavar="SECONDS", help="With --watch: after the last change.", min=0.1)]
_Every = Annotated[float, typer.Option(metavar="SECONDS", help="With --watch: without a change.", min=1)]


def sync(
    ctx: typer.Context,
    *,
    allow: _Allow = None,
    yes: _Yes = False,
    watch: _Watch = False,
    quiet: _Quiet = 30,
    every: _Every = 300,
) -> None:
    """Commit, take in what other machines did, send both."""
    if ctx.invoked_subcommand is not None:
        return  # called for the group, before the command of it that was named
    from wwt_vault.operations import autosync, syncing  # noqa: PLC0415 - see the package's docstring

    common: Common = ctx.obj
    if watch:
        with stopped_by_signal() as stop:
            pace = autosync.Pace(quiet=quiet, latest=max(quiet, autosync.Pace().latest), every=every)
            autosync.follow(common.vault, pace=pace, stop=stop, tell=lambda found: _tell(common, found))
        return
    done = syncing.sync(common.vault, now=datetime.now(UTC), allowed=allow or (), shrink=yes)
    emit(common, done, render_sync.sync)


def _tell(common: Common, found: Mapping[str, Any] | Exception) -> None:
    """Say what a sync of ``--watch`` did, if it did anything; with ``--json`` as one line."""
    if isinstance(found, Exception):
        say(f"{datetime.now().astimezone():%H:%M:%S} wwt: {found}")
    elif common.as_json:
        typer.echo(json.dumps(found, ensure_ascii=False))
    elif found["sent"] or found["received"] or found["withheld"] or found["notes"] or found["offline"]:
        for line in render_sync.sync(found).splitlines():
            say(f"{datetime.now().astimezone():%H:%M:%S} {line}")


def sync_init(
    ctx: typer.Context,
    remote: Annotated[
        str | None, typer.Argument(metavar="REMOTE", help="A git repository: URL, HOST:PATH, or a folder.")
    ] = None,
) -> None:
    """Put the vault under git, and sync. Joins it with REMOTE; without a vault here, takes that one."""
    from wwt_vault.operations import syncing  # noqa: PLC0415

    common: Common = ctx.obj
    emit(common, syncing.sync_init(common.vault, remote, now=datetime.now(UTC)), render_sync.sync_init)


def merge_file(
    ctx: typer.Context,
    base: Annotated[Path, typer.Argument(metavar="BASE", help="What both sides began with (%O).")],
    ours: Annotated[Path, typer.Argument(metavar="OURS", help="This side's file, which gets the result (%A).")],
    theirs: Annotated[Path, typer.Argument(metavar="THEIRS", help="The other side's file (%B).")],
    path: Annotated[str, typer.Argument(metavar="PATH", help="Where it lies in the vault (%P).")],
) -> None:
    """Merge one note, as git asks. It does once `wwt sync init` was run, from the vault's folder."""
    from wwt_vault.operations import syncing  # noqa: PLC0415

    done = syncing.merge_file(base, ours, theirs, path, now=datetime.now(UTC))
    emit(ctx.obj, done, render_sync.merged_file)


def conflicts_list(ctx: typer.Context) -> None:
    """List the copies, and what only one of the two versions says."""
    if ctx.invoked_subcommand is not None:
        return  # called for the group, before the command of it that was named
    from wwt_vault.operations import conflicts  # noqa: PLC0415

    common: Common = ctx.obj
    emit(common, conflicts.conflicts_list(common.vault), render_sync.conflicts)


def conflicts_merge(
    ctx: typer.Context,
    copies: Annotated[
        list[str] | None, typer.Argument(metavar="COPY", help="Paths of copies; all that can be merged if none.")
    ] = None,
) -> None:
    """Put what only a copy says into its note. The copy goes into the trash."""
    from wwt_vault.operations import conflicts  # noqa: PLC0415

    common: Common = ctx.obj
    done = conflicts.conflicts_merge(common.vault, copies or [], now=datetime.now(UTC))
    emit(common, done, render_sync.settled)


def conflicts_keep(
    ctx: typer.Context,
    path: Annotated[str, typer.Argument(metavar="PATH", help="The version to keep: the copy, or the note itself.")],
) -> None:
    """Choose one of two versions; the other goes into the trash."""
    from wwt_vault.operations import conflicts  # noqa: PLC0415

    common: Common = ctx.obj
    emit(common, conflicts.conflicts_keep(common.vault, path, now=datetime.now(UTC)), render_sync.settled)


def backup(
    ctx: typer.Context, file: Annotated[Path, typer.Argument(metavar="FILE", help="A new zip archive.")]
) -> None:
    """Write the whole vault into one archive. A manifest in it has the hash of each file."""
    from wwt_vault.operations import backups  # noqa: PLC0415

    common: Common = ctx.obj
    emit(common, backups.backup(common.vault, file, now=datetime.now(UTC)), render_sync.backup)


def restore(
    ctx: typer.Context,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="An archive that `wwt backup` wrote.")],
    folder: Annotated[
        Path | None, typer.Argument(metavar="FOLDER", help="An empty folder; else the named vault.")
    ] = None,
) -> None:
    """Make a vault from an archive. In an empty folder, after every hash has been checked."""
    from wwt_vault.operations import backups  # noqa: PLC0415

    common: Common = ctx.obj
    done = backups.restore(common.vault, file, folder)
    emit(common, done, render_sync.restore)
    if done["problems"]:
        raise typer.Exit(4)


def export(
    ctx: typer.Context, folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="An empty folder.")]
) -> None:
    """Write the vault as JSONL and Markdown, for other programs."""
    from wwt_vault.operations import backups  # noqa: PLC0415

    common: Common = ctx.obj
    emit(common, backups.export(common.vault, folder), render_sync.export)
