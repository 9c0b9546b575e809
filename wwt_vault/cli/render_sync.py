"""Results of sync as a person reads them in a terminal: dict in, text out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wwt_vault.wording import carried, counted, minute

__all__ = [
    "backup",
    "conflicts",
    "export",
    "last",
    "machines",
    "merged_file",
    "restore",
    "settled",
    "sync",
    "sync_init",
]

Json = Mapping[str, Any]

_SHOWN = 20
"""Lines of one kind that are shown."""


def sync_init(found: Json) -> str:
    """Where it lies, and what the first sync did."""
    made = "is under git now" if found["created"] else "was under git already"
    hint = [] if found["remote"] else ["No remote yet: `wwt sync init REMOTE` names one."]
    return "\n".join([f"{found['vault']} {made}.", *hint, sync(found)])


def sync(found: Json) -> str:
    """What was sent, what came, and what a person has to look at."""
    lines = [f"Sent {carried(found['sent'])}." if any(found["sent"].values()) else "Nothing to send."]
    if found["remote"]:
        lines += [f"Received from {machine}: {carried(counts)}." for machine, counts in found["received"].items()] or [
            "Nothing new elsewhere."
        ]
    if found["offline"]:
        lines[1:] = [f"Not sent yet: {found['offline']}"]
    elif not found["remote"]:
        lines[0] = lines[0].replace("Sent", "Committed").replace("send", "commit")
    lines += _few([f"conflict: {entry['path']}: the other side is in {entry['copy']}" for entry in found["conflicts"]])
    lines += _few([f"withheld: {entry['message']}" for entry in found["withheld"]])
    lines += _few([f"note: {note}" for note in found["notes"]])
    return "\n".join(lines)


def last(found: Json | None) -> str:
    """The last sync in one line."""
    if not found:
        return "never: `wwt sync init`"
    parts = [minute(found.get("at")) or "never"]
    parts += [f"sent {carried(found['sent'])}"] if any(found.get("sent", {}).values()) else []
    parts += [f"{name} brought {carried(counts)}" for name, counts in found.get("received", {}).items()]
    parts += ["offline"] if found.get("offline") else []
    parts += [f"failed {minute(found['failed']['at'])}"] if found.get("failed") else []
    return " · ".join(parts)


def merged_file(found: Json) -> str:
    """What became of one file."""
    return f"{found['path']}: merged" + (f"; the other side is in {found['copy']}" if found["copy"] else "")


def backup(found: Json) -> str:
    """What is in the archive."""
    return f"Wrote {_held(found)}, to {found['file']}."


def restore(found: Json) -> str:
    """What came out of it, and whether it holds."""
    lines = [f"Restored {_held(found)}, to {found['vault']}."]
    lines += _few([f"{problem['path']}: {problem['code']}: {problem['message']}" for problem in found["problems"]])
    return "\n".join(lines if found["problems"] else [*lines, "All of it holds."])


def _held(found: Json) -> str:
    events, markdown = counted(found["events"], "event"), counted(found["notes"], "Markdown file")
    return f"{counted(found['files'], 'file')}, among them {events} and {markdown}"


def export(found: Json) -> str:
    """What was written."""
    messages, sessions, files = (counted(found[f"{noun}s"], noun) for noun in ("message", "session", "file"))
    text = f"Wrote {messages} in {sessions}, {counted(found['notes'], 'curated note')}, {files}, to {found['folder']}."
    return "\n".join([text, *_few([f"not read: {problem}" for problem in found["problems"]])])


def conflicts(found: Json) -> str:
    """Copies, each with the lines in which it differs."""
    lines: list[str] = []
    for entry in found["conflicts"]:
        hint = "says the same" if entry["same"] else "can be merged" if entry["mergeable"] else "a choice is needed"
        lines.append(f"{entry['path']}: {hint}")
        lines += _few([f"  only in the copy: {line}" for line in entry["only_copy"]])
        lines += _few([f"  only in the note: {line}" for line in entry["only_original"]])
    if not lines:
        return "No copies wait."
    return "\n".join([*lines, "`wwt conflicts merge [COPY]` merges, `wwt conflicts keep PATH` chooses one."])


def settled(found: Json) -> str:
    """What was brought together, and what is left."""
    lines = [f"{path} is one again." for path in found["settled"]] or ["Nothing was merged."]
    return "\n".join([*lines, *(f"left: {path}" for path in found["left"])])


def machines(found: Json | None) -> list[str]:
    """What each other machine has brought in all, a line each."""
    listed = (found or {}).get("machines") or {}
    return [f"{'':9}{name}: {carried(counts)} in all, last {minute(counts['last'])}" for name, counts in listed.items()]


def _few(lines: list[str]) -> list[str]:
    more = len(lines) - _SHOWN
    return [*lines[:_SHOWN], f"… and {more} more"] if more > 0 else lines
