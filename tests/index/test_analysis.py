"""Text into terms: what finds what."""

from __future__ import annotations

import subprocess
import sys
import unicodedata
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wwt_vault.index.analysis import LANGUAGES, MAX_CONCEPTS, Terms, analyse_all, ask, exact_terms, language_of, plain


def analyse(text: str) -> Terms:
    """Return the terms of one text."""
    return analyse_all((text,))[0]


def finds(question: str, text: str) -> bool:
    """Say whether every word of the question is a term of the text, by itself or by all of its parts."""
    words = set(analyse(text).words)
    concepts = ask(question).concepts
    return bool(concepts) and all(c.terms[0] in words or set(c.terms[1:]) & words for c in concepts)


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("서버", "서버를 두 대로 늘렸다"),
        ("결제 데이터베이스로 무엇을", "결제와 서비스의 데이터베이스를 정하자"),
        ("데이터베이스", "지난번에 결제 데이터베이스로 골랐다"),
        ("서버가 느린가?", "느린 것은 서버뿐이다"),
        ("배포했던 날짜", "배포 날짜는 금요일"),
        ("바꾸기로", "레디스로 바꾸었다"),
        ("SSH 방식", "결국 SSH방식으로 정했다"),
        ("running", "the tests run"),
        ("connections", "Connection refused"),
        ("user_id", "the userId column"),
        ("userId", "user_id must not be null"),
        ("userid", "the user-id header"),
        ("user", "getUserName()"),
        ("main.py", "open src/app/main.py"),
        ("src/app/main.py", "in src/app/main.py:14"),
        ("app\\main.py", "app/main.py"),
        ("v1.2.3", "upgraded to 1.2.3"),
        ("1.2.3", "tag v1.2.3 is out"),
        ("3.11", "needs Python 3.11 or newer"),
        ("1000000", "1,000,000 rows"),
        ("2026-11-30", "on 2026-11-30 we moved"),
        ("ECONNREFUSED", "Error: connect ECONNREFUSED 127.0.0.1:5432"),
        ("127.0.0.1:5432", "Error: connect ECONNREFUSED 127.0.0.1:5432"),
        ("E1234", "error E1234: no such column"),
        ("HTTP 404", "HTTP404 again"),
        ("C++", "rewritten in C++."),
        ("C#", "the C# client"),
        (".env", "put it in .env, never in git"),
        ("nodejs", "node.js 22"),
        ("utf8", "encoded in UTF-8"),
        ("API", "three APIs"),
        ("alice", "Alice's idea"),
        ("cafe", "Café"),
        ("ABC", "ＡＢＣ"),
        ("東京", "東京都に住む"),
        ("数据库", "我们换了数据库"),
        ("水", "水曜日に会う"),
        ("Redis를", "Redis 쓰자"),
        ("pytest-xdist", "pytest-xdist로 돌린다"),
    ],
)
def test_a_word_finds_its_other_forms(question: str, text: str) -> None:
    """What a person types finds the text whatever particle, ending, case or joint it has there."""
    assert finds(question, text)


@pytest.mark.parametrize(
    ("question", "text"),
    [("1.2.3", "version 1.2.4"), ("E1234", "E4321"), ("C++", "plain C"), ("2026-11-30", "2026-11-29"), ("404", "4040")],
)
def test_numbers_and_versions_are_exact(question: str, text: str) -> None:
    """A near miss of a number is another number."""
    assert ask(question).concepts[0].terms[0] not in analyse(text).words


@pytest.mark.parametrize(
    "question",
    [
        "",
        " \n\t",
        "?!… ☃ 🤖",
        "은 는 이 가 을",
        "에서는",
        "what did he do",
        "그게 뭐였지?",
        "()[]{}*:^~",
        "\0",
        "\ud800",
    ],
)
def test_a_question_that_only_asks_is_empty(question: str) -> None:
    """Particles, pronouns, stop words and symbols alone search for nothing."""
    assert ask(question).is_empty


def test_what_only_asks_is_left_out_of_a_question() -> None:
    """The words that carry the question remain."""
    assert [concept.surface for concept in ask("그때 결정한 SSH 방식이 뭐였지?").concepts] == [
        "ssh",
        "결정",
        "방식",
    ]
    assert [concept.surface for concept in ask("What did we decide about caching?").concepts] == [
        "decide",
        "about",
        "caching",
    ]


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("밤에 볼 때 그림이", ["밤", "보", "때", "그림"]),
        ("회사 걸 쓰지", ["회사", "쓰"]),
        ("멈춰 둔 서버", ["멈추", "서버"]),
        ("캡션", ["캡션"]),
        ("에스큐라이트 폴더", ["에스큐라이트", "폴더"]),
    ],
)
def test_a_short_verb_or_a_loanword_is_not_taken_for_other_nouns(question: str, words: list[str]) -> None:
    """``볼 때`` is no ball, and SQLite in Hangul has no queue in it."""
    assert [concept.surface for concept in ask(question).concepts] == words


def test_decomposed_hangul_is_the_same_text() -> None:
    """A macOS file name in NFD and the same in NFC give the same terms."""
    text = "배포 설정을 바꿨다"
    assert analyse(unicodedata.normalize("NFD", text)) == analyse(text)


def test_names_unknown_to_the_analyser_are_found_by_their_bigrams() -> None:
    """A name keeps its bigrams whatever particle follows."""
    assert set(ask("뷁쉙넷은?").grams[:2]) <= set(analyse("뷁쉙넷에서 막혔다").grams)


