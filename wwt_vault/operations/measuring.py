"""How well this vault is searched, measured with what its own person once asked; which setting would be better.

A prompt of a session is taken out of a copy of the index and asked: the session's other words, the answer above all,
have to be found by it. So the questions are in the person's languages and words, and nothing is made up. Beside them
one question of each note that has some, in another language than the note's where there is one; none is left in the
copy. Of every fourth session nothing is left there: its prompt has no answer. All of it is worked out in a temporary
folder; the index and the vault stay as they are.
"""

from __future__ import annotations

import tempfile
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final, NamedTuple

from wwt_vault.errors import BadArgument
from wwt_vault.model.conversation import DocumentId, EventId, Turn
from wwt_vault.model.knowledge import Document, Filters
from wwt_vault.operations.workspace import Workspace
from wwt_vault.vault import documents, projects, settings
from wwt_vault.wording import counted

__all__ = ["apply", "measure"]

Json = dict[str, Any]
Progress = Callable[[int, int], None]

WEIGHTS: Final = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
FEWEST: Final = 20
MOST: Final = 1000
_WITHOUT: Final = 4
"""Every so manyth session is left out, so that its question has no answer."""
_LONGEST: Final = 400
"""Characters of a prompt that is a question; longer ones are mostly pasted."""
_WORDS: Final = 3
"""Words that it must have: ``go on`` asks for nothing that could be found."""
_OF_NOTES: Final = 4
"""At most one in so many questions is a note's: agents write them, persons ask in other words."""
_SAMPLES: Final = 2000


class _Question(NamedTuple):
    text: str
    kind: str
    gold: frozenset[DocumentId]
    """The session, and notes that cite it; empty where all of these are left out."""
    picks: bool
    """Belongs to the half by which a weight is chosen; the other half tests it."""


def measure(workspace: Workspace, *, questions: int = 200, progress: Progress = lambda *_: None) -> Json:
    """Ask ``questions`` of the person's own prompts at most, each of another session, and sweep ``meaning_weight``.

    ``progress`` gets texts embedded and texts in all. Returns ``{questions, kinds, weights, current, best, gain, low,
    high, is_better, without_answer, found_without_answer, missed}``: recall among the first five and mean reciprocal
    rank (MRR) by weight, by kind (language of question → of answer) for the current weight; the weight that is best on
    one half of the questions, what it gains in MRR on the other half, and the 95 % bootstrap interval of that.
    Raises ``BadArgument`` where the vault has too few prompts to tell anything, or for a number out of range.
    """
    if not FEWEST <= questions <= MOST:
        raise BadArgument(f"questions must lie between {FEWEST} and {MOST}, not {questions}", argument="questions")
    known = _documents(workspace)
    asked, changed = _questions(known, questions)
    if len(asked) < FEWEST:
        message = (
            f"only {counted(len(asked), 'session')} of this vault with a question and its answer; {FEWEST} are needed"
            " to tell one setting from another. Import older conversations with wwt ingest, or come back later."
        )
        raise BadArgument(message, argument="questions")
    with tempfile.TemporaryDirectory(prefix="wwt-bench-") as folder:
        return _asked(workspace, Path(folder), asked, changed, progress)


def apply(workspace: Workspace, measured: Json) -> bool:
    """Write the best weight into the vault's settings where it is better than by chance; say whether it was written.

    Raises what ``settings.set_meaning_weight`` does.
    """
    if not measured["is_better"]:
        return False
    settings.set_meaning_weight(workspace.vault, measured["best"])
    return True


def _documents(workspace: Workspace) -> dict[DocumentId, Document]:
    names = projects.read_names(workspace.vault)
    found = {}
    for name in documents.catalog(workspace.vault):
        try:
            found[name] = documents.load_document(workspace.vault, name, names)
        except FileNotFoundError:
            continue  # gone since it was listed
    return found


def _questions(known: Mapping[DocumentId, Document], most: int) -> tuple[list[_Question], dict[DocumentId, Document]]:
    """Return the questions, and the documents as they are searched: without the prompts that are asked."""
    from wwt_vault.index.analysis import ask  # noqa: PLC0415 - analysing needs more than most verbs

    citing: dict[EventId, set[DocumentId]] = defaultdict(set)
    for document in known.values():
        for section in document.sections:
            for event in section.events:
                citing[event].add(document.id)
    asked: list[_Question] = []
    left = dict(known)
    in_turn = sorted(known.values(), key=lambda document: blake2b(document.id.encode()).digest())
    for document in in_turn:
        if len(asked) == most // _OF_NOTES or not document.questions:
            continue
        own = _language(_said(document))
        text = next((one for one in document.questions if _language(one) != own), document.questions[0])
        asked.append(
            _Question(text, f"{_language(text)} → {own}", frozenset((document.id,)), picks=len(asked) % 2 == 0)
        )
        left[document.id] = replace(document, questions=())
    of_notes = len(asked)
    for document in in_turn:
        if len(asked) == most:
            break
        if len(document.turns) < 2:
            continue
        pairs = zip(document.turns, document.turns[1:], strict=False)
        found = next(
            (
                (turn, answer)
                for turn, answer in pairs
                if turn.role == "user" and answer.role == "assistant" and len(turn.text) <= _LONGEST
                if len(ask(turn.text).concepts) >= _WORDS
            ),
            None,
        )
        if found is None:
            continue
        turn, answer = found
        about = {document.id} | {name for each in document.turns for name in citing[each.event]}
        number = len(asked) - of_notes
        if number % _WITHOUT == _WITHOUT - 1:
            for name in about:
                left.pop(name, None)
            asked.append(_Question(turn.text, "none", frozenset(), picks=False))
            continue
        kind = f"{_language(turn.text)} → {_language(answer.text)}"
        asked.append(_Question(turn.text, kind, frozenset(about), picks=number % 2 == 0))
        if document.id in left:
            left[document.id] = _without(document, turn)
    # A note may be left out with one session and cite another one as well.
    asked = [question._replace(gold=question.gold & left.keys()) for question in asked]
    return [question for question in asked if question.gold or question.kind == "none"], left


