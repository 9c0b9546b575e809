"""A turn of a host without hooks is kept once, and what of it may be worth a note is named: nothing ambiguous."""

from __future__ import annotations

import json

import pytest
from mcp import Client

from tests.test_cli import Run, as_json, wwt
from tests.test_mcp_server import call, drive, refused
from wwt_vault.curate.facts import candidates
from wwt_vault.vault import Vault

__all__ = ["wwt"]  # a fixture

USER = "Let's keep orders in PostgreSQL on the main server. Yes, do that thing we said. Why is it slow?"
ASSISTANT = "Okay. I'll set it up."
SECRET = "ghp_" + "a1B2c3D4e5" * 4


def test_a_turn_is_kept_once_with_its_candidates(words_only: Vault) -> None:
    """Each with the event it comes from; handed over again nothing is added, and the answer is the same."""

    async def steps(client: Client) -> None:
        turn = {"user_message": USER, "assistant_response": ASSISTANT, "session_id": "s1", "project": "shop"}
        first = await call(client, "wiki_observe", **turn)
        again = await call(client, "wiki_observe", **turn)

        assert first["added"] == [first["events"]["user"], first["events"]["assistant"]]
        assert (again["added"], again["known"]) == ([], 2)
        assert again["events"] == first["events"]
        assert again["candidates"] == first["candidates"]
        (found,) = first["candidates"]
        assert (found["kind"], found["role"], found["event"]) == ("decision", "user", first["events"]["user"])
        assert found["text"] == "Let's keep orders in PostgreSQL on the main server."
        words = await call(client, "wiki_read_events", ids=first["added"])
        assert [event["text"] for event in words["events"]] == [USER, ASSISTANT]

    drive(words_only.root, steps)


def test_without_a_session_it_goes_to_the_one_of_the_day(words_only: Vault) -> None:
    """Also by another server process: a call that is tried again after a crash adds nothing."""
    turn = {"user_message": USER, "assistant_response": ASSISTANT}

    async def first(client: Client) -> None:
        assert len((await call(client, "wiki_observe", **turn))["added"]) == 2

    async def second(client: Client) -> None:
        again = await call(client, "wiki_observe", **turn)
        assert (again["added"], again["known"]) == ([], 2)
        empty = await refused(client, "wiki_observe", user_message=" ", assistant_response="")
        assert empty["code"] == "bad_argument"

    drive(words_only.root, first)
    drive(words_only.root, second)


def test_a_candidate_comes_with_the_notes_that_say_so_or_otherwise(wwt: Run, words_only: Vault) -> None:
    """By the same rules by which a save is held back, on the command line too; secrets are gone from all of it."""
    turn = {"user_message": f"{USER} My token is {SECRET}.", "assistant_response": ASSISTANT}
    first = as_json(wwt, "observe", "--session", "s1", "--project", "shop", stdin=json.dumps(turn))
    for title, database in (("Order store", "PostgreSQL"), ("Old order store", "MySQL")):
        fact = f"- orders are kept in {database} on the main server [^{first['events']['user']}]"
        as_json(wwt, "note", "save", "-", "--note", title, "--relation", *_link(title), stdin=f"## Facts\n{fact}\n")
    again = as_json(wwt, "observe", "--session", "s1", "--project", "shop", stdin=json.dumps(turn))
    (found,) = again["candidates"]
    _, out, _ = wwt("observe", "--session", "s1", "--project", "shop", stdin=json.dumps(turn))

    assert first["candidates"][0]["similar"] == first["candidates"][0]["contradictions"] == []
    assert [(note["title"], note["kind"]) for note in found["similar"]] == [("Order store", "duplicate")]
    assert [note["title"] for note in found["contradictions"]] == ["Old order store"]
    assert "Kept 0 messages, known already 2." in out and "contradiction: 00_Inbox/Old order store.md" in out
    assert SECRET not in json.dumps(again)
    assert wwt("observe", stdin="[1]")[0] == 2


def _link(title: str) -> list[str]:
    return ["relates_to=Order store"] if title != "Order store" else ["relates_to=Glossary"]


NOTHING = [
    "Yeah, let's just do that thing we talked about.",
    "응, 아까 말한 대로 그걸로 하자.",
    "Should we use Kafka?",
    "카프카를 쓸까?",
    "Maybe we should use Kafka.",
    "아마 카프카로 가는 게 나을 것 같아.",
    "Unless the team objects, let's use Terraform.",
    "팀이 반대하지 않는다면 Terraform을 쓰자.",
    "Let's run the tests again.",
    "Please rename the helper.",
    "Looks good, thanks!",
    "```\nlet's use Kafka\n```",
    "> We decided on Kafka.",
]


@pytest.mark.parametrize("said", NOTHING)
def test_nothing_ambiguous_becomes_a_candidate(said: str) -> None:
    """Vague words, questions, hedges, conditions, requests, quotes and code, in both languages."""
    assert candidates(said, "Okay.") == []


CLEAR = [
    ("We decided on ed25519 keys for all servers.", "decision"),
    ("서버 키는 ed25519로 하기로 했어.", "decision"),
    ("We moved from Jenkins to GitHub Actions.", "reversal"),
    ("Jenkins 대신 GitHub Actions를 쓰기로 했다.", "reversal"),
    ("I prefer small pull requests.", "preference"),
    ("나는 작은 PR을 선호해.", "preference"),
    ("Customer data must stay in Frankfurt.", "constraint"),
    ("고객 데이터는 반드시 서울 리전에 둬야 해.", "constraint"),
    ("Backups are kept for 14 days.", "fact"),
    ("백업은 14일 동안 보관한다.", "fact"),
]


@pytest.mark.parametrize(("said", "kind"), CLEAR)
def test_what_is_said_plainly_becomes_one(said: str, kind: str) -> None:
    """With its kind, and the words as they were said."""
    assert [(found.kind, found.text) for found in candidates(said, "Okay.")] == [(kind, said)]


def test_what_an_agent_does_itself_is_none_and_what_it_recalls_is() -> None:
    """ "I changed three files" is of this hour; "we chose RabbitMQ" answers a question for good."""
    assert candidates("Fix it.", "I changed 3 files. I've replaced the parser.") == []
    assert [found.role for found in candidates("Which queue?", "We chose RabbitMQ for jobs.")] == ["assistant"]
