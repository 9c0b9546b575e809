"""The figures that issue 4 asks for, on the corpora beside the checkout; the bench names each miss."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from wwt_vault.capture.redact import find_secrets, redact

pytestmark = pytest.mark.shared


@pytest.fixture(scope="module")
def bench() -> ModuleType:
    """Return ``tests/bench/redaction.py``, which counts."""
    path = Path(__file__).parents[1] / "bench" / "redaction.py"
    spec = importlib.util.spec_from_file_location("redaction_bench", path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def corpora(shared: Path, bench: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the unpacked corpora: a temporary one."""
    return bench.unpack(shared, tmp_path_factory.mktemp("secrets"))  # type: ignore[no-any-return]  # loaded by path


def test_every_kind_in_prose_is_found_and_no_look_alike(bench: ModuleType, corpora: Path) -> None:
    """35 kinds in English and Korean sentences, 28 look-alikes."""
    score = bench.prose_kinds(corpora)
    assert (score.found, score.secrets, score.missed, score.alarms) == (35, 35, (), ())


def test_rule_cases_reach_their_floor(bench: ModuleType, corpora: Path) -> None:
    """At least 95 % of 84 found, at most 5 % of 210 mistaken."""
    score = bench.rule_cases(corpora)
    assert score.found >= 0.95 * score.secrets, score.missed
    assert len(score.alarms) <= 0.05 * score.clean, score.alarms


def test_leaky_files_reach_their_floor(bench: ModuleType, corpora: Path) -> None:
    """At least 90 % of the 96 lines that the repository counts as a risk, of which eight are not there."""
    score = bench.leaky_repo(corpora)
    assert score.found >= 0.9 * score.secrets, score.missed


def test_real_conversations_and_korean_prose_keep_their_words(shared: Path) -> None:
    """In twenty megabytes of transcripts, articles and questions nothing is taken out but the tokens of some URLs."""
    kinds = set()
    paths = [path for folder in ("transcripts", "bench", "vaults") for path in (shared / folder).rglob("*")]
    for path in sorted(paths):
        if path.suffix in (".json", ".jsonl", ".md", ".csv", ".tsv"):
            kinds |= {find.kind for find in find_secrets(path.read_text("utf-8", errors="replace"))}
    assert kinds <= {"jwt"}


def test_every_corpus_is_left_alone_the_second_time(corpora: Path) -> None:
    """Redacting what was redacted changes nothing, on real files too."""
    for path in sorted(corpora.rglob("*")):
        if path.is_file():
            clean, _ = redact(path.read_text("utf-8", errors="replace"))
            assert redact(clean) == (clean, ()), path
