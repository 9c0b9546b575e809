"""Which words in a Codex rollout are the person's and which the assistant's: the rest is what Codex tells the model."""

from __future__ import annotations

import re
from typing import Any

from wwt_vault.capture.messages import image_note, text_field
from wwt_vault.capture.text import canonical

__all__ = ["answered", "answers", "is_insertion", "picture", "typed", "typed_parts"]

_INJECTED = (
    "app-context", "apps_instructions", "available_subagent_types", "codex_internal_context", "collaboration_mode",
    "context_update", "environment_context", "goal_context", "heartbeat", "hook_prompt", "in-app-browser-context",
    "INSTRUCTIONS", "permissions instructions", "personality_spec", "recommended_plugins", "skill",
    "skills_instructions", "subagent_notification", "turn_aborted", "user_action", "user_instructions",
    "user_shell_command",
)  # fmt: skip
"""Tags of the blocks that Codex puts into the person's mouth."""


def typed(text: str) -> str | None:
    """Return what of ``text`` a person typed, or ``None``: Codex puts instructions and surroundings before it."""
    text = canonical(text)
    before = None
    while text != before:
        before = text
        if found := re.match(rf"<({'|'.join(_INJECTED)})(?:\s[^>]*)?>", text):
            name = found[1].partition(" ")[0]
            text = re.sub(rf"\A.*?(?:</{found[1]}>|</{name}>|\Z)\s*", "", text, count=1, flags=re.DOTALL)
        text = re.sub(r"\A# AGENTS\.md instructions.*?(?:</INSTRUCTIONS>|\Z)\s*", "", text, flags=re.DOTALL)
        text = re.sub(r"\A</?image(?:\s[^>]*)?>\s*", "", text)
    if text.startswith("# Context from my IDE setup:"):
        request = re.search(r"^#+ My request for Codex:", text, re.MULTILINE | re.IGNORECASE)
        text = text[request.end() :].strip() if request else ""
    return None if not text or re.fullmatch(r"/[\w:.-]+", text) else text


def is_insertion(text: str) -> bool:
    """Tell whether ``text`` is wholly one block with a name of several words, as Codex's insertions are."""
    return re.fullmatch(r"<([a-z]+(?:[_-][a-z]+)+)(?:\s[^>]*)?>.*</\1>", text.strip(), re.DOTALL) is not None


def typed_parts(content: Any, kinds: Any = None) -> tuple[str, list[str]]:
    """Return what a person typed in the parts of a message, and a line for each picture.

    ``kinds`` says of each part whose it is, in rollouts that know it.
    """
    parts: list[str] = []
    images: list[str] = []
    content = content if isinstance(content, list) else []
    kinds = kinds if isinstance(kinds, list) and len(kinds) == len(content) else [None] * len(content)
    for part, kind in zip(content, kinds, strict=True):
        if not isinstance(part, dict) or (isinstance(kind, str) and not kind.startswith("user.")):
            continue
        if "image" in str(part.get("type")).lower():
            images.append(picture(part.get("image_url")))
        elif text := typed(text_field(part, "text") or ""):
            parts.append(text)
    return "\n\n".join(parts), images


def answered(content: Any) -> str:
    """Return the text of the parts of an answer."""
    parts = content if isinstance(content, list) else []
    return "\n\n".join(text for part in parts if isinstance(part, dict) and (text := text_field(part, "text")))


def answers(words: str) -> list[str]:
    """Split an answer as it goes to the model into what is shown: a plan in it is shown as a message of its own."""
    plans = re.findall(r"<proposed_plan>\s*(.*?)\s*</proposed_plan>", words, re.DOTALL)
    return [re.sub(r"<(proposed_plan|oai-mem-citation)>.*?</\1>", "", words, flags=re.DOTALL), *plans]


def picture(source: Any) -> str:
    """Return the line for a picture, given as a ``data:`` URL, or only named."""
    if isinstance(source, str) and (found := re.match(r"data:([\w/+.-]*)[;,]", source)):
        return image_note("image", found[1], source)
    if isinstance(source, str) and source.startswith("\0"):  # one that was too long, see jsonl
        return image_note("image", None, source)
    return image_note("image", None, None)
