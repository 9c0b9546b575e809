"""Cursor: what its hooks send, and which of its files is read by which module.

Payloads: cursor.com/docs/agent/hooks; they name the person's mail address, which is not kept. What was said lies in
three places: transcripts of the agent (``cursor_transcripts``), the editor's own database and that of its command line
(``cursor_stores``). They share the conversation's id, so that what comes by several ways is recognised by its words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

from wwt_vault.capture.hosts import Head
from wwt_vault.capture.messages import call_of, text_field
from wwt_vault.model.conversation import Checkpoint, HookCall, HookKind, Message, Session, Skipped

if TYPE_CHECKING:
    from wwt_vault.capture.jsonl import File

__all__ = ["parse_hook", "read", "wrote"]

HOST = "cursor"

_KINDS: dict[str, HookKind] = {
    "sessionStart": "start",
    "beforeSubmitPrompt": "prompt",
    "afterAgentResponse": "answer",
    "stop": "end",  # of a turn; it brings no words, but by now the transcript has them
    "sessionEnd": "end",
    # Cursor also runs the hooks that it finds in Claude Code's settings, under their names.
    "SessionStart": "start",
    "UserPromptSubmit": "prompt",
    "Stop": "end",
    "SessionEnd": "end",
}


def parse_hook(payload: Mapping[str, Any], now: datetime) -> HookCall:
    """Read the payload of any hook event. The prompt and each message of the answer come with it, word for word."""
    from wwt_vault.capture.cursor_words import answered, typed  # noqa: PLC0415 - the stores' readers need none of it

    kind = _KINDS.get(text_field(payload, "hook_event_name") or "", "other")
    roots = payload.get("workspace_roots")
    folder = next((root for root in roots if isinstance(root, str) and root), None) if isinstance(roots, list) else None
    name = text_field(payload, "conversation_id", "session_id") or ""
    session = Session(host=HOST, session_id=name, cwd=folder or text_field(payload, "cwd"))
    words = None
    if kind == "prompt":
        words = typed(text_field(payload, "prompt") or "")
    elif kind == "answer":
        words = answered(text_field(payload, "text") or "")
    return call_of(payload, kind, session, now, words=words, turn=text_field(payload, "generation_id"))


def wrote(head: Head) -> bool:
    """Tell whether a file that begins so is one of Cursor's."""
    from wwt_vault.capture import cursor_stores, cursor_transcripts  # noqa: PLC0415

    return cursor_transcripts.wrote(head) or cursor_stores.wrote(head)


def read(
    path: File,
    start: Checkpoint | None = None,
    parent_keys: Callable[[str], frozenset[str]] | None = None,  # noqa: ARG001 - there are no forks here
) -> Iterator[Message | Skipped | Checkpoint]:
    """Yield what was said in a transcript, from ``start`` on, or in a database, all of it. Raises ``OSError``."""
    from wwt_vault.capture import cursor_stores, cursor_transcripts, jsonl  # noqa: PLC0415

    with jsonl.open_stream(path) as file:
        is_database = file.read(16) == cursor_stores.MAGIC
    if is_database or path.suffix in (".db", ".vscdb"):
        yield from cursor_stores.read(path)
    else:
        yield from cursor_transcripts.read(path, start)
