"""What a question says about time: a range of days, or that it is about now or about how it once was.

Read in the person's zone from Korean and English words (``ranges`` has the days); nothing else of the question is
understood. What is read only moves hits up, it never hides one: people remember dates badly.
"""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import UTC, date, datetime, time, tzinfo
from typing import Final, Literal, NamedTuple

from wwt_vault.search.named_days import PAST_ENDING
from wwt_vault.search.ranges import days_in

__all__ = ["When", "read"]


class When(NamedTuple):
    """The time a question is about."""

    since: datetime | None = None
    """Half open: since ≤ time < until."""
    until: datetime | None = None
    about: Literal["now", "then"] | None = None
    """``then``: how it was at first, or in the range; ``now``: how it stands."""
    words: str = ""
    """What was read as a range, as it stands in the question."""
    past: bool = False
    """The question is about something that has happened, or why: not about how things stand, or what was decided."""

    @property
    def has_range(self) -> bool:
        """True when days are meant."""
        return self.since is not None or self.until is not None

    @property
    def asks_for_first(self) -> bool:
        """True where it is asked how it once was: what was replaced since answers that."""
        return self.about == "then" and not self.has_range

    def holds(self, moment: datetime | None) -> bool:
        """Say whether a moment lies in the range."""
        if moment is None or not self.has_range:
            return False
        return (self.since is None or self.since <= moment) and (self.until is None or moment < self.until)


_NOW: Final = re.compile(
    r"지금|현재|오늘날|요즘|요새|최신|최근|이제|아직|여전히"
    r"|\b(?:now|nowadays|currently|current|latest|newest|today|still|these days|at the moment|at present|up to date"
    r"|most recent(?:ly)?|any ?more|as of)\b",
    re.IGNORECASE,
)
_RIGHT_NOW: Final = re.compile(r"지금|현재|\b(?:now|currently|at the moment|at present)\b", re.IGNORECASE)
"""Days beside these say no when: ``체크인 3일 전 알림은 지금 누가 보내?``"""
_THEN: Final = re.compile(
    r"처음(?!부터 (?:다시|새로))|원래(?!대로)|당초|애초|애당초|최초|초기에|초기엔|초창기|초반에|초반엔"
    r"|예전|옛날|종전|과거에"
    r"|이전(?![하할한했해된될되됐을]|시[키켜킬킨])"  # not where something is moved: 서버를 이전하다
    r"|첫 (?:결정|선택|계획|버전|안|설계|기준|방식|담당)"
    r"|\b(?:originally|initially|at first|in the beginning|at the (?:beginning|start)"
    r"|in the (?:early|old) days|early on|to begin with"
    r"|first (?:choice|decision|version|plan|one|owner|design|setup|release|vendor)|back then"
    r"|(?<!is )(?<!are )(?<!be )(?<!been )used to|did (?:\w+ ){1,4}use to|previous(?:ly)?|former(?:ly)?"
    r"|start(?:ed)? (?:out|off)|once (?:had|was|were)"
    r"|(?:back )?when (?:we|they|it|this|the \w+) (?:started|began|launched)|what did (?:\w+ ){1,4}replace)\b(?! with)",
    re.IGNORECASE,
)
_EARLIER: Final = re.compile(
    r"\b(?:before|prior to|until|original|old|in the first|the first (?:\w+ ){1,3}(?:we|they|you|i))\b"
    r"|초기|전(?:에|엔|까지)|[기전]\s전\b|기존|구버전|(?<![가-힣])옛\s|(?:출시|시작|오픈|개업)(?:할|했을)?\s?때",
    re.IGNORECASE,
)
"""The same where the question is in the past tense: what is to be done before a release is about now."""

_TELLS: Final = re.compile(
    r"\b(?:did|was|were|had|would)(?:n't)?\b|^\W*when\b|^\W*(?:what|who|which)\s+\w+ed\b"
    r"|\b(?:has|have)(?:n't)?\s+(?:\w+\s+){0,3}(?:\w+ed|been|gone|done|made|seen|taken|become|got|had)\b"
    rf"|[{PAST_ENDING}]|더라",
    re.IGNORECASE,
)
_ONCE: Final = re.compile(
    r"\b(?:did|was|were|had)(?:n't)?\b"
    r"|\b(?!(?:need|feed|speed|seed|embed|exceed|proceed|succeed)\b)\w{2,}ed\b"
    r"|\b(?:gave|made|took|ran|sent|kept|held|paid|wrote|built|led|stood|went|came|drove|fed|got|chose|served)\b"
    rf"|[{PAST_ENDING}]|던",
    re.IGNORECASE,
)
_WHY: Final = re.compile(r"\b(?:why|caused?|reason|how come)\b|왜|이유|원인|까닭|때문", re.IGNORECASE)
_DECIDED: Final = re.compile(
    r"\b(?:decided?|agreed?|chose|chosen|settled?|picked|went with|ended? up|become|became|replaced?"
    r"|(?:switch|mov|migrat|chang|rais|lower)\w*\s(?:\w+\s)?to)\b"
    r"|기로\s?[했한]|정했|정한|결정|고른|골랐|계약|(?:으로|로)\s?(?:바[꾸꿨뀌뀐]|옮[기겼]|갈아|변경|교체|전환|올[리렸]|내[리렸려]|늘[리렸]|줄[이였]|넓)",
    re.IGNORECASE,
)
"""What was decided, or changed to, in the past holds today."""


def read(question: str, now: datetime, zone: tzinfo) -> When:
    """Return what ``question`` says about time. ``now`` is aware; days are those of ``zone``. Never raises."""
    about: Literal["now", "then"] | None = None
    if _THEN.search(question) or (_EARLIER.search(question) and _ONCE.search(question)):
        about = "then"
    elif _NOW.search(question):
        about = "now"
    with suppress(ValueError, OverflowError):  # days at the end of the calendar
        days = days_in(question, now.astimezone(zone).date())
        if days is not None and not _RIGHT_NOW.search(question.replace(days.words, " ")):
            since, until = (_moment(bound, zone) for bound in days[:2])
            return When(since=since, until=until, about="then", words=days.words)
    happened = _TELLS.search(question) is not None and not _DECIDED.search(question)
    return When(about=about, past=happened or _WHY.search(question) is not None)


def _moment(bound: date | None, zone: tzinfo) -> datetime | None:
    if bound is None:
        return None
    local = bound if isinstance(bound, datetime) else datetime.combine(bound, time())
    return local.replace(tzinfo=zone).astimezone(UTC)
