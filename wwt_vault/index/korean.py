"""Korean words into morphemes, by kiwipiepy: loaded at the first word that nobody took apart yet, once per process.

Loading takes most of the time of a command that asks one Korean question and ends, and holds Python's lock meanwhile.
So such a command says early what it will ask (``begin``): another process takes the question's words apart while this
one opens the vault and loads the models, and this one then needs no kiwi.
"""

from __future__ import annotations

import atexit
import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from wwt_vault.index.loanwords import in_hangul

if TYPE_CHECKING:
    from kiwipiepy import Kiwi

__all__ = [
    "HANGUL",
    "PARTICLES",
    "begin",
    "ending_in",
    "ends_name",
    "is_ordinary",
    "is_particle",
    "kiwi_version",
    "morphemes",
]

HANGUL: Final = "\u1100-\u11ff\u3130-\u318f\ua960-\ua97c\uac00-\ud7fb"
PARTICLES: Final = frozenset(
    "은 는 이 가 을 를 의 에 에서 에게 에는 에도 께 께서 와 과 랑 이랑 하고 도 만 로 으로 까지 부터 보다 처럼 마다"  # noqa: SIM905 - reads as words
    " 조차 마저 밖에 이나 나 라도 이라도 이란 란 이며 며 에서는 에서도 으로는 로는 한테 한테서 야 요".split()
)
"""Alone, the morphological analyser takes them for nouns; a question of nothing else asks for nothing."""
_ANY: Final = re.compile(f"[{HANGUL}]")
_WORD: Final = re.compile(r"\S{1,200}")
_MOST_KNOWN: Final = 1 << 16
"""Words; with more, all are forgotten."""
_ASIDE_SECONDS: Final = 10.0
"""Longer than another process takes on a busy machine; after it this one loads kiwi itself."""

Morphemes = tuple[tuple[str, str], ...]
"""``(form, tag)`` of each Hangul morpheme, in order; the tags are kiwi's (Sejong's), that of unknown words ``NNP``."""
_VERBS: Final[dict[str, Morphemes]] = {
    "걸": (("것", "NNB"), ("을", "JKO")),
    "둔": (("두", "VX"), ("ᆫ", "ETM")),
    "볼": (("보", "VV"), ("ᆯ", "ETM")),
}
"""Words that, alone, the analyser takes for nouns (girl, dullness, ball), and that hardly ever are: ``볼 때``."""

_WORDS: Final = ("NNG", "NNB", "NP", "NR", "V", "M", "IC", "XR")
"""Tags of the words of a dictionary: all but names."""
_FOLLOW: Final = ("J", "E", "XS", "VCP")
"""Particles, endings, suffixes and the copula."""
_BEHIND: Final = {"ETM": ("NNG", "NNB"), "MM": ("NNB",), "E": ("V",), "MAG": ("V",)}
"""Words that people write together with the one before them (``할때``, ``두번``, ``해봐``, ``안돼``)."""
_LONG: Final = 4
"""Syllables of a noun that is looked up by its sound, though the dictionary has it."""

_known: dict[str, Morphemes] = {}
"""Words that were taken apart already: a vault's vocabulary is small beside its text."""
_loading = threading.Lock()
_aside: list[subprocess.Popen[bytes]] = []


def morphemes(texts: Sequence[str]) -> list[list[tuple[str, str]]]:
    """Return ``(form, tag)`` of the Hangul morphemes of each text.

    Each word is taken apart by itself. In its sentence, kiwi cuts a compound now this way and now that (데이터베이스 is
    one noun behind 서비스의 and two behind 결제), and then a question misses the text that answers it.
    """
    words = [_words(text) for text in texts]
    if not any(words):
        return [[] for _ in texts]
    with _loading:  # two threads with the first Korean question load it once
        while _aside:
            _known.update(_answer(_aside.pop()))
    if len(_known) > _MOST_KNOWN:
        _known.clear()
    asked = dict.fromkeys(word for line in words for word in line)
    # Another thread may clear what is known at any moment.
    known = {word: its for word in asked if (its := _known.get(word)) is not None}
    if new := [word for word in asked if word not in known]:
        found = _taken_apart(new)
        known |= found
        _known.update(found)
    return [[morpheme for word in line for morpheme in known[word]] for line in words]


def is_particle(text: str) -> bool:
    """Say whether what follows a Korean noun is a particle, or the plural and one."""
    return text in PARTICLES or text.removeprefix("들") in {"", *PARTICLES}


