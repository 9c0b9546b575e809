"""What holds comes before what somebody only thought of later: by the real model, on a real index."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest

from wwt_vault.config import Settings
from wwt_vault.index import Index
from wwt_vault.index.embedder import load_embedder
from wwt_vault.model.conversation import DocumentId, EventId, Revision, Turn
from wwt_vault.model.knowledge import Document, Section
from wwt_vault.search import search

FIRST = datetime(2026, 1, 5, 3, tzinfo=UTC)
NOW = datetime(2026, 9, 1, tzinfo=UTC)


def note(name: str, title: str, text: str, status: str | None = "current") -> Document:
    """Return a curated note of the first day."""
    section = Section(heading="", line=1, text=text)
    return Document(
        id=DocumentId(name),
        revision=Revision("1"),
        layer="curated",
        title=title,
        time=FIRST,
        sections=(section,),
        status=status,
    )


def talk(name: str, day: int, *said: str) -> Document:
    """Return a conversation of so many days later, the person speaking first."""
    start = FIRST + timedelta(days=day)
    turns = tuple(
        Turn(
            event=EventId(f"{start + timedelta(seconds=at):%Y%m%dT%H%M%SZ}-{at:012x}"),
            role="assistant" if at % 2 else "user",
            time=start + timedelta(seconds=at),
            line=10 + 3 * at,
            text=text,
        )
        for at, text in enumerate(said)
    )
    title = f"{start:%Y-%m-%d} claude-code"
    return Document(id=DocumentId(name), revision=Revision("1"), layer="session", title=title, time=start, turns=turns)


DOCUMENTS = [
    note("queue.md", "작업 큐", "비동기 작업 큐는 RabbitMQ로 운영한다. 노드는 두 대."),
    talk(
        "queue asked",
        90,
        "비동기 작업 큐를 Kafka로 바꾸는 건 어떨까?",
        "처리량과 재처리는 Kafka가 낫습니다. 운영할 사람이 없고 파티션 설계에 두 주가 듭니다.",
    ),
    talk(
        "tests decided",
        3,
        "Which test runner do we take for the web client?",
        "Vitest, since it shares Vite's config.",
        "Let's go with it.",
        "Configured, all 212 tests pass.",
    ),
    talk(
        "tests refused",
        100,
        "Somebody wants Jest back as the test runner of the web client.",
        "It would need a second config and is slower. I'd not do it now.",
        "Then no.",
    ),
    note("theme.md", "화면 테마", "관리자 화면의 기본 테마는 밝은 테마다.", None),
    talk(
        "theme tried",
        120,
        "관리자 화면 기본 테마를 어두운 테마로 바꿨다가 민원 때문에 되돌렸어.",
        "네, 설정은 밝은 테마로 돌아와 있습니다.",
    ),
    note("mail.md", "Outgoing mail", "Outgoing mail is sent through Mailgun."),
    talk(
        "mail asked",
        60,
        "Should we send outgoing mail through SES instead of Mailgun?",
        "Cheaper, but a cold IP range.",
    ),
    talk(
        "mail replaced",
        150,
        "Outgoing mail goes through SES from today.",
        "Done, the Mailgun key is revoked in all apps.",
    ),
    talk("vacation", 20, "When is the office closed in August?", "From the third to the seventh."),
    talk("lunch", 25, "점심 주문은 누가 모으지?", "수요일마다 지은이 모읍니다."),
]


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    """Return an index of these, embedded."""
    model = load_embedder(Settings())
    documents = {document.id: document for document in DOCUMENTS}
    found = Index(tmp_path_factory.mktemp("index"), lambda: model)
    found.refresh(dict.fromkeys(documents, "1 1 1 1"), documents.__getitem__)
    found.embed_pending()
    return found


def before(index: Index, question: str, *names: str) -> Sequence[str]:
    """Return these documents in the order in which they come."""
    hits = search(index, question, limit=20, now=NOW, nearest=True).hits
    return [name for name in dict.fromkeys(hit.passage.document for hit in hits) if name in names]


@pytest.mark.parametrize(
    "question", ["비동기 작업 큐는 지금 뭐 써?", "작업 큐는 뭘로 정했지?", "what runs our job queue?"]
)
def test_a_note_comes_before_the_talk_about_another_way(index: Index, question: str) -> None:
    """It is older, and nobody has decided otherwise."""
    assert before(index, question, "queue.md", "queue asked") == ["queue.md", "queue asked"]


@pytest.mark.parametrize(
    "question", ["which test runner does the web client use now?", "웹 클라이언트 테스트는 뭘로 돌려?"]
)
def test_a_decision_comes_before_the_conversation_that_refused_another(index: Index, question: str) -> None:
    """However many words of the question the newer one holds."""
    assert before(index, question, "tests decided", "tests refused") == ["tests decided", "tests refused"]


def test_what_was_tried_and_undone_replaces_nothing(index: Index) -> None:
    """A change that was taken back in the same conversation."""
    assert before(index, "관리자 화면 기본 테마가 뭐야?", "theme.md", "theme tried")[0] == "theme.md"


@pytest.mark.parametrize("question", ["how is outgoing mail sent now?", "메일은 어디를 통해 보내?"])
def test_what_was_done_in_the_end_comes_first(index: Index, question: str) -> None:
    """Before the note that says how it was, and before the question that came between."""
    assert before(index, question, "mail.md", "mail asked", "mail replaced")[0] == "mail replaced"


@pytest.mark.parametrize(
    "question", ["what about Kafka for the job queue?", "작업 큐를 Kafka로 바꾸자는 얘기가 있었나?"]
)
def test_the_talk_comes_first_where_it_is_asked_for(index: Index, question: str) -> None:
    """By the name of what was thought of."""
    assert before(index, question, "queue.md", "queue asked") == ["queue asked", "queue.md"]
