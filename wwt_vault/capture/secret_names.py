"""Find secrets by their name: ``DB_PASSWORD=…``, ``"apiKey": "…"``, ``<Pass>…</Pass>``, ``setPassword("…")``.

One search over the lower-cased text meets every name with one of a few stems and something behind it that says "is".
The name's words then decide whether what follows is a password (any value, weak ones too), a token (a value that looks
made by a machine) or nothing of the kind (``token_count``, ``passwordField``, ``primary_key``, ``credentialsId``).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Literal, NamedTuple

from wwt_vault.capture.secret_values import (
    Find,
    Source,
    Value,
    compiled,
    drawn,
    looks_like_code,
    looks_like_password,
    looks_random,
    placeholder,
    sequential,
    word_set,
    wordy,
)

__all__ = ["find_named", "name_kind"]

Kind = Literal["password", "token", "key", ""]


class _Name(NamedTuple):
    text: str
    kind: Kind
    begin: int
    end: int
    at: int
    """Where the closing quotes and brackets behind the name have been passed."""


# --- names ---------------------------------------------------------------------------------------------------------

_PASSWORDS = (
    r"(?:pass(?:wor[dt]|wd|wrd|phrase|code)|pswd|contrasena|kennwort|senha|sifre|wachtwoord|haslo)(?:s|en)?"
    r"|pass|pwd?|psw|passw|requirepass|.{2,}(?:password|passwd|passphrase|passcode|pwd)s?"
    r"|(?:user|db|ssh|root|my|admin|smtp|mail|ftp|sftp|sql|http|proxy)(?:pass|pw)"
)
_TOKENS = (
    r"tokens?|secrets?|credentials?|creds?|auth|jwt|salt|authorization|(?:api|access|secret|auth)keys?"
    r"|.{2,}(?:token|secret|apikey|secretkey|accesskey|privatekey|authkey)"
)
# Words behind the one that names a secret: these leave it one, those make it something about one.
_STILL_SECRET = word_set("""
    hash hashed digest base value plain plaintext raw enc encrypted encoded old new current confirm confirmation
    confirmed again repeat repeated prod production dev development test testing staging stage live root admin user
    db main primary secondary backup default temp tmp string data key b
""")
_NO_SECRET = word_set("""
    count limit field name names id ids type length len policy url uri path file dir arn ref env var variable label
    hint placeholder min max expires expiry ttl at date time version status required enabled reset regex pattern
    prompt title text button error message index size budget usage rate cost price format header headers prefix
    manager provider store ring generator validator service board pair press hashers algorithm rounds strength rules
    days age history attempts timeout seconds minutes hours method mode scheme schema source endpoint realm username
    email
""")
# Words before "key" and "token".
_SECRET_KEYS = word_set("""
    api access secret private auth account app application encrypt encryption master signing sign license licence
    service server consumer shared storage deploy webhook write admin secure in nonce cookie session jwt hmac aes
    crypt crypto client activation subscription integration rest bot dev developer project user security
    authentication recovery
""")
_PLAIN_KEYS = word_set("""
    public primary foreign partition sort cache idempotency registry dict map object unique index group routing row
    host known message event query react column field config lookup search hot short parent child data json attr
    attribute translation i locale cursor item entry record table compound composite natural surrogate bucket dedup
    dedupe hash shard arrow enter escape tab shift ctrl control modifier key max min first last next prev previous
    left right the a each every issue jira ticket view state trace metric tag label legend answer value file
""")
_PLAIN_TOKENS = word_set("""
    page next prev previous continuation sync eos bos pad padding unk stop special mask sep cls input output max min
    total num prompt completion cache cached reasoning per cancel cancellation context budget used new count image
    text audio word sub the each design css color theme end start unknown non no not without lexer parser syntax
    generated thinking
