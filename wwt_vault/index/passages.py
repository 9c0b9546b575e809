"""Documents into passages: pieces small enough for the embedding model, each able to say where it stands.

Notes and pages are cut by heading, long sections at paragraph and sentence ends. Session notes are cut into windows of
up to 6 turns that overlap by 2 where these are short, so that a question and its answer stand together; a long turn
is split and its pieces take the places of turns. Where a window begins and ends depends only on what stands before its
end, so a turn that is appended changes the last windows alone. A prompt at the end, still without an answer, is a
window of its own. What an agent said of a session in one line, and the questions it answers, are a passage of their
own; so is what a person wrote between its turns.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime, tzinfo
from hashlib import blake2b
from typing import Any, Final, NamedTuple

from wwt_vault.index import filters
from wwt_vault.index.analysis import language_of
from wwt_vault.model.conversation import EventId, Turn, format_time
from wwt_vault.model.knowledge import Document, Passage

__all__ = [
    "GIST",
    "VERSION",
    "Draft",
    "drafts",
    "embedded_texts",
    "estimate_tokens",
    "from_payload",
    "to_payload",
    "vector_key",
]

VERSION: Final = 4
"""Goes up whenever the same document gives other passages: an index of another version is built anew."""

PASSAGE_TOKENS: Final = 330
"""e5-small reads 512 tokens; the estimate may be a quarter too low, and title and heading come on top."""
_TURN_TOKENS: Final = 260
"""Size of the pieces of a long turn: smaller, so that a short question fits in front of the first."""
_WINDOW_TURNS: Final = 6
_OVERLAP_TURNS: Final = 2

GIST: Final = "gist"
"""Heading of the passage that stands for a session as a whole; it names no events, for it has no words of theirs."""

_CJK: Final = re.compile("[\u1100-\u11ff\u3040-\u30ff\u3130-\u318f\u3400-\u9fff\uac00-\ud7ff\uf900-\ufaff]")
_SYMBOL: Final = re.compile(r"[\d_]|[^\w\s]")
_LETTERS: Final = re.compile(r"[^\W\d_]+")
_CUTS: Final = tuple(
    re.compile(pattern)
    for pattern in (r"\n[ \t]*\n\s*", r"\n", r"(?<=[.!?…。！？])(?:[\s\"'”’)\]]*\s|(?<=[。！？]))", r"\s+")
)
"""Where a long text may be cut, best places first: paragraphs, lines, sentences, words."""
_FOOTNOTE: Final = re.compile(r"^\[\^[^\]\n]+\]:.*$|\[\^[^\]\n]+\]", re.MULTILINE)


class Draft(NamedTuple):
    """A passage and what the index keeps of it."""

    passage: Passage
    title: str
    heads: str
    """Headings, aliases and the questions the note answers."""
    body: str
    tags: str
    filters: tuple[str, ...]
    """Terms of ``filters.terms_of``."""
    payload: bytes
    fingerprint: int
    """64 bits over all of the above: differs when anything of it differs."""

    @property
    def key(self) -> int:
        """The passage's id as a number."""
        return int(self.passage.id, 16)


def drafts(document: Document, zone: tzinfo) -> list[Draft]:
    """Cut a document into passages, in reading order; never none, so that even an empty note is found by its title."""
    found: list[Draft] = []
    if document.turns:
        found += (_draft(document, passage, body) for passage, body in _windows(document, zone))
        found += _gist(document)
    seen: Counter[tuple[str, str]] = Counter()
    for section in document.sections:
        for offset, text in _pieces(section.text, PASSAGE_TOKENS):
            place = (section.heading, text)
            seen[place] += 1
            passage = _passage(
                document,
                place=f"{section.heading}\0{seen[place]}",
                heading=section.heading,
                line=section.line + offset,
                text=text,
                # Events of a section cut in several are only known where their labels stand.
                events=tuple(event for event in section.events if event in text),
                questions=() if found else document.questions,
            )
            found.append(_draft(document, passage, _FOOTNOTE.sub("", text)))
    if not found:
        line = document.sections[0].line if document.sections else 1
        passage = _passage(document, place="", line=line, text="", questions=document.questions)
        found.append(_draft(document, passage, ""))
    return found


