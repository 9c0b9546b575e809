"""Every real transcript and export at hand, imported more than once: what is in the vault does not change any more."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from wwt_vault.ingest.transcripts import ingest_paths
from wwt_vault.state import state_for
from wwt_vault.vault import Vault, check, events


@pytest.mark.shared
def test_everything_imported_twice_is_there_once(vault: Vault, shared: Path) -> None:
    """All at once, again, and again when this machine has forgotten what it read: no event is added, none is changed.

    Every file has said something or is named with a reason, and the vault checks out.
    """
    transcripts = [path for path in sorted((shared / "transcripts").rglob("*")) if path.is_file()]
    state = state_for(vault)
    first = ingest_paths(vault, state, transcripts)
    kept = {path: path.read_bytes() for path in (vault.root / ".wwt" / "events").rglob("*.json")}
    assert first.events_added == len(kept) > 500
    heard = {event.host for event in events.iter_events(vault)}
    assert heard >= {"claude-code", "codex", "gemini", "cursor", "chatgpt", "claude-ai"}

    again = ingest_paths(vault, state, transcripts)
    shutil.rmtree(state.root)
    elsewhere = ingest_paths(vault, state, transcripts)
    assert (again.events_added, elsewhere.events_added) == (0, 0)
    assert {path: path.read_bytes() for path in (vault.root / ".wwt" / "events").rglob("*.json")} == kept
    assert check.check_vault(vault).problems == ()


@pytest.mark.shared
def test_a_file_of_which_nothing_comes_in_is_named(vault: Vault, shared: Path) -> None:
    """No file is passed over in silence when the person named it."""
    silent = []
    for path in sorted((shared / "transcripts").rglob("*")):
        if path.is_file():
            report = ingest_paths(vault, state_for(vault), [path])
            if not (report.events_added or report.events_known or report.skipped):
                silent.append(path.name)
    assert silent == []
