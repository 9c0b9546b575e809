"""One function per tool: call the operation, keep the answer within bounds, render it as text and as structure.

Functions here run in worker threads. What they raise becomes a refusal in ``server``.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from mcp.types import CallToolResult

from wwt_vault.mcp_server import render
from wwt_vault.mcp_server.compat import compat_handlers
from wwt_vault.mcp_server.note_handlers import MAX_IDS, MAX_READ, answer, note_handlers
from wwt_vault.mcp_server.session import CLIENT, PROGRESS, Session
from wwt_vault.wording import counted

__all__ = ["handlers"]

Json = dict[str, Any]

BEING_ASKED: Final = timedelta(minutes=15)
"""A prompt this young without an answer may be the one that the agent is about to answer: no memory of anything."""
MAX_HIT: Final = 700
"""Characters shown of one hit: enough to judge it, ``wiki_read`` and ``wiki_read_events`` have the rest."""


def handlers(session: Session) -> dict[str, Callable[..., CallToolResult]]:
    """Return the functions behind the tools, by the tools' names."""

    def get_context(
        query: str,
        rephrased: list[str] | None = None,
        project: str | None = None,
        budget_tokens: int = 1500,
        as_of: str | None = None,
    ) -> CallToolResult:
        from wwt_vault.operations import recall  # noqa: PLC0415 - nothing heavy before the first call

        found = recall.context(
            session.workspace(),
            query,
            rephrased=rephrased or (),
            project=project,
            budget_tokens=budget_tokens,
            as_of=as_of,
            missing=session.catch_up(),
            open_since=datetime.now(UTC) - BEING_ASKED,
        )
        # The words are in the text once; here only what they are and where they lie.
        items = [{key: item[key] for key in ("kind", "path", "revision", "time")} for item in found["items"]]
        return answer(found["text"], {**found, "query": render.shortened(query, MAX_HIT), "items": items})

    def search(
        query: str,
        *,
        rephrased: list[str] | None = None,
        project: str | None = None,
        host: str | None = None,
        git_branch: str | None = None,
        cwd: str | None = None,
        since: str | None = None,
        until: str | None = None,
        layer: str | None = None,
        type: str | None = None,  # noqa: A002 - the argument's name
        tag: str | None = None,
        status: str | None = None,
        limit: int = 10,
        nearest: bool = False,
    ) -> CallToolResult:
        from wwt_vault.operations import recall  # noqa: PLC0415

        found = recall.search(
            session.workspace(),
            query,
            rephrased=rephrased or (),
            project=project,
            host=host,
            git_branch=git_branch,
            cwd=cwd,
            since=since,
            until=until,
            layer=layer,
            type=type,
            tag=tag,
            status=status,
            limit=limit,
            nearest=nearest,
            missing=session.catch_up(),
            open_since=datetime.now(UTC) - BEING_ASKED,
        )
        hits = [{**hit, "text": render.shortened(hit["text"], MAX_HIT)} for hit in found["hits"]]
        found["query"] = render.shortened(query, MAX_HIT)
        return answer(render.search({**found, "hits": hits}), {**found, "hits": hits, "trust": render.TRUST})

    def read_events(ids: list[str], around: int = 0) -> CallToolResult:
        from wwt_vault.operations import conversations  # noqa: PLC0415

        found = conversations.read_events(session.workspace(), ids, around=around, max_characters=MAX_READ)
        return answer(render.events(found), {**found, "trust": render.TRUST})

    def record(
        host: str, session_id: str, messages: list[dict[str, Any]], project: str | None = None
    ) -> CallToolResult:
        from wwt_vault.operations import conversations  # noqa: PLC0415

        kept = conversations.record(
            session.workspace(),
            host,
            session_id,
            messages,
            project=project,
            said_in=session.folder,
            now=datetime.now(UTC),
            progress=PROGRESS.get(),
        )
        lines = [
            f"Recorded {counted(len(kept['added']), 'message')}, {kept['known']} were there already.",
            *kept["added"],
        ]
        return answer("\n".join(lines), kept)

    def observe(
        user_message: str,
        assistant_response: str,
        host: str | None = None,
        session_id: str | None = None,
        project: str | None = None,
    ) -> CallToolResult:
        from wwt_vault.operations import observing  # noqa: PLC0415

        found = observing.observe(
            session.workspace(),
            user_message,
            assistant_response,
            host=host or CLIENT.get(),
            session_id=session_id,
            project=project,
            missing=session.catch_up(),
            now=datetime.now(UTC),
        )
        return answer(render.observed(found), {**found, "trust": render.TRUST})

    def uncurated(project: str | None = None, limit: int = 10) -> CallToolResult:
        from wwt_vault.operations import curation  # noqa: PLC0415

        found = curation.uncurated(session.workspace(), project=project, limit=limit, now=datetime.now(UTC))
        text = render.uncurated(found)
        left = MAX_IDS
        for waiting in found["sessions"]:
            waiting["events"] = waiting["events"][:left]
            left -= len(waiting["events"])
        return answer(text, found)

    def mark_curated(
        host: str,
        session_id: str,
        upto: str | None = None,
        gist: str | None = None,
        questions: list[str] | None = None,
    ) -> CallToolResult:
        from wwt_vault.operations import curation  # noqa: PLC0415

        done = curation.mark_curated(
            session.workspace(),
            host,
            session_id,
            upto=upto,
            gist=gist,
            questions=questions or (),
            now=datetime.now(UTC),
        )
        return answer(
            "\n".join([f"{host} {session_id} is curated up to {done['upto']}.", *render.wanted(done, "it")]), done
        )

    def status() -> CallToolResult:
        from wwt_vault.operations import upkeep  # noqa: PLC0415

        found = upkeep.status(session.workspace(), now=datetime.now(UTC))
        return answer(render.status(found), found)

    about_notes = note_handlers(session)
    return {
        "wiki_get_context": get_context,
        "wiki_search": search,
        "wiki_read": about_notes["wiki_read"],
        "wiki_read_events": read_events,
        "wiki_save_note": about_notes["wiki_save_note"],
        "wiki_related": about_notes["wiki_related"],
        "wiki_history": about_notes["wiki_history"],
        "wiki_record": record,
        "wiki_observe": observe,
        "wiki_uncurated": uncurated,
        "wiki_mark_curated": mark_curated,
        "wiki_status": status,
        **compat_handlers(session, search, answer),
    }
