"""What a question says about time: a range of days, or that it is about now or about how it once was.

Read in the person's zone from Korean and English words; nothing else of the question is understood. A month without a
year is the last one that has begun. What is read only moves hits up, it never hides one: people remember dates badly.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Final, Literal, NamedTuple

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
    r"지금|현재|요즘|요새|최신|최근|이제|아직|여전히"
    r"|\b(?:now|nowadays|currently|current|latest|newest|today|still|these days|at the moment|at present|up to date"
    r"|most recent(?:ly)?|any ?more|as of)\b",
    re.IGNORECASE,
)
_THEN: Final = re.compile(
    r"처음(?!부터 (?:다시|새로))|원래(?!대로)|당초|애초|애당초|최초|초기에|초기엔|초창기|초반에|초반엔"
    r"|예전|옛날|종전|과거에"
    r"|이전(?![하할한했해된될되됐을]|시[키켜킬킨])"  # not where something is moved: 서버를 이전하다
    r"|\b(?:originally|initially|at first|in the beginning|at the (?:beginning|start)"
    r"|in the (?:early|old) days|early on|to begin with"
    r"|first (?:choice|decision|version|plan|one|owner|design|setup|release|vendor)|back then"
    r"|(?<!is )(?<!are )(?<!be )(?<!been )used to|did (?:\w+ ){1,4}use to|previous(?:ly)?|former(?:ly)?"
    r"|start(?:ed)? (?:out|off)|once (?:had|was|were))\b",
    re.IGNORECASE,
)
_EARLIER: Final = re.compile(
    r"\b(?:before|prior to|until|original|old|in the first)\b|초기|전(?:에|엔|까지)|[기전]\s전\b", re.IGNORECASE
)
"""The same where the question is in the past tense: what is to be done before a release is about now."""

_PAST: Final = re.compile(r"\b(?:did|was|were|had|have|happened|said|decided|changed|today's)\b", re.IGNORECASE)
_PAST_ENDING: Final = "".join(chr(code) for code in range(ord("갔"), ord("힣"), 28) if chr(code) not in "있겠")
"""Syllables that end in ㅆ, every 28th: what Korean verbs have in the past tense, but for ``있다`` and ``겠``."""
_TELLS: Final = re.compile(
    r"\b(?:did|was|were|had|would)(?:n't)?\b|^\W*when\b|^\W*(?:what|who|which)\s+\w+ed\b"
    r"|\b(?:has|have)(?:n't)?\s+(?:\w+\s+){0,3}(?:\w+ed|been|gone|done|made|seen|taken|become|got|had)\b"
    rf"|[{_PAST_ENDING}]|더라",
    re.IGNORECASE,
)
_ONCE: Final = re.compile(rf"\b(?:did|was|were|had)(?:n't)?\b|[{_PAST_ENDING}]|던", re.IGNORECASE)
_WHY: Final = re.compile(r"\b(?:why|caused?|reason|how come)\b|왜|이유|원인|까닭|때문", re.IGNORECASE)
_DECIDED: Final = re.compile(
    r"\b(?:decided?|agreed?|chose|chosen|settled?|picked|went with|ended? up|become|became|replaced?"
    r"|(?:switch|mov|migrat|chang|rais|lower)\w*\s(?:\w+\s)?to)\b"
    r"|기로\s?[했한]|정했|정한|결정|고른|골랐|계약|(?:으로|로)\s?(?:바[꾸꿨뀌뀐]|옮[기겼]|갈아|변경|교체|전환|올[리렸]|내[리렸려]|늘[리렸]|줄[이였]|넓)",
    re.IGNORECASE,
)
"""What was decided, or changed to, in the past holds today."""
_MONTHS: Final = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
_MONTH: Final = "|".join(f"{name}|{name[:3]}" for name in _MONTHS if name != "may") + "|sept|may"
_DAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")

_Range = tuple[date, date]
"""First day, and the day after the last."""


def read(question: str, now: datetime, zone: tzinfo) -> When:
    """Return what ``question`` says about time. ``now`` is aware; days are those of ``zone``."""
    today = now.astimezone(zone).date()
    about: Literal["now", "then"] | None = None
    if _THEN.search(question) or (_EARLIER.search(question) and _ONCE.search(question)):
        about = "then"
    elif _NOW.search(question):
        about = "now"
    for pattern, ranged in _RANGES:
        match = pattern.search(question)
        if not match or (match[0].casefold() == "today" and not _PAST.search(question)):
            continue  # "which one do we use today" is about now
        try:
            first, after = ranged(match, today)
            since, until = (
                datetime.combine(day, time(), zone).astimezone(UTC) if day else None
                for day in _with_direction(question, match, first, after)
            )
        except (ValueError, OverflowError):
            continue  # 31 February, the year 0
        return When(since=since, until=until, about="then", words=match[0].strip())
    happened = _TELLS.search(question) is not None and not _DECIDED.search(question)
    return When(about=about, past=happened or _WHY.search(question) is not None)


def _with_direction(question: str, match: re.Match[str], first: date, after: date) -> tuple[date | None, date | None]:
    """Return the range as the words around it mean it: before it, since it, or in it."""
    before, behind = question[: match.start()], question[match.end() :]
    if re.search(r"\b(?:before|prior to|until|till|up to|by)\s+(?:the\s+)?$", before, re.IGNORECASE):
        return None, after if re.search(r"(?:until|till|up to|by)\s+(?:the\s+)?$", before, re.IGNORECASE) else first
    if re.search(r"\b(?:since|after|from)\s+(?:the\s+)?$", before, re.IGNORECASE):
        return after if re.search(r"after\s+(?:the\s+)?$", before, re.IGNORECASE) else first, None
    if re.match(r"\s*(?:이전|전에|전까지)", behind):
        return None, first
    if re.match(r"\s*까지", behind):
        return None, after
    if re.match(r"\s*(?:이후|부터|뒤로)", behind):
        return first, None
    return first, after


def _day(year: int, month: int, day: int) -> _Range:
    first = date(year, month, day)
    return first, first + timedelta(days=1)


def _month(year: int, month: int) -> _Range:
    return date(year, month, 1), date(year + month // 12, month % 12 + 1, 1)


def _last(month: int, today: date, day: int = 1) -> int:
    """Return the year of the last such month, or day, that has begun."""
    return today.year if (month, day) <= (today.month, today.day) else today.year - 1


def _ago(today: date, days: int) -> _Range:
    return today - timedelta(days=days), today - timedelta(days=days - 1)


def _week(today: date, back: int) -> _Range:
    monday = today - timedelta(days=today.weekday() + 7 * back)
    return monday, monday + timedelta(days=7)


def _months_back(today: date, back: int) -> _Range:
    count = today.year * 12 + today.month - 1 - back
    return _month(count // 12, count % 12 + 1)


def _year(year: int) -> _Range:
    return date(year, 1, 1), date(year + 1, 1, 1)


def _since_units(match: re.Match[str], today: date) -> _Range:
    """``3 weeks ago``, ``두 달 전``: the whole week, month or year of the calendar that it was then, or the day."""
    count = _number(match["count"])
    unit = match["unit"].casefold().rstrip("s")
    if unit in {"month", "달", "개월"}:
        return _months_back(today, count)
    if unit in {"year", "년"}:
        return _year(today.year - count)
    return _ago(today, count) if unit in {"day", "일"} else _week(today, count)


def _number(text: str) -> int:
    words = {"a": 1, "an": 1, "one": 1, "two": 2, "a couple of": 2, "three": 3, "four": 4, "five": 5, "six": 6}
    words |= {"한": 1, "두": 2, "세": 3, "네": 4, "다섯": 5, "여섯": 6}
    found = words.get(text.casefold())
    return int(text) if found is None else found


def _month_name(text: str) -> int:
    return next(at + 1 for at, name in enumerate(_MONTHS) if name.startswith(text.casefold()[:3]))


def _english_month(match: re.Match[str], today: date) -> _Range:
    month = _month_name(match["month"])
    year = int(match["year"]) if match["year"] else _last(month, today)
    return _month(year, month)


def _english_day(match: re.Match[str], today: date) -> _Range:
    month, day = _month_name(match["month"] or match["month2"]), int(match["day"] or match["day2"])
    year = match["year"] or match["year2"]
    return _day(int(year) if year else _last(month, today, day), month, day)


def _korean_month(match: re.Match[str], today: date) -> _Range:
    month, day = int(match["month"]), match["day"]
    if match["year"]:
        year = int(match["year"])
    elif match["last"]:
        year = today.year - 1
    else:
        year = _last(month, today, int(day or 1))
    if day:
        return _day(year, month, int(day))
    first, after = _month(year, month)
    third = {"초": (1, 11), "중순": (11, 21), "말": (21, 0)}.get(match["part"] or "")
    if third:
        return first.replace(day=third[0]), first.replace(day=third[1]) if third[1] else after
    return first, after


def _weekday(match: re.Match[str], today: date) -> _Range:
    name = match["day"]
    at = _DAYS.index(name.casefold()) if name.isascii() else "월화수목금토일".index(name)
    return _ago(today, (today.weekday() - at - 1) % 7 + 1)


_Reader = Callable[[re.Match[str], date], _Range]
_RANGES: Final[tuple[tuple[re.Pattern[str], _Reader], ...]] = tuple(
    (re.compile(pattern, re.IGNORECASE), ranged)
    for pattern, ranged in (
        (
            r"(?<![\w.])(?P<year>20\d\d)[-./](?P<month>\d\d?)[-./](?P<day>\d\d?)(?!\d)",
            lambda m, _: _day(int(m["year"]), int(m["month"]), int(m["day"])),
        ),
        (
            r"(?<![\d./-])(?P<year>20\d\d)-(?P<month>\d\d)(?![\d.-])",
            lambda m, _: _month(int(m["year"]), int(m["month"])),
        ),
        (
            (
                r"(?:(?P<year>20\d\d)년\s*|(?P<last>작년|지난해)\s*|지난\s*|올해\s*)?(?<!\d)(?P<month>1[0-2]|[1-9])월"
                r"(?:\s*(?P<day>[12]\d|3[01]|[1-9])일|\s*(?P<part>초|중순|말)(?![가-힣]{2}))?"
            ),
            _korean_month,
        ),
        (
            (
                rf"\b(?P<month>{_MONTH})\.? (?P<day>\d\d?)(?:st|nd|rd|th)?\b(?:,? (?P<year>20\d\d))?"
                rf"|\b(?P<day2>\d\d?)(?:st|nd|rd|th)? (?:of )?(?P<month2>{_MONTH})\b\.?(?:,? (?P<year2>20\d\d))?"
            ),
            _english_day,
        ),
        (rf"\b(?P<month>{_MONTH})\.?,? (?P<year>20\d\d)\b", _english_month),
        (rf"(?:(?<=\bin )|(?<=\blast ))(?P<month>{_MONTH})\b(?P<year>)", _english_month),
        (
            (
                rf"(?:(?<=\bsince )|(?<=\bbefore )|(?<=\bafter )|(?<=\buntil )|(?<=\bduring )|(?<=\bfrom )|(?<=\bby ))"
                rf"(?P<month>{_MONTH})\b(?P<year>)"
            ),
            _english_month,
        ),
        (r"그저께|그제|엊그제|\bthe day before yesterday\b", lambda _, today: _ago(today, 2)),
        (r"어제|\byesterday\b", lambda _, today: _ago(today, 1)),
        (r"오늘|\btoday\b|\bthis (?:morning|afternoon|evening)\b", lambda _, today: _ago(today, 0)),
        (r"지지난\s?주|저저번\s?주|\bthe week before last\b", lambda _, today: _week(today, 2)),
        (r"(?:지난|저번|전)\s?주(?!소|문|제|기|요)|\blast week\b", lambda _, today: _week(today, 1)),
        (r"(?:이번|금)\s?주(?!소|문|제|기|요)|\bthis week\b", lambda _, today: _week(today, 0)),
        (r"지지난\s?달|\bthe month before last\b", lambda _, today: _months_back(today, 2)),
        (r"(?:지난|저번|전)\s?달|\blast month\b", lambda _, today: _months_back(today, 1)),
        (r"이번\s?달|이달|\bthis month\b", lambda _, today: _months_back(today, 0)),
        (
            r"(?<![\w가-힣])(?P<count>\d{1,3}|한|두|세|네|다섯|여섯)\s?(?P<unit>일|주일|주|달|개월|년)\s?전",
            _since_units,
        ),
        (
            (
                r"\b(?P<count>\d{1,3}|an?|one|two|a couple of|three|four|five|six) "
                r"(?P<unit>(?:day|week|month|year)s?) ago\b"
            ),
            _since_units,
        ),
        (r"재작년|\bthe year before last\b", lambda _, today: _year(today.year - 2)),
        (r"작년|지난해|\blast year\b", lambda _, today: _year(today.year - 1)),
        (r"올해|\bthis year\b", lambda _, today: _year(today.year)),
        (r"(?<!\d)(?P<year>20\d\d)년", lambda m, _: _year(int(m["year"]))),
        (r"(?<=\bin )(?P<year>20\d\d)\b(?![-./]\d)", lambda m, _: _year(int(m["year"]))),
        (rf"(?<=\bon )(?P<day>{'|'.join(_DAYS)})\b", _weekday),
        (rf"(?<=\blast )(?P<day>{'|'.join(_DAYS)})\b", _weekday),
        (r"(?:지난|저번|이번)\s?(?:주\s?)?(?P<day>[월화수목금토일])요일", _weekday),
    )
)
"""In the order in which they are tried: the first that fits is taken."""
