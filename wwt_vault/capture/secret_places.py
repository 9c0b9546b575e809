"""Find secrets by the place they stand in: URLs, HTTP headers, cookies, command lines, netrc, pgpass, SQL, connections.

Each rule is for one grammar in which the secret needs no name. The words around it stay.
"""

from __future__ import annotations

from collections.abc import Iterator

from wwt_vault.capture.secret_values import (
    Find,
    Source,
    Value,
    compiled,
    looks_like_password,
    looks_random,
    occurrences,
    placeholder,
    sequential,
    word_set,
)

__all__ = ["find_placed"]


def find_placed(source: Source) -> Iterator[Find]:
    """Yield every secret that a URL, a header, a command line or a file's own grammar gives away."""
    yield from _urls(source)
    yield from _authorization(source)
    yield from _cookies(source)
    yield from _commands(source)
    yield from _flags(source)
    yield from _files(source)


# --- URLs (RFC 3986, 3.2.1) ----------------------------------------------------------------------------------------

_STAND_INS = word_set("""
    user username pass password passwd pw pwd secret token test key apikey api_key xxx yyy foo bar example changeme
    login account id name me you
""")
_DATABASES = (
    "postgres",
    "postgresql",
    "mysql",
    "mariadb",
    "mongodb",
    "redis",
    "rediss",
    "amqp",
    "amqps",
    "mssql",
    "sqlserver",
)


def _stands_in(secret: str) -> bool:
    return placeholder(secret) or secret.lower().strip("[]<>{}$%") in _STAND_INS


def _urls(source: Source) -> Iterator[Find]:
    text = source.text
    if "@" not in text:
        return
    at = text.find("://")
    while at >= 0:
        start = at + 3
        # A password may hold "@", "#" and "?" unescaped: the last "@" before a slash, a space or a quote ends it.
        authority = compiled(r"[^\s/\"'`<>\\|]{1,512}").match(text, start)
        stop = authority.end() if authority else start
        sign = text.rfind("@", start, stop)
        if sign < 0 and source.low[max(0, at - 16) : at].removesuffix("+srv").endswith(_DATABASES):
            # In the URLs of databases people leave slashes unescaped too.
            longer = compiled(r"[^\s\"'`<>\\|@]{1,256}@(?=[\w.-]+)").match(text, start)
            sign = longer.end() - 1 if longer and ":" in longer[0] else -1
        if sign > start:
            yield from _userinfo(text, start, sign)
        at = text.find("://", max(stop, start))
    for at in source.places("jdbc"):
        match = compiled(r"(?i)jdbc:oracle:\w{1,10}:[\w.-]{1,64}/([^\s@/\"']{1,200})@").match(text, at)
        if match and not _stands_in(match[1]):
            yield Find(*match.span(1), "url-password", 2)


# What git hosts take as the password when the user is a token.
_GIT_STAND_INS = ("", "x", "x-oauth-basic")


def _userinfo(text: str, start: int, end: int) -> Iterator[Find]:
    user_end = text.find(":", start, end)
    if user_end < 0:
        user = text[start:end]
        if looks_random(user) or (len(user) >= 32 and compiled(r"[0-9a-f]+").fullmatch(user)):
            yield Find(start, end, "url-token", 2)
        return
    user, password = text[start:user_end], text[user_end + 1 : end]
    if "?" in user or "#" in user or user.startswith("[REDACTED"):
        return
    if not _stands_in(password) and password not in _GIT_STAND_INS and not password.startswith("//"):
        yield Find(user_end + 1, end, "url-password", 2)
    if (password in _GIT_STAND_INS or "[REDACTED" in password) and looks_random(user) and "%40" not in user:
        yield Find(start, user_end, "url-token", 2)


# --- HTTP headers (RFC 9110, 6265) ---------------------------------------------------------------------------------

# An escaped or real quote may close the name (JSON, Python); after the scheme the credentials run to the next quote.
_IS = r"(?:\\{0,3}[\"'`]?\]?\s{0,4}(?::|=>?)|\\{0,3}[\"'`]\s{0,2},)\s{0,4}(?:[bruf]?\\{0,3}[\"'`])?"
_SCHEME = (
    r"(?:(?P<fields>digest|aws4-hmac-sha256)\s{1,4}"
    r"|(?:bearer|basic|token|apikey|api-key|api-token|key|negotiate|bot|sso-key|genie\w{1,9})\s{1,4})?"
)


