"""Questions about days and nothing else: ``지난주에 뭐 했지?``, ``what did we decide in October?``.

No word of such a question tells one text of those days from another, and in meaning it is near to none. The days are
the answer, then: the conversations and notes of them, newest first, each once. Where a project is named besides, they
are those of that project. Where a subject is (``10월에 결제 쪽 뭐 바꿨어?``), it is looked up, and the days count for
more.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence, Set
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from wwt_vault.index.analysis import ask
from wwt_vault.index.korean import HANGUL, is_particle
from wwt_vault.model.knowledge import Filters, Passage
from wwt_vault.search.candidates import Candidate
from wwt_vault.search.when import When

if TYPE_CHECKING:
    from wwt_vault.index import Index

__all__ = ["asked_besides", "of_those_days", "on_subject", "subject"]

_LOOKED_AT: Final = 1000
"""Newest passages of the days from which the list is made: several hundred turns of conversation."""

_DOING: Final = frozenset(
    "anyth everyth someth thing stuff work happen decid decis fix chang discuss talk said say made make build built"  # noqa: SIM905 - reads as words
    " finish complet ship learn progress go went come came got get done up off summari summar recap overview list show"
    " tell me us about all new so far sinc befor after dure until till session convers chat last latest recent late"
    " time leav left activ yesterday today togeth again day week month year am thi than"
    " over within throughout across earlier regard concern relat side"
    " 일 작업 결정 정하 고치 바꾸 얘기 이야기 논의 대화 말 나누 진행 정리 요약 만들 끝내 마치 변경 수정 처리 내용 세션"
    " 사항 마지막 최근 요즘 요새 주 달 월 년 날 한 알리 알려주 보이 보여주 다 전부 모두 좀 우리 동안 사이 이후 까지"
    " 가장 쪽 관련 관하 대하 부분 측".split()
)
"""Words that ask for what was done, said or decided, and not about what."""

_A_SUBJECT: Final = 2
"""Words; with more it is told apart by what it says."""
_ASKS_WHAT: Final = re.compile(
    r"뭐|뭘|무엇|무슨|어떤|한\s?[거것일게]|있었|정리|요약|알려|보여"
    r"|\b(?:what|anything|everything|summar\w+|recap|list|show|tell)\b",
    re.IGNORECASE,
)

_LEADING: Final = re.compile(
    r"(?<=\s)(?:쪽(?:에서|에|은|으로|의)?|관련(?:해서|해|하여|된|한|으로)?|대해서?|관해서?)(?=\s)|\b(?:regarding|concerning)\b",
    re.IGNORECASE,
)

_LATEST: Final = re.compile(
    r"최근|요즘|요새|지난\s?번|저번|마지막|아까|방금|어디\s?까지"
    r"|\b(?:recently|lately|last time|(?:last|latest|previous) (?:session|conversation|chat)|(?:leave|left) off)\b",
    re.IGNORECASE,
)
"""The question is about what came last, whatever day that was."""


def asked_besides(question: str, when: When) -> frozenset[str] | None:
    """Return what is asked for besides what was on certain days, or what came last; ``None`` if neither is asked.

    Words by their first term, as ``index.analysis`` has it. Empty where nothing else is asked.
    """
    if not when.has_range and not _LATEST.search(question):
        return None
    if ask(question).phrases:
        return None
    words = _first_terms(question) - (_DOING - {"알리"} if "알림" in question else _DOING)  # notices, not "tell me"
    if when.words:
        # Words that were read as days are among those of the question, and not of the rest. What they leave behind of a
        # Korean word is among those of the rest, and not of the question.
        words &= _first_terms(_without(when.words, question))
    return words


def subject(question: str, besides: Set[str] | None, when: When) -> Set[str]:
    """Return what is asked for besides the days where it is asked what was done on a subject: one word of it or two.

    ``10월에 결제 쪽 뭐 바꿨어?``: other days have spoken of it as well, so the days say more than anything else.
    ``besides`` is what ``asked_besides`` returned; here words are as they stand in the question, as hits name them.
    Empty where more is asked: then it is told apart by what it says.
    """
    if not besides or len(besides) > _A_SUBJECT or not when.has_range or _LATEST.fullmatch(when.words):
        return frozenset()
    if not _ASKS_WHAT.search(question):
        return frozenset()
    return frozenset(concept.surface for concept in ask(question).concepts if concept.terms[0] in besides)


def on_subject(question: str, when: When, *, by_words: bool) -> str:
    """Return a question without the words for its days: those who spoke of its subject then did not say them.

    ``by_words``: also without what leads to the subject, ``쪽`` or ``관련해서``. Few texts hold those words, which then
    weigh more than the subject itself; to a model they say what kind of question it is.
    """
    text = _without(when.words, question)
    return _LEADING.sub(" ", text) if by_words else text


def _without(words: str, question: str) -> str:
    """Return a question without words of it, and without the particle behind them.

    Alone, that is a word which the process that ``index.analysis.begin`` has started was not asked for.
    """
    return re.sub(
        rf"{re.escape(words)}([{HANGUL}]*)",
        lambda match: " " if is_particle(match[1]) else f" {match[1]}",
        question,
    )


def of_those_days(
    index: Index,
    filters: Filters,
    when: When,
    besides: Collection[str],
    *,
    also: Mapping[str, Sequence[str]],
    is_hidden: Callable[[Passage], bool],
) -> list[Candidate]:
    """Return conversations and notes of the days, newest first: of each where it begins then.

    Those of projects alone that are named by all of ``besides``; ``also`` tells other names of what is in the question,
    as ``index.also`` does. Pages are left out unless ``filters`` ask for them:
    their time is often that of a file that was copied.
    """
    if _LATEST.fullmatch(when.words):
        when = When()  # what came last, if that was longer ago than "recently" is taken for
    since = max((one for one in (filters.since, when.since) if one), default=None)
    until = min((one for one in (filters.until, when.until) if one), default=None)
    newest = index.newest(replace(filters, since=since, until=until), _LOOKED_AT)
    wanted = [
        passage for passage in newest if (passage.layer != "page" or filters.layer == "page") and not is_hidden(passage)
    ]
    if besides:
        projects = {passage.project for passage in wanted}
        named = {project for project in projects if project and _names(project, also) >= set(besides)}
        wanted = [passage for passage in wanted if passage.project in named]
    reason = f"time: {when.words}" if when.has_range else "newest first"
    return [Candidate(passage=passage, score=1.0, reasons=[reason]) for passage in _first_of_each(wanted)]


def _names(project: str, also: Mapping[str, Sequence[str]]) -> frozenset[str]:
    """Return the words that name a project: its own, and those of the question that the glossary says it goes by."""
    own = _first_terms(project)
    others = (member for member, names in also.items() if any(_first_terms(name) == own for name in names))
    return own.union(*map(_first_terms, others))


def _first_terms(text: str) -> frozenset[str]:
    return frozenset(concept.terms[0] for concept in ask(text).concepts)


def _first_of_each(passages: Iterable[Passage]) -> list[Passage]:
    first: dict[str, Passage] = {}
    for passage in passages:
        earlier = first.get(passage.document)
        if earlier is None or passage.line < earlier.line:
            first[passage.document] = passage  # in the place of its newest one
    return list(first.values())
