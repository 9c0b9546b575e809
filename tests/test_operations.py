"""The verbs behind both faces, on a real vault with a real index: what they return, and what they keep up to date."""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from wwt_vault.errors import BadArgument, DamagedEvent, IndexUnavailable, ModelUnavailable, NotFound, VaultMissing
from wwt_vault.fence import fence
from wwt_vault.operations import (
    beginnings,
    conversations,
    curation,
    evidence,
    freshness,
    notes,
    pending,
    recall,
    upkeep,
)
from wwt_vault.operations.ledger import Ledger
from wwt_vault.operations.workspace import Workspace, open_workspace
from wwt_vault.setup import Machine
from wwt_vault.vault import Vault, layout, open_vault, sessions

NOW = datetime(2026, 11, 30, 3, 0, tzinfo=UTC)


@pytest.fixture
def workspace(vault: Vault) -> Workspace:
    """Return an opened vault that searches by words."""
    return open_workspace(str(vault.root), embedder=lambda: None)


def say(
    workspace: Workspace, *texts: str, session: str = "s1", host: str = "chat", project: str = "shop",
    start: datetime = NOW - timedelta(days=1),
) -> list[str]:  # fmt: skip
    """Record a conversation, user and assistant in turns, a minute apart; return the event ids."""
    messages = [
        {"role": "assistant" if at % 2 else "user", "text": text, "time": (start + timedelta(minutes=at)).isoformat()}
        for at, text in enumerate(texts)
    ]
    return list(conversations.record(workspace, host, session, messages, project=project, now=NOW)["added"])


def save(workspace: Workspace, title: str, body: str, **fields: Any) -> dict[str, Any]:
    """Save a note as an agent does."""
    values: dict[str, Any] = {"type": "decision", "written_by": "agent", "now": NOW, **fields}
    return notes.save_note(workspace, title, body=body, **values)


def test_what_is_recorded_is_redacted_and_free_of_our_own_words(workspace: Workspace) -> None:
    """Secrets never reach the vault; what we told the agent does not come back as something that was said."""
    secret = "ghp_" + "a1B2c3D4e5" * 4
    ids = say(
        workspace, f"my token is {secret} keep it", f"{fence('old words', 'context')}\nfine", fence("x", "context")
    )
    shown = conversations.read_events(workspace, ids)["events"]

    assert len(ids) == 2
    assert secret not in json.dumps(shown)
    assert "[REDACTED" in shown[0]["text"]
    assert shown[1]["text"] == "fine"
    assert not [
        path for path in workspace.vault.root.rglob("*") if path.is_file() and secret.encode() in path.read_bytes()
    ]


@pytest.mark.parametrize("zone", ["America/New_York", "Asia/Seoul"])
@pytest.mark.parametrize("time", ["0001-01-01T00:00:00Z", "0001-01-01T00:00:00+09:00", "9999-12-31T23:59:59Z"])
def test_a_time_that_means_none_stops_no_import(time: str, zone: str, tmp_path: Path) -> None:
    """Programs write their zero, or the end of all days, where they know no time: the message has the file's then."""
    root = tmp_path / "vault"
    beginnings.init(root, timezone=zone)
    record = {"type": "user", "uuid": "u", "sessionId": "s", "timestamp": time, "cwd": "/src"}
    transcript = tmp_path / "s.jsonl"
    transcript.write_text(json.dumps({**record, "message": {"role": "user", "content": "hello"}}) + "\n", "utf-8")
    workspace = open_workspace(str(root), embedder=lambda: None)
    report = conversations.ingest(workspace, [transcript])
    (hit,) = recall.search(workspace, "hello")["hits"]

    assert (report["events_added"], report["skipped"]) == (1, [])
    assert hit["time"][:4] == datetime.now(UTC).isoformat()[:4]


