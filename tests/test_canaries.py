"""Secrets are sent through every entrance; then every place is searched for them."""

from __future__ import annotations

import json
import os
import random
import string
import subprocess
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.test_hook import PROMPT, START, hook
from tests.test_mcp_server import drive, text_of
from wwt_vault.config import user_folders
from wwt_vault.index.generations import Generation, current_generation
from wwt_vault.ingest import hooklog
from wwt_vault.model.conversation import Event
from wwt_vault.operations.workspace import open_workspace
from wwt_vault.vault import events

if TYPE_CHECKING:
    from mcp import Client

    from wwt_vault.vault import Vault

ROOT = Path(__file__).resolve().parents[1]
ALPHANUMERIC = string.ascii_letters + string.digits


class Canaries:
    """Secrets that nobody has seen before, another set for every entrance."""

    def __init__(self) -> None:
        self.dice = random.Random(20261130)  # the same each time, so that a failure can be looked at
        self.sent: dict[str, str] = {}
        """By the secret's own letters: where it was sent in."""

    def text(self, entrance: str) -> str:
        """Return words with secrets of several kinds in them, in Korean, English and code."""
        token, key, password, inside = (self._word(length) for length in (36, 48, 11, 14))
        for secret in (token, key, password, inside):
            self.sent[secret.lower()] = entrance
        return (
            f"deploy with ghp_{token}, then\n\nexport OPENAI_API_KEY=sk-proj-{key}\n"
            f"서버 비밀번호는 {password}!9 입니다. postgres://app:{inside}@db.example.com/shop"
        )

    def word(self, entrance: str) -> str:
        """Return one token, for a name."""
        token = self._word(36)
        self.sent[token.lower()] = entrance
        return f"ghp_{token}"

    def _word(self, length: int) -> str:
        return "".join(self.dice.choices(ALPHANUMERIC, k=length))

    def found_in(self, data: bytes) -> set[str]:
        """Return the entrances whose secrets are in ``data``, whatever the case."""
        text = data.decode("utf-8", "replace").lower()
        return {entrance for secret, entrance in self.sent.items() if secret in text}


def everything_kept(vault: Vault, home: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the bytes of every file that the program has written, packed ones unpacked, and every file's name."""
    for top in (vault.root, home):
        for path in top.rglob("*"):
            yield f"the name of {path}", os.fsencode(path.name)
            if path.is_file():
                data = path.read_bytes()
                yield str(path), data
                if path.parent.parent.name == "objects":  # git's
                    yield f"{path} unpacked", zlib.decompress(data)
    index = open_workspace(embedder=lambda: None).index.folder
    generation = Generation(index, current_generation(index) or 0)
    for row in range(generation.lexical.rows):
        yield f"row {row} of the index", generation.lexical.payload(row)


def transcript(path: Path, canaries: Canaries, entrance: str, session_id: str) -> Path:
    """Write a transcript of Claude Code whose words and circumstances hold secrets."""
    common = {"sessionId": session_id, "cwd": f"/src/{canaries.word(f'{entrance}: cwd')}", "version": "2.1.197"}
    common |= {"gitBranch": f"fix/{canaries.word(f'{entrance}: branch')}", "isSidechain": False, "parentUuid": None}
    user = {"role": "user", "content": canaries.text(f"{entrance}: prompt")}
    answer = {
        "id": "m1",
        "role": "assistant",
        "model": "m",
        "content": [{"type": "text", "text": canaries.text(entrance)}],
    }
    tool = [{"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": canaries.text(f"{entrance}: tool")}}]
    lines: list[dict[str, Any]] = [
        {"type": "user", "uuid": "u1", "timestamp": "2026-11-30T01:00:00.000Z", "message": user},
        {"type": "assistant", "uuid": "u2", "timestamp": "2026-11-30T01:00:05.000Z", "message": answer},
        {
            "type": "assistant",
            "uuid": "u3",
            "timestamp": "2026-11-30T01:00:09.000Z",
            "message": {**answer, "content": tool},
        },
    ]
    path.write_text("".join(json.dumps({**common, **line}, ensure_ascii=False) + "\n" for line in lines), "utf-8")
    return path


def wwt(canaries: Canaries, *arguments: str, stdin: str = "") -> None:
    """Run a command; nothing that it says may hold a secret."""
    run = subprocess.run(
        [sys.executable, "-m", "wwt_vault", *arguments],
        input=stdin.encode(),
        capture_output=True,
        check=False,
        cwd=ROOT,
    )
    assert canaries.found_in(run.stdout + run.stderr) == set(), arguments


