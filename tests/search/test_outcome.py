"""What a text comes to: a decision, or only a thought of one."""

from __future__ import annotations

import pytest

from wwt_vault.search.outcome import outcome


@pytest.mark.parametrize(
    "text",
    [
        "빌드 캐시는 로컬 디스크에 두기로 했다.",
        "user: 빌드 캐시를 어디에 둘까?\nassistant: 로컬 디스크가 빠릅니다.\nuser: 그걸로 하자, 로컬 디스크로 정했어.",
        "user: 캐시 옮겼어?\nassistant: 네, 어젯밤에 S3로 옮겼습니다.",
        "We went with local disks for the build cache.",
        "user: Should the cache live on S3?\nassistant: It is slower, but shared.\nuser: Fine.\nassistant: Switched.",
        "The build cache no longer lives on the runner.",
        "The build cache now lives on S3.",
    ],
)
def test_a_decision_or_a_change_that_was_made_is_decided(text: str) -> None:
    """Also where a question came before it."""
    assert outcome(text) == "decided"


@pytest.mark.parametrize(
    "text",
    [
        "user: 빌드 캐시를 S3로 옮기는 건 어떨까?\nassistant: 공유가 되지만 느립니다.",
        "user: 빌드 캐시를 S3로 옮기자는 의견이 있어.\nassistant: 비용은 월 20만 원입니다.",
        "assistant: S3로 옮기는 안을 검토했습니다.",
        "user: 옆 팀은 캐시를 S3에 둔대.",
        "user: Should we move the build cache to S3?\nassistant: Pro: shared. Con: slower.",
        "user: What if the cache moved to S3?\nassistant: 200 ms more for each object.",
        "user: Somebody suggested S3 for the cache.",
    ],
)
def test_a_question_an_idea_or_what_others_do_decides_nothing(text: str) -> None:
    """Whatever is answered, as long as nobody acts on it."""
    assert outcome(text) == "open"


@pytest.mark.parametrize(
    "text",
    [
        "user: 캐시를 S3로 옮길까?\nassistant: 느려집니다.\nuser: 그럼 옮기지 않기로 하자.",
        "user: 캐시 이전은 일단 보류했어.",
        "캐시는 안 바꾸기로 했다.",
        "캐시는 안 옮기는 걸로 결정했습니다.",
        "user: Let's not move the cache.\nassistant: Fine, I left it as it is.",
        "user: Move the cache?\nassistant: Not now, after the release.",
        "user: Somebody wants S3 for the cache.\nassistant: Slower, I'd not do it now.\nuser: Then no.",
        "We decided against S3 for the cache.",
        "We agreed not to move the cache.",
    ],
)
def test_what_was_refused_or_put_off_is_no_change(text: str) -> None:
    """Though it is told as a decision."""
    assert outcome(text) == "open"


def test_what_was_tried_and_undone_is_no_change() -> None:
    """What was changed and taken back in one text leaves all as it was."""
    assert outcome("캐시를 S3로 옮겼다가 느려서 이틀 만에 되돌렸다.") == "open"
    assert outcome("user: We moved the cache to S3.\nassistant: And?\nuser: Slow. We rolled it back.") == "open"


def test_what_undoes_an_earlier_change_is_a_change() -> None:
    """Then the text says how it is from now on, and the one that told of the change is out of date."""
    assert outcome("S3 캐시를 롤백했다. 로컬 디스크를 쓴다.") == "decided"
    assert outcome("The cache on S3 was rolled back.") == "decided"


def test_a_question_after_a_decision_takes_nothing_back() -> None:
    """An agent mostly ends with one, and a person goes on to the next thing."""
    assert outcome("assistant: 캐시를 S3로 옮겼습니다. 문서도 고칠까요?") == "decided"
    assert outcome("user: Move it.\nassistant: Moved. Shall I update the docs?\nuser: And the logs?") == "decided"


def test_a_change_told_as_the_background_of_a_question_is_no_decision() -> None:
    """In one breath: what was done is known, what is asked is open."""
    assert outcome("user: 작년에 캐시를 S3로 옮겼습니다. 이제 R2로 갈아탈까?") == "open"
    assert outcome("user: We moved the cache to S3 last year. Should we go to R2?\nassistant: It is cheaper.") == "open"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "캐시는 S3에 있다.",
        "캐시는 밤에 올리지 않는다.",
        "The cache is on S3.",
        "user: 캐시 크기 40GB",
        "\ud800",
        "user: Which store holds the cache?\nassistant: S3, in Seoul.",
        "user: 캐시는 며칠 뒤 지워?\nassistant: 14일.",
        "user: 캐시 크기는 얼마로 해?\nassistant: 40GB.",
        "user: How far back does it go?\nassistant: Ninety days.",
        "user: Builds spike at nine.\nassistant: The nightly runs end then.",
    ],
)
def test_a_bare_fact_says_neither(text: str) -> None:
    """Most of what was decided is told so. Who asks which, when or how much puts nothing up for discussion."""
    assert outcome(text) is None
