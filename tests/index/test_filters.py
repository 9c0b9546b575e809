"""What a search may be limited to."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from tests.index.library import note
from wwt_vault.index.filters import NO_TIME, milliseconds, terms_of, terms_wanted
from wwt_vault.index.passages import drafts
from wwt_vault.model.knowledge import Filters


def passes(limit: Filters, **values: object) -> bool:
    """Say whether a note of these properties passes."""
    passage = drafts(note("n.md", "text", **values), UTC)[0].passage
    return set(terms_wanted(limit)) <= set(terms_of(passage))


@pytest.mark.parametrize(
    ("limit", "values", "expected"),
    [
        (Filters(), {}, True),
        (Filters(project="shop"), {"project": "shop"}, True),
        (Filters(project="Shop"), {"project": "shop"}, True),
        (Filters(project="sho"), {"project": "shop"}, False),
        (Filters(project="shop"), {}, False),
        (Filters(project="책방"), {"project": "책방"}, True),
        (Filters(host="codex"), {"host": "claude-code"}, False),
        (Filters(git_branch="fix/x"), {"git_branch": "fix/x"}, True),
        (Filters(layer="curated"), {}, True),
        (Filters(layer="session"), {}, False),
        (Filters(type="decision"), {"type": "decision"}, True),
        (Filters(status="current"), {"status": "superseded"}, False),
        (Filters(tag="db"), {"tags": ("db/redis",)}, True),
        (Filters(tag="#DB/Redis"), {"tags": ("db/redis",)}, True),
        (Filters(tag="redis"), {"tags": ("db/redis",)}, False),
        (Filters(cwd="/home/minji"), {"cwd": "/home/minji/shop/web"}, True),
        (Filters(cwd="/home/minji/"), {"cwd": "/home/minji"}, True),
        (Filters(cwd="/home/min"), {"cwd": "/home/minji"}, False),
        (Filters(cwd="/"), {"cwd": "/home/minji"}, True),
        (Filters(cwd="C:\\Users\\m"), {"cwd": "C:/Users/m/shop"}, True),
        (Filters(project="a=b*(c)"), {"project": "a=b*(c)"}, True),
        (Filters(project=""), {"project": "shop"}, False),
    ],
)
def test_a_limit_lets_through_what_it_names(limit: Filters, values: dict[str, object], expected: bool) -> None:
    """Whole values, case apart; folders and tags with what lies below them."""
    assert passes(limit, **values) is expected


def test_times_are_compared_in_milliseconds_since_1970() -> None:
    """A time without a zone is UTC; none lies before all."""
    assert milliseconds(datetime(1970, 1, 1, 0, 0, 1, 500_000, tzinfo=UTC)) == 1500
    assert milliseconds(datetime(1970, 1, 1, 0, 0, 1)) == 1000  # noqa: DTZ001 - that is what is tested
    assert milliseconds(None) == NO_TIME < milliseconds(datetime(1, 1, 2, tzinfo=UTC))
