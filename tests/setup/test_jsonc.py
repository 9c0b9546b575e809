"""Settings are edited as text: only what is added or taken out differs, and every edit can be taken back."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wwt_vault.errors import UnparsableSettings
from wwt_vault.setup import jsonc

NAMES = st.text(st.sampled_from('abc "\\/가{}[],:*'), max_size=6)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | NAMES
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3))
OBJECTS = st.dictionaries(NAMES, VALUES, max_size=4)
BLANKS = st.sampled_from(["", " ", "\n", "\n  ", "\t", ' // note: { } , " \n', "/* a, } */", "\n/* two\n lines */ "])


@st.composite
def documents(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    """Draw an object and a text of it with blanks and comments wherever the grammar allows them."""
    value = draw(OBJECTS)

    def trailing(one: Any) -> str:
        return draw(BLANKS) + "," if one and draw(st.booleans()) else ""

    def write(one: Any) -> str:
        if isinstance(one, dict):
            parts = [
                f"{draw(BLANKS)}{json.dumps(key, ensure_ascii=False)}{draw(BLANKS)}:{draw(BLANKS)}{write(inner)}"
                for key, inner in one.items()
            ]
            return "{" + ",".join(parts) + trailing(one) + draw(BLANKS) + "}"
        if isinstance(one, list):
            inner = ",".join(draw(BLANKS) + write(inner) for inner in one)
            return "[" + inner + trailing(one) + draw(BLANKS) + "]"
        return json.dumps(one, ensure_ascii=False) + draw(BLANKS)

    return draw(BLANKS) + write(value) + draw(BLANKS), value


def without_inserted(before: str, after: str) -> bool:
    """Return whether ``before`` comes out of ``after`` by leaving characters out."""
    rest = iter(after)
    return all(character in rest for character in before)


@given(documents())
def test_any_json_with_comments_is_read(document: tuple[str, dict[str, Any]]) -> None:
    """Blanks and comments, wherever they stand, do not change the value."""
    text, value = document
    assert jsonc.parse(text, "f") == value


@given(documents(), st.lists(NAMES, min_size=1, max_size=3), VALUES)
def test_put_sets_one_value_and_keeps_the_rest(
    document: tuple[str, dict[str, Any]], path: list[str], value: Any
) -> None:
    """The value is at its path, all other values are as before, and a second time changes nothing."""
    text, before = document
    try:
        after = jsonc.put(text, path, value, "f")
    except UnparsableSettings:
        assert any(not isinstance(jsonc.get(before, path[:at]), dict) for at in range(1, len(path)))
        return
    expected = json.loads(json.dumps(before))
    inner = expected
    for key in path[:-1]:
        inner = inner.setdefault(key, {})
    inner[path[-1]] = value
    assert jsonc.parse(after, "f") == expected
    assert jsonc.put(after, path, value, "f") == after


@given(documents(), VALUES)
def test_what_is_added_can_be_taken_out_again(document: tuple[str, dict[str, Any]], value: Any) -> None:
    """An added member is an insertion: no character is lost, and taking it out gives the very text back."""
    text, before = document
    key = "added by us"
    after = jsonc.put(text, [key], value, "f")
    assert without_inserted(text, after) or not before
    if before:
        assert jsonc.delete(after, [key], "f") == text
    else:
        assert jsonc.parse(jsonc.delete(after, [key], "f"), "f") == {}


@given(documents())
def test_delete_takes_out_one_member(document: tuple[str, dict[str, Any]]) -> None:
    """Whichever member is taken out, the others stay and the text is still JSON with the same comments outside it."""
    text, value = document
    for key in value:
        rest = {name: one for name, one in value.items() if name != key}
        assert jsonc.parse(jsonc.delete(text, [key], "f"), "f") == rest


def test_an_addition_looks_like_its_surroundings() -> None:
    """Indentation by tabs, a comment behind the last member and line ends are taken up."""
    text = '{\r\n\t"theme": "dark" // mine\r\n}\r\n'
    after = jsonc.append(text, ["hooks", "Stop"], {"a": 1}, "f")
    lines = [
        "{",
        '\t"theme": "dark", // mine',
        '\t"hooks": {',
        '\t\t"Stop": [',
        "\t\t\t{",
        '\t\t\t\t"a": 1',
        "\t\t\t}",
        "\t\t]",
        "\t}",
        "}",
        "",
    ]
    assert after == "\r\n".join(lines)
    assert jsonc.delete(after, ["hooks"], "f") == text


def test_a_file_on_one_line_stays_on_one_line() -> None:
    """What a program wrote without line breaks is not spread out."""
    after = jsonc.put('{"a": {"b": 1}}\n', ["a", "c"], [1, 2], "f")
    assert after == '{"a": {"b": 1, "c": [1, 2]}}\n'


def test_a_comma_behind_the_last_member_stays_there() -> None:
    """What is added has one, too; taken out again, the text is as before."""
    text = '{\n  "a": [1, 2,], // mine\n}\n'
    after = jsonc.put(text, ["b"], 3, "f")
    assert after == '{\n  "a": [1, 2,], // mine\n  "b": 3,\n}\n'
    assert jsonc.append(text, ["a"], 3, "f") == '{\n  "a": [1, 2, 3,], // mine\n}\n'
    assert jsonc.delete(after, ["b"], "f") == text


@pytest.mark.parametrize("text", ['{"a": 1,}', '{\n"a": {"b": [1, 2 /* c */ , ]}}'])
def test_a_comma_behind_the_last_member_can_be_refused(text: str) -> None:
    """Most hosts do not read a file that has one; the others' is left alone."""
    with pytest.raises(UnparsableSettings, match="a comma that nothing follows"):
        jsonc.refuse_trailing_comma(text, "f")
    jsonc.refuse_trailing_comma('{"a": [1, {"b": 2}]}', "f")


