"""The server as hosts see it: both protocol eras, over a real pipe, driven by the SDK's own client."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
import jsonschema
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.shared.exceptions import MCPError
from mcp.types import CallToolResult, TextContent

from wwt_vault.ingest.excluded import exclusion_list
from wwt_vault.mcp_server.tools import INSTRUCTIONS, TOOLS
from wwt_vault.mcp_server.watching import Watch
from wwt_vault.vault import Vault

ERAS = ["legacy", "auto"]
READ_ONLY = {
    "wiki_get_context", "wiki_search", "wiki_read", "wiki_read_events", "wiki_related", "wiki_history",
    "wiki_uncurated", "wiki_status",
}  # fmt: skip

SAID = [
    {"role": "user", "text": "How do we log in to the servers?", "time": "2026-11-29T01:00:00Z"},
    {"role": "assistant", "text": "Decided: ssh with ed25519 keys only, no passwords.", "time": "2026-11-29T01:01:00Z"},
    {"role": "user", "text": "운영 데이터베이스 백업은 며칠 보관하지?", "time": "2026-11-29T01:02:00Z"},
    {"role": "assistant", "text": "백업은 14일 동안 보관하기로 했습니다.", "time": "2026-11-29T01:03:00Z"},
]


def server(root: Path | str) -> StdioServerParameters:
    """Return how a host starts the server."""
    env = {key: os.environ[key] for key in ("HOME", "USERPROFILE", "PATH") if key in os.environ}
    return StdioServerParameters(
        command=sys.executable, args=["-m", "wwt_vault", "serve", "--vault", str(root)], env=env
    )


def test_nothing_is_recorded_by_an_agent_in_an_excluded_folder(
    words_only: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The host starts the server where the agent works; what the person excluded there an agent cannot record."""
    (tmp_path / "secret").mkdir()
    Path(exclusion_list()).parent.mkdir(parents=True)
    Path(exclusion_list()).write_text(f"{tmp_path / 'secret'}\n", "utf-8")
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[1]))

    async def steps() -> None:
        place = server(words_only.root).model_copy(update={"cwd": str(tmp_path / "secret")})
        place.env = {**(place.env or {}), "PYTHONPATH": os.environ["PYTHONPATH"]}
        async with Client(place) as client:
            refused = await client.call_tool("wiki_record", {"host": "chat", "session_id": "s", "messages": SAID})
            assert refused.is_error
            assert "excluded from capture" in str(refused.content)

    anyio.run(steps)
    assert list((words_only.root / ".wwt" / "events").rglob("*.json")) == []


def drive(root: Path | str, steps: Callable[[Client], Awaitable[None]], mode: str = "auto") -> None:
    """Run ``steps`` against a fresh server."""

    async def run() -> None:
        async with Client(server(root), mode=mode) as client:
            await steps(client)

    anyio.run(run)


async def call(client: Client, tool: str, /, **arguments: Any) -> dict[str, Any]:
    """Call a tool that succeeds; return its structure, which is as the tool's schema says."""
    result = await client.call_tool(tool, arguments)

    assert isinstance(result, CallToolResult)
    assert not result.is_error, text_of(result)
    jsonschema.validate(result.structured_content, TOOLS[tool].output_schema())
    assert set(result.structured_content or ()) >= set(TOOLS[tool].result)
    return dict(result.structured_content or {})


async def refused(client: Client, tool: str, /, **arguments: Any) -> dict[str, Any]:
    """Call a tool that refuses; return what it says about that, which is in the tool's schema too.

    Clients on the TypeScript SDK (Claude Code, Gemini CLI) check errors as well and show an agent nothing of those that
    do not fit.
    """
    result = await client.call_tool(tool, arguments)

    assert isinstance(result, CallToolResult)
    assert result.is_error
    jsonschema.validate(result.structured_content, TOOLS[tool].output_schema())
    assert text_of(result).startswith(f"{(result.structured_content or {})['code']}: ")
    return dict(result.structured_content or {})


def text_of(result: Any) -> str:
    """Return the text of a result."""
    return "".join(part.text for part in result.content if isinstance(part, TextContent))