@pytest.mark.parametrize("zone", ["America/New_York", "Asia/Seoul"])
@pytest.mark.parametrize("time", ["0001-01-01", "0001-01-01T00:00:00Z", "9999-12-31", "9999-12-31T23:59:59Z"])
def test_a_note_of_no_time_is_found(time: str, zone: str, tmp_path: Path) -> None:
    """People write the end of all days for "never": the index holds, and the file's own date is shown."""
    root = tmp_path / "vault"
    beginnings.init(root, timezone=zone)
    (root / "30_Knowledge" / "N.md").write_text(f"---\ncreated: {time}\n---\nzebra\n", "utf-8")
    workspace = open_workspace(str(root), embedder=lambda: None)
    found = recall.search(workspace, "zebra")

    assert [hit["time"][:4] for hit in found["hits"]] == [datetime.now(UTC).isoformat()[:4]]
    assert not [note for note in found["notes"] if "damaged" in note]


def test_the_glossary_is_followed(workspace: Workspace) -> None:
    """A line that a person adds to ``AI_CONTEXT/Glossary.md`` holds for the next question, and says so on the hit."""
    say(workspace, "Where does the tally run?", "Tally runs on two machines in the basement.")
    assert not recall.search(workspace, "정산 엔진")["hits"]

    page = workspace.vault.root / layout.AI_CONTEXT / layout.GLOSSARY
    page.write_text(page.read_text("utf-8") + "- Tally = 정산 엔진\n", "utf-8")
    hit = recall.search(workspace, "정산 엔진")["hits"][0]

    assert hit["layer"] == "session"
    assert "정산 엔진 = tally" in hit["why"]
    assert "two machines" in recall.context(workspace, "정산 엔진")["text"]


def test_the_same_question_in_other_words_finds_more(workspace: Workspace) -> None:
    """The context asks for them where nothing was found, and is trimmed to their words."""
    say(workspace, "How do engineers reach production?", f"{'It depends. ' * 60}운영 서버는 Tailscale로 들어간다.")
    alone = recall.context(workspace, "사람들은 거기 어떻게 접근해")
    found = recall.context(
        workspace, "사람들은 거기 어떻게 접근해", rephrased=["운영 서버 Tailscale 접속"], budget_tokens=300
    )

    assert not alone["found"]
    assert "as `rephrased`" in alone["text"]
    assert [note for note in recall.search(workspace, "사람들은 거기 어떻게 접근해")["notes"] if "`rephrased`" in note]
    assert "Tailscale로 들어간다" in found["text"]
    assert "`rephrased`" not in found["text"]


def test_a_name_in_the_other_script_needs_no_glossary(workspace: Workspace) -> None:
    """It is found by its sound, and a context tells the sentence that holds it."""
    say(workspace, "Which toolkit draws the windows?", f"{'It depends. ' * 60}Tauri draws them, in Rust.")

    hit = recall.search(workspace, "타우리는 뭘로 만들었지?", nearest=True)["hits"][0]

    assert "타우리 = tauri (by sound)" in hit["why"]
    assert "Tauri draws them" in recall.context(workspace, "타우리", budget_tokens=300)["text"]


def test_of_marks_at_once_the_last_message_counts(workspace: Workspace) -> None:
    """Several agents mark one session in the same moment: none takes back what another has read."""
    ids = say(workspace, *(f"message {number}" for number in range(24)))
    with ThreadPoolExecutor(8) as pool:
        for upto in [*reversed(ids), *ids[:-1]]:
            pool.submit(curation.mark_curated, workspace, "chat", "s1", upto=upto, now=NOW)

    assert curation.uncurated(workspace, now=NOW)["total_messages"] == 0


def test_a_note_is_saved_without_its_secrets(workspace: Workspace) -> None:
    """In the body and in the reason; whoever saves is told."""
    (said,) = say(workspace, "a")
    secret = "ghp_" + "a1B2c3D4e5" * 4
    saved = save(workspace, "Token", f"The token is {secret} [^{said}]\n", reason=f"had {secret}")

    assert saved["redactions"][0]["count"] == 1
    assert not [
        path for path in workspace.vault.root.rglob("*") if path.is_file() and secret.encode() in path.read_bytes()
    ]


