"""What every verb works on: one vault, its machine-local state, its index. Opened in one place, once per process."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final

from wwt_vault.config import UserFolders, load_embedding, odd_settings, user_folders
from wwt_vault.errors import WwtError
from wwt_vault.operations.heads import Heads
from wwt_vault.operations.ledger import Ledger
from wwt_vault.state import State, vault_key
from wwt_vault.vault import Vault, files, find_vault
from wwt_vault.vault.layout import CONFIG_FILE

if TYPE_CHECKING:
    from wwt_vault.index import Index
    from wwt_vault.index.embedder import Embedder

__all__ = ["Workspace", "open_workspace"]

_log = logging.getLogger(__name__)
_MODEL_SECONDS: Final = 0.5
_FAILED_SECONDS: Final = 60.0


@dataclass(frozen=True, slots=True)
class Workspace:
    """A vault with what belongs to it on this machine."""

    vault: Vault
    state: State
    index: Index
    ledger: Ledger
    heads: Heads


def open_workspace(
    argument: str | None = None,
    *,
    wait_for_model: bool = True,
    embedder: Callable[[], Embedder | None] | None = None,
    folders: UserFolders | None = None,
    question: str = "",
    warn: bool = True,
) -> Workspace:
    """Open the vault that is named by ``argument``, ``WWT_VAULT`` or the user's settings, with its state and index.

    With ``wait_for_model=False`` nothing ever waits for the embedding model: it is loaded in a thread, and until it is
    there the index works by words. ``embedder`` replaces the model that the settings name, ``folders`` the user's own.
    ``question`` is what a command will ask that ends with the answer: work on it begins at once. Settings that nothing
    reads are logged as warnings, each once per process, unless ``warn`` is false.

    Raises ``VaultMissing``, ``FormatTooNew``, ``UnparsableSettings``, ``BadArgument``.
    """
    vault = find_vault(argument)
    if warn:
        for odd in odd_settings(vault.root / CONFIG_FILE, files.read):
            _warn_once(f"{odd.path}: {odd.message}")
    if question:
        from wwt_vault.index.analysis import begin  # noqa: PLC0415 - only where something is asked

        begin(question)
    from wwt_vault.index import Index  # noqa: PLC0415 - a vault that is missing is said without loading whoosh

    folders = folders or user_folders()
    state = State(root=folders.state / vault_key(vault))
    load = embedder or _loader(vault, in_bulk=wait_for_model)
    load = _once(load) if wait_for_model else _in_background(load)
    index = Index(folders.cache / state.root.name / "index", load, vault.settings)
    ledger, heads = Ledger(state.root / "ledger.json"), Heads(state.root / "heads.json")
    return Workspace(vault, state, index, ledger, heads)


@cache
def _warn_once(message: str) -> None:
    _log.warning("%s", message)


def _loader(vault: Vault, *, in_bulk: bool) -> Callable[[], Embedder | None]:
    def load() -> Embedder | None:
        from wwt_vault.index.embedder import load_embedder  # noqa: PLC0415 - numpy, which most verbs never need

        return load_embedder(vault.settings, load_embedding(), in_bulk=in_bulk)

    return load


def _once(load: Callable[[], Embedder | None]) -> Callable[[], Embedder | None]:
    """Return a loader that loads at its first call; what failed is tried again after a minute: a server may be back."""
    loaded: list[Embedder | None] = []
    failed: list[tuple[float, WwtError]] = []
    loading = threading.Lock()

    def get() -> Embedder | None:
        with loading:
            if not loaded and not (failed and time.monotonic() - failed[-1][0] < _FAILED_SECONDS):
                try:
                    loaded.append(load())
                except WwtError as error:
                    failed.append((time.monotonic(), error))
        if not loaded:
            raise failed[-1][1]
        return loaded[0]

    return get


def _in_background(load: Callable[[], Embedder | None]) -> Callable[[], Embedder | None]:
    """Return a loader that answers ``None`` until the model is there; the first call begins to load it in a thread.

    That call waits for half a second: the small model is there by then, and the first answer is as good as the next.
    """
    once, begun, ready = _once(load), threading.Lock(), threading.Event()

    def begin() -> None:
        with suppress(WwtError):  # whoever asks next is told
            once()
        ready.set()

    def get() -> Embedder | None:
        if begun.acquire(blocking=False):
            threading.Thread(target=begin, name="wwt-model", daemon=True).start()
            ready.wait(_MODEL_SECONDS)
        return once() if ready.is_set() else None

    return get
