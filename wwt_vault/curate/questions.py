"""What is missing of the questions that an agent writes for a note or a session: the ways a person may later ask.

The model that is in the conversation anyway bridges words and languages when it writes them; a question that only
repeats the text's own words brings nothing that the text does not. What they bring is measured: docs/benchmarks.md.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

__all__ = ["FEWEST", "MOST", "wanting"]

FEWEST: Final = 3
MOST: Final = 6

_HANGUL: Final = re.compile("[\uac00-\ud7a3]")
_LATIN: Final = re.compile("[A-Za-z]{2}")
_WORD: Final = re.compile("[\uac00-\ud7a3]{2,}|[A-Za-z]{3,}")
_ASKING: Final = frozenset(
    "what which who whom whose when where why how did does do was were are the and for our you your we that this with"  # noqa: SIM905 - reads as words
    " have has had can could should would about again there 뭐였지 뭐였더라 뭐지 무엇 어떻게 어디 언제 누가 어느"
    " 어떤 무슨 왜 했지 했더라 하지 하나 그때 우리".split()
)
"""Words that only ask: every question has some."""
_REPEATED: Final = 0.75
"""Share of a question's words that the text has too, from which it says nothing in other words."""


def wanting(questions: Sequence[str], text: str) -> tuple[str, ...]:
    """Return what to add, a phrase each: too few, none in one of the languages, all in the words of ``text``.

    >>> wanting(["로그인은 무엇으로 해?", "Which way in?", "How are machines reached?"], "ssh by ed25519 keys")
    ()
    """
    if not questions:
        return (f"{FEWEST} to {MOST} questions: how the person may later ask, in Korean and English, in other words",)
    found = []
    if len(questions) < FEWEST:
        found.append(f"more questions: {FEWEST} to {MOST} in all, not {len(questions)}")
    if not any(_HANGUL.search(question) for question in questions):
        found.append("a question in Korean")
    if not any(_LATIN.search(question) and not _HANGUL.search(question) for question in questions):
        found.append("a question in English")
    if all(_repeats(question, text) for question in questions):
        found.append("questions in other words than the text's own")
    return tuple(found)


def _repeats(question: str, text: str) -> bool:
    """Tell whether nearly all that a question names stands in the text as it is. An English word counts by its stem's
    beginning, a Korean one by its first two syllables: endings and particles follow."""
    folded = text.casefold()
    words = [word for word in _WORD.findall(question.casefold()) if word not in _ASKING]
    there = [word for word in words if (word[:2] if _HANGUL.match(word) else word[:5]) in folded]
    return len(there) >= _REPEATED * len(words)
