"""Documents that lie in exports become sources in the inbox: once, unverified, and then the person's."""

from __future__ import annotations

import json
import re
import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from wwt_vault.config import UserFolders
from wwt_vault.operations import conversations, sources
from wwt_vault.operations.workspace import Workspace, open_workspace
from wwt_vault.vault import Vault, documents, notes
from wwt_vault.vault.creation import create_vault

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
    assert note.partition("type: ")[2] == (
        "source\norigin: Claude.ai project Web/shop\nretrieved: 2026-01-01T09:00:00\nverification: unverified\n"
        "aliases:\n  - Web/shop\ntags: []\ncreated: 2026-01-01T09:00:00\nupdated: 2026-01-01T09:00:00\n"
        "written_by: claude-ai\n---\n\nThe shop.\n\n## Instructions\n\nBe brief.\n"
    )
    document = documents.load_document(workspace.vault, written[1])  # type: ignore[arg-type] # it is one
    assert (document.type, document.aliases) == ("source", ("Web/shop - Style: rules",))
    assert "Minji" not in note


def test_a_document_is_kept_as_any_source_is(workspace: Workspace, tmp_path: Path) -> None:
    """Its first revision is there, a label in it is no citation, a fact cites it, and it can be checked."""
    odd = {**PROJECT, "prompt_template": "as [^20260101T000000Z-0123456789ab] said", "docs": []}
    [path] = ingest(workspace, tmp_path, odd)
    vault, now = workspace.vault, datetime(2026, 11, 30, tzinfo=UTC)

    first = (vault.root / path).read_bytes()
    assert b"[\\^20260101T000000Z-0123456789ab]" in first
    [revision] = notes.history(vault, path)
    assert notes.read_revision(vault, path, revision.revision).encode() == first
    checked = sources.verify_source(workspace, path, state="checked", by="Minji", now=now)
    assert re.fullmatch(r"\[\^source-20260101-[0-9a-f]{12}\]", checked["citation"])
    assert [entry.reason for entry in notes.history(vault, path)] == [None, "checked by Minji"]


def test_a_source_of_an_earlier_version_is_known_and_its_history_begins_with_the_check(
    workspace: Workspace, tmp_path: Path
) -> None:
    """It had no first revision: the one before the check is kept, and who checked it."""
    path = workspace.vault.root / "00_Inbox" / "Web shop.md"
    path.write_text(
        '---\nid: source-0123456789ab\ntype: source\ntitle: "Web/shop"\norigin: "Claude.ai project Web/shop"\n'
        "retrieved: 2026-01-01T09:00:00+09:00\nverification: unverified\n---\n\nThe shop.\n\n"
        "## Instructions\n\nBe brief.\n",
        "utf-8",
    )
    before = path.read_text("utf-8")
    assert ingest(workspace, tmp_path, {**PROJECT, "docs": []}) == []
    now = datetime(2026, 11, 30, tzinfo=UTC)
    sources.verify_source(workspace, "Web shop", state="checked", by="Minji", now=now)
    first, second = notes.history(workspace.vault, "00_Inbox/Web shop.md")
    assert notes.read_revision(workspace.vault, "00_Inbox/Web shop.md", first.revision) == before
    assert (second.written_by, second.reason) == ("Minji", "checked by Minji")


def test_two_machines_that_import_the_same_write_the_same_files(tmp_path: Path) -> None:
    """So that their vaults have nothing to settle when they meet."""
    trees = []
    for name in "ab":
        root = create_vault(tmp_path / name, timezone="Asia/Seoul").root
        folders = UserFolders(config=tmp_path / name, state=tmp_path / f"{name} s", cache=tmp_path / f"{name} c")
        ingest(open_workspace(str(root), embedder=lambda: None, folders=folders), tmp_path, PROJECT)
        files = (file for folder in ("00_Inbox", ".wwt/revisions") for file in (root / folder).rglob("*"))
        trees.append({str(file.relative_to(root)): file.read_bytes() for file in files if file.is_file()})
    assert trees[0] == trees[1]
    assert len(trees[0]) >= 6


def test_a_document_that_no_note_can_be_is_named_and_the_others_are_kept(workspace: Workspace, tmp_path: Path) -> None:
    """One in the middle of a git conflict, say."""
    text = "<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs"
    bad = {**DOCUMENT, "uuid": "d0", "filename": "bad.md", "content": text}
    path = tmp_path / "projects.json"
    path.write_text(json.dumps([{**PROJECT, "docs": [bad, DOCUMENT]}]), "utf-8")
    report = conversations.ingest(workspace, [path])
    assert report["sources"] == ["00_Inbox/Web shop.md", "00_Inbox/Web shop - Style rules.md"]
    [skipped] = report["skipped"]
    assert skipped["reason"].startswith("document bad.md of Claude.ai project Web/shop: ")


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
