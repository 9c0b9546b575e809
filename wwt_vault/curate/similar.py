"""Which notes already say what a text is about to say, or say otherwise. Deterministic, local, and never a merge.

Candidates are found by meaning and by words; each of their claims is then compared with each of the text's by rule
(``comparing``). Notes that were superseded are left out: what they said no longer holds.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from wwt_vault.curate.comparing import Comparison, Statement, compare, statement
from wwt_vault.curate.values import differing, values
from wwt_vault.model.conversation import DocumentId
from wwt_vault.model.knowledge import Filters, Passage

if TYPE_CHECKING:
    from wwt_vault.index import Index

__all__ = ["Signal", "claims_of", "find"]

_CLAIMS: Final = 8
"""Claims of a text that are looked at, and of a passage: what a note is about stands first."""
_LONGEST: Final = 600
"""Characters of a claim that are looked at."""
_POOL: Final = 6
"""Passages taken from each side for each claim."""
_MOST: Final = 5
_FEW: Final = 2
"""Claims in a passage up to which its meaning is taken for that of each."""
_SAME_TITLE: Final = 0.8
_CURATED: Final = Filters(layer="curated")

_FOOTNOTE: Final = re.compile(r"^\[\^[^\]\n]+\]:.*$|\[\^[^\]\n]+\]", re.MULTILINE)
_HEADING: Final = re.compile(r"^#{1,6}\s+(.*?)\s*#*$", re.MULTILINE)
_BULLET: Final = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+")
_END: Final = re.compile(r"(?<=[.!?。])\s+")
_NO_CLAIM: Final = re.compile(r"history|open questions|questions|sources|이력|열린 질문|질문|출처|변경", re.IGNORECASE)
"""Headings under which nothing is claimed to hold now."""


class Signal(NamedTuple):
    """A note that stands in the way of saving another."""

    path: DocumentId
    title: str
    kind: Literal["contradiction", "duplicate", "same_subject"]
    claim: str
    """What the new text says; empty where only the titles are alike."""
    theirs: str
    """What the note says."""
    why: str
    """For people: what differs, or how alike they are."""


def claims_of(text: str) -> list[str]:
    """Return what a Markdown text claims: its bullets, and the sentences outside of them; citations left out.

    >>> claims_of("We use ssh. No passwords.\\n\\n## Facts\\n- by keys [^a]\\n\\n## History\\n- was rsh")
    ['We use ssh.', 'No passwords.', 'by keys']
    """
    found: list[str] = []
    counts = True
    for line in _FOOTNOTE.sub("", text).splitlines():
        heading = _HEADING.match(line)
        if heading:
            counts = not _NO_CLAIM.fullmatch(heading[1])
        elif counts and line.strip():
            bare = _BULLET.sub("", line).strip()
            parts = [bare] if bare != line.strip() else _END.split(bare)
            found += [part[:_LONGEST] for part in parts if any(map(str.isalpha, part))]
    return found


def find(index: Index, title: str, claims: Sequence[str], *, leave_out: Iterable[DocumentId] = ()) -> list[Signal]:
    """Return the notes that say the same or otherwise, contradictions first; at most five.

    ``claims`` as of ``claims_of``; without any the title is the claim. What was only said has no title.
    ``leave_out`` are notes that are not asked about: the one that is being changed.
    """
    out = set(leave_out)
    chosen = list(claims)[:_CLAIMS] or [title]
    found: dict[DocumentId, list[tuple[str, str, Comparison]]] = {}
    titles: dict[DocumentId, str] = {}
    taken: dict[str, list[tuple[str, Statement]]] = {}
    for claim in chosen:
        mine = statement(f"{title}\n{claim}")
        for passage, near in _candidates(index, title, claim):
            if passage.document in out or passage.status == "superseded":
                continue
            titles[passage.document] = passage.title
            if passage.id not in taken:
                taken[passage.id] = [(text, statement(f"{passage.title}\n{text}")) for text in _claims_in(passage)]
            theirs = taken[passage.id]
            for text, other in theirs:
                if _is_series(title, claim, passage.title, text):
                    continue
                result = compare(mine, other, near if len(theirs) <= _FEW else None)
                if result.kind != "other":
                    found.setdefault(passage.document, []).append((claim, text, result))
    signals = [_signal(path, titles[path], pairs, len(chosen)) for path, pairs in found.items()]
    shown = [signal for signal in signals if signal is not None]
    known = {signal.path for signal in shown}
    shown += [
        Signal(path, other, "same_subject", "", "", "the titles are alike")
        for path, other in titles.items()
        if path not in known and _same_title(title, other)
    ]
    order = {"contradiction": 0, "duplicate": 1, "same_subject": 2}
    return sorted(shown, key=lambda signal: (order[signal.kind], signal.path))[:_MOST]


def _candidates(index: Index, title: str, claim: str) -> list[tuple[Passage, float | None]]:
    """Return passages of notes near to a claim, each with its nearness in meaning where that is known."""
    # In the shape in which the facts of a note are indexed, so that like is compared with like.
    near = index.nearest(f"{title or claim[: len(claim) // 3]} > Facts\n- {claim}", _CURATED, _POOL) or []
    found: dict[str, tuple[Passage, float | None]] = {hit.passage.id: (hit.passage, hit.cosine) for hit in near}
    for hit in index.keyword(f"{title} {claim}"[:400], _CURATED, _POOL):
        found.setdefault(hit.passage.id, (hit.passage, None))
    return list(found.values())


def _claims_in(passage: Passage) -> list[str]:
    if _NO_CLAIM.fullmatch(passage.heading.rpartition(" > ")[2]):
        return []
    return claims_of(passage.text)[:_CLAIMS] or ([passage.title] if not passage.text.strip() else [])


def _is_series(title: str, claim: str, other: str, theirs: str) -> bool:
    """Tell whether the titles number two things of one series (two meetings, two releases), of which each has its own.

    Unless it is the very value that the claims are about.
    """
    named = set(differing(values(title), values(other)))
    return bool(named - set(differing(values(claim), values(theirs))))


def _signal(path: DocumentId, title: str, pairs: Sequence[tuple[str, str, Comparison]], claims: int) -> Signal | None:
    """Return what a note's pairs add up to: one contradiction counts, a duplicate says half of what is to be said."""
    against = [pair for pair in pairs if pair[2].kind == "contradiction"]
    same = [pair for pair in pairs if pair[2].kind == "duplicate"]
    said = {claim for claim, _, _ in same}
    against = [pair for pair in against if pair[0] not in said]  # beside a claim that it makes as well, it is another
    if against:
        claim, theirs, result = max(against, key=lambda pair: pair[2].alike)
        return Signal(path, title, "contradiction", claim, theirs, "; ".join(result.why))
    if 2 * len(said) >= claims:
        claim, theirs, result = max(same, key=lambda pair: pair[2].alike)
        return Signal(path, title, "duplicate", claim, theirs, f"{result.alike:.0%} of the words")
    return None


def _same_title(one: str, other: str) -> bool:
    if not one:
        return False
    mine, theirs = statement(one), statement(other)
    result = compare(mine, theirs)
    return result.kind == "duplicate" and result.alike >= _SAME_TITLE
