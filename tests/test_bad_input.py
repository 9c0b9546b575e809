"""What must not get into a curated note, through the real server and the real command line: a refusal that says what to
do, and not a byte written.
"""

from __future__ import annotations

import io
import json
import shutil
import unicodedata
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from mcp import Client

from tests.test_mcp_server import call, drive, refused
from wwt_vault.cli import main
from wwt_vault.operations import conversations, notes
from wwt_vault.operations.workspace import Workspace, open_workspace
from wwt_vault.vault import Vault
from wwt_vault.vault.files import revision_of

SAID = [{"role": "user", "text": "said", "time": "2026-11-29T01:00:00Z"}]


class Made(NamedTuple):
    """What there is when the bad input comes: a note, another one, and an event to cite."""

    root: Path
    cite: str
    one: dict[str, Any]
    other: dict[str, Any]

    def path(self, note: dict[str, Any]) -> Path:
        """Return where a note lies."""
        return self.root / str(note["path"])

    def now(self, note: dict[str, Any]) -> str:
        """Return the revision that a note has now."""
        return revision_of(self.path(note).read_bytes())


@pytest.fixture
def made(words_only: Vault) -> Made:
    """Make two notes."""
    workspace: Workspace = open_workspace(str(words_only.root), embedder=lambda: None)
    now = datetime(2026, 11, 30, tzinfo=UTC)
    (event,) = conversations.record(workspace, "chat", "s1", SAID, now=now)["added"]
    cite = f"[^{event}]"
    body = f"One. {cite}\n\n## Facts\n\n- a {cite}\n\n## Why\n\nx\n\n## Why\n\ny\n"
    one = notes.save_note(workspace, "Café one", body=body, type="topic", written_by="a", now=now)
    other = notes.save_note(workspace, "Other", body=f"Two. {cite}\n", type="decision", written_by="a", now=now)
    return Made(words_only.root, cite, one, other)


def copied(made: Made) -> dict[str, Any]:
    """Duplicate the note, as Obsidian's "Make a copy" does, and try to save the copy."""
    copy = made.path(made.one).with_name("Café one 1.md")
    shutil.copyfile(made.path(made.one), copy)
    return {"note": "30_Knowledge/Café one 1", "body": f"x {made.cite}", "revision": made.one["revision"]}


def renamed(made: Made) -> dict[str, Any]:
    """Rename the note meanwhile, and save it under the name that it had."""
    made.path(made.one).rename(made.root / "20_Areas" / "Elsewhere.md")
    return {"note": made.one["path"], "body": f"x {made.cite}", "revision": made.one["revision"]}


def conflicted(made: Made) -> dict[str, Any]:
    """Leave the markers of a git merge in the note."""
    path = made.path(made.one)
    markers = "<<<<<<< HEAD\n- a\n=======\n- b\n>>>>>>> theirs\n"
    path.write_text(path.read_text("utf-8").replace("## Facts\n", f"## Facts\n\n{markers}"), "utf-8")
    return {"note": "Café one", "body": f"x {made.cite}", "revision": made.now(made.one)}


def broken(made: Made) -> dict[str, Any]:
    """Leave properties that do not parse."""
    path = made.path(made.one)
    path.write_text(path.read_text("utf-8").replace("type: topic", "type: [topic"), "utf-8")
    return {"note": "30_Knowledge/Café one", "body": f"x {made.cite}", "revision": made.now(made.one)}


def locked(made: Made) -> dict[str, Any]:
    """Lock the note."""
    path = made.path(made.one)
    path.write_text(path.read_text("utf-8").replace("type: topic", "type: topic\nlocked: true"), "utf-8")
    return {"note": "Café one", "body": f"x {made.cite}", "revision": made.now(made.one)}


def new(title: str = "New", body: str = "x {}", **more: Any) -> Callable[[Made], dict[str, Any]]:
    """Save a new note; ``{}`` in the body is a citation."""
    return lambda made: {"note": title, "body": body.replace("{}", made.cite), "type": "topic", **more}


