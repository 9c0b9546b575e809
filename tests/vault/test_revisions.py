"""What is kept of a note's past."""

from __future__ import annotations

import json

from tests.vault.curating import save, say
from wwt_vault.vault import Vault, notes, revisions


def test_records_are_plain_json(vault: Vault) -> None:
    """Another program can read the history without this one."""
    note = save(vault, "T", f"x [^{say(vault, 'x')}]", reason="왜")
    record = json.loads(next((vault.root / ".wwt" / "revisions" / (note.id or "")).glob("*.json")).read_text("utf-8"))

    assert record == {
        "schema": 1,
        "revision": note.revision,
        "base": None,
        "time": "2026-11-30T01:58:01.000Z",
        "written_by": "claude-code",
        "reason": "왜",
        "path": note.path,
    }


def test_a_damaged_record_hides_nothing_else(vault: Vault) -> None:
    """The revision it told of is then one without a writer, and still readable."""
    event = say(vault, "x")
    first = save(vault, "T", f"a [^{event}]")
    second = save(vault, "T", f"b [^{event}]", first.revision, reason="why")
    folder = vault.root / ".wwt" / "revisions" / (first.id or "")
    damaged = next(folder.glob(f"*-{first.revision[:12]}.json"))
    for content in (b"", b"[]", b"{", b'{"revision": 1}', b"\xff", b"[" * 100_000):
        damaged.chmod(0o644)
        damaged.write_bytes(content)
        found = notes.history(vault, "T")

        assert [(entry.revision, entry.reason) for entry in found] == [(first.revision, None), (second.revision, "why")]
        assert notes.read_revision(vault, "T", first.revision) == first.text


def test_a_revision_needs_twelve_digits_and_one_note(vault: Vault) -> None:
    """Fewer could be another's; those of another note are not this one's."""
    event = say(vault, "x")
    note, other = save(vault, "T", f"a [^{event}]"), save(vault, "U", f"b [^{event}]")

    assert revisions.kept(vault, note.id or "", note.revision[:12]) == note.text.encode()
    assert revisions.kept(vault, note.id or "", note.revision[:11]) is None
    assert revisions.kept(vault, note.id or "", other.revision) is None
