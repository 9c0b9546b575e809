"""Our merge for git itself: called by ``git merge``, ``git pull`` or obsidian-git for notes that both sides changed.

``.gitattributes`` says ``*.md merge=wwt-note``, and ``wwt sync init`` tells this clone's git what that is
(gitattributes(5), "Defining a custom merge driver"). A clone that was not told merges by lines, as ever.
"""

from __future__ import annotations

import shlex
import sys
import unicodedata
from datetime import datetime
from pathlib import Path
from typing import Final

from wwt_vault.sync import contents, linking
from wwt_vault.sync.git import Git
from wwt_vault.sync.joining import Conflict
from wwt_vault.vault import Vault, copies, files, layout

__all__ = ["ATTRIBUTE", "install", "merge_file"]

ATTRIBUTE: Final = b"*.md merge=wwt-note\n"


def install(vault: Vault, git: Git) -> None:
    """Tell this clone's git how notes are merged, and all clones that it is so."""
    driver = f"{shlex.quote(sys.executable)} -m wwt_vault sync merge-file %O %A %B %P"
    git.run("config", "merge.wwt-note.name", "notes of a wwt vault")
    git.run("config", "merge.wwt-note.driver", driver)
    path = layout.inside(vault.root, ".gitattributes", hidden=True)
    there = files.read(path) or b""
    if b"merge=wwt-note" not in there:
        gap = b"" if not there or there.endswith(b"\n") else b"\n"
        files.replace(path, there + gap + ATTRIBUTE, files.revision_of(there), lambda _: None)


def merge_file(vault: Vault, base: Path, ours: Path, theirs: Path, path: str, *, at: datetime) -> Conflict | None:
    """Merge what git hands over into the file ``ours``; return what could not be merged.

    ``path`` is where the file lies in the vault. What cannot be merged becomes a copy beside it, as in a sync: git is
    told that all went well, and no conflict marker gets into a note. Raises ``PathEscapes``, ``VaultError``.
    """
    one, other, before = (file.read_bytes() for file in (ours, theirs, base))
    place = layout.inside(vault.root, path, hidden=True)
    merged = contents.merge(path, before or None, one, other)
    data, conflict = merged.data, None
    if merged.copy:
        folder, slash, _ = path.rpartition("/")
        near = [f"{folder}{slash}{unicodedata.normalize('NFC', name)}" for name in files.names_in(place.parent)]
        date = at.astimezone(vault.zone).date().isoformat()
        copy = copies.copy_name(path, "", date, near)
        files.create_once(layout.inside(vault.root, copy, hidden=True), other)
        data, conflict = linking.with_copy(path, data, copy), Conflict(path, copy)
    ours.write_bytes(data)
    return conflict
