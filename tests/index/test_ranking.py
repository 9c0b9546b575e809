"""How passages are ranked by their words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.index.library import START, Library, note, session
from wwt_vault.index import Index
from wwt_vault.model.knowledge import Document, Filters


def index_of(folder: Path, *documents: Document) -> Index:
    """Index documents by words."""
    library = Library(*documents)
    index = Index(folder, lambda: None)
    index.refresh(library.stamps, library.load)
    return index


def ranked(index: Index, query: str, *limits: Any, limit: int = 50) -> list[str]:
    """Return the documents of the hits, best first."""
    return [hit.passage.document for hit in index.keyword(query, *limits, limit=limit)]


FILLER = tuple(note(f"filler{n}.md", f"The cache is fast today, said person {n}.") for n in range(12))


def test_a_rare_word_counts_more_than_a_common_one(tmp_path: Path) -> None:
    """Who asks for both wants the rare one."""
    index = index_of(tmp_path, note("rare.md", "kubernetes"), *FILLER)
    assert ranked(index, "cache kubernetes")[0] == "rare.md"


def test_more_of_the_question_is_better(tmp_path: Path) -> None:
    """Two words beat one said twice."""
    index = index_of(tmp_path, note("two.md", "redis cluster"), note("one.md", "redis redis"), *FILLER)
    assert ranked(index, "redis cluster") == ["two.md", "one.md"]


@pytest.mark.parametrize("field", ["title", "tags", "aliases", "questions", "heading"])
def test_every_field_is_searched(tmp_path: Path, field: str) -> None:
    """Title, heading, aliases, tags and the questions a note answers lead to it."""
    if field == "heading":
        wanted = note("n.md", "# 색인 zebra\ntext")
    else:
        wanted = note("n.md", "text", **{field: "색인 zebra" if field == "title" else ("색인", "zebra")})
    index = index_of(tmp_path, wanted, *FILLER)
    assert ranked(index, "zebra") == ranked(index, "색인을") == ["n.md"]


def test_words_spread_over_a_conversation_lift_its_windows(tmp_path: Path) -> None:
    """Of two windows that say the same, the one whose conversation says the rest is better."""
    about = ["Let us talk about postgres replication.", *["short filler"] * 9, "The timeout was raised."]
    other = ["Let us talk about the holidays.", *["short filler"] * 9, "The timeout was raised."]
    index = index_of(tmp_path, session("a-other.md", other), session("b-about.md", about), *FILLER)
    hits = index.keyword("postgres timeout")
    timeouts = [hit.passage.document for hit in hits if "timeout" in hit.passage.text]
    assert timeouts == ["b-about.md", "a-other.md"]


def test_an_identifier_is_found_whole_before_its_parts(tmp_path: Path) -> None:
    """``max_pool_size`` is not any pool of any size."""
    index = index_of(
        tmp_path, note("parts.md", "max pool size of the swimming pool"), note("whole.md", "set max_pool_size")
    )
    assert ranked(index, "max_pool_size")[0] == "whole.md"


def test_a_number_alone_is_no_half_of_a_name(tmp_path: Path) -> None:
    """``bfloat16`` is not any 16, ``PAY-4092`` not any 4092; the parts together are."""
    index = index_of(tmp_path, note("16.md", "iOS 16 and 4092 users"), note("apart.md", "PAY 4092"), *FILLER)
    terms = {hit.passage.document: hit.terms for hit in index.keyword("bfloat16 PAY-4092")}
    assert terms == {"16.md": (), "apart.md": ("pay-4092",)}


def test_one_part_is_no_half_of_a_name_of_two(tmp_path: Path) -> None:
    """``MongoDB`` is not any DB, ``OpenSearch`` no search; written apart they are."""
    index = index_of(
        tmp_path, note("db.md", "DuckDB took the search over"), note("apart.md", "mongo db, open search"), *FILLER
    )
    terms = {hit.passage.document: hit.terms for hit in index.keyword("MongoDB OpenSearch")}
    assert terms == {"db.md": (), "apart.md": ("mongodb", "opensearch")}


@pytest.mark.parametrize(
    ("question", "other", "same"),
    [
        ("KSK-ERR-13", "KSK-ERR-12 stops the kiosk, 13 of them", "KSK ERR 13 stops it"),
        ("DRM_ERR_3108", "DRM_ERR_3107, and 3108 readers", "drm-err-3108"),
        ("/api/v2/users", "POST /api/v1/users", "POST to v2/users"),
        ("GPT-4", "gpt-4.1 is gpt, and 4 is a number", "GPT 4"),
        ("no-store", "Do we store images? No. Store them elsewhere", "it says no store"),
        ("getUserName", "get the name of a user", "get user name"),
        ("lib/main.py", "src/app/main.py fails", "main.py fails"),
        ("opt/shop/conf.d/site.conf", "conf.d/other.conf of the shop", "see shop/conf.d/site.conf"),
    ],
)
def test_the_parts_of_a_code_are_the_code_only_together(question: str, other: str, same: str, tmp_path: Path) -> None:
    """With every number that it has. What holds its parts apart is found for them, and does not hold it."""
    index = index_of(tmp_path, note("other.md", other), note("same.md", same), *FILLER)
    held = {hit.passage.document: hit.terms for hit in index.keyword(question)}
    assert held["same.md"] == (question.casefold().strip("/"),)
    assert not held["other.md"]


def test_a_code_of_which_there_are_only_parts_is_nowhere(tmp_path: Path) -> None:
    """It is as rare as a word that no passage holds, so that nothing is taken for its answer."""
    index = index_of(tmp_path, note("a.md", "KSK-ERR-12"), note("b.md", "gate 13"), *FILLER)
    weights = dict(index.query_terms("KSK-ERR-13 KSK-ERR-12 zebra"))
    assert weights["ksk-err-12"] < weights["ksk-err-13"] == weights["zebra"]


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("0x887A", "GPU_HANG_0x887A"),
        ("4031", "E4031"),
        ("ERR-12", "KSK-ERR-12"),
        ("GPU_HANG", "GPU_HANG_0x887A"),
        ("B07", "STORE_B07"),
        ("6.8.0", "kernel6.8.0"),
        ("OpenSearch", "OpenSearch3"),
    ],
)
def test_a_part_of_a_code_is_found_behind_the_part_itself(question: str, text: str, tmp_path: Path) -> None:
    """Who remembers half of it finds it; a text that holds just that is the better one."""
    half, whole = (
        note("half.md", f"The driver said {text} today."),
        note("whole.md", f"The driver said {question} today."),
    )
    assert ranked(index_of(tmp_path / "one", half, *FILLER), question) == ["half.md"]
    hits = {hit.passage.document: hit for hit in index_of(tmp_path / "two", half, whole, *FILLER).keyword(question)}
    assert hits["whole.md"].exact == hits["half.md"].inside == {question.casefold()}
    assert not hits["whole.md"].inside
    assert not hits["half.md"].exact


@pytest.mark.parametrize("question", ["9fceb02", "9fceb02d0ae5", "9fceb02d0ae598e95dc970b74767f19372d61af8"])
def test_a_commit_is_found_by_any_beginning_of_it(question: str, tmp_path: Path) -> None:
    """A log has all of its hash, a person seven digits, another tool ten; a part number that goes on is another one."""
    full, short = note("full.md", "fix 9fceb02d0ae598e95dc970b74767f19372d61af8"), note("short.md", "(9fceb02d0)")
    other = note("other.md", "9fceb03d0ae598e95dc970b74767f19372d61af8 and part AB123456")
    index = index_of(tmp_path, full, short, other, *FILLER)
    held = {hit.passage.document for hit in index.keyword(question) if hit.terms}
    assert held == ({"full.md", "short.md"} if len(question) > 12 else {"full.md"})
    assert not any(hit.terms for hit in index.keyword("AB12345"))


def test_an_address_is_found_with_and_without_its_port(tmp_path: Path) -> None:
    """Each number of it counts."""
    index = index_of(tmp_path, note("a.md", "listens on 192.168.0.12:8080"), note("b.md", "192.168.0.13"), *FILLER)
    assert ranked(index, "192.168.0.12") == ranked(index, "8080") == ["a.md"]


@pytest.mark.parametrize(
    ("question", "part", "own"),
    [
        ("새 Scylla에서 되나", "ScyllaBench 결과", "Scylla를 깔았다"),
        ("Redis를 왜 뺐지", "MyRedis 모듈", "레디스를 뺐다"),
        ("the OLAP server", "a newOLAP", "two OLAPs"),
    ],
)
def test_a_name_is_one_where_it_is_a_word_of_its_own(question: str, part: str, own: str, tmp_path: Path) -> None:
    """In any of its forms, and in the other script too; as a part of another name it is something less."""
    index = index_of(tmp_path, note("part.md", part), note("own.md", own), *FILLER)
    hits = {hit.passage.document: hit for hit in index.keyword(question)}
    assert hits["own.md"].exact == hits["part.md"].inside
    assert hits["own.md"].exact
    assert not hits["own.md"].inside
    assert not hits["part.md"].exact


def test_a_version_is_one_with_and_without_its_letter(tmp_path: Path) -> None:
    """``v3.12.4`` is all there where ``3.12.4`` stands, whatever its numbers are alone."""
    index = index_of(tmp_path, note("a.md", "We went from Python 3.9 to 3.12.4."), note("b.md", "12 users"), *FILLER)
    assert {hit.passage.document: hit.terms for hit in index.keyword("v3.12.4")}["a.md"] == ("v3.12.4",)


def test_a_name_the_analyser_does_not_know_is_found_with_any_particle(tmp_path: Path) -> None:
    """Bigrams carry what morphemes miss."""
    index = index_of(tmp_path, note("name.md", "쀍뛟꿻에서 장애가 났다"), *FILLER)
    assert ranked(index, "쀍뛟꿻이 왜 느리지?")[0] == "name.md"


def test_a_quoted_phrase_must_be_there(tmp_path: Path) -> None:
    """Word for word before all words; all words before nothing at all; unknown and nothing else asked: nothing."""
    literal, apart = note("literal.md", "we chose blue green deploy"), note("apart.md", "green grass, blue sky")
    index = index_of(tmp_path, literal, apart, *FILLER)
    assert ranked(index, '"blue green"') == ["literal.md"]
    assert set(ranked(index, '"green blue"')) == {"literal.md", "apart.md"}
    assert ranked(index, '"blue zebra"') == []
    assert "apart.md" in ranked(index, 'grass "blue zebra"')
    assert ranked(index, '"The Cache Is"', limit=3) == ranked(index, '"the cache is"', limit=3)


def test_a_quoted_korean_phrase_must_be_there(tmp_path: Path) -> None:
    """Particles and all."""
    index = index_of(tmp_path, note("one.md", "서버를 다시 켰다"), note("two.md", "서버가 다시 느려져서 켰다"))
    assert ranked(index, '"서버를 다시"') == ["one.md"]


def test_a_hit_names_the_words_it_holds(tmp_path: Path) -> None:
    """In the words of the question, as ``query_terms`` has them."""
    index = index_of(tmp_path, note("a.md", "The connections to 레디스 failed."), *FILLER)
    query = "connection 레디스가 kafka 설정"
    assert index.keyword(query)[0].terms == ("connection", "레디스")
    assert [term.text for term in index.query_terms(query)] == ["connection", "kafka", "레디스", "설정"]


def test_the_weight_of_a_word_is_its_rarity(tmp_path: Path) -> None:
    """A word that is nowhere weighs most, one that is everywhere next to nothing."""
    index = index_of(tmp_path, note("a.md", "redis"), *FILLER)
    weights = dict(index.query_terms("cache redis kafka"))
    assert 0 < weights["cache"] < weights["redis"] < weights["kafka"]


def test_filters_apply_before_the_best_are_chosen(tmp_path: Path) -> None:
    """The one hit of a project is found however many better ones there are elsewhere."""
    many = [note(f"{n}.md", "redis redis redis", project="shop") for n in range(80)]
    index = index_of(tmp_path, note("mine.md", "redis once in a long text about other things", project="mine"), *many)
    assert ranked(index, "redis", Filters(project="mine"), limit=5) == ["mine.md"]
    assert ranked(index, "redis", Filters(project="nobody")) == []


def test_times_are_half_open_and_what_has_none_is_left_out(tmp_path: Path) -> None:
    """since ≤ time < until."""
    index = index_of(tmp_path, note("dated.md", "redis"), note("undated.md", "redis", time=None))
    after = START.replace(hour=START.hour + 1)
    assert ranked(index, "redis", Filters(since=START, until=after)) == ["dated.md"]
    assert ranked(index, "redis", Filters(until=START)) == []
    assert ranked(index, "redis", Filters(since=after)) == []
    assert len(ranked(index, "redis")) == 2


def test_equal_hits_have_one_order_on_every_machine(tmp_path: Path) -> None:
    """Whatever the order in which they were indexed."""
    notes = [note(f"{n}.md", "redis") for n in range(30)]
    one, other = index_of(tmp_path / "a", *notes), index_of(tmp_path / "b", *reversed(notes))
    assert ranked(one, "redis") == ranked(other, "redis")
    assert ranked(one, "redis", limit=4) == ranked(one, "redis")[:4]
    assert ranked(one, "redis", limit=0) == []


def test_scores_of_given_passages_are_those_of_the_hits(tmp_path: Path) -> None:
    """Also of passages that are no hits: 0; of unknown ids: nothing."""
    index = index_of(tmp_path, note("a.md", "redis"), note("b.md", "kafka"))
    hit, other = index.keyword("redis")[0], index.keyword("kafka")[0]
    ids = [hit.passage.id, other.passage.id, "f" * 16, "not an id"]
    assert index.keyword_scores("redis", ids) == {hit.passage.id: hit.score, other.passage.id: 0.0}
    assert set(index.passages(ids)) == {hit.passage.id, other.passage.id}


SYNTAX = ["*", '"', '""', "AND OR NOT", "title:x", "(((", "a^2", "[1 TO 2]", "\\", "/etc/passwd", "%s%n"]
GARBAGE = ["", " ", "?", "은 는", "é" * 100, "🤖", "\0redis", "\ud800", "가" * 10_000]
PASTED = ["x" * 100_000, "redis " * 20_000, '{"a": [1, 2, "b"]}' * 1000]


@pytest.mark.parametrize("query", [*SYNTAX, *GARBAGE, *PASTED])
def test_no_query_is_an_error(tmp_path_factory: pytest.TempPathFactory, query: str) -> None:
    """Query syntax, garbage and pasted files are text like any other."""
    index = index_of(tmp_path_factory.mktemp("x"), note("a.md", "redis"), session("s.md", ["서버", "redis"]))
    assert isinstance(index.keyword(query), list)
    assert isinstance(index.query_terms(query), tuple)
    assert index.meaning(query) is None
