"""Curating a session: what an agent says of it makes it found, and what waits is told, oldest and largest first."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from mcp import Client

from tests.test_cli import Run, as_json, wwt
from tests.test_mcp_server import SAID, call, drive, refused
from wwt_vault.curate.questions import wanting
from wwt_vault.ingest.brief import brief
from wwt_vault.vault import Vault, sessions

__all__ = ["wwt"]  # a fixture

GIST = "How people get into the machines, and how long copies are kept"
QUESTIONS = ["서버에는 무엇으로 들어가?", "How do I get a shell on production?", "사본은 언제 지워져?"]


def test_a_session_is_found_by_what_an_agent_said_of_it(words_only: Vault) -> None:
    """Words that nobody said, in a gist or a question, lead to the session, through the server that took them."""

    async def steps(client: Client) -> None:
        kept = await call(client, "wiki_record", host="chat", session_id="s1", messages=SAID, project="shop")
        assert not (await call(client, "wiki_search", query="production shell"))["found"]

        done = await call(
            client, "wiki_mark_curated", host="chat", session_id="s1", gist=GIST, questions=QUESTIONS
        )  # fmt: skip
        assert done["wanted"] == []
        assert (done["gist"], done["questions"]) == (GIST, QUESTIONS)

        found = await call(client, "wiki_search", query="production shell")
        assert found["hits"][0]["path"].startswith("50_Conversations/2026/2026-11-29 chat shop")
        assert found["hits"][0]["text"] == GIST
        assert found["hits"][0]["block"] == kept["added"][0]

        context = await call(client, "wiki_get_context", query="copies kept how long, machines")
        assert f"> gist: {GIST} [^{kept['added'][0]}]" in context["text"]
        assert "· curated" in context["text"]

    drive(words_only.root, steps)


def test_an_agent_is_told_what_is_missing_and_adds_it(words_only: Vault) -> None:
    """The answer to a bare mark asks for gist and questions; a later mark adds them and takes nothing back."""

    async def steps(client: Client) -> None:
        await call(client, "wiki_record", host="chat", session_id="s1", messages=SAID, project="shop")
        bare = await call(client, "wiki_mark_curated", host="chat", session_id="s1")
        assert [what.partition(":")[0] for what in bare["wanted"]] == ["a gist", "3 to 6 questions"]

        half = await call(client, "wiki_mark_curated", host="chat", session_id="s1", questions=QUESTIONS)
        assert [what.partition(":")[0] for what in half["wanted"]] == ["a gist"]

        whole = await call(client, "wiki_mark_curated", host="chat", session_id="s1", gist=GIST)
        assert (whole["wanted"], whole["questions"]) == ([], QUESTIONS)

        error = await refused(client, "wiki_mark_curated", host="chat", session_id="s1", gist="x" * 501)
        assert (error["code"], error["argument"]) == ("bad_argument", "gist")

    drive(words_only.root, steps)


def test_a_save_asks_for_questions_and_takes_them_alone(words_only: Vault) -> None:
    """The answer says what is missing; questions are added without the body, and lead to the note."""

    async def steps(client: Client) -> None:
        kept = await call(client, "wiki_record", host="chat", session_id="s1", messages=SAID, project="shop")
        body = f"## Facts\n- ssh with ed25519 keys only [^{kept['added'][1]}]\n"
        saved = await call(client, "wiki_save_note", note="SSH login", body=body, type="decision")
        assert [what.partition(":")[0] for what in saved["wanted"]] == ["3 to 6 questions"]

        again = await call(
            client, "wiki_save_note", note=saved["path"], revision=saved["revision"], questions=QUESTIONS
        )  # fmt: skip
        assert (again["wanted"], again["id"]) == ([], saved["id"])
        note = await call(client, "wiki_read", note="SSH login")
        assert body in note["text"]
        assert all(question in note["text"] for question in QUESTIONS)

        for _ in range(30):  # on a busy machine an answer may be given before the save is indexed, and says so
            found = await call(client, "wiki_search", query="production shell")
            if found["hits"] or not found["notes"]:
                break
        assert found["hits"][0]["path"] == saved["path"]

        nothing = await refused(client, "wiki_save_note", note=saved["path"], revision=again["revision"])
        assert (nothing["code"], nothing["argument"]) == ("bad_argument", "body")

    drive(words_only.root, steps)


def test_a_person_marks_the_same_way(wwt: Run, words_only: Vault) -> None:
    """The command takes gist and questions; secrets in them are taken out before they are written."""
    wwt("record", "chat", "s1", "--project", "shop", stdin=json.dumps(SAID))
    secret = "ghp_" + "a1B2c3D4e5" * 4
    options = [part for question in QUESTIONS for part in ("--question", question)]
    done = as_json(wwt, "mark-curated", "chat", "s1", "--gist", f"Machines {secret}", *options)
    code, out, _ = wwt("mark-curated", "chat", "s1")
    fact = f"- by keys [^{done['upto']}]"
    _, said, _ = wwt("note", "save", "-", "--note", "Way in", "--question", "서버 접속?", stdin=f"## Facts\n{fact}\n")

    assert done["wanted"] == []
    assert said.splitlines()[1:] == ["wanted: more questions: 3 to 6 in all, not 1", "wanted: a question in English"]
    assert secret not in done["gist"]
    assert (code, out.splitlines()[0]) == (0, f"chat s1 is curated up to {done['upto']}.")
    assert as_json(wwt, "search", "production shell")["found"]
    assert not [
        path for path in words_only.root.rglob("*") if path.is_file() and secret.encode() in path.read_bytes()
    ]  # fmt: skip


def pin(vault: Vault, path: str) -> None:
    """Do as a person does in Obsidian: tick a box among the properties."""
    note = vault.root / path
    note.write_text(note.read_text("utf-8").replace("\nreviewed:", "\npinned: true\nreviewed:", 1), "utf-8")


def test_a_pinned_note_leads_its_project_and_no_other(wwt: Run, words_only: Vault) -> None:
    """Whatever is asked, over both faces; another project, another day or none does not show it."""
    event = as_json(wwt, "record", "chat", "s1", "--project", "shop", stdin=json.dumps(SAID))["added"][1]
    body = f"## Facts\n- nobody deploys on Fridays [^{event}]\n"
    path = as_json(wwt, "note", "save", "-", "--note", "House rules", "--project", "shop", stdin=body)["path"]
    pin(words_only, path)

    async def steps(client: Client) -> None:
        for query in ("ssh keys", "quetzalcoatlus"):
            asked = await call(client, "wiki_get_context", query=query, project="shop")
            assert (asked["items"][0]["kind"], asked["items"][0]["path"]) == ("pinned", path)
            assert "nobody deploys on Fridays" in asked["text"]
            assert asked["found"] is (query == "ssh keys")
        for other in ({"project": "garden"}, {}, {"project": "shop", "as_of": "2026-01-01"}):
            asked = await call(client, "wiki_get_context", query="ssh keys", **other)
            assert "pinned" not in [item["kind"] for item in asked["items"]]

    drive(words_only.root, steps)
    told = as_json(wwt, "context", "ssh keys", "--project", "shop")
    assert told["items"][0]["kind"] == "pinned"


def test_a_new_session_is_told_which_sessions_wait_longest(wwt: Run, words_only: Vault) -> None:
    """Oldest day first, of one day the largest, three at most, as `wwt uncurated` lists them."""
    for number, (day, size) in enumerate([(29, 1), (28, 1), (28, 3), (29, 2)]):
        said = [{**SAID[at], "time": f"2026-11-{day}T0{at}:00:00Z"} for at in range(size)]
        wwt("record", "chat", f"s{number}", "--project", "shop", stdin=json.dumps(said))
    listed = as_json(wwt, "uncurated", "--project", "shop")["sessions"]
    told = brief("/src/shop", "new", datetime.now(UTC))

    assert [session["session_id"] for session in listed] == ["s2", "s1", "s3", "s0"]
    assert "4 sessions, 7 messages" in told
    assert told.partition("Waiting longest:\n")[2].splitlines()[:4] == [
        "- 2026-11-28 chat shop s2: 3 messages",
        "- 2026-11-28 chat shop s1: 1 message",
        "- 2026-11-29 chat shop s3: 2 messages",
        "",
    ]


@pytest.mark.parametrize(
    ("questions", "text", "missing"),
    [
        ([], "x", ["3 to 6 questions"]),
        (["백업은 얼마나 남겨 둬?", "복사본 지우는 때는?", "언제 없애?"], "keep copies", ["a question in English"]),
        (["How long?", "Until when?", "When are copies gone?"], "백업", ["a question in Korean"]),
        (["어디에 저장하지?", "Where are orders?"], "PostgreSQL", ["more questions"]),
        (
            ["PostgreSQL 백업 주기는?", "How often is the PostgreSQL backup?", "백업 주기?"],
            "The PostgreSQL backup runs often. 백업 주기는 하루입니다.",
            ["questions in other words than the text's own"],
        ),
        (["로그인은 무엇으로 해?", "Which way in?", "How are machines reached?"], "ssh by ed25519 keys", []),
    ],
)
def test_what_is_missing_of_questions_is_named(questions: list[str], text: str, missing: list[str]) -> None:
    """Too few, one language only, or nothing but the text's own words: each by its name."""
    assert [what.partition(":")[0] for what in wanting(questions, text)] == missing


