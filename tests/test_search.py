"""From a question to a ranking, over a real index; the model alone is made up: it knows a handful of synonyms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
import pytest
from numpy.typing import NDArray

from wwt_vault.config import Settings
from wwt_vault.errors import BadArgument
from wwt_vault.index import Index
from wwt_vault.index.embedder import load_embedder
from wwt_vault.model.conversation import DocumentId, EventId, Revision, Turn
from wwt_vault.model.knowledge import Document, Filters, Section
from wwt_vault.search import MAX_QUERY, SearchResult, search

NOON = datetime(2026, 11, 30, 3, 0, tzinfo=UTC)


class Synonyms:
    """A model that puts every word on an axis of its own, synonyms on one."""

    name = "synonyms"
    dimension = 256
    same = ({"login", "sign-in", "접속"}, {"server", "machine", "서버"}, {"pet", "cat", "고양이"})

    def query(self, text: str) -> NDArray[np.float32]:
        """Return the vector of a question."""
        vector = np.zeros(self.dimension, dtype=np.float32)
        for word in (part.strip(".,?!:") for part in text.casefold().split()):
            axis = next(
                (number for number, words in enumerate(self.same) if word in words), 3 + crc32(word.encode()) % 253
            )
            vector[axis] += 1
        return vector / (np.linalg.norm(vector) or 1)

    def passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of passages."""
        return np.stack([self.query(text) for text in texts])


def note(name: str, text: str, **fields: Any) -> Document:
    """Return a note with one section."""
    values: dict[str, Any] = {"layer": "page", "title": "", "time": NOON, **fields}
    revision = Revision(sha256(text.encode()).hexdigest())
    return Document(
        id=DocumentId(name), revision=revision, sections=(Section(heading="", line=1, text=text),), **values
    )


def session(name: str, *texts: str, **fields: Any) -> Document:
    """Return a session note with these turns, a user's and an assistant's in turns."""
    turns = tuple(
        Turn(EventId(f"20261130T03{at:02}00Z-{crc32(f'{name}{at}'.encode()):012x}"),
             "assistant" if at % 2 else "user", NOON + timedelta(minutes=at), 1 + 3 * at, text)
        for at, text in enumerate(texts)
    )  # fmt: skip
    values: dict[str, Any] = {"layer": "session", "title": "", "time": NOON, "host": "codex", **fields}
    revision = Revision(sha256("\0".join(texts).encode()).hexdigest())
    return Document(id=DocumentId(f"50_Conversations/{name}"), revision=revision, turns=turns, **values)


Make = Callable[..., Index]


@pytest.fixture
def indexed(tmp_path: Path) -> Make:
    """Return a function that indexes documents, by words and with ``model`` by meaning too."""

    def make(*documents: Document, model: Any = None, embed: bool = True) -> Index:
        index = Index(tmp_path / "index", lambda: model)
        by_id = {document.id: document for document in documents}
        index.refresh({name: f"{len(by_id)} 1 1 1" for name in by_id}, by_id.__getitem__)
        if embed:
            index.embed_pending()
        return index

    return make


def found(result: SearchResult) -> list[str]:
    """Return the documents of the hits."""
    return [hit.passage.document for hit in result.hits]


FILLER = [
    note(f"filler{number}.md", f"Nothing but filler about topic{number} and colour{number}.") for number in range(8)
]


def test_current_notes_come_before_words_and_superseded_notes_last(indexed: Make) -> None:
    """All three are about equally good by their words; their standing decides."""
    words = "We use ssh keys for the login."
    index = indexed(
        session("talk.md", words, "Yes, ssh keys."),
        note("old.md", words + " As before.", layer="curated", status="superseded"),
        note("new.md", words + " As decided.", layer="curated", status="current"),
        *FILLER,
    )

    assert found(search(index, "ssh keys login")) == ["new.md", "50_Conversations/talk.md", "old.md"]


