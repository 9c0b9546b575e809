"""So long ago, and the last so many: ``두 달 전``, ``a few days ago``, ``최근 2주``, ``in the last month``.

A span of time that is a rule and no memory is none (``최근 3일 로그만 남기기로``, ``만료 3일 전에``). Vague words are
read widely: people remember dates badly.
"""

from __future__ import annotations

import re
from datetime import date
from typing import Final

from wwt_vault.search.named_days import read_weekday
from wwt_vault.search.periods import NoDays, Range, Reader, units_back, up_to_today

__all__ = [
    "EN_AMOUNT",
    "HAPPENED",
    "KO_AMOUNT",
    "PAST_ENDING",
    "PLAIN_QUESTION",
    "read_korean_weekday",
    "read_last_few",
    "read_long_ago",
    "read_recently",
    "where_told",
]

_FEW: Final = {"hour": (2, 9), "day": (2, 9), "week": (2, 5), "month": (2, 6), "quarter": (2, 3), "year": (2, 5)}
"""What ``a few`` may be: people remember dates badly."""
_KO_COUNTS: Final = dict(zip("한 두 세 네 다섯 여섯 일곱 여덟 아홉 열".split(), range(1, 11), strict=True)) | {  # noqa: SIM905 - reads as words
    "석": 3, "넉": 4,
}  # fmt: skip
_KO_SOME: Final = {"한두": (1, 2), "두세": (2, 3), "두어": (2, 3), "서너": (3, 4), "너댓": (4, 5), "대여섯": (5, 6)}
_KO_DAYS: Final = {
    "하루": (1, 1), "이틀": (2, 2), "사흘": (3, 3), "나흘": (4, 4), "닷새": (5, 5), "엿새": (6, 6), "이레": (7, 7),
    "여드레": (8, 8), "아흐레": (9, 9), "열흘": (9, 11), "보름": (13, 17), "하루이틀": (1, 2), "며칠": (2, 9),
    "몇일": (2, 9),
}  # fmt: skip
"""Days that have a name of their own; ten and fifteen are said where it was about so many."""
_KO_WHOLE: Final = {"일주일": ("week", 1), "이주일": ("week", 2), "일년": ("year", 1), "반년": ("month", 6)}
_KO_UNITS: Final = {
    "시간": "hour", "일": "day", "주일": "week", "주": "week", "달": "month", "개월": "month", "분기": "quarter",
    "년": "year", "해": "year",
}  # fmt: skip
_EN_COUNTS: Final = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7,
                     "eight": 8, "nine": 9, "ten": 10, "twelve": 12}  # fmt: skip
_EN_FEW: Final = ("a few", "few", "several", "some")
KO_AMOUNT: Final = (
    rf"(?:(?P<days>{'|'.join(sorted(_KO_DAYS, key=len, reverse=True))})"
    r"|(?P<whole>일주일|이주일|일\s?년|반년)"
    rf"|(?P<count>\d{{1,3}}(?:\s?[~-]\s?\d{{1,3}})?|{'|'.join((*_KO_SOME, *_KO_COUNTS))}|몇|수)\s?"
    rf"(?P<unit>{'|'.join(sorted(_KO_UNITS, key=len, reverse=True))}))"
)
_EN_COUNT: Final = "|".join(
    (r"\d{1,3}", *sorted((*_EN_COUNTS, *_EN_FEW), key=len, reverse=True), "(?:a )?couple(?: of)?")
)
EN_AMOUNT: Final = (
    rf"(?:(?P<half>half a year|a half year)|(?P<count>{_EN_COUNT})"
    r"(?:(?: to | or |-)(?P<to>\d{1,3}|two|three|four|five|six))? "
    r"(?P<unit>hour|day|week|month|quarter|year)s?(?: or (?P<or>so|two))?)"
)


def _amount(match: re.Match[str]) -> tuple[str, int, int]:
    """Return the unit, the least and the most of it."""
    named = match.groupdict()
    if named.get("half"):
        return "month", 6, 6
    if word := named.get("days"):
        return "day", *_KO_DAYS[word]
    if word := named.get("whole"):
        unit, count = _KO_WHOLE[re.sub(r"\s", "", word)]
        return unit, count, count
    counted, unit = named["count"].casefold(), named["unit"].casefold()
    unit = _KO_UNITS.get(unit, unit)
    if counted in (*_EN_FEW, "몇", "수"):
        return unit, *_FEW[unit]
    if counted in _KO_SOME:
        return unit, *_KO_SOME[counted]
    if "couple" in counted:
        return unit, 2, 3 if unit == "day" else 2
    least, _, most = re.sub(r"\s", "", counted).replace("~", "-").partition("-")
    low = _number(least)
    high = _number(most or named.get("to") or {"two": "2"}.get(named.get("or") or "") or least)
    return unit, min(low, high), max(low, high)


def _number(text: str) -> int:
    found = _EN_COUNTS.get(text) or _KO_COUNTS.get(text)
    return int(text) if found is None else found


