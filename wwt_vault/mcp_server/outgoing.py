"""The last look at what leaves for an agent, and with it for the agent's model: secrets are taken out once more.

What this program stored has none that it knew of then. A page that a person wrote may have some, and rules grow.
"""

from __future__ import annotations

from typing import Any

from mcp.types import CallToolResult, TextContent

from wwt_vault.capture.redact import redact

__all__ = ["without_secrets_in"]


def without_secrets_in(result: CallToolResult) -> CallToolResult:
    """Return the result with the secrets of all its texts taken out; the result itself when there are none."""
    content = [
        part.model_copy(update={"text": redact(part.text)[0]}) if isinstance(part, TextContent) else part
        for part in result.content
    ]
    return result.model_copy(update={"content": content, "structured_content": _clean(result.structured_content)})


def _clean(value: Any) -> Any:  # JSON
    if isinstance(value, str):
        return redact(value)[0] if len(value) > 7 else value
    if isinstance(value, dict):
        return {key: _clean(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_clean(item) for item in value]
    return value
