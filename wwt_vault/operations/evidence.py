"""The verb that leads from what a note claims to the very words, and to the sources beside them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import tzinfo
from typing import Any

from wwt_vault.operations.moments import shown
from wwt_vault.operations.workspace import Workspace
from wwt_vault.vault import check, claims, notes
from wwt_vault.vault.claims import Claim, Said

__all__ = ["claims_of", "verify"]

Json = dict[str, Any]


def verify(workspace: Workspace, only: Sequence[str] = (), *, note: str | None = None) -> Json:
    """Recompute hashes and follow citations. Returns ``{events, notes, citations, problems}``.

    ``only`` limits it to some notes. With ``note`` it is that one, and there are ``claims`` too, as ``claims_of``
    returns them. Raises ``NotFound``, ``Ambiguous``, ``PathEscapes``.
    """
    names = [note] if note else list(only)
    report = check.check_vault(workspace.vault, names or None)
    found: Json = {
        "events": report.events,
        "notes": report.notes,
        "citations": report.citations,
        "problems": [problem._asdict() for problem in report.problems],
    }
    return {**found, **claims_of(workspace, note)} if note else found


def claims_of(workspace: Workspace, note: str, *, max_characters: int | None = None) -> Json:
    """Return ``{path, id, revision, claims, truncated}``: each statement of a note with the words that it rests on.

    A claim is ``{line, heading, text, is_fact, supported, said, sources}``; ``said`` has ``{event, role, host, time,
    path, text, problem}`` for each event that it cites, ``sources`` what is known of the documents that it cites.
    ``max_characters`` bounds the words in all: of what is beyond it, ``text`` is ``None``. Raises ``NotFound``,
    ``Ambiguous``, ``PathEscapes``.
    """
    there = notes.read_note(workspace.vault, note)
    zone = workspace.vault.zone
    left = max_characters
    shown_claims: list[Json] = []
    truncated = False
    for claim in claims.claims(workspace.vault, there.path):
        entry = _claim(claim, zone)
        for words in entry["said"]:
            if left is not None and words["text"]:
                if len(words["text"]) > left:
                    words["text"], truncated = None, True
                else:
                    left -= len(words["text"])
        shown_claims.append(entry)
    return {
        "path": there.path,
        "id": there.id,
        "revision": there.revision,
        "claims": shown_claims,
        "truncated": truncated,
    }


def _claim(claim: Claim, zone: tzinfo) -> Json:
    return {
        "line": claim.line,
        "heading": claim.heading,
        "text": claim.text,
        "is_fact": claim.is_fact,
        "supported": claim.supported,
        "said": [_said(said, zone) for said in claim.said],
        "sources": [source._asdict() for source in claim.sources],
    }


def _said(said: Said, zone: tzinfo) -> Json:
    return {**said._asdict(), "time": shown(said.time, zone)}
