"""What only looks like days in a question: names, features, versions, words in quotation marks.

``오늘 할 일 화면``, ``작년 동기 대비``, ``the 'last week' filter``, ``version 2025.1.3``.
"""

from __future__ import annotations

import re
from typing import Final

from wwt_vault.search.named_days import HAPPENED

__all__ = ["without_lookalikes"]

_SHOWN: Final = (
    r"탭|버튼|필터|위젯|라벨|배지|매크로|변수"
    r"|(?:var|variable|macro|function|filter|button|tab|view|page|widget|column|label|badge|preset)s?\b"
)
_QUOTED: Final = (
    r"\"[^\"\n]{1,60}\"|“[^”\n]{1,60}”|‘[^’\n]{1,60}’|「[^」\n]{1,60}」|`[^`\n]{1,60}`|(?<!\w)'[^'\n]{1,60}'(?!\w)"
)
_ALWAYS: Final = re.compile(
    r"(?=[\"“‘「`'a-z오올이어전작지재버릴]|20)(?:"
    rf"{_QUOTED}"
    r"|오늘(?:의)?\s?할\s?일|오늘의\s?집"
    r"|(?:오늘|올해|이달)의\s?(?:책|인물|앱|사진|단어|선수|영화|게임|명언|날씨|운세|추천|특가|메뉴|상품|퀴즈|음악|노래)"
    r"|(?:어제|전일|작년|전년|지난해|재작년|지난\s?(?:달|주|분기)|전\s?(?:월|주|분기))"
    r"\s?(?:동기|동월|동일|같은\s기간)?\s?대비"
    r"|\b(?:today|yesterday)\("
    r"|\b(?:this|last) (?:spring (?:boot|bean|batch|cloud|data|mvc|security|framework|context)|fall back)"
    r"|\blast night (?:mode|theme|shift)\b"
    r"|(?:\bv|\bversion|\brelease|버전|릴리스)\s?20\d\d\.\d+(?:\.\d+)*|\b20\d\d\.\d+\.\d+\s?(?:버전|릴리스|version|release)"
    r"|(?:\b(?:RFC|CVE|ADR|PEP|issue|ticket)|이슈|티켓)[ #-]{1,2}20\d\d-\d+(?![\d-]))",
    re.IGNORECASE,
)
_UNLESS_TOLD: Final = re.compile(
    r"(?:오늘|어제|최근|(?:지난|이번)\s?(?:주|달|분기))\s?(?:" + _SHOWN + ")"
    r"|\b(?:today|yesterday|(?:last|this) (?:week|month|quarter|year)) (?:" + _SHOWN + ")"
    r"|\b(?:print|show|display|render|format|return|output)s? (?:\d+|an?|one|two|three) \w+ ago\b",
    re.IGNORECASE,
)


def without_lookalikes(question: str) -> str:
    """Return ``question``, as long as it was, with a null character for each one of what only looks like days."""
    if (match := re.fullmatch(rf"\s*(?:{_QUOTED})\W*", question)) is not None:
        return match[0]  # it was asked in quotation marks
    question = _ALWAYS.sub(_blank, question)
    return question if HAPPENED.search(question) else _UNLESS_TOLD.sub(_blank, question)


def _blank(match: re.Match[str]) -> str:
    return "\0" * len(match[0])
