"""``wwt note``: list, read, save curated notes and look at their history."""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from wwt_vault.cli import render
from wwt_vault.cli.output import Common, emit
from wwt_vault.errors import BadArgument

__all__ = ["register"]

_Note = Annotated[str, typer.Argument(metavar="NOTE", help="Path, id or title.")]


def register(app: typer.Typer, epilog: str) -> None:
    """Add the group to ``app``."""
    group = typer.Typer(help="Curated notes: list, read, save, history, diff.", no_args_is_help=True, epilog=epilog)
    for command in (read, save, history, diff):
        group.command(epilog=epilog)(command)
    group.command("list", epilog=epilog)(list_notes)
    app.add_typer(group, name="note")


def list_notes(
    ctx: typer.Context,
    type: Annotated[str | None, typer.Option(help="Only this type.")] = None,  # noqa: A002 - the option's name
    status: Annotated[str | None, typer.Option(help="current, superseded or draft.")] = None,
) -> None:
    """List curated notes, changed last first."""
    from wwt_vault.operations import notes, workspace  # noqa: PLC0415 - see the package's docstring

    common: Common = ctx.obj
    emit(common, notes.list_notes(workspace.open_workspace(common.vault), type=type, status=status), render.note_list)


def read(
    ctx: typer.Context,
    note: _Note,
    section: Annotated[str | None, typer.Option(help="Only the text under this heading.")] = None,
) -> None:
    """Show a note; its revision is what `wwt note save` asks for."""
    from wwt_vault.operations import notes, workspace  # noqa: PLC0415

    common: Common = ctx.obj
    emit(common, notes.read_note(workspace.open_workspace(common.vault), note, section=section), render.note)


def save(
    ctx: typer.Context,
    file: Annotated[str, typer.Argument(metavar="FILE", help="The Markdown body, no frontmatter; - is stdin.")],
    *,
    note: Annotated[str | None, typer.Option(help="Title or path; else the file's name.")] = None,
    revision: Annotated[
        str | None, typer.Option(help="The revision that was read; without it the note must be new.")
    ] = None,
    type: Annotated[str | None, typer.Option(help="project, area, knowledge, decision or topic.")] = None,  # noqa: A002 - the option's name
    relation: Annotated[
        list[str] | None, typer.Option(metavar="KIND=NOTE", help="A typed link; may be repeated.")
    ] = None,
    reason: Annotated[str | None, typer.Option(help="Why it changes, for the history.")] = None,
) -> None:
    """Create or replace a curated note; refused without evidence or with a stale revision."""
    from wwt_vault.operations import notes, workspace  # noqa: PLC0415

    common: Common = ctx.obj
    if file == "-" and not note:
        raise BadArgument("Reading from stdin needs --note, the note's title.", argument="note")
    try:
        body = sys.stdin.read() if file == "-" else Path(file).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadArgument(f"{file} is not UTF-8 ({error}). Save it as UTF-8.", argument="file") from error
    result = notes.save_note(
        workspace.open_workspace(common.vault),
        note or Path(file).stem,
        body=body,
        revision=revision,
        type=type,
        relations=_relations(relation or []),
        reason=reason,
        written_by="person",
        now=datetime.now(UTC),
    )
    emit(common, result, lambda saved: f"{saved['path']}  revision {saved['revision'][:12]}")


def history(ctx: typer.Context, note: _Note) -> None:
    """List every revision of a note, newest first."""
    from wwt_vault.operations import notes, workspace  # noqa: PLC0415

    common: Common = ctx.obj
    emit(common, notes.history(workspace.open_workspace(common.vault), note), render.history)


def diff(
    ctx: typer.Context,
    note: _Note,
    old: Annotated[
        str | None, typer.Option("--from", metavar="REVISION", help="Else the one before the newest.")
    ] = None,
    new: Annotated[str | None, typer.Option("--to", metavar="REVISION", help="Else the note as it is now.")] = None,
) -> None:
    """Show what changed between two revisions of a note."""
    from wwt_vault.operations import notes, workspace  # noqa: PLC0415

    common: Common = ctx.obj
    result = notes.diff(workspace.open_workspace(common.vault), note, old=old, new=new)
    emit(common, result, lambda found: found["diff"] or "No difference.")


def _relations(pairs: list[str]) -> dict[str, list[str]]:
    """Read ``kind=note`` pairs."""
    relations: dict[str, list[str]] = {}
    for pair in pairs:
        kind, equals, target = pair.partition("=")
        if not (kind and equals and target):
            raise BadArgument(
                f"--relation wants KIND=NOTE, not {json.dumps(pair, ensure_ascii=False)}", argument="relation"
            )
        relations.setdefault(kind, []).append(target)
    return relations
