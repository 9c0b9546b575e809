"""What differs, told from stamps."""

from __future__ import annotations

import pytest

from wwt_vault.index.comparison import compare, is_settled
from wwt_vault.index.generations import Known
from wwt_vault.model.conversation import DocumentId, Revision

SECOND = 1_000_000_000


def known(stamp: str = "1 5 5 7", settled: bool = True) -> Known:
    """Return a document that was read before."""
    return Known(stamp, settled, Revision("r"))


def names(*given: str) -> tuple[DocumentId, ...]:
    """Return document ids."""
    return tuple(DocumentId(name) for name in given)


def test_only_what_has_another_stamp_is_read() -> None:
    """New, changed, unsettled: read; the same: not; gone: removed."""
    a, b, c, d, e = names("a", "b", "c", "d", "e")
    change = compare(
        {a: "1 5 5 7", b: "1 6 6 7", c: "1 5 5 7", e: "1 5 5 7"},
        {a: known(), b: known(), c: known(settled=False), d: known()},
        allow_shrink=False,
    )
    assert set(change.read) == {b, c, e}
    assert change.removed == (d,)
    assert change


def test_nothing_changed_is_no_change() -> None:
    """An index of what there is has nothing to do."""
    a = DocumentId("a")
    assert not compare({a: "1 5 5 7"}, {a: known()}, allow_shrink=False)


def test_the_newest_are_read_first() -> None:
    """When the time is short, what was just said is found."""
    a, b, c = names("a", "b", "c")
    assert compare({a: "1 5 5 7", b: "9 7 3 7", c: "1 2 6 7"}, {}, allow_shrink=False).read == (b, c, a)


@pytest.mark.parametrize(
    ("before", "left", "allow", "removed"),
    [
        (19, 0, False, 19),
        (20, 0, False, 0),
        (20, 10, False, 10),
        (21, 10, False, 0),
        (40, 10, True, 30),
        (0, 0, False, 0),
    ],
)
def test_more_than_half_of_twenty_is_never_removed_unasked(before: int, left: int, allow: bool, removed: int) -> None:
    """An unmounted vault must not empty the index; a small vault may be cleared."""
    all_of_them = names(*(f"{n}" for n in range(before)))
    change = compare(
        dict.fromkeys(all_of_them[:left], "1 5 5 7"), dict.fromkeys(all_of_them, known()), allow_shrink=allow
    )
    assert len(change.removed) == removed
    assert len(change.withheld) == before - left - removed


@pytest.mark.parametrize(
    ("changed_at", "read_at", "settled"),
    [
        (100 * SECOND + 1, 100 * SECOND + 1, False),
        (100 * SECOND + 1, 100 * SECOND + 49_000_000, False),
        (100 * SECOND + 1, 101 * SECOND, True),
        (100 * SECOND, 101 * SECOND, False),
        (100 * SECOND, 102 * SECOND, True),
        (200 * SECOND, 100 * SECOND, False),
    ],
)
def test_a_file_read_within_a_tick_of_its_change_is_not_settled(changed_at: int, read_at: int, settled: bool) -> None:
    """50 ms where the clock counts below seconds, 2 s where it does not."""
    assert is_settled(f"1 {changed_at} 0 7", read_at) is settled


def test_the_change_time_counts_as_well() -> None:
    """An editor that sets the modification time back cannot hide a change."""
    assert not is_settled(f"1 5 {100 * SECOND + 1} 7", 100 * SECOND + 2)


def test_a_time_in_the_future_is_believed_after_the_second_reading() -> None:
    """Another machine's clock does not make the file read for ever."""
    stamp = f"1 {200 * SECOND} 0 7"
    assert not is_settled(stamp, 100 * SECOND, known("1 5 5 7"))
    assert is_settled(stamp, 100 * SECOND, known(stamp))


@pytest.mark.parametrize("stamp", ["", "abc", "5"])
def test_a_stamp_of_another_form_is_compared_and_no_more(stamp: str) -> None:
    """It settles at once."""
    assert is_settled(stamp, 5)
