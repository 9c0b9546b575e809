"""What each dictionary of the Korean analyser costs at the first Korean text, and what it is worth in ranking.

    python tests/bench/kiwi_options.py

Each choice runs in a process of its own: processor seconds from the import to the first token, and the keyword side's
measures on AutoRAG-ko and every tenth question of KorQuAD (dev parts first, then held out).
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np
from retrieval import measures
from sets import SETS

from wwt_vault.index import Index, korean

CHOICES: Final[dict[str, dict[str, bool]]] = {
    "none of the three (as it is)": {"load_default_dict": False, "load_typo_dict": False, "load_multi_dict": False},
    "default (names)": {"load_default_dict": True, "load_typo_dict": False, "load_multi_dict": False},
    "multi (compounds)": {"load_default_dict": False, "load_typo_dict": False, "load_multi_dict": True},
    "all three": {"load_default_dict": True, "load_typo_dict": True, "load_multi_dict": True},
}


def measure(options: dict[str, bool]) -> dict[str, Any]:
    """Return what one choice costs and brings, in this process."""
    begun = time.process_time()
    from kiwipiepy import Kiwi  # its import is a part of what is measured

    kiwi = Kiwi(**options)
    kiwi.tokenize("운영 서버 접속 방식")
    spent = time.process_time() - begun
    korean._kiwi = cache(lambda: kiwi)  # the choice is not one that users have
    found: dict[str, Any] = {"seconds": spent}
    for name, step in (("autorag-ko", 1), ("korquad", 10)):
        chosen = SETS[name]()
        with tempfile.TemporaryDirectory() as folder:
            index = Index(Path(folder), lambda: None)
            index.refresh(dict.fromkeys(chosen.documents, "1 1 1 1"), chosen.documents.__getitem__, rebuild=True)
            rows = []
            for case in chosen.cases[::step]:
                hits = index.keyword(case.question, limit=50)
                names = dict.fromkeys(chosen.original(hit.passage.document) for hit in hits)
                rows.append(dict(measures(case, list(names))))
            found[name] = {key: float(np.mean([row[key] for row in rows])) for key in ("nDCG@10", "R@1", "R@5")}
            index.close()
    return found


def main() -> None:
    """Print a row per choice."""
    if len(sys.argv) > 1:
        print(json.dumps(measure(CHOICES[sys.argv[1]])))
        return
    print(
        "| dictionaries | to the first token, s | AutoRAG-ko nDCG@10 / R@1 / R@5 | KorQuAD |\n| --- | --- | --- | --- |"
    )
    for name in CHOICES:
        command = [sys.executable, __file__, name]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        found = json.loads(done.stdout.splitlines()[-1])
        cells = [" / ".join(f"{value:.3f}" for value in found[key].values()) for key in ("autorag-ko", "korquad")]
        print(f"| {name} | {found['seconds']:.1f} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