def test_a_bad_message_keeps_nothing_of_the_call(workspace: Workspace) -> None:
    """All or nothing, and the message at fault is named."""
    messages = [{"role": "user", "text": "one"}, {"role": "user", "text": 2}]
    with pytest.raises(BadArgument, match="message 1") as refused:
        conversations.record(workspace, "chat", "s1", messages, now=NOW)

    assert refused.value.data["number"] == 1
    assert sessions.find_session_note(workspace.vault, "chat", "s1") is None


def test_a_project_that_was_named_can_be_searched_for(workspace: Workspace) -> None:
    """Hosts without a working folder have projects too."""
    say(workspace, "zebra printer", project="shop")
    say(workspace, "zebra printer", session="s2", project="zoo")
    found = recall.search(workspace, "zebra printer", project="zoo")

    assert [hit["project"] for hit in found["hits"]] == ["zoo"]


def test_neighbours_of_an_event_come_along_in_order(workspace: Workspace) -> None:
    """Each message once, also where the neighbourhoods overlap; bounded by characters."""
    ids = say(workspace, *[f"message number {number}" for number in range(8)])
    found = conversations.read_events(workspace, [ids[2], f"[^{ids[3]}]"], around=1)
    assert [event["id"] for event in found["events"]] == ids[1:5]
    assert found["events"][0]["path"].startswith("50_Conversations/2026/")

    cut = conversations.read_events(workspace, ids, max_characters=40)
    assert cut["truncated"]
    assert sum(len(event["text"]) for event in cut["events"]) < 50

    with pytest.raises(NotFound):
        conversations.read_events(workspace, ["20200101T000000Z-000000000000"])
    with pytest.raises(BadArgument):
        conversations.read_events(workspace, ids, around=400)


def test_a_damaged_event_hides_no_other(workspace: Workspace) -> None:
    """Not as a neighbour, not beside others; alone it says what is wrong with it."""
    ids = say(workspace, "first", "second", "third")
    (workspace.vault.root / layout.event_path(ids[1])).write_bytes(b"{")
    found = conversations.read_events(workspace, ids[:2], around=2)

    assert [event["text"] for event in found["events"]] == ["first", "third"]
    assert found["missing"] == [ids[1]]
    with pytest.raises(DamagedEvent, match="Restore it"):
        conversations.read_events(workspace, [ids[1]])


def test_what_a_note_cites_is_curated_and_what_a_mark_covers_too(workspace: Workspace) -> None:
    """Citations count one by one, a mark up to its event; the rest waits, oldest and largest first."""
    old = say(workspace, "a", "b", "c", session="old", start=NOW - timedelta(days=9))
    new = say(workspace, *"defgh", session="new")
    small = say(workspace, "i", session="small")
    save(workspace, "Fact", f"So [^{old[1]}]\n")
    waiting = curation.uncurated(workspace, now=NOW)
    assert [(entry["session_id"], entry["events"]) for entry in waiting["sessions"]] == [
        ("old", [old[0], old[2]]), ("new", new), ("small", small),
    ]  # fmt: skip
    assert (waiting["total_sessions"], waiting["total_messages"]) == (3, 8)

    curation.mark_curated(workspace, "chat", "new", upto=new[2], now=NOW)
    curation.mark_curated(workspace, "chat", "old", now=NOW)
    left = curation.uncurated(workspace, now=NOW)["sessions"]
    assert [(entry["session_id"], entry["events"]) for entry in left] == [("new", new[3:]), ("small", small)]
    with pytest.raises(NotFound):
        curation.mark_curated(workspace, "chat", "new", upto=old[0], now=NOW)