@pytest.mark.parametrize("mode", ERAS)
def test_a_conversation_goes_in_becomes_a_note_and_comes_back(words_only: Vault, mode: str) -> None:
    """The whole of what an agent does, in either protocol era."""

    async def steps(client: Client) -> None:
        kept = await call(client, "wiki_record", host="chat", session_id="s1", messages=SAID, project="shop")
        assert (len(kept["added"]), kept["known"]) == (4, 0)
        again = await call(client, "wiki_record", host="chat", session_id="s1", messages=SAID, project="shop")
        assert (again["added"], again["known"]) == ([], 4)

        waiting = await call(client, "wiki_uncurated")
        assert (waiting["total_sessions"], waiting["total_messages"]) == (1, 4)

        context = await call(client, "wiki_get_context", query="ssh login to the servers")
        assert context["found"]
        assert f"[^{kept['added'][1]}]" in context["text"]
        assert "ed25519" in context["text"]

        body = f"We log in by keys.\n\n## Facts\n- ssh with ed25519 keys only [^{kept['added'][1]}]\n"
        saved = await call(client, "wiki_save_note", note="SSH login", body=body, type="decision")
        assert saved["created"]
        read = await call(client, "wiki_read", note="SSH login")
        assert (read["id"], read["revision"]) == (saved["id"], saved["revision"])

        context = await call(client, "wiki_get_context", query="ssh login to the servers")
        assert "by mcp, unreviewed" in context["text"]  # what the SDK's client calls itself
        assert context["items"][0]["kind"] == "note"
        assert context["items"][0]["revision"] == saved["revision"]

        result = await client.call_tool("wiki_read", {"note": "SSH login", "evidence": True})
        claim = (result.structured_content or {})["claims"][0]  # type: ignore[union-attr]  # no round trips here
        assert (claim["text"], claim["supported"]) == ("- ssh with ed25519 keys only", True)
        assert claim["said"][0]["text"] == SAID[1]["text"]
        assert f"\n> {SAID[1]['text']}\n" in text_of(result)

        words = await call(client, "wiki_read_events", ids=[kept["added"][1]], around=1)
        assert [event["text"] for event in words["events"]] == [message["text"] for message in SAID[:3]]

        done = await call(client, "wiki_mark_curated", host="chat", session_id="s1")
        assert done["upto"] == kept["added"][-1]
        assert (await call(client, "wiki_uncurated"))["total_sessions"] == 0

        status = await call(client, "wiki_status")
        assert status["vault"] == str(words_only.root)
        assert status["index"]["fresh"]

    drive(words_only.root, steps, mode)


@pytest.mark.parametrize("mode", ERAS)
def test_korean_is_found_and_what_is_not_there_is_not(words_only: Vault, mode: str) -> None:
    """A question in Korean gets the words; one without an answer gets no record, not the nearest noise."""

    async def steps(client: Client) -> None:
        await call(client, "wiki_record", host="chat", session_id="s1", messages=SAID)
        found = await call(client, "wiki_search", query="백업 보관 기간이 며칠이야?")
        assert found["found"]
        assert "14일" in found["hits"][0]["text"]
        nothing = await client.call_tool("wiki_get_context", {"query": "Kubernetes ingress controller vendor"})
        assert text_of(nothing).startswith("no record found")
        assert not (nothing.structured_content or {})["found"]  # type: ignore[union-attr]  # no round trips here
        question = {"query": "Kubernetes ingress controller 보관"}
        assert not (await call(client, "wiki_search", **question))["hits"]
        nearest = await client.call_tool("wiki_search", {**question, "nearest": True})
        assert text_of(nearest).startswith("no record found; these only come nearest")
        assert "14일" in text_of(nearest)
        assert not (nearest.structured_content or {})["found"]  # type: ignore[union-attr]  # as above

    drive(words_only.root, steps, mode)


@pytest.mark.parametrize("mode", ERAS)
def test_every_tool_is_fully_described(words_only: Vault, mode: str) -> None:
    """All four annotations, input and output schema, title; always in the same order."""

    async def steps(client: Client) -> None:
        tools = (await client.list_tools()).tools
        assert [tool.name for tool in tools] == list(TOOLS)
        for tool in tools:
            hints = tool.annotations
            assert hints is not None
            assert None not in (
                hints.read_only_hint,
                hints.destructive_hint,
                hints.idempotent_hint,
                hints.open_world_hint,
            )
            assert hints.read_only_hint == (tool.name in READ_ONLY)
            assert tool.title
            assert tool.output_schema
            assert tool.input_schema["type"] == "object"
        assert client.instructions == INSTRUCTIONS

    drive(words_only.root, steps, mode)


