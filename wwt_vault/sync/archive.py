"""The whole truth of a vault in one file, and back: a zip archive with a manifest of hashes.

``manifest.json`` stands last in the archive::

    {"archive": 1, "vault_id": "…", "vault_format": 1, "made": "2026-11-30T02:02:01.123Z", "machine": "laptop",
     "files": {"Home.md": {"sha256": "…", "size": 123}, …}}

Every other entry is a file of the vault under its path. What was derived, what belongs to one machine and git's own are
not in it. An archive is never taken at its word: names, sizes and hashes are checked before anything is written.
"""

from __future__ import annotations

import hashlib
import json
import lzma
import os
import stat
import unicodedata
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any, Final, NamedTuple

from wwt_vault.errors import BadArchive, BadArgument, FormatTooNew, Refused
from wwt_vault.model.conversation import format_time
from wwt_vault.sync import belonging
from wwt_vault.vault import FORMAT, Vault, creation, files, format_of, layout, open_vault

__all__ = ["Manifest", "back_up", "members", "opened", "read_manifest", "restore"]

_MANIFEST: Final = "manifest.json"
_ARCHIVE: Final = 1
"""Version of the form of archives."""
_MAX_MANIFEST: Final = 1 << 30
_PIECE: Final = 1 << 20


class Manifest(NamedTuple):
    """What an archive says it holds."""

    vault_id: str
    vault_format: int
    made: str
    machine: str
    files: dict[str, tuple[str, int]]
    """Path to SHA-256 in hex and size in bytes."""


def members(vault: Vault) -> Iterator[str]:
    """Yield the paths of all files of a vault, what refers to others before what is referred to.

    So a file that a writer adds meanwhile is in the archive when something in it refers to it.
    """
    tops = {unicodedata.normalize("NFC", name): name for name in sorted(os.listdir(vault.root))}  # noqa: PTH208 - names
    last = [layout.CONVERSATIONS, layout.DATA]
    if vault.settings.events_folder != layout.EVENTS:
        last.append(vault.settings.events_folder)
    for top in (*(name for name in tops if name not in last), *last):  # each is listed when all before it was read
        yield from sorted(_below(vault.root, tops.get(top, top)), key=belonging.order_of_writing, reverse=True)


def _below(root: Path, top: str) -> Iterator[str]:
    place = root / top
    if not place.is_symlink() and place.is_file():
        if belonging.belongs(unicodedata.normalize("NFC", top)):
            yield top
        return
    for folder, folders, names in os.walk(place):
        folders[:] = [name for name in folders if not (Path(folder) / name).is_symlink()]
        rel = Path(folder).relative_to(root).as_posix()
        for name in names:
            path = f"{rel}/{name}"
            if belonging.belongs(unicodedata.normalize("NFC", path)):
                yield path


def back_up(vault: Vault, target: Path, *, machine: str, at: datetime) -> Manifest:
    """Write an archive of the vault to ``target``, readable by its owner alone, and read it back to be sure.

    Raises ``BadArgument`` when ``target`` is there already or lies in the vault, ``BadArchive`` when what was written
    cannot be read back, ``VaultError``, ``OSError`` (disk full).
    """
    target = target.expanduser().absolute()
    if target.exists():
        raise BadArgument(f"{target} is there already: name another file", argument="file")
    if vault.root.resolve() in target.resolve().parents:
        raise BadArgument(f"{target} lies in the vault: name a file outside of it", argument="file")
    entries: dict[str, tuple[str, int]] = {}
    spare = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        handle = os.open(spare, os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
        with open(handle, "w+b") as file:  # noqa: PTH123 - made for its owner alone
            with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
                for path in members(vault):
                    place = vault.root / path
                    data = files.read(place)
                    name = unicodedata.normalize("NFC", path)
                    if data is None or name in entries:
                        continue  # deleted since it was listed, or there in two forms
                    entries[name] = hashlib.sha256(data).hexdigest(), len(data)
                    archive.writestr(_info(name, at), data)
                manifest = Manifest(vault.id, format_of(vault.settings), format_time(at), machine, entries)
                archive.writestr(_info(_MANIFEST, at), _manifest_text(manifest))
            file.flush()
            os.fsync(file.fileno())
        with opened(spare) as archive:
            _verify(archive, read_manifest(archive))
        spare.rename(target)
    finally:
        spare.unlink(missing_ok=True)
    return manifest


def _info(name: str, at: datetime) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name, (max(at.year, 1980), at.month, at.day, at.hour, at.minute, at.second))
    info.compress_type = zipfile.ZIP_DEFLATED
    info.external_attr = (stat.S_IFREG | 0o600) << 16
    return info


