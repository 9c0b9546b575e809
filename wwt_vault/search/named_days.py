"""Words for days in Korean and English, and which days they are: dates, periods and their parts, so long ago.

Each ``read_`` function reads what one of the patterns of ``ranges`` found, by the groups that it has. Without a year it
is the last one that has begun. Vague words are read widely: people remember dates badly.
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
    up_to_today,
)

__all__ = [
    "EN_AMOUNT",
    "EN_PART_OF",
    "EN_PERIOD",
    "HAPPENED",
    "KO_AMOUNT",
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
    "read_korean_weekday",
    "read_last_few",
    "read_last_night",
    "read_long_ago",
    "read_named",
    "read_recently",
    "read_span",
    "read_weekend",
    "where_told",
]

Reader = Callable[[re.Match[str], date], Range]
"""From words that were found, and today, to a range; ``ValueError`` or ``OverflowError`` where they name none."""


class NoDays(ValueError):
    """What looked like days is none here."""


# --- Months, parts, periods, amounts ----------------------------------------------------------------------------------

MONTHS: Final = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
MONTH: Final = "|".join(f"{name}|{name[:3]}" for name in MONTHS if name != "may") + "|sept|may"
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


def _closed_up(words: str) -> str:
    return re.sub(r"\s", "", words.casefold())


_PART_OF: Final = {_closed_up(word): part for part, words in _PARTS.items() for word in words.split("|")}
_PERIOD_OF: Final = {_closed_up(word): period for period, words in _PERIODS.items() for word in words.split("|")}


def _either(*words: str, korean: bool) -> str:
    """Return a pattern for those of the words that are of one language, the longest first; spaces may be left out."""
    its = (word for word in "|".join(words).split("|") if word.isascii() != korean)
    return "|".join(word.replace(" ", r"\s?") for word in sorted(its, key=len, reverse=True))


KO_PART: Final = rf"(?P<part>{_either(*_PARTS.values(), korean=True)})(?![가-힣]{{2}})"
EN_PART_OF: Final = (
    rf"\b(?:(?P<part>{_either(*_PARTS.values(), korean=False)}) of(?: the)? |(?P<part2>early|mid|late)(?:[ -]| in ))"
)
KO_PERIOD: Final = (
    rf"(?<![가-힣])(?P<period>{_either(*_PERIODS.values(), korean=True)})"
    r"(?:(?<!주)|(?<=주)(?!소|문|제|기|요|식|변|석|어진|의\s?사항|말))"  # 지난 주소, 이번 주제 begin alike
)
EN_PERIOD: Final = rf"\b(?P<period>{_either(*_PERIODS.values(), korean=False)})\b"

_KO_COUNTS: Final = {
    "한": (1, 1), "두": (2, 2), "세": (3, 3), "네": (4, 4), "석": (3, 3), "넉": (4, 4), "다섯": (5, 5), "여섯": (6, 6),
    "일곱": (7, 7), "여덟": (8, 8), "아홉": (9, 9), "열": (10, 10), "한두": (1, 2), "두세": (2, 3), "두어": (2, 3),
    "서너": (3, 4), "너댓": (4, 5), "대여섯": (5, 6),
}  # fmt: skip
_KO_WHOLE: Final = {
    "하루": ("day", 1, 1), "이틀": ("day", 2, 2), "사흘": ("day", 3, 3), "나흘": ("day", 4, 4), "닷새": ("day", 5, 5),
    "엿새": ("day", 6, 6), "이레": ("day", 7, 7), "여드레": ("day", 8, 8), "아흐레": ("day", 9, 9),
    "열흘": ("day", 9, 11), "보름": ("day", 13, 17), "하루이틀": ("day", 1, 2), "며칠": ("day", 2, 9),
    "몇일": ("day", 2, 9), "일주일": ("week", 1, 1), "이주일": ("week", 2, 2), "일년": ("year", 1, 1),
    "일 년": ("year", 1, 1), "반년": ("month", 6, 6),
}  # fmt: skip
"""Spans that have a name of their own; ten days and fifteen are said where it was about so many."""
_KO_UNITS: Final = {
    "시간": "hour", "일": "day", "주일": "week", "주": "week", "달": "month", "개월": "month", "분기": "quarter",
    "년": "year", "해": "year",
}  # fmt: skip
_EN_COUNTS: Final = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7,
                     "eight": 8, "nine": 9, "ten": 10, "twelve": 12}  # fmt: skip
_FEW_WORDS: Final = ("a few", "few", "several", "some", "몇", "수")
_FEW: Final = {"hour": (2, 9), "day": (2, 9), "week": (2, 5), "month": (2, 6), "quarter": (2, 3), "year": (2, 5)}
KO_AMOUNT: Final = (
    rf"(?:(?P<whole>{_either(*_KO_WHOLE, korean=True)})"
    rf"|(?P<count>\d{{1,3}}(?:\s?[~-]\s?\d{{1,3}})?|{_either(*_KO_COUNTS, *_FEW_WORDS, korean=True)})\s?"
    rf"(?P<unit>{_either(*_KO_UNITS, korean=True)}))"
)
EN_AMOUNT: Final = (
    r"(?:(?P<half>half a year|a half year)"
    rf"|(?P<count>\d{{1,3}}|{_either(*_EN_COUNTS, *_FEW_WORDS, korean=False)}|(?:a )?couple(?: of)?)"
    r"(?:(?: to | or |-)(?P<to>\d{1,3}|two|three|four|five|six))? "
    r"(?P<unit>hour|day|week|month|quarter|year)s?(?: or (?P<or>so|two))?)"
)


# --- Days by their names ----------------------------------------------------------------------------------------------


def read_named(match: re.Match[str], today: date) -> Range:
    """A month or a day of it, a quarter, a half, a season, a week, a year, a day of the week; or a part of them.

    ``작년 3월 11일``, ``the end of October``, ``Q3 2025``, ``지난 여름``, ``지난주 금요일``.
    """
    named = _groups(match)
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
    elif "period" in named:
        unit, back = _PERIOD_OF[_closed_up(named["period"])]
        whole = units_back(unit, today, back)
    else:
        unit, whole = "year", one_year(int(named["year"]))
    return part_of(unit, whole, _PART_OF[_closed_up(named["part"])]) if "part" in named else whole


def _groups(match: re.Match[str]) -> dict[str, str]:
    """Return what the groups of a pattern found; those of its second way to say it by the names of the first."""
    return {name.rstrip("2"): found for name, found in match.groupdict().items() if found}


def _year(named: dict[str, str], today: date) -> int | None:
    if "year" in named:
        return int(named["year"])
    back = _YEARS_BACK.get(named.get("which", "").casefold())
    return None if back is None else today.year - back


def _month(match: re.Match[str], named: dict[str, str], year: int | None, today: date) -> Range:
    name, day = named["month"], named.get("day")
    before = match.string[: match.start()].casefold()
    is_told = before.endswith("on ") or re.search(rf"\d{ORDINAL}", match[0])
    if day and name in ("may", "march", "mar") and not is_told:
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


def _month_number(name: str) -> int:
    return int(name) if name.isdigit() else 1 + [month[:3] for month in MONTHS].index(name.casefold()[:3])


def _season(named: dict[str, str], year: int | None, today: date) -> Range:
    """Return a season of the northern half of the earth; the winter by its December. The last one is over."""
    month = _SEASONS.get(named["season"].casefold(), 9)
    if year is None:
        year = last_begun(month, today)
        if named["which"].casefold() in ("지난", "last") and year * 12 + month + 2 >= today.year * 12 + today.month:
            year -= 1
    return some_months(year, month, 3)


def _weekday(named: dict[str, str], today: date) -> Range:
    """Return the last such day before today, or that of a week."""
    name = named["weekday"].casefold()
    at = WEEKDAYS.index(name) if name.isascii() else "월화수목금토일".index(name)
    if "period" not in named:
        return days_ago(today, (today.weekday() - at - 1) % 7 + 1)
    unit, back = _PERIOD_OF[_closed_up(named["period"])]
    if unit != "week":
        raise NoDays
    return days_ago(units_back(unit, today, back)[0], -at)


def read_span(match: re.Match[str], today: date) -> Range:
    """``March 3 to 7``, ``3월 3일부터 7일까지``, ``11~2월``: from the one to the other."""
    named = _groups(match)
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


# --- So long ago, and the last so many --------------------------------------------------------------------------------

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
_UPCOMING: Final = re.compile(
    r"(?:만료|마감|종료|배포|출시|회의|릴리스|시작|갱신|기한|납기|행사|오픈|런칭|휴가|예약|출발|도착|방문|발표|이벤트|공연|결제|청구)"
    r"(?:일|일정)?\s*$|[가-힣]기\s*$"
)
"""What a time before it is said of: ``만료 3일 전``, ``끝나기 하루 전``."""
_HOW_MANY: Final = re.compile(r"해야|[으]?면 (?:돼|되|안)|까지|[되돼][나지어요]*\?|가능|수 있|[하할해]\s?수")
"""``며칠 전에 예약해야 해?`` asks how many days."""
_RULE: Final = re.compile(
    r"보관|보존|남기|남겨|남긴|유지|평균|합계|집계"
    r"|\b(?:retention|retain\w*|keep\w*|kept|stor(?:e|es|ed|ing)|average|rolling|window|aggregat\w+)\b",
    re.IGNORECASE,
)
"""The last so many days are those of a rule, whatever day it is."""
_IN: Final = re.compile(r"\b(?:in|over|for|during|within|from|since|throughout|across)\s+$", re.IGNORECASE)
_TO_DO: Final = re.compile(r"\bto (?:\w+ ){1,6}$")
_KO_ASKS_WHAT: Final = re.compile(r"(?:뭐|뭘|무엇|무슨|어떤|누가|왜|어디서|어떻게)(?!\s?로|로)")
_EN_ASKS_WHAT: Final = re.compile(r"\b(?:what|who|why|when|how|did|anything|which \w+s)\b", re.IGNORECASE)
_EN_WAS: Final = re.compile(r"\b(?:did|have|has|had|was|were|been|changed|happened|broke)\b", re.IGNORECASE)
_RECENT: Final = 30
"""Days."""


def _amount(match: re.Match[str]) -> tuple[str, int, int]:
    """Return the unit, the least and the most of it."""
    named = _groups(match)
    if "half" in named:
        return "month", 6, 6
    if "whole" in named:
        return _KO_WHOLE[_closed_up(named["whole"])]
    counted, unit = named["count"].casefold(), named["unit"].casefold()
    unit = _KO_UNITS.get(unit, unit)
    if counted in _FEW_WORDS:
        return unit, *_FEW[unit]
    if counted in _KO_COUNTS:
        return unit, *_KO_COUNTS[counted]
    if "couple" in counted:
        return unit, 2, 3 if unit == "day" else 2
    least, _, most = _closed_up(counted).replace("~", "-").partition("-")
    most = most or named.get("to") or ("2" if named.get("or") == "two" else least)
    low, high = sorted(_EN_COUNTS.get(text) or int(text) for text in (least, most))
    return unit, low, high


def read_long_ago(match: re.Match[str], today: date) -> Range:
    """``3 weeks ago``, ``두 달 전``: the whole week, month or year of the calendar that it was then, or the day."""
    if _UPCOMING.search(match.string[: match.start()]):
        raise NoDays
    if re.match("며칠|몇", match[0]) and _HOW_MANY.search(match.string) and not HAPPENED.search(match.string):
        raise NoDays
    unit, least, most = _amount(match)
    return units_back(unit, today, most, least)


def read_last_few(match: re.Match[str], today: date) -> Range:
    """``the last 3 days``, ``최근 2주``: up to today; not where it is a rule, ``최근 3일만 보여주기로``."""
    question, before = match.string, match.string[: match.start()]
    if _RULE.search(question):
        raise NoDays
    named = match.groupdict()
    if "past" in named:
        asks_rule = PLAIN_QUESTION.search(before) and not HAPPENED.search(question)
        if not _IN.search(before) and (asks_rule or _TO_DO.search(before)):
            raise NoDays
        if named["alone"]:
            return up_to_today(named["alone"].casefold(), today, 1)
    elif not named["over"] and ("기로" in question or (named["since"] == "지난" and named["unit"] == "일")):
        raise NoDays  # 지난 3일 is a day of the month as well
    unit, _, most = _amount(match)
    return up_to_today(unit, today, most)


def read_recently(match: re.Match[str], today: date) -> Range:
    """``recently``, ``최근에``, where it is asked what was done: the last month. Else it means how things stand now."""
    question = match.string
    if match[0].isascii():
        asks = _EN_ASKS_WHAT.search(question)
        told = asks and _EN_WAS.search(question, asks.end())
        if not told or re.search(r"\b(?:the|a|most|an) $", question[: match.start()]):
            raise NoDays
    elif not (_KO_ASKS_WHAT.search(question) and HAPPENED.search(question)):
        raise NoDays
    return up_to_today("day", today, _RECENT)


def read_korean_weekday(match: re.Match[str], today: date) -> Range:
    """``금요일에``, where it is asked what happened then; not ``매주 금요일``, nor what is to be on Fridays."""
    if not HAPPENED.search(match.string) or re.search(r"기로|매주|마다|평일|요일\s?(?:에는|엔)", match.string):
        raise NoDays
    return read_named(match, today)


def where_told(otherwise: re.Pattern[str] | None, ranged: Reader) -> Reader:
    """Return a reader for words that are days only where something happened, or where ``otherwise`` is not said."""

    def read(match: re.Match[str], today: date) -> Range:
        if not HAPPENED.search(match.string) and (otherwise is None or otherwise.search(match.string)):
            raise NoDays
        return ranged(match, today)

    return read
