"""What readers of exports share: every node in one branch, every message with a time, every reason once."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wwt_vault.capture.exports import Left, branches, file_note, moment, one_line, whole_times

START = datetime(2026, 11, 30, 2, 0, tzinfo=UTC)
NODES = st.sampled_from("abcdefgh")


@given(st.dictionaries(NODES, st.none() | NODES | st.just("gone"), max_size=8), st.none() | NODES)
def test_every_node_is_in_one_branch_behind_its_parent(parents: dict[str, str | None], current: str | None) -> None:
    """Whatever is missing, also when parents form a circle; the shown branch ends where it should, and comes first."""
    found = branches(parents, current, {})
    assert sorted(node for branch in found for node in branch.nodes) == sorted(parents)
    assert [branch.name for branch in found].count(None) == 1 and found[0].name is None
    for branch in found:
        assert branch.name is None or branch.name == branch.nodes[0]
        assert all(parents[below] == above for above, below in zip(branch.nodes, branch.nodes[1:], strict=False))
    if current in parents:
        assert found[0].nodes[-1] == current


def test_without_a_leaf_that_is_named_the_newest_is_shown() -> None:
    """By its time; of leaves without one, the one that was written last."""
    parents = {"r": None, "a": "r", "b": "r"}
    assert branches(parents, None, {"a": START, "b": START - timedelta(days=1)})[0].nodes == ["r", "a"]
    assert branches(parents, "nowhere", {})[0].nodes == ["r", "b"]


def test_a_branch_keeps_its_name_when_it_grows() -> None:
    """So that it is the same session in a later export."""
    parents: dict[str, str | None] = {"r": None, "a": "r", "b": "r", "c": "b"}
    assert [branch.name for branch in branches(parents, "a", {})] == [None, "b"]
    assert [branch.name for branch in branches({**parents, "d": "c"}, "a", {})] == [None, "b"]


@given(st.lists(st.none() | st.integers(-500, 500).map(lambda n: START + timedelta(seconds=n)), max_size=8))
def test_every_message_gets_a_time_and_known_ones_stay(times: list[datetime | None]) -> None:
    """One that has none stands behind the one before it."""
    whole = whole_times(times, START)
    assert len(whole) == len(times)
    assert all(given is None or given == made for given, made in zip(times, whole, strict=True))
    for at, time in enumerate(times[1:], start=1):
        assert time is not None or whole[at] == whole[at - 1] + timedelta(milliseconds=1)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (1704067200.5, "2024-01-01T00:00:00.500000+00:00"),
        (1704067200500, "2024-01-01T00:00:00.500000+00:00"),
        ("2024-01-01T09:00:00+09:00", "2024-01-01T00:00:00+00:00"),
        ("2024-01-01T00:00:00.123456Z", "2024-01-01T00:00:00.123456+00:00"),
    ],
)
def test_a_moment_is_read_in_each_of_its_forms(value: object, expected: str) -> None:
    """Seconds, milliseconds, ISO 8601."""
    time = moment(value)
    assert time is not None and time.isoformat() == expected


@pytest.mark.parametrize("value", [None, "", "soon", 0, -1, True, float("nan"), float("inf"), 1e30, 10**40, [], {}])
def test_what_is_no_moment_is_none(value: object) -> None:
    """Never an error: exports have all of these."""
    assert moment(value) is None


def test_a_title_is_one_line_without_secrets() -> None:
    """It stands in the frontmatter of a note."""
    assert one_line("  a\n b ") == "a b"
    assert one_line(None) is None and one_line("") == ""
    title = one_line("deploy with password=Tr0ub4dor&3x")
    assert title is not None and "Tr0ub4dor" not in title
    assert len(one_line("x" * 5000) or "") <= 201


def test_a_file_is_told_in_one_line() -> None:
    """With what is known of it; a name cannot forge the line's end."""
    assert file_note("image", None) == "[image]"
    assert file_note("image", "a[1].png", 48_029) == "[image: a(1).png, 48,029 bytes]"
    assert file_note("file", "a\nb", True) == "[file: a b]"


def test_reasons_are_counted_and_their_kinds_are_limited() -> None:
    """An export has thousands of the same kind, and a hostile one thousands of kinds."""
    left = Left()
    for number in range(1000):
        left.add("a conversation without messages")
        left.add(f"odd {number}")
    told = list(left.skipped(Path("x.json")))
    assert told[0].reason == "a conversation without messages (1,000 times)" and len(told) <= 51
