"""Recalled text as data: nothing invisible in it, every line of it marked, one fence around it that it cannot forge.

Whatever we put into a conversation stands in this fence, and whatever stands in it is taken out of what hosts send
back: else the memory would feed on itself. Lines of a content begin with ``> `` there, or are one line behind a label
of ours. There is no random nonce, since the same vault must give the same bytes; marks of the fence inside a content
are broken up instead.
"""

from __future__ import annotations

import re

__all__ = ["FENCE_CLOSE", "clean", "defused", "fence", "quoted", "single_line", "unfenced"]

_TAG = "wwt-vault-context"
FENCE_CLOSE = f"</{_TAG}>"

# The mark "<" or, as Gemini CLI stores it, "&lt;": escaped once more for each time it went through a page.
_OPENS, _CLOSES = r"(?:<|&(?:amp;)*lt;)", r"(?:>|&(?:amp;)*gt;)"
_INVISIBLE = (
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # control characters, ESC of terminal sequences among them; not tab, line feed
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"  # soft hyphen, joiners and fillers that show nothing
    "\u200b\u200c\u200e\u200f\u202a-\u202e\u2060-\u206f"  # zero-width, bidirectional marks and overrides
    "\u2028\u2029\u3164\ufe00-\ufe0e\ufeff\uffa0\ufff9-\ufffb"  # line separators, fillers, variation selectors, BOM
    "\ud800-\udfff\U000e0000-\U000e0fff]"  # lone surrogates, tag characters and more variation selectors
)
_HOST_MARKS = r"(?i)<(?=\s*(?:/\s*)?(?:system|assistant|human|user|tool|function|hook|session|antml)[\w:-]*\s*>)"
_LINE_ENDS = "\r\n?|[\u2028\u2029\x85\x0b\x0c]"


def fence(text: str, kind: str) -> str:
    """Wrap ``text`` for a conversation: :func:`unfenced` takes it out again, and nothing inside can end the fence.

    ``kind`` names what is inside, in letters and hyphens.
    """
    return f'<{_TAG} kind="{kind}">\n{defused(text)}\n{FENCE_CLOSE}'


def unfenced(text: str) -> str:
    """Return ``text`` without our fences and all that is in them."""
    if _TAG not in text:
        return text
    mark = rf"{_OPENS}{_TAG}\s+kind=[^<>]{{0,80}}?{_CLOSES}"
    kept, at = [], 0
    # One pattern for a whole fence would look for an end behind every beginning: minutes, for a megabyte of those.
    while (begin := re.compile(mark).search(text, at)) and (
        end := re.compile(rf"{_OPENS}/{_TAG}{_CLOSES}").search(text, begin.end())
    ):
        kept.append(text[at : begin.start()])
        at = end.end()
    text = "".join([*kept, text[at:]])
    # An opening line without its end is one that the host cut: everything behind it is ours. An opening mark inside a
    # line is no such thing: people may write about it.
    cut = re.search(rf"{mark}[ \t]*\n", text)
    return text[: cut.start()] if cut else text


def defused(text: str) -> str:
    """Return ``text`` with every mark of our fence made harmless, escaped ones too."""
    if _TAG not in text.casefold():
        return text
    return re.sub(rf"{_OPENS}(?=\s*(?:/\s*)?{_TAG})", "‹", text, flags=re.IGNORECASE)


def clean(text: str) -> str:
    """Return ``text`` in NFC without characters that show nothing or change what is shown; line ends as ``\\n``.

    The zero-width joiner stays, and so does the emoji selector: emoji and several scripts need them.
    """
    if not text.isascii():
        from unicodedata import normalize  # noqa: PLC0415 - a hook without a session's start needs none

        text = normalize("NFC", text)
    return re.sub(_INVISIBLE, "", re.sub(_LINE_ENDS, "\n", text))


def single_line(text: str, limit: int) -> str:
    """Return a name or a short content as one line of at most ``limit`` characters, fit for a line of ours."""
    line = _without_marks(" ".join(clean(text).split()))
    return line if len(line) <= limit else line[: limit - 1] + "…"


def quoted(text: str) -> list[str]:
    """Return the lines of a content, each behind ``> ``; what looks like a host's own mark is broken up."""
    return [f"> {line}".rstrip() for line in _without_marks(text).split("\n")]


def _without_marks(text: str) -> str:
    """Break tags by which hosts mark what is theirs (``<system-reminder>``): ``<`` becomes ``‹``."""
    return re.sub(_HOST_MARKS, "‹", text)
