"""JSON as a stream: what is taken is what ``json`` would give, whatever the pieces in which the file comes."""

from __future__ import annotations

import io
import json
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wwt_vault.capture import json_stream
from wwt_vault.capture.json_stream import JsonStream, Unreadable

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**6), 10**6) | st.floats(allow_nan=False) | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=20,
)


@contextmanager
def small_pieces() -> Iterator[None]:
    """Read a few bytes at a time, so that every boundary is met, and shorten soon."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_stream, "_CHUNK", 3)
        patch.setattr(json_stream, "_WHOLE", 40)
        yield


def stream(data: bytes | str) -> JsonStream:
    """Return a stream over ``data``."""
    return JsonStream(io.BytesIO(data if isinstance(data, bytes) else data.encode()))


def walked(at: JsonStream) -> Any:
    """Take a value by walking into every object and list of it."""
    mark = at.kind()
    if mark == "[":
        return [walked(at) for _ in at.elements()]
    if mark == "{":
        return {name: walked(at) for name in at.members()}
    return at.value()


@given(st.lists(VALUES, max_size=6), st.booleans(), st.sampled_from([None, 1]), st.integers(0, 2))
@small_pieces()
def test_every_way_of_taking_a_value_gives_what_was_written(
    values: list[Any], ascii_only: bool, indent: int | None, way: int
) -> None:
    """Whole, by walking into it, or passed over: what comes behind is found."""
    at = stream(json.dumps(values, ensure_ascii=ascii_only, indent=indent))
    for number in at.elements():
        if (number + way) % 3 == 0:
            assert at.value() == values[number]
        elif (number + way) % 3 == 1:
            assert walked(at) == values[number]
        else:
            at.skip()
    assert at.kind() == ""


@given(st.lists(VALUES, max_size=4))
@small_pieces()
def test_what_is_offered_and_not_taken_is_passed_over(values: list[Any]) -> None:
    """A reader need only name what it wants."""
    at = stream(json.dumps({f"k{number}": value for number, value in enumerate(values)}))
    assert list(at.members()) == [f"k{number}" for number in range(len(values))]
    assert at.kind() == ""


@given(st.binary(max_size=60) | st.text('[]{}",:\\u0tfn1 é', max_size=40).map(str.encode))
@small_pieces()
def test_nothing_is_too_odd_to_be_refused(data: bytes) -> None:
    """What is no JSON ends in a ``ValueError``, never in another error or without end."""
    for take in (JsonStream.value, JsonStream.skip, walked):
        at = stream(data)
        try:
            while at.kind():
                take(at)
        except ValueError:
            pass


@pytest.mark.parametrize("text", ["[1, 2", '[{"a": ', '["abc', "[[1]", '["a\\'])
@small_pieces()
def test_a_text_that_ends_in_the_middle_is_an_error_after_all_that_is_whole(text: str) -> None:
    """So that what was read of a file that was cut off counts."""
    at = stream(text)
    with pytest.raises(ValueError, match=r"ends in the middle|not JSON"):
        list(walked_elements(at))


def walked_elements(at: JsonStream) -> Iterator[Any]:
    """Yield the elements of a list."""
    for _ in at.elements():
        yield walked(at)


def test_one_value_that_is_no_json_does_not_hide_the_next() -> None:
    """A number without end, a word that is none, lists a thousand deep."""
    at = stream('[{"a": tru}, ' + "9" * 5000 + ", " + "[" * 5000 + "]" * 5000 + ', {"b": 1}]')
    found = [at.value() for _ in at.elements()]
    assert [isinstance(value, Unreadable) for value in found] == [True, True, True, False]
    assert found[3] == {"b": 1}


@small_pieces()
def test_a_byte_order_mark_and_line_ends_in_texts_are_no_hindrance() -> None:
    """Files come through many hands."""
    assert stream(b'\xef\xbb\xbf {"a": "x\ny\tz"}').value() == {"a": "x\ny\tz"}


@pytest.mark.parametrize("letter", ["x", "\\u00e9", "가", '\\"'])
def test_of_a_text_of_megabytes_the_beginning_is_kept_and_the_rest_counted(letter: str) -> None:
    """Whatever the text is made of; the value around it stays whole."""
    at = stream('[{"a": "' + letter * 9_000_000 + '", "b": [1, "c"]}, 7]')
    first, second = (at.value() for _ in at.elements())
    one = json.loads(f'"{letter}"')
    assert second == 7 and first["b"] == [1, "c"]
    assert first["a"].startswith(one * 900_000) and first["a"].endswith("more characters were not kept]")


def test_the_halves_of_a_pair_are_not_parted() -> None:
    """A text is cut between two characters, also where they are written as escapes."""
    for shift in range(13):
        at = stream('["' + "x" * shift + "\\ud83d\\ude00" * 900_000 + '"]')
        [text] = [at.value() for _ in at.elements()]
        assert text.partition("\n\n[…")[0] == "x" * shift + "😀" * text.count("😀")


def test_memory_does_not_grow_with_the_file() -> None:
    """A text of 100 MB, then 20 MB of small values: what is held is a few megabytes."""

    class Endless(io.RawIOBase):
        parts = iter([b'[{"t": "', *[b"abcdefgh" * 131_072] * 100, b'"}', *[b',{"n": [1, 2, 3]}' * 60_000] * 20, b"]"])
        left = b""

        def readable(self) -> bool:
            return True

        def readinto(self, buffer: Any) -> int:
            self.left = self.left or next(self.parts, b"")
            piece, self.left = self.left[: len(buffer)], self.left[len(buffer) :]
            buffer[: len(piece)] = piece
            return len(piece)

    tracemalloc.start()
    at = JsonStream(io.BufferedReader(Endless()))
    count = 0
    for _ in at.elements():
        at.skip() if count else at.value()
        count += 1
        if count > 60_000:
            break
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert count > 60_000 and peak < 40_000_000
