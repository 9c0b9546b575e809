"""Cursor's editor: conversations in ``state.vscdb``, of the composer (since 2024) and of the chat panel before it.

None of it is documented. A composer's messages stand in its own row (2024), or in rows of their own under the names
that its headers list. The chat panel kept all its tabs in one row of the database of each workspace.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING, Any

from wwt_vault.capture import jsonl
from wwt_vault.capture.cursor_rows import beside, text_of, value_of
from wwt_vault.capture.cursor_words import answered, typed
from wwt_vault.capture.exports import Left, Said, digest_id, moment, off_branch, one_line, spoken
from wwt_vault.capture.messages import text_field
from wwt_vault.model.conversation import Message, Session

if TYPE_CHECKING:
    import sqlite3

    Bubble = tuple[str, dict[str, Any]]
    """The name of a message's row, or its number, and the message."""

__all__ = ["composers", "panel"]

_CHATS = "workbench.panel.aichat.view.aichat.chatdata"
_COMPOSERS = "composer.composerData"


def composers(database: sqlite3.Connection, path: jsonl.File, left: Left) -> Iterator[Message]:
    """Yield what was said in the composer; messages that its headers do not name any more as another branch."""
    rows = "SELECT rowid, substr(key, 14) FROM cursorDiskKV WHERE key >= 'composerData:' AND key < 'composerData;'"
    for rowid, name in database.execute(f"{rows} ORDER BY rowid").fetchall():
        composer = value_of(database, "cursorDiskKV", rowid, left)
        if isinstance(composer, dict):
            yield from _composer(composer, text_of(name), path, list(_bubbles(database, text_of(name), left)))


def _bubbles(database: sqlite3.Connection, name: str, left: Left) -> Iterator[Bubble]:
    """Yield the messages of a conversation that are in rows of their own, under the names of these."""
    prefix = f"bubbleId:{name}:"
    query = "SELECT rowid, substr(key, ?) FROM cursorDiskKV WHERE key >= ? AND key < ? ORDER BY rowid"
    for rowid, bubble_id in database.execute(query, (len(prefix) + 1, prefix, prefix[:-1] + ";")):
        bubble = value_of(database, "cursorDiskKV", rowid, left)
        if isinstance(bubble, dict):
            yield text_of(bubble_id), _needed(bubble)


def _composer(
    composer: dict[str, Any],
    name: str,
    path: jsonl.File,
    rows: list[Bubble],
    cwd: str | None = None,
) -> Iterator[Message]:
    inline = composer.get("conversation")
    if isinstance(inline, list) and inline:
        shown = [(f"B{at}", bubble) for at, bubble in enumerate(inline) if isinstance(bubble, dict)]
        rest: list[Bubble] = []
    else:
        mapped = composer.get("conversationMap")
        mapped = mapped.items() if isinstance(mapped, dict) else ()
        shown, rest = _in_order([*rows, *((key, b) for key, b in mapped if isinstance(b, dict))], _headers(composer))
    identifier = composer.get("workspaceIdentifier")
    began = moment(composer.get("createdAt"))
    session = Session(
        host="cursor",
        session_id=text_field(composer, "composerId") or name,
        cwd=_folder(identifier.get("uri")) if isinstance(identifier, dict) else cwd,
        title=one_line(composer.get("name")),
    )
    yield from _spoken(session, _said(shown), path, began)
    if entries := _said(rest):  # what was said before the person went back and asked otherwise
        yield from _spoken(off_branch(session, entries[0].key or ""), entries, path, began)


def _headers(composer: dict[str, Any]) -> list[str]:
    headers = composer.get("fullConversationHeadersOnly")
    headers = headers if isinstance(headers, list) else []
    return [str(header.get("bubbleId") or "") for header in headers if isinstance(header, dict)]


def _in_order(rows: list[Bubble], headers: list[str]) -> tuple[list[Bubble], list[Bubble]]:
    """Return the messages that the headers name, in their order, and the others; all of them when there are no headers.

    A header has the name of a row, or the message's own id, which may be another.
    """
    if not headers:
        return rows, []
    names: dict[str, list[int]] = {}
    for at, (name, bubble) in enumerate(rows):
        names.setdefault(name, []).append(at)
        names.setdefault(str(bubble.get("bubbleId") or ""), []).append(at)
    taken: dict[int, None] = {}
    for header in headers:
        for at in names.get(header, ()):
            if at not in taken:
                taken[at] = None
                break
    return [rows[at] for at in taken], [row for at, row in enumerate(rows) if at not in taken]


_NEEDED = (
    "type", "bubbleId", "id", "text", "rawText", "richText", "createdAt", "timingInfo", "codeBlocks", "toolFormerData",
    "images", "modelInfo", "modelType",
)  # fmt: skip


def _needed(bubble: dict[str, Any]) -> dict[str, Any]:
    """Return what of a message is read, without what a tool gave it to read: that can be large."""
    bubble = {name: bubble[name] for name in _NEEDED if bubble.get(name)}
    if "toolFormerData" in bubble:
        bubble["toolFormerData"] = True
    return bubble


