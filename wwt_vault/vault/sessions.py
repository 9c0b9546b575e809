"""Session notes: one dated Markdown file a conversation, to which every event is appended as a block.

The frontmatter never changes after creation, and what stands in a note is never rewritten: a person's words between and
under the blocks stay. Everything in it can be made again from the events. Whoever writes holds the session's lock.
"""

from __future__ import annotations

import json
import re
import stat
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import date, datetime
from pathlib import Path

from wwt_vault.errors import BadArgument, BadName, DamagedEvent, EventConflict, Forgotten, FormatTooNew, NotFound
from wwt_vault.model.conversation import Event, EventId, Session, format_time
from wwt_vault.vault import Vault, events, files
from wwt_vault.vault.blocks import ids_in, read_turns, render_event, render_forgotten, without_words
from wwt_vault.vault.layout import (
    CONVERSATIONS,
    inside,
    safe_name,
    session_id_names,
    session_note_folder,
    session_note_name,
)
from wwt_vault.vault.marks import CuratedMark, mark_curated, read_curated_marks

__all__ = [
    "CuratedMark",
    "append_event",
    "append_events",
    "create_session_note",
    "find_session_note",
    "known_events",
    "latest_session_notes",
    "mark_curated",
    "read_curated_marks",
    "read_head",
    "read_turns",
    "remake_session_note",
    "render_event",
    "without_events",
]

_HEAD = 64 << 10
"""Bytes within which the frontmatter of a session note ends."""
# What YAML 1.1 and 1.2 take for a text without quotes, whatever reads it; anything else is quoted.
_PLAIN = r"[A-Za-z/](?:[A-Za-z0-9 _./@+-]*[A-Za-z0-9_./])?"
_NOT_TEXT = frozenset(("y", "n", "yes", "no", "true", "false", "on", "off", "null"))


def find_session_note(vault: Vault, host: str, session_id: str) -> Path | None:
    """Return the note of a session: the id at the end of its name is looked for, its frontmatter then has to agree.

    Finds it wherever it lies below ``50_Conversations``, under any name that still ends with the id. ``None`` when
    there is none. The cost is that of listing the names of all session notes: keep the path.
    """
    endings = tuple(f" {name}.md" for name in session_id_names(session_id))
    for folder, names in _folders(inside(vault.root, CONVERSATIONS)):
        for name in sorted(name for name in names if name.endswith(endings)):
            if _is_of(folder / name, host, session_id):
                return folder / name
    return None


def latest_session_notes(vault: Vault, project: str | Sequence[str] | None, limit: int) -> list[Path]:
    """Return the notes of the latest sessions of ``project`` (``None``: of all), newest first, at most ``limit``.

    Of a project with several names, all of them are given.

    By the names alone; sessions that began on one day in the order in which they were last written to.
    """
    names_of_it = [project] if isinstance(project, str) else project
    places = {safe_name(name, 80) for name in names_of_it} if names_of_it is not None else None
    found: list[tuple[str, int, Path]] = []
    for folder, names in _folders(inside(vault.root, CONVERSATIONS)):
        candidates = sorted(
            (name for name in names if places is None or any(f" {place} " in name for place in places)), reverse=True
        )
        days: list[str] = []
        for name in candidates:
            if len(days) >= limit and name[:10] != days[-1]:
                break
            parts = re.fullmatch(r"(\d{4}-\d\d-\d\d) \S+ (?:(.+) )?\S+\.md", name)
            if parts is not None and (places is None or parts[2] in places):
                days.append(parts[1])
                found.append((parts[1], (folder / name).lstat().st_mtime_ns, folder / name))
    return [path for _, _, path in sorted(found, reverse=True)[:limit]]


def _folders(folder: Path) -> Iterator[tuple[Path, list[str]]]:
    """Yield ``folder`` and all below it but links and dot folders, the newest year first, with the names in each."""
    names = files.names_in(folder)
    yield folder, names
    for name in sorted((name for name in names if not name.endswith(".md")), reverse=True):
        path = folder / name
        if not name.startswith(".") and stat.S_ISDIR(path.lstat().st_mode):
            yield from _folders(path)


def _is_of(path: Path, host: str, session_id: str) -> bool:
    head = read_head(files.read(path) or b"")
    return (head.get("host"), head.get("session_id")) == (events.storable(host), events.storable(session_id))


def create_session_note(vault: Vault, session: Session, project: str | None, machine: str, started: datetime) -> Path:
    """Make the note of a session that :func:`find_session_note` did not find; return its path.

    The date in its name is that of ``started`` in the vault's zone. Raises ``VaultReadOnly``, ``VaultError``.
    """
    local = started.astimezone(vault.zone)
    data = _frontmatter(session, project, machine, local)
    for clash in range(3):
        name = session_note_name(session, local.date(), project, clash)
        path = inside(vault.root, f"{session_note_folder(local.date())}/{name}")
        try:
            files.create_once(path, data)
        except EventConflict:
            if not _is_of(path, session.host, session.session_id):
                continue  # another session whose short id is the same
        return path
    raise BadName(f"three files have the names that session {session.session_id[:80]!r} could have", path=str(path))


