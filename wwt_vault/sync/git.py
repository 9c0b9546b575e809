"""The git program, called so that nothing but git itself runs, and its failures said in words.

No hook, filter, file-system monitor, pager or password dialog is started, whatever the repository's settings or
attributes say; only the usual protocols are spoken. Git never writes a file of the vault: it keeps and carries objects,
``applying`` writes the files. What a repository's own settings say about how a remote is reached (``core.sshCommand``,
credential helpers) is used, as ``git pull`` would use it.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Final, NamedTuple

from wwt_vault.errors import SyncFailed, Unreachable
from wwt_vault.sync.failures import failure, transfer_failure
from wwt_vault.sync.stale import remove_if_stale

__all__ = ["MINIMUM", "Git", "Patience", "find_git"]

MINIMUM: Final = (2, 30)
"""The oldest git this is written for: Debian 11 has it."""
PROTOCOLS: Final = ("file", "git", "http", "https", "ssh")
_NOTHING_RUNS: Final = {
    "core.hooksPath": os.devnull,
    "core.fsmonitor": "false",
    "core.askPass": "",
    "core.symlinks": "false",
    "core.fileMode": "false",
    "core.protectHFS": "true",
    "core.protectNTFS": "true",
    "core.autocrlf": "false",
    "core.quotePath": "false",
    "log.showSignature": "false",
    "submodule.recurse": "false",
    "fetch.recurseSubmodules": "false",
    "push.recurseSubmodules": "no",
    "push.followTags": "false",
    "push.gpgSign": "false",
    "fetch.writeCommitGraph": "false",
    "http.lowSpeedLimit": "1",
    "http.lowSpeedTime": "60",
    "protocol.allow": "never",
    **{f"protocol.{name}.allow": "always" for name in PROTOCOLS},
}
_KEPT: Final = re.compile(
    "GIT_(SSH|SSH_COMMAND|SSH_VARIANT|SSL_.*|HTTP_.*|PROXY_.*|CONFIG_(GLOBAL|SYSTEM|NOSYSTEM)|CEILING_DIRECTORIES|EXEC_PATH)"
)
"""Variables of git's that say how to reach others; all else might point it at another repository."""
_SSH: Final = "ssh -oBatchMode=yes -oConnectTimeout=15 -oServerAliveInterval=15 -oServerAliveCountMax=4"
_LOCKED: Final = re.compile(r"Unable to create '([^'\n]+\.lock)'")


class Patience(NamedTuple):
    """How long others are waited for, in seconds."""

    silence: float = 90.0
    """Without a word from a transfer: then it counts as cut off. Git reports its progress every second."""
    lock: float = 10.0
    """For a lock of another git."""


