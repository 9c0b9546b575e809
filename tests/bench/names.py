"""Are words found that the question writes in Hangul and the vault in Latin letters, by their sound alone?

    python tests/bench/names.py [--part dev] [--show]

One index holds the texts of LoCoMo and of our own sets, one KorQuAD and AutoRAG-ko, and both all pairs of
``tests/data/names/pairs.txt`` and of the list of loanwords in the script that is looked for. Printed are how many of
the pairs are found, and what else is; how many ordinary words have anything that sounds like them, which ``--show``
lists, to be judged by a person; and what it costs, in time of the processor. Pairs of every second place of the file
are ``held-out``. At last the questions of the bilingual set that write a word in the other script, by words: with and
without list and sounds. ``--words 50000`` adds so many made-up words to
either vault: what a large one costs.
"""

from __future__ import annotations

import argparse
import random
import re
import tempfile
import time
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from itertools import product
from pathlib import Path
from typing import Final, NamedTuple
from unittest.mock import patch

import numpy as np
from retrieval import measures
from sets import SETS, page

from wwt_vault.index import Index, synonyms
from wwt_vault.index.analysis import ask, names
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
    words = sorted(words)
    for at in range(0, len(words), 100):
        name = DocumentId(f"words/{at}")
        documents[name] = page(name, ". ".join(words[at : at + 100]))
    index = Index(folder, lambda: None)
    index.refresh(dict.fromkeys(documents, "1 1 1 1"), documents.__getitem__)
    searcher = index._current()
    assert searcher is not None
    return index, Soundalikes(searcher.generation.lexical, searcher.generation.rows, searcher.passage)


def made_up(count: int, script: str) -> list[str]:
    """Return words of two to five syllables that nobody uses, always the same."""
    pick = random.Random(0).choice
    if script == "hangul":
        syllables = sorted({syllable for pair in listed() for word in pair.hangul for syllable in word})
    else:
        syllables = list(map("".join, product("bcdfghjklmnprstvwz", "aeiou", ("", "n", "r", "t"))))
    return ["".join(pick(syllables) for _ in range(2 + at % 4)) for at in range(count)]


def heard(sounds: Soundalikes, word: str) -> tuple[str, ...]:
    """Return what sounds like a word."""
    asked = [name._replace(terms=(word,)) for name in names(word)]
    return tuple(dict.fromkeys(other for its in sounds.of(asked, {word}) for other in its.others))


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
        name.texts[0]
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


def questions() -> None:
    """Print how the questions in the other script fare, by words: with and without list and sounds."""
    documents, cases, _ = SETS["bilingual-more"]()
    cases = [case for case in cases if case.kind == "loan"]
    print("\n| list | sounds | R@1 | R@5 | MRR |\n| --- | --- | --- | --- | --- |")
    for has_list, has_sounds in ((False, False), (False, True), (True, False), (True, True)):
        with tempfile.TemporaryDirectory() as folder, ExitStack() as without:
            if not has_list:
                without.enter_context(patch.object(synonyms, "loanwords", tuple))
            if not has_sounds:
                without.enter_context(patch.object(Soundalikes, "of", lambda *_: ()))
            index = Index(Path(folder), lambda: None)
            index.refresh(dict.fromkeys(documents, "1 1 1 1"), documents.__getitem__)
            ranked = [
                list(dict.fromkeys(h.passage.document for h in index.keyword(case.question, limit=100)))
                for case in cases
            ]
            index.close()
        values = [dict(measures(case, names)) for case, names in zip(cases, ranked, strict=True)]
        means = " | ".join(f"{np.mean([its[name] for its in values]):.3f}" for name in ("R@1", "R@5", "MRR"))
        print(f"| {'yes' if has_list else 'no'} | {'yes' if has_sounds else 'no'} | {means} |", flush=True)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--part", choices=("dev", "held-out"), default="dev")
    parser.add_argument("--words", type=int, default=0, help="add so many made-up words to each vault")
    parser.add_argument("--show", action="store_true", help="list what is missed and what ordinary words sound like")
    options = parser.parse_args()
    pairs = {options.part: written(options.part), "loanwords": listed()}
    everything = [*written("dev"), *written("held-out"), *listed()]
    with tempfile.TemporaryDirectory() as folder:
        for in_latin, sets, others, script in (
            (True, ENGLISH, KOREAN, "[\uac00-\ud7a3]{2,}"),
            (False, KOREAN, ENGLISH, "[a-z]{3,}"),
        ):
            way = ("Hangul", "Latin") if in_latin else ("Latin", "Hangul")
            held = {word for pair in everything for word in (pair.latin if in_latin else pair.hangul)}
            held |= set(made_up(options.words, "latin" if in_latin else "hangul"))
            index, sounds = vault(Path(folder) / str(in_latin), sets, held)
            begun = time.process_time()
            heard(sounds, "프리즈마" if in_latin else "prisma")
            first = time.process_time() - begun
            size = len(sounds._latin[0] if in_latin else sounds._hangul[0])
            print(f"\n{way[0]} in the question, {way[1]} in the vault: {size} words, read in {first * 1000:.0f} ms")
            for name, its in pairs.items():
                right, wrong, missed = recall(sounds, its, in_latin=in_latin)
                print(f"- {name}: {right} of {len(its)} found; for {wrong} something else is")
                if options.show:
                    print("  missed:", *missed)
            ordinary = words_of(others, script)
            unknown = set(nowhere(index, ordinary))
            spent, found = [], {}
            for word in ordinary:
                begun = time.process_time()
                if its := heard(sounds, word):
                    found[word] = its
                spent.append(time.process_time() - begun)
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
    questions()


if __name__ == "__main__":
    main()
