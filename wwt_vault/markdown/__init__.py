"""The Obsidian dialect of Markdown: text in, values out. No file is opened here and nothing is written.

``frontmatter`` splits a text so that joining gives back the very same text, reads the properties and splices single
keys in; ``structure`` finds headings, list items, tables and code (markdown-it-py); ``inline`` finds links, tags,
citations, footnotes and block ids outside code. All of it is bounded: any text gives an answer in time linear in its
length.
"""

from __future__ import annotations

from wwt_vault.markdown.frontmatter import (
    Frontmatter,
    Split,
    entries,
    flag,
    read_frontmatter,
    render_frontmatter,
    set_keys,
    split,
    string,
    strings,
)
from wwt_vault.markdown.inline import (
    EVENT_ID,
    Citation,
    Footnote,
    Link,
    block_ids,
    citations,
    conflict_line,
    footnotes,
    is_tag,
    links,
    read_link,
    references,
    tags,
    without_citations,
)
from wwt_vault.markdown.structure import Heading, ListItem, Part, Structure, blanked, parse, parts, section_lines

__all__ = [
    "EVENT_ID",
    "Citation",
    "Footnote",
    "Frontmatter",
    "Heading",
    "Link",
    "ListItem",
    "Part",
    "Split",
    "Structure",
    "blanked",
    "block_ids",
    "citations",
    "conflict_line",
    "entries",
    "flag",
    "footnotes",
    "is_tag",
    "links",
    "parse",
    "parts",
    "read_frontmatter",
    "read_link",
    "references",
    "render_frontmatter",
    "section_lines",
    "set_keys",
    "split",
    "string",
    "strings",
    "tags",
    "without_citations",
]
