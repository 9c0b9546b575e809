"""Arithmetic of the calendar: days, weeks, months, quarters, years and parts of them; no words.

All as ``(first day, day after the last)``.
"""

from __future__ import annotations

from calendar import isleap
from datetime import date, timedelta
from typing import Final

__all__ = [
    "Range",
    "days_ago",
    "last_begun",
    "one_day",
    "one_month",
    "one_year",
    "part_of",
    "some_months",
    "units_back",
    "up_to_today",
]

Range = tuple[date, date]
"""First day, and the day after the last. A ``datetime`` is that hour of a day."""

_IN_MONTHS: Final = {"month": 1, "quarter": 3, "year": 12}


def one_day(year: int, month: int, day: int) -> Range:
    """Return that day. Raises ``ValueError`` for one that does not exist."""
    first = date(year, month, day)
    return first, first + timedelta(days=1)


def one_month(year: int, month: int) -> Range:
    """Return that month. Raises ``ValueError`` for one that does not exist."""
    return date(year, month, 1), some_months(year, month, 1)[1]


def one_year(year: int) -> Range:
    """Return that year."""
    return some_months(year, 1, 12)


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
    size = _IN_MONTHS[unit]
    month = (today.month - 1) // size * size + 1
    return some_months(today.year, month - size * most, size * (most - least + 1))


def up_to_today(unit: str, today: date, count: int) -> Range:
    """Return the last so many hours, days, weeks, months, quarters or years up to today."""
    tomorrow = today + timedelta(days=1)
    if unit not in _IN_MONTHS:
        hours = count * {"hour": 1, "day": 24, "week": 168}[unit]
        return today - timedelta(days=-(-hours // 24)), tomorrow
    first, after = some_months(today.year, today.month - count * _IN_MONTHS[unit], 1)
    return min(first + timedelta(days=today.day - 1), after - timedelta(days=1)), tomorrow


_OF_MONTHS: Final = {"early": (0, 1, 3), "mid": (1, 2, 3), "late": (2, 3, 3), "half1": (0, 1, 2), "half2": (1, 2, 2)}
"""Of a quarter or a year: from how many to how many of how many."""
_OF_WEEK: Final = {"early": (0, 3), "mid": (2, 5), "late": (3, 7), "half1": (0, 4), "half2": (3, 7)}
_OF_MONTH: Final = {"early": (0, 10), "mid": (10, 20), "late": (20, 31), "half1": (0, 15), "half2": (15, 31)}


def part_of(unit: str, whole: Range, part: str) -> Range:
    """Return a part of a week, month, quarter or year: ``early``, ``mid``, ``late``, ``half1``, ``half2``.

    Or seven days of it: the first are ``week1``, the last ``week-1``. Raises ``ValueError`` where it ends before.
    """
    first, after = whole
    if part in _OF_MONTHS and unit in ("quarter", "year"):
        start, end, of = _OF_MONTHS[part]
        months = _IN_MONTHS[unit]
        return some_months(first.year, first.month + months * start // of, months * end // of - months * start // of)
    if part == "week-1":
        return after - timedelta(days=7), after
    if part.startswith("week"):
        start, end = 7 * int(part[4:]) - 7, 7 * int(part[4:])
    else:
        start, end = (_OF_WEEK if unit == "week" else _OF_MONTH)[part]
    begins, ends = first + timedelta(days=start), min(first + timedelta(days=end), after)
    if begins >= ends:
        raise ValueError(f"there is no {part} of it")
    return begins, ends
