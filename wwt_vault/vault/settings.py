"""The one setting that a command writes into ``.wwt/config.toml``; all else stays as the person has it."""

from __future__ import annotations

import re
import tomllib
from typing import Final

from wwt_vault.errors import BadArgument
from wwt_vault.vault import Vault, files
from wwt_vault.vault.layout import CONFIG_FILE

__all__ = ["set_meaning_weight"]

_SEARCH: Final = re.compile(r"(?m)^[ \t]*\[[ \t]*search[ \t]*\][^\n]*\n?")
_NEXT: Final = re.compile(r"(?m)^[ \t]*\[")
_KEY: Final = re.compile(
    r"(?m)^(?P<before>[ \t]*meaning_weight[ \t]*=[ \t]*)[^#\r\n]*?(?P<behind>[ \t]*(?:#[^\n]*)?\r?)$"
)


def set_meaning_weight(vault: Vault, weight: float) -> None:
    """Write ``[search] meaning_weight``. No other byte of the file changes.

    Raises ``BadArgument`` where the file says it in a form that is not understood, ``StaleRevision`` when somebody else
    wrote it in the same moment, ``VaultReadOnly``.
    """
    path = vault.root / CONFIG_FILE
    data = files.read(path)
    text = (data or b"").decode("utf-8")
    changed = _with_weight(text, f"{weight:g}")
    if not _says(changed, weight, text):
        message = f"{path} sets meaning_weight in a form that is not changed by a program: set it to {weight:g} there."
        raise BadArgument(message, path=str(path), key="meaning_weight")
    if data is None:
        files.create_once(path, changed.encode())
    else:
        files.replace(path, changed.encode(), files.revision_of(data), lambda _: None)


def _with_weight(text: str, value: str) -> str:
    newline = "\r\n" if "\r\n" in text else "\n"
    line = f"meaning_weight = {value}{newline}"
    section = _SEARCH.search(text)
    if section is None:
        gap = newline if text and not text.endswith("\n") else ""
        return f"{text}{gap}{newline if text else ''}[search]{newline}{line}"
    start = section.end()
    after = _NEXT.search(text, start)
    end = after.start() if after else len(text)
    if _KEY.search(text, start, end):
        body = _KEY.sub(rf"\g<before>{value}\g<behind>", text[start:end], count=1)
        return text[:start] + body + text[end:]
    gap = "" if section[0].endswith("\n") else newline
    return text[:start] + gap + line + text[start:]


def _says(changed: str, weight: float, before: str) -> bool:
    """Say whether the new text means what it should, and nothing else than before."""
    try:
        new, old = (tomllib.loads(text.removeprefix("\ufeff")) for text in (changed, before))
    except tomllib.TOMLDecodeError:
        return False
    if not isinstance(new.get("search"), dict) or new["search"].pop("meaning_weight", None) != weight:
        return False
    search = old.setdefault("search", {})
    if isinstance(search, dict):
        search.pop("meaning_weight", None)
    return new == old
