"""What is curated is marked once per session, and an old mark never takes back a new one."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest

from wwt_vault.errors import BadArgument
from wwt_vault.model.conversation import EventId
from wwt_vault.vault import Vault
from wwt_vault.vault.marks import mark_curated, read_curated_marks

AT = datetime(2026, 11, 30, 2, tzinfo=UTC)
EARLY, LATE = EventId("20261130T015801Z-9f2c4e1ab07d"), EventId("20261130T015802Z-000000000000")


def test_a_mark_is_read_back_and_is_the_documented_file(vault: Vault) -> None:
    """Schema, host, session, event and time; gist and questions where there are any."""
    mark_curated(vault, "codex", "s-1", EARLY, AT, gist="한 줄", questions=["왜?"])
    file = vault.root / ".wwt" / "curated" / "codex s-1.json"
    assert json.loads(file.read_bytes()) == {
        "schema": 1,
        "host": "codex",
        "session_id": "s-1",
        "upto": EARLY,
        "at": "2026-11-30T02:00:00.000Z",
        "gist": "한 줄",
        "questions": ["왜?"],
    }
    mark = read_curated_marks(vault)["codex", "s-1"]
    assert (mark.upto, mark.at, mark.gist, mark.questions) == (EARLY, AT, "한 줄", ("왜?",))


def test_the_newest_mark_stays(vault: Vault) -> None:
    """Marking up to an earlier event changes nothing of how far the session is done; what was said of it stays."""
    mark_curated(vault, "codex", "s", LATE, AT, gist="gist")
    kept = mark_curated(vault, "codex", "s", EARLY, AT + timedelta(days=1))
    assert (kept.upto, kept.gist) == (LATE, "gist")
    assert read_curated_marks(vault) == {("codex", "s"): kept}


def test_a_damaged_mark_counts_as_none_and_a_copy_does_not_win(vault: Vault) -> None:
    """The session waits again; a sync program's older copy of a mark is outweighed."""
    mark_curated(vault, "codex", "s", LATE, AT)
    folder = vault.root / ".wwt" / "curated"
    copy = json.loads((folder / "codex s.json").read_bytes()) | {"upto": EARLY}
    (folder / "codex s (conflict).json").write_text(json.dumps(copy))
    for n, text in enumerate(("", "{", "[]", '{"host": "x"}', json.dumps(copy | {"upto": "../x"}), "[" * 100_000)):
        (folder / f"damaged {n}.json").write_text(text)
    marks = read_curated_marks(vault)
    assert {key: mark.upto for key, mark in marks.items()} == {("codex", "s"): LATE}
    (folder / "codex s.json").write_text("{")
    assert mark_curated(vault, "codex", "s", LATE, AT).upto == LATE


def test_what_is_no_event_is_refused(vault: Vault) -> None:
    """Nothing is written for it."""
    with pytest.raises(BadArgument):
        mark_curated(vault, "codex", "s", EventId("yesterday"), AT)
    assert read_curated_marks(vault) == {}
