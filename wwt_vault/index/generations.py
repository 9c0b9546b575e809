"""Generations of the index on disk: whole, immutable once published, swapped by one rename.

    current                        the number of the published generation
    next                           that of one which renews an outdated current one in several steps
    generations/17/lexical/…       ``lexical``
    generations/17/rows.npz        ``rows``
    generations/17/manifest.json   which documents are in it, in which state: what a refresh compares
    generations/17/about.json      versions, counts, file sizes
    generations/.new-…             being built; left over when a build was killed

Readers open what ``current`` names and are never disturbed: the generation before stays until the next is published,
and an open file outlives its name. Nothing is flushed to disk by force: after a power failure the sizes differ or a
reader fails, and the index is built again from the vault.

Everything a damaged file can raise becomes ``Damaged``.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
import threading
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, get_args

from wwt_vault.index import analysis, passages, privacy
from wwt_vault.model.conversation import DocumentId, Revision

if TYPE_CHECKING:
    from wwt_vault.index.lexical import Reader
    from wwt_vault.index.rows import Rows

__all__ = [
    "Damaged",
    "Generation",
    "Known",
    "Manifests",
    "Pointer",
    "current_generation",
    "manifest_identity",
    "new_folder",
    "others",
    "point",
    "publish",
    "read_manifest",
    "reading",
    "sweep",
    "versions",
    "write_about",
]

Pointer = Literal["current", "next"]

_FORMAT: Final = 1
"""Goes up whenever the files of an earlier version cannot be read any more."""
_DAMAGE_MARK: Final = "damaged"


class Damaged(Exception):
    """A generation that cannot be read; the message says what failed."""


class Known(NamedTuple):
    """A document as a generation holds it."""

    stamp: str
    """Of the file when it was read."""
    settled: bool
    """False: it was read so soon after its last change that the stamp may not tell; it is read once more."""
    revision: Revision


@contextmanager
def reading(what: str) -> Iterator[None]:
    """Turn whatever reading an index file raises into ``Damaged``, but not what is the machine's fault."""
    try:
        yield
    except (Damaged, MemoryError):
        raise
    except Exception as error:
        if isinstance(error, OSError) and error.errno in {errno.EMFILE, errno.ENFILE, errno.ENOMEM}:
            raise
        # whoosh unpickles: a flipped byte calls anything with anything, so there is no list of what it raises.
        raise Damaged(f"{what}: {type(error).__name__}: {error}"[:300]) from error


@dataclass(frozen=True, slots=True)
class About:
    """What a generation says of itself."""

    number: int
    versions: Mapping[str, int]
    kiwi: str | None
    """Version of the Korean analyser that made its terms, where there was Korean."""
    documents: int
    passages: int
    sums: Mapping[str, int]
    """CRC-32 of each file; none for one that an earlier version of this program published."""


