"""JSON of any size, read as a stream: one walks into objects and lists and takes what lies in them part by part.

An export is one JSON text of gigabytes. Whoever reads it asks for one member or element after the other, and takes it
whole (:meth:`JsonStream.value`), passes over it (:meth:`JsonStream.skip`) or walks into it. What is held is one value.
Of a string in a value of megabytes only the beginning is kept, as :mod:`wwt_vault.capture.jsonl` does.
"""

from __future__ import annotations

import json
import re
from codecs import getincrementaldecoder
from collections.abc import Iterator
from typing import Any, BinaryIO, NamedTuple

from wwt_vault.capture.text import MAX_TEXT

__all__ = ["JsonStream", "Unreadable"]

_CHUNK = 1 << 20
_WHOLE = 2 << 20
"""Characters of a value that is decoded as it stands; in a longer one, strings are shortened first."""
_STRING, _LATER_STRING = 6 * MAX_TEXT, 1000
"""Characters kept of a string, each of which may be an escape of six, and of one that comes when ``_STRINGS`` were kept
of the same value: no message is as long."""
_STRINGS, _VALUE = 4 << 20, 16 << 20
"""Characters of one value; when it has more than ``_VALUE`` although its strings are short, it is unreadable."""

_DECODER = json.JSONDecoder(strict=False)  # a line end inside a string is a fault of whoever wrote it, not of the words
_SPACE = re.compile(r"[ \t\r\n]*+")
_MARK = re.compile(r'["{}\[\]]')
_INSIDE = re.compile(r'(?:[^"\\]++|\\.)*+', re.DOTALL)
_HALVED = re.compile(
    r"(?<!\\)((?:\\\\)*+)\\(?:u[Dd][89ABab][0-9A-Fa-f]{2}(?:\\(?:u[0-9A-Fa-f]{0,3})?)?|u[0-9A-Fa-f]{0,3})?\Z"
)
"""An escape, or the first half of a pair of surrogates, at the end of a text that was cut."""
_WORD = re.compile(r"[^\s,\]}\[{\":]++")


class Unreadable(NamedTuple):
    """Stands for a value that is not JSON, or too large or too deep; what follows it was still read."""

    reason: str


