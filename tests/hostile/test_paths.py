"""No argument of a tool or a command, no link and no name leads out of the vault."""

from __future__ import annotations

import io
import json
import stat
import threading
import zipfile
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.test_mcp_server import drive, text_of
from wwt_vault.cli import main
from wwt_vault.errors import WwtError
from wwt_vault.model.conversation import Event
from wwt_vault.operations import conversations, notes, recall, relations
from wwt_vault.operations.workspace import open_workspace
from wwt_vault.vault import check, events, files, layout, moving

if TYPE_CHECKING:
    from mcp import Client

    from wwt_vault.vault import Vault

WORDS = "OUTSIDE-WORDS-7f3a"
PATHS = [
    "../outside/secret.md", "../outside/secret", "a/../../outside/secret.md", "30_Knowledge/../../outside/secret.md",
    "50_Conversations/../../outside/secret.md", "./../outside/secret.md", ".. /outside/secret.md",
    "..\\outside\\secret.md",
    "30_Knowledge\\..\\..\\outside\\secret.md", "%2e%2e/outside/secret.md", "..%2foutside%2fsecret.md",
    "%2e%2e%5coutside",
    "{outside}/secret.md", "/{outside}/secret.md", "//{outside}/secret.md", "file://{outside}/secret.md",
    "~/secret.md", "~", "~root/secret.md", "C:/secret.md", "C:secret.md", "c:\\secret.md",
    "\\\\server\\share\\secret.md",
    "//server/share/secret.md", "secret.md\0.md", "30_Knowledge/Link.md", "30_Knowledge/Link", "Link",
    "30_Knowledge/Linked/secret.md", "30_Knowledge/Linked/new.md", "30_Knowledge/Linked", "[[../outside/secret]]",
    "[[30_Knowledge/Link]]", "[[Linked/secret]]", ".git/config", ".git/hooks/post-checkout", ".obsidian/app.json",
    ".wwt/vault.json", ".wwt/config.toml", ".GIT/config", ".Wwt/vault.json", "30_Knowledge/.hidden/x.md", "..../x.md",
    "\uff0e\uff0e/outside/secret.md", "..\u2215outside\u2215secret.md", "..\u200b/outside/secret.md", "", ".", "/",
    "..",
    "CON", "NUL.md", "30_Knowledge/aux.md", "a" * 5000, "../" * 400 + "etc/passwd",
]  # fmt: skip


@pytest.fixture
def outside(vault: Vault) -> Path:
    """Put a file outside of the vault, and links to it inside."""
    folder = vault.root.parent / "outside"
    folder.mkdir()
    (folder / "secret.md").write_text(f"# Secret\n\n{WORDS}\n", "utf-8")
    (vault.root / "30_Knowledge" / "Link.md").symlink_to(folder / "secret.md")
    (vault.root / "30_Knowledge" / "Linked").symlink_to(folder)
    (vault.root / ".git" / "hooks").mkdir(parents=True)
    (vault.root / ".git" / "config").write_text(f"[user]\n\tname = {WORDS}\n", "utf-8")
    (vault.root / ".obsidian").mkdir(exist_ok=True)
    (vault.root / ".obsidian" / "app.json").write_text(json.dumps({"x": WORDS}), "utf-8")
    config = vault.root / ".wwt" / "config.toml"
    config.write_text(config.read_text("utf-8").replace('# embedder = "auto"', 'embedder = "none"'), "utf-8")
    return folder


def guarded(vault: Vault, outside: Path) -> dict[str, bytes]:
    """Return every file that no path may reach: outside, and the folders that are not for notes."""
    top = vault.root.parent
    paths = [path for path in top.rglob("*") if path.is_file() and not path.is_symlink()]
    inside = {path for path in paths if path.is_relative_to(vault.root)}
    hidden = {path for path in inside if path.relative_to(vault.root).parts[0] in (".git", ".obsidian")}
    kept = [*(set(paths) - inside), *hidden, vault.root / ".wwt" / "vault.json", vault.root / ".wwt" / "config.toml"]
    assert outside / "secret.md" in kept
    return {str(path): path.read_bytes() for path in kept}


