"""Files are written whole or not at all, never over what somebody else wrote, and by one at a time."""

from __future__ import annotations

import ctypes
import errno
import os
import signal
import stat
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import filelock
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wwt_vault.errors import EventConflict, LockTimeout, NotFound, StaleRevision, VaultError, VaultReadOnly
from wwt_vault.vault import files, syscalls
from wwt_vault.vault.beneath import plain
from wwt_vault.vault.files import append, create_once, lock, overwrite, replace, revision_of

ROOT = Path(__file__).resolve().parents[2]
posix = pytest.mark.skipif(sys.platform == "win32", reason="modes, users and limits of POSIX")


def python(code: str, *arguments: object) -> subprocess.Popen[str]:
    """Start another process that runs ``code`` with this project on its path."""
    command = [sys.executable, "-c", "import sys; sys.path.insert(0, sys.argv.pop(1))\n" + code, str(ROOT)]
    return subprocess.Popen(
        [*command, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )


def outcome(process: subprocess.Popen[str]) -> str:
    """Return what a process printed; it has to have ended well."""
    output, _ = process.communicate(timeout=60)
    assert process.returncode == 0, output
    return output.strip()


def names(folder: Path) -> list[str]:
    """Return what lies in a folder."""
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture
def no_links(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file system that refuses links, as FAT and exFAT do."""

    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.EPERM, os.strerror(errno.EPERM))

    monkeypatch.setattr(os, "link", refuse)


@pytest.fixture
def no_renameat2(monkeypatch: pytest.MonkeyPatch) -> None:
    """A system that can neither exchange two files nor rename without overwriting."""
    monkeypatch.setattr(ctypes, "CDLL", lambda *_, **__: object())


# -- create_once
# ----------------------------------------------------------------------------------------------------


def test_a_file_is_created_once_and_a_second_time_changes_nothing(tmp_path: Path) -> None:
    """The same bytes again are success; whether they were written is said."""
    path = tmp_path / "2026" / "11" / "event.json"
    assert create_once(path, b"words\n") is True
    before = path.stat()
    assert create_once(path, b"words\n") is False
    assert path.read_bytes() == b"words\n"
    assert (path.stat().st_ino, path.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert names(path.parent) == ["event.json"]


def test_other_bytes_are_refused_and_the_first_stay(tmp_path: Path) -> None:
    """An event that says something else is never overwritten, also when it is empty or a part of the new one."""
    for there in (b"other", b"", b"wor"):
        path = tmp_path / f"{len(there)}.json"
        path.write_bytes(there)
        with pytest.raises(EventConflict) as caught:
            create_once(path, b"words")
        assert caught.value.data["actual"] == revision_of(there)
        assert path.read_bytes() == there
    assert len(names(tmp_path)) == 3


def test_a_link_in_the_place_is_not_followed(tmp_path: Path) -> None:
    """Nothing is written through a symbolic link, wherever it leads."""
    outside = tmp_path / "outside"
    (tmp_path / "event.json").symlink_to(outside)
    with pytest.raises(VaultError, match="symbolic link"):
        create_once(tmp_path / "event.json", b"words")
    assert not outside.exists()


@pytest.mark.parametrize("limits", [["no_links"], ["no_links", "no_renameat2"]])
def test_where_links_are_impossible_creation_is_still_exclusive(
    tmp_path: Path, request: pytest.FixtureRequest, limits: list[str]
) -> None:
    """On a file system without links a new file appears, and one that is there is left alone."""
    for limit in limits:
        request.getfixturevalue(limit)
    path = tmp_path / "event.json"
    assert create_once(path, b"words") is True
    assert create_once(path, b"words") is False
    assert syscalls.create(plain(path), b"other", 0o666) is False
    assert path.read_bytes() == b"words"
    assert names(tmp_path) == ["event.json"]


WRITER = """
from pathlib import Path
from wwt_vault.vault.files import create_once
folder, me, own = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
written = [create_once(folder / f"shared {n}.json", b"the same %d" % n * 500) for n in range(own)]
for n in range(own):
    assert create_once(folder / f"{me} {n}.json", b"%d of %d" % (n, me) * 500)
print(sum(written))
"""


def test_sixteen_processes_at_once_lose_and_double_nothing(tmp_path: Path) -> None:
    """Each event is written by exactly one of those that try, all are there and whole, and nothing else is."""
    processes = [python(WRITER, tmp_path, me, 40) for me in range(16)]
    written = [int(outcome(process)) for process in processes]
    assert sum(written) == 40
    found = names(tmp_path)
    assert len(found) == 40 + 16 * 40
    assert not [name for name in found if name.startswith(".tmp-")]
    for me in range(16):
        assert (tmp_path / f"{me} 7.json").read_bytes() == b"7 of %d" % me * 500


@posix
def test_private_files_are_the_users_alone(tmp_path: Path) -> None:
    """What is kept outside of the vault can be read by the user only, folders included."""
    create_once(tmp_path / "a" / "b" / "item", b"x", private=True)
    overwrite(tmp_path / "c" / "cursor", b"x", private=True)
    for folder in ("a", "a/b", "c"):
        assert stat.S_IMODE((tmp_path / folder).stat().st_mode) == 0o700
    for file in ("a/b/item", "c/cursor"):
        assert stat.S_IMODE((tmp_path / file).stat().st_mode) == 0o600


# -- what can go wrong
# ----------------------------------------------------------------------------------------------


@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="/proc is Linux's")
def test_a_folder_where_nothing_can_be_made_is_named(tmp_path: Path) -> None:
    """As /proc, or a share that is not mounted: it is there, and making a folder in it says that it is not."""
    with pytest.raises(VaultError, match=r"/proc/vault/notes/a\.md was not read or written"):
        create_once(Path("/proc/vault/notes/a.md"), b"x")


AS_NOBODY = """
import os
from pathlib import Path
from wwt_vault.errors import VaultReadOnly
from wwt_vault.vault.files import append, create_once, overwrite, replace, revision_of
folder = Path(sys.argv[1])
if os.geteuid() == 0:
    os.setgroups([]); os.setgid(65534); os.setuid(65534)
note = folder / "note.md"
for call in (
    lambda: create_once(folder / "new" / "event.json", b"x"),
    lambda: create_once(folder / "event.json", b"x"),
    lambda: overwrite(folder / "mark.json", b"x"),
    lambda: append(note, b"> block\\n\\n"),
    lambda: replace(note, b"new", revision_of(b"old"), print, grace=0),
):
    try:
        call()
        print("written")
    except VaultReadOnly as error:
        assert error.data["path"].startswith(str(folder)), error.data
"""


@posix
def test_a_read_only_vault_is_named_as_such_and_nothing_is_left_behind() -> None:
    """Whoever may not write gets VaultReadOnly with the path, from every call that writes."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "note.md").write_bytes(b"old")
        (folder / "note.md").chmod(0o444)
        folder.chmod(0o555)
        assert outcome(python(AS_NOBODY, folder)) == "b'old'"  # kept before the replacement was tried
        assert names(folder) == ["note.md"]
        folder.chmod(0o755)


FULL = """
import os, resource, signal
from pathlib import Path
from wwt_vault.errors import VaultError
from wwt_vault.vault.files import append, create_once, overwrite, replace, revision_of
folder = Path(sys.argv[1])
note, old = folder / "note.md", b"words\\n" * 1000
resource.setrlimit(resource.RLIMIT_FSIZE, (8192, resource.RLIM_INFINITY))
for call in (
    lambda: create_once(folder / "event.json", b"x" * 9000),
    lambda: overwrite(folder / "mark.json", b"x" * 9000),
    lambda: append(note, b"> block\\n" * 1000 + b"\\n"),
    lambda: replace(note, b"new" * 9000, revision_of(old), lambda kept: None, grace=0),
):
    try:
        call()
        os.write(1, b"written")
    except VaultError as error:
        assert error.data["errno"] == "EFBIG" and "Make room" in str(error), error
"""


@posix
def test_a_full_disk_leaves_everything_as_it_was(tmp_path: Path) -> None:
    """A write that stops in the middle says so, is taken back, and leaves no file half-made."""
    (tmp_path / "note.md").write_bytes(b"words\n" * 1000)
    (tmp_path / "mark.json").write_bytes(b"old")
    assert outcome(python(FULL, tmp_path)) == ""
    assert names(tmp_path) == ["mark.json", "note.md"]
    assert (tmp_path / "note.md").read_bytes() == b"words\n" * 1000
    assert (tmp_path / "mark.json").read_bytes() == b"old"


def test_a_short_write_is_carried_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A system that takes one byte at a time gets them all."""
    write = os.write
    monkeypatch.setattr(os, "write", lambda handle, data: write(handle, bytes(data[:1])))
    create_once(tmp_path / "event.json", b"several words")
    (tmp_path / "note.md").write_bytes(b"")
    append(tmp_path / "note.md", b"> several\n\n")
    assert (tmp_path / "event.json").read_bytes() == b"several words"
    assert (tmp_path / "note.md").read_bytes() == b"> several\n\n"


def test_a_file_that_windows_has_open_elsewhere_is_waited_for() -> None:
    """Obsidian or a virus scanner holds a file for some milliseconds: tried again, but not for ever."""
    tries: list[None] = []

    def busy_twice() -> None:
        tries.append(None)
        if len(tries) < 3:
            error = PermissionError(errno.EACCES, "sharing violation")
            error.winerror = 32  # type: ignore[attr-defined]  # as Windows sets it
            raise error

    syscalls.patiently(busy_twice)
    assert len(tries) == 3

    def denied() -> None:
        tries.append(None)
        raise PermissionError(errno.EACCES, "denied")

    with pytest.raises(PermissionError):
        syscalls.patiently(denied)
    assert len(tries) == 4


# -- append
# ---------------------------------------------------------------------------------------------------------

BLOCK = "> [!user] 01:58\n> 안녕\n>\n> there\n\n^20261130T015801Z-9f2c4e1ab07d\n\n".encode()
FIRST_LINE = BLOCK.index(b"\n") + 1


def test_a_block_is_appended_once(tmp_path: Path) -> None:
    """What the file ends with already is not appended again."""
    note = tmp_path / "note.md"
    note.write_bytes(b"---\ntype: session\n---\n\n")
    assert append(note, BLOCK) is True
    assert append(note, BLOCK) is False
    assert note.read_bytes() == b"---\ntype: session\n---\n\n" + BLOCK


@pytest.mark.parametrize("cut", range(FIRST_LINE, len(BLOCK)))
def test_a_block_that_was_cut_off_is_completed(tmp_path: Path, cut: int) -> None:
    """Killed at any byte of the write, the next try leaves the block there once, whole."""
    note = tmp_path / "note.md"
    note.write_bytes(b"before\n\n" + BLOCK[:cut])
    assert append(note, BLOCK) is True
    assert note.read_bytes() == b"before\n\n" + BLOCK


@pytest.mark.parametrize("cut", range(1, FIRST_LINE))
def test_a_cut_inside_the_first_line_leaves_the_block_whole_after_it(tmp_path: Path, cut: int) -> None:
    """So little cannot be told from a person's words: it stays, and the block stands whole after a blank line."""
    note = tmp_path / "note.md"
    note.write_bytes(b"before\n\n" + BLOCK[:cut])
    append(note, BLOCK)
    assert note.read_bytes().startswith(b"before\n\n" + BLOCK[:cut])
    assert note.read_bytes().endswith(b"\n\n" + BLOCK)


@pytest.mark.parametrize(
    ("there", "between"),
    [
        (b"", b""),
        (b"a person's words", b"\n\n"),
        (b"a person's words\n", b"\n"),
        (b"a person's words\n\n", b""),
        (b"words\r\n\r\n", b""),
        (b"words\r\n", b"\n"),
        (b"> [!user] 01:58\n> another answer", b"\n\n"),
    ],
)
def test_a_blank_line_stands_before_a_block(tmp_path: Path, there: bytes, between: bytes) -> None:
    """Whatever a person or another block left at the end, the new block is one of its own."""
    note = tmp_path / "note.md"
    note.write_bytes(there)
    append(note, BLOCK)
    assert note.read_bytes() == there + between + BLOCK


@given(
    there=st.lists(st.sampled_from([b"\n", b"> [!user] 01:58\n", b"> x\n", b"words", b"\r\n", BLOCK[:40]])).map(
        b"".join
    ),
    text=st.lists(st.sampled_from([b"> [!user] 01:58\n", b"> x\n", b">\n"])).map(b"".join),
    cut=st.integers(min_value=0),
)
def test_any_block_after_any_end_is_there_once_and_nothing_is_lost(there: bytes, text: bytes, cut: int) -> None:
    """What stood there stays, the block follows whole, and trying again changes nothing; also after a cut."""
    block = b"> [!user] 01:58\n" + text + b"\n^id\n\n"
    with tempfile.TemporaryDirectory() as folder:
        note = Path(folder, "note.md")
        note.write_bytes(there + block[: cut % len(block)])
        append(note, block)
        after = note.read_bytes()
        assert after.startswith(there + block[: cut % len(block)])
        assert after.endswith(block)
        assert append(note, block) is False
        assert note.read_bytes() == after


def test_appending_to_a_note_that_is_gone_makes_none(tmp_path: Path) -> None:
    """A note that was deleted is not made again as a headless one."""
    with pytest.raises(NotFound):
        append(tmp_path / "note.md", BLOCK)
    assert names(tmp_path) == []


# -- replace
# --------------------------------------------------------------------------------------------------------

ways = pytest.mark.parametrize(
    "limits", [[], ["no_renameat2"], ["no_renameat2", "no_links"]], ids=["swap", "link", "none"]
)


@pytest.fixture
def limited(request: pytest.FixtureRequest, limits: list[str]) -> None:
    """The file system as the parameter ``limits`` has it."""
    for limit in limits:
        request.getfixturevalue(limit)


@ways
def test_the_revision_that_was_read_is_replaced_and_kept(tmp_path: Path, limited: None) -> None:
    """The new text is there, the old one was handed over before, mode and folder are as they were."""
    note = tmp_path / "note.md"
    note.write_bytes(b"old")
    note.chmod(0o640)
    kept: list[bytes] = []
    assert replace(note, b"new", revision_of(b"old"), kept.append, grace=0.001) == revision_of(b"new")
    assert (note.read_bytes(), kept) == (b"new", [b"old"])
    if sys.platform != "win32":
        assert stat.S_IMODE(note.stat().st_mode) == 0o640
    assert names(tmp_path) == ["note.md"]


@ways
def test_a_stale_revision_is_refused_without_a_trace(tmp_path: Path, limited: None) -> None:
    """The refusal names both revisions; file, folder and history are as before."""
    note = tmp_path / "note.md"
    note.write_bytes(b"a person's")
    kept: list[bytes] = []
    with pytest.raises(StaleRevision) as caught:
        replace(note, b"new", revision_of(b"old"), kept.append)
    assert caught.value.data["expected"] == revision_of(b"old")
    assert caught.value.data["actual"] == revision_of(b"a person's")
    note.unlink()
    with pytest.raises(StaleRevision) as caught:
        replace(note, b"new", revision_of(b"old"), kept.append)
    assert caught.value.data["actual"] is None
    assert (kept, names(tmp_path)) == ([], [])


@ways
def test_a_revision_that_cannot_be_kept_is_not_replaced(tmp_path: Path, limited: None) -> None:
    """History comes first: without it nothing is written."""
    note = tmp_path / "note.md"
    note.write_bytes(b"old")

    def fail(_: bytes) -> None:
        raise VaultReadOnly("no room for history")

    with pytest.raises(VaultReadOnly):
        replace(note, b"new", revision_of(b"old"), fail)
    assert note.read_bytes() == b"old"
    assert names(tmp_path) == ["note.md"]


@pytest.mark.parametrize("limits", [[], ["no_renameat2"]], ids=["swap", "link"])
@pytest.mark.parametrize("save", ["in place", "by another file"])
def test_a_save_between_look_and_replacement_wins(tmp_path: Path, limited: None, save: str, limits: list[str]) -> None:
    """A person who saves after the revision was compared finds their words in the note, and the agent is refused."""
    if save == "by another file" and limits:
        pytest.skip("stated in replace(): without an exchange this moment cannot be guarded")
    note = tmp_path / "note.md"
    note.write_bytes(b"old")
    kept: list[bytes] = []

    def person_saves(revision: bytes) -> None:
        kept.append(revision)
        if len(kept) > 1:
            return
        if save == "in place":
            note.write_bytes(b"a person's")
        else:
            (tmp_path / "editor").write_bytes(b"a person's")
            (tmp_path / "editor").replace(note)

    with pytest.raises(StaleRevision) as caught:
        replace(note, b"new", revision_of(b"old"), person_saves, grace=0.001)
    assert caught.value.data["actual"] == revision_of(b"a person's")
    assert note.read_bytes() == b"a person's"
    assert kept == [b"old", b"a person's"]
    assert names(tmp_path) == ["note.md"]


@pytest.mark.parametrize("limits", [[], ["no_renameat2"]], ids=["swap", "link"])
def test_an_editor_that_had_the_file_open_is_seen_on_the_second_look(tmp_path: Path, limited: None) -> None:
    """Words written into the old file after the exchange come back to the note."""
    note = tmp_path / "note.md"
    note.write_bytes(b"old")
    editor = os.open(note, os.O_WRONLY)
    late = threading.Timer(0.05, lambda: os.write(editor, b"a person's"))
    late.start()
    with pytest.raises(StaleRevision):
        replace(note, b"new", revision_of(b"old"), lambda _: None, grace=0.3)
    late.join()
    os.close(editor)
    assert note.read_bytes() == b"a person's"
    assert names(tmp_path) == ["note.md"]


AGENT = """
from pathlib import Path
from wwt_vault.errors import StaleRevision
from wwt_vault.vault.files import lock, replace, revision_of
note, me, locked = Path(sys.argv[1]), sys.argv[2], sys.argv[3] == "locked"
sys.stdin.readline()
try:
    if locked:
        with lock(note.parent / "lock" / "note", 10):
            replace(note, me.encode(), revision_of(b"old"), lambda kept: None, grace=0.02)
    else:
        replace(note, me.encode(), revision_of(b"old"), lambda kept: None, grace=0.02)
    print("won")
except StaleRevision:
    print("stale")
"""


@pytest.mark.parametrize(("agents", "locked"), [(2, "not locked"), (8, "locked")])
def test_of_several_agents_with_one_revision_exactly_one_wins(tmp_path: Path, agents: int, locked: str) -> None:
    """The others are refused, and the note says what the winner wrote."""
    note = tmp_path / "note.md"
    for _ in range(3):
        note.write_bytes(b"old")
        command = [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(ROOT)!r})\n{AGENT}", str(note)]
        started = [
            subprocess.Popen([*command, f"agent {n}", locked], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            for n in range(agents)
        ]
        time.sleep(0.3)
        said = [process.communicate("go\n", timeout=60)[0].strip() for process in started]
        assert sorted(said) == ["stale"] * (agents - 1) + ["won"]
        assert note.read_text() == f"agent {said.index('won')}"


EDITOR = """
import os, time
from pathlib import Path
note, how, edits = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
for n in range(edits):
    text = note.read_bytes() + b"person %d.\\n" % n
    if how == "in place":
        with note.open("r+b") as file:
            file.write(text); file.truncate()
    else:
        (note.parent / "editor").write_bytes(text)
        os.replace(note.parent / "editor", note)
    time.sleep(0.002)
"""


@pytest.mark.parametrize(
    ("how", "limits"),
    [("in place", []), ("by another file", []), ("in place", ["no_renameat2"])],
    ids=["in place", "by another file", "in place, links only"],
)
def test_a_persons_edits_survive_a_busy_agent(tmp_path: Path, limited: None, how: str, limits: list[str]) -> None:
    """Every line of 300 quick edits is in the note or in what was kept; the agent gets through as well."""
    note = tmp_path / "note.md"
    note.write_bytes(b"start\n")
    kept: list[bytes] = []
    wins = 0
    editor = python(EDITOR, note, how, 300)
    while editor.poll() is None:
        there = note.read_bytes()
        try:
            replace(note, there + b"agent %d.\n" % wins, revision_of(there), kept.append, grace=0.004)
            wins += 1
        except StaleRevision:
            continue
    outcome(editor)
    everything = b"".join([note.read_bytes(), *kept])
    assert [n for n in range(300) if b"person %d.\n" % n not in everything] == []
    assert wins > 0
    assert names(tmp_path) == ["note.md"]


# -- lock
# -----------------------------------------------------------------------------------------------------------

HOLDER = """
from pathlib import Path
if sys.argv[2] == "filelock":
    import filelock
    held = filelock.FileLock(sys.argv[1])
else:
    from wwt_vault.vault.files import lock
    held = lock(Path(sys.argv[1]), 5)
with held:
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture(params=["filelock", "ours"])
def holder(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[subprocess.Popen[str]]:
    """Another process that holds the lock, by the library or by our own call, until its input ends."""
    path = tmp_path / "locks" / "session.lock"
    path.parent.mkdir()
    command = [
        sys.executable,
        "-c",
        f"import sys; sys.path.insert(0, {str(ROOT)!r})\n{HOLDER}",
        str(path),
        request.param,
    ]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    yield process
    process.kill()
    process.communicate()


def test_a_lock_held_elsewhere_is_waited_for_and_then_reported(tmp_path: Path, holder: subprocess.Popen[str]) -> None:
    """Our call and filelock's keep each other out, whichever came first."""
    path = tmp_path / "locks" / "session.lock"
    begun = time.monotonic()
    with pytest.raises(LockTimeout), lock(path, 0.2):
        pass
    assert time.monotonic() - begun >= 0.2
    with pytest.raises(filelock.Timeout), filelock.FileLock(path, timeout=0.05):
        pass
    holder.communicate("")
    with lock(path, 5):
        assert path.exists()


def test_a_lock_dies_with_its_owner(tmp_path: Path, holder: subprocess.Popen[str]) -> None:
    """A process that was killed leaves no lock, only the empty file."""
    holder.send_signal(signal.SIGKILL if sys.platform != "win32" else signal.SIGTERM)
    holder.wait()
    with lock(tmp_path / "locks" / "session.lock", 5):
        pass
    with filelock.FileLock(tmp_path / "locks" / "session.lock", timeout=5):
        pass


def test_a_lock_is_free_after_an_error_and_excludes_within_one_process(tmp_path: Path) -> None:
    """Two threads are two holders; an exception lets go."""
    path = tmp_path / "lock"
    with pytest.raises(ZeroDivisionError), lock(path, 0):
        with pytest.raises(LockTimeout), lock(path, 0):
            pass
        raise ZeroDivisionError
    with lock(path, 0):
        pass


@posix
def test_a_lock_on_a_file_that_was_just_deleted_is_taken_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever deletes the lock file between our opening and locking it does not let two in."""
    import fcntl

    path, flock, deleted = tmp_path / "lock", fcntl.flock, []

    def delete_first(handle: int, operation: int) -> None:
        if not deleted:
            deleted.append(path.unlink())
        flock(handle, operation)

    monkeypatch.setattr(fcntl, "flock", delete_first)
    with lock(path, 5):
        assert path.exists()
        with pytest.raises(filelock.Timeout), filelock.FileLock(path, timeout=0):
            pass


def test_reading_tells_what_is_missing_from_what_cannot_be_read(tmp_path: Path) -> None:
    """No file is ``None``; a folder in its place is an error that names it."""
    assert files.read(tmp_path / "no") is None
    assert files.names_in(tmp_path / "no") == []
    with pytest.raises(VaultError, match="cannot be read"):
        files.read(tmp_path)
