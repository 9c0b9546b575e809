"""What a context says of notes that replaced one another, of reasons and rejected options, and of a day in the past."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from wwt_vault.operations import conversations, notes, recall
from wwt_vault.operations.workspace import Workspace, open_workspace
from wwt_vault.vault import Vault

NOW = datetime(2026, 12, 20, 3, tzinfo=UTC)
FIRST = datetime(2026, 11, 10, 3, tzinfo=UTC)


@pytest.fixture
def workspace(vault: Vault) -> Workspace:
    """Return an opened vault that searches by words."""
    return open_workspace(str(vault.root), embedder=lambda: None)


def say(workspace: Workspace, *texts: str, session: str, at: datetime) -> list[str]:
    """Record a conversation, a minute between messages."""
    messages = [
        {"role": "assistant" if n % 2 else "user", "text": text, "time": (at + timedelta(minutes=n)).isoformat()}
        for n, text in enumerate(texts)
    ]
    return list(conversations.record(workspace, "chat", session, messages, project="shop", now=NOW)["added"])


def save(workspace: Workspace, title: str, body: str, at: datetime, **more: Any) -> dict[str, Any]:
    """Save a decision as an agent does."""
    return notes.save_note(workspace, title, body=body, now=at, **{"type": "decision", "written_by": "agent", **more})


@pytest.fixture
def reversed_decision(workspace: Workspace) -> dict[str, Any]:
    """Decide for one database in November, with a reason and a rejected option, and for another in December."""
    first = say(workspace, "Which orders database?", "PostgreSQL, it is what we know.", session="a", at=FIRST)
    why = save(workspace, "Team skills", f"Nobody here runs MySQL. [^{first[0]}]\n", FIRST, type="knowledge")
    body = (
        f"The orders database is PostgreSQL. [^{first[1]}]\n\n## Why\n\nThe team knows it. [^{first[1]}]\n\n"
        f"## Rejected options\n\n- MongoDB: dropped because it had no joins we trust [^{first[1]}]\n"
    )
    old = save(
        workspace,
        "PostgreSQL for orders",
        body,
        FIRST + timedelta(hours=1),
        relations={"derived_from": ["Team skills"]},
    )
    later = FIRST + timedelta(days=25)
    then = say(workspace, "The orders database is too slow.", "Then CockroachDB from now on.", session="b", at=later)
    body = f"Orders are kept in CockroachDB. [^{then[1]}]\n\n## Why\n\nPostgreSQL was too slow. [^{then[0]}]\n"
    new = save(
        workspace, "CockroachDB", body, later + timedelta(hours=1),
        relations={"updates": ["PostgreSQL for orders"], "depends_on": ["Team skills"]}, reason="it was too slow",
    )  # fmt: skip
    return {"old": old, "new": new, "why": why, "first": first, "then": then}


def items(found: dict[str, Any]) -> list[tuple[str, str]]:
    """Return kind and path of each item."""
    return [(item["kind"], item["path"]) for item in found["items"]]


def test_the_current_decision_comes_first_and_says_what_it_replaced(
    workspace: Workspace, reversed_decision: dict[str, Any]
) -> None:
    """Also where only the old one matches the question: when, why, by which events; the old one is there, behind."""
    found = recall.context(workspace, "PostgreSQL team knows")
    old, new = reversed_decision["old"]["path"], reversed_decision["new"]["path"]
    order = [path for kind, path in items(found) if kind == "note"]

    assert order.index(new) < order.index(old)
    assert items(found)[0] == ("note", new)
    first = found["items"][0]
    replaced = "> History: 2026-12-05: replaces [[PostgreSQL for orders]]: it was too slow"
    assert " ".join([replaced, *(f"[^{event}]" for event in reversed_decision["then"])]) in first["text"]
    assert set(reversed_decision["then"]) <= set(first["events"])
    assert f"note superseded {old}" in found["text"]


def test_what_was_replaced_leads_where_it_is_asked_how_it_once_was(
    workspace: Workspace, reversed_decision: dict[str, Any]
) -> None:
    """And it says that it is superseded; the same words without that have the current one first."""
    old, new = reversed_decision["old"]["path"], reversed_decision["new"]["path"]
    then = recall.context(workspace, "PostgreSQL orders originally")
    now = recall.context(workspace, "PostgreSQL orders now")

    assert items(then)[0] == ("note", old)
    assert f"note superseded {old}" in then["text"]
    assert items(now)[0] == ("note", new)


def test_a_decision_comes_with_its_reason(workspace: Workspace, reversed_decision: dict[str, Any]) -> None:
    """Its own words for it, and the notes it rests on, whatever was asked."""
    found = recall.context(workspace, "where are orders kept CockroachDB")

    assert "> Why: PostgreSQL was too slow." in found["items"][0]["text"]
    assert ("related", reversed_decision["why"]["path"]) in items(found)
    assert "CockroachDB depends_on it" in found["text"]
    assert "Nobody here runs MySQL" in found["text"]


def test_a_rejected_option_comes_up_when_the_question_is_about_it(
    workspace: Workspace, reversed_decision: dict[str, Any]
) -> None:
    """What we dropped, and why; where the question is about something else it is not told."""
    found = recall.context(workspace, "MongoDB for orders?")
    assert items(found)[0] == ("note", reversed_decision["new"]["path"])
    (told,) = [line for line in found["items"][0]["text"].splitlines() if "MongoDB" in line]
    assert told.startswith("> Rejected options (PostgreSQL for orders): - MongoDB: dropped because it had no joins")
    assert told.endswith(f"[^{reversed_decision['first'][1]}]")
    assert "MongoDB" not in recall.context(workspace, "orders database PostgreSQL too slow", budget_tokens=300)["text"]


def test_contradicting_notes_come_along(workspace: Workspace) -> None:
    """Whoever is told one is told the other, though it does not match."""
    ids = say(workspace, "a", "b", session="a", at=FIRST)
    save(workspace, "Retries", f"Every client retries thrice. [^{ids[0]}]\n", FIRST, type="topic")
    save(
        workspace,
        "Quota",
        f"Calls are metered. [^{ids[1]}]\n",
        FIRST,
        type="topic",
        relations={"contradicts": ["Retries"]},
    )
    found = recall.context(workspace, "client retries thrice")

    assert items(found)[:2] == [("note", "30_Knowledge/Retries.md"), ("related", "30_Knowledge/Quota.md")]
    assert "Retries contradicts it" in found["text"]


def test_a_day_in_the_past_is_answered_as_it_was(workspace: Workspace, reversed_decision: dict[str, Any]) -> None:
    """The note's revision of that day, the status it had, what was said until then; nothing of what came later."""
    found = recall.context(workspace, "orders database PostgreSQL", as_of="2026-11-20")
    (note,) = [item for item in found["items"] if item["path"] == reversed_decision["old"]["path"]]

    assert items(found)[0] == ("note", reversed_decision["old"]["path"])
    assert note["revision"] == reversed_decision["old"]["revision"]
    assert "superseded" not in found["text"]
    assert "CockroachDB" not in found["text"]
    assert "As of 2026-11-20" in found["text"]
    assert not recall.context(workspace, "orders database PostgreSQL", as_of="2026-11-01")["found"]
    today = recall.context(workspace, "orders database PostgreSQL", as_of="2026-12-20")
    assert items(today)[0] == ("note", reversed_decision["new"]["path"])


