"""Days that have a name: dates, months, quarters, seasons, weekdays, weekends; in Korean and English.

Each function reads what one of the patterns of ``ranges`` found. Without a year it is the last one that has begun.
"""

from __future__ import annotations

import re
from datetime import date, datetime, time, timedelta
from typing import Final

from wwt_vault.search.periods import (
    NoDays,
    Range,
    days_ago,
    last_begun,
    one_day,
    one_month,
    one_year,
    part_of,
    read_period,
    some_months,
    units_back,
)

__all__ = [
    "MONTH",
    "ORDINAL",
    "WEEKDAYS",
    "read_days_of_month",
    "read_english_day",
    "read_english_month",
    "read_korean_month",
    "read_korean_months",
    "read_last_night",
    "read_part_of_month",
    "read_part_of_year",
    "read_quarter",
    "read_season",
    "read_weekday",
    "read_weekend",
]

_MONTHS: Final = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
MONTH: Final = "|".join(f"{name}|{name[:3]}" for name in _MONTHS if name != "may") + "|sept|may"
WEEKDAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
ORDINAL: Final = "(?:st|nd|rd|th)"


def read_weekend(match: re.Match[str], today: date) -> Range:
    """``지난 주말``, ``last weekend``: the last that is over; ``this weekend``: that of this week."""
    saturday = today - timedelta(days=today.weekday() - 5)
    if not match[0].casefold().startswith(("이번", "this")):
        saturday -= timedelta(days=7)
    return saturday, saturday + timedelta(days=2)


def read_last_night(_: re.Match[str], today: date) -> Range:
    """From the evening of yesterday into the small hours."""
    return datetime.combine(today - timedelta(days=1), time(17)), datetime.combine(today, time(6))


def read_quarter(match: re.Match[str], today: date) -> Range:
    """``3분기``, ``Q3 2025``, ``상반기``, ``H1``: the last that has begun."""
    named = {key.rstrip("0123456789"): value for key, value in match.groupdict().items() if value}
    size = 3 if "quarter" in named else 6
    word = (named.get("quarter") or named["half"]).casefold()
    at = {"first": 1, "second": 2, "third": 3, "fourth": 4, "상": 1, "하": 2}.get(word) or int(word)
    month = size * (at - 1) + 1
    year = _named_year(named, today)
    return some_months(last_begun(month, today) if year is None else year, month, size)


def _named_year(named: dict[str, str], today: date) -> int | None:
    if year := named.get("year"):
        return int(year)
    words = {"재작년": 2, "작년": 1, "지난해": 1, "last year": 1, "올해": 0, "금년": 0, "this year": 0}
    return today.year - words[named["which"].casefold()] if "which" in named else None


def read_season(match: re.Match[str], today: date) -> Range:
    """The last of its kind that has begun, of the northern half of the earth; the winter by its December."""
    word = match["season"].casefold()
    month = {"봄": 3, "spring": 3, "여름": 6, "summer": 6, "겨울": 12, "winter": 12}.get(word, 9)
    which = match["which"].casefold()
    year = today.year - 1 if which in ("작년", "지난해") else today.year if which == "올" else last_begun(month, today)
    if which in ("지난", "last") and year * 12 + month + 2 >= today.year * 12 + today.month:
        year -= 1  # not the one that it is now
    return some_months(year, month, 3)


def read_english_month(match: re.Match[str], today: date) -> Range:
    """``in March``, ``March 2025``; ``last March`` is never the one that it is now."""
    named = match.groupdict()
    month = _month_name(named["month"])
    if year := named.get("year"):
        return one_month(int(year), month)
    before = match.string[: match.start()].casefold()
    if before.endswith("last ") and month == today.month:
        return one_month(today.year - 1, month)
    if before.endswith("next "):
        raise NoDays
    return one_month(last_begun(month, today), month)


def read_part_of_month(match: re.Match[str], today: date) -> Range:
    """``early October``, ``the end of October``."""
    return part_of("month", read_english_month(match, today), match["part"] or match["part2"])


def read_part_of_year(match: re.Match[str], _: date) -> Range:
    """``2025년 말``, ``late 2025``."""
    return part_of("year", one_year(int(match["year"])), match.groupdict().get("part2") or match["part"])


def _month_name(text: str) -> int:
    return next(at + 1 for at, name in enumerate(_MONTHS) if name.startswith(text.casefold()[:3]))


def read_english_day(match: re.Match[str], today: date) -> Range:
    """``March 11``, ``the 11th of March 2025``; ``the week of March 11`` is the whole week."""
    name = match["month"] or match["month2"]
    before = match.string[: match.start()].casefold()
    if name in ("may", "march", "mar") and not before.endswith("on ") and not re.search(rf"\d{ORDINAL}", match[0]):
        raise NoDays  # which of the 3 may fail
    month, day = _month_name(name), int(match["day"] or match["day2"])
    year = match["year"] or match["year2"]
    first, after = one_day(int(year) if year else last_begun(month, today, day), month, day)
    return units_back("week", first, 0) if before.endswith("week of ") else (first, after)


def read_days_of_month(match: re.Match[str], today: date) -> Range:
    """``March 3 to 7``, ``3월 3일부터 7일까지``: from the one day to the other."""
    named = {key.rstrip("2"): value for key, value in match.groupdict().items() if value}
    word = named["month"]
    if re.search(r"\band\b", match[0]) and not re.match(r"between\b", match[0], re.IGNORECASE):
        raise NoDays
    month = int(word) if word.isdigit() else _month_name(word)
    year = _named_year(named, today) or last_begun(month, today, int(named["day"]))
    return date(year, month, int(named["day"])), one_day(year, month, int(named["to"]))[1]


def read_korean_months(match: re.Match[str], today: date) -> Range:
    """``3~5월``, ``11-2월``: from the one month to the other."""
    named = {key: value for key, value in match.groupdict().items() if value}
    first, last = int(named["month"]), int(named["to"])
    year = _named_year(named, today)
    if year is None:
        year = last_begun(last, today) - (first > last)
    return some_months(year, first, (last - first) % 12 + 1)


def read_korean_month(match: re.Match[str], today: date) -> Range:
    """``3월``, ``작년 3월 11일``, ``3월 초``."""
    month, day = int(match["month"]), match["day"]
    named = {key: value for key, value in match.groupdict().items() if value}
    year = _named_year(named, today) or last_begun(month, today, int(day or 1))
    if day:
        return one_day(year, month, int(day))
    whole = one_month(year, month)
    return part_of("month", whole, match["part"]) if match["part"] else whole


def read_weekday(match: re.Match[str], today: date) -> Range:
    """``지난 금요일``, ``on Friday``: the last such day before today; ``지난주 금요일``: that of that week."""
    named = match.groupdict()
    name = named["day"].casefold()
    at = WEEKDAYS.index(name) if name.isascii() else "월화수목금토일".index(name)
    if named.get("period"):
        monday = read_period(match, today)[1][0]
        return one_day(*(monday + timedelta(days=at)).timetuple()[:3])
    return days_ago(today, (today.weekday() - at - 1) % 7 + 1)
