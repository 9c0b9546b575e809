"""Are words found that the question writes in Hangul and the vault in Latin letters, by their sound alone?

    python tests/bench/names.py [--part dev] [--show]

One index holds the texts of LoCoMo and of our own sets, one KorQuAD and AutoRAG-ko, and both all pairs of
``tests/data/names/pairs.txt`` and of the list of loanwords in the script that is looked for. Printed are how many of
the pairs are found, and what else is; how many ordinary words have anything that sounds like them, which ``--show``
lists, to be judged by a person; and what it costs. Pairs of every second place of the file are ``held-out``.
"""

from __future__ import annotations

import argparse
import re
import tempfile
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
from sets import SETS, page

from wwt_vault.index import Index
from wwt_vault.index.analysis import Name, ask, names
from wwt_vault.index.loanwords import loanwords
from wwt_vault.index.soundalikes import Soundalikes
from wwt_vault.model.conversation import DocumentId
from wwt_vault.model.knowledge import Document

PAIRS: Final = Path(__file__).resolve().parents[1] / "data" / "names" / "pairs.txt"
ENGLISH: Final = ("locomo", "bilingual-more", "updates", "paraphrases")
KOREAN: Final = ("korquad", "autorag-ko")


class Pair(NamedTuple):
    """One word in both scripts, each in the ways it is written."""

    kind: str
    hangul: tuple[str, ...]
    latin: tuple[str, ...]


def written(part: str) -> list[Pair]:
    """Return the pairs of a part."""
    found = []
    for line in PAIRS.read_text("utf-8").splitlines():
        kind, _, words = line.partition(": ")
        found += [Pair(kind, (hangul,), (latin,)) for hangul, latin in (word.split("=") for word in words.split())]
    return found[part == "held-out" :: 2]


def listed() -> list[Pair]:
    """Return the loanwords that are one word in both scripts."""
    found = []
    for group in loanwords():
        hangul = tuple(word for word in group if re.fullmatch("[\uac00-\ud7a3]+", word))
        latin = tuple(word for word in group if re.fullmatch("[a-z]+", word))
        found += [Pair("loanword", hangul, latin)] if hangul and latin else []
    return found


def vault(folder: Path, sets: Iterable[str], words: Iterable[str]) -> tuple[Index, Soundalikes]:
    """Index the texts of some sets, by words, and ``words``, each a note of its own."""
    documents: dict[DocumentId, Document] = {}
    for name in sets:
        documents |= {DocumentId(f"{name}/{key}"): document for key, document in SETS[name]().documents.items()}
    documents |= {DocumentId(f"words/{word}"): page(f"words/{word}", word) for word in words}
    index = Index(folder, lambda: None)
    index.refresh(dict.fromkeys(documents, "1 1 1 1"), documents.__getitem__)
    searcher = index._current()
    assert searcher is not None
    return index, Soundalikes(searcher.generation.lexical, searcher.generation.rows, searcher.passage)


def heard(sounds: Soundalikes, word: str) -> tuple[str, ...]:
    """Return what sounds like a word."""
    return next((its.others for its in sounds.of([Name(word, (word,))])), ())


def recall(sounds: Soundalikes, pairs: Sequence[Pair], *, in_latin: bool) -> tuple[int, int, list[str]]:
    """Return how many of the pairs are found, for how many something else is, and those that are not found."""
    right = wrong = 0
    missed = []
    for _, hangul, latin in pairs:
        asked, wanted = (hangul, latin) if in_latin else (latin, hangul)
        found = {other for word in asked for other in heard(sounds, word)}
        right += bool(found & set(wanted))
        wrong += bool(found - set(wanted) - set(asked))
        missed += [] if found & set(wanted) else [f"{asked[0]}={wanted[0]}"]
    return right, wrong, missed


def words_of(sets: Iterable[str], script: str) -> list[str]:
    """Return the words of dev questions that could be names, in one script."""
    found = {
        name.text
        for chosen in sets
        for case in SETS[chosen]().cases
        if case.part == "dev"
        for name in names(case.question)
    }
    return sorted(word for word in found if re.fullmatch(script, word))


def nowhere(index: Index, words: Iterable[str]) -> list[str]:
    """Return those that are not in the vault as they are written."""
    searcher = index._current()
    assert searcher is not None
    found = []
    for word in words:
        terms = [term for concept in ask(word).concepts for term in concept.terms[:1]]
        fields = ("title", "heads", "body", "tags")
        lexical = searcher.generation.lexical
        if not all(any(len(lexical.postings(field, term)[0]) for field in fields) for term in terms):
            found.append(word)
    return found


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--part", choices=("dev", "held-out"), default="dev")
    parser.add_argument("--show", action="store_true", help="list what is missed and what ordinary words sound like")
    options = parser.parse_args()
    pairs = {options.part: written(options.part), "loanwords": listed()}
    everything = [*written("dev"), *written("held-out"), *listed()]
    with tempfile.TemporaryDirectory() as folder:
        for in_latin, sets, others, script in (
            (True, ENGLISH, KOREAN, "[\uac00-\ud7a3]{2,}"),
            (False, KOREAN, ENGLISH, "[a-z]{3,}"),
        ):
            way = (
                "Hangul in the question, Latin in the vault"
                if in_latin
                else "Latin in the question, Hangul in the vault"
            )
            held = {word for pair in everything for word in (pair.latin if in_latin else pair.hangul)}
            index, sounds = vault(Path(folder) / str(in_latin), sets, held)
            begun = time.perf_counter()
            heard(sounds, "하나둘" if in_latin else "onetwo")
            first = time.perf_counter() - begun
            size = len(sounds._latin[0] if in_latin else sounds._hangul[0])
            print(f"\n{way}: {size} words, read in {first * 1000:.0f} ms")
            for name, its in pairs.items():
                right, wrong, missed = recall(sounds, its, in_latin=in_latin)
                print(f"- {name}: {right} of {len(its)} found; for {wrong} something else is")
                if options.show:
                    print("  missed:", *missed)
            ordinary = words_of(others, script)
            unknown = set(nowhere(index, ordinary))
            spent, found = [], {}
            for word in ordinary:
                begun = time.perf_counter()
                if its := heard(sounds, word):
                    found[word] = its
                spent.append(time.perf_counter() - begun)
            p50, p95 = np.percentile(np.array(spent) * 1000, (50, 95))
            print(
                f"- {len(found)} of {len(ordinary)} words of other sets' questions sound like something, {p50:.1f} ms"
            )
            print(
                f"  median, {p95:.1f} p95, {max(spent) * 1000:.1f} most; of the {len(unknown)} that are nowhere, as "
                f"they are written, {len(unknown & found.keys())}"
            )
            if options.show:
                print("  ", *(f"{'*' if word in unknown else ''}{word}={','.join(its)}" for word, its in found.items()))


if __name__ == "__main__":
    main()
