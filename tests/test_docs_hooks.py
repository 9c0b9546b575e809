"""``docs/hooks.md`` says what the hooks really do: events, files, kinds of secrets, limits."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from wwt_vault.capture import HOSTS
from wwt_vault.capture.redact import redact
from wwt_vault.config import user_folders
from wwt_vault.ingest.brief import MAX_CHARACTERS
from wwt_vault.setup.hosts import CONNECTIONS

PAGE = (Path(__file__).resolve().parents[1] / "docs" / "hooks.md").read_text("utf-8")
SECTION = PAGE[PAGE.index("## Secrets") : PAGE.index("Left as they are:")]
SAMPLES = {
    "password": "관리자 비번은 mango7Tree입니다",
    "token": "export DEPLOY_TOKEN=9f8a7b6c5d4e3f2a1b0c9d8e7f6a5b4c",
    "private-key": "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIJ+DYvh6SEqVTm50DFtMDoQikTmiCqirVv9mWG9qfSnF\n"
    "-----END PRIVATE KEY-----",
    "url-password": "postgres://app:kX93lqPz@db.internal/shop",
    "url-token": "git clone https://9f8a7b6c5d4e3f2a1b0c9d8e7f6a5b4c@git.example.com/shop.git",
    "authorization": "Authorization: Bearer 8f14e45fceea167a5a36dedd4bea2543ab12",
    "cookie": "Cookie: session=8f14e45fceea167a5a36dedd4bea2543",
    "jwt": "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0."
    "dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U",
    "otp-secret": "otpauth://totp/Shop?secret=JBSWY3DPEHPK3PXPJBSWY3DP",
    "one-time-code": "인증번호는 482913입니다",
    "recovery-code": "Recovery codes:\n8f3k-29xm\n77qp-1zzt\nk2m4-9fwe\n",
    "seed-phrase": "seed phrase: legal winner thank year wave sausage worth useful legal winner thank yellow",
    "resident-number": "주민등록번호 900101-1234568",
    "account-number": "계좌번호 110-234-567890",
    "card-number": "카드 번호 4111 1111 1111 1111",
    "card-code": "cvc 123",
    "passport-number": "여권번호 M12345678",
    "licence-number": "운전면허번호 11-22-333333-44",
    "social-security-number": "SSN: 123-45-6789",
    "github-token": "ghp_" + "A1b2C3d4E5" * 4,
    "aws-access-key": "AKIA" + "IOSFODNN7QWERTYZ",
    "anthropic-key": "sk-ant-api03-" + "aB1cD2eF3g" * 9,
    "private": "the budget is <private>twelve million</private>",
}


def kinds_on_the_page() -> set[str]:
    """Return the kinds that the table names in its first column."""
    rows = re.findall(r"(?m)^\| (.*?) \|", SECTION)
    return {kind for row in rows for kind in re.findall(r"`([a-z-]+)`", row)}


def test_the_table_of_kinds_is_the_list_of_samples() -> None:
    """A kind that the page promises has a sample here, and the other way round."""
    assert kinds_on_the_page() == set(SAMPLES)


@pytest.mark.parametrize("kind", SAMPLES)
def test_a_promised_kind_is_taken_out_under_its_name(kind: str) -> None:
    """The event lists the kind by the name that the page gives."""
    text, found = redact(SAMPLES[kind])
    assert kind in {redaction.kind for redaction in found}
    assert f"[REDACTED:{kind}]" in text


@pytest.mark.parametrize("host", [host for host, row in CONNECTIONS.items() if row.hooks])
def test_every_hook_that_is_registered_is_on_the_page(host: str) -> None:
    """A person can see at which moments a host calls us, and which file says so."""
    hooks = CONNECTIONS[host].hooks
    assert hooks is not None
    header = next(line for line in PAGE.splitlines() if line.startswith("| | "))
    column = [cell.strip() for cell in header.split("|")].index(HOSTS[host].title)
    rows = PAGE[PAGE.index(header) :].split("\n\n")[0].splitlines()
    cells = " ".join(row.split("|")[column] for row in rows)
    assert set(hooks.timeouts) == set(re.findall(r"`(\w+)`", cells))
    assert f"`~/{HOSTS[host].folder}/{hooks.file}`" in cells


def test_folders_and_limits_are_right(own_user_folders: Path) -> None:
    """Where the page sends a person, the files lie."""
    assert f"{MAX_CHARACTERS:,} characters" in PAGE
    environ = {"HOME": str(own_user_folders)}
    linux, mac = user_folders(environ, "linux").state, user_folders(environ, "darwin").state
    for folder in (linux, mac):
        assert f"`~/{folder.relative_to(own_user_folders).as_posix()}`" in PAGE, folder
    assert "`WWT_HOOK=off`" in PAGE
