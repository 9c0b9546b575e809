"""Runs a piece of our code in a process of its own and lets one system call of it fail, or kills it there (strace).

The process is forked from one that has everything loaded and is attached to before it begins, so that only its own
calls are counted: no run is wasted on the start of an interpreter, and each takes a few hundredths of a second.
"""

from __future__ import annotations

import ctypes
import gc
import os
import re
import signal
import subprocess
import sys
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from wwt_vault.errors import WwtError

__all__ = ["CHANGES", "Fault", "Outcome", "calls_of", "faults_for", "run"]

CHANGES = {
    "close", "fchmod", "fdatasync", "flock", "fsync", "ftruncate", "link", "linkat", "mkdir", "mkdirat", "openat",
    "pwrite64", "rename", "renameat", "renameat2", "rmdir", "unlink", "unlinkat", "write",
}  # fmt: skip
"""System calls that change something, or may: ``openat`` makes files."""

_ERRNOS = {
    "openat": ("EACCES", "EMFILE", "ENOSPC", "EROFS", "EIO"),
    "write": ("ENOSPC", "EDQUOT", "EIO"),
    "pwrite64": ("ENOSPC", "EDQUOT", "EIO"),
    "fsync": ("EIO", "ENOSPC"),
    "link": ("EIO", "ENOSPC", "EMLINK"),
    "rename": ("EIO", "ENOSPC"),
    "renameat2": ("EIO", "ENOSPC"),
    "mkdir": ("ENOSPC", "EACCES"),
    "unlink": ("EIO", "EACCES"),
    "flock": ("ENOLCK",),
    "fchmod": ("EPERM",),
}
"""What each call may say in real life (Linux man pages, section 2); any other: EIO."""
_ERRNOS |= {f"{call}at": _ERRNOS[call] for call in ("link", "rename", "mkdir", "unlink")}  # the same in an open folder

_LEFT_OUT = {"mmap", "munmap", "mprotect", "ioctl", "fcntl", "poll", "select", "dup", "pipe2", "epoll_wait", "statfs"}
"""Calls of the interpreter and its libraries that touch no file of ours."""


class Fault(NamedTuple):
    """What is to happen at the ``when``-th ``call``."""

    call: str
    when: int
    error: str
    """The errno's name; empty: the process is killed."""


class Outcome(NamedTuple):
    """How a process ended."""

    done: bool
    """It came to its end and reported success."""
    refused: bool
    """It said on purpose what went wrong: a ``WwtError`` or an ``OSError``."""
    trace: str
    """Of any other exception."""


def run(act: Callable[[], object], log: Path, fault: Fault | None = None) -> Outcome:
    """Run ``act`` in a fork, with ``fault``; without one, list its calls on files in ``log``."""
    errors = log.with_suffix(".err")
    errors.unlink(missing_ok=True)
    child = os.fork()
    if child == 0:
        _begin(act, errors)
    os.waitpid(child, os.WUNTRACED)
    if fault is None:
        tracing = ["-e", "trace=%file,%desc", "-o", str(log)]
    else:
        what = f"error={fault.error}" if fault.error else "signal=KILL"
        tracing = ["-e", f"trace={fault.call}", "-o", "/dev/null"]
        tracing += ["-e", f"inject={fault.call}:{what}:when={fault.when}"]
    tracer = subprocess.Popen(["strace", *tracing, "-p", str(child)], stderr=subprocess.PIPE, text=True)
    assert tracer.stderr is not None
    said = tracer.stderr.readline()  # "strace: Process … attached"
    os.kill(child, signal.SIGCONT)
    _, status = os.waitpid(child, 0)
    said += tracer.communicate(timeout=60)[1]
    assert "attached" in said, said
    code = os.waitstatus_to_exitcode(status)
    trace = errors.read_text("utf-8", "replace") if errors.exists() else ""
    return Outcome(done=code == 0, refused=code == 3, trace=trace)


def _begin(act: Callable[[], object], errors: Path) -> None:
    gc.disable()
    code = 4
    try:
        ctypes.CDLL(None).prctl(0x59616D61, ctypes.c_ulong(-1), 0, 0, 0)  # PR_SET_PTRACER: strace is no ancestor
        os.kill(os.getpid(), signal.SIGSTOP)
        act()
        code = 0
    except (WwtError, OSError):
        code = 3
    except BaseException:  # noqa: BLE001 - told to the parent
        errors.write_text(traceback.format_exc(), "utf-8")
    finally:
        os._exit(code)


def calls_of(log: Path) -> Counter[str]:
    """Return how often each call on files was made, as ``run`` without a fault has listed them."""
    names = re.findall(r"^(\w+)\(", log.read_text("utf-8", "replace"), re.MULTILINE)
    return Counter(name for name in names if name not in _LEFT_OUT)


def faults_for(calls: Counter[str], *, every: int) -> Iterator[Fault]:
    """Yield a kill at each call and each errno at each call; of calls that only read, every ``every``-th."""
    for call, count in sorted(calls.items()):
        step = 1 if call in CHANGES else every
        for when in range(1, count + 1, step):
            yield Fault(call, when, "")
            for error in _ERRNOS.get(call, ("EIO",)):
                yield Fault(call, when, error)


if sys.platform != "linux":  # pragma: no cover - strace is Linux's
    raise ImportError("faults are injected with strace, which is Linux's")
