"""Documents that lie in exports become sources in the inbox: once, unverified, and then the person's."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from wwt_vault.operations import conversations
from wwt_vault.operations.workspace import Workspace, open_workspace
from wwt_vault.vault import Vault, documents

DOCUMENT = {
    "uuid": "d1",
    "filename": "Style: rules.md",
    "content": "# Style\n\nShort.",
    "created_at": "2026-01-01T00:00Z",
}
PROJECT = {
    "uuid": "p1", "name": "Web/shop", "description": "The shop.", "prompt_template": "Be brief.", "docs": [DOCUMENT],
    "created_at": "2026-01-01T00:00:00Z", "creator": {"full_name": "Kim Minji"},
}  # fmt: skip


@pytest.fixture
def workspace(vault: Vault) -> Workspace:
    """Return an opened vault that searches by words."""
    return open_workspace(str(vault.root), embedder=lambda: None)


def ingest(workspace: Workspace, folder: Path, *projects: dict[str, Any]) -> list[str]:
    """Import projects; return the notes that were written."""
    path = folder / "projects.json"
    path.write_text(json.dumps(projects), "utf-8")
    written: list[str] = conversations.ingest(workspace, [path])["sources"]
    return written


def test_a_project_and_its_documents_are_notes_of_type_source(workspace: Workspace, tmp_path: Path) -> None:
    """With where they come from, when they were changed there, and that nobody has checked them."""
    written = ingest(workspace, tmp_path, PROJECT)
    assert written == ["00_Inbox/Web shop.md", "00_Inbox/Web shop - Style rules.md"]
    note = (workspace.vault.root / written[0]).read_text("utf-8")
    assert note.partition("title")[2] == (
        ': "Web/shop"\norigin: "Claude.ai project Web/shop"\nretrieved: 2026-01-01T09:00:00+09:00\n'
        "verification: unverified\n---\n\nThe shop.\n\n## Instructions\n\nBe brief.\n"
    )
    document = documents.load_document(workspace.vault, written[1])  # type: ignore[arg-type] # it is one
    assert (document.type, document.title) == ("source", "Web/shop - Style: rules")
    assert "Minji" not in note


def test_what_the_person_does_with_a_note_is_theirs(workspace: Workspace, tmp_path: Path) -> None:
    """Changed, moved or deleted: another import of the same export writes nothing."""
    first, second = (workspace.vault.root / path for path in ingest(workspace, tmp_path, PROJECT))
    first.write_text("mine", "utf-8")
    second.unlink()
    assert ingest(workspace, tmp_path, PROJECT, {"uuid": "p9", "name": "x", "prompt_template": "", "docs": []}) == []
    assert first.read_text("utf-8") == "mine" and not second.exists()


def test_a_document_that_has_changed_is_another_note(workspace: Workspace, tmp_path: Path) -> None:
    """The one that may have been cited stays as it is."""
    [path, _] = ingest(workspace, tmp_path, PROJECT)
    before = (workspace.vault.root / path).read_bytes()
    changed = {**PROJECT, "prompt_template": "Be long.", "updated_at": "2026-02-01T00:00:00Z"}
    assert ingest(workspace, tmp_path, changed) == ["00_Inbox/Web shop 2026-02-01.md"]
    assert (workspace.vault.root / path).read_bytes() == before


def test_names_that_are_equal_but_for_case_or_hold_nothing_are_no_hindrance(
    workspace: Workspace, tmp_path: Path
) -> None:
    """Each document gets a note of its own."""
    projects = [{**PROJECT, "uuid": name, "name": title, "docs": []} for name, title in [("1", "Shop"), ("2", "SHOP")]]
    projects += [
        {**PROJECT, "uuid": "3", "name": "///", "docs": []},
        {**PROJECT, "uuid": "4", "name": None, "docs": []},
    ]
    written = ingest(workspace, tmp_path, *projects)
    assert written[:3] == ["00_Inbox/Shop.md", "00_Inbox/SHOP 2026-01-01.md", "00_Inbox/Document.md"]
    assert len({path.casefold() for path in written}) == 4


def test_a_lost_state_costs_no_note(workspace: Workspace, tmp_path: Path) -> None:
    """What is there with the same bytes is known."""
    ingest(workspace, tmp_path, PROJECT)
    shutil.rmtree(workspace.state.root)
    assert ingest(workspace, tmp_path, PROJECT) == []
