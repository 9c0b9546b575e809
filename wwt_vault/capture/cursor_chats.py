"""Cursor's command line: one conversation in ``~/.cursor/chats/<folder>/<id>/store.db``.

Its messages are blobs under the names of their hashes, and so are the nodes of the tree that puts them in order; the
description of the conversation names the root. None of it is documented.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from wwt_vault.capture import jsonl
from wwt_vault.capture.cursor_rows import LARGEST, json_of, text_of
from wwt_vault.capture.cursor_words import answered, asked, blocks, folder_in, time_in
from wwt_vault.capture.exports import Left, Said, moment, one_line, spoken
from wwt_vault.capture.messages import text_field
from wwt_vault.model.conversation import Message, Session

if TYPE_CHECKING:
    import sqlite3

__all__ = ["chat"]


def chat(database: sqlite3.Connection, path: jsonl.File, left: Left) -> Iterator[Message]:
    """Yield what was said; only prompts have times, and only newer ones."""
    meta: dict[str, Any] = {}
    for (value,) in database.execute("SELECT value FROM meta WHERE key = '0'"):
        text = text_of(value)
        try:
            found = json.loads(text if text.lstrip()[:1] == "{" else bytes.fromhex(text))
        except (ValueError, RecursionError):
            left.add("a description of the conversation that cannot be read")
            continue
        meta = found if isinstance(found, dict) else {}
    session = Session(
        host="cursor",
        session_id=text_field(meta, "agentId") or str(path).replace("\\", "/").split("/")[-2],
        title=one_line(meta.get("name")),
    )
    said: list[Said] = []
    times: dict[str, int] = {}
    for blob, message in _leaves(database, text_field(meta, "latestRootBlobId"), left):
        times[blob] = times.get(blob, 0) + 1
        key = blob if times[blob] == 1 else f"{blob}:{times[blob]}"
        content = message.get("content")
        if message["role"] == "user":
            told = " ".join(text_field(block, "text") or "" for block in blocks(content))
            session = session._replace(cwd=session.cwd or folder_in(told))
            said.append(Said(role="user", words=asked(content) or "", time=time_in(told), key=key))
        else:
            model = text_field(meta, "lastUsedModel")
            said.append(Said(role="assistant", words=answered(content), time=None, key=key, model=model))
    began = moment(meta.get("createdAt")) or jsonl.file_time(path)
    yield from spoken(session._replace(started=began), [entry for entry in said if entry.words.strip()], began)


def _leaves(database: sqlite3.Connection, root: str | None, left: Left) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the messages below the root in their order; without a root, all that there are as they were written."""
    has_root = root is not None and _blob(database, root) is not None
    waiting = [root] if root is not None and has_root else []
    if not has_root:
        waiting = [text_of(name) for (name,) in database.execute("SELECT id FROM blobs ORDER BY rowid DESC")]
    seen: set[str] = set()
    found = 0
    while waiting:
        name = waiting.pop()
        data = _blob(database, name)
        if data is None:
            continue
        if data.lstrip()[:1] == b"{":
            message = json_of(data)
            if isinstance(message, dict) and message.get("role") in ("user", "assistant"):
                found += 1
                yield name, message
        elif name not in seen:
            seen.add(name)
            waiting += reversed(list(_references(data))) if has_root else ()
    if seen and not found:
        left.add("a conversation in a form that is not known")


def _blob(database: sqlite3.Connection, name: str) -> bytes | None:
    row = database.execute("SELECT data FROM blobs WHERE id = ? AND length(data) <= ?", (name, LARGEST)).fetchone()
    return row[0] if row and isinstance(row[0], bytes) else None


def _references(data: bytes) -> Iterator[str]:
    """Yield the hashes in a node of the tree: fields of 32 bytes (protobuf.dev/programming-guides/encoding)."""
    at = 0

    def number() -> int:
        nonlocal at
        value = shift = 0
        while at < len(data) and shift < 64:
            value |= (data[at] & 0x7F) << shift
            shift, at = shift + 7, at + 1
            if data[at - 1] < 0x80:
                break
        return value

    while at < len(data):
        tag = number()
        if tag & 7 == 2:
            size = number()
            if size == 32 and tag >> 3 in (1, 2) and at + 32 <= len(data):
                yield data[at : at + 32].hex()
            at += size
        elif tag & 7 == 0:
            number()
        elif tag & 7 in (1, 5):
            at += 8 if tag & 7 == 1 else 4
        else:
            return
