"""Results of sync as a person reads them in a terminal: dict in, text out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

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
    lines = [f"Sent {_counted(found['sent'])}." if _counted(found["sent"]) else "Nothing to send."]
    if found["remote"]:
        lines += [
            f"Received from {machine}: {_counted(counts) or 'history of notes'}."
            for machine, counts in found["received"].items()
        ] or ["Nothing new elsewhere."]
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
    parts = [str(found.get("at") or "never")[:16].replace("T", " ")]
    parts += [f"sent {_counted(found['sent'])}"] if found.get("sent") and _counted(found["sent"]) else []
    parts += [
        f"{name} brought {_counted(counts) or 'history of notes'}" for name, counts in found.get("received", {}).items()
    ]
    parts += ["offline"] if found.get("offline") else []
    parts += [f"failed {found['failed']['at'][:16].replace('T', ' ')}"] if found.get("failed") else []
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
    return f"{found['files']} files, {found['events']} events and {found['notes']} notes"


def export(found: Json) -> str:
    """What was written."""
    text = "Wrote {messages} messages in {sessions} sessions, {notes} curated notes, {files} files, to {folder}."
    return "\n".join([text.format(**found), *_few([f"not read: {problem}" for problem in found["problems"]])])


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
    return [
        f"{'':9}{name}: {_counted(counts) or 'history of notes'} in all, last {counts['last'][:16].replace('T', ' ')}"
        for name, counts in listed.items()
    ]


def _counted(counts: Json) -> str:
    names = {"messages": "message", "sessions": "session", "notes": "note", "others": "other file"}
    parts = [f"{counts[key]} {name}{'s' if counts[key] != 1 else ''}" for key, name in names.items() if counts.get(key)]
    return ", ".join(parts)


def _few(lines: list[str]) -> list[str]:
    more = len(lines) - _SHOWN
    return [*lines[:_SHOWN], f"… and {more} more"] if more > 0 else lines
