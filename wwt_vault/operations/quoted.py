"""What a context quotes: documents as they are, or notes as they were on a day, with what their properties say."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Final, NamedTuple

from wwt_vault import markdown
from wwt_vault.context.trim import worth
from wwt_vault.errors import NotFound, WwtError
from wwt_vault.index.passages import drafts
from wwt_vault.model.conversation import DocumentId
from wwt_vault.model.knowledge import Document, Hit
from wwt_vault.operations.workspace import Workspace
from wwt_vault.vault import documents, lookup, notes, revisions, timeline
from wwt_vault.vault.lookup import NoteHead

__all__ = ["Quoted", "Reader", "quoted_now", "quoted_then", "then_hits"]

_ENOUGH: Final = 0.5
"""Share of a question's words, weighed by rarity, that an earlier text must hold to be an answer."""
_LOOKED_AT: Final = 400
"""Notes changed since a day whose text of that day is looked at, those changed last."""


class Quoted(NamedTuple):
    """A document and its properties."""

    document: Document
    head: NoteHead | None
    """Of a curated note."""


Reader = Callable[[DocumentId], Quoted | None]
"""``None`` for a document that is gone meanwhile, or was not there yet."""


def quoted_now(workspace: Workspace, name: DocumentId) -> Quoted | None:
    """Return a document as it is."""
    try:
        document = documents.load_document(workspace.vault, name)
        text = notes.read_note(workspace.vault, name).text if document.layer == "curated" else ""
    except (WwtError, OSError):
        return None
    return Quoted(document, _head(name, text) if text else None)


def quoted_then(workspace: Workspace, name: DocumentId, when: datetime) -> Quoted | None:
    """Return a note as it was at ``when``; anything that is no curated note as it is.

    So it is with a note that this program never wrote: its own account of its date is all there is.
    """
    now = quoted_now(workspace, name)
    if now is None or now.head is None or now.head.id is None:
        return now
    try:
        then = timeline.as_of(workspace.vault, name, when)
        if then is None and not revisions.read_records(workspace.vault, now.head.id):
            return now
    except (WwtError, OSError):
        return None
    if then is None:
        return None
    written = then.record.time or now.document.time or when
    return Quoted(documents.document_from(workspace.vault, name, then.text, written), _head(name, then.text))


def _head(name: DocumentId, text: str) -> NoteHead:
    return lookup.head_from(name, markdown.read_frontmatter(markdown.split(text), name).values)


def then_hits(
    workspace: Workspace, hits: list[Hit], asked: Sequence[Mapping[str, float]], when: datetime, read: Reader
) -> list[Hit]:
    """Return what was to be found on a day: hits whose notes said something else then are put right.

    Notes that changed since are looked at as well: what they said then is not in the index. Notes come first.
    ``asked`` are the words of each wording of the question, with their weights; ``read`` gives documents as they were.
    """
    changed = [
        (entry.time, name)
        for name, entry in workspace.ledger.snapshot().items()
        if entry.layer == "curated" and entry.time is not None and entry.time >= when
    ]
    known = {hit.passage.document for hit in hits if hit.passage.layer == "curated"}
    found: list[Hit] = []
    for name in dict.fromkeys([*sorted(known), *(name for _, name in sorted(changed, reverse=True)[:_LOOKED_AT])]):
        own = [hit for hit in hits if hit.passage.document == name]
        quoted = read(name)
        if quoted is None or quoted.document.layer != "curated":
            continue
        if own and _is_as_now(workspace, quoted):
            found += own
            continue
        passages = [draft.passage for draft in drafts(quoted.document, workspace.vault.zone)]
        shares = [_share(f"{passage.title} {passage.heading} {passage.text}", asked) for passage in passages]
        best = max(shares)
        if own or best >= _ENOUGH:
            score = max((hit.score for hit in own), default=best)
            for share, passage in sorted(zip(shares, passages, strict=True), key=lambda pair: -pair[0])[:2]:
                why = f"words: {share:.0%} of the question's"
                found.append(Hit(passage=passage, score=score, keyword_score=0.0, meaning_score=None, why=why))
    found.sort(key=lambda hit: -hit.score)
    return [*found, *(hit for hit in hits if hit.passage.layer != "curated")]


def _share(text: str, asked: Sequence[Mapping[str, float]]) -> float:
    """Return how much a text holds of the wording of which it holds most."""
    return max((worth(text, terms) / sum(terms.values()) for terms in asked), default=0.0)


def _is_as_now(workspace: Workspace, quoted: Quoted) -> bool:
    try:
        return notes.read_note(workspace.vault, quoted.document.id).revision == quoted.document.revision
    except (NotFound, OSError):
        return False
