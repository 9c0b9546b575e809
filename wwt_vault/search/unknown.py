"""Names in a question that nobody used in the vault: what was found is then hardly about them, and the answer says so.

Only what is a name for certain is told: codes and versions, Latin words in a Korean question, and words that stand
capitalised between others in an English one. Any other word that is nowhere is as likely said in other words.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from math import log
from typing import Final

from wwt_vault.index.analysis import exact_terms
from wwt_vault.search.named_days import MONTHS, WEEKDAYS

__all__ = ["unknown_names"]

_TOKEN: Final = re.compile(r"[^\W_]+|[^\w\s]")
_NAME: Final = re.compile(r"[A-Z][a-z]{2,}")
_BEFORE_KINDS: Final = frozenset(
    "a an the which what our my your his her their this that any some every no mr ms dr".split()  # noqa: SIM905 - reads as words
)
"""Before a word that is capitalised for its weight: the Team, as a Developer."""
_NO_NAMES: Final = frozenset(
    (*MONTHS, *WEEKDAYS, "korean", "english", *"thx pls plz asap fyi btw imo lol http https www ok okay hello".split())  # noqa: SIM905 - reads as words
)
_MOST: Final = 3


def unknown_names(
    text: str, terms: Mapping[str, float], passages: int, projects: Collection[str | None]
) -> tuple[str, ...]:
    """Return at most three names of a question that none of so many passages holds, in any way of writing them.

    ``terms`` are the words of the question as they are searched, with how rare each is; ``projects`` are those of what
    was found: a project's name need not stand in its texts.
    """
    nowhere = log(1 + passages) - 1e-6  # the idf of what no passage holds
    known = {part for project in projects if project for part in _parts(project)}
    names = (exact_terms(text) | set(_capitalised(text))) - _NO_NAMES - known
    return tuple(term for term, idf in terms.items() if idf >= nowhere and term in names)[:_MOST]


def _parts(project: str) -> Iterator[str]:
    yield project.casefold()
    yield from (token.casefold() for token in _TOKEN.findall(project))


def _capitalised(text: str) -> Iterator[str]:
    """Yield words that are capitalised between words that are not, or at the end behind one: why did Prisma change."""
    tokens = _TOKEN.findall(text)
    for before, token, after in zip(tokens, tokens[1:], [*tokens[2:], "?"], strict=False):
        between = before.islower() and before not in _BEFORE_KINDS and (after.islower() or after in "?.")
        if between and _NAME.fullmatch(token):
            yield token.casefold()