def _language(text: str) -> str:
    """Return ``ko``, ``ja``, ``zh``, or ``en`` for what is in other letters."""
    from wwt_vault.index.analysis import LANGUAGES, language_of  # noqa: PLC0415 - as above

    name = LANGUAGES[language_of(text)]
    return "en" if name == "other" else name


def _said(document: Document) -> str:
    return "\n".join((document.title, *(section.text for section in document.sections)))


def _without(document: Document, prompt: Turn) -> Document:
    """Return a session without a prompt, and without a title that is the beginning of it."""
    is_its_title = prompt.text.strip().startswith(document.title.removesuffix("…").rstrip())
    turns = tuple(each for each in document.turns if each is not prompt)
    return replace(document, turns=turns, title="" if is_its_title else document.title)


def _asked(
    workspace: Workspace,
    folder: Path,
    asked: Sequence[_Question],
    changed: Mapping[DocumentId, Document],
    progress: Progress,
) -> Json:
    from wwt_vault.search import search  # noqa: PLC0415 - as above
    from wwt_vault.search.candidates import gather, score  # noqa: PLC0415
    from wwt_vault.search.when import When  # noqa: PLC0415

    index = workspace.index.apart(folder)
    index.refresh(dict.fromkeys(changed, "1 1 1 1"), changed.__getitem__, rebuild=True, allow_shrink=True)
    index.embed_pending(progress=progress)
    current = workspace.vault.settings.meaning_weight
    weights = sorted({*WEIGHTS, current})
    places: dict[float, list[int | None]] = {weight: [] for weight in weights}
    with_gold = [question for question in asked if question.gold]
    found_nothing: dict[bool, list[bool]] = {True: [], False: []}
    for question in asked:
        result = search(index, question.text, limit=1, meaning_weight=current)
        found_nothing[bool(question.gold)].append(not result.found)
        if not question.gold:
            continue
        candidates, _, _ = gather(index, question.text, Filters())
        for weight in weights:
            if candidates:
                score(candidates, weight, When())
            ranked = sorted(candidates, key=lambda candidate: (-candidate.score, candidate.passage.id))
            names = list(dict.fromkeys(candidate.passage.document for candidate in ranked))
            places[weight].append(next((at for at, name in enumerate(names) if name in question.gold), None))
    has_meaning = index.status().model is not None
    index.close()
    ranks = {weight: [0.0 if at is None else 1 / (at + 1) for at in found] for weight, found in places.items()}
    picks = [at for at, question in enumerate(with_gold) if question.picks]
    tests = [at for at, question in enumerate(with_gold) if not question.picks]
    best = max(weights, key=lambda weight: (sum(ranks[weight][at] for at in picks), weight == current))
    gains = [ranks[best][at] - ranks[current][at] for at in tests]
    gain, low, high = _interval(gains)
    kinds = sorted({question.kind for question in with_gold})
    none = found_nothing[False]
    return {
        "questions": len(with_gold),
        "has_meaning": has_meaning,
        "kinds": [
            {"kind": kind, **_row(current, places, [at for at, q in enumerate(with_gold) if q.kind == kind])}
            for kind in kinds
        ],
        "weights": [_row(weight, places, range(len(with_gold))) for weight in weights],
        "current": current,
        "best": best,
        "gain": gain,
        "low": low,
        "high": high,
        "is_better": low > 0,
        "without_answer": len(none),
        "found_without_answer": none.count(False),
        "missed": found_nothing[True].count(True),
    }


def _row(weight: float, places: Mapping[float, Sequence[int | None]], which: Sequence[int]) -> Json:
    found = [places[weight][at] for at in which]
    return {
        "weight": weight,
        "questions": len(found),
        "recall": round(sum(at is not None and at < 5 for at in found) / max(1, len(found)), 3),
        "mrr": round(sum(0.0 if at is None else 1 / (at + 1) for at in found) / max(1, len(found)), 3),
    }


def _interval(values: Sequence[float]) -> tuple[float, float, float]:
    """Return the mean of paired differences and its 95 % bootstrap interval."""
    import numpy as np  # noqa: PLC0415 - as above

    if not values:
        return 0.0, 0.0, 0.0
    array = np.array(values)
    picked = np.random.default_rng(0).integers(0, len(array), (_SAMPLES, len(array)))
    low, high = np.percentile(array[picked].mean(axis=1), (2.5, 97.5))
    return round(float(array.mean()), 4), round(float(low), 4), round(float(high), 4)
