"""One question in several wordings: what each of them finds, and what that comes to.

Whoever asks on a person's behalf knows other words for the same thing: the other language's, and those in which an
answer may have been given. Every wording looks at the same passages, those that any of them found; score, evidence and
nearness of a passage are the mean over the wordings. One that was guessed wrong then costs its share and no more.

The first wording is the person's own. Alone it decides which days, codes and names are asked for.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import fsum
from typing import TYPE_CHECKING, Final

from wwt_vault.index.analysis import ask
from wwt_vault.model.knowledge import Filters, Passage
from wwt_vault.search.candidates import (
    ENOUGH,
    NOWHERE,
    SURE,
    Candidate,
    complete,
    gather,
    surplus,
    weigh,
    weigh_evidence,
)

if TYPE_CHECKING:
    from wwt_vault.index import Index

__all__ = ["MAX_REPHRASED", "Wording", "evidence_left", "gather_all", "joined", "readable"]

MAX_REPHRASED: Final = 4
"""Wordings that are looked up besides the question's own: each costs as much time as a question."""
_EACH: Final = 0.05
"""What must be brought besides for each wording after the first; see docs/benchmarks.md."""
_SHOWN: Final = 3
"""Words told of a hit that were in another wording than the question's own."""


@dataclass(frozen=True, slots=True)
class Wording:
    """A way to say the question, and what it says of each passage. Of one question: the same passages, in one order."""

    text: str
    terms: dict[str, float]
    """Its words as they are searched, with how rare each is."""
    candidates: list[Candidate]


def readable(text: str) -> str:
    """Return a text as it can be searched: in composed characters, and none that no text can hold."""
    return unicodedata.normalize("NFC", text.replace("\0", " ").encode("utf-8", "replace").decode()).strip()


def gather_all(
    index: Index, texts: Sequence[str], filters: Filters, is_hidden: Callable[[Passage], bool]
) -> tuple[list[Wording], bool]:
    """Return the wordings that hold a word to search for, the first one at least, and whether meaning is known.

    ``texts`` are one or more; passages of which ``is_hidden`` is true are left out.
    """
    each = [gather(index, text, filters) for text in texts]
    asking = [at for at, (_, terms, _) in enumerate(each) if terms] or [0]
    found = {
        candidate.passage.id: candidate.passage
        # What stands in quotation marks must occur, whatever other wordings find.
        for at in (asking[:1] if ask(texts[0]).only_quoted else asking)
        for candidate in each[at][0]
        if not is_hidden(candidate.passage)
    }
    wordings = []
    for at in asking:
        candidates, terms, _ = each[at]
        own = {candidate.passage.id: candidate for candidate in candidates}
        missing = [Candidate(passage=passage) for name, passage in found.items() if name not in own]
        complete(index, texts[at], missing)
        own |= {candidate.passage.id: candidate for candidate in missing}
        wordings.append(Wording(texts[at], terms, [own[name] for name in found]))
    return wordings, each[0][2]


def evidence_left(wordings: Sequence[Wording], passages: int, has_meaning: bool) -> float:
    """Return by how much the evidence is more than an answer needs: below 0 there is none.

    Gives every candidate its evidence. Of one wording as ``candidates.surplus`` has it. Of several it is the mean of
    that, and of what each wording's best passage brings: what is near by chance is near to one of them. Each further
    one asks for more. Where the question's own words stand together they are enough, and where they are nothing but
    codes that are nowhere no other wording brings an answer.
    """
    for wording in wordings:
        weigh_evidence(wording.candidates)
    left = [surplus(wording.candidates, wording.terms, passages, has_meaning) for wording in wordings]
    if len(left) == 1 or left[0] <= NOWHERE:
        return left[0]
    if not has_meaning:
        return max(left[0], _mean(left))
    bests = [max(candidate.evidence for candidate in wording.candidates) for wording in wordings]
    of_all = (_mean(left) + _mean(bests) - ENOUGH) / 2 - _EACH * (len(left) - 1)
    said = max(candidate.coverage for candidate in wordings[0].candidates)
    return max(left[0], of_all) if said >= SURE else of_all


def joined(wordings: Sequence[Wording], weight: float) -> list[Candidate]:
    """Return the candidates of the first wording, weighed by all: not yet lifted, see ``candidates.lift``."""
    for wording in wordings:
        weigh(wording.candidates, weight)
    if len(wordings) > 1:
        for of_one in zip(*(wording.candidates for wording in wordings), strict=True):
            _join(of_one, wordings)
    return wordings[0].candidates


def _join(of_one: Sequence[Candidate], wordings: Sequence[Wording]) -> None:
    """Put what every wording says of one passage into the first one's candidate."""
    first = of_one[0]
    weights: dict[str, float] = {}
    for candidate, wording in zip(of_one[1:], wordings[1:], strict=True):
        for term in candidate.terms - first.terms:
            weights[term] = max(weights.get(term, 0.0), wording.terms[term])
    if weights:
        words = sorted(weights, key=lambda term: (-weights[term], term))
        first.reasons.append(f"rephrased: {', '.join(words[:_SHOWN])}{', …' if len(words) > _SHOWN else ''}")
    first.plain = first.score = _mean(candidate.plain for candidate in of_one)
    first.evidence = _mean(candidate.evidence for candidate in of_one)
    first.coverage = max(candidate.coverage for candidate in of_one)
    if first.cosine is not None:
        first.cosine = _mean(candidate.cosine or 0.0 for candidate in of_one)


def _mean(values: Iterable[float]) -> float:
    values = list(values)
    return fsum(values) / len(values)