def test_a_session_that_goes_on_waits_again(workspace: Workspace) -> None:
    """A mark covers what was said up to it, not what is said later."""
    first = say(workspace, "a", "b")
    curation.mark_curated(workspace, "chat", "s1", now=NOW)
    more = say(workspace, "a", "b", "c")

    assert curation.uncurated(workspace, now=NOW)["sessions"][0]["events"] == more
    assert more[0] not in first


def test_the_counts_lie_ready_for_the_next_session(workspace: Workspace) -> None:
    """A hook reads them from the state folder, by project."""
    say(workspace, "a", "b", project="shop")
    say(workspace, "c", session="s2", project="zoo")
    curation.uncurated(workspace, now=NOW)
    left = json.loads((workspace.state.root / "brief.json").read_text("utf-8"))

    first = [["50_Conversations/2026/2026-11-29 chat shop s1.md", 2]]
    assert left["projects"]["shop"] == {"sessions": 1, "messages": 2, "as_of": "2026-11-30 12:00", "first": first}
    assert left["projects"]["zoo"]["messages"] == 1


def test_the_ledger_says_the_same_after_any_change_as_one_made_anew(workspace: Workspace) -> None:
    """Kept step by step, or lost and made again: the same is curated."""
    ids = say(workspace, "a", "b", "c")
    saved = save(workspace, "Fact", f"So [^{ids[0]}]\n")
    freshness.refresh(workspace)
    save(workspace, "Fact", f"So [^{ids[1]}]\n", revision=saved["revision"])
    freshness.refresh(workspace)
    kept = pending.pending(workspace)
    (workspace.state.root / "ledger.json").write_bytes(b"{damaged")
    again = replace(workspace, ledger=Ledger(workspace.state.root / "ledger.json"))
    freshness.refresh_ledger(again)

    assert kept.curated == {ids[1]}
    assert pending.pending(again) == kept

    (workspace.vault.root / saved["path"]).unlink()
    freshness.refresh(workspace)
    assert pending.pending(workspace).curated == frozenset()


def test_context_puts_the_note_first_and_newer_words_behind_it(workspace: Workspace) -> None:
    """The note, then what was said since and no note cites; the note's own evidence is not told twice."""
    ids = say(workspace, "Which login way?", "Decided: login by ssh keys.", start=NOW - timedelta(days=9))
    note = save(workspace, "SSH login", f"## Facts\n- login by ssh keys [^{ids[1]}]\n", now=NOW - timedelta(days=8))
    curation.mark_curated(workspace, "chat", "s1", now=NOW)
    later = say(workspace, "Is the ssh keys login still right?", "No: login by Tailscale now.", session="s2")
    found = recall.context(workspace, "ssh keys login")

    assert [item["kind"] for item in found["items"]][:2] == ["note", "newer_evidence"]
    assert found["items"][0]["revision"] == note["revision"]
    assert set(found["items"][1]["events"]) == set(later)
    assert "by agent, unreviewed" in found["text"]


def test_context_tells_the_recent_flow_of_the_project(workspace: Workspace) -> None:
    """Newest first, with what each session began with; only of that project."""
    for day in range(5):
        start = NOW - timedelta(days=9 - day)
        say(workspace, f"question of day {day}", "answer", session=f"s{day}", start=start)
    say(workspace, "something else", session="other", project="zoo")
    found = recall.context(workspace, "nothing that was ever said", project="shop")

    assert not found["found"]
    recent = [item["text"] for item in found["items"] if item["kind"] == "recent"]
    assert [f"day {day}" in text for day, text in zip((4, 3, 2), recent, strict=True)] == [True] * 3


