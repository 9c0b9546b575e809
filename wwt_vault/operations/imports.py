"""What an import brings beside messages: documents that lie in exports become notes of type source in the inbox.

A note is written once. What the person does with it, moving or deleting it, is theirs: a second import of the same
document writes nothing. A document that has changed is another note.
"""

from __future__ import annotations

import json
from contextlib import suppress
from hashlib import sha256

from wwt_vault.errors import BadName, EventConflict
from wwt_vault.model.conversation import Source
from wwt_vault.operations.workspace import Workspace
from wwt_vault.vault import files, layout

__all__ = ["SourceKeeper"]


class SourceKeeper:
    """Keeps the sources of one import. ``written`` are the paths of new notes in the vault."""

    def __init__(self, workspace: Workspace) -> None:
        self._vault = workspace.vault
        self._kept_in = workspace.state.root / "sources.json"
        self._known: dict[str, str] = {}
        with suppress(OSError, ValueError):
            self._known = dict(json.loads(self._kept_in.read_bytes()))
        self.written: list[str] = []

    def keep(self, source: Source) -> None:
        """Write a note for ``source``, unless it was written before. Raises ``VaultReadOnly``, ``VaultError``."""
        identity = json.dumps([source.host, source.key, source.text], ensure_ascii=False)
        name = f"source-{sha256(identity.encode('utf-8', 'replace')).hexdigest()[:12]}"
        if name in self._known:
            return
        path = self._write(source, name)
        self._known[name] = path
        files.overwrite(self._kept_in, json.dumps(self._known, ensure_ascii=False).encode(), private=True)

    def _write(self, source: Source, name: str) -> str:
        local = source.time.astimezone(self._vault.zone)
        data = _note(source, name, local.isoformat(timespec="seconds")).encode("utf-8", "replace")
        title = layout.safe_name(source.title, 150) or "Document"
        for stem in (title, f"{title} {local.date().isoformat()}", f"{title} {name[-12:]}"):
            path = f"{layout.INBOX}/{stem}.md"
            if layout.find_name(self._vault.root / layout.INBOX, f"{stem}.md") not in (None, f"{stem}.md"):
                continue  # a name that differs by case alone
            with suppress(EventConflict):
                if files.create_once(layout.inside(self._vault.root, path), data):
                    self.written.append(path)
                return path
        raise BadName(f"three notes have the names that {source.title!r} could have", path=f"{layout.INBOX}/{title}.md")


def _note(source: Source, name: str, retrieved: str) -> str:
    """Return the note. Its title is a property: the file's name may lack what no name can hold."""
    lines = [
        "---",
        f"id: {name}",
        "type: source",
        f"title: {_quoted(source.title)}",
        f"origin: {_quoted(source.origin)}",
        f"retrieved: {retrieved}",
        "verification: unverified",
        "---",
    ]
    return "\n".join([*lines, "", source.text, ""])


def _quoted(text: str) -> str:
    return json.dumps(" ".join(text.split()), ensure_ascii=False)
