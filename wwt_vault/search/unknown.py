"""Names in a question that nobody used in the vault: what was found is then hardly about them, and the answer says so.

Only what is a name for certain is told: codes and versions, Latin words in a Korean question, and English words that
are capitalised within a sentence. Any other word that is nowhere is as likely said in other words.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import log
from typing import Final

from wwt_vault.index.analysis import exact_terms
from wwt_vault.search.named_days import MONTHS, WEEKDAYS

__all__ = ["unknown_names"]

_CAPITALISED: Final = re.compile(r"(?<=[a-z,] )[A-Z][a-z]+(?!\w)")
_NO_NAMES: Final = frozenset((*MONTHS, *WEEKDAYS, "korean", "english"))
_MOST: Final = 3


def unknown_names(text: str, terms: Mapping[str, float], passages: int) -> tuple[str, ...]:
    """Return at most three names of a question that none of so many passages holds, in any way of writing them.

    ``terms`` are the words of the question as they are searched, with how rare each is.
    """
    nowhere = log(1 + passages) - 1e-6  # the idf of what no passage holds
    capitalised = {word.casefold() for word in _CAPITALISED.findall(text)} - _NO_NAMES
    names = exact_terms(text) | capitalised
    return tuple(term for term, idf in terms.items() if idf >= nowhere and term in names)[:_MOST]