def _authorization(source: Source) -> Iterator[Find]:
    text, low = source.text, source.low
    reached = 0
    for at in source.places("authorization"):
        if at < reached:
            continue
        header = compiled(_IS + _SCHEME).match(low, at + len("authorization"))
        if not header:
            continue
        until = r"[^\n\"'`\\]{1,1000}" if header["fields"] == "aws4-hmac-sha256" else r"[^\s\"'`\\,;<>]+"
        if header["fields"] == "digest":
            until = r"[^\n\\]{1,1000}"
        if value := compiled(until).match(text, header.end()):
            reached = value.end()
            yield from _credentials(text, value.start(), value.end(), 4)
    for name in ("bearer", "basic"):
        for at in source.places(name):
            value = compiled(r"[ :]{1,2}([\w~+/.-]{16,}=*)").match(text, at + len(name))
            if value and looks_random(value[1].rstrip(".")):
                yield from _credentials(text, value.start(1), value.end(), 16)


def _credentials(text: str, start: int, end: int, least: int) -> Iterator[Find]:
    secret = text[start:end].rstrip(".,;:)]}*")
    if (
        len(secret) < least
        or secret[0] in "{<[$%("
        or compiled(r"[a-z_]+=").fullmatch(secret)
        or _stands_in(secret)
        or not compiled(r".*[\d=~]|.{20}").match(secret)
    ):
        return
    if looks_random(secret) or not compiled(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*(?:\(.*)?").fullmatch(secret):
        yield Find(start, start + len(secret), "authorization", 2)


_COOKIE_ATTRIBUTES = word_set("path domain expires max-age secure httponly samesite priority partitioned")


def _cookies(source: Source) -> Iterator[Find]:
    text, low = source.text, source.low
    starts = []
    for name in ("cookie", "set-cookie", "cookies"):
        for at in source.places(name):
            header = compiled(_IS).match(low, at + len(name))
            starts += [header.end()] if header else []
    for at in source.places("curl"):
        option = compiled(r"[^\n]{0,200}?\s(?:-b|--cookie)[ =][\"']?").match(low, at + 4)
        starts += [option.end()] if option else []
    reached = 0
    for start in sorted(starts):
        at = start if start >= reached else len(text)
        while pair := compiled(r"([\w.%$-]{1,64})=([^\s;\"'`\\,<>&]*)(?:;\s{0,2})?").match(text, at):
            name, secret = pair[1].lower(), pair[2]
            telling = compiled(r".*(?:sess|sid|token|auth|csrf|xsrf|jwt|key|secret|login|remember|id$)").match(name)
            if name not in _COOKIE_ATTRIBUTES and len(secret) >= (6 if telling else 8) and not _stands_in(secret):
                session = telling and compiled(r".*\d|.{12}").match(secret)
                if session or looks_random(secret, 12):
                    yield Find(*pair.span(2), "cookie", 2)
            at = reached = pair.end()


# --- command lines -------------------------------------------------------------------------------------------------

_ARG = r"(?P<quote>\\{0,3}[\"'])?(?P<secret>(?(quote)(?:(?!(?P=quote))[^\n]){1,256}|[^\s\"'`|;&<>\\]{1,256}))"
_REST = r"[^\n|;&]{0,300}?"
# Names of commands, and what follows one of them up to its secret.
_COMMANDS: tuple[tuple[str, str], ...] = (
    (
        "mysql mysqldump mysqladmin mysqlimport mysqlcheck mysqlshow mysqlpump mysqlsh mariadb mariadb-dump",
        rf"{_REST}\s-p{_ARG}",
    ),
    ("sshpass", rf"{_REST}\s?-p\s{{0,2}}{_ARG}"),
    ("login", rf"{_REST}\s-p\s?{_ARG}"),
    ("curl", rf"[^\n|;]{{0,400}}?\s(?:-u|--user|--proxy-user|-U)[ =]{{0,3}}{_ARG}"),
    ("wget", rf"{_REST}\s--(?:http-|ftp-|proxy-)?password[= ]{_ARG}"),
    ("redis-cli", rf"{_REST}\s-a\s{_ARG}"),
    ("mongo mongosh mongodump mongorestore mongoexport mongoimport", rf"{_REST}\s-p\s{_ARG}"),
    ("ldapsearch ldapadd ldapmodify ldapdelete ldapwhoami ldappasswd", rf"{_REST}\s-w\s?{_ARG}"),
    ("sqlcmd bcp osql", rf"{_REST}\s-P\s?{_ARG}"),
    ("zip unzip", rf"{_REST}\s(?:-P\s?|--password[ =]){_ARG}"),
    ("7z 7za 7zr", rf"{_REST}\s-p{_ARG}"),
    ("openssl", rf"{_REST}\s-pass(?:in|out)?\s[\"']?pass:{_ARG}"),
    ("keytool", rf"{_REST}\s-(?:store|key|src\w+|dest\w+)pass\s{_ARG}"),
    ("htpasswd", rf"\s+-\w*b\w*\s+\S{{1,200}}\s+\S{{1,100}}\s+{_ARG}"),
    ("smbclient rpcclient smbmap netexec", rf"{_REST}\s-U\s[\"']?[\w.\\/-]{{1,100}}%{_ARG}"),
    ("net", rf"\suse\b{_REST}\s/user:\S{{1,100}}\s{_ARG}"),
    ("ssh-keygen", rf"{_REST}\s-[NP]\s{_ARG}"),
    ("gpg gpg2", rf"{_REST}\s--passphrase[ =]{_ARG}"),
    ("sqlplus rman expdp impdp", r"\s+(?:-\w\s+)*[\w$]{1,64}/(?P<quote>\")?(?P<secret>[^\s@\"']{1,200})"),
    ("echo", rf"\s+(?:-\w\s+)?[\"']?[\w.-]{{1,64}}:{_ARG}[\"']?\s*\|\s*(?:sudo\s+)?chpasswd"),
    ("echo", rf"\s+(?:-\w\s+)?{_ARG}[\"']?\s*\|\s*(?:sudo\s+-S|vncpasswd)"),
    ("authtoken add-authtoken", rf"\s{_ARG}"),
    ("aws", rf"\s+configure set \w{{0,64}}(?:secret_access_key|session_token)\s{_ARG}"),
    ("mc", rf"\s+(?:alias set|config host add)\s+\S{{1,100}}\s+\S{{1,200}}\s+\S{{1,100}}\s+{_ARG}"),
    ("convertto-securestring", rf"\s+(?:-String\s+)?{_ARG}"),
    ("identified", rf"(?i:\s+(?:with\s+\S{{1,64}}\s+)?by\s+(?:password\s+)?)(?=[\"']){_ARG}"),
    ("password", rf"[ \t]+(?=[\"'][^\s\"']{{4,200}}[\"'](?!\s?:)){_ARG}"),
    ("requirepass masterauth", rf"\s+{_ARG}"),
)


_LOGS_IN = r"(?<![\w-])(?:docker|podman|helm|registry|nerdctl|oras|crane|skopeo|buildah|az|oc)\s+$"


def _commands(source: Source) -> Iterator[Find]:
    for names, rest in _COMMANDS:
        for name in names.split(" "):
            for at in source.places(name):
                match = compiled(rest).match(source.text, at + len(name))
                if not match or (name == "login" and not compiled(_LOGS_IN).search(source.low, max(0, at - 16), at)):
                    continue
                start, end = match.span("secret")
                if name == "curl":
                    start, end = _after_colon(source.text, start, end, bool(match["quote"]))
                secret = source.text[start:end]
                if len(secret) >= 3 and not _stands_in(secret) and not secret.startswith("-"):
                    yield Find(start, end, "password", 2)


def _after_colon(text: str, start: int, end: int, quoted: bool) -> tuple[int, int]:
    """Return where the password of ``user:password`` stands; the shell joins ``user:'…'`` and ``"user":"…"``."""
    joined = compiled(r"[\"']?:([\"'])([^\"'\n]{1,200})\1").match(
        text, end if quoted else start + max(0, text[start:end].find(":"))
    )
    if joined:
        return joined.span(2)
    user, colon, password = text[start:end].partition(":")
    if colon and password:
        return end - len(password), end
    # "token:" alone is the way to send a token as the user.
    return (start, end - 1) if colon and compiled(r".*\d").match(user) else (end, end)


_FLAG = (
    r"-{1,2}(?:[a-z]{1,20}[-_]?){0,3}?(?:(?P<password>pass(?:word|wd|phrase|code)?|pwd|pw)|(?P<token>token|secret|api-?key|"
    r"(?:access|secret|auth|account|private)[-_]?key|credentials?))[ \t]{1,3}"
)


def _flags(source: Source) -> Iterator[Find]:
    """``--password X``, ``-Password X``, ``--api-key X``: the value follows a space, so a word of prose must not do."""
    low = source.low
    starts = [at + 1 for before in " \n\"'`(" for at in occurrences(low, f"{before}-")]
    for at in [0, *starts]:
        if low[at + 1 : at + 2].strip() in ("", "0", "1"):
            continue  # the mark of a list, or a number
        match = compiled(_FLAG).match(low, at)
        value = source.read(match.end()) if match else None
        if match is None or value is None or _stands_in(value.text) or value.text.startswith("-"):
            continue
        if match["password"]:
            if value.quoted or looks_like_password(value.text) or _beside_flags(source.text, at, value):
                yield Find(value.start, value.end, "password", 2)
        elif (looks_random(value.text) or (value.quoted and len(value.text) >= 8)) and not sequential(value.text):
            yield Find(value.start, value.end, "token", 2)


def _beside_flags(text: str, at: int, value: Value) -> bool:
    """Tell whether the line is a command: another flag stands in it, and no sentence goes on behind the value."""
    line = text[max(0, at - 120) : at].rsplit("\n", 1)[-1] + text[value.end : value.end + 120].split("\n", 1)[0]
    goes_on = not compiled(r"[ \t]*(?:$|[\n|;&<>\"'`)\\]|-)").match(text, value.end)
    return len(value.text) > 3 and not goes_on and bool(compiled(r"(?:^|.*\s)--?[a-z][\w-]*[ =]").match(line))


# --- files ---------------------------------------------------------------------------------------------------------

_LINE_PAIR = (
    r"[ \t]+[\"']?[^\s\"']{1,100}[\"']?[ \t]*\r?\n[ \t]*password[ \t]+[\"']?([^\s\"']{1,200})[\"']?[ \t]*(?:\r?\n|$)"
)
# A word, the pattern behind it with the secret as group 1, and whether the word "password" counts as one: netrc, msmtp
# and its like, attributes of one XML element.
_FILES: tuple[tuple[str, str, bool], ...] = (
    ("login", r"\s+[\w.@+-]{1,100}\s+password\s+([^\s\"']{1,200})", False),
    ("user", _LINE_PAIR, True),
    ("username", _LINE_PAIR, True),
    ("user", r"=\"[^\"<>]{1,100}\"\s{1,8}password=\"([^\"<>]{1,200})\"[^<>]{0,200}>", True),
)
# Functions that take a user and a password, and requests' auth=("user", "…").
_LOGINS = (
    "login log_in sign_in signin authenticate auth basic_auth basicauth httpbasicauth networkcredential "
    "usernamepasswordcredentials passwordauthentication"
)
_LOGIN_CALL = r"\s?=?\s?\(\s*[\"'][^\"'\n]{1,100}[\"']\s*,\s*[\"']([^\"'\n]{3,200})[\"']"
_PGPASS = r"(?m)^[\w.*-]{1,100}:(?:\d{2,5}|\*):[\w*-]{1,64}:[\w*.@-]{1,64}:([^\s:]{1,200})$"


def _files(source: Source) -> Iterator[Find]:
    text = source.text
    for word, pattern, weak in _FILES if "password" in source.words else ():
        for at in source.places(word):
            match = compiled(pattern).match(text, at + len(word))
            if match and (not _stands_in(match[1]) or (weak and match[1].isalpha())):
                yield Find(*match.span(1), "password", 2)
    for word in _LOGINS.split(" "):
        for at in source.places(word):
            match = compiled(_LOGIN_CALL).match(text, at + len(word))
            if match and not _stands_in(match[1]):
                yield Find(*match.span(1), "password", 2)
    if ":5432:" in text or ":6432:" in text or ":*:" in text or "pgpass" in source.words:
        for match in compiled(_PGPASS).finditer(text):
            if not placeholder(match[1]) or match[1].isalpha():
                yield Find(*match.span(1), "password", 2)
