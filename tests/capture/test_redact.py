"""What redaction promises whatever the secret: span-exact, idempotent, deterministic, linear, in every form."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.hanging import ends
from wwt_vault.capture.redact import find_secrets, redact
from wwt_vault.model.conversation import Redaction

MARKER = r"\[REDACTED:[a-z0-9-]+\]"
KEY = "ghp_" + "Zx81Qm4TnB" * 3 + "7LcVr2"
"""The form of a GitHub token, put together here so that no scanner takes this file for a leak."""


def test_the_name_stays_and_only_the_value_goes() -> None:
    """The words around a secret are what the conversation was about."""
    assert redact("DB_PASSWORD=Hunter2!kor # staging") == (
        "DB_PASSWORD=[REDACTED:password] # staging",
        (Redaction("password", 1),),
    )


def test_nothing_of_the_secret_is_told() -> None:
    """Two secrets of other length and letters leave the same text: neither length nor digest can be read off."""
    assert redact("password: Ab1!") == redact("password: " + "Zq9?" * 30)


def test_each_kind_is_counted_once_per_place() -> None:
    """The event records what was taken out, sorted by kind."""
    text = f"비밀번호는 Qwer!234 입니다. {KEY} 와 {KEY}, https://kim:pw12!x@h/x"
    assert redact(text)[1] == (Redaction("github-token", 2), Redaction("password", 1), Redaction("url-password", 1))


def test_a_text_without_secrets_comes_back_itself() -> None:
    """Nothing is normalised on the way."""
    text = "오늘 회의록: 토큰 예산은 4,000. \r\n\tİstanbul ﬁ \u0000 e\u0301"
    assert redact(text) == (text, ())


@pytest.mark.parametrize(
    "text",
    [
        f"token {KEY}. Later: 그 키 {KEY}로 push",
        "password=Hunter2!kor\n... 나중에 Hunter2!kor를 다시 입력",
        'curl -u kim:"pä ss&1" x\n비밀번호는 `pä ss&1`, URL에는 p%C3%A4%20ss%261',
        'password = "a\\"b&c9"\nhtml: a\\"b&amp;c9\nurl: a%5C%22b%26c9\nagain a"b&c9',
    ],
)
def test_a_secret_found_once_is_taken_out_everywhere(text: str) -> None:
    """Bare, in a URL, in HTML and in JSON: what is known to be secret is secret wherever it stands."""
    clean, _ = redact(text)
    for form in (KEY, "Hunter2!kor", "ss&1", "ss%261", "b&c9", "b&amp;c9", "b%26c9"):
        assert form not in clean


def test_a_short_secret_is_not_cut_out_of_longer_words() -> None:
    """A password that is also a syllable would otherwise punch holes into the text."""
    clean, _ = redact("password: abc12 — xabc123 abc12b, abc12")
    assert clean == "password: [REDACTED:password] — xabc123 abc12b, [REDACTED:password]"


def test_a_default_name_is_not_taken_out_of_the_whole_text() -> None:
    """``postgres`` is the password here and the program there."""
    clean, _ = redact("POSTGRES_PASSWORD=postgres\nimage: postgres:16")
    assert clean == "POSTGRES_PASSWORD=[REDACTED:password]\nimage: postgres:16"


def test_of_thousands_of_secrets_each_repetition_goes() -> None:
    """Past the number that is looked for one by one, whole words are still compared."""
    secrets = [f"Pw{index:04}x!{index * 7919 % 9973:04}Z" for index in range(300)]
    text = "\n".join(f"password={secret}" for secret in secrets) + "\nused: " + " ".join(secrets)
    clean, counts = redact(text)
    assert not any(secret in clean for secret in secrets)
    assert counts == (Redaction("password", 600),)


def test_rules_that_overlap_give_one_marker_of_the_surest_kind() -> None:
    """A token under a password's name is that token; a header that holds one is one header."""
    assert redact(f"password={KEY}")[0] == "password=[REDACTED:github-token]"
    assert redact(f"Authorization: Bearer {KEY}.")[0] == "Authorization: Bearer [REDACTED:github-token]."
    assert redact(f"https://x:{KEY}@github.com/a/b")[0] == "https://x:[REDACTED:github-token]@github.com/a/b"