def test_no_tool_reaches_what_lies_outside(vault: Vault, outside: Path) -> None:
    """Every tool that takes a note or a path, and the resources: refused, nothing told, nothing written."""
    before = guarded(vault, outside)
    paths = [path.replace("{outside}", str(outside)) for path in PATHS]
    answers: list[tuple[str, str, str]] = []
    said = [{"role": "user", "text": "hello"}]
    turn = {"user_message": "We use Kamal.", "assistant_response": "Noted."}

    async def steps(client: Client) -> None:
        for path in paths:
            calls: list[tuple[str, dict[str, Any]]] = [
                ("wiki_read", {"note": path}),
                ("wiki_read", {"note": "Home", "section": path}),
                ("wiki_related", {"note": path}),
                ("wiki_history", {"note": path}),
                ("wiki_save_note", {"note": path, "body": "## Question\nwhat?", "type": "topic"}),
                ("wiki_save_note", {"note": path, "body": "x", "revision": "0" * 64}),
                ("wiki_save_note", {"note": path, "body": "text", "type": "source", "origin": "https://x.example"}),
                ("wiki_search", {"query": WORDS, "cwd": path, "project": path}),
                ("wiki_mark_curated", {"host": path, "session_id": path}),
                ("wiki_read_events", {"ids": [path]}),
                ("wiki_get_context", {"query": "Secret", "cwd": path, "project": path}),
                ("wiki_uncurated", {"project": path}),
                ("wiki_record", {"host": path, "session_id": path, "project": path, "messages": said}),
                ("wiki_observe", {**turn, "host": path, "session_id": path, "project": path}),
                ("wiki_save_note", {"note": "Mine", "body": "x", "type": "topic", "project": path, "tags": [path]}),
            ]
            for tool, arguments in calls:
                result = await client.call_tool(tool, arguments)
                answers.append((tool, path, text_of(result)))
            try:
                answers.append(("resource", path, str(await client.read_resource(f"vault:///{path}"))))
            except Exception as error:  # noqa: BLE001 - the client's own, of many kinds
                answers.append(("resource", path, str(error)))

    drive(vault.root, steps)

    assert len(answers) == 16 * len(PATHS)
    for tool, path, answer in answers:
        if tool != "wiki_search":  # which repeats the question
            assert WORDS not in answer, (tool, path)
    assert guarded(vault, outside) == before
    assert sorted(path.name for path in outside.iterdir()) == ["secret.md"]


