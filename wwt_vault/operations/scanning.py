"""Looks for secrets in what is stored already: the rules have grown since, or a person wrote one into a page.

An event is never changed, so what holds a secret can only be forgotten; a page is the person's to mend. What is found
is told by its place and kind, never by its words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from wwt_vault.capture.redact import find_secrets
from wwt_vault.errors import WwtError
from wwt_vault.model.conversation import Event
from wwt_vault.operations.workspace import Workspace
from wwt_vault.vault import event_places, events, files, layout, listing, revisions

__all__ = ["scan"]

Json = dict[str, Any]

_LARGEST = 5_000_000
"""Bytes of a page that are looked at."""


def scan(workspace: Workspace, *, progress: Callable[[int, int], None] | None = None) -> Json:
    """Return ``{scanned: {events, pages}, events: [{id, path, kinds}], pages: [{path, line, kind}]}``.

    Events are all messages that are stored; pages every Markdown file with its kept revisions, of a session note what
    stands beside its blocks. ``progress`` gets events done and events in all.
    """
    vault = workspace.vault
    ids = [event for event in events.event_ids(vault) if isinstance(event, str)]
    found: list[Json] = []
    for done, event_id in enumerate(ids):
        if progress and done % 100 == 0:
            progress(done, len(ids))
        try:
            event = events.read_event(vault, event_id)
        except WwtError:
            continue  # forgotten, or damaged: `wwt verify` names it
        if kinds := sorted({find.kind for text in _texts(event) for find in find_secrets(text)}):
            found.append({"id": event_id, "path": event_places.path_of(vault, event_id), "kinds": kinds})
    pages = list(_pages(workspace))
    return {
        "scanned": {"events": len(ids), "pages": len(pages)},
        "events": found,
        "pages": [hit for path, data in pages for hit in _hits(path, data)],
    }


def _texts(event: Event) -> Iterator[str]:
    yield from filter(
        None, (event.text, event.cwd, event.git_branch, event.project, event.model, event.message_key, event.session_id)
    )


def _pages(workspace: Workspace) -> Iterator[tuple[str, bytes]]:
    root = workspace.vault.root
    paths = [str(path) for path, *_ in sorted(listing.markdown_files(root), key=lambda found: found[0])]
    for note_id in files.names_in(layout.inside(root, layout.REVISIONS, hidden=True)):
        try:
            paths += [
                layout.revision_path(note_id, revision)
                for revision in revisions.revisions_kept(workspace.vault, note_id)
            ]
        except WwtError:
            continue  # not a note's id: `wwt verify` names it
    for path in paths:
        try:
            data = files.read(layout.inside(root, path, hidden=path.startswith(layout.DATA)))
        except WwtError:
            continue
        if data is not None:
            yield path, data[:_LARGEST]


def _hits(path: str, data: bytes) -> list[Json]:
    text = data.decode("utf-8", "replace")
    if path.startswith(f"{layout.CONVERSATIONS}/"):  # its blocks are the events, quoted
        text = "\n".join("" if line.startswith(">") else line for line in text.split("\n"))
    return [
        {"path": path, "line": text.count("\n", 0, find.start) + 1, "kind": find.kind} for find in find_secrets(text)
    ]
