"""Commands about what is remembered: search, context, the words themselves, and what waits to be curated."""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from wwt_vault.cli import render
from wwt_vault.cli.output import Common, emit, progress, say
from wwt_vault.errors import BadArgument
from wwt_vault.wording import counted

if TYPE_CHECKING:
    from wwt_vault.operations.workspace import Workspace

__all__ = ["register"]

_INDEX_SECONDS: Final = 20.0
_EMBED_SECONDS: Final = 5.0
"""A search indexes what changed, and gives vectors to it, for so long at most; ``wwt index refresh`` does the rest."""

_Rephrased = Annotated[
    list[str] | None, typer.Option(metavar="TEXT", help="The same in other words; may be repeated, four times.")
]
_Project = Annotated[str | None, typer.Option(help="Only this project.")]


def register(app: typer.Typer, epilog: str) -> None:
    """Add the commands to ``app``."""
    app.command(epilog=epilog)(search)
    app.command(epilog=epilog)(context)
    app.command(epilog=epilog)(events)
    app.command(epilog=epilog)(record)
    app.command(epilog=epilog)(observe)
    app.command(epilog=epilog)(uncurated)
    app.command("mark-curated", epilog=epilog)(mark_curated)
    app.command(epilog=epilog)(forget)


def search(
    ctx: typer.Context,
    query: Annotated[str, typer.Argument(metavar="QUERY", help="What to look for, in Korean or English.")],
    *,
    rephrased: _Rephrased = None,
    project: _Project = None,
    host: Annotated[str | None, typer.Option(help="Only this host: claude-code, codex, gemini, …")] = None,
    branch: Annotated[str | None, typer.Option(help="Only sessions on this git branch.")] = None,
    cwd: Annotated[str | None, typer.Option(help="Only sessions in this folder or below.")] = None,
    since: Annotated[str | None, typer.Option(help="From this date or time on (ISO 8601, your zone).")] = None,
    until: Annotated[str | None, typer.Option(help="Until this time; a date includes its whole day.")] = None,
    layer: Annotated[str | None, typer.Option(help="curated, session or page.")] = None,
    type: Annotated[str | None, typer.Option(help="project, area, knowledge, decision, topic, source.")] = None,  # noqa: A002 - the option's name
    tag: Annotated[str | None, typer.Option(help="Only notes with this tag.")] = None,
    status: Annotated[str | None, typer.Option(help="current, superseded or draft.")] = None,
    limit: Annotated[int, typer.Option(help="At most so many hits (1 to 100).")] = 10,
    nearest: Annotated[bool, typer.Option("--nearest", help="Show what comes nearest where nothing answers.")] = False,
) -> None:
    """Search notes and conversations. Says so when there is nothing."""
    common: Common = ctx.obj
    opened, missing = _opened(common, query)
    from wwt_vault.operations import recall  # noqa: PLC0415 - see the package's docstring

    result = recall.search(
        opened,
        query,
        rephrased=rephrased or (),
        project=project,
        host=host,
        git_branch=branch,
        cwd=cwd,
        since=since,
        until=until,
        layer=layer,
        type=type,
        tag=tag,
        status=status,
        limit=limit,
        nearest=nearest,
        missing=missing,
    )
    emit(common, result, render.search)


def context(
    ctx: typer.Context,
    query: Annotated[str, typer.Argument(metavar="QUERY", help="The question or the task at hand.")],
    *,
    rephrased: _Rephrased = None,
    project: Annotated[str | None, typer.Option(help="Show the recent flow of this project too.")] = None,
    budget: Annotated[int, typer.Option(help="Tokens that the text may cost at most.")] = 1500,
    as_of: Annotated[str | None, typer.Option("--as-of", metavar="DATE", help="Answer as of this date.")] = None,
) -> None:
    """Show what an agent would be told. Notes, evidence and recent flow, with citations, within a budget."""
    common: Common = ctx.obj
    opened, missing = _opened(common, query)
    from wwt_vault.operations import recall  # noqa: PLC0415

    result = recall.context(
        opened,
        query,
        rephrased=rephrased or (),
        project=project,
        budget_tokens=budget,
        as_of=as_of,
        missing=missing,
    )
    emit(common, result, render.context)


def events(
    ctx: typer.Context,
    ids: Annotated[list[str], typer.Argument(metavar="ID", help="Event ids, as cited in notes.")],
    around: Annotated[int, typer.Option(help="Also so many messages before and after, of the same session.")] = 0,
) -> None:
    """Show messages word for word."""
    from wwt_vault.operations import conversations, workspace  # noqa: PLC0415

    common: Common = ctx.obj
    emit(common, conversations.read_events(workspace.open_workspace(common.vault), ids, around=around), render.events)