class JsonStream:
    """A place in a JSON text. Raises ``ValueError`` where the text ends in the middle of something or is no JSON."""

    def __init__(self, file: BinaryIO) -> None:
        self.offset = 0
        """Bytes read from the file so far; the place in the text is at most some megabytes before it."""
        self._file = file
        self._decoder = getincrementaldecoder("utf-8-sig")("replace")
        self._text = ""
        self._at = 0
        self._ended = False
        self._untaken = False
        """Whether the value at this place was offered by :meth:`members` or :meth:`elements` and not taken yet."""

    def kind(self) -> str:
        """Return the first character of what comes next, by which one tells its type; ``""`` at the end."""
        self._to_next()
        return self._text[self._at : self._at + 1]

    def members(self) -> Iterator[str]:
        """Walk into an object: yield each key; its value may then be taken, else it is passed over."""
        self._open("{")
        while self.kind() != "}":
            if self.kind() != '"':
                raise self._senseless("a name in quotes")
            name = self.value()
            if self.kind() != ":":
                raise self._senseless("a colon")
            self._at += 1
            self._untaken = True
            yield name if isinstance(name, str) else ""
            self._pass_untaken()
            self._comma("}")
        self._at += 1

    def elements(self) -> Iterator[int]:
        """Walk into a list: yield the number of each element, from 0; it may then be taken, else it is passed over."""
        self._open("[")
        number = 0
        while self.kind() != "]":
            self._untaken = True
            yield number
            self._pass_untaken()
            number += 1
            self._comma("]")
        self._at += 1

    def value(self) -> Any:
        """Take the next value as a Python value; ``Unreadable`` when it is none, in place of it."""
        self._untaken = False
        wanted = _CHUNK
        while mark := self.kind():
            if mark not in '{["' and self._word_may_go_on() and self._more(_CHUNK):
                continue
            try:
                value, end = _DECODER.raw_decode(self._text, self._at)
            except RecursionError:
                self._walk(keep=False)
                return Unreadable("lists or objects more than a thousand deep")
            except ValueError:
                if len(self._text) - self._at < _WHOLE and self._more(wanted):
                    wanted *= 2  # a large value costs no more than twice its size
                    continue
                return self._shortened()
            self._at = end
            return value
        raise self._senseless("a value")

    def skip(self) -> None:
        """Pass over the next value."""
        self._untaken = False
        if self.kind() and self._text[self._at] in '{["':
            self._walk(keep=False)
        else:
            self.value()

    def _shortened(self) -> Any:
        text = self._walk(keep=True)
        if text is None:
            return Unreadable(f"a value of more than {_VALUE:,} characters")
        try:
            return _DECODER.decode(text)
        except RecursionError:
            return Unreadable("lists or objects more than a thousand deep")
        except ValueError as error:
            return Unreadable(f"not JSON: {getattr(error, 'msg', error)}")

    def _walk(self, *, keep: bool) -> str | None:
        """Go behind the next value; return it, its strings shortened, or ``None`` if it is still too long."""
        kept: list[str] = []
        size = depth = 0
        while True:
            mark = _MARK.search(self._text, self._at)
            end = mark.end() if mark else len(self._text)
            if depth == 0 and (mark is None or mark.start() > self._at):
                word = _WORD.match(self._text, self._at)
                if word is None:
                    raise self._senseless("a value")
                self._at = word.end()
                return word[0]
            piece = self._text[self._at : end]
            self._at = end
            if mark is None:
                if not self._more(_CHUNK):
                    raise ValueError("the file ends in the middle")
            elif mark[0] == '"':
                limit = _STRING if size < _STRINGS else _LATER_STRING
                piece += self._string(limit if keep else 0) + '"'
            else:
                depth += 1 if mark[0] in "{[" else -1
            size += len(piece)
            if keep and size <= _VALUE:
                kept.append(piece)
            if mark is not None and depth <= 0:
                return "".join(kept) if size <= _VALUE else None

    def _string(self, limit: int) -> str:
        """Go behind a string whose opening mark was read; return the first ``limit`` characters of its inside."""
        kept: list[str] = []
        size = 0
        while True:
            inside = _INSIDE.match(self._text, self._at)
            assert inside is not None  # noqa: S101 - it matches the empty string
            if size <= limit:
                kept.append(inside[0])
            size += len(inside[0])
            self._at = inside.end()
            if self._text[self._at : self._at + 1] == '"':
                self._at += 1
                break
            if not self._more(_CHUNK):  # what is left is a backslash whose other half follows, or nothing
                raise ValueError("the file ends in the middle of a string")
        text = "".join(kept)
        if size <= limit:
            return text
        text = _HALVED.sub(r"\1", text[:limit])
        return rf"{text}\n\n[\u2026 {size - len(text):,} more characters were not kept]"

    def _open(self, mark: str) -> None:
        self._untaken = False
        if self.kind() != mark:
            raise self._senseless({"{": "an object", "[": "a list"}[mark])
        self._at += 1

    def _pass_untaken(self) -> None:
        if self._untaken:
            self.skip()

    def _comma(self, closing: str) -> None:
        if self.kind() == ",":
            self._at += 1
        elif self.kind() != closing:
            raise self._senseless(f"a comma or {closing}")

    def _word_may_go_on(self) -> bool:
        word = _WORD.match(self._text, self._at)
        return word is not None and word.end() == len(self._text) < self._at + _WHOLE

    def _to_next(self) -> None:
        while True:
            space = _SPACE.match(self._text, self._at)
            assert space is not None  # noqa: S101 - it matches the empty string
            self._at = space.end()
            if self._at < len(self._text) or not self._more(_CHUNK):
                return

    def _more(self, size: int) -> bool:
        """Read on, up to ``size`` bytes; forget what was taken. ``False`` at the end of the file."""
        pieces = [self._text[self._at :]]
        while not self._ended and (size > 0 or not pieces[-1]):
            data = self._file.read(min(max(size, 1), _CHUNK))
            self.offset += len(data)
            size -= len(data)
            self._ended = not data
            pieces.append(self._decoder.decode(data, final=self._ended))
        self._text, self._at = "".join(pieces), 0
        return any(pieces[1:])

    def _senseless(self, wanted: str) -> ValueError:
        if not self.kind():
            return ValueError("the file ends in the middle")
        return ValueError(f"not JSON: {wanted} should stand where there is {self._text[self._at : self._at + 20]!r}")
