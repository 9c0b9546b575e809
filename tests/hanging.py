"""A guard for texts that are made to make a step quadratic: it fails where it would be at work for hours."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

__all__ = ["ends"]

_SECONDS = 180
"""What is a second's work may take this long on a machine that does a hundred other things."""


@contextmanager
def ends() -> Iterator[None]:
    """Fail when what is inside hangs. Sizes are chosen so that only a step in each pair of letters can."""
    if not hasattr(signal, "SIGALRM"):
        yield
        return

    def hangs(_number: int, _frame: FrameType | None) -> None:
        raise AssertionError(f"still at it after {_SECONDS} seconds")

    before = signal.signal(signal.SIGALRM, hangs)
    signal.alarm(_SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
