"""A folder that the person excluded: nothing said in it reaches the vault, by any way, and nothing is said to it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.ingest.conversation import Conversation, stored
from wwt_vault.errors import BadArgument
from wwt_vault.hook import run
from wwt_vault.ingest import queue
from wwt_vault.ingest.excluded import exclusion_list, is_excluded
from wwt_vault.ingest.live import retry
from wwt_vault.ingest.transcripts import ingest_paths
from wwt_vault.setup import change_exclusions
from wwt_vault.state import state_for

if TYPE_CHECKING:
    from wwt_vault.vault import Vault

ROOT = Path(__file__).resolve().parents[2]
NOW = datetime(2026, 11, 30, 2, 0, tzinfo=UTC)


def exclude(*folders: Path) -> None:
    """Put folders on the user's list."""
    change_exclusions(Path(exclusion_list()), exclude=folders)


def test_a_folder_and_all_below_it_is_excluded(tmp_path: Path) -> None:
    """One beside it, or one whose name only begins alike, is not."""
    exclude(tmp_path / "비밀 secret")
    assert is_excluded(str(tmp_path / "비밀 secret"))
    assert is_excluded(str(tmp_path / "비밀 secret" / "deep" / "down"))
    assert not is_excluded(str(tmp_path / "비밀 secret 2"))
    assert not is_excluded(str(tmp_path))
    assert not is_excluded(None)
    assert not is_excluded("relative")


@pytest.mark.skipif(sys.platform == "win32", reason="links")
def test_a_link_does_not_lead_around_it(tmp_path: Path) -> None:
    """Neither one into the folder nor one by which the person named it."""
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    exclude(tmp_path / "real")
    assert is_excluded(str(tmp_path / "link"))
    (tmp_path / "real2").mkdir()
    (tmp_path / "link2").symlink_to(tmp_path / "real2")
    exclude(tmp_path / "link2")
    assert is_excluded(str(tmp_path / "link2" / "x"))


@pytest.mark.parametrize(
    ("line", "excluded"),
    [
        ("*", {"", "a", "a/b", "c"}),
        ("# *\n\n*\n", {"", "a", "a/b", "c"}),
        ("a/", {"a", "a/b"}),
        ("b", {"a/b"}),
        ("/a/b", {"a/b"}),
        ("a/*", {"a/b"}),
        ("[ac]", {"a", "a/b", "c"}),
        ("a/**", {"a", "a/b"}),
        ("*.md", set()),
        ("", set()),
        ("\udcff\x00", set()),
    ],
)
def test_an_ignore_file_excludes_what_it_names(tmp_path: Path, line: str, excluded: set[str]) -> None:
    """In its own folder and below; an empty one excludes nothing."""
    (tmp_path / ".wwtignore").write_bytes(line.encode("utf-8", "surrogateescape"))
    folders = {"", "a", "a/b", "c"}
    assert {name for name in folders if is_excluded(str(tmp_path / name))} == excluded


def test_nothing_of_an_excluded_folder_is_written_anywhere(vault: Vault, tmp_path: Path) -> None:
    """Hooks at every moment, with the transcript there: no event, no note, no queue item, no word to the agent."""
    exclude(tmp_path / "secret")
    talk = Conversation(tmp_path, cwd=str(tmp_path / "secret"))
    payload = {"session_id": talk.session_id, "transcript_path": str(talk.path), "cwd": talk.cwd}
    start = json.dumps({**payload, "hook_event_name": "SessionStart", "source": "startup"}).encode()
    assert run("claude-code", start, NOW) == ""
    prompt_id = talk.ask("a word that nobody keeps")
    talk.hook("UserPromptSubmit", prompt="a word that nobody keeps", prompt_id=prompt_id)
    talk.answer("neither this one")
    talk.flush()
    talk.hook("Stop", last_assistant_message="neither this one", prompt_id=prompt_id)
    talk.hook("SessionEnd", reason="other")
    assert stored(vault) == []
    assert list(queue.list_items()) == []
    places = [vault.root, Path(os.environ["HOME"])]
    files = [path for place in places for path in place.rglob("*") if path.is_file()]
    assert [path for path in files if b"nobody keeps" in path.read_bytes()] == []


