"""A new note that says what another one says, or denies it, is held back until its writer answers."""

from __future__ import annotations

import json
from typing import Any

import pytest
from mcp import Client

from tests.test_cli import Run, as_json, wwt
from tests.test_mcp_server import SAID, call, drive, refused
from wwt_vault.curate.comparing import compare, statement
from wwt_vault.curate.kinds import technologies
from wwt_vault.curate.similar import claims_of
from wwt_vault.curate.values import differing, values
from wwt_vault.vault import Vault

__all__ = ["wwt"]  # a fixture


def body(fact: str, event: str) -> str:
    """Return a note of one fact."""
    return f"## Facts\n- {fact} [^{event}]\n"


ORDERS = "Orders are kept in PostgreSQL on the main server"


def notes_in(vault: Vault) -> list[str]:
    """Return the names of the decisions in the vault."""
    return sorted(path.stem for path in (vault.root / "40_Decisions").glob("*.md") if path.stem != "40_Decisions")


def test_an_agent_must_answer_before_a_second_note_says_the_same(words_only: Vault) -> None:
    """Refused with the note and its revision, nothing written; a reason is kept, a reason given too early is none."""

    async def steps(client: Client) -> None:
        event = (await call(client, "wiki_record", host="chat", session_id="s", messages=SAID))["added"][0]
        new: dict[str, Any] = {"body": body(f"{ORDERS} since May", event), "type": "decision"}
        first = await call(client, "wiki_save_note", note="Order store", body=body(ORDERS, event), type="decision")

        error = await refused(client, "wiki_save_note", note="Where orders live", reason="it is new", **new)
        assert error["code"] == "similar_notes"
        (near,) = error["similar"]
        assert (near["path"], near["id"], near["revision"]) == (first["path"], first["id"], first["revision"])
        assert (near["kind"], near["theirs"]) == ("duplicate", ORDERS)
        assert notes_in(words_only) == ["Order store"]

        assert (await refused(client, "wiki_save_note", note="Where orders live", **new))["code"] == "similar_notes"
        why = "a page for newcomers"
        second = await call(client, "wiki_save_note", note="Where orders live", reason=why, **new)
        assert second["created"]
        history = await call(client, "wiki_history", note="Where orders live")
        assert history["revisions"][0]["reason"] == why

    drive(words_only.root, steps)


def test_what_is_wrong_with_a_note_is_said_before_it_is_compared(words_only: Vault) -> None:
    """Name, properties and evidence: nobody answers for similar notes of one that is refused anyway."""

    async def steps(client: Client) -> None:
        event = (await call(client, "wiki_record", host="chat", session_id="s", messages=SAID))["added"][0]
        await call(client, "wiki_save_note", note="Order store", body=body(ORDERS, event), type="decision")
        same = {"note": "Where orders live", "body": body(ORDERS, event), "type": "decision"}
        assert (await refused(client, "wiki_save_note", **same))["code"] == "similar_notes"
        for wrong, code in (
            ({"note": "20_Areas/Where: orders?"}, "bad_name"),
            ({"note": "../Where orders live"}, "path_escapes"),
            ({"body": f"{same['body']}- Backups stay a year\n"}, "uncited_fact"),
            ({"body": ORDERS}, "no_evidence"),
            ({"tags": ["7"]}, "bad_argument"),
        ):
            assert (await refused(client, "wiki_save_note", **{**same, **wrong}))["code"] == code

    drive(words_only.root, steps)


