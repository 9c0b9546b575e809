r"""Find secrets that fill lines: private keys, recovery codes, seed phrases, table columns, and ``<private>`` parts.

Private keys are taken out whole, ``BEGIN`` to ``END`` (RFC 7468, OpenSSH, PGP, PuTTY), also when the end is missing,
when the line breaks are written ``\n`` (JSON, ``.env``) or percent-encoded, and behind ``> ``, ``+`` or indentation.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from wwt_vault.capture.secret_names import name_kind
from wwt_vault.capture.secret_values import Find, Source, compiled, elided, looks_like_password, occurrences

__all__ = ["find_blocks", "find_private"]


def find_private(source: Source) -> Iterator[Find]:
    """Yield ``<private>…</private>``, tags included. A tag without its end, or alone in backticks, is only named."""
    low, depth, start = source.low, 0, 0
    if "<private>" not in low:
        return
    for tag in compiled(r"(?<!`)<private>(?:…|\.\.\.|\s)?</private>|`</?private>`|<(/?)private>").finditer(low):
        if tag[1] == "":
            start = start if depth else tag.start()
            depth += 1
        elif tag[1] and depth:
            depth -= 1
            if not depth:
                yield Find(start, tag.end(), "private", 4)


_BREAK = r"(?:\s|\\{1,4}[nrt]|%0[AaDd]|%20|[>+|\"',;])"
_LABEL = r"(?:[ +]|%20)(?:[A-Z0-9]{1,12}(?:[ +]|%20)){0,4}PRIVATE(?:[ +]|%20)KEY(?:(?:[ +]|%20)BLOCK)? ?-{4,5}"
_PEM_BEGIN = rf"-{{4,5}} ?BEGIN{_LABEL}"
_PEM_HEAD = (
    rf"(?:{_BREAK}|(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset|MessageID)\s?:"
    r"(?:[^\n\\-]|-(?!-)){0,200}(?=[\n\\]))*"
)
# One line of a key; the last may be short; PGP adds a checksum.
_PEM_LINE = rf"(?:[A-Za-z0-9+/%]{{16,}}={{0,2}}{_BREAK}*)"
_PEM_LAST = (
    r"(?:[A-Za-z0-9+/]{1,15}={1,2}|[A-Za-z0-9+/]{1,15}(?=\s*(?:$|\n\n|-)|[\"'`]))?"
    rf"(?:{_BREAK}*=[A-Za-z0-9+/]{{4}})?"
)
_PEM_END = rf"{_BREAK}*-{{4,5}} ?END{_LABEL}"


def find_blocks(source: Source) -> Iterator[Find]:
    """Yield every secret that fills lines of its own."""
    text, low = source.text, source.low
    if "private" in low and "begin" in low:
        yield from _private_keys(text)
    if "private-lines:" in low:
        for match in compiled(r"Private-Lines: \d+((?:\s|\\n)+(?:[A-Za-z0-9+/=]{16,}(?:\s|\\[rn])*)+)").finditer(text):
            lines = match[1]
            start = match.start(1) + len(lines) - len(lines.lstrip())
            yield Find(start, start + len(lines.strip()), "private-key", 3)
    if "LS0tLS1CRUdJT" in text:
        yield from _encoded_keys(text)
    if '"kty"' in low or '"kty\\"' in low:
        for match in compiled(r'\\{0,3}"(?:d|p|q|dp|dq|qi|k)\\{0,3}"\s{0,4}:\s{0,4}\\{0,3}"([\w-]{20,})').finditer(
            text
        ):
            yield Find(*match.span(1), "private-key", 2)
    yield from _recovery_codes(source)
    yield from _seed_phrases(source)
    if "|" in text and "--" in text:
        yield from _columns(source)


def _private_keys(text: str) -> Iterator[Find]:
    for begin in compiled(_PEM_BEGIN).finditer(text):
        body = compiled(rf"{_PEM_HEAD}({_PEM_LINE}+{_PEM_LAST})").match(text, begin.end())
        if body and not elided(body[1][:64]):
            close = compiled(_PEM_END).match(text, body.end())
            end = close.end() if close else body.start(1) + len(compiled(rf"{_BREAK}+$").sub("", body[1]))
            yield Find(begin.start(), end, "private-key", 3)


def _encoded_keys(text: str) -> Iterator[Find]:
    from binascii import Error, a2b_base64  # noqa: PLC0415 - few texts hold a key file in base64

    for match in compiled(r"LS0tLS1CRUdJT[A-Za-z0-9+/]{40,}={0,2}").finditer(text):
        try:
            head = a2b_base64(match[0][:48])
        except Error:  # a digit that base64 does not have: not an encoded file
            continue
        if b"PRIVATE" in head:
            yield Find(*match.span(), "private-key", 3)


_CODE = (
    r"(?<![\w-])(?:[A-Za-z0-9]{4,6}(?:-[A-Za-z0-9]{4,6}){1,4}|\d{4} \d{4}|[a-z0-9]{8,12}|[A-Z0-9]{8,12}|\d{6,10})"
    r"(?![\w-])"
)


_CODE_NAMES = "recovery recoverycodes backup backupcodes scratch one 2fa mfa 복구 백업 일회용"


def _recovery_codes(source: Source) -> Iterator[Find]:
    """Three or more words of one form, holding digits, on the lines after the words "recovery codes"."""
    text, low = source.text, source.low
    named = r"(?<=codes)|[^\n]{0,12}?[ _-]?(?:codes?|keys?)(?![a-z])|\s?(?:코드|키|번호)"
    reached = 0
    for word in _CODE_NAMES.split(" "):
        known = word in source.words if word.isascii() else word in source.foreign
        for at in occurrences(low, word) if known else ():
            name = compiled(named).match(low, at + len(word))
            if not name or name.end() < reached:
                continue
            block = text[name.end() : name.end() + 1500]
            codes: list[re.Match[str]] = []
            last = 0
            for code in compiled(_CODE).finditer(block):
                if not compiled(r".*\d").match(code[0]) or compiled(r"(?:19|20)\d\d-?\d\d-?\d\d|\d+[a-z]+").fullmatch(
                    code[0]
                ):
                    continue
                between = block[last : code.start()]
                if len(between) > (80 if not codes else 12) or (codes and compiled(r"[A-Za-z]{2}").search(between)):
                    break
                last = code.end()
                codes.append(code)
            if len(codes) >= 3 and len({len(code[0]) for code in codes}) <= 2:
                for code in codes:
                    yield Find(name.end() + code.start(), name.end() + code.end(), "recovery-code", 2)
                reached = name.end() + last


_SEED = (
    r"(?:\s?(?:recovery )?phrase|\s?(?:문구|구문))?[^\n]{0,40}?[:=\n][\s\"'`]{0,8}"
    r"((?:\d{1,2}[.)] ?)?[a-z]{3,8}(?:[ ,\n]{1,3}(?:\d{1,2}[.)] ?)?[a-z]{3,8}){11,23})(?![a-z])"
)


def _seed_phrases(source: Source) -> Iterator[Find]:
    """Twelve to twenty-four lower-case words after "seed phrase" or "mnemonic" (BIP 39)."""
    for name in (
        "seed",
        "recovery phrase",
        "secret phrase",
        "backup phrase",
        "wallet",
        "mnemonic",
        "시드",
        "니모닉",
        "복구",
    ):
        for at in source.places(name):
            words = compiled(_SEED).match(source.text, at + len(name))
            if (
                words
                and len(set(words[1].split())) > 8
                and not compiled(r".*\b(?:the|and|is|of|to|for|that|with)\b").match(words[1])
            ):
                yield Find(*words.span(1), "seed-phrase", 2)


def _columns(source: Source) -> Iterator[Find]:
    """The cells under "Password" or "비밀번호" in a Markdown table that look like one."""
    text = source.text
    head = r"(?m)^[ \t>]{0,8}\|([^\n]{1,400})\|[ \t]*\r?\n[ \t>]{0,8}\|[ :|-]{3,400}\|[ \t]*(?:\r?\n|$)"
    reached = 0
    for match in compiled(head).finditer(text):
        if match.start() < reached:
            continue
        secret = [_heads(cell) for cell in match[1].split("|")]
        at = match.end() if any(secret) else len(text)
        while row := compiled(r"[ \t>]{0,8}\|([^\n]{1,2000})(?:\n|$)").match(text, at):
            start = row.start(1)
            for column, cell in enumerate(row[1].split("|")):
                bare = cell.strip(" \t\r`*")
                told = looks_like_password(bare) or (bare.isdigit() and len(bare) > 3)
                if told and column < len(secret) and secret[column]:
                    begin = start + cell.index(bare)
                    yield Find(begin, begin + len(bare), "password", 1)
                start += len(cell) + 1
            at = reached = row.end()


def _heads(cell: str) -> bool:
    head = cell.strip(" \t*`").lower()
    named = ("비밀번호", "비번", "암호", "패스워드", "パスワード", "密码")
    return name_kind(head.replace(" ", "_")) == "password" or head in named