def test_all_tools_together_cost_less_than_twelve_thousand_characters(words_only: Vault) -> None:
    """Every conversation pays for them."""

    async def steps(client: Client) -> None:
        tools = (await client.list_tools()).tools
        listed = json.dumps([tool.model_dump(by_alias=True, mode="json", exclude_none=True) for tool in tools])
        assert len(listed) + len(INSTRUCTIONS) < 12_000

    drive(words_only.root, steps)


def test_a_stale_save_is_refused_with_what_is_needed_to_go_on(words_only: Vault) -> None:
    """Code, path, id, the current revision and a diff; nothing is written."""

    async def steps(client: Client) -> None:
        kept = await call(client, "wiki_record", host="chat", session_id="s1", messages=SAID)
        body = f"## Facts\n- keys only [^{kept['added'][1]}]\n"
        first = await call(client, "wiki_save_note", note="SSH", body=body, type="decision")
        again = await refused(client, "wiki_save_note", note="SSH", body=body, type="decision")
        assert (again["code"], again["revision"]) == ("note_exists", first["revision"])
        second = await call(client, "wiki_save_note", note="SSH", body=body + "- more [^" + kept["added"][0] + "]\n",
                            revision=first["revision"])  # fmt: skip
        stale = await refused(client, "wiki_save_note", note="SSH", body=body, revision=first["revision"])
        assert stale["code"] == "stale_revision"
        assert (stale["path"], stale["id"], stale["revision"]) == (second["path"], second["id"], second["revision"])
        assert "more" in stale["diff"]

    drive(words_only.root, steps)


def test_claims_without_evidence_are_refused(words_only: Vault) -> None:
    """No citation, a citation of nothing, a bare bullet under Facts: each with its own code."""

    async def steps(client: Client) -> None:
        kept = await call(client, "wiki_record", host="chat", session_id="s1", messages=SAID)
        cited = f"[^{kept['added'][1]}]"
        for body, code in (
            ("Just believe me.\n", "no_evidence"),
            ("## Facts\n- so [^20200101T000000Z-000000000000]\n", "unknown_event"),
            (f"Said {cited}.\n\n## Facts\n- and also this\n", "uncited_fact"),
        ):
            assert (await refused(client, "wiki_save_note", note="X", body=body, type="topic"))["code"] == code
        assert (await refused(client, "wiki_read", note="X"))["code"] == "not_found"

    drive(words_only.root, steps)


def test_sections_can_be_saved_alone(words_only: Vault) -> None:
    """The rest of the note stays as it is; a heading that is not there is refused."""

    async def steps(client: Client) -> None:
        kept = await call(client, "wiki_record", host="chat", session_id="s1", messages=SAID)
        cite = f"[^{kept['added'][1]}]"
        body = f"Now: keys.\n\n## Facts\n- keys only {cite}\n\n## Open questions\n- none\n"
        saved = await call(client, "wiki_save_note", note="SSH", body=body, type="topic")
        part = await call(client, "wiki_save_note", note="SSH", revision=saved["revision"],
                          sections={"Open questions": "- rotation?"})  # fmt: skip
        text = (await call(client, "wiki_read", note="SSH"))["text"]
        assert "- rotation?" in text
        assert "- none" not in text
        assert f"- keys only {cite}" in text
        wrong = await refused(client, "wiki_save_note", note="SSH", revision=part["revision"], sections={"Nope": "x"})
        assert wrong["code"] == "not_found"

    drive(words_only.root, steps)


