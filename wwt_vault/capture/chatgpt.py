"""ChatGPT: what its data export means.

An export is ``conversations.json``, or parts of it (``conversations-000.json`` …): a list of conversations, each a tree
of nodes under ``mapping``. OpenAI documents none of it; read here: exports of 2023 to 2026, and single conversations
that other tools saved in the same form. The file is read as a stream, a node at a time.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

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
from wwt_vault.model.conversation import Checkpoint, Message, Role, Session, Skipped

__all__ = ["read", "without_citations", "wrote"]

HOST = "chatgpt"

_FIELDS = {
    "conversation_id", "conversation_template_id", "create_time", "current_node", "default_model_slug", "folder",
    "gizmo_id", "id", "model_slug", "project", "title", "update_time",
}  # fmt: skip
_LISTS = ("conversations", "items")
"""Under which name some exports have the list of conversations in an object."""

_NOT_SAID = {
    "app_pairing_content", "citable_code_output", "computer_output", "execution_output", "model_editable_context",
    "reasoning_recap", "sonic_webpage", "super_widget", "system_error", "tether_browsing_display", "tether_quote",
    "thoughts", "user_editable_context",
}  # fmt: skip
"""Types of content that are reasoning, memory, instructions, or what a tool gave."""

_MEDIA = {
    "image_asset_pointer": "image",
    "audio_asset_pointer": "audio",
    "real_time_user_audio_video_asset_pointer": "audio",
    "video_asset_pointer": "video",
    "video_container_asset_pointer": "video",
}


def wrote(head: Head) -> bool:
    """Tell whether a file that begins so is an export of ChatGPT."""
    text = head.data.lstrip(b"\xef\xbb\xbf \t\r\n")
    if text[:1] not in (b"[", b"{"):
        return False
    has_nodes = re.search(rb'"mapping"\s*:\s*\{', text) is not None
    return has_nodes and any(re.search(rb'"%s"\s*:' % name, text) for name in (b"current_node", b"parent", b"author"))


def read(
    path: jsonl.File,
    start: Checkpoint | None = None,
    parent_keys: Callable[[str], frozenset[str]] | None = None,  # noqa: ARG001 - a branch begins where it leaves another
) -> Iterator[Message | Skipped | Checkpoint]:
    """Yield what was said, conversation by conversation, each with its shown branch first.

    A checkpoint's ``line`` is the number of conversations before it. Raises ``OSError``.
    """
    left = Left()
    before = start.line if start is not None else 0
    number = 0
    with jsonl.open_stream(path) as file:
        stream = JsonStream(file)
        try:
            for conversation in entries(stream, lambda depth: _object(stream, left, depth), left):
                number += 1
                if number > before:
                    yield from _messages(conversation, path, left)
                    yield Checkpoint(offset=stream.offset, line=number, state={})
        except ValueError as error:
            yield Skipped(path=str(path), line=0, reason=f"{error}; conversations read before that: {number:,}")
    yield from left.skipped(path)


class _Node(NamedTuple):
    parent: str | None
    said: Said | None
    gizmo: str | None
    """The custom GPT in use."""


class _Conversation(NamedTuple):
    fields: dict[str, Any]
    nodes: dict[str, _Node]


def _object(stream: JsonStream, left: Left, depth: int) -> Iterator[_Conversation]:
    conversation = _Conversation({}, {})
    children: dict[str, str] = {}
    for name in stream.members():
        if name in _LISTS and stream.kind() == "[":
            yield from entries(stream, lambda deeper: _object(stream, left, deeper), left, depth + 1)
        elif name == "mapping" and stream.kind() == "{":
            for node_id in stream.members():
                node = stream.value()
                if isinstance(node, dict):
                    conversation.nodes[node_id] = _node(node_id, node, left)
                    children |= {child: node_id for child in _list(node, "children") if isinstance(child, str)}
                elif isinstance(node, Unreadable):
                    left.add(f"a message that cannot be read: {node.reason}")
        elif name in _FIELDS:
            conversation.fields[name] = stream.value()
    for node_id, node in conversation.nodes.items():
        if node.parent is None and node_id in children:
            conversation.nodes[node_id] = node._replace(parent=children[node_id])
    if conversation.nodes or {"conversation_id", "title", "create_time"} & conversation.fields.keys():
        yield conversation


def _node(node_id: str, node: Mapping[str, Any], left: Left) -> _Node:
    message = node.get("message")
    if not isinstance(message, dict):
        return _Node(text_field(node, "parent"), None, None)
    gizmo = text_field(_dict(message, "metadata"), "gizmo_id")
    return _Node(text_field(node, "parent"), _said(node_id, message, left), gizmo)


def _messages(conversation: _Conversation, path: jsonl.File, left: Left) -> Iterator[Message]:
    fields, nodes = conversation
    said = {node_id: node.said for node_id, node in nodes.items() if node.said is not None}
    if not said:
        left.add("a conversation without messages")
        return
    times = {node_id: entry.time for node_id, entry in said.items()}
    began = moment(fields.get("create_time")) or min((time for time in times.values() if time), default=None)
    began = began or moment(fields.get("update_time")) or jsonl.file_time(path)
    default = text_field(fields, "default_model_slug", "model_slug")
    session = Session(
        host=HOST,
        session_id=text_field(fields, "conversation_id", "id") or digest_id(began, next(iter(nodes))),
        started=began,
        title=one_line(fields.get("title")),
        **_places(conversation),
    )
    current = text_field(fields, "current_node")
    for branch in branches({node_id: node.parent for node_id, node in nodes.items()}, current, times):
        there = [said[node_id] for node_id in branch.nodes if node_id in said]
        if default not in (None, "auto"):
            there = [e if e.model or e.role == "user" else e._replace(model=default) for e in there]
        if there:
            yield from spoken(off_branch(session, branch.name) if branch.name else session, there, began)


def _places(conversation: _Conversation) -> dict[str, str | None]:
    """Return the folder (a project) and the custom GPT: an export names both by ids, and projects by ``g-p-…``."""
    fields = conversation.fields
    names = [text_field(fields, "gizmo_id"), text_field(fields, "conversation_template_id")]
    names += [node.gizmo for node in conversation.nodes.values()]
    folders = [name for name in names if name and name.startswith("g-p-")]
    assistants = [name for name in names if name and not name.startswith("g-p-")]
    named = [_name(fields.get("project")), _name(fields.get("folder"))]
    return {
        "folder": next(filter(None, [*named, *folders]), None),
        "assistant": next(iter(assistants), None),
    }


def _name(value: Any) -> str | None:
    return one_line(text_field(value, "name", "title", "id")) if isinstance(value, dict) else one_line(value)


def _said(node_id: str, message: dict[str, Any], left: Left) -> Said | None:
    """Return what a person saw of a message, or ``None``."""
    metadata, author = _dict(message, "metadata"), _dict(message, "author")
    role = text_field(author, "role")
    hidden = metadata.get("is_visually_hidden_from_conversation") or metadata.get("is_user_system_message")
    if role not in ("user", "assistant", "tool") or hidden or message.get("weight") == 0:
        return None
    if message.get("recipient") not in (None, "", "all") or message.get("channel") == "analysis":
        return None  # a call of a tool; reasoning
    content = message.get("content")
    content = {"parts": [content]} if isinstance(content, str) else content if isinstance(content, dict) else {}
    kind = text_field(content, "content_type") or "text"
    if kind in _NOT_SAID:
        return None
    if role == "tool":
        words = "\n\n".join(_notes(content, metadata, pictures_only=True))
    elif kind == "code":
        if role == "assistant" and message.get("end_turn") is not True:
            return None  # a call of a tool, of the time before these had recipients
        words = f"```{text_field(content, 'language') or ''}\n{text_field(content, 'text') or ''}\n```"
    else:
        words = "\n\n".join(_notes(content, metadata))
        if not words and kind not in ("text", "multimodal_text"):
            left.add(f"a message of unknown type {kind[:60]!r} without text")
    said: Role = "user" if role == "user" else "assistant"
    if said == "assistant":
        words = without_citations(words)
    if not words.strip():
        return None
    time = moment(message.get("create_time")) or moment(message.get("update_time"))
    model = text_field(metadata, "model_slug") if said == "assistant" else None
    return Said(role=said, words=words, time=time, key=text_field(message, "id") or node_id, model=model)


def _notes(content: Mapping[str, Any], metadata: Mapping[str, Any], *, pictures_only: bool = False) -> list[str]:
    """Return the texts of a content, and a line for each file."""
    attachments = [file for file in _list(metadata, "attachments") if isinstance(file, dict)]
    names = {str(file.get("id")): file.get("name") for file in attachments}
    parts = content.get("parts")
    parts = parts if isinstance(parts, list) else [content.get("text")]
    transcribed = any(isinstance(part, dict) and part.get("content_type") == "audio_transcription" for part in parts)
    found: list[str] = []
    pointed = set()
    for part in parts:
        if isinstance(part, str) and part.strip() and not pictures_only:
            found.append(part)
        elif isinstance(part, dict):
            kind = _MEDIA.get(text_field(part, "content_type") or "")
            pointer = (text_field(part, "asset_pointer") or "").rpartition("//")[2]
            if kind == "image" or (kind and not transcribed and not pictures_only):
                pointed.add(pointer)
                found.append(file_note(kind, names.get(pointer), part.get("size_bytes")))
            elif not kind and not pictures_only and (text := text_field(part, "text")):
                found.append(text)
    if not pictures_only:
        files = [file for file in attachments if str(file.get("id")) not in pointed]
        pictured = any(note.startswith("[image") for note in found)
        for file in files:
            kind = str(file.get("mime_type")).partition("/")[0]
            kind = kind if kind in ("image", "audio", "video") else "file"
            if not (kind == "image" and pictured):  # it is there already, under another id
                found.append(file_note(kind, file.get("name"), file.get("size")))
    return found


def without_citations(text: str) -> str:
    """Return an answer without the marks that ChatGPT's pages turn into links to sources, also broken ones.

    A mark that stands for words of its own (a named thing, a link's title) leaves these.

    >>> without_citations("Use 16.【3†source】 It is faster. \\ue200cite\\ue202turn0search1\\ue201")
    'Use 16. It is faster.'
    """
    if "\ue200" in text:
        text = re.sub("([ \t]*)\ue200([^\ue200\ue201]*)\ue201", _words_of_mark, text)
        text = re.sub("[ \t]*\ue200[\\w-]*(?:\ue202[^\\s\ue200-\ue206]*)*", "", text)
    text = re.sub("[\ue200-\ue20f]", "", text)
    if "†" in text:
        text = re.sub(r"【[^【】\n]{0,400}†[^【】\n]{0,400}】|【\d[\d:]*†[^\s【】]*", "", text)
    return re.sub(r':chatgpt-content-reference\{index="\d+"\}', "", text)


def _words_of_mark(found: re.Match[str]) -> str:
    kind, *parts = found[2].split("\ue202")
    if kind == "entity" and parts:
        try:
            names = json.loads(parts[0])
            return f"{found[1]}{names[1]}" if isinstance(names, list) else found[1] + parts[0]
        except (ValueError, IndexError, RecursionError):
            return found[1] + (parts[0] if not parts[0].startswith("[") else "")
    if kind == "url" and parts:
        link = next((part for part in parts[1:] if part.startswith(("http://", "https://"))), None)
        return f"{found[1]}[{parts[0]}]({link})" if link else found[1] + parts[0]
    return ""


def _dict(record: Mapping[str, Any], name: str) -> dict[str, Any]:
    value = record.get(name)
    return value if isinstance(value, dict) else {}


def _list(record: Mapping[str, Any], name: str) -> list[Any]:
    value = record.get(name)
    return value if isinstance(value, list) else []
