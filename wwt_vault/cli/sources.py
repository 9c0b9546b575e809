"""``wwt source``: documents from outside."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from wwt_vault.cli import render_notes
from wwt_vault.cli.output import Common, emit
from wwt_vault.errors import BadArgument

__all__ = ["register"]


def register(app: typer.Typer, epilog: str) -> None:
    """Add the group to ``app``."""
    group = typer.Typer(help="Documents from outside: add one, say that it was checked.", no_args_is_help=True)
    for command in (add, verify):
        group.command(epilog=epilog)(command)
    app.add_typer(group, name="source", epilog=epilog)


def add(
    ctx: typer.Context,
    file: Annotated[str, typer.Argument(metavar="FILE", help="Markdown or plain text, UTF-8; - is stdin.")],
    *,
    title: Annotated[str | None, typer.Option(help="Title or path of the note; else the file's name.")] = None,
    origin: Annotated[str | None, typer.Option(help="Where it comes from, such as an address; else the file.")] = None,
    retrieved: Annotated[
        str | None, typer.Option(metavar="DATE", help="When it was fetched there; else today.")
    ] = None,
    project: Annotated[str | None, typer.Option(help="The project it belongs to.")] = None,
    tag: Annotated[list[str] | None, typer.Option(help="A tag; may be repeated.")] = None,
    revision: Annotated[
        str | None, typer.Option(help="The revision that was read: this is the document's newer text.")
    ] = None,
) -> None:
    """Keep a document as a note of type source. Unverified at first; facts may cite it beside what was said."""
    from wwt_vault.operations import sources, workspace  # noqa: PLC0415 - see the package's docstring

    common: Common = ctx.obj
    if file == "-" and not (title and origin):
        raise BadArgument("Reading from stdin needs --title and --origin.", argument="title")
    try:
        text = sys.stdin.read() if file == "-" else Path(file).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadArgument(f"{file} is not UTF-8 text ({error}). Save it as text first.", argument="file") from error
    result = sources.add_source(
        workspace.open_workspace(common.vault),
        title or Path(file).stem,
        text,
        origin=origin or str(Path(file).absolute()),
        retrieved=retrieved,
        project=project,
        tags=tag or (),
        revision=revision,
        written_by="person",
        now=datetime.now(UTC),
    )
    emit(common, result, render_notes.source)


def verify(
    ctx: typer.Context,
    note: Annotated[str, typer.Argument(metavar="SOURCE", help="Path, id or title.")],
    state: Annotated[str, typer.Argument(metavar="STATE", help="unverified, checked or disputed.")],
    by: Annotated[str, typer.Option(help="Who checked it.")] = "person",
) -> None:
    """Say how far a source was checked; the facts that cite it show it."""
    from wwt_vault.operations import sources, workspace  # noqa: PLC0415

    common: Common = ctx.obj
    opened = workspace.open_workspace(common.vault)
    emit(common, sources.verify_source(opened, note, state=state, by=by, now=datetime.now(UTC)), render_notes.source)
