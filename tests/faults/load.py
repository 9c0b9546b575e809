"""Many at once: agents that talk, servers that search, a rebuild, a person's editor; prints what was lost and doubled.

Run: ``python -m tests.faults.load [--processes 16] [--events 500] [--seconds 300] [--waiting 10000] [--json]``. First
that many processes each bring so many prompts, as hooks do, into one session and then into a session each. Then so many
prompts that wait in the queue are tried. Then, for so many seconds, three MCP servers are asked, two hooks record, the
index is rebuilt again and again and an editor writes into a note that an agent saves.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

from wwt_vault.capture import parse_hook
from wwt_vault.errors import WwtError
from wwt_vault.ingest import hooklog, live, queue
from wwt_vault.state import state_for
from wwt_vault.vault import Vault, events, open_vault, sessions
from wwt_vault.vault.check import check_vault
from wwt_vault.vault.creation import create_vault

__all__ = ["Load", "counted", "draining", "everybody", "fresh_vault", "prompt", "talking"]

ROOT = Path(__file__).resolve().parents[2]
START = datetime(2026, 11, 30, 1, 0, tzinfo=UTC)
_HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "load", "version": "1"}}


class Load(NamedTuple):
    """What came of it."""

    what: str
    brought: int
    """Messages, searches and edits that were asked for."""
    lost: int
    doubled: int
    queued: int
    """Messages that had to wait, and were recorded when they were tried again."""
    problems: list[str]
    seconds: float


def fresh_vault(folder: Path) -> Vault:
    """Make a vault without a model in ``folder``, and a home of its own for this process."""
    home = folder / "home"
    home.mkdir()
    os.environ["HOME"] = str(home)
    for name in ("XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"):
        os.environ.pop(name, None)
    vault = create_vault(folder / "vault", timezone="Asia/Seoul")
    os.environ["WWT_VAULT"] = str(vault.root)
    config = vault.root / ".wwt" / "config.toml"
    config.write_text(config.read_text("utf-8").replace('# embedder = "auto"', 'embedder = "none"'), "utf-8")
    return vault


def prompt(session: str, text: str, time: datetime) -> None:
    """Bring a prompt as the hook of Claude Code does."""
    payload = {"session_id": session, "cwd": "/src/shop", "hook_event_name": "UserPromptSubmit", "prompt": text}
    call = parse_hook("claude-code", json.dumps(payload).encode(), time)
    with suppress(WwtError, OSError):  # it is in the queue, as a hook leaves it
        live.handle_call(call, time)


def _talk(number: int, count: int, session: str) -> None:
    for at in range(count):
        prompt(session, f"process {number} says {at}", START + timedelta(seconds=at, milliseconds=number))


def talking(processes: int, count: int, *, one_session: bool) -> Load:
    """Let processes bring prompts at once, into one session or into one each."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as folder:
        vault = fresh_vault(Path(folder))
        names = ["shared" if one_session else f"session-{number:02}" for number in range(processes)]
        context = multiprocessing.get_context("fork")
        running = [context.Process(target=_talk, args=(n, count, names[n])) for n in range(processes)]
        for process in running:
            process.start()
        for process in running:
            process.join()
        problems = [f"a process ended with {process.exitcode}" for process in running if process.exitcode]
        queued = len(queue.list_items())
        while queue.list_items() and live.retry(vault, state_for(vault), datetime.now(UTC) + timedelta(days=9)).done:
            pass
        wanted = Counter(f"process {number} says {at}" for number in range(processes) for at in range(count))
        what = "one session" if one_session else "a session each"
        return counted(what, vault, wanted, queued, problems)._replace(seconds=round(time.monotonic() - began, 1))