def test_context_as_of_a_day_knows_nothing_younger(workspace: Workspace) -> None:
    """The day itself is included, in the person's zone."""
    say(workspace, "The zebra printer is new.", start=datetime(2026, 11, 10, 14, 59, tzinfo=UTC))  # 23:59 in Seoul
    say(workspace, "The zebra printer is broken.", session="s2", start=datetime(2026, 11, 10, 15, 1, tzinfo=UTC))
    text = recall.context(workspace, "zebra printer", as_of="2026-11-10")["text"]

    assert "is new" in text
    assert "is broken" not in text
    assert not recall.context(workspace, "zebra printer", as_of="2026-11-09")["found"]


def test_a_date_as_until_includes_its_day_in_the_persons_zone(workspace: Workspace) -> None:
    """Midnight is Seoul's, not Greenwich's."""
    say(workspace, "zebra of the tenth", start=datetime(2026, 11, 10, 14, 59, tzinfo=UTC))
    say(workspace, "zebra of the eleventh", session="s2", start=datetime(2026, 11, 10, 15, 1, tzinfo=UTC))

    def texts(**limits: str) -> str:
        return " ".join(hit["text"] for hit in recall.search(workspace, "zebra", **limits)["hits"])

    assert "tenth" in texts(until="2026-11-10")
    assert "eleventh" not in texts(until="2026-11-10")
    assert "tenth" not in texts(since="2026-11-11")
    assert "eleventh" in texts(since="2026-11-11T00:00+09:00")
    with pytest.raises(BadArgument, match="since wants a date"):
        texts(since="last tuesday")


def test_everything_a_verb_returns_is_json(workspace: Workspace) -> None:
    """Without a default for odd types: both faces dump it as it is."""
    ids = say(workspace, "Which login way?", "Decided: login by ssh keys.")
    save(workspace, "SSH", f"login by ssh keys [^{ids[1]}]\n")
    results = [
        recall.search(workspace, "ssh login"),
        recall.context(workspace, "ssh login", project="shop"),
        conversations.read_events(workspace, ids),
        curation.uncurated(workspace, now=NOW),
        notes.list_notes(workspace),
        notes.read_note(workspace, "SSH"),
        notes.history(workspace, "SSH"),
        upkeep.status(workspace, now=NOW),
        upkeep.index_status(workspace),
        evidence.verify(workspace),
        upkeep.queue_list(),
    ]

    assert all(json.dumps(result) for result in results)


def test_status_counts_what_is_there(workspace: Workspace) -> None:
    """Events, sessions, notes, what waits."""
    ids = say(workspace, "a", "b")
    save(workspace, "Fact", f"So [^{ids[0]}]\n")
    found = upkeep.status(workspace, now=NOW)

    assert (found["events"], found["sessions"], found["notes"]) == (2, 1, 1)
    assert found["uncurated"] == {"sessions": 1, "messages": 1}
    assert found["index"]["fresh"]
    assert found["problems"] == []


def test_a_note_with_broken_frontmatter_is_found_and_reported(workspace: Workspace) -> None:
    """Indexed as text; the rest goes on."""
    (workspace.vault.root / "Broken.md").write_text("---\ntitle: [unclosed\n---\n\nThe zebra printer.\n", "utf-8")
    status = upkeep.status(workspace, now=NOW)

    assert recall.search(workspace, "zebra printer")["hits"][0]["path"] == "Broken.md"
    assert any("Broken.md" in problem for problem in status["problems"])


def test_an_index_that_cannot_be_written_does_not_keep_from_answering(workspace: Workspace) -> None:
    """It says so, and answers from what there is."""
    say(workspace, "zebra printer")
    assert recall.search(workspace, "zebra printer")["found"]
    say(workspace, "quagga printer", session="s2")
    lock = workspace.index.folder / "refresh.lock"
    lock.unlink(missing_ok=True)
    lock.mkdir()
    found = recall.search(workspace, "zebra printer")

    assert found["found"]
    assert any("cannot be written" in sentence for sentence in found["notes"])