def test_markers_that_stand_already_are_left_alone() -> None:
    """Text that was redacted before, here or elsewhere, is not redacted deeper, and its kinds are no keywords."""
    text = "password=[REDACTED:password] [REDACTED:recovery-code] a1b2-c3d4 [REDACTED:token]=abcd1234efgh"
    assert redact(text) == (text, ())


def test_what_stands_before_a_marker_in_a_value_goes_too() -> None:
    """Half a secret is not left because the other half is gone."""
    assert redact("password=Hunter2!x[REDACTED:jwt]")[0] == "password=[REDACTED:password][REDACTED:jwt]"


# --- <private> -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("a <private>회사 기밀\n둘째 줄</private> b", "a [REDACTED:private] b"),
        ("<PRIVATE>x</PRIVATE>", "[REDACTED:private]"),
        ("a <private>1 <private>2</private> 3</private> b", "a [REDACTED:private] b"),
        ("`<private>` hides, as in <private>this</private>.", "`<private>` hides, as in [REDACTED:private]."),
        ("write <private>…</private> around it", "write <private>…</private> around it"),
        ("an open <private> tag is only named", "an open <private> tag is only named"),
    ],
)
def test_what_a_person_marks_private_is_kept_out(text: str, clean: str) -> None:
    """The tags go with their content; talk about the tags stays."""
    assert redact(text)[0] == clean


# --- whatever comes ------------------------------------------------------------------------------------------------

PIECES = [
    "password", "비밀번호", "비번은", "pw", "token", "api_key", "secret", "Authorization: Bearer", "Cookie:",
    "https://u:", "@h", "mysql -p", "curl -u", "is", "=", ":", "→", ",", ";", "&", "'", '"', "`", "\\", "\\n", "\n",
    " ", "(", ")", "{", "}", "[", "]", "<", ">", "Hunter2!kor", "abcd1234", "swordfish", KEY, "eyJhbGciOiJIUzI1NiJ9",
    ".", "-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----", "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC", "<private>",
    "</private>", "[REDACTED:password]", "[REDACTED:", "입니다", "를", "900101-1234567", "recovery codes",
    "a1b2-c3d4", "|", "---", "%3D", "\\u003d", "AKIA", "sk-", "İ", "\ud800", "한글", "—",
]  # fmt: skip
texts = st.lists(st.sampled_from(PIECES) | st.text(max_size=6), max_size=40).map("".join)
many = settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@many
@given(texts)
def test_redacting_again_changes_nothing(text: str) -> None:
    """An event may pass here more than once: from a payload, a transcript, a queue, at recall."""
    clean, _ = redact(text)
    assert redact(clean) == (clean, ())


@many
@given(texts)
def test_outside_the_markers_the_text_is_the_same(text: str) -> None:
    """Each stretch between markers stands in the original, in order: nothing is added, moved or changed."""
    pieces = re.split(MARKER, redact(text)[0])
    assert re.fullmatch("(?:.+?)".join(map(re.escape, pieces)), text, re.DOTALL) or redact(text)[0] == text


@many
@given(texts)
def test_finds_are_in_order_and_apart(text: str) -> None:
    """Whoever shows or removes them can go through them once."""
    finds = find_secrets(text)
    assert all(a.end <= b.start for a, b in pairwise(finds))
    assert all(0 <= find.start < find.end <= len(text) for find in finds)


@many
@given(st.text(alphabet="가나다라 \n.,", max_size=30), st.text(alphabet="가나다라 \n.,", max_size=30))
def test_other_words_around_a_secret_change_nothing(before: str, after: str) -> None:
    """Where a secret is found does not depend on what is told before and after it."""
    assert (
        redact(f"{before}\nDB_PASSWORD=Hunter2!kor\n{after}")[0]
        == f"{before}\nDB_PASSWORD=[REDACTED:password]\n{after}"
    )


