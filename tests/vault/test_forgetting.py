"""What is forgotten is nowhere in the vault any more, and what rested on it says so."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.vault.curating import AT, at, files_of, save, say
from wwt_vault.errors import BadArgument, BadEvidence, Forgotten, NotFound
from wwt_vault.model.conversation import EventId, Message, Session
from wwt_vault.vault import (
    Vault,
    check,
    claims,
    documents,
    events,
    files,
    forgetting,
    layout,
    notes,
    sessions,
    sources,
)

CODE = "The alarm code of the office door is hunter2, do not write it down."
SECRET = f"내 전화번호는 010-1234-5678 이고 집은 테헤란로 1길이야.\n{CODE}"
SESSION = Session(host="claude-code", session_id="42edc39d-0000-4000-8000-000000000000", cwd="/code/shop")
LATER = AT + timedelta(days=1)


def forget(vault: Vault, *ids: str, **more: Any) -> forgetting.Forgetting:
    """Forget as a person's command does."""
    given = {"reason": "a phone number", "at": LATER, "locks": vault.root.parent / "locks", **more}
    return forgetting.forget(vault, events=ids, **given)


def everything(vault: Vault) -> str:
    """Return every byte of the vault as text."""
    return "\n".join(data.decode("utf-8", "replace") for data in files_of(vault).values())


def problems(vault: Vault) -> list[tuple[str, str]]:
    """Return what the check finds."""
    return [(problem.code, problem.path) for problem in check.check_vault(vault).problems]


@pytest.fixture
def told(vault: Vault) -> EventId:
    """Say a secret between two other things, and write it down all over the place."""
    one = say(vault, "Before.", 1)
    secret = say(vault, SECRET, 2)
    two = say(vault, "After, and the office door stays shut.", 3)
    body = (
        f"The state [^{one}].\n\n## Facts\n\n- The code is hunter2 [^{secret}]\n"
        f"- Phone 010-1234-5678 [^{secret}] [^{two}]\n- Something else [^{one}]\n\n"
        f"> The alarm code of the\n> office door is hunter2, do not write it down.\n\n"
        f'He said "테헤란로" and `hunter2` [^{secret}].\n'
    )
    more = {"questions": ["The alarm code of the office door is?"], "reason": "문의: 집은 테헤란로 1길이야 라고 함"}
    first = save(vault, "Office", body, type="topic", **more)
    later = body.replace("Something else", "Another thing")
    save(vault, "Office", later, first.revision, at=AT + timedelta(hours=1))
    save(vault, "Elsewhere", f"x [^{one}]\n\n{CODE}\n\nhunter2 alone\n")
    given = {"origin": "mail", "retrieved": AT, "written_by": "x", "at": AT, "locks": vault.root.parent / "locks"}
    sources.save_source(vault, title="Mail", text=f"{SECRET}\n\nRegards", **given)
    gist = "The alarm code of the office door is hunter2"
    sessions.mark_curated(vault, SESSION.host, SESSION.session_id, two, AT, gist=gist, questions=["a?"])
    return secret


