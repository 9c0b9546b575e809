"""Every Markdown file of the vault as the index sees it: a catalogue of stamps, and one document at a time.

Whatever a file holds makes a document. What is wrong with it comes along as problems; the rest is read all the same.
"""

from __future__ import annotations

import codecs
import os
import unicodedata
from bisect import bisect_left, bisect_right
from dataclasses import replace
from datetime import UTC, datetime
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from wwt_vault import markdown
from wwt_vault.errors import NotFound
from wwt_vault.model.conversation import DocumentId, EventId, Problem, Revision, Turn, parse_time, time_since_1970
from wwt_vault.model.knowledge import Document, Section
from wwt_vault.vault import blocks, copies, layout, listing, lookup, marks, projects, sessions
from wwt_vault.vault.beneath import names_in, open_file

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator
    from pathlib import Path

    from wwt_vault.model.conversation import Layer
    from wwt_vault.vault import Vault

__all__ = ["MAX_BYTES", "catalog", "catalog_of", "document_from", "load_document"]

MAX_BYTES = 5_000_000
"""How much of a file is indexed; a year of a talkative session stays below."""
_MAX_TITLE = 120  # characters of a first prompt that stand for the session


def catalog(vault: Vault) -> dict[DocumentId, str]:
    """Return the stamp of every Markdown file that is indexed: when that has changed, the file has. None is opened.

    Copies that a sync left beside a note (``copies``) are not: they say the same twice, or something that is undecided.

    The stamp holds size, modification and change time in ns, and inode: an editor that keeps size and modification time
    still changes one of the others. That of a session note also tells of its mark, whose gist and questions are found
    with it, and all tell of what the names of projects mean. Raises ``VaultMissing``.
    """
    stamp = _stamping(vault)
    stamps: dict[DocumentId, str] = {}
    for path, _, entry in listing.markdown_files(vault.root, all_of_them=False, without=vault.settings.events_folder):
        try:
            # On Windows what scandir knows may be older than the file, and has no inode.
            stamps[path] = stamp(path, entry.stat(follow_symlinks=False))
        except OSError:
            continue  # deleted since it was listed
    for copy in copies.copies_among(stamps):
        del stamps[copy]
    return stamps


def catalog_of(vault: Vault, touched: Collection[str]) -> tuple[dict[DocumentId, str], set[DocumentId]] | None:
    """Return what ``catalog`` would say of the places that were ``touched``, and the documents it speaks of.

    Those of them that the first lacks are gone. ``None`` when only a look at all files can tell what changed: a folder
    came or went, marks or names of projects changed, there is a copy beside a note. Places are absolute paths, and
    nothing but them may have changed.
    """
    events = f"{vault.root}/{vault.settings.events_folder}/"
    found = listing.files_at(vault.root, [place for place in touched if not place.startswith(events)])
    if found is None or any(copies.original_of(path) is not None or _has_copy(vault, path) for path in found):
        return None
    stamp = _stamping(vault)
    return {path: stamp(path, there) for path, there in found.items() if there is not None}, set(found)


def _has_copy(vault: Vault, path: DocumentId) -> bool:
    """Whether there is a copy beside a note: its coming and going decides about that as well."""
    folder, _, name = path.rpartition("/")
    stem = name.rpartition(".")[0]
    try:
        there = names_in(vault.root / folder)
    except OSError:
        return False
    alike = (unicodedata.normalize("NFC", each) for each in there if not stem.isascii() or each.startswith(stem))
    return any(each.startswith(stem) and copies.original_of(each) == name for each in alike)


def _stamping(vault: Vault) -> Callable[[DocumentId, os.stat_result], str]:
    """Return what makes the stamp of a file, as things stand in the vault."""
    marked = marks.stamps(vault)
    named = projects.read_names(vault).stamp
    conversations = f"{layout.CONVERSATIONS}/"

    def stamp(path: DocumentId, found: os.stat_result) -> str:
        made = f"{found.st_size}-{found.st_mtime_ns}-{found.st_ctime_ns}-{found.st_ino}"
        if named:
            made += f" {named}"
        if marked and path.startswith(conversations):
            form = path[:-3].rpartition(" ")[2]
            # The last form of an id, which only two sessions of one name need, has a hash behind the one in full.
            made += marked.get(form) or marked.get(form.rpartition("-")[0], "")
        return made

    return stamp


