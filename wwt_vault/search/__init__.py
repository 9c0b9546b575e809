"""From a question to a ranking: two ranked lists become one, in an order a person would choose, or an honest "nothing".

when         what the question says about time
candidates   what both sides find, the score they add up to, whether it is an answer at all
wordings     the same question in other words, and what that comes to
days         questions about days and nothing else
unknown      which names of the question are nowhere
order        what holds now before what was replaced; nothing said twice
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, tzinfo
from typing import TYPE_CHECKING, Final

from wwt_vault.errors import BadArgument
from wwt_vault.index.analysis import MAX_QUESTION, plain
from wwt_vault.index.loanwords import ordinary
from wwt_vault.model.knowledge import Filters, Hit, Passage
from wwt_vault.search.candidates import SOME, Candidate, is_nowhere, lift
from wwt_vault.search.days import asked_besides, of_those_days, on_subject, subject
from wwt_vault.search.order import in_order, one_of_each
from wwt_vault.search.unknown import unknown_names
from wwt_vault.search.when import When, read
from wwt_vault.search.wordings import MAX_REPHRASED, Wording, evidence_left, gather_all, joined, readable

if TYPE_CHECKING:
    from wwt_vault.index import Index, IndexStatus

__all__ = ["MAX_LIMIT", "MAX_QUERY", "MAX_REPHRASED", "SearchResult", "search"]

MAX_LIMIT: Final = 100
MAX_QUERY: Final = MAX_QUESTION
"""Characters of a question that are looked at."""

_NOTHING: Final = "The vault holds nothing of this."
_NOT_NAMED: Final = (
    "Nowhere in the vault: {}. What was found may be about something else, or has another name for it: if so, a line"
    " of the glossary (`AI_CONTEXT/Glossary.md`, `- one name = other name`) joins the two."
)
_Written = Mapping[str, tuple[str, ...]]
_NO_MORE: Final[_Written] = {}
_EMPTY_WORDS: Final = "The question holds only words that say nothing by themselves, as particles do: name a thing."


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchResult:
    """What a question brought."""

    query: str
    found: bool
    """False: nothing in the vault is good enough to be called an answer, and ``hits`` is empty."""
    hits: tuple[Hit, ...] = ()
    asked: tuple[Mapping[str, float], ...] = ()
    """The words of the question, and of each other wording, as they were searched, and how rare each is (idf)."""
    about_then: bool = False
    """The question is about how it once was: what was replaced since answers it."""
    words: Mapping[str, float] = field(default_factory=dict)
    """What a text is trimmed to: the terms, those of the other wordings, and what names among them are also written as
    (loanwords, the vault's glossary, what sounds so), each with its weight."""
    may_say_again: bool = False
    """Nothing was found, and nobody has said it in other words yet: so it may be."""
    notes: tuple[str, ...] = ()
    """How this answer is limited (no model yet, question cut, a filter that matches nothing): sentences for people."""


def search(
    index: Index,
    query: str,
    filters: Filters | None = None,
    *,
    rephrased: Sequence[str] = (),
    limit: int = 10,
    meaning_weight: float = 0.3,
    open_since: datetime | None = None,
    now: datetime | None = None,
    zone: tzinfo = UTC,
    nearest: bool = False,
) -> SearchResult:
    """Return at most ``limit`` passages that answer ``query``, best first, or none with ``found=False``.

    ``rephrased`` is the same question in other words, ``MAX_REPHRASED`` times at most; see ``wordings``.
    ``open_since`` leaves out prompts that are younger and have no answer yet: one of them is what the agent that asks
    was asked itself. ``now`` and ``zone`` are what "last week" in a question is counted from; without ``now`` no
    dates are read. With ``nearest`` the best candidates are returned even if they are no answer; ``found`` still tells.

    Works without a model, without vectors and while vectors are being made, and then says so in ``notes``. The same
    index gives the same answer. Raises ``BadArgument`` for a limit outside 1..100 or a weight outside 0..1.
    """
    _check(limit, meaning_weight)
    filters = filters or Filters()
    text, notes = _readable(query)
    others, more_notes = _others(text, rephrased)
    notes += more_notes
    if not any(map(str.isalnum, text)) and not others:
        return SearchResult(query=query, found=False, notes=(*notes, "The question holds no word to search for."))
    when = read(text, now, zone) if now else When()
    if when.has_range:
        notes += (f"`{when.words}` is read as {_days(when, zone)}.",)
    besides = asked_besides(text, when) if now else None
    if besides is not None:
        names = index.also(text) if besides else {}
        of_days = of_those_days(
            index, filters, when, besides, also=names, is_hidden=lambda passage: _is_open(passage, open_since)
        )
        if of_days or not besides:
            return _listed(query, of_days, limit, when, notes)
    texts = [text, *others]
    about = subject(text, besides, when)
    if about:
        by_words = not index.status().embedded
        its_days = [when, *(read(other, now, zone) if now else When() for other in others)]
        texts = [
            on_subject(wording, days, by_words=by_words) if days.has_range else wording
            for wording, days in zip(texts, its_days, strict=True)
        ]
    wordings, has_meaning = gather_all(index, texts, filters, lambda passage: _is_open(passage, open_since))
    terms = wordings[0].terms
    status = index.status()
    notes += _limits(status, not has_meaning)
    asked = tuple(wording.terms for wording in wordings if wording.terms)
    words = _words(index, wordings)
    may_say_again = bool(terms) and not others and not is_nowhere(wordings[0].candidates, terms)
    if not wordings[0].candidates:
        limited = filters != Filters()
        nothing = "Nothing in the vault passes these filters." if limited else _NOTHING
        # Without any passage no word of a question is known to say something.
        nothing = nothing if terms or limited or not status.passages else _EMPTY_WORDS
        if status.generation is None and status.problem:
            nothing = f"Nothing could be searched: {status.problem.rstrip('.')}. Ask again."
        again = may_say_again and not limited and status.passages > 0
        return SearchResult(
            query=query, found=False, asked=asked, words=words, may_say_again=again, notes=(*notes, nothing)
        )
    is_answer = evidence_left(wordings, status.passages, has_meaning) >= 0 and bool(asked)
    if about and not has_meaning:
        is_answer = is_answer and _is_of_those_days(wordings, about, when)
    if not is_answer and not nearest:
        notes = notes if asked else (*notes, _EMPTY_WORDS)
        return SearchResult(
            query=query, found=False, asked=asked, words=words, may_say_again=may_say_again, notes=notes
        )
    found = joined(wordings, meaning_weight)
    lift(found, when, about)
    good = [candidate for candidate in found if candidate.evidence >= SOME] or found
    ranked = one_of_each(in_order(good, when, index.likeness), limit)
    text = wordings[0].text
    if unknown := unknown_names(text, terms, status.passages, {one.passage.project for one in found}):
        notes += (_NOT_NAMED.format(" and ".join(f"`{name}`" for name in unknown)),)
    heard = index.by_sound(text)
    also = index.also(text) | heard
    return SearchResult(
        query=query,
        found=is_answer,
        hits=tuple(_hit(candidate, terms, also, heard) for candidate in ranked),
        asked=asked,
        about_then=when.asks_for_first,
        words=words,
        notes=notes,
    )


def _is_of_those_days(wordings: Sequence[Wording], about: Set[str], when: When) -> bool:
    """Say whether anything was said on the subject, or of those days in the words of another wording."""
    if any(about & candidate.terms for candidate in wordings[0].candidates):
        return True  # else what was done, but not on that
    others = (candidate for wording in wordings[1:] for candidate in wording.candidates)
    return any(candidate.terms and when.holds(candidate.passage.time) for candidate in others)


def _others(text: str, rephrased: Sequence[str]) -> tuple[list[str], tuple[str, ...]]:
    """Return the other wordings that are looked up, and what had to be said about that."""
    if isinstance(rephrased, str) or not all(isinstance(other, str) for other in rephrased):
        raise BadArgument("rephrased is a list of texts, the same question in other words", argument="rephrased")
    asking = (readable(other)[:MAX_QUERY] for other in rephrased)
    asking = (other for other in asking if any(map(str.isalnum, other)))
    others = [other for other in dict.fromkeys(asking) if other != text]
    if len(others) <= MAX_REPHRASED:
        return others, ()
    return others[:MAX_REPHRASED], (f"Of the {len(others)} other wordings only the first {MAX_REPHRASED} were used.",)


def _words(index: Index, wordings: Sequence[Wording]) -> dict[str, float]:
    """Return what a text is trimmed to; a word that several wordings hold counts each time."""
    words: dict[str, float] = defaultdict(float)
    for wording in wordings:
        weights = dict(wording.terms)
        for member, others in (index.also(wording.text) | index.by_sound(wording.text)).items():
            if member in ordinary():
                continue  # a server is in most sentences
            weight = max((weight for term, weight in wording.terms.items() if _same(term, member)), default=0.0)
            weights |= {other: weight for other in others if weight and other not in weights}
        for word, weight in weights.items():
            words[word] += weight
    return dict(words)


def _check(limit: int, meaning_weight: float) -> None:
    if not 1 <= limit <= MAX_LIMIT:
        raise BadArgument(f"limit must lie between 1 and {MAX_LIMIT}, not {limit}", argument="limit")
    if not 0 <= meaning_weight <= 1:
        raise BadArgument(
            f"the meaning weight must lie between 0 and 1, not {meaning_weight}", argument="meaning_weight"
        )


def _listed(query: str, found: Sequence[Candidate], limit: int, when: When, notes: tuple[str, ...]) -> SearchResult:
    """Return what was found of certain days, as it stands."""
    if not found:
        nothing = f"Nothing in the vault is of that time ({when.words})." if when.has_range else _NOTHING
        return SearchResult(query=query, found=False, notes=(*notes, nothing))
    if len(found) > limit:
        notes += (f"These are the newest {limit} of {len(found)} conversations and notes.",)
    hits = tuple(_hit(candidate, {}) for candidate in found[:limit])
    return SearchResult(query=query, found=True, hits=hits, notes=notes)


def _days(when: When, zone: tzinfo) -> str:
    """Return the range as days, for people: what was meant may be another one."""
    first = when.since.astimezone(zone).date() if when.since else None
    last = (when.until - timedelta(microseconds=1)).astimezone(zone).date() if when.until else None
    if first and last:
        return f"{first}" if first == last else f"{first} to {last}"
    return f"{first} and later" if first else f"{last} and earlier"


def _is_open(passage: Passage, moment: datetime | None) -> bool:
    """Say whether it is a prompt without an answer that is younger than ``moment``."""
    return moment is not None and passage.unanswered and passage.time is not None and passage.time >= moment


def _readable(query: str) -> tuple[str, tuple[str, ...]]:
    """Return the question as it is searched, and what had to be said about that."""
    text = readable(query)
    if len(text) <= MAX_QUERY:
        return text, ()
    return text[:MAX_QUERY], (f"The question is long: only its first {MAX_QUERY} characters were searched.",)


def _limits(status: IndexStatus, no_meaning: bool) -> tuple[str, ...]:
    """Say in what way this answer is less than it could be."""
    if no_meaning and status.passages:
        missing = (
            "no passage has a vector yet" if status.model else "there is no embedding model, or none is loaded yet"
        )
        return (f"Searched by words only: {(status.problem or missing).rstrip('.')}.",)
    if status.model and status.embedded < status.passages:
        return (f"Meaning is known of {status.embedded} of {status.passages} passages so far; words of all.",)
    return ()


def _hit(
    candidate: Candidate, terms: Mapping[str, float], also: _Written = _NO_MORE, heard: _Written = _NO_MORE
) -> Hit:
    # Rarest first: they are why a person believes it.
    matched = sorted(candidate.terms, key=lambda term: (-terms[term], term))
    why = []
    if matched:
        shown = ", ".join(matched[:6]) + (", …" if len(matched) > 6 else "")
        why.append(f"words: {shown} ({len(matched)} of {len(terms)})")
    why += _written_otherwise(candidate, also, heard)
    if candidate.cosine is not None:
        why.append(f"meaning: {candidate.cosine:.2f}")
    return Hit(
        passage=candidate.passage,
        score=round(min(1.0, max(0.0, candidate.score)), 4),
        keyword_score=round(candidate.keyword, 4),
        meaning_score=None if candidate.cosine is None else round(candidate.cosine, 4),
        why="; ".join((*why, *candidate.reasons)),
    )


def _same(term: str, member: str) -> bool:
    """Say whether one of the two, a word as it is searched and as it is written in other ways, is part of the other."""
    return term in member or member in term


def _written_otherwise(candidate: Candidate, also: _Written, heard: _Written) -> list[str]:
    """Say by which other way of writing it a word of the question was found."""
    passage = candidate.passage
    text = plain("\n".join((passage.title, passage.heading, passage.text, *passage.questions, *passage.tags)))
    found = []
    for member, others in also.items():
        if member not in text and any(_same(term, member) for term in candidate.terms):
            how = " (by sound)" if member in heard else ""
            there = (other for other in others if re.search(rf"(?<![a-z0-9]){re.escape(other)}", text))
            found += [f"{member} = {other}{how}" for other in there]
    return found
