"""A document from outside: where it comes from and how far it was checked is always said, and nobody said it here."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import pytest

from tests.vault.curating import AT, at, files_of, save, say
from wwt_vault import markdown
from wwt_vault.errors import BadArgument, BadEvidence, HumanConflict, Locked, NoteExists, StaleRevision
from wwt_vault.model.knowledge import SavedNote
from wwt_vault.vault import Vault, check, claims, documents, lookup, notes, sources

URL = "https://example.org/retry?x=1#a"


def add(vault: Vault, title: str = "Retry handbook", text: str = "# Retry\n\nThree times.\n", **more: Any) -> SavedNote:
    """Bring a document."""
    given = {"origin": URL, "retrieved": date(2026, 11, 29), "written_by": "wwt", "at": AT, **more}
    return sources.save_source(vault, title=title, text=text, locks=vault.root.parent / "locks", **given)


def verify(vault: Vault, ref: str, state: Any, by: str = "minji", days: int = 2) -> SavedNote:
    """Write down that somebody checked it."""
    locks = vault.root.parent / "locks"
    return sources.verify_source(vault, ref, state=state, by=by, at=AT + timedelta(days=days), locks=locks)


class TestKeeping:
    """The note of a document."""

    def test_it_says_where_it_comes_from_and_that_nobody_checked_it(self, vault: Vault) -> None:
        """The whole file; it is no curated note, and found by title and id."""
        note = add(vault, tags=["#http"], project="shop")

        assert note.path == "30_Knowledge/Sources/Retry handbook.md"
        assert note.text == (
            f'---\nid: "{note.id}"\ntype: source\norigin: "{URL}"\nretrieved: 2026-11-29\nverification: unverified\n'
            "aliases: []\ntags:\n  - http\ncreated: 2026-11-30T10:58:01\nupdated: 2026-11-30T10:58:01\n"
            "written_by: wwt\nproject: shop\n---\n\n# Retry\n\nThree times.\n"
        )
        assert notes.read_note(vault, note.id or "").path == note.path
        assert notes.list_notes(vault) == []
        document = documents.load_document(vault, note.path)
        assert (document.layer, document.type) == ("page", "source")
        assert check.check_vault(vault).problems == ()

    def test_the_same_document_again_writes_nothing(self, vault: Vault) -> None:
        """Importing twice is as good as once; another text or another origin is not the same."""
        note = add(vault)
        before = files_of(vault)
        assert add(vault, at=AT + timedelta(days=1), text="# Retry\r\n\r\nThree times.") == note
        for other in ({"text": "other"}, {"origin": "elsewhere"}):
            with pytest.raises(NoteExists) as refused:
                add(vault, **other)
            assert refused.value.data["revision"] == note.revision

        assert files_of(vault) == before

    def test_a_newer_text_is_unverified_again(self, vault: Vault) -> None:
        """With the revision that was read; both are kept, and what a person wrote in it stays."""
        note = add(vault)
        checked = verify(vault, note.path, "checked")
        path = at(vault, note)
        path.write_text(path.read_text("utf-8") + "\n- mine\n", "utf-8")
        there = notes.read_note(vault, note.path)
        with pytest.raises(StaleRevision):
            add(vault, text="new", revision=checked.revision)
        after = add(vault, text="# Retry\n\nFour times.\n", revision=there.revision, retrieved=date(2026, 12, 9))
        values = markdown.read_frontmatter(markdown.split(after.text), "").values

        assert after.text.endswith("# Retry\n\nFour times.\n\n- mine\n")
        assert (values["verification"], values["retrieved"]) == ("unverified", "2026-12-09")
        assert (values["verified_by"], values["verified_at"]) == ("", "")
        assert notes.read_revision(vault, note.path, checked.revision) == checked.text
        same = add(vault, text=after.text.partition("---\n\n")[2], revision=after.revision)
        assert markdown.split(same.text).body == markdown.split(after.text).body

    @pytest.mark.parametrize(
        ("text", "kept"),
        [
            ("a\u202eb\u200e\x07c\ud800", "abc\n"),
            ("\ufeffa\r\nb\rc", "a\nb\nc\n"),
            ("---\ntitle: x\n---\nbody", "```yaml\ntitle: x\n```\n\nbody\n"),
            ("---\nt: '```'\n---\nbody", "````yaml\nt: '```'\n````\n\nbody\n"),
            (
                "x [^20261130T015801Z-35d68bd58334] [^source-a] [^1]",
                "x [\\^20261130T015801Z-35d68bd58334] [\\^source-a] [^1]\n",
            ),
        ],
    )
    def test_what_a_document_could_pretend_is_taken_out(self, vault: Vault, text: str, kept: str) -> None:
        """Hidden characters, properties of its own, citations of events that nobody here made."""
        event = say(vault, "x")
        note = add(vault, text=text.replace("20261130T015801Z-35d68bd58334", event))

        assert markdown.split(note.text).body == "\n" + kept.replace("20261130T015801Z-35d68bd58334", event)
        assert note.evidence == ()

    @pytest.mark.parametrize(
        "more",
        [
            {"text": " \n\u200e"},
            {"text": "x" * 1_000_001},
            {"text": "<<<<<<< a\n=======\n>>>>>>> b\n"},
            {"origin": " "},
            {"origin": "x" * 2001},
            {"origin": "a\u202e"},
            {"tags": ["two words"]},
        ],
    )
    def test_bad_documents_are_refused(self, vault: Vault, more: dict[str, Any]) -> None:
        """Empty, a megabyte, in conflict, from nowhere; nothing is written."""
        before = files_of(vault)
        with pytest.raises(BadArgument):
            add(vault, **more)

        assert files_of(vault) == before

    def test_it_is_not_saved_as_a_curated_note(self, vault: Vault) -> None:
        """An agent does not edit what others wrote; nor does a curated note become a source."""
        note = add(vault)
        event = say(vault, "x")
        with pytest.raises(HumanConflict, match="its type is source"):
            save(vault, note.path, f"x [^{event}]", note.revision)
        other = save(vault, "T", f"x [^{event}]")
        for call in (lambda: add(vault, "T", revision=other.revision), lambda: verify(vault, "T", "checked")):
            with pytest.raises(HumanConflict, match="its type is topic"):
                call()


class TestCiting:
    """A fact beside a source."""

    def test_a_fact_shows_what_is_known_of_the_source(self, vault: Vault) -> None:
        """In the footnote that the program writes: origin, date, verification."""
        event, source = say(vault, "As the handbook says."), add(vault, "Retry [handbook]")
        label = f"[^source-{source.id}]"
        body = f"## Facts\n\n- Three tries [^{event}] {label}\n\n## Claims by sources\n\n- Four {label}\n"
        note = save(vault, "T", body)

        assert note.text.endswith(
            f"{label}: [[30_Knowledge/Sources/Retry handbook|Retry handbook]] "
            f"({URL}; retrieved 2026-11-29; unverified)\n"
        )
        claim = claims.claims(vault, "T")[0]
        assert [(one.title, one.origin, one.verification) for one in claim.sources] == [
            ("Retry handbook", URL, "unverified")
        ]
        assert [said.event for said in claim.said] == [event]
        assert note.evidence == (event,)
        assert check.check_vault(vault).problems == ()

    def test_a_source_is_no_evidence(self, vault: Vault) -> None:
        """A fact that cites a source alone is refused, and so is a note; nobody said it."""
        source, event = add(vault), say(vault, "x")
        with pytest.raises(BadEvidence) as alone:
            save(vault, "T", f"x [^source-{source.id}]")
        with pytest.raises(BadEvidence) as fact:
            save(vault, "T", f"x [^{event}]\n\n## Facts\n\n- Three tries [^source-{source.id}]")

        assert (alone.value.reason, fact.value.reason) == ("no_evidence", "uncited_fact")

    def test_an_unknown_source_is_refused_by_line(self, vault: Vault) -> None:
        """A curated note's id is no source's."""
        event = say(vault, "x")
        note = save(vault, "Other", f"x [^{event}]")
        for unknown in ("20261130-000000000000", note.id):
            with pytest.raises(BadEvidence) as refused:
                save(vault, "T", f"x [^{event}]\ny [^source-{unknown}]")
            assert refused.value.data["faults"] == [{"code": "unknown_source", "line": 2, "source": unknown}]

    @pytest.mark.parametrize("state", ["checked", "disputed"])
    def test_what_was_found_out_is_shown_wherever_it_is_cited(self, vault: Vault, state: str) -> None:
        """By whom and when; the footnotes follow, in the history of their notes, and a person's lines stay theirs."""
        event, source = say(vault, "x"), add(vault)
        note = save(vault, "T", f"x [^{event}] [^source-{source.id}]\n")
        path = at(vault, note)
        path.write_text(path.read_text("utf-8").replace("]\n\n[^", "]\n- mine\n\n[^"), "utf-8")
        verified = verify(vault, "Retry handbook", state)
        there = notes.read_note(vault, "T")

        assert f"verification: {state}\n" in verified.text
        assert verified.text.endswith("verified_by: minji\nverified_at: 2026-12-02\n---\n\n# Retry\n\nThree times.\n")
        assert verified.also_changed == (note.path,)
        assert there.text.endswith(f"({URL}; retrieved 2026-11-29; {state} by minji 2026-12-02)\n")
        assert save(vault, "T", f"y [^{event}]", there.revision).kept == ("- mine",)
        back = verify(vault, "Retry handbook", "unverified")
        assert "verification: unverified\n" in back.text
        assert 'verified_by: ""\nverified_at: ""\n' in back.text

    def test_who_and_what_are_checked(self, vault: Vault) -> None:
        """Nothing is written; a locked source stays as it is."""
        source = add(vault)
        for state, by in (("sure", "minji"), ("checked", " "), ("checked", "x" * 101)):
            with pytest.raises(BadArgument):
                verify(vault, source.path, state, by)
        path = at(vault, source)
        path.write_text(path.read_text("utf-8").replace("type: source", "type: source\nlocked: true"), "utf-8")
        with pytest.raises(Locked):
            verify(vault, source.path, "checked")

        assert lookup.find_source(vault, source.id or "") == source.path

    def test_a_source_that_moved_is_still_cited(self, vault: Vault) -> None:
        """It is found by its id wherever a person puts it; the next save writes where it lies."""
        event, source = say(vault, "x"), add(vault)
        note = save(vault, "T", f"x [^{event}] [^source-{source.id}]")
        at(vault, source).rename(vault.root / "20_Areas" / "Handbook.md")
        saved = save(vault, "T", note.text.replace("x [", "y ["), note.revision)

        assert f"[^source-{source.id}]: [[20_Areas/Handbook|Handbook]] ({URL};" in saved.text
