"""Questions about days and nothing else, over a real index; without a model, since meaning has no part in it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from zlib import crc32
from zoneinfo import ZoneInfo

import pytest

from wwt_vault.index import Index
from wwt_vault.model.conversation import DocumentId, EventId, Revision, Turn
from wwt_vault.model.knowledge import Document, Filters, Section
from wwt_vault.search import SearchResult, search
from wwt_vault.search.days import asked_besides
from wwt_vault.search.when import read

ZONE = ZoneInfo("Asia/Seoul")
MONDAY = datetime(2026, 11, 30, 3, 0, tzinfo=UTC)

ABOUT_DAYS = (
    "지난주에 뭐 했지?",
    "지난주에 뭐 고쳤지?",
    "10월에 결정한 거 알려줘",
    "3일 전에 무슨 얘기 했어?",
    "11월 초에 논의한 내용",
    "며칠 전에 뭐 했지?",
    "일주일 전에 무슨 얘기 했어?",
    "최근 3일 동안 뭐 했어?",
    "요 며칠간 뭐 고쳤어?",
    "지난 주말에 뭐 했지?",
    "지난 분기에 결정한 것 알려줘",
    "3월에서 5월 사이에 논의한 내용",
    "10월 3일부터 7일까지 한 일",
    "저번에 어디까지 했더라",
    "최근에 뭐 바꿨어?",
    "what did we do last week?",
    "What did we decide in October?",
    "what have we been working on recently?",
    "what have we done over the past two weeks?",
    "what did we work on a few days ago?",
    "what did we do earlier this week?",
    "what happened in Q3?",
    "what did we change between March and May?",
    "where did we leave off last time?",
    "show me everything from yesterday",
)
ABOUT_SOMETHING = (
    "지난주에 결제 쪽에서 뭐 고쳤지?",
    "10월에 정산 배치 왜 바꿨지",
    "최근에 바꾼 비밀번호 규칙",
    '지난주에 "배포" 뭐 했지',
    "9월 말에 알림 쪽에서 한 일이 뭐지?",
    "뭐 했지?",
    "what did we decide about Redis last week?",
    "who was on call last week?",
    "when was the last release?",
    "last month's invoice",
)


def session(name: str, day: datetime, *texts: str, project: str = "shop-web") -> Document:
    """Return a session of that day, a user's and an assistant's words in turns."""
    turns = tuple(
        Turn(EventId(f"{day + timedelta(minutes=at):%Y%m%dT%H%M%SZ}-{crc32(f'{name}{at}'.encode()):012x}"),
             "assistant" if at % 2 else "user", day + timedelta(minutes=at), 1 + 3 * at, text)
        for at, text in enumerate(texts)
    )  # fmt: skip
    return Document(
        id=DocumentId(f"50_Conversations/{name}.md"),
        revision=Revision(sha256("\0".join(texts).encode()).hexdigest()),
        layer="session",
        title="",
        time=day,
        project=project,
        turns=turns,
    )


def page(name: str, day: datetime, text: str) -> Document:
    """Return a page of a person's."""
    return Document(
        id=DocumentId(f"{name}.md"),
        revision=Revision(sha256(text.encode()).hexdigest()),
        layer="page",
        title=name,
        time=day,
        sections=(Section(heading="", line=1, text=text),),
    )


@pytest.fixture
def ask(tmp_path: Path) -> Callable[..., SearchResult]:
    """Return a function that asks a vault of four conversations and a page on that Monday."""
    documents = (
        session("october", MONDAY - timedelta(days=40), "What did we decide last week about the cache?", "Nothing."),
        session("tuesday", MONDAY - timedelta(days=6), "화면 글꼴이 작다", "16픽셀로 키웠습니다.", "좋아", "네."),
        session(
            "friday", MONDAY - timedelta(days=3), "The build is red.", "A test waited for the network.", project="infra"
        ),
        session("today", MONDAY - timedelta(hours=1), "로그가 너무 많다", "단계를 낮췄습니다."),
        page("Home", MONDAY - timedelta(days=4), "What we did last week, all of it."),
    )
    index = Index(tmp_path / "index", lambda: None)
    by_id = {document.id: document for document in documents}
    index.refresh(dict.fromkeys(by_id, "1"), by_id.__getitem__)

    def ask(
        question: str, filters: Filters | None = None, *, limit: int = 10, names: tuple[str, ...] = ()
    ) -> SearchResult:
        index.use_glossary((names,) if names else ())
        return search(index, question, filters, limit=limit, now=MONDAY, zone=ZONE)

    return ask


