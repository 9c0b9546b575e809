"""A vault for other programs: conversations and notes as JSONL, and every note as Markdown.

``conversations.jsonl`` has the form of ``docs/hosts/generic.md``, which ``wwt ingest`` reads back; ``notes.jsonl`` one
curated note a line; ``markdown/`` the vault's Markdown as it is.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from wwt_vault.errors import BadArgument, Refused, WwtError
from wwt_vault.model.conversation import Event, Problem, format_time
from wwt_vault.sync import archive, belonging
from wwt_vault.vault import Vault, events, files, layout, lookup

__all__ = ["Exported", "export"]


class Exported(NamedTuple):
    """How much was written, and what could not be read."""

    messages: int
    sessions: int
    notes: int
    files: int
    """Markdown files."""
    problems: tuple[str, ...]


def export(vault: Vault, folder: Path) -> Exported:
    """Write the vault into ``folder``, which is empty or not there yet.

    Raises ``Refused`` when it is not empty, ``BadArgument`` when it lies in the vault, ``OSError``.
    """
    folder = folder.expanduser().absolute()
    if vault.root.resolve() in (folder.resolve(), *folder.resolve().parents):
        raise BadArgument(f"{folder} lies in the vault: name a folder outside of it", argument="folder")
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise Refused(f"{folder} is not empty. Nothing was written.", path=str(folder))
    folder.mkdir(parents=True, exist_ok=True)
    problems: list[str] = []
    sessions: dict[tuple[str, str], list[Event]] = {}
    for found in events.iter_events(vault):
        if isinstance(found, Problem):
            problems.append(f"{found.path}: {found.message}")
        else:
            sessions.setdefault((found.host, found.session_id), []).append(found)
    _write_lines(folder / "conversations.jsonl", (line for said in sessions.values() for line in _session(said)))
    heads = lookup.list_notes(vault)
    _write_lines(folder / "notes.jsonl", (_note(vault, head) for head in heads))
    count = 0
    for path in archive.members(vault):
        if belonging.is_note(path):
            try:
                data = files.read(layout.inside(vault.root, path)) or b""
            except WwtError as error:
                problems.append(str(error))
                continue
            target = folder / "markdown" / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
            count += 1
    messages = sum(map(len, sessions.values()))
    return Exported(messages, len(sessions), len(heads), count, tuple(problems))


def _session(said: list[Event]) -> Iterator[dict[str, Any]]:
    """Yield the header of a conversation and its messages, in order of time."""
    said = sorted(said, key=lambda event: (event.time, event.id))
    first = said[0]
    header: dict[str, Any] = {
        "type": "transcript",
        "host": first.host,
        "session": first.session_id,
        "started": format_time(first.time),
        "cwd": first.cwd,
        "git_branch": first.git_branch,
        "project": first.project,
    }
    yield {key: value for key, value in header.items() if value is not None}
    for event in said:
        message: dict[str, Any] = {
            "role": event.role,
            "text": event.text,
            "time": format_time(event.time),
            "id": event.message_key,
            "model": event.model,
            "event": event.id,
        }
        yield {key: value for key, value in message.items() if value is not None}


def _note(vault: Vault, head: lookup.NoteHead) -> dict[str, Any]:
    data = files.read(layout.inside(vault.root, head.path)) or b""
    table: dict[str, Any] = {**head._asdict(), "relations": dict(head.relations), "revision": files.revision_of(data)}
    return table | {"text": data.decode("utf-8", "replace")}


def _write_lines(path: Path, lines: Iterable[dict[str, Any]]) -> None:
    with path.open("wb") as file:
        for line in lines:
            file.write(json.dumps(line, ensure_ascii=False).encode("utf-8", "replace") + b"\n")
