"""Two agents and a person on one note, in any order: no edit is lost, one save wins per revision, all is kept."""

from __future__ import annotations

import shutil
import tempfile
from collections import Counter
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from tests.vault.curating import AT, save, say
from wwt_vault import markdown
from wwt_vault.errors import HumanConflict, NotFound, StaleRevision
from wwt_vault.model.knowledge import Note, SavedNote
from wwt_vault.vault import Vault, check, files, lookup, notes, revisions, timeline
from wwt_vault.vault.creation import create_vault
from wwt_vault.vault.notes import Edit

AGENTS = ("claude-code", "codex")
agents = st.sampled_from(AGENTS)
places = st.integers(0, 30)


class NoteOfThree(RuleBasedStateMachine):
    """What each of them does to the note, and what has to be true after each step."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="wwt-machine-"))
        self.vault: Vault = create_vault(self.folder / "vault", timezone="Asia/Seoul")
        self.step = 0
        self.reads: dict[str, Note] = {}
        self.memory: dict[str, list[str]] = {}
        """What an agent would write: the body it has in mind, which may be older than what it has read."""
        self.in_place: list[str] = []
        """Every revision that was in the note's place, in order."""
        self.won: Counter[tuple[int, str]] = Counter()
        """Saves by what they were based on: the place in ``in_place`` and the revision."""
        self.mine: set[str] = set()
        """Lines that the person wrote since the last save."""
        self.taken_out: set[str] = set()
        """Lines that the person took out since then."""
        self.ever: set[str] = set()
        """Every line that the person wrote."""

    def teardown(self) -> None:
        """Leave nothing behind."""
        shutil.rmtree(self.folder, ignore_errors=True)

    @initialize()
    def begin(self) -> None:
        """An agent makes the note."""
        self.event = say(self.vault, "said")
        cite = f"[^{self.event}]"
        body = f"Now {cite}\n\n## Facts\n\n- one {cite}\n- two {cite}\n\n## Open questions\n\n- why\n"
        note = save(self.vault, "The note", body, type="topic")
        self.id = note.id or ""
        self.in_place = [note.revision]

    # -- what is there ---------------------------------------------------------------------------------------------

    @property
    def path(self) -> Path:
        """Where the note lies now."""
        return self.vault.root / lookup.with_id(self.vault, self.id)[0]

    def lines(self) -> list[str]:
        """Return the lines of the note as they are, footnotes left out."""
        body = markdown.split(self.path.read_bytes().decode()).body.replace("\r\n", "\n")
        return [line for line in body.split("\n") if not line.startswith("[^2")]

    def next(self) -> int:
        """Return a number that no word has yet."""
        self.step += 1
        return self.step

    # -- the agents ------------------------------------------------------------------------------------------------

    @rule(agent=agents)
    def reads_the_note(self, agent: str) -> None:
        """And keeps its revision; what it has in mind stays what it was, if it had anything."""
        note = notes.read_note(self.vault, self.id)
        self.reads[agent] = note
        self.memory.setdefault(agent, self.lines())

    @rule(agent=agents)
    def learns_the_note(self, agent: str) -> None:
        """Reads it and means to write what it says now."""
        self.reads[agent] = notes.read_note(self.vault, self.id)
        self.memory[agent] = self.lines()

    @precondition(lambda self: self.reads)
    @rule(data=st.data(), place=places, what=st.sampled_from(["add", "change", "delete", "nothing"]))
    def saves_a_body(self, data: st.DataObject, place: int, what: str) -> None:
        """From memory, with the revision it has read, whatever became of the note meanwhile."""
        agent = data.draw(st.sampled_from(sorted(self.reads)))
        lines = list(self.memory[agent])
        at = place % len(lines)
        word = f"{agent}{self.next()}"
        if what == "add":
            lines.insert(at, f"- {word} [^{self.event}]")
        elif what == "change" and lines[at].strip() and not lines[at].startswith("#"):
            lines[at] = f"- {word} [^{self.event}]"
        elif what == "delete" and not lines[at].startswith("#"):
            del lines[at]
        if not any(self.event in line for line in lines):
            lines.append(f"again [^{self.event}]")
        self.memory[agent] = lines
        self.try_to_save(agent, "\n".join(lines))

    @precondition(lambda self: self.reads)
    @rule(data=st.data(), how=st.sampled_from(["append", "replace", "history"]))
    def saves_a_part(self, data: st.DataObject, how: str) -> None:
        """A section of the note as it was read."""
        agent = data.draw(st.sampled_from(sorted(self.reads)))
        edit = Edit(how, f"- {agent}{self.next()} [^{self.event}]", "Facts")
        try:
            body = notes.with_edits(self.reads[agent], [edit], day=AT.date())
        except NotFound:  # somebody took the heading out
            return
        self.try_to_save(agent, body)

    def try_to_save(self, agent: str, body: str) -> None:
        """Save, and hold what comes of it against what should."""
        read = self.reads[agent]
        current = files.revision_of(self.path.read_bytes())
        before = self.path.read_bytes()
        when = AT + timedelta(seconds=self.step)
        try:
            saved = save(self.vault, self.id, body, read.revision, at=when, written_by=agent)
        except StaleRevision as refused:
            assert read.revision != current
            assert refused.data["revision"] == current
        except HumanConflict as refused:
            assert read.revision == current
            assert self.mine or self.taken_out
            assert all(conflict["person"]["line"] for conflict in refused.data["conflicts"])
        else:
            assert read.revision == current
            self.saved(agent, saved, current)
            return
        assert self.path.read_bytes() == before

    def saved(self, agent: str, saved: SavedNote, base: str) -> None:
        """Write down what a save did, and see that it lost nothing of the person's."""
        if saved.revision == base:
            return
        place = len(self.in_place) - 1
        self.won[place, base] += 1
        self.in_place.append(saved.revision)
        lines = self.lines()
        assert self.mine <= set(lines), self.mine - set(lines)
        back = self.taken_out & set(lines)
        assert not back, back
        self.reads[agent] = saved
        self.mine, self.taken_out = set(), set()

    # -- the person ------------------------------------------------------------------------------------------------

    def writes(self, lines: list[str]) -> None:
        """Put these lines in the place of the note's own; footnotes and properties stay."""
        path = self.path
        text = path.read_bytes().decode()
        end = "\r\n" if "\r\n" in text else "\n"
        parts = markdown.split(text)
        rest = iter(lines)
        notes_at_the_end = [line for line in parts.body.replace("\r\n", "\n").split("\n") if line.startswith("[^2")]
        body = "\n".join([*rest, *notes_at_the_end]).strip("\n") + "\n"
        path.write_bytes((parts.head + body.replace("\n", end)).encode())
        self.in_place.append(files.revision_of(path.read_bytes()))

    @rule(place=places, kind=st.sampled_from(["- {}", "{}", "  more {}"]))
    def person_adds_a_line(self, place: int, kind: str) -> None:
        """Anywhere."""
        lines, line = self.lines(), kind.format(f"person{self.next()}")
        lines.insert(place % (len(lines) + 1), line)
        self.writes(lines)
        if line in self.lines():  # not at the very end of the file, say
            self.mine.add(line)
            self.ever.add(line)

    @rule(place=places)
    def person_changes_a_line(self, place: int) -> None:
        """Whoever wrote it."""
        lines = self.lines()
        at = place % len(lines)
        if lines[at].strip() and not lines[at].startswith("#"):
            self.mine.discard(lines[at])
            if lines.count(lines[at]) == 1 and not self.lately(lines[at]):
                self.taken_out.add(lines[at])
            lines[at] = f"{lines[at]} person{self.next()}"
            self.mine.add(lines[at])
            self.ever.add(lines[at])
            self.writes(lines)

    @rule(place=places)
    def person_deletes_a_line(self, place: int) -> None:
        """Whoever wrote it; but for the last citation, without which a note is none."""
        lines = self.lines()
        at = place % len(lines)
        if lines[at].strip() and self.event not in lines[at]:
            self.mine.discard(lines[at])
            if lines.count(lines[at]) == 1 and not self.lately(lines[at]):
                self.taken_out.add(lines[at])
            del lines[at]
            self.writes(lines)

    def lately(self, line: str) -> bool:
        """Whether the person wrote this line since the last save: taking it out again takes out nothing."""
        return f"person{self.step}" in line or (line in self.ever and line not in self.last_written())

    def last_written(self) -> set[str]:
        """Return the lines of what this program wrote last."""
        last = revisions.written_last(self.vault, self.id) or ""
        data = revisions.kept(self.vault, self.id, last) or b""
        return set(data.decode().replace("\r\n", "\n").split("\n"))

    @rule()
    def person_changes_the_line_ends(self) -> None:
        """By another editor."""
        path = self.path
        data = path.read_bytes().replace(b"\r\n", b"\n")
        path.write_bytes(data if b"\r\n" in path.read_bytes() else data.replace(b"\n", b"\r\n"))
        self.in_place.append(files.revision_of(path.read_bytes()))

    @rule(key=st.sampled_from(["mine", "other"]))
    def person_adds_a_property(self, key: str) -> None:
        """Of their own."""
        path = self.path
        text = path.read_bytes().decode()
        if f"\n{key}: " not in text:
            path.write_bytes(text.replace("\ntype: topic", f"\n{key}: 1 # {key}\ntype: topic", 1).encode())
            self.in_place.append(files.revision_of(path.read_bytes()))

    @rule(
        folder=st.sampled_from(["20_Areas", "30_Knowledge", "40_Decisions"]),
        name=st.sampled_from(["The note", "새 이름", "B"]),
    )
    def person_renames_the_note(self, folder: str, name: str) -> None:
        """In Obsidian or outside of it."""
        target = self.vault.root / folder / f"{name}.md"
        if not target.exists():
            self.path.rename(target)

    @precondition(lambda self: len(self.in_place) > 2)
    @rule(data=st.data())
    def person_restores_a_revision(self, data: st.DataObject) -> None:
        """That was in place and is kept."""
        kept = [revision for revision in self.in_place if self.readable(revision)]
        to = data.draw(st.sampled_from(kept))
        current = files.revision_of(self.path.read_bytes())
        when = AT + timedelta(seconds=self.next())
        saved = timeline.restore(
            self.vault, self.id, to=to, revision=current, written_by="wwt", at=when, locks=self.folder / "locks"
        )
        if saved.revision != current:
            self.in_place.append(saved.revision)
            self.mine, self.taken_out = set(), set()

    def readable(self, revision: str) -> bool:
        """Say whether a revision is kept."""
        try:
            notes.read_revision(self.vault, self.id, revision)
        except NotFound:
            return False
        return True

    # -- what is always true ---------------------------------------------------------------------------------------

    @invariant()
    def one_save_wins_per_revision(self) -> None:
        """However many read it."""
        assert all(count == 1 for count in self.won.values())

    @invariant()
    def the_history_is_whole(self) -> None:
        """It ends with what is there; every save is in it, and so is every edit that a save followed."""
        if not self.in_place:
            return
        found = [entry.revision for entry in notes.history(self.vault, self.id)]
        current = files.revision_of(self.path.read_bytes())
        assert found[-1] == current
        assert set(found) <= set(self.in_place)
        assert all(self.readable(revision) for revision in found)

    @invariant()
    def the_vault_is_sound(self) -> None:
        """But for what a person may have written: facts without evidence."""
        if self.in_place:
            codes = {problem.code for problem in check.check_vault(self.vault).problems}
            assert codes <= {"uncited_fact", "footnote_missing"}, codes

    @invariant()
    def properties_of_the_person_stay(self) -> None:
        """With their comments."""
        if self.in_place:
            text = self.path.read_bytes().decode()
            for key in ("mine", "other"):
                assert (f"{key}: 1" in text) == (f"{key}: 1 # {key}" in text)


NoteOfThree.TestCase.settings = settings(
    max_examples=12, stateful_step_count=14, deadline=None, suppress_health_check=list(HealthCheck)
)
TestNoteOfThree = NoteOfThree.TestCase


@pytest.mark.slow
def test_two_agents_and_a_person_at_length() -> None:
    """The same, over many more and longer histories."""
    run_state_machine_as_test(
        NoteOfThree,
        settings=settings(
            max_examples=60, stateful_step_count=25, deadline=None, suppress_health_check=list(HealthCheck)
        ),
    )
