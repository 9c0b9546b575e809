"""Notes as a person reads them in a terminal: dict in, text out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wwt_vault.wording import minute

__all__ = ["history", "moved", "note", "note_list", "related", "saved", "source"]

Json = Mapping[str, Any]


def note(found: Json) -> str:
    """A note, its revision above it."""
    text = f"{found['path']}\nid {found['id'] or 'none'} · revision {found['revision']}\n\n{found['text']}"
    if found.get("newer"):
        text = f"{text.rstrip()}\n\nNewer on this subject and not cited: {' '.join(found['newer'])}"
    return text


def saved(found: Json) -> str:
    """Where a note lies now, its revision, and how it differs from what was given."""
    lines = [f"{found['path']}  revision {found['revision'][:12]}"]
    lines += [f"kept, a person's: {line}" for line in found.get("kept", ())]
    lines += [f"left out, a person had taken it out: {line}" for line in found.get("left_out", ())]
    lines += [f"also changed: {path}" for path in found["also_changed"]]
    lines += [f"wanted: {what}" for what in found.get("wanted", ())]
    return "\n".join(lines)


def source(found: Json) -> str:
    """Where a source lies, how far it was checked, and how to cite it."""
    lines = [f"{found['path']}  revision {found['revision'][:12]}  {found['verification']}"]
    if not found["created"] and not found["also_changed"] and "verified_by" not in found:
        lines.append("It was there already." if found["redactions"] == [] else "")
    lines += [f"shown by: {path}" for path in found["also_changed"]]
    return "\n".join([*filter(None, lines), f"cite as {found['citation']}, beside an event"])


def moved(found: Json) -> str:
    """Where a note went, and which links followed."""
    if found["path"] == found["was"]:
        return f"{found['path']} lies there already."
    lines = [f"{found['was']} is {found['path']} now."]
    lines += [f"link changed: {path}" for path in found["links"] if path != found["path"]]
    lines += [f"link left as it was: {path}" for path in found["left"]]
    return "\n".join(lines)


def related(found: Json) -> str:
    """Notes that relations lead to, the nearest first."""
    lines = []
    for step in found["related"]:
        arrow = "→" if step["direction"] == "out" else "←"
        status = f" ({step['status']})" if step["status"] not in (None, "current") else ""
        via = "" if step["depth"] == 1 else f"  by way of {step['via']}"
        lines.append(f"{'  ' * (step['depth'] - 1)}{arrow} {step['kind']}  {step['path']}{status}{via}")
    return "\n".join(lines) or f"No relation leads to or from {found['path']}."


def note_list(found: Json) -> str:
    """Notes, one a line."""
    lines = [f"{entry['path']}  [{entry['type'] or '-'}, {entry['status'] or '-'}]" for entry in found["notes"]]
    return "\n".join(lines) or "No such notes yet."


def history(found: Json) -> str:
    """Revisions, newest first."""
    return "\n".join(
        f"{entry['revision'][:12]}  {minute(entry['time']):<16}  {entry['written_by'] or 'edited by hand'}"
        f"  {entry['reason'] or ''}".rstrip()
        for entry in found["revisions"]
    )
