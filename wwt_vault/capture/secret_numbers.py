"""Find numbers that only their name, or a check digit of their own, makes secret: of persons, accounts, cards; codes.

"주민등록번호 900101-…", "계좌번호는 …", "카드번호", "Your verification code is …". Telephone and order numbers stay.
"""

from __future__ import annotations

from collections.abc import Iterator

from wwt_vault.capture.secret_values import Find, Source, compiled

__all__ = ["find_numbers"]

_NEAR = r"[^\d\n]{0,24}?"
# Ten to sixteen digits, but no telephone number.
_ACCOUNT = r"(?!0\d{1,2}-\d{3,4}-\d{4}(?!\d))(?=(?:-?\d){10,16}(?![\d-]))(\d{2,6}(?:-\d{2,8}){1,4}|\d{10,16})(?![\d-])"
_CARD_NUMBER = r"(\d{4}(?:[- ]?\d{4}){2}[- ]?\d{1,7}|3\d{3}[- ]?\d{6}[- ]?\d{5})(?![\d-])"
# Kind, the words that name it (in lower case), and what follows one of them; group 1 is the number.
_NAMED: tuple[tuple[str, str, str], ...] = (
    (
        "resident-number",
        "주민등록번호 주민번호 외국인등록번호 등록번호",
        rf"{_NEAR}(\d{{6}}[ ]?-?[ ]?\d{{7}})(?!\d)",
    ),
    ("account-number", "계좌", _NEAR + _ACCOUNT),
    (
        "account-number",
        "은행 뱅크 농협 신협 우체국 새마을금고 국민 신한 하나 우리 기업",
        rf"(?: ?계좌)?[은는이가]?[ :(]{{0,3}}{_ACCOUNT}",
    ),
    ("card-number", "카드 card", _NEAR + _CARD_NUMBER),
    ("card-code", "cvc cvv cvc2 cvv2", rf"(?![a-z0-9]){_NEAR}(\d{{3,4}})(?![\d.])"),
    ("passport-number", "여권 passport", rf"{_NEAR}(?<![a-z])([a-z]{{1,2}}\d{{7,8}}|[a-z]\d{{3}}[a-z]\d{{4}})(?!\w)"),
    ("licence-number", "면허", rf"{_NEAR}(\d{{2}}-\d{{2}}-\d{{6}}-\d{{2}})(?!\d)"),
    ("social-security-number", "ssn social security", rf"{_NEAR}(\d{{3}}-\d{{2}}-\d{{4}})(?!\d)"),
)
_CODE_BEFORE = (
    r"(?:verification|security|authentication|auth|login|one[- ]time|confirmation|2fa|mfa|sms|access)[ -](?:pass)?$"
)
_CODE_AFTER = (
    r"(?: (?:is|was|for [\w ]{1,20}? is))?[ :=]{1,3}(?:g-)?[\[\"'`*]{0,3}(\d{4,8}|\d{3}[ -]\d{3})(?![\w-])"
    r"(?!\s?(?:digit|char|second|minute|ms\b))"
)
# The look-behind stands after the first digit: a pattern that starts with a plain set is searched for much faster.
_RRN = r"\d(?<![\w.-]\d)\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])-[1-8]\d{6}(?![\w-])"
_CARD = r"[3-6](?<![\w.-]\d)(?<![0-9A-F] \d)\d{3}([ -])\d{4}\1\d{4}\1\d{1,4}(?:\1\d{1,3})?(?![\w-]|\s[0-9A-F]{3})"
_OTHER = r"(?:주문|송장|운송장|접수|order|invoice|ticket|no\.)[^\d\n]{0,12}$"


def find_numbers(source: Source) -> Iterator[Find]:
    """Yield every number that is named as a secret one, and those with a check digit that is right."""
    text, low = source.text, source.low
    for kind, words, pattern in _NAMED:
        for word in words.split(" "):
            for at in source.places(word):
                if match := compiled(pattern).match(low, at + len(word)):
                    yield Find(*match.span(1), kind, 1)
    for word in ("code", "passcode", "otp"):
        for at in source.places(word):
            named = word == "otp" or compiled(_CODE_BEFORE).search(low[max(0, at - 20) : at])
            if named and (match := compiled(_CODE_AFTER).match(low, at + len(word))):
                yield Find(*match.span(1), "one-time-code", 1)
    lengths = [len(word) for word in source.words if word.isdigit()]
    if 6 in lengths and 7 in lengths:
        for match in compiled(_RRN).finditer(text):
            if _rrn_checks(match[0]) and not compiled(_OTHER).search(low[max(0, match.start() - 30) : match.start()]):
                yield Find(*match.span(), "resident-number", 1)
    if lengths.count(4) > 1:
        for match in compiled(_CARD).finditer(text):
            if _luhn(match[0]) and not compiled(_OTHER).search(low[max(0, match.start() - 30) : match.start()]):
                yield Find(*match.span(), "card-number", 1)


def _rrn_checks(number: str) -> bool:
    """Check the last digit of a Korean resident registration number (those issued before October 2020 have one)."""
    digits = [int(digit) for digit in number if digit.isdigit()]
    weights = (2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5)
    total = sum(digit * weight for digit, weight in zip(digits, weights, strict=False))
    return (11 - total % 11) % 10 == digits[12]


def _luhn(number: str) -> bool:
    """Check a card number by ISO/IEC 7812-1, annex B."""
    digits = [int(digit) for digit in reversed(number) if digit.isdigit()]
    doubled = [digit * 2 - 9 * (digit > 4) for digit in digits[1::2]]
    return 14 <= len(digits) <= 19 and sum(digits[::2] + doubled) % 10 == 0
