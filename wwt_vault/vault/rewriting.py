"""Changes that are no save: a link that follows a note, a footnote that says what its source says now.

They are kept and recorded like a save, but for one thing: where a person has edited the note since the last save,
nothing is recorded, so that their lines stay theirs for the merge to come.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from wwt_vault import markdown
from wwt_vault.vault import files, layout, revisions

if TYPE_CHECKING:
    from datetime import datetime

    from wwt_vault.model.conversation import Revision
    from wwt_vault.vault import Vault
    from wwt_vault.vault.ondisk import OnDisk

__all__ = ["Why", "is_as_written", "may_change", "record", "rewrite"]


class Why(NamedTuple):
    """What is written down of a change."""

    written_by: str
    at: datetime
    reason: str


def may_change(there: OnDisk) -> bool:
    """Return whether a file is changed without anybody having read it: no locked or broken one, no session note."""
    session = there.path.startswith(f"{layout.CONVERSATIONS}/")
    sound = there.parts.join().encode() == there.data
    conflict = markdown.conflict_line(markdown.parse(there.parts.body)) is not None
    return sound and not session and not conflict and not markdown.flag(there.properties.values, "locked")


def rewrite(vault: Vault, there: OnDisk, data: bytes, why: Why) -> None:
    """Put ``data`` in the place of a file that was read. Raises ``StaleRevision``, ``VaultError``."""
    # A record after a person's edit would be taken for what this program wrote: their lines would no longer be theirs.
    untouched = there.id is not None and revisions.written_last(vault, there.id) in (None, there.revision)

    def keep(kept: bytes) -> None:
        if there.id:
            revisions.keep(vault, there.id, kept)

    keep(data)
    written = files.replace(there.file, data, there.revision, keep)
    if untouched:
        record(vault, there, written, why)


def is_as_written(vault: Vault, there: OnDisk) -> bool:
    """Return whether the note is as this program wrote it last."""
    return there.id is not None and revisions.written_last(vault, there.id) == there.revision


def record(vault: Vault, there: OnDisk, revision: Revision, why: Why) -> None:
    """Record that ``revision`` follows the one that was read."""
    if there.id:
        saved: dict[str, Any] = {"revision": revision, "base": there.revision, "path": there.path}
        revisions.record(vault, there.id, time=why.at, written_by=why.written_by, reason=why.reason, **saved)
