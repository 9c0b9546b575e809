"""The sets that retrieval is measured on, each as documents of one vault and questions about them.

The public ones are read from the folder beside the checkout and never copied into it; the bilingual one is our own, in
``tests/data``. A page is a note without headings, a conversation is a session note.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from wwt_vault.model.conversation import DocumentId, EventId, Revision, Role, Turn
from wwt_vault.model.knowledge import Document, Filters, Section

__all__ = ["BILINGUAL", "SETS", "SHARED", "Case", "Set", "bilingual", "session", "turn_name"]

SHARED: Final = Path(__file__).resolve().parents[3] / "shared" / "bench"
BILINGUAL: Final = Path(__file__).resolve().parents[1] / "data" / "bilingual"
PARAPHRASES: Final = BILINGUAL.with_name("paraphrases")
UPDATES: Final = BILINGUAL.with_name("updates")
PROJECTS: Final = BILINGUAL.with_name("projects")
CONSIDERED: Final = BILINGUAL.with_name("considered")
DAYS: Final = BILINGUAL.with_name("days")
REPHRASED: Final = BILINGUAL.with_name("rephrased")


class Case(NamedTuple):
    """A question and what answers it."""

    question: str
    gold: frozenset[str]
    """Documents that answer it, or turns of them in a set of turns; none: nothing in the vault does."""
    kind: str = ""
    part: str = "held-out"
    """``dev`` is what constants are chosen on."""
    within: Filters = Filters()
    avoid: frozenset[str] = frozenset()
    """Documents that must come behind the gold ones: what was replaced."""
    rephrased: tuple[str, ...] = ()
    """The same question in other words, by somebody who knew nothing but the question."""


class Set(NamedTuple):
    """Documents and questions about them."""

    documents: dict[DocumentId, Document]
    cases: list[Case]
    copies: Mapping[str, str] = MappingProxyType({})
    """Documents that say what an earlier one says, and that one: to find one of them is to find the other."""

    def original(self, document: str) -> str:
        """Return the document itself, or the earlier one that it is a copy of."""
        return self.copies.get(document, document)


def page(name: str, text: str, **fields: Any) -> Document:
    """Return a page without headings, its title of no help."""
    values: dict[str, Any] = {"layer": "page", "title": "", "time": None, **fields}
    return Document(
        id=DocumentId(name), revision=Revision(name), sections=(Section(heading="", line=1, text=text),), **values
    )


def session(
    name: str, title: str, start: datetime, said: Iterable[str], roles: Sequence[Role] | None = None, **fields: Any
) -> Document:
    """Return a conversation as a session note; without ``roles``, one for each text, the speakers take turns."""
    turns = tuple(
        Turn(
            event=EventId(f"{start + timedelta(seconds=at):%Y%m%dT%H%M%SZ}-{at:012x}"),
            role=roles[at] if roles else "assistant" if at % 2 else "user",
            time=start + timedelta(seconds=at),
            line=10 + 3 * at,
            text=text,
        )
        for at, text in enumerate(said)
    )
    return Document(
        id=DocumentId(name), revision=Revision(name), layer="session", title=title, time=start, turns=turns, **fields
    )


# --- Public sets ------------------------------------------------------------------------------------------------------


def autorag() -> Set:
    """Korean business documents, 720 pages. Every second question is for choosing constants."""
    folder = SHARED / "autorag-ko"
    rows = [json.loads(line) for line in (folder / "ocr_corpus_v3.jsonl").read_text("utf-8").splitlines()]
    questions = [json.loads(line) for line in (folder / "qa_v4.jsonl").read_text("utf-8").splitlines()]
    return Set(
        {DocumentId(row["doc_id"]): page(row["doc_id"], row["contents"]) for row in rows},
        [
            Case(row["query"], frozenset(row["retrieval_gt"][0]), part="held-out" if at % 2 else "dev")
            for at, row in enumerate(questions)
        ],
    )


def korquad() -> Set:
    """Korean Wikipedia, 964 paragraphs. The first fifth of the articles is for choosing constants.

    Eleven paragraphs stand there twice, some in a slightly other form (98 questions): search shows them once.
    """
    found = _squad(json.loads((SHARED / "korquad" / "KorQuAD_v1.0_dev.json").read_text("utf-8"))["data"], dev=0.2)
    copies = _copies({name: document.sections[0].text for name, document in found.documents.items()})
    cases = [case._replace(gold=frozenset(copies.get(name, name) for name in case.gold)) for case in found.cases]
    return Set(found.documents, cases, copies)


def _copies(texts: Mapping[str, str]) -> dict[str, str]:
    """Return the texts that share four fifths of their runs of three words with an earlier one, and that one."""
    runs, holders, copies = {}, defaultdict(list), {}
    for name, text in texts.items():
        words = text.split()
        runs[name] = set(zip(words, words[1:], words[2:], strict=False))
        common = Counter(other for run in runs[name] for other in holders[run])
        for other, shared in common.items():
            if shared >= 0.8 * len(runs[name] | runs[other]):
                copies[name] = copies.get(other, other)
                break
        for run in runs[name]:
            holders[run].append(name)
    return copies


def jsquad() -> Set:
    """Japanese Wikipedia, 1,145 paragraphs; nothing is chosen on it."""
    return _squad(json.loads((SHARED / "jsquad" / "jsquad-valid-v1.3.json").read_text("utf-8"))["data"])


def xquad() -> Set:
    """240 paragraphs in one vault, every second in English, the others in Chinese; each is asked in the other language.

    A paragraph in the question's own language would be right as well, so no paragraph is there twice.
    """
    documents: dict[DocumentId, Document] = {}
    cases: list[Case] = []
    sets = {
        name: _squad(json.loads((SHARED / "xquad" / f"xquad.{name}.json").read_text("utf-8"))["data"], prefix=name)
        for name in ("en", "zh")
    }
    for own, other in (("en", "zh"), ("zh", "en")):
        kept = {name for at, name in enumerate(sets[other].documents) if (at % 2 == 0) == (other == "en")}
        documents |= {name: sets[other].documents[name] for name in kept}
        for case in sets[own].cases:
            gold = frozenset(other + name[2:] for name in case.gold) & kept
            if gold:
                cases.append(case._replace(gold=gold, kind=f"{own}→{other}"))
    return Set(dict(sorted(documents.items())), cases)


def _squad(articles: Sequence[Any], *, dev: float = 0.0, prefix: str = "p") -> Set:
    documents: dict[DocumentId, Document] = {}
    cases: list[Case] = []
    for at, article in enumerate(articles):
        part = "dev" if at < dev * len(articles) else "held-out"
        for paragraph in article["paragraphs"]:
            name = f"{prefix}{len(documents)}"
            documents[DocumentId(name)] = page(name, paragraph["context"])
            cases += [Case(row["question"], frozenset((name,)), part=part) for row in paragraph["qas"]]
    return Set(documents, cases)


_LOCOMO_KINDS: Final = {1: "multi-hop", 2: "temporal", 3: "open", 4: "single-hop", 5: "adversarial"}
_LOCOMO_DEV: Final = ("conv-26", "conv-30")


def locomo() -> Set:
    """English conversations of months: 272 sessions in one vault, pictures as their captions."""
    return _locomo(lambda talk, key, turns: [(f"{talk}-{key}", turns)], lambda evidence: f"session_{evidence[0]}")


def locomo_each() -> Set:
    """The same, each question within its own conversation: 19 to 32 sessions."""
    documents, cases, _ = locomo()
    return Set(documents, [case._replace(within=Filters(project=_talk(min(case.gold)))) for case in cases])


def locomo_audited() -> Set:
    """LoCoMo with the evidence that its audit corrected (``audit-errors.json``); what has none left is not asked."""
    documents, cases, _ = locomo()
    right: dict[tuple[str, str], list[str]] = {}
    talks = [talk["sample_id"] for talk in json.loads((SHARED / "locomo" / "locomo10.json").read_text("utf-8"))]
    for row in json.loads((SHARED / "locomo" / "audit-errors.json").read_text("utf-8")):
        number = int(row["question_id"].split("_")[1])
        right[talks[number], row["question"]] = row["correct_evidence"] or []
    made = []
    for case in cases:
        talk, gold = _talk(min(case.gold)), case.gold
        if (talk, case.question) in right:
            sessions = re.findall(r"D:?(\d+):\d+", " ".join(right[talk, case.question]))
            gold = frozenset(f"{talk}-session_{number}" for number in sessions) & documents.keys()
        if gold:
            made.append(case._replace(gold=gold))
    return Set(documents, made)


def _talk(session_note: str) -> str:
    return session_note.rpartition("-")[0]


def locomo_turns() -> Set:
    """The same, each turn a note of its own, each question within its own conversation."""
    return _locomo(
        lambda talk, key, turns: [
            (f"{talk}-D{key.removeprefix('session_')}:{at + 1}", [turn]) for at, turn in enumerate(turns)
        ],
        lambda evidence: f"D{evidence[0]}:{evidence[1]}",
        each=True,
    )


def locomo_told() -> Set:
    """The sessions as they are, each question within its own conversation; the turns of its evidence are to be told."""
    documents, cases, _ = locomo()
    made = []
    for case, by_turn in zip(cases, locomo_turns().cases, strict=True):
        gold = set()
        for name in by_turn.gold:
            talk, number, at = re.fullmatch(r"(.+)-D(\d+):(\d+)", name).groups()
            session_note = DocumentId(f"{talk}-session_{number}")
            gold.add(turn_name(session_note, documents[session_note].turns[int(at) - 1].event))
        made.append(case._replace(gold=frozenset(gold), within=by_turn.within))
    return Set(documents, made)


def turn_name(document: str, event: str) -> str:
    """Return what a turn of a session is called."""
    return f"{document}#{event}"


def _locomo(
    split: Callable[[str, str, list[str]], list[tuple[str, list[str]]]],
    gold_of: Callable[[tuple[int, int]], str],
    *,
    each: bool = False,
) -> Set:
    documents: dict[DocumentId, Document] = {}
    cases: list[Case] = []
    for talk in json.loads((SHARED / "locomo" / "locomo10.json").read_text("utf-8")):
        name = talk["sample_id"]
        for key, said in talk["conversation"].items():
            if not re.fullmatch(r"session_\d+", key) or not said:
                continue
            date = talk["conversation"][f"{key}_date_time"]
            start = datetime.strptime(date, "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
            for document, turns in split(name, key, [_spoken(row) for row in said]):
                documents[DocumentId(document)] = session(document, date, start, turns, project=name)
        for row in talk["qa"]:
            # Also "D8:6; D9:17", "D30:05" and "D:11:26".
            pairs = [(int(a), int(b)) for e in row.get("evidence", ()) for a, b in re.findall(r"D:?(\d+):(\d+)", e)]
            if gold := frozenset(f"{name}-{gold_of(pair)}" for pair in pairs) & documents.keys():
                cases.append(
                    Case(
                        row["question"],
                        frozenset(gold),
                        kind=_LOCOMO_KINDS[row["category"]],
                        part="dev" if name in _LOCOMO_DEV else "held-out",
                        within=Filters(project=name) if each else Filters(),
                    )
                )
    return Set(documents, cases)


def _spoken(row: dict[str, Any]) -> str:
    caption = f" [image: {row['blip_caption']}]" if row.get("blip_caption") else ""
    return f"{row['speaker']}: {row.get('text', '')}{caption}"


# --- Our own ----------------------------------------------------------------------------------------------------------


def bilingual_asked(with_questions: bool) -> Set:
    """Return the subjects of the bilingual set for whose texts somebody wrote questions, with those or without.

    The questions were written from the texts alone, as an agent writes them that curates. All 240 texts are in the
    vault, those of the other subjects without questions.
    """
    rows = map(json.loads, BILINGUAL.with_name("bilingual-questions.jsonl").read_text("utf-8").splitlines())
    written = {row["id"]: tuple(row["questions"]) for row in rows}
    documents, cases, _ = bilingual()
    if with_questions:
        documents = {name: replace(document, questions=written.get(name, ())) for name, document in documents.items()}
    return Set(documents, [case for case in cases if case.gold and case.gold <= written.keys()])


def bilingual() -> Set:
    """Short conversations and notes of developers in Korean and English, one vault; see ``tests/data/bilingual``.

    Titles are no help: a conversation has its date, a note what a person called it.
    """
    documents: dict[DocumentId, Document] = {}
    cases: list[Case] = []
    for part in ("dev", "held-out"):
        for path in sorted((BILINGUAL / part).glob("*.jsonl")):
            for row in map(json.loads, path.read_text("utf-8").splitlines()):
                if "ask" in row:
                    gold, avoid = (frozenset(row.get(name, ())) for name in ("gold", "avoid"))
                    cases.append(Case(row["ask"], gold, row["kind"], part, avoid=avoid))
                else:
                    documents[DocumentId(row["id"])] = _from_row(row)
    return Set(documents, cases)


def bilingual_more() -> Set:
    """More questions for choosing constants, over the same texts and those of ``tests/data/bilingual/more``.

    Exact terms with particles, words in the other script, and pairs of an older and a newer statement.
    """
    documents = bilingual().documents
    cases: list[Case] = []
    for path in sorted((BILINGUAL / "more").glob("*.jsonl")):
        for row in map(json.loads, path.read_text("utf-8").splitlines()):
            if "ask" in row:
                gold, avoid = (frozenset(row.get(name, ())) for name in ("gold", "avoid"))
                cases.append(Case(row["ask"], gold, row["kind"], "dev", avoid=avoid))
            else:
                documents[DocumentId(row["id"])] = _from_row(row)
    return Set(documents, cases)


def paraphrases() -> Set:
    """1,524 short texts in Korean and English on 127 subjects, each asked for in other words, twice in each language.

    See ``tests/data/paraphrases``. Every third subject is held out from the choice of constants.
    """
    documents: dict[DocumentId, Document] = {}
    cases: list[Case] = []
    subjects: dict[str, int] = {}
    for path in sorted(PARAPHRASES.glob("*.jsonl")):
        for row in map(json.loads, path.read_text("utf-8").splitlines()):
            subject = subjects.setdefault(row["id"].rpartition("-")[0], len(subjects))
            part = "held-out" if subject % 3 == 2 else "dev"
            name = DocumentId(row["id"])
            time = datetime(2026, 1, 1, 3, tzinfo=UTC) + timedelta(days=len(documents) % 300)
            said = re.split(r"\n(?=\w+: )", row["text"])
            if all(re.match(r"\w+: ", turn) for turn in said):
                turns = [turn.partition(": ")[2] if turn[:4] in ("user", "assi") else turn for turn in said]
                documents[name] = session(name, f"{time:%Y-%m-%d} claude-code", time, turns)
            else:
                documents[name] = page(name, row["text"], layer="curated", title="", time=time)
            for asked in ("ko", "en"):
                cases += [Case(ask, frozenset((name,)), f"{asked}-{row['lang']}", part) for ask in row[asked]]
    return Set(documents, cases)


def _rephrased(name: str, chosen: Set) -> Set:
    """Return those questions of a set that somebody has said in other words, with these: ``tests/data/rephrased``."""
    rows = map(json.loads, (REPHRASED / f"{name}.jsonl").read_text("utf-8").splitlines())
    others = {row["question"]: tuple(row["rephrased"]) for row in rows}
    cases = [case._replace(rephrased=others[case.question]) for case in chosen.cases if case.question in others]
    return chosen._replace(cases=cases)


def updates() -> Set:
    """Dated facts of 63 teams, some of which replaced others without saying so; questions about now, then and neither.

    See ``tests/data/updates``. Every fact is a session of its day. Every third team of a file is held out from the
    choice of constants. Kinds: ``now`` and ``then`` (gold before what it replaced, or the other way round), ``other``
    (a fact beside them that replaced nothing), ``both`` (two facts); ``chain now`` and so on where a matter was decided
    three times or four.
    """
    documents: dict[DocumentId, Document] = {}
    cases: list[Case] = []
    for path in sorted(UPDATES.glob("*.jsonl")):
        teams: dict[str, int] = {}
        chain = "chain " if path.stem == "chains" else ""
        for row in map(json.loads, path.read_text("utf-8").splitlines()):
            if "ask" in row:
                part = "held-out" if teams[row["gold"][0].rpartition("-")[0]] % 3 == 2 else "dev"
                gold, avoid = (frozenset(row.get(name, ())) for name in ("gold", "avoid"))
                cases.append(Case(row["ask"], gold, chain + row["kind"], part, avoid=avoid))
            else:
                teams.setdefault(row["project"], len(teams))
                time = datetime.fromisoformat(row["date"]).replace(hour=3, tzinfo=UTC)
                title, said = f"{row['date']} claude-code", [row["text"]]
                documents[DocumentId(row["id"])] = session(row["id"], title, time, said, project=row["project"])
    return Set(documents, cases)


def considered() -> Set:
    """What holds and what was only thought of later, in 15 projects; see ``tests/data/considered``.

    Every third matter of a file is held out from the choice of constants. Kinds: ``stands`` (what holds before what was
    only considered), ``replaced`` (what replaced it before both) and ``considered`` (the talk about it first).
    """
    documents: dict[DocumentId, Document] = {}
    cases: list[Case] = []
    for path in sorted(CONSIDERED.glob("*.jsonl")):
        matters: dict[str, int] = {}
        for row in map(json.loads, path.read_text("utf-8").splitlines()):
            if "ask" in row:
                part = "held-out" if matters[row["gold"][0].rpartition("-")[0]] % 3 == 2 else "dev"
                gold, avoid = (frozenset(row[name]) for name in ("gold", "avoid"))
                cases.append(Case(row["ask"], gold, row["kind"], part, avoid=avoid))
            else:
                matters.setdefault(row["id"].rpartition("-")[0], len(matters))
                documents[DocumentId(row["id"])] = _from_row({"status": None, **row})
    return Set(documents, cases)


def projects() -> Set:
    """Conversations and notes of twelve very different projects, as a stranger asked them: ``tests/data/projects``.

    Kinds: low overlap by language, ``exact``, ``current`` and ``first`` (gold before the other), ``date``, ``names``
    (in the other script), ``near`` (nothing there answers it) and ``far`` (of other things altogether).
    """
    documents: dict[DocumentId, Document] = {}
    cases: list[Case] = []
    for path in sorted(PROJECTS.glob("*.jsonl")):
        for row in map(json.loads, path.read_text("utf-8").splitlines()):
            if "ask" in row:
                gold, avoid = (frozenset(row.get(name, ())) for name in ("gold", "avoid"))
                cases.append(Case(row["ask"], gold, row["kind"], "dev", avoid=avoid))
            else:
                documents[DocumentId(row["id"])] = _from_row(row)
    return Set(documents, cases)


def days() -> Set:
    """Conversations on eight subjects in eight months each, asked for by subject and days: ``tests/data/days``."""
    said, asked = (
        [json.loads(line) for line in (DAYS / name).read_text("utf-8").splitlines()]
        for name in ("conversations.jsonl", "questions.jsonl")
    )
    return Set(
        {DocumentId(row["id"]): _from_row(row) for row in said},
        [Case(row["ask"], frozenset(row["gold"]), part=row["part"]) for row in asked],
    )


def days_among() -> Set:
    """The same in one vault with the texts of ``updates`` and ``bilingual-more``, most of them of the same year."""
    own = days()
    return Set({**updates().documents, **bilingual_more().documents, **own.documents}, own.cases)


def _from_row(row: dict[str, Any]) -> Document:
    time = datetime.fromisoformat(row["date"]).replace(hour=3, tzinfo=UTC)
    project = row.get("project")
    if "said" in row:
        return session(row["id"], f"{row['date']} claude-code", time, row["said"], project=project)
    status = row.get("status", "current")
    return page(row["id"], row["note"], layer="curated", title=row["title"], time=time, status=status, project=project)


SETS: Final[dict[str, Callable[[], Set]]] = {
    "bilingual": bilingual,
    "bilingual-asked": lambda: bilingual_asked(with_questions=False),
    "bilingual-questions": lambda: bilingual_asked(with_questions=True),
    "bilingual-more": bilingual_more,
    "paraphrases": paraphrases,
    "updates": updates,
    "considered": considered,
    "projects": projects,
    "bilingual-rephrased": lambda: _rephrased("bilingual", bilingual()),
    "paraphrases-rephrased": lambda: _rephrased("paraphrases", paraphrases()),
    "projects-rephrased": lambda: _rephrased("projects", projects()),
    "days": days,
    "days-among": days_among,
    "locomo": locomo,
    "locomo-each": locomo_each,
    "locomo-audited": locomo_audited,
    "locomo-turns": locomo_turns,
    "locomo-told": locomo_told,
    "autorag-ko": autorag,
    "korquad": korquad,
    "jsquad": jsquad,
    "xquad": xquad,
}
