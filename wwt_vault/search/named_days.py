"""Words for days in Korean and English, and which days they are: dates, periods and their parts.

Each ``read_`` function reads what one of the patterns of ``ranges`` found, by the groups that it has. Without a year it
is the last one that has begun.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from typing import Final

from wwt_vault.index.korean import ending_in
from wwt_vault.search.periods import (
    Range,
    days_ago,
    last_begun,
    one_day,
    one_month,
    one_year,
    part_of,
    some_months,
    units_back,
)

__all__ = [
    "EN_PART_OF",
    "EN_PERIOD",
    "HAPPENED",
    "KO_PART",
    "KO_PERIOD",
    "MONTH",
    "MONTHS",
    "ORDINAL",
    "PAST_ENDING",
    "PLAIN_QUESTION",
    "WEEKDAY",
    "WEEKDAYS",
    "NoDays",
    "Reader",
    "closed_up",
    "either",
    "groups",
    "read_korean_day",
    "read_last_night",
    "read_named",
    "read_span",
    "read_weekend",
    "where_told",
]

Reader = Callable[[re.Match[str], date], Range]
"""From words that were found, and today, to a range; ``ValueError`` or ``OverflowError`` where they name none."""


class NoDays(ValueError):
    """What looked like days is none here."""


# --- Months, parts, periods -------------------------------------------------------------------------------------------

MONTHS: Final = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
MONTH: Final = f"(?=[adfjmnos])(?:{'|'.join(f'{name}|{name[:3]}' for name in MONTHS if name != 'may')}|sept|may)"
"""What it may begin with is said first: that no word of a long question is tried against all twelve."""
WEEKDAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
WEEKDAY: Final = "|".join(WEEKDAYS)
ORDINAL: Final = "(?:st|nd|rd|th)"
_NTH: Final = {"first": 1, "second": 2, "third": 3, "fourth": 4, "상": 1, "하": 2}
_SEASONS: Final = {"봄": 3, "spring": 3, "여름": 6, "summer": 6, "겨울": 12, "winter": 12}
_YEARS_BACK: Final = {
    "재작년": 2,
    "작년": 1,
    "지난해": 1,
    "last year": 1,
    "올": 0,
    "올해": 0,
    "금년": 0,
    "this year": 0,
}

_PARTS: Final = {
    "early": "초|초반|초순|상순|early|beginning|start|first days",
    "mid": "중순|중반|중간|mid|middle",
    "late": "말|말경|하순|후반|막판|late|end|last days",
    "half1": "상반기|전반기|first half",
    "half2": "하반기|후반기|second half|latter half",
    "week1": "첫째 주|첫 주|첫번째 주|1주차|first week",
    "week2": "둘째 주|두번째 주|2주차|second week",
    "week3": "셋째 주|세번째 주|3주차|third week",
    "week4": "넷째 주|네번째 주|4주차|fourth week",
    "week5": "다섯째 주|5주차",
    "week-1": "마지막 주|last week",
}
_PERIODS: Final = {
    ("week", 2): "지지난 주|저저번 주|the week before last",
    ("week", 1): "지난 주|저번 주|last week|previous week",
    ("week", 0): "이번 주|금주|this week",
    ("month", 2): "지지난 달|저저번 달|the month before last",
    ("month", 1): "지난 달|저번 달|last month|previous month",
    ("month", 0): "이번 달|이 달|this month",
    ("quarter", 2): "지지난 분기",
    ("quarter", 1): "지난 분기|저번 분기|직전 분기|전 분기|last quarter|previous quarter",
    ("quarter", 0): "이번 분기|금 분기|this quarter",
    ("year", 2): "재작년|the year before last",
    ("year", 1): "작년|지난해|last year|previous year",
    ("year", 0): "올해|금년|this year",
}


def closed_up(words: str) -> str:
    """Return the words in small letters, without blanks."""
    return re.sub(r"\s", "", words.casefold())


_PART_OF: Final = {closed_up(word): part for part, words in _PARTS.items() for word in words.split("|")}
_PERIOD_OF: Final = {closed_up(word): period for period, words in _PERIODS.items() for word in words.split("|")}


def either(*words: str, korean: bool) -> str:
    """Return a pattern for those of the words that are of one language, the longest first; spaces may be left out."""
    its = (word for word in "|".join(words).split("|") if word.isascii() != korean)
    return "|".join(word.replace(" ", r"\s?") for word in sorted(its, key=len, reverse=True))


KO_PART: Final = rf"(?P<part>{either(*_PARTS.values(), korean=True)})(?![가-힣]{{2}})"
EN_PART_OF: Final = (
    rf"\b(?=[befslmt])(?:(?P<part>{either(*_PARTS.values(), korean=False)}) of(?: the)? "
    r"|(?P<part2>early|mid|late)(?:[ -]| in ))"
)
KO_PERIOD: Final = (
    rf"(?<![가-힣])(?P<period>{either(*_PERIODS.values(), korean=True)})"
    r"(?:(?<!주)|(?<=주)(?!소|문|제|기|요|식|변|석|어진|의\s?사항|말|차|인공|간|민|입|최|류|행|령))"
    r"(?:(?<!달)|(?<=달)(?!력|러|성|라[진지]|리기))"  # 지난 주소, 이번 주제, 이번 달력 begin alike
)
EN_PERIOD: Final = rf"\b(?=[lpt])(?P<period>{either(*_PERIODS.values(), korean=False)})\b"

# --- Days by their names ----------------------------------------------------------------------------------------------


def read_named(match: re.Match[str], today: date) -> Range:
    """A month or a day of it, a quarter, a half, a season, a week, a year, a day of the week; or a part of them.

    ``작년 3월 11일``, ``the end of October``, ``Q3 2025``, ``지난 여름``, ``지난주 금요일``.
    """
    named = groups(match)
    year = _year(named, today)
    if "weekday" in named:
        return _weekday(named, today)
    if "season" in named:
        return _season(named, year, today)
    if "quarter" in named or "half" in named:
        size, at = (3, named["quarter"]) if "quarter" in named else (6, named["half"])
        month = size * ((_NTH.get(at.casefold()) or int(at)) - 1) + 1
        return some_months(last_begun(month, today) if year is None else year, month, size)
    if "month" in named:
        unit, whole = "month", _month(match, named, year, today)
    elif "day" in named:
        return _day_of_month(named, today)
    elif "period" in named:
        unit, back = _PERIOD_OF[closed_up(named["period"])]
        whole = units_back(unit, today, back)
    else:
        unit, whole = "year", one_year(int(named["year"]))
    return part_of(unit, whole, _PART_OF[closed_up(named["part"])]) if "part" in named else whole


def groups(match: re.Match[str]) -> dict[str, str]:
    """Return what the groups of a pattern found; those of its second way to say it by the names of the first."""
    return {name.rstrip("2"): found for name, found in match.groupdict().items() if found}


def _year(named: dict[str, str], today: date) -> int | None:
    if "year" in named:
        year = int(named["year"])
        return year if year >= 100 else 2000 + year  # 25년 3월
    back = _YEARS_BACK.get(named.get("which", "").casefold())
    return None if back is None else today.year - back


def _month(match: re.Match[str], named: dict[str, str], year: int | None, today: date) -> Range:
    name, day = named["month"], named.get("day")
    before = match.string[: match.start()].casefold()
    is_told = before.endswith("on ") or re.search(rf"\d{ORDINAL}", match[0])
    if (day and name in ("may", "march", "mar") and not is_told) or before.endswith("which "):
        raise NoDays  # which of the 3 may fail
    month = _month_number(name)
    if year is None:
        if before.endswith("next "):
            raise NoDays
        year = last_begun(month, today, int(day or 1))
        if not day and before.endswith("last ") and month == today.month:
            year -= 1
    if not day:
        return one_month(year, month)
    found = one_day(year, month, int(day))
    return units_back("week", found[0], 0) if before.endswith("week of ") else found


def _day_of_month(named: dict[str, str], today: date) -> Range:
    """Return the 24th of a month; of the last one that had begun it, where none is named."""
    unit, back = _PERIOD_OF[closed_up(named["period"])] if "period" in named else ("month", 0)
    if unit != "month":
        raise NoDays
    day = int(named["day"])
    if "period" not in named and day > today.day:
        back = 1
    month = units_back("month", today, back)[0]
    return one_day(month.year, month.month, day)


def _month_number(name: str) -> int:
    return int(name) if name.isdigit() else 1 + [month[:3] for month in MONTHS].index(name.casefold()[:3])


def _season(named: dict[str, str], year: int | None, today: date) -> Range:
    """Return a season of the northern half of the earth; the winter by its December. The last one is over."""
    month = _SEASONS.get(named["season"].casefold(), 9)
    if year is None:
        year = last_begun(month, today)
        is_over = year * 12 + month + 2 < today.year * 12 + today.month
        if named.get("which", "").casefold() in ("지난", "last") and not is_over:
            year -= 1
    return some_months(year, month, 3)


def _weekday(named: dict[str, str], today: date) -> Range:
    """Return the last such day before today, or that of a week."""
    name = named["weekday"].casefold()
    at = WEEKDAYS.index(name) if name.isascii() else "월화수목금토일".index(name)
    if "period" not in named:
        return days_ago(today, (today.weekday() - at - 1) % 7 + 1)
    unit, back = _PERIOD_OF[closed_up(named["period"])]
    if unit != "week":
        raise NoDays
    return days_ago(units_back(unit, today, back)[0], -at)


def read_span(match: re.Match[str], today: date) -> Range:
    """``March 3 to 7``, ``3월 3일부터 7일까지``, ``11~2월``: from the one to the other."""
    named = groups(match)
    if re.search(r"\band\b", match[0]) and not re.match(r"between\b", match[0], re.IGNORECASE):
        raise NoDays
    month, to, year = _month_number(named["month"]), int(named["to"]), _year(named, today)
    if "day" in named:
        day = int(named["day"])
        year = last_begun(month, today, day) if year is None else year
        return date(year, month, day), one_day(year, month, to)[1]
    year = last_begun(to, today) - (month > to) if year is None else year
    return some_months(year, month, (to - month) % 12 + 1)


def read_weekend(match: re.Match[str], today: date) -> Range:
    """``지난 주말``, ``last weekend``: the last that is over; ``this weekend``: that of this week."""
    saturday = today - timedelta(days=today.weekday() - 5)
    if not match[0].casefold().startswith(("이번", "this")):
        saturday -= timedelta(days=7)
    return saturday, saturday + timedelta(days=2)


def read_last_night(_: re.Match[str], today: date) -> Range:
    """From the evening of yesterday into the small hours."""
    return datetime.combine(today - timedelta(days=1), time(17)), datetime.combine(today, time(6))


# --- Where something happened ----------------------------------------------------------------------------------------

PAST_ENDING: Final = ending_in(20, without="있겠")
"""What Korean verbs end in in the past tense, ㅆ, but for ``있다`` and ``겠``."""
HAPPENED: Final = re.compile(
    r"\b(?:did|was|were|had|have|has|happened|said|decided|changed|been|went|broke|today's)\b"
    rf"|[{PAST_ENDING}]|있었|더라|한\s?[거것일게]|[하했]던",
    re.IGNORECASE,
)
PLAIN_QUESTION: Final = re.compile(
    r"\b(?:do|does|can|should|may|must|will|would|are|is)\b|\bto (?:only )?\w+\s+$|\b(?:only|just)\s+$", re.IGNORECASE
)


def read_korean_day(match: re.Match[str], today: date) -> Range:
    """``금요일에``, ``24일에``, where it is asked what happened; not ``매주 금요일``, nor what is to be on Fridays."""
    again = r"기로|매주|매월|매달|마다|평일|(?:요일|\d일)\s?(?:에는|엔)"
    if not HAPPENED.search(match.string) or re.search(again, match.string):
        raise NoDays
    return read_named(match, today)


def where_told(otherwise: re.Pattern[str] | None, ranged: Reader) -> Reader:
    """Return a reader for words that are days only where something happened, or where ``otherwise`` is not said."""

    def read(match: re.Match[str], today: date) -> Range:
        if not HAPPENED.search(match.string) and (otherwise is None or otherwise.search(match.string)):
            raise NoDays
        return ranged(match, today)

    return read
