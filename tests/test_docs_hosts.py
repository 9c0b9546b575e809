"""The pages of the hosts: each has one, says what is captured and what is not, and where to look."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from wwt_vault.capture import HOSTS
from wwt_vault.capture.archives import PRIVATE_NAMES

PAGES = Path(__file__).resolve().parents[1] / "docs" / "hosts"
IMPORTED = [name for name, spec in HOSTS.items() if not spec.own_events]


@pytest.mark.parametrize("host", ["cursor", *(name for name in IMPORTED if name != "generic")])
def test_a_hosts_page_answers_what_people_ask(host: str) -> None:
    """What is kept, what is not, how one sees that it works, how it is stopped."""
    page = (PAGES / f"{host}.md").read_text("utf-8")
    assert page.startswith(f"# {HOSTS[host].title}\n")
    assert re.findall(r"(?m)^## (.+)$", page) == ["Captured", "Left out", "How to check", "Switching it off"]
    assert "$ wwt ingest" in page


def test_the_form_for_anything_else_has_a_page() -> None:
    """It is a promise; tests/capture/test_generic.py holds the program to it."""
    assert "This page is normative" in (PAGES / "generic.md").read_text("utf-8")


def test_cursors_page_names_every_place_that_is_looked_at() -> None:
    """Nobody has to read the source to find their conversations."""
    page = (PAGES / "cursor.md").read_text("utf-8")
    for pattern in (*HOSTS["cursor"].transcripts, *HOSTS["cursor"].elsewhere):
        place = "store.db" if pattern.endswith("store.db") else pattern.split("/")[-2 if "*" in pattern else -1]
        assert place.strip("*") in page, pattern
        assert pattern.rpartition(".")[2] in page, pattern


def test_what_is_never_opened_is_said() -> None:
    """The account's data, by the names of the files."""
    pages = (PAGES / "chatgpt.md").read_text("utf-8") + (PAGES / "claude-ai.md").read_text("utf-8")
    assert all(f"`{name}`" in pages for name in PRIVATE_NAMES)
