"""Weeks, months, quarters and years of the calendar, parts of them, and the words for those around today.

All as ``(first day, day after the last)``.
"""

from __future__ import annotations

import re
from calendar import isleap
from collections.abc import Callable
from datetime import date, timedelta
from typing import Final

__all__ = [
    "EN_PART_OF",
    "KO_PART",
    "NoDays",
    "Range",
    "Reader",
    "any_period",
    "days_ago",
    "last_begun",
    "one_day",
    "one_month",
    "one_year",
    "part_of",
    "read_part_of_period",
    "read_period",
    "some_months",
    "units_back",
    "up_to_today",
]

Range = tuple[date, date]
"""First day, and the day after the last. A ``datetime`` is that hour of a day."""
Reader = Callable[[re.Match[str], date], Range]
"""From words that were found, and today, to a range; ``ValueError`` or ``OverflowError`` where they name none."""


class NoDays(ValueError):
    """What looked like days is none here."""


def one_day(year: int, month: int, day: int) -> Range:
    """Return that day. Raises ``ValueError`` for one that does not exist."""
    first = date(year, month, day)
    return first, first + timedelta(days=1)


def one_month(year: int, month: int) -> Range:
    """Return that month."""
    return date(year, month, 1), date(year + month // 12, month % 12 + 1, 1)


def one_year(year: int) -> Range:
    """Return that year."""
    return date(year, 1, 1), date(year + 1, 1, 1)


def some_months(year: int, month: int, count: int) -> Range:
    """Return ``count`` months from the one that is ``month`` months into ``year``, or before it."""
    at, end = year * 12 + month - 1, year * 12 + month - 1 + count
    return date(at // 12, at % 12 + 1, 1), date(end // 12, end % 12 + 1, 1)


def last_begun(month: int, today: date, day: int = 1) -> int:
    """Return the year of the last such month, or day, that has begun; of 29 February the last leap year."""
    year = today.year if (month, day) <= (today.month, today.day) else today.year - 1
    while (month, day) == (2, 29) and not isleap(year):
        year -= 1
    return year


def days_ago(today: date, most: int, least: int | None = None) -> Range:
    """Return the day so many days ago, or all from ``most`` to ``least``."""
    return today - timedelta(days=most), today - timedelta(days=(most if least is None else least) - 1)


def units_back(unit: str, today: date, most: int, least: int | None = None) -> Range:
    """Return the unit of the calendar so many units ago: the whole week, month, quarter or year that it was then."""
    least = most if least is None else least
    if unit == "hour":
        return days_ago(today, -(-most // 24), 0)
    if unit == "day":
        return days_ago(today, most, least)
    if unit == "week":
        monday = today - timedelta(days=today.weekday())
        return monday - timedelta(days=7 * most), monday - timedelta(days=7 * least - 7)
    if unit == "year":
        return date(today.year - most, 1, 1), date(today.year - least + 1, 1, 1)
    size = 3 if unit == "quarter" else 1
    month = (today.month - 1) // size * size + 1
    return some_months(today.year, month - size * most, size * (most - least + 1))


def up_to_today(unit: str, today: date, count: int) -> Range:
    """Return the last so many days, weeks, months or years up to today."""
    if unit in _IN_DAYS:
        return today - timedelta(days=-(-count * _IN_DAYS[unit] // 24)), today + timedelta(days=1)
    months = count * {"month": 1, "quarter": 3, "year": 12}[unit]
    first, after = some_months(today.year, today.month - months, 1)
    return min(first + timedelta(days=today.day - 1), after - timedelta(days=1)), today + timedelta(days=1)


_IN_DAYS: Final = {"hour": 1, "day": 24, "week": 168}
"""In hours."""


def part_of(unit: str, whole: Range, part: str) -> Range:
    """Return the beginning, the middle or the end of a period; a half of it, or its first or last week."""
    first, after = whole
    part = re.sub(r"\s", "", part.casefold())
    if unit in ("year", "quarter"):
        year, month, count = first.year, first.month, 12 if unit == "year" else 3
        cuts = {"early": (0, count // 3), "mid": (count // 3, count // 3), "late": (count // 3 * 2, count // 3)}
        cuts |= {"half1": (0, count // 2), "half2": (count // 2, count - count // 2)}
        start, length = cuts[_PART_OF[part]]
        return some_months(year, month + start, length)
    length = (after - first).days
    cuts = {"early": (0, 10), "mid": (10, 20), "late": (20, length), "half1": (0, 15), "half2": (15, length)}
    if unit == "week":
        cuts = {"early": (0, 3), "mid": (2, 5), "late": (3, 7), "half1": (0, 4), "half2": (3, 7)}
    cuts |= {f"week{at}": (7 * at - 7, min(7 * at, length)) for at in range(1, 6)}
    cuts["week-1"] = (length - 7, length)
    start, end = cuts[_PART_OF[part]]
    return first + timedelta(days=start), first + timedelta(days=end)


_PART_WORDS: Final = {
    "early": "초|초반|초순|상순|early|beginning|start|first days",
    "mid": "중순|중반|중간|mid|middle",
    "late": "말|말경|하순|후반|막판|late|end|last days",
    "half1": "상반기|전반기|first half",
    "half2": "하반기|후반기|second half|latter half",
    "week1": "첫째 주|첫 주|첫주|첫번째 주|1주차|first week",
    "week2": "둘째 주|두번째 주|2주차|second week",
    "week3": "셋째 주|세번째 주|3주차|third week",
    "week4": "넷째 주|네번째 주|4주차|fourth week",
    "week5": "다섯째 주|5주차",
    "week-1": "마지막 주|마지막주|last week",
}
_PART_OF: Final = {
    re.sub(r"\s", "", word): name for name, words in _PART_WORDS.items() for word in words.split("|")
} | {"h1": "half1", "h2": "half2", "1": "half1", "2": "half2"}


def _words_for(*, korean: bool) -> str:
    words = [word for name in _PART_WORDS for word in _PART_WORDS[name].split("|") if word.isascii() != korean]
    return "|".join(word.replace(" ", r"\s?") for word in sorted(words, key=len, reverse=True))


KO_PART: Final = rf"(?P<part>{_words_for(korean=True)})(?![가-힣]{{2}})"
_EN_PART: Final = rf"(?P<part>{_words_for(korean=False)})"
EN_PART_OF: Final = rf"\b(?:(?P<part>{_words_for(korean=False)}) of(?: the)? |(?P<part2>early|mid|late)(?:[ -]| in ))"

_PERIOD_WORDS: Final = {
    ("week", 2): "지지난 주|저저번 주|the week before last",
    ("week", 1): "지난 주|저번 주|last week|previous week",
    ("week", 0): "이번 주|금주|this week",
    ("month", 2): "지지난 달|저저번 달|the month before last",
    ("month", 1): "지난 달|저번 달|last month|previous month",
    ("month", 0): "이번 달|이 달|this month",
    ("quarter", 2): "지지난 분기|the quarter before last",
    ("quarter", 1): "지난 분기|저번 분기|직전 분기|전 분기|last quarter|previous quarter",
    ("quarter", 0): "이번 분기|금 분기|this quarter",
    ("year", 2): "재작년|the year before last",
    ("year", 1): "작년|지난해|last year|previous year",
    ("year", 0): "올해|금년|this year",
}
_PERIOD_OF: Final = {re.sub(r"\s", "", word): it for it, words in _PERIOD_WORDS.items() for word in words.split("|")}
_NOT_A_WEEK: Final = r"(?<!주)|(?<=주)(?!소|문|제|기|요|식|변|석|어진|의\s?사항|말)"
"""``지난 주소``, ``이번 주제``: words that begin alike."""


def any_period(*, korean: bool) -> str:
    """Return the pattern of weeks, months, quarters and years around today, in one of the languages."""
    words = [word for word in "|".join(_PERIOD_WORDS.values()).split("|") if word.isascii() != korean]
    either = "|".join(word.replace(" ", r"\s?" if korean else r"\s") for word in sorted(words, key=len, reverse=True))
    return rf"(?<![가-힣])(?P<period>{either})(?:{_NOT_A_WEEK})" if korean else rf"\b(?P<period>{either})\b"


def read_period(match: re.Match[str], today: date) -> tuple[str, Range]:
    """Return the unit of a period around today, and its days."""
    unit, back = _PERIOD_OF[re.sub(r"\s", "", match["period"].casefold())]
    return unit, units_back(unit, today, back)


def read_part_of_period(match: re.Match[str], today: date) -> Range:
    """``지난달 말``, ``the end of last month``."""
    named = match.groupdict()
    return part_of(*read_period(match, today), named["part"] or named.get("part2") or "")
