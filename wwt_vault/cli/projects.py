"""Commands about projects: which there are, and what they are called now."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

import typer

from wwt_vault.cli import render
from wwt_vault.cli.output import Common, emit

__all__ = ["register"]


def register(app: typer.Typer, epilog: str) -> None:
    """Add the commands to ``app``."""
    group = typer.Typer(help="Projects, and what they are called now.", no_args_is_help=True, epilog=epilog)
    group.command("list", epilog=epilog)(list_all)
    group.command("rename", epilog=epilog)(rename)
    group.command("merge", epilog=epilog)(merge)
    app.add_typer(group, name="project")


def list_all(ctx: typer.Context) -> None:
    """List the projects, with the other names that each has or had."""
    from wwt_vault.operations import projects, workspace  # noqa: PLC0415 - see the package's docstring

    common: Common = ctx.obj
    emit(common, projects.list_projects(workspace.open_workspace(common.vault)), render.projects)


def rename(
    ctx: typer.Context,
    old: Annotated[str, typer.Argument(metavar="OLD", help="What it is called now.")],
    new: Annotated[
        str, typer.Argument(metavar="NEW", help="What it shall be called: of a moved folder, its new name.")
    ],
) -> None:
    """Give a project another name. What was said stays as it was written, and is found under both."""
    from wwt_vault.operations import projects, workspace  # noqa: PLC0415

    common: Common = ctx.obj
    done = projects.rename_project(workspace.open_workspace(common.vault), old, new, now=datetime.now(UTC))
    emit(common, done, render.project)


def merge(
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="The project that is part of the other one.")],
    into: Annotated[str, typer.Argument(metavar="INTO", help="The other one, whose name both have from now on.")],
) -> None:
    """Make two projects one. For a folder that moved while sessions went on, or two clones of one repository."""
    from wwt_vault.operations import projects, workspace  # noqa: PLC0415

    common: Common = ctx.obj
    done = projects.merge_projects(workspace.open_workspace(common.vault), name, into, now=datetime.now(UTC))
    emit(common, done, render.project)
