"""Who may use the memory over HTTP: bearer tokens, made and revoked by the person, kept as hashes.

A token has 256 random bits, so one round of SHA-256 keeps it: there is nothing to guess. The file belongs to this user
and machine, not to the vault (which may travel), and each token is for one vault.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import secrets
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any, Final, NamedTuple

from wwt_vault.config import user_folders
from wwt_vault.errors import BadArgument, NotFound, UnparsableSettings
from wwt_vault.vault import Vault, files

__all__ = ["SCOPES", "Token", "Tokens", "list_tokens", "new_token", "revoke_token"]

Json = dict[str, Any]

SCOPES: Final = ("read", "write")
"""``write`` may do all that ``read`` may."""

_PREFIX: Final = "wwt_"
_NAME: Final = re.compile(r"[\w][\w .-]{0,39}")
_PATIENCE: Final = 5.0
"""Seconds that one command waits for another one's change of the file."""


class Token(NamedTuple):
    """What is kept of a token."""

    name: str
    vault: str
    scope: str
    sha256: str
    created: str
    """UTC, ISO 8601."""


def new_token(vault: Vault, name: str, *, scope: str = "write", now: datetime) -> Json:
    """Make a token for ``vault``. Returns ``{name, scope, created, token}``: the only time that it can be read.

    Raises ``BadArgument`` for a name that is taken or has other characters than letters, digits, spaces, ``._-``, or an
    unknown scope; ``UnparsableSettings``.
    """
    if not _NAME.fullmatch(name) or name != name.strip():
        raise BadArgument(f"a token's name is 1 to 40 letters, digits or . _ -, not {name!r}", argument="name")
    if scope not in SCOPES:
        raise BadArgument(f"scope is read or write, not {scope!r}", argument="scope")
    token = _PREFIX + secrets.token_urlsafe(32)
    made = Token(name, vault.id, scope, _hash(token), now.isoformat(timespec="seconds"))
    with _changing() as path:
        kept = _read(path)
        if any((other.vault, other.name) == (vault.id, name) for other in kept):
            raise BadArgument(f"there is a token named {name!r}: revoke it first, or name this one", argument="name")
        _write(path, [*kept, made])
    return {**_shown(made), "token": token}


def list_tokens(vault: Vault) -> Json:
    """Return ``{tokens: [{name, scope, created}]}`` of ``vault``, oldest first. Raises ``UnparsableSettings``."""
    return {"tokens": [_shown(token) for token in _read(_path()) if token.vault == vault.id]}


def revoke_token(vault: Vault, name: str) -> Json:
    """Take a token back: servers that run refuse it from the next request on. Returns ``{name, scope, created}``.

    Raises ``NotFound``, ``UnparsableSettings``.
    """
    with _changing() as path:
        kept = _read(path)
        found = next((token for token in kept if (token.vault, token.name) == (vault.id, name)), None)
        if found is None:
            raise NotFound(f"There is no token named {name!r} for this vault: `wwt token list`.", name=name)
        _write(path, [token for token in kept if token is not found])
    return _shown(found)


class Tokens:
    """The tokens of one vault as a server asks for them. May be used from any thread."""

    def __init__(self, vault_id: str) -> None:
        self._vault = vault_id
        self._path = _path()
        self._stamp: tuple[int, int, int] | None = None
        self._tokens: tuple[Token, ...] = ()
        self._lock = threading.Lock()

    def any(self) -> bool:
        """Return whether there is a token at all. Raises ``UnparsableSettings``."""
        return bool(self._current())

    def find(self, presented: str) -> Token | None:
        """Return the token that was presented, or ``None``. Raises ``UnparsableSettings``.

        A file that was changed is read again: what is revoked stops at once.
        """
        digest = _hash(presented)
        found = None
        for token in self._current():  # all of them, whichever it is: the time taken says nothing
            if hmac.compare_digest(token.sha256.encode(), digest.encode()):
                found = token
        return found

    def _current(self) -> tuple[Token, ...]:
        with self._lock:
            stamp = _stamp(self._path)
            if stamp is None or stamp != self._stamp:
                self._tokens = tuple(token for token in _read(self._path) if token.vault == self._vault)
                self._stamp = stamp
            return self._tokens


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def _shown(token: Token) -> Json:
    return {"name": token.name, "scope": token.scope, "created": token.created}


def _path() -> Path:
    return user_folders().config / "tokens.json"


def _stamp(path: Path) -> tuple[int, int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns, found.st_size  # it is replaced as a whole, so the inode changes too


@contextmanager
def _changing() -> Iterator[Path]:
    """Hold the lock of the file of tokens."""
    path = _path()
    with files.lock(path.with_suffix(".lock"), _PATIENCE):
        yield path


def _read(path: Path) -> list[Token]:
    data = files.read(path)
    if data is None:
        return []
    try:
        table = json.loads(data)
        if table["schema"] != 1:
            raise ValueError(f"schema {table['schema']!r}")
        found = [Token(*(entry[field] for field in Token._fields)) for entry in table["tokens"]]
    except (ValueError, KeyError, TypeError) as error:
        raise UnparsableSettings(
            f"{path} does not hold tokens ({error!r}). Delete it, and make new ones with `wwt token new`.",
            path=str(path),
        ) from error
    if not all(isinstance(value, str) for token in found for value in token):
        raise UnparsableSettings(f"{path} does not hold tokens. Delete it, and make new ones.", path=str(path))
    return found


def _write(path: Path, tokens: Iterable[Token]) -> None:
    table = {"schema": 1, "tokens": [token._asdict() for token in tokens]}
    files.overwrite(path, (json.dumps(table, ensure_ascii=False, indent=1) + "\n").encode(), private=True)