class Git(NamedTuple):
    """The git program, working in one folder."""

    program: str
    root: Path
    environ: Mapping[str, str]
    settings: tuple[str, ...] = ()
    """More ``key=value`` for this repository: filters that are switched off."""
    patience: Patience = Patience()

    def run(self, *arguments: str, data: bytes = b"", ok: Sequence[int] = (0,)) -> bytes:
        """Run a command to its end and return what it printed. Another process's lock is waited for.

        Raises ``SyncFailed`` (``reason`` ``locked``, ``no_git``, ``failed``), ``SyncRefused`` (``ownership``).
        """
        return self.status(*arguments, data=data, ok=ok)[1]

    def status(self, *arguments: str, data: bytes = b"", ok: Sequence[int] = (0,)) -> tuple[int, bytes]:
        """Like :meth:`run`; return the exit code as well, one of ``ok``."""
        deadline, pause = time.monotonic() + self.patience.lock, 0.05
        while True:
            try:
                done = subprocess.run(
                    self.command(arguments),
                    input=data,
                    capture_output=True,
                    check=False,
                    cwd=self.root,
                    env=self._env(),
                )
            except OSError as error:
                raise SyncFailed(f"git cannot be run: {error}", reason="no_git") from error
            said = done.stderr.decode("utf-8", "replace")
            if done.returncode in ok:
                return done.returncode, done.stdout
            lock = _LOCKED.search(said)
            if lock is None or (time.monotonic() > deadline and not remove_if_stale(Path(lock[1]), self.root)):
                raise failure(arguments[0], said, done.returncode, lock[1] if lock else None)
            time.sleep(pause)
            pause = min(pause * 2, 1.0)

    def start(self, *arguments: str) -> subprocess.Popen[bytes]:
        """Start a command that is fed and read while it runs."""
        try:
            return subprocess.Popen(
                self.command(arguments),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=self.root,
                env=self._env(),
            )
        except OSError as error:
            raise SyncFailed(f"git cannot be run: {error}", reason="no_git") from error

    def transfer(self, *arguments: str, remote: str) -> bytes:
        """Run a command that talks to ``remote`` and return what it printed; it is ended when nothing moves.

        Raises ``Unreachable``, ``SyncFailed`` (``reason`` ``denied``, ``rejected``, …: see ``failures``).
        """
        process = subprocess.Popen(
            self.command(arguments),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=self.root,
            env=self._env(),
            start_new_session=True,  # no terminal that a password could be asked on, and one group to be ended
        )
        said = _Listener(process.stderr)
        printed = _Listener(process.stdout)
        ended = threading.Thread(target=process.wait, daemon=True)  # its own timeout looks only every 50 ms
        ended.start()
        cut = False
        while True:
            ended.join(0.2)
            if not ended.is_alive():
                break
            if not cut and time.monotonic() - max(said.last, printed.last) > self.patience.silence:
                cut = True
                _end(process)
        errors = said.text()
        if cut:
            message = f"{remote} stopped answering. What is to be sent waits for the next sync."
            raise Unreachable(message, reason="silent", remote=remote)
        if process.returncode:
            raise transfer_failure(errors + printed.text(), remote)
        return printed.text().encode()

    def command(self, arguments: Sequence[str]) -> list[str]:
        """Return the whole command line."""
        settings = [f"{key}={value}" for key, value in _NOTHING_RUNS.items()]
        pairs = (part for setting in (*settings, *self.settings) for part in ("-c", setting))
        literal = [] if arguments[0] == "check-ignore" else ["--literal-pathspecs"]  # it does not know them
        return [self.program, *pairs, "--no-pager", *literal, *arguments]

    def _env(self) -> dict[str, str]:
        env = {key: value for key, value in self.environ.items() if not key.startswith("GIT_") or _KEPT.fullmatch(key)}
        for key in ("SSH_ASKPASS", "LANGUAGE"):
            env.pop(key, None)
        return env | {"LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0", "GCM_INTERACTIVE": "never", "GIT_FLUSH": "1"}

    def with_filters_off(self, settings: Mapping[str, str]) -> Git:
        """Return git that runs no filter of those in ``settings`` (lower-case keys), and that ssh asks nothing."""
        names = {key.split(".", 1)[1].rpartition(".")[0] for key in settings if key.startswith("filter.")}
        off = [f"filter.{name}.{part}=" for name in sorted(names) for part in ("clean", "smudge", "process")]
        off += [f"filter.{name}.required=false" for name in sorted(names)]
        own_ssh = "core.sshcommand" in settings or {"GIT_SSH", "GIT_SSH_COMMAND"} & self.environ.keys()
        return self._replace(settings=(*off, *([] if own_ssh else [f"core.sshCommand={_SSH}"])))


def find_git(root: Path, environ: Mapping[str, str]) -> Git:
    """Return the git program for a folder. Raises ``SyncFailed`` when there is none, or an old one."""
    program = shutil.which("git", path=environ.get("PATH"))
    if program is None:
        message = "git is not installed: get it from https://git-scm.com and try again. The vault works without it."
        raise SyncFailed(message, reason="no_git")
    return Git(program, root, environ)


class _Listener:
    """Collects what a program says, in a thread, and knows when it last said something."""

    def __init__(self, stream: IO[bytes] | None) -> None:
        self.last = time.monotonic()
        self._pieces: list[bytes] = []
        self._thread = threading.Thread(target=self._run, args=(stream,), daemon=True)
        self._thread.start()

    def _run(self, stream: IO[bytes]) -> None:
        while piece := os.read(stream.fileno(), 1 << 16):
            self._pieces.append(piece)
            self.last = time.monotonic()
        stream.close()

    def text(self) -> str:
        """Return all of it, when the program has ended."""
        self._thread.join(5)  # a daemon that ssh left behind may hold the pipe
        return b"".join(self._pieces).decode("utf-8", "replace")


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a program and what it started."""
    with suppress(OSError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, 15)
        else:
            process.terminate()
    with suppress(subprocess.TimeoutExpired):
        process.wait(5)
        return
    with suppress(OSError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, 9)
        else:
            process.kill()