def draining(count: int) -> Load:
    """Let so many prompts wait in the queue, of twenty sessions, and then try them."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as folder:
        vault = fresh_vault(Path(folder))
        for at in range(count):
            payload = {"session_id": f"session-{at % 20:02}", "cwd": "/src/shop", "hook_event_name": "UserPromptSubmit"}
            said = json.dumps({**payload, "prompt": f"waiting {at}"}).encode()
            queue.add(parse_hook("claude-code", said, START + timedelta(seconds=at)))
        report = live.retry(vault, state_for(vault), datetime.now(UTC) + timedelta(days=9))
        problems = [] if report.done == count else [f"only {report.done} were recorded"]
        wanted = Counter(f"waiting {at}" for at in range(count))
        found = counted("a queue that drains", vault, wanted, count, problems)
        return found._replace(seconds=round(time.monotonic() - began, 1))


def counted(what: str, vault: Vault, wanted: Counter[str], queued: int, problems: list[str]) -> Load:
    """Compare what the vault holds with the texts that were said in it."""
    stored = Counter(event.text for event in events.iter_events(vault) if isinstance(event, events.Event))
    shown: Counter[str] = Counter()
    for note in (vault.root / "50_Conversations").rglob("*.md"):
        shown.update(turn.text for turn in sessions.read_turns(note.read_text("utf-8")))
    problems += [f"{p.code} {p.path}: {p.message}" for p in check_vault(vault).problems][:20]
    problems += [f"still waiting: {item.reason}" for item in queue.list_items()][:20]
    if lost := hooklog.recent(datetime.now(UTC)).calls:
        problems.append(f"{lost} calls that not even the queue could take")
    return Load(
        what=what,
        brought=sum(wanted.values()),
        lost=sum((wanted - stored).values()) + sum((wanted - shown).values()),
        doubled=sum((stored - wanted).values()) + sum((shown - wanted).values()),
        queued=queued,
        problems=problems,
        seconds=0.0,
    )


class Server:
    """An MCP server and the pipe to it."""

    def __init__(self) -> None:
        """Start it and shake hands."""
        self.process = subprocess.Popen(
            [sys.executable, "-m", "wwt_vault", "serve"],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self.asked = 0
        self.ask("initialize", **_HELLO)

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """Send a request and return its result."""
        self.asked += 1
        message = {"jsonrpc": "2.0", "id": self.asked, "method": method, "params": params}
        asking, answering = self.process.stdin, self.process.stdout
        if asking is None or answering is None:
            raise RuntimeError("no pipe")
        asking.write(json.dumps(message).encode() + b"\n")
        asking.flush()
        while True:
            answer = json.loads(answering.readline())
            if answer.get("id") == self.asked:
                return dict(answer["result"])

    def tool(self, name: str, **arguments: Any) -> dict[str, Any]:
        """Call a tool."""
        return self.ask("tools/call", name=name, arguments=arguments)

    def stop(self) -> str:
        """End it; return what it said on stderr."""
        return self.process.communicate(timeout=60)[1].decode("utf-8", "replace")


def _searching(number: int, until: float, results: Any) -> None:
    server, answers, problems = Server(), 0, []
    while time.time() < until:
        found = server.tool("wiki_search", query="deploy with Kamal")
        text = found["content"][0]["text"]
        if found.get("isError") or "no record found" in text:
            problems.append(f"server {number}: {text[:300]}")
        answers += 1
    said = server.stop()
    problems += [line for line in said.splitlines() if any(w in line for w in ("Error", "Traceback", "pickl"))]
    results.put(("searches", answers, problems))


def _hooking(number: int, until: float, results: Any) -> None:
    said = 0
    while time.time() < until:
        prompt(f"hook-{number}", f"hook {number} says {said}", datetime.now(UTC))
        said += 1
        time.sleep(0.02)
    results.put((f"hook {number}", said, []))


def _rebuilding(until: float, results: Any) -> None:
    count, problems = 0, []
    while time.time() < until:
        command = [sys.executable, "-m", "wwt_vault", "index", "rebuild", "--json"]
        run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        if run.returncode:
            problems.append(f"rebuild: {run.stdout[-300:]} {run.stderr[-300:]}")
        count += 1
    results.put(("rebuilds", count, problems))


def _editing(note: str, until: float, results: Any) -> None:
    """Add a line as an editor does that reads, waits and writes in place; never over what changed meanwhile."""
    path, number = Path(note), 0
    while time.time() < until:
        before = path.read_bytes()
        time.sleep(0.01)
        with path.open("r+b") as file:
            if file.read() == before:
                file.write(f"\nperson {number}\n".encode())
                number += 1
        time.sleep(0.1)
    results.put(("edits", number, []))


def _saving(note: str, event: str, until: float, results: Any) -> None:
    server, saved, problems = Server(), 0, []
    while time.time() < until:
        read = server.tool("wiki_read", note=note)["structuredContent"]
        text = f"- fact {saved} [^{event}]"
        done = server.tool("wiki_save_note", note=note, append={"Facts": text}, revision=read["revision"])
        code = (done.get("structuredContent") or {}).get("code")
        if not done.get("isError"):
            saved += 1
        elif code not in ("stale_revision", "human_conflict"):
            problems.append(f"save: {done['content'][0]['text'][:300]}")
    server.stop()
    results.put(("saves", saved, problems))


def everybody(seconds: float) -> Load:
    """Let all of them work on one vault at once."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as folder:
        vault = fresh_vault(Path(folder))
        prompt("first", "We deploy with Kamal.", START)
        [event] = [str(event) for event in events.event_ids(vault)]
        server = Server()
        body = f"## Facts\n- we deploy with Kamal [^{event}]"
        saved = server.tool("wiki_save_note", note="Deploying", body=body, type="topic")["structuredContent"]
        server.tool("wiki_search", query="Kamal")
        server.stop()
        note = vault.root / saved["path"]
        context = multiprocessing.get_context("fork")
        results, until = context.Queue(), time.time() + seconds
        running = [
            *(context.Process(target=_searching, args=(number, until, results)) for number in range(3)),
            *(context.Process(target=_hooking, args=(number, until, results)) for number in range(2)),
            context.Process(target=_rebuilding, args=(until, results)),
            context.Process(target=_editing, args=(str(note), until, results)),
            context.Process(target=_saving, args=(saved["path"], event, until, results)),
        ]
        for process in running:
            process.start()
        told = [results.get(timeout=seconds + 300) for _ in running]
        for process in running:
            process.join()
        problems = [problem for _, _, found in told for problem in found]
        counts = Counter[str]()
        for name, count, _ in told:
            counts[name] += count
        queued = len(queue.list_items())
        while queue.list_items() and live.retry(vault, state_for(vault), datetime.now(UTC) + timedelta(days=9)).done:
            pass
        wanted = Counter({"We deploy with Kamal.": 1})
        wanted.update(f"hook {n} says {at}" for n in range(2) for at in range(counts[f"hook {n}"]))
        found = counted("everybody at once", open_vault(vault.root), wanted, queued, problems)
        kept = [note, *(vault.root / ".wwt" / "revisions").rglob("*.md")]
        text = "\n".join(path.read_text("utf-8", "replace") for path in kept)
        lost = [n for n in range(counts["edits"]) if f"person {n}\n" not in text]
        lost += [n for n in range(counts["saves"]) if f"- fact {n} " not in text]
        brought = sum(counts.values())
        return found._replace(
            brought=brought,
            lost=found.lost + len(lost),
            seconds=round(time.monotonic() - began, 1),
            what=f"everybody at once: {', '.join(f'{n} {name}' for name, n in sorted(counts.items()))}",
        )


def main() -> None:
    """Load and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--processes", type=int, default=16)
    parser.add_argument("--events", type=int, default=500)
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--waiting", type=int, default=10_000)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    found = [
        talking(options.processes, options.events, one_session=True),
        talking(options.processes, options.events, one_session=False),
        draining(options.waiting),
        everybody(options.seconds),
    ]
    if options.json:
        sys.stdout.write(json.dumps([one._asdict() for one in found]))
    else:
        for one in found:
            facts = f"{one.brought} brought, {one.queued} had to wait, lost {one.lost}, doubled {one.doubled}"
            sys.stdout.write(f"{one.what}: {facts} ({one.seconds} s)\n")
            sys.stdout.writelines(f"  {problem}\n" for problem in one.problems)
    sys.exit(any(one.lost or one.doubled or one.problems for one in found))


if __name__ == "__main__":
    main()
