"""Which days a question names: ``지난주``, ``in March``, ``3월부터 5월까지``, ``the last two weeks``.

Only what was said is of use here, so nothing that lies ahead is read (``next week``, ``내년 3월``), and a month without
a year is the last one that has begun.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from itertools import islice
from typing import Final, NamedTuple

from wwt_vault.search.ago import EN_AMOUNT, KO_AMOUNT, read_last_few, read_long_ago, read_recently
from wwt_vault.search.lookalikes import without_lookalikes
from wwt_vault.search.named_days import (
    EN_PART_OF,
    EN_PERIOD,
    KO_PART,
    KO_PERIOD,
    MONTH,
    ORDINAL,
    PLAIN_QUESTION,
    WEEKDAY,
    NoDays,
    Reader,
    read_korean_day,
    read_last_night,
    read_named,
    read_span,
    read_weekend,
    where_told,
)
from wwt_vault.search.periods import Range, days_ago, part_of, units_back

__all__ = ["Days", "days_in"]


class Days(NamedTuple):
    """Days that a question names. A bound that is a ``datetime`` is that hour there, a date its midnight."""

    first: date | None
    after: date | None
    """The day after the last."""
    words: str
    """What was read, as it stands in the question."""


_Reading = tuple[re.Match[str], Reader, Range]
"""What was found, who read it, and the days."""
_Table = tuple[tuple[re.Pattern[str], Reader], ...]
_MOST_FOUND: Final = 8
"""By one pattern. What it is part of may be looked up in the whole question, for each that is none."""

_LED: Final = re.compile(
    r"\b(?P<word>before|prior to|until|till|up to|by|since|after|from)\s+(?:the\s+)?$", re.IGNORECASE
)
_FOLLOWED: Final = re.compile(r"\s*(?:(?P<before>이전|전에|전까지)|(?P<until>까지)|(?P<since>이후|부터|뒤로))")


def days_in(question: str, today: date) -> Days | None:
    """Return the days that ``question`` names, as seen from ``today``; ``None`` where it names none."""
    question = without_lookalikes(question)
    for match, _, (first, after) in _readings(_SPANS, question, today):
        return Days(first, after, match[0].strip())
    readings = _readings(_DAYS_NAMED, question, today)
    if joints := list(_JOINT.finditer(question)):
        found = list(readings)
        if span := _from_one_to_another(question, joints, found, today):
            return span
        readings = iter(found)
    for match, _, named in readings:
        return Days(*_with_direction(question, match, named), match[0].strip())
    return None


def _readings(table: _Table, question: str, today: date) -> Iterator[_Reading]:
    for pattern, ranged in table:
        for match in islice(pattern.finditer(question), _MOST_FOUND):
            if read := _read(ranged, match, today):
                yield match, ranged, read


def _read(ranged: Reader, match: re.Match[str], today: date) -> Range | None:
    try:
        first, after = ranged(match, today)
    except (ValueError, OverflowError):
        return None  # 31 February, the year 0
    return (first, after) if _day_of(first) <= _day_of(after) else None


def _day_of(bound: date) -> date:
    return bound.date() if isinstance(bound, datetime) else bound


def _with_direction(question: str, match: re.Match[str], named: Range) -> tuple[date | None, date | None]:
    """Return the range as the words around it mean it: before it, since it, or in it."""
    first, after = named
    if led := _LED.search(question[: match.start()]):
        word = led["word"].casefold()
        if word in ("since", "after", "from"):
            return after if word == "after" else first, None
        return None, first if word in ("before", "prior to") else after
    followed = _FOLLOWED.match(question, match.end())
    which = followed and followed.lastgroup
    bounds = {"before": (None, first), "until": (None, after), "since": (first, None)}
    return bounds[which] if which else named


# --- The tables -------------------------------------------------------------------------------------------------------


def _table(*rows: str | tuple[str, Reader], by: Reader = read_named) -> _Table:
    """Return patterns with their readers: ``by``, where none is given."""
    pairs = ((row, by) if isinstance(row, str) else row for row in rows)
    return tuple((re.compile(pattern, re.IGNORECASE), ranged) for pattern, ranged in pairs)


_OF_KO_YEAR: Final = r"(?:(?<!\d)(?P<year>20\d\d|2\d)년\s*|(?P<which>재작년|작년|지난해|올해|금년)\s*)"
_KO_YEAR: Final = rf"(?:{_OF_KO_YEAR}|지난\s*)?"
_NOT_NEXT: Final = r"(?<!내년)(?<!내년 )(?<!다음)(?<!다음 )(?<!내후년 )(?<![\d.])"
_KO_MONTH: Final = "(?P<month>1[0-2]|[1-9])"
_KO_TO: Final = r"\s?(?:부터|에서|~|-|–)\s?"
_OF_YEAR: Final = r"(?:(?: of)?,? (?P<year>20\d\d)| of (?P<which>last year|this year))?"
_EN_TO: Final = r"(?:\s?[-–~]\s?| to | through | until | till | and )"

_SPANS: Final = _table(
    (
        rf"{_KO_YEAR}{_NOT_NEXT}{_KO_MONTH}월\s*(?P<day>[12]\d|3[01]|[1-9])일?{_KO_TO}"
        r"(?P<to>[12]\d|3[01]|[1-9])일(?:\s?까지|\s?사이)?"
    ),
    rf"{_KO_YEAR}{_NOT_NEXT}{_KO_MONTH}\s?[~–-]\s?(?P<to>1[0-2]|[1-9])월(?:\s?까지|\s?사이)?",
    (
        rf"\b(?:(?:from|between) )?(?P<month>{MONTH})\.? (?P<day>\d\d?){ORDINAL}?{_EN_TO}(?P<to>\d\d?){ORDINAL}?\b"
        r"(?:,? (?P<year>20\d\d))?(?! [a-z]+ ago)"
    ),
    (
        rf"\b(?:(?:from|between) )?(?:the )?(?P<day>\d\d?){ORDINAL}?{_EN_TO}(?:the )?(?P<to>\d\d?){ORDINAL}? "
        rf"(?:of )?(?P<month>{MONTH})\b\.?(?:,? (?P<year>20\d\d))?"
    ),
    by=read_span,
)  # fmt: skip
"""From one day to another, in words of their own."""

_QUARTER: Final = r"(?:Q(?P<quarter>[1-4])|H(?P<half>[12]))(?![A-Za-z0-9_:%-]|\.\S)"
_ON: Final = "|".join(
    rf"(?<=\b{word} )" for word in ("in", "last", "since", "before", "after", "until", "during", "from", "by")
)
_KO_AFTER_AGO: Final = "(?=$|[^가-힣]|에|의|부터|까지|쯤|엔|인|이|만|으로|보다|과|하고)"
_DAYS_NAMED: Final = _table(
    r"(?<![\w.])(?P<year>20\d\d)[-./](?P<month>\d\d?)[-./](?P<day>\d\d?)(?!\d)",
    r"(?<![\d./-])(?P<year>20\d\d)-(?P<month>\d\d)(?![\d.-])",
    r"(?<![\d./])(?P<month>1[0-2]|0?[1-9])/(?P<day>[12]\d|3[01]|0?[1-9])(?=에(?!서)|부터|까지)",
    (
        rf"{_KO_YEAR}{_NOT_NEXT}{_KO_MONTH}월(?![급세드간호]|요일)"
        rf"(?:\s*(?P<day>[12]\d|3[01]|[1-9])일(?!\s?(?:간|전|동안))|\s*{KO_PART})?"
    ),
    (
        rf"\b(?P<month>{MONTH})\.? (?P<day>\d\d?){ORDINAL}?\b(?:,? (?P<year>20\d\d))?"
        rf"|\b(?P<day2>\d\d?){ORDINAL}? (?:of )?(?P<month2>{MONTH})\b\.?(?:,? (?P<year2>20\d\d))?"
    ),
    rf"{EN_PART_OF}(?P<month>{MONTH})\b\.?(?:,? (?P<year>20\d\d))?",
    rf"\b(?P<month>{MONTH})\.?,? (?P<year>20\d\d)\b",
    rf"\b(?=[adfjmnos])(?:{_ON})(?P<month>{MONTH})\b",
    # Quarters and halves
    rf"{_OF_KO_YEAR}?(?<!\d)(?:(?P<quarter>[1-4])\s?(?:사)?분기|(?P<half>[상하])반기)",
    rf"(?:{_OF_KO_YEAR}|\b(?P<year2>20\d\d)[ -]?|\b(?P<which2>last year|this year)(?:'s)? ){_QUARTER}",
    rf"\b{_QUARTER}{_OF_YEAR.removesuffix('?')}",
    rf"\b(?=Q[1-4])(?:{_ON}|(?<=\bof )|(?<=\bthis ))Q(?P<quarter>[1-4])(?![\w:%-]|\.\S|\s%)",
    r"^\W*Q(?P<quarter>[1-4])\W*$",
    r"(?<![\w-])Q(?P<quarter>[1-4])(?=에|엔|의|부터|까지|동안)",
    rf"\b(?P<quarter>first|second|third|fourth) quarter\b(?! of (?!20\d\d|last year|this year|the year\b)){_OF_YEAR}",
    rf"{KO_PERIOD}\s?(?P<day>[12]\d|3[01]|[1-9])일(?!\s?(?:간|전|동안|째|차))",
    # Parts of a week, a month or a year
    rf"{KO_PERIOD}\s?{KO_PART}",
    rf"{EN_PART_OF}{EN_PERIOD}",
    rf"(?<!\d)(?P<year>20\d\d)년\s?{KO_PART}",
    rf"{EN_PART_OF}(?P<year>20\d\d)\b(?![-./]\d| (?:i?mac|model|edition|version|release|build))",
    (r"(?<![가-힣])연초", lambda _, today: part_of("year", units_back("year", today, 0), "early")),
    (r"(?<![가-힣])지난\s?연말", lambda _, today: part_of("year", units_back("year", today, 1), "late")),
    (
        rf"(?:{_OF_KO_YEAR}|(?<![가-힣])(?P<which2>지난|올|이번)\s?)(?P<season>봄|여름|가을|겨울)"
        r"(?=$|[^가-힣]|에|엔|의|부터|까지|동안|내내|철|쯤)"
    ),
    r"\b(?P<which>last|this) (?P<season>spring|summer|fall|autumn|winter)\b",
    (
        r"(?:(?<=\bin the )|(?<=\bover the ))(?P<season>spring|summer|fall|autumn|winter)(?=\W*$|[,;?])",
        where_told(None, read_named),
    ),
    # The last so many
    (
        (
            rf"(?<![가-힣])(?P<since>최근|지난|요|근)\s?{KO_AMOUNT}"
            r"\s?(?P<over>간(?![가-힣])|간에|간의|동안|사이|새(?![가-힣])|(?<=며칠)|)(?!\s?[전차째])"
        ),
        read_last_few,
    ),
    (
        (
            r"(?:\bthe last|\b(?:the )?(?P<past>past)"
            r"|\blast(?= (?:\d|two|three|four|five|six|seven|ten|few|couple|several)))"
            rf" (?:{EN_AMOUNT}|(?P<alone>hour|week|month|quarter|year))\b(?! of\b)"
        ),
        read_last_few,
    ),
    # So long ago
    (
        rf"(?<![\w가-힣]){KO_AMOUNT}\s?(?:쯤|정도|가량|남짓)?\s?전{_KO_AFTER_AGO}",
        read_long_ago,
    ),
    (rf"\b{EN_AMOUNT} (?:ago\b|back\b(?! (?:button|link|arrow|key|gesture|navigation|stack|up|end)))", read_long_ago),
    (
        rf"(?<![가-힣])얼마\s?전{_KO_AFTER_AGO}|\bnot (?:too |so )?long ago\b",
        lambda _, today: days_ago(today, 60, 1),
    ),
    (r"\bthe other (?:day|night)\b|(?<![\d가-힣])일전에", lambda _, today: days_ago(today, 14, 1)),
    (r"\bthe other week\b", lambda _, today: units_back("week", today, 4, 1)),
    # Days
    (r"(?<![가-힣])그끄저께|(?<![가-힣])그끄제", lambda _, today: days_ago(today, 3)),
    (
        r"엊그제|엊그저께|(?<![가-힣])그저께|(?<![가-힣])그제(?![야서])|\bthe day before yesterday\b",
        lambda _, today: days_ago(today, 2),
    ),
    (r"어젯밤|어제\s?밤|지난\s?밤|간밤|\blast night\b|\byesterday night\b", read_last_night),
    (r"(?<![가-힣])어제(?!나)|\byesterday\b", lambda _, today: days_ago(today, 1)),
    (
        r"오늘(?!날)|\bthis (?:morning|afternoon|evening)\b|\btonight\b|\bearlier today\b",
        lambda _, today: days_ago(today, 0),
    ),
    (r"\btoday\b", where_told(None, lambda _, today: days_ago(today, 0))),
    (r"(?:지난|저번|이번)\s?주말|\b(?:last|this|over the) weekend\b", read_weekend),
    rf"{KO_PERIOD}\s?(?P<weekday>[월화수목금토일])요일",
    rf"\b(?P<weekday>{WEEKDAY}) (?:of )?{EN_PERIOD}",
    rf"{EN_PERIOD}(?:'s| on)? (?P<weekday>{WEEKDAY})\b",
    r"(?:지난|저번|이번)\s?(?P<weekday>[월화수목금토일])요일",
    rf"(?<=\blast )(?P<weekday>{WEEKDAY})\b",
    # Weeks, months, years
    KO_PERIOD,
    (r"(?<![가-힣])전\s?주(?=에(?!\s?있)|의)", lambda _, today: units_back("week", today, 1)),
    (r"(?<![가-힣])전\s달(?=에|의|부터|까지|\s)", lambda _, today: units_back("month", today, 1)),
    EN_PERIOD,
    r"(?<!\d)(?P<year>20\d\d)년",
    r"(?<=\bin )(?P<year>20\d\d)\b(?![-./]\d)",
    (rf"(?<=\bon )(?P<weekday>{WEEKDAY})\b", where_told(PLAIN_QUESTION, read_named)),
    rf"(?<=\bsince )(?P<weekday>{WEEKDAY})\b",
    (rf"(?<=\bdo )(?P<weekday>{WEEKDAY})(?=\W*$)", where_told(None, read_named)),
    (rf"(?<=\bon the )(?P<day>\d\d?){ORDINAL}(?=\W*$|[,;?])", where_told(PLAIN_QUESTION, read_named)),
    (r"(?<![\w가-힣])(?<!월 )(?<!매달 )(?P<day>[12]\d|3[01]|[1-9])일(?=에(?!서|\s?한|\s?\d)|날)", read_korean_day),
    (r"(?<![가-힣])(?P<weekday>[월화수목금토일])요일(?=에|날|\s)", read_korean_day),
    (r"(?<![가-힣])(?:최근|요즘|요새|근래)(?=에|엔|\s)|\b(?:recently|lately)\b", read_recently),
)  # fmt: skip
"""In the order in which they are tried: the first that fits is taken."""


# --- From one to another ----------------------------------------------------------------------------------------------


def _read_year_begun(match: re.Match[str], today: date) -> Range:
    if int(match["year"]) > today.year:
        raise NoDays
    return read_named(match, today)


_MORE_ENDS: Final = _table(
    rf"\b(?P<month>{MONTH})\b\.?(?:,? (?P<year>20\d\d)\b)?",
    (rf"\b(?P<weekday>{WEEKDAY})\b", where_told(None, read_named)),
    (r"(?<![가-힣])(?P<weekday>[월화수목금토일])요일", read_korean_day),
    (r"(?<![\d.])(?P<year>20\d\d)(?![\d.])", _read_year_begun),
)
"""What else is read as the one end where the other stands beside it."""
_JOINT: Final = re.compile(
    r"(?P<between>(?<=\S)(?:와|과|하고)\s)|(?P<off>(?<=\S)에서\s?)|(?P<to>(?<=\S)\s?(?:부터\s?|[~–]\s?|-\s?)"
    r"|\s(?:to|through|thru|until|till)\s(?:the\s)?)|(?P<and>\sand\s(?:the\s)?)",
    re.IGNORECASE,
)
_MOVED: Final = re.compile(r"\b(?:mov|postpon|push|shift|delay|resched|bump|slip|rais|lower|extend)\w*", re.IGNORECASE)


def _from_one_to_another(question: str, joints: list[re.Match[str]], found: list[_Reading], today: date) -> Days | None:
    """Return ``between March and May``, ``지난달부터 어제까지``: from the one's first day to the other's last."""
    ending: dict[int, _Reading] = {}
    beginning: dict[int, _Reading] = {}
    for reading in sorted([*found, *_readings(_MORE_ENDS, question, today)], key=lambda reading: len(reading[0][0])):
        ending[reading[0].end()] = beginning[reading[0].start()] = reading  # the longest is the last
    for joint in joints:
        one, other = ending.get(joint.start()), beginning.get(joint.end())
        if one and other and (span := _joined(question, joint, one, other, today)):
            return span
    return None


def _joined(
    question: str,
    joint: re.Match[str],
    one: _Reading,
    other: _Reading,
    today: date,
) -> Days | None:
    before, behind = question[: one[0].start()], question[other[0].end() :]
    opened = re.search(r"\b(?P<word>between|from|since)\s+(?:the\s+)?$", before, re.IGNORECASE)
    closed = re.match(r"\s?(?:까지|사이|중)", behind)
    if joint["and"] and not (opened and opened["word"].casefold() == "between"):
        return None
    if (joint["between"] or joint["off"]) and not closed:
        return None  # 3월에서 5월로
    if joint["to"] and not re.search("[가-힣]", joint[0] + one[0][0]) and _MOVED.search(before):
        return None  # moved from March to May
    (first, _), (_, after) = one[2], other[2]
    if _is_guessed(one[0]):
        # The last such one that had begun before the other ended.
        read = _read(one[1], one[0], _day_of(after) - timedelta(days=1))
        first = read[0] if read else first
    elif _is_guessed(other[0]) and first.year < today.year:
        read = _read(other[1], other[0], min(today, _day_of(first) + timedelta(days=364)))
        after = read[1] if read else after
    if _day_of(first) >= _day_of(after):
        return None
    start = opened.start() if opened else one[0].start()
    return Days(first, after, question[start : other[0].end() + (closed.end() if closed else 0)].strip())


def _is_guessed(match: re.Match[str]) -> bool:
    """Say whether it is a month, a day or a weekday without a year: the last one was meant."""
    named = {name.rstrip("2") for name, found in match.groupdict().items() if found}
    return bool({"month", "quarter", "half"} & named or named == {"weekday"}) and not {"year", "which"} & named
