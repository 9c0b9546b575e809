"""Passages that may answer a question, with what each side says of them, and the score both add up to.

    score = m · meaning + (1 - m) · trust · words,    trust = (coverage - 0.3) / 0.7, at least 0

``meaning`` is the centred cosine (``index.centring``), about 0 for what has nothing to do with the question; ``words``
is the BM25F score beside the best one's; ``coverage`` is the share of the question's words, weighed by how rare each
is, that the vault has together in one passage. So the words count for as much as they have to say: where most of a
question stands together somewhere they decide, where no passage holds a third of it they say nothing. Where the best
passage by words is less than .7 as near in meaning as the nearest one, trust falls in proportion: it holds them by
chance. But what is above .6 of the question is no chance where the nearest passage could have held it as well.

A passage in another language than the question could not, and one that says it in other words does not. So up to .6 of
the question a passage's words count at least as if they were as good as its meaning, ``meaning`` beside the nearest
one's: in another language wholly, in the question's own .8 of it. Words by chance then put no passage before one that
is much nearer.

``m`` is the setting ``meaning_weight``. Chosen on dev parts by ``tests/bench/retrieval.py``; see docs/benchmarks.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from math import fsum, log
from typing import TYPE_CHECKING, Final

from wwt_vault.index.analysis import ask, language_of
from wwt_vault.model.knowledge import Filters, Passage
from wwt_vault.search.when import When

if TYPE_CHECKING:
    from wwt_vault.index import Index

__all__ = [
    "ENOUGH",
    "POOL",
    "SOME",
    "SURE",
    "Candidate",
    "brought",
    "complete",
    "enough",
    "familiar",
    "gather",
    "is_nowhere",
    "lift",
    "score",
    "surplus",
    "weigh",
    "weigh_evidence",
]

POOL: Final = 100
"""Candidates taken from each side. What is beyond the hundredth place of both sides is no answer."""

_CHANCE: Final = 0.3
"""Coverage that any question reaches somewhere by words that say nothing: only what is above it counts."""
SURE: Final = 0.6
"""Coverage that no passage reaches by chance."""
_UNSAID: Final = 0.8
"""What the meaning of a passage counts in place of its words, where it could have held them."""
_AGREES: Final = 0.7
"""Share of the nearest one's meaning that the best by words must have to be believed: less is words by chance."""
_CODE: Final = 1.0
"""What a passage gets on top that holds the question's codes, paths or versions: more than all else can be worth."""
_NAME: Final = 0.2
"""The same for names and numbers alone: a year, or a product, can stand in a question about something else."""
_INSIDE: Final = 0.5
"""Share of either where it stands within a longer one."""
_COMMON: Final = 5
"""Candidates that may hold an exact term: one that more of them hold (a product's name) tells nothing apart."""
_IN_RANGE: Final = 0.3
"""What a passage of the days that were asked for gets on top, of the best score."""
_IN_RANGE_MOSTLY: Final = 0.7
"""The same where little else is asked: a subject, which other days have spoken of as well."""
_ON_SUBJECT: Final = 0.7
"""What it gets besides, then, that holds the words for that subject."""


@dataclass(slots=True, kw_only=True, eq=False)
class Candidate:
    """One passage, as itself: two are never equal, whatever they hold."""

    passage: Passage
    keyword: float = 0.0
    terms: frozenset[str] = frozenset()
    cosine: float | None = None
    coverage: float = 0.0
    """Share of the question's words that it holds, weighed by rarity."""
    exact: frozenset[str] = frozenset()
    """What of the question's exact terms (codes, paths, versions, names) it holds."""
    inside: frozenset[str] = frozenset()
    """Those of them that it holds only within a longer one, or written apart."""
    is_foreign: bool = False
    """In another language than the question."""
    evidence: float = 0.0
    plain: float = 0.0
    """The score without what exact terms and dates add."""
    score: float = 0.0
    reasons: list[str] = field(default_factory=list)
    """Why it stands where it does, besides words and meaning."""


def gather(index: Index, text: str, filters: Filters) -> tuple[list[Candidate], dict[str, float], bool]:
    """Join both sides' best passages, and fill in what each says of the other's.

    Also returns the words of the question as they are searched, with how rare each is, and whether meaning is known.
    """
    by_meaning = index.meaning(text, filters, POOL)  # first: the words may still be taken apart by another process
    terms = dict(index.query_terms(text))
    by_words = index.keyword(text, filters, POOL)
    total = fsum(terms.values())
    found: dict[str, Candidate] = {}
    for passage, score_, matched, exact, inside in by_words:
        own = frozenset(matched) & terms.keys()
        # fsum: the order in which a set gives its words, another one in each process, must decide nothing.
        coverage = fsum(terms[term] for term in own) / total if total else 0.0
        found[passage.id] = Candidate(
            passage=passage, keyword=score_, terms=own, coverage=coverage, exact=exact | inside, inside=inside
        )
    if ask(text).only_quoted:
        for candidate in found.values():
            candidate.coverage = 1.0  # word for word, or all words of it
        if by_meaning is not None:
            by_meaning = [hit for hit in by_meaning if hit.passage.id in found]  # what is meant was not said
    for passage, cosine in by_meaning or ():
        found.setdefault(passage.id, Candidate(passage=passage)).cosine = cosine
    if by_meaning is not None:
        complete(index, text, list(found.values()))
    for term in frozenset().union(*(candidate.exact for candidate in found.values())):
        holders = [candidate for candidate in found.values() if term in candidate.exact]
        if len(holders) > _COMMON:
            for candidate in holders:
                candidate.exact -= {term}
    return list(found.values()), terms, by_meaning is not None


