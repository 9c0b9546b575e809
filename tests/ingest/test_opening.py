"""A hook opens the vault quickly, and never by what is no longer true."""

from __future__ import annotations

import os
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from wwt_vault.errors import UnparsableSettings, VaultMissing
from wwt_vault.ingest.opening import open_for_hook
from wwt_vault.vault.creation import create_vault

if TYPE_CHECKING:
    from wwt_vault.vault import Vault

NOW = datetime(2026, 11, 30, 1, 58, tzinfo=UTC)


def set_timezone(vault: Vault, name: str) -> None:
    """Edit the vault's settings as a person does."""
    path = vault.root / ".wwt" / "config.toml"
    path.write_text(re.sub("(?m)^timezone = .*$", f'timezone = "{name}"', path.read_text("utf-8")), "utf-8")


def test_the_second_opening_is_as_the_first(vault: Vault) -> None:
    """Root, id and times are the same, whether read from the files or from what was kept."""
    first, second = open_for_hook(NOW), open_for_hook(NOW)

    assert (first.root, first.id) == (second.root, second.id) == (vault.root, vault.id)
    assert second.nearby is not None
    assert NOW.astimezone(second.zone).strftime("%Y-%m-%d %H:%M") == "2026-11-30 10:58"


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    name=st.sampled_from(["Asia/Seoul", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "UTC"]),
    hours=st.integers(-40_000, 40_000),
)
def test_every_time_is_shown_as_the_zone_shows_it(name: str, hours: int, vault: Vault) -> None:
    """Near or far, before or after a change of the clocks: the kept offset says what the zone says."""
    set_timezone(vault, name)
    open_for_hook(NOW)
    zone = open_for_hook(NOW).zone
    moment = NOW + timedelta(hours=hours)

    assert moment.astimezone(zone).replace(tzinfo=None) == moment.astimezone(ZoneInfo(name)).replace(tzinfo=None)


def test_an_edit_of_the_settings_is_seen(vault: Vault) -> None:
    """Another zone in config.toml counts from the next call on; broken TOML is an error, not the zone before."""
    open_for_hook(NOW)
    set_timezone(vault, "Europe/Berlin")
    after = open_for_hook(NOW)
    (vault.root / ".wwt" / "config.toml").write_text("timezone = ", "utf-8")

    assert NOW.astimezone(after.zone).hour == 2
    with pytest.raises(UnparsableSettings):
        open_for_hook(NOW)


def test_another_vault_in_the_environment_or_the_settings_is_opened(
    vault: Vault, tmp_path: Path, own_user_folders: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is kept belongs to the name that was given."""
    other, third = create_vault(tmp_path / "other"), create_vault(tmp_path / "third")
    assert open_for_hook(NOW).id == vault.id
    monkeypatch.setenv("WWT_VAULT", str(other.root))
    assert open_for_hook(NOW).id == other.id
    monkeypatch.delenv("WWT_VAULT")
    config = own_user_folders / ".config" / "wwt-vault" / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text(f'vault = "{third.root}"\n', "utf-8")
    assert open_for_hook(NOW).id == third.id
    config.write_text(f'vault = "{vault.root}"\n', "utf-8")
    assert open_for_hook(NOW).id == vault.id


def test_a_vault_that_is_gone_is_missing_at_once(vault: Vault) -> None:
    """A kept path does not hide that the vault is not there."""
    open_for_hook(NOW)
    os.rename(vault.root, vault.root.with_name("away"))  # noqa: PTH104 - plain

    with pytest.raises(VaultMissing):
        open_for_hook(NOW)


@pytest.mark.parametrize("kept", ["", "{", "[]", '{"named": 1}', '{"named": null, "config": [], "root": 3}'])
def test_what_was_kept_may_be_damaged(kept: str, vault: Vault, own_user_folders: Path) -> None:
    """Then it is read from the files again."""
    open_for_hook(NOW)
    (own_user_folders / ".local" / "state" / "wwt-vault" / "hook.json").write_text(kept, "utf-8")

    assert open_for_hook(NOW).id == vault.id
