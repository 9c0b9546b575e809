"""Transcripts of the hosts into events: read on from where the last reading ended."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from wwt_vault import capture
from wwt_vault.errors import LockTimeout, TranscriptError, VaultError, WwtError
from wwt_vault.ingest.cursors import Cursor, keep_cursor, load_cursor, stamp_of
from wwt_vault.ingest.excluded import is_excluded
from wwt_vault.ingest.recorder import Recorder
from wwt_vault.ingest.remembered import Tally
from wwt_vault.model.conversation import Checkpoint, Message, Session, Skipped, Source
from wwt_vault.state import State
from wwt_vault.vault import Vault, events, sessions

if TYPE_CHECKING:
    from wwt_vault.capture.jsonl import File
    from wwt_vault.ingest.found import Found

    Item = Message | Skipped | Checkpoint | Source

__all__ = [
    "NOTHING_SAID",
    "IngestReport",
    "ingest_paths",
    "ingest_transcript",
    "read_on",
]

_PATIENCE = 30.0
"""Seconds an import waits for a hook of the same session."""


NOTHING_SAID = "it has nothing that a person or an assistant said"
"""Why a file that was understood is in ``skipped``."""


class IngestReport(NamedTuple):
    """What an import did. ``sessions`` are ``<host> <session id>``, in the order in which they were met."""

    events_added: int
    events_known: int
    sessions: tuple[str, ...]
    skipped: tuple[Skipped, ...]
    recognised: bool = True
    """Whether any file was one of a known host."""
    documents: int = 0
    excluded: tuple[str, ...] = ()
    """Folders of which something was left out, because the person excluded them."""


def ingest_paths(
    vault: Vault,
    state: State,
    paths: Iterable[Path],
    host: str | None = None,
    *,
    named: bool = True,
    progress: Callable[[int, int], None] | None = None,
    keep_source: Callable[[Source], str | None] | None = None,
) -> IngestReport:
    """Import transcripts and exports: files, zip archives, or folders with everything below.

    Oldest first, so that a fork finds its parent. ``host`` names the format; without it each file is recognised by its
    content, and files of a folder that are none are passed over (so are all, unless the person has ``named`` them).
    ``progress`` gets ``(bytes done, bytes in all)``. ``keep_source`` is given the documents that lie in exports, and
    says why it did not keep one. A file that cannot be read is reported in ``skipped``; the others go on.
    """
    from wwt_vault.ingest.found import find  # noqa: PLC0415 - no hook imports files

    files, left = find(paths, named=named)
    total, done = sum(file.size for file in files), 0
    reports = [IngestReport(events_added=0, events_known=0, sessions=(), skipped=tuple(left), recognised=False)]
    for file in files:

        def step(read: int, before: int = done, size: int = file.size) -> None:
            if progress is not None:
                progress(before + min(read, size), total)

        reports.append(_ingest_file(vault, state, file, host, progress=step, keep_source=keep_source))
        done += file.size
        step(file.size)
    return _together(reports)


def _ingest_file(
    vault: Vault,
    state: State,
    file: Found,
    host: str | None,
    *,
    progress: Callable[[int], None],
    keep_source: Callable[[Source], str | None] | None,
) -> IngestReport:
    """Import one file, or all that is in an archive; what is wrong with it is in ``skipped``."""
    from wwt_vault.ingest.found import parts  # noqa: PLC0415

    reports: list[IngestReport] = []
    path, done, whole = str(file.path), 0, file.archive

    def failed(reason: str, line: int = 0) -> None:
        skipped = (Skipped(path=path, line=line, reason=reason),)
        reports.append(IngestReport(events_added=0, events_known=0, sessions=(), skipped=skipped, recognised=False))

    try:
        for part in parts(file):
            if isinstance(part, Skipped):
                reports.append(_together([])._replace(skipped=(part,)))
                continue
            path = str(part.path)
            try:
                step = _from(progress, done)
                report = ingest_transcript(vault, state, part.path, host, progress=step, keep_source=keep_source)
                reports.append(report)
                said = report.events_added or report.events_known or report.documents
                if file.named and not file.archive and not (said or report.skipped or report.excluded):
                    failed(NOTHING_SAID)
            except TranscriptError as error:
                if file.named and not file.archive:
                    failed(str(error), int(error.data.get("line") or 0))
            except LockTimeout as error:
                failed(f"{error} Import it again later.")
            except OSError as error:
                failed(f"cannot be read: {error.strerror or error}")
            done += part.size
            progress(done)
    except TranscriptError as error:
        whole = False
        failed(str(error))
    except OSError as error:
        whole = False
        failed(f"cannot be read: {error.strerror or error}")
    report = _together(reports)
    if whole and not report.recognised and not file.named:
        return report._replace(skipped=())  # any archive of somebody's: nothing in it is missed
    if whole and not report.recognised and not report.skipped:
        path = str(file.path)
        failed("no conversation of a host known here is in this archive")
    return _together(reports)


def _from(progress: Callable[[int], None], done: int) -> Callable[[int], None]:
    return lambda read: progress(done + read)


def _together(reports: Iterable[IngestReport]) -> IngestReport:
    reports = list(reports)
    return IngestReport(
        events_added=sum(report.events_added for report in reports),
        events_known=sum(report.events_known for report in reports),
        sessions=tuple(dict.fromkeys(name for report in reports for name in report.sessions)),
        skipped=tuple(skipped for report in reports for skipped in report.skipped),
        recognised=any(report.recognised for report in reports),
        documents=sum(report.documents for report in reports),
        excluded=tuple(dict.fromkeys(folder for report in reports for folder in report.excluded)),
    )


def ingest_transcript(
    vault: Vault,
    state: State,
    path: File,
    host: str | None = None,
    *,
    progress: Callable[[int], None] | None = None,
    keep_source: Callable[[Source], str | None] | None = None,
) -> IngestReport:
    """Import one transcript or export; a second time reads only what was added to it.

    ``progress`` gets the bytes read so far. A file that is damaged or cut off is read as far as it goes, and named in
    ``skipped``. Raises ``TranscriptError`` when no reader understands the file, ``OSError`` when it cannot be read at
    all.
    """
    cursor = load_cursor(state, path)
    if cursor.unchanged:
        return IngestReport(events_added=0, events_known=cursor.messages, sessions=cursor.sessions, skipped=())
    host = host or capture.recognise(path)
    if host is None:
        from wwt_vault.capture.jsonl import is_utf16  # noqa: PLC0415 - rare

        why = ": it looks like UTF-16; save it as UTF-8" if is_utf16(path) else ""
        raise TranscriptError(f"{path} is not a transcript of any host known here{why}", path=str(path))
    reading = _Reading(vault, state, path, cursor, host)
    try:
        for message in reading.messages(progress=progress, keep_source=keep_source, as_far_as_it_goes=True):
            reading.recorder_for(message.session).from_transcript(message)
    finally:
        reading.close()
    # What is left out comes in when its folder is excluded no more, or the file can be read.
    if not (reading.broken or any(reading.folders.values())):
        reading.keep()
    return IngestReport(
        events_added=reading.added,
        events_known=reading.known + reading.cursor.messages,
        sessions=tuple(reading.sessions),
        skipped=tuple(reading.skipped),
        documents=reading.documents,
        excluded=tuple(folder for folder, excluded in reading.folders.items() if excluded),
    )


def read_on(
    vault: Vault,
    state: State,
    recorder: Recorder,
    path: Path,
    host: str,
    *,
    seconds: float,
    is_whole: Callable[[Message], bool],
) -> None:
    """Bring ``recorder``'s session up to date with its transcript, as far as that can be done in ``seconds``.

    A host may be in the middle of writing its last message; it is taken only if ``is_whole`` says so, and read again
    next time. Messages of other sessions in the file are left to an import. Raises as :func:`ingest_transcript`.
    """
    cursor = load_cursor(state, path)
    if cursor.unchanged:
        return
    reading = _Reading(vault, state, path, cursor, host)
    reading.begin(recorder)
    for message in reading.messages(deadline=time.monotonic() + seconds, is_whole=is_whole):
        if message.session.session_id == recorder.session.session_id:
            recorder.from_transcript(message)
    reading.keep()


class _Reading:
    """One pass over a transcript: hands out its messages, opens recorders, and keeps the place at the end."""

    def __init__(self, vault: Vault, state: State, path: File, cursor: Cursor, host: str) -> None:
        self._export = capture.HOSTS[host].export if host in capture.HOSTS else False
        if self._export:  # it is not added to but made anew: what it has before the place need not be what it had
            cursor = Cursor(checkpoint=None, counts={}, messages=0, sessions=())
        self.vault, self.state, self.path, self.cursor, self.host = vault, state, path, cursor, host
        self.added = self.known = self.documents = 0
        self.sessions = dict.fromkeys(cursor.sessions)
        self.skipped: list[Skipped] = []
        self.folders: dict[str, bool] = {}
        """Where what was read was said, and whether that is excluded."""
        self.finished = self.broken = False
        self._count = self._count_at_checkpoint = cursor.messages
        self._checkpoint = cursor.checkpoint
        self._tallies = {session: Tally(dict(counts), []) for session, counts in cursor.counts.items()}
        self._recorder: Recorder | None = None

    def messages(
        self,
        deadline: float | None = None,
        is_whole: Callable[[Message], bool] = lambda _: True,
        progress: Callable[[int], None] | None = None,
        keep_source: Callable[[Source], str | None] | None = None,
        as_far_as_it_goes: bool = False,
    ) -> Iterator[Message]:
        """Yield the messages after the cursor; stop at the first checkpoint after ``deadline`` (monotonic seconds).

        What stands behind the last checkpoint may still grow: it is yielded if ``is_whole`` says so. With
        ``as_far_as_it_goes`` a file that cannot be read to its end makes it ``broken``, and no ``OSError``.
        """
        self._stamp = stamp_of(self.path)
        parent_keys = _parent_keys(self.vault, self.host)
        unfinished: list[Message] = []
        found = capture.read_transcript(self.path, self.host, self.cursor.checkpoint, parent_keys=parent_keys)
        for item in self._up_to_damage(found) if as_far_as_it_goes else found:
            if isinstance(item, Message):
                # Where nothing grows, nothing is held back: a conversation may be long.
                if self._export:
                    yield from self._counted([item])
                else:
                    unfinished.append(item)
            elif isinstance(item, Checkpoint):
                yield from self._counted(unfinished)
                unfinished = []
                self._checkpoint, self._count_at_checkpoint = item, self._count
                for tally in self._tallies.values():
                    tally.recent.clear()
                if progress is not None:
                    progress(item.offset)
                if deadline is not None and time.monotonic() > deadline:
                    return
            elif isinstance(item, Source):
                self.documents += 1
                if keep_source is not None and (reason := keep_source(item)):
                    self.skipped.append(Skipped(str(self.path), 0, reason))
            else:
                self.skipped.append(item)
        taken = [message for message in unfinished if is_whole(message)]
        yield from self._counted(taken)
        self.finished = len(taken) == len(unfinished)

    def _up_to_damage(self, found: Iterator[Item]) -> Iterator[Item]:
        try:
            yield from found
        except OSError as error:
            self.broken = True
            reason = f"cannot be read to its end: {error.strerror or error}. What stands before that was taken in"
            self.skipped.append(Skipped(str(self.path), 0, reason))

    def _counted(self, messages: list[Message]) -> Iterator[Message]:
        for message in messages:
            folder = message.cwd or message.session.cwd or ""
            if folder not in self.folders:
                self.folders[folder] = is_excluded(folder)
            if self.folders[folder]:
                continue
            self.sessions[f"{message.session.host} {message.session.session_id}"] = None
            self._count += 1
            yield message

    def recorder_for(self, session: Session) -> Recorder:
        """Return the recorder of ``session``, closing that of another one."""
        current = self._recorder.session if self._recorder is not None else None
        if current is None or (current.host, current.session_id) != (session.host, session.session_id):
            self.close()
            if self._export:
                self._tallies = {}  # each conversation stands there whole and is counted from its beginning
            recorder = Recorder(self.vault, self.state, session, timeout=_PATIENCE)
            self._recorder = recorder.__enter__()
            self.begin(recorder)
        assert self._recorder is not None  # noqa: S101 - for the type checker
        return self._recorder

    def begin(self, recorder: Recorder) -> None:
        """Let ``recorder`` count on from what this transcript's cursor says of its session."""
        session = recorder.session
        name = session.session_id if session.host == self.host else f"{session.host} {session.session_id}"
        recorder.tally = self._tallies.setdefault(name, Tally({}, []))

    def close(self) -> None:
        """Close the recorder that this reading opened, if any, and take over what it did."""
        if self._recorder is not None:
            recorder, self._recorder = self._recorder, None
            recorder.__exit__(None, None, None)
            self.added += len(recorder.added)
            self.known += recorder.known_messages

    def keep(self) -> None:
        """Keep the place of the last checkpoint, with what was counted before it."""
        cursor = Cursor(
            checkpoint=self._checkpoint,
            counts={session: tally.before_recent() for session, tally in self._tallies.items()},
            messages=self._count_at_checkpoint,
            sessions=tuple(self.sessions),
        )
        with suppress(VaultError):  # then the transcript is read once more, which adds nothing that is known
            keep_cursor(
                self.state, self.path, cursor, finished=self._stamp if self.finished else None, messages=self._count
            )


def _parent_keys(vault: Vault, host: str) -> Callable[[str], frozenset[str]]:
    """Return a function that names the messages of a session that are in the vault, by the host's own ids."""

    def keys(session_id: str) -> frozenset[str]:
        note = sessions.find_session_note(vault, host, session_id)
        found: set[str] = set()
        for event_id in sessions.known_events(note) if note is not None else ():
            try:
                key = events.read_event(vault, event_id).message_key
            except WwtError:
                continue  # a damaged event is the business of `wwt verify`, not of an import
            if key:
                found.add(key)
        return frozenset(found)

    return keys
