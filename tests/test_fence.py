"""Recalled text stays data: it cannot leave its fence, and what we fenced never comes back as the person's words."""

from __future__ import annotations

import html

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.hanging import ends
from wwt_vault.capture.text import canonical
from wwt_vault.fence import FENCE_CLOSE, clean, defused, fence, quoted, single_line

KINDS = st.text("abcdefghijklmnopqrstuvwxyz-", min_size=1, max_size=20)
MARKS = st.sampled_from(
    ["<wwt-vault-context", "<", fence("", "a"), FENCE_CLOSE, html.escape(fence("", "b")), html.escape(FENCE_CLOSE)]
)
TEXTS = st.lists(st.text(max_size=60) | MARKS | st.just("\n"), max_size=8).map("".join)


@given(before=st.text(max_size=40), body=TEXTS, after=st.text(max_size=40), kind=KINDS, escapes=st.integers(0, 3))
def test_what_we_fence_never_comes_back(before: str, body: str, after: str, kind: str, escapes: int) -> None:
    """However often a host escapes our fence, the fence and all in it are gone, and what is around it stays."""
    fenced = fence(body, kind)
    for _ in range(escapes):
        fenced = html.escape(fenced, quote=escapes > 1)
    around = [defused(text).replace("<", "").replace("&", "").replace("\ufeff", "") for text in (before, after)]
    left = canonical(f"{around[0]}\n\n{fenced}\n\n{around[1]}")

    assert "wwt-vault-context" not in left
    assert "".join(left.split()) == "".join(canonical("\n\n".join(around)).split())


@given(body=TEXTS, kind=KINDS)
def test_nothing_inside_a_fence_can_end_it(body: str, kind: str) -> None:
    """Recalled words that spell our marks are made harmless, so that they cannot pass as the person's."""
    fenced = fence(body, kind)
    assert fenced.count(FENCE_CLOSE) == 1 and fenced.endswith("\n" + FENCE_CLOSE)
    assert fenced.count("<wwt-vault-context") == 1 and html.unescape(fenced).count(FENCE_CLOSE) == 1


@pytest.mark.parametrize(
    "unit", [fence("", "a")[:28], fence("x", "a"), FENCE_CLOSE, "<", "< ", "&lt;", "&amp;", "\u202e"]
)
@pytest.mark.parametrize("end", ["", " ", "\n"])
def test_a_megabyte_of_marks_does_not_hang(unit: str, end: str) -> None:
    """A prompt that repeats our marks must not hang the hook that takes them out, nor the answer that quotes them."""
    text = unit * (1_000_000 // len(unit)) + end * 20_000
    with ends():
        canonical(text)
        quoted(clean(fence(text, "a")))
        quoted(f"<{end * 100_000}")


@given(st.text())
def test_cleaning_is_idempotent_and_leaves_one_kind_of_line_end(text: str) -> None:
    """Cleaned text stays as it is, holds no carriage return, and can be written as UTF-8."""
    once = clean(text)

    assert clean(once) == once
    assert "\r" not in once
    once.encode()


def test_emoji_and_korean_survive_cleaning() -> None:
    """Only what shows nothing goes; decomposed Hangul is composed."""
    assert clean("👩‍👩‍👧 ❤️ 한글 \u1112\u1161\u11ab café\ttab\nline") == "👩‍👩‍👧 ❤️ 한글 한 café\ttab\nline"


def test_a_name_is_one_line_of_bounded_length() -> None:
    """A title of ten thousand characters does not push the words out."""
    assert single_line("a\nb\u202e " + "c" * 500, 20) == "a b " + "c" * 15 + "…"
    assert quoted("a\n\nb") == ["> a", ">", "> b"]
