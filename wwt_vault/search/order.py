"""The order a person would choose among good hits: what holds now before what was replaced, nothing said twice.

Curated notes come first, superseded ones last (or first, where the question asks how it once was), as far as they are
about as good as the best hit. Of two texts about the same matter, the newer comes first where the question is about
now, or about how things stand or what was decided; the older where the question asks how it once was; neither is moved
where it asks what happened, or why. Where the first hits are all of one project, those of others wait. No document
fills the list.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from wwt_vault.model.knowledge import Passage
from wwt_vault.search.candidates import Candidate
from wwt_vault.search.outcome import outcome
from wwt_vault.search.when import When
from wwt_vault.vault import layout

__all__ = ["GLOSSARY", "in_order", "one_of_each"]

_PER_DOCUMENT: Final = 2
"""Passages shown of one note or session, so that none fills the list."""
_CLOSE_TO_BEST: Final = 0.8
"""A hit this near to the best score may be moved by its standing (curated, superseded); a weaker one may not."""
_AS_GOOD: Final = 0.95
"""How near a curated note must be, to be put before it, that holds less than ``_MOST_WORDS``: what is meant is told
apart by little."""
_MOST_WORDS: Final = 0.6
"""Share of the question's words that no passage holds by chance."""
_SAME_WORDS: Final = 0.85
"""Share of common word triples from which two passages count as one."""
_SAYS_MORE: Final = 0.5
"""Share of a window's score that a longer one which overlaps it must have to be shown in its place."""

GLOSSARY: Final = f"{layout.AI_CONTEXT}/{layout.GLOSSARY}"
"""It holds every other name of a thing, and says nothing of it: what it leads to comes before it."""
_LEADS_TO: Final = 0.5
"""Share of the glossary's score from which a hit is what it leads to."""
_RIVALS: Final = 5
"""Places from the top into which a passage may come for its date."""
_CROWD: Final = 20
"""Hits from the top that are compared with one another, copies left aside."""
_ELSEWHERE: Final = 0.05
"""What a hit behind these places loses that is of another project than all of them: enough to put back what shares only
everyday words with the question, and the first places stay."""
_NEARER: Final = 6.5
"""What it says that two hits are nearer to one another than either is to other hits of its project, per cosine."""
_MEANT: Final = 10.3
"""What it says that the candidate is nearer to the question than the first hits are to one another."""
_FITS: Final = 2.0
"""What its score beside the other's says, up to one and a half."""
_DECIDED: Final = 1.0
"""What it says that the newer one tells of a decision or a change."""
_ASKED: Final = 1.0
"""What it says that the question is about now."""
_NO_PAIR: Final = 4.3
"""What all of that must come to: three in ten, then, replaced the other. By logistic regression over pairs of hits of
dev parts (tests/bench: updates, considered, bilingual, LoCoMo, paraphrases); see docs/benchmarks.md."""
_BACK: Final = 1.2
"""What an older one must bring besides, to come before a newer one in which nothing was decided."""
_OTHERS: Final = 2
"""Other hits that are looked at, not the nearest alone: what was decided three times has a third that is as near."""
_APART: Final = 0.1
"""How near two texts of a project are that have nothing to do with each other: where nothing else was found."""
_FEW: Final = 20
"""Pairs of hits that count as much as what is usual elsewhere."""

_TURN: Final = re.compile(r"^(?:user|assistant): ", re.MULTILINE)
"""Where a turn begins in the text of a passage, see ``index.passages``."""
_NO_RECORD: Final = re.compile(
    r"(?:기록|기억|메모|노트|자료)(?:을|를|이|가|은|는|에|에는|에서)?\s*(?:찾지\s?못|찾을\s?수\s?없|없[다네어었는습])"
    r"|\bno (?:records?|notes?|memory|mention) (?:of|found|about|on|that)\b"
    r"|\b(?:find|found|have|see) (?:any|no) (?:records?|notes?|memory|mention)\b",
    re.IGNORECASE,
)
"""What an agent says that was told that there is nothing. It stands beside the question, word for word."""

Alike = Callable[[Sequence[str]], Sequence[Sequence[float]]]
"""Passage ids to how near each is to each in meaning."""


def in_order(candidates: Iterable[Candidate], when: When, alike: Alike) -> list[Candidate]:
    """Sort by standing among the good hits, then by score, then put what is newer or older before its rivals."""
    candidates = list(candidates)
    names = [candidate for candidate in candidates if candidate.passage.document == GLOSSARY]
    ranked = _ordered([candidate for candidate in candidates if candidate not in names], when, alike)
    for page in sorted(names, key=lambda candidate: (-candidate.score, candidate.passage.line)):
        behind = (at for at, other in enumerate(ranked) if other.score < _LEADS_TO * page.score)
        ranked.insert(next(behind, len(ranked)), page)
    return ranked