class Generation:
    """A published generation, read lazily. Any number of threads."""

    def __init__(self, folder: Path, number: int) -> None:
        """Open generation ``number`` of the index in ``folder``. Raises ``Damaged``; reads only ``about.json``."""
        self.number = number
        self.folder = folder / "generations" / str(number)
        self._lock = threading.Lock()
        self._lexical: Reader | None = None
        self._rows: Rows | None = None
        with reading("about.json"):
            if (self.folder / _DAMAGE_MARK).exists():
                raise Damaged((self.folder / _DAMAGE_MARK).read_text("utf-8", "replace"))
            about = json.loads((self.folder / "about.json").read_bytes())
            for name, size in about["sizes"].items():
                if (self.folder / name).stat().st_size != size:
                    raise Damaged(f"{name} is not {size} bytes long")
            self.about = About(
                number, about["versions"], about["kiwi"], about["documents"], about["passages"], about.get("sums", {})
            )

    @property
    def lexical(self) -> Reader:
        """The inverted index."""
        with self._lock:
            if self._lexical is None:
                from wwt_vault.index.lexical import Reader  # noqa: PLC0415 - whoosh and numpy, only to search

                with reading("the inverted index"):
                    self._lexical = Reader(self.folder / "lexical")
            return self._lexical

    @property
    def rows(self) -> Rows:
        """The row arrays."""
        with self._lock:
            if self._rows is None:
                from wwt_vault.index.rows import load_rows  # noqa: PLC0415 - numpy, only to search

                with reading("rows.npz"):
                    self._rows = load_rows(self.folder / "rows.npz")
                    if self._rows.passages != self.about.passages:
                        raise Damaged(f"{self._rows.passages} rows, {self.about.passages} promised")
            return self._rows

    def manifest(self) -> dict[DocumentId, Known]:
        """Return its documents, in the order of their numbers. Raises ``Damaged``."""
        return read_manifest(self.folder / "manifest.json")

    def mark_damaged(self, reason: str) -> None:
        """Make every process treat it as damaged, so that the next refresh builds anew."""
        with suppress(OSError):  # a cache that cannot be written cannot be repaired either
            privacy.write(self.folder / _DAMAGE_MARK, reason.encode("utf-8", "replace"))

    def close(self) -> None:
        """Let go of the files."""
        with self._lock:
            if self._lexical is not None:
                self._lexical.close()
                self._lexical = None


def manifest_identity(folder: Path) -> tuple[int, int]:
    """Return inode and modification time (ns) of a generation's manifest: one that replaces it differs.

    Raises ``Damaged``.
    """
    with reading("manifest.json"):
        status = (folder / "manifest.json").stat()
        return status.st_ino, status.st_mtime_ns


class Manifests:
    """Writes manifests, and knows the one that was read or written last: whoever refreshes again need not read it.

    For any thread; who writes holds the lock of the refresh.
    """

    def __init__(self) -> None:
        """Know none."""
        self._kept: tuple[Path, tuple[int, int], Mapping[DocumentId, Known]] | None = None
        self._rows: dict[DocumentId, tuple[Known, str]] = {}
        """As they stand in the file."""

    def of(self, generation: Generation) -> tuple[Mapping[DocumentId, Known], tuple[int, int]]:
        """Return the documents of a generation and the identity of its manifest. Raises ``Damaged``."""
        identity, kept = manifest_identity(generation.folder), self._kept
        if kept is None or kept[:2] != (generation.folder, identity):
            self._kept = kept = generation.folder, identity, generation.manifest()
        return kept[2], identity

    def write(self, folder: Path, documents: Mapping[DocumentId, Known]) -> None:
        """Write the manifest of a generation in the making, or one in the place of that which it has."""
        before = self._rows
        self._rows = {
            name: row if (row := before.get(name)) and row[0] is known else (known, _as_json(name, known))
            for name, known in documents.items()
        }
        _write(folder / "manifest.json", "{" + ",\n".join(row for _, row in self._rows.values()) + "}")

    def keep(self, folder: Path, documents: Mapping[DocumentId, Known]) -> None:
        """Take over what was just written for the generation in ``folder``; it must not change any more."""
        with suppress(Damaged):
            self._kept = folder, manifest_identity(folder), documents


def versions() -> dict[str, int]:
    """Return the versions that a generation must have been made by to be current."""
    return {"format": _FORMAT, "analysis": analysis.VERSION, "passages": passages.VERSION}


def current_generation(folder: Path, pointer: Pointer = "current") -> int | None:
    """Return the number of the published generation, ``None`` when there is none. Raises ``Damaged``."""
    try:
        text = (folder / pointer).read_text("ascii")
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise Damaged(f"{pointer}: {error}") from error
    if not text.strip().isdecimal():
        raise Damaged(f"{pointer} holds {text[:20]!r}")
    return int(text)


def others(folder: Path, first: int | None) -> list[int]:
    """Return the numbers of all generations there are, ``first`` before the others, those from the newest down."""
    found: list[int] = []
    with suppress(OSError):
        found = [int(path.name) for path in (folder / "generations").iterdir() if path.name.isdecimal()]
    return sorted(found, key=lambda number: (number != first, -number))


