"""What a person typed since the last save is in the note after the next one, or that one is refused."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from tests.vault.curating import AT, UNKNOWN, at, files_of, save, say
from wwt_vault import markdown
from wwt_vault.errors import HumanConflict, StaleRevision
from wwt_vault.model.knowledge import Note
from wwt_vault.vault import Vault, check, files, notes, revisions

LATER = {"at": AT + timedelta(days=1)}


def edit(vault: Vault, note: Note, *changes: tuple[str, str]) -> Note:
    """Edit a note as a person does; return it as it then is."""
    path = at(vault, note)
    text = path.read_bytes().decode()
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    path.write_bytes(text.encode())
    return notes.read_note(vault, note.path)


def body_of(note: Note) -> str:
    """Return a body without its footnotes."""
    return markdown.split(note.text).body.split("\n\n[^2")[0].strip("\n")


class TestLines:
    """Bodies."""

    def test_a_line_that_the_proposal_dropped_is_in_the_note(self, vault: Vault) -> None:
        """An agent that writes from memory takes nothing out; it is told which lines were kept."""
        event = say(vault, "x")
        first = save(vault, "T", f"intro [^{event}]\n\n## Facts\n\n- a [^{event}]\n\n## Open questions\n\n- q\n")
        edited = edit(vault, first, ("- a [", "- mine\n- a ["), ("- q\n", "- q\n- mine too\n"))
        saved = save(
            vault,
            "T",
            f"intro, new [^{event}]\n\n## Facts\n\n- a [^{event}]\n- b [^{event}]\n\n## Open questions\n\n- q\n",
            edited.revision,
        )

        assert body_of(saved) == (
            f"intro, new [^{event}]\n\n## Facts\n\n- mine\n- a [^{event}]\n- b [^{event}]\n\n"
            "## Open questions\n\n- q\n- mine too"
        )
        assert saved.kept == ("- mine", "- mine too")
        assert saved.left_out == ()

    def test_a_proposal_that_knows_the_edit_is_taken_as_it_is(self, vault: Vault) -> None:
        """The person's lines may have others around them, and even move."""
        event = say(vault, "x")
        edited = edit(vault, save(vault, "T", f"a [^{event}]\n\nb\n"), ("b\n", "b\nmine\n"))
        body = f"A [^{event}]\n\nmine\n\nb2\n\nc"
        saved = save(vault, "T", body, edited.revision)

        assert body_of(saved) == body
        assert (saved.kept, saved.left_out) == ((), ())

    def test_what_a_person_took_out_stays_out(self, vault: Vault) -> None:
        """An old body brings nothing back; the agent is told."""
        event = say(vault, "x")
        edited = edit(vault, save(vault, "T", f"a [^{event}]\n\nb\n\nc\n"), ("b\n\n", ""))
        saved = save(vault, "T", f"a [^{event}]\n\nb\n\nC\n", edited.revision)

        assert body_of(saved) == f"a [^{event}]\n\nC"
        assert saved.left_out == ("b",)

    def test_the_same_line_in_two_ways_is_refused_with_both(self, vault: Vault) -> None:
        """With the lines' numbers in file and proposal, and nothing is written."""
        event = say(vault, "x")
        first = save(vault, "T", f"intro [^{event}]\n\n## Facts\n\n- Three tries [^{event}]\n")
        edited = edit(vault, first, ("Three", "Five"))
        before = files_of(vault)
        with pytest.raises(HumanConflict) as refused:
            save(vault, "T", f"intro [^{event}]\n\n## Facts\n\n- Four tries [^{event}]\n", edited.revision)

        line = edited.text.splitlines().index(f"- Five tries [^{event}]") + 1
        assert refused.value.data["conflicts"] == [
            {
                "where": "Facts",
                "person": {"line": line, "lines": [f"- Five tries [^{event}]"]},
                "proposed": {"line": 5, "lines": [f"- Four tries [^{event}]"]},
            }
        ]
        assert refused.value.data["revision"] == edited.revision
        assert f"line {line} (Facts): theirs '- Five tries" in str(refused.value)
        assert files_of(vault) == before

    def test_a_refused_save_goes_through_with_the_persons_line(self, vault: Vault) -> None:
        """And then that line is as good as any: the agent that read it may change it, as history shows."""
        event = say(vault, "x")
        edited = edit(vault, save(vault, "T", f"Three tries [^{event}]"), ("Three", "Five"))
        saved = save(vault, "T", f"Five tries [^{event}]\n\nbecause", edited.revision)
        again = save(vault, "T", f"Six tries [^{event}]", saved.revision, **LATER)

        assert body_of(again) == f"Six tries [^{event}]"
        assert notes.read_revision(vault, "T", edited.revision) == edited.text

    def test_a_stale_revision_is_refused_all_the_same(self, vault: Vault) -> None:
        """Whoever has not read the person's edit reads it first: a merge unseen could say what neither meant."""
        event = say(vault, "x")
        first = save(vault, "T", f"a [^{event}]\n\nb\n")
        edited = edit(vault, first, ("b\n", "b\n\nmine\n"))
        with pytest.raises(StaleRevision) as refused:
            save(vault, "T", f"A [^{event}]\n\nb\n", first.revision)

        assert refused.value.data["revision"] == edited.revision
        assert "+mine" in refused.value.data["diff"]

    def test_a_note_that_this_program_never_wrote_is_changed_as_read(self, vault: Vault) -> None:
        """Where nothing is known of an earlier text, the revision that was read is all there is; it is kept."""
        event = say(vault, "x")
        (vault.root / "M.md").write_text("---\ntype: topic\n---\nby hand\n", "utf-8")
        there = notes.read_note(vault, "M")
        saved = save(vault, "M", f"new [^{event}]", there.revision)

        assert body_of(saved) == f"new [^{event}]"
        assert notes.read_revision(vault, "M", there.revision) == there.text

    def test_an_earlier_revision_put_back_by_hand_is_a_persons_edit(self, vault: Vault) -> None:
        """As a checkout with git does: what they went back to is what they meant."""
        event = say(vault, "x")
        first = save(vault, "T", f"a [^{event}]\n\nb\n\nc\n")
        save(vault, "T", f"a [^{event}]\n\nb\n\nC\n\nd\n", first.revision, **LATER)
        at(vault, first).write_bytes(first.text.encode())
        saved = save(vault, "T", f"A [^{event}]\n\nb\n\nC\n\nd\n", first.revision, at=AT + timedelta(days=2))

        assert body_of(saved) == f"A [^{event}]\n\nb\n\nc"

    def test_saves_of_one_second_have_an_order(self, vault: Vault) -> None:
        """Also when a note goes back to what it was, and when the clock is set back."""
        event = say(vault, "x")
        note: Note = save(vault, "T", f"a [^{event}]\n\n0\n")
        for text, when in (("1", AT), ("0", AT), ("2", AT - timedelta(days=9)), ("1", AT)):
            note = save(vault, "T", f"a [^{event}]\n\n{text}\n", note.revision, at=when, tags=[f"t{text}"])
            assert revisions.written_last(vault, note.id or "") == note.revision
        assert [entry.revision for entry in notes.history(vault, "T")][-1] == note.revision
        assert len(notes.history(vault, "T")) == 5

    def test_as_given_is_for_a_person_who_wants_just_that(self, vault: Vault) -> None:
        """Their own edits are in the history and not in the text."""
        event = say(vault, "x")
        first = save(vault, "T", f"a [^{event}]")
        edited = edit(vault, first, ("a [", "mine [")).revision
        saved = save(vault, "T", f"a [^{event}]", edited, as_given=True)

        assert body_of(saved) == f"a [^{event}]"
        assert [entry.revision for entry in notes.history(vault, "T")][1] == edited

    def test_line_ends_of_the_persons_file_stay(self, vault: Vault) -> None:
        """A line that is merged in from the proposal gets them."""
        event = say(vault, "x")
        first = save(vault, "T", f"a [^{event}]\n\nb\n")
        path = at(vault, first)
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n").replace(b"b\r\n", b"b\r\n- mine\r\n"))
        saved = save(vault, "T", f"a [^{event}]\n\nb\n- c\n", notes.read_note(vault, "T").revision)

        assert saved.text.count("\n") == saved.text.count("\r\n")
        assert "\r\nb\r\n- mine\r\n- c\r\n" in saved.text


