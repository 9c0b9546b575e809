"""The worked example of ``docs/search.md`` is what happens, with the real model."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from wwt_vault.config import Settings
from wwt_vault.index import Index
from wwt_vault.index.embedder import load_embedder
from wwt_vault.model.conversation import DocumentId, EventId, Revision, Turn
from wwt_vault.model.knowledge import Document, Filters
from wwt_vault.search import search
from wwt_vault.search.candidates import gather, score, weigh_evidence
from wwt_vault.search.when import When

PAGE = (Path(__file__).parents[1] / "docs" / "search.md").read_text("utf-8")
QUESTION, ORIGINALLY, NOTHING = re.findall(r"`([가-힣][^`]*\?|[가-힣][^`]*지\?)`", PAGE)
NOW = datetime(2026, 6, 10, tzinfo=UTC)


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    """Return the conversations of the page, indexed and embedded."""
    model = load_embedder(Settings())
    documents = {}
    for part in PAGE.split("```text\n")[1].split("```")[0].strip().split("\n\n"):
        day, *lines = part.splitlines()
        start = datetime.fromisoformat(day).replace(hour=3, tzinfo=UTC)
        turns = tuple(
            Turn(
                event=EventId(f"{start + timedelta(seconds=at):%Y%m%dT%H%M%SZ}-{at:012x}"),
                role=role,  # type: ignore[arg-type]  # user or assistant, as the page says
                time=start + timedelta(seconds=at),
                line=10 + 3 * at,
                text=text,
            )
            for at, (role, text) in enumerate(line.split(": ", 1) for line in lines)
        )
        name = DocumentId(f"{day}.md")
        title = f"{day} claude-code"
        documents[name] = Document(
            id=name, revision=Revision(day), layer="session", title=title, time=start, turns=turns
        )
    found = Index(tmp_path_factory.mktemp("index"), lambda: model)
    found.refresh(dict.fromkeys(documents, "1 1 1 1"), documents.__getitem__)
    found.embed_pending()
    return found


def test_the_words_of_the_question_weigh_what_the_page_says(index: Index) -> None:
    """Particles, endings and what only asks are gone."""
    said = dict(re.findall(r"([가-힣]+) \((\d\.\d\d)\)", PAGE.split("Its words are")[1].split(":")[0]))

    assert {term: f"{idf:.2f}" for term, idf in index.query_terms(QUESTION)} == said


def test_every_figure_of_the_table_is_what_comes_out(index: Index) -> None:
    """Words and coverage exactly; what the model says within .04, for it differs between processors."""
    rows = [line.strip("| ").split(" | ") for line in PAGE.splitlines() if line.startswith("| 2026")]
    found, _, _ = gather(index, QUESTION, Filters())
    weigh_evidence(found)
    score(found, 0.3, When())
    ranked = sorted(found, key=lambda candidate: -candidate.score)

    assert len(rows) == len(ranked) == 5
    for (name, words, coverage, *others), candidate in zip(rows, ranked, strict=True):
        assert f"{name}.md" == candidate.passage.document
        assert (words, coverage) == (f"{candidate.keyword:.2f}", f"{candidate.coverage:.2f}")
        for told, value in zip(others, (candidate.cosine, candidate.score, candidate.evidence), strict=True):
            assert float(told) == pytest.approx(value, abs=0.04)


def test_the_newer_one_is_first_for_now_and_the_older_for_then(index: Index) -> None:
    """And what is far from everything is not listed."""
    now = search(index, QUESTION, now=NOW).hits
    then = search(index, ORIGINALLY, now=NOW).hits

    assert [hit.passage.document for hit in now[:2]] == ["2026-05-20.md", "2026-03-02.md"]
    assert "newer on the same matter" in now[0].why
    assert "2026-06-03.md" not in {hit.passage.document for hit in now}
    assert then[0].passage.document == "2026-03-02.md"


def test_the_last_question_finds_nothing(index: Index) -> None:
    """Nobody spoke of it."""
    assert not search(index, NOTHING, now=NOW).found
