"""Every real transcript at hand: what is read is what a person finds in it."""

from __future__ import annotations

from datetime import UTC
from hashlib import sha256
from pathlib import Path

import pytest

from wwt_vault.capture import read_transcript, recognise
from wwt_vault.model.conversation import Message


def said(path: Path) -> list[tuple[str, str]]:
    """Return who said what."""
    return [(item.role, item.text) for item in read_transcript(path) if isinstance(item, Message)]


SCRIPTED = [
    ("user", "e803125303fe"),
    ("assistant", "6e3a8d55ca01"),
    ("user", "2cc6c0ce5c4a"),
    ("assistant", "38f736b8caa6"),
    ("user", "2df2aea7c829"),
    ("assistant", "1460d8ce3ff6"),
]
"""Who said it, and the first 12 hex of the SHA-256 of what was said."""


@pytest.mark.shared
@pytest.mark.parametrize("host", ["claude-code", "codex", "gemini"])
def test_of_a_scripted_session_exactly_what_was_said_is_read(host: str, shared: Path) -> None:
    """Three turns that were played on each real host, resumed twice; nothing more, nothing less, in order."""
    [path] = (shared / "transcripts" / "scripted").glob(f"{host}-*")
    assert recognise(path) == host
    assert [(role, sha256(text.encode()).hexdigest()[:12]) for role, text in said(path)] == SCRIPTED