def test_quoted_words_must_occur_even_stop_words() -> None:
    """Quotation marks make a phrase of anything, in every style."""
    for text in ('"to be or not"', "“to be or not”", "「to be or not」"):
        question = ask(text)
        assert [phrase.text for phrase in question.phrases] == ["to be or not"]
        assert question.only_quoted
    assert not ask('where is "to be or not" quoted').only_quoted


def test_quotation_marks_of_pasted_code_are_not_a_persons() -> None:
    """JSON has dozens of quoted words; none of them is demanded."""
    assert ask('{"a": "b", "c": "d", "e": "f"}').phrases == ()


def test_a_pasted_log_is_bounded() -> None:
    """100 KB give no more words than a question may have, from its beginning."""
    question = ask("start-marker " + " ".join(f"noise{n}" for n in range(10_000)) + " end-marker")
    assert len(question.concepts) <= MAX_CONCEPTS
    assert question.concepts[0].surface == "start-marker"
    repeated = ask("start-marker " + "noise " * 10_000 + "end-marker")
    assert "end-marker" not in {concept.surface for concept in repeated.concepts}


def test_korean_is_loaded_only_for_hangul() -> None:
    """A question in English never imports kiwi."""
    code = (
        "import sys; from wwt_vault.index.analysis import ask, analyse_all as terms; ask('redis cache');"
        "terms(['東京 abc']);"
        "assert 'kiwipiepy' not in sys.modules; ask('서버'); assert 'kiwipiepy' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_many_texts_at_once_are_analysed_as_each_alone() -> None:
    """Batches change nothing."""
    texts = ["서버를 늘렸다", "plain English", "", "배포는 금요일\n\n로그를 본다", "서버를 늘렸다", "가" * 5000]
    assert analyse_all(texts) == [analyse(text) for text in texts]


def test_threads_analyse_alike() -> None:
    """The analysers are shared by all threads of the server."""
    texts = [f"서버 {n}대를 배포했다, connections refused" for n in range(40)]
    alone = [ask(text) for text in texts]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(ask, texts)) == alone


@given(st.text(max_size=200))
@settings(max_examples=150, deadline=None)
def test_any_text_has_terms_that_can_be_stored(text: str) -> None:
    """Whatever is in a vault or typed: no error, no empty or endless term, and NFC and NFD agree."""
    terms = analyse(text)
    for term in (*terms.words, *terms.grams):
        assert term
        assert len(term) <= 200
        assert not term.isspace()
    ask(text)
    plain(text)
    # NFC is not stable under NFD for a few compatibility characters, so both sides are normalised once.
    nfc = unicodedata.normalize("NFC", text)
    assert analyse(unicodedata.normalize("NFD", nfc)) == analyse(nfc)


@given(st.lists(st.from_regex(r"[A-Za-z][A-Za-z0-9_./-]{0,20}", fullmatch=True), min_size=1, max_size=6))
@settings(deadline=None)
def test_a_text_is_found_by_its_own_words(names: list[str]) -> None:
    """Documents and questions are analysed alike: what was written can be asked for."""
    text = " ".join(names)
    words = set(analyse(text).words)
    assert all(concept.terms[0] in words for concept in ask(text).concepts)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("plain English", "other"), ("서버를 배포했다", "ko"), ("SSH 방식을 정했다", "ko"), ("東京に行きます", "ja"),
        ("我们换了数据库", "zh"), ("", "other"), ("Größe und Maße", "other"), ("the word 서버 among English", "other"),
    ],
)  # fmt: skip
def test_the_language_is_told_by_the_letters(text: str, language: str) -> None:
    """A fifth of them decides."""
    assert LANGUAGES[language_of(text)] == language


@given(st.text(alphabet="가나다 ab1.,éñひカ漢字", max_size=40))
def test_a_language_is_told_by_a_fifth_of_the_letters(text: str) -> None:
    """However it is counted: vectors are kept under keys that hold it."""
    letters = max(1, sum(map(str.isalpha, text)) // 5)
    hangul = sum("가" <= character <= "힣" for character in text)
    kana = sum("\u3040" <= character <= "\u30ff" for character in text)
    han = sum("\u4e00" <= character <= "\u9fff" for character in text)
    chinese = 2 if kana * 10 >= han else 3
    assert language_of(text) == (1 if hangul >= letters else chinese if kana + han >= letters else 0)


@pytest.mark.parametrize(
    ("question", "exact"),
    [
        ("PAY-4092가 왜 났지?", {"pay-4092"}), ("/etc/app/conf.yaml이 왜?", {"etc/app/conf.yaml"}),
        ("--no-follow는 언제부터야", {"no-follow"}), ("AUTH_TOKEN_TTL은 몇이야", {"auth_token_ttl"}),
        ("What is isComposing for in v2.3.1?", {"iscomposing", "v2.3.1"}), ("ERESOLVE가 났다", {"eresolve"}),
        ("Which queue do we use?", set()), ("3월에 30명이 2026년에", set()), ("Kafka를 왜 골랐지", {"kafka"}),
        ("where is .npmrc", {".npmrc"}),
        ("redux 왜 뺐지? kafka는?", {"redux", "kafka"}),
        ("why was redux removed", set()),
        ("새 DB에서 API 키를 쓰는 PR", set()),
        ("too much RAM, says the CI of E4031", {"e4031"}),
    ],
)  # fmt: skip
def test_exact_terms_are_those_that_name_one_thing(question: str, exact: set[str]) -> None:
    """Codes, paths, flags, capitals, Latin words in Korean; not words, counts, years and everyday abbreviations."""
    assert exact_terms(question) == exact
