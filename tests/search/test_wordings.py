"""A question that is said again in other words: every wording looks, and none of them decides alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.bench.sets import SETS, Case
from tests.index.test_soundalikes import index_of
from tests.test_search import NOON, Synonyms, session
from wwt_vault.errors import BadArgument
from wwt_vault.index import Index
from wwt_vault.index.analysis import language_of
from wwt_vault.model.knowledge import Filters
from wwt_vault.search import MAX_REPHRASED, SearchResult, search
from wwt_vault.search.wordings import evidence_left, gather_all

SHUT = "The bastion was shut down: 운영 서버는 Tailscale로 들어간다."
BADGE = "Visitors get a badge at the front desk."
MENU = "점심은 열두 시에 배달된다."

KOREAN, ENGLISH = language_of("운영 서버"), language_of("production server")


def paths(result: SearchResult) -> list[str]:
    """Return the documents that were found, best first."""
    return [hit.passage.document for hit in result.hits]


def test_words_that_only_another_wording_has_find_the_answer_and_the_hit_says_which(tmp_path: Path) -> None:
    """In the vault's language, or in its terms."""
    index = index_of(tmp_path, SHUT, BADGE, MENU)
    question = "how do engineers reach production"
    assert not search(index, question).found

    found = search(index, question, rephrased=["운영 서버 접속 Tailscale 들어간다"])

    assert paths(found)[0] == "0.md"
    assert "rephrased: " in found.hits[0].why
    assert "tailscale" in found.hits[0].why
    assert found.words["tailscale"] > 0  # the context is trimmed to it


def test_of_two_answers_the_one_that_all_wordings_find_comes_first(tmp_path: Path) -> None:
    """One wrong guess costs its share."""
    index = index_of(tmp_path, "Backups are kept for fourteen days.", "Nightly backups go to cold storage.", BADGE)

    found = search(index, "backups", rephrased=["backups cold storage", "nightly cold storage", "a badge for visitors"])

    assert paths(found)[0] == "1.md"


def test_saying_the_same_or_nothing_again_changes_nothing(tmp_path: Path) -> None:
    """Neither the hits nor their scores."""
    index = index_of(tmp_path, SHUT, BADGE, MENU)
    alone = search(index, "visitors badge")

    again = search(index, "visitors badge", rephrased=["visitors badge", "", "  ", "?!", " visitors badge\n", "\0"])

    assert again.hits == alone.hits
    assert again.notes == alone.notes


def test_more_wordings_than_are_looked_up_are_said(tmp_path: Path) -> None:
    """They cost time; nothing is refused for it."""
    index = index_of(tmp_path, SHUT, BADGE, MENU)
    many = [f"badge {number}" for number in range(MAX_REPHRASED + 3)]

    found = search(index, "badge", rephrased=many)

    assert paths(found) == ["1.md"]
    assert f"Of the {len(many)} other wordings only the first {MAX_REPHRASED} were used." in found.notes


@pytest.mark.parametrize(
    "text", ["x" * 100_000, "🔥" * 500, "((AND OR NOT *", "그 이 저", "e\u0301\ud800", "a" + "\n" * 9000 + "b"]
)
def test_a_bad_wording_costs_its_share_and_nothing_more(text: str, tmp_path: Path) -> None:
    """The question's own words stand together: they are enough."""
    index = index_of(tmp_path, SHUT, BADGE, MENU)

    assert paths(search(index, "visitors badge", rephrased=[text]))[0] == "1.md"


def test_a_code_that_is_nowhere_is_not_found_in_other_words(tmp_path: Path) -> None:
    """Whatever else is said of it."""
    index = index_of(tmp_path, "The payment failed with PAY-1234.", BADGE)

    assert not search(index, "PAY-9999", rephrased=["the payment failed"]).found
    wordings, has_meaning = gather_all(index, ["PAY-9999", "the payment failed"], Filters(), lambda _: False)
    assert evidence_left(wordings, 2, has_meaning) < 0


def test_a_wording_of_a_code_that_is_nowhere_says_nothing(tmp_path: Path) -> None:
    """It is no measure of whether there is an answer."""
    index = index_of(tmp_path, "Espresso beans come from Guji.", BADGE)
    alone = search(index, "espresso beans")

    assert search(index, "espresso beans", rephrased=["ERR-77", "PAY-99"]).hits == alone.hits
    assert search(index, "coffee", rephrased=["espresso beans", "ERR-77"]).found


def test_the_same_words_in_another_form_are_no_other_wording(tmp_path: Path) -> None:
    """Each would ask for more evidence, and bring none."""
    index = index_of(tmp_path, SHUT, BADGE, MENU)
    alone = search(index, "visitors badge")

    again = search(index, "visitors badge", rephrased=["Visitors badge?", "visitors  badge!!", "badge, visitors"])

    assert again.hits == alone.hits


