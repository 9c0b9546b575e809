"""``wwt demo``: the whole way on sample conversations, with nothing of the person's touched.

A vault from the template, conversations of three hosts taken in, the index built, then the real MCP server, started
over stdio and asked by the SDK's own client, as an agent's host would.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from importlib import resources
from pathlib import Path
from typing import Any, Final, NamedTuple

from wwt_vault.config import user_folders
from wwt_vault.operations import conversations, freshness
from wwt_vault.operations.workspace import open_workspace
from wwt_vault.vault.creation import create_vault
from wwt_vault.wording import counted

__all__ = ["HOSTS", "Question", "questions", "run"]

HOSTS: Final = ("claude-code", "codex", "gemini")

Progress = Callable[[int, int], None]
Json = dict[str, Any]


class Question(NamedTuple):
    """A question about the sample conversations."""

    text: str
    says: tuple[str, ...]
    """Words that a good answer holds; none for a question that has no answer there."""


def questions(use: str = "demo") -> list[Question]:
    """Return the questions of ``demo_data/questions.json`` that are meant for ``use``."""
    table: list[Json] = json.loads((resources.files("wwt_vault") / "demo_data" / "questions.json").read_text("utf-8"))
    return [Question(row["question"], tuple(row["says"])) for row in table if row["use"] == use]


def run(
    folder: Path | None, *, bar: Callable[[str], AbstractContextManager[Progress]], tell: Callable[[str], None]
) -> Json:
    """Make the vault in ``folder`` (or a new temporary one), fill it, and ask the server about it.

    ``bar`` shows the progress of a titled step, ``tell`` takes what happens, line by line. Returns ``{vault,
    events_added, sessions, passages, answers: [{query, found, used_tokens, text}]}``.
    """
    folder = folder or Path(tempfile.mkdtemp(prefix="wwt-demo-"))
    # State and index of the demo lie beside its vault, not among those of the person's own.
    own = {"HOME": str(folder / "home"), "USERPROFILE": str(folder / "home"), "LOCALAPPDATA": str(folder / "home")}
    vault = create_vault(folder / "vault", timezone="Asia/Seoul")
    tell(f"A vault from the template: {vault.root}")
    workspace = open_workspace(str(vault.root), folders=user_folders(own))
    with ExitStack() as stack, bar("Importing") as step:
        data = stack.enter_context(resources.as_file(resources.files("wwt_vault") / "demo_data"))
        taken = conversations.ingest(workspace, [data / host for host in HOSTS], progress=step)
    messages, sessions = counted(taken["events_added"], "message"), counted(len(taken["sessions"]), "session")
    tell(f"Took in {messages} of {sessions} with {', '.join(HOSTS)}.")
    with bar("Indexing") as step:
        freshness.refresh(workspace, seconds=None, progress=step)
    with bar("Embedding") as step:
        freshness.embed(workspace, progress=step)
    status = workspace.index.status()
    tell(
        f"Indexed {status.passages} passages, {status.embedded} of them by meaning too ({status.model or 'no model'})."
    )
    tell("Starting the MCP server, as an agent's host does, and asking wiki_get_context:")
    answers = _ask(vault.root, own, [question.text for question in questions()], tell)
    return {
        "vault": str(vault.root),
        "events_added": taken["events_added"],
        "sessions": taken["sessions"],
        "passages": status.passages,
        "answers": answers,
    }


def _ask(root: Path, own: dict[str, str], asked: list[str], tell: Callable[[str], None]) -> list[Json]:
    import anyio  # noqa: PLC0415 - with the client of the SDK it takes a second to load, while the steps above run
    from mcp.client import Client  # noqa: PLC0415
    from mcp.client.stdio import StdioServerParameters, stdio_client  # noqa: PLC0415

    server = StdioServerParameters(
        command=sys.executable, args=["-m", "wwt_vault", "serve", "--vault", str(root)], env=own, cwd=root.parent
    )
    answers: list[Json] = []

    async def ask() -> None:
        with Path(os.devnull).open("w") as log:
            async with Client(stdio_client(server, errlog=log)) as client:
                for query in asked:
                    result = await client.call_tool("wiki_get_context", {"query": query, "budget_tokens": 900})
                    found: Json = result.structured_content or {}
                    answers.append({key: found.get(key) for key in ("query", "found", "used_tokens", "text")})
                    tell(f"\n? {query}\n{found.get('text') or result}")

    anyio.run(ask)
    return answers
