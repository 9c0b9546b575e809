"""``docs/vault-format.md`` shows what the program really writes: every example is made here with the real code."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path

import pytest

from wwt_vault.model.conversation import Message, Redaction, Session
from wwt_vault.vault import FORMAT, Vault, events, format_of, layout, notes, open_vault, projects, sessions
from wwt_vault.vault.creation import create_vault
from wwt_vault.vault.lookup import CURATED_TYPES
from wwt_vault.vault.proposal import RELATIONS, STATUSES

PAGE = Path(__file__).resolve().parents[1] / "docs" / "vault-format.md"
EXAMPLE = re.compile(r"^`([^`\n]+)`\n\n```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)
START = datetime(2026, 11, 30, 1, 58, 1, 123_000, tzinfo=UTC)
SESSION = Session(
    host="claude-code", session_id="42edc39d-8c1e-4f57-9f0a-1b7d2c6e5a10", cwd="/home/minji/shop", git_branch="main"
)


@pytest.fixture
def page() -> str:
    """Return the page."""
    return PAGE.read_text("utf-8")


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    """Make the vault of the page: one session of two messages, one decision, one mark, one renamed project."""
    vault = create_vault(tmp_path / "vault", "en", "Asia/Seoul")
    question = Message(
        session=SESSION,
        role="user",
        text="주문 DB는 PostgreSQL로 가자.\nMySQL 복제가 너무 힘들었어. 비밀번호는 [REDACTED:password] 그대로 두고.",
        time=START,
        key="ba6cd124-eabc-4595-80df-2e107eb87ef8",
        redactions=(Redaction("password", 1),),
    )
    answer = Message(
        session=SESSION,
        role="assistant",
        text="PostgreSQL 16 for orders. MySQL is out: its replication broke twice.",
        time=START + timedelta(seconds=19, milliseconds=400),
        key="6304b1db-a31f-4506-89be-bd37d62c61b0",
        model="claude-opus-4-8",
    )
    said = [events.event_of(message, 1) for message in (question, answer)]
    for event in said:
        events.write_event(vault, event)
    sessions.append_events(vault, sessions.create_session_note(vault, SESSION, "shop", "laptop", START), said)
    asked, answered = (event.id for event in said)
    notes.save_note(
        vault,
        note="Order database",
        body=f"""PostgreSQL 16 holds the orders since 30 November 2026.

## Facts

- Orders are kept in PostgreSQL 16. [^{asked}] [^{answered}]

## Rejected options

- MySQL, because its replication broke twice. [^{answered}]
""",
        revision=None,
        type="decision",
        project="shop",
        questions=["주문은 어디에 저장하지?", "Which database did we pick for the shop?"],
        written_by="claude-code",
        reason="chosen today",
        at=START + timedelta(minutes=4),
        locks=tmp_path / "locks",
    )
    projects.name_project(vault, "shop", "store", START + timedelta(minutes=5))
    sessions.mark_curated(vault, SESSION.host, SESSION.session_id, answered, START + timedelta(minutes=5))
    return vault


def test_examples_are_what_the_program_writes(page: str, vault: Vault) -> None:
    """Every file that the page shows is there, byte for byte."""
    shown = EXAMPLE.findall(page)
    assert len(shown) == 6
    for path, text in shown:
        written = vault.root / path
        assert written.is_file(), f"{path} is not there; there are {list(written.parent.glob('*'))}"
        assert text.rstrip("\n") == written.read_text("utf-8").rstrip("\n"), path


def test_the_identity_is_computed_as_the_page_says(page: str, vault: Vault) -> None:
    """Whoever follows the page's words gets the id that the program gave."""
    event = next(json.loads(text) for path, text in EXAMPLE.findall(page) if path.startswith(".wwt/events"))
    shown = json.loads(next(line for line in page.splitlines() if line.startswith('["claude-code"')))
    assert shown == [event["host"], event["session_id"], event["role"], "<text>", 1]
    identity = json.dumps([*shown[:3], event["text"], 1], ensure_ascii=False, separators=(",", ":"))
    assert event["id"][17:] == sha256(identity.encode()).hexdigest()[:12]
    assert event["content_sha256"] == sha256(event["text"].encode()).hexdigest()
    assert events.read_event(vault, event["id"]).text == event["text"]


def test_a_vault_is_recognised_by_the_file_of_the_page(page: str, tmp_path: Path) -> None:
    """The shown ``vault.json`` opens, and its version is the one this program gives such a vault."""
    text = re.search(r'^\{"format".*\}$', page, re.MULTILINE)
    assert text
    (tmp_path / ".wwt").mkdir()
    (tmp_path / ".wwt" / "vault.json").write_text(text[0], encoding="utf-8")
    assert open_vault(tmp_path).id == json.loads(text[0])["id"]
    assert json.loads(text[0])["format"] == format_of(open_vault(tmp_path).settings) == 1
    assert page.startswith(f"# Vault format, version {FORMAT}\n")


def test_every_name_of_the_program_stands_on_the_page(page: str) -> None:
    """No folder, property value or relation is written that the page does not describe."""
    folders = [*layout.CURATED_FOLDERS, layout.CONVERSATIONS, layout.AI_CONTEXT]
    data = [layout.VAULT_FILE, layout.CONFIG_FILE, layout.EVENTS, layout.REVISIONS, layout.CURATED_MARKS]
    data.append(layout.PROJECT_NAMES)
    for name in (*folders, *data, *CURATED_TYPES, *STATUSES, *RELATIONS):
        assert name in page, name


def test_every_key_of_an_event_is_explained(page: str, vault: Vault) -> None:
    """The table of keys is complete."""
    event = next(vault.root.glob(".wwt/events/*/*/*/*.json"))
    section = page[page.index("## Events") : page.index("**Identity.**")]
    explained = set(re.findall(r"`(\w+)`", " ".join(re.findall(r"(?m)^\| (.*?) \|", section))))
    assert set(json.loads(event.read_bytes())) <= explained
