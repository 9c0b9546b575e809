"""Random histories of three machines, as a Hypothesis state machine: agents, people, syncs, kills, lost pushes.

A history begins with three clones of one vault and a bare repository. At its end each machine syncs once, in turn. What
the last one sends then is all there is; the others, who came before it, sync once more to fetch that, and send nothing.
Then all that was said and written has to be everywhere, and no two names are left that some disks take for one.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import Any, ClassVar

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from tests.sync.machines import AT, Box, files_of, first, git, join, machine, remote_in, say
from wwt_vault.errors import HumanConflict, NotFound, SyncFailed, WwtError
from wwt_vault.vault import check, copies, forgetting, layout, lookup, notes, open_vault, relocating

NAMES = ("laptop", "desktop", "server")
PAGES = ("Plan.md", "20_Areas/House.md", "Ideen für später.md")
NOTES = ("Order database", "Deploy")
SESSIONS = ("42edc39d-0000-4000-8000-000000000000", "77777777-0000-4000-8000-000000000000")
SECTIONS = ("", "## One", "## Two")
MEMORY = "/dev/shm" if Path("/dev/shm").is_dir() else None
"""Where histories lie: what fsync promises is not what is tried here, and a disk would take hours."""
KILLED_IN = re.compile(r"wwt_vault/(?:sync/|vault/(?:files|syscalls|relocating|settings)\.py)")
MUST_HOLD = {
    "dangling_citation", "block_without_event", "block_changed", "block_misplaced", "conflict_markers", "duplicate_id",
    "not_in_session_note", "damaged_revision", "name_clash", "footnote_missing", "footnote_broken", "forgotten_words",
}  # fmt: skip
"""Problems of `wwt verify` that no sync may cause."""

boxes = st.integers(0, 2)
numbers = st.integers(0, 7)


def seeds(folder: Path) -> Path:
    """Make the beginning of every history: a repository and three clones, with two pages and a note in them."""
    remote = remote_in(folder)
    one = first(folder, remote, NAMES[0])
    for page in PAGES[:2]:
        one.write(page, "Begun.\n\n## One\n\n- a\n\n## Two\n\n- b\n")
    event = say(one, "PostgreSQL for orders", 0, SESSIONS[0])
    _save(one, NOTES[0], event, "The order database is PostgreSQL.")
    one.sync()
    for name in NAMES[1:]:
        join(folder, remote, name)
    for path in (*(folder / name / ".git" for name in NAMES), remote):
        git(folder, f"--git-dir={path}", "config", "maintenance.auto", "false")
        git(folder, f"--git-dir={path}", "config", "gc.auto", "0")
        git(folder, f"--git-dir={path}", "repack", "-a", "-d", "-q")  # fewer files to copy
        shutil.rmtree(path / "hooks", ignore_errors=True)  # examples
    return folder


def _save(box: Box, name: str, event: str, fact: str) -> None:
    """Save a fact as an agent does: read, add, save with the revision."""
    locks = box.root.parent / f"{box.machine.name}-locks"
    values: dict[str, Any] = {"written_by": "claude-code", "at": AT, "locks": locks}
    paths = [head.path for head in lookup.list_notes(box.vault) if head.title == name]
    if not paths:
        notes.save_note(
            box.vault, note=name, body=f"## Facts\n\n- {fact} [^{event}]\n", revision=None, type="decision", **values
        )
        return
    note = notes.read_note(box.vault, paths[0])
    edit = notes.Edit(how="append", text=f"- {fact} [^{event}]", heading="Facts")
    body = notes.with_edits(note, [edit], day=AT.date(), language="en")
    notes.save_note(box.vault, note=paths[0], body=body, revision=note.revision, **values)


class Boxes(list[Box]):
    """Machines, each with its vault as it is now: its settings may have come by a sync."""

    def __getitem__(self, at: Any) -> Any:
        found = super().__getitem__(at)
        return [_opened(box) for box in found] if isinstance(at, slice) else _opened(found)

    def __iter__(self) -> Iterator[Box]:
        return map(_opened, super().__iter__())


def _opened(box: Box) -> Box:
    return box._replace(vault=open_vault(box.root))


class Histories(RuleBasedStateMachine):
    """One history. ``begin`` names the folder that :func:`seeds` made, ``tally`` counts what happens in all of them."""

    begin: Path
    tally: ClassVar[Counter[str]] = Counter()
    moving = False
    """Whether the events move into visible folders and back, too."""

    @initialize()
    def start(self) -> None:
        """Copy the three clones and the repository."""
        self.folder = Path(tempfile.mkdtemp(prefix="history-", dir=MEMORY))
        shutil.copytree(self.begin, self.folder, dirs_exist_ok=True, symlinks=True)
        self.remote = self.folder / "remote.git"
        self.boxes = Boxes()
        for name in NAMES:
            config = self.folder / name / ".git" / "config"
            config.write_text(config.read_text("utf-8").replace(str(self.begin), str(self.folder)), "utf-8")
            self.boxes.append(Box(machine(name, self.folder), open_vault(self.folder / name)))
        self.said: set[str] = set()
        self.lines: set[str] = set()
        self.plain: list[tuple[str, str]] = []
        self.forgotten: set[str] = set()
        self.count = 0
        self.heads = [self._head()]

    @invariant()
    def one_more(self) -> None:
        """Count; the beginning counts as a step."""
        self.tally["steps"] += 1

    def _head(self) -> str:
        return (self.remote / "refs/heads/main").read_text().strip()

    def _next(self, what: str) -> str:
        self.count += 1
        return f"{what} {self.count}"

    @rule(at=boxes, session=st.sampled_from(SESSIONS), minute=numbers)
    def agent_says(self, at: int, session: str, minute: int) -> None:
        """A message is recorded, perhaps earlier than one that another machine has."""
        text = self._next("message")
        event = say(self.boxes[at], text, minute, session)
        self.said.add(event)
        self.plain.append((event, text))

    @rule(at=boxes, session=st.sampled_from(SESSIONS), minute=numbers)
    def same_import(self, at: int, session: str, minute: int) -> None:
        """Two machines read the same transcript."""
        text = self._next("imported")
        for box in (self.boxes[at], self.boxes[(at + 1) % 3]):
            self.said.add(say(box, text, minute, session))

    @precondition(lambda self: self.plain)
    @rule(at=boxes, which=numbers)
    def person_forgets(self, at: int, which: int) -> None:
        """A message is forgotten on a machine that has it."""
        event, text = self.plain[which % len(self.plain)]
        box = self.boxes[at]
        with suppress(NotFound):  # it has not come here yet
            forgetting.forget(box.vault, events=[event], reason="private", at=AT, locks=box.machine.locks)
            self.forgotten.add(text)

    @rule(at=boxes, name=st.sampled_from(NOTES))
    def agent_saves(self, at: int, name: str) -> None:
        """A curated note grows by a fact."""
        box = self.boxes[at]
        event = say(box, self._next("evidence"), self.count, SESSIONS[0])
        self.said.add(event)
        fact = self._next("fact")
        with suppress(HumanConflict):  # two notes of one name, made on two machines: a person decides
            _save(box, name, event, fact)
            self.lines.add(fact)

    @rule(at=boxes, page=st.sampled_from(PAGES), section=st.sampled_from(SECTIONS), item=st.booleans())
    def person_writes(self, at: int, page: str, section: str, item: bool) -> None:
        """A line is added under a heading of a page, as an item or a paragraph."""
        box = self.boxes[at]
        path = box.root / page
        text = path.read_text("utf-8") if path.is_file() else "New.\n\n## One\n\n## Two\n"
        line = self._next("line")
        self.lines.add(line)
        new = f"- {line}\n" if item else f"{line}\n\n"
        place = text.find(section) if section else -1
        place = text.index("\n", place) + 1 if place >= 0 else text.find("\n") + 1
        box.write(page, f"{text[:place]}{new}{text[place:]}")

    @rule(at=boxes, page=st.sampled_from(PAGES))
    def person_changes_the_same_line(self, at: int, page: str) -> None:
        """The first line is replaced: what two people make of it cannot be merged."""
        box = self.boxes[at]
        path = box.root / page
        if path.is_file() and not path.read_text("utf-8").startswith("---"):
            line = self._next("first")
            self.lines.add(line)
            old, rest = path.read_text("utf-8").split("\n", 1)
            self.lines -= {old}
            box.write(page, f"{line}\n{rest}")

    @rule(at=boxes)
    def person_remarks(self, at: int) -> None:
        """A line is added to the end of a session note."""
        box = self.boxes[at]
        for path in sorted((box.root / layout.CONVERSATIONS).glob("*/*.md"))[:1]:
            line = self._next("remark")
            self.lines.add(line)
            path.write_text(f"{path.read_text('utf-8').rstrip()}\n\n{line}\n\n", "utf-8")

    @rule(at=boxes, page=st.sampled_from(PAGES), number=numbers)
    def person_moves(self, at: int, page: str, number: int) -> None:
        """A page gets another name."""
        box = self.boxes[at]
        if (box.root / page).is_file() and number < 3:
            target = box.root / "30_Knowledge" / f"Moved {number}.md"
            if not target.exists():
                target.parent.mkdir(exist_ok=True)
                (box.root / page).rename(target)

    @rule(at=boxes, page=st.sampled_from(PAGES))
    def person_changes_the_case_of_a_name(self, at: int, page: str) -> None:
        """Where a disk knows the difference."""
        box = self.boxes[at]
        for old, new in ((page, page.lower()), (page.lower(), page)):
            if (box.root / old).is_file() and not (box.root / new).exists() and old.lower() == new.lower():
                (box.root / new).parent.mkdir(exist_ok=True)
                (box.root / old).rename(box.root / new)
                break

    @rule(at=boxes, number=numbers)
    def person_pastes_a_picture(self, at: int, number: int) -> None:
        """Two pictures of one name are both kept."""
        self.count += 1
        (self.boxes[at].root / f"Pasted {number % 2}.png").write_bytes(b"\x89PNG\0" + bytes([self.count % 256]) * 9)

    @precondition(lambda self: self.moving)
    @rule(at=boxes, folder=st.sampled_from(("90_Events", "Raw", layout.EVENTS)), when=st.integers(0, 800))
    def events_move(self, at: int, folder: str, when: int) -> None:
        """The messages get another folder; half of the moves are cut off."""
        box = self.boxes[at]
        if when < 400:
            killed(lambda: relocating.relocate(box.vault, folder, box.machine.locks), when)
        else:
            relocating.relocate(box.vault, folder, box.machine.locks)

    @rule(at=boxes)
    def sync(self, at: int) -> None:
        """A machine syncs."""
        self.boxes[at].sync()
        self.tally["syncs"] += 1
        self.heads.append(self._head())

    @rule(at=boxes, when=st.integers(1, 1500))
    def sync_is_killed(self, at: int, when: int) -> None:
        """A sync dies at some line of its code, the way a process does."""
        self.tally["kills"] += killed(self.boxes[at].sync, when)
        self.tally["syncs"] += 1
        self.heads.append(self._head())

    @rule(at=boxes)
    def sync_without_a_network(self, at: int) -> None:
        """The repository is not there."""
        away = self.remote.rename(self.folder / "away.git")
        try:
            assert self.boxes[at].sync().offline
            self.tally["syncs"] += 1
        finally:
            away.rename(self.remote)

    @precondition(lambda self: len(set(self.heads)) > 1)
    @rule()
    def push_is_lost(self) -> None:
        """The server forgets a push that it had taken."""
        before = [head for head in self.heads if head != self._head()][-1]
        git(self.folder, f"--git-dir={self.remote}", "update-ref", "refs/heads/main", before)
        self.tally["lost pushes"] += 1

    def teardown(self) -> None:
        """Each machine syncs once; those who came before the last fetch what came later. Everything is everywhere."""
        try:
            for box in self.boxes:
                box.sync()
            assert not self.names_clash()
            late = self.moving  # messages may have come to a former place
            for box in (*self.boxes, *self.boxes) if late else self.boxes[:-1]:
                later = box.sync()
                assert late or (later.pushed, dict(later.sent), later.conflicts) == (False, {}, ())
            self.tally["syncs"] += 9 if late else 5
            self.compare()
        finally:
            shutil.rmtree(self.folder, ignore_errors=True)

    def names_clash(self) -> bool:
        """Tell whether the repository has two names, of files or folders, that differ by case alone."""
        paths = git(self.remote, "ls-tree", "-r", "-z", "--name-only", "main").split("\0")
        names = {path[: match.start()] for path in paths for match in re.finditer("/|$", path)}
        return len(names) > len({layout.name_key(name) for name in names})

    def files_of(self, box: Box) -> dict[str, bytes]:
        """Return every file of a vault, without what a move of the messages leaves that was cut off."""
        return {path: data for path, data in files_of(box).items() if not (self.moving and "/.tmp-" in f"/{path}")}

    def compare(self) -> None:
        """Hold the three vaults against one another, and against what was said and written."""
        first_box, *others = self.boxes
        vault = self.files_of(first_box)
        for box in others:
            there = self.files_of(box)
            assert there.keys() == vault.keys(), there.keys() ^ vault.keys()
            assert [path for path in vault if there[path] != vault[path]] == []
        text = b"\n".join(data for path, data in vault.items() if path.endswith(".md")).decode()
        words = set(re.split(r"\n(?:- )?| \[\^", text))
        assert {line for line in self.lines if line not in words} == set()
        assert self.said <= {path.rpartition("/")[2].removesuffix(".json") for path in vault}
        assert list(relocating.strays(first_box.vault)) == []
        assert "<<<<<<<" not in text
        everything = b"\n".join(vault.values()).decode("utf-8", "replace")
        assert [words for words in self.forgotten if re.search(rf"{words}\b", everything)] == []
        problems = check.check_vault(first_box.vault).problems
        assert [problem for problem in problems if problem.code in MUST_HOLD] == []
        assert not [path for path in vault if "/.tmp-" in f"/{path}" and not path.endswith(".json")]
        self.tally["histories"] += 1
        self.tally["messages"] += len(self.said)
        self.tally["lines"] += len(self.lines)
        self.tally["conflict copies"] += len(list(copies.find_copies(first_box.root)))
        self.tally["merges"] += int(git(self.remote, "rev-list", "--merges", "--count", "main"))


def killed(call: Callable[[], object], when: int) -> bool:
    """Run something in a process that dies, without a word, when it comes to the ``when``-th line of sync's code.

    Return whether it came to that.
    """
    child = os.fork()
    if child:
        return os.WIFSIGNALED(os.waitpid(child, 0)[1])
    left = when

    def step(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal left
        if event == "line":
            left -= 1
            if left <= 0:
                os.kill(os.getpid(), signal.SIGKILL)
        return step

    try:
        sys.settrace(lambda frame, event, arg: step if KILLED_IN.search(frame.f_code.co_filename) else None)
        call()
    except (WwtError, OSError, SyncFailed):
        pass
    finally:
        os._exit(0)
