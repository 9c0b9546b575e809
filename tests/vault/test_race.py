"""A person's editor takes no lock of ours: its edits against a busy agent, thousands of times, and none is lost."""

from __future__ import annotations

import multiprocessing
import time
from datetime import timedelta
from pathlib import Path

import pytest

from tests.vault.curating import AT, at, save, say
from wwt_vault.errors import HumanConflict, StaleRevision
from wwt_vault.vault import Vault, notes

_LATE = 0.04
"""Seconds. An editor that has held the file open for longer, without a rename, is beyond what can be promised
(docs/vault-format.md, Writing): on a machine that stalls, such an edit is not counted."""


def _edit(path: str, how: str, edits: int) -> None:
    """Add tokens, one by one, as an editor does: read, add, write. Note down the late ones."""
    late = Path(f"{path}.late")
    late.write_text("")
    for number in range(edits):
        text = Path(path).read_text("utf-8") + f"\ntoken{number}.\n"
        if how == "in place":
            began = time.monotonic()
            Path(path).write_text(text, "utf-8")
            if time.monotonic() - began > _LATE:
                with late.open("a") as file:
                    file.write(f"{number}\n")
        else:
            aside = Path(f"{path}.editor")
            aside.write_text(text, "utf-8")
            aside.replace(path)
        time.sleep(0.002)


@pytest.mark.parametrize("edits", [100, pytest.param(3000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("how", ["in place", "replacing"])
def test_no_edit_of_a_person_is_lost(vault: Vault, how: str, edits: int) -> None:
    """Every word is in the note or in a revision that is kept; the agent, which never stops, gets its saves through."""
    event = say(vault, "x")
    note = save(vault, "T", f"x [^{event}]")
    path = at(vault, note)
    person = multiprocessing.get_context("spawn").Process(target=_edit, args=(str(path), how, edits))
    person.start()
    saves = refused = 0
    while person.is_alive():
        there = notes.read_note(vault, "T")
        try:
            save(vault, "T", f"save {saves} [^{event}]\n", there.revision, at=AT + timedelta(seconds=saves))
            saves += 1
        except (StaleRevision, HumanConflict):  # the latter while the editor has emptied the file to write it
            refused += 1
    person.join()
    late = {int(line) for line in Path(f"{path}.late").read_text().split()}
    kept = [file.read_text("utf-8") for file in (vault.root / ".wwt" / "revisions").rglob("*.md")]
    words = "\n".join([*kept, path.read_text("utf-8")])
    lost = [number for number in range(edits) if f"token{number}." not in words and number not in late]

    assert person.exitcode == 0
    assert lost == [], f"{how}: {edits} edits, {saves} saves, {refused} refused, {len(late)} late"
    assert saves
    assert not list(path.parent.glob(".tmp-swap-*"))
