"""How much of an agent's context a text takes, counted without the agent's tokenizer and rather too high than too low.

A character counts 0.3 tokens when it is an ASCII letter or white space, 0.7 when it is any other ASCII character
(digits and punctuation come apart in every vocabulary), 1.4 when it is another character of the Basic Multilingual
Plane (a Hangul syllable is one to one and a half tokens in older vocabularies) and 3 beyond it (emoji). Against the
published vocabularies of three model families this gives 1.0 to 1.7 times the true count for Korean, 1.2 to 1.3 for
English, 1.2 to 1.5 for code.
"""

from __future__ import annotations

__all__ = ["count_tokens"]


def count_tokens(text: str) -> int:
    """Return the number of tokens that ``text`` is taken to cost, rounded up.

    >>> count_tokens("The key lies in the agent."), count_tokens("키는 에이전트에 있다")
    (9, 14)
    """
    tenths = 0
    for character in text:
        if character.isascii():
            tenths += 3 if character.isalpha() or character.isspace() else 7
        else:
            tenths += 14 if ord(character) < 0x10000 else 30
    return -(-tenths // 10)
