"""What readers of exports share: the branches of a conversation, times that are missing, lines that stand for files.

An export holds whole conversations. In a web chat a prompt can be edited and an answer asked for again, so that a
conversation is a tree: the branch that was shown last is the conversation, and each other one is kept as a session of
its own that continues it (docs/decisions/0010).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from wwt_vault.capture.json_stream import JsonStream
from wwt_vault.capture.messages import message_of, time_of
from wwt_vault.capture.text import stored
from wwt_vault.model.conversation import Message, Role, Session, Skipped, time_since_1970

if TYPE_CHECKING:
    from wwt_vault.capture.jsonl import File

__all__ = [
    "Branch",
    "Left",
    "Said",
    "branches",
    "digest_id",
    "entries",
    "file_note",
    "moment",
    "off_branch",
    "one_line",
    "spoken",
    "whole_times",
]

T = TypeVar("T")

_MAX_REASONS = 50
_DEEPEST = 3
"""How deep lists of conversations may lie in one another."""
_TITLE = 200
"""Characters of a title."""


class Said(NamedTuple):
    """One message of a conversation whose place in it is known, and maybe not its time."""

    role: Role
    words: str
    time: datetime | None
    key: str | None
    model: str | None = None


class Branch(NamedTuple):
    """A way through a conversation, from where it leaves another one to its end."""

    name: str | None
    """The id of its first node; ``None`` for the one that is shown."""
    nodes: list[str]


class Left(Counter[str]):
    """What a reader passed over, by reason: an export has thousands of the same kind."""

    def add(self, reason: str) -> None:
        """Count one more thing that was passed over."""
        self[reason if reason in self or len(self) < _MAX_REASONS else "something else that is not known"] += 1

    def skipped(self, path: File) -> Iterator[Skipped]:
        """Yield each reason once, with how often it came up."""
        for reason, count in self.items():
            yield Skipped(path=str(path), line=0, reason=f"{reason} ({count:,} times)" if count > 1 else reason)


def entries(stream: JsonStream, entry: Callable[[int], Iterator[T]], left: Left, depth: int = 0) -> Iterator[T]:
    """Yield what ``entry`` makes of each object: of a list of them, of one, or of one after the other.

    ``entry`` takes the object at which the stream stands; for a list in it, it calls this again, one deeper. Raises
    ``ValueError`` for what is no JSON.
    """
    while mark := stream.kind():
        if mark == "[" and depth < _DEEPEST:
            for _ in stream.elements():
                if stream.kind() == "{":
                    yield from entry(depth)
                else:
                    left.add("an entry that is no conversation")
        elif mark == "{":
            yield from entry(depth)
        else:
            raise ValueError(f"{mark!r} begins no conversation")
        if depth:
            return


def branches(
    parents: Mapping[str, str | None], current: str | None, times: Mapping[str, datetime | None]
) -> list[Branch]:
    """Return the branches of the tree in which each node has its parent of ``parents``, the shown one first.

    That is the way from ``current``, or from the newest leaf when there is no such node, up to the root. Every node is
    in exactly one branch, whatever is missing, and also when parents form a circle.
    """
    children: dict[str, list[str]] = {}
    for node, parent in parents.items():
        if parent is not None and parent != node:
            children.setdefault(parent, []).append(node)
    if current not in parents:
        leaves = [node for node in parents if node not in children] or list(parents)
        newest = datetime.min.replace(tzinfo=UTC)
        places = range(len(leaves))
        current = leaves[max(places, key=lambda at: (times.get(leaves[at]) or newest, at))] if leaves else None
    shown: dict[str, None] = {}
    while current is not None and current in parents and current not in shown:
        shown[current] = None
        current = parents[current]
    found = [Branch(None, list(reversed(shown)))]
    seen = set(shown)
    first = [node for node, parent in parents.items() if parent in shown or parent not in parents]
    for start in (*first, *parents):
        waiting = [start]
        while waiting:
            chain: list[str] = []
            below = [waiting.pop()]
            while below and below[-1] not in seen:
                *others, node = below
                waiting += others
                seen.add(node)
                chain.append(node)
                below = children.get(node, [])
            if chain:
                found.append(Branch(chain[0], chain))
    return found


def off_branch(session: Session, branch: str) -> Session:
    """Return the session of a branch that is not shown, of which ``branch`` is the first node."""
    return session._replace(
        session_id=f"{session.session_id}~{branch}",
        forked_from=session.session_id,
        title=f"{session.title or 'Conversation'} (another branch)",
    )


def whole_times(times: Sequence[datetime | None], began: datetime) -> list[datetime]:
    """Return the times with those that are missing filled in, a millisecond after the one before, to keep the order.

    The first ones of all are taken to be said when the conversation ``began``.
    """
    known = next((time for time in times if time is not None), began)
    last = min(began, known) - timedelta(milliseconds=1)
    whole = []
    for time in times:
        last = time if time is not None else last + timedelta(milliseconds=1)
        whole.append(last)
    return whole


def spoken(session: Session, said: Sequence[Said], began: datetime) -> Iterator[Message]:
    """Yield what was ``said`` as messages of ``session``, those left out of which nothing is left.

    A branch starts when its first message was said.
    """
    times = whole_times([entry.time for entry in said], began)
    if session.forked_from is not None:
        session = session._replace(started=times[0])
    for entry, time in zip(said, times, strict=True):
        message = message_of(session, entry.role, entry.words, time, key=entry.key, model=entry.model)
        if message is not None:
            yield message


def moment(value: Any) -> datetime | None:
    """Return a time given in seconds or milliseconds since 1970, or in ISO 8601; ``None`` for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return time_of(value)
    try:
        return time_since_1970(value / 1000 if value > 1e11 else value) if value > 0 else None
    except OverflowError:  # an integer that no float holds
        return None


def one_line(value: Any) -> str | None:
    """Return a title as it is kept: one line, without secrets, of bounded length; ``None`` for none."""
    if not isinstance(value, str):
        return None
    text = " ".join(stored(value[: 4 * _TITLE])[0].split())
    return text if len(text) <= _TITLE else text[:_TITLE].rstrip() + "…"


def file_note(kind: str, name: Any, size: Any = None) -> str:
    """Return the line that stands for a file of which an export has the name and maybe the size in bytes."""
    known = [" ".join(name.replace("[", "(").replace("]", ")").split())[:200]] if isinstance(name, str) else []
    known += [f"{size:,} bytes"] if isinstance(size, int) and not isinstance(size, bool) and size > 0 else []
    return f"[{kind}: {', '.join(known)}]" if any(known) else f"[{kind}]"


def digest_id(*parts: object) -> str:
    """Return an id for a conversation that has none: the same for the same ``parts``."""
    return "conversation-" + sha256(repr(parts).encode("utf-8", "replace")).hexdigest()[:16]
