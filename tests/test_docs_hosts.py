"""The pages of the hosts: each has one, says what is captured and what is not, and where to look."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from wwt_vault.capture import HOSTS
from wwt_vault.capture.archives import PRIVATE_NAMES
from wwt_vault.setup.hosts import CONNECTIONS

ROOT = Path(__file__).resolve().parents[1]
PAGES = ROOT / "docs" / "hosts"
IMPORTED = [name for name, spec in HOSTS.items() if not spec.own_events]


TITLES = {name: row.title for name, row in CONNECTIONS.items()} | {
    name: HOSTS[name].title for name in IMPORTED if name != "generic"
}


@pytest.mark.parametrize("host", TITLES)
def test_a_hosts_page_answers_what_people_ask(host: str) -> None:
    """What is kept, what is not, how one sees that it works, how it is stopped."""
    page = (PAGES / f"{host}.md").read_text("utf-8")
    assert page.startswith(f"# {TITLES[host]}\n")
    assert re.findall(r"(?m)^## (.+)$", page) == ["Captured", "Left out", "How to check", "Switching it off"]
    assert "$ wwt ingest" in page or host == "vscode"


@pytest.mark.parametrize("readme", [ROOT / "README.md", ROOT / "docs" / "ko" / "README.md"], ids=["en", "ko"])
@pytest.mark.parametrize("host", TITLES)
def test_the_readme_leads_to_every_page_and_names_the_version_it_names(readme: Path, host: str) -> None:
    """One row for each host; where the real program is run, with the version that it was last run with."""
    [row] = [line for line in readme.read_text("utf-8").splitlines() if f"hosts/{host}.md)" in line]
    page = (PAGES / f"{host}.md").read_text("utf-8")
    for version in re.findall(rf"Last tested with {TITLES[host]} ([\d.]+\d)", page):
        assert f"| {version} |" in row
    assert ("Last tested with" in page) == (host in ("claude-code", "codex", "gemini"))


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