class TestWords:
    """Where they go from."""

    def test_no_file_of_the_program_has_them_any_more(self, vault: Vault, told: EventId) -> None:
        """Event, session note, curated notes with every revision, sources, marks, records; nothing else changes."""
        assert everything(vault).count("hunter2") > 10
        done = forget(vault, told)
        text = everything(vault)

        for word in ("010-1234-5678", "테헤란로", "alarm code", "do not write"):
            assert word not in text, word
        assert (
            text.count("hunter2") == text.count("hunter2 alone") == 2
        )  # the note that does not cite it, and its revision
        assert "Regards" in text
        assert "Before." in text
        assert "After, and the office door stays shut." in text
        assert done.events == (told,)
        assert set(done.notes) == {
            "30_Knowledge/Office.md", "00_Inbox/Elsewhere.md", "30_Knowledge/Sources/Mail.md",
            "50_Conversations/2026/2026-11-30 claude-code shop 42edc39d.md",
        }  # fmt: skip
        assert set(done.notes) < set(done.paths)
        assert (done.left, done.also_said) == ((), ())

    def test_what_is_left_is_a_sound_vault(self, vault: Vault, told: EventId) -> None:
        """Every hash holds; the only thing wrong is said: a fact without evidence."""
        forget(vault, told)

        assert problems(vault) == [("uncited_fact", "30_Knowledge/Office.md")]
        report = check.check_vault(vault)
        assert (report.events, report.forgotten) == (2, 1)

    def test_the_tombstone_says_when_and_why_and_whose(self, vault: Vault, told: EventId) -> None:
        """And not a word; reading it is an error of its own."""
        forget(vault, told)
        data = (vault.root / layout.event_path(told)).read_bytes()

        assert json.loads(data) == {
            "schema": 1, "id": told, "host": SESSION.host, "session_id": SESSION.session_id, "role": "user",
            "forgotten": "2026-12-01T01:58:01.000Z", "reason": "a phone number",
        }  # fmt: skip
        with pytest.raises(Forgotten, match="a phone number") as gone:
            events.read_event(vault, told)
        assert gone.value.data["at"] == "2026-12-01T01:58:01.000Z"
        assert [event.id for event in events.iter_events(vault) if not isinstance(event, tuple) or event.id] != []

    def test_the_session_note_keeps_a_place_for_it(self, vault: Vault, told: EventId) -> None:
        """With its id, so that the message is not taken in again; what a person wrote around it stays."""
        note = sessions.find_session_note(vault, SESSION.host, SESSION.session_id)
        assert note is not None
        before = note.read_text("utf-8").replace(f"^{told}\n", f"^{told}\n\nmy own words\n")
        note.write_text(before, "utf-8")
        forget(vault, told)
        text = note.read_text("utf-8")
        block = f"> [!forgotten] 11:00\n> 2026-12-01: a phone number\n\n^{told}\n\nmy own words\n"

        assert block in text
        assert text.split("> [!forgotten]")[0] == before.split("> [!user] 11:00")[0]
        assert text.split("my own words")[1] == before.split("my own words")[1]
        assert told in sessions.known_events(note)
        document = documents.load_document(vault, note.relative_to(vault.root).as_posix())  # type: ignore[arg-type]
        assert told not in {turn.event for turn in document.turns}
        assert "forgotten" not in "".join(section.text for section in document.sections)

    def test_the_same_message_is_not_taken_in_again(self, vault: Vault, told: EventId) -> None:
        """An import of the old transcript finds the tombstone, even where the session note lost its place."""
        forget(vault, told)
        note = sessions.find_session_note(vault, SESSION.host, SESSION.session_id)
        assert note is not None
        note.write_text(note.read_text("utf-8").partition("> [!forgotten]")[0], "utf-8")
        message = Message(session=SESSION, role="user", text=SECRET, time=AT + timedelta(minutes=2))
        event = events.event_of(message, 1)
        assert event.id == told
        sessions.append_event(vault, note, event)
        note.unlink()
        remade = sessions.remake_session_note(vault, SESSION, [told, *_others(vault)], "box").read_text("utf-8")

        for text in (remade, everything(vault)):
            assert "hunter2, do" not in text
        assert f"^{told}" in remade


def _others(vault: Vault) -> list[EventId]:
    return [event for event in events.event_ids(vault) if isinstance(event, str)]


class TestClaims:
    """What rested on it."""

    def test_a_claim_without_other_evidence_says_so(self, vault: Vault, told: EventId) -> None:
        """In the text, with a footnote that tells when and why; one with other evidence loses the citation alone."""
        done = forget(vault, told)
        note = notes.read_note(vault, "Office")
        found = {claim.text: claim.supported for claim in claims.claims(vault, "Office")}

        assert f"- The code is (forgotten) (unsupported) [^forgotten-{told}]\n- Phone (forgotten) [^2026" in note.text
        assert f'He said "(forgotten)" and `(forgotten)` (unsupported) [^forgotten-{told}].\n' in note.text
        assert f"[^forgotten-{told}]: 2026-12-01: a phone number\n" in note.text
        assert "> (forgotten)\n> (forgotten)\n" in note.text
        assert told not in note.evidence
        assert found["- The code is (forgotten) (unsupported)"] is False
        assert found["- Phone (forgotten)"] is True
        lines = note.text.splitlines()
        assert [(path, lines[line - 1][:13]) for path, line, _ in done.unsupported] == [
            ("30_Knowledge/Office.md", "- The code is"), ("30_Knowledge/Office.md", "He said \"(for"),
        ]  # fmt: skip

    def test_a_forgotten_event_is_no_evidence(self, vault: Vault, told: EventId) -> None:
        """Refused by line; what stands unsupported in the note does not hinder a save, and can be given evidence."""
        forget(vault, told)
        note = notes.read_note(vault, "Office")
        with pytest.raises(BadEvidence) as refused:
            save(vault, "Office", note.text.replace("Another", f"Other [^{told}]"), note.revision)
        assert (refused.value.reason, refused.value.data["faults"][0]["event"]) == ("forgotten_event", told)
        saved = save(vault, "Office", note.text.replace("Another", "Other"), note.revision)
        assert f"[^forgotten-{told}]: 2026-12-01: a phone number\n" in saved.text
        better = saved.text.replace(f"(unsupported) [^forgotten-{told}]", f"[^{note.evidence[0]}]")
        last = save(vault, "Office", better, saved.revision)

        assert "forgotten-" not in last.text
        assert problems(vault) == []

    def test_in_korean(self, tmp_path: Path) -> None:
        """In the vault's language."""
        from wwt_vault.vault.creation import create_vault

        vault = create_vault(tmp_path / "vault", "ko", "Asia/Seoul")
        event = say(vault, "비번은 1234")
        save(vault, "T", f"## 사실\n\n- 비번은 1234 [^{event}]\n")
        forget(vault, event)

        assert f"- (forgotten) (근거 없음) [^forgotten-{event}]" in notes.read_note(vault, "T").text

    def test_persons_lines_stay_theirs(self, vault: Vault, told: EventId) -> None:
        """The words go out of what the program wrote last as well: the merge still knows which lines are a person's."""
        path = vault.root / "30_Knowledge" / "Office.md"
        path.write_text(path.read_text("utf-8").replace("\n> The alarm", "\n- mine\n\n> The alarm"), "utf-8")
        forget(vault, told)
        there = notes.read_note(vault, "Office")
        saved = save(
            vault,
            "Office",
            f"New [^{there.evidence[0]}].\n\n## Facts\n\n- Another thing [^{there.evidence[0]}]\n",
            there.revision,
        )

        assert "- mine" in saved.kept


