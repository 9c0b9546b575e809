"""``wwt note``: list, read, save and move curated notes, look at their history and go back in it."""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from wwt_vault.cli import render_notes
from wwt_vault.cli.output import Common, emit
from wwt_vault.errors import BadArgument

__all__ = ["register"]

_Note = Annotated[str, typer.Argument(metavar="NOTE", help="Path, id or title.")]


def register(app: typer.Typer, epilog: str) -> None:
    """Add the group to ``app``."""
    group = typer.Typer(help="Curated notes: list, read, save, move, history.", no_args_is_help=True, epilog=epilog)
    for command in (read, save, related, move, relink, history, diff, restore):
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
    emit(
        common,
        notes.list_notes(workspace.open_workspace(common.vault), type=type, status=status),
        render_notes.note_list,
    )


def read(
    ctx: typer.Context,
    note: _Note,
    section: Annotated[str | None, typer.Option(help="Only the text under this heading.")] = None,
    revision: Annotated[str | None, typer.Option(help="As it was in this revision.")] = None,
    as_of: Annotated[str | None, typer.Option("--as-of", metavar="DATE", help="As it was on this date.")] = None,
) -> None:
    """Show a note; its revision is what `wwt note save` asks for."""
    from wwt_vault.operations import freshness, notes, workspace  # noqa: PLC0415

    common: Common = ctx.obj
    opened = workspace.open_workspace(common.vault)
    now = not (revision or as_of)
    if now:
        freshness.catch_up(opened)
    found = notes.read_note(opened, note, section=section, revision=revision, as_of=as_of, newer=now)
    emit(common, found, render_notes.note)


def save(
    ctx: typer.Context,
    file: Annotated[str, typer.Argument(metavar="FILE", help="The Markdown body, no frontmatter; - is stdin.")],
    *,
    note: Annotated[str | None, typer.Option(help="Title or path; else the file's name.")] = None,
    revision: Annotated[
        str | None, typer.Option(help="The revision that was read; without it the note must be new.")
    ] = None,
    section: Annotated[str | None, typer.Option(help="FILE replaces only the text under this heading.")] = None,
    append: Annotated[str | None, typer.Option(help="FILE is added to the text under this heading.")] = None,
    history: Annotated[bool, typer.Option("--history", help="FILE is an entry for the note's history.")] = False,
    type: Annotated[str | None, typer.Option(help="project, area, knowledge, decision or topic.")] = None,  # noqa: A002 - the option's name
    status: Annotated[str | None, typer.Option(help="current, superseded or draft.")] = None,
    project: Annotated[str | None, typer.Option(help="The project it belongs to.")] = None,
    tag: Annotated[list[str] | None, typer.Option(help="A tag; may be repeated.")] = None,
    alias: Annotated[list[str] | None, typer.Option(help="Another name; may be repeated.")] = None,
    question: Annotated[list[str] | None, typer.Option(help="How you may ask for it later; may be repeated.")] = None,
    relation: Annotated[
        list[str] | None, typer.Option(metavar="KIND=NOTE", help="A typed link; may be repeated.")
    ] = None,
    reason: Annotated[str | None, typer.Option(help="Why it changes, for the history.")] = None,
) -> None:
    """Create or change a curated note. Refused without evidence or with a stale revision."""
    from wwt_vault.operations import notes, workspace  # noqa: PLC0415

    common: Common = ctx.obj
    if file == "-" and not note:
        raise BadArgument("Reading from stdin needs --note, the note's title.", argument="note")
    try:
        text = sys.stdin.read() if file == "-" else Path(file).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadArgument(f"{file} is not UTF-8 ({error}). Save it as UTF-8.", argument="file") from error
    if sum(map(bool, (section, append, history))) > 1:
        raise BadArgument("Give one of --section, --append and --history: FILE is the text of one.", argument="section")
    result = notes.save_note(
        workspace.open_workspace(common.vault),
        note or Path(file).stem,
        body=None if section or append or history else text,
        sections={section: text} if section else None,
        append={append: text} if append else None,
        history=text.strip() if history else None,
        revision=revision,
        type=type,
        status=status,
        project=project,
        tags=tag or None,
        aliases=alias or None,
        questions=question or None,
        relations=_relations(relation or []),
        reason=reason,
        written_by="person",
        now=datetime.now(UTC),
    )
    emit(common, result, render_notes.saved)


def move(
    ctx: typer.Context,
    note: _Note,
    to: Annotated[
        str | None, typer.Argument(metavar="TO", help="A folder, a path or a new title; else the folder of its type.")
    ] = None,
) -> None:
    """Move or rename a note; links to it follow."""
    from wwt_vault.operations import notes, workspace  # noqa: PLC0415

    common: Common = ctx.obj
    opened = workspace.open_workspace(common.vault)
    result = notes.move_note(opened, note, to=to, written_by="person", now=datetime.now(UTC))
    emit(common, result, render_notes.moved)


def related(
    ctx: typer.Context,
    note: _Note,
    depth: Annotated[int, typer.Option(help="So many links away at most, 1 to 3.")] = 1,
    kind: Annotated[list[str] | None, typer.Option(help="Follow only this relation; may be repeated.")] = None,
) -> None:
    """Show the notes that a note is related to, in both directions."""
    from wwt_vault.operations import relations, workspace  # noqa: PLC0415

    common: Common = ctx.obj
    opened = workspace.open_workspace(common.vault)
    emit(common, relations.related(opened, note, depth=depth, kinds=kind or ()), render_notes.related)


def relink(ctx: typer.Context) -> None:
    """Make links follow notes. For those renamed outside of Obsidian, or whose move was cut off."""
    from wwt_vault.operations import notes, workspace  # noqa: PLC0415

    common: Common = ctx.obj
    result = notes.relink(workspace.open_workspace(common.vault), written_by="person", now=datetime.now(UTC))
    emit(
        common,
        result,
        lambda found: "\n".join(map(render_notes.moved, found["moved"])) or "All links are as they should be.",
    )


def history(ctx: typer.Context, note: _Note) -> None:
    """List every revision of a note, newest first."""
    from wwt_vault.operations import notes, workspace  # noqa: PLC0415

    common: Common = ctx.obj
    emit(common, notes.history(workspace.open_workspace(common.vault), note), render_notes.history)


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


def restore(
    ctx: typer.Context,
    note: _Note,
    to: Annotated[str, typer.Option("--to", metavar="REVISION", help="The revision to go back to.")],
    revision: Annotated[
        str | None, typer.Option(help="The revision you looked at; the note must not have changed since.")
    ] = None,
    reason: Annotated[str | None, typer.Option(help="Why, for the history.")] = None,
) -> None:
    """Make an earlier revision the present one. The history keeps both."""
    from wwt_vault.operations import notes, workspace  # noqa: PLC0415

    common: Common = ctx.obj
    result = notes.restore(
        workspace.open_workspace(common.vault),
        note,
        to=to,
        revision=revision,
        reason=reason,
        written_by="person",
        now=datetime.now(UTC),
    )
    emit(common, result, render_notes.saved)


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
