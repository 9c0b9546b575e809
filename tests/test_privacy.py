"""What lies outside of the vault holds what was said too: it is the user's alone, whoever wrote it."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.index.hash_embedder import HashEmbedder
from tests.test_hook import PROMPT, START, hook
from wwt_vault.config import user_folders
from wwt_vault.operations import freshness, recall, upkeep
from wwt_vault.operations.workspace import open_workspace

if TYPE_CHECKING:
    from wwt_vault.vault import Vault

ROOT = Path(__file__).resolve().parents[1]


@pytest.mark.skipif(sys.platform == "win32", reason="modes are POSIX's")
def test_state_and_cache_are_the_users_alone(vault: Vault) -> None:
    """After hooks, a failure, searches, a rebuild and a server: every folder 0700, every file 0600, umask 022."""
    before = os.umask(0o022)
    try:
        for host in PROMPT:
            hook(host, START[host])
            hook(host, PROMPT[host])
        hook("claude-code", b"no JSON")
        workspace = open_workspace(embedder=HashEmbedder)
        recall.search(workspace, "안녕")
        freshness.embed(workspace)
        freshness.refresh(workspace, seconds=None, rebuild=True)
        workspace.index.purge()
        subprocess.run(
            [sys.executable, "-m", "wwt_vault", "serve"], input=b"", capture_output=True, check=False, cwd=ROOT
        )
        vault.root.rename(vault.root.with_name("away"))
        hook("claude-code", {**PROMPT["claude-code"], "prompt": "waits"})
        upkeep.queue_list()
    finally:
        os.umask(before)
    folders = user_folders()
    found = [path for top in (folders.state, folders.cache) for path in (top, *top.rglob("*")) if not path.is_symlink()]

    assert len(found) > 25
    assert {path.name for path in found} >= {"queue", "hook.log", "cursors", "current", "manifest.json", "vectors"}
    for path in found:
        wanted = 0o700 if path.is_dir() else 0o600
        assert stat.S_IMODE(path.stat().st_mode) == wanted, path
