"""One question in several wordings: what each of them finds, and what that comes to.

Whoever asks on a person's behalf knows other words for the same thing: the other language's, and those in which an
answer may have been given. Every wording looks at the same passages, those that any of them found; score, evidence and
nearness of a passage are the mean over the wordings. Of k other wordings the question's own counts as one more, and as
up to k + 1 the more of it stands together in one passage: then a guess is not needed, and must not decide.

The first wording is the person's own. It alone decides which days, codes and names are asked for.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from operator import mul
from typing import TYPE_CHECKING, Final

from wwt_vault.index.analysis import ask
from wwt_vault.model.knowledge import Filters, Passage
from wwt_vault.search.candidates import (
    ENOUGH,
    SURE,
    Candidate,
    complete,
    gather,
    is_nowhere,
    surplus,
    weigh,
    weigh_evidence,
)
from wwt_vault.search.order import GLOSSARY

if TYPE_CHECKING:
    from wwt_vault.index import Index

__all__ = ["MAX_REPHRASED", "Wording", "all_terms", "evidence_left", "gather_all", "joined", "readable"]

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
    weight: float
    """How much it counts beside the others; 0 for a question whose words say nothing by themselves."""


def readable(text: str) -> str:
    """Return a text as it can be searched: in composed characters, and none that no text can hold."""
    return unicodedata.normalize("NFC", text.replace("\0", " ").encode("utf-8", "replace").decode()).strip()


def gather_all(
    index: Index, texts: Sequence[str], filters: Filters, is_hidden: Callable[[Passage], bool]
) -> tuple[list[Wording], bool]:
    """Return the question, which is the first of ``texts``, and what else asks for something; and whether meaning is
    known.

    Left out are wordings without a word to search for, those of nothing but codes that are nowhere, and those that hold
    the same words as an earlier one; of the passages those of which ``is_hidden`` is true.
    """
    each = [gather(index, text, filters) for text in texts]
    kept, known = [0], {frozenset(each[0][1])}
    for at, (candidates, terms, _) in enumerate(each):
        if at and terms and frozenset(terms) not in known and not is_nowhere(candidates, terms):
            kept.append(at)
            known.add(frozenset(terms))
    found = {
        candidate.passage.id: candidate.passage
        # Of nothing but quotation marks: what stands in them must occur, whatever other wordings find.
        for at in (kept[:1] if ask(texts[0]).only_quoted else kept)
        for candidate in each[at][0]
        if not is_hidden(candidate.passage)
    }
    wordings = []
    for at in kept:
        candidates, terms, _ = each[at]
        own = {candidate.passage.id: candidate for candidate in candidates}
        missing = [Candidate(passage=passage) for name, passage in found.items() if name not in own]
        complete(index, texts[at], missing)
        own |= {candidate.passage.id: candidate for candidate in missing}
        weight = 1.0 if at else _own_weight(candidates, terms, len(kept) - 1)
        wordings.append(Wording(texts[at], terms, [own[name] for name in found], weight))
    return wordings, all(has_meaning for _, _, has_meaning in each)


def _own_weight(candidates: Sequence[Candidate], terms: Mapping[str, float], others: int) -> float:
    if not terms and others:
        return 0.0
    said = max((candidate.coverage for candidate in candidates), default=0.0)
    return 1.0 + others * max(0.0, said - SURE) / (1 - SURE)


def evidence_left(wordings: Sequence[Wording], passages: int, has_meaning: bool) -> float:
    """Return by how much the evidence is more than an answer needs: below 0 there is none.

    Gives every candidate its evidence. Of one wording as ``candidates.surplus`` has it. Of several it is the mean of
    that, and of what each wording's best passage brings: what is near by chance is near to one of them. Each further
    one asks for more. While nothing is known of the meaning, one wording that stands together is enough. Where the
    question's own words stand together they are enough, and where they are nothing but codes that are nowhere no other
    wording brings an answer.
    """
    for wording in wordings:
        weigh_evidence(wording.candidates)
    question = wordings[0]
    alone = surplus(question.candidates, question.terms, passages, has_meaning) if question.terms else -ENOUGH
    if len(wordings) == 1 or is_nowhere(question.candidates, question.terms):
        return alone
    asking = [wording for wording in wordings if wording.weight]
    left = [surplus(wording.candidates, wording.terms, passages, has_meaning) for wording in asking]
    bests = [max(candidate.evidence for candidate in wording.candidates) for wording in asking]
    if has_meaning:
        of_all = (_mean(left) + _mean(bests) - ENOUGH) / 2 - _EACH * (len(asking) - 1)
    else:
        of_all = max(_mean(left), max(bests) - SURE)
    said = max(candidate.coverage for candidate in question.candidates)
    return max(alone, of_all) if said >= SURE else of_all


def joined(wordings: Sequence[Wording], weight: float) -> list[Candidate]:
    """Return the candidates of the question, weighed by all wordings: not yet lifted, see ``candidates.lift``."""
    for wording in wordings:
        weigh(wording.candidates, weight)
    if len(wordings) > 1:
        for of_one in zip(*(wording.candidates for wording in wordings), strict=True):
            _join(of_one, wordings)
    return wordings[0].candidates


def all_terms(wordings: Sequence[Wording]) -> dict[str, float]:
    """Return the words of all wordings as they are searched, with how rare each is."""
    return {term: idf for wording in reversed(wordings) for term, idf in wording.terms.items()}


def _join(of_one: Sequence[Candidate], wordings: Sequence[Wording]) -> None:
    """Put what every wording says of one passage into the question's candidate."""
    first = of_one[0]
    rarity: dict[str, float] = {}
    for candidate, wording in zip(of_one[1:], wordings[1:], strict=True):
        rarity |= {term: wording.terms[term] for term in candidate.terms - first.terms}
    if rarity:
        words = sorted(rarity, key=lambda term: (-rarity[term], term))
        first.reasons.append(f"rephrased: {', '.join(words[:_SHOWN])}{', …' if len(words) > _SHOWN else ''}")
    weights = [wording.weight for wording in wordings]

    def mean(values: Iterable[float]) -> float:
        return fsum(map(mul, values, weights)) / fsum(weights)

    first.plain = mean(candidate.plain for candidate in of_one)
    if first.passage.document == GLOSSARY:  # it holds every name that a wording has for a thing, and says nothing of it
        first.plain = min(candidate.plain for candidate in of_one)
    first.score = first.plain
    first.evidence = mean(candidate.evidence for candidate in of_one)
    first.coverage = mean(candidate.coverage for candidate in of_one)
    if first.cosine is not None:
        first.cosine = mean(candidate.cosine or 0.0 for candidate in of_one)


def _mean(values: Sequence[float]) -> float:
    return fsum(values) / len(values)
