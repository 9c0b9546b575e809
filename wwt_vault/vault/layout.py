"""The only place that knows folder and file names of a vault, and the gate that no path leads out of it.

Names follow the rules of Obsidian's links, of Windows and of file systems that count 255 bytes; see :func:`safe_name`.
"""

from __future__ import annotations

import os
import re
import stat
import sys
import unicodedata
from datetime import date
from pathlib import Path

from wwt_vault.errors import BadArgument, BadName, PathEscapes, VaultError
from wwt_vault.hashing import sha256
from wwt_vault.model.conversation import Session
from wwt_vault.vault.beneath import confine

__all__ = [
    "AI_CONTEXT",
    "AREAS",
    "CONFIG_FILE",
    "CONVERSATIONS",
    "CURATED_FOLDERS",
    "CURATED_MARKS",
    "DATA",
    "DECISIONS",
    "EVENTS",
    "EVENT_ID",
    "GLOSSARY",
    "INBOX",
    "KNOWLEDGE",
    "PROJECTS",
    "PROJECT_NAMES",
    "REVISIONS",
    "SOURCES",
    "VAULT_FILE",
    "check_events_folder",
    "curated_mark_path",
    "event_path",
    "find_name",
    "inside",
    "name_key",
    "project_of",
    "quick_glob",
    "revision_path",
    "safe_name",
    "session_id_names",
    "session_note_folder",
    "session_note_name",
    "short_session_id",
]

INBOX, PROJECTS, AREAS = "00_Inbox", "10_Projects", "20_Areas"
KNOWLEDGE, DECISIONS, CONVERSATIONS = "30_Knowledge", "40_Decisions", "50_Conversations"
CURATED_FOLDERS = (INBOX, PROJECTS, AREAS, KNOWLEDGE, DECISIONS)
SOURCES = f"{KNOWLEDGE}/Sources"
AI_CONTEXT = "AI_CONTEXT"
GLOSSARY = "Glossary.md"
DATA = ".wwt"
"""What is the program's own; a dot folder, so that Obsidian does not show it."""
VAULT_FILE, CONFIG_FILE = ".wwt/vault.json", ".wwt/config.toml"
EVENTS, REVISIONS, CURATED_MARKS = ".wwt/events", ".wwt/revisions", ".wwt/curated"
PROJECT_NAMES = ".wwt/projects"

EVENT_ID = r"[0-9]{8}T[0-9]{6}Z-[0-9a-f]{12}"
"""Pattern of an event id, for ``re``."""

# Code points that show nothing: bidi and zero-width controls, fillers, variation selectors, tags (Unicode's
# Default_Ignorable_Code_Point, as far as the categories Cc, Cf, Cn and Cs do not name them).
_INVISIBLE = "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
# Obsidian's links break at # ^ [ ] | and :, Windows forbids \ / : * ? " < > |, and a name has one line.
_FORBIDDEN = r'[#^\[\]|:\\/*?"<>\s\x00-\x1f\x7f-\x9f]+'
# https://learn.microsoft.com/windows/win32/fileio/naming-a-file: reserved with any extension and in any case.
_RESERVED = frozenset(
    ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"]
    + [f"{device}{number}" for device in ("COM", "LPT") for number in "0123456789¹²³"]
)
_UUID = "[0-9a-f]{8}-[0-9a-f]{4}-([0-9a-f])[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}"
_JUNCTION = 0xA0000003  # IO_REPARSE_TAG_MOUNT_POINT: Windows' other symbolic link


def event_path(event_id: str, folder: str = EVENTS) -> str:
    """Return where an event lies below ``folder``, from the vault's root: ``.wwt/events/2026/11/30/<id>.json``.

    Raises ``BadArgument`` for a text that is no event id.
    """
    if re.fullmatch(EVENT_ID, event_id) is None:
        message = f"{event_id[:80]!r} is not an event id; one looks like 20261130T015801Z-9f2c4e1ab07d"
        raise BadArgument(message, event=event_id[:80])
    return f"{folder}/{event_id[:4]}/{event_id[4:6]}/{event_id[6:8]}/{event_id}.json"


