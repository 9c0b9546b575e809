"""What a sentence fixes: how long, how many, which version, which day, for which of two sides.

Two sentences that are alike but fix other values are not one said twice. Durations are compared in seconds, so that
"15 minutes", "fifteen minutes", "a quarter of an hour" are one value; Korean and English.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

__all__ = ["differing", "scopes", "values"]

_WORDS: Final = {
    word: number
    for number, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen".split()  # noqa: SIM905 - reads as words
    )
} | {"twenty": 20, "thirty": 30, "forty": 40, "forty-five": 45, "fifty": 50, "sixty": 60, "ninety": 90, "hundred": 100}
_NATIVE: Final = {
    "한": 1, "두": 2, "세": 3, "네": 4, "다섯": 5, "여섯": 6, "일곱": 7, "여덟": 8, "아홉": 9, "열": 10, "열두": 12,
    "스무": 20, "서른": 30,
}  # fmt: skip
_DAYS: Final = {
    "하루": 1,
    "이틀": 2,
    "사흘": 3,
    "나흘": 4,
    "닷새": 5,
    "엿새": 6,
    "이레": 7,
    "열흘": 10,
    "보름": 15,
    "일주일": 7,
}
_SECONDS: Final = {
    "ms": 0.001, "millisecond": 0.001, "milliseconds": 0.001, "밀리초": 0.001, "s": 1, "sec": 1, "secs": 1, "second": 1,
    "seconds": 1, "초": 1, "m": 60, "min": 60, "mins": 60, "minute": 60, "minutes": 60, "분": 60, "h": 3600, "hr": 3600,
    "hrs": 3600, "hour": 3600, "hours": 3600, "시간": 3600, "d": 86400, "day": 86400, "days": 86400, "일": 86400,
    "week": 604800, "weeks": 604800, "주": 604800, "주일": 604800, "month": 2592000, "months": 2592000, "개월": 2592000,
    "달": 2592000, "year": 31536000, "years": 31536000, "년": 31536000,
}  # fmt: skip
_BYTES: Final = {"kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12, "kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30}
_MONTHS: Final = tuple("jan feb mar apr may jun jul aug sep oct nov dec".split())  # noqa: SIM905
_WEEKDAYS: Final = {
    "mon": 0, "tue": 1, "wed": 2, "thu": 3, "fri": 4, "sat": 5, "sun": 6, "월": 0, "화": 1, "수": 2, "목": 3, "금": 4,
    "토": 5, "일": 6,
}  # fmt: skip
_EVERY: Final = {
    "hourly": 3600, "daily": 86400, "nightly": 86400, "weekly": 604800, "biweekly": 1209600, "monthly": 2592000,
    "quarterly": 7776000, "yearly": 31536000, "annually": 31536000, "매시간": 3600, "매일": 86400, "매주": 604800,
    "격주": 1209600, "매월": 2592000, "매달": 2592000, "매년": 31536000,
}  # fmt: skip

_NUMBER: Final = r"\d+(?:[.,]\d+)*"
_UNIT: Final = "|".join(sorted(map(re.escape, _SECONDS), key=len, reverse=True))
_DURATION: Final = re.compile(rf"(?<![\w.])({_NUMBER})[ -]?({_UNIT})(?![a-z0-9_])")
_NATIVE_DURATION: Final = re.compile(
    rf"(?<![가-힣])({'|'.join(sorted(_NATIVE, key=len, reverse=True))}) ?(시간|달|주)(?!\w*일)"
)
_DAYS_WORD: Final = re.compile(rf"(?<![가-힣])({'|'.join(_DAYS)})(?![가-힣]{{3}})")
_SIZE: Final = re.compile(rf"(?<![\w.])({_NUMBER}) ?({'|'.join(_BYTES)})(?![a-z0-9_])")
_PERCENT: Final = re.compile(rf"({_NUMBER}) ?(?:%|percent\b|퍼센트|프로(?![가-힣]))")
_RATE: Final = re.compile(
    rf"({_NUMBER}) ?(?:requests?|calls?|times|messages?|queries|건|회|번)?,? ?(?:per|/|an?) ?"
    rf"(second|minute|hour|day|week|month)s?\b|({_NUMBER}) ?(rps|rpm|qps|tps)\b|"
    rf"(초|분|시간|일|하루|주)(?:당|에) ?({_NUMBER}) ?(?:건|회|번|개)?"
)
_RATES: Final = {
    "rps": "second", "qps": "second", "tps": "second", "rpm": "minute", "초": "second", "분": "minute", "시간": "hour",
    "일": "day", "하루": "day", "주": "week",
}  # fmt: skip
_DATE: Final = re.compile(
    r"\b((?:19|20)\d\d)[-./](\d{1,2})(?:[-./](\d{1,2}))?\b|((?:19|20)\d\d)년|(\d{1,2})월(?: ?(\d{1,2})일)?"
)
_MONTH: Final = re.compile(
    r"\b(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|"
    r"nov(?:ember)?|dec(?:ember)?)\b(?: (\d{1,2})(?!\d))?"
)
_BEFORE_MAY: Final = re.compile(r"\b(?:in|since|until|by|of|from|this|last|next) $")
_YEAR: Final = re.compile(r"\b(?:in|since|until|of|by) ((?:19|20)\d\d)\b")
_QUARTER: Final = re.compile(r"\bq([1-4])\b|([1-4])분기")
_WEEKDAY: Final = re.compile(
    r"\b(mon|tue|wed|thu|fri|sat|sun)(?:day|sday|nesday|rsday|urday)s?\b|([월화수목금토일])요일"
)
_OFTEN: Final = re.compile(
    rf"\b(?:every|each|per) (hour|day|week|month|year|night)\b|\b({'|'.join(filter(str.isascii, _EVERY))})\b|"
    rf"({'|'.join(word for word in _EVERY if not word.isascii())})"
)
_VERSION: Final = re.compile(
    r"([a-z가-힣][\w.+#가-힣]*?)[ -]?v?(\d+(?:\.\d+){1,3})(?![\w.]*\d)|"
    r"([a-z가-힣][a-z+#.가-힣]+)[ -](?:v|version )?(\d+)(?![a-z0-9_.%])"
)
_PLAIN: Final = re.compile(rf"(?<![\w.])({_NUMBER})(?![\w.]*\d)(?: ?([a-z]{{3,}}|[가-힣]+))?")
_NOTHING: Final = frozenset("the a an is are was to of for at in on by and or than about least most only just".split())  # noqa: SIM905

_PARTICLE: Final = re.compile("[을를은는이가의로에]|으로|까지|부터")
_LAST_PARTICLE: Final = re.compile("(?<=[가-힣])[은는이가을를의]$")

_SIDES: Final = (
    (r"global(?:ly)?|across all|전역|전체", r"per[- ]user|individual(?:ly)?|per[- ]tenant|사용자(?:별|당)|개별|개인별"),
    (
        r"development|\bdev\b|local(?:ly)?|로컬|개발(?: ?환경|용)",
        r"production|\bprod\b|프로덕션|운영(?: ?환경|용)?",
        r"staging|스테이징",
    ),
    (r"front-?end|프론트(?:엔드)?", r"back-?end|백엔드"),
    (r"\bread(?:s|ing)?\b|읽기", r"\bwrit(?:e|es|ing)\b|쓰기"),
    (r"primary|master|leader|주 ?서버", r"replica|secondary|standby|follower|복제본|예비"),
    (r"minim(?:um|al)|at least|최소", r"maxim(?:um|al)|at most|최대"),
    (r"access tokens?|액세스 ?토큰", r"refresh tokens?|리프레시 ?토큰"),
    (r"\bios\b|아이폰", r"android|안드로이드"),
    (r"public|공개", r"private|internal|비공개|내부"),
    (r"unit tests?|단위 ?테스트", r"integration|end-to-end|통합 ?테스트", r"smoke|스모크"),
    (r"server(?:-side)?|서버", r"client(?:-side)?|클라이언트"),
    (r"upload|업로드", r"download|다운로드"),
    (r"request|요청", r"response|응답"),
    (r"encrypt|암호화", r"decrypt|복호화"),
    (r"\bsess?ions?\b|세션", r"\bqueues?\b|\bjobs?\b|큐|작업"),
)  # fmt: skip
"""Words for two or three sides of one matter: who speaks of one does not speak of the other."""
_SIDE: Final = tuple(tuple(re.compile(word) for word in sides) for sides in _SIDES)


def values(text: str) -> dict[str, frozenset[str]]:
    """Return what a text fixes, by dimension (``time``, ``rate``, ``size``, ``date``, ``version of …``, …).

    >>> values("tokens last fifteen minutes") == values("a 15-minute token")
    True
    """
    found: dict[str, set[str]] = {}

    def take(dimension: str, value: object) -> str:
        """Keep a value; what stood for it is out of the text."""
        found.setdefault(dimension, set()).add(str(value))
        return " "

    left = re.sub(
        rf"\b({'|'.join(_WORDS)})(?=[ -](?:{_UNIT}|times|requests|items)\b)",
        lambda match: str(_WORDS[match[1]]),
        text.casefold(),
    )
    left = re.sub(r"\ban? (?=(?:hour|minute|day|week|month|year)\b(?! of))", "1 ", left)
    for pattern, read in _READERS:
        left = pattern.sub(lambda match, read=read: read(match, take), left)  # type: ignore[misc]  # mypy knows no such
    for match in _PLAIN.finditer(left):
        noun = match[2] if match[2] and match[2] not in _NOTHING and not _PARTICLE.match(match[2]) else ""
        take(f"number of {noun.rstrip('s')[:6]}" if noun else "number", _number(match[1]))
    return {dimension: frozenset(each) for dimension, each in found.items()}


def differing(one: dict[str, frozenset[str]], other: dict[str, frozenset[str]]) -> list[str]:
    """Return the dimensions in which both fix something and nothing of it is the same."""
    return sorted(dimension for dimension in one.keys() & other.keys() if not one[dimension] & other[dimension])


def scopes(text: str) -> frozenset[tuple[int, int]]:
    """Return which sides of which matters a text speaks of, as numbers."""
    folded = text.casefold()
    return frozenset(
        (matter, side) for matter, sides in enumerate(_SIDE) for side, word in enumerate(sides) if word.search(folded)
    )


_Take = Callable[[str, object], str]


def _date(match: re.Match[str], take: _Take) -> str:
    year, month, day = match[1] or match[4], match[2] or match[5], match[3] or match[6]
    for dimension, value in (("year", year), ("month", month), ("day of the month", day)):
        if value:
            take(dimension, int(value))
    return " "


def _month(match: re.Match[str], take: _Take) -> str:
    if (
        match[1] == "may"
        and not match[2]
        and not _BEFORE_MAY.search(match.string, max(0, match.start() - 7), match.start())
    ):
        return match[0]  # the verb
    if match[2]:
        take("day of the month", int(match[2]))
    return take("month", 1 + _MONTHS.index(match[1][:3]))


def _rate(match: re.Match[str], take: _Take) -> str:
    unit = match[2] or match[4] or match[5]
    return take(f"rate per {_RATES.get(unit, unit)}", _number(match[1] or match[3] or match[6]))


def _often(match: re.Match[str], take: _Take) -> str:
    word = match[1] or match[2] or match[3]
    return take("often", _EVERY.get(word) or _SECONDS["day" if word == "night" else word])


def _version(match: re.Match[str], take: _Take) -> str:
    name = (match[1] or match[3]).strip(".-")
    if name in _NOTHING:
        return match[0]
    return take(f"version of {_LAST_PARTICLE.sub('', name)}", match[2] or match[4])


def _seconds(match: re.Match[str], take: _Take) -> str:
    number = _NATIVE.get(match[1]) or _number(match[1])
    return take("time", float(number * _SECONDS[match[2]]))


def _number(text: str) -> float:
    whole = text.replace(",", "")
    return float(whole) if whole.count(".") <= 1 else 0.0


_READERS: Final[tuple[tuple[re.Pattern[str], Callable[[re.Match[str], _Take], str]], ...]] = (
    (_DATE, _date),
    (_MONTH, _month),
    (_YEAR, lambda match, take: take("year", match[1])),
    (_QUARTER, lambda match, take: take("quarter", match[1] or match[2])),
    (_WEEKDAY, lambda match, take: take("weekday", _WEEKDAYS[match[1] or match[2]])),
    (_RATE, _rate),
    (_OFTEN, _often),
    (_SIZE, lambda match, take: take("size", _number(match[1]) * _BYTES[match[2]])),
    (_PERCENT, lambda match, take: take("percent", _number(match[1]))),
    (_DAYS_WORD, lambda match, take: take("time", float(_DAYS[match[1]] * 86400))),
    (_NATIVE_DURATION, _seconds),
    (_DURATION, _seconds),
    (_VERSION, _version),
)
"""In this order: what one has read is not there for the next."""