def ends_name(text: str) -> bool:
    """Say whether it is what follows a Korean name: a particle, behind the 이 of ``지훈이가`` or alone, or nothing."""
    return is_particle(text) or is_particle(text.removeprefix("이"))


def ending_in(coda: int, without: str = "") -> str:
    """Return every syllable that ends in a consonant, by its number in Unicode (4 ㄴ, 8 ㄹ, 20 ㅆ), but for some."""
    return "".join(chr(code) for code in range(0xAC00 + coda, 0xD7A4, 28) if chr(code) not in without)


def is_ordinary(word: str, tokens: Sequence[tuple[str, str]]) -> bool:
    """Say whether a run of Hangul, of these morphemes, is a word of the dictionary, with what may follow such a word.

    No name is, nor what is made of pieces that no grammar puts together, as the analyser does with names. Nor long
    nouns: of four syllables and more there are hardly any but loanwords, and nothing sounds like them by chance.
    """
    tags = [tag for _, tag in tokens]
    if not tags or not tags[0].startswith(_WORDS) or (tags[0] == "NNG" and len(tokens[0][0]) >= _LONG):
        return False
    if tags[0] == "NNG" and tags[1:2] == ["VCP"]:
        behind = word.removeprefix(tokens[0][0])
        if behind[:1] == "라" and is_particle(behind[1:]):  # 하수라, 하수라가
            return False
    return all(
        tag.startswith(_FOLLOW) or any(before.startswith(one) and tag.startswith(its) for one, its in _BEHIND.items())
        for before, tag in pairwise(tags)
    )


def kiwi_version() -> str | None:
    """Return the version of the Korean analyser, or ``None`` while nothing needed it."""
    if not _kiwi.cache_info().currsize:
        return None
    from kiwipiepy import __version__  # noqa: PLC0415 - it is loaded already

    return str(__version__)


def begin(question: str) -> None:
    """Let another process take the Korean words of ``question`` apart, for a command that asks only that and ends."""
    words = _words(question)
    if not words or not sys.executable or _kiwi.cache_info().currsize:
        return
    # -P: without it a module in the folder that the person works in could take the place of one of ours.
    command = [sys.executable, "-P", "-m", __name__]
    pipe, nowhere = subprocess.PIPE, subprocess.DEVNULL
    with suppress(OSError):  # then this process does it
        process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=nowhere)
        _aside.append(process)
        atexit.register(_end)
        if process.stdin is not None:
            process.stdin.write(json.dumps(words).encode())
            process.stdin.close()
            process.stdin = None  # otherwise ``communicate`` would flush it


def _words(text: str) -> list[str]:
    return [word for word in _WORD.findall(text) if _ANY.search(word)]


def _taken_apart(words: Iterable[str]) -> dict[str, Morphemes]:
    words = list(words)
    with _loading:
        kiwi = _kiwi()
    return {
        word: _VERBS.get(word)
        # What is in no dictionary is likely a name; the analyser says that it is a noun.
        or tuple((token.form, "NNP" if token.oov else token.tag) for token in tokens if _ANY.search(token.form))
        for word, tokens in zip(words, kiwi.tokenize(words), strict=True)
    }


@cache
def _kiwi() -> Kiwi:
    from kiwipiepy import Kiwi  # noqa: PLC0415 - a second and 235 MB that only Korean needs

    # The dictionaries left out (compounds, typos, names) cost two more seconds and 250 MB and did not rank better.
    kiwi = Kiwi(load_default_dict=False, load_typo_dict=False, load_multi_dict=False)
    for word in in_hangul():
        kiwi.add_user_word(word, "NNP")
    return kiwi


def _answer(process: subprocess.Popen[bytes]) -> dict[str, Morphemes]:
    """Return what the other process found out; nothing when it failed."""
    with process:
        try:
            said, _ = process.communicate(timeout=_ASIDE_SECONDS)
            found = json.loads(said)
            return {word: tuple((str(form), str(tag)) for form, tag in its) for word, its in found.items()}
        except (OSError, subprocess.TimeoutExpired, ValueError, AttributeError, TypeError, RecursionError):
            return {}
        finally:
            process.kill()  # nothing, where it has ended


def _end() -> None:
    """End what was begun and never asked for, by a command that was refused or interrupted."""
    while _aside:
        with _aside.pop() as process:
            process.kill()


def main() -> None:
    """Read a list of words in JSON from standard input; write what each is made of to standard output."""
    words: list[str] = json.load(sys.stdin)
    json.dump(_taken_apart(words), sys.stdout)
    sys.stdout.flush()
    os._exit(0)  # to take kiwi down in good order would cost the one that waits 30 ms


if __name__ == "__main__":
    main()
