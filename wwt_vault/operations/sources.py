"""The verbs about documents from outside: bring one, and write down how far it was checked."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, get_args

from wwt_vault import markdown
from wwt_vault.capture.redact import redact, without_secrets
from wwt_vault.errors import BadArgument
from wwt_vault.model.knowledge import SavedNote
from wwt_vault.operations.moments import moment
from wwt_vault.operations.workspace import Workspace
from wwt_vault.vault import notes, sources
from wwt_vault.vault.sources import Verification

__all__ = ["add_source", "save", "verify_source"]

Json = dict[str, Any]


def add_source(
    workspace: Workspace,
    title: str,
    text: str,
    *,
    origin: str,
    retrieved: str | None = None,
    project: str | None = None,
    tags: Sequence[str] = (),
    revision: str | None = None,
    written_by: str,
    now: datetime,
) -> Json:
    """Keep a document as a note of type source, or its newer text with the ``revision`` that was read.

    Secrets are taken out first. ``retrieved`` is when it was fetched from ``origin``, ISO 8601 in the person's zone,
    now if left out. Returns ``{path, id, revision, created, title, citation, verification, redactions, also_changed}``;
    ``citation`` is what a fact writes beside its event. Raises as ``vault.sources.save_source``.
    """
    vault = workspace.vault
    text, redactions = redact(text)
    when = moment(retrieved, vault.zone, "retrieved") if retrieved else now
    saved = sources.save_source(
        vault,
        title=title if revision else without_secrets(title),
        text=text,
        origin=redact(origin)[0],
        retrieved=when.astimezone(vault.zone).date(),
        written_by=written_by,
        at=now,
        locks=workspace.state.locks,
        project=None if project is None else without_secrets(project),
        tags=[without_secrets(tag) if isinstance(tag, str) else tag for tag in tags],
        revision=revision,
    )
    last = notes.history(vault, saved.path)[-1].time
    return {
        **_shown(saved),
        "created": not revision and last is not None and abs((now - last).total_seconds()) < 0.002,
        "redactions": [{"kind": kind, "count": count} for kind, count in redactions],
    }


def save(
    workspace: Workspace,
    note: str,
    *,
    type: str | None,  # noqa: A002 - the property's name
    body: str | None,
    origin: str | None,
    verification: str | None,
    others: Sequence[str] = (),
    written_by: str,
    now: datetime,
    **more: Any,
) -> Json:
    """Do what an agent asks for with the arguments of a note: bring a source, or say how far one was checked.

    ``others`` are arguments that it gave and that no source has; ``more`` are those of ``add_source``. Raises
    ``BadArgument`` for arguments that do not go together.
    """
    if type not in ("source", None) or others:
        message = f"origin and verification are a source's: type source, without {', '.join(others) or 'another type'}"
        raise BadArgument(message, argument="type")
    if verification is not None:
        if body is not None or origin is not None:
            raise BadArgument("Give verification of a source that is there, alone.", argument="verification")
        return {**verify_source(workspace, note, state=verification, by=written_by, now=now), "wanted": []}
    if body is None or type is None:
        raise BadArgument("A source has type source, a body and an origin.", argument="body")
    added = add_source(workspace, note, body, origin=origin or "", written_by=written_by, now=now, **more)
    return {**added, "wanted": []}  # of a source nothing is asked


def verify_source(workspace: Workspace, note: str, *, state: str, by: str, now: datetime) -> Json:
    """Write down that a source is ``unverified``, ``checked`` or ``disputed``, by whom, today.

    The facts that cite it show it from then on. Returns ``{path, id, revision, created, title, citation, verification,
    verified_by, verified_at, also_changed}``: the notes whose footnotes say something else now. Raises as
    ``vault.sources.verify_source``.
    """
    states: dict[str, Verification] = {one: one for one in get_args(Verification)}
    if state not in states:
        raise BadArgument(f"verification is one of {', '.join(states)}, not {state!r}", argument="verification")
    saved = sources.verify_source(
        workspace.vault, note, state=states[state], by=by, at=now, locks=workspace.state.locks
    )
    values = _properties(saved)
    by_whom = {key: markdown.string(values, key) for key in ("verified_by", "verified_at")}
    return {**_shown(saved), "created": False, **by_whom}


def _shown(saved: SavedNote) -> Json:
    return {
        "path": saved.path,
        "id": saved.id,
        "revision": saved.revision,
        "title": saved.title,
        "citation": f"[^source-{saved.id}]",
        "verification": markdown.string(_properties(saved), "verification"),
        "also_changed": list(saved.also_changed),
    }


def _properties(saved: SavedNote) -> dict[str, Any]:
    return dict(markdown.read_frontmatter(markdown.split(saved.text), saved.path).values)
