"""Whether the MCP server grows with the calls it answers: its memory over 10,000 of them.

Run: ``python tests/bench/mcp_calls.py [calls]``. One server over a pipe, by words alone, with the sample conversations
of the demo; the calls are a mix of all that an agent does, saves and refusals among them. Prints the resident set after
every tenth of the calls, and exits with 1 when the last is more than 10 MB above the one after the second tenth: until
then caches fill.
"""

from __future__ import annotations

import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

from mcp_start import HELLO, KOREAN, Server, make_vault, tell

ALLOWED = 10
"""MB."""


def calls(number: int, event: str) -> tuple[str, dict[str, Any]]:
    """Return the ``number``-th call."""
    said = [{"role": "user", "text": f"message {number % 500} of the bench", "time": "2026-11-29T01:00:00Z"}]
    kinds: list[tuple[str, dict[str, Any]]] = [
        ("wiki_search", {"query": KOREAN if number // 10 % 2 else f"How do we log in, number {number}?"}),
        ("wiki_get_context", {"query": f"database backup {number % 97}", "project": "shop"}),
        ("wiki_read_events", {"ids": [event], "around": 3}),
        ("wiki_read", {"note": "Home.md"}),
        ("wiki_record", {"host": "bench", "session_id": f"s{number % 50}", "messages": said}),
        ("wiki_uncurated", {}),
        ("wiki_search", {"query": "nothing of this is there: qzxv"}),
        ("wiki_read", {"note": f"no such note {number}"}),
        ("wiki_save_note", {"note": f"Bench {number % 20}", "body": f"Said {number} [^{event}]\n", "type": "topic"}),
        ("wiki_status", {}),
    ]
    return kinds[number % len(kinds)]


def main() -> int:
    """Measure and print."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        vault = make_vault(home)
        config = vault / ".wwt" / "config.toml"
        config.write_text(config.read_text("utf-8").replace('# embedder = "auto"', 'embedder = "none"'), "utf-8")
        event = next((vault / ".wwt" / "events").rglob("*.json")).stem
        server = Server(["-m", "wwt_vault", "serve", "--vault", str(vault)], home)
        server.ask("initialize", **HELLO)
        began = time.perf_counter()
        sizes: list[int] = []
        refused = 0
        for number in range(1, count + 1):
            tool, arguments = calls(number, event)
            answer = server.ask("tools/call", name=tool, arguments=arguments)
            refused += bool(answer.get("isError"))
            if number % max(1, count // 10) == 0:
                resident, unshared = server.memory()
                sizes.append(resident)
                tell(f"  after {number:6} calls: {resident} MB resident, {unshared} not shared")
        seconds = time.perf_counter() - began
        server.stop()
    grown = sizes[-1] - sizes[1]
    done = f"{count} calls ({refused} refused) in {seconds:.0f} s"
    tell(f"{datetime.now(UTC):%Y-%m-%d %H:%M}: {done}, {grown:+} MB since the second tenth")
    return int(grown > ALLOWED)


if __name__ == "__main__":
    sys.exit(main())
