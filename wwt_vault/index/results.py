"""What the index answers: hits, terms, reports. Values only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from wwt_vault.model.conversation import Problem
from wwt_vault.model.knowledge import Passage

__all__ = ["IndexStatus", "KeywordHit", "MeaningHit", "QueryTerm", "RefreshReport"]


class KeywordHit(NamedTuple):
    """A passage found by its words."""

    passage: Passage
    score: float
    """BM25F of the passage and its document: more than 0, unbounded, comparable within one question."""
    terms: tuple[str, ...]
    """Words of the question that it holds, as ``Index.query_terms`` names them."""
    exact: frozenset[str] = frozenset()
    """Those of them that name one thing (codes, paths, versions, names), where they stand as words of their own."""
    inside: frozenset[str] = frozenset()
    """The others of those: what it holds within a longer one, or written apart, as ``4031`` in ``E4031``."""


class MeaningHit(NamedTuple):
    """A passage found by its meaning."""

    passage: Passage
    cosine: float
    """-1..1; of the nearest of its texts."""


class QueryTerm(NamedTuple):
    """A word of a question that is searched for."""

    text: str
    """As asked, case-folded; Korean without particles and endings."""
    idf: float
    """``log(1 + (N - n + ½) / (n + ½))``, n of N passages hold its rarest form; ``log(1 + N)`` when none does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RefreshReport:
    """What a refresh did, and where the index now stands."""

    generation: int | None
    documents: int
    passages: int
    added: int = 0
    updated: int = 0
    removed: int = 0
    pending: int = 0
    """Documents that are not up to date: the time was up, another process is at it, or they could not be read."""
    withheld: int = 0
    """Documents gone from the catalog that stay indexed: so many at once look like a vault that is not mounted."""
    busy: bool = False
    """True: another process is refreshing; the last generation answers."""
    repaired: str | None = None
    """Why everything was built from nothing though an index was there; ``None`` otherwise."""
    problems: tuple[Problem, ...] = ()
    """Of the documents that were read."""

    @property
    def fresh(self) -> bool:
        """True when the index holds exactly what the catalog names."""
        return not (self.pending or self.withheld or self.busy)


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexStatus:
    """Where the index stands."""

    generation: int | None
    documents: int
    passages: int
    embedded: int
    """Passages whose meaning is known to the model that is loaded; 0 while none is."""
    model: str | None
    """Name of the model that is loaded."""
    problem: str | None = None
    """What keeps index or model from working as they should, for people."""