BAD_CALLS: list[tuple[str, dict[str, Any], str]] = [
    ("wiki_get_context", {"query": "x", "budget_tokens": 1}, "bad_argument"),
    ("wiki_get_context", {"query": "x", "as_of": "yesterday"}, "bad_argument"),
    ("wiki_get_context", {}, "bad_argument"),
    ("wiki_search", {"query": "x", "limit": 0}, "bad_argument"),
    ("wiki_search", {"query": "x", "rephrased": "the same again"}, "bad_argument"),
    ("wiki_get_context", {"query": "x", "rephrased": [5]}, "bad_argument"),
    ("wiki_search", {"query": "x", "limit": "many"}, "bad_argument"),
    ("wiki_search", {"query": "x", "layer": "attic"}, "bad_argument"),
    ("wiki_search", {"query": "x", "projct": "shop"}, "bad_argument"),
    ("wiki_read", {"note": "../../etc/passwd"}, "path_escapes"),
    ("wiki_read", {"note": "/etc/passwd.md"}, "path_escapes"),
    ("wiki_read", {"note": ".wwt/config.toml"}, "path_escapes"),
    ("wiki_read", {"note": "no such note"}, "not_found"),
    ("wiki_read_events", {"ids": ["20200101T000000Z-000000000000"]}, "not_found"),
    ("wiki_read_events", {"ids": ["../x"]}, "not_found"),
    ("wiki_save_note", {"note": "x"}, "bad_argument"),
    ("wiki_record", {"host": "h", "session_id": "s", "messages": [{"role": "tool", "text": "x"}]}, "bad_argument"),
    ("wiki_record", {"host": "h", "session_id": "s", "messages": [{"role": "user", "text": "x", "time": "noon"}]},
     "bad_argument"),
    ("wiki_mark_curated", {"host": "h", "session_id": "nobody"}, "not_found"),
]  # fmt: skip


def test_bad_calls_are_answered_and_say_what_would_do(words_only: Vault) -> None:
    """Each with a code and a sentence; the server goes on."""

    async def steps(client: Client) -> None:
        for tool, arguments, code in BAD_CALLS:
            error = await refused(client, tool, **arguments)
            assert error["code"] == code, (tool, arguments, error)
            assert len(error["message"]) > 10
        with pytest.raises(MCPError, match="Unknown tool"):
            await client.call_tool("wiki_delete_everything", {})
        assert (await call(client, "wiki_status"))["vault"] == str(words_only.root)

    drive(words_only.root, steps)


def test_a_missing_vault_is_an_answer_not_a_crash(tmp_path: Path) -> None:
    """The server starts, lists its tools, and says what to do; once there is a vault it works."""

    async def steps(client: Client) -> None:
        assert len((await client.list_tools()).tools) == len(TOOLS)
        error = await refused(client, "wiki_status")
        assert error["code"] == "vault_missing"
        assert "wwt init" in error["message"]

    drive(tmp_path / "nothing", steps)


def test_nothing_is_written_where_the_vault_was(words_only: Vault) -> None:
    """Unmounted or moved while the server runs: words written in its place would be hidden when it comes back."""
    away = words_only.root.with_name("moved")

    async def steps(client: Client) -> None:
        await call(client, "wiki_record", host="chat", session_id="s1", messages=SAID)
        words_only.root.rename(away)
        words_only.root.mkdir()
        for tool, arguments in {
            "wiki_record": {"host": "chat", "session_id": "s1", "messages": [{"role": "user", "text": "lost?"}]},
            "wiki_mark_curated": {"host": "chat", "session_id": "s1"},
            "wiki_search": {"query": "servers"},
        }.items():
            assert (await refused(client, tool, **arguments))["code"] == "vault_missing"
        assert list(words_only.root.iterdir()) == []
        words_only.root.rmdir()
        away.rename(words_only.root)
        assert (await call(client, "wiki_search", query="servers"))["found"]

    drive(words_only.root, steps)


def test_an_edit_by_hand_is_seen_by_the_next_call(words_only: Vault) -> None:
    """Added, changed, deleted: nobody has to ask for an index."""

    async def steps(client: Client) -> None:
        async def found(query: str) -> bool:
            return bool((await call(client, "wiki_search", query=query))["found"])

        note = words_only.root / "30_Knowledge" / "Printer.md"
        assert not await found("zebra printer")
        note.write_text("# Printer\n\nThe zebra printer stands in room 12.\n", "utf-8")
        assert await found("zebra printer")
        note.write_text("# Printer\n\nThe walrus printer stands in room 12.\n", "utf-8")
        assert await found("walrus")
        assert not await found("zebra")
        note.unlink()
        assert not await found("walrus")

    drive(words_only.root, steps)


