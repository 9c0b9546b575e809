"""What this machine remembers of one session between two calls: enough to recognise a message that comes again.

A file of the state folder; losing it costs a second reading. Texts are compared by their letters alone, for payload and
transcript may differ in blanks and lines.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

from wwt_vault.config import spare_folder
from wwt_vault.errors import VaultError
from wwt_vault.hashing import sha256
from wwt_vault.model.conversation import EventId, Message
from wwt_vault.state import State
from wwt_vault.vault.files import lock, overwrite
from wwt_vault.vault.layout import safe_name

__all__ = [
    "Last",
    "Payload",
    "Remembered",
    "Tally",
    "digest",
    "ends_with",
    "hold",
    "load",
    "record_path",
    "save",
    "squeezed",
    "words",
]

_PAYLOADS_KEPT = 200
_TURNS_KEPT = 400
_END = 4000
"""Letters of the transcript's last message that are kept to compare a payload with."""


class Payload(NamedTuple):
    """A message that a payload brought: remembered until the transcript shows it too."""

    role: str
    words: str
    """Digest of the letters, see :func:`words`."""
    length: int
    """Letters."""
    turn: str | None
    time: str
    event: EventId
    digest: str
    """Digest of role and text, as a :class:`Tally` counts it."""
    seen: bool


class Last(NamedTuple):
    """The last message that the transcript showed."""

    role: str
    turn: str | None
    time: str
    words: str
    end: str
    """Its last letters."""

    @staticmethod
    def of(message: Message) -> Last:
        """Return what is remembered of ``message``."""
        letters = squeezed(message.text)
        return Last(message.role, message.turn, message.time.isoformat(), digest(letters), letters[-_END:])

    def says(self, text: str) -> bool:
        """Tell whether the message is ``text``, or ends with it (of several blocks a payload may have the last)."""
        letters = squeezed(text)
        return self.words == digest(letters) or (0 < len(letters) <= _END and self.end.endswith(letters))


class Remembered(NamedTuple):
    """One session's record."""

    keys: dict[str, EventId]
    """By the host's own id of a message: its event."""
    payloads: tuple[Payload, ...] = ()
    last: Last | None = None
    note: str = ""
    """The session note's path inside the vault."""
    begun: str | None = None
    """When a hook first told of this session: what is older in its transcript may be another session's."""
    turns: tuple[tuple[str, str], ...] = ()
    """The host's ids of the latest turns that the transcript showed, each with the roles it showed there."""

    def without(self, gone: Collection[EventId], is_of: Callable[[str], bool]) -> Remembered:
        """Return the record without words of forgotten events, nor a digest of them; ``is_of`` knows their letters.

        A payload keeps its turn, by which the transcript's version of it is known.
        """
        payloads = tuple(p._replace(words="", digest="", length=0) if p.event in gone else p for p in self.payloads)
        last = self.last
        if last is not None and (
            is_of(last.end) or any(p.event in gone and p.words == last.words for p in self.payloads)
        ):
            last = None
        return self._replace(payloads=payloads, last=last)

    def showing(self, turn: str, role: str) -> Remembered:
        """Return the record after the transcript has shown a message of ``role`` in ``turn``."""
        roles = "" if not self.turns or self.turns[-1][0] != turn else self.turns[-1][1]
        if role in roles.split():
            return self
        kept = self.turns[:-1] if roles else self.turns
        return self._replace(turns=(*kept[-_TURNS_KEPT:], (turn, f"{roles} {role}".strip())))


class Tally(NamedTuple):
    """How often each text of a session has been accounted for in the course of one transcript."""

    counts: dict[str, int]
    """By digest of role and text."""
    recent: list[str]
    """The digests counted since the last checkpoint."""

    def of(self, text: str) -> int:
        """Return how often the text with this digest was accounted for so far."""
        return self.counts.get(text, 0)

    def add(self, text: str) -> None:
        """Account for the text with this digest once more."""
        self.counts[text] = self.counts.get(text, 0) + 1
        self.recent.append(text)

    def before_recent(self) -> dict[str, int]:
        """Return the counts as they were at the last checkpoint."""
        counts = dict(self.counts)
        for text in self.recent:
            counts[text] -= 1
        return {text: count for text, count in counts.items() if count}


def record_path(state: State, host: str, session_id: str) -> Path:
    """Return where the record of a session lies."""
    # Both come from outside, and neither may lead out of the folder.
    safe, safe_host = safe_name(session_id, max_bytes=80), safe_name(host, max_bytes=40).replace(" ", "-")
    name = f"{safe_host} {safe}"
    if host != safe_host:
        return state.cursors / f"{name} {digest(host, session_id)[:12]}.json"
    return state.cursors / (f"{name}.json" if session_id == safe else f"{name} {digest(session_id)[:12]}.json")


@contextmanager
def hold(state: State, host: str, session_id: str, timeout: float) -> Iterator[None]:
    """Hold the lock of a session: whoever has it, nobody else records it.

    Where the state folder cannot be written, the lock lies in the system's folder for temporary files: a message must
    not be lost because of that. Raises ``LockTimeout``, and ``VaultError`` when neither can be written.
    """
    name = f"{record_path(state, host, session_id).stem}.lock"
    with ExitStack() as held:
        try:
            held.enter_context(lock(state.locks / name, timeout))
        except VaultError:
            held.enter_context(lock(spare_folder() / state.root.name / name, timeout))
        yield


def load(path: Path) -> Remembered:
    """Return the record at ``path``; an empty one when there is none, or none that can be read."""
    try:
        kept = json.loads(path.read_bytes())
        return Remembered(
            keys=dict(kept["keys"]),
            payloads=tuple(Payload(*fields) for fields in kept["payloads"]),
            last=Last(*kept["last"]) if kept["last"] else None,
            note=str(kept["note"]),
            begun=kept["begun"],
            turns=tuple((turn, roles) for turn, roles in kept.get("turns", ())),
        )
    except (OSError, ValueError, KeyError, TypeError):
        return Remembered(keys={})


def save(path: Path, record: Remembered) -> None:
    """Keep ``record`` at ``path``. Raises ``VaultError`` or ``OSError`` when it cannot be written."""
    kept = record._replace(payloads=record.payloads[-_PAYLOADS_KEPT:])._asdict()
    overwrite(path, json.dumps(kept, ensure_ascii=False).encode("utf-8", "replace"), private=True, durable=False)


def ends_with(text: str, end: str) -> bool:
    """Tell whether ``text`` ends with the letters of ``end``, whatever blanks and lines lie between them."""
    return squeezed(text).endswith(squeezed(end))


def words(text: str, last: int = 0) -> str:
    """Return a digest of the letters alone, of the ``last`` ones if given."""
    return digest(squeezed(text)[-last:])


def squeezed(text: str) -> str:
    """Return the letters of ``text``, without blanks and lines."""
    return "".join(text.split())


def digest(*parts: str) -> str:
    """Return 16 hex that stand for ``parts``."""
    return sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()[:16]
