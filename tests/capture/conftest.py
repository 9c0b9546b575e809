"""How the tests of redaction say what must go and what must stay."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from wwt_vault.capture.redact import redact


def _fault(text: str, *secrets: str) -> str | None:
    """Return what is wrong with redacting ``text``, out of which just ``secrets`` must go; ``None`` if nothing is."""
    wanted = re.escape(text)
    for secret in secrets:
        wanted = wanted.replace(re.escape(secret), r"\[REDACTED:[a-z0-9-]+\]")
    clean, _ = redact(text)
    if not re.fullmatch(wanted, clean):
        return f"{text!r} became {clean!r}"
    return None if redact(clean) == (clean, ()) else f"{clean!r} is redacted again"


@pytest.fixture
def fault() -> Callable[..., str | None]:
    """Return a function of a text and the secrets in it: what is wrong with its redaction, ``None`` if nothing is."""
    return _fault


@pytest.fixture
def all_found() -> Callable[..., None]:
    """Return a function that asserts that each secret is taken out of each template (``%s``) to the letter."""

    def check(templates: list[str], *secrets: str) -> None:
        faults = [_fault(template.replace("%s", secret), secret) for template in templates for secret in secrets]
        assert not [one for one in faults if one]

    return check
