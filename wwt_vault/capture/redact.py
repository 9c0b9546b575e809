r"""Take secrets out of a text before anything of it is written.

What is found is replaced by ``[REDACTED:kind]``: nothing in it comes from the secret, not its length, not a hash. The
words around it stay, also the name of the value (``password=[REDACTED:password]``). A secret that was found once is
taken out wherever else it stands in the same text, bare or escaped. The same text always gives the same result, and
redacting it again changes nothing. The work grows linearly with the text.

Standard library only, and nothing is compiled at import: a hook imports this.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterable, Iterator

from wwt_vault.capture.secret_blocks import find_blocks, find_private
from wwt_vault.capture.secret_names import find_named
from wwt_vault.capture.secret_numbers import find_numbers
from wwt_vault.capture.secret_places import find_placed
from wwt_vault.capture.secret_rules import find_keys
from wwt_vault.capture.secret_values import Find, Source, clean_start, compiled, placeholder, word_set
from wwt_vault.capture.secret_words import find_told
from wwt_vault.model.conversation import Redaction

__all__ = ["find_secrets", "redact", "redact_again", "without_secrets"]

_ROUNDS = 8
_REACH = 2000
"""Characters within which a marker could change what a rule sees."""
_MARKER = r"\[REDACTED:[a-z0-9-]+\]"

_CITED = r"\[?\^?[0-9]{8}T[0-9]{6}Z-[0-9a-f]{12}\]?"


def redact(text: str) -> tuple[str, tuple[Redaction, ...]]:
    """Return ``text`` without its secrets, and how many of each kind were taken out, sorted by kind."""
    counts: dict[str, int] = {}
    clean = _redacted(text, counts)
    if len(_CLEAN) >= _REMEMBERED:
        _CLEAN.clear()
    _CLEAN.add(hash(clean))
    return clean, _counted(counts)


def redact_again(text: str) -> tuple[str, tuple[Redaction, ...]]:
    """Return what :func:`redact` returns, at once for what has come out of it in this process.

    For the last look before something is written: nearly all has been looked at, and a hook has no time for two.
    """
    return (text, ()) if hash(text) in _CLEAN else redact(text)


_CLEAN: set[int] = set()
"""Hashes of texts without secrets. They are of this process alone (Python's are keyed) and never leave it."""


def without_secrets(text: str) -> str:
    """Return a name, path or other short text without its secrets; what was asked before is remembered."""
    known = _SHORT.get(text)
    if known is None:
        known = redact(text)[0]
        if len(_SHORT) >= _REMEMBERED:
            _SHORT.clear()
        if len(text) < _SHORT_TEXT:
            _SHORT[text] = known
    return known


_SHORT: dict[str, str] = {}
_SHORT_TEXT = 1000
_REMEMBERED = 10_000


def _redacted(text: str, counts: dict[str, int]) -> str:
    # Taking one secret out can lay another open (the end of one was the middle of the other), so it is repeated until
    # nothing is found. Nearly always nothing is, and a look around the places that changed tells.
    changed: list[int] = []
    for again in range(_ROUNDS):
        if again and not find_secrets(_around(text, changed)):
            break
        finds = find_secrets(text)
        if not finds:
            break
        parts: list[str] = []
        changed = []
        at = size = 0
        for find in finds:
            parts += text[at : find.start], f"[REDACTED:{find.kind}]"
            size += find.start - at + len(parts[-1])
            changed.append(size)
            at = find.end
            counts[find.kind] = counts.get(find.kind, 0) + 1
        text = "".join(parts) + text[at:]
    return text


def _around(text: str, places: list[int]) -> str:
    """Return the stretches of ``text`` around ``places`` (rising offsets), as far as any rule reaches."""
    stretches: list[tuple[int, int]] = []
    for place in places:
        start, end = max(0, place - _REACH), place + _REACH
        if stretches and start <= stretches[-1][1]:
            stretches[-1] = (stretches[-1][0], end)
        else:
            stretches.append((start, end))
    return "\n".join(text[start:end] for start, end in stretches)


def _counted(counts: dict[str, int]) -> tuple[Redaction, ...]:
    return tuple(Redaction(kind=kind, occurrences=counts[kind]) for kind in sorted(counts))


def find_secrets(text: str) -> list[Find]:
    """Return the secrets in ``text``, in order, without overlaps; ``start`` and ``end`` count characters."""
    source = Source(text)
    finds: list[Find] = []
    for search in (find_private, find_blocks, find_keys, find_placed, find_named, find_told, find_numbers):
        finds += search(source)
    # "the password login is off [^20261130T015801Z-9f2c4e1ab07d]": an event id is where it was said, not the password.
    finds = [find for find in finds if not compiled(_CITED).fullmatch(text, find.start, find.end)]
    if not finds:
        return []
    finds = _resolved(text, finds)
    return _resolved(text, [*finds, *_elsewhere(text, finds)]) if finds else []


def _resolved(text: str, finds: list[Find]) -> list[Find]:
    """Join what overlaps; the kind is that of the surest rule that covers most of it, else of the widest."""
    if "[REDACTED:" in text:
        finds = list(_outside_markers(text, finds))
    finds.sort(key=lambda find: (find.start, -find.end))
    resolved: list[Find] = []
    group: list[Find] = []
    end = -1
    for find in [*finds, None]:
        if find and find.start < end:
            group.append(find)
            end = max(end, find.end)
            continue
        if group:
            start = group[0].start
            covering = [one for one in group if (one.end - one.start) * 5 >= (end - start) * 4] or group
            best = max(
                covering, key=lambda one: (one.rank if covering is not group else 0, one.end - one.start, one.kind)
            )
            resolved.append(Find(start, end, best.kind, best.rank))
        if find:
            group, end = [find], find.end
    return resolved


def _outside_markers(text: str, finds: list[Find]) -> Iterator[Find]:
    markers = [match.span() for match in compiled(_MARKER).finditer(text)]
    starts = [start for start, _ in markers]
    for find in finds:
        at = find.start
        index = max(0, bisect(starts, at) - 1)
        while index < len(markers) and (marker := markers[index])[0] < find.end:
            if at < marker[0]:
                yield Find(at, marker[0], find.kind, find.rank)
            at = max(at, marker[1])
            index += 1
        if at < find.end:
            yield Find(at, find.end, find.kind, find.rank)


# --- the same secret elsewhere -------------------------------------------------------------------------------------

_SEARCHED = 64
"""Values looked for one by one; of more than that, only whole words are compared, which takes one pass for all."""
# Words that are passwords here and names of programs there: taken out only where they are said to be the password.
_COMMON = word_set("""
    admin administrator root guest postgres postgresql mysql mariadb mongo mongodb redis oracle elastic minio
    rabbitmq docker ubuntu debian vagrant jenkins tomcat grafana localhost database public private server client
    system service production development staging master default
""")
_ONCE = frozenset(("private", "private-key", "seed-phrase", "card-code"))


def _elsewhere(text: str, finds: list[Find]) -> Iterator[Find]:
    values: dict[str, str] = {}
    for find in finds:
        value = text[find.start : find.end]
        if find.kind not in _ONCE and _distinctive(value):
            for form in _forms(value):
                values.setdefault(form, find.kind)
    # Longest first, so that a value inside another does not use up the places.
    ordered = sorted(values, key=lambda value: (-len(value), value))
    for value in ordered[:_SEARCHED]:
        at = text.find(value)
        while at >= 0:
            end = at + len(value)
            if len(value) >= 20 or _stands_alone(text, at, end):
                yield Find(at, end, values[value], 1)
            at = text.find(value, end)
    if len(ordered) > _SEARCHED:
        for word in compiled(r"[^\s\"'`<>(){}\[\],;:=|]+").finditer(text):
            bare = word[0].rstrip(".!?")
            if bare in values:
                yield Find(word.start(), word.start() + len(bare), values[bare], 1)


def _distinctive(value: str) -> bool:
    if len(value) < 4 or len(value) > 2048 or value.lower() in _COMMON or placeholder(value):
        return False
    return sum(map(str.isalnum, value)) >= 3 and (len(value) >= 6 or not value.isalpha())


def _forms(value: str) -> Iterable[str]:
    """Yield ``value`` and what it looks like in JSON, in a URL and in HTML, or bare if it was one of those."""
    yield value
    if "\\" in value or '"' in value:
        yield value.replace("\\", "\\\\").replace('"', '\\"')
        yield value.replace('\\"', '"').replace("\\\\", "\\")
    if "%" in value:
        yield compiled(r"%([0-9A-Fa-f]{2})").sub(lambda code: chr(int(code[1], 16)), value)
    if "&" in value:
        yield value.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", '"').replace("&amp;", "&")
    if not value.isalnum():
        yield "".join(
            c
            if (c.isascii() and c.isalnum()) or c in "-_.~"
            else "".join(f"%{b:02X}" for b in c.encode("utf-8", "replace"))
            for c in value
        )
        yield value.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _stands_alone(text: str, start: int, end: int) -> bool:
    if (text[start].isalnum() or text[start] == "_") and not clean_start(text, start):
        return False
    after = text[end : end + 1]
    if text[start:end].isdigit():
        return not compiled(r"[\d.,:/-]").match(text[start - 1 : start]) and not compiled(r"[\w%]|[.,:/-]\d").match(
            text, end
        )
    return not (after.isascii() and (after.isalnum() or after == "_") and text[end - 1].isalnum())
