"""What a command prints: results on stdout as text or as one JSON object, everything else on stderr.

Nothing here knows what a result means. Rich is loaded only when stderr is a terminal that can show a bar.
"""

from __future__ import annotations

import json
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

__all__ = ["Common", "Progress", "emit", "emit_error", "is_attended", "progress", "say", "stopped_by_signal"]

Progress = Callable[[int, int], None]
"""Called with what is done and what there is to do."""


class Common(NamedTuple):
    """The options that every command takes."""

    vault: str | None = None
    as_json: bool = False


def emit(common: Common, result: Mapping[str, Any], render: Callable[[Mapping[str, Any]], str]) -> None:
    """Print a result: as JSON if that was asked for, else as ``render`` puts it."""
    text = json.dumps(result, ensure_ascii=False, indent=2) if common.as_json else render(result)
    sys.stdout.write(text.rstrip("\n") + "\n")
    sys.stdout.flush()


def emit_error(common: Common, error: Mapping[str, Any]) -> None:
    """Print a failure: ``{"error": {code, message, …}}`` on stdout for programs, a sentence on stderr for people."""
    if common.as_json:
        try:
            sys.stdout.write(json.dumps({"error": error}, ensure_ascii=False, indent=2, default=str) + "\n")
            sys.stdout.flush()
        except OSError:  # a full disk: what went wrong may be that very thing
            say(f"wwt: {error['message']}")
        return
    say(f"wwt: {error['message']}")
    for note in error.get("similar", ()):
        if not isinstance(note, str):  # names of near notes stand in the message
            say(f"  {note['kind']}: {note['path']}" + (f": {note['theirs']} ({note['why']})" if note["theirs"] else ""))
    for key in ("candidates", "lines", "diff"):
        value = error.get(key)
        for line in value.splitlines() if isinstance(value, str) else value or ():
            say(f"  {line}")


def say(line: str) -> None:
    """Tell the person something that is not the result."""
    sys.stderr.write(line + "\n")
    sys.stderr.flush()


def is_attended() -> bool:
    """Return whether somebody is there who can be asked."""
    return sys.stdin.isatty() and sys.stderr.isatty()


@contextmanager
def stopped_by_signal() -> Iterator[threading.Event]:
    """Yield an event that Ctrl-C or a request to end sets; a second Ctrl-C interrupts as usual."""
    stop = threading.Event()
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def end(_number: int, _frame: object) -> None:
        stop.set()
        signal.signal(signal.SIGINT, signal.default_int_handler)

    for number in before:
        signal.signal(number, end)
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def progress(title: str, *, in_bytes: bool = False) -> Iterator[Progress]:
    """Show a bar on stderr while the block runs, if that is a terminal. Counted are things, or bytes."""
    if not sys.stderr.isatty():
        yield lambda *_: None
        return
    from rich import progress as bars  # noqa: PLC0415 - most commands show no bar
    from rich.console import Console  # noqa: PLC0415

    amount = bars.DownloadColumn() if in_bytes else bars.MofNCompleteColumn()
    columns = (bars.TextColumn("{task.description}"), bars.BarColumn(), amount, bars.TimeRemainingColumn())
    with bars.Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
