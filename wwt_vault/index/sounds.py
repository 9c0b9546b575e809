"""Does a word in Hangul sound like one in Latin letters? ``프리즈마`` and ``prisma`` do, by rule and not from a list.

Hangul is taken apart into sounds, by arithmetic. What each group of Latin letters may become stands in a table with
what it costs: nothing where the loanword orthography (외래어 표기법, National Institute of Korean Language) has it
so, or people write it every day; more, the less usual. The cheapest reading of a word is how unlike the two
are, and how unlike they may be depends on how long the word is: short ones sound like others by chance.

Most two-syllable words that are written with Chinese characters sound like some English word (``시대``, side), and
names of people and places are among them (``지훈``, ``판교``). So those are read as the romanisation of Korean, in
whatever way people romanise their names, and not as English.

    onsets   g n d r m b s j c k t p h   (tense ones as the plain sound that they are written for: ㅆ s, ㄲ k)
    glides   y w                         (ㅑ is ya, ㅘ is wa)
    vowels   a e v o u x i               (ㅐ and ㅔ are e; v is ㅓ, x is ㅡ; ㅢ is i)
    codas    K N T L M P Q               (as they are spoken: ㅅ is T, ㅇ is Q)
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache, lru_cache
from math import inf
from typing import Final, NamedTuple

__all__ = ["ENGLISH", "MOST", "ROMANISED", "Rule", "Rules", "fits", "is_romanised", "rules", "spoken", "unlikeness"]

_ONSETS: Final = ("g", "k", "n", "d", "t", "r", "m", "b", "p", "s", "s", "", "j", "j", "c", "k", "t", "p", "h")
_VOWELS: Final = "a e ya ye v e yv ye o wa we we yo u wv we wi yu x i i".split()  # noqa: SIM905 - reads as a table
_CODAS: Final = {0: "", 1: "K", 4: "N", 8: "L", 16: "M", 17: "P", 19: "T", 21: "Q"}
"""The codas that loanwords and names are written with, by their place in Unicode's order; no others are."""
_TENSE: Final = re.compile("[\uae4c-\ub057\ub530-\ub77b\ube60-\uc0ab\uc2f8-\uc543\uc9dc-\ucc27]")
"""Syllables that begin with ㄲ, ㄸ, ㅃ, ㅆ or ㅉ, which loanwords should not have and some do."""
_TENSE_COST: Final = 0.2
_AE: Final = re.compile("a[eiy]")
"""What ㅐ is romanised as: in English words it sounds like ㅔ."""
MOST: Final = {2: 0.05, 3: 0.15, 4: 0.3}
"""How unlike a word may be, by its syllables; longer ones as those of four. Shorter ones sound like too much."""

