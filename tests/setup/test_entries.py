"""Our entries stand behind the person's, are recognised whoever wrote them, and are all that is ever taken out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from wwt_vault.capture import HOSTS
from wwt_vault.setup import entries
from wwt_vault.setup.hosts import CONNECTIONS, HookFile

READY_MADE = Path(__file__).resolve().parents[2] / "hooks"
HOOKED = [host for host, row in CONNECTIONS.items() if row.hooks]
THEIRS = {"matcher": "startup", "hooks": [{"type": "command", "command": "notify-send hi"}]}


def hooks_of(host: str) -> HookFile:
    """Return the row's part about hooks."""
    hooks = CONNECTIONS[host].hooks
    assert hooks is not None
    return hooks


def handlers(text: str) -> list[tuple[str, dict[str, Any]]]:
    """Return every handler with its event."""
    hooks = json.loads(text or "{}").get("hooks", {})
    return [(event, one) for event, groups in hooks.items() for group in groups for one in group["hooks"]]


@pytest.mark.parametrize("host", HOOKED)
def test_the_ready_made_files_are_what_setup_writes(host: str) -> None:
    """Someone who pastes ``hooks/<host>.json`` gets the same hooks, but for the full path."""
    written = entries.add_hooks("", hooks_of(host), f"wwt-hook {host}", "f").text
    assert (READY_MADE / f"{host}.json").read_text(encoding="utf-8") == written


def test_the_readme_lists_the_ready_made_files() -> None:
    """No file is missing in the table, and none is listed that is not there."""
    readme = (READY_MADE / "README.md").read_text(encoding="utf-8")
    assert {path.name for path in READY_MADE.glob("*.json")} == {f"{host}.json" for host in HOOKED}
    assert all(f"[{host}.json]({host}.json)" in readme for host in HOOKED)


def test_every_host_that_is_read_can_be_connected() -> None:
    """Every host with hooks is read, is named alike, and calls us at its start, a prompt, an answer and its end."""
    assert set(HOOKED) <= set(HOSTS)
    assert all(CONNECTIONS[host].title == HOSTS[host].title for host in HOOKED)
    assert all(len(hooks_of(host).timeouts) >= 4 for host in HOOKED)


def test_gemini_counts_in_milliseconds_and_the_others_in_seconds() -> None:
    """A timeout in the wrong unit kills every call or none."""
    for host in HOOKED:
        low, high = (2_000, 60_000) if host == "gemini" else (2, 60)
        assert all(low <= timeout <= high for timeout in hooks_of(host).timeouts.values())


@pytest.mark.parametrize("host", [host for host in HOOKED if hooks_of(host).grouped])
def test_hooks_are_added_behind_the_persons(host: str) -> None:
    """Their groups keep their places: Codex knows an approved hook by its place."""
    text = json.dumps({"hooks": {"SessionStart": [THEIRS]}}, indent=2)
    after = entries.add_hooks(text, hooks_of(host), f"/x/wwt-hook {host}", "f")
    groups = json.loads(after.text)["hooks"]["SessionStart"]
    assert after.outcome == "added"
    assert groups[0] == THEIRS
    assert groups[1]["hooks"][0]["command"] == f"/x/wwt-hook {host}"
    again = entries.add_hooks(after.text, hooks_of(host), f"/x/wwt-hook {host}", "f")
    assert again == (after.text, "present")
    assert entries.remove_hooks(after.text, text, "f") == (text, "removed")


def test_cursor_has_no_groups_and_a_version() -> None:
    """Handlers stand in the event's array itself, behind the person's; the file says which form it has."""
    text = json.dumps({"hooks": {"stop": [{"command": "notify-send hi"}]}}, indent=2)
    after = entries.add_hooks(text, hooks_of("cursor"), "/x/wwt-hook cursor", "f")
    value = json.loads(after.text)
    assert value["version"] == 1
    assert value["hooks"]["stop"] == [
        {"command": "notify-send hi"},
        {"command": "/x/wwt-hook cursor", "timeout": 10},
    ]
    assert value["hooks"]["beforeSubmitPrompt"] == [{"command": "/x/wwt-hook cursor", "timeout": 10}]
    assert entries.add_hooks(after.text, hooks_of("cursor"), "/x/wwt-hook cursor", "f") == (after.text, "present")
    moved = entries.add_hooks(after.text, hooks_of("cursor"), "/y/wwt-hook cursor", "f")
    assert (moved.outcome, moved.text) == ("updated", after.text.replace("/x/", "/y/"))
    removed = entries.remove_hooks(after.text, text, "f").text
    assert json.loads(removed) == {**json.loads(text), "version": 1}


def test_more_than_ten_handlers_of_ours_become_one() -> None:
    """Whatever their number, the person's between them stay."""
    handlers = [{"command": f"/old/{number}/wwt-hook cursor"} for number in range(12)]
    text = json.dumps({"version": 1, "hooks": {"stop": [*handlers, {"command": "say done"}]}})
    after = entries.add_hooks(text, hooks_of("cursor"), "/x/wwt-hook cursor", "f").text
    stop = json.loads(after)["hooks"]["stop"]
    assert [handler["command"] for handler in stop] == ["/x/wwt-hook cursor", "say done"]


