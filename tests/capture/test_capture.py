"""The package as others see it: who sent this, who wrote that, where transcripts lie."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
import zipfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import zstandard
from hypothesis import example, given
from hypothesis import strategies as st

import wwt_vault
from wwt_vault.capture import HOSTS, find_transcripts, host_folder, parse_hook, read_transcript, recognise
from wwt_vault.errors import BadArgument, TranscriptError
from wwt_vault.fence import fence
from wwt_vault.model.conversation import HookCall, Message

HOOKED = [name for name, spec in HOSTS.items() if spec.own_events]
NOW = datetime(2026, 11, 30, 2, 0, tzinfo=UTC)
DEMO = Path(wwt_vault.__file__).parent / "demo_data"


def said(path: Path, host: str | None = None) -> list[tuple[str, str]]:
    """Return who said what."""
    return [(item.role, item.text) for item in read_transcript(path, host) if isinstance(item, Message)]


# -- recognising ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", sorted(DEMO.glob("*/*.jsonl")), ids=lambda path: path.name[:40])
def test_a_transcript_is_recognised_by_its_content(path: Path, tmp_path: Path) -> None:
    """Whatever it is named, with a byte order mark, compressed, or cut."""
    data = path.read_bytes()
    for number, content in enumerate((data, b"\xef\xbb\xbf" + data, data[: len(data) // 2], zstandard.compress(data))):
        copy = tmp_path / f"{number}.txt"
        copy.write_bytes(content)
        assert recognise(copy) == path.parent.name


@example(b"\x28\xb5\x2f\xfd")
@given(st.binary(max_size=400))
def test_no_file_is_too_odd_to_be_none_of_ours(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    """Anything is a file that somebody may point to; one that begins as compressed and is not is told as damaged."""
    path = tmp_path_factory.mktemp("odd") / "file"
    path.write_bytes(data)
    try:
        assert recognise(path) is None
    except OSError:
        assert data.startswith(b"\x28\xb5\x2f\xfd")


def test_files_of_other_kinds_are_none_of_ours(tmp_path: Path) -> None:
    """Empty files, JSON of all shapes, archives, databases."""
    texts = [
        "", "\n\n", "{", "{}", "[]", "null", '{"type": "user"}', '{"type": "user", "content": "x"}', '{"type": []}',
        '[{"mapping": {}, "title": "x"}]', '{"role": "user"}', '{"role": "critic", "text": "x"}', "# Notes\n\ntext",
        '{"sessionId": "x", "display": "y", "project": "/p"}', '{"session_id": "x", "ts": 1}', "---\ntype: note\n---\n",
        '[{"conversation_id": "x", "title": "y"}]', '[{"uuid": "x", "full_name": "y", "email_address": "z"}]',
    ]  # fmt: skip
    for number, text in enumerate(texts):
        (tmp_path / f"{number}").write_text(text, "utf-8")
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("conversations.json", "[]")
    with sqlite3.connect(tmp_path / "a.db") as database:
        database.execute("create table t (a)")
    assert {path.name: recognise(path) for path in tmp_path.iterdir()} == dict.fromkeys(
        path.name for path in tmp_path.iterdir()
    )


def test_a_first_line_of_megabytes_is_no_hindrance(tmp_path: Path) -> None:
    """A session may begin with a picture; a binary without lines is not read to its end for that."""
    path = tmp_path / "s.jsonl"
    picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "QUJD" * 800_000}}
    path.write_text(
        json.dumps({"type": "user", "sessionId": "s", "uuid": "u", "message": {"content": [picture]}}) + "\n"
    )
    assert recognise(path) == "claude-code"
    with (tmp_path / "hole").open("wb") as file:
        file.truncate(1 << 40)
    assert recognise(tmp_path / "hole") is None


def test_a_file_that_no_reader_understands_is_an_error_that_names_it(tmp_path: Path) -> None:
    """Unless the caller knows whose it is."""
    path = tmp_path / "notes.md"
    path.write_text("# Notes", "utf-8")
    with pytest.raises(TranscriptError, match=r"notes\.md is not a transcript of claude-code, codex, gemini"):
        read_transcript(path)
    with pytest.raises(FileNotFoundError):
        list(read_transcript(tmp_path / "none.jsonl", "claude-code"))
    assert said(path, "claude-code") == []


# -- payloads -------------------------------------------------------------------------------------------------------


def parse(host: str, **payload: Any) -> HookCall:
    """Parse a payload that a host registered as ``host`` sends."""
    return parse_hook(host, json.dumps(payload).encode(), NOW)


CLAUDE = {
    "session_id": "s",
    "transcript_path": "/u/.claude/projects/-p/s.jsonl",
    "hook_event_name": "UserPromptSubmit",
    "prompt": "x",
    "prompt_id": "p",
}
CODEX = {
    "session_id": "s",
    "transcript_path": "/u/.codex/sessions/2026/11/30/rollout-x.jsonl",
    "hook_event_name": "UserPromptSubmit",
    "prompt": "x",
    "turn_id": "t",
}
GEMINI = {
    "session_id": "s",
    "transcript_path": "/u/.gemini/tmp/p/chats/session-x.jsonl",
    "hook_event_name": "BeforeAgent",
    "prompt": "x",
    "timestamp": "2026-11-30T01:59:00Z",
}
NOTIFY = {"type": "agent-turn-complete", "thread-id": "s", "turn-id": "t", "last-assistant-message": "x"}


@pytest.mark.parametrize("registered", HOOKED)
@pytest.mark.parametrize(
    ("payload", "host"), [(CLAUDE, "claude-code"), (CODEX, "codex"), (GEMINI, "gemini"), (NOTIFY, "codex")]
)
def test_a_payload_says_itself_who_sent_it(registered: str, payload: dict[str, Any], host: str) -> None:
    """`gemini hooks migrate --from-claude` leaves our command as it was registered for Claude Code."""
    call = parse(registered, **payload)
    assert call.session.host == host
    assert call.message is not None and call.message.text == "x" and call.message.session.host == host


@pytest.mark.parametrize("registered", HOOKED)
def test_a_payload_that_does_not_say_is_the_registered_hosts(registered: str) -> None:
    """A session's start has nothing of its own but where the transcript lies, and not even that always."""
    assert parse(registered, session_id="s", hook_event_name="SessionStart").session.host == registered
    windows = r"C:\Users\u\.gemini\tmp\p\chats\session-x.jsonl"
    assert parse(registered, hook_event_name="SessionStart", transcript_path=windows).session.host == "gemini"