""")


@lru_cache(maxsize=4096)
def name_kind(name: str) -> Kind:
    """Return what ``name`` names: a ``password``, a ``token``, or a ``key`` (only if it looks drawn by a machine)."""
    words = [word.lower() for word in compiled(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+").findall(name[-80:])]
    for index in range(len(words) - 1, -1, -1):
        kind = _word_kind(words[index], words[index - 1] if index else "")
        if kind:
            rest = words[index + 1 :]
            if all(word in _STILL_SECRET for word in rest):
                return kind
            return "key" if name.isupper() and rest[-1] not in _NO_SECRET else ""
    # Firefox keeps both halves of a login encrypted in the same way.
    return "password" if "encryptedusername" in name.lower() else ""


def _word_kind(word: str, before: str) -> Kind:
    if compiled(_PASSWORDS).fullmatch(word):
        verb = word == "pass" and before in ("by", "first", "second", "one", "each", "every", "the", "a")
        return "" if verb else "password"
    if compiled(_TOKENS).fullmatch(word):
        return "" if word.startswith("token") and before in _PLAIN_TOKENS else "token"
    if word in ("key", "keys"):
        if before in _SECRET_KEYS:
            return "token"
        return "key" if before and before not in _PLAIN_KEYS else ""
    return "token" if word == "sid" and before in ("session", "connect") else ""


# --- what stands behind a name -------------------------------------------------------------------------------------

_STEM = r"pass|pw|secret|token|key|auth|cred|salt|jwt|encryptedusername|contrase|kennwort|senha|sifre|wachtwoord|haslo"
# Closing quotes, brackets and emphasis of the name; then anything that could say "is".
_NAME = (
    rf"(?:{_STEM})[\w-]{{0,40}}(?:\\{{0,3}}[\"'`]|[\])}}*>]|\(s\)|</[a-z]{{1,9}}>){{0,3}}"
    r"(?=\s{0,24}[-=:：＝→⇒,(|%>?v\\\n]|(?<=>)|\s(?:string|value|encoding|type)\b)"
)
_QUOTE = r"(?=[bruf@$]{0,2}\\{0,3}[\"'`])"
_SIGN = r"[ \t]{0,24}(?::=|=>|->|→|⇒|\?=|={1,3}|:(?!:)|：|＝|%3d|\\u003d)\*{0,3}[ \t]{0,24}"
_TYPED = rf"(?:[ \t]?:[ \t]?[\w\[\].| ,<>&?]{{1,40}}?[ \t]?=|[ \t]string[ \t]?:?=)[ \t]{{0,4}}{_QUOTE}"
_NEXT_LINE = r"(?:[|>][-+]?[ \t]*)?(?:\r?\n|\\n)[ \t>*-]{0,12}"
_ATTRIBUTE = r"\s{1,4}(?:encoding|type|xsi:type)=\\?\"[\w:]{1,20}\\?\">"
_VALUE_OF = r"\s{1,4}value\s?=\s?(?=\\*[\"'])|(?:\r?\n|\\n)[ \t]{1,24}value:[ \t]"
_NAMES_IN_A_RUN = 32
_NAME_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789_-$"


def find_named(source: Source) -> Iterator[Find]:
    """Yield the value of every name that says it is a secret."""
    passed = tried = 0
    for match in compiled(_NAME).finditer(source.low):
        # In one run of characters a few names may follow one another; a thousand of them are there to keep us busy.
        tried = tried + 1 if match.end() < source.run_end else 0
        if match.end() <= passed or tried > _NAMES_IN_A_RUN:
            continue
        name = _name(source, match.start(), match.end())
        value = _value(source, name) if name.kind else None
        if value:
            yield Find(value.start, value.end, "password" if name.kind == "password" else "token", 1)
            passed = value.end


def _name(source: Source, stem: int, at: int) -> _Name:
    text, low = source.text, source.low
    left = low[max(0, stem - 48) : stem]
    begin = stem - (len(left) - len(left.rstrip(_NAME_LETTERS)))
    tail = compiled(r"[\w-]{1,64}").match(low, stem)
    end = tail.end() if tail else stem
    name = text[begin:end].strip("-$")
    short = name.lower()
    if short in ("key", "keys", "token", "tokens"):
        word = compiled(r"([A-Za-z]+) $").search(text[max(0, begin - 24) : begin])
        name = f"{word[1]} {name}" if word else name
    kind = name_kind(name)
    if not kind and short in ("key", "signature", "code") and text[begin - 1 : begin] in ("?", "&"):
        kind = "key"
    return _Name(name, kind, begin, end, at)


def _value(source: Source, name: _Name) -> Value | None:
    text, low, at = source.text, source.low, name.at
    if low[at - 1] == ">":
        return _element(source, name, at)
    if attribute := compiled(_ATTRIBUTE).match(low, at):
        return _element(source, name, attribute.end())
    if typed := compiled(_TYPED).match(low, at):
        value = source.read(typed.end())
        return value if value and _acceptable(name, value) else None
    if sign := compiled(_SIGN).match(low, at):
        return _assigned(source, name, sign[0], sign.end())
    if item := compiled(_VALUE_OF).match(low, at):
        value = source.read(item.end())
        return value if value and _acceptable(name, value, bare="env") else None
    if cell := compiled(r"[ \t]{0,24}\|[ \t]{0,24}`?").match(low, at):
        value = source.read(cell.end())
        if value and (looks_like_password if name.kind == "password" else looks_random)(value.text):
            return value
    call = compiled(rf"\(\s{{0,4}}{_QUOTE}|,\s{{0,12}}{_QUOTE}").match(text, at)
    value = source.read(call.end()) if call else None
    if call and value and value.quoted and _is_argument(source, name, call[0][0], value):
        return value if _acceptable(name, value) else None
    return None


def _assigned(source: Source, name: _Name, sign: str, at: int) -> Value | None:
    text, low = source.text, source.low
    before = text[max(0, name.begin - 4) : name.begin]
    if sign.strip() == ":" and compiled(r".*[A-Za-z0-9]:$").match(before):
        return None  # arn:aws:…:secret:name
    if compiled(r"://[\w.-]*$").search(text, max(0, name.begin - 40), name.begin):
        return None  # https://x-access-token:…@host
    line = compiled(_NEXT_LINE).match(low, at)
    value = source.read(line.end() if line else at)
    if value is None or (sign.strip() in ("==", "===") and (not value.quoted or low[name.at - 1] == ")")):
        return None
    if line:
        head = low[max(0, name.begin - 80) : name.begin].rsplit("\n", 1)[-1]
        if compiled(r"\s*(?:if|elif|else|while|for|def|class|with|case|return)\b").match(head):
            return None
        if not looks_like_password(value.text) or not compiled(r"\s*(?:$|\n|\\n|[\"'])").match(text, value.after):
            return None
    if "/" in value.text and compiled(r".*\w\s?/\s?$").match(before):
        return None  # "id/pw: admin/…": the secret is the second
    bare = "" if value.quoted else _context(source, name, value, sign)
    return value if _acceptable(name, value, bare=bare) else None


def _element(source: Source, name: _Name, at: int) -> Value | None:
    """``<password>…</password>``, also with attributes before; ``<entry key="password">…``."""
    text, low, begin = source.text, source.low, name.begin
    if cell := compiled(r"\s{0,8}<(?:td|dd|code|span|b)\b[^<>]{0,60}>|<!\[cdata\[").match(low, at):
        at = cell.end()
    attribute = compiled(r"(?:key|name)=\\?[\"'][\w.:-]*$")
    if text[begin - 1 : begin] not in ("<", ":") and not cell and not attribute.search(low, max(0, begin - 60), begin):
        return None
    end = text.find("]]>" if cell and cell[0][:2] == "<!" else "<", at, at + 2048)
    content = text[at : max(at, end)]
    start = at + len(content) - len(content.lstrip())
    end = start + len(content.strip())
    if end <= start or "\n" in text[start:end] or text[end : end + 200].lstrip()[:2] not in ("</", "]]"):
        return None
    value = Value(start, end, True, text[start:end][:256], end)
    return value if _acceptable(name, value) else None


def _is_argument(source: Source, name: _Name, sign: str, value: Value) -> bool:
    """Tell ``setPassword("…")`` and ``define('DB_PASSWORD', '…')`` from a list of field names."""
    if sign == "(":
        setter = compiled(r"(?i)set|with|add|use|update|put").match(name.text)
        return (
            " " not in value.text
            and name.end == name.at
            and (bool(setter) or source.text[name.begin - 1 : name.begin] == ".")
        )
    first = compiled(r"\w\(\s*\\?[\"'`]$").search(source.low, max(0, name.begin - 40), name.begin)
    return source.low[name.end : name.at].strip("\\") in ("'", '"', "`") and bool(first)


# --- whether it is one ---------------------------------------------------------------------------------------------


def _context(source: Source, name: _Name, value: Value, sign: str) -> str:
    """Say how a bare value stands: ``env`` (``NAME=value``), ``line`` (alone behind its name), ``""`` (code, prose)."""
    text = source.text
    follows = text[value.end : value.end + 1]
    if sign == "=" and name.text.isupper():
        return "env"
    if name.text.lower() == "pass" and sign != "=":
        return ""  # "PASS: test_x", "pass: 12 of 15"
    head = text[max(0, name.begin - 40) : name.begin].rsplit("\n", 1)[-1]
    opens = not head.strip(" \t-\"'>*#|$") or head.rstrip().endswith(("export", "set", "ENV", "-e", "--env", "env"))
    if opens and (sign == "=" or sign.strip() == ":") and compiled(r"[ \t]*(?:\r?\n|$|#|\\n)").match(text, value.end):
        return "line"
    before = text[name.begin - 1 : name.begin]
    tight = sign == "=" and before in ("", " ", "\n", "?", "&", ";", '"', "'")
    return "line" if tight and follows in ("", " ", "\t", "\r", "\n", "&", ";", '"', "'") else ""


_LABELLED_HASH = ("sha1:", "sha256:", "sha512:", "sha1-", "sha256-", "sha384-", "sha512-", "md5:")


def _acceptable(name: _Name, value: Value, bare: str = "") -> bool:
    secret = value.text
    if placeholder(secret) or secret.startswith(_LABELLED_HASH):
        return False
    if name.kind == "password":
        quoted = value.quoted
        return _is_quoted_password(name.text, secret) if quoted else _is_bare_password(name.text, secret, bare)
    return _is_token(name, secret, value.quoted, bare)


def _is_quoted_password(name: str, secret: str) -> bool:
    if len(secret) < 3 or (not secret.isascii() and not compiled(r".*[\d!@#$%^&*]").match(secret)):
        return False  # a label in another language
    if " " not in secret:
        return True
    signs = len(compiled(r"[^A-Za-z\s.,'!?:-]").findall(secret))
    phrase = "phrase" in name.lower() and compiled(r"[a-z]+(?:[ -][a-z]+){2,}").fullmatch(secret)
    return signs > 3 or bool(phrase)


def _is_bare_password(name: str, secret: str, bare: str) -> bool:
    short = name.lower()
    if len(secret) < 4:
        return False
    if secret.isdigit():
        return short != "pass" and not short.endswith("s")
    if compiled(r"[A-Z][A-Z_]*").fullmatch(secret) or (secret.startswith("/") and short.endswith("pwd")):
        return False
    if compiled(r"[A-Za-z_][\w-]*").fullmatch(secret):
        if compiled(r"(?i).*(?:pass|pwd?|secret|token|key)\w{0,2}").fullmatch(secret) and bare != "env":
            return False  # password=user_password: the name of another variable
        return bare == "env" or (bare == "line" and not secret[0].isupper()) or looks_like_password(secret)
    return not looks_like_code(secret) and (bool(bare) or short != "pass" or looks_like_password(secret))


def _is_token(name: _Name, secret: str, quoted: bool, bare: str) -> bool:
    if compiled(r"(?i)[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}").fullmatch(secret):
        return name.kind == "token"
    if name.kind == "key":
        return looks_random(secret) and not compiled(r"(?i)[0-9a-f]+").fullmatch(secret)
    code = not quoted and looks_like_code(secret)
    if not quoted and compiled(r"[A-Za-z_]\w*(?:(?:\.|::|->)[A-Za-z_]\w*)+").fullmatch(secret):
        return False
    if code and not (looks_random(secret) or drawn(secret) or bare == "env"):
        return False
    if len(secret) < 8 or sequential(secret) or secret.isdigit():
        return False
    if compiled(r".*(?:a-z|A-Z|0-9|\\[wds]|\(\?)").match(secret):
        return False  # a pattern of tokens
    if looks_random(secret):
        return True
    if quoted and len(secret) > 24 and len(compiled(r"[^\w\s.,:;'!?/-]").findall(secret)) > 5:
        return True  # the salts of Django and WordPress
    if " " in secret:
        return False
    if name.text.isupper() and (quoted or bare == "env"):
        made_up = r"(?:.*[-_])?(?i:test|dummy|fake|sample|example|mock|key|token|secret)(?:[-_].*)?"
        return not compiled(rf"{made_up}|[A-Z_]+|[a-z]+(?:-[a-z]+)+|[\d.]+|.*[/:<>\[\]].*").fullmatch(secret)
    if wordy(secret) or not compiled(r"[!-~]+").fullmatch(secret) or compiled(r"[\w.-]*/[\w./-]*").fullmatch(secret):
        return False
    mixed = compiled(r"(?=.*\d)(?=.*[A-Za-z])").match(secret)
    return bool(mixed) and (quoted or bare != "" or drawn(secret) or not code)
