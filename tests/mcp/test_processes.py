"""The server's process: gone when whoever started it is, in whatever moment, and no larger after many calls."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from wwt_vault.mcp_server.watching import Watch
from wwt_vault.vault import Vault

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are watched through /proc"),
]

TIMES, AT_ONCE = 50, 5
HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}

# A host: starts the server, says its number, sends what it is told to, and waits to be killed.
HOST = """
import subprocess, sys, time
keep = sys.argv[2] == "kept open"
server = subprocess.Popen([sys.executable, "-m", "wwt_vault", "serve", "--vault", sys.argv[1]],
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE)
if keep:  # another child holds the other end of the pipe, as hosts' helpers do
    subprocess.Popen(["sleep", "10"], pass_fds=[server.stdin.fileno()], stdout=subprocess.DEVNULL)
print(server.pid, flush=True)
for line in sys.stdin:
    server.stdin.write(line.encode()); server.stdin.flush()
    if '"id"' in line:
        server.stdout.readline()
    print("answered", flush=True)
time.sleep(60)
"""


def request(method: str, **params: Any) -> str:
    """Return one line of the protocol."""
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}) + "\n"


def alive(pid: int) -> bool:
    """Return whether a process is there and no mere entry in the table."""
    try:
        return Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_no_server_outlives_its_client(words_only: Vault) -> None:
    """Killed fifty times: before the first word, after the handshake, within a call, with the pipe held open."""
    messages = [{"role": "user", "text": f"{number} " + "x" * 500} for number in range(300)]
    long_call = request(
        "tools/call", name="wiki_record", arguments={"host": "chat", "session_id": "s", "messages": messages}
    )
    moments: list[tuple[str, list[str], bool]] = [
        ("closed", [], False),
        ("closed", [request("initialize", **HELLO)], True),
        ("closed", [request("initialize", **HELLO), long_call], False),
        ("kept open", [request("initialize", **HELLO)], True),
        ("kept open", [request("initialize", **HELLO), long_call], False),
    ]
    outlived: list[tuple[int, int]] = []
    for round_number in range(TIMES // AT_ONCE):
        hosts = []
        for number in range(AT_ONCE):
            pipe, lines, waits = moments[number % len(moments)]
            host = subprocess.Popen(
                [sys.executable, "-c", HOST, str(words_only.root), pipe],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            )  # fmt: skip
            hosts.append((host, lines, waits))
        servers = []
        for host, lines, waits in hosts:
            assert host.stdout
            assert host.stdin
            servers.append(int(host.stdout.readline()))
            host.stdin.write("".join(lines))
            host.stdin.flush()
            if waits:
                host.stdout.readline()
        time.sleep(0.3 * (round_number % 4))  # the calls are in another place each time
        for host, _, _ in hosts:
            host.send_signal(signal.SIGKILL)
            host.communicate()
        deadline = time.monotonic() + 30
        while any(map(alive, servers)) and time.monotonic() < deadline:
            time.sleep(0.1)
        outlived += [(round_number, number) for number, pid in enumerate(servers) if alive(pid)]
        for pid in filter(alive, servers):
            os.kill(pid, signal.SIGKILL)
    assert outlived == []


def test_what_killed_servers_left_is_swept_up(tmp_path: Path) -> None:
    """Not what a living one has: it makes it again in any case."""
    root, own = tmp_path / "vault", tmp_path / "watching"
    root.mkdir()
    own.mkdir()
    (own / "1-dead").touch()
    os.utime(own / "1-dead", (0, 0))
    (own / "2-alive").touch()
    watch = Watch(root, own, lambda: None)
    deadline = time.monotonic() + 20
    while (own / "1-dead").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    time.sleep(0.5)
    watch.changes()
    names = {path.name for path in own.iterdir()}
    assert "1-dead" not in names
    assert "2-alive" in names
    watch.close()
