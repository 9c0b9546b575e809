"""What an import brings beside messages: documents that lie in exports become notes of type source in the inbox.

A note is written once. What the person does with it, moving or deleting it, is theirs: a second import of the same
document writes nothing. A document that has changed is another note.
"""

from __future__ import annotations

import json
from contextlib import suppress
from hashlib import sha256

from wwt_vault.errors import BadArgument, NoteExists
from wwt_vault.model.conversation import Source
from wwt_vault.operations.workspace import Workspace
from wwt_vault.vault import files, layout, sources

__all__ = ["SourceKeeper"]


class SourceKeeper:
    """Keeps the sources of one import. ``written`` are the paths of new notes in the vault."""

    def __init__(self, workspace: Workspace) -> None:
        self._vault = workspace.vault
        self._locks = workspace.state.locks
        self._kept_in = workspace.state.root / "sources.json"
        self._known: dict[str, str] = {}
        with suppress(OSError, ValueError):
            self._known = dict(json.loads(self._kept_in.read_bytes()))
        self.written: list[str] = []

    def keep(self, source: Source) -> str | None:
        """Write a note for ``source``, unless it was written before; return why no note can be made of it.

        Raises ``LockTimeout``, ``VaultError``.
        """
        identity = json.dumps([source.host, source.key, source.text], ensure_ascii=False)
        name = f"source-{sha256(identity.encode('utf-8', 'replace')).hexdigest()[:12]}"
        if name not in self._known:
            try:
                self._known[name] = self._write(source, name)
            except (BadArgument, NoteExists) as error:
                return f"{source.origin}: {error}"
            files.overwrite(self._kept_in, json.dumps(self._known, ensure_ascii=False).encode(), private=True)
        return None

    def _write(self, source: Source, name: str) -> str:
        time = source.time.astimezone(self._vault.zone)
        title = " ".join(source.title.split())
        stem = layout.safe_name(title, 150) or "Document"
        taken: NoteExists | None = None
        for form in (stem, f"{stem} {time.date().isoformat()}", f"{stem} {name[-12:]}"):
            path = f"{layout.INBOX}/{form}.md"
            is_new = layout.find_name(self._vault.root / layout.INBOX, f"{form}.md") is None
            try:
                # Of the time when it was changed there, so that two machines that import it write the same bytes.
                saved = sources.save_source(
                    self._vault,
                    title=title or form,
                    text=source.text,
                    origin=source.origin,
                    retrieved=time,
                    written_by=source.host,
                    at=source.time,
                    locks=self._locks,
                    place=path,
                )
            except NoteExists as error:
                taken = error
                continue
            if is_new and saved.path == path:
                self.written.append(saved.path)
            return saved.path
        raise taken or AssertionError  # pragma: no cover - the last form has the hash of the text