@pytest.mark.parametrize(
    "command",
    [
        "wwt-hook codex",
        "/old/bin/wwt-hook codex",
        "'/old place/wwt-hook' codex",
        r"C:\old\Scripts\wwt-hook.exe codex",
        "C:/old/Scripts/WWT-HOOK.EXE codex",
        'env A=1 "/old/wwt-hook" codex',
    ],
)
def test_an_older_command_of_ours_is_brought_up_to_date_in_its_place(command: str) -> None:
    """Another installation's hooks do not stand beside ours, where each message would be recorded by both."""
    old = {"matcher": "", "hooks": [{"type": "command", "command": command, "timeout": 600}]}
    text = json.dumps({"hooks": {"Stop": [old, THEIRS], "Interrupt": [old, THEIRS]}})
    after = entries.add_hooks(text, hooks_of("codex"), "/new/wwt-hook codex", "f")
    hooks = json.loads(after.text)["hooks"]
    assert after.outcome == "updated"
    assert hooks["Stop"][0]["hooks"][0] == {"type": "command", "command": "/new/wwt-hook codex", "timeout": 10}
    assert hooks["Stop"][1:] == [THEIRS]
    assert hooks["Interrupt"] == [THEIRS]


def test_two_of_ours_at_one_event_become_one() -> None:
    """Pasted by hand and set up as well: one is enough."""
    ours = {"hooks": [{"type": "command", "command": "wwt-hook codex"}]}
    text = json.dumps({"hooks": {"Stop": [ours, THEIRS, ours]}})
    after = entries.add_hooks(text, hooks_of("codex"), "/new/wwt-hook codex", "f").text
    assert [one["command"] for event, one in handlers(after) if event == "Stop"] == [
        "/new/wwt-hook codex",
        "notify-send hi",
    ]


@pytest.mark.parametrize("command", ["my-wwt-hook codex", "wwt-hooks codex", "echo wwt-hook-off", "/x/wwt-hook.sh y"])
def test_what_only_looks_like_ours_stays(command: str) -> None:
    """A program of another name is the person's."""
    text = json.dumps({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": command}]}]}})
    assert entries.remove_hooks(text, "", "f") == (text, "absent")


def test_a_handler_moved_into_a_group_of_the_persons_is_taken_out_alone() -> None:
    """Their handler in that group stays."""
    group = {"hooks": [{"type": "command", "command": "wwt-hook x"}, *THEIRS["hooks"]]}
    after = entries.remove_hooks(json.dumps({"hooks": {"Stop": [group]}}), "", "f").text
    assert json.loads(after) == {"hooks": {"Stop": [{"hooks": THEIRS["hooks"]}]}}


def test_empty_containers_that_were_there_before_stay() -> None:
    """What was in the copy from before is not tidied away."""
    copy = '{"hooks": {"Stop": []}}'
    after = entries.add_hooks(copy, hooks_of("codex"), "wwt-hook codex", "f").text
    assert json.loads(entries.remove_hooks(after, copy, "f").text) == json.loads(copy)


@pytest.mark.parametrize("host", CONNECTIONS)
def test_a_server_is_added_once_and_taken_out(host: str) -> None:
    """Absolute program, ``serve``, and nothing else of the file changes."""
    mcp = CONNECTIONS[host].mcp
    text = '[tui]\ntheme = "x"\n' if mcp.file.endswith(".toml") else '{\n  "theme": "x"\n}\n'
    after = entries.add_server(text, mcp, "/x/wwt", "f")
    entry = entries.server_entry(after.text, mcp, "f")
    assert after.outcome == "added"
    assert entry is not None
    assert (entry["command"], entry["args"]) == ("/x/wwt", ["serve"])
    assert entries.add_server(after.text, mcp, "/x/wwt", "f") == (after.text, "present")
    moved = entries.add_server(after.text, mcp, "/y/wwt", "f")
    assert moved.outcome == "updated"
    assert entries.remove_server(moved.text, mcp, text, "f") == (text, "removed")


@pytest.mark.parametrize("host", CONNECTIONS)
def test_another_server_of_our_name_is_left_alone(host: str) -> None:
    """Neither replaced nor taken out."""
    mcp = CONNECTIONS[host].mcp
    toml, js = '[mcp_servers.wwt]\ncommand = "npx"\n', json.dumps({mcp.table: {"wwt": {"url": "http://x"}}})
    text = toml if mcp.file.endswith(".toml") else js
    assert entries.add_server(text, mcp, "/x/wwt", "f") == (text, "foreign")
    assert entries.remove_server(text, mcp, "", "f") == (text, "foreign")


def test_what_the_person_added_to_our_server_stays() -> None:
    """``trust`` and the like are theirs; only the program is brought up to date."""
    text = '{"mcpServers": {"wwt": {"command": "/old/wwt", "args": ["serve"], "trust": true}}}'
    after = entries.add_server(text, CONNECTIONS["gemini"].mcp, "/new/wwt", "f").text
    assert json.loads(after)["mcpServers"]["wwt"] == {"command": "/new/wwt", "args": ["serve"], "trust": True}


def test_codex_waits_for_the_server_unless_the_person_says_otherwise() -> None:
    """Our line is added where there is none, and a person's own is neither changed nor taken out."""
    mcp = CONNECTIONS["codex"].mcp
    added = entries.add_server("", mcp, "/x/wwt", "f").text
    assert added.startswith("mcp_optional_startup_grace_ms = 10000")
    assert entries.remove_server(added, mcp, "", "f").text == ""
    own = "mcp_optional_startup_grace_ms = 100\n"
    both = entries.add_server(own, mcp, "/x/wwt", "f").text
    assert both.startswith(own)
    assert entries.remove_server(both, mcp, own, "f").text == own
