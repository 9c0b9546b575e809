"""Every kind of fault that ``wwt doctor`` knows by name, and what mends it. ``docs/doctor.md`` has them all.

Only what is derived is ever mended: the index, blocks of session notes that the events can give again, cursors, modes,
our own entries in a host's settings. Events, notes and whatever a person wrote are named and left as they are.
"""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

__all__ = ["KINDS", "Finding", "Mend"]

Mend = Literal["", "hosts", "index", "modes", "queue", "records", "session notes", "temporary files"]
"""What mends a fault; empty: a person does."""


class Finding(NamedTuple):
    """One fault."""

    kind: str
    """A key of ``KINDS``."""
    path: str
    """Of what is wrong: relative to the vault where it lies in it; empty where no file is concerned."""
    line: int
    """0: the file as a whole."""
    message: str
    """One sentence for a person, with what to do where that is not plain."""


KINDS: Final[dict[str, Mend]] = {
    # The vault as a whole
    "vault_missing": "",
    "vault_error": "",
    "unparsable_settings": "",
    "bad_argument": "",
    "unknown_setting": "",
    "format_too_new": "",
    "vault_read_only": "",
    "disk_full": "",
    # Events
    "damaged_event": "",
    "event_changed": "",
    "event_identity": "",
    "event_misplaced": "",
    "event_time": "",
    "event_in_future": "",
    "events_elsewhere": "",
    "foreign_file": "",
    # Session notes
    "session_note_missing": "session notes",
    "not_in_session_note": "session notes",
    "block_without_event": "",
    "block_misplaced": "",
    "block_changed": "",
    "forgotten_words": "",
    # Curated notes
    "malformed_citation": "",
    "dangling_citation": "",
    "forgotten_citation": "",
    "uncited_fact": "",
    "footnote_missing": "",
    "footnote_broken": "",
    "broken_relation": "",
    "one_sided_relation": "",
    "duplicate_id": "",
    "damaged_revision": "",
    "damaged_mark": "",
    # Any file
    "broken_frontmatter": "",
    "duplicate_key": "",
    "not_utf8": "",
    "too_long": "",
    "unreadable": "",
    "conflict_markers": "",
    "conflict_copy": "",
    "name_clash": "",
    "name_not_nfc": "",
    "not_downloaded": "",
    "symbolic_link": "",
    "foreign_data": "",
    "temporary_file": "temporary files",
    "words_set_aside": "",
    "git_lock": "",
    "git_unmerged": "",
    # This machine
    "index_missing": "index",
    "index_damaged": "index",
    "index_outdated": "index",
    "index_behind": "index",
    "index_shrunk": "",
    "model_unavailable": "",
    "data_in_vault": "",
    "state_open": "modes",
    "state_unwritable": "",
    "damaged_record": "records",
    "queue_waiting": "queue",
    "queue_set_apart": "queue",
    "queue_damaged": "",
    "hook_failed": "",
    # Hosts
    "settings_refused": "",
    "settings_unread": "",
    "hooks_missing": "",
    "hooks_outdated": "hosts",
    "hooks_not_approved": "",
    "hooks_off": "",
    "hook_fails": "hosts",
    "host_silent": "",
    "mcp_missing": "",
    "mcp_outdated": "hosts",
    "mcp_foreign": "",
    "mcp_fails": "hosts",
}
"""By name, what mends it."""