def test_a_question_about_before_puts_the_superseded_note_first(indexed: Make) -> None:
    """Its date is that of the save that replaced it, or of a later edit: it says nothing."""
    words = "We use ssh keys for the login."
    for later in (0, 30):
        replaced = NOON - timedelta(days=60)
        index = indexed(
            session("talk.md", words, "Yes, ssh keys."),
            note("new.md", words + " As decided.", layer="curated", status="current", time=replaced),
            note(
                "old.md",
                words + " As before.",
                layer="curated",
                status="superseded",
                time=replaced + timedelta(days=later),
            ),
            *FILLER,
        )

        assert found(search(index, "what was the ssh keys login originally?", now=NOON))[0] == "old.md"
        assert found(search(index, "ssh keys login", now=NOON))[-1] == "old.md"


def test_a_weak_note_does_not_push_away_the_answer(indexed: Make) -> None:
    """Standing moves only what is about as good."""
    index = indexed(
        note("weak.md", "Some text that mentions the login once among many other words. " * 8, layer="curated"),
        session("talk.md", "Which ssh keys for the login?", "ssh keys: ed25519 for every login."),
        *FILLER,
    )

    assert found(search(index, "ssh keys login ed25519"))[0] == "50_Conversations/talk.md"


def test_the_same_words_are_shown_once(indexed: Make) -> None:
    """A copy in another note is no second hit."""
    text = "The zebra printer stands in room twelve on the third floor of the building."
    index = indexed(note("a.md", text), note("b.md", text), note("c.md", "Another zebra is in the zoo."), *FILLER)

    assert len({"a.md", "b.md"} & set(found(search(index, "zebra printer room")))) == 1


def test_one_note_does_not_fill_the_list(indexed: Make) -> None:
    """At most two passages of it, so that the others are seen."""
    long = Document(
        id=DocumentId("long.md"), revision=Revision("0" * 64), layer="page", title="", time=NOON,
        sections=tuple(Section(heading=f"Part {number}", line=number, text=f"zebra facts number{number} " * 40)
                       for number in range(9)),
    )  # fmt: skip
    index = indexed(long, note("short.md", "One more zebra."), *FILLER)
    hits = found(search(index, "zebra facts"))

    assert hits.count("long.md") == 2
    assert "short.md" in hits


def test_meaning_finds_what_shares_no_word(indexed: Make) -> None:
    """Across languages too; and the hit says that it was the meaning."""
    index = indexed(note("ssh.md", "sign-in machine"), *FILLER, model=Synonyms())
    result = search(index, "서버 접속")

    assert found(result)[0] == "ssh.md"
    assert result.hits[0].keyword_score == 0
    assert result.hits[0].meaning_score == pytest.approx(1.0, abs=0.2)
    assert result.hits[0].why == f"meaning: {result.hits[0].meaning_score:.2f}"


def test_a_word_in_common_outweighs_a_weak_meaning(indexed: Make) -> None:
    """With the usual weight the exact term stays first."""
    index = indexed(
        note("exact.md", "PAY-4092 is the error of the gateway."), note("near.md", "the error code pet"), *FILLER,
        model=Synonyms(),
    )  # fmt: skip

    result = search(index, "PAY-4092 error")
    assert found(result)[0] == "exact.md"
    assert "pay-4092" in result.hits[0].why


@pytest.mark.parametrize("model", [None, load_embedder(Settings())], ids=["words alone", "words and meaning"])
def test_nothing_good_enough_is_no_hit_at_all(indexed: Make, model: Any) -> None:
    """One common word of four is not an answer; neither is the nearest of unrelated texts."""
    index = indexed(note("a.md", "My aunt is a vendor of flowers and has halls in two towns."), *FILLER, model=model)
    result = search(index, "Which kubernetes ingress controller vendor?")

    assert not result.found
    assert result.hits == ()


@pytest.mark.parametrize("model", [None, load_embedder(Settings())], ids=["words alone", "words and meaning"])
@pytest.mark.parametrize("question", ["을 를", "the of and"])
def test_a_question_of_particles_alone_is_told_why_it_finds_nothing(indexed: Make, model: Any, question: str) -> None:
    """Nothing in it can be searched for."""
    result = search(indexed(*FILLER, model=model), question)

    assert not result.found
    assert any("say nothing by themselves" in note for note in result.notes)