class TestEvidence:
    """What a person wrote is not the agent's to prove."""

    def test_a_persons_fact_without_evidence_stands_and_is_named(self, vault: Vault) -> None:
        """It does not stop an agent's save, now or later, and `check` says that nothing proves it."""
        event = say(vault, "x")
        first = save(vault, "T", f"## Facts\n\n- a [^{event}]\n\n## More\n\nq\n")
        edited = edit(vault, first, ("- a [", "- mine\n- a ["), ("q\n", f"q\nwrong [^{UNKNOWN}]\n"))
        saved = save(vault, "T", f"## Facts\n\n- a [^{event}]\n- b [^{event}]\n\n## More\n\nq\n", edited.revision)
        mended = saved.text.replace("- b", "- B").replace(f"wrong [^{UNKNOWN}]", "right")
        again = save(vault, "T", mended, saved.revision, **LATER)

        assert f"q\nwrong [^{UNKNOWN}]\n" in saved.text
        assert "- mine\n" in again.text
        found = check.check_vault(vault, ["T"]).problems
        assert ("uncited_fact", again.text.splitlines().index("- mine") + 1) in [(p.code, p.line) for p in found]

    def test_an_agents_own_fact_without_evidence_is_refused_beside_it(self, vault: Vault) -> None:
        """A person's line is no licence."""
        event = say(vault, "x")
        edited = edit(vault, save(vault, "T", f"## Facts\n\n- a [^{event}]\n"), ("- a [", "- mine\n- a ["))
        with pytest.raises(Exception, match=r"line 4\."):
            save(vault, "T", f"## Facts\n\n- mine\n- not mine\n- a [^{event}]\n", edited.revision)