def test_to_update_the_other_note_is_an_answer_and_so_is_a_link(words_only: Vault) -> None:
    """A contradiction names what differs; saving the old note, or naming it in a relation, goes through."""

    async def steps(client: Client) -> None:
        event = (await call(client, "wiki_record", host="chat", session_id="s", messages=SAID))["added"][0]
        first = await call(client, "wiki_save_note", note="Order store", body=body(ORDERS, event), type="decision")
        other = body(ORDERS.replace("PostgreSQL", "MySQL"), event)

        error = await refused(client, "wiki_save_note", note="MySQL for orders", body=other, type="decision")
        assert [(near["kind"], near["why"]) for near in error["similar"]] == [
            ("contradiction", "database: mysql / postgresql")
        ]
        changed = await call(
            client, "wiki_save_note", note=first["path"], revision=first["revision"],
            append={"Facts": f"- x [^{event}]"},
        )  # fmt: skip
        assert changed["id"] == first["id"]
        replacing = await call(
            client, "wiki_save_note", note="MySQL for orders", body=other, type="decision",
            relations={"updates": ["Order store"]},
        )  # fmt: skip
        assert replacing["also_changed"] == [first["path"]]

        again = await refused(client, "wiki_save_note", note="Orders", body=other, type="decision")
        assert [near["path"] for near in again["similar"]] == [replacing["path"]]  # what is superseded holds no longer

    drive(words_only.root, steps)


def test_a_person_is_asked_as_well(wwt: Run, words_only: Vault) -> None:
    """Exit code 3, the note that stands there on stderr, and the same way on."""
    event = as_json(wwt, "record", "chat", "s1", stdin=json.dumps(SAID))["added"][0]
    wwt(
        "note",
        "save",
        "-",
        "--note",
        "주문 저장소",
        "--type",
        "decision",
        stdin=body("주문은 14일 동안 보관한다", event),
    )
    save = ("note", "save", "-", "--note", "주문 보관", "--type", "decision")
    code, out, err = wwt(*save, stdin=body("주문은 30일 동안 보관한다", event))

    assert (code, out) == (3, "")
    assert "contradiction: 40_Decisions/주문 저장소.md: 주문은 14일 동안 보관한다 (time: 2592000 / 1209600)" in err
    assert notes_in(words_only) == ["주문 저장소"]
    assert wwt(*save, "--reason", "다른 주문이다", stdin=body("주문은 30일 동안 보관한다", event))[0] == 0


def test_a_change_that_contradicts_another_note_is_answered_for_as_well(words_only: Vault) -> None:
    """Only what is new in it is compared; a duplicate, what stood there before and what is related hold nothing up."""

    async def steps(client: Client) -> None:
        event = (await call(client, "wiki_record", host="chat", session_id="s", messages=SAID))["added"][0]
        first = await call(client, "wiki_save_note", note="Order store", body=body(ORDERS, event), type="decision")
        other = await call(client, "wiki_save_note", note="Backups", body=body("Backups run at night", event))
        path = words_only.root / other["path"]
        fact = {"Facts": f"- {ORDERS.replace('PostgreSQL', 'MySQL')} [^{event}]"}
        change: dict[str, Any] = {"note": "Backups", "revision": other["revision"]}

        before = path.read_bytes()
        error = await refused(client, "wiki_save_note", **change, append=fact, reason="given before it was shown")
        (near,) = error["similar"]
        assert (error["code"], near["path"], near["kind"]) == ("similar_notes", first["path"], "contradiction")
        assert path.read_bytes() == before

        saved = await call(client, "wiki_save_note", **change, append=fact, reason="the copy is in MySQL")
        history = await call(client, "wiki_history", note="Backups")
        assert history["revisions"][0]["reason"] == "the copy is in MySQL"
        change["revision"] = saved["revision"]
        saved = await call(client, "wiki_save_note", **change, append={"Facts": f"- They take an hour [^{event}]"})
        change["revision"] = saved["revision"]
        saved = await call(client, "wiki_save_note", **change, append={"Facts": f"- {ORDERS} [^{event}]"})

        third = await call(client, "wiki_save_note", note="Mails", body=body("Mails leave at noon", event))
        change = {"note": "Mails", "revision": third["revision"], "append": fact}
        linked = {"contradicts": ["Order store", "Backups"]}
        assert (await call(client, "wiki_save_note", **change, relations=linked))["revision"] != third["revision"]

    drive(words_only.root, steps)


def test_another_matter_and_another_of_a_series_are_no_signals(wwt: Run, words_only: Vault) -> None:
    """What two meetings say alike is said in both; notes on other matters stand beside one another unasked."""
    event = as_json(wwt, "record", "chat", "s1", stdin=json.dumps(SAID))["added"][0]
    for title, fact in (
        ("Weekly meeting 2026-11-23", "The weekly meeting agreed on the plan for the release"),
        ("Weekly meeting 2026-11-30", "The weekly meeting agreed on the plan for the release"),
        ("Order store", ORDERS),
        ("Sessions", "Login sessions of the web shop live in Redis"),
        ("Job queue", "Mails of the web shop are sent by a Redis queue"),
    ):
        assert as_json(wwt, "note", "save", "-", "--note", title, stdin=body(fact, event))["created"]


