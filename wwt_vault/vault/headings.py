"""The headings of a curated note that mean something to the program, in English and in Korean."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from wwt_vault import markdown

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["FACTS", "HISTORY", "REASON", "REJECTED", "facts", "find", "history_title", "section_of"]

# "Facts", "Key facts", "Facts (as of May)", 사실, 확인된 사실: one word of the heading is enough.
FACTS = re.compile(r"\bfacts?\b|(?<!\w)사실(?:들)?(?!\w)", re.IGNORECASE)
HISTORY = re.compile(r"\bhistory\b|\bchange ?log\b|(?<!\w)(?:이력|연혁|변경 ?기록|변경 ?내역)(?!\w)", re.IGNORECASE)
REJECTED = re.compile(
    r"\b(?:rejected|dropped|discarded|considered|alternatives)\b"
    r"|(?<!\w)(?:버린|기각한|기각된|탈락한|제외한) ?(?:선택지|대안|안|것|방안)(?:들)?(?!\w)|(?<!\w)(?:대안|기각)(?!\w)",
    re.IGNORECASE,
)
"""What a decision was made against: the options that were not taken, and why."""
REASON = re.compile(
    r"\b(?:why|reasons?|rationale|motivation|because)\b|(?<!\w)(?:이유|근거|까닭|배경)(?!\w)", re.IGNORECASE
)
"""Why a decision was made."""


def history_title(language: str) -> str:
    """Return the heading under which a program begins a note's history."""
    return "이력" if language == "ko" else "History"


def find(structure: markdown.Structure, form: re.Pattern[str]) -> markdown.Heading | None:
    """Return the first heading of this kind."""
    return next((heading for heading in structure.headings if form.search(heading.text)), None)


def section_of(structure: markdown.Structure, form: re.Pattern[str]) -> str:
    """Return what stands under the headings of this kind, deeper headings included."""
    spans = [markdown.section_lines(structure, heading) for heading in structure.headings if form.search(heading.text)]
    return "\n".join(structure.text[structure.offset_of(a) : structure.offset_of(b)] for a, b in spans)


def facts(structure: markdown.Structure) -> Iterator[tuple[markdown.ListItem, str]]:
    """Yield each bullet under a heading of facts with its own text, without that of the bullets inside it."""
    spans = [markdown.section_lines(structure, heading) for heading in structure.headings if FACTS.search(heading.text)]
    for item in structure.items:
        if any(start <= item.line < end for start, end in spans):
            yield item, "".join(structure.text[structure.offset_of(a) : structure.offset_of(b)] for a, b in item.own)