class World:
    """A vault without a model, what was said to the outside, and the canaries that were sent in."""

    def __init__(self, vault: Vault, folder: Path) -> None:
        self.vault, self.folder, self.canaries = vault, folder, Canaries()
        self.said: list[bytes] = []
        config = vault.root / ".wwt" / "config.toml"
        config.write_text(config.read_text("utf-8").replace('# embedder = "auto"', 'embedder = "none"'), "utf-8")

    def call(self, host: str, payload: Any) -> None:
        """Call a hook."""
        run = hook(host, payload)
        self.said.append(run.stdout + run.stderr)

    def wwt(self, *arguments: str, stdin: str = "") -> None:
        """Run a command."""
        command = [sys.executable, "-m", "wwt_vault", *arguments]
        run = subprocess.run(command, input=stdin.encode(), capture_output=True, check=False, cwd=ROOT)
        self.said.append(run.stdout + run.stderr)

    def hooks(self) -> None:
        """Prompts, answers, transcripts, folders, branches, garbage."""
        sent = self.canaries
        repository = self.folder / sent.word("the repository's name")
        (repository / ".git").mkdir(parents=True)
        (repository / ".git" / "HEAD").write_text(f"ref: refs/heads/{sent.word('the branch')}\n")
        for number, (host, payload) in enumerate(PROMPT.items()):
            self.call(host, {**payload, "prompt": sent.text(f"{host}: prompt"), "cwd": str(repository)})
            path = transcript(self.folder / f"{host}.jsonl", sent, f"{host}: transcript", f"hooked-{number}")
            fields = {"session_id": f"hooked-{number}", "transcript_path": str(path), "prompt": "go on"}
            self.call(host, {**payload, **fields})
        answer = {**START["claude-code"], "hook_event_name": "Stop", "last_assistant_message": sent.text("answer")}
        self.call("claude-code", answer)
        prompt = {"hook_event_name": "beforeSubmitPrompt", "conversation_id": "c1", "prompt": sent.text("cursor")}
        self.call("cursor", prompt)
        self.call("claude-code", f'{{"prompt": "{sent.text("half a payload")}'.encode())
        self.call("claude-code", sent.text("no JSON").encode())

    def circumstances(self, queued: str = "") -> None:
        """Hooks and transcripts that have a secret in every field, their ids included; two calls of each session."""
        for host, payload in PROMPT.items():
            sent = self.canaries
            known = {"hook_event_name", "timestamp", "prompt"}
            fields: dict[str, Any] = {name: sent.word(f"{host}{queued}: {name}") for name in payload.keys() - known}
            fields["cwd"] = f"/src/{fields['cwd']}"
            folder = self.folder / sent.word(f"{host}{queued}: folder")
            folder.mkdir()
            path = transcript(folder / f"{fields['session_id']}.jsonl", sent, "in ids", fields["session_id"])
            lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
            for number, line in enumerate(lines):
                line |= {"uuid": sent.word("uuid"), "parentUuid": sent.word("parent"), "promptId": sent.word("turn")}
                line["message"] |= {"id": sent.word("message id"), "model": sent.word("model")}
                line["timestamp"] = f"2026-11-30T02:00:0{number}.000Z"
            path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
            if host == "claude-code":
                fields["transcript_path"] = str(path)
            for prompt in ("one more", "and another"):
                ids = {name: sent.word(f"{host}: {name}") for name in ("turn_id", "prompt_id") if name in payload}
                self.call(host, {**payload, **fields, **ids, "prompt": f"{prompt} {host}{queued}"})
            event = sent.word("event")
            self.call(
                host, {**payload, **fields, "hook_event_name": event, "transcript_path": f"/x/{sent.word('gone')}"}
            )

    def queue(self) -> None:
        """What is said while the vault is away."""
        away = self.vault.root.with_name("away")
        self.vault.root.rename(away)
        self.call("codex", {**PROMPT["codex"], "prompt": self.canaries.text("queue"), "session_id": "queued"})
        self.circumstances(", queued")
        waiting = [path.read_bytes() for path in (user_folders().state / "queue").glob("*.json")]
        assert any(b"REDACTED" in data for data in waiting)
        assert set().union(*map(self.canaries.found_in, waiting)) == set()
        away.rename(self.vault.root)
        self.wwt("queue", "retry")

    def imports(self) -> None:
        """Transcripts, a conversation written down, messages on stdin."""
        sent, folder = self.canaries, self.folder / "in"
        folder.mkdir()
        transcript(folder / "a.jsonl", sent, "import", "imported")
        (folder / "b.md").write_text(f"## user\n\n{sent.text('markdown')}\n\n## assistant\n\nok\n", "utf-8")
        self.wwt("ingest", str(folder))
        record = json.dumps([{"role": "user", "text": sent.text("record"), "time": "2026-11-29T01:00:00Z"}])
        self.wwt("record", "chat", "s1", "--project", sent.word("record: project"), "--json", stdin=record)

    def tools(self) -> None:
        """Every argument of an agent's that is written or comes back."""
        sent = self.canaries
        known = [event for event in events.event_ids(self.vault) if isinstance(event, str)]
        assert len(known) > 8
        body = f"## Facts\n- {sent.text('note').splitlines()[0]} [^{known[0]}]"
        note: dict[str, Any] = {"body": body, "type": "topic"}
        message = {"role": "user", "text": sent.text("tool")}
        calls: list[tuple[str, dict[str, Any]]] = [
            ("wiki_save_note", {"note": sent.word("title"), **note, "reason": sent.word("reason")}),
            ("wiki_save_note", {"note": "Plain", **note, "questions": [sent.text("question")[:60]] * 3}),
            ("wiki_save_note", {"note": "Plain two", **note, "project": sent.word("project")}),
            (
                "wiki_save_note",
                {
                    "note": "Page",
                    "body": sent.text("source"),
                    "type": "source",
                    "origin": f"https://x.y/{sent.word('o')}",
                },
            ),
            ("wiki_record", {"host": "chat", "session_id": "s2", "messages": [message]}),
            ("wiki_record", {"host": "chat", "session_id": sent.word("id"), "messages": [message]}),
            ("wiki_mark_curated", {"host": "chat", "session_id": "s2", "gist": sent.word("gist"), "questions": ["?"]}),
            ("wiki_search", {"query": f"deploy {sent.word('query')}"}),
            ("wiki_get_context", {"query": f"deploy {sent.word('context')}"}),
            ("wiki_search", {"query": "deploy 비밀번호"}),
            ("wiki_get_context", {"query": "deploy 비밀번호"}),
            ("wiki_read", {"note": sent.word("no such note")}),
            ("wiki_read_events", {"ids": known[:20]}),
            ("wiki_status", {}),
        ]

        async def steps(client: Client) -> None:
            for tool, arguments in calls:
                result = await client.call_tool(tool, arguments)
                structure = getattr(result, "structured_content", {})
                self.said.append(json.dumps([text_of(result), structure], ensure_ascii=False).encode())

        drive(self.vault.root, steps)