ENGLISH: Final = """
a     a e ei*.05 v*.1 o*.25 x*.5 i*.6 ya*.3
aa    a
ae    e a*.2 ei*.1
ai    ai ei*.05 e*.1 i*.4
air   ev
ar>c  a a*.0 v*.1 ev*.15
are>c ev*.05
au    au*.05 o a*.3
augh  o
aw    o au*.1
ay    ei e*.15 ai*.1 i*.5
e     e v*.1 i*.1 x*.3 ye*.3 a*.5 -*.2 ei*.3
el>$  eL vL*.05 xL*.05
en>$  eN xN*.05
e>$   -*.0
ea    i e*.1 ia*.1 ei*.15 a*.3 v*.2
ear   iv v*.1 a*.15 ev*.1
eau   o yu*.2
ee    i
eer   iv
ei    ai ei i*.15
eigh  ei
eo    v io*.05 eo i*.3
er>c  v ev*.3
ere>c iv ev*.1
eu    x u*.15 yu*.05 o*.4 oi*.1 wv*.3
eun   xN
ew    u yu
ey    i ei*.05
i     i ai x*.35 e*.35 v*.3 -*.6
ia    ia ya*.05 v*.15 aiv*.15 e*.4
ie    i ie ai*.15 ye*.2
ier   iv
ir>c  v*.05 aiv*.15
igh   ai
io    io yo*.1 aio v*.15
ire>c aiv
iu    iu yu
o     o v*.1 a*.1 u*.25 ou*.2 x*.4 wv*.4 -*.6 oi*.5
oa    o
on>$  oN vN*.05 xN*.05
oar   ov o*.1
oe    we o*.15 i*.1 oe
oi    oi
oo    u o*.2 v*.3
or>c  o*.0 v*.05 ov*.1
ore>c ov
ou    u au o*.15 v*.15
ough  o u*.2
our   av awv v*.1 ov*.1
ow    ou*.05 o au
ower  awv
oy    oi
u     u v a*.25 yu*.05 x*.35 i*.5 o*.4 wi*.3 -*.5 w*.1
ua    wa ua a*.2 yua
ue    we u yu e*.2 ue
ue>$  -*.05
ui    wi i u*.2 ui
uo    uo wv*.1
ur>c  v a*.4 yuv*.15
ure>c yv*.05 v*.1 iv*.1 yuv*.1
wa    wa wo*.1 wv
wo    wv wo*.1 u*.1
woo   u
woe   we*.1
yr>c  v i*.1
y     i ai*.1 y -*.6 wi*.5
yeo   yv
you   yv yu
w     w u*.3 b*.4 -*.4 bx*.5
b     b bx P p*.4 px*.5
bb    b bx P Pb*.1
c>b   k kx K g*.4 gx*.5 c*.5
c>f   s sx sy*.2 k*.6 c*.4
cc    k kx K Ks
ch    c ci k*.05 kx*.05 K*.1 sy*.2 si*.3 j*.3 h*.4
ck    k kx K Kk*.1
d     d dx T*.1 t*.4 tx*.45 j*.5
dd    d dx T Td*.1
dg    j ji Tj Tji
dge   ji Tji
f     p px P*.3 hw*.4 h*.6
ff    p px P*.3
g>b   g gx K j*.6 k*.4
g>f   j ji g*.1 gx*.2 h*.6 k*.5
gg    g gx K j*.3
gh    g*.1 -*.1 p*.4
gn>$  N
^gn   n
gue>$ gx K
h     h -*.3
dj    j
j     j ji y*.25 h*.4
k     k kx K g*.3 gx*.5
kh    k kx h*.3
^kn   n
l     r L Lr rx*.1 Lrx*.15
ll    r L Lr rx*.2
m     m M mx*.1 Mm*.2
mb>$  M
mm    m M Mm
mn>$  M
n     n N nx*.2 Nn*.2
n>k   Q
ng    Q Qg Ng*.2 Nj Nji Ngx*.2
nn    n N Nn
p     p px P b*.4 Pp*.1 bx*.5
ph    p px P*.3
pp    p px P Pp
^ps   s sx
q     k kx K
q>b   kyu*.1
qu    kw k*.15 ku*.1
que>$ kx K
r>c   rx*.05 L*.4
r>v   r rx*.2 -*.6
rr    r rx*.1
rh    r
s     s sx j*.15 jx*.15 T*.4 sy*.3 si*.4
^sc>f s sx
sc>f  s sx
sch   sxk sy sye*.1
shi   si swi*.05
sh    sy si swi*.05 s*.2 sx*.4 syu*.2
sion  syvN jvN
ssion syvN
ss    s sx Ts*.2 T*.2
sure  jv syv
t     t tx T c*.3 cx*.35 d*.35 Tt*.1 dx*.5
tch   c ci
th    s sx d*.05 dx*.1 t*.1 tx*.1 T*.15
tion  syvN
cian  syvN
tial  syvL
tian  caN siaN*.1
tt    t tx T Tt
ture  cv
tu    cu cv*.1
ts    cx c T*.3
tz    cx c
age>$ iji eiji*.1
v     b bx P*.3 p*.4 w*.6
wh    w h*.1
^wr   r
x>b   Ksx Ks*.05 gxj*.15
x     Ks gxj*.1 Ksx*.1
^x    j s*.1 jx*.2
z     j jx s*.3 ji*.4 c*.15 cx*.15
zz    j jx cx c Tj*.1
"""
"""Letters, what they may become and what that costs: ``*.1`` a tenth, ``-`` is nothing. ``>`` and what must come next:
``c`` no vowel or the end, ``v`` a vowel, ``f`` e, i or y, ``b`` none of these, ``k`` a sound like k, ``$`` the end;
``^`` only where the word begins."""

ROMANISED: Final = """
a    a
ah   a
ae   e
ai   e*.05
ay   e*.05
e    e v*.1
ee   i
eo   v
eu   x
eui  i
ey   e*.1
i    i
o    o v*.1
oe   we
oh   o
oo   u
u    u v x*.05
ue   we*.1
ui   wi*.05 i
uh   v
wa   wa
wae  we
we   we
weo  wv
wi   wi
wo   wv
woo  u
ya   ya
yae  ye
ye   ye
yeo  yv
yo   yo yv*.1
yoo  yu
you  yv yu
yu   yu yv
b    b P
bb   p
ch   c j*.1
d    d T
dd   t
g    g K
gg   k
gh   K*.1
h    h
j    j
jj   j
k    k K g*.05
kk   k
ky   ky gy*.05
l    L r*.05
ll   Lr
m    M m
n    N n
ng   Q
p    p P b*.1
pp   p
r    r
rh   r*.05
s    s T
sh   s
ss   s
t    t T d*.1
tt   t
z    j*.1
"""
"""The same for names that are Korean: the Revised Romanisation, McCune-Reischauer, and what people make of them."""

