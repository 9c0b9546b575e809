"""Forgets what was said: the one exception to "an event never changes".

In the place of the event stands a tombstone, without a word of it. Its words are taken out of its session's note, of
the curated notes and sources, of every revision kept of them and of what is noted of sessions; claims that rested on it
say that they rest on nothing. A revision whose bytes change gets another hash, so that none is left by which the words
could be guessed, and the history names the new one.

The order makes it safe to be killed: the event comes last, because it alone knows the words. Forgetting it again then
completes what is missing.
"""

from __future__ import annotations

import json
import re
from contextlib import AbstractContextManager, nullcontext, suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from wwt_vault import markdown
from wwt_vault.errors import BadArgument, Forgotten, NotFound, StaleRevision, WwtError
from wwt_vault.model.conversation import DocumentId, Event, EventId
from wwt_vault.vault import claims, erasing, event_places, files, layout, listing, ondisk, proposal, revisions, sessions
from wwt_vault.vault import events as stored
from wwt_vault.vault.erasing_notes import Gone, cites, head_without, without_words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from datetime import datetime
    from pathlib import Path

    from wwt_vault.vault import Vault
    from wwt_vault.vault.ondisk import OnDisk

__all__ = ["Forgetting", "chosen", "forget", "git_commands"]

_LOCK_SECONDS = 10.0
_TRIES = 20  # of a change to a file that somebody happens to be writing in: the words have to go


class Forgetting(NamedTuple):
    """What was done, and what is left for others."""

    events: tuple[EventId, ...] = ()
    """Those asked for, and what they grew from or into; none when all were forgotten before."""
    paths: tuple[str, ...] = ()
    """Every file whose bytes changed or that went, from the vault's root: old versions of them still have the words."""
    notes: tuple[DocumentId, ...] = ()
    """The session notes, curated notes and sources among them."""
    unsupported: tuple[tuple[DocumentId, int, str], ...] = ()
    """Claims that rest on nothing now: note, line and text."""
    also_said: tuple[EventId, ...] = ()
    """Other events that have whole lines or sentences of the words: to be forgotten as well, if so wished."""
    left: tuple[DocumentId, ...] = ()
    """Files of the person's (pages, their additions to a session note) with the words in them, or a citation."""


def forget(
    vault: Vault,
    *,
    events: Iterable[str] = (),
    session: tuple[str, str] | None = None,
    reason: str,
    at: datetime,
    locks: Path,
    hold: Callable[[str, str], AbstractContextManager[None]] | None = None,
) -> Forgetting:
    """Forget events by their ids, or all of a session (host and session id).

    What an event grew from or into (``supersedes``) is the same message, and goes with it. ``reason`` is kept in the
    tombstone and shown: one line, without the words. ``hold`` gives the lock of a session, which keeps recorders out.
    Locked notes are changed as well: it is the person who forgets.

    The caller has to see to what is derived and lies elsewhere: index and vectors, the queue, the records of sessions.
    For old versions in git see :func:`git_commands`; backups, synced copies and the host's own transcript are the
    person's.

    Raises ``BadArgument``, ``NotFound`` for an id that no event has, ``LockTimeout``, ``VaultReadOnly``,
    ``VaultError``. An event that was forgotten before is no error.
    """
    reason = " ".join(reason.split())
    if not reason or len(reason) > 500 or proposal.HIDDEN.search(reason):
        raise BadArgument("reason must be one line of 1 to 500 characters", argument="reason")
    with files.lock(locks / "notes", _LOCK_SECONDS):
        those = chosen(vault, list(events), session)
        if not those:
            return Forgetting()
        gone = Gone(frozenset(those), erasing.words_of(event.text for event in those.values()), reason, at)
        notes: list[DocumentId] = []
        left: list[DocumentId] = []
        for path, *_ in sorted(listing.markdown_files(vault.root), key=lambda found: found[0]):
            with suppress(WwtError):  # deleted meanwhile, or a link
                changed, has_more = _forget_in(vault, gone, path, hold)
                notes += [path] if changed else []
                left += [path] if has_more else []
        paths: list[str] = [*notes, *_forget_marks(vault, gone, {(e.host, e.session_id) for e in those.values()})]
        for note_id in sorted(files.names_in(layout.inside(vault.root, layout.REVISIONS, hidden=True))):
            with suppress(BadArgument):  # not the id of a note
                paths += _forget_revisions(vault, gone, note_id)
        also_said = tuple(_others_with(vault, gone))
        for event in those.values():
            with hold(event.host, event.session_id) if hold else nullcontext():
                for place in event_places.paths_of(vault, event.id):
                    files.overwrite(layout.inside(vault.root, place, hidden=True), stored.tombstone(event, reason, at))
                    paths.append(place)
        return Forgetting(
            events=tuple(those),
            paths=tuple(sorted(set(paths))),
            notes=tuple(notes),
            unsupported=tuple(claim for path in notes for claim in _unsupported(vault, gone, path)),
            also_said=also_said,
            left=tuple(left),
        )