def _ordered(candidates: Sequence[Candidate], when: When, alike: Alike) -> list[Candidate]:
    if not candidates:
        return []
    best = max(candidates, key=lambda candidate: candidate.score)

    def is_close(candidate: Candidate, share: float) -> bool:
        """Say whether it is about as good, names of the question and its days left aside: they say little apart."""
        return (
            len(candidate.exact) == len(best.exact)
            and candidate.score >= share * best.score
            and candidate.plain >= share * best.plain
        )

    def key(candidate: Candidate) -> tuple[int, float, float, str, int]:
        passage = candidate.passage
        standing = _standing(passage, when) if is_close(candidate, _CLOSE_TO_BEST) else 3
        if standing == 0 and candidate.coverage < _MOST_WORDS and not is_close(candidate, _AS_GOOD):
            standing = 1
        time = passage.time.timestamp() if passage.time else 0.0
        time = time if when.asks_for_first else -time
        return standing, -round(candidate.score, 6), time, passage.document, passage.line

    ranked = _by_date(sorted(candidates, key=key), when, alike)
    first, rest = ranked[:_RIVALS], ranked[_RIVALS:]
    waiting = _elsewhere(first, rest)
    if not waiting:
        return ranked
    for candidate in waiting:
        candidate.score -= _ELSEWHERE
        candidate.reasons.append("of another project than the first hits")
    return [*first, *sorted(rest, key=key)]


def _elsewhere(first: Sequence[Candidate], rest: Sequence[Candidate]) -> list[Candidate]:
    """Return the hits of other projects, if the first ones are all of one: the question is about that one, then."""
    projects = {candidate.passage.project for candidate in first}
    if len(projects) > 1 or None in projects:
        return []
    return [candidate for candidate in rest if candidate.passage.project not in {None, *projects}]


def _standing(passage: Passage, when: When) -> int:
    if passage.status == "superseded" and when.about != "then":
        return 2
    if passage.status == "superseded" and when.asks_for_first:
        return -1  # its date says nothing: it was written last when the other one replaced it
    if _says_nothing(passage):
        return 2
    return 0 if passage.layer == "curated" else 1


def _says_nothing(passage: Passage) -> bool:
    """Say whether it ends with nothing found: often somebody decides right behind that, and then it is the answer."""
    return passage.layer == "session" and _NO_RECORD.search(_TURN.split(passage.text)[-1]) is not None


def _by_date(ranked: list[Candidate], when: When, alike: Alike) -> list[Candidate]:
    """Put a passage before one about the same matter where its date says so."""
    if when.has_range or (when.about is None and when.past):
        return ranked  # days that were named, what happened, or why: a newer text on the matter replaces nothing
    crowd = _no_copies(ranked, _CROWD)
    if len({candidate.passage.document for candidate in crowd}) < 2:
        return ranked
    pairs = _Pairs(crowd, alike)
    top = list(crowd)
    for candidate in crowd[1:]:
        for rival in top[: min(_RIVALS, top.index(candidate))]:
            # In this order: most are no pair, and to read what a text comes to takes longer than to see that.
            if pairs.likely(candidate, rival, when) and (why := _goes_before(candidate, rival, when)):
                top.remove(candidate)
                top.insert(top.index(rival), candidate)
                candidate.reasons.append(why)
                break
    return [*top, *(candidate for candidate in ranked if candidate not in crowd)]


def _no_copies(ranked: Sequence[Candidate], limit: int) -> list[Candidate]:
    """Return the first hits of which none is a copy, in another document, of one before it.

    What is said again every day is as near to itself as a decision is to the one that replaced it.
    """
    found: list[tuple[Candidate, frozenset[tuple[str, ...]]]] = []
    for candidate in ranked:
        words = _triples(candidate.passage.text)
        others = (one for one in found if one[0].passage.document != candidate.passage.document)
        if not any(_is_same(candidate, words, *other) for other in others):
            found.append((candidate, words))
        if len(found) == limit:
            break
    return [candidate for candidate, _ in found]


