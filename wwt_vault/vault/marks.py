"""Which sessions an agent has read and found curated, and up to which event: ``.wwt/curated/<host> <session id>.json``.

The file is JSON: ``schema, host, session_id, upto, at``, and ``gist`` and ``questions`` where the agent gave them. It
holds no truth: a mark that is lost or damaged makes the session wait to be curated again.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

from wwt_vault.errors import BadArgument
from wwt_vault.model.conversation import EventId, format_time, parse_time
from wwt_vault.vault import Vault, files
from wwt_vault.vault.beneath import scanned
from wwt_vault.vault.events import time_of
from wwt_vault.vault.layout import CURATED_MARKS, curated_mark_path, inside, short_session_id

__all__ = ["CuratedMark", "is_mark", "mark_curated", "read_curated_marks", "read_mark", "stamps"]

_SCHEMA = 1


class CuratedMark(NamedTuple):
    """A session is done up to an event."""

    host: str
    session_id: str
    upto: EventId
    at: datetime
    """When that was said."""
    gist: str | None = None
    """The session in one line."""
    questions: tuple[str, ...] = ()
    """How a person may later ask for it; searched like the title of the session."""


def mark_curated(
    vault: Vault,
    host: str,
    session_id: str,
    upto: EventId,
    at: datetime,
    *,
    gist: str | None = None,
    questions: Sequence[str] = (),
) -> CuratedMark:
    """Keep that the session is curated up to the event ``upto``; return what now stands. The caller keeps others out.

    An older ``upto`` never takes back a newer one; ``gist`` and ``questions`` stay when none are given. Raises
    ``BadArgument`` when ``upto`` is no event id, ``VaultReadOnly``, ``VaultError``.
    """
    time = time_of(upto)
    path = inside(vault.root, curated_mark_path(host, session_id), hidden=True)
    old = _read(files.read(path) or b"")
    if old is not None and (old.host, old.session_id) == (host, session_id):
        upto = old.upto if time_of(old.upto) > time else upto
        at, gist, questions = max(at, old.at), gist or old.gist, questions or old.questions
    mark = CuratedMark(host, session_id, upto, at, gist, tuple(questions))
    table: dict[str, Any] = {"schema": _SCHEMA, **mark._asdict(), "at": format_time(at)}
    table = {key: value for key, value in table.items() if value not in (None, ())}
    data = json.dumps(table, ensure_ascii=False, sort_keys=True).encode("utf-8", "replace") + b"\n"
    files.overwrite(path, data)
    return mark


def read_mark(vault: Vault, host: str, session_id: str) -> CuratedMark | None:
    """Return the mark of one session; ``None`` without one, or for one that is damaged."""
    found = _read(files.read(inside(vault.root, curated_mark_path(host, session_id), hidden=True)) or b"")
    return found if found is not None and (found.host, found.session_id) == (host, session_id) else None


def stamps(vault: Vault) -> dict[str, str]:
    """Return what tells that a mark was added or replaced, by the forms in which its session id ends a note's name.

    Names and times alone: no mark is opened. Two sessions of one form share what stands there.
    """
    found: dict[str, str] = {}
    try:
        with scanned(inside(vault.root, CURATED_MARKS, hidden=True)) as entries:
            there = {entry.name: _stat(entry) for entry in entries if entry.name.endswith(".json")}
    except OSError:
        return found
    for name, facts in sorted(there.items()):
        if facts is None or name.startswith(".tmp-"):
            continue
        full = name[:-5].rpartition(" ")[2]
        for form in {full, full.rpartition("-")[0][:8].strip("-_"), short_session_id(full)} - {""}:
            found[form] = f"{found.get(form, '')} {facts.st_size}-{facts.st_mtime_ns}-{facts.st_ino}"
    return found


def _stat(entry: os.DirEntry[str]) -> os.stat_result | None:
    try:
        return entry.stat(follow_symlinks=False)
    except OSError:  # deleted since it was listed
        return None


def read_curated_marks(vault: Vault) -> dict[tuple[str, str], CuratedMark]:
    """Return the mark of every session that has one, by host and session id. A damaged one counts as none."""
    folder = inside(vault.root, CURATED_MARKS, hidden=True)
    marks: dict[tuple[str, str], CuratedMark] = {}
    for name in sorted(files.names_in(folder)):
        if not name.endswith(".json") or name.startswith(".tmp-"):
            continue
        mark = _read(files.read(folder / name) or b"")
        if mark is None:
            continue
        old = marks.get((mark.host, mark.session_id))  # a sync program's copy of the same mark
        if old is None or time_of(old.upto) <= time_of(mark.upto):
            marks[mark.host, mark.session_id] = mark
    return marks


def is_mark(data: bytes) -> bool:
    """Tell whether these bytes are a mark, as the file of one holds them."""
    return _read(data) is not None


def _read(data: bytes) -> CuratedMark | None:
    try:
        table: Any = json.loads(data)
        mark = CuratedMark(
            host=str(table["host"]),
            session_id=str(table["session_id"]),
            upto=EventId(table["upto"]),
            at=parse_time(table["at"]),
            gist=gist if isinstance(gist := table.get("gist"), str) and gist.strip() else None,
            questions=tuple(str(question) for question in table.get("questions", ())),
        )
        time_of(mark.upto)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, BadArgument):
        return None
    return mark
