"""Claude.ai: what its data export means, and a conversation as its pages' own interface gives it.

``conversations.json`` is a list of conversations, each with its messages in order; a copy made through the interface
also has each message's parent, and so branches. ``projects.json`` has the instructions and documents of projects, which
nobody said: they become sources. Anthropic documents neither; read here: exports of 2024 to 2026. ``users.json`` holds
nothing that was said and is never opened. The files are read as streams, a message at a time.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

from wwt_vault.capture import jsonl
from wwt_vault.capture.exports import (
    Left,
    Said,
    branches,
    digest_id,
    entries,
    file_note,
    moment,
    off_branch,
    one_line,
    spoken,
)
from wwt_vault.capture.hosts import Head
from wwt_vault.capture.json_stream import JsonStream, Unreadable
from wwt_vault.capture.messages import text_field
from wwt_vault.capture.text import stored
from wwt_vault.model.conversation import Checkpoint, Message, Role, Session, Skipped, Source

__all__ = ["read", "wrote"]

HOST = "claude-ai"

_FIELDS = {
    "created_at", "current_leaf_message_uuid", "model", "name", "project", "project_uuid", "title", "updated_at",
    "uuid",
}  # fmt: skip
_PROJECT_FIELDS = {"created_at", "description", "is_starter_project", "name", "prompt_template", "updated_at", "uuid"}
_LISTS = ("conversations", "projects")

_UNSUPPORTED = re.compile(r"(?:\A|\n+)```\nThis block is not supported on your current device yet\.\n```(?=\n|\Z)")
"""What exports of 2024 have in place of what is no text."""
_THINKING = re.compile(r"<antThinking>.*?(?:</antThinking>|\Z)\s*", re.DOTALL)


def wrote(head: Head) -> bool:
    """Tell whether a file that begins so is an export of Claude.ai: conversations, or projects."""
    text = head.data.lstrip(b"\xef\xbb\xbf \t\r\n")
    if text[:1] not in (b"[", b"{"):
        return False
    if re.search(rb'"chat_messages"\s*:\s*\[', text):
        return True
    return b'"prompt_template"' in text and any(name in text for name in (b'"docs"', b'"is_starter_project"'))


def read(
    path: jsonl.File,
    start: Checkpoint | None = None,
    parent_keys: Callable[[str], frozenset[str]] | None = None,  # noqa: ARG001 - a branch begins where it leaves another
) -> Iterator[Message | Skipped | Checkpoint | Source]:
    """Yield what was said, conversation by conversation, or what projects hold.

    A checkpoint's ``line`` is the number of conversations before it. Raises ``OSError``.
    """
    left = Left()
    before = start.line if start is not None else 0
    number = 0
    with jsonl.open_stream(path) as file:
        stream = JsonStream(file)
        try:
            for items in entries(stream, lambda depth: _object(stream, path, left, depth), left):
                number += 1
                if number > before:
                    yield from items
                    yield Checkpoint(offset=stream.offset, line=number, state={})
        except ValueError as error:
            yield Skipped(path=str(path), line=0, reason=f"{error}; conversations read before that: {number:,}")
    yield from left.skipped(path)


def _object(stream: JsonStream, path: jsonl.File, left: Left, depth: int) -> Iterator[Iterator[Message | Source]]:
    fields: dict[str, Any] = {}
    nodes: dict[str, tuple[str | None, Said | None]] = {}
    documents: list[Source] = []
    for name in stream.members():
        if name in _LISTS and stream.kind() == "[":
            yield from entries(stream, lambda deeper: _object(stream, path, left, deeper), left, depth + 1)
        elif name == "chat_messages" and stream.kind() == "[":
            fields["chat_messages"] = True
            for number in stream.elements():
                message = stream.value()
                if isinstance(message, dict):
                    node = text_field(message, "uuid") or f"M{number}"
                    node = f"{node}:{number}" if node in nodes else node
                    nodes[node] = text_field(message, "parent_message_uuid"), _said(node, message, left)
                else:
                    left.add("a message that cannot be read" + (f": {message.reason}" if _is_odd(message) else ""))
        elif name == "chat_messages":
            fields["chat_messages"] = True  # none, or nothing that could be read
        elif name == "docs" and stream.kind() == "[":
            fields["docs"] = True
            for _ in stream.elements():
                document = stream.value()
                if isinstance(document, dict):
                    documents += filter(None, [_document(document, fields, path)])
        elif name in _FIELDS or name in _PROJECT_FIELDS:
            fields[name] = stream.value()
    if "chat_messages" in fields:
        yield _messages(fields, nodes, path, left)
    elif ("docs" in fields or "prompt_template" in fields) and not fields.get("is_starter_project"):
        yield iter([*filter(None, [_project(fields, path)]), *documents])


def _is_odd(value: Any) -> bool:
    return isinstance(value, Unreadable)


def _messages(
    fields: dict[str, Any], nodes: dict[str, tuple[str | None, Said | None]], path: jsonl.File, left: Left
) -> Iterator[Message]:
    said = {node: entry for node, (_, entry) in nodes.items() if entry is not None}
    if not said:
        left.add("a conversation without messages")
        return
    times = {node: entry.time for node, entry in said.items()}
    began = moment(fields.get("created_at")) or min((time for time in times.values() if time), default=None)
    began = began or moment(fields.get("updated_at")) or jsonl.file_time(path)
    project = fields.get("project")
    session = Session(
        host=HOST,
        session_id=text_field(fields, "uuid") or digest_id(began, next(iter(nodes))),
        started=began,
        title=one_line(text_field(fields, "name", "title")),
        folder=one_line(
            text_field(project, "name", "uuid") if isinstance(project, dict) else fields.get("project_uuid")
        ),
    )
    model = text_field(fields, "model")
    parents = {node: parent for node, (parent, _) in nodes.items()}
    if not any(parent in parents for parent in parents.values()):
        yield from spoken(session, [_by(entry, model) for entry in said.values()], began)
        return
    for branch in branches(parents, text_field(fields, "current_leaf_message_uuid"), times):
        there = [_by(said[node], model) for node in branch.nodes if node in said]
        if there:
            yield from spoken(off_branch(session, branch.name) if branch.name else session, there, began)


def _by(entry: Said, model: str | None) -> Said:
    return entry._replace(model=entry.model or model) if entry.role == "assistant" else entry


def _said(node: str, message: dict[str, Any], left: Left) -> Said | None:
    """Return what the person or Claude said, or ``None``."""
    sender = text_field(message, "sender", "role")
    if sender not in ("human", "user", "assistant"):
        left.add(f"a message of unknown sender {str(sender)[:60]!r}")
        return None
    role: Role = "assistant" if sender == "assistant" else "user"
    content = message.get("content")
    if isinstance(content, list) and content:
        texts = [text for block in content if isinstance(block, dict) if (text := _text(block, role))]
    else:  # of the time when there was nothing else
        text = text_field(message, "text") or (content if isinstance(content, str) else "")
        texts = [_UNSUPPORTED.sub("", text)]
    if role == "assistant":
        texts = [_THINKING.sub("", text) for text in texts]
    texts = [text.strip() for text in texts if text.strip()]
    words = "\n\n".join([*texts, *_files(message)])
    if not words:
        return None
    time = moment(message.get("created_at")) or moment(message.get("updated_at"))
    return Said(role=role, words=words, time=time, key=node, model=text_field(message, "model"))


def _text(block: dict[str, Any], role: Role) -> str | None:
    """Return the text of a part of a message: reasoning, calls of tools and what they gave are none."""
    if block.get("type") == "text" or (block.get("type") == "voice_note" and role == "user"):
        return text_field(block, "text")
    return None


def _files(message: Mapping[str, Any]) -> Iterator[str]:
    """Yield the text that was taken out of attachments (a long paste is one), and a line for every other file."""
    told = set()
    for attachment in _dicts(message, "attachments"):
        name, text = text_field(attachment, "file_name"), text_field(attachment, "extracted_content")
        told.add(name)
        if text and text.strip():
            yield f"{file_note('attachment', name)}\n{text}"
        elif name:
            yield file_note("file", name, attachment.get("file_size"))
    for file in [*_dicts(message, "files"), *_dicts(message, "files_v2")]:
        name = text_field(file, "file_name") or text_field(file, "file_uuid")
        if name and name not in told:
            told.add(name)
            kind = text_field(file, "file_kind") or ""
            image = kind == "image" or re.search(r"\.(?:png|jpe?g|gif|webp|heic|bmp)\Z", name, re.IGNORECASE)
            yield file_note("image" if image else "file", text_field(file, "file_name"), file.get("size_bytes"))


def _dicts(record: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    value = record.get(name)
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []


def _project(fields: dict[str, Any], path: jsonl.File) -> Source | None:
    """Return the description and instructions of a project, or ``None`` when it has neither."""
    description, prompt = text_field(fields, "description"), text_field(fields, "prompt_template")
    parts = [description, f"## Instructions\n\n{prompt}" if prompt else None]
    title = one_line(fields.get("name")) or "Project"
    return _source(fields, title, "\n\n".join(filter(None, parts)), f"Claude.ai project {title}", path)


def _document(document: dict[str, Any], project: dict[str, Any], path: jsonl.File) -> Source | None:
    title, name = one_line(project.get("name")) or "Project", one_line(document.get("filename")) or "document"
    text = text_field(document, "content") or ""
    if PurePosixPath(name).suffix.lower() not in ("", ".md", ".markdown", ".txt"):
        fence = "`" * max(3, *(len(run) + 1 for run in re.findall("`+", text)), 3)
        text = f"{fence}\n{text}\n{fence}" if text.strip() else ""
    stem = re.sub(r"\.(?:md|markdown)\Z", "", name, flags=re.IGNORECASE) or name
    return _source(document, f"{title} - {stem}", text, f"document {name} of Claude.ai project {title}", path)


def _source(record: dict[str, Any], title: str, text: str, origin: str, path: jsonl.File) -> Source | None:
    text, _ = stored(text)
    if not text:
        return None
    time = moment(record.get("updated_at")) or moment(record.get("created_at")) or jsonl.file_time(path)
    key = text_field(record, "uuid", "id") or digest_id(title, origin)
    return Source(host=HOST, key=key, title=title, text=text, origin=origin, time=time)
