"""One conversation through a real host, from ``wwt setup`` to ``wwt setup --remove``, and what was seen on the way."""

from __future__ import annotations

import json
import re
import subprocess
import sysconfig
from collections import Counter
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.hosts.driver import HOSTS, Go, Place, base_environment, prepare, run_turn
from tests.hosts.scripted import Call, Hang, Json, ScriptedModel, Step, say

PROJECT = "가게 shop"
FIRST = "결제 서비스의 데이터베이스를 정하자. Which one, PostgreSQL or MySQL?  "
CHOICE = (
    "Use PostgreSQL 16: 결제 원장은 JSONB와 부분 인덱스가 필요합니다.\n\n"
    "```sql\nCREATE INDEX open_orders ON orders (id) WHERE NOT paid;\n```\n\n- MySQL is ruled out 🙂"
)
LOOK = "Let me look that up."
QUESTION = "지난번에 결제 데이터베이스로 무엇을 골랐지?"
REPHRASED = ["which database did we choose for payments", "결제 DB 선택 PostgreSQL MySQL"]
ANSWER = "You chose PostgreSQL 16."

SETTINGS = {
    "claude-code": (".claude/settings.json",),
    "codex": (".codex/hooks.json", ".codex/config.toml"),
    "gemini": (".gemini/settings.json",),
}
TRANSCRIPTS = {"claude-code": ".claude/projects", "codex": ".codex/sessions", "gemini": ".gemini/tmp"}

Turn = tuple[str, str]
"""Role and text."""


@dataclass
class Story:
    """What was seen."""

    host: str
    home: Path
    binaries: Path
    settings_before: dict[str, bytes | None] = field(default_factory=dict)
    settings_set_up: dict[str, bytes | None] = field(default_factory=dict)
    settings_again: dict[str, bytes | None] = field(default_factory=dict)
    settings_removed: dict[str, bytes | None] = field(default_factory=dict)
    reports: dict[str, Json] = field(default_factory=dict)
    """What ``wwt`` printed, by step."""
    events: dict[str, list[Json]] = field(default_factory=dict)
    """All events in the vault, in the order of their ids, by step."""
    notes: dict[str, dict[str, str]] = field(default_factory=dict)
    """All session notes by path, by step."""
    requests: dict[str, list[Json]] = field(default_factory=dict)
    """What the host put before the model, by step."""
    missing_tools: list[str] = field(default_factory=list)

    @property
    def vault(self) -> Path:
        """Return where the vault is to be made."""
        return self.home / "내 Vault"

    def wwt(self, *words: str) -> Json:
        """Run ``wwt`` as the person would and return the JSON that it prints."""
        program = Path(sysconfig.get_path("scripts")) / "wwt"
        done = subprocess.run(
            [program, "--json", *words],
            env=base_environment(self.home, self.binaries),
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        value: Json = json.loads(done.stdout)
        return value

    def settings(self) -> dict[str, bytes | None]:
        """Return the settings files that setup changes by itself."""
        paths = {name: self.home / name for name in SETTINGS[self.host]}
        return {name: path.read_bytes() if path.exists() else None for name, path in paths.items()}

    def turn(self, step: str, prompt: str, steps: list[Step], *, go: Go = "new", words: tuple[str, ...] = ()) -> None:
        """Send a prompt through the host and remember what is in the vault afterwards. A last ``Hang`` is interrupted.

        ``words`` come before the prompt.
        """
        hangs = isinstance(steps[-1], Hang)
        with ScriptedModel(steps) as model:
            place = Place(self.binaries, self.home, self.home / PROJECT, model.url)
            run = run_turn(self.host, place, *words, prompt, go=go, interrupt=model.hangs if hangs else None)
        assert hangs or run.code == 0, f"{self.host} failed at {step}: {run.stdout}\n{run.stderr}"
        self.requests[step] = model.requests
        self.missing_tools += model.missing_tools
        self.look(step)

    def look(self, step: str) -> None:
        """Remember what is in the vault."""
        paths = sorted((self.vault / ".wwt" / "events").rglob("*.json"), key=lambda path: path.name)
        self.events[step] = [json.loads(path.read_text(encoding="utf-8")) for path in paths]
        texts = {path: path.read_text(encoding="utf-8") for path in (self.vault / "50_Conversations").rglob("*.md")}
        self.notes[step] = {str(path): text for path, text in texts.items() if "\ntype: session\n" in text}


def turns_of(note: str) -> list[Turn]:
    """Return the messages in a session note, as someone reading it with nothing but an editor finds them."""
    turns: list[Turn] = []
    for block in re.split(r"(?m)^(?=> \[!(?:user|assistant)\])", note)[1:]:
        head, *lines = block.split("\n")
        role = "user" if head.startswith("> [!user]") else "assistant"
        quoted = [line for line in lines if line.startswith(">")]
        turns.append((role, "\n".join(line.removeprefix(">").removeprefix(" ") for line in quoted)))
    return turns


def said(events: list[Json]) -> list[Turn]:
    """Return role and text of events."""
    return [(event["role"], event["text"]) for event in events]


def count(turns: list[Turn]) -> dict[Turn, int]:
    """Return how often each message is there: events of one second have no order among themselves."""
    return dict(Counter(turns))


def text_of(request: Json) -> str:
    """Return all that stood before the model, as one text."""
    return json.dumps(request, ensure_ascii=False)


def begin(host: str, binaries: Path, folder: Path) -> Story:
    """Return a story at its beginning: a home folder in which the host has its first settings, and nothing of ours."""
    home = folder / "내 home"
    (home / PROJECT).mkdir(parents=True)
    prepare(host, home)
    return Story(host, home, binaries)


def tell_all(tell: Callable[[str], Story], hosts: Iterable[str] = HOSTS) -> dict[str, Future[Story]]:
    """Go through one story with each host, all at once: most of the time a host only waits."""
    with ThreadPoolExecutor() as pool:
        return {host: pool.submit(tell, host) for host in hosts}


def tell(host: str, binaries: Path, folder: Path) -> Story:
    """Go through the whole story with one host."""
    story = begin(host, binaries, folder)
    story.settings_before = story.settings()
    story.reports["set up"] = story.wwt("--vault", str(story.vault), "setup", "--host", host)
    story.settings_set_up = story.settings()
    story.reports["again"] = story.wwt("setup", "--host", host)
    story.settings_again = story.settings()

    story.turn("first", FIRST, [say(CHOICE)])
    story.turn("tool", "continue", [Call("wiki_get_context", {"query": "PostgreSQL"}, LOOK), say("Done.")], go="resume")
    story.turn("again", "continue", [say("Done.")], go="resume")
    story.turn("new", QUESTION, [Call("wiki_get_context", {"query": QUESTION, "rephrased": REPHRASED}), say(ANSWER)])

    story.reports["ingest"] = story.wwt("ingest", str(story.home / TRANSCRIPTS[host]))
    story.look("ingest")
    story.reports["removed"] = story.wwt("setup", "--remove", "--host", host)
    story.settings_removed = story.settings()
    story.turn("after", "Nobody listens now.", [say("Indeed.")])
    return story


def servers(story: Story) -> Any:
    """Return what the host itself says of its MCP servers' names, from the file where it keeps them."""
    if story.host == "codex":
        return (story.home / ".codex" / "config.toml").read_text(encoding="utf-8")
    name = ".claude.json" if story.host == "claude-code" else ".gemini/settings.json"
    return json.loads((story.home / name).read_text(encoding="utf-8")).get("mcpServers", {})
