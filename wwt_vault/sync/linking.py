"""The link from a note to the copies that hold what could not be merged: the property ``conflicts``."""

from __future__ import annotations

from wwt_vault import markdown
from wwt_vault.sync import belonging

__all__ = ["PROPERTY", "with_copy", "without_copy"]

PROPERTY = "conflicts"


def with_copy(path: str, data: bytes, copy: str) -> bytes:
    """Return a note that links to its copy; any other file, or one whose properties cannot be read, as it is."""
    return _changed(path, data, copy, add=True)


def without_copy(path: str, data: bytes, copy: str) -> bytes:
    """Return a note without the link to a copy that is gone."""
    return _changed(path, data, copy, add=False)


def _changed(path: str, data: bytes, copy: str, *, add: bool) -> bytes:
    if not belonging.is_note(path):
        return data
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return data
    parts = markdown.split(text)
    found = markdown.read_frontmatter(parts, path)
    if found.broken:
        return data
    link = f"[[{copy.rpartition('/')[2].removesuffix('.md')}]]"
    links = list(markdown.strings(found.values, PROPERTY))
    if (link in links) == add:
        return data
    if add:
        try:
            return markdown.set_keys(text, {PROPERTY: [*links, link]}).encode("utf-8")
        except ValueError:
            return data
    links.remove(link)
    if links:
        return markdown.set_keys(text, {PROPERTY: links}).encode("utf-8")
    block = "".join(entry for key, entry in markdown.entries(parts) or [] if key != PROPERTY)
    if not block:
        return (parts.bom + parts.body).encode("utf-8")
    return parts._replace(block=block).join().encode("utf-8")