class TestHistory:
    """Revisions."""

    def test_it_reads_as_if_the_words_had_never_been_there(self, vault: Vault, told: EventId) -> None:
        """As many revisions as before, each readable, under hashes by which nothing can be guessed."""
        before = notes.history(vault, "Office")
        forget(vault, told)
        after = notes.history(vault, "Office")

        assert [(entry.time, entry.written_by) for entry in after] == [
            (entry.time, entry.written_by) for entry in before
        ]
        assert after[0].reason == "문의: (forgotten) 라고 함"
        assert not {entry.revision for entry in before} & {entry.revision for entry in after}
        assert after[1].base == after[0].revision
        assert after[1].revision == notes.read_note(vault, "Office").revision
        assert "Something else" in notes.read_revision(vault, "Office", after[0].revision)
        assert not [name for entry in before for name in files_of(vault) if entry.revision[:12] in name]

    @pytest.mark.parametrize("step", range(8))
    def test_killed_at_any_step_it_is_completed_by_doing_it_again(
        self, vault: Vault, told: EventId, step: int, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The event knows the words to the last: until everything else is done it is there."""
        count = 0

        def counting(name: str) -> Any:
            real = getattr(files, name)

            def call(*arguments: Any, **named: Any) -> Any:
                nonlocal count
                count += 1
                if count == 2 * step + 1:
                    raise KeyboardInterrupt
                return real(*arguments, **named)

            return call

        for name in ("replace", "overwrite", "create_once", "remove"):
            monkeypatch.setattr(files, name, counting(name))
        with pytest.raises(KeyboardInterrupt):
            forget(vault, told)
        monkeypatch.undo()
        forget(vault, told)

        text = everything(vault)
        assert "010-1234-5678" not in text
        assert "alarm code" not in text
        assert problems(vault) == [("uncited_fact", "30_Knowledge/Office.md")]
        assert len(notes.history(vault, "Office")) == 2


class TestWhat:
    """Which events."""

    def test_what_it_grew_from_and_into_goes_with_it(self, vault: Vault) -> None:
        """An answer that was stored while it grew is one message."""
        ids: list[EventId] = []
        note = sessions.create_session_note(vault, SESSION, "shop", "box", AT)
        for text in ("The code", "The code is", "The code is hunter2"):
            message = Message(session=SESSION, role="assistant", text=text, time=AT, key="m1")
            event = events.event_of(message, 1, ids[-1] if ids else None)
            events.write_event(vault, event)
            sessions.append_event(vault, note, event)
            ids.append(event.id)
        done = forget(vault, ids[1])

        assert set(done.events) == set(ids)
        assert "The code" not in everything(vault)

    def test_a_whole_session(self, vault: Vault, told: EventId) -> None:
        """Every message of it; another session stays."""
        other = Session(host="codex", session_id="s-2", cwd="/x")
        event = events.event_of(Message(session=other, role="user", text="Stays.", time=AT), 1)
        events.write_event(vault, event)
        done = forget(vault, session=(SESSION.host, SESSION.session_id))

        assert len(done.events) == 3
        text = everything(vault)
        assert "Stays." in text
        assert "Before." not in text
        assert "hunter2, do" not in text
        assert [code for code, _ in problems(vault) if code.startswith(("event", "block", "damaged"))] == []

    def test_others_that_say_the_same_are_named(self, vault: Vault, told: EventId) -> None:
        """An answer that repeats the words is another message: the person decides."""
        echo = say(vault, "You said: The alarm code of the office door is hunter2, do not write it down. Noted!", 8)

        assert forget(vault, told).also_said == (echo,)
        assert "hunter2" in events.read_event(vault, echo).text

    def test_files_of_the_person_are_left_and_named(self, vault: Vault, told: EventId) -> None:
        """A page is never changed; neither is what they wrote into a session note."""
        page = vault.root / "Page.md"
        page.write_text("The alarm code of the office door is hunter2, do not write it down.", "utf-8")
        cites = vault.root / "Cites.md"
        cites.write_text(f"see [^{told}]", "utf-8")
        note = sessions.find_session_note(vault, SESSION.host, SESSION.session_id)
        assert note is not None
        note.write_text(
            note.read_text("utf-8") + "\nThe alarm code of the office door is hunter2, do not write it down.\n", "utf-8"
        )
        done = forget(vault, told)

        assert set(done.left) == {"Page.md", "Cites.md", note.relative_to(vault.root).as_posix()}
        assert "hunter2" in page.read_text("utf-8")
        assert ("forgotten_citation", "Cites.md") in problems(vault)

    def test_again_is_no_error_and_unknown_ids_are(self, vault: Vault, told: EventId) -> None:
        """Nothing is written in either case."""
        forget(vault, told)
        before = files_of(vault)
        assert forget(vault, told) == forgetting.Forgetting()
        for ids, more in (
            (["20200101T000000Z-000000000000"], {}),
            ([told, "20200101T000000Z-000000000000"], {}),
            ([], {"session": ("codex", "nowhere")}),
        ):
            with pytest.raises(NotFound):
                forget(vault, *ids, **more)
        for ids, more in (([], {}), (["x"], {}), ([told], {"reason": " "}), ([told], {"reason": "a\u202eb"})):
            with pytest.raises(BadArgument):
                forget(vault, *ids, **more)

        assert files_of(vault) == before

    def test_a_recorder_is_kept_out_meanwhile(self, vault: Vault, told: EventId) -> None:
        """By the lock that the caller brings."""
        held: list[tuple[str, str]] = []

        @contextmanager
        def hold(host: str, session_id: str) -> Iterator[None]:
            held.append((host, session_id))
            yield

        forget(vault, told, hold=hold)
        assert set(held) == {(SESSION.host, SESSION.session_id)}

    def test_locked_and_broken_notes_lose_the_words_too(self, vault: Vault, told: EventId) -> None:
        """It is the person who forgets; a note that does not parse is text."""
        path = vault.root / "30_Knowledge" / "Office.md"
        path.write_text(path.read_text("utf-8").replace("type: topic", "type: topic\nlocked: true"), "utf-8")
        path2 = vault.root / "00_Inbox" / "Elsewhere.md"
        path2.write_bytes(path2.read_bytes().replace(b"hunter2 alone", b"\xff<<<<<<< a\n=======\n>>>>>>> b"))
        forget(vault, told)

        assert "hunter2" not in path.read_text("utf-8")
        assert b"alarm code" not in path2.read_bytes()
        assert b"\xff<<<<<<< a\n" in path2.read_bytes()


def test_the_commands_take_old_versions_out_of_git(vault: Vault, told: EventId) -> None:
    """Run as they are printed: no object of the repository has the words, the last commit has the files of today."""

    def git(*arguments: str) -> str:
        run = subprocess.run(["git", "-C", str(vault.root), *arguments], capture_output=True, check=True)
        return run.stdout.decode("utf-8", "replace")

    assert forgetting.git_commands(vault.root, ["x"]) == []
    git("init", "-q", "-b", "main")
    for key, value in (("user.name", "t"), ("user.email", "t@example.org"), ("commit.gpgsign", "false")):
        git("config", key, value)
    git("add", "-A")
    git("commit", "-q", "-m", "one")
    say(vault, "More.", 20)
    git("add", "-A")
    git("commit", "-q", "-m", "two")
    done = forget(vault, told)
    commands = forgetting.git_commands(vault.root, done.paths)
    assert commands[-1].startswith("git push")
    script = "set -e\n" + "\n".join(commands[:-1])
    env = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull}
    subprocess.run(["bash", "-c", script], check=True, capture_output=True, cwd=vault.root.parent, env=env)

    objects = git("cat-file", "--batch-all-objects", "--batch")
    assert "010-1234-5678" not in objects
    assert "alarm code" not in objects
    assert git("status", "--porcelain") == ""
    assert git("log", "--format=%s", "--all").split() == ["Forget", "two", "one"]
    assert "More." in git("show", "HEAD:50_Conversations/2026/2026-11-30 claude-code shop 42edc39d.md")
    assert at(vault, notes.read_note(vault, "Office")).is_file()
