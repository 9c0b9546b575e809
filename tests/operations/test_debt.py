"""Evidence debt: a note says which newer words on its subject it does not cite, and a status which notes owe most."""

from __future__ import annotations

import json
from typing import Any

from mcp import Client

from tests.test_cli import Run, as_json, wwt
from tests.test_mcp_server import SAID, call, drive
from wwt_vault.vault import Vault

__all__ = ["wwt"]  # a fixture

LATER = "2031-05-04T03:0{}:00Z"


def said_later(*texts: str) -> list[dict[str, str]]:
    """Return a talk of years after every note of this test, user and assistant in turns."""
    return [
        {"role": "assistant" if at % 2 else "user", "text": text, "time": LATER.format(at)}
        for at, text in enumerate(texts)
    ]


async def noted(client: Client) -> tuple[dict[str, Any], str]:
    """Record a talk and save a note on it; return the note and the event it cites."""
    event = (await call(client, "wiki_record", host="chat", session_id="s1", messages=SAID))["added"][1]
    body = f"## Facts\n- ssh with ed25519 keys only [^{event}]\n"
    return await call(client, "wiki_save_note", note="SSH login", body=body, type="decision"), event


def test_a_note_names_newer_words_on_its_subject_until_they_are_cited(words_only: Vault) -> None:
    """Not words on other matters; none once the note cites them."""

    async def steps(client: Client) -> None:
        note, event = await noted(client)
        assert (await call(client, "wiki_read", note="SSH login"))["newer"] == []

        talk = said_later("SSH login fails with ed25519 here", "Then allow RSA for the old host.", "What is for lunch?")
        told = (await call(client, "wiki_record", host="chat", session_id="s2", messages=talk))["added"]
        await call(client, "wiki_record", host="chat", session_id="s3", messages=said_later("Backups fill the disk"))
        read = await client.call_tool("wiki_read", {"note": "SSH login"})
        newer = (read.structured_content or {})["newer"]
        assert newer[:2] == told[:2]
        assert f"Newer on this subject and not cited: [^{told[0]}]" in read.content[-1].text

        status = await call(client, "wiki_status")
        assert status["debt"] == {
            "notes": 1, "events": len(newer), "checked": 1, "of": 1,
            "worst": [{"path": note["path"], "events": len(newer)}],
        }  # fmt: skip

        cited = " ".join(f"[^{one}]" for one in (event, *newer))
        changed = await call(
            client, "wiki_save_note", note=note["path"], revision=note["revision"],
            sections={"Facts": f"- ssh with ed25519 keys, RSA for the old host {cited}"},
        )  # fmt: skip
        assert (await call(client, "wiki_read", note=changed["path"]))["newer"] == []
        assert (await call(client, "wiki_status"))["debt"]["notes"] == 0

    drive(words_only.root, steps)


def test_what_was_marked_as_curated_is_no_debt(words_only: Vault) -> None:
    """An agent has read it and found nothing to keep."""

    async def steps(client: Client) -> None:
        await noted(client)
        await call(client, "wiki_record", host="chat", session_id="s2", messages=said_later("SSH login is slow today"))
        assert len((await call(client, "wiki_read", note="SSH login"))["newer"]) == 1
        await call(client, "wiki_mark_curated", host="chat", session_id="s2")
        assert (await call(client, "wiki_read", note="SSH login"))["newer"] == []

    drive(words_only.root, steps)


def test_the_answer_in_the_talk_that_made_the_note_is_no_debt(words_only: Vault) -> None:
    """The agent tells the person that it saved the note: that prompt is older than the note."""

    async def steps(client: Client) -> None:
        await noted(client)
        end = [
            {"role": "user", "text": "Save the SSH login", "time": "2026-11-29T01:04:00Z"},
            {"role": "assistant", "text": "I saved the note SSH login.", "time": LATER.format(1)},
        ]
        await call(client, "wiki_record", host="chat", session_id="s1", messages=[*SAID, *end])
        assert (await call(client, "wiki_read", note="SSH login"))["newer"] == []

    drive(words_only.root, steps)


def test_a_person_sees_it_on_the_command_line(wwt: Run, words_only: Vault) -> None:
    """With the note and in the status; an earlier revision owes nothing."""
    event = as_json(wwt, "record", "chat", "s1", stdin=json.dumps(SAID))["added"][3]
    body = f"## Facts\n- 백업은 14일 동안 보관한다 [^{event}]\n"
    saved = as_json(wwt, "note", "save", "-", "--note", "백업 보관", stdin=body)
    talk = said_later("백업 보관 기간을 30일로 늘리자", "네, 늘리겠습니다.")
    told = as_json(wwt, "record", "chat", "s2", stdin=json.dumps(talk))["added"]

    assert as_json(wwt, "note", "read", "백업 보관")["newer"] == told
    assert f"Newer on this subject and not cited: {' '.join(told)}" in wwt("note", "read", "백업 보관")[1]
    assert "newer" not in as_json(wwt, "note", "read", "백업 보관", "--revision", saved["revision"])
    assert "Evidence 1 note with newer words on the subject\n            2 00_Inbox/백업 보관.md" in wwt("status")[1]