_CHINESE: Final = frozenset(
    "가각간갈감갑강개객갱거건걸검겁게격견결겸경계고곡곤골공과곽관괄광괘괴굉교구국군굴궁권궐궤귀규균귤극근금급긍기긴길김끽나낙난날남납낭내냉녀녁년념녕노농뇌뇨누눈눌뉴능니닉다단달담답당대댁덕도독돈돌동두둔둑"
    "득등라락란랄람랍랑래랭략량려력련렬렴렵령례로록론롱뢰료룡루류륙륜률륭륵름릉리린림립마막만말망매맥맹멱면멸명모목몰몽묘무묵문물미민밀박반발방배백번벌범법벽변별병보복본봉부북분불붕비빈빙사삭산살삼삽상새색"
    "생서석선설섬섭성세소속손솔송쇄쇠수숙순술숭슬습승시식신실심십쌍씨아악안알암압앙애액앵야약양어억언얼엄업여역연열염엽영예오옥온올옹와완왈왕왜외요욕용우욱운울웅원월위유육윤율융은을음읍응의이익인일임입잉자"
    "작잔잠잡장재쟁저적전절점접정제조족존졸종좌죄주죽준줄중즉즐즙증지직진질짐집징차착찬찰참창채책처척천철첨첩청체초촉촌총촬최추축춘출충췌취측층치칙친칠침칩칭쾌타탁탄탈탐탑탕태택탱토통퇴투특파판팔패팽퍅편폄"
    "평폐포폭표품풍피필핍하학한할함합항해핵행향허헌헐험혁현혈혐협형혜호혹혼홀홍화확환활황회획횡효후훈훤훼휘휴휼흉흑흔흘흠흡흥희힐"
)
"""The sounds that Chinese characters have in Korean."""


class Rule(NamedTuple):
    """What a group of letters may become."""

    letters: str
    sound: str
    cost: float
    before: str
    """What must come next; see the tables. Empty: anything."""
    is_first: bool
    """Only where the word begins."""


Rules = Mapping[str, tuple[Rule, ...]]
"""By the first letter."""


@cache
def rules(table: str) -> Rules:
    """Return the rules of a table."""
    found: dict[str, list[Rule]] = {}
    for line in table.strip().splitlines():
        head, *sounds = line.split()
        letters, _, before = head.removeprefix("^").partition(">")
        for sound in sounds:
            becomes, _, cost = sound.partition("*")
            rule = Rule(letters, becomes.strip("-"), float(cost or 0), before, head[0] == "^")
            found.setdefault(letters[0], []).append(rule)
    return {letter: tuple(its) for letter, its in found.items()}


_NEXT: Final = {
    "": "abcdefghijklmnopqrstuvwxyz$",
    "c": "bcdfghjklmnpqrstvwxz$",
    "v": "aeiouy",
    "f": "eiy",
    "b": "abcdfghjklmnopqrstuvwxz$",
    "k": "kgcqx",
    "$": "$",
}


def fits(before: str, following: str) -> bool:
    """Say whether a rule that must come ``before`` something may; ``following`` begins with what comes, if anything."""
    return (following[:1] or "$") in _NEXT[before]


@lru_cache(maxsize=1 << 14)
def spoken(hangul: str) -> str | None:
    """Return the sounds of Hangul syllables in the module's letters; ``None`` for what no loanword or name looks like.

    >>> spoken("쿠버네티스")
    'kubvnetisx'
    """
    found = []
    for syllable in hangul:
        onset, rest = divmod(ord(syllable) - 0xAC00, 21 * 28)
        vowel, coda = divmod(rest, 28)
        if not 0 <= onset < len(_ONSETS) or coda not in _CODAS:
            return None
        sound = _ONSETS[onset] + _VOWELS[vowel] + _CODAS[coda]
        found.append(sound[0] + sound[2:] if sound[:2] in ("jy", "cy") else sound)  # spoken the same
    return "".join(found)


def is_romanised(hangul: str) -> bool:
    """Say whether a word is written in Latin letters as Korean is, and not as English is."""
    return len(hangul) == 2 and _CHINESE.issuperset(hangul)


def unlikeness(hangul: str, latin: str, at_most: Mapping[int, float] = MOST) -> float | None:
    """Return how unlike a Latin word (a-z) and a Korean one sound, 0..0.3; ``None`` where they are not alike.

    ``at_most`` says how unlike they may be, by syllables, as ``MOST`` does.

    >>> unlikeness("프리즈마", "prisma"), unlikeness("시대", "side")
    (0.15, None)
    """
    sound = spoken(hangul)
    most = at_most.get(min(len(hangul), max(at_most)), -1.0) - _TENSE_COST * len(_TENSE.findall(hangul))
    if sound is None or most < 0:
        return None
    romanised = is_romanised(hangul)
    if romanised and any((ord(syllable) - 0xAC00) // 28 % 21 == 1 for syllable in hangul) and not _AE.search(latin):
        return None
    table = rules(ROMANISED if romanised else ENGLISH)
    reached: dict[tuple[int, int], float] = {(0, 0): 0.0}
    for at in range(len(latin)):
        for read in range(len(sound) + 1):
            if (at, read) not in reached:
                continue
            for rule in table.get(latin[at], ()):
                if not latin.startswith(rule.letters, at) or not sound.startswith(rule.sound, read):
                    continue
                to = (at + len(rule.letters), read + len(rule.sound))
                cost = reached[at, read] + rule.cost
                if fits(rule.before, latin[to[0] :]) and not (rule.is_first and at) and cost < reached.get(to, inf):
                    reached[to] = cost
    cost = round(reached.get((len(latin), len(sound)), inf), 6)
    return cost if cost <= most else None
