"""``wwt bench``: a person's own prompts as questions, in a copy, with the real model."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.bench.sets import BILINGUAL
from tests.test_cli import Run, as_json, wwt
from wwt_vault.config import Settings
from wwt_vault.errors import BadArgument
from wwt_vault.index.embedder import load_embedder
from wwt_vault.model.conversation import DocumentId, Revision
from wwt_vault.model.knowledge import Document, Section
from wwt_vault.operations import conversations, freshness, measuring
from wwt_vault.operations.workspace import Workspace, open_workspace
from wwt_vault.vault import Vault
from wwt_vault.vault.settings import set_meaning_weight

__all__ = ["wwt"]  # fixture


def said() -> list[list[str]]:
    """Return short conversations in two languages, each of a question and an answer."""
    lines = [
        line for path in sorted((BILINGUAL / "dev").glob("*.jsonl")) for line in path.read_text("utf-8").splitlines()
    ]
    return [row["said"] for row in map(json.loads, lines) if "said" in row]


def fill(vault: Vault, sessions: int, answer: str = "") -> Workspace:
    """Record conversations and index them; with ``answer`` it is every prompt's."""
    workspace = open_workspace(str(vault.root))
    start = datetime(2026, 3, 1, 3, tzinfo=UTC)
    for at, texts in enumerate(said()[:sessions]):
        messages = [
            {
                "role": "assistant" if turn % 2 else "user",
                "text": answer if turn % 2 and answer else text,
                "time": (start + timedelta(days=at, minutes=turn)).isoformat(),
            }
            for turn, text in enumerate(texts)
        ]
        conversations.record(workspace, "chat", f"session-{at}", messages, now=start + timedelta(days=at, hours=1))
    freshness.refresh(workspace, seconds=None)
    return workspace


def files(folder: Path) -> dict[str, bytes]:
    """Return every file below a folder."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_own_prompts_are_asked_and_nothing_is_changed(vault: Vault) -> None:
    """Every prompt's session is to be found by its answer; a session left out is to be found by nothing."""
    assert load_embedder(Settings()) is not None
    workspace = fill(vault, 40)
    before = files(vault.root), sorted(files(workspace.index.folder))

    found = measuring.measure(workspace, questions=40)

    assert found["has_meaning"]
    assert found["questions"] + found["without_answer"] >= 30
    assert {row["kind"] for row in found["kinds"]} >= {"ko → ko", "en → en"}
    by_weight = {row["weight"]: row for row in found["weights"]}
    assert by_weight[0.3]["recall"] > 0.5  # the prompts are gone, the answers say what they are about
    assert found["low"] <= found["gain"] <= found["high"]
    again = open_workspace(str(vault.root))  # as the next command: an engine begins as it began before
    assert found == measuring.measure(again, questions=40)
    assert (files(vault.root), sorted(files(workspace.index.folder))) == before


def test_no_word_of_a_prompt_is_left_to_find_it_by(vault: Vault) -> None:
    """Of sessions that differ by their prompts alone none can be told from another: the title has gone, too."""
    found = measuring.measure(fill(vault, 30, answer="네, 말씀하신 대로 그렇게 해 두었습니다."), questions=30)

    assert max(row["recall"] for row in found["weights"]) < 0.5


def test_a_note_is_asked_for_across_the_languages_where_that_can_be() -> None:
    """By one of its questions; the copy that is searched has none of them."""
    asked_in = {"a.md": ("when do we deploy?", "배포는 언제 하기로 했지?"), "b.md": ("who reviews?",), "c.md": ()}
    notes = {
        DocumentId(name): Document(
            id=DocumentId(name), revision=Revision(name), layer="curated", title="Deploys", time=None,
            questions=questions, sections=(Section(heading="", line=1, text="We deploy on Tuesdays."),),
        )
        for name, questions in asked_in.items()
    }  # fmt: skip

    asked, left = measuring._questions(notes, 200)

    assert {(one.text, one.kind, *one.gold) for one in asked} == {
        ("배포는 언제 하기로 했지?", "ko → en", "a.md"),
        ("who reviews?", "en → en", "b.md"),
    }
    assert not any(note.questions for note in left.values())


def test_a_vault_with_too_little_says_so(vault: Vault) -> None:
    """A figure from five questions would mean nothing."""
    with pytest.raises(BadArgument, match="wwt ingest"):
        measuring.measure(fill(vault, 5))
    with pytest.raises(BadArgument, match="between"):
        measuring.measure(open_workspace(str(vault.root)), questions=3)


def test_only_a_weight_that_is_better_than_by_chance_is_written(vault: Vault) -> None:
    """And only into its own line."""
    workspace = open_workspace(str(vault.root))
    config = vault.root / ".wwt" / "config.toml"
    before = config.read_bytes()

    assert not measuring.apply(workspace, {"is_better": False, "best": 0.6})
    assert config.read_bytes() == before
    assert measuring.apply(workspace, {"is_better": True, "best": 0.6})
    assert open_workspace(str(vault.root)).vault.settings.meaning_weight == 0.6


def test_the_command_prints_what_it_found(wwt: Run, vault: Vault) -> None:
    """For people and as JSON."""
    fill(vault, 30)

    found = as_json(wwt, "bench", "--questions", "30", "--apply")
    code, told, _ = wwt("bench", "--questions", "30")

    assert found["applied"] is found["is_better"]
    assert code == 0
    assert "0.3 (yours)" in told
    assert f"Something was found for {found['found_without_answer']} of {found['without_answer']} prompts" in told


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", "[search]\nmeaning_weight = 0.6\n"),
        ('[vault]\nlanguage = "ko"', '[vault]\nlanguage = "ko"\n\n[search]\nmeaning_weight = 0.6\n'),
        ("[search]\nmeaning_weight = 0.3 # mine\n[x]\ny=1\n", "[search]\nmeaning_weight = 0.6 # mine\n[x]\ny=1\n"),
        ("[search] # s\r\nmodel = 'm'\r\n", "[search] # s\r\nmeaning_weight = 0.6\r\nmodel = 'm'\r\n"),
        ("[x]\nmeaning_weight = 1\n[search]", "[x]\nmeaning_weight = 1\n[search]\nmeaning_weight = 0.6\n"),
    ],
)
def test_no_other_byte_of_the_settings_changes(vault: Vault, before: str, after: str) -> None:
    """Comments, line ends, other tables and other keys are the person's."""
    config = vault.root / ".wwt" / "config.toml"
    config.write_bytes(before.encode())

    set_meaning_weight(vault, 0.6)

    assert config.read_bytes() == after.encode()


@pytest.mark.parametrize("text", ["search = { meaning_weight = 0.3 }\n", "search.meaning_weight = 0.3\n"])
def test_settings_in_another_form_are_left_to_the_person(vault: Vault, text: str) -> None:
    """With what to write."""
    config = vault.root / ".wwt" / "config.toml"
    config.write_text(text, "utf-8")

    with pytest.raises(BadArgument, match=r"set it to 0\.6"):
        set_meaning_weight(vault, 0.6)
    assert config.read_text("utf-8") == text
