"""From the vault's documents to the next generation: one path for the first build, a change and a rebuild.

A catalog (document to stamp of its file, no content read) is compared with the manifest of the current generation. Only
documents whose stamp differs are loaded; of those only passages whose fingerprint differs are written. A rebuild is the
same with an empty manifest. The next generation is built aside, opened, counted, and only then published.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import tzinfo
from pathlib import Path
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from wwt_vault.errors import NotFound, WwtError
from wwt_vault.index import passages, privacy
from wwt_vault.index.building import Builder
from wwt_vault.index.comparison import Catalog, Change, compare, is_settled
from wwt_vault.index.generations import (
    Damaged,
    Generation,
    Known,
    Manifests,
    Pointer,
    current_generation,
    manifest_identity,
    point,
    read_manifest,
    versions,
)
from wwt_vault.index.korean import kiwi_version
from wwt_vault.index.results import RefreshReport
from wwt_vault.model.conversation import DocumentId, Problem
from wwt_vault.model.knowledge import Document

__all__ = ["Loader", "NeedsAll", "Progress", "Refresh", "zone_of"]

_AT_LEAST: Final = 6
"""Documents that every refresh reads."""

Loader = Callable[[DocumentId], Document]
Progress = Callable[[int, int], None]
"""Called with what is done and what there is to do."""

_UNREADABLE: Final = "unreadable"


def zone_of(name: str) -> ZoneInfo:
    """Return a time zone, UTC for a name that is none: settings are checked elsewhere, the index has to work."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return ZoneInfo("UTC")


class NeedsAll(Exception):
    """There is nothing to build upon: a catalog of some documents does not do."""