def check_events_folder(name: str) -> None:
    """Raise ``BadArgument`` unless events may lie in a folder of this name: ours, or a visible one of their own."""
    key = name_key(name)
    if name == EVENTS or (
        safe_name(name) == name != "" and key not in map(name_key, (*CURATED_FOLDERS, CONVERSATIONS, AI_CONTEXT))
    ):
        return
    message = (
        f"events cannot lie in {name[:200]!r}: name a folder of their own at the top of the vault, such as 90_Events, "
        f"or {EVENTS}"
    )
    raise BadArgument(message, key="events_folder", value=name[:200])


def revision_path(note_id: str, revision: str) -> str:
    """Return where an earlier revision of a curated note is kept. Raises ``BadArgument`` for what is no id or hash."""
    if re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}", note_id) is None:
        raise BadArgument(f"{note_id[:80]!r} is not a note id: letters, digits, - and _ only", note=note_id[:80])
    if re.fullmatch("[0-9a-f]{64}", revision) is None:
        raise BadArgument(f"{revision[:80]!r} is not a revision: 64 hex digits", revision=revision[:80])
    return f"{REVISIONS}/{note_id}/{revision}.md"


def curated_mark_path(host: str, session_id: str) -> str:
    """Return where it stands that a session is curated up to an event: ``.wwt/curated/<host> <session id>.json``."""
    return f"{CURATED_MARKS}/{_host_name(host)} {session_id_names(session_id)[1]}.json"


def session_note_folder(day: date) -> str:
    """Return the folder of the session notes of a year."""
    return f"{CONVERSATIONS}/{day.year:04}"


def session_note_name(session: Session, day: date, project: str | None, clash: int = 0) -> str:
    """Return the name of a session's note: ``2026-11-30 claude-code shop 42edc39d.md``.

    ``day`` is the local date of the session's start. ``clash`` counts the other sessions that already have the name
    this would give: the id is then written out in full.
    """
    place = safe_name(project or "", 80)
    parts = [day.isoformat(), _host_name(session.host), place, session_id_names(session.session_id)[clash]]
    return " ".join(part for part in parts if part) + ".md"


def session_id_names(session_id: str) -> tuple[str, str, str]:
    """Return the forms in which a session id may stand in a file's name: short, in full, and in full with a hash.

    A session id comes from outside and may be any text; what a file's name cannot hold is replaced, and a hash of the
    id then keeps it unique.
    """
    digest = sha256(session_id.encode("utf-8", "replace")).hexdigest()[:8]
    plain = re.sub(r"[^A-Za-z0-9_]+", "-", session_id[:200]).strip("-_")
    full = plain if plain and plain == session_id and len(plain) <= 64 else f"{plain[:48]}-{digest}".lstrip("-")
    return short_session_id(session_id), full, f"{full}-{digest}"


def short_session_id(session_id: str) -> str:
    """Return 8 characters that tell a person which session it is.

    The first 8; of a UUIDv7 (RFC 9562, 5.7) the last 8, because its head is the clock: sessions of one day share it.
    """
    uuid = re.fullmatch(_UUID, session_id, re.IGNORECASE)
    if uuid is not None:
        return (session_id[-8:] if uuid[1] == "7" else session_id[:8]).lower()
    plain = re.sub(r"[^A-Za-z0-9_]+", "-", session_id[:200]).strip("-_")[:8].strip("-_")
    return plain or sha256(session_id.encode("utf-8", "replace")).hexdigest()[:8]


