"""The one spelling of a text, and that what we injected never comes back."""

from __future__ import annotations

import html
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wwt_vault.capture.text import MAX_TEXT, binary_note, canonical, stored
from wwt_vault.fence import FENCE_CLOSE, fence

MARKS = st.sampled_from(
    ["<wwt-vault-context", "<", fence("", "a"), FENCE_CLOSE, html.escape(fence("", "b")), html.escape(FENCE_CLOSE)]
)  # fmt: skip
WORDS = st.one_of(st.text(max_size=60), MARKS, st.just("<system-reminder>"), st.just("</hook_context>"), st.just("\n"))
TEXTS = st.lists(WORDS, max_size=8).map("".join)


@given(TEXTS)
def test_canonical_text_stays_as_it_is(text: str) -> None:
    """The form is one: bringing a text to it twice is bringing it once."""
    once = canonical(text)
    assert canonical(once) == once


@given(st.text())
def test_canonical_text_can_be_stored_anywhere(text: str) -> None:
    """UTF-8 can hold it, it is NFC, its lines end in line feeds, nothing blank is around it and no NUL in it."""
    once = canonical(text)
    assert once.encode().decode() == once
    assert unicodedata.is_normalized("NFC", once)
    assert "\r" not in once and "\0" not in once and once == once.strip()


@pytest.mark.parametrize(
    ("given_text", "kept"),
    [
        ("  한글\r\n둘째 줄\r셋째\n ", "한글\n둘째 줄\n셋째"),
        (unicodedata.normalize("NFD", "한글 café"), "한글 café"),
        ("a\ud800b", "a\ufffdb"),
        ("\ud83d\ude00", "😀"),
        ("nul\0nul", "nul\ufffdnul"),
        ("\ufeff\xa0What's right?", "What's right?"),
        ("<system-reminder>x\ny</system-reminder>\n<system-reminder>z</system-reminder>\nhello", "hello"),
        ("hello\n<system-reminder>be brief</system-reminder>", "hello"),
        ("<hook_context>told</hook_context>\n\n첫 질문", "첫 질문"),
        ("<session-start-hook>told</session-start-hook>first", "first"),
        ("why does <system-reminder>x</system-reminder> stand here?",) * 2,
        ("what is <system-reminder>?",) * 2,
        ("`<wwt-vault-context>` 태그가 뭐야?",) * 2,
        ('what does `<wwt-vault-context kind="x">` mean? Please explain.',) * 2,
    ],
)  # fmt: skip
def test_canonical_keeps_the_persons_words_and_no_more(given_text: str, kept: str) -> None:
    """Line ends, composition, broken characters, blanks and what hosts put around the words; never the words."""
    assert canonical(given_text) == kept


def test_a_fence_that_the_host_cut_off_is_gone_to_its_end() -> None:
    """A host shortens what is too long: then our closing mark is missing."""
    cut = fence("one\ntwo\nthree", "session-start")[:-25]
    assert canonical(f"question\n{cut}") == "question"


def test_gemini_wraps_and_escapes_and_still_gets_nothing_into_the_memory() -> None:
    """The very form that Gemini CLI 0.61 puts before a prompt and sends to its hooks."""
    escaped = fence("we chose <b>PostgreSQL</b>", "recall").replace("<", "&lt;").replace(">", "&gt;")
    assert canonical(f"<hook_context>{escaped}</hook_context>\n\n어떤 DB로 갈까?") == "어떤 DB로 갈까?"


def test_a_huge_text_is_cut_and_says_so() -> None:
    """A megabyte of a message is kept; the note says how much is missing, and no word is cut in two."""
    text, _ = stored("가나다라 " * 400_000)
    kept, note = text.split("\n\n[… ")
    assert len(text) <= MAX_TEXT
    assert kept.endswith("가나다라")
    assert int(note.partition(" ")[0].replace(",", "")) == 400_000 * 5 - 1 - len(kept)


def test_what_is_stored_has_no_secrets_in_it() -> None:
    """Redaction comes last, on the form that is stored, and is counted."""
    text, redactions = stored("\r\nthe key is AKIAQ3EGRZ7YBN2W5LHD, keep it")
    assert "AKIAQ3EGRZ7YBN2W5LHD" not in text
    assert sum(redaction.occurrences for redaction in redactions) == 1


def test_a_binary_is_one_line() -> None:
    """Kind, type, size and the beginning of its hash: enough to know it again."""
    assert (
        binary_note("image", "image/png", 1234567, "0123456789ab")
        == "[image: image/png, 1,234,567 bytes, sha256 0123456789ab]"
    )