def test_an_unknown_host_is_an_error_that_names_the_known() -> None:
    """Unless the payload tells."""
    with pytest.raises(BadArgument, match="claude-code, codex, gemini"):
        parse("emacs", session_id="s", hook_event_name="SessionStart")
    assert parse("emacs", **GEMINI).session.host == "gemini"


@pytest.mark.parametrize(
    ("payload", "reason"),
    [
        (b"", "the payload is empty"),
        (b" \n", "the payload is empty"),
        (b"hello", "the payload is not JSON"),
        (b'{"session_id": "s"', "the payload is not JSON"),
        (b"[" * 200_000, "the payload is not JSON"),
        (b'{"a": ' + b"9" * 5000 + b"}", "the payload is not JSON"),
        (b"[]", "not an object: list"),
        (b"null", "not an object: NoneType"),
        (b" " * (32 << 20), "33,554,432 bytes"),
    ],
    ids=["empty", "blank", "text", "cut", "deep", "digits", "list", "null", "huge"],
)
def test_a_payload_that_is_no_object_is_an_error_that_says_why(payload: bytes, reason: str) -> None:
    """And never repeats its words: they may be anything."""
    with pytest.raises(TranscriptError, match=reason) as caught:
        parse_hook("claude-code", payload, NOW)
    assert "hello" not in str(caught.value)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)
