"""What redaction finds and misses on the corpora beside the checkout, and how fast it is.

Run: ``python tests/bench/redaction.py [TRANSCRIPT]…``. Prints, per corpus, what was found of what, each miss and each
false alarm by name; megabytes per second of process time over whole transcripts (given ones, else the largest of the
reference material); and the milliseconds of import and first call in a fresh interpreter. The secrets are unpacked into
a temporary folder and gone when it ends.
"""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
import tarfile
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from wwt_vault.capture.redact import find_secrets, redact

SHARED = Path(__file__).resolve().parents[3] / "shared"


class Score(NamedTuple):
    """How one corpus came out; ``missed`` and ``alarms`` name the cases."""

    found: int
    secrets: int
    clean: int
    missed: tuple[str, ...]
    alarms: tuple[str, ...]


def unpack(shared: Path, folder: Path) -> Path:
    """Unpack the corpora into ``folder``; return where they lie."""
    with tarfile.open(shared / "secrets" / "corpora.tar.gz") as archive:
        # As an attribute: the argument ``filter`` is unknown to Python 3.11.0 to 3.11.3.
        archive.extraction_filter = getattr(tarfile, "data_filter", lambda member, _path: member)
        archive.extractall(folder)
    return folder / "secrets"


def prose_kinds(corpora: Path) -> Score:
    """Kinds of secrets in English and Korean sentences, and look-alikes."""
    cases = json.loads((corpora / "prose-kinds.json").read_text("utf-8"))
    return _score([(kind, text) for kind, text in cases["pos"]], [(kind, text) for kind, text in cases["neg"]])


def rule_cases(corpora: Path) -> Score:
    """Strings labelled for one rule each; one labelled clean may be another rule's secret."""
    rows = [json.loads(line) for line in (corpora / "rule-cases.jsonl").read_text("utf-8").splitlines()]
    named = [(row["label"], f"{row['rule']}: {row['text'][:70]}", row["text"]) for row in rows]
    return _score(
        [(name, text) for label, name, text in named if label == "secret"],
        [(name, text) for label, name, text in named if label == "clean"],
    )


def _score(secrets: list[tuple[str, str]], clean: list[tuple[str, str]]) -> Score:
    missed = tuple(name for name, text in secrets if not redact(text)[1])
    alarms = tuple(name for name, text in clean if redact(text)[1])
    return Score(len(secrets) - len(missed), len(secrets), len(clean), missed, alarms)


def leaky_repo(corpora: Path) -> Score:
    """Files with planted secrets: the lines touched, of those that the repository's own table counts as a risk.

    A file counts for no more than its table says. The table counts more lines than there are in some files.
    """
    root = corpora / "leaky-repo"
    table = (root / ".leaky-meta" / "secrets.csv").read_text("utf-8").splitlines()
    found = risks = 0
    missed = []
    for name, risk, _ in csv.reader(line for line in table if line.strip() and not line.startswith("#")):
        text = (root / name).read_text("utf-8", errors="replace")
        lines = {text.count("\n", 0, find.start) for find in find_secrets(text)}
        found += min(len(lines), int(risk))
        risks += int(risk)
        if len(lines) < int(risk):
            missed.append(f"{name}: {len(lines)} lines of {risk}")
    return Score(found, risks, 0, tuple(missed), ())


def speed(text: str, rounds: int = 3) -> float:
    """Return megabytes of UTF-8 per second of process time, the best of some rounds."""
    best = float("inf")
    for _ in range(rounds):
        began = time.process_time()
        redact(text)
        best = min(best, time.process_time() - began)
    return len(text.encode("utf-8", "replace")) / 1e6 / best


COLD = """
import time, json, re, hashlib, datetime, functools, typing
import wwt_vault.capture, wwt_vault.model.conversation
a = time.perf_counter()
from wwt_vault.capture.redact import redact
b = time.perf_counter()
redact(%r)
c = time.perf_counter()
print((b - a) * 1e3, (c - b) * 1e3)
"""


def cold(text: str, rounds: int = 7) -> tuple[float, float]:
    """Return the milliseconds of import and of the first call, each the best of some fresh interpreters.

    One more goes first and is not counted: it leaves the bytecode that an installed package has.
    """
    env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    command = [sys.executable, "-c", COLD % text]
    runs = [
        subprocess.run(command, env=env, capture_output=True, text=True, check=True).stdout.split()
        for _ in range(rounds + 1)
    ][1:]
    return min(float(run[0]) for run in runs), min(float(run[1]) for run in runs)


def report(line: str) -> None:
    """Print a line at once: the whole takes a minute."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def main(arguments: list[str]) -> None:
    """Print everything."""
    with tempfile.TemporaryDirectory() as folder:
        corpora = unpack(SHARED, Path(folder))
        for corpus in (prose_kinds, rule_cases, leaky_repo):
            score = corpus(corpora)
            alarms = f", {len(score.alarms)} false alarms of {score.clean}" if score.clean else ""
            share = 100 * score.found / score.secrets
            report(f"{corpus.__name__}: {score.found} of {score.secrets} found ({share:.1f} %){alarms}")
            for name in score.missed:
                report(f"    missed: {name}")
            for name in score.alarms:
                report(f"    false alarm: {name}")
    paths = [Path(argument) for argument in arguments]
    if not paths:
        every = (SHARED / "transcripts").rglob("*.jsonl")
        paths = sorted(every, key=lambda path: path.stat().st_size)[-4:]
    for path in paths:
        text = path.read_text("utf-8", errors="replace")
        salted = "\npassword=Hunter2!kor\n".join(text[at : at + 20_000] for at in range(0, len(text), 20_000))
        report(
            f"{speed(text):.1f} MB/s, with a secret every 20,000 characters {speed(salted):.1f} MB/s: "
            f"{len(text) / 1e6:.1f} M characters of {path.name}"
        )
    prompts = {
        "a prompt without secrets": "로그인 함수를 src/auth.py 에서 분리해줘. Keep the API as it is. " * 8,
        "a prompt with three": "비밀번호는 Qwer!234 입니다. DB_PASSWORD=abc123!x, https://u:pw1234@h/x 로 접속.",
    }
    for name, prompt in prompts.items():
        imported, first = cold(prompt)
        report(f"{name}: import {imported:.1f} ms, first call {first:.1f} ms")


if __name__ == "__main__":
    main(sys.argv[1:])