def names(result: SearchResult) -> list[str]:
    """Return the documents of the hits, without folder and ending."""
    return [hit.passage.document.removeprefix("50_Conversations/").removesuffix(".md") for hit in result.hits]


@pytest.mark.parametrize("question", ABOUT_DAYS)
def test_a_question_about_days_alone_is_known(question: str) -> None:
    """Words for doing, saying and deciding ask for no subject, in either language."""
    assert asked_besides(question, read(question, MONDAY, ZONE)) == frozenset()


@pytest.mark.parametrize("question", ABOUT_SOMETHING)
def test_a_question_that_names_a_thing_is_not_about_days_alone(question: str) -> None:
    """One word for a thing, or no day at all: it is looked up by its words and its meaning."""
    assert asked_besides(question, read(question, MONDAY, ZONE)) != frozenset()


@pytest.mark.parametrize("question", ["지난주에 뭐 했지?", "what did we do last week?"])
def test_what_was_done_last_week_is_what_was_said_then(question: str, ask: Callable[..., SearchResult]) -> None:
    """The conversations of those days and no others, newest first; not what holds the words "last week"."""
    result = ask(question)

    assert result.found
    assert names(result) == ["friday", "tuesday"]
    assert result.hits[0].why.startswith("time: ")


def test_a_conversation_is_listed_once_with_its_beginning(ask: Callable[..., SearchResult]) -> None:
    """What it began with says what it was about, not its last "good"."""
    [hit] = ask("11월 24일에 뭐 했지?").hits

    assert "글꼴" in hit.passage.text


def test_where_we_left_off_is_the_newest_conversation(ask: Callable[..., SearchResult]) -> None:
    """Without any day the last ones are meant; that there were more is said."""
    result = ask("저번에 어디까지 했지?", limit=2)

    assert names(result) == ["today", "friday"]
    assert result.notes[-1] == "These are the newest 2 of 4 conversations and notes."


def test_what_was_done_recently_may_be_longer_ago(ask: Callable[..., SearchResult]) -> None:
    """Where nothing else is asked: the newest, and not only those of a month."""
    assert names(ask("최근에 뭐 바꿨어?")) == ["today", "friday", "tuesday", "october"]
    assert names(ask("what have we changed recently?"))[-1] == "october"


def test_days_in_the_question_and_in_the_filters_hold_together(ask: Callable[..., SearchResult]) -> None:
    """A filter is never widened by a question."""
    assert names(ask("what did we do last week?", Filters(since=MONDAY - timedelta(days=4)))) == ["friday"]


@pytest.mark.parametrize("question", ["지난주에 infra에서 뭐 했지?", "what did we change in infra last week?"])
def test_a_project_that_is_named_besides_limits_them(question: str, ask: Callable[..., SearchResult]) -> None:
    """Its name is in none of its texts, so that no search by words would find them."""
    assert names(ask(question)) == ["friday"]


@pytest.mark.parametrize("question", ["지난주에 쇼핑몰에서 뭐 했지?", "what did we do last week in the web shop?"])
def test_a_project_goes_by_the_names_of_the_glossary_too(question: str, ask: Callable[..., SearchResult]) -> None:
    """``shop-web = 쇼핑몰 = web shop`` in the vault's glossary; without it nobody knows what is meant."""
    named = names(ask(question, names=("shop-web", "쇼핑몰", "web shop")))

    assert named == ["tuesday"]
    assert names(ask(question)) != ["tuesday"]


def test_another_word_besides_is_looked_up(ask: Callable[..., SearchResult]) -> None:
    """What was said of the font last week is one conversation, not all of that week."""
    assert names(ask("지난주에 글꼴 뭐 바꿨지?"))[0] == "tuesday"
    assert "friday" not in names(ask("지난주에 글꼴 뭐 바꿨지?"))


