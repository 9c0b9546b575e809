"""Text into search terms, the same way for documents and for questions.

A text becomes *words* and *grams*. Words are English stems, identifiers whole, joined and split (``user_id`` is found
by ``user_id``, ``userId``, ``userid`` and ``user``), numbers, versions and paths exactly, Korean content morphemes
without particles and endings, and bigrams of Chinese and Japanese. Grams are the bigrams of every Hangul run: they find
names that the morphological analyser does not know and words that people space differently.

Terms of all documents are kept, stop words too, so that a quoted phrase can match; only questions drop them. What is
kept and dropped was measured on AutoRAG-ko, KorQuAD and LoCoMo (``tests/bench/keyword_quality.py``).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import Final, NamedTuple

from wwt_vault.index import korean
from wwt_vault.index.identifiers import CJK, Identifier, fold, identifier, parts_of, stem, terms_of
from wwt_vault.index.korean import HANGUL, PARTICLES, ends_name, is_ordinary, morphemes
from wwt_vault.index.loanwords import ordinary

__all__ = [
    "LANGUAGES",
    "MAX_QUESTION",
    "VERSION",
    "Concept",
    "Name",
    "Phrase",
    "Question",
    "Terms",
    "analyse_all",
    "ask",
    "begin",
    "exact_terms",
    "language_of",
    "latin_words",
    "names",
    "phrase_of",
    "plain",
]

VERSION: Final = 6
"""Goes up whenever the same text gives other terms: an index of another version is built anew."""

LANGUAGES: Final = ("other", "ko", "ja", "zh")

MAX_QUESTION: Final = 4000
"""Characters of a question that are analysed: a pasted log is searched by its beginning."""
MAX_CONCEPTS: Final = 64
"""Distinct words of a question that are searched. A pasted log has thousands; the first ones say what it is about."""

_LETTER: Final = rf"[^\W{HANGUL}{CJK}]"

_SCAN: Final = re.compile(
    # Letters and digits held together by the punctuation of identifiers, paths, versions, addresses; C++, C#, .env.
    rf"(?P<name>\.?{_LETTER}+(?:[._/\\:@~#&+-]{{1,3}}{_LETTER}+)*(?:\+\+|\#)?)|(?P<hangul>[{HANGUL}]+)|(?P<cjk>[{CJK}]+)"
)
_THOUSANDS: Final = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_APOSTROPHE: Final = re.compile(r"[’'](?:s|t|re|ve|ll|d|m)?(?!\w)|[’'](?=\w)", re.IGNORECASE)
_FULL_WIDTH: Final = re.compile("[\uff00-\uffef]+")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_QUOTED: Final = re.compile('"([^"\n]{1,200})"|“([^”\n]{1,200})”|「([^」\n]{1,200})」|『([^』\n]{1,200})』')
_SCRIPTS: Final = (re.compile("[\uac00-\ud7a3]+"), re.compile("[\u3040-\u30ff]+"), re.compile("[\u4e00-\u9fff]+"))
"""Hangul, kana, Han: what tells Korean, Japanese and Chinese apart."""
_EXACT: Final = re.compile(r"\d|[A-Za-z0-9][._/\\:@~#+-]+[A-Za-z0-9]|[A-Z]{2}|[a-z][A-Z]")
_COUNT: Final = re.compile(r"\d{1,2}|(?:19|20)\d\d|\d{1,2}:\d\d")

_STOP_WORDS: Final = frozenset(
    "a an the and or of to in on at by for with from is are was were be been do does did has have had i you he she it"  # noqa: SIM905 - reads as words
    " we they my your his its our their this that what which who when where why how now currently originally"
    " initially nowadays yesterday".split()
)
_CONTENT_TAGS: Final = ("N", "VV", "VA", "VX", "VCN", "M", "I", "XR")
"""Nouns, pronouns, numerals, verbs, adjectives, adverbs, interjections, roots. Left out: particles (J), endings (E),
affixes (XP, XS), the copula, and everything that is not Hangul (the scanner has it)."""
_EMPTY_TAGS: Final = ("NP", "NNB", "VX", "MAJ", "IC")
"""Pronouns, bound nouns, auxiliaries, conjunctions: in a question they only ask (``뭐``, ``것``)."""
_EMPTY_FORMS: Final = frozenset(
    "하 있 되 무엇 어떻 누구 어디 언제 왜 어떤 무슨 어느 지난번 저번 지난 그때 그때그때 예전 아까 요전 당시 전번 결국"  # noqa: SIM905 - reads as words
    " 그동안 지금 현재 이번 처음 원래 애초 당초 요즘 요새 최근 이제 어제 오늘 그저께".split()
)
"""In a question they say that something, or when, and never what."""


class Terms(NamedTuple):
    """The terms of a text, in order, repeated as often as they occur."""

    words: list[str]
    grams: list[str]


class Concept(NamedTuple):
    """One word of a question and the terms that stand for it."""

    surface: str
    """As it was asked, case-folded: what people are shown."""
    terms: tuple[str, ...]
    """The word itself first; for an identifier also its joined form, and then its parts."""
    also: tuple[Phrase, ...] = ()
    """What else it is written as; see ``synonyms``."""
    identifier: Identifier | None = None
    """What it is made of; ``None`` for words in Hangul, Chinese and Japanese."""


class Name(NamedTuple):
    """A word of a question that may be the name of something."""

    texts: tuple[str, ...]
    """What it may be, likeliest first: Latin letters, case-folded, or Hangul without a particle and with it."""
    terms: tuple[str, ...]
    """The first terms of the concepts that it is taken for; none where it is taken for words that say nothing."""


class Phrase(NamedTuple):
    """Something a person put in quotation marks: it must occur, if it occurs anywhere."""

    text: str
    """As ``plain`` gives it."""
    words: tuple[str, ...]
    grams: tuple[str, ...]


class Question(NamedTuple):
    """A question, analysed."""

    concepts: tuple[Concept, ...]
    grams: tuple[str, ...]
    phrases: tuple[Phrase, ...]
    only_quoted: bool = False
    """True when nothing else is asked than what stands in quotation marks."""

    @property
    def is_empty(self) -> bool:
        """True when it holds nothing to search for: no text, only symbols, only particles."""
        return not self.concepts and not self.grams


def plain(text: str) -> str:
    """Return the form in which a quoted phrase is compared: NFC, case-folded, runs of white space as one space."""
    return " ".join(_normal(text).casefold().split())


def analyse_all(texts: Sequence[str]) -> list[Terms]:
    """Return the terms of each text. Korean is analysed for all of them at once, on all processors."""
    normal = [_normal(text) for text in texts]
    found = [_scan(text) for text in normal]
    has_hangul = [at for at, terms in enumerate(found) if terms.grams]
    for at, its in zip(has_hangul, morphemes([normal[at] for at in has_hangul]), strict=True):
        found[at].words.extend(form for form, tag in its if _is_content(tag))
    return found


def ask(text: str) -> Question:
    """Analyse a question. What only asks (stop words, pronouns, particles) is left out, unless quoted."""
    normal = _normal(text[:MAX_QUESTION])
    concepts, grams = _asked(normal)
    phrases = _phrases(normal)
    for phrase in phrases:
        for word in phrase.words:
            concepts.setdefault(word, Concept(word, (word,)))
    if not concepts and not any(phrase.grams for phrase in phrases):
        grams = []
    return Question(
        concepts=tuple(concepts.values())[:MAX_CONCEPTS],
        grams=tuple(dict.fromkeys(grams))[: 2 * MAX_CONCEPTS],
        phrases=phrases,
        only_quoted=bool(phrases) and not _asked(_QUOTED.sub(" ", normal))[0],
    )


def begin(text: str) -> None:
    """Say early what will be asked, in a command that ends with the answer: its Korean words are analysed meanwhile."""
    korean.begin(_normal(text[:MAX_QUESTION]))


def exact_terms(text: str) -> frozenset[str]:
    """Return the words of a question that name one thing and nothing else, as ``Concept.surface`` has them.

    Those with a digit (codes, versions, addresses), with punctuation inside (paths, flags, variables), in capitals or
    with a capital inside; between Korean, Chinese or Japanese every Latin word. Small numbers are not: they count. Nor
    are ordinary words and abbreviations, however they are written (``DB``, ``API``).
    """
    found, is_between = set(), language_of(text) != 0
    for kind, word in _tokens(_normal(text[:MAX_QUESTION])):
        bare = word.strip("._-/:")
        is_name = _EXACT.search(bare) or (bare and word[0] == ".") or (is_between and len(bare) > 1)
        if kind == "name" and is_name and not _COUNT.fullmatch(bare):
            found.add(word.casefold())
    return frozenset(found - ordinary())


def names(text: str) -> list[Name]:
    """Return the words of a question that may name something: Latin ones, and Korean ones that no dictionary has.

    A Korean name that it does not know the analyser may divide into words that it does (``타우리는`` into 하다 and
    우리는): so what is left without a particle may be the name as well.
    """
    normal = _normal(text[:MAX_QUESTION])
    found = []
    for kind, word in _tokens(normal):
        folded = fold(word.casefold())
        if kind == "name" and folded.isascii() and folded.isalpha() and folded not in _STOP_WORDS:
            found.append(Name((folded,), terms_of(word)[:1]))
    for word in normal.split():
        runs = _SCRIPTS[0].findall(word)
        if len(runs) != 1:
            continue
        tokens = morphemes([word])[0]
        if is_ordinary(runs[0], tokens):
            continue
        content = [(form, tag) for form, tag in tokens if _is_content(tag)]
        terms = [form for form, tag in content if not tag.startswith(_EMPTY_TAGS) and form not in _EMPTY_FORMS]
        if not terms and len(content) < 2:
            continue
        nouns = "".join(form for form, _ in takewhile(lambda token: token[1] in ("NNG", "NNP"), tokens))
        ends = [at for at in range(2, len(runs[0])) if ends_name(runs[0][at:])]
        texts = (nouns if runs[0].startswith(nouns) else "", *(runs[0][:at] for at in ends), runs[0])
        found.append(Name(tuple(dict.fromkeys(filter(None, texts))), tuple(dict.fromkeys(terms))))
    return list(dict.fromkeys(found))


def latin_words(text: str, term: str) -> set[str]:
    """Return the words of a text that are indexed as ``term``, case-folded: its own, and parts of its identifiers."""
    found = set()
    # The stemmer changes the last letter, if any before those that it takes off.
    for word in re.findall(rf"[a-z]*{re.escape(term[:-1])}[a-z]*", fold(_normal(text)), re.IGNORECASE):
        parts = (part.casefold() for part in (word, *parts_of(word)))
        found |= {part for part in parts if part.isalpha() and stem(part) == term}
    return found


def language_of(text: str) -> int:
    """Return the language of a text by its letters, as an index into ``LANGUAGES``: a fifth of them decides."""
    if text.isascii():
        return 0
    hangul = sum(map(len, _SCRIPTS[0].findall(text)))
    if hangul > len(text) // 5:
        return 1  # more than a fifth of all characters is more than a fifth of the letters, which take longer to count
    kana, han = (sum(map(len, runs.findall(text))) for runs in _SCRIPTS[1:])
    if not hangul + kana + han:
        return 0
    least = max(1, sum(map(str.isalpha, text)) // 5)
    if hangul >= least:
        return 1
    if kana + han >= least:
        return 2 if kana * 10 >= han else 3
    return 0


def _asked(normal: str) -> tuple[dict[str, Concept], list[str]]:
    """Return the words of a question, by their first term, and its grams."""
    concepts: dict[str, Concept] = {}
    runs: list[str] = []
    for kind, text in _tokens(normal):
        if kind == "hangul":
            runs.append(text)
        elif kind == "cjk":
            for gram in _bigrams(text):
                concepts.setdefault(gram, Concept(gram, (gram,)))
        elif (surface := text.casefold()) not in _STOP_WORDS:
            its = identifier(text)
            concept = Concept(surface, terms_of(text) + its.begins, identifier=its)
            concepts.setdefault(concept.terms[0], concept)
    if all(run in PARTICLES for run in runs):
        return concepts, []
    for form, tag in morphemes([normal])[0]:
        if _is_content(tag) and not tag.startswith(_EMPTY_TAGS) and form not in _EMPTY_FORMS:
            concepts.setdefault(form, Concept(form, (form,)))
    return concepts, [gram for run in runs for gram in _bigrams(run)]


def _phrases(normal: str) -> tuple[Phrase, ...]:
    """Return what stands in quotation marks; nothing of a pasted log, where they are not a person's."""
    if len(normal) > 300:
        return ()
    quoted = [next(filter(None, match.groups())) for match in _QUOTED.finditer(normal)]
    phrases = tuple(phrase for part in quoted if (phrase := phrase_of(part)).words or phrase.grams)
    return phrases if len(phrases) <= 3 else ()


