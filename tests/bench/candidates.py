"""What the rules for candidates find in a turn, and what they should have found.

    python tests/bench/candidates.py

A case says which kinds a turn holds. A reversal counts as a decision and a constraint as a fact where a set does not
tell them apart; questions and notes are no kinds of ours. ``waggle`` is read from the folder beside the checkout;
``own`` is ``tests/data/turns``, Korean and English, whose kinds must be met exactly.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

from wwt_vault.curate.facts import candidates

SHARED: Final = Path(__file__).resolve().parents[3] / "shared" / "bench" / "waggle"
OWN: Final = Path(__file__).resolve().parents[1] / "data" / "turns" / "turns.jsonl"
AS_WAGGLE: Final = {"reversal": "decision", "constraint": "fact"}
KINDS: Final = ("decision", "preference", "fact")


def measure(name: str, cases: list[dict[str, Any]], kinds: tuple[str, ...], rename: dict[str, str]) -> None:
    """Print right, wrong and missed by kind, and the turns that are answered as they should be."""
    rows = {kind: [0, 0, 0] for kind in kinds}
    whole = forbidden = 0
    for case in cases:
        got = {rename.get(one.kind, one.kind) for one in candidates(case["user_message"], case["assistant_response"])}
        want = set(case["expected_node_types"]) & set(kinds)
        for kind in kinds:
            rows[kind][0] += kind in want and kind in got
            rows[kind][1] += kind not in want and kind in got
            rows[kind][2] += kind in want and kind not in got
        forbidden += bool(got & set(case.get("forbidden_node_types", ())))
        whole += got == want
        if got != want:
            print(
                f"  wanted {sorted(want)}, found {sorted(got)}: {case['user_message']} | {case['assistant_response']}"
            )
    print(f"\n{name}: {whole} of {len(cases)} turns as they should be; kinds that must not be: {forbidden}\n")
    print("| kind | right | wrong | missed | precision | recall |\n|" + " --- |" * 6)
    rows["all"] = [sum(row[at] for row in rows.values()) for at in range(3)]
    for kind, (right, wrong, missed) in rows.items():
        precision, recall = right / max(1, right + wrong), right / max(1, right + missed)
        print(f"| {kind} | {right} | {wrong} | {missed} | {precision:.2f} | {recall:.2f} |")


def main() -> None:
    """Measure and print."""
    for version in ("v1", "v2") if SHARED.is_dir() else ():
        cases = json.loads((SHARED / version / "extraction_cases.json").read_text("utf-8"))
        measure(f"waggle {version}", cases, KINDS, AS_WAGGLE)
    turns = [json.loads(line) for line in OWN.read_text("utf-8").splitlines()]
    for lang in ("en", "ko"):
        own = [
            {
                "user_message": turn["user"],
                "assistant_response": turn["assistant"],
                "expected_node_types": turn["kinds"],
            }
            for turn in turns
            if turn["lang"] == lang
        ]
        measure(f"own, {lang}", own, ("reversal", "decision", "preference", "constraint", "fact"), {})


if __name__ == "__main__":
    main()