def change(body: str | None = None, **more: Any) -> Callable[[Made], dict[str, Any]]:
    """Change the note that is there, with its revision unless another is given."""

    def given(made: Made) -> dict[str, Any]:
        whole = {"body": body.replace("{}", made.cite)} if body else {}
        return {"note": "Café one", "revision": made.one["revision"], **whole, **more}

    return given


BAD: list[tuple[str, Callable[[Made], dict[str, Any]], str, str]] = [
    ("an unknown id", new(body="x [^20200101T000000Z-000000000000]"), "unknown_event", "line 1"),
    ("an id of the 99th", new(body="x {}\n\ny [^20269999T000000Z-000000000000]"), "unknown_event", "line 3"),
    ("a malformed id", new(body="x {} [^20261130T015801Z-9f2c]"), "unknown_event", "line 1"),
    ("no evidence", new(body="x"), "no_evidence", "cite at least one"),
    ("a bare fact", new(body="x {}\n\n## Facts\n\n- a {}\n- b\n"), "uncited_fact", "line 6"),
    ("a revision of another note", lambda made: change("x {}", revision=made.other["revision"])(made),
     "stale_revision", "is a revision of 40_Decisions/Other.md"),
    ("a revision of nothing", change("x {}", revision="0" * 64), "stale_revision", "read it again"),
    ("six digits of a revision", lambda made: change("x {}", revision=made.one["revision"][:6])(made),
     "stale_revision", "read it again"),
    ("a copy with the same id", copied, "human_conflict", "one is a copy"),
    ("a note renamed meanwhile", renamed, "not_found", "20_Areas/Elsewhere.md now"),
    ("git conflict markers in the note", conflicted, "human_conflict", "unresolved git conflict"),
    ("git conflict markers in the body", change("<<<<<<< a\nx {}\n=======\ny\n>>>>>>> b\n"), "bad_argument",
     "git conflict"),
    ("properties that do not parse", broken, "human_conflict", "mended by a person"),
    ("a locked note", locked, "locked", "only a person changes it"),
    ("a section that does not exist", change(sections={"Nowhere": "x"}), "not_found", "it has: Facts"),
    ("a heading that fits two", change(sections={"Why": "x"}), "ambiguous", "give the headings above it too"),
    ("two edits of one section", change(sections={"Facts": "x"}, append={"facts": "y"}), "bad_argument",
     "holds another"),
    ("ten megabytes", new(body="x {}\n" + "가나다라 " * 800_000), "bad_argument", "split the note"),
    ("a control character", new(body="x {}\n\nab\x1b[31mc"), "bad_argument", "line 3 of the body"),
    ("a bidi override", new(body="x {}\u202e"), "bad_argument", "U+202E"),
    ("hidden tag characters", new(body="x {}\U000e0041"), "bad_argument", "U+E0041"),
    ("a bidi override in the reason", new(reason="a\u202eb"), "bad_argument", "without invisible"),
    ("a title of nothing", new(title="///"), "path_escapes", ""),
    ("a title that is no name", new(title="???"), "bad_name", "give a title"),
    ("a path with a name that cannot be linked", new(title="30_Knowledge/A#B|C"), "bad_name", "try"),
    ("a name that Windows reserves", new(title="30_Knowledge/CON"), "bad_name", "try"),
    ("a title equal but for case", new(title="CAFÉ ONE"), "note_exists", "read it and save"),
    ("a title equal but for its Unicode form", new(title=unicodedata.normalize("NFD", "Café one")), "note_exists",
     "case and Unicode form"),
    ("a name taken in another folder", new(title="20_Areas/other"), "note_exists", "40_Decisions/Other.md"),
    ("a path out of the vault", new(title="../../etc/x"), "path_escapes", ""),
    ("a path into our own folder", new(title=".wwt/x"), "path_escapes", ""),
    ("a path among the sessions", new(title="50_Conversations/x"), "path_escapes", "not for curated notes"),
    ("a relation to nothing", new(relations={"part_of": ["Nowhere"]}), "not_found", "Save that note first"),
    ("a relation there is none of", new(relations={"likes": ["Other"]}), "bad_argument", "relates_to"),
    ("a relation to itself", change("x {}", relations={"part_of": ["Café one"]}), "bad_argument", "to itself"),
    ("frontmatter in the body", new(body="---\nid: mine\n---\nx {}"), "bad_argument", "give properties as arguments"),
    ("neither body nor parts", new(body=""), "no_evidence", ""),
]  # fmt: skip


