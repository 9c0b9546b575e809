"""Whether two statements say the same, contradict one another, or only speak of one matter. By rule, without a model.

How near they are in meaning is given from outside, where that is known. What makes them two all the same is read from
the words: another technology of one category, another version, number or date, another side of a matter (production
and development), a denial of what the other one says, names that only one of them has. So "JWT expires after 15
minutes" is never taken for "JWT expires after 1 hour" said twice, however alike they are.
"""

from __future__ import annotations

import re
from typing import Final, Literal, NamedTuple

from wwt_vault.curate.kinds import technologies
from wwt_vault.curate.values import differing, scopes, values
from wwt_vault.index.analysis import ask, language_of

__all__ = ["Comparison", "Statement", "compare", "statement"]

_NEAR: Final = 0.53
"""Centred cosine from which two statements are taken to speak of one matter."""
_NEAR_ACROSS: Final = 0.46
"""The same of two languages: there unrelated ones are farther apart, but equal numbers bring them nearer."""
_NEAR_NAMED: Final = 0.4
"""The same of two languages that name the same thing, or two of one category."""
_SURE: Final = 0.6
"""The same where one fixes a value of which the other says nothing, or they share next to no word."""
_FAR: Final = 0.4
"""Below this they do not, whatever words they share."""
_ALIKE: Final = 0.5
"""Share of the shorter one's words that both have, from which they speak of one matter whatever is known of meaning."""
_SAME_SENTENCE: Final = 0.7
"""From here on they are one sentence but for a word: two words with a capital in one place are two names."""
_SHARED: Final = 2
"""Words, and at least so many."""

_NOT: Final = re.compile(
    r"\b(?:not|never|no longer|(?:do|does|did|wo|is|are|was|should|must)n't|stop(?:ped)?|avoid)\b((?: [\w'-]+){0,3})"
)
_NOT_KO: Final = re.compile(
    r"([가-힣A-Za-z]+)(?:하|되|쓰|지)?지 ?(?:않|말|못|마)|([가-힣]+) ?(?:금지|불가|안 ?함|중단)|"
    r"(?<![가-힣])안 ?([가-힣]+)|([가-힣]+)(?:하|되|쓰)?면 안"
)
_DROPPED: Final = re.compile(
    r"\b(?:reject(?:ed|s)?|rul(?:ed|e|ing) out|drop(?:ped|s)?|decided against|abandon(?:ed)?|deprecat\w+|remov(?:ed|e)|"
    r"not (?:use|using|used)|no longer|instead of|rather than|got rid of|moved (?:away from|off)|replac(?:ed|ing))\b|"
    r"버렸|버리|폐기|기각|제외|금지|중단|그만|빼기로|걷어|안 ?쓰|쓰지 ?않|사용하지 ?않|대신"
)
_NAME: Final = re.compile(
    r"(?<![\w.\0])(?:[A-Z][A-Za-z0-9]*[A-Z0-9][\w.+-]*|[A-Z][a-z]+(?=[^A-Za-z]|$)|[a-z]+[A-Z]\w*|\w+[._/-]\w+[\w./-]*)"
)
_SENTENCE: Final = re.compile(r"(?:^|[.!?:]\s+|\n)\s*(?:[-*]\s+)?(?=[A-Z])")


class Statement(NamedTuple):
    """A statement, taken apart once."""

    text: str
    words: frozenset[str]
    """Its content words, stems of English and morphemes of Korean; technologies by one name."""
    technologies: dict[str, str]
    values: dict[str, frozenset[str]]
    scopes: frozenset[tuple[int, int]]
    denied: frozenset[str]
    """Content words that stand under a negation."""
    drops: bool
    """It says that something is not, or no longer, used."""
    names: frozenset[str]
    """What else looks like a proper name, folded."""


class Comparison(NamedTuple):
    """What two statements are to one another."""

    kind: Literal["duplicate", "contradiction", "other"]
    why: tuple[str, ...] = ()
    """What differs, for a contradiction; for people."""
    alike: float = 0.0
    """Share of the shorter one's words that both have."""


def statement(text: str) -> Statement:
    """Take a statement apart."""
    found = technologies(text)
    words = _words(text)
    for name in found:
        words |= {name}
    folded = text.casefold()
    denied: set[str] = set()
    for match in _NOT.finditer(folded):
        denied |= _words(match[1] or "")
    for match in _NOT_KO.finditer(folded):
        denied |= _words(next((part for part in match.groups() if part), ""))
    known = " ".join(found)
    names = {
        name.casefold().strip(".-/")
        for name in _NAME.findall(_SENTENCE.sub(lambda match: match[0] + "\0", text))
        if not name.isdigit()
    }
    return Statement(
        text=text,
        words=frozenset(words),
        technologies=found,
        values=values(text),
        scopes=scopes(text),
        denied=frozenset(denied),
        drops=bool(_DROPPED.search(folded)),
        names=frozenset(
            name for name in names if name and name not in known and not technologies(name) and not values(f"in {name}")
        ),
    )