def safe_name(text: str, max_bytes: int = 200) -> str:
    """Return ``text`` as a file's name without extension, good on every platform and in Obsidian's links; maybe empty.

    NFC; no ``# ^ [ ] | : \\ / * ? " < >`` or ``%%``, no control, bidi or zero-width characters; no dot or space at
    either end; no name that Windows reserves; at most ``max_bytes`` of UTF-8 (200 leave room for an extension and a
    sync program's suffix), cut before a letter, never between a letter and its marks.
    """
    text = re.sub(_FORBIDDEN, " ", unicodedata.normalize("NFC", text))
    text = re.sub(_INVISIBLE, "", text)
    text = "".join(letter for letter in text if unicodedata.category(letter) not in ("Cc", "Cf", "Cn", "Cs"))
    text = re.sub("%%+", "%", unicodedata.normalize("NFC", text))
    text = re.sub(" +", " ", text).strip(" .")
    stem = text.split(".")[0].rstrip(" ")
    if stem.upper() in _RESERVED:
        text = f"{stem}_{text[len(stem) :]}"
    return _cut(text, max_bytes).rstrip(" .")


def _cut(text: str, max_bytes: int) -> str:
    data = text.encode()
    if len(data) <= max_bytes:
        return text
    end = hard_end = len(data[:max_bytes].decode("utf-8", "ignore"))
    while end and unicodedata.category(text[end]).startswith("M"):
        end -= 1
    return text[: end or hard_end]


def _host_name(host: str) -> str:
    return re.sub(r"[^A-Za-z0-9_-]+", "-", host)[:40].strip("-") or "unknown"


def name_key(name: str) -> str:
    """Return what two names share that some file system or Obsidian's links take for the same (Unicode 3.13, D145)."""
    folded = unicodedata.normalize("NFD", name).casefold()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", folded).casefold())


def find_name(folder: Path, name: str) -> str | None:
    """Return the entry of ``folder`` that is ``name``, or differs from it by case or form alone, or ``None``."""
    try:
        names = os.listdir(folder)  # noqa: PTH208 - names are wanted, not paths
    except (FileNotFoundError, NotADirectoryError):
        return None
    if name in names:
        return name
    key = name_key(name)
    return next((other for other in sorted(names) if name_key(other) == key), None)


def quick_glob(pattern: str) -> str:
    """Return a glob that means the same, without a ``[`` that nothing closes: for each, fnmatch looks at all the rest.

    >>> quick_glob("[ab]*[")
    '[ab]*[[]'
    """
    closed, end, rest = pattern.rpartition("]")
    return closed + end + rest.replace("[", "[[]")


def inside(root: Path, rel: str, *, hidden: bool = False) -> Path:
    """Return the path of ``rel``, a POSIX path from the vault's root, whether or not there is something.

    A name is looked for in NFC first, then as whatever equal form lies there (macOS and zip files bring NFD). Percent
    signs mean themselves. ``hidden`` allows dot folders: for paths that the program makes itself, never for a caller's.

    Raises ``PathEscapes`` for a path that is absolute, has ``..``, ``~``, a drive, a backslash or NUL, goes through a
    symbolic link (the walk looks at every component without following it) or into a dot folder, and ``BadName`` for a
    name that the file system cannot hold. What becomes a link after that is not followed either (``beneath``).
    """
    confine(root)
    parts = [part for part in unicodedata.normalize("NFC", rel).split("/") if part not in ("", ".")]
    reason = _escape(rel, parts, hidden)
    if reason:
        message = f"{rel[:200]!r} {reason}; give a path from the vault's root, like 30_Knowledge/Title.md"
        raise PathEscapes(message, path=rel[:200])
    place, there = str(root), True
    for part in parts:
        name = _existing_form(place, part) if there else part
        place, there = os.path.join(place, name or part), there and name is not None  # noqa: PTH118 - hook path
    if sys.platform == "win32" and there:  # 8.3 names (GIT~1) and what else Windows resolves on its own
        real, top = os.path.realpath(place), os.path.realpath(root)
        below = os.path.relpath(real, top).replace("\\", "/").split("/")
        if ".." in below or (not hidden and any(part.startswith(".") and part != "." for part in below)):
            raise PathEscapes(f"{rel[:200]!r} leads to {real}, which is not for notes", path=rel[:200])
    return Path(place)