def bytes_of(root: Path) -> dict[Path, bytes]:
    """Return every file of the vault."""
    return {path: path.read_bytes() for path in root.rglob("*") if path.is_file()}


ONE_PART = [case for case in BAD if case[0] != "two edits of one section"]  # the command line makes one at a time


@pytest.fixture
def save(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[[dict[str, Any]], Any]:
    """Return a function that saves with `wwt note save`, and returns exit code and error."""

    def run(arguments: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        words = ["note", "save", "-", "--note", arguments["note"], "--json"]
        for option in ("revision", "type", "reason"):
            words += [f"--{option}={arguments[option]}"] if option in arguments else []
        for kind, targets in arguments.get("relations", {}).items():
            words += [f"--relation={kind}={target}" for target in targets]
        text = arguments.get("body", "")
        for heading, part in arguments.get("sections", {}).items():
            words.append(f"--section={heading}")
            text = part
        monkeypatch.setattr("sys.stdin", io.StringIO(text))
        with pytest.raises(SystemExit) as stop:
            main(words)
        return stop.value.code, json.loads(capsys.readouterr().out)["error"]

    return run


@pytest.mark.parametrize("case", ONE_PART, ids=[case[0] for case in ONE_PART])
def test_the_command_line_refuses_it(made: Made, save: Callable[[dict[str, Any]], Any], case: Any) -> None:
    """With the code, what to do, and the vault as it was."""
    name, given, code, says = case
    arguments = given(made)
    before = bytes_of(made.root)
    stopped, error = save(arguments)

    assert (error["code"], says in error["message"]) == (code, True), (name, error)
    assert stopped in (1, 2, 3)
    assert bytes_of(made.root) == before


@pytest.mark.parametrize("half", [0, 1])
def test_the_server_refuses_it(made: Made, half: int) -> None:
    """The same through MCP, one after the other; the server goes on."""
    place = made.path(made.one)
    there = place.read_bytes()

    async def steps(client: Client) -> None:
        for name, given, code, says in BAD[half::2]:
            arguments = given(made)
            before = bytes_of(made.root)
            error = await refused(client, "wiki_save_note", **arguments)
            assert (error["code"], says in error["message"]) == (code, True), (name, error)
            assert bytes_of(made.root) == before, name
            for file in set(before) - {place}:  # what the case itself had put there
                if file.name in ("Café one 1.md", "Elsewhere.md"):
                    file.unlink()
            place.write_bytes(there)
        saved = await call(client, "wiki_save_note", note="Fine", body=f"x {made.cite}\n", type="topic")
        assert saved["created"]

    drive(made.root, steps)


def test_a_body_that_only_a_person_could_have_written_is_no_reason_to_refuse_the_next(made: Made) -> None:
    """What a person wrote without evidence stands in nobody's way."""
    path = made.path(made.one)
    path.write_text(path.read_text("utf-8").replace("- a ", "- I just know\n- a "), "utf-8")

    async def steps(client: Client) -> None:
        read = await call(client, "wiki_read", note="Café one")
        saved = await call(
            client, "wiki_save_note", note="Café one", revision=read["revision"], append={"Facts": f"- b {made.cite}"}
        )
        assert f"- I just know\n- a {made.cite}\n- b {made.cite}\n" in path.read_text("utf-8")
        assert saved["kept"] == []

    drive(made.root, steps)