class TestProperties:
    """Frontmatter."""

    def test_what_a_person_set_stays_in_its_place_and_form(self, vault: Vault) -> None:
        """Own keys, comments, order, and entries of lists that they added or took out."""
        event = say(vault, "x")
        first = save(vault, "T", f"a [^{event}]", tags=["one", "two"], aliases=["A"], questions=["q?"])
        edited = edit(
            vault,
            first,
            ("tags:\n  - one\n  - two\n", "mine: {a: 1} # c\ntags:\n  - two\n  - own # d\n"),
            ("aliases:\n  - A\n", "aliases: [Z, A]\n"),
        )
        saved = save(
            vault,
            "T",
            f"b [^{event}]",
            edited.revision,
            tags=["one", "two", "three"],
            aliases=["A", "B"],
            questions=["q?", "r?"],
            **LATER,
        )

        assert "mine: {a: 1} # c\ntags:\n  - two\n  - own\n  - three\n" in saved.text.replace(" # d", "")
        assert 'aliases: ["Z", "A", "B"]\n' in saved.text
        assert 'questions:\n  - "q?"\n  - "r?"\n' in saved.text

    @pytest.mark.parametrize(
        ("key", "theirs", "ours"),
        [("status", "draft", "superseded"), ("type", "area", "decision"), ("project", "mine", "other")],
    )
    def test_a_value_set_in_two_ways_is_refused(self, vault: Vault, key: str, theirs: str, ours: str) -> None:
        """With the property, its line and both values."""
        event = say(vault, "x")
        first = save(vault, "T", f"a [^{event}]", type="topic", status="current", project="p")
        was = {"status": "current", "type": "topic", "project": "p"}[key]
        edited = edit(vault, first, (f"{key}: {was}", f"{key}: {theirs}"))
        more: dict[str, Any] = {key: ours}
        with pytest.raises(HumanConflict) as refused:
            save(vault, "T", f"b [^{event}]", edited.revision, **more)

        conflict = refused.value.data["conflicts"][0]
        assert (conflict["where"], conflict["person"]["lines"]) == (key, [f"{key}: {theirs}"])
        assert edited.text.splitlines()[conflict["person"]["line"] - 1] == f"{key}: {theirs}"
        more[key] = theirs
        assert f"{key}: {theirs}\n" in save(vault, "T", f"b [^{event}]", edited.revision, **more).text

    def test_a_relation_that_a_person_added_stays(self, vault: Vault) -> None:
        """A list of links is a set."""
        event = say(vault, "x")
        for name in ("A", "B", "C"):
            save(vault, name, f"x [^{event}]")
        first = save(vault, "T", f"a [^{event}]", relations={"relates_to": ["A"]})
        edited = edit(vault, first, ('  - "[[A]]"\n', '  - "[[A|the A]]"\n  - "[[B]]"\n'))
        saved = save(vault, "T", f"b [^{event}]", edited.revision, relations={"relates_to": ["A", "C"]})

        assert 'relates_to:\n  - "[[A|the A]]"\n  - "[[B]]"\n  - "[[C]]"\n' in saved.text


