"""A person's edits since this program wrote last, and a proposal that may not know them: both, or a refusal.

Whoever saves has read the present revision, with the person's edits in it, and may still drop them: an agent writes a
body from memory. So the two are merged on the basis of what this program wrote last. Lines and list entries that the
person added or changed since then survive, and what they took out stays out, unless the proposal says otherwise of the
very same lines: then it is refused, with the lines of both sides.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from wwt_vault import markdown
from wwt_vault.markdown.merge import Conflict, merge_lists
from wwt_vault.markdown.threeway import Clash, Run, merge_lines
from wwt_vault.vault import fitting, lookup, refusals, revisions

if TYPE_CHECKING:
    from collections.abc import Mapping

    from wwt_vault.vault import Vault
    from wwt_vault.vault.fitting import Body
    from wwt_vault.vault.ondisk import OnDisk
    from wwt_vault.vault.proposal import Proposal

__all__ = ["Basis", "basis_of", "merged_body", "merged_properties"]


class Basis(NamedTuple):
    """What this program wrote last, where a person has changed it since."""

    body: Body
    values: Mapping[str, Any]


def basis_of(vault: Vault, there: OnDisk) -> Basis | None:
    """Return the basis of a merge; ``None`` when nobody edited the note since, or nothing is known of an earlier one.

    Where this program never wrote, no line can be told from another: then the revision that was read is all there is.
    """
    last = revisions.written_last(vault, there.id) if there.id else None
    if last is None or last == there.revision or there.id is None:
        return None
    data = revisions.kept(vault, there.id, last)
    if data is None:
        return None
    parts = markdown.split(data.decode("utf-8", "replace"))
    body = fitting.read_body(markdown.parse(parts.body))
    return Basis(body, markdown.read_frontmatter(parts, there.path).values)


def merged_body(there: OnDisk, basis: Basis, old: Body, proposed: Body) -> list[str]:
    """Return the lines that a save writes. Raises ``HumanConflict`` with the lines of both sides."""
    ours, theirs = proposed.texts, old.texts
    pieces = merge_lines(basis.body.texts, theirs, ours)
    clashes = [piece for piece in pieces if isinstance(piece, Clash)]
    if clashes:
        structure = markdown.parse(there.parts.body, there.first_line)
        raise refusals.person_changed(
            there,
            [
                Conflict(
                    where=_heading_at(structure, old.number_of(clash.one[0])),
                    one_line=old.number_of(clash.one[0]),
                    one=tuple(theirs[slice(*clash.one)]),
                    other_line=proposed.number_of(clash.other[0]),
                    other=tuple(ours[slice(*clash.other)]),
                )
                for clash in clashes
            ],
        )
    lines: list[str] = []
    for piece in pieces:
        if isinstance(piece, Run):
            lines += (theirs if piece.side == "one" else ours)[piece.start : piece.stop]
        else:
            lines.append("")
    return lines


def merged_properties(there: OnDisk, basis: Basis, wanted: Proposal) -> Proposal:
    """Return the proposal with the entries of lists that a person added, and without those they took out.

    Raises ``HumanConflict`` for a single value that the person set since and the proposal sets to another.
    """
    was, now = basis.values, there.properties.values
    conflicts = []
    for key in ("type", "status", "project"):
        value, given = markdown.string(now, key), getattr(wanted, key)
        if given is not None and given != value != markdown.string(was, key):
            conflicts.append(Conflict(key, _line_of(there, key), (f"{key}: {value or ''}",), 0, (f"{key}: {given}",)))
    if conflicts:
        raise refusals.person_changed(there, conflicts)

    def merged(key: str, given: tuple[str, ...]) -> tuple[str, ...]:
        before, there_now = (
            (lookup.tags_of(values) if key == "tags" else markdown.strings(values, key)) for values in (was, now)
        )
        return given if before == there_now else tuple(merge_lists(before, there_now, given))

    def merged_or_none(key: str, given: tuple[str, ...] | None) -> tuple[str, ...] | None:
        return None if given is None else merged(key, given)

    return wanted._replace(
        relations={kind: merged(kind, links) for kind, links in wanted.relations.items()},
        aliases=merged_or_none("aliases", wanted.aliases),
        tags=merged_or_none("tags", wanted.tags),
        questions=merged_or_none("questions", wanted.questions),
    )


def _heading_at(structure: markdown.Structure, line: int) -> str:
    above = [heading for heading in structure.headings if heading.line <= line]
    return " > ".join(above[-1].path) if above else ""


def _line_of(there: OnDisk, key: str) -> int:
    line = 2
    for name, text in markdown.entries(there.parts) or []:
        if name == key:
            return line
        line += text.count("\n")
    return 1