def record(
    ctx: typer.Context,
    host: Annotated[str, typer.Argument(metavar="HOST", help="Where the conversation took place.")],
    session_id: Annotated[str, typer.Argument(metavar="SESSION_ID", help="The conversation's id there.")],
    project: Annotated[str | None, typer.Option(help="The project it was about.")] = None,
) -> None:
    """Record messages from stdin. A JSON list of {role, text, time?}; the same message twice is kept once."""
    from wwt_vault.operations import conversations, workspace  # noqa: PLC0415

    common: Common = ctx.obj
    try:
        messages: Any = json.load(sys.stdin)
    except (ValueError, RecursionError) as error:
        raise BadArgument(f"stdin is not JSON: {error}. Give a list of {{role, text, time?}}.") from error
    opened = workspace.open_workspace(common.vault)
    result = conversations.record(opened, host, session_id, messages, project=project, now=datetime.now(UTC))
    emit(common, result, lambda found: f"Recorded {len(found['added'])}, known already {found['known']}.")


def observe(
    ctx: typer.Context,
    host: Annotated[str, typer.Option(help="Where the turn was said.")] = "chat",
    session_id: Annotated[
        str | None, typer.Option("--session", metavar="ID", help="The conversation's id there; else that of today.")
    ] = None,
    project: Annotated[str | None, typer.Option(help="The project it was about.")] = None,
) -> None:
    """Keep one turn, name what may be worth a note. Reads {user_message, assistant_response} from stdin."""
    from wwt_vault.operations import observing, workspace  # noqa: PLC0415

    common: Common = ctx.obj
    try:
        turn: Any = json.load(sys.stdin)
        said = [turn.get(key) or "" for key in ("user_message", "assistant_response")]
    except (ValueError, RecursionError, AttributeError) as error:
        raise BadArgument(f"stdin is no turn: {error}. Give {{user_message, assistant_response}} in JSON.") from error
    if not all(isinstance(text, str) for text in said):
        raise BadArgument("user_message and assistant_response must be texts.", argument="user_message")
    opened = workspace.open_workspace(common.vault)
    result = observing.observe(
        opened, said[0], said[1], host=host, session_id=session_id, project=project, now=datetime.now(UTC)
    )
    emit(common, result, render.observed)


def uncurated(
    ctx: typer.Context,
    project: _Project = None,
    limit: Annotated[int, typer.Option(help="At most so many sessions.")] = 20,
) -> None:
    """List sessions that wait to be curated, oldest first. Those with messages that no note cites yet."""
    from wwt_vault.operations import curation, workspace  # noqa: PLC0415

    common: Common = ctx.obj
    opened = workspace.open_workspace(common.vault)
    result = curation.uncurated(opened, project=project, limit=limit, now=datetime.now(UTC))
    emit(common, result, render.uncurated)


def mark_curated(
    ctx: typer.Context,
    host: Annotated[str, typer.Argument(metavar="HOST", help="Host of the session.")],
    session_id: Annotated[str, typer.Argument(metavar="SESSION_ID", help="Id of the session.")],
    *,
    upto: Annotated[str | None, typer.Option(metavar="ID", help="Up to this event; else the session's last.")] = None,
    gist: Annotated[str | None, typer.Option(help="The session in one line.")] = None,
    question: Annotated[list[str] | None, typer.Option(help="How you may ask for it later; may be repeated.")] = None,
) -> None:
    """Say that a session was read. What is worth keeping stands in notes."""
    from wwt_vault.operations import curation, workspace  # noqa: PLC0415

    common: Common = ctx.obj
    opened = workspace.open_workspace(common.vault)
    result = curation.mark_curated(
        opened, host, session_id, upto=upto, gist=gist, questions=question or (), now=datetime.now(UTC)
    )
    emit(common, result, render.marked)


def forget(
    ctx: typer.Context,
    ids: Annotated[list[str] | None, typer.Argument(metavar="EVENT", help="Event ids, as cited in notes.")] = None,
    session: Annotated[str | None, typer.Option(help="All of a session: its id, or the beginning of it.")] = None,
    reason: Annotated[
        str, typer.Option(help="Why; kept in the place of the words, so without them.")
    ] = "at the person's wish",
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Forget what was said. Takes the words out of vault, history, index and queue; it cannot be undone."""
    from wwt_vault.operations import forgetting, workspace  # noqa: PLC0415

    common: Common = ctx.obj
    opened = workspace.open_workspace(common.vault)
    if not yes:
        shown = forgetting.preview(opened, ids or [], session=session)
        for event in shown["events"]:
            say(f"{event['id']}  {event['role']}: {event['text']}")
        if not sys.stdin.isatty() or common.as_json:
            raise BadArgument("Forgetting cannot be undone: say --yes.", argument="yes")
        typer.confirm(f"Forget {counted(len(shown['events']), 'message')} for good?", abort=True, err=True)
    with progress("Indexing") as step:
        result = forgetting.forget(
            opened, ids or [], session=session, reason=reason, now=datetime.now(UTC), progress=step
        )
    emit(common, result, render.forgotten)


def _opened(common: Common, query: str) -> tuple[Workspace, list[str]]:
    """Open the vault and bring its index up to date, with a bar while that takes time; say what is still missing."""
    from wwt_vault.operations import workspace  # noqa: PLC0415

    opened = workspace.open_workspace(common.vault, question=query)
    from wwt_vault.operations import freshness  # noqa: PLC0415

    with progress("Indexing") as step:
        missing = freshness.catch_up(opened, _INDEX_SECONDS, progress=step)
    with progress("Embedding") as step:
        freshness.embed(opened, _EMBED_SECONDS, progress=step)
    return opened, missing
