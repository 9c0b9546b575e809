"""An app without hooks: its model tells what was said, late, twice, in turns or as a whole; the vault has it once."""

from __future__ import annotations

from typing import Any

import anyio
import pytest
from mcp import Client

from tests.mcp.conftest import Serve
from wwt_vault.vault import events

TURNS = [
    ("Which database do we take for the orders?", "PostgreSQL 16: its replication has never broken."),
    ("And how long do we keep the backups?", "Fourteen days, then they are deleted."),
    ("그럼 접속은 어떻게 하지?", "ssh 키만 사용하고 비밀번호 로그인은 끄기로 했습니다."),
    ("Good. What is left?", "The certificate: it runs out in March."),
]
WHOLE = [{"role": role, "text": text} for turn in TURNS for role, text in zip(("user", "assistant"), turn, strict=True)]
SESSION = {"host": "chatgpt", "session_id": "2026-11-30 orders"}


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_turns_and_the_whole_conversation_are_kept_once(serve: Serve, mode: str) -> None:
    """Whatever came before: the order of the calls, a call after a lost answer, a conversation that has grown."""
    serving = serve()

    async def steps() -> None:
        async with serving.client(mode) as client:
            assert await observed(client, 0) == (2, 0)
            assert await observed(client, 0) == (0, 2)
            assert await observed(client, 1) == (2, 0)
            assert await observed(client, 0) == (0, 2)  # late, and known
            assert await recorded(client, WHOLE[:4]) == (0, 4)
            assert await recorded(client, WHOLE) == (4, 4)
            assert await observed(client, 3) == (0, 2)
            assert await observed(client, 2) == (0, 2)
            assert await recorded(client, WHOLE[2:6]) == (0, 4)
            again = [{**message, "text": f"  {message['text']}\n\n"} for message in WHOLE]
            assert await recorded(client, again) == (0, 8)

    anyio.run(steps)
    ids = [found for found in events.event_ids(serving.vault) if isinstance(found, str)]
    kept = [events.read_event(serving.vault, found) for found in ids]
    assert sorted(event.text for event in kept) == sorted(message["text"] for message in WHOLE)


async def observed(client: Client, turn: int) -> tuple[int, int]:
    """Tell of one turn; return how many messages were new, and how many known."""
    user, assistant = TURNS[turn]
    arguments = {**SESSION, "user_message": user, "assistant_response": assistant}
    return counts(await client.call_tool("wiki_observe", arguments))


async def recorded(client: Client, messages: list[dict[str, str]]) -> tuple[int, int]:
    """Hand over messages; return as :func:`observed`."""
    return counts(await client.call_tool("wiki_record", {**SESSION, "messages": messages}))


def counts(result: Any) -> tuple[int, int]:
    """Return how many messages a result says were added, and how many known."""
    assert not result.is_error, result
    return len(result.structured_content["added"]), result.structured_content["known"]