def git_commands(root: Path, paths: Sequence[str]) -> list[str]:
    """Return the commands that take old versions of these files out of the git repository at ``root``.

    None when there is none. They need nothing but git and a POSIX shell (Git for Windows brings one). The last commit
    keeps the files as they are now; all before lose them. Remotes and clones keep the old versions until replaced.
    """
    if not (root / ".git").exists() or not paths:
        return []
    place = "'" + str(root).replace("'", "'\\''") + "'"
    # Whatever folder events lay in at the time: of their paths only the end is named.
    below = re.compile(rf".*(/\d{{4}}/\d\d/\d\d/{layout.EVENT_ID}\.json)")
    listed = "\n".join(
        f":(glob)**{found[1]}" if (found := below.fullmatch(path)) else f":(literal){path}" for path in paths
    )
    drop = 'git rm -r -q --cached --ignore-unmatch --pathspec-from-file="$LIST"'
    return [
        f"cd {place} && git add -A && git commit -q --allow-empty -m 'Forget'",
        f"cat > .git/wwt-forget <<'END'\n{listed}\nEND",
        "export LAST=$(git rev-parse HEAD) LIST=$(pwd)/.git/wwt-forget",
        "export FILTER_BRANCH_SQUELCH_WARNING=1",
        f"git filter-branch -f --index-filter 'test $GIT_COMMIT = $LAST || {drop}' -- --all",
        "git for-each-ref --format='delete %(refname)' refs/original | git update-ref --stdin && rm .git/wwt-forget",
        "git reflog expire --expire=now --all && git gc -q --prune=now",
        "git push --force --all  # then clone anew wherever else the vault is",
    ]


def chosen(vault: Vault, ids: Sequence[str], session: tuple[str, str] | None) -> dict[EventId, Event]:
    """Return the events to forget by id, those that are one message with them included, forgotten ones left out.

    Raises ``BadArgument``, ``NotFound``.
    """
    if not ids and session is None:
        raise BadArgument("say which events, or which session, to forget", argument="events")
    found: dict[EventId, Event] = {}
    unknown: list[str] = []
    for event_id in ids:
        try:
            event = stored.read_event(vault, event_id)
            found[event.id] = event
        except Forgotten:
            continue
        except NotFound:
            unknown.append(event_id)
    if unknown:
        raise NotFound(f"there is no event {', '.join(unknown[:20])}. Nothing was forgotten.", events=unknown)
    everyone: dict[EventId, Event] = {}
    asked = [session] if session else []
    for host, session_id in dict.fromkeys([*asked, *((event.host, event.session_id) for event in found.values())]):
        before: list[Forgotten] = []
        those = stored.events_of_session(vault, host, session_id, before)
        if session == (host, session_id):
            if not those and not before:
                message = f"there is no event of session {session_id!r} of {host}. Nothing was forgotten."
                raise NotFound(message, host=host, session_id=session_id)
            found |= {event.id: event for event in those}
        everyone |= {event.id: event for event in those}
    size = -1
    while size != len(found):
        size = len(found)
        for event in everyone.values():
            if event.supersedes in found or any(one.supersedes == event.id for one in found.values()):
                found[event.id] = event
    return dict(sorted(found.items()))