def load_document(vault: Vault, document: DocumentId, names: projects.ProjectNames | None = None) -> Document:
    """Read one file; ``names`` put its project's present name for the one it has.

    Raises ``NotFound`` when it is gone (or is a link), ``PathEscapes`` for a path that is none.
    """
    data, revision, size, modified = _read(layout.inside(vault.root, document), document)
    found = _document(vault, document, data, revision=revision, size=size, modified=modified)
    if names is None or (project := names.now(found.project)) == found.project:
        return found
    revision = Revision(sha256(repr((found.revision, project)).encode()).hexdigest())  # or it would count as unchanged
    return replace(found, project=project, revision=revision)


def document_from(vault: Vault, document: DocumentId, text: str, modified: datetime) -> Document:
    """Return the document that a text is which once lay there, last written at ``modified``."""
    data = text.encode("utf-8", "surrogatepass")
    revision = Revision(sha256(data).hexdigest())
    return _document(vault, document, data[:MAX_BYTES], revision=revision, size=len(data), modified=modified)


def _document(
    vault: Vault, document: DocumentId, data: bytes, *, revision: Revision, size: int, modified: datetime
) -> Document:
    problems: list[Problem] = []

    def problem(code: str, message: str, line: int = 0) -> None:
        problems.append(Problem(code, document, line, message))

    if size > len(data):
        problem("too_long", f"it has {size:,} bytes; what lies beyond {MAX_BYTES:,} is not indexed")
    bad = _bad_byte(data)
    if bad is not None:
        message = "it is not UTF-8; what cannot be read is shown as U+FFFD"
        problem("not_utf8", message, data.count(b"\n", 0, bad) + 1)
    text = data.decode("utf-8", "replace")
    parts = markdown.split(text)
    properties = markdown.read_frontmatter(parts, document)
    problems += properties.problems
    values = properties.values
    layer: Layer = "page"
    turns: tuple[Turn, ...] = ()
    mark: marks.CuratedMark | None = None
    body, first_line = parts.body, 1 + parts.head.count("\n")
    if markdown.string(values, "type") == "session" and document.startswith(f"{layout.CONVERSATIONS}/"):
        layer = "session"
        turns, body = _turns_and_rest(body, first_line)
        mark = marks.read_mark(
            vault, markdown.string(values, "host") or "", markdown.string(values, "session_id") or ""
        )
        if mark is not None and (mark.gist or mark.questions):
            revision = Revision(sha256(repr((revision, mark.gist, mark.questions)).encode()).hexdigest())
    elif lookup.curated_id(values):
        layer = "curated"
    structure = markdown.parse(body, first_line) if body.strip() else None
    conflict = markdown.conflict_line(structure) if structure else None
    if conflict is not None:
        # The turns of a session note stay: each is a whole block, and its event proves it, on whichever side it stands.
        problem("conflict_markers", "an unresolved git conflict: not indexed until it is resolved", conflict)
    sections: list[Section] = []
    if conflict is None:
        if properties.broken:
            sections.append(Section(heading="", line=2, text=parts.block.strip("\r\n")))
        if structure:
            sections += _sections(structure)
        if structure and structure.headings and not sections:  # an outline: its headings are what it says
            words = "\n".join(heading.path[-1] for heading in structure.headings)
            sections.append(Section(heading="", line=structure.headings[0].line, text=words))
    inline = markdown.tags(structure) if structure else ()
    return Document(
        id=document,
        revision=revision,
        layer=layer,
        title=_title(document, values, turns),
        time=_time(vault, values) or modified,
        sections=tuple(sections),
        turns=turns,
        aliases=markdown.strings(values, "aliases"),
        tags=tuple({tag.casefold(): tag for tag in (*inline, *lookup.tags_of(values))}.values()),
        questions=mark.questions if mark else markdown.strings(values, "questions"),
        gist=mark.gist if mark else None,
        note_id=lookup.curated_id(values),
        type=markdown.string(values, "type"),
        status=markdown.string(values, "status"),
        pinned=markdown.flag(values, "pinned"),
        project=lookup.project_of_note(document, values),
        host=markdown.string(values, "host"),
        session_id=markdown.string(values, "session_id"),
        git_branch=markdown.string(values, "git_branch"),
        cwd=markdown.string(values, "cwd"),
        problems=tuple(problems),
    )


