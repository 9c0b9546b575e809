"""What can go wrong, named for the fact, with the data a face needs to say what to do next.

    WwtError
    ├── BadArgument            a value that no vault could satisfy (exit 2)
    ├── VaultError             the vault as a whole cannot be used
    │   ├── VaultMissing
    │   ├── VaultReadOnly
    │   └── FormatTooNew
    ├── NotFound               a note, event, section or file that is not there
    │   └── Forgotten          an event that was forgotten on purpose
    ├── Ambiguous              a name that fits several
    ├── LockTimeout            another process holds the lock too long
    ├── EventConflict          an event file with this id and other bytes exists
    ├── DamagedEvent           an event file that does not hold an event
    ├── TranscriptError        a transcript that no reader understands
    ├── BadArchive             a backup that is not what its manifest says
    ├── IndexUnavailable       the index cannot be written; search goes on with what there is, if anything
    ├── ModelUnavailable       the embedding model that was asked for cannot be used
    ├── SyncFailed             git could not do what sync asked of it
    │   └── Unreachable        the other side does not answer now: no error, sync goes on later
    └── Refused                nothing was written, on purpose (exit 3)
        ├── StaleRevision
        ├── NoteExists
        ├── SimilarNotes
        ├── BadEvidence        no_evidence, unknown_event, forgotten_event, unknown_source, uncited_fact
        ├── Locked
        ├── HumanConflict
        ├── BadName
        ├── PathEscapes
        ├── SyncRefused        the repository, or what the other side sent, is in no state to be synced
        └── UnparsableSettings

Every error has a ``code`` (stable, for programs), a message (for people) and ``data`` (what it is about).
"""

from __future__ import annotations

from typing import Any, ClassVar

__all__ = [
    "Ambiguous",
    "BadArchive",
    "BadArgument",
    "BadEvidence",
    "BadName",
    "DamagedEvent",
    "EventConflict",
    "Forgotten",
    "FormatTooNew",
    "HumanConflict",
    "IndexUnavailable",
    "LockTimeout",
    "Locked",
    "ModelUnavailable",
    "NotFound",
    "NoteExists",
    "PathEscapes",
    "Refused",
    "SimilarNotes",
    "StaleRevision",
    "SyncFailed",
    "SyncRefused",
    "TranscriptError",
    "UnparsableSettings",
    "Unreachable",
    "VaultError",
    "VaultMissing",
    "VaultReadOnly",
    "WwtError",
]


class WwtError(Exception):
    """Anything this program raises on purpose. ``str()`` is one sentence and what to do next."""

    code: ClassVar[str] = "error"
    exit_code: ClassVar[int] = 1

    def __init__(self, message: str, **data: Any) -> None:  # any JSON value: a face prints it
        super().__init__(message)
        self.data = data

    def as_json(self) -> dict[str, Any]:
        """Return ``{code, message, …data}``, what both faces show for a failure."""
        return {"code": self.code, "message": str(self), **self.data}


class BadArgument(WwtError):
    """A value out of its range or of the wrong form."""

    code = "bad_argument"
    exit_code = 2


class VaultError(WwtError):
    """The vault as a whole cannot be used."""

    code = "vault_error"


class VaultMissing(VaultError):
    """No vault is named, or the named folder holds none."""

    code = "vault_missing"


class VaultReadOnly(VaultError):
    """The vault can be read and not written."""

    code = "vault_read_only"


class FormatTooNew(VaultError):
    """The vault was written by a newer version, so this one must not write in it."""

    code = "format_too_new"


class NotFound(WwtError):
    """A note, event, section or file that is not there."""

    code = "not_found"


class Forgotten(NotFound):
    """An event that was forgotten on purpose; ``data`` has ``event, at, reason`` and whose it was, never its words."""

    code = "forgotten"


class Ambiguous(WwtError):
    """A name that fits several things; ``data['candidates']`` lists them."""

    code = "ambiguous"


class LockTimeout(WwtError):
    """Another process held the lock for longer than this one was willing to wait."""

    code = "lock_timeout"


class EventConflict(WwtError):
    """An event file of this id holds other bytes; nothing was overwritten."""

    code = "event_conflict"


class DamagedEvent(WwtError):
    """A file that should hold an event and does not; ``data`` has ``path`` and ``issues``, everything that is wrong."""

    code = "damaged_event"


class TranscriptError(WwtError):
    """A file that no transcript reader understands; ``data`` has ``path`` and, where known, ``line``."""

    code = "bad_transcript"


class BadArchive(WwtError):
    """A backup that is damaged, or is none: nothing was restored from it."""

    code = "bad_archive"


class IndexUnavailable(WwtError):
    """The index cannot be written; what was indexed before is still searched."""

    code = "index_unavailable"


class ModelUnavailable(WwtError):
    """The embedding model that was asked for cannot be used; search goes on by words."""

    code = "model_unavailable"


class SyncFailed(WwtError):
    """Git could not do what sync asked of it; ``data['reason']`` says in a word why. Nothing was lost."""

    code = "sync_failed"


class Unreachable(SyncFailed):
    """The other side does not answer: no network, no such disk. What is to be sent waits for the next sync."""

    code = "unreachable"


class Refused(WwtError):
    """Nothing was written, on purpose; the message says what would be accepted."""

    code = "refused"
    exit_code = 3


class StaleRevision(Refused):
    """The note has changed since the revision that the writer read."""

    code = "stale_revision"


class NoteExists(Refused):
    """A save without a revision means "must not exist yet", and it does."""

    code = "note_exists"


class SimilarNotes(Refused):
    """A new note is close to others, or a change contradicts some, in ``data['similar']``: its writer answers first."""

    code = "similar_notes"


class BadEvidence(Refused):
    """Claims without evidence. ``code`` is ``no_evidence``, ``unknown_event``, ``forgotten_event``, … (see above)."""

    def __init__(self, code: str, message: str, **data: Any) -> None:  # any JSON value
        super().__init__(message, **data)
        self.reason = code

    def as_json(self) -> dict[str, Any]:
        """Return the error with the precise reason as its code."""
        return {**super().as_json(), "code": self.reason}


class Locked(Refused):
    """The note says ``locked: true``: only a person changes it."""

    code = "locked"


class HumanConflict(Refused):
    """A person's edit and the proposed text change the same lines."""

    code = "human_conflict"


class BadName(Refused):
    """A title that Obsidian, a file system or a link cannot hold."""

    code = "bad_name"


class PathEscapes(Refused):
    """A path that leads out of the vault, or into a folder that is not for notes."""

    code = "path_escapes"


class SyncRefused(Refused):
    """Repository or remote are in no state to be synced; ``data['reason']`` says in a word why."""

    code = "sync_refused"


class UnparsableSettings(Refused):
    """A settings file of the person's that does not parse; it was left as it is."""

    code = "unparsable_settings"
