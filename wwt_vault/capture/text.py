"""The one spelling of a message's text, and the fence around everything that we put into a conversation ourselves.

Whatever way a message comes (payload, transcript, import), its text is brought to the same form, so that it can be
recognised. What hosts and we injected is taken out again: else the memory would feed on itself.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wwt_vault.model.conversation import Redaction

__all__ = [
    "FENCE_CLOSE",
    "FENCE_TAG",
    "MAX_TEXT",
    "binary_note",
    "canonical",
    "defused",
    "fence",
    "fence_open",
    "stored",
]

FENCE_TAG = "wwt-vault-context"
FENCE_CLOSE = f"</{FENCE_TAG}>"

MAX_TEXT = 1_000_000
"""Characters kept of one message; what is cut is said at the end of the text."""

# The mark "<" or, as Gemini CLI stores it, "&lt;": escaped once more for each time it went through a page.
_OPENS, _CLOSES = r"(?:<|&(?:amp;)*lt;)", r"(?:>|&(?:amp;)*gt;)"
_HOST_TAGS = ("system-reminder", "hook_context", "session-start-hook", "user-prompt-submit-hook")


def fence_open(kind: str) -> str:
    """Return the fence's opening line; ``kind`` names what is inside, in letters and hyphens."""
    return f'<{FENCE_TAG} kind="{kind}">'


def fence(text: str, kind: str) -> str:
    """Wrap ``text`` for a conversation: :func:`canonical` takes it out again, and nothing inside can end the fence."""
    return f"{fence_open(kind)}\n{defused(text)}\n{FENCE_CLOSE}"


def defused(text: str) -> str:
    """Return ``text`` with every mark of our fence made harmless, escaped ones too."""
    if FENCE_TAG not in text.casefold():
        return text
    return re.sub(rf"{_OPENS}(?=\s*/?\s*{FENCE_TAG})", "‹", text, flags=re.IGNORECASE)


def stored(text: str) -> tuple[str, tuple[Redaction, ...]]:
    """Return what is kept of ``text``: canonical, at most ``MAX_TEXT`` characters, and without secrets."""
    from wwt_vault.capture.redact import redact  # noqa: PLC0415 - a hook without a message needs no rules

    text = canonical(text)
    if len(text) > MAX_TEXT:
        text = _cut(text)
    return redact(text) if text else (text, ())


def canonical(text: str) -> str:
    r"""Bring ``text`` to the one form that is stored and compared.

    Unicode NFC; line ends are ``\n``; what no file can hold (lone surrogates, NUL) becomes U+FFFD; our fences with all
    inside, and the hosts' own insertions at either end, are gone; no white space around. ``canonical`` of its own
    result changes nothing.

    >>> canonical("<system-reminder>be brief</system-reminder>\r\n hello ")
    'hello'
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    text = text.replace("\0", "\ufffd")
    before = None
    while text != before:  # what is taken out may leave something that is to be taken out
        before = text
        text = _nfc(_without_host_tags(_without_fences(text)).strip("\ufeff").strip())
    return text


def binary_note(kind: str, media_type: str, size: int, sha12: str) -> str:
    """Return the line that stands for an image or another binary: kind, type, bytes, first 12 hex of its SHA-256."""
    return f"[{kind}: {media_type}, {size:,} bytes, sha256 {sha12}]"


def _nfc(text: str) -> str:
    if text.isascii():
        return text
    from unicodedata import normalize  # noqa: PLC0415 - most of a hook's texts need none

    return normalize("NFC", text)


def _without_fences(text: str) -> str:
    if FENCE_TAG not in text:
        return text
    # An opening line without its end is one that the host cut: everything behind it is ours. An opening mark inside a
    # line is no such thing: people may write about it.
    mark = rf"{_OPENS}{FENCE_TAG}\s+kind=[^<>]{{0,80}}?{_CLOSES}"
    text = re.sub(rf"{mark}.*?{_OPENS}/{FENCE_TAG}{_CLOSES}", "", text, flags=re.DOTALL)
    return re.sub(rf"{mark}[ \t]*\n.*", "", text, flags=re.DOTALL)


def _without_host_tags(text: str) -> str:
    """Take out what hosts put before or behind the person's words; inside them it is the person's own."""
    text = text.strip("\ufeff").strip()
    for tag in _HOST_TAGS:
        opening, closing = f"<{tag}>", f"</{tag}>"
        while text.startswith(opening) and (end := text.find(closing)) >= 0:
            text = text[end + len(closing) :].lstrip()
        while text.endswith(closing) and (start := text.rfind(opening)) >= 0:
            text = text[:start].rstrip()
    return text


def _cut(text: str) -> str:
    """Keep the beginning, ending between two words: half a secret would not be known as one."""
    limit = MAX_TEXT - 100  # with the note it is short enough not to be cut again
    end = max(text.rfind(" ", limit - 4000, limit), text.rfind("\n", limit - 4000, limit))
    kept = text[: end if end > 0 else limit].rstrip()
    return f"{kept}\n\n[… {len(text) - len(kept):,} more characters were not kept]"