PROMPTS: dict[str, tuple[list[str], int]] = {
    "claude_code/agentcmd_full2.jsonl": (
        [
            "please move the + button to",
            "not the new session button. this one'",
            "Completely outside",
            "let's give the",
        ],
        6,
    ),
    "claude_code/aisessions_pomodoro.jsonl": (["Build a simple Pomodoro", "add smooth trans", "add a Pause/Resume"], 7),
    "claude_code/ccviewer_1af7fc5e.jsonl": ([], 3),
    "claude_code/ccviewer_5c0375b4.jsonl": (["/orchestrator @CLAUDE.md を最新の状態に"], 3),
    "claude_code/entire_2.1.17_cjk_70-21395bfde9-0.jsonl": (
        [
            "The pathSafeRegex is also",
            "The validation package is",
            "can you review the added",
            "The ModelSessionID function",
        ],
        15,
    ),
    "claude_code/entire_2.1.39_small_05-a188c59540-0.jsonl": (
        ["Let's add an additional note to this \"Pow", "Commit and push"],
        7,
    ),
    "claude_code/entire_2.1.42_38-20a5a1b66e-0.jsonl": (
        ["Implement the following plan:", "commit this, push and open", "this one is still failing"],
        35,
    ),
    "claude_code/entire_2.1.7-12_resume_37-995ebed6e4-2.jsonl": (
        [
            "We should add the agent name",
            "can we add a simple tests",
            "I can't see any usage",
            "Implement 1,2 and 3.",
            "how can we know which agent",
        ],
        20,
    ),
    "claude_code/entire_2.1.14_compact2_44-785715c3f5-2.jsonl": (
        [
            "yeah let's do it",
            "ok, so I am noting some weird",
            "is this a timing problem?",
            "how big is the fix?",
            "so there's no way to get",
            "how can we be committing",
            "I don't think the reviewer",
            "/compact we've finished the",
            "can we continue the debug?",
            "so I understand correctly",
            "can a checkpoint exist",
            "what should be the correct",
            "or are we just missing",
            'and "no new content" is',
            "and I'm also challenging",
            '"if staged files overlap',
            "huh. how is session.Files",
            "oh - is that triggered by",
            "yeaaah? (I also think",
            "what was the commit that",
            "and a new one gets generated",
            "and this isn't a problem",
            "I think the reuse is for",
            "/compact we are still mid-",
            "let's continue the debug (use",
            "clarification: Scenario B",
            "it's not even the user",
            "I reckon this is getting",
            "add problem 1 to the same",
            "isn't the chronology in",
            "Commit 2 is irrelevant in",
        ],
        89,
    ),
    "claude_code/episodic_large.jsonl": (
        [
            "I see four uncommitted",
            "ah. the issue is the linter",
            "why is this happy locally",
            "ok. uh. no. the ci is",
            "we're in a worktree.",
            "ahhhh. now i've got it.",
            "can we rebase on main",
            "how's it going?",
            "yes.",
            "ci is being super pedantic",
            "something broke streaming",
            "the issue is for the",
            "it seems to work.",
            "we merged that PR.",
            "sorry. push up and make",
            "pr feedback:",
            "fix the comments that",
            "more reviewer feedback",
            "In app/routes/api.plan",
            "we're importing it in two",
            "Code Review for PR #17",
        ],
        126,
    ),
    "claude_code/episodic_tiny.jsonl": (["Lately, I've noticed you", "What's the right way to fix"], 3),
    "claude_code/mojo_sample_session.jsonl": (
        ["REST API에서 대규모", "아니야, 그게 아니라", "그리고 이 endpoint", "또 async endpoint"],
        4,
    ),
    "claude_code/vibetracker_claude.jsonl": (
        ["幫我檢查一下 go.mod", "toolchain不用保留吧?", "幫我查一下 golang文檔", "不對 幫我查一下pydantic"],
        6,
    ),
    "codex/agentcmd_rollout-2025-09-25T15-12-14-019982b8-3422-79e0-8b3b-05abaf4f3c3e.jsonl": (
        ["Evaluate @packages/serv"],
        1,
    ),
    "codex/aisessions_pomodoro.jsonl": (["Build a simple Pomodoro", "add smooth transitions", "add a Pause/Resume"], 3),
    "codex/kato_codex-session-request-user-input.jsonl": (["Please ask me a few questions."], 1),
    "gemini/agentcmd_session-2025-10-27T19-55-981c87cb.json": (
        ["Can you make me an ai agent", "python", "can you audit this"],
        14,
    ),
    "gemini/aisessions_pomodoro.json": (
        [
            "Build a simple Pomodoro",
            "add smooth transitions",
            "add a Pause/Resume",
            "Anything else we should",
            "Add a visual",
        ],
        14,
    ),
    "gemini/entire_51-3fab7adf0b-0.json": (['write to test-gemini.txt "hello'], 1),
    "gemini/entire_ab-2b9748b105-0.json": (["run an agent that creates"], 10),
    "gemini/vibetracker_gemini.jsonl": (["幫我做一個小修改"], 2),
}
"""By file: how each prompt begins, and the number of answers; found by reading the files, not by running this."""


@pytest.mark.shared
@pytest.mark.parametrize("name", PROMPTS)
def test_of_a_real_session_the_persons_own_prompts_are_read(name: str, shared: Path) -> None:
    """Among tool results, wrappers, summaries and subagents."""
    prompts, answers = PROMPTS[name]
    conversation = said(shared / "transcripts" / name)
    found = [text for role, text in conversation if role == "user"]

    assert [text[: len(begins)] for text, begins in zip(found, prompts, strict=False)] == prompts
    assert (len(found), len(conversation) - len(found)) == (len(prompts), answers)


@pytest.mark.shared
def test_every_real_transcript_reads(shared: Path) -> None:
    """Of every version and kind at hand, each by the reader of its own host, and all of it stored alike."""
    folders = {"claude_code": "claude-code", "codex": "codex", "gemini": "gemini"}
    count = 0
    for folder, host in folders.items():
        for path in sorted((shared / "transcripts" / folder).glob("*.json*")):
            assert recognise(path) == host, path.name
            for item in read_transcript(path):
                if isinstance(item, Message):
                    count += 1
                    assert item.session.host == host and item.session.session_id, path.name
                    assert item.text == item.text.strip() and item.key and item.time.tzinfo is UTC, path.name
    assert count > 500
