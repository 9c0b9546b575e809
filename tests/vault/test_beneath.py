"""Below a vault's root nothing leads out of it, also when a folder becomes a link between the look and the use."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from wwt_vault.errors import VaultError, WwtError
from wwt_vault.model.conversation import DocumentId, Message, Session
from wwt_vault.vault import (
    Vault,
    beneath,
    documents,
    events,
    files,
    layout,
    listing,
    lookup,
    marks,
    notes,
    open_vault,
    sessions,
)
from wwt_vault.vault.creation import create_vault

ROOT = Path(__file__).resolve().parents[2]
AT = datetime(2026, 11, 30, 1, 58, 1, tzinfo=UTC)
SESSION = Session(host="claude-code", session_id="42edc39d-0000-4000-8000-000000000000", cwd="/code/shop")
beneath_only = pytest.mark.skipif(
    os.open not in os.supports_dir_fd,
    reason="this system opens no file relative to a folder: paths are looked at first",
)

SWAP = """
import os, sys
from wwt_vault.vault.beneath import Place
from wwt_vault.vault.syscalls import exchange
folder, aside, outside = sys.argv[1:]
os.symlink(outside, aside)
print("swapping", flush=True)
while True:
    assert exchange(Place(None, folder), Place(None, aside))
"""


@contextmanager
def swapped(folder: Path, outside: Path) -> Iterator[None]:
    """Keep another process turning ``folder`` into a link to ``outside`` and back, ten thousand times a second."""
    aside = folder.with_name(".the-other")
    swapper = subprocess.Popen(
        [sys.executable, "-c", SWAP, str(folder), str(aside), str(outside)],
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )
    try:
        assert swapper.stdout is not None
        swapper.stdout.readline()
        yield
        assert swapper.poll() is None
    finally:
        swapper.kill()
        swapper.wait()
        if folder.is_symlink():
            folder.unlink()
            aside.rename(folder)
        else:
            aside.unlink()


def state_of(folder: Path) -> dict[str, tuple[int, int, bytes]]:
    """Return everything that lies in a folder, with its inode, time of change and bytes."""
    return {
        path.relative_to(folder).as_posix(): (
            path.stat().st_ino,
            path.stat().st_mtime_ns,
            path.read_bytes() if path.is_file() else b"",
        )
        for path in folder.rglob("*")
    }


def twin(folder: Path, outside: Path) -> None:
    """Put into ``outside`` what lies in ``folder``, with other words: what is read of it is known by them."""
    for path in folder.rglob("*"):
        place = outside / path.relative_to(folder)
        if path.is_dir():
            place.mkdir(parents=True, exist_ok=True)
        else:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(b"OUTSIDE " + path.read_bytes())


def tries(seconds: float, *calls: Callable[[int], object]) -> tuple[int, int]:
    """Call each again and again; return how often it went well and how often it was refused or found nothing."""
    done = refused = 0
    ends = time.monotonic() + seconds
    number = 0
    while time.monotonic() < ends:
        number += 1
        for call in calls:
            try:
                call(number)
                done += 1
            except (WwtError, OSError):
                refused += 1
    return done, refused


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    """A vault with a few files in a folder that is swapped."""
    made = create_vault(tmp_path / "vault", timezone="UTC")
    folder = made.root / "30_Knowledge"
    (folder / "Below").mkdir()
    for number in range(4):
        (folder / f"Page {number}.md").write_text(f"---\ntitle: Page {number}\n---\nINSIDE {number}\n", "utf-8")
        (folder / "Below" / f"Page {number}.md").write_text(f"INSIDE {number}\n", "utf-8")
    return made


@beneath_only
def test_nothing_outside_is_written_or_read_while_a_folder_is_swapped_for_a_link(tmp_path: Path, vault: Vault) -> None:
    """Every way to write, rename, delete, list or read a file: outside nothing appears, changes, goes or is told."""
    folder, outside = vault.root / "30_Knowledge", tmp_path / "outside"
    twin(folder, outside)
    (outside / "empty").mkdir()
    before = state_of(outside)
    told: set[bytes] = set()
    named: set[str] = set()

    def read(number: int) -> None:
        told.add(files.read(folder / "Below" / f"Page {number % 4}.md") or b"")

    def load(number: int) -> None:
        document = documents.load_document(vault, DocumentId(f"30_Knowledge/Page {number % 4}.md"))
        told.update(section.text.encode() for section in document.sections)

    def head(number: int) -> None:
        told.add(lookup.first_bytes(str(folder / f"Page {number % 4}.md")))

    def replace(number: int) -> None:
        path = folder / "Below" / f"Page {number % 4}.md"
        there = files.read(path) or b""
        told.add(there)
        files.replace(path, b"INSIDE again %d\n" % number, files.revision_of(there), told.add, grace=0)

    def append(number: int) -> None:
        files.append(folder / f"Page {number % 4}.md", b"> [!note] INSIDE %d\n\n" % number)

    def discard(number: int) -> None:
        path = folder / f"gone {number}.md"
        files.create_once(path, b"INSIDE")
        files.discard(path, files.revision_of(b"INSIDE"))

    def move(number: int) -> None:
        files.create_once(folder / f"old {number}.md", b"INSIDE")
        files.move(folder / f"old {number}.md", folder / "moved" / f"new {number}.md")

    def list_all(_: int) -> None:
        named.update(files.names_in(folder))
        named.update(path for path, *_ in listing.markdown_files(vault.root))

    (outside / "only here.md").write_text("OUTSIDE")
    before = state_of(outside)
    with swapped(folder, outside):
        done, refused = tries(
            4.0,
            read,
            load,
            head,
            replace,
            append,
            discard,
            move,
            list_all,
            lambda number: files.create_once(folder / "new" / f"{number}.md", b"INSIDE"),
            lambda number: files.overwrite(folder / "Page 3.md", b"INSIDE %d\n" % number),
            lambda number: files.remove(folder / f"Page {number % 4} copy.md"),
            lambda _: files.remove_empty(folder / "empty"),
            lambda _: files.respell(folder / "Page 0.md", folder / "page 0.md"),
            lambda _: files.respell(folder / "page 0.md", folder / "Page 0.md"),
        )
    assert state_of(outside) == before
    assert not [words for words in told if b"OUTSIDE" in words]
    assert "only here.md" not in {name.rpartition("/")[2] for name in named}
    assert done > 100
    assert refused > 100


@beneath_only
def test_no_event_note_or_mark_leaves_the_vault_while_a_folder_is_swapped_for_a_link(
    tmp_path: Path, vault: Vault
) -> None:
    """What a hook and an agent write: each is in the vault or refused, and what was refused can be written again."""
    outside = tmp_path / "outside"
    outside.mkdir()
    said = [
        events.event_of(Message(SESSION, "user", f"word {number}", AT + timedelta(seconds=number)), 1)
        for number in range(2000)
    ]
    written: list[int] = []

    def record(number: int) -> None:
        events.write_event(vault, said[number])
        written.append(number)

    def note(number: int) -> None:
        path = sessions.find_session_note(vault, SESSION.host, SESSION.session_id)
        path = path or sessions.create_session_note(vault, SESSION, "shop", "box", AT)
        sessions.append_event(vault, path, said[number])

    def save(number: int) -> None:
        notes.save_note(
            vault,
            note=f"Note {number}",
            body="- a fact",
            revision=None,
            written_by="x",
            at=AT,
            locks=tmp_path / "locks",
        )

    def mark(number: int) -> None:
        marks.mark_curated(vault, SESSION.host, SESSION.session_id, said[number].id, AT)

    for name in (".wwt", "50_Conversations", "00_Inbox"):
        with swapped(vault.root / name, outside):
            tries(1.5, record, note, save, mark)
        assert list(outside.iterdir()) == [], name
    for number in written:
        assert events.read_event(vault, said[number].id) == said[number]


@beneath_only
@pytest.mark.parametrize("depth", [0, 1, 2])
def test_a_link_on_the_way_is_named_and_not_followed(tmp_path: Path, depth: int) -> None:
    """Whichever folder it is, and whether something is read, written or made there; the message says what to do."""
    root, outside = tmp_path / "vault", tmp_path / "outside"
    folders = [root / "a", root / "a" / "b", root / "a" / "b" / "c"]
    folders[-1].mkdir(parents=True)
    outside.mkdir()
    (outside / "b" / "c").mkdir(parents=True)
    (outside / "c").mkdir()
    beneath.confine(root)
    folders[depth].rename(tmp_path / "was")
    folders[depth].symlink_to(outside)
    path = root / "a" / "b" / "c" / "file.md"
    for call in (
        lambda: files.read(path),
        lambda: files.create_once(path, b"x"),
        lambda: files.overwrite(path, b"x"),
        lambda: files.append(path, b"x\n\n"),
        lambda: files.remove(path),
        lambda: files.names_in(path.parent),
        lambda: files.replace(path, b"x", files.revision_of(b""), lambda _: None),
    ):
        with pytest.raises(VaultError, match=r"symbolic link, which is not followed") as caught:
            call()
        assert str(folders[depth]) in str(caught.value)
    assert sorted(name.name for name in outside.rglob("*")) == ["b", "c", "c"]


def test_the_way_to_the_vault_may_lead_through_links(tmp_path: Path) -> None:
    """Where the vault lies is the person's to say; in it everything works as anywhere."""
    real = create_vault(tmp_path / "real", timezone="UTC").root
    (tmp_path / "link").symlink_to(real)
    vault = open_vault(tmp_path / "link")
    path = layout.inside(vault.root, "30_Knowledge/Below/Page.md")
    assert files.create_once(path, b"words")
    assert files.read(path) == b"words"
    assert (real / "30_Knowledge" / "Below" / "Page.md").read_bytes() == b"words"
    assert "30_Knowledge/Below/Page.md" in documents.catalog(vault)


