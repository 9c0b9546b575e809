"""What a save of a curated note costs in a vault of 100 and of 10,000 notes, and a walk along relations there.

    python tests/bench/note_speed.py [--notes 10000] [--rounds 40]

Prints medians in ms, taken in turns, and their ratio. Half of the names are Korean.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

from wwt_vault.model.conversation import EventId, Message, Session
from wwt_vault.vault import Vault, events, lookup, notes, sessions
from wwt_vault.vault.creation import create_vault

AT = datetime(2026, 11, 30, 1, 58, 1, tzinfo=UTC)
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


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--notes", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=40)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        vaults = {count: vault_of(Path(folder), count) for count in (100, chosen.notes)}
        taken: dict[tuple[str, int], list[float]] = {}
        for number in range(chosen.rounds):
            for count, (vault, event) in vaults.items():
                at = AT + timedelta(seconds=number)
                locks = vault.root.parent / "locks"
                more = {"written_by": "bench", "at": at, "locks": locks}
                title, other = f"새 노트 {number}", name_of(number)
                for what, related in (("new", None), ("new, related", {"relates_to": [other]})):
                    began = time.perf_counter()
                    saved = notes.save_note(
                        vault, note=f"{title} {what}", body=f"x [^{event}]", revision=None, type="topic",
                        relations=related, **more,
                    )  # fmt: skip
                    taken.setdefault((what, count), []).append(time.perf_counter() - began)
                began = time.perf_counter()
                notes.save_note(vault, note=saved.title, body=f"y [^{event}]", revision=saved.revision, **more)
                taken.setdefault(("changed", count), []).append(time.perf_counter() - began)
        for what in ("new", "new, related", "changed"):
            small, large = (statistics.median(taken[what, count]) * 1000 for count in vaults)
            print(f"{what:14}{small:8.1f} ms of 100{large:8.1f} ms of {chosen.notes}   ratio {large / small:.2f}")
        vault, _ = vaults[chosen.notes]
        began = time.perf_counter()
        lookup.list_notes(vault)
        print(f"properties of all notes: {(time.perf_counter() - began) * 1000:.0f} ms")


if __name__ == "__main__":
    main()