def _forget_in(
    vault: Vault, gone: Gone, path: DocumentId, hold: Callable[[str, str], AbstractContextManager[None]] | None
) -> tuple[bool, bool]:
    """Take the words out of one file; return whether it changed, and whether it still has some."""
    there = ondisk.load(vault, path)
    if path.startswith(f"{layout.CONVERSATIONS}/"):
        head = sessions.read_head(there.data)
        lock = hold(head.get("host", ""), head.get("session_id", "")) if hold else nullcontext()
        with lock if gone.events & set(sessions.known_events(there.file)) else nullcontext():
            changed = _rewrite(vault, there, lambda data: _session_without(vault, gone, data))
        rest = "\n".join(line for line in there.parts.body.split("\n") if not line.startswith(">"))
        return changed, erasing.has_words(rest, gone.words) or cites(gone, rest)
    if there.id is None:
        text = there.parts.join()
        return False, erasing.has_words(text, gone.words) or cites(gone, text)
    texts = (there.data, *(data for _, data in _kept(vault, there.id)))
    near = any(cites(gone, data.decode("utf-8", "replace")) for data in texts)
    changed = _rewrite(vault, there, lambda data: without_words(vault, gone, data, near=near))
    return changed, erasing.has_words(ondisk.load(vault, path).parts.join(), gone.words)


def _session_without(vault: Vault, gone: Gone, data: bytes) -> bytes:
    """Return a session note without the blocks of the events, and without their words in its title."""
    data = sessions.without_events(vault, data, gone.events, gone.reason, gone.at)
    parts = markdown.split(data.decode("utf-8", "surrogateescape"))
    return (head_without(parts, gone, near=True) + parts.body).encode("utf-8", "surrogateescape")


def _rewrite(vault: Vault, there: OnDisk, change: Callable[[bytes], bytes]) -> bool:
    for attempt in range(_TRIES):
        data = change(there.data)
        if data == there.data:
            return False
        try:
            files.replace(there.file, data, there.revision, lambda _: None)  # kept nowhere: it has the words
        except StaleRevision:
            if attempt == _TRIES - 1:
                raise
            there = ondisk.load(vault, there.path)
            continue
        return True
    return False


def _kept(vault: Vault, note_id: str) -> Iterator[tuple[str, bytes]]:
    for revision in sorted(revisions.revisions_kept(vault, note_id)):
        data = revisions.kept(vault, note_id, revision)
        if data is not None:
            yield revision, data


def _forget_revisions(vault: Vault, gone: Gone, note_id: str) -> list[str]:
    kept = dict(_kept(vault, note_id))
    near = any(cites(gone, data.decode("utf-8", "replace")) for data in kept.values())
    renamed: dict[str, bytes] = {}
    for revision, data in kept.items():
        new = without_words(vault, gone, data, near=near)
        if new != data:
            renamed[revision] = new
    return revisions.rename(vault, note_id, renamed, lambda reason: erasing.erased(reason, gone.words, near=near))


def _forget_marks(vault: Vault, gone: Gone, own: set[tuple[str, str]]) -> Iterator[str]:
    """Take the words out of what agents noted of sessions."""
    folder = layout.inside(vault.root, layout.CURATED_MARKS, hidden=True)
    for name in sorted(files.names_in(folder)):
        try:
            table: Any = json.loads(files.read(folder / name) or b"")
            near = (table["host"], table["session_id"]) in own
            said = {key: _said(table[key], gone, near=near) for key in ("gist", "questions") if key in table}
            new = {**table, **said}
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            continue
        if new != table:
            files.overwrite(folder / name, json.dumps(new, ensure_ascii=False, sort_keys=True).encode() + b"\n")
            yield f"{layout.CURATED_MARKS}/{name}"


def _said(value: Any, gone: Gone, *, near: bool) -> Any:  # a text, or a list of such
    if isinstance(value, list):
        return [_said(one, gone, near=near) for one in value]
    return erasing.erased(value, gone.words, near=near) if isinstance(value, str) else value


def _others_with(vault: Vault, gone: Gone) -> Iterator[EventId]:
    for event in stored.iter_events(vault):
        if isinstance(event, Event) and event.id not in gone.events and erasing.has_words(event.text, gone.words):
            yield event.id


def _unsupported(vault: Vault, gone: Gone, path: DocumentId) -> Iterator[tuple[DocumentId, int, str]]:
    if not path.startswith(f"{layout.CONVERSATIONS}/"):
        for claim in claims.claims(vault, path):
            if not claim.supported and gone.events & {said.event for said in claim.said}:
                yield path, claim.line, claim.text
