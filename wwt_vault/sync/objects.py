"""Git's objects: what differs between two trees, bytes out of blobs, and new blobs and commits.

Blobs are written from bytes that were looked at, never from a path: what was checked for secrets is what is committed.
"""

from __future__ import annotations

import hashlib
import re
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from types import TracebackType
from typing import Final, NamedTuple

from wwt_vault.errors import SyncFailed
from wwt_vault.sync.failures import failure
from wwt_vault.sync.git import Git
from wwt_vault.sync.repository import Entry

__all__ = ["Blobs", "Change", "Importer", "blob_id", "differences", "empty_tree", "read_path", "sizes"]

_NEXT: Final = "refs/wwt/next"
"""Where a commit is kept from being collected as garbage until the branch has moved to it."""


class Change(NamedTuple):
    """A path of which one tree says something else than another; ``None`` where it has nothing."""

    before: Entry | None
    after: Entry | None


def empty_tree(hash_name: str) -> str:
    """Return the id of the tree without files, which every repository knows."""
    return hashlib.new(hash_name, b"tree 0\0").hexdigest()


def blob_id(data: bytes, hash_name: str) -> str:
    """Return the id that git gives to these bytes."""
    return hashlib.new(hash_name, b"blob %d\0" % len(data) + data).hexdigest()


def differences(git: Git, old: str, new: str) -> dict[str, Change]:
    """Return what differs between two commits or trees, by path; renames are a file less and a file more."""
    options = ("-r", "-z", "--raw", "--no-renames", "--no-abbrev", "--no-ext-diff", "--ignore-submodules=none")
    parts = git.run("diff-tree", *options, old, new).decode("utf-8", "surrogateescape").split("\0")
    found: dict[str, Change] = {}
    for about, path in zip(parts[0:-1:2], parts[1::2], strict=True):
        old_mode, new_mode, old_id, new_id, _ = about.lstrip(":").split(" ")
        before = Entry(old_mode, old_id) if old_mode != "000000" else None
        after = Entry(new_mode, new_id) if new_mode != "000000" else None
        found[path] = Change(before, after)
    return found


def sizes(git: Git, oids: Iterable[str]) -> dict[str, int]:
    """Return the size in bytes of each blob that is there."""
    asked = "".join(f"{oid}\n" for oid in dict.fromkeys(oids))
    if not asked:
        return {}
    listed = git.run("cat-file", "--batch-check", data=asked.encode()).decode().splitlines()
    found = (line.split(" ") for line in listed)
    return {words[0]: int(words[2]) for words in found if len(words) == 3 and words[1] == "blob"}


def read_path(git: Git, commit: str, path: str) -> bytes | None:
    """Return the bytes of one file of a commit; ``None`` when it has none."""
    code, data = git.status("cat-file", "blob", f"{commit}:{path}", ok=(0, 128))
    return None if code else data


class Blobs:
    """Reads blobs by their ids through one ``git cat-file --batch``."""

    def __init__(self, git: Git) -> None:
        self._git = git
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Blobs:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()
            for stream in (process.stdin, process.stdout, process.stderr):
                with suppress(OSError):
                    if stream:
                        stream.close()

    def read(self, oid: str) -> bytes:
        """Return the bytes of a blob. Raises ``SyncFailed`` (``damaged``) when it is not there."""
        process = self._process = self._process or self._git.start("cat-file", "--batch")
        assert process.stdin is not None and process.stdout is not None  # noqa: S101 - they were asked for
        head: list[bytes] = []
        with suppress(BrokenPipeError):
            process.stdin.write(f"{oid}\n".encode())
            process.stdin.flush()
            head = process.stdout.readline().split()
        if len(head) != 3 or head[1] != b"blob":
            message = f"The repository lacks an object that it should have ({oid}). `git fsck` says what is wrong."
            raise SyncFailed(message, reason="damaged", oid=oid)
        data = process.stdout.read(int(head[2]))
        process.stdout.read(1)
        return data


class Importer:
    """Writes blobs, and a commit that differs from another by them, through one ``git fast-import``."""

    def __init__(self, git: Git, hash_name: str) -> None:
        self._git, self._hash = git, hash_name
        self._process: subprocess.Popen[bytes] | None = None
        self._written: set[str] = set()

    def __enter__(self) -> Importer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process is not None:
            self._process.kill()
            self._close()

    def blob(self, data: bytes) -> str:
        """Write a blob; return its id."""
        oid = blob_id(data, self._hash)
        if oid not in self._written:
            self._written.add(oid)
            self._say(b"blob\ndata %d\n" % len(data), data, b"\n")
        return oid

    def commit(
        self,
        entries: Mapping[str, Entry | None],
        *,
        parents: Sequence[str],
        message: str,
        identity: str,
        at: datetime,
    ) -> str:
        """Write a commit whose tree is that of its first parent but for these entries; return its id.

        ``identity`` is ``Name <mail>``. Nothing can be written after it.
        """
        text = message.encode("utf-8", "replace")
        when = f"{identity} {int(at.timestamp())} +0000"
        lines = [f"commit {_NEXT}", "mark :1", f"author {when}", f"committer {when}"]
        self._say("\n".join([*lines, f"data {len(text)}", ""]).encode("utf-8", "replace"), text, b"\n")
        for number, parent in enumerate(parents):
            self._say(f"{'merge' if number else 'from'} {parent}\n".encode())
        if not parents:
            self._say(b"deleteall\n")
        # What goes, goes first: a folder may come in the place of a file.
        for path, entry in sorted(entries.items(), key=lambda pair: (pair[1] is not None, pair[0])):
            name = _quoted(path)
            line = f"M {entry.mode} {entry.oid} {name}\n" if entry else f"D {name}\n"
            self._say(line.encode("utf-8", "surrogateescape"))
        self._say(b"\nget-mark :1\n")
        process = self._started()
        assert process.stdin is not None and process.stdout is not None  # noqa: S101 - they were asked for
        with suppress(BrokenPipeError):
            process.stdin.flush()
        commit = process.stdout.readline().decode().strip()
        with suppress(BrokenPipeError):
            process.stdin.write(b"done\n")
            process.stdin.close()
        said = process.stderr.read().decode("utf-8", "replace") if process.stderr else ""
        code = process.wait()
        self._close()
        if code or not re.fullmatch("[0-9a-f]{40,64}", commit):
            raise failure("fast-import", said, code)
        return commit

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            self._process = self._git.start("fast-import", "--quiet", "--force", "--done", "--date-format=raw")
        return self._process

    def _say(self, *pieces: bytes) -> None:
        process = self._started()
        with suppress(BrokenPipeError):  # what it died of is read from its last words
            for piece in pieces:
                process.stdin.write(piece)  # type: ignore[union-attr]  # it was asked for

    def _close(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.wait()
            for stream in (process.stdin, process.stdout, process.stderr):
                with suppress(OSError):
                    if stream:
                        stream.close()


def _quoted(path: str) -> str:
    """Return a path as fast-import reads it back: C quoting (git-fast-import(1), "filemodify")."""
    plain = path.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{plain}"'
