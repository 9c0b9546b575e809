"""Cut a text down to the sentences that carry the match, in their order, with marks where something was left out."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence

from wwt_vault.context.tokens import count_tokens

__all__ = ["GAP", "sentences", "to_tell", "trim", "worth"]

GAP = "…"
"""Stands where words were left out."""
_TOLD = 3
"""Turns or sections told of one passage: the one that matches best, what it answers or what answers it, and another."""

_END = re.compile(
    r"(?<=[.!?。！？…])[\"')\]”’」』]*(?:\s*\[\^[^\]\s]{1,64}\])*\s+(?!\[\^)"  # an end mark, its quotes and citations
    r"|\n+"
)
_HALF_AT_END = re.compile(r"\s*\[(?:\^[^\]\s]*)?$")
"""A citation that a cut has left half of: it would lead nowhere."""
_HALF_AT_START = re.compile(r"^(?:\^?[\w-]{0,40}\]|\^[\w-]*\])\s*")
_ASCII_WORD = re.compile(r"[a-z]{4,}")
_ENDING = re.compile(r"(?<=...)(?:ing|ed|es|er|ies|y|e|s|i)$")


def sentences(text: str) -> list[str]:
    """Split at line ends and behind end marks; a citation stays with the sentence it follows.

    >>> sentences("We chose ed25519. [^a] RSA 는 버렸다!\\n다음")
    ['We chose ed25519. [^a]', 'RSA 는 버렸다!', '다음']
    """
    return [text[start:end] for start, end in _spans(text)]


def trim(text: str, terms: Mapping[str, float], budget: int) -> str:
    """Return ``text`` whole when it costs at most ``budget`` tokens, else its sentences that hold most of ``terms``
    (each with its weight).

    The best sentence comes with its neighbours as far as they fit. A sentence that is too long by itself is cut around
    its first match. Nothing is returned when not even that fits (``budget`` of a few tokens).
    """
    if count_tokens(text) <= budget:
        return text
    spans = _spans(text)
    weights = [worth(text[start:end], terms) for start, end in spans]
    chosen: set[int] = set()
    for at in _by_worth(weights):
        if count_tokens(_joined(text, spans, chosen | {at})) <= budget:
            chosen.add(at)
        elif not chosen:
            start, end = spans[at]
            return _cut(text[start:end], terms, budget)
    return _joined(text, spans, chosen)


def _spans(text: str) -> list[tuple[int, int]]:
    """Where the sentences begin and end, without the white space around them."""
    ends = [end.end() for end in _END.finditer(text)] + [len(text)]
    spans, start = [], 0
    for after in ends:
        part = text[start:after]
        if kept := part.strip():
            at = start + part.index(kept)
            spans.append((at, at + len(kept)))
        start = after
    return spans


def _by_worth(weights: Sequence[float]) -> Iterable[int]:
    """Sentences that match, best first; then their neighbours, nearest first; the beginning where nothing matches."""
    matching = sorted((at for at in range(len(weights)) if weights[at]), key=lambda at: (-weights[at], at)) or [0]
    yield from matching
    first, seen = matching[0], set(matching)
    for distance in range(1, 4):
        for at in (first + distance, first - distance):
            if 0 <= at < len(weights) and at not in seen:
                seen.add(at)
                yield at


def _joined(text: str, spans: Sequence[tuple[int, int]], chosen: Collection[int]) -> str:
    """Put the chosen sentences together: neighbours as they stand in the text, a mark for each gap."""
    pieces: list[str] = []
    order = sorted(chosen)
    for at in order:
        start, end = spans[at]
        if at - 1 in chosen:
            pieces[-1] += text[spans[at - 1][1] : end]
        else:
            pieces += [GAP, text[start:end]] if at else [text[start:end]]
    if order and order[-1] != len(spans) - 1:
        pieces.append(GAP)
    return " ".join(pieces)


def _cut(sentence: str, terms: Mapping[str, float], budget: int) -> str:
    """Cut one long sentence to a stretch around its first match."""
    folded = _fold(sentence)
    places = [place for term in terms if (place := _place(folded, term)) >= 0]
    middle = min(places, default=0)
    # Two tokens are what the marks at both ends cost at most, three tenths the cheapest character.
    low, high = 0, min(len(sentence), int(budget / 0.3))
    best = ""
    while low <= high:
        size = (low + high) // 2
        start = max(0, min(middle - size // 4, len(sentence) - size))
        end = start + size
        piece = sentence[start:end].strip()
        piece = _HALF_AT_END.sub("", piece) + GAP if end < len(sentence) else piece
        piece = GAP + _HALF_AT_START.sub("", piece) if start else piece
        if size and count_tokens(piece) <= budget:
            best, low = piece, size + 1
        else:
            high = size - 1
    return best


def _fold(text: str) -> str:
    return unicodedata.normalize("NFC", text).casefold()


def worth(text: str, terms: Mapping[str, float]) -> float:
    """Return how much of a question a text holds: the sum of its terms' weights, each counted once.

    A term counts where a word begins with it, an English one also in another form (decided, deciding).
    """
    folded = _fold(text)
    return sum(weight for term, weight in terms.items() if _place(folded, term) >= 0)


def _place(folded: str, term: str) -> int:
    """Return where a term stands in a folded text, -1 where it does not."""
    stem = _ENDING.sub("", term) if _ASCII_WORD.fullmatch(term) else term
    at = folded.find(stem)
    # ASCII words are told apart by what is before them; Korean ones are compounds, and particles follow them.
    while at > 0 and stem.isascii() and folded[at - 1].isascii() and folded[at - 1].isalnum():
        at = folded.find(stem, at + 1)
    return at


def to_tell(texts: Sequence[tuple[str, str]], terms: Mapping[str, float]) -> list[int]:
    """Return places in ``texts`` (speaker or heading, text) that are told of a passage, in the order of their worth.

    The one that matches best, what it answers or what answers it, then the next that matches; of a turn its answer
    comes along as well, since a question by itself tells nothing.
    """
    weights = [worth(text, terms) for _, text in texts]
    order = sorted(range(len(texts)), key=lambda at: (-weights[at], at))
    chosen: list[int] = []
    for at in order:
        is_first = not chosen
        if not is_first and (at in chosen or not weights[at] or len(chosen) >= _TOLD):
            continue
        partner = at - 1 if texts[at][0] == "assistant" else at + 1
        is_turn = texts[at][0] in {"user", "assistant"}
        chosen.append(at)
        if (is_first or is_turn) and 0 <= partner < len(texts) and partner not in chosen:
            chosen.append(partner)
    return chosen
