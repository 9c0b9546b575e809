"""The one spelling of a message's text.

Whatever way a message comes (payload, transcript, import), its text is brought to the same form, so that it can be
recognised. What hosts and we injected is taken out again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wwt_vault.fence import unfenced

if TYPE_CHECKING:
    from wwt_vault.model.conversation import Redaction

__all__ = ["MAX_TEXT", "binary_note", "canonical", "stored"]

MAX_TEXT = 1_000_000
"""Characters kept of one message; what is cut is said at the end of the text."""

_HOST_TAGS = ("system-reminder", "hook_context", "session-start-hook", "user-prompt-submit-hook")


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
        text = _nfc(_without_host_tags(unfenced(text)).strip("\ufeff").strip())
    return text


def binary_note(kind: str, media_type: str, size: int, sha12: str) -> str:
    """Return the line that stands for an image or another binary: kind, type, bytes, first 12 hex of its SHA-256."""
    return f"[{kind}: {media_type}, {size:,} bytes, sha256 {sha12}]"


def _nfc(text: str) -> str:
    if text.isascii():
        return text
    from unicodedata import normalize  # noqa: PLC0415 - most of a hook's texts need none

    return normalize("NFC", text)


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
