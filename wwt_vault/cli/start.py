"""Commands that begin something: a vault, the hosts, an import, the server, the demo."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

import typer

from wwt_vault.cli import render
from wwt_vault.cli.output import Common, emit, is_attended, progress, say, stopped_by_signal
from wwt_vault.errors import IndexUnavailable

__all__ = ["register"]

_FAILED, _REFUSED = 1, 3


def register(app: typer.Typer, epilog: str) -> None:
    """Add the commands to ``app``."""
    for command in (init, setup, ingest, serve, demo):
        app.command(epilog=epilog)(command)


def init(
    ctx: typer.Context,
    path: Annotated[Path, typer.Argument(metavar="PATH", help="The folder to become a vault; may hold one already.")],
    lang: Annotated[str, typer.Option(help="Language of the template: en or ko.")] = "en",
    timezone: Annotated[
        str | None, typer.Option(help="Zone of dates in it, such as Asia/Seoul; else this machine's.")
    ] = None,
    events_folder: Annotated[
        str | None, typer.Option(metavar="FOLDER", help="Keep the messages in this visible folder, such as 90_Events.")
    ] = None,
) -> None:
    """Make a vault. It becomes the one that wwt uses if there is none yet."""
    from wwt_vault.operations import beginnings  # noqa: PLC0415 - see the package's docstring

    done = beginnings.init(path, lang=lang, timezone=timezone, events_folder=events_folder)
    emit(ctx.obj, done, render.init)


def setup(
    ctx: typer.Context,
    *,
    host: Annotated[list[str] | None, typer.Option(help="Only this host; may be repeated.")] = None,
    remove: Annotated[bool, typer.Option("--remove", help="Take out all that setup put in.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would change, change nothing.")] = False,
    rule: Annotated[
        bool | None,
        typer.Option("--rule/--no-rule", help="Write the memory rule into the agents' instructions, or take it out."),
    ] = None,
    exclude: Annotated[
        list[Path] | None,
        typer.Option(metavar="FOLDER", help="Capture nothing in this folder and below; may be repeated."),
    ] = None,
    include: Annotated[
        list[Path] | None, typer.Option(metavar="FOLDER", help="Capture in this excluded folder again.")
    ] = None,
    show: Annotated[
        bool, typer.Option("--print", help="Print the MCP server as JSON for any other client, change nothing.")
    ] = False,
) -> None:
    """Connect the hosts, import and index what they still have.

    Registers hooks and MCP server in each, by changes that are merged into its settings and can be taken out again.
    """
    from wwt_vault.operations import beginnings  # noqa: PLC0415

    common: Common = ctx.obj
    if show:
        emit(common._replace(as_json=True), beginnings.server_for_any_client(), render.setup)
        return
    chosen = host or []
    if rule is None and not (remove or dry_run or common.as_json) and is_attended():
        rule = _agrees(beginnings.files_for_rule(chosen))
        if rule is False:
            beginnings.decline_rule()
            rule = None  # where it stands already, the person wanted it
    with progress("Importing", in_bytes=True) as step:
        result = beginnings.setup(
            common.vault,
            hosts=chosen,
            remove=remove,
            dry_run=dry_run,
            rule=rule,
            exclude=exclude or [],
            include=include or [],
            progress=step,
            tell=say,
        )
    if not (remove or dry_run):
        from wwt_vault.operations import freshness, workspace  # noqa: PLC0415

        with progress("Indexing") as step, suppress(IndexUnavailable):  # the next search tries again, and says so
            opened = workspace.open_workspace(result["vault"])
            freshness.refresh(opened, seconds=None, progress=step)
    emit(common, result, render.setup)
    if any(entry["refused"] for entry in result["hosts"]):
        raise typer.Exit(_REFUSED)
    if any("failed" in (entry["hooks"], entry["mcp"]) for entry in result["hosts"]):
        raise typer.Exit(_FAILED)


def _agrees(found: Mapping[str, Any]) -> bool | None:
    """Ask whether the memory rule may be written; ``None`` when there is no file to ask about."""
    if not found["files"]:
        return None
    say("The memory rule tells your agents when to search the vault:\n")
    say("\n".join(f"  {line}".rstrip() for line in found["rule"].splitlines()))
    say("\nIt would be written, as a marked block that `wwt setup --no-rule` takes out again, into:")
    say("\n".join(f"  {name}" for name in found["files"]))
    return typer.confirm("Write it?", default=None, err=True)


def ingest(
    ctx: typer.Context,
    paths: Annotated[list[Path], typer.Argument(metavar="PATH", help="Transcripts, folders of them, or zips.")],
    host: Annotated[str | None, typer.Option(help="The host that wrote them; else it is recognised.")] = None,
    watch: Annotated[bool, typer.Option("--watch", help="Go on with what is added to them, until Ctrl-C.")] = False,
) -> None:
    """Import transcripts and exports. What is known already is left alone."""
    from wwt_vault.operations import conversations, following, workspace  # noqa: PLC0415

    common: Common = ctx.obj
    opened = workspace.open_workspace(common.vault)
    with progress("Importing", in_bytes=True) as step:
        if watch:
            with stopped_by_signal() as stop:
                result = following.follow(opened, paths, host=host, stop=stop, tell=_tell, progress=step)
        else:
            result = conversations.ingest(opened, paths, host=host, progress=step)
    emit(common, result, render.ingest)
    if result["skipped"] and not result["events_added"] + result["events_known"]:
        raise typer.Exit(_FAILED)  # what was named holds nothing that could be read


def _tell(found: Mapping[str, Any]) -> None:
    """Say what a round of ``--watch`` brought."""
    now = datetime.now().astimezone().strftime("%H:%M:%S")
    for line in render.ingest(found).splitlines():
        say(f"{now} {line}")


def serve(
    ctx: typer.Context,
    *,
    compat: Annotated[bool, typer.Option("--compat", help="List the tools of whatwasthat too.")] = False,
    http: Annotated[bool, typer.Option("--http", help="Over HTTP, for apps that cannot start a program.")] = False,
    host: Annotated[str, typer.Option(metavar="ADDRESS", help="With --http: listen there.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="With --http: listen on this port; 0 takes a free one.")] = 7633,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="With --http: the name of your tunnel or proxy; may be repeated."),
    ] = None,
    allow_origin: Annotated[
        list[str] | None,
        typer.Option(metavar="URL", help="With --http: a web page that may call from a browser; may be repeated."),
    ] = None,
) -> None:
    """Serve the MCP tools. Hosts start this themselves, over stdin and stdout."""
    from wwt_vault import mcp_server  # noqa: PLC0415

    common: Common = ctx.obj
    if http:
        hosts, origins = allow_host or [], allow_origin or []
        mcp_server.serve_http(common.vault, host=host, port=port, hosts=hosts, origins=origins, compat=compat)
    else:
        mcp_server.serve(common.vault, compat=compat)


def demo(
    ctx: typer.Context,
    keep: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Make the vault in this folder, not in a temporary one.")
    ] = None,
) -> None:
    """Show the whole way in two minutes. Sample conversations, index, MCP server, three questions."""
    from wwt_vault.demo import run  # noqa: PLC0415

    common: Common = ctx.obj
    result = run(keep, bar=progress, tell=say if common.as_json else typer.echo)
    emit(common, result, render.demo)
