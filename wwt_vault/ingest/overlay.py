"""Which messages of a conversation that is handed over are new, when nothing but their words says which is which.

A model that records a conversation by a tool has no ids: it sends the whole of it or its end, once more after an error,
later with what was added, with a message left out or spelled anew. What it sends is laid over what is known so that as
much as possible agrees. Words decide; times decide where the words are too few to tell (a "yes" may be said twice).
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from difflib import SequenceMatcher
from typing import NamedTuple

__all__ = ["Said", "new_ones"]

_ENOUGH = 20
"""Letters in a row that agree by no accident."""
_CLOCK = timedelta(seconds=1)
"""Known times have no parts of seconds."""


class Said(NamedTuple):
    """A message as far as it matters here."""

    role: str
    words: str
    """A digest of its letters."""
    letters: int
    time: datetime | None
    """``None`` when nobody said when."""


def new_ones(known: Sequence[Said], given: Sequence[Said]) -> list[int]:
    """Return the places in ``given`` of messages that ``known`` (in the order in which it was recorded) lacks."""
    before, said = [_key(message) for message in known], [_key(message) for message in given]
    # It goes on where what is known ends, or repeats the beginning of it. Several places may fit; times choose.
    fitting = [n for n in range(min(len(before), len(said)), 0, -1) if before[-n:] == said[:n]]
    if before[: len(said)] == said and _letters(given) >= _ENOUGH:
        fitting.insert(0, len(said))
    whole = next((n for n in fitting if _at_one_time(known[-n:], given[:n])), fitting[0] if fitting else 0)
    if whole and not _is_said_again(known, given[:whole]):
        return list(range(whole, len(given)))
    # It does neither: something is missing, or spelled anew, or all of it is new.
    timed = {(*_key(message), _second(message)) for message in known}
    old = {place for place, message in enumerate(given) if (*_key(message), _second(message)) in timed}
    # Without autojunk, or words that come often among 200 messages would never agree.
    for block in SequenceMatcher(None, before, said, autojunk=False).get_matching_blocks():
        same = given[block.b : block.b + block.size]
        begins_alike = block.a == block.b == 0 and len(given) >= len(known)
        if (begins_alike or _letters(same) >= _ENOUGH) and not _is_said_again(known, same):
            old.update(range(block.b, block.b + block.size))
    return [place for place in range(len(given)) if place not in old]


def _is_said_again(known: Sequence[Said], same: Sequence[Said]) -> bool:
    """Whether messages that agree with known ones are others with the same words: so few, and of a later time."""
    if len(same) > 1 and _letters(same) >= _ENOUGH:
        return False
    last = max((message.time for message in known if message.time), default=None)
    return last is not None and all(message.time is not None and message.time > last + _CLOCK for message in same)


def _at_one_time(known: Sequence[Said], same: Sequence[Said]) -> bool:
    return all(_second(one) == _second(other) for one, other in zip(known, same, strict=True))


def _letters(messages: Sequence[Said]) -> int:
    return sum(message.letters for message in messages)


def _key(message: Said) -> tuple[str, str]:
    return message.role, message.words


def _second(message: Said) -> datetime | None:
    return message.time.replace(microsecond=0) if message.time else None
