"""Before a note is written: the notes that already say so, or say otherwise, and the answer that is asked for.

A new note is compared as a whole. Of a note that changes only what is new in it is, and only a contradiction counts:
that two notes share a fact is no reason to hold a change back.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

from wwt_vault import markdown
from wwt_vault.curate import similar
from wwt_vault.errors import IndexUnavailable, SimilarNotes, VaultError, WwtError
from wwt_vault.fence import single_line
from wwt_vault.markdown import read_link
from wwt_vault.model.conversation import DocumentId
from wwt_vault.operations.freshness import catch_up, embed
from wwt_vault.operations.workspace import Workspace
from wwt_vault.vault import layout, notes
from wwt_vault.vault.files import overwrite
from wwt_vault.vault.lookup import RELATIONS
from wwt_vault.vault.relations import FORWARD

__all__ = ["ask_before_change", "ask_first", "similar_notes"]

Json = dict[str, Any]

_VECTOR_SECONDS: Final = 1.0
_LITTLE: Final = 48
"""Passages without a vector that are given one first: without, a note of a moment ago is known by its words only."""
_EXCERPT: Final = 200
_REMEMBERED: Final = 200
"""Titles whose similar notes are known to have been shown."""


def similar_notes(
    workspace: Workspace,
    title: str,
    claims: Sequence[str],
    *,
    leave_out: Sequence[DocumentId] = (),
    missing: Sequence[str] | None = None,
) -> list[Json]:
    """Return notes that say the same as ``claims`` or otherwise: ``{path, id, revision, title, kind, claim, theirs,
    why}``, kinds ``contradiction``, ``duplicate``, ``same_subject``.

    ``leave_out`` are notes that are not asked about. ``missing`` is what ``catch_up`` returned to a caller that has
    called it.
    """
    if missing is None:
        catch_up(workspace)
    status = workspace.index.status()
    if 0 < status.passages - status.embedded <= _LITTLE:
        with suppress(IndexUnavailable):
            embed(workspace, _VECTOR_SECONDS)
    found = []
    for signal in similar.find(workspace.index, title, claims, leave_out=leave_out):
        try:
            note = notes.read_note(workspace.vault, signal.path)
        except (WwtError, OSError):
            continue  # gone meanwhile
        found.append(
            {
                "path": note.path,
                "id": note.id,
                "revision": note.revision,
                "title": single_line(signal.title, _EXCERPT),
                "kind": signal.kind,
                "claim": single_line(signal.claim, _EXCERPT),
                "theirs": single_line(signal.theirs, _EXCERPT),
                "why": single_line(signal.why, _EXCERPT),
            }
        )
    return found


def ask_first(
    workspace: Workspace,
    note: str,
    body: str,
    *,
    relations: Mapping[str, Sequence[str]] | None,
    reason: str | None,
    missing: Sequence[str] | None = None,
) -> None:
    """Refuse a new note while there are similar ones that its writer has not answered for.

    A relation to such a note answers for it. A reason does once the notes have been shown: given before, it is none for
    them. Raises ``SimilarNotes``.
    """
    title = note.rpartition("/")[2].removesuffix(".md")
    found = similar_notes(workspace, title, similar.claims_of(body), missing=missing)
    if any(_key(one["path"]) == _key(title) for one in found):
        return  # a note of that very name is refused as such
    _ask(workspace, title, found, relations or {}, reason)


def ask_before_change(
    workspace: Workspace,
    note: str,
    body: str,
    *,
    revision: str,
    relations: Mapping[str, Sequence[str]] | None,
    reason: str | None,
    missing: Sequence[str] | None = None,
) -> None:
    """Refuse a change while a claim that is new in it contradicts another note that its writer has not answered for.

    Answers as for ``ask_first``; a relation that the note has already is one. Raises ``SimilarNotes``.
    """
    try:
        there = notes.read_note(workspace.vault, note)
    except WwtError:
        return  # the save refuses it, and says where the note is now
    if there.revision != revision:
        return  # the save refuses it as stale
    parts = markdown.split(there.text)
    known = set(similar.claims_of(parts.body))
    new = [claim for claim in similar.claims_of(body) if claim not in known]
    if not new:
        return
    near = similar_notes(workspace, there.title, new, leave_out=[there.path], missing=missing)
    found = [one for one in near if one["kind"] == "contradiction"]
    values = markdown.read_frontmatter(parts, there.path).values
    has = {kind: markdown.strings(values, kind) for kind in (*RELATIONS, FORWARD)}
    refs = {kind: [*has.get(kind, ()), *(relations or {}).get(kind, ())] for kind in {*has, *(relations or {})}}
    _ask(workspace, there.title, found, refs, reason)


def _ask(
    workspace: Workspace,
    title: str,
    found: Sequence[Json],
    relations: Mapping[str, Sequence[str]],
    reason: str | None,
) -> None:
    linked = {_key(ref) for refs in relations.values() for ref in refs}
    found = [
        one for one in found if not linked & {_key(one["path"]), _key(one["title"]), _key(one["id"] or one["path"])}
    ]
    if not found:
        return
    shown = _Shown(workspace)
    ids = [one["id"] or one["path"] for one in found]
    if reason and reason.strip() and set(ids) <= shown.of(title):
        return
    shown.add(title, ids)
    first = found[0]
    does = {"contradiction": "may contradict", "duplicate": "says the same as", "same_subject": "has the subject of"}
    raise SimilarNotes(
        f"Nothing was written: this {does[first['kind']]} {first['path']}. Update that note (read it, save with its "
        "revision), name it in relations, or save again with a reason why both notes stand.",
        similar=found,
    )


class _Shown:
    """Which similar notes a writer has been shown for a title; in the state folder, and no loss when it is gone."""

    def __init__(self, workspace: Workspace) -> None:
        self._path = workspace.state.root / "similar.json"
        try:
            table = json.loads(self._path.read_bytes())
            self._ids = {str(key): [str(each) for each in ids] for key, ids in table.items()}
        except (OSError, ValueError, AttributeError, TypeError):
            self._ids = {}

    def of(self, title: str) -> set[str]:
        """Return the ids that were shown for a title."""
        return set(self._ids.get(_key(title), ()))

    def add(self, title: str, ids: Sequence[str]) -> None:
        """Remember them; failing that, the writer is asked once more."""
        known = self._ids.pop(_key(title), [])
        self._ids[_key(title)] = list(dict.fromkeys((*known, *ids)))
        kept = dict(list(self._ids.items())[-_REMEMBERED:])
        data = json.dumps(kept, ensure_ascii=False).encode("utf-8", "replace")
        with suppress(VaultError):
            overwrite(self._path, data, private=True, durable=False)


def _key(ref: str) -> str:
    link = read_link(ref)
    return layout.name_key((link.target if link else ref).removesuffix(".md").rpartition("/")[2])