def compare(one: Statement, other: Statement, near: float | None = None) -> Comparison:
    """Compare two statements; ``near`` is the centred cosine of their meanings, ``None`` where it is not known.

    The same whichever comes first.
    """
    shared = one.words & other.words
    needed = _needed(one, other, bool(shared))
    alike = len(shared) / max(1, min(len(one.words), len(other.words)))
    by_words = alike >= _ALIKE and len(shared) >= _SHARED
    if not by_words and (near is None or near < needed):
        return Comparison("other", alike=alike)
    if near is not None and near < min(_FAR, needed):
        return Comparison("other", alike=alike)  # the words are the same, what is said of them is not
    differs = _differences(one, other)
    apart = _sides(one, other)
    if differs and not apart:
        return Comparison("contradiction", tuple(differs), alike)
    if differs or apart:
        return Comparison("other", alike=alike)
    if named := _other_names(one, other, alike):
        return Comparison("contradiction", (named,), alike) if by_words else Comparison("other", alike=alike)
    one_sided = bool(one.values.keys() ^ other.values.keys())
    if near is not None and near < _SURE and (one_sided or not shared) and needed == _NEAR:
        return Comparison("other", alike=alike)
    return Comparison("duplicate", (), alike)


def _needed(one: Statement, other: Statement, shared: bool) -> float:
    """Return how near two statements must be to speak of one matter."""
    if (language_of(one.text) == 1) == (language_of(other.text) == 1):
        return _NEAR
    named = shared or bool(set(one.technologies.values()) & set(other.technologies.values()))
    return _NEAR_NAMED if named else _NEAR_ACROSS


def _differences(one: Statement, other: Statement) -> list[str]:
    """Return why both cannot hold of one matter."""
    found = []
    for kind in sorted(set(one.technologies.values()) & set(other.technologies.values())):
        mine, theirs = ({name for name, its in each.technologies.items() if its == kind} for each in (one, other))
        if not mine & theirs:
            found.append(f"{kind}: {', '.join(sorted(mine))} / {', '.join(sorted(theirs))}")
    found += [
        f"{dimension}: {_said(one, dimension)} / {_said(other, dimension)}"
        for dimension in differing(one.values, other.values)
    ]
    if (one.denied & (other.words - other.denied)) or (other.denied & (one.words - one.denied)):
        if bool(one.denied) != bool(other.denied):
            found.append("one denies what the other says")
    elif one.drops != other.drops and _same_choice(one, other):
        found.append("one drops what the other has")
    return found


def _same_choice(one: Statement, other: Statement) -> bool:
    mine, theirs = set(one.technologies), set(other.technologies)
    return bool(mine & theirs) and not (mine ^ theirs)


def _said(statement: Statement, dimension: str) -> str:
    return ", ".join(sorted(value.removesuffix(".0") for value in statement.values[dimension]))


def _sides(one: Statement, other: Statement) -> bool:
    """Tell whether they speak of two sides of one matter."""
    matters = {matter for matter, _ in one.scopes} & {matter for matter, _ in other.scopes}
    return any(
        not {side for its, side in one.scopes if its == matter} & {side for its, side in other.scopes if its == matter}
        for matter in matters
    )


def _other_names(one: Statement, other: Statement, alike: float) -> str:
    """Return what each names that the other does not, or what stands in one place of otherwise like sentences."""
    mine, theirs = _unknown(one, other), _unknown(other, one)
    if not (mine and theirs) and alike >= _SAME_SENTENCE:
        mine = {word for word in one.words - other.words if _is_name(one.text, word)}
        theirs = {word for word in other.words - one.words if _is_name(other.text, word)}
    return "" if not (mine and theirs) else f"names: {', '.join(sorted(mine))} / {', '.join(sorted(theirs))}"


def _unknown(one: Statement, other: Statement) -> set[str]:
    there = (*other.names, *other.words)
    return {name for name in one.names - other.names if not any(name in word or word in name for word in there)}


def _is_name(text: str, stem: str) -> bool:
    """Tell whether a word stands with a capital wherever it stands, which at the head of a sentence says little."""
    found = re.findall(rf"(?<!\w){re.escape(stem)}\w*", text, re.IGNORECASE)
    return bool(found) and all(word[0].isupper() for word in found)


def _words(text: str) -> set[str]:
    return {concept.terms[0] for concept in ask(text).concepts}