class _Pairs:
    """Which of the first hits are about the same matter, so that one may have replaced the other.

    All sessions of a project are somewhat alike. A decision and the one that replaced it are nearer to one another
    than either is to anything else that was found.
    """

    def __init__(self, crowd: Sequence[Candidate], alike: Alike) -> None:
        self._crowd = crowd
        self._near = alike([candidate.passage.id for candidate in crowd])
        self._place = {candidate.passage.id: at for at, candidate in enumerate(crowd)}
        each = [likeness for at, row in enumerate(self._near) for likeness in row[:at]]
        # A few made-up ones beside them: of two or three hits the pair itself would be what is usual.
        self._usual = (sum(each) + _FEW * _APART) / (len(each) + _FEW)

    def likely(self, candidate: Candidate, rival: Candidate, when: When) -> bool:
        """Say whether ``candidate`` is likely enough about the same matter as ``rival`` to be put before it."""
        one, other = candidate.passage, rival.passage
        if one.project and other.project and one.project != other.project:
            return False
        likeness = self._near[self._place[one.id]][self._place[other.id]]
        nearer = sum(likeness - self._near_else(passage, (one, other)) for passage in (one, other))
        says = _NEARER * nearer + _MEANT * ((candidate.cosine or 0.0) - self._usual)
        says += _FITS * min(1.5, candidate.plain / max(rival.plain, 1e-3))
        says += _ASKED * (when.about == "now")
        if when.about != "then" and not _is_newer(one, other):
            return says > _NO_PAIR + _BACK
        if says > _NO_PAIR or says + _DECIDED <= _NO_PAIR:
            return says > _NO_PAIR
        return when.about != "then" and _is_newer(one, other) and outcome(one.text) == "decided"

    def _near_else(self, passage: Passage, pair: tuple[Passage, Passage]) -> float:
        """Return how near the two nearest other hits of its project are to one of a pair, on average."""
        documents = {one.document for one in pair}
        others = sorted(
            (
                self._near[self._place[passage.id]][at]
                for at, candidate in enumerate(self._crowd)
                if candidate.passage.document not in documents and candidate.passage.project == passage.project
            ),
            reverse=True,
        )[:_OTHERS]
        return (sum(others) + (_OTHERS - len(others)) * _APART) / _OTHERS


def _goes_before(candidate: Candidate, rival: Candidate, when: When) -> str | None:
    """Return why of two hits on one matter ``candidate`` comes first, if it does: by its date, or it alone decides."""
    one, other = candidate.passage, rival.passage
    if one.document == other.document or one.time is None or other.time is None:
        return None
    if _says_nothing(one) or (_is_open(one) and _is_decided(other)):
        return None
    if not all(map(str.isalpha, rival.exact - candidate.exact)):
        return None  # it holds a code that the other does not; what bears a name is replaced by what bears another
    if when.about == "then":
        comes = one.time < other.time and (one.status == "superseded" or other.status != "superseded")
        return "older on the same matter" if comes else None
    if one.status == "superseded":
        return None
    if _is_newer(one, other):
        return "newer on the same matter"
    if rival.exact - candidate.exact and when.about != "now":
        return None  # what is asked for by name may be the very thing that was only considered
    return "decided, not only considered" if _is_decided(one) and _is_open(other) else None


def _is_newer(one: Passage, other: Passage) -> bool:
    return one.time is not None and other.time is not None and one.time > other.time


def _is_open(passage: Passage) -> bool:
    """Say whether somebody only thought of something, or left it as it was."""
    return passage.layer == "session" and outcome(passage.text) == "open"


def _is_decided(passage: Passage) -> bool:
    """Say whether it tells how something is: a note that somebody keeps, or a conversation that came to a decision."""
    if passage.layer == "curated":
        return passage.status != "superseded"
    return outcome(passage.text) == "decided"


def one_of_each(candidates: Iterable[Candidate], limit: int) -> list[Candidate]:
    """Return the first ``limit`` without what says the same as a hit before it or fills the list with one document.

    Of two windows of one session that overlap by half, the one that says more stays, in the better one's place: the end
    of a session can be three short turns under a title that is all the question is about.
    """
    shown: list[tuple[Candidate, frozenset[tuple[str, ...]]]] = []
    for candidate in candidates:
        document = candidate.passage.document
        if len(shown) == limit and all(other.passage.document != document for other, _ in shown):
            continue  # only a window of a session that is shown can still take a place
        words = _triples(candidate.passage.text)
        same = next((at for at, (other, its) in enumerate(shown) if _is_same(candidate, words, other, its)), None)
        if same is not None:
            earlier, its_words = shown[same]
            of_one = earlier.passage.document == candidate.passage.document
            if of_one and len(words) > len(its_words) and candidate.score >= _SAYS_MORE * earlier.score:
                shown[same] = candidate, words
            continue
        of_it = sum(other.passage.document == document for other, _ in shown)
        if len(shown) < limit and of_it < _PER_DOCUMENT:
            shown.append((candidate, words))
    return [candidate for candidate, _ in shown]


def _triples(text: str) -> frozenset[tuple[str, ...]]:
    words = unicodedata.normalize("NFC", text).casefold().split()
    return frozenset(tuple(words[at : at + 3]) for at in range(max(1, len(words) - 2)))


def _is_same(
    one: Candidate, words: frozenset[tuple[str, ...]], other: Candidate, other_words: frozenset[tuple[str, ...]]
) -> bool:
    """Say whether two passages say the same: overlapping windows of one session, or a copy in another document."""
    fewer, more = sorted((len(words), len(other_words)))
    if one.passage.document == other.passage.document:
        # Windows of one session overlap where they share a message: a command's output can stand in several.
        events = set(one.passage.events), set(other.passage.events)
        return not (all(events) and events[0].isdisjoint(events[1])) and 2 * len(words & other_words) >= fewer
    if fewer < _SAME_WORDS * more:
        return False  # what only one of them says is too much already
    common = len(words & other_words)
    return common >= _SAME_WORDS * (fewer + more - common)
