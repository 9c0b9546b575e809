"""What git, curl and OpenSSH say when something fails, as an error that tells a person what to do.

Their words are English: sync asks for that by ``LC_ALL=C``.
"""

from __future__ import annotations

import re
from pathlib import Path

from wwt_vault.errors import SyncFailed, SyncRefused, Unreachable

__all__ = ["failure", "is_local", "shown_url", "transfer_failure"]


def failure(command: str, said: str, code: int, lock: str | None = None) -> SyncFailed | SyncRefused:
    """Return what a failed command of this repository means; ``lock`` is the lock file that it ran into."""
    if lock:
        message = (
            f"Another git is working in the vault ({lock} is there). Try again when it is done. If none is running, "
            "one was cut off: delete that file. Nothing of yours was changed."
        )
        return SyncFailed(message, reason="locked", path=lock)
    if "dubious ownership" in said:
        message = f"git does not trust this folder, which belongs to somebody else: {_sentence(said)}"
        return SyncRefused(message, reason="ownership")
    return SyncFailed(f"git {command} failed ({code}): {_sentence(said)}", reason="failed")


_DENIED = (
    "authentication failed",
    "could not read username",
    "could not read password",
    "permission denied",
    "access denied",
    "error: 401",
    "error: 403",
    "terminal prompts disabled",
    "not allowed to push",
    "insufficient permission",
    "dubious ownership",
)
_NO_REPOSITORY = (
    "repository not found",
    "does not appear to be a git repository",
    "error: 404",
    "not exported",
    "no such repository",
    "project you were looking for could not be found",
)
_REJECTED = ("[rejected]", "(fetch first)", "(non-fast-forward)", "failed to update ref", "cannot lock ref")
_OFFLINE = (
    "could not resolve",
    "connection refused",
    "timed out",
    "network is unreachable",
    "no route to host",
    "connection reset",
    "unable to connect",
    "failed to connect",
    "couldn't connect",
    "hung up",
    "early eof",
    "unexpected disconnect",
    "temporary failure",
    "connection closed",
    "broken pipe",
    "rpc failed",
    "ssl",
    "could not read from remote repository",
    "error: 5",
)


def transfer_failure(said: str, remote: str) -> SyncFailed:
    """Return what it means that a transfer from or to ``remote`` failed."""
    folded, about = said.casefold(), _sentence(said)
    if any(words in folded for words in _REJECTED):
        return SyncFailed(f"{remote} has news: {about}", reason="rejected", remote=remote)
    if "[remote rejected]" in folded:
        return SyncFailed(f"{remote} refused the push: {about}", reason="refused_there", remote=remote)
    if "host key verification failed" in folded:
        message = (
            f"ssh does not know the host of {remote}, or its key is not the one that ssh knows. Go there once in a "
            f"terminal (`ssh HOST`), see whether the key is the right one, and sync again."
        )
        return SyncFailed(message, reason="host_key", remote=remote)
    if any(words in folded for words in _DENIED):
        message = (
            f"{remote} does not let you in: {about}. Sync never asks for passwords: add your key to ssh-agent, or let "
            f"git's credential helper know it by one `git fetch` in a terminal."
        )
        return SyncFailed(message, reason="denied", remote=remote)
    gone = "does not exist" in folded or "does not appear" in folded
    if gone and is_local(remote) and not Path(remote.removeprefix("file://")).exists():
        message = f"{remote} is not there now. What is to be sent waits for the next sync."
        return Unreachable(message, reason="no_disk", remote=remote)
    if any(words in folded for words in _NO_REPOSITORY):
        message = f"There is no repository at {remote}, or none you may see: {about}"
        return SyncFailed(message, reason="no_repository", remote=remote)
    if any(words in folded for words in _OFFLINE):
        message = f"{remote} cannot be reached: {about}. What is to be sent waits for the next sync."
        return Unreachable(message, reason="offline", remote=remote)
    return SyncFailed(f"{remote}: {about}", reason="failed", remote=remote)


def _sentence(said: str) -> str:
    """Return the last thing that went wrong, without git's progress and hints."""
    lines = [line.strip() for line in re.split(r"[\r\n]+", said)]
    telling = [line for line in lines if re.match(r"(fatal|error|remote: error|ssh|remote: fatal|!)", line)]
    wanted = telling[:2] or [line for line in lines if line and not line.startswith("hint:")][-2:]
    text = "; ".join(re.sub(r"^(fatal|error): ", "", line) for line in wanted)
    return shown_url(text)[:500].rstrip(".") or "no reason given"


def is_local(url: str) -> bool:
    """Return whether a remote is a folder of this machine: a disk, a network drive."""
    return url.startswith("file://") or re.match(r"[A-Za-z][A-Za-z0-9+.-]*://|[^/\\]{2,}:", url) is None


def shown_url(text: str) -> str:
    """Return a text without the names and passwords in its URLs."""
    return re.sub(r"(://)[^/@\s'\"]+@", r"\1", text)
