"""Which words in what Cursor sends and stores are the person's and the assistant's; the rest is for the model."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

from wwt_vault.capture.messages import image_note, text_field
from wwt_vault.capture.text import canonical

__all__ = ["answered", "asked", "blocks", "folder_in", "time_in", "typed"]

_QUERY = re.compile(r"<user_query>(.*?)(?:</user_query>|\Z)", re.DOTALL)

_INJECTED = (
    "additional_data", "agent_requestable_workspace_rules", "agent_skills", "agent_transcripts",
    "always_applied_workspace_rule", "always_applied_workspace_rules", "attached_files", "available_skills",
    "cursor_commands", "custom_instructions", "dynamic_tools", "external_links", "git_status", "image_files",
    "manually_attached_skills", "mcp_file_system", "mcp_instructions", "open_and_recently_viewed_files",
    "project_layout", "rules", "system-reminder", "system_reminder", "terminal_files_information", "timestamp",
    "user_info", "user_rules", "workspace_rules",
)  # fmt: skip
"""Tags of the blocks that Cursor puts beside the person's words."""

_BLOCK = re.compile(rf"<({'|'.join(_INJECTED)})(?:\s[^>]*)?>.*?(?:</\1>|\Z)", re.DOTALL)
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")

_REDACTED = re.compile(r"\s*\[REDACTED\]\s*\Z")
"""What stands at the end of an answer for the reasoning behind it."""


def typed(text: str) -> str | None:
    """Return what of ``text`` a person typed: what is marked as their query, else what is no block of Cursor's own."""
    text = canonical(text)
    queries = [canonical(found) for found in _QUERY.findall(text)]
    if queries:
        text = "\n\n".join(filter(None, queries))
    else:
        before = None
        while text != before:
            before = text
            if found := _BLOCK.match(text):
                text = canonical(text[found.end() :])
    return None if not text or re.fullmatch(r"/[\w:.-]+", text) else text


def asked(content: Any) -> str | None:
    """Return what a person typed in the content of a message, with a line for each picture, or ``None``."""
    texts: list[str] = []
    pictures: list[str] = []
    for block in blocks(content):
        kind = block.get("type")
        if kind in ("tool_result", "tool-result"):
            return None
        if kind == "text" and (words := typed(text_field(block, "text") or "")):
            texts.append(words)
        elif kind in ("image", "file", "document"):
            source = block.get("source")
            source = source if isinstance(source, dict) else block
            media_type = text_field(source, "media_type", "mediaType", "mimeType")
            kind = "image" if kind == "image" or (media_type or "").startswith("image") else "document"
            pictures.append(image_note(kind, media_type, source.get("data")))
    return "\n\n".join([*texts, *pictures]) or None


def answered(content: Any) -> str:
    """Return the words of an answer: its texts, without reasoning and calls of tools."""
    texts = (_REDACTED.sub("", text_field(block, "text") or "").strip() for block in blocks(content) if _is_text(block))
    return "\n\n".join(text for text in texts if text and text != "[REDACTED]")


def blocks(content: Any) -> Iterator[dict[str, Any]]:
    """Yield the parts of a message's content, of which plain text is one."""
    if isinstance(content, str):
        yield {"type": "text", "text": content}
    elif isinstance(content, list):
        for part in content:
            if isinstance(part, str):
                yield {"type": "text", "text": part}
            elif isinstance(part, dict):
                yield part


def _is_text(block: dict[str, Any]) -> bool:
    return block.get("type") == "text"


def time_in(text: str) -> datetime | None:
    """Return the time that Cursor tells the model before a prompt, to the minute, or ``None``.

    >>> time_in("<timestamp>Friday, Sep 4, 2026, 2:21 AM (UTC+8)</timestamp>").isoformat()
    '2026-09-03T18:21:00+00:00'
    """
    found = re.search(
        r"<timestamp>\s*\w+,\s*(\w{3})\w*\.?\s+(\d{1,2}),\s*(\d{4}),?\s+(\d{1,2}):(\d\d)\s*([AP]M)"
        r"\s*\((?:UTC|GMT)(?:([+-])(\d{1,2})(?::?(\d\d))?)?\)",
        text,
    )
    if found is None or found[1] not in _MONTHS:
        return None
    hour = int(found[4]) % 12 + (12 if found[6] == "PM" else 0)
    ahead = timedelta(hours=int(found[8] or 0), minutes=int(found[9] or 0)) * (-1 if found[7] == "-" else 1)
    try:
        zone = timezone(ahead)
        local = datetime(int(found[3]), _MONTHS.index(found[1]) + 1, int(found[2]), hour, int(found[5]), tzinfo=zone)
        return local.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def folder_in(text: str) -> str | None:
    """Return the folder that Cursor tells the model it works in, or ``None``."""
    found = re.search(r"<user_info>.*?^\s*Workspace Path: (.+?)\s*$", text[:50_000], re.DOTALL | re.MULTILINE)
    return found[1] if found else None
