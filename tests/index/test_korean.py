"""Korean words taken apart, by this process or by one beside it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from wwt_vault.index import analysis, korean

QUESTION = "서버 설정을 캐시로 바꾼 이유가 뭐였지?"
SEARCH = """
import sys
from wwt_vault.index import korean
from wwt_vault.index.analysis import ask, begin
korean._ASIDE_SECONDS = 100.0  # a busy machine must not turn the answer
begin(sys.argv[1])
print([concept.surface for concept in ask(sys.argv[1]).concepts], korean._kiwi.cache_info().currsize)
"""


@pytest.fixture(autouse=True)
def _fresh(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let each test begin as a command does: nothing known, kiwi not loaded; leave no process behind."""
    monkeypatch.setattr(korean, "_known", {})
    yield
    while korean._aside:
        process = korean._aside.pop()
        process.kill()
        process.communicate()


def asked(question: str, folder: Path, **environment: str) -> str:
    """Return the words of a question that was said beforehand, in a process of its own, and how many kiwis it has."""
    command = [sys.executable, "-P", "-c", SEARCH, question]
    done = subprocess.run(
        command, cwd=folder, env=os.environ | environment, check=True, capture_output=True, timeout=120
    )
    assert not done.stderr
    return done.stdout.decode().strip()


def test_a_question_that_was_said_beforehand_is_taken_apart_by_another_process(tmp_path: Path) -> None:
    """The words are those that this process finds itself, and it has not loaded kiwi."""
    words = [concept.surface for concept in analysis.ask(QUESTION).concepts]

    assert asked(QUESTION, tmp_path, PYTHONIOENCODING="utf-8") == f"{words} 0"


def test_where_the_other_process_fails_this_one_does_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A Python that cannot be run, is not known, or says something else costs time and nothing else."""
    right = korean.morphemes([QUESTION])
    broken = tmp_path / "python"
    broken.write_text("#!/bin/sh\necho '[1, 2]'\n")
    broken.chmod(0o755)
    for executable in (str(broken), str(tmp_path / "nothing"), "", None):
        korean._known.clear()
        korean._kiwi.cache_clear()
        monkeypatch.setattr(sys, "executable", executable)
        korean.begin(QUESTION)
        assert korean.morphemes([QUESTION]) == right


@pytest.mark.parametrize(
    "said", ["[" * 100_000, '{"설정을": [[1, {}], [null, 2]]}', '{"설정을": null}', '{"설정을": "NNG"}'],
    ids=["deep", "numbers", "null", "letters"],
)  # fmt: skip
def test_what_another_process_prints_instead_is_no_trouble(
    said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A module that each Python of a machine loads can print anything; the question is answered all the same."""
    (tmp_path / "said").write_text(said, encoding="utf-8")
    broken = tmp_path / "python"
    broken.write_text(f"#!/bin/sh\nexec cat '{tmp_path}/said'\n")
    broken.chmod(0o755)
    korean._kiwi.cache_clear()
    monkeypatch.setattr(sys, "executable", str(broken))
    korean.begin(QUESTION)

    assert "서버" in [concept.surface for concept in analysis.ask(QUESTION).concepts]


def test_where_nothing_is_known_of_python_this_process_does_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python inside of another program may have no name of its own."""
    korean._kiwi.cache_clear()
    monkeypatch.setattr(sys, "executable", None)
    korean.begin(QUESTION)

    assert not korean._aside


def test_no_process_outlives_a_command_that_did_not_ask(tmp_path: Path) -> None:
    """A command that is refused, or interrupted, ends what it has begun."""
    stuck = tmp_path / "python"
    stuck.write_text("#!/bin/sh\nexec sleep 600\n")
    stuck.chmod(0o755)
    begun = "import sys; from wwt_vault.index import korean; sys.executable = sys.argv[1]; korean.begin(sys.argv[2])"
    command = [sys.executable, "-c", f"{begun}; print(korean._aside[0].pid)", str(stuck), QUESTION]
    done = subprocess.run(command, check=True, capture_output=True, timeout=120)

    assert not done.stderr
    with pytest.raises(ProcessLookupError):
        os.kill(int(done.stdout), 0)


def test_another_process_that_does_not_end_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A search waits for it for some seconds at most."""
    right = korean.morphemes([QUESTION])
    stuck = tmp_path / "python"
    stuck.write_text("#!/bin/sh\nexec sleep 600\n")
    stuck.chmod(0o755)
    korean._known.clear()
    korean._kiwi.cache_clear()
    monkeypatch.setattr(sys, "executable", str(stuck))
    monkeypatch.setattr(korean, "_ASIDE_SECONDS", 0.2)
    korean.begin(QUESTION)
    (process,) = korean._aside

    assert korean.morphemes([QUESTION]) == right
    assert process.poll() is not None


def test_a_module_in_the_folder_that_a_person_works_in_is_not_run(tmp_path: Path) -> None:
    """A project that was cloned may hold a file of the name of one of ours."""
    for name in ("kiwipiepy", "json", "numpy", "wwt_vault"):
        (tmp_path / f"{name}.py").write_text("open('run', 'w')\nraise SystemExit(1)\n")

    assert asked(QUESTION, tmp_path, PYTHONIOENCODING="utf-8").endswith(" 0")
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("question", ["why did the cache change?", "", "\ud800", "?" * 5000, "サーバー"])
def test_a_question_without_hangul_starts_nothing(question: str) -> None:
    """Only Korean takes that long."""
    korean._kiwi.cache_clear()
    analysis.begin(question)
    assert not korean._aside


def test_a_pasted_text_of_any_length_is_no_trouble(tmp_path: Path) -> None:
    """What is searched of it is what is said beforehand."""
    assert asked("가나다라 마바사 설정을\n" * 2000, tmp_path, PYTHONIOENCODING="utf-8").startswith("['가나다")
