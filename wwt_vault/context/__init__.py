"""Hits become what an agent is told: within a token budget, cited, fenced as data, the same for the same vault.

The order is fixed: pinned notes of the project, within a share of the budget; current curated notes, and the notes that
these rest on or contradict; evidence newer than those notes; conversations that no note covers yet and pages of the
person's; other conversations; superseded notes; the recent flow of the project; what waits to be curated. Each is
trimmed to the sentences that carry the match, with speaker and citation. Nothing here reads a file or a clock.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, tzinfo
from enum import IntEnum
from typing import Final, Literal

from wwt_vault.context.tokens import count_tokens
from wwt_vault.context.trim import GAP, to_tell, trim, worth
from wwt_vault.errors import BadArgument
from wwt_vault.fence import clean, fence, quoted, single_line
from wwt_vault.markdown import without_citations
from wwt_vault.model.conversation import DocumentId, EventId, Revision, Turn
from wwt_vault.model.knowledge import ContextItem, ContextPack, Hit, Passage, Section
from wwt_vault.wording import counted

__all__ = ["MAX_BUDGET", "MIN_BUDGET", "REPLACED", "Flow", "Source", "Waiting", "build"]

MIN_BUDGET: Final = 30
MAX_BUDGET: Final = 20_000
REPLACED: Final = "History"
"""Heading of the line that says what a note replaced."""
_KIND: Final = "context"
_WORTH_TELLING: Final = 0.4
"""Share of the best score that a hit must have: the tail of a list is for people who scroll, not for an agent."""
_SMALLEST_TEXT: Final = 20
"""Tokens; less of a text is not worth its heading."""
_SMALL_BUDGET: Final = 200
"""Tokens; below this one item may take all there is."""
_PINNED: Final = 0.25
"""Share of the budget that pinned notes may take together: what was asked has the rest."""
_ALSO: Final = 3
"""A note's replacement and reason take at most one part in so many of its room."""
_BROUGHT: Final = 2
"""Notes that come along with the notes that match, in all."""
_FLOW: Final = 3
"""Sessions shown of a project's recent flow."""


class _Rank(IntEnum):
    """What comes before what among the hits."""

    NOTE = 0
    NEWER = 1
    NOT_CURATED = 2
    CURATED = 3
    SUPERSEDED = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """What has to be known of a document to quote it."""

    title: str
    revision: Revision
    updated: datetime | None
    written_by: str | None = None
    reviewed: bool = False
    evidence: frozenset[EventId] = frozenset()
    turns: tuple[Turn, ...] = ()
    sections: tuple[Section, ...] = ()
    """Of a note or page: needed of those that are pinned or brought along."""
    also: tuple[Section, ...] = ()
    """Told of a note whatever was asked: what it replaced, when and why; the reason of a decision."""
    rejected: tuple[Section, ...] = ()
    """What a decision was made against: told where the question is about that."""
    brings: tuple[tuple[str, DocumentId], ...] = ()
    """Notes that come along with it, each with the relation that leads to it, the most important first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Flow:
    """A session of the recent flow: when it began and what it began with."""

    path: str
    host: str | None
    started: datetime
    opening: Turn
    messages: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """What is not curated yet."""

    sessions: int
    messages: int
    oldest: str
    """Path of the session note that waits longest; empty when nothing waits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Block:
    """One item on its way into the budget."""

    item: ContextItem
    head: str
    short_head: str
    """For a budget in which the whole one would leave no room for the words."""
    texts: tuple[tuple[str, str, str], ...]
    """Speaker or heading, text, citation; trimmed to what is left of the budget."""
    also: tuple[tuple[str, str, str], ...] = ()
    """The same, told beside them whatever was asked."""