def embedded_texts(passage: Passage) -> tuple[str, ...]:
    """Return the texts whose vectors stand for this passage: what it says, and each question it answers."""
    head = " > ".join(part for part in (passage.title, passage.heading) if part)
    return (f"{head}\n{_FOOTNOTE.sub('', passage.text)}".strip(), *passage.questions)


def vector_key(text: str) -> int:
    """Return the 64 bits a text's vector is known by: two of 100,000 texts share them in one of a billion vaults.

    The last two are its ``analysis.language_of``, so that a vector's language is known without its text.
    """
    return _digest(text.encode("utf-8", "replace")) & ~3 | language_of(text)


def _digest(data: bytes) -> int:
    return int.from_bytes(blake2b(data, digest_size=8).digest(), "big")


def estimate_tokens(text: str) -> int:
    """Estimate the tokens of multilingual-e5 (SentencePiece of XLM-R); measured: at most a quarter too low."""
    cjk = len(_CJK.findall(text)) if not text.isascii() else 0
    rest = _CJK.sub(" ", text) if cjk else text
    words = sum(1 + len(word) // 12 for word in _LETTERS.findall(rest))
    return int(cjk * 0.65 + words * 1.35 + len(_SYMBOL.findall(rest)) * 0.75) + 1


def to_payload(passage: Passage) -> bytes:
    """Return the passage as JSON bytes without what is empty."""
    values: dict[str, Any] = {}
    for name in Passage.__dataclass_fields__:
        value = getattr(passage, name)
        if value not in (None, "", ()) and value is not False:
            values[name] = format_time(value) if name == "time" else value
    return json.dumps(values, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def from_payload(payload: bytes) -> Passage:
    """Read what ``to_payload`` wrote. Raises ``ValueError`` or ``TypeError`` for anything else."""
    values: dict[str, Any] = {"heading": "", "block": None, "text": "", "title": "", "events": (), "time": None}
    values.update(json.loads(payload))
    for name in ("events", "tags", "questions"):
        values[name] = tuple(values.get(name, ()))
    if values["time"]:
        # Not ``parse_time``: what was written is read, or one date would make a whole index a damaged one.
        values["time"] = datetime.fromisoformat(values["time"])
    return Passage(**values)


def _passage(
    document: Document,
    *,
    place: str,
    line: int,
    text: str,
    heading: str = "",
    title: str | None = None,
    turns: Sequence[Turn] = (),
    unanswered: bool = False,
    events: tuple[EventId, ...] = (),
    questions: tuple[str, ...] = (),
) -> Passage:
    identity = "\0".join((document.id, place, text)).encode("utf-8", "replace")
    return Passage(
        id=blake2b(identity, digest_size=8).hexdigest(),
        document=document.id,
        heading=heading,
        block=turns[0].event if turns else None,
        line=line,
        text=text,
        title=document.title if title is None else title,
        events=tuple(dict.fromkeys(turn.event for turn in turns)) or events,
        # The last turn's: a search up to some moment must not show what was said after it.
        time=turns[-1].time if turns else document.time,
        layer=document.layer,
        unanswered=unanswered,
        tags=document.tags,
        questions=questions,
        type=document.type,
        status=document.status,
        project=document.project,
        host=document.host,
        git_branch=document.git_branch,
        cwd=document.cwd,
    )


def _draft(document: Document, passage: Passage, body: str) -> Draft:
    payload = to_payload(passage)
    heads = "\n".join((passage.heading, *document.aliases, *passage.questions)).strip()
    identity = b"\0".join((payload, heads.encode("utf-8", "replace")))
    return Draft(
        passage=passage,
        title=passage.title,
        heads=heads,
        body=body,
        tags=" ".join(passage.tags),
        filters=filters.terms_of(passage),
        payload=payload,
        fingerprint=_digest(identity),
    )


def _gist(document: Document) -> Iterator[Draft]:
    """Yield what stands for a session as a whole: its gist and its questions, with a link to where it begins."""
    if document.gist or document.questions:
        text = document.gist or document.title
        passage = _passage(
            document,
            place=GIST,
            heading=GIST,
            line=document.turns[0].line,
            text=text,
            questions=document.questions,
        )
        # The last turn's time, as of a window: a search up to some moment must not tell of what was said after it.
        yield _draft(document, replace(passage, block=document.turns[0].event, time=document.turns[-1].time), text)


def _windows(document: Document, zone: tzinfo) -> Iterator[tuple[Passage, str]]:
    """Yield each window of a session note and its words without the speakers."""
    turns: list[Turn] = []
    sizes: list[int] = []
    pieces: Counter[str] = Counter()
    names: list[str] = []
    for turn in document.turns:
        for offset, text in _pieces(turn.text, _TURN_TOKENS) or [(0, "")]:
            # The callout's first line is its title; the words begin on the next.
            line = turn.line + (offset + 1 if offset else 0)
            turns.append(turn._replace(line=line, text=text))
            sizes.append(estimate_tokens(text))
            names.append(f"{turn.event}\0{pieces[turn.event]}")
            pieces[turn.event] += 1
    day = document.turns[0].time.astimezone(zone).date().isoformat()
    title = document.title if day in document.title else f"{document.title} · {day}".strip(" ·")
    # A prompt without an answer stands alone: who is asking just now must not find the own question in every window.
    last = document.turns[-1]
    told = (
        next((at for at, turn in enumerate(turns) if turn.event == last.event), 0)
        if last.role == "user"
        else len(turns)
    )
    spans = [*(_bounds(turns[:told], sizes[:told]) if told else ())]
    spans += [
        (told + start, told + end) for start, end in (_bounds(turns[told:], sizes[told:]) if turns[told:] else ())
    ]
    for start, end in spans:
        window = turns[start:end]
        text = "\n".join(f"{turn.role}: {turn.text}" for turn in window)
        passage = _passage(
            document,
            place=names[start],
            line=window[0].line,
            text=text,
            title=title,
            turns=window,
            unanswered=start >= told,
        )
        yield passage, "\n".join(turn.text for turn in window)


def _bounds(turns: Sequence[Turn], sizes: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield the windows as half-open ranges; see the module's promise about what they depend on."""
    start = 0
    while True:
        end, size, events = start, 0, set[str]()
        while end < len(turns):
            events.add(turns[end].event)
            size += sizes[end]
            if end > start and (size > PASSAGE_TOKENS or len(events) > _WINDOW_TURNS):
                break
            end += 1
        yield start, end
        if end == len(turns):
            return
        following = end
        while following - 1 > start and end - following < _OVERLAP_TURNS:
            if sum(sizes[following - 1 : end]) > PASSAGE_TOKENS // 3:
                break  # a long turn is not said twice
            following -= 1
        start = following


def _pieces(text: str, budget: int) -> list[tuple[int, str]]:
    """Cut a text into stripped pieces of at most ``budget`` estimated tokens; each with the lines before it."""
    atoms = list(_atoms(text, 0, len(text), budget, 0))
    spans: list[tuple[int, int]] = []
    room = 0
    for start, end, size in atoms:
        if spans and size <= room:
            spans[-1] = (spans[-1][0], end)
        else:
            spans.append((start, end))
            room = budget
        room -= size
    found: list[tuple[int, str]] = []
    lines = counted = 0
    for start, end in spans:
        piece = text[start:end]
        begin = start + len(piece) - len(piece.lstrip())
        if stripped := piece.strip():
            lines += text.count("\n", counted, begin)
            counted = begin
            found.append((lines, stripped))
    return found


def _atoms(text: str, start: int, end: int, budget: int, level: int) -> Iterator[tuple[int, int, int]]:
    """Yield ``(start, end, tokens)`` of stretches that fit, cut at the best places that do."""
    size = estimate_tokens(text[start:end])
    if size <= budget:
        yield start, end, size
        return
    if level == len(_CUTS):
        step = max(1, (end - start) * budget // (size + 1))
        for at in range(start, end, step):
            yield at, min(at + step, end), budget
        return
    last = start
    for match in _CUTS[level].finditer(text, start, end):
        if match.end() > last:
            yield from _atoms(text, last, match.end(), budget, level + 1)
            last = match.end()
    if last < end:
        yield from _atoms(text, last, end, budget, level + 1)
