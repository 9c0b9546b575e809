"""Which days a question names: every way of saying it, in both languages, and what only looks like it."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wwt_vault.index.analysis import MAX_QUESTION
from wwt_vault.search.when import read

SEOUL = ZoneInfo("Asia/Seoul")
NEW_YORK = ZoneInfo("America/New_York")
MONDAY = datetime(2026, 11, 30, 1, 0, tzinfo=UTC)
"""Ten in the morning in Seoul; still Sunday evening in New York."""


def days(question: str, now: datetime = MONDAY, zone: ZoneInfo = SEOUL) -> str:
    """Return the first and the last day of the range, each empty where there is none, as ``first..last``."""
    found = read(question, now, zone)
    since, until = (bound and bound.astimezone(zone).strftime("%Y-%m-%d %H").removesuffix(" 00") for bound in found[:2])
    return f"{since or ''}..{until or ''}" if found.has_range else ""


TABLE = """
# So long ago
일주일 전에 뭐 했지?                           2026-11-23..2026-11-30
이틀 전에 고친 것                              2026-11-28..2026-11-29
사흘 전                                        2026-11-27..2026-11-28
열흘 전에 뭐 했어                              2026-11-19..2026-11-22
보름 전에 배포한 거                            2026-11-13..2026-11-18
한 주 전                                       2026-11-23..2026-11-30
하루 전에                                      2026-11-29..2026-11-30
며칠 전에 얘기한 거                            2026-11-21..2026-11-29
몇 주 전                                       2026-10-26..2026-11-23
몇 달 전에                                     2026-05-01..2026-10-01
얼마 전에 바꾼 설정                            2026-10-01..2026-11-30
두세 달 전에                                   2026-08-01..2026-10-01
2~3주 전에                                     2026-11-09..2026-11-23
한 달쯤 전에                                   2026-10-01..2026-11-01
석 달 전                                       2026-08-01..2026-09-01
반년 전                                        2026-05-01..2026-06-01
2시간 전에 뭐 했지                             2026-11-29..2026-12-01
3일 전부터                                     2026-11-27..
일주일 전까지                                  ..2026-11-30
a few days ago                                 2026-11-21..2026-11-29
a couple of days ago                           2026-11-27..2026-11-29
a day or two ago                               2026-11-28..2026-11-30
two or three weeks ago                         2026-11-09..2026-11-23
a week or so ago                               2026-11-23..2026-11-30
several months ago                             2026-05-01..2026-10-01
half a year ago                                2026-05-01..2026-06-01
the other day                                  2026-11-16..2026-11-30
not long ago                                   2026-10-01..2026-11-30
# The last so many
최근 3일 동안 뭐 했지?                         2026-11-27..2026-12-01
최근 3일                                       2026-11-27..2026-12-01
최근 2주간 배포한 것                           2026-11-16..2026-12-01
지난 3일간                                     2026-11-27..2026-12-01
지난 3일 동안                                  2026-11-27..2026-12-01
지난 며칠                                      2026-11-21..2026-12-01
요 며칠 뭐 했지                                2026-11-21..2026-12-01
최근 한 달                                     2026-10-30..2026-12-01
최근 24시간                                    2026-11-29..2026-12-01
what did we do in the last 3 days              2026-11-27..2026-12-01
what did we do the last 3 days                 2026-11-27..2026-12-01
last 3 days                                    2026-11-27..2026-12-01
past two weeks                                 2026-11-16..2026-12-01
what broke in the last month?                  2026-10-30..2026-12-01
what did we change over the past few days?     2026-11-21..2026-12-01
in the past year                               2025-11-30..2026-12-01
what broke in the last hour?                   2026-11-29..2026-12-01
# Lately, where it is asked what was done
최근에 결제 쪽에서 뭐 바꿨어?                  2026-10-31..2026-12-01
what did we change recently about billing?     2026-10-31..2026-12-01
# Parts of weeks, months, years
earlier this week                              2026-11-30..2026-12-07
earlier this month                             2026-11-01..2026-12-01
earlier this year                              2026-01-01..2027-01-01
at the end of last month                       2026-10-21..2026-11-01
by the end of last month                       ..2026-11-01
since the beginning of October                 2026-10-01..
in early October                               2026-10-01..2026-10-11
mid-October                                    2026-10-11..2026-10-21
the first week of October                      2026-10-01..2026-10-08
in the last week of March                      2026-03-25..2026-04-01
the week of October 7                          2026-10-05..2026-10-12
late 2025                                      2025-09-01..2026-01-01
지난달 말                                      2026-10-21..2026-11-01
이번 달 초에                                   2026-11-01..2026-11-11
10월 첫째 주에                                 2026-10-01..2026-10-08
10월 마지막 주                                 2026-10-25..2026-11-01
지난주 말에                                    2026-11-26..2026-11-30
작년 말에                                      2025-09-01..2026-01-01
올해 초                                        2026-01-01..2026-05-01
2025년 하반기                                  2025-07-01..2026-01-01
연초에 정한                                    2026-01-01..2026-05-01
# Quarters, halves, seasons
상반기                                         2026-01-01..2026-07-01
작년 하반기                                    2025-07-01..2026-01-01
3분기에                                        2026-07-01..2026-10-01
2025년 4분기                                   2025-10-01..2026-01-01
지난 분기                                      2026-07-01..2026-10-01
이번 분기에                                    2026-10-01..2027-01-01
what shipped in Q3?                            2026-07-01..2026-10-01
We shipped it in Q3.                           2026-07-01..2026-10-01
Q3 2025                                        2025-07-01..2025-10-01
in the third quarter                           2026-07-01..2026-10-01
first quarter of last year                     2025-01-01..2025-04-01
this quarter                                   2026-10-01..2027-01-01
last quarter                                   2026-07-01..2026-10-01
지난 여름에                                    2026-06-01..2026-09-01
작년 겨울                                      2025-12-01..2026-03-01
last summer                                    2026-06-01..2026-09-01
# Days of the week, nights
last weekend                                   2026-11-28..2026-11-30
지난 주말                                      2026-11-28..2026-11-30
지난주말에                                     2026-11-28..2026-11-30
last night                                     2026-11-29 17..2026-11-30 06
어젯밤                                         2026-11-29 17..2026-11-30 06
today's changes                                2026-11-30..2026-12-01
오늘 아침                                      2026-11-30..2026-12-01
지난주 금요일                                  2026-11-27..2026-11-28
Friday last week                               2026-11-27..2026-11-28
금요일에 뭐 고쳤지?                            2026-11-27..2026-11-28
# With their year; days of a month; seasons
2025 Q4                                        2025-10-01..2026-01-01
2025 H1                                        2025-01-01..2025-07-01
2025-Q4                                        2025-10-01..2026-01-01
last year's Q4                                 2025-10-01..2026-01-01
25년 3월에                                     2025-03-01..2025-04-01
24년 하반기                                    2024-07-01..2025-01-01
'24년 12월 3일                                 2024-12-03..2024-12-04
재작년 여름                                    2024-06-01..2024-09-01
작년 Q4에                                      2025-10-01..2026-01-01
2025년 Q4에                                    2025-10-01..2026-01-01
2025년 여름                                    2025-06-01..2025-09-01
Q3에 뭐 했지?                                  2026-07-01..2026-10-01
11/24에                                        2026-11-24..2026-11-25
24일에 뭐 했지                                 2026-11-24..2026-11-25
on the 24th                                    2026-11-24..2026-11-25
since Monday                                   2026-11-23..
what did we do Friday?                         2026-11-27..2026-11-28
what did we do in the summer?                  2026-06-01..2026-09-01
what did we build over the summer?             2026-06-01..2026-09-01
지난달 15일에                                  2026-10-15..2026-10-16
이틀 전에 뭘 하기로 했지?                      2026-11-28..2026-11-29
3일 전 회의에서 정한 것                        2026-11-27..2026-11-28
두 달 전에 만든 문서                           2026-09-01..2026-10-01
어제 화면 깨진 거 고쳤어?                      2026-11-29..2026-11-30
2025.10.01에 뭐 했지                           2025-10-01..2025-10-02
2025.10.1에 뭐 했지                            2025-10-01..2025-10-02
결제는 2주 전에 얘기했나                       2026-11-16..2026-11-23
2025년 3월호에 뭐 했지                         2025-01-01..2026-01-01
H1 2025                                        2025-01-01..2025-07-01
Q3 of last year                                2025-07-01..2025-10-01
지난주 화면 설계                               2026-11-23..2026-11-30
사흘 전 그 버그                                2026-11-27..2026-11-28
두 달 전부터 쓰던 서버                         2026-09-01..
한 달 전 결정                                  2026-10-01..2026-11-01
이틀 전에 올린 코드                            2026-11-28..2026-11-29
최근 3일 동안 알람이 왜 울렸지?                2026-11-27..2026-12-01
# From one to another
between March and May                          2026-03-01..2026-06-01
from March to May 2025                         2025-03-01..2025-06-01
between November and February                  2025-11-01..2026-03-01
between may and july                           2026-05-01..2026-08-01
from 3 to 7 October                            2026-10-03..2026-10-08
October 3-7, 2025                              2025-10-03..2025-10-08
between October 3 and 7                        2026-10-03..2026-10-08
from last week to yesterday                    2026-11-23..2026-11-30
what did we do between Monday and Wednesday    2026-11-23..2026-11-26
from 2024 to 2025                              2024-01-01..2026-01-01
3월부터 5월까지                                2026-03-01..2026-06-01
3월에서 5월 사이                               2026-03-01..2026-06-01
3월과 5월 사이에                               2026-03-01..2026-06-01
3~5월                                          2026-03-01..2026-06-01
11월부터 2월까지                               2025-11-01..2026-03-01
2025년 3월부터 5월까지                         2025-03-01..2025-06-01
작년 5월부터 8월까지                           2025-05-01..2025-09-01
10월 3일부터 7일까지                           2026-10-03..2026-10-08
10월 3~7일                                     2026-10-03..2026-10-08
2026-10-03 ~ 2026-10-07                        2026-10-03..2026-10-08
지난달부터 어제까지                            2026-10-01..2026-11-30
지난주 월요일부터 수요일까지 한 일             2026-11-23..2026-11-26
# Leap days; this month of another year
2월 29일                                       2024-02-29..2024-03-01
Feb 29                                         2024-02-29..2024-03-01
올해 12월                                      2026-12-01..2027-01-01
last November                                  2025-11-01..2025-12-01
"""
ROWS = [tuple(line.rsplit("  ", 1)) for line in TABLE.splitlines() if line and not line.startswith("#")]


@pytest.mark.parametrize(("question", "expected"), [(question.strip(), expected) for question, expected in ROWS])
def test_days_are_read_as_a_person_means_them(question: str, expected: str) -> None:
    """Counted from a Monday; the first day, and the day after the last."""
    assert days(question) == expected


@pytest.mark.parametrize(
    "question",
    [
        # Amounts and rules
        "토큰 만료를 2주로 했나?", "최근 3일 로그만 남기기로 했나?", "로그를 최근 3일만 보관하나?",
        "3일 전체 로그", "1년 전체 비용",
        "만료 3일 전에 메일을 보내나?", "끝나기 하루 전에 알림",
        "회의 10분 전",
        "케이크는 며칠 전에 예약해야 해?",
        "출발 몇 시간 전까지 취소돼?",
        "how many days back can we restore?", "3일 후에", "3주 안에",
        "30일 전환율",
        "대시보드에 최근 30일을 보여주기로 했나?", "do we keep the logs of the last 30 days?",
        "Does the dashboard show the last 30 days?", "did we decide to show the last 30 days?", "2 weeks trial",
        "retry from 3 to 7 times", "between 10 and 20 users", "포트 3000에서 3001까지", "from 2024 to 2048 MB",
        # Days before something, and how long nothing was done
        "하루 전 알림은 지금 누가 보내?", "체크인 3일 전까지 전액 환불이야?", "생일 3일 전에 쿠폰을",
        "배송 하루 전에 문자를", "점검 1시간 전에 공지", "수업 하루 전까지 취소",
        "환불은 며칠 전까지 가능하다고 했지?", "예약은 두 달 전부터 받기로 했나?",
        "며칠 전 미리 알려주기로 했지?", "한 달 전 해지 통보 조항", "2시간 전 마감", "상대 시간 표시: 3일 전",
        "휴면 계정 기준은 최근 1년 미접속이야?", "MAU는 최근 30일 기준이야?",
        "inactive for the last 90 days are deleted?", "지난 24시간 에러율 알람 기준은?",
        "지난 90일 동안 접속 안 한 계정은 휴면",
        # What lies ahead, or comes again
        "내년 3월에 출시", "다음 3월", "다음 달 말까지", "다음 주에 뭐 하기로 했지", "in next March",
        "two weeks from now",
        "매주 월요일에 배포했나", "금요일에는 배포 안 하기로 했나?", "Do we deploy on Friday?",
        # Words that begin alike
        "파라미터를 어떻게 전달하지?", "값을 전달했던 방식", "오늘날 쓰는 방식", "그제야 알았다",
        "언어제한을 어떻게 풀었지",
        "이번 주의사항", "5월드", "1월급", "spring boot", "in Spring", "which of the 3 may fail?",
        "Q4_K_M quantization",
        "Q1: what is it", "the last day of the sprint", "the last time we did it", "last two sprints",
        "at the end of the function", "the other side", "version 3.5", "v3.5부터 3.7까지",
        # Named after days
        "오늘 할 일 화면", "오늘 할 일이 뭐야?", "오늘의 할 일", "올해의 책", "오늘의집", "어제 대비", "작년 동기 대비",
        "yesterday() macro", "dbt yesterday var", "formatRelative print 2 days ago",
        "\"지난주\" 탭을 어디에 뒀지?", "what does the 'last week' filter show?",
        "Which heading levels, H1 or H2?", "H1 태그", "H2 Console 접속", "what did we change in H2?", "Q4-K-M",
        "Is Q4 good enough", "survey Q3 responses", "3월호", "이번 달력", "이번 달러", "이번 달성률",
        "이번 주차장", "이번 주인공", "지난 주간", "올 겨울왕국", "1월요일", "금주령", "this spring boot",
        "last spring bean", "this fall back", "last night mode", "two weeks back button", "Which aug 3 filter",
        "the second quarter of the pipeline", "late 2019 iMac", "version 2025.1.3", "RFC 2025-11",
        "이슈 2026-07", "매월 24일에 결제하기로 했나?", "보관을 7일에서 2일로 줄였나?", "3일에 6만 원이었지",
        "on the 2nd try",
        "why was the release moved to Friday?", "did we decide to deploy Friday?",
        "비율을 1/2에서 1/3로 바꿨지", "2025.10.1 버전",
        # Now, and not what was done
        "최근에 바꾼 비밀번호 규칙", "최근에 뭘로 바꿨지?", "what is the recently added column?", "the latest version",
    ],
)  # fmt: skip
def test_what_only_looks_like_days_is_none(question: str) -> None:
    """Durations, rules, plans, ports, versions, words that begin alike."""
    assert days(question) == ""


@pytest.mark.parametrize(
    ("now", "question", "expected"),
    [
        ("2026-01-01", "어제", "2025-12-31..2026-01-01"),
        ("2026-01-01", "지난달", "2025-12-01..2026-01-01"),
        ("2026-01-01", "지난주", "2025-12-22..2025-12-29"),
        ("2026-01-01", "this week", "2025-12-29..2026-01-05"),
        ("2026-01-01", "지난 분기", "2025-10-01..2026-01-01"),
        ("2026-01-01", "at the end of last year", "2025-09-01..2026-01-01"),
        ("2026-01-01", "Q4", "2025-10-01..2026-01-01"),
        ("2026-01-01", "last weekend", "2025-12-27..2025-12-29"),
        ("2026-01-01", "in the last month", "2025-12-01..2026-01-02"),
        ("2026-02-15", "last winter", "2024-12-01..2025-03-01"),
        ("2026-03-31", "the past month", "2026-02-28..2026-04-01"),
        ("2026-03-31", "최근 1년", "2025-03-31..2026-04-01"),
        ("2024-02-29", "최근 1년", "2023-02-28..2024-03-01"),
        ("2024-02-29", "2월 29일", "2024-02-29..2024-03-01"),
        ("2024-03-01", "어제", "2024-02-29..2024-03-01"),
        ("2024-03-01", "이틀 전", "2024-02-28..2024-02-29"),
        ("2024-03-01", "at the end of last month", "2024-02-21..2024-03-01"),
        ("2026-11-28", "지난 주말", "2026-11-21..2026-11-23"),
        ("2026-11-29", "이번 주말", "2026-11-28..2026-11-30"),
        ("2026-12-31", "12월부터 2월까지", "2025-12-01..2026-03-01"),
    ],
)
def test_the_ends_of_months_and_years_are_crossed(now: str, question: str, expected: str) -> None:
    """New year's day, a leap day, the 31st, a weekend asked for on a weekend."""
    noon = datetime.fromisoformat(now).replace(hour=12, tzinfo=SEOUL)

    assert days(question, noon) == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [("어제", "2026-11-28..2026-11-29"), ("last week", "2026-11-16..2026-11-23"),
     ("지난 주말", "2026-11-21..2026-11-23"), ("last night", "2026-11-28 17..2026-11-29 06"),
     ("최근 3일", "2026-11-26..2026-11-30")],
)  # fmt: skip
def test_days_behind_utc_are_those_of_the_zone(question: str, expected: str) -> None:
    """On Monday in UTC it is still Sunday in New York."""
    assert days(question, MONDAY, NEW_YORK) == expected