# --- hostile input -------------------------------------------------------------------------------------------------

HOSTILE = [
    "password=", "pw='", 'pw="', 'pw=\\"', "password: ", "password is ", "the ", "pass", "token=${", "token={",
    "api_key=", "a", "1", "-", "_", ".", "=", "/", ":", "\\", "\\n", "'", '"', "`", "@", "<", ">", "(", ")", "[", "{",
    "%", "$", "|", " ", "\n", "한", "비밀번호 ", "비밀번호는 가나 ", "비밀번호 「", "키 ", "인증번호 ", "계좌 ",
    "카드 ", "abcd1234가 비밀번호", "パスワード", "https://a:", "https://a:b@", "postgres://a:/", "authorization: ",
    "authorization:", "bearer ", "cookie: a=b; ", "cookie:a=", "curl -u ", "curl -b ", "mysql ", "docker login ",
    "echo a|", "--password ", "login a password ", "user a\npassword b\n", "a:1:b:c:d\n:5432:", "recovery codes ",
    "recovery codes: a1b2-c3d4 ", "seed phrase: abandon ", "-----BEGIN PRIVATE KEY-----",
    "-----BEGIN PRIVATE KEY-----\nProc-Type: x", "-----BEGIN PRIVATE KEY-----\nAAAAAAAAAAAAAAAAAAAAAAAA\n",
    "LS0tLS1CRUdJT", "Private-Lines: 3\nAAAAAAAAAAAAAAAAAAAAAAAA\n", "<private>", "</private>", "<private></private>",
    "eyJaaaaaaaaa.eyJ", "AKIAABCDEFGHIJKLMNOP ", "EAA1", "sk-1a", "sk-ant-", "pa-", "tskey-", "xoxb-1234567890", "s.",
    "aaa1Q~", ":AA", "$argon2id$", "otpauth://a?", "sig=", "discord MTA", "private key ", "[REDACTED:x]",
    "password=[REDACTED:x]", "[REDACTED:", "900101-1234567 ", "4111 1111 1111 1111 ", "otp 123456 ", "id/pw: ",
    "setpassword(\"", "| password |\n|---|\n", "name=\"password\">", "password from a1!bc to ",
    "a1!bcd is the password ", "İ", "\ud800",
]  # fmt: skip


@pytest.mark.parametrize("unit", HOSTILE, ids=repr)
def test_hostile_repeats_do_not_hang(unit: str) -> None:
    """A prompt that repeats the beginning of a rule must not hang the hook: the work grows with the text, no faster."""
    with ends():
        redact(unit * (240_000 // len(unit)))


def test_every_process_gives_the_same_result() -> None:
    """The event's id is made of the redacted text: two machines that import one transcript must write the same file."""
    text = "\n".join(
        [f"algolia: {KEY[4:]} heroku=Zx81Qm4TnBZx81Qm4TnBZx81", "비밀번호는 Qwer!234", f"x={KEY}&password={KEY}"]
    )
    code = f"from wwt_vault.capture.redact import redact; print(ascii(redact({text!r})))"
    runs = {
        subprocess.run(
            [sys.executable, "-c", code], env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert runs == {(ascii(redact(text)) + "\n").encode()}


def test_importing_it_compiles_nothing_and_needs_only_the_standard_library() -> None:
    """A hook pays for every import and every pattern."""
    code = (
        "import sys, re; real = re.compile; calls = []\n"
        "re.compile = lambda *a, **k: calls.append(a) or real(*a, **k)\n"
        "import wwt_vault.capture; before = len(calls), set(sys.modules)\n"
        "import wwt_vault.capture.redact\n"
        "new = {name.split('.')[0] for name in set(sys.modules) - before[1]}\n"
        "print(len(calls) - before[0], sorted(new - set(sys.stdlib_module_names)))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() in ("0 []", "0 ['wwt_vault']")