def complete(index: Index, text: str, candidates: Sequence[Candidate]) -> None:
    """Fill in what one side says of candidates that only the other one found, or neither."""
    found = {candidate.passage.id: candidate for candidate in candidates}
    wordless = [name for name, candidate in found.items() if not candidate.keyword]
    for name, score_ in index.keyword_scores(text, wordless).items():
        found[name].keyword = score_
    far = [name for name, candidate in found.items() if candidate.cosine is None]
    for name, cosine in (index.cosines(text, far) or {}).items():
        found[name].cosine = cosine
    spoken = language_of(text)
    for candidate in candidates:
        candidate.is_foreign = language_of(candidate.passage.text) != spoken


def score(candidates: Sequence[Candidate], weight: float, when: When, subject: Set[str] = frozenset()) -> None:
    """Give every candidate its score; see the module.

    ``subject``: the few words that are asked for besides the days, as ``days.subject`` returns them.
    """
    weigh(candidates, weight)
    lift(candidates, when, subject)


def weigh(candidates: Sequence[Candidate], weight: float) -> None:
    """Give every candidate its score, ``plain``: what words and meaning add up to, and nothing else."""
    best = max(candidate.keyword for candidate in candidates) or 1.0
    words = [candidate.keyword / best for candidate in candidates]
    nearest = max((candidate.cosine for candidate in candidates if candidate.cosine is not None), default=None)
    if nearest is None:
        weight = 0.0
    # Without a vector yet it is taken to mean as much as it says: that must not count against it.
    meanings = [
        candidate.cosine if candidate.cosine is not None else own * (nearest or 0.0)
        for candidate, own in zip(candidates, words, strict=True)
    ]
    trust, sure = _trust(candidates, words, meanings) if weight else (1.0, 1.0)
    for candidate, own, meaning in zip(candidates, words, meanings, strict=True):
        said = trust * own
        if sure < trust and nearest and nearest > 0:
            meant = (1.0 if candidate.is_foreign else _UNSAID) * max(0.0, meaning) / nearest
            said = max(said, sure * own + (trust - sure) * meant)
        candidate.plain = candidate.score = weight * meaning + (1 - weight) * said


def lift(candidates: Sequence[Candidate], when: When, subject: Set[str] = frozenset()) -> None:
    """Add to the scores what the question's codes, its names and its days are worth, once they are weighed."""
    _add_exact(candidates)
    if when.has_range:
        best = max(candidate.score for candidate in candidates)
        for candidate in candidates:
            if when.holds(candidate.passage.time):
                share = _IN_RANGE
                if subject:
                    share = _IN_RANGE_MOSTLY + _ON_SUBJECT * len(subject & candidate.terms) / len(subject)
                candidate.score += share * best
                candidate.reasons.append(f"time: {when.words}")


def _trust(candidates: Sequence[Candidate], words: Sequence[float], meanings: Sequence[float]) -> tuple[float, float]:
    """Return what the words count, and what of that they count against passages in another language."""
    coverage = max(candidate.coverage for candidate in candidates)
    trust = max(0.0, coverage - _CHANCE) / (1 - _CHANCE)
    sure = max(0.0, coverage - SURE) / (1 - SURE)
    nearest = max(range(len(candidates)), key=meanings.__getitem__)
    by_words = max(range(len(candidates)), key=words.__getitem__)
    if 0 < meanings[nearest] * _AGREES > meanings[by_words]:
        trust *= max(0.0, meanings[by_words]) / (_AGREES * meanings[nearest])
    if not candidates[nearest].is_foreign:
        trust = max(trust, sure)
    return trust, min(trust, sure)


def _add_exact(candidates: Sequence[Candidate]) -> None:
    """Put what holds the question's codes before all else, and lift what holds its names."""
    terms = frozenset().union(*(candidate.exact for candidate in candidates))
    worth = {term: _NAME if term.isalpha() or term.isdigit() else _CODE for term in terms}
    if not worth:
        return
    top = max(worth.values())
    held = [
        fsum(worth[term] * (_INSIDE if term in candidate.inside else 1.0) for term in candidate.exact)
        for candidate in candidates
    ]
    most = max(held)
    for candidate, its in zip(candidates, held, strict=True):
        candidate.score = (candidate.score + top * its / most) / (1 + top)