def test_a_turn_is_found_by_its_words_in_the_call_after_it(words_only: Vault) -> None:
    """A host's hooks write the prompt and the answer; the server that runs beside them knows both at once."""
    session = {"session_id": "5f0a-1", "cwd": "/src/shop", "transcript_path": "/nowhere"}
    turns = (
        ("Which queue do we take for the mail?", "We take kestrelmq: it keeps the order of jobs.", "kestrelmq"),
        ("정산 배치는 언제 돌리지?", "정산 배치는 새벽 네 시에 돌리기로 했습니다.", "정산 배치는 언제 돌리기로 했지?"),
    )

    async def steps(client: Client) -> None:
        assert not (await call(client, "wiki_search", query="kestrelmq"))["found"]
        for prompt, answer, question in turns:
            for payload in (
                {"hook_event_name": "UserPromptSubmit", "prompt": prompt},
                {"hook_event_name": "Stop", "last_assistant_message": answer},
            ):
                command = [sys.executable, "-m", "wwt_vault.hook", "claude-code"]
                await anyio.run_process(command, input=json.dumps({**session, **payload}).encode())
            found = await call(client, "wiki_search", query=question)
            assert answer in found["hits"][0]["text"]

    drive(words_only.root, steps)


@pytest.mark.parametrize("mode", ERAS)
def test_notes_are_resources(words_only: Vault, mode: str) -> None:
    """Listed, readable by path, Korean names included; nothing outside of the vault's notes is."""

    async def steps(client: Client) -> None:
        kept = await call(client, "wiki_record", host="chat", session_id="s1", messages=SAID)
        body = f"백업은 14일 [^{kept['added'][3]}]\n"
        saved = await call(client, "wiki_save_note", note="백업 정책", body=body, type="decision")
        listed = (await client.list_resources()).resources
        assert saved["path"] in [resource.name for resource in listed]
        uri = next(resource.uri for resource in listed if resource.name == saved["path"])
        (content,) = (await client.read_resource(uri)).contents  # type: ignore[union-attr]  # no round trips here
        assert "백업은 14일" in content.text  # type: ignore[union-attr]  # notes are text
        for bad in ("vault:///../../etc/passwd", "vault:///%2e%2e/%2e%2e/etc/passwd", "vault:///.wwt/vault.json",
                    "vault:////etc/passwd", "vault:///nothing.md"):  # fmt: skip
            with pytest.raises(MCPError):
                await client.read_resource(bad)

    drive(words_only.root, steps, mode)


def test_the_prompt_says_how_to_curate(words_only: Vault) -> None:
    """It names the tools and the session."""

    async def steps(client: Client) -> None:
        assert [prompt.name for prompt in (await client.list_prompts()).prompts] == ["curate"]
        result = await client.get_prompt("curate", {"host": "codex", "session_id": "abc"})
        text = result.messages[0].content.text  # type: ignore[union-attr]  # a text
        assert "session abc of codex" in text
        assert "wiki_mark_curated" in text

    drive(words_only.root, steps)


def test_a_long_note_is_cut_and_its_sections_named(words_only: Vault) -> None:
    """The answer stays bounded, and says how to get the rest."""
    (words_only.root / "30_Knowledge" / "Long.md").write_text(
        "# Long\n\n" + "\n\n".join(f"## Part {number}\n\n" + "word " * 2000 for number in range(10)), "utf-8"
    )

    async def steps(client: Client) -> None:
        result = await client.call_tool("wiki_read", {"note": "Long"})
        assert len(text_of(result)) < 45_000
        found = result.structured_content or {}  # type: ignore[union-attr]  # no round trips here
        assert found["truncated"]
        assert "Long > Part 7" in found["sections"]
        part = await call(client, "wiki_read", note="Long", section="Part 7")
        assert not part["truncated"]

    drive(words_only.root, steps)


def raw_server(root: Path, extra: str = "") -> subprocess.Popen[bytes]:
    """Start the server with nothing between it and the test; ``extra`` is code that runs before it."""
    code = f"{extra}\nfrom wwt_vault.mcp_server import serve\nserve({str(root)!r})"
    return subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )


def exchange(process: subprocess.Popen[bytes], **message: Any) -> dict[str, Any]:
    """Send one JSON-RPC request and return the answer."""
    assert process.stdin
    assert process.stdout
    process.stdin.write(json.dumps({"jsonrpc": "2.0", "id": 1, **message}).encode() + b"\n")
    process.stdin.flush()
    return dict(json.loads(process.stdout.readline()))


HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}


