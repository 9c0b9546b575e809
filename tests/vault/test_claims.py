"""Every claim leads to the very words, or says why it does not."""

from __future__ import annotations

import json

from tests.vault.curating import UNKNOWN, at, save, say
from wwt_vault.vault import Vault, claims, layout, notes


def test_a_claim_leads_to_the_words_letter_for_letter(vault: Vault) -> None:
    """Facts with and without evidence, other bullets and paragraphs that cite, each with its heading and line."""
    words = "주문 DB는 PostgreSQL로 가자.\n> 따옴표, `code` ^end"
    one, two = say(vault, words), say(vault, "Two.", 5)
    body = (
        f"The state,\nin two lines [^{one}].\n\n## Facts\n\n- A fact [^{one}] [^{two}]\n  goes on\n"
        f"  - an inner one [^{two}]\n\n## Interpretation\n\n- no claim\n- a claim [^{two}]\n\nnothing here\n\n"
        f"```\n[^{one}]\n```\n"
    )
    note = save(vault, "T", body)
    path = at(vault, note)
    path.write_text(path.read_text("utf-8").replace("- A fact", "- mine\n-\n- A fact"), "utf-8")
    found = claims.claims(vault, "T")
    lines = path.read_text("utf-8").splitlines()

    assert [(claim.heading, claim.text, claim.is_fact, claim.supported) for claim in found] == [
        ("", "The state,\nin two lines .", False, True),
        ("Facts", "- mine", True, False),
        ("Facts", "- A fact\n  goes on", True, True),
        ("Facts", "- an inner one", True, True),
        ("Interpretation", "- a claim", False, True),
    ]
    assert [lines[claim.line - 1].split(" [")[0] for claim in found] == [
        "The state,", "- mine", "- A fact", "  - an inner one", "- a claim",
    ]  # fmt: skip
    said = found[2].said[0]
    assert (said.event, said.role, said.host, said.text, said.problem) == (one, "user", "claude-code", words, None)
    assert said.path == "50_Conversations/2026/2026-11-30 claude-code shop 42edc39d.md"
    assert f"\n^{one}\n" in (vault.root / said.path).read_text("utf-8")
    assert [entry.event for entry in found[2].said] == [one, two]


def test_words_that_are_not_there_or_not_the_same_are_named(vault: Vault) -> None:
    """Unknown, malformed, damaged, changed: such a claim is not supported."""
    kinds = ("gone", "broken", "changed")
    ids = [say(vault, kind, minute) for minute, kind in enumerate(kinds)]
    fine = say(vault, "fine", 9)
    body = "## Facts\n\n" + "".join(f"- {kind} [^{event}]\n" for kind, event in zip(kinds, ids, strict=True))
    note = save(vault, "T", f"{body}- fine [^{fine}]\n")
    path = at(vault, note)
    path.write_text(path.read_text("utf-8").replace("- fine", f"- odd [^20261130T0158Z] [^{UNKNOWN}]\n- fine"), "utf-8")
    files = [vault.root / layout.event_path(event) for event in ids]
    files[0].unlink()
    files[1].chmod(0o644)
    files[1].write_text("{")
    files[2].chmod(0o644)
    files[2].write_text(json.dumps(json.loads(files[2].read_text()) | {"text": "other"}))

    assert [
        (claim.text, [said.problem for said in claim.said], claim.supported) for claim in claims.claims(vault, "T")
    ] == [
        ("- gone", ["dangling_citation"], False),
        ("- broken", ["damaged_event"], False),
        ("- changed", ["event_changed"], False),
        ("- odd [^20261130T0158Z]", ["dangling_citation", "malformed_citation"], False),
        ("- fine", [None], True),
    ]


def test_a_page_has_claims_too_and_a_note_without_any_has_none(vault: Vault) -> None:
    """Whatever cites can be followed."""
    event = say(vault, "x")
    (vault.root / "Page.md").write_text(f"So it was said [^{event}]\n", "utf-8")
    (vault.root / "Empty.md").write_text("", "utf-8")

    assert [claim.supported for claim in claims.claims(vault, "Page")] == [True]
    assert claims.claims(vault, "Empty") == []
    assert notes.read_note(vault, "Page").evidence == (event,)