def test_without_an_index_nothing_is_said_to_be_absent(workspace: Workspace) -> None:
    """An agent would believe "no record found", and it would be a guess."""
    workspace.index.folder.parent.mkdir(parents=True)
    workspace.index.folder.write_text("a file where a folder should be", "utf-8")
    with pytest.raises(IndexUnavailable, match="cannot be written"):
        recall.search(workspace, "zebra")
    with pytest.raises(IndexUnavailable, match="cannot be written"):
        recall.context(workspace, "zebra")


def test_a_model_that_cannot_be_loaded_is_said_once_and_search_goes_on(vault: Vault) -> None:
    """By words."""
    calls: list[int] = []

    def broken() -> None:
        calls.append(1)
        raise ModelUnavailable("the weights are gone: install them again")

    workspace = open_workspace(str(vault.root), embedder=broken)
    say(workspace, "zebra printer")
    for _ in range(3):
        found = recall.search(workspace, "zebra printer")

    assert found["found"]
    assert "weights are gone" in " ".join(found["notes"])
    assert len(calls) == 1


def test_nobody_waits_for_a_model_that_loads_slowly(vault: Vault) -> None:
    """A server answers by words meanwhile."""
    import threading

    release = threading.Event()

    def slow() -> None:
        release.wait(30)

    workspace = open_workspace(str(vault.root), embedder=slow, wait_for_model=False)
    say(workspace, "zebra printer")
    found = recall.search(workspace, "zebra printer")
    release.set()

    assert found["found"]
    assert "words only" in " ".join(found["notes"])


# --- Beginnings -------------------------------------------------------------------------------------------------------