def test_without_a_model_it_works_and_says_so(indexed: Make) -> None:
    """By words, with no meaning score."""
    result = search(indexed(note("a.md", "zebra printer"), *FILLER), "zebra printer")

    assert found(result) == ["a.md"]
    assert result.hits[0].meaning_score is None
    assert "words only" in result.notes[0]


def test_vectors_that_cannot_be_read_leave_the_words(indexed: Make) -> None:
    """A search answers, and does not say that there is no model."""
    index = indexed(note("a.md", "zebra printer"), *FILLER, model=Synonyms())
    for path in (index.folder / "vectors").glob("*.vectors"):
        path.unlink()
        path.mkdir()
    result = search(index, "zebra printer")

    assert found(result) == ["a.md"]
    assert result.notes == ("Searched by words only: no passage has a vector yet.",)


def test_while_vectors_are_being_made_it_works_and_says_so(indexed: Make) -> None:
    """A passage without a vector is not put behind those that have one."""
    index = indexed(*FILLER, model=Synonyms())
    documents = {document.id: document for document in (*FILLER, note("new.md", "zebra printer topic1"))}
    index.refresh({name: "9 1 1 1" if name == "new.md" else "8 1 1 1" for name in documents}, documents.__getitem__)
    result = search(index, "zebra printer topic1")

    assert found(result)[0] == "new.md"
    assert "8 of 9 passages" in result.notes[0]


def test_an_empty_index_answers(tmp_path: Path) -> None:
    """Before the first refresh, nothing is found, nothing breaks, and the question is not to blame."""
    result = search(Index(tmp_path / "none", lambda: None), "anything at all")

    assert not result.found
    assert result.notes == ("The vault holds nothing of this.",)


@pytest.mark.parametrize("query", ["", "   ", "?!", "…", "😀🎉", "\0", "```", "*:*", '""'])
def test_a_question_without_a_word_says_so(indexed: Make, query: str) -> None:
    """It finds nothing and tells why."""
    result = search(indexed(*FILLER, model=Synonyms()), query)

    assert not result.found
    assert "no word" in result.notes[-1]


@pytest.mark.parametrize(
    "query",
    ["은 는 이 가", "the of and", "a", "가", "zebra AND (printer OR", 'title:zebra "unclosed', "zebra~2^9 [a TO b]",
     "얼룩말".encode().decode(), "e\u0301 \u1112\u1161\u11ab", "zebra " * 20_000, "\ud800zebra", "x" * 100_000],
)  # fmt: skip
def test_any_text_gets_an_answer(indexed: Make, query: str) -> None:
    """Query syntax, particles, decomposed text, 100 KB, lone surrogates: words to search for, nothing else."""
    index = indexed(note("a.md", "The zebra printer."), *FILLER, model=Synonyms())

    assert isinstance(search(index, query), SearchResult)


def test_a_long_question_is_searched_by_its_beginning(indexed: Make) -> None:
    """And the person is told."""
    result = search(indexed(note("a.md", "zebra printer"), *FILLER), "zebra printer " + "." * MAX_QUERY)

    assert found(result) == ["a.md"]
    assert any(str(MAX_QUERY) in note for note in result.notes)


def test_filters_that_let_nothing_through_say_so(indexed: Make) -> None:
    """Not the same as a question without an answer."""
    index = indexed(note("a.md", "zebra printer", project="shop"), *FILLER)

    assert found(search(index, "zebra", Filters(project="shop"))) == ["a.md"]
    result = search(index, "zebra", Filters(project="garden"))
    assert not result.found
    assert "filters" in result.notes[-1]


@pytest.mark.parametrize("arguments", [{"limit": 0}, {"limit": 101}, {"meaning_weight": -0.1}, {"meaning_weight": 1.1}])
def test_values_out_of_range_are_refused(indexed: Make, arguments: dict[str, Any]) -> None:
    """With the range."""
    with pytest.raises(BadArgument, match="between"):
        search(indexed(*FILLER), "x", **arguments)


