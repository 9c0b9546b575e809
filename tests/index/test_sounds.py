"""Words in Hangul and in Latin letters that sound alike, and those that only look as if they did."""

from __future__ import annotations

from pathlib import Path

import pytest

from wwt_vault.index.sounds import ENGLISH, ROMANISED, rules, spoken, unlikeness

PAIRS = Path(__file__).parents[1] / "data" / "names" / "pairs.txt"


def pairs() -> list[tuple[str, str]]:
    """Return the names that were written down before any rule was."""
    lines = PAIRS.read_text("utf-8").splitlines()
    return [(pair.split("=")[0], pair.split("=")[1]) for line in lines for pair in line.partition(": ")[2].split()]


def test_nine_names_in_ten_sound_alike_in_both_scripts() -> None:
    """Products, people, places, names that a team made up: by rule, none of them is in a list of the program."""
    alike = [pair for pair in pairs() if unlikeness(*pair) is not None]
    assert len(alike) >= 0.9 * len(pairs())


@pytest.mark.parametrize(
    ("hangul", "latin"),
    [
        ("프리즈마", "prisma"),
        ("수파베이스", "supabase"),
        ("타우리", "tauri"),
        ("오로라핀", "aurorafin"),
        ("퀵실버", "quicksilver"),  # qu, ck
        ("피닉스", "phoenix"),  # ph, x
        ("트레이닝", "training"),
        ("마이그레이션", "migration"),  # -tion
        ("브리지", "bridge"),  # dge
        ("센트리", "sentry"),
        ("사이프레스", "cypress"),  # c before y
        ("라이트하우스", "lighthouse"),  # gh, a silent e
        ("캐디", "caddy"),  # two letters for one sound
        ("서버", "server"),  # r is silent behind a vowel
        ("쿠버네티스", "kubernetes"),
        ("바르셀로나", "barcelona"),  # and is not, in other languages
        ("지훈", "jihoon"),
        ("서연", "seoyeon"),
        ("현우", "hyunwoo"),
        ("판교", "pangyo"),
        ("영희", "younghee"),
    ],
)
def test_a_name_sounds_like_itself(hangul: str, latin: str) -> None:
    """As people write it in the other script, whichever language it is of."""
    assert unlikeness(hangul, latin) is not None


@pytest.mark.parametrize(
    ("hangul", "latin"),
    [
        ("시대", "side"),
        ("수치", "such"),
        ("매입", "maybe"),
        ("사업", "soup"),
        ("내일", "nail"),
        ("영어", "younger"),
        ("대북", "debug"),
        ("기대", "guide"),
        ("무대", "mute"),
        ("유사", "usa"),
        ("시세", "these"),
        ("햇빛", "heartbeat"),
        ("뿌리", "fully"),
        ("꼬리", "korea"),
        ("무늬", "money"),
        ("그림", "climb"),
        ("바람", "volume"),
        ("어머니", "harmony"),
        ("티베트", "debate"),
        ("서울시", "souls"),
        ("사이", "say"),
        ("책", "check"),  # one syllable sounds like anything
        ("서버", "serve"),
        ("에이전트", "agency"),
    ],
)
def test_an_ordinary_word_is_not_taken_for_an_english_one(hangul: str, latin: str) -> None:
    """Short words above all, and those that are written with Chinese characters."""
    assert unlikeness(hangul, latin) is None


def test_what_no_loanword_looks_like_has_no_sound() -> None:
    """Loanwords end their syllables in seven ways only; half a syllable, or none, is no word at all."""
    assert spoken("햇빛") is None
    assert spoken("ㅋㅋ") is None
    assert spoken("redis") is None
    assert spoken("클립") == "kxLriP"


@pytest.mark.parametrize("table", [ENGLISH, ROMANISED])
def test_every_rule_can_be_read(table: str) -> None:
    """Letters a-z, sounds of the alphabet that the module names, costs that are none or part of what is allowed."""
    found = [rule for its in rules(table).values() for rule in its]
    assert len(found) > 80
    for rule in found:
        assert rule.letters.isascii()
        assert rule.letters.islower()
        assert set(rule.sound) <= set("gndrmbsjcktphywaevouxiKNTLMPQ")
        assert 0 <= rule.cost < 1