def test_no_path_climbs_out_of_the_folder_it_names(tmp_path: Path) -> None:
    """Two dots are refused on the way, whoever asked for them."""
    root = tmp_path / "vault"
    root.mkdir()
    beneath.confine(root)
    (tmp_path / "secret.md").write_text("secret")
    with suppress(VaultError):
        assert files.read(root / ".." / "secret.md") is None
    with suppress(VaultError):
        files.overwrite(root / "a" / ".." / ".." / "new.md", b"x")
    assert not (tmp_path / "new.md").exists()


AS_NOBODY = """
import os, sys
from pathlib import Path
from wwt_vault.vault import beneath, files
top = Path(sys.argv[1])
if os.geteuid() == 0:
    os.setgroups([]); os.setgid(65534); os.setuid(65534)
beneath.confine(top)
try:
    os.listdir(top / "a")
    print("may be listed")
except PermissionError:
    print(files.read(top / "a" / "b" / "x.md"))
"""


@pytest.mark.skipif(not hasattr(os, "O_PATH"), reason="only Linux opens a folder just to go through it")
def test_a_folder_that_may_be_gone_through_but_not_listed_is_gone_through() -> None:
    """As by its path: what the system allows is not made stricter."""
    with tempfile.TemporaryDirectory() as name:
        top = Path(name)
        (top / "a" / "b").mkdir(parents=True)
        (top / "a" / "b" / "x.md").write_bytes(b"words")
        for folder, mode in ((top, 0o755), (top / "a" / "b", 0o755), (top / "a", 0o111)):
            folder.chmod(mode)
        command = [sys.executable, "-c", AS_NOBODY, name]
        run = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
        (top / "a").chmod(0o755)
    assert run.stdout.strip() == "b'words'"