def test_the_same_index_gives_the_same_answer(indexed: Make) -> None:
    """Scores, order and reasons."""
    documents = [note(f"n{number}.md", f"zebra printer number{number}") for number in range(20)]
    index = indexed(*documents, model=Synonyms())

    assert search(index, "zebra printer") == search(index, "zebra printer")
    assert len(search(index, "zebra printer", limit=3).hits) == 3


def test_scores_are_between_nothing_and_one_and_fall(indexed: Make) -> None:
    """Among hits of one standing."""
    index = indexed(*[note(f"n{number}.md", "zebra " * (number + 1) + "x " * 9) for number in range(6)], *FILLER)
    scores = [hit.score for hit in search(index, "zebra").hits]

    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)


def test_the_question_that_is_being_asked_is_no_answer(indexed: Make) -> None:
    """A prompt without an answer is left out while it is young, when the caller says so; else it is found."""
    earlier = session("a.md", "Which queue do we use?", "RabbitMQ carries the zebra queue.")
    asking = session("b.md", "Which zebra queue do we use?")
    index = indexed(earlier, asking, *FILLER)
    since = NOON - timedelta(minutes=15)

    assert found(search(index, "Which zebra queue do we use?", open_since=since)) == ["50_Conversations/a.md"]
    assert "50_Conversations/b.md" in found(search(index, "Which zebra queue do we use?"))


def test_of_a_quotation_alone_only_what_holds_it_is_listed(indexed: Make) -> None:
    """What means the same was not said; where nothing holds it, nothing is found."""
    index = indexed(
        session("one.md", "The limit of the login is reached.", "Wait a day."),
        session("two.md", "The sign-in has a limit, too.", "Yes."),
        *FILLER,
        model=Synonyms(),
    )

    assert found(search(index, '"limit of the login"')) == ["50_Conversations/one.md"]
    assert len(found(search(index, "limit of the login"))) > 1
    assert not search(index, '"limit of the sign-in"').found


@pytest.mark.parametrize(
    ("question", "known", "document"),
    [
        ("What is PAY-9999?", "What is PAY-4031?", "pay"),
        ("PAY-9999는 뭐야?", "PAY-4031은 뭐야?", "pay"),
        ("KOE007", "KOE006", "login"),
        ("KSK-ERR-13은 뭐지", "KSK-ERR-12는 뭐지", "kiosk"),
    ],
)
def test_a_code_that_is_nowhere_is_not_answered_with_one_that_looks_like_it(
    indexed: Make, question: str, known: str, document: str
) -> None:
    """The model takes codes of one form for near to one another, and they are not; the known one is found."""
    index = indexed(
        session("pay.md", "What is PAY-4031?", "PAY-4031은 카드사 점검 시간입니다."),
        session("login.md", "Login returns KOE006.", "KOE006 means that the address is not registered."),
        session("kiosk.md", "The kiosk stops at KSK-ERR-12.", "KSK-ERR-12 means that the paper is out."),
        *FILLER,
        model=load_embedder(Settings()),
    )

    assert not search(index, question).found
    assert found(search(index, known))[0].endswith(f"{document}.md")


def test_an_answer_says_that_a_code_is_nowhere_though_its_parts_are(indexed: Make) -> None:
    """What is found then is about something else."""
    index = indexed(session("kiosk.md", "The kiosk of gate 13 stops.", "KSK-ERR-12: the paper is out."), *FILLER)

    assert any("ksk-err-13" in said for said in search(index, "KSK-ERR-13, the kiosk stops and the paper is out").notes)


def test_nothing_is_not_said_to_be_there_where_nothing_could_be_searched(indexed: Make, tmp_path: Path) -> None:
    """The only generation is damaged, and that shows only in the search: whoever asks again is answered."""
    indexed(note("a.md", "The zebra printer jams."), *FILLER).close()
    (rows,) = (tmp_path / "index" / "generations").glob("*/rows.npz")
    rows.write_bytes(b"no archive")
    result = search(Index(tmp_path / "index", lambda: None), "zebra printer")

    assert not result.found
    assert any("damaged" in sentence and "Ask again" in sentence for sentence in result.notes)
    assert not any("The vault holds nothing" in sentence for sentence in result.notes)
