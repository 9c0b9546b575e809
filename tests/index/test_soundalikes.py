"""Names that the question writes in one script and the vault in the other, over real indexes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.index.library import Library, note
from wwt_vault.index import Index
from wwt_vault.model.knowledge import Document
from wwt_vault.search import search

FILLER = tuple(note(f"filler{n}.md", f"아무 상관 없는 이야기 {n}. Nothing to do with it.") for n in range(8))


def index_of(folder: Path, *texts: str | Document) -> Index:
    """Index texts by words, each a note named by its place."""
    notes = [note(f"{at}.md", text) if isinstance(text, str) else text for at, text in enumerate(texts)]
    library = Library(*notes, *FILLER)
    index = Index(folder, lambda: None)
    index.refresh(library.stamps, library.load)
    return index


def found(index: Index, question: str) -> list[str]:
    """Return the documents that hold a word of the question, best first."""
    return [hit.passage.document for hit in index.keyword(question)]


@pytest.mark.parametrize(
    ("question", "text", "why"),
    [
        ("프리즈마를 왜 버렸지?", "We dropped Prisma for its cold starts.", "프리즈마 = prisma"),
        ("why was Prisma dropped", "프리즈마는 콜드 스타트 때문에 버렸다.", "prisma = 프리즈마"),
        ("수파베이스 요금은?", "Supabase is 25 dollars a month.", "수파베이스 = supabase"),
        ("what does Supabase cost", "수파베이스가 한 달에 25달러다.", "supabase = 수파베이스"),
        ("오로라핀은 언제 배포해?", "The auroraFinClient and AuroraFin go out on Mondays.", "오로라핀 = aurorafin"),
        ("when does aurorafin go out", "오로라핀은 월요일에 나간다.", "aurorafin = 오로라핀"),
        ("지훈이가 뭐라고 했지?", "Jihoon said no.", "지훈 = jihoon"),
        ("what did Jihoon say", "지훈이가 안 된다고 했다.", "jihoon = 지훈"),
        ("프레젠테이션은?", "The presentation is by hand.", "프레젠테이션 = presentation"),
        ("타우리는 왜?", "The window is made with Tauri.", "타우리 = tauri"),
        ("하수라가 느려", "Hasura is slow.", "하수라 = hasura"),
        ("에이더블유에스는 얼마야?", "AWS is 900 dollars a month.", "에이더블유에스 = aws"),
        ("how many GPU hours", "지피유를 40시간 썼다.", "gpu = 지피유"),
        ("큐에이는 누가 해?", "QA is done by Mina.", "큐에이 = qa"),
        ("타우리로 만든 창", "The window is made with Tauri.", "타우리 = tauri"),
    ],
)
def test_a_name_is_found_by_its_sound(question: str, text: str, why: str, tmp_path: Path) -> None:
    """Nobody has to write it into the glossary, and the hit says by what it was found."""
    index = index_of(tmp_path, text)
    assert found(index, question) == ["0.md"]
    result = search(index, question, nearest=True)
    assert [hit.passage.document for hit in result.hits] == ["0.md"]
    assert f"{why} (by sound)" in result.hits[0].why


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("시대가 바뀌었나?", "On the other side of it."),
        ("which side is it", "그 시대가 끝났다."),
        ("매입은 언제?", "Maybe tomorrow."),
        ("뿌리가 깊다", "It is fully done."),
        ("프리즈마를 왜 버렸지?", "A prism, and primary colours."),
        ("why was Prisma dropped", "프리 즈마"),
        ("what did Jihoon say", "고지훈련은 없다."),
        ("유지는 누가?", "The UG line."),
        ("오아시스는 어디?", "It was OASIX then."),
        ("아이패드는 어디?", "Read ipaddr first."),
        ("리더는 누구?", "It calls readdir."),
        ("차이가 크다", "Tested with chai."),
        ("수도권에 산다", "Use sudo."),
        ("케이크는 맛있다", "Empty the cache."),
        ("알고 싶다", "A new algo."),
        ("숨어 버렸다", "Next summer."),
        ("언어로 쓴다", "The onerror handler."),
        ("말에 담긴 뜻", "Male or not."),
        ("아래에 적는다", "The area is small."),
        ("폰이 울린다", "A pony."),
        ("막힌 길", "The machine."),
        ("보드에 적는다", "Mind the border."),
        ("풀이 자란다", "It is fully done."),
        ("낯선 곳은 무섭다", "It was gotten."),
    ],
)
def test_what_only_looks_alike_is_not_found(question: str, text: str, tmp_path: Path) -> None:
    """A wrong partner is worse than none: the question would be answered by what it did not ask."""
    index = index_of(tmp_path, text)
    assert index.by_sound(question) == {}
    assert not search(index, question).found


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("캐나다는?", "Canada"),
        ("메타베이스로 볼까?", "Metabase"),
        ("그린하우스에서는?", "Greenhouse"),
        ("리코일은 왜?", "Recoil"),
    ],
)
def test_what_no_dictionary_has_is_a_name_and_so_is_a_proper_noun(question: str, name: str, tmp_path: Path) -> None:
    """Also where the analyser takes a name for two words, or for pieces that no grammar puts together."""
    assert found(index_of(tmp_path, f"{name} is here."), question) == ["0.md"]


def test_a_word_that_the_vault_knows_as_it_is_written_is_not_looked_up(tmp_path: Path) -> None:
    """Ordinary questions pay nothing, and are answered as they always were."""
    index = index_of(tmp_path, "프리즈마를 쓴다.", "We use Prisma.")
    assert index.by_sound("프리즈마는 왜?") == {}
    assert index.by_sound("why Prisma") == {}
    assert found(index, "프리즈마는 왜?") == ["0.md"]


def test_what_was_said_in_the_glossary_or_is_a_loanword_needs_no_sound(tmp_path: Path) -> None:
    """A person's word comes before a rule."""
    index = index_of(tmp_path, "Prisma is slow.", "Redis is fast.", "Freezer is cold.")
    index.use_glossary((("프리즈마", "freezer"),))
    assert index.by_sound("프리즈마와 레디스") == {}
    assert found(index, "프리즈마") == ["2.md"]


