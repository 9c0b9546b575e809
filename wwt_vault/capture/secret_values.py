"""Judge a value: where it starts and ends in the text, and whether it can be a secret at all.

Every rule that finds a place where a secret may stand asks here. A value is no secret when it refers to one
(``${DB_PASSWORD}``, ``os.environ["KEY"]``, ``<your-token>``), hides one (``sk-...``, ``****``), names a type or a state
(``string``, ``required``), or is what every manual prints in its place (``changeme``, ``your_password``, ``secret``,
the word "password" itself): whoever guesses tries those first anyway. Other weak passwords are secrets (``admin123``).
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

__all__ = [
    "Find",
    "Source",
    "Value",
    "clean_start",
    "compiled",
    "drawn",
    "elided",
    "looks_like_code",
    "looks_like_password",
    "looks_random",
    "numbered",
    "occurrences",
    "placeholder",
    "sequential",
    "technical",
    "word_set",
    "wordy",
]

LONGEST_JUDGED = 256
"""Characters of a value that are looked at: keeps hostile input linear."""


class Find(NamedTuple):
    """A secret and where it stands."""

    start: int
    end: int
    kind: str
    rank: int
    """How sure the rule knows the kind: 4 marked by the person, 3 by the key's own format, 2 by a fixed place, 1 by its
    name, 0 by prose."""


class Value(NamedTuple):
    """A candidate and how it was written."""

    start: int
    end: int
    quoted: bool
    text: str
    """Its first ``LONGEST_JUDGED`` characters, with "…" behind if its end was left out."""
    after: int
    """Where the closing quote, if any, and the punctuation have been passed."""


@lru_cache(maxsize=1024)
def compiled(pattern: str) -> re.Pattern[str]:
    """Compile on first use: most hooks see a text in which few rules have a chance."""
    return re.compile(pattern, re.ASCII)


def word_set(words: str) -> frozenset[str]:
    """Return the words of a list that is written as text."""
    return frozenset(words.split())


def clean_start(text: str, at: int) -> bool:
    r"""Tell whether a token may begin at ``at``: no letter or digit before it, save of ``\n``, ``%3D``, ``\u003d``."""
    if at == 0 or not ((before := text[at - 1]).isascii() and (before.isalnum() or before == "_")):
        return True
    if before in "nrtbf" and at > 1 and text[at - 2] == "\\":
        return True
    return (at > 2 and text[at - 3] == "%") or text[max(0, at - 6) : at - 4] == "\\u"


def occurrences(text: str, word: str) -> Iterator[int]:
    """Yield every offset of ``word`` in ``text``: far cheaper than a pattern that starts with it."""
    at = text.find(word)
    while at >= 0:
        yield at
        at = text.find(word, at + 1)


# --- reading -------------------------------------------------------------------------------------------------------

_ASCII = bytes(range(128))
_WORD_BYTES = bytes(c if c < 128 and chr(c).isalnum() else 32 for c in range(256))
# What stands before a word when it follows an escape: the letter of "\n", the code of "%3D" or "\u003d".
_ESCAPED = r"(?:[nrt]|3[dD]|2[026fF]|u00[23][0-9a-d])([A-Za-z0-9]+)"
_MARKER = r"\[redacted:[a-z0-9-]+\]"
_PAIRS = {"“": "”", "‘": "’", "「": "」", "『": "』", "《": "》", "„": "“", "«": "»"}
_OPENING = r"(?:[bruf@$]{0,2}(\\{0,7}(?:\"\"\"|'''|[\"'`]))|([“‘「『《„«]))"
# Printable ASCII and Latin to Cyrillic letters; Hangul, Kana and Han end a value, so particles stay outside. A comma,
# semicolon or ampersand goes on only where nothing that looks like the next field follows, a backslash only before an
# ordinary letter, a bracket only where no tag begins.
_BARE = (
    r"(?:[!#-%(*+\-./0-9:=?@A-Z\[\]^_a-z{}~)|\u00a1-\u10ff]"
    r"|,(?![\s\"'`]|$|[\w.-]{1,40}\s?[=:])|;(?!\s|$|[\"'`]|[\w .-]{1,40}=)|&(?!(?:amp;)?[\w.\[\]%-]{1,60}=)"
    r"|<(?![/!]|[a-zA-Z][^\s<>]{0,20}>)|>(?!\s|$|<)|\\(?![\"'`nrt\s\\]|u00[0-9a-f]{2}))+"
)
_CLOSERS = {")": "(", "]": "[", "}": "{", ">": "<"}


class Source:
    """A text under search, with what makes searching it cheap."""

    __slots__ = ("_marker", "_run_start", "foreign", "heads", "low", "run_end", "text", "words")

    def __init__(self, text: str) -> None:
        self.text = text
        low = text.lower()
        # One letter becomes two in lower case and would shift every offset behind it.
        low = low if len(low) == len(text) else text.replace("İ", "I").lower()
        if "[redacted:" in low:
            # The kinds are named in the very words that rules look for.
            low = compiled(_MARKER).sub(lambda marker: "\0" * len(marker[0]), low)
        self.low = low
        """The text in lower case with the same offsets, markers of earlier redactions blanked out."""
        # A text is many words, but few different ones: a rule whose word is not among them need not search the text.
        data = text.encode("utf-8", "replace")
        exact = set(data.translate(_WORD_BYTES).decode("ascii").split())
        if "\\" in text or "%" in text:
            exact.update([match[1] for match in map(compiled(_ESCAPED).fullmatch, exact) if match])
        self.words = frozenset(exact | {word.lower() for word in exact})
        """Every different run of ASCII letters and digits: as it stands, in lower case, without an escape before it."""
        self.heads = frozenset([word[:3] for word in exact if len(word) > 11])
        """The first three letters of the long ones."""
        self.foreign = data.translate(None, _ASCII).decode("utf-8") if not text.isascii() else ""
        """All characters beyond ASCII, without what stands between them."""
        self._run_start = self._marker = 0
        self.run_end = 0
        """Where the run of characters ends in which a bare value was read last."""

    def places(self, word: str) -> Iterator[int]:
        """Yield where ``word`` (lower case) stands; one of ASCII letters only where it is a word of its own."""
        low = self.low
        if not word.isascii():
            if word[0].isascii() or word.replace(" ", "") in self.foreign:
                yield from occurrences(low, word)
        elif _first_word(word) in self.words:
            for at in occurrences(low, word):
                if clean_start(low, at) and not compiled(r"[a-z0-9_]").match(low, at + len(word)):
                    yield at

    def read(self, at: int) -> Value | None:
        """Read the value that starts at ``at``: quoted (any quote, escaped or not) up to its closing quote on the line,
        else bare up to white space, a quote, the next field or a letter of another script, less the punctuation of
        the sentence around it. ``None`` when nothing stands there.
        """
        text = self.text
        opening = compiled(_OPENING).match(text, at)
        if opening:
            quote = opening[1] or _PAIRS[opening[2]]
            start = opening.end()
            end = _closing(text, start, quote)
            if end >= 0:
                return Value(start, end, True, text[start : min(end, start + LONGEST_JUDGED)], end + len(quote))
            at = start
        run_end = self._end_of_run(at)
        end = _without_punctuation(text, at, run_end)
        at, end = _unwrapped(text, at, end)
        bare = text[at : min(end, at + LONGEST_JUDGED)]
        if text.startswith(("...", "…"), end):
            bare += "…"
        return Value(at, end, False, bare, run_end) if compiled(r".*[\w\u00a1-\u10ff]").match(bare) else None

    def _end_of_run(self, at: int) -> int:
        # Names stand inside values (``a=b=c``): what was read is kept, so no character is read once per name.
        if not self._run_start <= at < self.run_end:
            run = compiled(_BARE).match(self.text, at)
            self._run_start, self.run_end, self._marker = at, run.end() if run else at, 0
        if self._marker <= at:
            marker = self.text.find("[REDACTED:", at + 1, self.run_end)
            self._marker = marker if marker > 0 else self.run_end
        return self._marker


@lru_cache(maxsize=1024)
def _first_word(phrase: str) -> str:
    return compiled(r"[^A-Za-z0-9]+").split(phrase.lstrip("-_ "), maxsplit=1)[0]


def _closing(text: str, start: int, quote: str) -> int:
    line_end = text.find("\n", start, start + 4096)
    limit = line_end if line_end >= 0 else start + 4096
    end = text.find(quote, start, limit)
    while end > start and text[end - 1] == "\\" and (quote[0] != "\\" or text[end - 2 : end] == "\\\\"):
        end = text.find(quote, end + 1, limit)
    return end


def _without_punctuation(text: str, start: int, end: int) -> int:
    value = text[max(start, end - LONGEST_JUDGED) : end]
    spare = {closer: value.count(closer) - value.count(opener) for closer, opener in _CLOSERS.items()}
    cut = len(value)
    while cut:
        last = value[cut - 1]
        if spare.get(last, 0) > 0:
            spare[last] -= 1
        elif last not in ".,;:|*·…":
            break
        cut -= 1
    return end - (len(value) - cut)


def _unwrapped(text: str, start: int, end: int) -> tuple[int, int]:
    """Take brackets and Markdown's emphasis off a value that stands within them; a marker's brackets are its own."""
    first, last = text[start : start + 1], text[end - 1 : end]
    if first == "*" and text[end : end + 1] == "*":
        while text[start : start + 1] == "*":
            start += 1
    elif first in ("(", "[") and last in (")", "]") and not text.startswith("[REDACTED:", start):
        inside = text[start + 1 : end - 1]
        if compiled(r"[^()\[\]]+").fullmatch(inside):
            return start + 1, end - 1
    return start, end


# --- judging -------------------------------------------------------------------------------------------------------

# What refers to a secret, in lower case: templates, variables, parameters of SQL, look-ups in code, YAML tags, stores.
_REFERENCE = (
    r"(?:[$@#]{0,2}\{+[^{}]*\}+.*|\$[a-z_]\w*(?:(?:->|\.|\[|\(|::).*)?|\$\d|\$\(.*|%[a-z_]\w*%|%\(\w+\)s|%[sdvr@q]"
    r"|<[^<>]*>?|\[[^\W\d][\w ./-]*\]|:[a-z_]\w*|@[a-z_]\w*|\?|!(?:ref|sub|getatt|importvalue|env|vault)\b.*"
    r"|(?:os\.|process\.env|system\.getenv|env\[|env\(|getenv|env\.|import\.meta|secrets\.|vars?\.|vault:|op://|"
    r"file:|arn:|ref\+|data\.|local\.|module\.|self\.|this\.|config\.|settings\.|options?\.|req(?:uest)?\.|ctx\.|"
    r"https?://).*)"
)
_ITSELF = (
    r"(?:user|root|admin|db|new|old|my|the|your|current|confirm|login|super|top|some|any)?"
    r"(?:pass(?:wo?r?d|phrase|code|wd)?s?|pwd?|secrets?|tokens?|(?:api|access|auth|secret|private)?keys?|credentials?)"
    r"(?:here|value|string|goeshere)?|(?:your|enter|insert|replace)[a-z]{2,}\w*"
)
_NOTHING = word_set("""
    none null nil true false yes no on off undefined empty blank unset default string str text type byte bytes int
    integer number bool boolean object array any void value example sample placeholder required optional nullable
    hidden redacted masked removed omitted encrypted hashed invalid incorrect wrong missing inherit bearer basic
    digest todo tbd fixme na anonymous dummy foo foobar bar baz abc xyz lorem ipsum username user email name
    contrasena contraseña passwort kennwort motdepasse senha пароль hasło wachtwoord session cookie env ok ask
    prompt prompted stdin file changeme changeit changethis changenow enabled disabled always never auto automatic
    manual expired changed reset updated correct valid visible needed not too the a an in at of for set used given
    shown sent saved kept known unknown secure weak strong protected managed read written generated rotated leaked
    exposed committed passed loaded provided accepted rejected denied right fine okay here there this that yours
    mine ours what which when why how also only one same different available unavailable configured defined present
    absent case sensitive plain stored plaintext bcrypt argon scrypt md sha base vault environment keychain manager
    asked optionally