@pytest.mark.parametrize("moment", [datetime.min, datetime.max, datetime(1, 1, 2), datetime(9999, 12, 30)])  # noqa: DTZ001, DTZ901 - made aware below
@pytest.mark.parametrize("zone", [SEOUL, NEW_YORK, UTC])
def test_at_the_ends_of_the_calendar_days_are_none_and_nothing_breaks(moment: datetime, zone: ZoneInfo) -> None:
    """Whatever is asked there."""
    for question, _ in ROWS:
        read(question, moment.replace(tzinfo=UTC), zone)


PIECES = st.sampled_from(
    [word for question, _ in ROWS for word in question.split()]
    + [
        "999",
        "0",
        "20",
        "2월",
        "31일",
        "부터",
        "까지",
        "~",
        "-",
        "and",
        "to",
        "전",
        "ago",
        "last",
        "최근",
        "지난",
        "٣",
        "½",
    ]
)


@given(
    st.one_of(
        st.text(max_size=80),
        st.lists(PIECES, max_size=8).map(" ".join),
        st.lists(PIECES, max_size=8).map("".join),
    ),
    st.datetimes(timezones=st.just(UTC)),
    st.sampled_from((SEOUL, NEW_YORK, UTC)),
)
def test_nothing_that_is_asked_ever_raises(question: str, now: datetime, zone: ZoneInfo) -> None:
    """On any day of the calendar; what is read is in order, and stands in the question."""
    found = read(question, now, zone)

    assert found.since is None or found.until is None or found.since < found.until
    assert found.words in question


def test_the_longest_question_is_read_to_its_end() -> None:
    """Days are found behind as many words as a question may have."""
    assert days("x " * ((MAX_QUESTION - 2) // 2) + "어제") == "2026-11-29..2026-11-30"


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("작년 마지막 주에 뭐 했지?", "2025-12-25..2026-01-01"),
        ("the last week of last year", "2025-12-25..2026-01-01"),
        ("first week of this quarter", "2026-10-01..2026-10-08"),
        ("지난달 금요일에", "2026-10-01..2026-11-01"),
        ("next 10월", ""),
    ],
)
def test_weeks_of_quarters_and_years_are_read(question: str, expected: str) -> None:
    """And a weekday is one of a week: of a month there are several."""
    assert days(question) == expected
