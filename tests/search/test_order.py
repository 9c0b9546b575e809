"""What holds now before what was replaced, and no more than that."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from wwt_vault.model.conversation import DocumentId
from wwt_vault.model.knowledge import Passage
from wwt_vault.search.candidates import Candidate
from wwt_vault.search.order import in_order, one_of_each
from wwt_vault.search.when import When

FIRST = datetime(2026, 3, 1, tzinfo=UTC)
SAID = "we keep the backups of the orders for fourteen days and then delete them without asking anyone"


def hits(*texts: str) -> list[Candidate]:
    """Return one hit per text, best first, each a day younger than the one before it."""
    return [
        Candidate(
            passage=Passage(
                id=f"{at:016x}",
                document=DocumentId(f"{at}.md"),
                heading="",
                block=None,
                line=1,
                text=text,
                title="",
                events=(),
                time=FIRST + timedelta(days=at),
                layer="session",
            ),
            cosine=0.25,
            score=1 - at / 100,
            plain=1 - at / 100,
        )
        for at, text in enumerate(texts)
    ]


def alike(usual: float, **pairs: float) -> Sequence[Sequence[float]]:
    """Return how near eight texts are to one another: ``usual``, and what ``_1_3`` and the like say of a pair."""
    near = [[1.0 if one == other else usual + 0.01 * ((one + other) % 3) for other in range(8)] for one in range(8)]
    for name, value in pairs.items():
        one, other = map(int, name.strip("_").split("_"))
        near[one][other] = near[other][one] = value
    return near


def order(near: Sequence[Sequence[float]], when: When, projects: Sequence[str | None] = (None,) * 8) -> list[int]:
    """Return the places that eight hits had before, the second saying that something changed."""
    found = hits("We send letters on Monday.", "We moved the letters to Friday.", *(f"Talk {at}." for at in range(6)))
    for candidate, project in zip(found, projects, strict=True):
        candidate.passage = replace(candidate.passage, project=project)
    ids = {candidate.passage.id: at for at, candidate in enumerate(found)}
    ranked = in_order(found, when, lambda asked: [[near[ids[a]][ids[b]] for b in asked] for a in asked])
    return [ids[candidate.passage.id] for candidate in ranked]


def test_a_decision_comes_after_the_one_that_replaced_it() -> None:
    """Two texts that are much more alike than the hits around them are about one matter."""
    assert order(alike(0.1, _0_1=0.5), When())[:2] == [1, 0]


ASKED = "user: Should we send the letters on Friday?\nassistant: They would be read on Monday then."


@pytest.mark.parametrize("layer", ["curated", "session"])
def test_what_was_decided_comes_before_a_newer_question_about_it(layer: str) -> None:
    """Whichever of the two fits better, and it says why."""
    near = [[1.0, 0.5], [0.5, 1.0]]
    decided = "The letters go out on Monday." if layer == "curated" else "user: We agreed to send letters on Monday."
    for first in (0, 1):
        found = hits(decided, ASKED)
        found[0].passage = replace(found[0].passage, layer=layer)  # type: ignore[arg-type]
        found[first].score = found[first].plain = 1.5
        ranked = in_order(found, When(), lambda _: near)
        assert ranked[0] is found[0]
        if layer == "session":
            assert ("decided, not only considered" in found[0].reasons) is (first == 1)


@pytest.mark.parametrize(("likeness", "moves"), [(0.2, False), (0.5, True)])
def test_an_older_decision_needs_more_than_a_newer_one(likeness: float, moves: bool) -> None:
    """Where the two are hardly nearer than any, the order of the scores stays; a newer decision passes even then."""
    near = [[1.0, likeness], [likeness, 1.0]]
    for text, first in ((ASKED, 0 if moves else 1), ("user: We decided on Friday.", 1)):
        found = hits("user: We agreed to send letters on Monday.", text)
        found[1].score = found[1].plain = 1.01
        assert in_order(found, When(), lambda _: near)[0] is found[first]


def test_what_was_only_considered_stays_first_where_it_is_asked_for_by_name() -> None:
    """``What about Friday?``: the decision does not hold the name. About now the decision answers all the same."""
    near = [[1.0, 0.5], [0.5, 1.0]]
    for when, first in ((When(), 1), (When(about="now"), 0)):
        found = hits("user: We agreed to send letters on Monday.", ASKED)
        found[1].score, found[1].exact = 1.5, frozenset({"friday"})
        assert in_order(found, when, lambda _: near)[0] is found[first]


@pytest.mark.parametrize(("status", "first"), [("current", 0), (None, 0), ("superseded", 1)])
def test_only_a_note_that_holds_keeps_a_question_behind_it(status: str | None, first: int) -> None:
    """One that was superseded says nothing of what holds."""
    found = hits("The letters go out on Monday.", ASKED)
    found[0].passage = replace(found[0].passage, layer="curated", status=status)
    found[1].score = found[1].plain = 0.7
    assert in_order(found, When(), lambda _: [[1.0, 0.5], [0.5, 1.0]])[0] is found[first]


def test_a_name_leads_past_the_glossary() -> None:
    """Its page holds all names of a thing and says nothing of it; where nothing else is as good it stays first."""
    found = hits("- Tally = settlement engine", "Tally runs at four.", "Tally is slow.")
    found[0].passage = replace(found[0].passage, document=DocumentId("AI_CONTEXT/Glossary.md"), layer="page")
    near = [[float(one == other) for other in range(3)] for one in range(3)]

    assert [hit.passage.text[:5] for hit in in_order(found, When(), lambda _: near)] == ["Tally", "Tally", "- Tal"]
    found[1].score = found[2].score = 0.1
    assert in_order(found, When(), lambda _: near)[0].passage.layer == "page"


def test_sessions_that_are_all_alike_are_not_sorted_by_date() -> None:
    """Months of talk about one project: each is somewhat like each, and a newer one replaces nothing."""
    assert order(alike(0.4), When()) == list(range(8))


def test_a_question_about_now_needs_less() -> None:
    """It asks for the newer one itself."""
    near = alike(0.15, _2_3=0.25)
    assert [at for at in order(near, When()) if at in (2, 3)] == [2, 3]
    assert [at for at in order(near, When(about="now")) if at in (2, 3)] == [3, 2]


def test_the_older_comes_first_where_that_is_asked() -> None:
    """How it was before it was changed."""
    found = hits("We moved the letters to Friday.", "We send letters on Monday.")
    found[0].passage, found[1].passage = (
        replace(one.passage, time=other.passage.time) for one, other in zip(found, reversed(found), strict=True)
    )
    near = [[1.0, 0.5], [0.5, 1.0]]
    assert in_order(found, When(about="then"), lambda _: near)[0] is found[1]
    assert in_order(found, When(), lambda _: near)[0] is found[0]


def test_what_is_of_another_project_replaces_nothing() -> None:
    """Two teams may decide the same matter in two ways."""
    near = alike(0.1, _0_1=0.5)
    assert order(near, When(), ["shop"] * 8)[:2] == [1, 0]
    assert order(near, When(), ["shop", "app", *["shop"] * 6])[:2] == [0, 1]


def test_a_pair_is_nearer_to_one_another_than_to_anything_else() -> None:
    """A third text that is as near to one of them says that all are on one subject and none replaces another."""
    assert order(alike(0.1, _2_3=0.35), When())[2:4] == [3, 2]
    assert order(alike(0.1, _2_3=0.35, _3_4=0.6, _2_4=0.6), When(past=False))[2:4] != [3, 2]


def test_what_was_decided_three_times_has_the_last_first() -> None:
    """Each of the three is as near to each: a third does not make two of them no pair."""
    near = alike(0.1, _0_1=0.5, _1_2=0.5, _0_2=0.5)
    assert order(near, When())[0] == 2
    assert order(near, When(about="then"))[0] == 0


@pytest.mark.parametrize(
    "answer",
    ["기록을 찾지 못했습니다.", "메모에 없습니다.", "I found no record of that.", "There is no note about it."],
)
def test_a_session_in_which_nothing_was_found_comes_behind_the_answer(answer: str) -> None:
    """It repeats the question word for word, so it would be first, and newer each time that somebody asks again."""
    found = hits(f"user: 서버 접속은 뭐로 하지?\nassistant: {answer}", "assistant: Tailscale SSH로 하기로 했다.")
    for candidate, day in zip(found, (9, 1), strict=True):
        candidate.passage = replace(candidate.passage, time=FIRST + timedelta(days=day))

    assert in_order(found, When(), lambda _: [[1.0, 0.6], [0.6, 1.0]])[0] is found[1]


def test_what_was_decided_after_nothing_was_found_is_an_answer_as_any_other() -> None:
    """The usual way of a first decision: the agent has no record, so the person says how it is to be."""
    decided = "user: 서버 접속은 뭐로 하지?\nassistant: 기록이 없습니다.\nuser: 그럼 Tailscale SSH로 하자."
    found = hits(decided, "assistant: 서버 접속은 SSH 키로 한다.")
    for candidate, day in zip(found, (9, 1), strict=True):
        candidate.passage = replace(candidate.passage, time=FIRST + timedelta(days=day))

    assert in_order(found, When(), lambda _: [[1.0, 0.6], [0.6, 1.0]])[0] is found[0]
    assert in_order(found[::-1], When(), lambda _: [[1.0, 0.6], [0.6, 1.0]])[0] is found[0]


def test_a_newer_text_comes_up_from_behind_the_first_five() -> None:
    """Its words may be others altogether."""
    assert order(alike(0.1, _0_7=0.5), When())[:2] == [7, 0]


def test_what_happened_is_not_sorted_by_date() -> None:
    """Why something failed in spring is not answered by what was changed about it in summer."""
    near = alike(0.1, _0_1=0.9)

    assert order(near, When())[:2] == [1, 0]
    assert order(near, When(past=True))[:2] == [0, 1]


@pytest.mark.parametrize(("likeness", "first"), [(0.15, 2), (0.5, 3)])
def test_a_newer_statement_needs_no_word_of_change(likeness: float, first: int) -> None:
    """``Three replicas`` in February and ``nine replicas`` in November: the two must only be more alike for that."""
    near = alike(0.1, _2_3=likeness)
    assert next(at for at in order(near, When()) if at in (2, 3)) == first


@pytest.mark.parametrize(
    ("fifth", "moves"), [("shop", True), ("app", False), (None, False)], ids=["one", "two", "none"]
)
def test_other_projects_wait_where_the_first_hits_are_all_of_one(fifth: str | None, moves: bool) -> None:
    """Behind five hits of one project its sixth comes before a slightly better one of another; none of the five moves.

    What belongs to no project waits for nothing.
    """
    found = hits(*(f"Talk {at}." for at in range(8)))
    for candidate, project in zip(found, [*["shop"] * 4, fifth, "app", None, "shop"], strict=True):
        candidate.passage = replace(candidate.passage, project=project)
    ranked = in_order(found, When(past=True), lambda asked: [[0.0] * len(asked)] * len(asked))

    assert [found.index(candidate) for candidate in ranked] == [*range(5), *((6, 7, 5) if moves else (5, 6, 7))]
    assert ("of another project than the first hits" in found[5].reasons) is moves


@pytest.mark.parametrize("seed", range(20))
def test_a_short_list_is_the_beginning_of_a_long_one(seed: int) -> None:
    """However many windows of few sessions overlap and repeat one another."""
    chance = random.Random(seed)
    said = SAID.split()
    ranked = hits(*(" ".join(said[chance.randrange(4) : chance.randrange(8, 17)]) for _ in range(40)))
    for candidate in ranked:
        name = DocumentId(f"{chance.randrange(12)}.md")
        text = f"{candidate.passage.text} in room {chance.randrange(5)} of house {chance.randrange(9)}"
        candidate.passage = replace(candidate.passage, document=name, text=text)
    whole = one_of_each(ranked, len(ranked))
    assert 6 < len(whole) <= 24
    for limit in range(1, len(whole)):
        assert one_of_each(ranked, limit) == whole[:limit]


def test_a_note_does_not_pass_a_better_hit_with_the_same_code() -> None:
    """That both hold the code lifts both scores; what else they say tells them apart."""
    found = hits("PAY-4092 means that the key has expired.", "A list of codes: PAY-4092, PAY-4093.")
    for candidate, plain in zip(found, (0.8, 0.4), strict=True):
        candidate.exact, candidate.plain, candidate.score = frozenset({"pay-4092"}), plain, (plain + 1) / 2
    found[1].passage = replace(found[1].passage, layer="curated")

    assert in_order(found, When(past=True), lambda ids: [[0.0] * len(ids) for _ in ids])[0].plain == 0.8


@pytest.mark.parametrize(("exact", "newer_first"), [("kafka", True), ("q_limit_2", False)])
def test_what_bears_a_name_is_replaced_by_what_bears_another(exact: str, newer_first: bool) -> None:
    """``Is it still Kafka?`` is answered by the text that names its successor; another variable is no successor."""
    older, newer = hits("It goes through Kafka.", "It goes through Pulsar.")
    older.exact = frozenset({exact})
    near = [[1.0, 0.5], [0.5, 1.0]]

    assert (in_order([older, newer], When(about="now"), lambda _: near)[0] is newer) is newer_first


def test_what_is_said_every_day_does_not_hide_a_pair() -> None:
    """Copies are as near to one another as a decision and what replaced it: they are left out of what is usual."""
    daily = ["Good morning, what is on for today?"] * 6
    found = hits("We send letters on Monday.", "We moved the letters to Friday.", *daily)
    ids = {candidate.passage.id: at for at, candidate in enumerate(found)}

    def near(asked: Sequence[str]) -> list[list[float]]:
        places = [ids[one] for one in asked]
        return [[0.28 if {a, b} == {0, 1} else 0.95 if min(a, b) > 1 else 0.1 for b in places] for a in places]

    assert [ids[candidate.passage.id] for candidate in in_order(found, When(), near)][:2] == [1, 0]


def test_the_glossary_is_never_the_newer_statement() -> None:
    """Its page changes with every name that is added."""
    found = hits("Jobs are named after rivers.", "- Tally = settlement engine", "Jobs run at four.")
    found[1].passage = replace(found[1].passage, document=DocumentId("AI_CONTEXT/Glossary.md"), layer="page")
    near = [[0.6] * 3 for _ in range(3)]

    ranked = in_order(found, When(about="now"), lambda asked: [row[: len(asked)] for row in near[: len(asked)]])
    assert [hit.passage.document for hit in ranked][-1] == "AI_CONTEXT/Glossary.md"


def test_a_note_that_is_clearly_behind_stays_there() -> None:
    """Curated notes come before what is about as good; by meaning alone a tenth is much."""
    found = hits("It runs at four.", "It runs at night.")
    found[1].passage = replace(found[1].passage, layer="curated", time=None)
    near = [[1.0, 0.1], [0.1, 1.0]]

    assert in_order(found, When(past=True), lambda _: near)[0].passage.layer == "curated"
    found[1].score = found[1].plain = 0.85
    assert in_order(found, When(past=True), lambda _: near)[0].passage.layer == "session"
    found[1].coverage = 0.7
    assert in_order(found, When(past=True), lambda _: near)[0].passage.layer == "curated"
    found[1].coverage, found[0].passage = 0.0, replace(found[0].passage, layer="curated", status="superseded")
    assert in_order(found, When(past=True), lambda _: near)[0] is found[1]