def test_words_that_a_person_wrote_into_a_session_note_are_found(wwt: Run, words_only: Vault) -> None:
    """They stand beside what was said there, and lead to their line."""
    wwt("record", "chat", "s1", "--project", "shop", stdin=json.dumps(SAID))
    note = sessions.find_session_note(words_only, "chat", "s1")
    assert note is not None
    note.write_text(note.read_text("utf-8") + "\nMy own remark on zebras.\n", "utf-8")
    (hit,) = as_json(wwt, "search", "zebras")["hits"]

    assert hit["text"] == "My own remark on zebras."
    assert note.read_text("utf-8").splitlines()[hit["line"] - 1] == hit["text"]


def test_notes_and_sources_are_listed_by_type_and_a_type_that_is_none_is_refused(wwt: Run, words_only: Vault) -> None:
    """Sources only where they are asked for."""
    event = as_json(wwt, "record", "chat", "s1", stdin=json.dumps(SAID))["added"][0]
    wwt("note", "save", "-", "--note", "Quay", "--type", "topic", stdin=f"Cranes lift teak. [^{event}]\n")
    wwt("source", "add", "-", "--title", "Tides", "--origin", "https://tides.example", stdin="High at noon.\n")

    def listed(*limits: str) -> list[str]:
        return [note["title"] for note in as_json(wwt, "note", "list", *limits)["notes"]]

    assert (listed(), listed("--type", "source"), listed("--status", "draft")) == (["Quay"], ["Tides"], [])
    for limit in ("--type", "--status"):
        code, out, err = wwt("note", "list", limit, "sorce")
        assert (code, out) == (2, "")
        assert "must be one of" in err and "not 'sorce'" in err
