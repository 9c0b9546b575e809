"""The command that looks for secrets in what is stored."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wwt_vault.cli.output import Common, emit, progress
from wwt_vault.errors import BadArgument
from wwt_vault.wording import counted

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["register"]

_PROBLEMS_FOUND = 4


def register(app: typer.Typer, epilog: str) -> None:
    """Add the command to ``app``."""
    app.command(epilog=epilog)(redact)


def redact(
    ctx: typer.Context,
    scan: Annotated[bool, typer.Option("--scan", help="Look through all that is stored (the default).")] = True,
    forget: Annotated[bool, typer.Option("--forget", help="Forget the messages that hold secrets.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Look for secrets in what is stored. The rules grow; exit 4 when there are any."""
    from wwt_vault.operations import forgetting, scanning, workspace  # noqa: PLC0415 - see the package's docstring

    del scan
    common: Common = ctx.obj
    opened = workspace.open_workspace(common.vault)
    with progress("Looking") as step:
        result = scanning.scan(opened, progress=step)
    result["forgotten"] = []
    if forget and result["events"]:
        if not yes:
            if not sys.stdin.isatty() or common.as_json:
                raise BadArgument("Forgetting cannot be undone: say --yes.", argument="yes")
            count = counted(len(result["events"]), "message")
            typer.confirm(f"Forget {count} that hold secrets, whole and for good?", abort=True, err=True)
        ids = [event["id"] for event in result["events"]]
        with progress("Indexing") as step:
            done = forgetting.forget(opened, ids, reason="it held a secret", now=datetime.now(UTC), progress=step)
        result |= {"forgotten": done["events"], "events": [], "git": done["git"], "transcripts": done["transcripts"]}
    emit(common, result, _rendered)
    if result["events"] or result["pages"]:
        raise typer.Exit(_PROBLEMS_FOUND)


def _rendered(found: Mapping[str, Any]) -> str:
    scanned = found["scanned"]
    lines = [f"{counted(scanned['events'], 'message')} and {counted(scanned['pages'], 'page')} looked through."]
    lines += [f"{event['path']}: {', '.join(event['kinds'])}" for event in found["events"]]
    lines += [f"{page['path']}:{page['line']}: {page['kind']}" for page in found["pages"]]
    lines += [f"forgotten: {event}" for event in found["forgotten"]]
    if found["events"]:
        lines.append("Messages are never changed; `wwt redact --forget` forgets these whole, for good.")
    if found["pages"]:
        lines.append("Pages are yours to mend. Change the secret as well: it was stored.")
    if found.get("git"):
        lines += ["Old versions are still in git; these commands take them out:", *found["git"]]
    if not (found["events"] or found["pages"] or found["forgotten"]):
        lines.append("No secret found.")
    return "\n".join(lines)
