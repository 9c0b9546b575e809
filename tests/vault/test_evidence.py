"""No claim without evidence: what is refused, what is allowed, and where the footnotes lead."""

from __future__ import annotations

import pytest

from tests.vault.curating import UNKNOWN, files_of, save, say
from wwt_vault import markdown
from wwt_vault.errors import (
    BadEvidence,
)
from wwt_vault.vault import Vault


class TestEvidence:
    """A save without evidence is refused with lines and ids, and nothing is written."""

    def refused(self, vault: Vault, body: str) -> BadEvidence:
        """Try to save; return the refusal."""
        before = files_of(vault)
        with pytest.raises(BadEvidence) as refused:
            save(vault, "T", body, type="topic")
        assert files_of(vault) == before
        return refused.value

    def test_a_note_cites_at_least_one_event(self, vault: Vault) -> None:
        """A citation in code, in a comment, or only as a definition is none."""
        event = say(vault, "x")
        for body in (
            "words",
            f"`[^{event}]`",
            f"<!-- [^{event}] -->",
            f"```\n[^{event}]\n```",
            f"x\n\n[^{event}]: here",
        ):
            assert self.refused(vault, body).reason == "no_evidence"

    def test_every_cited_event_exists(self, vault: Vault) -> None:
        """Unknown and malformed ids are named with their lines, all of them."""
        event = say(vault, "x")
        error = self.refused(vault, f"a [^{event}]\nb [^{UNKNOWN}]\nc [^20261130T015801Z-9f2c] d [^{UNKNOWN}]")

        assert error.reason == "unknown_event"
        assert [(fault["line"], fault["event"]) for fault in error.data["faults"]] == [
            (2, UNKNOWN),
            (3, "20261130T015801Z-9f2c"),
            (3, UNKNOWN),
        ]
        assert f"line 2 {UNKNOWN}" in str(error)
        assert error.as_json()["code"] == "unknown_event"

    def test_a_damaged_event_is_no_evidence(self, vault: Vault) -> None:
        """What cannot be read proves nothing."""
        event = say(vault, "x")
        path = next((vault.root / ".wwt" / "events").rglob(f"{event}.json"))
        path.chmod(0o644)
        path.write_text("{")

        assert self.refused(vault, f"a [^{event}]").reason == "unknown_event"

    @pytest.mark.parametrize("heading", ["## Facts", "# Key facts (May)", "## 사실", "### 확인된 사실", "Facts\n---"])
    def test_every_bullet_under_facts_cites(self, vault: Vault, heading: str) -> None:
        """Each on its own: an inner bullet does not lean on the outer one, nor the other way round."""
        event = say(vault, "x")
        body = (
            f"intro\n\n{heading}\n\n- cited [^{event}]\n  - not\n- not\n  - cited [^{event}]\n1. not\n- [ ] not\n"
            f"- code `[^{event}]`\n- long\n  line [^{event}]\n-\n\n#### Deeper\n* not\n\n# Other\n- free\n"
        )
        shift = heading.count("\n")
        error = self.refused(vault, body)

        assert error.reason == "uncited_fact"
        assert [fault["line"] - shift for fault in error.data["faults"]] == [6, 7, 9, 10, 11, 17]

    @pytest.mark.parametrize("heading", ["## Artifacts", "## Interpretation", "## 사실상 표준"])
    def test_bullets_elsewhere_are_free(self, vault: Vault, heading: str) -> None:
        """Interpretation is where what was not said belongs."""
        save(vault, "T", f"x [^{say(vault, 'x')}]\n\n{heading}\n- free", type="topic")

    def test_definitions_are_the_tools(self, vault: Vault) -> None:
        """What the agent sends for them is replaced, stale ones go; a person's own footnotes stay."""
        one, two = say(vault, "one"), say(vault, "two", 1)
        note = save(vault, "T", f"a[^1] [^{two}] [^{one}]\n\n[^{one}]: forged\n[^1]: mine\n[^{UNKNOWN}]: gone\n\nend")
        body = markdown.split(note.text).body

        assert body.startswith(f"\na[^1] [^{two}] [^{one}]\n\n[^1]: mine\n\nend\n\n[^{two}]: [[50_Conv")
        assert body.count("]: [[50_Conversations/2026/") == 2
        assert "forged" not in body
        assert UNKNOWN not in body

    def test_a_citation_opens_at_the_message(self, vault: Vault) -> None:
        """The link in the definition resolves to a file and a block id that are there."""
        event = say(vault, "The words themselves")
        note = save(vault, "T", f"x [^{event}]")
        link = next(link for link in markdown.links(markdown.parse(markdown.split(note.text).body)) if link.block)
        session_note = (vault.root / f"{link.target}.md").read_text("utf-8")

        assert (link.block, link.alias) == (event, "claude-code 2026-11-30 10:58")
        assert event in [block for block, _ in markdown.block_ids(markdown.parse(session_note))]
        assert "The words themselves" in session_note

    def test_an_event_whose_session_note_is_gone_is_still_evidence(self, vault: Vault) -> None:
        """The event is the proof; its definition then says host and time without a link."""
        event = say(vault, "x")
        for path in (vault.root / "50_Conversations" / "2026").iterdir():
            path.unlink()

        assert save(vault, "T", f"x [^{event}]").text.endswith(f"\n[^{event}]: claude-code 2026-11-30 10:58\n")