def test_noise_on_stdout_does_not_break_the_protocol(words_only: Vault, tmp_path: Path) -> None:
    """A library that prints, from Python or past it, reaches stderr; stdout carries messages alone."""
    serving = tmp_path / "serving"
    noisy = (
        "import os, threading, time\n"
        "def shout():\n"
        f"    while not os.path.exists({str(serving)!r}): time.sleep(0.01)\n"
        "    while True:\n"
        "        os.write(1, b'native noise\\n'); print('python noise', flush=True); time.sleep(0.01)\n"
        "threading.Thread(target=shout, daemon=True).start()"
    )
    process = raw_server(words_only.root, noisy)
    try:
        assert exchange(process, method="initialize", params=HELLO)["result"]["serverInfo"]["name"] == "wwt"
        serving.touch()
        time.sleep(1)
        for _ in range(5):
            answer = exchange(process, method="tools/call", params={"name": "wiki_status", "arguments": {}})
            assert answer["result"]["structuredContent"]["vault"] == str(words_only.root)
    finally:
        _, err = process.communicate(timeout=60)
    assert b"native noise" in err


def test_it_ends_when_stdin_closes(words_only: Vault) -> None:
    """Also in the middle of its work, and within seconds."""
    process = raw_server(words_only.root)
    exchange(process, method="initialize", params=HELLO)
    exchange(process, method="tools/call", params={"name": "wiki_search", "arguments": {"query": "x"}})
    process.communicate(timeout=60)

    assert process.returncode == 0


