"""Which Markdown files a vault has, and which of them is meant by a path, an id or a title.

Names are listed, not read; only what no name answers (ids, aliases) reads the first kilobytes of each note.
"""

from __future__ import annotations

import difflib
import re
import unicodedata
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from wwt_vault import markdown
from wwt_vault.errors import Ambiguous, NotFound
from wwt_vault.model.conversation import DocumentId
from wwt_vault.vault import copies, layout, listing
from wwt_vault.vault.beneath import open_file
from wwt_vault.vault.names import Names

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from wwt_vault.vault import Vault

__all__ = [
    "CURATED_TYPES",
    "RELATIONS",
    "SOURCE",
    "NoteHead",
    "curated_id",
    "find_note",
    "find_source",
    "first_bytes",
    "head_from",
    "link_to",
    "list_notes",
    "mentioning",
    "names",
    "note_id",
    "project_of_note",
    "properties_of",
    "read_head",
    "resolve_link",
    "tags_of",
    "title_of",
    "with_id",
]

CURATED_TYPES = ("project", "area", "knowledge", "decision", "topic")
SOURCE = "source"
"""The type of a document from outside: it has an id and revisions, and is no curated note."""
RELATIONS = ("relates_to", "contradicts", "depends_on", "part_of", "updates", "derived_from", "similar_to")

_NOTE_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}")
_HEAD_BYTES = 4 * 1024


