"""Recalled text as data: nothing invisible in it, every line quoted, one fence around it all that it cannot forge.

The fence is that of ``capture.text``, by which our own output is recognised and kept out of the memory. Lines of an
item's content begin with ``> ``: a line that begins otherwise is ours. There is no random nonce, since the same vault
must give the same bytes; marks of the fence inside a content are broken up instead.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from typing import Final

from wwt_vault.capture.text import fence

__all__ = ["clean", "fenced", "quoted", "single_line"]

_INVISIBLE: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # control characters, ESC of terminal sequences among them; not tab, line feed
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"  # soft hyphen, joiners and fillers that show nothing
    "\u200b\u200c\u200e\u200f\u202a-\u202e\u2060-\u206f"  # zero-width, bidirectional marks and overrides
    "\u2028\u2029\u3164\ufe00-\ufe0e\ufeff\uffa0\ufff9-\ufffb"  # line separators, fillers, variation selectors, BOM
    "\ud800-\udfff\U000e0000-\U000e0fff]"  # lone surrogates, tag characters and more variation selectors
)
_HOST_MARKS: Final = re.compile(
    r"<(?=\s*/?\s*(?:system|assistant|human|user|tool|function|hook|session|antml)[\w:-]*\s*>)", re.IGNORECASE
)
_LINE_ENDS: Final = re.compile("\r\n?|[\u2028\u2029\x85\x0b\x0c]")


def clean(text: str) -> str:
    """Return ``text`` in NFC without characters that show nothing or change what is shown; line ends as ``\\n``.

    The zero-width joiner stays, and so does the emoji selector: emoji and several scripts need them.
    """
    return _INVISIBLE.sub("", _LINE_ENDS.sub("\n", unicodedata.normalize("NFC", text)))


def single_line(text: str, limit: int) -> str:
    """Return a name (title, path, project) fit for a heading of ours: one line of at most ``limit`` characters."""
    line = _without_marks(" ".join(clean(text).split()))
    return line if len(line) <= limit else line[: limit - 1] + "…"


def quoted(text: str) -> list[str]:
    """Return the lines of a content, each behind ``> ``; what looks like a host's own mark is broken up."""
    return [f"> {line}".rstrip() for line in _without_marks(text).split("\n")]


def _without_marks(text: str) -> str:
    """Break tags by which hosts mark what is theirs (``<system-reminder>``): ``<`` becomes ``‹``."""
    return _HOST_MARKS.sub("‹", text)


def fenced(lines: Iterable[str], kind: str = "context") -> str:
    """Return ``lines`` inside the fence that marks recalled text as data."""
    return fence("\n".join(lines), kind=kind)