def _frontmatter(session: Session, project: str | None, machine: str, local: datetime) -> bytes:
    known = {
        "title": session.title,
        "project": project,
        "folder": session.folder,
        "assistant": session.assistant,
        "cwd": session.cwd,
        "git_branch": session.git_branch,
        "machine": machine,
    }
    lines = [
        "---",
        "type: session",
        f"host: {_scalar(session.host)}",
        f"session_id: {_scalar(session.session_id)}",
        *(f"{key}: {_scalar(value)}" for key, value in known.items() if value),
        f"started: {local.isoformat(timespec='seconds')}",
        "---",
    ]
    return "\n".join([*lines, "", ""]).encode()


def _scalar(text: str) -> str:
    """Return ``text`` as a YAML scalar that every reader takes for this very text (YAML 1.2.2, 7.3.1 and 5.1)."""
    text = events.storable(text)
    if re.fullmatch(_PLAIN, text) is not None and text.lower() not in _NOT_TEXT:
        return text
    quoted = json.dumps(text, ensure_ascii=False)
    return re.sub("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]", lambda found: f"\\u{ord(found[0]):04x}", quoted)


def read_head(data: bytes) -> dict[str, str]:
    """Return the one-line properties of a session note as texts, also after Obsidian has written them in its own way.

    Empty when ``data`` has no frontmatter. For all else, ``markdown.frontmatter`` reads properties.
    """
    lines = data[:_HEAD].removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace").split("\n")
    head: dict[str, str] = {}
    if lines[0].rstrip() != "---":
        return head
    for line in lines[1:]:
        if line.rstrip() == "---":
            return head
        key, colon, value = line.partition(":")
        if colon:
            head[key.strip()] = _text_of(value.strip())
    return {}


def _text_of(scalar: str) -> str:
    if scalar.startswith('"'):
        try:
            return str(json.loads(scalar))
        except ValueError:
            return scalar.strip('"')
    if len(scalar) > 1 and scalar.startswith("'") and scalar.endswith("'"):
        return scalar[1:-1].replace("''", "'")
    return scalar


def append_event(vault: Vault, note_path: Path, event: Event) -> bool:
    """Append the event's block, once: ``False`` when the note has it. An earlier try that was cut off is completed.

    Raises ``NotFound`` when the note is gone, ``VaultReadOnly``, ``VaultError``.
    """
    return append_events(vault, note_path, [event]) == 1


def append_events(vault: Vault, note_path: Path, new: Iterable[Event]) -> int:
    """Append the blocks of those events that the note does not have, in this order, in one write; return how many.

    Raises as :func:`append_event` does.
    """
    data = files.read(note_path)
    if data is None:
        raise NotFound(f"{note_path} is not there", path=str(note_path))
    known = set(ids_in(data))
    missing = {event.id: event for event in new if event.id not in known}
    if missing:
        day = _day_of(data)
        files.append(note_path, b"".join(_block(vault, event, day) for event in missing.values()))
    return len(missing)


def _block(vault: Vault, event: Event, day: date | None) -> bytes:
    """Return the block of an event; of one that was forgotten since it was said, the one that says so."""
    try:
        events.read_event(vault, event.id)
    except Forgotten as error:
        return render_forgotten(**_gone(error), zone=vault.zone, day=day)
    except (BadArgument, DamagedEvent, FormatTooNew, NotFound):
        pass  # the words are at hand, whatever became of their file
    return render_event(event, vault.zone, day)


def without_events(vault: Vault, note: bytes, gone: Collection[EventId], reason: str, at: datetime) -> bytes:
    """Return a session note with the blocks of these events telling that, and why, they were forgotten."""
    text = note.decode("utf-8", "surrogateescape")
    day = _day_of(note)
    told: dict[str, bytes] = {
        event: render_forgotten(event, format_time(at), reason, vault.zone, day)
        for event in ids_in(note)
        if event in gone
    }
    return without_words(text, told).encode("utf-8", "surrogateescape") if told else note


def _day_of(note: bytes) -> date | None:
    try:
        return date.fromisoformat(read_head(note).get("started", "")[:10])
    except ValueError:
        return None


def known_events(note_path: Path) -> list[EventId]:
    """Return the ids of the events that a note has, in the order in which they stand there; none when it is gone."""
    return ids_in(files.read(note_path) or b"")


def _gone(error: Forgotten) -> dict[str, str]:
    return {key: error.data[key] for key in ("event", "at", "reason")}


def remake_session_note(vault: Vault, session: Session, ids: Iterable[EventId], machine: str) -> Path:
    """Make a note that is gone again from these events, as far as they are there; return its path.

    Raises ``NotFound`` when none of them is, ``VaultReadOnly``, ``VaultError``.
    """
    found = []
    gone: list[Forgotten] = []
    for event in ids:
        try:
            found.append(events.read_event(vault, event))
        except Forgotten as error:
            gone.append(error)
        except (BadArgument, DamagedEvent, FormatTooNew, NotFound):
            continue
    if not found:
        message = f"none of the events of session {session.session_id!r} is there"
        raise NotFound(message, host=session.host, session_id=session.session_id)
    found.sort(key=lambda event: (event.time, event.id))
    first = found[0]
    session = session._replace(cwd=session.cwd or first.cwd, git_branch=session.git_branch or first.git_branch)
    path = create_session_note(vault, session, first.project, machine, session.started or first.time)
    append_events(vault, path, found)
    known = set(known_events(path))
    for was in gone:  # so that they are not taken in again
        if was.data["event"] not in known:
            files.append(path, render_forgotten(**_gone(was), zone=vault.zone, day=_day_of(files.read(path) or b"")))
    return path
