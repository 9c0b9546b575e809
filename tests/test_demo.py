"""``wwt demo``, the first thing anyone runs: all of it real, the server and the model too."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from wwt_vault.demo import HOSTS, Progress, questions, run
from wwt_vault.operations import recall
from wwt_vault.operations.workspace import open_workspace

pytestmark = pytest.mark.slow


@contextmanager
def no_bar(title: str) -> Iterator[Progress]:
    """Show nothing."""
    del title
    yield lambda done, total: None


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], list[str]]:
    """Return what the demo returns and what it tells."""
    lines: list[str] = []
    return run(tmp_path_factory.mktemp("demo"), bar=no_bar, tell=lines.append), lines


def test_it_answers_two_questions_and_declines_the_third(shown: tuple[dict[str, Any], list[str]]) -> None:
    """In Korean and in English, with citations; the third has no answer in the conversations, and none is made up."""
    korean, english, nothing = shown[0]["answers"]

    for answer, question in zip((korean, english), questions(), strict=False):
        assert answer["found"]
        assert "[^2026" in answer["text"]
        assert any(words in answer["text"].replace("\n> ", "\n") for words in question.says)
    assert not nothing["found"]
    assert nothing["text"].startswith("no record found")


def test_it_takes_in_all_three_hosts_and_indexes_all_of_it(shown: tuple[dict[str, Any], list[str]]) -> None:
    """Events of each, and a vault that can be opened."""
    result = shown[0]
    hosts = {name.split()[0] for name in result["sessions"]}

    assert hosts == set(HOSTS)
    assert result["events_added"] > 40
    assert result["passages"] > 9
    assert (Path(result["vault"]) / "Home.md").is_file()


def test_it_says_where_the_vault_lies(shown: tuple[dict[str, Any], list[str]]) -> None:
    """And shows each question with its answer."""
    result, lines = shown
    text = "\n".join(lines)

    assert result["vault"] in text
    assert all(question.text in text for question in questions())
    assert json.dumps(result)


def test_nothing_of_the_persons_is_touched(shown: tuple[dict[str, Any], list[str]], own_user_folders: Path) -> None:
    """State and index lie beside the demo's vault."""
    assert not list(own_user_folders.rglob("*"))
    assert (Path(shown[0]["vault"]).parent / "home").is_dir()


@pytest.mark.parametrize("question", questions("smoke"), ids=lambda question: question.text)
def test_other_questions_fare_as_well(shown: tuple[dict[str, Any], list[str]], question: Any) -> None:
    """Found first, or not at all where there is nothing."""
    from wwt_vault.config import user_folders

    vault = Path(shown[0]["vault"])
    workspace = open_workspace(str(vault), folders=user_folders({"HOME": str(vault.parent / "home")}))
    result = recall.search(workspace, question.text, limit=3)

    if question.says:
        assert any(words in hit["text"] for hit in result["hits"] for words in question.says)
    else:
        assert not result["found"]