def test_of_several_words_the_nearest_is_taken(tmp_path: Path) -> None:
    """Not all that sound a little like it."""
    index = index_of(tmp_path, "The orchestrator.", "An orchestra plays.", "In orchestral terms.")
    assert index.by_sound("오케스트레이터는?") == {"오케스트레이터": ("orchestrator",)}
    assert index.by_sound("오케스트라는?") == {"오케스트라": ("orchestra",)}


def test_a_name_that_is_gone_from_the_vault_is_not_heard(tmp_path: Path) -> None:
    """What the index keeps of removed texts counts for nothing."""
    library = Library(note("a.md", "We use Prisma."), note("b.md", "타우리를 쓴다."), *FILLER)
    index = Index(tmp_path, lambda: None)
    index.refresh(library.stamps, library.load)
    assert index.by_sound("프리즈마 대 tauri") == {"프리즈마": ("prisma",), "tauri": ("타우리",)}

    library.remove("a.md")
    library.remove("b.md")
    index.refresh(library.stamps, library.load)
    assert index.by_sound("프리즈마 대 tauri") == {}


def test_the_same_question_hears_the_same_in_every_process(tmp_path: Path) -> None:
    """Sets have another order in each process; what is found must not."""
    index_of(tmp_path, "Prisma, Prizma and Prisma.", "프리즈마가 아닌 타우리, 타오리.", "supabase", "Tauri").close()
    program = (
        "import sys; from pathlib import Path; from wwt_vault.index import Index\n"
        "index = Index(Path(sys.argv[1]), lambda: None)\n"
        "print([index.by_sound(question) for question in ('프리스마 수파베이스', 'tauree prissma')])"
    )
    said = {
        subprocess.run(
            [sys.executable, "-c", program, str(tmp_path)],
            env={"PYTHONHASHSEED": seed, "PYTHONUTF8": "1"},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(said) == 1
    assert "supabase" in said.pop().decode()


def test_an_english_question_loads_no_korean_analyser(tmp_path: Path) -> None:
    """It takes a second, and 235 MB; the sounds of Hangul are arithmetic."""
    index_of(tmp_path, "프리즈마는 버렸다.").close()
    program = (
        "import sys; from pathlib import Path; from wwt_vault.index import Index\n"
        "print(Index(Path(sys.argv[1]), lambda: None).by_sound('why was prisma dropped'), 'kiwipiepy' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-X", "utf8", "-c", program, str(tmp_path)],
        capture_output=True,
        check=True,
        text=True,
        encoding="utf-8",
    )
    assert done.stdout.strip() == "{'prisma': ('프리즈마',)} False"


@pytest.mark.parametrize(
    "question", ["", "ㅋㅋㅋ", "가" * 300, "a" * 3000, "프" * 40, "日本語のテスト", "é" * 30, "x y z"]
)
def test_any_question_is_heard_without_harm(question: str, tmp_path: Path) -> None:
    """Long ones, half syllables, other languages, an index of one word and none."""
    assert index_of(tmp_path / "a", "Prisma").by_sound(question) == {}
    assert Index(tmp_path / "b", lambda: None).by_sound(question) == {}
