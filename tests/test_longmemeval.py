"""The runner for LongMemEval reads the official form, measures as upstream does, and says so when it cannot."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

BENCH = Path(__file__).parent / "bench"
TALKS = {
    "answer_cat": [("user", "We took in a cat today, her name is Miso."), ("assistant", "What a fine name!")],
    "filler_1": [("user", "How do I descale a kettle?"), ("assistant", "With vinegar and water, half and half.")],
    "answer_vet": [("assistant", "Welcome back."), ("user", "Miso the cat was at the vet, she weighs four kilos.")],
    "filler_2": [("user", "Recommend a book on sailing."), ("assistant", "Try one about knots of the sea first.")],
    "answer_tip": [("user", "Where should I eat in Lisbon?"), ("assistant", "The Green Lantern serves grilled squid.")],
    "filler_3": [("user", "Translate good morning into Welsh."), ("assistant", "Bore da.")],
}
ASKED = [
    ("q1", "multi-session", "How much does our cat Miso weigh?", ["answer_cat", "answer_vet"], "user"),
    ("q2", "single-session-assistant", "Which restaurant serves grilled squid?", ["answer_tip"], "assistant"),
    ("q3_abs", "multi-session", "What is the name of my parrot?", ["answer_cat"], "user"),
]
HEAD = "| turns | kind | n | by | recall_any@5 | recall_any@10 | recall_all@5 | recall_all@10 | NDCG@5 | NDCG@10 |"


def official() -> list[dict[str, Any]]:
    """Return three questions in the form of longmemeval_s.json, each over all six sessions."""
    return [
        {
            "question_id": name,
            "question_type": kind,
            "question": question,
            "answer": "",
            "question_date": "2023/05/30 (Tue) 23:40",
            "haystack_session_ids": list(TALKS),
            "haystack_dates": [f"2023/05/{20 + at} (Sat) 02:21" for at in range(len(TALKS))],
            "haystack_sessions": [
                [
                    {"role": role, "content": text, **({"has_answer": role == by} if talk in gold else {})}
                    for role, text in turns
                ]
                for talk, turns in TALKS.items()
            ],
            "answer_session_ids": gold,
        }
        for name, kind, question, gold, by in ASKED
    ]


@pytest.fixture
def runner(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Return the runner as a module, which imports its neighbours."""
    monkeypatch.syspath_prepend(str(BENCH))
    import longmemeval

    return longmemeval


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Return a file of the official form."""
    path = tmp_path / "longmemeval_s.json"
    path.write_text(json.dumps(official()), "utf-8")
    return path


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the program as a person does."""
    command = [sys.executable, str(BENCH / "longmemeval.py"), *arguments]
    known = {name: value for name, value in os.environ.items() if name != "LONGMEMEVAL"}
    return subprocess.run(command, env=known | environment, capture_output=True, text=True, check=False, timeout=300)


def test_ranks_one_and_two_weigh_the_same(runner: ModuleType) -> None:
    """Upstream's gain: rel[0] + rel[1]/log2(2) + rel[2]/log2(3) + …, beside that of the best order."""
    assert runner.dcg([1.0]) == runner.dcg([0.0, 1.0]) == 1.0
    assert runner.dcg([1.0, 1.0, 1.0, 1.0]) == pytest.approx(1 + 1 + 1 / math.log2(3) + 1 / 2)
    assert runner.dcg([0.0, 0.0, 0.0, 0.0, 1.0]) == pytest.approx(1 / math.log2(5))

    third = dict(runner.measures(frozenset("ab"), ["x", "a", "b", "y", "z"]))
    assert third["NDCG@5"] == third["NDCG@10"] == pytest.approx((1 + 0.63093) / 2, abs=1e-5)
    assert dict(runner.measures(frozenset("a"), ["x", "a"]))["NDCG@5"] == 1.0


def test_any_and_all_are_told_apart_at_five_and_at_ten(runner: ModuleType) -> None:
    """One of two sessions at the second place, the other at the sixth; of seven, five at most fit among five."""
    got = dict(runner.measures(frozenset("ab"), ["p", "a", "q", "r", "s", "b"]))
    assert (got["recall_any@5"], got["recall_all@5"], got["recall_any@10"], got["recall_all@10"]) == (1, 0, 1, 1)
    assert got["NDCG@5"] == pytest.approx(0.5)
    assert got["NDCG@10"] == pytest.approx((1 + 1 / math.log2(6)) / 2)
    assert dict(runner.measures(frozenset("abcdefg"), list("abcdefg")))["NDCG@5"] == 1.0
    assert set(dict(runner.measures(frozenset("a"), [])).values()) == {0.0}


def test_what_is_indexed_are_the_turns_that_were_asked_for_with_their_roles_and_dates(runner: ModuleType) -> None:
    """And nothing of a note tells which session has the answer."""
    question = official()[0]
    user, whole = (list(runner.vault(question, turns).values()) for turns in ("user", "all"))
    assert [turn.role for turn in whole[2].turns] == ["assistant", "user"]
    assert [turn.text for turn in user[2].turns] == ["Miso the cat was at the vet, she weighs four kilos."]
    assert {turn.role for note in user for turn in note.turns} == {"user"}
    assert f"{whole[0].time:%Y-%m-%d %H:%M}" == "2023-05-20 02:21"
    assert not any("answer" in repr(note) for note in whole)