SAME = [
    ("tokens last fifteen minutes", "a token lives for 15 minutes"),
    ("백업은 2주 보관", "백업은 14일 보관"),
    ("at most 120 requests per minute", "a limit of 120 rpm"),
    ("checked every week", "a weekly check"),
]
OTHERWISE = [
    ("JWT expires after 15 minutes", "JWT expires after 1 hour", "time"),
    ("서버는 Python 3.11", "서버는 Python 3.12", "version of python"),
    ("in April the team chose it", "in May the team chose it", "month"),
    ("월요일에 배포", "수요일에 배포", "weekday"),
    ("2026-11-29", "2026-11-30", "day of the month"),
    ("uploads up to 20 MB", "uploads up to 200 MB", "size"),
    ("25% of traffic", "50% of traffic", "percent"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_one_value_in_two_spellings_is_one(one: str, other: str) -> None:
    """Numbers in words, units and periods, Korean and English."""
    assert values(one) == values(other) != {}


@pytest.mark.parametrize(("one", "other", "dimension"), OTHERWISE)
def test_other_values_differ_in_their_dimension(one: str, other: str, dimension: str) -> None:
    """Durations, versions, dates, sizes, shares."""
    assert differing(values(one), values(other)) == [dimension]


ALIKE = [
    ("The web shop keeps orders in {}", "PostgreSQL", "MySQL"),
    ("웹 상점 주문은 {} 에 저장한다", "포스트그레스", "오라클"),
    ("The web shop is deployed with {}", "Terraform", "Pulumi"),
    ("The web shop sends events through {}", "Zorblat", "Quuxmq"),
    ("The web shop retries a failed call {} times", "3", "5"),
]


@pytest.mark.parametrize(("sentence", "one", "other"), ALIKE)
@pytest.mark.parametrize("near", [None, 0.99])
def test_sentences_alike_but_for_one_choice_are_never_duplicates(
    sentence: str, one: str, other: str, near: float | None
) -> None:
    """However near they are in meaning; the same sentence is one."""
    first, second = statement(sentence.format(one)), statement(sentence.format(other))

    assert compare(first, second, near).kind == compare(second, first, near).kind == "contradiction"
    assert compare(first, statement(sentence.format(one)), near).kind == "duplicate"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("We use feature flags for risky changes", "We do not use feature flags for risky changes"),
        ("Redis를 캐시로 사용한다", "Redis를 캐시로 사용하지 않는다"),
        ("Payments go through Stripe", "We dropped Stripe for payments"),
    ],
)
def test_a_denial_is_no_duplicate(one: str, other: str) -> None:
    """In either language, whichever comes first."""
    assert compare(statement(one), statement(other), 0.9).kind != "duplicate"
    assert compare(statement(other), statement(one), 0.9).kind != "duplicate"


def test_two_sides_of_a_matter_neither_agree_nor_contradict() -> None:
    """Development and production may each have a database of their own."""
    one, other = statement("SQLite is used in development"), statement("PostgreSQL is used in production")

    assert compare(one, other, 0.8).kind == "other"


def test_a_name_that_is_a_common_word_counts_with_a_capital_only() -> None:
    """And Korean particles do not hide one."""
    assert technologies("go ahead and rest") == {}
    assert technologies("The server is in Go, orders in PostgreSQL로") == {
        "golang": "language",
        "postgresql": "database",
    }


def test_claims_are_bullets_and_sentences_that_hold_now() -> None:
    """Not the history, not what is open, not citations."""
    text = "We use ssh. No passwords.\n\n## Facts\n- by keys [^a]\n1. rotated\n\n## History\n- was rsh\n\n[^a]: x"

    assert claims_of(text) == ["We use ssh.", "No passwords.", "by keys", "rotated"]