@pytest.fixture
def machine(own_user_folders: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    """Return a machine with one host on it, Claude Code's folder, and no vault."""
    monkeypatch.delenv("WWT_VAULT", raising=False)
    (own_user_folders / ".claude").mkdir()
    return Machine(home=own_user_folders, environ={"HOME": str(own_user_folders), "PATH": ""})


@pytest.fixture
def program(tmp_path: Path) -> str:
    """Return the path of an installed ``wwt``, with ``wwt-hook`` beside it."""
    for name in ("wwt", "wwt-hook"):
        (tmp_path / name).write_text("#!/bin/sh\n", "utf-8")
    return str(tmp_path / "wwt")


def test_setup_makes_a_vault_connects_and_takes_it_back(machine: Machine, program: str, own_user_folders: Path) -> None:
    """Twice is as good as once; removing restores what was there."""
    before = sorted(path for path in (own_user_folders / ".claude").rglob("*"))
    first = beginnings.setup(machine=machine, program=program)
    vault = open_vault(Path(first["vault"]))
    again = beginnings.setup(machine=machine, program=program)

    assert vault.root == own_user_folders / "wwt-vault"
    assert (first["created"], again["created"]) == (True, False)
    assert [(entry["host"], entry["hooks"]) for entry in first["hosts"]] == [("claude-code", "added")]
    assert [(entry["host"], entry["hooks"]) for entry in again["hosts"]] == [("claude-code", "present")]
    assert open_workspace().vault.root == vault.root

    beginnings.setup(machine=machine, program=program, remove=True)
    assert sorted(path for path in (own_user_folders / ".claude").rglob("*")) == before


def test_a_dry_run_shows_and_changes_nothing(machine: Machine, program: str, own_user_folders: Path) -> None:
    """No vault, no settings, no hooks; it says that a vault would be made, and what would be imported."""
    (own_user_folders / ".claude" / "projects" / "shop").mkdir(parents=True)
    (own_user_folders / ".claude" / "projects" / "shop" / "one.jsonl").write_text("{}\n", "utf-8")
    files = sorted(own_user_folders.rglob("*"))
    found = beginnings.setup(machine=machine, program=program, dry_run=True)

    assert "wwt-hook claude-code" in found["diff"]
    assert (found["created"], found["hosts"][0]["transcripts"], found["hosts"][0]["imported"]) == (True, 1, 0)
    assert sorted(own_user_folders.rglob("*")) == files


def test_setup_imports_what_the_host_still_has(machine: Machine, program: str, own_user_folders: Path) -> None:
    """And says how much; a second time there is nothing new."""
    data = Path(__file__).resolve().parents[1] / "wwt_vault" / "demo_data" / "claude-code"
    folder = own_user_folders / ".claude" / "projects" / "-home-minji-bookshop"
    folder.mkdir(parents=True)
    for transcript in data.glob("*.jsonl"):
        (folder / transcript.name).write_bytes(transcript.read_bytes())
    first = beginnings.setup(machine=machine, program=program)
    again = beginnings.setup(machine=machine, program=program)

    assert first["hosts"][0]["imported"] > 10
    assert again["hosts"][0]["imported"] == 0


def test_a_vault_that_is_named_and_not_there_is_not_made_anew(machine: Machine, program: str, tmp_path: Path) -> None:
    """Its folder may only not be mounted; a second, empty vault would be worse than an error."""
    beginnings.setup(machine=machine, program=program)
    vault = Path(beginnings.setup(machine=machine, program=program)["vault"])
    vault.rename(tmp_path / "elsewhere")
    with pytest.raises(VaultMissing):
        beginnings.setup(machine=machine, program=program)

    assert not vault.exists()


def test_init_becomes_the_vault_only_where_there_is_none(machine: Machine, tmp_path: Path) -> None:
    """The first one is used from then on, a second one is just made."""
    first = beginnings.init(tmp_path / "one")["vault"]
    beginnings.init(tmp_path / "two")

    assert str(open_workspace().vault.root) == first


def zone_of(make: Callable[[], Vault]) -> str:
    """Return the zone of a vault."""
    return make().settings.timezone


def test_the_zone_is_the_machines_unless_named(
    machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """TZ counts; nonsense in it does not."""
    monkeypatch.setenv("TZ", "Asia/Seoul")
    beginnings.init(tmp_path / "one")
    assert zone_of(lambda: open_vault(tmp_path / "one")) == "Asia/Seoul"
    beginnings.init(tmp_path / "two", timezone="Europe/Berlin")
    assert zone_of(lambda: open_vault(tmp_path / "two")) == "Europe/Berlin"
    monkeypatch.setenv("TZ", "KST-9")
    assert beginnings.local_timezone() in (None, "UTC")


@pytest.mark.parametrize("name", ["../../../../evil", "/evil", "..", "..\\evil", "a/../../b", "C:evil", "~/evil"])
def test_no_host_or_session_leads_out_of_the_folders(workspace: Workspace, own_user_folders: Path, name: str) -> None:
    """Whatever a client calls itself: files appear in vault and state folder alone, and it is recognised again."""
    outside = {own_user_folders, own_user_folders.parent, workspace.vault.root.parent, Path.cwd(), Path("/")}
    before = {folder: set(folder.iterdir()) for folder in outside}
    messages = [{"role": "user", "text": "hello there"}]
    for named in ((name, "s1"), ("chat", name), (name, name)):
        assert len(conversations.record(workspace, *named, messages, now=NOW)["added"]) == 1
        assert conversations.record(workspace, *named, messages, now=NOW)["known"] == 1
    for folder, names in before.items():
        assert {path.name for path in set(folder.iterdir()) - names} <= {".local", ".cache", ".config"}, folder
    assert all(workspace.state.cursors in path.parents for path in own_user_folders.rglob("*evil*.json"))


@pytest.mark.parametrize("host", ["\0", "a\nb", "x" * 101, " ", "\x1b[31m"])
def test_a_host_that_no_file_can_be_named_after_is_refused(workspace: Workspace, host: str) -> None:
    """And a session so; nothing is kept."""
    messages = [{"role": "user", "text": "hello"}]
    for named in ((host, "s1"), ("chat", host if len(host) < 50 else host * 5)):
        with pytest.raises(BadArgument):
            conversations.record(workspace, *named, messages, now=NOW)