class NoteHead(NamedTuple):
    """A note as far as its frontmatter tells."""

    path: DocumentId
    id: str | None
    """Of a curated note or a source."""
    title: str
    type: str | None
    status: str | None
    aliases: tuple[str, ...]
    tags: tuple[str, ...]
    project: str | None
    created: str | None
    """As written in the note."""
    updated: str | None
    pinned: bool
    locked: bool
    reviewed: bool
    written_by: str | None
    superseded_by: tuple[str, ...] = ()
    """Links to the notes that replaced it."""
    relations: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Kind (of ``RELATIONS``) to links, as they stand in the properties."""


def names(vault: Vault) -> Names:
    """Return all notes by ``layout.name_key`` of their name without extension."""
    return Names(vault.root)


def link_to(path: DocumentId, known: Mapping[str, list[DocumentId]]) -> str:
    """Return the wikilink Obsidian itself would write: by name where only one note has it, else by path."""
    stem = path[:-3]
    name = stem.rpartition("/")[2]
    return f"[[{name if len(known.get(layout.name_key(name), ())) == 1 else stem}]]"


def find_note(vault: Vault, ref: str, known: Mapping[str, list[DocumentId]] | None = None) -> DocumentId:
    """Return the path of the note that ``ref`` means: a path (``.md`` or not), a name, an id, a title or an alias.

    A wikilink means its target. Case and Unicode form do not matter; a path that exists goes before a name, a name
    before an id, an id before a title. Session notes are found by path or name only.

    Raises ``NotFound`` with the nearest names in ``similar``, ``Ambiguous`` with ``candidates``, ``PathEscapes``.
    """
    link = markdown.read_link(ref)
    ref = unicodedata.normalize("NFC", link.target if link else ref).strip()
    stem = ref[:-3] if ref[-3:].lower() == ".md" else ref
    if "/" in ref or "\\" in ref or stem != ref:
        path = layout.inside(vault.root, f"{stem}.md")
        if path.is_file():
            return DocumentId(unicodedata.normalize("NFC", path.relative_to(vault.root).as_posix()))
    known = names(vault) if known is None else known
    key = layout.name_key(stem)
    by_path = [path for path in known.get(key.rpartition("/")[2], ()) if layout.name_key(path[:-3]) == key]
    candidates: list[DocumentId] = by_path or known.get(key) or known.get(layout.name_key(layout.safe_name(stem))) or []
    if not candidates and stem:
        candidates = _by_content(vault, ref, key)
    if len(candidates) == 1:
        return candidates[0]
    if candidates:
        message = f"{ref[:200]!r} fits {len(candidates)} notes; give the path of the one you mean"
        raise Ambiguous(message, note=ref[:200], candidates=list(candidates[:20]))
    near = difflib.get_close_matches(key[:200], known, n=3)
    similar = [there[0] for name in near if (there := known.get(name))]  # a link has a name and is no note
    hint = f"; near it: {', '.join(similar)}" if similar else ""
    raise NotFound(f"there is no note {ref[:200]!r}{hint}", note=ref[:200], similar=similar)


def list_notes(vault: Vault, types: Sequence[str] = CURATED_TYPES) -> list[NoteHead]:
    """Return the curated notes of a vault by path, reading no further than their frontmatter."""
    return sorted(head for head in _heads(vault) if head.id is not None and head.type in types)


def mentioning(vault: Vault, words: str) -> list[DocumentId]:
    """Return the notes, session notes left out, that have these words (ASCII) somewhere in them."""
    found = []
    for path, place, _ in listing.markdown_files(vault.root):
        if not path.startswith(f"{layout.CONVERSATIONS}/"):
            with suppress(OSError), open(open_file(place), "rb") as file:  # noqa: PTH123 - of ten thousand notes
                if words.encode() in file.read():
                    found.append(path)
    return sorted(found)


def with_id(vault: Vault, wanted: str) -> list[DocumentId]:
    """Return the curated notes and sources that have this id: more than one when somebody made a copy."""
    return sorted(head.path for head in _heads(vault, wanted) if head.id == wanted)


def _by_content(vault: Vault, ref: str, key: str) -> list[DocumentId]:
    # To look for the word costs a tenth of reading properties. Only what is escaped or in NFD needs the second pass.
    for mentioning in (ref, ""):
        heads = list(_heads(vault, mentioning))
        found = [head.path for head in heads if head.id == ref] or [
            head.path for head in heads if key in map(layout.name_key, (head.title, *head.aliases))
        ]
        if found:
            return sorted(found)
    return []


def _heads(vault: Vault, mentioning: str = "", below: str = "") -> Iterator[NoteHead]:
    """Yield the heads of all notes but session notes, of those that have ``mentioning`` in their first kilobytes.

    A copy that a sync left beside a note has the note's id and is none.
    """
    # Whether it is there at all is asked of the bytes; what is escaped, or in another form, needs the second pass.
    word = unicodedata.normalize("NFC", mentioning).lower().encode()
    places = {path: place for path, place, _ in listing.markdown_files(vault.root) if path.startswith(below)}
    left_out = copies.copies_among(places)
    for path, place in places.items():
        if path.startswith(f"{layout.CONVERSATIONS}/") or path in left_out:
            continue
        data = first_bytes(place)
        if word in (data.lower() if word.isascii() else data.decode("utf-8", "replace").lower().encode()):
            yield read_head(path, data)


def read_head(path: DocumentId, data: bytes) -> NoteHead:
    """Return what the properties say in the first bytes of a file."""
    text = data.decode("utf-8", "replace")
    return head_from(path, markdown.read_frontmatter(markdown.split(text), path).values)


def first_bytes(path: str) -> bytes:
    """Return so much of a file that its properties are in it; nothing when it cannot be read."""
    try:
        with open(open_file(path), "rb", 0) as file:  # noqa: PTH123 - of ten thousand notes, one after the other
            data = file.read(_HEAD_BYTES)
            if data.lstrip(b"\xef\xbb\xbf").startswith(b"---") and b"\n---" not in data:
                data += file.read(_HEAD_BYTES * 31)
            return data
    except OSError:  # deleted or locked since it was listed
        return b""


def head_from(path: DocumentId, values: Mapping[str, Any]) -> NoteHead:
    """Return what properties say about the note at ``path``."""
    return NoteHead(
        path=path,
        id=note_id(values),
        title=title_of(path, values),
        type=markdown.string(values, "type"),
        status=markdown.string(values, "status"),
        aliases=markdown.strings(values, "aliases"),
        tags=tags_of(values),
        project=project_of_note(path, values),
        created=markdown.string(values, "created"),
        updated=markdown.string(values, "updated"),
        pinned=markdown.flag(values, "pinned"),
        locked=markdown.flag(values, "locked"),
        reviewed=markdown.flag(values, "reviewed"),
        written_by=markdown.string(values, "written_by"),
        superseded_by=markdown.strings(values, "superseded_by"),
        relations=tuple((kind, links) for kind in RELATIONS if (links := markdown.strings(values, kind))),
    )


def resolve_link(link: str, source: DocumentId, known: Mapping[str, list[DocumentId]]) -> DocumentId | None:
    """Return the note that a wikilink in the note ``source`` leads to, by Obsidian's rules; ``None`` when to none.

    A path from the vault's root goes before a name; of several notes of one name the one in the folder of ``source``,
    else the one with the shortest path.
    """
    read = markdown.read_link(link)
    if read is None or not read.target:
        return None
    key = layout.name_key(read.target.removeprefix("/"))
    key = key.removesuffix(".md")
    there = known.get(key.rpartition("/")[2], ())
    exact = [path for path in there if layout.name_key(path[:-3]) == key]
    below = [path for path in there if layout.name_key(path[:-3]).endswith(f"/{key}")]
    folder = source.rpartition("/")[0]
    beside = [path for path in below if path.rpartition("/")[0] == folder]
    return next(iter((*exact, *beside, *sorted(below, key=lambda path: (path.count("/"), len(path), path)))), None)


def properties_of(vault: Vault, path: DocumentId) -> dict[str, Any]:
    """Return the properties of a note, reading no further than these; none when it is gone."""
    text = first_bytes(str(layout.inside(vault.root, path))).decode("utf-8", "replace")
    return markdown.read_frontmatter(markdown.split(text), path).values


def find_source(vault: Vault, source_id: str) -> DocumentId | None:
    """Return the note of type source with this id; ``None`` when there is none, or more than one."""
    for folder in (layout.SOURCES, ""):  # where they are put, then wherever a person moved them
        heads = _heads(vault, source_id, below=folder)
        found = [head.path for head in heads if head.type == SOURCE and head.id == source_id]
        if found:
            return found[0] if len(found) == 1 else None
    return None


def note_id(values: Mapping[str, Any]) -> str | None:
    """Return the id of a curated note or a source; ``None`` for any other, or one that could not name a folder."""
    found = markdown.string(values, "id")
    has_one = markdown.string(values, "type") in (*CURATED_TYPES, SOURCE)
    return found if found and has_one and _NOTE_ID.fullmatch(found) else None


def curated_id(values: Mapping[str, Any]) -> str | None:
    """Return the id of a curated note; ``None`` for any other, or for an id that could not name a folder."""
    return note_id(values) if markdown.string(values, "type") in CURATED_TYPES else None


def title_of(path: str, values: Mapping[str, Any]) -> str:
    """Return the title a note gives itself, else its file's name."""
    return markdown.string(values, "title") or path.rpartition("/")[2][:-3]


def tags_of(values: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the tags in the frontmatter without ``#``; one text may hold several, as Obsidian reads it."""
    found = (tag.strip("#") for text in markdown.strings(values, "tags") for tag in re.split(r"[,\s]+", text))
    return tuple(dict.fromkeys(tag for tag in found if tag))


def project_of_note(path: str, values: Mapping[str, Any]) -> str | None:
    """Return the project a note belongs to: ``project``, else ``part_of``, else its folder in 10_Projects.

    A note of type project that lies in 10_Projects itself is that project.
    """
    for key in ("project", "part_of"):
        named = markdown.string(values, key)
        if named:
            link = markdown.read_link(named)
            return (link.target if link else named).rpartition("/")[2].removesuffix(".md") or None
    folders = path.split("/")
    if folders[0] != layout.PROJECTS:
        return None
    if len(folders) > 2:
        return folders[1]
    return title_of(path, values) if markdown.string(values, "type") == "project" else None