@pytest.mark.parametrize(
    "command",
    [
        ["note", "read", "{path}"],
        ["note", "save", "--note", "{path}", "-"],
        ["note", "history", "{path}"],
        ["note", "diff", "{path}"],
        ["note", "move", "30_Knowledge/Mine.md", "{path}"],
        ["note", "move", "{path}", "30_Knowledge/Taken.md"],
        ["verify", "{path}"],
        ["events", "{path}"],
        ["mark-curated", "chat", "{path}"],
    ],
    ids=" ".join,
)
def test_no_command_reaches_what_lies_outside(
    command: list[str],
    vault: Vault,
    outside: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The same for the command line: no words of it are printed, no file appears, none goes."""
    (vault.root / "30_Knowledge" / "Mine.md").write_text("# Mine\n", "utf-8")
    before = guarded(vault, outside)
    for path in PATHS:
        monkeypatch.setattr("sys.stdin", io.StringIO("## Question\nwhat?\n"))
        words = [word.replace("{path}", path.replace("{outside}", str(outside))) for word in command]
        with pytest.raises(SystemExit):
            main(["--json", *words])
        out, err = capsys.readouterr()
        assert WORDS not in out + err, path
        assert "Traceback" not in err, path
    assert guarded(vault, outside) == before
    assert sorted(path.name for path in outside.iterdir()) == ["secret.md"]


def test_a_link_that_appears_while_files_are_read_is_not_followed(vault: Vault, outside: Path) -> None:
    """Another program swaps a file for a link to the outside, again and again: what is read is the file or nothing."""
    note = vault.root / "30_Knowledge" / "Swapped.md"
    note.write_text("mine\n", "utf-8")
    link = vault.root.parent / "link"
    stop = threading.Event()

    def swap() -> None:
        while not stop.is_set():
            link.symlink_to(outside / "secret.md")
            link.replace(note)
            real = vault.root.parent / "real"
            real.write_text("mine\n", "utf-8")
            real.replace(note)

    swapping = threading.Thread(target=swap)
    swapping.start()
    found: set[bytes | None] = set()
    refused = 0
    try:
        for _ in range(3000):
            try:
                found.add(files.read(layout.inside(vault.root, "30_Knowledge/Swapped.md")))
            except WwtError:
                refused += 1
    finally:
        stop.set()
        swapping.join()

    assert found <= {b"mine\n", None}
    assert refused > 0


def test_no_import_writes_or_reads_outside(vault: Vault, outside: Path, tmp_path: Path) -> None:
    """Ids, folders, titles, names of documents and of files in an archive that would lead out: names, and no more."""
    before = guarded(vault, outside)
    paths = [path.replace("{outside}", str(outside)) for path in PATHS]
    lines = [
        {"type": "user", "uuid": f"u{n}", "sessionId": path, "cwd": path, "gitBranch": path, "isSidechain": False,
         "timestamp": f"2026-11-29T01:{n % 60:02}:00.000Z", "message": {"role": "user", "content": f"said {n}"}}
        for n, path in enumerate(paths) if path
    ]  # fmt: skip
    projects = [
        {"uuid": path, "name": path, "description": "text", "prompt_template": "x",
         "created_at": "2026-01-01T00:00:00Z",
         "docs": [{"uuid": path, "filename": path, "content": "words", "created_at": "2026-01-01T00:00Z"}]}
        for path in paths
    ]  # fmt: skip
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "a.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    (folder / "projects.json").write_text(json.dumps(projects), "utf-8")
    with zipfile.ZipFile(folder / "export.zip", "w") as archive:
        for path in paths:
            if path and "\0" not in path:
                archive.writestr(zipfile.ZipInfo(f"{path}/conversations.json"), json.dumps(lines))
                archive.writestr(zipfile.ZipInfo(f"{path}/b.jsonl"), json.dumps({**lines[0], "uuid": path}))
        link = zipfile.ZipInfo("linked.jsonl")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, str(outside / "secret.md"))
    workspace = open_workspace(str(vault.root), embedder=lambda: None)
    report = conversations.ingest(workspace, [folder])

    assert len(report["sources"]) > 20
    assert len([event for event in events.iter_events(vault) if isinstance(event, Event)]) >= len(lines)
    assert guarded(vault, outside) == before
    assert sorted(path.name for path in outside.iterdir()) == ["secret.md"]
    assert {path.name for path in vault.root.parent.iterdir()} == {"vault", "outside"}
    written = [path for path in vault.root.rglob("*") if path.is_file() and not path.is_symlink()]
    assert not [path for path in written if WORDS.encode() in path.read_bytes() and path.suffix == ".md"]


def test_no_link_of_a_note_is_followed_outside(vault: Vault, outside: Path) -> None:
    """Links, embeds, citations, properties: checked, related, moved, searched and read, and nothing outside is told."""
    paths = [path.replace("{outside}", str(outside)) for path in PATHS if "\0" not in path]
    body = "".join(f"- [[{path}]] ![[{path}]] [x]({path}) ![y](<{path}>) [^{path}]\n" for path in paths)
    quoted = "".join(f"  - {json.dumps(f'[[{path}]]')}\n" for path in paths)
    note = vault.root / "30_Knowledge" / "Links.md"
    note.write_text(f"---\nid: links-note\ntype: topic\nrelates_to:\n{quoted}---\n\n{body}", "utf-8")
    before = guarded(vault, outside)
    workspace = open_workspace(str(vault.root), embedder=lambda: None)
    at = datetime(2026, 11, 30, tzinfo=UTC)
    told = [
        recall.search(workspace, "Secret"),
        relations.related(workspace, "30_Knowledge/Links.md", depth=2),
        [problem._asdict() for problem in check.check_vault(vault).problems],
        notes.read_note(workspace, "30_Knowledge/Links.md"),
    ]
    moved = moving.move_note(
        vault, "30_Knowledge/Links.md", "20_Areas/Links.md", written_by="x", at=at, locks=workspace.state.locks
    )

    assert moved.path == "20_Areas/Links.md"
    for answer in told:
        assert WORDS not in json.dumps(answer, default=str)
    assert guarded(vault, outside) == before
    assert sorted(path.name for path in outside.iterdir()) == ["secret.md"]
