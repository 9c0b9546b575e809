"""Reads and writes settings files of the person's: whole or not at all, through links, with a copy from before."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from wwt_vault.errors import Refused, UnparsableSettings
from wwt_vault.vault.beneath import make_folder, plain, sync_folder
from wwt_vault.vault.syscalls import aside, clear_errors, drop, rename_over, write_aside

__all__ = ["FileChange", "copy_from_before", "decoded", "read", "write"]


class FileChange(NamedTuple):
    """What is to become of one file."""

    path: Path
    """As the host names it; may be a link."""
    before: bytes | None
    """``None``: there is no file."""
    after: bytes | None
    """``None``: there is to be none."""
    keep_copy: bool
    """Whether ``before`` is to be kept beside it."""
    drop_copy: bool
    """Whether a copy kept earlier has served."""


def read(path: Path) -> bytes | None:
    """Return the bytes of a file, through links; ``None`` when there is none. Raises ``VaultError``."""
    with clear_errors(path, reading=True):
        try:
            return path.read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return None


def decoded(data: bytes | None, name: str) -> str:
    """Return the text of a file, a byte order mark included. Raises ``UnparsableSettings`` for what is not UTF-8."""
    try:
        return (data or b"").decode()
    except UnicodeDecodeError as error:
        line = (data or b"").count(b"\n", 0, error.start) + 1
        message = f"{name}, line {line}: not UTF-8. The file was left as it is: save it as UTF-8, then run this again."
        raise UnparsableSettings(message, path=name, line=line) from None


def copy_from_before(path: Path) -> Path:
    """Return where the copy of a file lies that was made before its first change."""
    return path.with_name(path.name + ".before-wwt")


def write(change: FileChange) -> None:
    """Make the change, if the file is still what it was when the change was planned.

    The new file appears in one step, with the old one's mode; a link is kept and what it leads to changed. The copy is
    readable by the user alone. Raises ``Refused`` when the file is another by now, ``VaultError``.
    """
    if read(change.path) != change.before:
        message = f"{change.path} was changed by another program in this moment; nothing was written, run this again"
        raise Refused(message, path=str(change.path))
    with clear_errors(change.path):
        target = change.path.resolve()
        if change.keep_copy and change.before is not None:
            _replace(copy_from_before(change.path), change.before, 0o600, None)
        if change.after is None:
            target.unlink(missing_ok=True)
        else:
            make_folder(target.parent)
            _replace(target, change.after, 0o666, target if target.exists() else None)
        if change.drop_copy:
            copy_from_before(change.path).unlink(missing_ok=True)


def _replace(path: Path, data: bytes, mode: int, like: Path | None) -> None:
    place = plain(path)
    temporary = aside(place)
    write_aside(temporary, data, mode, like=plain(like) if like is not None else None)
    try:
        rename_over(temporary, place)
    except BaseException:
        drop(temporary)
        raise
    sync_folder(place)
