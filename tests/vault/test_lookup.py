"""A note is found by whatever one knows of it, and never outside the vault."""

from __future__ import annotations

import os
import time
import unicodedata

import pytest

from tests.vault.curating import at, save, say
from wwt_vault.errors import (
    Ambiguous,
    NotFound,
    PathEscapes,
)
from wwt_vault.vault import Vault, layout, lookup, notes


class TestRead:
    """A note is found by whatever one knows of it."""

    def test_by_path_name_id_title_and_alias(self, vault: Vault) -> None:
        """Case and Unicode form do not matter."""
        event = say(vault, "x")
        note = save(vault, "재시도 Policy", f"x [^{event}]", type="topic", aliases=["How often?"])
        (vault.root / "Page.md").write_text("---\ntitle: The Title\n---\nx")
        refs = [
            note.path,
            note.path[:-3],
            note.path.upper(),
            "재시도 policy",
            unicodedata.normalize("NFD", "재시도 Policy.md"),
            note.id or "",
            "how OFTEN?",
            f"[[{note.path}|x]]",
        ]

        assert {notes.read_note(vault, ref).path for ref in refs} == {note.path}
        (vault.root / "Escaped.md").write_text('---\naliases: ["\\uC7AC \\u0041"]\n---\nx')
        assert notes.read_note(vault, "재 a").path == "Escaped.md"
        assert notes.read_note(vault, "the title").path == "Page.md"
        assert notes.read_note(vault, "the title").id is None

    def test_several_that_fit_are_listed(self, vault: Vault) -> None:
        """A copy made in Obsidian has the id of its original: nothing is chosen for the caller."""
        event = say(vault, "x")
        note = save(vault, "T", f"x [^{event}]")
        (vault.root / "T copy.md").write_bytes(at(vault, note).read_bytes())
        with pytest.raises(Ambiguous) as refused:
            notes.read_note(vault, note.id or "")

        assert refused.value.data["candidates"] == ["00_Inbox/T.md", "T copy.md"]

    def test_what_is_not_there_names_what_is_near(self, vault: Vault) -> None:
        """A slip of the pen is told from a note that never was."""
        save(vault, "Retry policy", f"x [^{say(vault, 'x')}]")
        with pytest.raises(NotFound) as missing:
            notes.read_note(vault, "Retry polcy")

        assert missing.value.data["similar"] == ["00_Inbox/Retry policy.md"]

    @pytest.mark.parametrize("ref", ["../x", "/etc/passwd.md", ".wwt/vault.md", "..\\x.md", "x\0.md"])
    def test_no_reading_outside(self, vault: Vault, ref: str) -> None:
        """A path that leads out is refused, not looked for."""
        with pytest.raises(PathEscapes):
            notes.read_note(vault, ref)

    def test_names_that_come_and_go_are_seen_in_a_folder_that_had_been_quiet(self, vault: Vault) -> None:
        """What is kept of a folder is given up with its stamp, whatever its modification time says."""
        folder = vault.root / "30_Knowledge"
        known: list[str] = []
        for step, change in enumerate(
            (
                lambda: (folder / "One.md").write_text("x", "utf-8"),
                lambda: (folder / "둘.md").write_text("x", "utf-8"),
                lambda: (folder / "One.md").rename(folder / "Uno.md"),
                (folder / "둘.md").unlink,
                (folder / "Deep").mkdir,
                lambda: (folder / "Deep" / "Two.md").write_text("x", "utf-8"),
                lambda: (folder / "Deep").rename(folder / "Deeper"),
            )
        ):
            time.sleep(0.02)  # two changes in one tick of the file system's clock are told apart by their being young
            change()
            for place in (vault.root, *(part for part in folder.rglob("*") if part.is_dir()), folder):
                os.utime(place, (1_000_000_000, 1_000_000_000))
            there = {
                path.stem for path in vault.root.rglob("*.md") if not path.is_relative_to(vault.root / ".obsidian")
            }
            names = lookup.names(vault)
            assert {name for name in there if layout.name_key(name) not in names} == set(), step
            assert not [name for name in ("One", "둘") if (layout.name_key(name) in names) != (name in there)], step
            known += [str(path) for path in names.get("two", [])]

        assert known == ["30_Knowledge/Deep/Two.md", "30_Knowledge/Deeper/Two.md"]
