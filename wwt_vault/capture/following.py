"""Walks a transcript's lines and sets the checkpoints: nothing that may still grow lies before one.

A checkpoint comes after the messages that it has behind it and before all others, so that whoever reads on from it
meets exactly those others.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

from wwt_vault.capture import jsonl
from wwt_vault.model.conversation import Checkpoint, Message, Skipped

__all__ = ["Place", "before", "follow", "resume"]


class Place(NamedTuple):
    """A place in a transcript, at the start of a line."""

    offset: int
    line: int
    """Lines before it."""
    state: Any
    """The reader's, at this place; never changed in place."""


if TYPE_CHECKING:  # a protocol costs every hook a millisecond
    from typing import Protocol

    class Reader(Protocol):
        """What a host's module knows about the records of its transcripts."""

        state: Any
        """What the lines so far mean for those to come: an immutable value."""
        waiting: Place | None
        """Where what was begun and may still grow begins; ``None`` when all is complete."""

        @property
        def patience(self) -> int:
            """How many messages to let pass between two checkpoints: more than none where a state is large."""

        def take(self, record: dict[str, Any], line: jsonl.Line) -> Iterator[Message | Skipped]:
            """Yield what became complete with the next record."""

        def rest(self) -> Iterator[Message]:
            """Yield what may still grow, as it is now."""

        def as_json(self, state: Any) -> dict[str, Any]:
            """Return a state as what a checkpoint keeps."""


def resume(path: jsonl.File, start: Checkpoint | None) -> tuple[BinaryIO, Checkpoint]:
    """Open a transcript at ``start``, or at its beginning when it is shorter: then it is another one than was read."""
    file = jsonl.open_stream(path)
    if start is not None:
        if jsonl.skip_to(file, start.offset) == start.offset:
            return file, start
        file.close()
        file = jsonl.open_stream(path)
    return file, Checkpoint(offset=0, line=0, state={})


def before(line: jsonl.Line, state: Any) -> Place:
    """Return the place before ``line``."""
    return Place(offset=line.start, line=line.number - 1, state=state)


def follow(
    reader: Reader, path: jsonl.File, lines: Iterator[jsonl.Line], start: Checkpoint
) -> Iterator[Message | Skipped | Checkpoint]:
    """Yield what ``reader`` makes of ``lines``, with a checkpoint after each complete unit."""
    place = Place(start.offset, start.line, reader.state)
    told: Place | None = None
    unfinished = None
    said = 0
    for line in lines:
        if not line.whole:
            yield _checkpoint(reader, place)
            told = place
        understood = False
        for record in jsonl.records(line):
            understood = True
            if isinstance(record, str):
                yield Skipped(path=str(path), line=line.number, reason=record)
                continue
            for item in reader.take(record, line):
                said += isinstance(item, Message)
                yield item
        if line.whole:
            place = reader.waiting or Place(line.end, line.number, reader.state)
            if said > reader.patience:
                yield _checkpoint(reader, place)
                told, said = place, 0
        elif not understood:
            unfinished = Skipped(path=str(path), line=line.number, reason="the last line is not finished")
    if told is None or told.offset != place.offset:
        yield _checkpoint(reader, place)
    yield from reader.rest()
    if unfinished is not None:
        yield unfinished


def _checkpoint(reader: Reader, place: Place) -> Checkpoint:
    return Checkpoint(offset=place.offset, line=place.line, state=reader.as_json(place.state))
