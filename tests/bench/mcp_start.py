"""What the MCP server costs a host: its start against an empty server of the same SDK, and its memory.

Run: ``python tests/bench/mcp_start.py [rounds]``. Prints medians over the rounds and their ratio; both kinds of
server are started in turns, so that a busy machine slows both alike. Memory is the resident set, and what of it is
not shared.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

EMPTY = "from mcp.server import MCPServer; MCPServer('empty').run()"
HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
KOREAN = "운영 서버 SSH 접속은 어떤 방식으로 하기로 했지?"


class Server:
    """A server process and the pipe to it."""

    def __init__(self, arguments: list[str], home: Path) -> None:
        """Start ``python arguments…`` with a home folder of its own."""
        self.began = time.perf_counter()
        env = {**os.environ, "HOME": str(home), "USERPROFILE": str(home)}
        self.process = subprocess.Popen(
            [sys.executable, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=env,
        )

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """Send a request and return its result."""
        assert self.process.stdin
        assert self.process.stdout
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()
        return dict(json.loads(self.process.stdout.readline())["result"])

    def ready(self) -> float:
        """Shake hands, list the tools; return the seconds since the start."""
        self.ask("initialize", **HELLO)
        self.ask("tools/list")
        return time.perf_counter() - self.began

    def memory(self) -> tuple[int, int]:
        """Return resident and unshared memory in MB."""
        table = Path(f"/proc/{self.process.pid}/smaps_rollup").read_text("ascii")
        sizes = {line.split(":")[0]: int(line.split()[1]) for line in table.splitlines()[1:]}
        return sizes["Rss"] // 1024, (sizes["Private_Clean"] + sizes["Private_Dirty"]) // 1024

    def processor(self) -> float:
        """Return the seconds of processor time that it has used, its threads included."""
        used = Path(f"/proc/{self.process.pid}/stat").read_text("ascii").rpartition(")")[2].split()
        return (int(used[11]) + int(used[12])) / os.sysconf("SC_CLK_TCK")

    def stop(self) -> None:
        """Close the pipe, which ends the server."""
        self.process.communicate(timeout=30)


def tell(line: str) -> None:
    """Print a line of the result."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def make_vault(home: Path) -> Path:
    """Make a vault with the sample conversations of the demo."""
    from wwt_vault.config import user_folders
    from wwt_vault.demo import HOSTS
    from wwt_vault.operations import conversations, freshness
    from wwt_vault.operations.workspace import open_workspace
    from wwt_vault.vault.creation import create_vault

    root = home / "vault"
    create_vault(root, timezone="Asia/Seoul")
    workspace = open_workspace(str(root), folders=user_folders({"HOME": str(home)}))
    data = Path(__file__).resolve().parents[2] / "wwt_vault" / "demo_data"
    conversations.ingest(workspace, [data / host for host in HOSTS])
    freshness.refresh(workspace, seconds=None)
    freshness.embed(workspace)
    return root


def main() -> None:
    """Measure and print."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 7
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        vault = make_vault(home)
        ours = ["-m", "wwt_vault", "serve", "--vault", str(vault)]
        times: dict[str, list[float]] = {"empty": [], "wwt": []}
        for _ in range(rounds):
            for name, arguments in (("empty", ["-c", EMPTY]), ("wwt", ours)):
                server = Server(arguments, home)
                times[name].append(server.ready())
                server.stop()
        medians = {name: statistics.median(found) for name, found in times.items()}
        tell(f"{datetime.now(UTC):%Y-%m-%d %H:%M}, {rounds} rounds in turns, seconds to the answer of tools/list:")
        for name, found in times.items():
            tell(f"  {name:6} median {medians[name]:.3f}  best {min(found):.3f}  worst {max(found):.3f}")
        best = min(times["wwt"]) / min(times["empty"])
        tell(f"  ratio of medians {medians['wwt'] / medians['empty']:.2f}, of the best {best:.2f}")

        server = Server(ours, home)
        server.ready()
        tell("memory in MB, resident / not shared:")
        tell("  after tools/list          {} / {}".format(*server.memory()))
        for title, query in (("a first English search", "How do we log in?"), ("a first Korean search", KOREAN)):
            began = time.perf_counter()
            server.ask("tools/call", name="wiki_search", arguments={"query": query})
            seconds = time.perf_counter() - began
            time.sleep(1)
            tell("  after {:21} {} / {}   ({:.2f} s)".format(title, *server.memory(), seconds))
        server.stop()


if __name__ == "__main__":
    main()
