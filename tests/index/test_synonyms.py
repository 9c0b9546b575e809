"""Ways to write one word: loanwords in two scripts, and the vault's own glossary."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.index.library import Library, note
from wwt_vault.index import Index
from wwt_vault.index.synonyms import Synonyms, glossary_groups
from wwt_vault.search import search

FILLER = tuple(note(f"filler{n}.md", f"아무 상관 없는 이야기 {n}. Nothing to do with it.") for n in range(8))


def index_of(folder: Path, *texts: str) -> Index:
    """Index texts by words, each a note named by its place."""
    library = Library(*(note(f"{at}.md", text) for at, text in enumerate(texts)), *FILLER)
    index = Index(folder, lambda: None)
    index.refresh(library.stamps, library.load)
    return index


def found(index: Index, question: str) -> list[str]:
    """Return the documents that hold a word of the question, best first."""
    return [hit.passage.document for hit in index.keyword(question)]


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("레디스가 왜 죽었지?", "Redis was killed for want of memory."),
        ("why did redis die", "레디스는 메모리가 모자라 죽었습니다."),
        ("웹훅을 두 번 받으면?", "A webhook that comes twice is dropped."),
        ("pull request 규칙", "풀리퀘스트는 하루 안에 봅니다."),
        ("다크 모드에서 번쩍이는 건?", "The flash in dark mode is gone."),
        ("패킷이 왜 새지?", "A packet was lost at the second node."),
        ("which buffer overflowed", "링 버퍼가 넘쳤습니다."),
        ("캡션이 늦게 뜬다", "The caption comes two seconds late."),
        ("셰이더 컴파일이 느려", "The shader is compiled at start."),
        ("how do we send the invoice", "인보이스는 매달 1일에 보냅니다."),
        ("문자셋이 깨진다", "The charset was latin1."),
        ("빅쿼리에서 되나", "BigQuery costs by the scan."),
    ],
)
def test_a_loanword_is_found_in_the_other_script(question: str, text: str, tmp_path: Path) -> None:
    """A person writes 레디스 one day and Redis the next."""
    assert found(index_of(tmp_path, text), question) == ["0.md"]


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("노트북이 느려", "note"),
        ("카탈로그는?", "log"),
        ("a prologue", "로그"),
        ("mailbox", "메일"),
        ("포트폴리오", "port"),
        ("메뉴얼이", "menu"),
        ("airport", "포트"),
    ],
)
def test_a_word_that_only_holds_a_loanword_is_another_word(question: str, text: str, tmp_path: Path) -> None:
    """노트북 is no note, a catalogue no 로그."""
    assert found(index_of(tmp_path, text), question) == []


def test_all_ways_of_writing_are_one_word(tmp_path: Path) -> None:
    """Who writes both has not said more: both together count as the word said twice would."""
    index = index_of(tmp_path, "redis 레디스", "redis redis", "redis")
    scores = {hit.passage.document: hit.score for hit in index.keyword("redis")}
    assert scores["2.md"] < scores["0.md"] <= scores["1.md"]


def test_the_glossary_goes_both_ways_and_is_read_anew(tmp_path: Path) -> None:
    """A name of the vault's own, of two words in one script and one in the other; nothing is indexed again for it."""
    index = index_of(tmp_path, "정산 엔진은 매일 새벽에 돈다.", "Tally runs on two machines.")
    assert found(index, "tally") == ["1.md"]

    index.use_glossary((("Tally", "정산 엔진"),))
    assert sorted(found(index, "tally")) == sorted(found(index, "정산 엔진이 느려")) == ["0.md", "1.md"]

    index.use_glossary(())
    assert found(index, "tally") == ["1.md"]


def test_a_name_of_the_glossary_is_a_name_though_it_is_an_ordinary_word(tmp_path: Path) -> None:
    """``PM`` is anyone's, unless the vault says what it stands for."""
    index = index_of(tmp_path, "PM이 멈췄다", "payment module을 고쳤다")
    assert not any(hit.exact for hit in index.keyword("PM은 왜?"))
    index.use_glossary((("결제 모듈", "payment module", "PM"),))
    assert {hit.passage.document for hit in index.keyword("PM은 왜?") if hit.exact} == {"0.md", "1.md"}


def test_a_name_of_two_words_is_found_where_both_are(tmp_path: Path) -> None:
    """Not where one of them happens to be."""
    index = index_of(tmp_path, "The tally engine is slow.", "Another engine.")
    index.use_glossary((("정산 기계", "tally engine"),))
    assert found(index, "정산 기계") == ["0.md"]


def test_a_hit_says_by_which_way_of_writing_it_was_found(tmp_path: Path) -> None:
    """Else nobody would see why it is there; where the word itself stands there is nothing to say."""
    index = index_of(tmp_path, "Redis was killed for want of memory.", "레디스 메모리를 늘렸습니다.")
    why = {hit.passage.document: hit.why for hit in search(index, "레디스 memory").hits}

    assert "레디스 = redis" in why["0.md"]
    assert "=" not in why["1.md"].replace("memory = 메모리", "")


def test_what_a_glossary_says() -> None:
    """One thing per list item, its names joined by ``=``; prose, code and a name alone are nothing."""
    text = "Words = for people.\n- 결제 모듈 = `pm` = **payment module**\n* [[Tally]] = 정산\n- alone\n"
    text += "```\n- a1 = b1\n```\n"
    assert glossary_groups(text) == (("결제 모듈", "pm", "payment module"), ("Tally", "정산"))


def test_a_glossary_of_any_size_is_looked_up_fast_enough_to_be_whole() -> None:
    """The last of thousands of names is known like the first; what is no name at all is left out."""
    groups = glossary_groups("\n".join(f"- name{at} = 이름 {at}호" for at in range(1500)) + f"\n- x = {'y' * 200}")
    assert len(groups) == 1500
    assert Synonyms(groups).of("what is name1499?") == {"name1499": ("이름 1499호",)}