EVENTS = ["SessionStart", "UserPromptSubmit", "Stop", "BeforeAgent", "AfterAgent", "SessionEnd", "StopFailure"]
FIELDS = ["session_id", "cwd", "transcript_path", "prompt", "last_assistant_message", "prompt_response", "turn_id"]
FIELDS += ["prompt_id", "agent_id", "source", "timestamp", "model", "type"]


@given(
    st.sampled_from(HOOKED),
    st.fixed_dictionaries({"hook_event_name": st.sampled_from(EVENTS) | JSON}, optional=dict.fromkeys(FIELDS, JSON)),
)
def test_no_payload_is_too_odd(host: str, payload: dict[str, Any]) -> None:
    """Missing fields, null, and anything where text is expected: a call comes back, with words or without."""
    call = parse(host, **payload)
    assert isinstance(call.session.session_id, str) and call.kind in ("start", "prompt", "answer", "end", "other")
    assert call.message is None or call.message.text.strip()


@pytest.mark.parametrize("payload", [CLAUDE, CODEX, GEMINI], ids=["claude", "codex", "gemini"])
@pytest.mark.parametrize("escaped", [False, True])
def test_what_we_injected_is_not_recorded_by_a_hook(payload: dict[str, Any], escaped: bool) -> None:
    """A host may put our context into the prompt that it sends back to us."""
    told = fence("we chose PostgreSQL", "session-start")
    told = told.replace("<", "&lt;").replace(">", "&gt;") if escaped else told
    message = parse("claude-code", **{**payload, "prompt": f"{told}\n\n어떤 DB로?"}).message
    assert message is not None and message.text == "어떤 DB로?"
    assert parse("claude-code", **{**payload, "prompt": told}).message is None


def test_secrets_do_not_leave_this_package() -> None:
    """What a hook brings and what a transcript says is redacted, with the count beside it."""
    secret = "AKIAQ3EGRZ7YBN2W5LHD"
    message = parse("claude-code", **{**CLAUDE, "prompt": f"the key is {secret}"}).message
    assert message is not None
    assert secret not in message.text and sum(redaction.occurrences for redaction in message.redactions) == 1


