"""Links that lead elsewhere, in a text that is otherwise the same to the byte."""

from __future__ import annotations

import posixpath
import re
import unicodedata
from collections.abc import Callable, Iterator
from urllib.parse import quote, unquote

from wwt_vault.markdown.frontmatter import read_frontmatter, split
from wwt_vault.markdown.structure import parse

__all__ = ["relinked"]

_WIKILINK = re.compile(r"!?\[\[([^\[\]|#^\r\n]+?)(?=\\?\||#|\^|\]\])")
_MARKDOWN_LINK = re.compile(r"\]\((?:<([^<>\r\n]+)>|([^\s()<>]+))(?=[\s)])")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//|#")

New = Callable[[str, bool], str | None]
"""Given a target (NFC; of a wikilink as written, of a Markdown link its path from the vault's root, with ``.md``) and
whether it is a wikilink's, returns the new target, ``None`` to leave it."""


def relinked(text: str, folder: str, new: New, *, folder_after: str | None = None) -> str | None:
    """Return a file with its links changed as ``new`` says; ``None`` when that would break its properties.

    ``folder`` is where the file lay when its links were written, from the vault's root, and ``folder_after`` where it
    lies now: Markdown links are relative to it, or begin at the root. A link keeps its heading, its words and its form.
    """
    folder_after = folder if folder_after is None else folder_after
    pieces, done = [], 0
    for start, stop, is_wikilink in _targets(text):
        written = text[start:stop]
        wanted = (
            new(unicodedata.normalize("NFC", written.strip()), True)
            if is_wikilink
            else _markdown_link(written, folder, folder_after, new)
        )
        if wanted is not None:
            pieces += [text[done:start], wanted]
            done = stop
    after = "".join([*pieces, text[done:]])
    was, now = (read_frontmatter(split(version), "") for version in (text, after))
    return None if now.broken and not was.broken else after


def _targets(text: str) -> Iterator[tuple[int, int, bool]]:
    """Yield where a target stands, and whether it is a wikilink's. Code and comments have none."""
    parts = split(text)
    structure = parse(parts.body)
    for offset, stretch, is_body in ((0, parts.head, False), (len(parts.head), structure.prose, True)):
        found = [(match.start(1), match.end(1), True) for match in _WIKILINK.finditer(stretch)]
        for match in _MARKDOWN_LINK.finditer(stretch) if is_body else ():
            start = match.start(1 if match[1] else 2)
            found.append((start, start + len((match[1] or match[2]).partition("#")[0]), False))
        yield from ((offset + start, offset + stop, is_wikilink) for start, stop, is_wikilink in sorted(found))


def _markdown_link(written: str, folder: str, folder_after: str, new: New) -> str | None:
    """Return the new target of a Markdown link in the form of the old one; ``None`` to leave it."""
    target = unicodedata.normalize("NFC", unquote(written))
    if not target.lower().endswith(".md") or _SCHEME.match(target):
        return None
    rooted = posixpath.normpath(target.removeprefix("/"))
    beside = posixpath.normpath(posixpath.join(folder, target))
    for path, is_rooted in ((rooted, True),) if target.startswith("/") else ((beside, False), (rooted, True)):
        wanted = None if path.startswith("../") else new(path, False)
        if wanted is not None:
            place = wanted if is_rooted else posixpath.relpath(wanted, folder_after or ".")
            place = f"/{place}" if target.startswith("/") else place
            after = quote(place, safe="/") if " " not in written else place
            return None if after == written else after
    return None
