"""What a person reads of a result that a program gets as JSON."""

from __future__ import annotations

from typing import Any

from wwt_vault.cli import render, render_notes


def waiting(number: int) -> dict[str, Any]:
    """Return a session as ``wwt uncurated`` lists it."""
    return {
        "host": "codex", "session_id": f"01a22b33-daab-7ca2-9616-eca175b248b{number}", "project": "shop",
        "path": f"50_Conversations/2026/2026-11-30 codex shop 75b248b{number}.md",
        "started": "2026-11-30T15:45:48+09:00", "messages": 2, "of": 2, "events": [],
    }  # fmt: skip


def host(**values: Any) -> dict[str, Any]:
    """Return a host as ``wwt setup`` reports it."""
    return {
        "host": "codex", "hooks": "added", "mcp": "added", "rule": "absent", "transcripts": 3, "imported": 12,
        "todo": [], "refused": [],
    } | values  # fmt: skip


def test_a_session_that_waits_is_shown_with_what_marking_it_asks_for() -> None:
    """The name of a session note holds a part of the id only; ``wwt mark-curated`` wants all of it."""
    text = render.uncurated({"sessions": [waiting(1)], "total_sessions": 1, "total_messages": 2})

    assert "codex 01a22b33-daab-7ca2-9616-eca175b248b1" in text
    assert "more" not in text


def test_a_list_that_was_cut_says_so_and_how_to_see_the_rest() -> None:
    """Otherwise the rest looks curated."""
    text = render.uncurated({"sessions": [waiting(1), waiting(2)], "total_sessions": 54, "total_messages": 606})

    assert text.splitlines()[-1].strip() == "… and 52 more: `wwt uncurated --limit 54`"


def test_a_fault_of_a_whole_file_has_no_line() -> None:
    """``path:0`` opens nothing; ``path:7`` opens the line. A path stands there once."""
    problems = [
        {"code": "bad_event", "path": "a.json", "line": 0, "message": "not JSON"},
        {"code": "unknown_event", "path": "b.md", "line": 7, "message": "cites nothing"},
    ]
    checked = render.verify({"events": 1, "notes": 1, "citations": 1, "problems": problems})
    skipped = [
        {"path": "/x/y.txt", "line": 0, "reason": "/x/y.txt is not a transcript of any host known here"},
        {"path": "/x/z.jsonl", "line": 3, "reason": "not JSON"},
    ]
    imported = render.ingest(
        {"events_added": 0, "events_known": 0, "sessions": [], "sources": [], "skipped": skipped, "excluded": []},
    )

    assert checked.splitlines()[1:] == ["a.json: bad_event: not JSON", "b.md:7: unknown_event: cites nothing"]
    assert imported.splitlines()[1:] == [
        "skipped /x/y.txt: is not a transcript of any host known here",
        "skipped /x/z.jsonl:3: not JSON",
    ]


def test_a_revision_without_a_writer_was_edited_by_hand() -> None:
    """A person's own edit has a time, and no program that wrote it."""
    revision = {"revision": "ef5deaafcb8c05a6", "time": "2026-11-30T15:48:14+09:00", "written_by": None, "reason": None}

    assert render_notes.history({"revisions": [revision]}) == "ef5deaafcb8c  2026-11-30 15:48  edited by hand"


def test_a_dry_run_of_setup_says_what_would_be() -> None:
    """Where a vault would be made and how much would be imported stand in no settings file, so in no diff."""
    found = {"vault": "/home/me/wwt-vault", "created": True, "hosts": [host(imported=0)], "excluded": []}
    found |= {"diff": "+++ hooks.json\n", "dry_run": True}

    assert render.setup(found).splitlines() == [
        "+++ hooks.json",
        "Vault /home/me/wwt-vault (would be made)",
        "codex: hooks to be added, MCP to be added, 3 transcripts to import",
        "Nothing was changed (--dry-run).",
    ]
    nothing = render.setup({**found, "hosts": [], "diff": ""}).splitlines()
    assert nothing[0] == "Vault /home/me/wwt-vault (would be made)"
    assert nothing[-1] == "Nothing was changed (--dry-run)."


def test_setup_says_what_it_did() -> None:
    """A new vault is named as new; what was not imported, because there was nothing, is not counted."""
    hosts = [host(), host(host="gemini", imported=0)]

    found = {"vault": "/v", "created": True, "hosts": hosts, "excluded": ["/secret"], "diff": "", "dry_run": False}
    assert render.setup(found).splitlines() == [
        "Vault /v, made now",
        "codex: hooks added, MCP added, 12 messages imported",
        "gemini: hooks added, MCP added",
        "Nothing is captured in /secret",
    ]


def test_doctor_says_what_is_there_and_not_what_setup_would_do() -> None:
    """It changes nothing: of a host that is not connected it does not say that hooks were added."""
    cursor = {
        "host": "cursor",
        "hooks": "added",
        "hook_runs": None,
        "mcp": "updated",
        "mcp_answers": True,
        "last_event": None,
    }
    text = render.doctor({"vault": "/v", "hosts": [cursor], "mended": [], "failures": [], "findings": []})

    assert "cursor: hooks missing, MCP server outdated, answers; last message never" in text
