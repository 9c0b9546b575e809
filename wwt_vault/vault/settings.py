"""The settings that commands write into ``.wwt/config.toml``; all else stays as the person has it."""

from __future__ import annotations

import json
import re
import tomllib
from typing import Any, Final

from wwt_vault.errors import BadArgument
from wwt_vault.vault import Vault, files
from wwt_vault.vault.layout import CONFIG_FILE

__all__ = ["set_events_folder", "set_meaning_weight", "with_their_events_folder"]

_NEXT: Final = re.compile(r"(?m)^[ \t]*\[")


def set_meaning_weight(vault: Vault, weight: float) -> None:
    """Write ``[search] meaning_weight``. No other byte of the file changes.

    Raises ``BadArgument`` where the file says it in a form that is not understood, ``StaleRevision`` when somebody else
    wrote it in the same moment, ``VaultReadOnly``.
    """
    _set(vault, "search", "meaning_weight", f"{weight:g}")


def set_events_folder(vault: Vault, folder: str) -> None:
    """Write ``[vault] events_folder``, as :func:`set_meaning_weight` writes its setting."""
    _set(vault, "vault", "events_folder", json.dumps(folder, ensure_ascii=False))


def with_their_events_folder(base: str, mine: str, theirs: str) -> str:
    """Return ``mine`` with the folder that ``theirs`` names, if only they have changed it: events must be found.

    Arguments are texts of ``config.toml``; ``base`` is what both grew from.
    """
    tables = [_table(text).get("vault", {}) for text in (base, mine, theirs)]
    was, here, there = (table.get("events_folder") if isinstance(table, dict) else None for table in tables)
    if here != was or there == was or not isinstance(there, str):
        return mine
    literal = json.dumps(there, ensure_ascii=False)
    changed = _with(mine, "vault", "events_folder", literal)
    return changed if _says(changed, mine, "vault", "events_folder", literal) else mine


def _set(vault: Vault, section: str, key: str, literal: str) -> None:
    path = vault.root / CONFIG_FILE
    data = files.read(path)
    text = (data or b"").decode("utf-8")
    changed = _with(text, section, key, literal)
    if not _says(changed, text, section, key, literal):
        message = f"{path} sets {key} in a form that is not changed by a program: set it to {literal} there."
        raise BadArgument(message, path=str(path), key=key)
    if data is None:
        files.create_once(path, changed.encode())
    else:
        files.replace(path, changed.encode(), files.revision_of(data), lambda _: None)


def _with(text: str, section: str, key: str, literal: str) -> str:
    newline = "\r\n" if "\r\n" in text else "\n"
    line = f"{key} = {literal}{newline}"
    found = re.search(rf"(?m)^[ \t]*\[[ \t]*{section}[ \t]*\][^\n]*\n?", text)
    if found is None:
        gap = newline if text and not text.endswith("\n") else ""
        return f"{text}{gap}{newline if text else ''}[{section}]{newline}{line}"
    start = found.end()
    after = _NEXT.search(text, start)
    end = after.start() if after else len(text)
    there = re.compile(rf"(?m)^(?P<before>[ \t]*{key}[ \t]*=[ \t]*)[^#\r\n]*?(?P<behind>[ \t]*(?:#[^\n]*)?\r?)$")
    if there.search(text, start, end):
        body = there.sub(lambda match: f"{match['before']}{literal}{match['behind']}", text[start:end], count=1)
        return text[:start] + body + text[end:]
    gap = "" if found[0].endswith("\n") else newline
    return text[:start] + gap + line + text[start:]


def _says(changed: str, before: str, section: str, key: str, literal: str) -> bool:
    """Say whether the new text means what it should, and nothing else than before."""
    new, old = _table(changed), _table(before)
    wanted = tomllib.loads(f"it = {literal}")["it"]
    if not isinstance(new.get(section), dict) or new[section].pop(key, None) != wanted:
        return False
    table = old.setdefault(section, {})
    if isinstance(table, dict):
        table.pop(key, None)
    return new == old


def _table(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError):
        return {}