def _escape(rel: str, parts: list[str], hidden: bool) -> str | None:
    """Say why the text of a path alone forbids it."""
    if "\0" in rel:
        return "has a NUL character"
    if "\\" in rel:
        return "has a backslash"
    if rel.startswith("/") or re.match("[A-Za-z]:", rel) or (sys.platform == "win32" and ":" in rel):
        return "is not a path inside the vault"
    if not parts:
        return "names no file"
    if parts[0] == "~" or (parts[0].startswith("~") and len(parts) > 1):
        return "leads to a home folder"
    for part in parts:
        if not part.strip(". "):  # Windows drops dots and spaces at the end: ".. " is ".." there
            return "leads out of its folder"
        if part.startswith(".") and not hidden:
            return f"leads into {part!r}, which is not for notes"
    return None


def _existing_form(folder: str, name: str) -> str | None:
    """Return the name under which ``name`` lies in ``folder``; ``None`` when it does not. Refuses links."""
    path = os.path.join(folder, name)  # noqa: PTH118 - the hook comes through here for every event
    try:
        found = os.lstat(path)
    except FileNotFoundError:
        if name.isascii():  # has one form only, so no folder of 100,000 events is listed
            return None
        others = os.listdir(folder) if os.path.isdir(folder) else []  # noqa: PTH112, PTH208 - text here
        forms = [other for other in others if other != name and unicodedata.normalize("NFC", other) == name]
        return _existing_form(folder, forms[0]) if forms else None
    except NotADirectoryError as error:
        raise BadName(f"{folder} is a file, so nothing can lie in it", path=folder) from error
    except OSError as error:
        raise _unreachable(path, error) from error
    if stat.S_ISLNK(found.st_mode) or getattr(found, "st_reparse_tag", 0) == _JUNCTION:
        message = f"{path} is a symbolic link: what lies behind it may be outside the vault"
        raise PathEscapes(message, path=path)
    return name


def _unreachable(path: str, error: OSError) -> BadName | VaultError:
    import errno  # noqa: PLC0415 - only for the message

    if error.errno in (errno.ENAMETOOLONG, errno.EINVAL, errno.EILSEQ):
        return BadName(f"{path[:300]!r}: the file system cannot hold this name ({error.strerror})", path=path[:300])
    return VaultError(f"{path} cannot be reached: {error.strerror}", path=path)


def project_of(cwd: str | None) -> str | None:
    """Return the project that a working folder belongs to: the last part of its path; ``None`` where it has none.

    A pure function of the text, so that every machine says the same of the same transcript. POSIX and Windows paths.
    Worktrees that agents make belong to their repository: ``<repository>/.claude/worktrees/<name>`` and the like,
    also ``<repository>/.worktrees/<name>``, ``~/.codex/worktrees/<id>/<repository>``,
    ``~/.cursor/worktrees/<repository>/<id>``.
    """
    if not cwd:
        return None
    windows = re.match(r"[A-Za-z]:[\\/]|\\\\", cwd) is not None or ("\\" in cwd and "/" not in cwd)
    parts: list[str] = []
    for part in re.split(r"[\\/]" if windows else "/", cwd):
        if part == "..":
            parts = parts[:-1]
        elif part not in ("", ".", "~") and not (windows and not parts and re.fullmatch("[A-Za-z]:", part)):
            parts.append(part)
    name = _repository_of_worktree(parts) or (parts[-1] if parts else "")
    name = unicodedata.normalize("NFC", re.sub("[\ud800-\udfff]", "\ufffd", name)).strip()
    return name or None


def _repository_of_worktree(parts: list[str]) -> str | None:
    for at, part in enumerate(parts):
        below = parts[at + 1 :]
        if not below or at == 0:
            continue
        if part == ".worktrees":
            return parts[at - 1]
        if part == "worktrees" and parts[at - 1].startswith("."):
            if parts[at - 1] == ".codex" and len(below) > 1:
                return below[1]
            if parts[at - 1] == ".cursor":
                return below[0]
            if at > 1 and parts[at - 1] != ".codex":
                return parts[at - 2]
    return None