def build(
    query: str,
    hits: Sequence[Hit],
    *,
    terms: Mapping[str, float],
    sources: Mapping[DocumentId, Source],
    curated: Collection[EventId],
    pinned: Sequence[DocumentId] = (),
    about_then: bool = False,
    flow: Sequence[Flow] = (),
    project: str | None = None,
    waiting: Waiting | None = None,
    missing: Sequence[str] = (),
    budget_tokens: int = 1500,
    zone: tzinfo,
) -> ContextPack:
    """Put together what is known, best first, in at most ``budget_tokens`` (as ``count_tokens`` counts).

    ``hits`` in the order of the search; ``terms`` are the question's words and their weights; ``sources`` has
    every hit's document; ``curated`` are the events that a note cites or a mark covers; ``pinned`` notes lead,
    whatever is asked, as far as they are in ``sources``; ``about_then`` (how it once was) leaves superseded notes
    where they are; ``flow`` newest first; ``missing`` says what is not indexed yet. Raises ``BadArgument`` for a budget
    outside 30..20,000.
    """
    if not MIN_BUDGET <= budget_tokens <= MAX_BUDGET:
        wrong = f"budget_tokens must lie between {MIN_BUDGET} and {MAX_BUDGET}, not {budget_tokens}"
        raise BadArgument(wrong, argument="budget_tokens")
    best = max((hit.score for hit in hits), default=0.0)
    # What is put before a better one for its date is no tail; of each project by itself: the own one was put first.
    last = {hit.passage.project: at for at, hit in enumerate(hits) if hit.score >= _WORTH_TELLING * best}
    hits = [
        hit
        for at, hit in enumerate(hits)
        if hit.passage.document in sources and at <= last.get(hit.passage.project, -1)
    ]
    leading = [
        block for name in pinned if name in sources and (block := _pinned_block(name, sources[name], zone)).texts
    ]
    others = [hit for hit in hits if hit.passage.document not in pinned]
    blocks = [
        *_from_hits(others, sources, frozenset(curated), terms, zone, about_then=about_then),
        *(_flow_block(entry, project, zone) for entry in flow[:_FLOW]),
    ]
    opening = "" if hits else "no record found: nothing in the memory answers this. Say so; do not guess."
    for sentence in missing:
        if count_tokens(f"{opening}\n({sentence})") <= budget_tokens // 2:
            opening = f"{opening}\n({sentence})".strip()
    left = budget_tokens - count_tokens(fence("", _KIND) + "\n") - count_tokens(opening + "\n")
    items: list[ContextItem] = []
    lines: list[str] = []
    is_small = budget_tokens <= _SMALL_BUDGET

    def tell(blocks: Sequence[_Block], left: int) -> int:
        """Add what fits into ``left`` tokens of each block; return what is left then."""
        for at, block in enumerate(blocks):
            # About half of what is left, so that the next ones have their turn; all of it for the last.
            room = left if at == len(blocks) - 1 else min(left, max(left // 2, _SMALL_BUDGET))
            block_lines = _fit(block, terms, len(items) + 1, room, is_small)
            if block_lines:
                left -= count_tokens("\n".join(block_lines) + "\n")
                lines.extend(block_lines)
                items.append(replace(block.item, text="\n".join(block_lines)))
        return left

    share = min(left, int(budget_tokens * _PINNED))
    left -= share - tell(leading, share)
    led = len(items)
    left = tell(blocks, left)
    if (hits and not items) or (others and len(items) == led):
        opening = "There is a record, but not within this budget: ask for more tokens."
    elif waiting and waiting.messages:
        number = f"{counted(waiting.sessions, 'session')}, {counted(waiting.messages, 'message')}"
        line = f"[{len(items) + 1}] waiting to be curated: {number}"
        if count_tokens(line + "\n") <= left:
            lines.append(line)
            items.append(ContextItem(kind="uncurated", path=waiting.oldest, text=line))
    text = "\n".join(part for part in (opening, fence("\n".join(lines), _KIND) if lines else "") if part)
    return ContextPack(
        query=query,
        found=bool(hits),
        budget_tokens=budget_tokens,
        used_tokens=count_tokens(text),
        items=tuple(items),
        text=text,
    )


def _from_hits(
    hits: Sequence[Hit],
    sources: Mapping[DocumentId, Source],
    curated: frozenset[EventId],
    terms: Mapping[str, float],
    zone: tzinfo,
    *,
    about_then: bool,
) -> list[_Block]:
    """Sort the hits into the order of the context, one block per note or session."""
    passages: dict[DocumentId, list[Passage]] = {}
    for hit in hits:
        passages.setdefault(hit.passage.document, []).append(hit.passage)
    notes = {name for name, found in passages.items() if found[0].layer == "curated"}
    current = {name for name in notes if about_then or passages[name][0].status != "superseded"}
    cited = frozenset(event for name in current for event in sources[name].evidence)
    ages = [updated for name in current if (updated := sources[name].updated)]
    ranks: list[tuple[_Rank, int, _Block]] = []
    told: set[DocumentId] = set()
    for place, (name, found) in enumerate(passages.items()):
        if found[0].layer != "session":
            rank = _Rank.NOTE if name in current else _Rank.SUPERSEDED if name in notes else _Rank.NOT_CURATED
            ranks.append((rank, place, _note_block(found, sources[name], terms, zone)))
            if rank == _Rank.NOTE:
                for kind, brought in sources[name].brings:
                    if brought in sources and brought not in passages and brought not in told and len(told) < _BROUGHT:
                        told.add(brought)
                        block = _brought_block(brought, sources[brought], kind, sources[name].title, zone)
                        ranks.append((rank, place, block))
            continue
        events = frozenset(event for passage in found for event in passage.events)
        # Only its gist was found: all of the session is meant.
        events = events or frozenset(turn.event for turn in sources[name].turns)
        if events and events <= cited:
            continue  # a note that is shown says it, and cites it
        newest = max((passage.time for passage in found if passage.time), default=None)
        if newest and ages and newest > min(ages) and not events <= curated:
            rank = _Rank.NEWER
        else:
            rank = _Rank.CURATED if events and events <= curated else _Rank.NOT_CURATED
        ranks.append((rank, place, _session_block(found, sources[name], rank, zone)))
    # What is newer than some note is often of another matter: among conversations the search's own order holds.
    alike = {_Rank.NEWER: _Rank.NOT_CURATED}
    return [block for _, _, block in sorted(ranks, key=lambda entry: (alike.get(entry[0], entry[0]), entry[1]))]


def _note_block(found: Sequence[Passage], source: Source, terms: Mapping[str, float], zone: tzinfo) -> _Block:
    first = found[0]
    if first.layer == "page":
        author = "a person's page"
    else:
        author = (
            f"by {single_line(source.written_by or 'an agent', 30)}, {'reviewed' if source.reviewed else 'unreviewed'}"
        )
    status = f" {first.status}" if first.status and first.status != "current" else ""
    day = _day(source.updated, zone)
    head = f"note{status} {single_line(first.document, 120)} · rev {source.revision[:12]} · {day} · {author}"
    shown = {passage.heading for passage in found}
    rejected = [part for part in source.rejected if part.heading not in shown and worth(part.text, terms)]
    also = [part for part in source.also if part.heading == REPLACED or part.heading not in shown]
    lines = [part.text for part in also if part.heading == REPLACED]
    # What it replaced is told once: as a line of its own, not as the part of its history that was found.
    found = [one for one in found if not any(line in without_citations(one.text) for line in lines)] or found[:1]
    parts: list[Passage | Section] = [*sorted(found, key=lambda passage: passage.line), *rejected]
    events = tuple(dict.fromkeys(event for part in (*parts, *also) for event in part.events))
    item = ContextItem(
        kind="note", path=first.document, text="", revision=source.revision, time=source.updated, events=events
    )
    texts = tuple((part.heading, part.text, "") for part in parts)
    told = tuple((part.heading, part.text, "" if "[^" in part.text else _cited(part.events)) for part in also)
    short = f"note{status} {single_line(source.title, 40)} {source.revision[:12]}"
    return _Block(item=item, head=head, short_head=short, texts=texts, also=told)


def _cited(events: Sequence[EventId]) -> str:
    return " ".join(f"[^{event}]" for event in events)


def _whole_note(
    kind: Literal["related", "pinned"], document: DocumentId, source: Source
) -> tuple[ContextItem, tuple[tuple[str, str, str], ...]]:
    item = ContextItem(
        kind=kind,
        path=document,
        text="",
        revision=source.revision,
        time=source.updated,
        events=tuple(sorted(source.evidence)),
    )
    return item, tuple((section.heading, section.text, "") for section in source.sections if section.text.strip())


def _brought_block(document: DocumentId, source: Source, kind: str, title: str, zone: tzinfo) -> _Block:
    why = f"{single_line(title, 60)} {kind} it"
    head = f"related {single_line(document, 120)} · rev {source.revision[:12]} · {_day(source.updated, zone)} · {why}"
    item, texts = _whole_note("related", document, source)
    return _Block(item=item, head=head, short_head=f"related {single_line(source.title, 40)} · {why}", texts=texts)


def _pinned_block(document: DocumentId, source: Source, zone: tzinfo) -> _Block:
    author = f"by {single_line(source.written_by, 30)}" if source.written_by else "a person's page"
    day = _day(source.updated, zone)
    head = f"pinned {single_line(document, 120)} · rev {source.revision[:12]} · {day} · {author}"
    item, texts = _whole_note("pinned", document, source)
    short = f"pinned {single_line(source.title, 40)} {source.revision[:12]}"
    return _Block(item=item, head=head, short_head=short, texts=texts)


def _session_block(found: Sequence[Passage], source: Source, rank: _Rank, zone: tzinfo) -> _Block:
    first = found[0]
    kind: Final = "newer_evidence" if rank == _Rank.NEWER else "conversation"
    what = {_Rank.NEWER: "newer than the notes", _Rank.NOT_CURATED: "not curated", _Rank.CURATED: "curated"}[rank]
    place = " ".join(single_line(part, 40) for part in (first.host, first.project) if part) or "a session"
    head = f"conversation {place} · {_minute(first.time, zone)} · {what}"
    wanted = frozenset(event for passage in found for event in passage.events)
    turns = [turn for turn in source.turns if turn.event in wanted]
    # A gist leads to where the session begins; words that a person added to the session note lead nowhere.
    texts = tuple(
        (passage.heading, passage.text, f"[^{passage.block}]" if passage.block else "")
        for passage in found
        if not passage.events
    )
    texts += tuple((turn.role, turn.text, f"[^{turn.event}]") for turn in turns)
    events = tuple(turn.event for turn in turns) or tuple(EventId(p.block) for p in found if p.block)
    item = ContextItem(kind=kind, path=first.document, text="", time=first.time, events=events)
    return _Block(item=item, head=head, short_head=f"conversation {_day(first.time, zone)}", texts=texts)


def _flow_block(entry: Flow, project: str | None, zone: tzinfo) -> _Block:
    place = " ".join(single_line(part, 40) for part in (entry.host, project) if part)
    head = f"recent {place} · {_minute(entry.started, zone)} · {entry.messages} messages, began with"
    item = ContextItem(kind="recent", path=entry.path, text="", time=entry.started, events=(entry.opening.event,))
    texts = ((entry.opening.role, entry.opening.text, f"[^{entry.opening.event}]"),)
    return _Block(item=item, head=head, short_head=f"recent {_day(entry.started, zone)}", texts=texts)


def _fit(block: _Block, terms: Mapping[str, float], number: int, room: int, is_small: bool) -> list[str]:
    """Return the block's lines within ``room`` tokens, empty when nothing of it fits.

    In a small budget a long heading would take the room of a second item.
    """
    long = [] if is_small else _with_head(block, block.head, terms, number, room)
    return long or _with_head(block, block.short_head, terms, number, room)


def _with_head(block: _Block, head: str, terms: Mapping[str, float], number: int, room: int) -> list[str]:
    head = f"[{number}] {head}"
    room -= count_tokens(head + "\n")
    also: list[str] = []
    for label, text, citation in block.also:
        share = min(room // _ALSO, room // 2 - count_tokens("\n".join(also) + "\n"))
        told = _piece(label, text, citation, terms=terms, room=share)
        if not told or GAP in "".join(told):  # where there is no room for all that it cites, the first
            told = _piece(label, text, citation.partition(" ")[0], terms=terms, room=share)
        also += told
    room -= count_tokens("\n".join(also) + "\n") if also else 0
    pieces: dict[int, list[str]] = {}
    wanted = to_tell([(label, text) for label, text, _ in block.texts], terms)
    for at in wanted:
        piece = _piece(*block.texts[at], terms=terms, room=room if at == wanted[-1] else room * 2 // 3)
        if not piece and not pieces:
            return []  # without what matches best, the rest would mislead
        if piece:
            room -= count_tokens("\n".join(piece) + "\n")
            pieces[at] = piece
    return [head, *(line for at in sorted(pieces) for line in pieces[at]), *also] if pieces else []


def _piece(speaker: str, text: str, citation: str, *, terms: Mapping[str, float], room: int) -> list[str]:
    """Return one turn or section as quoted lines that cost at most ``room`` tokens, trimmed to what matches."""
    label = f"{single_line(speaker, 80)}: " if speaker else ""
    text = clean(text)
    share = room - count_tokens(f"{label} {citation}\n")
    while share >= _SMALLEST_TEXT:
        body = trim(text, terms, share)
        lines = quoted(f"{label}{body} {citation}".rstrip())
        excess = count_tokens("\n".join(lines) + "\n") - room
        if excess <= 0:
            return lines if body else []
        share -= excess  # the quote marks of its lines
    return []


def _day(time: datetime | None, zone: tzinfo) -> str:
    return time.astimezone(zone).strftime("%Y-%m-%d") if time else "no date"


def _minute(time: datetime | None, zone: tzinfo) -> str:
    return time.astimezone(zone).strftime("%Y-%m-%d %H:%M") if time else "no date"