# --- Is there an answer? ----------------------------------------------------------------------------------------------

ENOUGH: Final = 0.35
"""What must be brought for an answer. With ``familiar``, 2 % of the dev questions that have one bring less."""
_ALONE: Final = 0.07
"""What one passage must bring besides, in a vault so small that it has to stand alone."""
_MORE: Final = 0.13
"""What must be brought besides for each e-fold of ``_FEW`` passages: the best of more fit better by chance."""
_FEW: Final = 400
_AT_MOST: Final = 0.8
"""What must be brought in the largest vault."""
_UNKNOWN: Final = 0.4
"""What it must bring besides where the vault knows no word of the question."""
_USUAL: Final = 0.62
"""Share of unknown words, in a vault of ``_FEW`` passages, that says nothing either way; less in larger ones."""
_SPEAKS: Final = 0.25
"""Share of the nearest passages in the question's language from which the vault could know its words."""
_VOCABULARY: Final = 200
"""Passages from which a vault has words enough for an unknown one to say something."""
_WORDS_ALONE: Final = 0.35
"""``ENOUGH`` while nothing is known of the meaning: a word that is nowhere in the vault then weighs too much."""
_NEARNESS: Final = 2.2
"""How much nearness counts: .2 is as near as a paraphrase comes in either language, and half of the words
stand together in few wrong passages."""
SOME: Final = 0.15
"""What any passage must bring to be listed beside the best: below this it is noise."""


def surplus(candidates: Sequence[Candidate], terms: Mapping[str, float], passages: int, has_meaning: bool) -> float:
    """Return by how much the evidence is more than an answer needs: below 0 there is none.

    Of one candidate or more, after ``weigh_evidence``; ``terms`` and ``has_meaning`` as ``gather`` returned them.
    """
    if is_nowhere(candidates, terms):
        return -1.0
    evidence = brought(candidates, passages)
    if has_meaning:
        evidence += familiar(terms, candidates, passages)
    return evidence - enough(passages, has_meaning)


def is_nowhere(candidates: Iterable[Candidate], terms: Mapping[str, float]) -> bool:
    """Say whether nothing but codes is asked for, and none is anywhere; codes that look alike do not mean the like."""
    return bool(terms) and all(map(_is_code, terms)) and not any(candidate.terms for candidate in candidates)


def _is_code(term: str) -> bool:
    """Say whether it is an error code, a version or the like, which is written in one way: with digits and more."""
    return not term.isdigit() and term.isascii() and any(map(str.isdigit, term))


def enough(passages: int, has_meaning: bool) -> float:
    """Return the evidence from which there is an answer in a vault of so many passages."""
    if not has_meaning:
        return _WORDS_ALONE
    alone = _ALONE * (1 - min(1.0, passages / _VOCABULARY))
    return min(_AT_MOST, ENOUGH + alone + _MORE * log(max(1.0, passages / _FEW)))


def brought(candidates: Sequence[Candidate], passages: int) -> float:
    """Return the evidence that there is an answer: the mean of the three best passages'.

    One that comes near by chance is alone; where a vault speaks of a subject, several do. One is enough where it holds
    most of the question, and where a vault is so small that it may hold no other: below 200 passages the best counts
    for the more, the fewer there are.
    """
    best = max(candidates, key=lambda candidate: candidate.evidence)
    if best.cosine is None or best.coverage >= SURE:
        return best.evidence
    three = sorted((candidate.evidence for candidate in candidates), reverse=True)[:3]
    share = min(1.0, passages / _VOCABULARY)
    return (1 - share) * best.evidence + share * sum(three) / len(three)


def familiar(terms: Mapping[str, float], candidates: Sequence[Candidate], passages: int) -> float:
    """Return what the words of a question say of whether its subject is one of the vault's: about -.4 to .25.

    Words that nobody used in the vault, names above all, are a sign that nothing there answers the question. They say
    nothing in a vault of another language, and little in a small one.
    """
    total = sum(terms.values())
    near = [candidate for candidate in candidates if candidate.cosine is not None]
    if not total or not near:
        return 0.0
    nowhere = log(1 + passages) - 1e-6  # the idf of what no passage holds
    unknown = sum(idf for idf in terms.values() if idf >= nowhere) / total
    own = sum(not candidate.is_foreign for candidate in near) / len(near)
    says = min(1.0, own / _SPEAKS) * min(1.0, passages / _VOCABULARY)
    return _UNKNOWN * says * (_USUAL / (1 + log(max(1.0, passages / _FEW))) - unknown)


def weigh_evidence(candidates: Sequence[Candidate]) -> None:
    """Give every passage its evidence that there is an answer: its share of the question's words, and its nearness.

    One passage has to bring both: everyday words of a question are found somewhere in any vault.
    """
    for candidate in candidates:
        candidate.evidence = candidate.coverage + _NEARNESS * max(0.0, candidate.cosine or 0.0)
