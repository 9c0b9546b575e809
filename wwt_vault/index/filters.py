"""What a search may be limited to, as terms: those a passage has and those a search wants.

One term for each property, one for each folder above a working folder and each parent of a nested tag, so that every
limit but the time is one exact term. Comparison is by NFC and case-folded, paths with forward slashes.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Final

from wwt_vault.model.knowledge import Filters, Passage

__all__ = ["NO_TIME", "milliseconds", "terms_of", "terms_wanted"]

NO_TIME: Final = -(1 << 62)
"""Stands for the time of a passage that has none: before every limit."""

_PROPERTIES: Final = ("layer", "type", "status", "project", "host", "git_branch")
_DEEPEST: Final = 64


def terms_of(passage: Passage) -> tuple[str, ...]:
    """Return the filter terms of a passage, without repetition."""
    terms = [f"{name}={_folded(value)}" for name in _PROPERTIES if (value := getattr(passage, name))]
    terms += [f"cwd={folder}" for folder in _with_parents(_folder(passage.cwd))] if passage.cwd else []
    for tag in passage.tags:
        terms += [f"tag={parent}" for parent in _with_parents(_tag(tag))]
    return tuple(dict.fromkeys(terms))


def terms_wanted(filters: Filters) -> tuple[str, ...]:
    """Return the terms that a passage must have, all of them. Time is not among them."""
    terms = [f"{name}={_folded(value)}" for name in _PROPERTIES if (value := getattr(filters, name)) is not None]
    if filters.cwd is not None:
        terms.append(f"cwd={_folder(filters.cwd)}")
    if filters.tag is not None:
        terms.append(f"tag={_tag(filters.tag)}")
    return tuple(terms)


def milliseconds(time: datetime | None) -> int:
    """Return a time as milliseconds since 1970, ``NO_TIME`` for none. A time without a zone is taken as UTC."""
    if time is None:
        return NO_TIME
    return round((time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp() * 1000)


def _folded(text: str) -> str:
    return unicodedata.normalize("NFC", text).casefold().strip()


def _folder(path: str) -> str:
    return _folded(path).replace("\\", "/").rstrip("/") or "/"


def _tag(tag: str) -> str:
    return _folded(tag).lstrip("#").strip("/")


def _with_parents(path: str) -> Iterator[str]:
    parts = path.split("/")[:_DEEPEST]
    for length in range(1, len(parts) + 1):
        yield "/".join(parts[:length]) or "/"
