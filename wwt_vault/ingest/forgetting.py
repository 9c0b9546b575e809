"""Takes what is to be forgotten out of what this machine keeps beside the vault: the queue, the records of sessions,
the places in transcripts, the log of the hook.

Recognising a message again must not need its words: of a message that is forgotten, its record keeps the turn alone.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from contextlib import suppress
from pathlib import Path

from wwt_vault.ingest import hooklog, queue, remembered
from wwt_vault.model.conversation import EventId, Message
from wwt_vault.state import State
from wwt_vault.vault import erasing
from wwt_vault.vault.erasing import Words
from wwt_vault.vault.files import overwrite

__all__ = ["LOCK_SECONDS", "forget_here", "transcripts_of"]

LOCK_SECONDS = 10.0


def forget_here(
    state: State, gone: Collection[EventId], words: Words, sessions: Collection[tuple[str, str]], *, whole: bool
) -> int:
    """Forget events of these sessions; with ``whole``, all of the sessions. Return how many waiting calls went.

    A place in a transcript goes as a whole: it counts texts by their hash. That costs a second reading. Raises
    ``LockTimeout``, ``OSError``, ``VaultError``.
    """
    for host, session_id in sessions:
        path = remembered.record_path(state, host, session_id)
        with remembered.hold(state, host, session_id, LOCK_SECONDS):
            record = remembered.load(path)
            changed = record.without(gone, lambda letters: _is_of(letters, words))
            if changed != record:
                remembered.save(path, changed)
    for path, named in _places(state):
        if named & {f"{host} {session_id}" for host, session_id in sessions}:
            path.unlink(missing_ok=True)
    dropped = 0
    for item in queue.list_items():
        call = item.call
        if call is None or (call.session.host, call.session.session_id) not in sessions:
            continue
        said = [message for message in (call.message, *call.earlier) if message is not None]
        if whole or any(_says(message, words) for message in said):
            queue.done(item.path)
            dropped += 1
    _forget_log(words)
    return dropped


def transcripts_of(state: State, sessions: Collection[tuple[str, str]]) -> list[str]:
    """Return the transcripts of hosts that these sessions were read from: they have the words still."""
    wanted = {f"{host} {session_id}" for host, session_id in sessions}
    found = []
    for path, named in _places(state):
        if named & wanted:
            with suppress(OSError, ValueError, KeyError):
                found.append(str(json.loads(path.read_bytes())["path"]))
    return sorted(found)


def _places(state: State) -> Iterator[tuple[Path, set[str]]]:
    for path in sorted((state.cursors / "transcripts").glob("*.json")):
        with suppress(OSError, ValueError, KeyError, TypeError):
            yield path, set(json.loads(path.read_bytes())["sessions"])


def _says(message: Message, words: Words) -> bool:
    return _is_of(remembered.squeezed(message.text), words) or erasing.has_words(message.text, words)


def _is_of(letters: str, words: Words) -> bool:
    """Whether letters without blanks are a message's, or the end of one."""
    return bool(letters) and any(text.endswith(letters.replace(">", "")) for text in words.texts)


def _forget_log(words: Words) -> None:
    for path in (hooklog.log_path(), hooklog.log_path().with_suffix(".log.1")):
        with suppress(OSError):
            lines = path.read_text("utf-8", "replace").splitlines(keepends=True)
            kept = [line for line in lines if not erasing.has_words(line, words)]
            if kept != lines:
                overwrite(path, "".join(kept).encode(), private=True)