def _said(bubbles: list[Bubble]) -> list[Said]:
    said = []
    for name, bubble in bubbles:
        kind = bubble.get("type")
        words = text_field(bubble, "text", "rawText") or _rich(bubble.get("richText"))
        timing = bubble.get("timingInfo")
        timing = timing if isinstance(timing, dict) else {}
        sent = (moment(timing.get(key)) for key in ("clientRpcSendTime", "clientStartTime", "clientEndTime"))
        # In some versions these count from the start of the program.
        time = moment(bubble.get("createdAt")) or next((t for t in sent if t and t.year > 2020), None)
        key = text_field(bubble, "bubbleId", "id") or name
        if kind in (1, "user"):
            images = bubble.get("images")
            pictures = ["[image]"] * len(images) if isinstance(images, list) else []
            words = "\n\n".join([*filter(None, [typed(words)]), *pictures])
            said.append(Said(role="user", words=words, time=time, key=key))
        elif kind in (2, "ai", "assistant"):
            words = answered(words)
            if not words and "toolFormerData" not in bubble:
                words = _code(bubble.get("codeBlocks"))
            info = bubble.get("modelInfo")
            model = text_field(info, "modelName") if isinstance(info, dict) else text_field(bubble, "modelType")
            said.append(Said(role="assistant", words=words, time=time, key=key, model=model))
    return [entry for entry in said if entry.words.strip()]


def _rich(value: Any) -> str:
    """Return the text of the editor's own form of a prompt: a tree of nodes in JSON."""
    try:
        waiting = [json.loads(value)] if isinstance(value, str) and value[:1] == "{" else []
    except (ValueError, RecursionError):
        return ""
    found: list[str] = []
    while waiting:
        node = waiting.pop()
        if isinstance(node, dict):
            if node.get("type") in ("paragraph", "linebreak") and found:
                found.append("\n")
            found += [node["text"]] if isinstance(node.get("text"), str) else []
            waiting += [node[key] for key in ("root", "children") if key in node]
        elif isinstance(node, list):
            waiting += reversed(node)
    return "".join(found)


def _code(blocks: Any) -> str:
    blocks = [block for block in blocks if isinstance(block, dict)] if isinstance(blocks, list) else []
    parts = [(text_field(block, "languageId") or "", text_field(block, "content")) for block in blocks]
    return "\n\n".join(f"```{language}\n{content}\n```" for language, content in parts if content)


def panel(database: sqlite3.Connection, path: jsonl.File, left: Left) -> Iterator[Message]:
    """Yield what was said in the chat panel, and in composers of the time when they stood beside it."""
    cwd = _workspace(path)
    found = {}
    for rowid, key in database.execute("SELECT rowid, key FROM ItemTable WHERE key IN (?, ?)", (_CHATS, _COMPOSERS)):
        value = value_of(database, "ItemTable", rowid, left)
        found[text_of(key)] = value if isinstance(value, dict) else {}
    tabs = found.get(_CHATS, {}).get("tabs")
    for tab in tabs if isinstance(tabs, list) else ():
        bubbles = tab.get("bubbles") if isinstance(tab, dict) else None
        if isinstance(bubbles, list):
            said = _said([(f"B{at}", bubble) for at, bubble in enumerate(bubbles) if isinstance(bubble, dict)])
            name = text_field(tab, "tabId") or digest_id([entry.words for entry in said[:1]])
            session = Session(host="cursor", session_id=name, cwd=cwd, title=one_line(tab.get("chatTitle")))
            yield from _spoken(session, said, path, moment(tab.get("createdAt")) or moment(tab.get("lastSendTime")))
    composers = found.get(_COMPOSERS, {}).get("allComposers")
    for composer in composers if isinstance(composers, list) else ():
        if isinstance(composer, dict) and composer.get(
            "conversation"
        ):  # later ones are but names of what lies elsewhere
            yield from _composer(composer, digest_id(composer.get("createdAt")), path, [], cwd)


def _workspace(path: jsonl.File) -> str | None:
    """Return the folder that a database of one workspace belongs to, as the editor notes it beside it."""
    try:
        return _folder(json.loads(beside(path, "workspace.json").read_text("utf-8")).get("folder"))
    except (OSError, ValueError, AttributeError, KeyError):
        return None


def _folder(uri: Any) -> str | None:
    from urllib.parse import unquote, urlsplit  # noqa: PLC0415

    if isinstance(uri, dict):
        return text_field(uri, "fsPath", "path") or _folder(uri.get("external"))
    if not isinstance(uri, str) or not uri:
        return None
    if not uri.startswith(("file://", "vscode-remote://")):
        return uri
    place = unquote(urlsplit(uri).path)
    return place[1:] if re.match("/[A-Za-z]:", place) else place or None


def _spoken(session: Session, said: list[Said], path: jsonl.File, began: datetime | None) -> Iterator[Message]:
    began = began or next((entry.time for entry in said if entry.time), None) or jsonl.file_time(path)
    yield from spoken(session._replace(started=began), said, began)
