"""What a save of a curated note costs in a vault of 100 and of 10,000 notes, and a walk along relations there.

    python tests/bench/note_speed.py [--notes 10000] [--rounds 40] [--cpu] [--model]

Prints medians in ms, taken in turns, and their ratio; with ``--cpu`` of processor time. Half of the names are Korean.
The search goes by words alone, which takes less than with a model. Saves through the server are of notes with three
facts, one after the other without a pause, so that each is compared with the one before; ``--model`` gives the servers
their model.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from mcp_start import HELLO, Server

from wwt_vault.config import UserFolders, user_folders
from wwt_vault.model.conversation import EventId, Message, Session
from wwt_vault.operations import freshness, recall, relations, signals
from wwt_vault.operations.workspace import open_workspace
from wwt_vault.vault import Vault, events, notes, sessions
from wwt_vault.vault.creation import create_vault

AT = datetime(2026, 11, 30, 1, 58, 1, tzinfo=UTC)
Clock = Callable[[], float]
FOLDERS = ("00_Inbox", "10_Projects/shop", "20_Areas", "30_Knowledge", "40_Decisions")


def vault_of(folder: Path, count: int) -> tuple[Vault, EventId]:
    """Make a vault of ``count`` notes, every one related to another, and one event to cite."""
    vault = create_vault(folder / str(count) / "vault", timezone="Asia/Seoul")
    for number in range(count):
        file = vault.root / FOLDERS[number % len(FOLDERS)] / f"{name_of(number)}.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(
            f"---\nid: n{number}\ntype: topic\nstatus: current\naliases: []\ntags: [t{number % 50}]\n"
            f'relates_to:\n  - "[[{name_of(number * 7 % count)}]]"\n---\n\nWords about {number}.\n',
            "utf-8",
        )
    session = Session(host="claude-code", session_id="42edc39d-0000-4000-8000-000000000000", cwd="/code/shop")
    event = events.event_of(Message(session=session, role="user", text="x", time=AT), 1)
    events.write_event(vault, event)
    sessions.append_event(vault, sessions.create_session_note(vault, session, "shop", "box", AT), event)
    return vault, event.id


def name_of(number: int) -> str:
    """Return a name, every second one Korean."""
    return f"노트 {number} 번째 결정" if number % 2 else f"Note number {number}"


def save_in_turns(vaults: dict[int, tuple[Vault, EventId]], rounds: int, clock: Clock) -> None:
    """Save new and changed notes in each vault, and print what that took."""
    taken: dict[tuple[str, int], list[float]] = {}
    for number in range(rounds):
        for count, (vault, event) in vaults.items():
            more = {"written_by": "bench", "at": AT + timedelta(seconds=number), "locks": vault.root.parent / "locks"}
            title, other = f"새 노트 {number}", name_of(number)
            for what, related in (("new", None), ("new, related", {"relates_to": [other]})):
                began = clock()
                saved = notes.save_note(
                    vault, note=f"{title} {what}", body=f"x [^{event}]", revision=None, type="topic",
                    relations=related, **more,
                )  # fmt: skip
                taken.setdefault((what, count), []).append(clock() - began)
            began = clock()
            notes.save_note(vault, note=saved.title, body=f"y [^{event}]", revision=saved.revision, **more)
            taken.setdefault(("changed", count), []).append(clock() - began)
    few, many = vaults
    for what in ("new", "new, related", "changed"):
        small, large = (statistics.median(taken[what, count]) * 1000 for count in (few, many))
        print(f"{what:14}{small:8.1f} ms of {few}{large:8.1f} ms of {many}   ratio {large / small:.2f}")


def walk_beside_search(vault: Vault, rounds: int, clock: Clock, children: Clock) -> None:
    """Walk and search in turns, in a server that stays and as commands of their own; print what that took."""
    home = str(vault.root.parent)
    config = vault.root / ".wwt" / "config.toml"
    config.write_text(config.read_text("utf-8").replace('# embedder = "auto"', 'embedder = "none"'), "utf-8")
    opened = open_workspace(str(vault.root), folders=user_folders({"HOME": home, "USERPROFILE": home}))
    freshness.refresh(opened, seconds=None)
    taken: dict[tuple[str, str], list[float]] = {}
    found = 0
    for number in range(-1, rounds):
        began = clock()
        steps = relations.related(opened, name_of(number + 1), depth=3)["related"]
        walked = clock()
        recall.search(opened, f"words about {number + 1}")
        if number >= 0:  # the first of both reads everything
            found += len(steps)
            taken.setdefault(("walk", "in a server"), []).append(walked - began)
            taken.setdefault(("search", "in a server"), []).append(clock() - walked)
    for number in range(max(3, rounds // 5)):
        for what, words in (
            ("walk", ("note", "related", name_of(number), "--depth", "3")),
            ("search", ("search", f"words about {number}")),
        ):
            command = [sys.executable, "-m", "wwt_vault", *words, "--vault", str(vault.root)]
            began = clock() + children()
            subprocess.run(command, check=True, capture_output=True, env={"HOME": home, "USERPROFILE": home})
            taken.setdefault((what, "as a command"), []).append(clock() + children() - began)
    print(f"a walk finds {found / rounds:.1f} notes")
    for how in ("in a server", "as a command"):
        walk, search = (statistics.median(taken[what, how]) * 1000 for what in ("walk", "search"))
        print(f"{how:14}{walk:8.1f} ms a walk{search:8.1f} ms a search   ratio {walk / search:.2f}")


def compare_in_turns(vaults: dict[int, tuple[Vault, EventId]], rounds: int, clock: Clock) -> None:
    """Compare a new note with those that are there, by words, and index one that was saved; print what that took."""
    opened = {}
    for count, (vault, _) in vaults.items():
        root = vault.root.parent
        folders = UserFolders(config=root / "config", state=root / "state", cache=root / "cache")
        opened[count] = open_workspace(str(vault.root), embedder=lambda: None, folders=folders)
        freshness.refresh(opened[count], seconds=None)
    taken: dict[tuple[str, int], list[float]] = {}
    for number in range(rounds):
        for count, (vault, event) in vaults.items():
            body = f"## Facts\n\n- the harbour crane {number} lifts teak on odd mornings [^{event}]\n"
            began = clock()
            signals.ask_first(opened[count], f"Quay {number}", body, relations=None, reason="new", missing=())
            taken.setdefault(("compared", count), []).append(clock() - began)
            (vault.root / "30_Knowledge" / f"loose {number}.md").write_text(f"Page {number} on nothing.\n", "utf-8")
            began = clock()
            freshness.catch_up(opened[count])
            taken.setdefault(("indexed before", count), []).append(clock() - began)
    for what in ("compared", "indexed before"):
        small, large = (statistics.median(taken[what, count]) * 1000 for count in vaults)
        print(f"{what:16}{small:8.1f} ms of {min(vaults)}{large:8.1f} ms of {max(vaults)}   ratio {large / small:.2f}")


def save_through_servers(vaults: dict[int, tuple[Vault, EventId]], rounds: int, *, model: bool, cpu: bool) -> None:
    """Save new and changed notes in turns through two MCP servers, as an agent does, and print what that took."""
    servers: dict[int, Server] = {}
    for count, (vault, _) in vaults.items():
        root = vault.root.parent
        config = vault.root / ".wwt" / "config.toml"
        text = config.read_text("utf-8").replace('embedder = "none"', '# embedder = "auto"')
        config.write_text(text if model else text.replace('# embedder = "auto"', 'embedder = "none"'), "utf-8")
        opened = open_workspace(str(vault.root), folders=user_folders({"HOME": str(root), "USERPROFILE": str(root)}))
        freshness.refresh(opened, seconds=None)
        freshness.embed(opened)
        servers[count] = server = Server(["-m", "wwt_vault", "serve", "--vault", str(vault.root)], root)
        server.ask("initialize", **HELLO)
        server.ask("tools/call", name="wiki_search", arguments={"query": "결정 of a note"})
    time.sleep(3)
    words = random.Random(7)
    taken: dict[tuple[str, int], list[float]] = {}

    def sentence() -> str:
        return " ".join("".join(words.choice("bdgklmnprst") + words.choice("aeiou") for _ in "123") for _ in range(9))

    def save(count: int, what: str, **arguments: object) -> str:
        server = servers[count]
        clock = server.processor if cpu else time.perf_counter
        began = clock()
        answer = server.ask("tools/call", name="wiki_save_note", arguments=arguments)
        taken.setdefault((what, count), []).append(clock() - began)
        if answer.get("isError"):
            raise SystemExit(answer)
        return str(answer["structuredContent"]["revision"])

    for _ in range(rounds):
        for count, (_vault, event) in vaults.items():
            facts = "".join(f"- {sentence()} [^{event}]\n" for _ in "123")
            title, body = f"Report {sentence()[:20]}", f"{sentence()}\n\n## Facts\n\n{facts}"
            revision = save(count, "new", note=title, body=body, type="topic")
            body = body.replace("## Facts\n", f"## Facts\n\n- {sentence()} [^{event}]")
            save(count, "changed", note=title, body=body, revision=revision)
    for server in servers.values():
        server.stop()
    few, many = vaults
    for what in ("new", "changed"):
        small, large = (statistics.median(taken[what, count]) * 1000 for count in (few, many))
        print(f"{what + ', server':14}{small:8.1f} ms of {few}{large:8.1f} ms of {many}   ratio {large / small:.2f}")


def of_children() -> float:
    """Return the processor time of processes that were started and have ended."""
    return sum(os.times()[2:4])


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--notes", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--cpu", action="store_true", help="processor time instead of time on the clock")
    parser.add_argument("--model", action="store_true", help="the servers have a model, as they do by default")
    chosen = parser.parse_args()
    clock = time.process_time if chosen.cpu else time.perf_counter
    with tempfile.TemporaryDirectory() as folder:
        vaults = {count: vault_of(Path(folder), count) for count in (100, chosen.notes)}
        save_in_turns(vaults, chosen.rounds, clock)
        save_through_servers(vaults, chosen.rounds, model=chosen.model, cpu=chosen.cpu)
        compare_in_turns(vaults, chosen.rounds, clock)
        children = of_children if chosen.cpu else lambda: 0.0
        walk_beside_search(vaults[chosen.notes][0], chosen.rounds, clock, children)


if __name__ == "__main__":
    main()
