"""What a question says about time, in Korean and English, counted from a Monday in Seoul."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wwt_vault.search.when import When, read

SEOUL = ZoneInfo("Asia/Seoul")
NOW = datetime(2026, 11, 30, 1, 0, tzinfo=UTC)
"""Monday, ten in the morning in Seoul."""


def days(question: str, now: datetime = NOW) -> tuple[str | None, str | None]:
    """Return the first day of the range and the day after its last, in Seoul."""
    found = read(question, now, SEOUL)
    since, until = (part and part.astimezone(SEOUL).strftime("%Y-%m-%d %H") for part in found[:2])
    assert all(part is None or part.endswith(" 00") for part in (since, until))
    return since and since[:-3], until and until[:-3]


@pytest.mark.parametrize(
    ("question", "since", "until"),
    [
        ("어제 뭐 했지?", "2026-11-29", "2026-11-30"),
        ("그저께 고친 버그", "2026-11-28", "2026-11-29"),
        ("오늘 정한 것", "2026-11-30", "2026-12-01"),
        ("지난주에 배포한 거", "2026-11-23", "2026-11-30"),
        ("저번 주 회의", "2026-11-23", "2026-11-30"),
        ("지지난주 장애", "2026-11-16", "2026-11-23"),
        ("이번 주 할 일", "2026-11-30", "2026-12-07"),
        ("지난달 비용", "2026-10-01", "2026-11-01"),
        ("이번 달 배포", "2026-11-01", "2026-12-01"),
        ("9월에 바꾼 설정", "2026-09-01", "2026-10-01"),
        ("12월에 한 이야기", "2025-12-01", "2026-01-01"),
        ("지난 3월에", "2026-03-01", "2026-04-01"),
        ("작년 5월에", "2025-05-01", "2025-06-01"),
        ("2025년 2월", "2025-02-01", "2025-03-01"),
        ("2024년 2월 29일에", "2024-02-29", "2024-03-01"),
        ("3월 11일 배포", "2026-03-11", "2026-03-12"),
        ("3월 초에", "2026-03-01", "2026-03-11"),
        ("3월 중순", "2026-03-11", "2026-03-21"),
        ("2월 말에", "2026-02-21", "2026-03-01"),
        ("3월 이전에 쓰던 서버", None, "2026-03-01"),
        ("3월 이후로 바뀐 것", "2026-03-01", None),
        ("3월부터", "2026-03-01", None),
        ("3월까지", None, "2026-04-01"),
        ("작년에 쓰던 것", "2025-01-01", "2026-01-01"),
        ("재작년", "2024-01-01", "2025-01-01"),
        ("3일 전에 말한", "2026-11-27", "2026-11-28"),
        ("두 달 전에", "2026-09-01", "2026-10-01"),
        ("2주 전", "2026-11-16", "2026-11-23"),
        ("2026-03-11에 뭘 했지", "2026-03-11", "2026-03-12"),
        ("2026.3.11", "2026-03-11", "2026-03-12"),
        ("지난 금요일에", "2026-11-27", "2026-11-28"),
        ("what did we do yesterday", "2026-11-29", "2026-11-30"),
        ("the day before yesterday", "2026-11-28", "2026-11-29"),
        ("last week's outage", "2026-11-23", "2026-11-30"),
        ("what broke last month", "2026-10-01", "2026-11-01"),
        ("in March", "2026-03-01", "2026-04-01"),
        ("in December", "2025-12-01", "2026-01-01"),
        ("in May 2025", "2025-05-01", "2025-06-01"),
        ("before March", None, "2026-03-01"),
        ("since March", "2026-03-01", None),
        ("after March 11", "2026-03-12", None),
        ("until June", None, "2026-07-01"),
        ("on March 11th", "2026-03-11", "2026-03-12"),
        ("on 11 March 2025", "2025-03-11", "2025-03-12"),
        ("in 2025", "2025-01-01", "2026-01-01"),
        ("three weeks ago", "2026-11-09", "2026-11-16"),
        ("2 days ago", "2026-11-28", "2026-11-29"),
        ("a year ago", "2025-01-01", "2026-01-01"),
        ("on Friday", "2026-11-27", "2026-11-28"),
        ("2026-02", "2026-02-01", "2026-03-01"),
        ("what did we change today", "2026-11-30", "2026-12-01"),
        ("which broker do we use today", None, None),
    ],
)
def test_dates_in_a_question_are_days_of_the_persons_zone(question: str, since: str | None, until: str | None) -> None:
    """From midnight to midnight there; a month without a year is the last one that has begun."""
    assert days(question) == (since, until)


@pytest.mark.parametrize(
    "question",
    ["지난번에 정한 것", "지난 주문이 왜 실패했지", "전 주소는", "v2026.3.1의 변경점",
     "May I ask what we chose?",
     "march through the list", "the second time", "30일 보관 정책", "이번 주제는", "10.0.2026.1",
     "2월 31일", "port 2025", "한 번에 한 달치"],
)  # fmt: skip
def test_what_only_looks_like_a_date_is_none(question: str) -> None:
    """Versions, amounts, words that begin alike, days that do not exist."""
    assert not read(question, NOW, SEOUL).has_range


@pytest.mark.parametrize(
    ("question", "about"),
    [
        ("지난달 매출은 지금 어떻게 계산하지?", "now"), ("오늘 할 일은 현재 무슨 순이야?", "now"),
        ("what does the last 7 days page show now", "now"),
        ("지금 쓰는 DB가 뭐야?", "now"), ("현재 방식", "now"), ("요즘 뭘로 돌려", "now"), ("what do we use now", "now"),
        ("the current version", "now"), ("which broker is it these days", "now"), ("which broker today", "now"),
        ("처음에 어떻게 정했지", "then"), ("원래 방식", "then"), ("예전 서버", "then"),
        ("what was it originally", "then"), ("what did we use before we switched", "then"),
        ("what had we chosen before", "then"), ("9월에 정한 것", "then"),
        ("Where was the site published before?", "then"), ("Before the crash, what was the limit?", "then"),
        ("what did a review have to pass in the early days", "then"), ("What was the original deadline?", "then"),
        ("How often did we use to retry?", "then"), ("Who used to sign the releases?", "then"),
        ("바꾸기 전에는 누가 했지?", "then"), ("법무팀 요청 전에는 얼마나 보관했어?", "then"),
        ("초기 용량이 얼마였더라?", "then"),
        ("who gave us positions before Spire", "then"), ("What came before mold?", "then"),
        ("what did Spire replace", "then"), ("the first retention we agreed on", "then"),
        ("which pump did we have when we started", "then"), ("기존 요금제는 얼마였지", "then"),
        ("출시 때 가격이 얼마였어?", "then"), ("첫 결정은 뭐였지", "then"), ("옛 요금은 얼마였어", "then"),
        ("What do we need before we embed?", None), ("기존 고객은 어떻게 옮기지?", None),
        ("What should we replace?", None), ("the first thing we do in an outage", None),
        ("What has to be done before we launch it?", None), ("배포하기 전에 뭘 확인해야 해?", None),
        ("Which key is used to sign the releases?", None), ("Which hash do we use to store passwords?", None),
        ("이전에는 뭘 썼지?", "then"), ("이전 방식", "then"), ("처음부터 이걸 썼나?", "then"),
        ("서버를 어디로 이전하지?", None), ("DB 이전을 누가 해?", None), ("이전시킨 서버", None),
        ("원래대로 되돌리는 방법", None), ("처음부터 다시 설치하려면?", None),
        ("which library do we use", None), ("왜 골랐지", None), ("I know nothing of it", None),
    ],
)  # fmt: skip
def test_whether_now_or_then_is_asked_about(question: str, about: str | None) -> None:
    """How it stands, how it was, or neither."""
    assert read(question, NOW, SEOUL).about == about


@pytest.mark.parametrize(
    ("question", "past"),
    [
        ("Which Node version are we on?", False),
        ("How many days does a buyer have to get the money back?", False),
        ("재고를 얼마나 자주 맞추지?", False),
        ("테스트 계정이 있나?", False),
        ("Which chart library did we decide on?", False),
        ("주석을 어느 언어로 쓰기로 했더라?", False),
        ("Which version did we move to?", False),
        ("지도를 어디로 바꿨지?", False),
        ("지도를 왜 바꿨지?", True),
        ("Why do we have two tables for addresses?", True),
        ("What caused the double bookings?", True),
        ("What motivated her to move?", True),
        ("How has the onboarding evolved?", True),
        ("쿠폰이 두 번 적용된 건 왜였지?", True),
        ("로그인 화면이 느렸던 원인은?", True),
    ],
)
def test_what_happened_is_told_from_how_things_stand(question: str, past: bool) -> None:
    """What was decided holds today; why something happened does not change with what came later."""
    assert read(question, NOW, SEOUL).past is past


def test_the_day_is_that_of_the_zone() -> None:
    """At one in the morning in Seoul it is still yesterday in London, and yesterday is another day."""
    late = datetime(2026, 11, 29, 16, 0, tzinfo=UTC)

    assert days("어제", late) == ("2026-11-29", "2026-11-30")
    assert read("어제", late, UTC).since == datetime(2026, 11, 28, tzinfo=UTC)


def test_a_range_holds_what_lies_in_it() -> None:
    """Its end not included; a passage without a time is never in it."""
    found = read("어제", NOW, SEOUL)

    assert found.since and found.until
    assert found.holds(found.since)
    assert not found.holds(found.until)
    assert not found.holds(None)
    assert not When().holds(NOW)


@given(st.text(max_size=80))
def test_any_text_can_be_read(text: str) -> None:
    """And gives a range that is in order."""
    found = read(text, NOW, SEOUL)

    assert found.since is None or found.until is None or found.since < found.until


@pytest.mark.parametrize("question", ["999 years ago", "999년 전", "998 years ago"])
def test_days_before_all_calendars_are_none(question: str) -> None:
    """Asked as of the year 1000, the first of the days lies before the year 1 in UTC."""
    assert read(question, datetime(1000, 6, 1, tzinfo=UTC), SEOUL).words in {"", "998 years ago"}
