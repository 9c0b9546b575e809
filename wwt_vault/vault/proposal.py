"""What somebody wants to save in a curated note, checked on its own, and the properties that follow from it.

Nothing here reads or writes a file.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from datetime import datetime, tzinfo
from typing import Any, NamedTuple

from wwt_vault import markdown
from wwt_vault.errors import BadArgument
from wwt_vault.vault.lookup import CURATED_TYPES, RELATIONS, tags_of

__all__ = [
    "HIDDEN",
    "MAX_BODY",
    "RELATIONS",
    "STATUSES",
    "Proposal",
    "body_of",
    "changed_properties",
    "check_proposal",
    "first_properties",
    "later_properties",
    "one_line",
    "same_text",
    "text_list",
]

STATUSES = ("current", "superseded", "draft")
MAX_BODY = 1_000_000
"""Bytes of UTF-8: a note that long is no note."""

_MAX_TEXT = 500  # characters of an alias, a question, a reason: a sentence or two
_MAX_LIST = 50
# Controls but tab and line ends, bidi controls, tag characters (hidden text), lone surrogates.
HIDDEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)
_LINE_END = re.compile(r"\r\n|\n|\r")


class Proposal(NamedTuple):
    """A checked proposal. ``None`` leaves a property as it is."""

    body: str
    r"""With ``\n`` line ends, without BOM."""
    written_by: str
    at: datetime
    reason: str | None
    type: str | None
    status: str | None
    project: str | None
    aliases: tuple[str, ...] | None
    tags: tuple[str, ...] | None
    questions: tuple[str, ...] | None
    relations: Mapping[str, tuple[str, ...]] = {}
    """Kind to wikilinks."""


def check_proposal(
    *,
    body: str,
    written_by: str,
    at: datetime,
    reason: str | None,
    type: str | None,  # noqa: A002 - the property's name
    status: str | None,
    project: str | None,
    aliases: Sequence[str] | None,
    tags: Sequence[str] | None,
    questions: Sequence[str] | None,
) -> Proposal:
    """Return the proposal in canonical form. Raises ``BadArgument`` that names the argument, and the line in a body."""
    if type is not None and type not in CURATED_TYPES:
        raise BadArgument(f"type must be one of {', '.join(CURATED_TYPES)}, not {type[:50]!r}", argument="type")
    if status is not None and status not in STATUSES:
        raise BadArgument(f"status must be one of {', '.join(STATUSES)}, not {status[:50]!r}", argument="status")
    if tags is not None:
        tags = [tag.strip().strip("#") for tag in tags]
        for tag in tags:
            if not markdown.is_tag(tag):
                message = f"{tag[:50]!r} is no tag: letters, digits, _, - and / only, and not digits alone"
                raise BadArgument(message, argument="tags")
    size = len(body.encode("utf-8", "replace"))
    if size > MAX_BODY:
        raise BadArgument(
            f"the body has {size:,} bytes, more than {MAX_BODY:,}: split the note", argument="body", size=size
        )
    body = _LINE_END.sub("\n", body.removeprefix("\ufeff"))
    hidden = HIDDEN.search(body)
    if hidden:
        line = body.count("\n", 0, hidden.start()) + 1
        message = f"line {line} of the body has the invisible character U+{ord(hidden[0]):04X}; take it out"
        raise BadArgument(message, argument="body", line=line)
    return Proposal(
        body=body,
        written_by=one_line("written_by", written_by),
        at=at,
        reason=one_line("reason", reason) if reason else None,
        type=type,
        status=status,
        project=one_line("project", project) if project is not None else None,
        aliases=text_list("aliases", aliases),
        tags=text_list("tags", tags),
        questions=text_list("questions", questions),
    )


def text_list(argument: str, texts: Sequence[str] | None) -> tuple[str, ...] | None:
    """Return a list of texts (aliases, questions) as it is written down, each once. Raises ``BadArgument``."""
    if texts is None:
        return None
    if isinstance(texts, str) or len(texts) > _MAX_LIST:
        raise BadArgument(f"{argument} must be a list of at most {_MAX_LIST} texts", argument=argument)
    return tuple(dict.fromkeys(one_line(argument, text) for text in texts))


def one_line(argument: str, text: str) -> str:
    """Return a text of a sentence or two as it is written down, in NFC. Raises ``BadArgument`` naming ``argument``."""
    text = unicodedata.normalize("NFC", " ".join(text.split()))
    if not text or len(text) > _MAX_TEXT or HIDDEN.search(text):
        message = f"{argument} must be a text of 1 to {_MAX_TEXT} characters without invisible ones, not {text[:50]!r}"
        raise BadArgument(message, argument=argument)
    return text


def body_of(proposed: str, there: markdown.Split | None) -> markdown.Structure:
    """Return the structure of a proposed body, lines counted as it was given.

    A copy of the frontmatter of the note that is ``there`` may stand before it (whoever read the whole file). Raises
    ``BadArgument`` for any other frontmatter and for an unresolved git conflict.
    """
    parts = markdown.split(proposed)
    if parts.opening and (there is None or not same_text(parts.head, there.head.removeprefix("\ufeff"))):
        message = "the body begins with frontmatter: leave that out and give properties as arguments"
        raise BadArgument(message, argument="body", line=1)
    structure = markdown.parse(parts.body, 1 + parts.head.count("\n"))
    conflict = markdown.conflict_line(structure)
    if conflict is not None:
        message = f"line {conflict} of the body begins an unresolved git conflict; bring both sides together first"
        raise BadArgument(message, argument="body", line=conflict)
    return structure


def same_text(one: str, other: str) -> bool:
    """Return whether two bodies differ in line ends and in empty lines at both ends at most."""
    return _LINE_END.sub("\n", one).strip("\n") == _LINE_END.sub("\n", other).strip("\n")


def first_properties(
    wanted: Proposal, *, note_id: str, kind: str, title: str, name: str, zone: tzinfo
) -> dict[str, Any]:
    """Return the frontmatter of a new note; a title that no file name holds becomes an alias."""
    aliases = wanted.aliases or ()
    now = wanted.at.astimezone(zone)
    properties: dict[str, Any] = {
        "id": note_id,
        "type": kind,
        "status": wanted.status or "current",
        "aliases": aliases if title == name or title in aliases else (title, *aliases),
        "tags": wanted.tags or (),
        "created": now,
        "updated": now,
        "written_by": wanted.written_by,
        "reviewed": False,
        "questions": wanted.questions or (),
    }
    if wanted.project:
        properties["project"] = wanted.project
    return properties | dict(wanted.relations)


def changed_properties(wanted: Proposal, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the properties that were given and say something else than ``values``, those of the note."""
    given: dict[str, Any] = {key: getattr(wanted, key) for key in ("type", "status", "project", "aliases", "questions")}
    given |= wanted.relations
    changed = {
        key: value
        for key, value in given.items()
        if value is not None and markdown.strings(values, key) != ((value,) if isinstance(value, str) else tuple(value))
    }
    if wanted.tags is not None and tags_of(values) != wanted.tags:
        changed["tags"] = wanted.tags
    return changed


def later_properties(
    wanted: Proposal, changed: Mapping[str, Any], note_id: str, values: Mapping[str, Any], zone: tzinfo
) -> dict[str, Any]:
    """Return what a save sets in the frontmatter of a note that is there.

    Who wrote the text that stands there, and that no person has seen it yet, are said where they were said before.
    """
    properties: dict[str, Any] = {**changed, "updated": wanted.at.astimezone(zone)}
    if "id" not in values:
        properties["id"] = note_id
    if markdown.string(values, "written_by") not in (None, wanted.written_by):
        properties["written_by"] = wanted.written_by
    if markdown.flag(values, "reviewed"):
        properties["reviewed"] = False
    return properties
