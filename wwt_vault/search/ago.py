"""So long ago, the last so many, lately: amounts of time in Korean and English, counted back from today.

Vague ones are read widely: people remember dates badly. ``한 달 전`` is said of rules and plans as well.
"""

from __future__ import annotations

import re
from datetime import date
from typing import Final

from wwt_vault.search.named_days import HAPPENED, PLAIN_QUESTION, NoDays, closed_up, either, groups
from wwt_vault.search.periods import Range, units_back, up_to_today

__all__ = ["EN_AMOUNT", "KO_AMOUNT", "read_last_few", "read_long_ago", "read_recently"]

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
    rf"(?:(?P<whole>{either(*_KO_WHOLE, korean=True)})"
    rf"|(?P<count>\d{{1,3}}(?:\s?[~-]\s?\d{{1,3}})?|{either(*_KO_COUNTS, *_FEW_WORDS, korean=True)})\s?"
    rf"(?P<unit>{either(*_KO_UNITS, korean=True)}))"
)
EN_AMOUNT: Final = (
    r"(?:(?P<half>half a year|a half year)"
    rf"|(?P<count>\d{{1,3}}|{either(*_EN_COUNTS, *_FEW_WORDS, korean=False)}|(?:a )?couple(?: of)?)"
    r"(?:(?: to | or |-)(?P<to>\d{1,3}|two|three|four|five|six))? "
    r"(?P<unit>hour|day|week|month|quarter|year)s?(?: or (?P<or>so|two))?)"
)


_UPCOMING: Final = re.compile(
    r"(?:만료|마감|종료|배포|출시|회의|릴리스|시작|갱신|기한|납기|행사|오픈|런칭|휴가|예약|출발|도착|방문|발표|이벤트|공연|결제|청구"
    r"|체크인|체크아웃|입실|퇴실|배송|발송|생|기념|수업|강의|시험|점검|만기|해지|탑승|여행|면접)"
    r"(?:일|일정)?\s*$|[가-힣]기\s*$"
)
"""What a time before it is said of: ``만료 3일 전``, ``끝나기 하루 전``."""
_KO_TELLS: Final = re.compile(
    r"뭐|뭘|[가-힣]던|\s그\s|무슨|무엇|결정|논의|얘기|이야기|대화|회의|미팅|작업|커밋|세션|변경"
    r"|(?:[가-힣](?:한|된|친|꾼|든|린|긴|진|킨|낸|둔)|\s(?:본|쓴|산|간|낸|준|뺀|둔))(?<!필요한)(?<!모든)(?<!사진)(?:\s[가-힣]|\W*$)"
)
"""Behind a time ago: what was said and done then; ``3일 전에 고친 것``."""
_KO_RULES: Final = re.compile(r"\s(?:알림|통보|공지|안내|예고|리마인더)|(?:에|엔)?\s(?:미리|사전)")
_KO_BOUND: Final = re.compile(r"(?:까지|부터)(?=.*(?:가능|환불|취소|기로|수 있|[되돼][나지어요]*\?))")
_RULE: Final = re.compile(
    r"보관|보존|남기|남겨|남긴|유지|평균|합계|집계|휴면|미접속|미사용|미로그인|비활성|[MDW]AU"
    r"|\b(?:retention|retain\w*|keep\w*|kept|stor(?:e|es|ed|ing)|average|rolling|window|inactive|dormant|aggregat\w+)\b",
    re.IGNORECASE,
)
"""The last so many days are those of a rule, whatever day it is."""
_THRESHOLD: Final = re.compile(r"기준|알람|경보|임계|\b(?:threshold|alert)s?\b", re.IGNORECASE)
"""The same, where nothing is said to have happened."""
_IN: Final = re.compile(r"\b(?:in|over|for|during|within|from|since|throughout|across)\s+$", re.IGNORECASE)
_TO_DO: Final = re.compile(r"\bto (?:\w+ ){1,6}$")
_KO_ASKS_WHAT: Final = re.compile(r"(?:뭐|뭘|무엇|무슨|어떤|누가|왜|어디서|어떻게)(?!\s?로|로)")
_EN_ASKS_WHAT: Final = re.compile(r"\b(?:what|who|why|when|how|did|anything|which \w+s)\b", re.IGNORECASE)
_EN_WAS: Final = re.compile(r"\b(?:did|have|has|had|was|were|been|changed|happened|broke)\b", re.IGNORECASE)
_RECENT: Final = 30
"""Days."""


def _amount(match: re.Match[str]) -> tuple[str, int, int]:
    """Return the unit, the least and the most of it."""
    named = groups(match)
    if "half" in named:
        return "month", 6, 6
    if "whole" in named:
        return _KO_WHOLE[closed_up(named["whole"])]
    counted, unit = named["count"].casefold(), named["unit"].casefold()
    unit = _KO_UNITS.get(unit, unit)
    if counted in _FEW_WORDS:
        return unit, *_FEW[unit]
    if counted in _KO_COUNTS:
        return unit, *_KO_COUNTS[counted]
    if "couple" in counted:
        return unit, 2, 3 if unit == "day" else 2
    least, _, most = closed_up(counted).replace("~", "-").partition("-")
    most = most or named.get("to") or ("2" if named.get("or") == "two" else least)
    low, high = sorted(_EN_COUNTS.get(text) or int(text) for text in (least, most))
    return unit, low, high


def read_long_ago(match: re.Match[str], today: date) -> Range:
    """``3 weeks ago``, ``두 달 전``: the whole week, month or year of the calendar that it was then, or the day."""
    if _UPCOMING.search(match.string[: match.start()]):
        raise NoDays
    if not match[0].isascii() and not _is_told(match):
        raise NoDays
    unit, least, most = _amount(match)
    return units_back(unit, today, most, least)


def _is_told(match: re.Match[str]) -> bool:
    """Say whether it is told of, not a rule: ``예약 하루 전까지 취소``, ``한 달 전 해지 통보``."""
    question, behind = match.string, match.string[match.end() :]
    if re.fullmatch(r"\W*(?:에|에는|엔|의|부터|까지|쯤|이|인|만|으로|보다)?\W*", question[: match.start()] + behind):
        return True  # nothing else is said
    if _KO_RULES.match(behind) or _KO_BOUND.match(behind):
        return False
    if "기로" in behind and not _KO_ASKS_WHAT.search(question):
        return False
    return HAPPENED.search(question) is not None or _KO_TELLS.search(behind) is not None


def read_last_few(match: re.Match[str], today: date) -> Range:
    """``the last 3 days``, ``최근 2주``: up to today; not where it is a rule, ``최근 3일만 보여주기로``."""
    question, before = match.string, match.string[: match.start()]
    if _RULE.search(question) or (_THRESHOLD.search(question) and not HAPPENED.search(question)):
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