class TestTold:
    """The refusals of notes that are not what the writer thinks."""

    def test_a_copy_with_the_same_id_is_refused(self, vault: Vault) -> None:
        """Obsidian's "Make a copy" copies the id; one history cannot be that of two notes."""
        event = say(vault, "x")
        note = save(vault, "T", f"a [^{event}]")
        copy = vault.root / "00_Inbox" / "T 1.md"
        copy.write_bytes(at(vault, note).read_bytes())
        before = files_of(vault)
        with pytest.raises(HumanConflict, match="same id") as refused:
            save(vault, "T 1", f"b [^{event}]", note.revision)

        assert refused.value.data["candidates"] == ["00_Inbox/T 1.md", "00_Inbox/T.md"]
        assert files_of(vault) == before
        assert save(vault, "T", f"b [^{event}]", note.revision).path == "00_Inbox/T.md"

    def test_a_note_that_moved_is_refused_under_its_old_name(self, vault: Vault) -> None:
        """With its new one; by its id it is found wherever it lies."""
        event = say(vault, "x")
        note = save(vault, "T", f"a [^{event}]")
        (vault.root / "20_Areas").mkdir(exist_ok=True)
        at(vault, note).rename(vault.root / "20_Areas" / "Renamed.md")
        for ref in ("T", note.path):
            with pytest.raises(Exception, match=r"20_Areas/Renamed.md now") as refused:
                save(vault, ref, f"b [^{event}]", note.revision)
            assert refused.value.data["path"] == "20_Areas/Renamed.md"  # type: ignore[attr-defined]
        saved = save(vault, note.id or "", f"b [^{event}]", note.revision)

        assert (saved.path, saved.id) == ("20_Areas/Renamed.md", note.id)
        assert len(notes.history(vault, "Renamed")) == 2

    def test_the_revision_of_another_note_is_named(self, vault: Vault) -> None:
        """Two notes open at once, and the wrong one saved."""
        event = say(vault, "x")
        one, two = save(vault, "One", f"a [^{event}]"), save(vault, "Two", f"b [^{event}]")
        with pytest.raises(StaleRevision, match=r"a revision of 00_Inbox/Two.md") as refused:
            save(vault, "One", f"c [^{event}]", two.revision)

        assert (refused.value.data["revision_of"], refused.value.data["path"]) == (two.path, one.path)

    def test_a_revision_that_is_no_hash_is_stale(self, vault: Vault) -> None:
        """Nothing is looked for outside of the revisions' folder."""
        event = say(vault, "x")
        save(vault, "T", f"a [^{event}]")
        for revision in ("../../../etc/passwd", "*" * 12, "0" * 64, files.revision_of(b"")):
            with pytest.raises(StaleRevision):
                save(vault, "T", f"b [^{event}]", revision)