@pytest.mark.slow
def test_no_secret_is_kept_or_told_anywhere(vault: Vault, own_user_folders: Path, tmp_path: Path) -> None:
    """Vault, state, cache, queue, logs, index, git objects, names of files; what hooks, commands and tools say."""
    world = World(vault, tmp_path)
    world.hooks()
    world.circumstances()
    world.queue()
    world.imports()
    world.tools()
    world.call("claude-code", {**START["claude-code"], "session_id": "last"})
    subprocess.run(["git", "init", "-q", "."], cwd=vault.root, check=True)
    subprocess.run(["git", "add", "-A"], cwd=vault.root, check=True)
    for command in (["search", "deploy", "--json"], ["status"], ["doctor", "--json"]):
        world.wwt(*command)

    assert hooklog.log_path().exists()
    leaked: dict[str, set[str]] = {}
    for place, data in everything_kept(vault, own_user_folders):
        if found := world.canaries.found_in(data):
            leaked[place] = found
    assert leaked == {}
    assert set().union(*map(world.canaries.found_in, world.said)) == set()
    assert len(world.canaries.sent) > 150
    said = [
        (event.host, event.session_id, event.text) for event in events.iter_events(vault) if isinstance(event, Event)
    ]
    for host in PROMPT:
        for prompt in ("one more", "and another"):
            for queued in ("", ", queued"):
                found = [name for of, name, text in said if of == host and text == f"{prompt} {host}{queued}"]
                assert found == ["[REDACTED:github-token]"], (host, prompt, queued)


def test_what_a_person_wrote_into_a_page_is_not_handed_to_an_agent(vault: Vault) -> None:
    """The page stays as it is; search, context, reading and the resource say that something is there."""
    canaries = Canaries()
    config = vault.root / ".wwt" / "config.toml"
    config.write_text(config.read_text("utf-8").replace('# embedder = "auto"', 'embedder = "none"'), "utf-8")
    page = vault.root / "30_Knowledge" / "Server.md"
    page.write_text(f"# Server\n\nHow we deploy the shop.\n\n{canaries.text('page')}\n", "utf-8")
    before = page.read_bytes()
    said: list[str] = []

    async def steps(client: Client) -> None:
        for tool, arguments in (
            ("wiki_search", {"query": "deploy the shop"}),
            ("wiki_get_context", {"query": "deploy the shop"}),
            ("wiki_read", {"note": "30_Knowledge/Server.md"}),
        ):
            result = await client.call_tool(tool, arguments)
            said.append(json.dumps([text_of(result), getattr(result, "structured_content", {})], ensure_ascii=False))
        said.append(str(await client.read_resource("vault:///30_Knowledge/Server.md")))

    drive(vault.root, steps)

    for answer in said:
        assert canaries.found_in(answer.encode()) == set()
    assert "[REDACTED:" in said[2]
    assert "[REDACTED:" in said[3]
    assert page.read_bytes() == before
