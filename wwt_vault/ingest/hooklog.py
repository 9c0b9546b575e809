"""What a hook could not do, a line each, in the user's state folder: for whoever looks at it later.

A hook never makes the agent fail and has nobody to tell. The queue tells of words that wait; what this log tells beside
it is which words may be lost: a payload that nobody understood, a message that even the queue could not take.
"""

from __future__ import annotations

import os
from datetime import datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from wwt_vault.capture.redact import without_secrets
from wwt_vault.config import user_folders
from wwt_vault.model.conversation import format_time, parse_time

__all__ = ["LOST", "WAITS", "Lost", "log_path", "note", "recent"]

LOST, WAITS = "not recorded", "waits"
"""What became of the call; the second: its message is in the queue, or there was none."""

_LARGEST = 1 << 20
_READ = 64 << 10
_RECENT = timedelta(days=7)


class Lost(NamedTuple):
    """The calls of the last week whose message was not recorded and does not wait either."""

    calls: int
    last: datetime | None
    reasons: tuple[str, ...]
    """Each once, the newest first: host and what went wrong."""

    def sentence(self) -> str:
        """Say it to a person; empty when there is nothing to say."""
        if self.last is None:
            return ""
        calls = "1 hook call" if self.calls == 1 else f"{self.calls} hook calls"
        return (
            f"{calls} of the last {_RECENT.days} days could not be recorded, the last at {format_time(self.last)[:16]}Z"
            f" ({'; '.join(self.reasons[:3])}). They are lost unless the host's transcript has them: `wwt doctor`."
        )


def log_path() -> Path:
    """Return where the log lies."""
    return user_folders().state / "hook.log"


def note(now: datetime, about: str, outcome: str, reason: str) -> None:
    """Append a line; ``about`` is the host, and the event where it is known. Raises ``OSError``."""
    path = log_path()
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if path.exists() and path.stat().st_size > _LARGEST:
        path.replace(path.with_suffix(".log.1"))
    said = without_secrets(f"{about}: {' '.join(reason.split())}")  # a reason may name a folder or a file of anybody's
    line = f"{format_time(now)} {outcome}: {said}\n"
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "ab") as file:
        file.write(line.encode("utf-8", "replace"))


def recent(now: datetime) -> Lost:
    """Return what was lost in the week before ``now``, as far as the end of the log tells."""
    try:
        with log_path().open("rb") as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - _READ))
            lines = file.read().decode("utf-8", "replace").splitlines()
    except OSError:
        return Lost(0, None, ())
    found: list[tuple[datetime, str]] = []
    for line in lines:
        stamp, _, rest = line.partition(" ")
        reason = rest.removeprefix(f"{LOST}: ")
        try:
            time = parse_time(stamp)
        except ValueError:
            continue
        if reason != rest and now - time < _RECENT:
            found.append((time, reason))
    last = max((time for time, _ in found), default=None)
    return Lost(len(found), last, tuple(dict.fromkeys(reason for _, reason in reversed(found))))