@dataclass(slots=True, kw_only=True)
class _Outcome:
    """What was done."""

    added: int = 0
    updated: int = 0
    removed: int = 0
    pending: int = 0
    problems: list[Problem] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Base:
    """What is published."""

    generation: Generation | None
    """``None``: there is none, or it cannot be read."""
    known: Mapping[DocumentId, Known]
    """Its documents, as far as they can be read."""
    outdated: str | None
    """Why it cannot be built upon though it is there; ``None`` when it can, or when there is none."""
    manifest: tuple[int, int] | None = None
    """Its manifest's inode and modification time: it is replaced where only stamps change."""

    def is_current(self, folder: Path) -> bool:
        """Say whether nothing was published since."""
        with suppress(Damaged):
            generation = self.generation
            return (
                generation is not None
                and current_generation(folder) == generation.number
                and self.manifest == manifest_identity(generation.folder)
            )
        return False

    def report(self, *, pending: int = 0, withheld: int = 0, busy: bool = False) -> RefreshReport:
        """Say that it answers as it is."""
        about = self.generation.about if self.generation else None
        return RefreshReport(
            generation=about.number if about else None,
            documents=about.documents if about else 0,
            passages=about.passages if about else 0,
            pending=pending,
            withheld=withheld,
            busy=busy,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Refresh:
    """One refresh; the fields are the arguments of ``Index.refresh``."""

    folder: Path
    catalog: Catalog
    load: Loader
    zone: tzinfo
    progress: Progress | None = None
    allow_shrink: bool = False
    budget_seconds: float | None = None
    wait_seconds: float = 2.0
    clock: Callable[[], int] = time.time_ns
    manifests: Manifests = field(default_factory=Manifests)
    """Kept by who refreshes again."""
    of: Collection[DocumentId] | None = None
    """The documents that the catalog speaks of; without, all."""

    def run(self, *, rebuild: bool) -> RefreshReport:
        """Do it. Raises ``OSError`` when the folder cannot be written, ``NeedsAll``."""
        base, change = self._compare()
        if base.generation is not None and not (rebuild or base.outdated or change):
            return base.report(withheld=len(change.withheld))
        if self.of is not None and (base.generation is None or base.outdated):
            raise NeedsAll
        from filelock import FileLock, Timeout  # noqa: PLC0415 - 100 ms that only a change needs

        deadline = None if self.budget_seconds is None else time.monotonic() + self.budget_seconds
        privacy.make_folder(self.folder)
        try:
            with FileLock(self.folder / "refresh.lock", timeout=self.wait_seconds, mode=privacy.FILE_MODE):
                # Once more: another process may have done it while this one waited.
                if not base.is_current(self.folder):
                    base, change = self._compare()
                if base.generation is not None and not (rebuild or base.outdated):
                    try:
                        return self._apply(base, change, deadline)
                    except Damaged as damage:
                        base.generation.mark_damaged(str(damage))
                        base, change = self._compare()
                if self.of is not None:
                    raise NeedsAll
                if change.withheld or (rebuild and deadline is not None and base.generation is not None):
                    # Nothing to build from, or no time to: what there is goes on answering.
                    return base.report(withheld=len(change.withheld), pending=len(self.catalog))
                if base.generation is not None and not rebuild:
                    return self._renew(base, deadline)
                nothing = _Base(generation=None, known={}, outdated=base.outdated)
                return self._apply(nothing, compare(self.catalog, {}, allow_shrink=True), deadline)
        except Timeout:
            return base.report(busy=True, pending=len(change.read) + len(change.removed))

    def _renew(self, base: _Base, deadline: float | None) -> RefreshReport:
        """Go on with the generation that is to replace an outdated one; it becomes current when it is complete."""
        begun = self._read_base("next")
        if begun.generation is None or begun.outdated:
            begun = _Base(generation=None, known={}, outdated=None)
        change = compare(self.catalog, begun.known, allow_shrink=True)
        report = self._apply(begun, change, deadline, "next")
        if report.pending > sum(problem.code == _UNREADABLE for problem in report.problems):
            return base.report(pending=report.pending)
        if report.generation is not None:
            point(self.folder, report.generation)
        return replace(report, repaired=base.outdated)

    def _compare(self) -> tuple[_Base, Change]:
        base = self._read_base()
        return base, compare(self.catalog, base.known, allow_shrink=self.allow_shrink, of=self.of)

    def _read_base(self, pointer: Pointer = "current") -> _Base:
        number: int | None = None
        try:
            number = current_generation(self.folder, pointer)
            if number is None:
                return _Base(generation=None, known={}, outdated=None)
            generation = Generation(self.folder, number)
            known, identity = self.manifests.of(generation)
        except Damaged as damage:
            known = {}
            with suppress(Damaged):  # how many documents there were still guards against an unmounted vault
                known = read_manifest(self.folder / "generations" / str(number) / "manifest.json")
            return _Base(generation=None, known=known, outdated=f"it was damaged ({damage})")
        about, kiwi, outdated = generation.about, kiwi_version(), None
        if dict(about.versions) != versions():
            outdated = "it was made by another version of this program"
        elif kiwi and about.kiwi and kiwi != about.kiwi:
            outdated = f"kiwipiepy {about.kiwi} became {kiwi}"
        return _Base(generation=generation, known=known, outdated=outdated, manifest=identity)

    def _apply(
        self, base: _Base, change: Change, deadline: float | None, pointer: Pointer = "current"
    ) -> RefreshReport:
        """Build and publish what ``change`` asks for on top of ``base``. When time is up, a few more are read.

        When this raises nothing was published and the old generation answers.
        """
        outcome = _Outcome()
        documents = dict(base.known)
        builder = Builder(self.folder, base.generation, tuple(base.known), self.manifests)
        try:
            for gone in change.removed:
                builder.drop(gone)
                del documents[gone]
                outcome.removed += 1
            for done, name in enumerate(change.read):
                # A few are read however short the time is: calls without time get there as well, and what was said a
                # moment ago is found though the first call of a process spends its time on loading the analyser.
                if done >= _AT_LEAST and deadline is not None and time.monotonic() > deadline:
                    outcome.pending += len(change.read) - done
                    break
                if self.progress:
                    self.progress(done, len(change.read))
                self._take(name, documents, builder, outcome)
            builder.flush()
            if self.progress and not outcome.pending:
                self.progress(len(change.read), len(change.read))
            if builder.changed:
                number = builder.finish(documents, pointer)
            else:
                builder.cancel()
        except BaseException:
            builder.cancel()
            raise
        if not builder.changed and base.generation is not None:
            # Touched, not changed: the stamps are all that is new.
            self.manifests.write(base.generation.folder, documents)
            number = base.generation.number
        self.manifests.keep(self.folder / "generations" / str(number), documents)
        return RefreshReport(
            generation=number,
            documents=len(documents),
            passages=builder.living,
            added=outcome.added,
            updated=outcome.updated,
            removed=outcome.removed,
            pending=outcome.pending,
            withheld=len(change.withheld),
            repaired=base.outdated,
            problems=tuple(outcome.problems),
        )

    def _take(self, name: DocumentId, documents: dict[DocumentId, Known], builder: Builder, outcome: _Outcome) -> None:
        """Read one document and hand on what changed of it. One that cannot be read stays as it was for now."""
        before = documents.get(name)
        stamp = self.catalog[name]
        read_at = self.clock()
        try:
            document = self.load(name)
        except (FileNotFoundError, NotFound):  # deleted since the catalog was made
            if before is not None:
                builder.drop(name)
                del documents[name]
                outcome.removed += 1
            return
        except (OSError, WwtError) as error:
            outcome.pending += 1
            outcome.problems.append(Problem(_UNREADABLE, name, 0, f"cannot be read, will be tried again: {error}"))
            return
        outcome.problems.extend(document.problems)
        settled = is_settled(stamp, read_at, before)
        if before is not None and before.revision == document.revision:
            documents[name] = before._replace(stamp=stamp, settled=settled)
            return
        builder.put(name, passages.drafts(document, self.zone))
        documents[name] = Known(stamp, settled, document.revision)
        if before is None:
            outcome.added += 1
        else:
            outcome.updated += 1