_UPCOMING: Final = re.compile(
    r"(?:만료|마감|종료|배포|출시|회의|릴리스|시작|갱신|기한|납기|행사|오픈|런칭|휴가|예약|출발|도착|방문|발표|이벤트|공연|결제|청구)"
    r"(?:일|일정)?\s*$|[가-힣]기\s*$"
)
"""What a time before it is said of: ``만료 3일 전``, ``끝나기 하루 전``."""


_KO_HOW_MANY: Final = re.compile(r"해야|[으]?면 (?:돼|되|안)|까지|[되돼][나지어요]*\?|가능|수 있|[하할해]\s?수")
"""``며칠 전에 예약해야 해?`` asks how many days."""


def read_long_ago(match: re.Match[str], today: date) -> Range:
    """``3 weeks ago``, ``두 달 전``: the whole week, month or year of the calendar that it was then, or the day."""
    if _UPCOMING.search(match.string[: match.start()]):
        raise NoDays
    if re.match("며칠|몇", match[0]) and _KO_HOW_MANY.search(match.string) and not KO_HAPPENED.search(match.string):
        raise NoDays
    unit, least, most = _amount(match)
    return units_back(unit, today, most, least)


_RULE: Final = re.compile(
    r"보관|보존|남기|남겨|남긴|유지|평균|합계|집계"
    r"|\b(?:retention|retain\w*|keep\w*|kept|stor(?:e|es|ed|ing)|average|rolling|window|aggregat\w+)\b",
    re.IGNORECASE,
)
"""The last so many days are those of a rule, whatever day it is."""
_IN: Final = re.compile(r"\b(?:in|over|for|during|within|from|since|throughout|across)\s+$", re.IGNORECASE)
PLAIN_QUESTION: Final = re.compile(
    r"\b(?:do|does|can|should|may|must|will|would|are|is)\b|\bto (?:only )?\w+\s+$|\b(?:only|just)\s+$", re.IGNORECASE
)
HAPPENED: Final = re.compile(
    r"\b(?:did|was|were|had|have|has|happened|said|decided|changed|been|went|broke|today's)\b", re.IGNORECASE
)
PAST_ENDING: Final = "".join(chr(code) for code in range(ord("갔"), ord("힣"), 28) if chr(code) not in "있겠")
"""Syllables that end in ㅆ, every 28th: what Korean verbs have in the past tense, but for ``있다`` and ``겠``."""
KO_HAPPENED: Final = re.compile(rf"[{PAST_ENDING}]|있었|더라|한\s?[거것일게]|[하했]던")


def read_last_few(match: re.Match[str], today: date) -> Range:
    """``the last 3 days``, ``최근 2주``, ``요 며칠``: up to today."""
    question, before = match.string, match.string[: match.start()]
    if _RULE.search(question):
        raise NoDays
    named = match.groupdict()
    if "past" in named:
        asks_rule = PLAIN_QUESTION.search(before) and not HAPPENED.search(question)
        if not _IN.search(before) and (asks_rule or re.search(r"\bto (?:\w+ )+$", before)):
            raise NoDays  # did we decide to show the last 30 days
        if named["alone"]:
            return up_to_today(named["alone"].casefold(), today, 1)
    elif not named["over"] and ("기로" in question or (named["since"] == "지난" and named["unit"] == "일")):
        raise NoDays  # 최근 3일만 보여주기로; 지난 3일 is a day of the month as well
    unit, _, most = _amount(match)
    return up_to_today(unit, today, most)


_KO_ASKS_WHAT: Final = re.compile(r"(?:뭐|뭘|무엇|무슨|어떤|누가|왜|어디서|어떻게)(?!\s?로|로)")
_EN_ASKS_WHAT: Final = re.compile(
    r"\b(?:what|who|why|when|how|did|anything|which \w+s)\b.*"
    r"\b(?:did|have|has|had|was|were|been|changed|happened|broke)\b",
    re.IGNORECASE | re.DOTALL,
)
_RECENT: Final = 30


def read_recently(match: re.Match[str], today: date) -> Range:
    """``recently``, ``최근에``, where it is asked what was done: the last month. Else it means how things stand now."""
    question = match.string
    if match[0].isascii():
        if not _EN_ASKS_WHAT.search(question) or re.search(r"\b(?:the|a|most|an) $", question[: match.start()]):
            raise NoDays
    elif not (_KO_ASKS_WHAT.search(question) and KO_HAPPENED.search(question)):
        raise NoDays
    return up_to_today("day", today, _RECENT)


def read_korean_weekday(match: re.Match[str], today: date) -> Range:
    """``금요일에``, where it is asked what happened then; not ``매주 금요일``, nor what is to be on Fridays."""
    if not KO_HAPPENED.search(match.string) or re.search(r"기로|매주|마다|평일|요일\s?(?:에는|엔)", match.string):
        raise NoDays
    return read_weekday(match, today)


def where_told(pattern: re.Pattern[str], otherwise: re.Pattern[str] | None, ranged: Reader) -> Reader:
    """Return a reader for words that are days only where something happened, or where ``otherwise`` is not said."""

    def read(match: re.Match[str], today: date) -> Range:
        if not pattern.search(match.string) and (otherwise is None or otherwise.search(match.string)):
            raise NoDays
        return ranged(match, today)

    return read