def test_one_wrong_guess_does_not_put_the_questions_own_words_behind(tmp_path: Path) -> None:
    """They stand together: a guess is not needed."""
    index = index_of(tmp_path, "Logs are kept in Loki for fourteen days.", "The Redis TTL is five minutes.", BADGE)

    found = search(index, "how long are logs kept in Loki", rephrased=["Redis TTL"])

    assert paths(found)[0] == "0.md"


@pytest.mark.parametrize("question", ["그거 뭐였지", "???", ""])
def test_a_question_that_says_nothing_is_asked_in_its_other_words(question: str, tmp_path: Path) -> None:
    """In any order; names are told to be nowhere of the person's words alone."""
    index = index_of(tmp_path, SHUT, BADGE, MENU)

    for others in (["PAY-1234", "a badge for visitors"], ["a badge for visitors", "PAY-1234 badge"]):
        found = search(index, question, rephrased=others)
        assert paths(found)[0] == "1.md"
        assert not [note for note in found.notes if "Nowhere" in note]


@pytest.mark.parametrize("wrong", ["a badge", [5], [None]])
def test_what_is_no_list_of_texts_is_refused(wrong: Any, tmp_path: Path) -> None:
    """A text would be taken letter by letter."""
    index = index_of(tmp_path, SHUT, BADGE, MENU)

    with pytest.raises(BadArgument, match="list of texts"):
        search(index, "badge", rephrased=wrong)


def test_that_it_may_be_said_again_is_told_where_that_helps(tmp_path: Path) -> None:
    """Not of a code, nor once it was done."""
    index = index_of(tmp_path, SHUT, BADGE, MENU)

    assert search(index, "how do engineers reach production").may_say_again
    assert not search(index, "how do engineers reach production", rephrased=["unrelated words"]).may_say_again
    assert not search(index, "PAY-9999").may_say_again
    assert not search(index, "visitors badge").may_say_again
    assert search(index, "how do engineers reach production").words  # pinned notes are trimmed to them all the same


def test_what_is_quoted_must_occur(tmp_path: Path) -> None:
    """Other wordings bring nothing that does not hold it."""
    index = index_of(tmp_path, "The front desk opens at nine.", BADGE)

    assert paths(search(index, '"front desk opens"', rephrased=["visitors get a badge"])) == ["0.md"]


def test_days_and_now_are_read_in_the_question_alone(tmp_path: Path) -> None:
    """A guess is no wish."""
    index = index_of(tmp_path, SHUT, BADGE, MENU)

    others = ["처음에 방문증은 어땠지", "badges last week"]
    found = search(index, "visitors badge", rephrased=others, now=NOON)

    assert not found.about_then
    assert found.notes == search(index, "visitors badge", now=NOON).notes
    assert search(index, "처음에 badge 어땠지", rephrased=others, now=NOON).about_then


def test_all_wordings_look_at_the_same_passages_in_one_order(tmp_path: Path) -> None:
    """With a model too; what only one of them found is weighed by all."""
    index = Index(tmp_path, Synonyms)
    said = (session("a.md", "login server", "keys only"), session("b.md", "pet food", "twice"), session("c.md", "cat"))
    documents = {document.id: document for document in said}
    index.refresh(dict.fromkeys(documents, "1 1 1 1"), documents.__getitem__)
    index.embed_pending()

    wordings, has_meaning = gather_all(
        index, ["접속 서버", "고양이"], Filters(), lambda passage: passage.document.endswith("c.md")
    )

    assert has_meaning
    names = [[candidate.passage.document for candidate in wording.candidates] for wording in wordings]
    assert names[0] == names[1]
    assert {name.rpartition("/")[2] for name in names[0]} == {"a.md", "b.md"}
    assert all(candidate.cosine is not None for wording in wordings for candidate in wording.candidates)


@pytest.mark.parametrize("name", ["bilingual", "projects", "paraphrases"])
def test_the_wordings_that_are_measured_are_what_their_readme_says(name: str) -> None:
    """Of so many questions of their set, three each, in both languages but for a few; none is the question itself."""
    cases: list[Case] = SETS[f"{name}-rephrased"]().cases

    assert len(cases) == {"bilingual": 269, "projects": 424, "paraphrases": 504}[name]
    for case in cases:
        assert len(case.rephrased) == 3
        assert case.question not in case.rephrased
    both = [case for case in cases if {language_of(text) for text in case.rephrased} >= {KOREAN, ENGLISH}]
    assert len(both) >= 0.95 * len(cases)