@pytest.fixture
def ask_about_payments(tmp_path: Path) -> Callable[..., SearchResult]:
    """Return a function that asks a vault with a conversation on payments in each month of half a year."""
    said = {
        6: "결제 오류를 보고 결제 코드를 고쳤습니다.", 7: "결제 수단을 바꾸고 결제 화면도 바꿨습니다.",
        8: "결제 내역을 바꿨습니다.", 9: "결제 결제 결제, 모두 바꿨습니다.",
        10: "영수증에 사업자 번호가 빠져서 양식을 새로 그렸고, 결제 뒤에 메일로도 보냅니다.",
        11: "결제 모듈을 바꿨습니다.",
    }  # fmt: skip
    documents = [
        session(f"m{month}", datetime(2026, month, 12, tzinfo=UTC), "살펴봐 줘", text) for month, text in said.items()
    ]
    documents.append(session("other", datetime(2026, 10, 20, tzinfo=UTC), "글꼴이 작다", "글꼴을 바꿨습니다."))
    index = Index(tmp_path / "index", lambda: None)
    by_id = {document.id: document for document in documents}
    index.refresh(dict.fromkeys(by_id, "1"), by_id.__getitem__)
    return lambda question: search(index, question, now=MONDAY, zone=ZONE)


@pytest.mark.parametrize("question", ["10월에 결제 쪽 뭐 바꿨어?", "지난달에 결제 관련해서 뭐 했지?"])
def test_what_was_done_on_a_subject_in_those_days_comes_first(
    question: str, ask_about_payments: Callable[..., SearchResult]
) -> None:
    """Before what other days said of it in more words, and before what else was done then; nothing is hidden."""
    found = names(ask_about_payments(question))

    assert found[0] == "m10"
    assert {"m7", "m9", "m11"} <= set(found)


def test_a_question_of_substance_is_not_answered_by_its_days(ask_about_payments: Callable[..., SearchResult]) -> None:
    """People remember days badly: three words of a text say more than that it is of another month."""
    assert names(ask_about_payments("10월에 결제 오류 보고 결제 코드 고친 거"))[0] == "m6"


def test_of_days_without_a_conversation_nothing_is_made_up(ask: Callable[..., SearchResult]) -> None:
    """It says which days it looked at."""
    result = ask("작년에 뭐 했지?")

    assert not result.found
    assert result.hits == ()
    assert result.notes == (
        "`작년` is read as 2025-01-01 to 2025-12-31.",
        "Nothing in the vault is of that time (작년).",
    )


@pytest.mark.parametrize(
    ("question", "days"),
    [
        ("어제 뭐 했지?", "`어제` is read as 2026-11-29."),
        ("9월 이전에 뭐 했지?", "`9월` is read as 2026-08-31 and earlier."),
        ("what have we done since August?", "`August` is read as 2026-08-01 and later."),
        ("what did we decide last week about the cache?", "`last week` is read as 2026-11-23 to 2026-11-29."),
    ],
)  # fmt: skip
def test_the_answer_says_which_days_were_read(question: str, days: str, ask: Callable[..., SearchResult]) -> None:
    """In the person's zone, so that one who meant others sees it."""
    assert days in ask(question).notes


BESIDES = """
import sys
from datetime import UTC, datetime
from wwt_vault.index import korean
from wwt_vault.index.analysis import begin
from wwt_vault.search.days import asked_besides
from wwt_vault.search.when import read
korean._ASIDE_SECONDS = 100.0  # a busy machine must not turn the answer
for question in sys.argv[1:]:
    begin(question)
    assert asked_besides(question, read(question, datetime(2026, 11, 30, tzinfo=UTC), UTC)) is not None
    assert not korean._kiwi.cache_info().currsize, question
"""


def test_the_first_answer_about_days_needs_no_analyser_in_this_process() -> None:
    """The words of the question are taken apart by another process, and no other word is asked for."""
    questions = ["지난주에 뭐 했지?", "9월에는 배포한 거 있어?", "지난달부터 뭘 고쳤어"]
    subprocess.run([sys.executable, "-P", "-c", BESIDES, *questions], check=True, timeout=120)
