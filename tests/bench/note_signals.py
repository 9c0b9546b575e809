"""How often a new note is rightly held back for one that is there, and how often wrongly.

    python tests/bench/note_signals.py [--words]

Every pair of a set becomes one vault: the first statement is saved as a note, then the second as a new one, through the
same operation that agents call. Asked is whether the second is refused as a duplicate; of our own pairs also whether
it is refused as a contradiction. ``--words`` measures without a model. ``waggle`` and ``memento-ko`` are read from the
folder beside the checkout; ``own`` is ``tests/data/statements``, Korean, English and across.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import combinations
from pathlib import Path
from typing import Final, NamedTuple

from sets import SHARED

from wwt_vault.config import Settings, UserFolders
from wwt_vault.errors import SimilarNotes
from wwt_vault.index.embedder import Embedder, load_embedder
from wwt_vault.operations import conversations, notes
from wwt_vault.operations.workspace import open_workspace
from wwt_vault.vault.creation import create_vault

OWN: Final = Path(__file__).resolve().parents[1] / "data" / "statements" / "pairs.jsonl"
NOW: Final = datetime(2026, 11, 30, tzinfo=UTC)


class Pair(NamedTuple):
    """Two statements, each a title and a sentence, and what they are to one another."""

    kind: str
    """``duplicate``, ``contradiction``, ``other``; ``not duplicate`` where a set does not tell the last two apart."""
    one: tuple[str, str]
    other: tuple[str, str]
    group: str = "all"


def waggle(version: str) -> list[Pair]:
    """Return the pairs of one version of waggle's set."""
    rows = json.loads((SHARED / "waggle" / version / "dedup_cases.json").read_text("utf-8"))
    return [
        Pair(
            "duplicate" if row["should_dedup"] else "not duplicate",
            (row["first"]["label"], row["first"]["content"]),
            (row["second"]["label"], row["second"]["content"]),
        )
        for row in rows
    ]


def memento() -> list[Pair]:
    """Return every two of memento's 20 claims, none of which says what another says.

    ``opposite`` are those on one topic of which one affirms and the other denies: false friends. A claim is its title.
    """
    rows = json.loads((SHARED / "memento-ko" / "claim-golden-20.json").read_text("utf-8"))
    pairs = []
    for one, other in combinations(rows, 2):
        polarities = {row["expected"]["polarity"] for row in (one, other)}
        group = "another topic"
        if one["topic"] == other["topic"]:
            group = "opposite" if polarities == {"positive", "negative"} else "one topic"
        pairs.append(Pair("not duplicate", (one["content"],) * 2, (other["content"],) * 2, group))
    return pairs


def own() -> list[Pair]:
    """Return the project's own pairs."""
    rows = map(json.loads, OWN.read_text("utf-8").splitlines())
    return [Pair(row["kind"], tuple(row["one"]), tuple(row["other"]), row["lang"]) for row in rows]


def answer(pair: Pair, embedder: Embedder | None) -> str:
    """Save both as notes of a new vault; return why the second was refused, ``other`` when it was not."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        create_vault(root / "vault", timezone="UTC")
        workspace = open_workspace(
            str(root / "vault"),
            embedder=lambda: embedder,
            folders=UserFolders(config=root / "config", state=root / "state", cache=root / "cache"),
        )
        said = [{"role": "user", "text": pair.one[1]}, {"role": "assistant", "text": "ok"}]
        event = conversations.record(workspace, "chat", "s", said, now=NOW)["added"][0]
        for title, text in (pair.one, pair.other):
            body = f"## Facts\n\n- {text} [^{event}]\n"
            try:
                notes.save_note(workspace, title, body=body, type="decision", written_by="bench", now=NOW)
            except SimilarNotes as error:
                return str(error.data["similar"][0]["kind"])
    return "other"


def rows(pairs: list[Pair], embedder: Embedder | None) -> Iterator[str]:
    """Yield the lines of a table: per group and signal, right, wrong, missed."""
    answers = [(pair, answer(pair, embedder)) for pair in pairs]
    for pair, got in answers:
        if got != pair.kind and not (pair.kind == "not duplicate" and got == "other"):
            print(f"  {pair.kind}, answered {got}: {pair.one[1]} | {pair.other[1]}")
    for (group, got), many in Counter((pair.group, got) for pair, got in answers).items():
        print(f"  {group}: {many} answered {got}")
    signals = ("duplicate",) if any(pair.kind == "not duplicate" for pair in pairs) else ("duplicate", "contradiction")
    for signal in signals:
        for group in dict.fromkeys(["all", *(pair.group for pair in pairs)]):
            counts = Counter(
                (pair.kind == signal, got == signal) for pair, got in answers if group in ("all", pair.group)
            )
            right, wrong, missed = counts[True, True], counts[False, True], counts[True, False]
            precision, recall = (f"{right / of:.2f}" if of else "" for of in (right + wrong, right + missed))
            total = f"{sum(counts.values())} | {right} | {wrong} | {missed}"
            yield f"| {signal} | {group} | {total} | {precision} | {recall} |"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--words", action="store_true")
    embedder = None if parser.parse_args().words else load_embedder(Settings())
    sets = {
        "waggle v1": lambda: waggle("v1"),
        "waggle v2": lambda: waggle("v2"),
        "memento-ko": memento,
        "own": own,
    }
    for name, load in sets.items():
        if name != "own" and not SHARED.is_dir():
            print(f"{name}: not here")
            continue
        print(f"\n### {name}\n")
        lines = list(rows(load(), embedder))
        print("\n| signal | pairs | n | right | wrong | missed | precision | recall |\n|" + " --- |" * 8)
        print("\n".join(lines))


if __name__ == "__main__":
    main()
