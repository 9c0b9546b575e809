"""What a text comes to: something was decided or done, or it was only thought of.

Two sessions are as near to one another in meaning where the newer one replaced a decision as where somebody only asked
whether it should be replaced. Their words tell them apart, in Korean and English, by kind:

    done      a decision, or a change as it is told when it is made: 하기로 했다, 옮겼습니다, we go with, deployed
    asked     a question, a condition, an idea, a plan, a trial, what others say: 바꿀까, 검토, should we, tried
    kept      a refusal, or off to later: 보류, 바꾸지 않기로, not now, on hold, stick with
    undone    taken back: 되돌렸다, rolled back

They are read in the order in which they stand. What asks for a fact (which, when, how much) is no such question. A
question leaves a decision before it as it is, unless a person tells both in one breath: then that was the background.
What is kept ends what was asked or done. What is undone ends it as well; where nothing of it stands in the text it is a
change itself.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, Literal

from wwt_vault.index.korean import ending_in

__all__ = ["Outcome", "outcome"]

Outcome = Literal["decided", "open"]

_N: Final = ending_in(4)
_L: Final = ending_in(8)
_PAST: Final = ending_in(20, without="있겠봤왔했됐")
"""What a verb of doing has in the past tense: ``옮겼``; not ``봤``, and ``했`` says it with its noun."""

# Each in Korean, where it may stand within a word, and in English, where it begins one.
_ASKED: Final = (
    r"\?(?=[\s\"')\]]|$)"
    rf"|(?<!줄 수 있)[{_L}]까요?(?![가-힣])|어때|어떨|어떻겠|려나|[{_L}]지(?![가-힣])|[{_L}] (?:것 같|것으로 보|겁니다)"
    rf"|[{_L}] (?:거예요|거야)|텐데|싶[은어다]|좋겠|고려|검토(?= ?(?:중|[하했해한]|를 ))|고민|논의"
    r"|제안(?= ?[이을도하했])|의견(?=[이을도])|후보(?! ?목록)|장점|단점|상상"
    rf"|만약[^.?!\n]*|[{_N}]다면"
    r"|비교(?:해|했|표)|따져"
    r"|생각 ?중|예정|계획(?= ?(?:중|이[야에다]|입니다|을 세))|나중에|추후|다시 (?:보|얘기|논의|검토)"
    r"|(?:시험|실험|테스트|시범)(?: ?삼아| ?해| ?으로|적으로)|파일럿|[아어해려써켜꿔] ?(?:봤|보니|봄)"
    rf"|던데|다는데|다더라|(?!반대)[{_N}]대요?(?![가-힣])|[다하]네(?:요|\b)|달래|[다라]고 (?:합|하|해|한)"
)
_ASKED_EN: Final = (
    r"(?:should|could|shall) (?:we|i)\b|(?:suppose|imagine|(?:has|have) any\w*)\b[^.?!\n]*"
    r"|(?:must|has to|have to|needs? to) be \w+|(?:what )?if (?:we|i|you|they|it)\b[^.?!\n]*"
    r"|(?:would(?! you)|might (?:be|want|need|try|go|work|help|have|make)|maybe|perhaps|wants?|poc"
    r"|pilot(?:ing| (?:run|phase|project|with))|(?:an?|the) spike|trial (?:run|of))\b|\w+'d\b"
    r"|(?:what|how) (?:if|about)\b|(?:consider|evaluat|propos|suggest|explor|wonder|experiment|prototyp)\w*"
    r"|compare[ds]? (?:the|them|both|\w+ (?:and|with|to))\b"
    r"|(?:ideas?|alternatives?|pros and cons|trade-?offs?)\b|(?:an|another|one) option\b|(?:our|the) options\b"
    r"|(?:think|thinking|talk|talked|look|looked|looking|asked|asks|ask) (?:of|about|at|into|for)\b"
    r"|(?:says(?! so)|said|claims?|according to|heard|tried|trying)\b"
)
_KEPT: Final = (
    r"보류|미(?:루[기자]|뤘|뤄[졌 ])|아직은|(?:포기|기각|부결|거절|반려|반대)(?= ?(?:[했됐당]|하기로|의견|가 ))|말자"
    r"|없던 (?:일|걸로)|현상 유지|굳이(?=\s)|(?<![가-힣])(?:바꿀|옮길|갈|할|올릴|넣을) (?:이유|필요)[가는도]? ?없|놔두"
    r"|그대로 (?:두[기자]|가[기자]|쓰[기자]|유지하)|유지하(?:기로|자|는 [걸것게])"
    r"|(?:바꾸|옮기|하|가|올리|내리|늘리|줄이|넣)지 ?(?:않기|말)"
    r"|안 (?:하|바꾸|옮기|가|넣|올리|내리|늘리|줄이)(?:기로|는 (?:걸로|것으로|쪽으로))"
)
_KEPT_EN: Final = (
    r"(?:decided|agreed|chose|voted) (?:against|not to (?!use|keep|rely|offer|support))"
    r"|not (?:now|yet(?=[.,;!\n]|$)|planned|worth|going to|moving|switching|changing)\b"
    r"|no (?:reason|plans?|gain)\b|no need to (?:move|switch|change|migrate|replace|upgrade)\b"
    r"|(?:let's not|(?:voted|said) no|on hold|parked|turned down|told (?:\w+ ){1,2}no|out of scope)\b"
    r"|(?:shelv|postpon|deferr|revisit)\w*|(?:we|i|they|he|she|was|were|been|got) (?:reject|declin)ed\b"
    r"|(?:reject|declin)ed (?:it|the|that|to|because|for now)\b"
    r"|(?:stick(?:ing)?|stay(?:ing|ed)?) (?:with|to|on|where|as)\b"
    r"|(?<=to )(?:leave|keep) (?:it|that|things|using|what we|the current)\b"
    r"|(?:let's|we|i|we'll|i'll|i'd) (?:leave|left|keep|kept) (?:it|that|things|using|what we|the current)\b"
    r"|keeping (?:it|that|things|using|what we|the current)\b"
)
_UNDONE: Final = (
    r"되돌[렸려리](?=[^가-힣]|다|습|어|음|고|기로|놓|자|$)|돌려놓|돌려놨"
    r"|(?:롤백|원복|철회|취소)(?:을|를)? ?(?:[했함됐](?!을|던)|하기로)"
    r"|원래대로 (?:돌|바)|돌아[왔갔]|접(?:자|었|기로)"
)
_UNDONE_EN: Final = (
    r"(?:roll(?:ed|ing) (?:\w+ ){0,2}back|revert(?:ed|ing)|back(?:ed)? (?:it |that )?out|went back to|undone|undid"
    r"|abandoned|scrapped|threw (?:\w+ ){1,3}(?:away|out))\b"
)
_DONE: Final = (
    r"기로 ?(?:했|함|합의|결정|정)|정했|정해[졌진]|확정|결정[했됐함됨.]|채택|합의|완료(?!되면|하면)"
    r"|이제|앞으로|오늘부로|더 이상|부터(?:는)? "
    r"|(?:전환|교체|변경|이전|이관|도입|적용|배포|반영|출시|출하|오픈|설정|등록|수정|연결|구현|통합|추가|갱신)"
    r"(?:을|를|은|는|이|가)? ?(?:[했됐함됨]|끝|마)"
    rf"|(?<![물들읽])[{_PAST}](?:다가?|습니다|어요?|음|고)(?![가-힣])"
    r"|(?:으?로|를|을) (?:진행[하해]|하자|가자|합시다|갑시다|정하자|통일합시다|한다|간다|쓴다)"
)
_DONE_EN: Final = (
    r"(?:decided|agreed|settled|chosen?|picked|approved|signed off|(?<!is )(?<!are )(?<!be )done|finished|completed?"
    r"|switched|migrated|moved|replaced|merged|deployed|shipped|released|implemented|changed|raised|lowered|removed"
    r"|deleted|enabled|disabled|added|created|scheduled|coded|started|opened|fixed|confirmed|adjusted|documented"
    r"|updated|configured|go ahead|rolled out|cut over|turned (?:on|off)|set (?:up|to)|is live|in production|no longer"
    r"|(?:is|are|we|from) now|now (?:\w+s|in|on|live|via|through|by|at))\b"
    r"|(?:goes|went) (?:with|live|out|through)\b|(?:let's|we|i'll|we'll) go(?:ing)? (?:with|for)\b"
    r"|i(?:'ve)? (?:put|set|made)\b|(?!as )\w+ it is[,.!]|(?:from|since|as of|starting) (?:today|now|this)\b"
)
_REST: Final = "[가-힣]*(?: ?(?:결정|합의|정리)?[했함됐됨][가-힣]*)?"
"""The rest of a word, and of its verb: 되돌렸다 and 바꾸지 않기로 했다 do not end in a change."""
_WORDS: Final = re.compile(
    rf"(?=[가-힣?])(?:(?P<undone>(?:{_UNDONE}){_REST})|(?P<kept>(?:{_KEPT}){_REST})"
    rf"|(?P<asked>(?:{_ASKED})[가-힣]*)|(?P<done>{_DONE}))"
    rf"|\b(?=[a-z])(?:(?P<turn>(?<![^\n])(?:user|assistant): )|(?P<undone_en>{_UNDONE_EN})|(?P<kept_en>{_KEPT_EN})"
    rf"|(?P<asked_en>{_ASKED_EN})|(?P<done_en>{_DONE_EN}))",
    re.IGNORECASE,
)
"""Turns are those in the text of a passage, see ``index.passages``."""

_WHICH: Final = re.compile(
    r"\b(?:(?:could|can|would|will) you|what(?! (?:if|about))|which|how(?! about)|when|where|who|whose|why)\b"
    r"|줄 수|줄래|뭐|뭘|뭔|무엇|무슨|어떤|어느|몇|며칠|언제|어디|누가|누구|왜|어떻게|얼마|어떡",
    re.IGNORECASE,
)
"""What asks for a fact, or for a favour."""

_SENTENCE: Final = 200
"""Characters before a question mark that are read as its sentence."""


@lru_cache(maxsize=512)
def outcome(text: str) -> Outcome | None:
    """Return what the text of a passage comes to; ``None`` where no word of it says so: a bare fact, mostly."""
    found: Outcome | None = None
    is_user = is_told_here = False
    for match in _WORDS.finditer(text):
        kind = (match.lastgroup or "").removesuffix("_en")
        if kind == "turn":
            is_user, is_told_here = match["turn"] == "user: ", False
        elif kind == "done":
            found, is_told_here = "decided", True
        elif kind == "kept":
            found = "open"
        elif kind == "undone":
            found = "open" if found else "decided"
        elif (found is None or (is_user and is_told_here)) and not (
            match[0][0] == "?" and _asks_for_a_fact(text, match)
        ):
            found = "open"
    return found


def _asks_for_a_fact(text: str, mark: re.Match[str]) -> bool:
    """Say whether the question that ends here asks which, when or how much: it puts nothing up for discussion."""
    least = max(0, mark.start() - _SENTENCE)
    start = max((text.rfind(end, least, mark.start()) + 1 for end in ".!?\n"), default=0)
    return _WHICH.search(text, max(start, least), mark.start()) is not None
