"""The paraphrases are what their README says: else every figure measured on them means something else."""

from __future__ import annotations

from collections import Counter

from tests.bench.sets import paraphrases
from wwt_vault.index.analysis import analyse_all, ask
from wwt_vault.model.conversation import DocumentId

DOCUMENTS, CASES, _ = paraphrases()


def test_every_text_is_asked_for_twice_in_each_language() -> None:
    """And both languages are there in equal parts."""
    kinds = Counter(case.kind for case in CASES)

    assert len(DOCUMENTS) == 1524
    assert set(kinds.values()) == {1524}
    assert kinds.keys() == {"ko-ko", "ko-en", "en-ko", "en-en"}
    assert set(Counter(min(case.gold) for case in CASES).values()) == {4}


def test_no_question_is_asked_twice() -> None:
    """Of two texts it could only be right for one."""
    assert not [text for text, count in Counter(case.question for case in CASES).items() if count > 1]


def test_no_subject_is_in_both_parts() -> None:
    """What is chosen on one has seen nothing of the other."""
    parts: dict[str, set[str]] = {}
    for case in CASES:
        parts.setdefault(min(case.gold).rpartition("-")[0], set()).add(case.part)

    assert len(parts) == 127
    assert all(len(part) == 1 for part in parts.values())
    assert Counter(min(part) for part in parts.values()) == {"dev": 85, "held-out": 42}


def test_questions_share_few_words_with_what_they_ask_for() -> None:
    """Else words alone would find it: a question and its text have a tenth of the question's words in common."""
    said = {
        name: frozenset(analyse_all(["\n".join(part.text for part in document.turns or document.sections)])[0].words)
        for name, document in DOCUMENTS.items()
    }
    shares = []
    for case in CASES[::7]:
        asked = {concept.terms[0] for concept in ask(case.question).concepts}
        shares.append(len(asked & said[DocumentId(min(case.gold))]) / max(1, len(asked)))

    assert sum(shares) / len(shares) < 0.15