@pytest.mark.skipif(sys.platform == "win32", reason="a Windows process keeps the number of a parent that is gone")
def test_it_ends_when_its_parent_dies_though_the_pipe_stays_open(words_only: Vault) -> None:
    """Another process may hold the other end of stdin; the server must not outlive its host all the same."""
    code = (
        "import subprocess, sys, time\n"
        "serve = 'import sys; from wwt_vault.mcp_server import serve; serve(sys.argv[1])'\n"
        "child = subprocess.Popen([sys.executable, '-c', serve, sys.argv[1]], stdout=subprocess.DEVNULL)\n"
        "print(child.pid, flush=True); time.sleep(60)"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", code, str(words_only.root)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert parent.stdout
    child = int(parent.stdout.readline())
    time.sleep(2)
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    for _ in range(300):
        state = Path(f"/proc/{child}/stat")
        if not state.exists() or state.read_text().split()[2] == "Z":
            break
        time.sleep(0.1)
    else:
        os.kill(child, signal.SIGKILL)
        pytest.fail("the server outlived its parent")
    assert parent.stdin
    parent.stdin.close()


def test_a_change_is_never_overlooked(tmp_path: Path) -> None:
    """However soon after it somebody asks; and without notifications everything may have changed."""
    woken = threading.Event()
    root, own = tmp_path / "vault", tmp_path / "watching"
    (root / "watching").mkdir(parents=True)  # a folder of the person's may have any name
    watch = Watch(root, own, woken.set)
    time.sleep(2)
    watch.changes()
    for number in range(300):
        note = root / ("watching" if number % 2 else "") / "note.md"
        note.write_text(str(number), "utf-8")
        changes = watch.changes()
        assert changes is None or str(note) in changes
    time.sleep(1)
    watch.changes()
    assert [watch.changes() for _ in range(20)].count(frozenset()) > 10
    assert woken.is_set()
    root.rename(tmp_path / "elsewhere")
    root.mkdir()
    assert watch.changes() is None
    watch.close()
    time.sleep(1)
    assert watch.changes() is None

    nowhere = Watch(tmp_path / "missing", own, woken.set)
    time.sleep(1)
    assert nowhere.changes() is None
    assert nowhere.changes() is None


def test_parts_of_a_note_are_replaced_added_to_and_told_in_its_history(words_only: Vault) -> None:
    """Each with the revision that was read; the rest stays. A heading that fits two is refused, and nothing written."""

    async def steps(client: Client) -> None:
        kept = await call(client, "wiki_record", host="chat", session_id="s1", messages=SAID)
        cite = f"[^{kept['added'][1]}]"
        body = f"Keys. {cite}\n\n## Facts\n\n- keys only {cite}\n\n## Why\n\nx\n\n## Then\n\n### Why\n\ny\n"
        saved = await call(client, "wiki_save_note", note="SSH", body=body, type="topic")
        changed = await call(
            client, "wiki_save_note", note="SSH", revision=saved["revision"],
            sections={"Then > Why": "z"}, append={"facts": f"- no passwords {cite}"},
            history=f"passwords are out {cite}", reason="asked for",
        )  # fmt: skip
        text = (await call(client, "wiki_read", note="SSH"))["text"]
        assert f"- keys only {cite}\n- no passwords {cite}\n" in text
        assert "### Why\n\nz\n" in text
        assert "## Why\n\nx\n" in text
        assert re.search(rf"## History\n\n- \d{{4}}-\d\d-\d\d: passwords are out {re.escape(cite)}\n", text)

        for part in ({"sections": {"why": "w"}}, {"append": {"Why": "w"}}):
            error = await refused(client, "wiki_save_note", note="SSH", revision=changed["revision"], **part)
            assert error["code"] == "ambiguous"
            assert len(error["candidates"]) == 2
        error = await refused(
            client, "wiki_save_note", note="SSH", revision=saved["revision"], append={"Facts": f"- late {cite}"}
        )
        assert (error["code"], error["revision"]) == ("stale_revision", changed["revision"])
        error = await refused(client, "wiki_save_note", note="New", append={"Facts": f"- x {cite}"})
        assert error["code"] == "bad_argument"
        assert (await call(client, "wiki_read", note="SSH"))["text"] == text

    drive(words_only.root, steps)


def test_an_agent_is_told_what_a_person_changed_under_its_hands(words_only: Vault) -> None:
    """Their lines are kept, what they took out stays out, and the same line changed by both is refused with both."""

    async def steps(client: Client) -> None:
        kept = await call(client, "wiki_record", host="chat", session_id="s1", messages=SAID)
        cite = f"[^{kept['added'][1]}]"
        body = f"Keys. {cite}\n\n## Facts\n\n- keys only {cite}\n- no passwords {cite}\n- rotated yearly {cite}\n"
        saved = await call(client, "wiki_save_note", note="SSH", body=body, type="topic")
        path = words_only.root / saved["path"]
        by_hand = path.read_text("utf-8").replace(f"- no passwords {cite}\n", "- mine\n").replace("Keys.", "Our keys.")
        path.write_text(by_hand, "utf-8")
        read = await call(client, "wiki_read", note="SSH")
        again = body.replace("rotated yearly", "rotated monthly")
        error = await refused(
            client, "wiki_save_note", note="SSH", body=again.replace("Keys.", "Their keys."), revision=read["revision"]
        )
        assert error["code"] == "human_conflict"
        assert error["conflicts"][0]["person"]["lines"] == [f"Our keys. {cite}"]
        assert error["conflicts"][0]["proposed"]["lines"] == [f"Their keys. {cite}"]
        assert path.read_text("utf-8") == by_hand

        merged = await call(client, "wiki_save_note", note="SSH", body=again, revision=read["revision"])
        assert (merged["kept"], merged["left_out"]) == (
            [f"Our keys. {cite}", "- mine"], [f"Keys. {cite}", f"- no passwords {cite}"],
        )  # fmt: skip

    drive(words_only.root, steps)


def test_every_revision_of_a_note_can_be_seen(words_only: Vault) -> None:
    """Newest first with writer and reason, compared, and as of a day; a person's edit among them."""

    async def steps(client: Client) -> None:
        kept = await call(client, "wiki_record", host="chat", session_id="s1", messages=SAID)
        cite = f"[^{kept['added'][1]}]"
        first = await call(client, "wiki_save_note", note="SSH", body=f"one {cite}\n", type="topic", reason="asked")
        path = words_only.root / first["path"]
        path.write_text(path.read_text("utf-8").replace("one ", "a person's one "), "utf-8")
        read = await call(client, "wiki_read", note="SSH")
        body = f"a person's one {cite}\n\ntwo {cite}\n"
        last = await call(client, "wiki_save_note", note="SSH", body=body, revision=read["revision"])
        found = await call(client, "wiki_history", note="SSH")
        assert [entry["revision"] for entry in found["revisions"]] == [
            last["revision"], read["revision"], first["revision"],
        ]  # fmt: skip
        assert [entry["written_by"] for entry in found["revisions"]] == ["mcp", None, "mcp"]
        assert found["revisions"][2]["reason"] == "asked"

        result = await client.call_tool("wiki_history", {"note": "SSH", "old": first["revision"][:12]})
        assert "\n> +a person's one" in text_of(result)
        assert "\n> -one" in text_of(result)
        today = found["revisions"][0]["time"][:10]
        then = await call(client, "wiki_history", note="SSH", as_of=today)
        assert then["then"]["revision"] == last["revision"]
        assert (await refused(client, "wiki_history", note="SSH", as_of="2001-01-01"))["code"] == "not_found"
        assert (await refused(client, "wiki_history", note="SSH", old="0" * 12))["code"] == "not_found"

    drive(words_only.root, steps)


def test_relations_are_walked_in_both_directions(words_only: Vault) -> None:
    """To depth 3, by kind, nearest first; a relation to a note that is not there is refused, and nothing written."""

    async def steps(client: Client) -> None:
        kept = await call(client, "wiki_record", host="chat", session_id="s1", messages=SAID)
        cite = f"[^{kept['added'][1]}]"

        async def save(note: str, **relations: list[str]) -> dict[str, Any]:
            return await call(
                client, "wiki_save_note", note=note, body=f"{note} {cite}\n", type="decision", relations=relations
            )

        await save("Threat model")
        await save("SSH keys", derived_from=["Threat model"])
        await save("접속 방법", depends_on=["SSH keys"])
        await save("Bastion", part_of=["접속 방법"], contradicts=["Threat model"])
        found = await call(client, "wiki_related", note="SSH keys", depth=3)
        assert [(one["title"], one["kind"], one["direction"], one["depth"]) for one in found["related"]] == [
            ("접속 방법", "depends_on", "in", 1), ("Threat model", "derived_from", "out", 1),
            ("Bastion", "contradicts", "out", 2),
        ]  # fmt: skip
        few = await call(client, "wiki_related", note="SSH keys", depth=2, kinds=["depends_on", "part_of"])
        assert [one["title"] for one in few["related"]] == ["접속 방법", "Bastion"]
        alone = await call(client, "wiki_related", note="SSH keys", kinds=["similar_to"])
        assert alone["related"] == []

        for wrong in ({"depth": 4}, {"depth": 0}, {"kinds": ["likes"]}):
            assert (await refused(client, "wiki_related", note="SSH keys", **wrong))["code"] == "bad_argument"
        assert (await refused(client, "wiki_related", note="No such"))["code"] == "not_found"
        error = await refused(
            client, "wiki_save_note", note="X", body=f"x {cite}\n", type="topic", relations={"part_of": ["No such"]}
        )
        assert (error["code"], error["relation"]) == ("not_found", "part_of")
        assert (await refused(client, "wiki_read", note="X"))["code"] == "not_found"

    drive(words_only.root, steps)


def test_the_text_of_a_web_page_becomes_a_source(words_only: Vault) -> None:
    """With its address, unverified; a fact cites it beside an event and shows who checked it. It is nobody's words."""

    async def steps(client: Client) -> None:
        kept = await call(client, "wiki_record", host="chat", session_id="s1", messages=SAID)
        page = {"note": "Key handbook", "type": "source", "body": "Ed25519 is fine.\n", "origin": "https://example.org"}
        source = await call(client, "wiki_save_note", **page)
        assert (source["created"], source["verification"]) == (True, "unverified")
        assert "author: mcp" not in (await call(client, "wiki_read", note="Key handbook"))["text"]
        body = f"## Facts\n\n- fine {source['citation']} [^{kept['added'][1]}]\n"
        note = await call(client, "wiki_save_note", note="Keys", body=body, type="topic")
        done = await call(client, "wiki_save_note", note="Key handbook", verification="checked")
        assert (done["verified_by"], done["also_changed"]) == ("mcp", [note["path"]])
        assert "checked by mcp" in (await call(client, "wiki_read", note="Keys"))["text"]

        changed = {**page, "body": "Ed25519 is not fine.\n"}
        assert (await refused(client, "wiki_save_note", **changed))["code"] == "note_exists"
        newer = await call(client, "wiki_save_note", **changed, revision=done["revision"])
        assert newer["verification"] == "unverified"
        for wrong in (
            {"origin": "https://example.org", "type": "topic", "body": "x"},
            {"type": "source", "body": "x"},
            {"type": "source", "origin": "https://example.org"},
            {"type": "source", "body": "x", "origin": "https://example.org", "history": "y"},
            {"verification": "checked", "body": "x"},
            {"verification": "fine"},
        ):
            assert (await refused(client, "wiki_save_note", note="Key handbook", **wrong))["code"] == "bad_argument"

    drive(words_only.root, steps)
