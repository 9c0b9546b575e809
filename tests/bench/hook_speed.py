"""How long a hook takes, as a whole process, beside the bare interpreter of the same environment.

    python tests/bench/hook_speed.py [--events 100000] [--runs 40] [--transcript-mb 100]

Prompts go into an empty vault and into one that holds many events, in turns with the bare interpreter, so that all see
the same machine. Then one hook reads a large transcript for the first time, and again: memory, and bytes read.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

from wwt_vault.model.conversation import Message, Session
from wwt_vault.vault import events
from wwt_vault.vault.creation import create_vault

HOOK = str(Path(sysconfig.get_path("scripts")) / "wwt-hook")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, default=100_000)
    parser.add_argument("--runs", type=int, default=40)
    parser.add_argument("--transcript-mb", type=int, default=100)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        empty, full = Path(folder, "empty"), Path(folder, "full")
        for home in (empty, full):
            create_vault(home / "vault", timezone="Asia/Seoul")
        fill(full / "vault", options.events)
        times: dict[str, list[float]] = {"bare": [], "empty": [], "full": []}
        work: dict[str, list[float]] = {name: [] for name in times}
        for run in range(options.runs):
            for name, command, stdin, home in (
                ("bare", [sys.executable, "-c", "pass"], b"", empty),
                ("empty", [HOOK, "claude-code"], prompt(run), empty),
                ("full", [HOOK, "claude-code"], prompt(run), full),
            ):
                before = processor()
                times[name].append(timed(command, stdin, home))
                work[name].append(processor() - before)
        median = {name: statistics.median(found) for name, found in times.items()}
        for name, found in times.items():
            own = f"of it the processor {statistics.median(work[name]):5.1f}"
            print(f"{name:6} median {median[name]:6.1f} ms   min {min(found):6.1f}   max {max(found):6.1f}   {own}")
        print(f"over the bare interpreter, empty vault: {median['empty'] - median['bare']:.1f} ms")
        cpu = {name: statistics.median(found) for name, found in work.items()}
        more = f"{cpu['empty'] - cpu['bare']:.1f} ms empty, {cpu['full'] - cpu['bare']:.1f} ms full"
        print(f"over the bare interpreter, of the processor: {more}")
        print(f"over the bare interpreter, {options.events:,} events: {median['full'] - median['bare']:.1f} ms")
        print(f"full / empty: {median['full'] / median['empty']:.3f}")
        large_transcript(empty, options.transcript_mb)


def fill(root: Path, count: int) -> None:
    """Write events as hooks do, spread over a year, without waiting for the disk."""
    vault = create_vault(root)
    start = datetime(2026, 1, 1, tzinfo=UTC)
    for number in range(count):
        session = Session(host="claude-code", session_id=f"s-{number // 50}", cwd="/src/shop")
        time_of = start + timedelta(seconds=number * 280)
        event = events.event_of(Message(session=session, role="user", text=f"prompt {number}", time=time_of), 1)
        path = root / ".wwt" / "events" / time_of.strftime("%Y/%m/%d") / f"{event.id}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(events.to_json(event))
    assert vault.root == root


def prompt(number: int, transcript: str = "/nowhere") -> bytes:
    """Return a payload of Claude Code."""
    payload = {
        "session_id": "42edc39d-1111-4222-8333-444455556666", "cwd": "/src/shop", "transcript_path": transcript,
        "hook_event_name": "UserPromptSubmit", "prompt_id": f"p-{number}",
        "prompt": f"그때 결정한 SSH 방식이 뭐였지? And why, once more? ({number})",
    }  # fmt: skip
    return json.dumps(payload).encode()


def timed(command: list[str], stdin: bytes, home: Path) -> float:
    """Run a process and return its milliseconds."""
    environ = {"HOME": str(home), "WWT_VAULT": str(home / "vault"), "PATH": os.environ["PATH"]}
    begin = time.perf_counter()
    subprocess.run(command, input=stdin, env=environ, check=True, stdout=subprocess.DEVNULL)
    return (time.perf_counter() - begin) * 1e3


def processor() -> float:
    """Return the milliseconds of processor time of all processes that have ended: the same however busy the machine."""
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (spent.ru_utime + spent.ru_stime) * 1e3


def large_transcript(home: Path, megabytes: int) -> None:
    """Let hooks read a transcript of that size to its end, then once more after one line was added."""
    path = home / "large.jsonl"
    stamp, size, number = datetime(2026, 11, 30, tzinfo=UTC), 0, 0
    with path.open("w", encoding="utf-8") as file:
        while size < megabytes << 20:
            role, content = ("user", [{"type": "tool_result", "content": "x" * 12_000}]), "y" * 300
            record = {"type": role[0], "message": {"role": role[0], "content": role[1]}}
            if number % 40 == 0:
                record = {"type": "user", "message": {"role": "user", "content": f"prompt {number} {content}"}}
            envelope = {"uuid": f"u-{number}", "sessionId": "42edc39d-1111-4222-8333-444455556666", "cwd": "/src/shop"}
            when = (stamp + timedelta(seconds=number)).isoformat()
            size += file.write(json.dumps({**record, **envelope, "timestamp": when}) + "\n")
            number += 1
    calls = 0
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    cursors = home / ".local/state/wwt-vault"
    done = 0.0
    while calls < 50:
        done += timed([HOOK, "claude-code"], prompt(1000 + calls, str(path)), home)
        calls += 1
        if any(json.loads(kept.read_bytes()).get("end") for kept in cursors.rglob("transcripts/*.json")):
            break
    peak = max(before, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss) / 1024
    print(f"transcript of {megabytes} MB: read in {calls} calls, {done / 1e3:.1f} s, peak memory {peak:.0f} MB")
    again = timed([HOOK, "claude-code"], prompt(9999, str(path)), home)
    print(f"the next call, nothing new in it: {again:.0f} ms")


if __name__ == "__main__":
    main()
