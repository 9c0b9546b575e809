"""An agent that curates whole vaults through the real server: the demo's, and one of real transcripts of every host."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from tests.console import demo_vault
from tests.test_mcp_server import call, drive
from wwt_vault.operations import conversations
from wwt_vault.operations.workspace import open_workspace
from wwt_vault.vault import Vault, check, claims, events, notes

BASTION = "20260907T011533Z-4e4a7fc0c9b8"
KEYS = "20260907T011609Z-e4a693e56efd"
NO_VPN = "20260907T011353Z-383a3d88920e"
TAILSCALE = "20261006T002353Z-094b4b7b2aa0"
LEAVERS = "20261006T002253Z-51dc43a5458a"
POSTGRES = "20260910T051017Z-2d2adabd9e7f"
"""Messages of the demo, as `wwt events` names them."""


async def curate_the_rest(client: Client) -> Counter[str]:
    """Make a note of every session that waits, as an agent does that takes refusals for what they say.

    Returns how often each refusal came.
    """
    refusals: Counter[str] = Counter()
    before = ""
    while (waiting := await call(client, "wiki_uncurated", limit=5))["total_sessions"]:
        for session in waiting["sessions"]:
            words = await call(client, "wiki_read_events", ids=session["events"][:50])
            prompts = [event for event in words["events"] if event["role"] == "user"] or words["events"]
            first = " ".join(prompts[0]["text"].split())
            quoted = [(event["id"], " ".join(event["text"].split())[:80]) for event in prompts[:5]]
            plain = [(event, f"message {place}") for place, (event, _) in enumerate(quoted)]
            name = f"{session['host']} {session['session_id']}"
            for title, facts in ((first[:60], quoted), (f"About {name}", quoted), (f"About {name}", plain)):
                body = f"What was said. [^{facts[0][0]}]\n\n## Facts\n\n"
                body += "".join(f"- They said: {text} [^{event}]\n" for event, text in facts)
                relations = {"relates_to": [before]} if before else {}
                given = {"note": title, "body": body, "type": "topic", "relations": relations}
                found = await saved(client, given)
                if found.get("code") == "similar_notes":  # it has seen them, and says why it is another
                    refusals["similar_notes"] += 1
                    found = await saved(client, {**given, "reason": f"what was said in {name}"})
                if "code" not in found:
                    before = found["path"]
                    break
                refusals[found["code"]] += 1
            else:
                pytest.fail(f"no way to save a note of {name}: {found}")
            await call(client, "wiki_mark_curated", host=session["host"], session_id=session["session_id"])
    return refusals


async def saved(client: Client, given: dict[str, Any]) -> dict[str, Any]:
    """Save a note; return what came of it, a refusal too."""
    result = await client.call_tool("wiki_save_note", given)
    return dict(result.structured_content or {})  # type: ignore[union-attr]  # no round trips here


def proven(vault: Vault) -> int:
    """See that every claim of every note leads to the very words, and nothing is wrong; return how many claims."""
    count = 0
    for head in notes.list_notes(vault):
        for claim in claims.claims(vault, head.path):
            assert claim.supported, (head.path, claim)
            for said in claim.said:
                assert said.text == events.read_event(vault, said.event).text
                assert said.path
                assert f"^{said.event}" in (vault.root / said.path).read_text("utf-8")
            count += 1
    assert check.check_vault(vault).problems == ()
    return count


def test_the_demos_vault_is_curated_with_a_reversal_and_a_persons_edit(tmp_path: Path) -> None:
    """Nine conversations become notes; what holds now is told first, what was rejected comes up, nothing waits."""
    vault = demo_vault(tmp_path / "vault")

    async def steps(client: Client) -> None:
        bastion = await call(
            client, "wiki_save_note", note="SSH 접속은 배스천으로", type="decision", project="bookshop-infra",
            body=f"배스천 한 대로만 들어간다. [^{BASTION}]\n\n## Facts\n\n- 키는 90일마다 바꾼다 [^{KEYS}]\n\n"
            f"## Rejected options\n\n- OpenVPN: 운영해 본 사람이 없다 [^{NO_VPN}]\n",
        )  # fmt: skip
        path = vault.root / bastion["path"]
        mine = f"- 키는 준호가 검토한다 [^{NO_VPN}]"
        path.write_text(path.read_text("utf-8").replace("- 키는", f"{mine}\n- 키는"), "utf-8")
        read = await call(client, "wiki_read", note="SSH 접속은 배스천으로")
        body = f"배스천 한 대로만 들어간다. [^{BASTION}]\n\n## Facts\n\n- 키는 30일마다 바꾼다 [^{KEYS}]\n"
        body += f"\n## Rejected options\n\n- OpenVPN: 운영해 본 사람이 없다 [^{NO_VPN}]\n"
        merged = await call(client, "wiki_save_note", note=bastion["path"], body=body, revision=read["revision"])
        assert merged["kept"] == [mine]

        new = await call(
            client, "wiki_save_note", note="SSH 접속은 Tailscale로", type="decision", project="bookshop-infra",
            body=f"Tailscale SSH만 쓴다. [^{TAILSCALE}]\n\n## 이유\n\n퇴사자는 계정만 막으면 된다. [^{LEAVERS}]\n",
            relations={"updates": ["SSH 접속은 배스천으로"]}, reason="배스천이 단일 장애점이었다",
        )  # fmt: skip
        assert new["also_changed"] == [bastion["path"]]
        await call(
            client, "wiki_save_note", note="Order database", type="decision", project="bookshop-api",
            body=f"PostgreSQL 16. [^{POSTGRES}]\n\n## Rejected options\n\n"
            f"- MongoDB: no foreign keys across collections, so stock could go negative [^{POSTGRES}]\n",
            relations={"relates_to": [new["path"]]},
        )  # fmt: skip

        found = await call(client, "wiki_get_context", query="운영 서버 SSH 접속은 결국 어떤 방식으로 하기로 했지?")
        assert found["items"][0]["path"] == new["path"]
        assert "replaces [[SSH 접속은 배스천으로]]: 배스천이 단일 장애점이었다" in found["text"]
        assert "이유: 퇴사자는 계정만 막으면 된다." in found["text"]
        for query, says in (
            ("OpenVPN은 왜 안 썼지?", "OpenVPN: 운영해 본 사람이 없다"),
            ("몽고DB는 왜 안 쓰기로 했더라?", "MongoDB: no foreign keys across collections"),
            ("should we use MongoDB?", "MongoDB: no foreign keys across collections"),
        ):
            assert says in (await call(client, "wiki_get_context", query=query))["text"], query
        then = await call(client, "wiki_get_context", query="운영 서버 SSH 접속 방식", as_of="2026-09-30")
        assert "배스천" in then["text"], "what was said until then"
        assert not [item for item in then["items"] if item["kind"] == "note"], "the notes are of today"
        assert "Tailscale" not in then["text"]
        related = await call(client, "wiki_related", note=bastion["path"], depth=2)
        assert [(one["title"], one["kind"], one["depth"]) for one in related["related"]] == [
            ("SSH 접속은 Tailscale로", "updates", 1), ("Order database", "relates_to", 2),
        ]  # fmt: skip
        history = await call(client, "wiki_history", note=bastion["path"])
        assert [entry["written_by"] for entry in history["revisions"]] == ["mcp", "mcp", None, "mcp"]
        await curate_the_rest(client)
        assert (await call(client, "wiki_status"))["uncurated"] == {"sessions": 0, "messages": 0}

    drive(vault.root, steps)

    assert proven(vault) > 20


def test_real_transcripts_of_every_host_are_curated(shared: Path, tmp_path: Path) -> None:
    """Whatever people and agents have said: each session becomes a note whose every claim leads to the very words."""
    vault = demo_vault(tmp_path / "vault", with_model=False)
    shutil.copytree(shared / "transcripts", tmp_path / "transcripts")
    conversations.ingest(open_workspace(str(vault.root)), [tmp_path / "transcripts"])
    sessions = len(list((vault.root / "50_Conversations").rglob("20*.md")))
    refusals: Counter[str] = Counter()

    async def steps(client: Client) -> None:
        refusals.update(await curate_the_rest(client))

    drive(vault.root, steps)

    assert sessions > 30
    assert len(notes.list_notes(vault)) == sessions
    assert set(refusals) <= {
        "bad_name", "path_escapes", "note_exists", "uncited_fact", "bad_argument", "similar_notes",
    }  # fmt: skip
    assert proven(vault) > 2 * sessions