def test_appending_goes_to_the_end_of_the_array() -> None:
    """The person's elements keep their numbers: Codex knows an approved hook by them."""
    text = '{\n  "x": [\n    1,\n    2\n  ]\n}\n'
    assert jsonc.append(text, ["x"], 3, "f") == '{\n  "x": [\n    1,\n    2,\n    3\n  ]\n}\n'


def test_of_two_members_of_one_name_the_last_counts() -> None:
    """That is the one which the hosts read."""
    assert jsonc.put('{"a": 1, "a": 2}', ["a"], 3, "f") == '{"a": 1, "a": 3}'


@pytest.mark.parametrize("text", ["", "  \n", "\ufeff"])
def test_a_blank_file_becomes_an_object(text: str) -> None:
    """An empty settings file has nothing to lose; a byte order mark stays."""
    after = jsonc.put(text, ["a"], 1, "f")
    assert after.startswith("\ufeff") == text.startswith("\ufeff")
    assert jsonc.parse(after, "f") == {"a": 1}


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ('{\n  "a": 1,,\n}', 2, "a name in double quotes"),
        ("{\n\n  'a': 1}", 3, "a name in double quotes"),
        ('{"a": [1,\n,2]}', 2, "a value is expected"),
        ('{"a": 1\n"b": 2}', 2, "a comma or }"),
        ('{"a"\n1}', 2, "a colon"),
        ('{"a": tru}', 1, "tru is not a JSON value"),
        ('{"a": NaN}', 1, "NaN is not a JSON value"),
        ('{"a": 1', 1, "ends too early"),
        ('{"a": "x\ny"}', 1, "a value is expected"),
        ("{} {}", 1, "follows the end"),
        ("[1]", 1, "no JSON object"),
        ('{"a": 1} /* open', 1, "follows the end"),
        ("[" * 100_000, 1, "nested too deeply"),
    ],
)
def test_what_is_not_json_is_refused_with_its_line(text: str, line: int, says: str) -> None:
    """The message names file and line and what is wrong there."""
    with pytest.raises(UnparsableSettings, match=re.escape(says)) as caught:
        jsonc.parse(text, "/home/me/settings.json")
    assert caught.value.data["line"] == line
    assert "/home/me/settings.json" in str(caught.value)


@pytest.mark.parametrize(
    "text", ['{"hooks": []}', '{"hooks": null}', '{"hooks": {"Stop": {}}}', '{"hooks": {"Stop": "x"}}']
)
def test_what_has_another_shape_is_refused(text: str) -> None:
    """Where an array is to grow and something else stands, nothing is overwritten."""
    with pytest.raises(UnparsableSettings, match="should be an"):
        jsonc.append(text, ["hooks", "Stop"], 1, "f")