def test_an_import_leaves_out_what_was_said_there(vault: Vault, tmp_path: Path) -> None:
    """Of one transcript the part said elsewhere comes in, and the folder is named."""
    exclude(tmp_path / "secret")
    talk = Conversation(tmp_path, cwd=str(tmp_path / "open"))
    talk.ask("said in the open")
    talk.cwd = str(tmp_path / "secret")
    talk.ask("said in secret")
    talk.cwd = str(tmp_path / "open")
    talk.ask("said in the open again")
    talk.flush()
    report = ingest_paths(vault, state_for(vault), [talk.path])
    assert [text for _, text in stored(vault)] == ["said in the open", "said in the open again"]
    assert (report.excluded, report.skipped) == ((str(tmp_path / "secret"),), ())
    again = ingest_paths(vault, state_for(vault), [talk.path])
    assert (again.events_added, again.excluded) == (0, report.excluded)
    change_exclusions(Path(exclusion_list()), include=[tmp_path / "secret"])
    assert ingest_paths(vault, state_for(vault), [talk.path]).events_added == 1
    assert sorted(text for _, text in stored(vault)) == sorted(text for _, text in talk.said)


def test_what_waits_in_the_queue_is_dropped_once_its_folder_is_excluded(vault: Vault, tmp_path: Path) -> None:
    """It was never in the vault and does not come into it later."""
    talk = Conversation(tmp_path, cwd=str(tmp_path / "secret"))
    queue.add(talk.call("UserPromptSubmit", prompt="waited", prompt_id="p"))
    exclude(tmp_path / "secret")
    retry(vault, state_for(vault), NOW)
    assert stored(vault) == []
    assert list(queue.list_items()) == []


def test_the_list_keeps_its_comments_and_gives_back_what_was_put_on_it(tmp_path: Path) -> None:
    """Twice is once; a folder that is not on it is named; an empty list is no file."""
    path = tmp_path / "exclude"
    assert change_exclusions(path, exclude=[Path("/b"), Path("/b/")]) == ["/b"]
    path.write_text(f"# mine\n{path.read_text()}/c\n")
    assert change_exclusions(path, include=[Path("/b")]) == ["/c"]
    assert path.read_text() == "# mine\n/c\n"
    with pytest.raises(BadArgument, match="/x is not excluded"):
        change_exclusions(path, include=[Path("/x")])
    path.write_text("/c\n", encoding="utf-8")
    assert change_exclusions(path, include=[Path("/c")]) == []
    assert not path.exists()
    assert change_exclusions(path, exclude=[Path("/d")], dry_run=True) == ["/d"]
    assert not path.exists()


@pytest.mark.parametrize(
    "pattern", ["[" * 60_000, "*a" * 30_000 + "b", "a*" * 30_000, ("*a" * 400 + "b\n") * 80, "[!" * 900]
)
def test_an_ignore_file_made_to_be_too_much_keeps_no_prompt_waiting(tmp_path: Path, pattern: str) -> None:
    """A project of somebody else's may have any: a longer pattern than a path can be is none, the next one counts."""
    folder = tmp_path / ("a" * 200) / "secret"
    folder.mkdir(parents=True)
    (tmp_path / ".wwtignore").write_text(f"{pattern}\nnone\n")
    (tmp_path / ("a" * 200) / ".wwtignore").write_text("secret\n")
    code = f"from wwt_vault.ingest.excluded import is_excluded; print(is_excluded({str(folder)!r}))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT, timeout=60
    )

    assert done.stdout == "True\n"


def test_an_open_bracket_is_a_letter(tmp_path: Path) -> None:
    """As for the shell: what nothing closes means itself, and closed ones mean one of their letters."""
    (tmp_path / ".wwtignore").write_text("x[yz]*\nodd[name\n")
    found = {name for name in ("xy1", "x[yz]1", "odd[name", "oddn") if is_excluded(str(tmp_path / name))}
    assert found == {"xy1", "odd[name"}