def test_a_hook_of_one_host_imports_no_other() -> None:
    """Every prompt waits for it."""
    code = (
        "import sys; from datetime import UTC, datetime; from wwt_vault.capture import parse_hook\n"
        'parse_hook(\'codex\', b\'{"hook_event_name": "Stop", "turn_id": "t"}\', datetime.now(UTC))\n'
        "print(*(name for name in sys.modules if name.startswith('wwt_vault.capture.')))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = {name.rpartition(".")[2] for name in run.stdout.split()}

    assert "codex" in loaded
    assert not {"claude_code", "gemini", "redact"} & loaded


# -- the table of hosts ---------------------------------------------------------------------------------------------


def test_every_host_has_a_module_that_does_its_part() -> None:
    """A row that names one without is found here, not by a user."""
    for name, spec in HOSTS.items():
        module = __import__(f"wwt_vault.capture.{spec.module}", fromlist=["read"])
        assert name == module.HOST
        assert all(callable(getattr(module, part)) for part in ("read", "wrote"))
        assert hasattr(module, "parse_hook") == (name in HOOKED)


def test_transcripts_are_found_where_hosts_keep_them(tmp_path: Path) -> None:
    """Archived and compressed ones too; subagents' and other files are left where they are."""
    wanted = {
        "claude-code": ["history.jsonl", "projects/-src-shop/11111111-2222-4333-8444-555555555555.jsonl"],
        "codex": [
            "archived_sessions/rollout-2026-11-28T10-00-00-c.jsonl",
            "history.jsonl",
            "sessions/2026/11/29/rollout-2026-11-29T10-00-00-b.jsonl.zst",
            "sessions/2026/11/30/rollout-2026-11-30T10-00-00-a.jsonl",
        ],
        "gemini": [
            "tmp/0a1b/chats/session-2025-11-30T02-00-s1.json",
            "tmp/shop/chats/session-2026-11-30T02-00-s2.jsonl",
        ],
    }
    unwanted = [
        ".claude/projects/-src-shop/agent-1a2b3c4d.jsonl",
        ".claude/projects/-src-shop/1111/subagents/agent-a.jsonl",
        ".codex/sessions/2026/11/30/rollout-2026-11-30T10-00-00-a.jsonl.zst",
        ".gemini/tmp/shop/chats/s2/session-sub.jsonl",
        ".gemini/tmp/shop/logs.json",
    ]
    for name in [*(f"{HOSTS[host].folder}/{path}" for host, paths in wanted.items() for path in paths), *unwanted]:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    for host, paths in wanted.items():
        assert find_transcripts(host, tmp_path, {}) == [tmp_path / HOSTS[host].folder / path for path in paths]


def test_a_host_that_was_told_another_folder_is_found_there(tmp_path: Path) -> None:
    """By the variables that the hosts themselves heed."""
    home = tmp_path / "home"
    environ = {"CLAUDE_CONFIG_DIR": f"{tmp_path}/c", "CODEX_HOME": f"{tmp_path}/x", "GEMINI_CLI_HOME": f"{tmp_path}/g"}
    assert [host_folder(host, home, environ) for host in ("claude-code", "codex", "gemini")] == [
        tmp_path / "c",
        tmp_path / "x",
        tmp_path / "g/.gemini",
    ]
    folders = [home / name for name in (".claude", ".codex", ".gemini", ".cursor")]
    assert [host_folder(host, home, {}) for host in HOOKED] == folders
    assert [find_transcripts(host, home, {}) for host in HOSTS] == [[] for _ in HOSTS]


@pytest.mark.parametrize(
    "name",
    [
        "42edc39d-1111-4222-8333-444455556666", "01938f2a-7b3c-7def-8123-4567abcd9876", "01JDXQ4Z8N5T9K3WYRVB2C7MEH",
        "V1StGXR8_Z5jdHi6B-myT", "dGhpcyBpcyBhbiBpZCBvZiBhIHNlc3Npb24-x_42", "WEB:42edc39d-1111-4222-8333-444455556666",
        "42edc39d-1111-4222-8333-444455556666~01938f2a-7b3c-7def-8123-4567abcd9876", "slack-1732961234.123456",
        "session-2026-11-30T01-58-42edc39d", "conv_68f1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d5e6f7",
        "4111111111111111",
        "toolu_01A09q90qw90lq917835lq9Z", "회의 2026-11-30", "../../etc/passwd",
    ],
)  # fmt: skip
def test_an_id_of_a_session_stays_as_the_host_wrote_it(name: str) -> None:
    """Whatever letters a host makes its ids of: were one taken for a secret, sessions would become one."""
    payload = {
        "hook_event_name": "UserPromptSubmit",
        "session_id": name,
        "cwd": "/src",
        "prompt": "x",
        "prompt_id": name,
    }
    call = parse_hook("claude-code", json.dumps(payload).encode(), datetime(2026, 11, 30, tzinfo=UTC))
    assert call.session.session_id == name
    assert call.message is not None
    assert call.message.turn == name


def test_of_an_id_with_a_secret_the_rest_stays_and_of_a_message_none() -> None:
    """Two sessions stay two where something else in their ids tells them apart; a message is known by its words."""
    secret = "ghp_" + "a1B2c3D4e5F6" * 3
    payload = {"hook_event_name": "UserPromptSubmit", "session_id": f"chat 7 {secret}", "cwd": "/src", "prompt": "x"}
    call = parse_hook(
        "claude-code", json.dumps({**payload, "prompt_id": secret}).encode(), datetime(2026, 11, 30, tzinfo=UTC)
    )
    assert call.session.session_id == "chat 7 [REDACTED:github-token]"
    assert call.message is not None
    assert call.message.turn is None