def phrase_of(text: str) -> Phrase:
    """Return a word or several as they are looked for in documents, Hangul by its bigrams."""
    words: list[str] = []
    grams: list[str] = []
    for kind, part in _tokens(text):
        if kind == "name":
            words.append(terms_of(part)[0])
        else:
            (grams if kind == "hangul" else words).extend(_bigrams(part))
    return Phrase(plain(text), tuple(dict.fromkeys(words)), tuple(dict.fromkeys(grams)))


def _is_content(tag: str) -> bool:
    return tag.startswith(_CONTENT_TAGS) and tag != "VCP"


def _normal(text: str) -> str:
    """NFC, full-width letters as plain ones, no lone surrogates, digits without thousands separators."""
    if not text.isascii():
        text = unicodedata.normalize("NFC", _SURROGATE.sub("\ufffd", text))
        text = _FULL_WIDTH.sub(lambda match: unicodedata.normalize("NFKC", match[0]), text)
    return _THOUSANDS.sub("", text)


def _tokens(normal: str) -> Iterator[tuple[str, str]]:
    """Yield ``(kind, text)`` of each run: ``name``, ``hangul`` or ``cjk``."""
    for match in _SCAN.finditer(_APOSTROPHE.sub(" ", normal)):
        yield match.lastgroup or "", match[0]


def _scan(normal: str) -> Terms:
    words: list[str] = []
    grams: list[str] = []
    for kind, text in _tokens(normal):
        if kind == "name":
            words.extend(terms_of(text))
        elif kind == "hangul":
            grams.extend(_bigrams(text))
        else:
            words.extend(_bigrams(text))
            if len(text) > 1:  # a question of one character finds it inside a word as well
                words.extend(dict.fromkeys(text))
    return Terms(words, grams)


def _bigrams(run: str) -> list[str]:
    run = run.casefold()
    return [run[at : at + 2] for at in range(len(run) - 1)] if len(run) > 1 else [run]
