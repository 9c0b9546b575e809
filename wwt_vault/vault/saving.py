"""One save, under the lock: what is checked, merged, written and told, in the order that ``notes`` promises."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from datetime import UTC
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from wwt_vault import markdown
from wwt_vault.errors import EventConflict, HumanConflict, NotFound, StaleRevision
from wwt_vault.model.knowledge import SavedNote
from wwt_vault.vault import (
    evidence,
    files,
    fitting,
    headings,
    layout,
    lookup,
    merging,
    ondisk,
    parts,
    places,
    proposal,
    refusals,
    relations,
    revisions,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from wwt_vault.model.conversation import DocumentId, EventId, Revision
    from wwt_vault.vault import Vault
    from wwt_vault.vault.evidence import Evidence
    from wwt_vault.vault.names import Names
    from wwt_vault.vault.ondisk import OnDisk
    from wwt_vault.vault.proposal import Proposal

__all__ = ["Saving", "new_body"]

_TRIES = 5  # of a change to another note that a person happens to be typing in
_CITED = 3  # events that a line of the history cites


class Saving:
    """One save. Names are listed once and only when needed: it is what a save costs in a large vault."""

    def __init__(self, vault: Vault, wanted: Proposal, *, as_given: bool) -> None:
        self.vault, self.wanted, self.as_given = vault, wanted, as_given
        self._known: Names | None = None

    @property
    def known(self) -> Names:
        """All notes by name."""
        if self._known is None:
            self._known = lookup.names(self.vault)
        return self._known

    def create(self, note: str, related: Mapping[str, Sequence[str]] | None) -> SavedNote:
        """Make a new note."""
        vault, wanted = self.vault, self.wanted
        path, kind, title = places.place_for(vault, note, wanted.type, wanted.status)
        name = path.rpartition("/")[2][:-3]
        clashing = self.known.get(layout.name_key(name))
        if clashing:
            raise refusals.exists(vault, clashing[0], name)
        links = relations.links_for(vault, related, self.known, None)
        self.wanted = wanted = wanted._replace(relations=links)
        lines = fitting.read_body(new_body(vault, wanted)).texts
        digest = sha256("\0".join((title, wanted.written_by, str(wanted.at), wanted.body)).encode()).hexdigest()
        note_id = f"{wanted.at.astimezone(UTC):%Y%m%d}-{digest[:12]}"
        properties = proposal.first_properties(
            wanted, note_id=note_id, kind=kind, title=title, name=name, zone=vault.zone
        )
        head = markdown.render_frontmatter(properties)
        values = markdown.read_frontmatter(markdown.split(head), path).values
        self.known.add(path)
        planned = self._planned(path, {}, values)
        lines = self._with_replacements(lines, planned)
        found = evidence.find_evidence(vault, markdown.parse("\n".join(lines)))
        text = fitting.fitted(fitting.Body((), ()), lines, evidence.definitions_for(vault, found))
        data = f"{head}\n{text}".encode()
        written = revisions.keep(vault, note_id, data)
        try:
            # Its name was just looked for in every form: only the folder is left to be found.
            files.create_once(layout.inside(vault.root, path.rpartition("/")[0]) / f"{name}.md", data)
        except EventConflict as error:
            raise refusals.exists(vault, path, name) from error
        self._record(note_id, revision=written, base=None, path=path)
        return ondisk.saved(self.vault, path, self._tell(planned, path, found))

    def change(self, note: str, revision: str, related: Mapping[str, Sequence[str]] | None) -> SavedNote:
        """Change a note that is there."""
        vault = self.vault
        old = self._find(note, revision)
        refusals.check_unlocked(old)
        refusals.check_revision(vault, old, revision, self.wanted.body)
        refusals.check_changeable(old)
        refusals.check_single(vault, old)
        before = old.properties.values
        self.wanted = self.wanted._replace(
            relations=relations.links_for(vault, related, self.known, old) if related else {}
        )
        structure = proposal.body_of(self.wanted.body, old.parts)
        there = fitting.read_body(markdown.parse(old.parts.body, old.first_line))
        proposed = fitting.read_body(structure)
        basis = None if self.as_given else merging.basis_of(vault, old)
        if basis:
            self.wanted = merging.merged_properties(old, basis, self.wanted)
        lines = merged = merging.merged_body(old, basis, there, proposed) if basis else proposed.texts
        changed = proposal.changed_properties(self.wanted, before)
        after = {**before, **{key: _plain(value) for key, value in changed.items()}}
        planned = self._planned(old.path, before, after)
        replacing = [effect for effect in planned if effect.fresh]
        lines = self._with_replacements(lines, replacing)
        text = old.parts.body
        found = evidence.Evidence({}, {})
        if changed or not _same_lines(lines, there.texts):
            # What a person asks for as it is may say what nobody said: ``check`` names it.
            if not self.as_given:
                evidence.check_evidence(vault, structure, _standing(there, basis))
            found = evidence.find_evidence(vault, markdown.parse("\n".join(lines)))
            if not found.events and not self.as_given:
                raise evidence.no_evidence(structure.first_line)
            definitions = evidence.definitions_for(vault, found)
            definitions |= fitting.left_of_forgotten(there, "\n".join(lines))
            text = fitting.fitted(there, lines, definitions, evidence.leads_the_same_way)
        path = old.path
        if changed or text != old.parts.body:
            self._write(old, changed, text)
        elif planned:
            found = evidence.find_evidence(vault, markdown.parse(text))
        told = self._tell(planned, path, found)
        if not basis:
            return ondisk.saved(self.vault, path, told)
        return ondisk.saved(
            self.vault, path, told, kept=_more(merged, proposed.texts), left_out=_more(proposed.texts, merged)
        )

    def _find(self, note: str, revision: str) -> OnDisk:
        try:
            is_path = "/" in note or note.lower().endswith(".md")
            return ondisk.load(self.vault, lookup.find_note(self.vault, note, None if is_path else self.known))
        except NotFound as error:
            moved = refusals.moved(self.vault, note, revision)
            raise moved or error from error

    def _planned(self, path: DocumentId, before: Mapping[str, Any], after: Mapping[str, Any]) -> list[relations.Effect]:
        if not relations.concern_others(before, after):
            return []
        return relations.plan(self.vault, relations.effects(path, before, after, self.known), path, self.known)

    def _with_replacements(self, lines: list[str], planned: Sequence[relations.Effect]) -> list[str]:
        """Say in the history of a note which one it replaces, where it does not say so itself."""
        for effect in planned:
            history_there = headings.section_of(markdown.parse("\n".join(lines)), headings.HISTORY)
            if effect.kind == "superseded" and not relations.mentions(history_there, effect.path):
                link = lookup.link_to(effect.path, self.known)
                cited = evidence.cited(markdown.parse("\n".join(lines)))
                lines = parts.with_history(lines, self._entry("replaces", link, cited), self.vault.settings.language)
        return lines

    def _entry(self, kind: Any, link: str, events: Sequence[EventId]) -> str:  # one of history_entry's kinds
        return relations.history_entry(
            kind,
            link,
            day=self.wanted.at.astimezone(self.vault.zone).date(),
            reason=self.wanted.reason,
            events=sorted(events)[-_CITED:],
            language=self.vault.settings.language,
        )

    def _tell(self, planned: Sequence[relations.Effect], own: DocumentId, found: Evidence) -> list[DocumentId]:
        """Change the other notes that a save means something for."""
        return [effect.path for effect in planned if self._change_other(effect, own, found)]

    def _change_other(self, effect: relations.Effect, own: DocumentId, found: Evidence) -> bool:
        for _ in range(_TRIES):
            there = ondisk.load(self.vault, effect.path)
            changed = relations.applied(effect, there, own, self.known)
            if not changed:
                return False
            text = there.parts.body
            if effect.kind in ("superseded", "reinstated"):
                body = fitting.read_body(markdown.parse(text, there.first_line))
                known = evidence.cited(markdown.parse("\n".join(body.texts)))
                new = [event for event in found.events if event not in known] or list(found.events)
                entry = self._entry(effect.kind, lookup.link_to(own, self.known), new)
                lines = parts.with_history(body.texts, entry, self.vault.settings.language)
                cited = evidence.find_evidence(self.vault, markdown.parse("\n".join(lines)))
                definitions = evidence.definitions_for(self.vault, cited)
                definitions |= fitting.left_of_forgotten(body, "\n".join(lines))
                text = fitting.fitted(body, lines, definitions, evidence.leads_the_same_way)
            with suppress(StaleRevision):  # a person typed something in this moment: look again
                self._write(there, changed, text)
                return True
        return False

    def _write(self, old: OnDisk, changed: Mapping[str, Any], text: str) -> Revision:
        """Put a note with these properties and this body in the place of one that was read."""
        vault, wanted = self.vault, self.wanted
        note_id = old.id or f"{wanted.at.astimezone(UTC):%Y%m%d}-{old.revision[:12]}"
        properties = proposal.later_properties(wanted, changed, note_id, old.properties.values, vault.zone)
        try:
            data = (markdown.set_keys(old.parts.head, properties) + text).encode()
        except ValueError as error:
            raise HumanConflict(f"{old.path}: {error}", **old.identity) from error
        revisions.keep(vault, note_id, data)
        by_person = ondisk.written_at(old) if revisions.written_last(vault, note_id) != old.revision else None
        try:
            written = files.replace(old.file, data, old.revision, lambda kept: _keep(vault, note_id, kept))
        except StaleRevision as error:
            raise refusals.stale(vault, ondisk.load(vault, old.path), old.revision, wanted.body) from error
        self._record(note_id, revision=written, base=old.revision, path=old.path, base_time=by_person)
        return written

    def _record(self, note_id: str, **saved: Any) -> None:  # revision, base, path, base_time
        wanted = self.wanted
        revisions.record(
            self.vault, note_id, time=wanted.at, written_by=wanted.written_by, reason=wanted.reason, **saved
        )


def new_body(vault: Vault, wanted: Proposal) -> markdown.Structure:
    """Return the structure of a new note's body. Raises ``BadEvidence``, ``BadArgument``."""
    body = proposal.body_of(wanted.body, None)
    evidence.check_evidence(vault, body)
    if not evidence.find_evidence(vault, body).events:
        raise evidence.no_evidence(body.first_line)
    return body


def _standing(there: fitting.Body, basis: merging.Basis | None) -> evidence.Standing:
    """Return what a writer does not answer for: a person's lines, and facts without evidence that stand there."""
    facts = evidence.standing_facts(markdown.parse("\n".join(there.texts)))
    before = set(basis.body.texts) if basis else set(there.texts)
    return evidence.Standing(frozenset(line for line in there.texts if line not in before), facts)


def _plain(value: Any) -> Any:  # what the frontmatter would give back
    return list(value) if isinstance(value, tuple) else value


def _same_lines(one: Sequence[str], other: Sequence[str]) -> bool:
    return [line if line.strip() else "" for line in one] == [line if line.strip() else "" for line in other]


def _more(one: Sequence[str], other: Sequence[str]) -> tuple[str, ...]:
    """Return the lines that one text has more often than another."""
    left, found = Counter(other), []
    for line in one:
        if left[line]:
            left[line] -= 1
        elif line.strip():
            found.append(line)
    return tuple(found)


def _keep(vault: Vault, note_id: str, data: bytes) -> None:
    revisions.keep(vault, note_id, data)
