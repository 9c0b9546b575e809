"""What of a turn may be worth a note: decisions, reversals, preferences, constraints, facts; in Korean and English.

Found by rule. Nothing ambiguous becomes a candidate: a question, a proposal with a maybe in it, a condition, or a
sentence that names nothing ("yes, let's do that thing"). An agent decides what of the rest is kept. How often the rules
are right is measured: docs/benchmarks.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, Literal, NamedTuple

from wwt_vault.curate.comparing import statement
from wwt_vault.model.conversation import Role

__all__ = ["KINDS", "Candidate", "candidates"]

Kind = Literal["reversal", "decision", "preference", "constraint", "fact"]
KINDS: Final[tuple[Kind, ...]] = ("reversal", "decision", "preference", "constraint", "fact")

_MOST: Final = 10
_LONGEST: Final = 400
"""Characters of a sentence that can be a candidate: what is longer is a paste."""


class Candidate(NamedTuple):
    """A sentence that may be worth a note."""

    kind: Kind
    text: str
    role: Role


_CODE: Final = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*\n[^`]*`", re.DOTALL)
_LINE: Final = re.compile(r"^\s*(?:>|\||#{1,6}\s|[-*+]\s|\d+[.)]\s)*", re.MULTILINE)
_END: Final = re.compile(r"(?<=[.!?。！？])[\"')\]”’]*\s+|\n+")
_CLAUSE: Final = re.compile(
    r",? (?:and|so) (?=(?:we|i|the|they|it|our|[a-z]{2,} [a-z]+s?) )|, (?:so|그래서) |(?<=고), ?", re.IGNORECASE
)

_QUESTION: Final = re.compile(
    r"[?？]\W*$|^(?:should|shall|can|could|would|do|does|did|is|are|was|were|what|which|why|how|when|where|who)\b|"
    r"(?:까요?|나요|을까|할까|는지|인가|던가|었지|였지|더라)[.…]*$",
    re.IGNORECASE,
)
_HEDGED: Final = re.compile(
    r"\b(?:maybe|perhaps|probably|possibly|might|may be|could(?! not|n't)|i think|i guess|not sure|unless|if|whether|"
    r"consider\w*|thinking (?:of|about)|what about|how about|wonder\w*|tentative\w*|leaning|for example|e\.g\.|suppose|"
    r"would be nice)\b|"
    r"아마|혹시|만약|일지도|수도 있|것 같|듯|싶은데|고민|생각 ?중|어떨|예를 들|검토|라면|다면|면 어때",
    re.IGNORECASE,
)
_VAGUE: Final = frozenset(
    """
    thing things stuff that this it one way talk said say do did done go ok okay yes yeah sure sound good great right
    same now just let agre done before earlier again later there idea plan option approach point work keep use make it
    like 그거 그것 이거 저거 그걸로 그렇게 이렇게 그대로 저번 아까 말 얘기 방법 거 것 쪽 번 대로 하 좋 네 응 그래 진행
    """.split()  # noqa: SIM905 - reads as words
)
_ACKNOWLEDGES: Final = re.compile(
    r"^(?:sure|ok(?:ay)?|got it|noted|understood|agreed|sounds good|great|thanks|done|alright|i'll|i will|i've|i have|"
    r"i can|알겠|네[,. ]|넵|좋습니다|확인|반영|기억)",
    re.IGNORECASE,
)

_CHOOSE: Final = (
    r"(?:use|go(?: with)?|keep(?! \w+ing\b)|stick|stay|switch|move|adopt|choose|pick|drop|remove|replace|"
    r"standardi[sz]e|store|deploy|call|name)"
)
_DONE: Final = r"(?:switched|moved|dropped|migrated|replaced|changed)"
_REVERSES: Final = re.compile(
    r"\b(?:no longer|not .{1,60}\b(?:anymore|any more)|instead of|rather than|switch(?:ed|ing)? (?:from|to|away)|"
    r"mov(?:ed|ing) (?:from|to|off|away)|migrat(?:ed|ing) (?:from|to)|chang(?:ed|ing) .{1,60}\bto|replac(?:ed|ing)|"
    r"revert\w*|scrap(?:ped)?|dropp?(?:ed|ing)|stopped using|got rid of|ignore the (?:earlier|previous)|"
    r"forget (?:the|what)|was the plan|changed (?:our|my) mind|after all|final decision)\b|"
    r"\bnot \w+[,.]? (?:but|for)|, not [A-Z]|"
    r"대신|말고|바꾸|바꿨|변경|갈아타|옮기|옮겼|취소|철회|번복|더 ?이상|그만 ?쓰|안 ?쓰기|버리|버렸|되돌|뒤집|교체"
)
_DECIDES: Final = re.compile(
    rf"\blet(?:'|’)?s (?:not )?(?:just )?{_CHOOSE}\b|"
    rf"\b(?:we|i)(?:'ll|’ll| will| are going to|'re going to)? (?:should |now |always )?{_CHOOSE}\b|"
    r"\bwe(?:'re|’re| are) (?:now )?(?:not )?using\b|"
    r"\b(?:we|i|team|they|it was|was|were)\b.{0,20}\b(?:decid|chose|chosen|pick|settl|agree|adopt|select|approv|"
    r"finali[sz])\w*|\b(?:decision|choice) is\b|\bgo(?:ing)? with\b|"
    rf"\b(?:we|i)(?:'ve|’ve| have)? {_DONE}\b|\bit is (?:decided|settled)\b|"
    r"기로 ?(?:했|하|함|정|결정)|"
    r"(?:로|으로|을|를) ?(?:가자|갑시다|가죠|하자|합시다|하죠|쓰자|씁시다|쓰죠|간다|정했|정하자|결정|"
    r"확정|채택|선택|통일)|"
    r"(?:쓰자|빼자|두자|바꾸자|유지하자|도입하자|없애자)|(?:결정|확정|채택|합의)(?:했|됐|하였|함)",
    re.IGNORECASE,
)
_OWN_DOING: Final = re.compile(
    rf"^i(?:'ve|’ve| have)? (?:\w+ )?(?:{_DONE}|used|removed|kept|named|picked|chose)\b", re.IGNORECASE
)
_PREFERS: Final = re.compile(
    r"\b(?:i|we|team|user|customers?|they|the \w+)(?:'d|’d| would)?\b.{0,20}\b(?:prefers?|likes?|loves?|hates?|"
    r"dislikes?|favou?rs?|always|usually|never|wants?)\b|\bmy (?:favou?rite|go-to|default|preferred)\b|"
    r"\b(?:go-to|favou?rite)\b|"
    r"\b(?:strongest|strong|best|comfortable|experienced|familiar) (?:in|with|at)\b|"
    r"선호|좋아(?:해|한|합|하)|(?:가|이|게|는|은) 좋(?:아|다|음|습)|싫어|싫다|항상|늘 |즐겨|취향|편하|편해|"
    r"원해|원한|원합|주로 ?(?:쓰|써|사용)|마음에 ?들|했으면 좋겠",
    re.IGNORECASE,
)
_WANTS_DONE: Final = re.compile(r"\b(?:i|we)(?:'d like| want| would like) (?:you |to )", re.IGNORECASE)
_BINDS: Final = re.compile(
    r"\b(?:must|mustn't|must not|have to|has to|shall|required?|requires|never|not allowed|forbidden|prohibited|"
    r"non-negotiable|mandatory|only (?:on|in|for|by|with|from)|at (?:most|least)|no more than|no less than|up to|"
    r"limit(?:ed)? (?:is|to|of)|maximum|minimum|deadline|cannot|can't|do not|don't)\b|"
    r"반드시|금지|필수|(?:하면|되면|쓰면|두면|올리면|넣으면) ?안 ?(?:돼|되|됩)|지 ?(?:마|말)|까지만|"
    r"이상(?:이어야|으로)|이하|최대|최소|제한|한도|마감|"
    r"(?:해야|써야|둬야|돼야|되어야|이어야|여야|아야|어야) ?(?:해|한|합|만|돼|된)",
    re.IGNORECASE,
)
_STATES: Final = re.compile(
    r"\b(?:is|are|was|were|has|have|had|expires?|lasts?|runs?|listens?|takes?|costs?|moved|starts?|ends?|lives?|uses?|"
    r"supports?|allows?|holds?)\b|"
    r"(?:이다|이야|입니다|예요|이에요|한다|합니다|된다|됩니다|있다|있습니다|이고|다|요|음|임|함)[.!]*$",
    re.IGNORECASE,
)
_OF_THIS_HOUR: Final = re.compile(
    r"\b(?:tests?|errors?|failures?|files?|lines?|warnings?) (?:passed|failed|found|changed)\b|"
    r"\b\d+ (?:tests?|errors?|warnings?|files?|lines?)\b|"
    r"테스트 ?\d+|\d+ ?(?:개 ?(?:파일|테스트)|줄)"
)


def candidates(user: str, assistant: str) -> list[Candidate]:
    """Return what a turn may hold for a note, in the order it was said, at most ten.

    >>> [(found.kind, found.text) for found in candidates("Let's use PostgreSQL. Yeah, do that thing.", "Okay.")]
    [('decision', "Let's use PostgreSQL.")]
    """
    found: dict[tuple[Kind, str], Candidate] = {}
    turn: tuple[tuple[Role, str], ...] = (("user", user), ("assistant", assistant))
    for role, text in turn:
        for sentence in _sentences(text):
            for kind, said in _kinds(sentence, role):
                found.setdefault((kind, said.casefold()), Candidate(kind, said, role))
    return list(found.values())[:_MOST]


def _sentences(text: str) -> Iterator[str]:
    """Yield sentences as they were said; code, quotes and tables are none."""
    plain = "\n".join(line for line in _CODE.sub("\n", text).splitlines() if not line.lstrip().startswith((">", "|")))
    for sentence in _END.split(_LINE.sub("", plain)):
        bare = sentence.strip()
        if 4 <= len(bare) <= _LONGEST:
            yield bare


def _kinds(sentence: str, role: Role) -> list[tuple[Kind, str]]:
    """Return what a sentence is, or each of its clauses where they are of several kinds."""
    if _QUESTION.search(sentence) or (role == "assistant" and _ACKNOWLEDGES.search(sentence)):
        return []
    whole = _kind(sentence, role)
    clauses = [clause.strip() for clause in _CLAUSE.split(sentence) if len(clause.split()) >= 3]
    parts = [(kind, clause) for clause in clauses if (kind := _kind(clause, role))] if len(clauses) > 1 else []
    if len({kind for kind, _ in parts}) > 1:
        return parts
    return [(whole, sentence)] if whole else []


def _kind(sentence: str, role: Role) -> Kind | None:
    if _HEDGED.search(sentence) or _OF_THIS_HOUR.search(sentence) or not _names_something(sentence):
        return None
    if role == "assistant" and _OWN_DOING.search(sentence):
        return None
    decides = bool(_DECIDES.search(sentence))
    if _REVERSES.search(sentence) and (decides or _is_choice(sentence)) and (decides or role == "user"):
        return "reversal"
    if _PREFERS.search(sentence) and role == "user" and not _WANTS_DONE.search(sentence):
        return "preference"
    if decides:
        return "decision"
    fixes = bool(statement(sentence).values)
    if _BINDS.search(sentence) and (role == "user" or fixes):
        return "constraint"
    if fixes and _STATES.search(sentence):
        return "fact"
    return None


def _is_choice(sentence: str) -> bool:
    """Tell whether what is turned round is a thing that can be chosen, not a word ("instead of crashing")."""
    taken = statement(sentence)
    return bool(taken.technologies or taken.names)


def _names_something(sentence: str) -> bool:
    """Tell whether a sentence says what it is about: a name, a value, or two words that mean something alone."""
    taken = statement(sentence)
    if taken.technologies or taken.values or taken.names:
        return True
    return len({word for word in taken.words if word not in _VAGUE and len(word) > 1}) >= 2