def _manifest_text(manifest: Manifest) -> bytes:
    table: dict[str, Any] = {
        "archive": _ARCHIVE,
        "vault_id": manifest.vault_id,
        "vault_format": manifest.vault_format,
        "made": manifest.made,
        "machine": manifest.machine,
        "files": {path: {"sha256": digest, "size": size} for path, (digest, size) in manifest.files.items()},
    }
    return json.dumps(table, ensure_ascii=False, indent=0).encode("utf-8", "replace") + b"\n"


def restore(source: Path, root: Path) -> Vault:
    """Write the vault of an archive into ``root``, an empty folder or none yet, and open it.

    Everything is checked before anything is written; the file that makes a folder a vault is written last. Raises
    ``BadArchive`` for anything that is not as the manifest says, ``FormatTooNew``, ``Refused`` when ``root`` is not
    empty or lies in another vault, ``VaultReadOnly``, ``VaultError``.
    """
    root = Path(os.path.abspath(root.expanduser()))  # noqa: PTH100 - links stay
    if root.exists() and (not root.is_dir() or any(root.iterdir())):
        raise Refused(f"{root} is not empty: restore into an empty folder. Nothing was written.", path=str(root))
    creation.refuse_inside_a_vault(root)
    with opened(source) as archive:
        manifest = read_manifest(archive)
        if layout.VAULT_FILE not in manifest.files:
            raise _bad(source, f"{layout.VAULT_FILE} is not in it")
        _verify(archive, manifest)
        for path in sorted(manifest.files, key=belonging.order_of_writing):
            data = archive.read(path)
            if hashlib.sha256(data).hexdigest() != manifest.files[path][0]:
                raise _bad(source, f"{path} changed while it was read")
            files.create_once(layout.inside(root, path, hidden=True), data)
    return open_vault(root)


_DAMAGE = (
    *(zipfile.BadZipFile, zipfile.LargeZipFile, EOFError, NotImplementedError, RuntimeError),
    *(UnicodeDecodeError, lzma.LZMAError, zlib.error),
)
"""What ``zipfile`` raises, beside ``OSError``, for a damaged, encrypted or unknown kind of file."""


@contextmanager
def opened(source: Path) -> Iterator[zipfile.ZipFile]:
    """Open an archive for reading. Raises ``BadArgument`` when there is none, ``BadArchive`` for anything else."""
    try:
        with zipfile.ZipFile(source.expanduser()) as archive:
            yield archive
    except _DAMAGE as error:
        raise _bad(source, str(error)) from error
    except FileNotFoundError as error:
        raise BadArgument(f"there is no file {source}", argument="file") from error


def read_manifest(archive: zipfile.ZipFile) -> Manifest:
    """Return what an archive says it holds. Raises ``BadArchive``, ``FormatTooNew``."""
    source = Path(str(archive.filename))
    try:
        info = archive.getinfo(_MANIFEST)
    except KeyError as error:
        raise _bad(source, f"it has no {_MANIFEST}, so it is not one of `wwt backup`") from error
    try:
        with archive.open(info) as file:
            table = json.loads(file.read(_MAX_MANIFEST))
        version, form = int(table["archive"]), int(table["vault_format"])
        listed = {str(path): (str(found["sha256"]), int(found["size"])) for path, found in table["files"].items()}
        manifest = Manifest(str(table["vault_id"]), form, str(table["made"]), str(table["machine"]), listed)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, OSError) as error:
        raise _bad(source, f"its manifest cannot be read ({error})") from error
    if version > _ARCHIVE or form > FORMAT:
        raise FormatTooNew(f"{source} was made by a newer program: update this one", path=str(source))
    return manifest


def _verify(archive: zipfile.ZipFile, manifest: Manifest) -> None:
    """Raise ``BadArchive`` for the first thing that is not as the manifest says."""
    source = Path(str(archive.filename))
    names = [info.filename for info in archive.infolist() if info.filename != _MANIFEST]
    if sorted(names) != sorted(manifest.files):
        odd = sorted(set(names) ^ manifest.files.keys())
        raise _bad(source, f"its manifest and its files differ ({ascii(odd[0]) if odd else 'a name stands twice'})")
    seen: dict[str, str] = {}
    for path, (digest, size) in manifest.files.items():
        if not belonging.belongs(path) or path != unicodedata.normalize("NFC", path):
            raise _bad(source, f"{path!a} is none of a vault's files")
        other = seen.setdefault(layout.name_key(path), path)
        if other != path:
            raise _bad(source, f"{path} and {other} differ by case alone")
        found, count = hashlib.sha256(), 0
        with archive.open(path) as file:
            while piece := file.read(min(_PIECE, size - count + 1)):
                count += len(piece)
                found.update(piece)
                if count > size:
                    break
        if count != size or found.hexdigest() != digest:
            raise _bad(source, f"{path} is damaged: its bytes are not those of the manifest")


def _bad(source: Path, why: str) -> BadArchive:
    return BadArchive(f"{source}: {why}. Nothing was written.", path=str(source))
