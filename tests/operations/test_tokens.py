"""Bearer tokens: made, listed, revoked, and nothing of them kept but a hash."""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import pytest

from wwt_vault.capture.redact import redact
from wwt_vault.config import user_folders
from wwt_vault.errors import BadArgument, NotFound, UnparsableSettings
from wwt_vault.operations.tokens import Tokens, list_tokens, new_token, revoke_token
from wwt_vault.vault import Vault

NOW = datetime(2026, 11, 30, 8, tzinfo=UTC)


def test_a_token_is_found_by_itself_alone(vault: Vault) -> None:
    """Not by its name, its hash, a part of it."""
    made = new_token(vault, "phone", scope="read", now=NOW)
    tokens = Tokens(vault.id)

    found = tokens.find(made["token"])
    assert found is not None
    assert (found.name, found.scope) == ("phone", "read")
    for other in ("", "phone", found.sha256, made["token"][:-1], made["token"].upper(), "\udce9"):
        assert tokens.find(other) is None
    assert len(made["token"]) > 40
    assert made["token"] not in (user_folders().config / "tokens.json").read_text("utf-8")


def test_tokens_are_listed_and_revoked_by_name(vault: Vault) -> None:
    """A list never has a token or a hash; what is revoked stops at once, in a server that runs too."""
    tokens = Tokens(vault.id)
    assert not tokens.any()
    first, second = (new_token(vault, name, now=NOW)["token"] for name in ("phone", "태블릿"))
    assert list_tokens(vault) == {
        "tokens": [
            {"name": "phone", "scope": "write", "created": "2026-11-30T08:00:00+00:00"},
            {"name": "태블릿", "scope": "write", "created": "2026-11-30T08:00:00+00:00"},
        ]
    }
    assert tokens.find(first)
    revoke_token(vault, "phone")
    assert tokens.find(first) is None
    assert tokens.find(second)
    with pytest.raises(NotFound, match="token list"):
        revoke_token(vault, "phone")


def test_a_token_is_for_one_vault(fresh_vault: Callable[[], Vault]) -> None:
    """The same name may be taken in another."""
    mine, work = fresh_vault(), fresh_vault()
    token = new_token(mine, "phone", now=NOW)["token"]
    new_token(work, "phone", now=NOW)

    assert Tokens(mine.id).find(token)
    assert Tokens(work.id).find(token) is None
    revoke_token(work, "phone")
    assert Tokens(mine.id).find(token)


@pytest.mark.parametrize("name", ["", " ", "phone ", "-x", "a\nb", "x" * 41, "a/b", "\x1b[31m"])
def test_a_name_that_says_nothing_is_refused(vault: Vault, name: str) -> None:
    """And so is an unknown scope, and a name that is taken."""
    with pytest.raises(BadArgument):
        new_token(vault, name, now=NOW)
    with pytest.raises(BadArgument):
        new_token(vault, "phone", scope="admin", now=NOW)
    new_token(vault, "phone", now=NOW)
    with pytest.raises(BadArgument, match="revoke"):
        new_token(vault, "phone", now=NOW)


NUMBERS = '{"schema": 1, "tokens": [{"name": 1, "vault": 1, "scope": 1, "sha256": 1, "created": 1}]}'


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"schema": 2, "tokens": []}', '{"schema": 1, "tokens": [{}]}', NUMBERS]
)
def test_a_damaged_file_lets_nobody_in_and_is_named(vault: Vault, text: str) -> None:
    """It is not taken for an empty one, nor written over."""
    new_token(vault, "phone", now=NOW)
    file = user_folders().config / "tokens.json"
    file.write_text(text, "utf-8")

    for use in (lambda: Tokens(vault.id).find("x"), lambda: list_tokens(vault), lambda: new_token(vault, "b", now=NOW)):
        with pytest.raises(UnparsableSettings, match=r"tokens\.json"):
            use()
    assert file.read_text("utf-8") == text


def test_a_token_that_is_said_to_an_agent_is_not_kept(vault: Vault) -> None:
    """It would stand in what it opens."""
    for number in range(20):
        token = new_token(vault, f"t{number}", now=NOW)["token"]
        for text in (
            token,
            f"use {token}.",
            f"{token}입니다",
            f"--header 'Authorization: Bearer {token}'",
            f"({token})",
        ):
            assert token[4:12] not in redact(text)[0]


def test_tokens_made_at_once_are_all_kept(vault: Vault) -> None:
    """Two terminals never lose one another's."""
    with ThreadPoolExecutor(8) as threads:
        made = list(threads.map(lambda number: new_token(vault, f"t{number}", now=NOW)["token"], range(16)))

    tokens = Tokens(vault.id)
    assert all(tokens.find(token) for token in made)
    assert len(json.loads((user_folders().config / "tokens.json").read_text("utf-8"))["tokens"]) == 16
