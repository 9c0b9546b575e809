"""Names of a question that nobody used in the vault are told: what was found is not believed to be about them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.index.library import note
from tests.index.test_soundalikes import index_of
from wwt_vault.search import search


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("zustand 상태 저장을 왜 바꿨지?", "zustand"),
        ("why did Prisma change how state is saved", "prisma"),
        ("PAY-9999 상태 저장을 왜 바꿨지?", "pay-9999"),
    ],
)
def test_a_name_that_is_nowhere_is_told(question: str, name: str, tmp_path: Path) -> None:
    """And where to say by which name the vault has it."""
    index = index_of(tmp_path, "상태 저장을 바꿨다: state is saved on change.")
    result = search(index, question, nearest=True)
    assert result.hits
    assert [said for said in result.notes if f"Nowhere in the vault: `{name}`" in said and "Glossary.md" in said]


@pytest.mark.parametrize(
    "question",
    [
        "redux 상태 저장을 왜 바꿨지?",  # as it is
        "리덕스 상태 저장을 왜 바꿨지?",  # in the other script
        "tauri 상태 저장",  # by its sound
        "state is saved on Monday in March",
        "상태 저장을 자주 갈아치운 까닭",  # a word that is nowhere, and no name
        "as a Developer I want to know how the State is saved, Thanks",
        "상태 저장을 왜 바꿨지? thx, Korean ok",
    ],
)
def test_what_is_there_or_is_no_name_is_not_told(question: str, tmp_path: Path) -> None:
    """Else every question in other words would be answered with a warning."""
    index = index_of(tmp_path, "Redux, 타우리: 상태 저장을 바꿨다, state is saved on change.")
    result = search(index, question, nearest=True)
    assert result.hits
    assert not [said for said in result.notes if "Nowhere" in said]


def test_a_project_is_known_though_no_text_names_it(tmp_path: Path) -> None:
    """Its conversations do not say in which project they are."""
    index = index_of(tmp_path, replace(note("state.md", "상태 저장을 바꿨다: state is saved."), project="shop-web"))
    result = search(index, "shop-web 상태 저장은 어떻게 해?", nearest=True)
    assert result.hits
    assert not [said for said in result.notes if "Nowhere" in said]
