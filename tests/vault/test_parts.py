"""Sections of a note: read one, replace some."""

from __future__ import annotations

import pytest

from tests.vault.curating import save, say
from wwt_vault import markdown
from wwt_vault.errors import (
    Ambiguous,
    BadArgument,
    NotFound,
)
from wwt_vault.vault import Vault, notes


class TestSections:
    """A part is read, a part is changed, the rest stays."""

    def test_a_section_is_read_by_its_heading(self, vault: Vault) -> None:
        """By text or by path of headings, deeper ones included; a doubled heading asks for the path."""
        event = say(vault, "x")
        text = f"# A\n\n## Notes\n\none [^{event}]\n\n### Deep\ntwo\n\n# B\n## Notes\nthree\n# C > D\nfour\n"
        note = save(vault, "T", text)
        first = notes.note_section(note, "A > Notes")

        assert (first.heading, first.events) == ("A > Notes", (event,))
        assert first.text == f"one [^{event}]\n\n### Deep\ntwo"
        assert note.text.split("\n")[first.line - 1] == f"one [^{event}]"
        assert notes.note_section(note, "a#notes") == first
        assert notes.note_section(note, "## deep").text == "two"
        assert notes.note_section(note, "C > D").text.startswith("four")
        with pytest.raises(Ambiguous, match="2 headings"):
            notes.note_section(note, "Notes")
        with pytest.raises(NotFound, match="A > Notes > Deep"):
            notes.note_section(note, "Nothing")

    def test_sections_are_replaced_where_they_stand(self, vault: Vault) -> None:
        """By heading or path of headings, deeper headings included; what is around keeps its bytes."""
        event = say(vault, "x")
        text = f"intro [^{event}]\n\n# A\n## Notes\none\n\n### Deep\ntwo\n\n# B\n## Notes\nthree\n\n## Last\nfour\n"
        note = save(vault, "T", text)
        body = notes.with_sections(note, {"A > Notes": "\nONE\n", "last": "FOUR"})
        after = save(vault, "T", body, note.revision)

        assert markdown.split(after.text).body.split(f"[^{event}]:")[0] == (
            f"\nintro [^{event}]\n\n# A\n## Notes\n\nONE\n\n# B\n## Notes\nthree\n\n## Last\n\nFOUR\n\n"
        )

    def test_sections_that_are_not_clear_are_refused(self, vault: Vault) -> None:
        """Unknown, doubled, or one inside another."""
        note = save(vault, "T", f"# A\n## N\n[^{say(vault, 'x')}]\n# B\n## N\n")
        for sections, error in (({"X": ""}, NotFound), ({"N": ""}, Ambiguous), ({"A": "", "A > N": ""}, BadArgument)):
            with pytest.raises(error):
                notes.with_sections(note, sections)

    def test_a_section_that_is_read_and_put_back_changes_nothing(self, vault: Vault) -> None:
        """Reading and replacing mean the same part."""
        event = say(vault, "x")
        note = save(vault, "T", f"# A\n\none [^{event}]\n\n## B\n\ntwo\n\n# C\n\nthree")
        body = notes.with_sections(note, {name: notes.note_section(note, name).text for name in ("A", "C")})

        assert save(vault, "T", body, note.revision) == note
