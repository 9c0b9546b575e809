"""Find secrets in sentences: "the root password is …", "관리자 비밀번호는 … 입니다", "パスワードは…です", "验证码：…".

In prose a keyword alone says little, so the value must look like a password (letters with digits or signs), or the
sentence must say that it is one: by ``=``, ``:``, an arrow, quotes, or a Korean copula behind it. A value ends before
the first letter of another script, so particles and endings (``이``, ``을``, ``입니다``) stay where they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from wwt_vault.capture.secret_values import (
    Find,
    Source,
    Value,
    compiled,
    looks_like_code,
    looks_like_password,
    looks_random,
    numbered,
    occurrences,
    placeholder,
    technical,
)

__all__ = ["find_told"]


def find_told(source: Source) -> Iterator[Find]:
    """Yield every secret that a sentence tells."""
    yield from _western(source)
    yield from _pairs(source)
    if source.foreign:
        yield from _eastern(source)


# --- English and its neighbours ------------------------------------------------------------------------------------

_WESTERN = (
    ("password", "password passphrase passcode passwd pwd pw contraseña contrasena clave passwort kennwort senha"),
    ("password", "wachtwoord lösenord hasło parola şifre пароль"),
    ("token", "token secret credential credentials apikey"),
)
# Words with another meaning too ("pass these to `x`"): the value must follow them at once.
_AMBIGUOUS = (("password", "pass pin"), ("token", "key"))
_KEYS_BEFORE = r"(?:api|access|secret|auth|private|encryption|license|licence|ssh|app|service|account)[ _]$"
# Up to six words may stand between: "the password for the staging server of kim is …".
_IS = (
    r"(?P<between>(?:[ \t]{1,3}\(?[\w@.'’/-]{1,24}\)?){0,6}?)[ \t]{0,3}\*{0,2}"
    r"(?P<is>:|=|→|->|=>|：|(?<=[ \t])[-–—](?=[ \t])|(?<=[ \t)'’s])"
    r"(?:is|was|are|be|becomes|to|as|es|ist|est|é|är|это|là|jest)(?=[ \t:\"'`“]))"
    r"(?:[ \t]{1,2}(?:now|still|just|simply|set to|changed to|currently|actually|again|going to be|"
    r"ahora|jetzt|nun|maintenant))?:?\*{0,2}[ \t]{0,4}"
)
_DIRECT = r"(?P<between>)[ \t]{1,2}(?P<is>)(?=[\"'`“(\[!-~])"


# Google shows its app passwords as four words of four letters.
_SPACED = r"[^\n]{0,24}?[\s:=`'\"]([a-z]{4}(?: [a-z]{4}){3})(?![a-z]| [a-z])"


def _western(source: Source) -> Iterator[Find]:
    low = source.low
    for kind, words in _WESTERN:
        for word in words.split(" "):
            for at in source.places(word):
                if not _is_paired(source, at, at + len(word)):
                    yield from _link(source, at + len(word), kind, ambiguous=False)
    for phrase in ("mot de passe", "mật khẩu"):
        for at in occurrences(low, phrase):
            yield from _link(source, at + len(phrase), "password", ambiguous=False)
    for word in ("password", "passphrase", "pin", "token"):
        for at in source.places(word):
            yield from _told_around(source, at, at + len(word))
    for phrase in ("app password", "app passwords", "앱 비밀번호"):
        for at in source.places(phrase):
            if spaced := compiled(_SPACED).match(source.text, at + len(phrase)):
                yield Find(*spaced.span(1), "password", 0)
    for kind, words in _AMBIGUOUS:
        for word in words.split(" "):
            for at in source.places(word):
                if word != "key" or compiled(_KEYS_BEFORE).search(low[max(0, at - 12) : at]):
                    yield from _link(source, at + len(word), kind, ambiguous=True)


def _link(source: Source, at: int, kind: str, *, ambiguous: bool) -> Iterator[Find]:
    at += 2 if source.low[at : at + 2] in ("'s", "’s") else 0
    for pattern in (_IS,) if ambiguous else (_IS, _DIRECT):
        link = compiled(pattern).match(source.low, at)
        if not link or (ambiguous and (link["between"] or link["is"] in ("to", "as"))):
            continue
        value = source.read(link.end())
        if value and _told(source.text, kind, link["between"], link["is"], value):
            yield Find(value.start, value.end, kind, 0)
            return


# "… is the root password"; "the password from … to …" (Korean: …에서 …로).
_IS_THE = r"(?<![!-~])([!-~]{5,64}) (?:is|was) (?:the|my|our|your|a|his|her|their) (?:[\w-]{1,20} ){0,3}$"
_FROM_TO = (
    r"[^\n]{0,30}?(?:\bfrom ([!-~]{5,64}) to |(?<![!-~])[\"'`]?([!-~]{5,64}?)[\"'`]?에서 )[\"'`]?([!-~]{5,64})(?![!-~])"
)


def _told_around(source: Source, start: int, end: int) -> Iterator[Find]:
    before, after = source.text[max(0, start - 130) : start], source.text[end : end + 110]
    matches = []
    if " is " in before or " was " in before:
        matches.append((compiled(_IS_THE).search(before), start - len(before)))
    if "from " in after or "에서 " in after:
        matches.append((compiled(_FROM_TO).match(source.text, end), 0))
    for match, offset in matches:
        for group, said in enumerate(match.groups(), start=1) if match else ():
            secret = (said or "").strip("\"'`()[],.")
            if match and looks_like_password(secret):
                at = offset + match.start(group) + said.index(secret)
                yield Find(at, at + len(secret), "password", 0)


def _told(text: str, kind: str, between: str, link: str, value: Value) -> bool:
    secret = value.text
    if " " in secret or len(secret) > 200 or placeholder(secret) or text[value.end : value.end + 1] == "(":
        return False
    if between and link == "=":
        return False
    if kind == "token":
        return looks_random(secret, 12) and (bool(link) or len(secret) >= 20)
    if value.quoted and link:
        code = r"[\w-]+[=:]|[A-Za-z_]\w*\(.*|-{1,2}[a-z].*|[a-z]+[A-Z]\w*"
        return len(secret) > 3 and not compiled(code).fullmatch(secret)
    if secret.isdigit():
        counted = compiled(r"[ -]?[A-Za-z%]").match(text, value.end)
        return bool(link) and not between and 4 <= len(secret) <= 12 and not counted
    if not looks_like_password(secret) or (looks_like_code(secret) and not secret.isalnum()):
        return False
    return bool(link) or (len(secret) > 5 and secret[0] not in "-=([{")


# --- a name and a secret side by side ------------------------------------------------------------------------------

_USER = r"(?:id|user(?:name)?|login|e-?mail|아이디|계정|유저)\s?/\s?$"
_PAIR = r"[^\s:=]{0,8}\s{0,2}[:=은는이가]{0,2}\s{0,2}[\w.@+-]{2,64}\s?/\s?"
_ACCOUNT = r"[^\n/:=]{0,24}[:=]\s{0,2}[\w.@+-]{2,64}\s?[/|]\s?"


def _is_paired(source: Source, start: int, end: int) -> bool:
    """Tell whether the keyword is the second half of "id/pw", and what follows has two halves too."""
    before = source.low[max(0, start - 14) : start]
    return before.rstrip().endswith("/") and bool(
        compiled(_USER).search(before) and compiled(_PAIR).match(source.text, end)
    )


def _pairs(source: Source) -> Iterator[Find]:
    """``id/pw: admin / …``, ``credentials: admin/…``: the secret is the second."""
    text = source.text
    if "/" not in text:
        return
    for word in ("pw", "pass", "password", "비번", "비밀번호", "패스워드"):
        for at in source.places(word):
            if _is_paired(source, at, at + len(word)) and (pair := compiled(_PAIR).match(text, at + len(word))):
                value = source.read(pair.end())
                if value and len(value.text) >= 4 and not placeholder(value.text):
                    yield Find(value.start, value.end, "password", 0)
    for word in ("credentials", "creds", "login", "account", "계정", "접속정보", "접속 정보", "로그인 정보"):
        for at in source.places(word):
            pair = compiled(_ACCOUNT).match(text, at + len(word))
            value = source.read(pair.end()) if pair else None
            if value and looks_like_password(value.text):
                yield Find(value.start, value.end, "password", 0)


# --- Korean, Japanese, Chinese -------------------------------------------------------------------------------------

# Beginnings by which the text is searched; then what a keyword is as a whole.
_STEMS = (
    "비밀 비번 암호 패스 핀 인증 확인 보안 접속 로그인 토큰 시크릿 키 パス 暗証 合言葉 認証 確認 ワンタイム トークン "
    "シーク キー 密码 密碼 口令 验证 驗證 校验 令牌 密钥 密鑰 私钥"
)
_KEYWORD = (
    r"(?P<password>비밀 ?번호|비번|암호(?!화|문|학|기|자산|모듈|통화|[ ]?알고)|"
    r"패스워드|패스 ?프레이즈|패스 ?코드|핀 ?번호|비밀 ?구문|"
    r"pass(?:word|wd)?|pwd?|pin|パスワード|暗証番号|合言葉|パスフレーズ|密码|密碼|口令)"
    r"|(?P<code>(?:인증|확인|보안|접속|로그인) ?(?:번호|코드)|otp ?(?:번호|코드)?|認証コード|確認コード|"
    r"ワンタイムパスワード|验证码|驗證碼|校验码)"
    r"|(?P<token>token|secret|key|토큰|시크릿 ?키?|(?:접근|접속|비밀|인증|개인|암호화) ?키|키|"
    r"トークン|シークレット|キー|令牌|密钥|密鑰|私钥)"
)
_PARTICLE = (
    r"(?:는요|은요|들은|들이|란|이란|라는|이라는|라고|이라고|으로는|로는|으로|로|에는|에|은|는|이|가|을|를|도|만|의|와|"
    r"과|인데|인|이고|は|が|を|も|に|の|是|为|為|改成|改为|改為|设为|設為)?"
)
# Up to five words may stand between: "비밀번호는 서버에 접속할 때 쓰는 …".
_FILLING = r"(?P<between>(?:[ \t]{1,2}[^\x00-\x7f]{1,8}[,:]?){0,5}?)"
_LINK = (
    r"[ \t,]{0,3}(?P<is>[:=：＝→⇒➜➡👉️>|-]{1,3}|\((?=[!-~])|\[(?=[!-~]))?[ \t]{0,3}(?:\*{1,2}|__)?"
    r"(?P<line>\r?\n[ \t>*-]{0,8})?(?=[!-~“‘「『《„«])"
)
_COPULA = (
    r"[\"'`”’」』)\]*]{0,3}[ \t]?(?:입니다|이에요|예요|이예요|이야|야|이다|이고|임(?![^\x00-\x7f])|이었|였|"
    r"이?니까|이?거든|이?라서|이지|이요|요(?![^\x00-\x7f])|인데|"
    r"이라고|라고|래|이래|으?로 (?:해|설정|바꿔|변경|할게)|です|だ|である|でした|吧|。)"
)
_COUNTED = (
    r"[ ]?(?:자|글자|개|번|회|일|월|년|시|분|초|차|단계|문자|종|가지|명|건|주|달|퍼센트|%|점|위|호|장|문제|바이트|비트"
    r"|桁|文字|位|个|次|天|年|月|日|分|秒)"
)
_KEPT = r"[ ]?(?:에|에서|(?:으)?로 ?(?:암호|해시|해싱|저장|관리|보호|인코딩|처리|검증|구현|만들))"
# Hangul and digits: "비번: 바다1234".
_MIXED = (
    rf"{_PARTICLE}[ \t]{{0,2}}[:=：＝→][ \t]{{0,2}}([^\x00-\x7f]{{1,8}}\d{{3,8}}[!@#$%^&*]{{0,4}})(?![\d%]|{_COUNTED})"
)
# What may follow a keyword whose value stands before it: "…가 비밀번호야", "…로 비밀번호 바꿔줘".
_VERB = (
    r"(?:는|은|가|이|를|을|로|도)?[ \t]{0,2}(?:야|이야|예요|이에요|입니다|임|다|였|래|라고|바꿔|변경|설정|세팅|초기화|"
    r"지정|해줘|써|사용|です|$|[.!~\n])"
)
_BEFORE = (
    r"(?<![!-~])([!-~]{5,64})[\"'`]?(?:이|가|로|으로|을|를|은|는|が|は)[ \t]{1,2}(?:[^\x00-\x7f]{1,6}[ \t]{1,2}){0,2}$"
)


def _eastern(source: Source) -> Iterator[Find]:
    text = source.text
    for keyword in _keywords(source):
        kind = keyword.lastgroup or ""
        link = compiled(_PARTICLE + _FILLING + _LINK).match(text, keyword.end())
        value = source.read(link.end()) if link else None
        if link and value and not _is_paired(source, keyword.start(), keyword.end()):
            # A value on the next line must be alone there.
            alone = not link["between"] and compiled(r"[^\S\n]*(?:\n|$)").match(text, value.after)
            if (not link["line"] or alone) and _told_in_east(text, kind, link["between"], bool(link["is"]), value):
                yield Find(value.start, value.end, "one-time-code" if kind == "code" else kind, 0)
                continue
        if kind == "password":
            yield from _said_before(source, keyword.start(), keyword.end())
            yield from _told_around(source, keyword.start(), keyword.end())
            if mixed := compiled(_MIXED).match(text, keyword.end()):
                yield Find(*mixed.span(1), "password", 0)


def _keywords(source: Source) -> Iterator[re.Match[str]]:
    low = source.low
    for stem in _STEMS.split(" "):
        if stem in source.foreign:
            yield from filter(None, (compiled(_KEYWORD).match(low, at) for at in occurrences(low, stem)))
    # "password는 …", "PW는 …": the keyword is English, the sentence is not.
    for word in ("otp", "password", "passwd", "pass", "pwd", "pw", "pin", "token", "secret", "key"):
        for at in source.places(word):
            if word == "otp" or not low[at + len(word) : at + len(word) + 1].isascii():
                yield from filter(None, (compiled(_KEYWORD).match(low, at),))


def _told_in_east(text: str, kind: str, between: str, linked: bool, value: Value) -> bool:
    secret = value.text
    if placeholder(secret) or (" " in secret and not value.quoted):
        return False
    if kind == "token":
        return looks_random(secret, 12)
    if secret.isdigit():
        counted = compiled(_COUNTED).match(text, value.end)
        return 4 <= len(secret) <= 12 and not counted and (not between or len(secret) > 5)
    if kind == "code":
        return compiled(r"(?=.*\d)[A-Z0-9-]{4,10}").fullmatch(secret) is not None
    said = compiled(_COPULA).match(text, value.end) is not None
    if value.quoted:
        if not secret.isascii() and not between:
            return (linked or said) and compiled(r"\S{4,32}").fullmatch(secret) is not None
        return len(secret) > 3 and " " not in secret and (linked or said or looks_like_password(secret))
    if looks_like_password(secret):
        # "비밀번호는 Redis7에 저장", "… 로 암호화": where or how it is kept
        kept = compiled(_KEPT).match(text, value.end)
        return linked or not (kept and secret.isalnum())
    word = compiled(r"[A-Za-z][\w!@#$%^&*-]{3,63}").fullmatch(secret)
    if between or not word or secret.isupper() or numbered(secret):
        return False
    # "비밀번호는 kiwi-lamp-2958이야": nothing but a password is what a password is, joined words as well.
    joined = compiled(r"[A-Za-z]{2,}(?:[-_][A-Za-z]{2,})*[-_]\d{3,8}|[a-z]{2,}(?:-[a-z]{2,}){3,}").fullmatch(secret)
    if technical(secret) and not (said and joined):
        return False
    ends = text[value.after : value.after + 1].strip() in ("", ".", ",", ")")
    goes_on = compiled(r"[ \t]+(?:[A-Za-z]|[^\x00-\x7f])").match(text, value.end)
    return said or (linked and ends and not goes_on)


def _said_before(source: Source, start: int, end: int) -> Iterator[Find]:
    if not compiled(_VERB).match(source.text, end):
        return
    before = source.text[max(0, start - 80) : start]
    if value := compiled(_BEFORE).search(before):
        secret = value[1].strip("\"'`()[],")
        if looks_like_password(secret):
            at = start - len(before) + value.start(1) + value[1].index(secret)
            yield Find(at, at + len(secret), "password", 0)
