"""Lock files of git's whose owner died: removed when that is sure, and never under a git that lives.

Git marks what it is writing by a file ``….lock``; one that is killed leaves it lying, and every later git fails. A lock
is stale when it is old and no git of this machine works in the repository. Where that cannot be found out (only Linux
shows every process), it is left alone and the person is told.
"""

from __future__ import annotations

import os
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

__all__ = ["STALE_SECONDS", "remove_if_stale"]

STALE_SECONDS: Final = 600.0
"""Age from which a lock may be stale: programs with git built in hold one for moments only."""


def remove_if_stale(lock: Path, root: Path, now: float | None = None) -> bool:
    """Remove a lock of a git that is sure to be dead; return whether it is gone. ``root`` is the repository's."""
    try:
        age = (time.time() if now is None else now) - lock.lstat().st_mtime
    except FileNotFoundError:
        return True
    except OSError:
        return False
    if age < STALE_SECONDS or _git_may_live(root):
        return False
    with suppress(OSError):
        lock.unlink()
        return True
    return False


def _git_may_live(root: Path, processes: Path = Path("/proc")) -> bool:
    """Return whether a git works in ``root``, or whether that cannot be known."""
    try:
        ids = [name for name in os.listdir(processes) if name.isdigit()]  # noqa: PTH208 - names are wanted
    except OSError:
        return True
    if not ids:
        return True
    top = os.path.realpath(root)
    for number in ids:
        try:
            name = (processes / number / "comm").read_text("utf-8", "replace")
            if not name.startswith("git"):
                continue
            place = os.readlink(processes / number / "cwd")  # noqa: PTH115 - a text
        except (FileNotFoundError, ProcessLookupError):
            continue  # it has ended
        except OSError:
            return True
        if place == top or place.startswith(f"{top}/"):
            return True
    return False