def _read(path: Path, document: DocumentId) -> tuple[bytes, Revision, int, datetime]:
    """Return the first ``MAX_BYTES``, cut behind a line, the revision and size of the whole, and when it changed."""
    digest = sha256()
    try:
        with open(open_file(path), "rb") as file:  # noqa: PTH123 - never through a link
            data = file.read(MAX_BYTES)
            digest.update(data)
            size = len(data)
            while piece := file.read(1 << 20):
                digest.update(piece)
                size += len(piece)
            # A file's time can be any: an archive, or another system, may have set it.
            modified = time_since_1970(os.fstat(file.fileno()).st_mtime) or datetime.fromtimestamp(0, UTC)
    except (FileNotFoundError, IsADirectoryError) as error:
        raise NotFound(f"{document} is gone", path=document) from error
    if size > len(data):
        data = data[: data.rfind(b"\n") + 1] or data
    return data, Revision(digest.hexdigest()), size, modified


def _bad_byte(data: bytes) -> int | None:
    """Return where the data is not UTF-8; a character cut off at the very end does not count."""
    try:
        codecs.getincrementaldecoder("utf-8")().decode(data)
    except UnicodeDecodeError as error:
        return error.start
    return None


def _sections(structure: markdown.Structure) -> Iterator[Section]:
    """Yield what stands under each heading, citations included, their definitions not: these say nothing."""
    definitions = [
        (structure.offset_of(footnote.line), structure.offset_of(footnote.end))
        for footnote in markdown.footnotes(structure)
        if markdown.EVENT_ID.fullmatch(footnote.label)
    ]
    cited = [(found.line, found.event) for found in markdown.citations(structure) if found.well_formed]
    for part in markdown.parts(replace(structure, text=markdown.blanked(structure.text, definitions))):
        last = structure.line_at(part.start + len(part.text) - 1)
        here = cited[bisect_left(cited, part.line, key=_line) : bisect_right(cited, last, key=_line)]
        events = tuple(dict.fromkeys(event for _, event in here))
        yield Section(heading=" > ".join(part.path), line=part.line, text=part.text, events=events)


def _line(cited: tuple[int, EventId]) -> int:
    return cited[0]


def _turns_and_rest(body: str, first_line: int) -> tuple[tuple[Turn, ...], str]:
    """Return the messages of a session note, lines counted in the file, and the body with their blocks blanked out."""
    turns = sessions.read_turns(body)
    lines = body.split("\n")
    for first, behind in blocks.forgotten_lines(lines):
        lines[first:behind] = [""] * (behind - first)
    for turn in turns:
        at = turn.line - 1
        while lines[at].startswith(">") or not lines[at].strip():
            lines[at] = ""
            at += 1
        lines[at] = ""  # the block's id, without which there would be no turn
    return tuple(turn._replace(line=turn.line + first_line - 1) for turn in turns), "\n".join(lines)


def _title(document: DocumentId, values: dict[str, Any], turns: tuple[Turn, ...]) -> str:
    """Return the title: its own, of a session the first line of the first prompt, else the file's name."""
    prompts = (turn.text.strip() for turn in turns if turn.role == "user")
    first = next((text.splitlines()[0].strip() for text in prompts if text), "")
    if markdown.string(values, "title") or not first:
        return lookup.title_of(document, values)
    return first if len(first) <= _MAX_TITLE else first[: _MAX_TITLE - 1].rstrip() + "…"


def _time(vault: Vault, values: dict[str, Any]) -> datetime | None:
    """Return when the note last meant something by its own account; a time without a zone is the vault's."""
    for key in ("updated", "created", "started", "date"):
        try:
            return parse_time(markdown.string(values, key) or "", vault.zone)
        except ValueError:
            continue
    return None
