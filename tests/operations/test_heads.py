"""The kept properties of notes: the same graph as from notes read anew, whatever changed, whatever the file holds."""

from __future__ import annotations

from pathlib import Path

import pytest

from wwt_vault.operations.heads import Heads
from wwt_vault.vault import Vault, documents, related
from wwt_vault.vault.related import Graph


def write(vault: Vault, name: str, other: str = "") -> None:
    """Write a note that may depend on another."""
    relation = f'depends_on:\n  - "[[{other}]]"\n' if other else ""
    text = f"---\nid: {name.lower()}\ntype: topic\ntags: [a, b]\naliases: [x{name}]\n{relation}---\nwords\n"
    (vault.root / "30_Knowledge" / f"{name}.md").write_text(text, "utf-8")


def anew(vault: Vault) -> Graph:
    """Return the graph with every note read."""
    catalog = documents.catalog(vault)
    return related.graph_of((head for _, head in related.read_heads(vault, catalog).values()), catalog)


def test_what_changed_is_seen_and_nothing_else_is_read(vault: Vault, tmp_path: Path) -> None:
    """Added, changed, deleted, between processes too; while nothing changes, the very same graph comes back."""
    for number in range(80):
        write(vault, f"N{number}", f"N{(number + 1) % 80}")
    kept = Heads(tmp_path / "heads.json")
    graph = kept.graph(vault, documents.catalog(vault))
    assert graph == anew(vault)
    assert kept.graph(vault, documents.catalog(vault)) is graph

    write(vault, "N3", "N77")
    (vault.root / "30_Knowledge" / "N5.md").unlink()
    write(vault, "New", "N1")
    assert kept.graph(vault, documents.catalog(vault)) == anew(vault) != graph
    assert Heads(tmp_path / "heads.json").graph(vault, documents.catalog(vault)) == anew(vault)


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b'{"schema": 1, "fields": [], "notes": [[1]]}', b"null", b"\xff"])
def test_a_damaged_file_is_made_again(vault: Vault, tmp_path: Path, data: bytes) -> None:
    """Whatever it holds: the answer comes from the vault."""
    write(vault, "A", "B")
    write(vault, "B")
    (tmp_path / "heads.json").write_bytes(data)

    assert Heads(tmp_path / "heads.json").graph(vault, documents.catalog(vault)) == anew(vault)
