"""Every real transcript at hand: what is read is what a person finds in it."""

from __future__ import annotations

from datetime import UTC
from hashlib import sha256
from pathlib import Path

import pytest

from wwt_vault.capture import read_transcript, recognise
from wwt_vault.capture.archives import Member, members, open_archive
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

EXPORTS: dict[str, tuple[str, list[list[str]], int]] = {
    "chatgpt/librechat_chatgpt-export.json": (
        "chatgpt",
        [
            ["What is the fuel consumption of vw", "What about 10 year", "Is it for fully loaded"],
            ["In programming how to find", "give me code in C#"],
        ],
        5,
    ),
    "chatgpt/librechat_chatgpt-tree.json": (
        "chatgpt",
        [["hi there", "hi again", "tell me a joke"], ["so cool bro", "tell me a story"], []],
        6,
    ),
    "chatgpt/polylogue_native_conversation_v1.json": ("chatgpt", [["Analyze the attached"], []], 2),
    "chatgpt/exportstudio_conversations.json": (
        "chatgpt",
        [["How do I get started", "What are some good beginner"], ["Explain machine learning"]],
        3,
    ),
    "claude_ai/osteele_bakery_chat.json": (
        "claude-ai",
        [["Make an interactive visualization of", "What are your ideas for extending"]],
        2,
    ),
    "claude_ai/osteele_conversations.json": (
        "claude-ai",
        [["Hello, Claude!"], ["Can you help me with Python?", "I need to write a function"]],
        3,
    ),
    "cursor/agentsessions_large.jsonl": ("cursor", [["What files are here?", "Read file1", "Thanks."]], 4),
    "cursor/agentsessions_test-session.jsonl": ("cursor", [["run ls command", "now show me the git"]], 3),
    "cursor/cursorhistory_with-tools.jsonl": ("cursor", [["Read foo.txt"]], 1),
    "cursor/cursorhistory_v016_composer-global-state.vscdb": (
        "cursor",
        [["Synthetic question alpha.", "Synthetic empty-ID"]],
        2,
    ),
    "cursor/agentsessions_test-store.db": ("cursor", [], 0),
}
"""By file: whose it is, how each prompt of each conversation begins, and the number of answers in all."""


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


@pytest.mark.shared
@pytest.mark.parametrize("name", EXPORTS)
def test_of_a_real_export_each_conversation_and_branch_is_read(name: str, shared: Path) -> None:
    """The shown branch is the conversation; what tools, models and programs say to one another is not in it."""
    host, prompts, answers = EXPORTS[name]
    path = shared / "transcripts" / name
    assert recognise(path) == host
    messages = [item for item in read_transcript(path) if isinstance(item, Message)]
    conversations: dict[str, list[str]] = {message.session.session_id: [] for message in messages}
    for message in messages:
        assert message.session.host == host and message.key and message.time.tzinfo is UTC
        if message.role == "user":
            conversations[message.session.session_id].append(message.text)
    found = [
        [text[: len(begins)] for text, begins in zip(texts, expected, strict=True)]
        for texts, expected in zip(conversations.values(), prompts, strict=True)
    ]
    assert found == prompts
    assert sum(message.role == "assistant" for message in messages) == answers


@pytest.mark.shared
def test_a_real_archive_says_what_its_file_says(shared: Path) -> None:
    """The same export, packed and unpacked."""
    folder = shared / "transcripts" / "chatgpt"
    with open_archive(folder / "exportstudio_sample_export.zip") as archive:
        [member] = [item.path for item in members(archive) if isinstance(item, Member)]
        packed = [item for item in read_transcript(member) if isinstance(item, Message)]
    assert packed == [
        item for item in read_transcript(folder / "exportstudio_conversations.json") if isinstance(item, Message)
    ]


@pytest.mark.shared
def test_marks_of_citations_are_gone_from_a_real_answer(shared: Path) -> None:
    """They stand in the file, and in no message of it."""
    path = shared / "transcripts" / "chatgpt" / "librechat_chatgpt-export.json"
    assert r"\u2020source" in path.read_text("utf-8")
    assert not any("†" in text for _, text in said(path))