def new_folder(folder: Path) -> Path:
    """Make an empty folder to build in. Only the holder of the refresh lock calls this, so none else is building."""
    generations = folder / "generations"
    privacy.make_folder(generations)
    for left_over in generations.glob(".new-*"):
        shutil.rmtree(left_over, ignore_errors=True)
    fresh = generations / f".new-{os.getpid()}-{os.urandom(4).hex()}"
    fresh.mkdir(mode=0o700)
    return fresh


def publish(folder: Path, built: Path, pointer: Pointer = "current") -> int:
    """Give a built folder a number, newer than all, and point to it; return the number."""
    number = max(others(folder, None), default=0) + 1
    built.rename(built.parent / str(number))
    point(folder, number, pointer)
    return number


def point(folder: Path, number: int, pointer: Pointer = "current") -> None:
    """Make a generation current, or the next one, atomically. What becomes current ends every renewal."""
    aside = folder / f"{pointer}.{os.getpid()}"
    privacy.write(aside, f"{number}\n".encode())
    aside.replace(folder / pointer)
    if pointer == "current":
        (folder / "next").unlink(missing_ok=True)


def sweep(folder: Path, keep: int) -> None:
    """Remove generations that nothing points to, but the newest ``keep``. What Windows holds open stays."""
    pointed = set[int | None]()
    for pointer in get_args(Pointer):
        with suppress(Damaged):
            pointed.add(current_generation(folder, pointer))
    for old in [number for number in others(folder, None) if number not in pointed][keep:]:
        shutil.rmtree(folder / "generations" / str(old), ignore_errors=True)


def write_about(
    folder: Path, *, kiwi: str | None, documents: int, passages_count: int, base: Generation | None = None
) -> None:
    """Write ``about.json`` of a folder that was built on ``base``: last, when all other files are there."""
    files = {
        path.relative_to(folder).as_posix(): path
        for path in sorted(folder.rglob("*"))
        # The manifest is replaced when only stamps change, and lock files come and go.
        if path.is_file() and path.name != "manifest.json" and not path.name.endswith("LOCK")
    }
    sizes = {name: path.stat().st_size for name, path in files.items()}
    known = base.about.sums if base else {}
    sums = {
        # A file that came along from the base as a second link is the same.
        name: known[name]
        if base and name in known and path.samefile(base.folder / name)
        else zlib.crc32(path.read_bytes())
        for name, path in files.items()
    }
    about = {
        "versions": versions(),
        "kiwi": kiwi,
        "documents": documents,
        "passages": passages_count,
        "sizes": sizes,
        "sums": sums,
    }
    (folder / "about.json").write_text(json.dumps(about), "utf-8")
    privacy.close_tree(folder)


def _as_json(name: DocumentId, known: Known) -> str:
    return f"{json.dumps(name, ensure_ascii=False)}:{json.dumps(known, ensure_ascii=False)}"


def _write(path: Path, text: str) -> None:
    """Write a manifest atomically under a checksum: without it a changed digit would hide a changed document."""
    body = text.encode("utf-8", "surrogatepass")
    aside = path.with_suffix(f".{os.getpid()}")
    privacy.write(aside, f"{zlib.crc32(body):08x}\n".encode() + body)
    aside.replace(path)


def read_manifest(path: Path) -> dict[DocumentId, Known]:
    """Read the documents of a generation, in the order of their numbers. Raises ``Damaged``."""
    with reading("manifest.json"):
        checksum, _, body = path.read_bytes().partition(b"\n")
        if int(checksum, 16) != zlib.crc32(body):
            raise Damaged("manifest.json: the checksum differs")
        documents: dict[str, tuple[str, bool, str]] = json.loads(body.decode("utf-8", "surrogatepass"))
        return {
            DocumentId(name): Known(stamp, settled, Revision(revision))
            for name, (stamp, settled, revision) in documents.items()
        }
