"""Documents from outside: kept with where they come from, when, and how far anybody checked them.

A source is a note of type ``source``. Nobody said it here, so it is never an event, and never evidence that somebody
said something: a fact cites an event, and may cite a source beside it as ``[^source-<id>]``. The footnote, written by
the program, shows origin, date and verification, and follows when that changes.
"""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import UTC, date, datetime
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Literal, get_args

from wwt_vault import markdown
from wwt_vault.errors import BadArgument, EventConflict, HumanConflict, StaleRevision
from wwt_vault.model.knowledge import SavedNote
from wwt_vault.vault import (
    evidence,
    files,
    fitting,
    layout,
    lookup,
    merging,
    ondisk,
    places,
    proposal,
    refusals,
    revisions,
    rewriting,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from wwt_vault.model.conversation import DocumentId
    from wwt_vault.vault import Vault
    from wwt_vault.vault.ondisk import OnDisk

__all__ = ["Verification", "save_source", "verify_source"]

Verification = Literal["unverified", "checked", "disputed"]

_LOCK_SECONDS = 10.0
_TRIES = 5  # of a change to a note that a person happens to be typing in
_MAX_ORIGIN = 2000  # characters of a path or an address
# What would be taken for a citation of ours, though nobody here wrote it.
_LABEL = re.compile(rf"\[\^(?={markdown.EVENT_ID.pattern}|\d{{8}}T|source-|forgotten-)")


def save_source(
    vault: Vault,
    *,
    title: str,
    text: str,
    origin: str,
    retrieved: date | datetime,
    written_by: str,
    at: datetime,
    locks: Path,
    project: str | None = None,
    tags: Sequence[str] = (),
    revision: str | None = None,
    place: str | None = None,
) -> SavedNote:
    """Keep a document as a note of type source, or, with the ``revision`` that was read, its newer text.

    Args:
        vault: Where.
        title: Title or path; a title goes to the folder of sources. With ``revision``: path, id or title.
        text: Markdown or plain text, secrets taken out. Invisible characters are left out, frontmatter becomes a code
            block, and labels that look like citations of events are made to look like nothing else than text.
        origin: A path, an address, or whatever else tells a person where it comes from; one line.
        retrieved: When it was fetched there.
        written_by: Host or program that brought it.
        at: Now, aware.
        locks: The folder of this machine's lock files.
        project: The project it belongs to.
        tags: With or without ``#``.
        revision: The revision that was read; ``None``: a new note.
        place: Where a new note goes, under a name that ``layout.safe_name`` gave; ``None``: where its title says.

    The same text of the same origin under the same title is there already: it is returned, and nothing is written. A
    text that changed is unverified again.

    Raises ``NoteExists`` for a name that is taken by anything else (or by an older text: save with its revision),
    ``BadArgument``, ``BadName``, ``PathEscapes``, ``StaleRevision``, ``Locked``, ``HumanConflict``, ``NotFound``,
    ``LockTimeout``, ``VaultError``.
    """
    body = _clean(text)
    origin = " ".join(origin.split())
    if not origin or len(origin) > _MAX_ORIGIN or proposal.HIDDEN.search(origin):
        message = f"origin must be one line of 1 to {_MAX_ORIGIN} characters: where the document comes from"
        raise BadArgument(message, argument="origin")
    wanted = proposal.check_proposal(
        body=body,
        written_by=written_by,
        at=at,
        reason=None,
        type=None,
        status=None,
        project=project,
        aliases=None,
        tags=tags,
        questions=None,
    )
    lines = fitting.read_body(proposal.body_of(wanted.body, None)).texts
    if isinstance(retrieved, datetime):
        retrieved = retrieved.astimezone(vault.zone)
    facts: dict[str, Any] = {"origin": origin, "retrieved": retrieved}
    with files.lock(locks / "notes", _LOCK_SECONDS):
        if revision:
            there = ondisk.load(vault, lookup.find_note(vault, title))
            refusals.check_unlocked(there)
            refusals.check_revision(vault, there, revision, wanted.body)
            refusals.check_changeable(there, (lookup.SOURCE,))
            refusals.check_single(vault, there)
            return _change(vault, there, lines, wanted, facts)
        if place is None:
            place, _, title = places.place_for(vault, title, lookup.SOURCE, None)
        return _create(vault, places.checked_path(vault, place), lines, wanted, title=title, facts=facts)


def verify_source(vault: Vault, ref: str, *, state: Verification, by: str, at: datetime, locks: Path) -> SavedNote:
    """Write down how far a source was checked, by whom and when; the footnotes that show it follow.

    ``also_changed`` of the note returned names the notes whose footnotes were changed. Raises ``BadArgument``,
    ``Locked``, ``HumanConflict`` for a note that is no source, ``NotFound``, ``Ambiguous``, ``LockTimeout``,
    ``VaultError``.
    """
    if state not in get_args(Verification):
        raise BadArgument(f"state must be one of {', '.join(get_args(Verification))}", argument="state")
    by = " ".join(by.split())
    if not by or len(by) > 100 or proposal.HIDDEN.search(by):
        raise BadArgument("by must name who checked it, in at most 100 characters", argument="by")
    is_checked = state != "unverified"
    facts = {
        "verification": state,
        "verified_by": by if is_checked else "",
        "verified_at": at.astimezone(vault.zone).date() if is_checked else "",
        "updated": at.astimezone(vault.zone),
    }
    with files.lock(locks / "notes", _LOCK_SECONDS):
        why = rewriting.Why(by, at, f"{state} by {by}")
        for attempt in range(_TRIES):
            there = ondisk.load(vault, lookup.find_note(vault, ref))
            refusals.check_unlocked(there)
            refusals.check_changeable(there, (lookup.SOURCE,))
            data = (_with(there, facts) + there.parts.body).encode()
            try:
                rewriting.rewrite(vault, there, data, why)
                break
            except StaleRevision:
                if attempt == _TRIES - 1:
                    raise
        told = _tell(vault, there.id, why) if there.id else ()
        return ondisk.saved(vault, there.path, told)


def _clean(text: str) -> str:
    parts = markdown.split(proposal.HIDDEN.sub("", text.replace("\r\n", "\n").replace("\r", "\n")))
    body = parts.body.strip("\n")
    if parts.opening:
        fence = "`" * max(3, *(len(run) + 1 for run in re.findall("`+", parts.block)), 3)
        body = f"{fence}yaml\n{parts.block.rstrip(chr(10))}\n{fence}\n\n{body}"
    if not body.strip():
        raise BadArgument("the document has no text", argument="text")
    return _LABEL.sub(r"[\\^", body) + "\n"


def _create(
    vault: Vault, path: DocumentId, lines: list[str], wanted: proposal.Proposal, *, title: str, facts: dict[str, Any]
) -> SavedNote:
    name = path.rpartition("/")[2][:-3]
    clashing = lookup.names(vault).get(layout.name_key(name))
    if clashing:
        there = ondisk.load(vault, clashing[0])
        same = fitting.read_body(markdown.parse(there.parts.body)).texts == lines
        if there.id and same and markdown.string(there.properties.values, "origin") == facts["origin"]:
            return ondisk.saved(vault, there.path)
        raise refusals.exists(vault, clashing[0], name)
    digest = sha256("\0".join((title, facts["origin"], str(wanted.at), *lines)).encode()).hexdigest()
    note_id = f"{wanted.at.astimezone(UTC):%Y%m%d}-{digest[:12]}"
    now = wanted.at.astimezone(vault.zone)
    properties = {
        "id": note_id,
        "type": lookup.SOURCE,
        **facts,
        "verification": "unverified",
        "aliases": [] if title == name else [title],
        "tags": wanted.tags or (),
        "created": now,
        "updated": now,
        "written_by": wanted.written_by,
        **({"project": wanted.project} if wanted.project else {}),
    }
    text = fitting.fitted(fitting.Body((), ()), lines, {})
    data = (markdown.render_frontmatter(properties) + "\n" + text).encode()
    written = revisions.keep(vault, note_id, data)
    try:
        files.create_once(layout.inside(vault.root, path), data)
    except EventConflict as error:
        raise refusals.exists(vault, path, name) from error
    _record(vault, note_id, wanted, revision=written, base=None, path=path)
    return ondisk.saved(vault, path)


def _change(
    vault: Vault, there: OnDisk, lines: list[str], wanted: proposal.Proposal, facts: dict[str, Any]
) -> SavedNote:
    old = fitting.read_body(markdown.parse(there.parts.body, there.first_line))
    basis = merging.basis_of(vault, there)
    if basis:
        lines = merging.merged_body(there, basis, old, fitting.read_body(markdown.parse("\n".join(lines))))
    if lines != old.texts:
        facts = {**facts, "verification": "unverified", "verified_by": "", "verified_at": ""}
    known = {key: value for key, value in facts.items() if value != "" or key in there.properties.values}
    if wanted.tags:
        known["tags"] = wanted.tags
    head = _with(there, {**known, "updated": wanted.at.astimezone(vault.zone)})
    data = (head + fitting.fitted(old, lines, {})).encode()
    why = rewriting.Why(wanted.written_by, wanted.at, f"retrieved {facts['retrieved']:%Y-%m-%d}")
    rewriting.rewrite(vault, there, data, why)
    return ondisk.saved(vault, there.path, _tell(vault, there.id, why) if there.id else ())


def _with(there: OnDisk, facts: dict[str, Any]) -> str:
    try:
        return markdown.set_keys(there.parts.head, facts)
    except ValueError as error:
        raise HumanConflict(f"{there.path}: {error}", **there.identity) from error


def _tell(vault: Vault, source_id: str, why: rewriting.Why) -> tuple[DocumentId, ...]:
    """Write the footnotes of a source anew where they are shown, as far as these notes may be changed."""
    changed = []
    for path in lookup.mentioning(vault, f"[^source-{source_id}]"):
        for _ in range(_TRIES):
            there = ondisk.load(vault, path)
            data = _with_footnotes(vault, there)
            if data == there.data or lookup.curated_id(there.properties.values) is None:
                break
            if not rewriting.may_change(there):
                break
            with suppress(StaleRevision):  # a person typed something in this moment: look again
                rewriting.rewrite(vault, there, data, why._replace(reason=f"a source is {why.reason}"))
                changed.append(path)
                break
    return tuple(changed)


def _with_footnotes(vault: Vault, there: OnDisk) -> bytes:
    body = fitting.read_body(markdown.parse(there.parts.body, there.first_line))
    found = evidence.find_evidence(vault, markdown.parse("\n".join(body.texts)))
    definitions = evidence.definitions_for(vault, found)
    kept = {found.label: found.lines[0].text for found in body.definitions if found.label not in definitions}
    text = fitting.fitted(body, body.texts, {**kept, **definitions}, evidence.leads_the_same_way)
    return (there.parts.head + text).encode()


def _record(vault: Vault, note_id: str, wanted: proposal.Proposal, **saved: Any) -> None:  # revision, base, path
    revisions.record(vault, note_id, time=wanted.at, written_by=wanted.written_by, reason=None, **saved)
