"""What can be found: a derived index of passages, by words and by meaning. May be deleted at any time.

The index never sees the vault: it is given a catalog of documents and a function that loads one. Importing this module
loads neither whoosh, numpy, kiwi nor a model; each is loaded by the first call that needs it.

    refresh          catalog and loader → next generation     refresh, building, generations, passages, analysis
    keyword          question → passages by their words       searching, ranking, lexical, soundalikes, analysis
    meaning          question → passages by their meaning     searching, centring, vectors, rows, embedder
    embed_pending    the slow half of indexing, resumable     embedding, vectors
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

from wwt_vault.config import Settings
from wwt_vault.errors import IndexUnavailable, ModelUnavailable
from wwt_vault.index.comparison import Catalog
from wwt_vault.index.generations import Damaged, Generation, Manifests, current_generation, others, sweep
from wwt_vault.index.refresh import Loader, NeedsAll, Progress, Refresh, zone_of
from wwt_vault.index.results import IndexStatus, KeywordHit, MeaningHit, QueryTerm, RefreshReport
from wwt_vault.model.conversation import DocumentId
from wwt_vault.model.knowledge import Filters, Passage

if TYPE_CHECKING:
    from wwt_vault.index.centring import Centring
    from wwt_vault.index.embedder import Embedder
    from wwt_vault.index.searching import Searcher
    from wwt_vault.index.synonyms import Group
    from wwt_vault.index.vectors import VectorStore

__all__ = ["Index", "IndexStatus", "KeywordHit", "MeaningHit", "QueryTerm", "RefreshReport"]

_EVERYTHING: Final = Filters()
_EMBEDDING_LOCK: Final = "embedding.lock"
_BATCH_SECONDS: Final = 10.0
"""Longer than a batch of texts takes to be embedded."""
_Answer = TypeVar("_Answer")


class Index:
    """The index in one folder. Any number of threads and processes may use one folder at once.

    A generation that turns out to be damaged is marked; the one before answers, or nothing does, and the next
    ``refresh`` builds anew and says so. Searching never raises because of damage.
    """

    def __init__(self, folder: Path, embedder: Callable[[], Embedder | None], settings: Settings | None = None) -> None:
        """Use the index in ``folder``, which must not lie in a vault (see ``lexical``) and need not exist.

        ``embedder`` is asked for the model at each search by meaning: it may answer ``None`` (there is none, or it is
        still loading) and may raise ``ModelUnavailable``. Of ``settings`` the time zone is used.
        """
        self.folder = folder
        self._embedder = embedder
        self._zone = zone_of((settings or Settings()).timezone)
        self._lock = threading.RLock()
        self._searcher: Searcher | None = None
        self._stores: dict[str, tuple[VectorStore, Centring]] = {}
        self._manifests = Manifests()
        self._problem: str | None = None
        self._glossary: tuple[Group, ...] = ()

    # --- Keeping up to date -------------------------------------------------------------------------------------------

    def refresh(
        self,
        catalog: Catalog,
        load: Loader,
        *,
        progress: Progress | None = None,
        rebuild: bool = False,
        allow_shrink: bool = False,
        budget_seconds: float | None = None,
        wait_seconds: float = 2.0,
        clock: Callable[[], int] = time.time_ns,
    ) -> RefreshReport:
        """Bring the index to what ``catalog`` names, reading only what changed. The last generation answers meanwhile.

        ``rebuild`` reads everything. More than half of 20 documents or more are not removed unless ``allow_shrink``.
        After ``budget_seconds`` the rest is left to the next call. An index that another version of this program made
        is renewed aside, over as many calls as it takes; an explicit ``rebuild`` is only begun without a budget.
        Waits ``wait_seconds`` at most for another process that refreshes. ``clock`` gives the time in ns since 1970.
        Raises ``IndexUnavailable`` when the folder cannot be written.
        """
        return self._refresh(
            Refresh(
                folder=self.folder,
                catalog=catalog,
                load=load,
                zone=self._zone,
                progress=progress,
                allow_shrink=allow_shrink,
                budget_seconds=budget_seconds,
                wait_seconds=wait_seconds,
                clock=clock,
                manifests=self._manifests,
            ),
            rebuild=rebuild,
        )

    def refresh_some(
        self,
        catalog: Catalog,
        of: Collection[DocumentId],
        load: Loader,
        *,
        progress: Progress | None = None,
        budget_seconds: float | None = None,
        wait_seconds: float = 2.0,
    ) -> RefreshReport | None:
        """Do the same for the documents ``of``, those being gone that ``catalog`` lacks; the others stay as they are.

        ``None``: nothing was done, since there is no index to build upon, or none of this version. Raises as
        ``refresh``.
        """
        try:
            return self._refresh(
                Refresh(
                    folder=self.folder,
                    catalog=catalog,
                    of=of,
                    load=load,
                    zone=self._zone,
                    progress=progress,
                    budget_seconds=budget_seconds,
                    wait_seconds=wait_seconds,
                    manifests=self._manifests,
                ),
                rebuild=False,
            )
        except NeedsAll:
            return None

    def _refresh(self, refresh: Refresh, *, rebuild: bool) -> RefreshReport:
        with self._writing():
            report = refresh.run(rebuild=rebuild)
        if report.repaired or not report.pending:
            self._problem = None
        return report

    def embed_pending(
        self,
        budget_seconds: float | None = None,
        progress: Progress | None = None,
        *,
        stop: Callable[[], bool] = lambda: False,
    ) -> int:
        """Embed texts that have no vector yet, newest first, and return how many were; searches may go on meanwhile.

        Stops after ``budget_seconds``, or between two batches when ``stop()`` is true, and goes on at the next call.
        Returns 0 when nothing is pending, no model is there or another process is embedding. Raises
        ``IndexUnavailable`` when the vectors cannot be written.
        """
        from wwt_vault.index.embedding import embed  # noqa: PLC0415 - numpy

        found = self._model()
        if found is None:
            return 0
        embedder, store, _ = found

        def work(searcher: Searcher) -> int:
            lock = self.folder / _EMBEDDING_LOCK
            return embed(
                searcher, embedder, store, lock=lock, budget_seconds=budget_seconds, stop=stop, progress=progress
            )

        with self._writing():
            return self._ask(work, 0)

    def purge(self) -> None:
        """Remove what no longer belongs to the current generation: earlier generations, vectors of texts that are gone.

        After a ``refresh(rebuild=True)`` nothing of a forgotten text is left in the folder. Another process that is
        embedding texts of an earlier generation gives that up first, between two batches. Raises ``IndexUnavailable``
        when something cannot be removed.
        """
        from filelock import FileLock, Timeout  # noqa: PLC0415 - 100 ms that no search needs

        from wwt_vault.index import privacy  # noqa: PLC0415
        from wwt_vault.index.vectors import prune_all  # noqa: PLC0415 - numpy

        def work(searcher: Searcher) -> None:
            sweep(self.folder, keep=0)
            embedding = FileLock(self.folder / _EMBEDDING_LOCK, timeout=_BATCH_SECONDS, mode=privacy.FILE_MODE)
            with suppress(Timeout), embedding:
                pass  # whoever had it has put away the last batch of what is gone
            prune_all(self.folder / "vectors", searcher.generation.rows.vector_key)

        with self._writing():
            self._ask(work, None)

    # --- Searching ----------------------------------------------------------------------------------------------------

    def keyword(self, query: str, limit_to: Filters = _EVERYTHING, limit: int = 50) -> list[KeywordHit]:
        """Return at most ``limit`` passages that hold words of ``query``, best first, equal ones always in one order.

        What stands in quotation marks must be in every hit, unless it is nowhere and more than that is asked. Empty for
        a query of only particles, stop words or symbols. The text is never parsed as query syntax. Any length: its
        first 4,000 characters are searched.
        """
        return self._ask(lambda searcher: searcher.keyword(query, limit_to, limit), [])

    def newest(self, limit_to: Filters = _EVERYTHING, limit: int = 50) -> list[Passage]:
        """Return at most ``limit`` passages, newest first; those without a time are left out."""
        return self._ask(lambda searcher: searcher.newest(limit_to, limit), [])

    def use_glossary(self, groups: tuple[Group, ...]) -> None:
        """From now on take the words of each group for one word, in every question. Nothing is indexed anew."""
        with self._lock:
            if groups != self._glossary:
                self._glossary = groups
                if self._searcher is not None:
                    self._searcher.use_glossary(groups)

    def also(self, query: str) -> dict[str, Group]:
        """Return what in ``query`` is found in other ways of writing as well, and which: loanwords, the glossary."""
        return self._ask(lambda searcher: searcher.also(query), {})

    def by_sound(self, query: str) -> dict[str, Group]:
        """Return what in ``query`` is nowhere as it is written, and what in the other script sounds like it."""
        return self._ask(lambda searcher: searcher.by_sound(query), {})

    def keyword_scores(self, query: str, ids: Iterable[str]) -> dict[str, float]:
        """Return the ``keyword`` score of given passages, 0 where no word of the query is; unknown ids are left out."""
        ids = tuple(ids)
        return self._ask(lambda searcher: searcher.keyword_scores(query, ids), {})

    def query_terms(self, query: str) -> tuple[QueryTerm, ...]:
        """Return the words of ``query`` that are searched for, in order, each once; ``()`` when it only asks."""
        return self._ask(lambda searcher: searcher.terms(query), ())

    def meaning(self, query: str, limit_to: Filters = _EVERYTHING, limit: int = 50) -> list[MeaningHit] | None:
        """Return at most ``limit`` passages nearest to ``query``; ``None`` without a model or without any vector."""
        return self._ask_model(
            query, lambda s, embedder, centring: s.meaning(query, limit_to, limit, embedder=embedder, centring=centring)
        )

    def nearest(self, text: str, limit_to: Filters = _EVERYTHING, limit: int = 10) -> list[MeaningHit] | None:
        """Return the passages that say most nearly what ``text`` says, as statements are compared with one another.

        ``text`` is in the shape of ``passages.embedded_texts``: title, heading, what stands there. ``None`` without a
        model.
        """
        return self._ask_model(
            text, lambda s, embedder, centring: s.nearest(text, limit_to, limit, embedder=embedder, centring=centring)
        )

    def cosines(self, query: str, ids: Iterable[str]) -> dict[str, float] | None:
        """Return the cosine of given passages, those without a vector left out; ``None`` as in ``meaning``."""
        ids = tuple(ids)
        return self._ask_model(
            query, lambda s, embedder, centring: s.cosines(query, ids, embedder=embedder, centring=centring)
        )

    def likeness(self, ids: Iterable[str]) -> list[list[float]]:
        """Return how near each of a few passages is to each other one in meaning, -1..1; 0 where that is not known."""
        ids = tuple(ids)
        found = self._model()
        nothing = [[0.0] * len(ids) for _ in ids]
        if found is None:
            return nothing
        return self._ask(lambda searcher: searcher.likeness(ids, found[2]), nothing)

    def passages(self, ids: Iterable[str]) -> dict[str, Passage]:
        """Return the passages of these ids, those that are not indexed left out."""
        ids = tuple(ids)
        return self._ask(lambda searcher: searcher.passages(ids), {})

    def status(self) -> IndexStatus:
        """Say where the index stands. Cheap: once per search is fine. Loads no model, but asks ``embedder`` for it."""
        found = self._model()

        def work(searcher: Searcher) -> IndexStatus:
            about = searcher.generation.about
            return IndexStatus(
                generation=about.number,
                documents=about.documents,
                passages=about.passages,
                embedded=searcher.embedded(found[1]) if found else 0,
                model=found[0].name if found else None,
                problem=self._problem,
            )

        nothing = IndexStatus(generation=None, documents=0, passages=0, embedded=0, model=None, problem=self._problem)
        return self._ask(work, nothing)

    def model(self) -> str | None:
        """Return the name of the model, ``None`` without one. Raises ``ModelUnavailable``."""
        embedder = self._embedder()
        return embedder.name if embedder is not None else None

    def apart(self, folder: Path) -> Index:
        """Return an index of its own in an empty ``folder``, with the same model and the vectors that are there."""
        import shutil  # noqa: PLC0415 - only for experiments

        with suppress(FileNotFoundError):
            shutil.copytree(self.folder / "vectors", folder / "vectors", ignore=shutil.ignore_patterns("*.lock"))
        found = Index(folder, self._embedder)
        found._zone, found._glossary = self._zone, self._glossary
        return found

    def close(self) -> None:
        """Let go of all files; the index can be used again."""
        with self._lock:
            if self._searcher is not None:
                self._searcher.generation.close()
                self._searcher = None

    # --- Which generation answers -------------------------------------------------------------------------------------

    def _ask(self, work: Callable[[Searcher], _Answer], nothing: _Answer) -> _Answer:
        """Let the current generation answer, the one before if it is damaged, else return ``nothing``."""
        for _ in range(3):
            searcher = self._current()
            if searcher is None:
                return nothing
            try:
                return work(searcher)
            except ModelUnavailable as error:  # a server that was there has gone
                self._problem = str(error)
                return nothing
            except Damaged as damage:
                self._say_damaged(searcher.generation.number, damage)
                searcher.generation.mark_damaged(str(damage))
                with self._lock:
                    if self._searcher is searcher:
                        self._searcher = None
        return nothing

    def _ask_model(self, text: str, work: Callable[[Searcher, Embedder, Centring], _Answer | None]) -> _Answer | None:
        """Do the same with the model; ``None`` while there is none, and for no text."""
        found = self._model() if text.strip() else None
        if found is None:
            return None
        return self._ask(lambda searcher: work(searcher, found[0], found[2]), None)

    def _say_damaged(self, number: int, damage: Damaged) -> None:
        with suppress(Damaged):
            if current_generation(self.folder) != number:
                return  # not damaged but swept away: newer ones were published meanwhile
        self._problem = f"generation {number} is damaged ({damage}) and will be built anew"

    def _current(self) -> Searcher | None:
        """Return the published generation, or the newest one that can be read where that one cannot."""
        from wwt_vault.index.searching import Searcher  # noqa: PLC0415 - numpy

        with self._lock:
            number = None
            with suppress(Damaged):
                number = current_generation(self.folder)
            if self._searcher is not None and self._searcher.generation.number == number:
                return self._searcher
            for candidate in others(self.folder, number):
                try:
                    generation = Generation(self.folder, candidate)
                except Damaged as damage:
                    self._say_damaged(candidate, damage)
                    continue
                if self._searcher is None or self._searcher.generation.number != candidate:
                    self._searcher = Searcher(generation, self._glossary)
                return self._searcher
            self._searcher = None
            return None

    def _model(self) -> tuple[Embedder, VectorStore, Centring] | None:
        """Return the model, its vectors and how they are compared, ``None`` while there is none."""
        try:
            embedder = self._embedder()
        except ModelUnavailable as error:
            self._problem = str(error)
            return None
        if embedder is None:
            return None
        with self._lock:
            if embedder.name not in self._stores:
                from wwt_vault.index.centring import Centring  # noqa: PLC0415 - numpy
                from wwt_vault.index.vectors import VectorStore  # noqa: PLC0415 - as above

                folder = self.folder / "vectors"
                store = VectorStore(folder, embedder.name, embedder.dimension)
                self._stores[embedder.name] = (store, Centring(folder, embedder, store))
            return embedder, *self._stores[embedder.name]

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Say of whatever the disk refuses what it means and what to do."""
        try:
            yield
        except OSError as error:
            raise IndexUnavailable(
                f"The index in {self.folder} cannot be written ({error.strerror or error}). What was indexed before is"
                " still searched. Free space there, or delete the folder: it is made again from the vault.",
                folder=str(self.folder),
            ) from error