def test_an_earlier_text_of_one_note_is_found_by_its_own_words(workspace: Workspace) -> None:
    """A note that says something else today: its words of then answer for then, a person's edit among them."""
    ids = say(workspace, "a", "b", session="a", at=FIRST)
    first = save(workspace, "Login", f"We log in by ssh keys. [^{ids[0]}]\n", FIRST, type="topic")
    save(
        workspace,
        "Login",
        f"Tailscale is the way. [^{ids[1]}]\n",
        FIRST + timedelta(days=9),
        revision=first["revision"],
    )

    assert not recall.context(workspace, "ssh keys")["found"]
    found = recall.context(workspace, "ssh keys", as_of="2026-11-12")
    assert items(found)[0] == ("note", "30_Knowledge/Login.md")
    assert found["items"][0]["revision"] == first["revision"]
    assert "Tailscale" not in found["text"]
    reworded = recall.context(workspace, "signing on", rephrased=["ssh keys"], as_of="2026-11-12")
    assert items(reworded)[0] == ("note", "30_Knowledge/Login.md")


def test_notes_that_replace_one_another_in_a_ring_stop_nobody(workspace: Workspace, vault: Vault) -> None:
    """A hand may have written anything into the properties."""
    for name, other in (("One", "Two"), ("Two", "One"), ("Self", "Self"), ("Gone", "Nowhere")):
        (vault.root / f"30_Knowledge/{name}.md").write_text(
            f'---\nid: {name.lower()}\ntype: topic\nstatus: superseded\nsuperseded_by: ["[[{other}]]"]\n'
            f'updates: ["[[{other}]]", 7]\n---\nzebra {name}\n', "utf-8"
        )  # fmt: skip

    assert len(items(recall.context(workspace, "zebra"))) == 4
