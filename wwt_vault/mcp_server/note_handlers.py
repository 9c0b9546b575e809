"""The tools about notes: read, save, related, history. As in ``handlers``."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, Final

from mcp.types import CallToolResult, TextContent

from wwt_vault.mcp_server import render
from wwt_vault.mcp_server.session import CLIENT, Session

__all__ = ["MAX_READ", "answer", "note_handlers"]

MAX_READ: Final = 40_000
"""Characters of one note or one set of events that a tool returns; hosts cut longer results in the middle."""
MAX_SECTIONS: Final = 100
MAX_IDS: Final = 500
"""Event ids in one result, each some 15 tokens."""
MAX_REVISIONS: Final = 50
"""Revisions of a note that are listed, the newest; ``wwt note history`` has all of them."""
MAX_DIFF: Final = 400
"""Lines of a diff."""


def note_handlers(session: Session) -> dict[str, Callable[..., CallToolResult]]:
    """Return the functions behind the tools about notes, by the tools' names."""

    def read(note: str, section: str | None = None, evidence: bool = False) -> CallToolResult:
        from wwt_vault.operations import evidence as proofs  # noqa: PLC0415
        from wwt_vault.operations import notes  # noqa: PLC0415

        session.catch_up()
        found = notes.read_note(session.workspace(), note, section=section, max_characters=MAX_READ, newer=True)
        found["sections"], found["events"] = found["sections"][:MAX_SECTIONS], found["events"][:MAX_IDS]
        if evidence:
            words = proofs.claims_of(session.workspace(), note, max_characters=MAX_READ)
            found |= {"claims": words["claims"]}
        return answer(render.note(found), {**found, "trust": render.TRUST})

    def save_note(
        note: str,
        *,
        body: str | None = None,
        sections: dict[str, str] | None = None,
        append: dict[str, str] | None = None,
        history: str | None = None,
        revision: str | None = None,
        type: str | None = None,  # noqa: A002 - the argument's name
        status: str | None = None,
        relations: dict[str, list[str]] | None = None,
        project: str | None = None,
        questions: list[str] | None = None,
        reason: str | None = None,
        origin: str | None = None,
        verification: str | None = None,
    ) -> CallToolResult:
        from wwt_vault.operations import notes, sources  # noqa: PLC0415

        by, now = CLIENT.get(), datetime.now(UTC)
        if type == "source" or origin or verification:
            others = {"sections": sections, "append": append, "history": history, "relations": relations}
            named = [name for name, value in others.items() if value]
            named += [name for name, value in (("status", status), ("questions", questions)) if value]
            found = sources.save(
                session.workspace(),
                note,
                type=type,
                body=body,
                origin=origin,
                verification=verification,
                project=project,
                revision=revision,
                others=named,
                written_by=by,
                now=now,
            )
            return answer(render.source(found), found)
        saved = notes.save_note(
            session.workspace(),
            note,
            body=body,
            sections=sections,
            append=append,
            history=history,
            revision=revision,
            type=type,
            status=status,
            relations=relations,
            project=project,
            questions=questions,
            reason=reason,
            missing=session.catch_up() if body or sections or append or not revision else None,
            written_by=by,
            now=now,
        )
        return answer(render.saved(saved), saved)

    def related(note: str, depth: int = 1, kinds: list[str] | None = None) -> CallToolResult:
        from wwt_vault.operations import relations  # noqa: PLC0415

        found = relations.related(session.workspace(), note, depth=depth, kinds=kinds or ())
        return answer(render.related(found), {**found, "trust": render.TRUST})

    def history(note: str, old: str | None = None, new: str | None = None, as_of: str | None = None) -> CallToolResult:
        from wwt_vault.operations import notes  # noqa: PLC0415

        workspace = session.workspace()
        found = notes.history(workspace, note)
        found["revisions"] = found["revisions"][:MAX_REVISIONS]
        if old or new:
            found |= notes.diff(workspace, note, old=old, new=new, max_lines=MAX_DIFF)
        if as_of:
            found["then"] = notes.read_note(workspace, note, as_of=as_of, max_characters=MAX_READ)
        return answer(render.history(found), {**found, "trust": render.TRUST})

    return {"wiki_read": read, "wiki_save_note": save_note, "wiki_related": related, "wiki_history": history}


def answer(text: str, structured: dict[str, Any]) -> CallToolResult:
    """Return a result as text and as structure."""
    return CallToolResult(content=[TextContent(type="text", text=text)], structured_content=structured)