""")
_TYPES = (
    r"(?:Optional|Union|Secret|Final|Annotated|Field|List|Dict|Literal)\w*\[.*|(?:Secret)?Str(?:ing)?\b.*"
    r"|required\|.*|min:\d.*"
)
_STANDS_FOR = r"(?i)(?:^|[^a-z])(?:your|my)[\w-]*(?:key|token|secret|pass)|placeholder|_here\b|EXAMPLE(?:KEY|TOKEN)?$"


def elided(value: str) -> bool:
    """Tell whether something was left out of ``value``, or nothing but filling stands in it."""
    if "..." in value or "…" in value or "***" in value or "•••" in value or "####" in value:
        return True
    if len(value) > 1 and set(value) <= set("xX*•.-_#? /@:="):
        return True
    if len(value) < 8 or not compiled(r"(.)\1{5}").search(value):
        return False
    return max(run.end() - run.start() for run in compiled(r"(.)\1*").finditer(value)) * 2 >= len(value)


def placeholder(value: str) -> bool:
    """Tell whether ``value`` stands for a secret without being one."""
    if not value or value.startswith(("[REDACTED", "[redacted")) or elided(value):
        return True
    if compiled(_REFERENCE).fullmatch(value.lower()) or compiled(_TYPES).fullmatch(value):
        # "{ZqL5kVrX}" names no field, and "${VAR:-hunter2X}" holds a default: letters of both cases and digits.
        held = compiled(r"\{[A-Za-z0-9]{8,}\}|\$\{\w+:?[-=][^}]+\}").fullmatch(value)
        return not held or not compiled(r"(?=.*\d.*[A-Za-z])(?=.*[a-z])(?=.*[A-Z])").match(value)
    bare = value.lower().translate({ord(sign): None for sign in "-_ .@'\""})
    return bool(bare in _NOTHING or compiled(_ITSELF).fullmatch(bare) or compiled(_STANDS_FOR).search(value))


def sequential(value: str) -> bool:
    """Tell whether ``value`` was typed along the alphabet or the digits (``abc123``, ``1234567890``, ``aaaa``)."""
    low = value[:128].lower()
    steps = sum(ord(after) - ord(before) in (0, 1) for before, after in itertools.pairwise(low))
    return len(low) >= 6 and steps * 2 >= len(low) - 1


def wordy(value: str) -> bool:
    """Tell whether ``value`` is words, or words and numbers, joined by ``-_./:`` (``db-credentials-2024``)."""
    parts = compiled(r"[-_.:/ ]+").split(value)
    return all(part.isalpha() or part.isdigit() or not part for part in parts)


def drawn(value: str) -> bool:
    """Tell whether letters and digits change so often in ``value`` that no one would name a variable so."""
    return value.isalnum() and len(value) >= 8 and len(compiled(r"(?<=[A-Za-z])\d|(?<=\d)[A-Za-z]").findall(value)) >= 4


def looks_random(value: str, least: int = 16) -> bool:
    """Tell whether ``value`` looks drawn by a machine: ``least`` characters or more, mixed, no words, no path."""
    if len(value) < least or not compiled(r"[\w+/.~:%-]+={0,3}").fullmatch(value) or sequential(value) or wordy(value):
        return False
    if value.startswith(("/", "./", "~/")) or value.count("/") > len(value) // 12 + 1:
        return False
    mixed = compiled(r"(?=.*\d)(?=.*[A-Za-z])").match(value)
    return bool(mixed) and len(set(value.lower())) >= min(10, len(value) // 2)


# In lower case and in this order: names with a number, sizes and counts, numbers, issues and handles, files, addresses,
# flags, languages, signs, paths, dates, dotted and dashed names, labels, arguments, patterns, URLs.
_NUMBERED = (
    r"(?:base|sha|md|utf|aes|rsa|argon|oauth|http|ip|ipv|pbkdf|rfc|tls|ssl|gpt|claude|python|node|java|web|mp|log4|vue|react|"
    r"next|bcrypt|scrypt|iso|issue|step|line|page|section|win|mac|llama|gemini)[-_]?\d[\w.+-]{0,12}|[a-z]{1,2}[-_]?\d{1,5}[a-z]?"
)
_TECHNICAL = (
    rf"{_NUMBERED}|"
    r"\d+[-+]?(?:[a-z]{1,10}|%)(?:s|ly)?|\d+[a-z]\d*|[\d.,:/+-]+|\d+-\w+(?:-\w+)*|#\w.*|@[\w/-]+|"
    r"[\w.-]+\.[a-z]{2,5}\d?|[\w.+-]+@[\w-]+\.[\w.-]+|\w+@|--?[a-z][\w=-]*|c\+\+|c#|[a-z]+\(\)|[a-z]+[?!]+|"
    r"[=+*&|<>~^%$#@!?-]+|[\w.-]*/[\w./*-]*|\d{4}-\d\d-\d\d\S*|[a-z][a-z0-9]*(?:[-_.][a-z0-9]+)+|"
    r":?\w+:|`+|[a-z_]\w*=\S*|.*\\.*|.*://.*"
)

# Words and a number, some letters capital: "kiwi-Lamp-2958", as people make up passwords and nobody names a thing.
_MADE_UP = r"(?=.*[a-z])(?=.*[A-Z])(?:[A-Za-z]+(?:[-_][A-Za-z]+)*[-_]?\d{3,8}|[A-Za-z]+(?:[-_][A-Za-z]+)+[-_]\d\d)"


def technical(value: str) -> bool:
    """Tell whether ``value`` is a term, a version, a path, a flag, a size or an address rather than a password."""
    if compiled(_MADE_UP).fullmatch(value) and not numbered(value):
        return False
    return compiled(_TECHNICAL).fullmatch(value.lower()) is not None


def numbered(value: str) -> bool:
    """Tell whether ``value`` is the name of an algorithm, a format or a product with its number (``SHA-256``)."""
    return compiled(_NUMBERED).fullmatch(value.lower()) is not None


def looks_like_password(value: str) -> bool:
    """Tell whether an unquoted word of prose can be a password: letters with digits or signs, and no technical term."""
    if not 5 <= len(value) <= 128 or placeholder(value) or technical(value):
        return False
    signs = r"(?=.*[!@#$%^&*])(?=.*[A-Za-z0-9].*[A-Za-z0-9])"
    return compiled(rf"(?=.*\d)(?=.*[A-Za-z])|{signs}").match(value) is not None


def looks_like_code(value: str) -> bool:
    """Tell whether an unquoted value is an expression: a call, an index, an attribute, an arrow, a plain name."""
    name = r"[A-Za-z_$][\w$]*"
    plain = r"[A-Za-z_$]+\d{0,2}"
    step = r"(?:\.|->|::|\?\.)"
    return bool(
        compiled(
            rf"{name}|{plain}(?:{step}{plain})+!?(?:\?.*)?|{name}(?:{step}{name})*[(\[{{<].*"
            r"|[({\[].*|\.\.?/.*|/[\w.-]+/.*|~/.*|[A-Za-z]:\\.*|[=!<>]=.*|=>.*|[|&*+].*|-+[A-Za-z].*|[\w.]+\s*\(.*"
        ).fullmatch(value)
    )