def test_a_session_without_a_turn_of_the_users_is_still_a_note(runner: ModuleType) -> None:
    """The haystack has as many sessions in either row."""
    question = official()[0]
    question["haystack_sessions"][1] = [{"role": "assistant", "content": "Hello?"}]
    assert [len(note.turns) for note in runner.vault(question, "user").values()] == [1, 0, 1, 1, 1, 1]


def test_abstention_has_no_recall_and_is_counted_apart(file: Path, tmp_path: Path) -> None:
    """Each haystack is indexed and asked by the real program, with the user's turns and with all; it runs twice."""
    cache = str(tmp_path / "cache")
    first, second = run(str(file), "--cache", cache), run("--cache", cache, "--turns", "all", LONGMEMEVAL=str(file))
    assert (first.returncode, second.returncode) == (0, 0), first.stderr + second.stderr
    assert HEAD in first.stdout
    rows = {
        tuple(cell.strip("| ") for cell in line.split(" | ")[:4]): line.split(" | ")[4:]
        for line in first.stdout.splitlines()
        if line.startswith(("| user |", "| all |"))
    }
    for turns in ("user", "all"):
        for row in ("words", "meaning", "fused"):
            for kind, n in (("all", 2), ("multi-session", 1), ("single-session-assistant", 1), ("user's evidence", 1)):
                assert (turns, kind, str(n), row) in rows
        assert rows[turns, "multi-session", "1", "fused"][0].startswith("1.000")
        assert f"{turns} turns, fused: " in first.stdout
        assert " of 1 questions of abstention; nothing for " in first.stdout
    assert rows["all", "single-session-assistant", "1", "words"][0].startswith("1.000")
    assert rows["user", "single-session-assistant", "1", "words"][0].startswith("0.000")

    assert "| user |" not in second.stdout
    again = [line for line in second.stdout.splitlines() if line.startswith("| all |")]
    assert again == [line for line in first.stdout.splitlines() if line.startswith("| all |")]


def test_a_vector_is_made_once(runner: ModuleType, tmp_path: Path) -> None:
    """Also in the next run: the model is asked for what is new alone, and the vectors are the same."""
    from retrieval import Kept

    from wwt_vault.config import Settings
    from wwt_vault.index.embedder import load_embedder

    model = load_embedder(Settings())
    assert model is not None
    asked: list[str] = []

    class Counting:
        name, dimension, query = model.name, model.dimension, model.query

        def passages(self, texts: list[str]) -> Any:
            asked.extend(texts)
            return model.passages(texts)

    Kept(Counting(), tmp_path).passages(["one", "two"])
    found = Kept(Counting(), tmp_path).passages(["two", "three", "one"])
    assert asked == ["one", "two", "three"]
    assert abs(found - model.passages(["two", "three", "one"])).max() < 1e-3


def test_without_the_file_it_says_where_to_get_it_and_how_to_name_it(tmp_path: Path) -> None:
    """In one go, without a traceback."""
    for told in (run(), run(str(tmp_path / "none.json")), run(LONGMEMEVAL=str(tmp_path))):
        assert told.returncode == 1
        assert "LONGMEMEVAL" in told.stderr and "https://github.com/xiaowu0162/LongMemEval" in told.stderr
        assert "Traceback" not in told.stderr


def broken(field: str, value: object) -> list[dict[str, Any]]:
    """Return the official form with another value in its second question."""
    rows = official()
    rows[1][field] = value
    return rows


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("version https://git-lfs.github.com/spec/v1", "no JSON"),
        ("{}", "no list of questions"),
        ("[]", "no list of questions"),
        (json.dumps(["a"]), "question 1 has other fields"),
        (json.dumps([{"question": "Where?"}]), "question 1 has no 'haystack_session_ids'"),
        (json.dumps(broken("haystack_dates", [])), "question 2 has other fields (sessions, their ids"),
        (json.dumps(broken("question_date", "30 May 2023")), "question 2 has other fields (time data"),
        (json.dumps(broken("haystack_sessions", [["hello"]] * 6)), "question 2 has other fields"),
        (json.dumps(broken("haystack_sessions", [[{"role": "tool", "content": ""}]] * 6)), "a turn of 'tool'"),
        (json.dumps(broken("question", None)), "no text"),
        (json.dumps(broken("answer_session_ids", [])), "none of answer_session_ids is in the haystack"),
        (json.dumps(broken("answer_session_ids", ["elsewhere"])), "none of answer_session_ids is in the haystack"),
    ],
)
def test_a_file_of_another_shape_is_refused_with_the_place(
    runner: ModuleType, tmp_path: Path, content: str, said: str
) -> None:
    """Before anything is embedded: the file, which question, and what of it."""
    path = tmp_path / "other.json"
    path.write_text(content, "utf-8")
    with pytest.raises(SystemExit) as refused:
        runner.read(path)
    assert str(path) in str(refused.value) and said in str(refused.value)


def test_so_many_questions_are_picked_evenly(runner: ModuleType) -> None:
    """From all over the file, whose types stand one after the other."""
    assert runner.evenly(range(500), 5) == [0, 100, 200, 300, 400]
    assert len(runner.evenly(range(470), 7)) == 7
    assert list(runner.evenly(range(3), 10)) == list(runner.evenly(range(3), None)) == [0, 1, 2]
